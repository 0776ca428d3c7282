//! Flow patterns on an ideal network: closed forms of collectives and incasts, dependencies, and what is refused.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use hopscope_topology::{Network, NetworkSpec};
use hopscope_traffic::flows::{Algorithm, AllReduce, Flow, FlowGroup, FlowSchedule, RoundEnd};
use hopscope_units::{Data, Rate, Span, Time};
use proptest::prelude::*;

const RATE: Rate = Rate::from_mbit_s(100_000);
const LATENCY: Span = Span::from_us(2);

fn star(hosts: u32) -> Network {
    #[derive(serde::Deserialize)]
    struct Wrapped {
        network: NetworkSpec,
    }
    let text = format!("[network.star]\narms = 0\nhosts_at_hub = {hosts}\n");
    let wrapped: Wrapped = toml::from_str(&text).expect("a network");
    wrapped.network.build().expect("a star")
}

fn groups(text: &str) -> Vec<FlowGroup> {
    #[derive(serde::Deserialize)]
    struct Wrapped {
        flows: Vec<FlowGroup>,
    }
    toml::from_str::<Wrapped>(text).expect("groups of flows").flows
}

fn schedule(text: &str, hosts: u32) -> FlowSchedule {
    let network = star(hosts);
    FlowSchedule::new(&groups(text), &network, &vec![RATE; hosts as usize], 1).expect("a schedule")
}

fn refusal(text: &str, hosts: u32) -> String {
    let network = star(hosts);
    let problems = FlowSchedule::new(&groups(text), &network, &vec![RATE; hosts as usize], 1);
    let told = problems.expect_err("a refusal").into_iter();
    told.map(|p| format!("{}: {}; expected {}", p.path, p.problem, p.expected)).collect::<Vec<_>>().join("\n")
}

/// A network without contention but at its edges: a host sends one flow after another at its link's rate, and receives
/// so, a latency later.
#[derive(Default)]
struct Ideal {
    sends_from: BTreeMap<usize, Time>,
    receives_from: BTreeMap<usize, Time>,
}

/// What happened on it.
struct Seen {
    flows: Vec<(Flow, Time)>,
    rounds: Vec<RoundEnd>,
}

impl Ideal {
    fn ends(&mut self, flow: &Flow) -> Time {
        let takes = RATE.time_for(flow.size);
        let sends = self.sends_from.entry(flow.source.index()).or_insert(Time::ZERO);
        let begins = flow.begins.max(*sends);
        *sends = begins + takes;
        let receives = self.receives_from.entry(flow.destination.index()).or_insert(Time::ZERO);
        *receives = (begins + LATENCY).max(*receives) + takes;
        *receives
    }

    /// Runs a schedule to its end, or until `most` flows have ended.
    fn run(schedule: &mut FlowSchedule, most: usize) -> Seen {
        let (mut network, mut seen) = (Self::default(), Seen { flows: Vec::new(), rounds: Vec::new() });
        let mut ending: BinaryHeap<Reverse<(Time, u64)>> = BinaryHeap::new();
        let mut under_way: BTreeMap<u64, Flow> = BTreeMap::new();
        while seen.flows.len() < most {
            let ends = ending.peek().map_or(Time::NEVER, |Reverse((at, _))| *at);
            let now = ends.min(schedule.next_arrival());
            if now == Time::NEVER {
                break;
            }
            let mut begins = Vec::new();
            if ends == now {
                let Reverse((_, number)) = ending.pop().expect("it was seen");
                let flow = under_way.remove(&number).expect("it is under way");
                seen.rounds.extend(schedule.finished(now, &flow, &mut begins));
                seen.flows.push((flow, now));
            } else {
                schedule.release(now, &mut begins);
            }
            for flow in begins {
                assert_eq!(flow.begins, now);
                ending.push(Reverse((network.ends(&flow), flow.number)));
                under_way.insert(flow.number, flow);
            }
            assert_eq!(schedule.under_way(), under_way.len() as u64);
        }
        seen
    }
}

fn took(round: &RoundEnd) -> Span {
    round.ended.since(round.begun)
}

fn time_of(bytes: u64) -> Span {
    RATE.time_for(Data::from_bytes(bytes))
}

#[test]
fn a_ring_takes_two_latencies_and_two_nths_of_the_vector_for_each_other_host() {
    for hosts in [2u32, 3, 8, 12] {
        let size = u64::from(hosts) * 65_536;
        let text = format!("[[flows]]\npattern = {{ all-reduce = {{ size = \"{size} B\" }} }}");
        let seen = Ideal::run(&mut schedule(&text, hosts), usize::MAX);
        let expected = (time_of(65_536) + LATENCY) * u64::from(2 * (hosts - 1));
        assert_eq!(seen.rounds.iter().map(took).collect::<Vec<_>>(), [expected]);
        assert_eq!(seen.flows.len() as u32, hosts * 2 * (hosts - 1));
        let collective = AllReduce { size: Data::from_bytes(size), algorithm: Algorithm::Ring };
        assert_eq!(collective.ideal(hosts as usize, RATE, LATENCY), expected);
        assert_eq!(seen.rounds[0].data, seen.flows.iter().map(|(flow, _)| flow.size).sum());
    }
}

#[test]
fn halving_and_doubling_takes_two_log_n_latencies_and_the_same_data() {
    for hosts in [2u32, 4, 8, 32] {
        let size = 65_536 * u64::from(hosts);
        let text = format!(
            "[[flows]]\npattern = {{ all-reduce = {{ size = \"{size} B\", algorithm = \"halving-doubling\" }} }}"
        );
        let seen = Ideal::run(&mut schedule(&text, hosts), usize::MAX);
        let data = time_of(2 * 65_536 * u64::from(hosts - 1));
        let expected = LATENCY * u64::from(2 * hosts.ilog2()) + data;
        assert_eq!(seen.rounds.iter().map(took).collect::<Vec<_>>(), [expected]);
        assert_eq!(seen.flows.len() as u32, hosts * 2 * hosts.ilog2());
        assert_eq!(seen.rounds[0].data, seen.flows.iter().map(|(flow, _)| flow.size).sum());
    }
}

#[test]
fn an_incast_takes_as_long_as_the_receiver_takes_it_all_in() {
    let text = "[[flows]]\nrounds = 3\npattern = { incast = { senders = 10, size = \"64 KiB\" } }";
    let seen = Ideal::run(&mut schedule(text, 16), usize::MAX);
    let expected = LATENCY + time_of(65_536) * 10;
    assert_eq!(seen.rounds.iter().map(took).collect::<Vec<_>>(), [expected; 3]);
    for round in 0..3 {
        let flows: Vec<&Flow> =
            seen.flows.iter().map(|(flow, _)| flow).filter(|f| f.round == round).collect();
        let receiver = flows[0].destination;
        assert!(flows.iter().all(|flow| flow.destination == receiver && flow.source != receiver));
    }
}

#[test]
fn an_all_to_all_is_as_long_as_what_a_host_has_to_send() {
    for (order, latencies) in [("at-once", 1), ("staged", 7), ("barrier", 7)] {
        let text =
            format!("[[flows]]\npattern = {{ all-to-all = {{ size = \"8 KiB\", order = \"{order}\" }} }}");
        let seen = Ideal::run(&mut schedule(&text, 8), usize::MAX);
        assert_eq!(took(&seen.rounds[0]), LATENCY * latencies + time_of(8192) * 7, "{order}");
        let pairs: std::collections::BTreeSet<(usize, usize)> =
            seen.flows.iter().map(|(flow, _)| (flow.source.index(), flow.destination.index())).collect();
        assert_eq!(pairs.len(), 56, "{order}");
    }
}

#[test]
fn a_random_permutation_is_another_each_round_and_nobody_sends_to_itself() {
    let text = "[[flows]]\nrounds = 4\npattern = { permutation = { size = \"1 KiB\" } }";
    let seen = Ideal::run(&mut schedule(text, 12), usize::MAX);
    let of_round = |round: u32| {
        let flows = seen.flows.iter().map(|(flow, _)| flow).filter(|flow| flow.round == round);
        flows.map(|flow| (flow.source.index(), flow.destination.index())).collect::<BTreeMap<_, _>>()
    };
    for round in 0..4 {
        let map = of_round(round);
        assert_eq!(map.len(), 12);
        assert_eq!(map.values().collect::<std::collections::BTreeSet<_>>().len(), 12);
        assert!(map.iter().all(|(from, to)| from != to));
        assert!(round == 0 || map != of_round(round - 1));
    }
}

#[test]
fn rounds_begin_by_the_clock_or_after_a_pause() {
    let begun = |text: &str| {
        let text = format!(
            "[[flows]]\nrounds = 3\nstart = \"5 us\"\n{text}\npattern = {{ incast = {{ senders = 1, size = \"1250 B\" }} }}"
        );
        let seen = Ideal::run(&mut schedule(&text, 4), usize::MAX);
        seen.rounds.iter().map(|round| round.begun.ps() / 100_000).collect::<Vec<_>>()
    };
    // A round takes 2.1 us.
    assert_eq!(begun(""), [50, 71, 92]);
    assert_eq!(begun("pause = \"10 us\""), [50, 171, 292]);
    assert_eq!(begun("every = \"1 us\""), [50, 60, 70]);
}

#[test]
fn listed_flows_begin_at_their_times_and_after_others() {
    let text = r#"
[[flows]]
[flows.pattern.list]
flows = [
  { from = "h0", to = "h1", size = "1250 B", name = "a" },
  { from = "h2", to = "h3", size = "12500 B", name = "b", start = "3 us" },
  { from = "h1", to = "h0", size = "1250 B", after = ["a", "b"], start = "1 us" },
  { from = "h1", to = "h2", size = "1250 B", after = ["a", "b"], after_any = 1 },
]
"#;
    let mut schedule = schedule(text, 4);
    let seen = Ideal::run(&mut schedule, usize::MAX);
    let mut begun: Vec<(usize, usize, u64)> = seen
        .flows
        .iter()
        .map(|(f, _)| (f.source.index(), f.destination.index(), f.begins.ps() / 100_000))
        .collect();
    begun.sort_by_key(|&(.., at)| at);
    // The first takes 2.1 us, the second 3 us: from 3 us to 6.
    assert_eq!(begun, [(0, 1, 0), (1, 2, 21), (2, 3, 30), (1, 0, 70)]);
    assert_eq!(seen.rounds.len(), 1);
    assert_eq!(schedule.waiting(), 0);
}

#[test]
fn the_flows_of_a_finite_schedule_are_known_beforehand() {
    let list = "{ list = { flows = [{ from = \"h0\", to = \"h1\", size = \"1 kB\" }] } }";
    let patterns = [
        ("{ permutation = { size = \"1 kB\", to = \"neighbour\" } }", 8),
        ("{ incast = { senders = 3, size = \"1 kB\" } }", 3),
        ("{ all-to-all = { size = \"1 kB\" } }", 8 * 7),
        ("{ all-reduce = { size = \"1 kB\" } }", 8 * 14),
        (list, 1),
    ];
    for (pattern, flows) in patterns {
        let mut schedule = schedule(&format!("[[flows]]\nrounds = 3\npattern = {pattern}"), 8);
        assert_eq!(schedule.in_all(), Some(3 * flows), "{pattern}");
        assert_eq!(Ideal::run(&mut schedule, usize::MAX).flows.len() as u64, 3 * flows, "{pattern}");
        assert_eq!(schedule.in_all(), Some(3 * flows), "{pattern}");
    }
    let endless = "[[flows]]\nrounds = 0\npattern = { all-to-all = { size = \"1 kB\" } }";
    assert_eq!(schedule(endless, 8).in_all(), None);
}

#[test]
fn receivers_of_flows_are_those_that_may_be_sent_some() {
    let received = |pattern: &str, hosts: &str| {
        let schedule = schedule(&format!("[[flows]]\nhosts = {hosts}\npattern = {pattern}"), 6);
        schedule.receivers(6).iter().map(|&receives| u8::from(receives)).collect::<Vec<_>>()
    };
    let some = "{ first = 4 }";
    let named = "{ incast = { senders = 2, size = \"1 kB\", receiver = \"h5\" } }";
    assert_eq!(received("{ all-to-all = { size = \"1 kB\" } }", some), [1, 1, 1, 1, 0, 0]);
    assert_eq!(received("{ incast = { senders = 2, size = \"1 kB\" } }", some), [1, 1, 1, 1, 0, 0]);
    assert_eq!(received(named, "\"all\""), [0, 0, 0, 0, 0, 1]);
    let transpose = "{ permutation = { size = \"1 kB\", to = \"transpose\" } }";
    assert_eq!(received(transpose, some), [0, 1, 1, 0, 0, 0]);
}

#[test]
fn random_arrivals_offer_their_load() {
    for (sizes, mean) in [("\"web-search\"", 1_671_500.0), ("{ fixed = \"10 kB\" }", 10_000.0)] {
        let text = format!("[[flows]]\npattern = {{ poisson = {{ load = 0.4, sizes = {sizes} }} }}");
        let mut schedule = schedule(&text, 8);
        assert_eq!(schedule.in_all(), None);
        let seen = Ideal::run(&mut schedule, 20_000);
        let until = seen.flows.iter().map(|(flow, _)| flow.begins).max().expect("flows").as_seconds();
        let bytes: f64 = seen.flows.iter().map(|(flow, _)| flow.size.bytes() as f64).sum();
        // Twenty thousand sizes of the web search have a relative error of 1.5 %.
        assert!((bytes / 20_000.0 / mean - 1.0).abs() < 0.05, "{sizes}: {}", bytes / 20_000.0);
        let load = bytes * 8.0 / until / (8.0 * RATE.bit_s() as f64);
        assert!((load / 0.4 - 1.0).abs() < 0.06, "{sizes}: {load}");
    }
}

#[test]
fn another_group_changes_no_flow_of_this_one() {
    let incast = "[[flows]]\nrounds = 5\npattern = { incast = { senders = 3, size = \"1 KiB\" } }\n";
    let poisson = "[[flows]]\npattern = { poisson = { load = 0.1, sizes = \"data-mining\" } }\n";
    let of_first = |text: &str| {
        let seen = Ideal::run(&mut schedule(text, 8), 60);
        let flows = seen.flows.into_iter().map(|(flow, _)| flow).filter(|flow| flow.group == 0);
        let mut pairs: Vec<_> = flows.map(|f| (f.round, f.source.index(), f.destination.index())).collect();
        pairs.sort_unstable();
        pairs
    };
    assert_eq!(of_first(incast), of_first(&format!("{incast}{poisson}"))[..15]);
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let told = |pattern: &str| refusal(&format!("[[flows]]\npattern = {{ {pattern} }}"), 12);
    let collective = "all-reduce = { size = \"1 MiB\", algorithm = \"halving-doubling\" }";
    assert!(told(collective).starts_with(
        "flows[0].pattern.all-reduce.algorithm: halving-doubling needs a power of two, and there are 12 \
                 hosts"
    ));
    assert_eq!(
        told("incast = { senders = 12, size = \"1 KiB\" }"),
        "flows[0].pattern.incast.senders: 12 senders and a receiver are more than the hosts that take part; expected fewer senders than hosts that \
         take part; the network has 12"
    );
    // More hosts than there are is not too many senders.
    let incast = "pattern = { incast = { senders = 2, size = \"1 KiB\" } }";
    assert_eq!(
        refusal(&format!("[[flows]]\nhosts = {{ first = 99 }}\n{incast}"), 12),
        "flows[0].hosts.first: 99 host(s) requested; expected from 3 to 12, the hosts of the network"
    );
    assert!(
        refusal(&format!("[[flows]]\nhosts = {{ first = 2 }}\n{incast}"), 12)
            .starts_with("flows[0].pattern.incast.senders: 2 senders and a receiver are more than")
    );
    let alone = "[[flows]]\nhosts = { first = 1 }\npattern = { all-reduce = { size = \"1 MiB\" } }";
    assert_eq!(
        refusal(alone, 12),
        "flows[0].hosts.first: 1 host(s) requested; expected from 2 to 12, the hosts of the network"
    );
    let crowd = "all-to-all = { size = \"1 B\", order = \"at-once\" }";
    assert!(
        refusal(&format!("[[flows]]\npattern = {{ {crowd} }}"), 4_000)
            .starts_with("flows[0].pattern.all-to-all.order: 15996000 flows at once among 4000 hosts")
    );
    let twice = format!("[[flows]]\npattern = {{ {crowd} }}\n").repeat(2);
    assert_eq!(
        refusal(&twice, 12),
        "flows[1].name: two groups are named \"all-to-all\"; expected a unique name for each group"
    );
    assert!(
        told("poisson = { load = 1e-9, sizes = { fixed = \"1000 GB\" } }")
            .contains("less than one flow per day")
    );
    let falls = "poisson = { load = 0.5, sizes = { cdf = { points = [{ bytes = 1, share = 0.5 }, { bytes = 9, share = 0.2 }] } } }";
    assert_eq!(
        told(falls),
        "flows[0].pattern.poisson.sizes.cdf.points[1]: the cumulative share falls from 0.5 to 0.2; expected cumulative \
         shares that never fall"
    );
    let flow = |more: &str| {
        format!("list = {{ flows = [{{ from = \"h0\", to = \"h1\", size = \"1 B\", {more} }}] }}")
    };
    assert_eq!(
        told(&flow("after = [\"b\"]")),
        "flows[0].pattern.list.flows[0].after[0]: there is no flow \"b\" to depend on; expected the name of a flow"
    );
    assert!(told(&flow("name = \"a\", after = [\"a\"]")).contains("the flow depends on itself"));
    assert!(told(&flow("name = \"a\"").replace("h1", "h99")).contains("no host is called \"h99\""));
}

proptest! {
    #[test]
    fn an_all_reduce_comes_to_its_end_in_whatever_order_flows_end(
        ranks in 2usize..33, halving in any::<bool>(), order in any::<u64>()
    ) {
        let algorithm = if halving { "halving-doubling" } else { "ring" };
        let ranks = if halving { ranks.next_power_of_two() } else { ranks };
        let text = format!("[[flows]]\npattern = {{ all-reduce = {{ size = \"{ranks} B\", algorithm = \"{algorithm}\" }} }}");
        let mut schedule = schedule(&text, ranks as u32);
        // Whatever the order in which flows under way end: every flow begins once and ends once, and then the round is
        // over.
        let (mut under_way, mut begins, mut state, mut ended) = (Vec::new(), Vec::new(), order | 1, 0);
        schedule.release(Time::ZERO, &mut begins);
        let mut rounds = 0;
        loop {
            under_way.append(&mut begins);
            if under_way.is_empty() {
                break;
            }
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let flow = under_way.swap_remove((state >> 33) as usize % under_way.len());
            rounds += usize::from(schedule.finished(Time::ZERO, &flow, &mut begins).is_some());
            ended += 1;
        }
        let steps = if halving { 2 * ranks.ilog2() as usize } else { 2 * (ranks - 1) };
        prop_assert_eq!((rounds, ended), (1, ranks * steps));
    }
}

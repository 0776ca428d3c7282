//! The schedule: which flows begin when, on one network.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use hopscope_kernel::{Exponential, RandomStream};
use hopscope_measure::{MOST_CLASSES, Problem};
use hopscope_topology::{HostId, Network};
use hopscope_units::{Data, Rate, Span, Time};

use super::group::LONGEST_WAIT;
use super::hosts::Unchosen;
use super::round::{Beginning, Begins, Doing, Planned, PoissonSource, Round};
use super::{FlowGroup, FlowList, FlowPattern, PoissonFlows};
use crate::named::host_named;

/// A flow that begins: an amount of data from one host to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Its number in the order in which flows begin, from 0: its id.
    pub number: u64,
    /// The sending host.
    pub source: HostId,
    /// The receiving host.
    pub destination: HostId,
    /// How much it sends, in whole bytes.
    pub size: Data,
    /// When it begins.
    pub begins: Time,
    /// The group it belongs to, an index into [`FlowSchedule::classes`].
    pub group: u16,
    /// Which round of the group, from 0.
    pub round: u32,
    /// Which flow of the round.
    part: u64,
}

/// A round that has ended: a collective, an incast, a shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundEnd {
    /// Its group.
    pub group: u16,
    /// Its number, from 0.
    pub round: u32,
    /// When it began.
    pub begun: Time,
    /// When its last flow ended.
    pub ended: Time,
    /// What its flows carried.
    pub data: Data,
}

/// When which flows begin, on one network.
#[derive(Clone, Debug)]
pub struct FlowSchedule {
    groups: Vec<Group>,
    due: BinaryHeap<Reverse<(Time, u16, Due)>>,
    begun: u64,
}

/// What happens at an instant; the order breaks ties between what a group does at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Round,
    Listed { round: u32, part: u64 },
    Arrival { rank: u32 },
}

#[derive(Clone, Debug)]
struct Group {
    class: String,
    hosts: Vec<HostId>,
    doing: Doing,
    random: RandomStream,
    rounds_left: Option<u32>,
    every: Option<Span>,
    pause: Span,
    next_round: u32,
    rounds: BTreeMap<u32, Round>,
    under_way: u64,
    is_endless: bool,
}

impl FlowSchedule {
    /// The schedule of these groups on a network whose host links have these rates, one a host; the seed is the
    /// scenario's.
    ///
    /// # Errors
    /// Everything that is wrong, with paths such as `flows[0].pattern.incast.senders`.
    pub fn new(
        groups: &[FlowGroup],
        network: &Network,
        rates: &[Rate],
        seed: u64,
    ) -> Result<Self, Vec<Problem>> {
        assert_eq!(rates.len(), network.hosts().len(), "one rate a host");
        let mut schedule = Self { groups: Vec::new(), due: BinaryHeap::new(), begun: 0 };
        let mut problems: Vec<Problem> = group_problems(groups).into_iter().collect();
        if groups.len() > MOST_CLASSES {
            return Err(problems);
        }
        for (i, group) in groups.iter().enumerate() {
            let path = format!("flows[{i}]");
            let found = group.problems(&path);
            if !found.is_empty() {
                problems.extend(found);
                continue;
            }
            match Group::new(group, (network, rates), &path, (seed, i as u64)) {
                Ok(made) => schedule.add(made, Time::ZERO + group.start),
                Err(problem) => problems.push(problem),
            }
        }
        if problems.is_empty() { Ok(schedule) } else { Err(problems) }
    }

    fn add(&mut self, mut group: Group, start: Time) {
        let index = u16::try_from(self.groups.len()).expect("fewer than 65,536 groups");
        if let Doing::Poisson { sources, .. } = &mut group.doing {
            for (rank, source) in sources.iter_mut().enumerate() {
                let at = start.after(source.gap.sample(&mut source.random));
                expect(&mut self.due, at, index, Due::Arrival { rank: rank as u32 });
            }
        } else {
            expect(&mut self.due, start, index, Due::Round);
        }
        self.groups.push(group);
    }

    /// The classes under which flows are reported: one for each group, by its index.
    #[must_use]
    pub fn classes(&self) -> Vec<String> {
        self.groups.iter().map(|group| group.class.clone()).collect()
    }

    /// When the next flows begin by the clock, or never: as long as nothing ends, they only begin then.
    #[must_use]
    pub fn next_arrival(&self) -> Time {
        self.due.peek().map_or(Time::NEVER, |Reverse((at, ..))| *at)
    }

    /// The flows of the whole schedule, or a bound on them; nothing where they may begin without end, so that another
    /// limit must end the run.
    #[must_use]
    pub fn in_all(&self) -> Option<u64> {
        self.groups.iter().try_fold(0u64, |flows, group| Some(flows.saturating_add(group.in_all()?)))
    }

    /// Which of this number of hosts may be a receiver.
    #[must_use]
    pub fn receivers(&self, hosts: usize) -> Vec<bool> {
        let mut receives = vec![false; hosts];
        for group in &self.groups {
            group.doing.receivers(&group.hosts).into_iter().for_each(|to| receives[to.index()] = true);
        }
        receives
    }

    /// Flows that have begun and not ended.
    #[must_use]
    pub fn under_way(&self) -> u64 {
        self.groups.iter().map(|group| group.under_way).sum()
    }

    /// Whether every flow has ended and none will begin any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.due.is_empty() && self.groups.iter().all(|group| group.under_way == 0 && group.rounds.is_empty())
    }

    /// Flows that wait for others: those of rounds under way that have not begun.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        let waiting = |group: &Group| {
            let left: u64 = group.rounds.values().map(|round| round.left).sum();
            left.saturating_sub(group.under_way)
        };
        self.groups.iter().map(waiting).sum()
    }

    /// Adds every flow that begins at or before now, in an order that depends on nothing but the scenario.
    pub fn release(&mut self, now: Time, begins: &mut Vec<Flow>) {
        while let Some(&Reverse((at, group, due))) = self.due.peek()
            && at <= now
        {
            self.due.pop();
            match due {
                Due::Round => self.begin_round(group, now, begins),
                Due::Listed { round, part } => {
                    let beginning = self.groups[usize::from(group)].doing.listed(part);
                    self.begin(group, round, beginning, now, begins);
                }
                Due::Arrival { rank } => self.arrive(group, rank, now, begins),
            }
        }
    }

    /// A flow has ended: adds the flows that begin after it, and returns the round if it was the last of one.
    ///
    /// Panics where the flow has ended before.
    pub fn finished(&mut self, now: Time, flow: &Flow, begins: &mut Vec<Flow>) -> Option<RoundEnd> {
        let group = &mut self.groups[usize::from(flow.group)];
        group.under_way = group.under_way.checked_sub(1).expect("a flow ends once");
        if matches!(group.doing, Doing::Poisson { .. }) {
            return None;
        }
        let (mut at_once, mut later) = (Vec::new(), Vec::new());
        let round = group.rounds.get_mut(&flow.round).expect("a flow ends within its round");
        let out = &mut Begins { at_once: &mut at_once, later: &mut later };
        group.doing.ended(&group.hosts, round, flow.part, out);
        let over = round.left == 0;
        self.begin_all(flow.group, flow.round, (at_once, later), now, begins);
        over.then(|| self.end_round(flow, now))
    }

    fn end_round(&mut self, flow: &Flow, now: Time) -> RoundEnd {
        let group = &mut self.groups[usize::from(flow.group)];
        let round = group.rounds.remove(&flow.round).expect("the round was under way");
        if group.every.is_none() && group.rounds_left != Some(0) {
            expect(&mut self.due, now.after(group.pause), flow.group, Due::Round);
        }
        RoundEnd { group: flow.group, round: flow.round, begun: round.begun, ended: now, data: round.data }
    }

    fn begin_round(&mut self, index: u16, now: Time, begins: &mut Vec<Flow>) {
        let group = &mut self.groups[usize::from(index)];
        let number = group.next_round;
        group.next_round += 1;
        if let Some(left) = &mut group.rounds_left {
            *left -= 1;
        }
        let (mut at_once, mut later) = (Vec::new(), Vec::new());
        let out = &mut Begins { at_once: &mut at_once, later: &mut later };
        let round = group.doing.begin(&group.hosts, now, &mut group.random, out);
        assert!(round.left > 0, "a round has flows");
        group.rounds.insert(number, round);
        if let Some(every) = group.every
            && group.rounds_left != Some(0)
        {
            expect(&mut self.due, now.after(every), index, Due::Round);
        }
        self.begin_all(index, number, (at_once, later), now, begins);
    }

    fn begin_all(
        &mut self,
        group: u16,
        round: u32,
        (at_once, later): (Vec<Beginning>, Vec<(Span, u64)>),
        now: Time,
        begins: &mut Vec<Flow>,
    ) {
        for beginning in at_once {
            self.begin(group, round, beginning, now, begins);
        }
        for (wait, part) in later {
            if wait == Span::ZERO {
                let beginning = self.groups[usize::from(group)].doing.listed(part);
                self.begin(group, round, beginning, now, begins);
            } else {
                expect(&mut self.due, now.after(wait), group, Due::Listed { round, part });
            }
        }
    }

    fn begin(&mut self, group: u16, round: u32, beginning: Beginning, now: Time, begins: &mut Vec<Flow>) {
        let Beginning { source, destination, size, part } = beginning;
        let number = self.begun;
        self.begun += 1;
        self.groups[usize::from(group)].under_way += 1;
        begins.push(Flow { number, source, destination, size, begins: now, group, round, part });
    }

    fn arrive(&mut self, index: u16, rank: u32, now: Time, begins: &mut Vec<Flow>) {
        let Group { doing: Doing::Poisson { sizes, sources }, hosts, .. } =
            &mut self.groups[usize::from(index)]
        else {
            unreachable!("only flows at random times arrive one by one")
        };
        let PoissonSource { gap, random } = &mut sources[rank as usize];
        let other = random.below(hosts.len() as u64 - 1) as usize;
        let to = other + usize::from(other >= rank as usize);
        let (source, destination) = (hosts[rank as usize], hosts[to]);
        let size = sizes.sample(random);
        let next = now.after(gap.sample(random));
        expect(&mut self.due, next, index, Due::Arrival { rank });
        self.begin(index, 0, Beginning { source, destination, size, part: 0 }, now, begins);
    }
}

impl Group {
    fn new(
        spec: &FlowGroup,
        (network, rates): (&Network, &[Rate]),
        path: &str,
        (seed, index): (u64, u64),
    ) -> Result<Self, Problem> {
        let mut random = RandomStream::named(seed, "flow hosts", index);
        let least = spec.pattern.least_hosts();
        let senders = format!("{path}.pattern.incast.senders");
        let hosts = spec
            .hosts
            .choose(network, &format!("{path}.hosts"), least, &mut random)
            .map_err(|unchosen| told_of_incast(spec, network, unchosen, &senders))?;
        let below = format!("{path}.pattern.{}", spec.pattern.name());
        let doing = doing(&spec.pattern, (network, rates), &hosts, &below, (seed, index))?;
        Ok(Self {
            class: spec.class().to_owned(),
            hosts,
            doing,
            random: RandomStream::named(seed, "flow rounds", index),
            rounds_left: (spec.rounds > 0).then_some(spec.rounds),
            every: spec.every,
            pause: spec.pause,
            next_round: 0,
            rounds: BTreeMap::new(),
            under_way: 0,
            is_endless: spec.is_endless(),
        })
    }

    /// The flows of all its rounds, or a bound on them; nothing where it never ends.
    fn in_all(&self) -> Option<u64> {
        let left = self.rounds_left.filter(|_| !self.is_endless)?;
        let rounds = u64::from(self.next_round) + u64::from(left);
        Some(rounds.saturating_mul(self.doing.flows_of_round(self.hosts.len()) as u64))
    }
}

/// Something of a group is due then; what is due beyond simulated time is forgotten.
fn expect(queue: &mut BinaryHeap<Reverse<(Time, u16, Due)>>, at: Time, group: u16, due: Due) {
    if at != Time::NEVER {
        queue.push(Reverse((at, group, due)));
    }
}

/// Groups are distinguished by their classes, of which there are as many as fit a byte.
fn group_problems(groups: &[FlowGroup]) -> Option<Problem> {
    if groups.len() > MOST_CLASSES {
        let problem = format!("{} groups of flows are too many", groups.len());
        return Some(Problem::new("flows", problem, format!("at most {MOST_CLASSES}")));
    }
    let second = (1..groups.len()).find(|&i| groups[..i].iter().any(|g| g.class() == groups[i].class()))?;
    let problem = format!("two groups are named \"{}\"", groups[second].class());
    Some(Problem::new(format!("flows[{second}].name"), problem, "a unique name for each group"))
}

/// Too few hosts for an incast are too many senders.
fn told_of_incast(spec: &FlowGroup, network: &Network, unchosen: Unchosen, path: &str) -> Problem {
    let (FlowPattern::Incast(incast), Unchosen::TooFew(_)) = (&spec.pattern, &unchosen) else {
        return unchosen.into_problem();
    };
    if network.hosts().len() < 2 {
        return unchosen.into_problem();
    }
    let problem = format!("{} senders and a receiver are more than the hosts that take part", incast.senders);
    let expected =
        format!("fewer senders than hosts that take part; the network has {}", network.hosts().len());
    Problem::new(path, problem, expected)
}

fn doing(
    pattern: &FlowPattern,
    (network, rates): (&Network, &[Rate]),
    hosts: &[HostId],
    path: &str,
    (seed, index): (u64, u64),
) -> Result<Doing, Problem> {
    Ok(match pattern {
        FlowPattern::Permutation(permutation) => {
            let mut trial = RandomStream::named(seed, "flow permutation", index);
            permutation.to.receivers(hosts.len(), &mut trial).map_err(|problem| {
                Problem::new(format!("{path}.to"), problem, "another permutation, or other hosts")
            })?;
            Doing::Permutation { size: permutation.size, to: permutation.to }
        }
        FlowPattern::Incast(incast) => {
            let named = incast.receiver.as_deref();
            let receiver =
                named.map(|name| host_named(network, name, || format!("{path}.receiver"))).transpose()?;
            Doing::Incast { size: incast.size, senders: incast.senders as usize, receiver }
        }
        FlowPattern::AllToAll(exchange) => match exchange.problem(hosts.len(), path) {
            None => Doing::AllToAll(*exchange),
            Some(problem) => return Err(problem),
        },
        FlowPattern::AllReduce(collective) => match collective.problem(hosts.len(), path) {
            None => Doing::AllReduce(*collective),
            Some(problem) => return Err(problem),
        },
        FlowPattern::Poisson(poisson) => {
            let slowest = hosts.iter().map(|host| rates[host.index()].bit_s()).min().unwrap_or(1);
            if mean_gap_ps(poisson, slowest) > LONGEST_WAIT.ps() as f64 {
                let problem = "each host starts less than one flow per day".to_owned();
                return Err(Problem::new(format!("{path}.load"), problem, "a higher load, or shorter flows"));
            }
            random_arrivals(poisson, rates, hosts, (seed, index))
        }
        FlowPattern::List(list) => listed(list, network, path)?,
    })
}

/// The mean time between the flows of a host with a link of this rate.
fn mean_gap_ps(poisson: &PoissonFlows, bit_s: u64) -> f64 {
    8e12 * poisson.sizes.distribution().mean_bytes() / (poisson.load * bit_s as f64)
}

fn random_arrivals(
    poisson: &PoissonFlows,
    rates: &[Rate],
    hosts: &[HostId],
    (seed, index): (u64, u64),
) -> Doing {
    let sizes = poisson.sizes.distribution();
    let source = |host: &HostId| {
        let mean = mean_gap_ps(poisson, rates[host.index()].bit_s()).round().max(1.0);
        let gap = Exponential::new(Span::from_ps(mean as u64));
        let stream = index << 32 | host.index() as u64;
        PoissonSource { gap, random: RandomStream::named(seed, "flow arrivals", stream) }
    };
    let sources = hosts.iter().map(source).collect();
    Doing::Poisson { sizes, sources }
}

fn listed(list: &FlowList, network: &Network, path: &str) -> Result<Doing, Problem> {
    let planned = |(i, flow): (usize, &super::ListedFlow)| {
        let host =
            |name: &str, field: &str| host_named(network, name, || format!("{path}.flows[{i}].{field}"));
        let (source, destination) = (host(&flow.from, "from")?, host(&flow.to, "to")?);
        Ok(Planned { source, destination, size: flow.size, start: flow.start })
    };
    let flows = list.flows.iter().enumerate().map(planned).collect::<Result<Vec<_>, Problem>>()?;
    Ok(Doing::List { flows, waits: list.waits(path)? })
}

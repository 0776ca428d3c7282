//! The small examples of SRC 88, section 3.5, whose ideal throughputs the paper derives.

use hopscope_an1::{An1Params, BackPressure, Discipline};
use hopscope_fabric::Choice;
use hopscope_measure::{Report, ResourceKind};
use hopscope_topology::{Network, NetworkBuilder, Role};
use hopscope_traffic::{Flow, Load, TrafficSpec};

use crate::networks::flow;
use crate::runs::{flows, run_seed};

/// Switches joined as told, with a1, a2 and A's switch 2 as in both figures, and b and B on these.
fn example(links: [(usize, usize); 4], b: usize, far: usize) -> Network {
    let mut builder = NetworkBuilder::new();
    let switches: Vec<_> = (0..5).map(|i| builder.add_switch(format!("{i}"))).collect();
    // Switch numbers are those of the figures; where one does not occur there, it hangs idle at the far end.
    for (a, b) in links {
        builder.add_link(switches[a], switches[b], None, None);
    }
    for idle in (0..5).filter(|&i| links.iter().all(|&(a, b)| a != i && b != i)) {
        builder.add_link(switches[far], switches[idle], None, None);
    }
    for (name, switch) in [("a1", 1), ("a2", 1), ("b", b), ("A", 2), ("B", far)] {
        builder.add_host(name, switches[switch], Role::Any);
    }
    builder.build().expect("a connected network")
}

/// Fig. 11: b reaches B on switch 4 through 2 or 3, and the link from 1 to 2 is all that a1 and a2 have. The decision
/// is made where the congestion is.
fn fig11() -> Network {
    example([(1, 2), (1, 3), (2, 4), (3, 4)], 1, 4)
}

/// Fig. 12: b's switch 0 reaches 2 through 1, where a1 and a2 crowd the link to 2, or through 3.
fn fig12() -> Network {
    example([(0, 1), (0, 3), (1, 2), (3, 2)], 0, 2)
}

/// What a1, a2 and b send on average, of a link each, offered 0.5, 0.5 and 1.
fn shares(network: Network, change: impl FnOnce(&mut An1Params)) -> [f64; 3] {
    shares_of_seed(network, 1, change)
}

fn shares_of_seed(network: Network, seed: u64, change: impl FnOnce(&mut An1Params)) -> [f64; 3] {
    let mut params = An1Params::default();
    change(&mut params);
    let loaded = |from: &str, to: &str, load: Load| Flow {
        load: Some(load),
        class: Some(from.into()),
        ..flow(from, to)
    };
    let traffic: TrafficSpec = flows(
        vec![
            loaded("a1", "A", Load::Fraction(0.5)),
            loaded("a2", "A", Load::Fraction(0.5)),
            loaded("b", "B", Load::Saturated),
        ],
        1.0,
    );
    let report = run_seed(network, &params, &traffic, seed, 1_000_000);
    ["a1", "a2", "b"].map(|class| sent(&report, class))
}

fn sent(report: &Report, host: &str) -> f64 {
    let row = report.resources.iter().find(|row| row.kind == ResourceKind::Output && row.place == host);
    row.expect("every host sends").utilisation
}

fn assert_close(measured: [f64; 3], published: [f64; 3], tolerance: f64) {
    for (measured, published) in measured.into_iter().zip(published) {
        assert!((measured / published - 1.0).abs() < tolerance, "{measured:.3}, not {published:.3}");
    }
}

#[test]
fn congestion_where_the_decision_is_made_is_avoided() {
    // Fig. 11: every host sends all of it, less 2 us of a packet's 82.
    assert_close(shares(fig11(), |_| {}), [0.5, 0.5, 1.0], 0.03);
}

#[test]
fn congestion_beyond_the_decision_is_not() {
    // Fig. 12: b gets 1/3 on each of its two links, and leaves a1 and a2 1/3 of theirs. A FIFO that runs dry takes a
    // tenth of that.
    assert_close(shares(fig12(), |_| {}), [1.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0], 0.12);
}

#[test]
fn packet_boundaries_set_b_free_but_not_the_others() {
    // 1/3, 1/3 and 1 leave out that b's packets by both ways wait for B's link, and block those behind them on the link
    // from 1 to 2: with input FIFOs a1 and a2 lose to that.
    let boundary = |params: &mut An1Params| params.switch.back_pressure = BackPressure::PacketBoundary;
    let [a1, a2, b] = shares(fig12(), boundary);
    assert!((b - 1.0).abs() < 0.03 && a1 < 0.3 && a2 < 0.3, "{a1}, {a2}, {b}");
    let without_blocking = shares(fig12(), |params| {
        boundary(params);
        params.switch.discipline = Discipline::RandomAccess;
    });
    assert_close(without_blocking, [1.0 / 3.0, 1.0 / 3.0, 1.0], 0.06);
}

#[test]
fn least_recently_stopped_links_lead_around_congestion() {
    let choice = |params: &mut An1Params| params.fabric.routing.choice = Choice::LeastRecentlyStopped;
    assert_close(shares(fig12(), choice), [0.5, 0.5, 1.0], 0.03);
}

#[test]
fn the_lowest_numbered_link_leads_into_congestion() {
    // Switch 0's link to 1 has the lower number: b never leaves it while the back-pressure ends in mid packet.
    let choice = |params: &mut An1Params| params.fabric.routing.choice = Choice::LowestNumbered;
    assert_close(shares(fig12(), choice), [1.0 / 3.0; 3], 0.03);
}

#[test]
fn a_static_path_is_drawn_once_for_each_seed() {
    for of in [Choice::SinglePath, Choice::PairPath, Choice::InputPath] {
        let b = |seed: u64| {
            let choice = |params: &mut An1Params| params.fabric.routing.choice = of;
            shares_of_seed(fig12(), seed, choice)[2]
        };
        // b goes either always through 3, freely, or always through 1.
        let by_seed: Vec<f64> = (0..8).map(b).collect();
        let free = by_seed.iter().filter(|&&share| share > 0.97).count();
        let crowded = by_seed.iter().filter(|&&share| (share - 1.0 / 3.0).abs() < 0.01).count();
        assert!(free > 0 && crowded > 0 && free + crowded == by_seed.len(), "{of:?}: {by_seed:?}");
    }
}

/// How many of two parallel links carry anything when two senders of one switch send to one receiver, in 12 runs.
fn links_used(choice: Choice) -> Vec<usize> {
    let mut builder = NetworkBuilder::new();
    let (x, y) = (builder.add_switch("x"), builder.add_switch("y"));
    builder.add_link(x, y, None, None);
    builder.add_link(x, y, None, None);
    for (name, switch) in [("a", x), ("b", x), ("c", y)] {
        builder.add_host(name, switch, Role::Any);
    }
    let network = builder.build().expect("two switches are a network");
    let mut params = An1Params::default();
    params.fabric.routing.choice = choice;
    let used = |seed| {
        let traffic = flows(vec![flow("a", "c"), flow("b", "c")], 0.3);
        let report = run_seed(network.clone(), &params, &traffic, seed, 10_000);
        let links = report.resources.iter().filter(|row| row.kind == ResourceKind::Output);
        links
            .filter(|row| {
                row.title().starts_with("x:") && row.title().contains("-> y:") && row.utilisation > 0.0
            })
            .count()
    };
    (1..=12).map(used).collect()
}

#[test]
fn static_paths_of_pairs_and_inputs_spread_what_goes_to_one_host() {
    // One tree a receiver leaves a link idle; paths of their own share the links in about half of the draws.
    assert!(links_used(Choice::SinglePath).iter().all(|&links| links == 1));
    for choice in [Choice::PairPath, Choice::InputPath] {
        let used = links_used(choice);
        assert!(used.contains(&1) && used.contains(&2), "{choice:?}: {used:?}");
    }
}

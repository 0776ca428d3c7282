//! Each symptom on the smallest report that shows it, and its absence where one figure is otherwise.

use hopscope_explain::{Cause, Pattern, WaitOfHolder, explain};
use hopscope_measure::{
    Alternatives, Charged, Choice, CongestionTree, Dependence, Evidence, HeldIn, HoldActivity, HoldWhy,
    LaneUse, LedgerRow, Loss, LossWhy, Outcome, Place, Report, ResourceKind, ResourceRow, ServiceTime, Site,
    StageId, Stuck, UsualService, WindowUse,
};

use crate::reports::{line, link, of_resources, port, resource, stage, symptoms};

fn held(row: ResourceRow, activities: &[(HoldWhy, f64)]) -> ResourceRow {
    let held_in = activities.iter().map(|&(why, occupancy)| HeldIn::of(why, occupancy)).collect();
    ResourceRow { held_in, ..row }
}

fn report(resources: Vec<ResourceRow>, dependences: &[(usize, Option<HoldWhy>, usize)]) -> Report {
    let dependence = |&(holder, why, needs): &(usize, Option<HoldWhy>, usize)| Dependence {
        holder,
        activity: why.map(HoldActivity::of),
        needs,
    };
    let dependences = dependences.iter().map(dependence).collect();
    Report { dependences, ..of_resources(resources) }
}

/// Messages that wait for half of their lifetime.
fn half_waiting(report: Report, waiting: LedgerRow) -> Report {
    Report { ledger: vec![waiting, stage(StageId::Body, Charged::LAST_LINK, 0.5)], ..report }
}

#[test]
fn a_line_in_use_nearly_always_is_saturated_and_one_with_time_to_spare_is_not() {
    assert_eq!(symptoms(&report(vec![line(0.95, 3.0)], &[])), [Pattern::SaturatedLine]);
    assert_eq!(symptoms(&report(vec![line(0.8, 3.0)], &[])), [] as [Pattern; 0]);
    // In a fabric it is a link. What the verdict says about the resource is not said again.
    let full = link(ResourceKind::Output, 0, [("s:1", port(0, 1)), ("b", Site::Host(1))], 0.95, 3.0);
    let found = explain(&report(vec![full], &[])).symptoms;
    let told: Vec<_> = found.iter().map(|each| (each.name, each.resource.as_deref())).collect();
    assert_eq!(told, [(Pattern::SaturatedLink, Some("the link s:1 -> b"))]);
}

#[test]
fn messages_that_wait_for_an_idle_line_come_at_once() {
    let bursts = |waiting| report(vec![line(0.2, waiting)], &[]);
    assert_eq!(symptoms(&bursts(0.4)), [Pattern::SynchronisedBursts]);
    // Random arrivals make 0.05 wait.
    assert_eq!(symptoms(&bursts(0.1)), [] as [Pattern; 0]);
    // Many times as many as at random, and yet very few.
    assert_eq!(symptoms(&report(vec![line(0.01, 0.08)], &[])), [] as [Pattern; 0]);
    // If no message waits for long they are harmless.
    let harmless = explain(&bursts(0.4)).verdict.first;
    assert_eq!(harmless.cause, Cause::Healthy);
    assert!(!harmless.sentence.contains("Also seen"), "{}", harmless.sentence);
}

#[test]
fn two_scarce_pools_held_crosswise_are_phasing_unless_hardly_anybody_waits() {
    let pools = |waiting| {
        let entries = resource(ResourceKind::PendingLeaderTable, "A", Site::Node(0), 0.9, 0.5);
        let entries = held(entries, &[(HoldWhy::RfnmWaiting, 0.4), (HoldWhy::Transit, 0.5)]);
        let buffers = resource(ResourceKind::ReassemblyBuffers, "B", Site::Node(1), 0.9, waiting);
        let buffers = held(buffers, &[(HoldWhy::UnusedAllocation, 0.3), (HoldWhy::Transit, 0.6)]);
        report(
            vec![entries, buffers],
            &[(0, Some(HoldWhy::RfnmWaiting), 1), (1, Some(HoldWhy::UnusedAllocation), 0)],
        )
    };
    assert_eq!(symptoms(&pools(0.3)), [Pattern::Phasing]);
    let found = explain(&pools(0.3)).verdict.first;
    assert_eq!(found.cause, Cause::CircularWait);
    assert!(
        found.sentence.contains("44 % of the former is held by messages that need the latter"),
        "{}",
        found.sentence
    );
    assert_eq!(symptoms(&pools(0.1)), [] as [Pattern; 0]);
}

#[test]
fn a_full_window_with_nothing_short_behind_it_limits_by_itself() {
    let window = |used| {
        let mut report = report(
            vec![resource(ResourceKind::Window, "a to b", Site::Pair { from: 0, to: 1 }, used, 0.0)],
            &[],
        );
        report.ledger = vec![stage(StageId::LineTransit, Charged::MODEMS, 1.0)];
        report
    };
    assert_eq!(symptoms(&window(1.0)), [Pattern::WindowLimit]);
    let verdict = explain(&window(1.0)).verdict.first;
    assert_eq!(verdict.cause, Cause::Window);
    assert!(
        verdict.sentence.contains("It allows one at a time, which is outstanding 100 % of the time"),
        "{}",
        verdict.sentence
    );
    assert_eq!(symptoms(&window(0.5)), [] as [Pattern; 0]);
}

#[test]
fn a_unit_that_is_busy_is_no_host() {
    let busy = |kind| report(vec![resource(kind, "printer", Site::Node(1), 1.0, 4.0)], &[]);
    assert_eq!(symptoms(&busy(ResourceKind::Unit)), [Pattern::SlowUnit]);
    assert_eq!(symptoms(&busy(ResourceKind::HostProcessor)), [Pattern::SlowHost]);
}

#[test]
fn a_window_whose_round_trips_are_spent_at_a_host_is_held_back_by_it() {
    let host = resource(ResourceKind::HostProcessor, "b", Site::Node(1), 0.5, 0.1);
    let mut report = report(
        vec![resource(ResourceKind::Window, "a to b", Site::Pair { from: 0, to: 1 }, 1.0, 0.0), host],
        &[],
    );
    report.ledger = vec![
        stage(StageId::HostProcessing, Charged::To(ResourceKind::HostProcessor), 0.4),
        stage(StageId::AcknowledgmentWait, Charged::ACKNOWLEDGMENT, 0.5),
        stage(StageId::LineTransit, Charged::MODEMS, 0.1),
    ];
    assert_eq!(symptoms(&report), [Pattern::SlowHost, Pattern::WindowLimit]);
    assert_eq!(explain(&report).verdict.first.resource.as_deref(), Some("the host processor of b"));
    // It has more to spare than it uses: a larger window would use it.
    report.resources[1].utilisation = 0.3;
    assert_eq!(explain(&report).verdict.first.cause, Cause::Window);
}

/// Two links, each of which leads to a FIFO of switch `r`, stopped for this share of the time; their packets need the
/// link to `h`.
fn tree(stopped: f64) -> Report {
    let [a, b] = [("a", Site::Host(0)), ("b", Site::Host(1))];
    let [into, besides, out] = [("r:0", port(9, 0)), ("r:1", port(9, 1)), ("r:2", port(9, 2))];
    let used = |number, ends| {
        let row = link(ResourceKind::Output, number, ends, 0.9 - stopped, 0.5);
        held(row, &[(HoldWhy::Stopped, stopped)])
    };
    let fifo = |number, ends| link(ResourceKind::InputFifo, number, ends, 0.9, 1.0);
    let root = link(ResourceKind::Output, 2, [out, ("h", Site::Host(2))], 1.0, 2.0);
    let rows =
        vec![used(0, [a, into]), fifo(0, [a, into]), used(1, [b, besides]), fifo(1, [b, besides]), root];
    let needs = [(0, Some(HoldWhy::Stopped), 1), (1, None, 4), (2, Some(HoldWhy::Stopped), 3), (3, None, 4)];
    half_waiting(report(rows, &needs), stage(StageId::OutputWait, Charged::LAST_LINK, 0.5))
}

#[test]
fn links_stopped_by_one_further_down_make_a_tree_with_a_root() {
    assert!(symptoms(&tree(0.5)).contains(&Pattern::CongestionTree));
    assert!(!symptoms(&tree(0.05)).contains(&Pattern::CongestionTree));
    let found = explain(&tree(0.5));
    assert_eq!(found.verdict.first.resource.as_deref(), Some("the link r:2 -> h"));
    assert!(found.chain.iter().any(|link| link.kind == ResourceKind::InputFifo), "{:?}", found.chain);
    assert!(found.chain.iter().all(|link| link.waiting_unit == "packets"), "{:?}", found.chain);
    let congested = found.congestion.tree.expect("a tree");
    assert_eq!((congested.root.as_str(), congested.stopped_links), ("the link r:2 -> h", 2));
    assert_eq!((congested.sampled, congested.victim_flows), (None, None));
}

#[test]
fn a_tree_that_was_sampled_is_told_with_its_victims() {
    let sampled = |share, stopped| {
        let example = Some(("a".to_owned(), "c".to_owned()));
        let seen = CongestionTree { root: "r:2 -> h".into(), link: 2, share, stopped, victims: 3, example };
        explain(&Report { trees: vec![seen], ..tree(0.5) })
    };
    let found = sampled(0.84, 2);
    let congested = found.congestion.tree.expect("a tree");
    assert_eq!((congested.sampled, congested.victim_flows), (Some(0.84), Some(3)));
    let listed: Vec<_> =
        found.congestion.trees.iter().map(|tree| (tree.root.as_str(), tree.stopped_links)).collect();
    assert_eq!((found.congestion.roots_sampled, listed), (1, vec![("r:2 -> h", 2)]));
    assert!(found.congestion.trees[0].note.starts_with("congestion tree: root r:2 -> h in 84 % of samples"));
    let symptom = found.symptoms.iter().find(|symptom| symptom.name == Pattern::CongestionTree);
    assert_eq!(
        symptom.expect("it is recognised").evidence,
        "its root is the link r:2 -> h in 84 % of samples; up to 2 links are stopped; a -> r:0 is stopped longest, 50 % of \
         the time; up to 3 victim flows, such as a -> c"
    );
    // A root now and then, or of one link, is none.
    assert_eq!(sampled(0.1, 2).congestion.tree, None);
    assert_eq!(sampled(0.84, 1).congestion.tree, None);
}

#[test]
fn back_pressure_is_followed_to_the_switch_where_it_begins() {
    let switch = |number: u32| (["a:0", "b:0", "c:0"][number as usize], port(number, 0));
    let stopped = |number, ends, share| {
        held(
            link(ResourceKind::Output, number, ends, 0.5, 0.1),
            &[(HoldWhy::Sending, 0.3), (HoldWhy::Paused, share)],
        )
    };
    let rows = vec![
        stopped(0, [("h", Site::Host(0)), switch(0)], 0.6),
        stopped(1, [switch(0), switch(1)], 0.4),
        stopped(2, [switch(1), switch(2)], 0.02),
        stopped(3, [switch(2), ("g", Site::Host(1))], 0.0),
    ];
    let found = explain(&report(rows, &[])).congestion.back_pressure.expect("links were used");
    assert_eq!((found.switch.as_str(), found.to.as_str(), found.to_host), ("b", "c", false));
    assert_eq!((found.stops, found.is_stopped), (0.4, 0.02));
}

#[test]
fn holders_are_told_with_their_times_and_what_they_wait_for() {
    let mut entries = held(
        resource(ResourceKind::PendingLeaderTable, "S", Site::Node(0), 1.0, 0.5),
        &[(HoldWhy::RfnmWaiting, 3.0), (HoldWhy::Reqall, 1.0), (HoldWhy::Transit, 0.01)],
    );
    entries.held_in[0].entered = 5;
    let mut report = report(vec![entries], &[]);
    report.ledger = vec![
        stage(StageId::LeaderTableWait, Charged::To(ResourceKind::PendingLeaderTable), 0.4),
        stage(StageId::RfnmAllocationWait, Charged::To(ResourceKind::ReassemblyBuffers), 0.3),
        stage(StageId::RfnmOrderWait, Charged::RFNM_ORDER, 0.2),
        stage(StageId::RfnmQueueing, Charged::To(ResourceKind::Line), 0.1),
    ];
    let found = explain(&report).holders;
    assert_eq!(found.len(), 1);
    let told: Vec<_> = found[0]
        .holders
        .iter()
        .map(|holder| (holder.activity.why, holder.occupancy, holder.each_us))
        .collect();
    // By Little: 3 held on average for 1 s, 5 came. The holder of a hundredth of an entry is not named.
    assert_eq!(told, [(HoldWhy::RfnmWaiting, 3.0, Some(0.6e6)), (HoldWhy::Reqall, 1.0, None)]);
    let waits: Vec<&str> = found[0].holders[0]
        .waits_for
        .iter()
        .map(|wait| match wait {
            WaitOfHolder::Stage { meaning, .. } => *meaning,
            WaitOfHolder::Resource { resource, .. } => resource,
        })
        .collect();
    assert_eq!(
        waits,
        [
            "while its RFNM waits at the destination for an allocation",
            "waiting for in-order delivery of earlier RFNMs"
        ]
    );
}

#[test]
fn packets_behind_heads_that_wait_for_outputs_with_time_to_spare_are_blocked() {
    let switch = |used| {
        let fifo = held(
            link(ResourceKind::InputFifo, 0, [("a", Site::Host(0)), ("s:0", port(0, 0))], 0.5, 2.0),
            &[(HoldWhy::Packets, 4.0)],
        );
        report(
            vec![link(ResourceKind::Output, 1, [("s:1", port(0, 1)), ("b", Site::Host(1))], used, 1.5), fifo],
            &[],
        )
    };
    assert!(symptoms(&switch(0.55)).contains(&Pattern::HeadOfLineBlocking));
    assert!(!symptoms(&switch(0.97)).contains(&Pattern::HeadOfLineBlocking));
}

#[test]
fn heads_are_compared_with_heads_however_much_is_behind_them() {
    let deep = |heads_waiting| {
        let fifo = held(
            link(ResourceKind::InputFifo, 0, [("a", Site::Host(0)), ("s:0", port(0, 0))], 0.9, 100.0),
            &[(HoldWhy::Packets, 101.0)],
        );
        let host = link(ResourceKind::Output, 0, [("a", Site::Host(0)), ("s:0", port(0, 0))], 0.5, 50.0);
        report(
            vec![
                host,
                link(
                    ResourceKind::Output,
                    1,
                    [("s:1", port(0, 1)), ("b", Site::Host(1))],
                    0.6,
                    heads_waiting,
                ),
                fifo,
            ],
            &[],
        )
    };
    assert!(symptoms(&deep(0.4)).contains(&Pattern::HeadOfLineBlocking));
    assert!(!symptoms(&deep(0.1)).contains(&Pattern::HeadOfLineBlocking));
}

/// The link in front is used for half of the time: that is short of nothing, however long messages wait behind those
/// who need it.
#[test]
fn what_waits_behind_others_for_much_of_its_life_is_blocked_and_told_where_and_by_what() {
    let switch = |behind, outcome| {
        let fifo = held(
            link(ResourceKind::InputFifo, 0, [("a", Site::Host(0)), ("s:0", port(0, 0))], 0.5, 3.0),
            &[(HoldWhy::Packets, 4.0)],
        );
        let [b, c] = [(1, "b", 0.5, 0.8), (2, "c", 0.3, 0.0)].map(|(at, host, used, waiting)| {
            let ends = [(["s:1", "s:2"][at - 1], port(0, at as u16)), (host, Site::Host(at as u32))];
            link(ResourceKind::Output, at as u32, ends, used, waiting)
        });
        let needs = [(1, Some(HoldWhy::Packets), 0), (1, Some(HoldWhy::Packets), 2)];
        let mut report = report(vec![b, fifo, c], &needs);
        report.ledger = vec![
            stage(StageId::FifoWait, Charged::HEAD_OF_FIFO, behind),
            stage(StageId::Body, Charged::LAST_LINK, 0.5),
        ];
        Report { outcome, ..report }
    };
    let found = |behind, outcome| explain(&switch(behind, outcome)).verdict.first;
    let blocked = found(0.4, Outcome::Complete);
    assert_eq!((blocked.cause, blocked.resource.as_deref()), (Cause::Blocking, Some("the FIFO at s:0")));
    assert_eq!(
        blocked.sentence,
        "Head-of-line blocking: messages spend 40 % of their lifetime waiting behind other packets in input buffers or for room in these \
         buffers, although the outputs that the packets in front need are only 50 % utilised on average. 100 % of the packets behind \
         others wait in the FIFO at s:0, where the packets in front mostly need the link s:1 -> b (50 % utilised)."
    );
    let mut queued = switch(0.3, Outcome::Complete);
    queued.ledger.push(stage(StageId::SendQueue, Charged::To(ResourceKind::Output), 0.6));
    let queued = explain(&queued).verdict.first.sentence;
    assert!(
        queued.ends_with("Messages wait behind others in their own hosts for 60 % of their lifetime."),
        "{queued}"
    );
    assert_eq!(found(0.1, Outcome::Complete).cause, Cause::Healthy);
    // Without end, lives are as long as the run: their shares tell nothing.
    assert_eq!(found(0.1, Outcome::Saturated).cause, Cause::Blocking);
}

#[test]
fn where_the_heads_wait_for_a_window_the_window_is_short() {
    let way = |used| {
        let fifo = held(
            link(ResourceKind::InputFifo, 0, [("a", Site::Host(0)), ("s:0", port(0, 0))], 0.9, 3.0),
            &[(HoldWhy::Frames, 4.0)],
        );
        let next = link(ResourceKind::Output, 1, [("s:1", port(0, 1)), ("t:0", port(1, 0))], 0.4, 0.9);
        let next = held(next, &[(HoldWhy::Sending, 0.4), (HoldWhy::WithoutCredit, 0.5)]);
        let credits = held(
            resource(
                ResourceKind::Credits,
                "s:1 -> t:0",
                Site::Line { number: 0, from: 0, to: 1 },
                used,
                0.0,
            ),
            &[(HoldWhy::OnTheWay, 1.0)],
        );
        let mut report = report(
            vec![next, fifo, credits],
            &[(1, Some(HoldWhy::Frames), 0), (0, Some(HoldWhy::WithoutCredit), 2)],
        );
        report.resources[1].unit = "B".into();
        report.ledger = vec![stage(StageId::LaneWait, Charged::HEAD_OF_LANE, 0.6)];
        let found = explain(&report);
        let buffer =
            found.holders.iter().find(|holding| holding.kind == ResourceKind::InputFifo).expect("held");
        // The buffer is of bytes, and what it holds is counted one by one.
        assert_eq!((buffer.unit.as_str(), buffer.holders[0].unit.as_str()), ("B", "frames"));
        found.verdict.first.cause
    };
    assert_eq!(way(1.0), Cause::Window);
    assert_eq!(way(0.4), Cause::Blocking);
}

/// A ring of five switches with root `s0`: the use of its links, of those next to it, and of the one opposite.
fn ring(at_root: f64, elsewhere: f64, opposite: f64) -> Report {
    let uses = [at_root, elsewhere, opposite, elsewhere, at_root];
    let rows = (0..5u32).map(|at| {
        let next = (at + 1) % 5;
        let ends = [format!("s{at}:0"), format!("s{next}:1")];
        let ends = [(ends[0].as_str(), port(at, 0)), (ends[1].as_str(), port(next, 1))];
        let used = uses[at as usize];
        link(ResourceKind::Output, at, ends, used, used * used)
    });
    let mut report = report(rows.collect(), &[]);
    report.evidence.root = Some(Place::node("the root s0", "s0"));
    report.ledger = vec![stage(StageId::OutputWait, Charged::To(ResourceKind::Output), 0.5)];
    report
}

#[test]
fn the_root_of_a_ring_is_where_traffic_concentrates_unless_all_links_are_used_alike() {
    assert!(symptoms(&ring(0.8, 0.3, 0.02)).contains(&Pattern::RootConcentration));
    let found = explain(&ring(0.8, 0.3, 0.02)).verdict.first;
    assert_eq!((found.cause, found.nodes), (Cause::RouteConcentration, vec!["s0".to_owned()]));
    assert!(!symptoms(&ring(0.8, 0.75, 0.75)).contains(&Pattern::RootConcentration));
    // Without up*/down* routes there is no root at which anything could concentrate.
    let free = Report { evidence: Evidence::default(), ..ring(0.8, 0.3, 0.02) };
    assert!(!symptoms(&free).contains(&Pattern::RootConcentration));
}

#[test]
fn a_link_is_a_collision_where_its_alternatives_have_time_to_spare() {
    let uplinks = |other: f64, choice| {
        let up = |number: u32, used: f64| {
            let ends = [("l:0", port(0, number as u16)), ("x:0", port(1 + number, 0))];
            link(ResourceKind::Output, number, ends, used, 4.0 * used)
        };
        let mut report = report(vec![up(0, 0.95), up(1, other)], &[]);
        report.ledger = vec![stage(StageId::Queueing, Charged::To(ResourceKind::Output), 0.8)];
        report.evidence.alternatives = vec![Alternatives { rows: vec![0, 1], choice }];
        explain(&report).verdict.first.cause
    };
    assert_eq!(uplinks(0.3, Choice::Hashed), Cause::PathCollision);
    assert_eq!(uplinks(0.3, Choice::Single), Cause::RouteConcentration);
    assert_ne!(uplinks(0.92, Choice::Hashed), Cause::PathCollision);
}

#[test]
fn a_service_is_slow_beside_its_usual_length_and_a_station_beside_the_others() {
    let decision = |us| {
        let mut report = report(vec![line(0.05, 0.0)], &[]);
        report.ledger = vec![
            stage(StageId::Decision, Charged::ROUTER, 0.8),
            stage(StageId::Body, Charged::LAST_LINK, 0.2),
        ];
        report.evidence.usual = vec![UsualService { stage: StageId::Decision, us, usual_us: 0.48 }];
        explain(&report).verdict.first.cause
    };
    assert_eq!(decision(48.0), Cause::SlowService);
    assert_eq!(decision(0.96), Cause::Healthy);
}

#[test]
fn services_that_vary_make_others_wait_where_their_station_has_time_to_spare() {
    let station = |variation, used| {
        let kind = ResourceKind::Station(0);
        let mut report = report(vec![resource(kind, "station 1", Site::Node(0), used, 4.0)], &[]);
        report.ledger = vec![
            stage(StageId::StationWait(0), Charged::To(kind), 0.8),
            stage(StageId::StationService(0), Charged::To(kind), 0.2),
        ];
        report.evidence.services.insert(0, ServiceTime { mean_us: 10.0, variation });
        explain(&report).verdict.first.cause
    };
    assert_eq!(station(20.0, 0.4), Cause::Variability);
    assert_eq!(station(1.0, 0.9), Cause::Resource);
    assert_eq!(station(20.0, 0.9), Cause::Resource);
}

#[test]
fn links_that_are_full_alike_are_overloaded_and_one_among_others_is_a_bottleneck() {
    let links = |uses: [f64; 3]| {
        let rows = (0..).zip(uses).map(|(number, used)| {
            let ends = [("a:0", port(number, 0)), ("b:0", port(9, number as u16))];
            link(ResourceKind::Output, number, ends, used, used)
        });
        let mut report = report(rows.collect(), &[]);
        report.ledger = vec![stage(StageId::Queueing, Charged::To(ResourceKind::Output), 0.9)];
        report.outcome = Outcome::Saturated;
        explain(&report).verdict.first.cause
    };
    assert_eq!(links([0.99, 0.98, 0.99]), Cause::Overload);
    assert_eq!(links([0.99, 0.5, 0.45]), Cause::Resource);
}

#[test]
fn classes_that_share_a_lane_hold_up_one_another() {
    let shared = |lanes, victims| {
        let mut report = tree(0.5);
        report.resources[4].utilisation = 0.88;
        report.ledger = vec![stage(StageId::CreditWait, Charged::DOWNSTREAM_BUFFER, 0.7)];
        report.evidence.lanes = Some(LaneUse { lanes, classes: 2 });
        let root = CongestionTree {
            root: "r:2 -> h".into(),
            link: 2,
            share: 0.8,
            stopped: 2,
            victims,
            example: None,
        };
        report.trees = vec![root];
        explain(&report).verdict.first.cause
    };
    assert_eq!(shared(1, 3), Cause::Lanes);
    assert_ne!(shared(2, 3), Cause::Lanes);
    assert_ne!(shared(1, 0), Cause::Lanes);
}

#[test]
fn a_transfer_that_stands_still_for_acknowledgments_has_too_small_a_window() {
    let bursts = |transfer_s| {
        let mut report = report(vec![line(0.1, 0.0)], &[]);
        report.ledger = vec![stage(StageId::Body, Charged::LAST_LINK, 1.0)];
        let place =
            Place { words: "the window of bursts from a to b".into(), nodes: vec!["a".into(), "b".into()] };
        report.evidence.windows = vec![WindowUse { place, window: 1, transfer_s, sending_s: 1.0 }];
        explain(&report).verdict.first.cause
    };
    assert_eq!(bursts(10.0), Cause::Window);
    assert_eq!(bursts(1.1), Cause::Healthy);
}

#[test]
fn a_loss_is_told_with_its_place_and_its_count() {
    let mut report = report(Vec::new(), &[]);
    report.ledger = vec![stage(StageId::RetransmissionWait, Charged::ACKNOWLEDGMENT, 0.4)];
    let at = |node: &str, count| Loss {
        why: LossWhy::FullQueue,
        place: Place::node(format!("the output queue of {node}"), node),
        count,
        of: 0,
        each_s: 0.0,
    };
    report.evidence.losses = vec![at("g1", 30), at("g2", 300)];
    let found = explain(&report).verdict.first;
    assert_eq!((found.cause, found.nodes), (Cause::Loss, vec!["g2".to_owned()]));
    assert!(
        found
            .sentence
            .contains("330 packets were dropped by a full queue; most at the output queue of g2 (300)")
    );
}

#[test]
fn what_comes_out_of_order_and_waits_to_be_sent_again_is_in_the_trap() {
    let mut report = report(Vec::new(), &[]);
    report.ledger = vec![stage(StageId::OutOfOrderWait, Charged::ALLOCATION, 0.4)];
    assert_eq!(symptoms(&report), [Pattern::RetransmissionTrap]);
    report.ledger[0].share = 0.1;
    assert_eq!(symptoms(&report), [] as [Pattern; 0]);
}

#[test]
fn what_is_lost_is_the_cause_where_it_is_waited_for_longest() {
    let mut report = report(Vec::new(), &[]);
    report.ledger = vec![
        stage(StageId::RetransmissionWait, Charged::ACKNOWLEDGMENT, 0.4),
        stage(StageId::LineWait, Charged::To(ResourceKind::Line), 0.3),
    ];
    assert_eq!(explain(&report).verdict.first.cause, Cause::Loss);
    report.ledger[1].share = 0.5;
    assert_eq!(explain(&report).verdict.first.cause, Cause::Healthy);
}

#[test]
fn a_circle_of_waits_is_a_deadlock_and_the_verdict() {
    let mut report = report(Vec::new(), &[]);
    report.stuck = Some(Stuck { reason: "four packets wait for each other".into(), cycle: Vec::new() });
    assert_eq!(symptoms(&report), [Pattern::Deadlock]);
    assert_eq!(explain(&report).verdict.first.sentence, "Deadlock: four packets wait for each other.");
}

#[test]
fn a_chain_stops_at_what_is_held_where_its_holders_need_nothing_scarce() {
    let busy = |used| {
        let entries = resource(ResourceKind::PendingLeaderTable, "A", Site::Node(0), 1.0, 2.0);
        let entries = held(entries, &[(HoldWhy::Transit, 1.0)]);
        let report = report(vec![entries, line(used, 0.5)], &[(0, Some(HoldWhy::Transit), 1)]);
        let waiting = Charged::To(ResourceKind::PendingLeaderTable);
        half_waiting(report, stage(StageId::LeaderTableWait, waiting, 0.5))
    };
    let short = |used| explain(&busy(used)).verdict.first.resource;
    assert_eq!(short(0.95).as_deref(), Some("the line A -> B"));
    assert_eq!(short(0.7).as_deref(), Some("the pending leader table at A"));
}

#[test]
fn nothing_is_short_where_nobody_waits() {
    let mut report = report(vec![line(0.3, 0.05)], &[]);
    report.measured.messages = 1;
    let found = explain(&report);
    assert_eq!(found.verdict.first.cause, Cause::Healthy);
    assert!(
        found.verdict.first.sentence.contains("The busiest resource is the line A -> B (30 % utilised).")
    );
    assert!(found.chain.is_empty());
}

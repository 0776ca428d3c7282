//! What fails, where messages hardly wait for it; and links that are all used alike.

use hopscope_explain::{Cause, explain};
use hopscope_measure::{Charged, Failure, Loss, LossWhy, Place, Report, ResourceKind, Site, StageId};

use crate::reports::{link, of_resources, port, stage};

/// A run of four hosts with this use of their links, in which no message waits.
fn calm(used: [f64; 4]) -> Report {
    let of_host = |number: u32| {
        let ends = [("h", Site::Host(number)), ("l:0", port(0, number as u16))];
        link(ResourceKind::Output, number, ends, used[number as usize], 0.0)
    };
    let trunk = |number: u32| {
        link(ResourceKind::Output, number, [("l:0", port(0, 9)), ("s:0", port(1, number as u16))], 0.2, 0.0)
    };
    let mut report = of_resources((0..4).map(of_host).chain((4..12).map(trunk)).collect());
    report.measured.messages = 100;
    report.evidence.is_job = true;
    report.ledger = vec![stage(StageId::Transmission, Charged::To(ResourceKind::Output), 1.0)];
    report
}

#[test]
fn what_failed_and_lost_packets_is_told_though_messages_hardly_wait() {
    let place = Place { words: "the link a - b".to_owned(), nodes: vec!["a".to_owned(), "b".to_owned()] };
    let told = |until_s: Option<f64>, count: u64, sends_again: bool| {
        let mut report = calm([0.5; 4]);
        report.evidence.sends_again = sends_again;
        report.evidence.failures = vec![Failure { place: place.clone(), from_s: 7e-4, until_s }];
        report.evidence.losses =
            vec![Loss { why: LossWhy::LinkDown, place: place.clone(), count, of: 0, each_s: 0.0 }];
        explain(&report).verdict.first
    };
    let found = told(Some(1.2e-3), 154, true);
    assert_eq!((found.cause, &*found.nodes), (Cause::Interruption, &["a".to_owned(), "b".to_owned()][..]));
    assert_eq!(
        found.sentence,
        "Fault: the link a - b failed at 700 us and came back at 1.2 ms. 154 packets were lost. The lifetime of messages that \
         arrive is 1.00 times its minimum (0 % of it is waiting)."
    );
    let stays = told(None, 1, false).sentence;
    assert!(
        stays.contains("failed at 700 us and stayed down. 1 packet was lost. It is not sent again."),
        "{stays}"
    );
    // Where nothing was sent there, nothing is wrong.
    assert_eq!(told(None, 0, true).cause, Cause::Healthy);
}

#[test]
fn a_link_is_always_busy_only_beside_others_of_its_kind_that_are_not() {
    // Those between switches carry less, and are of another kind.
    assert_eq!(explain(&calm([0.95; 4])).verdict.first.cause, Cause::Healthy);
    assert_eq!(explain(&calm([0.95, 0.2, 0.2, 0.2])).verdict.first.cause, Cause::Resource);
}

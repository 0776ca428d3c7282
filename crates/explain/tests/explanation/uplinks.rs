//! Links between switches that are full: those of one switch, or those of all.

use hopscope_explain::{Cause, explain};
use hopscope_measure::{Charged, Outcome, Report, ResourceKind, ResourceRow, Site, StageId};

use crate::reports::{link, of_resources, port, stage};

/// A link between two nodes.
fn between(number: u32, ends: &[(String, Site); 2], used: f64, waiting: f64) -> ResourceRow {
    let [from, to] = ends;
    let named = [(from.0.as_str(), from.1), (to.0.as_str(), to.1)];
    link(ResourceKind::Output, number, named, used, waiting)
}

/// Four leaves with four hosts each and links to these spines, every link used both ways as `used` gives for its leaf.
fn leaf_spine(spines: &dyn Fn(u32) -> Vec<u32>, used: &dyn Fn(u32) -> f64, hosts: f64) -> Report {
    let mut rows = Vec::new();
    let mut add = |ends: [(String, Site); 2], used: f64, waiting: f64| {
        for ends in [ends.clone(), [ends[1].clone(), ends[0].clone()]] {
            rows.push(between(rows.len() as u32, &ends, used, waiting));
        }
    };
    for leaf in 0..4_u32 {
        for spine in spines(leaf) {
            let up = (format!("leaf{leaf}:{spine}"), port(leaf, spine as u16));
            let down = (format!("spine{spine}:{leaf}"), port(10 + spine, leaf as u16));
            let used = used(leaf);
            add([up, down], used, if used > 0.7 { 5.0 } else { 0.0 });
        }
        for host in 0..4 {
            let at = (format!("leaf{leaf}:{}", 8 + host), port(leaf, 8 + host as u16));
            add([(format!("h{leaf}{host}"), Site::Host(4 * leaf + host)), at], hosts, 0.0);
        }
    }
    let mut report = of_resources(rows);
    report.measured.messages = 100;
    report.ledger = vec![
        stage(StageId::Queueing, Charged::To(ResourceKind::Output), 0.6),
        stage(StageId::Transmission, Charged::To(ResourceKind::Output), 0.4),
    ];
    report
}

#[test]
fn a_switch_with_fewer_links_than_those_like_it_is_named_where_they_are_full() {
    let lacks = |leaf: u32| if leaf == 2 { vec![0, 3] } else { vec![0, 1, 2, 3] };
    let found = explain(&leaf_spine(&lacks, &|leaf| if leaf == 2 { 0.98 } else { 0.49 }, 0.5)).verdict.first;
    assert_eq!((found.cause, found.nodes), (Cause::Overload, vec!["leaf2".to_owned()]));
    assert_eq!(
        found.sentence,
        "Oversubscription at leaf2: its 2 links are 98 % utilised both ways, those of switches like it 49 %. It has 2 such links, \
         switches like it have 4. All that its hosts send and receive goes over these."
    );
    // What comes down has time to spare.
    let mut up = leaf_spine(&lacks, &|leaf| if leaf == 2 { 0.98 } else { 0.49 }, 0.5);
    for row in &mut up.resources {
        let ends = row.ends.as_ref().expect("links join two");
        if ends[0].starts_with("spine") {
            (row.utilisation, row.waiting) = (0.49, 0.0);
        }
    }
    let found = explain(&up).verdict.first;
    assert!(
        found.sentence.starts_with("Oversubscription at leaf2: its 2 links up are 98 % utilised, those"),
        "{}",
        found.sentence
    );
    assert!(found.sentence.ends_with("All that its hosts send goes over these."), "{}", found.sentence);
    // Not where all are used alike, or hosts' links are as full.
    for (used, hosts) in [(0.95, 0.5), (0.49, 0.97)] {
        let others = leaf_spine(&lacks, &|leaf| if leaf == 2 { 0.98 } else { used }, hosts);
        assert_ne!(explain(&others).verdict.first.nodes, ["leaf2"]);
    }
}

#[test]
fn a_switch_whose_hosts_alone_send_more_than_its_links_carry_is_named() {
    let all = |_| vec![0, 1];
    let mut report = leaf_spine(&all, &|leaf| if leaf == 0 { 1.0 } else { 0.1 }, 0.5);
    report.outcome = Outcome::Saturated;
    let found = explain(&report).verdict.first;
    assert_eq!((found.cause, found.nodes), (Cause::Overload, vec!["leaf0".to_owned()]));
    assert!(!found.sentence.contains("such link"), "{}", found.sentence);
    // Of what others send, it carries a part by chance.
    let passing = leaf_spine(&all, &|leaf| if leaf == 0 { 1.0 } else { 0.1 }, 0.3);
    assert_ne!(explain(&passing).verdict.first.nodes, ["leaf0"]);
    // Where several switches are short, it is the tier.
    let mut several = leaf_spine(&all, &|leaf| if leaf < 2 { 1.0 } else { 0.1 }, 0.5);
    several.outcome = Outcome::Saturated;
    let found = explain(&several).verdict.first;
    assert!(found.sentence.starts_with("Oversubscription: 8 of the 8 links"), "{}", found.sentence);
}

#[test]
fn a_job_that_hosts_send_far_less_of_than_links_between_switches_carry_is_oversubscribed() {
    let all = |_| vec![0, 1];
    let job = |used: &dyn Fn(u32) -> f64, hosts: f64| {
        let mut report = leaf_spine(&all, used, hosts);
        report.evidence.is_job = true;
        explain(&report).verdict.first
    };
    let uneven = |leaf: u32| [0.72, 0.84, 0.90, 0.78][leaf as usize];
    let found = job(&uneven, 0.24);
    assert!(found.sentence.contains("These are used alike, so other routes would relieve none of them."));
    assert_eq!((found.cause, found.nodes), (Cause::Overload, vec![]));
    assert!(
        found.sentence.starts_with("Oversubscription: links between switches are 81 %"),
        "{}",
        found.sentence
    );
    // With two hosts to each link up, and one message of eight that stays below its leaf.
    assert!(job(&uneven, 0.47).sentence.starts_with("Oversubscription: links between switches are 81 %"));
    // Hosts' links are used more than two thirds as much, or one leaf's links far less.
    assert!(!job(&uneven, 0.6).sentence.starts_with("Oversubscription"));
    assert!(
        !job(&|leaf| if leaf < 2 { 0.4 } else { 0.9 }, 0.24).sentence.starts_with("Oversubscription: links")
    );
}

/// The same with each leaf's hosts at a switch of their own below it.
fn three_tiers(spines: &dyn Fn(u32) -> Vec<u32>, used: &dyn Fn(u32) -> f64) -> Report {
    let mut report = leaf_spine(spines, used, 0.5);
    for row in &mut report.resources {
        let of_host = [row.site, row.far].iter().any(|site| matches!(site, Site::Host(_)));
        for site in [&mut row.site, &mut row.far] {
            if let (true, Site::Port { switch, .. }) = (of_host, site) {
                *switch += 20;
            }
        }
        if of_host {
            row.ends = row.ends.take().map(|ends| ends.map(|name| name.replace("leaf", "edge")));
        }
    }
    for leaf in 0..4_u32 {
        let ends = [(format!("edge{leaf}:0"), port(20 + leaf, 0)), (format!("leaf{leaf}:9"), port(leaf, 9))];
        for ends in [ends.clone(), [ends[1].clone(), ends[0].clone()]] {
            let number = report.resources.len() as u32;
            report.resources.push(between(number, &ends, 0.5, 0.0));
        }
    }
    report
}

#[test]
fn a_switch_between_others_is_named_only_where_it_lacks_links() {
    let lacks = |leaf: u32| if leaf == 2 { vec![0] } else { vec![0, 1] };
    let busy = |leaf: u32| if leaf == 2 { 0.98 } else { 0.4 };
    let found = explain(&three_tiers(&lacks, &busy)).verdict.first;
    assert_eq!((found.cause, found.nodes), (Cause::Overload, vec!["leaf2".to_owned()]));
    assert_eq!(
        found.sentence,
        "Oversubscription at leaf2: its only link up is 98 % utilised both ways, those of switches like it 40 %. It has 1 such link, \
         switches like it have 2."
    );
    // With as many links as the others it only carries more, which other routes may spare it.
    assert_ne!(explain(&three_tiers(&|_| vec![0, 1], &busy)).verdict.first.nodes, ["leaf2"]);
}

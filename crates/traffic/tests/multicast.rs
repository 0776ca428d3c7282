//! Messages for several hosts: how they are written, and what is drawn.

use hopscope_topology::{HostId, Network, NetworkBuilder, Role};
use hopscope_traffic::{Emission, Flow, Receivers, TrafficSpec, Workload};
use hopscope_units::{Rate, Time};

const RATE: Rate = Rate::from_mbit_s(100);

/// One switch with the hosts a, b, c, d.
fn star() -> Network {
    let mut builder = NetworkBuilder::new();
    let hub = builder.add_switch("hub");
    for name in ["a", "b", "c", "d"] {
        builder.add_host(name, hub, Role::Any);
    }
    builder.build().expect("a star")
}

fn workload(text: &str) -> Workload {
    let spec: TrafficSpec = toml::from_str(text).expect("traffic");
    Workload::new(&spec, &star(), &[RATE; 4], 1).unwrap_or_else(|problems| panic!("{problems:?}"))
}

#[test]
fn a_flow_has_one_receiver_or_a_list_and_is_written_as_it_was_read() {
    let text = "from = \"a\"\nto = \"b\"\n";
    let one: Flow = toml::from_str(text).expect("a flow");
    assert_eq!((one.to.names(), toml::to_string(&one).as_deref()), (&["b".to_owned()][..], Ok(text)));
    let text = "from = \"a\"\nto = [\"b\", \"c\"]\n";
    let group: Flow = toml::from_str(text).expect("a flow");
    assert_eq!(group.to, Receivers::Group(vec!["b".into(), "c".into()]));
    assert_eq!(toml::to_string(&group).as_deref(), Ok(text));
}

#[test]
fn equal_groups_are_one_whatever_their_order() {
    let mut workload = workload(
        "load = 0.5\npattern = { flows = [{ from = \"a\", to = [\"d\", \"b\"] }, { from = \"b\", to = [\"b\", \"d\"] },
         { from = \"c\", to = [\"a\"] }, { from = \"d\", to = \"a\" }] }",
    );
    let groups: Vec<Vec<usize>> =
        workload.groups.iter().map(|group| group.iter().map(|host| host.index()).collect()).collect();
    assert_eq!(groups, [vec![1, 3], vec![0]]);
    let drawn: Vec<Option<u16>> = (0..4)
        .map(|source| match workload.draw(source) {
            Emission::Multicast { group, .. } => Some(group),
            Emission::Message { to, .. } => {
                assert_eq!(to, HostId::new(0));
                None
            }
            Emission::Burst { .. } => panic!("there are no bursts"),
        })
        .collect();
    assert_eq!(drawn, [Some(0), Some(0), Some(1), None]);
}

#[test]
fn with_broadcast_each_host_offers_its_share_of_what_the_others_receive() {
    let mut workload = workload("load = 0.9\npattern = \"broadcast\"\nsizes = { fixed = \"1250 B\" }");
    assert_eq!(workload.groups.iter().map(Vec::len).collect::<Vec<_>>(), [4]);
    // 30 % of 100 Mbit/s in messages of 0.1 ms: one in a third of a millisecond on average.
    let mut at = Time::ZERO;
    for _ in 0..10_000 {
        at = workload.sources[0].next(at);
    }
    let gap_us = at.as_seconds() * 1e6 / 10_000.0;
    assert!((gap_us - 1_000.0 / 3.0).abs() < 10.0, "{gap_us}");
}

//! What the builder refuses, each with the names in it.

use hopscope_topology::{Network, NetworkBuilder, NetworkError, Role, SwitchId};

/// Two linked switches, changed by `change`, and the result.
fn verdict(change: impl FnOnce(&mut NetworkBuilder, SwitchId, SwitchId)) -> Result<Network, NetworkError> {
    let mut builder = NetworkBuilder::new();
    let (a, b) = (builder.add_switch("a"), builder.add_switch("b"));
    builder.add_link(a, b, None, None);
    change(&mut builder, a, b);
    builder.build()
}

#[test]
fn refuses_what_is_no_network() {
    let faults = [
        NetworkBuilder::new().build(),
        verdict(|builder, _, b| {
            builder.add_host("a", b, Role::Any);
        }),
        verdict(|builder, a, b| {
            builder.set_uid(a, 7);
            builder.set_uid(b, 7);
        }),
        verdict(|builder, a, b| {
            builder.add_link_at([(a, Some(0)), (b, None)], None, None);
        }),
        verdict(|builder, a, b| {
            builder.add_link_at([(a, Some(u16::MAX)), (b, None)], None, None);
        }),
        verdict(|builder, _, _| {
            builder.add_loose_host("h", Role::Any);
        }),
        verdict(|builder, a, b| {
            let host = builder.add_host("h", a, Role::Any);
            builder.attach(host, b, None, None, None);
        }),
        verdict(|builder, a, _| {
            builder.add_link(a, a, None, None);
        }),
        verdict(|builder, _, _| {
            let c = builder.add_switch("c");
            builder.add_host("h", c, Role::Any);
        }),
    ];
    let messages: Vec<String> = faults.map(|fault| fault.unwrap_err().to_string()).into();
    insta::assert_snapshot!(messages.join("\n"), @r#"
    the network has no switch
    two nodes are named "a"
    switches "a" and "b" have the same uid 7
    port 0 of switch "a" is used twice
    switch "a" has more than 65535 ports
    host "h" is attached to no switch
    host "h" is attached twice, to "a" and "b"
    switch "a" is linked to itself
    the network is not connected: no path leads from "a" to "c"
    "#);
}

#[test]
fn takes_doubled_links_and_free_ports() {
    let network = verdict(|builder, a, b| {
        builder.add_link_at([(a, Some(5)), (b, Some(3))], None, None);
    })
    .unwrap();
    let (a, b) = (SwitchId::new(0), SwitchId::new(1));
    let found: Vec<_> = network.neighbours(a).map(|(port, _, far, far_port)| (port, far, far_port)).collect();
    assert_eq!(found, [(0, b, 0), (5, b, 3)]);
    assert_eq!(network.far_end(a, 4), None);
    assert_eq!(network.far_end(a, 500), None);
}

#[test]
fn nodes_are_found_by_name_and_by_a_name_like_it() {
    let network = verdict(|builder, a, _| {
        builder.add_host("client 1", a, Role::Client);
    })
    .unwrap();
    for node in network.switch_ids().map(hopscope_topology::Node::Switch) {
        assert_eq!(network.node(network.name(node)), Some(node));
    }
    assert_eq!(network.name_like("cleint 1"), Some("client 1"));
    assert_eq!(network.name_like("printer"), None);
}

//! Fabrics written as files: what is written reads back.

use hopscope_formats::fabric::{edge_list, ibnetdiscover};
use hopscope_formats::{CabledNetwork, LinkDefaults, Unwritable, WrittenForm, write_fabric};
use hopscope_topology::{
    Chain, Endpoint, FatTree, Grid, Link, Mstage, Network, NetworkBuilder, NetworkSpec, Node, Role,
};
use hopscope_units::{Rate, Span};
use insta::assert_snapshot;

const NET: &str = include_str!("data/square.net");
const DISCOVERED: &str = include_str!("data/square.ibnetdiscover");

fn links(mbit_s: u64) -> LinkDefaults {
    LinkDefaults { rate: Rate::from_mbit_s(mbit_s), delay: Span::from_ns(50) }
}

fn written(fabric: &CabledNetwork, form: WrittenForm) -> String {
    write_fabric(fabric, form, links(100_000)).expect("names and ports that the form can tell")
}

/// Every cable by the names and ports of its ends, the rate, in order; ports higher by an offset.
fn cables(network: &Network, offset: u16) -> Vec<String> {
    let end = |end: Endpoint| {
        let is_switch = matches!(end.node, Node::Switch(_));
        format!("{}:{}", network.name(end.node), if is_switch { end.port + offset } else { 0 })
    };
    let cable = |link: &Link| {
        let mut ends = link.ends.map(end);
        ends.sort();
        format!("{} {} {}", ends[0], ends[1], link.rate.unwrap_or(Rate::from_mbit_s(100_000)))
    };
    let mut cables: Vec<String> = network.links().iter().map(cable).collect();
    cables.sort();
    cables
}

fn generated() -> Vec<CabledNetwork> {
    let specs = [
        NetworkSpec::FatTree(FatTree { radix: 6, ..FatTree::default() }),
        NetworkSpec::Torus(Grid { width: 5, height: 4, servers: 0, ..Grid::default() }),
        NetworkSpec::Mstage(Mstage::default()),
    ];
    specs.iter().map(|spec| CabledNetwork::numbered(spec.build().expect("a network"))).collect()
}

#[test]
fn every_form_reads_back() {
    let read = [NET, DISCOVERED].map(|text| ibnetdiscover::read(text).expect("a fabric"));
    for fabric in generated().into_iter().chain(read) {
        let offset = fabric.port_offset();
        for form in [WrittenForm::Discovered, WrittenForm::Net] {
            let again = ibnetdiscover::read(&written(&fabric, form)).expect("a fabric");
            assert_eq!(cables(&again.network, 0), cables(&fabric.network, offset));
            let guids = |fabric: &CabledNetwork| -> Vec<u64> {
                fabric.switches.iter().chain(&fabric.hosts).map(|address| address.guid).collect()
            };
            assert_eq!(guids(&again), guids(&fabric));
            assert_eq!(again.port_offset(), 0);
        }
        let again = edge_list::read(&written(&fabric, WrittenForm::EdgeList), 0).expect("a network");
        assert_eq!(cables(&again, 0), cables(&fabric.network, 0));
    }
}

/// What later questions need: the devices, which decide what a tick of a counter is, free ports, every LID.
#[test]
fn devices_numbers_of_ports_and_lids_are_kept() {
    let text = include_str!("data/lmc.ibnetdiscover").replace("devid=0x0", "devid=0xd2f0");
    let fabric = ibnetdiscover::read(&text).expect("a fabric");
    assert!(fabric.ports.iter().all(|ports| *ports == Some(8)));
    for form in [WrittenForm::Discovered, WrittenForm::Net] {
        let again = ibnetdiscover::read(&written(&fabric, form)).expect("a fabric");
        assert_eq!(again.devices, vec![Some(0xd2f0); 4]);
        assert_eq!((&again.ports, &again.switches), (&fabric.ports, &fabric.switches));
        assert_eq!(again.hosts, fabric.hosts);
    }
}

/// What the forms of InfiniBand cannot tell stands at their top.
#[test]
fn what_is_left_out_is_told() {
    let network = two().network.with_speeds(|_| Some((Rate::from_mbit_s(123), None)));
    let text = written(&CabledNetwork::numbered(network), WrittenForm::Net);
    let told = "# left out: the rates of 3 links, which InfiniBand has no word for\n";
    assert!(text.starts_with(told), "{text}");
}

fn two() -> CabledNetwork {
    let line = NetworkSpec::Line(Chain { switches: 2, hosts_per_switch: 1, servers: 0, ..Chain::default() });
    CabledNetwork::numbered(line.build().expect("a network"))
}

/// The ports of our networks begin at 0, which is the switch itself in InfiniBand.
#[test]
fn two_switches_as_ibnetdiscover_prints_them() {
    assert_snapshot!(written(&two(), WrittenForm::Discovered), @r#"
    vendid=0x0
    devid=0x0
    sysimgguid=0x200000
    switchguid=0x200000(200000)
    Switch	2 "S-0000000000200000"		# "s0" base port 0 lid 1 lmc 0
    [1]	"S-0000000000200001"[1]		# "s1" lid 2 4xEDR
    [2]	"H-0000000000100000"[1](100001)		# "h0" lid 3 4xEDR

    vendid=0x0
    devid=0x0
    sysimgguid=0x200001
    switchguid=0x200001(200001)
    Switch	2 "S-0000000000200001"		# "s1" base port 0 lid 2 lmc 0
    [1]	"S-0000000000200000"[1]		# "s0" lid 1 4xEDR
    [2]	"H-0000000000100002"[1](100003)		# "h1" lid 4 4xEDR

    vendid=0x0
    devid=0x0
    sysimgguid=0x100000
    caguid=0x100000
    Ca	1 "H-0000000000100000"		# "h0"
    [1](100001)	"S-0000000000200000"[2]		# lid 3 lmc 0 "s0" lid 1 4xEDR

    vendid=0x0
    devid=0x0
    sysimgguid=0x100002
    caguid=0x100002
    Ca	1 "H-0000000000100002"		# "h1"
    [1](100003)	"S-0000000000200001"[2]		# lid 4 lmc 0 "s1" lid 2 4xEDR
    "#);
}

#[test]
fn two_switches_as_ibsim_and_as_a_list() {
    assert_snapshot!(written(&two(), WrittenForm::Net), @r#"
    switchguid=0x200000
    Switch 2 "s0"		# "s0" base port 0 lid 1 lmc 0
    [1] "s1"[1]		# "s1" lid 2 4xEDR
    [2] "h0"[1]		# "h0" lid 3 4xEDR

    switchguid=0x200001
    Switch 2 "s1"		# "s1" base port 0 lid 2 lmc 0
    [1] "s0"[1]		# "s0" lid 1 4xEDR
    [2] "h1"[1]		# "h1" lid 4 4xEDR

    caguid=0x100000
    Hca 1 "h0"
    [1] "s0"[2]		# lid 3 lmc 0 "s0" lid 1 4xEDR

    caguid=0x100002
    Hca 1 "h1"
    [1] "s1"[2]		# lid 4 lmc 0 "s1" lid 2 4xEDR
    "#);
    assert_snapshot!(written(&two(), WrittenForm::EdgeList), @"
    from,to,from_port,to_port,rate,delay,kind
    s0,s1,0,0,100 Gbit/s,50 ns,trunk
    h0,s0,,1,100 Gbit/s,50 ns,host
    h1,s1,,1,100 Gbit/s,50 ns,host
    ");
}

#[test]
fn a_rate_that_infiniband_has_not_is_left_out() {
    let text = write_fabric(&two(), WrittenForm::Net, links(123)).expect("a text");
    let again = ibnetdiscover::read(&text).expect("a fabric").network;
    assert!(again.links().iter().all(|link| link.rate.is_none()), "{text}");
}

#[test]
fn what_a_form_cannot_tell_is_refused() {
    let named = |name: &str, links: u16| {
        let mut builder = NetworkBuilder::new();
        let (a, b) = (builder.add_switch(name), builder.add_switch("b"));
        (0..links).for_each(|_| _ = builder.add_link(a, b, None, None));
        builder.add_host("h", a, Role::Any);
        CabledNetwork::numbered(builder.build().expect("a network"))
    };
    let refused = |fabric: &CabledNetwork, form| write_fabric(fabric, form, links(1)).expect_err("a refusal");
    let told = |refused: Unwritable| refused.to_string();
    assert_snapshot!(told(refused(&named("a,b", 1), WrittenForm::EdgeList)), @r#"the name "a,b" cannot be written in this form; expected names without commas, without # at their beginning and without white space around them"#);
    assert_snapshot!(told(refused(&named("so \"called\"", 1), WrittenForm::Net)), @r#"the name "so \"called\"" cannot be written in this form; expected names without quotation marks"#);
    assert_snapshot!(told(refused(&named("a", 254), WrittenForm::Discovered)), @r#"switch "a" has 255 ports; expected at most 254, or the form .csv"#);
    assert!(write_fabric(&named("a", 253), WrittenForm::Discovered, links(1)).is_ok());
    assert!(write_fabric(&named("a", 254), WrittenForm::EdgeList, links(1)).is_ok());
}

//! GraphML files, right and wrong.

use hopscope_formats::FormatError;
use hopscope_formats::fabric::graphml;
use hopscope_topology::{Component, FileSpec, HostRate, Network, Node, Role};
use hopscope_units::Span;
use proptest::prelude::*;

const BACKBONE: &str = include_str!("data/backbone.graphml");
const OFFICE: &str = include_str!("data/office.graphml");
const ZOO_STYLE: &str = include_str!("data/zoo_style.graphml");

/// The network of a graph, with this number of hosts at each switch if it has none.
fn read(text: &str, hosts_per_switch: u32) -> Result<Network, FormatError> {
    let spec = FileSpec { hosts_per_switch, ..FileSpec::at("") };
    graphml::read(text, &spec).map(|found| found.network)
}

/// The network as text: a line a switch, a line a link.
fn told(network: &Network) -> String {
    let switches = network.switches().iter().map(|switch| {
        let place = switch.position.map_or("no place".into(), |(x, y)| format!("{x:.2} {y:.2}"));
        format!("switch {} uid {} at {place}", switch.name, switch.uid)
    });
    let links = network.links().iter().map(|link| {
        let [a, b] = link.ends.map(|end| match end.node {
            Node::Switch(_) => format!("{}:{}", network.name(end.node), end.port),
            Node::Host(id) => format!("{} ({:?})", network.name(end.node), network.host(id).role),
        });
        let rate = link.rate.map_or("-".into(), |rate| rate.to_string());
        let delay = link.delay.map_or("-".into(), |delay| delay.to_string());
        format!("{a} to {b} rate {rate} delay {delay}")
    });
    switches.chain(links).collect::<Vec<_>>().join("\n")
}

#[test]
fn reads_a_backbone_and_attaches_hosts() {
    let network = read(BACKBONE, 2).unwrap();
    assert_eq!((network.switches().len(), network.hosts().len(), network.links().len()), (11, 22, 14 + 22));
    assert!(network.hosts().iter().all(|host| host.role == Role::Any));
    let told = told(&network);
    let lines: Vec<&str> = told.lines().filter(|line| line.contains("Seattle")).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    switch Seattle uid 0 at -11.44 -4.45
    Seattle:0 to Sunnyvale:0 rate 10 Gbit/s delay 5.7 ms
    Seattle:1 to Denver:0 rate 10 Gbit/s delay 8.2 ms
    Seattle:2 to h0 (Any) rate - delay -
    Seattle:3 to h1 (Any) rate - delay -
    ");
}

#[test]
fn reads_ports_roles_and_uids() {
    insta::assert_snapshot!(told(&read(OFFICE, 9).unwrap()), @r"
    switch north uid 7 at no place
    switch south uid 3 at no place
    north:11 to south:10 rate 1 Gbit/s delay -
    north:10 to south:11 rate 1 Gbit/s delay -
    north:1 to ann (Client) rate - delay -
    north:0 to bob (Client) rate - delay -
    south:0 to cleo (Client) rate - delay -
    south:1 to store (Server) rate 10 Gbit/s delay -
    ");
}

#[test]
fn reads_the_manner_of_the_topology_zoo() {
    insta::assert_snapshot!(told(&read(ZOO_STYLE, 0).unwrap()), @r"
    switch Dublin uid 0 at no place
    switch Cork uid 1 at no place
    switch Cork (2) uid 2 at no place
    switch 3 uid 3 at no place
    Dublin:0 to Cork:0 rate 10 Gbit/s delay -
    Dublin:1 to Cork:1 rate - delay -
    Cork:2 to Cork (2):0 rate 155 Mbit/s delay -
    Cork (2):1 to 3:0 rate - delay -
    ");
}

/// A net of Europe in the manner of the Topology Zoo, with all that such files have.
const EUROPE: &str = include_str!("data/europe.graphml");

/// Dublin and Vienna are 1683 km apart along the great circle, Vienna and Paris 1034 km: 12.4 ms and 7.6 ms of fibre
/// half as long again, whose light does 204 000 km/s.
#[test]
fn coordinates_give_delays_and_words_give_rates() {
    let spec = FileSpec { component: Component::Largest, ..FileSpec::at("") };
    let network = graphml::read(EUROPE, &spec).unwrap().network;
    let links: Vec<(String, f64)> = network
        .links()
        .iter()
        .map(|link| (link.rate.unwrap().to_string(), link.delay.unwrap().as_seconds() * 1e3))
        .collect();
    let expected = [("155 Mbit/s", 12.360), ("10 Gbit/s", 7.593), ("2.5 Gbit/s", 7.593)];
    assert_eq!(links.len(), expected.len());
    for ((rate, delay), (expected_rate, expected_delay)) in links.iter().zip(expected) {
        assert_eq!(rate, expected_rate);
        assert!((delay / expected_delay - 1.0).abs() < 1e-3, "{delay} ms");
    }
    let straight = graphml::read(EUROPE, &FileSpec { detour: 1.0, ..spec }).unwrap().network;
    let ratio =
        network.links()[0].delay.unwrap().as_seconds() / straight.links()[0].delay.unwrap().as_seconds();
    assert!((ratio - 1.5).abs() < 1e-3, "{ratio}");
}

/// Labels in the words of SDH and SONET, and of several links in one; texts without a rate are counted, with an
/// example.
#[test]
fn a_label_gives_a_rate_or_a_note() {
    let first = |label: &str| {
        let text = EUROPE.replace("155 Mb/s", label);
        let spec = FileSpec { component: Component::Largest, ..FileSpec::at("") };
        let fabric = graphml::read(&text, &spec).unwrap();
        let rate = fabric.network.links()[0].rate.map(|rate| rate.to_string());
        let notes = fabric.anomalies.into_iter().map(|each| each.words);
        (rate, notes.filter(|words| words.contains("no rate")).collect::<Vec<_>>())
    };
    for (label, rate) in [
        ("2 x 10 Gbps", "20 Gbit/s"),
        ("STM-16", "2.48832 Gbit/s"),
        ("OC-48", "2.48832 Gbit/s"),
        ("10 GE", "10 Gbit/s"),
    ] {
        assert_eq!(first(label), (Some(rate.to_owned()), Vec::new()), "{label}");
    }
    for label in ["10 Gbps, 2.5 Gbps", "OC-3 and more"] {
        let told = format!("no rate is read from the speed or label of 1 edge, such as \"{label}\"");
        assert_eq!(first(label), (None, vec![told]));
    }
    // Words without a number are no speed.
    assert_eq!(first("dark fibre"), (None, Vec::new()));
}

#[test]
fn the_largest_part_is_taken_and_what_is_left_out_is_said() {
    let spec = FileSpec { component: Component::Largest, ..FileSpec::at("") };
    let found = graphml::read(EUROPE, &spec).unwrap();
    let words: Vec<&str> = found.anomalies.iter().map(|anomaly| anomaly.words.as_str()).collect();
    insta::assert_snapshot!(words.join("\n"), @r#"
    left out: 1 edge leads from a node to itself, such as "Paris"
    1 edge joins nodes that another edge joins, such as "Vienna" and "Paris": each is a cable of its own
    left out: 2 of 5 nodes that have no path to the largest part, such as "Faro"
    "#);
    let error = read(EUROPE, 0).unwrap_err();
    assert!(error.problem.contains("not connected"), "{error}");
}

#[test]
fn attached_hosts_may_have_the_rate_of_the_fastest_link() {
    let spec = FileSpec {
        component: Component::Largest,
        hosts_per_switch: 1,
        host_rate: HostRate::FastestLink,
        ..FileSpec::at("")
    };
    let network = graphml::read(EUROPE, &spec).unwrap().network;
    let rate = |name: &str| match network.node(name) {
        Some(Node::Switch(id)) => network
            .hosts()
            .iter()
            .find(|host| host.switch == id)
            .map(|host| network.link(host.link).rate.map(|rate| rate.to_string())),
        _ => None,
    };
    assert_eq!(rate("Dublin"), Some(Some("155 Mbit/s".to_owned())));
    assert_eq!(rate("Paris"), Some(Some("10 Gbit/s".to_owned())));
}

#[test]
fn edges_to_and_fro_of_a_directed_graph_are_one_cable() {
    let graph = |edges: &str| {
        let keys = "<key id='d' for='edge' attr.name='delay'/>";
        let nodes = "<node id='a'/><node id='b'/>";
        format!("<graphml>{keys}<graph edgedefault='directed'>{nodes}{edges}</graph></graphml>")
    };
    let edges = "<edge source='a' target='b'><data key='d'>1 us</data></edge><edge source='b' target='a'/>
                 <edge source='a' target='b'/><edge source='a' target='b' directed='false'/>";
    let network = read(&graph(edges), 0).unwrap();
    let delays: Vec<_> = network.links().iter().map(|link| link.delay.map(Span::ps)).collect();
    assert_eq!(delays, [Some(1_000_000), None, None]);
    let differing = "<edge source='a' target='b'><data key='d'>1 us</data></edge>
                     <edge source='b' target='a'><data key='d'>2 us</data></edge>";
    let error = read(&graph(differing), 0).unwrap_err();
    assert_eq!((error.line, error.column), (2, 22));
    assert_eq!(error.problem, "this is the way back of line 1 and differs from it");
}

/// A small right file in which one line is replaced.
fn with(line: &str, by: &str) -> String {
    let right = "<graphml>
<key id='kind' for='node' attr.name='kind'/>
<key id='uid' for='node' attr.name='uid'/>
<key id='x' for='node' attr.name='x'/>
<key id='rate' for='edge' attr.name='rate'/>
<key id='delay' for='edge' attr.name='delay'/>
<key id='port' for='edge' attr.name='source_port'/>
<graph>
<node id='a'/>
<node id='b'><data key='uid'>5</data></node>
<node id='h'><data key='kind'>host</data></node>
<edge source='a' target='b'/>
<edge source='a' target='h'/>
</graph>
</graphml>";
    assert!(read(right, 0).is_ok() && right.contains(line), "{line}");
    right.replacen(line, by, 1)
}

#[test]
fn wrong_files_are_refused_where_they_are_wrong() {
    let edge = "<edge source='a' target='b'/>";
    let node = "<node id='b'><data key='uid'>5</data></node>";
    let cases = [
        with("</graphml>", ""),
        with("<graph>", "<graph"),
        "<svg/>".to_owned(),
        "<graphml></graphml>".to_owned(),
        "<graphml><graph/></graphml>".to_owned(),
        with("</graph>", "</graph><graph/>"),
        with("<node id='a'/>", "<node/>"),
        with(node, "<node id='a'/>"),
        with(node, "<node id='b'><data key='colour'>red</data></node>"),
        with(node, "<node id='b'><data key='kind'>printer</data></node>"),
        with(node, "<node id='b'><data key='uid'>0</data></node>"),
        with(node, "<node id='b'><data key='uid'>-1</data></node>"),
        with(node, "<node id='b'><data key='x'>east</data></node>"),
        with(node, "<node id='b'><graph/></node>"),
        with(edge, "<edge source='a' target='z'/>"),
        with(edge, "<edge source='a'/>"),
        with(edge, "<hyperedge/>"),
        with(edge, ""),
        with(edge, "<edge source='b' target='b'/>"),
        with(edge, "<edge source='a' target='b'><data key='rate'>0 Mbit/s</data></edge>"),
        with(edge, "<edge source='a' target='b'><data key='rate'>fast</data></edge>"),
        with(edge, "<edge source='a' target='b'><data key='delay'>5 km</data></edge>"),
        with(edge, "<edge source='a' target='b'><data key='port'>70000</data></edge>"),
        with(
            edge,
            "<edge source='a' target='b' sourceport='4'/>\n<edge source='b' target='a' targetport='4'/>",
        ),
        with(edge, "<edge source='a' target='b'/><edge source='h' target='b'/>"),
        with("<edge source='a' target='h'/>", ""),
        with(
            edge,
            "<edge source='a' target='b'/><node id='g'><data key='kind'>client</data></node><edge source='g' target='h'/>",
        ),
    ];
    let told = |text: &String| read(text, 0).expect_err(text).to_string();
    insta::assert_snapshot!(cases.iter().map(told).collect::<Vec<_>>().join("\n"), @r#"
    line 15, column 1: the file ends within an element; expected the end of that element
    line 9, column 1: invalid name token; expected well-formed XML
    line 1, column 1: the file begins with <svg>; expected <graphml>
    line 1, column 1: the file has no graph; expected a <graph>
    line 1, column 10: the graph has no node; expected a <node>
    line 14, column 9: the file has a second graph; expected one <graph>
    line 9, column 1: this <node> has no id; expected id
    line 10, column 1: a second node has the id "a"; expected an id of its own for each node
    line 10, column 14: no <key> has the id "colour"; expected a declared key
    line 10, column 14: "printer" is no kind of node; expected "switch", "router", "host", "client" or "server"
    line 10, column 1: switches "a" and "b" have the same uid 0; expected a uid of its own for each switch
    line 10, column 14: uid: "-1" is not a whole number; expected a whole number
    line 10, column 14: x: "east" is not a number; expected a number
    line 10, column 14: node "b" holds a graph of its own; expected nodes without graphs in them
    line 12, column 1: there is no node "z"; expected the id of a node
    line 12, column 1: this <edge> has no target; expected target
    line 12, column 1: an edge of more than two ends is no link; expected <edge>
    line 10, column 1: the network is not connected: no path leads from "a" to "b"; expected a path between any two switches
    line 10, column 1: the network is not connected: no path leads from "a" to "b"; expected a path between any two switches
    line 12, column 29: the rate is 0 Mbit/s; expected more than zero
    line 12, column 29: rate: "fast" is not one of the units Gbit/s, Mbit/s, kbit/s, bit/s, Tbit/s; expected a rate such as "100 Mbit/s" or "50 kbit/s"
    line 12, column 29: delay: "km" is not one of the units s, ms, us, ns, ps, min, h, d; expected a time such as "0.48 us" or "125 ms"
    line 12, column 29: source_port: "70000" is not a port; expected a number from 0 to 65534
    line 13, column 1: port 4 of "a" is used twice; expected one link in each port
    line 13, column 1: host "h" is linked to "b" already; expected one link for each host
    line 11, column 1: host "h" has no link; expected a link to a switch
    line 12, column 80: hosts "g" and "h" are linked to each other; expected a host linked to a switch
    "#);
}

#[test]
fn deep_nesting_is_no_danger() {
    let deep = "<a>".repeat(200_000);
    assert!(read(&deep, 0).is_err());
}

/// A result is a network, or a fault at a place in the file.
fn has_a_place(text: &str) -> Result<(), TestCaseError> {
    if let Err(error) = read(text, 1) {
        let lines: Vec<&str> = text.split('\n').collect();
        let line = lines.get(error.line as usize - 1);
        prop_assert!(line.is_some(), "{error}");
        prop_assert!((1..=line.unwrap().chars().count() + 1).contains(&(error.column as usize)), "{error}");
        prop_assert!(!error.expected.is_empty());
    }
    Ok(())
}

proptest! {
    #[test]
    fn no_text_is_fatal(text in "\\PC*") {
        has_a_place(&text)?;
    }

    #[test]
    fn files_cut_short_are_refused(
        file in prop::sample::select(vec![BACKBONE, OFFICE, ZOO_STYLE]),
        cut: prop::sample::Index
    ) {
        let end = file.floor_char_boundary(cut.index(file.trim_end().len()));
        prop_assert!(read(&file[..end], 1).is_err());
        has_a_place(&file[..end])?;
    }

    /// A piece taken out, or put in elsewhere.
    #[test]
    fn damaged_files_are_not_fatal(
        file in prop::sample::select(vec![BACKBONE, OFFICE, ZOO_STYLE]),
        places in prop::array::uniform3(any::<prop::sample::Index>())
    ) {
        let mut places = places.map(|place| file.floor_char_boundary(place.index(file.len())));
        places.sort_unstable();
        let [a, b, c] = places;
        has_a_place(&format!("{}{}", &file[..a], &file[b..]))?;
        has_a_place(&format!("{}{}{}{}", &file[..a], &file[b..c], &file[a..b], &file[c..]))?;
    }
}

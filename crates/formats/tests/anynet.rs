//! BookSim's anynet files, right and wrong.

use hopscope_formats::fabric::anynet;
use hopscope_formats::{ReadError, read_network};
use hopscope_topology::{FileSpec, GraphFormat, Network, Role};
use hopscope_units::Span;
use proptest::prelude::*;

const SQUARE: &str = include_str!("data/square.anynet");

fn told(network: &Network) -> String {
    let links = network.links().iter().map(|link| {
        let [a, b] = link.ends.map(|end| network.name(end.node));
        format!("{a} - {b} {}", link.delay.map_or("-".into(), |delay| delay.to_string()))
    });
    links.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_latency_of_one_direction_holds_for_both() {
    let network = anynet::read(SQUARE, 0, Some(Span::from_ns(2))).unwrap();
    assert_eq!((network.switches().len(), network.hosts().len()), (4, 5));
    assert_eq!(network.switches()[3].uid, 3);
    insta::assert_snapshot!(told(&network), @r"
    router0 - router1 30 ns
    router0 - router2 2 ns
    router0 - node0 2 ns
    router0 - node1 2 ns
    router1 - router3 8 ns
    router1 - node2 2 ns
    router2 - router3 2 ns
    router2 - node3 2 ns
    router3 - node4 4 ns
    ");
}

#[test]
fn without_a_cycle_the_latencies_are_left_out() {
    let network = anynet::read(SQUARE, 0, None).unwrap();
    assert!(network.links().iter().all(|link| link.delay.is_none()));
}

#[test]
fn a_file_without_nodes_gets_hosts() {
    let network = anynet::read("router 0 router 1\n", 3, None).unwrap();
    assert_eq!(network.hosts_per_switch(), [3, 3]);
}

#[test]
fn wrong_files_are_refused_where_they_are_wrong() {
    let cases = [
        "",
        "router",
        "router 0 router 1 router",
        "router 0 router -1",
        "router 0 router 1 99999999999",
        "router 0 router 1 1.5",
        "switch 0 switch 1",
        "router 0 node 0\nrouter 1 node 1",
        "router 0 router 0",
        "node 0 node 1",
        "router 0 router 1 node 0\nrouter 1 node 0",
        "router 0 router 1 15\n  router 1 router 0 3",
        "router 0 router 1 5 5",
        "router 0 router 1 4294967295",
    ];
    let cycle = Some(Span::from_s(1));
    let told = |text: &&str| anynet::read(text, 0, cycle).expect_err(text).to_string();
    insta::assert_snapshot!(cases.iter().map(told).collect::<Vec<_>>().join("\n"), @r#"
    line 1, column 1: the network has no switch; expected a switch
    line 1, column 7: the line ends after "router"; expected its number
    line 1, column 25: the line ends after "router"; expected its number
    line 1, column 17: "-1" is not a number from 0 to 4294967295; expected a number
    line 1, column 19: "99999999999" is not a number from 0 to 4294967295; expected a latency in cycles
    line 1, column 19: "1.5" is not a number from 0 to 4294967295; expected a latency in cycles
    line 1, column 1: "switch" is neither; expected "router" or "node"
    line 2, column 1: the network is not connected: no path leads from "router0" to "router1"; expected a path between any two switches
    line 1, column 10: "router0" is linked to itself; expected a link between two different nodes
    line 1, column 8: hosts "node0" and "node1" are linked to each other; expected a host linked to a switch
    line 2, column 10: host "node0" is linked to "router0" already; expected one link for each host
    line 2, column 12: this latency is 3 cycles; line 1 says 15; expected one latency for both directions
    line 1, column 21: "5" is neither; expected "router" or "node"
    line 1, column 10: 4294967295 cycles last over 213 days; expected a shorter latency
    "#);
}

fn spec(path: &str) -> FileSpec {
    FileSpec::at(path)
}

#[test]
fn the_format_is_known_by_the_ending_or_said() {
    assert!(read_network("square.anynet", SQUARE.as_bytes(), &spec("square.anynet")).is_ok());
    assert!(read_network("square.xml", SQUARE.as_bytes(), &spec("square.xml")).is_err());
    let said = FileSpec { format: GraphFormat::Anynet, ..spec("square.xml") };
    assert!(read_network("square.xml", SQUARE.as_bytes(), &said).is_ok());
}

#[test]
fn what_the_scenario_wants_must_be_there() {
    let read = |spec: FileSpec| read_network("square.anynet", SQUARE.as_bytes(), &spec);
    let network = read(FileSpec { servers: 2, ..spec("") }).unwrap();
    assert_eq!(network.hosts().iter().filter(|host| host.role == Role::Server).count(), 2);
    let Err(ReadError::Scenario(problem)) = read(FileSpec { servers: 6, ..spec("") }) else {
        panic!("6 of 5 hosts")
    };
    assert_eq!((problem.path.as_str(), problem.expected.as_str()), ("file.servers", "at most 5"));
    let Err(ReadError::Scenario(problem)) = read(FileSpec { hosts_per_switch: 10_001, ..spec("") }) else {
        panic!()
    };
    assert_eq!(problem.path, "file.hosts_per_switch");
}

#[test]
fn bytes_that_are_no_text_have_a_place() {
    let Err(ReadError::File(error)) = read_network("a", b"router 0 node 0\nrout\xffr", &spec("a")) else {
        panic!()
    };
    assert_eq!((error.line, error.column), (2, 5));
}

#[test]
fn a_byte_order_mark_is_no_fault() {
    assert!(read_network("a", "\u{feff}router 0 node 0".as_bytes(), &spec("a")).is_ok());
}

fn has_a_place(contents: &[u8]) -> Result<(), TestCaseError> {
    if let Err(ReadError::File(error)) =
        read_network("a", contents, &FileSpec { hosts_per_switch: 1, ..spec("a") })
    {
        let text = String::from_utf8_lossy(contents);
        let line = text.split('\n').nth(error.line as usize - 1);
        prop_assert!(line.is_some(), "{error}");
        prop_assert!((1..=line.unwrap().chars().count() + 1).contains(&(error.column as usize)), "{error}");
        prop_assert!(!error.expected.is_empty());
    }
    Ok(())
}

proptest! {
    #[test]
    fn no_bytes_are_fatal(bytes: Vec<u8>) {
        has_a_place(&bytes)?;
    }

    #[test]
    fn no_words_are_fatal(words in prop::collection::vec("router|node|[0-9]|[0-9]{1,12}|\n|\\PC", 0..40)) {
        has_a_place(words.join(" ").as_bytes())?;
    }

    #[test]
    fn files_cut_short_are_not_fatal(cut in 0..SQUARE.len()) {
        has_a_place(&SQUARE.as_bytes()[..cut])?;
    }
}

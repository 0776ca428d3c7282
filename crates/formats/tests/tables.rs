//! Fabrics and forwarding tables as real tools print them. The files `square*` are the output of ibsim 0.10, OpenSM
//! 3.3.23 and infiniband-diags 44 for `square.net`.

use hopscope_formats::fabric::{edge_list, ibnetdiscover, subnet_lst};
use hopscope_formats::{CabledNetwork, FormatError, fabric_format, flow_list, root_guids, tables};
use hopscope_topology::{
    Channel, DestinationTables, GraphFormat, Network, Node, PathEnd, SwitchId, TableCheck, TableEngine,
    ports_to_switches,
};
use proptest::prelude::*;

const NET: &str = include_str!("data/square.net");
const DISCOVERED: &str = include_str!("data/square.ibnetdiscover");
const SUBNET: &str = include_str!("data/square-subnet.lst");
const LFTS: &str = include_str!("data/square-lfts.dump");
const FTS: &str = include_str!("data/square-fts.txt");
const FDBS: &str = include_str!("data/square.fdbs");
const ROOTS: &str = include_str!("data/square-roots.txt");
const CABLES: &str =
    "from,to,from_port,to_port,rate,delay,kind\na,b,1,1,100 Gbit/s,50 ns,\nh,a,,2,,,host\ng,b,,,,,host\n";
const CONNECTIONS: &str = "Nodes 7\nConnections 2\nTriggers 1\n0->5 id 1 start 2000 size 4096 send_done_trigger 1\n5->6 id 2 trigger 1 size 100\ntrigger id 1 oneshot\n";

fn net() -> CabledNetwork {
    ibnetdiscover::read(NET).expect("a fabric")
}

/// Every cable by the names and ports of its ends, in order.
fn cables(network: &Network) -> Vec<[(String, u16); 2]> {
    let end = |end: hopscope_topology::Endpoint| (network.name(end.node).to_owned(), end.port);
    let mut cables: Vec<_> = network.links().iter().map(|link| link.ends.map(end)).collect();
    for cable in &mut cables {
        cable.sort();
    }
    cables.sort();
    cables
}

fn guids(fabric: &CabledNetwork) -> Vec<(String, u64)> {
    let switches = fabric.network.switches().iter().map(|s| s.name.clone()).zip(&fabric.switches);
    let hosts = fabric.network.hosts().iter().map(|h| h.name.clone()).zip(&fabric.hosts);
    let mut all: Vec<_> = switches.chain(hosts).map(|(name, address)| (name, address.guid)).collect();
    all.sort();
    all
}

#[test]
fn three_descriptions_of_one_fabric_agree() {
    let described = net();
    assert_eq!((described.network.switches().len(), described.network.hosts().len()), (4, 7));
    for read in [ibnetdiscover::read(DISCOVERED), subnet_lst::read(SUBNET)] {
        let read = read.expect("a fabric");
        assert_eq!(guids(&read), guids(&described));
        assert!(read.hosts.iter().chain(&read.switches).all(|address| address.lid.is_some()));
        let names = |fabric: &CabledNetwork| cables(&fabric.network);
        assert_eq!(names(&read), names(&described));
    }
}

#[test]
fn rates_are_those_of_the_cables() {
    let rates = |fabric: &CabledNetwork| {
        let mut rates: Vec<_> =
            fabric.network.links().iter().map(|link| link.rate.map(|r| r.to_string())).collect();
        rates.dedup();
        rates
    };
    // 4xSDR: four lanes of 2.5 Gbit/s, of which 8 bits in 10 are data.
    assert_eq!(rates(&ibnetdiscover::read(DISCOVERED).expect("a fabric")), [Some("8 Gbit/s".to_owned())]);
    assert_eq!(rates(&subnet_lst::read(SUBNET).expect("a fabric")), [Some("8 Gbit/s".to_owned())]);
    assert_eq!(rates(&net()), [None]);
}

/// The entries of all switches for all hosts, by name.
fn entries(fabric: &CabledNetwork, tables: &DestinationTables) -> Vec<(String, String, Option<u16>)> {
    let network = &fabric.network;
    let of_switch = |id: SwitchId| {
        let entry = move |host| {
            (network.switch(id).name.clone(), network.host(host).name.clone(), tables.port(id, host))
        };
        network.host_ids().map(entry)
    };
    let mut entries: Vec<_> = network.switch_ids().flat_map(of_switch).collect();
    entries.sort();
    entries
}

fn on(fabric: &CabledNetwork, text: &str) -> Result<DestinationTables, FormatError> {
    tables::read(text)?.on(fabric, text)
}

#[test]
fn three_dumps_of_the_same_tables_agree() {
    let described = net();
    let discovered = ibnetdiscover::read(DISCOVERED).expect("a fabric");
    let subnet = subnet_lst::read(SUBNET).expect("a fabric");
    let expected = entries(&described, &on(&described, LFTS).expect("tables"));
    assert_eq!(expected.len(), 28);
    assert!(expected.iter().all(|(.., port)| port.is_some()));
    for fabric in [&described, &discovered, &subnet] {
        assert_eq!(entries(fabric, &on(fabric, FTS).expect("tables")), expected);
    }
    for fabric in [&discovered, &subnet] {
        assert_eq!(entries(fabric, &on(fabric, FDBS).expect("tables")), expected);
    }
    let roots = root_guids::read(ROOTS, &described).expect("roots");
    let check = TableCheck::new(&described.network, &on(&described, LFTS).expect("tables"), &roots);
    assert_eq!((check.unreachable_pairs, check.looping_pairs), (0, 0));
}

#[test]
fn what_is_written_reads_back() {
    for fabric in [net(), ibnetdiscover::read(DISCOVERED).expect("a fabric")] {
        let engine = TableEngine::UpDown { roots: Vec::new() };
        let tables = DestinationTables::compute(&fabric.network, &engine).expect("tables");
        let to_switches = ports_to_switches(&fabric.network, &engine).expect("ports");
        let lfts = tables::Lfts::new(fabric.clone(), tables.clone(), to_switches);
        let text = lfts.expect("few enough nodes").text();
        let read = on(&fabric, &text).expect("tables");
        assert_eq!(entries(&fabric, &read), entries(&fabric, &tables));
    }
}

#[test]
fn formats_are_told_by_how_they_begin() {
    let told = [
        NET,
        DISCOVERED,
        SUBNET,
        CABLES,
        "<?xml version=\"1.0\"?>",
        "router 0 node 0",
        LFTS,
        "model = 1",
        "",
    ];
    let formats = told.map(|text| fabric_format(text).map(|told| told.format));
    use GraphFormat::{Anynet, EdgeList, Graphml, Infiniband, SubnetLst};
    let ib = Some(Infiniband);
    assert_eq!(
        formats,
        [ib, ib, Some(SubnetLst), Some(EdgeList), Some(Graphml), Some(Anynet), None, None, None]
    );
    assert!([LFTS, FTS, FDBS].into_iter().all(tables::looks_like));
}

#[test]
fn an_edge_list_is_a_network() {
    let network = edge_list::read(CABLES, 0).expect("a network");
    assert_eq!((network.switches().len(), network.hosts().len()), (2, 2));
    let Some(Node::Host(h)) = network.node("h") else { panic!("a host") };
    assert_eq!(network.host(h).port, 2);
    assert_eq!(Channel { from: SwitchId::new(0), port: 1, lane: 0 }.to(&network), SwitchId::new(1));
    assert_eq!(edge_list::read("from,to\na,b\n", 3).expect("a network").hosts().len(), 6);
    let quoted = "\u{feff}\"from\",to\r\n\r\n\"a, \"\"1\"\"\nx\",\"b\"";
    let network = edge_list::read(quoted, 0).expect("a network");
    assert!(network.node("a, \"1\"\nx").is_some() && network.node("b").is_some());
}

#[test]
fn flows_of_both_forms() {
    let network = net().network;
    let told = |flows: Vec<hopscope_traffic::flows::ListedFlow>| -> Vec<String> {
        flows.iter().map(|f| format!("{} {} {} {} {:?}", f.from, f.to, f.size, f.start, f.after)).collect()
    };
    let csv = "from,to,size,start\nant,bee,4 KiB,10 us\nbee,twin:1,100 B,\n";
    assert_eq!(
        told(flow_list::read(csv, &network).expect("flows")),
        ["ant bee 4096 B 10 us []", "bee twin:1 100 B 0 s []"]
    );
    assert_eq!(
        told(flow_list::read(CONNECTIONS, &network).expect("flows")),
        ["ant twin:1 4096 B 2 ns []", "twin:1 twin:2 100 B 0 s [\"connection 1\"]"]
    );
}

/// What a reader says of a text with one change, without the hint.
fn told<T>(read: Result<T, FormatError>) -> String {
    read.err().expect("a refusal").to_string()
}

#[test]
fn fabrics_that_are_wrong_are_refused_at_their_place() {
    let said = |from: &str, to: &str| told(ibnetdiscover::read(&NET.replacen(from, to, 1)));
    assert_eq!(
        said("[2] \"bee\"[1]", "[1] \"bee\"[1]"),
        "line 4, column 1: port 1 of \"north\" is used twice: on line 3 already; expected one cable in each port"
    );
    assert_eq!(
        said("[1] \"east\"[1]\n", "[1] \"east\"[1] # lid 10 lmc 8 \"east\" lid 4 4xSDR\n"),
        "line 34, column 1: a LID mask control (lmc) of 8; expected a number from 0 to 7"
    );
    assert_eq!(
        said("[1] \"east\"[1]\n", "[1] \"east\"[1] # lid 70000 lmc 0 \"east\" lid 4 4xSDR\n"),
        "line 34, column 21: LID 70000; expected a unicast LID, at most 49151"
    );
    assert_eq!(
        said("Hca 1 \"cow\"\n[1] \"east\"[1]\n", "Hca 1 \"cow\"\n"),
        "line 33, column 8: host \"cow\" has no cable; expected a line such as [1] \"switch\"[2] for each cabled port"
    );
    assert_eq!(
        said("[1] \"cow\"[1]\n", ""),
        "line 33, column 6: this cable is not found at its other end, port 1 of \"east\"; expected a line for it there"
    );
    assert_eq!(
        said("[3] \"east\"[4]", "[3] \"east\"[6]"),
        "line 5, column 6: line 13 says that port 6 of \"east\" leads elsewhere; expected the same cable at both ends"
    );
    assert_eq!(
        said("[6] \"south\"[4]", "[9] \"south\"[4]"),
        "line 13, column 1: port 9 of \"east\", which has 8 ports; expected a port from 1 to that number"
    );
    assert_eq!(
        told(ibnetdiscover::read("Switch 8 \"a\"\n\nHca 1 \"h\"\n")),
        "line 3, column 8: host \"h\" has no cable; expected a line such as [1] \"switch\"[2] for each cabled port"
    );
    let cut = &NET[..NET.find("Hca 1 \"dog\"").expect("it is there")];
    assert_eq!(
        told(ibnetdiscover::read(cut)),
        "line 16, column 6: no node is called \"dog\"; expected a node of this file"
    );
    let cut = &SUBNET[..SUBNET.len() - 30];
    assert_eq!(told(subnet_lst::read(cut)), "line 24, column 305: \"P\" does not fit here; expected \"PN:\"");
}

#[test]
fn tables_that_are_wrong_are_refused_at_their_place() {
    let fabric = net();
    let said = |text: &str| told(on(&fabric, text));
    let cut = LFTS.rfind("lids dumped").expect("a count");
    let line_before = LFTS[..cut].rfind('\n').expect("several lines");
    assert_eq!(
        said(&LFTS[..line_before]),
        "line 51, column 65: the table ends without its count of LIDs; expected a line such as \"12 lids dumped\""
    );
    let last = LFTS.rfind("Unicast").expect("a table");
    let said_of_missing = said(&LFTS[..last]);
    assert!(said_of_missing.contains("the file ends without a table of switch"), "{said_of_missing}");
    assert_eq!(
        said(&LFTS.replacen("guid 0x0000000000200000", "guid 0x0000000000300000", 1).replacen(
            "'north'",
            "'south pole'",
            1
        )),
        "line 1, column 1: the fabric has no switch with GUID 0x0000000000300000; expected the tables of this fabric"
    );
    // A switch that is known by its name alone may be another one than the tables are of.
    let replaced = LFTS.replacen("guid 0x0000000000200000", "guid 0x0000000000300000", 1);
    let of_other_guids = |text: &str| tables::read(text).expect("tables").switches_of_other_guids(&fabric);
    assert_eq!(
        of_other_guids(&replaced),
        ["north has GUID 0x0000000000300000 in the tables, 0x0000000000200000 in the fabric"]
    );
    assert!(of_other_guids(LFTS).is_empty());
    let without = |text: &str| -> String {
        text.lines().filter(|line| !line.starts_with("0x0002")).map(|line| format!("{line}\n")).collect()
    };
    let refused = said(&without(FTS));
    assert!(
        refused.contains("the table has 10 entries, and this says 11; expected as many as there are"),
        "{refused}"
    );
    // OpenSM counts LIDs without an entry as well: packets for them are dropped.
    let open = on(&fabric, &without(LFTS)).expect("tables with holes");
    let check = TableCheck::new(&fabric.network, &open, &[]);
    assert_eq!((check.unreachable_pairs, check.unreachable[0].to.as_str()), (6, "ant"));
    let doubled = LFTS.replacen("11 lids dumped", "10 lids dumped", 1);
    assert!(said(&doubled).contains("the table has 11 entries, and this says 10"));
    assert!(said(FDBS).contains("these tables name nodes by LID alone, and the fabric's file has no LIDs"));
    let elsewhere = ibnetdiscover::read("Switch 4 \"only\"\n[1] \"h\"[1]\n\nHca 1 \"h\"\n[1] \"only\"[1]\n")
        .expect("a fabric");
    assert!(told(on(&elsewhere, LFTS)).contains("expected the tables of this fabric"));
}

#[test]
fn lists_that_are_wrong_are_refused_at_their_place() {
    let network = net().network;
    assert_eq!(
        told(root_guids::read("0x200000\n0x2000ff # gone\n", &net())),
        "line 2, column 1: the fabric has no switch with GUID 0x00000000002000ff; expected the GUID of one of its switches"
    );
    assert_eq!(
        told(edge_list::read("from,to,colour\na,b,red\n", 1)),
        "line 1, column 9: no column is called \"colour\"; expected one of from, to, from_port, to_port, rate, delay, kind"
    );
    for (row, found, hint) in [
        (
            "a,b,1 Gbit/s,",
            "4 fields",
            "is a column missing in the heading, or a comma in a field that is not in quotation marks?",
        ),
        ("a,b", "2 fields", "is the file cut short?"),
        ("\"a,b", "the quotation mark is not closed", "write two for one within the field"),
    ] {
        let wrong = edge_list::read(&format!("from,to,rate\na,b,\n{row}\na,c,\n"), 1).expect_err("a bad row");
        assert_eq!((wrong.line, wrong.problem.as_str(), wrong.hint.as_deref()), (3, found, Some(hint)));
    }
    assert_eq!(
        told(edge_list::read("from,to,from_port,to_port\na,b,1,1\na,c,1,1\n", 1)),
        "line 3, column 1: port 1 of \"a\" is used twice; expected one link in each port"
    );
    assert_eq!(
        told(flow_list::read("from,to,size\nant,bea,1 KiB\n", &network)),
        "line 2, column 5: there is no host \"bea\"; expected the name of a host of the network"
    );
    let flow = |flow: &str| told(flow_list::read(&format!("from,to,size,start\nant,bee,{flow}\n"), &network));
    assert_eq!(flow("lots,"), "line 2, column 9: \"lots\" is not a size; expected a size such as 64 KiB");
    assert_eq!(
        flow("1 KiB,soon"),
        "line 2, column 15: \"soon\" is not a time; expected a time such as 10 us"
    );
    assert_eq!(
        told(edge_list::read("from,to,rate\na,b,fast\n", 1)),
        "line 2, column 5: \"fast\" is not a rate; expected a rate such as 100 Gbit/s"
    );
    assert_eq!(
        told(edge_list::read("from,to,rate,kind\na,b,1 Gbit/s,trunk\nc,b,0 Gbit/s,host\n", 0)),
        "line 3, column 5: a link of 0 bit/s sends nothing; expected a rate such as 100 Gbit/s"
    );
    assert_eq!(
        told(edge_list::read("from,to,kind\na,b,hst\n", 0)),
        "line 2, column 5: there is no kind \"hst\"; expected trunk (between switches) or host"
    );
    assert_eq!(
        told(flow_list::read("Nodes 7\nConnections 2\n0->1 id 1 start 0 size 8\n", &network)),
        "line 4, column 1: the file ends after 1 of 2 connections; expected as many as it says at its top"
    );
    assert_eq!(
        told(flow_list::read("Nodes 7\nConnections 1\n0->9 id 1 start 0 size 8\n", &network)),
        "line 3, column 4: there is no node 9: the network has 7 hosts; expected a number below that"
    );
}

/// Every reader on a text: it ends, and a refusal has a place within the text.
fn read_all(text: &str, fabric: &CabledNetwork) -> Result<(), TestCaseError> {
    let refusals = [
        ibnetdiscover::read(text).err(),
        subnet_lst::read(text).err(),
        tables::read(text).err(),
        on(fabric, text).err(),
        root_guids::read(text, fabric).err(),
        edge_list::read(text, 1).err(),
        flow_list::read_csv(text, &fabric.network).err(),
        flow_list::read_cm(text, &fabric.network).err(),
    ];
    let lines: Vec<&str> = text.split('\n').collect();
    for refusal in refusals.into_iter().flatten() {
        let line = lines.get(refusal.line as usize - 1);
        prop_assert!(line.is_some(), "{refusal}");
        prop_assert!(refusal.column as usize <= line.map_or(0, |line| line.chars().count()) + 1, "{refusal}");
        prop_assert!(!refusal.expected.is_empty());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_all(&String::from_utf8_lossy(&bytes), &net())?;
    }

    /// Real files with a piece cut out, put in or doubled.
    #[test]
    fn mutated_files_are_read_or_refused(
        which in 0_usize..8,
        at in any::<prop::sample::Index>(),
        length in 0_usize..60,
        put in prop::sample::select(vec!["", "\n", "\"", "[", "é", "0xffffffffffffffffff", "-1", " # ", "{", "}", ","]),
        doubled in any::<bool>(),
    ) {
        let file = [NET, DISCOVERED, SUBNET, LFTS, FTS, FDBS, CABLES, CONNECTIONS][which];
        let from = at.index(file.len());
        let to = (from + length).min(file.len());
        let piece = if doubled { &file[from..to] } else { "" };
        let text = format!("{}{put}{piece}{}", &file[..if doubled { to } else { from }], &file[to..]);
        read_all(&text, &net())?;
    }
}

#[test]
fn what_waits_for_a_trigger_waits_for_those_that_fire_it() {
    let network = net().network;
    let text = |trigger: &str| {
        format!(
            "Nodes 7\nConnections 4\nTriggers 1\n0->1 id 1 start 0 size 8 send_done_trigger 1\n\
             1->2 id 2 start 0 size 8 recv_done_trigger 1\n2->3 id 3 trigger 1 size 8\n\
             3->4 id 4 trigger 1 size 8\ntrigger id 1 {trigger}\n"
        )
    };
    let waits = |trigger: &str| {
        let flows = flow_list::read(&text(trigger), &network).expect("flows");
        let both = vec!["connection 1".to_owned(), "connection 2".to_owned()];
        assert!(flows[..2].iter().all(|flow| flow.after.is_empty()) && flows[2].after == both);
        [flows[2].after_any, flows[3].after_any]
    };
    assert_eq!(waits("oneshot"), [Some(1), Some(1)]);
    assert_eq!(waits("multishot"), [Some(1), None]);
    assert_eq!(waits("count 2 barrier"), [None, None]);
    assert_eq!(
        told(flow_list::read(&text("count 3 barrier"), &network)),
        "line 6, column 11: trigger 1 must be fired 3 times for this flow, and is 2 times; expected as many connections with \
         send_done_trigger or recv_done_trigger"
    );
    assert_eq!(
        told(flow_list::read(&text("oneshot").replace("id 3 trigger 1", "id 3 trigger 2"), &network)),
        "line 6, column 11: there is no trigger 2; expected a line such as trigger id 1 oneshot"
    );
    assert_eq!(
        told(flow_list::read(&text("sometimes"), &network)),
        "line 8, column 14: \"sometimes\" is not known here; expected id, count, oneshot, multishot or barrier"
    );
}

/// The same square where OpenSM gave every port of a host two LIDs (`opensm -R minhop -l 1`).
#[test]
fn each_lid_of_a_host_is_a_path_of_its_own() {
    let fabric = ibnetdiscover::read(include_str!("data/lmc.ibnetdiscover")).expect("a fabric");
    assert!(fabric.hosts.iter().all(|address| address.lmc == 1));
    assert!(fabric.switches.iter().all(|address| address.lmc == 0));
    let lfts = include_str!("data/lmc-lfts.dump");
    let every = |text: &str| tables::read(text).expect("tables").on_every_lid(&fabric, text).expect("tables");
    let paths = every(lfts);
    assert_eq!(paths.len(), 2);
    assert_eq!(paths[0], on(&fabric, lfts).expect("tables"));
    // The dump of switch "east": 0x0002 004 and 0x0003 005, both "ant".
    let entry = |path: usize| {
        let found = entries(&fabric, &paths[path]);
        found.into_iter().find(|(from, to, _)| from == "east" && to == "ant").expect("an entry").2
    };
    assert_eq!([entry(0), entry(1)], [Some(4), Some(5)]);
    for dump in [include_str!("data/lmc-fts.txt"), include_str!("data/lmc.fdbs")] {
        assert!(every(dump) == paths, "{}", &dump[..40]);
    }
    let check = TableCheck::of_paths(&fabric.network, &paths, &[]);
    let one_by_one = paths.iter().map(|tables| TableCheck::new(&fabric.network, tables, &[]));
    let most = |check: &TableCheck| check.most_loaded.iter().map(|load| load.pairs).max();
    assert_eq!((check.paths, check.pairs, check.unreachable_pairs), (2, 2 * 7 * 6, 0));
    // ibdmchk, which looks at the lowest LIDs of these dumps, finds no credit loop; the others close the square.
    assert!(TableCheck::new(&fabric.network, &paths[0], &[]).credit_loop.is_none());
    assert_eq!(check.credit_loop.as_ref().expect("the square").len(), 4);
    assert!(one_by_one.into_iter().all(|one| most(&one) <= most(&check)));
}

fn lmc_fabric() -> CabledNetwork {
    ibnetdiscover::read(include_str!("data/lmc.ibnetdiscover")).expect("a fabric")
}

/// The LID by which each table reaches "ant", and whether "dog" does by it.
fn ways_to_ant(fabric: &CabledNetwork, text: &str) -> Vec<(u16, PathEnd)> {
    let host = |name: &str| match fabric.network.node(name) {
        Some(Node::Host(host)) => host,
        _ => panic!("a host"),
    };
    let (dog, ant) = (host("dog"), host("ant"));
    let paths = tables::read(text).expect("tables").on_every_lid(fabric, text).expect("tables");
    let way = |tables: &DestinationTables| {
        (tables.lid(ant).expect("a LID"), tables.path(&fabric.network, dog, ant).end)
    };
    paths.iter().map(way).collect()
}

/// A LID of the fabric's file that no table has: its packets are lost, and those of the others stay theirs.
#[test]
fn a_lid_that_stands_in_no_table_is_unreachable() {
    let (fabric, lfts) = (lmc_fabric(), include_str!("data/lmc-lfts.dump"));
    let without = |lid: &str| -> String {
        lfts.lines().filter(|line| !line.starts_with(lid)).map(|line| format!("{line}\n")).collect()
    };
    use PathEnd::{Arrives, Lost};
    assert_eq!(ways_to_ant(&fabric, lfts), [(2, Arrives), (3, Arrives)]);
    assert_eq!(ways_to_ant(&fabric, &without("0x0002")), [(2, Lost), (3, Arrives)]);
    assert_eq!(ways_to_ant(&fabric, &without("0x0003")), [(2, Arrives), (3, Lost)]);
}

/// Tables that are written have every LID of a host.
#[test]
fn what_is_written_has_every_lid() {
    let fabric = lmc_fabric();
    let engine = TableEngine::UpDown { roots: Vec::new() };
    let computed = DestinationTables::compute(&fabric.network, &engine).expect("tables");
    let to_switches = ports_to_switches(&fabric.network, &engine).expect("ports");
    let text = tables::Lfts::new(fabric.clone(), computed, to_switches).expect("few nodes").text();
    assert_eq!(ways_to_ant(&fabric, &text), [(2, PathEnd::Arrives), (3, PathEnd::Arrives)]);
    let paths = tables::read(&text).expect("tables").on_every_lid(&fabric, &text).expect("tables");
    assert_eq!(TableCheck::of_paths(&fabric.network, &paths, &[]).unreachable_pairs, 0);
}

/// Two hosts whose LIDs are exchanged in one of the two files: by LID each would be taken for the other.
#[test]
fn tables_with_other_lids_than_the_fabric_are_refused() {
    let discovered = include_str!("data/lmc.ibnetdiscover");
    let exchanged = discovered.replace("lid 2 lmc 1", "lid X").replace("lid 6 lmc 1", "lid 2 lmc 1");
    let exchanged = ibnetdiscover::read(&exchanged.replace("lid X", "lid 6 lmc 1")).expect("a fabric");
    let lfts = include_str!("data/lmc-lfts.dump");
    let refused = told(tables::read(lfts).expect("tables").on_every_lid(&exchanged, lfts));
    assert!(
        refused.contains("LID 2 (0x0002) is of \"ant\" here; in the fabric's file it is of "),
        "{refused}"
    );
    assert!(refused.starts_with("line "), "{refused}");
    // A LID that is unassigned in the fabric's file.
    let moved = ibnetdiscover::read(&discovered.replace("lid 2 lmc 1", "lid 102 lmc 1")).expect("a fabric");
    let refused = told(on(&moved, lfts));
    assert!(refused.contains("; in the fabric's file that node has 102, 103"), "{refused}");
}

/// What a pulled cable leaves behind drops packets at a known port; another fabric's tables are refused.
#[test]
fn an_entry_for_a_port_without_a_cable_drops_packets() {
    let fabric = net();
    let at_first = |port: &str| LFTS.replacen("0x0005 002", &format!("0x0005 {port}"), 1);
    assert_ne!(at_first("008"), LFTS);
    for (port, uncabled) in [("008", Some(8)), ("255", None)] {
        let tables = on(&fabric, &at_first(port)).expect("tables");
        let check = TableCheck::new(&fabric.network, &tables, &[]);
        assert!(check.unreachable_pairs > 0);
        let lost = &check.unreachable[0];
        assert_eq!((lost.way.last(), lost.port, lost.lid), (Some(&"north".to_owned()), uncabled, Some(5)));
    }
    let elsewhere: String = LFTS
        .lines()
        .map(|line| match line.strip_prefix("0x") {
            Some(entry) => format!("0x{} 008{}\n", &entry[..4], &entry[8..]),
            None => format!("{line}\n"),
        })
        .collect();
    let refused = told(on(&fabric, &elsewhere));
    assert!(refused.contains("port 8 of switch"), "{refused}");
}

/// A hole in the table for a second LID is found, and told as a pair of hosts.
#[test]
fn a_hole_for_a_second_lid_is_found() {
    let fabric = ibnetdiscover::read(include_str!("data/lmc.ibnetdiscover")).expect("a fabric");
    let lfts = include_str!("data/lmc-lfts.dump");
    let open: String =
        lfts.lines().filter(|line| !line.starts_with("0x0003")).map(|line| format!("{line}\n")).collect();
    let whole = TableCheck::new(&fabric.network, &on(&fabric, &open).expect("tables"), &[]);
    assert_eq!(whole.unreachable_pairs, 0);
    let cut = |lid: &str| {
        let mut seen = 0;
        let kept = lfts.lines().filter(|line| {
            seen += usize::from(line.starts_with(lid));
            !(line.starts_with(lid) && seen == 1)
        });
        let text: String = kept.map(|line| format!("{line}\n")).collect();
        let paths = tables::read(&text).expect("tables").on_every_lid(&fabric, &text).expect("tables");
        TableCheck::of_paths(&fabric.network, &paths, &[]).unreachable_pairs
    };
    // The first table is that of "north", where "ant" and "bee" are: without its entry no other host reaches "ant".
    assert_eq!([cut("0x0002"), cut("0x0003")], [6, 6]);
}

/// OpenSM counts LIDs that a switch has no way to, and a file that lacks lines looks the same.
#[test]
fn tables_that_count_more_lids_than_they_list_are_told() {
    let read = |text: &str| tables::read(text).expect("tables").omissions();
    assert_eq!(read(LFTS), None);
    let (first, rest) = LFTS.split_once("11 lids dumped").expect("a count");
    let words = read(&format!("{first}14 lids dumped{rest}")).expect("a note");
    assert!(words.contains("has 11 entries and ends with \"14 lids dumped\": OpenSM"), "{words}");
    let words = read(&LFTS.replace("11 lids dumped", "12 lids dumped")).expect("a note");
    assert!(words.contains(", and 3 more tables likewise"), "{words}");
}

#[test]
fn a_list_with_the_line_ends_of_an_old_mac_is_refused_with_what_helps() {
    let spec = hopscope_topology::FileSpec::at("cables.csv");
    let read = |text: &str| hopscope_formats::read_network("cables.csv", text.as_bytes(), &spec);
    assert!(read(CABLES).is_ok() && read(&CABLES.replace('\n', "\r\n")).is_ok());
    match read(&CABLES.replace('\n', "\r")) {
        Err(hopscope_formats::ReadError::File(error)) => {
            assert_eq!((error.line, error.column), (1, 42));
            assert!(error.hint.is_some_and(|hint| hint.contains("tr '\\r' '\\n'")));
        }
        other => panic!("{other:?}"),
    }
}

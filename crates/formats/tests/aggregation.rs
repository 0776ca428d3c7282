//! Aggregation nodes of switches (SHARP): no hosts in any form, and known where tables and counters name them. Nodes
//! that have identifiers of others are refused.

use hopscope_formats::counters;
use hopscope_formats::fabric::{iblinkinfo, ibnetdiscover, subnet_lst};
use hopscope_formats::{CabledNetwork, tables};
use hopscope_topology::{AnomalyKind, DestinationTables, Network, TableEngine, ports_to_switches};

/// Two switches that are joined, with a host and an aggregation node each.
fn discovered() -> String {
    let mut text = String::new();
    for (own, other) in [(1, 2), (2, 1)] {
        text += &format!(
            "devid=0xd2f0\nswitchguid=0x20{own}(20{own})\nSwitch\t41 \"S-20{own}\"\t\t# \"sw{own}\" enhanced port 0 \
             lid {own} lmc 0\n[1]\t\"H-10{own}\"[1](10{own})\t\t# \"node{own} HCA-1\" lid {} 4xHDR\n\
             [30]\t\"S-20{other}\"[30]\t\t# \"sw{other}\" lid {other} 4xHDR\n\
             [41]\t\"H-30{own}\"[1](30{own})\t\t# \"Mellanox Technologies Aggregation \
             Node\" lid {} 4xHDR\n\n",
            10 + own,
            20 + own
        );
    }
    for own in [1, 2] {
        for (kind, lid, device, name) in
            [(1, 10, "0x101b", format!("node{own} HCA-1")), (3, 20, "0xcf09", "AN".to_owned())]
        {
            text += &format!(
                "devid={device}\ncaguid=0x{kind}0{own}\nCa\t1 \"H-{kind}0{own}\"\t\t# \"{name}\"\n[1]({kind}0{own})\t\
                 \"S-20{own}\"[{}]\t\t# lid {} lmc 0 \"sw{own}\" lid {own} 4xHDR\n\n",
                if kind == 1 { 1 } else { 41 },
                lid + own
            );
        }
    }
    text
}

fn read(text: &str) -> CabledNetwork {
    ibnetdiscover::read(text).unwrap()
}

fn refused(text: &str) -> String {
    ibnetdiscover::read(text).unwrap_err().to_string()
}

fn sizes(network: &Network) -> (usize, usize, usize) {
    (network.switches().len(), network.hosts().len(), network.links().len())
}

#[test]
fn aggregation_nodes_are_no_hosts_and_are_told() {
    let fabric = read(&discovered());
    assert_eq!(sizes(&fabric.network), (2, 2, 3));
    let told: Vec<_> = fabric.anomalies.iter().map(|each| (each.kind, each.words.as_str())).collect();
    let words = "left out: 2 aggregation nodes of switches (SHARP), which are no hosts";
    assert_eq!(told, [(AnomalyKind::LeftOut, words)]);
    assert_eq!(fabric.aggregation[1].lid, Some(22));
    // By the description alone, as where the device is not told.
    let by_name = discovered().replace("\"AN\"", "\"Mellanox Technologies Aggregation Node\"");
    assert_eq!(read(&by_name.replace("devid=0xcf09\n", "")).network, fabric.network);
}

#[test]
fn they_are_left_out_of_iblinkinfo_and_of_subnet_lists() {
    let row = |near: (u32, u32), far: (u32, u32), name: &str| {
        format!(
            "  {}  {}[  ] ==( 4X  53.125 Gbps Active/  LinkUp)==>  {}  {}[  ] \"{name}\" ( )\n",
            near.0, near.1, far.0, far.1
        )
    };
    const NODE: &str = "Mellanox Technologies Aggregation Node";
    let rows = format!(
        "CA: {NODE}:\n{}CA: node1 HCA-1:\n{}Switch: 0x201 sw1:\n{}{}",
        row((21, 1), (1, 41), "sw1"),
        row((11, 1), (1, 1), "sw1"),
        row((1, 1), (11, 1), "node1 HCA-1"),
        row((1, 41), (21, 1), NODE)
    );
    let alone = &rows[rows.find("Switch:").unwrap()..];
    for text in [&rows, alone] {
        let fabric = iblinkinfo::read(text).unwrap();
        assert_eq!(sizes(&fabric.network), (1, 1, 1), "{text}");
        assert_eq!((fabric.aggregation.len(), fabric.anomalies.len()), (1, 1));
        assert_eq!(fabric.aggregation[0].lid, Some(21));
    }
    let end = |kind: &str, guid: u32, device: &str, name: &str, lid: u32, port: u32| {
        format!(
            "{{ {kind} Ports:01 SystemGUID:{guid:016x} NodeGUID:{guid:016x} PortGUID:{guid:016x} VenID:0000 \
             DevID:{device} Rev:000000A1 {{{name}}} LID:{lid:04x} PN:{port:02x} }} "
        )
    };
    let switch = |port| end("SW", 0x201, "d2f0", "sw1", 1, port);
    let [host, node] = [end("CA", 0x101, "101b", "node1", 11, 1), end("CA", 0x301, "cf09", "an", 21, 1)];
    let tail = "PHY=4x LOG=ACT SPD=50\n";
    let lines = [(switch(1), &host), (switch(41), &node)];
    let both = lines.map(|(switch, far)| format!("{switch}{far}{tail}{far}{switch}{tail}"));
    let fabric = subnet_lst::read(&both.concat()).unwrap();
    assert_eq!(sizes(&fabric.network), (1, 1, 1));
    assert_eq!((fabric.aggregation[0].lid, fabric.aggregation[0].at), (Some(21), (0x201, 41)));
}

#[test]
fn tables_and_counters_that_name_them_are_those_of_the_fabric() {
    let fabric = read(&discovered());
    let table = |own: u32, other: u32| {
        format!(
            "Unicast lids [0-22] of switch Lid {own} guid 0x000000000000020{own} ('sw{own}'):\n0x000b {} # Channel \
             Adapter portguid 0x0000000000000101: 'node1 HCA-1'\n0x000c {} # Channel Adapter portguid \
             0x0000000000000102: 'node2 HCA-1'\n0x00{:02x} 041 # Channel \
             Adapter portguid 0x000000000000030{own}: 'Mellanox Technologies \
             Aggregation Node'\n3 lids dumped\n",
            if own == 1 { "001" } else { "030" },
            if own == 1 { "030" } else { "001" },
            20 + own,
        )
        .replace("'sw0'", &format!("'sw{other}'"))
    };
    let text = table(1, 2) + &table(2, 1);
    tables::read(&text).unwrap().on(&fabric, &text).unwrap();
    // Of their own ports, and of the switches' ports to them, which wait as others do.
    let section = |lid, port| {
        format!("# Port extended counters: Lid {lid} port {port} (CapMask: 0x0)\nPortXmitWait:....9\n")
    };
    let text = section(1, 1) + &section(1, 41) + &section(21, 1);
    let found = counters::read(&text).unwrap().on(&fabric, &text).unwrap();
    assert_eq!(found.len(), 1);
    let by_guid = "Port=1 Lid=0x15 GUID=0x301 Device=0 Port Name=x/1\nport_xmit_wait=0x12\n";
    assert!(counters::read(by_guid).unwrap().on(&fabric, by_guid).unwrap().is_empty());
}

/// Tables that are written have entries for them, which lead to their own switch and there to their port.
#[test]
fn tables_that_are_written_lead_to_them() {
    let fabric = read(&discovered());
    let engine = TableEngine::UpDown { roots: Vec::new() };
    let computed = DestinationTables::compute(&fabric.network, &engine).unwrap();
    let to_switches = ports_to_switches(&fabric.network, &engine).unwrap();
    let text = tables::Lfts::new(fabric.clone(), computed, to_switches).unwrap().text();
    let entries = |lid: &str| text.lines().filter(|line| line.starts_with(lid)).collect::<Vec<_>>();
    let line = |lid: &str, port: &str, guid: u32, name: &str| {
        format!("{lid} {port} # Channel Adapter portguid {guid:#018x}: '{name}'")
    };
    assert_eq!(entries("0x0015"), ["041", "030"].map(|port| line("0x0015", port, 0x301, "AN")));
    assert_eq!(entries("0x0016"), ["030", "041"].map(|port| line("0x0016", port, 0x302, "AN")));
    assert_eq!(text.matches("6 lids dumped").count(), 2);
    tables::read(&text).unwrap().on(&fabric, &text).unwrap();
}

/// A loop cable, and a loopback plug, which stands once.
#[test]
fn a_cable_of_a_switch_to_itself_is_left_out() {
    let loops = |lines: &str| {
        let row = "[30]\t\"S-202\"[30]\t\t# \"sw2\" lid 2 4xHDR\n";
        read(&discovered().replace(row, &format!("{row}{lines}")))
    };
    let line = |near: u32, far: u32| format!("[{near}]\t\"S-201\"[{far}]\t\t# \"sw1\" lid 1 4xHDR\n");
    let whole = read(&discovered());
    for (lines, words) in [
        (line(31, 32) + &line(32, 31), "left out: the cable sw1:31 - sw1:32, which joins a switch to itself"),
        (line(31, 31), "left out: the loopback plug in port sw1:31"),
    ] {
        let fabric = loops(&lines);
        assert_eq!(fabric.network, whole.network);
        let told =
            fabric.anomalies.iter().any(|each| (each.kind, &*each.words) == (AnomalyKind::LeftOut, words));
        assert!(told, "{:?}", fabric.anomalies);
    }
    // What is not found at its other end is still refused.
    let lone = discovered().replacen("[30]\t\"S-202\"", &(line(31, 32) + "[30]\t\"S-202\""), 1);
    assert!(refused(&lone).contains("this cable is not found at its other end"), "{}", refused(&lone));
}

#[test]
fn a_lid_or_guid_of_two_nodes_is_refused_with_both_lines() {
    let good = discovered();
    let lid = good.replace("# lid 12 lmc 0", "# lid 11 lmc 0");
    let told = refused(&lid);
    assert!(told.contains("LID 11 of \"node2 HCA-1\" is that of \"node1 HCA-1\" on line 18"), "{told}");
    // The second LID of a port with LMC 1 is one of it, too.
    let lmc = good.replace("# lid 11 lmc 0", "# lid 11 lmc 1");
    assert!(refused(&lmc).contains("LID 12 of"), "{}", refused(&lmc));
    let switch = good.replace("enhanced port 0 lid 2 lmc 0", "enhanced port 0 lid 1 lmc 0");
    assert!(
        refused(&switch).contains("LID 1 of \"sw2\" is that of \"sw1\" on line 3"),
        "{}",
        refused(&switch)
    );
    let guid = good.replace("caguid=0x102", "caguid=0x101");
    assert!(refused(&guid).contains("GUID 0x0000000000000101 of \"node2 HCA-1\""), "{}", refused(&guid));
    // An address that no subnet manager has given is unassigned.
    let none =
        good.replace("# lid 11 lmc 0", "# lid 65535 lmc 0").replace("# lid 12 lmc 0", "# lid 65535 lmc 0");
    assert_eq!(read(&none).hosts[0].lid, None);
}

#[test]
fn a_speed_that_is_not_known_is_refused() {
    for word in ["4xGDR", "4x???", "3xHDR"] {
        let text = discovered().replacen("4xHDR", word, 1);
        let told = refused(&text);
        assert!(told.starts_with(&format!("line 4, column 45: \"{word}\" is no width and speed")), "{told}");
        assert!(told.contains("FDR10, FDR, EDR, HDR"), "{told}");
    }
}

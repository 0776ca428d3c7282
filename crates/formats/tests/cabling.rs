//! What a file says of how hosts are cabled: hosts on another rail than most, and ports that are cabled to their own
//! node.

use hopscope_formats::CabledNetwork;
use hopscope_formats::counters::{self, Counter};
use hopscope_formats::fabric::{iblinkinfo, ibnetdiscover, subnet_lst};
use hopscope_topology::AnomalyKind;

/// A host with its name, and for each of its cables its own port, the leaf and the port there.
type Host = (&'static str, &'static [(u32, u32, u32)]);

/// Two leaves under one spine, with hosts of two ports: port 1 at the first leaf, port 2 at the second.
const RAILS: [Host; 4] = [
    ("n1", &[(1, 1, 1), (2, 2, 1)]),
    ("n2", &[(1, 1, 2), (2, 2, 2)]),
    ("n3", &[(1, 1, 3), (2, 2, 3)]),
    ("n4", &[(1, 1, 4), (2, 2, 4)]),
];

/// The LID of a host's port; leaves have 1 and 2, the spine 9.
fn lid(host: usize, port: u32) -> u32 {
    10 * (host as u32 + 1) + port
}

/// The fabric as `ibnetdiscover` prints it. Further lines of a node follow its own.
fn discovered(hosts: &[Host], further: &dyn Fn(&str) -> String) -> String {
    let mut text = String::new();
    for leaf in [1, 2] {
        text += &format!(
            "switchguid=0x20{leaf}(20{leaf})\nSwitch\t36 \"S-{leaf}\"\t# \"leaf{leaf}\" lid {leaf} lmc 0\n"
        );
        text += &format!("[20]\t\"S-9\"[{leaf}]\t# \"spine\" lid 9 4xHDR\n");
        for (number, (name, cables)) in hosts.iter().enumerate() {
            for (own, _, port) in cables.iter().filter(|(_, at, _)| *at == leaf) {
                let lid = lid(number, *own);
                text += &format!("[{port}]\t\"H-{name}\"[{own}]\t# \"{name} mlx5_0\" lid {lid} 4xHDR\n");
            }
        }
        text += &further(&format!("leaf{leaf}"));
    }
    text += "switchguid=0x209(209)\nSwitch\t36 \"S-9\"\t# \"spine\" lid 9 lmc 0\n";
    text += "[1]\t\"S-1\"[20]\t# \"leaf1\" lid 1 4xHDR\n[2]\t\"S-2\"[20]\t# \"leaf2\" lid 2 4xHDR\n";
    for (number, (name, cables)) in hosts.iter().enumerate() {
        text += &format!("caguid=0x30{number}0\nCa\t2 \"H-{name}\"\t# \"{name} mlx5_0\"\n");
        for (own, leaf, port) in *cables {
            let lid = lid(number, *own);
            text += &format!(
                "[{own}](30{number}{own})\t\"S-{leaf}\"[{port}]\t# lid {lid} lmc 0 \"leaf{leaf}\" lid {leaf} 4xHDR\n"
            );
        }
        text += &further(name);
    }
    text
}

fn nothing(_: &str) -> String {
    String::new()
}

fn read(text: &str) -> CabledNetwork {
    ibnetdiscover::read(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn told(fabric: &CabledNetwork, kind: AnomalyKind) -> Vec<&str> {
    fabric.anomalies.iter().filter(|each| each.kind == kind).map(|each| each.words.as_str()).collect()
}

fn misplaced(hosts: [Host; 4]) -> Vec<String> {
    let fabric = read(&discovered(&hosts, &nothing));
    told(&fabric, AnomalyKind::MisplacedLink).into_iter().map(str::to_owned).collect()
}

#[test]
fn ports_that_are_exchanged_between_rails_are_named() {
    assert!(misplaced(RAILS).is_empty(), "{:?}", misplaced(RAILS));
    let [a, b, _, d] = RAILS;
    let most = "most hosts have port 1 of mlx5_0 at leaf1, port 2 of mlx5_0 at leaf2";
    assert_eq!(
        misplaced([a, b, ("n3", &[(1, 2, 3), (2, 1, 3)]), d]),
        [format!(
            "the cable leaf2:3 - n3:1 and the cable leaf1:3 - n3:2 are probably exchanged between rails: {most}"
        )]
    );
    // One cable at the other leaf, and nothing in its place.
    assert_eq!(
        misplaced([a, b, ("n3", &[(1, 2, 7), (2, 2, 3)]), d]),
        [format!("the cable leaf2:7 - n3:1 leads to another rail than its like: {most}")]
    );
    // Hosts that are cabled in any order have no rails.
    assert!(misplaced([a, ("n2", &[(1, 2, 2), (2, 1, 2)]), ("n3", &[(1, 2, 3), (2, 1, 3)]), d]).is_empty());
}

#[test]
fn a_node_without_a_lid_among_others_that_have_one_is_told() {
    let text = discovered(&RAILS, &nothing);
    let without = |lids: &[u32]| {
        let zero = |text: String, lid: &u32| text.replace(&format!(" lid {lid} "), " lid 0 ");
        let fabric = read(&lids.iter().fold(text.clone(), zero));
        told(&fabric, AnomalyKind::WithoutLid).join("\n")
    };
    assert_eq!(without(&[]), "");
    let words = "leaf2 has no LID: the subnet manager has not set it up, and real traffic does not reach it";
    assert_eq!(without(&[2]), words);
    // Before a subnet manager has run no node has one.
    assert_eq!(without(&[1, 2, 9]), "");
}

/// Port 2 of the first host is cabled to itself, or both of its ports to each other.
#[test]
fn a_port_of_a_host_that_is_cabled_to_itself_is_left_out_and_told() {
    let plugged = |name: &str| match name {
        "n1" => "[2](30002)\t\"H-n1\"[2]\t# lid 12 lmc 0 \"n1 mlx5_0\" lid 12 4xHDR\n".to_owned(),
        _ => String::new(),
    };
    let single = |host: &'static str, at: &'static [(u32, u32, u32)]| (host, at);
    let hosts = [single("n1", &[(1, 1, 1)]), single("n2", &[(1, 2, 1)])];
    let plain = read(&discovered(&hosts, &nothing));
    let fabric = read(&discovered(&hosts, &plugged));
    assert_eq!(fabric.network, plain.network);
    assert_eq!(told(&fabric, AnomalyKind::LeftOut), ["left out: the loopback plug in port n1 mlx5_0:2"]);
    // A host that has no other cable is none of the network.
    let own = |name: &str| match name {
        "n3" => "[1](30021)\t\"H-n3\"[2]\t# lid 31 lmc 0 \"n3\" lid 32 4xHDR\n\
                 [2](30022)\t\"H-n3\"[1]\t# lid 32 lmc 0 \"n3\" lid 31 4xHDR\n"
            .to_owned(),
        _ => String::new(),
    };
    let fabric = read(&discovered(&[hosts[0], hosts[1], single("n3", &[])], &own));
    assert_eq!(fabric.network, plain.network);
    let words = "left out: the cable n3 mlx5_0:1 - n3 mlx5_0:2, which joins a host to itself";
    assert_eq!(told(&fabric, AnomalyKind::LeftOut), [words]);
}

#[test]
fn other_forms_leave_such_a_port_of_a_host_out_as_well() {
    let row = |lid: u32, port: u32, far: u32, far_port: u32, name: &str| {
        format!(
            "  {lid}  {port}[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>  {far}  {far_port}[  ] \"{name}\" ( )\n"
        )
    };
    let rows = format!(
        "Switch: 0x201 leaf:\n{}{}CA: a:\n{}{}CA: b:\n{}",
        row(1, 1, 2, 1, "a"),
        row(1, 2, 3, 1, "b"),
        row(2, 1, 1, 1, "leaf"),
        row(4, 2, 4, 2, "a"),
        row(3, 1, 1, 2, "leaf")
    );
    let end = |kind: &str, guid: u32, name: &str, lid: u32, port: u32| {
        format!(
            "{{ {kind} Ports:02 NodeGUID:{guid:x} PortGUID:{:x} {{{name}}} LID:{lid:04x} PN:{port:02x} }}",
            guid + port
        )
    };
    let leaf =
        |port: u32| format!("{{ SW Ports:24 NodeGUID:201 PortGUID:201 {{leaf}} LID:0001 PN:{port:02x} }}");
    let (a, b, own) = (end("CA", 0x300, "a", 2, 1), end("CA", 0x310, "b", 3, 1), end("CA", 0x300, "a", 4, 2));
    let lines: String =
        [(leaf(1), a.clone()), (a, leaf(1)), (leaf(2), b.clone()), (b, leaf(2)), (own.clone(), own)]
            .map(|(near, far)| format!("{near} {far} PHY=4x LOG=ACT SPD=25\n"))
            .concat();
    for fabric in [iblinkinfo::read(&rows), subnet_lst::read(&lines)] {
        let fabric = fabric.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((fabric.network.hosts().len(), fabric.network.links().len()), (2, 2));
        let left_out = told(&fabric, AnomalyKind::LeftOut);
        assert!(left_out.contains(&"left out: the loopback plug in port a:2"), "{left_out:?}");
    }
}

/// A loop carries what its own port sends: its counters say nothing of the fabric, and nothing of another fabric.
#[test]
fn counters_of_ports_that_are_cabled_to_their_own_node_are_left_out() {
    let hosts: [Host; 2] = [("n1", &[(1, 1, 1)]), ("n2", &[(1, 2, 1)])];
    let own = |name: &str| match name {
        "leaf2" => "[30]\t\"S-2\"[31]\t# \"leaf2\" lid 2 4xHDR\n[31]\t\"S-2\"[30]\t# \"leaf2\" lid 2 4xHDR\n",
        "n1" => "[2](30002)\t\"H-n1\"[2]\t# lid 12 lmc 0 \"n1\" lid 12 4xHDR\n",
        _ => "",
    };
    let fabric = read(&discovered(&hosts, &|name| own(name).to_owned()));
    let reading = |waits: u64| -> String {
        let port = |(lid, port): (u32, u32)| {
            format!(
                "# Port extended counters: Lid {lid} port {port}\nPortSelect:.....{port}\nPortXmitWait:...{waits}\n"
            )
        };
        [(2, 1), (2, 30), (2, 31), (12, 2)].map(port).concat()
    };
    let on = |text: &str| counters::read(text).unwrap().on(&fabric, text).unwrap();
    let (first, last) = (reading(0), reading(7));
    let since = on(&last).since(&on(&first), &last).unwrap();
    assert_eq!(since.own_ports, ["leaf2:30", "leaf2:31", "n1 mlx5_0:2"]);
    let counted: Vec<u64> = since.ports.values().map(|port| port[&Counter::XmitWait]).collect();
    assert_eq!(counted, [7], "of leaf2:1 alone");
}

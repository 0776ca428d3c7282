//! The fuzz targets' functions with random bytes: on the stable compiler, in every test run. They assert what must hold
//! themselves.

#[path = "../../../fuzz/src/lib.rs"]
mod entries;

use hopscope_formats::pcapng::{EXPERIMENTAL_ETHERNET, Interface, Packet, Writer};
use hopscope_pup::wire::{Header, Port, Pup};
use proptest::prelude::*;

fn port() -> impl Strategy<Value = Port> {
    (any::<u8>(), any::<u8>(), prop_oneof![0u32..8, any::<u32>()]).prop_map(|(net, host, socket)| Port {
        net,
        host,
        socket,
    })
}

/// A Pup of a known or unknown type with any data; its checksum is right.
fn pup() -> impl Strategy<Value = Vec<u8>> {
    let data = prop::collection::vec(any::<u8>(), 0..=532);
    let kind = prop_oneof![1u8..24, 128u8..130, any::<u8>()];
    (any::<u8>(), kind, any::<u32>(), port(), port(), data).prop_map(
        |(transport_control, kind, id, destination, source, data)| {
            let mut bytes = Vec::new();
            let header = Header { transport_control, kind, id, destination, source };
            Pup { header, data: &data }.encode(&mut bytes).expect("it fits");
            bytes
        },
    )
}

macro_rules! data {
    ($name:literal) => {
        include_str!(concat!("../../formats/tests/data/", $name))
    };
}

/// Files as tools print them, and lists of flows.
const FILES: [&str; 12] = [
    data!("square.net"),
    data!("square.ibnetdiscover"),
    data!("square-subnet.lst"),
    data!("square.anynet"),
    data!("square-lfts.dump"),
    data!("square-fts.txt"),
    data!("square.fdbs"),
    data!("square-roots.txt"),
    data!("zoo_style.graphml"),
    "from,to,from_port,to_port,rate,delay,kind\na,b,1,1,100 Gbit/s,50 ns,\nh,a,,2,,,host\ng,b,,,,,host\n",
    "Nodes 7\nConnections 2\n0->5 id 1 start 2000 size 4096\n5->6 id 2 trigger 1 size 100\ntrigger id 1 oneshot\n",
    "0 0\n10000 15\n30000 100\n",
];

/// One change of a file.
#[derive(Clone, Copy, Debug)]
enum Spoil {
    CutShort,
    DropLine,
    DoubleLine,
    SwapLines,
    Byte(u8),
}

fn spoils() -> impl Strategy<Value = Vec<(prop::sample::Index, Spoil)>> {
    use Spoil::{Byte, CutShort, DoubleLine, DropLine, SwapLines};
    let spoil = prop_oneof![
        1 => Just(CutShort),
        3 => Just(DropLine),
        3 => Just(DoubleLine),
        3 => Just(SwapLines),
        4 => any::<u8>().prop_map(Byte),
        4 => prop::sample::select(b" \n\r\"[]{}():#,0x9-".to_vec()).prop_map(Byte),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), spoil), 1..5)
}

/// The file with these changes, each at its place.
fn spoilt(file: &[u8], spoils: &[(prop::sample::Index, Spoil)]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for (at, spoil) in spoils {
        if bytes.is_empty() {
            break;
        }
        let mut lines: Vec<Vec<u8>> =
            bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        let line = at.index(lines.len());
        match spoil {
            Spoil::CutShort => lines = vec![bytes[..at.index(bytes.len())].to_vec()],
            Spoil::Byte(byte) => *at.get_mut(lines.get_mut(line).expect("a line has its end")) = *byte,
            Spoil::DropLine => _ = lines.remove(line),
            Spoil::DoubleLine => lines.insert(line, lines[line].clone()),
            Spoil::SwapLines => lines.swap(line, 0),
        }
        bytes = lines.concat();
    }
    bytes
}

/// A capture with one packet.
fn capture(bytes: &[u8]) -> Vec<u8> {
    let interfaces = [Interface { name: "parc", link_type: EXPERIMENTAL_ETHERNET }];
    let mut writer = Writer::new(Vec::new(), &interfaces).expect("memory takes it");
    writer.packet(Packet { interface: 0, time_ns: 1, bytes }).expect("memory takes it");
    writer.into_inner()
}

/// Scenarios, with an override, and a study.
const TEXTS: [&str; 4] = [
    concat!(include_str!("../../../scenarios/an1-mstage.toml"), "\0traffic.load=0.5"),
    concat!(include_str!("../../../scenarios/arpanet-row.toml"), "\0flow[0].from=\"UCLA\""),
    "{\"model\": \"queueing\", \"arrivals\": {\"load\": 0.5}, \"station\": [{\"servers\": 2}]}",
    include_str!("../../../studies/an1/fig14/study.toml"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn arbitrary_bytes_are_a_pup_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        entries::pups(&bytes);
    }

    #[test]
    fn any_pup_is_read_as_what_its_type_says(bytes in pup(), checksum in any::<bool>()) {
        let mut bytes = bytes;
        if !checksum {
            let end = bytes.len() - 2;
            bytes[end..].copy_from_slice(&[0xFF, 0xFF]);
        }
        entries::pups(&bytes);
    }

    #[test]
    fn streams_survive_whatever_happens(script in prop::collection::vec(any::<u8>(), 0..400)) {
        entries::streams(&script);
    }

    #[test]
    fn an_endpoint_survives_whatever_comes(script in prop::collection::vec(any::<u8>(), 0..600)) {
        entries::endpoints(&script);
    }

    #[test]
    fn arbitrary_bytes_are_a_capture_or_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        spoilt in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let mut file = capture(&bytes);
        for (at, byte) in spoilt {
            *at.get_mut(&mut file) = byte;
        }
        entries::captures(&file);
        entries::captures(&bytes);
    }

    #[test]
    fn arbitrary_bytes_are_cables_tables_and_flows_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        entries::fabrics(&bytes);
        entries::tables(&bytes);
        entries::counters(&bytes);
        entries::flows(&bytes);
    }

    /// Scenarios and studies, spoilt alike.
    #[test]
    fn spoilt_scenarios_and_studies_are_refused_at_their_places(
        text in prop::sample::select(TEXTS.to_vec()),
        spoils in spoils(),
    ) {
        let bytes = spoilt(text.as_bytes(), &spoils);
        entries::scenarios(&bytes);
        entries::studies(&bytes);
        entries::sites(&bytes);
    }

    /// Real files, spoilt in their bytes and lines.
    #[test]
    fn spoilt_files_are_cables_tables_and_flows_or_refused(
        file in prop::sample::select(FILES.to_vec()),
        spoils in spoils(),
    ) {
        let bytes = spoilt(file.as_bytes(), &spoils);
        entries::fabrics(&bytes);
        entries::tables(&bytes);
        entries::counters(&bytes);
        entries::flows(&bytes);
    }
}

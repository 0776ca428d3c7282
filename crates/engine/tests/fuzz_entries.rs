//! The fuzz targets' functions with random bytes: on the stable compiler, in every test run. They assert what must hold themselves.

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

/// A capture with one packet.
fn capture(bytes: &[u8]) -> Vec<u8> {
    let interfaces = [Interface { name: "parc", link_type: EXPERIMENTAL_ETHERNET }];
    let mut writer = Writer::new(Vec::new(), &interfaces).expect("memory takes it");
    writer.packet(Packet { interface: 0, time_ns: 1, bytes }).expect("memory takes it");
    writer.into_inner()
}

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
}

//! Captures as pcapng files, and the dissector that reads them.

use std::process::Command;
use std::sync::Arc;

use hopscope_formats::pcapng::{EXPERIMENTAL_ETHERNET, Interface, Packet, encode};
use hopscope_pup::preset::{Configuration, Era, Runs, pup_test};
use hopscope_pup::{Capture, Frame, PupPlan};
use hopscope_units::{Span, Time};

/// The first Pups of a test through a gateway.
fn frames(most: usize) -> Vec<Frame> {
    let plan =
        PupPlan::new(pup_test(Era::Ipr, Configuration::Gateway, 100, Runs::Good)).expect("it is right");
    let mut simulation = Arc::new(plan).simulation(1, (), Capture::new(most));
    simulation.run_until(Time::ZERO + Span::from_s(5));
    simulation.model.tap.frames().to_vec()
}

fn file(frames: &[Frame]) -> Vec<u8> {
    let interfaces = ["parc", "next"].map(|name| Interface { name, link_type: EXPERIMENTAL_ETHERNET });
    let packets = frames.iter().map(|frame| Packet {
        interface: frame.network,
        time_ns: frame.at.since(Time::ZERO).ps() / 1_000,
        bytes: &frame.bytes,
    });
    encode(&interfaces, packets)
}

#[test]
fn a_frame_stands_in_the_file_as_on_the_cable() {
    let frames = frames(3);
    let file = file(&frames);
    let first = frames[0].bytes.as_slice();
    // The request for a connection: to the gateway, host 1, from host 10, Ethernet type 1000 octal, 28 bytes, type 10 octal.
    assert_eq!(first[..8], [1, 10, 2, 0, 0, 28, 0, 8]);
    // Section header 44 bytes, two interfaces of 40 bytes, then the fields of the packet block: 28 bytes.
    let at = 44 + 2 * 40 + 28;
    assert_eq!(file[at..at + first.len()], *first);
    assert_eq!(file[at - 8..at - 4], u32::try_from(first.len()).expect("short").to_le_bytes());
}

/// What tshark makes of a capture, field by field; nothing where there is no tshark.
fn dissected(file: &[u8], fields: &[&str]) -> Option<String> {
    let path = std::env::temp_dir().join(format!("hopscope-pup-{}.pcapng", std::process::id()));
    std::fs::write(&path, file).expect("the folder for temporary files takes it");
    let script = concat!("lua_script:", env!("CARGO_MANIFEST_DIR"), "/wireshark/pup.lua");
    let mut tshark = Command::new("tshark");
    tshark.args(["-X", script, "-r"]).arg(&path).args(["-T", "fields", "-E", "separator=;"]);
    fields.iter().for_each(|field| {
        tshark.args(["-e", field]);
    });
    let output = tshark.output().ok();
    std::fs::remove_file(&path).expect("it was there");
    let output = output?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).expect("fields are text"))
}

#[test]
fn tshark_reads_the_capture_where_there_is_one() {
    let frames = frames(40);
    let fields = [
        "frame.time_epoch",
        "pup.type",
        "pup.hops",
        "pup.id",
        "pup.length",
        "pup.checksum.good",
        "pup.allocation.pups",
    ];
    let Some(found) = dissected(&file(&frames), &fields) else { return };
    assert_eq!(found.lines().count(), frames.len());
    for (line, frame) in found.lines().zip(&frames) {
        let ps = frame.at.since(Time::ZERO).ps();
        let time = format!("{}.{:09}", ps / 1_000_000_000_000, ps / 1_000 % 1_000_000_000);
        let pup = hopscope_pup::wire::Pup::decode(&frame.bytes[4..]).expect("it is a Pup");
        let header = pup.header;
        let pups = if header.kind == 18 { "5" } else { "" };
        let length = pup.data.len() + 22;
        let expected = format!("{time};{};{};{};{length};1;{pups}", header.kind, header.hops(), header.id);
        assert_eq!(line, expected);
    }
}

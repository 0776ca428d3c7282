//! What passes on the networks of a scenario, as a file of captured packets.

use std::fs;
use std::path::PathBuf;

use hopscope_engine::{Scenario, run, run_captured};
use hopscope_formats::pcapng::{Captured, EXPERIMENTAL_ETHERNET, read};
use hopscope_pup::wire::{Pup, kind};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.pcapng"))
}

fn few(name: &str) -> Scenario {
    let overrides = ["measure.messages=200", "measure.warmup=\"5 s\""];
    Scenario::load(name, &overrides).unwrap_or_else(|error| panic!("{error}"))
}

/// The bytes of a capture, and the hash of the result beside it.
fn captured(scenario: &Scenario, name: &str) -> (Vec<u8>, String) {
    let path = path(name);
    let result = run_captured(scenario, &|_, _| true, &path).expect("the run does not break");
    let (result, written) = result.expect("the target folder can be written");
    written.expect("the disk is not full");
    (fs::read(&path).expect("it was written"), result.result_hash().to_owned())
}

#[test]
fn a_frame_stands_in_the_file_as_on_the_cable() {
    let (file, _) = captured(&few("pup-ipr-gateway"), "cable");
    // Section header 44 bytes, two interfaces of 40 bytes, one of 52 for Pups within machines, then the fields of the
    // packet block: 28 bytes. The request for a connection: to the gateway, host 1, from host 10, Ethernet type 1000
    // octal, 28 bytes, type 10 octal.
    let at = 44 + 2 * 40 + 52 + 28;
    assert_eq!(file[at - 8..at + 8], [32, 0, 0, 0, 32, 0, 0, 0, 1, 10, 2, 0, 0, 28, 0, 8][..]);
}

#[test]
fn every_packet_is_a_pup_that_reads_back_from_the_file() {
    let (file, _) = captured(&few("pup-ipr-radio-gateways"), "pups");
    let Captured { interfaces, packets } = read(&file).expect("it is a capture");
    let named =
        ["parc", "prnet", "hanover", "within machines"].map(|name| (name.to_owned(), EXPERIMENTAL_ETHERNET));
    assert_eq!(interfaces, named);
    let pups = packets.iter().map(|packet| Pup::decode(&packet.bytes[4..]).expect("only Pups are captured"));
    let data = |pup: &Pup<'_>| matches!(pup.header.kind, kind::DATA | kind::A_DATA);
    // 200 Pups are measured, and each passes three networks.
    assert!(pups.filter(data).count() >= 600);
}

#[test]
fn a_capture_changes_nothing_and_is_the_same_every_time() {
    let scenario = few("pup-ipr-radio");
    let (first, hash) = captured(&scenario, "first");
    assert_eq!((first, hash.clone()), captured(&scenario, "again"));
    assert_eq!(run(&scenario, &|_, _| true).expect("the run does not break").result_hash(), hash);
}

#[test]
fn only_models_with_packets_on_a_wire_can_be_captured() {
    let with_wire = |name: &str| few(name).has_wire();
    assert_eq!(["pup-ipr-radio", "an1-mstage", "queueing-mm1"].map(with_wire), [true, false, false]);
}

#[test]
fn a_file_that_cannot_be_written_is_told_by_its_name() {
    let nowhere = path("no-such-folder/file");
    let result = run_captured(&few("pup-ipr-radio"), &|_, _| true, &nowhere).expect("the run does not break");
    let failure = result.expect_err("there is no such folder");
    assert!(failure.to_string().starts_with("cannot write ") && failure.path == nowhere, "{failure}");
}

#[test]
fn a_disk_that_fills_up_takes_the_capture_and_not_the_run() {
    let scenario = few("pup-ipr-radio");
    let full = PathBuf::from("/dev/full");
    let result = run_captured(&scenario, &|_, _| true, &full).expect("the run does not break");
    let (result, written) = result.expect("the device can be opened");
    assert_eq!(written.expect_err("nothing fits").path, full);
    let alone = run(&scenario, &|_, _| true).expect("the run does not break");
    assert_eq!(result.result_hash(), alone.result_hash());
}

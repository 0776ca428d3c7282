//! Whole internets: lives told stage by stage, ends, losses, full queues, and the same bytes every time.

use std::fmt::Write;
use std::sync::Arc;

use hopscope_kernel::Simulation;
use hopscope_measure::{Journal, JourneyLog, Subject};
use hopscope_pup::bsp::{ReceiverRule, SenderRule};
use hopscope_pup::ien138::{Configuration, Era, Runs, pup_test};
use hopscope_pup::wire::{Pup, kind};
use hopscope_pup::{
    Capture, EchoParams, Extra, Frame, Internet, Medium, PupParams, PupPlan, RadioParams, Tap,
};
use hopscope_units::{Data, Span, Time};
use proptest::prelude::*;

use crate::shared::{rules, run, value};

fn simulation<J: Journal, T: Tap>(
    params: PupParams,
    seed: u64,
    journal: J,
    tap: T,
) -> Simulation<Internet<J, T>> {
    Arc::new(PupPlan::new(params).expect("the internet is right")).simulation(seed, journal, tap)
}

fn radio(params: &mut PupParams) -> &mut RadioParams {
    let mut media = params.network.iter_mut().map(|network| &mut network.medium);
    let radio = media.find_map(|medium| if let Medium::Radio(radio) = medium { Some(radio) } else { None });
    radio.expect("there is a radio network")
}

/// The stages of one Pup's life that took time.
fn ladder(params: PupParams, message: u64) -> String {
    let mut simulation = simulation(params, 1, JourneyLog::new(10), ());
    simulation.run_until(Time::ZERO + Span::from_s(10));
    let now = simulation.now();
    let mut text = String::new();
    for row in simulation.model.report(now).journeys.iter().filter(|row| row.message == message) {
        let ms = |ps: u64| ps as f64 * 1e-9;
        let (from, to) = (ms(row.from_ps), ms(row.to_ps));
        writeln!(text, "{from:8.3} .. {to:8.3}  {:<19} {}", row.stage, row.place).expect("text takes it");
    }
    text
}

#[test]
fn the_life_of_a_pup_through_a_gateway() {
    // The fifth Pup of the first clump: it waits for the four before it and brings the acknowledgment back.
    let params = pup_test(Era::Ipr, Configuration::Gateway, 100, Runs::Good);
    insta::assert_snapshot!(ladder(params, 4), @r"
     41.040 ..   72.660  host wait           parc-alto
     72.660 ..   80.565  host processing     parc-alto
     80.565 ..   81.191  Ethernet            parc-alto on parc
     81.191 ..   86.491  gateway processing  gateway
     86.491 ..   87.117  Ethernet            gateway on next
     87.117 ..   95.022  host processing     hanover-alto
     95.022 ..   96.772  turnaround          hanover-alto
     96.772 ..  104.284  host processing     hanover-alto
    104.284 ..  104.382  Ethernet            hanover-alto on next
    104.382 ..  109.682  gateway processing  gateway
    109.682 ..  109.779  Ethernet            gateway on parc
    109.779 ..  117.292  host processing     parc-alto
    ");
}

#[test]
fn the_life_of_a_large_pup_through_the_radio_network() {
    let params = pup_test(Era::Ipr, Configuration::Radio, 266, Runs::Good);
    insta::assert_snapshot!(ladder(params, 0), @r"
     100.449 ..  109.026  host processing     parc-alto
     109.026 ..  202.406  radio interval      parc-alto on prnet
     202.406 ..  295.786  radio interval      parc-alto on prnet
     295.786 ..  330.986  radio transit       parc-alto on prnet
     330.986 ..  339.563  host processing     hanover-alto
     339.563 .. 1451.163  acknowledgment wait hanover-alto
    1451.163 .. 1452.913  turnaround          hanover-alto
    1452.913 .. 1460.425  host processing     hanover-alto
    1460.425 .. 1495.625  radio transit       hanover-alto on prnet
    1495.625 .. 1503.138  host processing     parc-alto
    ");
}

#[test]
fn a_stream_comes_to_its_end_and_everything_falls_silent() {
    let mut params = pup_test(Era::Ipr, Configuration::RadioGateways, 100, Runs::All);
    params.test[0].pups = Some(103);
    let mut simulation = simulation(params, 1, (), Capture::new(100_000));
    while simulation.run_events(1_000) == 1_000 {}
    assert_eq!(simulation.model.pups_under_way(), 0, "every Pup has arrived or been dropped");
    let monitor = simulation.model.monitor();
    assert_eq!((monitor.delivered_in_all(), monitor.backlog()), (103, 0));
    let frames = simulation.model.tap.frames();
    let on_air = |wanted: u8| {
        frames.iter().filter(|frame| frame.network == 1 && pup(frame).header.kind == wanted).count()
    };
    assert_eq!([on_air(kind::RENDEZVOUS), on_air(kind::END), on_air(kind::END_REPLY)], [2, 1, 2]);
}

/// The Pup in a captured frame.
fn pup(frame: &Frame) -> Pup<'_> {
    assert_eq!(frame.bytes[2..4], [0x02, 0x00], "the Ethernet type of Pups");
    Pup::decode(&frame.bytes[4..]).expect("what passes on the networks are Pups")
}

#[test]
fn gateways_count_hops_and_keep_checksums_right() {
    let params = pup_test(Era::Ipr, Configuration::Phone, 100, Runs::Good);
    let mut simulation = simulation(params, 1, (), Capture::new(2_000));
    simulation.run_until(Time::ZERO + Span::from_s(60));
    let frames = simulation.model.tap.frames();
    assert!(frames.len() > 500 && frames.is_sorted_by_key(|frame| frame.at));
    let data = frames.iter().filter(|frame| matches!(pup(frame).header.kind, kind::DATA | kind::A_DATA));
    assert!(data.clone().all(|frame| u32::from(pup(frame).header.hops()) == frame.network));
    assert!(data.count() > 500);
}

#[test]
fn routing_takes_its_share_of_the_phone_line() {
    let params = pup_test(Era::Ipr, Configuration::Phone, 100, Runs::Good);
    let mut simulation = simulation(params, 1, (), Capture::new(1_000_000));
    simulation.run_until(Time::ZERO + Span::from_s(600));
    let told = simulation.model.tap.frames().iter().filter(|frame| {
        frame.network == 1 && frame.bytes[1] == 2 && pup(frame).header.kind == kind::GATEWAY_INFORMATION
    });
    let bits: usize = told.map(|frame| 8 * (frame.bytes.len() - 4)).sum();
    let share = bits as f64 / (600.0 * 9_600.0);
    assert!((share - 0.024).abs() < 0.002, "{share}");
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let frames = |seed: u64| {
        let params = pup_test(Era::Ipr, Configuration::RadioGateways, 100, Runs::All);
        let mut simulation = simulation(params, seed, (), Capture::new(3_000));
        simulation.run_until(Time::ZERO + Span::from_s(200));
        simulation.model.tap.frames().to_vec()
    };
    let first = frames(1);
    assert!(first.len() == 3_000 && first == frames(1) && first != frames(2));
}

#[test]
fn full_queues_slow_streams_down_and_stop_none() {
    let mut params = pup_test(Era::Ipr, Configuration::Phone, 100, Runs::Good);
    for (host, count) in params.host.iter_mut().zip([6, 6]) {
        host.count = count;
    }
    params.processing.gateway.queue = 8;
    let mut simulation = simulation(params, 1, (), ());
    simulation.run_until(Time::ZERO + Span::from_s(3_000));
    let now = simulation.now();
    let report = simulation.model.report(now);
    assert!(
        report.notes.iter().any(|note| note.ends_with("Pups were dropped by full queues")),
        "{:?}",
        report.notes
    );
    // Six streams together keep the line busier than the 6.9 kbit/s of one, up to the 200 bytes of data in 230 on the
    // line; what is sent in vain costs them some of it.
    let carried = value(&report, "throughput.rate");
    assert!((7.0..9.6 * 200.0 / 230.0).contains(&carried), "{carried} kbit/s");
}

#[test]
fn reassembly_hides_the_reordering_of_large_pups() {
    let retransmissions = |words| {
        let mut params = pup_test(Era::Ipr, Configuration::RadioGateways, words, Runs::All);
        params.routing.every = Span::from_s(3600);
        value(&run(params, 10_000), "retransmissions.mean")
    };
    assert!(retransmissions(100) > 150.0);
    assert!(retransmissions(266) < 1.0);
}

#[test]
fn a_receiver_that_keeps_early_pups_is_sent_less_again() {
    let again = |sender, receiver| {
        let mut params = pup_test(Era::Ipr, Configuration::RadioGateways, 100, Runs::All);
        (params.stream.sender, params.stream.receiver) = (sender, receiver);
        value(&run(params, 10_000), "retransmissions.mean")
    };
    let mesa = again(SenderRule::Clump, ReceiverRule::InOrder);
    let bcpl = again(SenderRule::Burst, ReceiverRule::Keep);
    assert!(bcpl < mesa / 2.0, "{bcpl} for {mesa}");
}

#[test]
fn a_sliding_window_fills_the_radio_where_a_clump_waits() {
    let throughput = |sender, receiver, window| {
        let mut params = pup_test(Era::Ipr, Configuration::Radio, 100, Runs::Good);
        (params.stream.sender, params.stream.receiver, params.stream.window) = (sender, receiver, window);
        radio(&mut params).connection = 12;
        value(&run(params, 5_000), "throughput.rate")
    };
    // The radio accepts a packet every 88.3 ms and 127 words at 400 kbit/s: more than 1600 bits in each cannot go
    // through.
    let most = 1_600.0 / (0.0883 + 127.0 * 16.0 / 400e3) / 1e3;
    let clump = throughput(SenderRule::Clump, ReceiverRule::InOrder, 5);
    let sliding = throughput(SenderRule::Sliding, ReceiverRule::KeepAll, 5);
    assert!(
        clump < 0.98 * most && (sliding / most - 1.0).abs() < 0.01,
        "{clump} and {sliding} of {most} kbit/s"
    );
    // With one Pup outstanding there is nothing to choose.
    let [stop, wait] =
        [(SenderRule::Clump, ReceiverRule::InOrder), (SenderRule::Sliding, ReceiverRule::KeepAll)]
            .map(|(sender, receiver)| throughput(sender, receiver, 1));
    assert!((stop / wait - 1.0).abs() < 0.01, "{stop} and {wait}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The model itself compares every byte, checks that the stages of every life add up and that no Pup is lost or
    /// made up.
    #[test]
    fn every_internet_delivers_every_stream(
        configuration in prop::sample::select(Configuration::ALL.to_vec()),
        (sender, receiver) in rules(),
        window in 1u32..20,
        bytes in 1u64..=532,
        hosts in 1u32..5,
        queue in 1u32..12,
        (loss, share, longest_ms) in (0.0..0.4f64, 0.0..1.0f64, 1u64..3_000),
        seed: u64,
    ) {
        let mut params = pup_test(Era::Ipr, configuration, 100, Runs::Good);
        (params.stream.sender, params.stream.receiver, params.stream.window) = (sender, receiver, window);
        params.test[0].data = Data::from_bytes(bytes);
        params.test[0].pups = Some(40);
        params.processing.gateway.queue = queue;
        if configuration != Configuration::Phone {
            params.host.iter_mut().zip([20, 40]).for_each(|(host, from)| (host.count, host.address) = (hosts, from));
        }
        if matches!(configuration, Configuration::Radio | Configuration::RadioGateways) {
            let radio = radio(&mut params);
            radio.loss = loss;
            radio.extra = Extra { share, shortest: Span::ZERO, longest: Span::from_ms(longest_ms), burst: None };
        }
        let streams = if configuration == Configuration::Phone { 1 } else { u64::from(hosts) };
        let mut simulation = simulation(params, seed, (), ());
        while simulation.run_events(100_000) == 100_000 {
            prop_assert!(simulation.now() < Time::ZERO + Span::from_s(1_000_000), "no progress");
        }
        prop_assert_eq!(simulation.model.monitor().delivered_in_all(), 40 * streams);
        prop_assert_eq!(simulation.model.pups_under_way(), 0);
    }
}

#[test]
fn an_echo_takes_what_hosts_and_cable_take_for_two_pups() {
    for bytes in [0u64, 532] {
        let mut params = pup_test(Era::Ipr, Configuration::Ethernet, 1, Runs::Good);
        params.test.clear();
        let (from, to) = ("parc-alto".into(), "hanover-alto".into());
        params.echo = vec![EchoParams { from, to, data: Data::from_bytes(bytes) }];
        let report = run(params, 1_000);
        // Each of two Pups is handled by two hosts, is on the cable, and takes its propagation.
        let host_ms = 7.5 + 0.00405 * bytes as f64 / 2.0;
        let cable_ms = (8.0 * (22 + bytes) as f64 + 49.0) / 2_940.0 + 0.005;
        let expected = 2.0 * (2.0 * host_ms + cable_ms);
        let found = value(&report, "latency.mean");
        assert!((found / expected - 1.0).abs() < 1e-3, "{bytes} bytes: {found} ms for {expected} ms");
    }
}

/// The pair of hosts that waits, of several, is reported, for echoes as for streams.
#[test]
fn echoes_are_told_apart_by_the_hosts_between_which_they_go() {
    let mut params = pup_test(Era::Ipr, Configuration::Ethernet, 2, Runs::Good);
    params.test.clear();
    let echo =
        |from: &str, to: &str| EchoParams { from: from.into(), to: to.into(), data: Data::from_bytes(100) };
    params.echo = vec![echo("parc-alto", "hanover-alto"), echo("hanover-alto", "parc-alto")];
    let pairs = run(params, 1_000).evidence.pairs;
    assert_eq!(pairs.len(), 2, "{pairs:?}");
    assert!(pairs.iter().all(|pair| pair.messages > 300), "{pairs:?}");
}

#[test]
fn the_part_of_a_hosts_work_that_is_its_checksums_is_told() {
    let part = |checksum_us: u64| {
        let mut params = pup_test(Era::Ipr, Configuration::Ethernet, 256, Runs::Good);
        params.processing.host.checksum = Span::from_us(checksum_us);
        let parts = run(params, 200).evidence.parts_of_work;
        parts.into_values().map(|part| part.share).fold(0.0, f64::max)
    };
    assert_eq!(part(0), 0.0);
    let found = part(60);
    assert!((0.6..0.75).contains(&found), "{found}");
}

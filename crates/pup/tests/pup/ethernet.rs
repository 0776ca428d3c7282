//! The experimental Ethernet under stations that always have a packet, against Metcalfe and Boggs.

use std::sync::Arc;

use hopscope_kernel::RandomStream;
use hopscope_measure::{Report, RunPlan, Warmup, drive};
use hopscope_pup::media::ethernet::{Backoff, airtime, metcalfe_boggs_efficiency};
use hopscope_pup::{PupParams, PupPlan};
use hopscope_units::{Data, Rate, Span};

const COLLISION: Span = Span::from_us(16);

/// An Ethernet of 3 Mbit/s with raw stations and nothing else.
fn saturated(stations: u32, bits: u64, gap_us: u64) -> PupParams {
    let text = format!(
        r#"
        [[network]]
        name = "parc"
        number = 3
        medium = {{ ethernet = {{ rate = "3 Mbit/s", gap = "{gap_us} us" }} }}
        [[raw]]
        name = "station"
        network = "parc"
        stations = {stations}
        length = "{bits} bit"
        "#
    );
    toml::from_str(&text).expect("it is a scenario")
}

/// Runs it until `packets` packets are sent.
fn run(params: PupParams, packets: u64) -> Report {
    let plan = Arc::new(PupPlan::new(params).expect("it is right"));
    let warmup = Warmup::Fixed(Span::from_ms(100));
    let length = RunPlan { max_messages: packets, min_messages: packets, precision: None, warmup };
    drive(&mut plan.simulation(1, (), ()), length, |_, _| true)
}

fn value(report: &Report, key: &str) -> f64 {
    report.metric(key).and_then(|metric| metric.estimate).expect("it was measured").value
}

/// The share of time that goes into packets.
fn efficiency(stations: u32, bits: u64, gap_us: u64) -> f64 {
    let report = run(saturated(stations, bits, gap_us), 10_000);
    value(&report, "useful time[parc].share")
}

/// All 40 cells of Metcalfe and Boggs's table: their formula, and the model's errors with the Alto's rules and with a
/// gap of a collision's length after each packet.
///
/// The formula has every station try with the best probability in every slot. An Alto that has just sent tries again at
/// once: with few stations it goes on winning, and loses fewer slots than the formula has. The gap gives the others a
/// turn; at 48 bits it takes most of the error away from ten stations on. Two or three stations then take turns without
/// a collision, which the formula does not know. One station waits only for the propagation of its own packet, which
/// the formula leaves out. Of 256 stations, many give up after sixteen collisions.
#[test]
fn the_table_of_metcalfe_and_boggs_with_the_error_of_every_cell() {
    let mut table = String::from("bits  stations  formula  no gap   16 us\n");
    for bits in [4096, 1024, 512, 48] {
        for stations in [1, 2, 3, 4, 5, 10, 32, 64, 128, 256] {
            let formula = metcalfe_boggs_efficiency(stations, packet_of(bits), COLLISION);
            let error = |gap_us| 100.0 * (efficiency(stations, bits, gap_us) / formula - 1.0);
            let errors = [0, 16].map(|gap| format!("{:>+6.1} %", error(gap))).join("");
            table += &format!("{bits:>4}  {stations:>8}   {formula:.4}{errors}\n");
        }
    }
    insta::assert_snapshot!(table, @r"
    bits  stations  formula  no gap   16 us
    4096         1   1.0000  -0.4 %  -1.5 %
    4096         2   0.9884  -0.2 %  +0.8 %
    4096         3   0.9856  -0.5 %  +0.2 %
    4096         4   0.9842  -0.8 %  -0.1 %
    4096         5   0.9834  -1.0 %  -0.2 %
    4096        10   0.9818  -1.3 %  -0.6 %
    4096        32   0.9807  -1.6 %  -1.6 %
    4096        64   0.9805  -1.9 %  -2.1 %
    4096       128   0.9804  -2.9 %  -3.0 %
    4096       256   0.9803  -5.5 %  -5.6 %
    1024         1   1.0000  -1.4 %  -5.8 %
    1024         2   0.9552  +1.9 %  +3.2 %
    1024         3   0.9446  +2.0 %  +3.1 %
    1024         4   0.9396  +1.6 %  +2.7 %
    1024         5   0.9367  +1.1 %  +2.3 %
    1024        10   0.9310  -1.7 %  +0.4 %
    1024        32   0.9272  -4.6 %  -2.1 %
    1024        64   0.9263  -5.0 %  -4.5 %
    1024       128   0.9259  -6.4 %  -7.0 %
    1024       256   0.9257 -11.3 % -12.1 %
     512         1   1.0000  -2.8 % -11.0 %
     512         2   0.9143  +5.0 %  +6.3 %
     512         3   0.8951  +6.0 %  +7.2 %
     512         4   0.8862  +5.8 %  +6.9 %
     512         5   0.8810  +5.3 %  +6.2 %
     512        10   0.8709  +1.5 %  +3.4 %
     512        32   0.8642  -7.4 %  -1.7 %
     512        64   0.8627  -7.9 %  -5.5 %
     512       128   0.8620  -9.6 % -10.3 %
     512       256   0.8616 -16.7 % -18.5 %
      48         1   1.0000 -23.8 % -56.8 %
      48         2   0.5000 +50.7 % +52.4 %
      48         3   0.4444 +67.2 % +53.0 %
      48         4   0.4219 +74.5 % +40.4 %
      48         5   0.4096 +76.0 % +31.7 %
      48        10   0.3874 +74.0 %  +9.8 %
      48        32   0.3737 +15.3 %  -2.3 %
      48        64   0.3708  -6.5 %  -8.7 %
      48       128   0.3693 -21.6 % -22.4 %
      48       256   0.3686 -42.2 % -42.0 %
    ");
}

#[test]
fn a_full_pup_takes_a_millisecond_and_a_half() {
    let full = airtime(554, Rate::from_bit_s(2_940_000));
    assert!((full.as_us() - 1524.1).abs() < 0.1, "{full}");
}

fn packet_of(bits: u64) -> Span {
    Rate::from_mbit_s(3).time_for(Data::from_bits(bits))
}

#[test]
fn the_formula_has_its_limits() {
    let packet = packet_of(4096);
    assert_eq!(metcalfe_boggs_efficiency(1, packet, COLLISION), 1.0, "one station waits for nobody");
    // Of two stations, each takes half of the slots, so that every second slot is acquired: one slot is wasted on
    // average.
    let two = packet.as_seconds() / (packet + COLLISION).as_seconds();
    assert!((metcalfe_boggs_efficiency(2, packet, COLLISION) - two).abs() < 1e-12);
    // Of very many, a slot is acquired with probability 1/e.
    let many =
        packet.as_seconds() / (packet.as_seconds() + (std::f64::consts::E - 1.0) * COLLISION.as_seconds());
    assert!((metcalfe_boggs_efficiency(100_000, packet, COLLISION) - many).abs() < 1e-6);
}

#[test]
fn stations_share_the_cable_fairly() {
    for stations in [2, 5, 32, 64] {
        let report = run(saturated(stations, 4096, 0), 70_000);
        let fairness = value(&report, "station fairness.index");
        assert!(fairness > 0.99, "{stations} stations: {fairness}");
    }
}

#[test]
fn a_station_gives_up_after_sixteen_collisions_and_begins_afresh() {
    let (mut backoff, mut random) = (Backoff::default(), RandomStream::named(1, "collisions", 0));
    for _ in 0..2 {
        let waits: Vec<Option<u64>> = (0..16).map(|_| backoff.collide(&mut random)).collect();
        assert!(waits[0].is_some_and(|units| units < 2), "the first wait is short: {waits:?}");
        assert!(waits[..15].iter().all(|units| units.is_some_and(|units| units < 256)));
        assert_eq!(waits[15], None);
    }
}

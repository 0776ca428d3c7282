//! What lies behind a slow transfer: superfluous requests, refusals and slow processors.

use crate::nets::{chain, flow, lines, run, value, version_3, very_distant};
use hopscope_arpanet::{ArpanetParams, BackgroundParams, Computer, ImpParams, OutageParams, When};
use hopscope_measure::{Report, ResourceKind, ResourceRow};
use hopscope_units::{Data, Rate, Span};

/// Four IMPs that send full messages as fast as they can through a fifth, two to each of two others.
fn merging() -> ArpanetParams {
    let mut params = lines(&[("a", "m"), ("b", "m"), ("c", "m"), ("d", "m"), ("m", "t"), ("m", "u")]);
    let flows = [("a", "t"), ("b", "t"), ("c", "u"), ("d", "u")];
    params.flow = flows.map(|(from, to)| flow(from, to, 8063, When::Saturated)).into();
    params.duration = Some(Span::from_s(60));
    params
}

type Change = fn(&mut ArpanetParams);

#[test]
fn a_refusal_is_counted_where_the_room_was_lacking() {
    let cases: [(ResourceKind, Change); 3] = [
        (ResourceKind::AcknowledgmentChannels, |_| {}),
        (ResourceKind::StoreAndForwardBuffers, |params| params.protocol.store_and_forward = 3),
        (ResourceKind::Buffers, |params| {
            params.network.imp = vec![very_distant("m")];
            (params.protocol.vdh_buffers, params.protocol.vdh_reassembly_buffers) = (16, 8);
        }),
    ];
    for (kind, change) in cases {
        let mut params = merging();
        change(&mut params);
        let report = run(params, 1);
        let of = |keep: &dyn Fn(&ResourceRow) -> bool| {
            report.resources.iter().filter(|row| keep(row)).map(|row| row.refused).sum::<u64>()
        };
        let all = of(&|_| true);
        assert_eq!(all as f64, value(&report, "refusals.count"));
        let here = of(&|row| row.kind == kind && row.place.starts_with('m'));
        assert!(here > 100 && here > all / 2, "{here} of {all} because no {kind} was free");
    }
}

#[test]
fn requests_of_others_are_not_those_of_what_is_measured() {
    let counts = |params| {
        let report = run(params, 1);
        ["requests", "measured requests", "superfluous requests", "superfluous measured requests"]
            .map(|name| value(&report, &format!("{name}.count")))
    };
    let mut params = version_3(chain(8, 120));
    let alone = counts(params.clone());
    assert!(alone[0] > 0.0 && alone[0] == alone[1] && alone[2] == alone[3], "{alone:?}");
    params.background = Some(BackgroundParams {
        gap: Span::from_s(2),
        except: Vec::new(),
        size: Data::from_bits(200),
        long_size: Data::from_bits(8063),
        long_share: 1.0,
    });
    let among_others = counts(params);
    assert!(0.0 < among_others[1] && among_others[1] < 0.5 * among_others[0], "{among_others:?}");
    assert!(among_others[3] <= among_others[1]);
}

#[test]
fn packets_wait_longer_for_the_processor_of_a_316() {
    let mut params = chain(2, 60);
    let fast = run(params.clone(), 1);
    assert_eq!(fast.metric("processor wait of 316s.mean").expect("a metric").estimate, None);
    params.network.imp = vec![ImpParams {
        name: "imp1".into(),
        number: None,
        processor: Computer::H316,
        very_distant_host: false,
    }];
    let slow = run(params, 1);
    let [of_316s, of_516s] =
        ["316s", "516s"].map(|kind| value(&slow, &format!("processor wait of {kind}.mean")));
    assert!(of_316s > 2.0 * of_516s, "{of_316s} ms and {of_516s} ms");
}

#[test]
fn the_other_remedy_sends_no_superfluous_requests() {
    // Section VII: phasing is caused by REQALLs that are sent while another is outstanding.
    let superfluous = |allowed| {
        let mut params = version_3(chain(9, 120));
        params.protocol.superfluous_requests = allowed;
        let report = run(params, 1);
        assert!(value(&report, "throughput.rate") > 20.0);
        value(&report, "superfluous measured requests.count")
    };
    assert!(superfluous(true) > 0.0);
    assert_eq!(superfluous(false), 0.0);
}

/// Who explains a run learns how long lines are, which is slow on one of several ways of as few lines, how often hosts
/// are looked after, and what failed when.
#[test]
fn the_evidence_has_what_holds_messages_back_at_no_busy_line() {
    let square = || {
        let mut params = lines(&[("s", "a"), ("a", "t"), ("s", "b"), ("b", "t"), ("b", "c")]);
        params.flow = vec![flow("s", "t", 500, When::Every(Span::from_ms(200)))];
        params.duration = Some(Span::from_s(60));
        params
    };
    let place = |report: &Report, row: usize| report.resources[row].place.clone();
    let plain = run(square(), 1);
    assert!(plain.evidence.slow_beside.is_empty() && plain.evidence.failures.is_empty());
    assert_eq!(plain.evidence.host_scan, None);

    let mut params = square();
    params.network.line[0].rate = Rate::from_bit_s(9_600);
    // On no way of the flow's.
    params.network.line[4].rate = Rate::from_bit_s(9_600);
    params.network.line[1].delay = Span::from_ms(250);
    params.protocol.host_poll = Some(Span::from_ms(500));
    let line = Some(["b".to_owned(), "t".to_owned()]);
    let (from, length) = (Span::from_s(20), Span::from_s(10));
    params.network.outage = vec![OutageParams { line, imp: None, from, length }];
    let report = run(params, 1);
    let slow = &report.evidence.slow_beside;
    assert_eq!(slow.len(), 1, "{slow:?}");
    assert_eq!((place(&report, slow[0].row), slow[0].rate, slow[0].usual), ("s -> a".into(), 9.6e3, 50e3));
    let long = report.evidence.delays.iter().filter(|(_, delay)| **delay == 0.25);
    let long: Vec<String> = long.map(|(&row, _)| place(&report, row)).collect();
    assert_eq!(long, ["a -> t", "t -> a"]);
    let scan = report.evidence.host_scan.expect("hosts are looked after from time to time");
    assert!(scan.every_s == 0.5 && (scan.usual_s - 0.0256).abs() < 1e-9, "{scan:?}");
    let failed = &report.evidence.failures[0];
    assert_eq!((failed.place.nodes.join(" - "), failed.from_s), ("b - t".into(), 20.0));
    assert_eq!(failed.until_s, Some(30.0));
}

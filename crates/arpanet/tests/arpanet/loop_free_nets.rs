//! Loop-free routing in whole subnets: load, errors, lines and IMPs that fail and come back.

use hopscope_arpanet::{ArpanetParams, BackgroundParams, HoldDown, OutageParams, When};
use hopscope_kernel::RandomStream;
use hopscope_measure::{Outcome, Report};
use hopscope_units::{Data, Rate, Span};
use proptest::prelude::*;

use crate::nets::{flow, lines, run, value};

/// A ring of `imps` with some chords, lines of two speeds, and traffic between all IMPs.
fn net(seed: u64, imps: usize, chords: usize, gap_ms: u64, failures: usize) -> ArpanetParams {
    let mut random = RandomStream::named(seed, "net", 0);
    let mut draw = |below: u64| random.below(below);
    let names: Vec<String> = (0..imps).map(|imp| format!("imp{imp}")).collect();
    let mut ends: Vec<(usize, usize)> = (0..imps).map(|imp| (imp, (imp + 1) % imps)).collect();
    ends.extend((0..chords).map(|_| {
        let a = draw(imps as u64) as usize;
        (a, (a + 2 + draw(imps as u64 - 3) as usize) % imps)
    }));
    let pairs: Vec<(&str, &str)> =
        ends.iter().map(|&(a, b)| (names[a].as_str(), names[b].as_str())).collect();
    let mut params = lines(&pairs);
    for line in &mut params.network.line {
        line.rate = Rate::from_bit_s([50_000, 50_000, 9_600][draw(3) as usize]);
        line.delay = Span::from_ms(1 + draw(30));
    }
    params.network.errors = [0.0, 0.02][draw(2) as usize];
    params.network.outage = (0..failures)
        .map(|_| {
            let whole_imp = draw(3) == 0;
            let imp = whole_imp.then(|| names[draw(imps as u64) as usize].clone());
            let between = &params.network.line[draw(ends.len() as u64) as usize].between;
            OutageParams {
                line: (!whole_imp).then(|| between.clone()),
                imp,
                from: Span::from_ms(draw(40_000)),
                length: Span::from_ms(500 + draw(20_000)),
            }
        })
        .collect();
    params.background = Some(BackgroundParams {
        gap: Span::from_ms(gap_ms),
        except: Vec::new(),
        size: Data::from_bits(1000),
        long_size: Data::from_bits(8063),
        long_share: 0.2,
    });
    params.flow = vec![flow("imp0", &names[imps / 2], 3000, When::Poisson(Span::from_ms(400)))];
    params.duration = Some(Span::from_s(60));
    params
}

fn with_rule(mut params: ArpanetParams, rule: HoldDown, seed: u64) -> Report {
    params.routing.hold_down = rule;
    run(params, seed)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// No next hops lead back to an IMP, whatever fails; and all that was sent arrives, so every IMP stays reachable.
    #[test]
    fn no_loop_forms_and_everything_arrives(
        seed in 0u64..100_000, imps in 4usize..9, chords in 0usize..5, gap_ms in 150u64..1500, failures in 0usize..5,
    ) {
        let report = with_rule(net(seed, imps, chords, gap_ms, failures), HoldDown::LoopFree, seed);
        prop_assert_eq!(report.outcome, Outcome::Complete, "{}", report.ended_because);
        prop_assert_eq!(value(&report, "loops.count"), 0.0);
    }
}

#[test]
fn under_the_other_rules_loops_form_in_such_nets() {
    let loops = |rule| {
        let in_net = |seed| value(&with_rule(net(seed, 8, 4, 150, 5), rule, seed), "loops.count");
        (0..6).map(in_net).sum::<f64>()
    };
    for rule in [HoldDown::None, HoldDown::ByMessage, HoldDown::ByTime] {
        assert!(loops(rule) > 0.0, "{rule:?}");
    }
    assert_eq!(loops(HoldDown::LoopFree), 0.0);
}

//! A rule of one's own: behind its box it does what it does as one of hopscope's, and as data it is its name and its
//! parameters.

use hopscope_lossless::rate_control::{
    Ack, Bounds, Dctcp, HeldBy, OwnRateControl, OwnRule, RateControl, Setting,
};
use hopscope_lossless::{DctcpParams, EcnParams, FrameParams, LosslessPlan, RateControlParams};
use hopscope_measure::Problem;
use hopscope_traffic::OfferSpec;
use hopscope_units::Data;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::universe::{at_once, at_us, boundless, dumbbell, fabric, flows, listed, report_at};

fn controlled(law: RateControlParams) -> FrameParams {
    let at = Data::from_bytes(100_000);
    FrameParams {
        rate_control: Some(law),
        ecn: Some(EcnParams { kmin: at, kmax: at, pmax: 1.0 }),
        ..boundless()
    }
}

#[test]
fn a_rule_behind_its_box_finds_what_it_finds_without() {
    let own = OwnRule::of::<Dctcp>("mine", DctcpParams::default());
    let mut reports =
        [RateControlParams::Dctcp(DctcpParams::default()), RateControlParams::Own(own)].map(|law| {
            let both = vec![listed("a", "c", 4_000_000), listed("b", "c", 4_000_000)];
            let mut run = flows(dumbbell(), controlled(law), vec![at_once("flows", both)]);
            report_at(&mut run, at_us(4_000))
        });
    assert!(reports[0].metrics.iter().any(|metric| metric.estimate.is_some()));
    // Except for its name in reports.
    let names = reports.each_mut().map(|report| report.evidence.law.take());
    assert_eq!(names.map(Option::unwrap_or_default), ["DCTCP", "mine"]);
    assert_eq!(reports[0], reports[1]);
}

/// A window that never changes.
#[derive(Clone, Debug)]
struct Fixed(Bounds);

/// A fixed window.
#[derive(Serialize, Deserialize, JsonSchema)]
struct FixedParams {
    /// The window.
    window: Data,
}

impl OwnRateControl for Fixed {
    type Params = FixedParams;

    fn new(params: &FixedParams, setting: &Setting) -> Result<Self, Vec<Problem>> {
        if params.window < setting.frame {
            return Err(vec![Problem::new("window", "it holds no frame", "at least frames.mtu")]);
        }
        Ok(Self(Bounds { least: params.window.bits(), most: params.window.bits() }))
    }
}

impl RateControl for Fixed {
    type Flow = u64;
    const HELD_BY: HeldBy = HeldBy::Window;

    fn new_flow(&self, line_kbit_s: u64, _: u64) -> u64 {
        line_kbit_s
    }

    fn rate_kbit_s(&self, line_kbit_s: &u64) -> u64 {
        *line_kbit_s
    }

    fn window_bits(&self, _: &u64) -> u64 {
        self.0.least
    }

    fn on_ack(&self, _: &mut u64, ack: &Ack<'_>) {
        assert!(ack.frame_end_bits <= ack.sent_bits);
    }
}

fn fixed(bytes: u64) -> RateControlParams {
    RateControlParams::Own(OwnRule::of::<Fixed>("fixed", FixedParams { window: Data::from_bytes(bytes) }))
}

#[test]
fn no_window_of_a_rule_of_ones_own_is_exceeded() {
    let mut run =
        flows(dumbbell(), controlled(fixed(3_500)), vec![at_once("flows", vec![listed("a", "c", 400_000)])]);
    let mut most = 0;
    while run.run_events(1) == 1 {
        most = most.max(run.model.frames_in_flight().0);
    }
    assert_eq!(most, 3);
}

fn refusal(law: RateControlParams) -> Option<Problem> {
    let params = fabric(controlled(law));
    let offer = OfferSpec::Flows(vec![at_once("flows", vec![listed("a", "c", 1_000)])]);
    LosslessPlan::new(dumbbell(), params, offer).err().map(|found| found[0].clone())
}

#[test]
fn what_a_rule_refuses_stands_below_its_section_and_one_that_nobody_read_is_refused() {
    let path = |law| refusal(law).map(|problem| problem.path);
    assert_eq!(path(fixed(1)).as_deref(), Some("frames.rate_control.own.fixed.window"));
    assert_eq!(path(fixed(10_000)), None);
    let named: RateControlParams =
        serde_json::from_str(r#"{"own": {"fixed": {"window": "10 kB"}}}"#).expect("data");
    assert_eq!(path(named.clone()).as_deref(), Some("frames.rate_control.own.fixed"));
    let RateControlParams::Own(own) = &named else { panic!("a rule of one's own") };
    assert_eq!(path(RateControlParams::Own(own.only_shown())), None);
}

#[test]
fn as_data_a_rule_is_its_name_with_its_parameters() {
    let text = serde_json::to_string(&fixed(1_000)).expect("data");
    assert_eq!(text, r#"{"own":{"fixed":{"window":"1000 B"}}}"#);
    let read = |text: &str| serde_json::from_str::<RateControlParams>(text);
    assert_eq!(read(&text).expect("it was written"), fixed(1_000));
    for wrong in [r#"{"own":{}}"#, r#"{"own":{"a":{},"b":{}}}"#, r#"{"own":3}"#, r#"{"owm":{"a":{}}}"#] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

//! Hopscope with one rule more: a window that grows by a step in a round trip and falls by a share when a frame comes
//! back marked, at most once in a window (additive increase, multiplicative decrease: Chiu and Jain 1989).
//!
//! It is the rule of `[frames.rate_control.own.aimd]` in the scenarios that this program runs.

use std::process::ExitCode;

use hopscope_lossless::rate_control::parts::{ONE, parts, scaled, share};
use hopscope_lossless::rate_control::{Ack, Bounds, HeldBy, Loss, OwnRateControl, RateControl, Setting};
use hopscope_measure::Problem;
use hopscope_units::Data;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A window by additive increase and multiplicative decrease on marks.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct AimdParams {
    /// What a round trip without marks adds to the window: 4 kB.
    step: Data,
    /// What a mark leaves of the window, above 0 and below 1: 0.5.
    decrease: f64,
    /// The window of a new flow, and the largest one: 64 kB. The least is one frame.
    most: Data,
}

impl Default for AimdParams {
    fn default() -> Self {
        Self { step: Data::from_bytes(4_000), decrease: 0.5, most: Data::from_bytes(64_000) }
    }
}

/// The rule; amounts are bits, the decrease in parts of 2^32.
#[derive(Clone, Debug)]
struct Aimd {
    step: u64,
    decrease: u64,
    window: Bounds,
}

/// What is kept of a flow.
#[derive(Clone, Debug)]
struct Window {
    /// The rate of the host's link.
    line_kbit_s: u64,
    window_bits: u64,
    /// The window does not fall again before what was sent after this is acknowledged.
    cut_to: u64,
}

impl OwnRateControl for Aimd {
    type Params = AimdParams;

    fn new(params: &AimdParams, setting: &Setting) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        if !(params.decrease > 0.0 && params.decrease < 1.0) {
            let problem = format!("share {} is out of range", params.decrease);
            problems.push(Problem::new("decrease", problem, "above 0, below 1"));
        }
        if params.most < setting.frame {
            let problem = format!("a window of {} holds no frame of {}", params.most, setting.frame);
            problems.push(Problem::new("most", problem, "at least frames.mtu"));
        }
        if !setting.marks {
            let problem =
                Problem::new("", "no switch marks frames, so the window never falls", "[frames.ecn] as well");
            problems.push(Problem { hint: Some("add an empty table [frames.ecn]".to_owned()), ..problem });
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let window = Bounds { least: setting.frame.bits(), most: params.most.bits() };
        Ok(Self { step: params.step.bits(), decrease: parts(params.decrease), window })
    }
}

impl Aimd {
    fn cut(&self, flow: &mut Window, sent: u64) {
        flow.window_bits = self.window.clamp(scaled(flow.window_bits, self.decrease));
        flow.cut_to = sent;
    }
}

impl RateControl for Aimd {
    type Flow = Window;
    const HELD_BY: HeldBy = HeldBy::Window;

    fn new_flow(&self, line_kbit_s: u64, _flow_bits: u64) -> Window {
        Window { line_kbit_s, window_bits: self.window.most, cut_to: 0 }
    }

    fn rate_kbit_s(&self, flow: &Window) -> u64 {
        flow.line_kbit_s
    }

    fn window_bits(&self, flow: &Window) -> u64 {
        flow.window_bits
    }

    fn on_ack(&self, flow: &mut Window, ack: &Ack<'_>) {
        if ack.marked {
            if ack.frame_end_bits > flow.cut_to {
                self.cut(flow, ack.sent_bits);
            }
        } else {
            let step = scaled(self.step, share(ack.acked_bits, flow.window_bits).min(ONE));
            flow.window_bits = self.window.clamp(flow.window_bits + step);
        }
    }

    fn on_loss(&self, flow: &mut Window, loss: &Loss) {
        self.cut(flow, loss.sent_bits);
    }
}

fn main() -> ExitCode {
    let program = hopscope_engine::laboratory(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    program.with_rate_control::<Aimd>("aimd").main()
}

//! The parameters of rate and window control and of recovery from loss, with units, defaults and sources.

use hopscope_units::{Data, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rate_control::OwnRule;

/// Who may send next, by what acknowledgments tell. The receiver of each frame acknowledges it; acknowledgments take
/// the way of the frame back without ever waiting, and no link's time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateControlParams {
    /// DCTCP: a window by the share of frames that are marked. It needs `ecn`.
    Dctcp(DctcpParams),
    /// TIMELY: a rate by the gradient of the round trip.
    Timely(TimelyParams),
    /// HPCC: a window by what switches tell of queues and sent data (in-band telemetry), and a rate that follows it.
    Hpcc(HpccParams),
    /// Swift: a window by the distance of the round trip from a target.
    Swift(SwiftParams),
    /// NSCC of Ultra Ethernet: a window by queueing delay and marks, for fabrics that spray. It needs `ecn`.
    Nscc(NsccParams),
    /// Receiver-driven: the receiver pulls frame by frame, at the rate of its link.
    Pull(PullParams),
    /// A rule of one's own, by the name that its program gives it. The schema of that program tells its parameters.
    #[schemars(skip)]
    Own(OwnRule),
}

impl RateControlParams {
    /// The name of its law.
    pub(crate) fn law(&self) -> &str {
        match self {
            Self::Dctcp(_) => "DCTCP",
            Self::Timely(_) => "TIMELY",
            Self::Hpcc(_) => "HPCC",
            Self::Swift(_) => "Swift",
            Self::Nscc(_) => "NSCC",
            Self::Pull(_) => "pull",
            Self::Own(own) => own.name(),
        }
    }
}

/// DCTCP (Alizadeh et al. 2010; RFC 8257).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DctcpParams {
    /// The gain of the estimate of the marked share: 1/16 (RFC 8257, section 4.2).
    pub gain: f64,
    /// The window of a new flow. Default: ten frames (RFC 6928).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{factor} the initial window", "multiply": 4.0, "cause": "window", "cost": "longer queues"},
        {"words": "an initial window {share} as large", "divide": 16.0, "cause": "loss", "cost": "more round trips until a flow has its window"},
    ])))]
    pub initial: Option<Data>,
    /// The least window. Default: two frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<Data>,
    /// The largest window, as receivers bound it. An assumption: 4 MB.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{factor} the largest window", "multiply": 4.0, "cause": "window", "cost": "longer queues"},
    ])))]
    pub most: Data,
}

/// TIMELY (Mittal et al. 2015, algorithm 1; values as in Zhu et al. 2016, "ECN or Delay").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TimelyParams {
    /// Below this round trip the rate rises whatever the gradient: 50 us.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "TIMELY thresholds {factor} as high", "multiply": 2.0, "also": [{"path": "frames.rate_control.timely.high", "multiply": 2.0}], "cause": "rate control", "cost": "longer queues"},
    ])))]
    pub low: Span,
    /// Above this round trip the rate falls whatever the gradient: 500 us.
    pub high: Span,
    /// The round trip of the idle network, by which the gradient is divided: 20 us.
    pub round_trip: Span,
    /// The data after whose acknowledgment the rate is computed: 16 kB.
    pub segment: Data,
    /// The weight of the newest difference of round trips: 0.875.
    pub gain: f64,
    /// The factor of a decrease: 0.8.
    pub decrease: f64,
    /// The step of additive increase: 10 Mbit/s.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "TIMELY steps {factor} as large", "multiply": 4.0, "cause": "rate control", "cost": "less stable rates"},
    ])))]
    pub additive: Rate,
    /// After so many segments without growing round trips the step is five times as large: 5.
    pub patience: u32,
    /// The least rate of a flow. The paper gives no value; the default is one additive step.
    pub least: Rate,
}

/// HPCC (Li et al. 2019, algorithm 1 and section 5.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HpccParams {
    /// The longest round trip of the idle network: a window is a rate times this. 13 us in the paper's simulations.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "windows for {factor} the round trip", "multiply": 2.0, "cause": "window", "cost": "longer queues"},
    ])))]
    pub round_trip: Span,
    /// The target utilisation: 0.95.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "HPCC's target at 95 % utilisation", "to": 0.95, "cause": "rate control", "relieves": ["window"], "cost": "longer queues"},
    ])))]
    pub target: f64,
    /// Additive steps before a multiplicative one: 5.
    pub stages: u32,
    /// The additive step of a window: 80 B.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "HPCC steps {factor} as large", "multiply": 4.0, "cause": "rate control", "relieves": ["window"], "cost": "longer queues"},
    ])))]
    pub additive: Data,
}

/// Swift (Kumar et al. 2020, section 3). The paper gives the rule, and of its constants only some values: what it does
/// not give is an assumption here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SwiftParams {
    /// The target of the round trip without switches and scaling. An assumption: 25 us.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "a target delay {factor} as long", "multiply": 16.0, "cause": "rate control", "relieves": ["window"], "cost": "longer queues"},
        {"words": "a target delay {factor} as long", "multiply": 2.0, "cause": "rate control", "relieves": ["window"], "cost": "longer queues"},
    ])))]
    pub target: Span,
    /// What each switch on the way adds to the target. An assumption: 1 us.
    pub per_switch: Span,
    /// The most that a small window adds to the target (scaling by flows). An assumption: 25 us.
    pub range: Span,
    /// The window, in frames, at which scaling adds `range`. An assumption: 0.1.
    pub smallest: f64,
    /// The window, in frames, from which scaling adds nothing. An assumption: 100.
    pub largest: f64,
    /// The additive step of a window in a round trip, in frames: 1.
    pub additive: f64,
    /// The factor of a decrease. An assumption: 0.8.
    pub decrease: f64,
    /// The largest decrease in a round trip. An assumption: 0.5.
    pub largest_decrease: f64,
    /// The window of a new flow. Default: ten frames, an assumption.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{factor} the initial window", "multiply": 4.0, "cause": "window", "cost": "longer queues"},
        {"words": "an initial window {share} as large", "divide": 16.0, "cause": "loss", "cost": "more round trips until a flow has its window"},
    ])))]
    pub initial: Option<Data>,
    /// The least window: below a frame, frames are paced. An assumption: 8 B.
    pub least: Data,
    /// The largest window. An assumption: 4 MB.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{factor} the largest window", "multiply": 4.0, "cause": "window", "cost": "longer queues"},
    ])))]
    pub most: Data,
}

/// NSCC, the sender-based control of Ultra Ethernet Transport (arXiv 2508.08906, after SMaRTT-REPS, arXiv 2404.01630).
/// Values are those that accounts of its reference simulator give; they are for 100 Gbit/s and 12 us, and steps grow
/// with what a round trip holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NsccParams {
    /// The longest round trip of the idle network. A flow that sees a shorter one goes by that. 12 us.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "windows for {factor} the round trip", "multiply": 2.0, "cause": "window", "cost": "longer queues"},
    ])))]
    pub round_trip: Span,
    /// The queueing delay above which windows no longer grow by their distance from it, and fall where frames are
    /// marked. Default: three quarters of `round_trip` where switches trim, else `round_trip`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "a target delay {factor} as long", "multiply": 2.0, "cause": "rate control", "relieves": ["window"], "cost": "longer queues"},
    ])))]
    pub target: Option<Span>,
    /// The largest window, in what a round trip holds: 1.5. New flows begin with it.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{factor} the largest window", "multiply": 4.0, "cause": "window", "relieves": ["rate control"], "cost": "longer queues"},
    ])))]
    pub most: f64,
    /// The factor of a decrease, at most half the window in a round trip: 0.8.
    pub decrease: f64,
    /// The weight of the newest delay in the smoothed one: 0.0125.
    pub smoothing: f64,
    /// A flow whose frames are late or missing, and that gets less through in a round trip than its largest window over
    /// 2^gate, takes what it gets as its window: 3.
    pub gate: u32,
}

/// Pulling by the receiver, in the manner of NDP (Handley et al. 2017). Pulls go in the order of what has arrived.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PullParams {
    /// What a flow sends before the first pull, at least one frame. Default: thirty frames, an assumption.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{factor} the initial window", "multiply": 4.0, "cause": "window", "cost": "longer queues"},
        {"words": "an initial window of 256 KiB", "to": "256 KiB", "absent": "0 B", "cause": "window", "cost": "longer queues"},
        {"words": "an initial window of 4 KiB", "to": "4 KiB", "absent": "0 B", "cause": "loss", "cost": "a round trip before most frames of a message"},
    ])))]
    pub initial: Option<Data>,
}

/// What is sent again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryKind {
    /// Everything from the missing frame on, as adapters of RoCE: a receiver takes frames in their order only.
    GoBackN,
    /// Missing frames alone, as IRN (Mittal et al. 2018) and TCP: a receiver takes frames in any order.
    #[default]
    SelectiveRepeat,
}

/// How what is lost is sent again. The receiver of each frame acknowledges it; acknowledgments take the way of the
/// frame back without ever waiting, and are not lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RecoveryParams {
    /// What is sent again.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "selective repeat", "to": "selective-repeat", "cause": "loss", "cost": "adapters that take frames out of order"},
    ])))]
    pub rule: RecoveryKind,
    /// The time without an acknowledgment after which all that is outstanding is sent again; it doubles with each
    /// timeout in a row, up to 64 times. 320 us, the longer timeout of IRN (Mittal et al. 2018).
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "a timeout {share} as long", "divide": 2.0, "cause": "loss", "cost": "frames sent again that were only late"},
        {"words": "a timeout {factor} as long", "multiply": 8.0, "cause": "loss", "cost": "lost frames wait longer to be sent again"},
    ])))]
    pub timeout: Span,
    /// Timeouts in a row after which a message is given up. 7, the most that an InfiniBand connection may try.
    pub retries: u32,
    /// With `selective-repeat`: a frame is missing when one has arrived that was sent so many frames later. 3, as
    /// TCP's duplicate acknowledgments (RFC 5681).
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{factor} the reordering tolerated", "multiply": 32.0, "cause": "loss", "cost": "lost frames are sent again later"},
    ])))]
    pub reordering: u32,
}

impl Default for RecoveryParams {
    fn default() -> Self {
        Self { rule: RecoveryKind::default(), timeout: Span::from_us(320), retries: 7, reordering: 3 }
    }
}

impl Default for DctcpParams {
    fn default() -> Self {
        Self { gain: 1.0 / 16.0, initial: None, least: None, most: Data::from_bytes(4_000_000) }
    }
}

impl Default for TimelyParams {
    fn default() -> Self {
        Self {
            low: Span::from_us(50),
            high: Span::from_us(500),
            round_trip: Span::from_us(20),
            segment: Data::from_bytes(16_000),
            gain: 0.875,
            decrease: 0.8,
            additive: Rate::from_mbit_s(10),
            patience: 5,
            least: Rate::from_mbit_s(10),
        }
    }
}

impl Default for HpccParams {
    fn default() -> Self {
        Self { round_trip: Span::from_us(13), target: 0.95, stages: 5, additive: Data::from_bytes(80) }
    }
}

impl Default for NsccParams {
    fn default() -> Self {
        Self {
            round_trip: Span::from_us(12),
            target: None,
            most: 1.5,
            decrease: 0.8,
            smoothing: 0.0125,
            gate: 3,
        }
    }
}

impl Default for SwiftParams {
    fn default() -> Self {
        Self {
            target: Span::from_us(25),
            per_switch: Span::from_us(1),
            range: Span::from_us(25),
            smallest: 0.1,
            largest: 100.0,
            additive: 1.0,
            decrease: 0.8,
            largest_decrease: 0.5,
            initial: None,
            least: Data::from_bytes(8),
            most: Data::from_bytes(4_000_000),
        }
    }
}

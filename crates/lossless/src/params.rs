//! Every parameter of the frame machine with its unit, default and source.

use hopscope_fabric::FabricParams;
use hopscope_units::{Data, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::balancing::Balancing;

/// All parameters of the machine.
#[derive(Clone, Debug, Default)]
pub struct LosslessParams {
    /// Routes and links.
    pub fabric: FabricParams,
    /// Frames, switches and hosts.
    pub frames: FrameParams,
}

/// A fabric that moves frames, as RoCE and InfiniBand do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FrameParams {
    /// The longest frame. What is longer is sent as several. The default is the largest of InfiniBand and RoCE.
    pub mtu: Data,
    /// What a switch takes from a frame's last byte until the frame stands in its queue. An assumption; published figures of today's
    /// switches lie between 0.1 and 1 us.
    pub latency: Span,
    /// How a receiver holds its sender back.
    pub flow_control: FlowControl,
    /// The shared buffer of each switch, with pause frames.
    pub buffer: BufferParams,
    /// When a switch marks frames; unless given, never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn: Option<EcnParams>,
    /// How hosts slow down when frames are marked; unless given, they do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dcqcn: Option<DcqcnParams>,
    /// Which of several next hops a frame takes.
    pub balancing: Balancing,
    /// How many switches a frame may pass before it is thrown away, as IP's time to live. Unless given, any number; where it is given, tables
    /// may lead frames in a circle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u8>,
}

/// How a receiver holds its sender back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlowControl {
    /// Pause frames by priority (IEEE 802.1Qbb): RoCE. Frames wait at the outputs in a buffer that all of a switch share; what comes from
    /// each input in each priority is counted.
    Pfc(PfcParams),
    /// Credits by virtual lane: InfiniBand. Frames wait in a FIFO at the input, one a lane, and nothing is sent for which the next switch
    /// has no room.
    Credits(CreditParams),
}

/// Pause frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PfcParams {
    /// An input whose frames of one priority hold more than this tells its sender to stop. The default is what Zhu et al. (2015), section 4,
    /// compute for a switch of 12 MB and 32 ports.
    pub xoff: Data,
    /// It lets the sender start again when they hold no more than this. Unless given, two frames less than `xoff` (Zhu et al. 2015,
    /// section 4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub xon: Option<Data>,
    /// What is kept free at each input and for each priority for what still comes after XOFF. Unless given, what the cable needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headroom: Option<Data>,
    /// How many priorities are in use, 1 to 8. Classes of messages take them in turn; each has queues of its own, served round robin.
    pub priorities: u8,
}

/// The shared buffer of a switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BufferParams {
    /// How much it holds. 12 MB in Zhu et al. (2015), section 4.
    pub size: Data,
    /// Where given, an input is told to stop above this multiple of what is free instead of above `xoff` (Choudhury and Hahne 1998), and to
    /// start as far below as `xon` is below `xoff`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
}

/// Credits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CreditParams {
    /// The virtual lanes that data may use, 1 to 15 (InfiniBand has 16, of which one is for management). Classes of messages take them in
    /// turn, in groups as large as the routes need against deadlock.
    pub lanes: u8,
    /// The input buffer of each lane of each port. An assumption: what a link of 100 Gbit/s and 100 m keeps under way, and more.
    pub buffer_per_lane: Data,
}

/// When a switch marks frames (RED, with the queue as it is).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EcnParams {
    /// Up to this queue no frame is marked. 5 KB in Zhu et al. (2015), section 5.2.
    pub kmin: Data,
    /// Above this every frame is. 200 KB there.
    pub kmax: Data,
    /// The share that is marked just below `kmax`; in between it rises in proportion. 1 % there.
    pub pmax: f64,
}

/// DCQCN (Zhu et al. 2015, sections 3 and 5.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DcqcnParams {
    /// A receiver sends at most one notification a flow in so long a time: 50 us.
    pub cnp_interval: Span,
    /// The gain of the estimate of congestion: 1/256.
    pub gain: f64,
    /// The estimate decays once in so long a time without a notification: 55 us.
    pub alpha_timer: Span,
    /// A rate rises once in so long a time: 55 us.
    pub rate_timer: Span,
    /// A rate rises once for so much data sent: 10 MB.
    pub byte_counter: Data,
    /// How many steps lead halfway back to the rate before, each, ahead of any increase: 5.
    pub fast_recovery: u32,
    /// The step of additive increase: 40 Mbit/s.
    pub additive: Rate,
    /// The step of hyper increase. The paper gives none; ten additive steps, the ratio of QCN.
    pub hyper: Rate,
    /// No rate falls below this. The paper gives none; an additive step.
    pub least: Rate,
}

impl Default for FrameParams {
    fn default() -> Self {
        Self {
            mtu: Data::from_bytes(4096),
            latency: Span::from_ns(500),
            flow_control: FlowControl::Pfc(PfcParams::default()),
            buffer: BufferParams::default(),
            ecn: None,
            dcqcn: None,
            balancing: Balancing::default(),
            ttl: None,
        }
    }
}

impl Default for PfcParams {
    fn default() -> Self {
        Self { xoff: Data::from_bytes(24_470), xon: None, headroom: None, priorities: 1 }
    }
}

impl Default for BufferParams {
    fn default() -> Self {
        Self { size: Data::from_bytes(12_000_000), alpha: None }
    }
}

impl Default for CreditParams {
    fn default() -> Self {
        Self { lanes: 1, buffer_per_lane: Data::from_bytes(32_768) }
    }
}

impl Default for EcnParams {
    fn default() -> Self {
        Self { kmin: Data::from_bytes(5_000), kmax: Data::from_bytes(200_000), pmax: 0.01 }
    }
}

impl Default for DcqcnParams {
    fn default() -> Self {
        Self {
            cnp_interval: Span::from_us(50),
            gain: 1.0 / 256.0,
            alpha_timer: Span::from_us(55),
            rate_timer: Span::from_us(55),
            byte_counter: Data::from_bytes(10_000_000),
            fast_recovery: 5,
            additive: Rate::from_mbit_s(40),
            hyper: Rate::from_mbit_s(400),
            least: Rate::from_mbit_s(40),
        }
    }
}

impl PfcParams {
    /// The level to start again at, as given or by default.
    pub(crate) fn xon(&self, mtu: Data) -> Option<Data> {
        let below = self.xoff.bits().checked_sub(2 * mtu.bits()).map(Data::from_bits);
        self.xon.or(below)
    }
}

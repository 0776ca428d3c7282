//! The parameters as the machine uses them: integers, and the network's.

use hopscope_measure::{Problem, StageLabel};
use hopscope_topology::{Network, Port};
use hopscope_traffic::flows::FlowSchedule;
use hopscope_units::{Data, Rate, Span};

use super::dcqcn::Dcqcn;
use super::ecn::Ecn;
use super::params::{CreditParams, FlowControl, FrameParams, PfcParams};
use super::{Balancing, FrameStage};
use crate::packet::NANOBITS;
use crate::plan::{FabricPlan, attached};
use crate::slots::{Cable, NO_SLOT, Slot, Slots};

/// The bits of a pause frame on the link: 64 bytes (IEEE 802.3, annex 31B).
pub(super) const CONTROL_BITS: u64 = 64 * 8;

/// The parts into which a threshold's multiple of what is free is divided.
pub(super) const ALPHA_ONE: u64 = 1 << 16;

/// The parameters of a fabric of frames, checked.
#[derive(Clone, Debug)]
pub(crate) struct FramePlan {
    /// Queues at each port: priorities or virtual lanes.
    pub lanes: usize,
    /// Lanes that the routes themselves tell apart.
    pub route_lanes: u16,
    pub mtu: u64,
    pub latency: Span,
    pub control: Control,
    pub ecn: Option<Ecn>,
    pub dcqcn: Option<Dcqcn>,
    pub balancing: Balancing,
    pub ttl: Option<u8>,
}

/// How receivers hold their senders back; amounts are bits.
#[derive(Clone, Debug)]
pub(crate) enum Control {
    Pfc(Thresholds),
    /// The buffer of an input lane.
    Credits(u64),
}

impl Control {
    /// The thresholds of a fabric with pause frames.
    pub fn thresholds(&self) -> &Thresholds {
        match self {
            Self::Pfc(thresholds) => thresholds,
            Self::Credits(_) => unreachable!("credits have lanes"),
        }
    }
}

/// When pause frames are sent; amounts are bits.
#[derive(Clone, Debug)]
pub(crate) struct Thresholds {
    pub xoff: u64,
    /// How far below the level to stop lies that to start.
    pub gap: u64,
    /// The multiple of what is free, in parts of [`ALPHA_ONE`].
    pub alpha: Option<u64>,
    /// The headroom of an input and priority, by slot.
    pub headroom: Vec<u64>,
    /// What of a switch's buffer is not headroom, by switch.
    pub shared: Vec<u64>,
}

impl FramePlan {
    pub fn new(
        params: &FrameParams,
        network: &Network,
        slots: &Slots,
        route_lanes: u16,
    ) -> Result<Self, Vec<Problem>> {
        let (lanes, control) = match &params.flow_control {
            FlowControl::Pfc(pfc) => {
                let thresholds = thresholds(params, pfc, network, slots)?;
                (usize::from(pfc.priorities), Control::Pfc(thresholds))
            }
            FlowControl::Credits(CreditParams { lanes, buffer_per_lane }) => {
                (usize::from(*lanes), Control::Credits(buffer_per_lane.bits()))
            }
        };
        let plan = Self {
            lanes,
            route_lanes,
            mtu: params.mtu.bits(),
            latency: params.latency,
            control,
            ecn: params.ecn.as_ref().map(Ecn::new),
            dcqcn: params.dcqcn.as_ref().map(Dcqcn::new),
            balancing: params.balancing,
            ttl: params.ttl,
        };
        plan.check_lanes()?;
        Ok(plan)
    }

    /// What the stages of a message's life are called.
    pub fn stage_labels(&self) -> &'static [StageLabel] {
        match self.control {
            Control::Pfc(_) => FrameStage::LABELS,
            Control::Credits(_) => FrameStage::CREDIT_LABELS,
        }
    }

    /// Routes that need lanes against deadlock get them.
    fn check_lanes(&self) -> Result<(), Vec<Problem>> {
        let needed = usize::from(self.route_lanes);
        let refused = match self.control {
            Control::Pfc(_) if needed > 1 => {
                let problem = format!(
                    "the routes need {needed} virtual channels, and pause frames have priorities only"
                );
                Problem::new(
                    "routing.rule",
                    problem,
                    "\"up-down\" or \"shortest\", or flow_control = { credits = { lanes = ... } }",
                )
            }
            Control::Credits(_) if needed > self.lanes => {
                let problem = format!("{} virtual lanes, but the routes need {needed}", self.lanes);
                Problem::new("frames.flow_control.credits.lanes", problem, format!("at least {needed}"))
            }
            _ => return Ok(()),
        };
        Err(vec![refused])
    }

    /// The index of a lane of a port, among queues and among inputs.
    #[inline]
    pub fn queue(&self, slot: Slot, lane: usize) -> usize {
        slot as usize * self.lanes + lane
    }

    /// The groups of lanes among which classes of messages are dealt out.
    pub fn services(&self) -> usize {
        self.lanes / usize::from(self.route_lanes)
    }

    /// The lane of a service on a channel of the routes.
    #[inline]
    pub fn lane(&self, service: u8, route_lane: u16) -> u8 {
        service * self.route_lanes as u8 + route_lane as u8
    }
}

/// The time that so many bits take on a link of so many kbit/s.
#[inline]
pub(super) fn time_of(bits: u64, rate: u32) -> Span {
    Span::from_ps((bits * NANOBITS).div_ceil(u64::from(rate)))
}

/// What may still come on a cable after the decision to stop it: what is on the way and in the switch's pipeline, the frame that the pause
/// frame waits for, the frame that the sender has begun, and pause frames of all priorities ahead of this one at both ends.
pub(super) fn needed_headroom(cable: Cable, params: &FrameParams, priorities: u8) -> u64 {
    let under_way = 2 * cable.delay.ps() + params.latency.ps();
    let on_the_cable = cable.rate.saturating_mul(under_way).div_ceil(NANOBITS);
    let pauses = (2 + 2 * u64::from(priorities)) * CONTROL_BITS;
    // Where the shared buffer may be full, the frame that causes the decision stands here too.
    let frames = if params.buffer.alpha.is_some() { 3 } else { 2 };
    on_the_cable + frames * params.mtu.bits() + pauses
}

fn thresholds(
    params: &FrameParams,
    pfc: &PfcParams,
    network: &Network,
    slots: &Slots,
) -> Result<Thresholds, Vec<Problem>> {
    let headroom = headrooms(params, pfc, network, slots).map_err(|problem| vec![problem])?;
    let (size, xoff) = (params.buffer.size.bits(), pfc.xoff.bits());
    let xon = pfc.xon(params.mtu).map_or(0, Data::bits);
    let mut shared = vec![size; network.switches().len()];
    for (switch, shared) in shared.iter_mut().enumerate() {
        let ports = network.switches()[switch].ports.len() as Port;
        let inputs = (0..ports).map(|port| slots.port(switch, port) as usize);
        let inputs = inputs.filter(|&slot| slots.cables[slot].far != NO_SLOT);
        let (mut kept, mut stopped_at) = (0, 0);
        for slot in inputs {
            kept += headroom[slot] * u64::from(pfc.priorities);
            // An input is told to stop by the frame that goes beyond; with a threshold that follows what is free, by the last that fits.
            stopped_at = match params.buffer.alpha {
                None => stopped_at + (xoff + params.mtu.bits()) * u64::from(pfc.priorities),
                Some(_) => params.mtu.bits(),
            };
        }
        if kept + stopped_at > size {
            let name = &network.switches()[switch].name;
            return Err(vec![too_small(params.buffer.size, name, kept + stopped_at)]);
        }
        *shared = size - kept;
    }
    let alpha = params.buffer.alpha.map(|alpha| (alpha * ALPHA_ONE as f64) as u64);
    Ok(Thresholds { xoff, gap: xoff - xon, alpha, shared, headroom })
}

fn too_small(size: Data, switch: &str, needed: u64) -> Problem {
    let bytes = needed.div_ceil(8);
    let problem =
        format!("{size} is too small for the reserved buffers and headroom of all inputs of switch {switch}");
    let hint =
        format!("size = \"{bytes} B\", a lower xoff, or a threshold that follows what is free (alpha)");
    Problem { hint: Some(hint), ..Problem::new("frames.buffer.size", problem, format!("at least {bytes} B")) }
}

/// The headroom of each input, by slot: as given, if the cable needs no more.
fn headrooms(
    params: &FrameParams,
    pfc: &PfcParams,
    network: &Network,
    slots: &Slots,
) -> Result<Vec<u64>, Problem> {
    let mut headroom = vec![0; slots.cables.len()];
    for slot in slots.connected().filter(|&slot| !slots.is_host(slot)) {
        let cable = slots.cables[slot as usize];
        let needed = needed_headroom(cable, params, pfc.priorities);
        let given = pfc.headroom.map_or(needed, Data::bits);
        if given < needed {
            let bytes = needed.div_ceil(8);
            let problem = format!(
                "headroom {} would overflow: link {} still sends more than that after it is told to stop",
                Data::from_bits(given),
                slots.link_name(network, cable.far)
            );
            let hint =
                format!("headroom = \"{bytes} B\" does; without it, each input has what its cable needs");
            return Err(Problem {
                hint: Some(hint),
                ..Problem::new("frames.flow_control.pfc.headroom", problem, format!("at least {bytes} B"))
            });
        }
        headroom[slot as usize] = given;
    }
    Ok(headroom)
}

/// A rate in whole kbit/s.
pub(super) fn kbit_s(rate: Rate) -> u64 {
    rate.bit_s() / 1_000
}

impl FabricPlan {
    /// What the frame machine needs. Panics where the fabric is not one of frames.
    #[inline]
    pub(crate) fn frames(&self) -> &FramePlan {
        self.frames.as_ref().expect("a fabric of frames")
    }

    /// Whether the fabric moves frames: [`frame_simulation`](Self::frame_simulation) then runs it.
    #[must_use]
    pub fn moves_frames(&self) -> bool {
        self.frames.is_some()
    }

    /// Checks a fabric of frames against its network, and its flows.
    pub(crate) fn lay_out_frames(&mut self, bursts: bool) -> Result<(), Vec<Problem>> {
        let params = self.params.frames.as_ref().expect("a fabric of frames");
        let frames = FramePlan::new(params, &self.network, &self.slots, self.routes.lanes())?;
        if bursts {
            return Err(vec![Problem {
                hint: Some("use a list of flows instead".to_owned()),
                ..Problem::new("traffic", "AN1's bursts together with frames", "messages without bursts")
            }]);
        }
        if !self.flows.is_empty() {
            FlowSchedule::new(&self.flows, &self.network, &self.host_rates, 0)?;
        }
        self.frames = Some(frames);
        Ok(())
    }

    /// Tables have been put in the place of routes, and know no lanes.
    pub(crate) fn follow_in_frames(&mut self) {
        if let Some(frames) = &mut self.frames {
            frames.route_lanes = self.routes.lanes();
            self.attached = attached(&self.network, self.routes.lanes());
        }
    }
}

//! The parameters as the machine uses them: as integers, with those of the network.

use std::sync::Arc;

use hopscope_fabric::{Arbiter, FabricPlan, Loops, OfferedLoad, Slot, SlotLayout, Slots, check_links};
use hopscope_measure::{Converged, Problem, StageLabel};
use hopscope_topology::{DestinationTables, Network, VirtualLanes};
use hopscope_traffic::OfferSpec;
use hopscope_units::{Rate, Span, Time, amount};

use crate::balancing::Balancing;
use crate::degraded::Degraded;
use crate::flow_control::Control;
use crate::flow_control::tail_drop::TailDrop;
use crate::flow_control::thresholds::thresholds;
use crate::frame::HEADER_SERVICE;
use crate::observe::stage::{Delivery, Stages};
use crate::outage::Timeline;
use crate::params::{
    ConvergenceParams, CreditParams, FlowControl, Forwarding, FrameParams, LosslessParams, Scheduling,
};
use crate::rate_control::{RateControls, Telemetry};
use crate::rate_params::{RecoveryKind, RecoveryParams};
use crate::recovery::RecoveryRule;
use crate::switch::ecn::Ecn;

/// The parameters of a fabric of frames, checked.
#[derive(Clone, Debug)]
pub(crate) struct FramePlan {
    /// Queues at each port: priorities or virtual lanes.
    pub lanes: usize,
    /// The number of lanes that the routes distinguish.
    pub route_lanes: u16,
    /// The lanes of service levels, if files give them: then a frame's group of lanes is its level.
    pub virtual_lanes: Option<Arc<VirtualLanes>>,
    /// The bit of the lane for headers of trimmed frames; 0 if frames are not trimmed.
    pub header_lane: u16,
    pub mtu: u64,
    pub latency: Span,
    pub control: Control,
    pub ecn: Option<Ecn>,
    /// The rate control, without active flows.
    pub rate_control: RateControls,
    /// The name of its law, if there is one.
    pub law: Option<String>,
    /// The telemetry that switches write on frames.
    pub telemetry: Telemetry,
    /// How what is lost is sent again.
    pub recovery: Option<RecoveryPlan>,
    pub balancing: Balancing,
    pub arbiter: Arbiter,
    pub forwarding: Forwarding,
    pub scheduling: Scheduling,
    pub ttl: Option<u8>,
    /// When the counters of ports are read, in order of time.
    pub counters_at: Vec<Time>,
    pub degraded: Degraded,
    /// What counts as converged, if asked for.
    pub convergence: Option<Converged>,
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
            FlowControl::TailDrop(drop) => {
                let headers = usize::from(drop.trimming);
                let control = Control::TailDrop(TailDrop::new(drop, &params.buffer));
                (usize::from(drop.priorities) + headers, control)
            }
            FlowControl::Credits(CreditParams { lanes, buffer_per_lane }) => {
                (usize::from(*lanes), Control::Credits(buffer_per_lane.bits()))
            }
        };
        let rate_control = RateControls::new(params);
        let plan = Self {
            lanes,
            header_lane: if params.flow_control.trims() { 1 << (lanes - 1) } else { 0 },
            route_lanes,
            virtual_lanes: None,
            mtu: params.mtu.bits(),
            latency: params.latency,
            control,
            ecn: params.ecn.as_ref().map(Ecn::new),
            telemetry: rate_control.telemetry(),
            rate_control,
            law: params.law().map(str::to_owned),
            recovery: params.recovery.as_ref().map(RecoveryPlan::new),
            balancing: params.balancing,
            arbiter: params.arbiter,
            forwarding: params.forwarding,
            scheduling: params.scheduling.clone(),
            ttl: params.ttl,
            counters_at: instants(&params.counters_at),
            degraded: Degraded::new(params, network, slots)?,
            convergence: params.convergence.as_ref().map(ConvergenceParams::asked),
        };
        plan.check_lanes()?;
        plan.check_weights().map_err(|problem| vec![problem])?;
        Ok(plan)
    }

    /// The labels of the stages of a message.
    pub fn stage_labels(&self) -> &'static [StageLabel] {
        let delivery = match (&self.control, &self.recovery) {
            (Control::Credits(_), _) => Delivery::Credits,
            (Control::Pfc(_) | Control::TailDrop(_), Some(_)) => Delivery::Retransmission,
            (Control::Pfc(_) | Control::TailDrop(_), None) => Delivery::Pauses,
        };
        Stages { delivery, held_by: self.rate_control.held_by() }.labels()
    }

    /// Whether receivers send acknowledgments.
    pub fn has_answers(&self) -> bool {
        self.recovery.is_some() || self.rate_control.has_acks()
    }

    /// Whether links are ever stopped.
    pub fn is_held_back(&self) -> bool {
        !matches!(self.control, Control::TailDrop(_))
    }

    /// Checks that there are lanes enough for routes that need them against deadlock.
    fn check_lanes(&self) -> Result<(), Vec<Problem>> {
        let needed = usize::from(self.route_lanes);
        let refused = match self.control {
            Control::Pfc(_) | Control::TailDrop(_) if needed > 1 => {
                let what = match self.control {
                    Control::Pfc(_) => "pause frames have",
                    _ => "tail drop has",
                };
                let problem =
                    format!("the routes need {needed} virtual channels, and {what} priorities only");
                Problem::new(
                    "routing.rule",
                    problem,
                    "\"up-down\" or \"shortest\", or flow_control = { credits = { lanes = ... } }",
                )
            }
            Control::Credits(_) if needed > self.lanes => {
                let lanes = amount(self.lanes, "virtual lane", "virtual lanes");
                let problem = format!("{lanes}, but the routes need {needed}");
                Problem::new("frames.flow_control.credits.lanes", problem, format!("at least {needed}"))
            }
            _ => return Ok(()),
        };
        Err(vec![refused])
    }

    /// Checks that every lane that frames use exists.
    fn check_virtual_lanes(&self, fabric: &FabricPlan) -> Result<(), Problem> {
        let Some(lanes) = &self.virtual_lanes else { return Ok(()) };
        if !matches!(self.control, Control::Credits(_)) {
            let problem = "virtual lanes of files, and no lanes with credits";
            return Err(Problem::new(
                "routing.path_sl",
                problem,
                "flow_control = { credits = { lanes = ... } }",
            ));
        }
        let used = lanes.used(&fabric.network, fabric.routes.tables_of_paths());
        if used.discarded > 0 {
            let problem = format!(
                "switches discard the packets of {} pairs: their service level means no lane there",
                used.discarded
            );
            let expected = "levels of which each means a lane from 0 to 14 on the way";
            return Err(Problem::new("routing.path_sl", problem, expected));
        }
        // Hosts map a level to the lane of its number.
        let most = used.levels.last().max(used.lanes.last()).copied().unwrap_or(0);
        if usize::from(most) < self.lanes {
            return Ok(());
        }
        let path = "frames.flow_control.credits.lanes";
        let lanes = amount(self.lanes, "virtual lane", "virtual lanes");
        let problem = format!("{lanes}, numbered from 0, but packets use number {most}");
        let hint = format!("--set {path}={}", most + 1);
        Err(Problem::new(path, problem, format!("at least {}", most + 1)).hint(hint))
    }

    /// Checks that there is one weight for each service.
    fn check_weights(&self) -> Result<(), Problem> {
        let Scheduling::Weighted(weights) = &self.scheduling else { return Ok(()) };
        if weights.len() == self.services() {
            return Ok(());
        }
        let what = match self.control {
            Control::Pfc(_) | Control::TailDrop(_) => "priorities",
            Control::Credits(_) => "groups of virtual lanes",
        };
        let problem = format!("{} weights for {} {what}", weights.len(), self.services());
        Err(Problem::new("frames.scheduling.weighted", problem, "as many of one as of the other"))
    }

    /// The index of a lane of a port, among queues and among inputs.
    #[inline]
    pub fn queue(&self, slot: Slot, lane: usize) -> usize {
        slot as usize * self.lanes + lane
    }

    /// The number of groups of lanes to which classes of messages map in turn.
    pub fn services(&self) -> usize {
        (self.lanes - usize::from(self.header_lane != 0)) / usize::from(self.route_lanes)
    }

    /// The lane of a service on a channel of the routes.
    #[inline]
    pub fn lane(&self, service: u8, route_lane: u16) -> u8 {
        if service == HEADER_SERVICE {
            return self.lanes as u8 - 1;
        }
        service * self.route_lanes as u8 + route_lane as u8
    }
}

/// How what is lost is sent again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecoveryPlan {
    pub rule: RecoveryRule,
    pub timeout: Span,
    /// Consecutive timeouts after which a sender gives up.
    pub retries: u32,
}

impl RecoveryPlan {
    fn new(params: &RecoveryParams) -> Self {
        let rule = match params.rule {
            RecoveryKind::GoBackN => RecoveryRule::GoBackN,
            RecoveryKind::SelectiveRepeat => {
                RecoveryRule::SelectiveRepeat { reordering: u64::from(params.reordering) }
            }
        };
        Self { rule, timeout: params.timeout, retries: params.retries }
    }
}

/// Instants in order of time, without repetition.
fn instants(spans: &[Span]) -> Vec<Time> {
    let mut instants: Vec<Time> = spans.iter().map(|span| Time::ZERO + *span).collect();
    instants.sort_unstable();
    instants.dedup();
    instants
}

/// A rate in whole kbit/s.
pub(crate) fn kbit_s(rate: Rate) -> u64 {
    rate.bit_s() / 1_000
}

/// A checked fabric of frames with its offered traffic: any number of runs may share it.
#[derive(Debug)]
pub struct LosslessPlan {
    pub(crate) fabric: Arc<FabricPlan>,
    pub(crate) frames: FramePlan,
    pub(crate) offer: OfferSpec,
    pub(crate) timeline: Timeline,
}

impl LosslessPlan {
    /// Checks everything.
    ///
    /// # Errors
    /// All problems found, with paths below the scenario such as `frames.mtu` or `flows[0].pattern.incast`.
    pub fn new(network: Network, params: LosslessParams, offer: OfferSpec) -> Result<Self, Vec<Problem>> {
        let rates = check_links(params.problems(), &network, &params.fabric, || offer.problems())?;
        let LosslessParams { fabric, frames: params, faults } = params;
        let offered = offer.on(&network, &rates, 0)?;
        let receivers = offered.receivers(network.hosts().len());
        let load = match &offer {
            OfferSpec::Traffic(traffic) => OfferedLoad::of_traffic(traffic, receivers, &network),
            OfferSpec::Flows(_) => OfferedLoad::of_flows(receivers),
        };
        let fabric =
            FabricPlan::new(network, fabric, SlotLayout::PerPort, load).map_err(|problem| vec![problem])?;
        let timeline = Timeline::new(&faults, params.reroute, &fabric)?;
        let frames = FramePlan::new(&params, &fabric.network, &fabric.slots, fabric.routes.lanes())?;
        if params.convergence.is_some() && matches!(offer, OfferSpec::Traffic(_)) {
            return Err(vec![convergence_without_flows()]);
        }
        if offered.has_bursts() {
            return Err(vec![bursts_with_frames()]);
        }
        if let Some(path) = offer.multicast() {
            return Err(vec![multicast_with_frames(&path)]);
        }
        Ok(Self { fabric: Arc::new(fabric), frames, offer, timeline })
    }

    /// The same plan with frames that follow these tables, also after faults. Frames with a time to live may loop.
    ///
    /// # Errors
    /// Tables under which the frames between two hosts do not arrive, as the problem of `routing.tables`; weights for
    /// groups of lanes that differ with tables.
    pub fn following(self, tables: DestinationTables) -> Result<Self, Problem> {
        self.following_paths(vec![tables], None)
    }

    /// The same with the tables of each path to a host, of which every flow takes one; and with the virtual lanes that
    /// frames use, if files give them.
    ///
    /// # Errors
    /// As [`following`](Self::following); lanes that the switches do not have, service levels without a lane, and other
    /// switches than those with credits, as the problem of `routing.path_sl` or of the number of lanes.
    pub fn following_paths(
        self,
        tables: Vec<DestinationTables>,
        lanes: Option<VirtualLanes>,
    ) -> Result<Self, Problem> {
        let loops = if self.frames.ttl.is_some() { Loops::Expire } else { Loops::Refused };
        let fabric = Arc::unwrap_or_clone(self.fabric).following(tables, loops)?;
        let virtual_lanes = lanes.map(Arc::new);
        let frames = FramePlan { route_lanes: fabric.routes.lanes(), virtual_lanes, ..self.frames };
        frames.check_weights()?;
        frames.check_virtual_lanes(&fabric)?;
        let timeline = self.timeline.keeping_tables();
        Ok(Self { fabric: Arc::new(fabric), frames, offer: self.offer, timeline })
    }

    /// The same with these tables of the files of `frames.new_tables`, in their order.
    ///
    /// # Errors
    /// Tables with forwarding loops without a time to live, as the problem of `frames.new_tables`; routes with virtual
    /// channels, which tables do not support.
    pub fn with_new_tables(self, tables: Vec<(Span, DestinationTables)>) -> Result<Self, Problem> {
        if tables.is_empty() {
            return Ok(self);
        }
        if self.fabric.routes.lanes() > 1 {
            let problem = "forwarding tables do not know virtual channels, which the routes before them need";
            return Err(Problem::new(
                "frames.new_tables",
                problem,
                "routing.rule = \"up-down\" or \"shortest\"",
            ));
        }
        for (i, (_, tables)) in tables.iter().enumerate().filter(|_| self.frames.ttl.is_none()) {
            if let Some(pair) = tables.looping(&self.fabric.network) {
                let problem =
                    format!("frames from {} to {} go round: {}", pair.from, pair.to, pair.way.join(" - "));
                let path = format!("frames.new_tables[{i}].tables");
                return Err(Problem::new(
                    path,
                    problem,
                    "tables without a forwarding loop, or a time to live",
                )
                .hint("`hopscope check` lists what is wrong with tables"));
            }
        }
        let tables = tables.into_iter().map(|(at, tables)| (Time::ZERO + at, tables)).collect();
        let timeline = self.timeline.keeping_tables().with_tables(&self.fabric, tables);
        Ok(Self { timeline, ..self })
    }

    /// The virtual lanes that frames use, if files give them.
    #[must_use]
    pub fn virtual_lanes(&self) -> Option<&VirtualLanes> {
        self.frames.virtual_lanes.as_deref()
    }

    /// The network and its routes.
    #[must_use]
    pub fn fabric(&self) -> &FabricPlan {
        &self.fabric
    }
}

fn convergence_without_flows() -> Problem {
    Problem::new("frames.convergence", "convergence is asked for without flows", "[[flows]]")
        .hint("messages at random begin and end too often for rates to converge between")
}

fn bursts_with_frames() -> Problem {
    Problem::new("traffic", "AN1's bursts together with frames", "messages without bursts")
        .hint("use a list of flows instead")
}

fn multicast_with_frames(path: &str) -> Problem {
    Problem::new(path, "frames for several hosts at once", "one receiver for each message")
        .hint("without [frames] the switches are AN1's, which copy packets")
}

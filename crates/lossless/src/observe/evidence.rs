//! The evidence of a fabric of frames besides the use of its links, for explanations of a run.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_fabric::{Arbiter, Slot, time_of};
use hopscope_measure::{
    Choice, ClassLane, ClassUse, EVERY_CLASS, Evidence, FlowTables, GivenUp, Journal, LaneName, LaneUse,
    Marking, Report, ServiceOrder, StageId, UsualService,
};
use hopscope_topology::HostId;
use hopscope_traffic::OfferSpec;
use hopscope_units::{Data, Time};

use crate::balancing::Balancing;
use crate::flow_control::Control;
use crate::machine::Lossless;
use crate::observe::dependence::Window;
use crate::params::{Forwarding, FrameParams, Scheduling};

impl<J: Journal> Lossless<J> {
    /// The evidence of a report whose rows begin with the outputs listed.
    pub(crate) fn evidence(&self, now: Time, listed: &[Slot], report: &Report) -> Evidence {
        let plan = self.frames_plan();
        let rows: BTreeMap<Slot, usize> = listed.iter().enumerate().map(|(row, &slot)| (slot, row)).collect();
        let hashed = plan.balancing == Balancing::FlowHash;
        let lengths = match &self.lossless.offer {
            OfferSpec::Traffic(traffic) => Some(traffic.packet_lengths()),
            OfferSpec::Flows(_) => None,
        };
        let frames = self.lossless.offer.message_of_a_bit().map(|bits| bits / plan.mtu as f64);
        let mut found = self.plan.evidence(&rows, hashed.then_some(Choice::Hashed), lengths);
        found.is_job = matches!(self.lossless.offer, OfferSpec::Flows(_));
        found.incasts = report.flows.as_ref().map_or_else(Vec::new, |tables| self.incasts(tables, &rows));
        found.frames_a_message = frames.unwrap_or(0.0);
        found.pairs = self.plan.pairs(self.monitor.waits_between_hosts());
        let micros = |ps: u64| ps as f64 * 1e-6;
        found.usual = vec![UsualService {
            stage: StageId::Switching,
            us: micros(plan.latency.ps()),
            usual_us: micros(FrameParams::default().latency.ps()),
        }];
        let classes: BTreeSet<&str> = report
            .ledger
            .iter()
            .map(|row| row.class.as_str())
            .filter(|class| *class != EVERY_CLASS)
            .collect();
        found.lanes = Some(LaneUse { lanes: plan.services(), classes: classes.len().max(1) });
        found.lane_name = match &plan.control {
            Control::Credits(_) => LaneName::Lane,
            Control::Pfc(_) | Control::TailDrop(_) => LaneName::Priority,
        };
        found.class_use = self.class_use(now, &rows);
        found.law.clone_from(&plan.law);
        found.shared_pauses = match &plan.control {
            Control::Pfc(thresholds) => thresholds.shared_pauses(),
            _ => None,
        };
        let stores = plan.forwarding == Forwarding::StoreAndForward;
        found.sent_once_us = match &report.flows {
            _ if !stores => None,
            Some(flows) => self.sent_once_us(flows),
            None => self.sent_by_hosts_us(now, report),
        };
        found.frame_bits = plan.mtu as f64;
        found.is_sprayed = plan.balancing != Balancing::FlowHash;
        // Queues at outputs are served in order, and their arbiter orders only frames of one instant.
        found.is_fixed_order = plan.arbiter == Arbiter::Lowest && matches!(plan.control, Control::Credits(_));
        found.starving = self.fairness.starving(&self.plan.network);
        found.rounds = report.flows.as_ref().map_or_else(Vec::new, |tables| self.rounds(tables));
        found.timeout_s = plan.recovery.as_ref().map(|recovery| recovery.timeout.as_seconds());
        found.given_up = self.given_up();
        found.marking = plan.ecn.as_ref().map(|ecn| {
            let [from, all] = ecn.thresholds().map(|bits| bits as f64 / 8.0);
            let marked = self.tally.marked as f64 / self.tally.delivered.max(1) as f64;
            Marking { from, all, frame: plan.mtu as f64 / 8.0, marked }
        });
        let expired: Vec<u64> = self.switches.iter().map(|switch| switch.expired).collect();
        found.losses.extend(self.plan.expired(&expired));
        found.losses.extend(self.told_losses());
        found.losses.extend(self.sent_in_vain());
        found.sends_again = plan.recovery.is_some();
        self.add_outages(now, &mut found);
        self.leave_out_dead_ways(now, listed, &mut found);
        found
    }

    /// Mean transmission time of a flow on the link of its own host, microseconds.
    fn sent_once_us(&self, tables: &FlowTables) -> Option<f64> {
        let once = tables.flows.iter().map(|flow| {
            let slot = self.plan.slots.host(HostId::new(flow.source as usize));
            time_of(Data::from_bytes(flow.bytes).bits(), self.ports[slot as usize].rate).ps() as f64 * 1e-6
        });
        let all: f64 = once.sum();
        (!tables.flows.is_empty()).then(|| all / tables.flows.len() as f64)
    }

    /// The same for messages of random traffic: transmission time of all that hosts have sent, over the delivered
    /// messages.
    fn sent_by_hosts_us(&self, now: Time, report: &Report) -> Option<f64> {
        let hosts = (0..self.plan.network.hosts().len()).map(|host| self.plan.slots.host(HostId::new(host)));
        let sent_ps =
            |slot: Slot| self.sent_in_window(slot, now) as f64 / f64::from(self.ports[slot as usize].rate);
        let all_ps: f64 = hosts.map(sent_ps).sum();
        let messages = report.measured.messages;
        (messages > 0).then(|| all_ps * 1e-6 / messages as f64)
    }

    /// Messages given up since the run began, if any.
    fn given_up(&self) -> Option<GivenUp> {
        let (count, recovery) = (self.tally.lost, self.frames_plan().recovery.as_ref()?);
        let of = count + self.monitor.delivered_in_all();
        (count > 0).then_some(GivenUp { count, of, retries: recovery.retries })
    }

    /// How ports serve classes, and which class waits behind which. Not if files give the lanes of paths: then classes
    /// have no lanes of their own.
    fn class_use(&self, now: Time, rows: &BTreeMap<Slot, usize>) -> Option<ClassUse> {
        let (plan, waits) = (self.frames_plan(), self.class_waits.as_ref()?);
        let (order, weights) = match &plan.scheduling {
            Scheduling::RoundRobin => (ServiceOrder::InTurn, &[][..]),
            Scheduling::Strict => (ServiceOrder::Strict, &[][..]),
            Scheduling::Weighted(weights) => (ServiceOrder::InProportion, &weights[..]),
        };
        let classes = self.offered.classes().into_iter().enumerate().map(|(class, name)| {
            let lane = class % plan.services();
            ClassLane { name, lane, weight: weights.get(lane).copied().unwrap_or(1) }
        });
        let classes: Vec<ClassLane> = classes.collect();
        let window = Window { now, span: now.since(self.tally.window_start) };
        let outputs = rows.iter().map(|(&slot, &row)| waits.output(slot, row, window));
        let outputs = outputs.flatten().collect();
        plan.virtual_lanes.is_none().then_some(ClassUse { order, classes, outputs })
    }
}

//! Scheduled flows: begun by the schedule, which is notified of their end.

use hopscope_fabric::{FabricPlan, scatter};
use hopscope_kernel::{EventQueue, Order};
use hopscope_measure::{FlowStatistics, Journal, RoundSeen};
use hopscope_traffic::flows::{Flow, FlowSchedule, RoundEnd};
use hopscope_units::Time;

use crate::event::FrameEvent;
use crate::host::Offered;
use crate::machine::Lossless;

/// The state of scheduled flows.
pub(crate) struct ScheduledFlows {
    pub schedule: FlowSchedule,
    /// For each active flow its description in the schedule.
    pub flows: Vec<Flow>,
    /// The next instant at which the schedule is asked for flows.
    asked_at: Time,
    pub statistics: FlowStatistics,
    /// Whether a run ends with the last flow, whatever else is still to come.
    pub ends_with_the_last: bool,
}

impl ScheduledFlows {
    pub fn new(schedule: FlowSchedule, plan: &FabricPlan) -> Self {
        let hosts = plan.network.hosts().iter().map(|host| host.name.clone()).collect();
        let statistics = FlowStatistics::new(schedule.classes(), hosts);
        Self { schedule, flows: Vec::new(), asked_at: Time::NEVER, statistics, ends_with_the_last: true }
    }

    /// A flow begins; the machine numbers it by this index.
    fn begins(&mut self, index: u32, flow: &Flow) {
        self.statistics.begun(flow.size);
        match self.flows.get_mut(index as usize) {
            Some(place) => *place = *flow,
            None => self.flows.push(*flow),
        }
    }
}

impl<J: Journal> Lossless<J> {
    /// Does not end the run with its last flow: timers, credits and acknowledgments finish as well, for tests that
    /// check that everything is returned.
    pub fn run_out(&mut self) {
        if let Offered::Flows(scheduled) = &mut self.offered {
            scheduled.ends_with_the_last = false;
        }
    }

    /// Schedules the event at which the schedule's next flows begin.
    pub(crate) fn ask_schedule(&mut self, events: &mut EventQueue<FrameEvent>) {
        let Offered::Flows(scheduled) = &mut self.offered else { return };
        let next = scheduled.schedule.next_arrival();
        if next < scheduled.asked_at {
            scheduled.asked_at = next;
            events.schedule(next, Order::new(self.ports.len() as u32, 0), FrameEvent::Release);
        }
    }

    /// Flows begin that are due now. There may be none if an earlier instant was scheduled after this one.
    pub(crate) fn release_flows(&mut self, now: Time, events: &mut EventQueue<FrameEvent>) {
        let mut begins = Vec::new();
        if let Offered::Flows(scheduled) = &mut self.offered {
            scheduled.schedule.release(now, &mut begins);
            scheduled.asked_at = Time::NEVER;
        }
        self.begin_flows(now, &begins, events);
        self.ask_schedule(events);
    }

    /// A flow has ended, whole or not, and others may begin for that.
    pub(crate) fn flow_ended(
        &mut self,
        now: Time,
        flow: u32,
        is_whole: bool,
        events: &mut EventQueue<FrameEvent>,
    ) {
        if self.watch.is_some() {
            self.watch_ended(now, flow);
        }
        let Offered::Flows(scheduled) = &mut self.offered else { return };
        let flow = scheduled.flows[flow as usize];
        let mut begins = Vec::new();
        let round = scheduled.schedule.finished(now, &flow, &mut begins);
        if is_whole {
            scheduled.statistics.ended(now, &self.lossless.flow_end(&flow));
        }
        if let Some(RoundEnd { group, round, begun, data, .. }) = round {
            scheduled.statistics.round(now, &RoundSeen { group, round, begun, data });
        }
        if scheduled.ends_with_the_last && scheduled.schedule.is_over() {
            // Only timers, acknowledgments and future faults are left, which nothing waits for. Otherwise the
            // throughput would depend on a timeout that never takes effect.
            return events.clear();
        }
        self.begin_flows(now, &begins, events);
        self.ask_schedule(events);
    }

    /// All of them are queued before the first frame is sent.
    fn begin_flows(&mut self, now: Time, begins: &[Flow], events: &mut EventQueue<FrameEvent>) {
        let mut numbers = Vec::with_capacity(begins.len());
        for flow in begins {
            let ends = [flow.source, flow.destination].map(|host| host.index() as u32);
            let hash = (scatter(flow.number) >> 32) as u32;
            let index = self.new_flow(now, ends, flow.size, flow.group as u8, hash);
            if let Offered::Flows(scheduled) = &mut self.offered {
                scheduled.begins(index, flow);
            }
            self.join_ring(now, self.plan.slots.host(flow.source), index);
            numbers.push(index);
        }
        self.watch_begun(now, &numbers);
        for flow in begins {
            self.start(now, self.plan.slots.host(flow.source), events);
        }
    }
}

//! Flows by a schedule: begun when it says so, told to it when they have ended.

use hopscope_kernel::{EventQueue, Order};
use hopscope_measure::{Journal, RoundSeen};
use hopscope_traffic::flows::{Flow, FlowSchedule, RoundEnd};
use hopscope_units::Time;

use super::FrameEvent;
use super::machine::FrameFabric;
use crate::routing_choice::scatter;

impl<J: Journal> FrameFabric<J> {
    /// Sees to it that the schedule is asked when its next flows begin.
    pub(super) fn ask_schedule(&mut self, events: &mut EventQueue<FrameEvent>) {
        let next = self.schedule.as_ref().map_or(Time::NEVER, FlowSchedule::next_arrival);
        if next < self.asked_at {
            self.asked_at = next;
            events.schedule(next, Order::new(self.ports.len() as u32, 0), FrameEvent::Release);
        }
    }

    /// Flows begin that were due by the clock. Where an earlier instant came up after this one had been asked for, there may be none.
    pub(super) fn release_flows(&mut self, now: Time, events: &mut EventQueue<FrameEvent>) {
        let mut begins = Vec::new();
        if let Some(schedule) = &mut self.schedule {
            schedule.release(now, &mut begins);
        }
        self.asked_at = Time::NEVER;
        self.begin_flows(now, &begins, events);
        self.ask_schedule(events);
    }

    /// A flow has ended, whole or not, and others may begin for that.
    pub(super) fn flow_ended(
        &mut self,
        now: Time,
        flow: u32,
        is_whole: bool,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let Some(schedule) = &mut self.schedule else { return };
        let flow = self.scheduled[flow as usize];
        let mut begins = Vec::new();
        let round = schedule.finished(now, &flow, &mut begins);
        if let Some(statistics) = &mut self.statistics {
            if is_whole {
                statistics.ended(now, &self.plan.flow_end(&flow));
            }
            if let Some(RoundEnd { group, round, begun, data, .. }) = round {
                statistics.round(now, &RoundSeen { group, round, begun, data });
            }
        }
        self.begin_flows(now, &begins, events);
        self.ask_schedule(events);
    }

    /// All of them stand in line before the first frame goes.
    fn begin_flows(&mut self, now: Time, begins: &[Flow], events: &mut EventQueue<FrameEvent>) {
        for flow in begins {
            if let Some(statistics) = &mut self.statistics {
                statistics.begun(flow.size);
            }
            let ends = [flow.source, flow.destination].map(|host| host.index() as u32);
            let hash = (scatter(flow.number) >> 32) as u32;
            let index = self.new_flow(now, ends, flow.size, flow.group as u8, hash);
            match self.scheduled.get_mut(index as usize) {
                Some(place) => *place = *flow,
                None => self.scheduled.push(*flow),
            }
            self.join_ring(now, self.plan.slots.host(flow.source), index);
        }
        for flow in begins {
            self.start(now, self.plan.slots.host(flow.source), events);
        }
    }
}

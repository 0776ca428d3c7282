//! Machines and their processors: one job at a time, in the order in which they come.

use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::{Span, Time};

use super::{Event, Internet};
use crate::observe::{Stage, Tap};
use crate::stations::Job;
use crate::wire::SHORTEST;

impl<J: Journal, T: Tap> Internet<J, T> {
    /// Gives a machine's processor another job.
    pub(super) fn enqueue(&mut self, now: Time, machine: u32, job: Job, queue: &mut EventQueue<Event>) {
        let at = &mut self.machines[machine as usize];
        at.enqueue(now, job);
        if at.idle() {
            self.begin_job(now, machine, queue);
        }
    }

    fn begin_job(&mut self, now: Time, machine: u32, queue: &mut EventQueue<Event>) {
        while let Some(job) = self.machines[machine as usize].next_job(now) {
            let packet = match job {
                Job::Receive { packet, .. } | Job::Send { packet } => Some(packet),
                Job::Stream(stream) => self.next_of_stream(now, stream),
            };
            let Some(packet) = packet else { continue };
            let (wait, _) = self.stages_at(machine);
            self.packets[packet].journey.close(wait, machine, now);
            let done = now + self.cost(machine, packet);
            self.machines[machine as usize].begin(now, job, packet);
            self.of_machine(queue, machine, done, Event::Processed(machine));
            return;
        }
    }

    /// Waiting for and being handled by a machine's processor.
    fn stages_at(&self, machine: u32) -> (Stage, Stage) {
        if self.plan.machines[machine as usize].gateway {
            (Stage::GatewayWait, Stage::Gateway)
        } else {
            (Stage::HostWait, Stage::Host)
        }
    }

    fn cost(&self, machine: u32, packet: u32) -> Span {
        let bytes = self.packets[packet].pup().length();
        let words = (bytes - SHORTEST) as u64 / 2;
        let costs = &self.plan.params.processing;
        if self.plan.machines[machine as usize].gateway {
            costs.gateway.pup + costs.gateway.word * words
        } else {
            costs.host.pup + costs.host.word * words + costs.host.checksum * (bytes as u64 / 2)
        }
    }

    pub(super) fn processed(&mut self, now: Time, machine: u32, queue: &mut EventQueue<Event>) {
        let (_, service) = self.stages_at(machine);
        let (job, packet) = self.machines[machine as usize].finish(now);
        self.packets[packet].journey.close(service, machine, now);
        match job {
            Job::Receive { station, .. } => self.received(now, machine, station, packet, queue),
            Job::Send { .. } => self.route(now, machine, packet, queue),
            Job::Stream(stream) => {
                self.route(now, machine, packet, queue);
                self.press_on(now, stream, queue);
            }
        }
        // What came of the job may have begun another one already.
        if self.machines[machine as usize].idle() {
            self.begin_job(now, machine, queue);
        }
    }
}

//! Machines and their processors: one job at a time, in the order in which they come.

use std::collections::VecDeque;

use hopscope_kernel::EventQueue;
use hopscope_measure::{Journal, Pool};
use hopscope_units::{Span, Time};

use super::{Event, Internet};
use crate::observe::{Stage, Tap};
use crate::scenario::MachinePlan;
use crate::stations::RoutingTable;
use crate::wire::SHORTEST;

/// What a processor works on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Job {
    /// A Pup that has come to this station, or from the machine itself.
    Receive { packet: u32, station: u32 },
    /// A Pup of the machine's own, to be sent.
    Send { packet: u32 },
    /// The next Pup of a stream, which is chosen when the job begins.
    Stream(u32),
}

/// A host or a gateway.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    jobs: VecDeque<Job>,
    /// The job it works on, and the Pup that this is about.
    current: Option<(Job, u32)>,
    pub processor: Pool,
    pub routes: RoutingTable,
}

impl Machine {
    pub fn new(plan: &MachinePlan) -> Self {
        Self {
            jobs: VecDeque::new(),
            current: None,
            processor: Pool::bounded(1),
            routes: plan.routes.clone(),
        }
    }
}

impl<J: Journal, T: Tap> Internet<J, T> {
    /// Gives a machine's processor another job.
    pub(crate) fn enqueue(&mut self, now: Time, machine: u32, job: Job, queue: &mut EventQueue<Event>) {
        let at = &mut self.machines[machine as usize];
        at.jobs.push_back(job);
        at.processor.start_waiting(now);
        if at.current.is_none() {
            self.begin_job(now, machine, queue);
        }
    }

    fn begin_job(&mut self, now: Time, machine: u32, queue: &mut EventQueue<Event>) {
        while let Some(job) = self.machines[machine as usize].jobs.pop_front() {
            self.machines[machine as usize].processor.stop_waiting(now);
            let packet = match job {
                Job::Receive { packet, .. } | Job::Send { packet } => Some(packet),
                Job::Stream(stream) => self.next_of_stream(now, stream),
            };
            let Some(packet) = packet else { continue };
            let (wait, _) = self.stages_at(machine);
            self.packets[packet].trail.close(wait, machine, now);
            let done = now + self.cost(machine, packet);
            let at = &mut self.machines[machine as usize];
            at.processor.acquire(now, 1);
            at.current = Some((job, packet));
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
        let words = (self.packets[packet].bytes.len() - SHORTEST) as u64 / 2;
        let costs = &self.plan.params.processing;
        if self.plan.machines[machine as usize].gateway {
            costs.gateway.pup + costs.gateway.word * words
        } else {
            costs.host.pup + costs.host.word * words
        }
    }

    pub(crate) fn processed(&mut self, now: Time, machine: u32, queue: &mut EventQueue<Event>) {
        let (_, service) = self.stages_at(machine);
        let at = &mut self.machines[machine as usize];
        at.processor.release(now, 1);
        let (job, packet) = at.current.take().expect("the processor had a job");
        self.packets[packet].trail.close(service, machine, now);
        match job {
            Job::Receive { station, .. } => self.received(now, machine, station, packet, queue),
            Job::Send { .. } => self.route(now, machine, packet, queue),
            Job::Stream(stream) => {
                self.route(now, machine, packet, queue);
                self.press_on(now, stream, queue);
            }
        }
        // What came of the job may have begun another one already.
        if self.machines[machine as usize].current.is_none() {
            self.begin_job(now, machine, queue);
        }
    }
}

//! A host or a gateway: its processor, with one job at a time and a queue of others, and its routes.

use std::collections::VecDeque;

use hopscope_kernel::RandomStream;
use hopscope_measure::Pool;
use hopscope_units::Time;

use super::RoutingTable;

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
    /// What makes its clock drift.
    pub random: RandomStream,
}

impl Machine {
    /// A machine at rest that knows these routes.
    pub fn new(routes: RoutingTable, random: RandomStream) -> Self {
        Self { jobs: VecDeque::new(), current: None, processor: Pool::bounded(1), routes, random }
    }

    /// Whether the processor has nothing to work on.
    pub const fn idle(&self) -> bool {
        self.current.is_none()
    }

    /// Another job gets in line.
    pub fn enqueue(&mut self, now: Time, job: Job) {
        self.jobs.push_back(job);
        self.processor.start_waiting(now);
    }

    /// The next job leaves the line: it begins, or turns out to be about nothing.
    pub fn next_job(&mut self, now: Time) -> Option<Job> {
        let job = self.jobs.pop_front()?;
        self.processor.stop_waiting(now);
        Some(job)
    }

    /// The processor begins a job that is about this Pup.
    pub fn begin(&mut self, now: Time, job: Job, packet: u32) {
        self.processor.acquire(now, 1);
        self.current = Some((job, packet));
    }

    /// The processor is done: the job, and the Pup that it was about.
    pub fn finish(&mut self, now: Time) -> (Job, u32) {
        self.processor.release(now, 1);
        self.current.take().expect("the processor had a job")
    }
}

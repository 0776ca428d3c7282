//! Who makes messages.

use hopscope_kernel::{Order, PoissonProcess, RandomStream};
use hopscope_measure::Journal;
use hopscope_units::{Data, Span, Time};

use crate::protocol::packet::{Fate, Instants, Ledger, Message, packets_of};
use crate::protocol::stage::Phase;
use crate::scenario::params::When;
use crate::scenario::plan::ArpanetPlan;
use crate::subnet::event::Event;
use crate::subnet::host::Step;
use crate::subnet::{Queue, Subnet};

/// When a source sends.
#[derive(Clone, Debug)]
enum Gaps {
    Saturated,
    Poisson(PoissonProcess),
    Every { gap: Span, next: Time },
}

/// A source of messages.
#[derive(Clone, Debug)]
struct Source {
    from: u32,
    /// Nothing: any other IMP's fake host.
    to: Option<u32>,
    gaps: Gaps,
    bits: u16,
    long_bits: u16,
    long_share: f64,
    class: u8,
    observed: bool,
    random: RandomStream,
}

/// All sources of a run.
#[derive(Clone, Debug)]
pub(crate) struct Sources {
    all: Vec<Source>,
    /// When they cease.
    pub end: Time,
    /// Messages made since the run began.
    made: u64,
}

impl Sources {
    pub fn new(plan: &ArpanetPlan, seed: u64) -> Self {
        let flow = |(index, flow): (usize, &crate::scenario::params::FlowParams)| {
            let (from, to) = plan.flows[index];
            let gaps = match flow.when {
                When::Saturated => Gaps::Saturated,
                When::Poisson(gap) => Gaps::Poisson(PoissonProcess::new(Time::ZERO, gap)),
                When::Every(gap) => Gaps::Every { gap, next: Time::ZERO + flow.phase.unwrap_or(gap) },
            };
            let bits = flow.size.bits() as u16;
            Source {
                from,
                to: Some(to),
                gaps,
                bits,
                long_bits: bits,
                long_share: 0.0,
                class: plan.flow_classes[index],
                observed: true,
                random: RandomStream::named(seed, "flow", index as u64),
            }
        };
        let mut all: Vec<Source> = plan.params.flow.iter().enumerate().map(flow).collect();
        if let Some(background) = &plan.params.background {
            all.extend(plan.background.iter().map(|&imp| Source {
                from: u32::from(imp),
                to: None,
                gaps: Gaps::Poisson(PoissonProcess::new(Time::ZERO, background.gap)),
                bits: background.size.bits() as u16,
                long_bits: background.long_size.bits() as u16,
                long_share: background.long_share,
                class: 0,
                observed: false,
                random: RandomStream::named(seed, "background", u64::from(imp)),
            }));
        }
        let end = plan.params.duration.map_or(Time::NEVER, |duration| Time::ZERO + duration);
        Self { all, end, made: 0 }
    }

    /// The host that a source sends from.
    #[inline]
    pub fn sender(&self, source: u32) -> u32 {
        self.all[source as usize].from
    }

    /// How many there are besides those of sites.
    pub fn count(&self) -> u32 {
        self.all.len() as u32
    }
}

impl<J: Journal> Subnet<J> {
    /// Schedules the first message of every source; saturated hosts begin at once.
    pub(crate) fn start_sources(&mut self, queue: &mut Queue) {
        for source in 0..self.sources.all.len() as u32 {
            let from = self.sources.all[source as usize].from;
            if matches!(self.sources.all[source as usize].gaps, Gaps::Saturated) {
                self.hosts[from as usize].saturated.push(source);
            } else {
                self.schedule_emission(source, queue);
            }
        }
        for host in 0..self.hosts.len() as u32 {
            if !self.hosts[host as usize].saturated.is_empty() {
                self.advance_input(Time::ZERO, host, queue);
            }
        }
    }

    fn schedule_emission(&mut self, source: u32, queue: &mut Queue) {
        let s = &mut self.sources.all[source as usize];
        let at = match &mut s.gaps {
            Gaps::Saturated => return,
            Gaps::Poisson(process) => process.next(&mut s.random),
            Gaps::Every { gap, next } => {
                let at = *next;
                *next += *gap;
                at
            }
        };
        if at < self.sources.end {
            // Sources come after all IMPs in the order of an instant.
            queue.schedule(at, Order::new(self.imps.len() as u32 + source, 0), Event::Emit(source));
        }
    }

    /// A source sends a message.
    pub(super) fn emit(&mut self, now: Time, source: u32, queue: &mut Queue) {
        let message = self.make(now, source);
        self.schedule_emission(source, queue);
        self.offer(now, message, queue);
    }

    /// A host has a message to send.
    pub(super) fn offer(&mut self, now: Time, message: u32, queue: &mut Queue) {
        let from = self.messages[message].from;
        self.hosts[from as usize].queue.push_back(message);
        if self.hosts[from as usize].step == Step::Idle {
            self.advance_input(now, from, queue);
        }
    }

    /// The next message that a host sends: one that waits, or one of a saturated flow.
    pub(super) fn next_message(&mut self, now: Time, host: u32) -> Option<u32> {
        let h = &mut self.hosts[host as usize];
        if let Some(message) = h.queue.pop_front() {
            return Some(message);
        }
        if h.saturated.is_empty() || now >= self.sources.end {
            return None;
        }
        let source = h.saturated[h.turn];
        h.turn = (h.turn + 1) % h.saturated.len();
        Some(self.make(now, source))
    }

    fn make(&mut self, now: Time, source: u32) -> u32 {
        let others = &self.plan.background;
        let s = &mut self.sources.all[source as usize];
        let to = s.to.unwrap_or_else(|| {
            // Any but the sender itself: the last stands in for it.
            let drawn = u32::from(others[s.random.below(others.len() as u64 - 1) as usize]);
            if drawn == s.from { u32::from(others[others.len() - 1]) } else { drawn }
        });
        let long = s.long_share > 0.0 && s.random.chance(s.long_share);
        let (from, class, observed) = (s.from, s.class, s.observed);
        let bits = if long { s.long_bits } else { s.bits };
        self.make_message(now, from, to, bits, class, observed)
    }

    /// A message of this class from one host to another: T(1).
    pub(super) fn make_message(
        &mut self,
        now: Time,
        from: u32,
        to: u32,
        bits: u16,
        class: u8,
        observed: bool,
    ) -> u32 {
        let serial = self.sources.made;
        self.sources.made += 1;
        if observed {
            self.monitor.born(now, Data::from_bits(u64::from(bits)));
        }
        if self.messages.is_empty() {
            // Patience with a subnet in which nothing arrives begins when there is something that could.
            self.statistics.last_delivery = now;
        }
        let sequence = self.sequence(from, to);
        self.sequences[sequence as usize].asked.is_measured |= observed;
        let [source, dest] = [from, to].map(|host| self.plan.hosts[host as usize].imp);
        self.messages.insert(Message {
            account: Ledger::open(now),
            serial,
            times: Instants {
                tabled: now,
                queued: now,
                complete: now,
                replied: now,
                arrived: now,
                first_bit: now,
                last_bit: now,
            },
            from,
            to,
            sequence,
            number: 0,
            bits,
            source,
            dest,
            packets: packets_of(u32::from(bits)),
            sent: 0,
            received: 0,
            in_net: 0,
            fate: Fate::Delivered,
            buffers: 0,
            hops: 0,
            phase: Phase::Input,
            class,
            observed,
            is_tabled: false,
            open_ends: 2,
        })
    }
}

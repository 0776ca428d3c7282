//! GVB: an allocation that no message has used in time is given back, which takes a message number (Kleinrock and
//! Opderbeck, section II).

use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::observe::trace::TraceKind;
use crate::protocol::message_order::Place;
use crate::protocol::message_timeout::Owner;
use crate::protocol::packet::PacketKind;
use crate::protocol::stage::Phase;
use crate::scenario::params::TICK;
use crate::subnet::event::Event;
use crate::subnet::reqall::ALLOCATION;
use crate::subnet::{Queue, Subnet};

impl<J: Journal> Subnet<J> {
    /// Schedules a look at the oldest unused allocation.
    pub(super) fn watch_allocations(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        let limit = self.plan.params.protocol.give_back_after;
        let state = &mut self.imps[usize::from(imp)];
        if let Some((_, due)) = state.allocations.oldest(limit)
            && state.give_back_at == Time::NEVER
        {
            // An overdue one that no message number was free for is looked at again a tick later.
            let at = if due > now { due } else { now + TICK };
            state.give_back_at = at;
            self.schedule(queue, imp, at, Event::GiveBack(imp));
        }
    }

    /// The oldest unused allocation may be due to be given back; its GVB needs a message number.
    pub(super) fn give_back(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        let limit = self.plan.params.protocol.give_back_after;
        self.imps[usize::from(imp)].give_back_at = Time::NEVER;
        if let Some((sequence, due)) = self.imps[usize::from(imp)].allocations.oldest(limit)
            && due <= now
            && let Some(number) = self.sequences[sequence as usize].numbers.take()
        {
            let state = &mut self.sequences[sequence as usize];
            state.timeout.own(number, Owner::GiveBack);
            state.pool.acquire(now, Phase::Requesting as usize, 1);
            let dest = state.dest;
            self.imps[usize::from(imp)].allocations.drop_oldest();
            self.statistics.given_back += 1;
            self.note_control(now, TraceKind::GiveBackSent, sequence, number);
            self.send_control(now, imp, dest, PacketKind::GiveBack, sequence, number, queue);
        }
        self.watch_allocations(now, imp, queue);
    }

    /// A GVB is at the destination: the buffers are free, and waiting messages check again.
    pub(super) fn give_back_arrives(&mut self, now: Time, sequence: u32, number: u32, queue: &mut Queue) {
        let state = &mut self.sequences[sequence as usize];
        state.order.set(number, Place::GiveBack);
        let dest = state.dest;
        self.imps[usize::from(dest)].reassembly.take_back(now, ALLOCATION, Phase::Unassigned);
        self.deliver(now, sequence, queue);
        self.serve_waiting(now, dest, queue);
    }
}

//! Echo sources: hosts that ask another one for an echo, and again as soon as it has come back.

use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::{Data, Span, Time};

use super::{Event, Internet};
use crate::observe::Tap;
use crate::scenario::Class;
use crate::stations::Job;
use crate::wire::{Header, Pup, kind};

/// How long an echo is waited for.
const PATIENCE: Span = Span::from_s(5);

/// What an echo source waits for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EchoSource {
    /// The identifier of its last request.
    number: u32,
    /// Whether that has neither come back nor been given up.
    pub waits: bool,
}

impl<J: Journal, T: Tap> Internet<J, T> {
    /// A source asks for its first echo, or gives up the one with this number and asks again.
    pub(super) fn ask_echo(&mut self, now: Time, source: u32, number: u32, queue: &mut EventQueue<Event>) {
        let at = &mut self.echoes[source as usize];
        if at.number != number {
            return;
        }
        if std::mem::take(&mut at.waits) {
            self.tally.echoes_lost += 1;
            self.monitor.given_up(now);
        }
        self.ask_again(now, source, queue);
    }

    fn ask_again(&mut self, now: Time, source: u32, queue: &mut EventQueue<Event>) {
        let plan = self.plan.echoes[source as usize];
        let at = &mut self.echoes[source as usize];
        at.number = at.number.wrapping_add(1);
        at.waits = true;
        let number = at.number;
        let header = Header {
            transport_control: 0,
            kind: kind::ECHO_ME,
            id: number,
            destination: plan.far,
            source: plan.near,
        };
        self.monitor.born(now, Data::from_bytes(plan.length as u64));
        let packet = self.packets.insert(now);
        let asked = &mut self.packets[packet];
        asked.header = header;
        asked.data.clear();
        asked.data.resize(plan.length, 0);
        self.enqueue(now, plan.from, Job::Send { packet }, queue);
        self.of_machine(queue, plan.from, now + PATIENCE, Event::Echo(source, number));
    }

    /// A Pup has come to an echo source: the echo that it waits for, or something that came too late.
    pub(super) fn echoed(
        &mut self,
        now: Time,
        source: u32,
        packet: u32,
        pup: &Pup<'_>,
        queue: &mut EventQueue<Event>,
    ) {
        let at = &mut self.echoes[source as usize];
        if pup.header.kind != kind::I_AM_AN_ECHO || pup.header.id != at.number || !at.waits {
            return;
        }
        at.waits = false;
        let account = self.packets[packet].journey.account();
        let data = Data::from_bytes(pup.data.len() as u64);
        self.monitor.delivered(now, self.plan.class(Class::Echo), account.total(), &account, data);
        let plan = self.plan.echoes[source as usize];
        self.monitor.went(plan.from, plan.to, &account);
        self.last_delivery = now;
        self.ask_again(now, source, queue);
    }
}

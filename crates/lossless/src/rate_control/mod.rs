//! Rate control: how fast each flow may leave its host. One folder or file a law, each a member of [`RateControl`].
//!
//! Sans-IO: a law knows no clock, queue or network. The machine tells it what a host sends and what it is told of
//! congestion, and asks it for the rate.

pub(crate) mod dcqcn;

use hopscope_units::Time;

use self::dcqcn::Dcqcn;
use crate::params::FrameParams;

/// A law of rates, the same for all flows. Rates are in kbit/s.
pub(crate) trait RateControl {
    /// What is kept of a flow.
    type Flow: Copy;

    /// A flow begins at a host whose link has this rate.
    fn begins(&self, line: u64) -> Self::Flow;

    /// The rate until the next timer runs out or something is told.
    fn rate(&self, flow: &Self::Flow) -> u64;

    /// When the flow's next timer runs out; never where none is set.
    fn next_timer(&self, flow: &Self::Flow) -> Time;

    /// The flow's next timer runs out.
    fn timer(&self, flow: &mut Self::Flow);

    /// So many bits go out.
    fn sent(&self, flow: &mut Self::Flow, bits: u64);

    /// A notification of congestion arrives at the sender; all timers due by now have run out.
    fn notified(&self, flow: &mut Self::Flow, now: Time);

    /// Whether the receiver of a marked frame notifies the sender now, when it did so last at this time or never.
    fn notifies(&self, last: Time, now: Time) -> bool;

    /// Lets all timers run out that are due. They need no events: nobody sees a rate before it is asked for.
    #[inline]
    fn run_timers(&self, flow: &mut Self::Flow, now: Time) {
        while self.next_timer(flow) <= now {
            self.timer(flow);
        }
    }
}

/// The flows of a fabric under one law.
#[derive(Clone, Debug)]
pub(crate) struct Flows<C: RateControl> {
    law: C,
    flows: Vec<C::Flow>,
}

impl<C: RateControl> Flows<C> {
    fn new(law: C) -> Self {
        Self { law, flows: Vec::new() }
    }

    fn begins(&mut self, flow: u32, line: u64) {
        let begun = self.law.begins(line);
        match self.flows.get_mut(flow as usize) {
            Some(place) => *place = begun,
            None => self.flows.push(begun),
        }
    }

    #[inline]
    fn sends(&mut self, flow: u32, now: Time, bits: u64) -> u64 {
        let flow = &mut self.flows[flow as usize];
        self.law.run_timers(flow, now);
        let rate = self.law.rate(flow);
        self.law.sent(flow, bits);
        rate
    }

    fn notified(&mut self, flow: u32, now: Time) {
        let flow = &mut self.flows[flow as usize];
        self.law.run_timers(flow, now);
        self.law.notified(flow, now);
    }
}

/// The rates of all flows of a fabric, which the machine knows by small numbers.
#[derive(Clone, Debug)]
pub(crate) enum RateControls {
    /// Every flow at the rate of its link.
    LineRate,
    /// DCQCN.
    Dcqcn(Flows<Dcqcn>),
}

impl RateControls {
    /// The law that a scenario asks for.
    pub fn new(params: &FrameParams) -> Self {
        match &params.dcqcn {
            Some(dcqcn) => Self::Dcqcn(Flows::new(Dcqcn::new(dcqcn))),
            None => Self::LineRate,
        }
    }

    /// Whether receivers ever notify senders.
    pub fn has_notifications(&self) -> bool {
        match self {
            Self::LineRate => false,
            Self::Dcqcn(_) => true,
        }
    }

    /// A flow begins at a host whose link has this rate, kbit/s.
    #[inline]
    pub fn begins(&mut self, flow: u32, line: u64) {
        match self {
            Self::LineRate => {}
            Self::Dcqcn(flows) => flows.begins(flow, line),
        }
    }

    /// A flow sends so many bits: the rate that it has for them, kbit/s; nothing where only the link bounds it.
    #[inline]
    pub fn sends(&mut self, flow: u32, now: Time, bits: u64) -> Option<u64> {
        match self {
            Self::LineRate => None,
            Self::Dcqcn(flows) => Some(flows.sends(flow, now, bits)),
        }
    }

    /// Whether the receiver of a marked frame notifies its sender, when it did so last at this time or never.
    pub fn notifies(&self, last: Time, now: Time) -> bool {
        match self {
            Self::LineRate => false,
            Self::Dcqcn(flows) => flows.law.notifies(last, now),
        }
    }

    /// A notification of congestion arrives at the sender of a flow.
    pub fn notified(&mut self, flow: u32, now: Time) {
        match self {
            Self::LineRate => {}
            Self::Dcqcn(flows) => flows.notified(flow, now),
        }
    }
}

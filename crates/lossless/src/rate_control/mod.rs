//! Who may send next: how fast each flow may leave its host, and how much of it may be under way. One folder or file a
//! law, each a member of [`RateControl`].
//!
//! Sans-IO: a law knows no clock, queue or network. The machine tells it what a host sends and what it hears of that,
//! and asks it for the rate and the window.

#[cfg(test)]
mod bounds;
pub(crate) mod dcqcn;
mod dctcp;
mod heard;
mod hpcc;
pub(crate) mod parts;
mod pull;
mod swift;
mod timely;

use hopscope_units::Time;

use self::dcqcn::Dcqcn;
use self::dctcp::Dctcp;
pub(crate) use self::heard::{Heard, Hop, Missing, Slip, Telemetry};
use self::hpcc::Hpcc;
use self::pull::Pull;
use self::swift::Swift;
use self::timely::Timely;
use crate::params::FrameParams;
use crate::rate_params::RateControlParams;

/// A law of rates and windows, the same for all flows. Rates are in kbit/s, windows in bits.
pub(crate) trait RateControl {
    /// What is kept of a flow.
    type Flow: Clone;

    /// What switches put on frames for it.
    const TELEMETRY: Telemetry = Telemetry::None;

    /// Whether receivers pull.
    const PULLS: bool = false;

    /// A flow of so many bits begins at a host whose link has this rate.
    fn begins(&self, line: u64, bits: u64) -> Self::Flow;

    /// The rate until the next timer runs out or something is told.
    fn rate(&self, flow: &Self::Flow) -> u64;

    /// What may be under way.
    fn window(&self, _: &Self::Flow) -> u64 {
        u64::MAX
    }

    /// Whether the next frame may go when so much is under way. One frame always may when nothing is.
    #[inline]
    fn permits(&self, flow: &Self::Flow, under_way: u64, next: u64) -> bool {
        under_way == 0 || under_way + next <= self.window(flow)
    }

    /// When the flow's next timer runs out; never where none is set.
    fn next_timer(&self, _: &Self::Flow) -> Time {
        Time::NEVER
    }

    /// The flow's next timer runs out.
    fn timer(&self, _: &mut Self::Flow) {}

    /// So many bits go out.
    fn sent(&self, _: &mut Self::Flow, _: u64) {}

    /// An acknowledgment arrives at the sender.
    fn answered(&self, _: &mut Self::Flow, _: &mut Heard<'_>) {}

    /// Frames of the flow are missing.
    fn slipped(&self, _: &mut Self::Flow, _: &Slip) {}

    /// A frame has arrived at the receiver, of which so many bits must come once more: whether the receiver pulls
    /// another.
    fn pulls(&self, _: &mut Self::Flow, _: u64) -> bool {
        false
    }

    /// A pull arrives at the sender.
    fn pulled(&self, _: &mut Self::Flow) {}

    /// A notification of congestion arrives at the sender; all timers due by now have run out.
    fn notified(&self, _: &mut Self::Flow, _: Time) {}

    /// Whether the receiver of a marked frame notifies the sender now, when it did so last at this time or never.
    fn notifies(&self, _: Time, _: Time) -> bool {
        false
    }

    /// Lets all timers run out that are due. They need no events: nobody sees a rate before it is asked for.
    #[inline]
    fn run_timers(&self, flow: &mut Self::Flow, now: Time) {
        while self.next_timer(flow) <= now {
            self.timer(flow);
        }
    }
}

/// Between what a window or a rate must stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub least: u64,
    pub most: u64,
}

impl Bounds {
    pub fn clamp(self, value: u64) -> u64 {
        value.clamp(self.least, self.most)
    }
}

/// What a law holds its flows by, for the words of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeldBy {
    /// Rates.
    Rate,
    /// Windows.
    Window,
    /// Pulls of the receiver.
    Pulls,
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

    fn begins(&mut self, flow: u32, line: u64, bits: u64) {
        let begun = self.law.begins(line, bits);
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

/// The rates and windows of all flows of a fabric, which the machine knows by small numbers.
#[derive(Clone, Debug)]
pub(crate) enum RateControls {
    /// Every flow at the rate of its link.
    LineRate,
    /// DCQCN.
    Dcqcn(Flows<Dcqcn>),
    /// DCTCP.
    Dctcp(Flows<Dctcp>),
    /// TIMELY.
    Timely(Flows<Timely>),
    /// HPCC.
    Hpcc(Flows<Hpcc>),
    /// Swift.
    Swift(Flows<Swift>),
    /// Pulls of receivers.
    Pull(Flows<Pull>),
}

/// Asks or tells whichever law there is; without one the other is so.
macro_rules! under {
    ($self:ident, $flows:ident => $said:expr, $otherwise:expr) => {
        match $self {
            RateControls::LineRate => $otherwise,
            RateControls::Dcqcn($flows) => $said,
            RateControls::Dctcp($flows) => $said,
            RateControls::Timely($flows) => $said,
            RateControls::Hpcc($flows) => $said,
            RateControls::Swift($flows) => $said,
            RateControls::Pull($flows) => $said,
        }
    };
}

/// What switches put on frames for the law of these flows, and whether its receivers pull.
fn asks_for<C: RateControl>(_: &Flows<C>) -> (Telemetry, bool) {
    (C::TELEMETRY, C::PULLS)
}

impl RateControls {
    /// The law that a scenario asks for.
    pub fn new(params: &FrameParams) -> Self {
        let frame = params.mtu.bits();
        match (&params.rate_control, &params.dcqcn) {
            (None, None) => Self::LineRate,
            (None, Some(dcqcn)) => Self::Dcqcn(Flows::new(Dcqcn::new(dcqcn))),
            (Some(RateControlParams::Dctcp(dctcp)), _) => Self::Dctcp(Flows::new(Dctcp::new(dctcp, frame))),
            (Some(RateControlParams::Timely(timely)), _) => Self::Timely(Flows::new(Timely::new(timely))),
            (Some(RateControlParams::Hpcc(hpcc)), _) => Self::Hpcc(Flows::new(Hpcc::new(hpcc))),
            (Some(RateControlParams::Swift(swift)), _) => Self::Swift(Flows::new(Swift::new(swift, frame))),
            (Some(RateControlParams::Pull(pull)), _) => Self::Pull(Flows::new(Pull::new(pull, frame))),
        }
    }

    /// Whether receivers ever notify senders.
    pub fn has_notifications(&self) -> bool {
        matches!(self, Self::Dcqcn(_))
    }

    /// Whether senders must hear of each frame that arrives.
    pub fn needs_answers(&self) -> bool {
        !matches!(self, Self::LineRate | Self::Dcqcn(_))
    }

    /// By what flows are held.
    pub fn held_by(&self) -> HeldBy {
        match self {
            Self::LineRate | Self::Dcqcn(_) | Self::Timely(_) => HeldBy::Rate,
            Self::Dctcp(_) | Self::Hpcc(_) | Self::Swift(_) => HeldBy::Window,
            Self::Pull(_) => HeldBy::Pulls,
        }
    }

    /// What switches put on frames.
    pub fn telemetry(&self) -> Telemetry {
        under!(self, flows => asks_for(flows).0, Telemetry::None)
    }

    /// Whether receivers pull.
    pub fn has_pulls(&self) -> bool {
        under!(self, flows => asks_for(flows).1, false)
    }

    /// A flow of so many bits begins at a host whose link has this rate, kbit/s.
    #[inline]
    pub fn begins(&mut self, flow: u32, line: u64, bits: u64) {
        under!(self, flows => flows.begins(flow, line, bits), ());
    }

    /// A flow sends so many bits: the rate that it has for them, kbit/s; nothing where only the link bounds it.
    #[inline]
    pub fn sends(&mut self, flow: u32, now: Time, bits: u64) -> Option<u64> {
        under!(self, flows => Some(flows.sends(flow, now, bits)), None)
    }

    /// Whether a flow's next frame may go when so many bits are under way.
    #[inline]
    pub fn permits(&self, flow: u32, under_way: u64, next: u64) -> bool {
        under!(self, flows => flows.law.permits(&flows.flows[flow as usize], under_way, next), true)
    }

    /// An acknowledgment arrives at the sender of a flow.
    pub fn answered(&mut self, flow: u32, heard: &mut Heard<'_>) {
        under!(self, flows => flows.law.answered(&mut flows.flows[flow as usize], heard), ());
    }

    /// Frames of a flow are missing.
    pub fn slipped(&mut self, flow: u32, slip: &Slip) {
        under!(self, flows => flows.law.slipped(&mut flows.flows[flow as usize], slip), ());
    }

    /// A frame of a flow has arrived, of which so many bits must come once more: whether its receiver pulls another.
    pub fn pulls(&mut self, flow: u32, missing: u64) -> bool {
        under!(self, flows => flows.law.pulls(&mut flows.flows[flow as usize], missing), false)
    }

    /// A pull arrives at the sender of a flow.
    pub fn pulled(&mut self, flow: u32) {
        under!(self, flows => flows.law.pulled(&mut flows.flows[flow as usize]), ());
    }

    /// Whether the receiver of a marked frame notifies its sender, when it did so last at this time or never.
    pub fn notifies(&self, last: Time, now: Time) -> bool {
        under!(self, flows => flows.law.notifies(last, now), false)
    }

    /// A notification of congestion arrives at the sender of a flow.
    pub fn notified(&mut self, flow: u32, now: Time) {
        under!(self, flows => flows.notified(flow, now), ());
    }
}

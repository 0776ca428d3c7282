//! The flows of a fabric under a law: one law for all, dispatched once a call.
//!
//! The laws that come with hopscope are variants of an enum, so that each is compiled into its calls. A law of one's
//! own stands behind a box: one indirect call for each question, and nothing for those who have none.

use std::fmt::Debug;

use hopscope_fabric::prefetch;
use hopscope_units::Time;

use super::dcqcn::Dcqcn;
use super::dctcp::Dctcp;
use super::hpcc::Hpcc;
use super::nscc::Nscc;
use super::pull::Pull;
use super::swift::Swift;
use super::timely::Timely;
use super::{Heard, HeldBy, OwnRule, RateControl, Setting, Slip, Telemetry};
use crate::params::FrameParams;
use crate::rate_params::RateControlParams;

/// What a law asks of the machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    telemetry: Telemetry,
    answers: bool,
    notifications: bool,
    pulls: bool,
    held_by: HeldBy,
}

/// Flows under some law, which the machine knows by small numbers.
pub(crate) trait Ruled: Debug + Send + Sync {
    /// The same flows once more.
    fn cloned(&self) -> Box<dyn Ruled>;
    fn asked(&self) -> Asked;
    fn begins(&mut self, flow: u32, line: u64, bits: u64);
    fn sends(&mut self, flow: u32, now: Time, bits: u64) -> u64;
    fn permits(&self, flow: u32, under_way: u64, next: u64) -> bool;
    fn fetch(&self, flow: u32);
    fn answered(&mut self, flow: u32, heard: &Heard<'_>);
    fn slipped(&mut self, flow: u32, slip: &Slip);
    fn pulls(&mut self, flow: u32, missing: u64) -> bool;
    fn pulled(&mut self, flow: u32);
    fn notifies(&self, last: Time, now: Time) -> bool;
    fn notified(&mut self, flow: u32, now: Time);
}

/// The flows of a fabric under one law.
#[derive(Clone, Debug)]
pub(crate) struct Flows<C: RateControl> {
    law: C,
    flows: Vec<C::Flow>,
}

impl<C: RateControl> Flows<C> {
    pub fn new(law: C) -> Self {
        Self { law, flows: Vec::new() }
    }
}

impl<C: RateControl> Ruled for Flows<C> {
    fn cloned(&self) -> Box<dyn Ruled> {
        Box::new(self.clone())
    }

    #[inline]
    fn asked(&self) -> Asked {
        Asked {
            telemetry: C::TELEMETRY,
            answers: C::ANSWERS,
            notifications: C::NOTIFICATIONS,
            pulls: C::PULLS,
            held_by: C::HELD_BY,
        }
    }

    #[inline]
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

    #[inline]
    fn permits(&self, flow: u32, under_way: u64, next: u64) -> bool {
        self.law.permits(&self.flows[flow as usize], under_way, next)
    }

    #[inline]
    fn fetch(&self, flow: u32) {
        self.flows.get(flow as usize).into_iter().for_each(prefetch);
    }

    #[inline]
    fn answered(&mut self, flow: u32, heard: &Heard<'_>) {
        self.law.answered(&mut self.flows[flow as usize], heard);
    }

    #[inline]
    fn slipped(&mut self, flow: u32, slip: &Slip) {
        self.law.slipped(&mut self.flows[flow as usize], slip);
    }

    #[inline]
    fn pulls(&mut self, flow: u32, missing: u64) -> bool {
        self.law.pulls(&mut self.flows[flow as usize], missing)
    }

    #[inline]
    fn pulled(&mut self, flow: u32) {
        self.law.pulled(&mut self.flows[flow as usize]);
    }

    #[inline]
    fn notifies(&self, last: Time, now: Time) -> bool {
        self.law.notifies(last, now)
    }

    #[inline]
    fn notified(&mut self, flow: u32, now: Time) {
        let flow = &mut self.flows[flow as usize];
        self.law.run_timers(flow, now);
        self.law.notified(flow, now);
    }
}

/// The rates and windows of all flows of a fabric.
#[derive(Debug)]
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
    /// NSCC.
    Nscc(Flows<Nscc>),
    /// Pulls of receivers.
    Pull(Flows<Pull>),
    /// A law of one's own.
    Own(Box<dyn Ruled>),
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
            RateControls::Nscc($flows) => $said,
            RateControls::Pull($flows) => $said,
            RateControls::Own($flows) => $said,
        }
    };
}

impl Clone for RateControls {
    fn clone(&self) -> Self {
        match self {
            Self::LineRate => Self::LineRate,
            Self::Dcqcn(flows) => Self::Dcqcn(flows.clone()),
            Self::Dctcp(flows) => Self::Dctcp(flows.clone()),
            Self::Timely(flows) => Self::Timely(flows.clone()),
            Self::Hpcc(flows) => Self::Hpcc(flows.clone()),
            Self::Swift(flows) => Self::Swift(flows.clone()),
            Self::Nscc(flows) => Self::Nscc(flows.clone()),
            Self::Pull(flows) => Self::Pull(flows.clone()),
            Self::Own(flows) => Self::Own(flows.cloned()),
        }
    }
}

impl RateControls {
    /// The law that a scenario asks for. Flows of a scenario that is only shown go at the rate of their links: it never
    /// runs.
    pub fn new(params: &FrameParams) -> Self {
        let frame = params.mtu.bits();
        match (&params.rate_control, &params.dcqcn) {
            (None, None) => Self::LineRate,
            (None, Some(dcqcn)) => Self::Dcqcn(Flows::new(Dcqcn::new(dcqcn))),
            (Some(RateControlParams::Dctcp(dctcp)), _) => Self::Dctcp(Flows::new(Dctcp::with(dctcp, frame))),
            (Some(RateControlParams::Timely(timely)), _) => Self::Timely(Flows::new(Timely::new(timely))),
            (Some(RateControlParams::Hpcc(hpcc)), _) => Self::Hpcc(Flows::new(Hpcc::new(hpcc))),
            (Some(RateControlParams::Swift(swift)), _) => Self::Swift(Flows::new(Swift::new(swift, frame))),
            (Some(RateControlParams::Nscc(nscc)), _) => {
                Self::Nscc(Flows::new(Nscc::new(nscc, frame, params.flow_control.trims())))
            }
            (Some(RateControlParams::Pull(pull)), _) => Self::Pull(Flows::new(Pull::new(pull, frame))),
            (Some(RateControlParams::Own(own)), _) => Self::of_own(own, &params.setting()),
        }
    }

    fn of_own(own: &OwnRule, setting: &Setting) -> Self {
        own.flows(setting).map_or(Self::LineRate, Self::Own)
    }

    /// Whether receivers ever notify senders.
    pub fn has_notifications(&self) -> bool {
        under!(self, flows => flows.asked().notifications, false)
    }

    /// Whether senders must hear of each frame that arrives.
    pub fn needs_answers(&self) -> bool {
        under!(self, flows => flows.asked().answers, false)
    }

    /// By what flows are held.
    pub fn held_by(&self) -> HeldBy {
        under!(self, flows => flows.asked().held_by, HeldBy::Rate)
    }

    /// What switches put on frames.
    pub fn telemetry(&self) -> Telemetry {
        under!(self, flows => flows.asked().telemetry, Telemetry::None)
    }

    /// Whether receivers pull.
    #[inline]
    pub fn has_pulls(&self) -> bool {
        under!(self, flows => flows.asked().pulls, false)
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
        under!(self, flows => flows.permits(flow, under_way, next), true)
    }

    /// Fetches what is kept of a flow, ahead of its event.
    #[inline]
    pub fn fetch(&self, flow: u32) {
        under!(self, flows => flows.fetch(flow), ());
    }

    /// An acknowledgment arrives at the sender of a flow.
    pub fn answered(&mut self, flow: u32, heard: &Heard<'_>) {
        under!(self, flows => flows.answered(flow, heard), ());
    }

    /// Frames of a flow are missing.
    pub fn slipped(&mut self, flow: u32, slip: &Slip) {
        under!(self, flows => flows.slipped(flow, slip), ());
    }

    /// A frame of a flow has arrived, of which so many bits must come once more: whether its receiver pulls another.
    pub fn pulls(&mut self, flow: u32, missing: u64) -> bool {
        under!(self, flows => flows.pulls(flow, missing), false)
    }

    /// A pull arrives at the sender of a flow.
    pub fn pulled(&mut self, flow: u32) {
        under!(self, flows => flows.pulled(flow), ());
    }

    /// Whether the receiver of a marked frame notifies its sender, when it did so last at this time or never.
    pub fn notifies(&self, last: Time, now: Time) -> bool {
        under!(self, flows => flows.notifies(last, now), false)
    }

    /// A notification of congestion arrives at the sender of a flow.
    pub fn notified(&mut self, flow: u32, now: Time) {
        under!(self, flows => flows.notified(flow, now), ());
    }
}

//! The flows of a fabric under a law: one law for all, dispatched once per call.
//!
//! The laws that come with hopscope are variants of an enum, so that each is compiled into its calls. A user-defined
//! law is boxed: one indirect call each time, and no cost for others.

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
use super::{Ack, HeldBy, Loss, OwnRule, RateControl, Setting, Telemetry};
use crate::params::FrameParams;
use crate::rate_params::RateControlParams;

/// What a law requires of the machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    telemetry: Telemetry,
    acks: bool,
    cnps: bool,
    pulls: bool,
    held_by: HeldBy,
}

/// Flows under some law, which the machine numbers.
pub(crate) trait Ruled: Debug + Send + Sync {
    /// A copy of the flows.
    fn cloned(&self) -> Box<dyn Ruled>;
    fn asked(&self) -> Asked;
    fn new_flow(&mut self, flow: u32, line_kbit_s: u64, flow_bits: u64);
    fn send(&mut self, flow: u32, now: Time, frame_bits: u64) -> u64;
    fn permits(&self, flow: u32, in_flight_bits: u64, frame_bits: u64) -> bool;
    fn fetch(&self, flow: u32);
    fn on_ack(&mut self, flow: u32, ack: &Ack<'_>);
    fn on_loss(&mut self, flow: u32, loss: &Loss);
    fn sends_pull(&mut self, flow: u32, resend_bits: u64) -> bool;
    fn on_pull(&mut self, flow: u32);
    fn sends_cnp(&self, last_cnp: Time, now: Time) -> bool;
    fn on_cnp(&mut self, flow: u32, now: Time);
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
        Asked { telemetry: C::TELEMETRY, acks: C::ACKS, cnps: C::CNPS, pulls: C::PULLS, held_by: C::HELD_BY }
    }

    #[inline]
    fn new_flow(&mut self, flow: u32, line_kbit_s: u64, flow_bits: u64) {
        let begun = self.law.new_flow(line_kbit_s, flow_bits);
        match self.flows.get_mut(flow as usize) {
            Some(place) => *place = begun,
            None => self.flows.push(begun),
        }
    }

    #[inline]
    fn send(&mut self, flow: u32, now: Time, frame_bits: u64) -> u64 {
        let flow = &mut self.flows[flow as usize];
        self.law.run_timers(flow, now);
        let rate = self.law.rate_kbit_s(flow);
        self.law.on_send(flow, frame_bits);
        rate
    }

    #[inline]
    fn permits(&self, flow: u32, in_flight_bits: u64, frame_bits: u64) -> bool {
        self.law.permits(&self.flows[flow as usize], in_flight_bits, frame_bits)
    }

    #[inline]
    fn fetch(&self, flow: u32) {
        self.flows.get(flow as usize).into_iter().for_each(prefetch);
    }

    #[inline]
    fn on_ack(&mut self, flow: u32, ack: &Ack<'_>) {
        self.law.on_ack(&mut self.flows[flow as usize], ack);
    }

    #[inline]
    fn on_loss(&mut self, flow: u32, loss: &Loss) {
        self.law.on_loss(&mut self.flows[flow as usize], loss);
    }

    #[inline]
    fn sends_pull(&mut self, flow: u32, resend_bits: u64) -> bool {
        self.law.sends_pull(&mut self.flows[flow as usize], resend_bits)
    }

    #[inline]
    fn on_pull(&mut self, flow: u32) {
        self.law.on_pull(&mut self.flows[flow as usize]);
    }

    #[inline]
    fn sends_cnp(&self, last_cnp: Time, now: Time) -> bool {
        self.law.sends_cnp(last_cnp, now)
    }

    #[inline]
    fn on_cnp(&mut self, flow: u32, now: Time) {
        let flow = &mut self.flows[flow as usize];
        self.law.run_timers(flow, now);
        self.law.on_cnp(flow, now);
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
    /// A user-defined law.
    Own(Box<dyn Ruled>),
}

/// Calls the current law; without one, evaluates the default.
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
    /// The law of a scenario. Flows of a scenario that is only shown have the rate of their links: it never runs.
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

    /// Whether receivers send notifications of marked frames (CNPs).
    pub fn has_cnps(&self) -> bool {
        under!(self, flows => flows.asked().cnps, false)
    }

    /// Whether receivers acknowledge each frame.
    pub fn has_acks(&self) -> bool {
        under!(self, flows => flows.asked().acks, false)
    }

    /// What limits flows.
    pub fn held_by(&self) -> HeldBy {
        under!(self, flows => flows.asked().held_by, HeldBy::Rate)
    }

    /// The telemetry that switches write on frames.
    pub fn telemetry(&self) -> Telemetry {
        under!(self, flows => flows.asked().telemetry, Telemetry::None)
    }

    /// Whether receivers pull.
    #[inline]
    pub fn has_pulls(&self) -> bool {
        under!(self, flows => flows.asked().pulls, false)
    }

    /// A flow of `flow_bits` begins at a host whose link has the rate `line_kbit_s`.
    #[inline]
    pub fn new_flow(&mut self, flow: u32, line_kbit_s: u64, flow_bits: u64) {
        under!(self, flows => flows.new_flow(flow, line_kbit_s, flow_bits), ());
    }

    /// A flow sends a frame of `frame_bits`: the rate that it has for them, kbit/s; None if only the link bounds it.
    #[inline]
    pub fn send(&mut self, flow: u32, now: Time, frame_bits: u64) -> Option<u64> {
        under!(self, flows => Some(flows.send(flow, now, frame_bits)), None)
    }

    /// Whether a flow's next frame, of `frame_bits`, may go while `in_flight_bits` are in flight.
    #[inline]
    pub fn permits(&self, flow: u32, in_flight_bits: u64, frame_bits: u64) -> bool {
        under!(self, flows => flows.permits(flow, in_flight_bits, frame_bits), true)
    }

    /// Fetches the state of a flow, ahead of its event.
    #[inline]
    pub fn fetch(&self, flow: u32) {
        under!(self, flows => flows.fetch(flow), ());
    }

    /// An acknowledgment arrives at the sender of a flow.
    pub fn on_ack(&mut self, flow: u32, ack: &Ack<'_>) {
        under!(self, flows => flows.on_ack(flow, ack), ());
    }

    /// The sender of a flow learns that frames are lost.
    pub fn on_loss(&mut self, flow: u32, loss: &Loss) {
        under!(self, flows => flows.on_loss(flow, loss), ());
    }

    /// Whether the receiver sends a pull for a frame that has arrived, of which `resend_bits` must be sent again.
    pub fn sends_pull(&mut self, flow: u32, resend_bits: u64) -> bool {
        under!(self, flows => flows.sends_pull(flow, resend_bits), false)
    }

    /// A pull arrives at the sender of a flow.
    pub fn on_pull(&mut self, flow: u32) {
        under!(self, flows => flows.on_pull(flow), ());
    }

    /// Whether the receiver of a marked frame sends a CNP now. The flow's last one was sent at `last_cnp`, or never.
    pub fn sends_cnp(&self, last_cnp: Time, now: Time) -> bool {
        under!(self, flows => flows.sends_cnp(last_cnp, now), false)
    }

    /// A notification of congestion (CNP) arrives at the sender of a flow.
    pub fn on_cnp(&mut self, flow: u32, now: Time) {
        under!(self, flows => flows.on_cnp(flow, now), ());
    }
}

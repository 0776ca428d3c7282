//! DCQCN (Zhu et al. 2015): switches mark, receivers notify, senders slow down.
//!
//! Its congestion point is the switch that marks frames, `switch/congestion_point.rs`, whether or not any host reacts
//! to the marks. Here are its notification point, at the receiver, and its reaction point, at the sender.

mod notification_point;
mod reaction_point;

use hopscope_units::Time;

use self::notification_point::NotificationPoint;
use self::reaction_point::{Reaction, ReactionPoint};
use super::{HeldBy, RateControl};
use crate::params::DcqcnParams;

/// DCQCN with its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Dcqcn {
    notification: NotificationPoint,
    reaction: Reaction,
}

impl Dcqcn {
    pub fn new(params: &DcqcnParams) -> Self {
        Self { notification: NotificationPoint::new(params.cnp_interval), reaction: Reaction::new(params) }
    }
}

impl RateControl for Dcqcn {
    type Flow = ReactionPoint;

    const HELD_BY: HeldBy = HeldBy::Rate;
    const ACKS: bool = false;
    const CNPS: bool = true;

    fn new_flow(&self, line: u64, _: u64) -> ReactionPoint {
        ReactionPoint::new(line)
    }

    #[inline]
    fn rate_kbit_s(&self, flow: &ReactionPoint) -> u64 {
        flow.rate_kbit_s()
    }

    #[inline]
    fn next_timer(&self, flow: &ReactionPoint) -> Time {
        flow.next_timer(&self.reaction)
    }

    fn on_timer(&self, flow: &mut ReactionPoint) {
        flow.on_timer(&self.reaction);
    }

    #[inline]
    fn on_send(&self, flow: &mut ReactionPoint, bits: u64) {
        flow.on_send(bits, &self.reaction);
    }

    fn on_cnp(&self, flow: &mut ReactionPoint, now: Time) {
        flow.on_cnp(now, &self.reaction);
    }

    fn sends_cnp(&self, last: Time, now: Time) -> bool {
        self.notification.sends_cnp(last, now)
    }
}

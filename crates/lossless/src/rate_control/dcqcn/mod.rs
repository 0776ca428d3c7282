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
    const ANSWERS: bool = false;
    const NOTIFICATIONS: bool = true;

    fn begins(&self, line: u64, _: u64) -> ReactionPoint {
        ReactionPoint::new(line)
    }

    #[inline]
    fn rate(&self, flow: &ReactionPoint) -> u64 {
        flow.rate()
    }

    #[inline]
    fn next_timer(&self, flow: &ReactionPoint) -> Time {
        flow.next_timer(&self.reaction)
    }

    fn timer(&self, flow: &mut ReactionPoint) {
        flow.timer(&self.reaction);
    }

    #[inline]
    fn sent(&self, flow: &mut ReactionPoint, bits: u64) {
        flow.sent(bits, &self.reaction);
    }

    fn notified(&self, flow: &mut ReactionPoint, now: Time) {
        flow.notified(now, &self.reaction);
    }

    fn notifies(&self, last: Time, now: Time) -> bool {
        self.notification.notifies(last, now)
    }
}

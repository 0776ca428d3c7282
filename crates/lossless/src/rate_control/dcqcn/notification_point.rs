//! The notification point of DCQCN: when the receiver of marked frames notifies their sender (Zhu et al. 2015, section
//! 3.1).

use hopscope_units::{Span, Time};

/// A receiver, the same for all flows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotificationPoint {
    /// The shortest time between two notifications of a flow.
    interval: Span,
}

impl NotificationPoint {
    pub fn new(interval: Span) -> Self {
        Self { interval }
    }

    /// Whether a marked frame that arrives now causes a notification, if the last one of its flow was sent at this time
    /// or never.
    pub fn sends_cnp(self, last: Time, now: Time) -> bool {
        last == Time::NEVER || now.since(last) >= self.interval
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_is_notified_at_once_and_then_at_most_once_in_an_interval() {
        let point = NotificationPoint::new(Span::from_us(50));
        let at = |us| Time::ZERO + Span::from_us(us);
        assert!(point.sends_cnp(Time::NEVER, at(7)));
        assert!(!point.sends_cnp(at(7), at(7)) && !point.sends_cnp(at(7), at(56)));
        assert!(point.sends_cnp(at(7), at(57)));
    }
}

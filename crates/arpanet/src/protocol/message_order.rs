//! The destination's end of a message-number sequence: messages go to the host in order, and replies go back in order.
//!
//! Kleinrock and Opderbeck, sections II, VI and VII; RFC 632. The reply to a multipacket message would carry an
//! allocation for the next one, and waits for the buffers up to a second from when its turn has come, while all later
//! replies wait behind it.

use hopscope_units::Time;

use crate::protocol::message_numbers::WIDEST_WINDOW;

/// What the destination knows of one message number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nothing has come.
    Empty,
    /// A REQALL: it wants buffers for a multipacket message.
    Request,
    /// A GVB: it returns unused buffers.
    GiveBack,
    /// A single-packet message that was discarded: it wants one buffer.
    Rejected(u32),
    /// The allocation for a discarded message is in transit; the message will be sent again.
    Recalled(u32),
    /// A part of a multipacket message.
    Partial(u32),
    /// A whole message that waits for those before it.
    Whole(u32),
    /// A message in the queue for its host.
    Delivering(u32),
    /// A message of which the host has the first packet: its RFNM may go.
    Served(u32),
    /// A message that was given up or that its host did not accept: the source is notified.
    Lost(u32),
    /// A REQALL that was given up.
    Unanswered,
}

/// What can be replied now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Nothing.
    Nothing,
    /// The reply whose turn it is waits for buffers.
    Buffers,
    /// The RFNM of a message, with an allocation or without.
    Rfnm {
        /// The message.
        message: u32,
        /// Whether it carries an allocation.
        with_allocation: bool,
    },
    /// The ALL that answers a REQALL.
    Allocation,
    /// The ALL for a discarded single-packet message.
    Recall(u32),
    /// The answer to a GVB.
    GiveBack,
    /// The word that a message will not arrive.
    Lost(u32),
    /// The word that a REQALL was in vain.
    Unanswered,
}

/// What the destination can spend on a reply.
#[derive(Clone, Copy, Debug)]
pub struct Means {
    /// Reassembly buffers that are neither held nor promised.
    pub free_buffers: u64,
    /// Buffers of an allocation for a multipacket message.
    pub multipacket: u64,
    /// No reply waits for the buffers of an allocation that it would carry while other replies are to be sent (the fix
    /// of 1975).
    pub phasing_fix: bool,
}

/// The message numbers of one sequence at the destination.
#[derive(Clone, Debug)]
pub struct MessageOrder {
    next_in_order: u32,
    next_reply: u32,
    places: [Place; WIDEST_WINDOW as usize],
    /// Since when the reply whose turn it is has waited for buffers.
    pub waiting_since: Option<Time>,
}

impl MessageOrder {
    /// A sequence of which nothing has come.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            next_in_order: 0,
            next_reply: 0,
            places: [Place::Empty; WIDEST_WINDOW as usize],
            waiting_since: None,
        }
    }

    /// What is known of a number.
    #[must_use]
    pub fn place(&self, number: u32) -> Place {
        self.places[(number % WIDEST_WINDOW) as usize]
    }

    /// Something has become known of a number. Panics outside the window: an error of the model.
    pub fn set(&mut self, number: u32, place: Place) {
        assert!(
            number >= self.next_reply && number < self.next_reply + WIDEST_WINDOW,
            "message number {number} is outside the window"
        );
        self.places[(number % WIDEST_WINDOW) as usize] = place;
    }

    /// The number whose reply is the next.
    #[must_use]
    pub const fn next_reply(&self) -> u32 {
        self.next_reply
    }

    /// Whether all messages before this one are complete.
    #[must_use]
    pub const fn in_order(&self, number: u32) -> bool {
        number == self.next_in_order
    }

    /// Whether every message before this one has been heard of.
    #[must_use]
    pub fn all_known_before(&self, number: u32) -> bool {
        (self.next_in_order..number).all(|earlier| self.place(earlier) != Place::Empty)
    }

    /// The next message that may be put into the queue for its host, which it then is.
    pub fn next_for_host(&mut self) -> Option<u32> {
        self.pass_control_messages();
        let Place::Whole(message) = self.place(self.next_in_order) else { return None };
        if self.next_in_order == self.next_reply + WIDEST_WINDOW {
            return None;
        }
        self.set(self.next_in_order, Place::Delivering(message));
        self.next_in_order += 1;
        self.pass_control_messages();
        Some(message)
    }

    /// Requests, returned allocations and what has been given up have no part in the order beyond being known.
    fn pass_control_messages(&mut self) {
        while self.next_in_order < self.next_reply + WIDEST_WINDOW
            && matches!(
                self.place(self.next_in_order),
                Place::Request | Place::GiveBack | Place::Lost(_) | Place::Unanswered
            )
        {
            self.next_in_order += 1;
        }
    }

    /// The last whole message that is not yet in the queue for its host, and its number.
    #[must_use]
    pub fn last_stored(&self) -> Option<(u32, u32)> {
        let numbers = self.next_in_order..self.next_reply + WIDEST_WINDOW;
        numbers.rev().find_map(|number| match self.place(number) {
            Place::Whole(message) => Some((number, message)),
            _ => None,
        })
    }

    /// What can be replied now. `single`: whether a message is of one packet; `patient`: whether the reply may still
    /// wait.
    #[must_use]
    pub fn due(&self, means: Means, single: impl Fn(u32) -> bool, patient: bool) -> Due {
        let enough = means.free_buffers >= means.multipacket;
        match self.place(self.next_reply) {
            Place::Served(message) if single(message) => Due::Rfnm { message, with_allocation: false },
            Place::Served(message) if enough || !patient || means.phasing_fix && self.others_wait() => {
                Due::Rfnm { message, with_allocation: enough }
            }
            Place::Request if enough => Due::Allocation,
            Place::Rejected(message) if means.free_buffers > 0 => Due::Recall(message),
            Place::Served(_) | Place::Request | Place::Rejected(_) => Due::Buffers,
            Place::GiveBack => Due::GiveBack,
            Place::Lost(message) => Due::Lost(message),
            Place::Unanswered => Due::Unanswered,
            _ => Due::Nothing,
        }
    }

    /// Whether another reply is to be sent after the one whose turn it is: a RFNM, or the answer to a REQALL, a GVB or
    /// a discarded message.
    fn others_wait(&self) -> bool {
        let ready = |place| {
            matches!(
                place,
                Place::Served(_) | Place::Request | Place::GiveBack | Place::Rejected(_) | Place::Lost(_)
            )
        };
        (1..WIDEST_WINDOW).any(|behind| ready(self.place(self.next_reply + behind)))
    }

    /// The reply whose turn it was has been sent. Its number is over, unless it recalls a message.
    pub fn replied(&mut self, due: Due) {
        self.waiting_since = None;
        if let Due::Recall(message) = due {
            self.set(self.next_reply, Place::Recalled(message));
            return;
        }
        self.set(self.next_reply, Place::Empty);
        self.next_reply += 1;
        assert!(
            self.next_reply <= self.next_in_order,
            "replied to a message that has not been delivered: {self:?} {due:?}"
        );
    }
}

impl Default for MessageOrder {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEW: Means = Means { free_buffers: 7, multipacket: 8, phasing_fix: false };
    const ENOUGH: Means = Means { free_buffers: 8, multipacket: 8, phasing_fix: false };

    fn served(messages: std::ops::Range<u32>) -> MessageOrder {
        let mut order = MessageOrder::new();
        for message in messages {
            order.set(message, Place::Whole(message));
            assert_eq!(order.next_for_host(), Some(message));
            order.set(message, Place::Served(message));
        }
        order
    }

    #[test]
    fn a_message_waits_for_the_one_before_it() {
        let mut order = MessageOrder::new();
        order.set(1, Place::Whole(11));
        assert_eq!(order.next_for_host(), None);
        assert!(!order.all_known_before(1));
        order.set(0, Place::Request);
        assert_eq!(order.next_for_host(), Some(11));
        assert_eq!(order.next_for_host(), None);
    }

    #[test]
    fn a_reply_waits_for_buffers_until_its_patience_ends() {
        let order = served(0..1);
        assert_eq!(order.due(FEW, |_| false, true), Due::Buffers);
        assert_eq!(order.due(FEW, |_| false, false), Due::Rfnm { message: 0, with_allocation: false });
        assert_eq!(order.due(ENOUGH, |_| false, true), Due::Rfnm { message: 0, with_allocation: true });
        assert_eq!(order.due(FEW, |_| true, true), Due::Rfnm { message: 0, with_allocation: false });
    }

    #[test]
    fn with_the_fix_of_1975_a_reply_does_not_wait_before_others() {
        let mut order = served(0..2);
        let fixed = Means { phasing_fix: true, ..FEW };
        assert_eq!(order.due(fixed, |_| false, true), Due::Rfnm { message: 0, with_allocation: false });
        order.replied(order.due(fixed, |_| false, true));
        assert_eq!(order.due(fixed, |_| false, true), Due::Buffers);
    }

    #[test]
    fn a_recalled_message_keeps_its_turn() {
        let mut order = served(0..1);
        order.set(1, Place::Rejected(5));
        order.replied(order.due(FEW, |_| true, true));
        assert_eq!(order.due(FEW, |_| true, true), Due::Recall(5));
        order.replied(Due::Recall(5));
        assert_eq!((order.next_reply(), order.due(FEW, |_| true, true)), (1, Due::Nothing));
    }
}

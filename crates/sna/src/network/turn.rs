//! The PIUs of one message that are taken one after the other.

use hopscope_measure::Journal;
use hopscope_units::Time;

use super::Subarea;
use crate::stage::Stage;

/// The message whose PIUs a processor, or the lines of a group, have taken last, and since when no others.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Turn {
    message: Option<u64>,
    since: Time,
}

impl Turn {
    /// A PIU of this message is taken, or one of none. Since when all that were taken have been of the same message.
    pub fn take(&mut self, now: Time, message: Option<u64>) -> Time {
        if message.is_none() || message != self.message {
            *self = Self { message, since: now };
        }
        self.since
    }
}

impl<J: Journal> Subarea<J> {
    /// Ends a PIU's wait for its turn. While PIUs of its own message were taken, that message was being served: it did
    /// not wait.
    pub(super) fn close_wait(
        &mut self,
        now: Time,
        piu: u32,
        [wait, service]: [Stage; 2],
        place: u32,
        own: Time,
    ) {
        let turn = own.max(self.pius[piu].account.since());
        self.close(turn, piu, wait, place);
        self.close(now, piu, service, place);
    }
}

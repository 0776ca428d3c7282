//! Whether the destination takes a single-packet message that comes out of order: the rule of 1974 and the remedies of
//! RFC 632.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is done with a single-packet message that is not the next in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SinglePacketRule {
    /// It is discarded and counts as a request for one reassembly buffer (RFC 632).
    #[default]
    Reject,
    /// It is discarded only while one of the messages before it has not been heard of.
    RejectUnknown,
    /// It is kept, and deleted only where buffers run out.
    Store,
}

/// The fate of a single-packet message at its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// Taken.
    Accept,
    /// Discarded; an allocation for it follows when the messages before it have been replied to.
    Reject,
}

impl SinglePacketRule {
    /// Judges a message. `known`: every message before it has been heard of, if only as a request.
    #[must_use]
    pub const fn judge(self, in_order: bool, known: bool, buffer_free: bool) -> Disposition {
        let takes = match self {
            Self::Reject => in_order,
            Self::RejectUnknown => known,
            Self::Store => true,
        };
        if takes && buffer_free { Disposition::Accept } else { Disposition::Reject }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_ahead_of_its_turn() {
        use SinglePacketRule::{Reject, RejectUnknown, Store};
        let dispositions = |known| [Reject, RejectUnknown, Store].map(|rule| rule.judge(false, known, true));
        assert_eq!(dispositions(false), [Disposition::Reject, Disposition::Reject, Disposition::Accept]);
        assert_eq!(dispositions(true), [Disposition::Reject, Disposition::Accept, Disposition::Accept]);
        assert_eq!(Store.judge(true, true, false), Disposition::Reject);
    }
}

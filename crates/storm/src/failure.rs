//! What must not happen to any scenario.

use std::fmt;

/// What failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// An assertion of the program broke, or it panicked: its message with its place in the source.
    Broke {
        /// What was being done.
        during: &'static str,
        /// The message.
        message: String,
    },
    /// A scenario was refused without a place in it.
    Unplaced(String),
    /// A scenario was refused without what was expected instead and without a hint.
    Unhelpful(String),
    /// Two things differ that must be the same.
    Differs {
        /// Which.
        what: String,
    },
    /// What the program wrote, it could not read.
    Unreadable {
        /// What was written.
        what: &'static str,
        /// Why it could not be read.
        reason: String,
    },
    /// It neither ended nor heard that it was to stop.
    Deaf {
        /// What was being done.
        during: &'static str,
    },
}

impl Failure {
    /// Whether this is the same failure of another scenario: what was being done and what broke, whatever the numbers.
    #[must_use]
    pub fn is_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Broke { message: a, .. }, Self::Broke { message: b, .. }) => place(a) == place(b),
            (Self::Unplaced(a), Self::Unplaced(b)) | (Self::Unhelpful(a), Self::Unhelpful(b)) => {
                without_values(a) == without_values(b)
            }
            (Self::Differs { what: a }, Self::Differs { what: b }) => a == b,
            (Self::Unreadable { what: a, .. }, Self::Unreadable { what: b, .. }) => a == b,
            (Self::Deaf { during: a }, Self::Deaf { during: b }) => a == b,
            _ => false,
        }
    }
}

/// The place in the source at the end of a message, in brackets.
fn place(message: &str) -> &str {
    message.rfind('(').map_or(message, |at| &message[at..])
}

/// A message without numbers, names and quantities.
pub(crate) fn without_values(message: &str) -> String {
    let words = message.split('"').step_by(2).flat_map(str::split_whitespace);
    words.filter(|word| !word.contains(|c: char| c.is_ascii_digit())).collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broke { during, message } => write!(f, "{during}: an invariant is broken: {message}"),
            Self::Unplaced(problem) => write!(f, "refused without a place: {problem}"),
            Self::Unhelpful(problem) => write!(f, "refused without a hint or what was expected: {problem}"),
            Self::Differs { what } => write!(f, "{what}"),
            Self::Unreadable { what, reason } => write!(f, "{what} cannot be read back: {reason}"),
            Self::Deaf { during } => write!(f, "{during}: it neither ends nor stops when it is asked to"),
        }
    }
}

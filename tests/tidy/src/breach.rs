//! A place where a rule does not hold.

use std::fmt;

/// A place where a rule does not hold, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Breach {
    /// The file, from the root of the project.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong and what is expected.
    pub message: String,
}

impl Breach {
    /// A breach at a line of a file.
    #[must_use]
    pub fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

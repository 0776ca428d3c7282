//! What is wrong with a file, and where in it.

use thiserror::Error;

/// A place in a text file, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The character within the line.
    pub column: u32,
}

impl Place {
    /// The place of this byte of a text, which is the start of a character or the end of the text.
    #[must_use]
    pub fn of_byte(text: &str, byte: usize) -> Self {
        let before = &text[..byte];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = 1 + before.bytes().filter(|b| *b == b'\n').count();
        Self { line: line as u32, column: 1 + before[line_start..].chars().count() as u32 }
    }
}

/// Why a file could not be read, and where in it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {problem}; expected {expected}")]
pub struct FormatError {
    /// The line, counted from 1.
    pub line: u32,
    /// The character within the line, counted from 1.
    pub column: u32,
    /// What is wrong there.
    pub problem: String,
    /// What would have been right.
    pub expected: String,
    /// A next step, where one is known.
    pub hint: Option<String>,
}

impl FormatError {
    /// Where in the file.
    #[must_use]
    pub fn place(&self) -> Place {
        Place { line: self.line, column: self.column }
    }
}

/// A fault at a byte of the text that is being read. Lines and columns are counted once there is one: to count them for
/// everything in the file that might be at fault would take longer than reading it.
#[derive(Debug)]
pub(crate) struct Fault {
    byte: usize,
    problem: String,
    expected: String,
    hint: Option<String>,
}

impl Fault {
    /// A fault at this byte, without a hint.
    pub fn at(byte: usize, problem: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { byte, problem: problem.into(), expected: expected.into(), hint: None }
    }

    /// The same fault with a next step.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The fault with its place in this text.
    pub fn in_text(self, text: &str) -> FormatError {
        let Place { line, column } = Place::of_byte(text, self.byte);
        let Self { byte, problem, expected, hint } = self;
        let told = text.trim_end().len();
        let hint = hint.or_else(|| (told > 0 && byte >= told).then(|| "is the file cut short?".to_owned()));
        FormatError { line, column, problem, expected, hint }
    }
}

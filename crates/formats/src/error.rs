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
    /// The start of a file.
    pub const START: Self = Self { line: 1, column: 1 };

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
    /// A fault at this place, without a hint.
    pub(crate) fn at(place: Place, problem: impl Into<String>, expected: impl Into<String>) -> Self {
        let Place { line, column } = place;
        Self { line, column, problem: problem.into(), expected: expected.into(), hint: None }
    }

    /// The same fault with a next step.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Where in the file.
    #[must_use]
    pub fn place(&self) -> Place {
        Place { line: self.line, column: self.column }
    }
}

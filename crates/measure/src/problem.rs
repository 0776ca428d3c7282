//! A mistake in a scenario's parameters: path, problem, expected, hint.

use serde::{Deserialize, Serialize};

/// What is wrong with one field of a scenario, in terms the person who wrote it understands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The field, as a path from the model's parameters, such as `station[1].servers`.
    pub path: String,
    /// What is wrong with its value.
    pub problem: String,
    /// What was expected.
    pub expected: String,
    /// A next step, where one is known.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem with the field at `path`, without a hint.
    pub fn new(path: impl Into<String>, problem: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { path: path.into(), problem: problem.into(), expected: expected.into(), hint: None }
    }

    /// The same with a hint.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

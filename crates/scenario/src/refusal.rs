//! Why serde could not take a value, translated from its terms into the reader's.

use std::fmt::{self, Display};

use serde::de::{self, Expected, Unexpected};

use crate::called::choice_called;
use crate::diagnosis::Diagnosis;
use crate::tree::{Node, Path, Place, Step, describe_text};
use crate::worked_out::choice_instead;
use crate::{did_you_mean, one_of};

/// A value refused. Path and place are filled in by the first caller that knows them.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub problem: String,
    pub expected: String,
    pub hint: Option<String>,
    pub place: Option<Place>,
    /// From the value up to the root.
    pub steps: Vec<Step>,
    pub kind: Kind,
}

/// What the repair of a scenario must know, to look for further problems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The value at the path is wrong.
    Value,
    /// The section at the path has a field that no one knows.
    UnknownField(String, &'static [&'static str]),
    /// The section at the path lacks this field.
    MissingField(String),
    /// The value at the path decides what its section is: without it nothing can be said of the rest.
    Deciding,
    /// An override gave the section at the path this second choice.
    AddedChoice(String),
}

impl Refusal {
    pub fn new(problem: impl Into<String>, expected: &str) -> Self {
        let (problem, expected) = (problem.into(), expected.to_owned());
        Self { problem, expected, hint: None, place: None, steps: Vec::new(), kind: Kind::Value }
    }

    /// The node is not of the kind that the visitor wants.
    pub fn of_kind(node: &Node, wanted: &dyn Expected) -> Self {
        let expected = if node.place.source.is_override() {
            unquoted_expectation(wanted)
        } else {
            plain_expectation(wanted)
        };
        Self::new(format!("{} does not fit here", node.describe()), &expected)
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Sets the place unless a narrower one is known.
    pub fn at(self, place: &Place) -> Self {
        Self { place: self.place.or_else(|| Some(place.clone())), ..self }
    }

    /// Says that this happened one step below.
    pub fn below(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// The same where the root of what was read stands at a path itself.
    pub fn within(mut self, at: &Path) -> Self {
        self.steps.extend(at.0.iter().rev().cloned());
        self
    }

    /// The path from the root.
    pub fn path(&self) -> Path {
        Path(self.steps.iter().rev().cloned().collect())
    }

    pub fn into_diagnosis(self) -> Diagnosis {
        let path = self.path();
        let hint = match &self.kind {
            Kind::AddedChoice(name) => Some(format!(
                "to replace the whole section, set it as one value: --set '{path}={{ {name} = ... }}'"
            )),
            _ => self.hint,
        };
        let diagnosis = Diagnosis::about(&path, &self.problem).expected(self.expected).hint(hint);
        Diagnosis { place: self.place, ..diagnosis }
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; expected {}", self.problem, self.expected)
    }
}

impl std::error::Error for Refusal {}

impl de::Error for Refusal {
    /// A message of the form "what is wrong; expected what" is taken apart: quantities speak so.
    fn custom<T: Display>(message: T) -> Self {
        let message = message.to_string();
        match message.split_once("; expected ") {
            Some((problem, expected)) => {
                let negative = problem.ends_with("is negative");
                let hint = negative.then(|| "leave out the minus sign".to_owned());
                Self { hint, ..Self::new(problem, expected) }
            }
            None => Self::new(message, ""),
        }
    }

    fn invalid_type(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::new(format!("{} does not fit here", describe(found)), &plain_expectation(wanted))
    }

    fn invalid_value(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        // A text that is no number is in no range.
        let what = if matches!(found, Unexpected::Str(_)) { "does not fit here" } else { "is out of range" };
        Self::new(format!("{} {what}", describe(found)), &plain_expectation(wanted))
    }

    fn invalid_length(length: usize, wanted: &dyn Expected) -> Self {
        Self::new(format!("there are {length} entries"), &plain_expectation(wanted))
    }

    fn unknown_variant(name: &str, choices: &'static [&'static str]) -> Self {
        let refusal =
            Self::new(format!("\"{name}\" is not one of the choices"), &one_of(choices.iter().copied()));
        let hint = choice_instead(name, choices).or_else(|| choice_called(name, choices));
        Self { hint: hint.or_else(|| did_you_mean(name, choices.iter().copied())), ..refusal }
    }

    fn unknown_field(name: &str, fields: &'static [&'static str]) -> Self {
        let refusal = Self::new(format!("there is no field \"{name}\""), &one_of(fields.iter().copied()));
        let kind = Kind::UnknownField(name.to_owned(), fields);
        Self { hint: did_you_mean(name, fields.iter().copied()), kind, ..refusal }
    }

    fn missing_field(name: &'static str) -> Self {
        let refusal = Self::new(format!("the field \"{name}\" is missing"), "");
        Self { kind: Kind::MissingField(name.to_owned()), ..refusal }
    }
}

fn describe(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(truth) => truth.to_string(),
        Unexpected::Unsigned(number) => format!("the number {number}"),
        Unexpected::Signed(number) => format!("the number {number}"),
        Unexpected::Float(number) => format!("the number {number:?}"),
        Unexpected::Str(text) => describe_text(text),
        Unexpected::Map => "a section".into(),
        Unexpected::Seq => "a list".into(),
        other => other.to_string(),
    }
}

/// What a visitor wants, without the names of Rust types.
fn plain_expectation(wanted: &dyn Expected) -> String {
    let words = wanted.to_string();
    match words.as_str() {
        "a string" => "text in quotes".into(),
        "a boolean" => "true or false".into(),
        words if words.starts_with("a nonzero") => "a whole number, 1 or more".into(),
        _ => words,
    }
}

/// The same of what a command line sets, where a text needs no quotes.
fn unquoted_expectation(wanted: &dyn Expected) -> String {
    let words = format!("{wanted:#}");
    if words == "a string" { "text".into() } else { words }
}

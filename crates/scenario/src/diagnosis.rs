//! What is wrong with a scenario, where, what was expected instead, and what to try.

use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::quotation::{self, Quotation};
use crate::tree::{Path, Place};

/// Messages show this many problems, and that there are more.
const MOST_SHOWN: usize = 20;

/// One thing that is wrong with a scenario or with a file that it names.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// What is wrong, beginning with the path of the field: `traffic.load: the number 3.5 is too large`.
    pub problem: String,
    /// Where; nothing for what has no text, such as a file that does not exist.
    pub place: Option<Place>,
    /// What was expected instead.
    pub expected: Option<String>,
    /// What to try.
    pub hint: Option<String>,
    /// Whether the message shows what stands at the place.
    pub is_quoted: bool,
}

/// A scenario that cannot be run, with everything that was found wrong. Its text form is the whole diagnosis.
#[derive(Clone, Debug)]
pub struct ScenarioError {
    /// At least one, in the order of the text.
    pub diagnoses: Vec<Diagnosis>,
}

impl Diagnosis {
    /// A mistake without a place.
    #[must_use]
    pub fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), place: None, expected: None, hint: None, is_quoted: true }
    }

    /// The same at this place.
    #[must_use]
    pub fn at(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }

    /// The same without a quotation: the file is of another kind, and what it holds is not for messages.
    #[must_use]
    pub fn unquoted(self) -> Self {
        Self { is_quoted: false, ..self }
    }

    /// The same with what was expected; an empty text says nothing.
    #[must_use]
    pub fn expected(self, expected: impl Into<String>) -> Self {
        Self { expected: Some(expected.into()).filter(|text| !text.is_empty()), ..self }
    }

    /// The same with a next step, if there is one.
    #[must_use]
    pub fn hint(self, hint: Option<impl Into<String>>) -> Self {
        Self { hint: hint.map(Into::into), ..self }
    }

    /// The problem with the path of its field before it.
    #[must_use]
    pub fn about(path: &Path, problem: &str) -> Self {
        if path.0.is_empty() { Self::new(problem) } else { Self::new(format!("{path}: {problem}")) }
    }

    fn sort_key(&self) -> (bool, usize) {
        self.place.as_ref().map_or((false, 0), |place| (place.source.is_override(), place.span.start))
    }
}

impl ScenarioError {
    /// All mistakes of a scenario, in the order of the text.
    ///
    /// # Panics
    /// Without any.
    #[must_use]
    pub fn new(mut diagnoses: Vec<Diagnosis>) -> Self {
        assert!(!diagnoses.is_empty(), "a scenario is refused for a reason");
        diagnoses.sort_by_key(Diagnosis::sort_key);
        Self { diagnoses }
    }
}

impl From<Diagnosis> for ScenarioError {
    fn from(diagnosis: Diagnosis) -> Self {
        Self::new(vec![diagnosis])
    }
}

impl std::error::Error for ScenarioError {}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, diagnosis) in self.diagnoses.iter().take(MOST_SHOWN).enumerate() {
            let gap = if nth == 0 { "" } else { "\n\n" };
            write!(f, "{gap}{diagnosis}")?;
        }
        match self.diagnoses.len().saturating_sub(MOST_SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n\nerror: and {more} more"),
        }
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = quotation::shortened(&self.problem);
        let title = Level::ERROR.primary_title(problem.as_str());
        let quotation = self.place.as_ref().and_then(|place| Quotation::of(place, self.is_quoted));
        let report = match (&self.place, &quotation) {
            (Some(place), Some(quotation)) => {
                title.element(snippet(place, quotation, self.expected.as_deref()))
            }
            (Some(place), None) => {
                let (line, column) = place.line_and_column();
                title.element(Origin::path(place.source.label.as_str()).line(line).char_column(column))
            }
            (None, _) => Group::with_title(title),
        };
        f.write_str(&Renderer::plain().render(&[report]))?;
        if quotation.is_none()
            && let Some(expected) = &self.expected
        {
            write!(f, "\nexpected {expected}")?;
        }
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "\nhint: {}", quotation::shortened(hint)))
    }
}

/// The line of the place with the piece marked. Only that line is handed over: a scenario may have a million.
fn snippet<'a>(
    place: &'a Place,
    quotation: &'a Quotation,
    expected: Option<&str>,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let label = expected.map(|expected| format!("expected {expected}"));
    Snippet::source(quotation.line.as_str())
        .path(place.source.label.as_str())
        .line_start(place.line_and_column().0)
        .annotation(AnnotationKind::Primary.span(quotation.marked.clone()).label(label))
}

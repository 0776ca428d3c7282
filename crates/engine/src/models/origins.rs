//! The places of rows that come from a file, so that an error in a row is reported at its own place.

use hopscope_formats::columns::table::CellPlaces;
use hopscope_formats::{FormatError, Place, flow_list, size_cdf, traffic_matrix};
use hopscope_measure::Problem;
use hopscope_scenario::{Attachment, Diagnosis};

use crate::registry::Finding;
use crate::scenario::source::FileFault;

/// How the rows of a file's text are found again.
pub(crate) enum Rows {
    /// Their places were kept as they were read.
    Kept(CellPlaces),
    /// Flows of a list.
    Flows,
    /// Pairs of hosts whose weight is the size of a flow of a list.
    PairsOfFlows,
    /// Pairs of a traffic matrix.
    Pairs,
    /// Points of a distribution of sizes.
    Points,
}

/// A list with rows of a file.
struct Origin {
    /// The list, such as `network.line`.
    list: String,
    /// The first row that comes from the file.
    first: usize,
    file: Attachment,
    rows: Rows,
}

/// The lists that have rows of files.
#[derive(Default)]
pub(crate) struct Origins(Vec<Origin>);

impl Origins {
    /// Remembers that the rows of a list from the one with the number `first` on are those of a file.
    pub fn add(&mut self, list: impl Into<String>, first: usize, file: Attachment, rows: Rows) {
        self.0.push(Origin { list: list.into(), first, file, rows });
    }

    /// Problems, each at its field or in the file that its row comes from.
    pub fn findings(&self, problems: Vec<Problem>) -> Vec<Finding> {
        problems.into_iter().map(|problem| self.finding(problem)).collect()
    }

    fn finding(&self, problem: Problem) -> Finding {
        let in_file = self.0.iter().find_map(|origin| origin.diagnosis(&problem));
        in_file.map_or(Finding::Field(problem), Finding::Placed)
    }
}

impl Origin {
    /// The problem at its place in the file, where it is one of this list's.
    fn diagnosis(&self, problem: &Problem) -> Option<Diagnosis> {
        let below = problem.path.strip_prefix(&self.list)?;
        if below.is_empty() && self.first == 0 {
            // Wrong with all rows together, and all are the file's.
            let whole = self.rows.place(&self.file.text.text, 0, "").1;
            return Some(self.at(whole, problem.problem.clone(), problem));
        }
        let (row, field) = below.strip_prefix('[')?.split_once(']')?;
        let row = row.parse::<usize>().ok()?.checked_sub(self.first)?;
        let (column, place) = self.rows.place(&self.file.text.text, row, field.trim_start_matches('.'));
        let words = if column.is_empty() { String::new() } else { format!("{column}: ") };
        Some(self.at(place, format!("{words}{}", problem.problem), problem))
    }

    fn at(&self, Place { line, column }: Place, words: String, problem: &Problem) -> Diagnosis {
        let (expected, hint) = (problem.expected.clone(), problem.hint.clone());
        self.file.diagnosis(&FormatError { line, column, problem: words, expected, hint })
    }
}

impl Rows {
    /// The column of a row's field as the file calls it, and its place.
    fn place<'a>(&'a self, text: &str, row: usize, field: &'a str) -> (&'a str, Place) {
        let name = field.split('[').next().unwrap_or_default();
        match self {
            Self::Kept(places) => places.of(text, row, field),
            Self::Flows => (name, flow_list::place_of(text, row, field)),
            Self::PairsOfFlows => {
                let column = if name == "weight" { "size" } else { name };
                (column, flow_list::place_of(text, row, column))
            }
            Self::Pairs => (name, traffic_matrix::place_of(text, row, field)),
            Self::Points => (name, size_cdf::place_of(text, row)),
        }
    }
}

//! A scenario's text as a tree of values, each of which remembers where it stands.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The deepest nesting of sections and lists that a scenario may have. No model needs more than ten.
pub(crate) const DEEPEST: usize = 64;
/// The same in the words of a message.
pub(crate) const DEPTH: &str = "at most 64 levels";

/// A text that something was read from: a scenario file, an override, or a file that a scenario names.
#[derive(Debug)]
pub struct SourceText {
    /// How a message names it: the path as the user gave it, or `--set`.
    pub label: String,
    /// The whole text.
    pub text: String,
    /// Where it came from.
    pub origin: Origin,
}

/// Where a text came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A scenario or a study: a file that the user gave, or one of the program's.
    Scenario,
    /// The command line (or its equivalent in Python), not a file.
    Override,
    /// A file beside the scenario that the user gave: a graph, tables, flows.
    Given,
    /// Such a file that the scenario names: its author may have no right to see it.
    Named,
}

impl SourceText {
    /// Whether it came from the command line.
    #[must_use]
    pub fn is_override(&self) -> bool {
        self.origin == Origin::Override
    }
}

/// A piece of a source text.
#[derive(Clone, Debug)]
pub struct Place {
    /// The text.
    pub source: Arc<SourceText>,
    /// Bytes within it.
    pub span: Range<usize>,
}

impl Place {
    /// Line and column of the first character, both counted from 1; columns count characters.
    #[must_use]
    pub fn line_and_column(&self) -> (usize, usize) {
        let before = &self.source.text[..floor_char_boundary(&self.source.text, self.span.start)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// The last character boundary at or before this byte.
pub(crate) fn floor_char_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A value and its place.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it stands.
    pub place: Place,
}

/// What stands in a scenario.
#[derive(Clone, Debug)]
pub enum Value {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// TOML's dates and times, as written: no field of any scenario is one.
    Date(String),
    /// A list.
    List(Vec<Node>),
    /// A section.
    Table(Table),
    /// What a repair took out of a list, so that the numbers of the other entries stay. Readers pass over it; no text
    /// gives it.
    Removed,
}

/// A section: its entries in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The entries.
    pub entries: Vec<Entry>,
}

/// A field of a section.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub key: String,
    /// Where its name stands.
    pub key_place: Place,
    /// Its value.
    pub node: Node,
}

impl Table {
    /// The entry of this name.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| entry.key == key)
    }

    /// Takes the entry of this name away.
    pub fn remove(&mut self, key: &str) {
        self.entries.retain(|entry| entry.key != key);
    }
}

impl Node {
    /// The child that a step leads to.
    #[must_use]
    pub fn child(&self, step: &Step) -> Option<&Node> {
        match (&self.value, step) {
            (Value::Table(table), Step::Key(key)) => table.get(key).map(|entry| &entry.node),
            (Value::List(items), Step::Index(index)) => items.get(*index),
            _ => None,
        }
    }

    /// The value at this path.
    #[must_use]
    pub fn at(&self, path: &Path) -> Option<&Node> {
        path.0.iter().try_fold(self, Node::child)
    }

    /// The same, to change it.
    pub fn at_mut(&mut self, path: &Path) -> Option<&mut Node> {
        path.0.iter().try_fold(self, |node, step| match (&mut node.value, step) {
            (Value::Table(table), Step::Key(key)) => table.get_mut(key).map(|entry| &mut entry.node),
            (Value::List(items), Step::Index(index)) => items.get_mut(*index),
            _ => None,
        })
    }

    /// The place of the value at this path, or of its nearest ancestor that the text has.
    #[must_use]
    pub fn nearest_place(&self, path: &Path) -> Place {
        let mut node = self;
        for step in &path.0 {
            let Some(child) = node.child(step) else { break };
            node = child;
        }
        node.place.clone()
    }

    /// The value as TOML writes it, on one line.
    #[must_use]
    pub fn toml(&self) -> String {
        match &self.value {
            Value::Text(text) => toml::Value::String(text.clone()).to_string(),
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => toml::Value::Float(*number).to_string(),
            Value::Bool(truth) => truth.to_string(),
            Value::Date(date) => date.clone(),
            Value::List(items) => {
                let items: Vec<_> = items.iter().map(Self::toml).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Table(table) => {
                let field = |entry: &Entry| {
                    format!("{} = {}", toml::Value::String(entry.key.clone()), entry.node.toml())
                };
                format!("{{ {} }}", table.entries.iter().map(field).collect::<Vec<_>>().join(", "))
            }
            Value::Removed => String::new(),
        }
    }

    /// What it is, in the words of a message: `the text "high"`, `the number 3`.
    #[must_use]
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Text(text) => describe_text(text),
            Value::Integer(number) => format!("the number {number}"),
            Value::Float(number) => format!("the number {number:?}"),
            Value::Bool(truth) => format!("{truth}"),
            Value::Date(date) => format!("the date {date}"),
            Value::List(_) => "a list".into(),
            Value::Removed => "nothing".into(),
            Value::Table(_) => "a section".into(),
        }
    }
}

/// A text in quotes, cut where it is long: a message holds no page of it.
pub(crate) fn describe_text(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return format!("the text {text:?}");
    }
    let start: String = text.chars().take(LONGEST).collect();
    format!("the text {:?}", start + "...")
}

/// One step down a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// To the field of this name.
    Key(String),
    /// To the entry of this number, counted from 0.
    Index(usize),
}

/// The way from the root to a value: `traffic.load`, `station[1].servers`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(pub Vec<Step>);

impl Path {
    /// Reads a path that the program wrote. What cannot be read is taken as far as it goes: the place is then an
    /// ancestor's.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut steps = Vec::new();
        for piece in text.split('.').filter(|piece| !piece.is_empty()) {
            let (key, indices) = piece.split_at(piece.find('[').unwrap_or(piece.len()));
            steps.push(Step::Key(key.to_owned()));
            for index in indices.split(['[', ']']).filter_map(|digits| digits.parse().ok()) {
                steps.push(Step::Index(index));
            }
        }
        Self(steps)
    }
}

impl Path {
    /// The path of what a value is in; the root's own is empty.
    #[must_use]
    pub fn parent(&self) -> Self {
        Self(self.0[..self.0.len().saturating_sub(1)].to_vec())
    }

    /// The path of this field below.
    #[must_use]
    pub fn field(&self, name: &str) -> Self {
        Self([self.0.as_slice(), &[Step::Key(name.to_owned())]].concat())
    }

    /// The path of this entry below, counted from 0.
    #[must_use]
    pub fn entry(&self, index: usize) -> Self {
        Self([self.0.as_slice(), &[Step::Index(index)]].concat())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if nth == 0 => write!(f, "{key}")?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_as_they_are_written() {
        for text in ["seed", "traffic.load", "station[1].servers", "network.torus.wrap[0][3]"] {
            assert_eq!(Path::of(text).to_string(), text);
        }
    }

    #[test]
    fn columns_count_characters() {
        let source = Arc::new(SourceText {
            label: "a".into(),
            text: "é = 1\nüx = 2".into(),
            origin: Origin::Scenario,
        });
        let place = |at: usize| Place { source: Arc::clone(&source), span: at..at };
        assert_eq!(place(0).line_and_column(), (1, 1));
        assert_eq!(place(3).line_and_column(), (1, 3));
        assert_eq!(place(7 + 2).line_and_column(), (2, 2));
        assert_eq!(place(1).line_and_column(), (1, 1), "the middle of a character is the character");
        assert_eq!(place(999).line_and_column(), (2, 7), "past the end is the end");
    }
}

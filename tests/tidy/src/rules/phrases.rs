//! Phrases that are not to be used, and what to say instead: `phrases.toml` lists them.
//!
//! Readers know the field's terms. A word of our own makes them guess, and two words for one thing make them look for a
//! difference.

use serde::Deserialize;

use crate::breach::Breach;
use crate::rules::{Planted, TIDY};
use crate::tree::{SourceFile, Tree};

const LIST: &str = "tests/tidy/phrases.toml";

/// What had its words in its time: history is not rewritten.
const HISTORY: &str = "CHANGELOG.md";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    phrase: Vec<Phrase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Phrase {
    /// The words, in small letters.
    not: String,
    /// What to say instead.
    say: String,
    /// Off while the words that are there are being changed.
    #[serde(default)]
    off: bool,
}

/// Every use of a phrase, also where it goes on in the next line.
pub fn check(tree: &Tree) -> Vec<Breach> {
    let Some(file) = tree.file(LIST) else {
        return vec![Breach::new(LIST, 1, "a list of phrases was expected")];
    };
    let list: List = match toml::from_str(&file.text) {
        Ok(list) => list,
        Err(error) => return vec![Breach::new(LIST, 1, error.to_string())],
    };
    let mut breaches = Vec::new();
    let read = tree.files().iter().filter(|file| !file.is_in(TIDY) && file.path != HISTORY);
    let read: Vec<(&SourceFile, RunningText)> = read.map(|file| (file, RunningText::new(file))).collect();
    for phrase in &list.phrase {
        let uses = read.iter().flat_map(|(file, text)| text.uses(&phrase.not).map(|line| (&file.path, line)));
        let mut uses: Vec<_> = uses.collect();
        if !phrase.off {
            let message = format!("not \"{}\": say \"{}\"", phrase.not, phrase.say);
            breaches.extend(uses.drain(..).map(|(path, line)| Breach::new(path, line, message.as_str())));
        } else if uses.is_empty() {
            let line = file.line_of(&format!("not = \"{}\"", phrase.not));
            breaches.push(Breach::new(LIST, line, format!("\"{}\" has gone: take `off` out", phrase.not)));
        }
    }
    breaches
}

/// The text of a file in small letters as it is read on from line to line, without the marks of comments.
struct RunningText {
    text: String,
    /// Where the lines begin.
    starts: Vec<usize>,
}

impl RunningText {
    fn new(file: &SourceFile) -> Self {
        let marks: &[char] = if file.is(".rs") { &['/', '!'] } else { &['#', '>'] };
        let (mut text, mut starts) = (String::with_capacity(file.text.len()), Vec::new());
        for line in file.text.lines() {
            starts.push(text.len());
            for word in line.trim_start().trim_start_matches(marks).split_whitespace() {
                text.push_str(&word.to_lowercase());
                text.push(' ');
            }
        }
        Self { text, starts }
    }

    /// The lines in which a phrase begins, where it is not a part of longer words.
    fn uses(&self, phrase: &str) -> impl Iterator<Item = usize> {
        let in_word = |c: char| c.is_alphanumeric() || c == '_';
        let whole = move |at: usize| {
            !self.text[..at].ends_with(in_word) && !self.text[at + phrase.len()..].starts_with(in_word)
        };
        let places: Vec<usize> = self.text.match_indices(phrase).map(|(at, _)| at).collect();
        places
            .into_iter()
            .filter(move |at| whole(*at))
            .map(|at| self.starts.partition_point(|start| *start <= at))
    }
}

/// A phrase within a line, across two lines of a Rust comment, a Python docstring and a Python comment, and one that is
/// off without a use.
pub fn planted() -> Vec<Planted> {
    vec![
        Planted::at("docs/words.md", 3, "say \"the term\"", "# Words\n\nHere Our Own  word stands.\n"),
        Planted::at(
            "crates/units/src/words.rs",
            1,
            "say \"the term\"",
            "//! Words that are our\n//! own word.\n",
        ),
        Planted::at(
            "python/hopscope/words.py",
            3,
            "say \"the term\"",
            "\"\"\"Words.\n\nThey are our\nown word.\n\"\"\"\n",
        ),
        Planted::at(
            "python/hopscope/marks.py",
            3,
            "say \"the term\"",
            "\"\"\"Marks.\"\"\"\n\n# Marks are our own\n# word.\n",
        ),
        Planted::at(
            "tests/tidy/phrases.toml",
            3,
            "take `off` out",
            "# Phrases.\n[[phrase]]\nnot = \"a word gone\"\nsay = \"the term\"\noff = true\n",
        ),
    ]
}

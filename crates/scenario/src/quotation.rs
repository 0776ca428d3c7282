//! What a message shows of the text at a place: as much as a person needs to find the mistake, and nothing of a file
//! that is of another kind than it was taken for.
//!
//! A scenario may name files that its author cannot read and its user can. The messages of a program that runs
//! scenarios from others must not carry their contents away.

use std::ops::Range;

use crate::tree::{Origin, Place, SourceText, floor_char_boundary};

/// The longest piece of a file, in characters, that a message quotes.
const LONGEST: usize = 60;

/// A line to show, and the bytes of it that are marked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Quotation {
    /// The line of the place; of a file that a scenario names only the marked piece, behind as many spaces as there are
    /// characters before it.
    pub line: String,
    /// The piece at fault.
    pub marked: Range<usize>,
}

impl Quotation {
    /// What is shown of a place; nothing where it was not asked for, or the text is no scenario.
    pub fn of(place: &Place, is_wanted: bool) -> Option<Self> {
        let (line, marked) = line_at(place);
        match place.source.origin {
            _ if !is_wanted => None,
            Origin::Override | Origin::Given => Some(Self { line: line.to_owned(), marked }),
            Origin::Scenario if is_told_as_one(&place.source) => Some(Self { line: line.to_owned(), marked }),
            Origin::Scenario => None,
            Origin::Named => Some(Self::piece(line, marked.start)),
        }
    }

    /// The word that begins at this byte of a line, alone at its place.
    fn piece(line: &str, start: usize) -> Self {
        let word = &line[start..];
        let end =
            word.find(|c: char| c.is_whitespace() || ",;:\"'<>()[]{}".contains(c)).unwrap_or(word.len());
        // What ends words stands alone.
        let end = if end == 0 { word.chars().next().map_or(0, char::len_utf8) } else { end };
        let word: String = word[..end].chars().take(LONGEST).collect();
        let before = " ".repeat(line[..start].chars().count());
        let marked = before.len()..before.len() + word.len();
        Self { line: before + &word, marked }
    }
}

/// The line of a place without its end, and the bytes of it that the place covers.
fn line_at(place: &Place) -> (&str, Range<usize>) {
    let text = &place.source.text;
    let start = floor_char_boundary(text, place.span.start);
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    let line = text[line_start..line_end].trim_end_matches('\r');
    let end = floor_char_boundary(text, place.span.end.max(start));
    let end = end.min(line_start + line.len()).max(start.min(line_start + line.len()));
    (line, start.min(end) - line_start..end - line_start)
}

/// Whether a text says that it is a scenario, an experiment or a study: it gives a model, a title or scenarios, in TOML
/// or JSON.
fn is_told_as_one(source: &SourceText) -> bool {
    let names = |line: &str| {
        let line = line.trim_start().trim_start_matches(['"', '\'']);
        ["model", "title", "scenario", "scenarios"].iter().any(|key| {
            let after = line.strip_prefix(key).map(|rest| rest.trim_start_matches(['"', '\'']).trim_start());
            after.is_some_and(|rest| rest.starts_with(['=', ':']))
        })
    };
    let text = source.text.trim_start_matches('\u{feff}');
    text.trim().is_empty() || text.split(['\n', ',', '{']).any(names)
}

/// A message whose quoted pieces are cut where they are long.
pub(crate) fn shortened(message: &str) -> String {
    let pieces = message.split('"').enumerate().map(|(nth, piece)| {
        // Between an odd quotation mark and the next stands what was quoted.
        if nth % 2 == 0 || piece.chars().count() <= LONGEST {
            return piece.to_owned();
        }
        piece.chars().take(LONGEST).chain("...".chars()).collect()
    });
    pieces.collect::<Vec<_>>().join("\"")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn place(text: &str, origin: Origin, span: Range<usize>) -> Place {
        Place { source: Arc::new(SourceText { label: "f".into(), text: text.into(), origin }), span }
    }

    #[test]
    fn a_scenario_shows_its_line_and_a_file_that_it_names_only_the_word_at_fault() {
        let text = "model = \"fabric\"\nlink.rate = 5 # why\n";
        let shown = Quotation::of(&place(text, Origin::Scenario, 29..30), true).expect("a line");
        assert_eq!((shown.line.as_str(), shown.marked), ("link.rate = 5 # why", 12..13));
        let shown = Quotation::of(&place("a b\nüx,secret word", Origin::Named, 8..9), true).expect("a word");
        assert_eq!((shown.line.as_str(), shown.marked), ("   secret", 3..9));
        let long = "x".repeat(500);
        let shown = Quotation::of(&place(&long, Origin::Named, 0..1), true).expect("a word");
        assert_eq!(shown.line, "x".repeat(LONGEST));
    }

    #[test]
    fn a_file_that_does_not_say_that_it_is_a_scenario_is_not_shown() {
        let of = |text: &str| Quotation::of(&place(text, Origin::Scenario, 0..1), true);
        for other in [
            "root:$6$salt$hash:19000:0:99999:7:::\n",
            "[default]\naws_secret_access_key = AKIA\n",
            "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE=\n",
            "PASSWORD=hunter2\n",
            "{\"auth\": \"dG9rZW4=\"}",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
        for ours in ["model = 1", "x = [\n \"title\" = 3", "{\"seed\": 1, \"model\": 3", "", "scenario='a'"] {
            assert!(of(ours).is_some(), "{ours}");
        }
        assert_eq!(Quotation::of(&place("model = 1", Origin::Scenario, 0..1), false), None);
    }

    #[test]
    fn a_message_quotes_no_pages() {
        let long = "y".repeat(90);
        assert_eq!(
            shortened(&format!("\"{long}\" is no port")),
            format!("\"{}...\" is no port", &long[..60])
        );
        assert_eq!(shortened("no port \"7\" of \"a\""), "no port \"7\" of \"a\"");
    }
}

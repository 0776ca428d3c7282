//! Where a bracket of a value is not closed, in a text that is no TOML.
//!
//! A parser takes the lines below an open bracket for the rest of the value, and everything in them is wrong. What is
//! wrong is the bracket.

use std::ops::Range;

/// More brackets than this are not written out.
const MOST_WRITTEN: usize = 8;

/// Brackets of one value that are open where it must have ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unclosed {
    /// Where the innermost of them is.
    pub at: usize,
    /// Where the outermost of them is.
    pub from: usize,
    /// All of them from the innermost, as they would be closed.
    closing: Vec<char>,
}

impl Unclosed {
    /// The bracket's span.
    pub fn span(&self) -> Range<usize> {
        self.at..self.at + 1
    }

    /// The innermost bracket as it would be closed.
    pub fn closed_by(&self) -> char {
        self.closing[0]
    }

    /// What to write where the value ends.
    pub fn hint(&self) -> String {
        let count = self.closing.len();
        if count > MOST_WRITTEN {
            return format!("{count} brackets are open where the value ends");
        }
        let closing: Vec<String> = self.closing.iter().map(char::to_string).collect();
        format!("where the value ends, `{}` is missing", closing.join(" "))
    }
}

/// The first value of a text with brackets that are not closed: another section or field begins before they are, or
/// the text ends, or a bracket of the other kind closes.
pub(crate) fn unclosed(text: &str) -> Option<Unclosed> {
    let mut open: Vec<(usize, char)> = Vec::new();
    // What was last seen, white space and comments aside.
    let mut last = '\n';
    let mut at = 0;
    let mut is_line_start = true;
    while let Some(next) = text[at..].chars().next() {
        if is_line_start {
            let line = text[at..].lines().next().unwrap_or_default();
            if !open.is_empty() && begins_anew(line, open[open.len() - 1].1, last) {
                break;
            }
            if open.is_empty() && line.trim_start().starts_with('[') {
                at += line.len();
                is_line_start = false;
                continue;
            }
        }
        is_line_start = next == '\n';
        match next {
            '#' => at += text[at..].find('\n').unwrap_or(text.len() - at),
            '"' | '\'' => {
                at = string_end(text, at, next);
                last = next;
            }
            '[' | '{' => {
                open.push((at, if next == '[' { ']' } else { '}' }));
                (at, last) = (at + 1, next);
            }
            ']' | '}' => {
                match open.last() {
                    Some((_, closing)) if *closing == next => drop(open.pop()),
                    Some(_) => break,
                    // One too many, as the parser says.
                    None => {}
                }
                (at, last) = (at + 1, next);
            }
            _ => {
                at += next.len_utf8();
                last = if next.is_whitespace() { last } else { next };
            }
        }
    }
    let closing = open.iter().rev().map(|(_, closing)| *closing).collect();
    let (&(from, _), &(at, _)) = (open.first()?, open.last()?);
    Some(Unclosed { at, from, closing })
}

/// Whether a line, within a bracket that this closes, begins a section or a field of the text instead.
fn begins_anew(line: &str, closing: char, last: char) -> bool {
    let line = line.trim_start();
    let is_field = line.split_once('=').is_some_and(|(key, _)| is_name(key));
    let is_header = line.starts_with('[') && {
        let name = line.trim_start_matches('[').split(']').next().unwrap_or_default();
        let starts = name.trim_start().starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        starts && is_name(name) && !["true", "false", "inf", "nan"].contains(&name.trim())
    };
    // A section in braces goes on over lines, after each comma.
    is_header || is_field && (closing == ']' || !['{', ','].contains(&last))
}

/// Whether this is the name of a field, with points or not.
fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let text = text.trim();
    !text.is_empty() && text.chars().all(is_part)
}

/// Where a string that begins here ends: at the end of its line where nothing closes it.
fn string_end(text: &str, at: usize, quote: char) -> usize {
    let long: String = [quote; 3].iter().collect();
    let is_long = text[at..].starts_with(&long);
    let opening = if is_long { 3 } else { 1 };
    let mut end = at + opening;
    while let Some(next) = text[end..].chars().next() {
        if is_long && text[end..].starts_with(&long) {
            return end + 3;
        }
        if !is_long && (next == '\n' || next == quote) {
            return if next == quote { end + 1 } else { end };
        }
        end += next.len_utf8();
        if next == '\\' && quote == '"' {
            end += text[end..].chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The text from the innermost open bracket on, and how the brackets would be closed.
    fn found(text: &str) -> Option<(&str, String)> {
        unclosed(text).map(|found| (&text[found.at..], found.closing.iter().collect()))
    }

    #[test]
    fn the_bracket_is_found() {
        let of = |text| found(text).expect("a bracket is open");
        assert_eq!(of("a = [1, 2\nb = 3\n"), ("[1, 2\nb = 3\n", "]".into()));
        assert_eq!(of("a = { b = { c = 1\n\n[d]\ne = 1"), ("{ c = 1\n\n[d]\ne = 1", "}}".into()));
        assert_eq!(of("a = [{ b = 1 }\n[[c]]\n").1, "]");
        assert_eq!(of("a = [[1, 2], [3").1, "]]");
        assert_eq!(of("a = { b = [1 }\n").0, "[1 }\n");
        assert_eq!(of("a = { b = 1\nc = 2\n").0, "{ b = 1\nc = 2\n");
        assert_eq!(of("a = [\"]\", '[' # ]\nb.c = 1\n").1, "]");
        assert_eq!(of("a = [\"]\ng = 1").1, "]");
    }

    #[test]
    fn what_is_closed_is_not() {
        for text in [
            "a = [1,\n  2,\n]\n[b]\nc = { d = 1,\n e = [[1], [true]] }\n",
            "a = [\n[true],\n[1]\n]\n[[b.c]]\n",
            "a = '''\n[ {\n'''\nb = \"\"\"[\\\"\"\"\"\nc = \"\\\"[\" # [\n",
            "a = ]\nb = 1",
            "[a\nb = 1\n",
            "a = { b = 1, # more\n  c = 2 }\n",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_looked_through(text in "[\\[\\]{}a=,#'\"\\\\\n é]{0,60}") {
            if let Some(found) = unclosed(&text) {
                prop_assert!(text[found.at..].starts_with(['[', '{']), "{text}");
            }
        }
    }
}

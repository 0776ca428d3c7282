//! As much of Rust as the rules need. The sources are formatted by rustfmt, so that indentation tells where items end.

use crate::tree::SourceFile;

/// A function: its name, its first line and its last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function<'a> {
    /// Its name.
    pub name: &'a str,
    /// The line of its `fn` or `def`, from 1.
    pub first: usize,
    /// The line where its body ends.
    pub last: usize,
}

impl Function<'_> {
    /// How many lines it has, its signature among them.
    #[must_use]
    pub fn length(&self) -> usize {
        self.last + 1 - self.first
    }
}

/// The functions of a file that have bodies.
#[must_use]
pub fn functions(file: &SourceFile) -> Vec<Function<'_>> {
    let lines: Vec<&str> = file.text.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        if line.ends_with('}') {
            found.push(Function { name, first: index + 1, last: index + 1 });
            continue;
        }
        // `)`, `where` and `{` go on with the signature.
        let ends = |other: &&str| {
            let rest = other.strip_prefix(indent).unwrap_or_default();
            !rest.is_empty() && !rest.starts_with([' ', ')', '{']) && !rest.starts_with("where")
        };
        let end = lines[index + 1..].iter().position(ends);
        let Some(end) = end.map(|end| index + 1 + end) else { continue };
        // Without a body the signature ends in a semicolon.
        if lines[end].trim_start().starts_with('}') {
            found.push(Function { name, first: index + 1, last: end + 1 });
        }
    }
    found
}

fn function_name(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    if let Some(after) = rest.strip_prefix("pub") {
        rest = if after.starts_with('(') { after.split_once(')')?.1 } else { after }.trim_start();
    }
    for word in ["const ", "async ", "unsafe ", "extern \"C\" "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let rest = rest.strip_prefix("fn ")?;
    rest.find(|c: char| !c.is_alphanumeric() && c != '_').map(|end| &rest[..end])
}

/// The text of a comment line, after `//!`, `///` or `//`; nothing where the line is none.
#[must_use]
pub fn comment(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("//")?;
    Some(rest.strip_prefix(['/', '!']).unwrap_or(rest))
}

/// What the reader of a file is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum In {
    Code,
    Comment,
    Text,
    /// With so many `#`.
    RawText(usize),
}

/// The characters of each line that are outside of string literals.
///
/// A message stands in one piece, so that it is found by its words; what is around it can be broken.
#[must_use]
pub fn widths_without_text(source: &str) -> Vec<usize> {
    let mut inside = In::Code;
    let mut widths = Vec::new();
    for line in source.lines() {
        let chars: Vec<char> = line.chars().collect();
        let (mut width, mut at) = (0, 0);
        while at < chars.len() {
            let rest = &chars[at..];
            let (next, length) = step(inside, rest, at.checked_sub(1).map(|before| chars[before]));
            width += if matches!(inside, In::Code | In::Comment) { length } else { 0 };
            (inside, at) = (next, at + length);
        }
        inside = if inside == In::Comment { In::Code } else { inside };
        widths.push(width);
    }
    widths
}

/// What begins here, and after how many characters.
fn step(inside: In, rest: &[char], before: Option<char>) -> (In, usize) {
    let hashes = |from: usize| rest[from..].iter().take_while(|c| **c == '#').count();
    match (inside, rest) {
        (In::Code, ['/', '/', ..]) => (In::Comment, 2),
        // A quote as a character, `'"'` or `'\\"'`, opens no string.
        (In::Code, ['\'', '\\', _, '\'', ..]) => (In::Code, 4),
        (In::Code, ['\'', _, '\'', ..]) => (In::Code, 3),
        (In::Code, ['"', ..]) => (In::Text, 1),
        (In::Code, ['r', ..]) if !before.is_some_and(|c| c.is_alphanumeric() && c != 'b' || c == '_') => {
            let count = hashes(1);
            if rest.get(1 + count) == Some(&'"') { (In::RawText(count), count + 2) } else { (In::Code, 1) }
        }
        (In::Text, ['\\', _, ..]) => (In::Text, 2),
        (In::Text, ['"', ..]) => (In::Code, 1),
        (In::RawText(count), ['"', ..]) if hashes(1) >= count => (In::Code, 1 + count),
        _ => (inside, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_end_at_their_own_indentation() {
        let text = "pub(crate) fn a() {\n    if x {\n    }\n}\n\ntrait T {\n    fn none(&self);\n    fn one() -> u8 { 1 }\n\
                    \n    const fn wide<A>(\n        a: A,\n    ) -> u8\n    where\n        A: Copy,\n    {\n        2\n    }\n}\n";
        let file = SourceFile { path: "a.rs".into(), text: text.into() };
        let found: Vec<_> =
            functions(&file).into_iter().map(|f| (f.name.to_owned(), f.first, f.last)).collect();
        let expected = [("a", 1, 4), ("one", 8, 8), ("wide", 10, 17)];
        assert_eq!(found, expected.map(|(name, first, last)| (name.to_owned(), first, last)));
    }

    #[test]
    fn comments_lose_their_mark() {
        assert_eq!(comment("    //! a"), Some(" a"));
        assert_eq!(comment("/// a"), Some(" a"));
        assert_eq!(comment("let a = 1; // a"), None);
    }

    #[test]
    fn text_has_no_width() {
        let source = "let a = \"one \\\" two\";\nlet b = r#\"a\n  \"b\" // c\n\"#; // d\nlet c = '\"'; let x = \"e\\\n    f\";\n";
        assert_eq!(widths_without_text(source), [10, 11, 0, 6, 22, 1]);
    }
}

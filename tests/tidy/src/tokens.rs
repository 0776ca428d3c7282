//! Paths and links in text.

use crate::tree::Tree;

/// Folders of the project that a path in text begins with.
const ROOTS: [&str; 9] =
    ["crates/", "python/", "tests/", "docs/", "scenarios/", "studies/", "published/", "benches/", "fuzz/"];

fn in_path(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-./{},*".contains(c)
}

/// The paths from the project's root, or from the file's folder by `../`, that a line names.
#[must_use]
pub fn paths(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = next_start(line, from) {
        let rest = &line[start..];
        let end = rest.find(|c| !in_path(c)).unwrap_or(rest.len());
        from = start + end.max(1);
        // A name that goes on in other signs, as in `studies/<name>`, is a pattern and no path.
        if rest[end..].starts_with(['<', '$', '…', '\u{2026}']) {
            continue;
        }
        let path = rest[..end].trim_end_matches(['.', ',', '-', '}', '/']);
        let path = if path.contains('{') && rest[path.len()..].starts_with('}') {
            &rest[..=path.len()]
        } else {
            path
        };
        if path.contains('/') || ROOTS.contains(&format!("{path}/").as_str()) {
            found.push(path.to_owned());
        }
    }
    found
}

fn next_start(line: &str, from: usize) -> Option<usize> {
    let starts = ROOTS.iter().chain(&["../"]).flat_map(|root| line[from..].match_indices(root));
    let free = |at: usize| !line[..at].ends_with(|c: char| in_path(c) || "/:<>".contains(c));
    starts.map(|(at, _)| from + at).filter(|at| free(*at)).min()
}

/// The paths that one with braces stands for: `a/{b,c}.rs` is `a/b.rs` and `a/c.rs`.
#[must_use]
pub fn alternatives(path: &str) -> Vec<String> {
    let Some((head, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let Some((middle, tail)) = rest.split_once('}') else { return vec![path.to_owned()] };
    middle.split(',').map(|part| format!("{head}{part}{tail}")).collect()
}

/// Whether a path is one of the project. `*` stands for any part of a name; a part in capitals is a placeholder.
#[must_use]
pub fn exists(tree: &Tree, path: &str) -> bool {
    if path.split('/').any(is_placeholder) || tree.has(path) || tree.is_made(path) {
        return true;
    }
    let (Some((head, _)), Some((_, tail))) = (path.split_once('*'), path.rsplit_once('*')) else {
        return false;
    };
    tree.paths().any(|known| known.starts_with(head) && known[head.len()..].ends_with(tail))
}

fn is_placeholder(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part);
    let capitals = stem.chars().all(|c| c.is_ascii_uppercase() || c == '-' || c == '_');
    !matches!(stem, "README" | "CONTRIBUTING" | "ARCHITECTURE" | "CHANGELOG") && stem.len() > 1 && capitals
}

/// A path written relative to a file, from the root: `../a.md` in `docs/b.md` is `a.md`.
#[must_use]
pub fn from_root(file: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in relative.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop()?;
        } else {
            parts.push(part);
        }
    }
    Some(parts.join("/"))
}

/// The targets of a line's Markdown links.
#[must_use]
pub fn links(line: &str) -> Vec<&str> {
    let after = line.match_indices("](").map(|(at, _)| &line[at + 2..]);
    after.filter_map(|rest| rest.find(')').map(|end| &rest[..end])).collect()
}

/// What a link to this heading is called after `#`, as forges make it.
#[must_use]
pub fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Lines of Markdown outside of fenced blocks, with their numbers.
pub fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fenced && !fence).then_some((index + 1, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_end_where_the_words_go_on() {
        let line = "see `crates/a/src/{b,c}.rs`, docs/x.md. and (studies/ko), not https://x.org/docs/y or engine/docs/z";
        assert_eq!(paths(line), ["crates/a/src/{b,c}.rs", "docs/x.md", "studies/ko"]);
        assert_eq!(paths("`studies/<name>` in `../papers`"), ["../papers"]);
        assert_eq!(paths("in crates/units/"), ["crates/units"]);
    }

    #[test]
    fn braces_stars_and_placeholders() {
        assert_eq!(alternatives("a/{b,c}.rs"), ["a/b.rs", "a/c.rs"]);
        let tree = Tree::of(&[("crates/a/src/lib.rs", "")]);
        assert!(
            exists(&tree, "crates/a/src/*.rs")
                && exists(&tree, "crates/NAME/x.rs")
                && exists(&tree, "crates/a")
        );
        assert!(
            !exists(&tree, "crates/b") && !exists(&tree, "crates/a/*.md") && !exists(&tree, "docs/README.md")
        );
    }

    #[test]
    fn relative_paths_and_anchors() {
        assert_eq!(from_root("docs/how-to/a.md", "../b.md").as_deref(), Some("docs/b.md"));
        assert_eq!(from_root("published/README.md", "../../x"), None);
        assert_eq!(anchor("## Where is …? (AN1's)"), "where-is--an1s");
        assert_eq!(links("a [b](c.md#d) and [e](f)"), ["c.md#d", "f"]);
    }

    #[test]
    fn fenced_blocks_are_no_prose() {
        let lines: Vec<_> = prose("a\n```text\nb\n```\nc\n").collect();
        assert_eq!(lines, [(1, "a"), (5, "c")]);
    }
}

//! Links between documents lead to a file, and to a heading where they name one.

use crate::breach::Breach;
use crate::rules::Planted;
use crate::tokens::{anchor, from_root, links, prose};
use crate::tree::Tree;

/// Every relative link of Markdown without a target.
pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in tree.ending(".md") {
        for (line, text) in prose(&file.text) {
            let text = without_code(text);
            let inside =
                links(&text).into_iter().filter(|target| !target.contains(':') && !target.starts_with('<'));
            for target in inside {
                let (path, heading) =
                    target.split_once('#').map_or((target, None), |(path, h)| (path, Some(h)));
                let path =
                    if path.is_empty() { Some(file.path.clone()) } else { from_root(&file.path, path) };
                let Some(path) = path.filter(|path| tree.has(path)) else {
                    breaches.push(Breach::new(
                        &file.path,
                        line,
                        format!("the link to \"{target}\" leads nowhere"),
                    ));
                    continue;
                };
                if heading.is_some_and(|heading| !has_heading(tree, &path, heading)) {
                    breaches.push(Breach::new(&file.path, line, format!("\"{target}\" is no heading there")));
                }
            }
        }
    }
    breaches
}

/// A line without what it quotes as code, where brackets and parentheses are no link.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

fn has_heading(tree: &Tree, path: &str, heading: &str) -> bool {
    let Some(file) = tree.file(path) else { return false };
    prose(&file.text).any(|(_, line)| line.starts_with('#') && anchor(line) == heading)
}

/// A link to no file and one to no heading.
pub fn planted() -> Vec<Planted> {
    vec![
        Planted::at("docs/links.md", 3, "leads nowhere", "# Links\n\n[a](../README.md) and [b](gone.md).\n"),
        Planted::at("docs/links.md", 3, "is no heading", "# Links\n\n[a](#links), [b](#gone).\n"),
    ]
}

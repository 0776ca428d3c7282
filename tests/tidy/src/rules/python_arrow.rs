//! The arrow between Python's modules and packages under `python/hopscope`.
//!
//! A package that imports a later one makes a circle that Python finds at run time only, and late imports hide it. What
//! a result shows of itself (`run.report()`) is imported as it is called; such arrows are named.

use crate::architecture::{ARCHITECTURE, Arrow};
use crate::breach::Breach;
use crate::python::{Import, When, imports};
use crate::rules::Planted;
use crate::tree::{SourceFile, Tree};

const HEADING: &str = "### Packages of Python";
const PACKAGE: &str = "python/hopscope";

/// Every import that goes against the arrow, and every module that it does not name.
pub fn check(tree: &Tree) -> Vec<Breach> {
    let Some(arrow) = Arrow::read(tree, HEADING) else {
        return Arrow::expected(HEADING);
    };
    let mut breaches = Vec::new();
    let mut parts = vec!["_core".to_owned()];
    for file in tree.ending(".py").filter(|file| file.is_in(PACKAGE)) {
        let Some(part) = part_of(file) else { continue };
        if arrow.knows(&part) {
            let refused =
                imports(file).into_iter().filter_map(|import| refused(tree, &arrow, &part, &import));
            breaches.extend(refused.map(|(line, message)| Breach::new(&file.path, line, message)));
        } else {
            breaches.push(Breach::new(&file.path, 1, Arrow::unplaced(&part, HEADING)));
        }
        parts.push(part);
    }
    breaches.extend(arrow.missing(&parts, "module"));
    breaches
}

/// The package or module of a file. The package itself is left out: it names everybody's home and imports it on first
/// use.
fn part_of(file: &SourceFile) -> Option<String> {
    let rest = file.path.strip_prefix(PACKAGE)?.strip_prefix('/')?;
    let part = rest.split('/').next()?.trim_end_matches(".py");
    (part != "__init__").then(|| part.to_owned())
}

fn refused(tree: &Tree, arrow: &Arrow, part: &str, import: &Import) -> Option<(usize, String)> {
    let mut names = import.target.split('.');
    if names.next() != Some("hopscope") {
        return None;
    }
    let other = names.next().unwrap_or("hopscope");
    let is_module = other == "_core"
        || tree.has(&format!("{PACKAGE}/{other}.py"))
        || tree.has(&format!("{PACKAGE}/{other}/__init__.py"));
    if !is_module {
        return Some((import.line, format!("\"{other}\" comes from its own module, not from the package")));
    }
    let called = import.when == When::Called && arrow.allows_on_call(part, other);
    let allowed = other == part || arrow.allows(part, other) || called;
    (!allowed).then(|| {
        (import.line, format!("\"{part}\" may not import \"{other}\": see \"{HEADING}\" in {ARCHITECTURE}"))
    })
}

/// A step back, one hidden in a function, a name from the package itself, and a module without a place.
pub fn planted() -> Vec<Planted> {
    vec![
        Planted::at(
            "python/hopscope/errors.py",
            3,
            "\"errors\" may not import \"cli\"",
            "\"\"\"Errors.\"\"\"\n\nfrom hopscope.cli import main\n",
        ),
        Planted::at(
            "python/hopscope/engine.py",
            5,
            "\"engine\" may not import \"cli\"",
            "\"\"\"Engine.\"\"\"\n\n\ndef show():\n    from hopscope import cli\n",
        ),
        Planted::at(
            "python/hopscope/engine.py",
            3,
            "\"run\" comes from its own module",
            "\"\"\"Engine.\"\"\"\n\nfrom hopscope import run\n",
        ),
        Planted::at("python/hopscope/new.py", 1, "not in the arrow", "\"\"\"New.\"\"\"\n"),
    ]
}

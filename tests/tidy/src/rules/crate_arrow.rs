//! The arrow between crates: a crate uses those of earlier steps alone, and no model sees another.
//!
//! Cargo refuses circles. It does not refuse a step back, after which a circle is one line away, nor a model that leans
//! on another model. Dependencies of tests count: a test that needs a later crate belongs there.

use toml::Table;

use crate::architecture::{ARCHITECTURE, Arrow};
use crate::breach::Breach;
use crate::rules::Planted;
use crate::tree::{SourceFile, Tree};

const HEADING: &str = "## One arrow";
const PREFIX: &str = "hopscope-";
const SECTIONS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// Every dependency that goes against the arrow, and every crate that the arrow does not name.
pub fn check(tree: &Tree) -> Vec<Breach> {
    let Some(arrow) = Arrow::read(tree, HEADING) else {
        return Arrow::expected(HEADING);
    };
    let mut breaches = Vec::new();
    let mut crates = Vec::new();
    for file in tree.ending("Cargo.toml") {
        match file.text.parse::<Table>() {
            Err(error) => breaches.push(Breach::new(&file.path, 1, error.to_string())),
            Ok(manifest) => {
                let Some(name) = name_of(&manifest) else { continue };
                breaches.extend(check_crate(file, &name, &manifest, &arrow));
                crates.push(name);
            }
        }
    }
    breaches.extend(arrow.missing(&crates, "crate"));
    breaches
}

fn name_of(manifest: &Table) -> Option<String> {
    let name = manifest.get("package")?.get("name")?.as_str()?;
    name.strip_prefix(PREFIX).map(str::to_owned)
}

fn check_crate(file: &SourceFile, name: &str, manifest: &Table, arrow: &Arrow) -> Vec<Breach> {
    let in_house = file.is_in("crates");
    if in_house && !arrow.knows(name) {
        return vec![Breach::new(&file.path, 1, Arrow::unplaced(name, HEADING))];
    }
    let targets = manifest.get("target").and_then(|targets| targets.as_table());
    let tables = targets.into_iter().flat_map(Table::values).filter_map(|target| target.as_table());
    let used = std::iter::once(manifest).chain(tables).flat_map(|table| {
        SECTIONS.iter().filter_map(|section| table.get(*section)?.as_table()).flat_map(Table::keys)
    });
    let used = used.filter_map(|dependency| dependency.strip_prefix(PREFIX));
    // What is outside of `crates` (benchmarks, fuzz targets) may use everything in it, and nothing uses it.
    let refused =
        used.filter(|other| if in_house { !arrow.allows(name, other) } else { !arrow.knows(other) });
    let breach = |other: &str| {
        let line = file.line_of(&format!("{PREFIX}{other}"));
        Breach::new(
            &file.path,
            line,
            format!("\"{name}\" may not use \"{other}\": see \"{HEADING}\" in {ARCHITECTURE}"),
        )
    };
    refused.map(breach).collect()
}

/// A step back, a model that sees another, a crate without a place, and an arrow to nothing.
pub fn planted() -> Vec<Planted> {
    let manifest = |name: &str, rest: &str| {
        format!(
            "[package]\nname = \"hopscope-{name}\"\ndescription = \"d\"\n\n{rest}\n\n[lints]\nworkspace = true\n"
        )
    };
    let arrow = "# Architecture\n\n## One arrow\n\n```text\nunits → kernel → models → engine → gone\nmodels: fabric, an1 on fabric\n```\n\
                 \n### Packages of Python\n\n```text\nerrors → engine → cli\n```\n\n## Rooms\n\n| folder | knows no |\n|---|---|\n\
                 | `crates/units/src` | `std::time` |\n";
    vec![
        Planted::at(
            "crates/units/Cargo.toml",
            6,
            "\"units\" may not use \"engine\"",
            manifest("units", "[dev-dependencies]\nhopscope-engine.workspace = true"),
        ),
        Planted::at(
            "crates/fabric/Cargo.toml",
            6,
            "\"fabric\" may not use \"an1\"",
            manifest("fabric", "[target.'cfg(unix)'.dependencies]\nhopscope-an1.workspace = true"),
        ),
        Planted::at("crates/new/Cargo.toml", 1, "not in the arrow", manifest("new", "")),
        Planted::at(ARCHITECTURE, 6, "\"gone\", which is no crate", arrow),
    ]
}

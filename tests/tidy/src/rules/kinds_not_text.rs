//! Decisions are made on closed kinds, never on text.
//!
//! A verdict that looks for "host" in a resource's name changes when a user renames a host, and an unknown kind passes
//! in silence. What explains, plans and reports compares enums; words are made where they are shown.

use crate::breach::Breach;
use crate::python::inside_strings;
use crate::rules::Planted;
use crate::rust::comment;
use crate::tree::{SourceFile, Tree};

/// Where decisions are made that a user reads: folders and files.
const PLACES: [&str; 10] = [
    "crates/diagnose/src",
    "crates/explain/src",
    "python/hopscope/confirmation.py",
    "python/hopscope/defaults.py",
    "python/hopscope/diagnosis.py",
    "python/hopscope/explanation.py",
    "python/hopscope/planning",
    "python/hopscope/report",
    "python/hopscope/results",
    "python/hopscope/studies",
];

/// What a thing is or is called: nothing may be decided by its text.
const FIELDS: [&str; 12] = [
    "kind", "stage", "name", "place", "resource", "label", "sentence", "id", "model", "goal", "outcome",
    "cause",
];

/// Every comparison of a kind, stage, name or place with text.
pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let decides = |file: &&SourceFile| PLACES.iter().any(|place| file.is_in(place) || file.path == *place);
    for file in tree.files().iter().filter(decides) {
        for (line, text) in code(file) {
            if compares(text) || (file.is(".rs") && is_arm_of_text(text)) {
                let message = format!("decides by text: `{}`", text.trim());
                breaches.push(Breach::new(&file.path, line, message));
            }
        }
    }
    breaches
}

fn code(file: &SourceFile) -> Vec<(usize, &str)> {
    let strings = if file.is(".py") { inside_strings(&file.text) } else { Vec::new() };
    let is_code = |line: usize, text: &str| {
        comment(text).is_none() && !strings.get(line - 1).is_some_and(|inside| *inside)
    };
    file.lines().filter(|(line, text)| is_code(*line, text)).collect()
}

/// Whether a line compares one of the fields with a literal or a constant of text.
fn compares(line: &str) -> bool {
    let after_field = FIELDS.iter().flat_map(|field| {
        line.match_indices(field).filter_map(move |(at, _)| {
            let free = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            free.then(|| line[at + field.len()..].trim_start_matches(['"', '\'']).trim_start_matches(']'))
        })
    });
    let mut tests = after_field.map(|rest| rest.trim_start_matches(".as_str()").trim_start_matches("()"));
    (tests.any(is_test) && !is_loop(line)) || is_member(line) || reads_a_sentence(line)
}

/// Whether a line looks for something in a sentence, or asks whether two are one: what they tell of has an identity.
fn reads_a_sentence(line: &str) -> bool {
    let is_searched = line.split(" in ").skip(1).any(|rest| {
        let operand = rest.split([' ', ')', ':', ',', '}']).next().unwrap_or_default();
        operand.ends_with(".sentence") || operand.ends_with("[\"sentence\"]")
    });
    is_searched || [".sentence == ", ".sentence != "].iter().any(|test| line.contains(test))
}

/// Whether a field is only the variable of a loop over literals.
fn is_loop(line: &str) -> bool {
    FIELDS.iter().any(|field| {
        line.contains(&format!("for {field} in (")) || line.contains(&format!("for {field} in ["))
    })
}

/// Whether what follows a field asks for its text.
fn is_test(rest: &str) -> bool {
    let methods =
        [".contains(", ".starts_with(", ".ends_with(", ".startswith(", ".endswith(", ".strip_prefix("];
    if let Some(argument) = methods.iter().find_map(|method| rest.strip_prefix(method)) {
        return is_text(argument.trim_start_matches('('));
    }
    let operators = [" == ", " != ", " in (", " in {", " in [", " not in (", " not in {"];
    operators.iter().find_map(|operator| rest.strip_prefix(operator)).is_some_and(is_text)
}

/// Whether an operand is text: a literal, or a constant in capitals without a type.
fn is_text(operand: &str) -> bool {
    let name = operand.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    let constant =
        name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit());
    let literal = operand.trim_start_matches('&').starts_with(['"', '\'']);
    literal || (constant && !operand[name.len()..].starts_with(['.', ':']))
}

/// Whether a line asks if a literal is part of a field's text, as in `"host" in row["name"]`.
fn is_member(line: &str) -> bool {
    FIELDS.iter().any(|field| {
        line.split("\" in ").skip(1).any(|rest| {
            let operand = rest.split([' ', ')', ':', ',']).next().unwrap_or_default();
            operand.ends_with(&format!("[\"{field}\"]")) || operand.ends_with(&format!(".{field}"))
        })
    })
}

/// Whether a line is an arm of a `match` on text.
fn is_arm_of_text(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('"')
        && line.split(" => ").next().is_some_and(|pattern| {
            pattern != line && pattern.split(" | ").all(|text| text.starts_with('"') && text.ends_with('"'))
        })
}

/// A name, a constant and an arm in Rust; a kind, a set of stages and a part of a name in Python.
pub fn planted() -> Vec<Planted> {
    let rust = |line: &str| format!("//! Why.\nfn f() {{\n    {line}\n}}\n");
    let python = |line: &str| format!("\"\"\"Why.\"\"\"\n{line}\n");
    vec![
        Planted::at("crates/explain/src/why.rs", 3, "by text", rust("row.name.contains(\"host\")")),
        Planted::at("crates/explain/src/why.rs", 3, "by text", rust("row.stage == OUT_OF_ORDER")),
        Planted::at("crates/explain/src/why.rs", 3, "by text", rust("\"fifo\" | \"queue\" => 1,")),
        Planted::at("python/hopscope/results/why.py", 2, "by text", python("a = row[\"kind\"] != \"line\"")),
        Planted::at(
            "python/hopscope/report/why.py",
            2,
            "by text",
            python("a = row.stage in (\"wait\", \"b\")"),
        ),
        Planted::at("python/hopscope/planning/why.py", 2, "by text", python("a = \"host\" in row[\"name\"]")),
        Planted::at("python/hopscope/results/why.py", 2, "by text", python("a = percent(b) in why.sentence")),
        Planted::at(
            "python/hopscope/results/why.py",
            2,
            "by text",
            python("a = trial.candidate.sentence == other.sentence"),
        ),
        Planted::at("python/hopscope/confirmation.py", 2, "by text", python("a = run.outcome != SATURATED")),
        Planted::at("python/hopscope/studies/why.py", 2, "by text", python("a = run.model == \"fabric\"")),
        Planted::at("crates/diagnose/src/why.rs", 3, "by text", rust("root.id == OUTPUT")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_may_be_compared() {
        for line in [
            "row.kind == ResourceKind::Line",
            "row[\"kind\"] == Kind.LINE",
            "row.name == other.name",
            "Kind::Wait => \"wait\",",
            "names.contains(\"a\")",
            "\"frames\" in canonical",
            "for name in (\"a\", \"b\"):",
        ] {
            assert!(!compares(line) && !is_arm_of_text(line), "{line}");
        }
    }
}

//! The project keeps its own rules.

use std::path::Path;
use std::sync::LazyLock;

use hopscope_tidy::waiting::{self, Waiting, without_waiting};
use hopscope_tidy::{RULES, Tree};

const WAITING: &str = "tests/tidy/waiting.toml";

/// How many breaches of a rule are shown at once.
const SHOWN: usize = 100;

static HOUSE: LazyLock<Tree> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Tree::read(&root).expect("the project can be read")
});

fn waiting_list() -> Vec<Waiting> {
    let file = HOUSE.file(WAITING).expect("the list of what waits");
    waiting::read(&file.text).unwrap_or_else(|error| panic!("{WAITING}: {error}"))
}

#[test]
fn every_rule_holds() {
    let list = waiting_list();
    let mut report = String::new();
    for rule in RULES {
        let left = without_waiting(rule.name, (rule.check)(&HOUSE), &list, WAITING);
        if !left.is_empty() {
            report += &format!("\n{}: {}\n", rule.name, left.len());
            report.extend(left.iter().take(SHOWN).map(|breach| format!("  {breach}\n")));
        }
    }
    assert!(report.is_empty(), "the house has rules (CONTRIBUTING.md, House rules):\n{report}");
}

#[test]
fn what_waits_has_a_rule_and_a_reason() {
    for entry in waiting_list() {
        assert!(RULES.iter().any(|rule| rule.name == entry.rule), "no rule is called \"{}\"", entry.rule);
        assert!(!entry.why.is_empty() && entry.at_most > 0, "{entry:?}");
    }
}

#[test]
fn contributing_lists_every_rule() {
    let file = HOUSE.file("CONTRIBUTING.md").expect("CONTRIBUTING.md");
    let rows: Vec<&str> = file.text.lines().filter(|line| line.starts_with("| ")).collect();
    for rule in RULES {
        let row = format!("| {} |", rule.name);
        assert!(rows.iter().any(|line| line.starts_with(&row)), "CONTRIBUTING.md has no row \"{row}\"");
    }
}

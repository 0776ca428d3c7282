//! Each rule finds what is planted for it, and nothing in a house that is well kept.

use hopscope_tidy::{RULES, Tree};

/// A small house that keeps every rule.
fn well_kept() -> Tree {
    let manifest = |name: &str, used: &str| {
        format!(
            "[package]\nname = \"hopscope-{name}\"\ndescription = \"A crate\"\n\n[dependencies]\n{used}\n\n[lints]\nworkspace = true\n"
        )
    };
    let mut tree = Tree::of(&[
        ("README.md", "# House\n\nSee [the docs](docs/a.md#second-part) and `crates/units/src/lib.rs`.\n"),
        ("docs/a.md", "# A\n\n## Second part\n\n| a table may be wide |\n"),
        ("published/README.md", "# Published\n"),
        ("crates/units/src/lib.rs", "//! Units.\n\npub fn one() -> u8 {\n    1\n}\n"),
        ("python/hopscope/__init__.py", "\"\"\"The package.\"\"\"\n"),
        ("python/hopscope/errors.py", "\"\"\"Errors.\"\"\"\n\nimport json\n"),
        ("python/hopscope/engine.py", "\"\"\"Engine.\"\"\"\n\nfrom hopscope.errors import UsageError\n"),
        ("python/hopscope/cli.py", "\"\"\"Verbs.\"\"\"\n\nfrom hopscope import engine\n"),
        ("ruff.toml", "# Lints.\n[lint]\nselect = [\"C90\", \"D\", \"E\", \"I\", \"N\", \"PL\"]\n"),
        (".ci/run", "#!/usr/bin/env bash\n# Every test.\nmake test\n"),
        ("tests/tidy/phrases.toml", "# Phrases.\n[[phrase]]\nnot = \"our own word\"\nsay = \"the term\"\n"),
        (
            "ARCHITECTURE.md",
            "# Architecture\n\n## One arrow\n\n```text\nunits → kernel → models → engine\nmodels: fabric, an1 on fabric\n```\n\n\
             ### Packages of Python\n\n```text\n_core → errors → engine → cli\n```\n\n## Rooms\n\n| folder | knows no |\n|---|---|\n\
             | `crates/units/src` | `std::time` |\n| `python/hopscope` | `subprocess` |\n",
        ),
        (
            "Cargo.toml",
            "[workspace]\n[workspace.lints.rust]\nunsafe_code = \"forbid\"\nmissing_docs = \"warn\"\n\
             [workspace.lints.clippy]\ntoo_many_lines = \"warn\"\ntodo = \"warn\"\ndbg_macro = \"warn\"\n\
             print_stdout = \"warn\"\nunimplemented = \"warn\"\n",
        ),
    ]);
    tree.put("crates/units/Cargo.toml", &manifest("units", ""));
    tree.put("crates/kernel/Cargo.toml", &manifest("kernel", "hopscope-units.workspace = true"));
    tree.put("crates/fabric/Cargo.toml", &manifest("fabric", "hopscope-kernel.workspace = true"));
    tree.put("crates/an1/Cargo.toml", &manifest("an1", "hopscope-fabric.workspace = true"));
    tree.put("crates/engine/Cargo.toml", &manifest("engine", "hopscope-an1.workspace = true"));
    tree
}

#[test]
fn a_house_that_is_well_kept_breaks_no_rule() {
    for rule in RULES {
        assert_eq!((rule.check)(&well_kept()), [], "{}", rule.name);
    }
}

#[test]
fn every_rule_finds_what_is_planted() {
    for rule in RULES {
        let planted = (rule.planted)();
        assert!(!planted.is_empty(), "nothing is planted for \"{}\"", rule.name);
        for breach in planted {
            let mut tree = well_kept();
            tree.put(breach.path, &breach.text);
            let found = (rule.check)(&tree);
            let is_it = |b: &hopscope_tidy::Breach| {
                (b.path.as_str(), b.line) == breach.found && b.message.contains(breach.says)
            };
            assert!(
                found.iter().any(is_it),
                "\"{}\": {:?} {}: {found:#?}",
                rule.name,
                breach.found,
                breach.says
            );
        }
    }
}

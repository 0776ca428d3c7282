//! Files that are no scenario at all, and improbable texts: refused in words, never with a panic.

use std::fs;
use std::path::PathBuf;

use hopscope_engine::{Scenario, embedded};
use proptest::prelude::*;

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).expect("the target folder can be written");
    path
}

fn refusal(path: &std::path::Path) -> String {
    Scenario::load(path.to_str().expect("a plain path"), &[]).expect_err("it is no scenario").to_string()
}

#[test]
fn a_file_of_bytes_is_refused_at_the_first_that_is_no_text() {
    let error = refusal(&file("bytes.toml", b"model = \"que\xffueing\""));
    assert!(error.contains("not UTF-8") && error.contains("bytes.toml:1:13"), "{error}");
}

#[test]
fn an_empty_file_is_refused_with_a_way_to_begin() {
    for (name, text) in
        [("empty.toml", ""), ("blank.toml", "\n \n"), ("comment.toml", "# later\n"), ("empty.json", "{}")]
    {
        let error = refusal(&file(name, text.as_bytes()));
        assert!(error.contains("the scenario is empty") && error.contains(&format!("{name}:1:1")), "{error}");
        assert!(error.contains("hopscope scenarios"), "{error}");
    }
}

#[test]
fn a_folder_and_a_device_are_refused() {
    assert!(refusal(env!("CARGO_TARGET_TMPDIR").as_ref()).contains("this is a folder"));
    #[cfg(unix)]
    assert!(refusal("/dev/null".as_ref()).contains("not a regular file"));
}

#[test]
fn a_huge_file_is_refused_without_being_read() {
    let path = file("huge.toml", b"");
    fs::File::options()
        .write(true)
        .open(&path)
        .and_then(|file| file.set_len(100 << 20))
        .expect("a sparse file");
    let error = refusal(&path);
    assert!(error.contains("100 MiB") && error.contains("at most 16 MiB"), "{error}");
}

/// The parser follows 80 levels of brackets, each with a name of 80 parts: 6,400 sections in one another.
#[test]
fn the_deepest_nesting_that_the_parser_follows_is_refused() {
    let name = ["a"; 79].join(".");
    let text = format!("{}1{}", format!("{name} = {{ ").repeat(78), "}".repeat(78));
    let text = format!("model = \"queueing\"\n{name} = {text}");
    let error = Scenario::from_text("deep.toml", &text, &[]).expect_err("nobody needs this").to_string();
    assert!(error.contains("not TOML") || error.contains("nested too deeply"), "{error}");
}

#[test]
fn json_is_read_by_the_same_rules() {
    let error = |text: &str| Scenario::from_text("s.json", text, &[]).expect_err("it is wrong").to_string();
    let place = |text: &str, at: &str| {
        let error = error(text);
        assert!(error.contains(&format!("s.json:{at}")), "{error}");
        error
    };
    assert!(place("{\"model\": \"queueing\",\n \"model\": \"fabric\"}", "1:1").contains("written twice"));
    assert!(place("{\"model\": 3}", "1:11").contains("\"queueing\""));
    assert!(place("{\"model\": \"queueing\",\n \"sead\": 3}", "2:3").contains("did you mean \"seed\"?"));
    assert!(place("{\"model\": \"queueing\", \"station\": [null]}", "1:35").contains("null"));
    assert!(place("{\"seed\": 1e400, \"model\": \"queueing\"}", "1:10").contains("out of range"));
    assert!(place("{\"seed\": 9223372036854775808, \"model\": \"queueing\"}", "1:10").contains("64 bits"));
    let deep = format!("{{\"model\": \"queueing\", \"station\": {}1{}}}", "[".repeat(100), "]".repeat(100));
    assert!(place(&deep, "1:").contains("nested too deeply"));
}

/// Reads the text, and checks of a refusal that it is one: words, and places inside the text.
fn survives(text: &str, overrides: &[&str]) -> Result<(), TestCaseError> {
    match Scenario::from_text("any.toml", text, overrides) {
        Ok(scenario) => {
            let again = Scenario::from_text("any.json", &scenario.canonical_json(), &[]);
            let again = again.map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(scenario.hash(), again.hash());
        }
        Err(error) => {
            prop_assert!(!error.diagnoses.is_empty());
            for diagnosis in &error.diagnoses {
                prop_assert!(diagnosis.to_string().starts_with("error: "), "{}", diagnosis);
                let place = diagnosis.place.as_ref().expect("a text has places");
                prop_assert!(place.line_and_column().0 <= place.source.text.split('\n').count());
            }
        }
    }
    Ok(())
}

/// Pieces that change the meaning of a scenario where they are pasted into one.
const PIECES: &[&str] = &[
    "",
    "=",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "\n",
    ".",
    ",",
    "#",
    "-1",
    "0",
    "1e6",
    "nan",
    "inf",
    "true",
    "1988-04-30",
    "\"10 us\"",
    "[[station]]",
    "[measure]",
    "[arrivals]",
    "model = \"queueing\"\n",
    "servers = 2\n",
    "é",
    "\u{0}",
    "\r\n",
    "exponential",
    "18446744073709551616",
    "\"\"\"",
    "a.b.c = 1\n",
];

fn mutated() -> impl Strategy<Value = String> {
    let ready = embedded::list(embedded::Kind::Scenarios);
    let texts: Vec<&str> = ready
        .into_iter()
        .filter(|path| path.ends_with(".toml"))
        .filter_map(|path| embedded::read(embedded::Kind::Scenarios, path))
        .collect();
    let edit = (any::<prop::sample::Index>(), 0..12usize, prop::sample::select(PIECES));
    (prop::sample::select(texts), prop::collection::vec(edit, 1..4)).prop_map(|(text, edits)| {
        edits.into_iter().fold(text.to_owned(), |text, (at, length, piece)| {
            let mut characters: Vec<char> = text.chars().collect();
            let start = at.index(characters.len() + 1);
            let end = (start + length).min(characters.len());
            characters.splice(start..end, piece.chars());
            characters.into_iter().collect()
        })
    })
}

const GOOD: &str =
    "model = \"queueing\"\narrivals.load = 0.8\nstation = [{ service = { exponential = \"10 us\" } }]\n";

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC*") {
        survives(&text, &[])?;
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survives(&String::from_utf8_lossy(&bytes), &[])?;
    }

    #[test]
    fn no_slip_of_the_hand_panics(text in mutated()) {
        survives(&text, &[])?;
    }

    #[test]
    fn no_override_panics(
        path in "(seed|title|measure|arrivals|station|model|x)(\\.(load|messages|warmup|x)|\\[[0-9]{1,3}\\]){0,3}",
        value in "\\PC{0,12}",
        anything in "\\PC{0,20}",
    ) {
        survives(GOOD, &[&format!("{path}={value}")])?;
        survives(GOOD, &[&anything])?;
    }
}

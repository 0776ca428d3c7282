//! Every study of `tests/bad-studies` is refused at the place and with the words that its first lines announce.
//!
//! A line `# expect: 7:11: metric` announces one mistake: its line, its column, and words of its message. As many
//! mistakes are reported as are announced: a mistake must not draw others after it.

mod announced;

use std::path::Path;

use announced::wrong_files;
use hopscope_engine::study;

/// What differs between what a file announces and what is reported; nothing where all is well.
fn difference(path: &Path, name: &str, text: &str) -> Option<String> {
    let error = match study::definition(path.to_str().expect("a plain path"), false, false) {
        Ok(_) => return Some("it was accepted".to_owned()),
        Err(error) => error,
    };
    announced::difference(name, text, &error)
}

#[test]
fn every_bad_study_is_refused_at_its_place() {
    let wrong = wrong_files("bad-studies", 40, difference);
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_study_that_comes_along_can_be_read() {
    let names = study::names();
    assert!(names.len() >= 43, "only {} studies", names.len());
    for name in names {
        for quick in [false, true] {
            if let Err(error) = study::definition(&name, quick, false) {
                panic!("{name}: {error}");
            }
        }
    }
}

#[test]
fn a_mistyped_name_is_met_with_the_nearest() {
    let error = study::definition("an1/tabel3", false, false).expect_err("there is no such study");
    assert_eq!(error.diagnoses[0].hint.as_deref(), Some("did you mean \"an1/table3\"?"));
}

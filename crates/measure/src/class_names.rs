//! The rules for names and number of message classes.

use crate::{EVERY_CLASS, Problem};

/// The most classes of one run: messages carry the number of theirs in a byte.
pub const MOST_CLASSES: usize = 255;

/// The problem of the class name at this path; nothing if it can be a part of a metric's key, such as
/// `latency[NAME].mean`.
pub fn class_name_problem(path: &str, name: &str) -> Option<Problem> {
    let (problem, expected) = if name == EVERY_CLASS {
        (format!("the class \"{name}\" is reserved"), "another name: \"all\" is every class together")
    } else if name.is_empty() {
        ("the class has an empty name".to_owned(), "a name, such as \"bulk\"")
    } else if name.contains(['[', ']']) {
        let problem = format!("the class \"{name}\" has a bracket in its name");
        (problem, "a name without [ and ]: metrics are called latency[NAME].mean")
    } else {
        return None;
    };
    Some(Problem::new(path, problem, expected))
}

/// The problem of more classes than [`MOST_CLASSES`].
pub fn too_many_classes(path: &str) -> Problem {
    let problem = format!("there are more than {MOST_CLASSES} classes of messages");
    Problem::new(path, problem, "fewer classes: messages of several flows may share one")
}

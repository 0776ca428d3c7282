//! What breaks a rule and waits for other work: an explicit list that shrinks.

use serde::Deserialize;

use crate::breach::Breach;

/// Breaches of a rule that wait, or an exception that stays.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waiting {
    /// The rule's name.
    pub rule: String,
    /// The file or folder.
    pub within: String,
    /// What the message has, where not every message counts.
    #[serde(default)]
    pub about: String,
    /// How many there may be. It only ever falls.
    pub at_most: usize,
    /// Why, and what ends it.
    pub why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    waiting: Vec<Waiting>,
}

/// Reads a list.
///
/// # Errors
/// What is wrong with its TOML.
pub fn read(text: &str) -> Result<Vec<Waiting>, toml::de::Error> {
    Ok(toml::from_str::<List>(text)?.waiting)
}

impl Waiting {
    fn covers(&self, breach: &Breach) -> bool {
        let inside = breach.path.strip_prefix(self.within.as_str()).is_some_and(|rest| {
            rest.is_empty() || rest.starts_with('/') || self.within.is_empty() || self.within.ends_with('/')
        });
        inside && breach.message.contains(&self.about)
    }
}

/// The breaches of a rule that no entry covers. An entry that covers none, or more than it may, is a breach itself.
#[must_use]
pub fn without_waiting(rule: &str, breaches: Vec<Breach>, list: &[Waiting], list_path: &str) -> Vec<Breach> {
    let mut left = breaches;
    for entry in list.iter().filter(|entry| entry.rule == rule) {
        let (covered, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|breach| entry.covers(breach));
        left = others;
        if covered.is_empty() {
            let message = format!(
                "nothing waits any more: take out the entry of \"{rule}\" within \"{}\"",
                entry.within
            );
            left.push(Breach::new(list_path, 1, message));
        } else if covered.len() > entry.at_most {
            left.extend(covered);
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(breaches: &[(&str, &str)]) -> Vec<String> {
        let list = read(
            "[[waiting]]\nrule = \"sizes\"\nwithin = \"docs\"\nabout = \"long\"\nat_most = 1\nwhy = \"a reason\"\n",
        );
        let breaches = breaches.iter().map(|(path, message)| Breach::new(path, 1, *message)).collect();
        let left = without_waiting("sizes", breaches, &list.expect("a list"), "w.toml");
        left.into_iter().map(|breach| breach.path).collect()
    }

    #[test]
    fn an_entry_covers_what_it_names() {
        assert_eq!(left(&[("docs/a.md", "long"), ("docs2/a.md", "long")]), ["docs2/a.md"]);
        assert_eq!(left(&[("docs/a.md", "long"), ("docs/a.md", "wide")]), ["docs/a.md"]);
    }

    #[test]
    fn an_entry_never_grows_and_goes_when_it_is_not_needed() {
        assert_eq!(left(&[("docs/a.md", "long"), ("docs/b.md", "long")]), ["docs/a.md", "docs/b.md"]);
        assert_eq!(left(&[]), ["w.toml"]);
    }
}

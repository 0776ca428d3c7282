//! The same experiment under other names.

use serde_json::Value as Json;

use crate::draw::NAME;

/// The scenario with every name that the storm made up replaced by another, in the reverse order of the alphabet:
/// whatever is decided or ordered by names shows. Nothing where it has no such name.
pub(crate) fn renamed(scenario: &Json) -> Option<Json> {
    let mut renamed = scenario.clone();
    rename(&mut renamed).then_some(renamed)
}

fn rename(value: &mut Json) -> bool {
    match value {
        Json::String(text) => {
            let Some(number) = number(text) else { return false };
            *text = format!("zz{:03} {NAME}", 999 - number);
            true
        }
        Json::Array(items) => items.iter_mut().fold(false, |any, item| rename(item) | any),
        Json::Object(fields) => fields.iter_mut().fold(false, |any, (_, field)| rename(field) | any),
        _ => false,
    }
}

/// The number of a name that the storm made up.
fn number(text: &str) -> Option<u32> {
    let number: u32 = text.strip_prefix(NAME)?.parse().ok()?;
    (number < 1_000 && format!("{NAME}{number}") == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_change_everywhere_alike_and_nothing_else_does() {
        let scenario =
            json!({"title": "n", "host": [{"name": "n1"}, {"name": "n2"}], "from": "n1", "rate": "1 ns"});
        let renamed = renamed(&scenario).expect("it has names");
        assert_eq!(renamed["from"], renamed["host"][0]["name"]);
        assert!(renamed["host"][0]["name"].as_str() > renamed["host"][1]["name"].as_str());
        assert_eq!((&renamed["title"], &renamed["rate"]), (&json!("n"), &json!("1 ns")));
        assert_eq!(super::renamed(&json!({"title": "n"})), None);
    }
}

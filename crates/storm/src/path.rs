//! Values within a JSON tree by their path.

use hopscope_scenario::{Node, Path, Step, Value};
use serde_json::Value as Json;

/// The value at this path.
pub(crate) fn at<'a>(root: &'a Json, path: &[Step]) -> Option<&'a Json> {
    path.iter().try_fold(root, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Index(index) => value.get(index),
    })
}

/// The same, to change it.
pub(crate) fn at_mut<'a>(root: &'a mut Json, path: &[Step]) -> Option<&'a mut Json> {
    path.iter().try_fold(root, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Index(index) => value.get_mut(index),
    })
}

/// Takes the value at this path out of its section or list; says whether it was there.
pub(crate) fn remove(root: &mut Json, path: &[Step]) -> bool {
    let Some((last, above)) = path.split_last() else { return false };
    match (at_mut(root, above), last) {
        (Some(Json::Object(fields)), Step::Key(key)) => fields.remove(key).is_some(),
        (Some(Json::Array(items)), Step::Index(index)) if *index < items.len() => {
            items.remove(*index);
            true
        }
        _ => false,
    }
}

/// The paths of all values but the root, each after the one that it is in.
pub(crate) fn all(root: &Json) -> Vec<Vec<Step>> {
    fn collect(value: &Json, path: &[Step], found: &mut Vec<Vec<Step>>) {
        let mut below = |step: Step, child: &Json| {
            let path = [path, &[step]].concat();
            found.push(path.clone());
            collect(child, &path, found);
        };
        match value {
            Json::Object(fields) => {
                fields.iter().for_each(|(key, child)| below(Step::Key(key.clone()), child));
            }
            Json::Array(items) => {
                items.iter().enumerate().for_each(|(index, child)| below(Step::Index(index), child));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(root, &[], &mut found);
    found
}

/// The path of the innermost value that stands around this byte of the text, or whose key does.
pub(crate) fn around(root: &Node, byte: usize) -> Path {
    fn descend(node: &Node, byte: usize, path: &mut Vec<Step>) {
        let holds = |node: &Node| node.place.span.contains(&byte);
        let next = match &node.value {
            // Tables that TOML writes in pieces hold entries outside of their own span, so every entry is looked into.
            Value::Table(table) => table
                .entries
                .iter()
                .find(|entry| entry.key_place.span.contains(&byte) || reaches(&entry.node, byte))
                .map(|entry| (Step::Key(entry.key.clone()), &entry.node)),
            Value::List(items) => items
                .iter()
                .enumerate()
                .find(|(_, item)| holds(item) || reaches(item, byte))
                .map(|(index, item)| (Step::Index(index), item)),
            _ => None,
        };
        if let Some((step, child)) = next {
            path.push(step);
            descend(child, byte, path);
        }
    }
    fn reaches(node: &Node, byte: usize) -> bool {
        node.place.span.contains(&byte)
            || match &node.value {
                Value::Table(table) => table
                    .entries
                    .iter()
                    .any(|entry| entry.key_place.span.contains(&byte) || reaches(&entry.node, byte)),
                Value::List(items) => items.iter().any(|item| reaches(item, byte)),
                _ => false,
            }
    }
    let mut path = Vec::new();
    descend(root, byte, &mut path);
    Path(path)
}

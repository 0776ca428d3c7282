//! Names in the words of messages.

/// `"a"`, `"a" or "b"`, `"a", "b" or "c"`.
#[must_use]
pub fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<_> = names.into_iter().map(|name| format!("\"{name}\"")).collect();
    match quoted.as_slice() {
        [] => "nothing".into(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_choices() {
        assert_eq!(one_of(["a"]), "\"a\"");
        assert_eq!(one_of(["a", "b", "c"]), "\"a\", \"b\" or \"c\"");
        assert_eq!(one_of([]), "nothing");
    }
}

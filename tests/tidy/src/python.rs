//! As much of Python as the rules need: imports, and where functions end. The sources are formatted by ruff.

use crate::rust::Function;
use crate::tree::SourceFile;

/// An import of a module or of a name in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The module, and the name after another dot where there is one: `hopscope.results.run.RunResult`.
    pub target: String,
    /// The line, from 1.
    pub line: usize,
    /// Where it is made.
    pub when: When,
}

/// When an import is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// As the module is loaded, or for a type checker.
    Loaded,
    /// As a function is called.
    Called,
}

/// Marks each line: whether it is inside a string of several lines.
#[must_use]
pub fn inside_strings(text: &str) -> Vec<bool> {
    let mut inside: Option<&str> = None;
    let mut marks = Vec::new();
    for line in text.lines() {
        marks.push(inside.is_some());
        let mut rest = line;
        loop {
            match inside {
                Some(quotes) => match rest.find(quotes) {
                    Some(at) => (inside, rest) = (None, &rest[at + 3..]),
                    None => break,
                },
                None => match [r#"""""#, "'''"].iter().filter_map(|q| Some((rest.find(q)?, *q))).min() {
                    Some((at, quotes)) => (inside, rest) = (Some(quotes), &rest[at + 3..]),
                    None => break,
                },
            }
        }
    }
    marks
}

/// All imports of a file.
#[must_use]
pub fn imports(file: &SourceFile) -> Vec<Import> {
    let strings = inside_strings(&file.text);
    let mut found = Vec::new();
    let mut lines = file.lines().filter(|(number, _)| !strings[number - 1]);
    let mut checking: Option<usize> = None;
    while let Some((line, text)) = lines.next() {
        let indent = text.len() - text.trim_start().len();
        let mut statement = text.trim().to_owned();
        checking = checking.filter(|block| statement.is_empty() || indent > *block);
        if statement == "if TYPE_CHECKING:" {
            checking = Some(indent);
        }
        if !statement.starts_with("from ") && !statement.starts_with("import ") {
            continue;
        }
        while statement.contains('(') && !statement.contains(')') {
            let Some((_, more)) = lines.next() else { break };
            statement.push(' ');
            statement.push_str(more.trim());
        }
        let when = if indent == 0 || checking.is_some() { When::Loaded } else { When::Called };
        found.extend(targets(&statement).into_iter().map(|target| Import { target, line, when }));
    }
    found
}

fn targets(statement: &str) -> Vec<String> {
    let code = statement.split(" #").next().unwrap_or(statement);
    let names = |text: &str| -> Vec<String> {
        let listed = text.trim().trim_start_matches('(').trim_end_matches(')').split(',');
        let first_word = |name: &str| name.split_whitespace().next().map(str::to_owned);
        listed.filter_map(first_word).collect()
    };
    if let Some((module, imported)) = code.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
    {
        return names(imported).into_iter().map(|name| format!("{}.{name}", module.trim())).collect();
    }
    code.strip_prefix("import ").map(names).unwrap_or_default()
}

/// The functions of a file, methods and functions within functions among them.
#[must_use]
pub fn functions(file: &SourceFile) -> Vec<Function<'_>> {
    let strings = inside_strings(&file.text);
    let lines: Vec<&str> = file.text.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate().filter(|(index, _)| !strings[*index]) {
        let code = line.trim_start();
        let Some(rest) = code.strip_prefix("async ").unwrap_or(code).strip_prefix("def ") else { continue };
        let name = rest.split('(').next().unwrap_or(rest);
        let indent = line.len() - code.len();
        let signature = lines[index..].iter().position(|line| line.trim_end().ends_with([':', '.']));
        let mut last = index + signature.unwrap_or(0);
        for (next, other) in lines.iter().enumerate().skip(last + 1) {
            let deeper = other.len() - other.trim_start().len() > indent;
            if !other.trim().is_empty() && !deeper && !strings[next] {
                break;
            }
            if !other.trim().is_empty() {
                last = next;
            }
        }
        found.push(Function { name, first: index + 1, last: last + 1 });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> SourceFile {
        SourceFile { path: "a.py".into(), text: text.into() }
    }

    #[test]
    fn imports_are_found_with_when_they_are_made() {
        let text = "\"\"\"From the\nfrom words import nothing\n\"\"\"\nfrom hopscope import (\n    engine,\n    grid as g,\n)\n\
                    if TYPE_CHECKING:\n    import polars as pl\n\n\ndef f():\n    from hopscope.report import page  # late\n";
        let found = imports(&file(text));
        let seen: Vec<_> = found.iter().map(|i| (i.target.as_str(), i.line, i.when)).collect();
        let expected = [
            ("hopscope.engine", 4, When::Loaded),
            ("hopscope.grid", 4, When::Loaded),
            ("polars", 9, When::Loaded),
            ("hopscope.report.page", 13, When::Called),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn functions_end_before_what_is_less_indented() {
        let text = "def a(\n    x,\n) -> int:\n    \"\"\"One.\n\nTwo.\n    \"\"\"\n    return 1\n\n\nclass B:\n    def c(self):\n        pass\n\nD = 1\n";
        let found: Vec<_> =
            functions(&file(text)).into_iter().map(|f| (f.name.to_owned(), f.first, f.last)).collect();
        assert_eq!(found, [("a".to_owned(), 1, 8), ("c".to_owned(), 12, 13)]);
    }
}

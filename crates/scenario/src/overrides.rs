//! `--set path=value`: a scenario with single values changed, or taken out.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnosis::Diagnosis;
use crate::tree::{DEEPEST, Entry, Node, Origin, Path, Place, SourceText, Step, Table, Value};
use crate::{did_you_mean, shorthand, toml_text};

/// What a path is, in the words of a message.
const PATHS: &str = "names with points between, such as traffic.load or station[0].servers";

/// A value to set or to take out, read but not yet applied.
#[derive(Clone, Debug)]
pub struct Override {
    steps: Vec<(Step, Place)>,
    /// Nothing: the field is taken out.
    value: Option<Node>,
    source: Arc<SourceText>,
}

impl Override {
    /// Reads "path=value". The value is a number as people type it (`50%`, `100k`, `1e5`), a TOML value, else text:
    /// `link.rate=100 Mbit/s` needs no quotes. Nothing behind the `=` takes the field out of the scenario.
    ///
    /// # Errors
    /// A text without "=", or whose left side is no path; a number that does not fit; a range of values.
    pub fn read(text: &str) -> Result<Self, Diagnosis> {
        let source =
            SourceText { label: "--set".to_owned(), text: text.to_owned(), origin: Origin::Override };
        let source = Arc::new(source);
        let place = |span: Range<usize>| Place { source: Arc::clone(&source), span };
        let Some(equals) = text.find('=') else {
            let diagnosis = Diagnosis::new("this override has no \"=\"").at(place(0..text.len()));
            return Err(diagnosis.expected("path=value, such as traffic.load=0.5"));
        };
        let mut steps = Vec::new();
        for (step, span) in read_path(text, equals).map_err(|span| {
            let diagnosis = Diagnosis::new("this is not a path").at(place(span));
            diagnosis.expected(PATHS)
        })? {
            steps.push((step, place(span)));
        }
        let words = text[equals + 1..].trim();
        let start = text.len() - text[equals + 1..].trim_start().len();
        let span = start..start + words.len();
        if let Some(range) = shorthand::range(words) {
            let path = text[..equals].trim();
            let diagnosis = Diagnosis::new(format!("{path}: \"{words}\" is a range")).at(place(span));
            let hint = format!(
                "`hopscope sweep` runs each of its values: --over {path}={}..{}:{}",
                range.first,
                range.last,
                range.step.unwrap_or("STEP")
            );
            return Err(diagnosis.expected("one value").hint(Some(hint)));
        }
        let node = |value| Node { value, place: place(span.clone()) };
        let value = match shorthand::number(words) {
            _ if words.is_empty() => None,
            Some(number) => Some(node(number)),
            None => Some(
                toml_text::parse_value(&source, span.clone())
                    .unwrap_or_else(|| Ok(node(Value::Text(words.to_owned()))))?,
            ),
        };
        Ok(Self { steps, value, source })
    }

    /// Sets the value of a field that is named by a path, as studies write it: `"traffic.load" = 0.5`.
    ///
    /// # Errors
    /// A name that is no path.
    pub fn of(entry: &Entry) -> Result<Self, Diagnosis> {
        let (path, place) = (entry.key.as_str(), &entry.key_place);
        let Ok(steps) = read_path(path, path.len()) else {
            let diagnosis = Diagnosis::new(format!("\"{path}\" is not a path")).at(place.clone());
            return Err(diagnosis.expected(PATHS));
        };
        let steps = steps.into_iter().map(|(step, _)| (step, place.clone())).collect();
        let source = Arc::clone(&entry.node.place.source);
        Ok(Self { steps, value: Some(entry.node.clone()), source })
    }

    /// What was read: "path=value", for an override that a text gave.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// The value that it sets; nothing where it takes a field out.
    #[must_use]
    pub const fn value(&self) -> Option<&Node> {
        self.value.as_ref()
    }

    /// Sets the value in the tree, or takes the field out of it. Sections on the way to a new value that do not exist
    /// come into being; list entries do not.
    ///
    /// # Errors
    /// A path through what has no fields or no entries; a field to take out that is not there.
    ///
    /// # Panics
    /// Never: a step is taken only where it leads on.
    pub fn apply(&self, root: &mut Node) -> Result<(), Diagnosis> {
        let Some(value) = &self.value else { return self.take_out(root) };
        let mut node = root;
        for (nth, (step, place)) in self.steps.iter().enumerate() {
            let so_far = Path(self.steps[..nth].iter().map(|(step, _)| step.clone()).collect());
            if !leads_on(step, node) {
                return Err(no_way(&so_far, step, node, place));
            }
            node = match (step, &mut node.value) {
                (Step::Key(key), Value::Table(table)) => descend(table, key, place),
                (Step::Index(index), Value::List(items)) => {
                    let count = items.len();
                    items.get_mut(*index).ok_or_else(|| beyond(&so_far, *index, count, place))?
                }
                _ => unreachable!("only a section has fields and only a list has entries"),
            };
        }
        *node = value.clone();
        Ok(())
    }

    /// Takes a field out of its section. What is taken out of a list leaves the numbers of the other entries as they
    /// are.
    fn take_out(&self, root: &mut Node) -> Result<(), Diagnosis> {
        let path = Path(self.steps.iter().map(|(step, _)| step.clone()).collect());
        let is_there = root.at(&path).is_some_and(|node| !matches!(node.value, Value::Removed));
        let last = path.0.last().filter(|_| is_there);
        match (last, root.at_mut(&path.parent()).map(|node| &mut node.value)) {
            (Some(Step::Key(key)), Some(Value::Table(table))) => table.remove(key),
            (Some(Step::Index(index)), Some(Value::List(items))) => items[*index].value = Value::Removed,
            (_, section) => {
                let place = Place { source: Arc::clone(&self.source), span: 0..self.source.text.len() };
                let diagnosis = Diagnosis::new(format!("{path}: there is nothing to take out")).at(place);
                let hint = match (path.0.last(), section) {
                    (Some(Step::Key(key)), Some(Value::Table(table))) => {
                        did_you_mean(key, table.entries.iter().map(|entry| entry.key.as_str()))
                    }
                    _ => None,
                };
                return Err(diagnosis.expected("a field that the scenario sets, or path=value").hint(hint));
            }
        }
        Ok(())
    }
}

/// Whether the node is of the kind that such a step can be taken from.
fn leads_on(step: &Step, node: &Node) -> bool {
    matches!((step, &node.value), (Step::Key(_), Value::Table(_)) | (Step::Index(_), Value::List(_)))
}

/// The entry with this key, made where it is missing: as an empty section, which the value or the next step replaces or
/// fills.
fn descend<'t>(table: &'t mut Table, key: &str, place: &Place) -> &'t mut Node {
    let at = table.entries.iter().position(|entry| entry.key == key).unwrap_or_else(|| {
        let node = Node { value: Value::Table(Table::default()), place: place.clone() };
        table.entries.push(Entry { key: key.to_owned(), key_place: place.clone(), node });
        table.entries.len() - 1
    });
    &mut table.entries[at].node
}

/// A section without a field, which a list that the scenario lacks is as well.
fn is_nothing(node: &Node) -> bool {
    matches!(&node.value, Value::Table(table) if table.entries.is_empty())
}

fn beyond(path: &Path, index: usize, count: usize, place: &Place) -> Diagnosis {
    let diagnosis = Diagnosis::new(format!("{path}: there is no entry {index}")).at(place.clone());
    diagnosis.expected(match count {
        0 => "a list with entries: this one is empty".to_owned(),
        1 => "entry 0, the only one".to_owned(),
        _ => format!("an entry from 0 to {}", count - 1),
    })
}

fn no_way(path: &Path, step: &Step, node: &Node, place: &Place) -> Diagnosis {
    let problem = match step {
        Step::Index(index) if is_nothing(node) => {
            let diagnosis = Diagnosis::new(format!("there is no {path}[{index}]")).at(place.clone());
            let hint = format!("to make it, set the whole list: --set '{path}=[{{ ... }}]'");
            return diagnosis.expected("an entry that the scenario has").hint(Some(hint));
        }
        Step::Key(key) => format!("{path}: {} has no field \"{key}\"", node.describe()),
        Step::Index(_) => format!("{path}: {} has no numbered entries", node.describe()),
    };
    let hint = format!("to replace it, set the whole: --set '{path}=...'");
    Diagnosis::new(problem).at(place.clone()).hint(Some(hint))
}

/// The steps of the path before the `=`, each with its span; or the span of what is no path.
fn read_path(text: &str, end: usize) -> Result<Vec<(Step, Range<usize>)>, Range<usize>> {
    let mut steps = Vec::new();
    let mut start = 0;
    for piece in text[..end].split('.') {
        let piece_span = start..start + piece.len();
        start = piece_span.end + 1;
        let (key, indices) = piece.split_at(piece.find('[').unwrap_or(piece.len()));
        let name = key.trim();
        let is_name = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || !name.chars().all(is_name) || steps.len() > DEEPEST {
            return Err(piece_span.start..piece_span.end.max(piece_span.start + 1));
        }
        let name_start = piece_span.start + (key.len() - key.trim_start().len());
        steps.push((Step::Key(name.to_owned()), name_start..name_start + name.len()));
        let mut at = piece_span.start + key.len();
        for index in indices.split_inclusive(']') {
            let span = at..at + index.len();
            at = span.end;
            if index.trim().is_empty() {
                continue;
            }
            let digits = index.strip_prefix('[').and_then(|index| index.strip_suffix(']'));
            let number = digits.and_then(|digits| digits.trim().parse().ok()).ok_or(span.clone())?;
            steps.push((Step::Index(number), span));
        }
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Node {
        let source = SourceText { label: "t.toml".into(), text: text.into(), origin: Origin::Scenario };
        toml_text::parse(&Arc::new(source)).expect("the test's text is TOML")
    }

    /// The tree's leaves as `path = value`, one a line.
    fn leaves(node: &Node) -> String {
        fn walk(path: &str, node: &Node, lines: &mut Vec<String>) {
            match &node.value {
                Value::Table(table) => table.entries.iter().for_each(|entry| {
                    let dot = if path.is_empty() { "" } else { "." };
                    walk(&format!("{path}{dot}{}", entry.key), &entry.node, lines);
                }),
                Value::List(items) => {
                    items
                        .iter()
                        .enumerate()
                        .for_each(|(nth, item)| walk(&format!("{path}[{nth}]"), item, lines));
                }
                _ => lines.push(format!("{path} = {}", node.describe())),
            }
        }
        let mut lines = Vec::new();
        walk("", node, &mut lines);
        lines.join("\n")
    }

    fn after(text: &str, set: &str) -> Result<String, String> {
        let mut root = tree(text);
        let result = Override::read(set).and_then(|over| over.apply(&mut root));
        result.map(|()| leaves(&root)).map_err(|diagnosis| diagnosis.problem)
    }

    #[test]
    fn sets_values_of_every_kind() {
        let text = "seed = 1\n[[station]]\nservers = 2";
        let last = |set| after(text, set).map(|leaves| leaves.lines().last().unwrap_or_default().to_owned());
        assert_eq!(last("station[0].servers=3"), Ok("station[0].servers = the number 3".into()));
        assert_eq!(last(" station[0] . servers = 3 "), Ok("station[0].servers = the number 3".into()));
        assert_eq!(last("link.rate=100 Mbit/s"), Ok("link.rate = the text \"100 Mbit/s\"".into()));
        assert_eq!(last("link.rate=\"100 Mbit/s\""), Ok("link.rate = the text \"100 Mbit/s\"".into()));
        assert_eq!(last("a.b.c={ d = [true, 2.5] }"), Ok("a.b.c.d[1] = the number 2.5".into()));
        assert_eq!(last("title=a = b"), Ok("title = the text \"a = b\"".into()));
        assert_eq!(last("title=\"\""), Ok("title = the text \"\"".into()));
        assert_eq!(last("load=50%"), Ok("load = the number 0.5".into()));
        assert_eq!(last("messages=100k"), Ok("messages = the number 100000".into()));
        assert_eq!(last("messages=1e5"), Ok("messages = the number 100000".into()));
        assert_eq!(last("title=\"50%\""), Ok("title = the text \"50%\"".into()));
    }

    #[test]
    fn takes_out_what_is_set_to_nothing() {
        let text = "seed = 1\n[a]\nb = 2\nc = 3\n[[station]]\nservers = 2\n[[station]]\nservers = 4";
        let without = |set| after(text, set).map(|leaves| leaves.replace('\n', "; "));
        let station = "station[0].servers = the number 2; station[1].servers = the number 4";
        assert_eq!(without("a="), Ok(format!("seed = the number 1; {station}")));
        assert_eq!(without("a.b= "), Ok(format!("seed = the number 1; a.c = the number 3; {station}")));
        let first_out = without("station[0]=").expect("there is one");
        assert!(first_out.ends_with("station[1].servers = the number 4"), "{first_out}");
        for nothing in ["d=", "a.d=", "a.b.c=", "station[2]=", "seed[0]="] {
            let path = nothing.trim_end_matches('=');
            assert_eq!(without(nothing), Err(format!("{path}: there is nothing to take out")));
        }
        let refused = Override::read("statoin=").and_then(|over| over.apply(&mut tree(text))).unwrap_err();
        assert_eq!(refused.hint.as_deref(), Some("did you mean \"station\"?"));
    }

    #[test]
    fn refuses_what_leads_nowhere() {
        let text = "seed = 1\nlist = [1]";
        let problem = |set| after(text, set).unwrap_err();
        assert_eq!(problem("seed"), "this override has no \"=\"");
        assert_eq!(problem("=3"), "this is not a path");
        assert_eq!(problem("a..b=3"), "this is not a path");
        assert_eq!(problem("list[x]=3"), "this is not a path");
        assert_eq!(problem("list[0=3"), "this is not a path");
        assert_eq!(problem("list[1]=3"), "list: there is no entry 1");
        assert_eq!(problem("flow[0].phase=1 s"), "there is no flow[0]");
        assert_eq!(problem("seed.low=3"), "seed: the number 1 has no field \"low\"");
        assert_eq!(
            problem("seed=99999999999999999999"),
            "the number 99999999999999999999 does not fit 64 bits"
        );
        assert_eq!(problem("load=0.1..0.9"), "load: \"0.1..0.9\" is a range");
        assert_eq!(problem("load=0.1:0.9:0.1"), "load: \"0.1:0.9:0.1\" is a range");
        assert_eq!(problem("seed[0]=3"), "seed: the number 1 has no numbered entries");
    }
}

//! TOML text as a tree. Every syntax error of the text is reported, not only the first.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use crate::diagnosis::Diagnosis;
use crate::tree::{DEEPEST, DEPTH, Entry, Node, Place, SourceText, Table, Value};

/// Reads a whole scenario.
pub(crate) fn parse(source: &Arc<SourceText>) -> Result<Node, Vec<Diagnosis>> {
    let (table, errors) = DeTable::parse_recoverable(&source.text);
    let mut reader =
        Reader { source, offset: 0, problems: errors.iter().map(|error| syntax(source, error)).collect() };
    let span = table.span();
    let entries = reader.table(table.get_ref(), 1);
    let node = Node { value: Value::Table(entries), place: reader.place(span.start..span.start) };
    if reader.problems.is_empty() { Ok(node) } else { Err(reader.problems) }
}

/// Reads one value, as it stands on the right of `=`, in this piece of the source. Nothing where it is not TOML.
pub(crate) fn parse_value(source: &Arc<SourceText>, piece: Range<usize>) -> Option<Result<Node, Diagnosis>> {
    let (text, offset) = (&source.text[piece.clone()], piece.start);
    let value = DeValue::parse(text).ok()?;
    let mut reader = Reader { source, offset, problems: Vec::new() };
    let node = reader.value(&value, 1);
    Some(reader.problems.pop().map_or(Ok(node), Err))
}

fn syntax(source: &Arc<SourceText>, error: &toml::de::Error) -> Diagnosis {
    let (message, expected) = match error.message().split_once(", expected ") {
        Some((message, "literal string")) => (message, "text in quotes"),
        Some((message, expected)) => (message, expected),
        None => (error.message(), ""),
    };
    let place = |span| Place { source: Arc::clone(source), span };
    match error.span() {
        Some(span) => {
            Diagnosis::new(format!("this is not TOML: {message}")).at(place(span)).expected(expected)
        }
        // The parser gives no place where a name has more parts than it follows: the line with the most points is the
        // one.
        None => Diagnosis::new("names are chained too deeply")
            .at(place(most_points(&source.text)))
            .expected(DEPTH),
    }
}

fn most_points(text: &str) -> Range<usize> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        start += line.len();
        (line.matches('.').count(), start - line.len()..start)
    });
    lines.max_by_key(|(points, span)| (*points, std::cmp::Reverse(span.start))).map_or(0..0, |(_, span)| span)
}

struct Reader<'a> {
    source: &'a Arc<SourceText>,
    /// Where in the source the text that is read begins: spans count from there.
    offset: usize,
    problems: Vec<Diagnosis>,
}

impl Reader<'_> {
    fn place(&self, span: Range<usize>) -> Place {
        let span = span.start + self.offset..span.end + self.offset;
        Place { source: Arc::clone(self.source), span }
    }

    fn refuse(&mut self, span: Range<usize>, problem: String, expected: &str) {
        let diagnosis = Diagnosis::new(problem).at(self.place(span));
        self.problems.push(diagnosis.expected(expected));
    }

    fn table(&mut self, table: &DeTable<'_>, depth: usize) -> Table {
        let mut entries: Vec<Entry> = Vec::with_capacity(table.len());
        for (key, value) in table {
            let key_place = self.place(key.span());
            let node = self.value(value, depth + 1);
            entries.push(Entry { key: key.get_ref().to_string(), key_place, node });
        }
        entries.sort_by_key(|entry| entry.key_place.span.start);
        Table { entries }
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>, depth: usize) -> Node {
        let place = self.place(value.span());
        if depth > DEEPEST {
            self.refuse(value.span(), "sections are nested too deeply".into(), DEPTH);
            return Node { value: Value::Bool(false), place };
        }
        let value = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(number) => self.integer(number, value.span()),
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(number) => Value::Float(number),
                Err(_) => Value::Float(f64::NAN),
            },
            DeValue::Boolean(truth) => Value::Bool(*truth),
            DeValue::Datetime(date) => Value::Date(date.to_string()),
            DeValue::Array(items) => {
                Value::List(items.iter().map(|item| self.value(item, depth + 1)).collect())
            }
            DeValue::Table(table) => Value::Table(self.table(table, depth)),
        };
        Node { value, place }
    }

    fn integer(&mut self, number: &DeInteger<'_>, span: Range<usize>) -> Value {
        if let Ok(number) = i64::from_str_radix(number.as_str(), number.radix()) {
            return Value::Integer(number);
        }
        self.refuse(span, format!("the number {} does not fit 64 bits", number.as_str()), "a smaller number");
        Value::Integer(0)
    }
}

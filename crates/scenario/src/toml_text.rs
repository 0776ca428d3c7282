//! TOML text as a tree. Every syntax error of the text is reported, not only the first.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use crate::brackets;
use crate::diagnosis::Diagnosis;
use crate::tree::{DEEPEST, DEPTH, Entry, Node, Place, SourceText, Table, Value};
use crate::worked_out::{Meant, TEXT};

/// Reads a whole scenario.
pub(crate) fn parse(source: &Arc<SourceText>) -> Result<Node, Vec<Diagnosis>> {
    let (table, errors) = DeTable::parse_recoverable(&source.text);
    let mut reader = Reader { source, offset: 0, problems: syntax_errors(source, &errors) };
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

/// What the parser says of a key that its table has already.
const DUPLICATE: &str = "duplicate key";

/// What the parser found wrong. After an unclosed bracket it misreads every line, so only the bracket is reported.
fn syntax_errors(source: &Arc<SourceText>, errors: &[toml::de::Error]) -> Vec<Diagnosis> {
    let unclosed = if errors.is_empty() { None } else { brackets::unclosed(&source.text) };
    let Some(unclosed) = unclosed else { return errors.iter().map(|error| syntax(source, error)).collect() };
    let is_before = |error: &&toml::de::Error| error.span().is_some_and(|span| span.start < unclosed.from);
    let mut told: Vec<Diagnosis> =
        errors.iter().filter(is_before).map(|error| syntax(source, error)).collect();
    let place = Place { source: Arc::clone(source), span: unclosed.span() };
    let bracket = Diagnosis::new("this is not TOML: the bracket is not closed").at(place);
    told.push(bracket.expected(format!("`{}`", unclosed.closed_by())).hint(Some(unclosed.hint())));
    told
}

/// What the parser expects where a value is none of TOML's: it takes each for a text without quotes.
const ANY_TEXT: &str = "literal string";

fn syntax(source: &Arc<SourceText>, error: &toml::de::Error) -> Diagnosis {
    let (message, expected) = error.message().split_once(", expected ").unwrap_or((error.message(), ""));
    let place = |span| Place { source: Arc::clone(source), span };
    match error.span() {
        Some(span) if message == DUPLICATE => {
            let first = first_one(&source.text, &span);
            let hint = first.unwrap_or_else(|| "a key stands once in its section".to_owned());
            let diagnosis = Diagnosis::new(format!("this is not TOML: {message}")).at(place(span));
            diagnosis.expected(expected).hint(Some(hint))
        }
        Some(span) => {
            let value = value_around(&source.text, span.start);
            let meant = value.and_then(|(field, value)| Some((field, value, Meant::by(value)?)));
            let hint = meant.as_ref().and_then(|(field, _, meant)| meant.hint(field));
            let (problem, expected) = match &meant {
                Some((_, value, meant @ (Meant::Number(_) | Meant::NumberOrText)))
                    if expected == ANY_TEXT =>
                {
                    (format!("{value} is no number of TOML"), meant.expected())
                }
                _ if expected == ANY_TEXT => (format!("this is not TOML: {message}"), TEXT),
                _ => (format!("this is not TOML: {message}"), expected),
            };
            Diagnosis::new(problem).at(place(span)).expected(expected).hint(hint)
        }
        // The parser gives no place where a name has more parts than it follows: the line with the most points is the
        // one.
        None => Diagnosis::new("names are chained too deeply")
            .at(place(most_points(&source.text)))
            .expected(DEPTH),
    }
}

/// The field of a line of `field = value` in which this byte stands behind the `=`, and the whole value as it is
/// written.
fn value_around(text: &str, at: usize) -> Option<(&str, &str)> {
    let start = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let equals = start + text[start..at].rfind('=')?;
    let field = text[start..equals].trim().rsplit([' ', '{', ',']).next()?;
    let rest = text[equals + 1..].lines().next()?;
    let value = rest.split(['#', '}', ']']).next()?.trim().trim_end_matches(',');
    Some((field, value))
}

/// Where the first of two equal keys stands, in words; the second has this span.
///
/// The parser reports only the second. Under another name of its length it is one of the table that has the first.
fn first_one(text: &str, second: &Range<usize>) -> Option<String> {
    let name = text.get(second.clone())?;
    let first = ('a'..='z').find_map(|letter| {
        let other = letter.to_string().repeat(second.len());
        let renamed = [&text[..second.start], &other, &text[second.end..]].concat();
        let (root, _) = DeTable::parse_recoverable(&renamed);
        let key = name.trim_matches(['"', '\'']);
        table_with(root.get_ref(), second)?.keys().find(|known| known.get_ref() == key).map(Spanned::span)
    })?;
    let line = text[..first.start].matches('\n').count() + 1;
    Some(format!("{name} stands in line {line} already: keep one of the two"))
}

/// The table that has a key with this span.
fn table_with<'a, 'b>(table: &'a DeTable<'b>, span: &Range<usize>) -> Option<&'a DeTable<'b>> {
    if table.keys().any(|key| key.span() == *span) {
        return Some(table);
    }
    table.iter().find_map(|(_, value)| table_within(value.get_ref(), span))
}

fn table_within<'a, 'b>(value: &'a DeValue<'b>, span: &Range<usize>) -> Option<&'a DeTable<'b>> {
    match value {
        DeValue::Table(table) => table_with(table, span),
        DeValue::Array(items) => items.iter().find_map(|item| table_within(item.get_ref(), span)),
        _ => None,
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
        let digits = number.as_str().trim_start_matches(['-', '+']);
        if digits.chars().all(|digit| digit.is_digit(number.radix())) {
            self.refuse(
                span,
                format!("the number {} does not fit 64 bits", number.as_str()),
                "a smaller number",
            );
        } else {
            self.refuse(span, format!("{} is no number", number.as_str()), "a whole number");
        }
        Value::Integer(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Origin;

    /// Line and hint of each refusal of a text.
    fn hints(text: &str) -> Vec<(usize, String)> {
        let source = SourceText { label: "s.toml".into(), text: text.into(), origin: Origin::Scenario };
        let refused = parse(&Arc::new(source)).expect_err("the text is no TOML");
        let line = |diagnosis: &Diagnosis| diagnosis.place.as_ref().expect("a place").line_and_column().0;
        refused.iter().map(|found| (line(found), found.hint.clone().unwrap_or_default())).collect()
    }

    #[test]
    fn a_value_that_people_type_is_worked_out() {
        let told = |value: &str| hints(&format!("load = {value}\n")).remove(0).1;
        assert_eq!(told("50,000"), "write load = 50_000");
        assert_eq!(told("1,000,000 # many"), "write load = 1_000_000");
        assert_eq!(told("0,1"), "write load = 0.1");
        assert_eq!(told("10 %"), "write load = 0.1");
        assert_eq!(told("12.5%"), "write load = 0.125");
        assert_eq!(told(".6"), "write load = 0.6");
        assert_eq!(told("-.6"), "write load = -0.6");
        assert_eq!(told("100 Mbit/s"), "put it in quotes: load = \"100 Mbit/s\"");
        assert_eq!(told("0.5 0.6"), "");
        assert_eq!(told("1,2,3"), "");
        assert_eq!(hints("s = { a = 1, load = 0,3 }\n")[0].1, "write load = 0.3");
    }

    #[test]
    fn what_is_expected_and_what_to_write_agree() {
        let told = |value: &str| {
            let text = format!("load = {value}\n");
            let source = SourceText { label: "s.toml".into(), text, origin: Origin::Scenario };
            let found = parse(&Arc::new(source)).expect_err("the text is no TOML").remove(0);
            format!("{}; {}", found.problem, found.expected.unwrap_or_default())
        };
        assert_eq!(told("100%"), "100% is no number of TOML; a number");
        assert_eq!(told("12abc"), "12abc is no number of TOML; a number, or text in quotes");
        assert_eq!(told("-3x"), "-3x is no number of TOML; a number, or text in quotes");
        assert_eq!(told("5 us"), "this is not TOML: string values must be quoted; text in quotes");
        assert_eq!(told("half"), "this is not TOML: string values must be quoted; text in quotes");
        assert_eq!(told("1_0é00"), "10é00 is no number; a whole number");
        assert_eq!(
            told(&"9".repeat(30)),
            format!("the number {} does not fit 64 bits; a smaller number", "9".repeat(30))
        );
    }

    #[test]
    fn behind_an_open_bracket_nothing_else_is_told() {
        let places = |text: &str| hints(text).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        assert_eq!(places("a = half\nb = [1, 2\nc = half\nd = [3]\n[e]\nf = half\n"), [1, 2]);
        let deep = format!("x = {}\ny = 1\n", "[".repeat(700));
        assert_eq!(hints(&deep), [(1, "700 brackets are open where the value ends".to_owned())]);
        let hint = hints("a = { b = [1, 2\n\n[c]\n").remove(0).1;
        assert_eq!(hint, "where the value ends, `] }` is missing");
    }

    #[test]
    fn the_second_of_two_equal_keys_tells_where_the_first_stands() {
        let told = |text: &str| {
            let (line, hint) = hints(text).remove(0);
            format!("{line}: {}", hint.split(" already").next().unwrap_or_default())
        };
        assert_eq!(told("a = 1\nb = 2\na = 3\n"), "3: a stands in line 1");
        assert_eq!(told("[s]\na = 1\n[t]\na = 1\n\"a\" = 2\n"), "5: \"a\" stands in line 4");
        assert_eq!(told("[s]\na = 1\n[t]\n[s]\n"), "4: s stands in line 1");
        assert_eq!(told("x.a = 1\nx.b = 1\nx.a = 2\n"), "3: a stands in line 1");
        assert_eq!(told("[[s]]\na = 1\n[[s]]\na = 1\na = 2\n"), "5: a stands in line 4");
        assert_eq!(told("s = [{ \"é\" = 1, \"é\" = 2 }]\n"), "1: \"é\" stands in line 1");
        assert_eq!(told("[s]\na = 1\n[s.t]\nb = 1\n[s.t]\n"), "5: t stands in line 3");
    }
}

//! From the tree to a typed value, with everything that is wrong on the way.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::deserialise::NodeReader;
use crate::diagnosis::Diagnosis;
use crate::header::Header;
use crate::refusal::{Kind, Refusal};
use crate::schema;
use crate::shorthand;
use crate::tree::{Node, Path, Step, Value};
use crate::worked_out;
use crate::{did_you_mean, one_of};

/// The most mistakes of a scenario that are reported.
const MOST_REPAIRS: usize = 50;

/// How what is expected begins where a field takes whole numbers.
pub(crate) const WHOLE_NUMBER: &str = "a whole number";

/// What is expected where a field takes any number.
const NUMBER: &str = "a number";

/// How what is expected begins where a field takes a load.
const LOAD: &str = "a load";

/// A name that more sections have than this is no hint.
const MOST_OFFERED: usize = 3;

/// Reads a value, or finds as many mistakes as can be found at once: what is refused is reported and taken out of the
/// tree, and the rest is read again. `beside` are names that are known at the root, though not to this value.
///
/// # Errors
/// Every mistake that was found, in the order in which reading met them.
pub fn read<T: DeserializeOwned + JsonSchema>(node: &Node, beside: &[&str]) -> Result<T, Vec<Diagnosis>> {
    read_all(node, beside, &Path::default())
}

/// Reads a value as [`read`] does that stands at this path of a scenario: messages give the whole path.
///
/// # Errors
/// Those of [`read`].
pub fn read_below<T: DeserializeOwned + JsonSchema>(node: &Node, at: &Path) -> Result<T, Vec<Diagnosis>> {
    read_all(node, &[], at)
}

fn read_all<T: DeserializeOwned + JsonSchema>(
    node: &Node,
    beside: &[&str],
    at: &Path,
) -> Result<T, Vec<Diagnosis>> {
    let mut node = Cow::Borrowed(node);
    let mut diagnoses = Vec::new();
    let mut removed: Vec<Path> = Vec::new();
    for _ in 0..MOST_REPAIRS {
        let refusal = match read_once::<T>(&mut node) {
            Ok(value) if diagnoses.is_empty() => return Ok(value),
            Ok(_) => break,
            Err(refusal) => refusal,
        };
        let culprit = culprit(&refusal);
        let section = refusal.path();
        // What a repair took away is no mistake of the reader's: then the section around it goes too.
        let ours = removed.iter().any(|path| path.0.starts_with(&culprit.0));
        let removable = match refusal.kind {
            Kind::Deciding => culprit.parent(),
            Kind::MissingField(_) => section,
            _ if ours => section,
            _ => culprit,
        };
        let meant = lacking::<T>(&refusal, &node, &removed);
        if !ours {
            let known = with_the_form(explained::<T>(known_beside(refusal, beside)), &node);
            let told = match &meant {
                Some(field) => known.hint(format!("did you mean \"{field}\"?")),
                None => elsewhere::<T>(known, beside, &node),
            };
            diagnoses.push(told.within(at).into_diagnosis());
        }
        if let Some(field) = meant.filter(|_| !ours) {
            let Some(renamed) = rename(node.to_mut(), &removable, field) else { break };
            removed.push(renamed);
            continue;
        }
        let Some(gone) = remove(node.to_mut(), &removable) else { break };
        removed.push(gone);
    }
    Err(diagnoses)
}

/// Reads a value, or says what is wrong first. Overrides may give numbers in quotes.
#[allow(clippy::result_large_err, reason = "a scenario is refused a few times at most")]
fn read_once<T: DeserializeOwned>(node: &mut Cow<'_, Node>) -> Result<T, Refusal> {
    loop {
        let refusal = match T::deserialize(NodeReader(node)) {
            Ok(value) => return Ok(value),
            Err(refusal) => refusal,
        };
        let Some(number) = overriding_number(&refusal, node) else { return Err(refusal) };
        let way = refusal.path().0;
        let Some(text) = node_at(node.to_mut(), &way) else { return Err(refusal) };
        text.value = number;
    }
}

/// The number that an override gave as a text in quotes, as it may give it without: `"50%"`. Programs quote every text.
fn overriding_number(refusal: &Refusal, root: &Node) -> Option<Value> {
    let node = root.at(&refusal.path())?;
    match (&refusal.kind, &node.value) {
        (Kind::Value, Value::Text(text)) if takes_number(refusal) && node.place.source.is_override() => {
            shorthand::number(text.trim())
        }
        _ => None,
    }
}

/// Whether what was refused stands where a number is expected.
fn takes_number(refusal: &Refusal) -> bool {
    let expected = refusal.expected.as_str();
    expected == NUMBER || [WHOLE_NUMBER, LOAD].iter().any(|number| expected.starts_with(number))
}

/// The path of what is wrong: a field where the refusal names one of a section.
fn culprit(refusal: &Refusal) -> Path {
    let mut path = refusal.path();
    match &refusal.kind {
        Kind::Value | Kind::Deciding | Kind::AddedChoice(_) => {}
        Kind::UnknownField(name, _) | Kind::MissingField(name) => path.0.push(Step::Key(name.clone())),
    }
    path
}

/// At the root, a name may have been meant that this value does not know.
fn known_beside(mut refusal: Refusal, beside: &[&str]) -> Refusal {
    if let Kind::UnknownField(name, fields) = &refusal.kind
        && refusal.path().0.is_empty()
    {
        let known = || beside.iter().chain(*fields).copied();
        let (expected, hint) = (one_of(known()), did_you_mean(name, known()));
        (refusal.expected, refusal.hint) = (expected, hint);
    }
    refusal
}

/// An unknown name at the root, or one like no other, may be that of a field in some section: in one that the scenario
/// has, if there are any.
fn elsewhere<T: JsonSchema>(refusal: Refusal, beside: &[&str], root: &Node) -> Refusal {
    let Kind::UnknownField(name, _) = &refusal.kind else { return refusal };
    if refusal.hint.is_some() && !refusal.path().0.is_empty() {
        return refusal;
    }
    let mut paths = schema::paths_of::<T>(name);
    if !beside.is_empty() {
        paths.extend(schema::paths_of::<Header>(name));
    }
    paths.retain(|path| path.contains('.'));
    let is_there = |path: &String| {
        path.split_once('.').is_some_and(|(section, _)| root.at(&Path::of(section)).is_some())
    };
    if paths.iter().any(is_there) {
        paths.retain(is_there);
    }
    if paths.is_empty() || paths.len() > MOST_OFFERED {
        return refusal;
    }
    refusal.hint(format!("did you mean {}?", one_of(paths.iter().map(String::as_str))))
}

/// What a missing field is for is what was expected; of a whole number, what its field takes of those that there are.
fn explained<T: JsonSchema>(refusal: Refusal) -> Refusal {
    match refusal.kind {
        Kind::MissingField(_) => {
            let meaning = schema::meaning::<T>(&culprit(&refusal)).unwrap_or_default();
            Refusal { expected: meaning, ..refusal }
        }
        Kind::Value if refusal.expected.starts_with(WHOLE_NUMBER) => {
            let expected = match schema::limits::<T>(&refusal.path()) {
                (least, Some(most)) => format!("{WHOLE_NUMBER} from {} to {most}", least.unwrap_or(0)),
                (Some(least), None) => format!("{WHOLE_NUMBER}, {least} or more"),
                (None, None) => refusal.expected,
            };
            Refusal { expected, ..refusal }
        }
        _ => refusal,
    }
}

/// The right form as a hint, where a number or its unit is not written as the field takes it.
fn with_the_form(refusal: Refusal, root: &Node) -> Refusal {
    let culprit = culprit(&refusal);
    let (Some(Step::Key(field)), Some(node)) = (culprit.0.last(), root.at(&culprit)) else { return refusal };
    let is_number = takes_number(&refusal);
    let hint = match (&refusal.kind, &node.value) {
        (Kind::Value, Value::Text(text)) if is_number => worked_out::number_instead(field, text),
        (Kind::UnknownField(_, known), value) => worked_out::quantity_instead(field, known, value),
        _ => None,
    };
    Refusal { hint: hint.or(refusal.hint), ..refusal }
}

/// The one field that a section must have and lacks, where a name that it has is like no name that it knows: then that
/// field was meant.
fn lacking<T: JsonSchema>(refusal: &Refusal, root: &Node, removed: &[Path]) -> Option<String> {
    let Kind::UnknownField(..) = &refusal.kind else { return None };
    let section = refusal.path();
    let Value::Table(table) = &root.at(&section)?.value else { return None };
    if refusal.hint.is_some() || section.0.is_empty() {
        return None;
    }
    let mut lacks = schema::required::<T>(&section);
    let was_there = |name: &String| {
        removed.iter().any(|path| {
            path.parent().0 == section.0 && matches!(path.0.last(), Some(Step::Key(key)) if key == name)
        })
    };
    lacks.retain(|name| table.get(name).is_none() && !was_there(name));
    if lacks.len() == 1 { lacks.pop() } else { None }
}

/// Calls the field at this path as it was meant. Says what it is called now.
fn rename(root: &mut Node, path: &Path, meant: String) -> Option<Path> {
    let (Step::Key(name), way) = path.0.split_last()? else { return None };
    let Value::Table(table) = &mut node_at(root, way)?.value else { return None };
    table.get_mut(name)?.key.clone_from(&meant);
    Some(Path(way.iter().cloned().chain([Step::Key(meant)]).collect()))
}

/// Takes out the value at this path; the place of an entry of a list is kept, so that the numbers of the others do not
/// shift. Says what is gone, or nothing where nothing can go.
fn remove(root: &mut Node, path: &Path) -> Option<Path> {
    let (last, way) = path.0.split_last()?;
    match (last, &mut node_at(root, way)?.value) {
        (Step::Key(key), Value::Table(table)) => table.remove(key),
        (Step::Index(index), Value::List(items)) => items.get_mut(*index)?.value = Value::Removed,
        _ => return None,
    }
    Some(path.clone())
}

/// The value to which these steps lead.
fn node_at<'a>(root: &'a mut Node, way: &[Step]) -> Option<&'a mut Node> {
    way.iter().try_fold(root, |node, step| match (step, &mut node.value) {
        (Step::Key(key), Value::Table(table)) => Some(&mut table.get_mut(key)?.node),
        (Step::Index(index), Value::List(items)) => items.get_mut(*index),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::num::NonZeroU32;
    use std::sync::Arc;

    use hopscope_units::Rate;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    use crate::diagnosis::ScenarioError;
    use crate::toml_text;
    use crate::tree::{Origin, SourceText};
    use crate::*;

    /// A scenario with a field of every kind that models use.
    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    struct Everything {
        name: String,
        load: f64,
        count: u32,
        servers: Option<NonZeroU32>,
        on: bool,
        rule: Rule,
        shape: Shape,
        hosts: Vec<Host>,
        matrix: Vec<Vec<f64>>,
        pair: (u8, u8),
        byname: BTreeMap<String, u8>,
    }

    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    enum Rule {
        #[default]
        UpDown,
        Shortest,
    }

    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    enum Shape {
        Fixed(Rate),
        Torus(Host),
    }

    impl Default for Shape {
        fn default() -> Self {
            Self::Torus(Host::default())
        }
    }

    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Host {
        rate: Option<Rate>,
        /// Where the cable goes. It is a number.
        port: u8,
    }

    fn node(text: &str) -> Node {
        let source = SourceText { label: "s.toml".into(), text: text.into(), origin: Origin::Scenario };
        toml_text::parse(&Arc::new(source)).expect("the test's text is TOML")
    }

    /// Each refusal as "line:column problem; expected; hint".
    fn refusals(text: &str) -> String {
        let diagnoses = read::<Everything>(&node(text), &["title"]).expect_err("the text is wrong");
        let line = |diagnosis: &Diagnosis| {
            let (line, column) = diagnosis.place.as_ref().expect("a place").line_and_column();
            let rest = [diagnosis.expected.as_deref(), diagnosis.hint.as_deref()];
            let rest = rest.into_iter().flatten().map(|text| format!("; {text}")).collect::<String>();
            format!("{line}:{column} {}{rest}", diagnosis.problem)
        };
        ScenarioError::new(diagnoses).diagnoses.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// An outage, which must have a beginning and a length.
    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Outage {
        from: u8,
        length: u8,
        #[serde(default)]
        #[schemars(range(min = 1, max = 4))]
        lines: u32,
    }

    #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    struct Outages {
        outage: Vec<Outage>,
        to: u8,
    }

    /// Each refusal as "problem; expected; hint".
    fn of_outages(text: &str) -> Vec<String> {
        let told = |found: &Diagnosis| {
            let hint = found.hint.as_ref().map_or(String::new(), |hint| format!("; {hint}"));
            format!("{}; {}{hint}", found.problem, found.expected.as_deref().unwrap_or_default())
        };
        read::<Outages>(&node(text), &[]).expect_err("the text is wrong").iter().map(told).collect()
    }

    #[test]
    fn a_name_like_no_other_meant_the_one_field_that_is_missing() {
        let unknown = |name| {
            let names = "\"from\", \"length\" or \"lines\"";
            format!("outage[0]: there is no field \"{name}\"; {names}")
        };
        let meant = format!("{}; did you mean \"length\"?", unknown("to"));
        assert_eq!(of_outages("outage = [{ from = 1, to = 3 }]"), [meant.as_str()]);
        // What was meant is a guess: mistakes of the value under the other name are not reported.
        assert_eq!(of_outages("outage = [{ from = 1, to = \"x\" }]"), [meant.as_str()]);
        let beside = of_outages("outage = [{ from = -1, to = 3 }]");
        assert_eq!(
            beside,
            ["outage[0].from: -1 is negative; a whole number that is not negative", meant.as_str()]
        );
        assert_eq!(of_outages("outage = [{ from = 1, length = 2, xxxxx = 3 }]"), [unknown("xxxxx")]);
    }

    #[test]
    fn a_whole_number_is_expected_in_the_range_of_its_field() {
        let expected =
            |value: &str| of_outages(&format!("outage = [{{ from = 1, length = 2, lines = {value} }}]"));
        assert_eq!(expected("-1"), ["outage[0].lines: -1 is negative; a whole number from 1 to 4"]);
        assert_eq!(
            expected("\"x\""),
            ["outage[0].lines: the text \"x\" does not fit here; a whole number from 1 to 4"]
        );
        // What a type of Rust holds is no range of a field: the model might refuse its ends.
        let far = "outage[0].lines: 4294967296 is out of range; a whole number from 1 to 4";
        assert_eq!(expected("4294967296"), [far]);
        let from = |value: &str| of_outages(&format!("outage = [{{ from = {value}, length = 2 }}]"));
        assert_eq!(from("256"), ["outage[0].from: 256 is out of range; a whole number that is not so large"]);
        assert_eq!(from("\"x\""), ["outage[0].from: the text \"x\" does not fit here; a whole number"]);
    }

    #[test]
    fn offers_the_section_of_a_field() {
        let header = ["title", "model", "seed", "measure"];
        let hint = |text: &str| {
            let diagnoses = read::<Everything>(&node(text), &header).expect_err("the text is wrong");
            diagnoses[0].hint.clone()
        };
        assert_eq!(hint("messages = 1").as_deref(), Some("did you mean \"measure.messages\"?"));
        assert_eq!(hint("port = 1").as_deref(), Some("did you mean \"shape.torus.port\"?"));
        assert_eq!(hint("zzz = 1"), None);
    }

    #[test]
    fn reads_every_kind() {
        let text = "name = \"x\"\nload = 1\ncount = 0x10\nservers = 2\non = true\nrule = \"shortest\"\n\
            shape = { fixed = \"1 Mbit/s\" }\nhosts = [{ rate = \"2 bit/s\", port = 3 }]\nmatrix = [[1, 2.5]]\npair = [1, 2]\n\
            byname = { a = 1 }";
        let everything = read::<Everything>(&node(text), &[]).expect("nothing is wrong");
        insta::assert_snapshot!(serde_json::to_string(&everything).expect("plain data"), @r#"{"name":"x","load":1.0,"count":16,"servers":2,"on":true,"rule":"shortest","shape":{"fixed":"1 Mbit/s"},"hosts":[{"rate":"2 bit/s","port":3}],"matrix":[[1.0,2.5]],"pair":[1,2],"byname":{"a":1}}"#);
    }

    #[test]
    fn says_what_is_wrong_with_every_kind() {
        insta::assert_snapshot!(refusals(
            "name = 3\nload = \"high\"\ncount = -1\nservers = 0\non = \"yes\"\nrule = \"updown\"\nshape = { fixd = 1 }\n\
             hosts = [{ port = 300 }]\nmatrix = [[1, \"a\"]]\npair = [1]\nbyname = [1]"
        ), @r#"
        1:8 name: the number 3 does not fit here; text in quotes
        2:8 load: the text "high" does not fit here; a number
        3:9 count: -1 is negative; a whole number that is not negative
        4:11 servers: the number 0 is out of range; a whole number, 1 or more
        5:6 on: the text "yes" does not fit here; true or false
        6:8 rule: "updown" is not one of the choices; "up-down" or "shortest"; did you mean "up-down"?
        7:11 shape: "fixd" is not one of the choices; "fixed" or "torus"; did you mean "fixed"?
        8:19 hosts[0].port: 300 is out of range; a whole number that is not so large
        9:15 matrix[0][1]: the text "a" does not fit here; a number
        10:8 pair: the list has length 1; a list of length 2
        11:10 byname: a list does not fit here; a section
        "#);
        insta::assert_snapshot!(refusals(
            "name = 1979-05-27\nload = nan\ncount = 4294967296\nservers = 1e3\non = 1\nrule = { shortest = 1 }\n\
             shape = { fixed = 3 }\nhosts = { port = 3 }\nmatrix = [1]\npair = 3\nbyname = { a = 256 }"
        ), @r#"
        1:8 name: the date 1979-05-27 does not fit here; text in quotes
        2:8 load: NaN is not a finite number; a number
        3:9 count: 4294967296 is out of range; a whole number that is not so large
        4:11 servers: 1000.0 is not written as a whole number; a whole number, 1 or more; write 1000
        5:6 on: the number 1 does not fit here; true or false
        6:21 rule: "shortest" has no parameters; just "shortest"
        7:19 shape.fixed: the number 3 does not fit here; a rate with its unit in quotes, such as "100 Mbit/s"
        8:9 hosts: a section does not fit here; a list; a section that may be repeated is headed in double brackets: [[...]]
        9:11 matrix[0]: the number 1 does not fit here; a list, in [ ]
        10:8 pair: the number 3 does not fit here; a list of length 2, in [ ]
        11:16 byname.a: 256 is out of range; a whole number that is not so large
        "#);
        insta::assert_snapshot!(refusals(
            "load = [1]\ncount = 2.5\nservers = {}\nrule = 3\nshape = \"torus\"\nhosts = [{}]\ntitel = 3\nlod = 4"
        ), @r#"
        1:8 load: a list does not fit here; a number
        2:9 count: 2.5 is not a whole number; a whole number
        3:11 servers: a section does not fit here; a whole number, 1 or more
        4:8 rule: the number 3 does not fit here; "up-down" or "shortest"
        5:9 shape: "torus" needs parameters of its own; { torus = ... }
        6:10 hosts[0]: the field "port" is missing; port: where the cable goes
        7:1 there is no field "titel"; "title", "name", "load", "count", "servers", "on", "rule", "shape", "hosts", "matrix", "pair" or "byname"; did you mean "title"?
        8:1 there is no field "lod"; "title", "name", "load", "count", "servers", "on", "rule", "shape", "hosts", "matrix", "pair" or "byname"; did you mean "load"?
        "#);
    }

    #[test]
    fn an_override_gives_a_number_in_quotes_as_without() {
        let with = |set: &str| {
            let mut root = node("load = 1.5\ncount = 1\nname = \"x\"");
            Override::read(set).expect("an override").apply(&mut root).expect("its field is there");
            read::<Everything>(&root, &[]).map(|read| (read.load, read.count, read.name))
        };
        for set in ["load=50%", "load=\"50%\""] {
            assert_eq!(with(set).expect(set), (0.5, 1, "x".to_owned()));
        }
        for set in ["count=100k", "count=\"100k\""] {
            assert_eq!(with(set).expect(set), (1.5, 100_000, "x".to_owned()));
        }
        assert_eq!(with("name=\"50%\"").expect("a name"), (1.5, 1, "50%".to_owned()));
        assert!(
            with("load=\"half\"").is_err()
                && with("count=\"-1k\"").is_err()
                && with("count=\"50%\"").is_err()
        );
        // A file is TOML alone.
        assert!(refusals("load = \"50%\"").contains("write load = 0.5"));
    }

    #[test]
    fn an_override_gives_a_quantity_without_quotes() {
        let rate = |set: &str| {
            let mut root = node("shape = { fixed = \"1 Gbit/s\" }");
            Override::read(set).expect("an override").apply(&mut root).expect("its field is there");
            let read = read::<Everything>(&root, &[]);
            read.map(|read| match read.shape {
                Shape::Fixed(rate) => rate.to_string(),
                Shape::Torus(_) => String::new(),
            })
        };
        // `100M` is a number where a field takes one, and a rate here.
        for set in
            ["shape.fixed=100M", "shape.fixed=100 Mbit/s", "shape.fixed=\"100Mbps\"", "shape.fixed=.1G"]
        {
            assert_eq!(rate(set).expect(set), "100 Mbit/s", "{set}");
        }
        let refused = rate("shape.fixed=100").expect_err("it has no unit");
        assert_eq!(refused[0].expected.as_deref(), Some("a rate with its unit, such as \"100 Mbit/s\""));
    }

    #[test]
    fn one_choice_is_one() {
        insta::assert_snapshot!(refusals("[shape.torus]\nport = 1\n[shape.fixed]"), @r#"3:8 shape: "torus" and "fixed" are given together; exactly one of "fixed" or "torus""#);
        insta::assert_snapshot!(refusals("[shape.torus]\nport = 1\n[shape.fxied]"), @r#"3:8 shape: "fxied" is not one of the choices; "fixed" or "torus"; did you mean "fixed"?"#);
        insta::assert_snapshot!(refusals("[shape]"), @r#"1:1 shape: the section is empty; exactly one of "fixed" or "torus""#);
        insta::assert_snapshot!(refusals("[shape.fixed]"), @r#"1:1 shape.fixed: a section does not fit here; a rate with its unit in quotes, such as "100 Mbit/s""#);
    }

    #[test]
    fn a_repair_makes_no_mistakes_of_its_own() {
        // Without its wrong rate, "fixed" is an empty section; without that, the shape is missing. Neither is the
        // reader's mistake.
        insta::assert_snapshot!(refusals("shape = { fixed = \"1 parsec\" }\ncount = -1"), @r#"
        1:19 shape.fixed: "parsec" is not one of the units Gbit/s, Mbit/s, kbit/s, bit/s, Tbit/s; a rate such as "100 Mbit/s" or "50 kbit/s"
        2:9 count: -1 is negative; a whole number that is not negative
        "#);
        insta::assert_snapshot!(refusals("hosts = [{ port = 1 }, { port = -1 }, { rate = \"1\", port = 2 }]"), @r#"
        1:33 hosts[1].port: -1 is negative; a whole number that is not negative
        1:48 hosts[2].rate: "1" has no unit (one of Gbit/s, Mbit/s, kbit/s, bit/s, Tbit/s); a rate such as "100 Mbit/s" or "50 kbit/s"
        "#);
    }
}

//! The formats of fabrics: a row that each states in its own file, and the one table of them.
//!
//! The recognition of formats, help texts, messages and the reference page read this table. A format is one file, one
//! line here and one name in [`GraphFormat`], by which scenarios call it: a test holds the three together.

use hopscope_topology::{FileSpec, GraphFormat};

use super::cabled::CabledNetwork;
use super::{anynet, edge_list, graphml, iblinkinfo, ibnetdiscover, subnet_lst};
use crate::error::FormatError;

/// A format in which tools print fabrics.
#[derive(Clone, Copy, Debug)]
pub struct FabricFormat {
    /// The format as scenarios name it.
    pub format: GraphFormat,
    /// Its name in scenarios: `network.file.format`.
    pub name: &'static str,
    /// What messages and help texts call it: the tools or files that people know it by.
    pub known_as: &'static [&'static str],
    /// The endings by which its files are known, without the point.
    pub endings: &'static [&'static str],
    /// What is read of such a file, in one line.
    pub about: &'static str,
    /// What is ignored, in one line; empty if nothing is.
    pub left_aside: &'static str,
    /// How such a file begins, for example.
    pub example: &'static str,
    /// Whether a text begins as such a file does. No two formats begin alike.
    pub looks_like: fn(&str) -> bool,
    /// Whether the fabric is one of InfiniBand, whose switches grant credits.
    pub is_infiniband: bool,
    /// Whether such files usually have hosts, and not only switches.
    pub has_hosts: bool,
    /// Reads a fabric. Fails with the first line that is not of this form, or whatever keeps the file from being a
    /// network, with its place.
    pub read: fn(&str, &FileSpec) -> Result<CabledNetwork, FormatError>,
}

/// Every format, in the order in which lists show them.
pub const FORMATS: &[FabricFormat] = &[
    ibnetdiscover::FORMAT,
    subnet_lst::FORMAT,
    iblinkinfo::FORMAT,
    graphml::FORMAT,
    anynet::FORMAT,
    edge_list::FORMAT,
];

/// The formats as help texts list them: "ibnetdiscover, ibsim, opensm-subnet.lst, ...".
#[must_use]
pub fn known_as() -> String {
    FORMATS.iter().flat_map(|format| format.known_as).copied().collect::<Vec<_>>().join(", ")
}

/// How files of fabrics begin, in the words of a message.
#[must_use]
pub fn beginnings() -> String {
    let begins =
        FORMATS.iter().map(|format| format!("`{}` ({})", format.example, format.known_as.join(", ")));
    match begins.collect::<Vec<_>>().as_slice() {
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
        [] => String::new(),
    }
}

/// Whether files of fabrics are called so: by the ending of a file's name, without the point.
#[must_use]
pub fn is_ending(ending: &str) -> bool {
    FORMATS.iter().any(|format| format.endings.contains(&ending.to_ascii_lowercase().as_str()))
}

/// The format of a fabric's file, from its beginning; None for other files.
#[must_use]
pub fn fabric_format(text: &str) -> Option<&'static FabricFormat> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    FORMATS.iter().find(|format| (format.looks_like)(text))
}

/// The format that a scenario names; where it leaves it open, the one whose ending the file has if that is GraphML,
/// else what the file begins like, else anynet.
pub(super) fn chosen(named: GraphFormat, file_name: &str, text: &str) -> &'static FabricFormat {
    let of = |format| FORMATS.iter().find(|each| each.format == format).expect("every format has a line");
    if named != GraphFormat::Auto {
        return of(named);
    }
    let ending = file_name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let graphml = of(GraphFormat::Graphml);
    // XML that is damaged at its beginning is still reported as XML.
    if ending.is_some_and(|ending| graphml.endings.contains(&ending.as_str())) {
        return graphml;
    }
    fabric_format(text).unwrap_or_else(|| of(GraphFormat::Anynet))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names and meanings that scenarios have for formats.
    fn names_in_scenarios() -> Vec<String> {
        let schema = schemars::schema_for!(GraphFormat).to_value();
        let names = schema["oneOf"].as_array().expect("a choice").iter();
        names.map(|name| name["const"].as_str().expect("a bare name").to_owned()).collect()
    }

    #[test]
    fn the_table_has_a_line_for_every_name_that_scenarios_may_write() {
        let mut listed: Vec<String> = FORMATS.iter().map(|format| format.name.to_owned()).collect();
        listed.push("auto".to_owned());
        listed.sort();
        let mut named = names_in_scenarios();
        named.sort();
        assert_eq!(listed, named);
        for format in FORMATS {
            assert_eq!(serde_json::to_value(format.format).expect("plain data"), format.name);
        }
    }

    #[test]
    fn every_example_is_told_as_its_own_format_alone() {
        for format in FORMATS {
            let told: Vec<_> = FORMATS.iter().filter(|each| (each.looks_like)(format.example)).collect();
            assert_eq!(told.len(), 1, "{}", format.example);
            assert_eq!(told[0].name, format.name);
            assert!(!format.about.is_empty() && !format.known_as.is_empty());
        }
    }

    #[test]
    fn no_two_formats_have_an_ending_in_common() {
        let mut endings: Vec<_> = FORMATS.iter().flat_map(|format| format.endings).collect();
        let all = endings.len();
        endings.sort();
        endings.dedup();
        assert_eq!(endings.len(), all);
    }

    #[test]
    fn a_name_in_the_scenario_goes_before_the_ending_and_the_beginning() {
        let told = |named, name: &str, text: &str| chosen(named, name, text).name;
        assert_eq!(told(GraphFormat::Auto, "net.xml", "router 0"), "graphml");
        assert_eq!(told(GraphFormat::Auto, "net.txt", "router 0"), "anynet");
        assert_eq!(told(GraphFormat::Auto, "net.txt", "from,to"), "edge-list");
        assert_eq!(told(GraphFormat::Auto, "net.txt", "shopping"), "anynet");
        assert_eq!(told(GraphFormat::EdgeList, "net.xml", "router 0"), "edge-list");
    }
}

//! Fabrics in files: [`FORMATS`] is the table of what is read, [`write_fabric`] writes.

mod aggregation;
pub mod anynet;
mod cabled;
mod draft;
pub mod edge_list;
mod format;
pub mod graphml;
pub mod iblinkinfo;
pub mod ibnetdiscover;
mod identity;
mod naming;
mod own_link;
mod rails;
pub mod subnet_lst;
mod unaddressed;
mod write;

use hopscope_topology::{FileSpec, Network, Problem};
use thiserror::Error;

use crate::error::{Fault, FormatError};
pub use aggregation::AggregationNode;
pub use cabled::{Address, CabledNetwork, MOST_LIDS, NodeLids};
pub use format::{FORMATS, FabricFormat, beginnings, fabric_format, is_ending, known_as};
pub use own_link::{OwnEnd, OwnLink};
pub use write::{LinkDefaults, Unwritable, WrittenForm, write_fabric};

/// The most hosts that are attached to each switch of a file without hosts.
const MOST_HOSTS_PER_SWITCH: u32 = 10_000;

/// How many times as long as the great circle a cable may be.
const DETOURS: std::ops::RangeInclusive<f64> = 1.0..=3.0;

/// Why a scenario's network file makes no network.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ReadError {
    /// Something is wrong in the file.
    #[error(transparent)]
    File(#[from] FormatError),
    /// The file is right, but the scenario wants what it does not have.
    #[error("{}: {}; expected {}", .0.path, .0.problem, .0.expected)]
    Scenario(Problem),
}

/// The network in a file, read as the scenario says.
///
/// `file_name` decides the format where the scenario leaves it open; `contents` are the file's bytes.
///
/// # Errors
/// The first thing that is wrong with the file, with its place, or with what the scenario wants of it.
pub fn read_network(file_name: &str, contents: &[u8], spec: &FileSpec) -> Result<Network, ReadError> {
    read_fabric(file_name, contents, spec).map(|fabric| fabric.network)
}

/// The same network with the addresses of its nodes: those of the file, or numbered ones.
///
/// # Errors
/// As [`read_network`].
pub fn read_fabric(file_name: &str, contents: &[u8], spec: &FileSpec) -> Result<CabledNetwork, ReadError> {
    let refuse = |field: &str, problem: String, expected: String| {
        Err(ReadError::Scenario(Problem::new(format!("file.{field}"), problem, expected)))
    };
    let (per_switch, most) = (spec.hosts_per_switch, MOST_HOSTS_PER_SWITCH);
    if per_switch > most {
        return refuse("hosts_per_switch", format!("{per_switch} is out of range"), format!("0 to {most}"));
    }
    if !DETOURS.contains(&spec.detour) {
        let (low, high) = (DETOURS.start(), DETOURS.end());
        return refuse("detour", format!("{} is out of range", spec.detour), format!("{low} to {high}"));
    }
    let text = text_of(contents)?;
    let mut fabric = (format::chosen(spec.format, file_name, text).read)(text, spec)?;
    let network = &mut fabric.network;
    let (servers, hosts) = (spec.servers as usize, network.hosts().len());
    if servers > hosts {
        return refuse(
            "servers",
            format!("{servers} servers among {hosts} hosts"),
            format!("at most {hosts}"),
        );
    }
    network.choose_servers(servers, spec.placement_seed);
    Ok(fabric)
}

/// The text that these bytes are, without the mark that some editors put at its start.
fn text_of(contents: &[u8]) -> Result<&str, FormatError> {
    let text = std::str::from_utf8(contents).map_err(|error| {
        let good = &contents[..error.valid_up_to()];
        let good = std::str::from_utf8(good).expect("valid up to there");
        Fault::at(good.len(), "this is not text in UTF-8", "a text file")
            .hint("is it compressed, or another kind of file?")
            .in_text(good)
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match text.trim_end().find('\r') {
        Some(byte) if !text.contains('\n') => {
            let problem = "the lines end in carriage returns alone, as of an old Mac";
            let fault = Fault::at(byte, problem, "lines that end in line feeds");
            Err(fault.hint("`tr '\\r' '\\n' < OLD > NEW` makes line feeds of them").in_text(text))
        }
        _ => Ok(text),
    }
}

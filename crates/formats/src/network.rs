use hopscope_topology::{FileSpec, GraphFormat, Network, Problem};
use thiserror::Error;

use crate::error::{Fault, FormatError};
use crate::{anynet, graphml};

/// The most hosts that are attached to each switch of a file without hosts.
const MOST_HOSTS_PER_SWITCH: u32 = 10_000;

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
    let refuse = |field: &str, problem: String, expected: String| {
        Err(ReadError::Scenario(Problem::new(format!("file.{field}"), problem, expected)))
    };
    let (per_switch, most) = (spec.hosts_per_switch, MOST_HOSTS_PER_SWITCH);
    if per_switch > most {
        return refuse("hosts_per_switch", format!("{per_switch} is out of range"), format!("0 to {most}"));
    }
    let text = text_of(contents)?;
    let name = file_name.to_ascii_lowercase();
    let is_graphml = match spec.format {
        GraphFormat::Graphml => true,
        GraphFormat::Anynet => false,
        GraphFormat::Auto => name.ends_with(".graphml") || name.ends_with(".xml"),
    };
    let mut network = if is_graphml {
        graphml::read(text, per_switch)?
    } else {
        anynet::read(text, per_switch, spec.cycle)?
    };
    let (servers, hosts) = (spec.servers as usize, network.hosts().len());
    if servers > hosts {
        return refuse(
            "servers",
            format!("{servers} servers among {hosts} hosts"),
            format!("at most {hosts}"),
        );
    }
    network.choose_servers(servers, spec.placement_seed);
    Ok(network)
}

/// The text that these bytes are, without the mark that some editors put at its start.
fn text_of(contents: &[u8]) -> Result<&str, FormatError> {
    let text = std::str::from_utf8(contents).map_err(|error| {
        let good = &contents[..error.valid_up_to()];
        let good = std::str::from_utf8(good).expect("valid up to there");
        Fault::at(good.len(), "this is not text in UTF-8", "a text file")
            .hint("is it packed, or another kind of file?")
            .in_text(good)
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

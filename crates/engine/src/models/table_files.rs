//! The forwarding tables and virtual lanes in the files that a scenario names.

use hopscope_fabric::RoutingParams;
use hopscope_formats::lanes::{Lids, read_lane_tables, read_path_levels};
use hopscope_formats::{CabledNetwork, tables as forwarding_tables};
use hopscope_lossless::FrameParams;
use hopscope_scenario::{Attachment, Diagnosis};
use hopscope_topology::{DestinationTables, VirtualLanes};
use hopscope_units::Span;

use crate::registry::Finding;
use crate::scenario::source::{FileFault, Files};

/// The forwarding tables in files.
#[derive(Default)]
pub(super) struct TablesOfFiles {
    /// Those that hold from the beginning: one for each LID of a host.
    pub tables: Vec<DestinationTables>,
    /// The virtual lanes that packets use with these.
    pub lanes: Option<VirtualLanes>,
    /// Those that replace them, each from its instant on.
    pub later: Vec<(Span, DestinationTables)>,
}

/// The forwarding tables in the files that the scenario names.
pub(super) fn read_tables(
    routing: &mut RoutingParams,
    frames: Option<&mut FrameParams>,
    fabric: &CabledNetwork,
    files: &mut Files<'_>,
) -> Result<TablesOfFiles, Finding> {
    let mut found = TablesOfFiles::default();
    let RoutingParams { tables, path_sl, sl2vl, .. } = routing;
    if let Some(path) = tables {
        let attachment = files.read("routing.tables", path)?;
        path.clone_from(&attachment.name);
        let text = &attachment.text.text;
        let read = forwarding_tables::read(text)
            .and_then(|tables| Ok((tables.on_every_lid(fabric, text)?, tables.hosts_by_lid(fabric, text)?)));
        let (tables, by_lid) = read.map_err(|error| attachment.diagnosis(&error))?;
        found.tables = tables;
        let mut attached = |field: &str, path: &mut Option<String>| -> Result<Option<Attachment>, Finding> {
            let Some(path) = path else { return Ok(None) };
            let attachment = files.read(field, path)?;
            path.clone_from(&attachment.name);
            Ok(Some(attachment))
        };
        let of_lanes = [attached("routing.path_sl", path_sl)?, attached("routing.sl2vl", sl2vl)?];
        found.lanes = lanes_of(of_lanes, fabric, &Lids::new(fabric, &by_lid))?;
    }
    let mut read = |field: &str, path: &mut String| -> Result<DestinationTables, Finding> {
        let attachment = files.read(field, path)?;
        let text = &attachment.text.text;
        let tables = forwarding_tables::read(text).and_then(|tables| tables.on(fabric, text));
        path.clone_from(&attachment.name);
        Ok(tables.map_err(|error| attachment.diagnosis(&error))?)
    };
    let later = frames.into_iter().flat_map(|frames| &mut frames.new_tables);
    for (i, new) in later.enumerate() {
        let tables = read(&format!("frames.new_tables[{i}].tables"), &mut new.tables)?;
        found.later.push((new.at, tables));
    }
    Ok(found)
}

/// The virtual lanes in a file of service levels and one of the lanes that they mean, if there is either.
pub(crate) fn lanes_of(
    [levels, tables]: [Option<Attachment>; 2],
    fabric: &CabledNetwork,
    lids: &Lids,
) -> Result<Option<VirtualLanes>, Diagnosis> {
    if levels.is_none() && tables.is_none() {
        return Ok(None);
    }
    let levels = levels
        .map(|file| read_path_levels(&file.text.text, fabric, lids).map_err(|error| file.diagnosis(&error)));
    let tables = tables
        .map(|file| read_lane_tables(&file.text.text, fabric, lids).map_err(|error| file.diagnosis(&error)));
    Ok(Some(VirtualLanes::new(levels.transpose()?, tables.transpose()?)))
}

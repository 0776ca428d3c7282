//! The files that traffic and groups of flows name: distributions of sizes, lists of flows.

use hopscope_formats::{flow_list, size_cdf};
use hopscope_measure::Problem;
use hopscope_topology::Network;
use hopscope_traffic::flows::{FlowGroup, FlowPattern, FlowSizes, SizeCdf};
use hopscope_traffic::{Pattern, Sizes, TrafficSpec};

use crate::models::origins::{Origins, Rows};
use crate::registry::Finding;
use crate::scenario::source::{FileFault, Files};

/// Fills the groups from the files that they name.
pub(crate) fn read_flow_files(
    groups: &mut [FlowGroup],
    network: &Network,
    files: &mut Files<'_>,
    origins: &mut Origins,
) -> Result<(), Finding> {
    for (i, group) in groups.iter_mut().enumerate() {
        let below = format!("flows[{i}].pattern");
        match &mut group.pattern {
            FlowPattern::Poisson(poisson) => {
                let FlowSizes::Cdf(cdf) = &mut poisson.sizes else { continue };
                read_cdf(cdf, &format!("{below}.poisson.sizes.cdf"), files, origins)?;
            }
            FlowPattern::List(list) => {
                let Some(path) = &mut list.path else { continue };
                let attachment = files.read(&format!("{below}.list.path"), path)?;
                let read = flow_list::read(&attachment.text.text, network)
                    .map_err(|error| attachment.diagnosis(&error))?;
                path.clone_from(&attachment.name);
                let rows = format!("{below}.list.flows");
                fill(&mut list.flows, read, &rows)?;
                origins.add(rows, 0, attachment, Rows::Flows);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Fills the distributions of message sizes from the files that they name.
pub(crate) fn read_size_files(
    traffic: &mut TrafficSpec,
    files: &mut Files<'_>,
    origins: &mut Origins,
) -> Result<(), Finding> {
    read_sizes(&mut traffic.sizes, "traffic.sizes", files, origins)?;
    let Pattern::Flows(flows) = &mut traffic.pattern else { return Ok(()) };
    for (i, flow) in flows.iter_mut().enumerate() {
        if let Some(sizes) = &mut flow.sizes {
            read_sizes(sizes, &format!("traffic.pattern.flows[{i}].sizes"), files, origins)?;
        }
    }
    Ok(())
}

fn read_sizes(
    sizes: &mut Sizes,
    below: &str,
    files: &mut Files<'_>,
    origins: &mut Origins,
) -> Result<(), Finding> {
    match sizes {
        Sizes::Cdf(cdf) => read_cdf(cdf, &format!("{below}.cdf"), files, origins),
        _ => Ok(()),
    }
}

/// Fills a cumulative distribution from its file, where it names one.
fn read_cdf(
    cdf: &mut SizeCdf,
    below: &str,
    files: &mut Files<'_>,
    origins: &mut Origins,
) -> Result<(), Finding> {
    let Some(path) = &mut cdf.path else { return Ok(()) };
    let attachment = files.read(&format!("{below}.path"), path)?;
    let read = size_cdf::read(&attachment.text.text).map_err(|error| attachment.diagnosis(&error))?;
    path.clone_from(&attachment.name);
    let rows = format!("{below}.points");
    fill(&mut cdf.points, read, &rows)?;
    origins.add(rows, 0, attachment, Rows::Points);
    Ok(())
}

/// What a scenario in a run folder has beside its file is what was read from it.
pub(crate) fn fill<T: PartialEq>(given: &mut Vec<T>, read: Vec<T>, path: &str) -> Result<(), Finding> {
    if !given.is_empty() && *given != read {
        let problem = Problem::new(
            path,
            "`path` is given together with other fields",
            "either `path` or the other fields",
        );
        return Err(Finding::from(problem));
    }
    *given = read;
    Ok(())
}

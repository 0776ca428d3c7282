//! The files that groups of flows name: distributions of sizes, lists of flows.

use hopscope_formats::{flow_list, size_cdf};
use hopscope_measure::Problem;
use hopscope_topology::Network;
use hopscope_traffic::flows::{FlowGroup, FlowPattern, FlowSizes};

use crate::registry::Finding;
use crate::scenario::source::{FileFault, Files};

/// Fills the groups from the files that they name.
pub(crate) fn read_flow_files(
    groups: &mut [FlowGroup],
    network: &Network,
    files: &mut Files<'_>,
) -> Result<(), Finding> {
    for (i, group) in groups.iter_mut().enumerate() {
        let below = format!("flows[{i}].pattern");
        match &mut group.pattern {
            FlowPattern::Poisson(poisson) => {
                let FlowSizes::Cdf(cdf) = &mut poisson.sizes else { continue };
                let Some(path) = &mut cdf.path else { continue };
                let attachment = files.read(&format!("{below}.poisson.sizes.cdf.path"), path)?;
                let read =
                    size_cdf::read(&attachment.text.text).map_err(|error| attachment.diagnosis(&error))?;
                path.clone_from(&attachment.name);
                fill(&mut cdf.points, read, &format!("{below}.poisson.sizes.cdf.points"))?;
            }
            FlowPattern::List(list) => {
                let Some(path) = &mut list.path else { continue };
                let attachment = files.read(&format!("{below}.list.path"), path)?;
                let read = flow_list::read(&attachment.text.text, network)
                    .map_err(|error| attachment.diagnosis(&error))?;
                path.clone_from(&attachment.name);
                fill(&mut list.flows, read, &format!("{below}.list.flows"))?;
            }
            _ => {}
        }
    }
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

//! What a scenario says, and whether it makes sense: parameters, files that they name, and the checked plan of a run.

pub(crate) mod line_file;
pub(crate) mod outages;
pub(crate) mod params;
pub(crate) mod plan;
pub(crate) mod processor_params;
pub(crate) mod site_params;
pub(crate) mod site_plan;
mod validation;

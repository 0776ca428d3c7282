//! The models as scenarios describe them: one file each.

mod drawing;
mod fabric;
mod queueing;

pub(crate) use fabric::Fabric;
pub(crate) use queueing::Queueing;

//! The models as scenarios describe them: one file each.

mod added_links;
pub(crate) mod advice;
mod arpanet;
pub(crate) mod capacity;
mod drawing;
mod fabric;
pub(crate) mod fabric_facts;
mod flow_files;
mod origins;
mod pup;
mod queueing;
mod routing_engines;
mod sna;
pub(crate) mod table_files;

pub(crate) use arpanet::Arpanet;
pub(crate) use fabric::Fabric;
pub(crate) use pup::Pup;
pub(crate) use queueing::Queueing;
pub(crate) use sna::Sna;

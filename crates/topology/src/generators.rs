//! Families of networks, one file each.

mod chain;
mod corefringe;
mod custom;
mod dragonfly;
mod fat_tree;
mod floors;
mod grid;
mod hypercube;
mod layout;
mod mstage;
mod random;
mod star;

pub use chain::Chain;
pub use corefringe::Corefringe;
pub use custom::{Custom, CustomHost, CustomLink};
pub use dragonfly::Dragonfly;
pub use fat_tree::FatTree;
pub use floors::{Floors, Interconnect};
pub use grid::Grid;
pub use hypercube::Hypercube;
pub use mstage::{Mstage, Pairing};
pub use random::Random;
pub use star::Star;

//! The traffic: who sends what to whom, and when.
//!
//! A [`TrafficSpec`] is what a scenario says; compiled against a network it becomes a [`Workload`]: one [`Source`] a
//! host and arrival process, each with a random stream of its own, so that adding a source changes no other.

mod arrivals;
mod burst;
mod expected;
pub mod flows;
mod load;
mod named;
mod offer;
mod pattern;
mod receivers;
mod size;
mod source;
mod spec;
mod workload;

pub use burst::{BurstLaw, Bursts};
pub use load::Load;
pub use offer::{Offer, OfferSpec};
pub use pattern::{Flow, Matrix, Pattern, Permutation, WeightedPair};
pub use receivers::Receivers;
pub use size::{ListedSize, SizeLaw, Sizes, UniformSizes};
pub use source::{Emission, Source};
pub use spec::{ArrivalLaw, Observed, TrafficSpec};
pub use workload::Workload;

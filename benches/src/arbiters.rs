//! The same fabrics under one arbiter or another.

use std::sync::Arc;

use hopscope_an1::{An1, An1Params, An1Plan};
use hopscope_fabric::{Arbiter, Rule};
use hopscope_kernel::Simulation;
use hopscope_lossless::{Balancing, FrameParams, Lossless, LosslessParams, LosslessPlan};
use hopscope_topology::{FatTree, Mstage, NetworkSpec};
use hopscope_traffic::{OfferSpec, Pattern};
use hopscope_units::Rate;

use crate::messages;

/// Events before anything is measured.
const SETTLING: u64 = 50_000;

/// AN1's Mstage under packets of 1000 bytes.
///
/// # Panics
/// Never: the scenario is valid.
#[must_use]
pub fn mstage(arbiter: Arbiter, load: f64) -> Simulation<An1> {
    let mut params = An1Params::default();
    params.switch.arbiter = arbiter;
    let network = NetworkSpec::Mstage(Mstage::default()).build().expect("a network");
    let plan = An1Plan::new(network, params, messages(Pattern::ClientServer, load));
    let mut simulation = Arc::new(plan.expect("a valid scenario")).simulation(1, ());
    simulation.run_events(SETTLING);
    simulation
}

/// Frames of 1000 bytes under pause frames in a fat tree of 128 hosts at 100 Gbit/s.
///
/// # Panics
/// Never: the scenario is valid.
#[must_use]
pub fn frames(arbiter: Arbiter, load: f64) -> Simulation<Lossless> {
    let frames = FrameParams { balancing: Balancing::Spray, arbiter, ..FrameParams::default() };
    let network = NetworkSpec::FatTree(FatTree { radix: 8, ..FatTree::default() });
    let mut params = LosslessParams { frames, ..LosslessParams::default() };
    params.fabric.routing.rule = Rule::Shortest;
    params.fabric.link.rate = Rate::from_mbit_s(100_000);
    let offer = OfferSpec::Traffic(messages(Pattern::Uniform, load));
    let plan = LosslessPlan::new(network.build().expect("a network"), params, offer);
    let mut simulation = Arc::new(plan.expect("a valid scenario")).simulation(1, ());
    simulation.run_events(SETTLING);
    simulation
}

//! What a scenario of a fabric asks for, or what is wrong with that, whatever the network.

use std::sync::Arc;

use hopscope_an1::{An1Params, An1Plan};
use hopscope_fabric::FabricParams;
use hopscope_lossless::{FrameParams, LosslessParams, LosslessPlan};
use hopscope_measure::Problem;
use hopscope_topology::Network;
use hopscope_traffic::{OfferSpec, TrafficSpec};

use super::FabricScenario;
use super::machine::Machine;
use crate::models::table_files::TablesOfFiles;

/// What a scenario asks for: a machine and what it can be offered.
pub(super) enum Wanted {
    An1(Box<An1Params>, TrafficSpec),
    Lossless(Box<LosslessParams>, OfferSpec),
}

impl Wanted {
    /// The machine on this network, its packets following these tables, if any.
    pub(super) fn on(self, network: Network, of_files: TablesOfFiles) -> Result<Machine, Vec<Problem>> {
        let TablesOfFiles { mut tables, lanes, later } = of_files;
        Ok(match self {
            Self::An1(params, traffic) => {
                let plan = An1Plan::new(network, *params, traffic)?;
                // AN1's hosts have one address each.
                let plan = match tables.is_empty() {
                    true => plan,
                    false => plan.following(tables.swap_remove(0)).map_err(|problem| vec![problem])?,
                };
                Machine::An1(Arc::new(plan))
            }
            Self::Lossless(params, offer) => {
                let plan = LosslessPlan::new(network, *params, offer)?;
                let plan = match tables.is_empty() {
                    true => plan,
                    false => plan.following_paths(tables, lanes).map_err(|problem| vec![problem])?,
                };
                let plan = plan.with_new_tables(later).map_err(|problem| vec![problem])?;
                Machine::Lossless(Arc::new(plan))
            }
        })
    }
}

impl FabricScenario {
    /// What it asks for, or what is wrong with that, whatever the network.
    pub(super) fn wanted(&self) -> Result<Wanted, Vec<Problem>> {
        let mut problems = match &self.frames {
            None => self.an1().problems(),
            Some(frames) => self.lossless(frames).problems(),
        };
        let offer = self.offer();
        match &offer {
            Ok(offer) => problems.extend(offer.problems()),
            Err(problem) => {
                problems.push(problem.clone());
                problems.extend(OfferSpec::Flows(self.flows.clone()).problems());
            }
        }
        if self.frames.is_some() {
            problems.extend(self.unused_with_frames());
        }
        match (offer, &self.frames) {
            (Ok(OfferSpec::Flows(_)), None) => problems.push(flows_without_frames()),
            (Ok(OfferSpec::Traffic(traffic)), None) if problems.is_empty() => {
                return Ok(Wanted::An1(Box::new(self.an1()), traffic));
            }
            (Ok(offer), Some(frames)) if problems.is_empty() => {
                return Ok(Wanted::Lossless(Box::new(self.lossless(frames)), offer));
            }
            _ => {}
        }
        Err(problems)
    }

    pub(super) fn fabric(&self) -> FabricParams {
        FabricParams { routing: self.routing.clone(), link: self.link.clone(), upgrade: self.upgrade.clone() }
    }

    pub(super) fn an1(&self) -> An1Params {
        An1Params {
            fabric: self.fabric(),
            switch: self.switch.clone(),
            faults: self.faults.clone(),
            reconfiguration: self.reconfiguration.clone(),
        }
    }

    pub(super) fn lossless(&self, frames: &FrameParams) -> LosslessParams {
        LosslessParams { fabric: self.fabric(), frames: frames.clone(), faults: self.faults.clone() }
    }

    /// Traffic or flows: one of the two.
    pub(super) fn offer(&self) -> Result<OfferSpec, Problem> {
        match (&self.traffic, self.flows.is_empty()) {
            (None, true) => {
                Err(Problem::new("traffic", "there is no traffic", "a section [traffic], or [[flows]]"))
            }
            (Some(_), false) => {
                Err(Problem::new("flows", "[traffic] and [[flows]] are both given", "one of the two"))
            }
            (Some(traffic), true) => Ok(OfferSpec::Traffic(traffic.clone())),
            (None, false) => Ok(OfferSpec::Flows(self.flows.clone())),
        }
    }

    /// What is set that a fabric of frames has no use for.
    pub(super) fn unused_with_frames(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut refuse = |path: &str, what: &str, hint: &str| {
            problems.push(
                Problem::new(path, format!("{what} together with frames"), "one or the other").hint(hint),
            );
        };
        if self.switch != Default::default() {
            let hint = "[switch] describes AN1's switch; with frames, [frames] describes the switch";
            refuse("switch", "AN1's [switch]", hint);
        }
        if !self.reconfiguration.is_default() {
            let hint = "`frames.reroute` is the time from a fault until new tables hold";
            refuse("reconfiguration", "AN1's [reconfiguration]", hint);
        }
        problems
    }
}

/// Flows are made of frames.
pub(super) fn flows_without_frames() -> Problem {
    Problem::new("flows", "flows, but no frames to carry them", "[frames], or [traffic] instead")
        .hint("add a table [frames]; empty, it has defaults for everything")
}

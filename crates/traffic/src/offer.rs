//! What a network is offered: messages by a law, or flows by a schedule. Always one of the two.

use hopscope_measure::Problem;
use hopscope_topology::Network;
use hopscope_units::Rate;

use crate::flows::{FlowGroup, FlowPattern, FlowSchedule};
use crate::{TrafficSpec, Workload};

/// What a scenario offers to a network.
#[derive(Clone, Debug)]
pub enum OfferSpec {
    /// Messages: section `traffic`.
    Traffic(TrafficSpec),
    /// Flows in groups, at least one: sections `flows`.
    Flows(Vec<FlowGroup>),
}

/// What one network is offered, ready to be drawn.
pub enum Offer {
    /// Messages.
    Traffic(Workload),
    /// Flows.
    Flows(FlowSchedule),
}

impl OfferSpec {
    /// What is wrong with the offer whatever the network; paths begin at the scenario.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        match self {
            Self::Traffic(traffic) => traffic.scenario_problems(),
            Self::Flows(groups) => {
                let groups = groups.iter().enumerate();
                groups.flat_map(|(i, group)| group.problems(&format!("flows[{i}]"))).collect()
            }
        }
    }

    /// Where the offer first says that a message goes to several hosts at once, as a path from the scenario; nothing
    /// where none does.
    #[must_use]
    pub fn multicast(&self) -> Option<String> {
        match self {
            Self::Traffic(traffic) => traffic.multicast().map(|path| format!("traffic.{path}")),
            Self::Flows(_) => None,
        }
    }

    /// The mean size of the message that a bit belongs to, bits: most bits are in long messages. Nothing unless all
    /// messages come at times of their own, which flows in rounds do not.
    #[must_use]
    pub fn message_of_a_bit(&self) -> Option<f64> {
        match self {
            Self::Traffic(traffic) => {
                let (bits, variation) = traffic.packet_lengths();
                Some(bits * (1.0 + variation))
            }
            Self::Flows(groups) => {
                // Groups by the data that they offer.
                let (mut all, mut weighted) = (0.0, 0.0);
                for group in groups {
                    let FlowPattern::Poisson(poisson) = &group.pattern else { return None };
                    let sizes = poisson.sizes.distribution();
                    all += poisson.load;
                    weighted += poisson.load * 8.0 * sizes.mean_square_bytes() / sizes.mean_bytes();
                }
                (all > 0.0).then_some(weighted / all)
            }
        }
    }

    /// The offer on a network whose host links have these rates (one a host).
    ///
    /// # Errors
    /// All problems found, with paths from the scenario such as `traffic.pattern` or `flows[0].pattern.incast`.
    pub fn on(&self, network: &Network, rates: &[Rate], seed: u64) -> Result<Offer, Vec<Problem>> {
        match self {
            Self::Traffic(traffic) => traffic.on(network, rates, seed).map(Offer::Traffic),
            Self::Flows(groups) => FlowSchedule::new(groups, network, rates, seed).map(Offer::Flows),
        }
    }
}

impl Offer {
    /// The classes under which messages or flows are reported.
    #[must_use]
    pub fn classes(&self) -> Vec<String> {
        match self {
            Self::Traffic(workload) => workload.classes.clone(),
            Self::Flows(schedule) => schedule.classes(),
        }
    }

    /// Which of this number of hosts may be a receiver.
    #[must_use]
    pub fn receivers(&self, hosts: usize) -> Vec<bool> {
        match self {
            Self::Traffic(workload) => workload.receivers(),
            Self::Flows(schedule) => schedule.receivers(hosts),
        }
    }

    /// The hosts that always have something to send.
    #[must_use]
    pub fn saturated_hosts(&self) -> Vec<u32> {
        match self {
            Self::Traffic(workload) => workload.saturated_hosts(),
            Self::Flows(_) => Vec::new(),
        }
    }

    /// Whether any source sends bursts.
    #[must_use]
    pub fn has_bursts(&self) -> bool {
        matches!(self, Self::Traffic(workload) if workload.has_bursts())
    }
}

impl TrafficSpec {
    /// What is wrong with this traffic whatever the network; paths begin at the scenario.
    #[must_use]
    pub fn scenario_problems(&self) -> Vec<Problem> {
        self.problems().into_iter().map(below_traffic).collect()
    }

    /// The traffic on a network whose host links have these rates (one a host).
    ///
    /// # Errors
    /// All problems found, with paths from the scenario such as `traffic.pattern`.
    pub fn on(&self, network: &Network, rates: &[Rate], seed: u64) -> Result<Workload, Vec<Problem>> {
        Workload::new(self, network, rates, seed)
            .map_err(|problems| problems.into_iter().map(below_traffic).collect())
    }
}

fn below_traffic(problem: Problem) -> Problem {
    Problem { path: format!("traffic.{}", problem.path), ..problem }
}

//! Hosts: messages and flows are generated, sent frame by frame at most as fast as their rates permit, and received.

pub(crate) mod answering;
pub(crate) mod flow;
mod receiving;
pub(crate) mod recovering;
pub(crate) mod scheduled_flows;
mod sending;
mod telemetry;

use hopscope_fabric::FabricPlan;
use hopscope_traffic::{Offer, Source, Workload};

use crate::host::scheduled_flows::ScheduledFlows;

/// The traffic offered to the hosts.
pub(crate) enum Offered {
    /// Messages by a law.
    Messages(Messages),
    /// Flows by a schedule.
    Flows(Box<ScheduledFlows>),
}

/// Messages by a law.
pub(crate) struct Messages {
    pub workload: Workload,
    /// For each host its saturated source, which always has another message when the host is idle, if any.
    pub saturated: Vec<Option<u32>>,
}

impl Offered {
    /// The names of the classes, by number.
    pub fn classes(&self) -> Vec<String> {
        match self {
            Self::Messages(messages) => messages.workload.classes.clone(),
            Self::Flows(scheduled) => scheduled.schedule.classes(),
        }
    }

    pub fn new(offer: Offer, plan: &FabricPlan) -> Self {
        match offer {
            Offer::Traffic(workload) => {
                let has_saturated = workload.sources.iter().any(Source::is_saturated);
                let hosts = if has_saturated { plan.network.hosts().len() } else { 0 };
                Self::Messages(Messages { workload, saturated: vec![None; hosts] })
            }
            Offer::Flows(schedule) => Self::Flows(Box::new(ScheduledFlows::new(schedule, plan))),
        }
    }

    /// The messages to which a source belongs.
    #[inline]
    pub fn messages(&mut self) -> &mut Messages {
        match self {
            Self::Messages(messages) => messages,
            Self::Flows(_) => unreachable!("flows have no sources"),
        }
    }
}

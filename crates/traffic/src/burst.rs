//! Bursts: long transfers under a window.

use hopscope_measure::Problem;
use hopscope_units::{Data, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bursts: long transfers in packets, with at most a window of unacknowledged packets (SRC 88, section 2.2).
///
/// A packet is generated when the acknowledgment that opens the window for it arrives. The destination acknowledges a
/// packet when its last byte has arrived. Burst packets count in the offered load; acknowledgments do not.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bursts {
    /// The data of one burst. It is sent in whole packets: a remainder is dropped.
    pub size: Data,
    /// The packet size.
    pub packet: Data,
    /// The window: the maximum number of unacknowledged packets.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{factor} the window of bursts", "multiply": 2.0, "cause": "window", "sort": "bursts", "cost": "{factor} the memory for unacknowledged packets"},
    ])))]
    pub window: u32,
    /// The size of an acknowledgment.
    pub ack: Data,
    /// The share of packets that belong to bursts, by number. 1: bursts only.
    pub packet_share: f64,
    /// The period of bursts: one burst in each. Default: bursts at random times, at the rate that gives the load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<Span>,
    /// With `every`: the burst starts at a random time within this interval from the start of its period.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "bursts spread over their whole period", "like": "every", "cause": "variability", "cost": "bursts that start later"},
    ])))]
    pub within: Span,
}

impl Default for Bursts {
    /// The bursty workload of SRC 88, section 2.2: 100 kB in packets of 1500 bytes, 20 % of all packets.
    fn default() -> Self {
        Self {
            size: Data::from_bytes(100_000),
            packet: Data::from_bytes(1500),
            window: 1,
            ack: Data::from_bytes(100),
            packet_share: 0.2,
            every: None,
            within: Span::from_ms(1),
        }
    }
}

impl Bursts {
    /// Packets in a burst: 66 of 1500 bytes for 100 kB.
    #[must_use]
    pub fn packets(&self) -> u32 {
        u32::try_from(self.size.bits() / self.packet.bits().max(1)).unwrap_or(u32::MAX)
    }

    pub(crate) fn problems(&self, path: &str, longest: Data, problems: &mut Vec<Problem>) {
        let mut refuse = |field: &str, problem: String, expected: &str| {
            problems.push(Problem::new(format!("{path}.{field}"), problem, expected));
        };
        let sizes = format!("from 1 byte to {longest}");
        if self.packet.bits() < 8 || self.packet > longest {
            refuse("packet", format!("packet size {} is out of range", self.packet), &sizes);
        } else if self.packets() == 0 || self.packets() == u32::MAX {
            let problem = format!("burst size {} in packets of {} is out of range", self.size, self.packet);
            refuse("size", problem, "at least one packet, at most 4 billion");
        }
        if self.ack.bits() < 8 || self.ack > longest {
            refuse("ack", format!("acknowledgment size {} is out of range", self.ack), &sizes);
        }
        if self.window == 0 {
            refuse("window", "a window of 0 lets nothing be sent".into(), "at least 1");
        }
        if !(self.packet_share > 0.0 && self.packet_share <= 1.0) {
            refuse(
                "packet_share",
                format!("share {} is out of range", self.packet_share),
                "above 0 and at most 1",
            );
        }
        if let Some(every) = self.every {
            if every == Span::ZERO {
                refuse("every", "a period of 0 s".into(), "a period above 0");
            } else if self.within > every {
                refuse(
                    "within",
                    format!("{} is longer than the period of {every}", self.within),
                    "at most the period",
                );
            }
        }
    }
}

/// A burst ready to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct BurstLaw {
    /// How many packets it has.
    pub packets: u32,
    /// The size of each.
    pub packet: Data,
    /// How many may be unacknowledged.
    pub window: u32,
    /// The size of an acknowledgment.
    pub ack: Data,
    /// The class of its packets.
    pub class: u8,
}

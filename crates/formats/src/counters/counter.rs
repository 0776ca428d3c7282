//! The counters that are understood, whatever a tool calls them.

/// A counter of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counter {
    /// Data sent, in units of four bytes.
    XmitData,
    /// Data received, in units of four bytes.
    RcvData,
    /// Packets sent.
    XmitPackets,
    /// Packets received.
    RcvPackets,
    /// Ticks in which the port had data to send and sent none.
    XmitWait,
    /// Packets that were thrown away instead of sent.
    XmitDiscards,
    /// Packets received with errors.
    RcvErrors,
    /// Errors on lanes.
    SymbolErrors,
    /// Recoveries of the link.
    LinkRecoveries,
    /// How often the link went down.
    LinkDowned,
    /// Local errors beyond the threshold.
    IntegrityErrors,
    /// Overruns of the receive buffer.
    BufferOverruns,
    /// Microseconds in which frames of this priority were paused by what came in.
    PausedUs(u8),
    /// Pause frames of this priority that came in.
    PausesReceived(u8),
    /// Pause frames of this priority that were sent.
    PausesSent(u8),
    /// Microseconds in which this end paused the other for this priority.
    PausesOtherUs(u8),
}

/// How many bytes a unit of data counters has in InfiniBand.
pub(crate) const DATA_UNIT: u64 = 4;

/// Names that InfiniBand's tools have for counters, in lower case without underscores, and how many bits these have
/// where they are not extended (InfiniBand Architecture Specification, volume 1, section 16.1.3.5). Older
/// versions of `perfquery` have names of their own, of which some call the data "bytes", in the same units.
const INFINIBAND: [(&str, Counter, u8); 37] = [
    ("portxmitdata", Counter::XmitData, 32),
    ("portrcvdata", Counter::RcvData, 32),
    ("portxmitpkts", Counter::XmitPackets, 32),
    ("portrcvpkts", Counter::RcvPackets, 32),
    ("portxmitdataextended", Counter::XmitData, 64),
    ("portrcvdataextended", Counter::RcvData, 64),
    ("portxmitpktsextended", Counter::XmitPackets, 64),
    ("portrcvpktsextended", Counter::RcvPackets, 64),
    ("portxmitwait", Counter::XmitWait, 32),
    ("portxmitwaitextended", Counter::XmitWait, 64),
    ("portxmitdiscards", Counter::XmitDiscards, 16),
    ("portxmitdiscard", Counter::XmitDiscards, 16),
    ("portrcverrors", Counter::RcvErrors, 16),
    ("portrcverror", Counter::RcvErrors, 16),
    ("symbolerrorcounter", Counter::SymbolErrors, 16),
    ("symbolerrors", Counter::SymbolErrors, 16),
    ("symbolerrorcounterextended", Counter::SymbolErrors, 64),
    ("linkerrorrecoverycounter", Counter::LinkRecoveries, 8),
    ("linkrecovers", Counter::LinkRecoveries, 8),
    ("linkdownedcounter", Counter::LinkDowned, 8),
    ("linkdowncounter", Counter::LinkDowned, 8),
    ("linkdowned", Counter::LinkDowned, 8),
    ("locallinkintegrityerrors", Counter::IntegrityErrors, 4),
    ("excessivebufferoverrunerrors", Counter::BufferOverruns, 4),
    ("excesivebuffererrors", Counter::BufferOverruns, 4),
    ("excessivebufferoverruns", Counter::BufferOverruns, 4),
    ("xmtdata", Counter::XmitData, 32),
    ("rcvdata", Counter::RcvData, 32),
    ("xmtbytes", Counter::XmitData, 32),
    ("rcvbytes", Counter::RcvData, 32),
    ("xmtpkts", Counter::XmitPackets, 32),
    ("rcvpkts", Counter::RcvPackets, 32),
    ("xmtwait", Counter::XmitWait, 32),
    ("xmtdiscards", Counter::XmitDiscards, 16),
    ("rcverrors", Counter::RcvErrors, 16),
    ("linkintegrityerrors", Counter::IntegrityErrors, 4),
    ("excbufoverrunerrors", Counter::BufferOverruns, 4),
];

impl Counter {
    /// The counter that InfiniBand's tools call so, and its bits; nothing for one that is of no use here.
    pub(crate) fn of_infiniband(name: &str) -> Option<(Self, u8)> {
        let plain: String = name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect();
        let (_, counter, bits) = INFINIBAND.iter().find(|(known, ..)| *known == plain)?;
        Some((*counter, *bits))
    }

    /// The counter of an Ethernet adapter or switch that is called so, such as `rx_prio3_pause_duration`, and what its
    /// value is divided by.
    pub(crate) fn of_ethernet(name: &str) -> Option<(Self, u64)> {
        let by_priority = || {
            let (way, rest) = name.split_once("_prio")?;
            let priority: u8 = rest.get(..1)?.parse().ok().filter(|priority| *priority < 8)?;
            Some(match (way, &rest[1..]) {
                ("rx", "_pause") => Self::PausesReceived(priority),
                ("tx", "_pause") => Self::PausesSent(priority),
                ("rx", "_pause_duration") => Self::PausedUs(priority),
                ("tx", "_pause_duration") => Self::PausesOtherUs(priority),
                _ => return None,
            })
        };
        let plain = match name {
            "tx_bytes_phy" => Some((Self::XmitData, DATA_UNIT)),
            "rx_bytes_phy" => Some((Self::RcvData, DATA_UNIT)),
            "tx_packets_phy" => Some((Self::XmitPackets, 1)),
            "rx_packets_phy" => Some((Self::RcvPackets, 1)),
            "tx_discards_phy" => Some((Self::XmitDiscards, 1)),
            "rx_symbol_err_phy" => Some((Self::SymbolErrors, 1)),
            "rx_crc_errors_phy" => Some((Self::RcvErrors, 1)),
            "link_down_events_phy" => Some((Self::LinkDowned, 1)),
            _ => None,
        };
        plain.or_else(|| by_priority().map(|counter| (counter, 1)))
    }

    /// Whether it counts what ports carry or how long they wait. Of any other counter a lower bound is of use, too.
    #[must_use]
    pub fn is_of_traffic(self) -> bool {
        matches!(self, Self::XmitData | Self::RcvData | Self::XmitPackets | Self::RcvPackets | Self::XmitWait)
    }

    /// Whether it counts errors of the link itself.
    #[must_use]
    pub fn is_link_error(self) -> bool {
        matches!(
            self,
            Self::SymbolErrors
                | Self::LinkRecoveries
                | Self::LinkDowned
                | Self::IntegrityErrors
                | Self::RcvErrors
        )
    }

    /// What people call it.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::XmitData => "PortXmitData".to_owned(),
            Self::RcvData => "PortRcvData".to_owned(),
            Self::XmitPackets => "PortXmitPkts".to_owned(),
            Self::RcvPackets => "PortRcvPkts".to_owned(),
            Self::XmitWait => "PortXmitWait".to_owned(),
            Self::XmitDiscards => "PortXmitDiscards".to_owned(),
            Self::RcvErrors => "PortRcvErrors".to_owned(),
            Self::SymbolErrors => "SymbolErrorCounter".to_owned(),
            Self::LinkRecoveries => "LinkErrorRecoveryCounter".to_owned(),
            Self::LinkDowned => "LinkDownedCounter".to_owned(),
            Self::IntegrityErrors => "LocalLinkIntegrityErrors".to_owned(),
            Self::BufferOverruns => "ExcessiveBufferOverrunErrors".to_owned(),
            Self::PausedUs(priority) => format!("rx_prio{priority}_pause_duration"),
            Self::PausesReceived(priority) => format!("rx_prio{priority}_pause"),
            Self::PausesSent(priority) => format!("tx_prio{priority}_pause"),
            Self::PausesOtherUs(priority) => format!("tx_prio{priority}_pause_duration"),
        }
    }
}

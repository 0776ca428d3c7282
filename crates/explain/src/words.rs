//! Resources, shares and times as sentences name them.

use hopscope_measure::{ResourceKind, ResourceRow};

/// The resource as a sentence names it, such as "the line UCLA -> RAND".
#[must_use]
pub fn words(row: &ResourceRow) -> String {
    match row.kind {
        ResourceKind::Output => format!("the link {}", row.title()),
        ResourceKind::InputFifo => format!("the FIFO at {}", row.place),
        ResourceKind::InputBuffer => format!("the input buffer at {}", row.place),
        ResourceKind::SwitchBuffer => format!("the {}", row.title()),
        ResourceKind::Station(_) => row.title().to_owned(),
        ResourceKind::Line if !row.site.joins() => format!("the line of {}", row.place),
        ResourceKind::Line
        | ResourceKind::Credits
        | ResourceKind::MessageNumbers
        | ResourceKind::AcknowledgmentChannels => format!("the {} {}", row.title(), row.place),
        ResourceKind::Buffers
        | ResourceKind::StoreAndForwardBuffers
        | ResourceKind::ReassemblyBuffers
        | ResourceKind::PendingLeaderTable
        | ResourceKind::PendingPacketTable
        | ResourceKind::TransmitBlocks
        | ResourceKind::ReceiveBlocks => format!("the {} at {}", row.title(), row.place),
        ResourceKind::RateLimiter
        | ResourceKind::Processor
        | ResourceKind::DestinationHost
        | ResourceKind::HostProcessor
        | ResourceKind::GatewayProcessor
        | ResourceKind::Window
        | ResourceKind::Ethernet
        | ResourceKind::RadioInterval
        | ResourceKind::OutputQueue => format!("the {} of {}", row.title(), row.place),
    }
}

/// A share as a whole percentage.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// An amount without a fraction.
pub(crate) fn whole(amount: f64) -> String {
    format!("{amount:.0}")
}

/// A sentence with a capital at its beginning.
pub(crate) fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

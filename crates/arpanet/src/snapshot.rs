//! Who holds what at an instant, read from a trace: the time slices of Kleinrock and Opderbeck, Figs. 1, 2, 7 and 8.

use std::collections::BTreeMap;

use hopscope_units::Time;

use crate::trace::{TraceKind, TraceRow};

/// A message or control message of one sequence, as a time slice shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Party {
    /// A message until its first packet is with the destination host: a rectangle of the figures.
    Message(u64),
    /// The RFNM of a message: an oval.
    Rfnm(u64),
    /// A REQALL of this message number, until its ALL is sent: a diamond.
    Request(u32),
    /// The ALL of this message number, until it is back.
    Allocation(u32),
    /// An ALL that has come back and that no message has left with yet.
    Unused,
}

/// Where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// In the source IMP.
    Source,
    /// On its way, or in reassembly.
    UnderWay,
    /// It waits in the destination IMP.
    Destination,
}

/// What it holds of the two resources that the figures mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Who.
    pub party: Party,
    /// Where.
    pub whereabouts: Whereabouts,
    /// An entry of the pending leader table.
    pub leader: bool,
    /// Eight reassembly buffers.
    pub allocation: bool,
}

/// Holders of table entries and allocations of one sequence of multipacket messages just after `at`; the trace must reach from the
/// beginning of the run to there. Messages whose first packet is in are listed even where they hold nothing yet.
#[must_use]
pub fn snapshot(trace: &[TraceRow], sequence: u32, at: Time) -> Vec<Holder> {
    let mut holders: BTreeMap<Party, Holder> = BTreeMap::new();
    let mut unused = 0_usize;
    for row in trace.iter().take_while(|row| row.at <= at).filter(|row| row.sequence == sequence) {
        follow(row, &mut holders, &mut unused);
    }
    let waiting =
        Holder { party: Party::Unused, whereabouts: Whereabouts::Source, leader: false, allocation: true };
    holders.into_values().chain(std::iter::repeat_n(waiting, unused)).collect()
}

/// What one row of a trace changes.
fn follow(row: &TraceRow, holders: &mut BTreeMap<Party, Holder>, unused: &mut usize) {
    use Whereabouts::{Destination, Source, UnderWay};
    let [message, rfnm] = [Party::Message(row.message), Party::Rfnm(row.message)];
    let [request, reply] = [Party::Request(row.number), Party::Allocation(row.number)];
    let mut set = |party, whereabouts, leader, allocation| {
        holders.insert(party, Holder { party, whereabouts, leader, allocation });
    };
    match row.kind {
        TraceKind::FirstPacketIn => set(message, Source, false, false),
        TraceKind::Tabled => set(message, Source, true, false),
        TraceKind::RequestSent | TraceKind::SuperfluousRequestSent => {
            set(request, UnderWay, true, false);
            // The REQALL has stolen the entry of the message that waits in the source IMP.
            let waits = |holder: &&mut Holder| {
                matches!(holder.party, Party::Message(_)) && holder.whereabouts == Source
            };
            if let Some(robbed) = holders.values_mut().find(waits) {
                robbed.leader = false;
            }
        }
        TraceKind::RequestArrives => set(request, Destination, true, false),
        TraceKind::AllocationSent if row.message == u64::MAX => {
            set(reply, UnderWay, true, true);
            holders.remove(&request);
        }
        TraceKind::AllocationArrives => {
            *unused += 1;
            holders.remove(&reply);
        }
        TraceKind::GiveBackSent => *unused = unused.saturating_sub(1),
        TraceKind::MessageSent => {
            *unused = unused.saturating_sub(1);
            set(message, UnderWay, true, true);
        }
        TraceKind::FirstPacketDelivered => {
            set(rfnm, Destination, true, false);
            holders.remove(&message);
        }
        TraceKind::RfnmSent => set(rfnm, UnderWay, true, false),
        TraceKind::RfnmWithAllocationSent => set(rfnm, UnderWay, true, true),
        TraceKind::RfnmArrives => *unused += usize::from(holders.remove(&rfnm).is_some_and(|h| h.allocation)),
        _ => {}
    }
}

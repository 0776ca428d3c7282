//! Frames that were lost: where, why and how many.

use std::collections::BTreeMap;

use hopscope_fabric::{Slot, count};
use hopscope_kernel::EventQueue;
use hopscope_measure::{Journal, Loss, LossWhy, Place, Report};
use hopscope_topology::SwitchId;
use hopscope_units::Time;
use hopscope_units::amount;

use crate::event::FrameEvent;
use crate::flow_control::Control;
use crate::machine::Lossless;

/// At most this many places of losses are reported.
const TOLD: usize = 8;

/// The index in its message of a frame that no longer exists.
pub(crate) const GONE: u32 = u32::MAX;

/// How a frame was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lost {
    /// It was on a link, or in a switch, that failed.
    Cut,
    /// It was to leave by a link that was down.
    LinkDown,
    /// The tables had no way for it.
    NoRoute,
    /// The queue of its output was full.
    QueueFull,
    /// The queue of its output was full, and its header was forwarded.
    Trimmed,
}

/// The metrics of a report for each.
impl Lost {
    /// Those that only faults cause.
    pub const BY_FAULTS: [Self; 3] = [Self::Cut, Self::LinkDown, Self::NoRoute];

    /// The reason, depending on whether such losses are retransmitted.
    const fn why(self, is_sent_again: bool) -> LossWhy {
        match (self, is_sent_again) {
            (Self::Cut, _) => LossWhy::Fault,
            (Self::LinkDown, _) => LossWhy::LinkDown,
            (Self::NoRoute, _) => LossWhy::NoRoute,
            (Self::Trimmed, _) => LossWhy::Trimmed,
            (Self::QueueFull, true) => LossWhy::FullQueue,
            (Self::QueueFull, false) => LossWhy::Dropped,
        }
    }

    /// Whether the slot that was to send it lost it at its output or on its link.
    const fn is_of_output(self) -> bool {
        !matches!(self, Self::NoRoute)
    }
}

/// Frames lost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Losses {
    /// Counts since the restart, by the slot that was to send them; without a route by the slot by which they came.
    lost: BTreeMap<(Lost, Slot), u64>,
    /// Losses of each slot at its output or on its link since the run began.
    discards: BTreeMap<Slot, u64>,
}

impl Losses {
    pub fn count(&mut self, how: Lost, at: Slot) {
        *self.lost.entry((how, at)).or_default() += 1;
        if how.is_of_output() {
            *self.discards.entry(at).or_default() += 1;
        }
    }

    pub fn restart(&mut self) {
        self.lost.clear();
    }

    /// Frames that a slot lost at its output or on its link since the run began.
    pub fn discards(&self, slot: Slot) -> u64 {
        self.discards.get(&slot).copied().unwrap_or(0)
    }

    /// Frames lost in this way since the restart.
    pub fn of(&self, how: Lost) -> u64 {
        self.lost.iter().filter(|((other, _), _)| *other == how).map(|(_, frames)| frames).sum()
    }
}

impl<J: Journal> Lossless<J> {
    /// A frame is lost.
    pub(crate) fn lose(
        &mut self,
        now: Time,
        frame: u32,
        (how, at): (Lost, Slot),
        events: &mut EventQueue<FrameEvent>,
    ) {
        if let Some(outages) = &mut self.outages {
            outages.forget(frame);
        }
        self.losses.count(how, at);
        self.frames[frame].sequence = GONE;
        self.drop_frame(now, frame, events);
    }

    /// Adds the places where most was lost to a report, and with tail drop how many.
    pub(crate) fn tell_losses(&self, report: &mut Report) {
        if let Control::TailDrop(_) = self.frames_plan().control {
            for (name, how) in [("frames dropped", Lost::QueueFull), ("frames trimmed", Lost::Trimmed)] {
                report.metrics.push(count(name, "1", Some(self.losses.of(how))));
            }
        }
        let mut places: Vec<Loss> = self.told_losses().collect();
        places.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.place.words.cmp(&b.place.words)));
        for Loss { why, place, count, .. } in places.iter().take(TOLD) {
            report.notes.push(format!(
                "{}: {} {}",
                place.words,
                amount(*count, "frame", "frames"),
                why.word()
            ));
        }
    }

    /// Frames that an output lost since the restart.
    pub(crate) fn lost_at(&self, output: Slot) -> u64 {
        let lost = self.losses.lost.iter();
        lost.filter(|((how, at), _)| *at == output && how.is_of_output()).map(|(_, frames)| frames).sum()
    }

    /// Where frames were lost since the restart, and why.
    pub(crate) fn told_losses(&self) -> impl Iterator<Item = Loss> + '_ {
        // Grouped by their words, since parallel cables have the same ends.
        let mut places: BTreeMap<(Lost, String), (Place, u64)> = BTreeMap::new();
        for (&(how, slot), frames) in &self.losses.lost {
            let place = self.place_of_loss(how, slot);
            places.entry((how, place.words.clone())).or_insert((place, 0)).1 += frames;
        }
        let is_sent_again = self.frames_plan().recovery.is_some();
        places.into_iter().map(move |((how, _), (place, count))| Loss {
            why: how.why(is_sent_again),
            place,
            count,
            of: 0,
            each_s: 0.0,
        })
    }

    /// Frames that arrived in vain since the restart: out of order, or duplicates.
    pub(crate) fn sent_in_vain(&self) -> Option<Loss> {
        let tally = &self.tally;
        let count = tally.rejected + tally.repeated;
        let place = Place { words: "the receivers".to_owned(), nodes: Vec::new() };
        let of = tally.delivered + count;
        // With selective repeat a receiver takes frames in any order, and only duplicates are in vain.
        let why = if tally.rejected > 0 { LossWhy::OutOfOrder } else { LossWhy::Twice };
        (count > 0).then_some(Loss { why, place, count, of, each_s: 0.0 })
    }

    fn place_of_loss(&self, how: Lost, slot: Slot) -> Place {
        let (slots, network) = (&self.plan.slots, &self.plan.network);
        match how {
            Lost::Cut | Lost::LinkDown => {
                let words = format!("the link {}", slots.link_name(network, slot));
                Place { words, nodes: slots.link_ends(network, slot).into() }
            }
            Lost::QueueFull | Lost::Trimmed => {
                let words = format!("the queue for {}", slots.link_name(network, slot));
                Place { words, nodes: slots.link_ends(network, slot).into() }
            }
            Lost::NoRoute => {
                let switch = &network.switch(SwitchId::new(slots.switch_port(slot).0)).name;
                Place::node(format!("the switch {switch}"), switch)
            }
        }
    }
}

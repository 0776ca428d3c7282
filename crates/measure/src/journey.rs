//! Whole lives of messages, taken down where asked for.

use std::collections::BTreeMap;

use hopscope_units::Time;
use serde::{Serialize, Serializer};

use crate::{Charged, StageId, StageKind, StageLabel};

/// Takes down the lives of messages. A model has it as a type parameter, so that a run without journeys pays nothing.
pub trait Journal {
    /// Whether it takes anything down at all. Where it does not, a model need not even find out what it would tell.
    const TAKES_DOWN: bool = true;

    /// A message has been in `stage` at `place` from one instant to another. Messages are numbered in the order of
    /// their birth; what a place number means is the model's affair.
    fn stage(&mut self, message: u64, stage: usize, place: u32, from: Time, to: Time);

    /// The warm-up is over: forget what has been taken down.
    fn restart(&mut self);

    /// Whether the life of this message is taken down.
    fn keeps(&self, message: u64) -> bool;

    /// What has been taken down, with the names of stages and places.
    fn rows(&self, stages: &[StageLabel], place: &dyn Fn(u32) -> String) -> Journeys;
}

/// Takes nothing down and costs nothing.
impl Journal for () {
    const TAKES_DOWN: bool = false;

    #[inline]
    fn stage(&mut self, _: u64, _: usize, _: u32, _: Time, _: Time) {}

    #[inline]
    fn restart(&mut self) {}

    #[inline]
    fn keeps(&self, _: u64) -> bool {
        false
    }

    fn rows(&self, _: &[StageLabel], _: &dyn Fn(u32) -> String) -> Journeys {
        Journeys::default()
    }
}

/// One stage in the life of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct JourneyRow<'a> {
    /// The message's number; numbers rise in the order of birth.
    pub message: u64,
    /// The stage.
    pub stage: StageId,
    /// A wait or a service.
    pub kind: StageKind,
    /// What was waited for, or worked.
    pub resource: Charged,
    /// Where.
    pub place: &'a str,
    /// Start, picoseconds of simulated time.
    pub from_ps: u64,
    /// End, picoseconds of simulated time.
    pub to_ps: u64,
}

/// Whole lives of messages, one after the other. A hundred thousand of them have millions of stages, so that each
/// place is named once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journeys {
    stages: Vec<StageLabel>,
    places: Vec<String>,
    /// Each with the number of its place among the places here.
    entries: Vec<Entry>,
}

impl Journeys {
    /// How many stages there are in all.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was taken down.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// A stage by its number, in the order of messages and times.
    #[must_use]
    pub fn row(&self, number: usize) -> JourneyRow<'_> {
        let entry = &self.entries[number];
        let label = &self.stages[entry.stage as usize];
        JourneyRow {
            message: entry.message,
            stage: label.stage,
            kind: label.stage.kind(),
            resource: label.charged,
            place: &self.places[entry.place as usize],
            from_ps: entry.from.ps(),
            to_ps: entry.to.ps(),
        }
    }

    /// The stages of all lives, by message and time.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = JourneyRow<'_>> {
        (0..self.len()).map(|number| self.row(number))
    }
}

impl Serialize for Journeys {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// Takes down the whole lives of the first so many messages born in the measured window.
#[derive(Clone, Debug)]
pub struct JourneyLog {
    limit: u64,
    first: u64,
    newest: Option<u64>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    message: u64,
    from: Time,
    to: Time,
    place: u32,
    stage: u32,
}

impl JourneyLog {
    /// A log of at most `limit` messages.
    #[must_use]
    pub const fn new(limit: u64) -> Self {
        Self { limit, first: 0, newest: None, entries: Vec::new() }
    }
}

impl JourneyLog {
    /// Stages of different messages end interleaved; a reader wants one life after the other. Every message has its
    /// place by its number, so there may be millions. Stages of no length keep their order.
    fn life_by_life(&self) -> Vec<Entry> {
        let Some(last) = self.entries.iter().map(|entry| entry.message).max() else { return Vec::new() };
        let life = |entry: &Entry| (entry.message - self.first) as usize;
        let mut ends = vec![0_usize; (last - self.first) as usize + 1];
        for entry in &self.entries {
            ends[life(entry)] += 1;
        }
        let mut before = 0;
        for end in &mut ends {
            (*end, before) = (before, before + *end);
        }
        let mut sorted = self.entries.clone();
        for entry in &self.entries {
            let end = &mut ends[life(entry)];
            sorted[*end] = *entry;
            *end += 1;
        }
        for stages in sorted.chunk_by_mut(|one, next| one.message == next.message) {
            stages.sort_by_key(|entry| (entry.from, entry.to));
        }
        sorted
    }
}

impl Journal for JourneyLog {
    fn stage(&mut self, message: u64, stage: usize, place: u32, from: Time, to: Time) {
        self.newest = self.newest.max(Some(message));
        if self.keeps(message) {
            let stage = u32::try_from(stage).expect("a model has few stages");
            self.entries.push(Entry { message, from, to, place, stage });
        }
    }

    /// Messages that have been seen already lack the beginning of their lives, so the log goes on with the next one.
    fn restart(&mut self) {
        self.first = self.newest.map_or(0, |newest| newest + 1);
        self.entries.clear();
    }

    fn keeps(&self, message: u64) -> bool {
        message >= self.first && message - self.first < self.limit
    }

    fn rows(&self, stages: &[StageLabel], place: &dyn Fn(u32) -> String) -> Journeys {
        let mut entries = self.life_by_life();
        let mut places = Vec::new();
        let mut numbers = BTreeMap::new();
        for entry in &mut entries {
            entry.place = *numbers.entry(entry.place).or_insert_with(|| {
                places.push(place(entry.place));
                places.len() as u32 - 1
            });
        }
        Journeys { stages: stages.to_vec(), places, entries }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Charged, ResourceKind, StageId};

    const LINE: Charged = Charged::To(ResourceKind::Line);
    const STAGES: [StageLabel; 2] =
        [StageLabel::new(StageId::LineWait, LINE), StageLabel::new(StageId::LineTransmission, LINE)];

    #[test]
    fn lives_come_one_after_the_other_and_stages_of_no_length_keep_their_order() {
        let mut log = JourneyLog::new(10);
        let at = Time::from_ps;
        for (message, stage, from, to) in
            [(5, 1, 4, 4), (2, 0, 3, 3), (5, 0, 4, 4), (2, 1, 3, 3), (5, 0, 1, 4)]
        {
            log.stage(message, stage, 1, at(from), at(to));
        }
        let rows = log.rows(&STAGES, &|_| "a".to_owned());
        let lives: Vec<_> = rows.iter().map(|r| (r.message, r.stage.word(), r.from_ps)).collect();
        let (wait, line) = ("line wait", "line");
        assert_eq!(lives, [(2, wait, 3), (2, line, 3), (5, wait, 1), (5, line, 4), (5, wait, 4)]);
    }

    #[test]
    fn keeps_whole_lives_of_the_first_messages_of_the_window() {
        let at = Time::from_ps;
        let mut log = JourneyLog::new(2);
        log.stage(0, 0, 7, at(0), at(5));
        log.stage(1, 0, 7, at(2), at(6));
        log.restart();
        log.stage(1, 1, 7, at(6), at(9)); // began before the window
        log.stage(3, 0, 7, at(7), at(10));
        log.stage(2, 0, 8, at(6), at(11));
        log.stage(3, 1, 7, at(10), at(12));
        log.stage(4, 0, 7, at(10), at(12)); // the third of two
        let rows = log.rows(&STAGES, &|place| format!("node {place}"));
        let lives: Vec<_> = rows.iter().map(|r| (r.message, r.stage.word(), r.place, r.to_ps)).collect();
        assert_eq!(
            lives,
            [(2, "line wait", "node 8", 11), (3, "line wait", "node 7", 10), (3, "line", "node 7", 12)]
        );
    }
}

//! Journeys: recorded stages of whole message lifetimes, if asked for.

use std::collections::BTreeMap;
use std::sync::Arc;

use hopscope_units::Time;
use serde::{Serialize, Serializer};

use crate::{Charged, StageId, StageKind, StageLabel};

/// A recorder of the stages of messages. A model has it as a type parameter, so that a run without journeys has no
/// cost.
pub trait Journal {
    /// Whether it records anything. If not, a model need not compute what it would record.
    const TAKES_DOWN: bool = true;

    /// A message has been in `stage` at `place` from one instant to another. Messages are numbered in order of
    /// generation; the model defines the numbers of places.
    fn stage(&mut self, message: u64, stage: usize, place: u32, from: Time, to: Time);

    /// The warm-up is over: drop what has been recorded.
    fn restart(&mut self);

    /// Whether this message is recorded.
    fn keeps(&self, message: u64) -> bool;

    /// The recorded journeys, with the names of stages and places.
    fn rows(&self, stages: &[StageLabel], place: &dyn Fn(u32) -> String) -> Journeys;
}

/// Records nothing, at no cost.
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

/// One stage of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct JourneyRow<'a> {
    /// The message's number, in order of generation.
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

/// One stage of one message, by numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JourneyNumbers {
    /// The message's number.
    pub message: u64,
    /// The number of its [site](JourneySite).
    pub site: u32,
    /// Start, picoseconds of simulated time.
    pub from_ps: u64,
    /// End, picoseconds of simulated time.
    pub to_ps: u64,
}

/// A stage at a place. Millions of recorded stages are at some thousands of sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JourneySite<'a> {
    /// The stage.
    pub stage: StageId,
    /// What was waited for, or worked.
    pub resource: Charged,
    /// Where.
    pub place: &'a str,
}

/// Journeys of messages, one after the other. A hundred thousand of them have millions of stages, which stay where the
/// log has put them; only their order is kept beside them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journeys {
    stages: Vec<StageLabel>,
    places: Vec<String>,
    /// For each site its stage and its place.
    sites: Vec<(u32, u32)>,
    /// The number of the first message.
    first: u64,
    blocks: Vec<Arc<[Entry]>>,
    /// The entries by message and time.
    order: Vec<u32>,
}

impl Journeys {
    /// The total number of stages.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether nothing was recorded.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// A stage by its number, in the order of messages and times.
    #[must_use]
    pub fn row(&self, number: usize) -> JourneyRow<'_> {
        let JourneyNumbers { message, site, from_ps, to_ps } = self.numbers(number);
        let JourneySite { stage, resource, place } = self.site(self.sites[site as usize]);
        JourneyRow { message, stage, kind: stage.kind(), resource, place, from_ps, to_ps }
    }

    /// The same stage by numbers.
    #[must_use]
    pub fn numbers(&self, number: usize) -> JourneyNumbers {
        let entry = entry(&self.blocks, self.order[number]);
        JourneyNumbers {
            message: self.first + u64::from(entry.message),
            site: entry.site,
            from_ps: entry.from.ps(),
            to_ps: entry.to.ps(),
        }
    }

    /// The sites of stages, by their numbers.
    pub fn sites(&self) -> impl ExactSizeIterator<Item = JourneySite<'_>> {
        self.sites.iter().map(|&site| self.site(site))
    }

    fn site(&self, (stage, place): (u32, u32)) -> JourneySite<'_> {
        let label = &self.stages[stage as usize];
        JourneySite { stage: label.stage, resource: label.charged, place: &self.places[place as usize] }
    }

    /// The stages of all journeys, by message and time.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = JourneyRow<'_>> {
        (0..self.len()).map(|number| self.row(number))
    }
}

impl Serialize for Journeys {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// Records the journeys of the first messages generated in the measured window.
#[derive(Clone, Debug)]
pub struct JourneyLog {
    limit: u64,
    first: u64,
    newest: Option<u64>,
    sites: Sites,
    /// Entries in the order in which stages ended, a block after the other. Full blocks are shared with the report.
    full: Vec<Arc<[Entry]>>,
    open: Vec<Entry>,
}

/// The entries of a block.
const BLOCK: usize = 1 << 16;

/// A recorded stage, in few bytes: there are tens of millions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    from: Time,
    to: Time,
    /// Counted from the first message of the log.
    message: u32,
    site: u32,
}

fn entry(blocks: &[Arc<[Entry]>], number: u32) -> &Entry {
    let number = number as usize;
    &blocks[number / BLOCK][number % BLOCK]
}

/// The numbers of pairs of a stage and a place, in the order in which they first occur.
#[derive(Clone, Debug, Default)]
struct Sites {
    pairs: Vec<(u32, u32)>,
    numbers: BTreeMap<(u32, u32), u32>,
    /// Recently requested sites, each at the index given by a hash of place and stage.
    lately: Vec<Option<((u32, u32), u32)>>,
}

/// The number of recently requested sites that are remembered.
const LATELY: usize = 1 << 12;

impl Sites {
    fn number(&mut self, site: (u32, u32)) -> u32 {
        if self.lately.is_empty() {
            self.lately = vec![None; LATELY];
        }
        let (stage, place) = site;
        let lately = &mut self.lately[(place as usize * 8 + stage as usize) % LATELY];
        if let Some((_, number)) = lately.filter(|(known, _)| *known == site) {
            return number;
        }
        let number = *self.numbers.entry(site).or_insert_with(|| {
            self.pairs.push(site);
            self.pairs.len() as u32 - 1
        });
        *lately = Some((site, number));
        number
    }
}

impl JourneyLog {
    /// A log of at most `limit` messages.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Self { limit, first: 0, newest: None, sites: Sites::default(), full: Vec::new(), open: Vec::new() }
    }

    /// The entries' numbers, message by message. Stages of different messages end interleaved; a reader wants one
    /// journey after the other. A counting sort by message number handles millions. Stages of no length keep their
    /// order.
    fn life_by_life(blocks: &[Arc<[Entry]>]) -> Vec<u32> {
        let entries = || blocks.iter().flat_map(|block| block.iter());
        let lives = entries().map(|entry| entry.message as usize + 1).max().unwrap_or(0);
        let mut ends = vec![0_u32; lives];
        for entry in entries() {
            ends[entry.message as usize] += 1;
        }
        let mut before = 0;
        for end in &mut ends {
            (*end, before) = (before, before + *end);
        }
        let mut order = vec![0; before as usize];
        for (number, entry) in (0..).zip(entries()) {
            let end = &mut ends[entry.message as usize];
            order[*end as usize] = number;
            *end += 1;
        }
        let mut begin = 0;
        for end in ends {
            order[begin as usize..end as usize].sort_by_key(|&number| {
                let Entry { from, to, .. } = entry(blocks, number);
                (*from, *to)
            });
            begin = end;
        }
        order
    }
}

impl Journal for JourneyLog {
    fn stage(&mut self, message: u64, stage: usize, place: u32, from: Time, to: Time) {
        self.newest = self.newest.max(Some(message));
        if self.keeps(message) {
            let site = self.sites.number((u32::try_from(stage).expect("a model has few stages"), place));
            let message = u32::try_from(message - self.first).expect("memory holds fewer lives than that");
            self.open.push(Entry { from, to, message, site });
            if self.open.len() == BLOCK {
                self.full.push(Arc::from(&self.open[..]));
                self.open.clear();
            }
        }
    }

    /// Messages already under way lack the beginning of their journey, so the log starts with the next one.
    fn restart(&mut self) {
        self.first = self.newest.map_or(0, |newest| newest + 1);
        self.sites = Sites::default();
        self.full.clear();
        self.open.clear();
    }

    fn keeps(&self, message: u64) -> bool {
        message >= self.first && message - self.first < self.limit
    }

    fn rows(&self, stages: &[StageLabel], place: &dyn Fn(u32) -> String) -> Journeys {
        let mut blocks = self.full.clone();
        blocks.push(Arc::from(&self.open[..]));
        let mut places = Vec::new();
        let mut numbers = BTreeMap::new();
        let mut sites = self.sites.pairs.clone();
        for (_, site) in &mut sites {
            *site = *numbers.entry(*site).or_insert_with(|| {
                places.push(place(*site));
                places.len() as u32 - 1
            });
        }
        let order = Self::life_by_life(&blocks);
        Journeys { stages: stages.to_vec(), places, sites, first: self.first, blocks, order }
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

    /// Across blocks of entries, and with more sites than are remembered, each journey is the same as in a list of its
    /// own.
    #[test]
    fn many_lives_are_those_that_were_taken_down() {
        let at = Time::from_ps;
        let mut log = JourneyLog::new(1_000);
        let mut lives = vec![Vec::new(); 1_000];
        for number in 0..(2 * BLOCK + 77) as u64 {
            let (message, stage, place) =
                (number * 7 % 1_000, (number % 2) as usize, (number % 9_973) as u32);
            // Half of the stages last no time; those of each journey are in order of time.
            log.stage(message, stage, place, at(number / 2), at(number / 2));
            lives[message as usize].push((message, STAGES[stage].stage, place.to_string(), number / 2));
        }
        let rows = log.rows(&STAGES, &|place| place.to_string());
        assert_eq!(rows.len(), 2 * BLOCK + 77);
        let found = rows.iter().map(|row| (row.message, row.stage, row.place.to_owned(), row.to_ps));
        assert!(found.eq(lives.into_iter().flatten()), "every stage stands in its life");
    }
}

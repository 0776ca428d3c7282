//! Waiting times by input and output of a switch, and by host.

use std::collections::BTreeMap;

use hopscope_fabric::{FabricPlan, Slot, prefetch};
use hopscope_units::Span;

/// At most this many pairs of input and output have a counter in the array: those of ten thousand switches of 80 ports.
const MOST_PLACES: u32 = 1 << 26;

/// Marks a switch with too many ports for the array: its pairs are in a map.
const LOOKED_UP: i32 = i32::MAX;

/// Waiting times since the restart, for explanations of a run.
#[derive(Clone, Debug)]
pub(crate) struct Waits {
    /// For each slot of a switch the offset to which an output's slot is added to get the index of a pair; or
    /// [`LOOKED_UP`].
    pairs_of: Vec<i32>,
    /// Time that frames which came by an input have spent at an output, up to their last bit, ps.
    by_pair: Vec<u64>,
    /// The same for the pairs kept in a map, by input and output.
    looked_up: BTreeMap<(Slot, Slot), u64>,
    /// Time that frames have waited behind the head of their lane, by the slot of the input, ps.
    pub in_lane: Vec<u64>,
    /// Time that flows have waited for their rate, by host, ps.
    pub paced: Vec<u64>,
    /// The sum of acknowledged bits times their round trips, ps, by host.
    pub outstanding: Vec<u128>,
    /// For each host the output that marks most of its frames, or makes them wait, with the lead of its count over the
    /// others' (Boyer-Moore majority vote).
    marking: Vec<(Slot, u32)>,
}

impl Waits {
    pub fn new(plan: &FabricPlan) -> Self {
        let (mut pairs_of, mut pairs) = (Vec::new(), 0u32);
        for switch in plan.network.switch_ids() {
            let ports = plan.network.switch(switch).ports.len() as u32;
            let base = plan.slots.port(switch.index(), 0);
            match ports.checked_mul(ports).filter(|own| *own <= MOST_PLACES - pairs) {
                Some(own) => {
                    pairs_of.extend((0..ports).map(|port| (pairs + port * ports) as i32 - base as i32));
                    pairs += own;
                }
                None => pairs_of.extend((0..ports).map(|_| LOOKED_UP)),
            }
        }
        let hosts = plan.network.hosts().len();
        Self {
            by_pair: vec![0; pairs as usize],
            in_lane: vec![0; pairs_of.len()],
            pairs_of,
            looked_up: BTreeMap::new(),
            paced: vec![0; hosts],
            outstanding: vec![0; hosts],
            marking: vec![(0, 0); hosts],
        }
    }

    pub fn restart(&mut self) {
        self.by_pair.fill(0);
        self.looked_up.clear();
        self.in_lane.fill(0);
        self.paced.fill(0);
        self.outstanding.fill(0);
        self.marking.fill((0, 0));
    }

    /// A frame that came by one slot takes this long to leave by another of the same switch.
    #[inline]
    pub fn needed(&mut self, input: Slot, output: Slot, time: Span) {
        let to_first = self.pairs_of[input as usize];
        if to_first == LOOKED_UP {
            time.onto(self.looked_up.entry((input, output)).or_default());
        } else {
            time.onto(&mut self.by_pair[(to_first + output as i32) as usize]);
        }
    }

    /// The total time that frames which came by one slot have spent at another of the same switch, ps.
    pub fn between(&self, input: Slot, output: Slot) -> u64 {
        match self.pairs_of[input as usize] {
            LOOKED_UP => self.looked_up.get(&(input, output)).copied().unwrap_or_default(),
            to_first => self.by_pair[(to_first + output as i32) as usize],
        }
    }

    /// Fetches the counter of a pair of slots; not for pairs kept in a map.
    #[inline]
    pub fn fetch_between(&self, input: Slot, output: Slot) {
        let to_first = self.pairs_of[input as usize];
        self.by_pair.get(to_first.wrapping_add(output as i32) as usize).into_iter().for_each(prefetch);
    }

    /// An output has marked a frame of a host, or made it wait longer than it sends.
    pub fn marked(&mut self, host: usize, output: Slot) {
        match &mut self.marking[host] {
            (most, lead) if *most == output => *lead += 1,
            (_, lead) if *lead > 0 => *lead -= 1,
            other => *other = (output, 1),
        }
    }

    /// The output that marks most of a host's frames, or makes them wait.
    pub fn marking(&self, host: usize) -> Option<Slot> {
        let (output, lead) = self.marking[host];
        (lead > 0).then_some(output)
    }
}

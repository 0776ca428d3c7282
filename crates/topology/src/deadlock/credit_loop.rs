//! The credit loop: a cycle of channels each of which waits for buffers of the next, so that none ever moves again.

use hopscope_kernel::step;

use super::channel_dependency::{Channel, ChannelDependencies};

/// No channel has been found.
const NONE: u32 = u32::MAX;

impl ChannelDependencies {
    /// A shortest cycle of channels, each depending on the next and the last on the first; nothing where there is none,
    /// so that the routes cannot deadlock. Among several the first by switch and port is taken.
    #[must_use]
    pub fn shortest_cycle(&self) -> Option<Vec<Channel>> {
        let cyclic = self.on_cycles();
        let mut search = CycleSearch { before: vec![NONE; self.channels.len()], reached: Vec::new() };
        let mut best: Option<Vec<u32>> = None;
        for start in (0..self.channels.len() as u32).filter(|channel| cyclic[*channel as usize]) {
            step("looking for credit loops");
            let limit = best.as_ref().map_or(usize::MAX, |best| best.len() - 1);
            best = search.cycle_through(start, limit, self, &cyclic).or(best);
        }
        Some(best?.into_iter().map(|channel| self.channels[channel as usize]).collect())
    }

    /// Which channels may be on a cycle: those left when channels that nothing depends on, or that depend on nothing,
    /// have been taken away until there are none.
    fn on_cycles(&self) -> Vec<bool> {
        let count = self.channels.len();
        let mut before = vec![Vec::new(); count];
        for (channel, successors) in self.after.iter().enumerate() {
            for &successor in successors {
                before[successor as usize].push(channel as u32);
            }
        }
        let mut left = vec![true; count];
        for (forward, backward) in [(&self.after, &before), (&before, &self.after)] {
            let degree_in = |channel: &u32| left[*channel as usize];
            let mut degrees: Vec<usize> =
                backward.iter().map(|others| others.iter().filter(|c| degree_in(c)).count()).collect();
            let mut free: Vec<usize> = (0..count).filter(|c| left[*c] && degrees[*c] == 0).collect();
            while let Some(channel) = free.pop() {
                left[channel] = false;
                for &next in &forward[channel] {
                    let next = next as usize;
                    degrees[next] -= 1;
                    if left[next] && degrees[next] == 0 {
                        free.push(next);
                    }
                }
            }
        }
        left
    }
}

/// Breadth-first search for the shortest cycle through a channel.
struct CycleSearch {
    /// The channel that each was reached from.
    before: Vec<u32>,
    reached: Vec<(u32, usize)>,
}

impl CycleSearch {
    /// The shortest cycle through a channel that has at most `limit` channels.
    fn cycle_through(
        &mut self,
        start: u32,
        limit: usize,
        graph: &ChannelDependencies,
        cyclic: &[bool],
    ) -> Option<Vec<u32>> {
        for (channel, _) in self.reached.drain(..) {
            self.before[channel as usize] = NONE;
        }
        self.reached.push((start, 1));
        let mut next = 0;
        while let Some(&(channel, length)) = self.reached.get(next) {
            next += 1;
            if length > limit {
                return None;
            }
            for &successor in &graph.after[channel as usize] {
                if successor == start {
                    return Some(self.way_back(channel, start));
                }
                if cyclic[successor as usize] && self.before[successor as usize] == NONE {
                    self.before[successor as usize] = channel;
                    self.reached.push((successor, length + 1));
                }
            }
        }
        None
    }

    fn way_back(&self, last: u32, start: u32) -> Vec<u32> {
        let mut cycle = vec![last];
        while let Some(&channel) = cycle.last()
            && channel != start
        {
            cycle.push(self.before[channel as usize]);
        }
        cycle.reverse();
        cycle
    }
}

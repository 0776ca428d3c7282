//! Loops in the routes, found as they form: next hops towards a destination that lead back.
//!
//! Kleinrock and Opderbeck, section V: "a loop whose existence is extended because of line hold-down" is a loop trap.
//! So a loop is one once a member has ignored, because it holds its line down, a better estimate of a neighbour whose
//! way does not lead back into the loop. It has been trapped since that member began to hold its line down.

use hopscope_units::{Span, Time};

/// A loop that exists.
#[derive(Clone, Debug)]
struct Loop {
    destination: u8,
    member: u8,
    since: Time,
    /// Members that hold their line down, and since when as far as the loop existed.
    holds: Vec<(u8, Time)>,
    /// Since when the member holds its line down that has ignored a way out.
    trapped: Option<Time>,
}

/// Loops towards every destination, and what has been seen of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loops {
    running: Vec<Loop>,
    pub formed: u64,
    pub trapped: u64,
    pub total: Span,
    pub longest: Span,
    /// Loops that are over, and traps that are: how long a line was held down in them.
    pub ended: u64,
    pub traps_ended: u64,
    pub trap_total: Span,
    pub longest_trap: Span,
    /// Packets that came back to an IMP which they had left, and how often the one packet of data that did that most
    /// did so.
    pub returns: u64,
    pub most_returns: u16,
}

impl Loops {
    /// The best line of `imp` to a destination has changed. `next` follows the best lines, through `imps` IMPs at most.
    pub fn switched(
        &mut self,
        now: Time,
        destination: u8,
        imp: u8,
        imps: usize,
        next: impl Fn(u8) -> Option<u8>,
    ) {
        let known = self.running.iter().any(|running| running.destination == destination);
        if !known && comes_back(imp, imps, &next) {
            self.formed += 1;
            self.running.push(Loop {
                destination,
                member: imp,
                since: now,
                holds: Vec::new(),
                trapped: None,
            });
        }
    }

    /// Looks at the loops that exist: which are over, and whose members hold lines down. `next` and `held` are given a
    /// destination and an IMP.
    pub fn review(
        &mut self,
        now: Time,
        imps: usize,
        next: impl Fn(u8, u8) -> Option<u8>,
        held: impl Fn(u8, u8) -> bool,
    ) {
        let mut running = std::mem::take(&mut self.running);
        running.retain_mut(|looped| {
            let destination = looped.destination;
            let members = members(looped.member, imps, &|imp| next(destination, imp));
            if members.is_empty() {
                let lasted = now.since(looped.since);
                self.total += lasted;
                self.longest = self.longest.max(lasted);
                self.ended += 1;
                if let Some(since) = looped.trapped {
                    self.traps_ended += 1;
                    self.trap_total += now.since(since);
                    self.longest_trap = self.longest_trap.max(now.since(since));
                }
                return false;
            }
            looped.holds.retain(|&(member, _)| members.contains(&member) && held(destination, member));
            for &member in members.iter().filter(|&&member| held(destination, member)) {
                if !looped.holds.iter().any(|&(holding, _)| holding == member) {
                    looped.holds.push((member, now));
                }
            }
            true
        });
        self.running = running;
    }

    /// An IMP has ignored better estimates of a neighbour, because it holds its lines to these destinations down. Where
    /// that keeps it in a loop from which the neighbour would lead, the loop is a trap.
    pub fn ignored(
        &mut self,
        now: Time,
        imp: u8,
        neighbour: u8,
        imps: usize,
        next: impl Fn(u8, u8) -> Option<u8>,
        ignores: impl Fn(u8) -> bool,
    ) {
        for looped in &mut self.running {
            let destination = looped.destination;
            if looped.trapped.is_some() || !ignores(destination) {
                continue;
            }
            let members = members(looped.member, imps, &|imp| next(destination, imp));
            let out = || {
                let mut at = neighbour;
                for _ in 0..imps {
                    match next(destination, at) {
                        _ if members.contains(&at) => return false,
                        Some(on) => at = on,
                        None => return true,
                    }
                }
                false
            };
            if members.contains(&imp) && out() {
                let hold = looped.holds.iter().find(|&&(member, _)| member == imp);
                looped.trapped = Some(hold.map_or(now, |&(_, since)| since));
                self.trapped += 1;
            }
        }
    }

    /// Whether no loop exists.
    pub fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// A packet came back to an IMP, not for the first time where `times` is more than 1.
    pub fn returned(&mut self, times: u16, is_data: bool) {
        self.returns += 1;
        if is_data {
            self.most_returns = self.most_returns.max(times);
        }
    }

    /// Forgets what has been seen, but not what exists.
    pub fn restart(&mut self) {
        *self = Self { running: std::mem::take(&mut self.running), ..Self::default() };
    }
}

/// Whether the next hops from an IMP come back to it.
fn comes_back(from: u8, imps: usize, next: &impl Fn(u8) -> Option<u8>) -> bool {
    let mut at = from;
    for _ in 0..imps {
        match next(at) {
            Some(back) if back == from => return true,
            Some(on) => at = on,
            None => break,
        }
    }
    false
}

/// The members of the loop by which the next hops from an IMP come back to it; none where they do not.
fn members(from: u8, imps: usize, next: &impl Fn(u8) -> Option<u8>) -> Vec<u8> {
    let mut members = vec![from];
    while members.len() <= imps {
        match next(members[members.len() - 1]) {
            Some(back) if back == from => return members,
            Some(on) => members.push(on),
            None => break,
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_timed_from_the_switch_that_closes_it() {
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let mut loops = Loops::default();
        // 1 and 2 send to each other; then 1 finds its way to 0 again.
        let looped = |imp: u8| [None, Some(2), Some(1), Some(2)][usize::from(imp)];
        let sound = |imp: u8| [None, Some(0), Some(1), Some(2)][usize::from(imp)];
        loops.switched(at(100), 0, 1, 4, looped);
        loops.switched(at(300), 0, 2, 4, looped);
        loops.review(at(300), 4, |_, imp| looped(imp), |_, imp| imp == 1);
        assert_eq!((loops.formed, loops.trapped, loops.is_empty()), (1, 0, false));
        // 1 ignores what 0 says, and would be out of the loop; 2 ignores 3, which would send to 2 again.
        loops.ignored(at(400), 2, 3, 4, |_, imp| looped(imp), |_| true);
        assert_eq!(loops.trapped, 0);
        loops.ignored(at(500), 1, 0, 4, |_, imp| looped(imp), |_| true);
        assert_eq!(loops.trapped, 1);
        loops.review(at(900), 4, |_, imp| sound(imp), |_, _| false);
        assert_eq!((loops.longest, loops.is_empty()), (Span::from_ms(800), true));
        assert_eq!(loops.longest_trap, Span::from_ms(600));
    }
}

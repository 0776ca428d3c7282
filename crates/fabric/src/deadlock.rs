//! Deadlock: a credit loop, or any other cycle of waits. Found by what each place waits for, not by a clock.

use hopscope_measure::Stuck;

/// Removes from `waits` those that can go on, and leaves those that never can. Each entry waits for any one of several;
/// a place that waits for several things has an entry for each, and goes on when none is left.
///
/// A place that waits for a moving one will move in time; what is left when no more places can move is deadlocked.
pub fn keep_stuck(waits: &mut Vec<(u32, Vec<u32>)>, moving: &mut [bool]) {
    let mut unmet = vec![0_u32; moving.len()];
    for (waiter, _) in waits.iter() {
        unmet[*waiter as usize] += 1;
    }
    loop {
        let before = waits.len();
        waits.retain(|(waiter, others)| {
            let comes = others.iter().any(|&other| moving[other as usize]);
            let unmet = &mut unmet[*waiter as usize];
            *unmet -= u32::from(comes);
            moving[*waiter as usize] = *unmet == 0;
            !comes
        });
        if waits.len() == before {
            return;
        }
    }
}

/// Follows the waits of a stuck place until one occurs twice. `waits` is sorted and has stuck places only.
///
/// # Panics
/// If a place waits for one that is not stuck.
#[must_use]
pub fn cycle_of_waits(first: u32, waits: &[(u32, Vec<u32>)]) -> Vec<u32> {
    let mut path = vec![first];
    loop {
        let at = *path.last().expect("a path has an end");
        let entry = waits.binary_search_by_key(&at, |(waiter, _)| *waiter);
        let next = waits[entry.expect("a stuck one waits for stuck ones only")].1[0];
        if let Some(start) = path.iter().position(|&waiter| waiter == next) {
            return path.split_off(start);
        }
        path.push(next);
    }
}

/// A cycle of waits in words, one line for each wait.
#[must_use]
pub fn stuck(cycle: &[u32], reason: String, line: impl Fn(&u32) -> String) -> Stuck {
    Stuck { reason, cycle: cycle.iter().map(line).collect() }
}

//! The use of every resource over time as a table: a row for each resource that was used, a byte for each bin.
//!
//! The first row, of kind "time", has the edges of the bins: 64-bit picoseconds, least significant byte first. Where
//! the holders of a resource do several things, `held_in` names those that happened, and `held` has a byte for each bin
//! of the first, then of the second, and so on. Where the first has all that is used, `held` begins with the second.
//!
//! A byte keeps its value for as long as it is within [`TOLERANCE`] of what it stands for. What is left out is noise
//! about a mean: a drawing of 31 levels does not show it, and nothing compresses it.

use hopscope_formats::parquet::{Column, Values, encode};
use hopscope_measure::{Timeline, Usage};

/// The kind of the row with the edges.
const EDGES: &str = "time";

/// What stands between the things that holders do.
const BETWEEN: &str = "; ";

/// How far a byte may be from what it stands for: about a 31st of the scale.
const TOLERANCE: u8 = 8;

/// A value up to this may share a step with zero.
const NEXT_TO_NOTHING: u8 = 4;

/// Steps of the number waiting for each doubling.
const STEPS_A_DOUBLING: f64 = 16.0;

/// The table.
pub(super) fn table(timeline: &Timeline) -> Vec<u8> {
    let mut rows = Rows::default();
    rows.kinds.push(EDGES);
    rows.places.push("");
    rows.used.push(timeline.edges.iter().flat_map(|edge| edge.ps().to_le_bytes()).collect());
    rows.waiting.push(Vec::new());
    rows.held_back.push(Vec::new());
    rows.held_in.push(String::new());
    rows.held.push(Vec::new());
    for (nth, resource) in timeline.resources.iter().enumerate() {
        let means: Vec<Usage> = timeline.means(nth).collect();
        if means.iter().all(|mean| *mean == Usage::default()) {
            continue;
        }
        let most = means.iter().map(|mean| mean.used_ps).fold(1.0, f64::max);
        rows.kinds.push(resource.kind.word());
        rows.places.push(&resource.place);
        let used = steady(means.iter().map(|mean| share(mean.used_ps / most)).collect());
        rows.waiting.push(steady(means.iter().map(|mean| number(mean.waited_ps)).collect()));
        rows.held_back.push(steady(means.iter().map(|mean| share(mean.held_back_ps)).collect()));
        let mut held_in = Vec::new();
        let mut held = Vec::new();
        for (activity, why) in resource.activities.iter().enumerate() {
            let bytes: Vec<u8> = timeline.held(nth, activity).map(|held| share(held / most)).collect();
            if bytes.iter().any(|&byte| byte > 0) {
                // The first activity may be all there is: it is not kept twice.
                if !held_in.is_empty() || !is_within(&bytes, &used) {
                    held.extend(steady(bytes));
                }
                held_in.push(why.word());
            }
        }
        rows.used.push(used);
        rows.held_in.push(held_in.join(BETWEEN));
        rows.held.push(held);
    }
    encode(&[
        Column { name: "kind", values: Values::Text(rows.kinds) },
        Column { name: "place", values: Values::Text(rows.places) },
        Column { name: "used", values: Values::Bytes(rows.used) },
        Column { name: "waiting", values: Values::Bytes(rows.waiting) },
        Column { name: "held_back", values: Values::Bytes(rows.held_back) },
        Column { name: "held_in", values: Values::Text(rows.held_in.iter().map(String::as_str).collect()) },
        Column { name: "held", values: Values::Bytes(rows.held) },
    ])
}

#[derive(Default)]
struct Rows<'a> {
    kinds: Vec<&'a str>,
    places: Vec<&'a str>,
    used: Vec<Vec<u8>>,
    waiting: Vec<Vec<u8>>,
    held_back: Vec<Vec<u8>>,
    held_in: Vec<String>,
    held: Vec<Vec<u8>>,
}

/// A share in 255ths, rounded; what is not nothing is at least one.
fn share(of: f64) -> u8 {
    if of > 0.0 { (255.0 * of).round().clamp(1.0, 255.0) as u8 } else { 0 }
}

/// A number on a logarithmic scale: the code c stands for (2^(c/16) - 1) / 16, from 0.003 to 3,900 within 3 % and a
/// hundredth.
fn number(of: f64) -> u8 {
    if of > 0.0 { (STEPS_A_DOUBLING * (1.0 + 16.0 * of).log2()).round().clamp(1.0, 255.0) as u8 } else { 0 }
}

/// Whether each byte may stand for the other at its place.
fn is_within(bytes: &[u8], others: &[u8]) -> bool {
    bytes.iter().zip(others).all(|(byte, other)| byte.abs_diff(*other) <= TOLERANCE)
}

/// The same bytes in as few steps as their tolerance allows, each at the middle of what it stands for. What is not
/// nothing throughout is at least one.
fn steady(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut rest = bytes.as_mut_slice();
    while let Some(&first) = rest.first() {
        let (mut low, mut high, mut length) = (first, first, 0);
        for &byte in &*rest {
            let wider = (low.min(byte), high.max(byte));
            if wider.1 - wider.0 > 2 * TOLERANCE || (wider.0 == 0 && wider.1 > NEXT_TO_NOTHING) {
                break;
            }
            (low, high) = wider;
            length += 1;
        }
        let (step, after) = rest.split_at_mut(length);
        step.fill(low.midpoint(high).max(high.min(1)));
        rest = after;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_step_is_within_the_tolerance_and_something_is_not_nothing(bytes: Vec<u8>) {
            let steps = steady(bytes.clone());
            prop_assert_eq!(steps.len(), bytes.len());
            for (step, byte) in steps.into_iter().zip(bytes) {
                prop_assert!(step.abs_diff(byte) <= TOLERANCE);
                prop_assert!(byte == 0 || step > 0);
                prop_assert!(byte > 0 || step <= NEXT_TO_NOTHING / 2);
            }
        }
    }

    #[test]
    fn noise_is_one_step_and_a_change_another_at_its_own_bin() {
        let noise = [100, 108, 96, 112, 104, 99];
        let bytes: Vec<u8> = noise.iter().copied().chain(noise.map(|byte| byte + 60)).collect();
        let expected: Vec<u8> = [104; 6].into_iter().chain([164; 6]).collect();
        assert_eq!(steady(bytes), expected);
    }
}

//! The usual value among resources of one kind.

/// A link is slower than others of its kind if its rate is at most their usual rate divided by this. With a smaller
/// factor, rates that differ only by their encoding would be called faults.
pub const TIMES_SLOWER: f64 = 1.5;

/// The upper median; nothing if there are no values.
#[must_use]
pub fn usual(mut values: Vec<f64>) -> Option<f64> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// Whether a rate is far enough below the usual one to matter. Both are in the same unit.
#[must_use]
pub fn is_slower_than_its_like(own: f64, usual: f64) -> bool {
    own * TIMES_SLOWER <= usual
}

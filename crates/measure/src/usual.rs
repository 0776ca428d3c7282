//! What is usual among things of one kind.

/// A link is slower than its like where it has at most one part in this many of their usual rate. At less, rates that
/// differ by what encoding leaves for data would be called faults.
const TIMES_SLOWER: f64 = 1.5;

/// The median, of two the upper one; nothing where there is nothing.
#[must_use]
pub fn usual(mut values: Vec<f64>) -> Option<f64> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// Whether a rate is less than is usual by enough to matter. Both are in the same unit.
#[must_use]
pub fn is_slower_than_its_like(own: f64, usual: f64) -> bool {
    own * TIMES_SLOWER <= usual
}

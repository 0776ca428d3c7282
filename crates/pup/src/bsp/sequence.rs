//! The order of a stream's bytes by their 32-bit numbers.

/// Whether `a` comes before `b` in the circle of sequence numbers.
pub(super) fn precedes(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}

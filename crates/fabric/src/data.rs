//! Amounts of data as exact integers.

use hopscope_units::Span;

/// Data in nanobits: a rate in kbit/s times a time in picoseconds, so that flows are exact integers.
pub type Nanobits = u64;

/// Nanobits in a bit.
pub const NANOBITS: Nanobits = 1_000_000_000;

/// The transmission time of this many bits on a link of this rate, kbit/s.
#[inline]
#[must_use]
pub fn time_of(bits: u64, rate: u32) -> Span {
    Span::from_ps((bits * NANOBITS).div_ceil(u64::from(rate)))
}

//! Shares as whole numbers: the laws compute with parts of 2^32, the same on every machine.

use hopscope_units::Span;

/// One.
pub const ONE: u64 = 1 << 32;

/// A factor from a scenario.
#[must_use]
pub fn parts(factor: f64) -> u64 {
    (factor * ONE as f64) as u64
}

/// So many parts of an amount.
#[must_use]
pub fn scaled(amount: u64, factor: u64) -> u64 {
    saturated((u128::from(amount) * u128::from(factor)) >> 32)
}

/// What an amount is of a whole, in parts; at most 2^32 times it.
#[must_use]
pub fn share(amount: u64, whole: u64) -> u64 {
    saturated((u128::from(amount) << 32) / u128::from(whole.max(1)))
}

/// Bits that a rate in kbit/s carries in a time.
#[must_use]
pub fn carried(rate: u64, time: Span) -> u64 {
    saturated(u128::from(rate) * u128::from(time.ps()) / 1_000_000_000)
}

/// The rate in kbit/s at which so many bits go in a time: at least 1.
#[must_use]
pub fn rate_of(bits: u64, time: Span) -> u64 {
    saturated(u128::from(bits) * 1_000_000_000 / u128::from(time.ps().max(1))).max(1)
}

fn saturated(amount: u128) -> u64 {
    u64::try_from(amount).unwrap_or(u64::MAX)
}

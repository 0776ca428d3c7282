//! Shares as whole numbers: the laws compute with parts of 2^32, the same on every machine.

use hopscope_units::Span;

/// One.
pub const ONE: u64 = 1 << 32;

/// Picoseconds in the time in which a rate in kbit/s carries its number of bits.
const PS_A_MS: u64 = 1_000_000_000;

/// A factor from a scenario.
#[must_use]
pub fn parts(factor: f64) -> u64 {
    (factor * ONE as f64) as u64
}

/// A share, in parts, of an amount.
#[must_use]
pub fn scaled(amount: u64, factor: u64) -> u64 {
    saturated((u128::from(amount) * u128::from(factor)) >> 32)
}

/// An amount as a share of a whole, in parts; at most 2^32 times it.
#[must_use]
pub fn share(amount: u64, whole: u64) -> u64 {
    product_over(amount, ONE, whole)
}

/// Bits that a rate in kbit/s carries in a time.
#[must_use]
pub fn carried(rate: u64, time: Span) -> u64 {
    product_over(rate, time.ps(), PS_A_MS)
}

/// The rate in kbit/s that carries this many bits in a time: at least 1.
#[must_use]
pub fn rate_of(bits: u64, time: Span) -> u64 {
    product_over(bits, PS_A_MS, time.ps()).max(1)
}

/// A product over a whole, which counts as at least 1; rounded down. A product that fits in 64 bits is divided there,
/// in a fraction of the time of a 128-bit division: telemetry needs some twenty per acknowledgment.
#[inline]
fn product_over(one: u64, other: u64, whole: u64) -> u64 {
    let whole = whole.max(1);
    match one.checked_mul(other) {
        Some(product) => product / whole,
        None => saturated(u128::from(one) * u128::from(other) / u128::from(whole)),
    }
}

fn saturated(amount: u128) -> u64 {
    u64::try_from(amount).unwrap_or(u64::MAX)
}

//! Amounts of data.

use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Sub};
use core::str::FromStr;

use crate::quantity::{self, ParseQuantityError, Unit};

/// An amount of data in bits.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Data(u64);

const UNITS: &[Unit] = &[
    Unit { names: &["GB"], scale: 8_000_000_000 },
    Unit { names: &["MB"], scale: 8_000_000 },
    Unit { names: &["kB", "KB"], scale: 8_000 },
    Unit { names: &["B", "byte", "bytes"], scale: 8 },
    Unit { names: &["bit", "bits"], scale: 1 },
    Unit { names: &["KiB"], scale: 8 * 1024 },
    Unit { names: &["MiB"], scale: 8 * 1024 * 1024 },
    Unit { names: &["GiB"], scale: 8 * 1024 * 1024 * 1024 },
    Unit { names: &["kbit"], scale: 1_000 },
    Unit { names: &["Mbit"], scale: 1_000_000 },
];

impl Data {
    /// The units in which data are read: their names with their sizes in bits.
    pub fn units() -> impl Iterator<Item = (&'static str, u64)> {
        quantity::sizes(UNITS)
    }

    /// No data.
    pub const ZERO: Self = Self(0);

    /// This many bits.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// This many bytes of 8 bits.
    #[inline]
    #[must_use]
    pub const fn from_bytes(bytes: u64) -> Self {
        Self(bytes * 8)
    }

    /// Bits.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Whole bytes; a started byte counts.
    #[inline]
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.0.div_ceil(8)
    }
}

impl fmt::Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_multiple_of(8) { write!(f, "{} B", self.0 / 8) } else { write!(f, "{} bit", self.0) }
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Data {
    type Err = ParseQuantityError;

    /// Reads "1000 B", "4 KiB", "1008 bit". The value must be a whole number of bits.
    fn from_str(text: &str) -> Result<Self, ParseQuantityError> {
        quantity::parse(
            text,
            UNITS,
            "an amount of data such as \"1000 B\" or \"4 KiB\"",
            quantity::nothing_else,
        )
        .map(Self)
    }
}

impl Add for Data {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Data {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Data {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Sum for Data {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_sizes() {
        assert_eq!("4 KiB".parse(), Ok(Data::from_bytes(4096)));
        assert_eq!("1008 bits".parse(), Ok(Data::from_bits(1008)));
        assert_eq!("0.1 MB".parse(), Ok(Data::from_bytes(100_000)));
        assert_eq!(Data::from_bytes(1500).to_string(), "1500 B");
        assert_eq!(Data::from_bits(12).to_string(), "12 bit");
    }
}

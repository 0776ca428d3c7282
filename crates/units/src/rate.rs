//! Transmission rates.

use core::fmt;
use core::str::FromStr;

use crate::quantity::{self, ParseQuantityError, Unit};
use crate::{Data, Span};

/// A transmission rate in bits a second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

const UNITS: &[Unit] = &[
    Unit { names: &["Gbit/s", "Gbps", "Gb/s"], scale: 1_000_000_000 },
    Unit { names: &["Mbit/s", "Mbps", "Mb/s"], scale: 1_000_000 },
    Unit { names: &["kbit/s", "kbps", "kb/s", "Kbit/s"], scale: 1_000 },
    Unit { names: &["bit/s", "bps", "b/s"], scale: 1 },
    Unit { names: &["Tbit/s", "Tbps"], scale: 1_000_000_000_000 },
];

const PS_PER_S: u128 = 1_000_000_000_000;

impl Rate {
    /// This many bits a second. Zero is representable, so that a reader can refuse it with its place.
    #[inline]
    #[must_use]
    pub const fn from_bit_s(bit_s: u64) -> Self {
        Self(bit_s)
    }

    /// This many megabits a second.
    #[must_use]
    pub const fn from_mbit_s(mbit_s: u64) -> Self {
        Self(mbit_s * 1_000_000)
    }

    /// Bits a second.
    #[inline]
    #[must_use]
    pub const fn bit_s(self) -> u64 {
        self.0
    }

    /// The time to send this much, up to the next whole picosecond. Panics at rate 0 and past 213 days.
    #[must_use]
    pub fn time_for(self, data: Data) -> Span {
        // Packets are short: their product fits into 64 bits, whose division is several times as fast.
        if let Some(product) = data.bits().checked_mul(PS_PER_S as u64) {
            return Span::from_ps(product.div_ceil(self.0));
        }
        let ps = (u128::from(data.bits()) * PS_PER_S).div_ceil(u128::from(self.0));
        Span::from_ps(u64::try_from(ps).expect("a transmission of over 213 days"))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Of nothing, whoever reads "0 Gbit/s" would ask where the giga came from.
        quantity::write(f, self.0, if self.0 == 0 { &UNITS[3..4] } else { &UNITS[..4] })
    }
}

impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Rate {
    type Err = ParseQuantityError;

    /// Reads "100 Mbit/s", "50 kbit/s", "400 Gbit/s".
    fn from_str(text: &str) -> Result<Self, ParseQuantityError> {
        quantity::parse(text, UNITS, "a rate such as \"100 Mbit/s\" or \"50 kbit/s\"").map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_at_its_rate() {
        let an1 = Rate::from_mbit_s(100);
        assert_eq!(an1.time_for(Data::from_bytes(1)), Span::from_ns(80));
        // 56 kbit/s has no whole number of picoseconds a bit: the time is rounded up, once for the whole amount.
        assert_eq!("56 kbit/s".parse::<Rate>().unwrap().time_for(Data::from_bits(1)).ps(), 17_857_143);
    }

    #[test]
    fn reads_and_writes_rates() {
        assert_eq!("2.94 Mbit/s".parse(), Ok(Rate::from_bit_s(2_940_000)));
        assert_eq!("103.125Gbps".parse(), Ok(Rate::from_bit_s(103_125_000_000)));
        assert_eq!(Rate::from_mbit_s(100).to_string(), "100 Mbit/s");
        assert_eq!(Rate::from_bit_s(0).to_string(), "0 bit/s");
    }
}

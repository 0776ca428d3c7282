//! Transmission rates.

use core::fmt;
use core::str::FromStr;

use crate::quantity::{self, ParseQuantityError, Unit};
use crate::{Data, Span};

/// A transmission rate in bits a second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

/// Each with the names that operators use: of ports (100G, 25GbE) and in small letters.
const UNITS: &[Unit] = &[
    Unit {
        names: &["Gbit/s", "Gbps", "Gb/s", "G", "GbE", "gbit/s", "gbps", "gb/s", "g", "gbe"],
        scale: 1_000_000_000,
    },
    Unit {
        names: &["Mbit/s", "Mbps", "Mb/s", "M", "MbE", "mbit/s", "mbps", "mb/s", "m", "mbe"],
        scale: 1_000_000,
    },
    Unit { names: &["kbit/s", "kbps", "kb/s", "k", "Kbit/s", "Kbps", "Kb/s", "K"], scale: 1_000 },
    Unit { names: &["bit/s", "bps", "b/s"], scale: 1 },
    Unit {
        names: &["Tbit/s", "Tbps", "Tb/s", "T", "TbE", "tbit/s", "tbps", "tb/s", "t", "tbe"],
        scale: 1_000_000_000_000,
    },
];

/// How bits a second are written that are not read, behind the letter of their multiple.
const BITS: [&str; 6] = ["b", "bit", "bits", "bits/s", "b/sec", "bit/sec"];
/// The same of bytes a second.
const BYTES: [&str; 3] = ["B/s", "Bps", "Bytes/s"];
/// What may be either.
const EITHER: [&str; 3] = ["B", "BPS", "B/S"];

const PS_PER_S: u128 = 1_000_000_000_000;

impl Rate {
    /// The units in which rates are read: their names with their sizes in bit/s.
    pub fn units() -> impl Iterator<Item = (&'static str, u64)> {
        quantity::sizes(UNITS)
    }

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
        // Zero has no prefix.
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

    /// Reads "100 Mbit/s", "50 kbit/s", "400Gbps", "100G", "25GbE".
    fn from_str(text: &str) -> Result<Self, ParseQuantityError> {
        quantity::parse(text, UNITS, "a rate such as \"100 Mbit/s\" or \"50 kbit/s\"", meant).map(Self)
    }
}

/// What to write instead of a number with a unit that is none of these, where it has a multiple of bits or bytes.
fn meant(number: &str, unit: &str) -> Option<String> {
    let multiple = unit.chars().next().filter(|letter| "kKmMgGtT".contains(*letter))?;
    let unit = &unit[1..];
    let prefix = if multiple.eq_ignore_ascii_case(&'k') { 'k' } else { multiple.to_ascii_uppercase() };
    let bits = || format!("{number} {prefix}bit/s");
    let bytes = || number.parse::<f64>().ok().map(|bytes| format!("{} {prefix}bit/s", 8.0 * bytes));
    if BITS.contains(&unit) {
        Some(format!("write {}", bits()))
    } else if BYTES.contains(&unit) {
        bytes().map(|bytes| format!("write {bytes}"))
    } else if EITHER.contains(&unit) {
        bytes().map(|bytes| format!("write {}, or {bytes} if these are bytes", bits()))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rates_as_operators_write_them() {
        for text in [
            "25 Gbit/s",
            "25Gbps",
            "25Gb/s",
            "25G",
            "25 G",
            "25GbE",
            "25gbps",
            "25 gbit/s",
            "25gb/s",
            "25g",
            "25gbe",
            "25_000M",
            "0.025T",
            "25000 Mbps",
            "25000m",
        ] {
            assert_eq!(text.parse(), Ok(Rate::from_mbit_s(25_000)), "{text}");
        }
        assert_eq!(".5G".parse(), Ok(Rate::from_mbit_s(500)));
        assert_eq!("64K".parse(), "64 kbit/s".parse::<Rate>());
    }

    #[test]
    fn proposes_what_was_meant() {
        let meant = |text: &str| {
            let problem = text.parse::<Rate>().expect_err(text).problem;
            problem.split_once(": ").map(|(_, meant)| meant.to_owned())
        };
        assert_eq!(meant("100Gb").as_deref(), Some("write 100 Gbit/s"));
        assert_eq!(meant("100 gbit").as_deref(), Some("write 100 Gbit/s"));
        assert_eq!(meant("12.5 GB/s").as_deref(), Some("write 100 Gbit/s"));
        assert_eq!(meant("100GB").as_deref(), Some("write 100 Gbit/s, or 800 Gbit/s if these are bytes"));
        assert_eq!(meant("64 KBPS").as_deref(), Some("write 64 kbit/s, or 512 kbit/s if these are bytes"));
        assert_eq!((meant("3 fast"), meant("3 \u{b5}B"), meant("3 GHz")), (None, None, None));
    }

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

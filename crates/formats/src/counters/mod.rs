//! Counters of ports as tools print them, and what they are on a fabric.
//!
//! A form is a file here and a line in [`FORMS`]. Its reader gives [`Reading`]s: who, which port, which counters.
//! [`CounterFile::on`] finds the ports in a fabric; [`PortCounters::since`] takes two files apart.

mod bracketed;
mod counter;
mod ethtool;
mod exposition;
mod on_fabric;
mod perfquery;
mod sections;
mod write;

use crate::error::{Fault, FormatError};
pub use counter::Counter;
pub use on_fabric::{CountersOfPort, OTHER_FABRIC, PortCounters, Since};
pub use write::{WrittenCounters, WrittenPauses, write_counters, write_ethernet_counters};

/// The node that counters are of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// By the GUID of the node or of its port.
    Guid(u64),
    /// By the local identifier.
    Lid(u16),
    /// By name.
    Name(String),
}

/// A counter's value and the byte at which it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub counter: Counter,
    pub value: u64,
    pub width: Width,
    pub byte: usize,
}

/// How many bits a counter has. Of two tellings of one counter the wider holds: the later of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Width {
    /// A number of bits below 64.
    Bits(u8),
    /// 32 or 64: the tool does not say.
    Unknown,
    /// 64, which are never full.
    Long,
}

impl Width {
    /// The width of a counter of `bits` bits.
    pub fn of(bits: u8) -> Self {
        if bits < 64 { Self::Bits(bits) } else { Self::Long }
    }

    /// The same, of a tool that prints counters of 32 and of 64 bits under the name of the shorter one.
    pub fn of_either(bits: u8) -> Self {
        if bits == 32 { Self::Unknown } else { Self::of(bits) }
    }

    /// Whether a counter of this value has stopped at its maximum. Where the width is not known, a value of just 32
    /// ones is taken for that: a longer counter is at it once in 4 thousand million readings.
    pub fn is_full(self, value: u64) -> bool {
        match self {
            Self::Bits(bits) => value >= (1 << bits) - 1,
            Self::Unknown => value == u64::from(u32::MAX),
            Self::Long => false,
        }
    }
}

/// Counters of one port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub byte: usize,
    pub who: Who,
    /// The port; nothing where the node has one.
    pub port: Option<u16>,
    pub values: Vec<Value>,
}

/// A file of counters as found.
#[derive(Clone, Debug, PartialEq)]
pub struct CounterFile {
    form: &'static CounterForm,
    readings: Vec<Reading>,
    /// When they were read, seconds, where the file says.
    at_s: Option<f64>,
}

/// A form in which tools print counters.
#[derive(Debug)]
pub struct CounterForm {
    /// What messages call it: the tool.
    pub name: &'static str,
    /// How such a file begins, for example.
    pub example: &'static str,
    pub(crate) looks_like: fn(&str) -> bool,
    pub(crate) read: fn(&str) -> Result<Vec<Reading>, Fault>,
}

impl PartialEq for CounterForm {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// Every form that is read.
pub const FORMS: &[CounterForm] =
    &[perfquery::FORM, bracketed::FORM, sections::FORM, ethtool::FORM, exposition::FORM];

/// The line that gives the instant of a file, as hopscope writes it.
const INSTANT: &str = "# Read at ";

/// Reads a file of counters of any form.
///
/// # Errors
/// The first line that is not of its form, with its place; a file that is cut short or has no counters.
pub fn read(text: &str) -> Result<CounterFile, FormatError> {
    let Some(form) = FORMS.iter().find(|form| (form.looks_like)(text)) else {
        let known = FORMS.iter().map(|form| format!("`{}` ({})", form.example, form.name));
        let known: Vec<String> = known.collect();
        let problem = if text.trim().is_empty() { "the file is empty" } else { "these are not counters" };
        return Err(Fault::at(0, problem, known.join(", ")).in_text(text));
    };
    let readings = (form.read)(text).map_err(|fault| fault.in_text(text))?;
    if readings.is_empty() {
        let fault = Fault::at(text.len(), "the file ends without a counter", "counters of at least one port");
        return Err(fault.in_text(text));
    }
    Ok(CounterFile { form, readings, at_s: instant(text) })
}

/// The instant in a line such as "# Read at 0.0123 s".
fn instant(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(INSTANT))?;
    line.trim().strip_suffix(" s")?.parse().ok().filter(|at: &f64| at.is_finite())
}

/// A whole number, decimal or behind 0x.
pub(crate) fn whole(byte: usize, text: &str) -> Result<u64, Fault> {
    let text = text.trim();
    let read = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok().filter(|_| !text.starts_with('+')),
    };
    read.ok_or_else(|| Fault::at(byte, format!("\"{}\" is no counter", cut(text)), "a whole number"))
}

/// The beginning of a text, for a message.
pub(crate) fn cut(text: &str) -> String {
    text.chars().take(40).collect()
}

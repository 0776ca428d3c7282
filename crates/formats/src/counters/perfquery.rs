//! What `perfquery` prints: a heading for each port, then a counter a line with points between name and value.
//!
//! ```text
//! # Port extended counters: Lid 3 port 1 (CapMask: 0x1300 CapMask2: 0x0000000)
//! PortXmitData:....................1296
//! ```
//!
//! Port 255 stands for all ports of a node together, and port 0 for a switch itself: both are left out.

use super::{Counter, CounterForm, Reading, Value, Who, Width, whole};
use crate::error::Fault;
use crate::lines::{Cursor, lines};

pub(super) const FORM: CounterForm = CounterForm {
    name: "perfquery",
    example: "# Port counters: Lid 3 port 1",
    looks_like: |text| text.lines().any(|line| heading_words(line).is_some()),
    read,
};

/// Whether a counter is one of the extended ones, by the heading.
fn heading_words(line: &str) -> Option<bool> {
    let line = line.trim_start();
    let plain = line.starts_with("# Port counters: Lid").then_some(false);
    plain.or_else(|| line.starts_with("# Port extended counters: Lid").then_some(true))
}

/// All ports of one node together.
const ALL_PORTS: u64 = 255;

fn read(text: &str) -> Result<Vec<Reading>, Fault> {
    let mut readings: Vec<Reading> = Vec::new();
    // Whether the section at hand is of extended counters; nothing where it is left out.
    let mut section: Option<bool> = None;
    for (byte, line) in lines(text) {
        if let Some(extended) = heading_words(line) {
            end_of_section(&readings, section, byte)?;
            let (lid, port) = heading((byte, line))?;
            section = (port != 0 && port != ALL_PORTS).then_some(extended);
            if section.is_some() {
                let (who, port) = (Who::Lid(lid), Some(port as u16));
                readings.push(Reading { byte, who, port, values: Vec::new() });
            }
            continue;
        }
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let Some((name, value)) = trimmed.split_once(':') else {
            let problem = format!("\"{}\"", super::cut(trimmed));
            let fault = Fault::at(byte, problem, "a counter such as PortXmitData:....1296");
            return Err(fault.hint("is the file cut short, or does it hold messages of an error?"));
        };
        let Some(extended) = section else { continue };
        if let Some((counter, bits)) = Counter::of_infiniband(name) {
            let at = byte + line.find(':').unwrap_or(0) + 1;
            let value = whole(at, value.trim_start_matches('.'))?;
            let width = if extended { Width::Long } else { Width::of(bits) };
            readings.last_mut().expect("a section begins with its port").values.push(Value {
                counter,
                value,
                width,
                byte,
            });
        }
    }
    end_of_section(&readings, section, text.len())?;
    Ok(readings)
}

/// A port without a counter is one whose section is cut short.
fn end_of_section(readings: &[Reading], section: Option<bool>, byte: usize) -> Result<(), Fault> {
    match readings.last() {
        Some(last) if section.is_some() && last.values.is_empty() => {
            let problem = "the counters of a port end before they begin";
            Err(Fault::at(byte, problem, "counters below their heading").hint("is the file cut short?"))
        }
        _ => Ok(()),
    }
}

fn heading(line: (usize, &str)) -> Result<(u16, u64), Fault> {
    let mut cursor = Cursor::new(line);
    cursor.until(':', "a heading such as # Port counters: Lid 3 port 1")?;
    cursor.expect("Lid", "\"Lid\"")?;
    let (at, word) = cursor.word();
    let lid = whole(at, word)?;
    cursor.expect("port", "\"port\"")?;
    let (at, word) = cursor.word();
    let port = whole(at, word)?;
    match u16::try_from(lid) {
        Ok(lid) if port <= ALL_PORTS => Ok((lid, port)),
        _ => Err(Fault::at(at, format!("LID {lid}, port {port}"), "a LID below 49152 and a port up to 255")),
    }
}

//! The port counters of `ibdiagnet`: a heading for each port, then a counter a line.
//!
//! ```text
//! Port=1 Lid=0x0003 GUID=0x0002c90300a01000 Device=53000 Port Name=leaf1/1
//! ----------------------------------------------------------------------
//! port_xmit_wait=0x0000000000000012
//! port_xmit_wait_extended=0x0000000000000012
//! ```
//!
//! The same counter may stand there plain and extended, with 32 and with 64 bits.

use super::{Counter, CounterForm, Reading, Value, Who, Width, whole};
use crate::error::Fault;
use crate::lines::lines;

pub(super) const FORM: CounterForm = CounterForm {
    name: "ibdiagnet",
    example: "Port=1 Lid=0x0003 GUID=0x0002c90300a01000",
    looks_like: |text| text.lines().any(is_heading),
    read,
};

fn is_heading(line: &str) -> bool {
    line.starts_with("Port=") && line.contains(" GUID=")
}

fn read(text: &str) -> Result<Vec<Reading>, Fault> {
    let mut readings: Vec<Reading> = Vec::new();
    for (byte, line) in lines(text) {
        if is_heading(line) {
            readings.push(heading(byte, line)?);
            continue;
        }
        let (Some((name, value)), Some(reading)) = (line.split_once('='), readings.last_mut()) else {
            continue;
        };
        if let Some((counter, bits)) = Counter::of_infiniband(name.trim()) {
            // Counters that the tool cannot read have words in place of a number.
            if value.trim().starts_with('N') {
                continue;
            }
            let value = whole(byte + name.len() + 1, value)?;
            reading.values.push(Value { counter, value, width: Width::of_either(bits), byte });
        }
    }
    readings.retain(|reading| reading.port != Some(0));
    Ok(readings)
}

fn heading(byte: usize, line: &str) -> Result<Reading, Fault> {
    let field = |name: &str| {
        let value = line.split_whitespace().find_map(|word| word.strip_prefix(name));
        value.ok_or_else(|| Fault::at(byte, format!("a heading without {name}"), "Port=, Lid= and GUID="))
    };
    let port = whole(byte, field("Port=")?)?;
    let guid = whole(byte, field("GUID=")?)?;
    let port =
        u16::try_from(port).map_err(|_| Fault::at(byte, format!("port {port}"), "a port up to 254"))?;
    Ok(Reading { byte, who: Who::Guid(guid), port: Some(port), values: Vec::new() })
}

//! What `ibqueryerrors` prints: a line for each node, a line for each of its ports with counters in brackets.
//!
//! ```text
//! Errors for 0x2c90300a01000 "leaf 1"
//!    GUID 0x2c90300a01000 port 3: [SymbolErrorCounter == 5] [PortXmitWait == 12]
//! ```
//!
//! It leaves out ports without errors, and with `--counters` prints data counters of all. The tool does not say whether
//! counters of data, packets and waiting have 32 or 64 bits; those of errors are as small as they are.

use super::{Counter, CounterForm, Reading, Value, Who, Width, cut, whole};
use crate::error::Fault;
use crate::lines::{Cursor, lines};

pub(super) const FORM: CounterForm = CounterForm {
    name: "ibqueryerrors",
    example: "Errors for 0x2c90300a01000 \"leaf 1\"",
    looks_like: |text| text.lines().any(|line| BEGINNINGS.iter().any(|begin| line.starts_with(begin))),
    read,
};

const BEGINNINGS: [&str; 2] = ["Errors for ", "Data Counters for "];

fn read(text: &str) -> Result<Vec<Reading>, Fault> {
    let mut readings = Vec::new();
    for (byte, line) in lines(text) {
        let mut cursor = Cursor::new((byte, line));
        if !cursor.take("GUID") {
            continue;
        }
        let guid = cursor.hexadecimal(u64::MAX, "a GUID, such as 0x2c90300a01000")?;
        cursor.expect("port", "\"port\"")?;
        if cursor.take("ALL:") {
            continue;
        }
        let port = cursor.number(254, "the number of a port, or ALL")? as u16;
        cursor.expect(":", "a : after the port's number")?;
        let values = values(&mut cursor)?;
        if port > 0 {
            readings.push(Reading { byte, who: Who::Guid(guid), port: Some(port), values });
        }
    }
    Ok(readings)
}

fn values(cursor: &mut Cursor<'_>) -> Result<Vec<Value>, Fault> {
    let mut values = Vec::new();
    while cursor.take("[") {
        let (byte, inner) = cursor.until(']', "the ] after a counter")?;
        let Some((name, value)) = inner.split_once("==") else {
            return Err(Fault::at(
                byte,
                format!("\"{}\"", cut(inner)),
                "a counter such as PortXmitWait == 12",
            ));
        };
        // The amount in larger units follows in parentheses.
        let value = value.split('(').next().unwrap_or(value);
        if let Some((counter, bits)) = Counter::of_infiniband(name.trim()) {
            let value = whole(byte, value)?;
            values.push(Value { counter, value, width: Width::of_either(bits), byte });
        }
    }
    Ok(values)
}

//! What `ethtool -S` prints of one port after another, each under a line `==> leaf1:3 <==` that names the node and,
//! of a switch, the port, as `tail -n +1 *` prints the names of files.
//!
//! ```text
//! ==> node7 <==
//! NIC statistics:
//!      rx_prio3_pause: 17
//! ```

use super::{Counter, CounterForm, Reading, Value, Who, Width, cut, whole};
use crate::error::Fault;
use crate::lines::lines;

pub(super) const FORM: CounterForm = CounterForm {
    name: "ethtool -S",
    example: "==> node7 <==",
    looks_like: |text| text.lines().any(|line| line.trim() == HEADING),
    read,
};

/// What the tool prints first.
const HEADING: &str = "NIC statistics:";

fn read(text: &str) -> Result<Vec<Reading>, Fault> {
    let mut readings: Vec<Reading> = Vec::new();
    let mut named = false;
    for (byte, line) in lines(text) {
        let line = line.trim();
        if let Some(name) = line.strip_prefix("==>").and_then(|rest| rest.strip_suffix("<==")) {
            let (who, port) = node_and_port(name.trim());
            readings.push(Reading { byte, who, port, values: Vec::new() });
            named = true;
        } else if line == HEADING {
            if !std::mem::take(&mut named) {
                let fault = Fault::at(byte, "counters of nobody", "a line such as ==> node7 <== before them");
                return Err(fault.hint("`tail -n +1 DIR/*` prints files under their names"));
            }
        } else if let (Some((name, value)), Some(reading)) = (line.rsplit_once(':'), readings.last_mut()) {
            if let Some((counter, divisor)) = Counter::of_ethernet(name.trim()) {
                let value = whole(byte, value)? / divisor;
                reading.values.push(Value { counter, value, width: Width::Long, byte });
            }
        } else if !line.is_empty() && !line.starts_with('#') {
            return Err(Fault::at(
                byte,
                format!("\"{}\"", cut(line)),
                "a counter such as rx_prio3_pause: 17",
            ));
        }
    }
    Ok(readings)
}

/// The node and the port that a heading names: of a path the last part, without an ending such as `.txt`.
fn node_and_port(name: &str) -> (Who, Option<u16>) {
    let name = name.rsplit('/').next().unwrap_or(name);
    let name = name.strip_suffix(".txt").unwrap_or(name);
    match name.rsplit_once(':').map(|(node, port)| (node, port.parse())) {
        Some((node, Ok(port))) => (Who::Name(node.to_owned()), Some(port)),
        _ => (Who::Name(name.to_owned()), None),
    }
}

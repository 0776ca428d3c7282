//! Prometheus text expositions of port counters, as exporters of InfiniBand and Ethernet counters give them.
//!
//! ```text
//! infiniband_switch_port_transmit_wait_total{guid="0x2c90300a01000",port="1",switch="leaf1"} 12
//! node_infiniband_port_data_transmitted_bytes_total{device="mlx5_0",instance="node7:9100",port="1"} 4096
//! ```
//!
//! A metric is known by how its name ends. The node is that of the label `guid`, `switch`, `host`, `node` or
//! `instance`, the last without its port of TCP.

use std::collections::BTreeMap;

use super::counter::DATA_UNIT;
use super::{Counter, CounterForm, Reading, Value, Who, Width, cut};
use crate::error::Fault;
use crate::lines::lines;

pub(super) const FORM: CounterForm = CounterForm {
    name: "Prometheus",
    example: "infiniband_switch_port_transmit_wait_total{guid=\"0x1\",port=\"1\"} 12",
    looks_like: |text| text.lines().filter(|line| !line.starts_with('#')).any(|line| named(line).is_some()),
    read,
};

/// Ends of metrics' names, and what a value is divided by.
const METRICS: [(&str, Counter, u64); 16] = [
    ("port_transmit_data_bytes_total", Counter::XmitData, DATA_UNIT),
    ("port_receive_data_bytes_total", Counter::RcvData, DATA_UNIT),
    ("port_data_transmitted_bytes_total", Counter::XmitData, DATA_UNIT),
    ("port_data_received_bytes_total", Counter::RcvData, DATA_UNIT),
    ("port_transmit_packets_total", Counter::XmitPackets, 1),
    ("port_packets_transmitted_total", Counter::XmitPackets, 1),
    ("port_receive_packets_total", Counter::RcvPackets, 1),
    ("port_packets_received_total", Counter::RcvPackets, 1),
    ("port_transmit_wait_total", Counter::XmitWait, 1),
    ("port_transmit_discards_total", Counter::XmitDiscards, 1),
    ("port_discards_transmitted_total", Counter::XmitDiscards, 1),
    ("symbol_error_total", Counter::SymbolErrors, 1),
    ("link_error_recovery_total", Counter::LinkRecoveries, 1),
    ("link_downed_total", Counter::LinkDowned, 1),
    ("local_link_integrity_errors_total", Counter::IntegrityErrors, 1),
    ("port_errors_received_total", Counter::RcvErrors, 1),
];

/// The counter of a line, what its value is divided by, and how wide it is: exporters do not say it of InfiniBand's.
fn named(line: &str) -> Option<(Counter, u64, Width)> {
    let name = line.split(['{', ' ']).next()?;
    let known = METRICS.iter().find(|(end, ..)| name.ends_with(end));
    let ethernet = || {
        let (counter, divisor) = Counter::of_ethernet(name.split_once("ethtool_")?.1)?;
        Some((counter, divisor, Width::Long))
    };
    known.map(|(_, counter, divisor)| (*counter, *divisor, Width::Unknown)).or_else(ethernet)
}

fn read(text: &str) -> Result<Vec<Reading>, Fault> {
    let mut readings: Vec<Reading> = Vec::new();
    let mut places: BTreeMap<(String, Option<u16>), usize> = BTreeMap::new();
    for (byte, line) in lines(text) {
        let Some((counter, divisor, width)) = named(line).filter(|_| !line.starts_with('#')) else {
            continue;
        };
        let (labels, rest) = labels(byte, line)?;
        let label = |name: &str| labels.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str());
        let port = label("port").and_then(|port| port.parse().ok());
        let Some(who) = who(&label) else {
            let expected = "a label guid, switch, host, node or instance";
            return Err(Fault::at(byte, "a counter of nobody", expected));
        };
        let value = rest.split_whitespace().next().unwrap_or_default();
        let read = value.parse::<f64>().ok().filter(|value| (0.0..=u64::MAX as f64).contains(value));
        let Some(value) = read else {
            return Err(Fault::at(byte, format!("\"{}\" is no counter", cut(value)), "a number from 0 on"));
        };
        if port == Some(0) {
            continue;
        }
        let place = *places.entry((format!("{who:?}"), port)).or_insert_with(|| {
            readings.push(Reading { byte, who, port, values: Vec::new() });
            readings.len() - 1
        });
        let value = value as u64 / divisor;
        readings[place].values.push(Value { counter, value, width, byte });
    }
    Ok(readings)
}

fn who<'a>(label: &impl Fn(&str) -> Option<&'a str>) -> Option<Who> {
    if let Some(guid) = label("guid") {
        let digits = guid.strip_prefix("0x").unwrap_or(guid);
        return u64::from_str_radix(digits, 16).ok().map(Who::Guid);
    }
    let named = ["switch", "host", "node"].iter().find_map(|name| label(name)).map(str::to_owned);
    let instance = || {
        let instance = label("instance")?;
        Some(instance.rsplit_once(':').map_or(instance, |(host, _)| host).to_owned())
    };
    named.or_else(instance).map(Who::Name)
}

/// A label and its value.
type Label<'a> = (&'a str, String);

/// The labels of a line, and what follows them.
fn labels(byte: usize, line: &str) -> Result<(Vec<Label<'_>>, &str), Fault> {
    let Some((_, mut rest)) = line.split_once('{') else {
        return Ok((Vec::new(), line.split_once(' ').map_or("", |(_, value)| value)));
    };
    let mut labels = Vec::new();
    let broken = || Fault::at(byte, "labels that do not end", "labels such as {guid=\"0x1\",port=\"1\"}");
    loop {
        rest = rest.trim_start_matches([',', ' ']);
        if let Some(after) = rest.strip_prefix('}') {
            return Ok((labels, after));
        }
        let (key, after) = rest.split_once("=\"").ok_or_else(broken)?;
        let mut value = String::new();
        let mut letters = after.char_indices();
        let end = loop {
            match letters.next() {
                Some((at, '"')) => break at,
                Some((_, '\\')) => value.extend(letters.next().map(|(_, escaped)| escaped)),
                Some((_, letter)) => value.push(letter),
                None => return Err(broken()),
            }
        };
        labels.push((key.trim(), value));
        rest = &after[end + 1..];
    }
}

//! Counters as `perfquery` prints them, and as `ethtool -S` does.

use std::fmt::Write;

use hopscope_topology::{Endpoint, Node};

use super::INSTANT;
use crate::fabric::{CabledNetwork, NodeLids};

/// What a port has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrittenCounters {
    /// Data sent, in units of four bytes.
    pub xmit_data: u64,
    /// Data received, in units of four bytes.
    pub rcv_data: u64,
    /// Packets sent.
    pub xmit_packets: u64,
    /// Packets received.
    pub rcv_packets: u64,
    /// Ticks with something to send in which nothing was sent.
    pub xmit_wait: u64,
    /// Errors on the lanes of the link.
    pub symbol_errors: u64,
    /// How often the link has gone down.
    pub link_downed: u64,
    /// Packets that were to leave by the port and were dropped.
    pub xmit_discards: u64,
}

/// The counters of a fabric's ports at an instant, as `perfquery` and `perfquery -x` print them one port after another.
/// Ports are known by their LIDs; nothing where there are more nodes than LIDs.
#[must_use]
pub fn write_counters<'a>(
    fabric: &CabledNetwork,
    at_s: f64,
    ports: impl IntoIterator<Item = (Endpoint, &'a WrittenCounters)>,
) -> Option<String> {
    let NodeLids { switches, hosts, .. } = fabric.lids()?;
    let mut text = format!("{INSTANT}{at_s} s\n");
    for (end, counted) in ports {
        let (lid, port) = match end.node {
            Node::Switch(id) => (switches[id.index()], end.port + fabric.port_offset()),
            Node::Host(id) => (hosts[id.index()], 1),
        };
        section(&mut text, lid, port, counted).expect("a text takes any line");
    }
    Some(text)
}

/// What a port has counted of pause frames of one priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrittenPauses {
    /// Pause frames sent.
    pub sent: u64,
    /// Pause frames received.
    pub received: u64,
    /// Microseconds in which the port was paused.
    pub paused_us: u64,
    /// Microseconds in which it paused the other end.
    pub pausing_us: u64,
}

/// The counters of a fabric's ports at an instant as `ethtool -S` prints them, one port after another under its name.
#[must_use]
pub fn write_ethernet_counters<'a>(
    fabric: &CabledNetwork,
    at_s: f64,
    ports: impl IntoIterator<Item = (Endpoint, &'a WrittenCounters, &'a [WrittenPauses])>,
) -> String {
    let mut text = format!("{INSTANT}{at_s} s\n");
    for (end, counted, pauses) in ports {
        let name = match end.node {
            Node::Switch(id) => {
                format!("{}:{}", fabric.network.switch(id).name, end.port + fabric.port_offset())
            }
            Node::Host(id) => fabric.network.host(id).name.clone(),
        };
        ethernet_section(&mut text, &name, counted, pauses).expect("a text takes any line");
    }
    text
}

fn ethernet_section(
    text: &mut String,
    name: &str,
    counted: &WrittenCounters,
    pauses: &[WrittenPauses],
) -> std::fmt::Result {
    writeln!(text, "==> {name} <==\nNIC statistics:")?;
    let rows = [
        ("tx_bytes_phy", 4 * counted.xmit_data),
        ("rx_bytes_phy", 4 * counted.rcv_data),
        ("tx_packets_phy", counted.xmit_packets),
        ("rx_packets_phy", counted.rcv_packets),
        ("tx_discards_phy", counted.xmit_discards),
        ("rx_symbol_err_phy", counted.symbol_errors),
        ("link_down_events_phy", counted.link_downed),
    ];
    for (name, value) in rows {
        writeln!(text, "     {name}: {value}")?;
    }
    for (priority, of) in pauses.iter().enumerate() {
        writeln!(text, "     rx_prio{priority}_pause: {}", of.received)?;
        writeln!(text, "     rx_prio{priority}_pause_duration: {}", of.paused_us)?;
        writeln!(text, "     tx_prio{priority}_pause: {}", of.sent)?;
        writeln!(text, "     tx_prio{priority}_pause_duration: {}", of.pausing_us)?;
    }
    Ok(())
}

fn section(text: &mut String, lid: u16, port: u16, counted: &WrittenCounters) -> std::fmt::Result {
    let WrittenCounters {
        xmit_data,
        rcv_data,
        xmit_packets,
        rcv_packets,
        xmit_wait,
        symbol_errors,
        link_downed,
        xmit_discards,
    } = counted;
    writeln!(text, "# Port extended counters: Lid {lid} port {port} (CapMask: 0x0300 CapMask2: 0x0000000)")?;
    let rows = [
        ("PortSelect", u64::from(port)),
        ("PortXmitData", *xmit_data),
        ("PortRcvData", *rcv_data),
        ("PortXmitPkts", *xmit_packets),
        ("PortRcvPkts", *rcv_packets),
        ("PortXmitWait", *xmit_wait),
        ("SymbolErrorCounter", *symbol_errors),
        ("LinkDownedCounter", *link_downed),
        ("PortXmitDiscards", *xmit_discards),
    ];
    for (name, value) in rows {
        writeln!(text, "{:.<33}{value}", format!("{name}:"))?;
    }
    Ok(())
}

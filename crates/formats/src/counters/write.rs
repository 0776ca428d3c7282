//! Counters as `perfquery` prints them.

use std::fmt::Write;

use hopscope_topology::{Endpoint, Node};

use super::INSTANT;
use crate::fabric::CabledNetwork;

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
    let (switches, hosts) = fabric.lids()?;
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

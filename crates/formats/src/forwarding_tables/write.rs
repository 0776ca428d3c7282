//! Writes tables in the form that OpenSM's routing engine `file` loads.

use std::fmt::Write;

use hopscope_topology::{DestinationTables, HostId, Port, SwitchId};

use crate::cabled::CabledNetwork;

/// What a LID stands for.
#[derive(Clone, Copy)]
enum Target {
    Switch(SwitchId),
    Host(HostId),
}

/// The tables as text: a section for each switch, an entry for each switch and host, in the order of their LIDs.
///
/// `to_switches` holds the ports towards the switches themselves, which carry management: by destination, then switch.
/// OpenSM knows the node of an entry by its port GUID, so that it may number LIDs otherwise than `fabric` does.
#[must_use]
pub fn lfts(fabric: &CabledNetwork, tables: &DestinationTables, to_switches: &[Vec<Option<Port>>]) -> String {
    let network = &fabric.network;
    let (switch_lids, host_lids) = fabric.lids();
    let switches = network.switch_ids().map(|id| (switch_lids[id.index()], Target::Switch(id)));
    let hosts = network.host_ids().map(|id| (host_lids[id.index()], Target::Host(id)));
    let mut targets: Vec<(u16, Target)> = switches.chain(hosts).collect();
    targets.sort_by_key(|(lid, _)| *lid);
    let most = targets.last().map_or(0, |(lid, _)| *lid);
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| writeln!(text, "{words}").expect("a text takes any line");
    for id in network.switch_ids() {
        let (name, guid, lid) =
            (&network.switch(id).name, fabric.switches[id.index()].guid, switch_lids[id.index()]);
        line(format_args!("Unicast lids [0-{most}] of switch Lid {lid} guid {guid:#018x} ('{name}'):"));
        let mut count = 0;
        for (lid, target) in &targets {
            let (port, kind, guid, name) = match *target {
                Target::Switch(to) => {
                    let port = if to == id { Some(0) } else { to_switches[to.index()][id.index()] };
                    (port, "Switch", fabric.switches[to.index()].guid, &network.switch(to).name)
                }
                Target::Host(to) => {
                    let port = tables.port(id, to);
                    (port, "Channel Adapter", fabric.hosts[to.index()].guid, &network.host(to).name)
                }
            };
            if let Some(port) = port {
                line(format_args!("{lid:#06x} {port:03} # {kind} portguid {guid:#018x}: '{name}'"));
                count += 1;
            }
        }
        line(format_args!("{count} lids dumped"));
    }
    text
}

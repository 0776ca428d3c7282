//! A network as those see it who print its figures and draw it.

use hopscope_kernel::elsewhere;
use hopscope_topology::{Channel, ChannelDependencies, Demand, Figures, LinkId, Network, Node, Routes};
use serde_json::{Value as Json, json};

/// Figures, nodes and links of a network under its routes.
pub(crate) fn topology(network: &Network, routes: &Routes) -> Json {
    let switches = network.switch_ids().map(|id| {
        let switch = network.switch(id);
        let (x, y) = switch.position.unzip();
        json!({"name": switch.name, "kind": "switch", "role": null, "x": x, "y": y, "level": routes.level(id)})
    });
    let hosts = network.hosts().iter().map(|host| {
        let (x, y) = host.position.unzip();
        json!({"name": host.name, "kind": "host", "role": host.role, "x": x, "y": y, "level": null})
    });
    // In a large network either takes as long as the other; neither changes with what the other does.
    let figures = elsewhere(|| Figures::new(network, routes, Demand::of(network)));
    let (figures, deadlock) = rayon::join(figures, elsewhere(|| deadlock(network, routes)));
    json!({
        "figures": figures,
        "deadlock": deadlock,
        "nodes": switches.chain(hosts).collect::<Vec<_>>(),
        "links": network.link_ids().map(|id| link(network, routes, id)).collect::<Vec<_>>(),
    })
}

/// Whether packets can deadlock, and a shortest cycle of channels that they could hold, each waiting
/// for the next and the last for the first.
fn deadlock(network: &Network, routes: &Routes) -> Json {
    let dependencies = ChannelDependencies::new(network, routes);
    let hop = |channel: &Channel| {
        let far = network.far_end(channel.from, channel.port).expect("a channel ends somewhere");
        json!({
            "from": network.switch(channel.from).name, "from_port": channel.port,
            "to": network.name(far.node), "to_port": far.port,
        })
    };
    let cycle = dependencies.shortest_cycle();
    json!({
        "possible": cycle.is_some(),
        "channels": dependencies.channel_count(),
        "dependencies": dependencies.dependency_count(),
        "cycle": cycle.iter().flatten().map(hop).collect::<Vec<_>>(),
    })
}

/// A link from its first end; `up` says whether that direction leads up, where links have a direction.
fn link(network: &Network, routes: &Routes, id: LinkId) -> Json {
    let [a, b] = network.link(id).ends;
    let name = |node: Node| network.name(node).to_owned();
    json!({
        "from": name(a.node), "from_port": a.port,
        "to": name(b.node), "to_port": b.port,
        "up": routes.is_up(id, 0),
    })
}

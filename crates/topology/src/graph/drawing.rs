//! Where to draw what: positions that generators and the builder share.

use std::f64::consts::TAU;

use crate::graph::Network;

/// How far a host is drawn from its switch, where neighbouring switches are 1 apart.
const HOST_DISTANCE: f64 = 0.3;

/// The `i`-th of `count` places on a circle, clockwise from the top, where neighbours are `spacing` apart along it.
pub(crate) fn on_circle(i: u32, count: u32, spacing: f64) -> (f64, f64) {
    let radius = spacing * (f64::from(count) / TAU).max(1.0);
    let angle = TAU * f64::from(i) / f64::from(count);
    (radius * libm::sin(angle), -radius * libm::cos(angle))
}

/// Draws hosts that have no position on a circle around their switch, if that has one.
pub(crate) fn place_hosts(network: &mut Network) {
    let mut placed = vec![0u32; network.switches.len()];
    let all = network.hosts_per_switch();
    for host in &mut network.hosts {
        let switch = host.switch.index();
        let (i, count) = (placed[switch], all[switch]);
        placed[switch] += 1;
        if let (None, Some((x, y))) = (host.position, network.switches[switch].position) {
            // Half a step on, so that few hosts do not lie on the links of a grid.
            let angle = TAU * (f64::from(i) + 0.5) / f64::from(count);
            let (dx, dy) = (libm::sin(angle), -libm::cos(angle));
            host.position = Some((x + HOST_DISTANCE * dx, y + HOST_DISTANCE * dy));
        }
    }
}

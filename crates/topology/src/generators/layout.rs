//! What all families share: checks of their sizes, and the hosts at their switches.

use hopscope_measure::Problem;

use crate::graph::builder::NetworkBuilder;
use crate::graph::{Network, Node, Role, SwitchId};

/// The most switches that routes are computed for.
const MOST_SWITCHES: u64 = 65_534;
/// The most hosts in all.
const MOST_HOSTS: u64 = 1 << 20;
/// The most hosts at a switch: its ports are numbered in 16 bits, and links need some.
const MOST_HOSTS_PER_SWITCH: u32 = 30_000;

/// Collects what is wrong with a family's parameters.
#[derive(Default)]
pub(super) struct Checks(Vec<Problem>);

impl Checks {
    /// The value must be within these bounds.
    pub fn range(&mut self, field: &str, value: u32, least: u32, most: u32) {
        if value < least || value > most {
            self.0.push(Problem::new(
                field,
                format!("{value} is out of range"),
                format!("{least} to {most}"),
            ));
        }
    }

    /// A condition that is no mere range.
    pub fn require(&mut self, holds: bool, field: &str, problem: impl Into<String>, expected: &str) {
        if !holds {
            self.0.push(Problem::new(field, problem, expected));
        }
    }

    /// The network as a whole must fit, and have room for its servers. `hosts` is, for each kind of switch that has
    /// any, the field that says how many hosts each has, that number, and how many such switches there are.
    pub fn size(&mut self, switches: u64, hosts: &[(&str, u32, u64)], servers: u32) {
        let each_kind = hosts.iter().map(|(_, each, switches)| switches.saturating_mul(u64::from(*each)));
        let all = each_kind.fold(0, u64::saturating_add);
        for (field, each, _) in hosts {
            self.range(field, *each, 0, MOST_HOSTS_PER_SWITCH);
        }
        // What is out of range by itself makes no sensible sum.
        if !self.0.is_empty() {
            return;
        }
        if switches > MOST_SWITCHES {
            let expected = format!("at most {MOST_SWITCHES} switches");
            self.0.push(Problem::new("", format!("{switches} switches are too many"), expected));
        } else if all > MOST_HOSTS {
            let expected = format!("at most {MOST_HOSTS} hosts in all");
            self.0.push(Problem::new(hosts[0].0, format!("{all} hosts are too many"), expected));
        } else if u64::from(servers) > all {
            let problem = format!("{servers} servers among {all} hosts");
            self.0.push(Problem::new("servers", problem, format!("at most {all}")));
        }
    }

    /// Every problem found, if any.
    pub fn passed(self) -> Result<(), Vec<Problem>> {
        if self.0.is_empty() { Ok(()) } else { Err(self.0) }
    }
}

/// Attaches this many hosts to each of these switches, numbered on from the hosts there are.
pub(super) fn attach_hosts(builder: &mut NetworkBuilder, switches: &[SwitchId], hosts_per_switch: u32) {
    for &switch in switches {
        for _ in 0..hosts_per_switch {
            builder.add_host(format!("h{}", builder.host_count()), switch, Role::Any);
        }
    }
}

/// Attaches this many hosts of one role to each of these switches and draws them in a row `dy` below it.
pub(super) fn attach_row(
    builder: &mut NetworkBuilder,
    switches: &[SwitchId],
    hosts_per_switch: u32,
    role: Role,
    dy: f64,
) {
    for &switch in switches {
        for i in 0..hosts_per_switch {
            let host = builder.add_host(format!("h{}", builder.host_count()), switch, role);
            if let Some((x, y)) = builder.position(switch) {
                let dx = (f64::from(i) + 0.5) / f64::from(hosts_per_switch) - 0.5;
                builder.place(Node::Host(host), x + 0.9 * dx, y + dy);
            }
        }
    }
}

/// The network of a family, with its servers.
pub(super) fn finish(builder: NetworkBuilder, servers: u32, placement_seed: u64) -> Network {
    let mut network = builder.build().expect("a family makes connected networks whatever its parameters");
    network.choose_servers(servers as usize, placement_seed);
    network
}

//! Short names for the nodes of a file whose own names are long or not unique.
//!
//! A name is as short as possible and unique:
//!
//! 1. the description of a switch as its makers write it, `MF0;ib-leaf-07:MSB7700/U1`, by its middle part;
//! 2. without words at its end that several nodes have in common and that hold a letter, such as "HCA-1";
//! 3. where several switches have one description, or none, by role and position in the network's family;
//! 4. where that is irregular, and for hosts, the first word and the end of the GUID.
//!
//! What the file calls a node, its GUID and its identifier in the file stand for it as well.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_topology::{Family, HostId, Network, Node, SwitchId};

/// A node, or one port of a host, as the file calls it.
pub(super) struct Called<'a> {
    /// What people call it; empty where the file does not say.
    pub description: &'a str,
    /// The GUID of the node.
    pub guid: u64,
    /// The number of the port, of a host with several.
    pub port: Option<u8>,
    /// What the file calls it by in its cables.
    pub id: Option<&'a str>,
}

/// The fewest hexadecimal digits of a GUID in a name.
const FEWEST_DIGITS: usize = 4;

/// The network under short names.
pub(super) fn shortened(network: Network, switches: &[Called<'_>], hosts: &[Called<'_>]) -> Network {
    let roles = needs_roles(switches).then(|| Family::of(&network).role_names(&network)).flatten();
    let names = Names::new(switches, hosts).chosen(roles.as_deref());
    let (of_switches, of_hosts) = names.split_at(switches.len());
    let mut seen = BTreeSet::new();
    let own = |node| network.name(node).to_owned();
    // A name that is taken stays with its first node; the file's own are unique.
    let mut take = |short: &String, own: String| if seen.insert(short.clone()) { short.clone() } else { own };
    let new: BTreeMap<Node, String> = nodes(switches.len(), hosts.len())
        .zip(of_switches.iter().chain(of_hosts))
        .map(|(node, short)| (node, take(short, own(node))))
        .collect();
    let distinct: BTreeSet<&String> = new.values().collect();
    if distinct.len() < new.len() {
        return network;
    }
    let further: Vec<(String, Node)> =
        nodes(switches.len(), hosts.len()).zip(switches.iter().chain(hosts)).flat_map(further).collect();
    network.renamed(|node| new[&node].clone(), further)
}

/// All switches, then all hosts, by id.
fn nodes(switches: usize, hosts: usize) -> impl Iterator<Item = Node> {
    let switches = (0..switches).map(|i| Node::Switch(SwitchId::new(i)));
    switches.chain((0..hosts).map(|i| Node::Host(HostId::new(i))))
}

/// What else stands for a node.
fn further((node, called): (Node, &Called<'_>)) -> Vec<(String, Node)> {
    let port = called.port.map(|port| format!(":{port}")).unwrap_or_default();
    let names = [Some(format!("{:#x}", called.guid)), called.id.map(str::to_owned)];
    names.into_iter().flatten().map(|name| (format!("{name}{port}"), node)).collect()
}

/// Whether any switch has no description, or one that another switch has.
fn needs_roles(switches: &[Called<'_>]) -> bool {
    let distinct: BTreeSet<&str> = switches.iter().map(|switch| switch.description).collect();
    distinct.len() < switches.len() || distinct.contains("")
}

/// All nodes with the parts that distinguish their names.
struct Names<'a> {
    called: Vec<&'a Called<'a>>,
    switches: usize,
    plain: Vec<String>,
}

impl<'a> Names<'a> {
    fn new(switches: &'a [Called<'a>], hosts: &'a [Called<'a>]) -> Self {
        let called: Vec<&Called<'_>> = switches.iter().chain(hosts).collect();
        let plain = called.iter().map(|each| plain(each.description)).collect();
        Self { called, switches: switches.len(), plain }
    }

    /// A name for each node, switches first.
    fn chosen(&self, roles: Option<&[String]>) -> Vec<String> {
        let short = self.without_common_ends();
        let mut owners: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
        for (name, called) in short.iter().zip(&self.called) {
            owners.entry(name).or_default().insert(called.guid);
        }
        let digits: BTreeMap<&str, usize> = owners
            .iter()
            .filter(|(_, guids)| guids.len() > 1)
            .map(|(name, guids)| (*name, digits(guids)))
            .collect();
        let name = |(number, called): (usize, &&Called<'_>)| {
            let short = short[number].as_str();
            let name = match (owners[short].len() > 1 || short.is_empty(), roles) {
                (false, _) => short.to_owned(),
                (true, Some(roles)) if number < self.switches => roles[number].clone(),
                (true, _) => {
                    let first = short.split_whitespace().next().unwrap_or("node");
                    let digits = digits.get(short).copied().unwrap_or(FEWEST_DIGITS);
                    let guid = format!("{:016x}", called.guid);
                    format!("{first}-{}", &guid[guid.len() - digits..])
                }
            };
            called.port.map_or(name.clone(), |port| format!("{name}:{port}"))
        };
        self.called.iter().enumerate().map(name).collect()
    }

    /// The shortest beginning of each name that no other node's name has, where what it leaves out holds a letter and
    /// ends the name of another node, too.
    fn without_common_ends(&self) -> Vec<String> {
        let mut beginnings: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
        let mut ends: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
        for (plain, called) in self.plain.iter().zip(&self.called) {
            for (beginning, end) in cuts(plain) {
                beginnings.entry(beginning).or_default().insert(called.guid);
                ends.entry(end).or_default().insert(called.guid);
            }
            beginnings.entry(plain).or_default().insert(called.guid);
        }
        let short = |plain: &String| {
            let cut = cuts(plain).find(|(beginning, end)| {
                beginnings[beginning].len() == 1 && ends[end].len() > 1 && end.contains(char::is_alphabetic)
            });
            cut.map_or_else(|| plain.clone(), |(beginning, _)| beginning.to_owned())
        };
        self.plain.iter().map(short).collect()
    }
}

/// A name cut at each of its spaces: what is before, and after.
fn cuts(name: &str) -> impl Iterator<Item = (&str, &str)> {
    name.match_indices(' ').map(|(at, _)| (name[..at].trim_end(), name[at..].trim_start()))
}

/// The number of last digits that distinguish these GUIDs.
fn digits(guids: &BTreeSet<u64>) -> usize {
    let tells_apart = |digits: &usize| {
        let ends: BTreeSet<u64> = guids.iter().map(|guid| guid & (u64::MAX >> (64 - 4 * digits))).collect();
        ends.len() == guids.len()
    };
    (FEWEST_DIGITS..16).find(tells_apart).unwrap_or(16)
}

/// The middle of `MF0;name:model/U1`; of a module of a larger switch, `MF0;name:model/L03/U1`, with that. Any other
/// description as it is.
fn plain(description: &str) -> String {
    let description = description.trim();
    let of_maker = || {
        let (maker, rest) = description.split_once(';')?;
        let (name, model) = rest.split_once(':')?;
        if !maker.starts_with("MF0") || name.is_empty() {
            return None;
        }
        let module = model.split_once('/').map_or("", |(_, module)| module);
        let module = module.strip_suffix("/U1").unwrap_or(if module == "U1" { "" } else { module });
        Some(if module.is_empty() { name.to_owned() } else { format!("{name}/{module}") })
    };
    of_maker().unwrap_or_else(|| description.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(description: &str, guid: u64) -> Called<'_> {
        Called { description, guid, port: None, id: None }
    }

    fn names(switches: &[&str], hosts: &[&str], roles: Option<&[&str]>) -> Vec<String> {
        let of = |names: &[&'static str], first: u64| -> Vec<Called<'static>> {
            names.iter().zip(first..).map(|(name, guid)| called(name, guid)).collect()
        };
        let leak = |names: &[&str]| -> Vec<&'static str> {
            names.iter().map(|name| &*Box::leak(name.to_string().into_boxed_str())).collect()
        };
        let (switches, hosts) = (of(&leak(switches), 0xa_1000), of(&leak(hosts), 0xb_2000));
        let roles: Option<Vec<String>> = roles.map(|roles| roles.iter().map(ToString::to_string).collect());
        Names::new(&switches, &hosts).chosen(roles.as_deref())
    }

    #[test]
    fn words_that_many_names_end_with_are_left_out() {
        assert_eq!(
            names(&["sw 1", "sw 2"], &["gpu1 HCA-1", "gpu2 HCA-1"], None),
            ["sw 1", "sw 2", "gpu1", "gpu2"]
        );
        // One host with two adapters keeps the words that distinguish them.
        assert_eq!(names(&[], &["a mlx5_0", "a mlx5_1", "b mlx5_0"], None), ["a mlx5_0", "a mlx5_1", "b"]);
        assert_eq!(names(&["edge A", "core B"], &[], None), ["edge A", "core B"]);
    }

    #[test]
    fn switches_of_one_description_are_called_by_their_role_or_guid() {
        let alike = ["Maker's switch", "Maker's switch"];
        assert_eq!(names(&alike, &["h"], Some(&["leaf1", "spine1"])), ["leaf1", "spine1", "h"]);
        assert_eq!(names(&alike, &["h"], None), ["Maker's-1000", "Maker's-1001", "h"]);
        assert_eq!(names(&["", "x"], &[], Some(&["s0", "s1"])), ["s0", "x"]);
    }

    #[test]
    fn the_form_of_switch_makers_is_taken_apart() {
        assert_eq!(plain("MF0;ib-leaf-07:MSB7700/U1"), "ib-leaf-07");
        assert_eq!(plain("MF0;director:CS7500/L03/U1"), "director/L03");
        assert_eq!(plain("rack 7; upper: left"), "rack 7; upper: left");
    }

    #[test]
    fn as_many_digits_tell_guids_apart_as_needed() {
        assert_eq!(digits(&BTreeSet::from([0x1_0001, 0x1_0002])), 4);
        assert_eq!(digits(&BTreeSet::from([0x1_0001, 0x2_0001])), 5);
        assert_eq!(digits(&BTreeSet::from([1, !0xf | 1])), 4);
    }
}

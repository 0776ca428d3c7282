//! The time that the first bits need to cross a network.

use std::collections::VecDeque;

use hopscope_topology::{Network, SwitchId};
use hopscope_units::Span;

/// The propagation delay between two hosts that are far from each other, along paths of fewest links.
///
/// From any switch to the one that is farthest, and from there again: in a tree that is the longest path, in other
/// networks nearly so. Before this much time has passed, messages between such hosts cannot have arrived, and a backlog
/// that grows says nothing.
pub fn crossing(network: &Network, delays: &[Span]) -> Span {
    let of_hosts = network.links().iter().zip(delays).filter(|(link, _)| link.switches().is_none());
    let longest = of_hosts.map(|(_, &delay)| delay).max().unwrap_or(Span::ZERO);
    let Some(any) = network.switch_ids().next() else { return longest };
    let (far, _) = farthest(network, delays, any);
    farthest(network, delays, far).1 + longest * 2
}

/// The switch that is farthest from another, and how far.
fn farthest(network: &Network, delays: &[Span], from: SwitchId) -> (SwitchId, Span) {
    let mut reached = vec![false; network.switches().len()];
    reached[from.index()] = true;
    let mut queue = VecDeque::from([(from, Span::ZERO)]);
    let mut found = (from, Span::ZERO);
    while let Some((switch, delay)) = queue.pop_front() {
        if delay > found.1 {
            found = (switch, delay);
        }
        for (_, link, far, _) in network.neighbours(switch) {
            if !std::mem::replace(&mut reached[far.index()], true) {
                queue.push_back((far, delay + delays[link.index()]));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_topology::{NetworkBuilder, Role};

    #[test]
    fn a_row_is_crossed_from_end_to_end_wherever_the_search_begins() {
        let mut builder = NetworkBuilder::new();
        // The first switch stands in the middle: 30 us to one end, 5 us to the other.
        let row = ["middle", "left", "right", "far right"].map(|name| builder.add_switch(name));
        let delays = [(0, 1, 5), (0, 2, 10), (2, 3, 20)].map(|(a, b, us)| {
            builder.add_link(row[a], row[b], None, None);
            Span::from_us(us)
        });
        let mut delays = delays.to_vec();
        for switch in row {
            builder.add_host(format!("host {}", switch.index()), switch, Role::Any);
            delays.push(Span::from_us(1));
        }
        let network = builder.build().expect("it is a network");
        assert_eq!(crossing(&network, &delays), Span::from_us(5 + 10 + 20 + 2));
    }
}

//! The gateway information protocol: which gateway reaches which network, and how machines learn it (Pup specification,
//! 1980).

use hopscope_units::{Span, Time};

use crate::wire::{MOST_HOPS, RouteTold};

/// A route older than this gives way to any other.
const OLD: Span = Span::from_s(90);
/// A route older than this is forgotten.
const FORGOTTEN: Span = Span::from_s(180);

/// The way to a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The station to send from.
    pub station: u32,
    /// The next gateway's host number there; 0 where the network is at hand.
    pub gateway: u8,
    /// Gateways on the way.
    pub hops: u8,
    /// When it was last received; None for a directly connected network.
    heard: Option<Time>,
}

/// The routes that one machine knows.
#[derive(Clone, Debug)]
pub struct RoutingTable {
    routes: Vec<Option<Route>>,
}

impl RoutingTable {
    /// A table of no routes.
    #[must_use]
    pub fn new() -> Self {
        Self { routes: vec![None; 256] }
    }

    /// A network at hand, or one that this machine answers for, with this many hops.
    pub fn own(&mut self, net: u8, station: u32, hops: u8) {
        self.routes[usize::from(net)] = Some(Route { station, gateway: 0, hops, heard: None });
    }

    /// The way to a network.
    #[must_use]
    pub fn route(&self, now: Time, net: u8) -> Option<Route> {
        self.routes[usize::from(net)].filter(|route| !older(route, now, FORGOTTEN))
    }

    /// A route from a gateway, received by `station`. Returns whether it changes the table beyond its age.
    pub fn told(&mut self, now: Time, station: u32, gateway: u8, told: RouteTold) -> bool {
        let entry = &mut self.routes[usize::from(told.net)];
        let (hops, heard) = (told.hops.saturating_add(1), Some(now));
        let same =
            |known: Route| known.heard.is_some() && (known.station, known.gateway) == (station, gateway);
        if hops > MOST_HOPS {
            // Unreachable: the gateway that led there withdraws the route.
            return entry.take_if(|known| same(*known)).is_some();
        }
        let better = entry.is_none_or(|known| {
            same(known) || known.heard.is_some() && (hops < known.hops || older(&known, now, OLD))
        });
        if !better || told.net == 0 {
            return false;
        }
        let before = entry.replace(Route { station, gateway, hops, heard });
        before.is_none_or(|before| (before.station, before.gateway, before.hops) != (station, gateway, hops))
    }

    /// The routes to send to neighbours, as a gateway of this network and host number.
    pub fn tell(&self, now: Time, net: u8, host: u8) -> impl Iterator<Item = RouteTold> {
        (1..=255u8).filter_map(move |to| {
            let route = self.route(now, to)?;
            Some(RouteTold { net: to, gateway_net: net, gateway_host: host, hops: route.hops })
        })
    }
}

impl Default for RoutingTable {
    fn default() -> Self {
        Self::new()
    }
}

fn older(route: &Route, now: Time, age: Span) -> bool {
    route.heard.is_some_and(|heard| now.since(heard) > age)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(net: u8, hops: u8) -> RouteTold {
        RouteTold { net, gateway_net: 1, gateway_host: 1, hops }
    }

    #[test]
    fn a_gateway_withdraws_its_own_route_and_no_other() {
        let mut table = RoutingTable::new();
        table.own(3, 0, 0);
        let now = Time::ZERO;
        assert!(table.told(now, 0, 9, told(5, 2)));
        let later = now + Span::from_s(100);
        assert!(!table.told(later, 0, 8, told(5, 16)), "another gateway's word, though the route is old");
        assert!(!table.told(now, 0, 9, told(3, 16)), "a network at hand");
        assert!(table.told(now, 0, 9, told(5, 16)));
        assert_eq!(table.route(now, 5), None, "at once");
        assert!(!table.told(now, 0, 9, told(5, 16)), "nothing is left to withdraw");
        assert!(table.told(now, 0, 8, told(5, 4)), "any other way is better now");
    }

    #[test]
    fn a_route_gives_way_to_a_shorter_one_or_when_it_is_old() {
        let at = |s| Time::ZERO + Span::from_s(s);
        let mut table = RoutingTable::new();
        table.own(3, 0, 0);
        assert!(table.told(at(0), 0, 9, told(5, 2)), "new");
        assert!(!table.told(at(30), 0, 9, told(5, 2)), "the same again");
        assert!(!table.told(at(30), 1, 8, told(5, 2)), "no better");
        assert!(table.told(at(30), 1, 8, told(5, 1)), "shorter");
        assert!(!table.told(at(120), 0, 9, told(5, 7)), "not old enough");
        assert!(table.told(at(121), 0, 9, told(5, 7)), "old");
        assert!(!table.told(at(121), 0, 9, told(3, 0)), "a network at hand stays so");
        assert_eq!(table.route(at(301), 5).map(|route| route.hops), Some(8));
        assert_eq!(table.route(at(302), 5), None, "forgotten");
        assert!(!table.told(at(302), 0, 7, told(6, 15)), "too far");
    }
}

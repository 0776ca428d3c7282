//! Gateway information Pups: the routes that a gateway sends its neighbours.

use super::kind;
use super::packet::{MOST_DATA, Pup};

/// The most routes in one Pup.
pub const ROUTES_A_PUP: usize = MOST_DATA / 4;

/// A route as sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteTold {
    /// The network that can be reached.
    pub net: u8,
    /// The gateway on the way there: its network.
    pub gateway_net: u8,
    /// The gateway on the way there: its host number.
    pub gateway_host: u8,
    /// Gateways on the path from the sender of the route.
    pub hops: u8,
}

/// The routes in a gateway information Pup; none where it is no such Pup. A cut last group is left out.
pub fn routes_told<'a>(pup: &Pup<'a>) -> impl Iterator<Item = RouteTold> + use<'a> {
    let data = if pup.header.kind == kind::GATEWAY_INFORMATION { pup.data } else { &[] };
    data.chunks_exact(4).map(|group| RouteTold {
        net: group[0],
        gateway_net: group[1],
        gateway_host: group[2],
        hops: group[3],
    })
}

/// Adds routes to the data of a Pup. Panics where they do not fit.
pub fn write_routes(routes: &[RouteTold], data: &mut Vec<u8>) {
    for route in routes {
        data.extend_from_slice(&[route.net, route.gateway_net, route.gateway_host, route.hops]);
    }
    assert!(data.len() <= MOST_DATA, "a Pup tells at most {ROUTES_A_PUP} routes");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Header, Port};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn routes_read_back(groups in prop::collection::vec(any::<[u8; 4]>(), 0..=ROUTES_A_PUP), kind_told: u8) {
            let told: Vec<RouteTold> = groups
                .iter()
                .map(|&[net, gateway_net, gateway_host, hops]| RouteTold { net, gateway_net, gateway_host, hops })
                .collect();
            let mut data = Vec::new();
            write_routes(&told, &mut data);
            let port = Port::default();
            let header = |kind| Header { transport_control: 0, kind, id: 0, destination: port, source: port };
            let pup = Pup { header: header(kind::GATEWAY_INFORMATION), data: &data };
            prop_assert_eq!(routes_told(&pup).collect::<Vec<_>>(), told.clone());
            let other = Pup { header: header(kind_told), data: &data };
            prop_assert!(kind_told == kind::GATEWAY_INFORMATION || routes_told(&other).next().is_none());
        }
    }
}

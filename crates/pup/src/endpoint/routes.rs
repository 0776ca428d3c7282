//! The gateway information protocol at an endpoint: hosts learn routes, a gateway sends them.

use hopscope_units::{Span, Time};

use super::Endpoint;
use super::notice::{Effects, Notice};
use super::outgoing::Waiting;
use crate::wire::{Header, Port, Pup, ROUTES_A_PUP, RouteTold, kind, routes_told, write_routes};

/// From one broadcast of a gateway to the next (Pup specification).
const EVERY: Span = Span::from_s(30);

impl Endpoint {
    /// A Pup of the protocol from host `via`: a request for routes, or routes.
    pub(super) fn gateway_information(&mut self, pup: &Pup<'_>, via: u8, now: Time, effects: &mut Effects) {
        if pup.header.kind == kind::GATEWAY_REQUEST && self.params.gateway {
            effects.answers.extend(self.route_pups(pup.header.source, now));
            return;
        }
        if pup.header.kind == kind::GATEWAY_INFORMATION && self.params.net == 0 {
            self.params.net = pup.header.source.net;
            if self.params.net > 0 {
                self.routes.own(self.params.net, 0, 0);
            }
        }
        let mut changed = false;
        for told in routes_told(pup) {
            changed |= self.routes.told(now, 0, via, told);
        }
        if changed {
            effects.notices.push(Notice::Routes);
            if self.params.gateway {
                self.broadcast_at = now;
            }
        }
    }

    /// The routes known now, as a gateway sends them.
    #[must_use]
    pub fn routes(&self, now: Time) -> Vec<RouteTold> {
        self.routes.tell(now, self.params.net, self.params.host).collect()
    }

    /// Sends every host the routes.
    pub(super) fn broadcast(&mut self, now: Time) {
        self.broadcast_at = now + EVERY;
        let everybody = Port { net: self.params.net, host: 0, socket: kind::GATEWAY_SOCKET };
        for pup in self.route_pups(everybody, now) {
            self.answer(Waiting { due: now, via: Some(0), pup });
        }
    }

    /// All routes for a port, in as many Pups as they take.
    fn route_pups(&self, destination: Port, now: Time) -> Vec<Vec<u8>> {
        let pup = |routes: &[RouteTold]| {
            let (mut data, mut bytes) = (Vec::new(), Vec::new());
            write_routes(routes, &mut data);
            let header = Header {
                transport_control: 0,
                kind: kind::GATEWAY_INFORMATION,
                id: 1,
                destination,
                source: self.port(kind::GATEWAY_SOCKET),
            };
            Pup { header, data: &data }.encode(&mut bytes).expect("the routes fit");
            bytes
        };
        self.routes(now).chunks(ROUTES_A_PUP).map(pup).collect()
    }
}

//! How much the legal shortest routes could carry if every packet took the best of them.

use crate::graph::{Network, Port, SwitchId};
use crate::routes::Routes;
use crate::routes::walk::{RouteWalk, State};

use super::demand::{Demands, Target};
use super::flows::ChannelFlows;

/// What the best sharing out of the traffic among its legal shortest routes can carry, as far as links bound it.
///
/// A fractional flow that keeps the fullest channel as empty as possible is approached from both sides (Frank and
/// Wolfe's method on the soft maximum of the utilisations): `attainable` is the load of a split that was found;
/// `at_most` is the load that no split exceeds, by the prices that the method puts on channels. For any prices, the
/// traffic at load 1 costs at least its cheapest routes, and channels that carry no more than they can earn no more
/// than the sum of all prices: so no load exceeds the second over the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestSplit {
    /// The load that the best split found carries.
    pub attainable: f64,
    /// The load that no split exceeds.
    pub at_most: f64,
}

/// How hard to look for the best split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Rounds at most; a round costs about as much as the flows.
    pub rounds: u32,
}

impl Effort {
    /// As many rounds as about two seconds allow, 300 at most; none if that is too few for a result.
    #[must_use]
    pub fn for_network(network: &Network) -> Self {
        let switches = network.switches().len();
        let rounds = AFFORDABLE_VISITS / (switches * switches).max(1);
        Self { rounds: if rounds < FEWEST_ROUNDS { 0 } else { rounds.min(MOST_ROUNDS) as u32 } }
    }
}

/// Pairs of switches that are looked at in all.
const AFFORDABLE_VISITS: usize = 10_000_000;
const FEWEST_ROUNDS: usize = 20;
const MOST_ROUNDS: usize = 300;
/// How sharply prices follow the utilisations: a channel this share below the fullest has a price e times lower.
const SOFTNESS: f64 = 0.02;
/// Below this relative difference of both sides, the search stops.
const NEAR_ENOUGH: f64 = 0.005;

impl BestSplit {
    /// Looks for the best split, starting from even parts; nothing where no traffic passes between switches, or no
    /// round is to be made.
    #[must_use]
    pub(super) fn search(
        network: &Network,
        routes: &Routes,
        demands: &Demands,
        even: &ChannelFlows,
        rate: &dyn Fn(SwitchId, Port) -> f64,
        effort: Effort,
    ) -> Option<Self> {
        let mut market = Market::new(network, routes, rate);
        let mut utilisation: Vec<f64> = market
            .channels
            .iter()
            .map(|channel| even.sent(channel.from, channel.port) / channel.rate)
            .collect();
        let fullest = |utilisation: &[f64]| utilisation.iter().copied().fold(0.0, f64::max);
        if effort.rounds == 0 || fullest(&utilisation) == 0.0 {
            return None;
        }
        let mut found = Self { attainable: 1.0 / fullest(&utilisation), at_most: f64::INFINITY };
        for round in 0..effort.rounds {
            market.set_prices(&utilisation);
            let cost = market.cheapest(demands);
            found.at_most = found.at_most.min(market.prices.iter().sum::<f64>() / cost);
            if found.at_most <= found.attainable * (1.0 + NEAR_ENOUGH) {
                break;
            }
            let step = 2.0 / f64::from(round + 3);
            for ((mine, sent), channel) in utilisation.iter_mut().zip(&market.sent).zip(&market.channels) {
                *mine += step * (sent / channel.rate - *mine);
            }
            found.attainable = found.attainable.max(1.0 / fullest(&utilisation));
        }
        Some(found)
    }
}

/// A direction of a link between switches.
struct PricedChannel {
    from: SwitchId,
    port: Port,
    rate: f64,
}

/// Channels with prices, and the cheapest routes.
struct Market<'a> {
    walk: RouteWalk<'a>,
    channels: Vec<PricedChannel>,
    /// The channel of each port, by switch.
    numbers: Vec<Vec<usize>>,
    prices: Vec<f64>,
    /// What the cheapest routes put on each channel.
    sent: Vec<f64>,
    /// For the target at hand, by state: what the way from there costs, and what is there.
    costs: Vec<f64>,
    here: Vec<f64>,
}

impl<'a> Market<'a> {
    fn new(network: &Network, routes: &'a Routes, rate: &dyn Fn(SwitchId, Port) -> f64) -> Self {
        let walk = RouteWalk::new(network, routes);
        let (mut channels, mut numbers) = (Vec::new(), Vec::new());
        for from in network.switch_ids() {
            let mut of_switch = vec![usize::MAX; network.switch(from).ports.len()];
            for (port, ..) in network.neighbours(from) {
                of_switch[usize::from(port)] = channels.len();
                channels.push(PricedChannel { from, port, rate: rate(from, port) });
            }
            numbers.push(of_switch);
        }
        let (states, count) = (walk.state_count(), channels.len());
        Self {
            walk,
            channels,
            numbers,
            prices: vec![0.0; count],
            sent: vec![0.0; count],
            costs: vec![0.0; states],
            here: vec![0.0; states],
        }
    }

    /// Prices rise with the exponential of the utilisation, relative to the fullest channel.
    fn set_prices(&mut self, utilisation: &[f64]) {
        let most = utilisation.iter().copied().fold(0.0, f64::max);
        for (price, mine) in self.prices.iter_mut().zip(utilisation) {
            *price = libm::exp((mine / most - 1.0) / SOFTNESS);
        }
    }

    /// Sends everything by the cheapest of its routes, evenly among equals, and returns what that costs.
    fn cheapest(&mut self, demands: &Demands) -> f64 {
        self.sent.fill(0.0);
        let mut cost = 0.0;
        let mut reached = None;
        for target in demands.targets() {
            if reached != Some(target.switch) {
                self.walk.towards(target.switch);
                self.price_ways(target.switch);
                reached = Some(target.switch);
            }
            cost += self.send(demands, target);
        }
        cost
    }

    /// The price of leaving by a port for a bit a second, and of the way on from there.
    fn price(&self, state: State, port: Port, to: SwitchId) -> f64 {
        let channel = self.numbers[state.switch.index()][usize::from(port)];
        let next = self.walk.step(state, port);
        let onwards = if next.switch == to { 0.0 } else { self.costs[self.walk.index(next)] };
        self.prices[channel] / self.channels[channel].rate + onwards
    }

    fn price_ways(&mut self, to: SwitchId) {
        for place in (0..self.walk.order().len()).rev() {
            let state = self.walk.order()[place];
            let ports = self.walk.ports(state);
            let cheapest =
                ports.iter().map(|port| self.price(state, *port, to)).fold(f64::INFINITY, f64::min);
            let index = self.walk.index(state);
            self.costs[index] = cheapest;
        }
    }

    fn send(&mut self, demands: &Demands, target: &Target) -> f64 {
        let to = target.switch;
        self.here.fill(0.0);
        let mut cost = 0.0;
        demands.for_each_sender(target, |switch, _, bit_s| {
            let index = self.walk.index(State { switch, phase: 0 });
            cost += bit_s * self.costs[index];
            self.here[index] += bit_s;
        });
        for place in 0..self.walk.order().len() {
            let state = self.walk.order()[place];
            let index = self.walk.index(state);
            if self.here[index] == 0.0 {
                continue;
            }
            let ports = self.walk.ports(state);
            let limit = self.costs[index] * (1.0 + 1e-9);
            let cheap = ports.iter().filter(|port| self.price(state, **port, to) <= limit);
            let cheap: Vec<Port> = cheap.copied().collect();
            let part = self.here[index] / cheap.len() as f64;
            for port in cheap {
                self.sent[self.numbers[state.switch.index()][usize::from(port)]] += part;
                let next = self.walk.step(state, port);
                if next.switch != to {
                    self.here[self.walk.index(next)] += part;
                }
            }
        }
        cost
    }
}

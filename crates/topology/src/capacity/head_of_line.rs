//! An estimate of the load at which switches with one FIFO an input saturate.

use crate::graph::{Network, Port, SwitchId};

use super::ChannelFlows;

/// What a switch with input FIFOs does to each packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PacketService {
    /// The mean length of a packet in bits.
    pub mean_bits: f64,
    /// The squared coefficient of variation of packet lengths: 0 where all are alike, 1 where they are exponential.
    pub squared_cv: f64,
    /// Seconds at the head of the FIFO before an output is asked for.
    pub decision_s: f64,
    /// Seconds that an output is held before the first bit leaves by it.
    pub setup_s: f64,
}

/// Where head-of-line blocking is estimated to saturate a switch first.
///
/// Every input's packets stand in one queue. The one at its head waits for its output while packets at the heads of
/// other inputs take it; as each output serves them in the order of their coming, the wait is that of a queue of one
/// server, x/(1-x) (1+c^2)/2 services, where x is how busy the *other* inputs keep the output. An input saturates when
/// decision, waiting and service of its packets fill its time. With one symmetric switch of n ports this gives n/(2n-1)
/// for exponential lengths, exactly (Owicki and Karlin, SRC report 88, section 3.1), and 2-sqrt 2 for fixed ones as n
/// grows (Karol, Hluchyj and Morgan, IEEE Trans. Communications 1987). Between switches, and where a packet may take
/// any of several outputs, it is no more than an estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadOfLine {
    /// The load.
    pub load: f64,
    /// The switch that saturates first.
    pub switch: SwitchId,
    /// The port whose FIFO does.
    pub port: Port,
}

/// The matrix of turns of a switch with more ports than this is not worth its memory.
pub(super) const MOST_PORTS: usize = 1_024;

/// Halvings of the load's range: enough for six digits.
const HALVINGS: u32 = 24;

impl HeadOfLine {
    /// The estimate for a network in which a link's rate in bits a second is `rate(switch, port)`; nothing where no
    /// traffic passes any switch. Panics where the flows were computed without turns.
    #[must_use]
    pub fn new(
        network: &Network,
        flows: &ChannelFlows,
        service: &PacketService,
        rate: impl Fn(SwitchId, Port) -> f64,
    ) -> Option<Self> {
        let mut worst: Option<Self> = None;
        for switch in network.switch_ids() {
            let ports = network.switch(switch).ports.len();
            let crossing = Crossing {
                turns: flows.turns(switch).expect("flows with turns"),
                ports,
                service,
                service_s: (0..ports)
                    .map(|port| service.mean_bits / rate(switch, port as Port) + service.setup_s)
                    .collect(),
            };
            let ceiling = worst.map_or(f64::INFINITY, |worst| worst.load);
            let Some((load, port)) = crossing.saturation(ceiling) else { continue };
            worst = Some(Self { load, switch, port: port as Port });
        }
        worst
    }
}

/// A switch as its inputs see it.
struct Crossing<'a> {
    turns: &'a [f64],
    ports: usize,
    service: &'a PacketService,
    /// Seconds that a mean packet holds each output.
    service_s: Vec<f64>,
}

impl Crossing<'_> {
    /// The load at which the first input saturates, and which; nothing where that is not below the ceiling.
    fn saturation(&self, ceiling: f64) -> Option<(f64, usize)> {
        let busiest = (0..self.ports).map(|out| self.output_busy(out)).fold(0.0, f64::max);
        if busiest == 0.0 {
            return None;
        }
        // No output can be busy for more than all the time.
        let (mut low, mut high) = (0.0, f64::min(1.0 / busiest, ceiling));
        if high == ceiling && self.fullest(high).0 < 1.0 {
            return None;
        }
        let mut port = self.fullest(high).1;
        for _ in 0..HALVINGS {
            let load = f64::midpoint(low, high);
            let (full, input) = self.fullest(load);
            if full >= 1.0 {
                (high, port) = (load, input);
            } else {
                low = load;
            }
        }
        Some((high, port))
    }

    /// The share of time that an output is held at load 1.
    fn output_busy(&self, out: usize) -> f64 {
        let bit_s: f64 = (0..self.ports).map(|input| self.turns[input * self.ports + out]).sum();
        bit_s / self.service.mean_bits * self.service_s[out]
    }

    /// The input whose time is filled most at this load, and how far.
    fn fullest(&self, load: f64) -> (f64, usize) {
        let busy: Vec<f64> = (0..self.ports).map(|out| load * self.output_busy(out)).collect();
        let mut fullest = (0.0, 0);
        for input in 0..self.ports {
            let filled = self.filled(input, load, &busy);
            if filled > fullest.0 {
                fullest = (filled, input);
            }
        }
        fullest
    }

    /// The share of its time that an input's head of line is taken at this load.
    fn filled(&self, input: usize, load: f64, busy: &[f64]) -> f64 {
        let PacketService { mean_bits, squared_cv, decision_s, .. } = *self.service;
        let mut filled = 0.0;
        for (out, all) in busy.iter().enumerate() {
            let packets_s = load * self.turns[input * self.ports + out] / mean_bits;
            if packets_s > 0.0 {
                let service_s = self.service_s[out];
                let others = all - packets_s * service_s;
                if others >= 1.0 {
                    return f64::INFINITY;
                }
                let wait_s = service_s * others / (1.0 - others) * (1.0 + squared_cv) / 2.0;
                filled += packets_s * (decision_s + wait_s + service_s);
            }
        }
        filled
    }
}

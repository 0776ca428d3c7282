//! The schedulers of input buffers with virtual output queues, which match free inputs with idle outputs.

use hopscope_kernel::RandomStream;

use crate::discipline::{Scheduler, VirtualQueues};

/// Nothing waits.
const NOTHING: u32 = u32::MAX;

/// The requests of one switch: for each input and output the first packet that waits there, by the caller's number.
#[derive(Debug)]
pub(crate) struct Requests {
    ports: usize,
    first: Vec<u32>,
    /// The number of inputs that request each output.
    asking: Vec<u16>,
}

impl Requests {
    pub fn new(ports: usize) -> Self {
        Self { ports, first: vec![NOTHING; ports * ports], asking: vec![0; ports] }
    }

    pub fn clear(&mut self) {
        if self.asking.iter().any(|&asking| asking > 0) {
            self.first.fill(NOTHING);
            self.asking.fill(0);
        }
    }

    /// Adds a packet after those added before. Returns whether it is the first.
    pub fn put(&mut self, input: usize, output: usize, packet: u32) -> bool {
        let first = &mut self.first[input * self.ports + output];
        let is_first = *first == NOTHING;
        if is_first {
            *first = packet;
            self.asking[output] += 1;
        }
        is_first
    }

    fn get(&self, input: usize, output: usize) -> Option<u32> {
        let first = self.first[input * self.ports + output];
        (first != NOTHING).then_some(first)
    }

    /// Removes all requests of an input and all for an output.
    fn remove(&mut self, input: usize, output: usize) {
        for port in 0..self.ports {
            for (input, output) in [(input, port), (port, output)] {
                let first = &mut self.first[input * self.ports + output];
                self.asking[output] -= u16::from(*first != NOTHING);
                *first = NOTHING;
            }
        }
    }
}

/// An input and output that have been matched, and the packet that goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    pub input: usize,
    pub output: usize,
    pub packet: u32,
}

/// The matching of one switch, with its state between matchings.
#[derive(Debug)]
pub(crate) struct Matching {
    law: VirtualQueues,
    /// The input that each output would grant first, and the output that each input would accept first: iSLIP's
    /// pointers.
    grants_first: Vec<usize>,
    accepts_first: Vec<usize>,
}

impl Matching {
    pub fn new(law: VirtualQueues, ports: usize) -> Self {
        Self { law, grants_first: vec![0; ports], accepts_first: vec![0; ports] }
    }

    /// Matches inputs and outputs, which are taken out of the requests.
    pub fn run(&mut self, requests: &mut Requests, random: &mut RandomStream) -> Vec<Match> {
        let mut matches = Vec::new();
        for round in 0..self.law.iterations {
            let before = matches.len();
            let granted = self.grant(requests, random);
            let mut inputs: Vec<usize> = granted.iter().flatten().copied().collect();
            inputs.sort_unstable();
            inputs.dedup();
            for input in inputs {
                let offers = |output: usize| granted[output] == Some(input);
                let accepted = self.choose(self.accepts_first[input], offers, random);
                let output = accepted.expect("an input that was granted an output accepts one");
                let packet = requests.get(input, output).expect("a grant answers a request");
                matches.push(Match { input, output, packet });
                requests.remove(input, output);
                if round == 0 {
                    self.grants_first[output] = (input + 1) % requests.ports;
                    self.accepts_first[input] = (output + 1) % requests.ports;
                }
            }
            if matches.len() == before {
                break;
            }
        }
        matches
    }

    /// The input that each output grants.
    fn grant(&self, requests: &Requests, random: &mut RandomStream) -> Vec<Option<usize>> {
        let mut granted = vec![None; requests.ports];
        for (output, granted) in granted.iter_mut().enumerate().filter(|(o, _)| requests.asking[*o] > 0) {
            let asks = |input: usize| requests.get(input, output).is_some();
            *granted = self.choose(self.grants_first[output], asks, random);
        }
        granted
    }

    /// Chooses one of the requesting ports: at random, or the first from a pointer on.
    fn choose(
        &self,
        pointer: usize,
        asks: impl Fn(usize) -> bool,
        random: &mut RandomStream,
    ) -> Option<usize> {
        let ports = self.grants_first.len();
        let mut asking = (pointer..ports).chain(0..pointer).filter(|&port| asks(port));
        match self.law.scheduler {
            Scheduler::Islip => asking.next(),
            Scheduler::Pim => {
                let count = asking.clone().count() as u64;
                let pick = if count > 1 { random.below(count) } else { 0 };
                asking.nth(pick as usize)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of packets that a switch of this many ports with full queues sends in each of many slots.
    fn sent(ports: usize, scheduler: Scheduler, iterations: u32) -> Vec<usize> {
        let mut matching = Matching::new(VirtualQueues { scheduler, iterations }, ports);
        let mut random = RandomStream::named(1, "matching", 0);
        let slot = |_| {
            let mut requests = Requests::new(ports);
            for pair in 0..ports * ports {
                requests.put(pair / ports, pair % ports, 0);
            }
            let matches = matching.run(&mut requests, &mut random);
            let mut outputs: Vec<usize> = matches.iter().map(|pair| pair.output).collect();
            outputs.sort_unstable();
            outputs.dedup();
            assert_eq!(outputs.len(), matches.len(), "an output is matched once");
            matches.len()
        };
        (0..20_000).map(slot).collect()
    }

    #[test]
    fn pointers_get_out_of_each_others_way_until_every_slot_is_full() {
        // McKeown 1999, section III: 100 % under uniform traffic, after at most n slots here.
        assert!(sent(16, Scheduler::Islip, 1)[16..].iter().all(|&sent| sent == 16));
    }

    #[test]
    fn one_round_of_random_grants_reaches_every_input_with_chance_1_less_1_over_e() {
        // An input is unmatched if none of n outputs grants it: (1 - 1/n)^n (Anderson et al. 1993).
        for ports in [4, 16] {
            let slots = sent(ports, Scheduler::Pim, 1);
            let mean = slots.iter().sum::<usize>() as f64 / (slots.len() * ports) as f64;
            let closed_form = 1.0 - (1.0 - 1.0 / ports as f64).powi(ports as i32);
            assert!((mean - closed_form).abs() < 0.003, "{ports} ports: {mean}, not {closed_form}");
        }
    }
}

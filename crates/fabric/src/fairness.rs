//! Fairness in a saturated fabric: the share of each sending host, with its interval.

use hopscope_measure::{Batch, CONFIDENCE, EVERY_CLASS, Estimate, Metric, Report, Starving, mean_of_batches};
use hopscope_topology::Network;
use hopscope_units::amount;

/// Shares are measured for at most this many senders.
const MOST_SENDERS: usize = 256;

/// At this many batches of deliveries, neighbours are paired.
const MOST_BATCHES: usize = 128;

/// Hosts starve if none of their messages is among this many deliveries.
const FEWEST_BESIDE: u64 = 1_000;

/// A note names at most this many hosts.
const MOST_NAMED: usize = 8;

/// The deliveries of hosts that always have something to send, in batches.
///
/// If sources are saturated, the fabric decides each one's share. Otherwise each gets what it offers, and nothing is
/// counted.
#[derive(Clone, Debug, Default)]
pub struct Fairness {
    /// The place of each host among those that are counted.
    places: Vec<Option<u32>>,
    /// The hosts that are counted.
    hosts: Vec<u32>,
    /// Finished batches, sender by sender, in bits.
    batches: Vec<Vec<u64>>,
    current: Vec<u64>,
    /// Deliveries in the current batch and in a full one.
    deliveries: u64,
    full: u64,
    /// All deliveries.
    counted: u64,
}

impl Fairness {
    /// Counts for these hosts, which are saturated; nothing is counted for more than [`MOST_SENDERS`].
    #[must_use]
    pub fn new(hosts: usize, mut saturated: Vec<u32>) -> Self {
        saturated.sort_unstable();
        saturated.dedup();
        if saturated.len() < 2 || saturated.len() > MOST_SENDERS {
            return Self::default();
        }
        let mut places = vec![None; hosts];
        for (place, host) in saturated.iter().enumerate() {
            places[*host as usize] = Some(place as u32);
        }
        Self { places, current: vec![0; saturated.len()], hosts: saturated, full: 1, ..Self::default() }
    }

    /// Counts delivered bits of a host.
    #[inline]
    pub fn delivered(&mut self, from: u32, bits: u64) {
        if self.hosts.is_empty() {
            return;
        }
        if let Some(place) = self.places[from as usize] {
            self.count(place as usize, bits);
        }
    }

    fn count(&mut self, place: usize, bits: u64) {
        self.current[place] += bits;
        self.deliveries += 1;
        self.counted += 1;
        if self.deliveries < self.full {
            return;
        }
        self.deliveries = 0;
        let empty = vec![0; self.hosts.len()];
        self.batches.push(std::mem::replace(&mut self.current, empty));
        if self.batches.len() == MOST_BATCHES {
            let join = |pair: &[Vec<u64>]| pair[0].iter().zip(&pair[1]).map(|(a, b)| a + b).collect();
            self.batches = self.batches.chunks_exact(2).map(join).collect();
            self.full *= 2;
        }
    }

    /// The measurement begins.
    pub fn restart(&mut self) {
        self.batches.clear();
        self.current.fill(0);
        (self.deliveries, self.full, self.counted) = (0, 1, 0);
    }

    /// The starving hosts: they always have something to send, and nothing arrives. Nothing if all deliver something,
    /// or if too few messages arrived to decide.
    #[must_use]
    pub fn starving(&self, network: &Network) -> Option<Starving> {
        let rows = || self.batches.iter().chain([&self.current]);
        let starves = |&(place, _): &(usize, &u32)| rows().all(|batch| batch[place] == 0);
        let starving = self.hosts.iter().enumerate().filter(starves);
        let hosts: Vec<String> =
            starving.map(|(_, &host)| network.hosts()[host as usize].name.clone()).collect();
        let served = self.hosts.len() - hosts.len();
        (!hosts.is_empty() && self.counted >= FEWEST_BESIDE).then_some(Starving { hosts, served })
    }

    /// Names the hosts that starve.
    fn note_on_starving(&self, network: &Network, report: &mut Report) {
        let Some(Starving { hosts: names, served }) = self.starving(network) else { return };
        let shown = names.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
        let more = match names.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        report.notes.push(format!(
            "Nothing from {shown}{more} was delivered in the measured window, although {} always something to \
             send: {} got everything through.",
            if names.len() == 1 { "this host had" } else { "these hosts had" },
            amount(served as u64, "other host", "other hosts")
        ));
    }

    /// Adds the share of each sender as a multiple of the mean, and Jain's index of all of them.
    pub fn tell(&self, network: &Network, report: &mut Report) {
        if self.counted == 0 {
            return;
        }
        let senders = self.hosts.len();
        let rows = || self.batches.iter().chain([&self.current]);
        let sums: Vec<f64> =
            (0..senders).map(|place| rows().map(|batch| batch[place] as f64).sum()).collect();
        let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
        let index = sums.iter().sum::<f64>().powi(2) / (senders as f64 * squares);
        let exact = Estimate::exact(index, self.counted);
        report.metrics.push(Metric::new("fairness", EVERY_CLASS, ("index", "fraction"), exact));
        self.note_on_starving(network, report);
        for (place, &host) in self.hosts.iter().enumerate() {
            let of_sender = |batch: &Vec<u64>| Batch {
                sum: (senders as u64 * batch[place]) as f64,
                weight: batch.iter().sum::<u64>() as f64,
            };
            let batches: Vec<Batch> = rows().map(of_sender).collect();
            let mean = mean_of_batches(&batches, self.counted, CONFIDENCE);
            let class = &network.hosts()[host as usize].name;
            let estimate = mean.map(|mean| mean.estimate(self.counted));
            report.metrics.push(Metric::new("fairness", class, ("mean", "fraction"), estimate));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_kernel::RandomStream;
    use hopscope_topology::{NetworkBuilder, Role};

    /// The share of the first of two senders, of which each delivery is with this chance, and its interval.
    fn share(chance: f64, seed: u64) -> Estimate {
        let mut fairness = Fairness::new(3, vec![2, 0]);
        let mut random = RandomStream::named(seed, "fairness", 0);
        for _ in 0..20_000 {
            fairness.delivered(if random.chance(chance) { 0 } else { 2 }, 8_000);
        }
        let batches = fairness.batches.iter().chain([&fairness.current]);
        let batch =
            |batch: &Vec<u64>| Batch { sum: 2.0 * batch[0] as f64, weight: (batch[0] + batch[1]) as f64 };
        let batches: Vec<Batch> = batches.map(batch).collect();
        mean_of_batches(&batches, 20_000, CONFIDENCE).expect("many batches").estimate(20_000)
    }

    #[test]
    fn intervals_hold_the_share_95_times_of_100() {
        let holding = (0..400).filter(|&seed| share(0.3, seed).covers(0.6)).count();
        // 95 % of 400 are 380; four standard deviations are 17.
        assert!((363..=397).contains(&holding), "{holding} of 400");
    }

    #[test]
    fn a_saturated_host_from_which_nothing_arrives_is_named() {
        let mut builder = NetworkBuilder::new();
        let switch = builder.add_switch("s");
        for name in ["a", "b", "c"] {
            builder.add_host(name, switch, Role::Any);
        }
        let network = builder.build().expect("a star");
        let notes = |deliveries: u64| {
            let mut fairness = Fairness::new(3, vec![0, 1]);
            (0..deliveries).for_each(|_| fairness.delivered(0, 8_000));
            let mut report = Report::default();
            fairness.tell(&network, &mut report);
            report.notes
        };
        assert_eq!(
            notes(2_000),
            [
                "Nothing from b was delivered in the measured window, although this host had always something to \
              send: 1 other host got everything through."
            ]
        );
        assert!(notes(20).is_empty());
    }

    #[test]
    fn one_sender_or_too_many_are_not_counted() {
        for saturated in [vec![], vec![1], (0..257).collect()] {
            let mut fairness = Fairness::new(300, saturated);
            fairness.delivered(1, 8);
            assert_eq!(fairness.counted, 0);
        }
    }
}

//! Messages under way to each host: the queue for one may grow without bound although the whole backlog hardly grows.

use hopscope_units::{Data, Time};

use crate::saturation::backlog_grew;
use crate::time_batches::{TimeBatch, TimeBatches};

/// Batches of time.
const BATCHES: usize = 16;

/// Standard deviations of the number of messages of a Poisson source that a queue must have grown by.
const DEVIATIONS: f64 = 4.0;

/// Messages to one host in one batch of time, and their bits.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    offered: u64,
    over: u64,
    offered_bits: u64,
    over_bits: u64,
}

#[derive(Clone, Debug)]
struct Counts(Vec<Count>);

impl TimeBatch for Counts {
    fn next(&self) -> Self {
        Self(vec![Count::default(); self.0.len()])
    }

    fn merge(&mut self, later: Self) {
        for (count, more) in self.0.iter_mut().zip(later.0) {
            count.offered += more.offered;
            count.over += more.over;
            count.offered_bits += more.offered_bits;
            count.over_bits += more.over_bits;
        }
    }
}

/// The messages offered and over by their destination, in batches of time.
#[derive(Clone, Debug)]
pub struct Destinations {
    batches: TimeBatches<Counts>,
    /// The end of the current batch.
    rolls: Time,
}

/// A host for which more is offered than arrives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growing {
    /// The host.
    pub host: u32,
    /// What is offered for it, bits a second.
    pub offered: f64,
    /// What of it arrives, or is lost, bits a second: that of messages that are over.
    pub over: f64,
}

impl Destinations {
    /// Nothing yet for this many hosts; for none, nothing is ever counted.
    #[must_use]
    pub fn new(hosts: usize) -> Self {
        Self::since(Time::ZERO, hosts)
    }

    fn since(now: Time, hosts: usize) -> Self {
        let batches = TimeBatches::new(now, BATCHES, Counts(vec![Count::default(); hosts]));
        let rolls = if hosts == 0 { Time::NEVER } else { batches.ends() };
        Self { batches, rolls }
    }

    /// The measurement begins.
    pub fn restart(&mut self, now: Time) {
        *self = Self::since(now, self.batches.current().0.len());
    }

    #[inline]
    fn at(&mut self, now: Time, to: u32) -> Option<&mut Count> {
        if now >= self.rolls {
            self.batches.roll(now);
            self.rolls = self.batches.ends();
        }
        self.batches.current().0.get_mut(to as usize)
    }

    /// A message for this host is offered.
    #[inline]
    pub fn born(&mut self, now: Time, to: u32, data: Data) {
        if let Some(count) = self.at(now, to) {
            count.offered += 1;
            count.offered_bits += data.bits();
        }
    }

    /// A message for this host has arrived or is lost.
    #[inline]
    pub fn over(&mut self, now: Time, to: u32, data: Data) {
        if let Some(count) = self.at(now, to) {
            count.over += 1;
            count.over_bits += data.bits();
        }
    }

    /// The hosts for which the messages under way grew over the window as those of a saturated network do, see
    /// [`backlog_grew`], and by more than the scatter of as many independent arrivals: the queue of a host that is just
    /// loaded to its capacity may grow by chance. What came before messages could have crossed the network does not
    /// count.
    #[must_use]
    pub fn growing(&self, now: Time, is_crossed: impl Fn(Time) -> bool) -> Vec<Growing> {
        let mut ends = self.batches.start();
        let batches = self.batches.iter(now).filter(|(_, span)| {
            ends += *span;
            is_crossed(ends)
        });
        let batches: Vec<_> = batches.map(|(counts, span)| (&counts.0, span.as_seconds())).collect();
        let seconds: f64 = batches.iter().map(|(_, seconds)| seconds).sum();
        let hosts = batches.first().map_or(0, |(counts, _)| counts.len());
        let of_host = |host: usize| {
            let counts = || batches.iter().map(|(counts, _)| counts[host]);
            let growth: Vec<f64> = counts().map(|count| count.offered as f64 - count.over as f64).collect();
            let offered = counts().map(|count| count.offered).sum::<u64>() as f64;
            let grew =
                backlog_grew(&growth, offered) && growth.iter().sum::<f64>() > DEVIATIONS * offered.sqrt();
            let rate = |bits: fn(Count) -> u64| counts().map(bits).sum::<u64>() as f64 / seconds;
            grew.then(|| Growing {
                host: host as u32,
                offered: rate(|count| count.offered_bits),
                over: rate(|count| count.over_bits),
            })
        };
        (0..hosts).filter_map(of_host).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_kernel::RandomStream;
    use hopscope_units::Span;

    /// A queue of each of two hosts, to which as many messages come at random as one of them can take; the other takes
    /// this share of them.
    fn growing(load: f64, messages: u32, seed: u64) -> Vec<Growing> {
        let mut random = RandomStream::named(seed, "destinations", 0);
        let mut destinations = Destinations::new(2);
        let size = Data::from_bytes(1_000);
        let (mut now, mut free) = (Time::ZERO, [Time::ZERO; 2]);
        let mut ends: Vec<(Time, u32)> = Vec::new();
        for _ in 0..messages {
            now += Span::from_ns(random.below(2_000));
            let (arrived, under_way) = ends.into_iter().partition(|&(end, _)| end <= now);
            ends = under_way;
            let arrived: Vec<(Time, u32)> = arrived;
            arrived.iter().for_each(|&(_, to)| destinations.over(now, to, size));
            let to = random.below(2) as u32;
            destinations.born(now, to, size);
            // A message for each host comes every 2 us on average.
            let service = Span::from_ns(if to == 0 { (2_000.0 * load) as u64 } else { 500 });
            let begins = free[to as usize].max(now);
            free[to as usize] = begins + service;
            ends.push((free[to as usize], to));
        }
        destinations.growing(now, |_| true)
    }

    #[test]
    fn a_host_that_takes_less_than_is_offered_is_found() {
        for messages in [1_000, 10_000] {
            let found = growing(2.0, messages, 1);
            let [Growing { host: 0, offered, over }] = found[..] else { panic!("{found:?}") };
            assert!((offered / 4e9 - 1.0).abs() < 0.1, "{offered}");
            assert!((over / 2e9 - 1.0).abs() < 0.1, "{over}");
        }
    }

    #[test]
    fn a_host_within_its_capacity_is_not_however_busy() {
        for load in [0.5, 0.9, 0.98, 1.0] {
            let found = (0..50).filter(|&seed| !growing(load, 4_000, seed).is_empty()).count();
            assert_eq!(found, 0, "at load {load}");
        }
    }

    #[test]
    fn nothing_is_counted_for_no_host_or_before_messages_cross() {
        let mut none = Destinations::new(0);
        none.born(Time::ZERO + Span::from_s(1), 3, Data::ZERO);
        assert_eq!(none.growing(Time::ZERO + Span::from_s(2), |_| true), []);
        let mut one = Destinations::new(1);
        (1..1_000).for_each(|at| one.born(Time::ZERO + Span::from_us(at), 0, Data::ZERO));
        let now = Time::ZERO + Span::from_ms(1);
        assert_eq!(one.growing(now, |at| at > now), []);
        assert_eq!(one.growing(now, |_| true).len(), 1);
        one.restart(now);
        assert_eq!(one.growing(now, |_| true), []);
    }
}

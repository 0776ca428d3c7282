//! What queueing theory says.
//!
//! Source: L. Kleinrock, Queueing Systems, volume 1 (1975): M/M/1 and M/M/c in chapter 3, M/G/1 in chapter 5, tandems
//! of M/M/c by Burke's theorem in chapter 4. Times are in any unit, the same for all arguments of a function.

use std::fmt;

use crate::params::{Process, QueueingParams, Service, StationParams};

/// Mean time in the system M/M/1.
#[must_use]
pub fn mm1_time_in_system(mean_gap: f64, mean_service: f64) -> f64 {
    mean_service / (1.0 - mean_service / mean_gap)
}

/// Mean wait in the queue of M/G/1, from the first two moments of the service time (Pollaczek and Khinchine).
#[must_use]
pub fn pollaczek_khinchine_wait(mean_gap: f64, mean_service: f64, second_moment: f64) -> f64 {
    second_moment / mean_gap / (2.0 * (1.0 - mean_service / mean_gap))
}

/// The probability that a customer of M/M/c has to wait, for an offered load of `erlangs` (mean number of busy
/// servers).
#[must_use]
pub fn erlang_c(servers: u32, erlangs: f64) -> f64 {
    // Erlang B by its recursion over the number of servers, which neither overflows nor cancels.
    let blocking = (1..=servers).fold(1.0, |b, n| erlangs * b / (f64::from(n) + erlangs * b));
    let utilisation = erlangs / f64::from(servers);
    blocking / (1.0 - utilisation * (1.0 - blocking))
}

/// Mean time in the system M/M/c.
#[must_use]
pub fn mmc_time_in_system(servers: u32, mean_gap: f64, mean_service: f64) -> f64 {
    let erlangs = mean_service / mean_gap;
    mean_service + erlang_c(servers, erlangs) * mean_service / (f64::from(servers) - erlangs)
}

/// The closed form that belongs to a row of stations.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedForm {
    /// Its name, such as "M/G/1 (Pollaczek-Khinchine)".
    pub name: &'static str,
    /// The mean time from arrival at the first station to departure from the last, in microseconds.
    pub mean_latency_us: f64,
}

impl fmt::Display for ClosedForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Closed form for comparison: {} gives latency.mean = {:.6} us.",
            self.name, self.mean_latency_us
        )
    }
}

impl ClosedForm {
    /// The closed form of these parameters, where there is one and the queues have a steady state.
    #[must_use]
    pub fn of(params: &QueueingParams) -> Option<Self> {
        let gap = params.mean_gap_ps();
        let (name, latency_ps) = match params.arrivals.process {
            Process::Regular => deterministic(params)?,
            Process::Poisson if params.load() >= 1.0 => return None,
            Process::Poisson => poisson(&params.station, gap)?,
        };
        Some(Self { name, mean_latency_us: latency_ps * 1e-6 })
    }
}

/// Regular arrivals at fixed services that keep up with them never meet a queue.
fn deterministic(params: &QueueingParams) -> Option<(&'static str, f64)> {
    let fixed = params.station.iter().all(|station| matches!(station.service, Service::Fixed(_)));
    let service = params.station.iter().map(|station| station.service.mean_ps()).sum();
    (fixed && params.load() <= 1.0).then_some(("the deterministic tandem", service))
}

fn poisson(stations: &[StationParams], gap: f64) -> Option<(&'static str, f64)> {
    let exponential = |station: &StationParams| matches!(station.service, Service::Exponential(_));
    // Burke's theorem: the departures of M/M/c are again a Poisson process, so each station is by itself.
    if stations.iter().all(exponential) {
        let time = |s: &StationParams| mmc_time_in_system(s.servers, gap, s.service.mean_ps());
        let name = match stations {
            [station] if station.servers == 1 => "M/M/1",
            [_] => "M/M/c (Erlang C)",
            _ => "a tandem of M/M/c (Burke, Jackson)",
        };
        return Some((name, stations.iter().map(time).sum()));
    }
    let [station] = stations else { return None };
    if station.servers > 1 {
        return None;
    }
    let mean = station.service.mean_ps();
    let name = match station.service {
        Service::Fixed(_) => "M/D/1 (Pollaczek-Khinchine)",
        _ => "M/G/1 (Pollaczek-Khinchine)",
    };
    Some((name, mean + pollaczek_khinchine_wait(gap, mean, station.service.second_moment_ps2())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) -> bool {
        (found / expected - 1.0).abs() < 1e-6
    }

    #[test]
    fn known_values() {
        assert!(close(mm1_time_in_system(2.0, 1.0), 2.0));
        // M/D/1 waits half as long as M/M/1.
        assert!(close(pollaczek_khinchine_wait(2.0, 1.0, 1.0), 0.5));
        assert!(close(pollaczek_khinchine_wait(2.0, 1.0, 2.0), 1.0));
        // Erlang's tables: 2 servers at 1 erlang, 5 at 3, 10 at 8.
        assert!(close(erlang_c(2, 1.0), 1.0 / 3.0));
        assert!((erlang_c(5, 3.0) - 0.2362).abs() < 1e-4);
        assert!((erlang_c(10, 8.0) - 0.4092).abs() < 1e-4);
        assert!(close(mmc_time_in_system(1, 2.0, 1.0), 2.0));
    }

    #[test]
    fn erlang_c_agrees_with_its_definition() {
        for (servers, erlangs) in [(1u32, 0.3), (3, 2.5), (7, 6.9), (20, 11.0)] {
            let term = |n: u32| (1..=n).fold(1.0, |term, k| term * erlangs / f64::from(k));
            let last = term(servers) / (1.0 - erlangs / f64::from(servers));
            let sum: f64 = (0..servers).map(term).sum();
            assert!(
                close(erlang_c(servers, erlangs), last / (sum + last)),
                "{servers} servers, {erlangs} erlangs"
            );
        }
    }
}

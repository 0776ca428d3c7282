//! How the variation of services at one station makes customers wait there and at the stations after it.
//!
//! Source: W. Whitt, The Queueing Network Analyzer, Bell System Technical Journal 62 (1983): each station is a GI/G/c
//! queue by the first two moments of its arrivals and services, and what leaves it is what comes to the next one.

use hopscope_measure::VaryingService;

use crate::closed_forms::mmc_time_in_system;
use crate::params::{Process, QueueingParams};

/// A station by its first two moments. Times are in picoseconds.
#[derive(Clone, Copy, Debug)]
struct Station {
    servers: u32,
    mean: f64,
    /// The squared coefficient of variation of its services.
    variation: f64,
}

/// What comes to a station, and how long customers wait there.
struct Seen {
    /// The squared coefficient of variation of the gaps between arrivals.
    arrivals: f64,
    wait: f64,
}

/// The stations whose services vary more than what comes to them, with what services of one length would save there
/// and at the stations after. None where queues grow without bound.
pub(crate) fn varying(params: &QueueingParams) -> Vec<VaryingService> {
    if params.load() >= 1.0 {
        return Vec::new();
    }
    let gap = params.mean_gap_ps();
    let first = match params.arrivals.process {
        Process::Poisson => 1.0,
        Process::Regular => 0.0,
    };
    let stations: Vec<Station> = params
        .station
        .iter()
        .map(|station| Station {
            servers: station.servers,
            mean: station.service.mean_ps(),
            variation: station.service.time().variation,
        })
        .collect();
    let today = along(&stations, gap, first);
    let whole: f64 = today.iter().map(|seen| seen.wait).sum();
    let vary_more = today.iter().zip(&stations).enumerate();
    let vary_more = vary_more.filter(|(_, (seen, station))| station.variation > seen.arrivals && whole > 0.0);
    vary_more
        .map(|(row, (seen, station))| {
            let mut alike = stations.clone();
            alike[row].variation = 0.0;
            let left: f64 = along(&alike, gap, first).iter().map(|seen| seen.wait).sum();
            let saves = 1.0 - left / whole;
            VaryingService { row, services: station.variation, arrivals: seen.arrivals, saves }
        })
        .collect()
}

/// The stations in their order, where arrivals at the first one vary so.
fn along(stations: &[Station], gap: f64, first: f64) -> Vec<Seen> {
    let mut arrivals = first;
    let seen = |&Station { servers, mean, variation }: &Station| {
        let used = mean / (gap * f64::from(servers));
        // Allen and Cunneen: the wait of M/M/c, by how much arrivals and services vary.
        let wait = f64::midpoint(arrivals, variation) * (mmc_time_in_system(servers, gap, mean) - mean);
        let found = Seen { arrivals, wait };
        let square = used * used;
        // What leaves a busy station comes as its services end, what leaves an idle one as its customers come.
        arrivals =
            1.0 + (1.0 - square) * (arrivals - 1.0) + square / f64::from(servers).sqrt() * (variation - 1.0);
        found
    };
    stations.iter().map(seen).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAP: f64 = 10.0;

    fn station(mean: f64, variation: f64) -> Station {
        Station { servers: 1, mean, variation }
    }

    #[test]
    fn a_tandem_of_exponential_stations_is_one_of_independent_queues() {
        let seen = along(&[station(5.0, 1.0), station(8.0, 1.0)], GAP, 1.0);
        assert!((seen[1].arrivals - 1.0).abs() < 1e-12);
        assert!((seen[0].wait - 5.0).abs() < 1e-12 && (seen[1].wait - 32.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_regular_all_along_meets_no_queue() {
        assert!(along(&[station(9.9, 0.0), station(9.8, 0.0)], GAP, 0.0).iter().all(|seen| seen.wait == 0.0));
    }
}

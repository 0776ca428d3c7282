//! What theory says of a window that is always full: a closed queueing network.

/// A closed network of stations in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closed {
    /// Customers that leave the last station, 1/s.
    pub throughput: f64,
    /// The mean time from the first station to the end of the last, s.
    pub delay: f64,
}

impl Closed {
    /// Throughput over delay, 1/s^2: Kleinrock's power.
    #[must_use]
    pub fn power(&self) -> f64 {
        self.throughput / self.delay
    }
}

/// A window of `window` customers in a row of single exponential stations with these mean service times, s: mean value
/// analysis.
///
/// Source: M. Reiser, "A queueing network analysis of computer communication networks with window flow control", IEEE
/// Trans. Comm. COM-27(8), 1979; M. Reiser and S. Lavenberg, Journal of the ACM 27(2), 1980. Panics at a window of 0.
#[must_use]
pub fn closed_network(services_s: &[f64], window: u64) -> Closed {
    assert!(window > 0, "a window has room for a customer");
    let mut queues = vec![0.0; services_s.len()];
    let mut found = Closed { throughput: 0.0, delay: 0.0 };
    for customers in 1..=window {
        // Who arrives finds the queues of a network with one customer less.
        let times: Vec<f64> =
            services_s.iter().zip(&queues).map(|(service, queue)| service * (1.0 + queue)).collect();
        let delay: f64 = times.iter().sum();
        let throughput = customers as f64 / delay;
        queues = times.iter().map(|time| throughput * time).collect();
        found = Closed { throughput, delay };
    }
    found
}

/// The same with `stations` equal stations, in closed form: mu N / (M + N - 1) and (M + N - 1) / mu.
#[must_use]
pub fn equal_stations(service_s: f64, stations: u64, window: u64) -> Closed {
    let all = (stations + window - 1) as f64;
    Closed { throughput: window as f64 / all / service_s, delay: all * service_s }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_value_analysis_of_equal_stations_is_the_closed_form() {
        for stations in 1..8 {
            for window in 1..20 {
                let services = vec![0.02; stations as usize];
                let (found, form) =
                    (closed_network(&services, window), equal_stations(0.02, stations, window));
                assert!((found.throughput / form.throughput - 1.0).abs() < 1e-12, "{stations} {window}");
                assert!((found.delay / form.delay - 1.0).abs() < 1e-12, "{stations} {window}");
            }
        }
    }

    #[test]
    fn power_is_greatest_where_the_window_is_one_less_than_the_stations() {
        // N / (M + N - 1)^2 has its maximum at N = M - 1, over whole numbers; Kleinrock's rule.
        for stations in 3..9 {
            let power = |window| equal_stations(1.0, stations, window).power();
            let best = (1..40).max_by(|&a, &b| power(a).total_cmp(&power(b))).expect("there are windows");
            assert_eq!(best, stations - 1, "{stations} stations");
        }
    }
}

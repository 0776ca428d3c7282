//! Saturation: when the offered load exceeds the capacity.
//!
//! Above saturation the number of messages under way grows without bound, and so does their delay, which then has no
//! value. Two tests detect it.

/// Growth of the backlog that counts, as a share of the messages offered meanwhile.
const SHARE_OF_OFFERED: f64 = 0.01;

/// Growth of the backlog that counts, in standard errors.
const STANDARD_ERRORS: f64 = 4.0;

/// Checks in a row, of a warm-up that doubles between them, over which the backlog must have grown.
const CHECKS: usize = 4;

/// Whether the backlog grew over a window, from its growth in each of the window's batches and the messages offered in
/// all.
///
/// The rule: the growth exceeds 1 % of the messages offered, and 4 standard errors as the scatter of the batches'
/// growth gives them.
#[must_use]
pub fn backlog_grew(growth: &[f64], offered: f64) -> bool {
    let count = growth.len() as f64;
    if count < 2.0 {
        return false;
    }
    let total: f64 = growth.iter().sum();
    let mean = total / count;
    let squares: f64 = growth.iter().map(|step| (step - mean) * (step - mean)).sum();
    let standard_error = (squares * count / (count - 1.0)).sqrt();
    total > SHARE_OF_OFFERED * offered && total > STANDARD_ERRORS * standard_error
}

/// The backlog at the checks of a warm-up.
///
/// The rule: at each of the last four checks, between which the run doubled, the backlog had grown by over 1 % of what
/// was offered since the check before, and by over 1.5 times as much as between the two checks before. A stable queue
/// that fills up grows by less and less; a saturated one by twice as much each time.
#[derive(Clone, Debug, Default)]
pub struct BacklogTrend {
    checks: Vec<(f64, f64)>,
}

impl BacklogTrend {
    /// A check: messages offered since the start, and under way now. Returns whether the warm-up is hopeless.
    pub fn check(&mut self, offered: u64, backlog: u64) -> bool {
        self.checks.push((offered as f64, backlog as f64));
        if self.checks.len() < CHECKS {
            return false;
        }
        let mut recent = vec![if self.checks.len() == CHECKS {
            (0.0, 0.0)
        } else {
            self.checks[self.checks.len() - CHECKS - 1]
        }];
        recent.extend(&self.checks[self.checks.len() - CHECKS..]);
        let steps: Vec<(f64, f64)> =
            recent.windows(2).map(|pair| (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1)).collect();
        // The step from the empty network to the first check is as long as the one after it, so growth is compared
        // from there on.
        steps.iter().all(|&(offered, growth)| growth > SHARE_OF_OFFERED * offered)
            && steps[1..].windows(2).all(|pair| pair[1].1 > 1.5 * pair[0].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steady_growth_is_saturation() {
        assert!(backlog_grew(&[10.0, 11.0, 9.0, 10.0, 10.0, 12.0, 8.0, 10.0], 1_000.0));
        assert!(backlog_grew(&[10.0; 8], 1_000.0), "growth without any scatter");
    }

    #[test]
    fn growth_within_the_scatter_or_below_one_percent_is_not() {
        assert!(!backlog_grew(&[100.0, -90.0, 80.0, -70.0, 90.0, -80.0, 60.0, 10.0], 1_000.0));
        assert!(!backlog_grew(&[1.0; 8], 1_000.0));
        assert!(!backlog_grew(&[0.0; 8], 0.0));
        assert!(!backlog_grew(&[50.0], 100.0), "one batch has no scatter to judge by");
    }

    #[test]
    fn a_warm_up_of_a_saturated_network_is_hopeless_after_four_checks() {
        let mut trend = BacklogTrend::default();
        let verdicts: Vec<bool> = [1_000, 2_000, 4_000, 8_000].map(|n| trend.check(n, n / 10)).to_vec();
        assert_eq!(verdicts, [false, false, false, true]);
    }

    #[test]
    fn a_stable_queue_that_fills_up_is_not_hopeless() {
        let mut trend = BacklogTrend::default();
        // At load 0.99 the backlog first grows as the square root of time.
        for n in [1_000u64, 2_000, 4_000, 8_000, 16_000, 32_000] {
            assert!(!trend.check(n, (n as f64).sqrt() as u64), "{n}");
        }
    }
}

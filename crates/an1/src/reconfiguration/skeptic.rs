//! The skeptic: the time for which a failed link must be good before it is trusted again.

use hopscope_units::{Span, Time};

use super::ReconfigurationParams;

/// Decides when a failed link is trusted again: the more failures, the later (Rodeheffer and Schroeder 1991).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Skeptic {
    /// Failures that have not been forgiven.
    failures: u32,
    /// Since when the link has been trusted; nothing while it is not, or if it never failed.
    believed_since: Option<Time>,
}

impl Skeptic {
    /// The link has failed. For every period of forgiveness that it was believed before, one failure is forgiven.
    pub fn failed(&mut self, now: Time, params: &ReconfigurationParams) {
        if let Some(since) = self.believed_since.take() {
            let forgiven = now.since(since).ps() / params.forgiveness.ps();
            self.failures = self.failures.saturating_sub(u32::try_from(forgiven).unwrap_or(u32::MAX));
        }
        self.failures += 1;
    }

    /// The time for which the link must be good before it is trusted: doubled with each failure after the first.
    pub fn asks_for(&self, params: &ReconfigurationParams) -> Span {
        let doublings = self.failures.saturating_sub(1).min(40);
        let asked = params.skeptic.ps().saturating_mul(1 << doublings);
        Span::from_ps(asked.min(params.longest_skeptic.ps()))
    }

    /// The link has been good for that long.
    pub fn believes(&mut self, now: Time) {
        self.believed_since = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_for_twice_as_long_with_each_failure_up_to_a_bound_and_forgives() {
        let params = ReconfigurationParams {
            skeptic: Span::from_ms(100),
            longest_skeptic: Span::from_ms(500),
            forgiveness: Span::from_s(1),
            ..ReconfigurationParams::default()
        };
        let mut skeptic = Skeptic::default();
        let mut now = Time::ZERO;
        let mut asked = Vec::new();
        for good_for in [0, 0, 0, 0, 2_500, 0] {
            now += Span::from_ms(good_for);
            skeptic.failed(now, &params);
            asked.push(skeptic.asks_for(&params).ps() / 1_000_000_000);
            now += skeptic.asks_for(&params);
            skeptic.believes(now);
        }
        // After 2.5 s of good service two of the four failures are forgiven, and the fifth makes three.
        assert_eq!(asked, [100, 200, 400, 500, 400, 500]);
    }
}

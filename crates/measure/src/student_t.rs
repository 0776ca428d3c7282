//! The quantile of Student's t for confidence intervals.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The factor of a two-sided confidence interval: Student's t for `freedom` degrees of freedom.
///
/// Rounded to seven decimals, so that a last digit of the platform's logarithm cannot change when a run stops. Panics
/// unless `confidence` lies between 0 and 1 and `freedom` is at least 1.
#[must_use]
pub fn student_t(confidence: f64, freedom: usize) -> f64 {
    assert!(0.0 < confidence && confidence < 1.0, "a confidence between 0 and 1");
    let t = StudentsT::new(0.0, 1.0, freedom as f64).expect("at least one degree of freedom");
    (t.inverse_cdf(0.5 + confidence / 2.0) * 1e7).round() / 1e7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_tables() {
        // Degrees of freedom, 95 %, 99 %: any statistical table.
        let table = [
            (1, 12.7062, 63.6567),
            (2, 4.3027, 9.9248),
            (7, 2.3646, 3.4995),
            (15, 2.1314, 2.9467),
            (63, 1.9983, 2.6561),
        ];
        for (freedom, t95, t99) in table {
            assert!((student_t(0.95, freedom) - t95).abs() < 1e-4, "{freedom}: {}", student_t(0.95, freedom));
            assert!((student_t(0.99, freedom) - t99).abs() < 1e-4, "{freedom}: {}", student_t(0.99, freedom));
        }
    }
}

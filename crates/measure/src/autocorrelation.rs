//! How much neighbouring values of a series resemble each other.

/// The autocorrelation of a series at the lags 0 to `max_lag` (fewer where the series is shorter), by the usual
/// estimator that divides every lag by the same variance sum, so that all values lie within -1 and 1.
///
/// A constant series has no variance to relate to; its autocorrelation is given as 0 at every lag but 0.
#[must_use]
pub fn autocorrelation(series: &[f64], max_lag: usize) -> Vec<f64> {
    let mean = series.iter().sum::<f64>() / series.len().max(1) as f64;
    let residuals: Vec<f64> = series.iter().map(|value| value - mean).collect();
    let lags = (max_lag + 1).min(series.len());
    (0..lags).map(|lag| if lag == 0 { 1.0 } else { residual_correlation(&residuals, lag) }).collect()
}

/// The correlation at one lag of residuals, whose mean is known to be 0.
pub(crate) fn residual_correlation(residuals: &[f64], lag: usize) -> f64 {
    let product = |shifted: &[f64]| residuals.iter().zip(shifted).map(|(a, b)| a * b).sum::<f64>();
    let variance = product(residuals);
    if variance > 0.0 { product(residuals.get(lag..).unwrap_or(&[])) / variance } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::first_order::FirstOrder;

    #[test]
    fn alternation_is_anticorrelated() {
        let series: Vec<f64> = (0..1000).map(|i| if i % 2 == 0 { 3.0 } else { 5.0 }).collect();
        let found = autocorrelation(&series, 2);
        assert!((found[1] + 0.999).abs() < 1e-9 && (found[2] - 0.998).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_first_order_process_forgets_by_powers() {
        let series: Vec<f64> = FirstOrder::new(11, 0.8).take(200_000).collect();
        for (lag, found) in autocorrelation(&series, 8).into_iter().enumerate() {
            let closed_form = 0.8f64.powi(i32::try_from(lag).unwrap());
            assert!((found - closed_form).abs() < 0.02, "lag {lag}: {found} for {closed_form}");
        }
    }

    #[test]
    fn short_and_constant_series() {
        assert!(autocorrelation(&[], 3).is_empty());
        assert_eq!(autocorrelation(&[2.0], 3), [1.0]);
        assert_eq!(autocorrelation(&[2.0; 5], 2), [1.0, 0.0, 0.0]);
    }
}

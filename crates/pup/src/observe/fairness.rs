//! How evenly something is shared.

use hopscope_measure::Estimate;

/// The index of fairness (R. Jain, D.-M. Chiu and W. Hawe, "A Quantitative Measure of Fairness and Discrimination for
/// Resource Allocation in Shared Computer Systems", DEC TR-301, 1984): 1 where all shares are equal, 1/n where one has
/// everything. Nothing where there is one share, or all are nothing.
pub(crate) fn fairness(shares: &[f64]) -> Option<Estimate> {
    let (sum, squares) = (shares.iter().sum::<f64>(), shares.iter().map(|share| share * share).sum::<f64>());
    let index = sum * sum / (shares.len() as f64 * squares);
    (shares.len() > 1 && squares > 0.0).then(|| Estimate::exact(index, shares.len() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_one_where_all_have_the_same_and_less_the_fewer_have_anything() {
        for (shares, index) in [([3.0; 4], 1.0), ([4.0, 0.0, 0.0, 0.0], 0.25), ([2.0, 2.0, 0.0, 0.0], 0.5)] {
            let found = fairness(&shares).expect("somebody has something");
            assert!((found.value - index).abs() < 1e-12, "{shares:?}: {found:?}");
        }
        assert_eq!((fairness(&[1.0]), fairness(&[0.0, 0.0])), (None, None));
    }
}

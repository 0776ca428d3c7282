//! Outcomes with given weights: the alias method, in integers.

use crate::RandomStream;

/// One of n outcomes with given weights, in constant time and exactly in proportion to them.
///
/// Method: the alias method as M. D. Vose builds it ("A linear algorithm for generating random numbers with a given
/// distribution", IEEE Transactions on Software Engineering 17(9), 1991), in integers: every outcome has a column of
/// equal height, filled by its own weight and topped up by one other outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Discrete {
    columns: Vec<Column>,
    height: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Column {
    own: u64,
    alias: usize,
}

impl Discrete {
    /// Outcomes in proportion to whole weights. Panics where all are 0, or their sum passes 64 bits.
    #[must_use]
    pub fn of_weights(weights: &[u64]) -> Self {
        let height = weights.iter().sum();
        assert!(height > 0, "a choice among no outcomes");
        // A column is as high as all the weights together, so each weight times the number of columns fills them
        // exactly.
        let scaled = |weight: &u64| u128::from(*weight) * weights.len() as u128;
        let mut left: Vec<u128> = weights.iter().map(scaled).collect();
        let mut columns: Vec<Column> =
            (0..weights.len()).map(|alias| Column { own: height, alias }).collect();
        let full = u128::from(height);
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..weights.len()).partition(|&i| left[i] < full);
        while let Some(taker) = small.pop() {
            let giver = *large.last().expect("what the small columns lack, the large ones have over");
            columns[taker] = Column { own: left[taker] as u64, alias: giver };
            left[giver] -= full - left[taker];
            if left[giver] < full {
                large.pop();
                small.push(giver);
            }
        }
        Self { columns, height }
    }

    /// Outcomes in proportion to shares of any sum, which are rounded to multiples of 2^-40 of the largest.
    ///
    /// Panics unless every share is finite and not negative, and one is positive; and past 2^24 outcomes.
    #[must_use]
    pub fn of_shares(shares: &[f64]) -> Self {
        let largest = shares.iter().copied().fold(0.0, f64::max);
        assert!(largest > 0.0, "a choice among no outcomes");
        let weight = |share: &f64| {
            assert!(*share >= 0.0 && share.is_finite(), "an outcome has the share {share}");
            (share / largest * (1u64 << 40) as f64).round_ties_even() as u64
        };
        Self::of_weights(&shares.iter().map(weight).collect::<Vec<_>>())
    }

    /// The index of an outcome.
    #[inline]
    pub fn sample(&self, stream: &mut RandomStream) -> usize {
        let drawn = stream.below(self.columns.len() as u64) as usize;
        let column = self.columns[drawn];
        if stream.below(self.height) < column.own { drawn } else { column.alias }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_columns_hold_each_weight_exactly(
            weights in prop::collection::vec(prop_oneof![0..3u64, 0..1u64 << 40], 1..50)
        ) {
            prop_assume!(weights.iter().any(|&weight| weight > 0));
            let choice = Discrete::of_weights(&weights);
            let mut held = vec![0; weights.len()];
            for (own, column) in choice.columns.iter().enumerate() {
                held[own] += u128::from(column.own);
                held[column.alias] += u128::from(choice.height - column.own);
            }
            let exact: Vec<u128> = weights.iter().map(|&w| u128::from(w) * weights.len() as u128).collect();
            prop_assert_eq!(held, exact);
        }
    }

    #[test]
    fn shares_need_not_sum_to_one() {
        let choice = Discrete::of_shares(&[0.5, 1.0, 0.0, 0.25]);
        assert_eq!(choice.height, 7 << 38);
        let mut stream = RandomStream::named(1, "shares", 0);
        assert!((0..10_000).all(|_| choice.sample(&mut stream) != 2));
    }

    #[test]
    #[should_panic(expected = "a choice among no outcomes")]
    fn refuses_weights_that_are_all_zero() {
        let _ = Discrete::of_weights(&[0, 0]);
    }

    #[test]
    #[should_panic(expected = "an outcome has the share -0.5")]
    fn refuses_negative_shares() {
        let _ = Discrete::of_shares(&[1.0, -0.5]);
    }
}

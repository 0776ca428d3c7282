//! Random streams, each found by its name.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A stream of random numbers of its own, found by name: a PCG generator of 16 bytes.
///
/// Streams of other seeds, names or indices are independent, so adding a draw to one process of a model changes no
/// other. The same (seed, name, index) gives the same numbers on every machine and in every version; golden tests hold
/// that.
///
/// Generator: M. E. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random
/// Number Generation", Harvey Mudd College HMC-CS-2014-0905, 2014 (the 128-bit MCG with XSL-RR output).
#[derive(Clone, Debug)]
pub struct RandomStream(Pcg64Mcg);

impl RandomStream {
    /// The stream of this seed, name and index. Its start is the BLAKE3 hash of the three.
    #[must_use]
    pub fn named(seed: u64, name: &str, index: u64) -> Self {
        let mut hash = blake3::Hasher::new_derive_key("hopscope random stream 1");
        hash.update(&seed.to_le_bytes()).update(&index.to_le_bytes()).update(name.as_bytes());
        let mut state = [0; 16];
        state.copy_from_slice(&hash.finalize().as_bytes()[..16]);
        Self(Pcg64Mcg::from_seed(state))
    }

    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// An integer below `n`, each exactly as likely as any other. Panics at 0.
    ///
    /// Method: D. Lemire, "Fast Random Integer Generation in an Interval", ACM TOMACS 29(1), 2019: the product of `n`
    /// and 64 random bits, with the few products rejected that would favour some of the results.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "an integer below 0 was drawn");
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        if (product as u64) < n {
            let surplus = n.wrapping_neg() % n;
            while (product as u64) < surplus {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// A number of [0, 1), uniform over the multiples of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// True with probability `p`; never where `p` is 0, always where it is 1.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// One of these, each as likely as any other. Panics where there is none.
    #[inline]
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    /// Puts these in a random order, each order as likely as any other (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

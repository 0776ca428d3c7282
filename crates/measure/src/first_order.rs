//! A process whose mean and autocorrelation are known, for the tests of the statistics.

use hopscope_kernel::RandomStream;

/// x' = a x + e with independent e, uniform between -1 and 1. Its mean is 0 and its autocorrelation at lag k is a to
/// the k.
pub(crate) struct FirstOrder {
    random: RandomStream,
    memory: f64,
    x: f64,
}

impl FirstOrder {
    /// Starts far enough in the past to be stationary.
    pub(crate) fn new(seed: u64, memory: f64) -> Self {
        let mut process = Self { random: RandomStream::named(seed, "first order", 0), memory, x: 0.0 };
        let _ = process.nth(2_000);
        process
    }
}

impl Iterator for FirstOrder {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        self.x = self.memory * self.x + 2.0 * self.random.unit() - 1.0;
        Some(self.x)
    }
}

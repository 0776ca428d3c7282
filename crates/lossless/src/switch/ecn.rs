//! ECN: when a switch marks a frame, by RED on the queue as it is. `congestion_point.rs` applies it.

use hopscope_kernel::RandomStream;

use crate::params::EcnParams;

/// Marking in bits and parts of 2^32.
#[derive(Clone, Debug)]
pub(crate) struct Ecn {
    kmin: u64,
    kmax: u64,
    pmax: u64,
}

impl Ecn {
    pub fn new(params: &EcnParams) -> Self {
        let pmax = (params.pmax * 2f64.powi(32)) as u64;
        Self { kmin: params.kmin.bits(), kmax: params.kmax.bits(), pmax }
    }

    /// The queues from which frames may be marked, and above which all are.
    pub fn thresholds(&self) -> [u64; 2] {
        [self.kmin, self.kmax]
    }

    /// Whether a frame is marked that leaves a queue of this many bits, including itself.
    #[inline]
    pub fn marks(&self, queued: u64, random: &mut RandomStream) -> bool {
        if queued <= self.kmin {
            return false;
        }
        if queued > self.kmax {
            return true;
        }
        let span = u128::from(self.kmax - self.kmin);
        let chance = u128::from(queued - self.kmin) * u128::from(self.pmax) / span;
        u128::from(random.next_u64() >> 32) < chance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_rise_from_kmin_to_pmax_and_are_certain_beyond_kmax() {
        let ecn = Ecn::new(&EcnParams { pmax: 0.5, ..EcnParams::default() });
        let mut random = RandomStream::named(1, "marks", 0);
        let mut share = |bytes: u64| {
            let marked = (0..20_000).filter(|_| ecn.marks(8 * bytes, &mut random)).count();
            marked as f64 / 20_000.0
        };
        assert_eq!((share(5_000), share(200_001)), (0.0, 1.0));
        let halfway = share(102_500);
        assert!((halfway - 0.25).abs() < 0.02, "{halfway}");
    }
}

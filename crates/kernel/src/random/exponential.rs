//! Exponential spans of time: the ziggurat method, on integers.

use std::sync::LazyLock;

use hopscope_units::Span;

use crate::RandomStream;

/// A span of the exponential distribution, rounded to the nearest picosecond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponential {
    mean_ps: f64,
}

impl Exponential {
    /// Exponential with this mean. A sample longer than [`Span::MAX`] is cut to it.
    #[must_use]
    pub fn new(mean: Span) -> Self {
        Self { mean_ps: mean.ps() as f64 }
    }

    /// A span.
    #[inline]
    pub fn sample(&self, stream: &mut RandomStream) -> Span {
        Span::from_ps((standard(stream) * self.mean_ps).round_ties_even() as u64)
    }
}

/// Horizontal layers of equal area that cover the density exp(-x).
const LAYERS: usize = 256;

/// Where the lowest layer ends and the tail begins, for 256 layers (Marsaglia and Tsang 2000, section 3).
const TAIL: f64 = 7.697_117_470_131_05;

/// A layer of the ziggurat. Numbers along it are counted in steps, of which it has 2^53.
#[derive(Clone, Copy, Debug)]
struct Layer {
    /// The number of steps that lie under the density at any height: under the layer above, or for the lowest before
    /// the tail.
    within: u64,
    /// The length of a step.
    step: f64,
    /// The density where the layer ends.
    low: f64,
    /// The density where the layer above ends.
    high: f64,
}

/// The layers, from the lowest. Software arithmetic makes them the same on every machine.
static ZIGGURAT: LazyLock<[Layer; LAYERS]> = LazyLock::new(|| {
    let foot = libm::exp(-TAIL);
    // The rectangle and the tail behind it, whose area is the density where it begins.
    let area = foot * (TAIL + 1.0);
    // A layer that long would hold the area of the lowest without a tail.
    let (mut end, mut low) = (area / foot, 0.0);
    let mut next = TAIL;
    std::array::from_fn(|index| {
        let high = if index + 1 == LAYERS { 1.0 } else { libm::exp(-next) };
        let layer = Layer {
            within: (next / end * (1u64 << 53) as f64) as u64,
            step: end / (1u64 << 53) as f64,
            low,
            high,
        };
        (end, low) = (next, high);
        next = if index + 2 < LAYERS { -libm::log(low + area / end) } else { 0.0 };
        layer
    })
});

/// A sample of mean 1.
///
/// Method: G. Marsaglia and W. W. Tsang, "The Ziggurat Method for Generating Random Variables", Journal of Statistical
/// Software 5(8), 2000. One comparison of integers decides 97.8 % of the samples.
#[inline]
pub(super) fn standard(stream: &mut RandomStream) -> f64 {
    let bits = stream.next_u64();
    let layer = ZIGGURAT[bits as usize % LAYERS];
    // The layer has the lowest bits, the place along it the highest.
    let steps = bits >> 11;
    if steps < layer.within { steps as f64 * layer.step } else { at_the_edge(stream, layer, steps) }
}

/// A sample that the comparison of integers has not decided.
#[cold]
fn at_the_edge(stream: &mut RandomStream, layer: Layer, steps: u64) -> f64 {
    if layer.low == 0.0 {
        // Beyond any point the exponential distribution is itself again.
        return TAIL + standard(stream);
    }
    let sample = steps as f64 * layer.step;
    let height = layer.low + stream.unit() * (layer.high - layer.low);
    if height < libm::exp(-sample) { sample } else { standard(stream) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layers_have_equal_areas_and_cover_the_density() {
        let area = libm::exp(-TAIL) * (TAIL + 1.0);
        let length = |layer: &Layer| layer.step * (1u64 << 53) as f64;
        for layer in &ZIGGURAT[1..] {
            let of_layer = length(layer) * (layer.high - layer.low);
            assert!((of_layer / area - 1.0).abs() < 1e-9, "{of_layer} for {area}");
            assert!((libm::exp(-length(layer)) / layer.low - 1.0).abs() < 1e-9);
        }
        assert!(ZIGGURAT.windows(2).all(|pair| pair[0].high == pair[1].low));
        assert_eq!((ZIGGURAT[0].low, ZIGGURAT[LAYERS - 1].high), (0.0, 1.0));
        assert_eq!(ZIGGURAT[LAYERS - 1].within, 0);
    }

    #[test]
    fn integers_decide_most_samples() {
        let decided: f64 = ZIGGURAT.iter().map(|layer| layer.within as f64 / (1u64 << 53) as f64).sum();
        assert!((0.977..0.979).contains(&(decided / LAYERS as f64)), "{decided}");
    }
}

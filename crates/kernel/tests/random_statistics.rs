//! The samplers against the closed forms of their distributions.
//!
//! Every test is one of significance 0.1 %: with its fixed seed it passes or fails for good, and a wrong sampler fails
//! it.

use hopscope_kernel::{Discrete, Exponential, Geometric, PoissonProcess, RandomStream, UniformSpan};
use hopscope_units::{Span, Time};

const SAMPLES: usize = 1_000_000;

/// The two-sided 0.1 % point of the normal distribution.
const NORMAL_POINT: f64 = 3.29;

fn stream(name: &str) -> RandomStream {
    RandomStream::named(2, name, 0)
}

/// The mean and variance of a distribution and its fourth central moment, from which the variance of a sample variance.
struct Moments {
    mean: f64,
    variance: f64,
    fourth: f64,
}

fn check_moments(moments: &Moments, mut sample: impl FnMut() -> f64) {
    let samples: Vec<f64> = (0..SAMPLES).map(|_| sample()).collect();
    let n = SAMPLES as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let variance = samples.iter().map(|x| (x - moments.mean).powi(2)).sum::<f64>() / n;
    let mean_score = (mean - moments.mean) / (moments.variance / n).sqrt();
    let variance_score =
        (variance - moments.variance) / ((moments.fourth - moments.variance.powi(2)) / n).sqrt();
    assert!(mean_score.abs() < NORMAL_POINT, "mean {mean} for {}", moments.mean);
    assert!(variance_score.abs() < NORMAL_POINT, "variance {variance} for {}", moments.variance);
}

/// Pearson's test that outcomes fall as their probabilities say.
fn check_frequencies(probabilities: &[f64], mut sample: impl FnMut() -> usize) {
    let mut counts = vec![0u64; probabilities.len()];
    (0..SAMPLES).for_each(|_| counts[sample()] += 1);
    let expected = probabilities.iter().map(|p| p * SAMPLES as f64);
    let chi_square: f64 = counts.iter().zip(expected).map(|(&n, e)| (n as f64 - e).powi(2) / e).sum();
    let limit = chi_square_point(probabilities.len() - 1);
    assert!(chi_square < limit, "chi-square {chi_square} over {limit}: {counts:?}");
}

/// The upper 0.1 % point of the chi-square distribution, by the approximation of Wilson and Hilferty (1931).
fn chi_square_point(degrees: usize) -> f64 {
    let k = degrees as f64;
    k * (1.0 - 2.0 / (9.0 * k) + 3.0902 * (2.0 / (9.0 * k)).sqrt()).powi(3)
}

#[test]
fn uniform_spans() {
    let (least, greatest) = (1_000.0, 1_009.0);
    let sampler = UniformSpan::new(Span::from_ps(1_000), Span::from_ps(1_009));
    let mut numbers = stream("uniform span");
    let n: f64 = greatest - least + 1.0;
    let variance = (n * n - 1.0) / 12.0;
    let fourth = (n * n - 1.0) * (3.0 * n * n - 7.0) / 240.0;
    let moments = Moments { mean: f64::midpoint(least, greatest), variance, fourth };
    check_moments(&moments, || sampler.sample(&mut numbers).ps() as f64);
    check_frequencies(&[0.1; 10], || sampler.sample(&mut numbers).ps() as usize - 1_000);
}

#[test]
fn integers_below_a_bound_are_exactly_uniform() {
    let mut numbers = stream("below");
    check_frequencies(&[1.0 / 7.0; 7], || numbers.below(7) as usize);
    // Without rejection, the multiples of 3 would come twice as often as the others below 3/4 of 2^64.
    check_frequencies(&[1.0 / 3.0; 3], || (numbers.below(3 << 62) % 3) as usize);
    check_frequencies(&[0.25; 4], || (numbers.below(1 << 63) >> 61) as usize);
}

#[test]
fn unit_numbers() {
    let mut numbers = stream("unit");
    let moments = Moments { mean: 0.5, variance: 1.0 / 12.0, fourth: 1.0 / 80.0 };
    check_moments(&moments, || numbers.unit());
    check_frequencies(&[0.01; 100], || (numbers.unit() * 100.0) as usize);
}

#[test]
fn chances() {
    let mut numbers = stream("chance");
    check_frequencies(&[0.7, 0.3], || usize::from(numbers.chance(0.3)));
    assert!((0..1000).all(|_| numbers.chance(1.0) && !numbers.chance(0.0)));
}

#[test]
fn exponential_spans() {
    let mean = 1e6;
    let sampler = Exponential::new(Span::from_us(1));
    let mut numbers = stream("exponential");
    let moments = Moments { mean, variance: mean * mean, fourth: 9.0 * mean.powi(4) };
    check_moments(&moments, || sampler.sample(&mut numbers).ps() as f64);
    // In 20 intervals of equal probability, by the distribution function.
    let interval = |span: Span| ((1.0 - (-(span.ps() as f64) / mean).exp()) * 20.0) as usize;
    check_frequencies(&[0.05; 20], || interval(sampler.sample(&mut numbers)));
    // As many as the sampler has layers, so that each is seen; and the tail, where it starts again.
    let fine = |span: Span| ((1.0 - (-(span.ps() as f64) / mean).exp()) * 1000.0) as usize;
    check_frequencies(&[0.001; 1000], || fine(sampler.sample(&mut numbers)));
    let beyond = |from: f64| (-from).exp();
    let tail = [7.0, 7.6971, 8.4, 9.0].map(beyond);
    let places = [1.0 - tail[0], tail[0] - tail[1], tail[1] - tail[2], tail[2] - tail[3], tail[3]];
    let place =
        |span: Span| [7.0, 7.6971, 8.4, 9.0].iter().filter(|&&from| span.ps() as f64 >= from * mean).count();
    check_frequencies(&places, || place(sampler.sample(&mut numbers)));
}

#[test]
fn geometric_numbers_of_trials() {
    for p in [0.05, 0.5, 0.97] {
        let sampler = Geometric::new(p);
        let mut numbers = stream("geometric");
        let (q, variance) = (1.0 - p, (1.0 - p) / (p * p));
        let fourth = variance * variance * (9.0 + p * p / q);
        check_moments(&Moments { mean: 1.0 / p, variance, fourth }, || sampler.sample(&mut numbers) as f64);
        let mut probabilities: Vec<f64> = (0..3).map(|failures| p * q.powi(failures)).collect();
        probabilities.push(q.powi(3));
        check_frequencies(&probabilities, || sampler.sample(&mut numbers).min(4) as usize - 1);
    }
    let mut numbers = stream("certain");
    assert!((0..1000).all(|_| Geometric::new(1.0).sample(&mut numbers) == 1));
}

#[test]
fn discrete_outcomes() {
    let weights = [5, 1, 3, 1, 40, 2];
    let probabilities = weights.map(|weight| weight as f64 / 52.0);
    let sampler = Discrete::of_weights(&weights);
    let mut numbers = stream("discrete");
    check_frequencies(&probabilities, || sampler.sample(&mut numbers));
    let sampler = Discrete::of_shares(&probabilities);
    check_frequencies(&probabilities, || sampler.sample(&mut numbers));
}

#[test]
fn poisson_processes() {
    // The number of instants in each of many windows has the mean as its variance, for gaps long and short.
    for (process, window_ps, mean) in [
        (PoissonProcess::new(Time::ZERO, Span::from_us(1)), 5_000_000, 5.0),
        (PoissonProcess::with_rate(Time::ZERO, 2e12), 4, 8.0),
    ] {
        let (mut process, mut numbers, mut end_ps) = (process, stream("poisson"), 0);
        let mut next = process.next(&mut numbers);
        let mut count_in_window = || {
            end_ps += window_ps;
            let mut count = 0;
            while next.ps() < end_ps {
                next = process.next(&mut numbers);
                count += 1;
            }
            f64::from(count)
        };
        check_moments(
            &Moments { mean, variance: mean, fourth: mean * (1.0 + 3.0 * mean) },
            &mut count_in_window,
        );
    }
}

#[test]
fn a_process_that_outlasts_all_time_says_never() {
    let mut process = PoissonProcess::with_rate(Time::ZERO, 1e-30);
    let mut numbers = stream("never");
    assert_eq!([process.next(&mut numbers), process.next(&mut numbers)], [Time::NEVER; 2]);
}

#[test]
fn shuffles_and_picks() {
    let mut numbers = stream("shuffle");
    let place_of_order = |order: [usize; 3]| 2 * order[0] + usize::from(order[1] > order[2]);
    check_frequencies(&[1.0 / 6.0; 6], || {
        let mut order = [0, 1, 2];
        numbers.shuffle(&mut order);
        place_of_order(order)
    });
    check_frequencies(&[0.2; 5], || *numbers.pick(&[0, 1, 2, 3, 4]));
}

#[test]
fn streams_of_other_seeds_names_and_indices_are_independent() {
    let others = [(3, "a", 0), (2, "b", 0), (2, "a", 1), (2, "aa", 0), (2, "", 0)];
    for (seed, name, index) in others {
        let (mut one, mut other) = (RandomStream::named(2, "a", 0), RandomStream::named(seed, name, index));
        // Which tenth of the unit interval the two fall into, together.
        check_frequencies(&[0.01; 100], || 10 * one.below(10) as usize + other.below(10) as usize);
    }
    let (mut one, mut same) = (stream("a"), stream("a"));
    assert!((0..1000).all(|_| one.next_u64() == same.next_u64()));
}

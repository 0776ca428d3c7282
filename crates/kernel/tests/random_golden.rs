//! The first numbers of each sampler, so that no change of ours or of a dependency alters results unnoticed. A change
//! here is a change of every result: it belongs in the changelog under "Changed results".

use hopscope_kernel::{Discrete, Exponential, Geometric, PoissonProcess, RandomStream, UniformSpan};
use hopscope_units::{Span, Time};

fn first<T>(name: &str, mut sample: impl FnMut(&mut RandomStream) -> T) -> [T; 4] {
    let mut stream = RandomStream::named(1988, name, 7);
    std::array::from_fn(|_| sample(&mut stream))
}

#[test]
fn streams() {
    assert_eq!(first("bits", RandomStream::next_u64), [0; 4]);
    assert_eq!(first("below", |s| s.below(1000)), [0; 4]);
    assert_eq!(first("unit", RandomStream::unit), [0.0; 4]);
    assert_eq!(first("chance", |s| s.chance(0.5)), [false; 4]);
    assert_eq!(first("pick", |s| *s.pick(&["a", "b", "c"])), ["a"; 4]);
    let mut order = [0, 1, 2, 3, 4, 5, 6, 7];
    RandomStream::named(1988, "shuffle", 7).shuffle(&mut order);
    assert_eq!(order, [0; 8]);
}

#[test]
fn samplers() {
    let uniform = UniformSpan::new(Span::from_us(1), Span::from_us(2));
    assert_eq!(first("uniform", |s| uniform.sample(s).ps()), [0; 4]);
    let exponential = Exponential::new(Span::from_us(1));
    assert_eq!(first("exponential", |s| exponential.sample(s).ps()), [0; 4]);
    let geometric = Geometric::new(0.05);
    assert_eq!(first("geometric", |s| geometric.sample(s)), [0; 4]);
    let discrete = Discrete::of_weights(&[5, 1, 3, 1, 40, 2]);
    assert_eq!(first("discrete", |s| discrete.sample(s)), [0; 4]);
    let mut poisson = PoissonProcess::new(Time::from_ps(100), Span::from_us(1));
    assert_eq!(first("poisson", |s| poisson.next(s).ps()), [0; 4]);
    let mut dense = PoissonProcess::with_rate(Time::ZERO, 2e12);
    assert_eq!(first("poisson", |s| dense.next(s).ps()), [0; 4]);
}

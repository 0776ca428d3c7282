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
    assert_eq!(size_of::<RandomStream>(), 16);
    assert_eq!(
        first("bits", RandomStream::next_u64),
        [8431466964991046417, 11970408931106455448, 4772676129585068706, 9941302342331526190]
    );
    assert_eq!(first("below", |s| s.below(1000)), [824, 976, 406, 606]);
    assert_eq!(
        first("unit", RandomStream::unit),
        [0.4933268418464615, 0.9211992516330318, 0.9136467194277917, 0.16367861637449854]
    );
    assert_eq!(first("chance", |s| s.chance(0.5)), [false, true, true, true]);
    assert_eq!(first("pick", |s| *s.pick(&["a", "b", "c"])), ["b", "c", "a", "b"]);
    let mut order = [0, 1, 2, 3, 4, 5, 6, 7];
    RandomStream::named(1988, "shuffle", 7).shuffle(&mut order);
    assert_eq!(order, [5, 6, 3, 1, 2, 0, 4, 7]);
}

#[test]
fn samplers() {
    let uniform = UniformSpan::new(Span::from_us(1), Span::from_us(2));
    assert_eq!(first("uniform", |s| uniform.sample(s).ps()), [1463153, 1578485, 1593006, 1998952]);
    let exponential = Exponential::new(Span::from_us(1));
    assert_eq!(first("exponential", |s| exponential.sample(s).ps()), [808066, 4457616, 1594364, 28150]);
    let geometric = Geometric::new(0.05);
    assert_eq!(first("geometric", |s| geometric.sample(s)), [6, 19, 53, 12]);
    let discrete = Discrete::of_weights(&[5, 1, 3, 1, 4, 2]);
    assert_eq!(first("discrete", |s| discrete.sample(s)), [4, 5, 2, 1]);
    let mut poisson = PoissonProcess::new(Time::from_ps(100), Span::from_us(1));
    assert_eq!(first("poisson", |s| poisson.next(s).ps()), [1279403, 1795241, 2076893, 3753799]);
    let mut dense = PoissonProcess::with_rate(Time::ZERO, 0.1e12);
    assert_eq!(first("poisson", |s| dense.next(s).ps()), [12, 17, 20, 37]);
}

//! Distributions of service times and how they are sampled.

use hopscope_kernel::{Exponential, RandomStream, UniformSpan};
use hopscope_measure::ServiceTime;
use hopscope_units::Span;

use crate::params::{Mix, Service};

/// Draws service times.
#[derive(Clone, Debug)]
pub(crate) enum ServiceSampler {
    Exponential(Exponential),
    Fixed(Span),
    Uniform(UniformSpan),
    Erlang { phases: u32, phase: Exponential },
    Bimodal { short: Span, long: Span, short_share: f64 },
    Hyperexponential { short: Exponential, long: Exponential, short_share: f64 },
}

impl ServiceSampler {
    pub(crate) fn new(service: &Service) -> Self {
        match service {
            Service::Exponential(mean) => Self::Exponential(Exponential::new(*mean)),
            Service::Fixed(time) => Self::Fixed(*time),
            Service::Uniform(range) => Self::Uniform(UniformSpan::new(range.shortest, range.longest)),
            Service::Erlang(erlang) => Self::Erlang {
                phases: erlang.phases,
                phase: Exponential::new(erlang.mean / u64::from(erlang.phases)),
            },
            Service::Bimodal(Mix { short, long, short_share }) => {
                Self::Bimodal { short: *short, long: *long, short_share: *short_share }
            }
            Service::Hyperexponential(Mix { short, long, short_share }) => Self::Hyperexponential {
                short: Exponential::new(*short),
                long: Exponential::new(*long),
                short_share: *short_share,
            },
        }
    }

    pub(crate) fn sample(&self, random: &mut RandomStream) -> Span {
        match self {
            Self::Exponential(exponential) => exponential.sample(random),
            Self::Fixed(time) => *time,
            Self::Uniform(uniform) => uniform.sample(random),
            Self::Erlang { phases, phase } => (0..*phases).map(|_| phase.sample(random)).sum(),
            Self::Bimodal { short, long, short_share } => {
                if random.chance(*short_share) {
                    *short
                } else {
                    *long
                }
            }
            Self::Hyperexponential { short, long, short_share } => {
                if random.chance(*short_share) {
                    short.sample(random)
                } else {
                    long.sample(random)
                }
            }
        }
    }
}

impl Service {
    /// The mean service time in picoseconds.
    #[must_use]
    pub fn mean_ps(&self) -> f64 {
        match self {
            Self::Exponential(time) | Self::Fixed(time) => ps(*time),
            Self::Uniform(range) => (ps(range.shortest) + ps(range.longest)) / 2.0,
            Self::Erlang(erlang) => ps(erlang.mean),
            Self::Bimodal(mix) | Self::Hyperexponential(mix) => mix.weigh(ps(mix.short), ps(mix.long)),
        }
    }

    /// The mean of the squared service time, in picoseconds squared: what the Pollaczek-Khinchine formula needs.
    #[must_use]
    pub fn second_moment_ps2(&self) -> f64 {
        let square = |time: Span| ps(time) * ps(time);
        match self {
            Self::Exponential(mean) => 2.0 * square(*mean),
            Self::Fixed(time) => square(*time),
            Self::Uniform(range) => {
                let (a, b) = (ps(range.shortest), ps(range.longest));
                (a * a + a * b + b * b) / 3.0
            }
            Self::Erlang(erlang) => square(erlang.mean) * (1.0 + 1.0 / f64::from(erlang.phases)),
            Self::Bimodal(mix) => mix.weigh(square(mix.short), square(mix.long)),
            Self::Hyperexponential(mix) => mix.weigh(2.0 * square(mix.short), 2.0 * square(mix.long)),
        }
    }

    /// The mean and the variation of service times, for explanations of a run.
    #[must_use]
    pub fn time(&self) -> ServiceTime {
        let mean = self.mean_ps();
        let square = (mean * mean).max(f64::MIN_POSITIVE);
        ServiceTime { mean_us: mean * 1e-6, variation: (self.second_moment_ps2() / square - 1.0).max(0.0) }
    }
}

impl Mix {
    fn weigh(&self, short: f64, long: f64) -> f64 {
        self.short_share * short + (1.0 - self.short_share) * long
    }
}

fn ps(time: Span) -> f64 {
    time.ps() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Erlang, Range};

    #[test]
    fn samples_have_the_moments_of_their_distribution() {
        let us = Span::from_us;
        let mix = || Mix { short: us(10), long: us(100), short_share: 0.9 };
        let services = [
            Service::Exponential(us(20)),
            Service::Fixed(us(20)),
            Service::Uniform(Range { shortest: us(5), longest: us(25) }),
            Service::Erlang(Erlang { phases: 4, mean: us(20) }),
            Service::Bimodal(mix()),
            Service::Hyperexponential(mix()),
        ];
        for service in services {
            let mut random = RandomStream::named(3, "service", 0);
            let sampler = ServiceSampler::new(&service);
            let samples: Vec<f64> = (0..400_000).map(|_| ps(sampler.sample(&mut random))).collect();
            let mean = samples.iter().sum::<f64>() / samples.len() as f64;
            let second = samples.iter().map(|x| x * x).sum::<f64>() / samples.len() as f64;
            assert!((mean / service.mean_ps() - 1.0).abs() < 0.01, "{service:?}: mean {mean}");
            assert!(
                (second / service.second_moment_ps2() - 1.0).abs() < 0.03,
                "{service:?}: second moment {second}"
            );
        }
    }
}

//! The distribution of message sizes.

use hopscope_kernel::{Exponential, RandomStream};
use hopscope_measure::Problem;
use hopscope_units::{Data, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TrafficSpec;

/// The distribution of message sizes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sizes {
    /// Every message has this size.
    Fixed(Data),
    /// An exponential distribution with this mean, in whole bits, at least one bit, truncated at the longest message.
    Exponential(Data),
    /// Two sizes, reported as the classes `short` and `long`.
    Bimodal(Bimodal),
}

/// A mix of two sizes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bimodal {
    /// The size of a short message.
    pub short: Data,
    /// The size of a long message.
    pub long: Data,
    /// The share of messages that are short, by number.
    pub short_share: f64,
}

impl Default for Sizes {
    /// 1000 bytes, the fixed-length workload of SRC 88, section 2.2.
    fn default() -> Self {
        Self::Fixed(Data::from_bytes(1000))
    }
}

impl Sizes {
    /// What is wrong with these sizes; paths begin at the field that holds them.
    pub(crate) fn problems(&self, path: &str, longest: Data, problems: &mut Vec<Problem>) {
        let expected = format!("from 1 byte to {longest}");
        let mut check = |field: &str, size: Data| {
            if size.bits() < 8 || size > longest {
                problems.push(Problem::new(
                    format!("{path}.{field}"),
                    format!("message size {size} is out of range"),
                    &expected,
                ));
            }
        };
        match self {
            Self::Fixed(size) => check("fixed", *size),
            Self::Exponential(mean) => check("exponential", *mean),
            Self::Bimodal(mix) => {
                check("bimodal.short", mix.short);
                check("bimodal.long", mix.long);
                if !(0.0..=1.0).contains(&mix.short_share) {
                    let problem = format!("share {} is out of range", mix.short_share);
                    problems.push(Problem::new(
                        format!("{path}.bimodal.short_share"),
                        problem,
                        "from 0 to 1",
                    ));
                }
            }
        }
    }

    /// The mean size in bits.
    #[must_use]
    pub fn mean_bits(&self) -> f64 {
        match self {
            Self::Fixed(size) | Self::Exponential(size) => size.bits() as f64,
            Self::Bimodal(mix) => {
                mix.short_share * mix.short.bits() as f64 + (1.0 - mix.short_share) * mix.long.bits() as f64
            }
        }
    }

    /// The mean of the squared size, in bits squared.
    pub(crate) fn mean_square(&self) -> f64 {
        let square = |size: Data| size.bits() as f64 * size.bits() as f64;
        match self {
            Self::Fixed(size) => square(*size),
            Self::Exponential(mean) => 2.0 * square(*mean),
            Self::Bimodal(mix) => {
                mix.short_share * square(mix.short) + (1.0 - mix.short_share) * square(mix.long)
            }
        }
    }

    /// The classes that messages of these sizes make.
    pub(crate) fn class_names(&self) -> &'static [&'static str] {
        match self {
            Self::Bimodal(_) => &["short", "long"],
            Self::Fixed(_) | Self::Exponential(_) => &["message"],
        }
    }
}

/// Sizes ready to be drawn, each with the class of its message.
#[derive(Clone, Debug)]
pub enum SizeLaw {
    /// Every message alike.
    Fixed(Data, u8),
    /// Exponential; the sampler counts bits as it would picoseconds.
    Exponential(Exponential, u8),
    /// Short with this probability.
    Bimodal {
        /// Short size and class.
        short: (Data, u8),
        /// Long size and class.
        long: (Data, u8),
        /// The share of short messages.
        short_share: f64,
    },
}

impl SizeLaw {
    /// The law of these sizes, whose messages have the given classes, one for each of the size's class names.
    pub(crate) fn new(sizes: &Sizes, classes: &[u8]) -> Self {
        match sizes {
            Sizes::Fixed(size) => Self::Fixed(*size, classes[0]),
            Sizes::Exponential(mean) => {
                Self::Exponential(Exponential::new(Span::from_ps(mean.bits())), classes[0])
            }
            Sizes::Bimodal(mix) => Self::Bimodal {
                short: (mix.short, classes[0]),
                long: (mix.long, *classes.last().expect("a message has a class")),
                short_share: mix.short_share,
            },
        }
    }

    /// The longest message that can be drawn.
    pub(crate) fn longest(&self) -> Data {
        match self {
            Self::Fixed(size, _) => *size,
            Self::Exponential(..) => TrafficSpec::LONGEST,
            Self::Bimodal { short, long, .. } => short.0.max(long.0),
        }
    }

    /// Draws the size and the class of a message.
    #[inline]
    pub fn sample(&self, random: &mut RandomStream) -> (Data, u8) {
        match self {
            Self::Fixed(size, class) => (*size, *class),
            Self::Exponential(law, class) => {
                let bits = law.sample(random).ps().clamp(1, TrafficSpec::LONGEST.bits());
                (Data::from_bits(bits), *class)
            }
            Self::Bimodal { short, long, short_share } => {
                if random.chance(*short_share) {
                    *short
                } else {
                    *long
                }
            }
        }
    }
}

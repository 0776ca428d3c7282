//! The distribution of message sizes.

use hopscope_kernel::{Discrete, Exponential, RandomStream};
use hopscope_measure::Problem;
use hopscope_units::{Data, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TrafficSpec;
use crate::flows::{SizeCdf, SizeDistribution};

/// The distribution of message sizes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sizes {
    /// Every message has this size.
    Fixed(Data),
    /// An exponential distribution with this mean, in whole bits, at least one bit. What is longer than 1 MiB, the
    /// longest message, is cut to it; the load is that of the sizes after the cut.
    Exponential(Data),
    /// Two sizes, reported as the classes `short` and `long`.
    Bimodal(Bimodal),
    /// Any whole number of bytes between two, each equally likely.
    Uniform(UniformSizes),
    /// An empirical distribution: points of its cumulative distribution, here or in a file of lines "bytes share".
    Cdf(SizeCdf),
    /// These sizes, each with its share of the messages.
    List(Vec<ListedSize>),
}

/// Sizes between two ends, which are among them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UniformSizes {
    /// The least size.
    pub from: Data,
    /// The largest size.
    pub to: Data,
}

/// A size of a list.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListedSize {
    /// The size.
    pub size: Data,
    /// Its share of the messages, by number. All shares of a list add up to 1.
    pub share: f64,
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
        let check = |field: &str, size: Data| {
            let problem = format!("message size {size} is out of range");
            let refused =
                Problem::new(format!("{path}.{field}"), problem, format!("from 1 byte to {longest}"));
            (size.bits() < 8 || size > longest).then_some(refused)
        };
        match self {
            Self::Fixed(size) => problems.extend(check("fixed", *size)),
            Self::Exponential(mean) => problems.extend(check("exponential", *mean)),
            Self::Bimodal(mix) => {
                problems.extend(check("bimodal.short", mix.short));
                problems.extend(check("bimodal.long", mix.long));
                if mix.short >= mix.long {
                    let problem =
                        format!("the short size {} is not below the long size, {}", mix.short, mix.long);
                    let refused = Problem::new(format!("{path}.bimodal.short"), problem, "less than `long`");
                    let hint = if mix.short > mix.long {
                        "exchange the two; `short_share` is the share of the shorter messages"
                    } else {
                        "write sizes = { fixed = ... } for messages of one size"
                    };
                    problems.push(refused.hint(hint));
                }
                if !(0.0..=1.0).contains(&mix.short_share) {
                    let problem = format!("share {} is out of range", mix.short_share);
                    let at = format!("{path}.bimodal.short_share");
                    problems.push(Problem::new(at, problem, "from 0 to 1"));
                }
            }
            Self::Uniform(UniformSizes { from, to }) => {
                problems.extend(check("uniform.from", *from));
                problems.extend(check("uniform.to", *to));
                if from > to {
                    let problem = format!("the largest size {to} is below the least, {from}");
                    problems.push(Problem::new(format!("{path}.uniform.to"), problem, "at least `from`"));
                }
            }
            Self::Cdf(cdf) => {
                cdf.problems(&format!("{path}.cdf"), problems);
                let points = cdf.points.iter().enumerate();
                problems.extend(points.filter(|(_, point)| point.bytes > longest.bytes()).map(
                    |(at, point)| {
                        let problem = format!("message size {} B is out of range", point.bytes);
                        Problem::new(
                            format!("{path}.cdf.points[{at}]"),
                            problem,
                            format!("at most {longest}"),
                        )
                        .hint("what is longer is a flow: [[flows]], with [frames]")
                    },
                ));
            }
            Self::List(sizes) => {
                let each = sizes.iter().enumerate();
                problems.extend(each.filter_map(|(at, one)| check(&format!("list[{at}].size"), one.size)));
                problems.extend(share_problem(path, sizes));
            }
        }
    }

    /// The mean size in bits.
    #[must_use]
    pub fn mean_bits(&self) -> f64 {
        match self {
            Self::Fixed(size) => size.bits() as f64,
            Self::Exponential(mean) => exponential_moments(*mean).0,
            Self::Bimodal(mix) => {
                mix.short_share * mix.short.bits() as f64 + (1.0 - mix.short_share) * mix.long.bits() as f64
            }
            Self::Uniform(ends) => 4.0 * ends.to_bytes().into_iter().sum::<u64>() as f64,
            Self::Cdf(cdf) => 8.0 * cdf.distribution().mean_bytes(),
            Self::List(sizes) => sizes.iter().map(|one| one.share * one.size.bits() as f64).sum(),
        }
    }

    /// The mean of the squared size, in bits squared.
    pub(crate) fn mean_square(&self) -> f64 {
        let square = |size: Data| size.bits() as f64 * size.bits() as f64;
        match self {
            Self::Fixed(size) => square(*size),
            Self::Exponential(mean) => exponential_moments(*mean).1,
            Self::Bimodal(mix) => {
                mix.short_share * square(mix.short) + (1.0 - mix.short_share) * square(mix.long)
            }
            Self::Uniform(ends) => {
                let [from, to] = ends.to_bytes().map(|bytes| bytes as f64);
                // The variance of whole numbers in a range is a twelfth of its length squared less one.
                let variance = ((to - from + 1.0).powi(2) - 1.0) / 12.0;
                64.0 * (variance + ((from + to) / 2.0).powi(2))
            }
            Self::Cdf(cdf) => 64.0 * cdf.distribution().mean_square_bytes(),
            Self::List(sizes) => sizes.iter().map(|one| one.share * square(one.size)).sum(),
        }
    }

    /// The classes that messages of these sizes make.
    pub(crate) fn class_names(&self) -> &'static [&'static str] {
        match self {
            Self::Bimodal(_) => &["short", "long"],
            Self::Fixed(_) | Self::Exponential(_) | Self::Uniform(_) | Self::Cdf(_) | Self::List(_) => {
                &["message"]
            }
        }
    }
}

/// The mean and the mean square of what [`SizeLaw::Exponential`] draws, in bits: exponential with this mean `m`, cut at
/// the longest message `l`, in whole bits, at least one.
///
/// The cut leaves `m (1 - e^(-l/m))` and `2 m^2 (1 - e^(-l/m) (1 + l/m))`.
fn exponential_moments(mean: Data) -> (f64, f64) {
    let mean = mean.bits() as f64;
    let (lattice_mean, lattice_square) = whole_bits_moments(mean);
    if (lattice_mean / mean - 1.0).abs() > LEAST_SHIFT {
        return (lattice_mean, lattice_square);
    }
    let longest = TrafficSpec::LONGEST.bits() as f64 / mean;
    let beyond = libm::exp(-longest);
    (mean * (1.0 - beyond), 2.0 * (mean * mean) * (1.0 - beyond * (1.0 + longest)))
}

/// A shift of the mean by whole bits that is smaller than this share of it is left out: that of every mean from 89
/// bytes on.
const LEAST_SHIFT: f64 = 1e-6;

/// The same moments of an exponential distribution that is rounded to whole bits, of which there is at least one, and
/// not cut. With `q = e^(-1/m)` at least `k` bits come with probability `q^(k - 1/2)`; what is rounded to 0 becomes 1.
fn whole_bits_moments(mean: f64) -> (f64, f64) {
    let above = -libm::expm1(-1.0 / mean);
    let root = libm::exp(-0.5 / mean);
    let rounded_to_none = -libm::expm1(-0.5 / mean);
    (root / above + rounded_to_none, root * (2.0 - above) / (above * above) + rounded_to_none)
}

/// Why these shares cannot be those of all messages, or nothing where they can.
fn share_problem(path: &str, sizes: &[ListedSize]) -> Option<Problem> {
    let refused = sizes.iter().position(|one| !(one.share > 0.0 && one.share <= 1.0));
    if let Some(at) = refused {
        let problem = format!("share {} is out of range", sizes[at].share);
        return Some(Problem::new(format!("{path}.list[{at}].share"), problem, "above 0 and at most 1"));
    }
    let sum: f64 = sizes.iter().map(|one| one.share).sum();
    let problem = format!("the shares of the sizes add up to {sum}");
    ((sum - 1.0).abs() > 1e-9)
        .then(|| Problem::new(format!("{path}.list"), problem, "1, the share of all messages"))
}

impl UniformSizes {
    /// Both ends in whole bytes.
    fn to_bytes(&self) -> [u64; 2] {
        [self.from.bytes(), self.to.bytes()]
    }
}

/// Sizes ready to be drawn, each with the class of its message.
#[derive(Clone, Debug, PartialEq)]
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
    /// Whole numbers of bytes between two.
    Uniform([u64; 2], u8),
    /// An empirical distribution.
    Cdf(Box<SizeDistribution>, u8),
    /// Some sizes with their shares.
    List(Box<(Discrete, Vec<Data>)>, u8),
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
            Sizes::Uniform(ends) => Self::Uniform(ends.to_bytes(), classes[0]),
            Sizes::Cdf(cdf) => Self::Cdf(Box::new(cdf.distribution()), classes[0]),
            Sizes::List(sizes) => {
                let shares: Vec<f64> = sizes.iter().map(|one| one.share).collect();
                let sizes = sizes.iter().map(|one| one.size).collect();
                Self::List(Box::new((Discrete::of_shares(&shares), sizes)), classes[0])
            }
        }
    }

    /// The longest message that can be drawn.
    pub(crate) fn longest(&self) -> Data {
        match self {
            Self::Fixed(size, _) => *size,
            Self::Exponential(..) => TrafficSpec::LONGEST,
            Self::Bimodal { short, long, .. } => short.0.max(long.0),
            Self::Uniform([_, to], _) => Data::from_bytes(*to),
            Self::Cdf(law, _) => law.longest(),
            Self::List(law, _) => law.1.iter().copied().max().unwrap_or(Data::ZERO),
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
            Self::Uniform([from, to], class) => {
                (Data::from_bytes(from + random.below(to - from + 1)), *class)
            }
            Self::Cdf(law, class) => (law.sample(random), *class),
            Self::List(law, class) => (law.1[law.0.sample(random)], *class),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::CdfPoint;

    fn bytes(bytes: u64) -> Data {
        Data::from_bytes(bytes)
    }

    fn laws() -> [Sizes; 3] {
        let points = [(100, 0.25), (500, 0.5), (1500, 1.0)];
        let points = points.map(|(bytes, share)| CdfPoint { bytes, share }).to_vec();
        let listed = [(64, 0.5), (576, 0.3), (1500, 0.2)];
        [
            Sizes::Uniform(UniformSizes { from: bytes(64), to: bytes(1500) }),
            Sizes::Cdf(SizeCdf { path: None, points }),
            Sizes::List(listed.map(|(size, share)| ListedSize { size: bytes(size), share }).to_vec()),
        ]
    }

    #[test]
    fn what_is_drawn_has_the_mean_and_the_square_of_the_law() {
        for sizes in laws() {
            let law = SizeLaw::new(&sizes, &[0]);
            let mut random = RandomStream::named(1, "sizes", 0);
            let draws: Vec<f64> = (0..200_000).map(|_| law.sample(&mut random).0.bits() as f64).collect();
            let mean = draws.iter().sum::<f64>() / 2e5;
            let square = draws.iter().map(|bits| bits * bits).sum::<f64>() / 2e5;
            // The coefficient of variation is below 1, so a standard error is below 0.3 %.
            assert!((mean / sizes.mean_bits() - 1.0).abs() < 0.01, "{sizes:?}: {mean}");
            assert!((square / sizes.mean_square() - 1.0).abs() < 0.02, "{sizes:?}: {square}");
            let longest = draws.iter().copied().fold(0.0, f64::max);
            assert!(longest <= law.longest().bits() as f64 && longest > 1490.0 * 8.0, "{sizes:?}: {longest}");
        }
    }

    /// Means far below the longest message, about it and at it, and some of few bits.
    #[test]
    fn an_exponential_size_offers_the_load_of_what_is_drawn() {
        for bytes in [1, 2, 10, 60, 1000, 100_000, 300_000, 900_000, 1 << 20] {
            let sizes = Sizes::Exponential(self::bytes(bytes));
            let law = SizeLaw::new(&sizes, &[0]);
            let mut random = RandomStream::named(1, "exponential sizes", bytes);
            let draws: Vec<f64> = (0..400_000).map(|_| law.sample(&mut random).0.bits() as f64).collect();
            let mean = draws.iter().sum::<f64>() / 4e5;
            let square = draws.iter().map(|bits| bits * bits).sum::<f64>() / 4e5;
            // The standard error of the mean is at most 0.16 %, that of the square at most 0.36 %.
            assert!(
                (mean / sizes.mean_bits() - 1.0).abs() < 0.005,
                "{bytes} B: {mean} {}",
                sizes.mean_bits()
            );
            assert!((square / sizes.mean_square() - 1.0).abs() < 0.011, "{bytes} B: {square}");
        }
    }

    #[test]
    fn the_cut_takes_away_what_the_closed_form_says() {
        let longest = TrafficSpec::LONGEST;
        let moments = exponential_moments(longest);
        let bits = longest.bits() as f64;
        let e = std::f64::consts::E;
        assert!((moments.0 / bits - (1.0 - 1.0 / e)).abs() < 1e-12, "{moments:?}");
        assert!((moments.1 / (bits * bits) - 2.0 * (1.0 - 2.0 / e)).abs() < 1e-12, "{moments:?}");
        // Far below the cut nothing changes, to the last bit.
        for bytes in [89, 100, 1000, 10_000] {
            let bits = 8.0 * bytes as f64;
            assert_eq!(exponential_moments(self::bytes(bytes)), (bits, 2.0 * (bits * bits)), "{bytes} B");
        }
        // One bit at least: of a mean of 8 bits those that would have none are 6 %.
        let (mean, _) = exponential_moments(self::bytes(1));
        assert!((mean - (0.5 / (0.0625f64).sinh() + 1.0 - (-0.0625f64).exp())).abs() < 1e-12, "{mean}");
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let problems = |sizes: &Sizes| {
            let mut problems = Vec::new();
            sizes.problems("sizes", TrafficSpec::LONGEST, &mut problems);
            problems.into_iter().map(|problem| problem.path).collect::<Vec<_>>()
        };
        assert!(laws().iter().all(|sizes| problems(sizes).is_empty()));
        let uniform = |from, to| Sizes::Uniform(UniformSizes { from: bytes(from), to: bytes(to) });
        assert_eq!(problems(&uniform(100, 50)), ["sizes.uniform.to"]);
        assert_eq!(problems(&uniform(0, 50)), ["sizes.uniform.from"]);
        let bimodal = |short, long| {
            Sizes::Bimodal(Bimodal { short: bytes(short), long: bytes(long), short_share: 0.5 })
        };
        assert_eq!(problems(&bimodal(3000, 1500)), ["sizes.bimodal.short"]);
        assert_eq!(problems(&bimodal(1500, 1500)), ["sizes.bimodal.short"]);
        assert!(problems(&bimodal(100, 1500)).is_empty());
        let list = |shares: &[f64]| {
            Sizes::List(shares.iter().map(|&share| ListedSize { size: bytes(64), share }).collect())
        };
        assert_eq!(problems(&list(&[0.5, 0.4])), ["sizes.list"]);
        assert_eq!(problems(&list(&[])), ["sizes.list"]);
        assert_eq!(problems(&list(&[1.5, -0.5])), ["sizes.list[0].share"]);
        let cdf = |bytes, share| Sizes::Cdf(SizeCdf { path: None, points: vec![CdfPoint { bytes, share }] });
        assert_eq!(problems(&cdf(1 << 21, 1.0)), ["sizes.cdf.points[0]"]);
        assert_eq!(problems(&cdf(64, 0.5)), ["sizes.cdf.points[0]"]);
    }
}

//! Distributions of the sizes of flows.

use hopscope_kernel::RandomStream;
use hopscope_measure::Problem;
use hopscope_units::Data;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::group::{LARGEST_FLOW, size_problem};
use super::published_sizes::{DATA_MINING, WEB_SEARCH};

/// The distribution of flow sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlowSizes {
    /// All flows have this size.
    Fixed(Data),
    /// A web search cluster (Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010).
    WebSearch,
    /// A data mining cluster (Greenberg et al., "VL2: A Scalable and Flexible Data Center Network", SIGCOMM 2009).
    DataMining,
    /// A distribution of your own.
    Cdf(SizeCdf),
}

/// A cumulative distribution of flow sizes: points in the scenario, or a file of lines "bytes probability".
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SizeCdf {
    /// A file with a size in bytes and the share of flows up to that size on each line. The path is relative to the
    /// scenario's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The points. Between two points all sizes are equally likely.
    pub points: Vec<CdfPoint>,
}

/// A point of a cumulative distribution of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CdfPoint {
    /// A size in bytes.
    pub bytes: u64,
    /// The share of flows of at most that size, 0 to 1.
    pub share: f64,
}

impl FlowSizes {
    pub(crate) fn problems(&self, path: &str, problems: &mut Vec<Problem>) {
        match self {
            Self::Fixed(size) => problems.extend(size_problem(format!("{path}.fixed"), *size)),
            Self::WebSearch | Self::DataMining => {}
            Self::Cdf(cdf) => cdf.problems(&format!("{path}.cdf"), problems),
        }
    }

    /// The sizes, ready to be drawn. Panics where there are [`problems`](Self::problems).
    pub(crate) fn distribution(&self) -> SizeDistribution {
        let points = match self {
            Self::Fixed(size) => return SizeDistribution::fixed(*size),
            Self::WebSearch => WEB_SEARCH.map(point).to_vec(),
            Self::DataMining => DATA_MINING.map(point).to_vec(),
            Self::Cdf(cdf) => cdf.points.clone(),
        };
        SizeDistribution::of(&points).expect("the points were checked")
    }
}

impl SizeCdf {
    /// What is wrong with its points; nothing until the file that it names has been read.
    pub(crate) fn problems(&self, path: &str, problems: &mut Vec<Problem>) {
        if self.path.is_some() && self.points.is_empty() {
            return;
        }
        let found = SizeDistribution::of(&self.points).err();
        problems.extend(found.map(|(at, problem, expected)| {
            let place = if self.points.is_empty() { String::new() } else { format!("[{at}]") };
            Problem::new(format!("{path}.points{place}"), problem, expected)
        }));
    }

    /// The sizes, ready to be drawn. Panics where there are [`problems`](Self::problems).
    pub(crate) fn distribution(&self) -> SizeDistribution {
        SizeDistribution::of(&self.points).expect("the points were checked")
    }
}

fn point((bytes, share): (u64, f64)) -> CdfPoint {
    CdfPoint { bytes, share }
}

/// A distribution of sizes, piecewise uniform: between two points of the cumulative distribution every size is equally
/// likely; the share of the first point is of flows of exactly its size.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeDistribution {
    points: Vec<CdfPoint>,
}

impl SizeDistribution {
    fn fixed(size: Data) -> Self {
        Self { points: vec![CdfPoint { bytes: size.bytes(), share: 1.0 }] }
    }

    /// The distribution through these points.
    ///
    /// # Errors
    /// The index of the first point that cannot be, what is wrong with it, and what was expected.
    pub fn of(points: &[CdfPoint]) -> Result<Self, (usize, String, String)> {
        let Some(last) = points.last() else {
            return Err((0, "the distribution has no points".to_owned(), "at least one".to_owned()));
        };
        let mut before = CdfPoint { bytes: 0, share: 0.0 };
        for (i, &point) in points.iter().enumerate() {
            let refuse = |problem: String, expected: String| Err((i, problem, expected));
            if !(0.0..=1.0).contains(&point.share) {
                return refuse(format!("share {} is out of range", point.share), "from 0 to 1".to_owned());
            }
            if point.bytes > LARGEST_FLOW.bytes() {
                return refuse(
                    format!("size {} B is out of range", point.bytes),
                    format!("at most {LARGEST_FLOW}"),
                );
            }
            if point.share < before.share {
                let problem = format!("the cumulative share falls from {} to {}", before.share, point.share);
                return refuse(problem, "cumulative shares that never fall".to_owned());
            }
            if i > 0 && (point.bytes < before.bytes || point == before) {
                let problem = format!("size {} B follows size {} B", point.bytes, before.bytes);
                return refuse(problem, "sizes in ascending order".to_owned());
            }
            before = point;
        }
        if last.share != 1.0 {
            let problem = format!("the last share is {}", last.share);
            return Err((points.len() - 1, problem, "1, the share of all flows".to_owned()));
        }
        Ok(Self { points: points.to_vec() })
    }

    /// A size; at least a byte.
    pub fn sample(&self, random: &mut RandomStream) -> Data {
        let share = random.unit();
        let above = self.points.partition_point(|point| point.share <= share);
        let to = self.points[above.min(self.points.len() - 1)];
        let bytes = match above.checked_sub(1).map(|below| self.points[below]) {
            None => to.bytes as f64,
            Some(from) => {
                let along = (share - from.share) / (to.share - from.share);
                from.bytes as f64 + along * (to.bytes - from.bytes) as f64
            }
        };
        Data::from_bytes((bytes.round_ties_even() as u64).max(1))
    }

    /// The largest size.
    #[must_use]
    pub fn longest(&self) -> Data {
        Data::from_bytes(self.points.last().map_or(0, |point| point.bytes))
    }

    /// The mean of the squared size, in bytes squared.
    #[must_use]
    pub fn mean_square_bytes(&self) -> f64 {
        let first = self.points[0];
        let between = |pair: &[CdfPoint]| {
            let [from, to] = [pair[0].bytes as f64, pair[1].bytes as f64];
            (pair[1].share - pair[0].share) * (from * from + from * to + to * to) / 3.0
        };
        first.share * (first.bytes as f64).powi(2) + self.points.windows(2).map(between).sum::<f64>()
    }

    /// The mean size in bytes.
    #[must_use]
    pub fn mean_bytes(&self) -> f64 {
        let first = self.points[0];
        let between = |pair: &[CdfPoint]| {
            (pair[1].share - pair[0].share) * (pair[0].bytes as f64 + pair[1].bytes as f64) / 2.0
        };
        first.share * first.bytes as f64 + self.points.windows(2).map(between).sum::<f64>()
    }
}

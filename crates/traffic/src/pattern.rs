//! Patterns: who sends to whom.

use hopscope_measure::{Problem, class_name_problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bursts, Load, Receivers, Sizes, TrafficSpec};

/// Who sends to whom.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Every host sends to random other hosts, drawn for each message.
    #[default]
    Uniform,
    /// Clients send to random servers and servers to random clients, drawn for each message.
    ClientServer,
    /// Clients send to random servers; servers send nothing.
    ClientToServer,
    /// Each host sends to one other host.
    Permutation(Permutation),
    /// Every host sends to all other hosts at once (AN1; Schroeder et al. 1991).
    Broadcast,
    /// A list of flows.
    Flows(Vec<Flow>),
    /// A traffic matrix: pairs of hosts with weights.
    Matrix(Matrix),
}

/// The usual test permutations of fabrics. Hosts are numbered in the order of the network. A host that maps to itself
/// sends nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Permutation {
    /// Host (row, column) of a square sends to (column, row): the number of hosts must be a square.
    Transpose,
    /// Host i sends to the host whose number has every bit inverted: the number of hosts must be a power of two.
    BitComplement,
    /// Host i sends to host i + ceil(n/2) - 1, almost half-way around.
    Tornado,
    /// Host i sends to host i + 1.
    Neighbour,
    /// One permutation without fixed points, drawn from the scenario's seed.
    Random,
}

/// A sender, a receiver or several, and the traffic between them. Fields that are not given are those of `traffic`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// The sending host's name.
    pub from: String,
    /// The receiving host's name, or the names of a group of hosts that get every message: multicast. A sender that is
    /// in its group discards its own copy.
    pub to: Receivers,
    /// The class of its messages in the results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The offered load, as a fraction of the rate of the sender's link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// The distribution of its message sizes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Sizes>,
    /// Its bursts. With `packet_share = 1` or `every` the flow sends nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bursts: Option<Bursts>,
}

/// A traffic matrix: in the scenario, in a file of lines `from,to,weight`, in a list of flows `from,to,size,start`, or
/// in a connection matrix of htsim. Start times of flows are ignored.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Matrix {
    /// A CSV file with the columns from, to and weight or size, or a `.cm` file of htsim. The path is relative to the
    /// scenario's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The entries, unless `path` is given.
    pub pairs: Vec<WeightedPair>,
}

/// An entry of a traffic matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeightedPair {
    /// The sending host's name.
    pub from: String,
    /// The receiving host's name.
    pub to: String,
    /// Its traffic relative to that of the other entries.
    pub weight: f64,
}

impl Pattern {
    pub(crate) fn problems(&self, problems: &mut Vec<Problem>) {
        match self {
            Self::Flows(flows) => {
                if flows.is_empty() {
                    problems.push(Problem::new("pattern.flows", "there are no flows", "at least one flow"));
                }
                for (i, flow) in flows.iter().enumerate() {
                    flow.problems(&format!("pattern.flows[{i}]"), problems);
                }
            }
            Self::Matrix(matrix) => {
                if matrix.path.is_none() && matrix.pairs.is_empty() {
                    let expected = "`pairs`, or `path` to a CSV file";
                    problems.push(Problem::new("pattern.matrix", "the matrix has no entries", expected));
                }
                for (i, pair) in matrix.pairs.iter().enumerate() {
                    if !(pair.weight >= 0.0 && pair.weight.is_finite()) {
                        let path = format!("pattern.matrix.pairs[{i}].weight");
                        problems.push(Problem::new(
                            path,
                            format!("weight {} is out of range", pair.weight),
                            "0 or more",
                        ));
                    }
                }
            }
            _ => {}
        }
    }
}

impl Flow {
    fn problems(&self, path: &str, problems: &mut Vec<Problem>) {
        problems.extend(self.to.problem(&self.from, &format!("{path}.to")));
        if let Some(class) = &self.class {
            problems.extend(class_name_problem(&format!("{path}.class"), class));
        }
        if let Some(problem) = self.load.and_then(Load::problem) {
            problems.push(Problem::new(
                format!("{path}.load"),
                problem,
                "above 0 and at most 1, or \"saturated\"",
            ));
        }
        if let Some(sizes) = &self.sizes {
            sizes.problems(&format!("{path}.sizes"), TrafficSpec::LONGEST, problems);
        }
        if let Some(bursts) = &self.bursts {
            bursts.problems(&format!("{path}.bursts"), TrafficSpec::LONGEST, problems);
        }
    }
}

impl Permutation {
    /// The receiver of each of `n` hosts, or why this permutation does not exist for `n` or has no sender.
    pub(crate) fn receivers(
        self,
        n: usize,
        random: &mut hopscope_kernel::RandomStream,
    ) -> Result<Vec<usize>, String> {
        let receivers = self.mapped(n, random)?;
        if receivers.iter().enumerate().all(|(host, &receiver)| host == receiver) {
            return Err(format!("of {n} hosts each is its own receiver, so none sends"));
        }
        Ok(receivers)
    }

    fn mapped(self, n: usize, random: &mut hopscope_kernel::RandomStream) -> Result<Vec<usize>, String> {
        match self {
            Self::Transpose => {
                let side = n.isqrt();
                if side * side != n {
                    return Err(format!("{n} hosts are not a square, as a transpose needs"));
                }
                Ok((0..n).map(|i| i % side * side + i / side).collect())
            }
            Self::BitComplement if n.is_power_of_two() => Ok((0..n).map(|i| n - 1 - i).collect()),
            Self::BitComplement => {
                Err(format!("{n} hosts are not a power of two, as a bit complement needs"))
            }
            Self::Tornado => Ok((0..n).map(|i| (i + n.div_ceil(2) - 1) % n).collect()),
            Self::Neighbour => Ok((0..n).map(|i| (i + 1) % n).collect()),
            Self::Random => {
                // A cyclic order of all hosts is a permutation without fixed points.
                let mut order: Vec<usize> = (0..n).collect();
                random.shuffle(&mut order);
                let mut receivers = vec![0; n];
                for (k, &host) in order.iter().enumerate() {
                    receivers[host] = order[(k + 1) % n];
                }
                Ok(receivers)
            }
        }
    }
}

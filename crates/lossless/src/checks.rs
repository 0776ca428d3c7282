//! Checks of the parameters of a fabric of frames.

use hopscope_fabric::Choice;
use hopscope_measure::Problem;
use hopscope_units::{Data, Rate, Span};

use crate::params::{
    ConvergenceParams, CreditParams, DcqcnParams, EcnParams, FlowControl, FrameParams, LosslessParams,
    PfcParams, Scheduling,
};

/// The longest frame: far beyond Ethernet's jumbo frames.
const LONGEST_MTU: Data = Data::from_bytes(65_536);
/// The largest buffer that the model counts exactly.
pub(crate) const LARGEST_BUFFER: Data = Data::from_bytes(1 << 30);
/// The longest delay in a switch or a host.
pub(crate) const LONGEST: Span = Span::from_s(1);
/// The shortest interval over which the rate of a flow is measured.
const SHORTEST_INTERVAL: Span = Span::from_us(1);
/// At most this many readings of the counters of all ports are kept.
const MOST_READINGS: usize = 1_000;
/// The latest tables: a run is counted in picoseconds.
const LATEST_TABLES: Span = Span::from_s(1_000_000);
/// The longest time until new tables take effect.
const LONGEST_REROUTE: Span = Span::from_s(1_000);

impl LosslessParams {
    /// What is wrong with the parameters, whatever the network.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = self.fabric.problems();
        problems.extend(self.frames.problems());
        if self.fabric.routing.choice != Choice::default() {
            let problem = "AN1's choice of next hops together with frames";
            problems.push(
                Problem::new("routing.choice", problem, "one or the other")
                    .hint("frames take what [frames] balancing says"),
            );
        }
        problems
    }
}

impl ConvergenceParams {
    fn problems(&self, problems: &mut Vec<Problem>) {
        let path = |field: &str| format!("frames.convergence.{field}");
        if !(self.within > 0.0 && self.within < 1.0) {
            let problem = format!("share {} is out of range", self.within);
            problems.push(Problem::new(path("within"), problem, "above 0, below 1"));
        }
        if self.interval < SHORTEST_INTERVAL || self.interval > LONGEST {
            let problem = format!("time {} is out of range", self.interval);
            let expected = format!("from {SHORTEST_INTERVAL} to {LONGEST}");
            problems.push(Problem::new(path("interval"), problem, expected));
        } else if self.lasts < self.interval || self.lasts > LONGEST {
            let problem = format!("time {} is out of range", self.lasts);
            let expected = format!("from `interval`, {}, to {LONGEST}", self.interval);
            problems.push(Problem::new(path("lasts"), problem, expected));
        }
    }
}

impl FrameParams {
    /// What is wrong with the parameters, whatever the network; paths begin at the scenario.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if self.mtu.bits() == 0 || self.mtu > LONGEST_MTU {
            let expected = format!("from 1 bit to {LONGEST_MTU}");
            problems.push(Problem::new("frames.mtu", format!("MTU {} is out of range", self.mtu), expected));
        }
        if self.latency > LONGEST {
            problems.push(too_long("frames.latency", self.latency));
        }
        if let Scheduling::Weighted(weights) = &self.scheduling
            && let Some(weight) = weights.iter().find(|weight| !(1..=1000).contains(*weight))
        {
            let problem = format!("weight {weight} is out of range");
            problems.push(Problem::new("frames.scheduling.weighted", problem, "from 1 to 1000"));
        }
        if self.reroute > LONGEST_REROUTE {
            let problem = format!("time {} is out of range", self.reroute);
            problems.push(Problem::new("frames.reroute", problem, format!("at most {LONGEST_REROUTE}")));
        }
        if self.counters_at.len() > MOST_READINGS {
            let problem = format!("{} instants are too many", self.counters_at.len());
            problems.push(Problem::new("frames.counters_at", problem, format!("at most {MOST_READINGS}")));
        }
        for (i, tables) in self.new_tables.iter().enumerate().filter(|(_, new)| new.at > LATEST_TABLES) {
            let problem = format!("time {} is out of range", tables.at);
            let expected = format!("at most {LATEST_TABLES}");
            problems.push(Problem::new(format!("frames.new_tables[{i}].at"), problem, expected));
        }
        if self.ttl == Some(0) {
            let problem = "a time to live of 0 lets no frame pass a switch";
            problems.push(Problem::new("frames.ttl", problem, "from 1 to 255, or no ttl"));
        }
        if let Some(convergence) = &self.convergence {
            convergence.problems(&mut problems);
        }
        match &self.flow_control {
            FlowControl::Pfc(pfc) => self.pfc_problems(pfc, &mut problems),
            FlowControl::Credits(credits) => self.credit_problems(credits, &mut problems),
            FlowControl::TailDrop(_) => {}
        }
        problems.extend(self.control_problems());
        if let Some(ecn) = &self.ecn {
            ecn_problems(ecn, &mut problems);
        }
        if let Some(dcqcn) = &self.dcqcn {
            if self.ecn.is_none() {
                problems.push(
                    Problem::new(
                        "frames.dcqcn",
                        "DCQCN needs ECN, and no switch marks frames",
                        "[frames.ecn] as well",
                    )
                    .hint("add a table [frames.ecn]; empty, it has the defaults of the paper"),
                );
            }
            dcqcn_problems(dcqcn, &mut problems);
        }
        problems
    }

    fn pfc_problems(&self, pfc: &PfcParams, problems: &mut Vec<Problem>) {
        let path = "frames.flow_control.pfc";
        if !(1..=8).contains(&pfc.priorities) {
            let problem = format!("{} priorities are out of range", pfc.priorities);
            problems.push(Problem::new(format!("{path}.priorities"), problem, "from 1 to 8"));
        }
        let size = self.buffer.size;
        if size.bits() == 0 || size > LARGEST_BUFFER {
            let expected = format!("from 1 bit to {LARGEST_BUFFER}");
            problems.push(Problem::new(
                "frames.buffer.size",
                format!("buffer size {size} is out of range"),
                expected,
            ));
        }
        self.check_alpha(problems);
        for (name, given) in [("xoff", Some(pfc.xoff)), ("headroom", pfc.headroom)] {
            if let Some(given) = given.filter(|given| *given > LARGEST_BUFFER) {
                let problem = format!("{name} {given} is out of range");
                problems.push(Problem::new(
                    format!("{path}.{name}"),
                    problem,
                    format!("at most {LARGEST_BUFFER}"),
                ));
            }
        }
        match pfc.xon(self.mtu) {
            None => problems.push(
                Problem::new(
                    format!("{path}.xoff"),
                    format!(
                        "{} is less than two frames of {}, the default distance of xon below xoff",
                        pfc.xoff, self.mtu
                    ),
                    "at least twice the mtu",
                )
                .hint("give xon, or a larger xoff"),
            ),
            Some(xon) if xon > pfc.xoff => {
                let problem = format!("xon {xon} is above xoff {}", pfc.xoff);
                problems.push(Problem::new(format!("{path}.xon"), problem, "at most xoff"));
            }
            Some(_) => {}
        }
    }

    pub(crate) fn check_alpha(&self, problems: &mut Vec<Problem>) {
        if let Some(alpha) = self.buffer.alpha.filter(|alpha| !(1e-4..=64.0).contains(alpha)) {
            let problem = format!("alpha {alpha} is out of range");
            problems.push(Problem::new("frames.buffer.alpha", problem, "from 0.0001 to 64"));
        }
    }

    fn credit_problems(&self, credits: &CreditParams, problems: &mut Vec<Problem>) {
        let path = "frames.flow_control.credits";
        if !(1..=15).contains(&credits.lanes) {
            let problem = format!("{} virtual lanes are out of range", credits.lanes);
            problems.push(Problem::new(format!("{path}.lanes"), problem, "from 1 to 15"));
        }
        if credits.buffer_per_lane < self.mtu || credits.buffer_per_lane > LARGEST_BUFFER {
            let problem =
                format!("buffer size {} is out of range for frames of {}", credits.buffer_per_lane, self.mtu);
            let expected = format!("at least one frame, at most {LARGEST_BUFFER}");
            problems.push(Problem::new(format!("{path}.buffer_per_lane"), problem, expected));
        }
        if self.buffer != Default::default() {
            problems.push(
                Problem::new(
                    "frames.buffer",
                    "a shared buffer, but credits need input buffers",
                    "none with credits",
                )
                .hint("with credits, each input has `buffer_per_lane` of buffer"),
            );
        }
    }
}

fn ecn_problems(ecn: &EcnParams, problems: &mut Vec<Problem>) {
    if ecn.kmin > ecn.kmax {
        let problem = format!("kmin {} is above kmax {}", ecn.kmin, ecn.kmax);
        problems.push(Problem::new("frames.ecn.kmin", problem, "at most kmax"));
    }
    if ecn.kmax > LARGEST_BUFFER {
        let problem = format!("queue threshold {} is out of range", ecn.kmax);
        problems.push(Problem::new("frames.ecn.kmax", problem, format!("at most {LARGEST_BUFFER}")));
    }
    if !(0.0..=1.0).contains(&ecn.pmax) {
        let problem = format!("share {} is out of range", ecn.pmax);
        problems.push(Problem::new("frames.ecn.pmax", problem, "from 0 to 1"));
    }
}

fn dcqcn_problems(dcqcn: &DcqcnParams, problems: &mut Vec<Problem>) {
    let spans = [
        ("cnp_interval", dcqcn.cnp_interval),
        ("alpha_timer", dcqcn.alpha_timer),
        ("rate_timer", dcqcn.rate_timer),
    ];
    for (name, span) in spans {
        if span == Span::ZERO || span > LONGEST {
            problems.push(too_long(&format!("frames.dcqcn.{name}"), span));
        }
    }
    if !(dcqcn.gain > 0.0 && dcqcn.gain <= 1.0) {
        let problem = format!("gain {} is out of range", dcqcn.gain);
        problems.push(Problem::new("frames.dcqcn.gain", problem, "above 0, at most 1"));
    }
    if dcqcn.byte_counter.bits() == 0 {
        problems.push(Problem::new("frames.dcqcn.byte_counter", "a byte counter of 0 B", "at least 1 B"));
    }
    let rates = [("additive", dcqcn.additive), ("hyper", dcqcn.hyper), ("least", dcqcn.least)];
    for (name, rate) in rates {
        if rate < Rate::from_bit_s(1_000) || rate > Rate::from_mbit_s(4_000_000) {
            let problem = format!("rate {rate} is out of range");
            problems.push(Problem::new(format!("frames.dcqcn.{name}"), problem, "from 1 kbit/s to 4 Tbit/s"));
        }
    }
}

pub(crate) fn too_long(path: &str, span: Span) -> Problem {
    Problem::new(path, format!("time {span} is out of range"), format!("above 0, at most {LONGEST}"))
}

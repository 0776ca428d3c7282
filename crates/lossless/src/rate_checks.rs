//! Checks of rate control, recovery and switches that discard.

use hopscope_measure::Problem;
use hopscope_units::{Data, Rate, Span};

use crate::checks::{LARGEST_BUFFER, LONGEST, too_long};
use crate::params::{DropParams, FlowControl, FrameParams};
use crate::rate_control::{OwnRule, Setting};
use crate::rate_params::{
    DctcpParams, HpccParams, NsccParams, PullParams, RateControlParams, RecoveryParams, SwiftParams,
    TimelyParams,
};

const RULE: &str = "frames.rate_control";

/// The longest timeout: with all its doublings it stays far below the longest run.
const LONGEST_TIMEOUT: Span = Span::from_s(10);

/// The largest exponent of NSCC's gate.
const MOST_GATE: u32 = 32;

impl FrameParams {
    /// The settings that a user-defined rule reads beside its parameters.
    pub(crate) fn setting(&self) -> Setting {
        Setting { frame: self.mtu, marks: self.ecn.is_some(), recovers: self.recovery.is_some() }
    }

    /// The problems of rate control, recovery and loss, alone and together.
    pub(crate) fn control_problems(&self) -> Vec<Problem> {
        let mut found = Found(Vec::new());
        match &self.rate_control {
            Some(RateControlParams::Dctcp(dctcp)) => found.dctcp(dctcp),
            Some(RateControlParams::Timely(timely)) => found.timely(timely),
            Some(RateControlParams::Hpcc(hpcc)) => found.hpcc(hpcc),
            Some(RateControlParams::Swift(swift)) => found.swift(swift),
            Some(RateControlParams::Nscc(nscc)) => found.nscc(nscc),
            Some(RateControlParams::Pull(pull)) => found.pull(pull),
            Some(RateControlParams::Own(own)) => found.own(own, &self.setting()),
            None => {}
        }
        if let Some(recovery) = &self.recovery {
            found.recovery(recovery);
        }
        if let FlowControl::TailDrop(drop) = &self.flow_control {
            found.drop(drop, self);
        }
        found.together(self);
        found.0
    }
}

/// The problems found so far.
struct Found(Vec<Problem>);

impl Found {
    fn add(&mut self, path: String, problem: String, expected: &str) {
        self.0.push(Problem::new(path, problem, expected));
    }

    fn hinted(&mut self, path: &str, problem: &str, expected: &str, hint: &str) {
        self.0.push(Problem::new(path, problem, expected).hint(hint));
    }

    /// A share above 0 and at most 1.
    fn share(&mut self, path: &str, value: f64) {
        if !(value > 0.0 && value <= 1.0) {
            self.add(
                format!("{RULE}.{path}"),
                format!("share {value} is out of range"),
                "above 0, at most 1",
            );
        }
    }

    fn span(&mut self, path: &str, span: Span) {
        if span == Span::ZERO || span > LONGEST {
            self.0.push(too_long(&format!("{RULE}.{path}"), span));
        }
    }

    /// A window, or a step of one.
    fn window(&mut self, path: &str, window: Data) {
        if window.bits() == 0 || window > LARGEST_BUFFER {
            let problem = format!("{window} is out of range: a window of nothing lets nothing pass");
            self.add(format!("{RULE}.{path}"), problem, &format!("from 1 bit to {LARGEST_BUFFER}"));
        }
    }

    fn rate(&mut self, path: &str, rate: Rate) {
        if rate < Rate::from_bit_s(1_000) || rate > Rate::from_mbit_s(4_000_000) {
            let problem = format!("rate {rate} is out of range");
            self.add(format!("{RULE}.{path}"), problem, "from 1 kbit/s to 4 Tbit/s");
        }
    }

    /// The windows of a law with a minimum, an initial and a maximum.
    fn windows(&mut self, law: &str, least: Option<Data>, initial: Option<Data>, most: Data) {
        self.window(&format!("{law}.most"), most);
        for (name, window) in [("least", least), ("initial", initial)] {
            let Some(window) = window else { continue };
            self.window(&format!("{law}.{name}"), window);
            if window > most {
                let problem = format!("window {window} is above most, {most}");
                self.add(format!("{RULE}.{law}.{name}"), problem, "at most `most`");
            }
        }
        if let (Some(least), Some(initial)) = (least, initial)
            && initial < least
        {
            let problem = format!("window {initial} is below least, {least}");
            self.add(format!("{RULE}.{law}.initial"), problem, "at least `least`");
        }
    }

    fn dctcp(&mut self, dctcp: &DctcpParams) {
        self.share("dctcp.gain", dctcp.gain);
        self.windows("dctcp", dctcp.least, dctcp.initial, dctcp.most);
    }

    fn timely(&mut self, timely: &TimelyParams) {
        self.span("timely.low", timely.low);
        self.span("timely.high", timely.high);
        self.span("timely.round_trip", timely.round_trip);
        self.window("timely.segment", timely.segment);
        self.share("timely.gain", timely.gain);
        self.share("timely.decrease", timely.decrease);
        self.rate("timely.additive", timely.additive);
        self.rate("timely.least", timely.least);
        if timely.low > timely.high {
            let problem = format!("low {} is above high {}", timely.low, timely.high);
            self.add(format!("{RULE}.timely.low"), problem, "at most high");
        }
    }

    fn hpcc(&mut self, hpcc: &HpccParams) {
        self.span("hpcc.round_trip", hpcc.round_trip);
        self.share("hpcc.target", hpcc.target);
        self.window("hpcc.additive", hpcc.additive);
    }

    fn swift(&mut self, swift: &SwiftParams) {
        self.span("swift.target", swift.target);
        for (name, span) in [("per_switch", swift.per_switch), ("range", swift.range)] {
            if span > LONGEST {
                self.0.push(too_long(&format!("{RULE}.swift.{name}"), span));
            }
        }
        self.share("swift.decrease", swift.decrease);
        self.share("swift.largest_decrease", swift.largest_decrease);
        let frames = |value: f64| (1e-6..=1e6).contains(&value);
        let numbers =
            [("smallest", swift.smallest), ("largest", swift.largest), ("additive", swift.additive)];
        for (name, value) in numbers.into_iter().filter(|(_, value)| !frames(*value)) {
            let problem = format!("{value} frames are out of range");
            self.add(format!("{RULE}.swift.{name}"), problem, "from 0.000001 to 1000000");
        }
        if swift.smallest >= swift.largest {
            let problem = format!("smallest {} is not below largest {}", swift.smallest, swift.largest);
            self.add(format!("{RULE}.swift.smallest"), problem, "below largest");
        }
        self.windows("swift", Some(swift.least), swift.initial, swift.most);
    }

    fn nscc(&mut self, nscc: &NsccParams) {
        self.span("nscc.round_trip", nscc.round_trip);
        if let Some(target) = nscc.target {
            self.span("nscc.target", target);
        }
        self.share("nscc.decrease", nscc.decrease);
        self.share("nscc.smoothing", nscc.smoothing);
        if !(0.01..=1000.0).contains(&nscc.most) {
            let problem = format!("a window of {} round trips is out of range", nscc.most);
            self.add(format!("{RULE}.nscc.most"), problem, "from 0.01 to 1000");
        }
        if nscc.gate > MOST_GATE {
            let problem = format!("gate {} is out of range: no window is so small a part", nscc.gate);
            self.add(format!("{RULE}.nscc.gate"), problem, &format!("at most {MOST_GATE}"));
        }
    }

    fn pull(&mut self, pull: &PullParams) {
        if let Some(initial) = pull.initial {
            self.window("pull.initial", initial);
        }
    }

    /// The problems that a user-defined rule reports, below its own section.
    fn own(&mut self, own: &OwnRule, setting: &Setting) {
        let section = format!("{RULE}.own.{}", own.name());
        let below =
            |path: String| if path.is_empty() { section.clone() } else { format!("{section}.{path}") };
        self.0.extend(
            own.problems(setting).into_iter().map(|problem| Problem { path: below(problem.path), ..problem }),
        );
    }

    fn recovery(&mut self, recovery: &RecoveryParams) {
        if recovery.timeout == Span::ZERO || recovery.timeout > LONGEST_TIMEOUT {
            let problem = format!("time {} is out of range", recovery.timeout);
            let expected = format!("above 0, at most {LONGEST_TIMEOUT}");
            self.add("frames.recovery.timeout".to_owned(), problem, &expected);
        }
        if recovery.reordering == 0 {
            let problem = "a frame would be missing before a later one has arrived".to_owned();
            self.add("frames.recovery.reordering".to_owned(), problem, "at least 1");
        }
    }

    fn drop(&mut self, drop: &DropParams, frames: &FrameParams) {
        let path = "frames.flow_control.tail-drop";
        if !(1..=8).contains(&drop.priorities) {
            let problem = format!("{} priorities are out of range", drop.priorities);
            self.add(format!("{path}.priorities"), problem, "from 1 to 8");
        }
        if let Some(queue) = drop.queue.filter(|queue| *queue < frames.mtu || *queue > LARGEST_BUFFER) {
            let problem = format!("queue of {queue} is out of range for frames of {}", frames.mtu);
            let expected = format!("at least one frame, at most {LARGEST_BUFFER}");
            self.add(format!("{path}.queue"), problem, &expected);
        }
        if frames.buffer.size < frames.mtu || frames.buffer.size > LARGEST_BUFFER {
            let problem =
                format!("buffer size {} is out of range for frames of {}", frames.buffer.size, frames.mtu);
            let expected = format!("at least one frame, at most {LARGEST_BUFFER}");
            self.add("frames.buffer.size".to_owned(), problem, &expected);
        }
        frames.check_alpha(&mut self.0);
        if drop.trimming && frames.recovery.is_none() {
            self.hinted(
                &format!("{path}.trimming"),
                "headers tell what was lost, and nobody sends it again",
                "[frames.recovery] as well",
                "add a table [frames.recovery]; an empty one sends again only what was lost (selective repeat)",
            );
        }
        if frames.rate_control.is_some() && frames.recovery.is_none() {
            self.hinted(
                RULE,
                "frames are lost, and what is lost is never acknowledged",
                "[frames.recovery] as well",
                "add a table [frames.recovery]; an empty one sends again only what was lost (selective repeat)",
            );
        }
        if !frames.slow_hosts.is_empty() {
            self.hinted(
                "frames.slow_hosts",
                "a slow host holds its switch back, and with tail drop nothing is held back",
                "pause frames or credits with slow hosts",
                "remove slow_hosts, or the table [frames.flow_control.tail-drop]",
            );
        }
    }

    fn together(&mut self, frames: &FrameParams) {
        if frames.rate_control.is_some() && frames.dcqcn.is_some() {
            let problem = "two laws of rates: dcqcn and rate_control";
            self.hinted(RULE, problem, "one of them", "remove the table [frames.dcqcn]");
        }
        let marked = match frames.rate_control {
            Some(RateControlParams::Dctcp(_)) => {
                Some(("dctcp", "DCTCP", "kmin = \"100 KB\", kmax = \"100 KB\""))
            }
            Some(RateControlParams::Nscc(_)) => Some(("nscc", "NSCC", "kmin = \"50 KB\", kmax = \"200 KB\"")),
            _ => None,
        };
        if let (Some((law, name, thresholds)), None) = (marked, &frames.ecn) {
            let problem = format!("{name} needs ECN, and no switch marks frames");
            let hint = format!("add ecn = {{ {thresholds}, pmax = 1 }}");
            self.hinted(&format!("{RULE}.{law}"), &problem, "[frames.ecn] as well", &hint);
        }
        if let (FlowControl::Credits(_), Some(_)) = (&frames.flow_control, &frames.recovery) {
            self.hinted(
                "frames.recovery",
                "recovery together with credits, which lose no frame",
                "pause frames or tail drop with recovery",
                "remove the table [frames.recovery]",
            );
        }
    }
}

//! Small subnets and what is asked of them.

use std::sync::Arc;

use hopscope_arpanet::{
    ArpanetParams, ArpanetPlan, BackgroundParams, Computer, FlowParams, HostParams, ImpParams, LineParams,
    Subnet, Version, When,
};
use hopscope_kernel::Simulation;
use hopscope_measure::{Report, RunPlan, Warmup, drive};
use hopscope_units::{Data, Rate, Span};

/// Lines of 50 kbit/s and 2 ms between IMPs of these names.
pub fn lines(pairs: &[(&str, &str)]) -> ArpanetParams {
    let mut params = ArpanetParams::default();
    params.network.line = pairs
        .iter()
        .map(|&(a, b)| LineParams {
            between: [a.to_owned(), b.to_owned()],
            rate: Rate::from_bit_s(50_000),
            delay: Span::from_ms(2),
        })
        .collect();
    params
}

/// IMPs 0 to `hops` in a row, and a PDP-11 at the first that sends full messages to the last for `seconds`.
pub fn chain(hops: usize, seconds: u64) -> ArpanetParams {
    let names: Vec<String> = (0..=hops).map(|imp| format!("imp{imp}")).collect();
    let pairs: Vec<(&str, &str)> =
        names.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str())).collect();
    let mut params = lines(&pairs);
    params.host = vec![pdp_11("imp0")];
    params.flow = vec![flow("PDP-11", &names[hops], 8063, When::Saturated)];
    params.duration = Some(Span::from_s(seconds));
    params
}

/// What every IMP sends now and then: short messages, and a tenth of the longest.
pub fn background() -> BackgroundParams {
    BackgroundParams {
        gap: Span::from_s(1),
        except: Vec::new(),
        size: Data::from_bits(300),
        long_size: Data::from_bits(8063),
        long_share: 0.1,
    }
}

/// The same net with the message handling of 1975.
pub fn version_3(mut params: ArpanetParams) -> ArpanetParams {
    params.protocol.version = Version::Three;
    params
}

pub fn pdp_11(imp: &str) -> HostParams {
    HostParams {
        name: "PDP-11".into(),
        imp: imp.into(),
        rate: Rate::from_bit_s(100_000),
        per_message: Span::ZERO,
        per_message_sent: Span::ZERO,
        silent: Vec::new(),
    }
}

pub fn flow(from: &str, to: &str, bits: u64, when: When) -> FlowParams {
    FlowParams {
        from: from.into(),
        to: to.into(),
        size: Data::from_bits(bits),
        when,
        phase: None,
        class: "message".into(),
    }
}

pub fn simulation(params: ArpanetParams, seed: u64) -> Simulation<Subnet> {
    Arc::new(ArpanetPlan::new(params).expect("a valid subnet")).simulation(seed, ())
}

/// A run to the end of its duration.
pub fn run(params: ArpanetParams, seed: u64) -> Report {
    finish(&mut simulation(params, seed))
}

pub fn finish(simulation: &mut Simulation<Subnet>) -> Report {
    let plan = RunPlan { warmup: Warmup::None, ..RunPlan::messages(100_000_000) };
    drive(simulation, plan, |_, _| true)
}

pub fn value(report: &Report, key: &str) -> f64 {
    let metric = report.metric(key).unwrap_or_else(|| panic!("no metric {key}"));
    metric.estimate.unwrap_or_else(|| panic!("{key} is no number")).value
}

/// An IMP with the code for very distant hosts.
pub fn very_distant(name: &str) -> ImpParams {
    ImpParams { name: name.into(), number: None, processor: Computer::H516, very_distant_host: true }
}

/// A run whose trace is kept, as one line an event.
pub fn ladder(simulation: &Simulation<Subnet>) -> String {
    let line = |row: &hopscope_arpanet::TraceRow| {
        let who = if row.message == u64::MAX { "-".to_owned() } else { row.message.to_string() };
        format!("{:9.2} ms  {who} {:?}\n", row.at.ps() as f64 * 1e-9, row.kind)
    };
    simulation.model.trace().iter().map(line).collect()
}

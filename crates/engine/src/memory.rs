//! Whether a run fits in memory: its least need, checked before it starts.
//!
//! The estimates are lower bounds, so that nothing is refused that would have fitted. What is free depends on the
//! machine; no result does.

use std::fs;

use hopscope_fabric::Rule;
use hopscope_measure::Problem;
use hopscope_topology::Network;
use hopscope_traffic::flows::{FlowGroup, FlowPattern, Hosts, Order};

/// A journey: ten stages or more, each with its place and two instants (measured: 0.8 kB in the Mstage network).
const BYTES_A_JOURNEY: u64 = 500;
/// A host with its link, port, queues and statistics.
const BYTES_A_HOST: u64 = 300;
/// A flow under way.
const BYTES_A_FLOW: u64 = 150;
/// A distance between two switches.
const BYTES_A_DISTANCE: u64 = 2;
/// What needs no more than this is not refused: the system is not asked, which takes longer than to read a scenario.
const LITTLE: u64 = 16 << 20;

/// What a part of a scenario needs at least.
struct Need {
    path: String,
    what: String,
    bytes: u64,
    hint: &'static str,
}

impl Need {
    /// The refusal, if this much memory is not free.
    fn refused(self, free: impl FnOnce() -> Option<u64>) -> Option<Problem> {
        if self.bytes <= LITTLE {
            return None;
        }
        let free = free().filter(|free| *free < self.bytes)?;
        let Self { path, what, bytes, hint } = self;
        let problem = format!("{what} need at least {} of memory, and {} are free", size(bytes), size(free));
        Some(Problem::new(path, problem, "what fits in memory").hint(hint))
    }
}

/// Journeys that do not fit.
pub(crate) fn journeys(journeys: u64, messages: u64) -> Option<Problem> {
    let kept = journeys.min(messages);
    let need = Need {
        path: "measure.journeys".to_owned(),
        what: format!("{kept} journeys"),
        bytes: kept * BYTES_A_JOURNEY,
        hint: "keep fewer; a thousand show what every message waits for",
    };
    need.refused(free)
}

/// A network whose routes and hosts do not fit.
pub(crate) fn network(network: &Network, rule: Rule) -> Option<Problem> {
    let per_switch = network.hosts_per_switch();
    let destinations = per_switch.iter().filter(|hosts| **hosts > 0).count() as u64;
    let (switches, hosts) = (network.switches().len() as u64, network.hosts().len() as u64);
    // Up*/down* keeps the distances of packets that may still go up, and of those that may not.
    let phases = if matches!(rule, Rule::UpDown | Rule::ByFamily) { 2 } else { 1 };
    let need = Need {
        path: "network".to_owned(),
        what: format!("routes of {switches} switches to {destinations}, and {hosts} hosts"),
        bytes: switches * destinations * phases * BYTES_A_DISTANCE + hosts * BYTES_A_HOST,
        hint: "a smaller network, or hosts at fewer of its switches",
    };
    need.refused(free)
}

/// Flows that do not fit where they all begin at once.
pub(crate) fn flows(groups: &[FlowGroup], network: &Network) -> Vec<Problem> {
    let hosts = network.hosts().len() as u64;
    let needs = groups.iter().enumerate().filter_map(|(i, group)| {
        let FlowPattern::AllToAll(exchange) = &group.pattern else { return None };
        let taking_part = match &group.hosts {
            Hosts::All | Hosts::Shuffled => hosts,
            Hosts::First(count) | Hosts::Spread(count) | Hosts::Random(count) => hosts.min(u64::from(*count)),
            Hosts::Named(names) => names.len() as u64,
        };
        let flows = taking_part * taking_part.saturating_sub(1);
        (exchange.order == Order::AtOnce).then(|| Need {
            path: format!("flows[{i}].pattern.all-to-all"),
            what: format!("{flows} flows at once"),
            bytes: flows * BYTES_A_FLOW,
            hint: "order = \"staged\" has one flow of each host under way at a time",
        })
    });
    needs.filter_map(|need| need.refused(free)).collect()
}

/// The bytes that this process may still take, as far as the system reports: of the machine, of its control group and
/// of its own limit on addresses.
fn free() -> Option<u64> {
    let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let whole = |text: &str| text.trim().parse::<u64>().ok();
    let machine = field(&text("/proc/meminfo"), "MemAvailable:").map(|kib| kib << 10);
    let group = whole(&text("/sys/fs/cgroup/memory.max"))
        .zip(whole(&text("/sys/fs/cgroup/memory.current")))
        .map(|(most, now)| most.saturating_sub(now));
    let addresses = field(&text("/proc/self/limits"), "Max address space")
        .zip(field(&text("/proc/self/status"), "VmSize:"))
        .map(|(most, now_kib)| most.saturating_sub(now_kib << 10));
    [machine, group, addresses].into_iter().flatten().min()
}

/// The first number behind a name at the beginning of a line.
fn field(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Bytes as people read them.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{bytes} B"),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{}.{} GB", bytes / 1_000_000_000, bytes / 100_000_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_more_than_is_free_is_refused_with_both_figures() {
        let need = || Need {
            path: "network".to_owned(),
            what: "routes".to_owned(),
            bytes: 1_600_000_000,
            hint: "less",
        };
        let problem = need().refused(|| Some(250_000_000)).expect("it does not fit");
        assert_eq!(problem.problem, "routes need at least 1.6 GB of memory, and 250 MB are free");
        assert!(need().refused(|| Some(1_600_000_000)).is_none() && need().refused(|| None).is_none());
        let little = Need { bytes: LITTLE, ..need() };
        assert!(little.refused(|| panic!("nobody asks")).is_none());
    }

    #[test]
    fn the_system_tells_how_much_is_free() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max address space         unlimited            unlimited            bytes\n";
        assert_eq!(field(limits, "Max address space"), None);
        assert_eq!(
            field(&limits.replace("unlimited ", "1000000000 "), "Max address space"),
            Some(1_000_000_000)
        );
        assert!(!cfg!(target_os = "linux") || free().is_some_and(|free| free > 1 << 20));
    }
}

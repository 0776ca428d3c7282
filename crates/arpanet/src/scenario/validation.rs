//! What can be wrong with the parameters, in terms the person who wrote them understands.

use hopscope_measure::{Problem, class_name_problem, did_you_mean};
use hopscope_units::{Data, Rate, Span};

use crate::protocol::packet::LONGEST_MESSAGE;
use crate::scenario::params::{
    ArpanetParams, BackgroundParams, Computer, FlowParams, ProtocolParams, Version, When,
};
use crate::scenario::processor_params::ProcessorTimes;
use crate::scenario::site_params::{BurstParams, SitesParams};

/// Collects problems, each with a path.
#[derive(Default)]
pub(crate) struct Problems(pub Vec<Problem>);

impl Problems {
    pub fn add(&mut self, path: impl Into<String>, problem: impl Into<String>, expected: impl Into<String>) {
        self.0.push(Problem::new(path, problem, expected));
    }

    pub fn hint(&mut self, hint: Option<String>) {
        if let Some(problem) = self.0.last_mut() {
            problem.hint = hint;
        }
    }

    /// Nothing has this name: with the name that was meant, where one is close, else with those there are.
    pub fn unknown<'a>(
        &mut self,
        path: String,
        problem: String,
        expected: &str,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) {
        let known: Vec<&str> = known.filter(|known| !known.is_empty()).collect();
        self.add(path, problem, expected);
        self.hint(did_you_mean(name, known.iter().copied()).or_else(|| listed(&known)));
    }

    /// Nothing is called by blanks.
    pub fn named(&mut self, path: String, what: &str, name: &str) {
        if name.trim().is_empty() {
            self.add(path, format!("{what} without a name"), "a name in quotes, such as \"UCLA\"");
        }
    }

    /// A gap of 0 is no gap.
    fn gap(&mut self, path: &str, gap: Span, shortest: Span, instead: &str) {
        self.span(path, gap, shortest, LONGEST);
        if gap == Span::ZERO {
            self.hint(Some(instead.to_owned()));
        }
    }

    pub fn span(&mut self, path: &str, span: Span, shortest: Span, longest: Span) {
        if span < shortest || span > longest {
            self.add(path, format!("time {span} is out of range"), format!("from {shortest} to {longest}"));
        }
    }

    fn count(&mut self, path: &str, count: u32, least: u32, most: u32) {
        self.number(path, format!("there are {count}"), count, least, most);
    }

    /// A number out of its range, with these words.
    fn number(&mut self, path: &str, words: String, number: u32, least: u32, most: u32) {
        if number < least || number > most {
            self.add(path, words, format!("from {least} to {most}"));
        }
    }

    fn size(&mut self, path: &str, size: Data) {
        if size.bits() == 0 || size.bits() > u64::from(LONGEST_MESSAGE) {
            self.add(
                path,
                format!("message size {} bit is out of range", size.bits()),
                format!("from 1 bit to {LONGEST_MESSAGE} bit, which are 8 packets"),
            );
        }
    }

    fn host_rate(&mut self, path: &str, rate: Rate) {
        if !(100..=1_000_000_000).contains(&rate.bit_s()) {
            self.add(path, format!("host line rate {rate} is out of range"), "from 100 bit/s to 1 Gbit/s");
        }
    }

    fn share(&mut self, path: &str, share: f64, most: f64) {
        if !(0.0..=most).contains(&share) {
            self.add(path, format!("share {share} is out of range"), format!("from 0 to {most}"));
        }
    }
}

/// Names that are listed when none is close to a wrong one.
const LISTED: usize = 12;

/// The names there are, as a hint.
fn listed(known: &[&str]) -> Option<String> {
    let more = known.len().saturating_sub(LISTED);
    let first = known.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
    match more {
        _ if known.is_empty() => None,
        0 => Some(format!("there are {first}")),
        more => Some(format!("there are {first} and {more} more")),
    }
}

/// The hosts of an IMP, at most: it had four interfaces for them.
pub(crate) const MOST_HOSTS: u32 = 4;
/// The most buffers that must be free to let a packet in.
const MOST_FREE: u32 = 64;
/// The densest bursts, in times of the mean rate.
const MOST_TIMES: u32 = 1000;
/// The shortest and longest times of protocols and sources.
const SHORTEST: Span = Span::from_us(1);
const LONGEST: Span = Span::from_s(1_000_000);
/// The shortest and longest period of bursts.
const SHORTEST_PERIOD: Span = Span::from_ms(100);
const DAY: Span = Span::from_s(86_400);

/// Everything that is wrong whatever the network.
pub(crate) fn of_params(params: &ArpanetParams, problems: &mut Problems) {
    if let Some(duration) = params.duration {
        problems.span("duration", duration, Span::from_ms(1), Span::from_s(10_000_000));
    }
    problems.share("network.errors", params.network.errors, 0.5);
    of_protocol(&params.protocol, problems);
    for (path, computer) in [("processor.h516", Computer::H516), ("processor.h316", Computer::H316)] {
        of_processor(path, params.processor.of(computer), problems);
    }
    for (index, host) in params.host.iter().enumerate() {
        problems.named(format!("host[{index}].name"), "a host", &host.name);
        problems.host_rate(&format!("host[{index}].rate"), host.rate);
        for (name, time) in [("per_message", host.per_message), ("per_message_sent", host.per_message_sent)] {
            problems.span(&format!("host[{index}].{name}"), time, Span::ZERO, Span::from_s(100));
        }
        for (silence, times) in host.silent.iter().enumerate() {
            let path = format!("host[{index}].silent[{silence}]");
            problems.span(&format!("{path}.from"), times.from, Span::ZERO, LONGEST);
            problems.span(&format!("{path}.length"), times.length, SHORTEST, LONGEST);
        }
    }
    for (index, flow) in params.flow.iter().enumerate() {
        of_flow(&format!("flow[{index}]"), flow, problems);
    }
    if params.flow.is_empty() && params.sites.is_none() {
        problems.add("flow", "no flow is measured", "at least one flow");
        problems.hint(Some("add [[flow]] with from, to, size and when".to_owned()));
    }
    if let Some(sites) = &params.sites {
        if params.flow.is_empty() && !sites.measured {
            problems.add("sites.measured", "nothing is measured", "true, or at least one [[flow]]");
        }
        of_sites(sites, problems);
    }
    if let Some(background) = &params.background {
        of_background(background, problems);
    }
}

fn of_sites(sites: &SitesParams, problems: &mut Problems) {
    if !(0.001..=1000.0).contains(&sites.scale) {
        problems.add("sites.scale", format!("scale {} is out of range", sites.scale), "from 0.001 to 1000");
    }
    if let Some(bursts) = &sites.bursts {
        of_bursts(bursts, problems);
    }
    problems.host_rate("sites.host_rate", sites.host_rate);
    problems.span("sites.host_delay", sites.host_delay, Span::ZERO, Span::from_s(100));
    for (list, hosts) in [("sites.host", &sites.host), ("sites.hosts_file", &sites.host_of_file)] {
        for (index, host) in hosts.iter().enumerate() {
            let delay = host.delay.unwrap_or_default();
            problems.span(&format!("{list}[{index}].delay"), delay, Span::ZERO, Span::from_s(100));
            let words = format!("{} hosts", host.hosts);
            problems.number(&format!("{list}[{index}].hosts"), words, host.hosts, 1, MOST_HOSTS);
        }
    }
    if let Some(status) = &sites.status_reports {
        problems.span("sites.status_reports.every", status.every, Span::from_ms(100), LONGEST);
        problems.count("sites.status_reports.count", status.count, 1, 16);
        problems.size("sites.status_reports.size", status.size);
        let begins = status.begins_after;
        problems.span(
            "sites.status_reports.delay",
            status.delay.unwrap_or_default(),
            Span::ZERO,
            Span::from_s(100),
        );
        problems.span("sites.status_reports.begins_after", begins, Span::ZERO, Span::from_s(25));
        if begins > Span::ZERO && status.delay.is_none() {
            let problem = "only the Center's own host begins later";
            problems.add(
                "sites.status_reports.begins_after",
                problem,
                "a delay beside it, for a host of its own",
            );
        }
    }
    if let Some(statistics) = &sites.statistics {
        problems.span("sites.statistics.every", statistics.every, Span::from_ms(100), LONGEST);
        problems.size("sites.statistics.size", statistics.size);
    }
}

fn of_bursts(bursts: &BurstParams, problems: &mut Problems) {
    problems.span("sites.bursts.every", bursts.every, SHORTEST_PERIOD, DAY);
    // A period that is too short bounds nothing.
    let period = if bursts.every < SHORTEST_PERIOD { DAY } else { bursts.every };
    problems.span("sites.bursts.length", bursts.length, Span::from_ms(1), period);
    let words = format!("{} times as many messages", bursts.factor);
    problems.number("sites.bursts.factor", words, bursts.factor, 1, MOST_TIMES);
    let whole = (1..=MOST_TIMES).contains(&bursts.factor) && bursts.length <= bursts.every;
    if whole && bursts.length.ps().saturating_mul(bursts.factor.into()) > bursts.every.ps() {
        let problem = "more than all messages would come in bursts";
        problems.add("sites.bursts.factor", problem, "at most the period by the length of a burst");
    }
}

fn of_protocol(protocol: &ProtocolParams, problems: &mut Problems) {
    let counts = [
        ("message_numbers", protocol.message_numbers(), 1, 8),
        ("pending_leaders", protocol.pending_leaders, 1, 256),
        ("pending_packets", protocol.pending_packets, 1, 256),
        ("buffers", protocol.buffers, 16, 1024),
        ("reassembly_buffers", protocol.reassembly_buffers, 8, 1024),
        ("vdh_buffers", protocol.vdh_buffers, 16, 1024),
        ("vdh_reassembly_buffers", protocol.vdh_reassembly_buffers, 8, 1024),
        ("store_and_forward", protocol.store_and_forward, 1, 1024),
        ("free_buffers", protocol.free_buffers, 1, MOST_FREE),
        ("message_blocks", protocol.message_blocks, 1, 4096),
    ];
    for (name, count, least, most) in counts {
        problems.count(&format!("protocol.{name}"), count, least, most);
        if count == 0 {
            let default = "0 allows no message to be sent; leave the field out for the value of October 1974";
            problems.hint(Some(default.to_owned()));
        }
    }
    of_buffers(protocol, problems);
    let spans = [
        ("retransmit_after", protocol.retransmit_after),
        ("piggy_back_wait", protocol.piggy_back_wait),
        ("give_back_after", protocol.give_back_after),
    ];
    let timeout = protocol.message_timeout;
    problems.span("protocol.message_timeout", timeout, Span::from_s(1), LONGEST);
    for (name, span) in spans {
        problems.span(&format!("protocol.{name}"), span, Span::from_ms(1), Span::from_s(1000));
    }
    if let Some(poll) = protocol.host_poll {
        problems.span("protocol.host_poll", poll, Span::from_us(100), Span::from_s(10));
    }
    if protocol.phasing_fix && protocol.version == Version::Two {
        problems.add(
            "protocol.phasing_fix",
            "the phasing fix exists in version 3 only",
            "version = \"3\", or no fix",
        );
    }
}

/// Buffers that are for reassembly, those that must be free and four more are together no more than there are.
fn of_buffers(protocol: &ProtocolParams, problems: &mut Problems) {
    /// The least that must be left besides.
    const LEFT: u32 = 4;
    let usual = ProtocolParams::default().free_buffers;
    let mut most_free = u32::MAX;
    for (name, few, many, reassembly) in [
        ("reassembly_buffers", "buffers", protocol.buffers, protocol.reassembly_buffers),
        ("vdh_reassembly_buffers", "vdh_buffers", protocol.vdh_buffers, protocol.vdh_reassembly_buffers),
    ] {
        let left = many.saturating_sub(reassembly.saturating_add(LEFT));
        if protocol.free_buffers <= left {
            continue;
        }
        if protocol.free_buffers > usual && left >= usual {
            most_free = most_free.min(left);
            continue;
        }
        let most = many.saturating_sub(protocol.free_buffers.min(usual) + LEFT);
        let expected = format!("at most {most}: some of the {many} {few} must remain for store-and-forward");
        problems.add(format!("protocol.{name}"), format!("there are {reassembly}"), expected);
    }
    if most_free < u32::MAX && protocol.free_buffers <= MOST_FREE {
        let expected = format!("at most {most_free}: the buffers outside reassembly must exceed it");
        problems.add("protocol.free_buffers", format!("there are {}", protocol.free_buffers), expected);
    }
}

fn of_processor(path: &str, kind: ProcessorTimes, problems: &mut Problems) {
    problems.span(&format!("{path}.per_packet"), kind.per_packet, SHORTEST, Span::from_s(1));
    problems.span(&format!("{path}.per_word"), kind.per_word, Span::ZERO, Span::from_ms(10));
    problems.span(&format!("{path}.output"), kind.output, Span::ZERO, Span::from_ms(10));
    problems.span(&format!("{path}.tick"), kind.tick, Span::ZERO, Span::from_ms(20));
    problems.span(&format!("{path}.routing"), kind.routing, Span::ZERO, Span::from_ms(100));
    problems.span(&format!("{path}.background"), kind.background, Span::ZERO, Span::from_s(1));
}

/// What one may have meant by a flow of gaps of 0.
const WITHOUT_GAPS: &str = "to send as fast as the network accepts, write when = \"saturated\"";

fn of_flow(path: &str, flow: &FlowParams, problems: &mut Problems) {
    problems.size(&format!("{path}.size"), flow.size);
    match flow.when {
        When::Saturated => {}
        When::Poisson(gap) => problems.gap(&format!("{path}.when.poisson"), gap, SHORTEST, WITHOUT_GAPS),
        When::Every(gap) => problems.gap(&format!("{path}.when.every"), gap, SHORTEST, WITHOUT_GAPS),
    }
    if let Some(phase) = flow.phase {
        of_phase(&format!("{path}.phase"), phase, flow.when, problems);
    }
    problems.0.extend(class_name_problem(&format!("{path}.class"), &flow.class));
}

/// The first message of a periodic flow comes within its first period.
fn of_phase(path: &str, phase: Span, when: When, problems: &mut Problems) {
    match when {
        // A period that is refused bounds nothing.
        When::Every(period) if phase > period && period >= SHORTEST => {
            let problem = format!("the phase {phase} is longer than the period");
            problems.add(path, problem, format!("from 0 s to the period of {period}"));
        }
        When::Every(_) => {}
        When::Saturated | When::Poisson(_) => {
            let problem = "a phase without a period";
            problems.add(path, problem, "a flow with when = { every = \"1 s\" }, or no phase");
        }
    }
}

fn of_background(background: &BackgroundParams, problems: &mut Problems) {
    let without = "for no background traffic, leave [background] out";
    problems.gap("background.gap", background.gap, Span::from_ms(1), without);
    problems.size("background.size", background.size);
    problems.size("background.long_size", background.long_size);
    problems.share("background.long_share", background.long_share, 1.0);
}

//! The counters of a fabric's ports: read and diagnosed, and written of a run.

mod fitted;

use std::collections::BTreeMap;

use hopscope_diagnose::{Channels, Diagnosis, diagnose as diagnosed, place_of, wait_unit};
use hopscope_formats::CabledNetwork;
use hopscope_formats::counters::{
    self, OTHER_FABRIC, PortCounters, Since, WrittenCounters, WrittenPauses, write_counters,
    write_ethernet_counters,
};
use hopscope_measure::{PauseTally, PortCount, PortCounts, PortReading, PortTally};
use hopscope_scenario::{Diagnosis as Refusal, ScenarioError};
use hopscope_topology::{Endpoint, Link, Network, Node, Routes, listed};
use hopscope_units::{Rate, Span, amount};
use serde_json::Value as Json;

use crate::forwarding_tables::{CabledFabric, cabled_fabric, read_every_lid};
use crate::run::RunResult;
use crate::scenario::Scenario;
use crate::scenario::source::{FileFault, read_beside};
pub use fitted::{Called, Fitted, fit};

/// What is diagnosed: two readings, and what lies between them.
#[derive(Clone, Debug, Default)]
pub struct Readings {
    /// The files of the first and of the second reading; several of one reading are taken together.
    pub before: String,
    /// The second.
    pub after: String,
    /// A file of forwarding tables, in place of the scenario's routes.
    pub tables: Option<String>,
    /// The seconds between the two, where the files do not say.
    pub interval_s: Option<f64>,
}

/// Diagnoses the fabric of a scenario from the counters of its ports, as JSON.
///
/// # Errors
/// A file that is wrong or of another fabric, or counters that ran backwards, with the place; readings without an
/// interval; a scenario without a fabric.
pub fn diagnose(scenario: &Scenario, of: &Readings) -> Result<String, ScenarioError> {
    let Counted { fabric, routes, channels, interval_s, ports, tool, .. } = counted(scenario, of)?;
    let found: Diagnosis = diagnosed(&fabric.network, &routes, &channels);
    let mut json = serde_json::to_value(&found).expect("a diagnosis is plain data");
    json["interval_s"] = interval_s.into();
    let by_file = scenario.identity().facts.as_ref().map(|facts| facts.routes.as_str());
    json["routes"] = of.tables.as_deref().or(by_file).unwrap_or("those of the scenario").into();
    json["ports"] = ports.into();
    json["tool"] = tool.into();
    json["wait_rules"] = channels.wait_rules.clone().into();
    json["is_sure"] = found.is_sure().into();
    Ok(scenario.with_facts(json).to_string())
}

/// A fabric with what its ports counted.
struct Counted {
    fabric: CabledNetwork,
    /// The rate of links of which the fabric says none.
    nominal_rate: Rate,
    routes: Routes,
    channels: Channels,
    interval_s: f64,
    ports: usize,
    tool: &'static str,
}

fn counted(scenario: &Scenario, of: &Readings) -> Result<Counted, ScenarioError> {
    let cabled = cabled_fabric(scenario)?;
    let CabledFabric { fabric, rates, links, .. } = &cabled;
    let nominal_rate = links.rate;
    let (before, _) = read(&of.before, fabric)?;
    let (after, attachment) = read(&of.after, fabric)?;
    let since = after
        .since(&before, &attachment.text.text)
        .map_err(|error| ScenarioError::from(attachment.diagnosis(&error)))?;
    let interval_s = interval(of.interval_s, [before.at_s, after.at_s])?;
    check_change(&since)?;
    let routes = match &of.tables {
        None => cabled.routes()?,
        Some(file) => {
            let (tables, _) = read_every_lid(file, fabric)?;
            Routes::of_several_tables(&fabric.network, tables)
                .map_err(|error| Refusal::new(error.to_string()))?
        }
    };
    let channels = Channels::new(&fabric.network, rates, &fabric.devices, &since, interval_s);
    check_fabric(&channels)?;
    check_use(&fabric.network, &channels, interval_s)?;
    let fabric = cabled.fabric;
    Ok(Counted { fabric, nominal_rate, routes, channels, interval_s, ports: after.len(), tool: after.tool })
}

fn read(
    file: &str,
    fabric: &CabledNetwork,
) -> Result<(PortCounters, hopscope_scenario::Attachment), ScenarioError> {
    let attachment = read_beside(file, "port counter")?;
    let text = &attachment.text.text;
    let found = counters::read(text).and_then(|counters| counters.on(fabric, text));
    match found {
        Ok(counters) => Ok((counters, attachment)),
        Err(error) => Err(attachment.diagnosis(&error).into()),
    }
}

/// A stated interval may depart from the files' own instants by this share of these: the error of rounding to two
/// digits.
const ROUNDED: f64 = 0.05;

/// The seconds between two readings: by their own instants, else as stated.
fn interval(stated: Option<f64>, at_s: [Option<f64>; 2]) -> Result<f64, Refusal> {
    let [Some(before), Some(after)] = at_s else {
        return stated.filter(|seconds| *seconds > 0.0 && seconds.is_finite()).ok_or_else(|| {
            Refusal::new("the files do not say how long the readings are apart")
                .expected("the time between them")
                .hint(Some("give it: --interval 10s"))
        });
    };
    let own = after - before;
    if own == 0.0 {
        let problem = format!("both readings are of one instant, {}", seconds(after));
        let hint = "give two files, the earlier reading first";
        return Err(Refusal::new(problem).expected("two readings some time apart").hint(Some(hint)));
    }
    if own < 0.0 {
        let (before, after) = (seconds(before), seconds(after));
        let problem = format!("the second reading, at {after}, is earlier than the first, at {before}");
        return Err(Refusal::new(problem)
            .expected("the earlier reading first")
            .hint(Some("exchange the two")));
    }
    match stated {
        Some(stated) if stated.is_nan() || (stated - own).abs() > ROUNDED * own => {
            let problem =
                format!("the readings are {} apart by the files, and not {}", seconds(own), seconds(stated));
            let hint = "leave the interval out: the files say when they were read";
            Err(Refusal::new(problem).expected("the interval of the files, if any").hint(Some(hint)))
        }
        _ => Ok(own),
    }
}

/// Seconds for people: four digits of short times, whole instants of a calendar.
fn seconds(seconds: f64) -> String {
    if !(0.0..1e6).contains(&seconds) {
        return format!("{seconds} s");
    }
    let rounded: f64 = format!("{seconds:.3e}").parse().expect("a number that was just written");
    Span::from_ps((rounded * 1e12).round() as u64).to_string()
}

/// Refuses readings between which nothing changed: they say nothing, and not that the fabric is healthy.
fn check_change(since: &Since) -> Result<(), Refusal> {
    if since.ports.values().flat_map(BTreeMap::values).any(|count| *count > 0) {
        return Ok(());
    }
    let ports = amount(since.ports.len(), "port", "ports");
    let problem = format!("no counter changed between the readings, of {ports} with counters in both");
    let expected = "two readings between which the fabric carried something";
    Err(Refusal::new(problem).expected(expected).hint(Some("are these copies of one reading?")))
}

/// Refuses counters of a fabric with other cables.
fn check_fabric(channels: &Channels) -> Result<(), Refusal> {
    if !channels.are_of_another_fabric() {
        return Ok(());
    }
    let problem = format!(
        "the counters do not match the fabric's cables: ports without a cable carry data ({}), and the two ends of many \
         links disagree",
        listed(&channels.uncabled)
    );
    Err(Refusal::new(problem).expected("the counters of this fabric").hint(Some(OTHER_FABRIC)))
}

/// Refuses counters of more than links can carry in the time.
fn check_use(network: &Network, channels: &Channels, interval_s: f64) -> Result<(), Refusal> {
    let Some(channel) = channels.impossible() else { return Ok(()) };
    let counted = channel.counted.unwrap_or_default();
    let used = counted.used;
    // Ticks of waiting are those in which nothing was sent.
    if counted.busy > used && used <= 1.0 {
        let problem = format!(
            "the link {} would be {:.0} % utilised and wait for {:.0} % of the time, which is more than there is: ticks \
             of waiting are those in which nothing was sent",
            place_of(network, channel),
            100.0 * used,
            100.0 * (counted.busy - used)
        );
        let hint = "is the interval too short, or is the file damaged (PortXmitWait)?";
        let expected = "data and waiting of the time between the readings together";
        return Err(Refusal::new(problem).expected(expected).hint(Some(hint)));
    }
    let problem = format!(
        "the link {} would be {:.0} % utilised: in {} it carried what takes {} at its rate of {}",
        place_of(network, channel),
        100.0 * used,
        seconds(interval_s),
        seconds(used * interval_s),
        Rate::from_bit_s(channel.rate as u64)
    );
    let hint =
        "is the interval too short, or does the fabric's file state too low a rate, or none (`link.rate`)?";
    Err(Refusal::new(problem).expected("at most what the link carries in the time").hint(Some(hint)))
}

/// An instant in seconds to the picosecond, without zeros at its end: what is written must not show that seconds are
/// binary fractions.
fn instant(at_s: f64) -> String {
    let digits = format!("{at_s:.12}");
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl RunResult {
    /// The counters of the fabric's ports, a name and a text for each file: as `perfquery` prints them when the
    /// measurement began and when it ended; or at the instants that the scenario asks for and that the run reached,
    /// with pause frames also as `ethtool -S` does. None where the model has no ports with counters, or there are
    /// more nodes than LIDs.
    #[must_use]
    pub fn counters(&self, scenario: &Scenario) -> Option<Vec<(String, String)>> {
        let counts = self.report.ports.as_ref()?;
        let CabledFabric { fabric, rates, .. } = scenario.prepared().cabled_fabric()?;
        let perfquery = |at_s: f64, ports: &[(Endpoint, WrittenCounters)]| {
            let text = write_counters(&fabric, at_s, ports.iter().map(|(end, counted)| (*end, counted)))?;
            Some((format!("at-{}s.perfquery", instant(at_s)), text))
        };
        let is_asked = scenario.identity().canonical.pointer("/frames/counters_at").is_some();
        if !is_asked {
            let begun: Vec<[PortTally; 2]> = links(counts, |port| port.begun);
            let ended: Vec<[PortTally; 2]> = links(counts, |port| port.ended);
            let readings = [(counts.begun_s, begun), (counts.ended_s, ended)];
            let files = readings.map(|(at_s, links)| perfquery(at_s, &written(&fabric, &rates, &links)));
            return files.into_iter().collect();
        }
        let mut files = Vec::new();
        for reading in &counts.asked {
            let ports = written(&fabric, &rates, &reading.links);
            files.push(perfquery(reading.at_s, &ports)?);
            if !reading.pauses.is_empty() {
                let pauses = written_pauses(&fabric, reading);
                let of_ports = ports.iter().map(|(end, counted)| (*end, counted, pauses[end].as_slice()));
                let text = write_ethernet_counters(&fabric, reading.at_s, of_ports);
                files.push((format!("at-{}s.ethtool", instant(reading.at_s)), text));
            }
        }
        Some(files)
    }
}

fn links(counts: &PortCounts, tally: fn(&PortCount) -> PortTally) -> Vec<[PortTally; 2]> {
    counts.links.iter().map(|ends| ends.each_ref().map(tally)).collect()
}

/// The pause frames of every port: those of its own, and what the other end sent it.
fn written_pauses(fabric: &CabledNetwork, reading: &PortReading) -> BTreeMap<Endpoint, Vec<WrittenPauses>> {
    let us = |ps: u64| ps / 1_000_000;
    let mut found = BTreeMap::new();
    for (link, ends) in fabric.network.links().iter().zip(&reading.pauses) {
        for (near, far) in [(0, 1), (1, 0)] {
            let of = |(own, other): (&PauseTally, &PauseTally)| WrittenPauses {
                sent: own.sent,
                received: other.sent,
                paused_us: us(own.paused_ps),
                pausing_us: us(other.paused_ps),
            };
            found.insert(link.ends[near], ends[near].iter().zip(&ends[far]).map(of).collect());
        }
    }
    found
}

/// The counters of every port: those of its own sending, and what the other end sent it.
fn written(
    fabric: &CabledNetwork,
    rates: &[f64],
    links: &[[PortTally; 2]],
) -> Vec<(Endpoint, WrittenCounters)> {
    let mut ports = Vec::new();
    for ((link, tallies), rate) in fabric.network.links().iter().zip(links).zip(rates) {
        for (near, far) in [(0, 1), (1, 0)] {
            let (sent, received) = (tallies[near], tallies[far]);
            let counted = WrittenCounters {
                xmit_data: sent.bits / 32,
                rcv_data: received.bits / 32,
                xmit_packets: sent.packets,
                rcv_packets: received.packets,
                xmit_wait: ticks(fabric, link, link.ends[near], sent.held_ps, *rate),
                symbol_errors: received.failures,
                link_downed: sent.downed,
                xmit_discards: sent.discards,
            };
            ports.push((link.ends[near], counted));
        }
    }
    ports.sort_by_key(|(end, _)| *end);
    ports
}

/// The waiting in ticks of a device of the kind.
fn ticks(fabric: &CabledNetwork, link: &Link, end: Endpoint, held_ps: u64, rate: f64) -> u64 {
    let device = match end.node {
        Node::Switch(id) => fabric.devices[id.index()],
        Node::Host(_) => None,
    };
    let unit = wait_unit(device, link.lanes);
    (held_ps as f64 * 1e-12 * rate / 8.0 / unit.bytes as f64) as u64
}

/// The forms of counters that can be read, as JSON: the tool, and how such a file begins.
#[must_use]
pub fn counter_forms() -> Json {
    counters::FORMS
        .iter()
        .map(|form| serde_json::json!({"name": form.name, "example": form.example}))
        .collect()
}

#[cfg(test)]
mod tests {
    use hopscope_formats::counters::Counter;
    use hopscope_topology::HostId;

    use super::*;

    #[test]
    fn readings_in_which_nothing_changed_are_refused() {
        let of = |count| {
            let port = Endpoint::host(HostId::new(0));
            check_change(&Since {
                ports: [(port, [(Counter::XmitData, count)].into())].into(),
                ..Since::default()
            })
        };
        assert!(of(1).is_ok());
        let told = of(0).expect_err("nothing changed").to_string();
        assert!(told.contains("no counter changed between the readings, of 1 port"), "{told}");
    }

    fn refused(stated: Option<f64>, at_s: [Option<f64>; 2]) -> String {
        interval(stated, at_s).expect_err("no interval").to_string()
    }

    #[test]
    fn the_instants_of_the_files_hold_and_a_rounded_interval_agrees_with_them() {
        let at = [Some(0.001), Some(0.019_134)];
        assert_eq!(interval(None, at).unwrap(), interval(Some(0.018), at).unwrap());
        assert_eq!(interval(Some(10.0), [None, Some(3.0)]).unwrap(), 10.0);
        assert!(refused(Some(10.0), at).contains("18.13 ms apart by the files, and not 10 s"));
        assert!(refused(Some(0.0001), at).contains("and not 100 us"));
    }

    #[test]
    fn instants_that_run_backwards_or_stand_still_have_words_of_their_own() {
        assert!(refused(None, [Some(2.0), Some(2.0)]).contains("both readings are of one instant, 2 s"));
        let told = refused(Some(1.0), [Some(3.0), Some(2.0)]);
        assert!(told.contains("the second reading, at 2 s, is earlier than the first, at 3 s"), "{told}");
        assert!(refused(None, [None, None]).contains("the files do not say"));
    }
}

//! Lines and IMPs that fail and come back: what a scenario says of them, and what that means for each line.

use hopscope_units::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::params::ArpanetParams;
use crate::scenario::plan::{ImpPlan, LinePlan};
use crate::scenario::validation::Problems;

/// A line over which nothing has arrived for this time is declared dead by the IMPs at its ends: five computations.
pub(crate) const DEAD_AFTER: Span = Span::from_ms(3200);

/// The latest beginning and the longest time of an outage.
const LONGEST: Span = Span::from_s(10_000_000);

/// A time in which a line or an IMP does not work.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutageParams {
    /// The names of the IMPs at the ends of the line. Parallel lines between them fail together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<[String; 2]>,
    /// The IMP: all its lines fail. What it holds is not lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imp: Option<String>,
    /// When it begins, from the start of the run. One that begins when hosts no longer send does not take place, as the
    /// notes of the run say.
    pub from: Span,
    /// How long it lasts, at most until hosts cease to send. IMPs declare a line dead that has been silent for 3.2 s
    /// and send what waits for it another way; when the outage ends they use it again at once.
    pub length: Span,
}

/// What happens to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    /// It works again.
    Returns,
    /// Nothing comes over it any more.
    Fails,
    /// The IMPs at its ends declare it dead.
    Dies,
}

/// Something that happens to both directions of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineChange {
    pub at: Time,
    /// The first of its two directions.
    pub line: u16,
    pub change: Change,
}

/// What happens to lines, line by line in the order of time.
pub(crate) fn line_changes(
    params: &ArpanetParams,
    imps: &[ImpPlan],
    lines: &[LinePlan],
    problems: &mut Problems,
) -> Vec<LineChange> {
    let end = params.duration.map_or(Time::NEVER, |duration| Time::ZERO + duration);
    let mut times: Vec<Vec<(Time, Time)>> = vec![Vec::new(); lines.len() / 2];
    for (index, outage) in params.network.outage.iter().enumerate() {
        let path = format!("network.outage[{index}]");
        problems.span(&format!("{path}.from"), outage.from, Span::ZERO, LONGEST);
        problems.span(&format!("{path}.length"), outage.length, Span::from_ms(1), LONGEST);
        let since = Time::ZERO + outage.from.min(LONGEST);
        for line in failing(&path, outage, imps, lines, problems) {
            let until = since + outage.length.min(LONGEST);
            times[line].extend((since < end).then_some((since, until.min(end))));
        }
    }
    let each = times.into_iter().enumerate();
    each.flat_map(|(line, times)| {
        united(times).into_iter().flat_map(move |(from, until)| changes(line as u16 * 2, from, until))
    })
    .collect()
}

/// A note on outages that begin when hosts no longer send, where there are any.
pub(crate) fn note_on_late(params: &ArpanetParams) -> Option<String> {
    let end = params.duration?;
    let late = params.network.outage.iter().filter(|outage| outage.from >= end).count();
    let words = match late {
        0 => return None,
        1 => "1 outage that begins then or later does".to_owned(),
        _ => format!("{late} outages that begin then or later do"),
    };
    Some(format!("Hosts stop sending at {end}; {words} not take place."))
}

/// The lines that an outage concerns, by their place in the scenario.
fn failing(
    path: &str,
    outage: &OutageParams,
    imps: &[ImpPlan],
    lines: &[LinePlan],
    problems: &mut Problems,
) -> Vec<usize> {
    let mut number = |path: String, name: &str| {
        let found = imps.iter().position(|imp| imp.name == name);
        if found.is_none() {
            let known = imps.iter().map(|imp| imp.name.as_str());
            let problem = format!("there is no IMP \"{name}\"");
            problems.unknown(path, problem, "the name of an IMP", name, known);
        }
        found.map(|imp| imp as u8)
    };
    let both = lines.iter().step_by(2).enumerate();
    match (&outage.line, &outage.imp) {
        (Some([a, b]), None) => {
            let ends = [number(format!("{path}.line[0]"), a), number(format!("{path}.line[1]"), b)];
            let [Some(first), Some(second)] = ends else { return Vec::new() };
            let between = |line: &LinePlan| {
                (line.from, line.to) == (first, second) || (line.to, line.from) == (first, second)
            };
            let found: Vec<usize> = both.filter(|(_, line)| between(line)).map(|(nth, _)| nth).collect();
            if found.is_empty() {
                let problem = format!("there is no line between {a} and {b}");
                problems.add(format!("{path}.line"), problem, "the two ends of a line");
            }
            found
        }
        (None, Some(name)) => {
            let Some(imp) = number(format!("{path}.imp"), name) else { return Vec::new() };
            both.filter(|(_, line)| line.from == imp || line.to == imp).map(|(nth, _)| nth).collect()
        }
        _ => {
            let problem = "an outage of one line or one IMP";
            problems.add(path, problem, "line = [\"UCLA\", \"RAND\"] or imp = \"UCLA\"");
            Vec::new()
        }
    }
}

/// Times without those that touch or lie within others.
fn united(mut times: Vec<(Time, Time)>) -> Vec<(Time, Time)> {
    times.sort_unstable();
    let mut apart: Vec<(Time, Time)> = Vec::new();
    for (from, until) in times {
        match apart.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(until),
            _ => apart.push((from, until)),
        }
    }
    apart
}

fn changes(line: u16, from: Time, until: Time) -> impl Iterator<Item = LineChange> {
    let dies = from + DEAD_AFTER;
    let of = [(from, Change::Fails), (dies, Change::Dies), (until, Change::Returns)];
    of.into_iter()
        .filter(move |&(_, change)| change != Change::Dies || dies < until)
        .map(move |(at, change)| LineChange { at, line, change })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    #[test]
    fn outages_that_touch_are_one() {
        let times = vec![(at(90), at(95)), (at(10), at(20)), (at(20), at(30)), (at(12), at(15))];
        assert_eq!(united(times), [(at(10), at(30)), (at(90), at(95))]);
    }

    #[test]
    fn a_line_that_is_silent_for_less_than_3_2_s_does_not_die() {
        let told = |until| changes(4, at(100), at(until)).map(|c| c.change).collect::<Vec<_>>();
        assert_eq!(told(3300), [Change::Fails, Change::Returns]);
        assert_eq!(told(3301), [Change::Fails, Change::Dies, Change::Returns]);
    }
}

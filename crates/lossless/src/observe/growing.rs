//! Hosts for which more is offered than arrives.

use hopscope_measure::{Doubt, Growing, Journal, Outcome, Report};
use hopscope_units::Time;

use crate::machine::Lossless;

/// A note names at most this many hosts.
const MOST_NAMED: usize = 3;

/// Bits a second in a gigabit a second.
const GIGABIT: f64 = 1e9;

impl<J: Journal> Lossless<J> {
    /// Notes for which hosts the queues grow without bound. Where the whole backlog does, the outcome says so.
    pub(crate) fn note_on_growing(&self, now: Time, report: &mut Report) {
        if report.outcome == Outcome::Saturated {
            return;
        }
        let growing = self.destinations.growing(now, |at| self.monitor.is_crossed(at));
        let Some(note) = note_on(&growing, |host| &self.plan.network.hosts()[host as usize].name) else {
            return;
        };
        report.notes.insert(report.interval_notes, note);
        report.interval_notes += 1;
        report.doubts.push(Doubt::GrowingQueue);
    }
}

fn note_on<'a>(growing: &[Growing], name: impl Fn(u32) -> &'a str) -> Option<String> {
    let rates = |host: &Growing| {
        let [offered, over] = [host.offered, host.over].map(|rate| digits(rate / GIGABIT));
        format!("{offered} Gbit/s offered, {over} Gbit/s delivered")
    };
    let [first, rest @ ..] = growing else { return None };
    if rest.is_empty() {
        return Some(format!(
            "More is offered to {} than arrives there: {}. The queue for it grows for as long as the run lasts, and \
             the mean latency with it.",
            name(first.host),
            rates(first)
        ));
    }
    let named = growing.iter().take(MOST_NAMED).map(|host| format!("{} ({})", name(host.host), rates(host)));
    let more = match growing.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "More is offered to {} hosts than arrives there: {}{more}. The queues for them grow for as long as the run \
         lasts, and the mean latency with them.",
        growing.len(),
        named.collect::<Vec<_>>().join(", ")
    ))
}

/// A positive number with three digits.
fn digits(number: f64) -> String {
    let before_the_point = if number > 0.0 { number.log10().floor() as i32 + 1 } else { 1 };
    format!("{number:.*}", (3 - before_the_point).clamp(0, 6) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(hosts: u32) -> Option<String> {
        let names: Vec<String> = (0..hosts).map(|host| format!("h{host}")).collect();
        let growing: Vec<Growing> =
            (0..hosts).map(|host| Growing { host, offered: 25e9, over: 8.012e9 }).collect();
        note_on(&growing, |host| &names[host as usize])
    }

    #[test]
    fn hosts_are_named_with_what_is_offered_and_delivered() {
        assert_eq!(note(0), None);
        assert_eq!(
            note(1).as_deref(),
            Some(
                "More is offered to h0 than arrives there: 25.0 Gbit/s offered, 8.01 Gbit/s delivered. The queue for \
                 it grows for as long as the run lasts, and the mean latency with it."
            )
        );
        let each = "(25.0 Gbit/s offered, 8.01 Gbit/s delivered)";
        assert_eq!(
            note(5),
            Some(format!(
                "More is offered to 5 hosts than arrives there: h0 {each}, h1 {each}, h2 {each} and 2 more. The queues \
                 for them grow for as long as the run lasts, and the mean latency with them."
            ))
        );
        assert_eq!(
            (digits(0.0), digits(0.0123), digits(1234.5)),
            ("0.00".into(), "0.0123".into(), "1234".into())
        );
    }
}

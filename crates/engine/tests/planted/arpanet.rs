//! Subnets of IMPs.

use hopscope_explain::Pattern;

use crate::{Case, Cause};

/// Four IMPs in a row with a host at each end.
struct Row<'a> {
    /// A line that is slower than the rest, and its rate.
    slow: Option<(usize, &'a str)>,
    /// Further lines of the section `network`.
    network: &'a str,
    /// Further lines of the section `protocol`.
    protocol: &'a str,
    /// Sections besides.
    besides: &'a str,
    /// The receiving host.
    receiver: &'a str,
    size: &'a str,
    when: &'a str,
}

impl Default for Row<'_> {
    fn default() -> Self {
        let when = "when = { poisson = \"200 ms\" }";
        Self { slow: None, network: "", protocol: "", besides: "", receiver: "", size: "1000 bit", when }
    }
}

impl Row<'_> {
    fn text(&self) -> String {
        let lines = (0..3).map(|at| {
            let rate = self.slow.filter(|&(slow, _)| slow == at).map_or("50 kbit/s", |(_, rate)| rate);
            format!("[[network.line]]\nbetween = [\"I{at}\", \"I{}\"]\nrate = \"{rate}\"\n", at + 1)
        });
        format!(
            "model = \"arpanet\"\n[network]\n{}\n{}[protocol]\n{}\n{}\n[[host]]\nname = \"from\"\nimp = \"I0\"\n\
             [[host]]\nname = \"to\"\nimp = \"I3\"\n{}\n[[flow]]\nfrom = \"from\"\nto = \"to\"\nsize = \"{}\"\n{}\n\
             [measure]\nmessages = 3_000\nwarmup = \"20 s\"\n",
            self.network,
            lines.collect::<Vec<_>>().join(""),
            self.protocol,
            self.besides,
            self.receiver,
            self.size,
            self.when
        )
    }
}

/// A star of IMPs with a host each, all of which send a message over the same line at the same time.
fn bursts(senders: u32) -> String {
    let sections = (0..senders).map(|at| {
        format!(
            "[[network.line]]\nbetween = [\"S{at}\", \"A\"]\n[[flow]]\nfrom = \"S{at}\"\nto = \"B\"\nsize = \"1000 bit\"\n\
             when = {{ every = \"4 s\" }}\n"
        )
    });
    format!(
        "model = \"arpanet\"\n[[network.line]]\nbetween = [\"A\", \"B\"]\n{}[measure]\nmessages = 1_000\nwarmup = \"20 s\"\n",
        sections.collect::<Vec<_>>().join("")
    )
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let saturated = "when = \"saturated\"";
    for slow in 0..3 {
        let words = format!("the line I{slow} -> I{}", slow + 1);
        for (rate, when) in [
            ("7.2 kbit/s", "when = { poisson = \"190 ms\" }"),
            ("4.8 kbit/s", saturated),
            ("9.6 kbit/s", saturated),
        ] {
            let row = Row { slow: Some((slow, rate)), when, ..Row::default() };
            cases.push(Case::new(
                format!("line {slow} of {rate}, {when}"),
                row.text(),
                Cause::Resource(words.clone()),
            ));
        }
    }
    for (size, field, words) in [
        ("8000 bit", "pending_leaders = 1", "the pending leader table at I0"),
        ("1000 bit", "pending_packets = 1", "the pending packet table at I0"),
        ("1000 bit", "message_numbers = 1", "the message numbers I0 -> I3"),
        ("8000 bit", "message_numbers = 1", "the message numbers I0 -> I3"),
        ("1000 bit", "message_numbers = 2", "the message numbers I0 -> I3"),
    ] {
        let row = Row { protocol: field, size, when: saturated, ..Row::default() };
        cases.push(Case::new(format!("{field} for {size}"), row.text(), Cause::Resource(words.into())));
    }
    for (receiver, when) in [
        ("rate = \"5 kbit/s\"", saturated),
        ("per_message = \"400 ms\"", saturated),
        ("per_message = \"150 ms\"", "when = { poisson = \"190 ms\" }"),
    ] {
        let row = Row { receiver, when, ..Row::default() };
        let words = Cause::Resource("the destination host of to".into());
        cases.push(Case::new(format!("receiver with {receiver}"), row.text(), words));
    }
    for senders in [16, 24] {
        cases.push(Case::new(
            format!("{senders} hosts send at once, every four seconds"),
            bursts(senders),
            Cause::Symptom(Pattern::SynchronisedBursts),
        ));
    }
    for errors in ["0.2", "0.3"] {
        let network = format!("errors = {errors}");
        let row = Row { network: &network, when: "when = { poisson = \"1 s\" }", ..Row::default() };
        cases.push(Case::new(format!("errors of {errors}"), row.text(), Cause::Loss));
    }
    for imp in [1, 2] {
        let network = format!("[[network.imp]]\nname = \"I{imp}\"\nprocessor = \"316\"");
        // All its other work as a 516 does it.
        let besides = "[processor.h316]\nper_packet = \"75 ms\"\nper_word = \"1 us\"\noutput = \"185 us\"\n\
                       tick = \"500 us\"\nrouting = \"12 ms\"\nbackground = \"700 us\"";
        let row = Row { besides, network: &network, ..Row::default() };
        let words = format!("the processor of I{imp}");
        cases.push(Case::new(format!("IMP {imp} is slow"), row.text(), Cause::Resource(words)));
    }
    for when in
        ["when = { poisson = \"2 s\" }", "when = { poisson = \"500 ms\" }", "when = { every = \"300 ms\" }"]
    {
        cases.push(Case::new(
            format!("healthy, {when}"),
            Row { when, ..Row::default() }.text(),
            Cause::Nothing,
        ));
    }
    cases
}

//! The diagnoses of the papers: their networks, explained without the papers' words.

use hopscope_explain::Pattern;

use crate::{Case, Cause};

/// A ready scenario, shortened or at another load.
fn ready(name: &str, overrides: &[&str], cause: Cause) -> Case {
    Case {
        overrides: overrides.iter().map(|&each| each.to_owned()).collect(),
        ..Case::new(name, name.to_owned(), cause)
    }
}

pub(crate) fn cases() -> Vec<Case> {
    let resource = |words: &str| Cause::Resource(words.into());
    let mut cases = vec![
        // Kleinrock and Opderbeck 1977, section VII: table entries held by replies that wait for buffers, and buffers
        // by messages that wait for entries.
        ready("arpanet-1975-02", &["duration=60 s"], Cause::Symptom(Pattern::Phasing)),
        ready("arpanet-moff-sri", &["duration=60 s"], Cause::Symptom(Pattern::RetransmissionTrap)),
        ready("arpanet-moff-sri", &["duration=60 s", "seed=2"], Cause::Loss),
        ready(
            "an1-floors",
            &["traffic.load=0.36", "measure.messages=30000"],
            Cause::Symptom(Pattern::RootConcentration),
        ),
        ready("an1-deadlock", &[], Cause::Symptom(Pattern::Deadlock)),
        ready("arpanet-looping", &[], Cause::Symptom(Pattern::LoopTrap)),
        // Before the new message handling, and after its mending, there was no phasing.
        ready("arpanet-1974-10", &["duration=60 s"], Cause::Not(Pattern::Phasing)),
        ready("arpanet-1975-05", &["duration=60 s"], Cause::Not(Pattern::Phasing)),
    ];
    // Whatever the root, up*/down* sends what goes between floors through it.
    for root in ["f1c0", "f2c1", "f3c0"] {
        let root = format!("routing.root={root:?}");
        let overrides = [&root, "traffic.load=0.36", "measure.messages=30000"];
        cases.push(ready("an1-floors", &overrides, Cause::Symptom(Pattern::RootConcentration)));
    }
    for (name, load) in [
        ("an1-mstage", 0.8),
        ("an1-torus", 0.8),
        ("an1-hypercube", 0.8),
        ("an1-corefringe", 0.8),
        ("an1-floors-plus", 0.8),
        ("an1-floors", 0.8),
    ] {
        let load = format!("traffic.load={load}");
        cases.push(ready(
            name,
            &[&load, "measure.messages=30000"],
            Cause::Symptom(Pattern::HeadOfLineBlocking),
        ));
    }
    for seed in ["seed=1", "seed=2"] {
        cases.push(ready("arpanet-1975-02", &["duration=90 s", seed], Cause::Symptom(Pattern::Phasing)));
    }
    // IEN 138: on the Ethernet the hosts' processing, before the test program was improved also the receiver's
    // turnaround; over packet radios the time until the radio takes the next packet.
    let short = &["measure.messages=3000"][..];
    for era in ["epr", "ipr"] {
        for to in ["radio", "radio-gateways"] {
            let name = format!("pup-{era}-{to}");
            let place = if to == "radio" { "parc-alto" } else { "parc-gateway" };
            cases.push(ready(&name, short, resource(&format!("the radio interval of {place} on prnet"))));
        }
        cases.push(ready(&format!("pup-{era}-phone"), short, resource("the line of parc-gateway on phone")));
    }
    cases.push(ready("pup-epr-ethernet", short, Cause::SlowService));
    cases.push(ready("pup-epr-same-machine", short, resource("the host processor of parc-alto")));
    cases.push(ready("pup-ipr-ethernet", short, Cause::Symptom(Pattern::SlowHost)));
    cases.push(ready("pup-ipr-same-machine", short, Cause::Symptom(Pattern::SlowHost)));
    cases
}

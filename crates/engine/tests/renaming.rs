//! Names decide nothing: a scenario whose hosts, switches, lines, networks and classes are called otherwise has the
//! same result, verdict, symptoms and ranks. Only names differ.

use std::collections::BTreeSet;

use hopscope_engine::{RunResult, Scenario, run};
use hopscope_explain::{Cause, Explanation, Pattern};
use hopscope_measure::{HoldActivity, ResourceKind};
use proptest::prelude::*;
use serde_json::Value as Json;

/// A small scenario with `<0>`, `<1>` ... where names stand, and how many there are.
struct Template {
    text: &'static str,
    names: usize,
}

const ARPANET: Template = Template {
    names: 7,
    text: "model = \"arpanet\"\n[[network.line]]\nbetween = [<0>, <1>]\nrate = \"50 kbit/s\"\n[[network.line]]\nbetween = [<1>, <2>]\n\
           rate = \"9.6 kbit/s\"\n[[host]]\nname = <3>\nimp = <0>\n[[host]]\nname = <4>\nimp = <2>\n[[host]]\nname = <5>\nimp = <1>\n\
           [[flow]]\nfrom = <3>\nto = <4>\nclass = <6>\nsize = \"8000 bit\"\nwhen = \"saturated\"\n[[flow]]\nfrom = <5>\nto = <4>\n\
           size = \"1000 bit\"\nwhen = { poisson = \"300 ms\" }\n[measure]\nmessages = 300\nwarmup = \"10 s\"\n",
};

const SLOW_RECEIVER: Template = Template {
    names: 4,
    text: "model = \"arpanet\"\n[protocol]\nversion = \"3\"\n[[network.line]]\nbetween = [<0>, <1>]\nrate = \"50 kbit/s\"\n[[host]]\n\
           name = <2>\nimp = <0>\n[[host]]\nname = <3>\nimp = <1>\nper_message = \"400 ms\"\n[[flow]]\nfrom = <2>\nto = <3>\n\
           size = \"1000 bit\"\nwhen = \"saturated\"\n[measure]\nmessages = 200\nwarmup = \"10 s\"\n",
};

const AN1: Template = Template {
    names: 7,
    text: "model = \"fabric\"\n[network.custom]\nswitches = [<0>, <1>, <2>]\nlinks = [{ between = [<0>, <1>] }, { between = [<0>, <2>] }]\n\
           hosts = [{ name = <3>, at = <0> }, { name = <4>, at = <0> }, { name = <5>, at = <1> }, { name = <6>, at = <2> }]\n\
           [traffic]\nload = 0.5\npattern = { flows = [{ from = <5>, to = <3> }, { from = <6>, to = <3> }, { from = <5>, to = <4> }] }\n\
           [measure]\nmessages = 2_000\n",
};

/// Two switches, three senders at the one, of which two send to the first host at the other.
macro_rules! lossless {
    ($frames:literal) => {
        concat!(
            "model = \"fabric\"\n[network.custom]\nswitches = [<0>, <1>]\n",
            "links = [{ between = [<0>, <1>], rate = \"400 Gbit/s\" }]\n",
            "hosts = [{ name = <2>, at = <0> }, { name = <3>, at = <0> }, { name = <4>, at = <1> }, { name = <5>, at = <1> }]\n",
            "[routing]\nrule = \"shortest\"\n[link]\nrate = \"100 Gbit/s\"\ndelay = \"100 ns\"\n[frames]\n",
            $frames,
            "[traffic]\nsizes = { fixed = \"16 KiB\" }\nload = 0.8\n",
            "pattern = { flows = [{ from = <2>, to = <4> }, { from = <3>, to = <4> }, { from = <3>, to = <5> }] }\n",
            "[measure]\nmessages = 1_000\n"
        )
    };
}

const PAUSES: Template = Template { names: 6, text: lossless!("") };

const CREDITS: Template = Template {
    names: 6,
    text: lossless!("flow_control = { credits = { lanes = 1, buffer_per_lane = \"32 KiB\" } }\n"),
};

const FLOWS: Template = Template {
    names: 6,
    text: "model = \"fabric\"\n[network.custom]\nswitches = [<0>, <1>]\nlinks = [{ between = [<0>, <1>], rate = \"400 Gbit/s\" }]\n\
           hosts = [{ name = <2>, at = <0> }, { name = <3>, at = <0> }, { name = <4>, at = <1> }, { name = <5>, at = <1> }]\n\
           [routing]\nrule = \"shortest\"\n[link]\nrate = \"100 Gbit/s\"\ndelay = \"100 ns\"\n[frames]\n[[flows]]\n\
           hosts = { named = [<2>, <3>, <4>] }\nrounds = 20\nevery = \"30 us\"\n\
           pattern = { incast = { senders = 2, size = \"32 KiB\", receiver = <4> } }\n[measure]\nmessages = 1_000\n",
};

const PUP: Template = Template {
    names: 7,
    text: "model = \"pup\"\n[[network]]\nname = <0>\nnumber = 1\nmedium = { ethernet = {} }\n[[network]]\nname = <1>\nnumber = 3\n\
           medium = { ethernet = {} }\n[[network]]\nname = <2>\nnumber = 2\nmedium = { line = { rate = \"9.6 kbit/s\" } }\n\
           [[gateway]]\nname = <3>\non = [{ network = <0>, address = 9 }, { network = <2>, address = 1 }]\n\
           [[gateway]]\nname = <4>\non = [{ network = <1>, address = 9 }, { network = <2>, address = 2 }]\n\
           [[host]]\nname = <5>\nnetwork = <0>\naddress = 1\n[[host]]\nname = <6>\nnetwork = <1>\naddress = 2\n\
           [[test]]\nfrom = <5>\nto = <6>\ndata = \"200 B\"\n[measure]\nmessages = 500\nwarmup = \"10 s\"\n",
};

const SNA: Template = Template {
    names: 5,
    text: "model = \"sna\"\n[[node]]\nname = <0>\nservice = { exponential = \"20 ms\" }\n[[node]]\nname = <1>\nbuffers = 9\n\
           [[group]]\nname = <2>\nbetween = [<0>, <1>]\nline = [{ rate = \"19.2 kbit/s\" }]\n\
           [[route]]\nname = <3>\nfrom = <0>\ngroups = [<2>]\n[[virtual_route]]\nnumber = 3\nroute = <3>\n\
           [[unit]]\nname = <4>\nnode = <1>\nservice = { fixed = \"200 ms\" }\n[[session]]\nunit = <4>\npacing = 3\n\
           [measure]\nmessages = 1_000\n",
};

/// Names that look like something else: a kind, a place, a port, a number, a word of a sentence.
const AWKWARD: [&str; 16] = [
    "output",
    "host",
    "node0",
    "a -> b",
    "x:1",
    "42",
    "line",
    "stopped",
    "b to c",
    "IMP on net",
    "pending leader table",
    "FIFO wait",
    "größe",
    "終点",
    "host processor",
    "input FIFO",
];

impl Template {
    fn run(&self, names: &[String]) -> RunResult {
        let mut text = self.text.to_owned();
        for (at, name) in names.iter().enumerate() {
            text = text.replace(&format!("<{at}>"), &Json::from(name.as_str()).to_string());
        }
        let scenario =
            Scenario::from_text("renamed", &text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        run(&scenario, &|_, _| true).expect("the run does not break")
    }

    /// Runs with plain names and with these, and compares everything but names.
    fn check(&self, random: &[String]) -> Result<(), TestCaseError> {
        let plain: Vec<String> = (0..self.names).map(|at| format!("n{at}")).collect();
        let before = Seen::of(&self.run(&plain));
        prop_assert_eq!(&Seen::of(&self.run(&random[..self.names])), &before, "names {:?}", random);
        Ok(())
    }
}

/// What a run found out, without its names.
#[derive(Debug, PartialEq)]
struct Seen {
    hash: String,
    cause: Cause,
    symptoms: Vec<Pattern>,
    chain: Vec<(ResourceKind, Option<HoldActivity>)>,
    roots: Vec<&'static str>,
    holders: Vec<(ResourceKind, Vec<HoldActivity>)>,
    numbers: Json,
}

impl Seen {
    fn of(result: &RunResult) -> Self {
        let found: Explanation = result.explanation();
        let holders =
            |part: &hopscope_explain::Holding| part.holders.iter().map(|holder| holder.activity).collect();
        let mut numbers = serde_json::to_value(&found).expect("an explanation is plain data");
        without_texts(&mut numbers);
        Self {
            hash: result.result_hash().to_owned(),
            cause: found.verdict.first.cause,
            symptoms: found.symptoms.iter().map(|symptom| symptom.name).collect(),
            chain: found.chain.iter().map(|link| (link.kind, link.held_by)).collect(),
            roots: found.roots.iter().map(|root| root.id).collect(),
            holders: found.holders.iter().map(|part| (part.kind, holders(part))).collect(),
            numbers,
        }
    }
}

/// Leaves the numbers of a piece of JSON in their order.
fn without_texts(json: &mut Json) {
    match json {
        Json::String(text) => text.clear(),
        Json::Array(items) => items.iter_mut().for_each(without_texts),
        Json::Object(fields) => fields.values_mut().for_each(without_texts),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

/// As many different names as any template needs.
fn names() -> impl Strategy<Value = Vec<String>> {
    let random = "[a-z0-9A-Z:>. -]{0,8}[a-zäé漢0-9]";
    let name = prop_oneof![2 => prop::sample::select(&AWKWARD[..]).prop_map(str::to_owned), 1 => random];
    prop::collection::vec(name, 7).prop_filter("names differ", |names| {
        let trimmed: BTreeSet<&str> = names.iter().map(|name| name.trim()).collect();
        trimmed.len() == names.len() && names.iter().all(|name| name.trim() == name)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_subnet_is_explained_alike_whatever_its_names(names in names()) {
        ARPANET.check(&names)?;
        SLOW_RECEIVER.check(&names)?;
    }

    #[test]
    fn a_fabric_of_cut_through_switches_is_explained_alike_whatever_its_names(names in names()) {
        AN1.check(&names)?;
    }

    #[test]
    fn a_lossless_fabric_is_explained_alike_whatever_its_names(names in names()) {
        PAUSES.check(&names)?;
        CREDITS.check(&names)?;
        FLOWS.check(&names)?;
    }

    #[test]
    fn an_internet_is_explained_alike_whatever_its_names(names in names()) {
        PUP.check(&names)?;
    }

    #[test]
    fn a_subarea_network_is_explained_alike_whatever_its_names(names in names()) {
        SNA.check(&names)?;
    }
}

/// The case that text decided: a host that was called like nothing else was no host.
#[test]
fn a_slow_receiver_is_a_slow_host_whatever_it_is_called() {
    for receiver in ["host", "node0", "output"] {
        let names = ["i0", "i1", "from", receiver].map(str::to_owned);
        let found = SLOW_RECEIVER.run(&names).explanation();
        assert!(found.symptoms.iter().any(|symptom| symptom.name == Pattern::SlowHost), "{receiver}");
        assert_eq!(found.verdict.first.resource, Some(format!("the destination host of {receiver}")));
    }
}

//! Fabrics of frames: pause frames, credits, DCQCN.

use hopscope_explain::Pattern;

use crate::{Case, Cause};

const PFC: &str = "";

const CREDITS: &str = "flow_control = { credits = { lanes = 1, buffer_per_lane = \"32 KiB\" } }\n";

/// A fabric of frames on 100 Gbit/s; `frames` are more lines of its table, `offered` the sections of what it carries.
fn carrying(network: &str, frames: &str, offered: &str) -> String {
    format!(
        "model = \"fabric\"\n[network.custom]\n{network}\n[routing]\nrule = \"shortest\"\n[link]\nrate = \"100 Gbit/s\"\n\
         delay = \"100 ns\"\n[frames]\n{frames}{offered}\n[measure]\nmessages = 4_000\n"
    )
}

/// The same with traffic in messages of 16 KiB.
fn scenario(network: &str, frames: &str, traffic: &str) -> String {
    carrying(network, frames, &format!("[traffic]\nsizes = {{ fixed = \"16 KiB\" }}\n{traffic}"))
}

fn flows(pairs: impl IntoIterator<Item = (String, String)>) -> String {
    let flows = pairs.into_iter().map(|(from, to)| format!("{{ from = \"{from}\", to = \"{to}\" }}"));
    format!("pattern = {{ flows = [{}] }}", flows.collect::<Vec<_>>().join(", "))
}

fn hosts(named: &str, count: usize, at: &str) -> String {
    let hosts = (0..count).map(|host| format!("{{ name = \"{named}{host}\", at = \"{at}\" }}, "));
    hosts.collect()
}

/// Two switches: senders at the one, of which each sends to `hot` at the other; the first sends to `cold` there as
/// well.
fn incast(senders: usize, load: f64, frames: &str, rate: &str) -> String {
    let network = format!(
        "switches = [\"near\", \"far\"]\nlinks = [{{ between = [\"near\", \"far\"], rate = \"400 Gbit/s\" }}]\n\
         hosts = [{}{{ name = \"hot\", at = \"far\", rate = \"{rate}\" }}, {{ name = \"cold\", at = \"far\" }}]",
        hosts("s", senders, "near")
    );
    let all = (0..senders).map(|sender| (format!("s{sender}"), "hot".to_owned()));
    let pairs = all.chain([("s0".to_owned(), "cold".to_owned())]);
    scenario(&network, frames, &format!("load = {load}\n{}", flows(pairs)))
}

/// Four switches in a row, with three hosts at each end; the link in the middle is slow, or all are long.
fn row(frames: &str, slow: &str, delay: &str, load: f64) -> String {
    let links = (0..3).map(|at| {
        let rate = if at == 1 { format!(", rate = \"{slow}\"") } else { String::new() };
        format!("{{ between = [\"{at}\", \"{}\"], delay = \"{delay}\"{rate} }}", at + 1)
    });
    let network = format!(
        "switches = [\"0\", \"1\", \"2\", \"3\"]\nlinks = [{}]\nhosts = [{}{}]",
        links.collect::<Vec<_>>().join(", "),
        hosts("a", 3, "0"),
        hosts("b", 3, "3")
    );
    let pairs = (0..3).map(|at| (format!("a{at}"), format!("b{at}")));
    scenario(&network, frames, &format!("load = {load}\n{}", flows(pairs)))
}

/// Two leaves with four hosts each and two spines; every host of the one sends to its number at the other.
fn leaves(frames: &str, load: f64) -> String {
    let links = ["l", "r"].iter().flat_map(|leaf| {
        ["x", "y"].map(|spine| format!("{{ between = [\"{leaf}\", \"{spine}\"], rate = \"200 Gbit/s\" }}"))
    });
    let network = format!(
        "switches = [\"l\", \"r\", \"x\", \"y\"]\nlinks = [{}]\nhosts = [{}{}]",
        links.collect::<Vec<_>>().join(", "),
        hosts("a", 4, "l"),
        hosts("b", 4, "r")
    );
    let pairs = (0..4).map(|at| (format!("a{at}"), format!("b{at}")));
    scenario(&network, frames, &format!("load = {load}\n{}", flows(pairs)))
}

/// A torus whose shortest routes go round in circles, crowded.
fn circle(frames: &str) -> String {
    format!(
        "model = \"fabric\"\n[network.torus]\nwidth = 5\nheight = 3\nhosts_per_switch = 2\n[routing]\nrule = \"shortest\"\n\
         [frames]\n{frames}[traffic]\nload = \"saturated\"\nsizes = {{ fixed = \"8000 B\" }}\n[measure]\nmessages = 20_000\n"
    )
}

/// One switch of input FIFOs with one lane: twelve hosts send single frames to one another.
fn crossbar(load: f64) -> String {
    let network = format!("switches = [\"s\"]\nhosts = [{}]", hosts("h", 12, "s"));
    scenario(&network, CREDITS, &format!("load = {load}")).replace("16 KiB", "4 KiB")
}

/// Four hosts at `near` answer `hot` at `far` at once (incast), and talk with those at `cold` by the same link and
/// lane.
fn incast_with_victims(size: &str) -> String {
    let network = format!(
        "switches = [\"near\", \"far\"]\nlinks = [{{ between = [\"near\", \"far\"], rate = \"400 Gbit/s\" }}]\n\
         hosts = [{}{}{{ name = \"hot\", at = \"far\" }}]",
        hosts("s", 4, "near"),
        hosts("cold", 4, "far")
    );
    let senders = "\"s0\", \"s1\", \"s2\", \"s3\"";
    let offered = format!(
        "[[flows]]\nhosts = {{ named = [{senders}, \"hot\"] }}\nrounds = 0\nevery = \"30 us\"\n\
         pattern = {{ incast = {{ senders = 4, size = \"{size}\", receiver = \"hot\" }} }}\n\
         [[flows]]\nhosts = {{ named = [{senders}, \"cold0\", \"cold1\", \"cold2\", \"cold3\"] }}\n\
         pattern = {{ poisson = {{ load = 0.1, sizes = {{ fixed = \"16 KiB\" }} }} }}"
    );
    carrying(&network, CREDITS, &offered)
}

pub(crate) fn cases() -> Vec<Case> {
    let link = |name: &str| Cause::Resource(format!("the link {name}"));
    let mut cases = Vec::new();
    for (control, frames) in [("pause frames", PFC), ("credits", CREDITS)] {
        let mut case = |name: &str, scenario: String, cause: Cause| {
            cases.push(Case::new(format!("{name}, {control}"), scenario, cause));
        };
        for (senders, load) in [(4, 0.23), (4, 0.4), (8, 0.2)] {
            let name = format!("incast of {senders} at {load}");
            case(&name, incast(senders, load, frames, "100 Gbit/s"), link("far:1 -> hot"));
        }
        case("a slow receiver", incast(3, 0.12, frames, "25 Gbit/s"), link("far:1 -> hot"));
        case(
            "an incast's tree",
            incast(8, 0.3, frames, "100 Gbit/s"),
            Cause::Symptom(Pattern::CongestionTree),
        );
        case("a slow link in the core", row(frames, "25 Gbit/s", "100 ns", 0.12), link("1:1 -> 2:0"));
        case("a deadlock", circle(frames), Cause::Symptom(Pattern::Deadlock));
        case("a healthy row", row(frames, "400 Gbit/s", "100 ns", 0.2), Cause::Nothing);
        case("healthy leaves", leaves(frames, 0.2), Cause::Nothing);
        case("a light incast", incast(4, 0.05, frames, "100 Gbit/s"), Cause::Nothing);
    }
    // With pause frames alone: under credits the lanes' heads block one another on the way to the hosts, sprayed or
    // not.
    cases.push(Case::new("flows that collide", leaves(PFC, 0.55), link("l:0 -> x:0")));
    let spray = "balancing = \"round-robin-spray\"\n";
    cases.push(Case::new("the same, sprayed", leaves(spray, 0.55), Cause::Nothing));
    for delay in ["5 us", "10 us"] {
        let name = format!("lanes of 32 KiB on cables of {delay}");
        cases.push(Case::new(name, row(CREDITS, "100 Gbit/s", delay, 0.3), Cause::Window));
    }
    cases.push(Case::new("heads that contend for outputs", crossbar(0.55), Cause::Blocking));
    cases.push(Case::new("the same at light load", crossbar(0.15), Cause::Nothing));
    cases.push(Case::new(
        "incast with victims",
        incast_with_victims("32 KiB"),
        Cause::BlockingAt("the FIFO at far:0"),
    ));
    cases.push(Case::new("short answers", incast_with_victims("1 KiB"), Cause::Nothing));
    let slow = format!(
        "ecn = {{ kmin = \"5 KB\", kmax = \"20 KB\" }}\ndcqcn = {{ rate_timer = \"20 ms\", byte_counter = \"1 GB\" }}\n{PFC}"
    );
    cases.push(Case::new(
        "rates that do not recover",
        incast(4, 0.2, &slow, "100 Gbit/s").replace("16 KiB", "1000 KB"),
        Cause::RateControl("the rate limiter of s0"),
    ));
    let quick = format!("ecn = {{}}\ndcqcn = {{}}\n{PFC}");
    cases.push(Case::new("an incast with DCQCN", incast(4, 0.4, &quick, "100 Gbit/s"), link("far:1 -> hot")));
    cases
}

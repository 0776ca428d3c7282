//! What once failed, and what the storm draws too seldom for a short test.

use hopscope_engine::{RunResult, Scenario, run_within};

/// Two hosts at one switch; a load, bursts or flows come behind it.
const FABRIC: &str = "model = \"fabric\"\n[network.custom]\nswitches = [\"s\"]\n\
                      hosts = [{ name = \"a\", at = \"s\" }, { name = \"b\", at = \"s\" }]\n[measure]\nmessages = 100\n";

fn run(text: &str) -> RunResult {
    let scenario = Scenario::from_text("mended", text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    run_within(&scenario, 100_000, &|_, _| true).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The refusal, and the line at which it stands.
fn refusal(text: &str) -> (String, usize) {
    let error = Scenario::from_text("mended", text, &[]).map(drop).expect_err("it is refused");
    let place = error.diagnoses[0].place.as_ref().expect("it has a place");
    (error.to_string(), place.line_and_column().0)
}

#[test]
fn a_load_whose_first_message_comes_beyond_simulated_time_sends_nothing() {
    for load in ["1e-10", "1e-300"] {
        for arrivals in ["poisson", "slotted"] {
            let text = format!("{FABRIC}[traffic]\narrivals = \"{arrivals}\"\nload = {load}\n");
            run(&text);
            run(&format!("{text}[frames]\n"));
        }
    }
    let result = run(&format!("{FABRIC}[traffic]\nload = 1e-300\n"));
    assert_eq!(result.report().measured.messages, 0);
}

#[test]
fn bursts_of_a_period_beyond_simulated_time_come_once() {
    let bursts = "bursts = { every = \"213 d\", within = \"1 ms\", size = \"3000 B\", packet_share = 1 }";
    run(&format!("{FABRIC}[traffic]\nload = 0.5\n{bursts}\n"));
}

#[test]
fn a_class_named_all_is_refused_at_its_place() {
    let flows = "pattern.flows = [\n{ from = \"a\", to = \"b\", class = \"all\" },\n{ from = \"b\", to = \"a\", class = \"x\" },\n]";
    let (words, line) = refusal(&format!("{FABRIC}[traffic]\nload = 0.5\n{flows}\n"));
    assert!(words.contains("\"all\" is every class together"), "{words}");
    assert_eq!(line, 10, "{words}");
}

#[test]
fn a_pup_address_of_32_bits_is_refused_at_its_place() {
    let text = "model = \"pup\"\n[[network]]\nname = \"n\"\nnumber = 1\nmedium = { ethernet = {} }\n\
                [[host]]\nname = \"a\"\nnetwork = \"n\"\naddress = 4294967295\ncount = 300\n\
                [[host]]\nname = \"b\"\nnetwork = \"n\"\naddress = 1\n[[test]]\nfrom = \"a\"\nto = \"b\"\ndata = \"9 B\"\n";
    let (words, line) = refusal(text);
    assert!(words.contains("4294967295") && line == 9, "{words}");
}

#[test]
fn a_number_reads_the_same_from_json_and_toml() {
    let toml = "model = \"queueing\"\narrivals = { load = 5.15438562044917 }\nstation = [{ service = { fixed = \"33 ms\" } }]\n";
    let first = Scenario::from_text("toml", toml, &[]).expect("it is sensible");
    let second = Scenario::from_text("json", &first.canonical_json(), &[]).expect("it is sensible");
    assert_eq!(first.hash(), second.hash());
}

#[test]
fn every_refusal_of_snapshots_says_what_to_do() {
    let (words, _) = refusal(&format!("{FABRIC}snapshots = \"1 s\"\n[traffic]\nload = 0.5\n"));
    assert!(words.contains("hint: leave it out"), "{words}");
}

#[test]
fn a_frame_of_more_bits_than_twice_can_be_counted_is_refused_at_its_place() {
    let (error, _) =
        refusal("model = \"fabric\"\n[frames]\nmtu = \"18446744073709551615 bits\"\n[network.mesh]\n");
    assert!(error.contains("frames.mtu"), "{error}");
}

#[test]
fn switches_with_more_pairs_of_ports_than_32_bits_count_run() {
    let at = |i: u32| if i.is_multiple_of(2) { "s" } else { "t" };
    let hosts: Vec<String> =
        (0..93_000).map(|i| format!("{{ name = \"h{i}\", at = \"{}\" }}", at(i))).collect();
    let result = run(&format!(
        "model = \"fabric\"\n[network.custom]\nswitches = [\"s\", \"t\"]\nlinks = [{{ between = [\"s\", \"t\"] }}]\nhosts = [{}]\n\
         [measure]\nmessages = 1_000\n[traffic]\nload = 0.9\nsizes = {{ fixed = \"64 KiB\" }}\n[frames.flow_control.credits]\n",
        hosts.join(", ")
    ));
    assert!(result.events() > 0);
}

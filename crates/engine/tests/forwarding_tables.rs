//! `check`, `routes` and the writing of fabrics, without any tool of InfiniBand.

use std::fs;
use std::path::PathBuf;

use hopscope_engine::forwarding_tables::{TablesOf, check, routes, written};
use hopscope_engine::{Scenario, embedded, run};
use hopscope_measure::Outcome;
use insta::assert_snapshot;
use serde_json::Value;

const ENGINES: [&str; 4] = ["up-down", "shortest", "d-mod-k", "dimension-order"];

fn scenario(network: &str) -> Scenario {
    let text = format!(
        "model = \"fabric\"\nnetwork.{network}\nlink.rate = \"100 Gbit/s\"\nswitch.fifo = \"unbounded\"\ntraffic.load = 0.3\n"
    );
    Scenario::from_text("s.toml", &text, &[]).expect("a scenario")
}

fn fat_tree(radix: u32) -> Scenario {
    scenario(&format!("fat-tree.radix = {radix}"))
}

fn by(engine: &str) -> TablesOf {
    TablesOf { engine: Some(engine.to_owned()), ..TablesOf::default() }
}

fn from_root(root: &str) -> TablesOf {
    TablesOf { roots: vec![root.to_owned()], ..TablesOf::default() }
}

fn found(scenario: &Scenario, of: &TablesOf) -> Value {
    let checked = check(scenario, of).expect("tables");
    let json: Value = serde_json::from_str(&checked.json).expect("JSON");
    assert_eq!(json["safe"], checked.safe);
    json
}

fn ready(name: &str) -> Scenario {
    Scenario::load(name, &[]).expect("a ready scenario")
}

fn file(name: &str, text: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cables");
    fs::create_dir_all(&folder).expect("the target folder can be written");
    fs::write(folder.join(name), text).expect("the target folder can be written");
    folder.join(name).to_str().expect("a plain path").to_owned()
}

#[test]
fn openssms_tables_of_the_irregular_fabric_lock_and_ours_do_not() {
    let theirs = found(&ready("ib-irregular-opensm"), &from_root("S0"));
    assert_eq!(theirs["safe"], false);
    assert_eq!((&theirs["unreachable_pairs"], &theirs["looping_pairs"]), (&Value::from(0), &Value::from(0)));
    let circle: Vec<&str> = theirs["credit_loop"]
        .as_array()
        .expect("a circle")
        .iter()
        .filter_map(|hop| hop["from"].as_str())
        .collect();
    assert_eq!(circle, ["S3", "S7", "S22", "S9", "S5"]);
    assert_eq!(theirs["turns"][0]["to"], "H25");
    let ours = found(&ready("ib-irregular-hopscope"), &from_root("S0"));
    assert_eq!((&ours["safe"], &ours["down_up_turns"]), (&Value::from(true), &Value::from(0)));
    assert_eq!(ours["tables"], "the scenario's");
}

#[test]
fn the_stored_tables_are_what_is_computed() {
    let stored =
        embedded::read(embedded::Kind::Scenarios, "irregular-hopscope.lfts").expect("a carried file");
    let lfts = routes(&ready("ib-irregular-opensm"), &from_root("S0")).expect("tables");
    assert_eq!(lfts.text(), stored);
}

#[test]
fn the_root_is_the_scenarios_unless_another_is_asked_for() {
    let ring = scenario("ring = { switches = 4, servers = 0 }\nrouting.root = \"s2\"");
    assert_eq!(found(&ring, &TablesOf::default())["roots"], serde_json::json!(["s2"]));
    assert_eq!(found(&ring, &from_root("s1"))["roots"], serde_json::json!(["s1"]));
}

#[test]
fn the_path_of_a_pair_is_told_for_every_lid() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/tests/data");
    let fabric = Scenario::load(&format!("{data}/lmc.ibnetdiscover"), &[]).expect("a fabric");
    let between = |from: &str, to: &str| TablesOf {
        file: Some(format!("{data}/lmc-lfts.dump")),
        path: Some([from.to_owned(), to.to_owned()]),
        ..TablesOf::default()
    };
    let json = found(&fabric, &between("dog", "cow"));
    let paths = json["path"]["paths"].as_array().expect("paths");
    assert_eq!(paths.iter().map(|path| path["lid"].as_u64()).collect::<Vec<_>>(), [Some(10), Some(11)]);
    for path in paths {
        assert_eq!(path["end"], "arrives");
        let hops = path["hops"].as_array().expect("links");
        assert_eq!((&hops[0]["from"], &hops[hops.len() - 1]["to"]), (&"south".into(), &"cow".into()));
        assert!(hops.windows(2).all(|two| two[0]["to"] == two[1]["from"]), "{hops:?}");
    }
    let error = check(&fabric, &between("dog", "cov")).unwrap_err().to_string();
    assert!(error.contains("no host is called \"cov\"") && error.contains("\"cow\""), "{error}");
}

/// Each engine on a tree, written, read back for the same fabric as a bare file, and checked.
#[test]
fn what_is_written_is_checked_like_what_is_computed() {
    let tree = fat_tree(4);
    let net = file("tree.net", &written(&tree, "tree.net").expect("a text"));
    let bare = Scenario::load(&net, &[]).expect("a fabric is a scenario");
    for engine in ENGINES {
        let mut computed = found(&tree, &by(engine));
        let text = routes(&tree, &by(engine)).expect("tables").text();
        // A bare file is recognised as a tree and would have all its tops as roots.
        let of = TablesOf { file: Some(file("tree.lfts", &text)), ..from_root("core0") };
        let mut read = found(&bare, &of);
        for json in [&mut computed, &mut read] {
            let other = ["tables", "turns", "most_loaded", "worst_permutation", "credit_loop", "facts"];
            for ports_or_names in other {
                json.as_object_mut().expect("an object").remove(ports_or_names);
            }
        }
        assert_eq!(computed, read, "{engine}");
        assert_eq!((&read["safe"], &read["detours"]["0"]), (&Value::from(true), &Value::from(240)));
    }
}

#[test]
fn where_a_scenario_takes_shortest_paths_these_are_checked() {
    let torus = ready("torus-7x5-credits");
    let chosen = |overrides: &[&str]| {
        let json = found(&torus.with_overrides(overrides).expect("a scenario"), &TablesOf::default());
        (json["tables"].clone(), json["safe"] == true)
    };
    let bare = "routing={ rule = \"shortest\" }";
    assert_eq!(chosen(&[]), ("the scenario's".into(), true));
    assert_eq!(chosen(&[bare]), ("hopscope's shortest".into(), false));
    assert_eq!(chosen(&["routing={}"]), ("hopscope's up-down".into(), true));
}

/// All of a scenario's links are 100 Gbit/s, which is 4xEDR; read back they need no default.
#[test]
fn a_written_fabric_keeps_the_rates_of_its_scenario() {
    let tree = fat_tree(4);
    for (name, rate) in [("t.net", "4xEDR"), ("t.ibnetdiscover", "4xEDR"), ("t.csv", "100 Gbit/s")] {
        let text = written(&tree, name).expect("a text");
        let ends = if name == "t.csv" { 48 } else { 96 };
        assert_eq!(text.matches(rate).count(), ends, "{name}");
    }
}

/// A tree has tables of dimension order, which go by its ports; the check says what `advise` says of it.
#[test]
fn dimension_order_without_dimensions_is_told() {
    let source = |network: &str| found(&scenario(network), &by("dimension-order"))["tables"].clone();
    let told = "hopscope's dimension-order, though this is no mesh, torus or hypercube";
    assert_eq!(source("fat-tree.radix = 4"), told);
    for grid in
        ["torus = { width = 4, height = 4 }", "hypercube.dimensions = 3", "torus = { width = 1, height = 2 }"]
    {
        assert_eq!(source(grid), "hopscope's dimension-order", "{grid}");
    }
}

/// The scale that is asked for is a hundred times this; the way through scenario, file, tables and check is the same.
#[test]
fn a_tree_of_a_thousand_hosts_is_written_read_routed_and_checked() {
    let text = written(&fat_tree(16), "tree.ibnetdiscover").expect("a text");
    let bare = Scenario::load(&file("thousand.ibnetdiscover", &text), &[]).expect("a fabric is a scenario");
    let check = found(&bare, &by("d-mod-k"));
    assert_eq!((&check["switches"], &check["hosts"]), (&Value::from(320), &Value::from(1024)));
    assert_eq!((&check["safe"], &check["longest"]), (&Value::from(true), &Value::from(4)));
    let few = bare.with_overrides(&["routing.rule=shortest", "measure.messages=20_000"]).expect("a scenario");
    let result = run(&few, &|_, _| true).expect("a run");
    assert_eq!(
        (result.report().outcome, result.report().measured.messages >= 20_000),
        (Outcome::Complete, true)
    );
    // Every link carries as many pairs as any other of its tier. A link to the core is for one host in 64, of which its
    // own pod has one: a permutation can have all 15 others.
    let loads = check["most_loaded"].as_array().expect("loads");
    assert!(loads.iter().all(|load| load["pairs"] == loads[0]["pairs"]));
    assert_eq!(check["worst_permutation"]["flows"], 15);
    let lfts = routes(&bare, &by("d-mod-k")).expect("tables").text();
    assert_eq!(
        (lfts.matches("lids dumped").count(), lfts.matches("Channel Adapter").count()),
        (320, 320 * 1024)
    );
}

fn refused<T>(done: Result<T, hopscope_engine::ScenarioError>) -> String {
    done.err().expect("a refusal").to_string()
}

#[test]
fn what_cannot_be_done_is_said() {
    let (tree, torus) = (fat_tree(4), scenario("torus = { width = 4, height = 4 }"));
    assert_snapshot!(refused(check(&tree, &by("updown"))), @r#"
    error: there is no engine "updown"
    expected up-down, shortest, d-mod-k, dimension-order
    hint: did you mean "up-down"?
    "#);
    assert_snapshot!(refused(check(&tree, &from_root("core9"))), @r#"
    error: no switch is called "core9"
    expected the name of a switch
    hint: did you mean "core0"?
    "#);
    assert_snapshot!(refused(check(&torus, &by("d-mod-k"))), @r#"
    error: "x0y0" and "x1y0" are linked, and both are 0 links away from the nearest hosts
    expected a tree of tiers with hosts at its leaves
    hint: try --engine up-down
    "#);
    assert_snapshot!(refused(check(&ready("queueing-mm1"), &by("shortest"))), @r#"
    error: a scenario of model "queueing" has no switches with forwarding tables
    expected a fabric's file, or a scenario of model "fabric"
    "#);
    assert_snapshot!(refused(written(&tree, "tree.doc")), @r#"
    error: the extension of "tree.doc" is no fabric format
    expected a file name with one of the extensions .ibnetdiscover, .net, .csv
    "#);
    let of = TablesOf { file: Some("nowhere.lfts".to_owned()), ..TablesOf::default() };
    assert_snapshot!(refused(check(&tree, &of)), @r#"
    error: there is no file "nowhere.lfts"
    expected an existing forwarding table file
    "#);
    let star = scenario("star = { arms = 1, hosts_per_arm = 30000, hosts_at_hub = 20000 }");
    assert_snapshot!(refused(routes(&star, &by("shortest"))), @"
    error: 50002 switches and hosts need more LIDs than InfiniBand has
    expected at most 49151
    ");
}

#[test]
fn a_bare_file_that_is_no_fabric_is_refused_as_one() {
    let said = |name: &str, text: &str| {
        let error = Scenario::load(&file(name, text), &[]).expect_err("a refusal").to_string();
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cables");
        error.replace(folder.to_str().expect("a plain path"), "")
    };
    assert_snapshot!(said("empty.net", ""), @r#"
    error: the file is empty
    --> /empty.net:1:1
    expected `Switch 8 "S1"` (ibnetdiscover, ibsim), `{ SW ...` (opensm-subnet.lst), `Switch: 0x2c902004` (iblinkinfo), `<?xml` (GraphML), `router 0` (anynet) or `from,to` (CSV)
    hint: is the beginning of the file missing, or does something stand before it, or is it another kind of file?
    "#);
    assert_snapshot!(said("cut.ibnetdiscover", "[1]\t\"S-1\"[1]\n"), @r#"
    error: this is not a fabric file: it begins with `[1]    "S-1"[1]`
    --> /cut.ibnetdiscover:1:1
    expected `Switch 8 "S1"` (ibnetdiscover, ibsim), `{ SW ...` (opensm-subnet.lst), `Switch: 0x2c902004` (iblinkinfo), `<?xml` (GraphML), `router 0` (anynet) or `from,to` (CSV)
    hint: is the beginning of the file missing, or does something stand before it, or is it another kind of file?
    "#);
    assert_snapshot!(said("cut.lst", "{ CA Ports:01 SystemGUID:0000000000100000\n"), @"
    error: the line ends here
     --> /cut.lst:1:42
      |
    1 | { CA Ports:01 SystemGUID:0000000000100000
      |                                          ^ expected a field such as NodeGUID:0002c903000e0b72, then the name in braces
    hint: is the file cut short?
    ");
    assert_snapshot!(said("ring.csv", "\u{feff}from,to\na,b\nb,c\nc,a\n"), @"
    error: network.file.hosts_per_switch: the file has no hosts
     --> scenario of /ring.csv:4:1
      |
    4 | [network.file]
      | ^^^^^^^^^^^^^^ expected how many to attach to every switch
    hint: `--set network.file.hosts_per_switch=1` attaches one to every switch, also to spines; `hopscope import --hosts 'leaf*=1'` to those that are called so
    ");
    assert_snapshot!(said("tables.txt", "Unicast lids [0-6] of switch Lid 1 guid 0x1 ('a'):\n"), @"
    error: /tables.txt: these are forwarding tables, not a fabric
    expected a scenario, or a fabric's file
    hint: give the fabric, and the tables by --routes or `routing.tables`
    ");
}

/// Three switches in a ring; the link between the first two fails at 10 us, and at 20 us files lead round it.
const RING: &str = r#"model = "fabric"
link = { rate = "100 Gbit/s", delay = "50 ns" }
network.ring = { switches = 3, hosts_per_switch = 1 }
routing.tables = "ring-before.lfts"
frames = { new_tables = [{ at = "20 us", tables = "ring-after.lfts" }] }
faults = [{ at = "10 us", link = ["s0", "s1"], goes = "down" }]
flows = [{ pattern.list.path = "ring-flows.csv" }]
"#;

/// Each switch's table with the port for a host replaced by that for another.
fn with_port_of(text: &str, changes: &[(&str, &str, &str)]) -> String {
    let mut at = "";
    let section = |name: &str| text.split("Unicast lids").find(|part| part.contains(&format!("('{name}')")));
    let port = |switch: &str, host: &str| {
        let mut lines = section(switch).expect("a table").lines().skip(1);
        let line = lines.find(|line| line.ends_with(&format!("'{host}'"))).expect("an entry");
        format!(" {} ", line.split_whitespace().nth(1).expect("a port"))
    };
    let mut changed = String::new();
    for line in text.lines() {
        if let Some((_, name)) = line.split_once("('") {
            at = &name[..name.len() - 3];
        }
        let change = changes.iter().find(|(of, to, _)| *of == at && line.ends_with(&format!("'{to}'")));
        changed +=
            &change.map_or(line.to_owned(), |(of, to, like)| line.replace(&port(of, to), &port(of, like)));
        changed.push('\n');
    }
    changed
}

#[test]
fn new_tables_from_a_file_hold_from_their_instant() {
    let ring = scenario("ring = { switches = 3, hosts_per_switch = 1 }");
    let before = routes(&ring, &by("shortest")).expect("tables").text();
    file("ring-before.lfts", &before);
    file("ring-after.lfts", &with_port_of(&before, &[("s0", "h1", "h2"), ("s1", "h0", "h2")]));
    file("ring-flows.csv", "from,to,size,start\nh0,h1,1 KiB,1 us\nh0,h1,1 KiB,15 us\nh0,h1,1 KiB,30 us\n");
    let lost = |instead: [&str; 2]| {
        let path = file("ring.toml", &RING.replace(instead[0], instead[1]));
        let result = run(&Scenario::load(&path, &[]).expect("a scenario"), &|_, _| true);
        let result = result.expect("the run does not break");
        let counted = |name: &str| {
            let metric = result.report().metric(&format!("frames {name}.count")).expect("a count");
            metric.estimate.expect("a number").value
        };
        ["cut", "discarded", "without route"].map(counted)
    };
    // The flow of 15 us is discarded at the link; that of 30 us goes by s2.
    assert_eq!(lost(["", ""]), [0.0, 1.0, 0.0]);
    // Later tables come too late for it, and those of the same links never help.
    assert_eq!(lost(["20 us", "40 us"]), [0.0, 2.0, 0.0]);
    assert_eq!(lost(["ring-after", "ring-before"]), [0.0, 2.0, 0.0]);
}

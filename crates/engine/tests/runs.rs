//! Runs and sweeps: what they write reads back, and nothing but the scenario decides what they find.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use hopscope_engine::{
    ArchiveError, RunResult, Scenario, file_of, is_whole, ready_scenarios, run, sweep, sweep_into, unpack,
};
use hopscope_measure::Outcome;

fn short(name: &str) -> Scenario {
    Scenario::load(name, &["measure.messages=2000"]).unwrap_or_else(|error| panic!("{error}"))
}

fn result(scenario: &Scenario) -> RunResult {
    run(scenario, &|_, _| true).expect("the run does not break")
}

fn fresh_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("it is ours");
    }
    fs::create_dir(&folder).expect("the target folder can be written");
    folder
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder was written");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("it can be listed").file_name().into_string().expect("plain"))
        .collect();
    names.sort();
    names
}

#[test]
fn every_ready_scenario_is_right_and_has_a_title() {
    let ready = ready_scenarios().unwrap_or_else(|error| panic!("{error}"));
    assert!(ready.len() >= 5);
    for scenario in ready {
        assert!(!scenario.title.is_empty(), "{} has no title", scenario.name);
        let loaded = Scenario::load(&scenario.name, &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((loaded.model(), loaded.title()), (scenario.model.as_str(), scenario.title.as_str()));
    }
}

#[test]
fn what_is_written_out_reads_back_as_the_same_scenario_with_the_same_result() {
    for ready in ready_scenarios().expect("they are right") {
        if ready.model != "queueing" {
            continue;
        }
        let scenario = short(&ready.name);
        let found = result(&scenario);
        for text in [scenario.canonical_json(), scenario.toml()] {
            let again = Scenario::from_text("again", &text, &[]).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(again.hash(), scenario.hash(), "{text}");
            assert_eq!(again.canonical_json(), scenario.canonical_json());
            assert_eq!(result(&again).result_hash(), found.result_hash(), "{}", ready.name);
        }
    }
}

#[test]
fn an_order_of_lines_or_a_written_default_makes_no_other_scenario() {
    let a = "model = \"queueing\"\nseed = 1\n[arrivals]\nload = 0.5\nprocess = \"poisson\"\n[[station]]\nservice = { fixed = \"1000 ns\" }";
    let b = "[[station]]\nservers = 1\nservice = { fixed = \"1 us\" }\n[arrivals]\nload = 0.50\n[measure]\nwarmup = \"auto\"";
    let b = format!("model = \"queueing\"\n{b}");
    let hash = |text: &str| Scenario::from_text("s", text, &[]).expect("it is right").hash().to_owned();
    assert_eq!(hash(a), hash(&b));
    assert_ne!(hash(a), hash(&a.replace("0.5", "0.6")));
}

#[test]
fn title_and_seed_are_not_in_the_hash_of_a_scenario() {
    let a = "model = \"queueing\"\n[arrivals]\nload = 0.5\n[[station]]\nservice = { fixed = \"1 us\" }";
    let hash = |text: &str| Scenario::from_text("s", text, &[]).expect("it is right").hash().to_owned();
    assert_eq!(hash(a), hash(&format!("title = \"another\"\nseed = 7\n{a}")));
}

#[test]
fn a_scenario_and_its_files_arrive_elsewhere_as_they_were() {
    let folder = fresh_folder("parcel");
    fs::write(folder.join("ring.net"), "router 0 node 0 router 1\nrouter 1 node 1\n")
        .expect("a folder to write in");
    let text = "model = \"fabric\"\n[network.file]\npath = \"ring.net\"\nformat = \"anynet\"\n[measure]\nmessages = 500\n";
    fs::write(folder.join("s.toml"), text).expect("a folder to write in");
    let file = folder.join("s.toml").display().to_string();
    let scenario = Scenario::load(&file, &["traffic.load=0.2", "seed=3"]).expect("it is right");
    let (parcel, overrides) = (scenario.parcel(), scenario.overrides());
    fs::remove_dir_all(&folder).expect("it is ours");
    let again = Scenario::unpacked(&parcel, &overrides, None).expect("its files came along");
    assert_eq!(again.parcel(), parcel);
    assert_eq!((again.hash(), again.seed()), (scenario.hash(), 3));
    let like = Scenario::unpacked(&parcel, &["traffic.load=0.3"], Some(&again)).expect("it is right");
    assert_ne!(like.hash(), scenario.hash());
    assert_eq!(result(&again).archive(), result(&scenario).archive());
}

fn queue() -> RunResult {
    let text = "model = \"queueing\"\n[arrivals]\nload = 0.5\n[[station]]\nservice = { fixed = \"1 us\" }\n[measure]\nmessages = 500\n";
    result(&Scenario::from_text("s", text, &[]).expect("it is right"))
}

#[test]
fn an_archive_unpacks_into_the_run_folder() {
    let (run, written, unpacked) = (queue(), fresh_folder("written"), fresh_folder("unpacked"));
    run.write(&written).expect("there is room");
    let archive = run.archive();
    unpack(&archive, &unpacked).expect("there is room");
    assert_eq!(files(&unpacked), files(&written));
    for (name, bytes) in files(&written) {
        assert_eq!(file_of(&archive, &name).expect("it has every file"), bytes, "{name}");
    }
    assert!(matches!(file_of(&archive, "other"), Err(ArchiveError::Missing(_))));
    assert!(matches!(unpack(&archive, &unpacked), Err(ArchiveError::Output(_))), "nothing is overwritten");
}

/// The files of a folder, by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("it reads"));
    let file = |entry: fs::DirEntry| {
        (entry.file_name().into_string().expect("our name"), fs::read(entry.path()).expect("it reads"))
    };
    entries.map(file).collect()
}

#[test]
fn no_file_of_an_archive_leaves_the_folder() {
    const NAME: &[u8] = b"run.json";
    let archive = queue().archive();
    for (name, is_plain) in
        [(b"../n.jso", false), (b"/un.json", false), (b"ru/.json", false), (b"nur.json", true)]
    {
        let mut renamed = archive.clone();
        while let Some(at) = renamed.windows(NAME.len()).position(|bytes| bytes == NAME) {
            renamed[at..at + NAME.len()].copy_from_slice(name);
        }
        // A file may be written nowhere in there, so that this is what fails where its name is right.
        let unpacked = unpack(&renamed, Path::new("no such folder"));
        assert_eq!(matches!(unpacked, Err(ArchiveError::Output(_))), is_plain, "{unpacked:?}");
        assert_eq!(matches!(unpacked, Err(ArchiveError::Damaged(_))), !is_plain, "{unpacked:?}");
    }
}

#[test]
fn a_damaged_archive_is_known_by_its_hash() {
    let archive = queue().archive();
    assert!(is_whole(&archive));
    assert!(!is_whole(&archive[..archive.len() - 1]));
    assert!(!is_whole(&[]));
    for at in (0..archive.len()).step_by(97) {
        let mut damaged = archive.clone();
        damaged[at] ^= 1;
        assert!(!is_whole(&damaged), "byte {at}");
    }
}

#[test]
fn overrides_follow_one_another() {
    let scenario = Scenario::load("queueing-mm1", &["arrivals.load=0.5", "seed=7"]).expect("they are right");
    let changed = scenario.with_overrides(&["arrivals.load=0.6"]).expect("it is right");
    let json = |scenario: &Scenario| {
        serde_json::from_str::<serde_json::Value>(&scenario.canonical_json()).expect("JSON")
    };
    assert_eq!((json(&scenario)["arrivals"]["load"].as_f64(), scenario.seed()), (Some(0.5), 7));
    assert_eq!((json(&changed)["arrivals"]["load"].as_f64(), changed.seed()), (Some(0.6), 7));
    assert!(scenario.with_overrides(&["arrivals.load=-1"]).is_err());
}

#[test]
fn a_sweep_finds_the_same_on_any_number_of_threads() {
    let base = short("queueing-mm1");
    let points: Vec<_> = (1..=8)
        .map(|tenths| base.with_overrides(&[&format!("arrivals.load=0.{tenths}")]).expect("a load below 1"))
        .collect();
    let hashes = |threads: usize| -> Vec<String> {
        let runs = sweep(&points, NonZeroUsize::new(threads), &mut |_, _| true).expect("nothing breaks");
        runs.iter().map(|run| run.result_hash().to_owned()).collect()
    };
    let alone: Vec<_> = points.iter().map(|point| result(point).result_hash().to_owned()).collect();
    assert_eq!(hashes(1), alone);
    assert_eq!(hashes(2), alone);
    assert_eq!(hashes(8), alone);
    assert!(sweep(&[], None, &mut |_, _| true).expect("nothing breaks").is_empty());
}

#[test]
fn what_is_kept_of_a_run_stands_in_the_place_of_its_scenario_whichever_began_first() {
    let base = short("queueing-mm1");
    let asked = ["measure.messages=1000", "measure.messages=3000", "measure.messages=2000"];
    let points = asked.map(|messages| base.with_overrides(&[messages]).expect("it is right"));
    let kept = sweep_into(&points, None, |run| run.archive(), &mut |_, _| true).expect("nothing breaks");
    let alone: Vec<_> = points.iter().map(|point| result(point).archive()).collect();
    assert_eq!(kept, alone);
}

#[test]
fn whoever_watches_can_stop_a_run_and_a_sweep() {
    let endless = Scenario::load("queueing-mm1", &["measure.messages=1_000_000_000"]).expect("it is right");
    let stopped = run(&endless, &|_, _| false).expect("nothing breaks");
    assert_eq!(stopped.report().outcome, Outcome::Interrupted);
    let runs = sweep(&vec![endless; 5], NonZeroUsize::new(2), &mut |fraction, text| {
        assert!(fraction < 1.0 && text.ends_with(" of 5 runs"), "{fraction} {text}");
        false
    });
    let runs = runs.expect("nothing breaks");
    assert_eq!(runs.len(), 5);
    assert!(runs.iter().all(|run| run.report().outcome == Outcome::Interrupted));
}

#[test]
fn a_seed_gives_its_own_numbers_and_always_the_same() {
    let mean = |seed: &str| {
        let scenario = Scenario::load("queueing-mm1", &["measure.messages=2000", seed]).expect("it is right");
        result(&scenario).result_hash().to_owned()
    };
    assert_eq!(mean("seed=3"), mean("seed=3"));
    assert_ne!(mean("seed=3"), mean("seed=4"));
}

#[test]
fn a_run_folder_holds_all_that_is_needed_to_run_again() {
    let scenario = Scenario::load("queueing-tandem", &["measure.messages=2000", "measure.journeys=3"]);
    let scenario = scenario.expect("it is right");
    let found = result(&scenario);
    let (one, two) = (fresh_folder("run-one"), fresh_folder("run-two"));
    found.write(&one).expect("the folder is empty");
    result(&scenario).write(&two).expect("the folder is empty");
    let files = [
        "journeys.parquet",
        "resources.parquet",
        "run.json",
        "scenario.toml",
        "series.parquet",
        "summary.json",
        "timeline.parquet",
        "why.json",
    ];
    assert_eq!(names_in(&one), files);
    for file in files {
        assert!(fs::read(one.join(file)).unwrap() == fs::read(two.join(file)).unwrap(), "{file} differs");
    }
    let again =
        Scenario::load(one.join("scenario.toml").to_str().unwrap(), &[]).expect("it was written by us");
    assert_eq!(again.hash(), scenario.hash());
    assert_eq!(result(&again).result_hash(), found.result_hash());
    let record: serde_json::Value = serde_json::from_slice(&fs::read(one.join("run.json")).unwrap()).unwrap();
    let again =
        Scenario::from_text("run.json", &record["scenario"].to_string(), &[]).expect("it was written by us");
    assert_eq!(record["scenario_hash"], again.hash());
    assert_eq!(record["result_hash"], found.result_hash());
}

/// Every way in which a scenario names a file. Run, run the run folder's scenario, and run that one's again: nothing
/// changes.
#[test]
fn a_run_folder_runs_again_and_again_with_the_same_result() {
    const STAR: &str = "model = \"fabric\"\n[network.custom]\nswitches = [\"s\"]\n\
        hosts = [{ name = \"h0\", at = \"s\" }, { name = \"h1\", at = \"s\" }, { name = \"h2\", at = \"s\" }]\n";
    const LINKS: &str = "from,to\nx,a\nx,b\nx,c\n";
    let forms = [
        (
            "matrix",
            "rows.csv",
            "from,to,weight\nh0,h1,1\nh1,h2,3\n",
            format!("{STAR}[traffic]\nload = 0.3\npattern = {{ matrix = {{ path = \"rows.csv\" }} }}\n"),
        ),
        (
            "flows",
            "flows.csv",
            "from,to,size,start\nh0,h1,4 KiB,0 s\nh1,h2,9 KiB,1 us\n",
            format!("{STAR}[frames]\n[[flows]]\npattern = {{ list = {{ path = \"flows.csv\" }} }}\n"),
        ),
        (
            "sizes",
            "sizes.txt",
            "1000 0.5\n20000 1\n",
            format!(
                "{STAR}[frames]\n[[flows]]\npattern = {{ poisson = {{ load = 0.2, sizes = {{ cdf = {{ path = \"sizes.txt\" }} }} }} }}\n"
            ),
        ),
        (
            "network",
            "links.csv",
            LINKS,
            String::from(
                "model = \"fabric\"\n[network.file]\npath = \"links.csv\"\nhosts_per_switch = 1\n[traffic]\nload = 0.2\n",
            ),
        ),
    ];
    for (name, file, content, text) in forms {
        let home = fresh_folder(&format!("again-{name}"));
        fs::write(home.join(file), content).unwrap();
        fs::write(home.join("mine.toml"), format!("{text}[measure]\nmessages = 300\n")).unwrap();
        let load = |path: &Path| {
            let read = Scenario::load(path.to_str().unwrap(), &[]);
            read.unwrap_or_else(|error| panic!("{name}: {error}"))
        };
        let mut scenario = load(&home.join("mine.toml"));
        let (first, hash) = (result(&scenario), scenario.hash().to_owned());
        for time in 1..=2 {
            let folder = fresh_folder(&format!("again-{name}-{time}"));
            result(&scenario).write(&folder).expect("the folder is empty");
            scenario = load(&folder.join("scenario.toml"));
            assert_eq!(scenario.hash(), hash, "{name}");
            assert_eq!(result(&scenario).result_hash(), first.result_hash(), "{name}");
        }
    }
}

#[test]
fn a_file_that_a_scenario_names_goes_with_the_run() {
    let home = fresh_folder("graph-home");
    fs::create_dir(home.join("nets")).unwrap();
    let graph = "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"><graph edgedefault=\"undirected\">\
        <node id=\"a\"/><node id=\"b\"/><edge source=\"a\" target=\"b\"/></graph></graphml>";
    fs::write(home.join("nets/two.graphml"), graph).unwrap();
    let text = "model = \"fabric\"\n[network.file]\npath = \"nets/two.graphml\"\nhosts_per_switch = 2\n\
        [traffic]\nload = 0.2\n[measure]\nmessages = 500\n";
    fs::write(home.join("mine.toml"), text).unwrap();
    let load =
        |path: &Path| Scenario::load(path.to_str().unwrap(), &[]).unwrap_or_else(|error| panic!("{error}"));

    let scenario = load(&home.join("mine.toml"));
    let found = result(&scenario);
    let folder = fresh_folder("graph-run");
    found.write(&folder).expect("the folder is empty");
    assert_eq!(
        names_in(&folder),
        [
            "resources.parquet",
            "run.json",
            "scenario.toml",
            "series.parquet",
            "summary.json",
            "timeline.parquet",
            "two.graphml",
            "why.json",
        ]
    );
    fs::remove_dir_all(&home).unwrap();
    let again = load(&folder.join("scenario.toml"));
    assert_eq!(again.hash(), scenario.hash());
    assert_eq!(result(&again).result_hash(), found.result_hash());

    fs::write(folder.join("two.graphml"), graph.replace("\"b\"", "\"c\"")).unwrap();
    assert_ne!(
        load(&folder.join("scenario.toml")).hash(),
        scenario.hash(),
        "the file belongs to the scenario"
    );
}

#[test]
fn a_file_that_a_scenario_names_twice_goes_with_the_run_once() {
    let home = fresh_folder("twice-home");
    let ready = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    for name in ["torus-7x5.ibnetdiscover", "torus-7x5-updn.fdbs"] {
        fs::copy(ready.join(name), home.join(name)).unwrap();
    }
    let text = "model = \"fabric\"\nnetwork.file.path = \"torus-7x5.ibnetdiscover\"\n\
        traffic.load = 0.05\nmeasure.messages = 200\nrouting.tables = \"torus-7x5-updn.fdbs\"\n\
        frames.new_tables = [{ at = \"2 us\", tables = \"torus-7x5-updn.fdbs\" }]\n";
    fs::write(home.join("mine.toml"), text).unwrap();
    let load =
        |path: &Path| Scenario::load(path.to_str().unwrap(), &[]).unwrap_or_else(|error| panic!("{error}"));
    let scenario = load(&home.join("mine.toml"));
    let folder = fresh_folder("twice-run");
    result(&scenario).write(&folder).expect("the folder is empty");
    let tables: Vec<String> = names_in(&folder).into_iter().filter(|name| name.ends_with(".fdbs")).collect();
    assert_eq!(tables, ["torus-7x5-updn.fdbs"]);
    assert_eq!(load(&folder.join("scenario.toml")).hash(), scenario.hash());
}

#[test]
fn a_summary_says_what_was_run_and_what_was_found() {
    let scenario = short("queueing-mm1");
    let found = result(&scenario);
    let summary: serde_json::Value = serde_json::from_str(&found.summary_json()).expect("JSON");
    assert_eq!(summary["model"], "queueing");
    assert_eq!(summary["scenario_hash"], scenario.hash());
    assert_eq!(summary["seed"], 1);
    assert_eq!(summary["outcome"], "complete");
    assert!(summary["events"].as_u64() > Some(4000));
    assert!(summary["metrics"].as_array().is_some_and(|metrics| !metrics.is_empty()));
    assert!(summary.get("series").is_none() && summary.get("journeys").is_none());
}

#[test]
fn what_cannot_be_written_is_said_and_nothing_is_overwritten() {
    let found = result(&short("queueing-mm1"));
    let nowhere = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nowhere");
    let error = found.write(&nowhere).expect_err("there is no such folder").to_string();
    assert!(error.contains("nowhere/run.json"), "{error}");
    let folder = fresh_folder("run-taken");
    fs::write(folder.join("summary.json"), "mine").unwrap();
    let error = found.write(&folder).expect_err("a file is there already").to_string();
    assert!(error.contains("run-taken/summary.json"), "{error}");
    assert_eq!(fs::read_to_string(folder.join("summary.json")).unwrap(), "mine");
}

/// A sender twice as fast as the switch behind it, over a link without delay: its FIFO is always full, and stops and
/// starts it within packets.
#[test]
fn over_a_link_without_delay_a_full_fifo_does_not_stop_and_start_its_sender_without_end() {
    let faster = r#"upgrade.links=[{ between = ["h8", "hub"], speedup = 2.0 }]"#;
    let room = [
        r#"switch.fifo={ bytes = "4 MiB" }"#,
        r#"switch.stop_above="2 MiB""#,
        r#"switch.urgent_above="3 MiB""#,
    ];
    let overrides = ["measure.messages=5000", faster, room[0], room[1], room[2]];
    let scenario = Scenario::load("input-fifo-switch", &overrides).unwrap_or_else(|error| panic!("{error}"));
    // A few events for each byte of the one packet in sixteen that comes from there. What has no end must be stopped.
    let patience = 5_000_000;
    let looks = AtomicU32::new(0);
    let looked = |_: f64, _: &str| looks.fetch_add(1, Ordering::Relaxed) < 1000;
    let found = run(&scenario, &looked).expect("the run does not break");
    assert_ne!(found.report().outcome, Outcome::Interrupted);
    assert!(found.events() < patience, "{} events", found.events());
}

//! A program of one's own: its rule in scenarios, their errors and their schema, and what its folders tell.

use std::fs;
use std::path::{Path, PathBuf};

use hopscope_engine::laboratory::{Failure, Laboratory, Swept, laboratory};
use hopscope_engine::{FileAccess, Scenario, run};
use hopscope_lossless::rate_control::{HeldBy, OwnRateControl, RateControl, Setting};
use hopscope_measure::Problem;
use hopscope_units::Data;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// A window that never changes.
#[derive(Clone, Debug)]
struct Fixed(u64);

/// A fixed window.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct FixedParams {
    /// The window: 10 kB.
    window: Data,
}

impl Default for FixedParams {
    fn default() -> Self {
        Self { window: Data::from_bytes(10_000) }
    }
}

impl OwnRateControl for Fixed {
    type Params = FixedParams;

    fn new(params: &FixedParams, setting: &Setting) -> Result<Self, Vec<Problem>> {
        if params.window < setting.frame {
            return Err(vec![Problem::new("window", "it holds no frame", "at least frames.mtu")]);
        }
        Ok(Self(params.window.bits()))
    }
}

impl RateControl for Fixed {
    type Flow = u64;
    const HELD_BY: HeldBy = HeldBy::Window;

    fn new_flow(&self, line_kbit_s: u64, _: u64) -> u64 {
        line_kbit_s
    }

    fn rate_kbit_s(&self, line_kbit_s: &u64) -> u64 {
        *line_kbit_s
    }

    fn window_bits(&self, _: &u64) -> u64 {
        self.0
    }
}

const SCENARIO: &str = r#"model = "fabric"
[network.star]
arms = 0
hosts_at_hub = 3
[routing]
rule = "shortest"
[frames.rate_control.own.fixed]
window = "8 kB"
[[flows]]
pattern = { incast = { senders = 2, size = "40 KB", receiver = "h0" } }
rounds = 0
[measure]
messages = 50
warmup = "none"
"#;

fn program() -> Laboratory {
    laboratory("windows", "1.2.3").with_rate_control::<Fixed>("fixed")
}

/// An empty folder of the test's own, with the scenario in it.
fn folder(name: &str) -> (PathBuf, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("laboratory").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    let scenario = folder.join("windows.toml");
    fs::write(&scenario, SCENARIO).expect("it can be written");
    (folder, scenario.to_string_lossy().into_owned())
}

fn load(file: &str, overrides: &[&str]) -> Result<Scenario, String> {
    let read = program().load(file, overrides, &FileAccess::default());
    read.map_err(|error| error.to_string().replace(file, "windows.toml"))
}

fn json(path: &Path) -> Json {
    serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON")
}

#[test]
fn what_is_wrong_with_its_parameters_has_its_place() {
    let (_, file) = folder("wrong");
    let wrong = |set: &str| load(&file, &[set]).expect_err("it is wrong");
    insta::assert_snapshot!(wrong("frames.rate_control.own.fixed.windw=3"), @r#"
    error: frames.rate_control.own.fixed: there is no field "windw"
     --> --set:1:31
      |
    1 | frames.rate_control.own.fixed.windw=3
      |                               ^^^^^ expected "window"
    hint: did you mean "window"?
    "#);
    let text = SCENARIO.replace("8 kB", "8 B");
    fs::write(&file, text).expect("it can be written");
    insta::assert_snapshot!(load(&file, &[]).expect_err("it is wrong"), @r#"
    error: frames.rate_control.own.fixed.window: it holds no frame
     --> windows.toml:8:10
      |
    8 | window = "8 B"
      |          ^^^^^ expected at least frames.mtu
    "#);
    fs::write(&file, SCENARIO.replace("own.fixed", "own.fixt")).expect("it can be written");
    insta::assert_snapshot!(load(&file, &[]).expect_err("it is wrong"), @r#"
    error: frames.rate_control.own: this program has no rule "fixt"
     --> windows.toml:7:1
      |
    7 | [frames.rate_control.own.fixt]
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ expected "fixed"
    hint: did you mean "fixed"?
    "#);
}

#[test]
fn hopscope_alone_shows_what_it_has_run_and_does_not_run_it() {
    let (folder, file) = folder("shown");
    let scenario = load(&file, &[]).expect("it is right");
    let (result, kept) =
        program().run_into(&scenario, Some(&folder.join("run")), &|_, _| true).expect("it runs");
    let record = json(&kept.join("run.json"));
    assert_eq!(record["needs"], serde_json::json!(["frames.rate_control.own.fixed"]));
    assert_eq!(record["program"], serde_json::json!({"name": "windows", "version": "1.2.3"}));

    let written = kept.join("scenario.toml").to_string_lossy().into_owned();
    let again = load(&written, &[]).expect("the program reads what it wrote");
    assert_eq!((again.hash(), again.lacks().len()), (scenario.hash(), 0));
    let shown = Scenario::of_run(&written).expect("anybody may look at it");
    assert_eq!(shown.lacks(), ["frames.rate_control.own.fixed"]);
    assert_eq!((shown.toml(), shown.topology_json()), (scenario.toml(), scenario.topology_json()));
    assert_eq!(Scenario::unpacked_to_show(&shown.parcel(), &[]).expect("shown").hash(), shown.hash());

    let refused = Scenario::load(&written, &[]).expect_err("nobody else has the rule").to_string();
    insta::assert_snapshot!(refused.replace(&written, "scenario.toml"), @r#"
    error: frames.rate_control.own: this program has no rule "fixed"
      --> scenario.toml:31:1
       |
    31 | [frames.rate_control.own.fixed]
       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ expected one of hopscope's own rate controls
    hint: run it with the program that adds this rule: hopscope alone reads, explains and shows such runs
    "#);
    assert!(
        shown.with_overrides(&["seed=2"]).is_err() && Scenario::unpacked(&shown.parcel(), &[], None).is_err()
    );
    assert!(run(&shown, &|_, _| true).expect_err("it cannot run").message.contains("to be shown"));
    assert_eq!(result.result_hash(), run(&scenario, &|_, _| true).expect("it runs").result_hash());
}

#[test]
fn a_sweep_keeps_the_order_of_its_paths_and_has_a_folder_for_each_run() {
    let (folder, file) = folder("swept");
    let scenario = load(&file, &[]).expect("it is right");
    let swept = [
        Swept::read("frames.rate_control.own.fixed.window=8kB, 16 kB").expect("values"),
        Swept::read("flows[0].pattern.incast.senders=1..2:1").expect("a range"),
    ];
    let out = folder.join("sweep");
    let (results, kept) =
        program().sweep_into(&scenario, &swept, 2, Some(&out), &mut |_, _| true).expect("it runs");
    assert_eq!((results.len(), kept.as_path()), (8, out.as_path()));
    let text = fs::read_to_string(kept.join("sweep.json")).expect("a file");
    assert!(text.find("\"frames.rate").expect("a path") < text.find("\"flows[0]").expect("a path"), "{text}");
    let listed = json(&kept.join("sweep.json"));
    let points = listed["points"].as_array().expect("a list");
    let line = |point: &Json| {
        let set: Vec<String> =
            point["set"].as_object().expect("values").values().map(Json::to_string).collect();
        format!("{} {} {}", point["folder"], set.join(" "), point["seed"])
    };
    insta::assert_snapshot!(points.iter().map(line).collect::<Vec<_>>().join("\n"), @r#"
    "points/001-seed-1" 1 "8kB" 1
    "points/001-seed-2" 1 "8kB" 2
    "points/002-seed-1" 2 "8kB" 1
    "points/002-seed-2" 2 "8kB" 2
    "points/003-seed-1" 1 "16 kB" 1
    "points/003-seed-2" 1 "16 kB" 2
    "points/004-seed-1" 2 "16 kB" 1
    "points/004-seed-2" 2 "16 kB" 2
    "#);
    for (point, result) in points.iter().zip(&results) {
        let summary = json(&kept.join(point["folder"].as_str().expect("a folder")).join("summary.json"));
        assert_eq!((&summary["result_hash"], &summary["seed"]), (&point["result_hash"], &point["seed"]));
        assert_eq!(summary["result_hash"], result.result_hash());
    }
}

#[test]
fn values_that_cannot_be_swept_are_refused() {
    let (_, file) = folder("unswept");
    let scenario = load(&file, &[]).expect("it is right");
    let refused = |text: &str| Swept::read(text).map(drop).map_err(|error| error.to_string());
    for text in [
        "",
        "=1",
        "traffic.load=",
        "traffic.load=1,1",
        "traffic.load=1,,2",
        "traffic.load=0..99999:1",
        "a..b=1",
        "seed=1,2",
    ] {
        assert!(refused(text).is_err(), "{text}");
    }
    let swept = |text| Swept::read(text).expect("values");
    let path = "frames.rate_control.own.fixed.window";
    let twice = [swept("flows[0].rounds=1"), swept("flows[0].rounds=2")];
    let found = program().sweep_into(&scenario, &twice, 1, None, &mut |_, _| true);
    assert!(matches!(found, Err(Failure::Use { .. })));
    let many = [swept("flows[0].rounds=0..9999:1"), swept("measure.messages=1..99:1")];
    let found = program().sweep_into(&scenario, &many, 1, None, &mut |_, _| true);
    assert!(matches!(found, Err(Failure::Use { .. })));
    let wrong = [swept(&format!("{path}=1 B,8 kB"))];
    let found = program().sweep_into(&scenario, &wrong, 1, None, &mut |_, _| true);
    assert!(matches!(found, Err(Failure::Scenario(_))));
}

#[test]
fn nothing_that_is_there_is_overwritten_and_nothing_half_written_stays() {
    let (folder, file) = folder("taken");
    let scenario = load(&file, &[]).expect("it is right");
    let found = program().run_into(&scenario, Some(&folder), &|_, _| true);
    assert!(matches!(found, Err(Failure::Taken(_))));
    let below = folder.join("windows.toml").join("run");
    let found = program().run_into(&scenario, Some(&below), &|_, _| true);
    assert!(matches!(found, Err(Failure::Output(_))));
    let names = fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("a name").file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["windows.toml"]);
}

#[test]
fn a_result_that_cannot_be_kept_is_given() {
    let (folder, file) = folder("unkept");
    let scenario = load(&file, &[]).expect("it is right");
    let place = folder.join("run");
    std::os::unix::fs::symlink(folder.join("nowhere"), &place).expect("a link");
    let found = program().run_into(&scenario, Some(&place), &|_, _| true);
    let Err(Failure::NotKept { results, why }) = found else { panic!("nothing can be kept there") };
    let expected = run(&scenario, &|_, _| true).expect("it runs");
    assert_eq!((results.len(), results[0].result_hash()), (1, expected.result_hash()));
    assert!(matches!(*why, Failure::Taken(_)), "{why}");
}

#[test]
fn its_schema_has_its_rules_and_hopscopes_has_none() {
    let schema = program().schema();
    let choices = schema["$defs"]["RateControlParams"]["oneOf"].as_array().expect("a choice");
    let own = &choices.last().expect("some")["properties"]["own"]["oneOf"][0];
    assert_eq!(own["description"], "A fixed window.");
    assert_eq!(own["properties"]["fixed"]["properties"]["window"]["description"], "The window: 10 kB.");
    let without = laboratory("none", "0").schema();
    assert_eq!(without, hopscope_engine::schema());
    assert!(!without.to_string().contains("\"own\""));
}

#[test]
#[should_panic(expected = "added twice")]
fn a_name_is_given_once() {
    let _ = program().with_rate_control::<Fixed>("fixed");
}

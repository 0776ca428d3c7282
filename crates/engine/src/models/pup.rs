//! The Pup internet (crate `pup`).

use std::sync::Arc;

use hopscope_formats::pcapng::{EXPERIMENTAL_ETHERNET, Interface, Packet};
use hopscope_measure::JourneyLog;
use hopscope_pup::wire::Pup as WirePup;
use hopscope_pup::{MachineKind, PupParams, PupPlan, RadioFragment, Tap, write_fragment, write_frame};
use hopscope_units::Time;
use serde_json::{Value as Json, json};

use crate::capture::CaptureFile;
use crate::drive::{Driven, Driver};
use crate::registry::{Finding, ScenarioModel};
use crate::scenario::source::Files;

/// The model `pup`.
pub(crate) enum Pup {}

impl ScenarioModel for Pup {
    const NAME: &'static str = "pup";
    const ABOUT: &'static str = "The Pup internet of 1980: byte streams over Ethernets, phone lines, gateways and packet radio: IEN 138.";
    type Params = PupParams;
    type Plan = Arc<PupPlan>;

    fn prepare(params: &mut PupParams, _: &mut Files<'_>) -> Result<Self::Plan, Vec<Finding>> {
        let plan = PupPlan::new(params.clone());
        plan.map(Arc::new).map_err(|problems| problems.into_iter().map(Finding::from).collect())
    }

    fn run(_: &PupParams, plan: &Self::Plan, driver: &Driver<'_>) -> Driven {
        drive(plan, driver, ())
    }

    fn interfaces(plan: &Self::Plan) -> Vec<Interface<'_>> {
        let networks = plan.params().network.iter().map(|network| network.name.as_str());
        let named = networks.chain(["within machines"]);
        named.map(|name| Interface { name, link_type: EXPERIMENTAL_ETHERNET }).collect()
    }

    fn run_captured(_: &PupParams, plan: &Self::Plan, driver: &Driver<'_>, file: &mut CaptureFile) -> Driven {
        drive(plan, driver, Frames { file, frame: Vec::new() })
    }

    fn topology(_: &PupParams, plan: &Self::Plan) -> Option<Json> {
        Some(topology(plan))
    }
}

fn drive(plan: &Arc<PupPlan>, driver: &Driver<'_>, tap: impl Tap) -> Driven {
    match driver.journeys() {
        0 => driver.drive(plan.simulation(driver.seed(), (), tap)),
        most => driver.drive(plan.simulation(driver.seed(), JourneyLog::new(most), tap)),
    }
}

/// Every Pup as a frame of the experimental Ethernet, whatever the network that carries it.
struct Frames<'a> {
    file: &'a mut CaptureFile,
    frame: Vec<u8>,
}

impl Tap for Frames<'_> {
    fn frame(&mut self, at: Time, network: u32, from: u8, to: u8, pup: &WirePup<'_>) {
        write_frame(from, to, pup, &mut self.frame);
        self.put(at, network);
    }

    fn fragment(&mut self, at: Time, network: u32, from: u8, to: u8, fragment: RadioFragment<'_>) {
        write_fragment(from, to, fragment, &mut self.frame);
        self.put(at, network);
    }
}

impl Frames<'_> {
    fn put(&mut self, at: Time, network: u32) {
        let time_ns = at.since(Time::ZERO).ps() / 1_000;
        self.file.packet(Packet { interface: network, time_ns, bytes: &self.frame });
        self.frame.clear();
    }
}

/// Networks and gateways with the hosts around them. What counts on the way are gateways.
fn topology(plan: &PupPlan) -> Json {
    let nowhere: Option<f64> = None;
    let node = |name: &str, kind: &str, role: Option<&str>| {
        let (x, y, level) = (nowhere, nowhere, nowhere);
        json!({"name": name, "kind": kind, "role": role, "x": x, "y": y, "level": level})
    };
    let networks = plan.params().network.iter().map(|network| node(&network.name, "switch", Some("network")));
    let machines = plan.machines().map(|(name, kind)| match kind {
        MachineKind::Gateway => node(name, "switch", Some("gateway")),
        MachineKind::Host => node(name, "host", None),
    });
    let links = plan.attachments().map(|on| {
        json!({"from": on.machine, "from_port": on.station, "to": on.network, "to_port": on.address, "up": null})
    });
    let routes = plan.gateways_between_hosts();
    let pairs: u64 = routes.values().sum();
    let passed: u64 = routes.iter().map(|(gateways, pairs)| u64::from(*gateways) * pairs).sum();
    let count = |kind| plan.machines().filter(|machine| machine.1 == kind).count();
    json!({
        "figures": {
            "networks": plan.params().network.len(),
            "gateways": count(MachineKind::Gateway),
            "hosts": count(MachineKind::Host),
            "on_the_way": "gateways",
            "diameter": routes.keys().max(),
            "mean_hops": if pairs == 0 { None } else { Some(passed as f64 / pairs as f64) },
            "hop_histogram": routes,
        },
        "nodes": networks.chain(machines).collect::<Vec<_>>(),
        "links": links.collect::<Vec<_>>(),
    })
}

//! The events of a fault plan, in order of time: links that fail, tables that change, links that recover.

use std::collections::BTreeMap;

use hopscope_fabric::{FabricPlan, Failing, Fault, Goes, PlannedFault, Rule, Slot, planned, routing_rule};
use hopscope_measure::Problem;
use hopscope_topology::{DestinationTables, LinkId, Network, Node, Routes, SwitchId};
use hopscope_units::{Span, Time};

/// All events, computed before a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timeline {
    pub faults: Vec<PlannedFault>,
    /// From a fault until new tables take effect.
    pub reroute: Span,
    pub steps: Vec<Step>,
}

/// An event at an instant.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub at: Time,
    pub change: Change,
}

/// What happens.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// Links fail: the slots at both of their ends. With a switch also the frames in it.
    Fails { slots: Vec<Slot>, switch: Option<SwitchId> },
    /// All switches follow these tables from now on, if they are new, and the links of these slots carry frames again.
    Tables { routes: Option<Routes>, back: Vec<Slot> },
}

/// The state of each link and each switch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Working {
    links: Vec<bool>,
    switches: Vec<bool>,
}

impl Working {
    fn all(network: &Network) -> Self {
        Self { links: vec![true; network.links().len()], switches: vec![true; network.switches().len()] }
    }

    fn apply(&mut self, fault: &PlannedFault) {
        let works = fault.goes == Goes::Up;
        match &fault.what {
            Failing::Links(links) => links.iter().for_each(|link| self.links[link.index()] = works),
            Failing::Switch(switch) => self.switches[switch.index()] = works,
        }
    }

    /// Whether a link and the switches at its ends work.
    fn carries(&self, network: &Network, link: LinkId) -> bool {
        let ends = network.link(link).ends.iter();
        let mut works = ends.map(|end| match end.node {
            Node::Switch(switch) => self.switches[switch.index()],
            Node::Host(_) => true,
        });
        self.links[link.index()] && works.all(|works| works)
    }
}

impl Timeline {
    /// The timeline of these faults on a fabric whose tables are recomputed `reroute` after each.
    ///
    /// # Errors
    /// Faults that name nothing in the network; routes that cannot be computed around the failed parts.
    pub fn new(faults: &[Fault], reroute: Span, fabric: &FabricPlan) -> Result<Self, Vec<Problem>> {
        let faults = planned(faults, &fabric.network)?;
        if faults.is_empty() {
            return Ok(Self::default());
        }
        if matches!(fabric.params.routing.rule, Rule::DimensionOrder | Rule::StructuredPools) {
            let problem = "a fault plan needs routes that lead round what failed";
            let expected = "rule = \"up-down\", \"shortest\" or \"by-family\"";
            return Err(vec![Problem::new("routing.rule", problem, expected)]);
        }
        let steps = steps(&faults, reroute, fabric);
        Ok(Self { faults, reroute, steps })
    }

    /// The same with tables of a file, which stay as they are.
    pub fn keeping_tables(mut self) -> Self {
        for step in &mut self.steps {
            if let Change::Tables { routes, .. } = &mut step.change {
                *routes = None;
            }
        }
        self
    }

    /// The same with these tables of a file, each from its instant on.
    pub fn with_tables(mut self, fabric: &FabricPlan, tables: Vec<(Time, DestinationTables)>) -> Self {
        for (at, tables) in tables {
            let routes = Routes::of_tables(&fabric.network, tables).expect("the fabric has routes");
            let change = Change::Tables { routes: Some(routes), back: Vec::new() };
            self.steps.push(Step { at, change });
        }
        self.steps.sort_by_key(|step| step.at);
        self
    }
}

/// The steps of each fault: first the failure or recovery itself, later the tables that follow from it.
fn steps(faults: &[PlannedFault], reroute: Span, fabric: &FabricPlan) -> Vec<Step> {
    let network = &fabric.network;
    let mut known = Working::all(network);
    let mut due: Vec<(Time, Option<Working>, &PlannedFault)> = Vec::new();
    for fault in faults {
        known.apply(fault);
        due.push((fault.at, None, fault));
        due.push((fault.at + reroute, Some(known.clone()), fault));
    }
    due.sort_by_key(|(at, ..)| *at);
    let mut tables = Tables::new(fabric);
    let mut works = Working::all(network);
    let mut carries: Vec<bool> = vec![true; network.links().len()];
    let mut steps = Vec::new();
    for (at, seen, fault) in due {
        let before = carries.clone();
        let change = match seen {
            None => {
                works.apply(fault);
                for link in network.link_ids() {
                    carries[link.index()] &= works.carries(network, link);
                }
                let switch = match (&fault.what, fault.goes) {
                    (Failing::Switch(switch), Goes::Down) => Some(*switch),
                    _ => None,
                };
                Change::Fails { slots: slots_of(fabric, |link| before[link] && !carries[link]), switch }
            }
            Some(seen) => {
                for link in network.link_ids() {
                    let now = seen.carries(network, link) && works.carries(network, link);
                    carries[link.index()] |= now;
                }
                let back = slots_of(fabric, |link| carries[link] && !before[link]);
                Change::Tables { routes: Some(tables.after(seen)), back }
            }
        };
        steps.push(Step { at, change });
    }
    steps
}

/// The slots at both ends of some links.
fn slots_of(fabric: &FabricPlan, chosen: impl Fn(usize) -> bool) -> Vec<Slot> {
    let links = fabric.network.links().iter().enumerate().filter(|(link, _)| chosen(*link));
    links.flat_map(|(_, link)| link.ends.map(|end| fabric.slots.of(end.node, end.port, 0))).collect()
}

/// The tables for each set of working parts, each computed once.
struct Tables<'a> {
    fabric: &'a FabricPlan,
    known: BTreeMap<Working, Routes>,
}

impl<'a> Tables<'a> {
    fn new(fabric: &'a FabricPlan) -> Self {
        let whole = Working::all(&fabric.network);
        Self { fabric, known: BTreeMap::from([(whole, fabric.routes.clone())]) }
    }

    fn after(&mut self, seen: Working) -> Routes {
        let FabricPlan { network, params, .. } = self.fabric;
        let compute = || {
            let rule = routing_rule(network, &params.routing);
            let left = network.keeping_links(|link| seen.carries(network, link));
            Routes::of_what_is_left(&left, &rule).expect("the whole network has routes under this rule")
        };
        if let Some(routes) = self.known.get(&seen) {
            return routes.clone();
        }
        let routes = compute();
        self.known.insert(seen, routes.clone());
        routes
    }
}

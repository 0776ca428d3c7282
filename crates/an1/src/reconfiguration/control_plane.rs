//! The control processors in the running fabric: faults, their detection, control packets on links, loading of tables.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hopscope_fabric::{Failing, Goes, NANOBITS, Slot};
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_topology::{LinkId, Node, Port, Routes, RoutingRule, SwitchId};
use hopscope_units::{Span, Time};

use crate::event::Event;
use crate::machine::An1;
use crate::plan::An1Plan;
use crate::reconfiguration::outage::Outages;
use crate::reconfiguration::purge::Purge;
use crate::reconfiguration::{Deed, Message, Processor, Rank, Skeptic, Topology};

/// A work item of a control processor.
#[derive(Clone, Debug)]
enum Work {
    LinkChanged(Port, bool),
    Message(Port, Message),
}

/// A switch as its control processor runs it.
#[derive(Clone, Debug)]
pub(crate) struct ControlledSwitch {
    machine: Processor,
    /// The queue of the control processor; the first item is in work. Items are processed one after the other.
    inbox: VecDeque<Work>,
    /// The topology whose table is being computed and loaded, and when that is done.
    loading: Option<(Arc<Topology>, Time)>,
    /// Whether host packets pass.
    pub open: bool,
    pub up: bool,
}

/// A link between switches.
#[derive(Clone, Copy, Debug)]
struct ControlledLink {
    /// Whether it would work if the switches at its ends did.
    whole: bool,
    /// Whether it works.
    up: bool,
    skeptic: Skeptic,
    /// Whether the control processors at its ends believe that it works.
    believed: bool,
    /// When they detect that it has failed, whether or not it works again by then: the hardware latches it.
    noticed: Time,
    /// When they believe that it works, if it does not fail before.
    trusted: Time,
}

/// Control packets on the way out of a slot.
#[derive(Clone, Debug, Default)]
struct Wire {
    /// With the times of their arrivals.
    on_the_way: VecDeque<(Time, Message)>,
    /// When the last one will have been sent.
    free: Time,
}

/// The state that a network with a fault plan has in addition.
#[derive(Debug)]
pub(crate) struct ControlPlane {
    pub switches: Vec<ControlledSwitch>,
    links: Vec<ControlledLink>,
    wires: Vec<Wire>,
    /// Slots whose link is down.
    pub dead: Vec<bool>,
    /// Destroyed packets whose links are being purged.
    pub purges: BTreeMap<u32, Purge>,
    /// The routes of each topology: switches compute the same ones independently.
    computed: BTreeMap<Topology, Arc<Routes>>,
    pub outages: Outages,
}

impl An1Plan {
    /// The rank of a switch: a root named in the scenario precedes all others, which follow by their UIDs.
    pub(crate) fn rank(&self, switch: SwitchId) -> Rank {
        let node = &self.fabric.network.switch(switch);
        if self.params.fabric.routing.root.as_ref() == Some(&node.name) {
            0
        } else {
            node.uid.saturating_add(1)
        }
    }

    pub(crate) fn control(&self) -> Option<Box<ControlPlane>> {
        if self.faults.is_empty() {
            return None;
        }
        let switch = |id: SwitchId| ControlledSwitch {
            machine: Processor::configured(
                self.rank(id),
                self.fabric.network.neighbours(id).map(|(port, ..)| port),
            ),
            inbox: VecDeque::new(),
            loading: None,
            open: true,
            up: true,
        };
        let link = ControlledLink {
            whole: true,
            up: true,
            skeptic: Skeptic::default(),
            believed: true,
            noticed: Time::NEVER,
            trusted: Time::NEVER,
        };
        Some(Box::new(ControlPlane {
            switches: self.fabric.network.switch_ids().map(switch).collect(),
            links: vec![link; self.fabric.network.links().len()],
            wires: vec![Wire::default(); self.fabric.slots.links.len()],
            dead: vec![false; self.fabric.slots.links.len()],
            purges: BTreeMap::new(),
            computed: BTreeMap::new(),
            outages: Outages::default(),
        }))
    }

    /// The routes of a topology that control processors have agreed on.
    fn routes_of(&self, topology: &Topology) -> Routes {
        let by_rank: BTreeMap<Rank, SwitchId> =
            self.fabric.network.switch_ids().map(|id| (self.rank(id), id)).collect();
        let stays = |link: LinkId| {
            self.fabric.network.link(link).switches().is_none() || {
                let mut ends = self.fabric.network.link(link).ends.map(|end| match end.node {
                    Node::Switch(id) => (self.rank(id), end.port),
                    Node::Host(_) => unreachable!("a link between switches"),
                });
                ends.sort_unstable();
                topology.links.contains(&ends)
            }
        };
        let root = self.fabric.network.switch(by_rank[&topology.root]).name.clone();
        Routes::compute(&self.fabric.network.keeping_links(stays), &RoutingRule::UpDown { roots: vec![root] })
            .expect("a switch of the network is the root")
    }
}

impl<J: Journal> An1<J> {
    pub(crate) fn control(&mut self) -> &mut ControlPlane {
        self.control.as_mut().expect("only a network with a fault plan has control events")
    }

    /// A fault or recovery happens.
    pub(crate) fn fault(&mut self, now: Time, index: u32, queue: &mut EventQueue<Event>) {
        let an1 = Arc::clone(&self.an1);
        let fault = &an1.faults[index as usize];
        self.control().outages.fault(now);
        match &fault.what {
            Failing::Links(links) => {
                for &link in links {
                    self.control().links[link.index()].whole = fault.goes == Goes::Up;
                    self.link_changes(now, link, queue);
                }
            }
            &Failing::Switch(switch) => self.switch_goes(now, switch, fault.goes, queue),
        }
    }

    /// A link, or a switch at its end, has failed or recovered.
    fn link_changes(&mut self, now: Time, link: LinkId, queue: &mut EventQueue<Event>) {
        let (plan, an1) = (Arc::clone(&self.plan), Arc::clone(&self.an1));
        let params = &an1.params.reconfiguration;
        let ends = plan.network.link(link).ends.map(|end| plan.slots.of(end.node, end.port, 0));
        let switches = plan.network.link(link).switches().expect("a link between switches");
        let switches_up = switches.iter().all(|switch| self.control().switches[switch.index()].up);
        let state = &mut self.control().links[link.index()];
        let up = state.whole && switches_up;
        if state.up == up {
            return;
        }
        state.up = up;
        let heard = now + params.detection;
        if up {
            state.trusted = heard + state.skeptic.asks_for(params);
        } else {
            state.skeptic.failed(now, params);
            state.trusted = Time::NEVER;
            if state.believed {
                state.noticed = state.noticed.min(heard);
            }
        }
        let next = if up { state.trusted } else { heard };
        self.schedule(queue, ends[0], next, Event::LinkKnown(link.index() as u32));
        for slot in ends {
            self.set_dead(now, slot, !up, queue);
        }
    }

    /// The control processors at the ends of a link may have detected a change.
    pub(crate) fn link_known(&mut self, now: Time, link: u32, queue: &mut EventQueue<Event>) {
        let state = &mut self.control().links[link as usize];
        if state.noticed == now {
            (state.noticed, state.believed) = (Time::NEVER, false);
            self.link_believed(now, link, false, queue);
        }
        let state = &mut self.control().links[link as usize];
        if state.trusted == now {
            (state.trusted, state.believed) = (Time::NEVER, true);
            state.skeptic.believes(now);
            self.control().outages.repair(now);
            self.link_believed(now, link, true, queue);
        }
    }

    /// The control processors at the ends of a link believe that it works, or no longer: the state between them is
    /// reset.
    fn link_believed(&mut self, now: Time, link: u32, works: bool, queue: &mut EventQueue<Event>) {
        let plan = Arc::clone(&self.plan);
        for end in plan.network.link(LinkId::new(link as usize)).ends {
            self.clear_wire(now, plan.slots.of(end.node, end.port, 0));
            if let Node::Switch(switch) = end.node {
                self.put_to_work(now, switch.index(), Work::LinkChanged(end.port, works), queue);
            }
        }
    }

    fn switch_goes(&mut self, now: Time, switch: SwitchId, goes: Goes, queue: &mut EventQueue<Event>) {
        let (plan, up) = (Arc::clone(&self.plan), goes == Goes::Up);
        let state = &mut self.control().switches[switch.index()];
        if state.up == up {
            return;
        }
        state.up = up;
        if !up {
            (state.open, state.loading) = (false, None);
            state.inbox.clear();
            self.close_switch(now, switch, queue);
        }
        for (_, link, ..) in plan.network.neighbours(switch) {
            self.link_changes(now, link, queue);
        }
        if up {
            // It starts without knowledge of links, and learns of each link when it is believed.
            let mut machine = Processor::new(self.an1.rank(switch));
            let mut deeds = Vec::new();
            machine.boot(&mut deeds);
            self.control().switches[switch.index()].machine = machine;
            self.perform(now, switch.index(), deeds, queue);
        } else {
            self.control().outages.opens(now, switch.index());
        }
    }

    /// Adds work for a control processor that is up.
    fn put_to_work(&mut self, now: Time, switch: usize, work: Work, queue: &mut EventQueue<Event>) {
        let state = &mut self.control().switches[switch];
        if state.up {
            state.inbox.push_back(work);
            if state.inbox.len() == 1 {
                self.schedule_work(now, switch, queue);
            }
        }
    }

    fn schedule_work(&mut self, now: Time, switch: usize, queue: &mut EventQueue<Event>) {
        let done = now + self.an1.params.reconfiguration.message;
        let slot = self.plan.slots.port(switch, 0);
        self.schedule(queue, slot, done, Event::Attended(switch as u32));
    }

    /// A control processor has processed the first item in its inbox.
    pub(crate) fn attended(&mut self, now: Time, switch: u32, queue: &mut EventQueue<Event>) {
        let switch = switch as usize;
        let mut deeds = Vec::new();
        let state = &mut self.control().switches[switch];
        // If the switch has failed meanwhile, nothing is left.
        let Some(work) = state.inbox.pop_front() else { return };
        match work {
            Work::LinkChanged(port, works) => state.machine.link_changed(port, works, &mut deeds),
            Work::Message(port, message) => state.machine.receive(port, message, &mut deeds),
        }
        if !state.inbox.is_empty() {
            self.schedule_work(now, switch, queue);
        }
        self.perform(now, switch, deeds, queue);
    }

    fn perform(&mut self, now: Time, switch: usize, deeds: Vec<Deed>, queue: &mut EventQueue<Event>) {
        for deed in deeds {
            match deed {
                Deed::Close => {
                    let state = &mut self.control().switches[switch];
                    state.loading = None;
                    let epoch = state.machine.epoch();
                    if std::mem::replace(&mut state.open, false) {
                        self.control().outages.closes(now, switch);
                        self.close_switch(now, SwitchId::new(switch), queue);
                    }
                    self.control().outages.epoch(epoch);
                }
                Deed::Send(port, message) => self.send_control(now, switch, port, message, queue),
                Deed::Load(topology) => self.load(now, switch, topology, queue),
            }
        }
    }

    /// A control packet leaves by a port. It does not wait for host packets, only for other control packets.
    fn send_control(
        &mut self,
        now: Time,
        switch: usize,
        port: Port,
        message: Message,
        queue: &mut EventQueue<Event>,
    ) {
        let slot = self.plan.slots.port(switch, port * self.plan.slots.lanes);
        let cable = self.plan.slots.links[slot as usize];
        let link =
            self.plan.network.switch(SwitchId::new(switch)).ports[port as usize].expect("a port with a link");
        let believed = self.control().links[link.index()].believed;
        if !believed || self.control().dead[slot as usize] {
            return;
        }
        self.control().outages.control_packets += 1;
        let wire = &mut self.control().wires[slot as usize];
        wire.free = now.max(wire.free) + Span::from_ps((message.bits() * NANOBITS).div_ceil(cable.rate));
        let arrives = wire.free + cable.delay;
        wire.on_the_way.push_back((arrives, message));
        self.schedule(queue, slot, arrives, Event::ControlIn(slot));
    }

    /// A control packet sent by this slot has arrived, unless the link has failed since.
    pub(crate) fn control_in(&mut self, now: Time, sender: Slot, queue: &mut EventQueue<Event>) {
        let wire = &mut self.control().wires[sender as usize].on_the_way;
        if wire.front().is_none_or(|(arrives, _)| *arrives > now) {
            return;
        }
        let (_, message) = wire.pop_front().expect("looked at above");
        let (switch, lane) = self.plan.slots.switch_port(self.plan.slots.links[sender as usize].far);
        let port = lane / self.plan.slots.lanes;
        self.put_to_work(now, switch, Work::Message(port, message), queue);
    }

    /// Control packets in flight are lost with their link.
    pub(crate) fn clear_wire(&mut self, now: Time, slot: Slot) {
        self.control().wires[slot as usize] = Wire { on_the_way: VecDeque::new(), free: now };
    }

    /// A switch computes and loads its table.
    fn load(&mut self, now: Time, switch: usize, topology: Arc<Topology>, queue: &mut EventQueue<Event>) {
        let params = &self.an1.params.reconfiguration;
        let computes = Span::from_ps(params.table.ps().saturating_mul(topology.switches.len() as u64));
        let done = now + computes + params.load;
        self.control().switches[switch].loading = Some((topology, done));
        let slot = self.plan.slots.port(switch, 0);
        self.schedule(queue, slot, done, Event::Loaded(switch as u32));
    }

    /// A table has been loaded, unless another reconfiguration has begun since: the switch opens.
    pub(crate) fn loaded(&mut self, now: Time, switch: u32, queue: &mut EventQueue<Event>) {
        let state = &mut self.control().switches[switch as usize];
        let Some((topology, _)) = state.loading.take_if(|(_, done)| *done == now) else { return };
        state.open = true;
        let plan = Arc::clone(&self.an1);
        let control = self.control();
        let routes = match control.computed.get(&*topology) {
            Some(known) => Arc::clone(known),
            None => {
                let routes = Arc::new(plan.routes_of(&topology));
                control.computed.insert((*topology).clone(), Arc::clone(&routes));
                routes
            }
        };
        control.outages.opens(now, switch as usize);
        self.open_switch(now, SwitchId::new(switch as usize), routes, queue);
    }
}

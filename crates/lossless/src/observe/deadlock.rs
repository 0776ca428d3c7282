//! Deadlock: a cycle of queues that block each other. Found by what each waits for, not by a clock.

use hopscope_fabric::{Slot, cycle_of_waits, keep_stuck, stuck};
use hopscope_measure::{Journal, Stuck};
use hopscope_topology::HostId;
use hopscope_units::Time;

use crate::flow_control::Control;
use crate::flow_control::thresholds::PfcThresholds;
use crate::frame::NO_FRAME;
use crate::machine::Lossless;

/// A queue, and the queues of which one must move before it can.
type Wait = (u32, Vec<u32>);

impl<J: Journal> Lossless<J> {
    /// The deadlock in the network, if there is one: queues none of which can ever move.
    pub(crate) fn find_deadlock(&self, _now: Time) -> Option<Stuck> {
        let mut waits = match &self.frames_plan().control {
            Control::Pfc(thresholds) => self.waits_for_room(thresholds),
            Control::Credits(buffer) => self.waits_for_credit(*buffer),
            Control::TailDrop(_) => return None,
        };
        let mut moving = vec![true; self.queues.len()];
        for (queue, _) in &waits {
            moving[*queue as usize] = false;
        }
        keep_stuck(&mut waits, &mut moving);
        let (first, _) = waits.first()?;
        let cycle = cycle_of_waits(*first, &waits);
        let reason = format!("a cycle of {} queues", cycle.len());
        Some(stuck(&cycle, reason, |&queue| self.describe(queue as usize)))
    }

    /// The port and lane of a queue.
    fn place(&self, queue: usize) -> (Slot, usize) {
        let lanes = self.frames_plan().lanes;
        ((queue / lanes) as Slot, queue % lanes)
    }

    /// The waiting queues that are stopped by a switch. A host that stops a queue takes its frames in time, however
    /// slowly.
    fn held_back(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.queues.len()).filter(|&queue| {
            let (slot, lane) = self.place(queue);
            let port = &self.ports[slot as usize];
            !port.to_host && !port.down && (port.waiting & port.held) >> lane & 1 == 1
        })
    }

    /// The input lane at the other end of a queue's link.
    fn far_input(&self, queue: usize) -> usize {
        let (slot, lane) = self.place(queue);
        self.frames_plan().queue(self.ports[slot as usize].far, lane)
    }

    /// The frames in the queue of a switch's port, first to last.
    pub(crate) fn queued(&self, queue: usize) -> impl Iterator<Item = u32> + '_ {
        let first = self.queues[queue].head;
        std::iter::successors((first != NO_FRAME).then_some(first), |&frame| {
            let next = self.frames[frame].next;
            (next != NO_FRAME).then_some(next)
        })
    }

    /// With pause frames: the queues that wait for an input to have less in the buffer, while too much of that is in
    /// such queues itself.
    fn waits_for_room(&self, thresholds: &PfcThresholds) -> Vec<Wait> {
        let mut stuck: Vec<usize> = self.held_back().collect();
        loop {
            let mut of_input = vec![0u64; self.inputs.len()];
            let mut of_switch = vec![0u64; self.switches.len()];
            for &queue in stuck.iter().filter(|&&queue| !self.plan.slots.is_host(self.place(queue).0)) {
                let (switch, _) = self.plan.slots.switch_port(self.place(queue).0);
                for frame in self.queued(queue) {
                    let frame = &self.frames[frame];
                    of_input[frame.input as usize] += u64::from(frame.bits);
                    of_switch[switch] += u64::from(frame.bits);
                }
            }
            let before = stuck.len();
            stuck.retain(|&queue| {
                let input = self.far_input(queue);
                let (switch, _) = self.plan.slots.switch_port(self.inputs[input].slot);
                let start_at = thresholds.start_at(switch, of_switch[switch]);
                self.inputs[input].stopped && of_input[input] > start_at
            });
            if stuck.len() == before {
                break;
            }
        }
        let holding = |queue: usize| {
            let input = self.far_input(queue) as u32;
            let holds = |&other: &usize| {
                !self.plan.slots.is_host(self.place(other).0)
                    && self.queued(other).any(|frame| self.frames[frame].input == input)
            };
            stuck.iter().copied().filter(holds).map(|other| other as u32).collect()
        };
        stuck.iter().map(|&queue| (queue as u32, holding(queue))).collect()
    }

    /// With credits: the queues that wait for the head of a full lane, and where that waits.
    fn waits_for_credit(&self, buffer: u64) -> Vec<Wait> {
        let mut waits = Vec::new();
        for queue in self.held_back() {
            let (slot, lane) = self.place(queue);
            let input = &self.inputs[self.far_input(queue)];
            let has_room = input.held + self.next_length(slot, lane) <= buffer;
            let far = self.ports[slot as usize].far;
            let (switch, _) = self.plan.slots.switch_port(far);
            let port_count = self.plan.network.switches()[switch].ports.len();
            let first = self.frames_plan().queue(self.switches[switch].base, 0);
            let others = first..first + port_count * self.frames_plan().lanes;
            let mut waiting = others.filter(|&other| self.queued(other).any(|frame| frame == input.head));
            // If the head is leaving, or credits are in flight, it only needs time.
            if let Some(other) = waiting.next().filter(|_| !has_room) {
                waits.push((queue as u32, vec![other as u32]));
            }
        }
        waits
    }

    fn describe(&self, queue: usize) -> String {
        let (slot, lane) = self.place(queue);
        let network = &self.plan.network;
        let host = |id: u32| &network.host(HostId::new(id as usize)).name;
        let [from, to] = if self.plan.slots.is_host(slot) {
            let flow = &self.flows[self.ring(slot, lane)[0]];
            [flow.from, flow.to]
        } else {
            let flow = &self.flows[self.frames[self.queues[queue].head].flow];
            [flow.from, flow.to]
        };
        let at = match self.plan.slots.is_host(slot) {
            true => self.plan.slots.name(network, slot),
            false => network.switches()[self.plan.slots.switch_port(slot).0].name.clone(),
        };
        let in_lane = if self.frames_plan().lanes == 1 { String::new() } else { format!(" in lane {lane}") };
        let link = self.plan.slots.link_name(network, slot);
        let why = match self.frames_plan().control {
            Control::Pfc(_) => "which is paused",
            Control::Credits(_) => "which has no credit",
            Control::TailDrop(_) => "which is never held back",
        };
        format!("{} -> {} in {at} waits{in_lane} for {link}, {why}", host(from), host(to))
    }
}

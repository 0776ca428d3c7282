//! Which lane of a port sends next: in turn, the first priority first, or in proportion to weights by deficit round
//! robin (Shreedhar and Varghese 1996).

use hopscope_fabric::Slot;
use hopscope_measure::Journal;

use crate::machine::Lossless;
use crate::params::Scheduling;
use crate::plan::FramePlan;

/// Of these lanes the first from a turn on.
#[inline]
pub(crate) fn in_turn(lanes: u16, turn: u8) -> usize {
    let later = lanes >> turn << turn;
    (if later == 0 { lanes } else { later }).trailing_zeros() as usize
}

/// What each service of a port may still send in its visit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deficits {
    /// Bits, service by service of each port; nothing without weights.
    bits: Vec<u64>,
    services: usize,
    ports: Vec<Visit>,
}

/// The service that a port visits.
#[derive(Clone, Copy, Debug)]
struct Visit {
    service: u8,
    /// Whether it has had its quantum.
    begun: bool,
}

impl Deficits {
    pub fn new(plan: &FramePlan, slots: usize) -> Self {
        match plan.scheduling {
            Scheduling::RoundRobin | Scheduling::Strict => Self::default(),
            Scheduling::Weighted(_) => Self {
                bits: vec![0; slots * plan.services()],
                services: plan.services(),
                ports: vec![Visit { service: 0, begun: false }; slots],
            },
        }
    }

    /// The service that a port visits has sent so much.
    pub fn spend(&mut self, slot: Slot, bits: u64) {
        let visited = usize::from(self.ports[slot as usize].service);
        self.bits[slot as usize * self.services + visited] -= bits;
    }

    /// On to the next service.
    fn go_on(&mut self, slot: Slot) {
        let visit = &mut self.ports[slot as usize];
        visit.service = (visit.service + 1) % self.services as u8;
        visit.begun = false;
    }
}

impl FramePlan {
    /// The lanes of a service, as bits.
    fn lanes_of(&self, service: u8) -> u16 {
        (((1_u32 << self.route_lanes) - 1) << (u16::from(service) * self.route_lanes)) as u16
    }

    /// Of these lanes those of the first service.
    pub fn first_service(&self, lanes: u16) -> u16 {
        lanes & self.lanes_of((lanes.trailing_zeros() as u16 / self.route_lanes) as u8)
    }
}

impl<J: Journal> Lossless<J> {
    /// Of these lanes the next by deficit round robin. What is held back keeps its deficit; what is empty loses it.
    pub(crate) fn in_proportion(&mut self, slot: Slot, lanes: u16) -> usize {
        let plan = &self.lossless.frames;
        let Scheduling::Weighted(weights) = &plan.scheduling else { unreachable!("there are weights") };
        loop {
            let Visit { service, begun } = self.deficits.ports[slot as usize];
            let account = slot as usize * self.deficits.services + usize::from(service);
            let mine = plan.lanes_of(service);
            if lanes & mine == 0 {
                if self.ports[slot as usize].waiting & mine == 0 {
                    self.deficits.bits[account] = 0;
                }
                self.deficits.go_on(slot);
                continue;
            }
            if !begun {
                self.deficits.bits[account] += u64::from(weights[usize::from(service)]) * plan.mtu;
                self.deficits.ports[slot as usize].begun = true;
            }
            let lane = in_turn(lanes & mine, self.ports[slot as usize].turn);
            if self.next_length(slot, lane) <= self.deficits.bits[account] {
                return lane;
            }
            self.deficits.go_on(slot);
        }
    }
}

//! Which lane of a port sends next: in turn, the first priority first, or in proportion to weights by deficit round
//! robin (Shreedhar and Varghese 1996).

use hopscope_fabric::Slot;
use hopscope_measure::Journal;

use crate::flow_control::tail_drop::HEADER_BITS;
use crate::machine::Lossless;
use crate::params::Scheduling;
use crate::plan::FramePlan;

/// The first of these lanes from a turn on.
#[inline]
pub(crate) fn in_turn(lanes: u16, turn: u8) -> usize {
    let later = lanes >> turn << turn;
    (if later == 0 { lanes } else { later }).trailing_zeros() as usize
}

/// The deficits: what each service of a port may still send in its visit.
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

    /// The service that a port visits has sent this much.
    pub fn spend(&mut self, slot: Slot, bits: u64) {
        let visited = usize::from(self.ports[slot as usize].service);
        self.bits[slot as usize * self.services + visited] -= bits;
    }

    /// Moves on to the next service.
    fn go_on(&mut self, slot: Slot) {
        let visit = &mut self.ports[slot as usize];
        visit.service = (visit.service + 1) % self.services as u8;
        visit.begun = false;
    }
}

/// The largest amount of headers that a port sends consecutively while frames wait, as a multiple of the longest frame.
/// Headers get ten elevenths of the link at most: with absolute priority they alone could fill it.
///
/// NDP counts ten headers to a frame, and so needs switches that send back a header without room (Handley et al. 2017).
const HEADERS_TO_FRAMES: u64 = 10;

/// The headers of trimmed frames that each port has sent since it last sent a frame, while frames waited.
#[derive(Clone, Debug)]
pub(crate) struct HeaderRuns {
    runs: Vec<u32>,
    longest: u32,
}

impl HeaderRuns {
    /// For this many ports of a plan; nothing if switches do not trim.
    pub fn new(plan: &FramePlan, slots: usize) -> Self {
        Self {
            runs: if plan.header_lane == 0 { Vec::new() } else { vec![0; slots] },
            longest: u32::try_from(HEADERS_TO_FRAMES * plan.mtu / HEADER_BITS).unwrap_or(u32::MAX),
        }
    }

    /// Those of these lanes that may send next: that of the headers, which go first, or the others.
    #[inline]
    pub fn permitted(&mut self, slot: Slot, candidates: u16, header_lane: u16) -> u16 {
        let (headers, frames) = (candidates & header_lane, candidates & !header_lane);
        if headers == 0 || frames == 0 {
            return candidates;
        }
        let run = &mut self.runs[slot as usize];
        if *run < self.longest {
            *run += 1;
            return headers;
        }
        *run = 0;
        frames
    }
}

impl FramePlan {
    /// The lanes of a service, as bits.
    fn lanes_of(&self, service: u8) -> u16 {
        (((1_u32 << self.route_lanes) - 1) << (u16::from(service) * self.route_lanes)) as u16
    }

    /// Those of these lanes that belong to the first service.
    pub fn first_service(&self, lanes: u16) -> u16 {
        lanes & self.lanes_of((lanes.trailing_zeros() as u16 / self.route_lanes) as u8)
    }
}

impl<J: Journal> Lossless<J> {
    /// The next of these lanes by deficit round robin. A stopped service keeps its deficit; an empty one loses it.
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

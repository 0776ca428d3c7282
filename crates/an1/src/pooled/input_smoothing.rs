//! Input smoothing (Hluchyj and Karol 1988): time is divided into frames. All packets that an input has received are
//! offered to the outputs together when a frame begins, over as many inlets of a larger crossbar as a frame has slots.
//!
//! An output takes as many packets as it can send in the frame. The original loses the others; here they wait for the
//! next frame.

use hopscope_fabric::NO_SLOT;
use hopscope_kernel::{EventQueue, Order};
use hopscope_measure::{Journal, Problem};
use hopscope_topology::Port;
use hopscope_units::{Span, Time};

use crate::discipline::{Discipline, SmoothingFrame};
use crate::event::Event;
use crate::machine::An1;
use crate::plan::An1Plan;
use crate::pooled::Claim;

impl An1Plan {
    /// The length of a frame, if all packets take one time on all links.
    pub(crate) fn frame_length(&self, frame: SmoothingFrame) -> Result<Span, Problem> {
        let refuse = |problem: &str, expected: &str| {
            Problem::new("switch.discipline.input-smoothing", problem, expected)
        };
        let traffic = &self.traffic;
        let length = traffic.only_length().ok_or_else(|| {
            let problem = "smoothing frames need packets of one length";
            refuse(problem, "messages of one fixed size and no bursts, or another discipline")
        })?;
        let mut rates =
            self.fabric.slots.links.iter().filter(|cable| cable.far != NO_SLOT).map(|cable| cable.rate);
        let rate = rates.next().expect("a network has links");
        if rates.any(|other| other != rate) {
            let problem = "smoothing frames need links of one rate";
            return Err(refuse(problem, "links of one rate, or another discipline"));
        }
        let slot = hopscope_units::Rate::from_bit_s(rate * 1_000).time_for(length);
        Ok(slot * u64::from(frame.slots))
    }
}

impl<J: Journal> An1<J> {
    /// Schedules the offer of a packet, after its routing decision, for the beginning of the next frame, or now if that
    /// is now.
    pub(crate) fn await_frame(&mut self, from: Time, of: u32, queue: &mut EventQueue<Event>) {
        let begins = Time::from_ps(from.ps().next_multiple_of(self.an1.smoothing_frame.ps()));
        let pool = &mut self.pools[of as usize];
        if pool.frame_due != Some(begins) {
            pool.frame_due = Some(begins);
            let source = self.switch_order(of);
            queue.schedule(begins, Order::new(source, 0), Event::Frame(of));
        }
    }

    /// A frame begins: packets are offered to the outputs, first come, first served.
    pub(crate) fn begin_frame(&mut self, now: Time, of: u32, queue: &mut EventQueue<Event>) {
        let Discipline::InputSmoothing(SmoothingFrame { slots }) = self.an1.params.switch.discipline else {
            unreachable!("only input smoothing has frames")
        };
        let ports = self.pools[of as usize].lanes.len();
        let (mut sent, mut taken) = (vec![0; ports], vec![0; ports]);
        let mut waiting: Vec<(Time, usize, usize)> = Vec::new();
        for (lane, packets) in self.pools[of as usize].lanes.iter().enumerate() {
            let awaiting = packets.iter().enumerate().filter(|(_, w)| w.claim == Claim::AwaitsFrame);
            waiting.extend(awaiting.map(|(place, w)| (w.first_in, lane, place)));
        }
        let (turn, random) = (self.pools[of as usize].turn, &mut self.switches[of as usize].random);
        waiting.sort_unstable();
        self.an1.params.switch.arbiter.line_up(&mut waiting, |&(_, lane, _)| lane as Port, turn, random);
        // First come, first served; the arbiter has ordered those that came at the same instant.
        waiting.sort_by_key(|&(first_in, ..)| first_in);
        let mut left = false;
        for (_, lane, place) in waiting {
            let packet = self.pools[of as usize].lanes[lane][place].packet;
            let ports = self.ports_of(of, lane, packet);
            let least = ports.iter().copied().min_by_key(|&port| taken[usize::from(port)]);
            let output = usize::from(least.expect("every packet has a way to go"));
            if sent[lane] < slots && taken[output] < slots {
                (sent[lane], taken[output]) = (sent[lane] + 1, taken[output] + 1);
                self.pools[of as usize].lanes[lane][place].claim = Claim::Asks;
                self.pools[of as usize].asks(lane);
            } else {
                left = true;
            }
        }
        self.pools[of as usize].frame_due = None;
        if left {
            self.await_frame(now + Span::from_ps(1), of, queue);
        }
        self.match_soon(now, of, queue);
    }
}

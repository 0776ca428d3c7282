//! A sending port, and the queue of each of its lanes.

use hopscope_fabric::{Link, Slot};
use hopscope_units::{Span, Time};

use crate::frame::NO_FRAME;

/// A sending port: one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Port {
    /// The slot at the other end.
    pub far: Slot,
    /// The rate of the link in kbit/s.
    pub rate: u32,
    /// The delay of the link.
    pub delay: Span,
    /// Until when the link is occupied by frames and pause frames in transmission or decided on.
    pub free_at: Time,
    /// Bits sent since the restart.
    pub bits: u64,
    /// Bits sent before it.
    pub bits_before: u64,
    /// Frames sent since the restart.
    pub frames: u32,
    /// The number of events scheduled by it.
    pub count: u32,
    /// The input lane that holds the frame in transmission; at a host its flow, if that has more to send.
    pub holder: u32,
    /// The length of the frame in transmission.
    pub sending: u32,
    /// A bit for each lane in which something waits.
    pub waiting: u16,
    /// A bit for each lane that is stopped.
    pub held: u16,
    /// The lane that is considered first.
    pub turn: u8,
    /// Whether a frame is in transmission.
    pub busy: bool,
    /// Whether its link is down: nothing is sent.
    pub down: bool,
    /// Whether a host is at the other end.
    pub to_host: bool,
}

const _: () = assert!(size_of::<Port>() == 64);

impl Port {
    pub fn new(cable: Link, to_host: bool) -> Self {
        Self {
            far: cable.far,
            rate: u32::try_from(cable.rate).expect("parameters keep links within 4 Tbit/s"),
            delay: cable.delay,
            free_at: Time::ZERO,
            bits: 0,
            bits_before: 0,
            frames: 0,
            count: 0,
            holder: 0,
            sending: 0,
            waiting: 0,
            held: 0,
            turn: 0,
            busy: false,
            down: false,
            to_host,
        }
    }

    /// Lanes that may send, in turn order.
    #[inline]
    pub fn candidates(&self) -> u16 {
        self.waiting & !self.held
    }
}

/// The queue of a lane at an output: one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Queue {
    /// Its first and last frame.
    pub head: u32,
    pub tail: u32,
    /// Bits that wait.
    pub bits: u64,
    /// The maximum of waiting bits since the restart.
    pub peak: u64,
    /// Since when it is stopped; never if it is not.
    pub held_since: Time,
    /// The total time for which it has been stopped, without the present stop.
    pub held_ps: u64,
    /// Time that frames have waited in it since the restart.
    pub wait_ps: u64,
    /// The receiver's free room, bits.
    pub credits: u64,
    /// How often it was stopped since the restart.
    pub holds: u32,
    /// Frames that wait.
    pub frames: u32,
}

const _: () = assert!(size_of::<Queue>() == 64);

impl Queue {
    pub fn new(credits: u64) -> Self {
        Self {
            head: NO_FRAME,
            tail: NO_FRAME,
            bits: 0,
            peak: 0,
            held_since: Time::NEVER,
            held_ps: 0,
            wait_ps: 0,
            credits,
            holds: 0,
            frames: 0,
        }
    }

    /// The total time for which it has been stopped.
    #[inline]
    pub fn held_in_all(&self, now: Time) -> u64 {
        if self.held_since == Time::NEVER {
            self.held_ps
        } else {
            self.held_ps + now.since(self.held_since).ps()
        }
    }

    /// Whether it is stopped: the port has the same, in another cache line.
    #[inline]
    pub fn is_held(&self) -> bool {
        self.held_since != Time::NEVER
    }

    /// It is stopped from now on.
    pub fn hold(&mut self, now: Time) {
        if self.held_since == Time::NEVER {
            self.held_since = now;
            self.holds += 1;
        }
    }

    /// It is no longer stopped.
    pub fn free(&mut self, now: Time) {
        self.held_ps = self.held_in_all(now);
        self.held_since = Time::NEVER;
    }
}

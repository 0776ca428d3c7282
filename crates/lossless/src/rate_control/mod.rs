//! Rate control: how fast each flow may leave its host, and how much of it may be in flight. One folder or file per
//! law, each an implementation of [`RateControl`]; a program may add laws of its own ([`own`]).
//!
//! Sans-IO: a law has no clock, queue or network. The machine passes it what a host sends and the feedback on that, and
//! reads the rate and the window.

#[cfg(test)]
mod bounds;
pub(crate) mod dcqcn;
mod dctcp;
mod feedback;
mod flows;
mod hpcc;
mod nscc;
mod own;
pub mod parts;
mod pull;
mod swift;
mod timely;

use std::fmt::Debug;

use hopscope_units::Time;

pub use self::dctcp::Dctcp;
pub use self::feedback::{Ack, Hop, Loss, LossSignal, Telemetry};
pub(crate) use self::flows::RateControls;
pub use self::own::{OwnRateControl, OwnRule, Setting};

/// A law of rates and windows, the same for all flows. Rates are in kbit/s, windows and amounts of data in bits.
///
/// The machine calls a law in the order of simulated time. The state of a flow is a [`Flow`](Self::Flow), so that the
/// law itself never changes: the same calls give the same answers on every machine. A law that computes with whole
/// numbers ([`parts`]) cannot differ between processors.
pub trait RateControl: Clone + Debug + Send + Sync + 'static {
    /// The state of a flow.
    type Flow: Clone + Debug + Send + Sync;

    /// What limits flows, for the words of a report.
    const HELD_BY: HeldBy;

    /// The telemetry that switches write on frames for it.
    const TELEMETRY: Telemetry = Telemetry::None;

    /// Whether receivers acknowledge each frame.
    const ACKS: bool = true;

    /// Whether receivers send notifications of marked frames (CNPs).
    const CNPS: bool = false;

    /// Whether receivers send pulls.
    const PULLS: bool = false;

    /// The state of a flow of `flow_bits` that begins at a host whose link has the rate `line_kbit_s`.
    fn new_flow(&self, line_kbit_s: u64, flow_bits: u64) -> Self::Flow;

    /// The rate until the next timer expires or the sender gets feedback.
    fn rate_kbit_s(&self, flow: &Self::Flow) -> u64;

    /// The largest amount that may be in flight.
    fn window_bits(&self, _flow: &Self::Flow) -> u64 {
        u64::MAX
    }

    /// Whether the next frame, of `frame_bits`, may go while `in_flight_bits` are in flight. One frame always may when
    /// nothing is.
    #[inline]
    fn permits(&self, flow: &Self::Flow, in_flight_bits: u64, frame_bits: u64) -> bool {
        in_flight_bits == 0 || in_flight_bits + frame_bits <= self.window_bits(flow)
    }

    /// When the flow's next timer expires; never if none is set.
    fn next_timer(&self, _flow: &Self::Flow) -> Time {
        Time::NEVER
    }

    /// The flow's next timer expires: it is set to a later instant, or to none.
    fn on_timer(&self, _flow: &mut Self::Flow) {}

    /// The host sends a frame of `frame_bits`.
    fn on_send(&self, _flow: &mut Self::Flow, _frame_bits: u64) {}

    /// An acknowledgment arrives at the sender.
    fn on_ack(&self, _flow: &mut Self::Flow, _ack: &Ack<'_>) {}

    /// The sender learns that frames of the flow are lost.
    fn on_loss(&self, _flow: &mut Self::Flow, _loss: &Loss) {}

    /// Whether the receiver sends a pull for a frame that has arrived, of which `resend_bits` must be sent again.
    fn sends_pull(&self, _flow: &mut Self::Flow, _resend_bits: u64) -> bool {
        false
    }

    /// A pull arrives at the sender.
    fn on_pull(&self, _flow: &mut Self::Flow) {}

    /// A notification of congestion (CNP) arrives at the sender; all timers due by now have expired.
    fn on_cnp(&self, _flow: &mut Self::Flow, _now: Time) {}

    /// Whether the receiver of a marked frame sends a CNP now. The flow's last one was sent at `last_cnp`, or never.
    fn sends_cnp(&self, _last_cnp: Time, _now: Time) -> bool {
        false
    }

    /// Lets all due timers expire. They need no events: a rate only matters when it is read.
    #[inline]
    fn run_timers(&self, flow: &mut Self::Flow, now: Time) {
        while self.next_timer(flow) <= now {
            self.on_timer(flow);
        }
    }
}

/// The bounds of a window or a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The minimum, inclusive.
    pub least: u64,
    /// The maximum, inclusive; not below the minimum.
    pub most: u64,
}

impl Bounds {
    /// The value clamped to the bounds.
    ///
    /// # Panics
    /// If the maximum is below the minimum.
    #[must_use]
    pub fn clamp(self, value: u64) -> u64 {
        value.clamp(self.least, self.most)
    }
}

/// What a law limits flows by, for the words of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldBy {
    /// Rates.
    Rate,
    /// Windows.
    Window,
    /// Pulls of the receiver.
    Pulls,
}

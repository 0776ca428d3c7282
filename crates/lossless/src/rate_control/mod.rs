//! Who may send next: how fast each flow may leave its host, and how much of it may be under way. One folder or file a
//! law, each a member of [`RateControl`]; a program may bring laws of its own ([`own`]).
//!
//! Sans-IO: a law knows no clock, queue or network. The machine tells it what a host sends and what it hears of that,
//! and asks it for the rate and the window.

#[cfg(test)]
mod bounds;
pub(crate) mod dcqcn;
mod dctcp;
mod flows;
mod heard;
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
pub(crate) use self::flows::RateControls;
pub use self::heard::{Heard, Hop, Missing, Slip, Telemetry};
pub use self::own::{OwnRateControl, OwnRule, Setting};

/// A law of rates and windows, the same for all flows. Rates are in kbit/s, windows in bits.
///
/// The machine calls a law in the order of simulated time. What it keeps of a flow stands in [`Flow`](Self::Flow), so
/// that the law itself never changes: the same calls give the same answers on every machine. A law that computes with
/// whole numbers ([`parts`]) cannot differ between processors.
pub trait RateControl: Clone + Debug + Send + Sync + 'static {
    /// What is kept of a flow.
    type Flow: Clone + Debug + Send + Sync;

    /// By what it holds flows, for the words of a report.
    const HELD_BY: HeldBy;

    /// What switches put on frames for it.
    const TELEMETRY: Telemetry = Telemetry::None;

    /// Whether senders must hear of each frame that arrives.
    const ANSWERS: bool = true;

    /// Whether receivers notify senders of marked frames.
    const NOTIFICATIONS: bool = false;

    /// Whether receivers pull.
    const PULLS: bool = false;

    /// A flow of so many bits begins at a host whose link has this rate.
    fn begins(&self, line: u64, bits: u64) -> Self::Flow;

    /// The rate until the next timer runs out or something is told.
    fn rate(&self, flow: &Self::Flow) -> u64;

    /// What may be under way.
    fn window(&self, _: &Self::Flow) -> u64 {
        u64::MAX
    }

    /// Whether the next frame may go when so much is under way. One frame always may when nothing is.
    #[inline]
    fn permits(&self, flow: &Self::Flow, under_way: u64, next: u64) -> bool {
        under_way == 0 || under_way + next <= self.window(flow)
    }

    /// When the flow's next timer runs out; never where none is set.
    fn next_timer(&self, _: &Self::Flow) -> Time {
        Time::NEVER
    }

    /// The flow's next timer runs out: it is set to a later instant, or to none.
    fn timer(&self, _: &mut Self::Flow) {}

    /// So many bits go out.
    fn sent(&self, _: &mut Self::Flow, _: u64) {}

    /// An acknowledgment arrives at the sender.
    fn answered(&self, _: &mut Self::Flow, _: &Heard<'_>) {}

    /// Frames of the flow are missing.
    fn slipped(&self, _: &mut Self::Flow, _: &Slip) {}

    /// A frame has arrived at the receiver, of which so many bits must come once more: whether the receiver pulls
    /// another.
    fn pulls(&self, _: &mut Self::Flow, _: u64) -> bool {
        false
    }

    /// A pull arrives at the sender.
    fn pulled(&self, _: &mut Self::Flow) {}

    /// A notification of congestion arrives at the sender; all timers due by now have run out.
    fn notified(&self, _: &mut Self::Flow, _: Time) {}

    /// Whether the receiver of a marked frame notifies the sender now, when it did so last at this time or never.
    fn notifies(&self, _: Time, _: Time) -> bool {
        false
    }

    /// Lets all timers run out that are due. They need no events: nobody sees a rate before it is asked for.
    #[inline]
    fn run_timers(&self, flow: &mut Self::Flow, now: Time) {
        while self.next_timer(flow) <= now {
            self.timer(flow);
        }
    }
}

/// Between what a window or a rate must stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The least, itself permitted.
    pub least: u64,
    /// The most, itself permitted; not below the least.
    pub most: u64,
}

impl Bounds {
    /// The value, or the bound that it is beyond.
    ///
    /// # Panics
    /// Where the most is below the least.
    #[must_use]
    pub fn clamp(self, value: u64) -> u64 {
        value.clamp(self.least, self.most)
    }
}

/// What a law holds its flows by, for the words of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldBy {
    /// Rates.
    Rate,
    /// Windows.
    Window,
    /// Pulls of the receiver.
    Pulls,
}

//! Output ports, and where their holders were blocked.

use hopscope_fabric::{Link, NO_SLOT, Slot};
use hopscope_units::{Span, Time};

use crate::switch::directive::Directive;

/// An output port: held by at most one packet, from the grant until its last byte has left.
///
/// One cache line: in a large fabric most of a packet's cost is fetching the states that it passes.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Output {
    /// The FIFO or send queue whose head packet holds it.
    pub holder: Slot,
    /// The slot at the other end of its link.
    pub far: Slot,
    /// Packets sent since the restart.
    pub packets: u32,
    /// The number of heads of FIFOs that wait for a set of outputs which includes this one.
    pub waiting: u16,
    /// The last directive of the receiver at the far end.
    pub directive: Directive,
    /// Whether the far end is a host.
    pub to_host: bool,
    /// Whether the far end needs an event when it has a packet's last byte.
    pub announces_tail: bool,
    /// Whether it is held without sending. Kept here, so that a grant to a packet that flows at once, as most do, does
    /// not fetch the cache line of its [`OutputPauses`].
    pub is_paused: bool,
    /// Whether it has been told to stop since it was last granted, while it was not held.
    pub is_barred: bool,
    /// The rate of the link in kbit/s, which is nanobits a picosecond.
    pub rate: u32,
    /// The delay of the link.
    pub delay: Span,
    /// When it was granted.
    pub held_since: Time,
    /// Time held since the restart, in picoseconds.
    pub held_ps: u64,
    /// Time that packets have waited for this output before it was granted to them.
    pub wait_ps: u64,
    /// Bits sent since the restart.
    pub bits: u64,
}

/// Where an output's holder was blocked in mid packet. Apart from [`Output`], since most packets never are blocked.
#[derive(Clone, Debug)]
pub(crate) struct OutputPauses {
    /// Since when it has been held without sending, if it is ([`Output::is_paused`]): stopped, run dry, in line for a
    /// shared link, or with its packet waiting for other outputs.
    since: Time,
    /// Time held while stopped by the receiver, in picoseconds.
    stopped_ps: u64,
    /// Time held while the packet's rest had not arrived.
    dry_ps: u64,
    /// Time held while the packet of another lane had the link.
    shared_ps: u64,
    /// Time held while its packet, which is for several hosts, waited for other outputs.
    others_ps: u64,
    /// Whether it waits in line for the link that it shares.
    in_line: bool,
    /// Whether its packet waits for other outputs.
    for_others: bool,
    /// When it was last told to stop; zero if never.
    last_stop: Time,
    /// The beginning and end of the last time in which it was stopped and not held.
    barred: [Time; 2],
    /// Time in which a head waited for it meanwhile, picoseconds.
    barred_ps: u64,
}

impl Output {
    pub fn new(cable: Link, to_host: bool, announces_tail: bool) -> Self {
        let Link { far, rate, delay } = cable;
        Self {
            holder: NO_SLOT,
            far,
            packets: 0,
            waiting: 0,
            directive: Directive::Start,
            to_host,
            announces_tail,
            is_paused: false,
            is_barred: false,
            rate: u32::try_from(rate).expect("parameters keep links within 4 Tbit/s"),
            delay,
            held_since: Time::ZERO,
            held_ps: 0,
            wait_ps: 0,
            bits: 0,
        }
    }

    /// Whether it can be granted.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.holder == NO_SLOT && self.directive == Directive::Start
    }
}

/// Time for which an output was blocked since the restart, by reason, picoseconds; barred: while it was not held.
pub(crate) struct HeldUp {
    pub stopped_ps: u64,
    pub dry_ps: u64,
    pub shared_ps: u64,
    pub others_ps: u64,
    pub barred_ps: u64,
}

impl OutputPauses {
    pub fn new() -> Self {
        Self {
            since: Time::ZERO,
            stopped_ps: 0,
            dry_ps: 0,
            shared_ps: 0,
            others_ps: 0,
            in_line: false,
            for_others: false,
            last_stop: Time::ZERO,
            barred: [Time::ZERO; 2],
            barred_ps: 0,
        }
    }

    /// Since when the output has been held without sending, if it is.
    #[inline]
    pub fn since(&self) -> Time {
        self.since
    }

    /// Whether it waits in line for the link that it shares.
    #[inline]
    pub fn is_in_line(&self) -> bool {
        self.in_line
    }

    /// When the output was last told to stop; zero if never.
    #[inline]
    pub fn last_stop(&self) -> Time {
        self.last_stop
    }

    /// The output receives a stop.
    pub fn told_to_stop(&mut self, now: Time) {
        self.last_stop = now;
    }

    /// From now on it may not be granted, although it is not held.
    pub fn bar(&mut self, output: &mut Output, now: Time) {
        output.is_barred = true;
        self.barred = [now, now];
    }

    /// It may be granted again.
    pub fn unbar(&mut self, now: Time) {
        self.barred[1] = now;
    }

    /// It is granted to a head that has waited since an instant: counts the part of that wait in which it was barred.
    pub fn book_barred(&mut self, output: &mut Output, waited_since: Time, window_start: Time) {
        output.is_barred = false;
        let [from, until] = self.barred;
        self.barred_ps += until.saturating_since(from.max(waited_since).max(window_start)).ps();
    }

    /// This output is held without sending from this instant on.
    pub fn begin(&mut self, output: &mut Output, from: Time) {
        output.is_paused = true;
        (self.since, self.for_others) = (from, false);
    }

    /// The same because its packet waits for other outputs.
    pub fn begin_for_others(&mut self, output: &mut Output, from: Time) {
        self.begin(output, from);
        self.for_others = true;
    }

    /// It waits in line for its link.
    pub fn join_line(&mut self) {
        self.in_line = true;
    }

    /// It no longer waits in line for its link.
    #[inline]
    pub fn leave_line(&mut self) {
        self.in_line = false;
    }

    /// Counts the pause so far, as far as it falls into the measured window: as another lane's turn, as a wait for
    /// other outputs, as stopped by this directive, or as dry.
    pub fn book(&mut self, now: Time, window_start: Time, directive: Directive) {
        let pause = now.saturating_since(self.since.max(window_start)).ps();
        if self.in_line {
            self.shared_ps += pause;
        } else if self.for_others {
            self.others_ps += pause;
        } else if directive == Directive::Stop {
            self.stopped_ps += pause;
        } else {
            self.dry_ps += pause;
        }
        self.since = now;
    }

    /// The counted times.
    pub fn booked(&self) -> HeldUp {
        let Self { stopped_ps, dry_ps, shared_ps, others_ps, barred_ps, .. } = *self;
        HeldUp { stopped_ps, dry_ps, shared_ps, others_ps, barred_ps }
    }

    /// Resets the counted times.
    pub fn restart(&mut self) {
        (self.stopped_ps, self.dry_ps, self.shared_ps, self.others_ps) = (0, 0, 0, 0);
        self.barred_ps = 0;
    }
}

const _: () = assert!(size_of::<Output>() == 64);

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
    /// How many heads of FIFOs wait for an output among which is this one.
    pub waiting: u16,
    /// What the receiver at the far end has last told it.
    pub directive: Directive,
    /// Whether the far end is a host.
    pub to_host: bool,
    /// Whether the far end must know when it has a packet's last byte.
    pub announces_tail: bool,
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

/// Where an output's holder was held up in mid packet. Apart from [`Output`], since most packets never are.
#[derive(Clone, Debug)]
pub(crate) struct OutputPauses {
    /// Since when it has been held without sending: stopped, run dry, or in line for a shared link.
    pub since: Time,
    /// Time held while stopped by the receiver, in picoseconds.
    pub stopped_ps: u64,
    /// Time held while the packet's rest had not come.
    pub dry_ps: u64,
    /// Time held while the packet of another lane had the link.
    pub shared_ps: u64,
    /// Whether it waits in line for the link that it shares.
    pub in_line: bool,
    /// When it was last told to stop; zero where never.
    pub last_stop: Time,
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

impl OutputPauses {
    pub fn new() -> Self {
        Self {
            since: Time::NEVER,
            stopped_ps: 0,
            dry_ps: 0,
            shared_ps: 0,
            in_line: false,
            last_stop: Time::ZERO,
        }
    }
}

const _: () = assert!(size_of::<Output>() == 64);

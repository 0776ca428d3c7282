//! Directives: start, finish, stop; and the thresholds of a FIFO at which each is due.

use hopscope_fabric::Nanobits;

/// A directive of a FIFO to its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Directive {
    /// Send.
    Start,
    /// Send the packet to its end, but no other: the paper's "stop when ready" (SRC 88, section 3.5).
    Finish,
    /// Stop in mid packet.
    Stop,
}

/// The thresholds of a bounded FIFO.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thresholds {
    /// Stop when more than this is held, start when less.
    pub stop_above: Nanobits,
    /// Where that stop takes effect at the end of a packet: stop at once when more than this is held.
    pub urgent_above: Option<Nanobits>,
    /// Its size.
    pub capacity: Nanobits,
}

/// The band of contents within which a directive stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Band {
    /// Above this the next stricter directive is due. [`Nanobits::MAX`] where there is none.
    pub most: Nanobits,
    /// Below this the next milder directive is due. 0 where there is none.
    pub least: Nanobits,
}

impl Thresholds {
    /// The largest content when everything stops at once.
    pub fn last(self) -> Nanobits {
        self.urgent_above.unwrap_or(self.stop_above)
    }

    /// The contents at which a directive is not replaced by another.
    #[inline]
    pub fn band(self, directive: Directive) -> Band {
        let Self { stop_above, urgent_above, .. } = self;
        match directive {
            Directive::Start => Band { most: stop_above, least: 0 },
            Directive::Finish => Band { most: self.last(), least: stop_above },
            Directive::Stop => Band { most: Nanobits::MAX, least: urgent_above.unwrap_or(stop_above) },
        }
    }

    /// The directive that is due at a content, after this one.
    pub fn directive(self, mut last: Directive, content: Nanobits) -> Directive {
        loop {
            let Band { most, least } = self.band(last);
            last = match (last, self.urgent_above) {
                (Directive::Start, Some(_)) if content > most => Directive::Finish,
                (_, _) if content > most => Directive::Stop,
                (Directive::Stop, Some(_)) if content < least => Directive::Finish,
                (_, _) if content < least => Directive::Start,
                _ => return last,
            };
        }
    }
}

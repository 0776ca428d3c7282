//! The clump: the sender of Mesa (byte stream protocol of Mesa, 1981).

use super::{Acknowledgment, Demanding, Recovery, SendingRule};

/// A clump as large as the window, then nothing until all of it is acknowledged; if less is, all the rest again.
#[derive(Clone, Copy, Debug)]
pub(in crate::bsp) struct Clump {
    /// Pups written since the clump began.
    written: u16,
}

impl Clump {
    pub(super) const fn new() -> Self {
        Self { written: 0 }
    }
}

impl SendingRule for Clump {
    fn demanding(&self) -> Demanding {
        Demanding::Last
    }

    fn admits(&self, window: usize, awaiting: bool) -> bool {
        usize::from(self.written) < window && !awaiting
    }

    fn written(&mut self) {
        self.written += 1;
    }

    fn demanded(&mut self, _: u32) {}

    fn acknowledged(&mut self, acknowledgment: &Acknowledgment) -> Recovery {
        if acknowledgment.outstanding {
            return Recovery::Everything;
        }
        if acknowledgment.answered {
            self.written = acknowledgment.in_window as u16;
        }
        Recovery::Nothing
    }

    fn timed_out(&mut self) -> Recovery {
        Recovery::Probe
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clump_takes_no_more_pups_until_all_of_it_is_acknowledged() {
        let mut clump = Clump::new();
        for _ in 0..3 {
            assert!(clump.admits(3, false));
            clump.written();
        }
        assert!(!clump.admits(3, false), "it is full");
        let some = Acknowledgment { released: 2, outstanding: true, in_window: 1, answered: true };
        assert_eq!(clump.acknowledged(&some), Recovery::Everything);
        assert!(!clump.admits(3, true), "it is the same clump still");
        let all = Acknowledgment { released: 1, outstanding: false, in_window: 0, answered: true };
        assert_eq!(clump.acknowledged(&all), Recovery::Nothing);
        assert!(clump.admits(3, false), "the next clump begins");
        assert_eq!(clump.timed_out(), Recovery::Probe);
    }
}

//! Which class of messages makes which other one wait, where there are several.

use hopscope_fabric::Slot;
use hopscope_measure::ClassOutput;
use hopscope_units::Span;

use crate::observe::dependence::Window;

/// Classes beyond these are too many to be told apart pair by pair.
const MOST_CLASSES: usize = 8;

/// Pairs of classes at all ports: those of sixty thousand ports with eight classes.
const MOST_PAIRS: usize = 1 << 22;

/// Who waits at each port while which class is sent there, since the restart.
#[derive(Clone, Debug)]
pub(crate) struct ClassWaits {
    classes: usize,
    /// Frames that wait now, at a host messages, by port and class.
    standing: Vec<u32>,
    /// Time that those of a class have waited there, by port and class, ps.
    waited: Vec<u64>,
    /// The part of it during which a frame of another class, or of the same one, was sent: by port, who waits and who
    /// is sent, ps.
    behind: Vec<u64>,
    /// Bits sent, by port and class.
    sent: Vec<u64>,
}

impl ClassWaits {
    /// Of so many classes and ports; nothing where there is one class, or there are too many of both.
    pub fn new(classes: usize, ports: usize) -> Option<Box<Self>> {
        let pairs = ports.saturating_mul(classes * classes);
        let told = (2..=MOST_CLASSES).contains(&classes) && pairs <= MOST_PAIRS;
        told.then(|| {
            let by_class = ports * classes;
            Box::new(Self {
                classes,
                standing: vec![0; by_class],
                waited: vec![0; by_class],
                behind: vec![0; pairs],
                sent: vec![0; by_class],
            })
        })
    }

    /// Those who stand in line go on standing there.
    pub fn restart(&mut self) {
        self.waited.fill(0);
        self.behind.fill(0);
        self.sent.fill(0);
    }

    /// Somebody gets in line.
    pub fn joins(&mut self, slot: Slot, class: u8) {
        let at = self.at(slot, class);
        self.standing[at] += 1;
    }

    /// Somebody who has waited so long is no longer in line.
    pub fn leaves(&mut self, slot: Slot, class: u8, waited: Span) {
        let at = self.at(slot, class);
        self.standing[at] -= 1;
        waited.onto(&mut self.waited[at]);
    }

    /// A frame is sent for so long. Those of the `held` classes wait for something else meanwhile.
    pub fn sends(&mut self, slot: Slot, class: u8, (bits, takes): (u64, Span), held: impl Fn(usize) -> bool) {
        let at = self.at(slot, class);
        self.sent[at] += bits;
        let first = slot as usize * self.classes;
        for (waiting, &count) in self.standing[first..first + self.classes].iter().enumerate() {
            if count > 0 && !held(waiting) {
                let pair = (first + waiting) * self.classes + usize::from(class);
                takes.times(count.into()).onto(&mut self.behind[pair]);
            }
        }
    }

    /// What an output with this row has seen; nothing where nobody has waited there.
    pub fn output(&self, slot: Slot, row: usize, window: Window) -> Option<ClassOutput> {
        let first = slot as usize * self.classes;
        let ports = first..first + self.classes;
        let waited = &self.waited[ports.clone()];
        if waited.iter().all(|&ps| ps == 0) {
            return None;
        }
        let sent = &self.sent[ports.clone()];
        let all: u64 = sent.iter().sum();
        let pairs = |at: usize| &self.behind[at * self.classes..(at + 1) * self.classes];
        let mean = |ps: &u64| window.mean(*ps);
        let held = |(at, &ps): (usize, &u64)| mean(&ps.saturating_sub(pairs(first + at).iter().sum()));
        Some(ClassOutput {
            row,
            sent: sent.iter().map(|&bits| bits as f64 / all.max(1) as f64).collect(),
            behind: ports.map(|at| pairs(at).iter().map(mean).collect()).collect(),
            held: waited.iter().enumerate().map(held).collect(),
        })
    }

    fn at(&self, slot: Slot, class: u8) -> usize {
        slot as usize * self.classes + usize::from(class)
    }
}

#[cfg(test)]
mod tests {
    use hopscope_units::Time;

    use super::*;

    #[test]
    fn a_class_waits_behind_what_is_sent_and_else_for_what_holds_its_lane_back() {
        let mut waits = ClassWaits::new(2, 3).expect("two classes at three ports");
        let (port, ps) = (1, Span::from_ps);
        waits.joins(port, 0);
        waits.joins(port, 0);
        waits.joins(port, 1);
        waits.leaves(port, 1, ps(0));
        // Two of the first class wait while one of the second is sent, and then while nothing is.
        waits.sends(port, 1, (1000, ps(10)), |_| false);
        waits.sends(port, 1, (1000, ps(10)), |class| class == 0);
        waits.leaves(port, 0, ps(30));
        waits.sends(port, 0, (500, ps(5)), |_| false);
        waits.leaves(port, 0, ps(35));
        let window = Window { now: Time::ZERO + ps(10), span: ps(10) };
        let found = waits.output(port, 7, window).expect("somebody has waited");
        assert_eq!((found.row, found.sent), (7, vec![0.2, 0.8]));
        assert_eq!(found.behind, [[0.5, 2.0], [0.0, 0.0]]);
        assert_eq!(found.held, [4.0, 0.0]);
        assert_eq!(waits.output(0, 0, window), None);
        assert!(ClassWaits::new(1, 3).is_none() && ClassWaits::new(MOST_CLASSES + 1, 3).is_none());
    }
}

//! Which class of messages makes which other one wait, if there are several.

use hopscope_fabric::Slot;
use hopscope_measure::ClassOutput;
use hopscope_units::Span;

use crate::observe::dependence::Window;

/// With more classes than this, pairs of classes are not distinguished.
const MOST_CLASSES: usize = 8;

/// The largest number of pairs of classes at all ports: sixty thousand ports with eight classes.
const MOST_PAIRS: usize = 1 << 22;

/// For each port, which classes wait while which class is sent there, since the restart.
///
/// The data of a class at a port are contiguous, since an event needs all of it: the fields of `Field`, then the time
/// that it has waited behind each class, ps.
#[derive(Clone, Debug)]
pub(crate) struct ClassWaits {
    classes: usize,
    /// The class of each active message, by its index: these few bytes stay in the cache, messages do not.
    of_flow: Vec<u8>,
    cells: Vec<u64>,
}

/// The fields of a class at a port, by index in the class's cells there.
#[derive(Clone, Copy)]
enum Field {
    /// Frames that wait now; at a host, messages.
    Standing,
    /// Total waiting time of the class, ps.
    Waited,
    /// Bits sent.
    Sent,
    /// The part of `Waited` during which a frame of the first class was sent, ps; further ones follow.
    Behind,
}

impl ClassWaits {
    /// For this many classes and ports; nothing if there is one class, or too many of both.
    pub fn new(classes: usize, ports: usize) -> Option<Box<Self>> {
        let pairs = ports.saturating_mul(classes * classes);
        let told = (2..=MOST_CLASSES).contains(&classes) && pairs <= MOST_PAIRS;
        told.then(|| {
            Box::new(Self { classes, of_flow: Vec::new(), cells: vec![0; ports * classes * stride(classes)] })
        })
    }

    /// A message begins at this index.
    pub fn begins(&mut self, flow: u32, class: u8) {
        let flow = flow as usize;
        self.of_flow.resize(self.of_flow.len().max(flow + 1), 0);
        self.of_flow[flow] = class;
    }

    /// Resets the measurement; queued frames stay queued.
    pub fn restart(&mut self) {
        for of_class in self.cells.chunks_exact_mut(stride(self.classes)) {
            of_class[Field::Waited as usize..].fill(0);
        }
    }

    /// A message, or a frame of it, joins the queue.
    pub fn joins(&mut self, slot: Slot, flow: u32) {
        let at = self.at(slot, self.class_of(flow), Field::Standing);
        self.cells[at] += 1;
    }

    /// A message, or a frame of it, leaves the queue after this wait.
    pub fn leaves(&mut self, slot: Slot, flow: u32, waited: Span) {
        let at = self.at(slot, self.class_of(flow), Field::Standing);
        self.cells[at] -= 1;
        waited.onto(&mut self.cells[at + Field::Waited as usize]);
    }

    /// A frame of a message is sent for this time. Frames of the `held` classes wait for something else meanwhile.
    pub fn sends(&mut self, slot: Slot, flow: u32, (bits, takes): (u64, Span), held: impl Fn(usize) -> bool) {
        let class = self.class_of(flow);
        let at = self.at(slot, class, Field::Sent);
        self.cells[at] += bits;
        let first = self.at(slot, 0, Field::Standing);
        let stride = stride(self.classes);
        let port = &mut self.cells[first..first + self.classes * stride];
        for (waiting, cells) in port.chunks_exact_mut(stride).enumerate() {
            let count = cells[Field::Standing as usize];
            if count > 0 && !held(waiting) {
                takes.times(count).onto(&mut cells[Field::Behind as usize + class]);
            }
        }
    }

    /// The counts of an output with this row; nothing if no frame has waited there.
    pub fn output(&self, slot: Slot, row: usize, window: Window) -> Option<ClassOutput> {
        let of = |class: usize, field: Field| self.cells[self.at(slot, class, field)];
        let behind = |class: usize| {
            let first = self.at(slot, class, Field::Behind);
            &self.cells[first..first + self.classes]
        };
        let classes = || 0..self.classes;
        if classes().all(|class| of(class, Field::Waited) == 0) {
            return None;
        }
        let all: u64 = classes().map(|class| of(class, Field::Sent)).sum();
        let mean = |ps: &u64| window.mean(*ps);
        let held = |class| mean(&of(class, Field::Waited).saturating_sub(behind(class).iter().sum()));
        Some(ClassOutput {
            row,
            sent: classes().map(|class| of(class, Field::Sent) as f64 / all.max(1) as f64).collect(),
            behind: classes().map(|class| behind(class).iter().map(mean).collect()).collect(),
            held: classes().map(held).collect(),
        })
    }

    fn class_of(&self, flow: u32) -> usize {
        usize::from(self.of_flow[flow as usize])
    }

    fn at(&self, slot: Slot, class: usize, field: Field) -> usize {
        (slot as usize * self.classes + class) * stride(self.classes) + field as usize
    }
}

/// The number of cells of a class at a port, with this many classes.
const fn stride(classes: usize) -> usize {
    Field::Behind as usize + classes
}

#[cfg(test)]
mod tests {
    use hopscope_units::Time;

    use super::*;

    #[test]
    fn a_class_waits_behind_what_is_sent_and_else_for_what_holds_its_lane_back() {
        let mut waits = ClassWaits::new(2, 3).expect("two classes at three ports");
        let (port, ps) = (1, Span::from_ps);
        waits.begins(0, 0);
        waits.begins(1, 1);
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

//! The way of one Pup, stage by stage.

use hopscope_measure::{Account, Journal};
use hopscope_units::Time;

use super::Stage;

/// One stage that is over.
#[derive(Clone, Copy, Debug)]
struct Step {
    stage: Stage,
    place: u32,
    to: Time,
}

/// The unbroken sequence of stages that one copy of a Pup has been through. Of several copies, the one that the
/// receiver takes hands its journey to the message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Journey {
    born: Time,
    last: Time,
    steps: Vec<Step>,
}

impl Journey {
    /// Begins a new journey in place of this one.
    pub fn begin(&mut self, born: Time) {
        (self.born, self.last) = (born, born);
        self.steps.clear();
    }

    pub fn born(&self) -> Time {
        self.born
    }

    /// Ends a stage. Panics where time ran backwards.
    pub fn close(&mut self, stage: Stage, place: u32, to: Time) {
        assert!(to >= self.last, "a stage ended at {to:?} after {:?}", self.last);
        if to > self.last {
            self.steps.push(Step { stage, place, to });
            self.last = to;
        }
    }

    /// Follows another Pup: everything that happened to it since this one waits for it.
    pub fn follow(&mut self, other: &Self) {
        for step in &other.steps {
            self.close(step.stage, step.place, step.to.max(self.last));
        }
    }

    /// The end of the last stage.
    pub fn last(&self) -> Time {
        self.last
    }

    /// The ledger's account of the journey.
    pub fn account(&self) -> Account<{ Stage::COUNT }> {
        let mut account = Account::open(self.born);
        for step in &self.steps {
            account.close(step.stage as usize, step.to);
        }
        account
    }

    /// Takes the whole journey down.
    pub fn write<J: Journal>(&self, message: u64, journal: &mut J) {
        let mut from = self.born;
        for step in &self.steps {
            journal.stage(message, step.stage as usize, step.place, from, step.to);
            from = step.to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn following_an_acknowledgment_charges_only_what_came_after() {
        let at = Time::from_ps;
        let mut ack = Journey::default();
        ack.begin(at(50));
        ack.close(Stage::HostWait, 0, at(60));
        ack.close(Stage::Host, 0, at(75));
        let mut message = Journey::default();
        message.begin(at(10));
        message.close(Stage::Host, 1, at(65));
        message.follow(&ack);
        let account = message.account();
        assert_eq!(account.spent_ps()[Stage::Host as usize], 55 + 10);
        assert_eq!((account.spent_ps()[Stage::HostWait as usize], account.total().ps()), (0, 65));
    }
}

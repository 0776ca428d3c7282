//! How refusals by full queues shrink a sender's window, and how it grows again.

/// Clumps without any trouble after which a throttled sender ventures one Pup more.
const GOOD_CLUMPS: u32 = 10;

/// The window as refusals have shrunk it, in Pups.
#[derive(Clone, Copy, Debug)]
pub(super) struct Throttle {
    window: u16,
    limit: u16,
    /// Pups acknowledged since the last trouble.
    good: u32,
}

impl Throttle {
    /// The whole window.
    pub const fn new(window: u16) -> Self {
        Self { window, limit: window, good: 0 }
    }

    /// Pups that may be in the window now: at least 1.
    pub const fn limit(self) -> u16 {
        self.limit
    }

    /// A full queue has refused a Pup: the window shrinks by one.
    pub fn refused(&mut self) {
        self.limit = (self.limit - 1).max(1);
        self.good = 0;
    }

    /// A Pup may be lost.
    pub fn trouble(&mut self) {
        self.good = 0;
    }

    /// This number of Pups is acknowledged: after ten clumps without trouble the window grows again by one Pup.
    pub fn acknowledged(&mut self, released: usize) {
        self.good += released as u32;
        if self.good >= GOOD_CLUMPS * u32::from(self.limit) {
            self.good = 0;
            self.limit = (self.limit + 1).min(self.window);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pups acknowledged until the window is whole again, if a loss is suspected after `trouble_after`.
    fn until_it_grows(trouble_after: u32) -> u32 {
        let mut throttle = Throttle::new(4);
        throttle.refused();
        for pups in 1..100 {
            throttle.acknowledged(1);
            if throttle.limit() == 4 {
                return pups;
            }
            if pups == trouble_after {
                throttle.trouble();
            }
        }
        unreachable!("it grows after ten windows")
    }

    #[test]
    fn trouble_begins_the_ten_good_windows_anew() {
        assert_eq!(until_it_grows(0), 30);
        assert_eq!(until_it_grows(29), 59);
    }
}

//! Arrival processes: when a source sends. One file a process, each an [`ArrivalProcess`].

mod periodic;
mod poisson;
mod saturated;
mod slotted;

use hopscope_kernel::RandomStream;
use hopscope_units::Time;

pub(crate) use self::periodic::Periodic;
pub(crate) use self::poisson::Poisson;
pub(crate) use self::saturated::Saturated;
pub(crate) use self::slotted::Slotted;

/// When a source sends. A process knows no source and no network: it has the time, and the source's random stream.
pub(crate) trait ArrivalProcess {
    /// When the source sends next, at or after `now`; never, where that lies beyond simulated time or where the source
    /// does not fire by itself. Asked once at the start, and once each time the source has sent.
    fn next(&mut self, now: Time, random: &mut RandomStream) -> Time;
}

/// The arrival process of a source: closed, so that each is compiled into the call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arrivals {
    /// A Poisson process.
    Poisson(Poisson),
    /// The next message is there as soon as the last has left.
    Saturated(Saturated),
    /// At most once a slot, at its beginning.
    Slotted(Slotted),
    /// Once in every period.
    Periodic(Periodic),
}

impl ArrivalProcess for Arrivals {
    #[inline]
    fn next(&mut self, now: Time, random: &mut RandomStream) -> Time {
        match self {
            Self::Poisson(process) => process.next(now, random),
            Self::Saturated(process) => process.next(now, random),
            Self::Slotted(process) => process.next(now, random),
            Self::Periodic(process) => process.next(now, random),
        }
    }
}

#[cfg(test)]
mod tests {
    use hopscope_units::Span;

    use super::*;

    /// The instants of `count` arrivals, in ps.
    fn arrivals(mut process: impl ArrivalProcess, count: usize) -> Vec<u64> {
        let mut random = RandomStream::named(1, "arrivals", 0);
        let mut now = Time::ZERO;
        let next = |_| {
            now = process.next(now, &mut random);
            now.ps()
        };
        (0..count).map(next).collect()
    }

    #[test]
    fn a_poisson_process_has_the_gaps_that_it_is_given() {
        let times = arrivals(Poisson::new(Span::from_ps(1_000_000)), 10_000);
        let mean = *times.last().expect("some") as f64 / 10_000.0;
        // Four standard deviations of the mean of 10,000 exponential gaps are 4 %.
        assert!((mean / 1e6 - 1.0).abs() < 0.04, "{mean}");
        assert!(times.is_sorted());
    }

    #[test]
    fn a_slotted_process_fires_at_the_beginning_of_slots_at_most_once() {
        let times = arrivals(Slotted::new(Span::from_ps(100), 0.5), 1_000);
        assert!(times.iter().all(|time| time % 100 == 0));
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
        let slots = *times.last().expect("some") / 100;
        assert!((1_800..2_200).contains(&slots), "{slots}");
    }

    #[test]
    fn a_periodic_process_fires_once_in_each_period() {
        let times = arrivals(Periodic::new(Span::from_ps(1_000), Span::from_ps(10)), 100);
        for (period, time) in times.iter().enumerate() {
            assert!((0..=10).contains(&(time - 1_000 * period as u64)), "{period}: {time}");
        }
    }

    #[test]
    fn a_saturated_source_never_fires_by_itself() {
        assert_eq!(arrivals(Saturated, 1), [Time::NEVER.ps()]);
    }
}

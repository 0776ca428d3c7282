//! Long work outside of a run, such as computing the routes of a large network: it reports its phase, and can be
//! stopped.
//!
//! Loops over a network call [`step`]. The watch that the work was started with, by [`interruptible`] on this thread,
//! is asked from time to time whether to go on; if not, the stack unwinds to there. So no function in between needs a
//! result that it only hands on, as in other programs that compute on demand (rust-analyzer's salsa does the same).
//! Without a watch, a step costs a nanosecond.

use std::cell::{Cell, RefCell};
use std::num::NonZero;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Moment;

/// Called with the phase of the work; stops it by returning `false`.
pub type WorkWatch = Arc<dyn Fn(&'static str) -> bool + Send + Sync>;

/// The work was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// Steps between two readings of the clock. A step takes some milliseconds at most.
const STEPS_BETWEEN_LOOKS: u32 = 4;

/// Time between two calls of the watch.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(50);

struct Watched {
    watch: WorkWatch,
    asked: Moment,
}

thread_local! {
    static WATCHED: RefCell<Option<Watched>> = const { RefCell::new(None) };
    static STEPS: Cell<u32> = const { Cell::new(0) };
}

/// Does this work; `watch` is asked about every 50 ms whether to go on.
///
/// # Errors
/// Where it was stopped.
pub fn interruptible<T>(watch: WorkWatch, work: impl FnOnce() -> T) -> Result<T, Stopped> {
    let result = panic::catch_unwind(AssertUnwindSafe(|| under(Some(watch), work)));
    result
        .or_else(|payload| if payload.is::<Stopped>() { Err(Stopped) } else { panic::resume_unwind(payload) })
}

/// A part of long work for another thread, under the watch of this thread: it is stopped with it.
pub fn elsewhere<T>(work: impl FnOnce() -> T + Send) -> impl FnOnce() -> T + Send {
    let watch = WATCHED.with_borrow(|watched| watched.as_ref().map(|watched| Arc::clone(&watched.watch)));
    move || under(watch, work)
}

/// At most this many threads share one piece of work: each needs its own arrays over the whole network.
const MOST_PARTS: usize = 4;

/// Long work on the numbers below `count`, shared out to threads in ranges of at least `least` numbers. The results
/// come in the order of the ranges. The number of ranges depends on the machine: what is made of the results must not.
pub fn in_parts<T: Send>(count: usize, least: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let parts = threads.min(MOST_PARTS).min(count / least.max(1)).max(1);
    let range = |part: usize| count * part / parts..count * (part + 1) / parts;
    std::thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> =
            (1..parts).map(|part| scope.spawn(elsewhere(move || work(range(part))))).collect();
        let mut results = vec![work(range(0))];
        for other in others {
            results.push(other.join().unwrap_or_else(|payload| panic::resume_unwind(payload)));
        }
        results
    })
}

/// Does the work under a watch, and restores this thread's own watch, also if the work unwinds.
fn under<T>(watch: Option<WorkWatch>, work: impl FnOnce() -> T) -> T {
    struct Back(Option<Watched>);
    impl Drop for Back {
        fn drop(&mut self) {
            WATCHED.set(self.0.take());
        }
    }
    let _back = Back(WATCHED.replace(watch.map(|watch| Watched { watch, asked: Moment::now() })));
    work()
}

/// One step of long work. It does not return if the work was stopped.
#[inline]
pub fn step(what: &'static str) {
    let steps = STEPS.get().wrapping_add(1);
    STEPS.set(steps);
    if steps.is_multiple_of(STEPS_BETWEEN_LOOKS) {
        look(what);
    }
}

#[cold]
fn look(what: &'static str) {
    let watch = WATCHED.with_borrow_mut(|watched| {
        let watched = watched.as_mut().filter(|watched| watched.asked.elapsed() >= BETWEEN_QUESTIONS)?;
        watched.asked = Moment::now();
        Some(Arc::clone(&watched.watch))
    });
    if watch.is_some_and(|watch| !watch(what)) {
        // Not a panic: no hook is called, and nothing is printed.
        panic::resume_unwind(Box::new(Stopped));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// Steps until it is stopped.
    fn endless() {
        loop {
            step("looking for an end");
        }
    }

    #[test]
    fn work_without_an_end_is_stopped_and_says_what_it_was_at() {
        let asked = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&asked);
        let watch = move |what: &'static str| {
            assert_eq!(what, "looking for an end");
            count.fetch_add(1, Ordering::Relaxed) < 2
        };
        assert_eq!(interruptible(Arc::new(watch), endless), Err(Stopped));
        assert_eq!(asked.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn the_innermost_watch_is_asked_and_the_outer_one_after_it() {
        let inner = || interruptible(Arc::new(|_| false), endless);
        assert_eq!(interruptible(Arc::new(|_| true), inner), Ok(Err(Stopped)));
        let outer = || {
            assert_eq!(interruptible(Arc::new(|_| true), || 7), Ok(7));
            endless();
        };
        assert_eq!(interruptible(Arc::new(|_| false), outer), Err(Stopped));
    }

    #[test]
    fn work_elsewhere_is_stopped_with_the_rest() {
        let work = || std::thread::scope(|scope| scope.spawn(elsewhere(endless)).join());
        let joined = interruptible(Arc::new(|_| false), work).expect("this thread was not stopped itself");
        assert!(joined.unwrap_err().is::<Stopped>());
    }

    #[test]
    fn parts_cover_every_number_once_and_in_order() {
        for (count, least) in [(0, 1), (1, 1), (7, 2), (1_000, 1), (1_000, 900), (5, 0)] {
            let numbers: Vec<usize> = in_parts(count, least, Iterator::collect::<Vec<_>>).concat();
            assert_eq!(numbers, (0..count).collect::<Vec<_>>(), "{count} numbers");
        }
    }

    #[test]
    fn no_part_is_smaller_than_was_asked_for() {
        for (count, least) in [(1_000, 900), (1_000, 400), (7, 2), (64, 64), (10, 100)] {
            let sizes = in_parts(count, least, |range| range.len());
            assert!(sizes.len() == 1 || sizes.iter().all(|&size| size >= least), "{sizes:?}");
        }
    }

    #[test]
    fn parts_are_stopped_with_the_rest() {
        let work = || in_parts(64, 1, |_| endless());
        assert_eq!(interruptible(Arc::new(|_| false), work), Err(Stopped));
    }

    #[test]
    fn without_a_watch_steps_do_nothing() {
        (0..1_000).for_each(|_| step("nothing"));
        assert_eq!(interruptible(Arc::new(|_| false), || 7), Ok(7));
    }
}

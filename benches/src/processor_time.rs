//! Time on a processor, as what a benchmark measures.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use criterion::measurement::{Measurement, ValueFormatter, WallTime};

/// Measures the time the benchmark's thread was on a processor, so that other work on the machine does not count.
///
/// The account is Linux's; elsewhere it is the time on the clock.
pub struct ProcessorTime;

/// When a measurement began: the thread's account, or the clock where there is none.
#[derive(Clone, Copy)]
pub enum Start {
    /// Time on a processor since the thread began.
    Account(Duration),
    /// The clock.
    Clock(Instant),
}

fn time_on_processor() -> Option<Duration> {
    // Linux settles a thread's account when it is next scheduled; to yield is to be scheduled.
    thread::yield_now();
    let account = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    account.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

impl Measurement for ProcessorTime {
    type Intermediate = Start;
    type Value = Duration;

    fn start(&self) -> Start {
        time_on_processor().map_or_else(|| Start::Clock(Instant::now()), Start::Account)
    }

    fn end(&self, start: Start) -> Duration {
        match (start, time_on_processor()) {
            (Start::Account(then), Some(now)) => now - then,
            (Start::Account(_), None) => unreachable!("an account that was there is there"),
            (Start::Clock(then), _) => then.elapsed(),
        }
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        WallTime.to_f64(value)
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

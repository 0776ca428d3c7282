//! The wall clock. It decides how often progress is reported, never a result.

use std::time::Duration;

/// An instant of the wall clock.
#[derive(Clone, Copy, Debug)]
pub struct Moment(Reading);

#[cfg(not(target_family = "wasm"))]
type Reading = std::time::Instant;

/// Milliseconds since the page was opened.
#[cfg(target_family = "wasm")]
type Reading = f64;

#[cfg(target_family = "wasm")]
static CLOCK: std::sync::OnceLock<fn() -> f64> = std::sync::OnceLock::new();

/// WebAssembly has no clock of its own: the page provides one, in milliseconds. Without one, no time passes.
#[cfg(target_family = "wasm")]
pub fn lend_clock(clock: fn() -> f64) {
    CLOCK.get_or_init(|| clock);
}

impl Moment {
    /// The present instant.
    #[cfg(not(target_family = "wasm"))]
    #[must_use]
    pub fn now() -> Self {
        Self(Reading::now())
    }

    /// The present instant.
    #[cfg(target_family = "wasm")]
    #[must_use]
    pub fn now() -> Self {
        Self(CLOCK.get().map_or(0.0, |clock| clock()))
    }

    /// The time since this instant.
    #[cfg(not(target_family = "wasm"))]
    #[must_use]
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    /// The time since this instant.
    #[cfg(target_family = "wasm")]
    #[must_use]
    pub fn elapsed(self) -> Duration {
        Duration::from_secs_f64(((Self::now().0 - self.0) / 1e3).max(0.0))
    }
}

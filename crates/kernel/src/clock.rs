//! The clock on the wall. It decides how often somebody is told or asked, and never what a result is.

use std::time::Duration;

/// A moment on the clock on the wall.
#[derive(Clone, Copy, Debug)]
pub struct Moment(Reading);

#[cfg(not(target_family = "wasm"))]
type Reading = std::time::Instant;

/// Milliseconds since the page was opened.
#[cfg(target_family = "wasm")]
type Reading = f64;

#[cfg(target_family = "wasm")]
static CLOCK: std::sync::OnceLock<fn() -> f64> = std::sync::OnceLock::new();

/// WebAssembly has no clock of its own: whoever runs the program there lends it one, in milliseconds. Without one, no
/// time passes.
#[cfg(target_family = "wasm")]
pub fn lend_clock(clock: fn() -> f64) {
    CLOCK.get_or_init(|| clock);
}

impl Moment {
    /// This moment.
    #[cfg(not(target_family = "wasm"))]
    #[must_use]
    pub fn now() -> Self {
        Self(Reading::now())
    }

    /// This moment.
    #[cfg(target_family = "wasm")]
    #[must_use]
    pub fn now() -> Self {
        Self(CLOCK.get().map_or(0.0, |clock| clock()))
    }

    /// How long ago it was.
    #[cfg(not(target_family = "wasm"))]
    #[must_use]
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    /// How long ago it was.
    #[cfg(target_family = "wasm")]
    #[must_use]
    pub fn elapsed(self) -> Duration {
        Duration::from_secs_f64(((Self::now().0 - self.0) / 1e3).max(0.0))
    }
}

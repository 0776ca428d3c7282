//! Work outside of a run that may take long, such as reading a scenario and planning its routes, with progress reports.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hopscope_kernel::{Stopped, interruptible};

use crate::run::{InternalError, guarded};

/// How often the watcher is asked.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(50);

/// Does this work on a thread of its own. `watch` is asked on the calling thread about every 50 ms whether to continue,
/// with the present step.
///
/// # Errors
/// As [`guarded`]; and within, where it was stopped.
///
/// # Panics
/// Never: the work sends what became of it, whatever that is.
pub fn planned<T: Send>(
    watch: &mut dyn FnMut(&str) -> bool,
    work: impl FnOnce() -> T + Send,
) -> Result<Result<T, Stopped>, InternalError> {
    let stop = Arc::new(AtomicBool::new(false));
    let at = Arc::new(Mutex::new(""));
    let heard = {
        let (stop, at) = (Arc::clone(&stop), Arc::clone(&at));
        Arc::new(move |what: &'static str| {
            *at.lock().expect("nothing panics while it is held") = what;
            !stop.load(Ordering::Relaxed)
        })
    };
    let (done, wait) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || done.send(guarded(|| interruptible(heard, work))));
        loop {
            match wait.recv_timeout(BETWEEN_QUESTIONS) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) => {
                    let what = *at.lock().expect("nothing panics while it is held");
                    if !stop.load(Ordering::Relaxed) && !watch(what) {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => panic!("the work ended without a result"),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;

    /// Networks whose routes take seconds, or minutes.
    const LARGE: [&str; 2] = [
        "network = { dragonfly = { routers = 8, global_links = 201 } }",
        "network = { torus = { width = 5, height = 3999, servers = 0 } }",
    ];

    #[test]
    fn the_planning_of_a_large_network_can_be_stopped() {
        for network in LARGE {
            let text = format!("model = \"fabric\"\n{network}\n[traffic]\nload = 0.5\n");
            let mut asked = 0;
            let mut watch = |_: &str| {
                asked += 1;
                asked < 3
            };
            let read = planned(&mut watch, || Scenario::from_text("large", &text, &[]).map(drop));
            let read = read.expect("nothing breaks");
            // A machine without the memory for it says so at once.
            assert!(matches!(read, Err(Stopped) | Ok(Err(_))), "{network}: {read:?}");
        }
    }

    #[test]
    fn work_that_ends_is_done_and_what_breaks_is_told() {
        assert_eq!(planned(&mut |_| true, || 7).expect("nothing breaks"), Ok(7));
        let broken = std::hint::black_box(0);
        let error = planned(&mut |_| true, || assert_eq!(broken, 1, "a mistake")).unwrap_err();
        assert!(error.message.contains("a mistake"), "{error}");
    }
}

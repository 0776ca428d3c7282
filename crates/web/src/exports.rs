//! What WebAssembly gives to the page, and takes from it. The page reserves room for its request, writes it there, and
//! calls `run`; the answer is then where `answer_at` says, until the next request.
#![allow(
    unsafe_code,
    reason = "an export's name is the whole program's, and an import's signature is a promise"
)]

use std::sync::{Mutex, Once, PoisonError};

use hopscope_kernel::lend_clock;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Milliseconds since the page was opened.
    safe fn now() -> f64;
    /// Called with the progress of a run, 0 to 1.
    safe fn progress(fraction: f64);
}

static REQUEST: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ANSWER: Mutex<String> = Mutex::new(String::new());
static BEGUN: Once = Once::new();

/// Memory for a request of `bytes` bytes of UTF-8; returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(bytes: usize) -> *mut u8 {
    let mut request = REQUEST.lock().unwrap_or_else(PoisonError::into_inner);
    *request = vec![0; bytes];
    request.as_mut_ptr()
}

/// Answers the request. How long the answer is, in bytes of UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn run() -> usize {
    BEGUN.call_once(|| lend_clock(|| now()));
    let request = std::mem::take(&mut *REQUEST.lock().unwrap_or_else(PoisonError::into_inner));
    let found = crate::answer(&String::from_utf8_lossy(&request), &|fraction| progress(fraction));
    let mut answer = ANSWER.lock().unwrap_or_else(PoisonError::into_inner);
    *answer = found;
    answer.len()
}

/// Where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn answer_at() -> *const u8 {
    ANSWER.lock().unwrap_or_else(PoisonError::into_inner).as_ptr()
}

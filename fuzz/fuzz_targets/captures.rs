//! Fuzzes the reader of packet captures.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hopscope_fuzz::captures(bytes));

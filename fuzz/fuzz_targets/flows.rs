//! Fuzzes the readers of flows.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hopscope_fuzz::flows(bytes));

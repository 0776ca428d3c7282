//! The fuzz target: arbitrary bytes to the function of the same name.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hopscope_fuzz::endpoints(bytes));

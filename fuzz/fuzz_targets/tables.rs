//! Fuzzes the readers of forwarding tables.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hopscope_fuzz::tables(bytes));

//! Fuzzes the parts of byte streams that read packets.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hopscope_fuzz::streams(bytes));

//! Fuzzes the reader of Pups on the wire.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hopscope_fuzz::pups(bytes));

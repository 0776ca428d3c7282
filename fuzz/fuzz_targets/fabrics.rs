//! Fuzzes the readers of fabrics' files.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hopscope_fuzz::fabrics(bytes));

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| carryall_tests::fuzz::resolver(input));

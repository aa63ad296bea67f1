//! Edits of files that call each other's macros, one after the other, each compared with a fresh start.
#![no_main]

use libfuzzer_sys::fuzz_target;
use visa_tests::hostile::{Choices, crossed_is_fresh};

fuzz_target!(|bytes: &[u8]| {
    if let Err(why) = crossed_is_fresh(Choices::new(bytes)) {
        panic!("{why}");
    }
});

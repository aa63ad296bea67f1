//! The words that kernels are made of, in any order.
#![no_main]

use libfuzzer_sys::fuzz_target;
use visa_tests::hostile::{Choices, examine, of_words};

fuzz_target!(|bytes: &[u8]| {
    let text = of_words(Choices::new(bytes));
    if let Err(why) = examine(&text) {
        panic!("{why}\n{text}");
    }
});

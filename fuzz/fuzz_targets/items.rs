//! Items that need each other, in any order: generics, `Self`, traits, aliases, constants.
#![no_main]

use libfuzzer_sys::fuzz_target;
use visa_tests::hostile::{Choices, ITEMS, examine_in, of_words_in};

fuzz_target!(|bytes: &[u8]| {
    let text = of_words_in(&ITEMS, Choices::new(bytes));
    if let Err(why) = examine_in(&ITEMS, &text) {
        panic!("{why}\n{text}");
    }
});

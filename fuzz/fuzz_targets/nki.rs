//! NKI: any bytes, and the words of its kernels in any order.
#![no_main]

use libfuzzer_sys::fuzz_target;
use visa_tests::hostile::{Choices, NKI, examine_in, of_words_in};

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let text = if first % 2 == 0 {
        NKI.head.to_owned() + &String::from_utf8_lossy(rest)
    } else {
        of_words_in(&NKI, Choices::new(rest))
    };
    if let Err(why) = examine_in(&NKI, &text) {
        panic!("{why}\n{text}");
    }
});

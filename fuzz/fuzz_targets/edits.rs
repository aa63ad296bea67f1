//! Edits of a kernel, one after the other, each compared with a fresh start.
#![no_main]

use libfuzzer_sys::fuzz_target;
use visa_tests::hostile::{Choices, edited_is_fresh};

const KERNELS: [&str; 3] = [
    include_str!("../../fixtures/kernels/right/helpers.rs"),
    include_str!("../../fixtures/kernels/right/loops.rs"),
    include_str!("../../fixtures/kernels/right/dot_product.rs"),
];

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let kernel = KERNELS[usize::from(*first) % KERNELS.len()];
    if let Err(why) = edited_is_fresh(kernel, Choices::new(rest)) {
        panic!("{why}");
    }
});

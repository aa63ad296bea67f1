//! Any bytes as the text of a file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use visa_tests::hostile::examine;

fuzz_target!(|bytes: &[u8]| {
    if let Err(why) = examine(&String::from_utf8_lossy(bytes)) {
        panic!("{why}");
    }
});

//! Hovers over small kernels. The numbers in the expected pages were worked out by hand (see [`crate::testing`]), but for
//! the cycles of transfers: those the tests of `simulation::dma` hold against the book.

mod addresses;
mod files;
mod mappings;
mod names;
mod operations;
mod releases;
mod robustness;

use crate::EditorQuestions as _;
use crate::testing::{KERNEL, at_caret};

/// Compares the page at the `$0` of a text.
fn check_hover(text: &str, expected: &expect_test::Expect) {
    let (_, analysis, at) = at_caret(text);
    let hover = analysis.hover("kernel.rs", at).expect("an answer");
    let page = hover.map_or_else(|| "nothing".to_owned(), |hover| hover.markdown);
    expected.assert_eq(&format!("{page}\n"));
}

/// The shared kernel with the caret before the last letters of its first line that holds them.
fn kernel_at(place: &str) -> String {
    let (before, behind) = place.split_once("$0").expect("a caret");
    let whole = format!("{before}{behind}");
    let at = KERNEL.find(&whole).expect("a place in the kernel");
    let (start, rest) = KERNEL.split_at(at);
    let rest = rest.strip_prefix(whole.as_str()).expect("the place");
    format!("{start}{place}{rest}")
}

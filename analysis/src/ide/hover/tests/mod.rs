//! Hovers over small kernels.

mod robustness;

use crate::Workspace;

/// The page at the `$0` of a text; empty if there is none.
fn hover(text: &str) -> String {
    let offset = text.find("$0").expect("a caret");
    let text = text.replacen("$0", "", 1);
    let mut workspace = Workspace::new();
    workspace.set_file("kernel.rs", &text);
    let offset = u32::try_from(offset).expect("a small text");
    let hover = workspace.analysis().hover("kernel.rs", offset);
    hover
        .expect("an answer")
        .map_or_else(String::new, |hover| hover.markdown)
}

#[test]
fn an_axis_has_a_size() {
    let page = hover("axes![A = 4096];\ntype X = m![$0A # 8192];");
    assert_eq!(page, "axis **`A`**: 4,096 values\n\nDeclared at line 1.");
}

//! Hovers anywhere: at each byte of whole kernels, of kernels that break off, and of texts that are hardly any.

use crate::EditorQuestions as _;
use crate::{Analysis, Workspace};

/// Asks at each byte, and behind the end; each range is in the text.
fn everywhere(analysis: &Analysis, path: &str, text: &str) -> usize {
    let length = u32::try_from(text.len()).expect("a small text");
    let mut found = 0;
    for offset in 0..=length + 2 {
        let hover = analysis.hover(path, offset).expect("no defect");
        if let Some(hover) = hover {
            found += 1;
            let range = hover.range.start as usize..hover.range.end as usize;
            assert!(text.get(range.clone()).is_some(), "{range:?}");
            assert!(!hover.markdown.is_empty(), "at {offset}");
        }
    }
    found
}

fn at_each_byte(text: &str) -> usize {
    let mut workspace = Workspace::new();
    workspace.set_file("kernel.rs", text);
    everywhere(&workspace.analysis(), "kernel.rs", text)
}

fn fixture(name: &str) -> String {
    let path = format!(
        "{}/../../fixtures/kernels/right/{name}.rs",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read_to_string(path).expect("a fixture")
}

#[test]
fn every_byte_of_the_right_kernels_has_an_answer() {
    let folder = format!(
        "{}/../../fixtures/kernels/right",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut kernels = 0;
    for entry in std::fs::read_dir(folder).expect("fixtures") {
        let path = entry.expect("a fixture").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let found = at_each_byte(&text);
        assert!(found > 100, "{}: {found} hovers", path.display());
        kernels += 1;
    }
    assert!(kernels > 10, "{kernels} kernels");
}

#[test]
fn kernels_that_break_off_have_answers() {
    let text = fixture("elementwise");
    let mut workspace = Workspace::new();
    for length in (0..text.len()).step_by(61) {
        let Some(part) = text.get(..length) else {
            continue;
        };
        workspace.set_file("kernel.rs", part);
        let analysis = workspace.analysis();
        let end = u32::try_from(length).expect("a small text");
        for offset in (0..end).step_by(7).chain(end.saturating_sub(40)..=end + 1) {
            analysis.hover("kernel.rs", offset).expect("no defect");
        }
    }
}

#[test]
fn odd_texts_have_answers() {
    for text in [
        "",
        "m",
        "m!",
        "m![",
        "axes![",
        "axes![A = ",
        "axes![A = 8, A = 9];\ntype X = m![A, ];\ntype Y = m![A #];\ntype Z = m![X / 0, {Y}];",
        "axes![A = 8];\ntype X = m![[A / 2, (A % 2)], { m![A] }, 3 # 4, 1 / ];",
        "type X = m![X];\ntype Y = m![Z];\ntype Z = m![Y];\ntype T = T;",
        "\u{feff}axes![Größe = 8];\r\ntype Übersicht = m![Größe # 16];\r\n// visa-lint: allow(unknown_axis)\r\n",
        "fn f() { x.to_dm(&mut ctx.tdma, ); y.begin(.fetch::<bf16, m![A, >() }",
        "#[allow(tcp::)] #[allow(tcp::unknown_axis, tcp::nothing)] fn f() {}",
    ] {
        at_each_byte(text);
    }
}

#[test]
fn byte_order_marks_and_wide_letters_move_nothing() {
    let plain = "axes![A = 8];\ntype Padded = m![A # 16];\n";
    let marked = format!("\u{feff}// Größe, 大きさ\r\n{plain}");
    let answers = |text: &str| {
        let mut workspace = Workspace::new();
        workspace.set_file("kernel.rs", text);
        let at = u32::try_from(text.find("# 16").expect("padding")).expect("small");
        let hover = workspace
            .analysis()
            .hover("kernel.rs", at)
            .expect("no defect");
        let hover = hover.expect("a page");
        let range = hover.range.start as usize..hover.range.end as usize;
        (text.get(range).map(str::to_owned), hover.markdown)
    };
    let (place, page) = answers(plain);
    assert_eq!(place.as_deref(), Some("A # 16"));
    assert_eq!(answers(&marked), (place, page));
}

/// The text outside of code spans and blocks: a row of back quotes begins one that a row of as many ends.
fn outside_of_code(markdown: &str) -> String {
    let run = |text: &str| text.len() - text.trim_start_matches('`').len();
    let mut outside = String::new();
    let mut rest = markdown;
    while let Some(begin) = rest.find('`') {
        let (before, from) = rest.split_at(begin);
        outside.push_str(before);
        let fence = run(from);
        let inside = from.get(fence..).unwrap_or_default();
        let mut at = 0;
        let end = loop {
            let Some(next) = inside.get(at..).and_then(|text| text.find('`')) else {
                break None;
            };
            let length = run(inside.get(at + next..).unwrap_or_default());
            if length == fence {
                break Some(at + next + length);
            }
            at += next + length;
        };
        rest = end.and_then(|end| inside.get(end..)).unwrap_or(inside);
    }
    outside + rest
}

#[test]
fn a_literal_makes_no_image() {
    let image = "![i](http://example.org/i.png)";
    let literals = [
        format!("\"a` {image} `b\""),
        format!("\"``` {image} ```\""),
        format!("r\"\n```\n{image}\n```\n\""),
        format!("\"` {image}\""),
    ];
    let mut quoted = 0;
    for literal in literals {
        let text = crate::testing::KERNEL
            .replacen(
                "fetch::<i32, m![T], m![P]>",
                &format!("fetch::<{{ {literal} }}, m![T], m![P]>"),
                1,
            )
            .replace(
                "type Half = ",
                &format!("type Odd = Named<{{ {literal} }}>;\ntype Half = "),
            );
        let mut workspace = Workspace::new();
        workspace.set_file("kernel.rs", &text);
        let analysis = workspace.analysis();
        let length = u32::try_from(text.len()).expect("a small text");
        for offset in 0..=length {
            let hover = analysis.hover("kernel.rs", offset).expect("no defect");
            let Some(hover) = hover else { continue };
            quoted += usize::from(hover.markdown.contains("example.org"));
            let outside = outside_of_code(&hover.markdown);
            assert!(!outside.contains(image), "{}", hover.markdown);
        }
    }
    assert!(quoted > 0, "nothing quotes the literals");
}

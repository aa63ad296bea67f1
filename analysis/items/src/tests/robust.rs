use super::project;
use crate::Typing as _;
use crate::db::AnalysisDatabase;
use crate::inputs::{SourceFile, line_index, syntax_error_count};
use crate::syntax::Unanalysed;
use crate::{
    ItemKind, alias_mapping, block_scopes, const_value, device_attribute, dialect, file_items,
    file_range, item_text, mapping_sites, module_scope,
};

const KERNEL: &str = "#![feature(register_tool)]
use furiosa_visa_std::prelude::*; // für alle
use crate::sizes::{Rows as R, *};
mod sizes { axes![Rows = 1_024, Cols = 0x40, /* half */ H = 3]; }
type Chip = m![1]; type Slice = m![R / 4 # 512]; type Loop = m![{ Loop }, H];
const TILE: usize = <m![R, Cols]>::SIZE / 4; const AT: [u64; 2] = [0x100, TILE as u64 + AT[0]];
/// A kernel.
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i8, Chip, m![R, Cols]>) -> HbmTensor<i8, Chip, m![R]> {
    axes![L = 2, L = 0];
    let y: DmTensor<i8, Chip, m![1 # 2], Slice, m![R % 4, Cols # 128]> = x.to_dm(&mut ctx.tdma, AT[1] << 2);
    for i in 0..4usize { let t = y.view().tile::<m![R % 4], 1, m![R % 4 = 1 # 4, Cols]>(i); type Q = m![Rws / 3]; }
    assert_eq!(<m![H / 2]>::SIZE, 1); let s = \"m![A / \"; let j = i![R: 1 + 2, Cols: { 3 }];
    y.to_hbm(&mut ctx.tdma, if TILE > 2 { 0 } else { 1 << 40 })
}
";

/// Asks every query of this room about a file.
fn ask_everything(db: &AnalysisDatabase, file: SourceFile) {
    let length = u32::try_from(file.text(db).len()).unwrap();
    syntax_error_count(db, file);
    line_index(db, file);
    dialect(db, file);
    for item in &file_items(db, file).items {
        let text = item_text(db, *item);
        let (_, start, end) = file_range(db, text.full_span());
        assert!(start <= end && end <= length);
        assert!(file.text(db).get(start as usize..end as usize).is_some());
        module_scope(db, item.module(db));
        device_attribute(db, *item);
        for site in mapping_sites(db, *item).iter() {
            for problem in &site.problems {
                let (_, start, end) = file_range(db, problem.span);
                assert!(file.text(db).get(start as usize..end as usize).is_some());
            }
        }
        let locals = block_scopes(db, *item);
        for item in locals.locals.iter().map(|local| local.id).chain([*item]) {
            match item.kind(db) {
                ItemKind::Alias => drop(alias_mapping(db, item)),
                ItemKind::Constant | ItemKind::Static => drop(const_value(db, item).clone()),
                _ => {}
            }
        }
    }
}

/// A generator of the kind of Knuth's MMIX, for edits that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }
}

#[test]
fn the_kernel_itself_is_understood() {
    let db = project(&[("k.rs", KERNEL)], &[]);
    let file = db.file("k.rs").unwrap();
    ask_everything(&db, file);
    assert_eq!(syntax_error_count(&db, file), 0);
    let items = file_items(&db, file);
    let problems: usize = items
        .items
        .iter()
        .map(|item| {
            mapping_sites(&db, *item)
                .iter()
                .map(|site| site.problems.len())
                .sum::<usize>()
        })
        .sum();
    // The cycle of `Loop`, the zero axis, the double axis, `Rws`, and `H / 2` of 3.
    assert_eq!(problems, 5);
}

#[test]
fn random_edits_neither_panic_nor_lose_spans() {
    let pieces = [
        "",
        "m![",
        "]",
        "{",
        "}",
        "(",
        ")",
        "axes![",
        "i![",
        "\"",
        "'",
        "//",
        "/*",
        "*/",
        "#",
        "# ",
        "\r\n",
        "\u{feff}",
        "é",
        "type X = ",
        "const ",
        "fn f",
        "::",
        "<",
        ">",
        "=",
        "/ 0",
        "% 3",
        "1e400",
        "99999999999999999999",
        "use super::*;",
        "r#",
        "mod k;",
        "macro_rules! m { () => {} }",
        ",",
        ";",
        "$",
        "\0",
    ];
    let mut random = Random(7);
    let mut db = project(&[("k.rs", KERNEL), ("other.rs", "mod k;")], &[]);
    let file = db.file("k.rs").unwrap();
    for round in 0..600 {
        let mut text: String = if round % 20 == 0 {
            KERNEL.to_owned()
        } else {
            file.text(&db).to_string()
        };
        let place = |random: &mut Random, text: &str| {
            let mut at = random.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (from, to) = (place(&mut random, &text), place(&mut random, &text));
        let piece = pieces[random.below(pieces.len())];
        if to >= from && to - from < 40 {
            text.replace_range(from..to, piece);
        } else {
            text.insert_str(from, piece);
        }
        db.set_text(file, text.as_str().into());
        ask_everything(&db, file);
    }
}

#[test]
fn prefixes_of_a_file_are_files() {
    let mut db = project(&[("k.rs", "")], &[]);
    let file = db.file("k.rs").unwrap();
    for (end, _) in KERNEL.char_indices().step_by(3) {
        db.set_text(file, KERNEL[..end].into());
        ask_everything(&db, file);
    }
}

/// What the guard lets through must not overflow the small stack of a test's thread.
#[test]
fn nesting_at_the_limit_is_parsed_and_dropped() {
    let shapes: [(&str, &str, &str); 16] = [
        ("fn f() { x = ", "(", ""),
        ("fn f() { x = ", "[", ""),
        ("fn f() { ", "{", ""),
        ("fn f() { x = ", "-", "1; }"),
        ("fn f() { x = ", "&mut ", "1; }"),
        ("fn f() { x = 1", "+1", "; }"),
        ("fn f() { x", ".a()", "; }"),
        ("fn f() { x", ".a::<B>()?", "; }"),
        ("fn f() { ", "if a {} else ", "{} }"),
        ("type X = ", "&", "u8;"),
        ("type X = ", "A<", "u8;"),
        ("type X = ", "fn() -> ", "u8;"),
        ("use a", "::a", ";"),
        ("fn f() { ", "return ", "1 }"),
        ("fn f() { ", "|| ", "1 }"),
        ("fn f() { a", " = a", "; }"),
    ];
    for (before, repeated, after) in shapes {
        let text = |count: usize| format!("{before}{}{after}", repeated.repeat(count));
        let accepted = |count: usize| {
            let db = project(&[("k.rs", &text(count))], &[]);
            let file = db.file("k.rs").unwrap();
            let accepted = file_items(&db, file).unanalysed != Some(Unanalysed::TooDeeplyNested);
            ask_everything(&db, file);
            accepted
        };
        let (mut low, mut high) = (1, 20_000);
        assert!(accepted(low) && !accepted(high), "{repeated}");
        while high - low > 1 {
            let middle = usize::midpoint(low, high);
            if accepted(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        assert!(low >= 100, "{repeated}: only {low}");
    }
}

#[test]
fn long_files_pass() {
    let count = 1_500;
    let functions: String = (0..count)
        .map(|index| format!("axes![A{index} = {}];\nfn f{index}() {{ let x: T<m![A{index} / 2, Z{index}]>; }}\n\n", 2 * index + 2))
        .collect();
    let locals: String = (0..count)
        .map(|index| format!("const C{index}: usize = {index};\n"))
        .collect();
    let text = format!("{functions}fn all() {{\n{locals}}}\n");
    let db = project(&[("k.rs", &text)], &[]);
    let file = db.file("k.rs").unwrap();
    ask_everything(&db, file);
    assert_eq!(file_items(&db, file).items.len(), 2 * count + 1);
}

#[test]
fn every_mapping_of_the_shipped_kernels_resolves() {
    let folder = format!(
        "{}/../../fixtures/kernels/right",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut sites = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let db = project(&[("k.rs", &text)], &[]);
        let file = db.file("k.rs").unwrap();
        for item in &file_items(&db, file).items {
            for site in mapping_sites(&db, *item).iter() {
                assert_eq!(site.problems, [], "{path:?}");
                assert!(
                    site.mappings.iter().all(Option::is_some),
                    "{path:?} {site:?}"
                );
                sites += 1;
            }
        }
    }
    assert!(sites > 50, "{sites}");
}

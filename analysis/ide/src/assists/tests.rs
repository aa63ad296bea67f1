use crate::EditorQuestions as _;
use std::sync::Arc;

use super::super::testing::{KERNEL, everywhere, workspace};
use crate::changes::{Texts, apply_fixes};
use crate::{
    Analysis, Applicability, Assist, ByteRange, DiagnosticFix, FileEdit, Level, Workspace,
};

mod fixtures;

/// The texts with the edits made. Panics where they do not fit the texts or meet each other.
fn applied(texts: &Texts, edits: &[FileEdit]) -> Texts {
    let fix = DiagnosticFix {
        title: String::new(),
        applicability: Applicability::Maybe,
        edits: edits.to_vec(),
        cost: None,
    };
    let application = apply_fixes(texts, [&fix]);
    assert_eq!(application.applied, [0], "{edits:?}");
    let mut texts = texts.clone();
    texts.extend(application.texts);
    texts
}

/// The selection between two `$0`, or the caret at the only one, and the text without them.
fn selection(text: &str) -> (String, ByteRange) {
    let parts: Vec<&str> = text.split("$0").collect();
    let start = parts[0].len();
    let end = match parts.len() {
        2 => start,
        3 => start + parts[1].len(),
        _ => panic!("one caret or two"),
    };
    let byte = |at| u32::try_from(at).expect("a small text");
    let range = ByteRange {
        start: byte(start),
        end: byte(end),
    };
    (parts.concat(), range)
}

const HEAD: &str = "use furiosa_visa_std::prelude::*;\naxes![A = 8, B = 4, S = 256];\n";

fn offered(text: &str) -> (String, Vec<Assist>) {
    let (text, range) = selection(&format!("{HEAD}{text}"));
    let assists = workspace(&text).analysis().assists("kernel.rs", range);
    (text, assists.expect("an answer"))
}

fn after(text: &str, assist: &Assist) -> String {
    let texts = Texts::from([(Arc::from("kernel.rs"), Arc::from(text))]);
    let texts = applied(&texts, &assist.edits);
    let text = &texts["kernel.rs"];
    text.strip_prefix(HEAD).expect("the head stays").to_owned()
}

/// What the change of that title makes of the text.
#[track_caller]
fn check(text: &str, title: &str, expected: &str) {
    let (text, assists) = offered(text);
    let Some(assist) = assists.iter().find(|assist| assist.title == title) else {
        let titles: Vec<&str> = assists.iter().map(|assist| assist.title.as_str()).collect();
        panic!("no {title} among {titles:?}")
    };
    assert_eq!(after(&text, assist), expected);
}

#[track_caller]
fn check_titles(text: &str, expected: &[&str]) {
    let (_, assists) = offered(text);
    let titles: Vec<&str> = assists.iter().map(|assist| assist.title.as_str()).collect();
    assert_eq!(titles, expected);
}

#[test]
fn a_mapping_gets_a_name_before_its_item() {
    check(
        "/// Words.\n#[inline]\nfn f(x: &HbmTensor<i8, m![1], m![A, $0B]>) {}\n",
        "Extract to the alias `Mapping1`",
        "type Mapping1 = m![A, B];\n\n/// Words.\n#[inline]\nfn f(x: &HbmTensor<i8, m![1], Mapping1>) {}\n",
    );
    check(
        "mod inner {\n    use super::*;\n    type Y = HbmTensor<i8, m![1], $0m![B, A]>;\n}\n",
        "Extract to the alias `Mapping1`",
        "mod inner {\n    use super::*;\n    type Mapping1 = m![B, A];\n    type Y = HbmTensor<i8, m![1], Mapping1>;\n}\n",
    );
}

#[test]
fn all_that_say_the_same_get_the_name() {
    check(
        "type Slice = m![A / 4];
fn f(x: &HbmTensor<i8, m![1], m![A / 4$0]>, y: &HbmTensor<i8, m![1], m![B, A /4, A / 4 % 2]>) {}
fn g(x: &HbmTensor<i8, m![1], m![A  /  4]>) {
    axes![A = 16];
    type Other = HbmTensor<i8, m![1], m![A / 4]>;
}
mod m {
    use super::*;
    type Z = HbmTensor<i8, m![1], m![A / 4]>;
}
",
        "Extract to the alias `Mapping1`, replacing all 4",
        "type Slice = m![A / 4];
type Mapping1 = m![A / 4];

fn f(x: &HbmTensor<i8, m![1], Mapping1>, y: &HbmTensor<i8, m![1], m![B, { Mapping1 }, { Mapping1 } % 2]>) {}
fn g(x: &HbmTensor<i8, m![1], Mapping1>) {
    axes![A = 16];
    type Other = HbmTensor<i8, m![1], m![A / 4]>;
}
mod m {
    use super::*;
    type Z = HbmTensor<i8, m![1], m![A / 4]>;
}
",
    );
}

#[test]
fn a_selected_part_gets_a_name() {
    check(
        "type X = HbmTensor<i8, m![1], m![B, $0A / 2$0 % 4]>;\n",
        "Extract to the alias `Mapping1`",
        "type Mapping1 = m![A / 2];\ntype X = HbmTensor<i8, m![1], m![B, { Mapping1 } % 4]>;\n",
    );
    check(
        "type X = m![$0[A, B]$0 # 64];\n",
        "Extract to the alias `Mapping1`",
        "type Mapping1 = m![A, B];\ntype X = m![{ Mapping1 } # 64];\n",
    );
    check_titles("type X = m![B, A / $02$0];\n", &[]);
    check_titles("type X = m![B, $0A$0 / 2];\n", &[]);
    check_titles("type X = m![$0B, A$0 / 2];\n", &[]);
}

#[test]
fn the_last_parts_of_a_list_get_a_name() {
    check(
        "type X = HbmTensor<i8, m![1], m![S, $0A / 2, B$0]>;\n",
        "Extract to the alias `Mapping1`",
        "type Mapping1 = m![A / 2, B];\ntype X = HbmTensor<i8, m![1], m![S, { Mapping1 }]>;\n",
    );
    check(
        "type X = m![[S,$0 A ,  B $0] # 8192, 1];\n",
        "Extract to the alias `Mapping1`",
        "type Mapping1 = m![A ,  B];\ntype X = m![[S, { Mapping1 } ] # 8192, 1];\n",
    );
    check(
        "type X = m![A % 2, 1, $0[A / 2], [B, 1]$0];\n",
        "Extract to the alias `Mapping1`",
        "type Mapping1 = m![[A / 2], [B, 1]];\ntype X = m![A % 2, 1, { Mapping1 }];\n",
    );
}

#[test]
fn other_neighbours_of_a_list_are_another_type_and_left() {
    // `A, B, S` is the pair of `A` with the pair of `B` and `S`.
    check_titles("type X = m![$0A, B$0, S];\n", &[]);
    check_titles("type X = m![1, $0A, B$0, S];\n", &[]);
    check_titles("type X = m![S, A$0, B$0];\n", &[]);
    check_titles("type X = m![S, $0A, $0B];\n", &[]);
    check_titles("type X = m![S, $0A, B]$0;\n", &[]);
    check_titles("type X = m![S, A, $0B$0];\n", &[]);
    check_titles("type X = m![S, $0A, Nowhere$0];\n", &[]);
    check_titles("type X = m![S, $0A, // a\nB$0];\n", &[]);
}

#[test]
fn all_ends_that_say_the_same_get_the_name() {
    check(
        "fn f(x: &T<m![S, $0A, B$0]>, y: &T<m![A, B]>, z: &T<m![[1, A,B] # 64]>, u: &T<m![[A, B] # 64, S]>, v: &T<m![A, B, S]>, w: &T<m![A, [1, A, B], A, B]>) {}\n",
        "Extract to the alias `Mapping1`, replacing all 6",
        "type Mapping1 = m![A, B];\n\nfn f(x: &T<m![S, { Mapping1 }]>, y: &T<Mapping1>, z: &T<m![[1, { Mapping1 }] # 64]>, u: &T<m![{ Mapping1 } # 64, S]>, v: &T<m![A, B, S]>, w: &T<m![A, [1, { Mapping1 }], { Mapping1 }]>) {}\n",
    );
    // Who names a whole mapping means that one, not ends of others.
    check_titles(
        "fn f(x: &T<m![A, $0B]>, y: &T<m![S, A, B]>) {}\n",
        &["Extract to the alias `Mapping1`"],
    );
}

#[test]
fn what_needs_a_blocks_names_stays_in_the_block() {
    check(
        "fn f() {
    axes![L = 4];
    let x = g();
    let y: HbmTensor<i8, m![1], m![L, $0A]> = g();
    if x {
        let z: HbmTensor<i8, m![1], m![L, A]> = g();
    }
}
fn h(x: HbmTensor<i8, m![1], m![L, A]>) {}
",
        "Extract to the alias `Mapping1`, replacing all 2",
        "fn f() {
    axes![L = 4];
    let x = g();
    type Mapping1 = m![L, A];
    let y: HbmTensor<i8, m![1], Mapping1> = g();
    if x {
        let z: HbmTensor<i8, m![1], Mapping1> = g();
    }
}
fn h(x: HbmTensor<i8, m![1], m![L, A]>) {}
",
    );
}

#[test]
fn names_are_free() {
    check(
        "type Mapping1 = u8;\n// Mapping2 is taken too\nfn f(x: &HbmTensor<i8, m![1], m![A, $0B]>) {}\n",
        "Extract to the alias `Mapping3`",
        "type Mapping1 = u8;\ntype Mapping3 = m![A, B];\n\n// Mapping2 is taken too\nfn f(x: &HbmTensor<i8, m![1], Mapping3>) {}\n",
    );
}

#[test]
fn what_has_a_name_or_none_is_left() {
    check_titles("type X = m![A, $0B];\n", &[]);
    check_titles("fn f(x: &HbmTensor<i8, m![1], m![$0A]>) {}\n", &[]);
    check_titles("fn f(x: &HbmTensor<i8, m![1], m![A, $0Nowhere]>) {}\n", &[]);
    check_titles("fn f(x: &HbmTensor<i8, m![1], m![A, $0]>) {}\n", &[]);
    check_titles(
        "fn f<T: M>(x: &HbmTensor<i8, m![1], m![A, $0{ T }]>) {}\n",
        &[],
    );
    check_titles("other!(m![A, $0B]);\n", &[]);
    check_titles("fn f(x: &HbmTensor<i8, m![1], m![A, $0B", &[]);
}

#[test]
fn other_line_breaks_are_kept() {
    let (text, assists) = offered("fn f(x: &HbmTensor<i8, m![1], m![A, $0B]>) {}\n");
    let dos = text.replace('\n', "\r\n");
    let at = u32::try_from(dos.find("B]>").expect("the caret")).expect("small");
    let range = ByteRange { start: at, end: at };
    let found = workspace(&dos)
        .analysis()
        .assists("kernel.rs", range)
        .expect("an answer");
    assert_eq!(found.len(), assists.len());
    let texts = Texts::from([(Arc::from("kernel.rs"), Arc::from(dos.as_str()))]);
    let changed = applied(&texts, &found[0].edits);
    assert_eq!(
        *changed["kernel.rs"],
        *format!(
            "{HEAD}{}",
            after(&text, &assists[0]).strip_prefix("").expect("all")
        )
        .replace('\n', "\r\n")
    );
}

#[test]
fn an_alias_is_inlined() {
    let text = "type X = m![A, B];
type Y = HbmTensor<i8, m![1], $0X>;
type Z = HbmTensor<i8, m![1], m![{ X } # 64, S, { X }]>;
const SIZE: usize = X::SIZE;
";
    check(
        text,
        "Inline `X` at all 4 uses and remove it",
        "type Y = HbmTensor<i8, m![1], m![A, B]>;
type Z = HbmTensor<i8, m![1], m![[A, B] # 64, S, [A, B]]>;
const SIZE: usize = <m![A, B]>::SIZE;
",
    );
    check(
        text,
        "Inline `X` here",
        "type X = m![A, B];
type Y = HbmTensor<i8, m![1], m![A, B]>;
type Z = HbmTensor<i8, m![1], m![{ X } # 64, S, { X }]>;
const SIZE: usize = X::SIZE;
",
    );
}

#[test]
fn brackets_come_where_they_are_needed() {
    check(
        "type X = m![A / 2];\ntype Y = m![B, { $0X } % 2];\ntype Z = m![({ X }), { X }];\n",
        "Inline `X` at all 3 uses and remove it",
        "type Y = m![B, A / 2 % 2];\ntype Z = m![(A / 2), A / 2];\n",
    );
    check(
        "type X = m![A, B];\ntype Y = m![{ $0X }];\ntype Z = m![({ X }) # 64];\n",
        "Inline `X` at all 2 uses and remove it",
        "type Y = m![A, B];\ntype Z = m![(A, B) # 64];\n",
    );
}

#[test]
fn an_alias_of_a_tensor_is_inlined() {
    check(
        "/// A block.
type Block = DmTensor<i8, m![1], m![1 # 2], m![S], m![A]>;

fn f(x: &Block) {
    let y: $0Block = x.g();
    let z = unsafe { Block::from_addr(0) };
}
",
        "Inline `Block` at all 3 uses and remove it",
        "
fn f(x: &DmTensor<i8, m![1], m![1 # 2], m![S], m![A]>) {
    let y: DmTensor<i8, m![1], m![1 # 2], m![S], m![A]> = x.g();
    let z = unsafe { <DmTensor<i8, m![1], m![1 # 2], m![S], m![A]>>::from_addr(0) };
}
",
    );
}

#[test]
fn names_mean_the_same_at_the_use_or_nothing_is_done() {
    check_titles(
        "type X = m![A, B];\nfn f() {\n    axes![A = 16];\n    type Y = HbmTensor<i8, m![1], $0X>;\n}\n",
        &[],
    );
    check_titles(
        "mod m {\n    use furiosa_visa_std::prelude::*;\n    axes![L = 4];\n    pub type X = m![L];\n}\ntype Y = m::$0X;\n",
        &[],
    );
}

#[test]
fn what_others_see_stays_declared() {
    check(
        "pub type X = m![A, B];\ntype Y = HbmTensor<i8, m![1], $0X>;\n",
        "Inline `X` at its one use",
        "pub type X = m![A, B];\ntype Y = HbmTensor<i8, m![1], m![A, B]>;\n",
    );
    check_titles(
        "type X = m![A, B];\nmod m {\n    use super::*;\n    use super::X;\n    type Y = HbmTensor<i8, m![1], $0X>;\n}\n",
        &["Inline `X` here", "Inline `X` at its one use"],
    );
    check_titles("type $0X = m![A, B];\n", &[]);
    check_titles(
        "type X = m![A, ];\ntype Y = HbmTensor<i8, m![1], $0X>;\n",
        &[],
    );
    check_titles(
        "fn f() {\n    type X = m![A % 3];\n    type Y = HbmTensor<i8, m![1], $0X>;\n}\n",
        &[],
    );
    check_titles(
        "type X<T> = HbmTensor<i8, m![1], T>;\ntype Y = $0X<m![A]>;\n",
        &[],
    );
}

/// Loads 20 bytes a packet and keeps them.
const PACKETS: &str = "type Chip = m![1];
type Half = m![1 # 2];
#[device(chip = 1)]
fn f(ctx: &mut Context, x: &HbmTensor<i8, Chip, m![S, A, A]>) -> HbmTensor<i8, Chip, m![S, A, A # 32]> {
    let x: DmTensor<i8, Chip, Half, m![S], m![A, A]> = x.to_dm(&mut ctx.tdma, 0x200);
    let y: DmTensor<i8, Chip, Half, m![S], m![A, A # 32]> =
        ctx.main.begin(x.view()).fetch::<i8, m![A], m![FETCH]>().collect::<m![A], m![A # 32]>().commit(0x1000);
    y.to_hbm(&mut ctx.tdma, 1 << 28)
}
";

#[test]
fn a_packet_is_padded_to_a_flit() {
    let text = PACKETS.replace("FETCH", "A$0");
    check(
        &text,
        "Pad the packet to whole flits: `m![A # 32]`",
        &PACKETS.replace("FETCH", "A # 32"),
    );
    check_titles(
        &PACKETS.replace("FETCH", "A # 32$0"),
        &[
            "Extract to the alias `Mapping1`",
            "Extract to the alias `Mapping1`, replacing all 4",
        ],
    );
}

#[test]
fn a_tensor_is_moved_to_the_first_free_place() {
    // 64 bytes are free before everything.
    let fetched = PACKETS.replace("FETCH", "A # 32");
    check(
        &fetched.replace("0x200", "0x$0200"),
        "Move `x` to `0x0`",
        &fetched.replace("0x200", "0x0"),
    );
    // The commit reads the first 64 bytes while it writes.
    let low = fetched.replace("0x200", "0");
    check(
        &low.replace("0x1000", "$00x1000"),
        "Move `y` to `0x100`",
        &low.replace("0x1000", "0x100"),
    );
}

#[test]
fn halves_of_the_tensor_registers_change_places() {
    let text = std::fs::read_to_string(fixtures::folder().join("kernels/right/loops.rs"))
        .expect("a fixture");
    // The other half is read while this one is loaded.
    let at = u32::try_from(text.find("TrfAddress::FirstHalf").expect("an address")).expect("small");
    let range = ByteRange { start: at, end: at };
    let assists = workspace(&text).analysis().assists("kernel.rs", range);
    let moves = assists.expect("an answer");
    assert!(
        !moves.iter().any(|assist| assist.title.starts_with("Move")),
        "{moves:?}"
    );

    let alone = std::fs::read_to_string(fixtures::folder().join("kernels/right/batched_matmul.rs"))
        .expect("a fixture")
        .replace("TrfAddress::Full", "TrfAddress::FirstHalf");
    let at = u32::try_from(alone.find("TrfAddress::").expect("an address")).expect("small");
    let range = ByteRange { start: at, end: at };
    let assists = workspace(&alone).analysis().assists("kernel.rs", range);
    let titles: Vec<String> = assists
        .expect("an answer")
        .into_iter()
        .map(|assist| assist.title)
        .collect();
    assert_eq!(titles, ["Move `right` to `TrfAddress::SecondHalf`"]);
}

#[test]
fn what_is_no_literal_is_not_moved() {
    let fetched = PACKETS.replace("FETCH", "A # 32");
    check_titles(&fetched.replace("0x200", "2$0 * 0x100"), &[]);
    check_titles(&fetched.replace("1 << 28", "0x1000$00000"), &[]);
}

#[test]
fn no_text_and_no_place_is_too_strange() {
    let mut found = 0;
    let mut ask = |analysis: &Analysis, offset: u32| {
        for length in [0, 5] {
            let selection = ByteRange {
                start: offset,
                end: offset.saturating_add(length),
            };
            let assists = analysis.assists("kernel.rs", selection).expect("an answer");
            found += assists.len();
        }
    };
    everywhere(KERNEL, &mut ask);
    assert!(found > 100, "{found}");
}

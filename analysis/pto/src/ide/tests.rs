//! Answers about a small file, at places that a mark `|` gives.

use super::super::analysis::Analysis;
use super::super::rules::check_analysis;
use super::{
    ask_whole_text, assists_at, completions_at, file_symbols, function_lenses, hover_at,
    name_places, renamed_places,
};

const TEXT: &str = "func.func @tile(%gm: !pto.ptr<f32, gm>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c64 = arith.constant 64 : i64
  %c256 = arith.constant 256 : i64
  %c512 = arith.constant 512 : i64
  %c16384 = arith.constant 16384 : i64
  %no = arith.constant false
  %ub = pto.castptr %c256 : i64 -> !pto.ptr<f32, ub>
  pto.set_loop_size_outtoub %c2, %c2 : i64, i64
  pto.set_loop1_stride_outtoub %c512, %c16384 : i64, i64
  pto.set_loop2_stride_outtoub %c16384, %c64 : i64, i64
  pto.copy_gm_to_ubuf %gm, %ub, %c0, %c64, %c64, %c0, %c0, %no, %c0, %c512, %c256 : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64, i1, i64, i64, i64
  pto.set_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID0\"]
  pto.wait_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID0\"]
  return
}
";

fn at(text: &str, words: &str) -> u32 {
    u32::try_from(text.find(words).unwrap()).unwrap()
}

fn shown(words: &str, ahead: u32) -> String {
    let hover = ask_whole_text(TEXT, |seen| hover_at(seen, at(TEXT, words) + ahead));
    hover.unwrap().markdown
}

#[test]
fn a_copy_shows_its_nest_and_its_registers() {
    let text = shown("pto.copy_gm_to_ubuf", 4);
    // 2 * 2 * 64 rows of 64 bytes.
    for words in [
        "GM to UB on PIPE_MTE2",
        "256 rows of 64 bytes",
        "| loop1 (registers) | 2 | 512 | 16,384 |",
        "| rows | 64 | 512 | 256 |",
        "16,384 bytes moved",
        "`set_loop_size_outtoub`: 2, 2, line 11",
        "| target (UB) | 256 |",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
}

#[test]
fn operands_flags_and_registers_say_what_they_are() {
    let field = shown("%c64, %c64", 2);
    assert!(
        field.contains("**n_burst**: 64 rows") && field.contains("7 of 21 bits"),
        "{field}"
    );
    let flag = shown("pto.set_flag", 2);
    assert!(flag.contains("awaited in line 16"), "{flag}");
    let size = shown("pto.set_loop_size", 2);
    assert!(
        size.contains("read by `pto.copy_gm_to_ubuf` in line 14"),
        "{size}"
    );
    let map = shown("%ub =", 1);
    assert!(map.contains("256 of UB") && map.contains("free"), "{map}");
}

#[test]
fn names_are_found_and_renamed() {
    ask_whole_text(TEXT, |seen| {
        let (definition, uses) = name_places(seen, at(TEXT, "%c256 :")).unwrap();
        assert_eq!(seen.line(definition.start), 6);
        assert_eq!(uses.len(), 2);
        let (edits, name) = renamed_places(seen, definition.start, "%row").unwrap();
        assert_eq!((edits.len(), name.as_str()), (3, "row"));
        assert!(renamed_places(seen, definition.start, "c64").is_err());
        assert!(renamed_places(seen, definition.start, "a b").is_err());
    });
}

#[test]
fn proposals_fit_the_place() {
    let labels = |text: &str| -> Vec<String> {
        let offset = u32::try_from(text.find('|').unwrap()).unwrap();
        let text = text.replace('|', "");
        let found = completions_at(&Analysis::of(&text), offset);
        found.into_iter().map(|one| one.label).collect()
    };
    assert!(
        labels("func.func @f() {\n  pto.set_lo|\n}")
            .contains(&"pto.set_loop_size_outtoub".to_owned())
    );
    assert_eq!(
        labels("pto.set_flag[\"PIPE_MT|\", \"PIPE_V\", \"EVENT_ID0\"]")[0],
        "PIPE_MTE1"
    );
    assert_eq!(
        labels("pto.wait_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EV|\"]").len(),
        8
    );
    assert_eq!(
        labels("%abc = arith.constant 3 : i64\n%abd = x.y\npto.copy_gm_to_ubuf %abc, %ab|"),
        ["%abc", "%abd"]
    );
    let text = "%abc = arith.constant 3 : i64\npto.copy_gm_to_ubuf %abc, %abc, %abc, %abc, ";
    let found = completions_at(&Analysis::of(text), u32::try_from(text.len()).unwrap());
    assert_eq!(found[0].detail.as_deref(), Some("len_burst = 3"));
}

#[test]
fn the_outline_has_functions_and_bytes() {
    let analysis = Analysis::of(TEXT);
    assert_eq!(file_symbols(&analysis)[0].name, "tile");
    let lens = &function_lenses(&analysis)[0].title;
    assert!(
        lens.starts_with("1 transfer, 16,384 bytes in, 0 bytes out"),
        "{lens}"
    );
}

#[test]
fn both_forms_of_a_copy_move_the_same() {
    let change = |text: &str, name: &str| -> String {
        let analysis = Analysis::of(text);
        let start = at(text, name);
        let found = assists_at(&analysis, &"a.pto".into(), start);
        let mut edits = found[0].edits.clone();
        edits.sort_by_key(|edit| edit.start_byte);
        let mut changed = text.to_owned();
        for edit in edits.iter().rev() {
            changed.replace_range(edit.start_byte as usize..edit.end_byte as usize, &edit.text);
        }
        changed
    };
    let transfer = |text: &str| {
        let analysis = Analysis::of(text);
        assert_eq!(analysis.file.problems, [], "{text}");
        assert_eq!(analysis.program.faults, [], "{text}");
        analysis.facts[0].derived[0].transfer.clone().unwrap()
    };
    let grouped = change(TEXT, "pto.copy_gm_to_ubuf");
    assert!(grouped.contains("pto.mte_gm_ub"), "{grouped}");
    assert_eq!(transfer(&grouped), transfer(TEXT));
    let back = change(&grouped, "pto.mte_gm_ub");
    assert_eq!(transfer(&back), transfer(TEXT));
    let back = Analysis::of(&back);
    assert!(
        check_analysis(&back)
            .iter()
            .all(|finding| finding.rule.name != "pto_loop_stride_unset")
    );
}

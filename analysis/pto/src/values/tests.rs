//! Names and numbers of small texts, worked out by hand.

use super::super::program::lower_file;
use super::super::syntax::{File, Kind, parse};
use super::Names;
use super::names::ValueId;

/// The number that the value named last in a text is, after all operations.
fn number(text: &str) -> Option<i64> {
    let file = parse(text);
    assert_eq!(file.problems, [], "{text}");
    let names = Names::of(&file);
    let program = lower_file(&file, &names, false);
    program.values.get(last(&file, &names))?.number()
}

fn last(file: &File, names: &Names) -> ValueId {
    let used = (0..file.tokens.len() as u32)
        .rev()
        .find_map(|token| names.value(token));
    used.unwrap()
}

fn unknown(text: &str) -> Vec<String> {
    let file = parse(text);
    let names = Names::of(&file);
    names
        .unknown
        .iter()
        .map(|unknown| file.text_at(file.token(unknown.token).place).to_owned())
        .collect()
}

#[test]
fn arithmetic_on_constants_is_done() {
    let with = |operation: &str| {
        number(&format!(
            "%a = arith.constant 7 : i64\n%b = arith.constant -3 : i64\n%c = arith.constant 0x10 : i64\n%t = arith.constant true\n{operation}\nx.y %r"
        ))
    };
    assert_eq!(with("%r = arith.addi %a, %b : i64"), Some(4));
    assert_eq!(with("%r = arith.subi %a, %b : i64"), Some(10));
    assert_eq!(with("%r = arith.muli %a, %c : i64"), Some(112));
    assert_eq!(with("%r = arith.divsi %b, %a : i64"), Some(0));
    assert_eq!(with("%r = arith.remui %c, %a : i64"), Some(2));
    assert_eq!(with("%r = arith.minsi %b, %a : i64"), Some(-3));
    assert_eq!(with("%r = arith.maxsi %b, %a : i64"), Some(7));
    assert_eq!(with("%r = arith.index_cast %c : i64 to index"), Some(16));
    assert_eq!(with("%r = arith.select %t, %a, %b : i64"), Some(7));
    assert_eq!(with("%r = arith.trunci %c : i64 to i4"), None);
    assert_eq!(with("%r = arith.trunci %c : i64 to i8"), Some(16));
    // What depends on a width, divides by zero, or does not fit is not known.
    assert_eq!(with("%r = arith.extui %b : i32 to i64"), None);
    assert_eq!(with("%r = arith.divui %b, %a : i64"), None);
    assert_eq!(
        with("%z = arith.constant 0 : i64\n%r = arith.divsi %a, %z : i64"),
        None
    );
    let large = "%m = arith.constant 9223372036854775807 : i64\n%r = arith.addi %m, %a : i64";
    assert_eq!(with(large), None);
    let digits = "9".repeat(10_000);
    assert_eq!(with(&format!("%r = arith.constant {digits} : i64")), None);
    assert_eq!(with("%r = arith.constant 1.0 : f32"), None);
}

#[test]
fn pointers_count_elements_and_casts_keep_addresses() {
    let text = "%n = arith.constant 4096 : i64\n%k = arith.constant 10 : index\n%p = pto.castptr %n : i64 -> !pto.ptr<f32, ub>\n%q = pto.addptr %p, %k : <f32, ub> -> <f32, ub>\n%h = pto.castptr %q : !pto.ptr<f32, ub> -> !pto.ptr<f16, ub>\n%r = pto.addptr %h, %k : <f16, ub> -> <f16, ub>\nx.y %r";
    // 4096 + 10 * 4 + 10 * 2
    assert_eq!(number(text), Some(4156));
}

#[test]
fn the_same_unknown_base_compares_by_offsets() {
    let text = "func.func @f(%g: !pto.ptr<f32>, %i: i64) {\n%k = arith.constant 8 : i64\n%m = arith.muli %i, %k : i64\n%n = arith.muli %i, %k : i64\n%p = arith.addi %m, %k : i64\n%d = arith.subi %p, %n : i64\nx.y %d\n}";
    assert_eq!(number(text), Some(8));
}

#[test]
fn a_branch_over_a_constant_is_taken() {
    let text = "%t = arith.constant false\n%a = arith.constant 1 : i64\n%b = arith.constant 2 : i64\n%r = scf.if %t -> (i64) { scf.yield %a : i64 } else { scf.yield %b : i64 }\nx.y %r";
    assert_eq!(number(text), Some(2));
    let open = text.replace("%t = arith.constant false", "%t = x.y");
    assert_eq!(number(&open), None);
}

#[test]
fn names_are_seen_in_their_region() {
    assert_eq!(
        unknown("%a = arith.constant 1 : i64\n%b = arith.addi %a, %c : i64"),
        ["%c"]
    );
    // Regions see what is before and around them; siblings do not see each other.
    let text = "func.func @f(%x: i64) { %a = arith.addi %x, %x : i64\n return }\nfunc.func @g(%y: i64) { %b = arith.addi %a, %x : i64\n return }";
    assert_eq!(unknown(text), ["%a", "%x"]);
    let text = "func.func @f(%n: index) {\n scf.for %i = %n to %n step %n iter_args(%s = %n) -> (index) {\n %t = arith.addi %i, %s : index\n scf.yield %t : index\n }\n %u = arith.addi %i, %n : index\n return\n}";
    assert_eq!(unknown(text), ["%i"]);
    let text = "func.func @f(%n: i64) {\n %r:2 = scf.while (%a = %n) : (i64) -> (i64, i64) {\n scf.condition(%n) %a, %a : i64, i64\n } do {\n^bb0(%x: i64, %y: i64):\n scf.yield %x : i64\n }\n %s = arith.addi %r#0, %r#1 : i64\n return\n}";
    assert_eq!(unknown(text), Vec::<String>::new());
    // Blocks come in any order.
    let text = "func.func @f(%c: i1) {\n cf.br ^b\n^a:\n %z = arith.addi %v, %v : i64\n return\n^b:\n %v = arith.constant 1 : i64\n cf.br ^a\n}";
    assert_eq!(unknown(text), Vec::<String>::new());
    // Unknown operations define what they like.
    let text = "my.loop %q in 4 { %z = arith.addi %q, %q : i64 }\nmy.other %nowhere";
    assert_eq!(unknown(text), Vec::<String>::new());
    // In a module, and in regions of other dialects, a definition may come after its use; others may define it elsewhere.
    let text = "module {\n %a = arith.addi %b, %b : i64\n %b = arith.constant 1 : i64\n}";
    assert_eq!(unknown(text), Vec::<String>::new());
    let text = "func.func @f() {\n \"x.graph\"() ({\n %a = arith.addi %b, %c : i64\n %b = arith.constant 1 : i64\n }) : () -> ()\n return\n}";
    assert_eq!(unknown(text), Vec::<String>::new());
    // Not so in a function.
    let text =
        "func.func @f() {\n %a = arith.addi %b, %b : i64\n %b = arith.constant 1 : i64\n return\n}";
    assert_eq!(unknown(text), ["%b", "%b"]);
}

#[test]
fn many_functions_with_the_same_names_take_linear_time() {
    let one = "func.func @f(%a: i64) { %0 = arith.addi %a, %a : i64\n %1 = arith.addi %0, %missing : i64\n return }\n";
    let text = one.repeat(3_000);
    assert_eq!(unknown(&text).len(), 3_000);
    let file = parse(&text);
    assert!(file.tokens.iter().any(|token| token.kind == Kind::Value));
}

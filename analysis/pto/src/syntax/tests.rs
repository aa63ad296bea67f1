//! Shapes of texts written by hand, and texts that are broken in every way.

use super::{File, OperationId, RegionId, parse};

/// The names of operations with their results before and their regions in braces behind.
fn shape(file: &File) -> String {
    let parts = file.parts.iter().map(|&part| of_region(file, part));
    parts.collect::<Vec<_>>().join(" --- ")
}

fn of_region(file: &File, region: RegionId) -> String {
    let operations = file.region(region).operations.iter();
    operations
        .map(|&operation| of_operation(file, operation))
        .collect::<Vec<_>>()
        .join(" ")
}

fn of_operation(file: &File, id: OperationId) -> String {
    let operation = file.operation(id);
    let mut text = String::new();
    for result in &operation.results {
        text.push_str(file.text_at(result.place));
        if result.count != 1 {
            text.push_str(&format!(":{}", result.count));
        }
        text.push('=');
    }
    text.push_str(file.name(id));
    for &region in &operation.regions {
        text.push_str(&format!("{{{}}}", of_region(file, region)));
    }
    text
}

fn expect(text: &str, wanted: &str) {
    let file = parse(text);
    assert_eq!(file.problems, [], "{text}");
    assert_eq!(shape(&file), wanted, "{text}");
}

#[test]
fn an_operation_ends_where_the_next_begins() {
    expect("pto.a %x, %y : i64 pto.b", "pto.a pto.b");
    expect(
        "%a = arith.constant 1 : i64\n%b, %c:2 = x.y %a",
        "%a=arith.constant %b=%c:2=x.y",
    );
    expect(
        "pto.copy %a,\n // the stream\n %b, // rows\n %c\n : i64,\n i64\nreturn",
        "pto.copy return",
    );
    expect(
        "pto.barrier #pto.pipe<PIPE_ALL>\npto.barrier <PIPE_ALL>",
        "pto.barrier pto.barrier",
    );
    expect(
        "pto.set_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID0\"] pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]",
        "pto.set_flag pto.set_flag",
    );
}

#[test]
fn regions_and_dictionaries_are_told_apart() {
    expect(
        "module attributes {pto.target_arch = \"a5\"} { func.func @f(%a: i64 {x.y}) attributes {pto.kernel} { return } }",
        "module{func.func{return}}",
    );
    expect(
        "scf.for %i = %lo to %hi step %s iter_args(%a = %b) -> (i64) : i64 {\n scf.yield %a : i64\n} {unroll}\nreturn",
        "scf.for{scf.yield} return",
    );
    expect(
        "%r:2 = scf.if %c -> (i64, i64) { scf.yield %a, %b : i64, i64 } else { scf.yield %b, %a : i64, i64 }",
        "%r:2=scf.if{scf.yield}{scf.yield}",
    );
    expect(
        "%r = scf.while (%a = %b) : (i64) -> i64 { scf.condition(%c) %a : i64 } do {\n^bb0(%x: i64):\n scf.yield %x : i64 }",
        "%r=scf.while{scf.condition}{scf.yield}",
    );
    expect(
        "\"scf.if\"(%c) ({\n x.y\n}, {\n}) {k = 1} : (i1) -> ()\nreturn",
        "scf.if{x.y}{} return",
    );
    expect("scf.if %c { scf.yield }", "scf.if{scf.yield}");
    expect(
        "scf.if %c { pto.nop } else { return }",
        "scf.if{pto.nop}{return}",
    );
    expect("scf.if %c {} else { x.y }\nx.y {}", "scf.if{}{x.y} x.y");
    expect("x.y {} x.z { a, b } x.w {\"a\" = 1}", "x.y x.z x.w");
}

#[test]
fn other_dialects_are_read_by_their_shape() {
    // Types of functions with any number of arguments; a type's body may hold any character.
    expect(
        "llvm.func @f(i32, ...) -> i64\n%a = x.y : !t.fn<i32 (i64, ...)>\nx.z : !t<a ~ 'b`>",
        "llvm.func %a=x.y x.z",
    );
    // Braces that hold no operation, and regions in parentheses of the custom form.
    expect(
        "%m = transform.match ops{[\"a.b\"]} in %r : !t\nx.y {1 = 2}\nreturn",
        "%m=transform.match x.y return",
    );
    expect(
        "%m = other.apply(%a : i64) -> (i64) <{\"n\" = 1 : i64}> ({\n^bb0(%b: i64):\n x.y %b\n}, {\n x.z\n}) to <[0], [1]>\nreturn",
        "%m=other.apply{x.y}{x.z} return",
    );
    expect(
        "func.func @f(%a: i64 {x.y}) -> (i64 {a.b}) {\n return %a : i64\n}",
        "func.func{return}",
    );
    // Names without a dialect: of a function's own, and in regions of unknown operations.
    expect(
        "func.func @f() {\n call @g() : () -> ()\n %r:2 = call @g() : () -> (i64, i64)\n %h = constant @g : () -> ()\n call_indirect %h() : () -> ()\n return\n}",
        "func.func{call %r:2=call %h=constant call_indirect return}",
    );
    expect(
        "pdl.pattern @p : benefit(1) {\n %root = operation \"x.y\"\n rewrite %root {\n  %t = type : i64\n }\n}\nreturn",
        "pdl.pattern{%root=operation{%t=type}} return",
    );
    expect("x.loop {\n rest\n x.y\n}", "x.loop{rest x.y}");
    // Regions of control flow that hold one operation without operands, or none.
    expect(
        "scf.parallel (%i) = (%a) to (%b) step (%c) {\n scf.reduce\n}\nscf.forall (%i) in (%a) {\n}\nreturn",
        "scf.parallel{scf.reduce} scf.forall{} return",
    );
    expect(
        "pto.section.vector {\n pto.trap\n}\nx.y {x.kernel}",
        "pto.section.vector{pto.trap} x.y",
    );
}

#[test]
fn only_a_line_of_its_own_splits() {
    expect(
        "x.a\n// ------------------ heading\nx.b\n// -----\nx.c\n// -----  \r\nx.d\n  // -----\nx.e",
        "x.a x.b --- x.c --- x.d x.e",
    );
    // One in a region that is closed behind it is an ornament; the braces of a half-written module are not looked for there.
    expect("x.a {\n x.b\n// -----\n x.c\n}", "x.a{x.b x.c}");
    let file = parse("module {\n x.b\n// -----\nmodule {\n x.c\n}");
    assert_eq!(file.problems.len(), 1);
    assert_eq!(shape(&file), "module{x.b} --- module{x.c}");
}

#[test]
fn labels_begin_blocks_and_successors_do_not() {
    let text = "func.func @f(%c: i1) {\n cf.cond_br %c, ^bb1, ^bb2\n^bb1:\n cf.br ^bb2\n^bb2(%x: i64, %y: vector<4xf32>):\n return\n}";
    expect(text, "func.func{cf.cond_br cf.br return}");
    let file = parse(text);
    let labels: Vec<&str> = file.regions[1]
        .labels
        .iter()
        .map(|label| file.text_at(label.place))
        .collect();
    assert_eq!(labels, ["^bb1", "^bb2"]);
}

#[test]
fn parts_and_aliases_are_kept() {
    expect(
        "!T = !pto.ptr<f32, gm>\n#m = affine_map<(d0) -> (d0)>\npto.a\n// -----\npto.b",
        "pto.a --- pto.b",
    );
    let file = parse("!T = !pto.ptr<f32, gm>\npto.a : !T");
    assert_eq!(file.text_at(file.aliases[0].value), "!pto.ptr<f32, gm>");
    expect(
        "pto.a {-# dialect_resources: { x: { y: \"0x00\" } } #-}",
        "pto.a",
    );
    expect(
        "affine.apply affine_set<(d0) : (d0 - 1 >= 0)>(%a)\nreturn",
        "affine.apply return",
    );
}

fn expect_problem(text: &str, place: &str, words: &str, wanted: &str) {
    let file = parse(text);
    assert_eq!(file.problems.len(), 1, "{text}: {:?}", file.problems);
    let problem = &file.problems[0];
    assert_eq!(file.text_at(problem.place), place, "{problem:?}");
    assert!(problem.message.contains(words), "{problem:?}");
    assert_eq!(shape(&file), wanted);
}

#[test]
fn a_fault_is_said_once_and_the_rest_is_read() {
    expect_problem(
        "pto.a(%x\npto.b %y\npto.c",
        "(",
        "is not closed",
        "pto.a pto.b pto.c",
    );
    expect_problem(
        "pto.a[%x\n%y = foo.bar\npto.c",
        "[",
        "is not closed",
        "pto.a %y=foo.bar pto.c",
    );
    expect_problem("pto.a\n}\npto.b", "}", "closes nothing", "pto.a pto.b");
    expect_problem(
        "func.func @f() {\n pto.a\n",
        "",
        "`}` is missing",
        "func.func{pto.a}",
    );
    expect_problem(
        "pto.a \"text\npto.b",
        "\"text",
        "is not closed on its line",
        "pto.a pto.b",
    );
    expect_problem("hello world\npto.b", "hello", "a name with a dot", "pto.b");
    expect_problem("pto.a %x)\npto.b", ")", "closes nothing", "pto.a pto.b");
    expect_problem("%y 3\npto.c", "%y", "no operation follows", "pto.c");
    expect_problem(
        "pto.a ~\npto.b",
        "~",
        "does not use this character",
        "pto.a pto.b",
    );
}

#[test]
fn deep_nesting_and_long_numbers_cost_no_stack() {
    let deep = format!(
        "{}{}",
        "scf.if %c {\n x.y %a\n".repeat(20_000),
        "}".repeat(20_000)
    );
    let file = parse(&deep);
    assert_eq!(file.problems, []);
    assert_eq!(file.regions.len(), 20_001);
    assert_eq!(file.regions[20_000].depth, 20_000);
    for bracket in ["(", "[", "{", "<", "({", "{a = ["] {
        let file = parse(&format!("x.y {}", bracket.repeat(20_000)));
        assert!(file.problems.len() <= 3);
        let file = parse(&format!("\"x.y\"() {}", bracket.repeat(20_000)));
        assert!(file.problems.len() <= 3);
    }
    let number = "9".repeat(10_000);
    expect(
        &format!("%a = arith.constant {number} : i64\nreturn"),
        "%a=arith.constant return",
    );
}

#[test]
fn every_prefix_of_a_text_parses_somehow() {
    let text = "\u{feff}!T = !pto.ptr<f32, gm>\r\nmodule {\r\n  func.func @größe(%π: !T) {\r\n    %r:2 = scf.while (%a = %b) : (i64) -> i64 { scf.condition(%c) %a#1 } do {\r\n^bb0(%x: i64):\r\n scf.yield }\r\n  \"x.y\"() ({}) : () -> ()\r\n pto.set_flag[\"A\", <B>]\r\n return }\r\n}\r\n// -----\r\nx.y -0x1F, 1.5e-3, @\"a b\"";
    assert_eq!(parse(text).problems, []);
    for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
        let file = parse(&text[..end]);
        for operation in &file.operations {
            assert!(
                operation.place.end as usize <= end && operation.place.start <= operation.place.end
            );
        }
    }
}

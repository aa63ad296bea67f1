//! Calls and what they stand for, as `rustc` has it.

use super::{CallPlace, DefinitionKey, MacroRules};

fn rules(text: &str) -> MacroRules {
    MacroRules::read(text, DefinitionKey(0)).expect("rules")
}

fn expanded(text: &str, arguments: &str) -> Option<String> {
    let expanded = rules(text).expand(arguments, CallPlace::Statement, &|_| None);
    expanded.map(|expanded| expanded.text)
}

/// Without the spaces, which mean nothing between these tokens.
fn dense(text: &str, arguments: &str) -> Option<String> {
    expanded(text, arguments).map(|text| text.replace(' ', ""))
}

#[test]
fn fragments_take_what_they_are_named_for() {
    for (kind, arguments, expected) in [
        ("ident", "x", Some("x")),
        ("ident", "x.y", None),
        ("ty", "m![A / 8, B]", Some("m![A/8,B]")),
        (
            "ty",
            "DmTensor<f32, m![1], Slice>",
            Some("DmTensor<f32,m![1],Slice>"),
        ),
        ("literal", "-1.5", Some("-1.5")),
        ("literal", "x", None),
        ("path", "FxpBinaryOp::AddFxp", Some("FxpBinaryOp::AddFxp")),
        (
            "expr",
            "x.view().tile::<m![A], 2, m![B, C]>(i)",
            Some("x.view().tile::<m![A],2,m![B,C]>(i)"),
        ),
        ("expr", "a + b", Some("(a+b)")),
        ("expr", ", a", None),
        ("tt", "(a, b)", Some("(a,b)")),
        ("tt", "=>", Some("=>")),
        ("block", "{ a; b }", Some("{a;b}")),
        ("vis", "", Some("")),
        ("vis", "pub(crate)", Some("pub(crate)")),
        ("lifetime", "'a", Some("'a")),
        ("meta", "device(chip = 1)", Some("device(chip=1)")),
        ("item", "fn f() {}", Some("fnf(){}")),
        ("pat", "Some(x) | None", Some("Some(x)|None")),
    ] {
        let text = format!("($x:{kind}) => {{ $x }};");
        assert_eq!(
            dense(&text, arguments).as_deref(),
            expected,
            "{kind} {arguments}"
        );
    }
}

#[test]
fn repetitions_repeat() {
    let list = "($($x:expr),* $(,)?) => { [$($x),*] }";
    assert_eq!(dense(list, "").as_deref(), Some("[]"));
    assert_eq!(dense(list, "a, b,").as_deref(), Some("[a,b]"));
    assert_eq!(dense(list, "a b"), None);
    let pairs = "($($k:ident => $($v:literal)+);+) => { $($(f($k, $v);)+)+ }";
    assert_eq!(
        dense(pairs, "a => 1 2; b => 3").as_deref(),
        Some("f(a,1);f(a,2);f(b,3);")
    );
    assert_eq!(dense(pairs, "a =>"), None);
    let uneven = "($($a:ident)*; $($b:ident)*) => { $($a $b)* }";
    assert_eq!(dense(uneven, "a b; c d").as_deref(), Some("acbd"));
    assert_eq!(dense(uneven, "a; c d"), None);
}

#[test]
fn the_first_rule_that_fits_is_taken() {
    let text = "(@one $x:tt) => { 1 }; ($x:ident) => { 2 }; ($($x:tt)*) => { 3 }";
    assert_eq!(dense(text, "@one +").as_deref(), Some("1"));
    assert_eq!(dense(text, "x").as_deref(), Some("2"));
    assert_eq!(dense(text, "x y").as_deref(), Some("3"));
}

#[test]
fn calls_in_templates_are_expanded() {
    let outer = rules("($x:expr) => { let y = crate::add!($x); add!(y); add!(y).z() }");
    let add = rules("($x:expr) => { $x + 1 }");
    let lookup = |name: &str| (name == "add").then(|| add.clone());
    let text = outer.expand("v", CallPlace::Statement, &lookup);
    assert_eq!(
        text.map(|text| text.text.replace(' ', "")).as_deref(),
        Some("lety=(v+1);y+1;(y+1).z()")
    );
}

#[test]
fn names_of_a_template_are_its_own() {
    let text = "($x:expr) => {{ let y = 1; f($x, y) }}";
    assert_eq!(dense(text, "x").as_deref(), Some("{lety=1;f(x,y)}"));
    assert_eq!(
        dense(text, "y").as_deref(),
        Some("{lety_of_macro=1;f(y,y_of_macro)}")
    );
}

#[test]
fn what_never_ends_is_no_expansion() {
    let endless = rules("($($x:tt)*) => { again!(x $($x)*) }");
    let lookup = |name: &str| (name == "again").then(|| endless.clone());
    assert_eq!(endless.expand("", CallPlace::Inside, &lookup), None);
    let twice = rules("($($x:tt)*) => { twice!($($x)* $($x)*) }");
    let lookup = |name: &str| (name == "twice").then(|| twice.clone());
    assert_eq!(twice.expand("a b c d", CallPlace::Inside, &lookup), None);
    let fork = rules("() => { fork!() fork!() }");
    let lookup = |name: &str| (name == "fork").then(|| fork.clone());
    assert_eq!(fork.expand("", CallPlace::Inside, &lookup), None);
}

#[test]
fn what_nests_deeply_is_no_expansion() {
    let deeper = rules("($x:expr) => { deeper!(((((((((((((((((((($x)))))))))))))))))))) }");
    let lookup = |name: &str| (name == "deeper").then(|| deeper.clone());
    assert_eq!(deeper.expand("a", CallPlace::Inside, &lookup), None);
    let longer = rules("($x:expr) => { longer!(-----------------------------------$x) }");
    let lookup = |name: &str| (name == "longer").then(|| longer.clone());
    assert_eq!(longer.expand("a", CallPlace::Inside, &lookup), None);
}

#[test]
fn what_is_no_rule_is_none() {
    for text in [
        "",
        "()",
        "() =>",
        "($x) => {}",
        "($x:nothing) => {}",
        "( => {}",
        "($(a)) => {}",
    ] {
        assert_eq!(MacroRules::read(text, DefinitionKey(0)), None, "{text}");
    }
}

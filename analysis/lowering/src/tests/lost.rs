//! Chains that begin with what is not known: they are counted, once, where that is.

use super::*;

/// What a kernel of this body leaves unchecked: the text at each place, with the reason.
fn lost(body: &str) -> Vec<(String, UnresolvedReason)> {
    let text = format!(
        "axes![A = 2048];
         #[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>, o: Outer) {{ {body} }}"
    );
    let (db, body) = lower_in(&text, "kernel");
    let places = body.unresolved.iter();
    places
        .map(|place| (text_at(&db, place.operation), place.reason.clone()))
        .collect()
}

fn unexpanded(name: &str) -> (String, UnresolvedReason) {
    (format!("{name}!"), UnresolvedReason::Macro(name.to_owned()))
}

const CHAIN: &str = ".fetch::<i32, m![A / 8], m![A % 8]>().collect().commit(0)";

#[test]
fn a_chain_on_a_macro_that_is_not_expanded_is_said_at_the_macro() {
    for body in [
        format!("let y = pick!(){CHAIN};"),
        format!("let y = pick!(x){CHAIN};"),
        format!("let s = pick!(); let y = s{CHAIN};"),
        "let (s, _) = pick!(); let s = s.fetch::<i32, m![A / 8], m![A % 8]>(); let y = s.commit(0);"
            .to_owned(),
        format!("let s; s = pick!().stream; let y = s{CHAIN};"),
        format!("let y = match pick!(7) {{ s => s{CHAIN} }};"),
        format!("let y = {{ other::pick!() }}{CHAIN};").replace("other::", ""),
        "let t: DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]> = pick!(x);".to_owned(),
    ] {
        assert_eq!(lost(&body), [unexpanded("pick")], "{body}");
    }
}

#[test]
fn each_macro_is_said() {
    let body = format!("let y = one!(){CHAIN}; let z = two!(){CHAIN};");
    assert_eq!(lost(&body), [unexpanded("one"), unexpanded("two")]);
}

#[test]
fn a_pass_on_another_value_that_is_not_known_is_said_at_its_end() {
    let end = ("commit".to_owned(), UnresolvedReason::NotInferred);
    for start in ["(o.go)(x)", "o.list.get(0).unwrap()"] {
        assert_eq!(
            lost(&format!("let y = {start}{CHAIN};")),
            std::slice::from_ref(&end),
            "{start}"
        );
    }
    let open = "let s = (o.go)(x).fetch::<i32, m![A / 8], m![A % 8]>();";
    assert_eq!(
        lost(open),
        [("fetch".to_owned(), UnresolvedReason::NotInferred)]
    );
}

#[test]
fn what_comes_of_something_said_is_not_said_again() {
    let found = lost(&format!("let y = unknown(ctx, x){CHAIN};"));
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn macros_that_only_look_are_not_said() {
    for body in [
        "check!(x);",
        "check!{ x } let n = 1;",
        "assert!(x.len() > 1);",
        "let n = env!(\"A\").len();",
        "let x = dbg!(x);",
        "let list = vec![x];",
        "let n = number!();",
    ] {
        assert_eq!(lost(body), [], "{body}");
    }
}

//! What `cfg` leaves out, and what `cfg_attr` comes to.

use super::{item, one};
use crate::syntax::parse_text;
use crate::{ItemKind, file_functions, item_text, token_map};

/// The normalised texts of all items, without white space.
fn texts(text: &str) -> String {
    let (db, file) = one(text);
    let items = crate::file_items(&db, file);
    let mut all = String::new();
    for item in &items.items {
        let text = item_text(&db, *item).text.to_string();
        assert!(
            parse_text(&text).is_ok_and(|parse| parse.errors().is_empty()),
            "{text}"
        );
        all.extend(text.chars().filter(|character| !character.is_whitespace()));
        all.push('\n');
    }
    all
}

fn functions(text: &str) -> String {
    let (db, file) = one(text);
    let names = file_functions(&db, file)
        .into_iter()
        .map(|function| function.name(&db).to_string());
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn items_go_that_are_surely_out() {
    let out = [
        "any()",
        "not(all())",
        "false",
        "windows",
        "target_os = \"windows\"",
        "target_family = \"windows\"",
        "not(unix)",
        "not(target_os = \"linux\")",
        "all(test, any())",
        "not(any(anything, true))",
        "all(not(foo), all(bar, not(all())),)",
    ];
    let kept = [
        "all()",
        "not(any())",
        "true",
        "unix",
        "target_os = \"linux\"",
        "target_os = \"none\"",
        "test",
        "not(test)",
        "anything",
        "not(anything)",
        "feature = \"x\"",
        "any(anything, any())",
        // Nothing is made of what is no predicate.
        "not()",
        "foo(bar)",
        "feature = x",
        "",
    ];
    for condition in out {
        let text = format!(
            "fn a() {{}} #[cfg({condition})] #[inline] pub fn b() {{ fn c() {{}} }} fn d() {{}}"
        );
        assert_eq!(functions(&text), "a d", "{condition}");
        let text = format!(
            "fn a() {{}} /// Doc.\n#[inline] #[cfg({condition})] mod m {{ fn b() {{}} }} fn d() {{}}"
        );
        assert_eq!(functions(&text), "a d", "{condition}");
        let text = format!("fn a() {{}} mod m {{ #![cfg({condition})] fn b() {{}} }}");
        assert_eq!(functions(&text), "a", "{condition}");
        let text = format!("#![cfg({condition})]\nfn a() {{}}");
        assert_eq!(functions(&text), "", "{condition}");
        let text = format!("struct X; impl X {{ #[cfg({condition})] fn a() {{}} fn b() {{}} }}");
        assert_eq!(functions(&text), "b", "{condition}");
        let text = format!("fn a() {{ #[cfg({condition})] fn b() {{}} fn c() {{}} }}");
        assert_eq!(functions(&text), "a c", "{condition}");
    }
    for condition in kept {
        let text = format!("fn a() {{}} #[cfg({condition})] fn b() {{ fn c() {{}} }}");
        assert_eq!(functions(&text), "a b c", "{condition}");
    }
}

#[test]
fn parts_of_items_go_with_their_commas() {
    let text = "fn f(#[cfg(any())] a: u8, b: u8, #[cfg(any())] c: u8) {
        #[cfg(any())] let x = 1;
        #[cfg(all())] let y = 2;
        #[cfg(any())] g(y).h().i();
        match y { #[cfg(any())] 1 => {}, #[cfg(any())] 2 => 3, _ => {} }
        s(#[cfg(any())] 1, 2, #[cfg(any())] 3);
        let z = S { #[cfg(any())] a: 1, b };
        let w = [1, #[cfg(any())] 2];
        #[cfg(any())] { x }
        #[cfg(any())] use a::b;
        #[cfg(any())] x
    }
    struct S { #[cfg(any())] a: u8, b: u8 }
    enum E { A, #[cfg(any())] B(u8), C }
    const C: usize = if cfg!(any()) { 1 } else if cfg!(unix) { 2 } else { 3 };
    const D: bool = cfg!(unknown);
    #[cfg(unknown)] use a::c;";
    let expected = "fnf(b:u8,){#[cfg(all())]lety=2;;matchy{_=>{}}s(2,);letz=S{b};letw=[1,];}
structS{b:u8}
enumE{A,C}
constC:usize=iffalse{1}elseiftrue{2}else{3};
constD:bool=cfg!(unknown);
#[cfg(unknown)]usea::c;
";
    assert_eq!(texts(text), expected);
}

#[test]
fn cfg_attr_is_what_it_gives() {
    let table = [
        (
            "#[cfg_attr(any(), device(chip = 1))] fn f() {}",
            "fnf(){}\n",
        ),
        (
            "#[cfg_attr(all(), device(chip = 1))] fn f() {}",
            "#[device(chip=1)]fnf(){}\n",
        ),
        (
            "#[cfg_attr(unknown, device(chip = 1))] fn f() {}",
            "#[device(chip=1)]fnf(){}\n",
        ),
        (
            "#[cfg_attr(all(), a, b(c), d = \"e\",)] fn f() {}",
            "#[a]#[b(c)]#[d=\"e\"]fnf(){}\n",
        ),
        (
            "#[cfg_attr(all(), cfg_attr(any(), a), cfg_attr(unix, b, c), d)] fn f() {}",
            "#[b]#[c]#[d]fnf(){}\n",
        ),
        ("#[cfg_attr(all(),)] fn f() {}", "fnf(){}\n"),
        (
            "#[cfg_attr(all(), cfg(any()))] fn f() {} fn g() {}",
            "fng(){}\n",
        ),
        ("#[cfg_attr(any(), cfg(any()))] fn f() {}", "fnf(){}\n"),
        ("#[cfg_attr(unknown, cfg(any()))] fn f() {}", "fnf(){}\n"),
        ("mod m { #![cfg_attr(all(), a, b)] }", "modm{}\n"),
        (
            "fn f() { #![cfg_attr(all(), a, b)] #[cfg_attr(any(), c)] let x = 1; }",
            "fnf(){#![a]#![b]letx=1;}\n",
        ),
        (
            "#[cfg_attr(all(), a)] mod m { fn f() {} }",
            "#[a]modm{}\nfnf(){}\n",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(texts(text), expected, "{text}");
    }
}

#[test]
fn places_behind_what_is_left_out_are_the_files() {
    let text = "\u{feff}#[cfg_attr(all(), one, two)]\nfn f(#[cfg(any())] ä: u8, b: u8) {\r\n #[cfg(any())] let ö = 1; let here = cfg!(any()) && there; }";
    let (db, file) = one(text);
    let item = item(&db, file, ItemKind::Function, "f");
    let normalised = item_text(&db, item);
    let map = token_map(&db, file);
    for word in ["one", "two", "fn", "b:", "here", "there", "}"] {
        let start = u32::try_from(normalised.text.find(word).expect(word)).unwrap();
        let end = start + u32::try_from(word.len()).unwrap();
        let (from, to) = map.range(normalised.span(start, end)).unwrap();
        assert_eq!(&text[from as usize..to as usize], word);
        assert_eq!(map.offset_in(item, from), Some(start), "{word}");
    }
    let gone = u32::try_from(text.find('ö').unwrap()).unwrap();
    assert_eq!(map.item_at(gone), None);
}

#[test]
fn broken_conditions_leave_everything_in() {
    for text in [
        "#[cfg(any()",
        "#[cfg(any())]",
        "#[cfg(any())] }",
        "#[cfg(any())] let",
        "fn f() { #[cfg(any())] }",
        "fn f() { cfg!( }",
        "fn f() { cfg!(any() }",
        "#[cfg_attr(all(), ",
        "#[cfg_attr] fn f() {}",
        "#[cfg] fn f() {}",
        "fn cfg() { cfg; cfg::cfg!(); x!(cfg!(any())) }",
        "// cfg\n/* cfg(any()) */ #[doc = \"cfg(any())\"] fn f() {}",
        "#![cfg(any())",
    ] {
        let (db, file) = one(text);
        let _ = crate::file_items(&db, file);
        let _ = file_functions(&db, file);
    }
    assert_eq!(
        functions("// cfg\n/* cfg(any()) */ #[doc = \"cfg(any())\"] fn f() { cfg; }"),
        "f"
    );
}

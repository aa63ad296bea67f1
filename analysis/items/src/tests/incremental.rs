use super::{item, one};
use crate::db::Db;
use crate::{
    ItemId, ItemKind, Namespace, Typing as _, item_text, parse_item, resolve_path, scope_at,
};

/// Stands for what later rooms compute from a function: its text and a name that it uses.
#[salsa::tracked]
fn lowered(db: &dyn Db, function: ItemId) -> String {
    let axis = resolve_path(db, &scope_at(db, function, 0), &["A"], Namespace::Type);
    let parsed = parse_item(db, function);
    format!("{} {axis:?}", parsed.text.text.len())
}

const TEXT: &str = "axes![A = 8]; // sizes
/// First.
fn first() { let a = 1; }
fn second() { let b = 2; }
";

/// The queries re-run by asking for both functions after an edit, without their keys.
fn rerun(edited: &str) -> Vec<String> {
    let (mut db, file) = one(TEXT);
    let functions = ["first", "second"].map(|name| item(&db, file, ItemKind::Function, name));
    for function in functions {
        lowered(&db, function);
    }
    db.take_events();
    db.set_text(file, edited.into());
    for function in functions {
        lowered(&db, function);
    }
    let events = db.take_events();
    events
        .iter()
        .filter_map(|event| Some(event.split_once('(')?.0.to_owned()))
        .collect()
}

#[test]
fn a_comment_edit_stops_at_the_text_of_items() {
    let edited = TEXT
        .replace("// sizes", "// the sizes\n\n")
        .replace("/// First.", "// Now:\n/// The first.");
    let events = rerun(&edited);
    assert!(events.contains(&"item_text".to_owned()), "{events:?}");
    assert!(!events.contains(&"lowered".to_owned()), "{events:?}");
    assert!(!events.contains(&"block_scopes".to_owned()), "{events:?}");
    assert!(!events.contains(&"module_scope".to_owned()), "{events:?}");
    assert!(!events.contains(&"module_tree".to_owned()), "{events:?}");
}

#[test]
fn an_edit_in_one_function_reruns_that_function_only() {
    let events = rerun(&TEXT.replace("let b = 2;", "let b = 2 + 3;"));
    let lowered = events.iter().filter(|event| *event == "lowered").count();
    assert_eq!(lowered, 1, "{events:?}");
    let scopes = events
        .iter()
        .filter(|event| *event == "block_scopes")
        .count();
    assert_eq!(scopes, 1, "{events:?}");
    assert!(!events.contains(&"module_scope".to_owned()), "{events:?}");
    assert!(
        !events.contains(&"resolve_in_module".to_owned()),
        "{events:?}"
    );
}

#[test]
fn another_axis_reruns_the_scope_but_no_function() {
    let events = rerun(&TEXT.replace("A = 8", "A = 8, B = 4"));
    assert!(events.contains(&"module_scope".to_owned()), "{events:?}");
    assert!(!events.contains(&"lowered".to_owned()), "{events:?}");
    let events = rerun(&TEXT.replace("A = 8", "A = 9"));
    assert_eq!(
        events.iter().filter(|event| *event == "lowered").count(),
        2,
        "{events:?}"
    );
}

#[test]
fn a_moved_function_keeps_its_text() {
    let (mut db, file) = one(TEXT);
    let second = item(&db, file, ItemKind::Function, "second");
    let before = item_text(&db, second);
    db.set_text(file, "fn second() { let b = 2; }\n\n\nfn new() {}\n".into());
    assert_eq!(item_text(&db, second), before);
    db.set_text(file, "".into());
    assert_eq!(&*item_text(&db, second).text, "");
}

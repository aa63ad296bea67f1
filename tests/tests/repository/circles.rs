//! Circles of two or three files of a crate: files that read each other, at once or over the third. Such files cannot be understood one
//! after the other, so a circle is broken or has its reason here.
//!
//! A file that reads what its parent holds makes no circle. A parent declares its children, calls them and gives them its types, and a
//! reader meets the parent first. Larger circles are left out: they are recursions over a tree, such as the values of a language.

use super::rooms::{Modules, crates_in};

/// The most files of a circle that is looked at.
const FILES: usize = 3;

/// The circles that stay: the crate, its modules, and why none of the paths can go.
const KEPT: &[(&str, &[&str], &str)] = &[
    (
        "analysis/arrays",
        &["casts", "values"],
        "a cast takes and gives arrays, and the value of an element of a narrow type is its cast",
    ),
    (
        "analysis/derivation",
        &["contraction::accumulate", "contraction::lanes"],
        "the derivation chooses between two judgements; the one by lanes gives violations of the same kind",
    ),
    (
        "analysis/derivation",
        &["memory::conflicts", "memory::relief", "memory::sums"],
        "conflicts and sums ask the same finder for who is needed when, and a sum holds the reliefs that were tried on it",
    ),
    (
        "analysis/items",
        &["mappings", "values"],
        "the size of an axis is a constant, and a constant may be the size of a mapping",
    ),
    (
        "analysis/simulation",
        &["schedule::listed", "schedule::planner"],
        "the conflicts that a variation hands on keep what a listed schedule prepared of the body",
    ),
    (
        "analysis/syntax",
        &["normal_tree", "normalise", "pieces"],
        "the text of a node consists of pieces, each the text of a node; a tree is made of both and kept with the node",
    ),
];

#[test]
fn small_circles_are_those_with_a_reason() {
    let folders = ["analysis", "server"].into_iter().flat_map(crates_in);
    let found: Vec<(String, Vec<String>)> = folders
        .flat_map(|folder| {
            let circles = Modules::of_crate(&folder).circles_of_siblings(FILES);
            circles
                .into_iter()
                .map(move |circle| (folder.clone(), circle))
        })
        .collect();
    let is_kept = |folder: &str, circle: &[String]| {
        let mut kept = KEPT.iter();
        kept.any(|(own, modules, _)| *own == folder && **modules == *circle)
    };
    let new: Vec<_> = found
        .iter()
        .filter(|(folder, circle)| !is_kept(folder, circle))
        .collect();
    assert!(new.is_empty(), "break these, or say why not: {new:?}");
    let gone: Vec<_> = KEPT
        .iter()
        .filter(|(folder, modules, _)| {
            let mut found = found.iter();
            !found.any(|(own, circle)| own == folder && *modules == circle.as_slice())
        })
        .collect();
    assert!(gone.is_empty(), "no circle any more: {gone:?}");
}

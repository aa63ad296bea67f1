//! Builders for unit tests of this crate and of those above: mappings from their text, places.

#![allow(
    dead_code,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking; several crates compile this file, and none of them needs all"
)]

use std::sync::{Arc, Mutex, OnceLock};

use visa_inputs::SourceFile;
use visa_inputs::db::AnalysisDatabase;
use visa_items::{ItemId, ItemKind, Span};
use visa_mapping::{Axis, FactorKind, Mapping, Operator, SyntaxKind, SyntaxNode, parse_mapping};

/// The mapping of that text, its axes with the sizes beside them. Panics where it has none.
pub(crate) fn mapping(text: &str, axes: &[(&str, u64)]) -> Mapping {
    let (node, errors) = parse_mapping(text);
    assert!(errors.is_empty(), "{text}: {errors:?}");
    build(&node.expect("a mapping"), axes)
}

fn build(node: &SyntaxNode, axes: &[(&str, u64)]) -> Mapping {
    match &node.kind {
        SyntaxKind::One => Mapping::identity(),
        SyntaxKind::Number(count) => Mapping::broadcast(*count).expect("a number"),
        SyntaxKind::Name(name) => {
            let (_, size) = axes
                .iter()
                .find(|(axis, _)| axis == name)
                .unwrap_or_else(|| panic!("no axis {name}"));
            Mapping::axis(Axis::new(name, *size))
        }
        SyntaxKind::Binary {
            operator,
            left,
            factor,
            ..
        } => {
            let left = build(left, axes);
            let FactorKind::Literal(by) = factor.kind else {
                panic!("a literal, not {factor:?}")
            };
            match operator {
                Operator::Stride => left.stride(by),
                Operator::Modulo => left.modulo(by),
                Operator::Resize => left.resize(by),
                Operator::Pad(kind) => left.pad_to(by, *kind),
            }
            .expect("a legal operation")
        }
        SyntaxKind::Pair(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| build(part, axes)).collect();
            Mapping::product(&parts).expect("a legal product")
        }
        SyntaxKind::Group(inner) => build(inner, axes),
        SyntaxKind::Escape { .. } | SyntaxKind::Missing => panic!("no alias here"),
    }
}

/// A place; different numbers give different places.
pub(crate) fn span(number: u32) -> Span {
    static ITEM: OnceLock<(Mutex<AnalysisDatabase>, ItemId)> = OnceLock::new();
    let (_, item) = ITEM.get_or_init(|| {
        let database = AnalysisDatabase::default();
        let file = SourceFile::new(&database, Arc::from("test.rs"), Arc::from(""));
        let item = ItemId::new(
            &database,
            file,
            ItemKind::Function,
            Arc::from([]),
            Arc::from("test"),
            0,
            None,
        );
        (Mutex::new(database), item)
    });
    Span {
        item: *item,
        start: number,
        end: number + 1,
    }
}

//! Builders for unit tests: mappings from their text, spans, stream shapes.

use std::sync::{Arc, Mutex, OnceLock};

use crate::db::AnalysisDatabase;
use crate::hardware::ElementType;
use crate::inputs::SourceFile;
use crate::items::{ItemId, ItemKind, Span};
use crate::mapping::{Axis, FactorKind, Mapping, Operator, SyntaxKind, SyntaxNode, parse_mapping};

use super::{Position, StreamShape, Written};

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

/// A value at an arbitrary place.
pub(crate) fn written<T>(value: T) -> Written<T> {
    Written::new(value, span(0))
}

/// A stream on one chip and one of two clusters with those slices, time and packet.
pub(crate) fn stream(
    position: Position,
    element_type: ElementType,
    slice: &str,
    time: &str,
    packet: &str,
    axes: &[(&str, u64)],
) -> StreamShape {
    StreamShape {
        position,
        element_type: written(element_type),
        chip: written(Mapping::identity()),
        cluster: written(mapping("1 # 2", &[])),
        slice: written(mapping(slice, axes)),
        row: None,
        time: written(mapping(time, axes)),
        packet: written(mapping(packet, axes)),
        way: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builders_read_what_the_grammar_reads() {
        assert_eq!(mapping("[A, B] # 64 / 8", &[("A", 4), ("B", 10)]).size(), 8);
        assert_ne!(span(0), span(1));
        let shape = stream(
            Position::Fetch,
            ElementType::Bf16,
            "S",
            "1",
            "A % 8",
            &[("S", 256), ("A", 16)],
        );
        assert_eq!(shape.packet_bytes(), Some(16));
    }
}

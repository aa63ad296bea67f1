//! Mappings from their notation, for tests.

use crate::{Axis, FactorKind, Mapping, Operator, SyntaxKind, SyntaxNode, parse_mapping};

/// Reads `m!` notation over the given axes.
pub(crate) fn mapping(axes: &[(&str, u64)], text: &str) -> Mapping {
    let (tree, errors) = parse_mapping(text);
    assert!(errors.is_empty(), "{text}: {errors:?}");
    evaluate(axes, &tree.unwrap())
}

fn evaluate(axes: &[(&str, u64)], node: &SyntaxNode) -> Mapping {
    match &node.kind {
        SyntaxKind::One => Mapping::identity(),
        SyntaxKind::Number(n) => Mapping::broadcast(*n).unwrap(),
        SyntaxKind::Name(name) => {
            let (name, size) = axes.iter().find(|(known, _)| known == name).unwrap();
            Mapping::axis(Axis::new(name, *size))
        }
        SyntaxKind::Binary {
            operator,
            left,
            factor,
            ..
        } => {
            let FactorKind::Literal(n) = factor.kind else {
                panic!("{factor:?}");
            };
            let left = evaluate(axes, left);
            match operator {
                Operator::Stride => left.stride(n),
                Operator::Modulo => left.modulo(n),
                Operator::Resize => left.resize(n),
                Operator::Pad(kind) => left.pad_to(n, *kind),
            }
            .unwrap()
        }
        SyntaxKind::Pair(parts) => {
            let parts: Vec<Mapping> = parts.iter().map(|part| evaluate(axes, part)).collect();
            Mapping::product(&parts).unwrap()
        }
        SyntaxKind::Group(inner) => evaluate(axes, inner),
        SyntaxKind::Escape { .. } | SyntaxKind::Missing => panic!("{node:?}"),
    }
}

//! The dimensions of arrays at the edge of a run, in both layouts.

use std::sync::Arc;

use crate::mapping::{Mapping, MappingKind};

use super::plan::each_live;
use super::space::{Over, Space};

/// Dimensions of an array with their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dimensions {
    /// The sizes, outermost first.
    pub(super) sizes: Vec<usize>,
    /// What each is.
    pub(super) names: Vec<Arc<str>>,
}

/// The factors of a mapping as written, outermost first.
fn factors(mapping: &Mapping, into: &mut Vec<Mapping>) {
    match mapping.kind() {
        MappingKind::Product(parts) => {
            for part in parts {
                factors(part, into);
            }
        }
        _ => into.push(mapping.clone()),
    }
}

/// A dimension a term of the mapping, padding included. Terms of one position are left out.
pub(super) fn physical(space: &Space) -> Dimensions {
    let mut terms = Vec::new();
    for part in &space.levels {
        factors(&part.mapping, &mut terms);
    }
    let terms = terms.iter().filter(|term| term.form().size() > 1);
    let (sizes, names) = terms
        .map(|term| {
            let size = usize::try_from(term.form().size()).unwrap_or(usize::MAX);
            (size, Arc::from(term.to_string()))
        })
        .unzip();
    Dimensions { sizes, names }
}

/// A dimension of the layout without padding.
#[derive(Debug, Clone, Copy)]
enum Dimension {
    /// An axis, and the values of one step of it.
    Axis(usize, u64),
    /// A number of copies, by the digit's number.
    Number(usize),
}

/// The axes in the order of the mapping, without padding: the dimensions, and which position of memory each element is.
pub(super) fn by_value(space: &Space) -> (Dimensions, Vec<usize>) {
    let mut order: Vec<Dimension> = Vec::new();
    for (number, place) in space.places.iter().enumerate() {
        match place.over {
            Over::Axis(axis) => {
                let known = order.iter_mut().find_map(|dimension| match dimension {
                    Dimension::Axis(own, step) if *own == axis => Some(step),
                    _ => None,
                });
                match known {
                    Some(step) => *step = (*step).min(place.step),
                    None => order.push(Dimension::Axis(axis, place.step)),
                }
            }
            Over::Number => order.push(Dimension::Number(number)),
            Over::Padding => {}
        }
    }
    let mut sizes = vec![0_usize; order.len()];
    let mut elements: Vec<(Vec<usize>, usize)> = Vec::new();
    each_live(space, |at, values, steps| {
        let index: Vec<usize> = order
            .iter()
            .map(|dimension| {
                let value = match dimension {
                    Dimension::Axis(axis, step) => {
                        values.get(*axis).copied().unwrap_or(0) / (*step).max(1)
                    }
                    Dimension::Number(number) => steps.get(*number).copied().unwrap_or(0),
                };
                usize::try_from(value).unwrap_or(usize::MAX)
            })
            .collect();
        for (size, own) in sizes.iter_mut().zip(&index) {
            *size = (*size).max(own.saturating_add(1));
        }
        elements.push((index, at));
    });
    elements.sort();
    let names = order.iter().map(|dimension| match dimension {
        Dimension::Axis(axis, _) => space
            .axes
            .get(*axis)
            .map_or_else(|| Arc::from(""), |axis| Arc::from(axis.name())),
        Dimension::Number(_) => Arc::from("copy"),
    });
    let names = names.collect();
    let places = elements.into_iter().map(|(_, at)| at).collect();
    (Dimensions { sizes, names }, places)
}

/// Whether the layout without padding has each of its positions once.
pub(super) fn is_whole(dimensions: &Dimensions, places: &[usize]) -> bool {
    let all = dimensions
        .sizes
        .iter()
        .fold(1_usize, |all, size| all.saturating_mul(*size));
    all == places.len()
}

#[cfg(test)]
mod tests {
    use crate::kernel::Level;
    use crate::mapping::{Axis, PaddingKind};

    use super::*;

    fn space(parts: &[Mapping]) -> Space {
        let element = Mapping::product(parts).unwrap();
        Space::dense(vec![
            (Level::Chip, Mapping::identity()),
            (Level::Element, element),
        ])
        .unwrap()
    }

    #[test]
    fn padding_is_a_part_of_the_physical_layout_only() {
        let rows = Mapping::axis(Axis::new("S", 2));
        let padded = Mapping::axis(Axis::new("R", 3))
            .pad_to(4, PaddingKind::Top)
            .unwrap();
        let space = space(&[rows, padded]);
        let names = |dimensions: &Dimensions| {
            dimensions
                .names
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        let whole = physical(&space);
        assert_eq!(
            (whole.sizes.as_slice(), names(&whole)),
            ([2, 4].as_slice(), vec!["S".into(), "R # 4".into()])
        );
        let (values, places) = by_value(&space);
        assert_eq!(
            (values.sizes.as_slice(), names(&values)),
            ([2, 3].as_slice(), vec!["S".into(), "R".into()])
        );
        assert_eq!(places, [0, 1, 2, 4, 5, 6]);
        assert!(is_whole(&values, &places));
    }

    #[test]
    fn an_axis_in_parts_is_one_dimension_by_value() {
        // S / 2 outside of P, S % 2 inside: element (s, p) is at (s / 2) * 4 + p * 2 + s % 2.
        let axis = Mapping::axis(Axis::new("S", 4));
        let other = Mapping::axis(Axis::new("P", 2));
        let space = space(&[axis.stride(2).unwrap(), other, axis.modulo(2).unwrap()]);
        let (values, places) = by_value(&space);
        assert_eq!(values.sizes, [4, 2]);
        assert_eq!(places, [0, 2, 1, 3, 4, 6, 5, 7]);
    }
}

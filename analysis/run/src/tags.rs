//! Tags of the elements of a stream: by comparisons, and by the coordinate of an axis.

use visa_arrays::{Array, Bits, Comparison, compared, toggled};

use crate::items::ConstValue;
use crate::kernel;

use super::alu::Tags;
use super::cells::Cells;
use super::plan::each_live;
use super::space::{Over, Space};

impl Tags {
    /// The tags of the elements at some places, in their order; no tag where there is no place.
    pub(super) fn of_places(&self, places: &[Option<usize>]) -> Self {
        let known = |place: &Option<usize>| place.and_then(|place| self.values.get(place).copied());
        let defined = self.defined.as_ref().map(|defined| {
            Bits::from_places(places.len(), |at| {
                let place = places.get(at).copied().flatten();
                place.is_none_or(|place| defined.is_set(place))
            })
        });
        let origins = self.origins.as_ref().map(|origins| {
            let origin = |place: &Option<usize>| place.and_then(|at| origins.get(at).copied());
            places
                .iter()
                .map(|place| origin(place).unwrap_or(0))
                .collect()
        });
        Self {
            values: places
                .iter()
                .map(|place| known(place).unwrap_or(0))
                .collect(),
            defined,
            origins,
        }
    }
}

/// Tags as elements, to be moved as those are.
pub(super) fn tag_cells(tags: Tags) -> Cells {
    Cells {
        array: Array::F8E4M3(tags.values),
        defined: tags.defined,
        origins: tags.origins,
        approximate: false,
    }
}

/// The tags that elements are.
pub(super) fn tags_of(cells: Cells) -> Tags {
    let values = match cells.array {
        Array::F8E4M3(values) => values,
        _ => Vec::new(),
    };
    Tags {
        values,
        defined: cells.defined,
        origins: cells.origins,
    }
}

/// Tags by the coordinate of an axis; 0 on padding and where the stream lacks the axis.
pub(super) fn toggled_tags(space: &Space, length: usize, path: &str) -> Tags {
    let mut values = vec![0_u8; length];
    let names: Vec<&str> = path.split("::").collect();
    let axis = (space.axes.iter()).position(|axis| names.contains(&axis.name()));
    if let Some(axis) = axis {
        each_live(space, |place, coordinates, steps| {
            let is_first = (space.places.iter().zip(steps))
                .all(|(digit, step)| digit.over != Over::Padding || *step == 0);
            if let (Some(value), Some(at), true) =
                (values.get_mut(place), coordinates.get(axis), is_first)
            {
                *value = toggled(*at);
            }
        });
    }
    Tags {
        values,
        defined: None,
        origins: None,
    }
}

/// Tags by comparisons; `None` where a boundary is not known.
pub(super) fn compared_tags(cells: &Cells, comparisons: &[kernel::Comparison]) -> Option<Tags> {
    let values = match &cells.array {
        Array::F32(elements) => {
            let own = each_comparison(comparisons, |value| match value {
                ConstValue::Float(value) => Some(value.single()),
                _ => None,
            })?;
            elements
                .iter()
                .map(|element| compared(&own, *element))
                .collect()
        }
        Array::I32(elements) => {
            let own = each_comparison(comparisons, |value| match value {
                ConstValue::Int(value) => i32::try_from(*value).ok(),
                _ => None,
            })?;
            elements
                .iter()
                .map(|element| compared(&own, *element))
                .collect()
        }
        _ => return None,
    };
    let is_constant = comparisons
        .iter()
        .all(|comparison| matches!(comparison.relation.as_str(), "True" | "False"));
    let (defined, origins): (Option<Bits>, _) = if is_constant {
        (None, None)
    } else {
        (cells.defined.clone(), cells.origins.clone())
    };
    Some(Tags {
        values,
        defined,
        origins,
    })
}

/// The four comparisons with their boundaries.
fn each_comparison<T: Copy>(
    comparisons: &[kernel::Comparison],
    number: impl Fn(&ConstValue) -> Option<T>,
) -> Option<[Comparison<T>; 4]> {
    let mut own = [Comparison::False; 4];
    if comparisons.len() > own.len() {
        return None;
    }
    for (own, comparison) in own.iter_mut().zip(comparisons) {
        let boundary = || number(comparison.boundary.as_ref()?);
        *own = match comparison.relation.as_str() {
            "True" => Comparison::True,
            "False" => Comparison::False,
            "Equal" => Comparison::Equal(boundary()?),
            "Less" => Comparison::Less(boundary()?),
            "Greater" => Comparison::Greater(boundary()?),
            "LessUnsigned" => Comparison::LessUnsigned(boundary()?),
            "GreaterUnsigned" => Comparison::GreaterUnsigned(boundary()?),
            _ => return None,
        };
    }
    Some(own)
}

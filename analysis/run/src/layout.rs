//! The dimensions of arrays at the edge of a run, in both layouts.

use std::sync::Arc;

use visa_arrays::{Array, Bits, Stored, with_elements};

use crate::mapping::{Mapping, MappingKind};

use super::plan::each_live;
use super::space::{Over, Place, Space};

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

/// The places in memory of the elements of an array at the edge of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ElementPlaces {
    /// So many, one after the other from the first place of the memory.
    InOrder(usize),
    /// Each by itself.
    Listed(Vec<u32>),
}

impl ElementPlaces {
    /// Places in the order of a space's positions, padding included.
    pub(super) fn of_positions(space: &Space) -> Self {
        let count = space.positions();
        if space.is_dense() {
            return Self::InOrder(count);
        }
        Self::Listed(
            (0..count)
                .map(|at| narrow(space.memory_place(at)))
                .collect(),
        )
    }

    /// How many elements the array has.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::InOrder(count) => *count,
            Self::Listed(places) => places.len(),
        }
    }

    /// The place of an element; `None` beyond the end.
    pub(super) fn place(&self, at: usize) -> Option<usize> {
        match self {
            Self::InOrder(count) => (at < *count).then_some(at),
            Self::Listed(places) => places.get(at).map(|place| *place as usize),
        }
    }

    /// All places in the order of the elements.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let listed = match self {
            Self::InOrder(_) => &[],
            Self::Listed(places) => places.as_slice(),
        };
        let in_order = match self {
            Self::InOrder(count) => 0..*count,
            Self::Listed(_) => 0..0,
        };
        in_order.chain(listed.iter().map(|place| *place as usize))
    }

    /// The elements of a memory at these places; zeros where it ends before.
    pub(super) fn picked(&self, memory: &Array) -> Array {
        if matches!(self, Self::InOrder(count) if *count == memory.len()) {
            return memory.clone();
        }
        let mut made = Array::zeros(memory.kind(), self.len());
        with_elements!(&mut made, elements => self.pick(elements, memory));
        made
    }

    fn pick<T: Stored>(&self, target: &mut [T], memory: &Array) {
        if let Some(source) = memory.elements::<T>() {
            for (own, place) in target.iter_mut().zip(self.iter()) {
                *own = source.get(place).copied().unwrap_or_default();
            }
        }
    }

    /// A memory of so many elements that holds those of an array at these places, and zeros elsewhere.
    pub(super) fn spread(&self, array: Array, length: usize) -> Array {
        if matches!(self, Self::InOrder(count) if *count == length) {
            return array;
        }
        let mut spread = Array::zeros(array.kind(), length);
        with_elements!(&mut spread, elements => self.put(elements, &array));
        spread
    }

    fn put<T: Stored>(&self, target: &mut [T], array: &Array) {
        if let Some(source) = array.elements::<T>() {
            for (place, element) in self.iter().zip(source) {
                if let Some(own) = target.get_mut(place) {
                    *own = *element;
                }
            }
        }
    }

    /// Which elements are set in the bits of a memory; all, where it has none.
    pub(super) fn picked_bits(&self, memory: Option<&Bits>) -> Bits {
        match memory {
            None => Bits::all_set(self.len()),
            Some(bits) if matches!(self, Self::InOrder(count) if *count == bits.len()) => {
                bits.clone()
            }
            Some(bits) => Bits::from_places(self.len(), |at| {
                self.place(at).is_some_and(|place| bits.is_set(place))
            }),
        }
    }
}

/// A place as it is listed. [`by_value`] looks at no memory that has more.
fn narrow(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// The dimensions of the layout without padding, in the order of the mapping, with a weight for each digit of the space: elements of the
/// array a step.
struct ValueOrder {
    dimensions: Dimensions,
    /// By the number of the digit; 0 for padding.
    weights: Vec<usize>,
    /// Elements of the array.
    count: usize,
}

impl ValueOrder {
    /// `None` where digits of an axis do not part evenly, or the array would have more elements than a memory.
    fn new(space: &Space) -> Option<Self> {
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
        let parts_evenly = |place: &Place| {
            order.iter().all(|dimension| match dimension {
                Dimension::Axis(axis, step) if place.over == Over::Axis(*axis) => {
                    place.step.is_multiple_of((*step).max(1))
                }
                _ => true,
            })
        };
        if !space.places.iter().all(parts_evenly) {
            return None;
        }
        let size_of = |dimension: &Dimension| {
            let size = match dimension {
                Dimension::Axis(axis, step) => {
                    let last = space
                        .axes
                        .get(*axis)
                        .map_or(0, |axis| axis.size().saturating_sub(1));
                    space.reach(*axis).min(last) / (*step).max(1) + 1
                }
                Dimension::Number(number) => space.places.get(*number).map_or(1, |own| own.live),
            };
            usize::try_from(size).ok()
        };
        let sizes: Vec<usize> = order.iter().map(size_of).collect::<Option<_>>()?;
        let mut count = 1_usize;
        let mut around = vec![0_usize; sizes.len()];
        for (size, around) in sizes.iter().zip(&mut around).rev() {
            *around = count;
            count = count.checked_mul(*size)?;
        }
        let weight = |(number, place): (usize, &Place)| {
            let own = order.iter().zip(&around).find_map(|(dimension, around)| {
                match (dimension, place.over) {
                    (Dimension::Axis(own, step), Over::Axis(axis)) if *own == axis => {
                        let steps = usize::try_from(place.step / (*step).max(1)).ok()?;
                        around.checked_mul(steps)
                    }
                    (Dimension::Number(own), Over::Number) if *own == number => Some(*around),
                    _ => None,
                }
            });
            own.unwrap_or(0)
        };
        let names = order.iter().map(|dimension| match dimension {
            Dimension::Axis(axis, _) => space
                .axes
                .get(*axis)
                .map_or_else(|| Arc::from(""), |axis| Arc::from(axis.name())),
            Dimension::Number(_) => Arc::from("copy"),
        });
        Some(Self {
            dimensions: Dimensions {
                names: names.collect(),
                sizes,
            },
            weights: space.places.iter().enumerate().map(weight).collect(),
            count,
        })
    }

    /// Whether the array's order is that of the memory.
    fn is_memory_order(&self, space: &Space) -> bool {
        let mut places = space.places.iter().zip(&self.weights);
        space.offset == 0
            && self.count == space.positions()
            && !space.has_padding()
            && places.all(|(place, weight)| place.live <= 1 || place.stride == *weight)
    }
}

/// The axes in the order of the mapping, without padding: the dimensions, and where in memory each element is. `None` where that layout
/// does not have each of its positions exactly once.
pub(super) fn by_value(space: &Space) -> Option<(Dimensions, ElementPlaces)> {
    if space.is_opaque {
        return None;
    }
    let order = ValueOrder::new(space)?;
    if order.is_memory_order(space) {
        return Some((order.dimensions, ElementPlaces::InOrder(order.count)));
    }
    // Live elements are positions of the memory: more elements than these cannot each be there once.
    if order.count > space.positions() || u32::try_from(order.count).is_err() {
        return None;
    }
    let mut places = vec![u32::MAX; order.count];
    let (mut filled, mut is_once) = (0, true);
    each_live(space, |at, _, steps| {
        let weights = order.weights.iter().zip(steps);
        let number = weights.fold(0, |sum, (weight, step)| {
            sum + weight * usize::try_from(*step).unwrap_or(0)
        });
        match (places.get_mut(number), u32::try_from(at)) {
            (Some(place), Ok(at)) if *place == u32::MAX => {
                *place = at;
                filled += 1;
            }
            _ => is_once = false,
        }
    });
    let is_whole = is_once && filled == order.count;
    is_whole.then_some((order.dimensions, ElementPlaces::Listed(places)))
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
        let (values, places) = by_value(&space).unwrap();
        assert_eq!(
            (values.sizes.as_slice(), names(&values)),
            ([2, 3].as_slice(), vec!["S".into(), "R".into()])
        );
        assert_eq!(places, ElementPlaces::Listed(vec![0, 1, 2, 4, 5, 6]));
    }

    #[test]
    fn an_axis_in_parts_is_one_dimension_by_value() {
        // S / 2 outside of P, S % 2 inside: element (s, p) is at (s / 2) * 4 + p * 2 + s % 2.
        let axis = Mapping::axis(Axis::new("S", 4));
        let other = Mapping::axis(Axis::new("P", 2));
        let space = space(&[axis.stride(2).unwrap(), other, axis.modulo(2).unwrap()]);
        let (values, places) = by_value(&space).unwrap();
        assert_eq!(values.sizes, [4, 2]);
        assert_eq!(places, ElementPlaces::Listed(vec![0, 2, 1, 3, 4, 6, 5, 7]));
    }

    #[test]
    fn a_mapping_in_memory_order_lists_no_places() {
        // S / 2, S % 2, P: each step of P is one element, of S % 2 two, of S / 2 four.
        let axis = Mapping::axis(Axis::new("S", 4));
        let other = Mapping::axis(Axis::new("P", 2));
        let space = space(&[axis.stride(2).unwrap(), axis.modulo(2).unwrap(), other]);
        let (values, places) = by_value(&space).unwrap();
        assert_eq!(values.sizes, [4, 2]);
        assert_eq!(places, ElementPlaces::InOrder(8));
    }

    #[test]
    fn values_that_are_there_twice_or_not_at_all_have_no_layout_of_their_own() {
        // S / 2 beside S: the values 2 and 3 are there twice with S / 2 = 1, and S = 0 with S / 2 = 1 never.
        let axis = Mapping::axis(Axis::new("S", 4));
        let space = space(&[axis.stride(2).unwrap(), axis]);
        assert_eq!(by_value(&space), None);
    }
}

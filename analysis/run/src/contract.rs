//! Contractions: products of a stream and a register tensor, summed in the order of the library.
//!
//! The sum of floats depends on its order, so the order is the library's: packets, then time, then rows in early releases, one
//! sum in order in later ones. Integers are summed in 64 bits, and a sum that leaves its type on the way is no result, even if
//! it comes back. The products of one result are at the same offsets from its first one wherever digits part evenly. The fast
//! way therefore computes offsets once and sums many results side by side. The slow way asks for each product by itself; both
//! must give equal bits.

use std::borrow::Cow;

use visa_arrays::{Arithmetic, Array, Bits, ElementKind, Fault};

use crate::kernel::Level;

use super::cells::{Cells, OriginId, takes_only_defined};
use super::plan::{Lookup, Part, each_live, parts, plan};
use super::reduce::inner_space;
use super::space::{Over, Space};
use super::strides::{SIDE_BY_SIDE, reached_places};
use super::sums::{Order, Results, StagedSum};

/// Products for each element of a factor, at most, that read it in its own type: converting it each time costs less than the memory
/// for a wide copy.
const MOST_CONVERSIONS: usize = 4;

/// One factor of a contraction.
pub(super) struct Factor<'a> {
    /// Where its elements are.
    pub(super) space: &'a Space,
    /// The elements, in their own type.
    pub(super) cells: &'a Cells,
}

/// The reason that a contraction has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoContraction {
    /// A group that a size cuts across.
    Opaque,
    /// The operands hold a type that contractions do not take.
    Kind(ElementKind),
    /// A sum beyond its type.
    Fault(Fault),
}

/// The sums of a contraction, and where they are.
#[derive(Debug)]
pub(super) struct Summed {
    /// The live elements of the result, without copies and padding.
    pub(super) space: Space,
    /// Their values.
    pub(super) cells: Cells,
}

/// The products that a contraction sums: both operands in the mapping that the alignment declares.
pub(super) struct Products<'a> {
    /// That mapping.
    pub(super) space: &'a Space,
    /// The stream and the register tensor.
    pub(super) factors: [Factor<'a>; 2],
    /// How elements are widened.
    pub(super) rules: Arithmetic,
    /// Whether packets are summed first, then their sums over time, then those over rows, as early releases do.
    pub(super) by_stage: bool,
    /// Whether padding is left out: a mask of the fetch makes it zero, or only the alignment adds it.
    pub(super) masks_padding: bool,
}

/// The type in which elements of a kind are summed.
const fn sum_kind(kind: ElementKind) -> ElementKind {
    if kind.is_float() {
        ElementKind::F32
    } else {
        ElementKind::I32
    }
}

impl<'a> Products<'a> {
    /// Checks that both operands hold elements which contractions take, in types that are summed as one.
    fn check_kinds(&self) -> Result<(), NoContraction> {
        let kinds = self
            .factors
            .each_ref()
            .map(|factor| factor.cells.array.kind());
        if let Some(kind) = kinds.into_iter().find(|kind| *kind == ElementKind::F4E2M1) {
            return Err(NoContraction::Kind(kind));
        }
        let [first, second] = kinds.map(sum_kind);
        if first == second {
            Ok(())
        } else {
            Err(NoContraction::Kind(first))
        }
    }

    /// The number of the larger factor, where each of its elements is in so few products that it is read in its own type.
    fn read_in_place(&self) -> Option<usize> {
        let [first, second] = self.factors.each_ref().map(|factor| factor.cells.len());
        let products = self.space.live_elements()?;
        (products <= MOST_CONVERSIONS.saturating_mul(first.max(second)))
            .then_some(usize::from(second > first))
    }

    /// Elements that are widened for the sums.
    pub(super) fn widened_elements(&self) -> usize {
        let in_place = self.read_in_place();
        let factors = self.factors.iter().enumerate();
        let widened = factors.filter(|(number, _)| in_place != Some(*number));
        widened.map(|(_, factor)| factor.cells.len()).sum()
    }

    /// Both factors in the type of their sums.
    fn widened(&self) -> Result<[Cow<'a, Cells>; 2], NoContraction> {
        let widened = |number: usize| {
            let cells = self.factors[number].cells;
            Ok(match self.widened_array(number)? {
                Cow::Borrowed(_) => Cow::Borrowed(cells),
                Cow::Owned(array) => Cow::Owned(cells.with_array(array)),
            })
        };
        Ok([widened(0)?, widened(1)?])
    }

    /// The same products of other elements.
    fn with_factors<'b>(&self, cells: [&'b Cells; 2]) -> Products<'b>
    where
        'a: 'b,
    {
        let [first, second] = cells;
        Products {
            factors: [
                Factor {
                    space: self.factors[0].space,
                    cells: first,
                },
                Factor {
                    space: self.factors[1].space,
                    cells: second,
                },
            ],
            ..*self
        }
    }

    fn widened_array(&self, number: usize) -> Result<Cow<'a, Array>, NoContraction> {
        let array = &self.factors[number].cells.array;
        let kind = sum_kind(array.kind());
        if array.kind() == kind {
            return Ok(Cow::Borrowed(array));
        }
        let made = visa_arrays::casts::converted(array, kind, self.rules);
        made.map(Cow::Owned)
            .ok_or(NoContraction::Kind(array.kind()))
    }
}

/// Whether sums take in positions that hold no element: padding of what is contracted.
fn takes_padding(space: &Space, inner: &Space, output: &Space) -> bool {
    let keeps_idle_time = output
        .places
        .iter()
        .any(|place| place.over == Over::Padding && place.extent > 1);
    let is_kept = |number: usize| {
        let axis = space.axes.get(number);
        axis.and_then(|axis| inner.axis_number(axis))
            .is_some_and(|own| {
                inner
                    .places
                    .iter()
                    .any(|place| place.over == Over::Axis(own))
            })
    };
    let is_padded = space.places.iter().any(|place| {
        let level = space.levels.get(place.level).map(|part| part.level);
        let is_contracted = match place.over {
            Over::Axis(number) => {
                !is_kept(number) && matches!(level, Some(Level::Time | Level::Packet | Level::Row))
            }
            Over::Padding => match level {
                Some(Level::Packet) => true,
                Some(Level::Time) => !keeps_idle_time,
                _ => false,
            },
            Over::Number => false,
        };
        is_contracted && place.extent > place.live
    });
    let is_ragged = space.is_ragged
        && (0..space.axes.len()).any(|number| {
            !is_kept(number)
                && space
                    .places
                    .iter()
                    .filter(|place| place.over == Over::Axis(number))
                    .map(|place| place.step * (place.live - 1))
                    .sum::<u64>()
                    >= space
                        .axes
                        .get(number)
                        .map_or(u64::MAX, crate::mapping::Axis::size)
        });
    is_padded || is_ragged
}

/// Sums the products. `origin` is that of a sum which takes in padding.
///
/// # Errors
/// [`NoContraction`].
pub(super) fn contract(
    products: &Products<'_>,
    output: &Space,
    origin: OriginId,
) -> Result<Summed, NoContraction> {
    let space = products.space;
    let [first, second] = &products.factors;
    products.check_kinds()?;
    if space.is_opaque || output.is_opaque || first.space.is_opaque || second.space.is_opaque {
        let [first, second] = products.widened()?;
        let products = products.with_factors([&first, &second]);
        return super::keyed::contract_by_function(&products, output, origin);
    }
    let inner = inner_space(space, output, None);
    let pads = !products.masks_padding && takes_padding(space, &inner, output);
    let (array, mut bits, from) = match parts(space, &[first.space, second.space, &inner]) {
        Some(parts) => fast(products, &inner, &parts)?,
        None => {
            let [first, second] = products.widened()?;
            slow(&products.with_factors([&first, &second]), &inner)?
        }
    };
    if pads {
        bits = Bits::all_clear(inner.positions());
    }
    let mut cells = Cells {
        array,
        defined: Some(bits),
        origins: None,
        approximate: first.cells.approximate || second.cells.approximate,
    };
    if pads && origin != 0 {
        cells.origins = Some(vec![origin; inner.positions()]);
    } else {
        for (place, origin) in from {
            cells.put_origin(place, origin);
        }
    }
    cells.settle();
    Ok(Summed {
        space: inner,
        cells,
    })
}

type Sums = (Array, Bits, Vec<(usize, OriginId)>);

fn fast(products: &Products<'_>, inner: &Space, parts: &[Part]) -> Result<Sums, NoContraction> {
    let in_place = products.read_in_place();
    // The factor that may be read in its own type comes first.
    let own = in_place.unwrap_or(0);
    let other = 1 - own;
    let space = products.space;
    let is_number = |part: &&Part| {
        let place = space.places.get(part.place);
        place.is_some_and(|place| place.over == Over::Number)
    };
    let strides = |part: &Part| {
        let at = |number: usize| part.others.get(number).copied().flatten().unwrap_or(0);
        (part.count, [at(own), at(other), at(2)])
    };
    let is_kept = |part: &&Part| part.others.get(2).copied().flatten().is_some();
    let kept: Vec<_> = parts.iter().filter(is_kept).map(strides).collect();
    let gone: Vec<_> = parts
        .iter()
        .filter(|part| !is_kept(part) && !is_number(part))
        .map(strides)
        .collect();
    let count_of = |wanted: Level| -> usize {
        let is_gone = |part: &&Part| !is_kept(part) && !is_number(part);
        let own = parts.iter().filter(is_gone).filter(|part| {
            let place = space.places.get(part.place);
            place
                .and_then(|place| space.levels.get(place.level))
                .is_some_and(|part| part.level == wanted)
        });
        own.map(|part| part.count).product()
    };
    let results = Results::new(kept);
    let taken: Vec<(usize, usize)> = reached_places(&gone)
        .iter()
        .map(|[a, b, _]| (*a, *b))
        .collect();
    let (packet, time) = if products.by_stage {
        (count_of(Level::Packet), count_of(Level::Time))
    } else {
        (taken.len(), 1)
    };
    let order = Order {
        results: &results,
        taken: &taken,
        offsets: [own, other].map(|number| products.factors[number].space.offset),
        packet,
        time,
        length: inner.positions(),
    };
    let first = match in_place {
        Some(_) => Cow::Borrowed(&products.factors[own].cells.array),
        None => products.widened_array(own)?,
    };
    let second = products.widened_array(other)?;
    let array = order.sums(&first, second.as_ref(), products.rules)?;
    let (bits, from) = definedness(products, &order, own);
    Ok((array, bits, from))
}

/// Which sums the device is sure to hold, and the origins of the others. `own` is the factor whose places come first in an order.
fn definedness(
    products: &Products<'_>,
    order: &Order<'_>,
    own: usize,
) -> (Bits, Vec<(usize, OriginId)>) {
    let length = order.length;
    let factors = &products.factors;
    let mut bits = Bits::all_clear(length);
    let mut from = Vec::new();
    // Padding is mostly all that is undefined, and no product takes it.
    let is_defined = |factor: &Factor<'_>| {
        let taken = plan(products.space, factor.space);
        taken.is_ok_and(|plan| takes_only_defined(&plan, factor.cells))
    };
    if factors.iter().all(is_defined) {
        if order.results.count() == length {
            return (Bits::all_set(length), from);
        }
        for [_, _, target] in order.results.places() {
            bits.put(target, true);
        }
        return (bits, from);
    }
    let first_undefined = |[base, other_base]: [usize; 2]| {
        order.taken.iter().find_map(|(step, other_step)| {
            let mut places = [base + step, other_base + other_step];
            places.rotate_left(own);
            let mut both = factors.iter().zip(places);
            let found = both.find(|(factor, place)| !factor.cells.is_defined(*place));
            found.map(|(factor, place)| factor.cells.origin(place))
        })
    };
    let of_block = |number| {
        let mut origins = [None; SIDE_BY_SIDE];
        for (origin, bases) in origins.iter_mut().zip(order.first_places(number)) {
            *origin = first_undefined(bases);
        }
        origins
    };
    order.each_result(of_block, |target, undefined| match undefined {
        None => bits.put(target, true),
        Some(origin) => from.push((target, origin)),
    });
    (bits, from)
}

/// The step over rows and over time of a position, from the steps of its digits.
fn stage_steps(space: &Space, steps: &[u64]) -> (u64, u64) {
    let over = |wanted: Level| {
        let both = space.places.iter().zip(steps);
        let own = both.filter(|(place, _)| {
            let part = space.levels.get(place.level);
            part.is_some_and(|part| part.level == wanted)
        });
        own.fold(0, |all: u64, (place, step)| {
            all.wrapping_mul(place.live) + step
        })
    };
    (over(Level::Row), over(Level::Time))
}

/// Each product by itself, where digits do not part evenly.
fn slow(products: &Products<'_>, inner: &Space) -> Result<Sums, NoContraction> {
    let [first, second] = &products.factors;
    let space = products.space;
    let length = inner.positions();
    let lookups = [
        Lookup::new(space, first.space),
        Lookup::new(space, second.space),
        Lookup::new(space, inner),
    ];
    let mut floats = vec![StagedSum::default(); length];
    let mut integers = vec![0_i64; length];
    let mut bits = Bits::all_set(length);
    let mut seen = Bits::all_clear(length);
    let mut from = Vec::new();
    let mut leaves = false;
    each_live(space, |_, values, steps| {
        let is_copy = (space.places.iter().zip(steps))
            .any(|(digit, step)| digit.over == Over::Number && *step > 0);
        let [a, b, target] = lookups.each_ref().map(|lookup| lookup.find(values));
        let Some((target, _)) = target else {
            return;
        };
        if is_copy {
            return;
        }
        seen.put(target, true);
        let (Some((a, _)), Some((b, _))) = (a, b) else {
            // One side lacks the element: nothing is multiplied on the CPU, and who knows what on the device.
            bits.put(target, false);
            return;
        };
        match (&first.cells.array, &second.cells.array) {
            (Array::F32(left), Array::F32(right)) => {
                let at = if products.by_stage {
                    stage_steps(space, steps)
                } else {
                    (0, 0)
                };
                floats[target].add(left[a] * right[b], at);
            }
            (Array::I32(left), Array::I32(right)) => {
                let product = i64::from(left[a]) * i64::from(right[b]);
                integers[target] += product;
                leaves |=
                    i32::try_from(product).is_err() | i32::try_from(integers[target]).is_err();
            }
            _ => {}
        }
        let undefined = if first.cells.is_defined(a) {
            (!second.cells.is_defined(b)).then(|| second.cells.origin(b))
        } else {
            Some(first.cells.origin(a))
        };
        if let Some(origin) = undefined
            && bits.is_set(target)
        {
            bits.put(target, false);
            from.push((target, origin));
        }
    });
    if leaves {
        return Err(NoContraction::Fault(Fault::ContractionOverflow));
    }
    bits.keep_set_in(&seen);
    let array = if first.cells.array.kind().is_float() {
        Array::F32(floats.into_iter().map(StagedSum::total).collect())
    } else {
        let narrow = |sum: i64| i32::try_from(sum).unwrap_or(i32::MAX);
        Array::I32(integers.into_iter().map(narrow).collect())
    };
    Ok((array, bits, from))
}

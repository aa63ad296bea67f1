//! Reductions: which elements each result takes in, in the order of the library, and whether the device knows them all.
//!
//! A result is undefined as soon as it takes in one undefined element, so the plan must list padding as well as live elements.
//! Padding is taken in only where the machine steps over it: a digit of a reduced axis is folded with its padding, idle slices
//! outside of the work are not. Offsets repeat from result to result where digits part evenly, which is the fast way; the slow
//! way asks for each element.

use visa_arrays::{Array, Bits, Fold, list_results};

use crate::derivation::provenance::padding::reduced_slices;
use crate::kernel::Level;
use crate::mapping::Axis;

use super::cells::{Cells, OriginId};
use super::plan::{Lookup, Part, each_live, parts};
use super::space::{Over, Place, Space};
use super::strides::{SIDE_BY_SIDE, reached_places};

/// What is folded.
#[derive(Debug, Clone)]
pub(super) enum Reduced {
    /// An axis inside of a slice, over time and packets.
    InSlice(Axis),
    /// What the result lacks of the slices, and of time.
    AcrossSlices,
}

/// The reason that a reduction has no plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoReduction {
    /// The result drops an axis that is not reduced.
    Drops(Axis),
    /// A group that a size cuts across.
    Opaque,
}

/// A fold of a stream into what is between it and the declared result.
#[derive(Debug)]
pub(super) struct Folded {
    /// The live elements of the result, without copies and padding.
    pub(super) space: Space,
    /// Their values.
    pub(super) cells: Cells,
    /// The last element of the input that each takes in.
    pub(super) last: Vec<Option<usize>>,
}

/// The elements of a result that follow from an input: its digits over axes that the input has, without copies and padding.
pub(super) fn inner_space(input: &Space, output: &Space, without: Option<&Axis>) -> Space {
    let own = output.places.iter().filter(|place| match place.over {
        Over::Axis(axis) => output.axes.get(axis).is_some_and(|axis| {
            let is_left_out = is_streamed(output, place) && without == Some(axis);
            input.axis_number(axis).is_some() && !is_left_out
        }),
        Over::Number | Over::Padding => false,
    });
    Space::of_places(output.axes.clone(), own.cloned().collect())
}

/// Whether a digit is of time or of packets.
fn is_streamed(space: &Space, place: &Place) -> bool {
    let part = space.levels.get(place.level);
    part.is_some_and(|part| matches!(part.level, Level::Time | Level::Packet))
}

/// Folds a stream, with the padding of what is folded or without it. `origin` is that of a result which takes in what nothing wrote.
///
/// # Errors
/// [`NoReduction`], where the mappings do not say what is folded.
pub(super) fn fold(
    input: &Space,
    cells: &Cells,
    output: &Space,
    (reduced, fold, takes_padding): (&Reduced, Fold, bool),
    origin: OriginId,
) -> Result<Folded, NoReduction> {
    if input.is_opaque || output.is_opaque {
        let what = (reduced, fold, takes_padding);
        return super::keyed::fold_by_function(input, cells, output, what, origin);
    }
    let axis = match reduced {
        Reduced::InSlice(axis) => Some(axis),
        Reduced::AcrossSlices => None,
    };
    let space = inner_space(input, output, axis);
    check(input, &space, reduced)?;
    let takes = if takes_padding {
        Takes::new(input, (output, &space), reduced)
    } else {
        Takes::live(input)
    };
    let results = match parts(input, &[&space]) {
        Some(parts) => fast(input, cells, &space, &parts, (fold, &takes)),
        None => slow(input, cells, &space, (fold, &takes)),
    };
    let mut result = Cells {
        array: results.array,
        defined: Some(results.defined),
        origins: None,
        approximate: cells.approximate,
    };
    if cells.origins.is_some() {
        for (place, taken) in results.from {
            let known = cells.origin(taken);
            result.put_origin(place, if known == 0 { origin } else { known });
        }
    }
    result.settle();
    Ok(Folded {
        space,
        cells: result,
        last: results.last,
    })
}

/// What the result lacks has to be what is reduced.
fn check(input: &Space, inner: &Space, reduced: &Reduced) -> Result<(), NoReduction> {
    for place in &input.places {
        let Over::Axis(number) = place.over else {
            continue;
        };
        let Some(axis) = input.axes.get(number) else {
            continue;
        };
        let is_kept = inner
            .places
            .iter()
            .any(|own| matches!(own.over, Over::Axis(own) if inner.axes.get(own) == Some(axis)));
        let may_go = match reduced {
            Reduced::InSlice(own) => own == axis && is_streamed(input, place),
            Reduced::AcrossSlices => input.levels.get(place.level).is_some_and(|part| {
                matches!(part.level, Level::Slice | Level::Time | Level::Cluster)
            }),
        };
        if !is_kept && !may_go && place.live > 1 {
            return Err(NoReduction::Drops(axis.clone()));
        }
    }
    Ok(())
}

/// How far the digits of an input are folded: to the end of their data, or on through their padding.
struct Takes {
    /// By digit: its positions that are taken in.
    reach: Vec<u64>,
    /// By axis: whether values beyond its size are taken in, where its digits together reach them.
    beyond: Vec<bool>,
}

impl Takes {
    /// Data alone.
    fn live(input: &Space) -> Self {
        Self {
            reach: input.places.iter().map(|place| place.live).collect(),
            beyond: vec![false; input.axes.len()],
        }
    }

    /// Data and the padding that a reduction of the device takes in.
    fn new(input: &Space, (output, inner): (&Space, &Space), reduced: &Reduced) -> Self {
        let (reach, beyond) = match reduced {
            Reduced::InSlice(axis) => {
                let is_own = |own: &Axis| own == axis;
                let streams_axis = |place: &Place| {
                    let own = match place.over {
                        Over::Axis(own) => input.axes.get(own),
                        Over::Number | Over::Padding => None,
                    };
                    own.is_some_and(is_own) && is_streamed(input, place)
                };
                let reach = |place: &Place| {
                    if streams_axis(place) {
                        place.extent
                    } else {
                        place.live
                    }
                };
                (
                    input.places.iter().map(reach).collect(),
                    input.axes.iter().map(is_own).collect(),
                )
            }
            Reduced::AcrossSlices => (
                reach_across_slices(input, output, inner),
                vec![true; input.axes.len()],
            ),
        };
        Self { reach, beyond }
    }

    fn takes_padding(&self, input: &Space) -> bool {
        let mut both = self.reach.iter().zip(&input.places);
        both.any(|(reach, place)| *reach > place.live)
    }
}

/// The positions of each digit that a reduction across slices takes in. Idle slices outside of all that work are not, nor are those
/// outside of the ring that gives one result.
fn reach_across_slices(input: &Space, output: &Space, inner: &Space) -> Vec<u64> {
    let is_of = |place: &Place, wanted: Level| {
        let part = input.levels.get(place.level);
        part.is_some_and(|part| part.level == wanted)
    };
    let is_reduced = |place: &Place| match place.over {
        Over::Axis(number) => {
            let axis = input.axes.get(number);
            axis.is_some_and(|axis| !covers(inner, axis, place))
        }
        Over::Number | Over::Padding => false,
    };
    let form_of = |space: &Space| {
        let mut levels = space.levels.iter();
        let slice = levels.find(|part| part.level == Level::Slice)?;
        Some((slice.mapping.form().clone(), slice.stride))
    };
    let ring = form_of(input).and_then(|(before, stride)| {
        let after = form_of(output).map(|(after, _)| after);
        Some((reduced_slices(&before, after.as_ref())?.size(), stride))
    });
    let mut seen_outer = false;
    let mut seen_reduced = false;
    let reach = input.places.iter().map(|place| {
        let is_slice = is_of(place, Level::Slice);
        let is_own = is_reduced(place);
        let is_inner = seen_outer || seen_reduced;
        seen_outer |= is_slice && place.live > 1;
        seen_reduced |= is_slice && is_own;
        if is_of(place, Level::Time) && is_own {
            return place.extent;
        }
        if !(is_slice && is_own && is_inner) {
            return place.live;
        }
        let within = ring.map_or(place.extent, |(size, stride)| {
            size / (place.stride / stride.max(1)).max(1) as u64
        });
        within.clamp(place.live, place.extent)
    });
    reach.collect()
}

/// Whether a space has the values of an axis that a digit steps by.
fn covers(space: &Space, axis: &Axis, place: &Place) -> bool {
    let Some(number) = space.axis_number(axis) else {
        return false;
    };
    let end = place.step.saturating_mul(place.live);
    space.places.iter().any(|own| {
        own.over == Over::Axis(number)
            && own.step < end
            && own.step.saturating_mul(own.modulo) > place.step
    })
}

/// The results of a fold by their places.
struct Results {
    /// The values.
    array: Array,
    /// Which of them are defined.
    defined: Bits,
    /// Of those that are not, the first undefined element that they take in.
    from: Vec<(usize, usize)>,
    /// The last live element that each takes in.
    last: Vec<Option<usize>>,
}

fn fast(
    input: &Space,
    cells: &Cells,
    inner: &Space,
    parts: &[Part],
    (fold, takes): (Fold, &Takes),
) -> Results {
    let is_number = |part: &&Part| {
        let place = input.places.get(part.place);
        place.is_some_and(|place| place.over == Over::Number)
    };
    let kept: Vec<(usize, [usize; 2])> = parts
        .iter()
        .filter_map(|part| Some((part.count, [part.stride, part.others.first().copied()??])))
        .collect();
    let gone: Vec<(usize, [usize; 1])> = parts
        .iter()
        .filter(|part| part.others.first().copied().flatten().is_none() && !is_number(part))
        .map(|part| (part.count, [part.stride]))
        .collect();
    let taken = reached_places(&gone).into_flattened();
    let (bases, targets): (Vec<usize>, Vec<usize>) = reached_places(&kept)
        .into_iter()
        .map(|[base, target]| (base, target))
        .unzip();
    let length = inner.positions();
    let lists = (bases.as_slice(), targets.as_slice(), taken.as_slice());
    let array = match &cells.array {
        Array::F32(elements) => {
            let step = |folded, next| fold.step_of_floats(folded, next);
            let folds = (fold.identity_of_floats(), step);
            Array::F32(fold_all(elements, lists, folds, length))
        }
        Array::I32(elements) => {
            let step = |folded, next| fold.step_of_integers(folded, next);
            let folds = (fold.identity_of_integers(), step);
            Array::I32(fold_all(elements, lists, folds, length))
        }
        other => other.clone(),
    };
    let mut last = vec![None; length];
    if let Some(offset) = taken.last() {
        for (base, target) in bases.iter().zip(&targets) {
            last[*target] = Some(base + offset);
        }
    }
    let mut looked_at = taken;
    if takes.takes_padding(input) {
        looked_at.extend(padded_places(input, takes));
    }
    let (defined, from) = definedness(cells, (&bases, &targets, &looked_at), length);
    Results {
        array,
        defined,
        from,
        last,
    }
}

/// Places of padding that a result takes in beside its live elements, from its first element on.
fn padded_places(input: &Space, takes: &Takes) -> Vec<usize> {
    let mut all: Vec<(usize, bool)> = vec![(0, false)];
    for (place, reach) in input.places.iter().zip(&takes.reach) {
        if *reach == place.live {
            continue;
        }
        let extent = usize::try_from(*reach).unwrap_or(usize::MAX);
        let live = usize::try_from(place.live).unwrap_or(usize::MAX);
        all = all
            .iter()
            .flat_map(|(start, is_padded)| {
                (0..extent)
                    .map(move |step| (start + step * place.stride, *is_padded || step >= live))
            })
            .collect();
    }
    let padded = all.into_iter().filter(|(_, is_padded)| *is_padded);
    padded.map(|(place, _)| place).collect()
}

/// Folds what each result takes, from `identity` on. Threads share the results, each of which has a target of its own.
fn fold_all<T: Copy + Send + Sync>(
    elements: &[T],
    (bases, targets, taken): (&[usize], &[usize], &[usize]),
    (identity, step): (T, impl Fn(T, T) -> T + Send + Sync),
    length: usize,
) -> Vec<T> {
    let bases: Vec<&[usize]> = bases.chunks(SIDE_BY_SIDE).collect();
    let steps = taken.len().saturating_mul(SIDE_BY_SIDE);
    let folded = list_results(bases.len(), steps, |number| {
        let mut folded = [identity; SIDE_BY_SIDE];
        for offset in taken {
            for (own, base) in folded.iter_mut().zip(bases[number]) {
                *own = step(*own, elements[base + offset]);
            }
        }
        folded
    });
    let mut results = vec![identity; length];
    for (target, own) in targets.iter().zip(folded.iter().flatten()) {
        results[*target] = *own;
    }
    results
}

/// Which results are defined: those that take in nothing undefined. With the first undefined element of each other one.
fn definedness(
    cells: &Cells,
    (bases, targets, taken): (&[usize], &[usize], &[usize]),
    length: usize,
) -> (Bits, Vec<(usize, usize)>) {
    let mut bits = Bits::all_clear(length);
    let mut from = Vec::new();
    for (base, target) in bases.iter().zip(targets) {
        let undefined = match &cells.defined {
            None => None,
            Some(defined) => taken
                .iter()
                .map(|offset| base + offset)
                .find(|place| !defined.is_set(*place)),
        };
        match undefined {
            None => bits.put(*target, true),
            Some(place) => from.push((*target, place)),
        }
    }
    (bits, from)
}

/// Each element by itself, where digits do not part evenly.
fn slow(input: &Space, cells: &Cells, inner: &Space, (fold, takes): (Fold, &Takes)) -> Results {
    let length = inner.positions();
    let mut wide = input.clone();
    for (place, reach) in wide.places.iter_mut().zip(&takes.reach) {
        place.live = *reach;
    }
    let lookup = Lookup::new(input, inner);
    wide.axes = (input.axes.iter())
        .map(|axis| Axis::new(axis.name(), u64::MAX))
        .collect();
    let mut floats = vec![fold.identity_of_floats(); length];
    let mut integers = vec![fold.identity_of_integers(); length];
    let mut bits = Bits::all_clear(length);
    let mut undefined = Bits::all_clear(length);
    let mut from = Vec::new();
    let mut last = vec![None; length];
    each_live(&wide, |place, values, steps| {
        let Some((target, _)) = lookup.find(values) else {
            return;
        };
        let is_copy = (input.places.iter().zip(steps))
            .any(|(digit, step)| digit.over == Over::Number && *step > 0);
        if is_copy || target >= length {
            return;
        }
        let mut sized = values.iter().zip(&input.axes).zip(&takes.beyond);
        // Digits that together run beyond the axis: no data, and no padding that is taken in.
        if sized.any(|((value, axis), is_taken)| *value >= axis.size() && !is_taken) {
            return;
        }
        let is_live = (input.places.iter().zip(steps)).all(|(digit, step)| *step < digit.live)
            && (values.iter().zip(&input.axes)).all(|(value, axis)| *value < axis.size());
        if is_live {
            bits.put(target, true);
            last[target] = Some(place);
            match &cells.array {
                Array::F32(elements) => {
                    floats[target] = fold.step_of_floats(floats[target], elements[place]);
                }
                Array::I32(elements) => {
                    integers[target] = fold.step_of_integers(integers[target], elements[place]);
                }
                _ => {}
            }
        }
        if !cells.is_defined(place) && !undefined.is_set(target) {
            undefined.put(target, true);
            from.push((target, place));
        }
    });
    for (target, _) in &from {
        bits.put(*target, false);
    }
    let array = match &cells.array {
        Array::I32(_) => Array::I32(integers),
        _ => Array::F32(floats),
    };
    Results {
        array,
        defined: bits,
        from,
        last,
    }
}

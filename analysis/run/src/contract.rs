//! Contractions: products of a stream and a register tensor, summed in the order of the library.
//!
//! The sum of floats depends on its order, so the order is the library's: packets, then time, then rows in early releases, one
//! sum in order in later ones. Integers are summed in 64 bits, and a sum that leaves its type on the way is no result, even if
//! it comes back. The products of one result are at the same offsets from its first one wherever digits part evenly. The fast
//! way therefore computes offsets once and sums many results side by side. The slow way asks for each product by itself; both
//! must give equal bits.

use visa_arrays::{Arithmetic, Array, Bits, ElementKind, Fault};

use crate::kernel::Level;

use super::cells::{Cells, OriginId};
use super::plan::{Lookup, Part, each_live, parts};
use super::reduce::inner_space;
use super::space::{Over, Space};

/// Results side by side, so that the compiler makes vectors of their sums.
const SIDE_BY_SIDE: usize = 16;

/// Results that are listed together, at most.
const MOST_LISTED: usize = 1 << 14;

/// One factor of a contraction.
pub(super) struct Factor<'a> {
    /// Where its elements are.
    pub(super) space: &'a Space,
    /// The elements, widened.
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
    /// Whether packets are summed first, then their sums over time, then those over rows, as early releases do.
    pub(super) by_stage: bool,
    /// Whether padding is left out: a mask of the fetch makes it zero, or only the alignment adds it.
    pub(super) masks_padding: bool,
}

/// The type that sums have.
const fn is_float(array: &Array) -> bool {
    matches!(array, Array::F32(_))
}

/// Widens the elements of an operand.
pub(super) fn widened(cells: &Cells, rules: Arithmetic) -> Option<Cells> {
    let kind = if cells.array.kind().is_float() {
        ElementKind::F32
    } else {
        ElementKind::I32
    };
    if cells.array.kind() == ElementKind::F4E2M1 {
        return None;
    }
    Some(Cells {
        array: visa_arrays::casts::converted(&cells.array, kind, rules)?,
        defined: cells.defined.clone(),
        origins: cells.origins.clone(),
        approximate: cells.approximate,
    })
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
    if space.is_opaque || output.is_opaque || first.space.is_opaque || second.space.is_opaque {
        return super::keyed::contract_by_function(products, output, origin);
    }
    let inner = inner_space(space, output, None);
    let pads = !products.masks_padding && takes_padding(space, &inner, output);
    let (array, mut bits, from) = match parts(space, &[first.space, second.space, &inner]) {
        Some(parts) => fast(products, &inner, &parts)?,
        None => slow(products, &inner)?,
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

/// Places of several spaces that some parts reach, in their order.
fn reached(counts: &[(usize, [usize; 3])]) -> Vec<[usize; 3]> {
    let mut places = vec![[0_usize; 3]];
    for (count, strides) in counts {
        let mut next = Vec::with_capacity(places.len() * count);
        for place in &places {
            next.extend((0..*count).map(|step| {
                let mut own = *place;
                for (own, stride) in own.iter_mut().zip(strides) {
                    *own += step * stride;
                }
                own
            }));
        }
        places = next;
    }
    places
}

/// Places of both factors and of the result, for each result: those of an outer list, and from each of them those of an inner one. Both
/// lists are short, whatever the number of results.
struct Results {
    outer: Vec<[usize; 3]>,
    inner: Vec<[usize; 3]>,
}

impl Results {
    /// The results that some parts reach, outermost first.
    fn new(mut outer: Vec<(usize, [usize; 3])>) -> Self {
        let mut inner = Vec::new();
        let mut room = MOST_LISTED;
        while let Some((count, strides)) = outer.pop() {
            // As much of a long part as there is room for.
            let most = count.min(room);
            let own = (1..=most).rev().find(|own| count % own == 0).unwrap_or(1);
            inner.push((own, strides));
            room /= own.max(1);
            if own < count {
                outer.push((count / own, strides.map(|stride| stride * own)));
                break;
            }
        }
        inner.reverse();
        Self {
            outer: reached(&outer),
            inner: reached(&inner),
        }
    }

    fn count(&self) -> usize {
        self.outer.len() * self.inner.len()
    }

    /// Results side by side: where the first place of each factor and result is, and steps from there.
    fn blocks(&self) -> impl Iterator<Item = ([usize; 3], &[[usize; 3]])> {
        let blocks = |first: &[usize; 3]| {
            let first = *first;
            let blocks = self.inner.chunks(SIDE_BY_SIDE);
            blocks.map(move |block| (first, block))
        };
        self.outer.iter().flat_map(blocks)
    }

    /// All places, in order.
    fn places(&self) -> impl Iterator<Item = [usize; 3]> {
        self.blocks().flat_map(|([a, b, target], block)| {
            block
                .iter()
                .map(move |[own_a, own_b, own]| [a + own_a, b + own_b, target + own])
        })
    }
}

type Sums = (Array, Bits, Vec<(usize, OriginId)>);

fn fast(products: &Products<'_>, inner: &Space, parts: &[Part]) -> Result<Sums, NoContraction> {
    let [first, second] = &products.factors;
    let space = products.space;
    let is_number = |part: &&Part| {
        let place = space.places.get(part.place);
        place.is_some_and(|place| place.over == Over::Number)
    };
    let strides = |part: &Part| {
        let at = |number: usize| part.others.get(number).copied().flatten().unwrap_or(0);
        (part.count, [at(0), at(1), at(2)])
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
    let taken: Vec<(usize, usize)> = reached(&gone).iter().map(|[a, b, _]| (*a, *b)).collect();
    let (packet, time) = if products.by_stage {
        (count_of(Level::Packet), count_of(Level::Time))
    } else {
        (taken.len(), 1)
    };
    let offsets = (first.space.offset, second.space.offset);
    let length = inner.positions();
    let array = match (&first.cells.array, &second.cells.array) {
        (Array::F32(a), Array::F32(b)) => {
            let stages = Stages {
                taken: &taken,
                packet,
                time,
            };
            Array::F32(float_sums((a, b), offsets, (&results, &stages), length))
        }
        (Array::I32(a), Array::I32(b)) => Array::I32(
            integer_sums((a, b), offsets, (&results, &taken), length)
                .ok_or(NoContraction::Fault(Fault::ContractionOverflow))?,
        ),
        (other, _) => return Err(NoContraction::Kind(other.kind())),
    };
    let mut bits = Bits::all_clear(length);
    let mut from = Vec::new();
    if first.cells.defined.is_none() && second.cells.defined.is_none() {
        if results.count() == length {
            return Ok((array, Bits::all_set(length), from));
        }
        for [_, _, target] in results.places() {
            bits.put(target, true);
        }
        return Ok((array, bits, from));
    }
    for [a, b, target] in results.places() {
        let undefined = taken.iter().find_map(|(own_a, own_b)| {
            let (a, b) = (a + own_a + offsets.0, b + own_b + offsets.1);
            if !first.cells.is_defined(a) {
                return Some(first.cells.origin(a));
            }
            (!second.cells.is_defined(b)).then(|| second.cells.origin(b))
        });
        match undefined {
            None => bits.put(target, true),
            Some(origin) => from.push((target, origin)),
        }
    }
    Ok((array, bits, from))
}

/// What each result sums, in order, and how many of it make a packet, how many packets a stretch of time.
struct Stages<'a> {
    taken: &'a [(usize, usize)],
    packet: usize,
    time: usize,
}

fn float_sums(
    (a, b): (&[f32], &[f32]),
    (first, second): (usize, usize),
    (results, stages): (&Results, &Stages<'_>),
    length: usize,
) -> Vec<f32> {
    let mut sums = vec![0.0_f32; length];
    let packet = stages.packet.max(1);
    let stretch = packet.saturating_mul(stages.time.max(1));
    for ([from_a, from_b, from_target], block) in results.blocks() {
        let mut bases = [(0_usize, 0_usize); SIDE_BY_SIDE];
        for (base, [a, b, _]) in bases.iter_mut().zip(block) {
            *base = (a + from_a + first, b + from_b + second);
        }
        let bases = &bases[..block.len()];
        let mut own = [0.0_f32; SIDE_BY_SIDE];
        for stretch in stages.taken.chunks(stretch) {
            let mut over_time = [0.0_f32; SIDE_BY_SIDE];
            for packet in stretch.chunks(packet) {
                let mut over_packet = [0.0_f32; SIDE_BY_SIDE];
                for (to_a, to_b) in packet {
                    for (sum, (base_a, base_b)) in over_packet.iter_mut().zip(bases) {
                        *sum += a[base_a + to_a] * b[base_b + to_b];
                    }
                }
                add_each(&mut over_time, &over_packet);
            }
            add_each(&mut own, &over_time);
        }
        for (sum, [_, _, target]) in own.iter().zip(block) {
            sums[from_target + target] = *sum;
        }
    }
    sums
}

fn add_each(sums: &mut [f32], others: &[f32]) {
    for (sum, other) in sums.iter_mut().zip(others) {
        *sum += other;
    }
}

/// The sum of one result that meets its products one by one, in order.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StagedSum {
    /// The steps over rows and over time of the last product.
    at: (u64, u64),
    packet: f32,
    time: f32,
    all: f32,
}

impl StagedSum {
    /// Takes in a product; `at` says its step over rows and over time, or always the same where all is one sum.
    pub(super) fn add(&mut self, product: f32, at: (u64, u64)) {
        if at != self.at {
            self.time += self.packet;
            self.packet = 0.0;
        }
        if at.0 != self.at.0 {
            self.all += self.time;
            self.time = 0.0;
        }
        self.at = at;
        self.packet += product;
    }

    /// The sum.
    pub(super) fn total(self) -> f32 {
        self.all + (self.time + self.packet)
    }
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

/// The sums; `None` where one leaves the range of its type on the way.
fn integer_sums(
    (a, b): (&[i32], &[i32]),
    (first, second): (usize, usize),
    (results, taken): (&Results, &[(usize, usize)]),
    length: usize,
) -> Option<Vec<i32>> {
    let mut sums = vec![0_i32; length];
    let mut leaves = false;
    for [base_a, base_b, target] in results.places() {
        let mut sum = 0_i64;
        for (to_a, to_b) in taken {
            let product =
                i64::from(a[base_a + to_a + first]) * i64::from(b[base_b + to_b + second]);
            sum += product;
            leaves |= i32::try_from(product).is_err() | i32::try_from(sum).is_err();
        }
        sums[target] = i32::try_from(sum).unwrap_or(i32::MAX);
    }
    (!leaves).then_some(sums)
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
    let array = if is_float(&first.cells.array) {
        Array::F32(floats.into_iter().map(StagedSum::total).collect())
    } else {
        let narrow = |sum: i64| i32::try_from(sum).unwrap_or(i32::MAX);
        Array::I32(integers.into_iter().map(narrow).collect())
    };
    Ok((array, bits, from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_in_two_lists_are_those_of_one() {
        let parts = [
            vec![],
            vec![(3, [1, 0, 7]), (4, [5, 2, 1])],
            // A part alone beyond what one list holds, a prime one, and several.
            vec![(2, [1, 1, 100_000]), (3 * MOST_LISTED, [0, 2, 1])],
            vec![(65_537, [1, 0, 1]), (3, [0, 1, 65_537])],
            vec![(8, [9, 9, 9]), (1 << 10, [4, 0, 2]), (1 << 8, [0, 1, 1])],
        ];
        for parts in parts {
            let results = Results::new(parts.clone());
            let listed: Vec<_> = results.places().collect();
            assert_eq!(listed, reached(&parts));
            assert_eq!(results.count(), listed.len());
            assert!(results.inner.len() <= MOST_LISTED);
        }
    }
}

//! Folds and contractions over mappings that a size cuts across: element by element, by what the index function says of each position.

use rustc_hash::{FxHashMap, FxHashSet};
use visa_arrays::{Array, Bits, Fault, Fold};

use crate::kernel::Level;
use crate::mapping::{Atom, Axis, Cell};

use super::cells::{Cells, OriginId};
use super::contract::{NoContraction, Products, Summed};
use super::reduce::{Folded, NoReduction, Reduced};
use super::space::Space;
use super::sums::StagedSum;

/// Positions that are looked at one by one at most.
const MOST: usize = 1 << 22;

/// An element of a space: its place in memory, and the value of each axis.
type Element = (usize, Vec<u64>);

/// The axes of a space and its elements in order, each once; `None` where there are too many.
fn elements(space: &Space) -> Option<(Vec<Axis>, Vec<Element>)> {
    if space.positions() > MOST || space.levels.is_empty() {
        return None;
    }
    let function = space.function()?;
    let mut seen: FxHashSet<Vec<u64>> = FxHashSet::default();
    let mut found = Vec::new();
    for position in 0..space.positions() {
        // Numbers repeat an element.
        let values = function.values(position);
        if let Some(values) = values.filter(|values| seen.insert(values.clone())) {
            found.push((space.memory_place(position), values));
        }
    }
    Some((function.axes, found))
}

/// What a space tells of an axis: digits by step and modulo, or its whole value where a group has it.
enum Told {
    Digits(Vec<(u64, u64)>),
    Whole,
}

/// The elements of a space by what it tells of their axes.
struct Keyed {
    /// By axis: its number in the space that asks, and what is told of it.
    axes: Vec<(Option<usize>, Told)>,
    places: FxHashMap<Vec<u64>, usize>,
}

impl Keyed {
    /// A space for coordinates as `driver` orders them.
    fn new(driver: &[Axis], space: &Space) -> Option<Self> {
        let (own, elements) = elements(space)?;
        let axes = own.iter().map(|axis| {
            let number = driver.iter().position(|other| other == axis);
            (number, told_digits(space, axis))
        });
        let axes: Vec<(Option<usize>, Told)> = axes.collect();
        let mut places = FxHashMap::default();
        for (place, values) in elements {
            places.entry(values).or_insert(place);
        }
        Some(Self { axes, places })
    }

    fn key(&self, values: &[u64]) -> Vec<u64> {
        let value = |number: &Option<usize>| number.and_then(|at| values.get(at)).copied();
        let keys = self.axes.iter().map(|(number, told)| {
            let value = value(number).unwrap_or(0);
            match told {
                Told::Whole => value,
                Told::Digits(digits) => (digits.iter())
                    .map(|(step, modulo)| value / step % modulo * step)
                    .sum(),
            }
        });
        keys.collect()
    }

    /// The place of the element with some coordinates.
    fn find(&self, values: &[u64]) -> Option<usize> {
        self.places.get(&self.key(values)).copied()
    }
}

fn told_digits(space: &Space, axis: &Axis) -> Told {
    let mut digits = Vec::new();
    for part in &space.levels {
        for digit in part.mapping.form().digits() {
            let Some(term) = &digit.term else {
                continue;
            };
            match &term.atom {
                Atom::Axis(own) | Atom::PaddedRun(own) if own == axis => {
                    digits.push((term.stride, term.modulo));
                }
                Atom::Composite(inner) if inner.contains_axis(axis.name()) => return Told::Whole,
                _ => {}
            }
        }
    }
    Told::Digits(digits)
}

/// Whether packets or time hold padding.
fn streams_padding(space: &Space) -> bool {
    space.levels.iter().any(|part| {
        let form = part.mapping.form();
        matches!(part.level, Level::Time | Level::Packet)
            && (0..form.size()).any(|at| !matches!(form.cell_at(at), Cell::Index(_)))
    })
}

/// The positions of an output with a result, spread over the copies that it names.
fn spread<T: Copy>(output: &Space, results: &FxHashMap<usize, T>, mut put: impl FnMut(usize, T)) {
    let Some((axes, elements)) = elements(output) else {
        return;
    };
    let first: FxHashMap<Vec<u64>, usize> = elements
        .into_iter()
        .map(|(place, values)| (values, place))
        .collect();
    let Some(function) = output.function().filter(|function| function.axes == axes) else {
        return;
    };
    for position in 0..output.positions() {
        let place = function
            .values(position)
            .and_then(|values| first.get(&values));
        if let Some(result) = place.and_then(|place| results.get(place)) {
            put(output.memory_place(position), *result);
        }
    }
}

/// A result of a fold: both types of numbers, and what is known of the elements that it takes in.
#[derive(Clone, Copy)]
struct Partial {
    float: f32,
    integer: i32,
    undefined: Option<OriginId>,
    last: usize,
}

/// Folds a stream, as [`super::reduce::fold`] does.
///
/// # Errors
/// [`NoReduction`].
pub(super) fn fold_by_function(
    input: &Space,
    cells: &Cells,
    output: &Space,
    (reduced, fold, takes_padding): (&Reduced, Fold, bool),
    origin: OriginId,
) -> Result<Folded, NoReduction> {
    let (axes, own) = elements(input).ok_or(NoReduction::Opaque)?;
    let target = Keyed::new(&axes, output).ok_or(NoReduction::Opaque)?;
    if let Reduced::InSlice(axis) = reduced {
        let is_kept = |own: &&Axis| output_has(output, own) || *own == axis;
        if let Some(lost) = axes.iter().find(|own| !is_kept(own) && own.size() > 1) {
            return Err(NoReduction::Drops(lost.clone()));
        }
    }
    let pads = takes_padding && matches!(reduced, Reduced::InSlice(_)) && streams_padding(input);
    let mut results: FxHashMap<usize, Partial> = FxHashMap::default();
    for (place, values) in own {
        let Some(at) = target.find(&values) else {
            continue;
        };
        let result = results.entry(at).or_insert(Partial {
            float: fold.identity_of_floats(),
            integer: fold.identity_of_integers(),
            undefined: pads.then_some(origin),
            last: place,
        });
        match &cells.array {
            Array::F32(elements) => {
                result.float = fold.step_of_floats(result.float, elements[place]);
            }
            Array::I32(elements) => {
                result.integer = fold.step_of_integers(result.integer, elements[place]);
            }
            _ => {}
        }
        if !cells.is_defined(place) && result.undefined.is_none() {
            result.undefined = Some(cells.origin(place));
        }
        result.last = place;
    }
    let length = output.positions();
    let mut made = Cells::undefined(
        cells.array.kind(),
        length,
        cells.origins.as_ref().map(|_| origin),
    );
    let mut last = vec![None; length];
    made.approximate = cells.approximate;
    spread(output, &results, |at, result| {
        match &mut made.array {
            Array::F32(elements) => elements[at] = result.float,
            Array::I32(elements) => elements[at] = result.integer,
            _ => {}
        }
        match result.undefined {
            None => made.bits_mut().put(at, true),
            Some(origin) => made.put_origin(at, origin),
        }
        last[at] = Some(result.last);
    });
    Ok(Folded {
        space: output.clone(),
        cells: made,
        last,
    })
}

fn output_has(output: &Space, axis: &Axis) -> bool {
    let mut levels = output.levels.iter();
    levels.any(|part| part.mapping.form().axes().contains(axis))
}

/// A sum of products, and what is known of its factors.
#[derive(Clone, Copy)]
struct Sum {
    float: StagedSum,
    integer: i64,
    undefined: Option<OriginId>,
}

/// Sums products, as [`super::contract::contract`] does.
///
/// # Errors
/// [`NoContraction`].
pub(super) fn contract_by_function(
    products: &Products<'_>,
    output: &Space,
    origin: OriginId,
) -> Result<Summed, NoContraction> {
    // What early releases sum stage by stage is not told apart here.
    let (axes, own) = elements(products.space).ok_or(NoContraction::Opaque)?;
    let [first, second] = &products.factors;
    let keyed = |space: &Space| Keyed::new(&axes, space).ok_or(NoContraction::Opaque);
    let (left, right, target) = (keyed(first.space)?, keyed(second.space)?, keyed(output)?);
    let is_float = match (&first.cells.array, &second.cells.array) {
        (Array::F32(_), Array::F32(_)) => true,
        (Array::I32(_), Array::I32(_)) => false,
        (other, _) => return Err(NoContraction::Kind(other.kind())),
    };
    if products.by_stage && is_float {
        return Err(NoContraction::Opaque);
    }
    let pads = !products.masks_padding && streams_padding(products.space);
    let mut results: FxHashMap<usize, Sum> = FxHashMap::default();
    for (_, values) in own {
        let Some(at) = target.find(&values) else {
            continue;
        };
        let result = results.entry(at).or_insert(Sum {
            float: StagedSum::default(),
            integer: 0,
            undefined: pads.then_some(origin),
        });
        let (Some(a), Some(b)) = (left.find(&values), right.find(&values)) else {
            result.undefined.get_or_insert(origin);
            continue;
        };
        match (&first.cells.array, &second.cells.array) {
            (Array::F32(left), Array::F32(right)) => {
                result.float.add(left[a] * right[b], (0, 0));
            }
            (Array::I32(left), Array::I32(right)) => {
                let product = i64::from(left[a]) * i64::from(right[b]);
                result.integer += product;
                if i32::try_from(product).is_err() || i32::try_from(result.integer).is_err() {
                    return Err(NoContraction::Fault(Fault::ContractionOverflow));
                }
            }
            _ => {}
        }
        if !first.cells.is_defined(a) {
            result.undefined.get_or_insert(first.cells.origin(a));
        } else if !second.cells.is_defined(b) {
            result.undefined.get_or_insert(second.cells.origin(b));
        }
    }
    let length = output.positions();
    let mut array = if is_float {
        Array::F32(vec![0.0; length])
    } else {
        Array::I32(vec![0; length])
    };
    let mut cells = Cells {
        array: Array::F32(Vec::new()),
        defined: Some(Bits::all_clear(length)),
        origins: (origin != 0).then(|| vec![origin; length]),
        approximate: first.cells.approximate || second.cells.approximate,
    };
    spread(output, &results, |at, result| {
        match &mut array {
            Array::F32(elements) => elements[at] = result.float.total(),
            Array::I32(elements) => {
                elements[at] = i32::try_from(result.integer).unwrap_or(i32::MAX);
            }
            _ => {}
        }
        if result.undefined.is_none()
            && let Some(bits) = &mut cells.defined
        {
            bits.put(at, true);
        }
        if let (Some(origin), Some(origins)) = (result.undefined, &mut cells.origins) {
            origins[at] = origin;
        }
    });
    cells.array = array;
    cells.settle();
    Ok(Summed {
        space: output.clone(),
        cells,
    })
}

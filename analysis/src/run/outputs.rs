//! What a run gives back: results and changed arguments in the layout that was asked for.

use std::sync::Arc;

use visa_arrays::{Array, Bits, Stored, with_elements};

use crate::kernel::{Given, TensorId};

use super::cells::Cells;
use super::halt::{Halt, Step};
use super::layout::{by_value, is_whole, physical};
use super::machine::{Machine, put_bits};
use super::memory::View;
use super::plan::each_live;
use super::request::{Layout, PoisonFill, RunOutput, RunRequest};

/// An output, and where its elements are in the store.
pub(super) struct Placed {
    /// What is handed on.
    pub(super) output: RunOutput,
    /// The tensor.
    pub(super) tensor: TensorId,
    /// The store.
    pub(super) root: TensorId,
    /// The place in the store of each element.
    pub(super) places: Vec<usize>,
}

impl Machine<'_> {
    /// The outputs: results in order, then what `&mut` parameters hold.
    pub(super) fn outputs(&mut self, request: &RunRequest) -> Step<Vec<Placed>> {
        let body = self.body;
        let results = body.results.iter().map(|(name, id)| (name.clone(), *id));
        let changed = body
            .parameters
            .iter()
            .filter_map(|parameter| match parameter.given {
                Given::Tensor {
                    tensor,
                    is_mutable: true,
                } => Some((parameter.name.clone(), tensor)),
                _ => None,
            });
        let all: Vec<(String, TensorId)> = results.chain(changed).collect();
        let mut outputs = Vec::new();
        for (name, id) in all {
            let view = self.source(id)?;
            let cells = self.memory.store(view.root);
            let cells = cells.ok_or_else(|| Halt::refused(body.span, "an output is not known"))?;
            outputs.push(placed(&name, (id, &view), cells, request));
        }
        Ok(outputs)
    }
}

/// The elements of an array at some places.
fn picked(array: &Array, places: &[usize]) -> Array {
    let mut made = Array::zeros(array.kind(), places.len());
    with_elements!(&mut made, elements => pick(elements, array, places));
    made
}

fn pick<T: Stored>(target: &mut [T], array: &Array, places: &[usize]) {
    if let Some(source) = array.elements::<T>() {
        for (own, place) in target.iter_mut().zip(places) {
            *own = source.get(*place).copied().unwrap_or_default();
        }
    }
}

fn placed(
    name: &str,
    (tensor, view): (TensorId, &View),
    cells: &Cells,
    request: &RunRequest,
) -> Placed {
    let space = &view.space;
    let mut live_places = Vec::new();
    if !space.is_opaque {
        each_live(space, |at, _, _| live_places.push(at));
    }
    let by_values = (request.layout == Layout::Value && !space.is_opaque)
        .then(|| by_value(space))
        .filter(|(dimensions, places)| is_whole(dimensions, places));
    let (dimensions, places, live) = match by_values {
        Some((dimensions, places)) => (dimensions, places, None),
        None => {
            let count = space.positions();
            let places: Vec<usize> = (0..count)
                .map(|position| space.memory_place(position))
                .collect();
            let live = live_bits(view, &places, &live_places);
            (physical(space), places, live)
        }
    };
    let mut values = picked(&cells.array, &places);
    let defined = Bits::from_places(places.len(), |at| {
        places.get(at).is_some_and(|place| cells.is_defined(*place))
    });
    let undefined = (0..places.len())
        .filter(|at| !defined.is_set(*at) && live.as_ref().is_none_or(|live| live.is_set(*at)));
    let undefined = undefined.count() as u64;
    fill_undefined(&mut values, &defined, request);
    Placed {
        output: RunOutput {
            name: Arc::from(name),
            shape: dimensions.sizes,
            dimensions: dimensions.names,
            mapping: space.words(),
            values,
            defined,
            live,
            undefined,
            stale: 0,
            approximate: cells.approximate,
        },
        tensor,
        root: view.root,
        places,
    }
}

/// Which positions hold elements; `None` where all do.
fn live_bits(view: &View, places: &[usize], live_places: &[usize]) -> Option<Bits> {
    let bits = if view.space.is_opaque {
        let function = view.space.function()?;
        Bits::from_places(places.len(), |at| function.values(at).is_some())
    } else {
        let live: rustc_hash::FxHashSet<usize> = live_places.iter().copied().collect();
        Bits::from_places(places.len(), |at| {
            places.get(at).is_some_and(|place| live.contains(place))
        })
    };
    (!bits.is_all_set()).then_some(bits)
}

fn fill_undefined(values: &mut Array, defined: &Bits, request: &RunRequest) {
    match request.fill {
        PoisonFill::Mask => {}
        PoisonFill::NotANumber => {
            if values.kind().is_float() {
                for place in defined.clear_places() {
                    put_not_a_number(values, place);
                }
            }
        }
        PoisonFill::Random => {
            let random = visa_arrays::random_array(
                visa_arrays::ElementKind::I32,
                values.len(),
                request.seed,
                u64::MAX,
            );
            if let Some(random) = random.elements::<i32>() {
                for place in defined.clear_places() {
                    let bits = random.get(place).copied().unwrap_or(0);
                    put_bits(values, place, bits.cast_unsigned());
                }
            }
        }
    }
}

/// NaN of the type, or the code nearest to it.
fn put_not_a_number(values: &mut Array, place: usize) {
    match values {
        Array::F32(elements) => elements[place] = f32::NAN,
        Array::Bf16(elements) => elements[place] = 0x7fc0,
        Array::F8E4M3(elements) => elements[place] = 0x7f,
        Array::F8E5M2(elements) => elements[place] = 0x7e,
        _ => {}
    }
}

//! What a run gives back: results and changed arguments in the layout that was asked for.

use std::sync::Arc;

use visa_arrays::{Array, Bits};

use crate::kernel::{Given, TensorId};

use super::cells::Cells;
use super::halt::{Halt, Step};
use super::layout::{ElementPlaces, by_value, physical};
use super::machine::{Machine, put_bits};
use super::memory::View;
use super::plan::live_places;
use super::request::{Layout, PoisonFill, RunOutput, RunRequest};
use super::space::Space;

/// An output, and where its elements are in the store.
pub(super) struct Placed {
    /// What is handed on.
    pub(super) output: RunOutput,
    /// The tensor.
    pub(super) tensor: TensorId,
    /// The store.
    pub(super) root: TensorId,
    /// The place in the store of each element.
    pub(super) places: ElementPlaces,
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

fn placed(
    name: &str,
    (tensor, view): (TensorId, &View),
    cells: &Cells,
    request: &RunRequest,
) -> Placed {
    let space = &view.space;
    let by_values = (request.layout == Layout::Value)
        .then(|| by_value(space))
        .flatten();
    let (dimensions, places, live) = match by_values {
        Some((dimensions, places)) => (dimensions, places, None),
        None => {
            let places = ElementPlaces::of_positions(space);
            let live = live_bits(space, &places, cells.len());
            (physical(space), places, live)
        }
    };
    let mut values = places.picked(&cells.array);
    let defined = places.picked_bits(cells.defined.as_ref());
    let is_live = |at: &usize| live.as_ref().is_none_or(|live| live.is_set(*at));
    let undefined = defined.clear_places().filter(is_live).count() as u64;
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

/// Which positions of a space hold elements, by their places in a memory of so many; `None` where all do.
fn live_bits(space: &Space, places: &ElementPlaces, length: usize) -> Option<Bits> {
    if !space.has_padding() {
        return None;
    }
    let bits = if space.is_opaque {
        let function = space.function()?;
        Bits::from_places(places.len(), |at| function.values(at).is_some())
    } else {
        places.picked_bits(Some(&live_places(space, length)))
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

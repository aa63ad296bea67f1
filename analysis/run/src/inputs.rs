//! What a run is given: arrays and numbers by position or name, random ones for the rest.

use std::collections::BTreeSet;
use std::sync::Arc;

use visa_arrays::{
    Arithmetic, Array, Bits, FileArray, Misfit, random_array, random_indices, shape_text,
};

use crate::hardware::ElementType;
use crate::items::ConstValue;
use crate::kernel::{Body, CollectiveWork, Given, OperationKind, Origin, Parameter, TensorId};
use crate::lowering::GivenNumbers;
use crate::mapping::PaddingKind;

use super::cells::Cells;
use super::halt::{Halt, Step};
use super::layout::{by_value, physical};
use super::machine::{Machine, put_bits};
use super::memory::{View, tensor_name};
use super::plan::live_places;
use super::request::{IndexRange, InputPlace, InputValue, OriginKind, RunInput, RunRequest};

/// The parameter that an input is for.
fn parameter_of<'a>(parameters: &'a [Parameter], input: &RunInput) -> Step<&'a Parameter> {
    let names = || {
        let names: Vec<String> = parameters
            .iter()
            .map(|own| format!("`{}`", own.name))
            .collect();
        if names.is_empty() {
            "the function has no parameters".to_owned()
        } else {
            format!("the parameters are {}", names.join(", "))
        }
    };
    match &input.place {
        InputPlace::Name(name) => {
            let found = parameters.iter().find(|own| *own.name == **name);
            found.ok_or_else(|| {
                Halt::input(
                    format!("{} is for `{name}`, which is no parameter", input.source),
                    Some(&names()),
                )
            })
        }
        InputPlace::Position(number) => {
            // A parameter of several tensors takes one input for each of them.
            parameters.get(*number).ok_or_else(|| {
                let number = number + 1;
                Halt::input(
                    format!(
                        "{} is input {number}, and there is no such parameter",
                        input.source
                    ),
                    Some(&names()),
                )
            })
        }
    }
}

/// The numbers of run time that a request gives, by name.
///
/// # Errors
/// A number is missing, or something else is given in its place.
pub(super) fn given_numbers(parameters: &[Parameter], request: &RunRequest) -> Step<GivenNumbers> {
    let mut numbers = GivenNumbers::new();
    for input in &request.inputs {
        let parameter = parameter_of(parameters, input)?;
        let Given::Number = parameter.given else {
            continue;
        };
        let InputValue::Scalar(value) = input.value else {
            return Err(Halt::input(
                format!(
                    "{} is an array, and `{}` is a number",
                    input.source, parameter.name
                ),
                Some("give it as `NAME=3`"),
            ));
        };
        numbers.insert(parameter.name.clone(), ConstValue::Int(i128::from(value)));
    }
    let missing = parameters.iter().find(|parameter| {
        parameter.given == Given::Number && !numbers.contains_key(&parameter.name)
    });
    match missing {
        Some(parameter) => Err(Halt::input(
            format!("the number `{}` is not given", parameter.name),
            Some(&format!(
                "give it as `{}=3`: what runs depends on it",
                parameter.name
            )),
        )),
        None => Ok(numbers),
    }
}

/// The tensors that hold lists of indices of a gather or scatter, and the integers that these are copied or computed from: byte offsets
/// are numbers of rows that a pass has multiplied.
fn index_lists(body: &Body) -> BTreeSet<TensorId> {
    let lists = body.operations.iter().filter_map(|operation| {
        let OperationKind::Collective(collective) = &operation.kind else {
            return None;
        };
        match collective.work {
            CollectiveWork::GatherRows(_)
            | CollectiveWork::ScatterRows(_)
            | CollectiveWork::Gather
            | CollectiveWork::Scatter { .. } => {
                collective.sources.get(1).map(|list| body.root(*list))
            }
            _ => None,
        }
    });
    let mut lists: BTreeSet<TensorId> = lists.collect();
    for operation in body.operations.iter().rev() {
        let is_list = |id: &TensorId| lists.contains(&body.root(*id));
        let sources: Vec<TensorId> = match &operation.kind {
            OperationKind::Copy(copy) if is_list(&copy.target) => vec![copy.source],
            OperationKind::Pass(_) if operation.tensors_written().iter().any(is_list) => {
                let read = operation.tensors_read().into_iter();
                read.filter(|id| is_integer(body, *id)).collect()
            }
            _ => Vec::new(),
        };
        lists.extend(sources.into_iter().map(|id| body.root(id)));
    }
    lists
}

/// Whether a tensor holds integers as lists of indices do.
fn is_integer(body: &Body, id: TensorId) -> bool {
    let tensor = body.tensor(id);
    tensor.is_some_and(|tensor| tensor.element_type.get() == Some(&ElementType::I32))
}

/// The tensors at an address of the kernel's choice that hold what an earlier kernel left: something reads them, and nothing in the body
/// writes them.
fn left_by_earlier_kernels(body: &Body) -> Vec<TensorId> {
    let roots = |ids: Vec<TensorId>| ids.into_iter().map(|id| body.root(id));
    let operations = || body.operations.iter();
    let read: BTreeSet<TensorId> = operations()
        .flat_map(|operation| roots(operation.tensors_read()))
        .collect();
    let written: BTreeSet<TensorId> = operations()
        .flat_map(|operation| roots(operation.tensors_written()))
        .collect();
    let is_named = |id: &TensorId| {
        let tensor = body.tensor(*id);
        tensor.is_some_and(|tensor| tensor.origin == Origin::FromAddress)
    };
    read.difference(&written)
        .copied()
        .filter(is_named)
        .collect()
}

impl Machine<'_> {
    /// Puts the arrays of a request into the stores of the parameters; sentences about what was done to them.
    ///
    /// # Errors
    /// An array does not fit, or a list of indices is missing.
    pub(super) fn take_inputs(&mut self, request: &RunRequest) -> Step<Vec<String>> {
        let body = self.body;
        let mut notes = Vec::new();
        let mut given: Vec<(&str, &RunInput)> = Vec::new();
        for input in &request.inputs {
            let parameter = parameter_of(&body.parameters, input)?;
            if given.iter().any(|(name, _)| *name == parameter.name) {
                return Err(Halt::input(
                    format!("`{}` is given twice", parameter.name),
                    None,
                ));
            }
            given.push((&parameter.name, input));
        }
        let lists = index_lists(body);
        for (number, parameter) in body.parameters.iter().enumerate() {
            let Given::Tensor { tensor, .. } = parameter.given else {
                continue;
            };
            let view = self.memory.view(body, tensor)?;
            let length = view.space.positions();
            self.memory.count(view.kind, length, body.span)?;
            let own = given.iter().find(|(name, _)| *name == parameter.name);
            let array = match own {
                Some((_, input)) => self.fitted(input, parameter, &view, &mut notes)?,
                None if lists.contains(&tensor) => random_list(
                    parameter,
                    length,
                    (request.seed, number as u64),
                    request.index_range,
                )?,
                None => random_elements(&view, request.seed, number as u64),
            };
            let name = parameter.name.as_str();
            let cells = self.argument(array, &view, name, request.padding_is_zero);
            self.memory.put(tensor, cells);
        }
        for (number, id) in left_by_earlier_kernels(body).into_iter().enumerate() {
            let view = self.memory.view(body, id)?;
            let length = view.space.positions();
            self.memory.count(view.kind, length, body.span)?;
            let stream = (body.parameters.len() + number) as u64;
            let array = random_elements(&view, request.seed, stream);
            let Some(tensor) = body.tensor(id) else {
                continue;
            };
            notes.push(format!(
                "Nothing in the kernel writes {}, so an earlier kernel left it: it holds random numbers here.",
                tensor_name(tensor)
            ));
            let name = tensor.name.as_deref().unwrap_or_default();
            let cells = self.argument(array, &view, name, request.padding_is_zero);
            self.memory.put(id, cells);
        }
        Ok(notes)
    }

    /// An array that is given, in the order of the parameter's memory.
    fn fitted(
        &self,
        input: &RunInput,
        parameter: &Parameter,
        view: &View,
        notes: &mut Vec<String>,
    ) -> Step<Array> {
        let InputValue::Array(values) = &input.value else {
            return Err(Halt::input(
                format!(
                    "{} is a number, and `{}` is a tensor",
                    input.source, parameter.name
                ),
                None,
            ));
        };
        fitted_array(
            values,
            (&input.source, &parameter.name),
            view,
            self.rules,
            notes,
        )
    }

    /// The elements of an argument: what is padding is nobody's.
    fn argument(&mut self, array: Array, view: &View, name: &str, padding_is_zero: bool) -> Cells {
        let mut cells = Cells::defined(array);
        if !view.space.has_padding() {
            return cells;
        }
        let length = cells.len();
        // `#{0}` is the caller's promise.
        let zeros: Vec<usize> = if view.space.has_zero_padding() {
            let is_zero = |at: &usize| view.space.padding_kind(*at) == Some(PaddingKind::Zero);
            (0..length).filter(is_zero).collect()
        } else {
            Vec::new()
        };
        for place in &zeros {
            put_bits(&mut cells.array, *place, 0);
        }
        if padding_is_zero {
            return cells;
        }
        let mut bits = if view.space.is_opaque {
            Bits::all_clear(length)
        } else {
            live_places(&view.space, length)
        };
        for place in zeros {
            bits.put(place, true);
        }
        if view.space.is_opaque
            && let Some(function) = view.space.function()
        {
            bits = Bits::from_places(length, |place| function.values(place).is_some());
        }
        let tensor = self.body.tensor(view.root).map(|tensor| tensor.span);
        let origin = self.origins.number(
            OriginKind::ArgumentPadding,
            tensor.unwrap_or(self.body.span),
            Some(view.root),
            || format!("the padding of the argument `{name}` is nobody's"),
        );
        if self.origins.kept {
            let origins = (0..length).map(|place| if bits.is_set(place) { 0 } else { origin });
            cells.origins = Some(origins.collect());
        }
        cells.defined = Some(bits);
        cells.settle();
        self.fill_with_junk(&mut cells);
        cells
    }
}

/// An array of a file in the order of a parameter's memory.
fn fitted_array(
    values: &FileArray,
    (source, name): (&str, &str),
    view: &View,
    rules: Arithmetic,
    notes: &mut Vec<String>,
) -> Step<Array> {
    let whole = physical(&view.space);
    let length = view.space.positions();
    let mut shapes = vec![whole.sizes.clone()];
    let by_values = by_value(&view.space).filter(|(own, _)| own.sizes != whole.sizes);
    shapes.extend(by_values.as_ref().map(|(own, _)| own.sizes.clone()));
    let words: Vec<String> = shapes.iter().map(|shape| shape_text(shape)).collect();
    let fitted = values.fitted(view.kind, &shapes, rules).map_err(|misfit| {
        let fits = format!("`{name}` is {} of {}", words.join(" or "), view.kind);
        Halt::input(
            format!("{source} does not fit: {}", misfit_words(&misfit)),
            Some(&fits),
        )
    })?;
    if fitted.was_rounded {
        notes.push(format!(
            "{source} holds float32, and each number is rounded to bf16 for `{name}`."
        ));
    }
    Ok(match by_values {
        Some((_, places)) if fitted.shape == 1 => places.spread(fitted.array, length),
        _ => fitted.array,
    })
}

/// Random elements of an argument. They are those of the layout without padding, so that a kernel that takes the same axes in another
/// physical layout gets the same numbers.
fn random_elements(view: &View, seed: u64, stream: u64) -> Array {
    let length = view.space.positions();
    match by_value(&view.space) {
        Some((_, places)) => {
            let array = random_array(view.kind, places.len(), seed, stream);
            places.spread(array, length)
        }
        None => random_array(view.kind, length, seed, stream),
    }
}

fn misfit_words(misfit: &Misfit) -> String {
    match misfit {
        Misfit::Type { found, taken } => format!("it holds {found}, and {taken} is taken"),
        Misfit::Shape { found } => format!("its shape is {}", shape_text(found)),
        Misfit::Range { found, kind } => format!("it holds {found}, which {kind} does not"),
    }
}

/// A random list of indices from a range.
fn random_list(
    parameter: &Parameter,
    length: usize,
    (seed, stream): (u64, u64),
    range: Option<IndexRange>,
) -> Step<Array> {
    let name: Arc<str> = Arc::from(parameter.name.as_str());
    let range = range.ok_or_else(|| {
        Halt::input(
            format!("the list of indices `{name}` is not given"),
            Some("give a file, or a range for random ones (`--index-range`)"),
        )
    })?;
    let ends = (i32::try_from(range.first), i32::try_from(range.last));
    let (Ok(first), Ok(last)) = ends else {
        return Err(Halt::input("the range of indices is beyond 32 bits", None));
    };
    Ok(Array::I32(random_indices(
        first..=last,
        length,
        seed,
        stream,
    )))
}

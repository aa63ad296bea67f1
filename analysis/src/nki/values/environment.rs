//! What holds at a place of a function: values of names, facts about arguments, generations that the code may run on.
//!
//! Knows how two of them are joined behind a branch; does not know statements.

use std::collections::BTreeMap;
use std::sync::Arc;

use ruff_python_ast::Stmt;
use rustc_hash::FxHashMap;

use super::assigned::{appended, changes_lists};
use super::{Elements, Value};
use crate::nki::names::{Api, Known};
use crate::nki::symbols::{Atom, Kind, Size};
use crate::nki::types::{Dtype, Generations, Reason, Shape, Tensor};

/// What holds at a place.
#[derive(Debug, Clone)]
pub struct Environment {
    names: FxHashMap<Arc<str>, Value>,
    /// The number of axes of arguments, by the argument's number.
    pub ranks: BTreeMap<u32, usize>,
    /// Element types of arguments that an assertion states.
    pub dtypes: BTreeMap<u32, Dtype>,
    /// Extents of arguments that are stated, by argument and axis.
    pub extents: BTreeMap<(u32, i64), Size>,
    /// The generations that code here may run on.
    pub generations: Generations,
    /// Whether nothing behind this is run.
    pub ends: bool,
}

impl Environment {
    /// Nothing is known but the generations.
    pub fn new(generations: Generations) -> Self {
        Self {
            names: FxHashMap::default(),
            ranks: BTreeMap::new(),
            dtypes: BTreeMap::new(),
            extents: BTreeMap::new(),
            generations,
            ends: false,
        }
    }

    /// The value of a name or a dotted path.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.names.get(name)
    }

    /// Binds a name. Fields that were assigned to what it was are forgotten.
    pub fn set(&mut self, name: &str, value: Value) {
        let is_field = name.contains('.');
        if !is_field {
            let prefix = format!("{name}.");
            self.names.retain(|known, _| !known.starts_with(&prefix));
        }
        self.names.insert(Arc::from(name), value);
    }

    /// Unbinds a name.
    pub fn remove(&mut self, name: &str) {
        self.names.remove(name);
    }

    /// Forgets lists: one of them was changed, and another name may mean the same list.
    pub fn forget_lists(&mut self) {
        for value in self.names.values_mut() {
            if matches!(value, Value::List(_)) {
                *value = Value::Unknown(Reason::Expression);
            }
        }
    }

    /// Forgets lists of tensors: something that is not followed was given one, or it got a second name.
    pub fn forget_tensors(&mut self) {
        for value in self.names.values_mut() {
            if matches!(value, Value::Tensors(_)) {
                *value = Value::Unknown(Reason::Expression);
            }
        }
    }

    /// Forgets lists where the body of a loop may change one: by a method or by an index. One without elements that the
    /// body does nothing with but append, at one place, holds what is appended there.
    pub fn forget_lists_if_changed(&mut self, body: &[Stmt]) {
        let is_list = |value: &Value| matches!(value, Value::List(_) | Value::Tensors(_));
        if !self.names.values().any(is_list) || !changes_lists(body) {
            return;
        }
        let appended = appended(body);
        for (name, value) in &mut self.names {
            let times = appended.get(name).copied().unwrap_or(0);
            match value {
                Value::Tensors(_) if times == 0 => {}
                Value::Tensors(elements @ (Elements::None | Elements::Appended)) if times == 1 => {
                    *elements = Elements::Appended;
                }
                Value::List(_) | Value::Tensors(_) => *value = Value::Unknown(Reason::Expression),
                _ => {}
            }
        }
    }

    /// What a loop leaves behind, where this is what held before it: `end` is what holds at the end of its body. A tensor that the
    /// body declares, and a list that it appends tensors to, are what they were in the last round.
    pub fn leave_loop(&mut self, body: &[Stmt], end: &Self, bound_once: impl Fn(&str) -> bool) {
        let lists: Vec<(Arc<str>, Value)> = self
            .names
            .iter()
            .filter(|(_, value)| matches!(value, Value::Tensors(_)))
            .map(|(name, value)| (Arc::clone(name), value.clone()))
            .collect();
        self.forget_lists_if_changed(body);
        for (name, value) in lists {
            let left = match (end.names.get(&name), value) {
                (Some(Value::Tensors(Elements::Each(element))), _) => {
                    Value::Tensors(Elements::Each(Arc::new(without_loop(element))))
                }
                (Some(left), value) if *left == value => value,
                _ => Value::Unknown(Reason::Expression),
            };
            self.names.insert(name, left);
        }
        for (name, value) in &end.names {
            if let Value::Tensor(tensor) = value
                && !self.names.contains_key(name)
                && bound_once(name)
            {
                let tensor = Arc::new(without_loop(tensor));
                self.names.insert(Arc::clone(name), Value::Tensor(tensor));
            }
        }
    }

    /// What holds where one of two ways was taken.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        if self.ends {
            return other;
        }
        if other.ends {
            return self;
        }
        for (name, value) in &mut self.names {
            *value = join_values(Some(value), other.names.get(name));
        }
        for (name, value) in other.names {
            self.names
                .entry(name)
                .or_insert_with(|| join_values(None, Some(&value)));
        }
        self.ranks
            .retain(|key, rank| other.ranks.get(key) == Some(rank));
        self.dtypes
            .retain(|key, dtype| other.dtypes.get(key) == Some(dtype));
        self.extents
            .retain(|key, extent| other.extents.get(key) == Some(extent));
        self.generations = self.generations.or(other.generations);
        self
    }

    /// A symbol turned out to be a number or another symbol.
    pub fn replace(&mut self, atom: &Atom, by: &Size) {
        for value in self.names.values_mut() {
            if let Some(changed) = replaced(value, atom, by) {
                *value = changed;
            }
        }
        for extent in self.extents.values_mut() {
            if let Some(changed) = extent.with(atom, by) {
                *extent = changed;
            }
        }
    }
}

/// The value of a name that two ways bind. An import wins over no import: without it nothing of NKI is called.
fn join_values(left: Option<&Value>, right: Option<&Value>) -> Value {
    match (left, right) {
        (Some(left), Some(right)) if left == right => left.clone(),
        (Some(Value::Known(left)), Some(Value::Known(right))) if left.path == right.path => {
            Value::Known(Known {
                path: Arc::clone(&left.path),
                api: Api::Either,
            })
        }
        (Some(Value::Known(known)), Some(Value::None) | None)
        | (Some(Value::None) | None, Some(Value::Known(known))) => Value::Known(known.clone()),
        (Some(Value::Function(function)), Some(Value::None) | None)
        | (Some(Value::None) | None, Some(Value::Function(function))) => Value::Function(*function),
        (Some(Value::Tensor(left)), Some(Value::Tensor(right))) => common(left, right)
            .map_or(Value::Unknown(Reason::Branches), |tensor| {
                Value::Tensor(Arc::new(tensor))
            }),
        // A list that one way leaves empty has no element there.
        (Some(Value::Tensors(Elements::Each(element))), Some(Value::Tensors(Elements::None)))
        | (Some(Value::Tensors(Elements::None)), Some(Value::Tensors(Elements::Each(element)))) => {
            Value::Tensors(Elements::Each(Arc::clone(element)))
        }
        // A name that one way leaves unbound is not used behind it when that way was taken.
        (None, Some(Value::Tensor(tensor))) | (Some(Value::Tensor(tensor)), None) => {
            Value::Tensor(Arc::clone(tensor))
        }
        _ => Value::Unknown(Reason::Branches),
    }
}

/// Either of two values, as of `a if c else b`.
pub fn either(left: &Value, right: &Value) -> Value {
    join_values(Some(left), Some(right))
}

fn replaced(value: &Value, atom: &Atom, by: &Size) -> Option<Value> {
    match value {
        Value::Int(size) => Some(Value::Int(size.with(atom, by)?)),
        Value::Partition(size) => Some(Value::Partition(size.with(atom, by)?)),
        Value::Argument(argument) => {
            let is_it = matches!(atom, Atom::Name { number, kind: Kind::Parameter, .. } if *number == argument.number);
            is_it.then(|| Value::Int(by.clone()))
        }
        Value::Tuple(elements) => Some(Value::Tuple(
            elements
                .iter()
                .map(|element| replaced(element, atom, by).unwrap_or_else(|| element.clone()))
                .collect(),
        )),
        Value::Tensor(tensor) => {
            let Shape::Known(extents) = &tensor.shape else {
                return None;
            };
            let with = |sizes: &[Size]| {
                sizes
                    .iter()
                    .map(|size| size.with(atom, by))
                    .collect::<Option<Vec<_>>>()
            };
            Some(Value::Tensor(Arc::new(Tensor {
                shape: Shape::Known(with(extents)?),
                steps: tensor.steps.as_deref().and_then(with),
                ..(**tensor).clone()
            })))
        }
        _ => None,
    }
}

/// What two tensors have in common; none where rows of one are chosen at run time.
pub fn common(left: &Tensor, right: &Tensor) -> Option<Tensor> {
    let is_chosen = |tensor: &Tensor| {
        tensor.gather.is_some() || tensor.may_gather || tensor.second_offset.is_some()
    };
    if is_chosen(left) || is_chosen(right) {
        return None;
    }
    let has_one_shape = left.shape == right.shape;
    Some(Tensor {
        name: left.name.clone().filter(|_| left.name == right.name),
        space: left.space.filter(|_| left.space == right.space),
        shape: if has_one_shape {
            left.shape.clone()
        } else {
            Shape::Unknown(Reason::Branches)
        },
        dtype: left.dtype.clone().filter(|_| left.dtype == right.dtype),
        steps: left.steps.clone().filter(|_| left.steps == right.steps),
        partition_axis: left
            .partition_axis
            .filter(|_| left.partition_axis == right.partition_axis),
        is_dynamic: left.is_dynamic || right.is_dynamic,
        is_view: true,
        ..Tensor::unknown(Reason::Branches)
    })
}

/// A tensor behind the loop that declares it: sizes that the loop's variable is in are not known there.
fn without_loop(tensor: &Tensor) -> Tensor {
    let depends = |sizes: Option<&[Size]>| {
        sizes.is_some_and(|sizes| sizes.iter().any(|size| size.has(Kind::Loop)))
    };
    let mut tensor = tensor.clone();
    if depends(tensor.shape.known()) {
        tensor.shape = Shape::Unknown(Reason::Branches);
    }
    if depends(tensor.steps.as_deref()) {
        tensor.steps = None;
    }
    tensor
}

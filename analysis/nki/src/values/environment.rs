//! What holds at a place of a function: values of names, facts about arguments, generations that the code may run on.
//!
//! Knows how ways that begin at one place are taken back and joined behind it; does not know statements. A way costs what it writes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::assigned::Assigned;
use super::bindings::{Bindings, Changes};
use super::{Argument, Elements, Value};
use crate::names::{Api, Known};
use crate::symbols::{Atom, Kind, Size};
use crate::types::{Dtype, Generations, Reason, Shape, Tensor};

/// What is stated of arguments, or follows from tests and assertions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ArgumentFacts {
    /// The number of axes, by the argument's number.
    pub ranks: BTreeMap<u32, usize>,
    /// Element types that an assertion states.
    pub dtypes: BTreeMap<u32, Dtype>,
    /// Extents that are stated, by argument and axis.
    pub extents: BTreeMap<(u32, i64), Size>,
    /// Arguments that have the shape of another one, whatever it is.
    pub alike: BTreeMap<u32, Arc<Argument>>,
    /// Arguments whose shape a comment or a docstring states.
    pub described: BTreeSet<u32>,
}

/// What holds at a place.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Environment {
    names: Bindings,
    /// Names of the file that mean the same in all of its functions, unless `names` has them too. All functions share them: a file
    /// of a thousand functions has more than a thousand.
    file: Arc<FxHashMap<Arc<str>, Value>>,
    now: Holding,
    /// What held where each open way began.
    before: Before,
}

/// What holds beside the values of names.
#[derive(Debug, Clone, Default, PartialEq)]
struct Holding {
    /// Shared until one of those who have it learns something.
    arguments: Arc<ArgumentFacts>,
    generations: Generations,
    ends: bool,
}

/// What held where each open way began. A copy of what holds at a place has no open way.
#[derive(Debug, Default)]
struct Before(Vec<Holding>);

impl Clone for Before {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Before {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A way that was taken back: what it wrote, and what held at its end.
#[derive(Debug)]
pub struct Way {
    names: Changes,
    end: Holding,
}

impl Environment {
    /// Nothing is known but the generations.
    pub fn new(generations: Generations) -> Self {
        let mut environment = Self::default();
        environment.now.generations = generations;
        environment
    }

    /// The value of a name or a dotted path.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.names.get(name).or_else(|| self.file.get(name))
    }

    /// What is known of arguments.
    pub fn arguments(&self) -> &ArgumentFacts {
        &self.now.arguments
    }

    /// Learns something of an argument.
    pub fn learn(&mut self) -> &mut ArgumentFacts {
        Arc::make_mut(&mut self.now.arguments)
    }

    /// The argument that stands for all that have one shape.
    pub fn owner_of_shape(&self, argument: &Arc<Argument>) -> Arc<Argument> {
        let alike = &self.now.arguments.alike;
        Arc::clone(alike.get(&argument.number).unwrap_or(argument))
    }

    /// Whether all that is known of an argument's shape is its description.
    pub fn is_described(&self, argument: &Arc<Argument>) -> bool {
        let owner = self.owner_of_shape(argument);
        self.now.arguments.described.contains(&owner.number)
    }

    /// Two arguments have one shape.
    pub fn learn_alike(&mut self, one: &Arc<Argument>, other: &Arc<Argument>) {
        let (owner, other) = (self.owner_of_shape(one), self.owner_of_shape(other));
        if owner.number == other.number {
            return;
        }
        let facts = self.learn();
        for known in facts.alike.values_mut() {
            if known.number == other.number {
                *known = Arc::clone(&owner);
            }
        }
        facts.alike.insert(other.number, owner);
    }

    /// An argument has so many axes.
    pub fn learn_rank(&mut self, argument: u32, rank: usize) {
        if self.now.arguments.ranks.get(&argument) != Some(&rank) {
            let facts = self.learn();
            facts.ranks.insert(argument, rank);
            if facts.described.remove(&argument) {
                // The code knows better than its description.
                facts.extents.retain(|(known, _), _| *known != argument);
            }
        }
    }

    /// The generations that code here may run on.
    pub const fn generations(&self) -> Generations {
        self.now.generations
    }

    /// Code here runs on none but these generations.
    pub fn restrict_generations(&mut self, generations: Generations) {
        self.now.generations = self.now.generations.and(generations);
    }

    /// Takes over what holds elsewhere of arguments and generations.
    pub fn hold_as(&mut self, other: &Self) {
        self.now.arguments = Arc::clone(&other.now.arguments);
        self.now.generations = other.now.generations;
    }

    /// Whether nothing behind this is run.
    pub const fn ends(&self) -> bool {
        self.now.ends
    }

    /// Says whether nothing behind this is run.
    pub const fn set_ends(&mut self, ends: bool) {
        self.now.ends = ends;
    }

    /// Shares the names whose values nothing that a function does can change. What is left has symbols, lists or fields.
    pub fn with_shared_names(mut self) -> Self {
        let mut file = Arc::unwrap_or_clone(self.file);
        let is_shared = |name: &str, value: &Value| {
            let is_fixed = match value {
                Value::Unknown(_)
                | Value::None
                | Value::Bool(_)
                | Value::Float(_)
                | Value::Text(_)
                | Value::Dtype(_)
                | Value::Space(_)
                | Value::Known(_)
                | Value::Function(_) => true,
                Value::Int(size) => size.value().is_some(),
                _ => false,
            };
            is_fixed && !name.contains('.')
        };
        self.names.take_out(is_shared, |name, value| {
            file.insert(name, value);
        });
        self.file = Arc::new(file);
        self
    }

    /// The same without functions from a number on, which other texts do not know.
    pub fn without_functions_from(mut self, first: usize) -> Self {
        let without = |value: &Value| match value {
            Value::Function(place) if *place >= first => Some(Value::Unknown(Reason::Call)),
            _ => None,
        };
        self.names.change_values(without);
        let mut file = Arc::unwrap_or_clone(self.file);
        for value in file.values_mut() {
            if let Some(changed) = without(value) {
                *value = changed;
            }
        }
        self.file = Arc::new(file);
        self
    }

    /// The functions that names other than their own mean, or that are in lists: who calls them is not seen by their names.
    pub fn functions_by_other_names<'n>(
        &self,
        own: &dyn Fn(usize) -> Option<&'n str>,
    ) -> FxHashSet<usize> {
        fn collect(value: &Value, found: &mut FxHashSet<usize>) {
            match value {
                Value::Function(place) => {
                    found.insert(*place);
                }
                Value::Tuple(elements) | Value::List(elements) => {
                    for element in elements.iter() {
                        collect(element, found);
                    }
                }
                _ => {}
            }
        }
        let mut found = FxHashSet::default();
        for (name, value) in self.names.iter().chain(self.file.iter()) {
            if let Value::Function(place) = value
                && own(*place) == Some(&**name)
            {
                continue;
            }
            collect(value, &mut found);
        }
        found
    }

    /// Binds a name. Fields that were assigned to what it was are forgotten.
    pub fn set(&mut self, name: &str, value: Value) {
        self.names.set(name, value);
    }

    /// Whether a field may have been assigned to.
    pub fn has_fields(&self) -> bool {
        self.names.has_fields()
    }

    /// Unbinds a name.
    pub fn remove(&mut self, name: &str) {
        match self.file.get_key_value(name) {
            Some((name, _)) => {
                let hidden = Value::Unknown(Reason::Branches);
                self.names.put_name(Arc::clone(name), Some(hidden));
            }
            None => self.names.remove(name),
        }
    }

    /// Forgets lists: one of them was changed, and another name may mean the same list.
    pub fn forget_lists(&mut self) {
        self.names.forget_lists();
    }

    /// Forgets lists of tensors: something that is not followed was given one, or it got a second name.
    pub fn forget_tensors(&mut self) {
        self.names.forget_tensors();
    }

    /// Forgets lists where the body of a loop may change one: by a method or by an index. One without elements that the
    /// body does nothing with but append, at one place, holds what is appended there.
    pub fn forget_lists_if_changed(&mut self, body: &Assigned<'_>) {
        if !self.names.may_have_lists() || !body.changes_lists {
            return;
        }
        self.names.forget_lists();
        for (name, times) in &body.appended {
            self.names.appended(name, *times);
        }
    }

    /// Begins a way: a branch, the body of a loop. What it writes is taken back at its end.
    pub fn begin_way(&mut self) {
        self.names.begin_way();
        self.before.0.push(self.now.clone());
    }

    /// Ends the way that began last: what held before it holds again.
    pub fn take_back(&mut self) -> Way {
        let before = self.before.0.pop().unwrap_or_default();
        Way {
            names: self.names.take_back(),
            end: std::mem::replace(&mut self.now, before),
        }
    }

    /// Goes on behind one of two ways that began here.
    pub fn join(&mut self, one: Way, other: Way) {
        let way = self.joined_ways(one, other);
        self.follow_way(way);
    }

    /// Goes on behind a way that began here.
    pub fn follow_way(&mut self, way: Way) {
        for (name, value) in way.names {
            self.names.put_name(name, value);
        }
        self.now = way.end;
    }

    /// What holds where one of two ways was taken. Both began here.
    pub fn joined_ways(&self, mut one: Way, other: Way) -> Way {
        if one.end.ends {
            return other;
        }
        if other.end.ends {
            return one;
        }
        let of = |name: &Arc<str>, value: Option<Value>| -> Option<Value> {
            value.or_else(|| self.file.get(name).cloned())
        };
        let mut others = other.names;
        for (name, value) in &mut one.names {
            let other = match others.remove(name) {
                Some(changed) => of(name, changed),
                None => self.get(name).cloned(),
            };
            let own = of(name, value.take());
            *value = join_values(own.as_ref(), other.as_ref());
        }
        for (name, value) in others {
            let value = join_values(self.get(&name), of(&name, value).as_ref());
            one.names.insert(name, value);
        }
        let (end, other) = (&mut one.end, other.end);
        if !Arc::ptr_eq(&end.arguments, &other.arguments) {
            let (facts, other) = (Arc::make_mut(&mut end.arguments), &other.arguments);
            facts
                .ranks
                .retain(|key, rank| other.ranks.get(key) == Some(rank));
            facts
                .dtypes
                .retain(|key, dtype| other.dtypes.get(key) == Some(dtype));
            facts
                .extents
                .retain(|key, extent| other.extents.get(key) == Some(extent));
            facts
                .alike
                .retain(|number, owner| other.alike.get(number) == Some(owner));
        }
        end.generations = end.generations.or(other.generations);
        one
    }

    /// What a loop leaves behind, where this is what held before it: `body` is what was taken back of its body. A tensor that the body
    /// declares, and a list that it appends tensors to, are what they were in the last round.
    pub fn leave_loop(&mut self, bound: &Assigned<'_>, body: Way) {
        let bound_once = |name: &str| bound.names.get(name) == Some(&1);
        let written = body.names.into_iter();
        let left: Vec<(Arc<str>, Value)> = written
            .filter_map(|(name, end)| match (self.names.get(&name), end) {
                (Some(Value::Tensors(_)), Some(Value::Tensors(Elements::Each(element)))) => {
                    let element = Arc::new(without_loop(&element));
                    Some((name, Value::Tensors(Elements::Each(element))))
                }
                (Some(before @ Value::Tensors(_)), end) => {
                    let value = end.filter(|end| end == before);
                    let unknown = Value::Unknown(Reason::Expression);
                    Some((name, value.unwrap_or(unknown)))
                }
                (before, Some(Value::Tensor(tensor))) => {
                    let is_new = before.is_none() && !self.file.contains_key(&name);
                    let tensor = || Value::Tensor(Arc::new(without_loop(&tensor)));
                    (is_new && bound_once(&name)).then(|| (Arc::clone(&name), tensor()))
                }
                _ => None,
            })
            .collect();
        self.forget_lists_if_changed(bound);
        for (name, value) in left {
            self.names.put_name(name, Some(value));
        }
    }

    /// A symbol turned out to be a number or another symbol.
    pub fn substitute_symbol(&mut self, atom: &Atom, by: &Size) {
        self.names
            .replace_symbol(atom, |value| with_replaced_symbol(value, atom, by));
        let extents = self.now.arguments.extents.iter();
        let changed: Vec<((u32, i64), Size)> = extents
            .filter_map(|(key, extent)| Some((*key, extent.with_replaced(atom, by)?)))
            .filter(|(key, extent)| self.now.arguments.extents.get(key) != Some(extent))
            .collect();
        if !changed.is_empty() {
            self.learn().extents.extend(changed);
        }
    }
}

/// The value of a name that two ways bind; nothing where neither does. An import wins over no import: without it nothing of NKI is
/// called.
fn join_values(left: Option<&Value>, right: Option<&Value>) -> Option<Value> {
    Some(match (left, right) {
        (None, None) => return None,
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
        (Some(Value::Tensor(left)), Some(Value::Tensor(right))) => common_tensor(left, right)
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
    })
}

/// Either of two values, as of `a if c else b`.
pub fn either_value(left: &Value, right: &Value) -> Value {
    join_values(Some(left), Some(right)).unwrap_or(Value::Unknown(Reason::Branches))
}

/// A value where a symbol turned out to be something else; nothing where the symbol is not in it.
fn with_replaced_symbol(value: &Value, atom: &Atom, by: &Size) -> Option<Value> {
    let changed = |size: &Size| {
        let size = size.has_factor(atom).then(|| size.with_replaced(atom, by));
        size.flatten()
    };
    match value {
        Value::Int(size) => Some(Value::Int(changed(size)?)),
        Value::Partition(size) => Some(Value::Partition(changed(size)?)),
        Value::Argument(argument) => {
            let is_it = matches!(atom, Atom::Name { number, kind: Kind::Parameter, .. } if *number == argument.number);
            is_it.then(|| Value::Int(by.clone()))
        }
        Value::Tuple(elements) => {
            let changed = elements
                .iter()
                .map(|element| with_replaced_symbol(element, atom, by));
            let changed: Vec<Option<Value>> = changed.collect();
            let has_changed = changed.iter().any(Option::is_some);
            let all = changed.into_iter().zip(elements.iter());
            let all = all.map(|(changed, element)| changed.unwrap_or_else(|| element.clone()));
            has_changed.then(|| Value::Tuple(all.collect()))
        }
        Value::Tensor(tensor) => {
            let extents = tensor.shape.known_extents()?;
            let mut sizes = extents.iter().chain(tensor.steps.iter().flatten());
            if !sizes.any(|size| size.has_factor(atom)) {
                return None;
            }
            let with = |sizes: &[Size]| {
                sizes
                    .iter()
                    .map(|size| size.with_replaced(atom, by))
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
pub fn common_tensor(left: &Tensor, right: &Tensor) -> Option<Tensor> {
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
        shape_of: left
            .shape_of
            .clone()
            .filter(|_| has_one_shape && left.shape_of == right.shape_of),
        dtype: left.dtype.clone().filter(|_| left.dtype == right.dtype),
        steps: left.steps.clone().filter(|_| left.steps == right.steps),
        partition_axis: left
            .partition_axis
            .filter(|_| left.partition_axis == right.partition_axis),
        is_dynamic: left.is_dynamic || right.is_dynamic,
        cuts_partitions: left.cuts_partitions || right.cuts_partitions,
        is_view: true,
        ..Tensor::unknown(Reason::Branches)
    })
}

/// A tensor behind the loop that declares it: sizes that the loop's variable is in are not known there.
fn without_loop(tensor: &Tensor) -> Tensor {
    let depends = |sizes: Option<&[Size]>| {
        sizes.is_some_and(|sizes| sizes.iter().any(|size| size.has_kind(Kind::Loop)))
    };
    let mut tensor = tensor.clone();
    if depends(tensor.shape.known_extents()) {
        tensor.shape = Shape::Unknown(Reason::Branches);
    }
    if depends(tensor.steps.as_deref()) {
        tensor.steps = None;
    }
    tensor
}

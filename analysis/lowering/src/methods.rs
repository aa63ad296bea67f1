//! Methods: by the receiver in the dialect's table, or Rust's own on numbers, arrays, iterators and closures.

use crate::callgraph;
use crate::items::{self, ItemId, ItemKind, Span};
use crate::kernel::dialect::{Accessor, Action, Method, Receiver, library_table};
use crate::kernel::{Context, Level, Position, TensorId, Tier, UnresolvedReason};
use crate::libraries::Library;
use crate::surface::{Turbofish, is_plain, named_method, sequence_method};

use super::types::{LevelSlots, Type};
use super::{Call, Interpreter, Named, Thing, Value};

/// The levels of tensors at rest.
const AT_REST: [Level; 6] = [
    Level::Chip,
    Level::Cluster,
    Level::Slice,
    Level::Pe,
    Level::Row,
    Level::Element,
];

impl Interpreter<'_> {
    /// What a tensor says about itself: its address, where it is known.
    fn accessor(&self, id: TensorId, accessor: Accessor) -> Value {
        let address = self
            .own
            .draft
            .tensor(id)
            .and_then(|tensor| tensor.address.bytes());
        match (accessor, address) {
            (Accessor::Address, Some(address)) => Value::integer(i128::from(address)),
            (Accessor::Address | Accessor::Other, _) => Value::Unknown,
        }
    }

    /// A call of a method.
    pub(super) fn method(&mut self, receiver: Value, call: &Call) -> Value {
        let own = self.lookup(&receiver, &call.name);
        let foreign = self.foreign(&receiver, own, call);
        let method = match (foreign, own) {
            (Some(foreign), _) if self.own.follows_foreign => foreign,
            (Some(foreign), Some(own)) => {
                return self.refuse_foreign(&receiver, (foreign, own), call);
            }
            (_, None) => return self.other_method(receiver, call),
            (None, Some(own)) => own,
        };
        match (receiver, method.action) {
            (receiver, Action::Same) => {
                self.note_register_clone(&receiver, call);
                receiver
            }
            (Value::Thing(Thing::Tensor(id)), Action::Accessor(accessor)) => {
                self.accessor(id, accessor)
            }
            (Value::Thing(Thing::RunTimeValue(Some(given))), Action::Accessor(_)) => {
                Value::from_constant(given)
            }
            (Value::Thing(Thing::Plan(plan)), Action::Plan(step)) => {
                self.plan_method(*plan, step, method, call)
            }
            (Value::Thing(Thing::Tensor(id)), _) => self.tensor_method(id, method, call),
            (Value::Thing(Thing::Stream(pass)), _) => self.stream_method(pass, method, call),
            (Value::Thing(Thing::Context(context)), _) => {
                self.context_method(context, method, call)
            }
            _ => Value::Unknown,
        }
    }

    /// Notes a copy of a register, which is the same tensor once more: loops and helpers reach a place again.
    fn note_register_clone(&mut self, receiver: &Value, call: &Call) {
        let draft = &mut self.own.draft;
        if let Value::Thing(Thing::Tensor(id)) = receiver
            && (draft.tensor(*id)).is_some_and(|tensor| tensor.kind.tier == Tier::Vrf)
            && (draft.register_clones.iter()).all(|(_, place)| *place != call.name_span)
        {
            draft.register_clones.push((*id, call.name_span));
        }
    }

    /// The method of a name that the receiver has.
    fn lookup(&self, receiver: &Value, name: &str) -> Option<&'static Method> {
        match receiver {
            Value::Thing(Thing::Tensor(id)) => {
                let kind = self.own.draft.tensor(*id)?.kind;
                let on_tier = |method: &&'static Method| matches!(method.receiver, Receiver::Tensor(tier, _) if tier == kind.tier);
                let exact = |method: &&'static Method| matches!(method.receiver, Receiver::Tensor(tier, accesses) if tier == kind.tier && accesses.contains(&kind.access));
                // A method of the tensor called on its view is the compiler's complaint; it says what it says.
                self.own
                    .dialect
                    .methods(name)
                    .find(exact)
                    .or_else(|| self.own.dialect.methods(name).find(on_tier))
            }
            Value::Thing(Thing::Stream(pass)) => {
                let is_pair = matches!(
                    self.own.draft.pass(*pass)?.shape().position,
                    Position::VectorPair(_)
                );
                let preferred = if is_pair {
                    Receiver::Pair
                } else {
                    Receiver::Single
                };
                let on_stream = |method: &&'static Method| {
                    matches!(
                        method.receiver,
                        Receiver::Stream | Receiver::Single | Receiver::Pair
                    )
                };
                let exact = |method: &&'static Method| method.receiver == preferred;
                self.own
                    .dialect
                    .methods(name)
                    .find(exact)
                    .or_else(|| self.own.dialect.methods(name).find(on_stream))
            }
            Value::Thing(Thing::RunTimeValue(_)) => {
                let mut methods = self.own.dialect.methods(name);
                methods.find(|method| method.receiver == Receiver::RunTimeValue)
            }
            Value::Thing(Thing::Plan(plan)) => {
                let kind = Receiver::Plan(plan.kind);
                let mut methods = self.own.dialect.methods(name);
                methods.find(|method| method.receiver == kind)
            }
            Value::Thing(Thing::Context(context)) => {
                let is_dma = matches!(context, Some(Context::TensorDma | Context::PcieDma));
                let preferred = if is_dma {
                    Receiver::DmaEngine
                } else {
                    Receiver::TensorUnit
                };
                self.own
                    .dialect
                    .methods(name)
                    .find(|method| method.receiver == preferred)
            }
            _ => None,
        }
    }

    /// The other library, if it has published a method of a name that this one has in no release.
    fn other_library(&self, name: &str) -> Option<Library> {
        let own = &self.own.dialect;
        if own.methods_of_any_release(name).next().is_some() {
            return None;
        }
        let mut others = Library::ALL.into_iter();
        others.find(|library| {
            let other = library_table(*library).in_newest_release();
            let mut methods = other.methods_of_any_release(name);
            *library != own.library && methods.any(Method::is_published)
        })
    }

    /// Why a method of a name is none of the dialect's, on a receiver that is known to be the library's.
    pub(super) fn no_method(&self, name: &str) -> UnresolvedReason {
        let method = name.to_owned();
        match self.own.dialect.releases_elsewhere(name) {
            Some(releases) => UnresolvedReason::OtherRelease {
                method,
                releases,
                dialect: self.own.dialect.id(),
            },
            None => match self.other_library(name) {
                Some(library) => UnresolvedReason::OtherLibrary {
                    method,
                    library,
                    dialect: self.own.dialect.id(),
                },
                None => self.unknown_method(name),
            },
        }
    }

    /// The method of a struct of the project.
    fn own_method(&self, named: &Named, call: &Call) -> Option<ItemId> {
        let found = items::associated_item(self.db, named.item?, &call.name)?;
        (found.kind(self.db) == ItemKind::Function).then_some(found)
    }

    /// What a struct of the project gives by its `Deref`, where the method is not its own.
    fn dereferenced(&mut self, named: &Named, call: &Call) -> Option<Value> {
        let deref = items::associated_item(self.db, named.item?, "deref")?;
        let receiver = Value::Named(Box::new(named.clone()));
        let inner = self.inline(
            deref,
            Turbofish::default(),
            &[(receiver, call.name_span)],
            call.name_span,
        );
        matches!(inner, Value::Thing(_) | Value::Named(_)).then_some(inner)
    }

    /// Calls a method of the project.
    fn call_method(
        &mut self,
        function: ItemId,
        receiver: Value,
        call: &Call,
        owner: Option<ItemId>,
    ) -> Value {
        let mut arguments = vec![(receiver, call.name_span)];
        arguments.extend(call.arguments.iter().cloned());
        let turbofish = Turbofish {
            own: &call.turbofish,
            owner,
            ..Turbofish::default()
        };
        self.inline(function, turbofish, &arguments, call.name_span)
    }

    /// The method that a trait of the project gives something of the library: the only one of its name, or of several the only
    /// one whose `impl` block is for what it is called on.
    pub(super) fn method_of_trait(&mut self, receiver: &Value, name: &str) -> Option<ItemId> {
        let named = self.of_own_crate(&callgraph::methods_named(self.db, name));
        if let [function] = &*named {
            return Some(*function);
        }
        let (blocks, traits): (Vec<ItemId>, Vec<ItemId>) = named.iter().partition(|function| {
            function.owner(self.db).kind(self.db) == ItemKind::Implementation
        });
        let mut fitting = blocks.into_iter().filter(|function| {
            let site = self.site(*function);
            let ty = self.self_type(&site, self.here);
            self.is_of_type(receiver, &ty)
        });
        let first = fitting.next();
        if fitting.next().is_some() {
            return None;
        }
        drop(fitting);
        first.or_else(|| self.default_method(receiver, &traits))
    }

    /// Those of some methods that are of the crate of what is looked at; all where none is.
    fn of_own_crate(&self, methods: &[ItemId]) -> Vec<ItemId> {
        let of = |item: ItemId| items::crate_of(self.db, item.file(self.db));
        let here = of(self.frame.site.item);
        let own = methods.iter().filter(|method| of(**method) == here);
        let own: Vec<ItemId> = own.copied().collect();
        if own.is_empty() {
            methods.to_vec()
        } else {
            own
        }
    }

    /// The only one of some methods with a body in their traits, or of several the only one whose trait has a block for what it is
    /// called on.
    fn default_method(&mut self, receiver: &Value, methods: &[ItemId]) -> Option<ItemId> {
        if let [method] = methods {
            return Some(*method);
        }
        let mut fitting = Vec::new();
        for method in methods {
            let blocks = items::implementations(self.db, method.owner(self.db));
            let fits = blocks.iter().any(|block| {
                let site = self.site(*block);
                let ty = self.self_type(&site, self.here);
                self.is_of_type(receiver, &ty)
            });
            if fits {
                fitting.push(*method);
            }
        }
        match fitting.as_slice() {
            [method] => Some(*method),
            _ => None,
        }
    }

    /// The method of a trait of the project that a path names, `Layer::forward(&x, …)`: what it is called on is its first argument.
    pub(super) fn method_of_path(
        &mut self,
        name: &str,
        arguments: &[(Value, Span)],
    ) -> Option<ItemId> {
        let (receiver, _) = arguments.first()?;
        if !matches!(receiver, Value::Thing(_)) {
            return None;
        }
        let receiver = receiver.clone();
        self.method_of_trait(&receiver, name)
    }

    /// Whether a value is of a type, as far as what is known of both says.
    fn is_of_type(&self, value: &Value, ty: &Type) -> bool {
        let draft = &self.own.draft;
        match (value, ty) {
            (Value::Thing(Thing::Device), Type::Device)
            | (Value::Thing(Thing::RunTimeValue(_)), Type::RunTimeValue)
            | (Value::Thing(Thing::Stream(_)), Type::Stream { .. }) => true,
            (Value::Thing(Thing::Context(own)), Type::Context(other)) => {
                own.is_none() || other.is_none() || own == other
            }
            (Value::Thing(Thing::Tensor(id)), Type::Tensor(other)) => {
                let Some(own) = draft.tensor(*id).map(|tensor| tensor.kind) else {
                    return false;
                };
                let agrees = |level: Level| {
                    let form =
                        |levels: LevelSlots| draft.mappings.value(levels.get(level)?).cloned();
                    let (own, other) = (form(own.levels), form(other.levels));
                    own.is_none() || other.is_none() || own == other
                };
                let scalar = |slot| draft.scalars.value(slot).copied();
                let (scalar, wanted) = (scalar(own.scalar), scalar(other.scalar));
                own.tier == other.tier
                    && (own.access == other.access)
                    && (scalar.is_none() || wanted.is_none() || scalar == wanted)
                    && AT_REST.into_iter().all(agrees)
            }
            _ => false,
        }
    }

    /// A method that is not followed, of a receiver that need not be the library's.
    fn unknown_method(&self, name: &str) -> UnresolvedReason {
        UnresolvedReason::UnknownMethod {
            name: name.to_owned(),
            dialect: self.own.dialect.id(),
        }
    }

    /// A method that the dialect does not have on the receiver: one of Rust's own, or one that does not exist.
    fn other_method(&mut self, receiver: Value, call: &Call) -> Value {
        match receiver {
            Value::Thing(Thing::Tensor(_))
            | Value::Thing(Thing::Stream(_))
            | Value::Thing(Thing::Context(_))
            | Value::Thing(Thing::Plan(_))
            | Value::Thing(Thing::RunTimeValue(_))
            | Value::Thing(Thing::Device) => {
                if is_plain(&call.name) {
                    return receiver;
                }
                if matches!(receiver, Value::Thing(Thing::Device))
                    && self.own.dialect.words.host_functions.contains(&&*call.name)
                {
                    return self.launch_method(call);
                }
                if let Some(function) = self.method_of_trait(&receiver, &call.name) {
                    return self.call_method(function, receiver, call, None);
                }
                let reason = self.no_method(&call.name);
                match receiver {
                    Value::Thing(Thing::Stream(pass)) => {
                        self.own.draft.fail(pass, reason, call.name_span);
                    }
                    _ => self.unresolved(reason, call.name_span),
                }
                Value::Unknown
            }
            Value::Unknown => {
                // What the receiver is could not be followed; an operation of the library on it is lost here.
                let mut arguments = call.arguments.iter();
                let mut methods = self.own.dialect.methods_of_any_release(&call.name);
                let is_known = methods.next().is_some();
                drop(methods);
                if is_known && arguments.any(|(value, _)| value.is_device_side()) {
                    self.unresolved(UnresolvedReason::NotInferred, call.name_span);
                } else if takes_context(call) {
                    let reason = self.unknown_method(&call.name);
                    self.unresolved(reason, call.name_span);
                } else if is_known {
                    self.note_lost_method(call);
                }
                Value::Unknown
            }
            Value::Named(named) if self.own_method(&named, call).is_some() => {
                let (function, owner) = (self.own_method(&named, call), named.item);
                function.map_or(Value::Unknown, |function| {
                    self.call_method(function, Value::Named(named), call, owner)
                })
            }
            Value::Named(named) if let Some(inner) = self.dereferenced(&named, call) => {
                self.method(inner, call)
            }
            Value::Named(_) if takes_context(call) => {
                // A method that a trait or a macro gives a struct of the project: not followed, and none of a library,
                // whatever it is called.
                let reason = self.unknown_method(&call.name);
                self.unresolved(reason, call.name_span);
                Value::Unknown
            }
            Value::Named(named) if self.begins_list(&named, call) => {
                Value::Array(vec![self.listed_operand(call)])
            }
            Value::Array(mut list) if self.adds_to_list(&list, call) => {
                list.push(self.listed_operand(call));
                Value::Array(list)
            }
            Value::Named(named) if self.adds_slot(&named, call) => {
                Value::Array(vec![Value::Named(named), self.guarded_operand(call)])
            }
            Value::Array(mut slots) if self.adds_slot_to(&slots, call) => {
                slots.push(self.guarded_operand(call));
                Value::Array(slots)
            }
            Value::Named(named) => named_method(named, call),
            receiver @ (Value::Sequence(_) | Value::Array(_))
                if matches!(call.argument(0), Value::Closure(_))
                    || matches!(call.argument(1), Value::Closure(_)) =>
            {
                self.closure_method(receiver, call)
            }
            value if is_plain(&call.name) => value,
            value => sequence_method(value, call),
        }
    }
}

/// Whether operations may run in a call: it is given a context or a stream.
fn takes_context(call: &Call) -> bool {
    call.arguments.iter().any(|(value, _)| {
        matches!(
            value,
            Value::Thing(Thing::Device)
                | Value::Thing(Thing::Context(_))
                | Value::Thing(Thing::Stream(_))
        )
    })
}

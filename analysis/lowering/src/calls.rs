//! Paths and calls: functions of the project, constructors of tensors, names of the library, methods by receiver.

use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode};

use crate::hardware::ElementType;
use crate::items::{self, ConstValue, Float, Namespace, Resolution, Span};
use crate::kernel::dialect::Constructor;
use crate::kernel::{Address, AddressValue, Tier, UnresolvedReason, Written};
use crate::mapping::Axis;
use crate::surface::{Argument, Turbofish, path_arguments, path_segments};

use super::draft::{LaunchDraft, OriginDraft, levels_of};
use super::plans::unknown_address;
use super::types::{TensorType, Type};
use super::{Call, Interpreter, Named, Site, Thing, Value};
impl Interpreter<'_> {
    /// `<m![A]>::SIZE`, `Alias::SIZE`, `Axis::SIZE`.
    pub(super) fn size_of(&mut self, path: &ast::Path) -> Option<u64> {
        let site = self.frame.site.clone();
        let qualifier = path.qualifier()?;
        let slot = match qualifier
            .segment()
            .and_then(|segment| segment.type_anchor())
        {
            Some(anchor) => {
                let ty = anchor.ty()?;
                if let Some(axis) = self
                    .axis_of(&site, &Argument::Type(ty.clone()))
                    .and_then(|written| written.value)
                {
                    return Some(axis.size());
                }
                self.mapping_of_type(&site, &ty, None, 0)
            }
            None => match site.resolve_path(self.db, &qualifier, Namespace::Type) {
                Resolution::Axis(axis) => return axis.size,
                Resolution::Alias(alias) => self.alias_mapping(alias, None, 0),
                _ => {
                    let binding = site
                        .generics
                        .get(path_segments(&qualifier).first()?.as_str())?;
                    if let Some(axis) = &binding.axis {
                        return Some(axis.size());
                    }
                    binding.mapping
                }
            },
        };
        self.own
            .draft
            .mappings
            .value(slot)
            .map(crate::mapping::Mapping::size)
    }

    /// The axis that a generic argument names.
    pub(super) fn axis_of(&mut self, site: &Site, argument: &Argument) -> Option<Written<Axis>> {
        let path = argument.path()?;
        let span = site.span(path.syntax());
        if let Some(binding) = path_segments(&path)
            .first()
            .and_then(|name| site.type_parameter(name))
        {
            return Some(Written {
                value: binding.axis.clone(),
                ..Written::unknown(span)
            });
        }
        match site.resolve_path(self.db, &path, Namespace::Type) {
            Resolution::Axis(axis) => {
                let value = axis
                    .size
                    .and_then(|size| Axis::checked(&axis.name, size).ok());
                Some(Written {
                    value,
                    ..Written::unknown(span)
                })
            }
            _ => None,
        }
    }

    /// The constant that a generic argument names.
    pub(super) fn constant_of(&mut self, site: &Site, argument: &Argument) -> Option<ConstValue> {
        let value = match argument {
            Argument::Constant(expression) => {
                self.at_site(site, |interpreter| interpreter.expression(expression))
            }
            Argument::Type(ast::Type::PathType(ty)) => {
                let path = ty.path()?;
                match site.resolve_path(self.db, &path, Namespace::Value) {
                    Resolution::Const(item) => {
                        Value::from_constant(items::const_value(self.db, item).clone())
                    }
                    Resolution::Parameter(_) => {
                        self.at_site(site, |interpreter| interpreter.path(&path))
                    }
                    _ => return None,
                }
            }
            Argument::Type(_) => return None,
        };
        match value {
            Value::Constant(value @ (ConstValue::Int(_) | ConstValue::Bool(_)), _) => Some(value),
            _ => None,
        }
    }

    pub(super) fn library_call(
        &mut self,
        (path, span): (&ast::Path, Span),
        names: &[String],
        arguments: Vec<(Value, Span)>,
        resolution: &Resolution,
    ) -> Value {
        let known = match resolution {
            Resolution::Prelude(known) => Some(&**known),
            _ => None,
        };
        let names = &*self.library_path(path, names.to_vec(), known);
        let name = names.last().map_or("", String::as_str);
        let site = self.frame.site.clone();
        if let Some(qualifier) = path.qualifier() {
            let owner = match qualifier
                .segment()
                .and_then(|segment| segment.type_anchor())
                .and_then(|anchor| anchor.ty())
            {
                Some(ty) => self.read_type(&site, &ty, span),
                None => self.read_path_type(&site, &qualifier, span, 0),
            };
            let name_span = path
                .segment()
                .map_or(span, |segment| site.span(segment.syntax()));
            match owner {
                Type::Tensor(_) => return self.associated(&owner, name, &arguments, name_span),
                Type::Device => return Value::Thing(Thing::Device),
                Type::Array(..) => {
                    return arguments
                        .into_iter()
                        .next()
                        .map_or(Value::Array(Vec::new()), |(value, _)| value);
                }
                _ if is_list(names) => return Value::Array(Vec::new()),
                _ if self.is_container(names) => {
                    return arguments
                        .into_iter()
                        .next()
                        .map_or(Value::Array(Vec::new()), |(value, _)| value);
                }
                _ => {}
            }
        }
        if let Some(scalar) = number_owner(names) {
            // `bf16::from_f32(..)`, `f32::exp(..)`: a number of that type.
            return Value::Constant(constructed(name, &arguments, scalar), Some(scalar));
        }
        match name {
            _ if name == self.own.dialect.words.launch
                && (names.len() == 1 || !matches!(resolution, Resolution::Unknown { .. })) =>
            {
                self.launch(&arguments, span)
            }
            "transmute" if let Some(renamed) = self.transmuted(path, &arguments, span) => renamed,
            "drop" => {
                if let Some((Value::Thing(Thing::Tensor(id)), _)) = arguments.first() {
                    self.own.draft.mark_moved(*id);
                }
                Value::Unit
            }
            _ => {
                let is_function =
                    name.starts_with(|first: char| first.is_lowercase() || first == '_');
                let is_library = matches!(resolution, Resolution::Prelude(_))
                    || names.len() > 1 && self.is_operand(names);
                if is_function
                    && !is_library
                    && arguments
                        .iter()
                        .any(|(value, _)| value.is_device_side() && !is_register(self, value))
                {
                    if self.names_a_trait(path)
                        && let Some(method) = self.method_of_path(name, &arguments)
                    {
                        let own = path_arguments(path);
                        let turbofish = Turbofish {
                            own: &own,
                            ..Turbofish::default()
                        };
                        return self.inline(method, turbofish, &arguments, span);
                    }
                    self.unresolved(UnresolvedReason::UnknownName(names.join("::")), span);
                    return Value::Unknown;
                }
                Value::Named(Box::new(Named {
                    item: match resolution {
                        Resolution::Type(item) => Some(*item),
                        _ => self.enum_of(path),
                    },
                    generics: Arc::default(),
                    path: names.to_vec(),
                    arguments,
                    fields: Vec::new(),
                }))
            }
        }
    }

    /// `transmute` of a reference to a tensor into one to a tensor of the same memory: the same bytes by another type, as by `reshape`.
    fn transmuted(
        &mut self,
        path: &ast::Path,
        arguments: &[(Value, Span)],
        span: Span,
    ) -> Option<Value> {
        let [(Value::Thing(Thing::Tensor(id)), _)] = arguments else {
            return None;
        };
        let source = self.own.draft.tensor(*id)?.clone();
        let site = self.frame.site.clone();
        let kind = match path_arguments(path).get(1) {
            Some(Argument::Type(ty)) if !matches!(ty, ast::Type::InferType(_)) => {
                match self.read_type(&site, ty, span) {
                    Type::Tensor(kind) => kind,
                    _ => return None,
                }
            }
            // The place that it goes to says its type.
            _ => TensorType {
                levels: levels_of(source.kind.tier, |_| {
                    self.own.draft.mappings.open_slot(span)
                }),
                ..source.kind
            },
        };
        if kind.tier != source.kind.tier {
            return None;
        }
        let origin = OriginDraft::Reshape { of: *id };
        let renamed = (self.own.draft).add_tensor(kind, source.address, origin, span);
        Some(Value::Thing(Thing::Tensor(renamed)))
    }

    /// Whether what is in front of a path's last name is a trait of the project.
    fn names_a_trait(&self, path: &ast::Path) -> bool {
        let owner = path.qualifier().map(|owner| {
            let site = &self.frame.site;
            site.resolve_path(self.db, &owner, Namespace::Type)
        });
        matches!(owner, Some(Resolution::Type(item)) if items::is_trait(self.db, item))
    }

    /// A constructor of operands, conditions or argument modes of the Vector Engine.
    fn is_operand(&self, names: &[String]) -> bool {
        let owner = names.iter().rev().nth(1).map_or("", String::as_str);
        self.own.dialect.words.operand_owners.contains(&owner)
    }

    fn is_container(&self, names: &[String]) -> bool {
        let words = self.own.dialect.words;
        matches!(names, [.., owner, name] if words.is_container(owner, name))
    }

    /// An associated function of a tensor type.
    fn associated(
        &mut self,
        owner: &Type,
        name: &str,
        arguments: &[(Value, Span)],
        span: Span,
    ) -> Value {
        let Type::Tensor(kind) = owner else {
            return Value::Unknown;
        };
        let kind = *kind;
        let constructor = self.own.dialect.associated_function(kind.tier, name);
        match constructor.map(|function| function.constructor) {
            Some(Constructor::FromAddress) => {
                let address = self.address(arguments.first(), span);
                Value::Thing(Thing::Tensor(self.own.draft.add_tensor(
                    kind,
                    address,
                    OriginDraft::FromAddress,
                    span,
                )))
            }
            Some(Constructor::New) => {
                let address = unknown_address(span);
                Value::Thing(Thing::Tensor(self.own.draft.add_tensor(
                    kind,
                    address,
                    fresh(name),
                    span,
                )))
            }
            Some(Constructor::Contents) => {
                let address = Address {
                    value: AddressValue::Unknown,
                    span,
                };
                Value::Thing(Thing::Tensor(self.own.draft.add_tensor(
                    kind,
                    address,
                    OriginDraft::Parameter,
                    span,
                )))
            }
            None => {
                if let Some(made) = self.foreign_function(kind, name, arguments, span) {
                    return made;
                }
                if let Some(method) = self.method_of_path(name, arguments) {
                    return self.inline(method, Turbofish::default(), arguments, span);
                }
                if arguments.iter().any(|(value, _)| value.is_device_side()) {
                    let reason = UnresolvedReason::UnknownMethod {
                        name: name.to_owned(),
                        dialect: self.own.dialect.id(),
                    };
                    self.unresolved(reason, span);
                }
                Value::Unknown
            }
        }
    }

    /// `device.launch(kernel, arguments)`: as [`Self::launch`], which is given the device among the arguments.
    pub(super) fn launch_method(&mut self, call: &Call) -> Value {
        let [kernel, (given, span)] = call.arguments.as_slice() else {
            return Value::Unknown;
        };
        let given = match given {
            Value::Tuple(values) => values.clone(),
            Value::Unit => Vec::new(),
            value => vec![value.clone()],
        };
        let device = std::iter::once(Value::Thing(Thing::Device));
        let given = Value::Tuple(device.chain(given).collect());
        self.launch(&[kernel.clone(), (given, *span)], call.name_span)
    }

    /// `launch(kernel, arguments)`: the kernel's own body holds its operations; the arguments take its types. The operations of
    /// a kernel with generic parameters are those of its launches.
    fn launch(&mut self, arguments: &[(Value, Span)], span: Span) -> Value {
        let [(Value::Function(kernel), _), given @ ..] = arguments else {
            return Value::Unknown;
        };
        let values = match given.first() {
            Some((Value::Tuple(values), _)) => values.clone(),
            Some((value, _)) => vec![value.clone()],
            None => Vec::new(),
        };
        // Its types are all that is asked of it: an edit in a kernel is none of who launches it.
        let site = Site::of_signature(self.db, *kernel);
        let Some(node) = site.parsed.cast::<ast::Fn>() else {
            return Value::Unknown;
        };
        if super::helpers::is_generic(&node) {
            let arguments: Vec<_> = values.into_iter().map(|value| (value, span)).collect();
            return self.inline(*kernel, Turbofish::default(), &arguments, span);
        }
        let parameters = node
            .param_list()
            .into_iter()
            .flat_map(|list| list.params().collect::<Vec<_>>());
        for (parameter, value) in parameters.zip(&values) {
            if let Some(ty) = parameter.ty() {
                let ty = self.read_type(&site, &ty, span);
                self.constrain(value, &ty);
            }
        }
        let tensors = values
            .iter()
            .filter_map(|value| match value {
                Value::Thing(Thing::Tensor(id)) => Some(*id),
                _ => None,
            })
            .collect();
        let at = self.own.draft.tick();
        self.own
            .draft
            .launches
            .push(LaunchDraft { at, tensors, span });
        match node.ret_type().and_then(|result| result.ty()) {
            Some(ty) => {
                let ty = self.read_type(&site, &ty, span);
                self.value_of_type(&ty, span)
            }
            None => Value::Unit,
        }
    }

    /// An address argument.
    pub(super) fn address(&mut self, argument: Option<&(Value, Span)>, method: Span) -> Address {
        let Some((value, span)) = argument else {
            return Address {
                value: AddressValue::Unknown,
                span: method,
            };
        };
        let value = match value {
            Value::Constant(ConstValue::Int(bytes), _) => {
                u64::try_from(*bytes).map_or(AddressValue::Unknown, AddressValue::Bytes)
            }
            Value::Named(named) => match self.own.dialect.words.trf_region(named.name()) {
                Some(region) => AddressValue::Trf(region),
                None => AddressValue::Unknown,
            },
            _ => AddressValue::Unknown,
        };
        Address { value, span: *span }
    }
}

/// Whether a value is a tensor in a register file: constructors of operands take these.
fn is_register(interpreter: &Interpreter<'_>, value: &Value) -> bool {
    match value {
        Value::Thing(Thing::Tensor(id)) => interpreter
            .own
            .draft
            .tensor(*id)
            .is_some_and(|tensor| tensor.kind.tier == Tier::Vrf),
        _ => false,
    }
}

/// The origin of a tensor that a constructor of a name makes.
pub(super) fn fresh(name: &str) -> OriginDraft {
    match name {
        "zero" | "zeros" => OriginDraft::Zeros,
        _ => OriginDraft::New,
    }
}

/// The number that a constructor of a scalar type makes: `bf16::from_f32(0.5)`, `f32::from_bits(0x7fc0_0000)`. The value of a
/// narrower float is kept as it is given; where it is used it is rounded once.
fn constructed(name: &str, arguments: &[(Value, Span)], scalar: ElementType) -> ConstValue {
    let unknown = ConstValue::Unknown("a computed number");
    match (name, arguments) {
        (
            "from_f32" | "from_f32_const" | "from" | "new" | "from_f64",
            [(Value::Constant(value @ ConstValue::Float(_), _), _)],
        ) => value.clone(),
        (
            "from" | "new" | "from_i32" | "from_i8",
            [(Value::Constant(value @ ConstValue::Int(_), _), _)],
        ) => value.clone(),
        ("from_bits", [(Value::Constant(ConstValue::Int(bits), _), _)]) => {
            let bits = u32::try_from(*bits).ok();
            let single = bits.and_then(|bits| match scalar {
                ElementType::F32 => Some(f32::from_bits(bits)),
                ElementType::Bf16 => Some(f32::from_bits(bits.checked_shl(16)?)),
                _ => None,
            });
            single.map_or(unknown, |single| {
                ConstValue::Float(Float::of_single(single))
            })
        }
        (_, [(Value::Constant(ConstValue::Float(float), _), _), rest @ ..]) => {
            let other = match rest.first() {
                Some((Value::Constant(ConstValue::Float(other), _), _)) => Some(*other),
                _ => None,
            };
            let number = rest.first().and_then(|(value, _)| value.as_integer());
            let result = float.method(name, other, number);
            result.map_or(unknown, ConstValue::Float)
        }
        _ => unknown,
    }
}

/// Whether a path makes an empty list.
fn is_list(names: &[String]) -> bool {
    matches!(names, [.., owner, name] if owner == "Vec" && matches!(name.as_str(), "new" | "with_capacity"))
}

/// The element type that a path's last but one segment names: `f32::MAX`.
fn number_owner(names: &[String]) -> Option<ElementType> {
    match names {
        [.., owner, _] => ElementType::from_name(owner),
        _ => None,
    }
}

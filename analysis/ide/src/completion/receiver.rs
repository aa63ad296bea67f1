//! What the expression before a dot stands for: the stream with its stages so far, the tensor, the context.

use crate::db::Db;
use crate::hardware::{ElementType, Target};
use crate::inputs::options;
use crate::kernel::dialect::{Method, PlanStep, Receiver as Kind};
use crate::kernel::{
    Body, Context, OperationKind, Pass, PassEnd, Position, Stage, StreamShape, Tensor,
};
use crate::lowering::{Probed, probe};
use crate::mapping::Mapping;

use super::around::functions_around;
use super::context::Around;

/// The library's method of a name behind the dot at a place, with its receiver if that could be followed. Without it the
/// name alone has to tell: `is_certain` says that something else does, a mapping among the generics.
pub(crate) fn called_method(
    db: &dyn Db,
    around: &Around,
    (name, dot): (&str, usize),
    is_certain: bool,
) -> Option<(&'static Method, Option<Receiver>)> {
    let dialect = around.dialect(db);
    let mut named = dialect.methods(name);
    let first = named.next()?;
    let alike = named.all(|other| other.generics.len() == first.generics.len());
    let receiver = Receiver::at(db, around, dot);
    if let Some(receiver) = receiver {
        // A position without the method is the compiler's complaint; the method means the same there.
        let method = receiver.method(name).or_else(|| alike.then_some(first))?;
        return Some((method, Some(receiver)));
    }
    let tells = is_certain || !dialect.words.ordinary.contains(&name);
    (tells && alike).then_some((first, None))
}

/// A receiver.
pub(crate) struct Receiver {
    body: Body,
    value: Probed,
    /// The chip.
    pub(crate) target: Target,
}

impl Receiver {
    /// The receiver before the dot at a place; none where it is nothing of the library or could not be followed.
    pub(crate) fn at(db: &dyn Db, around: &Around, dot: usize) -> Option<Self> {
        let (item, end) = around.item_end(db, dot.checked_add(1)?)?;
        // A function in another is followed for itself, as others are; what its own text does not tell, a call may.
        let (body, value) =
            functions_around(db, item, end).find_map(|function| probe(db, function, end))?;
        Some(Self {
            body,
            value,
            target: options(db, around.file()).target,
        })
    }

    /// The function's body.
    pub(crate) fn body(&self) -> &Body {
        &self.body
    }

    /// The pass with the stages before the dot, if the receiver is a stream.
    pub(crate) fn pass(&self) -> Option<Pass> {
        let Probed::Stream { pass, stages } = self.value else {
            return None;
        };
        let OperationKind::Pass(whole) = &self.body.operation(pass)?.kind else {
            return None;
        };
        let stages: Vec<Stage> = whole.stages.get(..stages)?.to_vec();
        Some(Pass {
            dialect: whole.dialect,
            machine: whole.machine,
            context: whole.context,
            source: whole.source.clone(),
            begin: whole.begin.clone(),
            stages,
            end: PassEnd::Open,
        })
    }

    /// The stage that the method behind the dot makes, as far as it is written.
    pub(crate) fn next_stage(&self) -> Option<&Stage> {
        let Probed::Stream { pass, stages } = self.value else {
            return None;
        };
        match &self.body.operation(pass)?.kind {
            OperationKind::Pass(pass) => pass.stages.get(stages),
            _ => None,
        }
    }

    /// The shape of the stream, if the receiver is one.
    pub(crate) fn shape(&self) -> Option<&StreamShape> {
        let Probed::Stream { pass, stages } = self.value else {
            return None;
        };
        match &self.body.operation(pass)?.kind {
            OperationKind::Pass(pass) => Some(pass.input_of(stages)),
            _ => None,
        }
    }

    /// The tensor, if the receiver is one.
    pub(crate) fn tensor(&self) -> Option<&Tensor> {
        match self.value {
            Probed::Tensor { id, .. } => self.body.tensor(id),
            _ => None,
        }
    }

    /// The context, if the receiver is one.
    pub(crate) fn context(&self) -> Option<Option<Context>> {
        match self.value {
            Probed::Context(context) => Some(context),
            _ => None,
        }
    }

    /// Whether the receiver is the whole context.
    pub(crate) fn is_device(&self) -> bool {
        self.value == Probed::Device
    }

    /// The last step of the plan, if the receiver is one.
    pub(crate) fn plan(&self) -> Option<PlanStep> {
        match self.value {
            Probed::Plan { last, .. } => Some(last),
            _ => None,
        }
    }

    /// The element type of the stream or tensor.
    pub(crate) fn element_type(&self) -> Option<ElementType> {
        match self.shape() {
            Some(shape) => shape.element_type.value,
            None => self.tensor()?.element_type.value,
        }
    }

    /// What the stream or tensor holds: all of its levels.
    pub(crate) fn full_mapping(&self) -> Option<Mapping> {
        match self.shape() {
            Some(shape) => shape.full_mapping(),
            None => self.tensor()?.levels.full_mapping(),
        }
    }

    /// What one iteration-less slice holds: time and packet of a stream, the element of a tensor.
    pub(crate) fn inner(&self) -> Option<Mapping> {
        match self.shape() {
            Some(shape) => shape.stream(),
            None => self.tensor()?.levels.element.value.clone(),
        }
    }

    /// Whether a method is one of the receiver's, by the library's types alone.
    pub(crate) fn has_method(&self, method: &Method) -> bool {
        match (self.value, method.receiver) {
            (Probed::Tensor { id, access }, Kind::Tensor(tier, accesses)) => {
                self.body
                    .tensor(id)
                    .is_some_and(|tensor| tensor.tier == tier)
                    && accesses.contains(&access)
            }
            (Probed::Context(context), Kind::TensorUnit) => {
                !matches!(context, Some(Context::TensorDma | Context::PcieDma))
            }
            (Probed::Context(context), Kind::DmaEngine) => {
                matches!(context, Some(Context::TensorDma | Context::PcieDma))
            }
            (Probed::Stream { .. }, kind) => {
                let Some(position) = self.shape().map(|shape| shape.position) else {
                    return false;
                };
                let inside = match position {
                    Position::VectorInit | Position::Vector(_) => Kind::Single,
                    Position::VectorPair(_) => Kind::Pair,
                    _ => Kind::Stream,
                };
                kind == inside
            }
            (Probed::Plan { kind, .. }, Kind::Plan(own)) => kind == own,
            (Probed::RunTimeValue, Kind::RunTimeValue) => true,
            _ => false,
        }
    }

    /// The receiver's method of a name; if its position has none, any of the same kind of value.
    pub(crate) fn method(&self, name: &str) -> Option<&'static Method> {
        let library = self.body.library();
        library.methods(name).find(|method| self.has_method(method))
    }
}

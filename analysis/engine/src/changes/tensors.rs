//! The tensors that a kernel takes and gives: what a change that keeps its results must leave as it is.

use crate::hardware::ElementType;
use crate::kernel::{Body, Level, OperationKind, Origin, Tensor, TensorId, Tier};
use crate::mapping::{Form, Mapping};

/// A tensor from outside of a kernel, or for it: its memory, its elements and its mappings, as far as they are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TensorType {
    tier: Tier,
    element_type: Option<ElementType>,
    levels: Vec<(Level, Option<Form>)>,
}

impl TensorType {
    pub(crate) fn new(tensor: &Tensor) -> Self {
        let levels = tensor.levels.iter();
        let form = |mapping: Option<&Mapping>| mapping.map(|mapping| mapping.form().clone());
        Self {
            tier: tensor.tier,
            element_type: tensor.element_type.get().copied(),
            levels: levels
                .map(|(level, mapping)| (level, form(mapping.get())))
                .collect(),
        }
    }

    /// Whether all of it is known.
    pub(crate) fn is_known(&self) -> bool {
        self.element_type.is_some() && self.levels.iter().all(|(_, form)| form.is_some())
    }

    /// Whether something that is known of it is otherwise in another. What was unknown may become known.
    pub(crate) fn differs_from(&self, other: &Self) -> bool {
        let element_type = |one: &Self| one.element_type;
        let differs = |one: &Option<Form>, other: &Option<Form>| one.is_some() && one != other;
        self.tier != other.tier
            || (self.element_type.is_some() && element_type(self) != element_type(other))
            || self.levels.len() != other.levels.len()
            || self
                .levels
                .iter()
                .zip(&other.levels)
                .any(|((level, form), (other_level, other))| {
                    level != other_level || differs(form, other)
                })
    }
}

/// Whether a kernel stores into a tensor of HBM and loads it again, and nothing else uses it.
pub(crate) fn is_kept_for_itself(body: &Body, tensor: TensorId) -> bool {
    let root = body.root(tensor);
    let own = body.tensor(root).is_some_and(|tensor| {
        tensor.tier == Tier::Hbm && matches!(tensor.origin, Origin::New | Origin::Operation(_))
    });
    let escapes = body.escaping.iter().any(|id| body.root(*id) == root);
    let launched = body.launches.iter().flat_map(|launch| &launch.tensors);
    let launched = launched.into_iter().any(|id| body.root(*id) == root);
    let mut copies = body.operations.iter().filter_map(|one| match &one.kind {
        OperationKind::Copy(copy) => Some(copy),
        _ => None,
    });
    let loaded = copies.any(|copy| body.root(copy.source) == root);
    own && loaded && !escapes && !launched
}

/// What a kernel is given, stores and returns, without what it keeps in HBM for itself. `None` where a mapping of it is unknown.
pub(crate) fn outside_tensors(body: &Body) -> Option<Vec<TensorType>> {
    let parameters = body
        .tensors
        .iter()
        .filter(|tensor| tensor.tier == Tier::Hbm && matches!(tensor.origin, Origin::Parameter));
    let mut stored = Vec::new();
    for operation in &body.operations {
        match &operation.kind {
            OperationKind::Copy(copy) => stored.push(copy.target),
            OperationKind::Collective(collective) => {
                stored.extend(collective.targets.iter().copied());
            }
            OperationKind::Pass(_) => {}
        }
    }
    let outside = |tensor: &&Tensor| matches!(tensor.tier, Tier::Hbm | Tier::Host);
    let written = stored.iter().chain(&body.escaping);
    let written = written.filter(|id| !is_kept_for_itself(body, **id));
    let written = written.filter_map(|id| body.tensor(*id)).filter(outside);
    let described = |tensor: &Tensor| Some(TensorType::new(tensor)).filter(TensorType::is_known);
    parameters.chain(written).map(described).collect()
}

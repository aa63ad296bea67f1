//! What a mapping is written for: the level of a tensor, or the slices, time or packet behind a stage.

use crate::check::body;
use crate::db::Db;
use crate::hardware::ElementType;
use crate::items::{ItemId, Span};
use crate::kernel::{
    Body, Level, Operation, OperationKind, Pass, StreamShape, Tensor, Tier, Written,
};
use crate::mapping::Mapping;

use super::super::operations::bodies_with;
use super::page::{bytes_of, code, counted};

/// Kernels that are asked at most.
const BODIES: usize = 4;

/// A mapping in its place.
#[derive(Debug, Clone)]
pub(super) struct Use {
    /// The kernel, or the function by itself.
    pub(super) kernel: String,
    /// The level that it is.
    pub(super) level: Level,
    /// Whose: `` `left` in DM ``, `` behind `collect` ``.
    pub(super) owner: String,
    /// The element type there.
    pub(super) element_type: Option<ElementType>,
    /// What it stands for there: known also where the text names generic parameters.
    pub(super) mapping: Option<Mapping>,
}

impl Use {
    /// The elements that some positions of it hold, in the unit of the level: `32 bytes of bf16`; `None` where the level
    /// counts no elements.
    pub(super) fn bytes(&self, positions: u64) -> Option<String> {
        let counts = matches!(self.level, Level::Element | Level::Packet);
        let element_type = self.element_type.filter(|_| counts)?;
        let bytes = bytes_of(positions, element_type)?;
        Some(format!("{bytes} of {element_type}"))
    }

    /// The use in words: ``packet behind `collect` ``.
    pub(super) fn use_in_words(&self) -> String {
        let level = match self.level {
            Level::Chip => "chips",
            Level::Cluster => "clusters",
            Level::Slice => "slices",
            Level::Pe => "processing elements",
            Level::Row => "rows",
            Level::Element => "element",
            Level::Time => "time",
            Level::Packet => "packet",
        };
        format!("{level} {}", self.owner)
    }

    /// The size in the level's own unit: `256 slices`.
    pub(super) fn size(&self, size: u64) -> String {
        counted(
            size,
            match self.level {
                Level::Chip => "chip",
                Level::Cluster => "cluster",
                Level::Slice => "slice",
                Level::Pe => "processing element",
                Level::Row => "row",
                Level::Element => "position",
                Level::Time => "iteration",
                Level::Packet => "element",
            },
        )
    }
}

/// What a mapping at a place is written for, a use a kernel; of an alias, the place where it is used.
pub(super) fn mapping_uses(db: &dyn Db, item: ItemId, span: Span) -> Vec<Use> {
    let bodies = bodies_with(db, item, span.start);
    let found = bodies
        .into_iter()
        .take(BODIES)
        .filter_map(|function| first_in(&body(db, function), span));
    found.collect()
}

fn first_in(body: &Body, span: Span) -> Option<Use> {
    let tensors = body
        .tensors
        .iter()
        .find_map(|tensor| of_tensor(body, tensor, span));
    tensors.or_else(|| {
        body.operations
            .iter()
            .find_map(|operation| of_operation(body, operation, span))
    })
}

fn is_at(written: &Written<Mapping>, span: Span) -> bool {
    written.span == span || written.used_at == Some(span)
}

fn of_tensor(body: &Body, tensor: &Tensor, span: Span) -> Option<Use> {
    let (level, written) = tensor
        .levels
        .iter()
        .find(|(_, written)| is_at(written, span))?;
    let memory = memory_name(tensor.tier);
    let owner = match &tensor.name {
        Some(name) => format!("of {} in {memory}", code(name)),
        None => format!("of a tensor in {memory}"),
    };
    Some(Use {
        kernel: body.name.clone(),
        level,
        owner,
        element_type: tensor.element_type.value,
        mapping: written.value.clone(),
    })
}

fn of_operation(body: &Body, operation: &Operation, span: Span) -> Option<Use> {
    let OperationKind::Pass(pass) = &operation.kind else {
        return None;
    };
    let found = |method: &str, shape: &StreamShape| {
        let levels = [
            (Level::Time, Some(&shape.time)),
            (Level::Packet, Some(&shape.packet)),
            (Level::Slice, Some(&shape.slice)),
            (Level::Row, shape.row.as_ref()),
            (Level::Cluster, Some(&shape.cluster)),
            (Level::Chip, Some(&shape.chip)),
        ];
        let (level, written) = levels
            .into_iter()
            .filter_map(|(level, written)| Some((level, written?)))
            .find(|(_, written)| is_at(written, span))?;
        Some(Use {
            kernel: body.name.clone(),
            level,
            owner: format!("behind {}", code(method)),
            element_type: shape.element_type.value,
            mapping: written.value.clone(),
        })
    };
    found("begin", &pass.begin).or_else(|| in_stages(pass, found))
}

fn in_stages(pass: &Pass, found: impl Fn(&str, &StreamShape) -> Option<Use>) -> Option<Use> {
    pass.stages
        .iter()
        .find_map(|stage| found(&stage.method, &stage.output))
}

/// The name of a memory in a sentence.
pub(super) const fn memory_name(tier: Tier) -> &'static str {
    match tier {
        Tier::Host => "the host's memory",
        Tier::Hbm => "HBM",
        Tier::Dm => "DM",
        Tier::Trf => "the TRF",
        Tier::Vrf => "the VRF",
        Tier::Spm => "the scratchpad",
    }
}

/// What has so many bytes of a memory: `` a slice`` behind a number of bytes.
pub(super) const fn holder(tier: Tier) -> &'static str {
    match tier {
        Tier::Host => "",
        Tier::Hbm => " a chip",
        Tier::Dm | Tier::Trf | Tier::Vrf => " a slice",
        Tier::Spm => " a processing element",
    }
}

//! Claims of copies: positions that are read or declared as data and that nothing writes.
//!
//! A transfer to the HBM whose target has a spatial axis that the source lacks declares a copy for each of its positions,
//! which a load into DM makes and a store does not; an operand of the Vector Engine is read in every slice of the stream, whether it was loaded there or not; a reshape, or another
//! tensor at the same address, gives a name to positions that were empty. All but the first are fine where a broadcast wrote
//! the copies.

use crate::forms;
use crate::items::Span;
use crate::kernel::{
    Body, Copy, Level, Levels, OperandSource, OperationId, OperationKind, Origin, Pass, StageKind,
    StreamShape, Tensor, TensorId, Tier, Written,
};
use crate::mapping::{Atom, Cell, Form, Mapping};

use super::super::tensors::bytes_of;
use super::Content;
use super::holes::{Known, SPATIAL};

/// Tensors named by an address that are compared with all that is written before them; kernels repeat themselves long
/// before.
const COMPARED_TENSORS: usize = 64;

/// Copies that nothing writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// How they are claimed.
    pub kind: ClaimKind,
    /// The level whose positions are claimed.
    pub level: Level,
    /// The axis that counts the copies; `None` for a bare number.
    pub axis: Option<String>,
    /// Copies.
    pub copies: u64,
    /// Positions of the level from one copy to the next.
    pub stride: u64,
    /// Where the claim is written.
    pub span: Span,
    /// The method that makes or reads the tensor.
    pub method: Span,
}

/// How copies are claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimKind {
    /// A transfer to the HBM into an axis that its source lacks.
    Transfer,
    /// An operand that is read where the operation that loaded it left the positions empty.
    Operand {
        /// The operand.
        tensor: TensorId,
        /// The operation that left them empty.
        left_by: OperationId,
    },
    /// A tensor named by its address, that reads what another one left empty.
    ReadBack {
        /// The tensor that was written there.
        written: TensorId,
        /// The operation that left the positions empty.
        left_by: OperationId,
    },
    /// A reshape that names positions which the operation that wrote the rest left empty.
    Reshape {
        /// The operation.
        left_by: OperationId,
    },
}

/// Finds the claims of a body, and the places of reshapes that are explained by them or by copies that are there.
pub(super) fn derive_claims(body: &Body, known: &Known<'_>) -> (Vec<Claim>, Vec<Span>) {
    let mut claims = Vec::new();
    for operation in &body.operations {
        match &operation.kind {
            OperationKind::Copy(copy) => claims.extend(transferred(body, copy)),
            OperationKind::Pass(pass) => claim_operands(body, known, pass, &mut claims),
            OperationKind::Collective(_) => {}
        }
    }
    let mut explained = Vec::new();
    for tensor in &body.tensors {
        if let Origin::Reshape { of } = tensor.origin {
            claim_reshaped(body, known, of, tensor, &mut claims, &mut explained);
        }
    }
    let named = body
        .tensors
        .iter()
        .filter(|tensor| tensor.origin == Origin::FromAddress);
    claims.extend(
        named
            .take(COMPARED_TENSORS)
            .filter_map(|tensor| read_back(body, known, tensor)),
    );
    (claims, explained)
}

/// A digit of a level that holds something in each of its steps.
struct Digit {
    axis: Option<String>,
    count: u64,
    stride: u64,
}

fn live_digits(form: &Form) -> Vec<Digit> {
    form.terms_with_stride()
        .into_iter()
        .filter(|placed| placed.live > 1)
        .filter_map(|placed| {
            let axis = match &placed.term.atom {
                Atom::Axis(axis) | Atom::PaddedRun(axis) => Some(axis.name().to_owned()),
                Atom::Broadcast => None,
                Atom::Composite(_) => return None,
            };
            Some(Digit {
                axis,
                count: placed.live,
                stride: placed.buffer_stride,
            })
        })
        .collect()
}

fn level_of(levels: &Levels, level: Level) -> Option<&Written<Mapping>> {
    levels
        .iter()
        .find(|(found, _)| *found == level)
        .map(|(_, mapping)| mapping)
}

/// Where a tensor's mapping is written: where an alias is used, since the alias may be right elsewhere.
fn mapping_place(mapping: &Written<Mapping>) -> Span {
    mapping.used_at.unwrap_or(mapping.span)
}

/// A store, and a transfer inside the HBM, moves what its source holds once; an axis of its own in the target would have to
/// be written several times. A load really moves a copy for each position that its target names; of a transfer inside DM
/// nothing is known.
fn transferred(body: &Body, copy: &Copy) -> Option<Claim> {
    let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
    if !matches!(
        (source.tier, target.tier),
        (Tier::Dm | Tier::Hbm, Tier::Hbm)
    ) {
        return None;
    }
    let held = source.levels.full_mapping()?;
    if held.is_opaque() {
        return None;
    }
    SPATIAL.into_iter().find_map(|level| {
        let mapping = level_of(&target.levels, level)?;
        let fresh =
            live_digits(forms::known_form(mapping)?)
                .into_iter()
                .find(|digit| match &digit.axis {
                    Some(axis) => !held.form().contains_axis(axis),
                    None => true,
                })?;
        Some(Claim {
            kind: ClaimKind::Transfer,
            level,
            axis: fresh.axis,
            copies: fresh.count,
            stride: fresh.stride,
            span: mapping_place(mapping),
            method: copy.span,
        })
    })
}

/// A position that is data on one side and empty on the other, with the digit it belongs to.
fn claimed(data: &Form, empty: &Form) -> Option<(Digit, u64)> {
    let (data_at, empty_at) = (data.function(), empty.function());
    live_digits(data).into_iter().find_map(|digit| {
        let position = [1, digit.count - 1]
            .into_iter()
            .filter_map(|step| digit.stride.checked_mul(step))
            .find(|position| {
                matches!(data_at.cell_at(*position), Cell::Index(_))
                    && matches!(empty_at.cell_at(*position), Cell::Padding(_))
            })?;
        Some((digit, position))
    })
}

fn stream_level(shape: &StreamShape, level: Level) -> Option<&Written<Mapping>> {
    match level {
        Level::Chip => Some(&shape.chip),
        Level::Cluster => Some(&shape.cluster),
        Level::Slice => Some(&shape.slice),
        Level::Pe | Level::Row | Level::Element | Level::Time | Level::Packet => None,
    }
}

/// Operands in the VRF that are read in more slices than they were loaded in.
fn claim_operands(body: &Body, known: &Known<'_>, pass: &Pass, claims: &mut Vec<Claim>) {
    for (index, stage) in pass.stages.iter().enumerate() {
        let StageKind::VectorAlu(operation) = &stage.kind else {
            continue;
        };
        for operand in operation.operands.iter().flatten() {
            let OperandSource::Vrf(id) = operand.source else {
                continue;
            };
            let Some(tensor) = body.tensor(id) else {
                continue;
            };
            let found = SPATIAL.into_iter().find_map(|level| {
                let stream = forms::known_form(stream_level(pass.input_of(index), level)?)?;
                let held = forms::known_form(level_of(&tensor.levels, level)?)?;
                let (digit, left_by) = unwritten(known, id, level, stream, held)?;
                Some((level, digit, left_by))
            });
            if let Some((level, digit, left_by)) = found {
                claims.push(Claim {
                    kind: ClaimKind::Operand {
                        tensor: id,
                        left_by,
                    },
                    level,
                    axis: digit.axis,
                    copies: digit.count,
                    stride: digit.stride,
                    span: operand.span,
                    method: stage.span,
                });
            }
        }
    }
}

/// The digit of `data` whose positions a tensor left empty, and the operation that did.
fn unwritten(
    known: &Known<'_>,
    id: TensorId,
    level: Level,
    data: &Form,
    held: &Form,
) -> Option<(Digit, OperationId)> {
    if data.size() != held.size() {
        return None;
    }
    let (digit, position) = claimed(data, held)?;
    let holes = known.holes_of(id);
    let hole = holes
        .iter()
        .find(|hole| hole.level == level && hole.covers_position(position))?;
    match hole.content {
        Content::Unwritten(left_by) => Some((digit, left_by)),
        Content::Copies(_) | Content::Unknown => None,
    }
}

/// A tensor named by its address whose bytes another tensor of this body filled, with empty positions where this one has
/// data. What is written to a place that is not known, or to a part of the bytes, ends the search.
fn read_back(body: &Body, known: &Known<'_>, tensor: &Tensor) -> Option<Claim> {
    let range = |tensor: &Tensor| {
        let start = tensor.address.bytes()?;
        Some((start, start.checked_add(bytes_of(tensor)?)?))
    };
    let own = (tensor.tier == Tier::Dm).then(|| range(tensor))??;
    let mut filled = None;
    for operation in &body.operations {
        let (read, written) = (operation.tensors_read(), operation.tensors_written());
        if read.iter().any(|id| body.root(*id) == tensor.id) {
            break;
        }
        if matches!(operation.kind, OperationKind::Collective(_)) {
            filled = None;
        }
        let Some(target) = written.first().and_then(|id| body.tensor(*id)) else {
            continue;
        };
        if target.tier != Tier::Dm {
            continue;
        }
        if body.root(target.id) == tensor.id {
            return None;
        }
        match range(target) {
            Some(there) if there == own && matches!(target.origin, Origin::Operation(_)) => {
                filled = Some(target);
            }
            Some(there) if there.1 <= own.0 || own.1 <= there.0 => {}
            _ => filled = None,
        }
    }
    let filled = filled?;
    SPATIAL.into_iter().find_map(|level| {
        let mapping = level_of(&tensor.levels, level)?;
        let held = forms::known_form(level_of(&filled.levels, level)?)?;
        let (digit, left_by) =
            unwritten(known, filled.id, level, forms::known_form(mapping)?, held)?;
        Some(Claim {
            kind: ClaimKind::ReadBack {
                written: filled.id,
                left_by,
            },
            level,
            axis: digit.axis,
            copies: digit.count,
            stride: digit.stride,
            span: mapping_place(mapping),
            method: tensor.span,
        })
    })
}

/// Positions of a level that are empty before a reshape and have a fresh axis after it.
fn claim_reshaped(
    body: &Body,
    known: &Known<'_>,
    before: TensorId,
    after: &Tensor,
    claims: &mut Vec<Claim>,
    explained: &mut Vec<Span>,
) {
    let Some(held) = body
        .tensor(before)
        .and_then(|tensor| tensor.levels.full_mapping())
    else {
        return;
    };
    for level in SPATIAL {
        let judged = (|| {
            let from = forms::known_form(level_of(&body.tensor(before)?.levels, level)?)?;
            let mapping = level_of(&after.levels, level)?;
            let to = forms::known_form(mapping)?;
            if from.size() != to.size() {
                return None;
            }
            let (digit, position) = claimed(to, from)?;
            let fresh = digit
                .axis
                .as_ref()
                .is_none_or(|axis| !held.form().contains_axis(axis));
            let holes = known.holes_of(before);
            let hole = holes
                .iter()
                .find(|hole| hole.level == level && hole.covers_position(position))?;
            fresh.then_some((mapping, digit, hole.content))
        })();
        let Some((mapping, digit, content)) = judged else {
            continue;
        };
        match content {
            Content::Copies(_) => explained.push(mapping.span),
            Content::Unwritten(left_by) => {
                explained.push(mapping.span);
                claims.push(Claim {
                    kind: ClaimKind::Reshape { left_by },
                    level,
                    axis: digit.axis,
                    copies: digit.count,
                    stride: digit.stride,
                    span: mapping_place(mapping),
                    method: after.span,
                });
            }
            Content::Unknown => {}
        }
    }
}

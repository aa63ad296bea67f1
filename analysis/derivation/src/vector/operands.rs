//! Operands: constants, tensors in the VRF, and the stash.

use crate::conventions::Conventions;
use crate::forms::{axis_names, differ, divide_relaxed, has_hole, join, known_form};
use crate::hardware::ElementType;
use crate::items::Span;
use crate::kernel::{
    AluOperation, Body, Level, Operand, OperandSource, OperationKind, Origin, Stage, StreamShape,
    Tensor, TensorId, comes_from_outside, tensors_varying_along,
};
use crate::mapping::{Answer, Form, holds_every_element};

use super::register_read::{Access, operand_access};
use super::{Groups, StashFault, Stashed, VectorFault, Walk};

impl<'a> Walk<'a> {
    /// Judges the operands of an operation. Several reads of the stash in one operation are one read.
    pub(super) fn operands(&mut self, index: usize, operation: &'a AluOperation) {
        let mut stash_read = false;
        for operand in operation.operands.iter().flatten() {
            match &operand.source {
                OperandSource::Constant(Some(found)) => {
                    self.operand_type(index, operand, *found, true);
                }
                OperandSource::Vrf(tensor) => self.vrf_operand(index, operand, *tensor),
                OperandSource::Stash if !stash_read => {
                    stash_read = true;
                    self.read_stash(index, operand);
                }
                OperandSource::Constant(None)
                | OperandSource::Stash
                | OperandSource::Skip
                | OperandSource::Unknown => {}
            }
        }
    }

    fn operand_type(
        &mut self,
        index: usize,
        operand: &Operand,
        found: ElementType,
        constant: bool,
    ) {
        if let Some(stream) = self.stream_type(index).filter(|stream| *stream != found) {
            let fault = VectorFault::OperandType {
                operand: found,
                stream,
                constant,
            };
            self.push_fault(index, operand.span, fault);
        }
    }

    fn vrf_operand(&mut self, index: usize, operand: &Operand, id: TensorId) {
        let body = self.body;
        let Some(tensor) = body.tensor(id) else {
            return;
        };
        if let Some(&found) = tensor.element_type.get() {
            self.operand_type(index, operand, found, false);
        }
        if Conventions::of(self.pass.dialect).indexes_registers() {
            if let Some(fault) = indexed_operand_fault(body, self.input(index), (id, tensor)) {
                self.push_fault(index, operand.span, fault);
            }
            return;
        }
        if let (Some(stream), Some(held)) = (
            self.input(index).full_mapping(),
            tensor.levels.full_mapping(),
        ) && !stream.is_opaque()
            && !held.is_opaque()
            && let Some(mut missing) = missing_axes(stream.form(), held.form())
        {
            self.derived.reads_body = true;
            missing.retain(|axis| !counts_copies(body, tensor, axis));
            if missing.is_empty() {
                return;
            }
            let fault = VectorFault::OperandMapping {
                tensor: Some(id),
                missing,
            };
            self.push_fault(index, operand.span, fault);
        }
    }

    fn read_stash(&mut self, index: usize, operand: &Operand) {
        if self.stash_unknown {
            return;
        }
        let read = operand.span;
        if self.state.groups != Groups::Single {
            return self.stash_fault(index, read, StashFault::TwoGroups);
        }
        let Some(stash) = self.stash.as_mut() else {
            return self.stash_fault(index, read, StashFault::Empty);
        };
        if let Some(earlier) = stash.read {
            return self.stash_fault(index, read, StashFault::Consumed { earlier });
        }
        stash.read = Some(read);
        let stash = *stash;
        let stashed = stash.shape.element_type.get().copied();
        if let (Some(stashed), Some(stream)) = (stashed, self.stream_type(index))
            && stashed != stream
        {
            return self.stash_fault(
                index,
                read,
                StashFault::Type {
                    stashed,
                    stream,
                    taken: stash.taken,
                },
            );
        }
        let way = self.state.way.filter(|_| self.lanes_known);
        if Conventions::of(self.pass.dialect).stashes_ways()
            && let (Some(stashed), Some(read_as)) = (stash.way, way)
            && stashed != read_as
        {
            let fault = StashFault::Way {
                stashed,
                read: read_as,
                taken: stash.taken,
            };
            return self.stash_fault(index, read, fault);
        }
        if self.lanes_known
            && let Some(missing) = stash_missing(self.input(index), stash.shape)
        {
            self.push_fault(
                index,
                read,
                VectorFault::OperandMapping {
                    tensor: None,
                    missing,
                },
            );
        }
    }

    fn stash_fault(&mut self, index: usize, span: Span, fault: StashFault) {
        self.push_fault(index, span, VectorFault::Stash(fault));
    }

    /// `vector_stash()`.
    pub(super) fn take_stash(&mut self, index: usize, stage: &'a Stage) {
        if self.state.groups != Groups::Single {
            self.no_groups(index, stage);
            self.stash_unknown = true;
            return;
        }
        if let Some(reached) = self.state.reached.filter(|_| !self.state.may_stash()) {
            self.stash_fault(
                index,
                stage.span,
                StashFault::NotStashable { stage: reached },
            );
        } else if let Some(Stashed {
            taken, read: None, ..
        }) = self.stash
        {
            self.stash_fault(index, stage.span, StashFault::Live { earlier: taken });
        } else if let Some(Stashed { taken, .. }) = self.stash
            && Conventions::of(self.pass.dialect).stashes_once()
        {
            self.stash_fault(index, stage.span, StashFault::Again { earlier: taken });
        }
        self.state.stashed = true;
        self.stash = Some(Stashed {
            taken: stage.span,
            shape: self.input(index),
            way: self.state.way.filter(|_| self.lanes_known),
            read: None,
        });
        self.stash_unknown = false;
    }
}

/// What is wrong with an operand as the indexer reads it: its place first, then holes, one access, and all of them.
fn indexed_operand_fault(
    body: &Body,
    stream: &StreamShape,
    (id, tensor): (TensorId, &Tensor),
) -> Option<VectorFault> {
    let levels = [
        (Level::Chip, &stream.chip, tensor.levels.chip.as_ref()),
        (
            Level::Cluster,
            &stream.cluster,
            tensor.levels.cluster.as_ref(),
        ),
        (Level::Slice, &stream.slice, tensor.levels.slice.as_ref()),
    ];
    for (level, own, held) in levels {
        if let (Some(own), Some(held)) = (known_form(own), held.and_then(known_form))
            && differ(own, held)
        {
            return Some(VectorFault::OperandPlacement {
                tensor: id,
                level,
                stream: own.to_mapping(),
                held: held.to_mapping(),
            });
        }
    }
    let held = known_form(&tensor.levels.element)?;
    if stored_otherwise(body, tensor, held) {
        // How it is read follows from that.
        return None;
    }
    if has_hole(held) {
        return Some(VectorFault::OperandHole { tensor: id });
    }
    let packet = known_form(&stream.packet)?;
    let lanes = packet.size();
    let scattered = match operand_access(packet, held) {
        Some(Access::Scattered) => true,
        // Padded lanes read whatever data is behind the run; where the register has padding there, it is of the packet's kind.
        Some(Access::Run) => {
            packet.remove_padding().size() < lanes
                && held.split_at(lanes).is_some_and(|(_, inner)| {
                    inner.remove_padding().size() < lanes && differ(&inner, packet)
                })
        }
        Some(Access::Broadcast) | None => false,
    };
    if matches!(lanes, 4 | 8) && scattered {
        return Some(VectorFault::OperandAccess {
            tensor: id,
            packet: packet.to_mapping(),
        });
    }
    let stream = join(&[known_form(&stream.time)?, packet])?;
    missing_axes(&stream, held).map(|missing| VectorFault::OperandMapping {
        tensor: Some(id),
        missing,
    })
}

/// Whether an axis of a register counts slices, clusters or chips that hold the same: no tensor from outside has it.
fn counts_copies(body: &Body, tensor: &Tensor, axis: &str) -> bool {
    let in_element = known_form(&tensor.levels.element).is_none_or(|form| form.contains_axis(axis));
    !in_element && !tensors_varying_along(body, axis, comes_from_outside).contains(&tensor.id)
}

/// Whether the pass that stores a register is proven to store something else than the register's element.
fn stored_otherwise(body: &Body, tensor: &Tensor, held: &Form) -> bool {
    let Origin::Operation(id) = tensor.origin else {
        return false;
    };
    let operation = body.operation(id).map(|operation| &operation.kind);
    let Some(OperationKind::Pass(pass)) = operation else {
        return false;
    };
    let stored = pass.output();
    let stored = known_form(&stored.time)
        .zip(known_form(&stored.packet))
        .and_then(|(time, packet)| join(&[time, packet]));
    stored.is_some_and(|stored| differ(&stored, held))
}

/// The axes of an operand that a stream does not hold; `None` if it holds them all, or might.
fn missing_axes(stream: &Form, held: &Form) -> Option<Vec<String>> {
    let division = divide_relaxed(stream, held);
    if division.exact() || holds_every_element(stream, held) != Answer::No {
        return None;
    }
    Some(axis_names(&division.divisor_residue))
}

fn stash_missing(stream: &StreamShape, stashed: &StreamShape) -> Option<Vec<String>> {
    known_form(&stream.time)?;
    let (stream, stashed) = (stream.full_mapping()?, stashed.full_mapping()?);
    if stream.is_opaque() || stashed.is_opaque() {
        return None;
    }
    missing_axes(stream.form(), stashed.form())
}

//! Operations of the ALUs and conversions: whether the stage has them for the stream's type, and whether the ALU is free.

use crate::hardware::{Alu, ElementType, VectorOperation, same_function};
use crate::items::Span;
use crate::kernel::{AluOperation, Position, Stage, VectorStage};

use super::{Groups, VectorFault, Walk, stages};

impl<'a> Walk<'a> {
    pub(super) fn alu(&mut self, index: usize, stage: &'a Stage, operation: &'a AluOperation) {
        let in_order = self.enter_stage(index, stage, operation.stage);
        let found = operation.known_operation(self.pass.library());
        let alu = found
            .and_then(|found| found.alu)
            .filter(|_| !operation.is_skipped());
        let named = (operation.enumeration.as_str(), operation.variant.as_str());
        let typed = !in_order
            || self.operation_type(index, operation.stage, named, operation.operation_span);
        if in_order
            && typed
            && let (Some(alu), Some(found)) = (alu, found)
        {
            self.use_alu(index, operation, alu, found);
        } else if let Some(alu) = alu {
            self.state.take_alu(alu, operation.operation_span);
        }
        if typed {
            self.operands(index, operation);
        }
        if operation.zip {
            self.state.groups = Groups::Zipped;
        }
        self.state.fresh_zip = operation.zip;
        self.arrive(index, stage, operation.stage, alu);
    }

    fn use_alu(
        &mut self,
        index: usize,
        operation: &AluOperation,
        alu: Alu,
        found: &'static VectorOperation,
    ) {
        let span = operation.operation_span;
        let Some(earlier) = self.state.taken_by(alu) else {
            self.state.take_alu(alu, span);
            return;
        };
        let is_free = |alu: &Alu| self.state.taken_by(*alu).is_none();
        let alternatives = same_function(found)
            .filter(|other| other.alu.as_ref().is_some_and(is_free))
            .collect();
        let mut free: Vec<Alu> = stages::operations_on(operation.stage, found.element_type)
            .filter_map(|other| other.alu)
            .filter(is_free)
            .collect();
        free.sort_unstable();
        free.dedup();
        let pair = self.state.groups != Groups::Single;
        self.push_fault(
            index,
            span,
            VectorFault::AluReuse {
                alu,
                earlier,
                alternatives,
                free,
                pair,
            },
        );
    }

    /// Whether an operation is one of the stage's for the stream's type; notes it if it is not.
    pub(super) fn operation_type(
        &mut self,
        index: usize,
        entered: VectorStage,
        (enumeration, variant): (&str, &str),
        span: Span,
    ) -> bool {
        let Some(stream) = self.stream_type(index) else {
            return true;
        };
        let names = self.pass.library().operations();
        let Some(known) = names.enumeration(enumeration) else {
            return true;
        };
        let groups = stages::operation_groups(entered);
        let exists = names.has_variant(enumeration, variant);
        // A name that no enum of the stage has is the compiler's to say.
        let mut of_stage = names
            .enums
            .iter()
            .filter(|other| groups.contains(&other.group));
        let elsewhere = of_stage.any(|other| names.has_variant(other.name, variant));
        let in_stage = groups.contains(&known.group);
        if known.element_type == stream && in_stage && (exists || !elsewhere) {
            return true;
        }
        let alternatives = stages::operations_on(entered, stream)
            .map(|other| names.write(other))
            .collect();
        let operation = format!("{enumeration}::{variant}");
        self.push_fault(
            index,
            span,
            VectorFault::OperationType {
                entered,
                operation,
                stream,
                alternatives,
            },
        );
        false
    }

    pub(super) fn convert(&mut self, index: usize, stage: &'a Stage) {
        let (Position::Vector(entered) | Position::VectorPair(entered)) = stage.output.position
        else {
            return;
        };
        let takes = if entered == VectorStage::FxpToFp {
            ElementType::I32
        } else {
            ElementType::F32
        };
        if self.enter_stage(index, stage, entered)
            && let Some(stream) = self.stream_type(index).filter(|stream| *stream != takes)
        {
            let fault = VectorFault::OperationType {
                entered,
                operation: stage.method.clone(),
                stream,
                alternatives: Vec::new(),
            };
            self.push_fault(index, stage.span, fault);
        }
        self.arrive(index, stage, entered, None);
    }
}

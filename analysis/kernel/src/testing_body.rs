//! A builder of bodies for unit tests: tensors and operations in program order, each at a place of its own.

#![allow(
    dead_code,
    reason = "several crates compile this file, and none of them needs all"
)]

use std::sync::Arc;

use visa_hardware::ElementType;
use visa_kernel::{
    Address, AddressValue, Body, BranchArm, Context, Copy, Level, Levels, Operand, OperandSource,
    Operation, OperationId, OperationKind, Origin, Pass, PassEnd, PassSource, Position, Stage,
    StageKind, Tensor, TensorId, Tier, TileWindow, Written,
};
use visa_mapping::Mapping;

use super::testing::{mapping, span, stream};

/// A body in the making. Every tensor is on one chip and one of two clusters.
pub(crate) struct BodyBuilder<'a> {
    /// What was made so far.
    pub(crate) body: Body,
    axes: &'a [(&'a str, u64)],
    places: u32,
}

impl<'a> BodyBuilder<'a> {
    /// An empty kernel for one chip over these axes.
    pub(crate) fn new(axes: &'a [(&'a str, u64)]) -> Self {
        let body = Body {
            machine: visa_hardware::Machine::RNGD,
            dialect: visa_items::Dialect::default(),
            name: "test".to_owned(),
            span: span(0),
            device: Some(visa_kernel::DeviceAttribute {
                chips: Some(1),
                pes: None,
                span: span(1),
            }),
            chips: Some(1),
            reached_from_kernel: true,
            tensors: Vec::new(),
            operations: Vec::new(),
            unresolved: Vec::new(),
            incomplete: Vec::new(),
            parameters: Vec::new(),
            results: Vec::new(),
            escaping: Vec::new(),
            launches: Vec::new(),
            shortened_loops: Vec::new(),
            unbounded_loops: Vec::new(),
            undecided_exits: Vec::new(),
            foreign: Vec::new(),
            register_clones: Vec::new(),
        };
        Self {
            body,
            axes,
            places: 10,
        }
    }

    fn written<T>(&mut self, value: T) -> Written<T> {
        self.places += 10;
        Written::new(value, span(self.places))
    }

    /// How many operations there are.
    pub(crate) fn operations(&self) -> u32 {
        self.next_operation().0
    }

    fn next_operation(&self) -> OperationId {
        OperationId(u32::try_from(self.body.operations.len()).expect("few operations"))
    }

    /// A tensor of `i32`; `levels` are slice and element, for the HBM the element alone, for the TRF slice, row, element.
    pub(crate) fn tensor(
        &mut self,
        tier: Tier,
        levels: &[&str],
        address: AddressValue,
        origin: Origin,
    ) -> TensorId {
        let id = TensorId(u32::try_from(self.body.tensors.len()).expect("few tensors"));
        let mappings: Vec<Mapping> = levels.iter().map(|text| mapping(text, self.axes)).collect();
        let mut written: Vec<Written<Mapping>> = mappings
            .into_iter()
            .map(|value| self.written(value))
            .collect();
        let element = written.pop().expect("an element");
        let row = (tier == Tier::Trf).then(|| written.pop().expect("a row"));
        let slice = written.pop();
        let levels = Levels {
            chip: Some(self.written(Mapping::identity())),
            cluster: slice.is_some().then(|| self.written(mapping("1 # 2", &[]))),
            slice,
            pe: None,
            row,
            element,
        };
        let address_span = self.written(()).span;
        let tensor = Tensor {
            id,
            name: Some(format!("t{}", id.0)),
            tier,
            element_type: self.written(ElementType::I32),
            exclusive: false,
            levels,
            address: Address {
                value: address,
                span: address_span,
            },
            origin,
            span: self.written(()).span,
            created_before: self.next_operation(),
            is_zeroed: false,
            moved_before: None,
        };
        self.body.tensors.push(tensor);
        id
    }

    /// A parameter in HBM.
    pub(crate) fn input(&mut self, element: &str) -> TensorId {
        self.tensor(
            Tier::Hbm,
            &[element],
            AddressValue::Unknown,
            Origin::Parameter,
        )
    }

    /// `from_addr` in DM.
    pub(crate) fn address(&mut self, element: &str, address: u64) -> TensorId {
        self.tensor(
            Tier::Dm,
            &["1 # 256", element],
            AddressValue::Bytes(address),
            Origin::FromAddress,
        )
    }

    /// A view, tiled to `length` values of `index` from `start` with `output` as its element.
    pub(crate) fn tile(
        &mut self,
        of: TensorId,
        index: &str,
        length: u64,
        start: u64,
        output: &str,
    ) -> TensorId {
        let window = TileWindow {
            level: Level::Element,
            index: Written::new(mapping(index, self.axes), span(2)),
            length: self.written(length),
            start: self.written(start),
            start_range: None,
            output: Written::new(mapping(output, self.axes), span(3)),
            span: span(4),
        };
        let mut view = self.body.tensors[of.0 as usize].clone();
        view.id = TensorId(u32::try_from(self.body.tensors.len()).expect("few tensors"));
        view.levels.element = window.output.clone();
        view.origin = Origin::View {
            of,
            tile: Some(Box::new(window)),
        };
        self.body.tensors.push(view.clone());
        view.id
    }

    fn operation(&mut self, kind: OperationKind, branches: Vec<BranchArm>) -> OperationId {
        let id = self.next_operation();
        let span = self.written(()).span;
        let context = Context::Main;
        let operation = Operation {
            id,
            kind,
            context,
            span,
            loops: Vec::new(),
            branches,
            calls: Vec::new(),
        };
        self.body.operations.push(operation);
        id
    }

    /// A DMA transfer to a tensor or view that exists.
    pub(crate) fn copy(&mut self, source: TensorId, target: TensorId) -> OperationId {
        self.copy_in(source, target, Vec::new())
    }

    /// The same in arms of branchings.
    pub(crate) fn copy_in(
        &mut self,
        source: TensorId,
        target: TensorId,
        branches: Vec<BranchArm>,
    ) -> OperationId {
        let span = self.written(()).span;
        self.operation(
            OperationKind::Copy(Box::new(Copy {
                method: "to_dm",
                source,
                target,
                span,
            })),
            branches,
        )
    }

    /// `to_dm`, a new tensor in DM from another one.
    pub(crate) fn load(
        &mut self,
        source: TensorId,
        slice: &str,
        element: &str,
        address: u64,
    ) -> TensorId {
        let origin = Origin::Operation(self.next_operation());
        let target = self.tensor(
            Tier::Dm,
            &[slice, element],
            AddressValue::Bytes(address),
            origin,
        );
        self.copy(source, target);
        target
    }

    /// A read whose result is not needed: a transfer to an unknown place in HBM.
    pub(crate) fn read(&mut self, source: TensorId) -> OperationId {
        let origin = Origin::Operation(self.next_operation());
        let element = self.body.tensors[source.0 as usize].levels.element.clone();
        let target = self.tensor(Tier::Hbm, &["1"], AddressValue::Unknown, origin);
        self.body.tensors[target.0 as usize].levels.element = element;
        self.copy(source, target)
    }

    /// A pass over `source` that reads VRF or TRF `operands` and ends in a new tensor at `address`.
    pub(crate) fn pass(
        &mut self,
        source: TensorId,
        operands: &[TensorId],
        tier: Tier,
        levels: &[&str],
        address: AddressValue,
    ) -> TensorId {
        let origin = Origin::Operation(self.next_operation());
        let target = self.tensor(tier, levels, address, origin);
        let shape = stream(
            Position::Collect,
            ElementType::I32,
            "1 # 256",
            "1",
            "1",
            &[],
        );
        let end_span = self.written(()).span;
        let end = match tier {
            Tier::Trf => PassEnd::ToTrf {
                target,
                span: end_span,
            },
            Tier::Vrf => PassEnd::ToVrf {
                target,
                span: end_span,
            },
            Tier::Dm | Tier::Hbm | Tier::Host | Tier::Spm => PassEnd::Commit {
                target,
                span: end_span,
            },
        };
        let stages = operands
            .iter()
            .map(|&operand| self.operand_stage(operand, shape.clone()))
            .collect();
        let pass = Pass {
            dialect: visa_items::Dialect::default(),
            machine: visa_hardware::Machine::RNGD,
            context: Some(Context::Main),
            source: PassSource::Tensor(source),
            begin: shape,
            stages,
            end,
        };
        self.operation(OperationKind::Pass(Arc::new(pass)), Vec::new());
        target
    }

    fn operand_stage(&mut self, operand: TensorId, output: visa_kernel::StreamShape) -> Stage {
        let kind = if self.body.tensors[operand.0 as usize].tier == Tier::Trf {
            StageKind::Align {
                operand: Some(operand),
                operand_span: span(5),
            }
        } else {
            StageKind::VectorAlu(visa_kernel::AluOperation {
                stage: visa_kernel::VectorStage::Fxp,
                enumeration: "FxpBinaryOp".to_owned(),
                variant: "AddFxp".to_owned(),
                argument: None,
                operation_span: span(5),
                operands: vec![vec![Operand {
                    source: OperandSource::Vrf(operand),
                    guard: None,
                    group: None,
                    number: None,
                    span: span(5),
                }]],
                mode: None,
                guard: None,
                always: 0,
                zip: false,
            })
        };
        Stage {
            kind,
            output,
            method: "operand".to_owned(),
            span: self.written(()).span,
        }
    }
}

//! Figures of the book and faults of every kind. Numbers are the book's or worked out by hand.

mod operands;
mod reduction;

use crate::contraction::{
    AccumulateDerivation, AccumulateViolation, AccumulatedTime, AlignDerivation, AlignViolation,
    AlignedTime, ContractDerivation, ContractViolation, TrfEntry, TrfLoadDerivation,
    TrfLoadViolation, TrfSequencerError, derive_accumulate, derive_align, derive_contract,
    derive_trf_load, tree_depth,
};
use crate::hardware::ElementType;
use crate::kernel::{
    AccumulationKind, Address, AddressValue, Body, Context, Levels, OperationId, Origin, Pass,
    PassEnd, PassSource, Position, Stage, StageKind, StreamShape, Tensor, TensorId, Tier,
    TrfAddress,
};
use crate::mapping::Mapping;
use crate::testing::{mapping, span, stream, written};

type Axes<'a> = &'a [(&'a str, u64)];

/// Time and packet of a stream, or row and element of a TRF tensor.
type Two<'a> = (&'a str, &'a str);

struct Case<'a> {
    element_type: ElementType,
    axes: Axes<'a>,
    input: Two<'a>,
    trf: Two<'a>,
    output: Two<'a>,
}

fn shape(
    position: Position,
    element_type: ElementType,
    (time, packet): Two<'_>,
    axes: Axes<'_>,
) -> StreamShape {
    stream(position, element_type, "1 # 256", time, packet, axes)
}

fn trf_tensor(element_type: ElementType, (row, element): Two<'_>, axes: Axes<'_>) -> Tensor {
    Tensor {
        id: TensorId(0),
        name: None,
        tier: Tier::Trf,
        element_type: written(element_type),
        exclusive: false,
        levels: Levels {
            chip: Some(written(Mapping::identity())),
            cluster: Some(written(mapping("1 # 2", &[]))),
            slice: Some(written(mapping("1 # 256", &[]))),
            pe: None,
            row: Some(written(mapping(row, axes))),
            element: written(mapping(element, axes)),
        },
        address: Address {
            value: AddressValue::Trf(TrfAddress::Full),
            span: span(0),
        },
        origin: Origin::Parameter,
        span: span(0),
        created_before: OperationId(0),
        is_zeroed: false,
        moved_before: None,
    }
}

fn body(tensors: Vec<Tensor>) -> Body {
    Body {
        machine: crate::hardware::Machine::RNGD,
        dialect: crate::items::Dialect::default(),
        name: "test".to_owned(),
        span: span(0),
        device: None,
        chips: Some(1),
        reached_from_kernel: false,
        tensors,
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
    }
}

fn pass(begin: StreamShape, kind: StageKind, output: StreamShape) -> Pass {
    Pass {
        dialect: crate::items::Dialect::default(),
        machine: crate::hardware::Machine::RNGD,
        context: Some(Context::Main),
        source: PassSource::Parameter {
            position: begin.position,
        },
        begin,
        stages: vec![Stage {
            kind,
            output,
            method: "stage".to_owned(),
            span: span(1),
        }],
        end: PassEnd::Open,
    }
}

impl Case<'_> {
    fn align(&self) -> AlignDerivation {
        let body = body(vec![trf_tensor(self.element_type, self.trf, self.axes)]);
        let mut output = shape(Position::Align, self.element_type, self.output, self.axes);
        output.row = Some(written(mapping(self.trf.0, self.axes)));
        let kind = StageKind::Align {
            operand: Some(TensorId(0)),
            operand_span: span(2),
        };
        let begin = shape(Position::Collect, self.element_type, self.input, self.axes);
        derive_align(&body, &pass(begin, kind, output), 0)
    }
}

fn align<'a>(axes: Axes<'a>, input: Two<'a>, trf: Two<'a>, output: Two<'a>) -> AlignDerivation {
    Case {
        element_type: ElementType::Bf16,
        axes,
        input,
        trf,
        output,
    }
    .align()
}

fn contract(
    element_type: ElementType,
    axes: Axes<'_>,
    row: &str,
    from: &str,
    to: &str,
    maximum: bool,
) -> ContractDerivation {
    let mut begin = shape(Position::Align, element_type, ("1", from), axes);
    begin.row = Some(written(mapping(row, axes)));
    let kind = if maximum {
        StageKind::ContractMax
    } else {
        StageKind::Contract
    };
    let output = shape(Position::Contract, ElementType::F32, ("1", to), axes);
    derive_contract(&pass(begin, kind, output), 0)
}

fn accumulate(
    kind: AccumulationKind,
    axes: Axes<'_>,
    row: &str,
    input: Two<'_>,
    output: Two<'_>,
) -> AccumulateDerivation {
    let mut begin = shape(Position::Contract, ElementType::F32, input, axes);
    begin.row = Some(written(mapping(row, axes)));
    let output = shape(Position::Accumulate, ElementType::F32, output, axes);
    derive_accumulate(
        &pass(begin, StageKind::Accumulate(written(kind)), output),
        0,
    )
}

fn trf_load(axes: Axes<'_>, stream: Two<'_>, trf: Two<'_>) -> TrfLoadDerivation {
    let body = body(vec![trf_tensor(ElementType::Bf16, trf, axes)]);
    let mut pass = pass(
        shape(Position::Switch, ElementType::Bf16, stream, axes),
        StageKind::Collect,
        shape(Position::Collect, ElementType::Bf16, stream, axes),
    );
    pass.end = PassEnd::ToTrf {
        target: TensorId(0),
        span: span(3),
    };
    derive_trf_load(&body, &pass)
}

const MATMUL: Axes<'_> = &[
    ("M", 32),
    ("N", 8),
    ("K", 16),
    ("L", 2),
    ("O", 2),
    ("T", 5),
    ("J", 3),
];
const K32: Axes<'_> = &[("M", 32), ("N", 8), ("K", 32), ("O", 2), ("T", 5)];
const REDUCE: Axes<'_> = &[("M", 4), ("N", 8), ("K", 64), ("V", 256), ("W", 32)];

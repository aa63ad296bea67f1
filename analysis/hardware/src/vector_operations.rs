//! Operations of the Vector Engine and the ALUs that run them.

use super::ElementType;

/// An ALU of the Vector Engine (book: Stage Details).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Alu {
    /// Bitwise and.
    LogicAnd,
    /// Bitwise or.
    LogicOr,
    /// Bitwise exclusive or.
    LogicXor,
    /// Left shift of the Logic stage.
    LogicLshift,
    /// Right shifts of the Logic stage.
    LogicRshift,
    /// Fixed-point adder.
    FxpAdd,
    /// Left shifts of the Fxp stage.
    FxpLshift,
    /// Fixed-point multiplier.
    FxpMul,
    /// Right shifts of the Fxp stage.
    FxpRshift,
    /// Fused multiply-add.
    FpFma,
    /// Roots, logarithms, trigonometric functions, division.
    FpFpu,
    /// Exponential function.
    FpExp,
    /// First multiplier.
    FpMul0,
    /// Second multiplier.
    FpMul1,
    /// Adder of the Clip stage.
    ClipAdd,
    /// Maximum.
    ClipMax,
    /// Minimum.
    ClipMin,
    /// Reduction tree with its accumulators.
    ReduceAccTree,
    /// Divider behind the reduction.
    ReduceFpDiv,
}

impl Alu {
    /// Its name in the book.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LogicAnd => "LogicAnd",
            Self::LogicOr => "LogicOr",
            Self::LogicXor => "LogicXor",
            Self::LogicLshift => "LogicLshift",
            Self::LogicRshift => "LogicRshift",
            Self::FxpAdd => "FxpAdd",
            Self::FxpLshift => "FxpLshift",
            Self::FxpMul => "FxpMul",
            Self::FxpRshift => "FxpRshift",
            Self::FpFma => "FpFma",
            Self::FpFpu => "FpFpu",
            Self::FpExp => "FpExp",
            Self::FpMul0 => "FpMul0",
            Self::FpMul1 => "FpMul1",
            Self::ClipAdd => "ClipAdd",
            Self::ClipMax => "ClipMax",
            Self::ClipMin => "ClipMin",
            Self::ReduceAccTree => "ReduceAccTree",
            Self::ReduceFpDiv => "ReduceFpDiv",
        }
    }
}

/// Operations that one stage of the engine offers for one kind of operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OperationGroup {
    /// Bits and shifts of the Logic stage.
    Logic,
    /// Fixed point.
    Fxp,
    /// Floats, of the stream alone.
    FloatUnary,
    /// Floats, with one operand.
    FloatBinary,
    /// Floats, with an operand and a constant.
    FloatTernary,
    /// Reductions inside of a slice.
    ReduceInSlice,
    /// The divider behind the reduction.
    FloatDivide,
    /// Limits and sums of the Clip stage.
    Clip,
    /// Reductions across slices.
    ReduceAcross,
}

impl OperationGroup {
    /// Whether it folds several elements into one.
    pub const fn reduces(self) -> bool {
        matches!(self, Self::ReduceInSlice | Self::ReduceAcross)
    }
}

/// What an operation computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Function {
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Bits to the left.
    ShiftLeft,
    /// Bits to the left, held at the type's limits.
    ShiftLeftSaturated,
    /// Bits to the right, filled with zeros.
    ShiftRight,
    /// Bits to the right, filled with the sign.
    ShiftRightSigned,
    /// Bits to the right, filled with the sign, rounded.
    ShiftRightRounded,
    /// A sum.
    Add,
    /// A sum, held at the type's limits.
    AddSaturated,
    /// A difference.
    Subtract,
    /// A difference, held at the type's limits.
    SubtractSaturated,
    /// A product, in fixed point or of floats.
    Multiply,
    /// A product of integers.
    MultiplyIntegers,
    /// A product where a mask says so.
    MaskedMultiply,
    /// A product plus a constant.
    MultiplyAdd,
    /// A product plus a constant where a mask says so.
    MaskedMultiplyAdd,
    /// A quotient.
    Divide,
    /// The exponential function.
    Exp,
    /// The exponential function of the negative.
    ExpOfNegative,
    /// A square root.
    SquareRoot,
    /// A hyperbolic tangent.
    Tanh,
    /// A logistic function.
    Sigmoid,
    /// An error function.
    Erf,
    /// A logarithm.
    Log,
    /// A sine.
    Sin,
    /// A cosine.
    Cos,
    /// The smaller one.
    Minimum,
    /// The larger one.
    Maximum,
    /// The one of smaller magnitude.
    MinimumMagnitude,
    /// The one of larger magnitude.
    MaximumMagnitude,
}

/// An operation of the Vector Engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VectorOperation {
    /// Where it is offered.
    pub group: OperationGroup,
    /// The type of the stream that it takes.
    pub element_type: ElementType,
    /// What it computes.
    pub function: Function,
    /// The ALU that runs it; none for reductions across slices.
    pub alu: Option<Alu>,
}

const fn alu_operation(
    group: OperationGroup,
    element_type: ElementType,
    function: Function,
    alu: Alu,
) -> VectorOperation {
    VectorOperation {
        group,
        element_type,
        function,
        alu: Some(alu),
    }
}

const fn across(element_type: ElementType, function: Function) -> VectorOperation {
    VectorOperation {
        group: OperationGroup::ReduceAcross,
        element_type,
        function,
        alu: None,
    }
}

use ElementType::{F32, I32};
use Function as F;
use OperationGroup::{
    Clip, FloatBinary, FloatDivide, FloatTernary, FloatUnary, Fxp, Logic, ReduceInSlice,
};

/// Every operation of the Vector Engine (book: Stage Details, Intra-Slice Reduce, Inter-Slice Block).
pub const VECTOR_OPERATIONS: &[VectorOperation] = &[
    alu_operation(Logic, I32, F::And, Alu::LogicAnd),
    alu_operation(Logic, I32, F::Or, Alu::LogicOr),
    alu_operation(Logic, I32, F::Xor, Alu::LogicXor),
    alu_operation(Logic, I32, F::ShiftLeft, Alu::LogicLshift),
    alu_operation(Logic, I32, F::ShiftRight, Alu::LogicRshift),
    alu_operation(Logic, I32, F::ShiftRightSigned, Alu::LogicRshift),
    alu_operation(Logic, F32, F::And, Alu::LogicAnd),
    alu_operation(Logic, F32, F::Or, Alu::LogicOr),
    alu_operation(Logic, F32, F::Xor, Alu::LogicXor),
    alu_operation(Fxp, I32, F::Add, Alu::FxpAdd),
    alu_operation(Fxp, I32, F::AddSaturated, Alu::FxpAdd),
    alu_operation(Fxp, I32, F::Subtract, Alu::FxpAdd),
    alu_operation(Fxp, I32, F::SubtractSaturated, Alu::FxpAdd),
    alu_operation(Fxp, I32, F::ShiftLeft, Alu::FxpLshift),
    alu_operation(Fxp, I32, F::ShiftLeftSaturated, Alu::FxpLshift),
    alu_operation(Fxp, I32, F::Multiply, Alu::FxpMul),
    alu_operation(Fxp, I32, F::MultiplyIntegers, Alu::FxpMul),
    alu_operation(Fxp, I32, F::ShiftRight, Alu::FxpRshift),
    alu_operation(Fxp, I32, F::ShiftRightSigned, Alu::FxpRshift),
    alu_operation(Fxp, I32, F::ShiftRightRounded, Alu::FxpRshift),
    alu_operation(FloatUnary, F32, F::Exp, Alu::FpExp),
    alu_operation(FloatUnary, F32, F::ExpOfNegative, Alu::FpExp),
    alu_operation(FloatUnary, F32, F::SquareRoot, Alu::FpFpu),
    alu_operation(FloatUnary, F32, F::Tanh, Alu::FpFpu),
    alu_operation(FloatUnary, F32, F::Sigmoid, Alu::FpFpu),
    alu_operation(FloatUnary, F32, F::Erf, Alu::FpFpu),
    alu_operation(FloatUnary, F32, F::Log, Alu::FpFpu),
    alu_operation(FloatUnary, F32, F::Sin, Alu::FpFpu),
    alu_operation(FloatUnary, F32, F::Cos, Alu::FpFpu),
    alu_operation(FloatBinary, F32, F::Add, Alu::FpFma),
    alu_operation(FloatBinary, F32, F::Subtract, Alu::FpFma),
    alu_operation(FloatBinary, F32, F::Multiply, Alu::FpMul0),
    alu_operation(FloatBinary, F32, F::Multiply, Alu::FpMul1),
    alu_operation(FloatBinary, F32, F::Multiply, Alu::FpFma),
    alu_operation(FloatBinary, F32, F::MaskedMultiply, Alu::FpMul0),
    alu_operation(FloatBinary, F32, F::MaskedMultiply, Alu::FpMul1),
    alu_operation(FloatBinary, F32, F::MaskedMultiply, Alu::FpFma),
    alu_operation(FloatBinary, F32, F::Divide, Alu::FpFpu),
    alu_operation(FloatTernary, F32, F::MultiplyAdd, Alu::FpFma),
    alu_operation(FloatTernary, F32, F::MaskedMultiplyAdd, Alu::FpFma),
    alu_operation(FloatDivide, F32, F::Divide, Alu::ReduceFpDiv),
    alu_operation(Clip, I32, F::Minimum, Alu::ClipMin),
    alu_operation(Clip, I32, F::Maximum, Alu::ClipMax),
    alu_operation(Clip, I32, F::MinimumMagnitude, Alu::ClipMin),
    alu_operation(Clip, I32, F::MaximumMagnitude, Alu::ClipMax),
    alu_operation(Clip, I32, F::Add, Alu::ClipAdd),
    alu_operation(Clip, I32, F::AddSaturated, Alu::ClipAdd),
    alu_operation(Clip, F32, F::Minimum, Alu::ClipMin),
    alu_operation(Clip, F32, F::Maximum, Alu::ClipMax),
    alu_operation(Clip, F32, F::MinimumMagnitude, Alu::ClipMin),
    alu_operation(Clip, F32, F::MaximumMagnitude, Alu::ClipMax),
    alu_operation(Clip, F32, F::Add, Alu::ClipAdd),
    alu_operation(ReduceInSlice, I32, F::AddSaturated, Alu::ReduceAccTree),
    alu_operation(ReduceInSlice, I32, F::Maximum, Alu::ReduceAccTree),
    alu_operation(ReduceInSlice, I32, F::Minimum, Alu::ReduceAccTree),
    alu_operation(ReduceInSlice, F32, F::Add, Alu::ReduceAccTree),
    alu_operation(ReduceInSlice, F32, F::Maximum, Alu::ReduceAccTree),
    alu_operation(ReduceInSlice, F32, F::Minimum, Alu::ReduceAccTree),
    across(I32, F::Add),
    across(I32, F::AddSaturated),
    across(I32, F::Maximum),
    across(I32, F::Minimum),
    across(F32, F::Add),
    across(F32, F::Maximum),
    across(F32, F::Minimum),
    across(F32, F::Multiply),
];

/// The operations of a group, of any type.
pub fn operations_of(group: OperationGroup) -> impl Iterator<Item = &'static VectorOperation> {
    VECTOR_OPERATIONS
        .iter()
        .filter(move |operation| operation.group == group)
}

/// The operation of a group, type and function; the first if several ALUs run it.
pub fn vector_operation(
    group: OperationGroup,
    element_type: ElementType,
    function: Function,
) -> Option<&'static VectorOperation> {
    operations_of(group)
        .find(|found| found.element_type == element_type && found.function == function)
}

/// Other operations that compute the same of each element on another ALU; a reduction has none.
pub fn same_function(
    operation: &VectorOperation,
) -> impl Iterator<Item = &'static VectorOperation> + use<> {
    let own = *operation;
    VECTOR_OPERATIONS.iter().filter(move |other| {
        other.function == own.function
            && other.element_type == own.element_type
            && other.alu != own.alu
            && !other.group.reduces()
            && !own.group.reduces()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alus(groups: &[OperationGroup]) -> usize {
        let mut found: Vec<Alu> = groups
            .iter()
            .flat_map(|group| operations_of(*group))
            .filter_map(|operation| operation.alu)
            .collect();
        found.sort_unstable();
        found.dedup();
        found.len()
    }

    /// The stages' maxima that the library declares: 5 Logic, 4 Fxp, 5 Fp, 3 Clip ALUs.
    #[test]
    fn alus_by_stage() {
        let of = [alus(&[Logic]), alus(&[Fxp]), alus(&[Clip])];
        assert_eq!(of, [5, 4, 3]);
        assert_eq!(alus(&[FloatUnary, FloatBinary, FloatTernary]), 5);
    }

    /// Sums, shifts and quotients are computed by two stages, products by three ALUs of one.
    #[test]
    fn functions_on_several_alus() {
        let others = |group, element_type, function| {
            let operation = vector_operation(group, element_type, function);
            let found = operation.into_iter().flat_map(same_function);
            found.filter_map(|other| other.alu).collect::<Vec<_>>()
        };
        assert_eq!(others(Fxp, I32, F::Add), [Alu::ClipAdd]);
        assert_eq!(others(Logic, I32, F::ShiftLeft), [Alu::FxpLshift]);
        assert_eq!(others(FloatBinary, F32, F::Add), [Alu::ClipAdd]);
        assert_eq!(
            others(FloatBinary, F32, F::Multiply),
            [Alu::FpMul1, Alu::FpFma]
        );
        assert_eq!(others(FloatBinary, F32, F::Divide), [Alu::ReduceFpDiv]);
        assert_eq!(others(Clip, I32, F::Maximum), []);
        assert_eq!(others(ReduceInSlice, I32, F::Maximum), []);
    }
}

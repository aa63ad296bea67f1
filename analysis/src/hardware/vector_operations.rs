//! Operations of the Vector Engine and the ALUs that run them.

use super::ElementType;

/// An ALU of the Vector Engine (book: Stage Details; library: `RngdAlu`).
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
    /// The name that the library gives it.
    #[must_use]
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

/// An operation as the library names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VectorOperation {
    /// The enum (`FxpBinaryOp`).
    pub enumeration: &'static str,
    /// Its variant (`AddFxp`).
    pub variant: &'static str,
    /// The multiplier, where the variant takes one (`Mul0`).
    pub argument: Option<&'static str>,
    /// The type of the stream that it takes.
    pub element_type: ElementType,
    /// The ALU that runs it; none for reductions across slices.
    pub alu: Option<Alu>,
}

impl VectorOperation {
    /// The operation as an author writes it.
    #[must_use]
    pub fn written(&self) -> String {
        match self.argument {
            Some(argument) => format!(
                "{}::{}(FpMulAlu::{argument})",
                self.enumeration, self.variant
            ),
            None => format!("{}::{}", self.enumeration, self.variant),
        }
    }
}

const fn op(
    enumeration: &'static str,
    element_type: ElementType,
    variant: &'static str,
    alu: Alu,
) -> VectorOperation {
    VectorOperation {
        enumeration,
        variant,
        argument: None,
        element_type,
        alu: Some(alu),
    }
}

const fn multiply(variant: &'static str, argument: &'static str, alu: Alu) -> VectorOperation {
    VectorOperation {
        enumeration: "FpBinaryOp",
        variant,
        argument: Some(argument),
        element_type: ElementType::F32,
        alu: Some(alu),
    }
}

const fn across(
    enumeration: &'static str,
    element_type: ElementType,
    variant: &'static str,
) -> VectorOperation {
    VectorOperation {
        enumeration,
        variant,
        argument: None,
        element_type,
        alu: None,
    }
}

use ElementType::{F32, I32};

/// Every operation of the Vector Engine (book: Stage Details, Intra-Slice Reduce, Inter-Slice Block; the third multiplier
/// is the library's).
pub const VECTOR_OPERATIONS: &[VectorOperation] = &[
    op("LogicBinaryOpI32", I32, "BitAnd", Alu::LogicAnd),
    op("LogicBinaryOpI32", I32, "BitOr", Alu::LogicOr),
    op("LogicBinaryOpI32", I32, "BitXor", Alu::LogicXor),
    op("LogicBinaryOpI32", I32, "LeftShift", Alu::LogicLshift),
    op("LogicBinaryOpI32", I32, "LogicRightShift", Alu::LogicRshift),
    op("LogicBinaryOpI32", I32, "ArithRightShift", Alu::LogicRshift),
    op("LogicBinaryOpF32", F32, "BitAnd", Alu::LogicAnd),
    op("LogicBinaryOpF32", F32, "BitOr", Alu::LogicOr),
    op("LogicBinaryOpF32", F32, "BitXor", Alu::LogicXor),
    op("FxpBinaryOp", I32, "AddFxp", Alu::FxpAdd),
    op("FxpBinaryOp", I32, "AddFxpSat", Alu::FxpAdd),
    op("FxpBinaryOp", I32, "SubFxp", Alu::FxpAdd),
    op("FxpBinaryOp", I32, "SubFxpSat", Alu::FxpAdd),
    op("FxpBinaryOp", I32, "LeftShift", Alu::FxpLshift),
    op("FxpBinaryOp", I32, "LeftShiftSat", Alu::FxpLshift),
    op("FxpBinaryOp", I32, "MulFxp", Alu::FxpMul),
    op("FxpBinaryOp", I32, "MulInt", Alu::FxpMul),
    op("FxpBinaryOp", I32, "LogicRightShift", Alu::FxpRshift),
    op("FxpBinaryOp", I32, "ArithRightShift", Alu::FxpRshift),
    op("FxpBinaryOp", I32, "ArithRightShiftRound", Alu::FxpRshift),
    op("FpUnaryOp", F32, "Exp", Alu::FpExp),
    op("FpUnaryOp", F32, "NegExp", Alu::FpExp),
    op("FpUnaryOp", F32, "Sqrt", Alu::FpFpu),
    op("FpUnaryOp", F32, "Tanh", Alu::FpFpu),
    op("FpUnaryOp", F32, "Sigmoid", Alu::FpFpu),
    op("FpUnaryOp", F32, "Erf", Alu::FpFpu),
    op("FpUnaryOp", F32, "Log", Alu::FpFpu),
    op("FpUnaryOp", F32, "Sin", Alu::FpFpu),
    op("FpUnaryOp", F32, "Cos", Alu::FpFpu),
    op("FpBinaryOp", F32, "AddF", Alu::FpFma),
    op("FpBinaryOp", F32, "SubF", Alu::FpFma),
    multiply("MulF", "Mul0", Alu::FpMul0),
    multiply("MulF", "Mul1", Alu::FpMul1),
    multiply("MulF", "Fma", Alu::FpFma),
    multiply("MaskMulF", "Mul0", Alu::FpMul0),
    multiply("MaskMulF", "Mul1", Alu::FpMul1),
    multiply("MaskMulF", "Fma", Alu::FpFma),
    op("FpBinaryOp", F32, "DivF", Alu::FpFpu),
    op("FpTernaryOp", F32, "FmaF", Alu::FpFma),
    op("FpTernaryOp", F32, "MaskFmaF", Alu::FpFma),
    op("FpDivBinaryOp", F32, "DivF", Alu::ReduceFpDiv),
    op("ClipBinaryOpI32", I32, "Min", Alu::ClipMin),
    op("ClipBinaryOpI32", I32, "Max", Alu::ClipMax),
    op("ClipBinaryOpI32", I32, "AbsMin", Alu::ClipMin),
    op("ClipBinaryOpI32", I32, "AbsMax", Alu::ClipMax),
    op("ClipBinaryOpI32", I32, "AddFxp", Alu::ClipAdd),
    op("ClipBinaryOpI32", I32, "AddFxpSat", Alu::ClipAdd),
    op("ClipBinaryOpF32", F32, "Min", Alu::ClipMin),
    op("ClipBinaryOpF32", F32, "Max", Alu::ClipMax),
    op("ClipBinaryOpF32", F32, "AbsMin", Alu::ClipMin),
    op("ClipBinaryOpF32", F32, "AbsMax", Alu::ClipMax),
    op("ClipBinaryOpF32", F32, "Add", Alu::ClipAdd),
    op("IntraSliceReduceOpI32", I32, "AddSat", Alu::ReduceAccTree),
    op("IntraSliceReduceOpI32", I32, "Max", Alu::ReduceAccTree),
    op("IntraSliceReduceOpI32", I32, "Min", Alu::ReduceAccTree),
    op("IntraSliceReduceOpF32", F32, "Add", Alu::ReduceAccTree),
    op("IntraSliceReduceOpF32", F32, "Max", Alu::ReduceAccTree),
    op("IntraSliceReduceOpF32", F32, "Min", Alu::ReduceAccTree),
    across("InterSliceReduceOpI32", I32, "Add"),
    across("InterSliceReduceOpI32", I32, "AddSat"),
    across("InterSliceReduceOpI32", I32, "Max"),
    across("InterSliceReduceOpI32", I32, "Min"),
    across("InterSliceReduceOpF32", F32, "Add"),
    across("InterSliceReduceOpF32", F32, "Max"),
    across("InterSliceReduceOpF32", F32, "Min"),
    across("InterSliceReduceOpF32", F32, "Mul"),
];

/// Operations of one type that compute the same on different ALUs, by enum and variant.
const SAME_FUNCTION: &[&[(&str, &str)]] = &[
    &[("FxpBinaryOp", "AddFxp"), ("ClipBinaryOpI32", "AddFxp")],
    &[
        ("FxpBinaryOp", "AddFxpSat"),
        ("ClipBinaryOpI32", "AddFxpSat"),
    ],
    &[
        ("LogicBinaryOpI32", "LeftShift"),
        ("FxpBinaryOp", "LeftShift"),
    ],
    &[
        ("LogicBinaryOpI32", "LogicRightShift"),
        ("FxpBinaryOp", "LogicRightShift"),
    ],
    &[
        ("LogicBinaryOpI32", "ArithRightShift"),
        ("FxpBinaryOp", "ArithRightShift"),
    ],
    &[("FpBinaryOp", "AddF"), ("ClipBinaryOpF32", "Add")],
    &[("FpBinaryOp", "MulF")],
    &[("FpBinaryOp", "MaskMulF")],
    &[("FpBinaryOp", "DivF"), ("FpDivBinaryOp", "DivF")],
];

/// The operations of an enum; none if it is no enum of the Vector Engine.
pub fn operations_of(
    enumeration: &str,
) -> impl Iterator<Item = &'static VectorOperation> + use<'_> {
    VECTOR_OPERATIONS
        .iter()
        .filter(move |operation| operation.enumeration == enumeration)
}

/// The operation of that name; `argument` decides only where the variant takes one.
#[must_use]
pub fn vector_operation(
    enumeration: &str,
    variant: &str,
    argument: Option<&str>,
) -> Option<&'static VectorOperation> {
    operations_of(enumeration).find(|found| {
        found.variant == variant && (found.argument.is_none() || found.argument == argument)
    })
}

/// Other operations that compute the same on another ALU.
pub fn same_function(
    operation: &VectorOperation,
) -> impl Iterator<Item = &'static VectorOperation> {
    let own = (operation.enumeration, operation.variant);
    let alu = operation.alu;
    let group = SAME_FUNCTION
        .iter()
        .find(|group| group.contains(&own))
        .copied()
        .unwrap_or_default();
    VECTOR_OPERATIONS.iter().filter(move |other| {
        group.contains(&(other.enumeration, other.variant)) && other.alu != alu
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stages' maxima that the library declares: 5 Logic, 4 Fxp, 5 Fp, 3 Clip ALUs.
    #[test]
    fn alus_by_stage() {
        let alus = |prefix: &str| {
            let mut found: Vec<Alu> = VECTOR_OPERATIONS
                .iter()
                .filter(|operation| operation.enumeration.starts_with(prefix))
                .filter_map(|operation| operation.alu)
                .collect();
            found.sort_unstable();
            found.dedup();
            found.len()
        };
        assert_eq!((alus("Logic"), alus("Fxp"), alus("Clip")), (5, 4, 3));
        assert_eq!(
            alus("FpUnary") + alus("FpBinary"),
            2 + 4,
            "FpFpu runs both unary and binary operations"
        );
    }

    #[test]
    fn multipliers_decide_the_alu() {
        let alu =
            |argument| vector_operation("FpBinaryOp", "MulF", argument).and_then(|found| found.alu);
        assert_eq!(alu(Some("Mul1")), Some(Alu::FpMul1));
        assert_eq!(alu(None), None);
        let written: Vec<String> =
            same_function(vector_operation("FpBinaryOp", "MulF", Some("Mul0")).unwrap())
                .map(VectorOperation::written)
                .collect();
        assert_eq!(
            written,
            [
                "FpBinaryOp::MulF(FpMulAlu::Mul1)",
                "FpBinaryOp::MulF(FpMulAlu::Fma)"
            ]
        );
    }
}

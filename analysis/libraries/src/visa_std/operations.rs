//! Operations of the Vector Engine as the book's library calls them.

use crate::{OperationEnum, OperationNames};
use visa_hardware::ElementType::{self, F32, I32};
use visa_hardware::{Alu, Function as F, OperationGroup as Group};

const fn operation_enum(
    name: &'static str,
    group: Group,
    element_type: ElementType,
    variants: &'static [(&'static str, F)],
) -> OperationEnum {
    OperationEnum {
        name,
        group,
        element_type,
        variants,
    }
}

pub(super) static OPERATIONS: OperationNames = OperationNames {
    enums: ENUMS,
    choice: "FpMulAlu",
    choices: &[
        ("Fma", Alu::FpFma),
        ("Mul0", Alu::FpMul0),
        ("Mul1", Alu::FpMul1),
    ],
    without_body: &[
        (Group::Fxp, F::ShiftRightRounded),
        (Group::FloatUnary, F::Erf),
        (Group::FloatBinary, F::MaskedMultiply),
        (Group::FloatTernary, F::MaskedMultiplyAdd),
    ],
};

pub(crate) const ENUMS: &[OperationEnum] = &[
    operation_enum(
        "LogicBinaryOpI32",
        Group::Logic,
        I32,
        &[
            ("BitAnd", F::And),
            ("BitOr", F::Or),
            ("BitXor", F::Xor),
            ("LeftShift", F::ShiftLeft),
            ("LogicRightShift", F::ShiftRight),
            ("ArithRightShift", F::ShiftRightSigned),
        ],
    ),
    operation_enum(
        "LogicBinaryOpF32",
        Group::Logic,
        F32,
        &[("BitAnd", F::And), ("BitOr", F::Or), ("BitXor", F::Xor)],
    ),
    operation_enum(
        "FxpBinaryOp",
        Group::Fxp,
        I32,
        &[
            ("AddFxp", F::Add),
            ("AddFxpSat", F::AddSaturated),
            ("SubFxp", F::Subtract),
            ("SubFxpSat", F::SubtractSaturated),
            ("LeftShift", F::ShiftLeft),
            ("LeftShiftSat", F::ShiftLeftSaturated),
            ("MulFxp", F::Multiply),
            ("MulInt", F::MultiplyIntegers),
            ("LogicRightShift", F::ShiftRight),
            ("ArithRightShift", F::ShiftRightSigned),
            ("ArithRightShiftRound", F::ShiftRightRounded),
        ],
    ),
    operation_enum(
        "FpUnaryOp",
        Group::FloatUnary,
        F32,
        &[
            ("Exp", F::Exp),
            ("NegExp", F::ExpOfNegative),
            ("Sqrt", F::SquareRoot),
            ("Tanh", F::Tanh),
            ("Sigmoid", F::Sigmoid),
            ("Erf", F::Erf),
            ("Log", F::Log),
            ("Sin", F::Sin),
            ("Cos", F::Cos),
        ],
    ),
    operation_enum(
        "FpBinaryOp",
        Group::FloatBinary,
        F32,
        &[
            ("AddF", F::Add),
            ("SubF", F::Subtract),
            ("MulF", F::Multiply),
            ("MaskMulF", F::MaskedMultiply),
            ("DivF", F::Divide),
        ],
    ),
    operation_enum(
        "FpTernaryOp",
        Group::FloatTernary,
        F32,
        &[("FmaF", F::MultiplyAdd), ("MaskFmaF", F::MaskedMultiplyAdd)],
    ),
    operation_enum(
        "FpDivBinaryOp",
        Group::FloatDivide,
        F32,
        &[("DivF", F::Divide)],
    ),
    operation_enum(
        "ClipBinaryOpI32",
        Group::Clip,
        I32,
        &[
            ("Min", F::Minimum),
            ("Max", F::Maximum),
            ("AbsMin", F::MinimumMagnitude),
            ("AbsMax", F::MaximumMagnitude),
            ("AddFxp", F::Add),
            ("AddFxpSat", F::AddSaturated),
        ],
    ),
    operation_enum(
        "ClipBinaryOpF32",
        Group::Clip,
        F32,
        &[
            ("Min", F::Minimum),
            ("Max", F::Maximum),
            ("AbsMin", F::MinimumMagnitude),
            ("AbsMax", F::MaximumMagnitude),
            ("Add", F::Add),
        ],
    ),
    operation_enum(
        "IntraSliceReduceOpI32",
        Group::ReduceInSlice,
        I32,
        &[
            ("AddSat", F::AddSaturated),
            ("Max", F::Maximum),
            ("Min", F::Minimum),
        ],
    ),
    operation_enum(
        "IntraSliceReduceOpF32",
        Group::ReduceInSlice,
        F32,
        &[("Add", F::Add), ("Max", F::Maximum), ("Min", F::Minimum)],
    ),
    operation_enum(
        "InterSliceReduceOpI32",
        Group::ReduceAcross,
        I32,
        &[
            ("Add", F::Add),
            ("AddSat", F::AddSaturated),
            ("Max", F::Maximum),
            ("Min", F::Minimum),
        ],
    ),
    operation_enum(
        "InterSliceReduceOpF32",
        Group::ReduceAcross,
        F32,
        &[
            ("Add", F::Add),
            ("Max", F::Maximum),
            ("Min", F::Minimum),
            ("Mul", F::Multiply),
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use visa_hardware::{VECTOR_OPERATIONS, same_function};

    fn alu(argument: Option<&str>) -> Option<Alu> {
        let found = OPERATIONS.find("FpBinaryOp", "MulF", argument)?;
        found.operation.alu
    }

    #[test]
    fn multipliers_decide_the_alu() {
        assert_eq!(alu(Some("Mul1")), Some(Alu::FpMul1));
        assert_eq!(alu(None), None);
        let first = OPERATIONS
            .find("FpBinaryOp", "MulF", Some("Mul0"))
            .expect("an operation of the library");
        let written: Vec<String> = same_function(first.operation)
            .map(|other| OPERATIONS.write(other))
            .collect();
        assert_eq!(
            written,
            [
                "FpBinaryOp::MulF(FpMulAlu::Mul1)",
                "FpBinaryOp::MulF(FpMulAlu::Fma)"
            ]
        );
    }

    #[test]
    fn an_addition_takes_no_multiplier() {
        let found = OPERATIONS
            .find("FpBinaryOp", "AddF", None)
            .expect("an operation of the library");
        assert_eq!(found.operation.alu, Some(Alu::FpFma));
        assert_eq!(OPERATIONS.write(found.operation), "FpBinaryOp::AddF");
    }

    #[test]
    fn every_operation_of_the_machine_has_one_name() {
        for operation in VECTOR_OPERATIONS {
            let written = OPERATIONS.write(operation);
            assert!(!written.is_empty(), "{operation:?}");
            let twin = VECTOR_OPERATIONS
                .iter()
                .find(|other| *other != operation && OPERATIONS.write(other) == written);
            assert_eq!(twin, None, "{written}");
        }
        let variants = ENUMS.iter().map(|known| known.variants.len());
        let named: usize = ENUMS
            .iter()
            .flat_map(|known| OPERATIONS.operations_of(known.name))
            .count();
        // `MulF` and `MaskMulF` are three operations each, on three ALUs.
        assert_eq!(named, variants.sum::<usize>() + 2 + 2);
    }
}

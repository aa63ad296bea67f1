//! Operations of the Vector Engine as the current library calls them.
//!
//! The enums are those of the book's library without the masked operations, which no release has.

use crate::{OperationEnum, OperationNames, visa_std};
use visa_hardware::Function as F;
use visa_hardware::OperationGroup as Group;
use visa_hardware::{Alu, ElementType};

use ElementType::F32;

pub(super) static OPERATIONS: OperationNames = OperationNames {
    enums: &ENUMS,
    choice: "FpMulAlu",
    choices: &[
        ("Fma", Alu::FpFma),
        ("Mul0", Alu::FpMul0),
        ("Mul1", Alu::FpMul1),
    ],
    without_body: &[],
};

/// The book library's enums with those in place of theirs that differ.
static ENUMS: [OperationEnum; visa_std::ENUMS.len()] = {
    let mut enums = [BINARY; visa_std::ENUMS.len()];
    let mut at = 0;
    while at < enums.len() {
        let own = visa_std::ENUMS[at];
        enums[at] = match own.group {
            Group::FloatBinary => BINARY,
            Group::FloatTernary => TERNARY,
            _ => own,
        };
        at += 1;
    }
    enums
};

const BINARY: OperationEnum = OperationEnum {
    name: "FpBinaryOp",
    group: Group::FloatBinary,
    element_type: F32,
    variants: &[
        ("AddF", F::Add),
        ("SubF", F::Subtract),
        ("MulF", F::Multiply),
        ("DivF", F::Divide),
    ],
};

const TERNARY: OperationEnum = OperationEnum {
    name: "FpTernaryOp",
    group: Group::FloatTernary,
    element_type: F32,
    variants: &[("FmaF", F::MultiplyAdd)],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_masked_operations_are_gone() {
        let variants = |enums: &[OperationEnum]| -> Vec<(&'static str, &'static str)> {
            let named = enums.iter().flat_map(|known| {
                let variants = known.variants.iter();
                variants.map(|(variant, _)| (known.name, *variant))
            });
            named.collect()
        };
        let own = variants(&ENUMS);
        let gone: Vec<_> = variants(visa_std::ENUMS)
            .into_iter()
            .filter(|named| !own.contains(named))
            .collect();
        assert_eq!(
            gone,
            [("FpBinaryOp", "MaskMulF"), ("FpTernaryOp", "MaskFmaF")]
        );
    }
}

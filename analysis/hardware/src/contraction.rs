//! The element types that the Contraction Engine multiplies, and what it makes of them.

use super::ElementType;

/// What the Contraction Engine does with an element type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContractionType {
    /// Levels of the reduction tree: as many as halve 64 bytes of the type down to one element (book: Spatial Reduction).
    pub tree_depth: u32,
    /// The type of the sums; `None` where no table says it.
    pub accumulator: Option<ElementType>,
}

/// What the Contraction Engine does with an element type; `None` for types that it does not take. It takes `i4`, `i8`, also
/// less their zero point, the 8-bit floats and `bf16` (book: Reducer, Constraints).
pub const fn contraction_type(element_type: ElementType) -> Option<ContractionType> {
    let (tree_depth, accumulator) = match element_type {
        ElementType::I4 | ElementType::I5 => (7, Some(ElementType::I32)),
        ElementType::I8 | ElementType::I9 => (6, Some(ElementType::I32)),
        ElementType::F8E4M3 | ElementType::F8E5M2 => (6, Some(ElementType::F32)),
        ElementType::F8 => (6, None),
        ElementType::Bf16 => (5, Some(ElementType::F32)),
        ElementType::U8
        | ElementType::I16
        | ElementType::I32
        | ElementType::F4E2M1
        | ElementType::F16
        | ElementType::F32 => return None,
    };
    Some(ContractionType {
        tree_depth,
        accumulator,
    })
}

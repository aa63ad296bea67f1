//! Which type pairs the Cast Engine converts, and the shape limits of the Transpose Engine.

use super::{ElementType, Target};

/// The element types that the Cast Engine makes of `input` (book: Precision Lowering). Empty for types that the
/// engine does not take.
///
/// The book has one table for both targets: the additional conversions of RNGD-S are the Fetch Engine's.
pub const fn cast_outputs(input: ElementType, target: Target) -> &'static [ElementType] {
    match (input, target) {
        (ElementType::I32, Target::Rngd | Target::RngdS) => {
            &[ElementType::I4, ElementType::I8, ElementType::I16]
        }
        (ElementType::F32, Target::Rngd | Target::RngdS) => &[
            ElementType::F8E5M2,
            ElementType::F8E4M3,
            ElementType::F16,
            ElementType::Bf16,
        ],
        _ => &[],
    }
}

/// Columns of one internal buffer of the Transpose Engine; wider matrices take both buffers (book: Double Buffering).
pub const TRANSPOSE_BUFFER_COLUMNS: u64 = 16;

/// What the Transpose Engine can take for elements of one width (book: Transpose Engine, Constraints).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransposeLimits {
    /// Elements of each input packet that enter the buffer.
    pub elements_per_packet: u64,
    /// Elements that an output packet is padded to: 32 bytes.
    pub output_alignment: u64,
    /// Rows of the input matrix at most.
    pub max_rows: u64,
    /// Columns that the input matrix may have.
    pub columns: &'static [u64],
}

/// The limits for elements of `element_type`.
pub const fn transpose_limits(element_type: ElementType) -> TransposeLimits {
    const WIDE: &[u64] = &[8, 16, 32];
    match element_type.bits() {
        4 => TransposeLimits {
            elements_per_packet: 16,
            output_alignment: 64,
            max_rows: 16,
            columns: &[16, 32],
        },
        8 => TransposeLimits {
            elements_per_packet: 8,
            output_alignment: 32,
            max_rows: 8,
            columns: WIDE,
        },
        16 => TransposeLimits {
            elements_per_packet: 8,
            output_alignment: 16,
            max_rows: 4,
            columns: WIDE,
        },
        _ => TransposeLimits {
            elements_per_packet: 8,
            output_alignment: 8,
            max_rows: 2,
            columns: WIDE,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts_are_those_of_the_book() {
        use ElementType::{Bf16, F8E4M3, F8E5M2, F16, F32, I4, I8, I16, I32};
        for target in [Target::Rngd, Target::RngdS] {
            let pairs: Vec<_> = ElementType::ALL
                .into_iter()
                .flat_map(|input| {
                    cast_outputs(input, target)
                        .iter()
                        .map(move |&output| (input, output))
                })
                .collect();
            assert_eq!(
                pairs,
                [
                    (I32, I4),
                    (I32, I8),
                    (I32, I16),
                    (F32, F8E5M2),
                    (F32, F8E4M3),
                    (F32, F16),
                    (F32, Bf16)
                ]
            );
        }
    }

    #[test]
    fn transposed_rows_take_eight_bytes_and_packets_thirty_two() {
        for element_type in ElementType::ALL {
            let limits = transpose_limits(element_type);
            assert_eq!(limits.max_rows * element_type.bits(), 64, "{element_type}");
            assert_eq!(
                limits.output_alignment * element_type.bits(),
                256,
                "{element_type}"
            );
            assert!(
                limits
                    .columns
                    .iter()
                    .all(|columns| columns % limits.elements_per_packet == 0)
            );
        }
    }
}

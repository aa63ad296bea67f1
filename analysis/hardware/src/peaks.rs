//! What a chip can do in a cycle at most: the products of its Contraction Engines, beside the bytes of its HBM. Bounds
//! that a kernel is drawn against; no prediction is made of them.

use super::{ElementType, Machine};

/// Bytes that a row of the MAC array multiplies a cycle (book: Stream Adapter).
pub const ROW_BYTES: u64 = 64;

impl Machine {
    /// Products of an element type that all rows of all slices of a chip add up in a cycle.
    pub const fn multiply_accumulates_a_cycle(&self, element_type: ElementType) -> u64 {
        let slices = self.slices * self.clusters;
        slices * self.rows * (ROW_BYTES * 8 / element_type.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::super::HBM_BYTES_A_CYCLE;
    use super::*;

    /// 1.5 TB a second and 512 T products and sums of 8 bits, at 1 GHz, as the chip is sold.
    #[test]
    fn the_peaks_of_the_chip() {
        assert_eq!(HBM_BYTES_A_CYCLE, 1_536);
        let products = |element_type| Machine::RNGD.multiply_accumulates_a_cycle(element_type);
        // 512 slices with 8 rows of 64 bytes.
        assert_eq!(products(ElementType::I8), 262_144);
        assert_eq!(products(ElementType::F8E4M3), 262_144);
        assert_eq!(products(ElementType::Bf16), 131_072);
        assert_eq!(products(ElementType::I4), 524_288);
        // A value less its zero point has a bit more and takes no more room.
        assert_eq!(products(ElementType::I9), 262_144);
    }
}

//! HBM and DM as the DMA engines meet them: units, engines, address bits, and what the parts of a transfer take.
//!
//! How a transfer spreads over them is not known here.

/// Channels of HBM of a chip, both stacks (book: High-Bandwidth Memory).
pub const HBM_CHANNELS: u64 = 32;
/// Channels of a stack (book: High-Bandwidth Memory).
pub const HBM_STACK_CHANNELS: u64 = 16;
/// Bytes of a unit that a channel moves.
pub const HBM_UNIT_BYTES: u64 = super::DMA_REQUEST_BYTES;
/// Thirds of a cycle that a channel takes to move a unit: 4 cycles at 0.75 GHz are 16/3 at 1 GHz (book: Peak Bandwidth).
pub const HBM_UNIT_THIRDS: u64 = 16;
/// Thirds of a cycle from one transfer of a bank to the next in another row: 40 cycles (book: Bank Conflict, Example 4).
pub const HBM_ROW_SWITCH_THIRDS: u64 = 120;
/// How much longer the write of a part of a unit takes than that of the unit (book: Misaligned Access).
pub const HBM_PARTIAL_WRITE_FACTOR: u64 = 50;
/// Bank identities of a channel: the address bits 13, 17 to 20 and 34.
pub const HBM_CHANNEL_BANKS: usize = 64;
/// Commands that a channel's controller keeps (book: Peak Bandwidth).
pub const HBM_CHANNEL_QUEUE: usize = 64;
/// Bytes that all channels of a chip move a cycle: 1,536, or 1.536 TB a second.
pub const HBM_BYTES_A_CYCLE: u64 = HBM_CHANNELS * HBM_UNIT_BYTES * 3 / HBM_UNIT_THIRDS;

/// Slices of a DMN (book: Data Memory).
pub const DMN_SLICES: u64 = 32;
/// Bytes that a DMN moves a cycle (book: Technical Details: Banks and Command Queues).
pub const DMN_BYTES: u64 = 128;
/// Slices that one DMA engine serves: a pair of DMNs (book: Parallelism Strategies).
pub const DMA_ENGINE_SLICES: u64 = 64;
/// Cycles before the first byte of a DMA command (book: Startup Latency).
pub const DMA_START_CYCLES: u64 = 500;
/// Bytes that a link between chips moves a cycle (book: Inter-Chip Transfers).
pub const PCIE_BYTES: u64 = 30;

/// Bytes from one slice's DM to the next as a DMA engine addresses it: 4 MiB (book: DMA Command Syntax).
pub const DM_SLICE_STRIDE_BYTES: u64 = 4 << 20;
/// Slices between the addresses of one cluster's DM and the next one's, however many a kernel has (book: DMA Command Syntax).
pub const CLUSTER_ADDRESS_SLICES: u64 = 256;

/// The channel of a byte address in HBM, both stacks counted through: bit `i` within the stack is the XOR of the address bits
/// `9 + i`, `13 + i`, … up to 28, the stack is bit 8 (book: Address Space in a Chip).
pub const fn hbm_channel(address: u64) -> usize {
    let folded =
        (address >> 9) ^ (address >> 13) ^ (address >> 17) ^ (address >> 21) ^ (address >> 25);
    (((address >> 8) & 1) * HBM_STACK_CHANNELS + (folded & 15)) as usize
}

/// The bank of a byte address within its channel: slice, bank group and bank.
pub const fn hbm_bank(address: u64) -> usize {
    (((address >> 13) & 1) | (((address >> 17) & 15) << 1) | (((address >> 34) & 1) << 5)) as usize
}

/// The row of a byte address within its bank.
pub const fn hbm_row(address: u64) -> u64 {
    ((address >> 21) & 0x1fff) | (((address >> 35) & 1) << 13)
}

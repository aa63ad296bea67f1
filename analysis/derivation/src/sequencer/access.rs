//! How many bytes one access of a sequencer moves, how many accesses there are, and which banks they meet.

use crate::hardware::{
    COMMIT_PACKET_BYTES, COMMIT_UNIT_BYTES, DMA_PACKET_BYTES, DMA_REQUEST_BYTES,
    FETCH_ALIGNMENT_BYTES, FETCH_OUTPUT_BYTES, SEQUENCER_ACCESS_BYTES, sub_context_fetch_bytes,
};
use crate::kernel::Context;
use crate::mapping::gcd;

use super::super::banks::{AccessLevel, longest_bank_run};
use super::entries::{Entry, contiguous_elements, packet_of};
use super::{SequenceReport, SequenceRequest, SequencerMode, SequencerViolation, whole_bytes};

/// Derives how many bytes an access moves, and everything counted in accesses.
pub(super) struct Accesses<'a> {
    pub(super) request: &'a SequenceRequest,
    /// Bits of the packet in the buffer's type.
    pub(super) bits: u64,
}

impl Accesses<'_> {
    pub(super) fn derive_access(&self, report: &mut SequenceReport) {
        let element_bits = self.request.element_type.bits();
        let contiguous = contiguous_elements(&report.merged);
        let Some(contiguous_bits) = contiguous.checked_mul(element_bits) else {
            return;
        };
        report.contiguous_bytes = whole_bytes(contiguous_bits);
        let common = gcd(self.bits, contiguous_bits);
        let access = match self.size(common, contiguous_bits) {
            Ok(access) => access,
            Err(Some(violation)) => {
                report.violations.push(violation);
                return;
            }
            Err(None) => return,
        };
        report.access_bytes = Some(access);
        let accesses_a_packet = self.bits.div_ceil(access * 8);
        report.accesses = self.request.time.size().checked_mul(accesses_a_packet);
        report.cycles = report
            .accesses
            .and_then(|accesses| match self.request.mode {
                SequencerMode::Dma => accesses.checked_mul(access.div_ceil(DMA_REQUEST_BYTES)),
                SequencerMode::Fetch | SequencerMode::Commit => Some(accesses),
            });
        self.banks(access, report);
    }

    /// Bytes of one access, from the bits that divide packet and line both; the violation if none serves, or nothing
    /// where the context is not known.
    fn size(
        &self,
        common_bits: u64,
        contiguous_bits: u64,
    ) -> Result<u64, Option<SequencerViolation>> {
        match self.request.mode {
            SequencerMode::Fetch => self.fetch_size(common_bits, contiguous_bits),
            SequencerMode::Commit => self.commit_size(common_bits, contiguous_bits),
            SequencerMode::Dma => self.dma_packet(common_bits, contiguous_bits),
        }
    }

    fn no_size(&self, contiguous_bits: u64) -> SequencerViolation {
        SequencerViolation::Packet {
            contiguous_bits,
            packet_bits: self.bits,
        }
    }

    fn fetch_size(
        &self,
        common_bits: u64,
        contiguous_bits: u64,
    ) -> Result<u64, Option<SequencerViolation>> {
        if !common_bits.is_multiple_of(8) {
            return Err(Some(self.no_size(contiguous_bits)));
        }
        let from = self.request.element_type;
        let to = self.request.delivered_type;
        let only;
        let sizes: &[u64] = match self.request.context {
            Some(Context::Sub) => {
                only = [sub_context_fetch_bytes(from, to)];
                &only
            }
            Some(_) => &SEQUENCER_ACCESS_BYTES,
            None => return Err(None),
        };
        let mut dividing = sizes
            .iter()
            .copied()
            .filter(|size| common_bits.is_multiple_of(size * 8))
            .peekable();
        let Some(&smallest) = dividing.peek() else {
            let needed = sizes.first().copied().unwrap_or(1);
            return Err(Some(SequencerViolation::SubContextSize {
                needed,
                common_bits,
            }));
        };
        let delivered = |size: u64| size * to.bits() / from.bits();
        let fitting: Vec<u64> = dividing
            .filter(|size| delivered(*size) <= FETCH_OUTPUT_BYTES)
            .collect();
        let Some(&largest) = fitting.last() else {
            return Err(Some(SequencerViolation::CastOverflow {
                fetch: smallest,
                delivered: delivered(smallest),
            }));
        };
        let converts = self.request.whole_words && from != to;
        let whole = |size: u64| {
            if !(size * 8).is_multiple_of(from.bits()) {
                return false;
            }
            let bits = size * 8 / from.bits() * to.bits();
            size >= FETCH_ALIGNMENT_BYTES || bits.is_multiple_of(FETCH_ALIGNMENT_BYTES * 8)
        };
        let mut words = fitting.iter().copied().rev();
        words
            .find(|size| !converts || whole(*size))
            .ok_or(Some(SequencerViolation::CastPart {
                fetch: largest,
                delivered: delivered(largest),
            }))
    }

    fn commit_size(
        &self,
        common_bits: u64,
        contiguous_bits: u64,
    ) -> Result<u64, Option<SequencerViolation>> {
        let packet_bytes = match whole_bytes(self.bits) {
            Some(bytes) if COMMIT_PACKET_BYTES.contains(&bytes) => bytes,
            _ => return Err(Some(SequencerViolation::CommitPacket { bits: self.bits })),
        };
        match whole_bytes(common_bits) {
            Some(bytes) if bytes.is_multiple_of(COMMIT_UNIT_BYTES) => match self.request.context {
                Some(Context::Sub) => Ok(COMMIT_UNIT_BYTES),
                _ => Ok(bytes),
            },
            _ => Err(Some(SequencerViolation::CommitSize {
                contiguous_bits,
                packet_bytes,
            })),
        }
    }

    /// The packet of a DMA: the line as far as the stream's packet goes, at most 4,096 bytes, in whole requests where
    /// the length allows it.
    fn dma_packet(
        &self,
        common_bits: u64,
        contiguous_bits: u64,
    ) -> Result<u64, Option<SequencerViolation>> {
        let Some(bytes) = whole_bytes(common_bits) else {
            let too_long = common_bits > DMA_PACKET_BYTES * 8;
            return Err(Some(if too_long {
                SequencerViolation::DmaPacket { bits: common_bits }
            } else {
                self.no_size(contiguous_bits)
            }));
        };
        packet_of(bytes, DMA_REQUEST_BYTES)
            .or_else(|| packet_of(bytes, 1))
            .ok_or(Some(SequencerViolation::DmaPacket { bits: common_bits }))
    }

    /// Counts the longest run of accesses to one bank.
    fn banks(&self, access: u64, report: &mut SequenceReport) {
        let element_bits = self.request.element_type.bits();
        let covered = access * 8 / element_bits;
        let stride_bits = |stride: Option<i128>| stride?.checked_mul(i128::from(element_bits));
        let Some(mut levels) = report
            .merged
            .iter()
            .map(|entry| {
                Some(AccessLevel {
                    size: entry.size,
                    stride_bits: stride_bits(entry.stride)?,
                })
            })
            .collect::<Option<Vec<_>>>()
        else {
            return;
        };
        let mut touched = access * 8;
        if let (
            Some(Entry {
                stride: Some(stride @ (0 | 1)),
                ..
            }),
            Some(innermost),
        ) = (report.merged.last(), levels.last_mut())
        {
            innermost.size = innermost.size.div_ceil(covered.max(1));
            innermost.stride_bits *= i128::from(covered);
            if *stride == 0 {
                // The packet repeats one element: only its bank is touched.
                touched = element_bits;
            }
        }
        let base = self.request.address.unwrap_or(0).saturating_mul(8);
        report.longest_bank_run = Some(longest_bank_run(&levels, touched, base));
        report.access_levels = levels;
        report.touched_bits = Some(touched);
    }
}

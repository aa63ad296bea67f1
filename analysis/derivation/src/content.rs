//! What an operation is made of, as a number: two operations of the same number are derived alike.
//!
//! The number takes in all that a derivation of one operation reads: the chip, the library, what the operation holds, and the tensors and
//! views that it names, in place of their numbers. Of a register it takes in the stream that was stored there. Where things are written is left out, and so is which number a tensor has in its body, so
//! that an operation keeps its number when text before it grows, and the runs of a loop share one. It has 128 bits and
//! is not compared with the operation itself: two operations that differ share one only by a chance of about 1 in 2^128.

use std::hash::{Hash, Hasher};

use crate::hardware::Target;
use crate::kernel::{
    Body, Operation, OperationId, OperationKind, Origin, StreamShape, Tensor, TensorId, Tier,
};

/// The number of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Content(pub u128);

/// Odd numbers without a pattern, one for each half of the number.
const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03];

/// The number of an operation of a body, or of a changed copy of one, for a chip.
pub fn operation_content(body: &Body, operation: &Operation, target: Target) -> Content {
    hash_operation(body, operation, target, false)
}

/// The same with the places where all of it is written, and with the numbers of the tensors.
pub(crate) fn content_in_place(body: &Body, operation: &Operation, target: Target) -> Content {
    hash_operation(body, operation, target, true)
}

fn hash_operation(body: &Body, operation: &Operation, target: Target, in_place: bool) -> Content {
    let mut contents = Contents {
        body,
        state: [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344],
        seen: Vec::new(),
        in_place,
    };
    target.hash(&mut contents);
    body.dialect.hash(&mut contents);
    match &operation.kind {
        OperationKind::Copy(copy) => copy.hash(&mut contents),
        OperationKind::Pass(pass) => pass.hash(&mut contents),
        OperationKind::Collective(collective) => collective.hash(&mut contents),
    }
    std::mem::discriminant(&operation.kind).hash(&mut contents);
    if in_place {
        operation.span.hash(&mut contents);
    }
    let [low, high] = contents.state;
    Content(u128::from(low) | u128::from(high) << 64)
}

/// Takes in what the derived `Hash` of an operation hands over. Places come as `i128` and tensors as `u128`, see
/// [`crate::items::Span`] and [`TensorId`]; nothing else does.
struct Contents<'a> {
    body: &'a Body,
    state: [u64; 2],
    /// The tensors so far, whose content is taken in once.
    seen: Vec<TensorId>,
    in_place: bool,
}

impl Contents<'_> {
    fn tensor(&mut self, id: TensorId) {
        if self.in_place {
            self.write_u32(id.0);
        }
        let known = self.seen.iter().position(|seen| *seen == id);
        self.write_usize(known.unwrap_or(usize::MAX));
        if known.is_some() {
            return;
        }
        self.seen.push(id);
        // What no derivation of an operation reads: who made the tensor, and when it comes and goes.
        let Some(Tensor {
            id: _,
            name,
            tier,
            element_type,
            exclusive,
            levels,
            address,
            origin,
            is_zeroed: _,
            span,
            created_before: _,
            moved_before: _,
        }) = self.body.tensor(id)
        else {
            return;
        };
        name.hash(self);
        tier.hash(self);
        element_type.hash(self);
        exclusive.hash(self);
        levels.hash(self);
        address.hash(self);
        span.hash(self);
        match origin {
            Origin::Operation(id) => {
                self.write_u8(u8::MAX);
                if *tier == Tier::Vrf {
                    self.stored_stream(*id);
                }
            }
            other => other.hash(self),
        }
    }

    /// The stream that a pass stores in a register: whether a later pass may read the register follows from it.
    fn stored_stream(&mut self, id: OperationId) {
        let operation = self.body.operation(id).map(|operation| &operation.kind);
        if let Some(OperationKind::Pass(pass)) = operation {
            let StreamShape { time, packet, .. } = pass.output();
            time.hash(self);
            packet.hash(self);
        }
    }
}

impl Hasher for Contents<'_> {
    fn finish(&self) -> u64 {
        let [low, _] = self.state;
        low
    }

    fn write_u64(&mut self, value: u64) {
        for (state, factor) in self.state.iter_mut().zip(FACTORS) {
            let product = u128::from(*state ^ value) * u128::from(factor);
            // The halves of a product of 128 bits, on purpose.
            let (low, high) = (product as u64, (product >> 64) as u64);
            *state = low.rotate_left(23) ^ high;
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.write_usize(bytes.len());
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            for (to, from) in word.iter_mut().zip(chunk) {
                *to = *from;
            }
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    fn write_u16(&mut self, value: u16) {
        self.write_u64(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    /// A tensor.
    fn write_u128(&mut self, value: u128) {
        if let Ok(number) = u32::try_from(value) {
            self.tensor(TensorId(number));
        }
    }

    /// A place.
    fn write_i128(&mut self, value: i128) {
        if self.in_place {
            self.write(&value.to_le_bytes());
        }
    }
}

//! Provenance: what is at the positions that a mapping leaves empty, and who takes it for data.
//!
//! A mapping says which positions hold elements; what the others hold depends on who wrote them. For the spatial levels
//! (chip, cluster, slice) it is followed from transfer to pass to pass: a DMA leaves empty positions as they were, a
//! broadcast of the Switch Engine fills them with copies, a reduction leaves what it happened to have. Reading such a
//! position as data is a claim that copies are there ([`claims`]). The other question is asked of reductions: which padded
//! positions they take in although nothing masked them ([`padding`]). What comes from outside, or is behind a tile or a
//! topology that moves positions, is unknown and claims nothing.

pub mod claims;
mod holes;
pub mod padding;

use crate::kernel::{Body, Operation, OperationId, Tensor};

pub use claims::{Claim, ClaimKind};
pub use padding::{PaddingCause, PaddingRead};

/// What an empty position holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Copies of what the live position beside it holds, made by an operation.
    Copies(OperationId),
    /// Whatever was there: the operation that wrote the rest left it.
    Unwritten(OperationId),
    /// Not known.
    Unknown,
}

/// What was derived of a body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProvenanceDerivation {
    /// Copies that are claimed although nothing writes them.
    pub claims: Vec<Claim>,
    /// Padded positions that a reduction takes in.
    pub padding: Vec<PaddingRead>,
    /// Places of reshapes that name copies which are there, or that a claim speaks about.
    pub explained: Vec<crate::items::Span>,
}

impl ProvenanceDerivation {
    /// Whether a reshape names copies that a broadcast left in empty positions.
    pub fn names_copies(&self, reshaped: &Tensor) -> bool {
        reshaped.levels.iter().any(|(level, mapping)| {
            let is_claimed = |claim: &Claim| claim.level == level && claim.method == reshaped.span;
            self.explained.contains(&mapping.span) && !self.claims.iter().any(is_claimed)
        })
    }
}

/// Derives the provenance of a body's tensors.
pub fn derive_provenance(body: &Body) -> ProvenanceDerivation {
    with_padding_of(body, &body.operations.iter().collect::<Vec<_>>())
}

/// The same, with the padding that some operations read.
pub(super) fn with_padding_of(body: &Body, operations: &[&Operation]) -> ProvenanceDerivation {
    let known = holes::follow_body(body);
    let (claims, explained) = claims::derive_claims(body, &known);
    let operations = operations.iter();
    ProvenanceDerivation {
        claims,
        padding: operations
            .flat_map(|operation| padding::of_operation(body, operation))
            .collect(),
        explained,
    }
}

//! Padded positions that a reduction takes in (book: Masking, Padding Strategy).

use crate::items::Span;
use crate::kernel::Body;

/// Padded positions that a reduction or contraction takes in and that nothing masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaddingRead {
    /// Why nothing masks them.
    pub cause: PaddingCause,
    /// Where.
    pub span: Span,
}

/// Why nothing masks padded positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaddingCause {}

/// Finds them.
pub(super) fn derive(_body: &Body) -> Vec<PaddingRead> {
    Vec::new()
}

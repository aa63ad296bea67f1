//! What some releases of NKI refuse.
//!
//! With the release in the settings or in a remark, a finding is reported if that one refuses; else it names those that do.

use super::{Context, Found};
use crate::names::{Api, Mode};
use crate::transfers::{Kind, Transfer};
use crate::types::Space;
use visa_findings::{Finding, Rule, rule};

/// See the declaration.
pub static HWDGE_DTYPE: Rule = rule!(
    Nki: "nki_hwdge_dtype", Toolchain, "derived",
    "a copy by hardware descriptors between different types",
    "Since release 0.3 only the GpSimd Engine's descriptors convert. A `.view` of the other type moves the bits as \
     they are. Convert on a compute engine, use `swdge`, or view one side as the type of the other.",
    alt
);

/// See the declaration.
pub static PSUM_SOURCE: Rule = rule!(
    Nki: "nki_psum_source", Toolchain, "derived",
    "a copy by DMA that reads PSUM",
    "Since release 0.3 DMA does not read PSUM. The Vector or Scalar Engine copies to SBUF first, by `tensor_copy`. \
     The result of a matrix product is moved to a tile in SBUF in this way, and stored from there.",
    alt
);

/// See the declaration.
pub static REMOVED_PARAMETER: Rule = rule!(
    Nki: "nki_removed_parameter", Toolchain, "derived",
    "an argument that the current API does not have",
    "`dst_rmw_op`, `unique_indices` and `mask` belong to the older API. Since release 0.3 `dma_compute` \
     accumulates, and a smaller slice takes the place of a mask. The argument is refused as unknown when the kernel \
     is traced.",
    alt
);

/// A release by its numbers.
#[derive(Debug, Clone, Copy)]
pub struct Since(pub u16, pub u16);

/// Who refuses something. The words are made where a finding says them.
#[derive(Debug, Clone, Copy)]
pub enum Refused {
    /// Releases from one on.
    From(Since),
    /// Releases before one.
    Before(Since),
    /// The release that is set.
    Set(u16, u16),
}

impl std::fmt::Display for Refused {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::From(Since(major, minor)) => {
                write!(out, "releases {major}.{minor} and later refuse")
            }
            Self::Before(Since(major, minor)) => {
                write!(out, "releases before {major}.{minor} refuse")
            }
            Self::Set(major, minor) => write!(out, "release {major}.{minor} refuses"),
        }
    }
}

/// Who refuses what is refused from a release on; `None` where the release that is set takes it.
pub fn refused_since(since: Since, release: Option<(u16, u16)>) -> Option<Refused> {
    match release {
        None => Some(Refused::From(since)),
        Some(set) => (set >= (since.0, since.1)).then_some(Refused::Set(set.0, set.1)),
    }
}

/// Who refuses what is refused before a release; `None` where the release that is set takes it.
pub fn refused_before(since: Since, release: Option<(u16, u16)>) -> Option<Refused> {
    match release {
        None => Some(Refused::Before(since)),
        Some(set) => (set < (since.0, since.1)).then_some(Refused::Set(set.0, set.1)),
    }
}

/// Looks at a transfer. The older API is another package, which these releases say nothing of.
pub fn check_releases(transfer: &Transfer, context: &Context<'_>, found: &mut Vec<Found>) {
    if transfer.api != Api::Current {
        return;
    }
    let Some(refused) = refused_since(Since(0, 3), context.release) else {
        return;
    };
    let (source, destination) = (&transfer.source.tensor, &transfer.destination.tensor);
    if transfer.kind == Kind::Copy
        && let Some((Mode::Hardware, at)) = transfer.mode.known_value()
        && let (Some(from), Some(to)) = (&source.dtype, &destination.dtype)
        && from.is_same(to) == Some(false)
    {
        found.push(
            Finding::new(
                &HWDGE_DTYPE,
                at.value.into(),
                format!("a copy from {from} to {to} by hardware descriptors, which {refused}"),
            )
            .help("use `swdge`, or a `.view` of the same type at both ends"),
        );
    }
    if transfer.kind == Kind::Copy
        && source.space == Some(Space::Psum)
        && let Some(at) = transfer.source.written
    {
        found.push(
            Finding::new(
                &PSUM_SOURCE,
                at.value.into(),
                format!("a copy by DMA out of PSUM, which {refused}"),
            )
            .help("copy to SBUF by `tensor_copy` first"),
        );
    }
    for name in ["dst_rmw_op", "unique_indices", "mask"] {
        if let Some(written) = transfer.keyword(name) {
            let help = match name {
                "mask" => "copy a slice of the length that is left",
                _ => "accumulate by `dma_compute`",
            };
            found.push(
                Finding::new(
                    &REMOVED_PARAMETER,
                    written.whole.into(),
                    format!("`{name}` is an argument of the older API, which {refused}"),
                )
                .help(help),
            );
        }
    }
}

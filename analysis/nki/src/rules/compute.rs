//! What `dma_compute` combines.

use super::{Context, Found};
use crate::transfers::{Kind, Transfer};
use visa_findings::{Finding, Rule, rule};

/// See the declaration.
pub static COMPUTE_OPERATION: Rule = rule!(
    Nki: "nki_compute_operation", Hardware, "derived",
    "`dma_compute` with an operation other than addition, or with a scale",
    "The DMA engines add what they read. Any other operation, or a scale other than 1.0, is the work of a compute \
     engine. Scale on the Scalar or Vector Engine before the transfer, or after it."
);

/// See the declaration.
pub static COMPUTE_SOURCES: Rule = rule!(
    Nki: "nki_compute_sources", Hardware, "derived",
    "`dma_compute` with too many sources, or with other than 2 where there is a `vector_offset`",
    "One instruction adds at most 16 sources. Where rows are chosen at run time it takes two: the one that is \
     gathered or scattered, and one more. Add further sources in a second instruction, with the result of the first \
     as one of its sources."
);

/// The most sources.
const MOST_SOURCES: usize = 16;

/// Looks at a transfer.
pub fn check_compute(transfer: &Transfer, _context: &Context<'_>, found: &mut Vec<Found>) {
    if transfer.kind != Kind::Compute {
        return;
    }
    let combined = &transfer.combined;
    if let Some((operation, at)) = &combined.operation
        && &**operation != "nki.language.add"
        && let Some(name) = operation.strip_prefix("nki.language.")
    {
        found.push(Finding::new(
            &COMPUTE_OPERATION,
            at.value.into(),
            format!("`{name}` in `dma_compute`: the DMA engines only add"),
        ));
    }
    if let Some(at) = combined.scale {
        found.push(
            Finding::new(
                &COMPUTE_OPERATION,
                at.value.into(),
                "a scale other than 1.0 in `dma_compute`: the DMA engines do not scale",
            )
            .help("scale on a compute engine first"),
        );
    }
    let (Some(sources), Some(at)) = (&combined.sources, combined.written) else {
        return;
    };
    let is_offset = sources
        .iter()
        .chain([&transfer.destination.tensor])
        .any(|tensor| {
            tensor
                .gather
                .as_ref()
                .is_some_and(|gather| gather.by_offset)
        });
    let count = sources.len();
    let message = if count > MOST_SOURCES {
        format!("{count} sources: `dma_compute` takes at most {MOST_SOURCES}")
    } else if is_offset && count != 2 {
        format!("{count} sources with a `vector_offset`: `dma_compute` then takes exactly 2")
    } else {
        return;
    };
    found.push(Finding::new(&COMPUTE_SOURCES, at.value.into(), message));
}

//! Tensors that fit no memory of the core.

use super::machine::{PARTITIONS, PSUM_PARTITION, sbuf_partition};
use super::{Context, Found};
use crate::names::Api;
use crate::types::{Space, shape_text};
use crate::values::Allocation;
use visa_findings::{Finding, Rule, rule};

/// See the declaration.
pub static PARTITION_LIMIT: Rule = rule!(
    Nki: "nki_partition_limit", Hardware, "derived",
    "a tensor in SBUF or PSUM with more than 128 partitions",
    "The first axis of a tensor in SBUF or PSUM is the partition, and there are 128. Longer axes are cut into tiles, by a loop or by \
     another axis after the partition axis.",
    alt
);

/// See the declaration.
pub static PARTITION_BYTES: Rule = rule!(
    Nki: "nki_partition_bytes", Hardware, "derived",
    "a tensor with more bytes per partition than the memory has",
    "A partition of PSUM has 16 KiB. One of SBUF has 192 KiB on trn1, 224 KiB on trn2 and 256 KiB on trn3. Where the \
     target is not known, 256 KiB are assumed. Make the free axes smaller, and loop over the rest."
);

/// Looks at the allocations of a file.
pub fn check_allocations(context: &Context<'_>, found: &mut Vec<Found>) {
    for allocation in &context.followed.allocations {
        if !allocation.generations.is_none() {
            check_limits(allocation, found);
        }
    }
}

fn check_limits(allocation: &Allocation, found: &mut Vec<Found>) {
    let tensor = &allocation.tensor;
    let Some(space @ (Space::Sbuf | Space::Psum)) = tensor.space else {
        return;
    };
    let place = tensor.shape_span.or(allocation.loaded_from);
    let (Some(extents), Some(at)) = (tensor.shape.known_extents(), place) else {
        return;
    };
    if let Some(first) = extents.first()
        && (allocation.api == Api::Current || allocation.loaded_from.is_some())
        && !allocation.is_marked
        // Of one axis it is not said which of the two an SBUF tensor has.
        && extents.len() > 1
        && first.exceeds(PARTITIONS) == Some(true)
    {
        let mut finding = Finding::new(
            &PARTITION_LIMIT,
            at.into(),
            format!(
                "{first} partitions in {}, which has {PARTITIONS}",
                space.name()
            ),
        )
        .help(format!("split the first axis into tiles of {PARTITIONS}"));
        if let Some(number) = first.value().filter(|_| allocation.loaded_from.is_none()) {
            let tiles = number.saturating_add(PARTITIONS - 1) / PARTITIONS;
            let mut shape = vec![PARTITIONS.to_string(), tiles.to_string()];
            shape.extend(extents.iter().skip(1).map(ToString::to_string));
            finding = finding.help(format!(
                "{tiles} tiles of {PARTITIONS}: a loop, or shape ({})",
                shape.join(", ")
            ));
        }
        found.push(finding);
        return;
    }
    let limit = match space {
        Space::Psum => PSUM_PARTITION,
        _ => sbuf_partition(allocation.generations),
    };
    let Some(bytes) = tensor.partition_bytes() else {
        return;
    };
    if bytes.exceeds(limit) == Some(true) {
        let dtype = tensor
            .dtype
            .as_ref()
            .map_or_else(String::new, ToString::to_string);
        found.push(
            Finding::new(
                &PARTITION_BYTES,
                at.into(),
                format!(
                    "{bytes} bytes per partition of {} for {} {dtype}; a partition has {limit}",
                    space.name(),
                    shape_text(extents)
                ),
            )
            .help("split the axes after the partition axis into tiles"),
        );
    }
}

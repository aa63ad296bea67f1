//! Rules of the group "style": mappings that say more than they need to.

use crate::items::{MappingRemark, MappingRemarkKind, MappingSite};

use super::{Applicability, Checked, Finding, Rule, rule};

pub(crate) static REDUNDANT_MAPPING_OP: Rule = rule!(
    "redundant_mapping_op",
    Style,
    Mappings,
    "Equivalent Mapping",
    "an operator or a factor of a mapping that changes nothing",
    "Two mappings are equivalent when they hold the same element at every position, and the engines only see what is \
     held. A stride of 1, padding up to the size that is there, a modulo or resize of the whole, and a factor of one \
     position in a pair change no position. A reader looks for a meaning that they do not have.",
    fix,
);

pub(crate) static UNMERGED_FACTORS: Rule = rule!(
    "unmerged_factors",
    Style,
    Mappings,
    "Equivalent Mapping",
    "neighbouring factors that are one axis again",
    "`A / 4, A % 4` counts through `A` in blocks and inside of each block: that is `A`, position by position. Split \
     factors are worth writing where something is between them, or where one of them is padded. Side by side they \
     only hide that the axis is in one line, which is what the sequencers make of it anyway.",
    fix,
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[&REDUNDANT_MAPPING_OP, &UNMERGED_FACTORS];

/// These rules look at items, not at bodies: see [`check_sites`].
pub(super) fn check_style(_: &Checked<'_>, _: &mut Vec<Finding>) {}

/// What is remarked about the mappings of an item.
pub(super) fn check_sites(sites: &[MappingSite]) -> Vec<Finding> {
    let remarks = sites.iter().flat_map(|site| &site.remarks);
    remarks.filter_map(to_finding).collect()
}

fn to_finding(remark: &MappingRemark) -> Option<Finding> {
    match &remark.kind {
        MappingRemarkKind::BareNumber(_) => None,
        MappingRemarkKind::Redundant {
            written,
            count,
            simpler,
            whole,
        } => {
            let more = match count - 1 {
                0 => String::new(),
                1 => ", and one part more".to_owned(),
                more => format!(", and {more} parts more"),
            };
            let message =
                format!("`{written}` changes nothing{more}: the mapping is `m![{simpler}]`");
            Some(
                Finding::new(&REDUNDANT_MAPPING_OP, remark.span, message).fix(
                    Applicability::Machine,
                    format!("Write `m![{simpler}]`"),
                    *whole,
                    simpler.clone(),
                ),
            )
        }
        MappingRemarkKind::Unmerged { written, merged } => {
            let message = format!("`{written}` is `{merged}`, position by position");
            Some(Finding::new(&UNMERGED_FACTORS, remark.span, message).fix(
                Applicability::Machine,
                format!("Write `{merged}`"),
                remark.span,
                merged.clone(),
            ))
        }
    }
}

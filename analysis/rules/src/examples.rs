//! Kernels of the current library for the rules whose first kernels are the book's.
//!
//! A rule is declared with one wrong and one right kernel. Where that pair is written for the book's library and there is one for
//! the current library as well, it is here, so that a page shows what authors write today.

use crate::items::Dialect;

use crate::libraries::dialect_line;

/// A wrong kernel and the nearest right one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// What the rule finds something in.
    pub wrong: &'static str,
    /// What it finds nothing in.
    pub right: &'static str,
}

impl Example {
    /// The dialect of a kernel of a fixture: that of its first line, else the book's.
    pub fn dialect(kernel: &str) -> Dialect {
        dialect_line(kernel).unwrap_or_default()
    }
}

/// The kernels for the current library of a rule whose own are for the book's.
pub(super) fn current_example(rule: &str) -> Option<Example> {
    let found = CURRENT.iter().find(|(name, _)| *name == rule);
    found.map(|(_, example)| *example)
}

/// Both kernels of a rule by the names of their files.
macro_rules! example {
    ($rule:literal, $wrong:literal, $right:literal) => {
        (
            $rule,
            Example {
                wrong: include_str!(concat!(
                    env!("CARGO_MANIFEST_DIR"),
                    "/violations/",
                    $rule,
                    "/wrong_",
                    $wrong,
                    ".rs"
                )),
                right: include_str!(concat!(
                    env!("CARGO_MANIFEST_DIR"),
                    "/violations/",
                    $rule,
                    "/right_",
                    $right,
                    ".rs"
                )),
            },
        )
    };
    ($rule:literal, $both:literal) => {
        example!($rule, $both, $both)
    };
}

/// By the rules' names.
const CURRENT: &[(&str, Example)] = &[
    example!("accumulator_capacity", "opt_std_0_8"),
    example!("align_packet_mismatch", "opt_std_0_8"),
    example!("align_time_mismatch", "opt_std_0_8"),
    example!("alu_reuse", "opt_std_0_10"),
    example!("cast_packet", "opt_std_0_10"),
    example!("cast_unsupported", "opt_std_0_6"),
    example!("chip_size", "opt_std_0_10"),
    example!("claimed_replication", "gather_opt_std_0_6"),
    example!("cluster_size", "opt_std_0_10"),
    example!("collect_packet_mismatch", "opt_std_0_10"),
    example!("collect_packet_size", "opt_std_0_10"),
    example!("collect_time_mismatch", "opt_std_0_10"),
    example!("commit_mapping", "trim_opt_std_0_8"),
    example!("commit_packet_size", "opt_std_0_10"),
    example!("dm_capacity", "opt_std_0_8"),
    example!("dma_alignment", "slice_opt_std_0_8"),
    example!("duplicate_axis", "opt_std_0_8"),
    example!("fetch_cast_unsupported", "opt_std_0_10"),
    example!("mapping_syntax", "opt_std_0_8", "opt_std_0_10"),
    example!("operand_mapping", "opt_std_0_8"),
    example!("pipeline_order", "opt_std_0_10"),
    example!("redundant_mapping_op", "opt_std_0_8"),
    example!("sequencer_entries", "opt_std_0_10"),
    example!("sequencer_incompatible", "opt_std_0_10"),
    example!("slice_size", "opt_std_0_4"),
    example!("switch_broadcast_axis_reused", "opt_std_0_8"),
    example!("switch_not_innermost", "opt_std_0_8"),
    example!("switch_order", "opt_std_0_8"),
    example!("switch_parameters", "opt_std_0_6"),
    example!("switch_ring_too_large", "opt_std_0_8"),
    example!("switch_ring_too_small", "opt_std_0_8"),
    example!("switch_topology_mismatch", "opt_std_0_8"),
    example!("tensor_lost", "plan_opt_std_0_8"),
    example!("tile_mismatch", "opt_std_0_10", "opt_std_0_8"),
    example!("tile_out_of_bounds", "opt_std_0_10"),
    example!("transpose_packet", "opt_std_0_8"),
    example!("transpose_rows", "opt_std_0_8"),
    example!("trf_capacity", "sum_opt_std_0_8"),
    example!("unknown_axis", "opt_std_0_8"),
    example!("vector_stage_order", "opt_std_0_6"),
    example!("vrf_capacity", "opt_std_0_8"),
    example!("way_shape", "opt_std_0_8"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::libraries::Library;
    use crate::{RuleTexts as _, family_rules};

    #[test]
    fn every_row_is_of_a_rule_and_for_the_current_library() {
        for (name, example) in CURRENT {
            assert!(family_rules().any(|rule| rule.name == *name), "{name}");
            for kernel in [example.wrong, example.right] {
                assert_eq!(Example::dialect(kernel).library, Library::OptStd, "{name}");
            }
        }
    }

    #[test]
    fn a_rule_shows_the_library_that_is_asked_for_where_it_can() {
        let rule = crate::find("dm_capacity").expect("a rule");
        assert!(
            rule.example(Library::OptStd)
                .wrong
                .contains("furiosa_opt_std")
        );
        assert!(
            rule.example(Library::VisaStd)
                .wrong
                .contains("furiosa_visa_std")
        );
        let book = crate::find("dm_overlap").expect("a rule");
        assert_eq!(book.example_for(Library::OptStd), None);
        assert_eq!(book.example(Library::OptStd).wrong, book.wrong);
        let current = crate::find("other_release_api").expect("a rule");
        assert_eq!(current.example(Library::VisaStd).wrong, current.wrong);
    }
}

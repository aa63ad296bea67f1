//! The families of rules about kernels in Rust, in the catalogue's order, and what each of them needs.

use super::{Checked, Finding, Rule};
use super::{
    banks, budgets, cast, collect, commit, contexts, contraction, coverage, device_language, dma,
    dma_performance, fetch, hazards, library, mapping_expressions, memory, operand_slots,
    other_release, performance, pipeline, placement, plans, provenance, schedule, sequencer, steps,
    style, suppressions, switch, tensors, transpose, valid_count, vector, versions,
};

/// What a family's check asks for beside the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    /// Nothing.
    Body,
    /// What the engines make of it.
    Derivation,
    /// What it costs as well.
    Simulation,
}

/// What a family's findings come of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judges {
    /// Of single operations, as far as they come of what is derived of these: its operations, moves, commits in place, padding that is
    /// read, digits that streams repeat, and limits of the library. See [`crate::derivation::partial`].
    EachOperation,
    /// Of the whole body.
    Body,
}

/// A family of rules.
pub(super) struct Family {
    pub(super) rules: &'static [&'static Rule],
    /// Rules of other families that this one finds breaches of as well.
    pub(super) also: &'static [&'static Rule],
    pub(super) needs: Needs,
    pub(super) judges: Judges,
    pub(super) check: fn(&Checked<'_>, &mut Vec<Finding>),
}

/// The families, in the catalogue's order.
pub(super) const FAMILIES: &[Family] = &[
    Family {
        rules: mapping_expressions::RULES,
        also: &[],
        needs: Needs::Body,
        judges: Judges::EachOperation,
        check: mapping_expressions::check_mapping_expressions,
    },
    Family {
        rules: tensors::RULES,
        also: &[&contraction::TRF_ROW_COUNT],
        needs: Needs::Derivation,
        judges: Judges::Body,
        check: tensors::check_tensors,
    },
    Family {
        rules: memory::RULES,
        also: &[
            &tensors::DM_CAPACITY,
            &tensors::TRF_CAPACITY,
            &tensors::VRF_CAPACITY,
        ],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: memory::check_memory,
    },
    Family {
        rules: provenance::RULES,
        also: &[],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: provenance::check_provenance,
    },
    Family {
        rules: sequencer::RULES,
        also: &[],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: sequencer::check_sequencer,
    },
    Family {
        rules: fetch::RULES,
        also: &[&sequencer::SEQUENCER_INCOMPATIBLE],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: fetch::check_fetch,
    },
    Family {
        rules: switch::RULES,
        also: &[&performance::switch::SWITCH_RING_TOO_LARGE],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: switch::check_switch,
    },
    Family {
        rules: collect::RULES,
        also: &[&memory::TENSOR_LOST],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: collect::check_collect,
    },
    Family {
        rules: contexts::RULES,
        also: &[],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: contexts::check_contexts,
    },
    Family {
        rules: operand_slots::RULES,
        also: &[],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: operand_slots::check_operand_slots,
    },
    Family {
        rules: steps::OWN,
        also: steps::RULES,
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: steps::check_steps,
    },
    Family {
        rules: pipeline::RULES,
        also: &[],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: pipeline::check_pipeline,
    },
    Family {
        rules: contraction::RULES,
        also: &[],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: contraction::check_contraction,
    },
    Family {
        rules: vector::RULES,
        also: &[],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: vector::check_vector,
    },
    Family {
        rules: valid_count::RULES,
        also: &[],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: valid_count::check_valid_count,
    },
    Family {
        rules: cast::RULES,
        also: &[],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: cast::check_cast,
    },
    Family {
        rules: transpose::RULES,
        also: &[],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: transpose::check_transpose,
    },
    Family {
        rules: commit::RULES,
        also: &[],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: commit::check_commit,
    },
    Family {
        rules: dma::RULES,
        also: &[],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: dma::check_dma,
    },
    Family {
        rules: dma_performance::RULES,
        also: &[],
        needs: Needs::Simulation,
        judges: Judges::Body,
        check: dma_performance::check_dma_performance,
    },
    Family {
        rules: banks::RULES,
        also: &[],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: banks::check_banks,
    },
    Family {
        rules: library::RULES,
        also: &[],
        needs: Needs::Derivation,
        judges: Judges::EachOperation,
        check: library::check_library,
    },
    Family {
        rules: other_release::RULES,
        also: &[],
        needs: Needs::Body,
        judges: Judges::Body,
        check: other_release::check_other_release,
    },
    Family {
        rules: versions::RULES,
        also: &[],
        needs: Needs::Body,
        judges: Judges::Body,
        check: versions::check_versions,
    },
    Family {
        rules: placement::RULES,
        also: &[],
        needs: Needs::Derivation,
        judges: Judges::Body,
        check: placement::check_placement,
    },
    Family {
        rules: plans::RULES,
        also: &[&dma::DMA_ALIGNMENT, &tensors::SPM_CAPACITY],
        needs: Needs::Body,
        judges: Judges::Body,
        check: plans::check_plans,
    },
    Family {
        rules: hazards::RULES,
        also: &[
            &contexts::CONTEXT_RESTRICTION,
            &device_language::KERNEL_LANGUAGE,
            &provenance::CLAIMED_REPLICATION,
            &sequencer::SEQUENCER_INCOMPATIBLE,
        ],
        needs: Needs::Derivation,
        judges: Judges::Body,
        check: hazards::check_hazards,
    },
    Family {
        rules: device_language::RULES,
        also: &[],
        needs: Needs::Body,
        judges: Judges::Body,
        check: device_language::check_device_language,
    },
    Family {
        rules: style::RULES,
        also: &[],
        needs: Needs::Body,
        judges: Judges::Body,
        check: style::check_style,
    },
    Family {
        rules: schedule::COMBINED,
        also: &[],
        needs: Needs::Simulation,
        judges: Judges::Body,
        check: schedule::check_combined,
    },
    Family {
        rules: schedule::RULES,
        also: &[],
        needs: Needs::Simulation,
        judges: Judges::Body,
        check: schedule::check_schedule,
    },
    Family {
        rules: performance::fetch::RULES,
        also: &[],
        needs: Needs::Simulation,
        judges: Judges::Body,
        check: performance::fetch::check_fetch_performance,
    },
    Family {
        rules: performance::lookup::RULES,
        also: &[],
        needs: Needs::Simulation,
        judges: Judges::Body,
        check: performance::lookup::check_lookup_performance,
    },
    Family {
        rules: performance::switch::RULES,
        also: &[],
        needs: Needs::Simulation,
        judges: Judges::Body,
        check: performance::switch::check_switch_performance,
    },
    Family {
        rules: performance::contraction::RULES,
        also: &[],
        needs: Needs::Simulation,
        judges: Judges::Body,
        check: performance::contraction::check_contraction_performance,
    },
    Family {
        rules: performance::vector::RULES,
        also: &[],
        needs: Needs::Simulation,
        judges: Judges::Body,
        check: performance::vector::check_vector_performance,
    },
    Family {
        rules: transpose::BUFFERS,
        also: &[],
        needs: Needs::Simulation,
        judges: Judges::Body,
        check: transpose::check_buffers,
    },
    Family {
        rules: performance::commit::RULES,
        also: &[],
        needs: Needs::Simulation,
        judges: Judges::Body,
        check: performance::commit::check_commit_performance,
    },
    Family {
        rules: performance::machine::RULES,
        also: &[],
        needs: Needs::Simulation,
        judges: Judges::Body,
        check: performance::machine::check_machine_performance,
    },
    Family {
        rules: performance::slow::RULES,
        also: &[],
        needs: Needs::Simulation,
        judges: Judges::Body,
        check: performance::slow::check_slow_passes,
    },
    Family {
        rules: budgets::RULES,
        also: &[],
        needs: Needs::Simulation,
        judges: Judges::Body,
        check: budgets::check_budget,
    },
    Family {
        rules: coverage::RULES,
        also: &[],
        needs: Needs::Body,
        judges: Judges::Body,
        check: coverage::check_coverage,
    },
    Family {
        rules: suppressions::RULES,
        also: &[],
        needs: Needs::Body,
        judges: Judges::Body,
        check: suppressions::check_suppressions,
    },
];

/// The rule of this room of that name.
pub(super) fn find(name: &str) -> Option<&'static Rule> {
    family_rules().find(|rule| rule.is_called(name))
}

/// Every rule about kernels in Rust, and those about files of all languages, in the catalogue's order.
pub fn family_rules() -> impl Iterator<Item = &'static Rule> {
    FAMILIES
        .iter()
        .flat_map(|family| family.rules.iter().copied())
}

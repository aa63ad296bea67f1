//! Custom rings that are larger than they need be, or that a regular topology does without set-up.

use crate::derivation::StageDerivation;
use crate::derivation::switch;
use crate::hardware::Machine;
use crate::items::Span;
use crate::kernel::{Stage, StageKind, SwitchConfig, Written};
use crate::numbers::counted;
use crate::simulation::{Changed, what_if};

use super::super::{Applicability, Checked, Finding, Group, Rule, rule};
use super::{Costed, costed_passes, effect_saving, with_saving, worth};
use crate::libraries::Release;

pub(crate) static SWITCH_RING_TOO_LARGE: Rule = rule!(
    "switch_ring_too_large",
    Performance,
    Switch,
    "Custom Topologies",
    "a custom ring is larger than the exchange needs",
    "In a ring every packet goes past every slice: a switch takes the ring's size times the iterations times the flits of a \
     packet. A ring larger than the run of slices that exchange data carries packets past slices that have no use for \
     them. The smallest valid ring reaches up to the outermost part of the slices that moves. \
     Reported where the whole pass gets a tenth faster and the kernel 2 % and 100 cycles (without a total, the pass 500 cycles). \
     The current library takes no other ring than the least one from release 0.5 on: there every larger one is reported, as an error.",
    fix;
    graver: Some((Release::new(0, 5), Group::Hardware)),
    refused: Refusal::since(5),
);

pub(crate) static SWITCH_CUSTOM_IS_REGULAR: Rule = rule!(
    "switch_custom_is_regular",
    Performance,
    Switch,
    "Configuration Overhead",
    "a custom ring does what a regular topology does without a set-up",
    "A custom ring is set up by writing a bitmap to special registers. For that the transfers and the sub context are \
     preempted: prefetches during the pass wait. The regular topologies are wired and need no set-up. Reported \
     wherever one of them makes the same slices and the same time of the same input, in no more cycles.",
    fix,
);

/// The family's rules.
pub(in super::super) const RULES: &[&Rule] = &[&SWITCH_RING_TOO_LARGE, &SWITCH_CUSTOM_IS_REGULAR];

pub(in super::super) fn check_switch_performance(
    checked: &Checked<'_>,
    findings: &mut Vec<Finding>,
) {
    for costed in costed_passes(checked) {
        for (index, stage, derived) in costed.stages() {
            // A ring that the library refuses is another finding.
            if !derived.is_legal() {
                continue;
            }
            if let (StageKind::Switch(config), StageDerivation::Switch(derived)) =
                (&stage.kind, derived)
                && let Some(SwitchConfig::CustomBroadcast { ring_size }) = config.get()
            {
                // A regular topology leaves no ring to choose.
                findings.extend(
                    regular_topology_finding(&costed, index, stage, config).or_else(|| {
                        smaller_ring_finding(&costed, index, ring_size, derived.least_ring)
                    }),
                );
            }
        }
    }
}

fn with_config(costed: &Costed<'_>, index: usize, config: &SwitchConfig) -> Option<Changed> {
    what_if(costed.known, costed.operation.id, |pass| {
        if let Some(stage) = pass.stages.get_mut(index) {
            stage.kind = switch_stage_kind(stage, config);
        }
    })
}

fn switch_stage_kind(stage: &Stage, config: &SwitchConfig) -> StageKind {
    StageKind::Switch(Written::new(config.clone(), stage.span))
}

fn smaller_ring_finding(
    costed: &Costed<'_>,
    index: usize,
    ring_size: &Written<u64>,
    least: Option<u64>,
) -> Option<Finding> {
    let (size, least) = (*ring_size.get()?, least?);
    if least >= size {
        return None;
    }
    let config = SwitchConfig::CustomBroadcast {
        ring_size: Written::new(least, ring_size.span),
    };
    let saving = worth(costed.known, &with_config(costed, index, &config)?)?;
    let finding = Finding::new(
        &SWITCH_RING_TOO_LARGE,
        ring_size.span,
        format!(
            "a ring of {size} slices, where {least} hold every exchange: {} cycles become {}",
            saving.operation_before, saving.operation_after
        ),
    )
    .fix(
        Applicability::Machine,
        format!("Make the ring {}", counted(least, "slice")),
        ring_size.span,
        least,
    );
    Some(with_saving(finding, saving))
}

fn regular_topology_finding(
    costed: &Costed<'_>,
    index: usize,
    stage: &Stage,
    config: &Written<SwitchConfig>,
) -> Option<Finding> {
    let mut best: Option<(SwitchConfig, Changed)> = None;
    for candidate in topologies(costed.pass.machine, config.span) {
        let mut changed = costed.pass.clone();
        changed.stages.get_mut(index)?.kind = switch_stage_kind(stage, &candidate);
        if !switch::derive_switch(&changed, index).violations.is_empty() {
            continue;
        }
        if let Some(changed) = with_config(costed, index, &candidate)
            && changed.operation.1 <= changed.operation.0
            && best
                .as_ref()
                .is_none_or(|(_, best)| changed.operation.1 < best.operation.1)
        {
            best = Some((candidate, changed));
        }
    }
    let (candidate, changed) = best?;
    let library = costed.pass.library();
    let text = library.write_switch(&candidate)?;
    let finding = Finding::new(
        &SWITCH_CUSTOM_IS_REGULAR,
        config.span,
        format!("`{text}` does the same, and needs no set-up that preempts transfers and the sub context"),
    )
    .fix(
        Applicability::Machine,
        format!("Use `{text}`"),
        config.span,
        format!("{}::{text}", library.words.switch_type),
    );
    Some(with_saving(
        finding,
        effect_saving(changed.effect(costed.known)),
    ))
}

/// The regular topologies that put what leaves the slices innermost in time, as a custom ring does.
fn topologies(machine: Machine, span: Span) -> impl Iterator<Item = SwitchConfig> {
    type Kind = fn(Written<u64>, Written<u64>) -> SwitchConfig;
    let kinds: [Kind; 4] = [
        |slice1, slice0| SwitchConfig::Broadcast1 { slice1, slice0 },
        |slice1, slice0| SwitchConfig::TransposedBroadcast1 { slice1, slice0 },
        |slice1, slice0| SwitchConfig::Transpose { slice1, slice0 },
        |slice1, slice0| SwitchConfig::Broadcast01 {
            time0: Written::new(1, slice0.span),
            slice1,
            slice0,
        },
    ];
    let powers = move || machine.rings();
    kinds.into_iter().flat_map(move |kind| {
        powers()
            .flat_map(move |slice0| powers().map(move |slice1| (slice1, slice0)))
            .filter(move |(slice1, slice0)| (2..=machine.slices).contains(&(slice1 * slice0)))
            .map(move |(slice1, slice0)| {
                kind(Written::new(slice1, span), Written::new(slice0, span))
            })
    })
}

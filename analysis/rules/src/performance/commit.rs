//! Packets that are written in pieces because their parts are apart in the committed tensor.

use std::sync::Arc;

use crate::alternatives::SuggestMappings as _;
use crate::derivation::{EndDerivation, OperationDerivation, derive_body};
use crate::kernel::{
    Body, Context, OperationKind, Origin, PassEnd, PassSource, Tensor, TensorId, Tier,
};
use crate::mapping::{Form, Mapping};
use crate::simulation::{Effect, simulate};

use super::super::wording::at_uses;
use super::super::{Applicability, Checked, Finding, Rule, rule};
use super::{Costed, weighty_passes, with_saving, worth_for_kernel};

pub(crate) static COMMIT_SPLIT_WRITES: Rule = rule!(
    "commit_split_writes",
    Performance,
    Commit,
    "Commit Sequencer, Tail Padding",
    "a packet is written in several pieces, where another order or padding of the tensor would make it one",
    "A write puts contiguous bytes into DM, up to a whole flit a cycle. If the parts of a packet are apart in the \
     tensor, by its order or by padding, each part is a separate write. The pass waits for its commits. With the \
     packet's parts side by side the flit is one write; the operations that read the tensor are costed with the other \
     order too. Reported where the whole pass gets a tenth faster and the kernel 2 % and 100 cycles (without a total, \
     the pass 500 cycles).",
    fix,
);

/// The family's rules.
pub(in super::super) const RULES: &[&Rule] = &[&COMMIT_SPLIT_WRITES];

/// Bodies that are simulated again for this rule, before the rest is left as it is.
const BODY_LIMIT: usize = 4;

pub(in super::super) fn check_commit_performance(
    checked: &Checked<'_>,
    findings: &mut Vec<Finding>,
) {
    let mut budget = BODY_LIMIT;
    for costed in weighty_passes(checked) {
        if let EndDerivation::Commit(derived) = &costed.derived.end
            && let PassEnd::Commit { target, .. } = costed.pass.end
            && costed.pass.context == Some(Context::Main)
            && let Some(writes) = derived.writes_per_packet.filter(|writes| *writes > 1)
            && let Some(elements) = derived
                .sequence
                .as_ref()
                .and_then(|report| report.packet_elements)
            && let Some(left) = budget.checked_sub(1)
        {
            budget = left;
            findings.extend(one_write(&costed, target, writes, elements));
        }
    }
}

fn one_write(costed: &Costed<'_>, target: TensorId, writes: u64, elements: u64) -> Option<Finding> {
    let body = costed.known.body;
    let tensor = body.tensor(target)?;
    let element = tensor.levels.element.get()?;
    let packet = costed.pass.output().packet.get()?;
    let joined = side_by_side(element, packet, elements)?;
    let readers = plain_views(body, target)?;
    let changed = with_element(body, tensor, &readers, &joined);
    let derivation = derive_body(&changed, costed.known.target);
    let operations = body.operations.iter().zip(&derivation.operations);
    let legal = operations
        .zip(&costed.known.derivation.operations)
        .all(|((_, new), old)| match (new, old) {
            (OperationDerivation::Pass(new), OperationDerivation::Pass(old)) => {
                new.is_legal() || !old.is_legal()
            }
            _ => true,
        });
    let grown = derivation.tensors != costed.known.derivation.tensors
        || derivation.memory.violations.len() > costed.known.derivation.memory.violations.len();
    if !legal || grown {
        return None;
    }
    let simulation = simulate(
        &changed,
        &derivation,
        costed.known.target,
        costed.known.simulation.model,
    );
    let index = usize::try_from(costed.operation.id.0).ok()?;
    let saving = worth_for_kernel(Effect {
        operation: (
            costed.cost.cycles?,
            simulation.operations.get(index)?.cycles?,
        ),
        body: costed.known.simulation.total().zip(simulation.total()),
    })?;
    let finding = Finding::new(
        &COMMIT_SPLIT_WRITES,
        tensor.levels.element.span,
        format!(
            "each packet takes {writes} writes, because its parts are apart in the tensor; contiguous, they take {} cycles \
             instead of {}",
            saving.operation_after, saving.operation_before
        ),
    );
    let replaced = at_uses(&[(&tensor.levels.element, &joined)]);
    let words = ("the element with the packet contiguous: ", "{}");
    let method = costed.operation.span;
    let finding = finding.suggest(words, Applicability::Maybe, method, &replaced);
    Some(with_saving(finding, saving))
}

/// The element with the packet's digits innermost, in the packet's order, and the others around them as they are.
fn side_by_side(element: &Mapping, packet: &Mapping, elements: u64) -> Option<Mapping> {
    if element.is_opaque() || packet.is_opaque() {
        return None;
    }
    let packet = packet.form().remove_padding();
    if packet.size() != elements {
        return None;
    }
    let digits = element.form().digits().iter();
    let outer = digits.filter(|digit| {
        let held = packet.digits().iter().any(|part| part.term == digit.term);
        digit.term.is_some() && !held
    });
    let outer = Form::from_digits(outer.cloned())?;
    let joined = Form::multiply(&outer, &packet)?;
    // Nothing may be left out or added: digits that are cut otherwise are left alone.
    (joined.live_size() == element.form().live_size()).then(|| joined.to_mapping())
}

/// The plain views of a tensor; `None` where it is tiled, reshaped or returned, so that its order matters elsewhere.
fn plain_views(body: &Body, target: TensorId) -> Option<Vec<TensorId>> {
    if body.escaping.contains(&target) {
        return None;
    }
    let mut same = vec![target];
    for tensor in &body.tensors {
        match &tensor.origin {
            Origin::View { of, tile } if same.contains(of) => {
                if tile.is_some() || body.escaping.contains(&tensor.id) {
                    return None;
                }
                same.push(tensor.id);
            }
            Origin::Reshape { of } if same.contains(of) => return None,
            _ => {}
        }
    }
    Some(same)
}

/// The body with that element, and with what the operations that read it begin with.
fn with_element(body: &Body, tensor: &Tensor, same: &[TensorId], element: &Mapping) -> Body {
    let mut changed = body.clone();
    for other in &mut changed.tensors {
        if same.contains(&other.id)
            && other.tier == Tier::Dm
            && other.levels.element == tensor.levels.element
        {
            other.levels.element.value = Some(element.clone());
        }
    }
    for operation in &mut changed.operations {
        let OperationKind::Pass(pass) = &mut operation.kind else {
            continue;
        };
        let reads = match &pass.source {
            PassSource::Tensor(source) => same.contains(source),
            PassSource::Interleaved { tensors, .. } => tensors.iter().any(|id| same.contains(id)),
            PassSource::Parameter { .. } => false,
        };
        if reads {
            Arc::make_mut(pass).begin.packet.value = Some(element.clone());
        }
    }
    changed
}

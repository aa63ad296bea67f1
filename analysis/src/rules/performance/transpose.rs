//! Transposes of 32 columns, which need both buffers at once.

use crate::derivation::StageDerivation;
use crate::derivation::transpose::TransposeMatrix;
use crate::simulation::what_if_stages;

use super::super::{Checked, Finding, Rule, rule};
use super::{Costed, weighty_passes, with_estimate, worth};

pub(in crate::rules) static TRANSPOSE_SINGLE_BUFFER: Rule = rule!(
    "transpose_single_buffer",
    Performance,
    "Double Buffering",
    "a transpose of 32 columns, which cannot fill one buffer while the other empties",
    "The engine has two buffers of 16 columns. A matrix of up to 16 columns fills one while the matrix before it leaves the \
     other; one of 32 columns takes both, and input and output take turns. Half the packets of a row at a time, the other half in \
     an outer iteration, turn the same elements with both buffers at work. \
     Reported where the whole pass gets a tenth faster and the kernel 2 % and 100 cycles (without a total, the pass 500 cycles).",
);

/// The family's rules.
pub(in super::super) const RULES: &[&Rule] = &[&TRANSPOSE_SINGLE_BUFFER];

pub(in super::super) fn check(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for costed in weighty_passes(checked) {
        for (index, stage, derived) in costed.stages() {
            if let StageDerivation::Transpose(derived) = derived
                && let Some(matrix) = &derived.matrix
                && !matrix.double_buffered()
            {
                findings.extend(halved(&costed, index, matrix).map(|finding| Finding {
                    span: stage.output.time.span,
                    ..finding
                }));
            }
        }
    }
}

/// The same elements in matrices of half as many columns.
fn half(matrix: &TransposeMatrix) -> Option<TransposeMatrix> {
    let even = |number: u64| number.is_multiple_of(2).then_some(number / 2);
    Some(TransposeMatrix {
        in_cols: even(matrix.in_cols)?,
        packets_per_column: even(matrix.packets_per_column)?,
        out_rows: even(matrix.out_rows)?,
        iterations: matrix.iterations.checked_mul(2)?,
        ..*matrix
    })
}

fn halved(costed: &Costed<'_>, index: usize, matrix: &TransposeMatrix) -> Option<Finding> {
    let half = half(matrix)?;
    let (single, double) = (matrix.cycles()?, half.cycles()?);
    let mut stages = costed.cost.stages.clone();
    stages
        .iter_mut()
        .find(|stage| stage.stage == Some(index))?
        .busy = Some(double);
    let saving = worth(
        costed.known,
        &what_if_stages(costed.known, costed.operation.id, &stages)?,
    )?;
    let finding = Finding::new(
        &TRANSPOSE_SINGLE_BUFFER,
        costed.operation.span,
        format!(
            "{} columns take both buffers, so that input and output alternate, {single} cycles; {} columns would leave one for each",
            matrix.in_cols, half.in_cols
        ),
    )
    .help("leave half of the packets of a row in the iterations outside of the rows");
    Some(with_estimate(finding, saving))
}

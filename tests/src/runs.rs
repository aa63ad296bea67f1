//! Runs of kernels as nobody wrote inputs for them, and the proof by junk: no defined element of an output may depend on an undefined
//! one.

use std::collections::BTreeMap;
use std::sync::Arc;

use visa_analysis::{
    Analysis, IndexRange, InputPlace, InputValue, Layout, RunInput, RunOutput, RunRefusal,
    RunReport, RunRequest,
};

/// Scalars of run time that a kernel takes at most.
const SCALARS: usize = 8;

/// Runs a function with random inputs: lists of indices hold the first row, and each scalar of run time is 1. The request says which
/// scalars that were.
pub fn run_with_random_inputs(
    analysis: &Analysis,
    path: &str,
    function: &Arc<str>,
    layout: Layout,
) -> (RunRequest, Result<RunReport, RunRefusal>) {
    let mut request = RunRequest {
        function: Some(Arc::clone(function)),
        index_range: Some(IndexRange { first: 0, last: 0 }),
        layout,
        ..RunRequest::default()
    };
    let mut result = analysis.run(path, &request);
    for _ in 0..SCALARS {
        let missing = match &result {
            Err(refusal) => refusal.reason.strip_prefix("the number `"),
            Ok(_) => None,
        };
        let Some((name, _)) = missing.and_then(|rest| rest.split_once('`')) else {
            break;
        };
        request.inputs.push(RunInput {
            place: InputPlace::Name(Arc::from(name)),
            value: InputValue::Scalar(1),
            source: Arc::from("1"),
        });
        result = analysis.run(path, &request);
    }
    (request, result)
}

/// Undefined elements of outputs by the kind of their origin: how many there are, and how many keep their number whatever junk is in
/// undefined places. The latter may be marked without need.
pub type Unchanged = BTreeMap<String, (usize, usize)>;

/// Adds the counts of one table to another.
pub fn add_unchanged(all: &mut Unchanged, own: Unchanged) {
    for (kind, (count, kept)) in own {
        let entry = all.entry(kind).or_default();
        *entry = (entry.0 + count, entry.1 + kept);
    }
}

/// The kind of origin of an output's undefined elements, where they share one.
fn shared_origin(report: &RunReport, output: &str) -> String {
    let mut kinds = report
        .findings
        .iter()
        .filter(|finding| &*finding.output == output)
        .filter_map(|finding| Some(finding.origin.as_ref()?.kind));
    match (kinds.next(), kinds.next()) {
        (Some(kind), None) => format!("{kind:?}"),
        _ => "several".to_owned(),
    }
}

/// What junk in undefined elements does to the outputs of a function.
#[derive(Debug, Default)]
pub struct JunkEffect {
    /// Defined elements that it changes, a line for each output: each is a fault of the execution.
    pub changed: Vec<String>,
    /// Undefined elements that it does not change.
    pub unchanged: Unchanged,
}

/// Runs a function that ran three times more, with bits all set and random bits in undefined elements.
pub fn junk_effect(
    analysis: &Analysis,
    path: &str,
    request: &RunRequest,
    report: &RunReport,
) -> JunkEffect {
    let mut effect = JunkEffect::default();
    // A run that a fault ended has none, and with junk it ends there too.
    if report.outputs.is_empty() {
        return effect;
    }
    let is_undefined = |output: &RunOutput| output.defined.len() > output.defined.count_set();
    let mut changed: Vec<Vec<usize>> = vec![Vec::new(); report.outputs.len()];
    for seed in [None, Some(1), Some(2)] {
        let outputs = match analysis.run_with_junk(path, request, seed) {
            Ok(outputs) => outputs,
            Err(refusal) => {
                let line = format!("it does not run with junk: {}", refusal.reason);
                effect.changed.push(line);
                return effect;
            }
        };
        for ((plain, junk), places) in report.outputs.iter().zip(&outputs).zip(&mut changed) {
            match plain.values.unequal_places(&junk.values) {
                Some(unequal) => places.extend(unequal),
                None => effect
                    .changed
                    .push(format!("`{}` has another shape", plain.name)),
            }
        }
    }
    for (plain, mut changed) in report.outputs.iter().zip(changed) {
        changed.sort_unstable();
        changed.dedup();
        if let Some(at) = changed.iter().find(|at| plain.defined.is_set(**at)) {
            effect
                .changed
                .push(format!("element {at} of `{}`", plain.name));
        }
        if !is_undefined(plain) {
            continue;
        }
        let is_live = |at: &usize| plain.live.as_ref().is_none_or(|live| live.is_set(*at));
        let count = plain.defined.clear_places().filter(is_live).count();
        let changed = changed
            .iter()
            .filter(|at| is_live(at) && !plain.defined.is_set(**at));
        let kept = count - changed.count();
        if count > 0 {
            let origin = shared_origin(report, &plain.name);
            add_unchanged(
                &mut effect.unchanged,
                Unchanged::from([(origin, (count, kept))]),
            );
        }
    }
    effect
}

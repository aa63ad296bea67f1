//! A pass whose ring takes several times what its bytes need.
//!
//! Fetches, collects, contractions and commits have rules that name a change. What is left is the way between slices: a switch, or a
//! reduction, that sends packets past far more slices than they are for. Says so in numbers, whether or not a remedy is known.

use crate::derivation::conventions::Conventions;
use crate::derivation::tensors::bytes_of;
use crate::hardware::FLIT_BYTES;
use crate::items::Dialect;
use crate::kernel::{Pass, PassSource, Stage, StageKind, SwitchConfig, Written};
use crate::simulation::calibrated::reduced_ring;
use crate::simulation::{Engine, StageCost, pass};
use crate::wording::thousands;

use super::super::heavy::{kernel_share, may_be_heavy};
use super::super::{Checked, Finding, Rule, rule};
use super::{Costed, weighty_passes};

pub(crate) static SLOW_PASS: Rule = rule!(
    "slow_pass",
    Performance,
    Switch,
    "Cycle Estimation",
    "a pass whose ring takes several times what its bytes need",
    "A packet passes every slice of its ring, even if the slice does not need it. A switch takes the ring's size \
     times the iterations times the flits of a packet. A reduction across slices waits once for each slice of its \
     ring, padding included. Where few packets meet a large ring, most of the pass is waiting. Smaller rings, a part \
     of the axis in each slice before the exchange, or one store and one load instead are ways out. Reported where a \
     regular switch or a reduction decides a pass that takes a tenth of its kernel, at least four times what its \
     bytes need and at least 1,000 cycles more.",
);

/// The family's rules.
pub(in super::super) const RULES: &[&Rule] = &[&SLOW_PASS];

pub(in super::super) fn check_slow_passes(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for costed in weighty_passes(checked) {
        findings.extend(slow_pass_finding(checked, &costed));
    }
}

fn slow_pass_finding(checked: &Checked<'_>, costed: &Costed<'_>) -> Option<Finding> {
    let cycles = costed.cost.cycles.filter(|cycles| may_be_heavy(*cycles))?;
    let decides = costed.cost.stages.get(costed.cost.bottleneck?)?;
    let stage = costed.pass.stages.get(decides.stage?)?;
    let cause = slow_ring_cause(checked.body.dialect, costed.pass, stage, decides)?;
    let flits = moved_flits(checked, costed.pass)?;
    let mut stages = costed.cost.stages.clone();
    for stage in &mut stages {
        stage.busy = Some(stage.busy?.min(flits));
        stage.latency = 0;
    }
    // The ring of a reduction is in the constants of the schedule: what is left of the pass is a fetch of the same bytes.
    stages.retain(|stage| !matches!(stage.engine, Engine::Vector | Engine::Switch));
    let need = pass::with_stages(checked.body, costed.pass, costed.cost, stages).cycles?;
    let takes = kernel_share(checked, costed.operation, cycles, need)?;
    Some(
        Finding::new(
            &SLOW_PASS,
            stage.span,
            format!(
                "the pass {takes}, and the {} {} that a slice reads or writes need about {}: {cause}",
                thousands(flits),
                if flits == 1 { "flit" } else { "flits" },
                thousands(need)
            ),
        )
        .help("use rings of fewer slices, or bring more of the axis into each slice before they exchange it"),
    )
}

/// What the ring does, in numbers; none where something else decides the pass.
fn slow_ring_cause(
    dialect: Dialect,
    pass: &Pass,
    stage: &Stage,
    cost: &StageCost,
) -> Option<String> {
    let input = |wanted: &str| {
        let mut inputs = cost.inputs.iter();
        inputs
            .find(|(name, _)| *name == wanted)
            .map(|(_, value)| *value)
    };
    match &stage.kind {
        StageKind::Switch(config) if is_regular(config) => Some(format!(
            "{} iterations go around rings of {} slices",
            thousands(input("time")?),
            thousands(input("ring")?)
        )),
        StageKind::VectorInterReduce { .. } => {
            let table = Conventions::of(dialect).calibration().table();
            let ring = reduced_ring(pass, table.pass.ring_counts_padding)?;
            Some(format!(
                "the reduction waits for a ring of {} slices",
                thousands(ring)
            ))
        }
        _ => None,
    }
}

/// Whether a switch has a topology that is wired. Of custom ones other rules speak.
fn is_regular(config: &Written<SwitchConfig>) -> bool {
    let config = config.get();
    config.is_some_and(|config| !matches!(config, SwitchConfig::CustomBroadcast { .. }))
}

/// Flits of what a slice reads or writes, whichever are more.
fn moved_flits(checked: &Checked<'_>, pass: &Pass) -> Option<u64> {
    let PassSource::Tensor(source) = pass.source else {
        return None;
    };
    let (target, _) = pass.end.written_target()?;
    let read = bytes_of(checked.body.tensor(source)?)?;
    let written = bytes_of(checked.body.tensor(target)?)?;
    Some(read.max(written).div_ceil(FLIT_BYTES).max(1))
}

//! Fetches of narrow packets, and packets that leave the last flit partly empty.

use crate::derivation::collect;
use crate::hardware::FLIT_BYTES;
use crate::kernel::{Pass, PassEnd, Stage, StageKind};
use crate::mapping::Mapping;
use crate::simulation::{Changed, what_if};

use super::super::{Alternative, Applicability, Checked, Edit, Finding, Fix, Rule, rule, words};
use super::{Costed, weighty_passes, with_saving, worth};

pub(crate) static FETCH_NARROW_PACKET: Rule = rule!(
    "fetch_narrow_packet",
    Performance,
    Fetch,
    "Padding Packets",
    "packets of less than a flit, where wider ones would need fewer fetches",
    "A fetch moves up to 32 bytes a cycle, but never more than a packet, and never more than is contiguous in DM. Packets of 8 \
     bytes use a quarter of that, and each of them fills a flit of its own after the Fetch Engine. Take inner steps of the \
     time into the packet, or pad the packet: the bytes after the data are read along and cost nothing. \
     Reported where the whole pass gets a tenth faster and the kernel 2 % and 100 cycles (without a total, the pass 500 cycles).",
    fix,
);

pub(crate) static FETCH_PARTIAL_FLIT: Rule = rule!(
    "fetch_partial_flit",
    Performance,
    Fetch,
    "Fetch Engine and Switch Engine Interaction",
    "packets of more than a flit whose last flit is partly padding",
    "After the Fetch Engine data moves in flits of 32 bytes, and a packet starts with a new flit. The second flit of \
     a packet of 40 bytes carries 8 bytes and 24 zeros, through every engine up to the commit. A length that is not a \
     multiple of 32 bytes also makes each fetch smaller. Take inner steps of the time into the packet until it is \
     whole flits, or pad it. Reported where the whole pass gets a tenth faster and the kernel 2 % and 100 cycles \
     (without a total, the pass 500 cycles).",
    fix,
);

/// The family's rules.
pub(in super::super) const RULES: &[&Rule] = &[&FETCH_NARROW_PACKET, &FETCH_PARTIAL_FLIT];

/// The widest packet that is looked at or proposed: in longer ones a partial flit weighs nothing.
const WIDEST_BYTES: u64 = 1024;

pub(in super::super) fn check_fetch_performance(
    checked: &Checked<'_>,
    findings: &mut Vec<Finding>,
) {
    for costed in weighty_passes(checked) {
        if let Some(stage) = costed.pass.stages.first()
            && matches!(stage.kind, StageKind::Fetch { .. })
        {
            findings.extend(wider_fetch_finding(&costed, stage));
        }
    }
}

/// A wider packet: the outputs of fetch and collect as they become.
struct Wider {
    /// Stages with their time and packet.
    outputs: Vec<(usize, Mapping, Mapping)>,
    /// Bytes of the packet.
    bytes: u64,
}

fn wider_fetch_finding(costed: &Costed<'_>, stage: &Stage) -> Option<Finding> {
    let bytes = stage.output.packet_bytes()?;
    if bytes.is_multiple_of(FLIT_BYTES) || bytes > WIDEST_BYTES {
        return None;
    }
    let (wider, changed) = wider_packets(costed.pass, stage, bytes)
        .into_iter()
        .filter_map(|wider| Some((change_with_wider(costed, &wider)?, wider)))
        .map(|(changed, wider)| (wider, changed))
        // Of equal ones the first: padding before steps of the time.
        .reduce(|best, next| {
            if next.1.operation.1 < best.1.operation.1 {
                next
            } else {
                best
            }
        })?;
    let saving = worth(costed.known, &changed)?;
    let (rule, message) = if bytes < FLIT_BYTES {
        (
            &FETCH_NARROW_PACKET,
            format!(
                "packets of {bytes} bytes; packets of {} need fewer fetches: {} cycles become {}",
                wider.bytes, saving.operation_before, saving.operation_after
            ),
        )
    } else {
        let flits = bytes.div_ceil(FLIT_BYTES) * FLIT_BYTES;
        (
            &FETCH_PARTIAL_FLIT,
            format!(
                "of a packet of {bytes} bytes the last flit is partly empty, {} % of what moves; packets of {} take {} cycles \
                 instead of {}",
                (flits - bytes) * 100 / flits,
                wider.bytes,
                saving.operation_after,
                saving.operation_before
            ),
        )
    };
    let finding = Finding::new(rule, stage.output.packet.span, message);
    let finding = with_saving(finding, saving);
    Some(match wider_fix(costed.pass, &wider) {
        Some(fix) => {
            let texts: Vec<&str> = fix.edits.iter().map(|edit| &*edit.text).collect();
            let stated = Alternative {
                text: words::names_in_code(&texts),
                edits: fix.edits.clone(),
            };
            Finding {
                fixes: vec![fix],
                ..finding.alternatives("fetch, and collect, ", [stated])
            }
        }
        None => finding,
    })
}

fn change_with_wider(costed: &Costed<'_>, wider: &Wider) -> Option<Changed> {
    what_if(costed.known, costed.operation.id, |pass| {
        for (index, time, packet) in &wider.outputs {
            if let Some(stage) = pass.stages.get_mut(*index) {
                stage.output.time.value = Some(time.clone());
                stage.output.packet.value = Some(packet.clone());
            }
        }
    })
}

/// The packets that could be fetched instead.
fn wider_packets(pass: &Pass, stage: &Stage, bytes: u64) -> Vec<Wider> {
    let mut found = Vec::new();
    let (Some(time), Some(packet), Some(element_type)) = (
        stage.output.time.get(),
        stage.output.packet.get(),
        stage.output.element_type.get(),
    ) else {
        return found;
    };
    if time.is_opaque() || packet.is_opaque() {
        return found;
    }
    let elements = |bytes: u64| bytes * 8 / element_type.bits();
    let pads = |bytes: u64| {
        let whole = bytes.next_multiple_of(FLIT_BYTES);
        [8, 16, whole]
            .into_iter()
            .filter(move |padded| *padded > bytes)
    };
    // What is fetched behind the data is whatever is there: nothing may take it in.
    if !pass.stages.iter().any(takes_in_packets) {
        for padded in pads(bytes) {
            let wide = packet.form().pad(elements(padded));
            found
                .extend(wide.and_then(|wide| wider(pass, time.clone(), wide.to_mapping(), padded)));
        }
    }
    let merges = pass
        .stages
        .iter()
        .skip(1)
        .all(|stage| stage.kind == StageKind::Collect)
        && matches!(
            pass.end,
            PassEnd::Commit { .. } | PassEnd::CommitView { .. }
        );
    if !merges {
        return found;
    }
    for steps in 2..=FLIT_BYTES {
        let Some(wide_bytes) = bytes
            .checked_mul(steps)
            .filter(|bytes| *bytes <= WIDEST_BYTES)
        else {
            break;
        };
        // Flits that end in the middle of a small packet are worth no reader's time.
        let fits = if bytes < FLIT_BYTES {
            wide_bytes <= FLIT_BYTES
        } else {
            wide_bytes.is_multiple_of(FLIT_BYTES)
        };
        if !fits || !time.size().is_multiple_of(steps) {
            continue;
        }
        let merged = time.form().split_at(steps).and_then(|(outer, inner)| {
            let wide = crate::mapping::Form::multiply(&inner, packet.form())?;
            Some((outer.to_mapping(), wide))
        });
        if let Some((outer, wide)) = merged {
            found.extend(wider(pass, outer.clone(), wide.to_mapping(), wide_bytes));
            for padded in pads(wide_bytes).filter(|_| wide_bytes < FLIT_BYTES) {
                let wide = wide.pad(elements(padded));
                found.extend(
                    wide.and_then(|wide| wider(pass, outer.clone(), wide.to_mapping(), padded)),
                );
            }
        }
    }
    found
}

/// Whether a stage makes one value of several of a packet.
const fn takes_in_packets(stage: &Stage) -> bool {
    matches!(
        stage.kind,
        StageKind::Align { .. }
            | StageKind::Contract
            | StageKind::ContractMax
            | StageKind::VectorIntraReduce { .. }
    )
}

/// The fetch with that time and packet, and the collect that follows from it.
fn wider(pass: &Pass, time: Mapping, packet: Mapping, bytes: u64) -> Option<Wider> {
    let mut outputs = vec![(0, time.clone(), packet.clone())];
    if let Some(stage) = pass.stages.get(1)
        && stage.kind == StageKind::Collect
    {
        let mut changed = pass.clone();
        let fetched = changed.stages.first_mut()?;
        fetched.output.time.value = Some(time);
        fetched.output.packet.value = Some(packet);
        let collected = collect::derive_collect(&changed, 1);
        outputs.push((1, collected.expected_time?, collected.expected_packet?));
    }
    Some(Wider { outputs, bytes })
}

/// The edits of all mappings that change; `None` where one of them is written nowhere.
fn wider_fix(pass: &Pass, wider: &Wider) -> Option<Fix> {
    let mut edits = Vec::new();
    let mut applicability = Applicability::Machine;
    for (index, time, packet) in &wider.outputs {
        let stage = pass.stages.get(*index)?;
        for (declared, mapping) in [(&stage.output.time, time), (&stage.output.packet, packet)] {
            if declared
                .get()
                .is_some_and(|declared| declared.form() == mapping.form())
            {
                continue;
            }
            let span = declared.used_at.unwrap_or(declared.span);
            if span == stage.span {
                return None;
            }
            if span.item != stage.span.item {
                applicability = Applicability::Maybe;
            }
            edits.push(Edit::new(span, mapping));
        }
    }
    Some(Fix {
        title: format!("Fetch packets of {} bytes", wider.bytes),
        applicability,
        edits,
        cost: None,
    })
}

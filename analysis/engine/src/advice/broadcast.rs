//! Candidates that bring one tensor into many slices in the other way: a switch gives all slices what each loaded a part of, in place of a
//! load that brings all of it to each; and the reverse.
//!
//! Only where one pass reads what is loaded. Knows what the topology of a broadcast does with slices and time; whether it is
//! legal with the rest is judged where the candidate is tried.

use crate::db::Db;
use crate::items::Span;
use crate::kernel::catalogue::{CanonicalStage, Generic, Role};
use crate::kernel::{
    Body, Copy, Level, Operation, OperationKind, Origin, Pass, PassSource, Stage, StageKind,
    SwitchConfig, SwitchTopology, Tier, Written,
};
use crate::mapping::Form;
use crate::rules::Edit;

use super::split::live_part;
use super::writing::{
    Held, link_span, method_span, only_reader, redeclaration_edits, stream_forms, stream_of,
    tensor_phrase, written_mapping,
};
use super::{Candidate, Kind};

/// Sizes of rings that are tried, the largest first: those of the fewest copies.
const RINGS: [u64; 6] = [256, 128, 64, 32, 16, 8];

/// The other way for what an operation brings into the slices.
pub(super) fn broadcast_candidates(
    db: &dyn Db,
    body: &Body,
    operation: &Operation,
) -> Vec<Candidate> {
    match &operation.kind {
        OperationKind::Copy(copy) => by_switch(db, body, operation, copy).unwrap_or_default(),
        OperationKind::Pass(pass) => by_load(db, body, operation, pass).into_iter().collect(),
        OperationKind::Collective(_) => Vec::new(),
    }
}

/// Whether a tensor in DM has the same in slices that differ in these digits alone, by the axes of what it is loaded from.
fn holds_copies(source: &Form, around: &Form) -> bool {
    let axes = around.to_mapping().axes();
    let mut axes = axes.iter().peekable();
    axes.peek().is_some() && axes.all(|axis| !source.contains_axis(axis.name()))
}

/// A load that copies becomes one that spreads, and a switch behind the fetch of its reader.
fn by_switch(
    db: &dyn Db,
    body: &Body,
    operation: &Operation,
    copy: &Copy,
) -> Option<Vec<Candidate>> {
    let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
    if source.tier != Tier::Hbm || target.tier != Tier::Dm {
        return None;
    }
    let from = source.levels.element.get()?.form();
    let (_, pass) = only_reader(body, copy.target)?;
    // The switch comes behind what converts.
    let (fetch, behind, collect) = match pass.stages.as_slice() {
        [fetch, cast, collect, ..] if matches!(cast.kind, StageKind::FetchCast) => {
            (fetch, cast, collect)
        }
        [fetch, collect, ..] => (fetch, fetch, collect),
        _ => return None,
    };
    if !is_plain_fetch(fetch) || !matches!(collect.kind, StageKind::Collect) {
        return None;
    }
    let held = Held::of(target)?;
    // What the fetch gives: it may convert.
    let kind = fetch.output.element_type.get().copied()?;
    let (slices, time, packet) = stream_forms(&collect.output)?;
    let padded = packet
        .digits()
        .iter()
        .any(|digit| !digit.paddings().is_empty());
    if padded || *slices != held.slice {
        return None;
    }
    let library = body.library();
    let mut found = Vec::new();
    for ring in RINGS {
        let Some((kept, around)) = slices.split_at(ring) else {
            continue;
        };
        let Some((dealt, rest)) = time
            .size()
            .checked_div(ring)
            .filter(|rest| rest * ring == time.size())
            .and_then(|rest| time.split_at(rest))
        else {
            continue;
        };
        // A ring over part of an axis, with copies over another part of it, is none.
        let own = around.to_mapping().axes();
        let twice = own.iter().any(|axis| kept.contains_axis(axis.name()));
        let copied = live_part(&around).is_some_and(|around| around.size() == ring);
        if twice || !copied || !holds_copies(from, &around) {
            continue;
        }
        let config = SwitchConfig::Broadcast01 {
            slice1: Written::new(ring, fetch.span),
            slice0: Written::new(1, fetch.span),
            time0: Written::new(rest.size(), fetch.span),
        };
        let candidate = || {
            let spread = Held {
                slice: Form::multiply(&kept, &dealt)?,
                element: Form::multiply(&rest, packet)?,
                ..held.clone()
            };
            let switch = library.write(
                CanonicalStage::Switch,
                &[
                    (Generic::Level(Level::Slice), written_mapping(slices)),
                    (Generic::Level(Level::Time), written_mapping(time)),
                ],
                &[(
                    Role::Configuration,
                    library.write_configured_switch(&config)?,
                )],
            );
            let fetched =
                library.write(CanonicalStage::Fetch, &stream_of(kind, &rest, packet), &[]);
            let mut edits = redeclaration_edits(db, body, copy, &spread)?;
            let own = method_span(db, fetch.span)?;
            if behind.span == fetch.span {
                edits.push(Edit::new(own, format!("{fetched}.{switch}")));
            } else {
                let end = method_span(db, behind.span)?.end;
                edits.push(Edit::new(own, fetched));
                edits.push(Edit::new(
                    Span {
                        start: end,
                        end,
                        ..behind.span
                    },
                    format!(".{switch}"),
                ));
            }
            Some(Candidate {
                kind: Kind::Broadcast,
                title: format!(
                    "Load {} spread as `{}` and let the switch give it to rings of {ring} slices, in place of a load that copies",
                    tensor_phrase(body, target),
                    written_mapping(&spread.slice)
                ),
                span: operation.span,
                rule: None,
                edits,
            })
        };
        found.extend(candidate());
    }
    Some(found)
}

fn is_plain_fetch(stage: &Stage) -> bool {
    matches!(&stage.kind, StageKind::Fetch { table: false, zero_points } if zero_points.is_empty())
}

/// A switch that broadcasts goes, and the load before it copies.
fn by_load(db: &dyn Db, body: &Body, operation: &Operation, pass: &Pass) -> Option<Candidate> {
    let PassSource::Tensor(read) = &pass.source else {
        return None;
    };
    let Origin::Operation(made) = body.tensor(body.root(*read))?.origin else {
        return None;
    };
    let OperationKind::Copy(copy) = &body.operation(made)?.kind else {
        return None;
    };
    let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
    let (reader, _) = only_reader(body, copy.target)?;
    if source.tier != Tier::Hbm || target.tier != Tier::Dm || reader.span != operation.span {
        return None;
    }
    let [fetch, switch, ..] = pass.stages.as_slice() else {
        return None;
    };
    let StageKind::Switch(config) = &switch.kind else {
        return None;
    };
    let broadcasts = matches!(
        config.get()?.topology(),
        SwitchTopology::Broadcast01 | SwitchTopology::Broadcast1
    );
    if !broadcasts || !is_plain_fetch(fetch) {
        return None;
    }
    let (slices, time, packet) = stream_forms(&switch.output)?;
    let copied = Held {
        slice: slices.clone(),
        element: Form::multiply(time, packet)?,
        ..Held::of(target)?
    };
    let kind = fetch.output.element_type.get().copied()?;
    let fetched = body
        .library()
        .write(CanonicalStage::Fetch, &stream_of(kind, time, packet), &[]);
    let mut edits = redeclaration_edits(db, body, copy, &copied)?;
    edits.push(Edit::new(method_span(db, fetch.span)?, fetched));
    edits.push(Edit::new(link_span(db, switch.span)?, String::new()));
    Some(Candidate {
        kind: Kind::Broadcast,
        title: format!(
            "Load {} into each slice whole, in place of a broadcast by the switch",
            tensor_phrase(body, target)
        ),
        span: operation.span,
        rule: None,
        edits,
    })
}

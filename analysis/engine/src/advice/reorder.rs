//! Candidates that lay out elements, packets and copies inside of slices otherwise: other orders of the innermost axes, packets of more
//! bytes, and the Tensor Unit in place of a DMA engine where a tensor only changes its order.
//!
//! None changes which slice holds what. What reads a tensor in another order says itself in which order it reads, and whether its
//! engine can is judged where the candidate is tried.

use crate::db::Db;
use crate::derivation::BodyDerivation;
use crate::hardware::{ElementType, FLIT_BYTES};
use crate::kernel::catalogue::{CanonicalStage, Generic, Role};
use crate::kernel::{
    AddressValue, Body, Copy, Level, Operation, OperationKind, Pass, Stage, StageKind, Tier,
};
use crate::mapping::{Digit, Form};
use crate::rules::Edit;

use super::gather::free_address;
use super::statement::Statement;
use super::writing::{
    Held, expression_span, method_span, redeclaration_edits, stream_forms, stream_of,
    tensor_phrase, written_mapping,
};
use super::{Candidate, Kind};

/// Orders of an element that are tried.
const ORDERS: usize = 6;

/// The other layouts for what an operation moves.
pub(super) fn reorder_candidates(
    db: &dyn Db,
    body: &Body,
    derivation: &BodyDerivation,
    operation: &Operation,
) -> Vec<Candidate> {
    match &operation.kind {
        OperationKind::Copy(copy) => {
            let mut found = layout_candidates(db, body, operation, copy).unwrap_or_default();
            found.extend(by_pass(db, body, derivation, operation, copy).unwrap_or_default());
            found
        }
        OperationKind::Pass(pass) => whole_flit_candidate(db, body, operation, pass)
            .into_iter()
            .collect(),
        OperationKind::Collective(_) => Vec::new(),
    }
}

fn is_plain(form: &Form) -> bool {
    let mut digits = form.digits().iter();
    digits.all(|digit| digit.term.is_some() && digit.paddings().is_empty())
}

/// The digits of a form in the order that another has, those that it lacks outermost.
fn in_order_of(form: &Form, other: &Form) -> Option<Form> {
    let place = |digit: &Digit| {
        let axis = digit
            .term
            .as_ref()
            .and_then(|term| Some(term.atom.axis()?.name().to_owned()));
        let stride = digit.term.as_ref().map_or(0, |term| term.stride);
        let found = other.digits().iter().position(|one| {
            let term = one.term.as_ref();
            term.is_some_and(|term| {
                let end = term.stride.saturating_mul(term.modulo);
                term.atom.axis().map(|axis| axis.name().to_owned()) == axis
                    && term.stride <= stride
                    && stride < end
            })
        });
        (found.unwrap_or(usize::MAX), stride)
    };
    let mut digits = form.digits().to_vec();
    digits.sort_by_key(place);
    Form::from_digits(digits)
}

/// Other orders of an element: that of the other memory first, then others with another innermost digit.
fn other_orders(element: &Form, other: &Form) -> Vec<Form> {
    let mut found: Vec<Form> = in_order_of(element, other).into_iter().collect();
    let digits = element.digits();
    for inner in 1..digits.len() {
        let mut turned = digits.to_vec();
        turned
            .get_mut(..=inner)
            .map(|part| part.rotate_right(1))
            .unwrap_or_default();
        found.extend(Form::from_digits(turned));
    }
    found.retain(|one| one != element);
    found.dedup();
    found.truncate(ORDERS);
    found
}

/// What a transfer brings into DM, in other orders.
fn layout_candidates(
    db: &dyn Db,
    body: &Body,
    operation: &Operation,
    copy: &Copy,
) -> Option<Vec<Candidate>> {
    let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
    let held = Held::of(target)?;
    if target.tier != Tier::Dm || !is_plain(&held.element) {
        return None;
    }
    let other = source.levels.element.get()?.form();
    let candidate = |element: Form| {
        let turned = Held {
            element,
            ..held.clone()
        };
        Some(Candidate {
            kind: Kind::Order,
            title: format!(
                "Hold {} as `{}` in each slice",
                tensor_phrase(body, target),
                written_mapping(&turned.element)
            ),
            span: operation.span,
            rule: None,
            edits: redeclaration_edits(db, body, copy, &turned)?,
        })
    };
    let orders = other_orders(&held.element, other).into_iter();
    Some(orders.filter_map(candidate).collect())
}

/// A pass that puts elements in order, in place of a transfer that moves them a few bytes at a time: behind a load, before a store, or
/// instead of a transfer inside of DM.
fn by_pass(
    db: &dyn Db,
    body: &Body,
    derivation: &BodyDerivation,
    operation: &Operation,
    copy: &Copy,
) -> Option<Vec<Candidate>> {
    let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
    let held = Held::of(source)?;
    if source.tier != Tier::Dm {
        return None;
    }
    let statement = Statement::of(db, body, operation)?;
    // In place of a transfer there is no statement before it that could name what it moves.
    if target.tier == Tier::Dm && !statement.has_name() {
        return None;
    }
    let unit = statement.unit.as_ref()?;
    let kind = source.element_type.get().copied()?;
    let wanted = match target.tier {
        Tier::Dm => {
            let to = Held::of(target)?;
            if to.slice != held.slice || to.cluster != held.cluster {
                return None;
            }
            to.element
        }
        Tier::Hbm => in_order_of(&held.element, target.levels.element.get()?.form())?,
        _ => return None,
    };
    if wanted == held.element || !is_plain(&wanted) {
        return None;
    }
    let library = body.library();
    let bytes = wanted.size().checked_mul(kind.bits())?.div_ceil(8);
    let address = match target.address.value {
        AddressValue::Bytes(bytes) if target.tier == Tier::Dm => Some(bytes),
        _ => free_address(body, derivation, bytes, &[])?,
    };
    let mut found = Vec::new();
    for (time, packet) in packet_shapes(&wanted, kind) {
        let flit = FLIT_BYTES.checked_mul(8)?.checked_div(kind.bits())?;
        let collected = packet.pad(flit)?;
        let mut stages = vec![
            library.write(CanonicalStage::Fetch, &stream_of(kind, &time, &packet), &[]),
            library.write(
                CanonicalStage::Collect,
                &stream_of(kind, &time, &collected),
                &[],
            ),
        ];
        if library.method_of(CanonicalStage::CommitTrim).is_some() {
            let trimmed = stream_of(kind, &time, &packet);
            stages.push(library.write(CanonicalStage::CommitTrim, &trimmed, &[]));
        }
        let element = vec![(Generic::Level(Level::Element), written_mapping(&wanted))];
        let at: Vec<(Role, String)> = address
            .map(|address| (Role::Address, format!("{address:#x}")))
            .into_iter()
            .collect();
        stages.push(library.write(CanonicalStage::Commit, &element, &at));
        let name = &statement.name;
        let pass = format!(
            "{unit}.{}({name}.{}()).{}",
            library.begin_method_name(false),
            library.view()?,
            stages.join(".")
        );
        let (title, edits) = if target.tier == Tier::Dm {
            (
                format!(
                    "Put {} in the order `{}` by a pass of the Tensor Unit in place of a transfer",
                    statement.stored_in_words(),
                    written_mapping(&wanted)
                ),
                vec![Edit::new(expression_span(db, copy.span)?, pass)],
            )
        } else {
            (
                format!(
                    "Put {} in the order `{}` by a pass of the Tensor Unit before it is stored",
                    statement.stored_in_words(),
                    written_mapping(&wanted)
                ),
                statement.with_before(&[format!("let {name} = {pass};")]),
            )
        };
        found.push(Candidate {
            kind: Kind::Engine,
            title,
            span: operation.span,
            rule: None,
            edits,
        });
    }
    Some(found)
}

/// Time and packet of a stream that gives an element in its order, in packets of a flit and less.
fn packet_shapes(element: &Form, kind: ElementType) -> Vec<(Form, Form)> {
    let sizes = [FLIT_BYTES, FLIT_BYTES / 2, FLIT_BYTES / 4];
    let elements = sizes
        .iter()
        .filter_map(|bytes| (bytes * 8).checked_div(kind.bits()));
    let fitting = elements.filter(|count| *count > 0);
    fitting
        .filter_map(|count| element.split_at(count))
        .take(2)
        .collect()
}

/// A fetch of packets below a flit, in whole flits.
fn whole_flit_candidate(
    db: &dyn Db,
    body: &Body,
    operation: &Operation,
    pass: &Pass,
) -> Option<Candidate> {
    let (fetch, collect, trim) = match pass.stages.as_slice() {
        [fetch, collect] => (fetch, collect, None),
        [fetch, collect, trim] if trim.kind.canonical() == CanonicalStage::CommitTrim => {
            (fetch, collect, Some(trim))
        }
        _ => return None,
    };
    let plain = |stage: &Stage| matches!(&stage.kind, StageKind::Fetch { table: false, zero_points } if zero_points.is_empty());
    if !plain(fetch) || !matches!(collect.kind, StageKind::Collect) {
        return None;
    }
    let kind = fetch.output.element_type.get().copied()?;
    let (_, time, packet) = stream_forms(&fetch.output)?;
    let flit = FLIT_BYTES.checked_mul(8)?.checked_div(kind.bits())?;
    let whole = Form::multiply(time, packet)?;
    if packet.size() >= flit || !is_plain(&whole) {
        return None;
    }
    let (time, packet) = whole.split_at(flit)?;
    let library = body.library();
    let given = stream_of(kind, &time, &packet);
    let stages = [
        (Some(fetch), CanonicalStage::Fetch),
        (Some(collect), CanonicalStage::Collect),
        (trim, CanonicalStage::CommitTrim),
    ];
    let written_stages = stages.into_iter().filter_map(|(stage, kind)| {
        let whole = method_span(db, stage?.span)?;
        Some(Edit::new(whole, library.write(kind, &given, &[])))
    });
    Some(Candidate {
        kind: Kind::Packet,
        title: format!(
            "Fetch packets of {FLIT_BYTES} bytes, `{}`",
            written_mapping(&packet)
        ),
        span: operation.span,
        rule: None,
        edits: written_stages.collect(),
    })
}

//! Candidates that reduce across slices in the other way: a ring of the switch brings the partial results of a group of slices into each
//! of them, and each sums in time. A reduction across slices waits for each slice of its ring, padding above the reduced ones included;
//! a ring of the switch sends packets past the slices that are reduced alone.
//!
//! Up to three passes take the place of one: what is in front of the reduction, the ring with the sum, and what is behind it where the
//! Vector Engine has more to do. Knows which stages these are made of; whether they are legal is judged where the candidate is tried.

use ra_ap_syntax::ast::{self, AstNode, HasArgList};

use crate::db::Db;
use crate::derivation::BodyDerivation;
use crate::hardware::{ElementType, FLIT_BYTES};
use crate::items::{Span, file_range, method_call, parse_item};
use crate::kernel::catalogue::{CanonicalStage, Generic, Role};
use crate::kernel::dialect::Dialect;
use crate::kernel::{
    Body, Context, Level, Operation, OperationKind, Pass, Stage, StageKind, SwitchConfig, Written,
};
use crate::mapping::{Digit, Form};
use crate::rules::Edit;

use super::gather::free_address;
use super::split::live_part;
use super::statement::unused_names;
use super::writing::{expression_span, stream_forms, stream_of, written_mapping};
use super::{Candidate, Kind};

/// Elements of 32 bits that the Vector Engine has side by side.
const LANES: u64 = FLIT_BYTES / 4;

/// Names for what is summed behind the ring and for what is in front of it, the first that the function does not use.
const NAMES: [&str; 4] = ["summed", "partial", "summed2", "partial2"];

/// The ring in place of a reduction across slices.
pub(super) fn ring_candidates(
    db: &dyn Db,
    body: &Body,
    derivation: &BodyDerivation,
    operation: &Operation,
) -> Vec<Candidate> {
    let OperationKind::Pass(pass) = &operation.kind else {
        return Vec::new();
    };
    ring_candidate(db, body, derivation, operation, pass)
        .into_iter()
        .collect()
}

/// What is reduced: its digits, and the streams on both sides.
struct Reduced<'a> {
    /// Where the reduction is among the stages.
    index: usize,
    stage: &'a Stage,
    /// The digits of slices that go into time.
    digits: Form,
    axis: String,
    /// The operation as the library writes it, inside of a slice.
    operation: String,
    /// Slices behind it.
    slices: &'a Form,
    time: &'a Form,
    packet: &'a Form,
    /// The packet in four lanes.
    narrow: Form,
}

impl<'a> Reduced<'a> {
    fn of(pass: &'a Pass) -> Option<Self> {
        let mut stages = pass.stages.iter().enumerate();
        let (index, stage) =
            stages.find(|(_, stage)| matches!(stage.kind, StageKind::VectorInterReduce { .. }))?;
        let StageKind::VectorInterReduce { operation } = &stage.kind else {
            return None;
        };
        let (enumeration, variant) = operation.get()?;
        // What a library calls the two differs in this syllable.
        let inside = enumeration.replacen("Inter", "Intra", 1);
        let (before, time, packet) = stream_forms(pass.input_of(index))?;
        let before = live_part(before)?;
        let (slices, ..) = stream_forms(&stage.output)?;
        let is_reduced = |digit: &&Digit| {
            let term = digit.term.as_ref();
            digit.paddings().is_empty()
                && term.is_some_and(|term| {
                    let mut after = slices.digits().iter();
                    digit.live == term.modulo && !after.any(|one| one.term.as_ref() == Some(term))
                })
        };
        let digits: Vec<Digit> = before
            .digits()
            .iter()
            .take_while(is_reduced)
            .cloned()
            .collect();
        let digits = Form::from_digits(digits)?;
        let axes = digits.axes();
        let axis = axes.first().filter(|_| axes.len() == 1)?.name().to_owned();
        let held = packet.remove_padding();
        let narrow = LANES / 2;
        let free = !time.contains_axis(&axis) && !packet.contains_axis(&axis);
        let is_narrow = held.size() <= narrow && packet.size() == LANES;
        (free && is_narrow && digits.size() > 1).then_some(())?;
        Some(Self {
            index,
            stage,
            digits,
            axis,
            operation: format!("{inside}::{variant}"),
            slices,
            time,
            packet,
            narrow: held.pad(narrow)?,
        })
    }
}

/// The chain of a pass as its author wrote it.
struct Chain {
    /// The statement that it is in.
    statement: Span,
    /// From its first byte to the end of the reduction.
    reduced: Span,
    /// From its first byte to the end of the stage in front of the reduction.
    before: String,
    /// What begins it: `ctx.main`.
    unit: String,
    /// What it reads: `x.view()`.
    read: String,
    names: Vec<&'static str>,
}

impl Chain {
    fn of(db: &dyn Db, pass: &Pass, reduced: &Reduced<'_>) -> Option<Self> {
        let parsed = parse_item(db, reduced.stage.span.item);
        let text = |span: Span| -> Option<String> {
            let (file, start, end) = file_range(db, span);
            let text = file.text(db);
            Some(text.get(start as usize..end as usize)?.to_owned())
        };
        let whole = method_call(db, reduced.stage.span)?;
        let statement = whole.syntax().ancestors().find(|node| {
            let parent = node.parent();
            parent.is_some_and(|parent| ast::StmtList::can_cast(parent.kind()))
        })?;
        let begun = method_call(db, pass.stages.first()?.span)?.receiver()?;
        let ast::Expr::MethodCallExpr(begun) = begun else {
            return None;
        };
        let read = begun.arg_list()?.args().next()?;
        let last = pass.stages.get(reduced.index.checked_sub(1)?)?;
        let span = parsed.span(&statement);
        let replaced = expression_span(db, reduced.stage.span)?;
        // Two edits at one byte would meet.
        if span.start == replaced.start {
            return None;
        }
        Some(Self {
            statement: Span {
                end: span.start,
                ..span
            },
            reduced: replaced,
            before: text(expression_span(db, last.span)?)?,
            unit: text(parsed.span(begun.receiver()?.syntax()))?,
            read: text(parsed.span(read.syntax()))?,
            names: unused_names(whole.syntax(), &NAMES)?,
        })
    }
}

fn ring_candidate(
    db: &dyn Db,
    body: &Body,
    derivation: &BodyDerivation,
    operation: &Operation,
    pass: &Pass,
) -> Option<Candidate> {
    if operation.context != Context::Main {
        return None;
    }
    let reduced = Reduced::of(pass)?;
    let chain = Chain::of(db, pass, &reduced)?;
    let library = &body.library();
    let kind = pass.input_of(reduced.index).element_type.get().copied()?;
    let element = Form::multiply(reduced.time, reduced.packet)?;
    let bytes = element.size().checked_mul(kind.bits())?.div_ceil(8);
    let first = free_address(body, derivation, bytes, &[])?;
    let taken: Vec<(u64, u64)> = first
        .map(|start| Some((start, start.checked_add(bytes)?)))
        .map_or(Some(Vec::new()), |one| one.map(|one| vec![one]))?;
    let second = free_address(body, derivation, bytes, &taken)?;
    let [sum, part, ..] = chain.names.as_slice() else {
        return None;
    };
    let mut statements = Vec::new();
    let commit = |address: Option<u64>| commit_call(library, &element, address);
    let view = library.view()?;
    // What is in front of the reduction has a pass of its own, where it is more than what brings the packets.
    let read = if is_plain(pass, reduced.index) {
        chain.read.clone()
    } else {
        let finished = library.write(CanonicalStage::VectorFinal, &[], &[]);
        statements.push(format!(
            "let {part} = {}.{finished}.{};",
            chain.before,
            commit(first)
        ));
        format!("{part}.{view}()")
    };
    let begin = library.begin_method_name(false);
    let ring = format!(
        "{}.{begin}({read}).{}",
        chain.unit,
        summed(library, kind, &reduced)?
    );
    let goes_on = pass.stages.get(reduced.index + 1..)?.iter();
    let mut goes_on = goes_on.take_while(|stage| !matches!(stage.kind, StageKind::VectorFinal));
    let replaced = if goes_on.next().is_none() {
        ring
    } else {
        let finished = library.write(CanonicalStage::VectorFinal, &[], &[]);
        statements.push(format!("let {sum} = {ring}.{finished}.{};", commit(second)));
        let shape = stream_of(kind, reduced.time, reduced.packet);
        let stages = [CanonicalStage::Fetch, CanonicalStage::Collect]
            .map(|stage| library.write(stage, &shape, &[]));
        let begun = library.write(CanonicalStage::VectorInit, &[], &[]);
        format!(
            "{}.{begin}({sum}.{view}()).{}.{begun}",
            chain.unit,
            stages.join(".")
        )
    };
    let mut edits = Vec::new();
    if !statements.is_empty() {
        let text: String = statements.iter().map(|text| format!("{text}\n")).collect();
        edits.push(Edit::new(chain.statement, text));
    }
    edits.push(Edit::new(chain.reduced, replaced));
    Some(Candidate {
        kind: Kind::Ring,
        title: format!(
            "Bring the {} partial results into each slice by a ring of the switch and sum them there, in place of the reduction across slices",
            reduced.digits.size()
        ),
        span: operation.span,
        rule: None,
        edits,
    })
}

/// Whether only a plain fetch of whole packets is in front of the reduction.
fn is_plain(pass: &Pass, index: usize) -> bool {
    let Some([fetch, collect, init]) = pass.stages.get(..index) else {
        return false;
    };
    let plain = matches!(&fetch.kind, StageKind::Fetch { table: false, zero_points } if zero_points.is_empty());
    let same = stream_forms(&fetch.output) == stream_forms(&collect.output);
    plain
        && same
        && matches!(collect.kind, StageKind::Collect)
        && matches!(init.kind, StageKind::VectorInit)
}

/// The stages from the fetch of what is reduced to its sum in eight lanes.
fn summed(library: &Dialect, kind: ElementType, reduced: &Reduced<'_>) -> Option<String> {
    let (time, packet) = (reduced.time, reduced.packet);
    let around = Form::multiply(time, &reduced.digits)?;
    let at = reduced.stage.span;
    let config = SwitchConfig::Broadcast1 {
        slice1: Written::new(reduced.digits.size(), at),
        slice0: Written::new(1, at),
    };
    let level = |level: Level, form: &Form| (Generic::Level(level), written_mapping(form));
    let write = |stage, generics: &[(Generic, String)], arguments: &[(Role, String)]| {
        library.write(stage, generics, arguments)
    };
    let stages = [
        write(CanonicalStage::Fetch, &stream_of(kind, time, packet), &[]),
        write(
            CanonicalStage::Switch,
            &[
                level(Level::Slice, reduced.slices),
                level(Level::Time, &around),
            ],
            &[(
                Role::Configuration,
                library.write_configured_switch(&config)?,
            )],
        ),
        write(
            CanonicalStage::Collect,
            &stream_of(kind, &around, packet),
            &[],
        ),
        write(CanonicalStage::VectorInit, &[], &[]),
        write(CanonicalStage::VectorBranch, &[], &[]),
        write(
            CanonicalStage::VectorTrim,
            &[level(Level::Packet, &reduced.narrow)],
            &[],
        ),
        write(
            CanonicalStage::VectorIntraReduce,
            &[
                (Generic::Axis, reduced.axis.clone()),
                level(Level::Time, time),
                level(Level::Packet, &reduced.narrow),
            ],
            &[(Role::Operation, reduced.operation.clone())],
        ),
        write(
            CanonicalStage::VectorPad,
            &[level(Level::Packet, packet)],
            &[],
        ),
    ];
    Some(stages.join("."))
}

/// The end of a pass that commits whole flits.
fn commit_call(library: &Dialect, element: &Form, address: Option<u64>) -> String {
    let mut stages = Vec::new();
    let packet = element.split_at(LANES);
    if let (Some((_, packet)), Some(_)) = (packet, library.method_of(CanonicalStage::CommitTrim)) {
        let packet = [(Generic::Level(Level::Packet), written_mapping(&packet))];
        stages.push(library.write(CanonicalStage::CommitTrim, &packet, &[]));
    }
    let element = [(Generic::Level(Level::Element), written_mapping(element))];
    let address = address.map(|address| (Role::Address, format!("{address:#x}")));
    let address: Vec<(Role, String)> = address.into_iter().collect();
    stages.push(library.write(CanonicalStage::Commit, &element, &address));
    stages.join(".")
}

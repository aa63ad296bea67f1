//! Whole mappings that a stage makes of its input: what the derivations expect, proposed before it is written.
//!
//! Only where the input leaves one answer, or a usual one: flits, casts, changes of lanes, tiles, a switch whose
//! configuration is already. It asks the derivations with a stage that is not written yet.

use crate::db::Db;
use crate::derivation::{cast, collect, contraction, switch, tensors, vector};
use crate::hardware::ElementType;
use crate::items::{ItemId, ScopeRef, Span, resolve_mapping_text, scope_at};
use crate::kernel::dialect::{Action, Method};
use crate::kernel::{CanonicalStage, Pass, Position, Stage, StageKind, StreamShape, Written};
use crate::mapping::Mapping;

use super::receiver::Receiver;

/// A proposal with what makes it.
pub(super) struct Made {
    /// The mapping.
    pub(super) mapping: Mapping,
    /// What makes it, in a few words.
    pub(super) words: &'static str,
}

/// Texts of mappings read where the cursor is.
pub(super) struct Names<'a> {
    pub(super) db: &'a dyn Db,
    scope: ScopeRef,
    body: Span,
}

impl<'a> Names<'a> {
    /// The names in scope at a place of an item; the text there reaches to `end`.
    pub(super) fn at(db: &'a dyn Db, item: ItemId, start: u32, end: u32) -> Self {
        Self {
            db,
            scope: scope_at(db, item, start),
            body: Span {
                item,
                start,
                end: end.max(start),
            },
        }
    }

    /// The scope.
    pub(super) fn scope(&self) -> &ScopeRef {
        &self.scope
    }

    /// The mapping of a text; none if anything in it is unknown or wrong.
    pub(super) fn evaluate(&self, text: &str) -> Option<Mapping> {
        resolve_mapping_text(self.db, &self.scope, text, self.body).mapping
    }

    /// The mapping of a generic argument: an alias, or `m![…]`.
    pub(super) fn argument(&self, text: &str) -> Option<Mapping> {
        let inner = text
            .strip_prefix("m ! [")
            .and_then(|text| text.strip_suffix(']'));
        self.evaluate(inner.unwrap_or(text).trim())
    }

    /// The text of a mapping, if it means the same where the cursor is.
    pub(super) fn text(&self, mapping: &Mapping) -> Option<String> {
        let text = mapping.to_string();
        let same = self
            .evaluate(&text)
            .is_some_and(|found| found.form() == mapping.form());
        same.then_some(text)
    }
}

/// What the generic of that number of a method will be, as far as it follows from the receiver and the generics before it.
pub(super) fn made(
    receiver: &Receiver,
    method: &Method,
    arguments: &[String],
    names: &Names<'_>,
) -> Vec<Made> {
    let index = arguments.len().saturating_sub(1);
    let found = match method.action {
        Action::Stages(_) => {
            let (Some(pass), Some(stage)) = (receiver.pass(), method.stage()) else {
                return Vec::new();
            };
            of_stage(receiver, &pass, stage, arguments, names)
        }
        Action::Tile(level) if index == 2 => tile(receiver, level, arguments, names),
        _ => None,
    };
    let mut found = found.unwrap_or_default();
    found.retain(|made| !made.mapping.is_opaque());
    found
}

fn one(mapping: Option<Mapping>, words: &'static str) -> Option<Vec<Made>> {
    Some(vec![Made {
        mapping: mapping?,
        words,
    }])
}

fn of_stage(
    receiver: &Receiver,
    pass: &Pass,
    stage: CanonicalStage,
    arguments: &[String],
    names: &Names<'_>,
) -> Option<Vec<Made>> {
    let index = arguments.len().checked_sub(1)?;
    let input = pass.output();
    match (stage, index) {
        (CanonicalStage::Fetch, 1 | 2) => fetch(pass, arguments, names),
        (CanonicalStage::Collect, 0 | 1) => {
            let (pass, at) = with_stage(pass, StageKind::Collect, input.clone());
            let derived = collect::derive(&pass, at);
            if index == 0 {
                one(derived.expected_time, "the input's time, then its flits")
            } else {
                one(derived.expected_packet, "one flit")
            }
        }
        (CanonicalStage::Cast, 1) => {
            let to = element_type(arguments.first()?)?;
            let output = StreamShape {
                element_type: Written::new(to, input.element_type.span),
                ..input.clone()
            };
            let (pass, at) = with_stage(pass, StageKind::Cast, output);
            one(
                cast::derive(&pass, at, receiver.target).packet,
                "the packet, padded to a flit",
            )
        }
        (CanonicalStage::Switch, 0 | 1) => switched(receiver, pass, index),
        (CanonicalStage::Align, 0 | 1) => aligned(receiver, pass, index),
        (CanonicalStage::VectorSplit, _) => lanes(input, &StageKind::VectorSplit, index),
        (CanonicalStage::VectorConcat, _) => lanes(input, &StageKind::VectorConcat, index),
        (CanonicalStage::VectorTrim, 0) => lanes(input, &StageKind::VectorTrim, 1),
        (CanonicalStage::VectorPad, 0) => lanes(input, &StageKind::VectorPad, 1),
        (CanonicalStage::VectorUnzip, 1 | 2) => {
            let axis = arguments.first()?;
            let time = input.time.get()?;
            let words = if index == 1 {
                "the time with a hole for the axis"
            } else {
                "the time without the axis"
            };
            one(vector::without_axis(time, axis, index == 1), words)
        }
        (CanonicalStage::VectorIntraReduce, 1) => {
            let time = input.time.get()?;
            one(
                vector::without_axis(time, arguments.first()?, false),
                "the time without the axis",
            )
        }
        (CanonicalStage::VectorIntraReduce, 2) => {
            let packet = input.packet.get()?;
            let holds = packet.form().contains_axis(arguments.first()?);
            one((!holds).then(|| packet.clone()), "the packet as it is")
        }
        _ => None,
    }
}

/// A pass with one more stage, and that stage's number.
fn with_stage(pass: &Pass, kind: StageKind, output: StreamShape) -> (Pass, usize) {
    let mut pass = pass.clone();
    let index = pass.stages.len();
    pass.stages.push(Stage {
        kind,
        span: output.packet.span,
        output,
        method: String::new(),
    });
    (pass, index)
}

/// The tensor's elements in the order of the memory, cut into flits; or what is left of them inside of the time.
fn fetch(pass: &Pass, arguments: &[String], names: &Names<'_>) -> Option<Vec<Made>> {
    let input = pass.output();
    let to = element_type(arguments.first()?)?;
    let output = StreamShape {
        element_type: Written::new(to, input.element_type.span),
        position: Position::Fetch,
        ..input.clone()
    };
    let fetch = StageKind::Fetch {
        table: false,
        zero_points: Vec::new(),
    };
    let (fetched, _) = with_stage(pass, fetch, output.clone());
    let (collected, at) = with_stage(&fetched, StageKind::Collect, output);
    let flits = collect::derive(&collected, at);
    let words = "the elements in their order, a flit at a time";
    let [_, time, rest @ ..] = arguments else {
        return None;
    };
    if rest.is_empty() {
        return one(flits.expected_time, words);
    }
    let time = names.argument(time)?;
    if flits
        .expected_time
        .is_some_and(|expected| expected.form() == time.form())
    {
        return one(flits.expected_packet, "one flit");
    }
    let whole = input.stream()?;
    let left = whole
        .size()
        .checked_div(time.size())
        .and_then(|left| whole.form().split_at(left))
        .filter(|(outer, _)| outer == time.form())
        .map(|(_, inner)| inner.to_mapping());
    one(left, "what the time leaves")
}

fn element_type(argument: &str) -> Option<ElementType> {
    ElementType::from_name(argument.rsplit(':').next()?.trim())
}

/// What the configuration that is behind the generics already makes.
fn switched(receiver: &Receiver, pass: &Pass, index: usize) -> Option<Vec<Made>> {
    let stage = receiver.next_stage()?;
    let (pass, at) = with_stage(pass, stage.kind.clone(), stage.output.clone());
    let shape = switch::derive(&pass, at).expected?;
    let mapping = if index == 0 { shape.slice } else { shape.time };
    one(Some(mapping), "what the configuration makes")
}

/// One flit of the stream with zeros behind it, or two.
fn aligned(receiver: &Receiver, pass: &Pass, index: usize) -> Option<Vec<Made>> {
    let kind = StageKind::Align {
        operand: None,
        operand_span: pass.output().packet.span,
    };
    let derive = |output: StreamShape| {
        let (pass, at) = with_stage(pass, kind.clone(), output);
        contraction::derive_align(receiver.body(), &pass, at)
    };
    let derived = derive(pass.output().clone());
    let packets = [
        (derived.two_flit_packet, "two flits"),
        (derived.one_flit_packet, "one flit, and zeros"),
    ];
    let mut found = Vec::new();
    for (packet, words) in packets {
        let Some(packet) = packet else {
            continue;
        };
        if index == 1 {
            found.push(Made {
                mapping: packet,
                words,
            });
            continue;
        }
        let output = StreamShape {
            packet: Written::new(packet, pass.output().packet.span),
            ..pass.output().clone()
        };
        if let Some(time) = derive(output).expected_time {
            found.push(Made {
                mapping: time,
                words: if words == "two flits" {
                    "for packets of two flits"
                } else {
                    "for packets of one flit"
                },
            });
        }
    }
    Some(found)
}

/// Time (0) or packet (1) behind a change of lanes.
fn lanes(input: &StreamShape, kind: &StageKind, part: usize) -> Option<Vec<Made>> {
    let (time, packet) = vector::lanes_made(input, kind)?;
    let words = if part == 0 {
        "the time behind the change of lanes"
    } else {
        "the lanes"
    };
    one(Some(if part == 0 { time } else { packet }), words)
}

fn tile(
    receiver: &Receiver,
    level: crate::kernel::Level,
    arguments: &[String],
    names: &Names<'_>,
) -> Option<Vec<Made>> {
    let [index, length, _] = arguments else {
        return None;
    };
    let index = names.argument(index)?;
    let length = length.replace('_', "").parse::<u64>().ok()?;
    one(
        tensors::tile_output(receiver.body(), receiver.tensor()?, level, &index, length),
        "the view with the tile in the index's place",
    )
}

//! Whole mappings that a stage makes of its input: what the derivations expect, proposed before it is written.
//!
//! Only where the input leaves one answer, or a usual one: flits, casts, changes of lanes, tiles, a switch whose
//! configuration is already. It asks the derivations with a stage that is not written yet.

mod moved;

use std::borrow::Cow;

use crate::db::Db;
use crate::derivation::conventions::Conventions;
use crate::derivation::{cast, collect, contraction, fetch, steps, switch, tensors, vector};
use crate::hardware::{COMMIT_UNIT_BYTES, ElementType, FETCH_ALIGNMENT_BYTES, FLIT_BYTES};
use crate::items::{ItemId, ScopeRef, Span, resolve_mapping_text, scope_at};
use crate::kernel::catalogue::Generic;
use crate::kernel::dialect::{Action, Method};
use crate::kernel::{
    AccumulationKind, CanonicalStage, Level, Pass, Position, Stage, StageKind, StreamShape, Written,
};
use crate::mapping::{Form, Mapping};

use super::receiver::Receiver;

/// A proposal with what makes it.
pub(crate) struct Made {
    /// The mapping.
    pub(crate) mapping: Mapping,
    /// What makes it, in a few words.
    pub(crate) words: Cow<'static, str>,
}

/// Texts of mappings read where the cursor is.
pub(crate) struct Names<'a> {
    pub(crate) db: &'a dyn Db,
    scope: ScopeRef,
    body: Span,
}

impl<'a> Names<'a> {
    /// The names in scope at a place of an item; the text there reaches to `end`.
    pub(crate) fn at(db: &'a dyn Db, item: ItemId, start: u32, end: u32) -> Self {
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
    pub(crate) fn text(&self, mapping: &Mapping) -> Option<String> {
        let text = mapping.to_string();
        let same = self
            .evaluate(&text)
            .is_some_and(|found| found.form() == mapping.form());
        same.then_some(text)
    }
}

/// What the generic of that number of a method will be, as far as it follows from the receiver and the generics before it.
pub(crate) fn made_mappings(
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
            let Some(wanted) = method.generics.get(index) else {
                return Vec::new();
            };
            let asked = Asked {
                receiver,
                pass: &pass,
                method,
                wanted: *wanted,
                arguments,
                names,
            };
            asked.of_stage(stage)
        }
        Action::Tile(level) if index == 2 => made_by_tile(receiver, level, arguments, names),
        _ => None,
    };
    let mut found = found.unwrap_or_default();
    found.retain(|made| !made.mapping.is_opaque());
    found
}

fn one_made(mapping: Option<Mapping>, words: impl Into<Cow<'static, str>>) -> Option<Vec<Made>> {
    Some(vec![Made {
        mapping: mapping?,
        words: words.into(),
    }])
}

const TIME: Generic = Generic::Level(Level::Time);
const PACKET: Generic = Generic::Level(Level::Packet);

/// A generic of a stage's method that is asked for.
struct Asked<'a> {
    receiver: &'a Receiver,
    /// The pass with the stages before.
    pass: &'a Pass,
    method: &'a Method,
    /// Which generic.
    wanted: Generic,
    /// The generics before it, and what is written of itself.
    arguments: &'a [String],
    names: &'a Names<'a>,
}

impl Asked<'_> {
    fn conventions(&self) -> Conventions {
        Conventions::of(self.pass.dialect)
    }

    /// The generic of a kind, if it is written before this one.
    fn given_generic(&self, wanted: Generic) -> Option<&String> {
        let mut generics = self.method.generics.iter();
        let at = generics.position(|generic| *generic == wanted)?;
        let before = self.arguments.len().checked_sub(1)?;
        self.arguments.get(at).filter(|_| at < before)
    }

    /// The mapping of a generic that is written before this one.
    fn mapping(&self, wanted: Generic) -> Option<Mapping> {
        self.names.argument(self.given_generic(wanted)?)
    }

    fn of_stage(&self, stage: CanonicalStage) -> Option<Vec<Made>> {
        let input = self.pass.output();
        let is_current = self.conventions().is_successor();
        match (stage, self.wanted) {
            (CanonicalStage::Fetch, TIME | PACKET) => self.fetch(),
            (CanonicalStage::FetchChipLift, TIME | Generic::Level(Level::Chip)) => {
                self.lifted(Level::Chip)
            }
            (CanonicalStage::FetchClusterLift, TIME | Generic::Level(Level::Cluster)) => {
                self.lifted(Level::Cluster)
            }
            (CanonicalStage::FetchSliceLift, TIME | Generic::Level(Level::Slice)) => {
                self.lifted(Level::Slice)
            }
            (CanonicalStage::Transpose, TIME | PACKET) => self.transposed(&StageKind::Transpose),
            (CanonicalStage::Collect, TIME | PACKET) => {
                let (pass, at) = with_stage(self.pass, StageKind::Collect, input.clone());
                let derived = collect::derive_collect(&pass, at);
                if self.wanted == TIME {
                    one_made(derived.expected_time, "the input's time, then its flits")
                } else {
                    one_made(derived.expected_packet, "one flit")
                }
            }
            (CanonicalStage::Cast, PACKET) => {
                let to = element_type(self.given_generic(Generic::Scalar)?)?;
                let output = StreamShape {
                    element_type: Written::new(to, input.element_type.span),
                    ..input.clone()
                };
                let (pass, at) = with_stage(self.pass, StageKind::Cast, output);
                one_made(
                    cast::derive_cast(&pass, at, self.receiver.target).packet,
                    "the packet, padded to a flit",
                )
            }
            (CanonicalStage::Switch, Generic::Level(level)) => {
                switched_level(self.receiver, self.pass, level)
            }
            (CanonicalStage::Align, TIME | PACKET) => self.aligned(),
            (CanonicalStage::Contract, PACKET) if is_current => self.contracted(),
            (CanonicalStage::ContractTime, TIME) => self.reduced_times(),
            (CanonicalStage::Accumulate, TIME | PACKET) => self.laid_out(),
            (CanonicalStage::CommitTrim, PACKET) => self.trimmed(),
            (CanonicalStage::Commit, Generic::Level(Level::Element)) if is_current => {
                let stream = input.stream().filter(|stream| !stream.is_opaque())?;
                one_made(Some(stream), "the stream's time and packet")
            }
            (CanonicalStage::VectorSplit, TIME | PACKET) => {
                made_by_lanes(input, &StageKind::VectorSplit, self.wanted)
            }
            (CanonicalStage::VectorConcat, TIME | PACKET) => {
                made_by_lanes(input, &StageKind::VectorConcat, self.wanted)
            }
            (CanonicalStage::VectorTrim, PACKET) => {
                made_by_lanes(input, &StageKind::VectorTrim, PACKET)
            }
            (CanonicalStage::VectorPad, PACKET) => {
                made_by_lanes(input, &StageKind::VectorPad, PACKET)
            }
            (CanonicalStage::VectorUnzip, Generic::Index | TIME) => {
                let axis = self.given_generic(Generic::Axis)?;
                let time = input.time.get()?;
                let tiled = self.wanted == Generic::Index;
                let words = if tiled {
                    "the time with a hole for the axis"
                } else {
                    "the time without the axis"
                };
                one_made(vector::without_axis(time, axis, tiled), words)
            }
            (CanonicalStage::VectorIntraReduce, TIME) => {
                let time = input.time.get()?;
                one_made(
                    vector::without_axis(time, self.given_generic(Generic::Axis)?, false),
                    "the time without the axis",
                )
            }
            (CanonicalStage::VectorIntraReduce, PACKET) => {
                let packet = input.packet.get()?;
                let holds = packet
                    .form()
                    .contains_axis(self.given_generic(Generic::Axis)?);
                one_made((!holds).then(|| packet.clone()), "the packet as it is")
            }
            _ => None,
        }
    }

    /// The tensor's elements in the order of the memory, cut into flits; or what is left of them inside of the time.
    fn fetch(&self) -> Option<Vec<Made>> {
        let input = self.pass.output();
        let converts = self.method.generics.contains(&Generic::Scalar);
        let to = if converts {
            element_type(self.given_generic(Generic::Scalar)?)?
        } else {
            *input.element_type.get()?
        };
        let output = StreamShape {
            element_type: Written::new(to, input.element_type.span),
            position: Position::Fetch,
            ..input.clone()
        };
        let (fetched, _) = with_stage(self.pass, fetch_kind(), output.clone());
        let (collected, at) = with_stage(&fetched, StageKind::Collect, output);
        let flits = collect::derive_collect(&collected, at);
        let words = "the elements in their order, a flit at a time";
        if self.wanted == TIME {
            let mut found = one_made(flits.expected_time, words).unwrap_or_default();
            if !converts {
                found.extend(self.other_times(to));
            }
            return Some(found);
        }
        let time = self.mapping(TIME)?;
        if flits
            .expected_time
            .is_some_and(|expected| expected.form() == time.form())
        {
            return one_made(flits.expected_packet, "one flit");
        }
        let whole = input.stream()?;
        let left = whole
            .size()
            .checked_div(time.size())
            .and_then(|left| whole.form().split_at(left))
            .filter(|(outer, _)| outer == time.form())
            .map(|(_, inner)| inner);
        let mut found = one_made(left.as_ref().map(Form::to_mapping), "what the time leaves")?;
        if !converts {
            found.extend(padded_to_words(&left?, to));
        }
        Some(found)
    }

    /// Times that leave packets of other sizes than a flit, where the Fetch Engine delivers them.
    fn other_times(&self, scalar: ElementType) -> Vec<Made> {
        let Some(whole) = self.pass.output().stream().filter(|all| !all.is_opaque()) else {
            return Vec::new();
        };
        let sizes = PACKET_BYTES.iter().filter_map(|bytes| {
            let elements = bytes.checked_mul(8)?.checked_div(scalar.bits())?;
            let (time, packet) = whole.form().split_at(elements)?;
            self.delivers(&time, &packet).then(|| Made {
                mapping: time.to_mapping(),
                words: packet_words(*bytes),
            })
        });
        sizes.collect()
    }

    /// Whether the Fetch Engine reads packets of a mapping in the order of a time.
    fn delivers(&self, time: &Form, packet: &Form) -> bool {
        let input = self.pass.output();
        let output = StreamShape {
            position: Position::Fetch,
            time: Written::new(time.to_mapping(), input.time.span),
            packet: Written::new(packet.to_mapping(), input.packet.span),
            ..input.clone()
        };
        let (pass, at) = with_stage(self.pass, fetch_kind(), output);
        let derived = fetch::derive_fetch(self.receiver.body(), &pass, at, self.receiver.target);
        derived.violations.is_empty()
    }

    /// One flit of the stream, with zeros behind it where a packet is always two, or two flits.
    fn aligned(&self) -> Option<Vec<Made>> {
        let pass = self.pass;
        let kind = StageKind::Align {
            operand: None,
            operand_span: pass.output().packet.span,
        };
        let derive = |output: StreamShape| {
            let (pass, at) = with_stage(pass, kind.clone(), output);
            contraction::derive_align(self.receiver.body(), &pass, at)
        };
        let derived = derive(pass.output().clone());
        let single = if self.conventions().packs_flits_exactly() {
            "one flit"
        } else {
            "one flit, and zeros"
        };
        let packets = [
            (
                derived.two_flit_packet,
                "two flits",
                "for packets of two flits",
            ),
            (derived.one_flit_packet, single, "for packets of one flit"),
        ];
        let mut found = Vec::new();
        for (packet, words, of_time) in packets {
            let Some(packet) = packet else {
                continue;
            };
            if self.wanted == PACKET {
                found.push(Made {
                    mapping: packet,
                    words: words.into(),
                });
                continue;
            }
            if let Some(time) = self.packed_time(&packet) {
                found.push(Made {
                    mapping: time,
                    words: of_time.into(),
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
                    words: of_time.into(),
                });
            }
        }
        Some(found)
    }

    /// The time behind an aligned packet that nothing repeats, where packing is exact: what is outside of the flits.
    fn packed_time(&self, packet: &Mapping) -> Option<Mapping> {
        if !self.conventions().packs_flits_exactly() {
            return None;
        }
        let input = self.pass.output();
        let flits = packet.size().checked_div(input.packet.get()?.size())?;
        let (outer, _) = input.time.get()?.form().split_at(flits)?;
        Some(outer.to_mapping())
    }

    /// What each depth of the reduction tree leaves of the packet, the least first.
    fn contracted(&self) -> Option<Vec<Made>> {
        let input = self.pass.output();
        let elements = input.packet.get()?.size();
        let (pass, at) = with_stage(self.pass, StageKind::Contract, input.clone());
        let derived = contraction::derive_contract(&pass, at);
        let left = derived.possible_packets.into_iter().rev();
        let found = left.map(|mapping| Made {
            words: format!("{} of {elements} elements left", mapping.size()).into(),
            mapping,
        });
        Some(found.collect())
    }

    /// The time as it is, or without an axis that is summed, where the accumulator does that.
    fn reduced_times(&self) -> Option<Vec<Made>> {
        let input = self.pass.output();
        let time = input.time.get()?;
        let without = time.axes().into_iter().filter_map(|axis| {
            let left = vector::without_axis(time, axis.name(), false)?;
            Some((left, format!("adds over `{}`", axis.name())))
        });
        let candidates = without.chain([(time.clone(), "adds nothing".to_owned())]);
        let found = candidates.filter_map(|(mapping, words)| {
            let output = StreamShape {
                time: Written::new(mapping.clone(), input.time.span),
                ..input.clone()
            };
            let (pass, at) = with_stage(self.pass, StageKind::ContractTime, output);
            contraction::derive_time(&pass, at).is_none().then(|| Made {
                mapping,
                words: words.into(),
            })
        });
        Some(found.collect())
    }

    /// What the accumulator hands on, where each layout of the lanes makes one time and one packet.
    fn laid_out(&self) -> Option<Vec<Made>> {
        if !self.conventions().accumulates_exactly() {
            return None;
        }
        let input = self.pass.output();
        let written = match self.receiver.next_stage().map(|stage| &stage.kind) {
            Some(StageKind::Accumulate(kind)) => kind.get().copied(),
            _ => None,
        };
        let kinds = [
            (AccumulationKind::Interleaved, "lanes side by side"),
            (AccumulationKind::Sequential, "a lane after the other"),
        ];
        let kinds = kinds
            .into_iter()
            .filter(|(kind, _)| written.is_none_or(|written| written == *kind));
        let found = kinds.filter_map(|(kind, words)| {
            let kind = StageKind::Accumulate(Written::new(kind, input.packet.span));
            let (pass, at) = with_stage(self.pass, kind, input.clone());
            let derived = contraction::derive_accumulate(&pass, at);
            let mapping = if self.wanted == TIME {
                derived.expected_time
            } else {
                derived.expected_packet
            };
            Some(Made {
                mapping: mapping?,
                words: words.into(),
            })
        });
        Some(found.collect())
    }

    /// The fronts of the packet that the Commit Engine writes: what holds all data first, then by size.
    fn trimmed(&self) -> Option<Vec<Made>> {
        let input = self.pass.output();
        let packet = input.packet.get()?;
        let scalar = *input.element_type.get()?;
        let live = packet.form().live_size();
        let mut found: Vec<(bool, Made)> = (1..=FLIT_BYTES / COMMIT_UNIT_BYTES)
            .filter_map(|units| {
                let bytes = units * COMMIT_UNIT_BYTES;
                let elements = bytes.checked_mul(8)?.checked_div(scalar.bits())?;
                let front = packet.form().resize(elements)?.to_mapping();
                let output = StreamShape {
                    packet: Written::new(front.clone(), input.packet.span),
                    ..input.clone()
                };
                let (pass, at) = with_stage(self.pass, StageKind::CommitTrim, output);
                let derived = steps::derive_step(&pass, at, self.receiver.target);
                let loses = elements < live;
                let words = if loses {
                    format!("the first {bytes} bytes: data is cut off")
                } else {
                    format!("the first {bytes} bytes")
                };
                derived.violations.is_empty().then(|| {
                    let made = Made {
                        mapping: front,
                        words: words.into(),
                    };
                    (loses, made)
                })
            })
            .collect();
        found.sort_by_key(|(loses, _)| *loses);
        Some(found.into_iter().map(|(_, made)| made).collect())
    }
}

/// Sizes of a fetched packet that are proposed besides the flit.
const PACKET_BYTES: [u64; 5] = [64, 128, 256, 16, 8];

fn packet_words(bytes: u64) -> Cow<'static, str> {
    if bytes.is_multiple_of(FLIT_BYTES) {
        format!("packets of {bytes} bytes: {} flits", bytes / FLIT_BYTES).into()
    } else {
        format!("packets of {bytes} bytes").into()
    }
}

/// A packet that ends inside of a word, with just enough padding to be whole words: a switch takes no other.
fn padded_to_words(packet: &Form, scalar: ElementType) -> Option<Made> {
    let word = FETCH_ALIGNMENT_BYTES
        .checked_mul(8)?
        .checked_div(scalar.bits())?;
    let whole = packet.size().checked_next_multiple_of(word)?;
    if whole == packet.size() {
        return None;
    }
    Some(Made {
        mapping: packet.pad(whole)?.to_mapping(),
        words: "the same in whole words of 8 bytes, as a switch takes it".into(),
    })
}

const fn fetch_kind() -> StageKind {
    StageKind::Fetch {
        table: false,
        zero_points: Vec::new(),
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

fn element_type(argument: &str) -> Option<ElementType> {
    ElementType::from_name(argument.rsplit(':').next()?.trim())
}

/// What the configuration that is behind the generics already makes.
fn switched_level(receiver: &Receiver, pass: &Pass, level: Level) -> Option<Vec<Made>> {
    let stage = receiver.next_stage()?;
    let (pass, at) = with_stage(pass, stage.kind.clone(), stage.output.clone());
    let shape = switch::derive_switch(&pass, at).expected?;
    let mapping = match level {
        Level::Slice => shape.slice,
        Level::Time => shape.time,
        _ => return None,
    };
    one_made(Some(mapping), "what the configuration makes")
}

/// Time or packet behind a change of lanes.
fn made_by_lanes(input: &StreamShape, kind: &StageKind, wanted: Generic) -> Option<Vec<Made>> {
    let (time, packet) = vector::lanes_made(input, kind)?;
    let words = if wanted == TIME {
        "the time after the change of lanes"
    } else {
        "the lanes"
    };
    one_made(Some(if wanted == TIME { time } else { packet }), words)
}

fn made_by_tile(
    receiver: &Receiver,
    level: Level,
    arguments: &[String],
    names: &Names<'_>,
) -> Option<Vec<Made>> {
    let [index, length, _] = arguments else {
        return None;
    };
    let index = names.argument(index)?;
    let length = length.replace('_', "").parse::<u64>().ok()?;
    one_made(
        tensors::tile_output(receiver.body(), receiver.tensor()?, level, &index, length),
        "the view with the tile in the index's place",
    )
}

//! Stages of another release: renamed, split into several calls, with what the release asks for before or behind them.

use ra_ap_syntax::TextRange;
use ra_ap_syntax::ast::{self, AstNode, HasArgList};

use crate::hardware::{COMMIT_UNIT_BYTES, ElementType, FLIT_BYTES};
use crate::kernel::catalogue::{CanonicalStage, Generic, Role};
use crate::kernel::dialect::{Method, Receiver};
use crate::kernel::{
    Context, ForeignCall, Level, OperationKind, Pass, PassEnd, Position, StreamShape,
};
use crate::mapping::{self, Answer, Mapping, MappingKind};

use super::super::Edit;
use super::super::wording;
use super::calls::{Parts, Rewriter, generics_for, sub_of};
use super::{Rewritten, edits};

/// Bytes of a flit: no packet that is stored has more elements than a flit has of the smallest type, times two.
const FLIT: u64 = 2 * FLIT_BYTES;
/// Bits of what a commit stores at once.
const COMMIT_UNIT_BITS: u64 = 8 * COMMIT_UNIT_BYTES;
const TIME: Generic = Generic::Level(Level::Time);

impl Rewriter<'_> {
    /// A stage, or the end of a pass.
    pub(super) fn stage(
        &self,
        call: &ForeignCall,
        foreign: &Method,
        parts: &Parts,
    ) -> Result<Rewritten, String> {
        let mut given = parts.arguments_of(foreign);
        split_mode(&mut given, foreign, parts);
        let row = self.row_for(foreign, &given).ok_or(
            "no method of this release asks for this stage: the pass has to be written otherwise",
        )?;
        let (generics, left) = generics_for(row, parts.generics_of(foreign), |_| None);
        let all_inferred = |method: &Method| {
            let mut generics = method.generics.iter();
            generics.all(|generic| *generic == Generic::Inferred)
        };
        let generics = if parts.generics.is_empty() {
            None
        } else if all_inferred(row) && row.generics.len() != foreign.generics.len() {
            Some(vec!["_".to_owned(); row.generics.len()])
        } else {
            Some(generics.ok_or("name the type arguments that this release takes")?)
        };
        let (arguments, mut sure) = self.arguments_for(call, row, given, parts)?;
        let mut name = row.name.to_owned();
        if let Some((before, certain)) = self.call_before(call, (foreign, row), parts)? {
            name = format!("{before}.{name}");
            sure &= certain;
        }
        let mut edits = self.replaced(parts, (&name, generics.as_deref(), &arguments));
        let mut text = short_call(&name, generics.as_deref(), &arguments);
        if let Some(cast) = self.cast_behind(call, row, &left) {
            edits.push(self.edit_behind(parts, &cast));
            text = format!("{text}.{cast}");
        }
        Ok(Rewritten { edits, text, sure })
    }

    /// The row of the release for what another one asks for: the same stage, on the same kind of stream, with as much beside.
    fn row_for(&self, foreign: &Method, given: &[(Role, String)]) -> Option<&'static Method> {
        let mut stages: Vec<_> = foreign.stages().to_vec();
        // What is done on the way of a commit was an argument, and is a stage of its own.
        let relu = given
            .iter()
            .any(|(role, text)| *role == Role::Activation && !text.ends_with("None"));
        if let Some(stage) = stages.first_mut().filter(|_| relu) {
            stage.stage = CanonicalStage::CommitCastRelu;
        }
        let single = |receiver: Receiver| match receiver {
            Receiver::Stream => Receiver::Single,
            other => other,
        };
        let same = |row: &&'static Method| {
            row.is_published()
                && row.stages() == stages
                && single(row.receiver) == single(foreign.receiver)
                && row.arity() == foreign.arity()
                && row.has_role(Role::Mode) == given.iter().any(|(role, _)| *role == Role::Mode)
                && row.has_role(Role::Table) == foreign.has_role(Role::Table)
        };
        let mut rows: Vec<&'static Method> = self.own.every_method().filter(same).collect();
        rows.sort_by_key(|row| row.name != foreign.name);
        rows.first().copied()
    }

    /// The arguments of a row from those of another; whether nothing of what they say is lost.
    fn arguments_for(
        &self,
        call: &ForeignCall,
        row: &Method,
        mut given: Vec<(Role, String)>,
        parts: &Parts,
    ) -> Result<(Vec<String>, bool), String> {
        let mut arguments = Vec::new();
        for wanted in row.arguments {
            let at = given.iter().position(|(role, _)| *role == wanted.role);
            match at {
                Some(at) => arguments.push(given.remove(at).1),
                None if wanted.role == Role::Context && wanted.optional => match call.context {
                    Some(Context::Sub) => {}
                    Some(Context::Main) => {
                        let sub = sub_of(&parts.receiver, self.own);
                        arguments.push(sub.ok_or("in the main context it takes the sub context, `&mut` of the device's field")?);
                    }
                    _ => {
                        return Err("in the sub context it takes nothing, in the main context the sub context: this pass may run in either".to_owned());
                    }
                },
                None => {
                    return Err(format!(
                        "this release takes `{}` here, {}",
                        wanted.name, wanted.ty
                    ));
                }
            }
        }
        // An operation of which there is one is no argument.
        let lost = given.iter().any(|(role, text)| match role {
            Role::Address | Role::Context | Role::Activation => false,
            Role::Operation => row.has_role(Role::Operation) || text.is_empty(),
            _ => true,
        });
        if lost {
            let (_, text) = given
                .first()
                .cloned()
                .unwrap_or((Role::Address, String::new()));
            return Err(format!("this release does not take `{text}` here"));
        }
        Ok((arguments, true))
    }

    /// The call that the release asks for before another: a step that was a part of it.
    fn call_before(
        &self,
        call: &ForeignCall,
        (foreign, row): (&Method, &Method),
        parts: &Parts,
    ) -> Result<Option<(String, bool)>, String> {
        let Some(stage) = row.stage() else {
            return Ok(None);
        };
        let one = |stage, generics: &[(Generic, String)]| {
            format!("{}()", self.own.write_method(stage, generics))
        };
        if stage == CanonicalStage::Accumulate && call.library != self.own.library {
            let time = self.time_before_lanes(call, foreign, parts);
            let time = time.ok_or(
                "name the time that the sums have before the lanes go into it, in a step before this one",
            )?;
            return Ok(Some((
                one(CanonicalStage::ContractTime, &[(TIME, time)]),
                true,
            )));
        }
        let Some((pass, before)) = self.stream(call) else {
            return Ok(None);
        };
        let ends = matches!(stage, CanonicalStage::Commit | CanonicalStage::CommitView);
        if ends && !row.is_offered_at(before.position) && row.is_offered_at(Position::CommitTrim) {
            let (packet, sure) = self
                .trimmed(pass, &before)
                .ok_or("a trim to the packet that is stored goes before it: name that packet")?;
            let packet = (Generic::Level(Level::Packet), packet);
            return Ok(Some((one(CanonicalStage::CommitTrim, &[packet]), sure)));
        }
        Ok(None)
    }

    /// The pass that a call is of, and the stream that it is called on.
    fn stream(&self, call: &ForeignCall) -> Option<(&Pass, StreamShape)> {
        self.body.operations.iter().find_map(|operation| {
            let OperationKind::Pass(pass) = &operation.kind else {
                return None;
            };
            let mut before = &pass.begin;
            for stage in &pass.stages {
                if stage.span == call.span {
                    return Some((&**pass, before.clone()));
                }
                before = &stage.output;
            }
            let (_, end) = pass.end.written_target()?;
            (end == call.span).then(|| (&**pass, before.clone()))
        })
    }

    /// The packet that a commit stores: of whole units, and the innermost run of what it makes.
    fn trimmed(&self, pass: &Pass, stream: &StreamShape) -> Option<(String, bool)> {
        let packet = stream.packet.value.as_ref()?;
        let made = match &pass.end {
            PassEnd::Commit { target, .. } | PassEnd::CommitView { target, .. } => {
                self.body.tensor(*target)
            }
            _ => None,
        };
        let element = made.and_then(|made| made.levels.element.value.as_ref());
        let bits = stream.element_type.value.map(ElementType::bits);
        let (live, pad) = match packet.kind() {
            MappingKind::Pad(live, size, kind) => (live.clone(), Some((size, kind))),
            _ => (packet.clone(), None),
        };
        // From the whole packet down to what of it is live.
        let sizes = (live.size()..=packet.size().min(live.size().saturating_add(FLIT))).rev();
        let candidates = sizes.filter_map(|size| match pad {
            _ if size == live.size() => Some(live.clone()),
            Some((_, kind)) => live.pad_to(size, kind).ok(),
            None => None,
        });
        let is_stored = |packet: &Mapping| {
            let run = element.and_then(|element| element.modulo(packet.size()).ok());
            let units = bits.and_then(|bits| packet.size().checked_mul(bits));
            units.is_some_and(|bits| bits % COMMIT_UNIT_BITS == 0)
                && run.is_some_and(|run| mapping::mappings_equal(&run, packet) == Answer::Yes)
        };
        let written = |found: &Mapping| match found == packet {
            true => self.text_of(&stream.packet),
            false => Some(wording::mapping_macro_text(found)),
        };
        let mut candidates = candidates.filter(is_stored);
        match candidates.next() {
            Some(found) => Some((written(&found)?, true)),
            None => Some((written(&live)?, false)),
        }
    }

    /// The time of the sums, from the time that the lanes and the rest of the packet have gone into.
    fn time_before_lanes(
        &self,
        call: &ForeignCall,
        foreign: &Method,
        parts: &Parts,
    ) -> Option<String> {
        let (_, before) = self.stream(call)?;
        let given = parts.generics_of(foreign);
        let (_, text) = given.iter().find(|(generic, _)| *generic == TIME)?;
        let time = self.stage_time(call)?;
        let interleaved = parts
            .arguments_of(foreign)
            .iter()
            .any(|(role, text)| *role == Role::Configuration && text.ends_with("Interleaved"));
        // Interleaved lanes are in the packet, and its positions in time; else the lanes are in time, and pieces of the packet.
        let gone = if interleaved {
            before.packet.value.clone()?
        } else {
            let packet = before.packet.value.as_ref()?;
            if packet.size() > 8 {
                return None;
            }
            before.row.as_ref()?.value.clone()?
        };
        if gone.size() == 1 {
            return Some(text.clone());
        }
        let size = time.size().checked_div(gone.size())?;
        if size.checked_mul(gone.size()) != Some(time.size()) {
            return None;
        }
        let inner = time.modulo(gone.size()).ok()?;
        if mapping::mappings_equal(&inner, &gone) != Answer::Yes {
            return None;
        }
        let outer = time.form().split_at(gone.size())?.0.to_mapping();
        Some(wording::mapping_macro_text(&outer))
    }

    /// The time that a stage's own call says.
    fn stage_time(&self, call: &ForeignCall) -> Option<Mapping> {
        self.body.operations.iter().find_map(|operation| {
            let OperationKind::Pass(pass) = &operation.kind else {
                return None;
            };
            let mut stages = pass.stages.iter();
            let own = stages.find(|stage| stage.span == call.span)?;
            own.output.time.value.clone()
        })
    }

    /// The conversion that was a generic of a fetch and is a step of its own.
    fn cast_behind(
        &self,
        call: &ForeignCall,
        row: &Method,
        left: &[(Generic, String)],
    ) -> Option<String> {
        let stage = row.stage()?;
        let (_, scalar) = left
            .iter()
            .find(|(generic, _)| *generic == Generic::Scalar)?;
        if stage != CanonicalStage::Fetch || scalar == "_" {
            return None;
        }
        let source: Option<ElementType> = self
            .stream(call)
            .and_then(|(pass, _)| pass.begin.element_type.value);
        if source.is_some_and(|source| source.name() == scalar) {
            return None;
        }
        let cast = CanonicalStage::FetchCast;
        self.own.method_of(cast)?;
        let written = self
            .own
            .write_method(cast, &[(Generic::Scalar, scalar.clone())]);
        Some(format!("{written}()"))
    }

    /// The edit that puts a call behind another one.
    fn edit_behind(&self, parts: &Parts, call: &str) -> Edit {
        let text = &self.parsed.text;
        let next = parts
            .node
            .syntax()
            .parent()
            .and_then(ast::MethodCallExpr::cast);
        let next = next.and_then(|next| next.name_ref());
        match next {
            // Before the next one, so that it gets a line of its own where the others have one.
            Some(next) => {
                let at = TextRange::empty(next.syntax().text_range().start());
                Edit::new(edits::range_span(text, at), format!("{call}."))
            }
            None => {
                let at = TextRange::empty(parts.node.syntax().text_range().end());
                Edit::new(edits::range_span(text, at), format!(".{call}"))
            }
        }
    }
}

/// A mode that the operation is given and that is an argument of its own here: `op.mode(m)` is an operation and a mode.
fn split_mode(given: &mut Vec<(Role, String)>, foreign: &Method, parts: &Parts) {
    let Some(at) = foreign.argument(Role::Operation) else {
        return;
    };
    let call = parts
        .arguments
        .get(at)
        .cloned()
        .and_then(ast::MethodCallExpr::cast);
    let Some(call) = call else {
        return;
    };
    let mut arguments = call.arg_list().into_iter().flat_map(|list| list.args());
    if let (Some(operation), Some(mode), Some((_, text))) =
        (call.receiver(), arguments.next(), given.get_mut(at))
    {
        *text = operation.syntax().text().to_string();
        given.push((Role::Mode, mode.syntax().text().to_string()));
    }
}

/// A call in short, for words.
pub(super) fn short_call(name: &str, generics: Option<&[String]>, arguments: &[String]) -> String {
    let generics = generics.filter(|generics| !generics.is_empty());
    let generics = generics.map_or_else(String::new, |generics| {
        format!("::<{}>", generics.join(", "))
    });
    let arguments = arguments.join(", ");
    let arguments = if arguments.len() > 60 {
        "…"
    } else {
        &arguments
    };
    format!("{name}{generics}({arguments})")
}

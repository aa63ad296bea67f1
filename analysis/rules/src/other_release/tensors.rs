//! Transfers, views and collectives of another release: addresses dropped, generics added, collectives as plans.

use crate::kernel::catalogue::{Generic, Role};
use crate::kernel::dialect::{Action, Argument, Method, PlanKind, PlanStep, Receiver};
use crate::kernel::{Body, Context, ForeignCall, Level, OperationKind, Tensor, Tier};

use super::Rewritten;
use super::calls::{Parts, Rewriter, generics_for};
use super::passes::short_call;

impl Rewriter<'_> {
    /// A method of a tensor, a view or a context.
    pub(super) fn memory(
        &self,
        call: &ForeignCall,
        foreign: &Method,
        parts: &Parts,
    ) -> Result<Rewritten, String> {
        if matches!(foreign.action, Action::Gather | Action::Scatter) {
            return Err(
                "a plan names the axis that is looked up and its payload, which this call does not say: begin one on the \
                 table, add the indices, and carry it out"
                    .to_owned(),
            );
        }
        let source = self.source_tensor(call);
        let tier = source.map_or(Tier::Dm, |source| source.tier);
        let Some(row) = self.row_of_action(foreign, tier) else {
            return self.planned(call, foreign, parts);
        };
        let moved = row.receiver != foreign.receiver && !is_tensor(foreign.receiver);
        let mut given = parts.arguments_of(foreign);
        let receiver = if moved {
            Some(self.moved_receiver(&mut given, parts)?)
        } else {
            None
        };
        let (generics, left) = generics_for(row, parts.generics_of(foreign), |generic| {
            let Generic::Level(level) = generic else {
                return None;
            };
            self.level_text(source?, level)
        });
        let inferred = |method: &Method| {
            let generics = method.generics.iter();
            generics
                .filter(|generic| **generic == Generic::Inferred)
                .count()
        };
        let generics = match generics {
            _ if parts.generics.is_empty() => None,
            // All of them follow from what is written.
            Some(generics) if inferred(row) != inferred(foreign) => {
                Some(left_to_inference(row, generics))
            }
            Some(generics) => Some(generics),
            None => return Err("name the type arguments that this release takes".to_owned()),
        };
        // Constants that counted parts, and types that are inferred, say nothing.
        let dropped = left
            .iter()
            .any(|(generic, _)| matches!(generic, Generic::Level(_)));
        if dropped {
            return Err("this release takes other type arguments".to_owned());
        }
        let (arguments, mut sure) = self.arguments_of_row(foreign, row, given)?;
        sure &= row.name == foreign.name || !matches!(foreign.action, Action::Accessor(_));
        let mut edits = self.replaced(parts, (row.name, generics.as_deref(), &arguments));
        if let Some(receiver) = receiver {
            let place = super::edits::range_span(&self.parsed.text, parts.receiver.text_range());
            edits.push(super::super::Edit::new(place, receiver));
        }
        let text = short_call(row.name, generics.as_deref(), &arguments);
        Ok(Rewritten { edits, text, sure })
    }

    /// The row of the release that does the same on the same kind of tensor: of the same name, else by the same engine.
    /// What says something of a tensor is followed by what took its place in the next release, and by nothing else. `tier` is
    /// that of the tensor, where a context has the method.
    fn row_of_action(&self, foreign: &Method, tier: Tier) -> Option<&'static Method> {
        let followed = |row: &Method| {
            let last = foreign.releases.and_then(|releases| releases.until);
            let first = row.releases.map(|releases| releases.since);
            last.zip(first).is_some_and(|(last, first)| {
                (last.major, last.minor + 1) == (first.major, first.minor)
            })
        };
        let says = matches!(foreign.action, Action::Accessor(_));
        let same = |row: &&'static Method| {
            row.is_published()
                && !row.without_body
                && row.action == foreign.action
                && (!says || row.name == foreign.name || followed(row))
                && (is_tensor(row.receiver) || row.receiver == foreign.receiver)
                && tier_of(row.receiver) == tier_of(foreign.receiver).or(Some(tier))
        };
        let mut rows: Vec<&'static Method> = self.own.every_method().filter(same).collect();
        let by = |row: &Method| context_of(row).map(|argument| argument.ty);
        rows.sort_by_key(|row| {
            let longer = foreign.name.starts_with(row.name);
            (row.name != foreign.name, by(row) != by(foreign), !longer)
        });
        rows.first().copied()
    }

    /// The tensor that a call moves.
    fn source_tensor(&self, call: &ForeignCall) -> Option<&Tensor> {
        let body: &Body = self.body;
        body.operations
            .iter()
            .find_map(|operation| match &operation.kind {
                OperationKind::Copy(copy) if copy.span == call.span => body.tensor(copy.source),
                OperationKind::Collective(_) if operation.span == call.span => {
                    let OperationKind::Collective(collective) = &operation.kind else {
                        return None;
                    };
                    body.tensor(*collective.sources.first()?)
                }
                _ => None,
            })
    }

    fn level_text(&self, tensor: &Tensor, level: Level) -> Option<String> {
        let mut levels = tensor.levels.iter();
        let (_, written) = levels.find(|(own, _)| *own == level)?;
        self.text_of(written)
    }

    /// A method of a context that is one of the tensor now: the tensor, and the context as an argument.
    fn moved_receiver(
        &self,
        given: &mut Vec<(Role, String)>,
        parts: &Parts,
    ) -> Result<String, String> {
        let at = given.iter().position(|(role, _)| *role == Role::Source);
        let at = at.ok_or("it is a method of the tensor in this release")?;
        let (_, source) = given.remove(at);
        let view = self
            .own
            .method_that(Action::View(crate::kernel::dialect::Access::Shared));
        let suffix = view.map_or_else(String::new, |view| format!(".{}()", view.name));
        let tensor = source.strip_suffix(suffix.as_str()).unwrap_or(&source);
        given.push((Role::Context, format!("&mut {}", parts.receiver.text())));
        Ok(tensor.to_owned())
    }

    /// The arguments of a row from those of another.
    fn arguments_of_row(
        &self,
        foreign: &Method,
        row: &Method,
        mut given: Vec<(Role, String)>,
    ) -> Result<(Vec<String>, bool), String> {
        let mut sure = true;
        let mut arguments = Vec::new();
        for wanted in row.arguments {
            let at = given.iter().position(|(role, _)| *role == wanted.role);
            let Some(at) = at else {
                return Err(format!(
                    "this release takes `{}` here, {}",
                    wanted.name, wanted.ty
                ));
            };
            let (_, text) = given.remove(at);
            let by = context_of(foreign).map(|argument| argument.ty);
            if wanted.role == Role::Context && by.is_some_and(|by| by != wanted.ty) {
                sure = false;
                let text = self.other_engine(&text);
                arguments.push(text.ok_or("another engine does it in this release")?);
            } else {
                arguments.push(text);
            }
        }
        for (role, text) in given {
            match role {
                Role::Address => {}
                Role::Pattern if is_swap(&text) => {}
                _ => return Err(format!("this release does not take `{text}` here")),
            }
        }
        Ok((arguments, sure))
    }

    /// The tensor DMA in the place of another context of the same device.
    fn other_engine(&self, text: &str) -> Option<String> {
        let (device, field) = text.rsplit_once('.')?;
        self.own.context_field(field)?;
        let mut fields = self.own.context_fields.iter();
        let (dma, _) = fields.find(|(_, context)| *context == Context::TensorDma)?;
        Some(format!("{device}.{dma}"))
    }

    /// A collective that is a plan of several steps in this release.
    fn planned(
        &self,
        call: &ForeignCall,
        foreign: &Method,
        parts: &Parts,
    ) -> Result<Rewritten, String> {
        let Action::Shuffle(level) = foreign.action else {
            return Err("no method of this release does this".to_owned());
        };
        let step = |receiver: Receiver, step: PlanStep| {
            let mut rows = self.own.every_method();
            rows.find(|row| {
                let same = row.receiver == receiver
                    || tier_of(row.receiver).is_some()
                        && tier_of(row.receiver) == tier_of(receiver);
                same && row.action == Action::Plan(step)
            })
        };
        let none = "no method of this release does this";
        let dm = foreign.receiver;
        let dm = if is_tensor(dm) {
            dm
        } else {
            Receiver::Tensor(Tier::Dm, &[])
        };
        let first = step(dm, PlanStep::Shuffle(level)).ok_or(none)?;
        let last = step(Receiver::Plan(PlanKind::Redistribution), PlanStep::Make).ok_or(none)?;
        let mut given = parts.arguments_of(foreign);
        let receiver = if is_tensor(foreign.receiver) {
            None
        } else {
            Some(self.moved_receiver(&mut given, parts)?)
        };
        let mut take = |role: Role| {
            let at = given.iter().position(|(own, _)| *own == role)?;
            Some(given.remove(at).1)
        };
        let dma = take(Role::Context).ok_or(none)?;
        let pattern = take(Role::Pattern);
        let pattern = match (first.has_role(Role::Pattern), pattern) {
            (true, Some(pattern)) => pattern,
            (false, Some(word_pattern)) if is_swap(&word_pattern) => String::new(),
            (false, None) => String::new(),
            _ => return Err("write the pattern as this release takes it".to_owned()),
        };
        // What is shuffled keeps its elements.
        let element = self
            .source_tensor(call)
            .and_then(|source| self.level_text(source, Level::Element))
            .ok_or("name the element that the result has")?;
        let name = format!("{}({pattern}).{}", first.name, last.name);
        let generics = [element];
        let arguments = [dma];
        let mut edits = self.replaced(parts, (&name, Some(&generics), &arguments));
        if let Some(receiver) = receiver {
            let place = super::edits::range_span(&self.parsed.text, parts.receiver.text_range());
            edits.push(super::super::Edit::new(place, receiver));
        }
        Ok(Rewritten {
            edits,
            text: short_call(&name, Some(&generics), &arguments),
            sure: false,
        })
    }
}

/// The generics of a row with `_` for all that are inferred.
fn left_to_inference(row: &Method, generics: Vec<String>) -> Vec<String> {
    let meant = row.generics.iter().zip(generics);
    let written = meant.map(|(generic, text)| match generic {
        Generic::Inferred => "_".to_owned(),
        _ => text,
    });
    written.collect()
}

const fn is_tensor(receiver: Receiver) -> bool {
    matches!(receiver, Receiver::Tensor(..))
}

const fn tier_of(receiver: Receiver) -> Option<Tier> {
    match receiver {
        Receiver::Tensor(tier, _) => Some(tier),
        _ => None,
    }
}

fn context_of(row: &Method) -> Option<&'static Argument> {
    row.arguments
        .iter()
        .find(|argument| argument.role == Role::Context)
}

/// Whether a pattern lets two parts change places.
fn is_swap(pattern: &str) -> bool {
    let plain: String = pattern
        .chars()
        .filter(|letter| !letter.is_whitespace() && *letter != '&')
        .collect();
    plain == "[1,0]"
}

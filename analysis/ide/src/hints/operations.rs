//! What the operations of a function cost, and what their streams look like between the stages.
//!
//! A function is taken by itself: what a caller decides is not known here, and left out. A loop's operation stands for all
//! of its runs: its cycles are those of one run.

use std::sync::Arc;

use indexmap::IndexMap;
use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{SyntaxNode, TextSize, TokenAtOffset};

use crate::check::function_simulation;
use crate::db::Db;
use crate::items::{ItemId, ParsedItem, Span, is_inside, parse_item};
use crate::kernel::{Body, Operation, OperationKind, Position, Stage};
use crate::lowering::body;
use crate::numbers::thousands;
use crate::simulation::{BodySimulation, OperationCost, StageCost};

use super::super::HintKind;
use super::super::lenses::cycles_text;
use super::super::operations::operation_methods;
use super::ItemHint;
use super::sizes::stream_size_text;

/// The hints of a function: cycles behind operations, streams behind stages.
pub(super) fn of_function(db: &dyn Db, function: ItemId) -> Vec<ItemHint> {
    let parsed = parse_item(db, function);
    let Some(root) = parsed.root() else {
        return Vec::new();
    };
    let lowered = body(db, function);
    let simulation = function_simulation(db, function);
    let text = Text {
        db,
        function,
        parsed: &parsed,
        root: root.syntax(),
    };
    let mut hints = text.cycles(&lowered, &simulation);
    hints.extend(text.streams(&lowered, &simulation));
    hints
}

/// A function's text.
struct Text<'a> {
    db: &'a dyn Db,
    function: ItemId,
    parsed: &'a ParsedItem,
    root: &'a SyntaxNode,
}

impl Text<'_> {
    fn cycles(&self, lowered: &Body, simulation: &BodySimulation) -> Vec<ItemHint> {
        // A chain of two transfers is two operations that end at one place.
        let mut ends: IndexMap<Span, Vec<(String, String)>> = IndexMap::new();
        for body_runs in self.operations_by_place(lowered) {
            let (Some(words), Some(end)) = (
                costs_of(lowered, simulation, &body_runs),
                body_runs.first().and_then(|run| self.end_of_statement(run)),
            ) else {
                continue;
            };
            ends.entry(end).or_default().push(words);
        }
        let hints = ends.into_iter().map(|(place, words)| {
            let (labels, tooltips): (Vec<String>, Vec<String>) = words.into_iter().unzip();
            ItemHint {
                place,
                label: labels.join(" + "),
                tooltip: tooltips.join("\n\n"),
                kind: HintKind::Cycles,
            }
        });
        hints.collect()
    }

    /// The operations that are written in the function, all runs of one together.
    fn operations_by_place<'b>(&self, lowered: &'b Body) -> Vec<Vec<&'b Operation>> {
        let mut places: IndexMap<Span, Vec<&Operation>> = IndexMap::new();
        for operation in &lowered.operations {
            if is_inside(self.db, operation.span, self.function) {
                places.entry(operation.span).or_default().push(operation);
            }
        }
        places.into_values().collect()
    }

    fn streams(&self, lowered: &Body, simulation: &BodySimulation) -> Vec<ItemHint> {
        // Of each stage what it says in every run.
        let mut places: IndexMap<Span, Option<(String, String)>> = IndexMap::new();
        for operation in &lowered.operations {
            let OperationKind::Pass(pass) = &operation.kind else {
                continue;
            };
            let cost = simulation.operations.get(operation.id.0 as usize);
            for (index, stage) in pass.stages.iter().enumerate() {
                if !is_inside(self.db, stage.span, self.function) {
                    continue;
                }
                let cost =
                    cost.and_then(|cost| cost.stages.iter().find(|cost| cost.stage == Some(index)));
                let words = stage_words(stage, cost);
                let known = places.entry(stage.span).or_insert_with(|| words.clone());
                let same =
                    |one: &Option<(String, String)>| one.as_ref().map(|(label, _)| label.clone());
                if same(known) != same(&words) {
                    *known = None;
                }
            }
        }
        let hints = places.into_iter().filter_map(|(span, words)| {
            let (label, tooltip) = words?;
            Some(ItemHint {
                place: self.parsed.span(&self.call(span)?),
                label,
                tooltip,
                kind: HintKind::Stream,
            })
        });
        hints.collect()
    }

    /// The call whose name is at a place.
    fn call(&self, place: Span) -> Option<SyntaxNode> {
        let start = TextSize::from(place.start.checked_sub(self.parsed.text.base)?);
        if start > self.root.text_range().end() {
            return None;
        }
        let token = match self.root.token_at_offset(start) {
            TokenAtOffset::None => return None,
            TokenAtOffset::Single(token) | TokenAtOffset::Between(_, token) => token,
        };
        token.parent_ancestors().find(is_call)
    }

    /// What ends where an operation's text ends: its statement, or the expression if the statement holds more than that.
    fn end_of_statement(&self, operation: &Operation) -> Option<Span> {
        let own = operation_methods(operation)
            .filter(|(span, _)| is_inside(self.db, *span, self.function));
        let mut node = self.call(own.last()?.0)?;
        loop {
            let parent = node.parent()?;
            let kind = parent.kind();
            let whole = ast::ExprStmt::can_cast(kind) || ast::LetStmt::can_cast(kind);
            if whole {
                return Some(self.parsed.span(&parent));
            }
            let receiver = || {
                ast::MethodCallExpr::cast(parent.clone())
                    .and_then(|call| call.receiver())
                    .is_some_and(|receiver| *receiver.syntax() == node)
            };
            let goes_on = ast::ParenExpr::can_cast(kind)
                || ast::TryExpr::can_cast(kind)
                || ast::RefExpr::can_cast(kind)
                || receiver();
            if !goes_on {
                return Some(self.parsed.span(&node));
            }
            node = parent;
        }
    }
}

fn is_call(node: &SyntaxNode) -> bool {
    ast::MethodCallExpr::can_cast(node.kind()) || ast::CallExpr::can_cast(node.kind())
}

/// The cycles of one run and how many there are, and what decides them; `None` where a run's are unknown.
fn costs_of(
    lowered: &Body,
    simulation: &BodySimulation,
    runs: &[&Operation],
) -> Option<(String, String)> {
    let costs: Vec<&Arc<OperationCost>> = runs
        .iter()
        .map(|run| simulation.operations.get(run.id.0 as usize))
        .collect::<Option<_>>()?;
    let numbers: Vec<u64> = costs
        .iter()
        .map(|cost| cost.cycles)
        .collect::<Option<_>>()?;
    let (least, most) = (*numbers.iter().min()?, *numbers.iter().max()?);
    let one = if least == most {
        cycles_text(least)
    } else {
        format!("{} to {}", thousands(least), cycles_text(most))
    };
    let label = match run_count(lowered, runs) {
        Some(1) => one,
        Some(count) => format!("{one} x {}", thousands(count)),
        None => format!("{one} a run"),
    };
    Some((label, cost_tooltip(costs.first()?)))
}

/// How often an operation runs; `None` if unknown.
fn run_count(lowered: &Body, runs: &[&Operation]) -> Option<u64> {
    let first = runs.first()?;
    let frames = &first.loops;
    if frames
        .iter()
        .any(|frame| lowered.unbounded_loops.contains(&frame.span) || frame.count.is_none())
    {
        return None;
    }
    let shortened = frames
        .iter()
        .any(|frame| lowered.shortened_loops.contains(&frame.span));
    let here = u64::try_from(runs.len()).ok()?;
    if !shortened {
        return Some(here);
    }
    // The runs that stand for all of them: of a shortened loop the first two and the last. Where some are missing, a
    // condition decides which runs there are.
    let mut standing: u64 = 1;
    let mut all: u64 = 1;
    for frame in frames {
        let count = frame.count?;
        let shown = if lowered.shortened_loops.contains(&frame.span) {
            count.min(3)
        } else {
            count
        };
        standing = standing.checked_mul(shown)?;
        all = all.checked_mul(count)?;
    }
    (standing == here).then_some(all)
}

/// What decides the cycles: the engine, its formula with the numbers, its configuration.
fn cost_tooltip(cost: &OperationCost) -> String {
    let bottleneck = cost.bottleneck.and_then(|index| cost.stages.get(index));
    let decides = bottleneck.map(|stage| format!("decided by {}", stage_cost_words(stage)));
    let assumed = cost
        .assumptions
        .iter()
        .map(|assumption| format!("assuming {assumption}"));
    let lines: Vec<String> = decides.into_iter().chain(assumed).collect();
    lines.join("\n\n")
}

fn stage_cost_words(stage: &StageCost) -> String {
    let inputs: Vec<String> = stage
        .inputs
        .iter()
        .map(|(name, value)| format!("{name} {}", thousands(*value)))
        .collect();
    let mut words = format!("{}: `{}`", stage.engine.name(), stage.formula);
    if let Some(busy) = stage.busy {
        words.push_str(&format!(" = {}", cycles_text(busy)));
    }
    if let Some((scheduled, why)) = stage.scheduled {
        words.push_str(&format!(", {} {why}", cycles_text(scheduled)));
    }
    if !inputs.is_empty() {
        words.push_str(&format!(" ({})", inputs.join(", ")));
    }
    if !stage.detail.is_empty() {
        words.push_str(&format!("  \n`{}`", stage.detail));
    }
    words
}

/// The stream behind a stage, and what it is made of.
fn stage_words(stage: &Stage, cost: Option<&StageCost>) -> Option<(String, String)> {
    let output = &stage.output;
    // Two groups have two streams.
    if matches!(output.position, Position::VectorPair(_)) {
        return None;
    }
    let (time, packet) = (output.time.get()?, output.packet.get()?);
    let element_type = output.element_type.value?;
    let label = stream_size_text(Some(time.size()), element_type, Some(packet))?;
    let mut words = format!(
        "Time `m![{time}]`, Packet `m![{packet}]` of `{}`",
        element_type.name()
    );
    if let Some(row) = output.row.as_ref().and_then(|row| row.get()) {
        words.push_str(&format!(", in each of {} rows", thousands(row.size())));
    }
    if let Some(cost) = cost {
        words.push_str("\n\n");
        words.push_str(&stage_cost_words(cost));
    }
    Some((label, words))
}

//! Parts of a method's page: the stream before and behind a stage, the cycles of its engine with their formula, its ALUs.

use std::collections::BTreeSet;

use crate::derivation::vector::{VectorDerivation, stages as vector_stages};
use crate::hardware::{Alu, VECTOR_OPERATIONS};
use crate::kernel::catalogue;
use crate::mapping::Mapping;
use crate::numbers::thousands;
use crate::simulation::{Engine, StageCost, StageRow};

use super::page::{code, markdown_table};

/// The rows of a stage table; the slices only where they change.
pub(super) fn stream_table(rows: &[StageRow]) -> Option<String> {
    let first = rows.first()?;
    let sliced = rows.iter().any(|row| row.slice != first.slice);
    let mut head = vec!["stage", "type"];
    if sliced {
        head.push("slice");
    }
    head.extend(["time", "packet"]);
    let words = head.len();
    head.extend(["steps", "bytes", "flits", "way", "cycles"]);
    let mapping = |mapping: &Option<Mapping>| {
        mapping
            .as_ref()
            .map_or_else(String::new, |mapping| code(&format!("m![{mapping}]")))
    };
    let number = |value: Option<u64>| value.map_or_else(String::new, thousands);
    let cells = rows.iter().map(|row| {
        let mut cells = vec![
            code(&row.method),
            row.element_type
                .map_or_else(String::new, |kind| kind.name().to_owned()),
        ];
        if sliced {
            cells.push(mapping(&row.slice));
        }
        cells.extend([
            mapping(&row.time),
            mapping(&row.packet),
            number(row.iterations),
            number(row.bytes),
            number(row.flits),
            number(row.lanes),
            number(row.cycles),
        ]);
        cells
    });
    Some(markdown_table(&head, words, &cells.collect::<Vec<_>>()))
}

/// How an engine's cycles come about, and what it is set up to do.
pub(super) fn engine_lines(cost: &StageCost) -> Vec<String> {
    let mut lines = Vec::new();
    if !cost.detail.is_empty() {
        let what = match cost.engine {
            Engine::Fetch | Engine::Commit => "Sequencer",
            _ => "Set-up",
        };
        // The Vector Engine's begins with the method, which is in the headline.
        let detail = cost.detail.split_once(", ");
        let detail = detail.filter(|_| cost.engine == Engine::Vector);
        let detail = detail.map_or(cost.detail.as_str(), |(_, rest)| rest);
        lines.push(format!("{what} {}", code(detail)));
    }
    lines.push(formula(cost));
    lines
}

/// The cycles of an engine as its formula, with the values put in.
fn formula(cost: &StageCost) -> String {
    let value = cost.busy.map_or_else(|| "unknown".to_owned(), thousands);
    let by_book = format!("Cycles {value} = {} (book: {})", inputs(cost), cost.heading);
    match cost.scheduled {
        Some((cycles, why)) => format!("{by_book}, {} {why}", thousands(cycles)),
        None => by_book,
    }
}

fn inputs(cost: &StageCost) -> String {
    let inputs: Vec<String> = cost
        .inputs
        .iter()
        .map(|(name, value)| format!("{name} {}", thousands(*value)))
        .collect();
    let given = if inputs.is_empty() {
        String::new()
    } else {
        format!(" with {}", inputs.join(", "))
    };
    format!("{}{given}", code(cost.formula))
}

/// The engines of a transfer.
pub(super) fn engine_table(stages: &[StageCost]) -> Option<String> {
    if stages.is_empty() {
        return None;
    }
    let rows: Vec<Vec<String>> = stages
        .iter()
        .map(|cost| {
            vec![
                code(cost.engine.name()),
                inputs(cost),
                if cost.detail.is_empty() {
                    String::new()
                } else {
                    code(&cost.detail)
                },
                cost.cycles().map_or_else(
                    || "?".to_owned(),
                    |busy| thousands(busy.saturating_add(cost.latency)),
                ),
            ]
        })
        .collect();
    Some(markdown_table(
        &["engine", "formula", "pattern", "cycles"],
        3,
        &rows,
    ))
}

/// The ALUs that a pass has used up to a stage, and those of the stage's part of the engine that are free.
pub(super) fn alus(vector: &VectorDerivation, stage: usize) -> Vec<String> {
    let used: BTreeSet<Alu> = vector
        .steps
        .iter()
        .filter(|step| step.stage <= stage)
        .filter_map(|step| step.alu)
        .collect();
    let names = |alus: &BTreeSet<Alu>| {
        let names: Vec<&str> = alus.iter().map(|alu| alu.name()).collect();
        names.join(", ")
    };
    let mut lines = Vec::new();
    if !used.is_empty() {
        lines.push(format!("ALUs used so far: {}", names(&used)));
    }
    let Some(step) = vector.step_at(stage) else {
        return lines;
    };
    let free: Vec<String> = catalogue::vector_stages()
        .iter()
        .filter(|ahead| vector_stages::may_follow(step.reached, **ahead))
        .filter_map(|ahead| {
            let groups = vector_stages::operation_groups(*ahead);
            let free: BTreeSet<Alu> = VECTOR_OPERATIONS
                .iter()
                .filter(|operation| groups.contains(&operation.group))
                .filter_map(|operation| operation.alu)
                .filter(|alu| !used.contains(alu))
                .collect();
            (!free.is_empty()).then(|| names(&free))
        })
        .collect();
    if !free.is_empty() {
        lines.push(format!("Free from here on: {}", free.join("; ")));
    }
    if let Some(slots) = step.slots {
        lines.push(format!("Accumulator slots: {}", thousands(slots)));
    }
    lines
}

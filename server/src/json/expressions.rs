//! Answers about single expressions: one mapping, one sequencer.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use visa_analysis::{MappingAnswer, SequenceAnswer};

/// What `visa-lint map --format json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Mapping {
    /// The expression without its wrapping.
    expr: String,
    /// Positions.
    size: u64,
    /// Bits of all positions; null where no element type was given.
    bits: Option<u128>,
    /// The shortest expression with the same meaning.
    normal_form: String,
    /// The factors of the normal form, outermost first.
    factors: Vec<Factor>,
    /// The positions that were asked for: the index by axis, null for padding.
    index: Vec<Option<BTreeMap<String, u64>>>,
    /// Whether the other expression means the same, null where that cannot be decided. Left out where none was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    equivalent: Option<Option<bool>>,
}

/// A factor of a mapping.
#[derive(Debug, Serialize, JsonSchema)]
struct Factor {
    /// The axis; null for one that no axis counts.
    axis: Option<String>,
    stride: u64,
    size: u64,
    valid: u64,
    padding: u64,
}

impl Mapping {
    pub(crate) fn of(answer: &MappingAnswer) -> Self {
        let factors = answer.factors.iter().map(|factor| Factor {
            axis: factor.axis.as_deref().map(str::to_owned),
            stride: factor.stride,
            size: factor.size,
            valid: factor.valid,
            padding: factor.padding,
        });
        Self {
            expr: answer.expression.clone(),
            size: answer.size,
            bits: answer.bits,
            normal_form: answer.normal_form.clone(),
            factors: factors.collect(),
            index: answer.index.clone(),
            equivalent: answer.equivalent,
        }
    }
}

/// What `visa-lint sequence --format json` prints. Members are null where there is no configuration.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Sequence {
    /// Loops as the mappings are written, outermost first.
    entries: Vec<Entry>,
    /// Loops after merging, outermost first.
    merged: Vec<MergedEntry>,
    packet_bytes: Option<u64>,
    contiguous_bytes: Option<u64>,
    access_bytes: Option<u64>,
    accesses: Option<u64>,
    cycles: Option<u64>,
    longest_bank_run: Option<u64>,
    /// The rule that names why there is no configuration, or the first limit broken.
    error: Option<String>,
    /// What an engine refuses anyway. Left out where there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refusals: Vec<Refusal>,
}

/// Something that an engine refuses.
#[derive(Debug, Serialize, JsonSchema)]
struct Refusal {
    rule: &'static str,
    message: String,
}

/// A loop.
#[derive(Debug, Serialize, JsonSchema)]
struct Entry {
    size: u64,
    /// In elements.
    stride: Option<i128>,
    axis: Option<String>,
}

/// A loop after merging.
#[derive(Debug, Serialize, JsonSchema)]
struct MergedEntry {
    size: u64,
    /// In elements.
    stride: Option<i128>,
}

impl Sequence {
    pub(crate) fn of(answer: &SequenceAnswer) -> Self {
        let entries = answer.entries.iter().map(|entry| Entry {
            size: entry.size,
            stride: entry.stride,
            axis: entry.axis.clone(),
        });
        let merged = answer.merged.iter().map(|entry| MergedEntry {
            size: entry.size,
            stride: entry.stride,
        });
        let refusals = answer.refusals.iter().map(|refusal| Refusal {
            rule: refusal.rule,
            message: refusal.message.clone(),
        });
        Self {
            entries: entries.collect(),
            merged: merged.collect(),
            packet_bytes: answer.packet_bytes,
            contiguous_bytes: answer.contiguous_bytes,
            access_bytes: answer.access_bytes,
            accesses: answer.accesses,
            cycles: answer.cycles,
            longest_bank_run: answer.longest_bank_run,
            error: answer.error.clone(),
            refusals: refusals.collect(),
        }
    }
}

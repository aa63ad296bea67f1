//! The answer about one mapping.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use visa_analysis::MappingAnswer;

/// What `visa-lint map --format json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Mapping {
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
    /// The object of an answer.
    pub fn of(answer: &MappingAnswer) -> Self {
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

//! What is divided into blocks and leaves a remainder, in all of a file.
//!
//! An axis that is no whole number of blocks is one fault, in however many places it is divided: all of them are padded to
//! the same size, or the parts of a split no longer fit each other. Knows the faults of the `m!` of a file and what each of
//! them divides; the words are [`super::mapping_expressions`]'s.

#![allow(
    clippy::mutable_key_type,
    reason = "a mapping is compared by what is written, which nothing changes"
)]

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Finding;
use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::{
    MappingParts, MappingProblem, MappingProblemKind, MappingSite, ScopeKey, SiteKind, Span,
    file_items, item_text, mapping_parts, mapping_sites, scope_at,
};
use crate::mapping::{
    FactorKind, FactorNode, Mapping, MappingError, Operator, SyntaxKind, SyntaxNode,
};

/// What an operator at fault is applied to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Operand {
    /// As written, aliases resolved.
    pub(super) mapping: Mapping,
    /// What is divided in the end: `D` for the second operator of `D / 2 % 8`.
    pub(super) base: Mapping,
    /// The operator that divides the base, with its number: `/ 2` there, the place of the fault elsewhere.
    pub(super) first: Span,
    /// The least number of positions of the base that makes whole blocks here and wherever else the file divides it by a
    /// part of the same blocks. None where nothing is divided, by 0, or beyond 64 bits.
    pub(super) padded: Option<u64>,
    /// Whether so many positions leave no remainder wherever else the item divides the base.
    pub(super) fits: bool,
}

/// A place that divides a mapping, with a remainder or without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Division {
    /// The operator that divides the base first, with its number.
    pub first: Span,
    /// By what the base is divided in all.
    whole: u64,
}

/// The places that divide each mapping.
pub type Divisions = FxHashMap<Mapping, Vec<Division>>;

/// The divisors of one base that leave a remainder.
type Divisors = BTreeSet<u64>;

/// What the file divides with a remainder, and by what.
#[salsa::tracked(returns(clone))]
pub(crate) fn divided_mappings(db: &dyn Db, file: SourceFile) -> Arc<FxHashMap<Mapping, Divisors>> {
    let mut divided: FxHashMap<Mapping, Divisors> = FxHashMap::default();
    for item in file_items(db, file).items.iter().copied() {
        for site in mapping_sites(db, item).iter() {
            if !site.problems.iter().any(|fault| divisor(fault).is_some()) {
                continue;
            }
            let operations = Operations::of(db, site);
            for problem in &site.problems {
                if let Some(divisor) = divisor(problem)
                    && let Some(base) = operations.operator_base(problem.span)
                    && let Some(whole) = divisor.checked_mul(base.step)
                {
                    divided
                        .entry(base.mapping.clone())
                        .or_default()
                        .insert(whole);
                }
            }
        }
    }
    Arc::new(divided)
}

/// What the operators at fault in an `m!` are applied to, by the places of the problems.
pub(super) fn operands_at_fault(
    db: &dyn Db,
    site: &MappingSite,
    divisions: impl Fn() -> Rc<Divisions>,
) -> FxHashMap<Span, Operand> {
    let applied = |problem: &MappingProblem| {
        matches!(
            problem.kind,
            MappingProblemKind::Invalid(
                MappingError::StrideIndivisible { .. }
                    | MappingError::ModuloIndivisible { .. }
                    | MappingError::ZeroDivisor { .. }
                    | MappingError::PaddingShrinks { .. }
                    | MappingError::ResizeGrows { .. }
            )
        )
    };
    if site.kind != SiteKind::Mapping || !site.problems.iter().any(applied) {
        return FxHashMap::default();
    }
    let divided = divided_mappings(db, site.body.item.file(db));
    let divisions = divisions();
    let operations = Operations::of(db, site);
    let at_fault = site.problems.iter().filter_map(|problem| {
        let mapping = operations.all.get(&problem.span)?.operand.clone();
        let base = operations.operator_base(problem.span)?;
        let padded = divisor(problem)
            .and_then(|divisor| divisor.checked_mul(base.step))
            .and_then(|whole| {
                let block = whole_block_divisor(divided.get(base.mapping)?, whole);
                base.mapping.size().checked_next_multiple_of(block)
            });
        let mut others = divisions.get(base.mapping).into_iter().flatten();
        let fits = padded.is_some_and(|size| others.all(|other| size.is_multiple_of(other.whole)));
        let operand = Operand {
            mapping,
            base: base.mapping.clone(),
            first: base.first,
            padded,
            fits,
        };
        Some((problem.span, operand))
    });
    at_fault.collect()
}

/// The mapping that a finding says should be padded, and to how many positions.
pub fn padding_of(db: &dyn Db, finding: &Finding) -> Option<(Mapping, u64)> {
    let sites = mapping_sites(db, finding.span.item);
    let site = sites.iter().find(|site| site.holds(finding.span))?;
    let operands = operands_at_fault(db, site, || Rc::new(divisions(db, &sites)));
    let operand = operands.get(&finding.span)?;
    Some((operand.base.clone(), operand.padded?))
}

/// Where the `m!` of an item divide each mapping, faults or not: the places that have to be padded alike.
pub fn divisions(db: &dyn Db, sites: &[MappingSite]) -> Divisions {
    let mut divisions = Divisions::default();
    // Kernels write the same few `m!` again and again: one is read for all places where its names mean the same.
    let mut known: FxHashMap<(ScopeKey, String), Read> = FxHashMap::default();
    for site in sites.iter().filter(|site| site.kind == SiteKind::Mapping) {
        let (item, body) = (site.body.item, site.body);
        let text = item_text(db, item);
        let written = text.text.get(body.start as usize..body.end as usize);
        let scope = scope_at(db, item, site.span.start).key();
        let key = (scope, written.unwrap_or_default().to_owned());
        let read = known.entry(key).or_insert_with(|| Read::of(db, site));
        for (mapping, division) in &read.divisions {
            let division = Division {
                first: division.first.moved_span(read.body, body),
                ..*division
            };
            match divisions.get_mut(mapping) {
                Some(places) => places.push(division),
                None => {
                    divisions.insert(mapping.clone(), vec![division]);
                }
            }
        }
    }
    for places in divisions.values_mut() {
        places.sort_unstable_by_key(|division| (division.first.start, division.whole));
    }
    divisions
}

/// What an `m!` divides.
struct Read {
    /// Each base with its division.
    divisions: Vec<(Mapping, Division)>,
    /// Where it is written: the divisions are placed in it.
    body: Span,
}

impl Read {
    fn of(db: &dyn Db, site: &MappingSite) -> Self {
        let operations = Operations::of(db, site);
        let divisions = operations.all.iter().filter_map(|(place, operation)| {
            let by = operation.divides_by?;
            let base = operations.operator_base(*place)?;
            let division = Division {
                first: base.first,
                whole: base.step.checked_mul(by)?,
            };
            Some((base.mapping.clone(), division))
        });
        Self {
            divisions: divisions.collect(),
            body: site.body,
        }
    }
}

/// The largest of the divisors that consists of whole blocks of this one.
fn whole_block_divisor(divisors: &Divisors, divisor: u64) -> u64 {
    let mut larger = divisors.iter().rev();
    let whole = larger.find(|larger| larger.is_multiple_of(divisor));
    whole.copied().unwrap_or(divisor)
}

/// The divisor of a fault that leaves a remainder, other than 0.
fn divisor(problem: &MappingProblem) -> Option<u64> {
    match problem.kind {
        MappingProblemKind::Invalid(
            MappingError::StrideIndivisible { divisor, .. }
            | MappingError::ModuloIndivisible { divisor, .. },
        ) => Some(divisor),
        _ => None,
    }
}

/// An operator of an `m!` with what it is applied to.
struct Operation {
    operand: Mapping,
    /// The division whose blocks the operand is, and by how much that divides.
    inside: Option<(Span, u64)>,
    /// Its number, if it is `/` or `%`.
    divides_by: Option<u64>,
}

/// What is left of an operand when all divisions come off.
struct Base<'a> {
    mapping: &'a Mapping,
    /// By how much it was divided.
    step: u64,
    /// By which operator first.
    first: Span,
}

/// The operators of an `m!`, by their places with their numbers.
struct Operations {
    all: FxHashMap<Span, Operation>,
}

impl Operations {
    fn of(db: &dyn Db, site: &MappingSite) -> Self {
        let parts: MappingParts = mapping_parts(db, site);
        let place = |operator: &Range<usize>, factor: &FactorNode| {
            let end = factor.span.end.max(operator.end);
            site.body.span_inside(&(operator.start..end))
        };
        let mut all = FxHashMap::default();
        let mut pending: Vec<_> = parts.tree.iter().collect();
        while let Some(node) = pending.pop() {
            match &node.kind {
                SyntaxKind::Binary {
                    operator,
                    operator_span,
                    left,
                    factor,
                } => {
                    let inside = match &ungrouped(left).kind {
                        SyntaxKind::Binary {
                            operator: Operator::Stride,
                            operator_span,
                            factor:
                                factor @ FactorNode {
                                    kind: FactorKind::Literal(by),
                                    ..
                                },
                            ..
                        } => Some((place(operator_span, factor), *by)),
                        _ => None,
                    };
                    if let Some(operand) = parts.mapping(&left.span) {
                        let operation = Operation {
                            operand: operand.clone(),
                            inside,
                            divides_by: match (operator, &factor.kind) {
                                (Operator::Stride | Operator::Modulo, FactorKind::Literal(by)) => {
                                    Some(*by).filter(|by| *by > 0)
                                }
                                _ => None,
                            },
                        };
                        all.insert(place(operator_span, factor), operation);
                    }
                    pending.push(left);
                    if let FactorKind::Mapping(inner) = &factor.kind {
                        pending.push(inner);
                    }
                }
                SyntaxKind::Pair(parts) => pending.extend(parts),
                SyntaxKind::Group(inner) => pending.push(inner),
                SyntaxKind::One
                | SyntaxKind::Number(_)
                | SyntaxKind::Name(_)
                | SyntaxKind::Escape { .. }
                | SyntaxKind::Missing => {}
            }
        }
        Self { all }
    }

    fn operator_base(&self, operator: Span) -> Option<Base<'_>> {
        let mut base = Base {
            mapping: &self.all.get(&operator)?.operand,
            step: 1,
            first: operator,
        };
        while let Some((inside, by)) = self.all.get(&base.first)?.inside {
            base = Base {
                mapping: &self.all.get(&inside)?.operand,
                step: base.step.checked_mul(by)?,
                first: inside,
            };
        }
        Some(base)
    }
}

fn ungrouped(mut node: &SyntaxNode) -> &SyntaxNode {
    while let SyntaxKind::Group(inner) = &node.kind {
        node = inner;
    }
    node
}

#[cfg(test)]
mod tests {
    use super::{Divisors, whole_block_divisor};

    #[test]
    fn blocks_are_parts_of_larger_blocks() {
        let divisors = Divisors::from([7, 8, 32]);
        assert_eq!(whole_block_divisor(&divisors, 8), 32);
        assert_eq!(whole_block_divisor(&divisors, 32), 32);
        assert_eq!(whole_block_divisor(&divisors, 7), 7);
    }
}

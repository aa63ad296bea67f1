//! Fixes made whole: what a fix brings along behind it is mended with it, or the fix says less.
//!
//! A family proposes the repair of one place. What follows from it (the collect behind a padded packet, the element
//! behind a collect, an address behind an element that grew) is found by asking the rules again about the body with the
//! repair made, and mended by the fixes of what they then find, until nothing new is found. A fix that does not mend its
//! finding is dropped. Knows mappings, addresses and numbers where the body holds them; a fix that edits anything else
//! (the name of a method, an attribute) is left as its family made it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::derivation::derive;
use crate::items::Span;
use crate::kernel::{
    Address, AddressValue, Body, Levels, OperationKind, Origin, Pass, PassEnd, StageKind,
    StreamShape, SwitchConfig, Tensor, TrfAddress, Written,
};
use crate::mapping::{
    Axis, FactorKind, Mapping, MappingKind, Operator, SyntaxKind, SyntaxNode, parse_mapping,
};
use crate::simulation::simulate;

use super::{
    Alternative, Alternatives, Applicability, Checked, Edit, Finding, Fix, Level, causes, find,
    found_by_families, words,
};

/// How often the rules are asked again about one fix.
const ROUND_LIMIT: usize = 8;

/// How many operations are derived again for the fixes of one body, before the rest is left as it is.
const OPERATION_LIMIT: usize = 20_000;

/// Promised cycles are rounded by one part in so many.
const ROUNDED: u64 = 100;

/// How many alternatives of a finding are followed.
const ALTERNATIVE_LIMIT: usize = 8;

/// The deepest expression that is read back from an edit.
const DEPTH_LIMIT: usize = 64;

/// Completes the fixes of all findings of a body.
pub(super) fn complete(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let offers = |finding: &Finding| !finding.fixes.is_empty() || finding.alternatives.is_some();
    if !findings.iter().any(offers) {
        return;
    }
    let mut chain = Chain {
        checked,
        axes: axes(checked.body),
        known: findings.iter().map(key).collect(),
        budget: OPERATION_LIMIT,
    };
    let mut of_causes: FxHashMap<Key, Vec<Key>> = FxHashMap::default();
    for members in causes::groups(findings) {
        let keys: Vec<Key> = members
            .iter()
            .filter_map(|member| findings.get(*member).map(key))
            .collect();
        of_causes.extend(keys.first().map(|first| (*first, keys.clone())));
    }
    findings.retain_mut(|finding| {
        let places = of_causes
            .remove(&key(finding))
            .unwrap_or_else(|| vec![key(finding)]);
        let fixes = std::mem::take(&mut finding.fixes);
        let mut followed = Vec::new();
        let mut whole = Vec::new();
        let mut partial = Vec::new();
        for fix in fixes {
            let outcome = chain.follow(finding, &places, &fix);
            followed.push((fix.edits.clone(), outcome.clone()));
            match outcome {
                Outcome::Unread => whole.push(fix),
                Outcome::Mends(edits, applicability) => {
                    whole.push(completed(fix, edits, applicability));
                }
                Outcome::BringsAlong => partial.push(Fix {
                    applicability: Applicability::Maybe,
                    ..fix
                }),
                Outcome::Breaks | Outcome::MendsNothing => {}
            }
        }
        // What leaves something to do is worth a proposal only where nothing else is there.
        if whole.is_empty() {
            whole = partial;
        }
        finding.fixes = whole;
        complete_alternatives(&mut chain, finding, &places, &mut followed);
        // What would be faster and is not, done as it says, is no advice.
        let broken = |(_, outcome): &(_, Outcome)| matches!(outcome, Outcome::MendsNothing);
        finding.saving.is_none() || followed.is_empty() || !followed.iter().all(broken)
    });
}

/// Keeps the alternatives that mend the finding and break nothing, with what follows from each. `followed` holds what is
/// known already, by the edits.
fn complete_alternatives(
    chain: &mut Chain<'_>,
    finding: &mut Finding,
    places: &[Key],
    followed: &mut Vec<(Vec<Edit>, Outcome)>,
) {
    let Some(Alternatives { lead, list }) = finding.alternatives.take() else {
        return;
    };
    let mut alone = Vec::new();
    let mut with_others = Vec::new();
    for alternative in list.into_iter().take(ALTERNATIVE_LIMIT) {
        let known = followed
            .iter()
            .find(|(edits, _)| *edits == alternative.edits)
            .map(|(_, outcome)| outcome.clone());
        let outcome = known.unwrap_or_else(|| {
            let fix = Fix {
                title: String::new(),
                applicability: Applicability::Maybe,
                edits: alternative.edits.clone(),
            };
            let outcome = chain.follow(finding, places, &fix);
            followed.push((fix.edits, outcome.clone()));
            outcome
        });
        match outcome {
            Outcome::Unread => alone.push(alternative),
            Outcome::Mends(edits, _) => {
                let few = edits.len() == alternative.edits.len();
                let list = if few { &mut alone } else { &mut with_others };
                list.push(with_what_follows(alternative, edits));
            }
            Outcome::BringsAlong | Outcome::Breaks | Outcome::MendsNothing => {}
        }
    }
    // Of several, those that need no other change are enough.
    if alone.len() < 2 {
        with_others.truncate(1);
        alone.append(&mut with_others);
    }
    if !alone.is_empty() {
        finding.alternatives = Some(Alternatives { lead, list: alone });
    }
}

/// An alternative that says what has to be written in other places with it.
fn with_what_follows(alternative: Alternative, edits: Vec<Edit>) -> Alternative {
    let mut text = alternative.text;
    let mut others: Vec<String> = Vec::new();
    for edit in &edits {
        let own = alternative.edits.iter().find(|own| own.span == edit.span);
        match own {
            Some(own) if own.text == edit.text => {}
            // What follows may go further in the same place.
            Some(own) => text = text.replacen(&own.text, &edit.text, 1),
            None => others.push(edit.text.clone()),
        }
    }
    if !others.is_empty() {
        others.dedup();
        text = format!(
            "{text}, and what follows from it: {}",
            words::names(&others)
        );
    }
    Alternative { text, edits }
}

/// The edits of a change that mends no finding, with what follows from them. `None` if they edit what the body does not hold
/// as a value, if callers would see the change, or if something is found afterwards that was not before and that nothing
/// mends.
pub(crate) fn completed_change(checked: &Checked<'_>, edits: &[Edit]) -> Option<Vec<Edit>> {
    let known = found_by_families(checked);
    let mut chain = Chain {
        checked,
        axes: axes(checked.body),
        known: known.iter().map(key).collect(),
        budget: OPERATION_LIMIT,
    };
    let wanted = edits;
    let mut edits = edits.to_vec();
    for _ in 0..ROUND_LIMIT {
        let body = chain.edited(&edits)?;
        let (found, _) = chain.found_in(&body)?;
        let mut new = found
            .iter()
            .filter(|other| !chain.known.contains(&key(other)) && level(other) >= Level::Warn)
            .peekable();
        if new.peek().is_none() {
            return (!reaches_out(checked.body, &body)).then_some(edits);
        }
        edits = new
            .flat_map(|other| &other.fixes)
            .filter_map(|next| join(&edits, next))
            .find(|joined| wanted.iter().all(|edit| joined.contains(edit)))?;
    }
    None
}

/// Whether nothing is refused with these mappings at their places that was not before. Places that the body does not hold do
/// not concern it.
pub(crate) fn breaks_nothing(checked: &Checked<'_>, mappings: &[(Span, Mapping)]) -> bool {
    let known = found_by_families(checked);
    let mut chain = Chain {
        checked,
        axes: FxHashMap::default(),
        known: known.iter().map(key).collect(),
        budget: OPERATION_LIMIT,
    };
    let mut body = checked.body.clone();
    let mut held = false;
    for (place, mapping) in mappings {
        let mut replacing = Replacing {
            place: *place,
            value: &Value::Mapping(mapping.clone()),
            replaced: false,
        };
        replacing.body(&mut body);
        held |= replacing.replaced;
    }
    // Where operations are not understood, the mapping may be theirs: what the repair does to them is not known.
    if !held {
        return checked.body.unresolved.is_empty() && checked.body.incomplete.is_empty();
    }
    let Some((found, _)) = chain.found_in(&body) else {
        return true;
    };
    let refused =
        |other: &Finding| level(other) == Level::Deny && !chain.known.contains(&key(other));
    !found.iter().any(refused)
}

fn completed(fix: Fix, edits: Vec<Edit>, applicability: Applicability) -> Fix {
    let title = if edits.len() > fix.edits.len() {
        format!("{}, and what follows from it", fix.title)
    } else {
        fix.title
    };
    Fix {
        title,
        applicability,
        edits,
    }
}

/// What becomes of a fix.
#[derive(Clone)]
enum Outcome {
    /// It edits what the body does not hold as a value.
    Unread,
    /// The finding is gone afterwards and nothing as severe is new.
    Mends(Vec<Edit>, Applicability),
    /// The finding is gone, and a milder one is there that no fix mends; or there was no time to find out.
    BringsAlong,
    /// The finding is gone, and what is refused is there instead.
    Breaks,
    /// The finding is still there.
    MendsNothing,
}

type Key = (&'static str, Span);

fn key(finding: &Finding) -> Key {
    (finding.rule, finding.span)
}

fn level(finding: &Finding) -> Level {
    match finding.group {
        Some(group) => group.default_level(),
        None => find(finding.rule).map_or(Level::Deny, super::Rule::default_level),
    }
}

struct Chain<'a> {
    checked: &'a Checked<'a>,
    /// Sizes of the axes by their names; none for a name that stands for several.
    axes: FxHashMap<String, Option<u64>>,
    known: FxHashSet<Key>,
    /// Operations that may still be derived again.
    budget: usize,
}

impl Chain<'_> {
    /// Follows a fix of a finding that stands at some places, all of which it has to mend.
    fn follow(&mut self, finding: &Finding, places: &[Key], fix: &Fix) -> Outcome {
        let mut edits = fix.edits.clone();
        let mut applicability = fix.applicability;
        for _ in 0..ROUND_LIMIT {
            let Some(body) = self.edited(&edits) else {
                return Outcome::Unread;
            };
            let Some((found, total)) = self.found_in(&body) else {
                return Outcome::BringsAlong;
            };
            let here = |other: &Finding| {
                places.contains(&key(other))
                    || (other.rule == finding.rule
                        && !self.known.contains(&key(other))
                        && edits.iter().any(|edit| edit.span == other.span))
            };
            if found.iter().any(here) {
                return Outcome::MendsNothing;
            }
            let new: Vec<&Finding> = found
                .iter()
                .filter(|other| !self.known.contains(&key(other)) && level(other) >= level(finding))
                .collect();
            if new.is_empty() {
                if !holds(finding, total) {
                    return Outcome::MendsNothing;
                }
                if reaches_out(self.checked.body, &body) {
                    applicability = Applicability::Maybe;
                }
                return Outcome::Mends(edits, applicability);
            }
            let proposed = new.iter().flat_map(|other| &other.fixes);
            let next = proposed
                .filter_map(|next| Some((join(&edits, next)?, next.applicability)))
                .next();
            let Some((joined, next)) = next else {
                let denied = new.iter().any(|other| level(other) == Level::Deny);
                return if denied {
                    Outcome::Breaks
                } else {
                    Outcome::BringsAlong
                };
            };
            edits = joined;
            if next == Applicability::Maybe {
                applicability = Applicability::Maybe;
            }
        }
        // What goes on and on is no repair.
        Outcome::Breaks
    }

    /// What the rules find in an edited body, and its cycles; `None` where there is no time to find out.
    fn found_in(&mut self, body: &Body) -> Option<(Vec<Finding>, Option<u64>)> {
        let cost = self.checked.body.operations.len().saturating_add(1);
        self.budget = self.budget.checked_sub(cost)?;
        let derivation = derive(body, self.checked.target);
        let simulation = simulate(body, &derivation, self.checked.target);
        let found = found_by_families(&Checked {
            body,
            derivation: &derivation,
            simulation: &simulation,
            target: self.checked.target,
            budget: None,
        });
        Some((found, simulation.total()))
    }

    /// The body with the edits made; `None` if one of them edits no value that the body holds.
    fn edited(&self, edits: &[Edit]) -> Option<Body> {
        let mut body = self.checked.body.clone();
        for edit in edits {
            let value = self.read(&edit.text)?;
            let mut replacing = Replacing {
                place: edit.span,
                value: &value,
                replaced: false,
            };
            replacing.body(&mut body);
            if !replacing.replaced {
                return None;
            }
        }
        Some(body)
    }

    fn read(&self, text: &str) -> Option<Value> {
        if let Some(inner) = text
            .strip_prefix("m![")
            .and_then(|text| text.strip_suffix(']'))
        {
            let (node, errors) = parse_mapping(inner);
            let mapping = self.build(&node.filter(|_| errors.is_empty())?, 0)?;
            return Some(Value::Mapping(mapping));
        }
        if let Some(digits) = text.strip_prefix("0x") {
            return Some(Value::Number(u64::from_str_radix(digits, 16).ok()?));
        }
        match text {
            "TrfAddress::FirstHalf" => Some(Value::Trf(TrfAddress::FirstHalf)),
            "TrfAddress::SecondHalf" => Some(Value::Trf(TrfAddress::SecondHalf)),
            "TrfAddress::Full" => Some(Value::Trf(TrfAddress::Full)),
            _ => Some(Value::Number(text.parse().ok()?)),
        }
    }

    fn build(&self, node: &SyntaxNode, depth: usize) -> Option<Mapping> {
        if depth > DEPTH_LIMIT {
            return None;
        }
        match &node.kind {
            SyntaxKind::One => Some(Mapping::identity()),
            SyntaxKind::Number(count) => Mapping::broadcast(*count).ok(),
            SyntaxKind::Name(name) => {
                let size = self.axes.get(name.as_str()).copied().flatten()?;
                Some(Mapping::axis(Axis::new(name, size)))
            }
            SyntaxKind::Binary {
                operator,
                left,
                factor,
                ..
            } => {
                let left = self.build(left, depth + 1)?;
                let FactorKind::Literal(by) = factor.kind else {
                    return None;
                };
                match operator {
                    Operator::Stride => left.stride(by),
                    Operator::Modulo => left.modulo(by),
                    Operator::Resize => left.resize(by),
                    Operator::Pad(kind) => left.pad_to(by, *kind),
                }
                .ok()
            }
            SyntaxKind::Pair(parts) => {
                let parts: Option<Vec<_>> = parts
                    .iter()
                    .map(|part| self.build(part, depth + 1))
                    .collect();
                Mapping::product(&parts?).ok()
            }
            SyntaxKind::Group(inner) => self.build(inner, depth + 1),
            SyntaxKind::Escape { .. } | SyntaxKind::Missing => None,
        }
    }
}

/// Whether a body of so many cycles keeps what the finding says it would save, as it is rounded.
fn holds(finding: &Finding, total: Option<u64>) -> bool {
    let promised = finding.saving.and_then(|saving| saving.kernel);
    match (promised, total) {
        (Some((before, after)), Some(total)) => {
            let promised = before.saturating_sub(after);
            before.saturating_sub(total) >= promised - promised / ROUNDED
        }
        _ => true,
    }
}

/// Whether what callers see of a body differs: its parameters, what it returns, the stream it leaves open.
fn reaches_out(before: &Body, after: &Body) -> bool {
    let left_open = |body: &Body| -> Vec<StreamShape> {
        let passes = body
            .operations
            .iter()
            .filter_map(|operation| match &operation.kind {
                OperationKind::Pass(pass) if pass.end == PassEnd::Open => {
                    Some(pass.output().clone())
                }
                _ => None,
            });
        passes.collect()
    };
    let tensors = before.tensors.iter().zip(&after.tensors);
    let seen = |tensor: &Tensor| {
        tensor.origin == Origin::Parameter || before.escaping.contains(&tensor.id)
    };
    tensors
        .filter(|(tensor, _)| seen(tensor))
        .any(|(one, other)| one.levels != other.levels || one.address != other.address)
        || left_open(before) != left_open(after)
}

/// The edits with those of another fix; one at the same place replaces the earlier one. `None` where they overlap otherwise,
/// or where nothing changes.
fn join(edits: &[Edit], next: &Fix) -> Option<Vec<Edit>> {
    let mut joined = edits.to_vec();
    for edit in &next.edits {
        match joined.iter_mut().find(|other| other.span == edit.span) {
            Some(other) => other.text.clone_from(&edit.text),
            None => {
                let apart = |other: &Edit| {
                    other.span.item != edit.span.item
                        || other.span.end <= edit.span.start
                        || edit.span.end <= other.span.start
                };
                if !joined.iter().all(apart) {
                    return None;
                }
                joined.push(edit.clone());
            }
        }
    }
    (joined != edits).then_some(joined)
}

/// What an edit writes.
enum Value {
    Mapping(Mapping),
    Number(u64),
    Trf(TrfAddress),
}

/// A value put into a body wherever it is written at one place.
struct Replacing<'a> {
    place: Span,
    value: &'a Value,
    replaced: bool,
}

impl Replacing<'_> {
    fn body(&mut self, body: &mut Body) {
        for tensor in &mut body.tensors {
            self.levels(&mut tensor.levels);
            self.address(&mut tensor.address);
            if let Origin::View {
                tile: Some(tile), ..
            } = &mut tensor.origin
            {
                self.mapping(&mut tile.index);
                self.mapping(&mut tile.output);
                self.number(&mut tile.length);
                self.number(&mut tile.start);
            }
        }
        for operation in &mut body.operations {
            if let OperationKind::Pass(pass) = &mut operation.kind {
                self.pass(pass);
            }
        }
    }

    fn levels(&mut self, levels: &mut Levels) {
        let levels = [
            &mut levels.chip,
            &mut levels.cluster,
            &mut levels.slice,
            &mut levels.row,
        ]
        .into_iter()
        .flatten()
        .chain([&mut levels.element]);
        for level in levels {
            self.mapping(level);
        }
    }

    fn pass(&mut self, pass: &mut Pass) {
        self.shape(&mut pass.begin);
        for stage in &mut pass.stages {
            self.shape(&mut stage.output);
            match &mut stage.kind {
                StageKind::Switch(config) => {
                    if let Some(config) = &mut config.value {
                        self.switch(config);
                    }
                }
                StageKind::VectorUnzip { tile_time, .. } => self.mapping(tile_time),
                _ => {}
            }
        }
    }

    fn shape(&mut self, shape: &mut StreamShape) {
        let levels = [
            &mut shape.chip,
            &mut shape.cluster,
            &mut shape.slice,
            &mut shape.time,
            &mut shape.packet,
        ];
        for level in levels.into_iter().chain(&mut shape.row) {
            self.mapping(level);
        }
    }

    fn switch(&mut self, config: &mut SwitchConfig) {
        let numbers: Vec<&mut Written<u64>> = match config {
            SwitchConfig::Broadcast01 {
                slice1,
                slice0,
                time0,
            }
            | SwitchConfig::InterTranspose {
                slice1,
                slice0,
                time0,
            } => vec![slice1, slice0, time0],
            SwitchConfig::Broadcast1 { slice1, slice0 }
            | SwitchConfig::Transpose { slice1, slice0 }
            | SwitchConfig::TransposedBroadcast1 { slice1, slice0 } => vec![slice1, slice0],
            SwitchConfig::CustomBroadcast { ring_size } => vec![ring_size],
        };
        for number in numbers {
            self.number(number);
        }
    }

    /// Whether the value stands at the place, or comes by an alias that is used there and no longer is.
    fn stands<T>(&mut self, written: &mut Written<T>) -> bool {
        if written.used_at == Some(self.place) {
            written.span = self.place;
            written.used_at = None;
        }
        let stands = written.span == self.place;
        self.replaced |= stands;
        stands
    }

    fn mapping(&mut self, written: &mut Written<Mapping>) {
        if let Value::Mapping(mapping) = self.value
            && self.stands(written)
        {
            written.value = Some(mapping.clone());
        }
    }

    fn number(&mut self, written: &mut Written<u64>) {
        if let Value::Number(number) = self.value
            && self.stands(written)
        {
            written.value = Some(*number);
        }
    }

    fn address(&mut self, address: &mut Address) {
        if address.span != self.place {
            return;
        }
        address.value = match self.value {
            Value::Number(number) => AddressValue::Bytes(*number),
            Value::Trf(region) => AddressValue::Trf(*region),
            Value::Mapping(_) => return,
        };
        self.replaced = true;
    }
}

/// The sizes of all axes that a body's tensors and streams name.
fn axes(body: &Body) -> FxHashMap<String, Option<u64>> {
    let mut axes: FxHashMap<String, Option<u64>> = FxHashMap::default();
    let mut take = |mapping: &Mapping| {
        let mut pending = vec![mapping];
        while let Some(mapping) = pending.pop() {
            match mapping.kind() {
                MappingKind::Axis(axis) => {
                    let size = axes
                        .entry(axis.name().to_owned())
                        .or_insert(Some(axis.size()));
                    if *size != Some(axis.size()) {
                        *size = None;
                    }
                }
                MappingKind::Identity | MappingKind::Broadcast(_) => {}
                MappingKind::Stride(inner, _)
                | MappingKind::Modulo(inner, _)
                | MappingKind::Resize(inner, _)
                | MappingKind::Pad(inner, ..) => pending.push(inner),
                MappingKind::Product(parts) => pending.extend(parts),
            }
        }
    };
    for tensor in &body.tensors {
        let levels = tensor.levels.iter().map(|(_, level)| level);
        levels.filter_map(Written::get).for_each(&mut take);
    }
    for operation in &body.operations {
        if let OperationKind::Pass(pass) = &operation.kind {
            for stage in &pass.stages {
                let output = &stage.output;
                [&output.slice, &output.time, &output.packet]
                    .into_iter()
                    .filter_map(|level| level.get())
                    .for_each(&mut take);
            }
        }
    }
    axes
}

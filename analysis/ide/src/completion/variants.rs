//! Variants of the enums of operations, by what the stage takes and which ALUs are free; regions of the TRF.

use crate::db::Db;
use crate::hardware::{Alu, Function, OperationGroup, operations_of, same_function};
use crate::inputs::line_index;
use crate::items::{Span, file_range};
use crate::kernel::TrfAddress;
use crate::kernel::catalogue::Role;
use crate::kernel::dialect::{Dialect, Method};
use crate::libraries::NamedOperation;
use crate::numbers::thousands;
use crate::{Completion, CompletionKind};

use super::context::{Around, Owner};
use super::place::owned_tier;
use super::receiver::called_method;
use super::vector::{VectorState, groups_of_method, operations_of_method};
use super::{switch, word_proposal};

/// Proposals behind `Enum::`, or for the first argument of a method that takes an operation or a configuration.
pub(super) fn propose_variants(db: &dyn Db, around: &Around) -> Option<Vec<Completion>> {
    let call = around
        .openers
        .iter()
        .find_map(|opener| match around.owner(*opener) {
            Owner::Arguments { name, dot } => Some((*opener, name, dot)),
            _ => None,
        });
    let Some(owner) = around.path_owner() else {
        let (opener, name, dot) = call?;
        let is_first_argument = around.openers.first() == Some(&opener) && opener.index == 0;
        return is_first_argument
            .then(|| first_argument(db, around, &name, dot))
            .flatten();
    };
    let words = around.dialect(db).words;
    match owner {
        _ if owner == words.switch_type => {
            switch::variant_completions(db, around, call.map(|(_, _, dot)| dot), false)
        }
        _ if owner == words.trf_type => Some(regions(around, around.dialect(db))),
        _ => {
            if let Some(found) = constructors(db, around, owner) {
                return Some(found);
            }
            let names = around.dialect(db).operations();
            let known = names.enumeration(owner);
            if known.is_none() && owner != names.choice {
                return None;
            }
            let setting = call.and_then(|(_, name, dot)| Setting::of(db, around, &name, dot));
            let Some(known) = known else {
                return Some(multipliers(db, around, setting.as_ref()));
            };
            let method = setting.as_ref().map(|setting| setting.method);
            if method.is_some_and(|method| !groups_of_method(method).contains(&known.group)) {
                return Some(Vec::new());
            }
            let operations = names.operations_of(owner);
            let proposals = operations.filter_map(|operation| {
                operation_proposal(db, around, setting.as_ref(), operation, false)
            });
            Some(proposals.collect())
        }
    }
}

/// The functions of a tensor's type that make one; none where the library's table has no words for them.
fn constructors(db: &dyn Db, around: &Around, owner: &str) -> Option<Vec<Completion>> {
    let dialect = around.dialect(db);
    let tier = owned_tier(db, around, owner)?;
    let functions = dialect.associated_functions(tier);
    let worded = functions.filter(|function| !function.summary.is_empty());
    let found: Vec<Completion> = worded
        .zip(0_u32..)
        .map(|(function, rank)| {
            let mut found = word_proposal(around, function.name, CompletionKind::Method, rank);
            let names: Vec<&str> = function.arguments.iter().map(|part| part.name).collect();
            found.detail = Some(format!("({})", names.join(", ")));
            found.documentation = Some(function.summary.to_owned());
            if !around.is_called() {
                let places: Vec<String> = names
                    .iter()
                    .zip(1..)
                    .map(|(name, place)| format!("${{{place}:{name}}}"))
                    .collect();
                found.insert = format!("{}({})$0", function.name, places.join(", "));
                found.snippet = true;
            }
            found
        })
        .collect();
    (!found.is_empty()).then_some(found)
}

/// The method that an operation is given to.
struct Setting {
    method: &'static Method,
    state: Option<VectorState>,
}

impl Setting {
    fn of(db: &dyn Db, around: &Around, name: &str, dot: usize) -> Option<Self> {
        let (method, receiver) = called_method(db, around, (name, dot), true)?;
        method.stages().first()?;
        let state = receiver.and_then(|receiver| {
            let pass = receiver.pass()?;
            VectorState::of(receiver.body(), &pass)
        });
        Some(Self { method, state })
    }

    /// What is written behind the operation, as a snippet.
    fn suffix(&self) -> &'static str {
        let mut arguments = self.method.arguments.iter();
        arguments
            .find(|argument| argument.role == Role::Operation)
            .map_or("", |argument| argument.suffix)
    }
}

fn first_argument(db: &dyn Db, around: &Around, name: &str, dot: usize) -> Option<Vec<Completion>> {
    if switch::is_switch(around.dialect(db), name) {
        return switch::variant_completions(db, around, Some(dot), true);
    }
    let setting = Setting::of(db, around, name, dot)?;
    let names = around.dialect(db).operations();
    let found: Vec<Completion> = operations_of_method(setting.method)
        .filter_map(|operation| names.name_of(operation))
        .filter_map(|operation| operation_proposal(db, around, Some(&setting), operation, true))
        .collect();
    (!found.is_empty()).then_some(found)
}

/// An operation, with its ALU; none for another element type than the stream's.
fn operation_proposal(
    db: &dyn Db,
    around: &Around,
    setting: Option<&Setting>,
    named: NamedOperation,
    whole: bool,
) -> Option<Completion> {
    let operation = named.operation;
    let names = around.dialect(db).operations();
    let state = setting.and_then(|setting| setting.state.as_ref());
    if state.is_some_and(|state| !state.takes_type(operation)) {
        return None;
    }
    let written = names.write(operation);
    let label = if whole {
        written
    } else {
        written.split_once("::")?.1.to_owned()
    };
    let taken = state.and_then(|state| state.taken_by(operation.alu));
    let rank = if taken.is_some() { 100 } else { 10 };
    let mut found = word_proposal(around, label, CompletionKind::Variant, rank);
    let suffix = setting.map_or("", Setting::suffix);
    if !suffix.is_empty() {
        found.insert = format!("{}{suffix}", found.label);
        found.snippet = true;
    }
    found.detail = operation.alu.map(|alu| match taken {
        Some(span) => format!("ALU {} taken by line {}", alu.name(), line_of(db, span)),
        None => format!("ALU {}", alu.name()),
    });
    let mut words = Vec::new();
    if taken.is_some() {
        let free: Vec<String> = same_function(operation)
            .filter(|other| state.is_some_and(|state| state.taken_by(other.alu).is_none()))
            .map(|other| format!("`{}`", names.write(other)))
            .collect();
        if !free.is_empty() {
            words.push(format!(
                "The same on an ALU that is free: {}.",
                free.join(", ")
            ));
        }
    }
    if names.is_without_body(operation) {
        words.push("The library's simulation does not run it yet.".to_owned());
    }
    found.documentation = (!words.is_empty()).then(|| words.join(" "));
    Some(found)
}

/// The ALUs that multiply, inside of a product.
fn multipliers(db: &dyn Db, around: &Around, setting: Option<&Setting>) -> Vec<Completion> {
    let state = setting.and_then(|setting| setting.state.as_ref());
    let names = around.dialect(db).operations();
    operations_of(OperationGroup::FloatBinary)
        .filter(|operation| operation.function == Function::Multiply)
        .filter_map(|operation| {
            let taken = state.and_then(|state| state.taken_by(operation.alu));
            let rank = if taken.is_some() { 100 } else { 10 };
            let mut found = word_proposal(
                around,
                names.name_of(operation)?.argument?,
                CompletionKind::Variant,
                rank,
            );
            let alu = operation.alu.map(Alu::name)?;
            found.detail = Some(match taken {
                Some(span) => format!("ALU {alu} taken by line {}", line_of(db, span)),
                None => format!("ALU {alu}"),
            });
            Some(found)
        })
        .collect()
}

fn line_of(db: &dyn Db, span: Span) -> u32 {
    let (file, start, _) = file_range(db, span);
    line_index(db, file).line(start)
}

fn regions(around: &Around, dialect: Dialect) -> Vec<Completion> {
    let rows = [
        (TrfAddress::FirstHalf, "the first half of each row"),
        (TrfAddress::SecondHalf, "the second half of each row"),
        (TrfAddress::Full, "all rows whole"),
    ];
    rows.into_iter()
        .zip(0_u32..)
        .map(|((region, words), rank)| {
            let (start, end) = region.bytes(&dialect.machine());
            let bytes = end.saturating_sub(start);
            let name = dialect.words.trf_region_name(region);
            let mut found = word_proposal(around, name, CompletionKind::Variant, rank);
            found.detail = Some(format!("{words}: {} bytes", thousands(bytes)));
            found
        })
        .collect()
}

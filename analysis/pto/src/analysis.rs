//! All that is derived of one file, once: rules, hovers and cost read it.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::order::{Race, find_races, is_explicit};
use super::program::{Function, Program, lower_file};
use super::registers::in_force;
use super::syntax::{File, OperationId, parse_shared};
use super::transfers::{Copy, Derived, derive_copy};
use super::values::Names;

/// What is derived of one function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Its copies, in the order of the text.
    pub derived: Vec<Derived>,
    /// Reads that nothing orders after a write.
    pub races: Vec<Race>,
    /// Whether it orders its pipes itself.
    pub is_explicit: bool,
    /// Whether another function of the file may call it.
    pub is_called: bool,
}

/// What is derived of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// Its operations.
    pub file: File,
    /// Its names.
    pub names: Names,
    /// Its functions.
    pub program: Program,
    /// What is derived of each function.
    pub facts: Vec<Facts>,
}

/// What a part of a file does not say itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Around {
    /// Whether its module is for the generation of machines before.
    pub is_before: bool,
    /// Aliases: name and what it stands for.
    pub aliases: Arc<[(String, String)]>,
    /// The functions of the part, by name, that others may call.
    pub called: Arc<FxHashSet<String>>,
}

/// The names with an `@` that a text mentions, but where it defines a function of that name. Who is mentioned may be called.
pub fn mentioned_names(text: &str) -> FxHashSet<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.');
    let mut found = FxHashSet::default();
    for at in memchr::memchr_iter(b'@', text.as_bytes()) {
        let before = text.get(..at).unwrap_or_default().trim_end();
        let defines = ["func.func", "private", "public", "nested"]
            .iter()
            .any(|word| before.ends_with(word));
        if !defines {
            let rest = text.get(at + 1..).unwrap_or_default();
            let name = rest.split(|letter| !is_part(letter)).next();
            found.insert(name.unwrap_or_default().to_owned());
        }
    }
    found
}

impl Analysis {
    /// What is derived of a whole text.
    #[cfg(test)]
    pub fn of(text: &str) -> Self {
        let around = Around {
            called: Arc::new(mentioned_names(text)),
            ..Around::default()
        };
        Self::of_part(Arc::from(text), &around)
    }

    /// What is derived of a part of a file.
    pub fn of_part(text: Arc<str>, around: &Around) -> Self {
        let mut file = parse_shared(text);
        file.outer_aliases = Arc::clone(&around.aliases);
        let names = Names::of(&file);
        let program = lower_file(&file, &names, around.is_before);
        let is_called = |function: &Function| around.called.contains(function.title(&file));
        let facts = program.functions.iter();
        let facts = facts
            .map(|function| facts_of(function, is_called(function)))
            .collect();
        Self {
            file,
            names,
            program,
            facts,
        }
    }

    /// The functions with what is derived of each.
    pub fn functions(&self) -> impl Iterator<Item = (&Function, &Facts)> {
        self.program.functions.iter().zip(&self.facts)
    }

    /// The copy of an operation, with its function.
    pub fn copy(&self, id: OperationId) -> Option<(&Function, &Facts, &Derived)> {
        self.functions().find_map(|(function, facts)| {
            let derived = facts
                .derived
                .iter()
                .find(|derived| derived.operation() == id);
            derived.map(|derived| (function, facts, derived))
        })
    }
}

fn facts_of(function: &Function, is_called: bool) -> Facts {
    let about = |copy: &Copy| Some((copy.operation, copy.kind.direction()?, copy.grouped));
    // Who calls a function may have set registers before.
    let found = in_force(&function.steps, is_called, &|index| {
        about(function.copies.get(index)?)
    });
    let derived: Vec<Derived> = function
        .copies
        .iter()
        .map(|copy| {
            // The generations before have no such registers: a copy of theirs has rows only.
            let registers = found
                .get(&copy.operation)
                .filter(|_| !function.is_before)
                .cloned();
            derive_copy(copy, registers.unwrap_or_default())
        })
        .collect();
    let races = find_races(function, &|index| derived.get(index));
    Facts {
        derived,
        races,
        is_explicit: is_explicit(function),
        is_called,
    }
}

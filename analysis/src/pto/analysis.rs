//! All that is derived of one file, once: rules, hovers and cost read it.

use super::order::{Race, is_explicit, races};
use super::program::{Function, Program, lower};
use super::registers::in_force;
use super::syntax::{File, OperationId, parse};
use super::transfers::{Copy, Derived, derive};
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

impl Analysis {
    /// What is derived of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let file = parse(text);
        let names = Names::of(&file);
        let program = lower(&file, &names);
        let facts = program.functions.iter().map(facts).collect();
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
    #[must_use]
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

fn facts(function: &Function) -> Facts {
    let about = |copy: &Copy| Some((copy.operation, copy.kind.direction()?, copy.grouped));
    // Who calls a function may have set registers before.
    let found = in_force(&function.steps, function.is_called, &|index| {
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
            derive(copy, registers.unwrap_or_default())
        })
        .collect();
    let races = races(function, &|index| derived.get(index));
    Facts {
        derived,
        races,
        is_explicit: is_explicit(function),
    }
}

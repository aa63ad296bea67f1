//! The ways in which a kernel is rewritten to mean the same.

use super::{Mutant, calls, mappings, mutant};
use crate::mutations::source::{Source, split};

pub(super) fn split_axes(source: &Source) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for range in mappings(source) {
        for part in split(&source.text, range, b',') {
            let name = source.at(&part).to_owned();
            if source
                .axes
                .get(&name)
                .is_some_and(|size| size % 2 == 0 && *size > 2)
            {
                let text = format!("{name} / 2, {name} % 2");
                mutants.push(mutant(source, &part, &text));
            }
        }
    }
    mutants
}

pub(super) fn rewritten(source: &Source, other: fn(&str, u64) -> String) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for range in mappings(source) {
        let inner = source.text[range.clone()].trim();
        let size = source
            .mapping(&format!("m![{inner}]"))
            .and_then(|expr| expr.size());
        if let Some(size) = size {
            mutants.push(mutant(source, &range, &other(inner, size)));
        }
    }
    mutants
}

pub(super) fn renamed_axes(source: &Source) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for name in source.axes.keys() {
        let mut text = String::new();
        let mut word = String::new();
        for letter in source.file.chars().chain([' ']) {
            if letter.is_alphanumeric() || letter == '_' {
                word.push(letter);
                continue;
            }
            text.push_str(if word == *name { "Renamed" } else { &word });
            word.clear();
            text.push(letter);
        }
        mutants.push(Mutant { text, at: 0 });
    }
    mutants
}

/// Addresses behind everything else in the data memory.
pub(super) fn free_addresses(source: &Source) -> Vec<Mutant> {
    let tensors = source
        .functions
        .iter()
        .flat_map(|function| &function.tensors);
    tensors
        .filter(|tensor| tensor.head == "DmTensor")
        .filter_map(|tensor| {
            let (_, place) = tensor.address.as_ref()?;
            let element = source.mapping(tensor.arguments.last()?)?.size()?;
            (element <= 0x2000).then(|| mutant(source, place, "0x70000"))
        })
        .collect()
}

pub(super) fn comments(source: &Source) -> Vec<Mutant> {
    calls(source)
        .map(|call| {
            let place = call.range.start..call.range.start;
            mutant(source, &place, "\n        // between `m![Calls]`\n        ")
        })
        .collect()
}

pub(super) fn aliases(source: &Source) -> Vec<Mutant> {
    calls(source)
        .flat_map(|call| &call.generics)
        .filter(|range| source.at(range).starts_with("m!["))
        .map(|range| {
            let mut made = mutant(source, range, " AliasOfThis");
            made.text.push_str("\ntype AliasOfThis = ");
            made.text.push_str(source.at(range));
            made.text.push_str(";\n");
            made
        })
        .collect()
}

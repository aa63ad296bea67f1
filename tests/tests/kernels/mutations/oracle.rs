//! What is wrong with a kernel, by the book's rules and plain arithmetic: every mapping is written out as a table, and what
//! an engine makes of its input is compared with what is declared, position by position. An answer is a proof; silence is
//! none.

use std::collections::BTreeSet;

use crate::mutations::mapping::Expr;
use crate::mutations::source::{Chain, Declared, Function, Source, number, split};
use crate::mutations::stages::Walk;

/// Bits of an element of a type.
pub(crate) fn bits(element: &str) -> Option<u64> {
    Some(match element {
        "i4" => 4,
        "i8" | "u8" | "f8" | "f8e4m3" | "f8e5m2" => 8,
        "i16" | "bf16" | "f16" => 16,
        "i32" | "f32" => 32,
        _ => return None,
    })
}

/// What is wrong in a function, a line a fault.
pub(crate) fn faults(source: &Source, function: &Function) -> Vec<String> {
    let mut faults = Vec::new();
    for tensor in &function.tensors {
        tensor_faults(source, function, tensor, &mut faults);
    }
    overlaps(source, function, &mut faults);
    tiles(source, function, &mut faults);
    for chain in &function.chains {
        mapping_faults(source, chain, &mut faults);
        if let Some(walk) = Walk::new(source, function, chain) {
            faults.extend(walk.faults());
        }
    }
    faults
}

/// Ill-formed expressions among the type arguments of a pass.
fn mapping_faults(source: &Source, chain: &Chain, faults: &mut Vec<String>) {
    for range in chain.calls.iter().flat_map(|call| &call.generics) {
        let text = source.at(range);
        if let Some(fault) = source.mapping(text).and_then(|expr| expr.fault()) {
            faults.push(format!("{text}: {fault}"));
        }
        unknown_names(source, text, faults);
    }
}

/// Axes that nothing declares.
fn unknown_names(source: &Source, text: &str, faults: &mut Vec<String>) {
    let Some(inner) = text.trim().strip_prefix("m![") else {
        return;
    };
    let words = inner.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    for word in words.filter(|word| word.starts_with(|letter: char| letter.is_ascii_uppercase())) {
        if !source.axes.contains_key(word) && !source.aliases.contains_key(word) {
            faults.push(format!("`{word}` is no axis"));
        }
    }
}

fn tensor_faults(
    source: &Source,
    function: &Function,
    tensor: &Declared,
    faults: &mut Vec<String>,
) {
    let size = |at: usize| -> Option<u64> { source.mapping(tensor.arguments.get(at)?)?.size() };
    for argument in &tensor.arguments {
        if let Some(fault) = source.mapping(argument).and_then(|expr| expr.fault()) {
            faults.push(format!("{argument}: {fault}"));
        }
        unknown_names(source, argument, faults);
    }
    let levels = ["DmTensor", "TrfTensor", "VrfTensor"].contains(&tensor.head.as_str());
    if function.chips.is_some() {
        if let Some(chips) = size(1).filter(|chips| Some(*chips) != function.chips)
            && (levels || tensor.head == "HbmTensor")
        {
            faults.push(format!("{}: {chips} chips", tensor.name));
        }
        if levels && let Some(clusters) = size(2).filter(|clusters| *clusters != 2) {
            faults.push(format!("{}: {clusters} clusters", tensor.name));
        }
        if levels && let Some(slices) = size(3).filter(|slices| *slices != 256) {
            faults.push(format!("{}: {slices} slices", tensor.name));
        }
    }
    let Some(bytes) = bytes(source, tensor) else {
        return;
    };
    let address = tensor.address.as_ref().map_or(0, |(address, _)| *address);
    match tensor.head.as_str() {
        "DmTensor" => {
            if address.saturating_add(bytes) > 512 << 10 {
                faults.push(format!("{}: {bytes} bytes at {address}", tensor.name));
            }
            if !address.is_multiple_of(8) {
                faults.push(format!("{}: written at {address}", tensor.name));
            }
        }
        "VrfTensor" => {
            if address.saturating_add(bytes) > 8 << 10 {
                faults.push(format!(
                    "{}: {bytes} bytes at {address} of the VRF",
                    tensor.name
                ));
            }
            if !address.is_multiple_of(4) {
                faults.push(format!("{}: 32-bit elements at {address}", tensor.name));
            }
        }
        "TrfTensor" => {
            let rows = size(4).unwrap_or(1);
            if ![1, 2, 4, 8].contains(&rows) {
                faults.push(format!("{}: {rows} rows", tensor.name));
            }
            if bytes.saturating_mul(rows) > 64 << 10 {
                faults.push(format!("{}: {rows} rows of {bytes} bytes", tensor.name));
            }
        }
        _ => {}
    }
}

/// Bytes of a tensor's element: what a slice (DM, VRF) or a row (TRF) holds of it.
fn bytes(source: &Source, tensor: &Declared) -> Option<u64> {
    let element = source.mapping(tensor.arguments.last()?)?;
    let bits = bits(tensor.arguments.first()?)?;
    Some(element.size()?.checked_mul(bits)?.div_ceil(8))
}

/// Pairs of tensors in the data memory that share bytes while the first one is still used.
fn overlaps(source: &Source, function: &Function, faults: &mut Vec<String>) {
    let placed: Vec<(&Declared, u64, u64)> = function
        .tensors
        .iter()
        .filter(|tensor| tensor.head == "DmTensor")
        .filter_map(|tensor| {
            let (address, _) = tensor.address.as_ref()?;
            Some((tensor, *address, bytes(source, tensor)?))
        })
        .collect();
    for (at, (first, start, length)) in placed.iter().enumerate() {
        for (second, other, other_length) in &placed[at + 1..] {
            let apart = start + length <= *other || other + other_length <= *start;
            if apart || first.name == second.name {
                continue;
            }
            // Until the name is bound again.
            let rebound = function
                .tensors
                .iter()
                .find(|tensor| tensor.at > first.at && tensor.name == first.name)
                .map_or(function.range.end, |tensor| tensor.at);
            let binding = format!("let {}", first.name);
            let uses = source.text.get(second.at..rebound).unwrap_or("");
            if names(&uses.replace(&binding, ""), &first.name) {
                faults.push(format!(
                    "`{}` is on `{}`, which is used later",
                    second.name, first.name
                ));
            }
        }
    }
}

/// Tiles that begin or end outside of what they are cut from.
fn tiles(source: &Source, function: &Function, faults: &mut Vec<String>) {
    let text = &source.text[function.range.clone()];
    for tile in text.split("tile::<").skip(1) {
        let Some((generics, rest)) = tile.split_once(">(") else {
            continue;
        };
        let parts = split(generics, 0..generics.len(), b',');
        let [index, length, ..] = parts.as_slice() else {
            continue;
        };
        let index = source
            .mapping(&generics[index.clone()])
            .and_then(|index| index.size());
        let length = number(&generics[length.clone()]);
        let start = rest.split(')').next().and_then(number);
        if let (Some(size), Some(length), Some(start)) = (index, length, start)
            && start.saturating_add(length) > size
        {
            faults.push(format!("{length} from {start} on of {size}"));
        }
    }
}

/// Whether a word is in a text.
fn names(text: &str, word: &str) -> bool {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .any(|other| other == word)
}

/// The values of a table as a set.
pub(crate) fn set(cells: impl Iterator<Item = Option<u128>>) -> BTreeSet<u128> {
    cells.flatten().collect()
}

/// The last declaration of a variable before a place.
pub(crate) fn declared<'a>(
    function: &'a Function,
    name: &str,
    before: usize,
) -> Option<&'a Declared> {
    function
        .tensors
        .iter()
        .rev()
        .find(|tensor| tensor.name == name && tensor.at <= before)
}

/// The size of an expression in bytes, if it is a whole number.
pub(crate) fn packet_bytes(packet: &Expr, element: &str) -> Option<u64> {
    let bits = packet.size()?.checked_mul(bits(element)?)?;
    (bits % 8 == 0).then_some(bits / 8)
}

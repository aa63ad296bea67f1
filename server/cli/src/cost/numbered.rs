//! The numbers of the proposals for a kernel: how a list names them and `--apply` finds them.

use visa_analysis::{KernelCost, Proposal};

/// The proposals of a kernel as its cost numbers them: those of the list, then the best two together.
pub(super) fn numbered_proposals(kernel: &KernelCost) -> impl Iterator<Item = (usize, &Proposal)> {
    let searched = kernel.searched.as_ref();
    let pair = searched.and_then(|searched| searched.pair.as_ref());
    kernel
        .proposals
        .iter()
        .chain(pair)
        .zip(1..)
        .map(|(one, number)| (number, one))
}

/// The line that says how proposals get into the files; `None` where all are given in words.
pub(super) fn how_to_apply(kernel: &KernelCost) -> Option<String> {
    let mut whole = numbered_proposals(kernel).filter(|(_, one)| !one.edits.is_empty());
    let (first, _) = whole.next()?;
    let last = whole.last().map(|(last, _)| last);
    let name = &kernel.name;
    let others = last.map_or_else(String::new, |last| {
        format!("; `--apply N` writes the one of that number, {first} to {last}")
    });
    Some(format!(
        "`visa-lint cost --kernel {name} --diff` shows number {first} as a patch, and `--apply` writes it{others}"
    ))
}

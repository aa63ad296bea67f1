//! A number of the hardware that rules guard, as it is drawn: its words, and cells side by side.

/// A number of the hardware, and the rules that hold kernels to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardedLimit {
    /// The number in a sentence, without its full stop.
    pub words: String,
    /// What there is of it, side by side: entries, bytes, banks, sizes to choose from.
    pub cells: Vec<String>,
    /// How many of the cells, the first ones, are meant; the others are there and not used.
    pub used: usize,
    /// The rules, by their names.
    pub rules: &'static [&'static str],
}

/// A limit whose cells are all meant.
pub(super) fn guarded_limit(
    words: String,
    cells: Vec<String>,
    rules: &'static [&'static str],
) -> GuardedLimit {
    GuardedLimit {
        words,
        used: cells.len(),
        cells,
        rules,
    }
}

/// As many cells of one label.
pub(super) fn equal_cells(count: u64, label: &str) -> Vec<String> {
    (0..count).map(|_| label.to_owned()).collect()
}

/// As many cells with their numbers.
pub(super) fn numbered_cells(count: u64, label: &str) -> Vec<String> {
    (0..count)
        .map(|number| format!("{label}{number}"))
        .collect()
}

/// A cell a size.
pub(super) fn size_cells(sizes: impl IntoIterator<Item = u64>, unit: &str) -> Vec<String> {
    let sizes = sizes.into_iter();
    sizes.map(|size| format!("{size}{unit}")).collect()
}

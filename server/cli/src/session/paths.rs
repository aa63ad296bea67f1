//! Paths as people gave them, in the place of those that the engine knows.

use std::sync::Arc;

use visa_analysis::{Diagnostic, KernelCost};

use crate::project::files::Sources;

/// Puts the paths that people gave in the place of the engine's.
pub(super) fn show_paths(diagnostic: &mut Diagnostic, sources: &Sources) {
    let show = |path: &mut Arc<str>| *path = sources.shown_path(path).into();
    show(&mut diagnostic.file);
    for related in &mut diagnostic.related {
        show(&mut related.file);
    }
    for fix in &mut diagnostic.fixes {
        for edit in &mut fix.edits {
            show(&mut edit.file);
        }
    }
}

/// Puts the paths that people gave in the place of those that the engine knows, also in what the book's model says.
pub(crate) fn show_paths_of_cost(cost: &mut KernelCost, shown: &dyn Fn(&str) -> String) {
    if let Some(book) = &mut cost.book {
        show_paths_of_cost(book, shown);
    }
    let show = |path: &mut Arc<str>| *path = shown(path).into();
    show(&mut cost.file);
    let loops = cost.runs.iter_mut().flat_map(|runs| &mut runs.loops);
    loops.for_each(|one| show(&mut one.file));
    cost.operations
        .iter_mut()
        .for_each(|row| show(&mut row.file));
    let pair = cost
        .searched
        .as_mut()
        .and_then(|searched| searched.pair.as_mut());
    for proposal in cost.proposals.iter_mut().chain(pair) {
        show(&mut proposal.file);
        let edits = proposal.edits.iter_mut();
        edits.for_each(|edit| show(&mut edit.file));
    }
    cost.memory
        .iter_mut()
        .filter_map(|row| row.file.as_mut())
        .for_each(show);
}

//! One line above every kernel: what it costs.
//!
//! One number comes first, the kernel's own; what follows says which engine spends it. A kernel with anything unresolved has
//! no number but the line to mend and the reason.

use crate::check::{function_findings, function_simulation};
use crate::cost::rows::statement_of;
use crate::cost::runs_of;
use crate::db::Db;
use crate::inputs::{SourceFile, line_index};
use crate::items::functions_of_file;
use crate::items::{ItemId, Span, device_attribute, token_map};
use crate::kernel::{Body, Unresolved, UnresolvedReason};
use crate::lanes::Lane;
use crate::lowering::body;
use crate::numbers::thousands;
use crate::rules::Level;
use crate::simulation::BodySimulation;

use super::{ByteRange, Lens, Place};

/// The lines above the kernels of a file.
pub(super) fn kernel_lenses(db: &dyn Db, file: SourceFile) -> Vec<Lens> {
    let tokens = token_map(db, file);
    let kernels = functions_of_file(db, file)
        .into_iter()
        .filter(|function| device_attribute(db, *function).is_some());
    let lenses = kernels.filter_map(|kernel| {
        let body = body(db, kernel);
        let simulation = function_simulation(db, kernel);
        let (start, end) = tokens.range(body.span)?;
        let (title, mend) = match simulation.total() {
            Some(total) => (known_line(&simulation, total), None),
            None => match runs_of(db, kernel) {
                Some(runs) => (runs.sentence(), None),
                None => unknown_line(db, file, kernel, &body, &simulation),
            },
        };
        Some(Lens {
            range: ByteRange { start, end },
            title,
            kernel: body.name.clone(),
            cycles: simulation.total(),
            mend,
        })
    });
    lenses.collect()
}

/// The line of a kernel of unknown cycles: what to mend, and where that is.
fn unknown_line(
    db: &dyn Db,
    file: SourceFile,
    kernel: ItemId,
    body: &Body,
    simulation: &BodySimulation,
) -> (String, Option<Place>) {
    // What is not resolved brings the other gaps along, and leaves types without their last word.
    let follows = |place: &&Unresolved| place.reason == UnresolvedReason::NotInferred;
    let unresolved = body.unresolved.iter().min_by_key(follows);
    let unresolved = unresolved.map(|place| (place.reason.reason_text(), place.span));
    let gap = || {
        let gap = simulation.gaps.first()?;
        Some((
            gap.reason.clone(),
            denied_span(db, kernel, gap.span).unwrap_or(gap.span),
        ))
    };
    let Some((reason, span)) = unresolved.or_else(gap) else {
        return ("cycles unknown".to_owned(), None);
    };
    let at = span.item.file(db);
    let Some((start, end)) = token_map(db, at).range(span) else {
        return (format!("cycles unknown: {reason}"), None);
    };
    let line = line_index(db, at).line(start);
    let path = at.path(db);
    let place = if at == file {
        format!("line {line}")
    } else {
        format!("line {line} of {path}")
    };
    let mend = Place {
        file: path,
        range: ByteRange { start, end },
    };
    (
        format!("cycles unknown: mend {place} ({reason})"),
        Some(mend),
    )
}

/// What an engine refuses leaves the figures of the stages behind it unknown: the first thing that is refused in the statement
/// around a place.
fn denied_span(db: &dyn Db, kernel: ItemId, at: Span) -> Option<Span> {
    let around = statement_of(db, at)?;
    let found = function_findings(db, kernel);
    let denied = found
        .findings
        .iter()
        .filter(|finding| finding.level() == Level::Deny)
        .map(|finding| finding.span);
    let inside = |span: &Span| {
        span.item == around.item && around.start <= span.start && span.start < around.end
    };
    denied.filter(inside).min_by_key(|span| span.start)
}

/// The line of a kernel with a total.
fn known_line(simulation: &BodySimulation, total: u64) -> String {
    let schedule = &simulation.schedule;
    let busy = |lane| schedule.busy(lane);
    let dma = busy(Lane::TENSOR_DMA).saturating_add(busy(Lane::PCIE_DMA));
    let parts = [
        ("main", busy(Lane::MAIN)),
        ("sub", busy(Lane::SUB)),
        ("DMA", dma),
    ];
    let mut title = cycles_text(total);
    for (name, cycles) in parts {
        title.push_str(&format!(" · {name} {}", thousands(cycles)));
    }
    title
}

/// A number of cycles in words.
pub(super) fn cycles_text(number: u64) -> String {
    match number {
        1 => "1 cycle".to_owned(),
        _ => format!("{} cycles", thousands(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{KERNEL, everywhere, workspace};
    use crate::EditorQuestions as _;
    use crate::Lens;
    use crate::Model;

    fn kernel_lenses(text: &str) -> Vec<Lens> {
        workspace(text)
            .analysis()
            .lenses("kernel.rs")
            .expect("an answer")
    }

    #[test]
    fn the_kernels_own_number_comes_first() {
        let found = kernel_lenses(KERNEL);
        let costs = workspace(KERNEL)
            .analysis()
            .costs("kernel.rs")
            .expect("costs");
        let ([lens], [cost]) = (found.as_slice(), costs.as_slice()) else {
            panic!("one kernel: {found:?}")
        };
        assert_eq!(lens.kernel, "raise");
        assert_eq!(
            KERNEL.get(lens.range.start as usize..lens.range.end as usize),
            Some("raise")
        );
        assert_eq!(lens.cycles, cost.total);
        // The sub context's one pass takes 4 * 64 / 8 cycles.
        assert!(lens.title.contains(" · sub 32 · "), "{}", lens.title);
        let total = super::thousands(cost.total.expect("a total"));
        assert!(lens.title.starts_with(&format!("{total} cycles · main ")));
    }

    #[test]
    fn the_chosen_model_decides_what_is_shown() {
        use crate::testing::workspace_by;
        let shown = Model::ALL.map(|model| {
            let analysis = workspace_by(model, KERNEL).analysis();
            let lenses = analysis.lenses("kernel.rs").expect("lenses");
            let costs = analysis.costs("kernel.rs").expect("costs");
            let ([lens], [cost]) = (lenses.as_slice(), costs.as_slice()) else {
                panic!("one kernel: {lenses:?}")
            };
            assert_eq!((lens.cycles, cost.model), (cost.total, model));
            let book = cost.book.as_ref().map_or(cost.total, |book| book.total);
            (lens.cycles, book, cost.calibrated.total)
        });
        let [by_book, by_schedule] = shown;
        // Both answers carry both totals, and each shows its own.
        assert_eq!((by_book.0, by_schedule.0), (by_book.1, by_book.2));
        assert_eq!((by_book.1, by_book.2), (by_schedule.1, by_schedule.2));
        assert_ne!(by_book.0, by_schedule.0);
    }

    #[test]
    fn a_kernel_that_is_not_understood_says_why() {
        let text = KERNEL.replace(".collect::<m![T, P / 8], m![P % 8]>()", ".gather_up()");
        let found = kernel_lenses(&text);
        let titles: Vec<(&str, Option<u64>)> = found
            .iter()
            .map(|lens| (lens.title.as_str(), lens.cycles))
            .collect();
        assert_eq!(
            titles,
            [(
                "cycles unknown: mend line 16 (unknown method `gather_up`)",
                None
            )]
        );
        let mend = found
            .first()
            .and_then(|lens| lens.mend.clone())
            .expect("a place");
        assert_eq!(
            (
                &*mend.file,
                &text[mend.range.start as usize..mend.range.end as usize]
            ),
            ("kernel.rs", "gather_up")
        );
    }

    /// A packet that is collected as half a flit: the commit behind it has no figure, and the line to mend is that of the collect.
    #[test]
    fn what_is_refused_is_mended_where_it_is() {
        let (head, tail) = KERNEL.split_at(KERNEL.find("let sum").expect("the second pass"));
        let tail = tail.replace("m![P % 8]>()", "m![P % 4]>()");
        let text = format!("{head}{tail}");
        let found = kernel_lenses(&text);
        let [lens] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(lens.cycles, None, "{}", lens.title);
        let line = text
            .lines()
            .position(|line| line.contains("P % 4"))
            .expect("a line")
            + 1;
        let start = format!("cycles unknown: mend line {line} (");
        assert!(lens.title.starts_with(&start), "{}", lens.title);
    }

    #[test]
    fn helpers_have_none() {
        assert_eq!(
            kernel_lenses(&KERNEL.replace("#[device(chip = 1)]", "")),
            []
        );
    }

    #[test]
    fn no_text_is_too_strange() {
        everywhere(KERNEL, |analysis, _| {
            analysis.lenses("kernel.rs").expect("an answer");
        });
    }
}

//! What nothing follows, placed in a file: single operations of other languages, and files in Rust that take part and of which
//! nothing is followed at all.

use crate::catalogue::is_rule_on;
use crate::db::Db;
use crate::findings::{Finding, TextSpan};
use crate::front_end::Unresolved;
use crate::inputs::{SourceFile, enabled_rules};
use crate::libraries::Library;
use crate::places::Places;
use crate::report::{FileReport, UnresolvedPlace};
use crate::rules;

/// What mappings begin with: a file with one is looked at.
const MAPPINGS: [&str; 3] = ["m![", "axes![", "i!["];

/// A place that is not followed; with a finding where the rule is on that shows it.
pub(super) fn not_followed_place(
    db: &dyn Db,
    file: SourceFile,
    places: &mut Places<'_>,
    report: &mut FileReport,
    (span, unresolved, counts): (TextSpan, &Unresolved, bool),
) -> UnresolvedPlace {
    let rule = rules::unresolved_operation();
    let Unresolved { what, reason } = unresolved;
    if is_rule_on(&enabled_rules(db, file), rule.name) {
        let message = format!("`{what}` is not checked: {reason}");
        let finding = Finding::<TextSpan>::new(rule, span, message);
        report
            .diagnostics
            .extend(places.diagnostic_in(file, &finding));
    }
    UnresolvedPlace {
        what: what.clone(),
        reason: reason.clone(),
        said_once: false,
        counts,
        range: places.place(file, span.start, span.end),
    }
}

/// Of a file in Rust that names a library, and has functions and no kernel: where it names it. Files that declare axes and
/// mappings are looked at.
pub(super) fn whole_file(
    db: &dyn Db,
    file: SourceFile,
    report: &FileReport,
) -> Option<(TextSpan, Unresolved)> {
    let is_whole = file.origin(db).is_none() && report.problems.is_empty();
    let is_silent = report.diagnostics.is_empty() && report.syntax_errors == 0;
    if !is_whole || !is_silent || report.configured_out > 0 || report.kernels > 0 {
        return None;
    }
    let text = file.text(db);
    if MAPPINGS.iter().any(|word| text.contains(word)) || !text.contains("fn ") {
        return None;
    }
    let names = Library::ALL.iter().map(|library| library.crate_name());
    let (at, name) = names
        .filter_map(|name| Some((text.find(&format!("{name}::"))?, name)))
        .min()?;
    let start = u32::try_from(at).ok()?;
    let end = start.checked_add(u32::try_from(name.len()).ok()?)?;
    let unresolved = Unresolved {
        what: name.to_owned(),
        reason: "the file names the library, and no kernel in it is recognised".to_owned(),
    };
    Some((TextSpan::new(start, end), unresolved))
}

//! Candidates placed in the files, laid out as their author does, and moved to where they are behind another change.

use std::borrow::Cow;
use std::sync::Arc;

use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::{ItemId, Span, file_range};
use crate::places::{Places, broken_chain};
use crate::report::{DiagnosticFix, FileEdit};
use crate::rules::{Applicability, Fix, NamesInScope, SLOW_TRANSFER};

use super::{Candidate, Concerns, Kind, Placed};

/// Another change of the author's text, placed in the text that the first left; `None` where the two meet.
pub(super) fn shifted_change(first: &Placed, other: &Placed) -> Option<Placed> {
    let mut edits = Vec::new();
    for edit in &other.fix.edits {
        let mut by: i64 = 0;
        for made in first.fix.edits.iter().filter(|made| made.file == edit.file) {
            if made.end_byte <= edit.start_byte && made.start_byte < edit.start_byte.max(1) {
                let length = i64::try_from(made.text.len()).ok()?;
                by += length - i64::from(made.end_byte - made.start_byte);
            } else if made.start_byte < edit.end_byte || made.start_byte == edit.start_byte {
                return None;
            }
        }
        let moved = |byte: u32| u32::try_from(i64::from(byte) + by).ok();
        edits.push(FileEdit {
            start_byte: moved(edit.start_byte)?,
            end_byte: moved(edit.end_byte)?,
            ..edit.clone()
        });
    }
    Some(Placed {
        fix: DiagnosticFix {
            edits,
            ..other.fix.clone()
        },
        ..other.clone()
    })
}

/// Candidates placed in their files. What a macro writes is not changed.
pub(super) fn place_candidates(
    db: &dyn Db,
    function: ItemId,
    candidates: Vec<Candidate>,
) -> Vec<Placed> {
    let names = NamesInScope::of(db, function);
    let mut places = Places::new(db);
    let owner = function.owner(db);
    let place = |candidate: Candidate| {
        let edited = candidate.edits.iter().map(|edit| edit.span.item);
        let outside = edited.filter(|item| *item != owner);
        let mut named: Vec<Arc<str>> = outside.map(|item| item.name(db)).collect();
        named.sort();
        named.dedup();
        // A split changes what is declared; the operation that it is for may stay as it is.
        let declares = matches!(candidate.kind, Kind::Split | Kind::BothClusters);
        let first = declares
            .then(|| first_edit(db, function, &candidate))
            .flatten();
        let fix = names.fix_in_scope(Fix {
            title: candidate.title,
            applicability: Applicability::Maybe,
            edits: candidate.edits,
            cost: None,
        })?;
        let about = places.range(candidate.span)?;
        let (file, range) = match first {
            Some(first) => places.range(first)?,
            None => about.clone(),
        };
        let mut fix = places.placed_fix(&fix)?;
        lay_out(db, function.file(db), &mut fix);
        Some(Placed {
            kind: candidate.kind,
            rule: candidate.rule.unwrap_or(SLOW_TRANSFER.name),
            file,
            range,
            about,
            fix,
            concerns: Concerns::Naming(named),
        })
    };
    candidates.into_iter().filter_map(place).collect()
}

/// The place of a candidate's first edit: in the file of the kernel where it edits that.
fn first_edit(db: &dyn Db, function: ItemId, candidate: &Candidate) -> Option<Span> {
    let own = function.file(db).path(db);
    let edits = candidate.edits.iter().map(|edit| edit.span);
    edits.min_by_key(|span| {
        let (file, start, _) = file_range(db, *span);
        let path = file.path(db);
        (path != own, path, start)
    })
}

/// The columns that a line has at most, as rustfmt counts.
const WIDTH: usize = 100;

/// What a call of a chain is moved in by.
const STEP: &str = "    ";

/// A statement whose chain is broken over lines where it does not fit into one.
fn broken_statement<'s>(statement: &'s str, spaces: &str) -> Cow<'s, str> {
    let fits = |line: &str| line.trim_end().chars().count() <= WIDTH;
    let is_broken = statement.starts_with([' ', '\t']);
    if fits(&format!("{spaces}{statement}")) || is_broken {
        return Cow::Borrowed(statement);
    }
    let broken = broken_chain(statement, &format!("{spaces}{STEP}"));
    // A call alone on its line is worth it only where it fits there.
    let calls = broken.trim_end().matches('\n').count();
    if calls > 1 || broken.lines().all(fits) {
        Cow::Owned(broken)
    } else {
        Cow::Borrowed(statement)
    }
}

/// Statements that are put before one get its indentation, and those that are taken away take their line along.
fn lay_out(db: &dyn Db, file: SourceFile, fix: &mut DiagnosticFix) {
    let text = file.text(db);
    for edit in &mut fix.edits {
        let before = text.get(..edit.start_byte as usize).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        if edit.text.is_empty() {
            let after = text.get(edit.end_byte as usize..).unwrap_or_default();
            let rest = after.split_inclusive('\n').next().unwrap_or_default();
            if line.trim().is_empty() && rest.trim().is_empty() {
                let length = |text: &str| u32::try_from(text.len()).unwrap_or(0);
                edit.start_byte -= length(line);
                edit.end_byte += length(rest);
            }
        } else if edit.text.contains('\n') {
            let is_space = |letter: &char| letter.is_whitespace();
            let spaces: String = line.chars().take_while(is_space).collect();
            let mut laid_out = String::new();
            for statement in edit.text.split_inclusive('\n') {
                // What is broken over lines is indented already.
                let begins = !laid_out.is_empty() && !statement.starts_with([' ', '\t']);
                laid_out.push_str(if begins { &spaces } else { "" });
                laid_out.push_str(&broken_statement(statement, &spaces));
            }
            if laid_out.ends_with('\n') {
                laid_out.push_str(&spaces);
            }
            edit.text = laid_out;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::broken_statement;

    #[test]
    fn a_long_statement_is_broken_at_the_calls_of_its_chain() {
        let short = "let y = ctx.main.begin(x.view()).commit(0);\n";
        assert_eq!(broken_statement(short, "    "), short);
        let long = "let gathered: DmTensor<i8, m![1], m![1 # 2], m![S / 64 # 256], m![S % 64, B]> = \
                    ctx.main.begin(sums.view()).fetch::<i8, m![S % 64], m![B]>().commit(0);\n";
        let broken = "let gathered: DmTensor<i8, m![1], m![1 # 2], m![S / 64 # 256], m![S % 64, B]> = ctx\n\
                      \u{20}       .main\n\
                      \u{20}       .begin(sums.view())\n\
                      \u{20}       .fetch::<i8, m![S % 64], m![B]>()\n\
                      \u{20}       .commit(0);\n";
        assert_eq!(broken_statement(long, "    "), broken);
        let kind = "m![A], ".repeat(20);
        let one_call = format!("let y = y.to_dm::<{kind}>(0);\n");
        assert_eq!(broken_statement(&one_call, "    "), one_call);
    }
}

//! `check --fix` and `check --diff`: what the engine's fixes make of the files.
//!
//! Which fixes are applied, and when, is decided by the engine; here are the options, the files on disk and the
//! words. Only files that the run reports on are changed, never those that are loaded for their names.

mod diff;

use std::sync::Arc;

use visa_analysis::{Fixed, Rejection, Texts, Trust, thousands, visible_source};

use super::arguments::{CheckArguments, FixArguments};
use super::delivery::{deliver, is_colored};
use super::outcome::Outcome;
use super::output::Console;
use super::session::Session;
use crate::documents::diff::unified;
use crate::project::Failure;
use crate::project::notes::write_note;
use crate::project::writing::{Staged, put_in_place};
use visa_analysis::counted;

impl FixArguments {
    const fn trust(&self) -> Trust {
        if self.unsafe_fixes {
            Trust::Maybe
        } else {
            Trust::Machine
        }
    }
}

/// Applies the fixes to the session's texts.
pub(crate) fn fix_session(options: &CheckArguments, session: &mut Session<'_>) -> Fixed {
    session.apply_all_fixes(options.fixing.trust())
}

/// Writes the texts of a session that are no longer what they were: all of the files or, where one cannot be written,
/// none. Standard input's text is printed in any case.
pub(crate) fn write_changes(
    session: &Session<'_>,
    before: &Texts,
    console: Console,
) -> Result<(), Failure> {
    let mut staged = Vec::new();
    for (path, text) in session.own_texts() {
        if session.standard_input() == Some(&*path) {
            continue;
        }
        if let Some(old) = before.get(&path).filter(|old| **old != text) {
            staged.push(Staged::new(&session.shown_path(&path), &path, old, &text)?);
        }
    }
    put_in_place(staged)?;
    match session.standard_input() {
        Some(input) => console.print(session.own_texts().get(input).map_or("", |text| text)),
        None => Ok(()),
    }
}

/// `2 fixed, 1 remaining`.
pub(crate) fn sum_up(fixed: &Fixed, remaining: usize) {
    let files = match fixed.texts.len() as u64 {
        0 => String::new(),
        files => format!(" ({} changed)", counted(files, "file")),
    };
    write_note(&format!(
        "{} fixed{}, {remaining} remaining{files}",
        fixed.fixed,
        along(fixed)
    ));
}

/// A note for each reason why fixes were not applied: `1 fix not applied: it brings `trf_element_mismatch` at line 26`.
pub(crate) fn say_left_out(fixed: &Fixed, session: &Session<'_>) {
    let mut reasons: Vec<(Rejection, u64)> = Vec::new();
    for left in &fixed.left_out {
        let why = shown_rejection(&left.why, session);
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, count)) => *count += 1,
            None => reasons.push((why, 1)),
        }
    }
    for (why, count) in reasons {
        let subject = if count == 1 { "it" } else { "each of them" };
        write_note(&format!(
            "{} not applied: {subject} {why}",
            fixes_text(count)
        ));
    }
}

/// `1 fix`, `2 fixes`.
fn fixes_text(count: u64) -> String {
    match count {
        1 => "1 fix".to_owned(),
        count => format!("{} fixes", thousands(count)),
    }
}

/// A reason with files as people see them.
fn shown_rejection(why: &Rejection, session: &Session<'_>) -> Rejection {
    let shown = |file: &Arc<str>| Arc::from(session.shown_path(file));
    match why {
        Rejection::OtherFile(file) => Rejection::OtherFile(shown(file)),
        Rejection::Brings {
            rule,
            file: Some(file),
            line,
        } => Rejection::Brings {
            rule,
            file: Some(shown(file)),
            line: *line,
        },
        other => other.clone(),
    }
}

/// ` and 1 more gone with them`, or nothing.
fn along(fixed: &Fixed) -> String {
    match fixed.along {
        0 => String::new(),
        along => format!(" and {along} more gone with them"),
    }
}

/// Prints a unified diff: exactly for a program, which may apply it, and without what a terminal would obey for people.
pub(crate) fn print_unified(mut diff: String, console: Console) -> Result<(), Failure> {
    if console.is_obeyed() {
        diff = visible_source(&diff).into_owned();
    }
    if console.colored() {
        diff = diff::colored_diff(&diff);
    }
    console.print(&diff)
}

/// Prints what `--fix` would change and changes nothing.
pub(crate) fn diff(
    options: &CheckArguments,
    session: &mut Session<'_>,
    console: Console,
    unreadable: bool,
) -> Result<Outcome, Failure> {
    let before = session.own_texts();
    let fixed = fix_session(options, session);
    let mut answer = String::new();
    for (path, text) in &fixed.texts {
        let old = before.get(path).map_or("", |text| text);
        answer.push_str(&unified(&session.shown_path(path), old, text));
    }
    if options.output_file.is_none() {
        print_unified(answer, console)?;
    } else {
        if is_colored(options, console) {
            answer = diff::colored_diff(&answer);
        }
        deliver(options, &answer, console, unreadable)?;
    }
    let files = fixed.texts.len() as u64;
    if !options.quiet {
        let words = if files == 0 {
            "nothing would be fixed".to_owned()
        } else {
            format!(
                "{} would be fixed{} in {}",
                counted(fixed.fixed, "finding"),
                along(&fixed),
                counted(files, "file")
            )
        };
        write_note(&words);
        say_left_out(&fixed, session);
    }
    Ok(match () {
        () if unreadable => Outcome::Failed,
        () if files > 0 && !options.exit_zero => Outcome::Found,
        () => Outcome::Fine,
    })
}

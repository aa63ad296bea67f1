//! `visa-lint migrate --to RELEASE`: a crate rewritten for another release of its library.
//!
//! The fixes are those of the rule about names and arguments of other releases, applied by the engine that applies all
//! fixes, with the target release in the place of the crate's own; beside them the tool that attributes name, and what
//! manifests require. Only files that the run reports on are changed, and the manifests of their packages.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use visa_analysis::{
    DiagnosticFix, Fixable, Fixed, Level, Library, Release, Texts, apply_fixes, migrate_all,
    migration_rule, nearest_names,
};

use super::arguments::MigrateArguments;
use super::fixing::print_unified;
use super::outcome::Outcome;
use super::output::Console;
use super::pool::in_pool;
use super::session::{Given, Session};
use crate::documents::diff::unified;
use crate::project::Failure;
use crate::project::files::StandardInput;
use crate::project::levels::{Change, Levels, Named, Origin};
use crate::project::notes::write_note;
use crate::project::paths::{end_of, slashes};
use crate::project::regular::{DECIDING_BYTES, read_text};
use crate::project::requirements::{required, workspace_manifest};
use crate::project::settings::{Dialect, SettingsArguments};
use crate::project::writing::{Staged, put_in_place};
use visa_analysis::counted;

/// The rule that says of whole files that they are for another release.
const WHOLE_FILES: &str = "library_version_mismatch";

/// What is left to do by hand: file, line, column and what there is to do.
type Left = (String, u32, u32, String);

/// Runs the command.
pub(crate) fn run(options: &MigrateArguments, console: Console) -> Result<Outcome, Failure> {
    let target = release_of(&options.to)?;
    in_pool(None, || migrate(options, target, console))
}

/// The release that is migrated to.
fn release_of(text: &str) -> Result<Release, Failure> {
    let library = Library::OptStd;
    let (name, version) = text.split_once('@').unwrap_or((library.name(), text));
    if name != library.name() {
        return Err(Failure::new(format!(
            "`--to {text}`: kernels are migrated to releases of `{}` only",
            library.crate_name()
        )));
    }
    let known: Vec<String> = library.releases().iter().map(ToString::to_string).collect();
    let release = Release::of_version(version);
    let release = release.filter(|release| library.releases().contains(release));
    release.ok_or_else(|| {
        let near = nearest_names(version, known.iter().map(String::as_str));
        let near = near
            .first()
            .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        Failure::new(format!(
            "`--to {text}`: there is no such release of `{}`; those that are known are {}{near}",
            library.crate_name(),
            known.join(", ")
        ))
    })
}

fn migrate(
    options: &MigrateArguments,
    target: Release,
    console: Console,
) -> Result<Outcome, Failure> {
    let found = SettingsArguments {
        config: options.config.clone(),
        isolated: options.isolated,
        ..SettingsArguments::default()
    };
    let levels = Levels {
        changes: vec![Change {
            name: migration_rule().to_owned(),
            level: Level::Deny,
            origin: Origin::Option("to"),
        }],
        // A file for another release altogether is what is rewritten.
        ignore: vec![Named {
            name: WHOLE_FILES.to_owned(),
            origin: Origin::Option("to"),
        }],
        ..Levels::default()
    };
    let forced = SettingsArguments {
        dialect: Some(Dialect {
            library: Some(Library::OptStd),
            release: Some(target),
        }),
        ..found.clone()
    };
    let session = Session::open(given_sources(options, &found), &levels)?;
    if session.say_unreadable() {
        return Ok(Outcome::Failed);
    }
    let mut left = refuse_later(&session, target)?;
    let mut session = session.read_as(given_sources(options, &forced))?;
    session.leave_outside_alone();
    let before = session.own_texts();
    let fixed = migrate_all(&mut session);
    register_tools(&mut session);
    let manifests = manifests(&session, target, &mut left)?;
    left.extend(by_hand(&session));
    let changed = changed_files(&session, &before, &manifests);
    if options.diff {
        print_diff(&changed, console)?;
    } else {
        write(&session, &changed, console)?;
    }
    say_left(&left, options, &session, console)?;
    sum_up(&fixed, &changed, left.len(), options, target);
    let found = !left.is_empty() || (options.diff && !changed.is_empty());
    Ok(if found { Outcome::Found } else { Outcome::Fine })
}

fn given_sources<'a>(options: &'a MigrateArguments, settings: &'a SettingsArguments) -> Given<'a> {
    Given {
        paths: &options.paths,
        stdin: StandardInput::Text(options.stdin_filename.as_deref()),
        settings,
        since: None,
        quiet: options.quiet,
        inline_allow: true,
    }
}

/// Refuses crates that are written for a later release than the one that is asked for; what settings say of the release is
/// left to do.
fn refuse_later(session: &Session<'_>, target: Release) -> Result<Vec<Left>, Failure> {
    let reported: Vec<&str> = session.reported_paths().collect();
    if reported.is_empty() {
        return Err(Failure::new(
            "there is no Rust file to migrate at the paths that are given",
        ));
    }
    let mut later = Vec::new();
    let mut left = Vec::new();
    for (krate, library) in session.libraries_of_crates() {
        let own = library.dialect;
        if own.library == Library::OptStd && own.release > target {
            later.push(format!(
                "`{krate}` is written for release {}, which is later than {target} ({}): kernels are migrated to later \
                 releases only",
                own.release, library.because
            ));
        }
        if library.because.contains("visa-lint.toml") && own.release != target {
            let words = format!(
                "it names release {}: let it name {target}, or nothing",
                own.release
            );
            left.push(("visa-lint.toml".to_owned(), 1, 1, words));
        }
    }
    if later.is_empty() {
        Ok(left)
    } else {
        Err(Failure::several(later))
    }
}

/// Gives attributes the tool of the library.
fn register_tools(session: &mut Session<'_>) {
    let paths: Vec<String> = session.reported_paths().map(str::to_owned).collect();
    let analysis = session.workspace().analysis();
    let fixes: Vec<DiagnosticFix> = paths
        .iter()
        .flat_map(|path| analysis.tool_fixes(path))
        .collect();
    drop(analysis);
    let changed = apply_fixes(&session.own_texts(), &fixes).texts;
    session.replace(&changed);
}

/// A manifest with its old and new text, by its path.
type Manifests = BTreeMap<String, (String, String)>;

/// The manifests of the packages that are migrated, with what they ask for now.
fn manifests(
    session: &Session<'_>,
    target: Release,
    left: &mut Vec<Left>,
) -> Result<Manifests, Failure> {
    let mut changed = Manifests::new();
    let mut waiting: Vec<String> = session
        .package_roots()
        .map(|root| format!("{root}/Cargo.toml"))
        .collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    while let Some(path) = waiting.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let shown = session.shown_path(&path);
        let text = read_text(Path::new(&path), DECIDING_BYTES)
            .map_err(|why| Failure::new(format!("cannot read `{shown}`: {why}")))?;
        let asked = required(&shown, &text, target)?;
        let folder = Path::new(&path).parent();
        if let Some(workspace) = folder
            .filter(|_| asked.inherits)
            .and_then(workspace_manifest)
        {
            waiting.push(slashes(&workspace));
        }
        for (line, words) in asked.by_hand {
            let line = u32::try_from(line).unwrap_or(u32::MAX);
            left.push((shown.clone(), line, 1, words));
        }
        let holds = folder.and_then(end_of).zip(end_of(Path::new(&path)));
        let leads_out = !holds.is_some_and(|(folder, end)| end.starts_with(folder));
        if asked.text.is_some() && leads_out {
            let words =
                "it is a link out of its folder, and stays as it is: let it ask for the release";
            left.push((shown.clone(), 1, 1, words.to_owned()));
        } else if let Some(new) = asked.text {
            changed.insert(path, (text, new));
        }
    }
    Ok(changed)
}

/// What the rule still finds.
fn by_hand(session: &Session<'_>) -> Vec<Left> {
    let mut left = Vec::new();
    for report in session.reports() {
        if !session.is_reported(&report.path) {
            continue;
        }
        let found = report.diagnostics.iter();
        for found in found.filter(|found| found.rule == migration_rule()) {
            let todo = found.help.clone().or_else(|| found.notes.first().cloned());
            let words = match todo {
                Some(todo) => format!("{}; {todo}", found.message),
                None => found.message.clone(),
            };
            let start = found.range.start;
            left.push((
                session.shown_path(&report.path),
                start.line,
                start.column,
                words,
            ));
        }
    }
    left.sort();
    left
}

/// A text that changes: as people see its path, its path, the old text and the new one.
struct Changed {
    shown: String,
    path: String,
    old: Arc<str>,
    new: Arc<str>,
}

fn changed_files(session: &Session<'_>, before: &Texts, manifests: &Manifests) -> Vec<Changed> {
    let own = session.own_texts().into_iter().filter_map(|(path, new)| {
        let old = before.get(&path).filter(|old| **old != new)?;
        Some(Changed {
            shown: session.shown_path(&path),
            path: path.to_string(),
            old: Arc::clone(old),
            new,
        })
    });
    let manifests = manifests.iter().map(|(path, (old, new))| Changed {
        shown: session.shown_path(path),
        path: path.clone(),
        old: old.as_str().into(),
        new: new.as_str().into(),
    });
    own.chain(manifests).collect()
}

fn print_diff(changed: &[Changed], console: Console) -> Result<(), Failure> {
    let mut answer = String::new();
    for change in changed {
        answer.push_str(&unified(&change.shown, &change.old, &change.new));
    }
    print_unified(answer, console)
}

/// Puts all texts in their places or, where one cannot be written, none. Standard input's text is printed.
fn write(session: &Session<'_>, changed: &[Changed], console: Console) -> Result<(), Failure> {
    let mut staged = Vec::new();
    for change in changed {
        if session.standard_input() != Some(change.path.as_str()) {
            let file = Staged::new(&change.shown, &change.path, &change.old, &change.new)?;
            staged.push(file);
        }
    }
    put_in_place(staged)?;
    match session.standard_input() {
        Some(input) => console.print(session.own_texts().get(input).map_or("", |text| text)),
        None => Ok(()),
    }
}

/// Lists what is left: on standard output, unless that carries a text.
fn say_left(
    left: &[Left],
    options: &MigrateArguments,
    session: &Session<'_>,
    console: Console,
) -> Result<(), Failure> {
    let mut answer = String::new();
    for (file, line, column, words) in left {
        let _ = writeln!(
            answer,
            "{}",
            visa_analysis::visible(&format!("{file}:{line}:{column}: by hand: {words}"))
        );
    }
    let taken = options.diff || session.standard_input().is_some();
    if taken {
        console.aside().print(&answer)
    } else {
        console.print(&answer)
    }
}

fn sum_up(
    fixed: &Fixed,
    changed: &[Changed],
    left: usize,
    options: &MigrateArguments,
    target: Release,
) {
    if options.quiet {
        return;
    }
    let files = counted(changed.len() as u64, "file");
    let verb = match (changed.is_empty(), options.diff) {
        (true, _) => format!("nothing to change for release {target}"),
        (false, true) => format!("{files} would change for release {target}"),
        (false, false) => format!("{files} changed for release {target}"),
    };
    let fixes = match fixed.fixed {
        0 => String::new(),
        fixed => format!(" ({})", counted(fixed, "place")),
    };
    write_note(&format!("{verb}{fixes}, {left} left to do by hand"));
}

//! What a method's name says of the library: its signature, since which release it is there, and what it was called before.

use crate::completion::context::Around;
use crate::completion::methods::method_signature;
use crate::completion::receiver::called_method;
use crate::db::Db;
use crate::inputs::SourceFile;
use crate::kernel::Operation;
use crate::kernel::dialect::{Dialect, History, Method, Receiver, Releases, library_table};
use crate::kernel::{Body, OperationKind, Pass};

use super::super::operations::OperationPart;
use super::page::{Page, code};

/// The page of a method that is part of no operation, or of one that could not be followed: at the word's first byte.
pub(super) fn method_page(db: &dyn Db, file: SourceFile, start: u32, name: &str) -> Option<String> {
    let end = start.checked_add(u32::try_from(name.len()).ok()?)?;
    let around = Around::at(db, file, end)?;
    let dot = around.dot()?;
    let (method, receiver) = called_method(db, &around, (name, dot), false)?;
    let dialect = around.dialect(db);
    let lines = history_lines(dialect, method)?;
    let guide = dialect.guide(method)?;
    let context = receiver.and_then(|receiver| receiver.pass()?.context);
    let written = format!("{name}{}", method_signature(method, &guide, context));
    let mut page = Page::headed(format!("**{}**", code(&written)));
    page.add(guide.summary);
    page.add_lines(&lines);
    Some(page.into_markdown())
}

/// Since when the method of a part of an operation is there; empty where the library has one release.
pub(super) fn history_of(body: &Body, operation: &Operation, part: OperationPart) -> Vec<String> {
    let dialect = body.library();
    let method = match &operation.kind {
        OperationKind::Pass(pass) => of_pass(dialect, pass, part),
        OperationKind::Copy(copy) => {
            let tier = body.tensor(copy.source).map(|tensor| tensor.tier);
            let mut named = dialect.methods(copy.method);
            let on_tier = named.find(
                |method| matches!(method.receiver, Receiver::Tensor(own, _) if Some(own) == tier),
            );
            on_tier.or_else(|| dialect.methods(copy.method).next())
        }
        OperationKind::Collective(collective) => dialect.methods(collective.method).next(),
    };
    let lines = method.and_then(|method| history_lines(dialect, method));
    lines.unwrap_or_default()
}

fn of_pass(dialect: Dialect, pass: &Pass, part: OperationPart) -> Option<&'static Method> {
    let stage = match part {
        OperationPart::Start => return None,
        OperationPart::Stage(index) => {
            let stage = pass.stages.get(index)?;
            let name = stage.method.as_str();
            let mut named = dialect.methods(name);
            return named.find(|method| {
                method
                    .stages()
                    .iter()
                    .any(|used| used.stage == stage.kind.canonical())
            });
        }
        OperationPart::End => pass.end.canonical()?,
    };
    dialect.method_of(stage)
}

fn history_lines(dialect: Dialect, method: &Method) -> Option<Vec<String>> {
    let History {
        releases,
        before,
        after,
        variants,
        elsewhere,
    } = dialect.history(method)?;
    let library = dialect.library.crate_name();
    let mut lines = vec![format!(
        "{}: {}",
        code(library),
        releases_in_words(releases)
    )];
    let names = |found: &[(&'static str, Releases)]| -> String {
        let words: Vec<String> = found
            .iter()
            .map(|(name, releases)| format!("{} ({releases})", code(name)))
            .collect();
        words.join(", ")
    };
    if !before.is_empty() {
        lines.push(format!("Before: {}", names(&before)));
    }
    if !after.is_empty() {
        lines.push(format!("After: {}", names(&after)));
    }
    for variant in variants {
        let other = library_table(dialect.library).in_release(last_of(variant.releases));
        let guide = other.guide(variant.method)?;
        let written = format!(
            "{}{}",
            variant.method.name,
            method_signature(variant.method, &guide, None)
        );
        lines.push(format!(
            "{}: {}",
            capitalised_releases(&variant.releases),
            code(&written)
        ));
    }
    if let Some((library, name)) = elsewhere {
        lines.push(format!("{}: {}", code(library.crate_name()), code(name)));
    }
    Some(lines)
}

fn releases_in_words(releases: Releases) -> String {
    if releases == Releases::ALL {
        "all releases".to_owned()
    } else {
        releases.to_string()
    }
}

/// A release that is one of them.
fn last_of(releases: Releases) -> crate::libraries::Release {
    releases.until.unwrap_or(releases.since)
}

fn capitalised_releases(releases: &Releases) -> String {
    let words = releases.to_string();
    match words.strip_prefix("up to") {
        Some(rest) => format!("Up to{rest}"),
        None => words,
    }
}

//! What another release of the library has, or the other library: what it is called in the one that the crate is written for,
//! and the edits that write it so.
//!
//! Knows what the walk through a function could not take as the crate's own; which method asks for the same stage the
//! dialect says, and which names have become others the library. How edits are applied is the business of
//! the room `fixing`.

mod calls;
mod edits;
mod names;
mod passes;
mod tensors;

use crate::db::Db;
use crate::items::{Dialect, ItemId, Span, functions_of, is_inside};
use crate::kernel::dialect::{self, Receiver};
use crate::kernel::{Body, ForeignCall, ForeignCallee};
use crate::libraries::Library;
use crate::lowering::{body, body_as_meant};

use super::{Applicability, Checked, Edit, Finding, Fix, Level, Rule, rule, words};

pub(crate) static OTHER_RELEASE_API: Rule = Rule {
    level: Some(Level::Deny),
    ..rule!(
        "other_release_api",
        Toolchain,
        Library,
        "library",
        "a name or an argument list of another release, or of the other library",
        "Releases rename methods, types and variants, split one method into several, take other type arguments and \
         arguments, and drop addresses. A kernel that mixes them does not compile. The release is the crate's, whatever a \
         snippet was written for. Where the same stage is written otherwise in it, the finding says how, and a fix writes \
         it so. `visa-lint migrate --to RELEASE` applies these fixes to a whole crate and lists what is left to do by \
         hand. A fix whose result may mean something else, such as a transfer by another engine, is marked as one to look \
         at.";
        refused: Refusal::BY_LIBRARIES,
    )
};

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[&OTHER_RELEASE_API];

/// The rule looks at items, not at bodies as they are judged: see [`check_item`].
pub(super) fn check_other_release(_: &Checked<'_>, _: &mut Vec<Finding>) {}

/// What was found of how a call is written here.
struct Rewritten {
    edits: Vec<Edit>,
    /// What is written, in short.
    text: String,
    /// Whether it means what was meant in any case.
    sure: bool,
}

/// Calls and names of other releases in an item.
pub(super) fn check_item(db: &dyn Db, item: ItemId) -> Vec<Finding> {
    let mut findings = names::check_names(db, item);
    for function in functions_of(db, item) {
        if !has_foreign_calls(db, function) {
            continue;
        }
        let judged = body(db, function);
        let meant = body_as_meant(db, function);
        let rewriter = calls::Rewriter::new(db, function, &meant);
        // What follows in a plan goes with its beginning.
        let own = |call: &&ForeignCall| {
            is_inside(db, call.span, function)
                && !matches!(call.called, ForeignCallee::Method(method) if matches!(method.receiver, Receiver::Plan(_)))
        };
        for call in meant.foreign.iter().filter(own) {
            findings.push(to_finding(&judged, call, rewriter.rewrite_call(call)));
        }
    }
    let mut places: Vec<Span> = Vec::new();
    findings.retain(|finding| {
        let fresh = !places.contains(&finding.span);
        places.push(finding.span);
        fresh
    });
    findings
}

/// Whether a function calls something of another release. Most do not, and what they call otherwise is no business of this rule: a
/// query of its own keeps edits of them from re-running it.
#[salsa::tracked]
fn has_foreign_calls(db: &dyn Db, function: ItemId) -> bool {
    !body(db, function).foreign.is_empty()
}

fn to_finding(body: &Body, call: &ForeignCall, rewritten: Result<Rewritten, String>) -> Finding {
    let finding = Finding::new(
        &OTHER_RELEASE_API,
        call.span,
        foreign_call_message(body.dialect, call, body),
    );
    match rewritten {
        Ok(Rewritten { edits, text, sure }) => {
            let mut finding = finding.note(format!("here it is written `{text}`"));
            let applicability = if sure {
                Applicability::Machine
            } else {
                Applicability::Maybe
            };
            if !edits.is_empty() {
                finding.fixes.push(Fix {
                    title: words::capitalised_text(&format!("write `{text}`")),
                    applicability,
                    edits,
                    cost: None,
                });
            }
            finding
        }
        Err(reason) => finding.help(reason),
    }
}

/// Who has what is called, and what this is written for.
fn foreign_call_message(own: Dialect, call: &ForeignCall, body: &Body) -> String {
    let (name, kind, releases) = match call.called {
        ForeignCallee::Method(method) => {
            let table = dialect::dialect_in_release(own);
            let twin = table.methods(method.name).find(|twin| {
                std::mem::discriminant(&twin.receiver) == std::mem::discriminant(&method.receiver)
            });
            let shape = twin.map_or_else(|| method.name.to_owned(), |twin| method.told_apart(twin));
            (shape, "a method", method.releases)
        }
        ForeignCallee::Function(function, _) => (
            function.name.to_owned(),
            "a function",
            Some(function.releases),
        ),
    };
    let release = body.dialect.release;
    match releases {
        Some(releases) if call.library == own.library && !releases.contain(release) => {
            format!("`{name}` is {kind} of release {releases}; this crate is written for {release}")
        }
        _ if call.library == own.library => {
            format!("`{name}` is not offered there in release {release}")
        }
        _ => other_library(&name, kind, call.library, own),
    }
}

fn other_library(name: &str, kind: &str, library: Library, own: Dialect) -> String {
    format!(
        "`{name}` is {kind} of `{}`; this crate is written for `{}` {}",
        library.crate_name(),
        own.library.crate_name(),
        own.release
    )
}

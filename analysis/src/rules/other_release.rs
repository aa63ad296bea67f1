//! Methods of another release, or of the other library: what they are called in the one that the kernel is written for.
//!
//! Knows what the walk through a function could not resolve; which method asks for the same stage, the dialect says.

use crate::items::Dialect;
use crate::kernel::catalogue::CanonicalStage;
use crate::kernel::dialect::{self, Method};
use crate::kernel::{Body, Unresolved, UnresolvedReason};

use super::{Applicability, Checked, Finding, Rule, rule};

pub(in crate::rules) static OTHER_RELEASE_API: Rule = rule!(
    "other_release_api",
    Toolchain,
    Library,
    "library",
    "a method of another release, or of the other library",
    "Releases rename methods, split one into several and drop others; a kernel that mixes them does not compile. The release is the \
     crate's, whatever a snippet was written for. Where the same stage has another name in it, the finding says which; what else \
     differs, type arguments and arguments, is on the page about releases.";
    refused: Refusal::BY_LIBRARIES,
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[&OTHER_RELEASE_API];

/// Turns methods that only others have into findings.
pub(super) fn check(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let places = checked.body.unresolved.iter();
    findings.extend(places.filter_map(|place| to_finding(checked.body, place)));
}

fn to_finding(body: &Body, place: &Unresolved) -> Option<Finding> {
    let own = body.library();
    let (name, message, other) = match &place.reason {
        UnresolvedReason::OtherRelease {
            method, releases, ..
        } => {
            let message = format!(
                "`{method}` is a method of release {releases}; this crate is written for {}",
                body.dialect.release
            );
            (method, message, own.methods_of_any_release(method).next())
        }
        UnresolvedReason::OtherLibrary {
            method, library, ..
        } => {
            let other = dialect::of(Dialect::newest(*library));
            let message = format!(
                "`{method}` is a method of `{}`; this crate is written for `{}` {}",
                library.crate_name(),
                body.dialect.library.crate_name(),
                body.dialect.release
            );
            (method, message, other.methods(method).next())
        }
        _ => return None,
    };
    let finding = Finding::new(&OTHER_RELEASE_API, place.span, message);
    Some(match other.and_then(|other| successor(body, other)) {
        Some((stage, method)) if method.name != name => {
            let renamed = other.is_some_and(|other| is_rename(other, method));
            let text = own.write_method(stage, &[]);
            let finding = finding.note(format!("the same stage is `{text}` here"));
            if renamed {
                finding.fix(
                    Applicability::Maybe,
                    format!("Call `{text}`"),
                    place.span,
                    text,
                )
            } else {
                finding
            }
        }
        _ => finding,
    })
}

/// The method of the body's release for the stage that a method of another one asks for.
fn successor(body: &Body, other: &Method) -> Option<(CanonicalStage, &'static Method)> {
    let stage = other.stage()?;
    Some((stage, body.library().method_of(stage)?))
}

/// Whether two methods differ by their names alone.
fn is_rename(one: &Method, other: &Method) -> bool {
    let roles = |method: &Method| {
        let arguments = method.arguments.iter();
        arguments.map(|argument| argument.role).collect::<Vec<_>>()
    };
    one.generics == other.generics && roles(one) == roles(other)
}

//! Text that is no Python, and members that enumerations do not have.

use super::edits::replace_edit;
use super::{Context, Found, edits};
use visa_findings::{Applicability, Finding, Group, Rule, rule};

/// See the declaration.
pub static SYNTAX: Rule = rule!(
    Nki: "nki_syntax", Mapping, "derived",
    "the text is not valid Python",
    "What does not parse is not looked at, so that a transfer there goes unchecked. The rest of the file is still \
     checked. A text that nests its operators too deeply to be read safely is not checked at all, and the finding \
     says so."
);

/// See the declaration.
pub static UNKNOWN_MEMBER: Rule = rule!(
    Nki: "nki_unknown_member", Mapping, "DGE Modes",
    "`dge_mode`, `engine` or `oob_mode` has no such member",
    "The modes are `unknown`, `none`, `swdge` and `hwdge`. Python looks the member up when the kernel is traced, \
     and fails there. Write one of the members that the release has; the nearest is proposed.",
    fix
);

/// Looks at the file.
pub fn check_syntax(context: &Context<'_>, found: &mut Vec<Found>) {
    for error in context.errors {
        let mut finding = Finding::new(&SYNTAX, error.span.into(), error.message.clone());
        if !error.is_proven {
            finding.group = Some(Group::Suspicious);
        }
        found.push(finding);
    }
    for unknown in &context.followed.unknown_members {
        let written = unknown.span.text_in(context.text);
        let enumeration = unknown.enumeration;
        let members: Vec<String> = enumeration
            .members
            .iter()
            .map(|member| format!("`{member}`"))
            .collect();
        let message = format!(
            "`{}` has no member `{written}`: there are {}",
            enumeration.name,
            edits::words_list(&members)
        );
        let mut near: Vec<(usize, &str)> = enumeration
            .members
            .iter()
            .map(|member| (strsim::damerau_levenshtein(written, member), *member))
            .collect();
        near.sort_unstable();
        let mut finding = Finding::new(&UNKNOWN_MEMBER, unknown.span.into(), message);
        if let Some((distance, member)) = near.first().copied() {
            let is_alone = near.get(1).is_none_or(|(other, _)| *other > distance);
            let applicability = if distance <= 2 && is_alone {
                Applicability::Machine
            } else {
                Applicability::Maybe
            };
            finding.fixes.push(edits::fix_of_edits(
                applicability,
                format!("Write `{member}`"),
                vec![replace_edit(unknown.span, member)],
            ));
        }
        found.push(finding);
    }
}

//! What a help states of mappings: repairs of several places in one sentence.

use super::wording::propose_mappings;
use super::{Alternative, Applicability, Edit, Finding};
use crate::items::Span;
use crate::mapping::Mapping;

/// Several mappings in the words of a template, each at the `{}` of its turn. Nothing where one is written nowhere: its
/// place is then the method's name.
pub(super) fn mappings_alternative(
    template: &str,
    method: Span,
    replacements: &[(Span, &Mapping)],
) -> Option<Alternative> {
    if replacements.is_empty() || replacements.iter().any(|(place, _)| *place == method) {
        return None;
    }
    let mut text = template.to_owned();
    let mut edits = Vec::new();
    for (place, mapping) in replacements {
        let edit = Edit::new(*place, *mapping);
        text = text.replacen("{}", &format!("`{}`", edit.text), 1);
        edits.push(edit);
    }
    Some(Alternative { text, edits })
}

/// Repairs of mappings, stated and proposed by a finding.
pub(super) trait SuggestMappings {
    /// States one repair of mappings, and proposes it.
    fn suggest(
        self,
        words: (&'static str, &str),
        applicability: Applicability,
        method: Span,
        replacements: &[(Span, &Mapping)],
    ) -> Self;
}

impl SuggestMappings for Finding {
    fn suggest(
        self,
        (lead, template): (&'static str, &str),
        applicability: Applicability,
        method: Span,
        replacements: &[(Span, &Mapping)],
    ) -> Self {
        let stated = mappings_alternative(template, method, replacements);
        let finding = self.alternatives(lead, stated);
        propose_mappings(finding, applicability, method, replacements)
    }
}

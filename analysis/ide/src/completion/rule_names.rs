//! Names of rules, where a finding is allowed: in `#[allow(tcp::…)]` and in comments.

use crate::catalogue::{all_rules, url};
use crate::db::Db;
use crate::findings::Group;
use crate::inputs::SourceFile;
use crate::language::Language;
use crate::libraries::TOOLS;
use crate::rules::RuleTexts as _;
use crate::{ByteRange, Completion, CompletionKind};

use super::context::{Around, Bracket};
use super::word_proposal;

/// Proposals behind `tcp::` in an attribute that allows or expects.
pub(super) fn in_attribute(around: &Around) -> Option<Vec<Completion>> {
    let owner = around.path_owner()?;
    if !TOOLS.contains(&owner) {
        return None;
    }
    let opener = around
        .openers
        .iter()
        .find(|opener| opener.bracket == Bracket::Round)?;
    matches!(around.text(opener.index + 1), "allow" | "expect").then(|| rule_completions(around))
}

/// Proposals in a comment `// visa-lint: allow(…)`.
pub(super) fn in_comment(around: &Around) -> Option<Vec<Completion>> {
    let comment = around.comment.as_ref()?;
    if ["///", "//!", "/**", "/*!"]
        .iter()
        .any(|mark| comment.text().starts_with(mark))
    {
        // Documentation says what it likes and allows nothing.
        return None;
    }
    let start = around.start_of(comment);
    let length = around.offset.checked_sub(start)? as usize;
    let replace = name_before(comment.text().get(..length)?, around.offset)?;
    let mut found = rule_completions(around);
    for proposed in &mut found {
        proposed.replace = replace;
    }
    Some(found)
}

/// Proposals in the comment to the end of a line that the offset of a text is in; none in Rust, whose comments are tokens.
pub(crate) fn in_text(db: &dyn Db, file: SourceFile, offset: u32) -> Option<Vec<Completion>> {
    let (text, language) = (file.text(db), file.language(db));
    if language == Language::Rust {
        return None;
    }
    let line = text.get(..offset as usize)?.rsplit('\n').next()?;
    let (_, comment) = line.split_once(language.comment())?;
    let replace = name_before(comment, offset)?;
    let own = all_rules().filter(|rule| rule.looks_at(language));
    let proposals = own.map(|rule| Completion {
        label: rule.name.to_owned(),
        kind: CompletionKind::Keyword,
        detail: Some(rule.summary().into_owned()),
        documentation: url(rule.name).map(|url| format!("[{}]({url})", rule.name)),
        replace,
        insert: rule.name.to_owned(),
        snippet: false,
        rank: group_rank(rule.group),
    });
    let mut found: Vec<Completion> = proposals.collect();
    found.sort_by(|one, other| (one.rank, &one.label).cmp(&(other.rank, &other.label)));
    Some(found)
}

/// The bytes of the name that is being written before an offset, by the comment before it, if names of rules are written there.
fn name_before(left: &str, offset: u32) -> Option<ByteRange> {
    let (before, names) = left.rsplit_once('(')?;
    let words = before.split_once("visa-lint:")?.1.trim();
    if words != "allow" || names.contains(')') {
        return None;
    }
    let word_start = names
        .rfind(|character: char| !character.is_ascii_alphanumeric() && character != '_')
        .map_or(0, |at| at + 1);
    let word = u32::try_from(names.len().saturating_sub(word_start)).ok()?;
    Some(ByteRange {
        start: offset.checked_sub(word)?,
        end: offset,
    })
}

fn rule_completions(around: &Around) -> Vec<Completion> {
    let rules = all_rules()
        .filter(|rule| rule.looks_at(Language::Rust))
        .map(|rule| {
            let mut found = word_proposal(
                around,
                rule.name,
                CompletionKind::Keyword,
                group_rank(rule.group),
            );
            found.detail = Some(rule.summary().into_owned());
            found.documentation = url(rule.name).map(|url| format!("[{}]({url})", rule.name));
            found
        });
    rules.collect()
}

/// What is more often allowed comes first.
const fn group_rank(group: Group) -> u32 {
    match group {
        Group::Performance | Group::Style => 0,
        _ => 10,
    }
}

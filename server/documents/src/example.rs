//! The two kernels of a rule as its page shows them: written for the release that is asked for, where they can be.
//!
//! A rule has its kernels for one release, or for two. Another release's are made of them by the program's own migration, and shown
//! only where they show the same: the wrong one has the rule's finding there, the right one has none. Else the page shows the
//! kernels as they are, and names their release.

use similar::{ChangeTag, TextDiff};
use visa_analysis::{
    Diagnostic, Dialect, Example, Fixable, Language, Level, Library, Release, Rule, RuleTexts as _,
    Workspace, apply_fixes, migrate_all, migration_rule, rules_that_are_on, without_dialect_line,
};

use crate::project::settings::Dialect as Asked;

/// The rule that says of whole files that they are for another release: a kernel that is being rewritten is one.
const WHOLE_FILES: &str = "library_version_mismatch";

/// Both kernels of a rule, without the markers of fixtures.
pub(super) struct Shown {
    pub(super) wrong: Kernel,
    pub(super) right: Kernel,
    /// What the rule finds in the wrong one, with helps and fixes completed.
    pub(super) findings: Vec<Diagnostic>,
}

/// A kernel.
pub(super) struct Kernel {
    /// What it is written for; `None` in other languages than Rust.
    pub(super) dialect: Option<Dialect>,
    pub text: String,
}

/// The kernels of a rule for the release that is asked for; where nothing is, for the newest in which the rule holds.
pub(super) fn shown_example(rule: &Rule, asked: Asked) -> Shown {
    let own = Pair::of(Example {
        wrong: rule.wrong,
        right: rule.right,
    });
    if rule.example_language() != Language::Rust {
        return own.into_shown(rule, false);
    }
    let library = asked.library.unwrap_or(Library::OptStd);
    let current = rule.example_for(Library::OptStd).map(Pair::of);
    let mut pairs: Vec<Pair> = std::iter::once(own).chain(current).collect();
    // What is nearest to the library that is asked for needs the least rewriting.
    pairs.sort_by_key(|pair| pair.wrong.0.library != library);
    if let Some(target) = target_release(rule, library, asked.release)
        && let Some(shown) = pairs.iter().find_map(|pair| pair.shown_in(rule, target))
    {
        return shown;
    }
    pairs.swap_remove(0).into_shown(rule, true)
}

/// The release of a library that a page is about: the one that is asked for, else the newest in which the rule holds. `None` where
/// it holds in none.
fn target_release(rule: &Rule, library: Library, asked: Option<Release>) -> Option<Dialect> {
    let releases = rule.holds.releases(library)?;
    let newest = library.releases().iter().rev().copied();
    let mut held = newest.filter(|release| releases.contain(*release));
    let asked = asked.map(|release| library.nearest(release));
    let release = asked.filter(|release| releases.contain(*release));
    Some(Dialect {
        library,
        release: release.or_else(|| held.next())?,
    })
}

/// A wrong and a right kernel, each with what it is written for.
struct Pair {
    wrong: (Dialect, String),
    right: (Dialect, String),
}

impl Pair {
    fn of(example: Example) -> Self {
        let kernel = |kernel| {
            let text = without_markers(without_dialect_line(kernel));
            (Example::dialect(kernel), text)
        };
        Self {
            wrong: kernel(example.wrong),
            right: kernel(example.right),
        }
    }

    /// What a rule finds in the wrong kernel, which is written for a release or in a language without any.
    fn findings(&self, rule: &Rule, has_release: bool) -> Vec<Diagnostic> {
        let (dialect, text) = &self.wrong;
        let mut found = example_workspace(rule, text, has_release.then_some(*dialect))
            .analysis()
            .check_file_completed(&kernel_path(rule))
            .diagnostics;
        found.retain(|found| found.rule == rule.name);
        found
    }

    /// The pair as it is.
    fn into_shown(self, rule: &Rule, has_release: bool) -> Shown {
        let findings = self.findings(rule, has_release);
        let kernel = |(dialect, text)| Kernel {
            dialect: has_release.then_some(dialect),
            text,
        };
        Shown {
            wrong: kernel(self.wrong),
            right: kernel(self.right),
            findings,
        }
    }

    /// The pair in another release; `None` where it does not show the rule there.
    fn shown_in(&self, rule: &Rule, target: Dialect) -> Option<Shown> {
        let pair = Self {
            wrong: (target, rewritten_kernel(rule, &self.wrong.1, target)),
            right: (target, rewritten_kernel(rule, &self.right.1, target)),
        };
        let shows =
            is_right(rule, &pair.right.1, target) && is_written_for(rule, &pair.wrong.1, target);
        let before = self.findings(rule, true);
        let shown = pair.into_shown(rule, true);
        // A rule that needs settings finds nothing in either.
        (shows && shown.findings.is_empty() == before.is_empty()).then_some(shown)
    }
}

/// A kernel rewritten for a release.
fn rewritten_kernel(rule: &Rule, kernel: &str, target: Dialect) -> String {
    let path = kernel_path(rule);
    let mut workspace = example_workspace(rule, kernel, Some(target));
    let on = rules_that_are_on(|rule, _| rule.name != WHOLE_FILES);
    workspace.set_enabled_rules(on, [(path.as_str(), on)]);
    migrate_all(&mut workspace);
    let tools = workspace.analysis().tool_fixes(&path);
    let changed = apply_fixes(&workspace.texts(), &tools).texts;
    let text = changed.get(path.as_str()).cloned();
    let text = text.or_else(|| workspace.texts().get(path.as_str()).cloned());
    text.map_or_else(|| kernel.to_owned(), |text| text.to_string())
}

/// Whether a kernel says nothing of another release than its own; of the rule about that itself nothing is asked.
fn is_written_for(rule: &Rule, kernel: &str, target: Dialect) -> bool {
    let foreign = [migration_rule(), WHOLE_FILES];
    if foreign.contains(&rule.name) {
        return true;
    }
    let report = example_workspace(rule, kernel, Some(target))
        .analysis()
        .check_file(&kernel_path(rule));
    let mut found = report.diagnostics.iter();
    !found.any(|found| foreign.contains(&found.rule))
}

/// Whether a kernel has no finding of a rule and no error, and is followed to its end.
fn is_right(rule: &Rule, kernel: &str, target: Dialect) -> bool {
    let report = example_workspace(rule, kernel, Some(target))
        .analysis()
        .check_file(&kernel_path(rule));
    let mut found = report.diagnostics.iter();
    let refused = found.any(|found| {
        found.rule == rule.name
            || found.rule == migration_rule()
            || found.default_level == Level::Deny
    });
    !refused && report.operations.unresolved == 0
}

fn example_workspace(rule: &Rule, kernel: &str, dialect: Option<Dialect>) -> Workspace {
    let mut workspace = Workspace::new();
    if let Some(dialect) = dialect {
        workspace.set_dialect(dialect);
    }
    workspace.set_file(&kernel_path(rule), kernel);
    workspace
}

/// The path that a page's kernel is checked under.
fn kernel_path(rule: &Rule) -> String {
    format!("kernel.{}", rule.example_language().ending())
}

/// A fixture without the markers that name its findings.
fn without_markers(kernel: &str) -> String {
    let mut text = String::with_capacity(kernel.len());
    for line in kernel.lines() {
        let mark = ["//~", "#~"].into_iter().find(|mark| line.contains(mark));
        let kept = mark
            .and_then(|mark| line.split(mark).next())
            .unwrap_or(line);
        let kept = kept.trim_end();
        if kept.is_empty() && mark.is_some() {
            continue;
        }
        text.push_str(kept);
        text.push('\n');
    }
    text
}

/// What turns the wrong kernel into the right one.
pub(super) struct Changes {
    /// The numbers of the lines of the wrong kernel that are not in the right one, from 0.
    pub(super) removed: Vec<usize>,
    /// The numbers of the lines of the right kernel that are not in the wrong one, from 0.
    pub(super) added: Vec<usize>,
    /// The same as a diff without context, a blank line between two places.
    pub(super) diff: String,
}

/// The lines in which two kernels differ. Their titles, which say what each of them shows, do not count.
pub(super) fn differing_lines(wrong: &str, right: &str) -> Changes {
    let mut changes = Changes {
        removed: Vec::new(),
        added: Vec::new(),
        diff: String::new(),
    };
    let diff = TextDiff::from_lines(wrong, right);
    let mut was_equal = false;
    for change in diff.iter_all_changes() {
        let line = change.value().trim_end();
        let (sign, numbers, number) = match change.tag() {
            ChangeTag::Equal => {
                was_equal = true;
                continue;
            }
            ChangeTag::Delete => ('-', &mut changes.removed, change.old_index()),
            ChangeTag::Insert => ('+', &mut changes.added, change.new_index()),
        };
        if line.starts_with("//!") {
            continue;
        }
        numbers.extend(number);
        if was_equal && !changes.diff.is_empty() {
            changes.diff.push('\n');
        }
        was_equal = false;
        changes.diff.push(sign);
        changes.diff.push_str(line);
        changes.diff.push('\n');
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::differing_lines;

    #[test]
    fn changed_lines_are_those_of_either_kernel_without_the_titles() {
        let wrong = "//! Wrong.\na\nb\nc\nd\n";
        let right = "//! Right.\na\nB\nc\nd\ne\n";
        let found = differing_lines(wrong, right);
        assert_eq!(found.removed, [2]);
        assert_eq!(found.added, [2, 5]);
        assert_eq!(found.diff, "-b\n+B\n\n+e\n");
        assert_eq!(differing_lines(wrong, wrong).diff, "");
    }
}

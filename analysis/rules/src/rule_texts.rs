//! The texts of a rule with the names of a library filled in, and its kernels for a library.
//!
//! A rule is declared without names: the contract knows no library.

use std::borrow::Cow;

use super::Rule;
use super::examples::{Example, current_example};
use crate::items::Dialect;
use crate::kernel::dialect::dialect_in_release;
use crate::libraries::Library;

/// The texts and kernels of a rule as a reader sees them.
pub trait RuleTexts {
    /// One line: what the rule reports, in the words of the book's library, as its kernels are.
    fn summary(&self) -> Cow<'static, str>;

    /// A paragraph: the mechanism in the machine, what goes wrong, what to do; in the words of the book's library.
    fn why(&self) -> Cow<'static, str>;

    /// The rule's kernels for a library, if it has any.
    fn example_for(&self, library: Library) -> Option<Example>;

    /// The rule's kernels for a library, else those that it has.
    fn example(&self, library: Library) -> Example;
}

impl RuleTexts for Rule {
    fn summary(&self) -> Cow<'static, str> {
        filled(self, self.summary_template)
    }

    fn why(&self) -> Cow<'static, str> {
        filled(self, self.why_template)
    }

    fn example_for(&self, library: Library) -> Option<Example> {
        let own = declared(self);
        if Example::dialect(own.wrong).library == library {
            return Some(own);
        }
        let of_current = library == Library::OptStd;
        of_current.then(|| current_example(self.name)).flatten()
    }

    fn example(&self, library: Library) -> Example {
        self.example_for(library).unwrap_or(declared(self))
    }
}

/// The kernels of the declaration.
fn declared(rule: &Rule) -> Example {
    Example {
        wrong: rule.wrong,
        right: rule.right,
    }
}

fn filled(rule: &Rule, text: &'static str) -> Cow<'static, str> {
    // Other languages have no names to be filled in.
    if rule.example_language().has_front_end() {
        return Cow::Borrowed(text);
    }
    dialect_in_release(Dialect::default()).fill_names(text)
}

//! What a rule reports: words, places, alternatives and fixes, before levels and suppressions.
//!
//! A place is a span of an item's normalised text, in kernels in Rust, or a [`TextSpan`] of a file's text, in all other languages.

use std::convert::Infallible;

use borsh::{BorshDeserialize, BorshSerialize};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Alternative, Alternatives, Cause, Confirmer, CostChange, Edit, Group, IntoReplacement, Level,
    Rule, words,
};
use visa_base::numbers::grouped;
use visa_libraries::Dialect;
use visa_libraries::Library;

/// Bytes of the text of the file that a finding is about, its byte-order mark included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextSpan {
    /// The first byte.
    pub start: u32,
    /// After the last byte.
    pub end: u32,
}

impl TextSpan {
    /// The bytes from one to another, the end excluded.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The same bytes in a text that has some more before them.
    pub const fn shifted_span(self, by: u32) -> Self {
        Self {
            start: self.start.saturating_add(by),
            end: self.end.saturating_add(by),
        }
    }
}

impl From<std::ops::Range<u32>> for TextSpan {
    fn from(bytes: std::ops::Range<u32>) -> Self {
        Self::new(bytes.start, bytes.end)
    }
}

/// Whether a fix may be applied without looking.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema, BorshSerialize, BorshDeserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Applicability {
    /// Keeps the meaning or is the only reading; `--fix` may apply it.
    Machine,
    /// A proposal that a person should look at.
    Maybe,
}

/// A code action that mends a finding.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fix<P, V = Infallible> {
    /// What it does, as a menu entry.
    pub title: String,
    /// Whether it may be applied without looking.
    pub applicability: Applicability,
    /// Its replacements.
    pub edits: Vec<Edit<P, V>>,
    /// What it does to the cycles of the function, once it is completed; `None` where that is not known.
    pub cost: Option<CostChange>,
}

/// The other end of a finding: a declaration, the first tensor of an overlap, the earlier use of an ALU.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Related<P> {
    /// What is there.
    pub message: String,
    /// Where.
    pub span: P,
}

/// A finding, before levels and suppression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Finding<P, V = Infallible> {
    /// The rule.
    pub rule: &'static Rule,
    /// The numbers compared and the mechanism in one clause.
    pub message: String,
    /// The smallest span that carries the fault.
    pub span: P,
    /// Further facts: the derived configuration, the chain of uses.
    pub notes: Vec<String>,
    /// What to do, where no alternative says it.
    pub help: Option<String>,
    /// The legal alternatives.
    pub alternatives: Option<Alternatives<P, V>>,
    /// The other ends.
    pub related: Vec<Related<P>>,
    /// Code actions.
    pub fixes: Vec<Fix<P, V>>,
    /// Another group than the rule's own, where the same fact weighs less (fragments that no kernel reaches).
    pub group: Option<Group>,
    /// What the change that the finding proposes would save.
    pub saving: Option<Saving>,
    /// What it comes from, where other findings may come from the same.
    pub cause: Option<Cause>,
    /// Who finds it, where that is another than finds the rest of the rule.
    pub confirmer: Option<Confirmer>,
}

/// Cycles as predicted before and after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Saving {
    /// Cycles of the operation as it is.
    pub operation_before: u64,
    /// Cycles of the operation after the change.
    pub operation_after: u64,
    /// Cycles of the whole kernel as it is and after the change; `None` where the kernel has no total.
    pub kernel: Option<(u64, u64)>,
    /// Whether the change itself was simulated. Else what a proposal in words would lead to was not tried: the cycles order
    /// proposals, and are promised to no one.
    pub simulated: bool,
}

impl Saving {
    /// The same for a change that is given in words, and that no text was tried for.
    pub const fn as_estimate(self) -> Self {
        Self {
            simulated: false,
            ..self
        }
    }

    /// Cycles that the kernel saves, if its total is known.
    pub fn of_kernel(&self) -> Option<u64> {
        let (before, after) = self.kernel?;
        Some(before.saturating_sub(after))
    }

    /// Cycles that the kernel saves; without a total, the operation.
    pub fn cycles(&self) -> u64 {
        let (before, after) = self
            .kernel
            .unwrap_or((self.operation_before, self.operation_after));
        before.saturating_sub(after)
    }
}

impl<P, V> Finding<P, V> {
    /// A finding with its message and place; the rest is added by the methods below.
    pub fn new(rule: &'static Rule, span: P, message: impl Into<String>) -> Self {
        Self {
            rule,
            message: grouped(message.into()),
            span,
            notes: Vec::new(),
            help: None,
            alternatives: None,
            related: Vec::new(),
            fixes: Vec::new(),
            group: None,
            saving: None,
            cause: None,
            confirmer: None,
        }
    }

    /// The level at which it is taken where no setting says otherwise.
    pub fn level(&self) -> Level {
        match self.group {
            Some(group) => group.default_level(),
            None => self.rule.default_level(),
        }
    }

    /// Sets what it comes from: of the findings of one cause a report shows the first.
    pub fn caused_by(mut self, cause: Cause) -> Self {
        self.cause = Some(cause);
        self
    }

    /// Sets that the vendor's compiler finds it, though the library's own code finds the rest of the rule.
    pub fn found_by_compiler(mut self) -> Self {
        self.confirmer = Some(Confirmer::Compiler);
        self
    }

    /// Sets that no program finds it, though the library's own code finds the rest of the rule.
    pub fn found_by_nobody(mut self) -> Self {
        self.confirmer = Some(Confirmer::Model);
        self
    }

    /// Sets that no program finds it in kernels for the successor of the book's library, whose own code finds the rest of the rule. What the
    /// book's library says of it is as for the rule.
    pub fn accepted_by_successor(self, dialect: Dialect) -> Self {
        match dialect.library {
            Library::OptStd => self.found_by_nobody(),
            Library::VisaStd => self,
        }
    }

    /// Sets what the proposed change would save.
    pub fn saves(mut self, saving: Saving) -> Self {
        self.saving = Some(saving);
        self
    }

    /// Adds a note.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(grouped(note.into()));
        self
    }

    /// Sets what is said where no alternative is: words without a text to write.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(grouped(help.into()));
        self
    }

    /// Adds a related place.
    pub fn related(mut self, span: P, message: impl Into<String>) -> Self {
        self.related.push(Related {
            message: grouped(message.into()),
            span,
        });
        self
    }

    /// Adds a fix that replaces one span.
    pub fn fix(
        mut self,
        applicability: Applicability,
        title: impl Into<String>,
        span: P,
        with: impl IntoReplacement<V>,
    ) -> Self {
        self.fixes.push(Fix {
            title: words::capitalised_text(&title.into()),
            applicability,
            edits: vec![Edit::new(span, with)],
            cost: None,
        });
        self
    }

    /// The same with all places replaced: those of a function's text by those of the file that holds it.
    pub fn map_places<Q>(self, mut place: impl FnMut(P) -> Q) -> Finding<Q, V> {
        let mut edits = |edits: Vec<Edit<P, V>>| -> Vec<Edit<Q, V>> {
            let placed = edits.into_iter().map(|edit| edit.map_place(&mut place));
            placed.collect()
        };
        let fixes = self.fixes.into_iter().map(|fix| Fix {
            title: fix.title,
            applicability: fix.applicability,
            edits: edits(fix.edits),
            cost: fix.cost,
        });
        let fixes = fixes.collect();
        let alternatives = self.alternatives.map(|stated| Alternatives {
            lead: stated.lead,
            list: (stated.list.into_iter())
                .map(|stated| Alternative {
                    text: stated.text,
                    edits: edits(stated.edits),
                })
                .collect(),
        });
        let related = self.related.into_iter().map(|related| Related {
            message: related.message,
            span: place(related.span),
        });
        let related = related.collect();
        Finding {
            rule: self.rule,
            message: self.message,
            span: place(self.span),
            notes: self.notes,
            help: self.help,
            alternatives,
            related,
            fixes,
            group: self.group,
            saving: self.saving,
            cause: self.cause,
            confirmer: self.confirmer,
        }
    }
}

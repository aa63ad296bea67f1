//! Changes: what they are, where they are tried, and what comes of them.
//!
//! A change is typed edits of a body, or new texts of files. It is tried in a sandbox: a body whose values are written and taken
//! back ([`body`]), or a copy of the project with all of its settings ([`project`]). What comes of it is an outlook: findings that
//! it brings and mends, operations that are not understood any more, the tensors that kernels take and give. Fixes are judged and
//! completed here, and so are repairs of mappings in the functions that hold them. The room asks rules and derivations of bodies.
//! Queries of functions and files stand behind it, and their callers ask a sandbox by them: `--fix`, the search of remedies,
//! rename, migration.

mod body;
mod closed;
mod derived;
mod fix_completion;
mod mappings;
mod outlook;
mod padded_tensors;
mod project;
mod reach;
mod tensors;
mod texts;
pub(crate) mod values;

pub(crate) use self::closed::{judged_findings, proposed_findings};
pub use self::fix_completion::{
    Seed, breaks_nothing, complete_each, complete_one, complete_together, completed_change,
};
pub(crate) use self::mappings::{is_tried, keep_what_holds, state_fixes};
pub use self::outlook::Outlook;
pub use self::outlook::{Breakage, CountKey, Counts, FindingKey, counts_from, finding_key};
pub use self::project::{ProjectCopy, Sandbox};
pub(crate) use self::tensors::{TensorType, is_kept_for_itself, outside_tensors};
pub(crate) use self::texts::fits;
pub use self::texts::{Application, Texts, apply_fixes, with_line_breaks_of};

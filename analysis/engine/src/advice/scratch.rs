//! A copy of a project in which candidates are tried: changed texts, asked as any other text is.
//!
//! What comes of a candidate is what the engine says of the changed files, by the same queries that check and cost the author's
//! own. So what is promised is what is found once the candidate is applied, to the cycle.

use std::sync::Arc;

use crate::changes::{
    Outlook, ProjectCopy, Sandbox, TensorType, Texts, apply_fixes, outside_tensors,
};
use crate::check::{
    file_report, files_by_reach, function_derivation, function_simulation, function_simulation_by,
    reachable_from,
};
use crate::db::{AnalysisDatabase, Db};
use crate::hardware::Model;
use crate::inputs::{Project, SourceFile};
use crate::items::ItemId;
use crate::items::functions_of_file;
use crate::lowering::body;
use crate::report::DiagnosticFix;
use crate::rules::{Group, Level as Severity, own_rules_where};
use crate::simulation::total_bounds;

use super::{Concerns, Placed};

/// Files that are asked about an edit outside of a kernel, at most. What concerns more of them is not tried.
const FILES: usize = 64;

/// A copy of the files around a kernel.
pub(super) struct Scratch {
    sandbox: Sandbox,
    file: SourceFile,
}

/// What the author's texts, or changed ones, make of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    /// Cycles by the model that is chosen.
    pub(super) total: u64,
    /// The fewest and the most that are likely; `None` by the book.
    pub(super) bounds: Option<(u64, u64)>,
    /// What it is given, what it stores in HBM for others in this order, and what it returns.
    outside: Vec<TensorType>,
}

impl State {
    /// Whether the kernel takes and gives the same tensors, mapped alike.
    pub(super) fn gives_what(&self, other: &Self) -> bool {
        self.outside == other.outside
    }
}

/// What the kernels of a file depend on, as plain data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Copied {
    /// The file of the kernels.
    file: Arc<str>,
    project: ProjectCopy,
}

impl Copied {
    /// What the kernels of a file depend on. `None` for a block of another text, and without a project.
    pub(super) fn of(db: &dyn Db, file: SourceFile) -> Option<Self> {
        if file.origin(db).is_some() {
            return None;
        }
        let groups = files_by_reach(db, Project::try_get(db)?);
        let files = groups.get(&reachable_from(db, file))?;
        let project = ProjectCopy::new(db, |file| {
            file.origin(db).is_none() && files.contains(&file)
        })?;
        Some(Self {
            file: file.path(db),
            project,
        })
    }
}

impl Scratch {
    /// A copy for the kernels of a file, with every rule on.
    pub(super) fn of(copied: &Copied) -> Option<Self> {
        let sandbox = Sandbox::new(&copied.project);
        let file = sandbox.file(&copied.file)?;
        let mut scratch = Self { sandbox, file };
        scratch.enable(|_| true);
        Some(scratch)
    }

    /// Turns on the rules of some groups and all others off.
    pub(super) fn enable(&mut self, wanted: impl Fn(Group) -> bool) {
        let rules = own_rules_where(|_, group| wanted(group));
        self.sandbox.enable(rules);
    }

    /// The copy itself, for the search for candidates in it.
    pub(super) const fn db(&self) -> &AnalysisDatabase {
        self.sandbox.db()
    }

    /// The author's texts.
    pub(super) const fn original(&self) -> &Texts {
        self.sandbox.original()
    }

    /// Applies a change to some texts. `None` where it does not fit or changes nothing.
    pub(super) fn applied(texts: &Texts, fix: &DiagnosticFix) -> Option<Texts> {
        let application = apply_fixes(texts, [fix]);
        (!application.applied.is_empty()).then_some(application.texts)
    }

    /// Makes the copy hold these changes of the author's texts and no others.
    pub(super) fn set(&mut self, changed: Texts) {
        self.sandbox.set(changed);
    }

    /// The changed texts that it holds.
    pub(super) const fn changed(&self) -> &Texts {
        self.sandbox.changed()
    }

    /// The cycles of all kernels of some files but one, in the order of files and kernels; none where they are not known.
    pub(super) fn others(&self, own: ItemId, files: &[Arc<str>]) -> Vec<Option<u64>> {
        let db = self.db();
        let files = files.iter().filter_map(|path| db.file(path));
        let all = files.flat_map(|file| functions_of_file(db, file));
        let kernels = all.filter(|one| *one != own && body(db, *one).device.is_some());
        kernels
            .map(|kernel| function_simulation(db, kernel).total())
            .collect()
    }

    /// The kernel of a name in the file: the one of that number among its functions.
    pub(super) fn function(&self, number: usize, name: &str) -> Option<ItemId> {
        let function = functions_of_file(self.db(), self.file)
            .get(number)
            .copied()?;
        (*function.name(self.db()) == *name).then_some(function)
    }

    /// What the texts make of a kernel. `None` without a total.
    pub(super) fn state(&self, function: ItemId, with_bounds: bool) -> Option<State> {
        let db = self.db();
        let body = body(db, function);
        let total = function_simulation(db, function).total()?;
        let bounds = if with_bounds {
            let by_schedule = function_simulation_by(db, function, Model::Schedule);
            total_bounds(&body, &function_derivation(db, function), &by_schedule)
        } else {
            None
        };
        Some(State {
            total,
            bounds,
            outside: outside_tensors(&body)?,
        })
    }

    /// The files in which something may be found that comes of a candidate. `None` where these are too many to ask.
    pub(super) fn concerned(&self, placed: &Placed) -> Option<Vec<Arc<str>>> {
        let own = self.file.path(self.db());
        let edits = &placed.fix.edits;
        let names = |text: &str, name: &str| {
            let mut words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            words.any(|word| word == name)
        };
        let concerned = |path: &Arc<str>, text: &Arc<str>| match &placed.concerns {
            Concerns::All => true,
            Concerns::Naming(named) => {
                *path == own
                    || edits.iter().any(|edit| edit.file == *path)
                    || named.iter().any(|name| names(text, name))
            }
        };
        let files = self.original().iter();
        let files = files.filter(|(path, text)| concerned(path, text));
        let files: Vec<Arc<str>> = files.map(|(path, _)| Arc::clone(path)).collect();
        (files.len() <= FILES).then_some(files)
    }

    /// What is said of some files: of findings those that are errors or warnings.
    pub(super) fn said_of_files(&self, files: &[Arc<str>]) -> Outlook {
        let files = files.iter().filter_map(|path| self.sandbox.file(path));
        let reports: Vec<_> = files.map(|file| file_report(self.db(), file)).collect();
        Outlook::new(reports.iter().map(|report| &**report), |found| {
            (found.default_level >= Severity::Warn).then_some(Severity::Warn)
        })
    }
}

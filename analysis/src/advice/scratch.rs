//! A copy of a project in which candidates are tried: changed texts, asked as any other text is.
//!
//! What comes of a candidate is what the engine says of the changed files, by the same queries that check and cost the author's
//! own. So what is promised is what is found once the candidate is applied, to the cycle.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::check::{
    file_report, files_by_reach, function_derivation, function_simulation_by, functions,
};
use crate::check::{function_simulation, reachable_from};
use crate::conditions::PackageFeatures;
use crate::db::{AnalysisDatabase, Db};
use crate::fixing::{Described, Texts, apply_fixes};
use crate::hardware::Model;
use crate::inputs::{
    FileCfg, Options, Package, PackageManifests, Project, ProjectRules, SourceFile,
};
use crate::items::{ItemId, Typing as _};
use crate::kernel::{Body, OperationKind, Tensor, Tier, body};
use crate::report::DiagnosticFix;
use crate::rules::{Group, Level as Severity, own_rules_where};
use crate::simulation::total_bounds;

use super::slots::is_scratch;
use super::{Concerns, Placed};

/// Files that are asked about an edit outside of a kernel, at most. What concerns more of them is not tried.
const FILES: usize = 64;

/// A copy of the files around a kernel.
pub(super) struct Scratch {
    db: AnalysisDatabase,
    file: SourceFile,
    /// The texts as the author wrote them.
    texts: Texts,
    /// The texts of files that differ from them now.
    changed: Texts,
}

/// What is said of the files, counted: by file the unresolved operations, syntax errors and problems, and by file and rule the
/// findings that are errors or warnings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Said {
    defects: BTreeMap<Arc<str>, [u64; 3]>,
    found: BTreeMap<(Arc<str>, &'static str), u64>,
}

impl Said {
    /// Whether nothing is said more often than before.
    pub(super) fn adds_nothing_to(&self, before: &Self) -> bool {
        let defects = self.defects.iter().all(|(file, defects)| {
            let known = before.defects.get(file).copied().unwrap_or_default();
            defects.iter().zip(known).all(|(now, known)| *now <= known)
        });
        let found = self.found.iter();
        defects
            && found
                .into_iter()
                .all(|(key, count)| before.found.get(key).is_some_and(|known| count <= known))
    }
}

/// What the author's texts, or changed ones, make of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    /// Cycles by the model that is chosen.
    pub(super) total: u64,
    /// The fewest and the most that are likely; `None` by the book.
    pub(super) bounds: Option<(u64, u64)>,
    /// What it is given, what it stores in HBM for others in this order, and what it returns.
    outside: Vec<Described>,
}

impl State {
    /// Whether the kernel takes and gives the same tensors, mapped alike.
    pub(super) fn gives_what(&self, other: &Self) -> bool {
        self.outside == other.outside
    }
}

/// All that a copy is made of, as plain data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Copied {
    /// The file of the kernels.
    file: Arc<str>,
    texts: Texts,
    packages: Vec<Package>,
    options: Options,
    file_options: BTreeMap<Arc<str>, Options>,
    features: Vec<PackageFeatures>,
    cfg: FileCfg,
    manifests: PackageManifests,
}

impl Copied {
    /// What the kernels of a file depend on. `None` for a block of another text, and without a project.
    pub(super) fn of(db: &dyn Db, file: SourceFile) -> Option<Self> {
        if file.origin(db).is_some() {
            return None;
        }
        let project = Project::try_get(db)?;
        let among = reachable_from(db, file);
        let groups = files_by_reach(db, project);
        let files = groups.get(&among)?;
        let texts = files
            .iter()
            .filter(|file| file.origin(db).is_none())
            .map(|file| (file.path(db), file.text(db)))
            .collect();
        let manifests = project
            .manifests(db)
            .iter()
            .map(|(root, entry)| (Arc::clone(root), entry.manifest(db)))
            .collect();
        Some(Self {
            file: file.path(db),
            texts,
            packages: project.packages(db).to_vec(),
            options: project.options(db),
            file_options: (*project.file_options(db)).clone(),
            features: project.features(db).to_vec(),
            cfg: (*project.cfg(db)).clone(),
            manifests,
        })
    }
}

impl Scratch {
    /// A copy for the kernels of a file, with every rule on.
    pub(super) fn of(copied: &Copied) -> Option<Self> {
        let mut db = AnalysisDatabase::default();
        let pairs = copied.texts.iter().map(|(path, text)| (&**path, &**text));
        db.set_project(pairs, copied.packages.clone(), copied.options);
        db.set_file_options(copied.file_options.clone());
        db.set_conditions(copied.features.clone(), copied.cfg.clone());
        db.set_manifests(&copied.manifests);
        let file = db.file(&copied.file)?;
        let mut scratch = Self {
            db,
            file,
            texts: copied.texts.clone(),
            changed: Texts::new(),
        };
        scratch.enable(|_| true);
        Some(scratch)
    }

    /// Turns on the rules of some groups and all others off.
    pub(super) fn enable(&mut self, wanted: impl Fn(Group) -> bool) {
        self.db.set_enabled_rules(&ProjectRules {
            default: own_rules_where(|_, group| wanted(group)),
            files: BTreeMap::new(),
        });
    }

    /// The copy itself, for the search for candidates in it.
    pub(super) const fn db(&self) -> &AnalysisDatabase {
        &self.db
    }

    /// The author's texts.
    pub(super) const fn original(&self) -> &Texts {
        &self.texts
    }

    /// Applies a change to some texts. `None` where it does not fit or changes nothing.
    pub(super) fn applied(texts: &Texts, fix: &DiagnosticFix) -> Option<Texts> {
        let application = apply_fixes(texts, [fix]);
        (!application.applied.is_empty()).then_some(application.texts)
    }

    /// Makes the copy hold these changes of the author's texts and no others.
    pub(super) fn set(&mut self, changed: Texts) {
        let back: Vec<Arc<str>> = self
            .changed
            .keys()
            .filter(|path| !changed.contains_key(*path))
            .cloned()
            .collect();
        for path in back {
            if let (Some(file), Some(text)) = (self.db.file(&path), self.texts.get(&path)) {
                self.db.set_text(file, text);
            }
        }
        for (path, text) in &changed {
            if let Some(file) = self.db.file(path) {
                self.db.set_text(file, text);
            }
        }
        self.changed = changed;
    }

    /// The changed texts that it holds.
    pub(super) const fn changed(&self) -> &Texts {
        &self.changed
    }

    /// The cycles of all kernels of some files but one, in the order of files and kernels; none where they are not known.
    pub(super) fn others(&self, own: ItemId, files: &[Arc<str>]) -> Vec<Option<u64>> {
        let db = &self.db;
        let files = files.iter().filter_map(|path| db.file(path));
        let all = files.flat_map(|file| functions(db, file));
        let kernels = all.filter(|one| *one != own && body(db, *one).device.is_some());
        kernels
            .map(|kernel| function_simulation(db, kernel).total())
            .collect()
    }

    /// The kernel of a name in the file: the one of that number among its functions.
    pub(super) fn function(&self, number: usize, name: &str) -> Option<ItemId> {
        let function = functions(&self.db, self.file).get(number).copied()?;
        (*function.name(&self.db) == *name).then_some(function)
    }

    /// What the texts make of a kernel. `None` without a total.
    pub(super) fn state(&self, function: ItemId, with_bounds: bool) -> Option<State> {
        let db = &self.db;
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
            outside: outside(&body)?,
        })
    }

    /// The files in which something may be found that comes of a candidate. `None` where these are too many to ask.
    pub(super) fn concerned(&self, placed: &Placed) -> Option<Vec<Arc<str>>> {
        let own = self.file.path(&self.db);
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
        let files = self.texts.iter();
        let files = files.filter(|(path, text)| concerned(path, text));
        let files: Vec<Arc<str>> = files.map(|(path, _)| Arc::clone(path)).collect();
        (files.len() <= FILES).then_some(files)
    }

    /// What is said of some files.
    pub(super) fn said(&self, files: &[Arc<str>]) -> Said {
        let mut said = Said::default();
        for file in files.iter().filter_map(|path| self.db.file(path)) {
            let report = file_report(&self.db, file);
            let counts = [
                report.operations.unresolved,
                report.syntax_errors,
                report.problems.len() as u64,
            ];
            said.defects.insert(Arc::clone(&report.path), counts);
            for found in &report.diagnostics {
                if found.default_level >= Severity::Warn {
                    let key = (Arc::clone(&found.file), found.rule);
                    *said.found.entry(key).or_default() += 1;
                }
            }
        }
        said
    }
}

/// What a kernel is given, stores and returns, without what it keeps in HBM for itself. `None` where a mapping of it is unknown.
fn outside(body: &Body) -> Option<Vec<Described>> {
    let parameters = body.tensors.iter().filter(|tensor| {
        tensor.tier == Tier::Hbm && matches!(tensor.origin, crate::kernel::Origin::Parameter)
    });
    let mut stored = Vec::new();
    for operation in &body.operations {
        match &operation.kind {
            OperationKind::Copy(copy) => stored.push(copy.target),
            OperationKind::Collective(collective) => {
                stored.extend(collective.targets.iter().copied());
            }
            OperationKind::Pass(_) => {}
        }
    }
    let outside = |tensor: &&Tensor| matches!(tensor.tier, Tier::Hbm | Tier::Host);
    let written = stored.iter().chain(&body.escaping);
    let written = written.filter(|id| !is_scratch(body, **id));
    let written = written.filter_map(|id| body.tensor(*id)).filter(outside);
    let described = |tensor: &Tensor| Some(Described::of(tensor)).filter(Described::is_known);
    parameters.chain(written).map(described).collect()
}

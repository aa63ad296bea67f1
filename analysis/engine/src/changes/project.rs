//! A copy of a project with other texts and the same settings, in a database of its own.
//!
//! Trying texts in the project itself would end what others ask of it. What a copy is asked, it answers by the same queries as the
//! project, so that it must be told everything that the project was: a setting that is left out makes other findings.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Texts;
use crate::db::{AnalysisDatabase, Db};
use crate::fragments::Origin;
use crate::inputs::{EnabledRules, Project, ProjectRules, ProjectSettings, SourceFile};
use crate::items::Typing as _;

/// The texts and settings of a project, as plain data: equal ones have equal answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectCopy {
    texts: Texts,
    /// The files that blocks of code were cut out of, by the paths of the blocks.
    origins: BTreeMap<Arc<str>, Arc<Origin>>,
    settings: ProjectSettings,
}

impl ProjectCopy {
    /// The files in Rust that are wanted; `None` without a project.
    pub fn new(db: &dyn Db, is_wanted: impl Fn(SourceFile) -> bool) -> Option<Self> {
        let project = Project::try_get(db)?;
        let (mut texts, mut origins) = (Texts::new(), BTreeMap::new());
        for (path, file) in project.files(db).iter() {
            if is_wanted(*file) {
                texts.insert(Arc::clone(path), file.text(db));
                let origin = file.origin(db).map(|origin| (Arc::clone(path), origin));
                origins.extend(origin);
            }
        }
        Some(Self {
            texts,
            origins,
            settings: ProjectSettings::read(db, project),
        })
    }

    /// The texts of the files.
    pub const fn texts(&self) -> &Texts {
        &self.texts
    }

    /// The same copy with some other texts.
    pub fn with_texts(mut self, texts: Texts) -> Self {
        self.texts.extend(texts);
        self
    }
}

/// A database with a copy of a project, in which texts are changed and taken back.
pub struct Sandbox {
    db: AnalysisDatabase,
    original: Texts,
    /// The texts that differ from the original ones now.
    changed: Texts,
}

impl Sandbox {
    /// A sandbox that holds a copy.
    pub fn new(copy: &ProjectCopy) -> Self {
        let mut db = AnalysisDatabase::default();
        let texts = copy.texts.iter();
        let texts = texts.map(|(path, text)| (&**path, Arc::clone(text)));
        let settings = &copy.settings;
        db.set_project(texts, settings.packages.clone(), settings.options);
        let origins = copy.origins.iter();
        db.set_origins(origins.map(|(path, origin)| (path.to_string(), origin)));
        db.set_settings(settings);
        Self {
            db,
            original: copy.texts.clone(),
            changed: Texts::new(),
        }
    }

    /// The database, to be asked.
    pub const fn db(&self) -> &AnalysisDatabase {
        &self.db
    }

    /// The file of a path.
    pub fn file(&self, path: &str) -> Option<SourceFile> {
        self.db.file(path)
    }

    /// The texts as they were copied.
    pub(crate) const fn original(&self) -> &Texts {
        &self.original
    }

    /// The texts that differ from them now.
    pub(crate) const fn changed(&self) -> &Texts {
        &self.changed
    }

    /// Makes the sandbox hold these changes of the original texts and no others.
    pub(crate) fn set(&mut self, changed: Texts) {
        let before = std::mem::take(&mut self.changed);
        let back = before.keys().filter(|path| !changed.contains_key(*path));
        let back = back.filter_map(|path| self.original.get_key_value(path));
        for (path, text) in back.chain(&changed) {
            if let Some(file) = self.db.file(path) {
                self.db.set_text(file, Arc::clone(text));
            }
        }
        self.changed = changed;
    }

    /// Turns these rules on in all files, whatever the settings say.
    pub(crate) fn enable(&mut self, rules: EnabledRules) {
        self.db.set_enabled_rules(&ProjectRules {
            default: rules,
            files: BTreeMap::new(),
        });
    }
}

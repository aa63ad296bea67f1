//! Crates of files outside of all packages, as far as macros go: which files declare which as their modules.
//!
//! Macros declare items, so that crates by their items ([`super::modules`]) come too late for them. It reads the `mod` lines that are
//! written in files, whatever conditions say of them, and nothing that a macro writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use ra_ap_syntax::SyntaxKind;
use ra_ap_syntax::ast::{self, AstNode, HasName};
use rustc_hash::FxHashMap;

use super::crates::package_around;
use super::file::{path_attribute, plain_name};
use super::modules::{Style, module_file, normal_path};
use crate::db::Db;
use crate::fragments::is_fragment;
use crate::inputs::{Project, SourceFile, parse};
use crate::syntax::{modules_around, nodes_of};

/// One `mod x;` as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WrittenModule {
    /// The inline modules around it, `/` between them.
    inside: String,
    name: Arc<str>,
    /// `#[path = "…"]`.
    path: Option<Arc<str>>,
}

/// The first file of the crate of a file that is outside of all packages.
pub(super) fn loose_crate(db: &dyn Db, project: Project, file: SourceFile) -> SourceFile {
    if is_fragment(&file.path(db)) {
        // A block is a crate of its own.
        return file;
    }
    let crates = loose_crates(db, project);
    crates.get(&file).copied().unwrap_or(file)
}

/// The first file of the crate of a file, by the file.
pub(super) type LooseCrates = FxHashMap<SourceFile, SourceFile>;

/// The first file of the crate of each file outside of all packages that another one declares as a module, or that declares one.
#[salsa::tracked(returns(clone))]
pub(super) fn loose_crates(db: &dyn Db, project: Project) -> Arc<LooseCrates> {
    project.restless(db);
    let files = project.files(db);
    let loose = files
        .iter()
        .filter(|(_, file)| package_around(db, **file).is_none() && !is_fragment(&file.path(db)));
    let loose: BTreeMap<String, SourceFile> = loose
        .map(|(path, file)| (normal_path(path), *file))
        .collect();
    let find = |path: &str| loose.get(&normal_path(path)).copied();
    let mut joined: FxHashMap<SourceFile, Vec<SourceFile>> = FxHashMap::default();
    for file in loose.values() {
        let path = file.path(db);
        for module in written_modules(db, *file).iter() {
            // Which of the two a file is, only its own crate says.
            for style in [Style::Beside, Style::OwnDirectory] {
                let written = module.path.as_deref();
                let target =
                    module_file(&path, style, (&module.inside, &module.name), written, &find);
                if let Some((target, _)) = target {
                    joined.entry(*file).or_default().push(target);
                    joined.entry(target).or_default().push(*file);
                }
            }
        }
    }
    let mut crates = LooseCrates::default();
    for first in loose.values() {
        let mut open = vec![*first];
        while let Some(file) = open.pop() {
            if joined.contains_key(&file) && !crates.contains_key(&file) {
                crates.insert(file, *first);
                open.extend(joined.get(&file).into_iter().flatten());
            }
        }
    }
    Arc::new(crates)
}

/// The `mod x;` of a file, without those in bodies of functions.
#[salsa::tracked(returns(clone))]
fn written_modules(db: &dyn Db, file: SourceFile) -> Arc<[WrittenModule]> {
    if !file.text(db).contains("mod") {
        return Arc::from([]);
    }
    let Some(tree) = parse(db, file).tree() else {
        return Arc::from([]);
    };
    let modules = nodes_of(
        tree.syntax(),
        |met| met.kind == SyntaxKind::MODULE,
        |met| matches!(met.kind, SyntaxKind::MODULE | SyntaxKind::ITEM_LIST),
    );
    let modules = modules.into_iter().filter_map(ast::Module::cast);
    let declared = modules.filter(|module| module.item_list().is_none());
    declared
        .filter_map(|module| {
            let around = modules_around(module.syntax());
            let around: Vec<Arc<str>> = around.iter().map(|name| plain_name(name)).collect();
            Some(WrittenModule {
                inside: around.join("/"),
                name: plain_name(module.name()?.text()),
                path: path_attribute(&module),
            })
        })
        .collect()
}

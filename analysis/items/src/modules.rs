//! Which file is which module: crate roots, `mod x;`, packages.
//!
//! A crate root is a target of a package by Cargo's conventions, or any file that no `mod x;` reaches: a kernel file on
//! its own is a crate of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use ra_ap_syntax::ast;
use rustc_hash::{FxHashMap, FxHashSet};

use super::declarations::MacroArguments;
use super::file::{file_items, item_text, macro_name, parse_item};
use super::ids::{ItemId, ItemKind, ModuleId, ModulePath};
use super::scopes::module_around_local;
use crate::db::Db;
use crate::fragments::is_fragment;
use crate::inputs::{FileMap, Project, SourceFile};

/// The modules of a project, file by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModuleTree {
    files: FxHashMap<SourceFile, FileNode>,
    targets: FxHashMap<ItemId, SourceFile>,
    libraries: BTreeMap<Arc<str>, SourceFile>,
    /// The `mod x;` whose file the project does not hold, in the order of files and of the text.
    pub missing: Vec<ItemId>,
}

/// A file's place in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileNode {
    parent: Option<ModuleId>,
    root: SourceFile,
    package: Option<Arc<str>>,
    /// A condition leaves out the `mod x;` that declares it, or a module around it.
    left_out: bool,
    /// Its text is in the parent by `include!`: it is no module of its own.
    included: bool,
}

/// The file of a `mod x;`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModuleTarget {
    /// The file.
    File(SourceFile),
    /// The project does not hold it.
    Missing,
}

impl ModuleTree {
    /// The crate roots, in the order of their paths.
    #[cfg(test)]
    pub fn roots(&self, db: &dyn Db) -> Vec<SourceFile> {
        let mut roots: Vec<_> = self
            .files
            .iter()
            .filter(|(file, node)| **file == node.root)
            .map(|(file, _)| (file.path(db), *file))
            .collect();
        roots.sort_by(|left, right| left.0.cmp(&right.0));
        roots.into_iter().map(|(_, file)| file).collect()
    }
}

/// One `mod x;` of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Declaration {
    item: ItemId,
    module: ModulePath,
    name: Arc<str>,
    /// `#[path = "…"]`.
    path: Option<Arc<str>>,
    /// What `include!` names; the others are then empty.
    included: Option<Arc<str>>,
}

/// The modules of the project.
#[salsa::tracked(returns(clone))]
pub fn module_tree(db: &dyn Db, project: Project) -> Arc<ModuleTree> {
    let files = project.files(db);
    let mut builder = Builder {
        db,
        paths: files
            .iter()
            .map(|(path, file)| (normal_path(path), *file))
            .collect(),
        files: &files,
        tree: ModuleTree::default(),
    };
    builder.packages(project);
    builder.others();
    Arc::new(builder.tree)
}

/// The module around a module; none for a crate root.
#[salsa::tracked(returns(copy))]
pub fn parent_module(db: &dyn Db, module: ModuleId) -> Option<ModuleId> {
    if let Some(item) = module.local(db) {
        return Some(module_around_local(db, item));
    }
    let path = module.path(db);
    if let Some((_, outer)) = path.split_last() {
        return Some(ModuleId::new(db, module.file(db), ModulePath::from(outer)));
    }
    let tree = module_tree(db, Project::try_get(db)?);
    let mut node = tree.files.get(&module.file(db))?;
    // What is included has the parent of the module that includes it.
    while node.included {
        let around = node.parent?;
        if let Some((_, outer)) = around.path(db).split_last() {
            return Some(ModuleId::new(db, around.file(db), ModulePath::from(outer)));
        }
        node = tree.files.get(&around.file(db))?;
    }
    node.parent
}

/// The module that includes the text of a file by `include!`.
pub(super) fn including_module(db: &dyn Db, file: SourceFile) -> Option<ModuleId> {
    let tree = module_tree(db, Project::try_get(db)?);
    let node = tree.files.get(&file)?;
    node.parent.filter(|_| node.included)
}

/// The root of the crate that a module belongs to.
#[salsa::tracked(returns(copy))]
pub fn crate_root(db: &dyn Db, module: ModuleId) -> ModuleId {
    let file = module.file(db);
    let root = Project::try_get(db)
        .and_then(|project| {
            module_tree(db, project)
                .files
                .get(&file)
                .map(|node| node.root)
        })
        .unwrap_or(file);
    ModuleId::new(db, root, ModulePath::from([]))
}

/// The library of the project's package of a name (as paths write it, with underscores).
pub(super) fn package_library(db: &dyn Db, project: Project, name: &str) -> Option<ModuleId> {
    let file = *module_tree(db, project).libraries.get(name)?;
    Some(ModuleId::new(db, file, ModulePath::from([])))
}

/// The name of the package that a file belongs to.
pub fn file_package(db: &dyn Db, file: SourceFile) -> Option<Arc<str>> {
    let tree = module_tree(db, Project::try_get(db)?);
    tree.files.get(&file)?.package.clone()
}

/// Whether a condition leaves out all that would make a file a module.
#[salsa::tracked(returns(copy))]
pub fn is_left_out(db: &dyn Db, file: SourceFile) -> bool {
    let tree = Project::try_get(db).map(|project| module_tree(db, project));
    tree.is_some_and(|tree| tree.files.get(&file).is_some_and(|node| node.left_out))
}

/// The file of a `mod x;`.
#[salsa::tracked(returns(copy))]
pub fn module_target(db: &dyn Db, declaration: ItemId) -> ModuleTarget {
    Project::try_get(db)
        .and_then(|project| module_tree(db, project).targets.get(&declaration).copied())
        .map_or(ModuleTarget::Missing, ModuleTarget::File)
}

#[salsa::tracked(returns(clone))]
fn module_declarations(db: &dyn Db, file: SourceFile) -> Arc<[Declaration]> {
    let items = file_items(db, file);
    let declaration = |item: &ItemId| Declaration {
        item: *item,
        module: item.module_path(db),
        name: item.name(db),
        path: path_attribute(db, *item),
        included: None,
    };
    let found = items.items.iter().filter_map(|item| match item.kind(db) {
        ItemKind::ModuleDeclaration => Some(declaration(item)),
        ItemKind::Other => Some(Declaration {
            item: *item,
            module: item.module_path(db),
            name: Arc::from(""),
            path: None,
            included: Some(included_path(db, *item)?),
        }),
        _ => None,
    });
    found.collect()
}

/// The path that `include!` gives as text.
fn included_path(db: &dyn Db, item: ItemId) -> Option<Arc<str>> {
    if !item_text(db, item).text.starts_with("include") {
        return None;
    }
    let call = parse_item(db, item).cast::<ast::MacroCall>()?;
    if macro_name(&call).as_deref() != Some("include") {
        return None;
    }
    let arguments = MacroArguments::of(&call)?;
    let text = arguments.text.trim().trim_end_matches(',').trim_end();
    let path = text.strip_prefix('"')?.strip_suffix('"')?;
    (!path.contains(['"', '\\'])).then(|| Arc::from(path))
}

/// The value of `#[path = "…"]` on a `mod x;`.
fn path_attribute(db: &dyn Db, item: ItemId) -> Option<Arc<str>> {
    if !item_text(db, item).text.contains("path") {
        return None;
    }
    let module = parse_item(db, item).cast::<ast::Module>()?;
    super::file::path_attribute(&module)
}

/// How a file finds its modules: beside it (`mod.rs`, crate roots) or in a directory of its own name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Beside,
    OwnDirectory,
}

struct Builder<'a> {
    db: &'a dyn Db,
    files: &'a FileMap,
    paths: BTreeMap<String, SourceFile>,
    tree: ModuleTree,
}

impl Builder<'_> {
    fn packages(&mut self, project: Project) {
        for package in project.packages(self.db).iter() {
            let root = normal_path(&package.root);
            let name: Arc<str> = package.name.replace('-', "_").into();
            let inside = prefix_of(&root);
            let mut targets: Vec<_> = self
                .paths
                .range(inside.clone()..)
                .take_while(|(path, _)| path.starts_with(&inside))
                .filter_map(|(path, file)| Some((target_of(&root, path)?, *file)))
                .collect();
            // Modules that the library and a binary both declare belong to the library.
            targets.sort_by_key(|(kind, _)| *kind);
            for (kind, file) in targets {
                if kind == TargetKind::Library {
                    self.tree.libraries.entry(Arc::clone(&name)).or_insert(file);
                }
                self.root(file, Some(&name));
            }
        }
    }

    /// Files outside of every package's targets. Those that another of them declares as a module are no roots, but for the
    /// first of a cycle.
    fn others(&mut self) {
        let rest: Vec<_> = self
            .files
            .values()
            .copied()
            .filter(|file| !self.tree.files.contains_key(file))
            .collect();
        let mut declared = FxHashSet::default();
        for file in &rest {
            for declaration in module_declarations(self.db, *file).iter() {
                for style in [Style::Beside, Style::OwnDirectory] {
                    declared.extend(
                        self.target(*file, style, declaration)
                            .map(|(target, _)| target)
                            .filter(|target| target != file),
                    );
                }
            }
        }
        let left_out = self.left_out();
        for file in rest.iter().filter(|file| !declared.contains(*file)) {
            if !left_out.contains_key(file) {
                self.root(*file, None);
            }
        }
        // What nothing else declares stays out, with the modules in it.
        for file in &rest {
            if let Some(style) = left_out.get(file) {
                self.tree_below(*file, None, *style, true);
            }
        }
        for file in rest {
            self.root(file, None);
        }
    }

    /// The files of the modules that conditions leave out, and how they find their own modules.
    fn left_out(&self) -> FxHashMap<SourceFile, Style> {
        let mut found = FxHashMap::default();
        for file in self.files.values() {
            for module in &file_items(self.db, *file).left_out_modules {
                let targets = [Style::Beside, Style::OwnDirectory].map(|style| {
                    let path = module.path.as_ref();
                    self.target_of_module(*file, style, &module.module_path, &module.name, path)
                });
                let targets = targets.into_iter().flatten();
                found.extend(targets.filter(|(target, _)| target != file));
            }
        }
        found
    }

    /// Makes a file a crate root and follows its modules. A file that is in the tree already stays where it is, which also
    /// cuts cycles.
    fn root(&mut self, root: SourceFile, package: Option<&Arc<str>>) {
        self.tree_below(root, package, Style::Beside, false);
    }

    /// As [`Self::root`], of a file that may be no crate's root.
    fn tree_below(
        &mut self,
        root: SourceFile,
        package: Option<&Arc<str>>,
        style: Style,
        left_out: bool,
    ) {
        let mut pending = vec![(root, None, (style, false))];
        while let Some((file, parent, (style, included))) = pending.pop() {
            if self.tree.files.contains_key(&file) {
                continue;
            }
            let node = FileNode {
                parent,
                root,
                package: package.cloned(),
                left_out,
                included,
            };
            self.tree.files.insert(file, node);
            let declarations = module_declarations(self.db, file);
            let mut found = Vec::new();
            for declaration in declarations.iter() {
                let Some((target, style)) = self.target(file, style, declaration) else {
                    if declaration.included.is_none() {
                        self.tree.missing.push(declaration.item);
                    }
                    continue;
                };
                if self.is_cycle(file, target) {
                    continue;
                }
                self.tree.targets.insert(declaration.item, target);
                let module = ModuleId::new(self.db, file, Arc::clone(&declaration.module));
                let how = (style, declaration.included.is_some());
                found.push((target, Some(module), how));
            }
            found.reverse();
            pending.extend(found);
        }
    }

    /// Whether a file is the target itself or is inside of it.
    fn is_cycle(&self, file: SourceFile, target: SourceFile) -> bool {
        let mut current = Some(file);
        while let Some(file) = current {
            if file == target {
                return true;
            }
            current = self
                .tree
                .files
                .get(&file)
                .and_then(|node| node.parent)
                .map(|parent| parent.file(self.db));
        }
        false
    }

    fn target(
        &self,
        file: SourceFile,
        style: Style,
        declaration: &Declaration,
    ) -> Option<(SourceFile, Style)> {
        if let Some(included) = &declaration.included {
            let at_root = ModulePath::from([]);
            return self.target_of_module(file, style, &at_root, "", Some(included));
        }
        let path = declaration.path.as_ref();
        self.target_of_module(file, style, &declaration.module, &declaration.name, path)
    }

    /// The file of a `mod x;` of a file: of inline modules around it, a name, and a `#[path = "…"]`.
    fn target_of_module(
        &self,
        file: SourceFile,
        style: Style,
        module: &ModulePath,
        name: &str,
        written: Option<&Arc<str>>,
    ) -> Option<(SourceFile, Style)> {
        let path = file.path(self.db);
        if is_fragment(&path) {
            // A block is a crate of its own, which has no files.
            return None;
        }
        let find = |path: &str| self.paths.get(&normal_path(path)).copied();
        let inside = module.join("/");
        module_file(
            &path,
            style,
            (&inside, name),
            written.map(|path| &**path),
            &find,
        )
    }
}

/// The file of a `mod x;` of the file at a path: of inline modules around it, a name, and a `#[path = "…"]`.
pub(super) fn module_file(
    path: &str,
    style: Style,
    (inside, name): (&str, &str),
    written: Option<&str>,
    find: &impl Fn(&str) -> Option<SourceFile>,
) -> Option<(SourceFile, Style)> {
    let (directory, file_name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file_name.strip_suffix(".rs").unwrap_or(file_name);
    let own = if style == Style::OwnDirectory {
        stem
    } else {
        ""
    };
    if let Some(written) = written {
        let base = if inside.is_empty() {
            directory.to_owned()
        } else {
            join(directory, &format!("{own}/{inside}"))
        };
        let target = if written.starts_with('/') {
            find(written)
        } else {
            find(&join(&base, written))
        };
        return target.map(|target| (target, Style::Beside));
    }
    let base = join(directory, &format!("{own}/{inside}"));
    find(&join(&base, &format!("{name}.rs")))
        .map(|target| (target, Style::OwnDirectory))
        .or_else(|| {
            find(&join(&base, &format!("{name}/mod.rs"))).map(|target| (target, Style::Beside))
        })
}

/// Both paths after each other; either may be empty.
fn join(directory: &str, path: &str) -> String {
    match (directory.is_empty(), path.trim_start_matches('/')) {
        (true, path) => path.to_owned(),
        (false, path) => format!("{directory}/{path}"),
    }
}

/// A path without `.`, `..` and empty components.
pub(super) fn normal_path(path: &str) -> String {
    let mut components: Vec<&str> = Vec::new();
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." if components.last().is_some_and(|last| *last != "..") => {
                components.pop();
            }
            _ => components.push(component),
        }
    }
    let joined = components.join("/");
    if path.starts_with('/') {
        format!("/{joined}")
    } else {
        joined
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TargetKind {
    Library,
    Other,
}

/// What the paths of all files in a folder begin with.
fn prefix_of(folder: &str) -> String {
    if folder.is_empty() {
        String::new()
    } else {
        format!("{folder}/")
    }
}

/// Which target of a package a file is the root of, by Cargo's conventions. Both paths are normal ones.
fn target_of(root: &str, path: &str) -> Option<TargetKind> {
    let inside = if root.is_empty() {
        path
    } else {
        path.strip_prefix(root)?.strip_prefix('/')?
    };
    let components: Vec<&str> = inside.split('/').collect();
    match components.as_slice() {
        ["src", "lib.rs"] => Some(TargetKind::Library),
        ["src", "main.rs"] | ["build.rs"] => Some(TargetKind::Other),
        ["src", "bin", file] | ["examples" | "tests" | "benches", file] => {
            file.ends_with(".rs").then_some(TargetKind::Other)
        }
        ["src", "bin", _, "main.rs"] | ["examples" | "tests" | "benches", _, "main.rs"] => {
            Some(TargetKind::Other)
        }
        _ => None,
    }
}

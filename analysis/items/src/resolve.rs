//! Names to what they mean, across blocks, modules, files and packages.
//!
//! The rules are Rust's: blocks from the inside out, then the module, then crates; within one scope what is declared or
//! imported by name goes before glob imports. Visibility is not checked, `rustc` does that.

use std::sync::Arc;

use ra_ap_syntax::ast::{self, HasName};
use rustc_hash::{FxHashMap, FxHashSet};

use super::associated::associated_item;
use super::crates::renamed_libraries;
use super::declarations::{Declarations, Declared, module_scope};
use super::file::parse_item;
use super::ids::{ItemId, ItemKind, ModuleId, Span};
use super::language;
use super::modules::{crate_root, package_library, parent_module};
use super::scopes::ScopeRef;
use crate::db::Db;
use crate::inputs::Project;
use crate::libraries;

/// Imports followed through each other, at most; beyond it a name counts as imported from elsewhere.
const MAXIMUM_DEPTH: usize = 64;

/// Names of a module that are compared with an unknown one, at most.
const MAXIMUM_PROPOSED: usize = 500;

/// Rust's namespaces, as far as names of kernels go. Axes are unit structs and live in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Namespace {
    /// Types, modules, axes, aliases.
    Type,
    /// Functions, constants, statics, axes.
    Value,
}

impl Namespace {
    fn other_namespace(self) -> Self {
        match self {
            Self::Type => Self::Value,
            Self::Value => Self::Type,
        }
    }
}

/// The declaration of an axis. Its identity is name and size, wherever it is declared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AxisDefinition {
    /// The declared name, also where it was imported under another one.
    pub name: Arc<str>,
    /// The declared size; none where it is missing, zero or does not fit.
    pub size: Option<u64>,
    /// The name in its `axes!`.
    pub span: Span,
}

/// What a path means.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Resolution {
    /// An axis.
    Axis(AxisDefinition),
    /// A type alias.
    Alias(ItemId),
    /// A `const` or `static`.
    Const(ItemId),
    /// A function.
    Function(ItemId),
    /// A module.
    Module(ModuleId),
    /// A struct, enum, union or trait that the project itself declares.
    Type(ItemId),
    /// A generic parameter of the item around.
    Parameter(Arc<str>),
    /// An item of the kernel library, by its path after the crate (and `prelude`), `::` between segments. The crate itself
    /// and its prelude have the empty path.
    Prelude(Arc<str>),
    /// Imported from somewhere that the project does not hold, or a type of the language.
    External,
    /// Not declared anywhere in sight.
    Unknown {
        /// Whether a glob import that could not be followed may declare it.
        has_unresolved_glob: bool,
    },
}

/// A path of names, as a key of queries.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
struct NamePath {
    #[returns(clone)]
    segments: Arc<[Arc<str>]>,
}

/// Resolves a path as written (segments without generics, a leading `::` as an empty segment) from a scope.
pub fn resolve_path(
    db: &dyn Db,
    scope: &ScopeRef,
    path: &[&str],
    namespace: Namespace,
) -> Resolution {
    let segments: Arc<[Arc<str>]> = path.iter().map(|segment| Arc::from(*segment)).collect();
    let lookup = if blocks_may_declare(scope, segments.first()) {
        Resolver::new(db).path(scope, &segments, namespace)
    } else {
        resolve_in_module(db, scope.module, NamePath::new(db, segments), namespace)
    };
    lookup.resolution()
}

fn blocks_may_declare(scope: &ScopeRef, first: Option<&Arc<str>>) -> bool {
    let (Some((scopes, block)), Some(first)) = (&scope.block, first) else {
        return false;
    };
    let blocks = std::iter::successors(Some(*block), |block| scopes.parent(*block));
    blocks
        .filter_map(|block| scopes.declarations(block))
        .any(|declarations| declarations.may_declare(first))
}

/// A path from the top of a module: equal as long as what the path means is.
#[salsa::tracked(returns(clone))]
fn resolve_in_module(
    db: &dyn Db,
    module: ModuleId,
    path: NamePath,
    namespace: Namespace,
) -> Lookup {
    Resolver::new(db).path(&ScopeRef::module(module), &path.segments(db), namespace)
}

/// A path of modules and imports from the top of a module to an item of a module: a path through a type means nothing. What the
/// blocks of types are asked by, which paths through types ask in turn.
#[salsa::tracked(returns(clone))]
fn module_item(db: &dyn Db, module: ModuleId, path: NamePath) -> Option<Resolution> {
    let mut resolver = Resolver {
        enters_types: false,
        ..Resolver::new(db)
    };
    let scope = ScopeRef::module(module);
    resolver
        .path(&scope, &path.segments(db), Namespace::Type)
        .found
}

/// What a path of modules and imports means from the top of a module, where that is a type that a module declares.
pub(super) fn module_type(db: &dyn Db, module: ModuleId, path: &[Arc<str>]) -> Option<ItemId> {
    match module_item(db, module, NamePath::new(db, Arc::<[Arc<str>]>::from(path))) {
        Some(Resolution::Type(item)) => Some(item),
        _ => None,
    }
}

/// The names of axes and aliases that can be used in a scope, for proposals; sorted. None for a module with so many that
/// comparing each unknown name with all of them would take time in the square of the file.
pub fn visible_type_names(db: &dyn Db, scope: &ScopeRef) -> Vec<Arc<str>> {
    let mut names = Vec::new();
    if module_type_names(db, scope.module).len() > MAXIMUM_PROPOSED {
        return names;
    }
    if let Some((scopes, block)) = &scope.block {
        let blocks = std::iter::successors(Some(*block), |block| scopes.parent(*block));
        for declarations in blocks.filter_map(|block| scopes.declarations(block)) {
            collect_type_names(declarations, &mut names);
        }
        names.truncate(MAXIMUM_PROPOSED);
        names.retain(|name| names_mapping(db, scope, name));
    }
    names.extend(module_type_names(db, scope.module).iter().cloned());
    names.sort();
    names.dedup();
    names
}

/// What the glob imports of a module name, in their order: each name that a module does not declare asks for all of them.
#[salsa::tracked(returns(clone))]
fn glob_targets(db: &dyn Db, module: ModuleId) -> Arc<[Option<Resolution>]> {
    let declarations = module_scope(db, module);
    let globs = declarations.globs();
    let mut targets: Vec<Option<Resolution>> = vec![None; globs.len()];
    // What one names may be what another one brings: asked of this query, a module that imports from itself would never have an
    // answer.
    for _ in 0..MAXIMUM_DEPTH {
        let open = (0..globs.len()).filter(|glob| targets.get(*glob).is_some_and(Option::is_none));
        let found: Vec<(usize, Resolution)> = open
            .filter_map(|number| {
                let mut resolver = Resolver {
                    follows_globs: Some((module, targets.as_slice())),
                    // Nothing that a type has can be imported from, and what a type has is asked for by way of globs.
                    enters_types: false,
                    ..Resolver::new(db)
                };
                let glob = globs.get(number)?;
                let found = resolver.path(&ScopeRef::module(module), glob, Namespace::Type);
                Some((number, found.found?))
            })
            .collect();
        if found.is_empty() {
            break;
        }
        for (number, target) in found {
            if let Some(known) = targets.get_mut(number) {
                *known = Some(target);
            }
        }
    }
    targets.into()
}

/// The names of axes and aliases that can be used in a module.
#[salsa::tracked(returns(clone))]
fn module_type_names(db: &dyn Db, module: ModuleId) -> Arc<[Arc<str>]> {
    let mut names = Vec::new();
    let mut pending = vec![module];
    let mut seen = FxHashSet::default();
    while let Some(module) = pending.pop() {
        if !seen.insert(module) {
            continue;
        }
        let declarations = module_scope(db, module);
        collect_type_names(&declarations, &mut names);
        for target in glob_targets(db, module).iter() {
            if let Some(Resolution::Module(module)) = target {
                pending.push(*module);
            }
        }
    }
    names.sort();
    names.dedup();
    let scope = ScopeRef::module(module);
    names.retain(|name| names_mapping(db, &scope, name));
    names.into()
}

fn collect_type_names(declarations: &Declarations, names: &mut Vec<Arc<str>>) {
    for (name, declared) in declarations.names() {
        let may_be_mapping = |declared: &Declared| {
            matches!(
                declared,
                Declared::Axis(_) | Declared::Item(_, ItemKind::Alias) | Declared::Import(_)
            )
        };
        if declared.iter().any(may_be_mapping) {
            names.push(Arc::clone(name));
        }
    }
}

fn names_mapping(db: &dyn Db, scope: &ScopeRef, name: &str) -> bool {
    matches!(
        resolve_path(db, scope, &[name], Namespace::Type),
        Resolution::Axis(_) | Resolution::Alias(_)
    )
}

/// The outcome of a lookup before it is called unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Lookup {
    found: Option<Resolution>,
    /// A glob import could not be followed on the way.
    open: bool,
}

impl Lookup {
    fn of(resolution: Resolution) -> Self {
        Self {
            found: Some(resolution),
            open: false,
        }
    }

    fn resolution(self) -> Resolution {
        self.found.unwrap_or(Resolution::Unknown {
            has_unresolved_glob: self.open,
        })
    }
}

type Key = ((ModuleId, Option<(ItemId, u32)>), Arc<str>, Namespace, bool);

struct Resolver<'a> {
    db: &'a dyn Db,
    /// Lookups under way: an import cycle finds nothing.
    active: FxHashSet<Key>,
    known: FxHashMap<Key, Lookup>,
    /// Only asking whether an import means anything in its other namespace.
    probing: bool,
    /// The paths of glob imports are followed here, and not asked of [`glob_targets`]; of one module it is known what they name, as
    /// far as that goes.
    follows_globs: Option<(ModuleId, &'a [Option<Resolution>])>,
    /// Paths go on through types to what their blocks have.
    enters_types: bool,
}

impl<'a> Resolver<'a> {
    fn new(db: &'a dyn Db) -> Self {
        Self {
            db,
            active: FxHashSet::default(),
            known: FxHashMap::default(),
            probing: false,
            follows_globs: None,
            enters_types: true,
        }
    }

    fn path(&mut self, scope: &ScopeRef, path: &[Arc<str>], namespace: Namespace) -> Lookup {
        let Some((first, rest)) = path.split_first() else {
            return Lookup::default();
        };
        let here = |rest: &[Arc<str>]| {
            if rest.is_empty() {
                namespace
            } else {
                Namespace::Type
            }
        };
        let mut current = match &**first {
            "" => Lookup::of(Resolution::Module(scope.module)),
            "crate" | "$crate" => Lookup::of(Resolution::Module(crate_root(self.db, scope.module))),
            "self" => Lookup::of(Resolution::Module(scope.module)),
            "super" => self.outer_lookup(scope.module),
            "Self" => {
                let found = self.lexical(scope, "Self", Namespace::Type).found;
                Lookup::of(found.unwrap_or(Resolution::External))
            }
            name => {
                let found = self.lexical(scope, name, here(rest));
                if found.found.is_none() && !rest.is_empty() {
                    // A crate that the project does not hold.
                    Lookup::of(Resolution::External)
                } else {
                    found
                }
            }
        };
        let mut rest = rest;
        if first.is_empty() {
            let Some((name, tail)) = rest.split_first() else {
                return Lookup::default();
            };
            current = self
                .external_crate(scope.module, name)
                .map_or(Lookup::of(Resolution::External), Lookup::of);
            rest = tail;
        }
        while let Some((segment, tail)) = rest.split_first() {
            let Some(found) = current.found else {
                return current;
            };
            current = self.member_lookup(found, segment, here(tail));
            rest = tail;
        }
        current
    }

    /// `segment` inside of what the path before it means.
    fn member_lookup(
        &mut self,
        outer: Resolution,
        segment: &Arc<str>,
        namespace: Namespace,
    ) -> Lookup {
        match outer {
            Resolution::Module(module) => match &**segment {
                "super" => self.outer_lookup(module),
                "self" => Lookup::of(Resolution::Module(module)),
                _ => self.in_module(module, segment, namespace),
            },
            Resolution::Prelude(path) if path.is_empty() => {
                let inner = if &**segment == "prelude" { "" } else { segment };
                Lookup::of(Resolution::Prelude(Arc::from(inner)))
            }
            Resolution::Prelude(path) => {
                Lookup::of(Resolution::Prelude(format!("{path}::{segment}").into()))
            }
            Resolution::Type(ty) if self.enters_types => {
                let found = associated_name(self.db, ty, segment, namespace);
                Lookup::of(found.unwrap_or(Resolution::External))
            }
            // Variants, which this room does not follow.
            _ => Lookup::of(Resolution::External),
        }
    }

    fn outer_lookup(&self, module: ModuleId) -> Lookup {
        let parent = parent_module(self.db, module);
        Lookup::of(parent.map_or(Resolution::External, Resolution::Module))
    }

    /// A name as code in a scope sees it.
    fn lexical(&mut self, scope: &ScopeRef, name: &str, namespace: Namespace) -> Lookup {
        let mut open = false;
        let mut block = scope.block.as_ref().map(|(_, block)| *block);
        while let (Some((scopes, _)), Some(index)) = (&scope.block, block) {
            let here = ScopeRef {
                module: scope.module,
                block: Some((Arc::clone(scopes), index)),
            };
            if let Some(declarations) = scopes.declarations(index) {
                let found = self.in_scope(&here, declarations, name, namespace);
                open |= found.open;
                if found.found.is_some() {
                    return found;
                }
            }
            block = scopes.parent(index);
        }
        let found = self.in_module(scope.module, name, namespace);
        open |= found.open;
        let found = found.found.or_else(|| {
            (namespace == Namespace::Type)
                .then(|| self.external_crate(scope.module, name))
                .flatten()
        });
        Lookup { found, open }
    }

    /// Crates, and the types of the language that are always in sight.
    fn external_crate(&self, module: ModuleId, name: &str) -> Option<Resolution> {
        let renamed = || {
            let renamed = renamed_libraries(self.db, module.file(self.db));
            renamed.iter().any(|(_, own)| **own == *name)
        };
        if libraries::is_crate(name) || renamed() {
            return Some(Resolution::Prelude(Arc::from("")));
        }
        if let Some(project) = Project::try_get(self.db)
            && let Some(module) = package_library(self.db, project, name)
        {
            return Some(Resolution::Module(module));
        }
        language::is_language_name(name).then_some(Resolution::External)
    }

    fn in_module(&mut self, module: ModuleId, name: &str, namespace: Namespace) -> Lookup {
        let declarations = module_scope(self.db, module);
        self.in_scope(&ScopeRef::module(module), &declarations, name, namespace)
    }

    fn in_scope(
        &mut self,
        scope: &ScopeRef,
        declarations: &Declarations,
        name: &str,
        namespace: Namespace,
    ) -> Lookup {
        if declarations.declared_as(name).is_empty() && declarations.globs().is_empty() {
            return Lookup {
                found: None,
                open: declarations.is_open(),
            };
        }
        let key = (scope.key(), Arc::from(name), namespace, self.probing);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        // Modules that import each other's globs are looked through for each name.
        self.db.unwind_if_revision_cancelled();
        if self.active.len() >= MAXIMUM_DEPTH {
            return Lookup::of(Resolution::External);
        }
        if !self.active.insert(key.clone()) {
            return Lookup::default();
        }
        let found = self.declared_resolution(scope, declarations, name, namespace);
        let found = match found {
            Some(found) => Lookup::of(found),
            None => self.globbed(scope, declarations, name, namespace),
        };
        self.active.remove(&key);
        self.known.insert(key, found.clone());
        found
    }

    /// What is declared or imported by name.
    fn declared_resolution(
        &mut self,
        scope: &ScopeRef,
        declarations: &Declarations,
        name: &str,
        namespace: Namespace,
    ) -> Option<Resolution> {
        let declared = declarations.declared_as(name).iter();
        let declared = declared.filter(|declared| declared.in_namespace(namespace));
        if is_ambiguous(declared.clone()) {
            return Some(Resolution::External);
        }
        for declared in declared {
            match declared {
                Declared::Axis(axis) => return Some(Resolution::Axis(axis.clone())),
                Declared::Module(module) => return Some(Resolution::Module(*module)),
                Declared::MissingModule => return Some(Resolution::External),
                Declared::Parameter { .. } => return Some(Resolution::Parameter(Arc::from(name))),
                Declared::Item(item, kind) => return Some(item_resolution(*item, *kind)),
                Declared::Import(path) => {
                    if let Some(found) = self.path(scope, path, namespace).found {
                        return Some(found);
                    }
                    if !self.probing {
                        self.probing = true;
                        let other = self.path(scope, path, namespace.other_namespace());
                        self.probing = false;
                        if other.found.is_none() {
                            // A broken import, which `rustc` reports.
                            return Some(Resolution::External);
                        }
                    }
                }
            }
        }
        None
    }

    fn globbed(
        &mut self,
        scope: &ScopeRef,
        declarations: &Declarations,
        name: &str,
        namespace: Namespace,
    ) -> Lookup {
        let mut open = declarations.is_open();
        let mut from_library = None;
        let asked;
        let targets: Option<&[Option<Resolution>]> = match self.follows_globs {
            _ if scope.block.is_some() => None,
            None => {
                asked = glob_targets(self.db, scope.module);
                Some(&*asked)
            }
            Some((module, known)) => (module == scope.module).then_some(known),
        };
        for (index, glob) in declarations.globs().iter().enumerate() {
            if glob
                .first()
                .is_some_and(|first| language::is_language_crate(first))
            {
                continue;
            }
            let target = match &targets {
                Some(targets) => targets.get(index).cloned().flatten(),
                None => self.path(scope, glob, Namespace::Type).found,
            };
            match target {
                Some(Resolution::Module(module)) => {
                    let found = self.in_module(module, name, namespace);
                    open |= found.open;
                    if found.found.is_some() {
                        return found;
                    }
                }
                Some(Resolution::Prelude(path)) => {
                    if libraries::is_variant(&path, name) {
                        from_library = Some(Resolution::Prelude(format!("{path}::{name}").into()));
                    } else if libraries::is_prelude_name(name) {
                        from_library = Some(Resolution::Prelude(Arc::from(name)));
                    }
                }
                // Variants of an enum of our own are values of it: none of them is an axis, an alias or a constant.
                Some(Resolution::Type(item)) => {
                    if namespace == Namespace::Value && has_variant(self.db, item, name) {
                        return Lookup {
                            found: Some(Resolution::Type(item)),
                            open,
                        };
                    }
                }
                _ => open = true,
            }
        }
        Lookup {
            found: from_library,
            open,
        }
    }
}

/// Whether an item is an enum with a variant of that name.
fn has_variant(db: &dyn Db, item: ItemId, name: &str) -> bool {
    let parsed = parse_item(db, item).cast::<ast::Enum>();
    let list = parsed.and_then(|item| item.variant_list());
    let mut variants = list.into_iter().flat_map(|list| list.variants());
    variants.any(|variant| variant.name().is_some_and(|own| own.text() == name))
}

/// Whether a name is declared more than once, by `cfg` or by mistake: which one is meant is not ours to say. In one `axes!` the
/// second declaration is a fault of its own, and the first is taken.
fn is_ambiguous<'a>(declared: impl Iterator<Item = &'a Declared>) -> bool {
    let mut declared = declared.filter(|declared| !matches!(declared, Declared::Import(_)));
    let Some(first) = declared.next() else {
        return false;
    };
    declared.any(|other| match (first, other) {
        (Declared::Axis(first), Declared::Axis(other)) => {
            first.size != other.size && first.span.item != other.span.item
        }
        _ => true,
    })
}

/// What a name means behind that of a type of the project.
pub fn associated_name(
    db: &dyn Db,
    ty: ItemId,
    name: &str,
    namespace: Namespace,
) -> Option<Resolution> {
    let item = associated_item(db, ty, name)?;
    let found = item_resolution(item, item.kind(db));
    let is_type = matches!(found, Resolution::Alias(_));
    (is_type == (namespace == Namespace::Type)).then_some(found)
}

fn item_resolution(item: ItemId, kind: ItemKind) -> Resolution {
    match kind {
        ItemKind::Alias => Resolution::Alias(item),
        ItemKind::Constant | ItemKind::Static => Resolution::Const(item),
        ItemKind::Function => Resolution::Function(item),
        _ => Resolution::Type(item),
    }
}

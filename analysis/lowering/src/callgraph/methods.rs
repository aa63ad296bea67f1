//! Whose method a call may mean: what it is called on, as far as the text says that, and which methods of the project fit.
//!
//! It follows types as they are written, and infers none. A value of an unknown type may be a tensor, or of a type of the project
//! that has to do with tensors; it is none that only the host has.

use std::cell::OnceCell;
use std::sync::Arc;

use indexmap::IndexSet;
use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};
use rustc_hash::FxHashMap;

use crate::db::Db;
use crate::inputs::{Project, SourceFile};
use crate::items::{self, ItemId, ItemKind, Namespace, Resolution};
use crate::syntax::{child_of, nodes_of, without_raw};

use super::{path_names, paths_of};

/// Aliases, variables and calls that are followed one after the other to a type.
const FOLLOWED: u32 = 8;

/// Items whose types are looked through for one of the library.
const MOST_TYPES: usize = 256;

/// What a method is called on, or is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Receiver {
    /// A type that the project declares.
    Type(ItemId),
    /// A type that it does not declare: of the library, or of the language.
    Foreign,
    /// A generic parameter, or a type that only a trait says something of.
    Parameter,
    Unknown,
}

/// A call of a method, or of an associated function of a type that a caller chooses.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct MethodCall {
    name: Arc<str>,
    on: Receiver,
}

/// A function of an `impl` block or of a trait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Method {
    name: Arc<str>,
    pub(super) function: ItemId,
    of: Receiver,
    /// Whether it is of a trait, or of a block of one.
    of_trait: bool,
    /// Whether it, or what it is called on, is written with a type of the library or with a parameter.
    on_device: bool,
}

/// The functions of `impl` blocks and traits by name.
pub(super) type Methods = FxHashMap<Arc<str>, Arc<[Method]>>;

impl Method {
    /// Whether a call of its name may mean it.
    fn fits_receiver(&self, on: Receiver) -> bool {
        match (on, self.of) {
            (Receiver::Unknown, _) => self.on_device,
            (_, Receiver::Unknown) | (Receiver::Parameter, _) => self.of_trait,
            // Blocks for all types, and what a trait gives.
            (_, Receiver::Parameter) => true,
            (one, other) => one == other,
        }
    }
}

/// The methods that a call in a function of a file may mean.
pub(super) fn fitting_methods<'a>(
    db: &'a dyn Db,
    methods: &'a Methods,
    from: SourceFile,
    call: &MethodCall,
) -> impl Iterator<Item = ItemId> + 'a {
    let on = match call.on {
        // What a type hands on to another one is not followed.
        Receiver::Type(ty) if items::associated_item(db, ty, "deref").is_some() => {
            Receiver::Unknown
        }
        on => on,
    };
    let of_name = methods
        .get(&call.name)
        .into_iter()
        .flat_map(|all| all.iter());
    let fitting = of_name.filter(move |method| method.fits_receiver(on));
    let fitting = fitting.map(|method| method.function);
    fitting.filter(move |function| items::may_use(db, from, function.file(db)))
}

/// The methods of the project.
#[salsa::tracked(returns(clone))]
pub(super) fn project_methods(db: &dyn Db, project: Project) -> Arc<Methods> {
    // Any method of the project may be typed into.
    project.restless(db);
    let mut all: FxHashMap<Arc<str>, Vec<Method>> = FxHashMap::default();
    for file in items::kernel_files(db, project) {
        for method in methods_in(db, file).iter() {
            let of_name = all.entry(Arc::clone(&method.name)).or_default();
            of_name.push(method.clone());
        }
    }
    let all = all.into_iter();
    Arc::new(all.map(|(name, methods)| (name, methods.into())).collect())
}

/// The methods of a file.
#[salsa::tracked(returns(clone))]
fn methods_in(db: &dyn Db, file: SourceFile) -> Arc<[Method]> {
    let functions = items::file_functions(db, file).into_iter();
    functions
        .filter_map(|function| {
            let owner = function.owner(db);
            let is_trait = items::is_trait(db, owner);
            if owner.kind(db) != ItemKind::Implementation && !is_trait {
                return None;
            }
            let of = self_type(db, owner);
            let behind = match of {
                Receiver::Type(ty) => Some(ty),
                _ => None,
            };
            let block = items::parse_item(db, owner).cast::<ast::Impl>();
            Some(Method {
                name: function.name(db),
                function,
                of,
                of_trait: is_trait || block.is_some_and(|block| block.trait_().is_some()),
                on_device: !matches!(of, Receiver::Type(_)) || {
                    let items = [function].into_iter().chain(behind);
                    name_the_library(db, items)
                },
            })
        })
        .collect()
}

/// The names of the methods that a function's text calls, and of the associated functions: whose they are is not looked for.
#[salsa::tracked(returns(clone))]
pub(super) fn called_names(db: &dyn Db, function: ItemId) -> Arc<[Arc<str>]> {
    let parsed = items::parse_item(db, function);
    let Some(node) = parsed.item() else {
        return Arc::from([]);
    };
    let calls = nodes_of(
        node.syntax(),
        |met| matches!(met.kind, SyntaxKind::METHOD_CALL_EXPR | SyntaxKind::PATH),
        |_| true,
    );
    let names = calls.into_iter().filter_map(|call| {
        let name: ast::NameRef = match ast::MethodCallExpr::cast(call.clone()) {
            Some(call) => call.name_ref()?,
            None => {
                let path = ast::Path::cast(call)?;
                path.qualifier()?;
                path.segment()?.name_ref()?
            }
        };
        Some(Arc::from(without_raw(name.text())))
    });
    let names: IndexSet<Arc<str>> = names.collect();
    names.into_iter().collect()
}

/// The methods that a function's text calls.
#[salsa::tracked(returns(clone))]
pub(super) fn method_calls(db: &dyn Db, function: ItemId) -> Arc<[MethodCall]> {
    let parsed = items::parse_item(db, function);
    let Some(node) = parsed.item() else {
        return Arc::from([]);
    };
    let reader = Reader::of(db, function, node.syntax());
    let calls = node.syntax().descendants();
    let calls = calls.filter_map(ast::MethodCallExpr::cast);
    let calls = calls.filter_map(|call| {
        Some(MethodCall {
            name: Arc::from(without_raw(call.name_ref()?.text())),
            on: reader.of_expression(call.receiver(), 0),
        })
    });
    let mut found: IndexSet<MethodCall> = calls.collect();
    // `O::run(..)` of a generic parameter, `Self::run(..)`: whose function it is, a caller says.
    for path in paths_of(node.syntax()) {
        let [owner, name] = &path_names(&path)[..] else {
            continue;
        };
        let on = if owner == "Self" {
            self_type(db, function.owner(db))
        } else if let Resolution::Parameter(_) = reader.resolved(&path, &[owner], Namespace::Type) {
            Receiver::Parameter
        } else {
            continue;
        };
        let name = Arc::from(name.as_str());
        found.insert(MethodCall { name, on });
    }
    found.into_iter().collect()
}

/// What the functions of a block or trait are called on; unknown of what is neither.
fn self_type(db: &dyn Db, owner: ItemId) -> Receiver {
    if items::is_trait(db, owner) {
        return Receiver::Parameter;
    }
    let parsed = items::parse_item(db, owner);
    let Some(block) = parsed.cast::<ast::Impl>() else {
        return Receiver::Unknown;
    };
    let reader = Reader::of(db, owner, block.syntax());
    // A block for `Self` is for no type.
    block
        .self_ty()
        .filter(|ty| ty.syntax().text() != "Self")
        .map_or(Receiver::Unknown, |ty| reader.of_type(&ty, 0))
}

/// The types in a text of an item.
struct Reader<'db> {
    db: &'db dyn Db,
    item: ItemId,
    node: SyntaxNode,
    /// What binds names in the text, by name: chains of methods ask again and again.
    bindings: OnceCell<FxHashMap<String, Vec<ast::IdentPat>>>,
}

impl<'db> Reader<'db> {
    fn of(db: &'db dyn Db, item: ItemId, node: &SyntaxNode) -> Self {
        Self {
            db,
            item,
            node: node.clone(),
            bindings: OnceCell::new(),
        }
    }

    fn resolved(&self, at: &ast::Path, names: &[&String], namespace: Namespace) -> Resolution {
        let start = at.syntax().text_range().start().into();
        let scope = items::scope_at(self.db, self.item, start);
        let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
        items::resolve_path(self.db, &scope, &names, namespace)
    }

    /// What a value of a type as written is.
    fn of_type(&self, ty: &ast::Type, depth: u32) -> Receiver {
        if depth > FOLLOWED {
            return Receiver::Unknown;
        }
        let inside = |inner: Option<ast::Type>| {
            inner.map_or(Receiver::Unknown, |inner| self.of_type(&inner, depth + 1))
        };
        match ty {
            ast::Type::RefType(inner) => inside(inner.ty()),
            ast::Type::ParenType(inner) => inside(inner.ty()),
            ast::Type::ImplTraitType(_) | ast::Type::DynTraitType(_) => Receiver::Parameter,
            ast::Type::PathType(path) => match path.path() {
                Some(path) => self.of_path(&path, depth),
                None => Receiver::Unknown,
            },
            ast::Type::InferType(_) => Receiver::Unknown,
            _ => Receiver::Foreign,
        }
    }

    fn of_path(&self, path: &ast::Path, depth: u32) -> Receiver {
        let names = path_names(path);
        if names.as_slice() == ["Self"] {
            let owner = self.item.owner(self.db);
            return if owner == self.item {
                Receiver::Unknown
            } else {
                self_type(self.db, owner)
            };
        }
        let names: Vec<&String> = names.iter().collect();
        match self.resolved(path, &names, Namespace::Type) {
            Resolution::Type(item) => Receiver::Type(item),
            Resolution::Alias(alias) => self.behind_alias(alias, depth),
            Resolution::Parameter(_) => Receiver::Parameter,
            Resolution::Prelude(_) => Receiver::Foreign,
            // What a box holds is called as the box is.
            Resolution::External if path.syntax().text().contains_char('<') => Receiver::Unknown,
            Resolution::External => Receiver::Foreign,
            _ => Receiver::Unknown,
        }
    }

    fn behind_alias(&self, alias: ItemId, depth: u32) -> Receiver {
        let parsed = items::parse_item(self.db, alias);
        let Some(node) = parsed.cast::<ast::TypeAlias>() else {
            return Receiver::Unknown;
        };
        let reader = Reader::of(self.db, alias, node.syntax());
        node.ty()
            .map_or(Receiver::Unknown, |ty| reader.of_type(&ty, depth + 1))
    }

    /// What an expression is, as far as it is plain.
    fn of_expression(&self, expression: Option<ast::Expr>, depth: u32) -> Receiver {
        let Some(expression) = expression.filter(|_| depth <= FOLLOWED) else {
            return Receiver::Unknown;
        };
        match expression {
            ast::Expr::ParenExpr(inner) => self.of_expression(inner.expr(), depth + 1),
            ast::Expr::RefExpr(inner) => self.of_expression(inner.expr(), depth + 1),
            ast::Expr::PathExpr(path) => match path.path() {
                Some(path) => self.of_variable(&path, depth),
                None => Receiver::Unknown,
            },
            ast::Expr::RecordExpr(record) => match record.path() {
                Some(path) => self.of_path(&path, depth + 1),
                None => Receiver::Unknown,
            },
            ast::Expr::CallExpr(call) => match call.expr() {
                Some(ast::Expr::PathExpr(callee)) => callee
                    .path()
                    .map_or(Receiver::Unknown, |path| self.of_call(&path, depth + 1)),
                _ => Receiver::Unknown,
            },
            ast::Expr::FieldExpr(field) => self.of_field(&field, depth + 1),
            ast::Expr::MethodCallExpr(call) => {
                let name = call.name_ref();
                match (self.of_expression(call.receiver(), depth + 1), name) {
                    (Receiver::Type(ty), Some(name)) => {
                        let method = items::associated_item(self.db, ty, without_raw(name.text()));
                        method.map_or(Receiver::Unknown, |method| {
                            self.result_of(method, depth + 1)
                        })
                    }
                    _ => Receiver::Unknown,
                }
            }
            ast::Expr::Literal(_) | ast::Expr::ArrayExpr(_) | ast::Expr::TupleExpr(_) => {
                Receiver::Foreign
            }
            _ => Receiver::Unknown,
        }
    }

    /// What a function gives, by its result as written.
    fn result_of(&self, function: ItemId, depth: u32) -> Receiver {
        let parsed = items::parse_item(self.db, function);
        let Some(node) = parsed.cast::<ast::Fn>() else {
            return Receiver::Unknown;
        };
        let reader = Reader::of(self.db, function, node.syntax());
        let result = node.ret_type().and_then(|result| result.ty());
        result.map_or(Receiver::Foreign, |ty| reader.of_type(&ty, depth + 1))
    }

    fn of_call(&self, path: &ast::Path, depth: u32) -> Receiver {
        let names = path_names(path);
        let names: Vec<&String> = names.iter().collect();
        match self.resolved(path, &names, Namespace::Value) {
            Resolution::Function(function) => self.result_of(function, depth),
            // `Wrapper(x)`.
            Resolution::Type(item) => Receiver::Type(item),
            _ => Receiver::Unknown,
        }
    }

    fn of_field(&self, field: &ast::FieldExpr, depth: u32) -> Receiver {
        let Receiver::Type(item) = self.of_expression(field.expr(), depth) else {
            return Receiver::Unknown;
        };
        let name = match (field.name_ref(), field.index_token()) {
            (Some(name), _) => without_raw(name.text()).to_owned(),
            (None, Some(index)) => index.text().to_owned(),
            (None, None) => return Receiver::Unknown,
        };
        let parsed = items::parse_item(self.db, item);
        let Some(node) = parsed.cast::<ast::Struct>() else {
            return Receiver::Unknown;
        };
        let ty = match node.field_list() {
            Some(ast::FieldList::RecordFieldList(list)) => list
                .fields()
                .find(|field| {
                    let own = field.name();
                    own.is_some_and(|own| without_raw(own.text()) == name)
                })
                .and_then(|field| field.ty()),
            Some(ast::FieldList::TupleFieldList(list)) => {
                let index: Option<usize> = name.parse().ok();
                index.and_then(|index| list.fields().nth(index)?.ty())
            }
            None => None,
        };
        let reader = Reader::of(self.db, item, node.syntax());
        ty.map_or(Receiver::Unknown, |ty| reader.of_type(&ty, depth + 1))
    }

    fn bindings_by_name(&self) -> &FxHashMap<String, Vec<ast::IdentPat>> {
        self.bindings.get_or_init(|| {
            let bound = nodes_of(
                &self.node,
                |met| met.kind == SyntaxKind::IDENT_PAT,
                |met| met.kind != SyntaxKind::TOKEN_TREE,
            );
            let mut named: FxHashMap<String, Vec<ast::IdentPat>> = FxHashMap::default();
            for pattern in bound.into_iter().filter_map(ast::IdentPat::cast) {
                if let Some(name) = pattern.name() {
                    let name = without_raw(name.text()).to_owned();
                    named.entry(name).or_default().push(pattern);
                }
            }
            named
        })
    }

    /// What a variable is: what all that binds its name says.
    fn of_variable(&self, path: &ast::Path, depth: u32) -> Receiver {
        let names = path_names(path);
        let [name] = names.as_slice() else {
            return Receiver::Unknown;
        };
        if name == "self" {
            let owner = self.item.owner(self.db);
            return if owner == self.item {
                Receiver::Unknown
            } else {
                self_type(self.db, owner)
            };
        }
        let of_name = self.bindings_by_name().get(name).into_iter().flatten();
        let mut said = of_name.map(|pattern| self.of_binding(pattern, depth + 1));
        let first = said.next().unwrap_or(Receiver::Unknown);
        if said.all(|other| other == first) {
            first
        } else {
            Receiver::Unknown
        }
    }

    fn of_binding(&self, pattern: &ast::IdentPat, depth: u32) -> Receiver {
        let Some(around) = pattern.syntax().parent() else {
            return Receiver::Unknown;
        };
        if let Some(parameter) = ast::Param::cast(around.clone()) {
            let ty = parameter.ty();
            return ty.map_or(Receiver::Unknown, |ty| self.of_type(&ty, depth));
        }
        let Some(binding) = ast::LetStmt::cast(around) else {
            return Receiver::Unknown;
        };
        match binding.ty() {
            Some(ty) => self.of_type(&ty, depth),
            None => self.of_expression(binding.initializer(), depth),
        }
    }
}

/// Whether one of some items, or a type that it is written with, is written with a type of the library or with a parameter.
pub(super) fn name_the_library(db: &dyn Db, items: impl Iterator<Item = ItemId>) -> bool {
    let mut seen: IndexSet<ItemId> = items.collect();
    let mut next = 0;
    while let Some(&item) = seen.get_index(next) {
        let named = named_types(db, item);
        if named.library || next >= MOST_TYPES {
            return true;
        }
        seen.extend(named.others.iter());
        next += 1;
    }
    false
}

/// The types that an item is written with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct NamedTypes {
    /// Whether one is of the library, or a parameter, or is written as a mapping.
    library: bool,
    /// Those that the project declares.
    others: Arc<[ItemId]>,
}

#[salsa::tracked(returns(clone))]
fn named_types(db: &dyn Db, item: ItemId) -> NamedTypes {
    let parsed = items::parse_item(db, item);
    let Some(node) = parsed.item() else {
        return NamedTypes::default();
    };
    let reader = Reader::of(db, item, node.syntax());
    let types = nodes_of(
        node.syntax(),
        |met| matches!(met.kind, SyntaxKind::PATH_TYPE | SyntaxKind::MACRO_TYPE),
        |met| met.kind != SyntaxKind::TOKEN_TREE,
    );
    let mut others = IndexSet::new();
    let mut library = false;
    for node in types {
        let Some(path) = child_of::<ast::Path>(&node) else {
            // `m![…]`: no other macro is a type of a kernel.
            library = true;
            continue;
        };
        let names = path_names(&path);
        let names: Vec<&String> = names.iter().collect();
        match reader.resolved(&path, &names, Namespace::Type) {
            Resolution::Prelude(_) | Resolution::Parameter(_) => library = true,
            Resolution::Type(named) | Resolution::Alias(named) => {
                others.insert(named);
            }
            _ => {}
        }
    }
    NamedTypes {
        library,
        others: others.into_iter().collect(),
    }
}

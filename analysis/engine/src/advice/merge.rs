//! Candidates that load once what is loaded twice: one load of a tensor in place of two of the same, and one load of all tiles of an axis in
//! place of a load for each tile.
//!
//! Two tensors of HBM are never one transfer: a transfer reads one tensor, and which tensors a kernel takes is not changed. Knows the
//! names that are read where a tensor of DM was; what may be at rest beside what is judged where the candidate is tried.

use std::ops::Range;

use ra_ap_syntax::ast::{self, AstNode, HasArgList, HasGenericArgs, HasName};
use ra_ap_syntax::{SyntaxKind, SyntaxNode, SyntaxToken};
use rustc_hash::FxHashMap;

use crate::db::Db;
use crate::derivation::BodyDerivation;
use crate::items::{ItemId, ParsedItem, method_call, parse_item};
use crate::kernel::catalogue::Role;
use crate::kernel::{
    Body, Copy, Level, Operation, OperationId, OperationKind, Origin, Tensor, TensorId, Tier,
    TileWindow,
};
use crate::mapping::Form;
use crate::rules::Edit;

use super::gather::free_address;
use super::statement::unused_names;
use super::writing::{Held, generics_of, tensor_phrase, written_at};
use super::{Candidate, Kind};

/// Names for what holds all tiles, the first that the function does not use.
const NAMES: [&str; 3] = ["tiles", "tiles2", "tiles3"];

/// Tiles that are loaded one by one, at most.
const TILES: u64 = 64;

/// One load in place of an operation and others.
pub(super) fn merge_candidates(
    db: &dyn Db,
    body: &Body,
    derivation: &BodyDerivation,
    operation: &Operation,
) -> Vec<Candidate> {
    let function = Function::of(db, body, operation.span.item);
    let Some(load) = Load::of(&function, operation) else {
        return Vec::new();
    };
    let others = body.operations.iter().filter(|one| one.id != operation.id);
    let others: Vec<Load<'_>> = others
        .filter(|one| one.span.item == operation.span.item)
        .filter_map(|one| Load::of(&function, one))
        .filter(|other| other.is_like(body, &load))
        .collect();
    let mut found: Vec<Candidate> = others
        .iter()
        .filter_map(|other| {
            let (first, second) = if other.operation.id < operation.id {
                (other, &load)
            } else {
                (&load, other)
            };
            shared_load_candidate(body, operation, first, second)
        })
        .collect();
    found.extend(merged_tiles_candidate(db, body, derivation, &load, &others));
    found
}

/// A body and the text of one function, with what is asked about each load: read once, however many loads there are.
struct Function<'a> {
    db: &'a dyn Db,
    body: &'a Body,
    parsed: ParsedItem,
    /// Where each name is written in the text.
    names: FxHashMap<String, Vec<SyntaxToken>>,
    /// The operations that write to each tensor with bytes of its own.
    writers: FxHashMap<TensorId, Vec<OperationId>>,
}

impl<'a> Function<'a> {
    fn of(db: &'a dyn Db, body: &'a Body, item: ItemId) -> Self {
        let parsed = parse_item(db, item);
        let mut names: FxHashMap<String, Vec<SyntaxToken>> = FxHashMap::default();
        let root = parsed.root().into_iter();
        let parts = root.flat_map(|root| root.syntax().descendants_with_tokens());
        let tokens = parts.filter_map(ra_ap_syntax::NodeOrToken::into_token);
        for token in tokens.filter(|token| token.kind() == SyntaxKind::IDENT) {
            let known = names.entry(token.text().to_owned()).or_default();
            known.push(token);
        }
        let mut writers: FxHashMap<TensorId, Vec<OperationId>> = FxHashMap::default();
        for operation in &body.operations {
            for written in operation.tensors_written() {
                let known = writers.entry(body.root(written)).or_default();
                known.push(operation.id);
            }
        }
        Self {
            db,
            body,
            parsed,
            names,
            writers,
        }
    }

    /// Whether an operation, other than one, writes to a tensor's bytes.
    fn is_written(&self, tensor: TensorId, but: Option<OperationId>) -> bool {
        let writers = self.writers.get(&self.body.root(tensor));
        let mut writers = writers.into_iter().flatten();
        writers.any(|writer| Some(*writer) != but)
    }

    /// The calls that give a view of a variable. `None` where it is named otherwise, or another one has its name.
    fn views(&self, name: &str, view: &str) -> Option<Vec<SyntaxNode>> {
        let mut bound = 0;
        let mut found = Vec::new();
        for token in self.names.get(name).into_iter().flatten() {
            let parent = token.parent()?;
            if ast::Name::can_cast(parent.kind()) {
                bound += 1;
                continue;
            }
            let path = parent.ancestors().find_map(ast::PathExpr::cast)?;
            let viewed = ast::MethodCallExpr::cast(path.syntax().parent()?)?;
            if viewed.name_ref()?.text() != view || path.syntax().text() != name {
                return None;
            }
            found.push(viewed.syntax().clone());
        }
        (bound == 1).then_some(found)
    }
}

/// A load that makes a variable of its own, in no loop, of what nothing in the kernel writes.
struct Load<'a> {
    operation: &'a Operation,
    copy: &'a Copy,
    source: &'a Tensor,
    target: &'a Tensor,
    parsed: ParsedItem,
    statement: SyntaxNode,
    name: String,
    /// The calls that give a view of the variable: nothing else names it.
    views: Option<Vec<SyntaxNode>>,
}

impl<'a> Load<'a> {
    fn of(function: &Function<'a>, operation: &'a Operation) -> Option<Self> {
        let body = function.body;
        let OperationKind::Copy(copy) = &operation.kind else {
            return None;
        };
        let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
        let made = matches!(target.origin, Origin::Operation(_));
        let loads = source.tier == Tier::Hbm && target.tier == Tier::Dm && made;
        let once = operation.loops.is_empty() && operation.branches.is_empty();
        let changes = function.is_written(source.id, None)
            || function.is_written(target.id, Some(operation.id));
        if !loads || !once || changes || target.moved_before.is_some() {
            return None;
        }
        let parent = method_call(function.db, operation.span)?
            .syntax()
            .parent()?;
        let statement = ast::LetStmt::cast(parent)?;
        let ast::Pat::IdentPat(pattern) = statement.pat()? else {
            return None;
        };
        let name = pattern.name()?.text().to_string();
        let views = function.views(&name, body.library().view()?);
        Some(Self {
            operation,
            copy,
            source,
            target,
            parsed: function.parsed.clone(),
            statement: statement.syntax().clone(),
            name,
            views,
        })
    }

    /// Whether another one reads the same tensor into as many bytes of the same slices.
    fn is_like(&self, body: &Body, other: &Self) -> bool {
        let form = |tensor: &Tensor| Held::of(tensor);
        let alike = match (form(self.target), form(other.target)) {
            (Some(own), Some(others)) => {
                own.cluster == others.cluster
                    && own.slice == others.slice
                    && own.element == others.element
            }
            _ => false,
        };
        alike
            && self.target.element_type.get() == other.target.element_type.get()
            && whole_of(body, self.source)
                .is_some_and(|whole| whole_of(body, other.source) == Some(whole))
            && self.operation.calls == other.operation.calls
    }

    /// Whether its variable is in scope at another load.
    fn reaches(&self, other: &Self) -> bool {
        let block = self.statement.parent();
        other.statement.ancestors().any(|node| Some(node) == block)
    }

    fn tile(&self) -> Option<&'a TileWindow> {
        match &self.source.origin {
            Origin::View {
                tile: Some(window), ..
            } => Some(window),
            _ => None,
        }
    }
}

/// What a tensor is a tile of, or a view of the whole. `None` for a tile of a tile, and for one of another type.
fn whole_of(body: &Body, tensor: &Tensor) -> Option<TensorId> {
    let mut tiles = 0;
    for one in body.sharing(tensor.id) {
        match &one.origin {
            Origin::View { tile, .. } => tiles += usize::from(tile.is_some()),
            Origin::Resized { .. } | Origin::Reshape { .. } => return None,
            _ => {}
        }
    }
    (tiles <= 1).then(|| body.root(tensor.id))
}

/// The first of two loads of the same, for both.
fn shared_load_candidate(
    body: &Body,
    operation: &Operation,
    first: &Load<'_>,
    second: &Load<'_>,
) -> Option<Candidate> {
    let same = match (first.tile(), second.tile()) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            one.start.get()? == other.start.get()?
                && one.output.get()?.form() == other.output.get()?.form()
        }
        _ => false,
    };
    // Nothing else has the name of the first.
    first.views.as_ref()?;
    if !same || !first.reaches(second) {
        return None;
    }
    let parsed = &second.parsed;
    let mut edits = vec![Edit::new(parsed.span(&second.statement), String::new())];
    for viewed in second.views.as_ref()? {
        let viewed = ast::MethodCallExpr::cast(viewed.clone())?;
        let named = parsed.span(viewed.receiver()?.syntax());
        edits.push(Edit::new(named, first.name.clone()));
    }
    Some(Candidate {
        kind: Kind::Merge,
        title: format!(
            "Load {} once, and read `{}` where `{}` is read",
            tensor_phrase(body, first.source),
            first.name,
            second.name
        ),
        span: operation.span,
        rule: None,
        edits,
    })
}

/// One load of all tiles that are loaded one by one.
fn merged_tiles_candidate(
    db: &dyn Db,
    body: &Body,
    derivation: &BodyDerivation,
    load: &Load<'_>,
    others: &[Load<'_>],
) -> Option<Candidate> {
    let index = load.tile()?.index.get()?.form();
    let mut loads: Vec<&Load<'_>> = others
        .iter()
        .chain([load])
        .filter(|one| {
            one.tile()
                .and_then(|tile| Some(tile.index.get()?.form() == index))
                == Some(true)
        })
        .collect();
    loads.sort_by_key(|one| one.operation.id);
    let count = index.size();
    let starts: Option<Vec<u64>> = loads
        .iter()
        .map(|one| {
            let tile = one.tile()?;
            let single = tile.length.get() == Some(&1) && tile.level == Level::Element;
            tile.start.get().copied().filter(|_| single)
        })
        .collect();
    let starts = starts?;
    let mut all = starts.clone();
    all.sort_unstable();
    let complete: Range<u64> = 0..count;
    let first = loads.first()?;
    let in_scope = loads.iter().all(|one| first.reaches(one));
    if !(2..=TILES).contains(&count) || !all.into_iter().eq(complete) || !in_scope {
        return None;
    }
    let held = Held::of(load.target)?;
    let axes = index.axes();
    if axes
        .iter()
        .any(|axis| held.element.contains_axis(axis.name()))
    {
        return None;
    }
    let element = Form::multiply(index, &held.element)?;
    let name = *unused_names(&load.statement, &NAMES)?.first()?;
    let (statement, method) =
        whole_load_statement(db, body, derivation, first, name, (&held, &element))?;
    // As authors write it: what the index has beside the tile is padding.
    let part = format!("m![1 # {count}, {}]", held.element.to_mapping());
    let mut edits = Vec::new();
    for (one, start) in loads.iter().zip(starts) {
        let parsed = &one.parsed;
        let own = parsed.span(&one.statement);
        let text = if one.operation.id == first.operation.id {
            statement.clone()
        } else {
            String::new()
        };
        edits.push(Edit::new(own, text));
        for viewed in one.views.as_ref()? {
            let view = body.library().view()?;
            let tile = format!("{name}.{view}().{method}, {part}>({start})");
            edits.push(Edit::new(parsed.span(viewed), tile));
        }
    }
    Some(Candidate {
        kind: Kind::Merge,
        title: format!(
            "Load the {count} tiles of {} in one transfer, and read tiles of it",
            tensor_phrase(body, body.tensor(whole_of(body, load.source)?)?)
        ),
        span: load.operation.span,
        rule: None,
        edits,
    })
}

/// The statement that loads all tiles, and the beginning of the call of a tile as the author writes it, up to its mapping.
fn whole_load_statement(
    db: &dyn Db,
    body: &Body,
    derivation: &BodyDerivation,
    first: &Load<'_>,
    name: &str,
    (held, element): (&Held, &Form),
) -> Option<(String, String)> {
    let parsed = &first.parsed;
    let transfer = method_call(db, first.copy.span)?;
    let ast::Expr::MethodCallExpr(tile) = transfer.receiver()? else {
        return None;
    };
    let text = |node: &SyntaxNode| written_at(db, parsed.span(node));
    let base = text(tile.receiver()?.syntax())?;
    let arguments = tile.generic_arg_list()?;
    let mut generics = arguments.generic_args();
    let (index, length) = (generics.next()?, generics.next()?);
    let method = format!(
        "{}::<{}, {}",
        tile.name_ref()?.text(),
        text(index.syntax())?,
        text(length.syntax())?
    );
    let bits = first.target.element_type.get()?.bits();
    let bytes = element.size().checked_mul(bits)?.div_ceil(8);
    let mut roles: Vec<(Role, String)> = free_address(body, derivation, bytes, &[])?
        .map(|address| (Role::Address, format!("{address:#x}")))
        .into_iter()
        .collect();
    let context = transfer.arg_list()?.args().next()?;
    roles.push((Role::Context, text(context.syntax())?));
    let whole = Held {
        element: element.clone(),
        ..held.clone()
    };
    let generics = generics_of(first.target, &whole)?;
    let library = body.library();
    let transfer = library.write_transfer(Tier::Hbm, Tier::Dm, &generics, &roles)?;
    Some((format!("let {name} = {base}.{transfer};"), method))
}

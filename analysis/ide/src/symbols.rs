//! The outline of a file, and declarations by name.
//!
//! Kernels with their operations, other functions that handle tensors, axes, aliases of mappings and tensors with their sizes,
//! constants that mappings are written with. What an item declares is kept with places in its normalised text.

mod declared;
mod search;
#[cfg(test)]
mod tests;

use ra_ap_syntax::ast::{self, AstNode};
use rustc_hash::FxHashSet;

use crate::check::{function_derivation, function_simulation};
use crate::cost::rows::Names;
use crate::db::Db;
use crate::inputs::{SourceFile, parse};
use crate::items::{
    ItemId, ItemKind, ModulePath, Span, TokenMap, alias_mapping, const_value, file_items,
    is_inside, token_map,
};
use crate::kernel::OperationKind;
use crate::lowering::body;
use crate::numbers::thousands;

use self::declared::{Declared, constants_in_macros, item_declarations};
use super::operations::end_span;
use super::{ByteRange, Symbol, SymbolKind};

pub(super) use search::workspace_symbols;

/// Modules inside each other that are followed.
const MAXIMUM_DEPTH: usize = 64;

/// The outline of a file.
pub(super) fn document_symbols(db: &dyn Db, file: SourceFile) -> Vec<Symbol> {
    let items = file_items(db, file);
    let used: FxHashSet<ItemId> = items
        .items
        .iter()
        .flat_map(|item| constants_in_macros(db, *item).to_vec())
        .collect();
    let outline = Outline {
        db,
        file,
        used,
        tokens: token_map(db, file),
    };
    outline.module(&ModulePath::from([]), 0)
}

struct Outline<'a> {
    db: &'a dyn Db,
    file: SourceFile,
    /// Constants that macros of the file name.
    used: FxHashSet<ItemId>,
    tokens: std::sync::Arc<TokenMap>,
}

impl Outline<'_> {
    fn module(&self, path: &ModulePath, depth: usize) -> Vec<Symbol> {
        let items = file_items(self.db, self.file);
        let mut symbols = Vec::new();
        for item in items.of_module(path) {
            if item.kind(self.db) == ItemKind::InlineModule {
                symbols.extend(self.inline_module(*item, path, depth));
                continue;
            }
            let declared = item_declarations(self.db, *item);
            let mut inside = Vec::new();
            for entry in declared.iter() {
                inside.extend(self.symbol(entry));
                if has_children(entry.kind) {
                    inside.extend(self.operations(entry.item));
                }
            }
            symbols.extend(nest_symbols(inside));
        }
        symbols.sort_by_key(|symbol| symbol.range);
        symbols
    }

    fn inline_module(&self, item: ItemId, path: &ModulePath, depth: usize) -> Option<Symbol> {
        if depth >= MAXIMUM_DEPTH {
            return None;
        }
        let name = item.name(self.db);
        let inside: ModulePath = path.iter().cloned().chain([name.clone()]).collect();
        let children = self.module(&inside, depth.saturating_add(1));
        if children.is_empty() {
            return None;
        }
        let selection = self.bytes(super::names::item_name_span(self.db, item)?)?;
        Some(Symbol {
            name: name.to_string(),
            kind: SymbolKind::Module,
            detail: None,
            range: self.module_range(selection)?,
            selection,
            children,
        })
    }

    /// All of the module whose name is somewhere: its item is the header alone.
    fn module_range(&self, name: ByteRange) -> Option<ByteRange> {
        let parsed = parse(self.db, self.file);
        let base = parsed.offset();
        let root = parsed.tree()?.syntax().clone();
        let place = ra_ap_syntax::TextSize::from(name.start.checked_sub(base)?);
        let token = root.token_at_offset(place).right_biased()?;
        let module = token.parent_ancestors().find_map(ast::Module::cast)?;
        let range = module.syntax().text_range();
        Some(ByteRange {
            start: u32::from(range.start()).saturating_add(base),
            end: u32::from(range.end()).saturating_add(base),
        })
    }

    fn bytes(&self, span: Span) -> Option<ByteRange> {
        let (start, end) = self.tokens.range(span)?;
        (start < end).then_some(ByteRange { start, end })
    }

    fn symbol(&self, entry: &Declared) -> Option<Symbol> {
        if entry.kind == SymbolKind::Constant && !self.used.contains(&entry.item) {
            return None;
        }
        Some(Symbol {
            name: entry.name.to_string(),
            kind: entry.kind,
            detail: self.detail(entry),
            range: self.bytes(entry.range)?,
            selection: self.bytes(entry.selection)?,
            children: Vec::new(),
        })
    }

    fn detail(&self, entry: &Declared) -> Option<String> {
        match entry.kind {
            SymbolKind::Axis => entry.size.map(thousands),
            SymbolKind::Alias => {
                let result = alias_mapping(self.db, entry.item);
                result
                    .mapping
                    .as_ref()
                    .map(|mapping| thousands(mapping.size()))
            }
            SymbolKind::Constant => const_value(self.db, entry.item).as_u64().map(thousands),
            SymbolKind::Kernel => {
                let simulation = function_simulation(self.db, entry.item);
                simulation.total().map(super::lenses::cycles_text)
            }
            _ => None,
        }
    }

    /// The operations that are written in a function, those of a loop or of both arms once.
    fn operations(&self, function: ItemId) -> Vec<Symbol> {
        let lowered = body(self.db, function);
        let derivation = function_derivation(self.db, function);
        let simulation = function_simulation(self.db, function);
        let names = Names::of(&lowered, &derivation);
        let mut seen = FxHashSet::default();
        let mut symbols = Vec::new();
        for operation in &lowered.operations {
            if !is_inside(self.db, operation.span, function) || !seen.insert(operation.span) {
                continue;
            }
            let Some(selection) = self.bytes(operation.span) else {
                continue;
            };
            let end = match &operation.kind {
                OperationKind::Pass(pass) => end_span(&pass.end),
                _ => None,
            };
            let end =
                end.filter(|end| end.item == operation.span.item && end.end >= operation.span.end);
            let whole = end.map_or(operation.span, |end| operation.span.span_to(end));
            // The runs of a loop may differ.
            let cost = simulation.operations.get(operation.id.0 as usize);
            let cost = cost.filter(|_| operation.loops.is_empty());
            symbols.push(Symbol {
                name: names.operation(operation),
                kind: SymbolKind::Operation,
                detail: cost
                    .and_then(|cost| cost.cycles)
                    .map(super::lenses::cycles_text),
                range: self.bytes(whole).unwrap_or(selection),
                selection,
                children: Vec::new(),
            });
        }
        symbols
    }
}

/// Whether what is in a declaration is shown below it.
const fn has_children(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Kernel | SymbolKind::Function)
}

/// Puts what is in functions below them.
fn nest_symbols(mut symbols: Vec<Symbol>) -> Vec<Symbol> {
    symbols.sort_by_key(|symbol| (symbol.range.start, std::cmp::Reverse(symbol.range.end)));
    let mut top = Vec::new();
    // The functions around the place, the innermost last.
    let mut open: Vec<Symbol> = Vec::new();
    for symbol in symbols {
        while open
            .last()
            .is_some_and(|around| around.range.end < symbol.range.end)
        {
            close_function(&mut open, &mut top);
        }
        if has_children(symbol.kind) {
            open.push(symbol);
        } else {
            let siblings = open.last_mut().map(|around| &mut around.children);
            siblings.unwrap_or(&mut top).push(symbol);
        }
    }
    while !open.is_empty() {
        close_function(&mut open, &mut top);
    }
    top
}

/// Puts the innermost function, which holds all that it will, below the one around it.
fn close_function(open: &mut Vec<Symbol>, top: &mut Vec<Symbol>) {
    let Some(mut function) = open.pop() else {
        return;
    };
    function.children.sort_by_key(|child| child.range);
    let siblings = open.last_mut().map(|around| &mut around.children);
    siblings.unwrap_or(top).push(function);
}

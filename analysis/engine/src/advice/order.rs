//! Candidates that load earlier: the statement of a load moves up in its block.
//!
//! Only where the compiler keeps the order of transfers that the source has; elsewhere the order of statements is no move. Names decide
//! how far a statement may go: it passes nothing that gives it a name, takes the name that it gives, or writes what it reads.

use std::rc::Rc;

use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{SyntaxKind, SyntaxNode, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::db::Db;
use crate::derivation::conventions::Conventions;
use crate::items::{ItemId, ParsedItem, Span, file_range, method_call, parse_item};
use crate::kernel::{Body, Operation, OperationKind, Tier};
use crate::rules::{Edit, MISSED_OVERLAP};

use super::{Candidate, Kind};

/// Places in front of which a load is tried.
const PLACES: usize = 6;

/// Earlier places for each load of a kernel, the farthest first.
pub(super) fn earlier_load_candidates(
    db: &dyn Db,
    function: ItemId,
    body: &Body,
) -> Vec<Candidate> {
    if !Conventions::of(body.dialect).keeps_order_of_transfers() {
        return Vec::new();
    }
    let mut seen = FxHashSet::default();
    let mut names = StatementNames::default();
    let operations = body.operations.iter();
    operations
        .filter(|operation| {
            operation.span.item == function.owner(db) && seen.insert(operation.span)
        })
        .filter(|operation| loads_what_nothing_writes(body, operation))
        .flat_map(|operation| earlier_candidates(db, operation, &mut names))
        .collect()
}

/// Whether an operation brings a tensor of HBM that no operation of the kernel writes.
fn loads_what_nothing_writes(body: &Body, operation: &Operation) -> bool {
    let OperationKind::Copy(copy) = &operation.kind else {
        return false;
    };
    let tier = |id| body.tensor(id).map(|tensor| tensor.tier);
    let root = body.root(copy.source);
    let writes_it = |other: &Operation| match &other.kind {
        OperationKind::Copy(copy) => body.root(copy.target) == root,
        OperationKind::Collective(collective) => {
            collective.targets.iter().any(|id| body.root(*id) == root)
        }
        OperationKind::Pass(_) => false,
    };
    tier(copy.source) == Some(Tier::Hbm)
        && tier(copy.target) == Some(Tier::Dm)
        && !body.operations.iter().any(writes_it)
}

fn earlier_candidates(
    db: &dyn Db,
    operation: &Operation,
    names: &mut StatementNames,
) -> Vec<Candidate> {
    let parsed = parse_item(db, operation.span.item);
    let Some(load) = method_call(db, operation.span) else {
        return Vec::new();
    };
    let Some(statement) = load.syntax().parent().and_then(ast::LetStmt::cast) else {
        return Vec::new();
    };
    let (Some(name), own) = (bound_name(&statement), names.names_in(statement.syntax())) else {
        return Vec::new();
    };
    let mut places: Vec<SyntaxNode> = Vec::new();
    let mut before = statement.syntax().prev_sibling();
    while let Some(passed) = before {
        // Behind what is no plain statement (a loop, a nested item) nothing is known of names.
        let plain = ast::Stmt::can_cast(passed.kind()) && passed.kind() != SyntaxKind::FN;
        let uses = names.names_in(&passed);
        let gives = ast::LetStmt::cast(passed.clone()).map(|given| bound_name(&given));
        let clear = match &gives {
            Some(Some(given)) => !own.contains(given),
            Some(None) => false,
            None => true,
        };
        if !plain || uses.contains(&name) || !clear {
            break;
        }
        before = passed.prev_sibling();
        places.push(passed);
    }
    places.reverse();
    places.truncate(PLACES);
    let candidate =
        |place: &SyntaxNode| earlier_candidate(db, &parsed, &statement, &name, place, operation);
    places.iter().filter_map(candidate).collect()
}

fn earlier_candidate(
    db: &dyn Db,
    parsed: &ParsedItem,
    statement: &ast::LetStmt,
    name: &str,
    place: &SyntaxNode,
    operation: &Operation,
) -> Option<Candidate> {
    let whole = parsed.span(statement.syntax());
    let (file, start, end) = file_range(db, whole);
    let text = file.text(db);
    let text = text.get(start as usize..end as usize)?;
    let at = parsed.span(place);
    Some(Candidate {
        kind: Kind::Earlier,
        title: format!("Load `{name}` before what it does not wait for"),
        span: operation.span,
        rule: Some(MISSED_OVERLAP.name),
        edits: vec![
            Edit::new(
                Span {
                    end: at.start,
                    ..at
                },
                format!("{text}\n"),
            ),
            Edit::new(whole, String::new()),
        ],
    })
}

/// The one name that a statement gives; none for patterns of several.
fn bound_name(statement: &ast::LetStmt) -> Option<String> {
    let ast::Pat::IdentPat(pattern) = statement.pat()? else {
        return None;
    };
    Some(pattern.name()?.text().to_string())
}

/// The identifiers of the statements of one function, each read once: every load asks for those in front of it.
#[derive(Default)]
struct StatementNames {
    known: FxHashMap<TextRange, Rc<FxHashSet<String>>>,
}

impl StatementNames {
    /// All identifiers of a statement, those in macros included.
    fn names_in(&mut self, statement: &SyntaxNode) -> Rc<FxHashSet<String>> {
        let known = self.known.entry(statement.text_range());
        let read = || {
            let tokens = statement.descendants_with_tokens();
            let tokens = tokens.filter_map(ra_ap_syntax::NodeOrToken::into_token);
            let names = tokens.filter(|token| token.kind() == SyntaxKind::IDENT);
            Rc::new(names.map(|token| token.text().to_owned()).collect())
        };
        Rc::clone(known.or_insert_with(read))
    }
}

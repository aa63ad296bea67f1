//! Functions: a body's own, and helpers that it calls.

use ra_ap_syntax::ast::{self, AstNode, HasName};

use crate::db::Db;
use crate::inputs::options;
use crate::items::{self, ItemId};
use crate::kernel::dialect::{self, Dialect};
use crate::kernel::{Body, DeviceAttribute, Unresolved, UnresolvedReason};
use crate::surface::path_segments;

use super::given::{GivenNumbers, RUN_EXPRESSIONS, RUN_ITERATIONS, RUN_OPERATIONS};
use super::host_calls::{is_followed_alone, names_host_function, names_the_library};
use super::probe::{Probed, Watch};
use super::{HELPER_CALLS, HOST_EXPRESSIONS, Site, WRITTEN_LIMIT, callgraph, interpreter};

/// Lowers a function for itself.
pub(super) fn lower_function(db: &dyn Db, function: ItemId) -> Body {
    lower_watching(db, function, None).0
}

/// Lowers a function, and says what the expression stands for that is watched.
pub(super) fn lower_watching(
    db: &dyn Db,
    function: ItemId,
    watch: Option<Watch>,
) -> (Body, Option<Probed>) {
    let table = dialect::of_file(db, function.file(db));
    lower_for(db, table, function, watch)
}

/// Lowers a function whose calls of other releases are followed as those have them.
pub(super) fn lower_as_meant(db: &dyn Db, function: ItemId) -> Body {
    let table = dialect::of_file(db, function.file(db));
    lower_following(db, table, function, (None, true)).0
}

/// Lowers a function by the table of a library.
pub(super) fn lower_for(
    db: &dyn Db,
    table: Dialect,
    function: ItemId,
    watch: Option<Watch>,
) -> (Body, Option<Probed>) {
    lower_following(db, table, function, (watch, false))
}

/// Lowers a function with the numbers of run time that it is given, every loop to its end.
pub(super) fn lower_run(db: &dyn Db, function: ItemId, given: GivenNumbers) -> Body {
    let table = dialect::of_file(db, function.file(db));
    let asked = Asked {
        given: Some(given),
        ..Asked::default()
    };
    lower_asked(db, table, function, asked).0
}

/// What a lowering is for, beside the body.
#[derive(Default)]
struct Asked {
    watch: Option<Watch>,
    follows_foreign: bool,
    given: Option<GivenNumbers>,
}

fn lower_following(
    db: &dyn Db,
    table: Dialect,
    function: ItemId,
    (watch, follows_foreign): (Option<Watch>, bool),
) -> (Body, Option<Probed>) {
    let asked = Asked {
        watch,
        follows_foreign,
        given: None,
    };
    lower_asked(db, table, function, asked)
}

fn lower_asked(
    db: &dyn Db,
    table: Dialect,
    function: ItemId,
    Asked {
        watch,
        follows_foreign,
        given,
    }: Asked,
) -> (Body, Option<Probed>) {
    let site = Site::new(db, function);
    let node = site.parsed.cast::<ast::Fn>();
    let name = node.as_ref().and_then(ast::Fn::name);
    let span = name.as_ref().map_or_else(
        || site.parsed.text.full_span(),
        |name| site.span(name.syntax()),
    );
    let library = items::dialect(db, function.file(db));
    let mut body = Body {
        name: name.map_or_else(String::new, |name| name.text().to_string()),
        span,
        device: items::device_attribute(db, function).map(|attribute| DeviceAttribute {
            chips: attribute.chips,
            pes: attribute.pe,
            span: attribute.span,
        }),
        chips: None,
        dialect: library,
        machine: table.machine(),
        reached_from_kernel: callgraph::is_reached_from_kernel(db, function),
        tensors: Vec::new(),
        operations: Vec::new(),
        unresolved: Vec::new(),
        incomplete: Vec::new(),
        parameters: Vec::new(),
        results: Vec::new(),
        escaping: Vec::new(),
        launches: Vec::new(),
        shortened_loops: Vec::new(),
        unbounded_loops: Vec::new(),
        undecided_exits: Vec::new(),
        foreign: Vec::new(),
        register_clones: Vec::new(),
    };
    let chips = options(db, function.file(db)).chips;
    body.chips = match &body.device {
        Some(device) => device.chips.or(chips),
        // What a kernel calls runs on that kernel's chips, and is judged there.
        None if body.reached_from_kernel => None,
        None => chips,
    };
    let Some(node) = node else {
        return (body, None);
    };
    let text = std::sync::Arc::clone(&site.parsed.text);
    let is_kernel = body.device.is_some();
    if watch.is_none() && !is_kernel && given.is_none() {
        let may_be_device = if body.reached_from_kernel {
            names_the_library(&text.text, table)
        } else {
            // For what its own types say.
            is_followed_alone(db, function, &text.text, table)
        };
        if !may_be_device {
            return (body, None);
        }
    }
    let mut interpreter = interpreter(db, table, site, span);
    let is_watched = watch.is_some();
    interpreter.own.watch = watch;
    interpreter.own.follows_foreign = follows_foreign;
    let (operations, expressions) = interpreter.limits;
    interpreter.written = Some((node.syntax().clone(), WRITTEN_LIMIT));
    interpreter.own.draft.make_room(text.text.len());
    let bytes = u64::try_from(text.text.len()).unwrap_or(u64::MAX);
    interpreter.limits = (
        operations,
        // A statement, its expression and a link of a chain are counted each, and none is shorter than a letter.
        expressions.saturating_add(bytes.saturating_mul(2)),
    );
    let is_run = given.is_some();
    interpreter.own.given = given;
    let is_host = is_host_side(&node, &text.text, table);
    interpreter.host_budget = match (is_kernel || is_run || is_watched, is_host) {
        (true, _) => u64::MAX,
        (false, true) => 0,
        (false, false) => HOST_EXPRESSIONS,
    };
    if is_run {
        interpreter.limits = (RUN_OPERATIONS, RUN_EXPRESSIONS);
        interpreter.iteration_limit = RUN_ITERATIONS;
    } else if !is_kernel {
        // Each helper is followed for itself and where a kernel calls it: by itself not through all that it calls in turn.
        interpreter.own.calls_left = HELPER_CALLS;
    }
    interpreter.own_body(&node);
    interpreter.say_what_was_handed_on();
    interpreter.say_what_was_lost(body.device.is_some());
    interpreter.say_what_is_beyond_limits(&node);
    interpreter.settle_contractions();
    super::homonyms::tell_apart(db, function, &mut interpreter.own.draft);
    let seen = interpreter.own.watch.and_then(|watch| watch.seen);
    let (mut body, probed) = interpreter.own.draft.finish_knowing(body, table, seen);
    if is_run {
        return (body, probed);
    }
    if is_host {
        body.unresolved.clear();
    } else if body.device.is_none() {
        leave_to_callers(db, function, &mut body);
    } else if super::helpers::is_generic(&node) && callgraph::is_called(db, function) {
        // A launch says what the parameters stand for, and is judged.
        let is_open =
            |reason: &UnresolvedReason| matches!(reason, UnresolvedReason::GenericMapping);
        body.unresolved.retain(|entry| !is_open(&entry.reason));
    } else if super::helpers::is_generic(&node) {
        say_once_that_nothing_calls(&mut body);
    }
    (body, probed)
}

/// A generic function without a call has one place for all of its operations that depend on one: its name.
fn say_once_that_nothing_calls(body: &mut Body) {
    let depends = |entry: &Unresolved| matches!(entry.reason, UnresolvedReason::GenericMapping);
    if body.unresolved.iter().any(depends) {
        body.unresolved = vec![Unresolved::at(UnresolvedReason::NeverCalled, body.span)];
    }
}

/// What only a caller can say is counted where it is said: in the kernel that calls, whose body holds the helper's
/// operations too.
fn leave_to_callers(db: &dyn Db, function: ItemId, body: &mut Body) {
    if body.reached_from_kernel {
        body.unresolved.clear();
        return;
    }
    let is_called = callgraph::is_called(db, function);
    if !is_called {
        say_once_that_nothing_calls(body);
    }
    body.unresolved.retain(|entry| match &entry.reason {
        UnresolvedReason::GenericMapping | UnresolvedReason::UnboundedLoop => !is_called,
        UnresolvedReason::UnsupportedExpression(what) => what != super::transfers::COMPUTED_ADDRESS,
        _ => true,
    });
}

/// Whether a function runs on the host: what it does besides transfers is not a kernel's business.
///
/// `text` is the function's: where it has none of the names the calls need not be visited.
fn is_host_side(node: &ast::Fn, text: &str, library: Dialect) -> bool {
    let host = library.words.host_functions;
    let is_test = ast::HasAttrs::attrs(node).any(|attribute| {
        let path = attribute.syntax().descendants().find_map(ast::Path::cast);
        path.is_some_and(|path| {
            path_segments(&path)
                .last()
                .is_some_and(|name| name == "test")
        })
    });
    let starts_kernels = || {
        node.syntax()
            .descendants()
            .filter_map(ast::CallExpr::cast)
            .filter_map(|call| match call.expr()? {
                ast::Expr::PathExpr(callee) => path_segments(&callee.path()?).pop(),
                _ => None,
            })
            .any(|name| host.contains(&name.as_str()))
    };
    let names_start = names_host_function(text, library);
    is_test || node.async_token().is_some() || (names_start && starts_kernels())
}

//! How candidates write what is written already: calls of methods, declared mappings of transfers.
//!
//! Knows the trees of functions and the library's words; nothing of what is worth a change.

use ra_ap_syntax::ast::{self, AstNode, HasArgList};

use crate::db::Db;
use crate::hardware::ElementType;
use crate::items::{Span, file_range, method_call, parse_item};
use crate::kernel::catalogue::Generic;
use crate::kernel::{Body, Copy, Level, PassSource, StreamShape, TensorId};
use crate::kernel::{Operation, OperationKind, Origin, Pass, Tensor};
use crate::mapping::Form;
use crate::rules::Edit;

/// A mapping as it is written.
pub(super) fn written_mapping(form: &Form) -> String {
    format!("m![{}]", form.to_mapping())
}

/// A tensor in words.
pub(super) fn tensor_phrase(body: &Body, tensor: &Tensor) -> String {
    let mut sharing = body.sharing(tensor.id);
    let name = sharing.find_map(|tensor| tensor.name.clone());
    name.map_or_else(|| "the tensor".to_owned(), |name| format!("`{name}`"))
}

/// The generics of a stage that gives a stream.
pub(super) fn stream_of(kind: ElementType, time: &Form, packet: &Form) -> Vec<(Generic, String)> {
    vec![
        (Generic::Scalar, kind.name().to_owned()),
        (Generic::Level(Level::Time), written_mapping(time)),
        (Generic::Level(Level::Packet), written_mapping(packet)),
    ]
}

/// The bytes of a method with its generics and arguments: `collect::<m![A], m![B]>()`.
pub(super) fn method_span(db: &dyn Db, method: Span) -> Option<Span> {
    let parsed = parse_item(db, method.item);
    let call = method_call(db, method)?;
    let arguments = parsed.span(call.arg_list()?.syntax());
    Some(Span {
        end: arguments.end,
        ..method
    })
}

/// The bytes of a call with what it is a method of: `x.view().collect::<m![A], m![B]>()`.
pub(super) fn expression_span(db: &dyn Db, method: Span) -> Option<Span> {
    let parsed = parse_item(db, method.item);
    Some(parsed.span(method_call(db, method)?.syntax()))
}

/// What the author wrote at a place.
pub(super) fn written_at(db: &dyn Db, span: Span) -> Option<String> {
    let (file, start, end) = file_range(db, span);
    let text = file.text(db);
    Some(text.get(start as usize..end as usize)?.to_owned())
}

/// A method with its bytes, the dot before it, and what is between, and what is between: taken away, the chain goes on without the method.
pub(super) fn link_span(db: &dyn Db, method: Span) -> Option<Span> {
    let parsed = parse_item(db, method.item);
    let receiver = parsed.span(method_call(db, method)?.receiver()?.syntax());
    let whole = method_span(db, method)?;
    Some(Span {
        start: receiver.end,
        ..whole
    })
}

/// The mappings of a tensor in DM.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) cluster: Form,
    pub(super) slice: Form,
    pub(super) element: Form,
}

impl Held {
    /// Those of a tensor.
    pub(super) fn of(tensor: &Tensor) -> Option<Self> {
        Some(Self {
            cluster: tensor.levels.cluster.as_ref()?.get()?.form().clone(),
            slice: tensor.levels.slice.as_ref()?.get()?.form().clone(),
            element: tensor.levels.element.get()?.form().clone(),
        })
    }
}

/// The edits after which a transfer makes a tensor of DM of other mappings: it says them itself, in place of its variable's type.
pub(super) fn redeclaration_edits(
    db: &dyn Db,
    body: &Body,
    copy: &Copy,
    held: &Held,
) -> Option<Vec<Edit>> {
    let generics = generics_of(body.tensor(copy.target)?, held)?;
    retyped(db, body, copy, &generics)
}

/// The levels that a transfer into DM says itself: the chip of its target, and the others as `held`.
pub(super) fn generics_of(target: &Tensor, held: &Held) -> Option<[(Generic, String); 4]> {
    let chip = target.levels.chip.as_ref()?.get()?.form();
    Some([
        (Generic::Level(Level::Chip), written_mapping(chip)),
        (
            Generic::Level(Level::Cluster),
            written_mapping(&held.cluster),
        ),
        (Generic::Level(Level::Slice), written_mapping(&held.slice)),
        (
            Generic::Level(Level::Element),
            written_mapping(&held.element),
        ),
    ])
}

/// The edits after which a transfer says itself of which mappings the tensor is that it makes, in place of its variable's type.
pub(super) fn retyped(
    db: &dyn Db,
    body: &Body,
    copy: &Copy,
    generics: &[(Generic, String)],
) -> Option<Vec<Edit>> {
    let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
    let library = body.library();
    let text = library.write_transfer(source.tier, target.tier, generics, &[])?;
    let method = text.split('(').next()?.to_owned();
    let parsed = parse_item(db, copy.span.item);
    let transfer = method_call(db, copy.span)?;
    let arguments = parsed.span(transfer.arg_list()?.syntax());
    let mut edits = vec![Edit::new(
        Span {
            end: arguments.start,
            ..copy.span
        },
        method,
    )];
    let parent = transfer.syntax().parent()?;
    if let Some(statement) = ast::LetStmt::cast(parent) {
        let (pattern, kind) = (statement.pat()?, statement.ty());
        if let Some(kind) = kind {
            let (pattern, kind) = (parsed.span(pattern.syntax()), parsed.span(kind.syntax()));
            let typed = Span {
                start: pattern.end,
                ..kind
            };
            edits.push(Edit::new(typed, String::new()));
        }
    }
    Some(edits)
}

/// The tensor that is read whole by one pass alone, and that pass: the first of its runs.
pub(super) fn only_reader(body: &Body, tensor: TensorId) -> Option<(&Operation, &Pass)> {
    let root = body.root(tensor);
    let touches = |operation: &&Operation| match &operation.kind {
        OperationKind::Copy(copy) => body.root(copy.source) == root,
        OperationKind::Collective(collective) => {
            collective.sources.iter().any(|id| body.root(*id) == root)
        }
        OperationKind::Pass(pass) => match &pass.source {
            PassSource::Tensor(id) => body.root(*id) == root,
            PassSource::Interleaved { tensors, .. } => {
                tensors.iter().any(|id| body.root(*id) == root)
            }
            PassSource::Parameter { .. } => false,
        },
    };
    let mut readers = body.operations.iter().filter(touches);
    let first = readers.next()?;
    if readers.any(|other| other.span != first.span) {
        return None;
    }
    let OperationKind::Pass(pass) = &first.kind else {
        return None;
    };
    let PassSource::Tensor(id) = &pass.source else {
        return None;
    };
    let whole = matches!(
        body.tensor(*id)?.origin,
        Origin::Operation(_) | Origin::View { tile: None, .. }
    );
    whole.then_some((first, pass))
}

/// The forms of a stream: slices, time and packet.
pub(super) fn stream_forms(shape: &StreamShape) -> Option<(&Form, &Form, &Form)> {
    Some((
        shape.slice.get()?.form(),
        shape.time.get()?.form(),
        shape.packet.get()?.form(),
    ))
}

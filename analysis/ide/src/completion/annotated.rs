//! Mappings in the annotation of a tensor that a pass makes: `let y: DmTensor<…, m![]> = ….commit(0)`.
//!
//! The pass says what can be there: a committed element is the stream's time and packet, a loaded register file holds what
//! its load expects. Chips, clusters and slices are those of the tensor that the pass reads, and not looked for here.

use crate::db::Db;
use crate::derivation::contraction::derive_trf_load;
use crate::items::ItemId;
use crate::kernel::{Body, Level, OperationKind, Origin, Pass, PassEnd, Tensor};
use crate::lowering::body;
use crate::mapping::Mapping;

use super::around::functions_around;
use super::made::Made;

/// What the mapping at an offset of a function's text will be, if it annotates the result of a pass.
pub(super) fn made_in_annotation(db: &dyn Db, item: ItemId, offset: u32) -> Option<Made> {
    functions_around(db, item, offset).find_map(|function| in_function(db, function, offset))
}

fn in_function(db: &dyn Db, function: ItemId, offset: u32) -> Option<Made> {
    let item = function.owner(db);
    let body = body(db, function);
    let (tensor, level) = body.tensors.iter().find_map(|tensor| {
        let mut levels = tensor.levels.iter();
        let (level, _) = levels.find(|(_, written)| {
            let span = written.span;
            span.item == item && span.start <= offset && offset <= span.end
        })?;
        Some((tensor, level))
    })?;
    let Origin::Operation(id) = tensor.origin else {
        return None;
    };
    let OperationKind::Pass(pass) = &body.operation(id)?.kind else {
        return None;
    };
    of_pass(&body, pass, tensor, level)
}

fn of_pass(body: &Body, pass: &Pass, tensor: &Tensor, level: Level) -> Option<Made> {
    let output = pass.output();
    let (mapping, words): (Option<Mapping>, _) = match (level, &pass.end) {
        (Level::Element, PassEnd::Commit { target, .. } | PassEnd::ToVrf { target, .. })
            if *target == tensor.id =>
        {
            let stream = output.stream().filter(|stream| !stream.is_opaque());
            let merged = stream.map(|stream| stream.form().to_mapping());
            (merged, "the stream's time and packet")
        }
        (Level::Row, PassEnd::ToTrf { .. }) => (
            derive_trf_load(body, pass).expected_row,
            "the rows that the load makes",
        ),
        (Level::Element, PassEnd::ToTrf { .. }) => (
            derive_trf_load(body, pass).expected_element,
            "what the load puts in each row",
        ),
        _ => return None,
    };
    Some(Made {
        mapping: mapping?,
        words: words.into(),
    })
}

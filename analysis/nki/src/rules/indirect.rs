//! Gathers and scatters: the mode, the memories, the tensor of indices, and what happens out of bounds.

use super::edits::{fix_of_edits, removing_edit, replace_edit, with_mode};
use super::releases::{Since, refused_before};
use super::{Context, Found};
use crate::names::{Api, Mode};
use crate::symbols::Size;
use crate::transfers::{End, Kind, Transfer};
use crate::types::{Dtype, Gather, Generation, Generations, Space, Tensor, shape_text};
use visa_findings::{Applicability, Finding, Rule, rule};

/// See the declaration.
pub static INDIRECT_MODE: Rule = rule!(
    Nki: "nki_indirect_mode", Hardware, "swdge — software DGE",
    "a gather or scatter whose descriptors the GpSimd Engine does not make",
    "A gather reads indices from SBUF while the kernel runs. Only the GpSimd Engine can do that: the host writes \
     its descriptors before the run, and the hardware block takes regular patterns only.",
    fix
);

/// See the declaration.
pub static INDIRECT_TARGET: Rule = rule!(
    Nki: "nki_indirect_target", Hardware, "swdge — software DGE",
    "an indirect transpose on a core before generation 3",
    "Gathering and transposing in one instruction came with the third generation of the core, trn2. \
     On inf2 and trn1 gather the rows first, by a copy with `swdge`, and transpose them in a second instruction."
);

/// See the declaration.
pub static INDIRECT_MEMORY: Rule = rule!(
    Nki: "nki_indirect_memory", Hardware, "swdge — software DGE",
    "the tensor that is gathered from or scattered to is not in HBM",
    "Offsets of a gather are added to an address in HBM. SBUF and PSUM are addressed by partition and have no such offsets. \
     Keep the table in HBM, and gather rows of it into SBUF."
);

/// See the declaration.
pub static INDEX_MEMORY: Rule = rule!(
    Nki: "nki_index_memory", Hardware, "swdge — software DGE",
    "the tensor of indices is not in SBUF",
    "The GpSimd Engine reads indices from SBUF. Those in HBM have to be copied there first. \
     Allocate an index tensor in SBUF, copy the indices there, and pass that one as the offset."
);

/// See the declaration.
pub static INDEX_DTYPE: Rule = rule!(
    Nki: "nki_index_dtype", Hardware, "swdge — software DGE",
    "the indices of an indirect transpose are not of type uint32",
    "The GpSimd Engine reads indices as unsigned 32-bit words. Another type is refused, or read as numbers that \
     were not meant: declare the index tensor with `nl.uint32`.",
    fix
);

/// See the declaration.
pub static INDEX_SHAPE: Rule = rule!(
    Nki: "nki_index_shape", Hardware, "swdge — software DGE",
    "indices whose shape an indirect transpose does not take",
    "Indices are a tensor with two axes. It has 16 to 128 rows, a multiple of 16; with more than one column it has \
     128 rows. There is one index for each row of the source.",
    alt
);

/// See the declaration.
pub static INDIRECT_SHAPE: Rule = rule!(
    Nki: "nki_indirect_shape", Hardware, "swdge — software DGE",
    "a source whose shape an indirect transpose does not take",
    "A row has at most 128 elements, one for each partition of the result. Rows come in groups of 16. Of four axes the second or the \
     third is 1. \
     Cut the source into blocks of legal sizes, and transpose one at a time.",
    alt
);

/// See the declaration.
pub static OOB_DIRECT: Rule = rule!(
    Nki: "nki_oob_direct", Hardware, "derived",
    "`oob_mode.skip` on a transpose without indices",
    "`oob_mode.skip` is about indices that are read at run time. A direct transpose has none, and is refused with it. \
     Leave the argument out; bounds of a direct transpose are known before the run.",
    fix
);

/// See the declaration.
pub static OOB_ABORT: Rule = rule!(
    Nki: "nki_oob_abort", Suspicious, "derived",
    "an indirect transpose skips indices out of bounds",
    "On trn2 and trn3 an indirect transpose aborts if some indices are out of bounds, instead of skipping them. Users \
     of Neuron 2.32 report this. Clamp the indices, or gather first and then transpose."
);

/// See the declaration.
pub static OFFSETS_EXCLUSIVE: Rule = rule!(
    Nki: "nki_offsets_exclusive", Hardware, "derived",
    "`vector_offset` and `scalar_offset` in one access pattern",
    "A pattern has one offset that is read at run time: one for all rows, or one for each. \
     Both at once would name two addresses for one row: keep the one that is meant, and slice the tensor for the other."
);

/// See the declaration.
pub static COLUMN_OFFSET: Rule = rule!(
    Nki: "nki_column_offset", Hardware, "derived",
    "a DMA of SBUF whose columns an offset chooses at run time",
    "With a `scalar_offset` along another axis than the partition, the compiler of releases before 0.6 ends in a segmentation fault \
     on trn2. Offsets in HBM and those of a compute engine are not concerned. Choose the columns before they are loaded."
);

/// Looks at a transfer.
pub fn check_indirect(transfer: &Transfer, context: &Context<'_>, found: &mut Vec<Found>) {
    check_mode(transfer, context, found);
    for end in transfer.gathers() {
        check_memory(transfer, end, found);
    }
    let transposes = transfer.kind == Kind::Transpose;
    if transposes && let Some(gather) = &transfer.source.tensor.gather {
        index(gather, &transfer.source, context, found);
        check_source(transfer, found);
        if transfer
            .generations
            .are_among(Generations::one(Generation::Trn1))
        {
            found.push(Finding::new(
                &INDIRECT_TARGET,
                transfer.callee.into(),
                "an indirect transpose needs generation 3 (trn2) or later; this code is for generation 2 (inf2, trn1)",
            ));
        }
    }
    for end in [&transfer.source, &transfer.destination] {
        if let Some(second) = end.tensor.second_offset {
            found.push(Finding::new(
                &OFFSETS_EXCLUSIVE,
                second.into(),
                "`scalar_offset` and `vector_offset`: an access pattern takes one of them",
            ));
        }
    }
    column_offset(transfer, context, found);
    out_of_bounds(transfer, context, found);
}

fn column_offset(transfer: &Transfer, context: &Context<'_>, found: &mut Vec<Found>) {
    let others = Generations::one(Generation::Trn2).not();
    let is_concerned = transfer.api == Api::Current && !transfer.generations.are_among(others);
    let Some(refused) = refused_before(Since(0, 6), context.release).filter(|_| is_concerned)
    else {
        return;
    };
    for end in [&transfer.source, &transfer.destination] {
        if let Some(offset) = end.tensor.column_offset
            && end.tensor.space.is_some_and(Space::has_partitions)
        {
            let what = tensor_name_or(&end.tensor, "the tensor");
            let mut finding = Finding::new(
                &COLUMN_OFFSET,
                offset.into(),
                format!("an offset at run time along the columns of {what}, which {refused}"),
            );
            if let Some(space) = end.tensor.space {
                finding = finding.note(format!("{what} is in {}", space.name()));
            }
            found.push(
                finding.help(
                    "read the columns from HBM with that offset, or copy them by `tensor_copy`",
                ),
            );
        }
    }
}

fn tensor_name_or(tensor: &Tensor, otherwise: &str) -> String {
    tensor
        .name
        .as_ref()
        .map_or_else(|| otherwise.to_owned(), |name| format!("`{name}`"))
}

fn check_mode(transfer: &Transfer, context: &Context<'_>, found: &mut Vec<Found>) {
    let Some((stated @ (Mode::Hardware | Mode::Static), at)) = transfer.mode.known_value() else {
        return;
    };
    let Some((end, gather)) = transfer
        .gathers()
        .find_map(|end| end.tensor.gather.as_ref().map(|gather| (end, gather)))
    else {
        return;
    };
    let does = if std::ptr::eq(end, &transfer.source) {
        "a gather"
    } else {
        "a scatter"
    };
    let indices = gather.indices.as_ref().map_or_else(
        || "indices".to_owned(),
        |indices| tensor_name_or(indices, "indices"),
    );
    let made = match stated {
        Mode::Hardware => "with hardware descriptors",
        _ => "with descriptors made before the run",
    };
    let mut finding = Finding::new(
        &INDIRECT_MODE,
        at.value.into(),
        format!(
            "{does} by {indices} {made}: only `swdge`, the GpSimd Engine, reads indices at run time"
        ),
    )
    .related(gather.span.into(), "rows are chosen here")
    .note("`unknown` would let the compiler choose it");
    if let Some(edit) = with_mode(transfer, context.text, Mode::Software) {
        let mut edits = vec![edit];
        edits.extend(
            transfer
                .engine
                .written_place()
                .map(|engine| removing_edit(engine, context.text)),
        );
        finding.fixes.push(fix_of_edits(
            Applicability::Machine,
            "Let the GpSimd Engine make the descriptors",
            edits,
        ));
    }
    found.push(finding);
}

fn check_memory(transfer: &Transfer, end: &End, found: &mut Vec<Found>) {
    let Some(gather) = &end.tensor.gather else {
        return;
    };
    // In the older form a transpose takes rows of SBUF, too.
    let turns = transfer.kind == Kind::Transpose && transfer.api == Api::Current;
    let indexed = gather.by_offset || turns;
    if let Some(space @ (Space::Sbuf | Space::Psum)) = end.tensor.space
        && let Some(written) = end.written.filter(|_| indexed)
    {
        let what = tensor_name_or(&end.tensor, "the tensor");
        found.push(
            Finding::new(
                &INDIRECT_MEMORY,
                written.value.into(),
                format!(
                    "{what} is in {}; rows can be chosen at run time in HBM only",
                    space.name()
                ),
            )
            .related(gather.span.into(), "rows are chosen here"),
        );
    }
    let indices = gather.indices.as_ref();
    if let Some(space @ (Space::Hbm | Space::Psum)) = indices.and_then(|indices| indices.space) {
        let what = indices.map_or_else(
            || "the tensor".to_owned(),
            |indices| tensor_name_or(indices, "the tensor"),
        );
        found.push(
            Finding::new(
                &INDEX_MEMORY,
                gather.span.into(),
                format!(
                    "the indices {what} are in {}; the GpSimd Engine reads indices from SBUF",
                    space.name()
                ),
            )
            .help("copy the indices to SBUF first"),
        );
    }
}

fn index(gather: &Gather, source: &End, context: &Context<'_>, found: &mut Vec<Found>) {
    let Some(indices) = &gather.indices else {
        return;
    };
    let what = tensor_name_or(indices, "the tensor");
    if let Some(dtype @ Dtype::Named(written)) = &indices.dtype
        && *written != "uint32"
    {
        let mut finding = Finding::new(
            &INDEX_DTYPE,
            gather.span.into(),
            format!("the indices {what} have type {dtype}; an indirect transpose reads uint32"),
        );
        if let Some(declared) = indices.dtype_span {
            let text = declared.text_in(context.text);
            finding = finding.related(declared.into(), "the type is stated here");
            if let Some(prefix) = text.strip_suffix(written) {
                // What else reads the tensor may ask for the other type.
                finding.fixes.push(fix_of_edits(
                    Applicability::Maybe,
                    "Declare the indices as `uint32`",
                    vec![replace_edit(declared, format!("{prefix}uint32"))],
                ));
            }
        }
        found.push(finding);
    }
    let Some(extents) = indices.shape.known_extents() else {
        return;
    };
    // In brackets, indices of one axis are a column.
    let column;
    let column_of = match extents {
        [rows] if !gather.by_offset => {
            column = [rows.clone(), Size::number(1)];
            &column[..]
        }
        extents => extents,
    };
    if let Some((problem, help)) = index_shape(column_of, &source.tensor) {
        found.push(
            Finding::new(
                &INDEX_SHAPE,
                gather.span.into(),
                format!(
                    "the indices {what} have shape {}: {problem}",
                    shape_text(extents)
                ),
            )
            .help(help),
        );
    }
}

/// What is wrong with the shape of indices, and what would be right.
fn index_shape(extents: &[Size], source: &Tensor) -> Option<(String, String)> {
    let [rows, columns] = extents else {
        return Some((
            format!("{} axes instead of 2", extents.len()),
            "use shape (rows, 1) with 16 to 128 rows".to_owned(),
        ));
    };
    if rows.exceeds(128) == Some(true) {
        return Some((
            format!("{rows} rows, more than 128"),
            "put the indices into 128 rows and several columns".to_owned(),
        ));
    }
    if let Some(number) = rows.value() {
        if number < 16 || number % 16 != 0 {
            let above = (number.max(1) + 15) / 16 * 16;
            return Some((
                format!("{number} rows are not a multiple of 16 from 16 to 128"),
                format!("use {above} rows"),
            ));
        }
        if columns.exceeds(1) == Some(true) && number != 128 {
            return Some((
                format!("{columns} columns need 128 rows, not {number}"),
                "use 128 rows, or one column".to_owned(),
            ));
        }
    }
    let needed = source.shape.known_extents()?.first()?.value()?;
    let given = rows.value()?.checked_mul(columns.value()?)?;
    (given < needed).then(|| {
        (
            format!("{given} indices for {needed} rows of the source"),
            format!("give {needed} indices, or take {given} rows"),
        )
    })
}

fn check_source(transfer: &Transfer, found: &mut Vec<Found>) {
    let Some(written) = transfer.source.written else {
        return;
    };
    let Some(extents) = transfer.source.tensor.shape.known_extents() else {
        return;
    };
    let (Some(rows), Some(columns)) = (extents.first(), extents.last()) else {
        return;
    };
    let problem = if columns.exceeds(128) == Some(true) {
        Some((
            format!("rows of {columns} elements, more than 128"),
            "take at most 128 columns in each transpose".to_owned(),
        ))
    } else if rows.is_multiple_of(16) == Some(false) {
        let number = rows.value().unwrap_or_default();
        let (below, above) = (number / 16 * 16, number / 16 * 16 + 16);
        let help = if below == 0 {
            format!("take {above} rows")
        } else {
            format!("take {below} or {above} rows")
        };
        Some((format!("{rows} rows are not a multiple of 16"), help))
    } else if let [_, one, two, _] = extents {
        let is_other = |extent: &Size| extent.is_equal(&Size::number(1)) == Some(false);
        (is_other(one) && is_other(two)).then(|| {
            (
                format!("neither of the inner axes, {one} and {two}, is 1"),
                "transpose one of them at a time".to_owned(),
            )
        })
    } else {
        None
    };
    if let Some((problem, help)) = problem {
        found.push(
            Finding::new(
                &INDIRECT_SHAPE,
                written.value.into(),
                format!(
                    "an indirect transpose of {}: {problem}",
                    shape_text(extents)
                ),
            )
            .help(help),
        );
    }
}

fn out_of_bounds(transfer: &Transfer, context: &Context<'_>, found: &mut Vec<Found>) {
    let Some((true, written)) = transfer.skips_out_of_bounds.known_value() else {
        return;
    };
    if transfer.kind != Kind::Transpose {
        return;
    }
    if transfer.is_direct() {
        let mut finding = Finding::new(
            &OOB_DIRECT,
            written.value.into(),
            "`oob_mode.skip` on a transpose without indices: it has no index that could be out of bounds",
        );
        finding.fixes.push(fix_of_edits(
            Applicability::Machine,
            "Leave out `oob_mode`",
            vec![removing_edit(written, context.text)],
        ));
        found.push(finding);
    } else if transfer.is_indirect()
        && !transfer
            .generations
            .are_among(Generations::one(Generation::Trn1))
    {
        found.push(
            Finding::new(
                &OOB_ABORT,
                written.value.into(),
                "with some indices in bounds and some out of bounds an indirect transpose aborts on trn2 and trn3",
            )
            .help("clamp the indices, or gather with `dma_copy` and then transpose"),
        );
    }
}

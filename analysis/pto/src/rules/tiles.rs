//! Rules about tiles: how they lie in memory, how much of them is valid, and the views of GM that they are moved from and to.

use super::super::program::Function;
use super::super::syntax::{OperationId, Place};
use super::super::tiles::{
    Allocation, Partition, Size, TensorView, TileLayout, TileMove, TileMoveKind, TileOperation,
};
use super::super::transfers::{Given, UB_BYTES, UB_BYTES_BEFORE};
use super::fields::{PTO_ADDRESS_ALIGNMENT, PTO_DIRECTION, PTO_ELEMENT_WIDTH};
use super::rows::{PTO_ROWS_OVERLAP, PTO_SOURCE_ROWS_OVERLAP, PTO_UB_BOUNDS};
use super::text::PTO_OPERANDS;
use super::writing::{Change, text_span};
use super::{Check, Found};
use visa_base::numbers::thousands;
use visa_findings::{Applicability, Group, Rule, rule};
use visa_transfer::{Loop, Meeting, Side, Transfer, rows_meet};

pub(super) static PTO_TILE_ALIGNMENT: Rule = Rule {
    // Rows of half a block, as published kernels keep the results of comparisons.
    lesser: Some(Group::Suspicious),
    ..rule!(
        Pto: "pto_tile_alignment",
        Hardware,
        "derived",
        "a tile whose rows, or columns, are not a multiple of 32 bytes",
        "The rows of a tile lie one after the other, each at a multiple of 32 bytes; in a tile with `blayout=col_major` \
         the columns do. The assembler refuses another length. The valid size says how much of a longer row is used."
    )
};

pub(super) static PTO_TILE_SIZE: Rule = Rule {
    // What the assembler cannot see, or reads as another shape.
    lesser: Some(Group::Suspicious),
    ..rule!(
        Pto: "pto_tile_size",
        Hardware,
        "derived",
        "a valid size larger than its tile, or a tile that is moved to or from a view of another size",
        "A load fills the valid rows and columns of a tile, and a store writes them. Where the view has another number of elements, \
         some are not moved, or others are than meant. The assembler refuses a store between fixed sizes that differ, \
         and a valid size beyond the tile."
    )
};

pub(super) static PTO_VIEW_BOUNDS: Rule = Rule {
    // A view whose type leaves its sizes open, so that the assembler does not compare them.
    lesser: Some(Group::Suspicious),
    ..rule!(
        Pto: "pto_view_bounds",
        Hardware,
        "derived",
        "a part of a view that begins or ends outside of it, or has another size than its type",
        "A part begins at an offset in each dimension of its view and has a size there; both together stay within the view. \
         What is beyond belongs to other data. The assembler refuses it where the types fix the sizes."
    )
};

pub(super) fn check_tiles(check: &mut Check<'_>, function: &Function) {
    for operation in &function.tiles {
        match operation {
            TileOperation::Allocation(made) => check_allocation(check, function, made),
            TileOperation::View(view) => {
                let lists = [("shape", &view.shape), ("strides", &view.strides)];
                check_counts(check, view.operation, &view.view.sizes, lists);
            }
            TileOperation::Partition(part) => check_partition(check, part),
            TileOperation::Move(moved) => tile_move(check, function, moved),
        }
    }
}

fn thousands_text(number: u64) -> String {
    thousands(number)
}

fn check_allocation(check: &mut Check<'_>, function: &Function, made: &Allocation) {
    check_address(check, made);
    check_bounds(check, function, made);
    check_alignment(check, made);
    let [rows, columns] = made.tile.shape;
    let sizes = made.valid_sizes();
    for (way, (valid, whole, word)) in [(sizes[0], rows, "rows"), (sizes[1], columns, "columns")]
        .into_iter()
        .enumerate()
    {
        let (Some(valid), Some(whole)) = (valid, whole) else {
            continue;
        };
        if valid <= whole {
            continue;
        }
        let given = made.valid.get(way).copied().flatten();
        let message = format!(
            "{} {word} are valid, and the tile has {}",
            thousands_text(valid),
            thousands_text(whole)
        );
        let place = given.map_or(made.type_place, |given| given.place());
        let mut finding = Found::new(&PTO_TILE_SIZE, text_span(place), message);
        if given.is_some() {
            // The assembler sees the type only.
            finding.group = PTO_TILE_SIZE.lesser;
        }
        check.report(finding);
    }
}

fn check_address(check: &mut Check<'_>, made: &Allocation) {
    let (Some(given), Some(unit)) = (made.address, made.tile.alignment()) else {
        return;
    };
    let Some(address) = given
        .number()
        .filter(|address| address.rem_euclid(unit) != 0)
    else {
        return;
    };
    let message = format!(
        "the tile starts at address {address}, {} bytes past a multiple of {unit}",
        address.rem_euclid(unit)
    );
    let mut finding = Found::new(&PTO_ADDRESS_ALIGNMENT, text_span(given.place()), message);
    if let Some(next) = (address.div_euclid(unit) + 1).checked_mul(unit) {
        let mut change = Change::before_operation(check.analysis, &check.constants, made.operation);
        change.number(&given, next);
        let title = format!("Start the tile at {next}");
        let fix = change.into_fix(Applicability::Maybe, title);
        finding.fixes.push(fix);
        finding = finding.help(format!("the next multiple is {next}"));
    }
    check.report(finding);
}

fn check_bounds(check: &mut Check<'_>, function: &Function, made: &Allocation) {
    let size = if function.is_before {
        UB_BYTES_BEFORE
    } else {
        UB_BYTES
    };
    let size = size.unsigned_abs();
    let Some(bytes) = made.tile.bytes().filter(|_| made.tile.is_in_ub()) else {
        return;
    };
    let address = match made.address {
        Some(given) => match given.number().map(u64::try_from) {
            Some(Ok(address)) => Some((address, given.place())),
            _ => return,
        },
        None => None,
    };
    let start = address.map_or(0, |(address, _)| address);
    let Some(end) = start.checked_add(bytes).filter(|&end| end > size) else {
        return;
    };
    let message = match address {
        Some((address, _)) => format!(
            "the tile starts at {} and has {} bytes, up to {}: {} bytes past the {} of UB",
            thousands_text(address),
            thousands_text(bytes),
            thousands_text(end),
            thousands_text(end - size),
            thousands_text(size),
        ),
        None => format!(
            "the tile has {} bytes: {} more than the {} of UB",
            thousands_text(bytes),
            thousands_text(end - size),
            thousands_text(size),
        ),
    };
    let place = address.map_or(made.type_place, |(_, place)| place);
    let mut finding = Found::new(&PTO_UB_BOUNDS, text_span(place), message);
    if let Some(last) = size.checked_sub(bytes).filter(|_| address.is_some()) {
        finding = finding.help(format!(
            "the last address that fits is {}",
            thousands_text(last / 32 * 32)
        ));
    }
    check.report(finding);
}

fn check_alignment(check: &mut Check<'_>, made: &Allocation) {
    let tile = &made.tile;
    let [rows, columns] = tile.shape;
    let (count, word, of) = match tile.layout {
        TileLayout::Rows => (columns, "columns", "a row"),
        TileLayout::Columns => (rows, "rows", "a column"),
        // Boxes are aligned by their own sizes, which are not looked at here.
        TileLayout::Boxes => return,
    };
    let (Some(count), Some(element)) = (count, tile.element) else {
        return;
    };
    let unit = if tile.is_packed { 16 } else { 32 };
    let Some(bytes) = count.checked_mul(element).filter(|bytes| bytes % unit != 0) else {
        return;
    };
    let message = format!(
        "{of} of the tile has {} bytes, which is not a multiple of {unit}",
        thousands_text(bytes)
    );
    let mut finding = Found::new(&PTO_TILE_ALIGNMENT, text_span(made.type_place), message);
    if bytes % (unit / 2) == 0 {
        finding.group = PTO_TILE_ALIGNMENT.lesser;
    }
    let next = bytes.next_multiple_of(unit);
    if next % element == 0 {
        finding = finding.help(format!(
            "{} {word} with {} valid ones take {} bytes",
            thousands_text(next / element),
            thousands_text(count),
            thousands_text(next)
        ));
    }
    check.report(finding);
}

/// Whether lists have an operand for each dimension of a view.
fn check_counts(
    check: &mut Check<'_>,
    operation: OperationId,
    sizes: &[Size],
    lists: [(&str, &Vec<Given>); 2],
) -> bool {
    let rank = sizes.len();
    let mut all_right = true;
    for (word, given) in lists {
        // A type of before gives the number of dimensions where others give their sizes.
        let counted = u64::try_from(given.len()).ok();
        let is_number = sizes.len() == 1 && sizes.first().copied().flatten() == counted;
        if given.len() == rank || is_number {
            continue;
        }
        all_right = false;
        let name = check.analysis.file.operation(operation).name;
        let place = match (given.first(), given.last()) {
            (Some(first), Some(last)) => first.place().span_to(last.place()),
            _ => name,
        };
        let message = format!(
            "`{word}` has {} operands, and the view has {rank} dimensions",
            given.len()
        );
        check.report(Found::new(&PTO_OPERANDS, text_span(place), message));
    }
    all_right
}

fn check_partition(check: &mut Check<'_>, part: &Partition) {
    let [whole, _] = &part.views;
    let lists = [("offsets", &part.offsets), ("sizes", &part.sizes)];
    if !check_counts(check, part.operation, &whole.sizes, lists)
        || part.sizes.len() != whole.sizes.len()
    {
        return;
    }
    for (dimension, (offset, size)) in part.offsets.iter().zip(&part.sizes).enumerate() {
        part_of_dimension(check, part, dimension, offset, size);
    }
}

fn part_of_dimension(
    check: &mut Check<'_>,
    part: &Partition,
    dimension: usize,
    offset: &Given,
    size: &Given,
) {
    let [whole, own] = &part.views;
    let report = |check: &mut Check<'_>, place: Place, message: String, is_fixed: bool| {
        let mut finding = Found::new(&PTO_VIEW_BOUNDS, text_span(place), message);
        if !is_fixed {
            finding.group = PTO_VIEW_BOUNDS.lesser;
        }
        check.report(finding);
    };
    if let Some(number) = offset.number().filter(|number| *number < 0) {
        let message =
            format!("the part begins at {number} in dimension {dimension}, before the view");
        report(check, offset.place(), message, true);
        return;
    }
    if let Some(number) = size.number().filter(|number| *number <= 0) {
        let message =
            format!("the part has the size {number} in dimension {dimension}; it has at least 1");
        report(check, size.place(), message, true);
        return;
    }
    let given = size.number().and_then(|number| u64::try_from(number).ok());
    let written = own.sizes.get(dimension).copied().flatten();
    if let (Some(given), Some(written)) = (given, written)
        && given != written
        && own.sizes.len() == whole.sizes.len()
    {
        let message = format!(
            "the part has the size {} in dimension {dimension}, and its type has {}",
            thousands_text(given),
            thousands_text(written)
        );
        report(check, size.place(), message, true);
        return;
    }
    let fixed = whole.sizes.get(dimension).copied().flatten();
    let known = part.source.as_ref().and_then(|view| view.size(dimension));
    let (Some(given), Some(all)) = (given, fixed.or(known)) else {
        return;
    };
    let begin = offset
        .number()
        .and_then(|number| u64::try_from(number).ok());
    // Without an offset it begins at 0 at the earliest.
    let Some(end) = begin
        .unwrap_or(0)
        .checked_add(given)
        .filter(|&end| end > all)
    else {
        return;
    };
    let message = format!(
        "the part ends at {} in dimension {dimension}, {} past the {} of the view",
        thousands_text(end),
        thousands_text(end - all),
        thousands_text(all)
    );
    report(check, size.place(), message, fixed.is_some());
}

fn tile_move(check: &mut Check<'_>, function: &Function, moved: &TileMove) {
    check_memory(check, function, moved);
    let (Some(tile), Some(view)) = (&moved.tile, &moved.view) else {
        return;
    };
    // A store of an accumulator converts.
    if let (Some(own), Some(other), true) = (tile.element, view.element, tile.memory != "acc")
        && own != other
    {
        let message = format!(
            "the elements of the tile have {own} bytes, and those of the view {other}; a move converts nothing"
        );
        check.report(Found::new(
            &PTO_ELEMENT_WIDTH,
            text_span(moved.tile_place),
            message,
        ));
        return;
    }
    check_elements(check, moved, tile.valid);
    check_overlap(check, moved);
}

fn check_memory(check: &mut Check<'_>, function: &Function, moved: &TileMove) {
    let Some(tile) = &moved.tile else {
        return;
    };
    let memory = tile.memory.as_str();
    let (is_legal, does, legal) = match moved.kind {
        TileMoveKind::Load => (
            // Later generations load into further memories.
            !function.is_before || matches!(memory, "vec" | "ub" | "mat"),
            "loads into",
            "`vec` or `mat`",
        ),
        TileMoveKind::Store => (
            matches!(memory, "vec" | "ub" | "mat" | "acc"),
            "stores from",
            "`vec`, `mat` or `acc`",
        ),
    };
    if is_legal {
        return;
    }
    let name = check.analysis.file.name(moved.operation);
    let message = format!("the tile is in `{memory}`, and `{name}` {does} {legal}");
    check.report(Found::new(
        &PTO_DIRECTION,
        text_span(moved.tile_place),
        message,
    ));
}

/// Whether as many elements are valid in the tile as the view has.
fn check_elements(check: &mut Check<'_>, moved: &TileMove, written: [Size; 2]) {
    let [Some(rows), Some(columns)] = moved.valid else {
        return;
    };
    let (Some(valid), Some(all)) = (rows.checked_mul(columns), moved.elements) else {
        return;
    };
    // A load from a larger view takes what the tile has room for; what is not valid at all is not moved.
    let fits = match moved.kind {
        TileMoveKind::Load => valid <= all,
        TileMoveKind::Store => valid == all,
    };
    if fits || valid == 0 || moved.converts {
        return;
    }
    let (does, by) = match moved.kind {
        TileMoveKind::Load => ("is loaded from", "load"),
        TileMoveKind::Store => ("is stored to", "store"),
    };
    let message = format!(
        "a tile with {} valid elements ({rows} x {columns}) {does} a view of {}",
        thousands_text(valid),
        thousands_text(all)
    );
    let view = moved.view.as_ref();
    let is_fixed = view.is_some_and(|view| view.sizes.iter().all(Option::is_some));
    let is_fixed = is_fixed && written.iter().all(Option::is_some);
    let mut finding = Found::new(&PTO_TILE_SIZE, text_span(moved.tile_place), message)
        .related(text_span(moved.view_place), "the view");
    if moved.kind == TileMoveKind::Load || !is_fixed {
        finding.group = PTO_TILE_SIZE.lesser;
    }
    check.report(finding.help(format!(
        "the {by} moves the valid elements: make both the same size"
    )));
}

/// Whether elements of the part of GM share bytes, by the strides of its view.
fn check_overlap(check: &mut Check<'_>, moved: &TileMove) {
    let Some(part) = &moved.partition else {
        return;
    };
    let Some((view, nest)) = part
        .source
        .as_ref()
        .and_then(|view| element_nest(part, view))
    else {
        return;
    };
    let Meeting::Shared { iterations, .. } = rows_meet(&nest, Side::Target) else {
        return;
    };
    // The stride of the outermost dimension between the two elements is the one that is too short.
    let dimension = iterations.iter().position(|&number| number != 0);
    let Some(stride) = dimension.and_then(|dimension| view.strides.get(dimension)) else {
        return;
    };
    let number = stride.number().unwrap_or_default();
    let (rule, does): (&'static Rule, _) = match moved.kind {
        TileMoveKind::Load => (&PTO_SOURCE_ROWS_OVERLAP, "read twice"),
        TileMoveKind::Store => (&PTO_ROWS_OVERLAP, "written twice"),
    };
    let dimension = dimension.unwrap_or_default();
    let message = format!(
        "with a stride of {number} elements in dimension {dimension} some elements are {does}"
    );
    let name = check.analysis.file.operation(moved.operation).name;
    let finding = Found::new(rule, text_span(stride.place()), message);
    check.report(finding.related(text_span(name), "this moves them"));
}

/// The elements of a part as a nest, the first dimension outermost.
fn element_nest<'a>(part: &Partition, view: &'a TensorView) -> Option<(&'a TensorView, Transfer)> {
    let element = view.view.element?;
    let bytes = i64::try_from(element).ok()?;
    let mut loops = Vec::new();
    for (dimension, stride) in view.strides.iter().enumerate() {
        let step = stride.number()?.checked_mul(bytes)?;
        loops.push(Loop {
            count: part.size(dimension)?,
            source: step,
            target: step,
        });
    }
    (loops.len() == part.sizes.len()).then(|| (view, Transfer::new(element, loops)))
}

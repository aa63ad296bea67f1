//! Gathers and scatters: what each index names in the memory of the chip, how the list of indices is placed, and whether the
//! tensors in the slices hold each row once.

use crate::forms;
use crate::hardware::{DMA_ALIGNMENT_BYTES, ElementType};
use crate::items::Span;
use crate::kernel::{
    Body, Collective, Copy, Levels, OperationId, Rows, Tensor, TensorId, Tier, Written,
};
use crate::mapping::{
    Answer, Atom, Digit, Form, Mapping, PaddingKind, equal_forms, holds_every_element,
};

use super::regions::{RegionFault, region_without_axis};
use super::{PlanFault, PlanViolation};

/// What is wrong with the rows of a gather or a scatter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowsFault {
    /// The indices count nothing: a scatter has one place for all rows.
    NoAxis,
    /// The axis that the indices count is no run of the element in the chip's memory.
    Axis {
        /// The axis.
        axis: Mapping,
        /// The element.
        element: Mapping,
        /// Why.
        fault: RegionFault,
    },
    /// The declared row is not what the axis leaves.
    Payload {
        /// What is left.
        expected: Mapping,
        /// As declared.
        declared: Mapping,
    },
    /// The declared domain is not what the list of indices runs over.
    Domain {
        /// What the list runs over.
        expected: Mapping,
        /// As declared.
        declared: Mapping,
    },
    /// The tensor in the slices and the rows hold different elements.
    Elements {
        /// The tensor's clusters, slices and elements.
        tensor: Mapping,
        /// Row and domain.
        rows: Mapping,
        /// An axis that the one lacks, if one does.
        axis: Option<String>,
        /// Whether the tensor lacks it; else the rows do.
        in_tensor: bool,
    },
    /// The tensor that a gather writes holds copies, which it does not make.
    Copies {
        /// How many.
        count: u64,
    },
}

/// What is wrong with the place of an index list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexFault {
    /// The list has padding.
    Padding {
        /// The list.
        list: Mapping,
    },
    /// The list is not on the first processing element alone.
    Pe {
        /// The level of processing elements.
        found: Mapping,
        /// As it has to be.
        expected: Mapping,
    },
    /// The list is on other chips than the data.
    Chip {
        /// The list's chips.
        index: Mapping,
        /// The data's.
        data: Mapping,
    },
}

/// The tensors of a plan.
struct Ends<'a> {
    /// In the chip's memory.
    memory: &'a Tensor,
    /// In the slices.
    slices: &'a Tensor,
    /// The list of indices.
    index: Option<&'a Tensor>,
}

/// The tensors of a plan by the lists that begin with that in the chip's memory and that in the slices. The list of indices follows the
/// data among the sources.
fn ends_of<'a>(
    body: &'a Body,
    collective: &Collective,
    (memory, slices): (&[TensorId], &[TensorId]),
) -> Option<Ends<'a>> {
    Some(Ends {
        memory: body.tensor(*memory.first()?)?,
        slices: body.tensor(*slices.first()?)?,
        index: collective.sources.get(1).and_then(|id| body.tensor(*id)),
    })
}

pub(super) fn judge_gather(
    body: &Body,
    collective: &Collective,
    rows: &Rows,
    add: &mut impl FnMut(PlanFault, Span),
) {
    let Some(ends) = ends_of(body, collective, (&collective.sources, &collective.targets)) else {
        return;
    };
    let domain = domain(&ends, rows, add, PlanFault::Gather);
    let Some(left) = element_without_rows_axis(&ends, rows, add, PlanFault::Gather) else {
        return;
    };
    if let Some(declared) = known_mapping(&rows.payload)
        && equal_forms(&left, declared.form()) == Answer::No
    {
        let fault = RowsFault::Payload {
            expected: left.to_mapping(),
            declared: declared.clone(),
        };
        return add(PlanFault::Gather(fault), rows.payload.span);
    }
    let Some((tensor, wanted)) =
        tensor_mapping(&ends.slices.levels).zip(row_with_domain(&left, domain.as_ref()))
    else {
        return;
    };
    let place = ends.slices.levels.element.span;
    let fault = element_fault(&tensor, &wanted, true).or_else(|| copies_fault(&tensor, &wanted));
    if let Some(fault) = fault {
        return add(PlanFault::Gather(fault), place);
    }
    let target = known_mapping(&ends.slices.levels.element);
    let tail = target
        .and_then(|target| row_tail_fault(&left, target.form(), ends.slices.element_type.value?));
    if let Some(fault) = tail {
        add(fault, place);
    }
}

pub(super) fn judge_scatter(
    body: &Body,
    collective: &Collective,
    rows: &Rows,
    add: &mut impl FnMut(PlanFault, Span),
) {
    let Some(ends) = ends_of(body, collective, (&collective.targets, &collective.sources)) else {
        return;
    };
    let domain = domain(&ends, rows, add, PlanFault::Scatter);
    if known_mapping(&rows.axis).is_some_and(is_one_copy) {
        return add(PlanFault::Scatter(RowsFault::NoAxis), rows.axis.span);
    }
    let Some(left) = element_without_rows_axis(&ends, rows, add, PlanFault::Scatter) else {
        return;
    };
    let Some(payload) = known_mapping(&rows.payload) else {
        return;
    };
    // The row is written to what is left, and nowhere else.
    if element_fault(payload, &left.to_mapping(), true).is_some() {
        let fault = RowsFault::Payload {
            expected: left.to_mapping(),
            declared: payload.clone(),
        };
        return add(PlanFault::Scatter(fault), rows.payload.span);
    }
    let Some((tensor, wanted)) =
        tensor_mapping(&ends.slices.levels).zip(row_with_domain(payload.form(), domain.as_ref()))
    else {
        return;
    };
    // A row that the tensor holds once may be sent several times; what it holds beyond the rows is never sent.
    if let Some(fault) = element_fault(&tensor, &wanted, false) {
        add(PlanFault::Scatter(fault), rows.payload.span);
    }
}

/// The list of an unscaled gather or scatter, which the library puts into the scratchpad.
pub(super) fn list_size(
    body: &Body,
    collective: &Collective,
    add: &mut impl FnMut(PlanFault, Span),
) {
    let list = collective.sources.get(1).and_then(|id| body.tensor(*id));
    let Some(list) = list.filter(|list| list.tier == Tier::Dm) else {
        return;
    };
    let bytes = (|| {
        let levels = [list.levels.slice.as_ref()?, &list.levels.element];
        let mut entries: u64 = 1;
        for level in levels {
            entries = entries.checked_mul(distinct_positions(known_mapping(level)?.form())?)?;
        }
        list.element_type.value?.bytes_rounded_up(entries)
    })();
    let capacity = body.machine.spm_bytes;
    if let Some(bytes) = bytes.filter(|bytes| *bytes > capacity) {
        add(
            PlanFault::IndexSize { bytes, capacity },
            list.levels.element.span,
        );
    }
}

/// A transfer from the scratchpad into the slices, which writes whole words there.
pub(super) fn from_scratchpad(body: &Body, id: OperationId, copy: &Copy) -> Option<PlanViolation> {
    let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
    if (source.tier, target.tier) != (Tier::Spm, Tier::Dm) {
        return None;
    }
    let (list, element) = (
        known_mapping(&source.levels.element)?,
        known_mapping(&target.levels.element)?,
    );
    let fault = row_tail_fault(list.form(), element.form(), target.element_type.value?)?;
    Some(PlanViolation {
        fault,
        span: target.levels.element.span,
        method: copy.span,
        operation: Some(id),
    })
}

/// Positions of a form that hold different elements of their own.
fn distinct_positions(form: &Form) -> Option<u64> {
    let digits = form.digits().iter();
    let own = digits.filter_map(|digit| {
        let term = digit.term.as_ref()?;
        (term.atom != Atom::Broadcast).then_some(digit.live)
    });
    own.into_iter().try_fold(1_u64, u64::checked_mul)
}

fn known_mapping(written: &Written<Mapping>) -> Option<&Mapping> {
    written.get().filter(|mapping| !mapping.is_opaque())
}

/// What the axis leaves of the element in the chip's memory; none where something is unknown, or the axis is no run of the element.
fn element_without_rows_axis(
    ends: &Ends<'_>,
    rows: &Rows,
    add: &mut impl FnMut(PlanFault, Span),
    wrap: fn(RowsFault) -> PlanFault,
) -> Option<Form> {
    let (element, axis) = (
        known_mapping(&ends.memory.levels.element)?,
        known_mapping(&rows.axis)?,
    );
    match region_without_axis(element, axis)? {
        Ok(found) => Some(found.left),
        Err(fault) => {
            let fault = RowsFault::Axis {
                axis: axis.clone(),
                element: element.clone(),
                fault,
            };
            add(wrap(fault), rows.axis.span);
            None
        }
    }
}

/// Judges the place of the list, and gives what it runs over.
fn domain(
    ends: &Ends<'_>,
    rows: &Rows,
    add: &mut impl FnMut(PlanFault, Span),
    wrap: fn(RowsFault) -> PlanFault,
) -> Option<Mapping> {
    let Some(index) = ends.index else {
        return rows.domain.as_ref().and_then(known_mapping).cloned();
    };
    if let (Some(own), Some(data)) = (&index.levels.chip, &ends.memory.levels.chip)
        && let (Some(own), Some(data)) = (known_mapping(own), known_mapping(data))
        && !(own.form().is_broadcast() && own.size() == data.size())
        && (own.size() != data.size() || equal_forms(own.form(), data.form()) == Answer::No)
    {
        let fault = IndexFault::Chip {
            index: own.clone(),
            data: data.clone(),
        };
        let place = index
            .levels
            .chip
            .as_ref()
            .map_or(index.span, |chip| chip.span);
        add(PlanFault::Index(fault), place);
    }
    if let Some(pe) = &index.levels.pe
        && let Some(found) = known_mapping(pe)
        && let Ok(expected) = Mapping::identity().pad_to(found.size(), PaddingKind::Top)
        && equal_forms(found.form(), expected.form()) == Answer::No
    {
        let fault = IndexFault::Pe {
            found: found.clone(),
            expected,
        };
        add(PlanFault::Index(fault), pe.span);
    }
    let list = known_mapping(&index.levels.element)?;
    if !list.has_no_padding() {
        let fault = IndexFault::Padding { list: list.clone() };
        add(PlanFault::Index(fault), index.levels.element.span);
        return None;
    }
    let clusters = match &index.levels.cluster {
        Some(clusters) => Some(known_mapping(clusters)?),
        None => None,
    };
    let expected = match clusters.filter(|clusters| !is_one_copy(clusters)) {
        Some(clusters) => clusters.pair(list).ok()?,
        None => list.clone(),
    };
    if let Some(written) = &rows.domain
        && let Some(declared) = known_mapping(written)
        && equal_forms(expected.form(), declared.form()) == Answer::No
    {
        let fault = RowsFault::Domain {
            expected: expected.clone(),
            declared: declared.clone(),
        };
        add(wrap(fault), written.span);
        return None;
    }
    Some(expected)
}

/// Whether a level holds one copy of what it carries: one live position, or the same in all.
fn is_one_copy(level: &Mapping) -> bool {
    let one = Mapping::identity().pad_to(level.size(), PaddingKind::Top);
    level.form().is_broadcast()
        || one.is_ok_and(|one| equal_forms(one.form(), level.form()) == Answer::Yes)
}

/// Clusters, slices and elements of a tensor.
fn tensor_mapping(levels: &Levels) -> Option<Mapping> {
    let parts = [
        known_mapping(levels.cluster.as_ref()?)?.clone(),
        known_mapping(levels.slice.as_ref()?)?.clone(),
        known_mapping(&levels.element)?.clone(),
    ];
    Mapping::product(&parts).ok()
}

/// A row with what the list runs over.
fn row_with_domain(row: &Form, domain: Option<&Mapping>) -> Option<Mapping> {
    row.to_mapping().pair(domain?).ok()
}

/// An element that one side has and the other lacks. `both`: also one that the tensor lacks.
fn element_fault(tensor: &Mapping, rows: &Mapping, both: bool) -> Option<RowsFault> {
    let judged = |held: &Mapping, wanted: &Mapping, in_tensor: bool| {
        (holds_every_element(held.form(), wanted.form()) == Answer::No).then(|| {
            let missing = |axis: &String| !held.form().contains_axis(axis);
            RowsFault::Elements {
                tensor: tensor.form().to_mapping(),
                rows: rows.form().to_mapping(),
                axis: forms::axis_names(wanted.form()).into_iter().find(missing),
                in_tensor,
            }
        })
    };
    let lacking = if both {
        judged(tensor, rows, true)
    } else {
        None
    };
    lacking.or_else(|| judged(rows, tensor, false))
}

/// Copies that the tensor holds beyond those of the rows.
fn copies_fault(tensor: &Mapping, rows: &Mapping) -> Option<RowsFault> {
    let count = |form: &Form| {
        let digits = form.digits().iter();
        let copies = digits.filter_map(|digit| {
            let term = digit.term.as_ref()?;
            (term.atom == Atom::Broadcast).then_some(digit.live)
        });
        copies.fold(1_u64, u64::saturating_mul)
    };
    let (held, sent) = (count(tensor.form()), count(rows.form()));
    (held > sent).then_some(RowsFault::Copies { count: held })
}

/// Elements that a row and the target read the same way, where they end inside of a word.
fn row_tail_fault(row: &Form, target: &Form, element: ElementType) -> Option<PlanFault> {
    let mut elements = 1_u64;
    let mut own = row.digits().iter().peekable();
    let mut other = target.digits().iter().peekable();
    while let (Some(one), Some(two)) = (own.peek(), other.peek()) {
        if one != two || stops(two) {
            break;
        }
        elements = elements.checked_mul(two.extent)?;
        own.next();
        other.next();
    }
    // A part of a digit may be read the same way, and padding behind the run may be written over.
    let shares = match (own.peek(), other.peek()) {
        (Some(one), Some(two)) => match (&one.term, &two.term) {
            (Some(one), Some(two)) => match (one.atom.axis(), two.atom.axis()) {
                (Some(one), Some(two)) => one.name() == two.name(),
                _ => true,
            },
            _ => true,
        },
        (None, Some(two)) => two.term.is_none(),
        (_, None) => false,
    };
    let bits = elements.checked_mul(element.bits())?;
    let whole = bits.is_multiple_of(DMA_ALIGNMENT_BYTES * 8);
    (!shares && !whole).then_some(PlanFault::Tail { elements, bits })
}

/// Whether a digit has padding that must not, or cannot, be written over.
fn stops(digit: &Digit) -> bool {
    let mut paddings = digit.paddings().iter();
    paddings.any(|padding| padding.kind != PaddingKind::Top)
}

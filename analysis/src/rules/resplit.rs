//! Another split of a tensor over the slices: the innermost part on them grows or shrinks until all slices are used, and what
//! every slice holds follows.
//!
//! Knows the tensors and streams of one body that are over the same slices. Whether the engines can live with the new parts is
//! the business of whoever follows an alternative.

use crate::items::Span;
use crate::kernel::{Body, OperationKind, Tier, Written};
use crate::mapping::{Digit, Form, Mapping, Term};

use super::lanes::Edits;
use super::{Alternative, words};

/// The split of what is written at a place over all slices.
pub(super) fn over_all_slices(body: &Body, place: Span) -> Option<Alternative> {
    let over_here = |written: &&Written<Mapping>| written.span == place;
    let slices = body
        .tensors
        .iter()
        .filter_map(|tensor| tensor.levels.slice.as_ref());
    let before = slices.filter(over_here).find_map(Written::get)?.form();
    let split = Split::of(body.machine.slices, &before.remove_padding())?;
    let mut edits = Edits::default();
    edits.text(place, &split.slices.to_mapping());
    let same = |slice: Option<&Written<Mapping>>| {
        slice.and_then(Written::get).map(Mapping::form) == Some(before)
    };
    for tensor in &body.tensors {
        if tensor.tier == Tier::Hbm || !same(tensor.levels.slice.as_ref()) {
            continue;
        }
        let slice = tensor.levels.slice.as_ref()?;
        edits.declare(slice, &split.slices);
        let element = &tensor.levels.element;
        edits.declare(element, &split.held(element.get()?.form())?);
    }
    for operation in &body.operations {
        let OperationKind::Pass(pass) = &operation.kind else {
            continue;
        };
        for stage in &pass.stages {
            let output = &stage.output;
            if !same(Some(&output.slice)) {
                continue;
            }
            if output.slice.span != stage.span {
                edits.declare(&output.slice, &split.slices);
            }
            let (time, packet) = (output.time.get()?.form(), output.packet.get()?.form());
            let (time, packet) = split.streamed(time, packet)?;
            for (declared, form) in [(&output.time, &time), (&output.packet, &packet)] {
                if declared.span != stage.span {
                    edits.declare(declared, form);
                }
            }
        }
    }
    let mut texts: Vec<&str> = Vec::new();
    for edit in &edits.list {
        if !texts.contains(&&*edit.text) {
            texts.push(&edit.text);
        }
    }
    Some(Alternative {
        text: format!("split it otherwise: {}", words::names(&texts)),
        edits: edits.list,
    })
}

/// Where the innermost part on the slices begins, before and after.
struct Split {
    /// What is over the slices now.
    slices: Form,
    /// The innermost part before.
    part: Term,
    /// So many times as many slices, or so many times fewer.
    factor: u64,
    grows: bool,
}

impl Split {
    fn of(all: u64, before: &Form) -> Option<Self> {
        let (inner, outer) = before.digits().split_first()?;
        let part = inner.term.clone()?;
        part.atom.axis()?;
        let used = before.size();
        let plain = inner.paddings().is_empty() && inner.live == part.modulo;
        let grows = used < all;
        let (large, small) = if grows { (all, used) } else { (used, all) };
        let factor = large.checked_div(small)?;
        if !plain || factor < 2 || small.checked_mul(factor) != Some(large) {
            return None;
        }
        let (stride, modulo) = if grows {
            (
                whole(part.stride, factor)?,
                part.modulo.checked_mul(factor)?,
            )
        } else {
            (
                part.stride.checked_mul(factor)?,
                whole(part.modulo, factor)?,
            )
        };
        let new = Term {
            stride,
            modulo,
            ..part.clone()
        };
        let digits = std::iter::once(Digit::new(Some(new), modulo)).chain(outer.iter().cloned());
        let slices = Form::from_digits(digits)?;
        (slices.size() == all).then_some(Self {
            slices,
            part,
            factor,
            grows,
        })
    }

    /// What a slice holds of an element.
    fn held(&self, element: &Form) -> Option<Form> {
        if self.grows {
            self.without(element)
        } else {
            Form::multiply(&self.moved()?, element)
        }
    }

    /// Time and packet of a stream.
    fn streamed(&self, time: &Form, packet: &Form) -> Option<(Form, Form)> {
        if !self.grows {
            return Some((Form::multiply(&self.moved()?, time)?, packet.clone()));
        }
        match (self.without(time), self.without(packet)) {
            (Some(time), _) => Some((time, packet.clone())),
            (None, Some(packet)) => Some((time.clone(), packet)),
            (None, None) => None,
        }
    }

    /// The part that leaves the slices.
    fn moved(&self) -> Option<Form> {
        let term = Term {
            modulo: self.factor,
            ..self.part.clone()
        };
        Form::from_digits([Digit::new(Some(term), self.factor)])
    }

    /// A form without what went to the slices: the outermost steps of the part that ends where the slices begin.
    fn without(&self, form: &Form) -> Option<Form> {
        let mut found = false;
        let mut digits = Vec::new();
        for digit in form.digits() {
            let ends_there = digit.term.as_ref().is_some_and(|term| {
                term.atom == self.part.atom
                    && term.stride.checked_mul(term.modulo) == Some(self.part.stride)
            });
            if !ends_there {
                digits.push(digit.clone());
                continue;
            }
            let term = digit.term.as_ref()?;
            if !digit.paddings().is_empty() || digit.live != term.modulo {
                return None;
            }
            found = true;
            let modulo = whole(term.modulo, self.factor)?;
            if modulo > 1 {
                let term = Term {
                    modulo,
                    ..term.clone()
                };
                digits.push(Digit::new(Some(term), modulo));
            }
        }
        if !found {
            return None;
        }
        Form::from_digits(digits)
    }
}

/// A quotient without remainder.
fn whole(number: u64, by: u64) -> Option<u64> {
    number.is_multiple_of(by).then(|| number.checked_div(by))?
}

//! Transfers between memories, and what they do beside moving elements: copies that only a type claims, and padding that travels.

use crate::items::Span;
use crate::kernel::{Copy, OperationId, Tier};

use super::cells::{Cells, Copies, carry_out, has_copies, whole_move};
use super::halt::{Halt, Step};
use super::machine::{Machine, no_plan};
use super::memory::View;
use super::plan::{Lookup, plan};
use super::request::OriginKind;
use super::space::Space;
use super::stream::Held;

impl Machine<'_> {
    /// Carries out a transfer between memories.
    pub(super) fn transfer(&mut self, id: OperationId, copy: &Copy) -> Step<()> {
        let source = self.source(copy.source)?;
        let (target, is_new) = self.target_view(id, copy.target)?;
        if source.kind != target.kind {
            return Err(Halt::refused(
                copy.span,
                format!(
                    "a transfer of {} into {} is not executed",
                    source.kind, target.kind
                ),
            ));
        }
        let claims = target.tier == Tier::Hbm && source.tier != Tier::Host;
        let copies = if claims {
            self.claimed(&source.space, &target.space, copy.span)
        } else {
            Copies::Made
        };
        let from = (&source.space, Held::Store(source.root));
        let mut cells = self.move_into((&target, is_new), from, copies, copy.span)?;
        self.clear_travelled(&source, &target, &mut cells, copy.span);
        self.put_back(&target, cells, (copy.span, copy.method), &[source.root]);
        Ok(())
    }

    /// What becomes of copies that a store's type claims.
    pub(super) fn claimed(&mut self, source: &Space, target: &Space, place: Span) -> Copies {
        let lacking: Vec<String> = target
            .axes
            .iter()
            .filter(|axis| source.axis_number(axis).is_none())
            .map(|axis| format!("`{}`", axis.name()))
            .collect();
        let what = if lacking.is_empty() {
            "the store names more copies than its source has, and moves each element once"
                .to_owned()
        } else {
            format!(
                "the store names {}, which its source lacks, and moves each element once",
                lacking.join(" and ")
            )
        };
        let said = what.clone();
        Copies::Claimed {
            undefined: self
                .origins
                .number(OriginKind::ClaimedCopy, place, None, || said),
            stale: self.origins.number(OriginKind::Stale, place, None, || what),
        }
    }

    /// Padding that both sides have at one stride travels with a transfer: what is in the target's is overwritten by what is in the
    /// source's, and the CPU back end copies nothing there.
    fn clear_travelled(&mut self, source: &View, target: &View, cells: &mut Cells, place: Span) {
        if cells
            .defined
            .as_ref()
            .is_some_and(|bits| bits.count_set() == 0)
        {
            return;
        }
        let both_padded = |space: &Space| {
            space
                .places
                .last()
                .is_some_and(|place| place.extent > place.live && place.stride == 1)
        };
        if target.space.is_opaque || !both_padded(&source.space) || !both_padded(&target.space) {
            return;
        }
        let (Some(own), Some(from)) = (target.space.places.last(), source.space.places.last())
        else {
            return;
        };
        let is_top = target.space.levels.get(own.level).is_some_and(|part| {
            let digit = part.mapping.form().digits().first();
            digit.is_some_and(|digit| {
                let mut paddings = digit.paddings().iter();
                paddings.all(|padding| padding.kind == crate::mapping::PaddingKind::Top)
            })
        });
        if !is_top || own.extent != from.extent || own.live != from.live {
            return;
        }
        let origin = self
            .origins
            .number(OriginKind::FreshPadding, place, None, || {
                "the transfer takes the padding of its source along".to_owned()
            });
        let travelling = self.memory.store(source.root);
        let rows = Lookup::new(&target.space, &source.space);
        let mut taken = Vec::new();
        super::plan::each_live(&target.space.without_innermost(), |at, values, _| {
            taken.push((at, rows.find(values).map(|(row, _)| row)));
        });
        // Both sides hold the same number there: the device and the CPU agree, whoever wrote it.
        let is_same = |from: Option<usize>, at: usize, cells: &Cells| {
            let (Some(from), Some(source)) = (from, travelling) else {
                return false;
            };
            source.is_defined(from) && source.array.number_at(from) == cells.array.number_at(at)
        };
        for (start, row) in taken {
            for step in own.live..own.extent {
                let step = usize::try_from(step).unwrap_or(0);
                let at = start + step;
                if at < cells.len()
                    && cells.is_defined(at)
                    && !is_same(row.map(|row| row + step), at, cells)
                {
                    cells.undefine(at, origin);
                }
            }
        }
    }

    /// The elements of a store that an operation moves others into.
    ///
    /// # Errors
    /// The mappings do not say which elements, or the store takes more memory than a run may.
    pub(super) fn move_into(
        &mut self,
        (target, is_new): (&View, bool),
        (source, held): (&Space, Held<'_>),
        copies: Copies,
        place: Span,
    ) -> Step<Cells> {
        let plan = plan(&target.space, source).map_err(|reason| no_plan(&reason, place))?;
        let is_made = copies == Copies::Made || !has_copies(&plan);
        let from = match held {
            Held::Stream(cells) => Some(cells),
            Held::Store(id) => self.memory.store(id),
        };
        if let (true, Some(from)) = (is_new && is_made, from) {
            let length = target.space.positions();
            let own = (target.kind, length);
            self.memory.check_stream((target.kind, 0), own, place)?;
            if let Some(cells) = whole_move(&plan, from, length) {
                self.memory.count(target.kind, length, place)?;
                return Ok(cells);
            }
        }
        let mut cells = self.target_cells(target, is_new, place)?;
        let own;
        let from = match held {
            Held::Stream(from) => from,
            Held::Store(id) => match self.memory.store(id) {
                Some(from) => from,
                // A transfer inside of one tensor.
                None => {
                    own = cells.clone();
                    &own
                }
            },
        };
        carry_out(&plan, &mut cells, from, copies)
            .map_err(|_| Halt::fault(place, "a view reaches beyond the tensor that it is of"))?;
        Ok(cells)
    }
}

//! Candidates that hold tensors in another split over clusters, slices and elements.
//!
//! A candidate says which part of which axis moves, and edits all that is declared over the same slices: tensors, streams, views.
//! Whether engines can live with it is judged where the candidate is tried. No part becomes padding and no padding a part, so
//! that nothing is copied that was not.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::db::Db;
use crate::items::{ItemId, Span};
use crate::kernel::{
    Body, Operation, OperationKind, Pass, PassSource, Stage, StageKind, Tensor, TensorId, Tier,
    Written, comes_from_outside, tensors_varying_along,
};
use crate::mapping::{Digit, Form, Mapping, Term};
use crate::rules::{Edit, is_shared_alias};

use super::levels::{Held, Inner, Levels, Step, To, move_levels};
use super::split::{Taken, form_without_part, inner_parts, live_part, outer_parts};
use super::{Candidate, Kind};

/// The splits of the tensor of an operation that may be better, those of fewer steps first.
pub(super) fn resplit_candidates(
    db: &dyn Db,
    function: ItemId,
    body: &Body,
    operation: &Operation,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    for id in tensors_of(body, operation) {
        let Some(tensor) = body.tensor(id) else {
            continue;
        };
        let splits = Splits {
            db,
            function,
            body,
            tensor,
            operation,
        };
        found.extend(splits.candidates());
    }
    found
}

/// The tensors of an operation in DM that may be held otherwise.
fn tensors_of(body: &Body, operation: &Operation) -> Vec<TensorId> {
    let ids = match &operation.kind {
        OperationKind::Copy(copy) => vec![copy.source, copy.target],
        OperationKind::Pass(pass) => match &pass.source {
            PassSource::Tensor(id) => vec![*id],
            PassSource::Interleaved { tensors, .. } => tensors.clone(),
            PassSource::Parameter { .. } => Vec::new(),
        },
        OperationKind::Collective(_) => Vec::new(),
    };
    let in_dm = |id: &TensorId| {
        body.tensor(*id)
            .is_some_and(|tensor| tensor.tier == Tier::Dm)
    };
    ids.into_iter().filter(in_dm).collect()
}

struct Splits<'a> {
    db: &'a dyn Db,
    function: ItemId,
    body: &'a Body,
    tensor: &'a Tensor,
    operation: &'a Operation,
}

fn levels_of(tensor: &Tensor) -> Option<Levels> {
    Some(Levels {
        cluster: live_part(tensor.levels.cluster.as_ref()?.get()?.form())?,
        slice: live_part(tensor.levels.slice.as_ref()?.get()?.form())?,
    })
}

impl Splits<'_> {
    fn candidates(&self) -> Vec<Candidate> {
        let Some(levels) = levels_of(self.tensor) else {
            return Vec::new();
        };
        let Some(element) = self.tensor.levels.element.get().map(Mapping::form) else {
            return Vec::new();
        };
        let all = self.body.machine.slices;
        let mut ways: Vec<Vec<Step>> = Vec::new();
        let to = |to: To| move |part: Term| Step { part, to };
        let leaving = |digits: &[Digit]| digits.iter().flat_map(inner_parts).collect::<Vec<_>>();
        let joining = |digits: &[Digit]| {
            let outermost_first = digits.iter().rev();
            outermost_first.flat_map(outer_parts).collect::<Vec<_>>()
        };
        let out: Vec<Term> = leaving(levels.slice.digits());
        let into: Vec<Term> = joining(element.digits());
        let fits = |part: &&Term| {
            let slices = levels.slice.size().checked_mul(part.modulo);
            slices.is_some_and(|slices| slices <= all)
        };
        ways.extend(
            out.iter()
                .cloned()
                .map(to(To::Element))
                .map(|step| vec![step]),
        );
        ways.extend(
            into.iter()
                .filter(fits)
                .cloned()
                .map(to(To::Slice))
                .map(|step| vec![step]),
        );
        ways.extend(self.over_clusters(&levels, element));
        // As many slices as before, of other axes.
        for away in &out {
            for part in &into {
                if part.modulo == away.modulo && part.atom != away.atom {
                    ways.push(vec![
                        Step {
                            part: away.clone(),
                            to: To::Element,
                        },
                        Step {
                            part: part.clone(),
                            to: To::Slice,
                        },
                    ]);
                }
            }
        }
        let mut found = Vec::new();
        for steps in ways {
            found.extend(self.split_candidate(&levels, &steps));
        }
        found
    }

    /// A real axis in place of the dummy cluster: half of what the slices or the elements hold, and the slices filled up again.
    fn over_clusters(&self, levels: &Levels, element: &Form) -> Vec<Vec<Step>> {
        let declared = self.tensor.levels.cluster.as_ref().and_then(Written::get);
        let clusters = declared.map_or(1, |cluster| cluster.form().size());
        if levels.cluster.size() != 1 || clusters < 2 {
            return Vec::new();
        }
        let halves = |form: &Form| -> Vec<Term> {
            let digits = form.digits().iter().rev();
            let parts = digits.flat_map(outer_parts);
            parts.filter(|part| part.modulo == clusters).collect()
        };
        let of_slices = halves(&levels.slice);
        let of_elements = halves(element);
        let to_cluster = |part: &Term| Step {
            part: part.clone(),
            to: To::Cluster,
        };
        let mut ways = Vec::new();
        for half in &of_slices {
            for refill in &of_elements {
                ways.push(vec![
                    to_cluster(half),
                    Step {
                        part: refill.clone(),
                        to: To::Slice,
                    },
                ]);
            }
        }
        ways.extend(of_elements.iter().map(|half| vec![to_cluster(half)]));
        ways.extend(of_slices.iter().map(|half| vec![to_cluster(half)]));
        ways
    }

    /// The edits of some steps, with what they are called.
    fn split_candidate(&self, levels: &Levels, steps: &[Step]) -> Option<Candidate> {
        let dependent: Vec<FxHashSet<TensorId>> = steps
            .iter()
            .map(|step| {
                tensors_varying_along(
                    self.body,
                    step.part.atom.axis().map_or("", |axis| axis.name()),
                    comes_from_outside,
                )
            })
            .collect();
        let mut writer = Writer {
            db: self.db,
            function: self.function,
            texts: FxHashMap::default(),
            edits: Vec::new(),
        };
        for tensor in &self.body.tensors {
            if matches!(tensor.tier, Tier::Dm | Tier::Trf | Tier::Vrf) {
                self.tensor(levels, steps, &dependent, tensor, &mut writer)?;
            }
        }
        for operation in &self.body.operations {
            if let OperationKind::Pass(pass) = &operation.kind {
                self.pass(levels, steps, &dependent, pass, &mut writer)?;
            }
        }
        let name = self
            .body
            .sharing(self.tensor.id)
            .find_map(|tensor| tensor.name.clone());
        let of = name.map_or_else(|| "the tensor".to_owned(), |name| format!("`{name}`"));
        let after = self.held_tensor(levels, steps, &dependent, self.tensor)?;
        let kind = if steps.iter().any(|step| step.to == To::Cluster) {
            Kind::BothClusters
        } else {
            Kind::Split
        };
        let text = |form: &Form| format!("`m![{}]`", form.to_mapping());
        let clusters = if kind == Kind::BothClusters {
            format!("{} over clusters, ", text(&after.cluster))
        } else {
            String::new()
        };
        Some(Candidate {
            kind,
            title: format!(
                "Hold {of} as {clusters}{} over slices and {} in each, and split tensors over the same slices the same way",
                text(&after.slice),
                text(&after.element)
            ),
            span: self.operation.span,
            rule: None,
            edits: writer.edits,
        })
    }

    /// What a tensor becomes.
    fn held_tensor(
        &self,
        levels: &Levels,
        steps: &[Step],
        dependent: &[FxHashSet<TensorId>],
        tensor: &Tensor,
    ) -> Option<Held> {
        let element = tensor.levels.element.get()?.form().clone();
        let row = tensor.levels.row.as_ref().and_then(Written::get);
        let own = Levels {
            cluster: live_part(tensor.levels.cluster.as_ref()?.get()?.form())?,
            slice: live_part(tensor.levels.slice.as_ref()?.get()?.form())?,
        };
        let holds = |step: usize| {
            dependent
                .get(step)
                .is_some_and(|ids| ids.contains(&tensor.id))
        };
        let extents = (
            tensor.levels.cluster.as_ref()?.get()?.form().size(),
            tensor.levels.slice.as_ref()?.get()?.form().size(),
        );
        let inner = Inner {
            outer: row.map_or_else(Form::identity, |row| row.form().clone()),
            element,
            is_stream: false,
        };
        move_levels(
            levels,
            &own,
            inner,
            steps,
            holds,
            extents,
            self.body.machine.slices,
        )
    }

    fn tensor(
        &self,
        levels: &Levels,
        steps: &[Step],
        dependent: &[FxHashSet<TensorId>],
        tensor: &Tensor,
        writer: &mut Writer<'_>,
    ) -> Option<()> {
        let Some(own) = levels_of(tensor) else {
            return Some(());
        };
        let concerns = own == *levels
            || (own.cluster == levels.cluster && steps.iter().any(|step| step.to == To::Cluster));
        if !concerns {
            return Some(());
        }
        let held = self.held_tensor(levels, steps, dependent, tensor)?;
        writer.declare_mapping(tensor.levels.cluster.as_ref()?, &held.cluster, tensor.span)?;
        writer.declare_mapping(tensor.levels.slice.as_ref()?, &held.slice, tensor.span)?;
        writer.declare_mapping(&tensor.levels.element, &held.element, tensor.span)?;
        if let Some(row) = &tensor.levels.row {
            writer.declare_mapping(row, &held.outer, tensor.span)?;
        }
        Some(())
    }

    fn pass(
        &self,
        levels: &Levels,
        steps: &[Step],
        dependent: &[FxHashSet<TensorId>],
        pass: &Pass,
        writer: &mut Writer<'_>,
    ) -> Option<()> {
        let sources: Vec<TensorId> = match &pass.source {
            PassSource::Tensor(id) => vec![*id],
            PassSource::Interleaved { tensors, .. } => tensors.clone(),
            PassSource::Parameter { .. } => Vec::new(),
        };
        let source = sources.first().and_then(|id| self.body.tensor(*id));
        let clusters = source.and_then(|source| source.levels.cluster.as_ref()?.get());
        let mut holding: Vec<bool> = dependent
            .iter()
            .map(|ids| sources.iter().any(|id| ids.contains(id)))
            .collect();
        let turned = self.turned(steps, dependent, levels, pass);
        for (number, stage) in pass.stages.iter().enumerate() {
            let read = stage.registers_read();
            for (holds, ids) in holding.iter_mut().zip(dependent) {
                *holds |= read.iter().any(|id| ids.contains(id));
            }
            let output = &stage.output;
            let (Some(slice), Some(time), Some(packet)) =
                (output.slice.get(), output.time.get(), output.packet.get())
            else {
                continue;
            };
            let Some(own) = live_part(slice.form()) else {
                continue;
            };
            let cluster = clusters.and_then(|clusters| live_part(clusters.form()));
            let own = Levels {
                cluster: cluster.unwrap_or_else(|| levels.cluster.clone()),
                slice: own,
            };
            let spreads = steps.iter().any(|step| step.to == To::Cluster);
            if own != *levels && !(own.cluster == levels.cluster && spreads) {
                continue;
            }
            let turned = turned
                .as_ref()
                .filter(|_| is_behind_transpose(pass, number));
            // What is behind a transpose that turns other rows has them already.
            let holds =
                |step: usize| turned.is_none() && holding.get(step).copied().unwrap_or(false);
            let extents = (self.body.machine.clusters, slice.form().size());
            let (outer, element) = match turned {
                // A flit keeps its size, and what is cut out of it is the rows.
                Some((outer, rows)) => (outer.clone(), rows.pad(packet.form().size())?),
                None => (time.form().clone(), packet.form().clone()),
            };
            let inner = Inner {
                outer,
                element,
                is_stream: true,
            };
            let held = move_levels(
                levels,
                &own,
                inner,
                steps,
                holds,
                extents,
                self.body.machine.slices,
            )?;
            let held = self.with_whole_packet(steps, dependent, levels, pass, stage, held);
            for (written, form) in [
                (&output.slice, &held.slice),
                (&output.time, &held.outer),
                (&output.packet, &held.element),
            ] {
                writer.declare_mapping(written, form, stage.span)?;
            }
        }
        Some(())
    }

    /// Time and rows behind a transpose whose rows leave the slices: as many of what is innermost in what the pass then commits. `None`
    /// where its rows stay.
    fn turned(
        &self,
        steps: &[Step],
        dependent: &[FxHashSet<TensorId>],
        levels: &Levels,
        pass: &Pass,
    ) -> Option<(Form, Form)> {
        let mut stages = pass.stages.iter();
        let stage = stages.find(|stage| stage.kind.turns_rows())?;
        let rows = stage.output.packet.get()?.form().remove_padding();
        let leaves = steps.iter().any(|step| {
            step.to != To::Element
                && matches!(form_without_part(&rows, &step.part), Some(Taken::Left(_)))
        });
        if !leaves {
            return None;
        }
        let (target, _) = pass.end.written_target()?;
        let held = self.held_tensor(levels, steps, dependent, self.body.tensor(target)?)?;
        held.element.split_at(rows.size())
    }

    /// A fetch that reads a slice's whole element as one packet goes on to do so.
    fn with_whole_packet(
        &self,
        steps: &[Step],
        dependent: &[FxHashSet<TensorId>],
        levels: &Levels,
        pass: &Pass,
        stage: &Stage,
        held: Held,
    ) -> Held {
        let PassSource::Tensor(source) = &pass.source else {
            return held;
        };
        let Some(source) = self.body.tensor(*source) else {
            return held;
        };
        let same = |written: &Written<Mapping>| {
            let whole = source.levels.element.get().map(Mapping::form);
            whole.is_some() && written.get().map(Mapping::form) == whole
        };
        let output = &stage.output;
        let one = output
            .time
            .get()
            .is_some_and(|time| time.form().size() == 1);
        if !matches!(stage.kind, StageKind::Fetch { .. }) || !one || !same(&output.packet) {
            return held;
        }
        match self.held_tensor(levels, steps, dependent, source) {
            Some(whole) => Held {
                outer: Form::identity(),
                element: whole.element,
                ..held
            },
            None => held,
        }
    }
}

/// Whether a stage is a transpose or comes behind one.
fn is_behind_transpose(pass: &Pass, number: usize) -> bool {
    let stages = pass.stages.get(..=number).unwrap_or_default();
    stages.iter().any(|stage| stage.kind.turns_rows())
}

/// Edits of declared mappings, each place once.
struct Writer<'a> {
    db: &'a dyn Db,
    function: ItemId,
    texts: FxHashMap<Span, String>,
    edits: Vec<Edit>,
}

impl Writer<'_> {
    /// Declares a mapping otherwise, in its alias where no other function and no other use wants it as it is. `None` where it
    /// is wanted in two ways at one place.
    fn declare_mapping(
        &mut self,
        place: &Written<Mapping>,
        form: &Form,
        method: Span,
    ) -> Option<()> {
        let declared = place.get()?.form();
        let changes = declared != form;
        // What is inferred follows by itself.
        if place.span == method {
            return Some(());
        }
        let mapping = form.to_mapping();
        let text = mapping.to_string();
        for at in [Some(place.span), place.used_at].into_iter().flatten() {
            match self.texts.get(&at) {
                Some(known) if *known == text => return Some(()),
                Some(_) => continue,
                None => {}
            }
            if !changes && at == place.span {
                self.texts.insert(at, text);
                return Some(());
            }
            let edit = Edit::new(at, &mapping);
            if at == place.span
                && place.used_at.is_some()
                && is_shared_alias(self.db, self.function, &edit)
            {
                continue;
            }
            self.texts.insert(at, text);
            self.edits.push(edit);
            return Some(());
        }
        None
    }
}

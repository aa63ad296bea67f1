//! What the families look at: a body, and what is derived of it when one of them asks for it.

use std::cell::Cell;

use super::{Applicability, EnabledRules};
use crate::budget::Budget;
use crate::derivation::BodyDerivation;
use crate::derivation::tensors::RepeatedAxis;
use crate::hardware::{Model, Target};
use crate::items::Span;
use crate::kernel::Body;
use crate::simulation::BodySimulation;

/// What is derived of a body, each part when it is first asked for.
pub trait Derived {
    /// What the engines make of it.
    fn derivation(&self) -> &BodyDerivation;
    /// What it costs.
    fn simulation(&self) -> &BodySimulation;
    /// The digits that its tensors and streams select twice, which is known without the engines.
    fn repeated_axes(&self) -> Vec<RepeatedAxis>;
}

/// What a family's check looks at: one lowered body and what is derived of it.
pub struct Checked<'a> {
    /// The body.
    pub body: &'a Body,
    /// What is derived of it.
    pub derived: &'a dyn Derived,
    /// The chip.
    pub target: Target,
    /// What its cycles are made of.
    pub model: Model,
    /// The operations that are judged, by their numbers, where not all are: what is found of others is known.
    pub only: Option<&'a [usize]>,
    /// What the kernel may cost at most, if the settings say so.
    pub budget: Option<&'a Budget>,
    /// The rules that are on. What another rule implies is left out only where that one is on.
    pub enabled: EnabledRules,
    /// How often the body was derived again with something changed in it.
    pub tried: &'a Cell<u64>,
}

impl<'a> Checked<'a> {
    /// What the engines make of the body.
    pub fn derivation(&self) -> &'a BodyDerivation {
        self.derived.derivation()
    }

    /// What the body costs.
    pub(super) fn simulation(&self) -> &'a BodySimulation {
        self.derived.simulation()
    }

    /// The digits that the body's tensors and streams select twice.
    pub(super) fn repeated_axes(&self) -> Vec<RepeatedAxis> {
        self.derived.repeated_axes()
    }

    /// The body with all that is known of it, as the simulation is asked about changes of it.
    pub(super) fn as_known(&self) -> crate::simulation::Known<'a> {
        crate::simulation::Known {
            body: self.body,
            derivation: self.derivation(),
            simulation: self.simulation(),
            target: self.target,
        }
    }

    /// How safely a mapping may be replaced at a place: an alias may stand for other things too.
    pub(super) fn replacing(&self, place: Span) -> Applicability {
        if place.item == self.body.span.item {
            Applicability::Machine
        } else {
            Applicability::Maybe
        }
    }
}

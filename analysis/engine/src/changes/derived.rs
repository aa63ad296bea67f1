//! What is derived of a body in which something was changed, as rules ask for it.

use std::cell::OnceCell;

use crate::derivation::BodyDerivation;
use crate::derivation::tensors::RepeatedAxis;
use crate::hardware::{Model, Target};
use crate::kernel::Body;
use crate::rules::{Checked, Derived};
use crate::simulation::{BodySimulation, simulate};

/// What is derived of a changed body; its costs when they are first asked for.
pub(super) struct DerivedAgain<'a> {
    body: &'a Body,
    derivation: &'a BodyDerivation,
    simulation: OnceCell<BodySimulation>,
    target: Target,
    model: Model,
}

impl<'a> DerivedAgain<'a> {
    pub(super) const fn of(
        body: &'a Body,
        derivation: &'a BodyDerivation,
        checked: &Checked<'_>,
    ) -> Self {
        Self {
            body,
            derivation,
            simulation: OnceCell::new(),
            target: checked.target,
            model: checked.model,
        }
    }
}

impl Derived for DerivedAgain<'_> {
    fn derivation(&self) -> &BodyDerivation {
        self.derivation
    }

    fn simulation(&self) -> &BodySimulation {
        let simulate = || simulate(self.body, self.derivation, self.target, self.model);
        self.simulation.get_or_init(simulate)
    }

    fn repeated_axes(&self) -> Vec<RepeatedAxis> {
        self.derivation.tensors.repeated.clone()
    }
}

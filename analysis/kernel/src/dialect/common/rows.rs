//! How a row of a library's table is written: arguments, stages, and what distinguishes a method.

use crate::catalogue::{CanonicalStage, Generic, Role};
use crate::dialect::{
    Access, Action, Argument, AssociatedFunction, Constructor, Method, Part, Receiver, Release,
    Releases, StageUse,
};
use crate::{Context, Position, Tier};

/// An argument whose meaning the catalogue knows.
pub(in crate::dialect) const fn arg(role: Role, name: &'static str, ty: &'static str) -> Argument {
    Argument {
        role,
        name,
        ty,
        meaning: "",
        usual: "",
        suffix: "",
        optional: false,
    }
}

impl Argument {
    pub(in crate::dialect) const fn meaning(self, meaning: &'static str) -> Self {
        Self { meaning, ..self }
    }

    pub(in crate::dialect) const fn usual(self, usual: &'static str) -> Self {
        Self { usual, ..self }
    }

    /// What a call in one of the contexts leaves out.
    pub(in crate::dialect) const fn optional(self) -> Self {
        Self {
            optional: true,
            ..self
        }
    }
}

/// A stage.
pub(in crate::dialect) const fn stage_once(stage: CanonicalStage) -> StageUse {
    StageUse {
        stage,
        merges: false,
    }
}

/// A stage that makes one stream of two groups.
pub(in crate::dialect) const fn merging_stage(stage: CanonicalStage) -> StageUse {
    StageUse {
        stage,
        merges: true,
    }
}

/// A method that all releases of a library have.
pub(in crate::dialect) const fn method_on(
    receiver: Receiver,
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
    action: Action,
) -> Method {
    Method {
        name,
        receiver,
        generics,
        arguments,
        action,
        offered_at: None,
        only_in: None,
        releases: Some(Releases::ALL),
        without_body: false,
    }
}

/// A method of tensors in a memory.
pub(in crate::dialect) const fn tensor_method(
    (tier, access): (Tier, &'static [Access]),
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
    action: Action,
) -> Method {
    method_on(
        Receiver::Tensor(tier, access),
        name,
        generics,
        arguments,
        action,
    )
}

/// A method of streams outside of the Vector Engine.
pub(in crate::dialect) const fn stream_method(
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
    stages: &'static [StageUse],
) -> Method {
    method_on(
        Receiver::Stream,
        name,
        generics,
        arguments,
        Action::Stages(stages),
    )
}

/// A function of tensors of the host that makes one with contents.
pub(in crate::dialect) const fn contents_constructor(name: &'static str) -> AssociatedFunction {
    AssociatedFunction {
        name,
        tiers: &[Tier::Host],
        constructor: Constructor::Contents,
        releases: Releases::ALL,
        summary: "",
        arguments: &[],
    }
}

impl AssociatedFunction {
    pub(in crate::dialect) const fn in_words(
        self,
        summary: &'static str,
        arguments: &'static [Part],
    ) -> Self {
        Self {
            summary,
            arguments,
            ..self
        }
    }

    pub(in crate::dialect) const fn since(self, since: Release) -> Self {
        let releases = Releases {
            since,
            ..self.releases
        };
        Self { releases, ..self }
    }

    pub(in crate::dialect) const fn until(self, until: Release) -> Self {
        let releases = Releases {
            until: Some(until),
            ..self.releases
        };
        Self { releases, ..self }
    }
}

impl Method {
    /// What releases have from one on.
    pub const fn since(self, release: Release) -> Self {
        Self {
            releases: Some(Releases::since(release)),
            ..self
        }
    }

    /// What no release has after one.
    pub const fn until(self, release: Release) -> Self {
        let releases = match self.releases {
            Some(releases) => Some(Releases {
                until: Some(release),
                ..releases
            }),
            None => None,
        };
        Self { releases, ..self }
    }

    /// What no release has: only the book names it.
    pub(in crate::dialect) const fn only_in_the_book(self) -> Self {
        Self {
            releases: None,
            ..self
        }
    }

    /// What the release names and has no body for.
    pub(in crate::dialect) const fn without_body(self) -> Self {
        Self {
            without_body: true,
            ..self
        }
    }

    /// What the library offers in one context only, from a release on.
    pub(in crate::dialect) const fn only_in(self, context: Context, since: Release) -> Self {
        Self {
            only_in: Some((context, since)),
            ..self
        }
    }

    /// What the library offers at fewer positions than the machine has.
    pub(in crate::dialect) const fn offered_at(self, positions: &'static [Position]) -> Self {
        Self {
            offered_at: Some(positions),
            ..self
        }
    }
}

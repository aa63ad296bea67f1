//! A row of a library's table of methods: what it takes, what it asks for, where and in which releases it is offered.

use crate::catalogue::{CanonicalStage, Generic, Role};
use crate::{Context, Position};

use super::{Action, Receiver, Release, Releases};

/// How many operands an operation of an ALU takes besides the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arity {
    /// None; on a pair two booleans say which groups run.
    Unary,
    /// One operand.
    Binary,
    /// Two operands, the second a constant.
    Ternary,
}

/// A stage that a method asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StageUse {
    /// The stage.
    pub stage: CanonicalStage,
    /// Whether it makes one stream of two groups.
    pub merges: bool,
}

/// An argument of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Argument {
    /// What it is for.
    pub role: Role,
    /// Its name in a signature.
    pub name: &'static str,
    /// Its type.
    pub ty: &'static str,
    /// What it means; empty where the catalogue says it of the stage.
    pub meaning: &'static str,
    /// What usually is written; empty where there is nothing usual.
    pub usual: &'static str,
    /// What is written behind it, as a snippet.
    pub suffix: &'static str,
    /// Whether there are calls without it: those in another context.
    pub optional: bool,
}

/// A method of the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// Its receiver.
    pub receiver: Receiver,
    /// Its type and constant parameters in the order of the turbofish.
    pub generics: &'static [Generic],
    /// Its arguments in order.
    pub arguments: &'static [Argument],
    /// What it does.
    pub action: Action,
    /// The positions that the library offers it at, where these are fewer than the machine has.
    pub offered_at: Option<&'static [Position]>,
    /// The one context that offers it, and from which release on.
    pub only_in: Option<(Context, Release)>,
    /// The releases that have it; `None` for what only the book has.
    pub releases: Option<Releases>,
    /// Whether a run of the kernel stops there: the library names it and has no body for it.
    pub without_body: bool,
}

impl Method {
    /// The place of the first argument of a role.
    pub fn argument(&self, role: Role) -> Option<usize> {
        self.arguments
            .iter()
            .position(|argument| argument.role == role)
    }

    /// Whether an argument has a role.
    pub fn has_role(&self, role: Role) -> bool {
        self.argument(role).is_some()
    }

    /// The stages that it asks for; none if it is no method of a stream.
    pub const fn stages(&self) -> &'static [StageUse] {
        match self.action {
            Action::Stages(stages) => stages,
            _ => &[],
        }
    }

    /// The one stage that it asks for; `None` if there are several, or none.
    pub const fn stage(&self) -> Option<CanonicalStage> {
        match self.stages() {
            [only] => Some(only.stage),
            _ => None,
        }
    }

    /// Whether the stage that it asks for makes one stream of two groups.
    pub fn merges(&self) -> bool {
        self.stages().iter().any(|stage| stage.merges)
    }

    /// How many operands it takes besides the stream, if it is an operation of an ALU.
    pub fn arity(&self) -> Arity {
        if self.has_role(Role::OperandAndConstant) {
            Arity::Ternary
        } else if self.has_role(Role::Operand) {
            Arity::Binary
        } else {
            Arity::Unary
        }
    }

    /// Whether a release of the library has it, or only the book.
    pub fn is_in(&self, release: Release) -> bool {
        self.releases
            .is_none_or(|releases| releases.contain(release))
    }

    /// Whether a release of the library has it; some are only the book's.
    pub const fn is_published(&self) -> bool {
        self.releases.is_some()
    }

    /// Whether the library offers it at a position.
    pub fn is_offered_at(&self, position: Position) -> bool {
        self.offered_at
            .is_none_or(|positions| positions.contains(&position))
    }

    /// The one context that a release offers it in; none where both do.
    pub fn context_in(&self, release: Release) -> Option<Context> {
        let (context, since) = self.only_in?;
        (release >= since).then_some(context)
    }

    /// Whether a release offers it in a context; `None` for streams that are generic over it, which have what both contexts have.
    pub fn is_offered_in(&self, release: Release, context: Option<Context>) -> bool {
        self.context_in(release)
            .is_none_or(|only| context == Some(only))
    }

    /// Its arguments in a context: the sub context is not handed to itself.
    pub fn arguments_in(
        &self,
        context: Option<Context>,
    ) -> impl Iterator<Item = (usize, &'static Argument)> + use<> {
        let arguments = self.arguments.iter().enumerate();
        arguments.filter(move |(_, argument)| !(argument.optional && context == Some(Context::Sub)))
    }

    /// Whether a stream at a position has the method, by the machine and by the library.
    pub fn follows(&self, position: Position, context: Option<Context>) -> bool {
        let first = self.stages().first();
        self.is_offered_at(position)
            && first.is_some_and(|first| first.stage.refusal(position, context).is_none())
    }
}

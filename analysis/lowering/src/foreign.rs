//! Calls that this release of the library does not have on a receiver that is known to be the library's: as another release
//! has them, or as the other library does.
//!
//! Where a body is judged such a call ends what is followed. Where it is to be rewritten it is followed as the other release
//! has it, so that what comes behind it is known, too.

use crate::items::Span;
use crate::kernel::catalogue::{Generic, Role};
use crate::kernel::dialect::{
    AssociatedFunction, Constructor, Method, PlanKind, Receiver, Release, TypeEntry, library_table,
};
use crate::kernel::{Context, ForeignCall, ForeignCallee, Position, UnresolvedReason};
use crate::libraries::Library;

use super::draft::OriginDraft;
use super::plans::unknown_address;
use super::types::TensorType;
use super::{Call, Interpreter, Thing, Value};

/// Which context a receiver is in.
type Runs = Option<Context>;

impl Interpreter<'_> {
    /// The method of another release or library that a call is, where the release's own is none or takes something else. It is
    /// noted.
    pub(super) fn foreign(
        &mut self,
        receiver: &Value,
        own: Option<&'static Method>,
        call: &Call,
    ) -> Option<&'static Method> {
        if !matches!(receiver, Value::Thing(_)) {
            return None;
        }
        let context = self.context_of(receiver);
        // The book's library has one release: what is written for it is judged as it always was.
        if let Some(own) = own
            && (self.own.dialect.library == Library::VisaStd
                || self.fits_method(own, call, receiver, context))
        {
            return None;
        }
        let (library, method) = self.of_other(receiver, call, context, own.is_some())?;
        self.note_foreign(ForeignCall {
            span: call.name_span,
            library,
            called: ForeignCallee::Method(method),
            context,
        });
        Some(method)
    }

    fn note_foreign(&mut self, call: ForeignCall) {
        let known = &mut self.own.draft.foreign;
        // Loops and helpers reach a place again.
        if known.iter().all(|other| other.span != call.span) {
            known.push(call);
        }
    }

    fn context_of(&self, receiver: &Value) -> Runs {
        match receiver {
            Value::Thing(Thing::Context(context)) => *context,
            Value::Thing(Thing::Stream(pass)) => self.own.draft.pass(*pass)?.context,
            _ => None,
        }
    }

    /// Whether a call has as many generics and arguments as a method takes, where it is offered.
    fn fits_method(&self, method: &Method, call: &Call, receiver: &Value, context: Runs) -> bool {
        takes_call(method, call, context)
            && (!self.own.follows_foreign || self.is_offered(method, receiver))
    }

    fn is_offered(&self, method: &Method, receiver: &Value) -> bool {
        match receiver {
            Value::Thing(Thing::Stream(pass)) => {
                let pass = self.own.draft.pass(*pass);
                pass.is_none_or(|pass| method.is_offered_at(pass.shape().position))
            }
            _ => true,
        }
    }

    /// The method of a call in another release, the newest that has it first, or in the other library. Where the release has
    /// one of the name, only one that the call fits.
    fn of_other(
        &self,
        receiver: &Value,
        call: &Call,
        context: Runs,
        exactly: bool,
    ) -> Option<(Library, &'static Method)> {
        let own = self.own.dialect.library;
        let others = Library::ALL.into_iter().filter(|library| *library != own);
        let mut loose = None;
        for library in std::iter::once(own).chain(others) {
            let table = library_table(library).in_newest_release();
            let mut methods: Vec<&'static Method> = table
                .methods_of_any_release(&call.name)
                .filter(|method| method.is_published() && self.is_receiver_of(receiver, method))
                .collect();
            methods.sort_by_key(|method| std::cmp::Reverse(last_of(method)));
            let fitting = methods
                .iter()
                .find(|method| {
                    takes_call(method, call, context) && self.is_offered(method, receiver)
                })
                .or_else(|| {
                    methods
                        .iter()
                        .find(|method| takes_call(method, call, context))
                });
            if let Some(method) = fitting {
                return Some((library, method));
            }
            loose = loose.or_else(|| methods.first().map(|method| (library, *method)));
        }
        loose.filter(|_| !exactly)
    }

    /// Whether a value is what a method is one of.
    fn is_receiver_of(&self, receiver: &Value, method: &Method) -> bool {
        match receiver {
            Value::Thing(Thing::Tensor(id)) => {
                let tier = self.own.draft.tensor(*id).map(|tensor| tensor.kind.tier);
                matches!(method.receiver, Receiver::Tensor(own, _) if Some(own) == tier)
            }
            Value::Thing(Thing::Stream(pass)) => {
                let pair =
                    self.own.draft.pass(*pass).is_some_and(|pass| {
                        matches!(pass.shape().position, Position::VectorPair(_))
                    });
                match method.receiver {
                    Receiver::Stream => true,
                    Receiver::Single => !pair,
                    Receiver::Pair => pair,
                    _ => false,
                }
            }
            Value::Thing(Thing::Context(Some(Context::TensorDma | Context::PcieDma))) => {
                method.receiver == Receiver::DmaEngine
            }
            Value::Thing(Thing::Context(_)) => method.receiver == Receiver::TensorUnit,
            Value::Thing(Thing::Plan(plan)) => {
                let kind: PlanKind = plan.kind;
                method.receiver == Receiver::Plan(kind)
            }
            _ => false,
        }
    }

    /// A call whose arguments are those of another release, where nothing of others is followed.
    pub(super) fn refuse_foreign(
        &mut self,
        receiver: &Value,
        (foreign, own): (&'static Method, &'static Method),
        call: &Call,
    ) -> Value {
        let method = foreign.told_apart(own);
        let dialect = self.own.dialect.id();
        let mut own = self.own.dialect.methods_of_any_release(&call.name);
        let is_own = own.any(|own| own == foreign);
        drop(own);
        let reason = match foreign.releases {
            Some(releases) if is_own => UnresolvedReason::OtherRelease {
                method,
                releases,
                dialect,
            },
            _ => {
                let others = Library::ALL.into_iter();
                let mut others = others.filter(|library| *library != dialect.library);
                UnresolvedReason::OtherLibrary {
                    method,
                    library: others.next().unwrap_or(dialect.library),
                    dialect,
                }
            }
        };
        match receiver {
            Value::Thing(Thing::Stream(pass)) => {
                self.own.draft.fail(*pass, reason, call.name_span);
            }
            _ => self.unresolved(reason, call.name_span),
        }
        Value::Unknown
    }

    /// A tensor that an associated function of another release or library makes, where these are followed.
    pub(super) fn foreign_function(
        &mut self,
        kind: TensorType,
        name: &str,
        arguments: &[(Value, Span)],
        span: Span,
    ) -> Option<Value> {
        let own = self.own.dialect.library;
        let others = Library::ALL.into_iter().filter(|library| *library != own);
        let mut libraries = std::iter::once(own).chain(others);
        let (library, function) = libraries.find_map(|library| {
            let mut functions = library_table(library).associated.iter();
            let found: &'static AssociatedFunction = functions
                .find(|function| function.name == name && function.tiers.contains(&kind.tier))?;
            Some((library, found))
        })?;
        self.note_foreign(ForeignCall {
            span,
            library,
            called: ForeignCallee::Function(function, kind.tier),
            context: None,
        });
        if !self.own.follows_foreign {
            return None;
        }
        let (address, origin) = match function.constructor {
            Constructor::FromAddress => (
                self.address(arguments.first(), span),
                OriginDraft::FromAddress,
            ),
            Constructor::New => (unknown_address(span), OriginDraft::New),
            Constructor::Contents => (unknown_address(span), OriginDraft::Parameter),
        };
        let made = self.own.draft.add_tensor(kind, address, origin, span);
        Some(Value::Thing(Thing::Tensor(made)))
    }

    /// The type of a name: of the library, or where other libraries are followed of one of these.
    pub(super) fn type_of_any_library(&self, name: &str) -> Option<&'static TypeEntry> {
        let own = self.own.dialect.type_entry(name);
        own.or_else(|| {
            let mut all = Library::ALL
                .into_iter()
                .filter(|_| self.own.follows_foreign);
            all.find_map(|library| library_table(library).type_entry(name))
        })
    }
}

/// The last release that has a method, the newest where all later ones have it.
fn last_of(method: &Method) -> Option<Release> {
    let newest = Release::new(u16::MAX, 0);
    let releases = method.releases?;
    Some(releases.until.unwrap_or(newest))
}

/// Whether a call has as many generics and arguments as a method takes. An argument that only one context does without is
/// needed in the other.
fn takes_call(method: &Method, call: &Call, context: Runs) -> bool {
    let generics = call.turbofish.len();
    let constants = method.generics.iter();
    let constants = constants.filter(|generic| **generic == Generic::Constant);
    let few = method.generics.len().saturating_sub(constants.count());
    let generics_fit = generics == 0 || (few..=method.generics.len()).contains(&generics);
    let given = call.arguments.len();
    let needed = method.arguments.iter();
    let needed = needed.filter(|argument| !argument.optional || context == Some(Context::Main));
    let most = if context == Some(Context::Sub) {
        let always = method.arguments.iter();
        always.filter(|argument| !argument.optional).count()
    } else {
        method.arguments.len()
    };
    generics_fit && (needed.count()..=most).contains(&given) && are_of_roles(method, call)
}

/// Whether no argument is plainly something else than what its role says: an address where a context goes, or the reverse.
fn are_of_roles(method: &Method, call: &Call) -> bool {
    let roles = method.arguments.iter().map(|argument| argument.role);
    let mut given = roles.zip(&call.arguments);
    given.all(|(role, (value, _))| match role {
        Role::Context => !matches!(value, Value::Constant(..) | Value::Named(_)),
        Role::Address => !matches!(value, Value::Thing(_)),
        _ => true,
    })
}

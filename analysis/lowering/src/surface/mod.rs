//! What the source says, for any library: a walk through a function's Rust.
//!
//! It follows blocks, variables, patterns, loops, branches, closures, arithmetic, paths and calls, and hands to an
//! [`Elaborate`] what only a library gives a meaning to: methods of its things, its types, its names. It knows no library, no
//! stage and no hardware; what kinds of things there are, which type a literal has and what a call records is the
//! elaboration's.

mod arguments;
mod arithmetic;
mod assignments;
mod branches;
mod calls;
mod closures;
mod deviceless;
mod expressions;
mod loops;
mod rust_methods;
mod site;
mod statements;
mod values;
mod variables;
mod variants;

use std::cell::OnceCell;
use std::fmt::Debug;
use std::rc::Rc;
use std::sync::Arc;

use ra_ap_syntax::{SyntaxNode, ast};
use rustc_hash::FxHashMap;

use crate::db::Db;
use crate::items::{ConstValue, ItemId, Resolution, Span};

use crate::kernel::{BranchArm, LoopFrame, Unresolved, UnresolvedReason};

pub(crate) use arguments::{Argument, Turbofish, path_arguments};
pub(crate) use calls::Call;
pub(crate) use closures::Handed;
use deviceless::Deviceless;
pub(crate) use deviceless::is_bound_to_device;
pub(crate) use rust_methods::{is_plain, named_method, sequence_method};
pub(crate) use site::{Bound, Generics, Site, path_segments};
pub(crate) use values::{Named, Value};
pub(crate) use variables::Variables;

/// Loop runs that one body may have.
pub(crate) const ITERATION_LIMIT: u64 = 4_096;
/// Values of a sequence that are listed one by one.
const SEQUENCE_LIMIT: u64 = 1_024;
/// Expressions that a call of a helper counts for.
pub(crate) const CALL_WEIGHT: u64 = 8;
/// Expressions after which a walk looks whether it is to end.
const PAUSE_EVERY: u64 = 256;
/// Expressions that may be in each other, helpers included.
pub const EXPRESSION_DEPTH: u32 = 160;

/// The fields of a struct's type, and what its parameters stand for.
pub(crate) type RecordType<'a, L> = (
    &'a [(String, <L as Elaborate>::Type)],
    &'a Arc<[<L as Elaborate>::Binding]>,
);

/// An argument's or a part's value with its place.
pub(crate) type Placed<L> = (Value<L>, Span);

/// What a library makes of what the walk meets.
pub(crate) trait Elaborate: Copy + Debug + 'static {
    /// What the elaboration knows of the body so far.
    type State: Debug;
    /// A value that only the library knows.
    type Thing: Clone + Debug;
    /// A type as written.
    type Type: Clone + Debug;
    /// The type of an element of a tensor.
    type Scalar: Copy + Debug + PartialEq;
    /// What a generic parameter stands for in one call.
    type Binding: Bound;

    /// The type of a float literal without a suffix.
    const FLOAT: Self::Scalar;
    /// The type of an integer literal that stands for a value.
    const INTEGER: Self::Scalar;

    /// The scalar types, to recognise suffixes of literals and owners of numbers: `1i8`, `f32::MAX`.
    fn scalar_named(name: &str) -> Option<Self::Scalar>;
    /// The scalar type that a literal ends in.
    fn suffix_of(literal: &str) -> Option<Self::Scalar>;

    /// The type that a text writes; `place` is used where it has no place of its own.
    fn read_type(
        walker: &mut Walker<'_, Self>,
        site: &Site<Self>,
        ty: &ast::Type,
        place: Span,
    ) -> Self::Type;
    /// The type that a path names.
    fn read_path_type(
        walker: &mut Walker<'_, Self>,
        site: &Site<Self>,
        path: &ast::Path,
        place: Span,
    ) -> Self::Type;
    /// The scalar of a type of numbers, if it has one; `None` for other types.
    fn number(ty: &Self::Type) -> Option<Option<Self::Scalar>>;
    /// The type of addresses.
    fn address_type(walker: &Walker<'_, Self>) -> &'static str;
    /// Whether values of a type take part in operations.
    fn is_device_side(ty: &Self::Type) -> bool;
    /// An expression is about to be followed whose value goes where a type is expected.
    fn expect(walker: &mut Walker<'_, Self>, expression: &ast::Expr, ty: &Self::Type);
    /// The length of the array that is expected of the call at a place.
    fn expected_length(walker: &Walker<'_, Self>, call: Span) -> Option<u64>;
    /// The constant that a generic argument names.
    fn constant_of(
        walker: &mut Walker<'_, Self>,
        site: &Site<Self>,
        argument: &Argument,
    ) -> Option<ConstValue>;
    /// The types of the fields of a struct of the project, and what its parameters stand for.
    fn record_of<'a>(ty: &'a Self::Type) -> Option<RecordType<'a, Self>>;
    /// What the parameters of a struct stand for in a value, by its fields' values.
    fn generics_of(
        walker: &mut Walker<'_, Self>,
        item: ItemId,
        fields: &[(String, Value<Self>, Span)],
        place: Span,
    ) -> Arc<[Self::Binding]>;
    /// A value of a type that comes from outside.
    fn value_of_type(walker: &mut Walker<'_, Self>, ty: &Self::Type, place: Span) -> Value<Self>;
    /// Says that a value is of a type.
    fn constrain(walker: &mut Walker<'_, Self>, value: &Value<Self>, ty: &Self::Type);
    /// Says that two values are of one type.
    fn unify(walker: &mut Walker<'_, Self>, first: &Value<Self>, second: &Value<Self>);

    /// One value for two things of which either may be meant.
    fn merge(walker: &mut Walker<'_, Self>, first: Self::Thing, second: Self::Thing)
    -> Value<Self>;
    /// An element of an array at an unknown place.
    fn one_of(walker: &mut Walker<'_, Self>, values: Vec<Value<Self>>) -> Value<Self>;
    /// A field of a thing.
    fn field(walker: &Walker<'_, Self>, thing: &Self::Thing, name: &str) -> Value<Self>;
    /// A value is bound to a name.
    fn named(walker: &mut Walker<'_, Self>, value: &Value<Self>, name: &str, span: Span);
    /// Whether operations may run where a thing is given to.
    fn runs_where_given(thing: &Self::Thing) -> bool;

    /// A method that is not the walk's own.
    fn method(
        walker: &mut Walker<'_, Self>,
        receiver: Value<Self>,
        call: &Call<Self>,
    ) -> Value<Self>;
    /// A call of a function of the project.
    fn inline(
        walker: &mut Walker<'_, Self>,
        function: ItemId,
        turbofish: Turbofish<'_>,
        arguments: &[Placed<Self>],
        span: Span,
    ) -> Value<Self>;
    /// A call of a path that is no function of the project, with what the path resolves to.
    fn call(
        walker: &mut Walker<'_, Self>,
        path: (&ast::Path, Span),
        names: &[String],
        arguments: Vec<Placed<Self>>,
        resolution: &Resolution,
    ) -> Value<Self>;
    /// The size that a path names: `Axis::SIZE`.
    fn size_of(walker: &mut Walker<'_, Self>, path: &ast::Path) -> Option<u64>;

    /// Whether a method of that name runs an operation.
    fn runs(walker: &Walker<'_, Self>, method: &str) -> bool;
    /// Whether a piece of the frame's text names something that has to do with a device: of the library, or a function that does.
    fn concerns_device(walker: &Walker<'_, Self>, text: &str) -> bool;
    /// How many operations the body has so far.
    fn operations(walker: &Walker<'_, Self>) -> usize;
    /// Records something that could not be followed.
    fn unresolved(walker: &mut Walker<'_, Self>, reason: UnresolvedReason, span: Span);
    /// Records how a loop was followed.
    fn cut(walker: &mut Walker<'_, Self>, how: Cut, span: Span);
    /// An expression has a value.
    fn seen(walker: &mut Walker<'_, Self>, expression: &ast::Expr, value: &Value<Self>);
}

/// How a loop was followed that has more runs than were looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The first two runs and the last one.
    Shortened,
    /// Two runs stand for all.
    Unbounded,
}

/// Where control goes after a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// To the next one.
    Next,
    /// Out of the innermost loop.
    Break,
    /// To the innermost loop's next run.
    Continue,
    /// Out of the function.
    Return,
}

/// The function that is being followed: the body's own, or a helper.
#[derive(Debug)]
pub(crate) struct Frame<L: Elaborate> {
    pub(crate) site: Site<L>,
    pub(crate) variables: Variables<L>,
    /// The declared result.
    pub(crate) result: L::Type,
    /// What `return` gave so far.
    pub(crate) returned: Option<Value<L>>,
}

/// The walk through one body.
pub(crate) struct Walker<'db, L: Elaborate> {
    pub(crate) db: &'db dyn Db,
    /// The elaboration's.
    pub(crate) own: L::State,
    pub(crate) frame: Frame<L>,
    /// The items read so far, without generic parameters.
    sites: FxHashMap<ItemId, Site<L>>,
    pub(crate) loops: Vec<LoopFrame>,
    pub(crate) branches: Vec<BranchArm>,
    pub(crate) calls: Vec<Span>,
    /// The functions that are being followed, outermost first.
    pub(crate) stack: Vec<ItemId>,
    pub(crate) flow: Flow,
    /// Branchings of which only some arms leave, with how many operations there were behind them.
    pub(crate) exits: Vec<(Span, usize)>,
    /// What the last `break` gave.
    broken: Option<Value<L>>,
    /// The label of the loop or block that is being left or gone on with, where one is named.
    target: Option<String>,
    /// What the last call left in the places that it was lent, by the argument's number; a receiver counts as the first.
    pub(crate) lent: Vec<(usize, Value<L>)>,
    /// The function's own place, used where nothing better is known.
    pub(crate) here: Span,
    pub(crate) expressions: u64,
    iterations: u64,
    depth: u32,
    /// Operations beside those that the function's own text names, and expressions that the body may have.
    pub(crate) limits: (usize, u64),
    /// Loop runs that the body may have.
    pub(crate) iteration_limit: u64,
    /// Expressions that may still be followed in what holds no device value; the largest number where all is followed.
    pub(crate) host_budget: u64,
    /// While such a piece is followed: the count of expressions at which the budget ends.
    host_until: Option<u64>,
    /// The loops and closures that were asked for by place, those whose text has to do with a device as `None`.
    deviceless: FxHashMap<Span, Option<Rc<Deviceless>>>,
    /// The function's own text, and how many of the operations that it names are counted at most.
    pub(crate) written: Option<(SyntaxNode, usize)>,
    /// How many operations it names: few bodies have so many that it is asked for.
    counted: OnceCell<usize>,
    pub(crate) exhausted: bool,
    /// Closures with operations in them, and those of them that were not called yet.
    pub(crate) handed: Vec<Handed>,
    /// Macros that are not expanded, whose values are used and of which nothing was said yet.
    pub(crate) unexpanded: Vec<Unresolved>,
}

impl<'db, L: Elaborate> Walker<'db, L> {
    /// A walk that begins in a text. `limits` are the operations and expressions that it may have.
    pub(crate) fn new(
        db: &'db dyn Db,
        own: L::State,
        frame: Frame<L>,
        here: Span,
        limits: (usize, u64),
    ) -> Self {
        Self {
            db,
            own,
            stack: vec![frame.site.item],
            frame,
            sites: FxHashMap::default(),
            loops: Vec::new(),
            branches: Vec::new(),
            calls: Vec::new(),
            flow: Flow::Next,
            exits: Vec::new(),
            broken: None,
            target: None,
            lent: Vec::new(),
            here,
            expressions: 0,
            iterations: 0,
            depth: 0,
            limits,
            iteration_limit: ITERATION_LIMIT,
            host_budget: u64::MAX,
            host_until: None,
            deviceless: FxHashMap::default(),
            written: None,
            counted: OnceCell::new(),
            exhausted: false,
            handed: Vec::new(),
            unexpanded: Vec::new(),
        }
    }

    /// The text of an item, without generic parameters.
    pub(crate) fn site(&mut self, item: ItemId) -> Site<L> {
        let db = self.db;
        let site = self.sites.entry(item);
        site.or_insert_with(|| Site::new(db, item)).clone()
    }

    /// Counts one expression or statement; false where the body has used up what it may.
    pub(crate) fn spend(&mut self) -> bool {
        self.expressions = self.expressions.saturating_add(1);
        if self.expressions.is_multiple_of(PAUSE_EVERY) {
            self.db.pause();
        }
        let (_, expressions) = self.limits;
        self.exhausted |= self.expressions > expressions;
        !self.exhausted
    }

    /// The most operations that the body may have.
    pub(crate) fn operation_limit(&self) -> usize {
        let count = || {
            let written = self.written.as_ref();
            written.map_or(0, |(node, most)| self.operations_in(node).len().min(*most))
        };
        let (beside, _) = self.limits;
        beside.saturating_add(*self.counted.get_or_init(count))
    }

    /// The variable of a name, innermost first.
    pub(crate) fn variable(&self, name: &str) -> Option<&Value<L>> {
        self.frame.variables.get(name)
    }

    /// Gives a variable another value.
    fn assign(&mut self, name: &str, value: Value<L>) {
        if let Some(slot) = self.frame.variables.get_mut(name) {
            *slot = value;
        }
    }

    /// A constant expression without variables, as the items' evaluator computes it.
    fn constant(&self, expression: &ast::Expr) -> ConstValue {
        let environment = crate::items::ItemEnvironment {
            db: self.db,
            item: self.frame.site.item,
        };
        crate::items::evaluate_expression(expression, &environment)
    }
}

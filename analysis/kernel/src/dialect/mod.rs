//! The libraries that kernels are written against, as tables.
//!
//! One table a dialect: its types with their generic parameters in order, its methods with receiver, turbofish order
//! and what they do. The lowering interprets the tables and knows no library's names of its own. The tables hold no
//! numbers of the hardware.

mod common;
mod guide;
mod history;
mod method;
mod opt_std;
mod plan;
mod terms;
mod visa_std;
mod words;
mod write;

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::db::Db;
use crate::hardware::{ElementType, Machine};
use crate::inputs::SourceFile;
use crate::items;
use crate::libraries::{self, OperationNames};

use super::catalogue::{CanonicalStage, Role};
use super::{Context, Level, Position, Tier, Way};

pub use crate::libraries::{Release, Releases};

pub use guide::{Guide, GuideRow, Part};
pub use history::History;
pub use method::{Argument, Arity, Method, StageUse};
pub use opt_std::OPT_STD;
pub use plan::{PlanKind, PlanStep};
pub use visa_std::VISA_STD;
pub use words::{ConditionWord, GuardWord, OperandWord, SwitchWord, Words};

/// The table of a library.
pub const fn library_table(library: libraries::Library) -> &'static Table {
    match library {
        libraries::Library::VisaStd => &VISA_STD,
        libraries::Library::OptStd => &OPT_STD,
    }
}

/// The table of a library, read in a release of it.
pub const fn dialect_in_release(dialect: items::Dialect) -> Dialect {
    Dialect {
        table: library_table(dialect.library),
        release: dialect.release,
    }
}

/// The table of the library that a file is written for, in its release.
pub fn of_file(db: &dyn Db, file: SourceFile) -> Dialect {
    dialect_in_release(items::dialect(db, file))
}

/// How a tensor type holds its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// The tensor itself.
    Owned,
    /// A shared view.
    Shared,
    /// An exclusive view.
    Exclusive,
}

/// A generic parameter of a type, by what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TypeParameter {
    /// The element type.
    Scalar,
    /// A mapping.
    Level(Level),
    /// The context, `main` or `sub`, as a constant.
    Context,
    /// The position marker of the general stream type.
    Position,
    /// The stage marker of the general vector stream.
    Stage,
    /// The packet mode of a vector stream.
    Way,
    /// Nothing that operations depend on.
    Other,
}

/// What a type of the library is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TypeShape {
    /// A tensor at rest, or a view of one.
    Tensor(Tier, Access),
    /// A stream at a position; `None` where a parameter names it.
    Stream(Option<Position>, Option<Way>),
    /// The whole context.
    Device,
    /// The context of the tensor unit, `main` or `sub`.
    TensorUnit,
    /// The context of a DMA engine.
    DmaEngine,
    /// A container that derefs to its argument (`ArrayVec`).
    Container,
    /// One value in HBM, the same on all chips, which decides at run time.
    RunTimeValue,
}

/// A type of the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeEntry {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub shape: TypeShape,
    /// Its type and constant parameters in order, lifetimes left out.
    pub parameters: &'static [TypeParameter],
}

/// Which receivers a method has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Receiver {
    /// Tensors of a tier, by access.
    Tensor(Tier, &'static [Access]),
    /// `ctx.main` and `ctx.sub`.
    TensorUnit,
    /// `ctx.tdma` and `ctx.pdma`.
    DmaEngine,
    /// Any stream. Whether its position allows the method is the derivation's question.
    Stream,
    /// A single stream in the Vector Engine.
    Single,
    /// Two groups in the Vector Engine.
    Pair,
    /// A plan of a transfer that has not begun.
    Plan(PlanKind),
    /// One value in HBM.
    RunTimeValue,
}

/// What a method does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// A view of the tensor.
    View(Access),
    /// A part of a view along one level.
    Tile(Level),
    /// A transfer that makes a tensor of a tier; where no argument is an address, the library chooses it.
    Transfer(Tier),
    /// A transfer into a tensor or view.
    TransferInto,
    /// A gather that makes a DM tensor.
    Gather,
    /// A scatter into an HBM tensor.
    Scatter,
    /// The same bytes under another type.
    Reshape,
    /// A view whose elements have padding behind them that the tensor's do not have, or the reverse.
    Resize {
        /// Whether the view has more padding; else less.
        widens: bool,
    },
    /// Sets each element to one value.
    Fill,
    /// A step of a plan.
    Plan(PlanStep),
    /// A collective that makes a tensor of the source's mapping at address 0: the parts of a level change places.
    Shuffle(Level),
    /// A collective that makes a DM tensor with another element mapping at address 0: each part of a level takes a part
    /// of its elements.
    ParallelCopy(Level),
    /// Begins a stream.
    Begin,
    /// Begins a stream of several tensors in turn.
    BeginInterleaved,
    /// Stages of a stream, one after the other. An end of the stream is the last of them.
    Stages(&'static [StageUse]),
    /// Gives the receiver itself.
    Same,
    /// Says something about the tensor.
    Accessor(Accessor),
}

/// What a tensor says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Accessor {
    /// Its first byte.
    Address,
    /// Something that operations do not depend on.
    Other,
}

impl Action {
    /// Whether a call begins an operation; stages and ends of a pass belong to the one that began it.
    pub const fn begins_operation(self) -> bool {
        matches!(
            self,
            Self::Plan(PlanStep::Make | PlanStep::Write) | Self::Fill
        ) || matches!(
            self,
            Self::Transfer(_)
                | Self::TransferInto
                | Self::Gather
                | Self::Scatter
                | Self::Shuffle(_)
                | Self::ParallelCopy(_)
                | Self::Begin
                | Self::BeginInterleaved
        )
    }
}

/// What an associated function of a tensor type makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Constructor {
    /// A tensor at a given address.
    FromAddress,
    /// A tensor at an address that the library chooses, with no contents yet.
    New,
    /// A tensor with contents from outside.
    Contents,
}

/// An associated function of a tensor type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AssociatedFunction {
    /// Its name.
    pub name: &'static str,
    /// The tiers that have it.
    pub tiers: &'static [Tier],
    /// What it makes.
    pub constructor: Constructor,
    /// The releases that have it.
    pub releases: Releases,
    /// What it makes, in a sentence; empty where editors leave it out.
    pub summary: &'static str,
    /// Its arguments in order, in words.
    pub arguments: &'static [Part],
}

/// The methods of a library by what they are asked for.
#[derive(Debug, Default)]
pub struct MethodIndex {
    by_name: FxHashMap<&'static str, Vec<&'static Method>>,
    /// Those that ask for one stage alone, in the order in which they are written.
    by_stage: FxHashMap<CanonicalStage, Vec<&'static Method>>,
}

impl MethodIndex {
    fn of(lists: &[&'static [Method]]) -> Self {
        let mut index = Self::default();
        for method in lists.iter().copied().flatten() {
            index.by_name.entry(method.name).or_default().push(method);
            if let Some(stage) = method.stage() {
                index.by_stage.entry(stage).or_default().push(method);
            }
        }
        index
    }
}

/// A library that kernels are written against, all its releases.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// The library.
    pub library: libraries::Library,
    /// Releases that were read, with when they came out, the oldest first.
    pub editions: &'static [(Release, &'static str)],
    /// What kernels of a release run on, where they do not say more.
    pub machine: fn(Release) -> Machine,
    /// Its types, in several lists.
    pub types: &'static [&'static [TypeEntry]],
    /// Its methods, in several lists. A receiver may have several of one name.
    pub methods: &'static [&'static [Method]],
    /// The same by what they are asked for, filled by the first question.
    pub index: &'static OnceLock<MethodIndex>,
    /// Its methods in words, as far as the catalogue does not say them.
    pub guide: &'static [GuideRow],
    /// What generics of a stage that are such levels mean, where the library says more than the catalogue.
    pub level_words: &'static [(Level, &'static str)],
    /// What the library calls the generics of methods of streams, in order, where the catalogue's names are others.
    pub generic_names: &'static [(&'static str, &'static [&'static str])],
    /// Associated functions of tensor types.
    pub associated: &'static [AssociatedFunction],
    /// Its element types, with the releases that have them.
    pub scalars: &'static [(ElementType, Releases)],
    /// Fields of the whole context.
    pub context_fields: &'static [(&'static str, Context)],
    /// What authors call the whole context, with the releases that do so.
    pub context_names: &'static [(&'static str, Releases)],
    /// Its names of what is no method and no type.
    pub words: &'static Words,
}

/// A library in one release of it: what methods mean, and what a fix writes.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    table: &'static Table,
    release: Release,
}

impl std::ops::Deref for Dialect {
    type Target = Table;

    fn deref(&self) -> &Table {
        self.table
    }
}

impl Table {
    /// The table, read in a release.
    pub const fn in_release(&'static self, release: Release) -> Dialect {
        Dialect {
            table: self,
            release,
        }
    }

    /// The table, read in the newest release.
    pub const fn in_newest_release(&'static self) -> Dialect {
        self.in_release(self.library.newest())
    }

    /// What the library calls operations of the Vector Engine.
    pub const fn operations(&self) -> &'static OperationNames {
        self.library.operations()
    }

    /// The type of that name.
    pub fn type_entry(&self, name: &str) -> Option<&'static TypeEntry> {
        self.types
            .iter()
            .copied()
            .flatten()
            .find(|entry| entry.name == name)
    }

    /// The position of a marker: one of its own, or that of the stream's type of that name.
    pub fn position(&self, marker: &str) -> Option<Position> {
        let bare = marker
            .strip_prefix(self.words.position_prefix)
            .unwrap_or(marker);
        let mut own = self.words.positions.iter();
        if let Some((_, position)) = own.find(|(name, _)| *name == bare) {
            return Some(*position);
        }
        let entry = self.type_entry(&format!("{bare}{}", self.words.stream_suffix))?;
        match entry.shape {
            TypeShape::Stream(Some(position), None) => Some(position),
            _ => None,
        }
    }

    /// What kernels of a release run on, where they do not say more.
    pub fn machine_of(&self, release: Release) -> Machine {
        (self.machine)(release)
    }

    /// The context that a field of the whole context is.
    pub fn context_field(&self, name: &str) -> Option<Context> {
        self.context_fields
            .iter()
            .find(|(field, _)| *field == name)
            .map(|(_, context)| *context)
    }
}

impl Dialect {
    /// The library and its release.
    pub const fn id(&self) -> items::Dialect {
        items::Dialect {
            library: self.table.library,
            release: self.release,
        }
    }

    /// Whether methods are given the addresses of what they make; else the library chooses them.
    pub fn is_addressed(&self) -> bool {
        let commit = self.method_of(CanonicalStage::Commit);
        commit.is_some_and(|commit| commit.has_role(Role::Address))
    }

    /// Whether a tensor's address can be written anywhere: as an argument of a method, or of a constructor.
    pub fn has_written_addresses(&self) -> bool {
        let constructors = self.table.associated.iter();
        let mut constructors = constructors.filter(|own| own.releases.contain(self.release));
        self.is_addressed() || constructors.any(|own| own.constructor == Constructor::FromAddress)
    }

    /// What its kernels run on, where they do not say more.
    pub fn machine(&self) -> Machine {
        self.table.machine_of(self.release)
    }

    /// The associated function of a tensor type of that name.
    pub fn associated_function(
        &self,
        tier: Tier,
        name: &str,
    ) -> Option<&'static AssociatedFunction> {
        let mut functions = self.table.associated.iter();
        functions.find(|own| {
            own.name == name && own.tiers.contains(&tier) && own.releases.contain(self.release)
        })
    }

    /// The associated functions of a tier's type in the release.
    pub fn associated_functions(
        &self,
        tier: Tier,
    ) -> impl Iterator<Item = &'static AssociatedFunction> + use<> {
        let release = self.release;
        let functions = self.table.associated.iter();
        functions.filter(move |own| own.tiers.contains(&tier) && own.releases.contain(release))
    }

    /// What authors call the whole context.
    pub fn context_name(&self) -> &'static str {
        let mut names = self.context_names.iter();
        let found = names.find(|(_, releases)| releases.contain(self.release));
        found.map_or("", |(name, _)| name)
    }

    /// Whether the release has an element type.
    pub fn has_scalar(&self, scalar: ElementType) -> bool {
        let mut scalars = self.scalars.iter();
        scalars.any(|(own, releases)| *own == scalar && releases.contain(self.release))
    }

    /// All methods of that name, of any release: what a method that this one does not have would do.
    pub fn methods_of_any_release(&self, name: &str) -> impl Iterator<Item = &'static Method> {
        let named = self.index().by_name.get(name);
        named.into_iter().flatten().copied()
    }

    fn index(&self) -> &'static MethodIndex {
        let lists = self.table.methods;
        self.table.index.get_or_init(|| MethodIndex::of(lists))
    }

    /// Every method that the release has, and those that only the book has.
    pub fn every_method(&self) -> impl Iterator<Item = &'static Method> + use<> {
        let release = self.release;
        let methods = self.table.methods.iter().copied().flatten();
        methods.filter(move |method| method.is_in(release))
    }

    /// All methods of that name.
    pub fn methods(&self, name: &str) -> impl Iterator<Item = &'static Method> {
        // Names differ more often than releases: they are asked first.
        let release = self.release;
        let named = self.methods_of_any_release(name);
        named.filter(move |method| method.is_in(release))
    }

    /// The releases that have a method of that name, where this one has none.
    pub fn releases_elsewhere(&self, name: &str) -> Option<Releases> {
        if self.methods(name).next().is_some() {
            return None;
        }
        self.methods_of_any_release(name).next()?.releases
    }

    /// The first method that asks for a stage, those of the release before those of the book alone.
    pub fn method_of(&self, stage: CanonicalStage) -> Option<&'static Method> {
        let methods = self.index().by_stage.get(&stage)?.iter().copied();
        let mut of_stage = methods.filter(|method| method.is_in(self.release));
        let first = of_stage.next()?;
        let published = of_stage.find(|method| method.is_published());
        if first.is_published() {
            Some(first)
        } else {
            published.or(Some(first))
        }
    }

    /// The release that was read and comes nearest, in words: `` `furiosa_visa_std` 0.1 (April 2026) ``.
    pub fn edition(&self) -> String {
        let own = self.library.crate_name();
        let editions = self.table.editions.iter();
        let mut known = editions
            .rev()
            .skip_while(|(known, _)| *known > self.release);
        match known.next().or(self.table.editions.first()) {
            Some((release, when)) => format!("`{own}` {release} ({when})"),
            None => format!("`{own}` {}", self.release),
        }
    }

    /// The first method with a body that does something.
    pub fn method_that(&self, does: Action) -> Option<&'static Method> {
        self.every_method()
            .find(|method| method.action == does && !method.without_body)
    }

    /// Whether the library names a method of that name and has no body for it.
    pub fn is_without_body(&self, name: &str) -> bool {
        self.methods(name).any(|method| method.without_body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_of_a_receiver_is_unique() {
        let editions = [&VISA_STD, &OPT_STD].into_iter().flat_map(|library| {
            let editions = library.editions.iter();
            editions.map(move |(release, _)| library.in_release(*release))
        });
        for library in editions {
            let release = library.id().release;
            let methods: Vec<&Method> = library.every_method().collect();
            for (index, method) in methods.iter().enumerate() {
                let mut others = methods.iter().skip(index + 1);
                let twin = others
                    .find(|other| other.name == method.name && other.receiver == method.receiver);
                assert_eq!(twin, None, "{} is there twice in {release}", method.name);
            }
        }
    }

    #[test]
    fn the_aliases_of_streams_have_the_books_order_of_parameters() {
        let entry = VISA_STD
            .type_entry("CollectTensor")
            .expect("a type of the library");
        assert_eq!(
            entry.shape,
            TypeShape::Stream(Some(Position::Collect), None)
        );
        assert_eq!(
            entry.parameters,
            [
                TypeParameter::Context,
                TypeParameter::Scalar,
                TypeParameter::Level(Level::Chip),
                TypeParameter::Level(Level::Cluster),
                TypeParameter::Level(Level::Slice),
                TypeParameter::Level(Level::Time),
                TypeParameter::Level(Level::Packet),
            ]
        );
    }

    #[test]
    fn the_vector_methods_number_as_the_library_has_them() {
        // Single: branch, unzip, inter reduce, final, stash, filter, split, trim, concat, pad, intra reduce, and the
        // operations logic, fxp, fp_unary, fp_binary, fp_ternary, fp_div, clip with their `_with_mode` twins, plus
        // two conversions and the entry.
        let single = VISA_STD
            .in_newest_release()
            .every_method()
            .filter(|method| {
                method.name.starts_with("vector_") && !matches!(method.receiver, Receiver::Pair)
            })
            .count();
        assert_eq!(single, 12 + 14 + 2);
        // Pair: the same operations, conversions, split, concat, trim, pad, and four zips with twins.
        let pair = VISA_STD
            .in_newest_release()
            .every_method()
            .filter(|method| matches!(method.receiver, Receiver::Pair))
            .count();
        assert_eq!(pair, 14 + 2 + 4 + 8);
    }
}

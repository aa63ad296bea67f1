//! Mapping expressions as written, with names and aliases resolved.
//!
//! An expression knows its size and its index function (which element each buffer position holds), straight from the
//! rules of the book's chapter "Mapping Expressions". Constructors check what the library checks, so that every
//! expression that exists has a size and a canonical form. Where names come from is not known here.

use std::cell::RefCell;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHasher};

use super::error::MappingError;
use super::form::Form;
use super::index::{Axis, PaddingKind};

/// Deepest nesting of operators and groups that an expression can have.
pub const DEPTH_LIMIT: u32 = 256;

/// Most operators and operands that an expression can have, aliases written out.
pub const NODE_LIMIT: u64 = 65_536;

/// Expressions that a thread keeps, to make none twice, before it starts again.
const RECENT_LIMIT: usize = 8192;

thread_local! {
    /// By hash. Kernels write the same few mappings again and again, and make the same tensors of them; what is found here
    /// has its canonical form at hand, and is compared at once.
    static RECENT: RefCell<FxHashMap<u64, Mapping>> = RefCell::default();
}

/// A mapping expression: which tensor element each position of a buffer holds. Cheap to clone. Two expressions are equal
/// when they are written alike; [`Mapping::form`] compares what they mean.
#[derive(Clone)]
pub struct Mapping(Arc<Node>);

struct Node {
    kind: NodeKind,
    size: u64,
    depth: u32,
    nodes: u64,
    /// Of the kind, operands included: expressions of different hashes differ.
    hash: u64,
    /// The same by other means: expressions of which both agree are equal for all that a computer can try.
    other_hash: u64,
    form: OnceLock<Form>,
}

#[derive(PartialEq, Eq, Hash)]
enum NodeKind {
    Identity,
    Axis(Axis),
    Broadcast(u64),
    Stride(Mapping, u64),
    Modulo(Mapping, u64),
    Resize(Mapping, u64),
    Pad(Mapping, u64, PaddingKind),
    Product(Vec<Mapping>),
}

/// The outermost operator of an expression, with its operands.
#[derive(Clone, Copy, Debug)]
pub enum MappingKind<'a> {
    /// `1`.
    Identity,
    /// An axis.
    Axis(&'a Axis),
    /// A bare number: that many copies.
    Broadcast(u64),
    /// `E / n`.
    Stride(&'a Mapping, u64),
    /// `E % n`.
    Modulo(&'a Mapping, u64),
    /// `E = n`.
    Resize(&'a Mapping, u64),
    /// `E # n`.
    Pad(&'a Mapping, u64, PaddingKind),
    /// `E1, E2, ...`, outermost first, at least two.
    Product(&'a [Mapping]),
}

impl Mapping {
    /// The expression that this thread made a while ago of the same kind, with its form, else a new one.
    fn node(kind: NodeKind, size: u64, depth: u32, nodes: u64) -> Self {
        let mut hasher = FxHasher::default();
        kind.hash(&mut hasher);
        let hash = hasher.finish();
        RECENT.with_borrow_mut(|recent| {
            if let Some(known) = recent.get(&hash)
                && known.0.kind == kind
            {
                return known.clone();
            }
            if recent.len() >= RECENT_LIMIT {
                recent.clear();
            }
            let mut hasher = DefaultHasher::new();
            kind.hash(&mut hasher);
            let new = Self(Arc::new(Node {
                kind,
                size,
                depth,
                nodes,
                hash,
                other_hash: hasher.finish(),
                form: OnceLock::new(),
            }));
            recent.insert(hash, new.clone());
            new
        })
    }

    fn unary(&self, kind: NodeKind, size: u64) -> Result<Self, MappingError> {
        let depth = self.0.depth + 1;
        let nodes = self.0.nodes + 1;
        if depth > DEPTH_LIMIT || nodes > NODE_LIMIT {
            return Err(MappingError::TooDeep);
        }
        Ok(Self::node(kind, size, depth, nodes))
    }

    /// `1`: one position, the empty index.
    pub fn identity() -> Self {
        Self::node(NodeKind::Identity, 1, 1, 1)
    }

    /// An axis: position `i` holds value `i`.
    pub fn axis(axis: Axis) -> Self {
        let size = axis.size();
        Self::node(NodeKind::Axis(axis), size, 1, 1)
    }

    /// A bare number: `n` positions that all hold the empty index.
    ///
    /// # Errors
    /// [`MappingError::ZeroSize`] when `n` is 0.
    pub fn broadcast(n: u64) -> Result<Self, MappingError> {
        match n {
            0 => Err(MappingError::ZeroSize),
            1 => Ok(Self::identity()),
            _ => Ok(Self::node(NodeKind::Broadcast(n), n, 1, 1)),
        }
    }

    /// `E / n`: every `n`-th position.
    ///
    /// # Errors
    /// [`MappingError::StrideIndivisible`] unless `n` divides the size, [`MappingError::ZeroDivisor`] for 0.
    pub fn stride(&self, n: u64) -> Result<Self, MappingError> {
        let size = self.size();
        if n == 0 {
            return Err(MappingError::ZeroDivisor { size });
        }
        if !size.is_multiple_of(n) {
            return Err(MappingError::StrideIndivisible { size, divisor: n });
        }
        self.unary(NodeKind::Stride(self.clone(), n), size / n)
    }

    /// `E % n`: the first `n` positions of a repeating run.
    ///
    /// # Errors
    /// [`MappingError::ModuloIndivisible`] unless `n` divides the size, [`MappingError::ZeroDivisor`] for 0.
    pub fn modulo(&self, n: u64) -> Result<Self, MappingError> {
        let size = self.size();
        if n == 0 {
            return Err(MappingError::ZeroDivisor { size });
        }
        if !size.is_multiple_of(n) {
            return Err(MappingError::ModuloIndivisible { size, divisor: n });
        }
        self.unary(NodeKind::Modulo(self.clone(), n), n)
    }

    /// `E = n`: the first `n` positions.
    ///
    /// # Errors
    /// [`MappingError::ResizeGrows`] when `n` exceeds the size, [`MappingError::ZeroSize`] for 0.
    pub fn resize(&self, n: u64) -> Result<Self, MappingError> {
        let size = self.size();
        if n == 0 {
            return Err(MappingError::ZeroSize);
        }
        if n > size {
            return Err(MappingError::ResizeGrows { size, resized: n });
        }
        self.unary(NodeKind::Resize(self.clone(), n), n)
    }

    /// `E # n`: padded to `n` positions in total.
    ///
    /// # Errors
    /// [`MappingError::PaddingShrinks`] when `n` is below the size.
    pub fn pad_to(&self, n: u64, kind: PaddingKind) -> Result<Self, MappingError> {
        let size = self.size();
        if n < size {
            return Err(MappingError::PaddingShrinks { size, padded: n });
        }
        self.unary(NodeKind::Pad(self.clone(), n, kind), n)
    }

    /// `[self, inner]`.
    ///
    /// # Errors
    /// [`MappingError::Overflow`] when the size exceeds 64 bits.
    pub fn pair(&self, inner: &Mapping) -> Result<Self, MappingError> {
        Self::product(&[self.clone(), inner.clone()])
    }

    /// The parts beside each other, outermost first. None is `1`, one is itself.
    ///
    /// # Errors
    /// [`MappingError::Overflow`] when the size exceeds 64 bits.
    pub fn product(parts: &[Mapping]) -> Result<Self, MappingError> {
        match parts {
            [] => return Ok(Self::identity()),
            [one] => return Ok(one.clone()),
            _ => {}
        }
        let mut size: u64 = 1;
        let mut depth = 0;
        let mut nodes: u64 = 1;
        for part in parts {
            size = size
                .checked_mul(part.size())
                .ok_or(MappingError::Overflow {
                    outer: size,
                    inner: part.size(),
                })?;
            depth = depth.max(part.0.depth);
            nodes = nodes.saturating_add(part.0.nodes);
        }
        if depth >= DEPTH_LIMIT || nodes > NODE_LIMIT {
            return Err(MappingError::TooDeep);
        }
        Ok(Self::node(
            NodeKind::Product(parts.to_vec()),
            size,
            depth + 1,
            nodes,
        ))
    }

    /// The number of positions, padding included; at least 1.
    pub fn size(&self) -> u64 {
        self.0.size
    }

    /// How deep operators and groups nest.
    pub(super) fn depth(&self) -> u32 {
        self.0.depth
    }

    /// The outermost operator.
    pub fn kind(&self) -> MappingKind<'_> {
        match &self.0.kind {
            NodeKind::Identity => MappingKind::Identity,
            NodeKind::Axis(axis) => MappingKind::Axis(axis),
            NodeKind::Broadcast(n) => MappingKind::Broadcast(*n),
            NodeKind::Stride(inner, n) => MappingKind::Stride(inner, *n),
            NodeKind::Modulo(inner, n) => MappingKind::Modulo(inner, *n),
            NodeKind::Resize(inner, n) => MappingKind::Resize(inner, *n),
            NodeKind::Pad(inner, n, kind) => MappingKind::Pad(inner, *n, *kind),
            NodeKind::Product(parts) => MappingKind::Product(parts),
        }
    }

    /// The canonical form, computed once.
    pub fn form(&self) -> &Form {
        self.0.form.get_or_init(|| Form::of(self))
    }

    /// Whether the expression is beyond what canonical forms can say. Sizes and nesting are checked by the constructors,
    /// so that no expression is at present.
    pub fn is_opaque(&self) -> bool {
        self.0.nodes > NODE_LIMIT
    }

    /// The axes mentioned, each once, in the order of first mention.
    pub fn axes(&self) -> Vec<Axis> {
        let mut axes = Vec::new();
        self.collect_axes(&mut axes);
        axes
    }

    fn collect_axes(&self, axes: &mut Vec<Axis>) {
        match &self.0.kind {
            NodeKind::Identity | NodeKind::Broadcast(_) => {}
            NodeKind::Axis(axis) => {
                if !axes.contains(axis) {
                    axes.push(axis.clone());
                }
            }
            NodeKind::Stride(inner, _)
            | NodeKind::Modulo(inner, _)
            | NodeKind::Resize(inner, _)
            | NodeKind::Pad(inner, _, _) => inner.collect_axes(axes),
            NodeKind::Product(parts) => {
                for part in parts {
                    part.collect_axes(axes);
                }
            }
        }
    }

    /// Whether padding of a kind is written anywhere in it, also where no position shows it.
    #[allow(dead_code, reason = "derivations of the current dialect ask for it")]
    fn writes_padding(&self, is_meant: &dyn Fn(PaddingKind) -> bool) -> bool {
        match &self.0.kind {
            NodeKind::Identity | NodeKind::Axis(_) | NodeKind::Broadcast(_) => false,
            NodeKind::Pad(inner, _, kind) => is_meant(*kind) || inner.writes_padding(is_meant),
            NodeKind::Stride(inner, _)
            | NodeKind::Modulo(inner, _)
            | NodeKind::Resize(inner, _) => inner.writes_padding(is_meant),
            NodeKind::Product(parts) => parts.iter().any(|part| part.writes_padding(is_meant)),
        }
    }

    /// Whether no padding is written anywhere in it, not even one that no position shows.
    #[allow(dead_code, reason = "derivations of the current dialect ask for it")]
    pub fn has_no_padding(&self) -> bool {
        !self.writes_padding(&|_| true)
    }

    /// Whether `#{!}` is written anywhere in it, also where no position shows it.
    #[allow(dead_code, reason = "derivations of the current dialect ask for it")]
    pub fn has_bottom_pad(&self) -> bool {
        self.writes_padding(&|kind| kind == PaddingKind::Bottom)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            NodeKind::Identity => f.write_str("1"),
            // The macro reads a name; a path is a type, and types are escaped.
            NodeKind::Axis(axis) if axis.name().contains("::") => {
                write!(f, "{{ {} }}", axis.name())
            }
            NodeKind::Axis(axis) => f.write_str(axis.name()),
            NodeKind::Broadcast(n) => write!(f, "{n}"),
            NodeKind::Stride(inner, n) => inner.write_operand(f, "/", *n),
            NodeKind::Modulo(inner, n) => inner.write_operand(f, "%", *n),
            NodeKind::Resize(inner, n) => inner.write_operand(f, "=", *n),
            NodeKind::Pad(inner, n, kind) => inner.write_operand(f, kind.notation(), *n),
            NodeKind::Product(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    if at > 0 {
                        f.write_str(", ")?;
                    }
                    if let NodeKind::Product(_) = part.0.kind {
                        f.write_str("[")?;
                        part.write(f)?;
                        f.write_str("]")?;
                    } else {
                        part.write(f)?;
                    }
                }
                Ok(())
            }
        }
    }

    fn write_operand(&self, f: &mut fmt::Formatter<'_>, operator: &str, n: u64) -> fmt::Result {
        if let NodeKind::Product(_) = self.0.kind {
            f.write_str("[")?;
            self.write(f)?;
            write!(f, "] {operator} {n}")
        } else {
            self.write(f)?;
            write!(f, " {operator} {n}")
        }
    }
}

impl PartialEq for Mapping {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.0.hash == other.0.hash && self.0.kind == other.0.kind)
    }
}

impl Eq for Mapping {}

impl Hash for Mapping {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
        state.write_u64(self.0.other_hash);
    }
}

impl fmt::Display for Mapping {
    /// The expression in `m!` notation, without the macro's name and brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

impl fmt::Debug for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m![{self}]")
    }
}

//! Kernels as fixes are judged by them: their cycles, and the tensors that they take and give.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::changes::TensorType;
use crate::check::function_simulation;
use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::functions_of_file;
use crate::kernel::{Body, Origin, Tensor, Tier};
use crate::lowering::body;

/// A kernel, or a function that kernels call, in its file: the same before and after fixes, since none of them adds a function.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelName {
    /// The file.
    pub file: Arc<str>,
    /// Its number among the functions of the file.
    pub number: usize,
    /// Its name.
    pub name: Arc<str>,
}

/// Cycles of kernels, of those whose total is known.
pub type Totals = BTreeMap<KernelName, u64>;

/// What kernels take and give, and what the functions that they call take and give in the memory of the chip or of the host.
pub type Signatures = BTreeMap<KernelName, Signature>;

/// The tensors that a kernel takes and gives, by their types as they are understood: an alias counts as what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    given: Vec<TensorType>,
    /// What it gives, as far as it is followed.
    made: Vec<TensorType>,
}

impl Signature {
    /// Of a kernel all that it takes and gives; of a function that kernels call what is in the memory of the chip or of the host,
    /// which the kernel was given itself. `None` of other functions.
    pub(crate) fn of(body: &Body) -> Option<Self> {
        let is_kernel = body.device.is_some();
        if !is_kernel && !body.reached_from_kernel {
            return None;
        }
        let is_kept = |tensor: &&Tensor| is_kernel || matches!(tensor.tier, Tier::Hbm | Tier::Host);
        let is_parameter = |tensor: &&Tensor| matches!(tensor.origin, Origin::Parameter);
        let given = body.tensors.iter().filter(is_parameter).filter(is_kept);
        let made = body.escaping.iter().filter_map(|id| body.tensor(*id));
        let made = made.filter(|tensor| !is_parameter(tensor)).filter(is_kept);
        Some(Self {
            given: given.map(TensorType::new).collect(),
            made: made.map(TensorType::new).collect(),
        })
    }

    /// Whether something that is known of it is otherwise in another.
    pub fn differs_from(&self, other: &Self) -> bool {
        let mut given = self.given.iter().zip(&other.given);
        let mut made = self.made.iter().zip(&other.made);
        // What was not followed before may be followed now.
        self.given.len() != other.given.len()
            || self.made.len() > other.made.len()
            || given.any(|(one, other)| one.differs_from(other))
            || (self.made.len() == other.made.len()
                && made.any(|(one, other)| one.differs_from(other)))
    }
}

/// Something of each function of a file in Rust, which may be in several parts.
fn of_functions<T>(
    db: &dyn Db,
    parts: &[SourceFile],
    ask: impl Fn(crate::items::ItemId, &Body) -> Option<T>,
) -> BTreeMap<KernelName, T> {
    let all = parts
        .iter()
        .flat_map(|file| functions_of_file(db, *file))
        .enumerate();
    let known = all.filter_map(|(number, function)| {
        let body = body(db, function);
        let kernel = KernelName {
            file: function.file(db).path(db),
            number,
            name: function.name(db),
        };
        Some((kernel, ask(function, &body)?))
    });
    known.collect()
}

/// The cycles of the kernels of a file, without a search of what would save some.
pub(crate) fn totals_of(db: &dyn Db, parts: &[SourceFile]) -> Totals {
    of_functions(db, parts, |function, body| {
        body.device.as_ref()?;
        function_simulation(db, function).total()
    })
}

/// What the kernels of a file, and the functions that kernels call, take and give.
pub(crate) fn signatures_of(db: &dyn Db, parts: &[SourceFile]) -> Signatures {
    of_functions(db, parts, |_, body| Signature::of(body))
}

//! Arrays of the machine's element types in physical order, which of their elements are defined, and the machine's arithmetic on them.
//!
//! Everything here is plain data and pure functions: nothing knows kernels, mappings or the places of files.

#[cfg(test)]
mod arithmetic_tests;
mod bits;
pub mod casts;
mod effects;
mod folds;
mod kind;
mod npy;
#[cfg(test)]
mod npy_tests;
mod random;
mod rules;
mod shared;
mod tags;
mod values;
mod vector;

pub use bits::Bits;
pub use effects::{Effects, effects_of_cast, effects_of_operation};
pub use folds::{
    Fold, accumulate_floats, folded_floats, multiply_accumulate, multiply_accumulate_integers,
};
pub use kind::ElementKind;
pub use npy::{
    FileArray, FileValues, Fitted, Misfit, NpyError, read_npy, shape_text, written_bits,
    written_npy,
};
pub use random::{random_array, random_indices};
pub use rules::Arithmetic;
pub use shared::{list_results, map_elements, map_pairs};
pub use tags::{Comparison, Guard, Lane, compared, toggled};
pub use values::{Array, Stored};
pub use vector::{
    BinaryMode, Fault, FloatOperation, IntegerOperation, Operand, TernaryMode, UnaryOperation,
    fused_multiply_add, joined,
};

//! Axes, types and addresses of a small transformer: a sequence over the slices, a head or a feature in each of them.
use furiosa_visa_std::prelude::*;

axes![S = 256, D = 64, T = 64, F = 128, L = 4];

pub type Chip = m![1];
pub type Cluster = m![1 # 2];
pub type Slice = m![S];

/// A row of a head in each slice.
pub type Rows = DmTensor<bf16, Chip, Cluster, Slice, m![D]>;
/// Scores of a row against all keys.
pub type Scores = DmTensor<bf16, Chip, Cluster, Slice, m![T]>;
/// A row of hidden features.
pub type Hidden = DmTensor<bf16, Chip, Cluster, Slice, m![F]>;
/// One number a slice, in single precision.
pub type One = VrfTensor<f32, Chip, Cluster, Slice, m![1 # 8]>;

/// Where rows are loaded to.
pub const ROWS: u64 = 0x0000;
/// Where weights are loaded to.
pub const WEIGHTS: u64 = 0x8000;
/// Where intermediate results are.
pub const SCRATCH: u64 = 0x4000;

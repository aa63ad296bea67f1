//! What kernels may cost at most, as the user's settings say it: limits by name or by a pattern for names.
//!
//! Knows which limits hold for a name; whether a kernel keeps them is for the rule `budget_exceeded` to say.

use globset::Glob;

/// The limits of the kernels that a pattern names. What is `None` is not limited.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Budget {
    /// The kernels' name, or a pattern of the kind that `.gitignore` has.
    pub kernels: String,
    /// Cycles from the start of the kernel's first operation to the end of its last.
    pub cycles: Option<u64>,
    /// Bytes of data memory a slice, at the peak.
    pub dm_bytes: Option<u64>,
    /// Bytes of the tensor register file a slice, at the peak.
    pub trf_bytes: Option<u64>,
    /// Bytes of the vector register file a slice, at the peak.
    pub vrf_bytes: Option<u64>,
}

impl Budget {
    /// Whether it holds for a kernel of that name. A pattern that is none holds for nothing.
    pub fn is_for(&self, kernel: &str) -> bool {
        self.kernels == kernel
            || Glob::new(&self.kernels).is_ok_and(|glob| glob.compile_matcher().is_match(kernel))
    }
}

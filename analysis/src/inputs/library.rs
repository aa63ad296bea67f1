//! The libraries that kernels are written for, by name. What they offer is in `kernel/dialect`.

/// The library that a kernel is written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// The book's library, `furiosa_visa_std`.
    #[default]
    VisaStd,
    /// Its successor, `furiosa_opt_std`.
    OptStd,
}

impl Dialect {
    /// All libraries.
    pub const ALL: [Self; 2] = [Self::VisaStd, Self::OptStd];

    /// The library's crate, as paths write it.
    #[must_use]
    pub const fn crate_name(self) -> &'static str {
        match self {
            Self::VisaStd => "furiosa_visa_std",
            Self::OptStd => "furiosa_opt_std",
        }
    }

    /// The name as settings and options write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::VisaStd => "visa-std",
            Self::OptStd => "opt-std",
        }
    }

    /// Whether operations of the library are understood.
    #[must_use]
    pub const fn is_read(self) -> bool {
        matches!(self, Self::VisaStd)
    }
}

//! What names of NKI mean: modules, their members, and the enumerations with their members.
//!
//! Knows the API by its paths, in both of its forms; nothing of the values that calls have.

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use super::symbols::Size;
use super::types::{Dtype, Space};

/// Which form of the API a name comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Api {
    /// `neuronxcc.nki`.
    Older,
    /// `nki`, releases 0.2 and later.
    Current,
    /// Either, as an import in `try` decides.
    Either,
}

/// A module of NKI or a member of one, by its path: `nki.isa.dma_copy`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// From `nki` on, whatever the import was; `constants` left out.
    pub path: Arc<str>,
    /// The form.
    pub api: Api,
}

/// Modules and their members that most kernels name, by the member's path: looked up, so that no text is made for each mention.
/// What is not among them is found anyway.
const USUAL: &[(&str, &[&str])] = &[
    ("nki", &["compiler", "isa", "jit", "language"]),
    (
        "nki.isa",
        &[
            "activation",
            "dge_mode",
            "dma_compute",
            "dma_copy",
            "dma_transpose",
            "engine",
            "get_nc_version",
            "iota",
            "memset",
            "nc_matmul",
            "nc_transpose",
            "nc_version",
            "oob_mode",
            "tensor_copy",
            "tensor_scalar",
            "tensor_tensor",
        ],
    ),
    (
        "nki.language",
        &[
            "add",
            "affine_range",
            "bfloat16",
            "ds",
            "dynamic_range",
            "float16",
            "float32",
            "fori_loop",
            "full",
            "hbm",
            "int32",
            "int8",
            "load",
            "ndarray",
            "ones",
            "par_dim",
            "private_hbm",
            "program_id",
            "psum",
            "sbuf",
            "sequential_range",
            "shared_hbm",
            "static_range",
            "store",
            "tile_size",
            "uint32",
            "uint8",
            "zeros",
        ],
    ),
    (
        "nki.language.tile_size",
        &[
            "gemm_moving_fmax",
            "gemm_stationary_fmax",
            "pmax",
            "psum_fmax",
        ],
    ),
];

/// For each module its usual members with their paths.
static USUAL_PATHS: LazyLock<FxHashMap<String, FxHashMap<&'static str, Arc<str>>>> =
    LazyLock::new(|| {
        let members = |module: &str, members: &'static [&'static str]| {
            let paths = members
                .iter()
                .map(|name| (*name, format!("{module}.{name}").into()));
            (module.to_owned(), paths.collect())
        };
        let modules = USUAL.iter().map(|(module, names)| members(module, names));
        let enumerations = ENUMERATIONS
            .iter()
            .map(|known| members(&format!("nki.isa.{}", known.name), known.members));
        modules.chain(enumerations).collect()
    });

impl Known {
    /// The meaning of an imported path, if it is NKI's or may lead to it.
    pub fn imported(path: &str) -> Option<Self> {
        if path == "neuronxcc" {
            return Some(Self {
                path: path.into(),
                api: Api::Older,
            });
        }
        let (path, api) = match path.strip_prefix("neuronxcc.") {
            Some(path) => (path, Api::Older),
            None => (path, Api::Current),
        };
        let is_nki = path == "nki" || path.starts_with("nki.");
        is_nki.then(|| Self {
            path: path.replace(".constants.", ".").into(),
            api,
        })
    }

    /// A member of it.
    pub fn member(&self, name: &str) -> Self {
        let usual = USUAL_PATHS.get(&*self.path);
        if let Some(path) = usual.and_then(|members| members.get(name)) {
            return Self {
                path: Arc::clone(path),
                api: self.api,
            };
        }
        if &*self.path == "neuronxcc" {
            let imported = Self::imported(&format!("neuronxcc.{name}"));
            return imported.unwrap_or_else(|| Self {
                path: format!("neuronxcc.{name}").into(),
                api: Api::Older,
            });
        }
        let path = match self.path.strip_suffix(".constants") {
            Some(module) => format!("{module}.{name}"),
            None => format!("{}.{name}", self.path),
        };
        Self {
            path: path.into(),
            api: self.api,
        }
    }

    /// The member of the instruction module of this name.
    pub fn isa(&self) -> Option<&str> {
        self.path.strip_prefix("nki.isa.")
    }

    /// The member of the language module of this name.
    pub fn language(&self) -> Option<&str> {
        self.path.strip_prefix("nki.language.")
    }

    /// The enumeration and its member, if it is one of an enumeration.
    pub fn enumeration(&self) -> Option<(&'static Enumeration, &str)> {
        let (name, member) = self.isa()?.split_once('.')?;
        ENUMERATIONS
            .iter()
            .find(|known| known.name == name)
            .map(|known| (known, member))
    }

    /// The enumeration itself.
    pub fn is_enumeration(&self) -> Option<&'static Enumeration> {
        let name = self.isa()?;
        ENUMERATIONS.iter().find(|known| known.name == name)
    }

    /// Whether it decorates kernels.
    pub fn is_kernel_decorator(&self) -> bool {
        let decorators = [
            "jit",
            "trace",
            "benchmark",
            "profile",
            "baremetal",
            "simulate_kernel",
        ];
        self.path
            .strip_prefix("nki.")
            .is_some_and(|name| decorators.contains(&name))
    }

    /// The memory that it names.
    pub fn space(&self) -> Option<Space> {
        let name = self
            .language()
            .or_else(|| self.path.strip_prefix("nki.compiler."))?;
        space_named(name)
    }

    /// The element type that it names.
    pub fn dtype(&self) -> Option<Dtype> {
        Dtype::named(self.language()?)
    }

    /// The number that it is.
    pub fn number(&self) -> Option<Size> {
        let value = match self.language()? {
            "tile_size.pmax" | "tile_size.gemm_stationary_fmax" => 128,
            "tile_size.psum_fmax" | "tile_size.gemm_moving_fmax" => 512,
            _ => return None,
        };
        Some(Size::number(value))
    }
}

/// The memory of a name.
pub fn space_named(name: &str) -> Option<Space> {
    match name {
        "sbuf" => Some(Space::Sbuf),
        "psum" => Some(Space::Psum),
        "hbm" | "private_hbm" | "shared_hbm" => Some(Space::Hbm),
        _ => None,
    }
}

/// An enumeration of the instruction module.
#[derive(Debug, PartialEq, Eq)]
pub struct Enumeration {
    /// Its name.
    pub name: &'static str,
    /// Its members.
    pub members: &'static [&'static str],
}

/// The enumerations whose members are checked.
pub const ENUMERATIONS: &[Enumeration] = &[
    Enumeration {
        name: "dge_mode",
        members: &["unknown", "none", "swdge", "hwdge"],
    },
    Enumeration {
        name: "engine",
        members: &[
            "unknown", "tensor", "vector", "scalar", "gpsimd", "dma", "sync",
        ],
    },
    Enumeration {
        name: "oob_mode",
        members: &["error", "skip"],
    },
];

impl Enumeration {
    /// Whether it has a member, those that Python gives each enumeration among them.
    pub fn has_member(&self, member: &str) -> bool {
        let python = ["name", "value", "mro"];
        self.members.contains(&member) || member.starts_with('_') || python.contains(&member)
    }
}

/// The members that `from nki.isa import *` brings, as far as they matter here.
pub const STARRED: &[&str] = &[
    "dma_copy",
    "dma_transpose",
    "dma_compute",
    "dge_mode",
    "engine",
    "oob_mode",
    "get_nc_version",
    "nc_version",
];

/// How descriptors of a transfer are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// The compiler decides.
    Unknown,
    /// Made before the run, held in HBM.
    Static,
    /// By the GpSimd Engine.
    Software,
    /// By the hardware block.
    Hardware,
}

impl Mode {
    /// All, in the order of the enumeration.
    pub const ALL: [Self; 4] = [Self::Unknown, Self::Static, Self::Software, Self::Hardware];

    /// The mode of a member's name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// The mode of a member's number, as public kernels write it: `dge_mode=3`. The forms of the API count differently: `none` is 0 in
    /// the older one and 3 in the current one, `unknown` the other way round.
    pub const fn numbered(number: i64, api: Api) -> Option<Self> {
        match (number, api) {
            (1, _) => Some(Self::Software),
            (2, _) => Some(Self::Hardware),
            (0, Api::Current) | (3, Api::Older) => Some(Self::Unknown),
            (3, Api::Current) | (0, Api::Older) => Some(Self::Static),
            _ => None,
        }
    }

    /// The member's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Static => "none",
            Self::Software => "swdge",
            Self::Hardware => "hwdge",
        }
    }

    /// Who makes the descriptors, as a clause.
    pub const fn maker(self) -> &'static str {
        match self {
            Self::Unknown => "the compiler chooses who makes the descriptors",
            Self::Static => "the host makes the descriptors before the run and keeps them in HBM",
            Self::Software => "the GpSimd Engine makes the descriptors at run time",
            Self::Hardware => {
                "a hardware block makes the descriptors when the Scalar or Sync Engine triggers it"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_imports_mean_the_same_member() {
        for (import, member, api) in [
            ("neuronxcc.nki.isa", "dge_mode", Api::Older),
            ("nki.isa", "dge_mode", Api::Current),
            ("nki.isa.constants", "dge_mode", Api::Current),
        ] {
            let known = Known::imported(import).unwrap().member(member);
            assert_eq!((&*known.path, known.api), ("nki.isa.dge_mode", api));
        }
        let through = ["nki", "isa", "dma_copy"]
            .iter()
            .fold(Known::imported("neuronxcc").unwrap(), |known, name| {
                known.member(name)
            });
        assert_eq!(through.isa(), Some("dma_copy"));
        let other = Known::imported("nki.language").unwrap().member("tile");
        assert_eq!(&*other.member("x").path, "nki.language.tile.x");
        assert_eq!(Known::imported("numpy"), None);
        assert_eq!(Known::imported("nkilib.core"), None);
    }

    #[test]
    fn the_forms_of_the_api_number_modes_differently() {
        let modes =
            |number| [Api::Older, Api::Current, Api::Either].map(|api| Mode::numbered(number, api));
        assert_eq!(modes(0), [Some(Mode::Static), Some(Mode::Unknown), None]);
        assert_eq!(modes(1), [Some(Mode::Software); 3]);
        assert_eq!(modes(2), [Some(Mode::Hardware); 3]);
        assert_eq!(modes(3), [Some(Mode::Unknown), Some(Mode::Static), None]);
        assert_eq!(modes(4), [None; 3]);
    }
}

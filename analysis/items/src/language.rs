//! Names that every Rust scope has, and crates of the language.

/// Names that every Rust scope has.
const LANGUAGE: &[&str] = &[
    "Box", "Copy", "Clone", "Default", "Fn", "FnMut", "FnOnce", "Into", "From", "Iterator", "None",
    "Ok", "Err", "Option", "Result", "Send", "Sized", "Some", "String", "Sync", "Vec", "alloc",
    "bool", "char", "core", "f16", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "std",
    "str", "test", "u128", "u16", "u32", "u64", "u8", "usize",
];

/// Whether a name is a crate of the language: none of those declares an axis.
pub(super) fn is_language_crate(name: &str) -> bool {
    matches!(name, "alloc" | "core" | "std")
}

/// Whether a name is in every scope without an import.
pub(super) fn is_language_name(name: &str) -> bool {
    LANGUAGE.contains(&name)
}

//! The kernels that show a rule, as texts: the dialect that one is written for.

use super::{Dialect, Library, Release};

/// What the first line of a kernel begins with that is not written for the book's library.
const OPENING: &str = "// dialect: ";

/// The dialect that the first line of a kernel names: `// dialect: opt-std@0.8`. Without such a line it is for the library
/// that it imports, in the newest release; a line that names no known library counts as none.
pub fn dialect_line(kernel: &str) -> Option<Dialect> {
    let named = kernel.lines().next()?.strip_prefix(OPENING)?.trim();
    let (library, release) = match named.split_once('@') {
        Some((library, release)) => (library, Some(Release::of_version(release)?)),
        None => (named, None),
    };
    let mut libraries = Library::ALL.into_iter();
    let library = libraries.find(|known| known.name() == library)?;
    Some(Dialect {
        library,
        release: release.unwrap_or_else(|| library.newest()),
    })
}

/// A kernel without the line that names its dialect.
pub fn without_dialect_line(kernel: &str) -> &str {
    match dialect_line(kernel) {
        Some(_) => kernel.split_once('\n').map_or("", |(_, rest)| rest),
        None => kernel,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_may_name_a_dialect() {
        let at = |kernel| dialect_line(kernel).map(|dialect| dialect.release.to_string());
        let line = "// dialect: opt-std@0.8\nfn f() {}\n";
        assert_eq!(at(line).as_deref(), Some("0.8"));
        assert_eq!(without_dialect_line(line), "fn f() {}\n");
        assert_eq!(at("// dialect: visa-std\n").as_deref(), Some("0.1"));
        for none in [
            "",
            "fn f() {}",
            "\n// dialect: opt-std@0.8",
            "// dialect: std",
            "// dialect: opt-std@x",
        ] {
            assert_eq!(at(none), None, "{none}");
            assert_eq!(without_dialect_line(none), none);
        }
    }
}

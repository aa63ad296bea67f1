//! Which files can hold something of a kernel, and which are ordinary Rust that nothing is done with.

use super::project;
use crate::{concerns_kernels, kernel_files};

fn concerns(text: &str) -> bool {
    let db = project(&[("a.rs", text)], &[]);
    concerns_kernels(&db, db.file("a.rs").unwrap())
}

#[test]
fn words_that_only_kernels_have_are_seen() {
    for text in [
        "use furiosa_visa_std::prelude::*;",
        "fn f() { furiosa_opt_std::x() }",
        "axes![A = 8];",
        "type T = m ! [A];",
        "type T = Pair<u8, m![A]>;",
        "#[device(chip = 1)] fn f() {}",
        "#[furiosa_opt_std::device] fn f() {}",
        "#[allow(tcp :: slice_size)] fn f() {}",
        "#[allow(clippy::all, visa::slice_size)] fn f() {}",
        "fn f() {} // visa-lint: allow(slice_size)",
        "// a remark\ntype T = m![A];",
    ] {
        assert!(concerns(text), "{text}");
    }
}

#[test]
fn ordinary_rust_has_none_of_them() {
    for text in [
        "",
        "fn f() { println!(\"{}\", vec![1]); }",
        "fn f() { form![1]; m!(); am![2]; }",
        "/// `m!(...)` or `m![...]`.\nfn f() {}",
        "use std::net::{unix, TcpStream};\nfn f() { net::tcp::listen(device(1)); }",
        "mod m { pub fn device() {} }",
        "fn größe() { ß!(); }",
        "not Rust ((( at all",
    ] {
        assert!(!concerns(text), "{text}");
    }
}

/// A helper in a file that names nothing is of a kernel's crate where another file of it imports the library.
#[test]
fn the_files_of_a_crate_that_imports_a_library_concern_kernels() {
    let files = [
        (
            "k/src/lib.rs",
            "mod helper;\nuse furiosa_opt_std::prelude::*;",
        ),
        ("k/src/helper.rs", "pub fn helper() {}"),
        ("o/src/lib.rs", "pub fn other() {}"),
    ];
    let db = project(&files, &[]);
    let project = crate::inputs::Project::try_get(&db).unwrap();
    let found: Vec<String> = kernel_files(&db, project)
        .iter()
        .map(|file| file.path(&db).to_string())
        .collect();
    assert_eq!(found, ["k/src/helper.rs", "k/src/lib.rs"]);
}

/// No text takes time by the square of its length: a long line of remarks in which each word looks like a macro's call.
#[test]
fn long_lines_are_read_once() {
    assert!(!concerns(&format!("// {}", "m![".repeat(100))));
    assert!(concerns(&"m![".repeat(200_000)));
}

#[test]
fn templates_are_no_kernels() {
    let template =
        "use furiosa_opt_std::prelude::*;\nuse {{ crate_name }}::Row;\naxes![K = {{ size }}];\n";
    assert!(!concerns(template));
    // A kernel that is half typed is one anyway, whatever its strings hold.
    assert!(concerns(
        "axes![K = 8];\nfn f( { println!(\"{{ k }}\"); }\n"
    ));
    assert!(concerns("axes![K = 8];\nfn f() {{ K::SIZE }}\n"));
}

//! Names of other modules of a crate, as findings say how to reach them.

use visa_analysis::Workspace;

#[test]
fn an_axis_of_another_module_is_named_with_its_import() {
    let dims = "use furiosa_opt_std::prelude::*;\naxes![A = 512];\npub mod inner { use super::*; axes![B = 8]; }\n";
    let kernels = "use furiosa_opt_std::prelude::*;\ntype Once = m![A];\ntype Again = m![A / 2];\ntype Deep = m![B];\n";
    let mut workspace = Workspace::new();
    workspace.set_file("src/lib.rs", "mod dims;\nmod kernels;\n");
    workspace.set_file("src/dims.rs", dims);
    workspace.set_file("src/kernels.rs", kernels);
    let report = workspace.analysis().check_file("src/kernels.rs");
    let found = report.diagnostics.iter();
    let found: Vec<_> = found
        .map(|one| {
            (
                one.message.as_str(),
                one.help.clone().unwrap_or_default(),
                one.fixes.len(),
            )
        })
        .collect();
    let help = |path: &str| format!("the axis is declared in another module: write `use {path};`");
    assert_eq!(
        found,
        [
            ("`A` names no axis in scope", help("crate::dims::A"), 1),
            (
                "`B` names no axis in scope",
                help("crate::dims::inner::B"),
                0
            ),
        ]
    );
    let edit = &report.diagnostics[0].fixes[0].edits[0];
    assert_eq!(edit.text, "use crate::dims::A;\n");
    assert_eq!((edit.start_byte, edit.end_byte), (0, 0));
    // The import followed to the letter leaves that name alone.
    workspace.set_file("src/kernels.rs", &format!("use crate::dims::A;\n{kernels}"));
    let report = workspace.analysis().check_file("src/kernels.rs");
    let left = report.diagnostics.iter().map(|one| one.message.as_str());
    assert_eq!(left.collect::<Vec<_>>(), ["`B` names no axis in scope"]);
}

use super::{module, project, scope, show};
use crate::db::AnalysisDatabase;
use crate::inputs::Project;
use crate::{Namespace, module_tree, parent_module, resolve_path};

fn roots(db: &AnalysisDatabase) -> Vec<String> {
    let tree = module_tree(db, Project::try_get(db).unwrap());
    tree.roots(db)
        .iter()
        .map(|file| file.path(db).to_string())
        .collect()
}

fn missing(db: &AnalysisDatabase) -> Vec<String> {
    let tree = module_tree(db, Project::try_get(db).unwrap());
    tree.missing
        .iter()
        .map(|item| item.name(db).to_string())
        .collect()
}

fn axis(db: &AnalysisDatabase, path: &str, name: &str) -> String {
    let name: Vec<&str> = name.split("::").collect();
    show(
        db,
        &resolve_path(db, &scope(db, path, &[]), &name, Namespace::Type),
    )
}

#[test]
fn roots_are_targets_and_lone_files() {
    let db = project(
        &[
            ("p/src/lib.rs", "mod a;"),
            ("p/src/main.rs", "mod a; mod only;"),
            ("p/src/only.rs", ""),
            ("p/src/a.rs", ""),
            ("p/src/bin/tool.rs", ""),
            ("p/examples/e.rs", "mod common;"),
            ("p/examples/common/mod.rs", ""),
            ("p/tests/t.rs", ""),
            ("p/benches/b/main.rs", ""),
            ("p/src/lonely.rs", ""),
            ("kernel.rs", ""),
        ],
        &[("p", "p")],
    );
    assert_eq!(
        roots(&db),
        [
            "kernel.rs",
            "p/benches/b/main.rs",
            "p/examples/e.rs",
            "p/src/bin/tool.rs",
            "p/src/lib.rs",
            "p/src/lonely.rs",
            "p/src/main.rs",
            "p/tests/t.rs",
        ]
    );
    assert_eq!(
        parent_module(&db, module(&db, "p/src/a.rs", &[])),
        Some(module(&db, "p/src/lib.rs", &[])),
        "a module of both the library and a binary is the library's"
    );
}

#[test]
fn files_of_modules() {
    let db = project(
        &[
            (
                "lib.rs",
                "mod a; mod b; mod inline { mod c; #[path = \"odd.rs\"] mod d; } #[path = \"x/../y/z.rs\"] mod e; mod gone;",
            ),
            ("a.rs", "mod deep; axes![A = 1];"),
            ("a/deep.rs", "axes![Deep = 2];"),
            ("b/mod.rs", "mod beside;"),
            ("b/beside.rs", "axes![Beside = 3];"),
            ("inline/c.rs", "axes![C = 4]; use super::super::a::A;"),
            ("inline/odd.rs", "axes![D = 5];"),
            ("y/z.rs", "mod near; axes![E = 6];"),
            ("y/near.rs", "axes![Near = 7];"),
        ],
        &[],
    );
    assert_eq!(roots(&db), ["lib.rs"]);
    assert_eq!(missing(&db), ["gone"]);
    for (path, expected) in [
        ("a::A", "axis A = 1"),
        ("a::deep::Deep", "axis Deep = 2"),
        ("b::beside::Beside", "axis Beside = 3"),
        ("inline::c::C", "axis C = 4"),
        ("inline::c::A", "axis A = 1"),
        ("inline::d::D", "axis D = 5"),
        ("e::E", "axis E = 6"),
        ("e::near::Near", "axis Near = 7"),
        ("gone::X", "external"),
    ] {
        assert_eq!(axis(&db, "lib.rs", path), expected, "{path}");
    }
    assert_eq!(axis(&db, "a/deep.rs", "super::A"), "axis A = 1");
    assert_eq!(
        axis(&db, "a/deep.rs", "crate::b::beside::Beside"),
        "axis Beside = 3"
    );
    assert_eq!(axis(&db, "lib.rs", "super::A"), "external");
}

#[test]
fn cycles_of_modules_are_cut() {
    let db = project(
        &[
            ("a.rs", "#[path = \"b.rs\"] mod b; axes![A = 1];"),
            ("b.rs", "#[path = \"a.rs\"] mod a; axes![B = 2];"),
            ("c.rs", "#[path = \"c.rs\"] mod c;"),
        ],
        &[],
    );
    assert_eq!(roots(&db), ["a.rs", "c.rs"]);
    assert_eq!(axis(&db, "a.rs", "b::B"), "axis B = 2");
    assert_eq!(axis(&db, "b.rs", "a::A"), "external");
}

#[test]
fn a_lone_file_without_a_project_resolves() {
    let db = AnalysisDatabase::default();
    let file = crate::inputs::SourceFile::new(&db, "x.rs".into(), "axes![A = 2]; mod y;".into());
    let module = crate::ModuleId::new(&db, file, crate::ModulePath::from([]));
    let scope = crate::ScopeRef::module(module);
    assert_eq!(
        show(&db, &resolve_path(&db, &scope, &["A"], Namespace::Type)),
        "axis A = 2"
    );
    assert_eq!(
        show(
            &db,
            &resolve_path(&db, &scope, &["y", "B"], Namespace::Type)
        ),
        "external"
    );
}

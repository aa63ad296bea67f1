//! Type-checks the fixtures of the current library against the real crate of their release.
//!
//! The crate comes from the registry and needs a nightly toolchain; `DOCS_RS` keeps it from asking for its prebuilt parts. Where
//! a toolchain, the registry or a release is missing, that is said and is no failure. What the library finds only when a kernel
//! runs is not found here.
//!
//! Files are compiled together, as modules of one crate; a crate of several files is compiled as it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The first line of a fixture of the current library.
const MARK: &str = "// dialect: opt-std@";

/// Rules whose findings are errors of `rustc` with the library's types: of its macros, of names and numbers of arguments, of
/// constants that it evaluates while it compiles. A fixture named behind one is an exception, for the reason beside it.
const COMPILE_ERRORS: &[(&str, &[(&str, &str)])] = &[
    ("cluster_size", &[]),
    ("collect_packet_size", &[]),
    (
        "context_restriction",
        &[(
            "wrong_contraction_opt_std_0_6.rs",
            "until 0.10 the vendor's compiler refuses it, and not the library",
        )],
    ),
    ("duplicate_axis", &[]),
    ("lift_order", &[]),
    ("mapping_syntax", &[]),
    ("other_release_api", &[]),
    (
        "reshape_size",
        &[(
            "wrong_clusters_opt_std_0_8.rs",
            "the vendor's compiler refuses it, and not the library",
        )],
    ),
    ("slice_size", &[]),
    ("spm_pe_size", &[]),
    ("unknown_axis", &[]),
];

/// The oldest release `0.n` that CI compiles against.
const OLDEST_IN_CI: u16 = 4;

/// What the root of a crate of kernels says.
const ROOT: &str = "#![feature(register_tool, adt_const_params)]
#![register_tool(furiosa_opt, tcp)]
#![allow(warnings)]
";

/// Right fixtures that are no programs, with what they show.
const MEANT_TO_FAIL: &[(&str, &str)] = &[(
    "fixtures/violations/library_version_mismatch/right_single.rs",
    "a name of another release, which is no sign that the crate is for that release",
)];

/// The folder of whole kernels: a package each, of single files or with a crate root.
const PACKAGES: &str = "fixtures/kernels/current";

/// Where the oldest releases look for their prebuilt parts before they download them; an empty archive is enough to check types.
const PREBUILT: &[&str] = &[
    "FURIOSA_MAPPING_IMPL_LOCAL_PREBUILT",
    "FURIOSA_OPT_LOWER_IMPL_LOCAL_PREBUILT",
];

/// A static library without a member.
const EMPTY_ARCHIVE: &str = "!<arch>\n";

/// A crate of several files. All of them are right.
struct Package {
    /// Its folder below the repository.
    path: String,
    /// The target that compiles it.
    target: String,
}

/// What is compiled against one release.
#[derive(Default)]
struct Release {
    fixtures: Vec<Fixture>,
    packages: Vec<Package>,
}

/// A fixture.
struct Fixture {
    /// Its path below the repository.
    path: String,
    /// Its module in the crate that is compiled.
    module: String,
    text: String,
}

impl Fixture {
    /// Whether the compiler must refuse it: a wrong fixture of a rule that is a compile error.
    fn must_fail(&self) -> bool {
        let mut parts = self.path.rsplit('/');
        let (Some(file), Some(rule)) = (parts.next(), parts.next()) else {
            return false;
        };
        let excepted = COMPILE_ERRORS
            .iter()
            .find(|(name, _)| *name == rule)
            .map(|(_, excepted)| excepted.iter().any(|(name, _)| *name == file));
        file.starts_with("wrong") && excepted == Some(false)
    }

    /// Whether the compiler must accept it.
    fn must_pass(&self) -> bool {
        let file = self.path.rsplit('/').next().unwrap_or_default();
        let excepted = MEANT_TO_FAIL.iter().any(|(path, _)| *path == self.path);
        !file.starts_with("wrong") && !excepted
    }
}

/// The releases that CI compiles against, the newest first, a line each: those that a fixture names, from 0.4 on.
pub(crate) fn list(repository: &Path) -> Result<String, String> {
    let minor = |release: &String| release.strip_prefix("0.")?.parse::<u16>().ok();
    let mut found = releases(repository)?;
    // A kernel for a release that is not out yet is the wrong one of this rule.
    found.retain(|_, release| {
        let mut fixtures = release.fixtures.iter();
        fixtures.any(|fixture| !fixture.path.contains("/dialect_unsupported/"))
    });
    let mut minors: Vec<u16> = found.keys().filter_map(minor).collect();
    minors.retain(|minor| *minor >= OLDEST_IN_CI);
    minors.sort_unstable_by(|one, other| other.cmp(one));
    let lines = minors.iter().map(|minor| format!("0.{minor}"));
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// Checks the fixtures of one release, or of all; the answer is the report, an error if a verdict is not as it must be.
pub(crate) fn run(repository: &Path, only: Option<&str>) -> Result<String, String> {
    if let Err(reason) = cargo(repository, &["--version"]) {
        return Ok(format!("SKIPPED: there is no nightly toolchain ({reason})"));
    }
    let mut report = String::new();
    let mut wrong = Vec::new();
    for (release, Release { fixtures, packages }) in releases(repository)? {
        if only.is_some_and(|only| only != release) {
            continue;
        }
        match check(repository, &release, &fixtures, &packages) {
            Ok((refused, refused_crates)) => {
                let mut verdicts = judge(&fixtures, &refused);
                verdicts.extend(refused_crates);
                report.push_str(&format!(
                    "{release}: {} of {} fixtures refused, {} crates compiled, {} verdicts not as they must be\n",
                    refused.len(),
                    fixtures.len(),
                    packages.len(),
                    verdicts.len()
                ));
                wrong.extend(verdicts);
            }
            Err(reason) => report.push_str(&format!("SKIPPED: {release}: {reason}\n")),
        }
    }
    if wrong.is_empty() {
        return Ok(report);
    }
    Err(format!("{report}{}", wrong.join("\n")))
}

/// What must not be: right fixtures that the compiler refuses, wrong ones that it accepts though their rule is an error of it.
fn judge(fixtures: &[Fixture], refused: &BTreeMap<String, String>) -> Vec<String> {
    let verdict = |fixture: &Fixture| match refused.get(&fixture.module) {
        Some(error) if fixture.must_pass() => Some(format!("{} is refused: {error}", fixture.path)),
        None if fixture.must_fail() => Some(format!("{} is accepted", fixture.path)),
        _ => None,
    };
    fixtures.iter().filter_map(verdict).collect()
}

/// What there is to compile, by release.
fn releases(repository: &Path) -> Result<BTreeMap<String, Release>, String> {
    let mut files = Vec::new();
    for folder in ["fixtures/violations", "fixtures/kernels"] {
        collect(&repository.join(folder), &mut files)?;
    }
    files.sort();
    let mut found: BTreeMap<String, Release> = BTreeMap::new();
    for file in files {
        let text = text_of(&file)?;
        let Some(release) = text.lines().next().and_then(|line| line.strip_prefix(MARK)) else {
            continue;
        };
        let release = found.entry(release.trim().to_owned()).or_default();
        release.fixtures.push(fixture(repository, &file, text));
    }
    for folder in packages(&repository.join(PACKAGES))? {
        let manifest = text_of(&folder.join("Cargo.toml"))?;
        let Some(release) = release_of(&manifest) else {
            return Err(format!("{}: no release", folder.display()));
        };
        let release = found.entry(release).or_default();
        if folder.join("src/lib.rs").is_file() {
            let path = below(repository, &folder);
            let name = path.rsplit('/').next().unwrap_or_default();
            let target = format!("crate_{}", name.replace(['-', '.'], "_"));
            release.packages.push(Package { path, target });
            continue;
        }
        let mut files = Vec::new();
        collect(&folder, &mut files)?;
        files.sort();
        for file in files {
            let text = text_of(&file)?;
            release.fixtures.push(fixture(repository, &file, text));
        }
    }
    Ok(found)
}

fn text_of(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// A path below the repository, with slashes.
fn below(repository: &Path, path: &Path) -> String {
    let path = path.strip_prefix(repository).unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}

fn fixture(repository: &Path, file: &Path, text: String) -> Fixture {
    let path = below(repository, file);
    let module = path
        .trim_start_matches("fixtures/")
        .trim_end_matches(".rs")
        .replace(['/', '-', '.'], "_");
    Fixture { path, module, text }
}

/// The release that a manifest asks for.
fn release_of(manifest: &str) -> Option<String> {
    let mut lines = manifest.lines();
    let asked = lines.find_map(|line| line.strip_prefix("furiosa-opt-std = "))?;
    Some(asked.trim().trim_matches('"').to_owned())
}

/// The packages in a folder, in order.
fn packages(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    found.retain(|path| path.join("Cargo.toml").is_file());
    found.sort();
    Ok(found)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            // What has a manifest is asked for by that.
            if !path.join("Cargo.toml").exists() {
                collect(&path, files)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// The modules that the compiler refuses, with the first error of each. Errors of one phase hide those of later ones, so that
/// what is refused is taken out and the rest compiled again, until nothing is refused.
///
/// Beside them the crates that it refuses, in words.
fn check(
    repository: &Path,
    release: &str,
    fixtures: &[Fixture],
    packages: &[Package],
) -> Result<(BTreeMap<String, String>, Vec<String>), String> {
    let folder = repository.join("target/real-library").join(release);
    let source = folder.join("src");
    let io = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&source).map_err(io)?;
    let mut manifest = format!(
        "[package]\nname = \"fixtures\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         furiosa-opt-std = \"~{release}\"\n\n[profile.dev]\ndebug = 0\n\n[workspace]\n"
    );
    for package in packages {
        let root = repository.join(&package.path).join("src/lib.rs");
        manifest.push_str(&format!(
            "\n[[example]]\nname = \"{}\"\npath = {:?}\ncrate-type = [\"lib\"]\n",
            package.target, root
        ));
    }
    fs::write(folder.join("Cargo.toml"), manifest).map_err(io)?;
    fs::write(folder.join("empty.a"), EMPTY_ARCHIVE).map_err(io)?;
    fs::write(source.join("lib.rs"), "").map_err(io)?;
    cargo(&folder, &["build", "--quiet"])?;
    let crates = refused_crates(&folder, packages)?;
    for fixture in fixtures {
        fs::write(source.join(format!("{}.rs", fixture.module)), &fixture.text).map_err(io)?;
    }
    let mut refused: BTreeMap<String, String> = BTreeMap::new();
    loop {
        let left: Vec<&Fixture> = fixtures
            .iter()
            .filter(|one| !refused.contains_key(&one.module))
            .collect();
        let output = compile(&folder, &left)?;
        if output.status.success() {
            return Ok((refused, crates));
        }
        let mut found = errors(&String::from_utf8_lossy(&output.stdout), fixtures);
        found.retain(|module, _| !refused.contains_key(module));
        if found.is_empty() {
            // The types in the error have no axis that would tell whose it is.
            found = each_alone(&folder, &left)?;
        }
        if found.is_empty() {
            let words = String::from_utf8_lossy(&output.stderr);
            return Err(format!("an error names no fixture: {}", last_lines(&words)));
        }
        refused.extend(found);
    }
}

/// The crates that the compiler refuses, each with the end of what it says.
fn refused_crates(folder: &Path, packages: &[Package]) -> Result<Vec<String>, String> {
    let mut refused = Vec::new();
    for package in packages {
        let output = nightly(folder)
            .args(["rustc", "--quiet", "--example", &package.target])
            .args(["--", "-Clink-dead-code", "--cap-lints", "allow"])
            .output()
            .map_err(|error| error.to_string())?;
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr);
            refused.push(format!(
                "{} is refused: {}",
                package.path,
                first_error(&words)
            ));
        }
    }
    Ok(refused)
}

/// The first error of a compiler, with the place below it.
fn first_error(words: &str) -> String {
    let lines = words.lines().skip_while(|line| !line.starts_with("error"));
    let lines: Vec<&str> = lines.take(2).map(str::trim).collect();
    lines.join(" ")
}

/// What is refused when it is compiled by itself.
fn each_alone(folder: &Path, fixtures: &[&Fixture]) -> Result<BTreeMap<String, String>, String> {
    let mut refused = BTreeMap::new();
    for fixture in fixtures {
        let output = compile(folder, &[fixture])?;
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr);
            refused.insert(fixture.module.clone(), last_lines(&words));
        }
    }
    Ok(refused)
}

/// Compiles modules as a crate; functions that nothing calls as well, since what the library evaluates is evaluated for
/// compiled code.
fn compile(folder: &Path, fixtures: &[&Fixture]) -> Result<Output, String> {
    let modules: String = fixtures
        .iter()
        .map(|one| format!("pub mod {};\n", one.module))
        .collect();
    let root = folder.join("src/lib.rs");
    fs::write(&root, format!("{ROOT}{modules}"))
        .map_err(|error| format!("{}: {error}", root.display()))?;
    nightly(folder)
        .args([
            "rustc",
            "--lib",
            "--quiet",
            "--message-format=json",
            "--",
            "-Clink-dead-code",
        ])
        .output()
        .map_err(|error| error.to_string())
}

/// The fixtures that errors are about, each with its first error.
fn errors(messages: &str, fixtures: &[Fixture]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for line in messages.lines() {
        let Ok(line) = serde_json::from_str::<serde_json::Value>(line) else {
            continue;
        };
        let error = &line["message"];
        if error["level"] != "error" {
            continue;
        }
        for fixture in fixtures {
            if is_about(error, &fixture.module) {
                let words = error["message"].as_str().unwrap_or_default();
                found
                    .entry(fixture.module.clone())
                    .or_insert_with(|| words.to_owned());
            }
        }
    }
    found
}

/// Whether an error is about a module: by a place in it, or by a type of it for what is evaluated in the library's own code. Notes
/// and helps name what is elsewhere, such as a type of that name in another module.
fn is_about(error: &serde_json::Value, module: &str) -> bool {
    let file = format!("src/{module}.rs");
    let mut spans = error["spans"].as_array().into_iter().flatten();
    spans.any(|span| span["file_name"] == file.as_str() || has_type_of(&span["label"], module))
        || has_type_of(&error["message"], module)
}

fn has_type_of(words: &serde_json::Value, module: &str) -> bool {
    let words = words.as_str().unwrap_or_default();
    let types = format!("{module}::");
    let mut places = words
        .match_indices(&types)
        .map(|(at, _)| words[..at].chars().next_back());
    places.any(|before| !before.is_some_and(|one| one.is_alphanumeric() || one == '_'))
}

/// Runs the nightly cargo; its last words if it fails.
fn cargo(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    let output = nightly(folder)
        .args(arguments)
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    Err(last_lines(&String::from_utf8_lossy(&output.stderr)))
}

fn nightly(folder: &Path) -> Command {
    let mut command = Command::new("cargo");
    // The toolchain of the project and the cargo that runs this must not be inherited.
    for name in ["CARGO", "RUSTC", "RUSTFLAGS", "CARGO_TARGET_DIR"] {
        command.env_remove(name);
    }
    command
        .env("RUSTUP_TOOLCHAIN", "nightly")
        .env("DOCS_RS", "1")
        .current_dir(folder);
    for name in PREBUILT {
        command.env(name, folder.join("empty.a"));
    }
    command
}

/// Why a command failed: what a build script said when it gave up, else the end of its words.
fn last_lines(words: &str) -> String {
    let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    if lines.by_ref().any(|line| line.contains("panicked at")) {
        return lines.next().unwrap_or_default().to_owned();
    }
    let lines: Vec<&str> = words
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let end = lines.len().saturating_sub(3);
    lines.get(end..).unwrap_or_default().join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture(path: &str) -> Fixture {
        Fixture {
            path: path.to_owned(),
            module: path.replace(['/', '.'], "_"),
            text: String::new(),
        }
    }

    #[test]
    fn verdicts_are_as_they_must_be() {
        let fixtures = [
            fixture("fixtures/violations/slice_size/wrong.rs"),
            fixture("fixtures/violations/slice_size/right.rs"),
            fixture("fixtures/violations/lift_placement/wrong.rs"),
            fixture("fixtures/kernels/current/norm.rs"),
        ];
        let refused = |numbers: &[usize]| -> BTreeMap<String, String> {
            let chosen = numbers.iter().filter_map(|number| fixtures.get(*number));
            chosen
                .map(|one| (one.module.clone(), "error".to_owned()))
                .collect()
        };
        // A run of the kernel finds the lift; the compiler need not.
        assert!(judge(&fixtures, &refused(&[0])).is_empty());
        assert!(judge(&fixtures, &refused(&[0, 2])).is_empty());
        assert_eq!(judge(&fixtures, &refused(&[])).len(), 1);
        assert_eq!(judge(&fixtures, &refused(&[0, 1, 3])).len(), 2);
    }

    #[test]
    fn a_manifest_names_its_release() {
        let manifest =
            "[package]\nversion = \"0.1.0\"\n[dependencies]\nfuriosa-opt-std = \"0.7\"\n";
        assert_eq!(release_of(manifest).as_deref(), Some("0.7"));
        assert_eq!(release_of("[package]\nversion = \"0.1.0\"\n"), None);
    }

    #[test]
    fn the_first_error_is_quoted_with_its_place() {
        let words =
            "warning: old\n\nerror[E0308]: mismatched types\n  --> a.rs:3:4\n   |\nerror: two\n";
        assert_eq!(
            first_error(words),
            "error[E0308]: mismatched types --> a.rs:3:4"
        );
    }

    #[test]
    fn a_build_script_is_quoted() {
        let words = "error: failed to run\n  thread 'main' panicked at build.rs:36:10:\n  Unable to find libclang\n  stack backtrace:\n";
        assert_eq!(last_lines(words), "Unable to find libclang");
        assert_eq!(last_lines("a\n\nb\nc\nd\n"), "b | c | d");
    }

    #[test]
    fn errors_are_about_their_fixture() {
        let fixtures = [fixture("a/b.rs"), fixture("a/c.rs"), fixture("a/d.rs")];
        let error = r#"{"message":{"level":"error","message":"evaluation panicked","spans":[
            {"file_name":"lib/x.rs","label":"evaluation of `size::<a_b_rs::K, not_a_c_rs::K>`"}],"children":[
            {"level":"help","message":"import `a_d_rs::K`","spans":[{"file_name":"src/a_d_rs.rs"}]}]}}"#;
        let warning = r#"{"message":{"level":"warning","message":"unused","spans":[{"file_name":"src/a_c_rs.rs"}]}}"#;
        let placed = r#"{"message":{"level":"error","message":"no method","spans":[{"file_name":"src/a_d_rs.rs"}]}}"#;
        let error = error.replace('\n', " ");
        let found = errors(&format!("{error}\n{warning}\nnot json\n"), &fixtures);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["a_b_rs"]);
        assert_eq!(found["a_b_rs"], "evaluation panicked");
        let found = errors(placed, &fixtures);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["a_d_rs"]);
    }
}

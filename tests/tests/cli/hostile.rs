//! Repositories that mean no good, or are wrong in a way that nobody thinks of: every run ends, and says what it left out.

use super::*;

const MANIFEST: &str = "[package]\nname = \"k\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nfuriosa-opt-std = \"0.8\"\n";

const KERNEL: &str = "use furiosa_opt_std::prelude::*;

axes![S = 256, K = 64];

#[device(chip = 1, pe = 4)]
fn kernel(device: &mut Device, x: &HbmTensor<i32, m![1], m![S, K]>) -> HbmTensor<i32, m![1], m![S, K]> {
    let x: DmTensor<i32, m![1], m![1], m![S], m![K]> = x.to_dm(&mut device.tdma);
    let y: DmTensor<i32, m![1], m![1], m![S], m![K]> = device
        .main
        .begin(x.view())
        .fetch::<m![K / 8], m![K % 8]>()
        .collect::<m![K / 8], m![K % 8]>()
        .commit_trim::<m![K % 8]>()
        .commit();
    y.to_hbm(&mut device.tdma)
}
";

/// Each link leads back to the folder itself: by paths there are as many packages as words of the letters a and b.
#[cfg(unix)]
#[test]
fn a_package_is_its_folder_by_whatever_links_it_is_named() {
    let manifest = format!(
        "{MANIFEST}x = {{ path = \"a\" }}\ny = {{ path = \"b\" }}\nz = {{ path = \"c/a/b\" }}\n"
    );
    let folder = folder_with(&[
        ("Cargo.toml", manifest.as_bytes()),
        ("src/lib.rs", KERNEL.as_bytes()),
        (
            "other/Cargo.toml",
            MANIFEST.replace("\"k\"", "\"other\"").as_bytes(),
        ),
        ("other/src/lib.rs", b"pub fn f() {}\n"),
    ]);
    for link in ["a", "b", "c"] {
        std::os::unix::fs::symlink(".", folder.path().join(link)).unwrap();
    }
    for arguments in [
        &["check", "src"][..],
        &["check", "."],
        &["cost", "src/lib.rs", "--effort", "0"],
    ] {
        let output = run(folder.path(), arguments);
        assert_code(&output, 0);
        assert!(!stderr(&output).contains("packages"), "{}", stderr(&output));
    }
}

#[test]
fn of_many_mistakes_in_the_settings_the_first_are_said_and_the_others_counted() {
    let keys: Vec<String> = (0..1_000)
        .map(|number| format!("unknown_rule_{number} = \"deny\"\n"))
        .collect();
    let settings = format!("[levels]\n{}", keys.concat());
    let folder = folder_with(&[
        ("visa-lint.toml", settings.as_bytes()),
        ("a.rs", b"fn f() {}\n"),
    ]);
    let output = run(folder.path(), &["a.rs"]);
    assert_code(&output, 2);
    let said = stderr(&output);
    assert_eq!(
        said.matches("no rule or group is called").count(),
        20,
        "{said}"
    );
    for (line, number) in [(2, 0), (3, 1), (21, 19)] {
        let place =
            format!("visa-lint.toml:{line}:1: no rule or group is called `unknown_rule_{number}`");
        assert!(said.contains(&place), "{said}");
    }
    assert!(said.contains("visa-lint.toml: 980 more problems"), "{said}");
    // As many as are said: nothing is counted.
    let few = format!("[levels]\n{}", keys[..20].concat());
    let folder = folder_with(&[("visa-lint.toml", few.as_bytes()), ("a.rs", b"fn f() {}\n")]);
    assert!(!stderr(&run(folder.path(), &["a.rs"])).contains("more problems"));
}

/// A device has no end, and a pipe waits for its writer.
#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_read_by_any_command() {
    let folder = folder_with(&[
        ("src/lib.rs", KERNEL.as_bytes()),
        ("old.rs", KERNEL.as_bytes()),
    ]);
    let path = |name: &str| folder.path().join(name);
    for (name, kind) in [("zero", "a device"), ("pipe", "a named pipe")] {
        match name {
            "zero" => std::os::unix::fs::symlink("/dev/zero", path("Cargo.toml")).unwrap(),
            _ => {
                let made = Command::new("mkfifo").arg(path("Cargo.toml")).status();
                assert!(
                    made.is_ok_and(|status| status.success()),
                    "a named pipe can be made"
                );
            }
        }
        let output = run(folder.path(), &["migrate", "--to", "0.10", "src"]);
        assert_code(&output, 2);
        assert!(stderr(&output).contains(kind), "{}", stderr(&output));
        for arguments in [
            &["check", "src"][..],
            &["cost", "src/lib.rs", "--effort", "0", "--compare", "old.rs"],
        ] {
            run(folder.path(), arguments);
        }
        std::fs::rename(path("Cargo.toml"), path("old.json")).unwrap();
        let output = run(
            folder.path(),
            &[
                "cost",
                "src/lib.rs",
                "--effort",
                "0",
                "--compare",
                "old.json",
            ],
        );
        assert_code(&output, 2);
        std::fs::remove_file(path("old.json")).unwrap();
    }
}

/// Some kernel calls `x.view()`: that says nothing of what the host calls so.
#[test]
fn host_code_is_not_taken_for_device_code_by_its_names() {
    let host = "
pub struct Renderer {
    names: Vec<String>,
}

impl Renderer {
    pub fn view(&self, names: &[String]) -> String {
        names.iter().map(|name| name.to_uppercase()).collect()
    }
    pub fn fetch(&self, url: &str) -> String {
        std::fs::read_to_string(url).unwrap_or_else(|e| panic!(\"{url}: {e}\"))
    }
    pub fn commit(&self) {
        assert!(self.view(&self.names).is_empty());
    }
}
";
    let text = format!("{KERNEL}{host}");
    let folder = folder_with(&[("k.rs", text.as_bytes())]);
    assert_eq!(
        stdout(&run(folder.path(), &["check", "--format", "short", "k.rs"])),
        ""
    );
}

/// A method of one package says nothing of one of that name in another that does not know it.
#[test]
fn methods_of_other_packages_are_not_called_by_their_names() {
    let shard = "use furiosa_opt_std::prelude::*;\npub struct Layer<D: M> { tensor: HbmTensor<i32, m![1], D> }\nimpl<D: M> Layer<D> {\n    pub fn load(&self, path: &str) -> Vec<String> { path.lines().map(|line| line.to_owned()).collect() }\n}\n";
    let calls = KERNEL.replace("    y.to_hbm", "    unknown.load(&x);\n    y.to_hbm");
    let manifest = |name: &str| MANIFEST.replace("\"k\"", &format!("\"{name}\""));
    let files = |root: &str| {
        folder_with(&[
            ("one/Cargo.toml", manifest("one").as_bytes()),
            ("one/src/lib.rs", format!("{root}{calls}").as_bytes()),
            ("two/Cargo.toml", manifest("two").as_bytes()),
            ("two/src/lib.rs", shard.as_bytes()),
        ])
    };
    let said = |root: &str| {
        let folder = files(root);
        let output = stdout(&run(folder.path(), &["check", "--format", "short", "."]));
        output
            .lines()
            .filter(|line| line.starts_with("two/"))
            .count()
    };
    assert_eq!(said(""), 0);
    // Where the package is known, an unknown value may be its layer.
    assert!(said("use two::Layer;\n") > 0);
}

#[test]
fn what_is_said_of_a_crate_does_not_depend_on_the_macros_of_another() {
    let caller = "use furiosa_opt_std::prelude::*;
use other::step;
axes![S = 256, K = 64];
#[device(chip = 1, pe = 4)]
fn kernel(device: &mut Device, x: &HbmTensor<f32, m![1], m![S, K]>) -> HbmTensor<f32, m![1], m![S, K]> {
    let x: DmTensor<f32, m![1], m![1], m![S], m![K]> = x.to_dm(&mut device.tdma);
    let x = step!(device, x);
    x.to_hbm(&mut device.tdma)
}
";
    let other = "macro_rules! step { ($d:ident, $x:ident) => { {
    let y: DmTensor<f32, m![1], m![1], m![S], m![K]> = $d.main.begin($x.view()).fetch::<m![K / 7], m![K % 7]>().collect::<m![K / 8], m![K % 8]>().vector_init().vector_final().commit();
    y } } }
";
    let folder = folder_with(&[
        ("a/lib.rs", caller.as_bytes()),
        ("b/lib.rs", other.as_bytes()),
    ]);
    let said = |folders: &[&str]| {
        let arguments = [&["check", "--format", "short"], folders].concat();
        let output = stdout(&run(folder.path(), &arguments));
        let lines = output.lines().filter(|line| line.starts_with("a/"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(said(&["a", "b"]), said(&["a"]));
}

//! The kernels of rule pages: the wrong one gives its finding in the release that the page names, the right one does not, and both are
//! for the newest release in which the rule holds wherever they can be written for it.

use visa_analysis::{Dialect, Language, Library, Release, Rule, Workspace, all_rules};
use visa_tests::docs::rule_pages;

/// What a page says where only a run with settings finds something.
const BY_SETTINGS: &str = "Nothing without `visa-lint.toml`";

/// The rules whose pages may show another release than the newest in which they hold. Each is about a release or a way to write
/// kernels that the newest does not have, or its kernels cannot be rewritten by a fix.
const SHOWN_BEFORE: usize = 40;

/// The kernel of a section, and what it is written for.
fn kernel(page: &str, section: &str) -> Option<(Dialect, String)> {
    let (_, rest) = page.split_once(&format!("\n## {section}\n"))?;
    let (_, rest) = rest.split_once("\nFor `")?;
    let (name, rest) = rest.split_once("` ")?;
    let (release, rest) = rest.split_once(":\n\n```rust\n")?;
    let (text, _) = rest.split_once("\n```\n")?;
    let library = Library::ALL
        .into_iter()
        .find(|one| one.crate_name() == name)?;
    let release = Release::of_version(release)?;
    Some((Dialect { library, release }, format!("{text}\n")))
}

/// How often a rule finds something in a kernel.
fn found(rule: &Rule, (dialect, text): &(Dialect, String)) -> usize {
    let mut workspace = Workspace::new();
    workspace.set_dialect(*dialect);
    workspace.set_file("kernel.rs", text);
    let report = workspace.analysis().check_file("kernel.rs");
    let own = report
        .diagnostics
        .iter()
        .filter(|found| found.rule == rule.name);
    own.count()
}

#[test]
fn each_shown_kernel_gives_its_finding_in_the_release_that_it_is_shown_for() {
    let (mut problems, mut before, mut current) = (Vec::new(), Vec::new(), 0);
    let pages = rule_pages();
    for rule in all_rules().filter(|rule| rule.example_language() == Language::Rust) {
        let name = rule.name;
        let page = &pages[&format!("{name}.md")];
        let (Some(wrong), Some(right)) = (kernel(page, "Wrong"), kernel(page, "Right")) else {
            problems.push(format!("{name}: a kernel names no release"));
            continue;
        };
        let findings = found(rule, &wrong);
        if (findings == 0) != page.contains(BY_SETTINGS) {
            problems.push(format!("{name}: {findings} findings in the wrong kernel"));
        }
        let findings = found(rule, &right);
        if findings > 0 {
            problems.push(format!("{name}: {findings} findings in the right kernel"));
        }
        let held = Library::OptStd.releases().iter().rev();
        let newest = held.copied().find(|release| {
            rule.holds_in(Dialect {
                library: Library::OptStd,
                release: *release,
            })
        });
        match newest {
            Some(release) if wrong.0.library == Library::OptStd && wrong.0.release == release => {
                current += 1;
            }
            Some(_) => before.push(name),
            None => assert_eq!(wrong.0.library, Library::VisaStd, "{name}"),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(
        before.len() <= SHOWN_BEFORE,
        "{current} pages show the newest release, {} do not: {before:?}",
        before.len()
    );
}

#[test]
fn pages_show_the_lines_that_change() {
    let page = &rule_pages()["alu_reuse.md"];
    let (_, changes) = page.split_once("\nWhat changes:\n\n```diff\n").unwrap();
    let (changes, _) = changes.split_once("\n```\n").unwrap();
    // The one call in which the fixtures differ, without their titles.
    let call =
        |alu: &str| format!("        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::{alu}), 1.5)");
    assert_eq!(changes, format!("-{}\n+{}", call("Mul0"), call("Mul1")));
}

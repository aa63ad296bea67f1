//! Budgets of the settings: a kernel beyond one of them is a finding at its name.

use super::*;

/// The findings of a check with these settings, as `level message`.
fn findings(settings: &str, more: &[&str]) -> Vec<String> {
    let folder = folder_of("dot_product");
    std::fs::write(folder.path().join("visa-lint.toml"), settings).unwrap();
    let output = run(
        folder.path(),
        &[&["k.rs", "--format", "json"], more].concat(),
    );
    let document = json(&output);
    let found: Vec<_> = list(&document["diagnostics"])
        .iter()
        .map(|finding| {
            assert_eq!(finding["rule"], "budget_exceeded");
            format!("{} {}", word(&finding["level"]), word(&finding["message"]))
        })
        .collect();
    let fails = found.iter().any(|line| line.starts_with("deny"));
    assert_code(&output, i32::from(fails));
    found
}

fn total() -> u64 {
    let document = cost_json(&folder_of("dot_product"), &["k.rs"]);
    number(&document["kernels"][0]["cycles"]["calibrated"]["total"])
}

#[test]
fn a_kernel_beyond_its_budget_is_reported() {
    let total = total();
    let none: [String; 0] = [];
    assert_eq!(findings(&format!("[budgets]\ndot = {total}\n"), &[]), none);
    let less = format!("[budgets]\ndot = {}\n", total - 1);
    let [found] = findings(&less, &[]).try_into().unwrap();
    assert!(
        found.starts_with("warn `dot` takes more than its budget: ") && found.contains("cycles"),
        "{found}"
    );
    let strict = format!("{less}[levels]\nbudget_exceeded = \"deny\"\n");
    assert!(findings(&strict, &[])[0].starts_with("deny "));
    assert_eq!(findings(&less, &["--allow", "budget_exceeded"]), none);
    assert_eq!(findings(&less, &["--ignore", "performance"]), none);
    assert_eq!(findings("[budgets]\ndott = 1\n", &[]), none);
    assert_eq!(findings("", &[]), none);
}

#[test]
fn memory_has_budgets_too() {
    // Both operands, 4,096 bytes each, are in DM at once.
    let none: [String; 0] = [];
    assert_eq!(
        findings("[budgets]\ndot = { dm_bytes = 8192, vrf_bytes = 0 }\n", &[]),
        none
    );
    let [found] = findings("[budgets]\ndot = { dm_bytes = 8191 }\n", &[])
        .try_into()
        .unwrap();
    assert!(
        found.ends_with("8,192 bytes of DM a slice, 8,191 are allowed"),
        "{found}"
    );
    let both = findings("[budgets]\ndot = { cycles = 0, trf_bytes = 0 }\n", &[]);
    assert_eq!(both.len(), 1, "{both:?}");
    assert!(
        both[0].contains("cycles") && both[0].contains("TRF"),
        "{both:?}"
    );
}

#[test]
fn the_narrowest_line_of_the_budgets_holds() {
    let none: [String; 0] = [];
    let wide = "\"*\" = 1\n\"d*\" = 1\n\"do*\" = 1_000_000\n";
    assert_eq!(findings(&format!("[budgets]\n{wide}"), &[]), none);
    let own = format!("[budgets]\n{wide}dot = 2\n");
    let [found] = findings(&own, &[]).try_into().unwrap();
    assert!(found.ends_with(" cycles, 2 are allowed"), "{found}");
}

#[test]
fn the_finding_stands_at_the_name_and_can_be_suppressed() {
    let text = kernel("dot_product");
    let at = text.find("dot(").unwrap();
    let line = text[..at].lines().count();
    let allowed = text.replace("#[device", "#[allow(tcp::budget_exceeded)]\n#[device");
    let unknown = text.replace(".to_hbm(", ".to_nowhere(");
    let folder = folder_with(&[
        ("visa-lint.toml", b"[budgets]\n\"*\" = 1\n"),
        ("a.rs", text.as_bytes()),
        ("b.rs", allowed.as_bytes()),
        ("c.rs", unknown.as_bytes()),
    ]);
    let output = run(folder.path(), &["a.rs", "--format", "short"]);
    assert_code(&output, 0);
    assert!(
        stdout(&output).starts_with(&format!("a.rs:{line}:4: warning[budget_exceeded]")),
        "{}",
        stdout(&output)
    );
    // What is suppressed is silent, what has no total too.
    assert_eq!(
        stdout(&run(folder.path(), &["b.rs", "--format", "short"])),
        ""
    );
    let output = run(folder.path(), &["c.rs", "--format", "short"]);
    assert!(!stdout(&output).contains("budget_exceeded"));
}

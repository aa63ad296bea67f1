//! NKI kernels end to end: what the guide to descriptor generation shows, fixes, texts that are broken, and what is not resolved.

use std::collections::BTreeMap;
use std::path::PathBuf;

use visa_analysis::{Applicability, FileReport, Level};
use visa_tests::hints::applied;
use visa_tests::{check_text, kernel_files, line_of, read, repository, shown};

const IMPORT: &str = "import neuronxcc.nki.isa as nisa\n";

/// The fixtures of the rules about NKI, by their paths.
fn fixtures() -> Vec<(String, String)> {
    let files = kernel_files(&repository().join("fixtures/violations"));
    let python = files
        .into_iter()
        .filter(|path: &PathBuf| path.extension().is_some_and(|ending| ending == "py"));
    python.map(|path| (shown(&path), read(&path))).collect()
}

fn denied(report: &FileReport) -> Vec<String> {
    let denied = report
        .diagnostics
        .iter()
        .filter(|finding| finding.default_level == Level::Deny && !finding.suppressed);
    denied.map(line_of).collect()
}

fn rules(report: &FileReport) -> Vec<&'static str> {
    report
        .diagnostics
        .iter()
        .map(|finding| finding.rule)
        .filter(|rule| *rule != "unresolved_operation")
        .collect()
}

fn operations(report: &FileReport) -> u64 {
    report.operations.resolved + report.operations.unresolved
}

/// Kernels of our own in the manner of a library: nothing is denied, and what is not resolved has its reason.
#[test]
fn kernels_in_the_manner_of_a_library_are_right_and_mostly_resolved() {
    let (mut resolved, mut all) = (0, 0);
    for name in ["library.py", "older.py"] {
        let text = read(&repository().join("fixtures/nki").join(name));
        let report = check_text(name, &text);
        assert_eq!(denied(&report), [] as [String; 0], "{name}");
        assert_eq!(report.syntax_errors, 0, "{name}");
        resolved += report.operations.resolved;
        all += operations(&report);
        let reasons: u64 = report.operations.reasons.values().sum();
        assert_eq!(reasons, report.operations.unresolved, "{name}");
    }
    assert!(
        all > 40 && resolved * 100 >= all * 60,
        "{resolved} of {all}"
    );
}

/// Calls as the guide shows them, of names that nothing defines: nothing is proven of them, and habits are remarked.
#[test]
fn calls_of_the_guide_have_no_finding_at_deny() {
    let habits = ["nki_unnamed_dma"];
    let forced = ["nki_unnamed_dma", "nki_forced_mode"];
    let mode = ["nki_forced_mode"];
    let calls: [(&str, &[&str]); 14] = [
        (
            "dma_copy(dst=chunk, src=weights, dge_mode=nisa.dge_mode.unknown)",
            &habits,
        ),
        (
            "dma_copy(dst=chunk, src=weights, dge_mode=nisa.dge_mode.none)",
            &forced,
        ),
        (
            "dma_copy(dst=chunk, src=weights, dge_mode=nisa.dge_mode.swdge)",
            &forced,
        ),
        (
            "dma_copy(dst=chunk, src=weights, dge_mode=nisa.dge_mode.hwdge)",
            &forced,
        ),
        (
            "dma_copy(dst=chunk, src=weights, dge_mode=nisa.dge_mode.hwdge, engine=nisa.engine.scalar)",
            &forced,
        ),
        (
            "dma_copy(dst=chunk, src=weights, dge_mode=nisa.dge_mode.hwdge, engine=nisa.engine.sync)",
            &forced,
        ),
        ("dma_copy(dst=chunk, src=weights, name=\"fetch\")", &[]),
        (
            "dma_copy(dst=chunk, src=weights, dge_mode=nisa.dge_mode.none, name=\"fixed\")",
            &mode,
        ),
        (
            "dma_copy(dst=chunk, src=weights, dge_mode=nisa.dge_mode.swdge, name=\"moving\")",
            &mode,
        ),
        (
            "dma_copy(dst=chunk, src=weights, dge_mode=nisa.dge_mode.hwdge, name=\"block\")",
            &mode,
        ),
        (
            "dma_transpose(dst=chunk, src=weights, dge_mode=nisa.dge_mode.hwdge, name=\"turn\")",
            &mode,
        ),
        (
            "dma_transpose(dst=chunk, src=weights[chosen], dge_mode=nisa.dge_mode.swdge, name=\"pick\")",
            &mode,
        ),
        ("dma_copy(dst=chunk, src=weights, name=\"any\")", &[]),
        (
            "dma_transpose(dst=chunk, src=weights, name=\"any turn\")",
            &[],
        ),
    ];
    for (call, wanted) in calls {
        let report = check_text("kernel.py", &format!("{IMPORT}\nnisa.{call}\n"));
        assert_eq!(rules(&report), wanted, "{call}");
        assert_eq!(operations(&report), 1, "{call}");
    }
    // Without the import the name means nothing, and the file is none of ours.
    let report = check_text(
        "kernel.py",
        "nisa.dma_copy(dst=a, src=b, dge_mode=nisa.dge_mode.fastest)\n",
    );
    assert_eq!(operations(&report), 0);
    assert!(report.diagnostics.is_empty());
}

#[test]
fn machine_fixes_mend_their_finding_and_bring_none_at_deny() {
    let mut tried = 0;
    let mut problems = Vec::new();
    for (path, text) in fixtures() {
        let report = check_text(&path, &text);
        let before = denied(&report).len();
        for finding in &report.diagnostics {
            for fix in finding
                .fixes
                .iter()
                .filter(|fix| fix.applicability == Applicability::Machine)
            {
                tried += 1;
                let after = applied(&text, &fix.edits);
                let again = check_text(&path, &after);
                let left = |report: &FileReport| {
                    report
                        .diagnostics
                        .iter()
                        .filter(|other| other.rule == finding.rule)
                        .count()
                };
                let was_denied = usize::from(finding.default_level == Level::Deny);
                if left(&again) + 1 != left(&report) || denied(&again).len() + was_denied > before {
                    problems.push(format!(
                        "{path}: {}: {:?}\n{after}",
                        line_of(finding),
                        denied(&again)
                    ));
                }
                assert_eq!(
                    text.matches('#').count(),
                    after.matches('#').count(),
                    "{path}: a comment went"
                );
            }
        }
    }
    assert!(tried >= 6, "only {tried} fixes");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Prefixes of kernels, other line ends, a byte-order mark and letters of other scripts: findings stay, and nothing ends in a defect.
#[test]
fn broken_texts_are_read_as_far_as_they_go() {
    let kernels = fixtures();
    for (path, text) in kernels
        .iter()
        .filter(|(path, _)| path.ends_with("wrong.py"))
        .take(12)
    {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let report = check_text(path, text.get(..end).unwrap_or_default());
            assert!(report.problems.is_empty(), "{path}: {:?}", report.problems);
        }
    }
    for (path, text) in &kernels {
        let wanted = rules(&check_text(path, text));
        let windows = text.replace('\n', "\r\n");
        assert_eq!(
            rules(&check_text(path, &windows)),
            wanted,
            "{path} with other line ends"
        );
        let marked = format!("\u{feff}{text}");
        assert_eq!(
            rules(&check_text(path, &marked)),
            wanted,
            "{path} with a mark"
        );
        let scripts = text
            .replace("tile", "плитка")
            .replace("@nki.jit", "# größe 大\n@nki.jit");
        let report = check_text(path, &scripts);
        assert!(report.problems.is_empty(), "{path}: {:?}", report.problems);
    }
}

#[test]
fn deep_and_large_texts_neither_hang_nor_overflow() {
    let texts = [
        "(".repeat(20_000),
        "[".repeat(20_000) + &"]".repeat(20_000),
        format!("x = {}1\n", "1 + ".repeat(100_000)),
        format!("x = {}1\n", "-".repeat(100_000)),
        format!("x = {}\n", "9".repeat(10_000)),
        format!("x = f'{}'\n", "{".repeat(20_000)),
        "if x:\n".to_owned()
            + &(1..5_000)
                .map(|depth| " ".repeat(depth) + "if x:\n")
                .collect::<String>(),
        "nisa.dma_copy(dst=a, src=b, name='n')\n".repeat(20_000),
    ];
    for text in texts {
        let report = check_text("kernel.py", &format!("{IMPORT}{text}"));
        assert_eq!(
            report
                .problems
                .iter()
                .filter(|problem| format!("{problem:?}").contains("Internal"))
                .count(),
            0
        );
    }
}

/// What is resolved of kernels with a certain fault each, and the reason where it is not.
#[test]
fn reasons_are_named_where_a_transfer_is_not_resolved() {
    let kernel = |body: &str| {
        format!(
            "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n@nki.jit\ndef f(x, flag):\n    t = nl.ndarray((128, 64), nl.float32, buffer=nl.sbuf)\n{body}"
        )
    };
    let cases = [
        ("    P, F = x.shape\n    nisa.dma_copy(t, x)\n", None),
        ("    nisa.dma_copy(t, x)\n", Some("shape of an argument")),
        (
            "    P, F = x.shape\n    nisa.dma_copy(t, x[::2, :])\n",
            Some("index with a step, `...` or a mask"),
        ),
        (
            "    P, F = x.shape\n    y = x\n    if flag:\n        y = t\n    nisa.dma_copy(t, y)\n",
            Some("name that branches or a loop assign differently"),
        ),
        (
            "    P, F = x.shape\n    nisa.dma_copy(t, x, dge_mode=pick(flag))\n",
            Some("mode that is computed"),
        ),
        (
            "    nisa.dma_copy(t, other)\n",
            Some("name that the file does not define"),
        ),
        (
            "    P, F = x.shape\n    nisa.dma_copy(t, x.windows(3))\n",
            Some("view of a helper class"),
        ),
    ];
    let mut reasons = BTreeMap::new();
    for (body, wanted) in cases {
        let report = check_text("kernel.py", &kernel(body));
        let reason = report.unresolved.first().map(|place| place.reason.as_str());
        assert_eq!(reason, wanted, "{body}");
        assert_eq!(
            report.operations.resolved,
            u64::from(wanted.is_none()),
            "{body}"
        );
        *reasons.entry(wanted).or_insert(0) += 1;
    }
    assert_eq!(reasons.len(), cases.len());
}

/// Values that reach a transfer by another way than one assignment: a wrong size is found exactly where it is certain.
#[test]
fn sizes_are_compared_where_they_are_certain() {
    let copies = |body: &str| {
        let text = format!(
            "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n\nWIDTH = 64\n\ndef width(n):\n    if n > 4:\n        return 64\n    return 64\n\n@nki.jit\ndef f(x, flag, n: int):\n    P, F = x.shape\n{body}"
        );
        let report = check_text("kernel.py", &text);
        report
            .diagnostics
            .iter()
            .any(|finding| finding.rule == "nki_copy_size")
    };
    let tile =
        |extents: &str| format!("    t = nl.ndarray({extents}, nl.float32, buffer=nl.sbuf)\n");
    let copy = "    nisa.dma_copy(t, x[0:128, 0:64])\n";
    // (what is declared, whether the sizes certainly differ)
    for (extents, differs) in [
        ("(128, 64)", false),
        ("(128, 65)", true),
        ("(64, 128)", false),
        ("[128, WIDTH]", false),
        ("(128, WIDTH + 1)", true),
        ("(128, width(n))", false),
        ("(nl.tile_size.pmax, 64)", false),
        ("(nl.tile_size.pmax, 32 * 3)", true),
        ("(128, n)", false),
        ("(128, F)", false),
        ("(P, F + 8192)", false),
        ("(128, 64 * P // P)", false),
        ("(128, 65 * P // P)", true),
        ("(2 ** 7, 1 << 6)", false),
        ("(128, max(64, 32))", false),
        ("(128, max(64, 96))", true),
        ("(128, min(n, 64))", false),
        ("(128, unknown_name)", false),
    ] {
        assert_eq!(copies(&(tile(extents) + copy)), differs, "{extents}");
    }
    for (source, differs) in [
        ("x[0:128, F - 64 : F]", false),
        ("x[0:128, F - 63 : F]", true),
        ("x[n : n + 128, 0:64]", false),
        ("x[n : n + 127, 0:64]", true),
        ("x[nl.ds(n, 128), nl.ds(0, 64)]", false),
        ("x[nl.ds(n, 128), nl.ds(0, 32)]", true),
        ("x[0:128, ::2]", false),
        ("x[..., 0:64]", false),
        ("x[0:128, 0:n]", false),
        ("x.ap(pattern=[[F, 128], [1, 64]], offset=n)", false),
        ("x.ap(pattern=[[F, 128], [2, 63]], offset=n)", true),
        ("x[0:64, 0:128].reshape((128, 64))", false),
        ("x[0:64, 0:128].reshape((32, -1))", false),
    ] {
        let body = tile("(128, 64)") + &format!("    nisa.dma_copy(t, {source})\n");
        assert_eq!(copies(&body), differs, "{source}");
    }
    // Behind a branch, a loop or an early end.
    let branches = "    w = 64\n    if flag:\n        w = 65\n";
    assert!(!copies(&(branches.to_owned() + &tile("(128, w)") + copy)));
    let ended = "    w = 64\n    if flag:\n        w = 65\n        return\n";
    assert!(!copies(&(ended.to_owned() + &tile("(128, w)") + copy)));
    let looped = "    w = 64\n    for i in range(4):\n        w = w + 1\n";
    assert!(!copies(&(looped.to_owned() + &tile("(128, w)") + copy)));
    let asserted = "    assert F == 65\n";
    assert!(copies(&(asserted.to_owned() + &tile("(128, F)") + copy)));
    let refused = "    if F != 64:\n        raise ValueError\n";
    assert!(!copies(&(refused.to_owned() + &tile("(128, F)") + copy)));
    let changed = "    shape = [128, 65]\n    shape.append(2)\n    shape[1] = 64\n";
    assert!(!copies(&(changed.to_owned() + &tile("shape") + copy)));
}

/// Tiles in lists, and tensors behind the loop or the branches that declare them: what all have in common is known, and nothing else.
#[test]
fn tiles_in_lists_are_known_by_what_they_have_in_common() {
    let found = |body: &str| {
        let text = format!(
            "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n\ndef longer(tiles, n):\n    tiles.append(nl.ndarray((64, 65), nl.float32, buffer=nl.sbuf))\n    return tiles\n\n@nki.jit\ndef f(x, flag, n: int):\n    P, F = x.shape\n{body}"
        );
        let report = check_text("kernel.py", &text);
        assert!(report.problems.is_empty(), "{body}");
        let differs = rules(&report).contains(&"nki_copy_size");
        (differs, report.operations.resolved)
    };
    let tile = |extents: &str| format!("nl.ndarray({extents}, nl.float32, buffer=nl.sbuf)");
    let copy = "        nisa.dma_copy(ts[i], x[0:128, 0:64])\n";
    let (good, bad) = (tile("(128, 64)"), tile("(128, 65)"));
    let each = format!("    for i in range(n):\n{copy}");
    // (statements, whether the sizes certainly differ, calls that are resolved)
    let filled = |tile: &str| {
        format!("    ts = []\n    for j in range(n):\n        t = {tile}\n        ts.append(t)\n")
    };
    let cases = [
        (filled(&good) + &each, (false, 1)),
        (filled(&bad) + &each, (true, 1)),
        (
            format!("    ts = [{good} for j in range(n)]\n{each}"),
            (false, 1),
        ),
        (
            format!("    ts = [{bad} for j in range(n)]\n{each}"),
            (true, 1),
        ),
        (
            format!(
                "    ts = [{bad} for j in range(n)]\n    for t in ts:\n        nisa.dma_copy(t, x[0:128, 0:64])\n"
            ),
            (true, 1),
        ),
        // In the loop that appends: behind the append it is one of those that were appended.
        (
            format!("    ts = []\n    for i in range(n):\n        ts.append({bad})\n{copy}"),
            (true, 1),
        ),
        // Before it nothing is known.
        (
            format!("    ts = []\n    for i in range(n):\n{copy}        ts.append({bad})\n"),
            (false, 0),
        ),
        // Two sizes in one list.
        (
            format!(
                "    ts = []\n    for j in range(n):\n        ts.append({bad})\n        ts.append({good})\n{each}"
            ),
            (false, 0),
        ),
        (
            format!("    ts = []\n    ts.append({bad})\n    ts.append({good})\n{each}"),
            (false, 0),
        ),
        // Changed by another name, by a function, by an index, by a loop that is not counted.
        (
            filled(&bad) + "    us = ts\n    us[0] = x\n" + &each,
            (false, 0),
        ),
        (filled(&bad) + "    longer(ts, n)\n" + &each, (false, 0)),
        (filled(&bad) + "    other(ts)\n" + &each, (false, 0)),
        (filled(&bad) + "    ts[0] = x\n" + &each, (false, 0)),
        (filled(&bad) + "    ts += [x]\n" + &each, (false, 0)),
        (
            format!(
                "    ts = []\n    while flag:\n        ts.append({good})\n    ts.append({bad})\n{each}"
            ),
            (false, 0),
        ),
        // Another list is appended to in an inner loop.
        (
            format!(
                "    ts = []\n    us = []\n    for j in range(n):\n        for k in range(2):\n            us.append({good})\n        ts.append({bad})\n{each}"
            ),
            (true, 1),
        ),
        // Sizes that the loop's variable is in are not known behind it.
        (
            format!(
                "    for j in range(n):\n        t = {}\n    nisa.dma_copy(t, x[0:128, 0:64])\n",
                tile("(128, j + 1)")
            ),
            (false, 0),
        ),
        (
            format!(
                "    for j in range(n):\n        t = {bad}\n    nisa.dma_copy(t, x[0:128, 0:64])\n"
            ),
            (true, 1),
        ),
        (
            format!(
                "    t = {good}\n    for j in range(n):\n        t = {bad}\n    nisa.dma_copy(t, x[0:128, 0:64])\n"
            ),
            (false, 0),
        ),
        (
            format!(
                "    if flag:\n        t = {good}\n    else:\n        t = {bad}\n    nisa.dma_copy(t, x[0:128, 0:64])\n"
            ),
            (false, 0),
        ),
    ];
    for (body, wanted) in cases {
        assert_eq!(found(&body), wanted, "{body}");
    }
    // The memory that both branches agree on is known: a transpose into PSUM is refused in either.
    let body = "    if flag:\n        t = nl.ndarray((64, 128), x.dtype, buffer=nl.psum)\n    else:\n        t = nl.ndarray((32, 128), x.dtype, buffer=nl.psum)\n    nisa.dma_transpose(dst=t, src=x)\n";
    let text = format!(
        "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n@nki.jit\ndef f(x, flag):\n{body}"
    );
    assert!(rules(&check_text("kernel.py", &text)).contains(&"nki_transpose_destination"));
}

/// Sizes that come of calls, of other files or of branches are symbols: the transfer is followed, and nothing is proven by them.
#[test]
fn sizes_that_are_not_known_are_symbols() {
    let found = |body: &str| {
        let text = format!(
            "import nki\nimport nki.isa as nisa\nimport nki.language as nl\nfrom sizes import WIDTH, ceil\n\n@nki.jit\ndef f(x, flag, n: int):\n    P, F = x.shape\n{body}"
        );
        let report = check_text("kernel.py", &text);
        assert!(report.problems.is_empty(), "{body}");
        let differs = rules(&report).contains(&"nki_copy_size");
        (differs, report.operations.resolved)
    };
    let tile =
        |extents: &str| format!("    t = nl.ndarray({extents}, nl.float32, buffer=nl.sbuf)\n");
    for (body, wanted) in [
        (
            tile("(128, WIDTH)") + "    nisa.dma_copy(t, x[0:128, 0:WIDTH])\n",
            (false, 1),
        ),
        (
            tile("(128, ceil(F, 2))") + "    nisa.dma_copy(t, x[0:128, 0:64])\n",
            (false, 1),
        ),
        (
            tile("(128, 64)") + "    nisa.dma_copy(t, x[nl.ds(0, 128), nl.ds(0, WIDTH)])\n",
            (false, 1),
        ),
        (
            tile("(128, 64)")
                + "    nisa.dma_copy(t, x.ap(pattern=[[WIDTH, 128], [1, ceil(64, 1)]]))\n",
            (false, 1),
        ),
        (
            tile("(128, 64)") + "    nisa.dma_copy(t.reshape((128, WIDTH, 2)), x[0:128, 0:64])\n",
            (false, 1),
        ),
        // What is given may be a tuple.
        (
            tile("(128, 64)") + "    nisa.dma_copy(t.reshape(WIDTH), x[0:128, 0:64])\n",
            (false, 0),
        ),
        (
            tile("WIDTH") + "    nisa.dma_copy(t, x[0:128, 0:64])\n",
            (false, 0),
        ),
        // The smaller of two is one number wherever its name stands.
        (
            tile("(128, 64)")
                + "    w = min(64, F - n)\n    nisa.dma_copy(t[0:128, 0:w], x[0:128, 0:w])\n",
            (false, 1),
        ),
        (
            tile("(128, 64)")
                + "    w = min(64, F - n)\n    nisa.dma_copy(t[0:127, 0:w], x[0:128, 0:w])\n",
            (true, 1),
        ),
        (
            tile("(128, 64)")
                + "    w = 64\n    if flag:\n        w = 32\n    nisa.dma_copy(t[0:128, 0:w], x[0:128, 0:65])\n",
            (false, 1),
        ),
    ] {
        assert_eq!(found(&body), wanted, "{body}");
    }
}

/// Tensors whose shape is that of an argument, whatever it is: what has one shape on both sides is followed.
#[test]
fn shapes_of_arguments_are_symbols() {
    let found = |body: &str| {
        let text = format!(
            "import neuronxcc.nki as nki\nimport neuronxcc.nki.isa as nisa\nimport neuronxcc.nki.language as nl\n\n@nki.jit\ndef f(a, b, flag):\n    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)\n{body}"
        );
        let report = check_text("kernel.py", &text);
        assert!(report.problems.is_empty(), "{body}");
        let differs = rules(&report).contains(&"nki_copy_size");
        (differs, report.operations.resolved, operations(&report))
    };
    for (body, wanted) in [
        (
            "    t = nl.load(a)\n    nl.store(out, value=t)\n",
            (false, 2, 2),
        ),
        // Another argument may have any shape.
        (
            "    t = nl.load(b)\n    nl.store(out, value=t)\n",
            (false, 1, 2),
        ),
        (
            "    assert a.shape == b.shape\n    t = nl.load(b)\n    nl.store(out, value=t)\n",
            (false, 2, 2),
        ),
        // What is known of one branch is not known behind it.
        (
            "    if flag:\n        assert a.shape == b.shape\n    t = nl.load(b)\n    nl.store(out, value=t)\n",
            (false, 1, 2),
        ),
        (
            "    t = nl.load(a[...])\n    nl.store(out[...], value=nl.exp(t) * 2.0)\n",
            (false, 2, 2),
        ),
        (
            "    for i in nl.affine_range(4):\n        t = nl.load(a[i])\n        nl.store(out[i], value=t)\n",
            (false, 2, 2),
        ),
        // One axis less on one side alone.
        (
            "    t = nl.load(a[0])\n    nl.store(out, value=t)\n",
            (false, 1, 2),
        ),
        (
            "    t = nl.load(a[:, 0:64])\n    nisa.dma_copy(dst=out[:, 0:64], src=t)\n",
            (false, 2, 2),
        ),
        (
            "    t = nl.load(a[:, 0:64])\n    nisa.dma_copy(dst=out[:, 0:32], src=t)\n",
            (true, 2, 2),
        ),
        // What is learned behind the load.
        (
            "    t = nl.load(a)\n    p, c = a.shape\n    nisa.dma_copy(dst=out[0:p, 0:c], src=t)\n",
            (false, 2, 2),
        ),
        (
            "    t = nl.load(a)\n    assert a.shape == (128, 64)\n    nisa.dma_copy(dst=out[0:128, 0:32], src=t)\n",
            (true, 2, 2),
        ),
        // Results of instructions of the older form.
        (
            "    t = nisa.activation(nl.exp, nl.load(a[0:128, 0:64]))\n    s = nisa.tensor_reduce(nl.add, t, axis=1, keepdims=True)\n    nisa.dma_copy(dst=out[0:128, 0:1], src=s)\n",
            (false, 2, 2),
        ),
        (
            "    t = nisa.activation(nl.exp, nl.load(a[0:128, 0:64]))\n    s = nl.sum(t, axis=1, keepdims=True)\n    nisa.dma_copy(dst=out[0:128, 0:2], src=s)\n",
            (true, 2, 2),
        ),
        (
            "    p = nisa.nc_matmul(nl.load(a[0:128, 0:64]), nl.load(b[0:128, 0:512]))\n    nisa.dma_copy(dst=out[0:64, 0:256], src=p)\n",
            (true, 3, 3),
        ),
    ] {
        assert_eq!(found(body), wanted, "{body}");
    }
}

/// A kernel of which no transfer is followed is named with its reason: silence would look like success.
#[test]
fn a_file_of_which_nothing_is_followed_says_so() {
    let head = "import nki\nimport nki.isa as nisa\nimport nki.language as nl\nfrom helpers import everything\n\n";
    let tile = "    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)\n";
    let kernel = "kernel without a transfer that is followed";
    let passed_on = "transfer that is passed on, not called";
    for (body, wanted) in [
        (
            "@nki.jit\ndef f(a, b):\n    nisa.tensor_tensor(dst=a, data1=a, data2=b, op=nl.add)\n".to_owned(),
            vec![("f", kernel)],
        ),
        (
            "@nki.jit\ndef f(a):\n    everything(a)\n\n@nki.jit\ndef g(a):\n    everything(a)\n".to_owned(),
            vec![("f", kernel), ("g", kernel)],
        ),
        (
            "class K:\n    @nki.jit\n    def f(self, a):\n        everything(a)\n".to_owned(),
            vec![("f", kernel)],
        ),
        (
            format!("@nki.jit\ndef f(a):\n{tile}    everything(nisa.dma_copy, t, a)\n"),
            vec![("nisa.dma_copy", passed_on)],
        ),
        (
            format!("@nki.jit\ndef f(a):\n{tile}    how = {{\"copy\": nisa.dma_copy}}\n    how[\"copy\"](t, a)\n"),
            vec![("nisa.dma_copy", passed_on)],
        ),
        (
            format!("@nki.jit\ndef f(a):\n{tile}    go = lambda: nisa.dma_copy(t, a)\n    go()\n"),
            vec![("nisa.dma_copy", "shape of an argument")],
        ),
        // In methods and functions in functions they are followed.
        (
            "class K:\n    def f(self, a):\n        def g(b):\n            t = everything(b)\n            nisa.dma_copy(t, b)\n        g(a)\n".to_owned(),
            vec![("nisa.dma_copy", "result of a call that is not followed")],
        ),
        // No kernel is in it, and it takes part: its import stands for all of it.
        (
            "def f(a):\n    return everything(a, nl.bfloat16)\n".to_owned(),
            vec![("import nki", "the file imports NKI, and no transfer in it is recognised")],
        ),
    ] {
        let report = check_text("kernel.py", &format!("{head}{body}"));
        let named: Vec<(&str, &str)> = report
            .unresolved
            .iter()
            .map(|place| (place.what.as_str(), place.reason.as_str()))
            .collect();
        assert_eq!(named, wanted, "{body}");
        assert_eq!(report.operations.resolved, 0, "{body}");
    }
}

/// Views by methods, those of a tensor and those of the wrapper that kernels used before: the tile holds 128 x 512 elements.
#[test]
fn views_by_methods_have_their_axes() {
    let found = |source: &str| {
        let text = format!(
            "import nki\nimport nki.isa as nisa\nimport nki.language as nl\nfrom views import TensorView\n\n@nki.jit\ndef f(x, n: int):\n    assert x.shape == (4, 128, 512)\n    t = nl.ndarray((128, 512), nl.float32, buffer=nl.sbuf)\n    nisa.dma_copy(t, {source})\n"
        );
        let report = check_text("kernel.py", &text);
        assert!(report.problems.is_empty(), "{source}");
        let differs = rules(&report).contains(&"nki_copy_size");
        (differs, report.operations.resolved)
    };
    for (source, wanted) in [
        ("x.select(0, 1)", (false, 1)),
        ("x.select(dim=-3, index=n)", (false, 1)),
        ("x.select(1, 0)", (true, 1)),
        ("x.select(0, 1).slice(dim=1, start=0, end=511)", (true, 1)),
        ("x.slice(0, 0, 2).slice(2, 0, 256)", (false, 1)),
        ("x.slice(0, 0, 4, step=2).slice(2, 0, 512, 2)", (false, 1)),
        ("x.slice(0, 0, 4, step=3).slice(2, 0, 512, 2)", (false, 1)),
        ("x.slice(0, 0, 4, step=3)", (true, 1)),
        // Beyond the end.
        ("x.slice(1, 0, 129)", (false, 0)),
        ("x.slice(3, 0, 1)", (false, 0)),
        (
            "x.select(0, 2).reshape_dim(1, (2, -1)).permute((1, 0, 2))",
            (false, 1),
        ),
        ("x.select(0, 2).reshape_dim(1, (2, 128))", (true, 1)),
        ("x.flatten_dims(0, 1).slice(0, 0, 128)", (false, 1)),
        ("x.flatten_dims(0, 1).slice(0, 0, 513)", (false, 0)),
        ("x.flatten_dims(0, 1)", (true, 1)),
        ("x.select(0, 0).expand_dim(1).squeeze_dim(1)", (false, 1)),
        ("x.slice(0, 0, 1).broadcast(0, 2)", (true, 1)),
        ("TensorView(x).select(0, 3).get_view()", (false, 1)),
        ("TensorView(x).slice(1, 0, 64).get_view()", (true, 1)),
        ("x.windows(3)", (false, 0)),
    ] {
        assert_eq!(found(source), wanted, "{source}");
    }
}

#[test]
fn tensors_needed_at_once_are_summed_however_many_there_are() {
    // 5,000 tiles of 4 KiB a partition, each needed for two instructions; then two that exceed the 192 KiB of a trn1 together.
    let tile = "    t = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.sbuf)\n    \
                nisa.dma_copy(dst=t, src=small)\n    nisa.dma_copy(dst=out, src=t)\n";
    let large = |name: &str| {
        format!("    {name} = nl.ndarray((128, 30000), dtype=nl.float32, buffer=nl.sbuf)\n")
    };
    let text = format!(
        "# visa-lint: target(trn1)\nimport nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n@nki.jit\n\
         def many(small, day, night):\n    assert small.shape == (128, 1024)\n    assert day.shape == (128, 30000)\n    \
         assert night.shape == (128, 30000)\n    \
         out = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.shared_hbm)\n{}{}{}    \
         nisa.dma_copy(dst=light, src=day)\n    nisa.dma_copy(dst=dark, src=night)\n    \
         nisa.tensor_tensor(dst=light, data1=light, data2=dark, op=nl.add)\n    return out\n",
        tile.repeat(5_000),
        large("light"),
        large("dark"),
    );
    let report = check_text("kernel.py", &text);
    let found = rules(&report);
    assert!(found.contains(&"nki_needed_at_once"), "{found:?}");
}

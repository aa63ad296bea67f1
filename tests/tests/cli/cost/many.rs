//! Many kernels at once: a line each for people, a table for a change request, details where they are asked for.

use super::*;

/// A short kernel, a long one, and one whose cycles are unknown.
fn three() -> TempDir {
    let short = kernel("dot_product");
    let long = short
        .replace("X = 2048", "X = 4096")
        .replace("1 << 14", "1 << 15")
        .replace("fn dot(", "fn longer(");
    let unknown = short
        .replace(".to_hbm(", ".to_nowhere(")
        .replace("fn dot(", "fn unknown(");
    folder_with(&[
        ("a.rs", short.as_bytes()),
        ("b.rs", long.as_bytes()),
        ("c.rs", unknown.as_bytes()),
    ])
}

/// The line of the first statement that has no method `to_nowhere`.
fn mended() -> usize {
    let text = kernel("dot_product");
    text.lines()
        .position(|line| line.contains(".to_hbm("))
        .unwrap()
        + 1
}

#[test]
fn people_get_a_line_each_the_dearest_first() {
    let folder = three();
    let output = cost(&folder, &["."]);
    assert_code(&output, 0);
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    // 532 and 500 + 64 by the book for each load; see the figures of one kernel.
    let total = |file: &str| number(&cost_json(&folder, &[file])["kernels"][0]["cycles"]["total"]);
    let (short, long) = (total("a.rs"), total("b.rs"));
    let cells = |line: &str| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(cells(lines[0])[..2], ["cycles", "bounds"]);
    let shown = visa_analysis::thousands;
    assert_eq!(cells(lines[1])[..2], [shown(long), "longer".to_owned()]);
    assert_eq!(cells(lines[2])[..2], [shown(short), "dot".to_owned()]);
    assert_eq!(cells(lines[3])[..2], ["unknown", "unknown"]);
    let place = format!("c.rs:{}: ", mended());
    assert!(lines[3].contains(&place), "{}", lines[3]);
    assert!(lines[3].contains("`to_nowhere`"), "{}", lines[3]);
    let sum = format!(
        "3 kernels, {} cycles together; 1 of unknown cycles are not in the sum",
        shown(short + long)
    );
    assert_eq!(lines[5], sum, "{text}");
    assert!(!text.contains("to_trf right"), "{text}");
    // Details with a name, with `--details`, with `--stages`, and of one kernel alone.
    for more in [&["--kernel", "dot"][..], &["--details"], &["--stages"]] {
        let text = stdout(&cost(&folder, &[&["."], more].concat()));
        assert!(text.contains("to_trf right"), "{text}");
    }
    assert!(stdout(&cost(&folder, &["a.rs"])).contains("to_trf right"));
    let quiet = stdout(&cost(&folder, &[".", "--quiet"]));
    assert!(!quiet.contains("--details"), "{quiet}");
}

#[test]
fn a_kernel_says_its_lower_bound_and_what_it_assumes() {
    let folder = folder_of("dot_product");
    let text = stdout(&cost(&folder, &["k.rs"]));
    let cycles = &cost_json(&folder, &["k.rs"])["kernels"][0]["cycles"];
    let (total, least) = (number(&cycles["total"]), number(&cycles["least"]));
    let words = format!(
        "\nLower bound with perfect overlap: {} cycles (-{})\n",
        visa_analysis::thousands(least),
        visa_analysis::thousands(total - least)
    );
    assert!(text.contains(&words), "{text}");
    assert!(
        text.contains("\nAssumes: `left` and `right` are aligned and alone in HBM\n"),
        "{text}"
    );
    // Of one transfer alone the bound is the transfer.
    let one = "use furiosa_visa_std::prelude::*;\naxes![N = 8, S = 256];\n#[device(chip = 1)]\nfn k(ctx: &mut Context, x: &HbmTensor<i32, m![1], \
               m![S, N]>) {\nlet _p: DmTensor<i32, m![1], m![1 # 2], m![S], m![N]> = x.to_dm(&mut ctx.tdma, 0);\n}\n";
    let folder = folder_with(&[("k.rs", one.as_bytes())]);
    let text = stdout(&cost(&folder, &["k.rs"]));
    assert!(text.contains(" cycles (as many as now)\n"), "{text}");
}

/// 65,536 rows of 32 bytes are as many requests, of which 8,192 are walked.
#[test]
fn an_estimate_says_of_how_many_requests_it_is_made() {
    let text = "use furiosa_visa_std::prelude::*;\naxes![N = 257, M = 33, S = 256];\n#[device(chip = 1)]\nfn k(ctx: &mut Context, x: &HbmTensor<i8, \
                m![1], m![S, N, M # 40]>) {\nlet _p: DmTensor<i8, m![1], m![1 # 2], m![S], m![N, M # 40]> = x.to_dm(&mut ctx.tdma, 0);\n}\n";
    let folder = folder_with(&[("k.rs", text.as_bytes())]);
    let text = stdout(&cost(&folder, &["k.rs"]));
    let line = text.lines().find(|line| line.contains("estimated from "));
    let line = line.unwrap_or_else(|| panic!("{text}"));
    let numbers = line.split("estimated from ").nth(1).unwrap();
    let (walked, rest) = numbers.split_once(" of ").unwrap();
    let all = rest.strip_suffix(" requests").unwrap();
    let number = |text: &str| text.replace(',', "").parse::<u64>().unwrap();
    assert!(line.starts_with("Assumes: "), "{line}");
    assert!(number(walked) < number(all), "{line}");
    assert!(walked.contains(',') || number(walked) < 1_000, "{line}");
}

#[test]
fn a_change_request_gets_tables() {
    let folder = three();
    let text = stdout(&cost(&folder, &[".", "--format", "markdown"]));
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 2 + 3, "{text}");
    for row in &rows {
        assert_eq!(row.replace("\\|", "").matches('|').count(), 7, "{row}");
    }
    assert!(rows[2].starts_with("| `longer` | `b.rs:"), "{text}");
    assert!(rows[4].contains("| unknown |"), "{text}");
    assert!(rows[4].contains("`to_nowhere`"), "{text}");
    assert!(!text.contains("<details>"), "{text}");
    let text = stdout(&cost(&folder, &[".", "--format", "markdown", "--details"]));
    assert_eq!(text.matches("<details><summary>").count(), 3, "{text}");
    let none = folder_with(&[("k.rs", b"fn f() {}\n")]);
    let text = stdout(&cost(&none, &["k.rs", "--format", "markdown"]));
    assert_eq!(text, "No kernel: no function has `#[device]`.\n");
}

#[test]
fn names_of_other_scripts_and_strange_paths_stay_in_their_cells() {
    let text = kernel("dot_product").replace("fn dot(", "fn 점곱(");
    let folder = folder_with(&[
        ("a|b`<i>.rs", text.as_bytes()),
        ("c.rs", kernel("dot_product").as_bytes()),
    ]);
    let text = stdout(&cost(&folder, &[".", "--format", "markdown"]));
    let row = text.lines().find(|line| line.contains("점곱")).unwrap();
    assert!(row.contains("``a\\|b`<i>.rs:"), "{row}");
    let human = stdout(&cost(&folder, &["."]));
    let row = human.lines().find(|line| line.contains("점곱")).unwrap();
    assert!(row.contains("a|b`<i>.rs:"), "{row}");
    // Letters of double width take two columns.
    let other = human.lines().find(|line| line.contains("  dot ")).unwrap();
    let (one, two) = (row.find("a|b").unwrap(), other.find("c.rs").unwrap());
    let columns = |line: &str, at: usize| {
        let wide = line[..at]
            .chars()
            .filter(|letter| *letter > '\u{1100}')
            .count();
        line[..at].chars().count() + wide
    };
    assert_eq!(columns(row, one), columns(other, two), "{human}");
}

//! Two states of the same kernels: a file or a revision against what is there now, both ways.

use super::*;

/// The dot product with vectors of twice the length.
fn longer() -> String {
    let text = kernel("dot_product");
    let longer = text
        .replace("X = 2048", "X = 4096")
        .replace("1 << 14", "1 << 15");
    assert_ne!(text, longer);
    longer
}

#[test]
fn a_change_has_the_same_size_both_ways() {
    let (short, long) = (kernel("dot_product"), longer());
    let folder = folder_with(&[("a.rs", short.as_bytes()), ("b.rs", long.as_bytes())]);
    let compare = |new: &str, old: &str| cost_json(&folder, &[new, "--compare", old]);
    let (slower, faster) = (compare("b.rs", "a.rs"), compare("a.rs", "b.rs"));
    assert_eq!(slower["compared_with"], "a.rs");
    let total = |file: &str| {
        let document = cost_json(&folder, &[file]);
        number(&document["kernels"][0]["cycles"]["total"])
    };
    let (few, many) = (total("a.rs"), total("b.rs"));
    assert!(few < many);
    let (slower, faster) = (&slower["kernels"][0], &faster["kernels"][0]);
    assert_eq!(
        (&slower["before"], &slower["after"]),
        (&few.into(), &many.into())
    );
    assert_eq!(
        (&faster["before"], &faster["after"]),
        (&many.into(), &few.into())
    );
    let difference = i64::try_from(many - few).unwrap();
    assert_eq!(slower["difference"], difference);
    assert_eq!(faster["difference"], -difference);
    // Twice the bytes: 1,024 cycles of the sub context's fetch instead of 512, 64 of the DMN instead of 32.
    let rows = list(&slower["operations"]);
    let of = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap();
    assert_eq!(of("to_trf right")["difference"], 512);
    assert_eq!(of("to_dm left")["difference"], 32);
    assert_eq!(of("to_hbm sum")["difference"], 0);
    let back = list(&faster["operations"]).iter();
    let back = back.map(|row| row["difference"].as_i64().unwrap());
    let forth = rows.iter().map(|row| -row["difference"].as_i64().unwrap());
    assert!(back.eq(forth));

    let text = stdout(&cost(&folder, &["b.rs", "--compare", "a.rs"]));
    assert!(
        text.contains("to_trf right") && text.contains("+512"),
        "{text}"
    );
    assert!(!text.contains("to_hbm sum"), "unchanged: {text}");
    let text = stdout(&cost(&folder, &["a.rs", "--compare", "b.rs"]));
    assert!(text.contains("-512"), "{text}");
    let same = stdout(&cost(&folder, &["a.rs", "--compare", "a.rs"]));
    assert!(
        same.contains("no operation takes more or fewer cycles"),
        "{same}"
    );
}

#[test]
fn operations_and_kernels_come_and_go() {
    let text = kernel("dot_product");
    let more = text.replace(
        "    sum.to_hbm(",
        "    sum.view().to_hbm(&mut ctx.tdma, 3 << 28);\n    sum.to_hbm(",
    );
    let renamed = text.replace("fn dot(", "fn point(");
    let folder = folder_with(&[
        ("a.rs", text.as_bytes()),
        ("b.rs", more.as_bytes()),
        ("c.rs", renamed.as_bytes()),
        ("d.rs", b"fn f() {}\n"),
    ]);
    let document = cost_json(&folder, &["b.rs", "--compare", "a.rs"]);
    let rows = list(&document["kernels"][0]["operations"]);
    let new: Vec<_> = rows
        .iter()
        .filter(|row| row["there"] == serde_json::json!([false, true]))
        .map(|row| (word(&row["name"]), row["before"].is_null()))
        .collect();
    assert_eq!(new, [("to_hbm sum", true)]);

    let document = cost_json(&folder, &["c.rs", "--compare", "a.rs"]);
    let kernels: Vec<_> = list(&document["kernels"])
        .iter()
        .map(|kernel| (word(&kernel["name"]), kernel["there"].clone()))
        .collect();
    assert_eq!(
        kernels,
        [
            ("point", serde_json::json!([false, true])),
            ("dot", serde_json::json!([true, false]))
        ]
    );
    let gone = stdout(&cost(&folder, &["d.rs", "--compare", "a.rs"]));
    assert!(gone.contains("only in a.rs"), "{gone}");
    let new = stdout(&cost(&folder, &["a.rs", "--compare", "d.rs"]));
    assert!(new.contains("not in d.rs"), "{new}");
}

#[test]
fn unknown_cycles_have_no_difference() {
    let text = kernel("dot_product");
    let unknown = text.replace(".to_hbm(", ".to_nowhere(");
    let folder = folder_with(&[("a.rs", text.as_bytes()), ("b.rs", unknown.as_bytes())]);
    for (new, old) in [("a.rs", "b.rs"), ("b.rs", "a.rs")] {
        let document = cost_json(&folder, &[new, "--compare", old]);
        assert!(document["kernels"][0]["difference"].is_null());
        let text = stdout(&cost(&folder, &[new, "--compare", old]));
        assert!(text.contains("unknown"), "{text}");
    }
}

fn git(folder: &TempDir, arguments: &[&str]) {
    let settings = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    let output = Command::new("git")
        .args(settings)
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn a_revision_is_compared_with() {
    let folder = folder_with(&[
        ("k/a.rs", kernel("dot_product").as_bytes()),
        ("k/gone.rs", b"fn f() {}\n"),
    ]);
    git(&folder, &["init", "-q"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "one"]);
    std::fs::write(folder.path().join("k/a.rs"), longer()).unwrap();
    std::fs::write(folder.path().join("k/new.rs"), kernel("double_buffer")).unwrap();
    let document = cost_json(&folder, &["k", "--compare", "HEAD"]);
    let kernels = list(&document["kernels"]);
    let of = |name: &str| {
        kernels
            .iter()
            .find(|kernel| kernel["name"] == name)
            .unwrap()
    };
    let rows = list(&of("dot")["operations"]);
    let load = rows.iter().find(|row| row["name"] == "to_trf right");
    assert_eq!(load.unwrap()["difference"], 512);
    assert_eq!(of("two_layers")["there"], serde_json::json!([false, true]));

    let output = cost(&folder, &["k", "--compare", "no-such-revision"]);
    assert_code(&output, 2);
    assert!(
        stderr(&output).contains("`no-such-revision` is neither a file nor a revision"),
        "{}",
        stderr(&output)
    );
    // A revision that looks like an option is a revision that is not there.
    assert_code(&cost(&folder, &["k", "--compare=--help"]), 2);
    for excluded in ["^HEAD", "HEAD^{tree}", "HEAD..HEAD"] {
        let output = cost(&folder, &["k", "--compare", excluded]);
        assert_code(&output, 2);
        assert!(output.stdout.is_empty(), "{excluded}");
    }
    assert_code(&cost(&folder, &["k", "--compare", ""]), 2);
}

/// A repository with a commit whose object of `a.rs` is gone, as in a partial clone or after damage.
fn repository_without_blob() -> TempDir {
    let folder = folder_with(&[("a.rs", kernel("dot_product").as_bytes())]);
    git(&folder, &["init", "-q"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "one"]);
    let hash = Command::new("git")
        .args(["rev-parse", "HEAD:a.rs"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let hash = stdout(&hash);
    let (start, rest) = hash.trim().split_at(2);
    std::fs::remove_file(folder.path().join(format!(".git/objects/{start}/{rest}"))).unwrap();
    folder
}

#[test]
fn an_object_that_git_cannot_give_is_an_error() {
    let folder = repository_without_blob();
    let output = cost(&folder, &["a.rs", "--compare", "HEAD"]);
    assert_code(&output, 2);
    assert!(output.stdout.is_empty());
    assert!(
        stderr(&output).contains("git cannot give `a.rs` of `HEAD`"),
        "{}",
        stderr(&output)
    );
}

#[cfg(unix)]
#[test]
fn no_program_of_the_repository_runs() {
    let folder = repository_without_blob();
    let mark = folder.path().join("ran");
    let run = format!("touch '{}'; false", mark.display());
    for (key, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", "/nowhere"),
        ("remote.origin.uploadpack", &run),
        ("protocol.file.allow", "always"),
        ("protocol.allow", "always"),
        ("core.fsmonitor", &run),
        ("core.pager", &run),
        ("core.sshCommand", &run),
    ] {
        git(&folder, &["config", key, value]);
    }
    let output = cost(&folder, &["a.rs", "--compare", "HEAD"]);
    assert_code(&output, 2);
    assert!(!mark.exists(), "{}", stderr(&output));
    // What is guarded against: the same question without the guard runs the program.
    let unguarded = Command::new("git")
        .args(["cat-file", "blob", "HEAD:a.rs"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(!unguarded.status.success());
    assert!(mark.exists(), "{}", stderr(&unguarded));
}

#[cfg(unix)]
#[test]
fn a_link_in_a_revision_is_refused() {
    let folder = folder_with(&[("real.rs", kernel("dot_product").as_bytes())]);
    std::os::unix::fs::symlink("real.rs", folder.path().join("a.rs")).unwrap();
    git(&folder, &["init", "-q"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "one"]);
    let output = cost(&folder, &["a.rs", "--compare", "HEAD"]);
    assert_code(&output, 2);
    assert!(stderr(&output).contains("`a.rs` is a link in `HEAD`"));
}

#[test]
fn what_cannot_be_compared_is_refused_with_words() {
    let text = kernel("dot_product");
    let folder = folder_with(&[
        ("a.rs", text.as_bytes()),
        ("b.rs", text.as_bytes()),
        ("latin.rs", b"// \xe9\n"),
        ("garbage.txt", b"root:x:0:0:root\ndaemon:x:1:1\n"),
        ("folder/c.rs", text.as_bytes()),
        ("cut.json", b"{\"version\": 1, "),
        ("next.json", b"{\"version\": 2, \"kernels\": []}"),
    ]);
    for (arguments, words) in [
        (&["a.rs", "b.rs", "--compare", "a.rs"][..], "names one file"),
        (&["a.rs", "--compare", "latin.rs"], "cannot read `latin.rs`"),
        (
            &["a.rs", "--compare", "garbage.txt"],
            "`garbage.txt` has no kernel to compare with, and names no library",
        ),
        (
            &["a.rs", "--compare", "b.rs", "--format", "svg"],
            "`--compare` writes `human`, `markdown` or `json`",
        ),
        (&["a.rs", "--compare", "HEAD"], "`HEAD` is neither a file"),
        (
            &["a.rs", "--compare", "folder"],
            "`--compare folder` names a folder",
        ),
        (
            &["a.rs", "--compare", "gone.json"],
            "`gone.json` is neither a file",
        ),
        (
            &["a.rs", "--compare", "cut.json"],
            "`cut.json` is not what `visa-lint cost --format json` prints",
        ),
        (
            &["a.rs", "--compare", "next.json"],
            "of version 2 of the format",
        ),
    ] {
        let output = cost(&folder, arguments);
        assert_code(&output, 2);
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn what_an_old_state_hides_is_said() {
    let text = kernel("dot_product");
    let half = format!("{text}\nfn (\n");
    let renamed = text.replace("fn dot(", "fn point(");
    let folder = folder_with(&[
        ("a.rs", text.as_bytes()),
        ("half.rs", half.as_bytes()),
        ("renamed.rs", renamed.as_bytes()),
    ]);
    let output = cost(
        &folder,
        &["a.rs", "--compare", "half.rs", "--fail-on", "+5%"],
    );
    assert_code(&output, 0);
    assert!(
        stderr(&output)
            .contains("of syntax: kernels that they hide are missing from the comparison"),
        "{}",
        stderr(&output)
    );
    assert!(stdout(&output).contains("within --fail-on +5%: 1 kernel"));
    // A kernel of another name is not judged, and what it was is said.
    let output = cost(
        &folder,
        &["renamed.rs", "--compare", "a.rs", "--fail-on", "+5%"],
    );
    assert_code(&output, 0);
    let said = stdout(&output);
    assert!(
        said.contains("nothing is judged by --fail-on +5%"),
        "{said}"
    );
    assert!(
        said.contains("`point` (renamed.rs): it is new; `dot`, which is gone, has the same operations and took "),
        "{said}"
    );
}

//! The pages of the site: the made ones build, the written ones and the made ones link to pages and places that exist, and the list has each
//! page once.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use visa_tests::docs::{made_files, rule_pages, write_made_files};
use visa_tests::{read, repository, shown, site};

use crate::printed;

/// Pages outside of `docs` whose links are followed. They are read without the made pages.
const PAGES_OUTSIDE: [&str; 5] = [
    "README.md",
    "CONTRIBUTING.md",
    "server/README.md",
    "release/README.md",
    "editors/zed/README.md",
];

/// The made files by their paths in the repository.
fn made_by_path() -> BTreeMap<PathBuf, String> {
    let docs = repository().join("docs");
    let made = made_files().into_iter();
    made.map(|(path, text)| (docs.join(path), text)).collect()
}

/// The Markdown files below a folder.
fn pages_below(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages.extend(pages_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    pages
}

/// The pages of `docs` that are written by hand. What `cargo xtask docs` left in the folder is not among them.
fn written_pages(made: &BTreeMap<PathBuf, String>) -> Vec<PathBuf> {
    let docs = repository().join("docs");
    let mut pages = pages_below(&docs);
    let folders = [docs.join("rules"), docs.join("machine")];
    pages.retain(|page| {
        let is_below = folders.iter().any(|folder| page.starts_with(folder));
        !is_below && !made.contains_key(page)
    });
    pages
}

/// A path without `..` and `.`, which need not exist.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

/// The targets of a page's links outside of code.
fn links(page: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut in_code = false;
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        // Every second part is between backticks; a link around code keeps its brackets outside of them.
        let prose = line.split('`').step_by(2).collect::<Vec<_>>().join("");
        if !in_code {
            let parts = prose.split("](").skip(1);
            links.extend(parts.filter_map(|part| Some(part.split_once(')')?.0.to_owned())));
        }
    }
    links
}

/// The places of a page that links can name: its titles in small letters, spaces as hyphens, other signs dropped.
fn places(page: &str) -> Vec<String> {
    let mut in_code = false;
    let titles = page.lines().filter(|line| {
        if line.starts_with("```") {
            in_code = !in_code;
        }
        !in_code && line.starts_with('#')
    });
    let place = |title: &str| {
        let title = title.trim_start_matches('#').trim().to_lowercase();
        let letters = title.chars().filter_map(|letter| match letter {
            ' ' => Some('-'),
            '-' | '_' => Some(letter),
            _ => letter.is_alphanumeric().then_some(letter),
        });
        letters.collect()
    };
    titles.map(place).collect()
}

#[test]
fn links_and_places_of_a_page_are_read() {
    assert_eq!(
        links("[a](b.md) `[c](d.md)` [`e`](f.md#g)"),
        ["b.md", "f.md#g"]
    );
    assert_eq!(
        places("# A `b`\n```\n# c\n```\n## `--d e` (f)\n"),
        ["a-b", "--d-e-f"]
    );
}

#[test]
fn links_of_pages_lead_to_pages_and_places() {
    let made = made_by_path();
    let text = |page: &Path| made.get(page).cloned().unwrap_or_else(|| read(page));
    let mut pages = written_pages(&made);
    pages.extend(PAGES_OUTSIDE.map(|page| repository().join(page)));
    let is_markdown = |page: &&PathBuf| page.extension().is_some_and(|end| end == "md");
    pages.extend(made.keys().filter(is_markdown).cloned());
    let mut broken = Vec::new();
    let mut count = 0;
    for page in &pages {
        let is_outside = !page.starts_with(repository().join("docs"));
        for link in links(&text(page)) {
            if link.contains("://") {
                continue;
            }
            count += 1;
            let (file, place) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => page.clone(),
                file => normal(&page.parent().unwrap().join(file)),
            };
            let is_made = made.contains_key(&target);
            // A file that an earlier `cargo xtask docs` left is no target.
            let exists = if is_made {
                !is_outside
            } else {
                let below = |folder| target.starts_with(repository().join("docs").join(folder));
                target.exists() && !["rules", "machine"].into_iter().any(below)
            };
            let has_place = || places(&text(&target)).iter().any(|known| known == place);
            if !exists || !(place.is_empty() || has_place()) {
                broken.push(format!("{}: {link}", shown(page)));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(count > 500, "{count}");
}

#[test]
fn every_page_is_in_the_list_of_the_site_once() {
    let docs = repository().join("docs");
    let made = made_by_path();
    let mut pages = written_pages(&made);
    pages.extend(made.keys().cloned());
    let pages: Vec<String> = pages
        .iter()
        .map(|page| page.strip_prefix(&docs).unwrap().to_str().unwrap())
        .map(|page| page.replace('\\', "/"))
        .filter(|page| page.ends_with(".md") && page != "SUMMARY.md")
        .collect();
    let listed = links(&site::summary());
    let missing: Vec<&String> = pages.iter().filter(|page| !listed.contains(page)).collect();
    let stale: Vec<&String> = listed.iter().filter(|page| !pages.contains(page)).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "{missing:?} {stale:?}"
    );
    assert_eq!(listed.len(), pages.len());
}

#[test]
fn the_made_files_are_written_and_git_ignores_them() {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("rules");
    std::fs::create_dir_all(&rules).unwrap();
    std::fs::write(rules.join("a_rule_of_old.md"), "").unwrap();
    let made = made_files();
    assert_eq!(write_made_files(folder.path()).unwrap(), made.len());
    assert!(!rules.join("a_rule_of_old.md").exists());
    let ignored = read(&repository().join(".gitignore"));
    for (path, text) in &made {
        assert_eq!(read(&folder.path().join(path)), *text, "{path}");
        let entry = match path.split_once('/') {
            Some((folder, _)) => format!("/docs/{folder}/"),
            None => format!("/docs/{path}"),
        };
        assert!(ignored.lines().any(|line| line == entry), "{entry}");
    }
    for rule in visa_analysis::all_rules() {
        assert!(rules.join(format!("{}.md", rule.name)).is_file());
    }
}

#[test]
fn a_page_of_the_site_is_what_the_program_prints() {
    let pages = rule_pages();
    for (name, arguments) in [
        ("README.md", ["rules", "--format", "markdown"].as_slice()),
        (
            "alu_reuse.md",
            &["explain", "alu_reuse", "--format", "markdown"],
        ),
        (
            "group-silent.md",
            &["explain", "silent", "--format", "markdown"],
        ),
    ] {
        assert!(pages[name] == printed(arguments), "{name}");
    }
}

#[test]
fn every_page_shows_what_the_wrong_kernel_gets() {
    let pages = rule_pages();
    for rule in visa_analysis::all_rules() {
        let page = &pages[&format!("{}.md", rule.name)];
        // The budgets are in the settings, which a page has none of.
        let by_settings = rule.name == "budget_exceeded" && page.contains("visa-lint.toml");
        assert!(
            page.contains("\n- Line ") || by_settings,
            "{}: no finding on its page",
            rule.name
        );
        assert!(!page.contains("//~"), "{}: a marker on its page", rule.name);
        assert!(
            !page.contains("what the kernel is meant to compute"),
            "{}: its page has no reason of its own for the missing fix (`server/documents/src/pages/no_fix.rs`)",
            rule.name
        );
    }
}

#[test]
fn the_pages_of_texts_and_rules_name_every_rule_and_text() {
    let (texts, models) = (site::known_texts(), visa_tests::llms::full());
    for rule in visa_analysis::all_rules() {
        let row = format!("\n- `{}`: ", rule.name);
        assert!(models.contains(&row), "{row}");
        for said in rule.texts() {
            let words = said.words.replace('|', "\\|");
            let link = format!("({}.md)", rule.name);
            let mut rows = texts.lines();
            assert!(
                rows.any(|row| row.contains(&words) && row.contains(&link)),
                "{words}"
            );
        }
    }
}

#[test]
fn the_pictures_of_editors_are_up_to_date() {
    for (name, picture) in site::editors() {
        let file = repository().join("docs").join(&name);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&file, &picture).unwrap();
        }
        assert!(
            read(&file) == picture,
            "docs/{name} is out of date; run this test with UPDATE_EXPECT=1"
        );
    }
}

#[test]
fn the_index_for_language_models_leads_to_pages() {
    let index = visa_tests::llms::index();
    let made = made_by_path();
    let links = links(&index);
    assert!(links.len() > 5, "{index}");
    for page in links {
        let file = repository().join("docs").join(&page);
        assert!(made.contains_key(&file) || file.is_file(), "{page}");
    }
}

//! Hovers of kernels of the current library: since which release a method is there, and how long a tensor is needed.

use crate::EditorQuestions as _;
use crate::items::Dialect;
use crate::libraries::{Library, Release};
use crate::release_tests;
use crate::workspace::Workspace;

/// The page at `$0` in a file for a release.
fn page(minor: u16, text: &str) -> String {
    let at = text.find("$0").expect("a caret");
    let text = text.replacen("$0", "", 1);
    let mut workspace = Workspace::new();
    workspace.set_dialect(Dialect {
        library: Library::OptStd,
        release: Release::new(0, minor),
    });
    workspace.set_file("kernel.rs", &text);
    let at = u32::try_from(at).expect("a small text");
    let hover = workspace
        .analysis()
        .hover("kernel.rs", at)
        .expect("an answer");
    hover.map_or_else(|| "nothing".to_owned(), |hover| hover.markdown)
}

/// The shared kernel of a release with the caret in a place of it.
fn kernel(minor: u16, place: &str) -> String {
    let text = release_tests::kernel(minor);
    let (before, behind) = place.split_once("$0").expect("a caret");
    let whole = format!("{before}{behind}");
    assert!(text.contains(&whole), "{whole} in {text}");
    text.replacen(&whole, place, 1)
}

#[test]
fn a_method_says_since_which_release_it_is_there_and_its_name_before() {
    for minor in [6, 8, 10] {
        let trim = page(minor, &kernel(minor, ".commit_$0trim"));
        assert!(
            trim.contains("`furiosa_opt_std`: 0.3 and later"),
            "0.{minor}: {trim}"
        );
        let fetch = page(minor, &kernel(minor, ".fet$0ch"));
        assert!(
            fetch.contains("`furiosa_opt_std`: all releases")
                && fetch.contains("Up to 0.2: `fetch::<D2, Time2, Packet2>()`"),
            "0.{minor}: {fetch}"
        );
        // An address until 0.3.
        let commit = page(minor, &kernel(minor, ".$0commit()"));
        assert!(
            commit.contains("0.3: `commit::<Element>(address)`"),
            "0.{minor}: {commit}"
        );
        let tag = page(minor, &kernel(minor, ".vector_intra_slice$0_tag"));
        assert!(
            tag.contains("`furiosa_visa_std`: `vector_intra_slice_branch`"),
            "0.{minor}: {tag}"
        );
        let load = page(minor, &kernel(minor, "x.to$0_dm"));
        assert!(
            load.contains("Up to 0.3: `to_dm::<Cluster, Slice, Element2>(dma, address)`"),
            "0.{minor}: {load}"
        );
    }
}

#[test]
fn no_page_names_an_address_where_the_compiler_chooses_it() {
    for minor in [6, 8, 10] {
        let text = release_tests::kernel(minor);
        let mut workspace = Workspace::new();
        workspace.set_dialect(Dialect {
            library: Library::OptStd,
            release: Release::new(0, minor),
        });
        workspace.set_file("kernel.rs", &text);
        let analysis = workspace.analysis();
        let words = text.match_indices(|letter: char| !letter.is_alphanumeric());
        let mut pages = 0;
        for (at, _) in words {
            let at = u32::try_from(at + 1).expect("a small text");
            let Some(hover) = analysis.hover("kernel.rs", at).expect("an answer") else {
                continue;
            };
            pages += 1;
            let page = hover.markdown;
            assert!(!page.contains("unknown address"), "0.{minor}: {page}");
        }
        assert!(pages > 30, "{pages}");
    }
}

#[test]
fn a_method_of_no_operation_has_a_page_of_its_own() {
    let view = page(8, &kernel(8, "one.vi$0ew()"));
    assert!(view.contains("**`view()`**"), "{view}");
    assert!(view.contains("`furiosa_opt_std`: all releases"), "{view}");
    let text = "use furiosa_opt_std::prelude::*;
axes![N = 2048, K = 64, W = 256];
fn cut(x: &DmTensor<bf16, m![1], m![1 # 2], m![W], m![N, K]>) { x.view().PLACE }
";
    for (minor, call, since) in [
        (8, "pa$0d::<m![N, K]>()", "0.6 and later"),
        (
            8,
            "slice_$0tile::<m![W], 64, m![W = 64 # 256]>(0)",
            "all releases",
        ),
        (8, "cluster_s$0wap()", "0.8 and later"),
        (5, "cluster_t$0ile::<m![1], 1, m![1]>(0)", "all releases"),
    ] {
        let found = page(minor, &text.replace("PLACE", call));
        assert!(
            found.contains(&format!("`furiosa_opt_std`: {since}")),
            "{call}: {found}"
        );
    }
    let swap = page(8, &text.replace("PLACE", "cluster_s$0wap()"));
    assert!(
        swap.contains("Before: `dm_cluster_shuffle` (up to 0.6), `dm_cluster_swap` (0.7)"),
        "{swap}"
    );
    // Nothing is said of what is no method of the library.
    assert_eq!(page(8, &text.replace("PLACE", "unw$0rap()")), "nothing");
}

#[test]
fn a_tensor_says_its_life_and_what_is_there_meanwhile() {
    for minor in [6, 8, 10] {
        // Each block is 4 * 16 elements of 4 bytes in a slice.
        let one = page(minor, &kernel(minor, "let o$0ne"));
        assert!(
            one.starts_with("**`one`** in DM: 256 bytes a slice"),
            "0.{minor}: {one}"
        );
        assert!(one.contains("In `twice`, needed "), "0.{minor}: {one}");
        assert!(!one.contains("0x"), "0.{minor}: {one}");
        // The store waits for `two` and `four` alone, which go first. While `one` is needed, two of the others are: 3 * 256 bytes of
        // 512 KiB.
        assert!(
            one.contains("At the fullest moment of its life 768 bytes of 524,288 are needed."),
            "0.{minor}: {one}"
        );
        let two = page(minor, &kernel(minor, "let t$0wo"));
        for other in ["one", "four"] {
            assert!(two.contains(&format!("| `{other}` |")), "0.{minor}: {two}");
        }
        assert!(!two.contains("| `three` |"), "0.{minor}: {two}");
        let commit = page(minor, &kernel(minor, ".$0commit()"));
        assert!(
            commit.contains("Stores `three` in DM: 256 bytes a slice, needed "),
            "0.{minor}: {commit}"
        );
    }
    // Where addresses are written, the address has the page.
    let early = "use furiosa_opt_std::prelude::*;
axes![S = 256, T = 4];
type Block = DmTensor<i32, m![1], m![1 # 2], m![S], m![T]>;
#[device(chip = 1)]
fn once(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![S, T]>) { let o$0ne: Block = x.to_dm(&mut ctx.tdma, 0); }
";
    assert_eq!(page(3, early), "nothing");
}

#[test]
fn no_text_is_too_strange() {
    let text = kernel(8, "let o$0ne").replace("$0", "");
    for other in [
        text.replace("one", "eins_ä"),
        text.replace("m![", "m![ä, "),
        text.replace('(', ""),
        text.replace("::<", "::<_, "),
        text.replace('}', ""),
    ] {
        for at in (0..other.len())
            .filter(|at| other.is_char_boundary(*at))
            .step_by(37)
        {
            page(8, &format!("{}$0{}", &other[..at], &other[at..]));
        }
    }
}

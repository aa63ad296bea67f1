//! What editors show beside the text of a kernel of the current library, in three releases: hints, lenses, stage tables, timeline,
//! memory map, outline. The numbers are those of one small kernel, worked out by hand.

use crate::EditorQuestions as _;
use crate::items::Dialect;
use crate::libraries::{Library, Release};
use crate::workspace::Workspace;
use crate::{Analysis, ByteRange, HintKind, HintLevel, SymbolKind};

/// Releases with another first parameter, other transfers and other contexts.
const RELEASES: [u16; 3] = [6, 8, 10];

/// Two loads of 256 bytes a slice and two passes of 8 flits each: 4 * 16 elements of 4 bytes.
pub(super) fn kernel(minor: u16) -> String {
    let (first, name) = if minor < 8 {
        ("ctx: &mut Context", "ctx")
    } else {
        ("device: &mut Device", "device")
    };
    format!(
        "use furiosa_opt_std::prelude::*;
axes![S = 256, T = 4, P = 16];
type Block = DmTensor<i32, m![1], m![1 # 2], m![S], m![T, P]>;
#[device(chip = 1)]
fn twice({first}, x: &HbmTensor<i32, m![1], m![S, T, P]>, y: &HbmTensor<i32, m![1], m![S, T, P]>) -> HbmTensor<i32, m![1], m![S, T, P]> {{
    let one: Block = x.to_dm(&mut {name}.tdma);
    let two: Block = y.to_dm(&mut {name}.tdma);
    let three: Block = {name}
        .main
        .begin(one.view())
        .fetch::<m![T, P / 8], m![P % 8]>()
        .collect::<m![T, P / 8], m![P % 8]>()
        .commit_trim::<m![P % 8]>()
        .commit();
    let four: Block = {name}
        .main
        .begin(two.view())
        .fetch::<m![T, P / 8], m![P % 8]>()
        .collect::<m![T, P / 8], m![P % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_final()
        .commit_trim::<m![P % 8]>()
        .commit();
    four.to_hbm(&mut {name}.tdma)
}}
"
    )
}

fn analysis(minor: u16) -> (String, Analysis) {
    let text = kernel(minor);
    let mut workspace = Workspace::new();
    workspace.set_dialect(Dialect {
        library: Library::OptStd,
        release: Release::new(0, minor),
    });
    workspace.set_file("kernel.rs", &text);
    (text, workspace.analysis())
}

fn place(text: &str, word: &str) -> u32 {
    u32::try_from(text.find(word).expect("a word")).expect("a small text")
}

#[test]
fn hints_and_lenses_have_the_numbers_of_the_kernel() {
    for minor in RELEASES {
        let (text, analysis) = analysis(minor);
        let all = ByteRange {
            start: 0,
            end: u32::MAX,
        };
        let hints = analysis
            .inlay_hints("kernel.rs", all, HintLevel::Line)
            .expect("an answer");
        let sizes: Vec<&str> = hints
            .iter()
            .filter(|hint| hint.kind == HintKind::Size)
            .map(|hint| hint.label.as_str())
            .collect();
        assert!(sizes.contains(&"= 256 B"), "0.{minor}: {sizes:?}");
        assert!(hints.len() > 10, "0.{minor}: {hints:?}");
        let lenses = analysis.lenses("kernel.rs").expect("an answer");
        let [lens] = lenses.as_slice() else {
            panic!("0.{minor}: {lenses:?}")
        };
        assert_eq!(lens.kernel, "twice");
        // Nothing runs in the sub context, and two passes of at least 8 flits do in the main one.
        assert!(lens.title.contains(" · sub 0 · "), "{}", lens.title);
        let costs = analysis.costs("kernel.rs").expect("costs");
        assert_eq!(lens.cycles, costs.first().and_then(|cost| cost.total));
        assert!(lens.cycles.is_some_and(|cycles| cycles > 1_000), "{lens:?}");
        assert!(text.contains("twice"));
    }
}

#[test]
fn the_stage_table_has_a_row_for_each_method() {
    for minor in RELEASES {
        let (text, analysis) = analysis(minor);
        let table = analysis
            .stage_table("kernel.rs", place(&text, "three"))
            .expect("an answer")
            .expect("a table");
        let [pass] = table.operations.as_slice() else {
            panic!("0.{minor}: {table:?}")
        };
        let methods: Vec<&str> = pass.stages.iter().map(|row| row.method.as_str()).collect();
        assert_eq!(
            methods,
            ["begin", "fetch", "collect", "commit_trim", "commit"],
            "0.{minor}"
        );
        // 4 * 2 packets of 8 elements of 4 bytes.
        let fetch = pass.stages.get(1).expect("a row");
        assert_eq!(
            (fetch.iterations, fetch.packet_bytes, fetch.flits),
            (Some(8), Some(32), Some(1))
        );
    }
}

#[test]
fn the_memory_map_has_lives_and_assumed_places() {
    for minor in RELEASES {
        let (text, analysis) = analysis(minor);
        let map = analysis
            .memory_map("kernel.rs", place(&text, "three"))
            .expect("an answer")
            .expect("a map");
        let in_dm: Vec<&crate::MemoryRow> =
            map.memory.iter().filter(|row| row.tier == "dm").collect();
        assert_eq!(in_dm.len(), 4, "0.{minor}: {in_dm:?}");
        for row in &in_dm {
            assert_eq!(
                (row.bytes, row.address),
                (Some(256), None),
                "0.{minor}: {row:?}"
            );
            assert!(
                row.assumed_address.is_some() && row.from < row.to,
                "{row:?}"
            );
        }
        // While the first pass runs, both loads and its own result are needed.
        let peak = map.peak.expect("a peak");
        assert_eq!(peak.dm_bytes, 768, "0.{minor}: {in_dm:?}");
        assert_eq!((peak.trf_bytes, peak.vrf_bytes), (0, 0));
    }
}

#[test]
fn the_timeline_has_each_operation_in_its_context() {
    for minor in RELEASES {
        let (_, analysis) = analysis(minor);
        let costs = analysis.costs("kernel.rs").expect("costs");
        let cost = costs.first().expect("a kernel");
        let lanes: Vec<&str> = cost.operations.iter().map(|row| row.lane.name()).collect();
        assert_eq!(lanes, ["dma", "dma", "main", "main", "dma"], "0.{minor}");
        // Each pass begins behind the load that it reads.
        let at = |index: usize| {
            let row = cost.operations.get(index).expect("an operation");
            (row.start.expect("a start"), row.end.expect("an end"))
        };
        assert!(at(2).0 >= at(0).1 && at(3).0 >= at(1).1, "0.{minor}");
        assert!(at(4).0 >= at(3).1, "0.{minor}");
    }
}

#[test]
fn the_outline_has_axes_aliases_and_operations() {
    for minor in RELEASES {
        let (_, analysis) = analysis(minor);
        let symbols = analysis.document_symbols("kernel.rs").expect("an answer");
        let of = |name: &str| {
            let mut symbols = symbols.iter();
            symbols.find(|symbol| symbol.name == name).cloned()
        };
        assert_eq!(
            of("S").and_then(|axis| axis.detail).as_deref(),
            Some("256"),
            "0.{minor}"
        );
        let kernel = of("twice").expect("the kernel");
        assert_eq!(kernel.kind, SymbolKind::Kernel);
        // Two loads, two passes, one store.
        assert_eq!(kernel.children.len(), 5, "0.{minor}: {kernel:?}");
    }
}

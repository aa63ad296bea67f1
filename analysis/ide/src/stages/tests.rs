use super::super::testing::{KERNEL, at_caret, everywhere, workspace};
use crate::EditorQuestions as _;
use crate::{FreeRow, KernelCost, MemoryMapAnswer, Workspace};

/// The kernel and the methods of its operations that a table is about.
#[track_caller]
fn check(text: &str, expected: Option<(&str, &[&str])>) {
    let (text, analysis, offset) = at_caret(text);
    let answer = analysis
        .stage_table("kernel.rs", offset)
        .expect("an answer");
    let shown = answer.map(|table| {
        let methods: Vec<String> = table
            .operations
            .iter()
            .map(|row| text[row.range.start.byte as usize..row.range.end.byte as usize].to_owned())
            .collect();
        (table.kernel, methods)
    });
    let expected = expected.map(|(kernel, methods)| {
        let methods = methods.iter().map(ToString::to_string).collect::<Vec<_>>();
        (kernel.to_owned(), methods)
    });
    assert_eq!(shown, expected);
}

fn caret_before(place: &str) -> String {
    assert!(KERNEL.contains(place), "{place}");
    KERNEL.replacen(place, &format!("$0{place}"), 1)
}

#[test]
fn the_operation_of_the_chain_at_the_cursor() {
    check(&caret_before("to_dm"), Some(("raise", &["to_dm"])));
    check(
        &caret_before("&mut ctx.tdma, 0)"),
        Some(("raise", &["to_dm"])),
    );
    check(&caret_before("P % 8]>()"), Some(("raise", &["begin"])));
    check(&caret_before("to_vrf"), Some(("raise", &["begin"])));
    check(&caret_before("to_hbm"), Some(("raise", &["to_hbm"])));
}

#[test]
fn a_statement_stands_for_its_operations() {
    check(&caret_before("block: Block"), Some(("raise", &["to_dm"])));
    check(&caret_before("sum: Block"), Some(("raise", &["begin"])));
}

#[test]
fn elsewhere_in_a_kernel_all_of_it() {
    let all: &[&str] = &["to_dm", "begin", "begin", "to_hbm"];
    check(&caret_before("raise"), Some(("raise", all)));
    check(&caret_before("device"), Some(("raise", all)));
    check(&caret_before("axes!"), None);
    check(&caret_before("type Half"), None);
}

#[test]
fn the_inner_of_two_operations() {
    let text = "use furiosa_visa_std::prelude::*;
axes![S = 256, T = 4, P = 16];
type Block = DmTensor<i32, m![1], m![1 # 2], m![S], m![T, P]>;
fn f(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![S, T, P]>) -> Block {
    ctx.main.begin(x.to_dm::<m![1 # 2], m![S], m![T, P]>(&mut ctx.tdma, AT).view()).fetch::<i32, m![T], m![P]>().collect::<m![T, P / 8], m![P % 8]>().commit(0x1000)
}
";
    check(&text.replace("AT", "0$0"), Some(("f", &["to_dm"])));
    let outer = text.replace("AT", "0").replace(".fetch", ".$0fetch");
    check(&outer, Some(("f", &["begin"])));
}

#[test]
fn a_helper_is_seen_through_its_kernel() {
    let text = "use furiosa_visa_std::prelude::*;
axes![S = 256, T = 4, P = 16];
type Block = DmTensor<i32, m![1], m![1 # 2], m![S], m![T, P]>;
fn load(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![S, T, P]>) -> Block {
    x.to_dm(&mut ctx.tdma, 0)$0
}
fn unused(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![S, T, P]>) -> Block {
    x.to_dm(&mut ctx.tdma, 0)
}
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![S, T, P]>) -> HbmTensor<i32, m![1], m![S, T, P]> {
    load(ctx, x).to_hbm(&mut ctx.tdma, 1 << 28)
}
";
    check(text, Some(("kernel", &["to_dm"])));
    let (_, analysis, offset) = at_caret(text);
    let cost = analysis
        .kernel_cost_at("kernel.rs", offset)
        .expect("an answer");
    assert_eq!(cost.map(|cost| cost.name).as_deref(), Some("kernel"));

    let unused = text.replace("$0", "").replace("fn unused", "fn $0unused");
    check(&unused, Some(("unused", &["to_dm"])));
    let (_, analysis, offset) = at_caret(&unused);
    let cost = analysis
        .kernel_cost_at("kernel.rs", offset)
        .expect("an answer");
    assert_eq!(
        cost, None,
        "a function that no kernel reaches has no schedule"
    );
}

#[test]
fn the_stages_of_a_table() {
    let (_, analysis, offset) = at_caret(&caret_before("to_vrf"));
    let table = analysis
        .stage_table("kernel.rs", offset)
        .expect("an answer");
    let rows: Vec<(String, Option<u64>, Option<u64>)> = table
        .iter()
        .flat_map(|table| &table.operations)
        .flat_map(|operation| &operation.stages)
        .map(|row| (row.method.clone(), row.iterations, row.packet_bytes))
        .collect();
    let row = |method: &str, iterations, bytes| (method.to_owned(), iterations, bytes);
    assert_eq!(
        rows,
        [
            row("begin", Some(1), Some(256)),
            row("fetch", Some(4), Some(64)),
            row("collect", Some(8), Some(32)),
            row("to_vrf", None, Some(256)),
        ]
    );
}

#[test]
fn the_cost_is_that_of_the_command() {
    let (text, analysis, offset) = at_caret(&caret_before("vector_init"));
    let cost = analysis
        .kernel_cost_at("kernel.rs", offset)
        .expect("an answer");
    let all: Vec<KernelCost> = analysis.costs("kernel.rs").expect("costs");
    assert_eq!(cost.as_ref(), all.first());
    assert!(text.contains("raise"));
}

fn memory_map(text: &str) -> Option<MemoryMapAnswer> {
    let (_, analysis, offset) = at_caret(text);
    analysis.memory_map("kernel.rs", offset).expect("an answer")
}

#[test]
fn the_memory_of_a_kernel() {
    let map = memory_map(&caret_before("block: Block")).expect("a kernel");
    assert_eq!(map.kernel, "raise");
    // Data memory of a slice, its tensor registers (8 KiB in each of 8 rows) and its vector registers.
    assert_eq!(
        map.capacity,
        [("dm", 512 << 10), ("trf", 64 << 10), ("vrf", 8 << 10)]
    );
    let rows: Vec<_> = map
        .memory
        .iter()
        .filter(|row| row.tier != "hbm")
        .map(|row| (row.tensor.as_str(), row.tier, row.address, row.bytes))
        .collect();
    assert_eq!(
        rows,
        [
            ("block", "dm", Some(0), Some(256)),
            ("operand", "vrf", Some(0), Some(256)),
            ("sum", "dm", Some(0x1000), Some(256)),
        ]
    );
    let free = |tier, address, bytes| FreeRow {
        tier,
        address,
        bytes,
    };
    assert_eq!(
        map.free,
        [
            free("dm", 256, 0x1000 - 256),
            free("dm", 0x1100, (512 << 10) - 0x1100),
            free("trf", 0, 64 << 10),
            free("vrf", 256, (8 << 10) - 256),
        ]
    );
    // The sum is written when the block is read for the last time.
    assert_eq!(
        map.peak.map(|peak| (peak.dm_bytes, peak.vrf_bytes)),
        Some((512, 256))
    );
}

#[test]
fn what_is_not_understood_leaves_nothing_free() {
    let text = caret_before("raise").replace(
        "let sum: Block = ctx",
        "let other: Block = helper(ctx);\n    let sum: Block = ctx",
    );
    let text = text.replace(".vector_final()", ".vector_fnial()");
    let map = memory_map(&text).expect("a kernel");
    assert_eq!((map.total, map.free), (None, Vec::new()));
}

#[test]
fn one_kernel_costs_no_other() {
    let two = format!(
        "{KERNEL}\n{}",
        &KERNEL[KERNEL.find("#[device").expect("a kernel")..].replace("raise", "lift")
    );
    let mut workspace = Workspace::with_event_log();
    workspace.set_file("kernel.rs", &two);
    let at = u32::try_from(two.find("lift").expect("the second")).expect("small");
    let analysis = workspace.analysis();
    assert!(matches!(analysis.memory_map("kernel.rs", at), Ok(Some(_))));
    assert!(matches!(
        analysis.kernel_cost_at("kernel.rs", at),
        Ok(Some(_))
    ));
    assert!(matches!(analysis.stage_table("kernel.rs", at), Ok(Some(_))));
    let events = workspace.take_events();
    let simulated = events
        .iter()
        .filter(|event| event.starts_with("function_simulation"));
    assert_eq!(simulated.count(), 1, "{events:?}");
}

#[test]
fn no_text_and_no_place_is_too_strange() {
    let mut found = 0;
    everywhere(KERNEL, |analysis, offset| {
        let table = analysis
            .stage_table("kernel.rs", offset)
            .expect("an answer");
        found += usize::from(table.is_some());
        analysis
            .kernel_cost_at("kernel.rs", offset)
            .expect("an answer");
        analysis.memory_map("kernel.rs", offset).expect("an answer");
    });
    assert!(found > 500, "{found}");
    assert!(
        workspace("")
            .analysis()
            .stage_table("nowhere.rs", 0)
            .is_err()
    );
}

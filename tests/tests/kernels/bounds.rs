//! What bounds kernels that have no single figure: loops that are not unrolled to their end, and bytes of HBM that no pattern of
//! requests says.

use visa_analysis::{KernelCost, Model};
use visa_tests::advice::workspace;
use visa_tests::{read, repository};

fn costs(text: &str) -> Vec<KernelCost> {
    let workspace = workspace(text, Model::Schedule);
    workspace.analysis().costs("kernel.rs").unwrap()
}

/// A kernel whose loop over `runs` has a body.
fn looping(runs: &str, body: &str) -> String {
    format!(
        "// dialect: opt-std@0.8
use furiosa_opt_std::prelude::*;
axes![S = 256, A = 64, B = 64];
type Chip = m![1];
type Cluster = m![1 # 2];
type Block = DmTensor<bf16, Chip, Cluster, m![S], m![A, B]>;
fn moved(device: &mut Device, x: &Block) -> Block {{
    device.main.begin(x.view()).fetch::<m![A, B / 16], m![B % 16]>().collect::<m![A, B / 16], m![B % 16]>().commit_trim::<m![B % 16]>().commit()
}}
#[device(chip = 1)]
fn repeated(device: &mut Device, n: usize, x: &HbmTensor<bf16, Chip, m![S, A, B]>, out: &mut HbmTensor<bf16, Chip, m![S, A, B]>) {{
    let first: Block = x.to_dm(&mut device.tdma);
    for _ in {runs} {{
        {body}
    }}
}}
"
    )
}

const BODIES: [&str; 4] = [
    "let y = moved(device, &first); y.view().to_hbm_view(&mut device.tdma, out.view_mut());",
    "let y: Block = x.to_dm(&mut device.tdma); let z = moved(device, &y); z.view().to_hbm_view(&mut device.tdma, out.view_mut());",
    "let _y = moved(device, &first);",
    "let y = moved(device, &first); let z = moved(device, &y); z.view().to_hbm_view(&mut device.tdma, out.view_mut()); let _w: Block = x.to_dm(&mut device.tdma);",
];

#[test]
fn each_further_run_takes_between_its_best_and_its_worst() {
    let mut compared = 0;
    for body in BODIES {
        let open = costs(&looping("0..n", body));
        let open = open.first().unwrap();
        assert_eq!(open.total, None);
        let runs = open.runs.as_ref().expect("the loop is all that is open");
        let [one] = runs.loops.as_slice() else {
            panic!("{runs:?}");
        };
        assert_eq!((one.runs, runs.low, runs.high), (None, None, None));
        assert_eq!(one.range.start.line, 13);
        let total = |count: u64| {
            costs(&looping(&format!("0..{count}"), body))[0]
                .total
                .unwrap()
        };
        // What is scheduled are so many runs.
        assert_eq!(runs.scheduled, total(one.scheduled), "{body}");
        for count in [3, 4, 7, 12] {
            let total = total(count);
            let most = runs.scheduled + (count - one.scheduled) * one.worst;
            assert!(
                count * one.best <= total && total <= most,
                "{body}: {count} runs, {runs:?}, {total}"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 16);
}

#[test]
fn a_loop_of_many_runs_has_a_range() {
    for body in BODIES {
        let many = costs(&looping("0..100000", body));
        let many = many.first().unwrap();
        assert_eq!(many.total, None);
        let runs = many.runs.as_ref().expect("the loop is all that is open");
        let total = |count: u64| {
            costs(&looping(&format!("0..{count}"), body))[0]
                .total
                .unwrap()
        };
        // Runs that are all alike go on as they began.
        let (some, more) = (total(20), total(40));
        let all = some + (more - some) * (100_000 - 20) / 20;
        let (low, high) = (runs.low.unwrap(), runs.high.unwrap());
        assert!(
            low <= all && all <= high,
            "{body}: {low} to {high}, not {all}"
        );
        assert!(
            runs.sentence()
                .contains(" of 100,000 runs of the loop in line 13"),
            "{}",
            runs.sentence()
        );
    }
}

#[test]
fn what_else_is_open_leaves_no_range() {
    let body = BODIES[0].replace("moved(device, &first)", "unknown(device, &first)");
    assert_eq!(costs(&looping("0..n", &body))[0].runs, None);
    // Runs of a loop in a loop are not all alike.
    let nested = format!("for _ in 0..n {{ {} }}", BODIES[0]);
    assert_eq!(costs(&looping("0..n", &nested))[0].runs, None);
    // And what has a total needs none.
    assert_eq!(costs(&looping("0..4", BODIES[0]))[0].runs, None);
}

#[test]
fn gathers_and_scatters_have_bytes_in_the_roofline() {
    let text = read(&repository().join("fixtures/kernels/current/0.8/offsets.rs"));
    let costs = costs(&format!("// dialect: opt-std@0.8\n{text}"));
    let bytes = |kernel: &str| {
        let cost = costs.iter().find(|cost| cost.name == kernel).unwrap();
        cost.roofline.as_ref().and_then(|bounds| bounds.hbm_bytes)
    };
    // 64 rows of 256 bf16 that are gathered and stored, or loaded and scattered, and 64 indices of 4 bytes.
    let rows = 64 * 256 * 2;
    assert_eq!(bytes("embed"), Some(rows + 64 * 4 + rows));
    assert_eq!(bytes("append"), Some(rows + 64 * 4 + rows));
}

#[test]
fn transfers_of_the_scratchpad_have_bytes_in_the_roofline() {
    let mut seen = 0;
    for file in ["0.10/indirect.rs", "0.10/language.rs", "0.10/modules.rs"] {
        let path = repository().join("fixtures/kernels/current").join(file);
        for cost in costs(&format!("// dialect: opt-std@0.10\n{}", read(&path))) {
            if let Some(bounds) = &cost.roofline {
                assert!(bounds.hbm_bytes.is_some(), "{file}, {}", cost.name);
                seen += 1;
            }
        }
    }
    assert!(seen > 3, "{seen}");
}

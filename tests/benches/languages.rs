//! What PTO and NKI cost: a parse and a check of many lines beside each other, a digit typed into a file of 2,000 lines until its
//! findings are there, and Python files that import no NKI. `cargo bench -p visa-tests --bench languages` prints times and ratios.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use ruff_python_parser::parse_module;
// The programs' allocator.
use visa_analysis::{Language, Workspace, language_of, pto_operations};
use visa_server as _;
use visa_tests::typing::{Keystroke, percentile, replace};

/// Lines of the texts that are checked from nothing.
const LINES: usize = 100_000;
/// Lines of the file that is typed in.
const EDITED_LINES: usize = 2_000;
/// Repetitions; the median counts.
const REPETITIONS: usize = 7;
/// Python files without NKI.
const OTHERS: usize = 10_000;

/// A kernel of PTO: rows to the Unified Buffer, a loop over them, and back, with its order.
const PTO: &str = r#"
  func.func @scale_NUMBER(%gm: !pto.ptr<f32, gm>, %out: !pto.ptr<f32, gm>) attributes {pto.kernel} {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %rows = arith.constant 32 : i64
    %length = arith.constant 128 : i64
    %step = arith.constant 4096 : i64
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %steps = arith.constant 64 : index
    // The first tile at the begin of UB, the second one behind it.
    %in = pto.castptr %c0 : i64 -> !pto.ptr<f32, ub>
    %scaled = pto.castptr %step : i64 -> !pto.ptr<f32, ub>
    pto.mte_gm_ub %gm, %in, %c0, %length nburst(%rows, %length, %length)
      : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
    pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    scf.for %i = %zero to %steps step %one {
      %offset = arith.muli %i, %steps : index
      %mask = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
      %x = pto.vlds %in[%offset] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
      %y = pto.vadd %x, %x, %mask : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
      pto.vsts %y, %scaled[%offset], %mask : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
    }
    pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
    pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
    pto.set_loop_size_ubtoout %c1, %c1 : i64, i64
    pto.copy_ubuf_to_gm %scaled, %out, %c0, %rows, %length, %c0, %length, %length
      : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64, i64, i64
    pto.barrier #pto.pipe<PIPE_ALL>
    return
  }
"#;

/// A kernel of NKI: tiles of a matrix in a list, a gather of rows, and a transpose.
const NKI: &str = r#"

@nki.jit
def scale_NUMBER(x, table, rows):
    """Tiles of `x`, chosen rows of `table`, and both back."""
    P, F = x.shape
    V, D = table.shape
    out = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.shared_hbm)
    chosen = nl.ndarray((128, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst=chosen, src=rows.reshape((128, 1)), name="indices")
    tiles = []
    for i in nl.affine_range(P // TILE):
        tile = nl.ndarray((TILE, F), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * TILE : (i + 1) * TILE, 0:F])
        tiles.append(tile)
    picked = nl.ndarray((128, D), dtype=table.dtype, buffer=nl.sbuf)
    nisa.dma_copy(
        dst=picked,
        src=table.ap(pattern=[[D, 128], [1, D]], vector_offset=chosen, indirect_dim=0),
        dge_mode=nisa.dge_mode.swdge,  # the indices are known at run time only
    )
    part = nl.ndarray((16, 128), dtype=nl.bfloat16, buffer=nl.hbm)
    turned = nl.ndarray((128, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_transpose(dst=turned, src=part, axes=(1, 0))
    for i in nl.affine_range(P // TILE):
        if i % 2 == 0:
            nisa.tensor_copy(dst=tiles[i], src=picked)
        nisa.dma_copy(dst=out[nl.ds(i * TILE, TILE), :], src=tiles[i])
    return out
"#;

const NKI_HEAD: &str =
    "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n\nTILE = nl.tile_size.pmax\n";

/// Kernels up to a number of lines.
fn text(head: &str, kernel: &str, end: &str, lines: usize) -> String {
    let kernels = lines / kernel.lines().count().max(1);
    let mut text = head.to_owned();
    for number in 0..kernels {
        let _ = write!(text, "{}", kernel.replace("NUMBER", &number.to_string()));
    }
    text.push_str(end);
    text
}

fn pto(lines: usize) -> String {
    let head = "module attributes {pto.target_arch = \"a5\"} {";
    text(head, PTO, "}\n", lines)
}

fn nki(lines: usize) -> String {
    text(NKI_HEAD, NKI, "", lines)
}

fn workspace(path: &str, text: &str) -> Workspace {
    let mut workspace = Workspace::new();
    workspace.set_files([(path, text)]);
    workspace
}

fn median(mut measured: impl FnMut()) -> Duration {
    let times: Vec<Duration> = (0..REPETITIONS)
        .map(|_| {
            let start = Instant::now();
            measured();
            start.elapsed()
        })
        .collect();
    percentile(&times, 50)
}

/// A parse alone, and a check from nothing.
fn beside(path: &str, text: &str, parse: impl Fn(&str)) {
    let parsed = median(|| parse(text));
    let report = workspace(path, text).analysis().check_file(path);
    let checked = median(|| {
        black_box(workspace(path, text).analysis().check_file(path));
    });
    let lines = text.lines().count();
    println!(
        "{path}: {lines} lines, {} transfers, {} unresolved, {} findings: parse {parsed:?} ({:.0} lines a second), check {checked:?} ({:.2} times)",
        report.operations.resolved,
        report.operations.unresolved,
        report.diagnostics.len(),
        lines as f64 / parsed.as_secs_f64(),
        checked.as_secs_f64() / parsed.as_secs_f64(),
    );
}

/// Digits typed behind numbers of the kernel in the middle, and deleted again.
fn keys(path: &str, text: &str, number: &str) {
    let middle = text.len() / 2;
    let at = text[middle..].find(number).map_or(0, |at| middle + at) + number.len();
    let mut workspace = workspace(path, text);
    workspace.open_file(path);
    black_box(workspace.analysis().check_file(path));
    let mut text = text.to_owned();
    let mut times = Vec::new();
    for key in 0..200 {
        let (end, typed) = if key % 2 == 0 {
            (at, "0")
        } else {
            (at + 1, "")
        };
        let keystroke = Keystroke {
            start: at,
            end,
            text: typed.to_owned(),
        };
        text = replace(&text, &keystroke);
        let start = Instant::now();
        workspace.set_file(path, &text);
        black_box(workspace.analysis().check_file(path));
        times.push(start.elapsed());
    }
    println!(
        "{path}: a digit in {} lines: median {:?}, 95th percentile {:?}",
        text.lines().count(),
        percentile(&times, 50),
        percentile(&times, 95)
    );
}

/// Python that imports no NKI: one search of each text.
fn others() {
    let text = "import numpy as np\n\n\ndef f(x):\n    return np.linalg.norm(x)\n".repeat(40);
    let start = Instant::now();
    let ours = (0..OTHERS)
        .filter(|number| {
            let path = format!("tools/module_{number}.py");
            language_of(&path, black_box(&text)) == Some(Language::Nki)
        })
        .count();
    let each = start.elapsed() / u32::try_from(OTHERS).unwrap_or(1);
    println!(
        "{OTHERS} Python files of {} bytes without NKI, {ours} taken: {each:?} each",
        text.len()
    );
}

fn main() {
    let text = pto(LINES);
    beside("kernels.pto", &text, |text| {
        assert!(black_box(pto_operations(text)) > 1_000);
    });
    let text = nki(LINES);
    beside("kernels.py", &text, |text| {
        assert!(black_box(parse_module(text)).is_ok());
    });
    keys("edited.pto", &pto(EDITED_LINES), "%rows = arith.constant 3");
    keys("edited.py", &nki(EDITED_LINES), "nl.ndarray((1");
    others();
}

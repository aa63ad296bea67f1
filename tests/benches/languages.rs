//! What PTO and NKI cost: a parse and a check of many lines beside each other, right ones and some with a fault in each transfer,
//! functions of more and more wrong transfers and of more and more loops, a digit typed into a file of 2,000 lines until its findings are there, and Python files
//! that import no NKI. `cargo bench -p visa-tests --bench languages` prints times and ratios; with `-- instructions` it counts the instructions
//! of parses and checks instead, each in a process of its own under `valgrind --tool=callgrind`, the making of the text taken off. `VISA_PROFILES`
//! names a folder where callgrind's files are left for `callgrind_annotate`.

use std::fmt::Write as _;
use std::hint::black_box;
use std::process::{Command, ExitCode, Stdio};
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
/// Digits that are typed or deleted.
const KEYS: usize = 200;
/// Repetitions of each work.
const REPETITIONS: usize = 9;
/// Python files without NKI.
const OTHERS: usize = 10_000;
/// Wrong transfers, or loops, in one function.
const SIZES: [usize; 3] = [500, 1_000, 2_000];

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

/// The kernels of PTO with faults in each transfer and its order: an address and a length that are no multiples of 32, and waits for
/// events that nothing sets.
fn wrong_pto(lines: usize) -> String {
    pto(lines)
        .replace("constant 4096", "constant 4100")
        .replace("constant 128", "constant 100")
        .replace(
            "pto.wait_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID0\"]",
            "pto.wait_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID1\"]",
        )
}

/// The kernels of NKI with faults in each transfer: tiles of too many partitions, modes that cannot gather, and a transpose into HBM.
fn wrong_nki(lines: usize) -> String {
    nki(lines)
        .replace("ndarray((TILE, F)", "ndarray((2 * TILE, F)")
        .replace("dge_mode.swdge", "dge_mode.hwdge")
        .replace("dma_transpose(dst=turned", "dma_transpose(dst=part")
}

/// One function of PTO with wrong transfers and flags that nothing answers.
fn wrong_function_of_pto(transfers: usize) -> String {
    let mut text = "func.func @k(%gm: !pto.ptr<f32, gm>) attributes {pto.kernel} {\n  %c0 = arith.constant 0 : i64\n  \
                    %n = arith.constant 4 : i64\n  %length = arith.constant 130 : i64\n"
        .to_owned();
    for number in 0..transfers {
        let _ = write!(
            text,
            "  %a{number} = arith.constant {address} : i64
  %p{number} = pto.castptr %a{number} : i64 -> !pto.ptr<f32, ub>
  pto.mte_gm_ub %gm, %p{number}, %c0, %length nburst(%n, %length, %length)
    : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
  pto.set_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID0\"]
  pto.wait_flag[\"PIPE_MTE2\", \"PIPE_MTE3\", \"EVENT_ID1\"]
",
            address = number * 64 % 200_000 + 4,
        );
    }
    text + "  return\n}\n"
}

/// One function of NKI with wrong transfers, each in a loop that also computes on the engine that makes its descriptors.
fn wrong_function_of_nki(transfers: usize) -> String {
    let mut text = format!("{NKI_HEAD}\n@nki.jit\ndef k(x):\n    P, F = x.shape\n");
    for number in 0..transfers {
        let _ = write!(
            text,
            "    t{number} = nl.ndarray((256, 64), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.affine_range(4):
        nisa.dma_copy(dst=t{number}, src=x[i], dge_mode=nisa.dge_mode.swdge)
        nisa.iota(t{number})
"
        );
    }
    text
}

/// One function of NKI with loops, each of which has a tensor before it and a branch in it.
fn function_of_loops(loops: usize) -> String {
    let mut text = format!("{NKI_HEAD}\n@nki.jit\ndef k(x):\n    P, F = x.shape\n");
    for number in 0..loops {
        let _ = write!(
            text,
            "    t{number} = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    for i{number} in nl.affine_range(4):
        nisa.dma_copy(dst=t{number}, src=x[i{number}])
        if i{number} % 2 == 0:
            nisa.iota(t{number})
"
        );
    }
    text
}

fn workspace(path: &str, text: &str) -> Workspace {
    let mut workspace = Workspace::new();
    workspace.set_files([(path, text)]);
    workspace
}

fn timed(measured: impl FnOnce()) -> Duration {
    let start = Instant::now();
    measured();
    start.elapsed()
}

fn median(mut measured: impl FnMut()) -> Duration {
    let times: Vec<Duration> = (0..REPETITIONS).map(|_| timed(&mut measured)).collect();
    percentile(&times, 50)
}

/// A parse alone, and a check from nothing. Both free in their time what they made. They take turns, and the least time of each counts:
/// other work on the machine only adds to it.
fn beside(path: &str, text: &str, parse: impl Fn(&str)) {
    let report = workspace(path, text).analysis().check_file(path);
    let (mut parsed, mut checked) = (Duration::MAX, Duration::MAX);
    for _ in 0..REPETITIONS {
        parsed = parsed.min(timed(|| parse(text)));
        checked = checked.min(timed(|| {
            black_box(workspace(path, text).analysis().check_file(path));
        }));
    }
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

/// One function with more and more of something: the time of each should stay the same.
fn growth(path: &str, what: &str, function: impl Fn(usize) -> String) {
    for size in SIZES {
        let text = function(size);
        let findings = workspace(path, &text)
            .analysis()
            .check_file(path)
            .diagnostics
            .len();
        let checked = median(|| {
            black_box(workspace(path, &text).analysis().check_file(path));
        });
        println!(
            "{path}: one function of {size} {what}, {findings} findings: {checked:?}, {:.1} µs each",
            checked.as_secs_f64() * 1e6 / size as f64
        );
    }
}

/// Digits typed behind a number of the kernel in the middle, and deleted again: how long each takes.
fn keys(path: &str, text: &str, keys: usize) -> Vec<Duration> {
    let number = if path.ends_with(".py") {
        "nl.ndarray((1"
    } else {
        "%rows = arith.constant 3"
    };
    let middle = text.len() / 2;
    let at = text[middle..].find(number).map_or(0, |at| middle + at) + number.len();
    let mut workspace = workspace(path, text);
    workspace.open_file(path);
    black_box(workspace.analysis().check_file(path));
    let mut text = text.to_owned();
    let mut times = Vec::new();
    for key in 0..keys {
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
    times
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

/// Lines of the texts whose instructions are counted.
const COUNTED_LINES: usize = 5_000;
/// Works that are counted, without and with the check.
const WORKS: [&str; 3] = ["text", "parse", "check"];

/// A text by the name of its file.
fn named(path: &str, lines: usize) -> String {
    match path {
        "kernels.pto" => pto(lines),
        "wrong.pto" => wrong_pto(lines),
        "kernels.py" => nki(lines),
        _ => wrong_nki(lines),
    }
}

/// A parse alone.
fn parse(path: &str, text: &str) {
    if path.ends_with(".py") {
        assert!(black_box(parse_module(text)).is_ok());
    } else {
        assert!(black_box(pto_operations(text)) > 1_000);
    }
}

/// Does one work, for who counts.
fn one(work: &str, path: &str) {
    let text = named(path, COUNTED_LINES);
    match work {
        "parse" => parse(path, &text),
        "check" => {
            black_box(workspace(path, &text).analysis().check_file(path));
        }
        "opened" => {
            keys(path, &named(path, EDITED_LINES), 0);
        }
        "keys" => {
            keys(path, &named(path, EDITED_LINES), KEYS);
        }
        _ => {}
    }
}

/// The instructions of one work; nothing where they cannot be counted.
fn instructions(work: &str, path: &str) -> Option<u64> {
    let file = std::env::var("VISA_PROFILES").map_or("/dev/null".to_owned(), |folder| {
        format!("{folder}/{work}-{path}.callgrind")
    });
    let done = Command::new("valgrind")
        .args(["--tool=callgrind", &format!("--callgrind-out-file={file}")])
        .arg(std::env::current_exe().ok()?)
        .args(["--one", work, path])
        .env("RAYON_NUM_THREADS", "1")
        .stdout(Stdio::null())
        .output()
        .ok()?;
    let told = String::from_utf8_lossy(&done.stderr);
    let mut lines = told.lines().filter(|_| done.status.success());
    lines.find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
}

/// Parses and checks by instructions.
fn counted() -> ExitCode {
    for path in ["kernels.pto", "wrong.pto", "kernels.py", "wrong.py"] {
        let [Some(text), Some(parse), Some(check)] = WORKS.map(|work| instructions(work, path))
        else {
            eprintln!("no instructions are counted: `valgrind` is not there, or a work failed");
            return ExitCode::FAILURE;
        };
        let (parse, check) = (parse - text, check - text);
        println!(
            "{path}: {COUNTED_LINES} lines: parse {:.1} million instructions, check {:.1} ({:.2} times)",
            parse as f64 / 1e6,
            check as f64 / 1e6,
            check as f64 / parse as f64
        );
    }
    for path in ["kernels.pto", "kernels.py"] {
        let [Some(opened), Some(typed)] = ["opened", "keys"].map(|work| instructions(work, path))
        else {
            return ExitCode::FAILURE;
        };
        println!(
            "{path}: a digit in {EDITED_LINES} lines: {:.2} million instructions",
            (typed - opened) as f64 / KEYS as f64 / 1e6
        );
    }
    ExitCode::SUCCESS
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--one", work, path] => {
            one(work, path);
            return ExitCode::SUCCESS;
        }
        _ if arguments.iter().any(|name| name == "instructions") => return counted(),
        _ => {}
    }
    for path in ["kernels.pto", "wrong.pto", "kernels.py", "wrong.py"] {
        beside(path, &named(path, LINES), |text| parse(path, text));
    }
    growth("grows.pto", "wrong transfers", wrong_function_of_pto);
    growth("grows.py", "wrong transfers", wrong_function_of_nki);
    growth("loops.py", "loops", function_of_loops);
    for path in ["kernels.pto", "kernels.py"] {
        let times = keys(path, &named(path, EDITED_LINES), KEYS);
        println!(
            "{path}: a digit in {EDITED_LINES} lines: median {:?}, 95th percentile {:?}",
            percentile(&times, 50),
            percentile(&times, 95)
        );
    }
    others();
    ExitCode::SUCCESS
}

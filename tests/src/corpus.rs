//! What is measured with: kernels as people write them, right and with faults, and kernels of as many operations as asked for.
//!
//! The faulty texts are made from the right ones, one fault in ten operations, the same ones each time. All benchmarks share
//! them. Knows texts alone; whether they are right is what the test below asks.

use std::collections::BTreeMap;
use std::fmt::Write;

use visa_analysis::{Dialect, Library, Package, Release, Workspace};

use crate::typing::Keystroke;
use crate::{read, repository, rust_files};

/// Operations of which one gets a fault.
pub const OPERATIONS_A_FAULT: usize = 10;

/// What the kernels of the current library are written for.
const CURRENT: Dialect = Dialect {
    library: Library::OptStd,
    release: Release::new(0, 8),
};

/// Files by their paths.
pub type Files = Vec<(String, String)>;

/// Whether texts have faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing is found in them.
    Right,
    /// One fault in [`OPERATIONS_A_FAULT`] operations.
    Faulty,
}

impl Kind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Right, Self::Faulty];

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Faulty => "faulty",
        }
    }

    fn version_of(self, text: String) -> String {
        match self {
            Self::Right => text,
            Self::Faulty => with_faults(&text),
        }
    }
}

/// A crate of at least so many lines: models of four files that call each other (`tests/corpus`), in turn with the shipped
/// kernels, which are files for themselves.
pub fn project(lines: usize, kind: Kind) -> Files {
    let parts = ["shape", "parts", "attention", "decoder"];
    let model = parts.map(|part| {
        let path = repository().join(format!("tests/corpus/{part}.rs"));
        (part, read(&path))
    });
    let shipped: Vec<String> = rust_files(&repository().join("fixtures/kernels/right"))
        .iter()
        .map(|path| without_inner_attributes(&read(path)))
        .collect();
    let mut root = String::new();
    let mut files = Files::new();
    let mut written = 0;
    let mut add = |files: &mut Files, path: String, text: String| {
        written += text.lines().count();
        files.push((path, kind.version_of(text)));
        written
    };
    for number in 0_usize.. {
        // Writing to a string cannot fail.
        let _ = writeln!(root, "mod model_{number};\nmod shipped_{number};");
        let inner = parts.map(|part| format!("pub mod {part};\n")).concat();
        files.push((format!("src/model_{number}/mod.rs"), inner));
        for (part, text) in &model {
            let text = of_sizes(text, number);
            add(&mut files, format!("src/model_{number}/{part}.rs"), text);
        }
        let others = shipped.iter().cycle().skip(number * 3).take(3).enumerate();
        let mut inner = String::new();
        let mut lines_so_far = 0;
        for (part, text) in others {
            let _ = writeln!(inner, "mod part_{part};");
            let path = format!("src/shipped_{number}/part_{part}.rs");
            lines_so_far = add(&mut files, path, text.clone());
        }
        files.push((format!("src/shipped_{number}/mod.rs"), inner));
        if lines_so_far >= lines {
            break;
        }
    }
    files.push(("src/lib.rs".to_owned(), root));
    files
}

/// A crate of the current library, of at least so many lines: a decoder of eight files whose modules import what their root
/// has (`fixtures/kernels/current/decoder`), again and again.
pub fn current(lines: usize, kind: Kind) -> Files {
    let folder = repository().join("fixtures/kernels/current/decoder/src");
    let decoder: Vec<(String, String)> = rust_files(&folder)
        .iter()
        .filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), read(path))))
        .collect();
    let mut files = Files::new();
    let mut root = String::new();
    let mut written = 0;
    for number in 0_usize.. {
        if written >= lines {
            break;
        }
        let _ = writeln!(root, "mod decoder_{number};");
        for (name, text) in &decoder {
            let text = without_inner_attributes(text);
            let text = text.replace("crate::", &format!("crate::decoder_{number}::"));
            written += text.lines().count();
            let name = if name == "lib" { "mod" } else { name };
            let path = format!("src/decoder_{number}/{name}.rs");
            files.push((path, kind.version_of(text)));
        }
    }
    files.push(("src/lib.rs".to_owned(), root));
    files
}

/// The same crate in one file of at least so many lines, its modules written out in it.
pub fn current_file(lines: usize, kind: Kind) -> String {
    let files = current(lines, kind);
    let mut folders: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for (path, text) in &files {
        let inside = path.strip_prefix("src/").unwrap_or(path);
        if let Some((folder, file)) = inside.split_once('/') {
            let name = file.trim_end_matches(".rs");
            folders.entry(folder).or_default().push((name, text));
        }
    }
    let mut root = String::new();
    for (folder, modules) in folders {
        let own = modules.iter().find(|(name, _)| *name == "mod");
        let mut text = own.map_or_else(String::new, |(_, text)| (*text).to_owned());
        for (name, module) in modules.iter().filter(|(name, _)| *name != "mod") {
            text = text.replace(
                &format!("mod {name};\n"),
                &format!("mod {name} {{\n{module}}}\n"),
            );
        }
        let _ = writeln!(root, "mod {folder} {{\n{text}}}");
    }
    root
}

/// A model with other sizes of a head and of its features.
fn of_sizes(text: &str, number: usize) -> String {
    let sizes = [
        (64, 128),
        (128, 128),
        (32, 64),
        (64, 64),
        (128, 64),
        (32, 128),
    ];
    let (head, features) = sizes
        .get(number % sizes.len())
        .copied()
        .unwrap_or((64, 128));
    let text = text.replace("D = 64,", &format!("D = {head},"));
    text.replace("F = 128,", &format!("F = {features},"))
}

/// A kernel of so many operations, one behind the other: a multiple of 4.
///
/// Rounds of a load, two passes and a store over blocks of DM in turn: elementwise, with an operand in the VRF, a product.
pub fn kernel(operations: usize, kind: Kind) -> String {
    let mut text = "use furiosa_visa_std::prelude::*;\n\naxes![S = 256, M = 16, N = 32, K = 16];\n\n\
         type Chip = m![1];\ntype Cluster = m![1 # 2];\ntype Slice = m![S];\n\n\
         #[device(chip = 1)]\nfn kernel(\n    ctx: &mut Context,\n    x: &HbmTensor<i32, Chip, m![S, M, N]>,\n    \
         y: &HbmTensor<bf16, Chip, m![S, M, N]>,\n    w: &HbmTensor<bf16, Chip, m![S, K, N]>,\n) {\n"
        .to_owned();
    for round in 0..operations / 4 {
        let addresses = Addresses::of(round);
        match round % 3 {
            0 => elementwise(&mut text, round, &addresses),
            1 => with_operand(&mut text, round, &addresses),
            _ => product(&mut text, round, &addresses),
        }
    }
    text.push_str("}\n");
    kind.version_of(text)
}

/// A kernel of 1,152 operations that come of few lines: 4 layers of 12 heads, 24 operations each.
pub fn looped(kind: Kind) -> String {
    let mut text = "use furiosa_visa_std::prelude::*;\n\naxes![S = 256, M = 16, N = 32, K = 16];\n\n\
         type Chip = m![1];\ntype Cluster = m![1 # 2];\ntype Slice = m![S];\n\n\
         #[device(chip = 1)]\nfn kernel(\n    ctx: &mut Context,\n    x: &HbmTensor<i32, Chip, m![S, M, N]>,\n    \
         y: &HbmTensor<bf16, Chip, m![S, M, N]>,\n    w: &HbmTensor<bf16, Chip, m![S, K, N]>,\n) {\n    for _layer in 0..4usize {\n    for _head in 0..12usize {\n"
        .to_owned();
    for round in 0..6 {
        let addresses = Addresses::of(round);
        match round % 3 {
            0 => elementwise(&mut text, round, &addresses),
            1 => with_operand(&mut text, round, &addresses),
            _ => product(&mut text, round, &addresses),
        }
    }
    text.push_str("    }\n    }\n}\n");
    kind.version_of(text)
}

/// Where a round reads and writes.
struct Addresses {
    input: usize,
    middle: usize,
    output: usize,
    host: usize,
}

impl Addresses {
    fn of(round: usize) -> Self {
        let block = round % 32 * 0x2000;
        Self {
            input: block,
            middle: block + 0x800,
            output: block + 0x1000,
            host: (round % 8 + 1) << 28,
        }
    }
}

fn elementwise(text: &mut String, round: usize, addresses: &Addresses) {
    let Addresses {
        input,
        middle,
        output,
        host,
    } = addresses;
    let pass = |target: &str, source: &str, address: usize| {
        format!(
            "    let {target}{round}: DmTensor<i32, Chip, Cluster, Slice, m![M, N]> = ctx\n        .main\n        \
             .begin({source}{round}.view())\n        .fetch::<i32, m![M, N / 8], m![N % 8]>()\n        \
             .collect::<m![M, N / 8], m![N % 8]>()\n        .vector_init()\n        \
             .vector_intra_slice_branch(BranchMode::Unconditional)\n        \
             .vector_fxp(FxpBinaryOp::AddFxp, {round})\n        .vector_final()\n        .commit({address:#x});\n"
        )
    };
    let _ = write!(
        text,
        "    let a{round}: DmTensor<i32, Chip, Cluster, Slice, m![M, N]> = x.to_dm(&mut ctx.tdma, {input:#x});\n{}{}    \
         let _c{round}: HbmTensor<i32, Chip, m![S, M, N]> = d{round}.to_hbm(&mut ctx.tdma, {host:#x});\n",
        pass("b", "a", *middle),
        pass("d", "b", *output),
    );
}

fn with_operand(text: &mut String, round: usize, addresses: &Addresses) {
    let Addresses {
        input,
        output,
        host,
        ..
    } = addresses;
    let operand = round % 4 * 0x800;
    let _ = write!(
        text,
        "    let a{round}: DmTensor<bf16, Chip, Cluster, Slice, m![M, N]> = y.to_dm(&mut ctx.tdma, {input:#x});\n    \
         let b{round}: VrfTensor<f32, Chip, Cluster, Slice, m![M, N]> = ctx\n        .sub\n        \
         .begin(a{round}.view())\n        .fetch::<f32, m![M, N / 8], m![N % 8]>()\n        \
         .collect::<m![M, N / 8], m![N % 8]>()\n        .to_vrf({operand:#x});\n    \
         let d{round}: DmTensor<bf16, Chip, Cluster, Slice, m![M, N]> = ctx\n        .main\n        \
         .begin(a{round}.view())\n        .fetch::<f32, m![M, N / 8], m![N % 8]>()\n        \
         .collect::<m![M, N / 8], m![N % 8]>()\n        .vector_init()\n        \
         .vector_intra_slice_branch(BranchMode::Unconditional)\n        \
         .vector_split::<m![M, N / 4], m![N % 4]>()\n        .vector_fp_unary(FpUnaryOp::Exp)\n        \
         .vector_fp_binary(FpBinaryOp::AddF, &b{round})\n        .vector_concat::<m![M, N / 8], m![N % 8]>()\n        \
         .vector_final()\n        .cast::<bf16, m![N % 8 # 16]>()\n        .commit({output:#x});\n    \
         let _c{round}: HbmTensor<bf16, Chip, m![S, M, N]> = d{round}.to_hbm(&mut ctx.tdma, {host:#x});\n"
    );
}

fn product(text: &mut String, round: usize, addresses: &Addresses) {
    let Addresses {
        input,
        output,
        host,
        ..
    } = addresses;
    let half = if round.is_multiple_of(2) {
        "FirstHalf"
    } else {
        "SecondHalf"
    };
    let before = round.saturating_sub(1);
    let _ = write!(
        text,
        "    let a{round}: DmTensor<bf16, Chip, Cluster, Slice, m![K, N]> = w.to_dm(&mut ctx.tdma, {input:#x});\n    \
         let b{round}: TrfTensor<bf16, Chip, Cluster, Slice, m![K % 8], m![K / 8, N]> = ctx\n        .sub\n        \
         .begin(a{round}.view())\n        .fetch::<bf16, m![K % 8, K / 8], m![N]>()\n        \
         .collect::<m![K % 8, K / 8, N / 16], m![N % 16]>()\n        .to_trf(TrfAddress::{half});\n    \
         let d{round}: DmTensor<bf16, Chip, Cluster, Slice, m![M, K]> = ctx\n        .main\n        \
         .begin(d{before}.view())\n        .fetch::<bf16, m![M, K / 8], m![N]>()\n        \
         .collect::<m![M, K / 8, N / 16], m![N % 16]>()\n        \
         .align::<m![M, K / 8], m![N], _, _>(&b{round})\n        \
         .contract::<m![1]>()\n        .accumulate::<m![M, K / 8], m![K % 8]>(AccumulationKind::Interleaved)\n        \
         .cast::<bf16, m![K % 8 # 16]>()\n        .commit({output:#x});\n    \
         let _c{round}: HbmTensor<bf16, Chip, m![S, M, K]> = d{round}.to_hbm(&mut ctx.tdma, {host:#x});\n"
    );
}

/// What ends an operation.
const ENDS: &[&str] = &[
    ".commit(",
    ".commit_view(",
    ".to_trf(",
    ".to_vrf(",
    ".to_dm(",
    ".to_dm::<",
    ".to_hbm(",
    ".to_hbm_view(",
];

/// What makes an operation wrong: what is written in it, and what instead.
const FAULTS: &[(&str, &str)] = &[
    ("% 8]>()\n        .collect", "% 4]>()\n        .collect"),
    ("% 8 # 16]>", "% 8 # 12]>"),
    ("00);", "03);"),
    ("% 4]>()\n", "% 8]>()\n"),
    ("Interleaved", "Sequential"),
    (".vector_init()\n", "\n"),
    ("% 16]>()\n        .to_trf", "% 32]>()\n        .to_trf"),
    (
        "% 8]>()\n        .vector_init",
        "% 2]>()\n        .vector_init",
    ),
    ("BinaryArgMode::Mode01", "BinaryArgMode::Mode11"),
    ("(&mut ctx.tdma, 0", "(&mut ctx.tdma, 1"),
];

/// The places where operations end, in their order.
fn ends(text: &str) -> Vec<usize> {
    let found = ENDS.iter().flat_map(|end| {
        let matches = text.match_indices(end);
        matches.map(move |(start, _)| {
            let rest = text.get(start..).unwrap_or("");
            start + rest.find(";\n").map_or(end.len(), |length| length + 2)
        })
    });
    let mut ends: Vec<usize> = found.collect();
    ends.sort_unstable();
    ends
}

/// The text with a fault in every tenth operation, each of the next kind that the operation can have.
pub fn with_faults(text: &str) -> String {
    let mut ends = ends(text);
    ends.dedup();
    let mut faulty = String::with_capacity(text.len());
    let (mut copied, mut start, mut kind, mut due) = (0, 0, 0, false);
    for (number, end) in ends.into_iter().enumerate() {
        due |= number % OPERATIONS_A_FAULT == OPERATIONS_A_FAULT / 2;
        let operation = text.get(start..end).unwrap_or("");
        let kinds = (0..FAULTS.len()).map(|next| (kind + next) % FAULTS.len());
        let fault = kinds.filter(|_| due).find_map(|kind| {
            let (right, wrong) = FAULTS.get(kind)?;
            Some((kind, start + operation.rfind(right)?, right, wrong))
        });
        if let Some((made, at, right, wrong)) = fault {
            faulty.push_str(text.get(copied..at).unwrap_or(""));
            faulty.push_str(wrong);
            copied = at + right.len();
            kind = made + 1;
            due = false;
        }
        start = end;
    }
    faulty.push_str(text.get(copied..).unwrap_or(""));
    faulty
}

/// A workspace of a crate's files, not yet asked anything.
pub fn workspace(files: &Files) -> Workspace {
    let mut workspace = Workspace::new();
    workspace.set_packages(vec![Package {
        name: "kernels".into(),
        root: "".into(),
    }]);
    if files
        .iter()
        .any(|(_, text)| text.contains("furiosa_opt_std"))
    {
        workspace.set_dialect(CURRENT);
    }
    let files = files.iter();
    workspace.set_files(files.map(|(path, text)| (path.as_str(), text.as_str())));
    workspace
}

/// Numbers typed into mappings and addresses in the middle of a kernel, each key on the text that the one before it left: a
/// digit more, and away again.
pub fn numbers_typed(text: &str) -> Vec<Keystroke> {
    typed_behind(text, &["N / 8", ".commit(0x", "M, N / 4", "0x"])
}

/// Numbers typed into mappings in the middle of a text of the current library, likewise.
pub fn current_numbers_typed(text: &str) -> Vec<Keystroke> {
    typed_behind(text, &["m![H / 8", "m![H % 8", "L / 32", "m![H / 4"])
}

fn typed_behind(text: &str, places: &[&str]) -> Vec<Keystroke> {
    let middle = text.len() / 2;
    let places = places.iter().filter_map(|what| {
        let found = text.get(middle..)?.find(what)?;
        Some(middle + found + what.len())
    });
    let keys = places.flat_map(|place| crate::typing::typed_and_deleted(place, "16"));
    let keys: Vec<Keystroke> = keys.collect();
    keys.iter().cycle().take(keys.len() * 3).cloned().collect()
}

fn without_inner_attributes(kernel: &str) -> String {
    let lines = kernel
        .lines()
        .filter(|line| !line.starts_with("//!") && !line.starts_with("#!["));
    lines.map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::{
        Files, Kind, current, current_file, kernel, looped, project, with_faults, workspace,
    };
    use crate::{OF_SMALL_EXAMPLES, line_of};
    use visa_analysis::{Group, Level, Model, Options};

    /// The findings of all files and the operations that are understood and not.
    fn found(files: &Files) -> (Vec<String>, [u64; 2]) {
        // By the schedule one load of the whole would be better than the eight of parts: the kernels are written for the book.
        let mut workspace = workspace(files);
        workspace.set_options(Options {
            model: Model::Book,
            ..Options::default()
        });
        let report = workspace.analysis().check_all();
        let visible = report.diagnostics.iter().filter(|found| {
            !found.suppressed
                && found.default_level != Level::Allow
                && !OF_SMALL_EXAMPLES.contains(&found.rule)
        });
        let lines = visible.map(|found| format!("{}: {}", found.file, line_of(found)));
        let operations = &report.operations;
        (
            lines.collect(),
            [operations.resolved, operations.unresolved],
        )
    }

    /// The same for a kernel on its own.
    fn alone(text: String) -> Files {
        vec![("src/lib.rs".to_owned(), text)]
    }

    #[test]
    fn nothing_is_found_in_what_is_right() {
        for files in [
            project(1_000, Kind::Right),
            alone(kernel(60, Kind::Right)),
            alone(looped(Kind::Right)),
        ] {
            let (found, [resolved, unresolved]) = found(&files);
            assert_eq!(found, Vec::<String>::new());
            assert!(resolved > 20 && unresolved == 0, "{resolved} {unresolved}");
        }
    }

    #[test]
    fn the_current_library_is_followed_and_its_kernels_are_right() {
        let lines = 1_000;
        for files in [
            current(lines, Kind::Right),
            alone(current_file(lines, Kind::Right)),
        ] {
            let report = workspace(&files).analysis().check_all();
            let wrong = report.diagnostics.iter().filter(|found| {
                found.default_level != Level::Allow && found.group != Group::Performance
            });
            let wrong: Vec<String> = wrong.map(line_of).collect();
            assert_eq!(wrong, Vec::<String>::new());
            let operations = &report.operations;
            assert!(operations.resolved > 20 && operations.unresolved == 0);
        }
    }

    #[test]
    fn faults_are_found_and_leave_operations_understood() {
        for files in [
            project(1_000, Kind::Faulty),
            current(1_000, Kind::Faulty),
            alone(kernel(200, Kind::Faulty)),
        ] {
            let (found, [resolved, unresolved]) = found(&files);
            let operations = resolved + unresolved;
            assert!(
                found.len() as u64 * 12 > operations,
                "{operations} operations: {found:#?}"
            );
            assert!(unresolved * 10 < operations, "{resolved} {unresolved}");
        }
    }

    #[test]
    fn every_tenth_operation_gets_a_fault() {
        let right = kernel(1_000, Kind::Right);
        let faulty = with_faults(&right);
        let differ = right
            .lines()
            .zip(faulty.lines())
            .filter(|(one, other)| one != other);
        assert_eq!(differ.count(), 100);
    }
}

//! Texts that no author would write: what they are made of, and what must hold of the answers about any text at all.
//!
//! A text is made of choices, which are bytes: those of a random generator in the tests, those of a fuzzer in `fuzz/`. The
//! answers are asked for through the front door only.

use std::collections::BTreeMap;
use visa_analysis::EditorQuestions as _;

use crate::workspace_of;
use visa_analysis::{
    ByteRange, Diagnostic, FileReport, HintLevel, Package, Problem, Trust, Workspace, fix_all,
};

/// The path that the texts are checked under.
const PATH: &str = "src/k.rs";

/// A language that texts are made in: the path that they are checked under, what each begins with, and their words.
#[derive(Debug, Clone, Copy)]
pub struct Sort {
    /// The path.
    pub path: &'static str,
    /// What a text needs to be one of the language's.
    pub head: &'static str,
    /// Words that kernels are made of, and some that break them.
    pub words: &'static [&'static str],
}

/// Kernels in Rust.
pub const RUST: Sort = Sort {
    path: PATH,
    head: "",
    words: WORDS,
};

/// Kernels in PTO.
pub const PTO: Sort = Sort {
    path: "k.pto",
    head: "",
    words: &[
        "module attributes {pto.target_arch = \"a5\"} {\n",
        "func.func @f(%gm: !pto.ptr<f32, gm>, %n: i64, %c: i1) {\n",
        "%gm",
        "%ub",
        "%c0",
        "%c32",
        "%missing",
        "%r:2 = ",
        "%c0 = arith.constant 0 : i64\n",
        "%c32 = arith.constant 32 : i64\n",
        "%c99 = arith.constant 99999999999999999999999 : i64\n",
        "%m = arith.constant -9223372036854775808 : i64\n",
        "%c0 = arith.muli %m, %m : i64\n",
        "%ub = pto.castptr %c0 : i64 -> !pto.ptr<f32, ub>\n",
        "%ub = pto.addptr %ub, %m : !pto.ptr<f32, ub> -> !pto.ptr<f32, ub>\n",
        "pto.mte_gm_ub %gm, %ub, %c0, %c32 nburst(%c32, %c32, %c32)",
        "pto.mte_ub_gm %ub, %gm, %c32 nburst(%c32, %m, %c32)",
        "pto.mte_ub_ub %ub, %ub, %c32 nburst(%m, %c32, %c32)",
        " loop(%c32, %m, %c0)",
        " pad(%c0)",
        " : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64\n",
        "pto.set_loop_size_outtoub %c32, %m : i64, i64\n",
        "pto.set_loop1_stride_outtoub %m, %c32 : i64, i64\n",
        "pto.copy_gm_to_ubuf %gm, %ub, %c0, %c32, %c32, %c0, %c0, %c, %c0, %c32, %m",
        "pto.set_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID0\"]\n",
        "pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID9>]\n",
        "pto.barrier #pto.pipe<PIPE_ALL>\n",
        "scf.if %c {\n",
        "} else {\n",
        "scf.for %i = %c0 to %c32 step %c32 iter_args(%a = %ub) -> (i64) : i64 {\n",
        "scf.yield %a : i64\n",
        "\"x.y\"(%a) ({\n",
        "^bb0(%q: i64):\n",
        "cf.br ^bb0\n",
        "!T = !T\n",
        "// -----\n",
        "// visa-lint: allow(pto_syntax)\n",
        "return\n",
        "{",
        "}",
        "(",
        ")",
        "[",
        "<",
        ">",
        ",",
        "\"",
        "é",
        "\u{feff}",
        "\r\n",
    ],
};

/// Kernels in NKI.
pub const NKI: Sort = Sort {
    path: "k.py",
    head: "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n",
    words: &[
        "@nki.jit\ndef f(x, n, flag=None):\n",
        "    P, F = x.shape\n",
        "    t = nl.ndarray((128, 64), dtype=nl.bfloat16, buffer=nl.sbuf)\n",
        "    t = nl.ndarray((n, -1), nl.float32, buffer=nl.psum)\n",
        "    u = []\n",
        "    u.append(t)\n",
        "    for i in nl.affine_range(n):\n        ",
        "    while n:\n        ",
        "    if nisa.get_nc_version() == nisa.nc_version.gen3:\n        ",
        "    else:\n        ",
        "    nisa.dma_copy(dst=t, src=x[0:128, nl.ds(n, 64)])\n",
        "    nisa.dma_copy(dst=u[n], src=x[::0, ..., None])\n",
        "    nisa.dma_transpose(t, x, axes=(1, 0), dge_mode=nisa.dge_mode.hwdge)\n",
        "    nisa.dma_compute(t, [t, x], nl.add)\n",
        "x.ap(pattern=[[F, 128], [1, 64]], offset=n, vector_offset=t)",
        "x.reshape((P, -1))",
        "99999999999999999999999999",
        "9223372036854775807",
        " * 9223372036854775807",
        " // 0",
        " % n",
        " ** 70",
        "assert x.shape == (0, -5)\n",
        "# visa-lint: args(x: bfloat16[128, 512])\n",
        "# visa-lint: allow(nki_copy_size)\n",
        "# visa-lint: target(trn1)\n",
        "lambda x: ",
        "[t for t in x]",
        "f'{x!r:>{n}}'",
        "return t\n",
        "\n",
        "    ",
        "(",
        ")",
        "[",
        "]",
        ":",
        ",",
        "\"\"\"",
        "é",
        "\u{feff}",
        "\r\n",
    ],
};

const WORDS: &[&str] = &[
    "axes![A = 64, B = 12];\n",
    "axes![",
    "m![A / 8, B]",
    "m![A # 100 % 10 = 3]",
    "m![",
    "i![",
    "[A, B] / 6",
    "]",
    "{",
    "}",
    "(",
    ")",
    "<",
    ">",
    "::<",
    ">()",
    ";\n",
    ",",
    "=",
    "/",
    "%",
    "#",
    "A",
    "B",
    "1 # 2",
    "1 # 256",
    "0",
    "1",
    "7",
    "64",
    "4096",
    "18446744073709551615",
    "999999999999999999999999999999999999999999",
    "0x",
    "1 << 63",
    "use furiosa_visa_std::prelude::*;\n",
    "use super::*;\n",
    "mod m {",
    "type K = ",
    "const N: usize = ",
    "#[device(chip = 1)]\n",
    "#[allow(tcp::all)]",
    "// visa-lint: allow(dm_overlap)\n",
    "fn f(ctx: &mut Context, x: &HbmTensor<bf16, m![1], m![A]>) ",
    "-> DmTensor<i4, m![1], m![1 # 2], m![1 # 256], m![A]> ",
    "let y = ",
    "for i in 0..N ",
    "if i == 3 ",
    "x.to_dm::<m![1 # 2], m![1 # 256], m![A]>(&mut ctx.tdma, 0)",
    "ctx.main.begin(y.view())",
    ".fetch::<i8, m![1], m![A]>()",
    ".switch::<m![1 # 256], m![1]>(SwitchConfig::Broadcast01 { slice1: 2, slice0: 0, time0: 1 })",
    ".collect::<m![A / 32], m![A % 32]>()",
    ".align::<m![1], m![A]>(",
    ".contract::<m![1]>()",
    ".vector_init()",
    ".vector_fxp(FxpBinaryOp::AddFxp, 3)",
    ".transpose::<m![A], m![B # 63]>()",
    ".cast::<f8e4m3, m![A % 32]>()",
    ".commit::<m![A]>(0)",
    ".to_hbm(&mut ctx.tdma, 1 << 28)",
    ".tile::<m![A], 4, m![A = 4 # 64]>(i)",
    "/*",
    "\"",
    "'",
    "é",
    "\u{feff}",
    "\r\n",
    " ",
];

/// Items in Rust: generics, `Self`, traits, aliases, constants that need each other.
pub const ITEMS: Sort = Sort {
    path: PATH,
    head: "use furiosa_opt_std::prelude::*;\naxes![S = 256, K = 64];\n",
    words: &[
        "impl",
        "<D>",
        "<D: T>",
        "<const N: usize>",
        " Self",
        " A",
        "<D>",
        "<A<D>>",
        "<N>",
        "<Self>",
        " for",
        " D",
        " S0",
        " { ",
        " }",
        "; ",
        "(",
        ")",
        ", ",
        ": ",
        " = ",
        "::",
        "<",
        ">",
        "&",
        "[",
        "]",
        "..",
        " -> ",
        "type A",
        "type B",
        "type A<D> = B<B<D>>;",
        "type B<D> = A<D>;",
        "type C = m![{ A<C> }, K];",
        "struct S0",
        "struct S0<D = S0>(D);",
        "struct S0 { a: [u8; N] }",
        "enum E { A(A), B }",
        "trait T",
        "trait T: T",
        "const N: usize = ",
        "const N: usize = Self::N;",
        "f(S0 { a: [0; N] })",
        "f(1)",
        "N + 1",
        "A::SIZE",
        "Self::N",
        "<A>::SIZE",
        "fn f",
        "fn f(self) {}",
        "fn f(x: S0) -> usize { 1 }",
        "fn g(y: A<u8>) {}",
        "let w: [u8; f(1)] = x;",
        "let w: A = f(x);",
        "mod m",
        "mod n { pub use super::m::*; }",
        "use m::*;",
        "use n::A;",
        "use super::*;",
        "use S0::T::*;",
        "pub ",
        "super::",
        "self::<u8>::",
        "m::",
        "m![K / 8]",
        "m![{ A }]",
        "DmTensor<f32, m![1], m![1], m![S], A>",
        "HbmTensor<f32, m![1], D>",
        "where D: T",
        "dyn T",
        "impl T",
        "#[device(chip = N)]",
        "device: &mut Device",
        ".to_dm(&mut device.tdma)",
        "macro_rules! r { ($t:tt) => { r!($t) } }",
        "r!(A)",
    ],
};

/// The files of a crate that call each other's macros, in the order in which they are edited.
pub const CROSSED: [(&str, &str); 4] = [
    (
        "src/lib.rs",
        "#[macro_use]\nmod macros;\nmod k;\nmod more;\n",
    ),
    (
        "src/macros.rs",
        "macro_rules! step {\n    ($d:ident, $x:ident) => {\n        $d.main.begin($x.view()).fetch::<m![K / 8], m![K % 8]>().collect::<m![K / 4], m![K % 4]>().commit_trim::<m![K % 4]>().commit()\n    };\n}\nmacro_rules! tile { ($e:ty) => { DmTensor<i32, m![1], m![1], m![S], $e> } }\n",
    ),
    (
        "src/k.rs",
        "use furiosa_opt_std::prelude::*;\n\naxes![S = 256, K = 64];\n\n#[device(chip = 1, pe = 4)]\nfn kernel(device: &mut Device, x: &HbmTensor<i32, m![1], m![S, K]>) -> HbmTensor<i32, m![1], m![S, K]> {\n    let x: tile!(m![K]) = x.to_dm(&mut device.tdma);\n    let y: DmTensor<i32, m![1], m![1], m![S], m![K]> = step!(device, x);\n    y.to_hbm(&mut device.tdma)\n}\n",
    ),
    (
        "src/more.rs",
        "use furiosa_opt_std::prelude::*;\naxes![S = 256, K = 64];\nmacro_rules! own { ($n:ident) => { fn $n(device: &mut Device, x: &DmTensor<i32, m![1], m![1], m![S], m![K]>) { let y = step!(device, x); } } }\nown!(first);\nown!(second);\n",
    ),
];

/// Words of macros and their calls.
const OF_MACROS: &[&str] = &[
    "macro_rules! step { ($d:ident, $x:ident) => { $x } }\n",
    "macro_rules! own",
    "#[macro_export]\n",
    "#[macro_use]\n",
    "mod macros;\n",
    "mod k;\n",
    "step!(device, x)",
    "own!(third);\n",
    "own ! /* c */ (fourth);\n",
    "tile!(m![K])",
    "=>",
    "$x",
    "$d",
    "$(",
    ")*",
    "{",
    "}",
    "(",
    ")",
    ";",
    "K / 8",
    "K / 4",
    "4",
    "",
    "",
    "/*",
    "\"",
];

/// Edits the files of [`CROSSED`] as the choices say, opens and closes them, takes one away and puts it back, and compares the reports
/// with those of a fresh start.
///
/// # Errors
///
/// The texts after which they differ.
pub fn crossed_is_fresh(mut choices: Choices<'_>) -> Result<(), String> {
    let sort = Sort {
        path: PATH,
        head: "",
        words: OF_MACROS,
    };
    let in_package = choices.below(2) == Some(1);
    let start = |files: &BTreeMap<&str, String>| {
        let mut workspace = Workspace::new();
        if in_package {
            workspace.set_packages(vec![Package {
                name: "k".into(),
                root: "".into(),
            }]);
        }
        workspace.set_files(files.iter().map(|(path, text)| (*path, text.as_str())));
        workspace
    };
    let mut files: BTreeMap<&str, String> = CROSSED
        .iter()
        .map(|(path, text)| (*path, (*text).to_owned()))
        .collect();
    let mut edited = start(&files);
    while let Some(number) = choices.below(CROSSED.len()) {
        let Some((path, original)) = CROSSED.get(number) else {
            break;
        };
        match choices.below(8) {
            Some(0) => edited.open_file(path),
            Some(1) => {
                files.remove(path);
                edited.remove_file(path);
            }
            Some(2) => {
                files.insert(*path, (*original).to_owned());
                edited.set_files([(*path, *original)]);
            }
            Some(_) => {
                let text = files.entry(*path).or_default();
                let Some(edit) = edit_in(&sort, text, &mut choices) else {
                    break;
                };
                text.replace_range(edit.start..edit.end, &edit.text);
                edited.set_file(path, text);
            }
            None => break,
        }
        let (found, fresh) = (
            edited.analysis().check_all(),
            start(&files).analysis().check_all(),
        );
        if found != fresh {
            return Err(format!(
                "edited and fresh differ:\n{found:?}\n{fresh:?}\n{files:#?}"
            ));
        }
    }
    Ok(())
}

/// Bytes that decide what a text is made of.
#[derive(Debug, Clone, Copy)]
pub struct Choices<'a> {
    bytes: &'a [u8],
}

impl<'a> Choices<'a> {
    /// The choices of these bytes.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// A number below a limit, or none where the bytes are used up.
    fn below(&mut self, limit: usize) -> Option<usize> {
        let (first, second, rest) = match self.bytes {
            [first, second, rest @ ..] => (*first, *second, rest),
            [first] => (*first, 0, [].as_slice()),
            [] => return None,
        };
        self.bytes = rest;
        let number = usize::from(first) | usize::from(second) << 8;
        Some(number % limit.max(1))
    }
}

/// A text of the words of kernels, in any order.
pub fn of_words(choices: Choices<'_>) -> String {
    of_words_in(&RUST, choices)
}

/// A text of the words of kernels of a language, in any order.
pub fn of_words_in(sort: &Sort, mut choices: Choices<'_>) -> String {
    let mut text = sort.head.to_owned();
    while let Some(word) = choices
        .below(sort.words.len())
        .and_then(|word| sort.words.get(word))
    {
        text.push_str(word);
    }
    text
}

/// A part of a text that is replaced, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The first byte.
    pub start: usize,
    /// After the last byte.
    pub end: usize,
    /// What takes its place.
    pub text: String,
}

/// The next edit of a text: something is deleted, a word is typed, or a part of the text is written once more.
pub fn edit(text: &str, choices: &mut Choices<'_>) -> Option<TextEdit> {
    edit_in(&RUST, text, choices)
}

/// The next edit of a text of a language.
pub fn edit_in(sort: &Sort, text: &str, choices: &mut Choices<'_>) -> Option<TextEdit> {
    let start = text.floor_char_boundary(choices.below(text.len() + 1)?);
    let deleted = match choices.below(4)? {
        0 => 0,
        1 => 1,
        2 => choices.below(12)?,
        _ => choices.below(200)?,
    };
    let end = text.ceil_char_boundary((start + deleted).min(text.len()));
    let written = match choices.below(4)? {
        0 => String::new(),
        1 | 2 => sort
            .words
            .get(choices.below(sort.words.len())?)?
            .to_string(),
        _ => {
            let from = text.floor_char_boundary(choices.below(text.len() + 1)?);
            let to = text.floor_char_boundary((from + choices.below(200)?).min(text.len()));
            text.get(from..to.max(from))?.to_owned()
        }
    };
    Some(TextEdit {
        start,
        end,
        text: written,
    })
}

/// A text with as many edits as there are choices for.
pub fn spliced(base: &str, choices: Choices<'_>) -> String {
    spliced_in(&RUST, base, choices)
}

/// A text of a language with as many edits as there are choices for.
pub fn spliced_in(sort: &Sort, base: &str, mut choices: Choices<'_>) -> String {
    let mut text = base.to_owned();
    while let Some(edit) = edit_in(sort, &text, &mut choices) {
        text.replace_range(edit.start..edit.end, &edit.text);
    }
    text
}

/// A workspace of one file.
pub fn workspace(text: &str) -> Workspace {
    workspace_of(PATH, text)
}

/// Asks everything about a text.
///
/// # Errors
///
/// What is wrong with the answers: a defect of the engine, a place outside of the text, a fix that breaks the parse.
pub fn examine(text: &str) -> Result<(), String> {
    examine_in(&RUST, text)
}

/// Asks everything about a text of a language.
///
/// # Errors
///
/// As [`examine`].
pub fn examine_in(sort: &Sort, text: &str) -> Result<(), String> {
    let mut workspace = workspace_of(sort.path, text);
    let report = workspace.analysis().check_file(sort.path);
    sound(&report, text)?;
    questions(sort.path, &workspace, text)?;
    fix_all(&mut workspace, Trust::Machine);
    let fixed = workspace.analysis().check_file(sort.path);
    let mended = workspace.files().next().map(|(_, text)| text.to_string());
    let mended = mended.unwrap_or_default();
    sound(&fixed, &mended).map_err(|why| format!("after fixes: {why}: {mended}"))?;
    if fixed.syntax_errors > report.syntax_errors {
        return Err(format!("the fixes break the parse: {mended}"));
    }
    Ok(())
}

/// Whether a report is about a text: no defect, and every place in it.
///
/// # Errors
///
/// What is wrong with it.
pub fn sound(report: &FileReport, text: &str) -> Result<(), String> {
    if let Some(problem) = report.problems.iter().find(|problem| is_defect(problem)) {
        return Err(problem.to_string());
    }
    let inside =
        |start: u32, end: u32| start <= end && text.get(start as usize..end as usize).is_some();
    let places = |diagnostic: &Diagnostic| {
        let own = (diagnostic.range.start.byte, diagnostic.range.end.byte);
        let related = diagnostic.related.iter();
        let related = related.map(|place| (place.range.start.byte, place.range.end.byte));
        let edits = diagnostic.fixes.iter().flat_map(|fix| &fix.edits);
        let edits = edits.map(|edit| (edit.start_byte, edit.end_byte));
        std::iter::once(own)
            .chain(related)
            .chain(edits)
            .collect::<Vec<_>>()
    };
    for diagnostic in &report.diagnostics {
        for (start, end) in places(diagnostic) {
            if !inside(start, end) {
                return Err(format!(
                    "{start}..{end} is no place of the text: {}",
                    diagnostic.message
                ));
            }
        }
    }
    Ok(())
}

fn is_defect(problem: &Problem) -> bool {
    matches!(problem, Problem::Internal(_))
}

fn answered<T>(question: &str, answer: Result<T, Problem>) -> Result<(), String> {
    match answer {
        Err(problem) if is_defect(&problem) => Err(format!("{question}: {problem}")),
        _ => Ok(()),
    }
}

/// What an editor asks, at some places of the text.
fn questions(path: &str, workspace: &Workspace, text: &str) -> Result<(), String> {
    let analysis = workspace.analysis();
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let all = ByteRange {
        start: 0,
        end: length,
    };
    answered("cost", analysis.costs(path))?;
    answered("hints", analysis.inlay_hints(path, all, HintLevel::Line))?;
    answered("lenses", analysis.lenses(path))?;
    answered("symbols", analysis.document_symbols(path))?;
    answered("folding", analysis.folding_ranges(path))?;
    for part in 0..8_u32 {
        let offset = text.floor_char_boundary((length as usize * part as usize) / 8);
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        answered("hover", analysis.hover(path, offset))?;
        answered("completion", analysis.completions(path, offset))?;
        answered("definition", analysis.definition(path, offset))?;
        answered("selection", analysis.selection_ranges(path, offset))?;
        answered("memory map", analysis.memory_map(path, offset))?;
    }
    Ok(())
}

/// Edits a text as the choices say, and compares the report after each edit with that of a fresh start.
///
/// # Errors
///
/// The text after which they differ.
pub fn edited_is_fresh(base: &str, choices: Choices<'_>) -> Result<(), String> {
    edited_is_fresh_in(&RUST, base, choices)
}

/// Edits a text of a language, and compares the report after each edit with that of a fresh start.
///
/// # Errors
///
/// The text after which they differ.
pub fn edited_is_fresh_in(sort: &Sort, base: &str, mut choices: Choices<'_>) -> Result<(), String> {
    let mut edited = workspace_of(sort.path, base);
    edited.open_file(sort.path);
    let mut text = base.to_owned();
    while let Some(edit) = edit_in(sort, &text, &mut choices) {
        text.replace_range(edit.start..edit.end, &edit.text);
        edited.set_file(sort.path, &text);
        let found = edited.analysis().check_file(sort.path);
        let fresh = workspace_of(sort.path, &text)
            .analysis()
            .check_file(sort.path);
        sound(&found, &text)?;
        if found != fresh {
            return Err(format!(
                "edited and fresh differ:\n{found:?}\n{fresh:?}\n{text}"
            ));
        }
    }
    Ok(())
}

//! What kernels write of Rust that the vendor's compiler does not take: panics, parameters, closures, loops.
//!
//! The rules look at functions as they are written, see [`check_item`], and at what sets the elements of a tensor.

use crate::db::Db;
use crate::items::{ItemId, Span, dialect, functions_of};
use crate::kernel::{Body, Collective, CollectiveWork, OperationKind, Origin, TensorId};
use crate::libraries::{Library, Release};
use crate::lowering::constant_operands::{ComputedKind, ComputedOperand, computed_operands};
use crate::lowering::device_language::{
    LanguageFault, LanguageFaultKind, RangeStart, language_faults,
};

use super::{Alternative, Applicability, Checked, Edit, Finding, Fix, Level, Rule, rule, words};

pub(in crate::rules) static RUNTIME_PANIC: Rule = Rule {
    level: Some(Level::Deny),
    ..rule!(
        "runtime_panic",
        Toolchain,
        Language,
        "library",
        "a call or an index that may end the program while the kernel runs",
        "A kernel is translated into commands of the engines, and none of them ends a program. A condition that the \
         compiler can decide while it translates may be asserted, in `const { … }`. A condition on an argument, a loop's \
         variable or a value that was read may not, and the compiler refuses the call minutes later. Check it on the \
         host, before the launch.";
        holds: Holds::SUCCESSOR,
        refused: Refusal::BY_COMPILER,
    )
};

pub(in crate::rules) static GENERIC_KERNEL: Rule = Rule {
    level: Some(Level::Deny),
    ..rule!(
        "generic_kernel",
        Toolchain,
        Language,
        "library",
        "a kernel with type or const parameters, in a release whose compiler translates none",
        "The compiler translates a kernel where it finds it, with the sizes of its axes as numbers. Up to release 0.6 it has no place \
         where parameters of the kernel itself get their values; from 0.7 on a launch fixes them. Helpers may have \
         parameters in every release: the kernel calls them with axes of its own.";
        holds: Holds::SUCCESSOR.until(6),
        refused: Refusal::BY_COMPILER,
    )
};

pub(in crate::rules) static KERNEL_LANGUAGE: Rule = Rule {
    level: Some(Level::Deny),
    ..rule!(
        "kernel_language",
        Toolchain,
        Language,
        "library",
        "Rust that the compiler does not accept in a kernel",
        "The compiler unrolls a kernel into a fixed list of commands. It knows loops over numbers from 0 up to a \
         constant, calls of functions, arrays, tuples and structs. It sets all elements of a tensor at once. It copies no \
         register. It does not know closures, sequences that grow, loops with a condition and functions that call \
         themselves. An empty loop ends it with an internal error that names no line. In release 0.6, a range that does \
         not start at 0 does so too.";
        holds: Holds::SUCCESSOR,
        refused: Refusal::BY_COMPILER,
    )
};

pub(in crate::rules) static OPERAND_NOT_CONSTANT: Rule = Rule {
    level: Some(Level::Deny),
    ..rule!(
        "operand_not_constant",
        Toolchain,
        Language,
        "library",
        "an operand, a value or a pattern that the compiler needs as a constant is computed",
        "Immediates of the Vector Engine, the value that memory is set to and the indices of a redistribution are written \
         into the command. The compiler reads them from the source. It knows literals, `const` items and `const { … }`, \
         and follows neither calls nor casts of a size. A run without the hardware computes them like any other number, \
         so that only the compiler refuses the kernel. Put the computation into a `const` item or a block of constants.";
        holds: Holds::SUCCESSOR,
        refused: Refusal::BY_COMPILER,
    )
};

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[
    &RUNTIME_PANIC,
    &GENERIC_KERNEL,
    &KERNEL_LANGUAGE,
    &OPERAND_NOT_CONSTANT,
];

/// The first release whose compiler is known to refuse a copy of a register.
const CLONES_REFUSED: Release = Release::new(0, 8);

/// What is set in part, and copies of registers. All else is found in functions as they are written: see [`check_item`].
pub(super) fn check_device_language(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let body = checked.body;
    if body.reached_from_kernel && body.dialect.release >= CLONES_REFUSED {
        let clones = body.register_clones.iter();
        findings.extend(clones.filter_map(|(tensor, place)| word_clone(body, *tensor, *place)));
    }
    for operation in &body.operations {
        if let OperationKind::Collective(filled) = &operation.kind
            && matches!(filled.work, CollectiveWork::Fill { .. })
        {
            let targets = filled.targets.iter();
            findings.extend(targets.filter_map(|target| part_filled(body, filled, *target)));
        }
    }
}

/// A copy of a register: no command copies one.
fn word_clone(body: &Body, tensor: TensorId, place: Span) -> Option<Finding> {
    let register = body.tensor(tensor)?;
    let name = register.name.as_deref();
    let subject = name.map_or_else(|| "a register".to_owned(), |name| format!("`{name}`"));
    let message = format!(
        "{subject} is cloned, and no command copies a register: the compiler refuses the type of the copy"
    );
    let finding = Finding::new(&KERNEL_LANGUAGE, place, message)
        .related(register.span, "the register")
        .help("lend the register itself to each operation: an operation leaves it as it is");
    Some(finding)
}

/// A part of a tensor whose elements are set: the compiler sets tensors as a whole.
fn part_filled(body: &Body, filled: &Collective, target: TensorId) -> Option<Finding> {
    let mut tensor = body.tensor(target)?;
    loop {
        let Origin::View { of, tile } = &tensor.origin else {
            return None;
        };
        if let Some(window) = tile
            && let (Some(index), Some(length)) = (&window.index.value, window.length.value)
            && length < index.size()
        {
            let message = format!(
                "`{}` of a part of a tensor: the compiler sets tensors as a whole",
                filled.method
            );
            let kept = format!(
                "this keeps {length} of the {} values of `{index}`",
                index.size()
            );
            return Some(
                Finding::new(&KERNEL_LANGUAGE, filled.span, message)
                    .related(window.span, kept)
                    .help("set the whole tensor, or write the part by a pass"),
            );
        }
        tensor = body.tensor(*of)?;
    }
}

/// What is found in the functions of an item.
pub(super) fn check_item(db: &dyn Db, item: ItemId) -> Vec<Finding> {
    let release = dialect(db, item.file(db)).release;
    let mut findings = Vec::new();
    for function in functions_of(db, item) {
        let faults = language_faults(db, function);
        findings.extend(
            faults
                .iter()
                .filter_map(|fault| word_language_fault(fault, release)),
        );
        findings.extend(computed_operands(db, function).iter().map(word_operand));
    }
    findings
}

fn word_operand(operand: &ComputedOperand) -> Finding {
    let written = &operand.written;
    let (place, source) = &operand.source;
    let why = match operand.kind {
        ComputedKind::SizeCast => "a cast of a size is computed",
        ComputedKind::Call => "a call is computed",
        ComputedKind::LoopVariable => "the variable of a loop changes",
        ComputedKind::Condition => "the condition is decided while the kernel runs",
    };
    let message = format!("the compiler needs `{written}` as a constant, and {why}");
    let finding = Finding::new(&OPERAND_NOT_CONSTANT, operand.span, message);
    let finding = if place == &operand.span {
        finding
    } else {
        finding.related(*place, "it is computed here")
    };
    let finding = match operand.needed_at {
        Some(needed_at) => finding.related(needed_at, "the compiler needs it here"),
        None => finding,
    };
    match operand.kind {
        ComputedKind::SizeCast => {
            let constant = format!("const {{ {source} }}");
            let edit = Edit::new(*place, constant.clone());
            finding.stating(Some(Fix {
                title: format!("Write `{constant}`"),
                applicability: Applicability::Machine,
                edits: vec![edit],
                cost: None,
            }))
        }
        ComputedKind::Call => finding.help("compute it in the value of a constant"),
        ComputedKind::LoopVariable | ComputedKind::Condition => {
            finding.help("write an operation for each of the values, with the value as a literal")
        }
    }
}

/// The release whose compiler takes no range that starts elsewhere than at 0.
const FROM_ZERO: Release = Release::new(0, 6);

fn word_language_fault(fault: &LanguageFault, release: Release) -> Option<Finding> {
    let language = |message: String, help: &str| {
        Finding::new(&KERNEL_LANGUAGE, fault.span, message).help(help)
    };
    Some(match &fault.kind {
        LanguageFaultKind::Generic(names) => word_generic(names, fault.span, release),
        LanguageFaultKind::Panics(call) => {
            let message = format!("`{call}` may end the program while the kernel runs, which no command of the device can");
            Finding::new(&RUNTIME_PANIC, fault.span, message)
                .help("check it on the host before the launch; what depends on constants alone may be asserted in a block of constants")
        }
        LanguageFaultKind::RuntimeIndex => Finding::new(
            &RUNTIME_PANIC,
            fault.span,
            "the index is read while the kernel runs, and one beyond the end would end the program",
        )
        .help("index by constants and by the variables of loops"),
        LanguageFaultKind::Closure => language(
            "the compiler takes no closures in a kernel".to_owned(),
            "write it as a function and call that, or in the place where it is called",
        ),
        LanguageFaultKind::Sequence => language(
            "the compiler takes no `Vec` of tensors: how long it is would be known while the kernel runs".to_owned(),
            "use an array, a tuple or a struct",
        ),
        LanguageFaultKind::While => language(
            "the compiler takes no loop with a condition: how often it runs has to be known before".to_owned(),
            "count with a loop whose bounds are constants",
        ),
        LanguageFaultKind::EmptyLoop => language(
            "the compiler ends with an internal error at a loop without a statement".to_owned(),
            "remove the loop",
        ),
        LanguageFaultKind::NoTurns(range) => language(
            format!("`{range}` holds no number, and the compiler ends with an internal error at a loop that never runs"),
            "remove the loop, or correct its bounds",
        ),
        LanguageFaultKind::Recursion(through) => {
            let way = match through.as_slice() {
                [] => String::new(),
                others => format!(" by way of {}", words::names_in_code(others)),
            };
            language(
                format!("the function calls itself{way}, and the compiler writes every call out"),
                "use a loop whose bounds are constants",
            )
        }
        LanguageFaultKind::RangeStart(start) if release == FROM_ZERO => word_range_start(start, fault.span),
        LanguageFaultKind::RangeStart(_) => return None,
    })
}

fn word_generic(names: &[String], span: Span, release: Release) -> Finding {
    let names = words::names_in_code(names);
    let library = Library::OptStd.crate_name();
    let message = format!(
        "the kernel has the parameters {names}, and the compiler of `{library}` {release} translates none"
    );
    Finding::new(&GENERIC_KERNEL, span, message)
        .note("from release 0.7 on a launch fixes them")
        .help("call a helper with these parameters from a kernel that fixes them")
}

/// A loop that does not count from 0, and the same that does.
fn word_range_start(start: &RangeStart, span: Span) -> Finding {
    let (first, written) = (start.first, &start.written);
    let message = format!(
        "the range `{written}` starts at {first}: the compiler of release 0.6 rewrites loops that count from 0"
    );
    let finding = Finding::new(&KERNEL_LANGUAGE, span, message);
    let (Some(from_zero), Some((variable, uses))) = (&start.from_zero, &start.variable) else {
        return finding
            .help("count from zero, and add the first number where the variable is used");
    };
    let added = format!("({variable} + {first})");
    let mut edits = vec![Edit::new(span, from_zero.clone())];
    edits.extend(uses.iter().map(|place| Edit::new(*place, added.clone())));
    let title = if uses.is_empty() {
        format!("Write `{from_zero}`")
    } else {
        format!("Write `{from_zero}`, and `{added}` for `{variable}`")
    };
    let stated = Alternative {
        text: title.replacen("Write", "write", 1),
        edits: edits.clone(),
    };
    let mut finding = finding.alternatives("", [stated]);
    finding.fixes.push(Fix {
        title,
        applicability: Applicability::Machine,
        edits,
        cost: None,
    });
    finding
}

#[cfg(test)]
mod tests {
    use super::RULES;
    use crate::items::Dialect;
    use crate::libraries::{Library, Release};
    use crate::{Diagnostic, Workspace};

    fn found(minor: u16, text: &str) -> Vec<Diagnostic> {
        let mut workspace = Workspace::new();
        workspace.set_dialect(Dialect {
            library: Library::OptStd,
            release: Release::new(0, minor),
        });
        workspace.set_file("a.rs", text);
        let report = workspace.analysis().check_file("a.rs");
        let own = report.diagnostics.into_iter();
        own.filter(|found| RULES.iter().any(|rule| rule.name == found.rule))
            .collect()
    }

    /// The text at the places of the findings in the body of a kernel.
    fn places(minor: u16, body: &str) -> Vec<String> {
        let text =
            format!("const N: usize = 4;\n#[device]\nfn k(ctx: &mut C, a: A) {{ {body} }}\n");
        let found = found(minor, &text);
        let range = |found: &Diagnostic| {
            let bytes = found.range.start.byte as usize..found.range.end.byte as usize;
            text.get(bytes).unwrap_or_default().to_owned()
        };
        found.iter().map(range).collect()
    }

    #[test]
    fn what_depends_on_a_variable_may_not_end_the_program() {
        for (body, place) in [
            ("assert!(a > 1);", "assert"),
            ("for i in 0..4 { assert_eq!(i % 2, 0); }", "assert_eq"),
            ("a.first().unwrap();", "unwrap"),
            (
                "let n = a.read(&mut ctx.tdma).expect(\"a count\");",
                "expect",
            ),
            ("if a > 1 { std::panic!(\"{a}\"); }", "std::panic"),
            ("match a { 1 => {} _ => unreachable!() }", "unreachable"),
            (
                "let n = a.read(&mut ctx.tdma) as usize; f(xs[n + 1]);",
                "n + 1",
            ),
        ] {
            assert_eq!(places(8, body), [place], "{body}");
        }
    }

    #[test]
    fn what_constants_decide_may() {
        for body in [
            "assert!(N > 1);",
            "const { assert!(a > 1) };",
            "const X: usize = a.first().unwrap();",
            "if N > 8 { panic!(\"too many\"); }",
            "match N { 4 => {} _ => unreachable!() }",
            "N.checked_sub(1).unwrap();",
            "for i in 0..4 { f(xs[i]); }",
            "debug_assert!(a > 1);",
            "let n = a.len(); f(xs[n]);",
        ] {
            assert_eq!(places(8, body), [""; 0], "{body}");
        }
    }

    #[test]
    fn loops_and_closures() {
        let one = |minor, body| {
            let places = places(minor, body);
            assert!(places.len() < 2, "{places:?}");
            places.into_iter().next().unwrap_or_default()
        };
        assert_eq!(one(6, "for i in 1..4 { f(i); }"), "1..4");
        assert_eq!(one(6, "for i in N..8 { f(i); }"), "N..8");
        assert_eq!(one(6, "for i in (1..=4) { f(i); }"), "1..=4");
        assert_eq!(one(7, "for i in 1..4 { f(i); }"), "");
        assert_eq!(one(6, "for i in 0..4 { f(i); }"), "");
        assert_eq!(one(6, "for i in a..4 { f(i); }"), "");
        assert_eq!(one(8, "for i in 0..4 {}"), "for");
        assert_eq!(one(8, "for i in 0..0 { f(i); }"), "0..0");
        assert_eq!(one(8, "for i in N..4 { f(i); }"), "N..4");
        assert_eq!(one(8, "for i in N..=4 { f(i); }"), "");
        assert_eq!(one(8, "for i in 0..a { f(i); }"), "");
        assert_eq!(one(8, "while a < 4 { f(a); }"), "while");
        assert_eq!(one(8, "f(|x| x + 1);"), "|x| x + 1");
        assert_eq!(
            one(8, "let v: Vec<DmTensor<i8>> = f();"),
            "Vec<DmTensor<i8>>"
        );
        assert_eq!(one(8, "let v = vec![a];"), "vec");
        assert_eq!(one(8, "let v: Vec<usize> = f();"), "");
    }

    #[test]
    fn ranges_are_rewritten_with_their_variable() {
        let edits = |body: &str| {
            let text = format!("#[device]\nfn k(ctx: &mut C) {{ {body} }}\n");
            let found = found(6, &text);
            let edits = found.iter().flat_map(|found| &found.fixes);
            let edits = edits.flat_map(|fix| &fix.edits);
            edits.map(|edit| edit.text.clone()).collect::<Vec<_>>()
        };
        let rewritten = ["0..3", "(i + 1)", "(i + 1)"];
        assert_eq!(edits("for i in 1..4 { f(i); g(2 * i); }"), rewritten);
        assert_eq!(edits("for i in 2..A::SIZE { f(1); }"), ["0..A::SIZE - 2"]);
        assert_eq!(edits("for i in 1..4 { let i = 2; f(i); }"), [""; 0]);
        assert_eq!(edits("for i in 1..4 { f(m![i]); }"), [""; 0]);
        assert_eq!(edits("for (i, j) in 1..4 { f(i); }"), [""; 0]);
    }

    #[test]
    fn only_what_runs_on_the_device_is_looked_at() {
        let text = "#[device]\nfn k(c: &mut C, n: usize) { a(n); }\n\
                    fn a(n: usize) { b(n); }\nfn b(n: usize) { assert!(n > 1); a(n - 1); }\n\
                    fn host(n: usize) { assert!(n > 1); while n > 2 {} host(n); }\n";
        let found = found(8, text);
        let words: Vec<_> = found
            .iter()
            .map(|found| (found.range.start.line, &*found.message))
            .collect();
        let by = "the function calls itself by way of";
        assert_eq!(words.len(), 3, "{words:?}");
        assert_eq!(words[0].0, 3);
        assert!(words[0].1.starts_with(&format!("{by} `b`")), "{words:?}");
        assert!(words[1].1.starts_with(&format!("{by} `a`")), "{words:?}");
        assert!(words[2].1.starts_with("`assert!` may end"), "{words:?}");
    }

    /// What is computed of the operand of a kernel's only operation.
    fn computed(before: &str, operand: &str) -> Vec<String> {
        let text = format!(
            "axes![A = 8];\nconst N: f32 = 2.0;\nfn half() -> f32 {{ 0.5 }}\nfn of(n: usize) -> Vrf {{ n }}\n\
             #[device]\nfn k(device: &mut Device, x: X) {{ {before} x.vector_fp_div({operand}); }} }}\n"
        );
        let closed = text.replace(
            "; } }",
            if before.contains("for ") {
                "; } }"
            } else {
                "; }"
            },
        );
        let found = found(8, &closed);
        let operands = found
            .into_iter()
            .filter(|found| found.rule == "operand_not_constant");
        operands.map(|found| found.message).collect()
    }

    #[test]
    fn operands_are_constants() {
        for (before, operand, why) in [
            ("", "A::SIZE as f32", "a cast of a size is computed"),
            ("", "-(A::SIZE as f32)", "a cast of a size is computed"),
            (
                "let n = A::SIZE as f32;",
                "n",
                "a cast of a size is computed",
            ),
            ("", "1.0 / A::SIZE as f32", "a cast of a size is computed"),
            ("", "half()", "a call is computed"),
            ("", "N.sqrt()", "a call is computed"),
            ("", "2.0f32.powi(3)", "a call is computed"),
            ("", "f32::from_bits(7)", "a call is computed"),
            (
                "",
                "Branched::imm(TagGuard::all(), half())",
                "a call is computed",
            ),
            ("for i in 0..4 {", "i", "the variable of a loop changes"),
            (
                "for i in 0..4 {",
                "if i > 2 { 1.0 } else { 2.0 }",
                "the condition is decided",
            ),
        ] {
            let found = computed(before, operand);
            assert_eq!(found.len(), 1, "{before} {operand}: {found:?}");
            assert!(found[0].contains(why), "{found:?}");
        }
        for (before, operand) in [
            ("", "2.0"),
            ("", "-1.5"),
            ("", "N"),
            ("", "const { A::SIZE as f32 }"),
            ("let n = const { A::SIZE as f32 };", "n"),
            ("", "&w"),
            ("", "of(3)"),
            (
                "",
                "Branched::imm(TagGuard::all(), 1.0).imm(TagGuard::all(), N)",
            ),
            ("", "w.view()"),
            ("", "if N > 1.0 { 1.0 } else { 2.0 }"),
            ("let n = 1.0; let n = A::SIZE as f32;", "n"),
            ("", "unknown"),
        ] {
            assert_eq!(computed(before, operand), [""; 0], "{before} {operand}");
        }
    }

    #[test]
    fn what_a_helper_needs_as_a_constant_is_one_where_it_is_called() {
        let faults = |helper: &str, call: &str| {
            let text = format!(
                "axes![A = 8];\nfn of(n: usize) -> Vrf {{ n }}\nfn h(x: X, w: &[Vrf], n: usize) {{ {helper} }}\n\
                 fn inner(x: X, n: f32) {{ x.vector_fp_div(n); }}\n\
                 #[device]\nfn k(device: &mut Device, x: X, w: &[Vrf]) {{ for i in 0..4 {{ {call} }} }}\n"
            );
            let found = found(8, &text).into_iter();
            found
                .filter(|found| found.rule == "operand_not_constant")
                .count()
        };
        for (helper, call) in [
            ("x.vector_fp_div(n as f32);", "h(x, w, i);"),
            ("x.vector_fp_div(-(n as f32) * 2.0);", "h(x, w, i);"),
            ("inner(x, n as f32);", "h(x, w, i);"),
            (
                "x.vector_fp_div(Branched::imm(TagGuard::all(), n));",
                "h(x, w, i);",
            ),
        ] {
            assert_eq!(faults(helper, call), 1, "{helper} {call}");
        }
        for (helper, call) in [
            // Which register it is, the compiler knows: it writes every turn out.
            ("x.vector_fp_div(&w[n]);", "h(x, w, i);"),
            ("x.vector_fp_div(w[n].view());", "h(x, w, i);"),
            ("x.vector_fp_div(of(n));", "h(x, w, i);"),
            ("x.vector_fp_div(2.0);", "h(x, w, i);"),
            ("let n = 2.0; x.vector_fp_div(n);", "h(x, w, i);"),
            ("x.vector_fp_div(n as f32);", "h(x, w, 4);"),
            ("x.vector_fp_div(n as f32);", "h(x, w, const { A::SIZE });"),
            ("", "x.vector_fp_div(&w[i]); x.vector_fp_div(of(i));"),
        ] {
            assert_eq!(faults(helper, call), 0, "{helper} {call}");
        }
    }

    #[test]
    fn kernels_have_parameters_since_a_release() {
        let text = "#[device]\nfn k<'l, A: AxisName, const N: usize>(c: &'l mut C) { h::<A>(c); }\n\
                    fn h<A>(c: &mut C) {}\n";
        let early = found(6, text);
        assert_eq!(early.len(), 1, "{early:?}");
        assert!(
            early[0].message.contains("parameters `A` and `N`"),
            "{early:?}"
        );
        assert_eq!(found(7, text).len(), 0);
        let lifetimes = "#[device]\nfn k<'l>(c: &'l mut C) {}\n";
        assert_eq!(found(6, lifetimes).len(), 0);
        // The book's library has no such rule.
        let mut workspace = Workspace::new();
        workspace.set_file("a.rs", text);
        let report = workspace.analysis().check_file("a.rs");
        assert!(
            report
                .diagnostics
                .iter()
                .all(|found| found.rule != "generic_kernel")
        );
    }
}

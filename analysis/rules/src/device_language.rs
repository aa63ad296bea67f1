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

pub(crate) static RUNTIME_PANIC: Rule = Rule {
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

pub(crate) static GENERIC_KERNEL: Rule = Rule {
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

pub(crate) static KERNEL_LANGUAGE: Rule = Rule {
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

pub(crate) static OPERAND_NOT_CONSTANT: Rule = Rule {
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

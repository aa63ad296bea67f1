//! Forms of an earlier API in a kernel of the current package.
//!
//! Where no release is named, only what all releases of the package refuse is reported.

use super::edits::{fix_of_edits, removing_edit, replace_edit};
use super::releases::{Refused, Since, refused_since};
use super::{Context, Found};
use crate::transfers::Written;
use crate::values::{OlderForm, OlderKind};
use visa_findings::{Applicability, Edit, Finding, Rule, TextSpan, rule};

/// See the declaration.
pub static OLDER_FORM: Rule = rule!(
    Nki: "nki_older_form", Toolchain, "derived",
    "a form of an earlier release that the current one refuses",
    "With `nki`, instructions write a destination, which is their first argument, and the first axis needs no mark. Since release 0.3 \
     members of enumerations are no numbers, and memories no strings. The current form is a matter of spelling, which the fix writes.",
    fix
);

/// See the declaration.
pub static REMOVED_FORM: Rule = rule!(
    Nki: "nki_removed_form", Toolchain, "derived",
    "a form of an earlier release that has gone and takes thought to replace",
    "With `nki`, instructions give nothing back, and marked partitions after other axes, `arange` and masks are gone \
     since release 0.2. Later releases took away copies by a dynamic address of their own, and at last the older \
     package. Nothing of the same spelling takes their place: the finding says what does.",
    alt
);

/// What is said of a form.
struct Said {
    since: Since,
    /// Whether it is reported where no release is named.
    in_all: bool,
    message: &'static str,
    help: &'static str,
    title: &'static str,
}

const fn older_message(kind: OlderKind) -> Said {
    let (since, in_all, message, help, title) = match kind {
        OlderKind::Result => (
            Since(0, 2),
            true,
            "the result of an instruction, which gives nothing back",
            "allocate a tile and pass it as the first argument",
            "Pass the destination as the first argument",
        ),
        OlderKind::Partition => (
            Since(0, 2),
            true,
            "`par_dim`: the first axis is the partition",
            "put the partition axis first, and make a list of the tiles",
            "Write the extent alone",
        ),
        OlderKind::Arange => (
            Since(0, 2),
            false,
            "`arange`: indices are slices or access patterns",
            "write a slice, or a pattern by `.ap`",
            "",
        ),
        OlderKind::Mask => (
            Since(0, 2),
            true,
            "`mask` is an argument of the older API",
            "take a slice of the length that is left",
            "",
        ),
        OlderKind::Number => (
            Since(0, 3),
            false,
            "a number in place of a member of an enumeration",
            "write the member",
            "Write the member",
        ),
        OlderKind::TextBuffer => (
            Since(0, 3),
            false,
            "a memory as a string",
            "write the memory's object",
            "Write the memory's object",
        ),
        OlderKind::ScalesFirst => (
            Since(0, 3),
            false,
            "the scales before the operation",
            "pass the operation first",
            "Pass the operation first",
        ),
        OlderKind::GpsimdDma => (
            Since(0, 3),
            false,
            "`use_gpsimd_dma`: the engine is a member of `dma_engine`",
            "pass `dma_engine`",
            "Pass `dma_engine`",
        ),
        OlderKind::Immediate => (
            Since(0, 3),
            false,
            "`imm`: a register is moved",
            "allocate a register with the number, and pass it as `src`",
            "",
        ),
        OlderKind::DynamicCopy => (
            Since(0, 4),
            false,
            "a copy by a dynamic address of its own",
            "use `tensor_copy` of an `.ap` with `scalar_offset`",
            "",
        ),
        OlderKind::Decorator => (
            Since(0, 3),
            false,
            "an argument that the decorator no longer takes",
            "leave it out; the environment names the target",
            "Leave the argument out",
        ),
        OlderKind::Package => (
            Since(0, 4),
            false,
            "`neuronxcc.nki`, the package of the older API",
            "import `nki`",
            "",
        ),
    };
    Said {
        since,
        in_all,
        message,
        help,
        title,
    }
}

/// Looks at the forms of an earlier API.
pub fn check_older(context: &Context<'_>, found: &mut Vec<Found>) {
    for form in &context.followed.older {
        let said = older_message(form.kind);
        if context.release.is_none() && !said.in_all {
            continue;
        }
        if let Some(refused) = refused_since(said.since, context.release) {
            found.push(older_finding(form, &said, &refused, context.text));
        }
    }
}

fn older_finding(form: &OlderForm, said: &Said, refused: &Refused, text: &str) -> Found {
    let mut edits: Vec<Edit<TextSpan>> = form
        .edits
        .iter()
        .map(|(span, text)| replace_edit(*span, text.clone()))
        .collect();
    if form.kind == OlderKind::Decorator {
        let written = Written {
            value: form.span,
            whole: form.span,
        };
        edits.push(removing_edit(written, text));
    }
    let rule = if edits.is_empty() {
        &REMOVED_FORM
    } else {
        &OLDER_FORM
    };
    let mut finding = Finding::new(
        rule,
        form.span.into(),
        format!("{}, which {refused}", said.message),
    )
    .help(said.help);
    if !edits.is_empty() {
        finding
            .fixes
            .push(fix_of_edits(Applicability::Machine, said.title, edits));
    }
    finding
}

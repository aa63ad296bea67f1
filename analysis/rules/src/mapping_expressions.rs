//! Rules of the family "mapping expressions": what is wrong with an `m!`, `i!` or `axes!` as it is.
//!
//! They look at every call of these macros in an item, whether a kernel reaches it or not. A fault in an alias is the
//! alias's; its uses have none.

#![allow(
    clippy::mutable_key_type,
    reason = "a mapping is compared by what is written, which nothing changes"
)]

mod invalid;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use invalid::{quoted_mapping, word_invalid};

use super::indivisible::{Divisions, Operand};
use super::wording::selection_text;
use super::{Applicability, Cause, Checked, Edit, Finding, Rule, rule, words};
use crate::derivation::tensors::RepeatedAxis;
use crate::items::{
    MappingProblem, MappingProblemKind, MappingSite, NameRole, RolePlace, SiteKind, Span,
};
use crate::mapping::{Construct, Grammar};

pub(crate) static MAPPING_SYNTAX: Rule = rule!(
    "mapping_syntax",
    Mapping,
    Mappings,
    "Mapping Expressions",
    "`axes!`, `m!` or `i!` does not parse",
    "The three macros have small grammars of their own. They contain axes with `/`, `%`, `#` and `=`, each followed \
     by a plain number, commas between factors, brackets or parentheses around groups, braces around a Rust type. The \
     current library reads more. It has numbers of positions and kinds of padding from release 0.3 on, and a constant \
     in braces after an operator from 0.4. It has an axis or a quotient in parentheses there from 0.8, and lower-case \
     axes from 0.9. Anything else stops the compiler at the macro with few words. An alias that needs itself has no \
     mapping either.";
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static UNKNOWN_AXIS: Rule = rule!(
    "unknown_axis",
    Mapping,
    Mappings,
    "Axis Sizes",
    "a name in a mapping that is not an axis in scope, or an axis instead of a mapping",
    "The symbols of a mapping are axes, declared by `axes!` and found by Rust's rules for types: in the block, in the \
     module, or imported. An axis declared in another module has to be imported like any other name. An import may \
     rename it, and it stays the same axis. From release 0.8 of the current library on a bare name after an operator \
     is an axis too: a constant there is written in braces. An alias of a mapping is not an axis. The macro takes it \
     in braces, `m![{ Rows }, K]`, and a tensor takes `m![K]`, not the axis `K` itself. Names that look like the \
     unknown one are proposed, and never written without review: another axis is another kernel.";
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static DUPLICATE_AXIS: Rule = rule!(
    "duplicate_axis",
    Mapping,
    Mappings,
    "library",
    "one `axes!` declares a name twice",
    "Each axis becomes a type of its own with its size as a constant. So a name can be declared once in a scope, and \
     the compiler stops at the second one. Of two declarations with different sizes only one can be meant. Every \
     mapping that uses the name has to be read again when it is known which.";
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static AXIS_SIZE_ZERO: Rule = rule!(
    "axis_size_zero",
    Mapping,
    Mappings,
    "derived",
    "an axis without values, or with more than the machine can count",
    "An axis counts the values of an index, and a buffer over it has that many positions. With none there is nothing \
     to map, and every size that the axis takes part in is zero. A size beyond 64 bits does not exist for the \
     compiler.",
);

pub(crate) static STRIDE_INDIVISIBLE: Rule = rule!(
    "stride_indivisible",
    Mapping,
    Mappings,
    "Stride and Modulo",
    "`E / n` where `n` does not divide the size of `E`",
    "`E / n` counts the blocks of `n` positions in `E`. Blocks are whole. If a last block would be shorter, the \
     expression has no size, and the compiler stops at the first place that needs it. Pad `E` to a multiple first.",
    fix,
    alt;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static MODULO_INDIVISIBLE: Rule = rule!(
    "modulo_indivisible",
    Mapping,
    Mappings,
    "Stride and Modulo",
    "`E % n` where `n` does not divide the size of `E`",
    "`E % n` is the place inside a block of `n` positions of `E`. Blocks are whole. If a last block would be shorter, \
     the expression has no size, and the compiler stops at the first place that needs it. Pad `E` to a multiple \
     first.",
    fix,
    alt;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static PADDING_SHRINKS: Rule = rule!(
    "padding_shrinks",
    Mapping,
    Mappings,
    "Padding",
    "`E # n` where `n` is smaller than `E`",
    "The number after `#` is the size with the padding, not the padding that is added: `A # 256` is a buffer of 256 \
     positions. It can only be as large as what is padded, or larger; to keep fewer positions there is `=`. The library \
     takes the smaller number without a word and stops much later, when it lays out the tensor.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static RESIZE_GROWS: Rule = rule!(
    "resize_grows",
    Mapping,
    Mappings,
    "Resize",
    "`E = n` where `n` is larger than `E`",
    "A resize keeps the first `n` positions and drops the others, so it can only make a mapping smaller. Beyond the size \
     there is nothing to keep: positions past the last value would name indices that the axis does not have. Room \
     without data is padding, `#`.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static MAPPING_OVERFLOW: Rule = rule!(
    "mapping_overflow",
    Mapping,
    Mappings,
    "derived",
    "a product of sizes does not fit 64 bits",
    "Positions are counted in 64 bits, and the size of a pair is the product of its parts. A product beyond that \
     stops the compiler's constants where they are asked for, and no memory is as large. Most likely one of the sizes \
     has a digit too many, or a part is in the pair twice.",
);

pub(crate) static AXIS_REPEATED: Rule = rule!(
    "axis_repeated",
    Suspicious,
    Mappings,
    "derived",
    "one tensor's mapping selects the same digit of an axis twice",
    "A position stands for the index that its levels add up to. If two of them step through the same digit of an \
     axis, several positions stand for one element, and those beyond the axis for none. A transfer that fills the \
     tensor then has no unique result. Most often one of the two should be the rest of the axis (`A / 8` and \
     `A % 8`), or another axis.",
);

/// Whether the fixes of a rule guess which name was meant.
pub fn is_guess_of_a_name(rule: &Rule) -> bool {
    rule == &UNKNOWN_AXIS
}

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[
    &MAPPING_SYNTAX,
    &UNKNOWN_AXIS,
    &DUPLICATE_AXIS,
    &AXIS_SIZE_ZERO,
    &STRIDE_INDIVISIBLE,
    &MODULO_INDIVISIBLE,
    &PADDING_SHRINKS,
    &RESIZE_GROWS,
    &MAPPING_OVERFLOW,
    &AXIS_REPEATED,
];

/// What the mappings of a body's tensors and streams repeat; the expressions themselves are judged by [`check_sites`].
pub(super) fn check_mapping_expressions(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for RepeatedAxis {
        axis,
        parts,
        span,
        other,
    } in &checked.repeated_axes()
    {
        let [fine, coarse] = parts.map(selection_text);
        let mut finding = Finding::new(
            &AXIS_REPEATED,
            *span,
            format!(
                "`{axis}` is selected twice in one tensor: {fine} and {coarse} run over the same digits"
            ),
        )
        .caused_by(Cause::in_item("axis_repeated", format!("{axis} {parts:?}")));
        if let Some(other) = other {
            finding = finding.related(*other, "the other selection");
        }
        findings.push(finding);
    }
}

/// What the item around a fault says about it.
pub(super) struct Around<'a> {
    /// The text of a place.
    pub(super) source: &'a dyn Fn(Span) -> String,
    /// Whether the expression around it is sound in its place once another text is at a place in it.
    pub(super) works: &'a dyn Fn(Span, &str) -> bool,
    /// What the operator at fault is applied to, where that is known.
    pub(super) operand: Option<&'a Operand>,
    /// The module, in words that tell the modules of a file apart.
    pub(super) module: &'a str,
}

/// What is wrong with the calls of the macros in an item. `source` gives the text of a place, `remaining` the number of
/// problems in a call once another text is at a place in it, `operands` what the operators at fault are applied to,
/// `divisions` where the item divides each mapping.
pub(super) fn check_sites(
    sites: &[MappingSite],
    module: &str,
    source: impl Fn(Span) -> String,
    remaining: impl Fn(&MappingSite, Span, &str) -> usize,
    operands: impl Fn(&MappingSite) -> FxHashMap<Span, Operand>,
    divisions: impl Fn() -> Rc<Divisions>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut padded = Vec::new();
    for site in sites {
        let operands = operands(site);
        for problem in &site.problems {
            let works = |place: Span, text: &str| {
                site.kind != SiteKind::Mapping || remaining(site, place, text) < site.problems.len()
            };
            let operand = operands.get(&problem.span);
            let around = Around {
                source: &source,
                works: &works,
                operand,
                module,
            };
            let finding = to_finding(problem, &around);
            if let (Some(_), Some(operand)) = (&finding, operand) {
                padded.push((findings.len(), operand.clone()));
            }
            findings.extend(finding);
        }
    }
    if padded.iter().any(|(_, operand)| operand.padded.is_some()) {
        pad_alike(&mut findings, &padded, &divisions(), &source);
    }
    findings
}

/// Lets the first finding of each mapping that is to be padded pad it wherever the item divides it, with a remainder or
/// without one: the parts of a split fit each other only if they are parts of the same.
fn pad_alike(
    findings: &mut [Finding],
    operands: &[(usize, Operand)],
    divisions: &Divisions,
    source: &dyn Fn(Span) -> String,
) {
    let mut done = FxHashSet::default();
    for (number, operand) in operands {
        let Some(padded) = operand.padded else {
            continue;
        };
        let title = words::capitalised_text(&pad_title(operand, padded));
        let fix = findings
            .get_mut(*number)
            .and_then(|finding| finding.fixes.iter_mut().find(|fix| fix.title == title));
        let (Some(fix), true) = (fix, done.insert((&operand.base, padded))) else {
            continue;
        };
        let places = divisions.get(&operand.base).into_iter().flatten();
        let mut known = FxHashSet::from_iter([operand.first]);
        let others = places.filter(|division| known.insert(division.first));
        fix.edits.extend(others.map(|division| {
            Edit::new(
                division.first,
                format!("# {padded} {}", source(division.first)),
            )
        }));
    }
}

fn pad_title(operand: &Operand, padded: u64) -> String {
    format!("pad {} to {padded} first", quoted_mapping(&operand.base))
}

fn to_finding(problem: &MappingProblem, around: &Around<'_>) -> Option<Finding> {
    let span = problem.span;
    Some(match &problem.kind {
        MappingProblemKind::Grammar { message, instead } => {
            let finding = Finding::new(&MAPPING_SYNTAX, span, message.clone());
            match instead {
                Some((place, text)) => finding.fix(
                    Applicability::Machine,
                    format!("write `{text}`"),
                    *place,
                    text.clone(),
                ),
                None => finding,
            }
        }
        MappingProblemKind::NamedConstant {
            text,
            value,
            factor,
            grammar,
        } => word_constant(text, *value, *factor, *grammar, span),
        MappingProblemKind::CyclicAlias { name } => Finding::new(
            &MAPPING_SYNTAX,
            span,
            format!("the alias `{name}` needs itself, so it has no mapping"),
        ),
        MappingProblemKind::UnknownAxis { silent: true, .. }
        | MappingProblemKind::UnresolvedEscape => return None,
        MappingProblemKind::UnknownAxis {
            name,
            nearest,
            declared,
            imports_at,
            ..
        } => {
            let finding = match declared.as_slice() {
                [] => word_unknown(name, nearest, span),
                declared => word_elsewhere(name, declared, *imports_at, span),
            };
            finding.caused_by(Cause::in_file(
                "unknown_axis",
                format!("{}::{name}", around.module),
            ))
        }
        MappingProblemKind::OtherRole {
            name,
            wanted,
            place,
            instead,
        } => word_role(name, *wanted, place, instead.as_deref(), span),
        MappingProblemKind::DuplicateAxis { name, first } => Finding::new(
            &DUPLICATE_AXIS,
            span,
            format!("the axis `{name}` is declared twice"),
        )
        .related(*first, "first declared here"),
        MappingProblemKind::AxisSizeZero { name } => Finding::new(
            &AXIS_SIZE_ZERO,
            span,
            format!("the axis `{name}` has no values: nothing can be mapped over it"),
        )
        .help("an axis that is not needed yet has one value"),
        MappingProblemKind::AxisSizeOverflow { name } => Finding::new(
            &AXIS_SIZE_ZERO,
            span,
            format!("the size of the axis `{name}` does not fit 64 bits"),
        ),
        MappingProblemKind::Invalid(error) => return word_invalid(error, span, around),
    })
}

/// A constant where the macro takes a plain number or an axis.
fn word_constant(
    text: &str,
    value: Option<u64>,
    factor: bool,
    grammar: Grammar,
    span: Span,
) -> Finding {
    let name = text.trim_matches(['{', '}', ' ']);
    let (rule, message, other) = match (factor, grammar) {
        (true, grammar) if grammar.reads_construct(Construct::AxisFactor) => (
            &UNKNOWN_AXIS,
            format!("`{name}` is a constant, and a bare name is read as an axis"),
            Some(format!("{{ {name} }}")),
        ),
        (true, grammar) if grammar.reads_construct(Construct::ConstantFactor) => (
            &MAPPING_SYNTAX,
            format!(
                "the right operand is a plain decimal number or `{{ constant }}`, and `{name}` is a constant without braces"
            ),
            Some(format!("{{ {name} }}")),
        ),
        (true, grammar) => {
            let message = format!(
                "the right operand is a plain decimal number, and `{name}` is a constant, which the macro cannot read"
            );
            let message = if grammar.is_book() {
                message
            } else {
                format!("{message}; {}", Construct::ConstantFactor)
            };
            (
                &MAPPING_SYNTAX,
                message,
                value.map(|value| value.to_string()),
            )
        }
        (false, _) => (
            &UNKNOWN_AXIS,
            format!("`{name}` is a constant, and only an axis or a type stands for positions"),
            None,
        ),
    };
    let finding = Finding::new(rule, span, message);
    match other {
        Some(other) => finding.fix(
            Applicability::Maybe,
            format!("write `{other}`"),
            span,
            other,
        ),
        None if factor => finding.help("write its value"),
        None => {
            let size = value.map_or_else(|| "…".to_owned(), |value| value.to_string());
            let finding = finding.help(format!(
                "declare an axis of that size, `axes![{name} = {size}]`, in place of the constant, or write `1 # {size}` for \
                 positions that hold nothing"
            ));
            match value.filter(|value| *value > 0) {
                Some(value) => finding.fix(
                    Applicability::Maybe,
                    format!("write `1 # {value}`: positions that hold nothing"),
                    span,
                    format!("1 # {value}"),
                ),
                None => finding,
            }
        }
    }
}

/// An axis in the place of a mapping, or a mapping in the place of an axis.
fn word_role(
    name: &str,
    wanted: NameRole,
    place: &RolePlace,
    instead: Option<&str>,
    span: Span,
) -> Finding {
    let (is, takes) = match wanted {
        NameRole::Axis => ("a mapping", "an axis"),
        NameRole::Mapping => ("an axis", "a mapping"),
    };
    let reads = match place {
        RolePlace::Bare => format!("a bare name in the macro is read as {takes}"),
        RolePlace::Braces => format!("the macro takes {takes} in braces"),
        RolePlace::Argument(of) => format!("`{of}` takes {takes} here"),
    };
    let finding = Finding::new(
        &UNKNOWN_AXIS,
        span,
        format!("`{name}` is {is}, and {reads}"),
    );
    match instead {
        Some(instead) => finding.fix(
            Applicability::Machine,
            format!("write `{instead}`"),
            span,
            instead.to_owned(),
        ),
        None => finding.help(format!("name {takes} that holds what is meant")),
    }
}

/// An axis that other modules of the crate declare.
fn word_elsewhere(
    name: &str,
    declared: &[String],
    imports_at: Option<Span>,
    span: Span,
) -> Finding {
    let finding = Finding::new(
        &UNKNOWN_AXIS,
        span,
        format!("`{name}` names no axis in scope"),
    );
    let uses: Vec<String> = declared.iter().map(|path| format!("use {path};")).collect();
    let ways: Vec<String> = uses.iter().map(|text| format!("`{text}`")).collect();
    let finding = finding.help(format!(
        "the axis is declared in another module: write {}",
        ways.join(" or ")
    ));
    match (uses.as_slice(), declared, imports_at) {
        // What a module below the crate's root declares is seen everywhere in the crate; further down a module may be private.
        ([text], [path], Some(place)) if path.matches("::").count() <= 2 => finding.fix(
            Applicability::Machine,
            format!("import it: `{text}`"),
            place,
            format!("{text}\n"),
        ),
        _ => finding,
    }
}

fn word_unknown(name: &str, nearest: &[String], span: Span) -> Finding {
    let mut finding = Finding::new(
        &UNKNOWN_AXIS,
        span,
        format!("`{name}` names no axis in scope"),
    );
    // However similar, and be it the only one: a guess, and another axis is another kernel.
    for other in nearest {
        finding = finding.fix(
            Applicability::Maybe,
            format!("write `{other}`"),
            span,
            other.clone(),
        );
    }
    if nearest.is_empty() {
        finding.help(format!(
            "declare it: `axes![{name} = …]`, or import it from the module that does"
        ))
    } else {
        finding.help(format!(
            "similar names in scope: {}",
            words::names_in_code(nearest)
        ))
    }
}

#[cfg(test)]
mod tests;

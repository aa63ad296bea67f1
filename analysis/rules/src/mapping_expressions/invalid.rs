//! Words for operators whose numbers do not fit: divisions with a rest, paddings that shrink, resizes that grow.

use super::{
    AXIS_SIZE_ZERO, Around, MAPPING_OVERFLOW, MODULO_INDIVISIBLE, PADDING_SHRINKS, RESIZE_GROWS,
    STRIDE_INDIVISIBLE, pad_title,
};
use crate::items::Span;
use crate::mapping::{Mapping, MappingError, MappingKind};
use crate::{Applicability, Cause, Finding, Rule, words};

/// How far from a number the nearest divisors are searched.
const DIVISOR_DISTANCE: u64 = 4096;

/// How many divisors on each side are tried in the expression around.
const DIVISORS_TRIED: usize = 16;

pub(super) fn word_invalid(
    error: &MappingError,
    span: Span,
    around: &Around<'_>,
) -> Option<Finding> {
    let at_fault = |fault: &'static str, number: u64, finding: Finding| match around.operand {
        Some(operand) => {
            let (mapping, size) = (&operand.mapping, operand.mapping.size());
            let subject = format!("{mapping} of {size} and {number}");
            finding.caused_by(Cause::in_file(fault, subject))
        }
        None => finding,
    };
    Some(match *error {
        MappingError::StrideIndivisible { size, divisor } => {
            word_indivisible(&STRIDE_INDIVISIBLE, '/', size, divisor, span, around)
        }
        MappingError::ModuloIndivisible { size, divisor } => {
            word_indivisible(&MODULO_INDIVISIBLE, '%', size, divisor, span, around)
        }
        MappingError::ZeroDivisor { size } => {
            let (rule, operator) = if (around.source)(span).starts_with('%') {
                (&MODULO_INDIVISIBLE, '%')
            } else {
                (&STRIDE_INDIVISIBLE, '/')
            };
            let finding = word_indivisible(rule, operator, size, 0, span, around);
            at_fault("zero_divisor", 0, finding)
        }
        MappingError::PaddingShrinks { size, padded } => {
            let finding = Finding::new(
                &PADDING_SHRINKS,
                span,
                format!("{size} positions are padded to {padded}; the number after `#` is the size with the padding"),
            )
            .help(format!("pad to {size} or more, or keep {padded} positions with `= {padded}`"));
            let ways = [
                (format!("pad to {size} positions"), format!("# {size}")),
                (format!("keep {padded} positions"), format!("= {padded}")),
            ];
            let finding = with_ways(finding, span, ways, around.works);
            at_fault(PADDING_SHRINKS.name, padded, finding)
        }
        MappingError::ResizeGrows { size, resized } => {
            let finding = Finding::new(
                &RESIZE_GROWS,
                span,
                format!("{size} positions are resized to {resized}; a resize only drops positions"),
            )
            .help(format!("room without data is padding: `# {resized}`"));
            let ways = [
                (
                    format!("pad to {resized} positions"),
                    format!("# {resized}"),
                ),
                (format!("keep all {size} positions"), format!("= {size}")),
            ];
            let finding = with_ways(finding, span, ways, around.works);
            at_fault(RESIZE_GROWS.name, resized, finding)
        }
        MappingError::Overflow { outer, inner } => Finding::new(
            &MAPPING_OVERFLOW,
            span,
            format!("{outer} times {inner} positions do not fit 64 bits"),
        ),
        MappingError::ZeroSize => Finding::new(
            &AXIS_SIZE_ZERO,
            span,
            "no position is left: a mapping has at least one",
        ),
        // Reported where the axis is declared; or a limit of this analysis and no fault.
        MappingError::AxisSizeZero { .. } | MappingError::TooDeep => return None,
    })
}

/// Proposes what else could be written: what fits the expression around it, or all of it if nothing does.
fn with_ways(
    finding: Finding,
    span: Span,
    ways: impl IntoIterator<Item = (String, String)>,
    works: &dyn Fn(Span, &str) -> bool,
) -> Finding {
    let works = |text: &str| works(span, text);
    let ways: Vec<_> = ways.into_iter().collect();
    let fitting = ways.iter().filter(|(_, text)| works(text)).count();
    ways.into_iter()
        .filter(|(_, text)| fitting == 0 || works(text))
        .fold(finding, |finding, (title, text)| {
            finding.fix(Applicability::Maybe, title, span, text)
        })
}

/// `1 is left over`, `4 are left over`.
fn left_over(rest: u64) -> String {
    let verb = if rest == 1 { "is" } else { "are" };
    format!("{rest} {verb} left over")
}

/// Words a divisor that leaves a remainder; 0 is one that leaves everything.
fn word_indivisible(
    rule: &'static Rule,
    operator: char,
    size: u64,
    divisor: u64,
    span: Span,
    around: &Around<'_>,
) -> Finding {
    let works = |text: &str| (around.works)(span, text);
    let rest = size.checked_rem(divisor);
    let message = match (rest, around.operand) {
        (Some(rest), Some(operand)) => format!(
            "{size} positions of {} do not divide into blocks of {divisor}: {}",
            quoted_mapping(&operand.mapping),
            left_over(rest)
        ),
        (Some(rest), None) => format!(
            "{size} positions do not divide into blocks of {divisor}: {}",
            left_over(rest)
        ),
        (None, _) => "there are no blocks of 0 positions: the divisor is at least 1".to_owned(),
    };
    let mut finding = Finding::new(rule, span, message);
    let mut padding = rest.and_then(|rest| match around.operand {
        // All that the base is divided by fits the same size of it.
        Some(operand) => {
            let padded = operand.padded?;
            let text = format!("# {padded} {}", (around.source)(operand.first));
            Some((padded, operand.first, text))
        }
        None => {
            let padded = (size - rest).checked_add(divisor)?;
            Some((padded, span, format!("# {padded} {operator} {divisor}")))
        }
    });
    if let (Some(operand), Some((padded, ..))) = (around.operand, &padding) {
        let (base, size) = (&operand.base, operand.base.size());
        let subject = format!("{base} of {size} to {padded}");
        finding = finding.caused_by(Cause::in_file("indivisible", subject));
    }
    // The parts of a split that are right would no longer be.
    if around.operand.is_some_and(|operand| !operand.fits) {
        padding = None;
    }
    let with = |divisor: &u64| format!("{operator} {divisor}");
    let mut divisors = nearest_divisors(size, divisor, |other| works(&with(&other)));
    match &padding {
        Some((_, place, text)) if (around.works)(*place, text) => {}
        // Where neither fits the expression around it, that is at fault as well: both are named.
        _ if divisors.is_empty() => divisors = nearest_divisors(size, divisor, |_| true),
        _ => padding = None,
    }
    let mut ways = Vec::new();
    let fits = padding.is_some();
    if let Some((padded, place, text)) = padding {
        let way = match around.operand {
            Some(operand) => pad_title(operand, padded),
            None => format!("pad the operand to {padded} first"),
        };
        finding = finding.fix(Applicability::Maybe, way.clone(), place, text);
        ways.push(way);
    }
    // Blocks of another size make other packets: worth a proposal only where nothing else is there.
    for other in divisors.iter().filter(|_| !fits) {
        let title = format!("use blocks of {other}");
        finding = finding.fix(Applicability::Maybe, title, span, with(other));
    }
    match divisors.as_slice() {
        [] => {}
        [only] => ways.push(format!("use a divisor of {size} that fits here: {only}")),
        several => ways.push(format!(
            "use a divisor of {size}, the nearest being {}",
            words::listed_with_or(several)
        )),
    }
    finding.help(ways.join(", or "))
}

/// A mapping in a sentence: `` `D` `` or `` `m![A, B]` ``.
pub(super) fn quoted_mapping(mapping: &Mapping) -> String {
    match mapping.kind() {
        MappingKind::Product(_) => format!("`m![{mapping}]`"),
        _ => format!("`{mapping}`"),
    }
}

/// The nearest divisors of `size` below and above a number that fit, as far as they are near.
pub(super) fn nearest_divisors(size: u64, number: u64, fits: impl Fn(u64) -> bool) -> Vec<u64> {
    let divides = |candidate: &u64| *candidate > 0 && size.is_multiple_of(*candidate);
    let below = (number.saturating_sub(DIVISOR_DISTANCE)..number)
        .rev()
        .filter(divides)
        .take(DIVISORS_TRIED)
        .find(|divisor| fits(*divisor));
    let above = (number.saturating_add(1)..=number.saturating_add(DIVISOR_DISTANCE))
        .filter(divides)
        .take(DIVISORS_TRIED)
        .find(|divisor| fits(*divisor));
    below.into_iter().chain(above).collect()
}

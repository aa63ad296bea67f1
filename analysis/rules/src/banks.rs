//! Rules of DM's banks.

use crate::alternatives::mappings_alternative;
use crate::derivation::commit::CommitViolation;
use crate::derivation::conventions::Conventions;
use crate::derivation::fetch::{BankRun, FetchViolation};
use crate::derivation::{EndDerivation, StageDerivation};
use crate::hardware::BANK_RUN_LIMIT;
use crate::items::Span;
use crate::kernel::PassSource;

use super::sequencer::{bits_as_bytes, commit_target};
use super::{Applicability, Checked, Finding, Group, Rule, rule, wording};

pub(crate) static BANK_STARVATION: Rule = Rule {
    // Where the compiler keeps transfers away from such a pass.
    lesser: Some(Group::Suspicious),
    ..rule!(
        "bank_starvation",
        Hardware,
        Schedule,
        "Bank Starvation",
        "64 or more consecutive accesses to one bank of DM",
        "Bits 3 to 6 of a byte address choose one of 16 banks. At every bank, Fetch and Commit Engines go before the DMA \
         engine. The network on chip declares a DMA request dead after it has waited 4,096 cycles for a bank. Then only a \
         reset of the cluster helps. Loops that step by multiples of 128 bytes, or not at all, return to the same bank \
         with every access. The limit is 64 of them in a row. Pad the rows so that neighbours start in different banks, \
         or change the loops' order. The compiler of the current library runs no transfer during such a pass. There the \
         pass costs time but causes no reset, so the finding is a warning.",
        alt,
    )
};

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[&BANK_STARVATION];

/// Turns the violations of this family into findings.
pub(super) fn check_banks(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let mut found = Vec::new();
    starving(checked, &mut found);
    // The book's compiler says as much, but its kernels choose addresses and order themselves.
    if Conventions::of(checked.body.dialect).is_successor() {
        for finding in &mut found {
            finding.group = BANK_STARVATION.lesser;
        }
    }
    findings.append(&mut found);
}

fn starving(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for of in wording::judged_stages(checked) {
        let StageDerivation::Fetch(derived) = of.derived else {
            continue;
        };
        let source = match &of.pass.source {
            PassSource::Tensor(id) => checked.body.tensor(*id),
            _ => None,
        };
        let place = Place {
            verb: "the fetch",
            span: of.stage.output.time.span,
            buffer: source.map(|tensor| tensor.levels.element.span),
            method: of.stage.span,
        };
        let configuration = || Some(derived.sequence.as_ref()?.configuration());
        for violation in &derived.violations {
            if let FetchViolation::Bank(run) = violation {
                findings.push(to_finding(&place, run, configuration().as_deref()));
            }
        }
    }
    for (pass, derived) in wording::judged_passes(checked) {
        let EndDerivation::Commit(derived) = &derived.end else {
            continue;
        };
        let Some((target, method)) = commit_target(checked, pass) else {
            continue;
        };
        let place = Place {
            verb: "the commit",
            span: target.levels.element.span,
            buffer: Some(target.levels.element.span),
            method,
        };
        let configuration = || Some(derived.sequence.as_ref()?.configuration());
        for violation in &derived.violations {
            if let CommitViolation::Bank(run) = violation {
                findings.push(to_finding(&place, run, configuration().as_deref()));
            }
        }
    }
}

/// Where a sequencer is written.
struct Place {
    /// Who runs it.
    verb: &'static str,
    /// Where its order is written.
    span: Span,
    /// Where its buffer is mapped, if it is one tensor.
    buffer: Option<Span>,
    /// The method.
    method: Span,
}

fn to_finding(place: &Place, run: &BankRun, configuration: Option<&str>) -> Finding {
    let Place { verb, span, .. } = *place;
    let axis = run
        .entry
        .axis
        .as_ref()
        .map_or_else(String::new, |axis| format!(" over `{axis}`"));
    let size = run.entry.size;
    let why = match u64::try_from(run.stride_bits) {
        Ok(0) => format!("the loop{axis} ({size} iterations) does not move"),
        Ok(stride) => {
            format!(
                "the loop{axis} ({size} iterations) steps by {} and comes back to the bank",
                bits_as_bytes(stride)
            )
        }
        Err(_) => format!("the loop{axis} ({size} iterations) comes back to the bank"),
    };
    let finding = Finding::new(
        &BANK_STARVATION,
        span,
        format!(
            "{verb} makes {} consecutive accesses to one DM bank; {BANK_RUN_LIMIT} starve the DMA engine: {why}",
            run.run
        ),
    );
    let finding = match configuration {
        Some(configuration) => finding.note(format!("derived sequencer: {configuration}")),
        None => finding,
    };
    let better = run
        .better_stride_bits
        .and_then(|bits| u64::try_from(bits).ok());
    let general = match run.stride_bits {
        0 => {
            "make the packet larger than one access, or iterate over another axis inside this loop"
        }
        _ => "pad the rows, or iterate over another axis inside this loop",
    };
    let padded = run.padded_buffer.as_ref().filter(|_| run.stride_bits != 0);
    let padded = padded.zip(place.buffer).and_then(|(padded, buffer)| {
        let step = better.map_or_else(String::new, |better| {
            format!(", so that the loop steps by {}", bits_as_bytes(better))
        });
        let template = format!("pad the rows: {{}}{step}");
        mappings_alternative(&template, place.method, &[(buffer, padded)])
    });
    let ordered = run.other_time.as_ref().and_then(|time| {
        let template = "iterate in another order: {}";
        mappings_alternative(template, place.method, &[(span, time)])
    });
    let mut finding = finding
        .help(general)
        .alternatives("", padded.into_iter().chain(ordered));
    if let (Some(padded), Some(buffer), true) =
        (&run.padded_buffer, place.buffer, run.stride_bits != 0)
    {
        let replaced = [(buffer, padded)];
        finding = wording::propose_mappings(finding, Applicability::Maybe, place.method, &replaced);
    }
    if let Some(time) = &run.other_time {
        let replaced = [(span, time)];
        finding = wording::propose_mappings(finding, Applicability::Maybe, place.method, &replaced);
    }
    finding
}

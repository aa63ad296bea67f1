//! Rules of DM's banks.

use crate::derivation::commit::CommitViolation;
use crate::derivation::fetch::{BankRun, FetchViolation};
use crate::derivation::sequencer::SequenceReport;
use crate::derivation::{EndDerivation, StageDerivation};
use crate::hardware::BANK_RUN_LIMIT;
use crate::items::Span;

use super::sequencer::{bytes, commit_target};
use super::{Checked, Finding, Rule, rule, wording};

/// The family's rules.
pub(super) const RULES: &[Rule] = &[rule!(
    "bank_starvation",
    Hardware,
    "Bank Starvation",
    "64 or more consecutive accesses to one bank of DM",
    "Bits 3 to 6 of a byte address choose one of 16 banks, and Fetch and Commit Engines go before the DMA engine at every bank. \
     A DMA request that waits 4,096 cycles for a bank is declared dead by the network on chip, and only a reset of the cluster \
     helps. Loops that step by multiples of 128 bytes, or not at all, come back to the same bank with every access: at 64 of \
     them in a row the limit is reached. Pad the rows so that neighbours start in different banks, or change the loops' order.",
    alt,
)];

/// Turns the violations of this family into findings.
pub(super) fn check(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for of in wording::stages(checked) {
        let StageDerivation::Fetch(derived) = of.derived else {
            continue;
        };
        let configuration = derived.sequence.as_ref().map(SequenceReport::configuration);
        for violation in &derived.violations {
            if let FetchViolation::Bank(run) = violation {
                findings.push(word(
                    "the fetch",
                    of.stage.output.time.span,
                    run,
                    configuration.as_deref(),
                ));
            }
        }
    }
    for (pass, derived) in wording::passes(checked) {
        let EndDerivation::Commit(derived) = &derived.end else {
            continue;
        };
        let Some((target, _)) = commit_target(checked, pass) else {
            continue;
        };
        let configuration = derived.sequence.as_ref().map(SequenceReport::configuration);
        for violation in &derived.violations {
            if let CommitViolation::Bank(run) = violation {
                findings.push(word(
                    "the commit",
                    target.levels.element.span,
                    run,
                    configuration.as_deref(),
                ));
            }
        }
    }
}

fn word(verb: &str, span: Span, run: &BankRun, configuration: Option<&str>) -> Finding {
    let axis = run
        .entry
        .axis
        .as_ref()
        .map_or_else(String::new, |axis| format!(" over `{axis}`"));
    let size = run.entry.size;
    let why = match u64::try_from(run.stride_bits) {
        Ok(0) => format!("the loop{axis} ({size} iterations) stands still"),
        Ok(stride) => {
            format!(
                "the loop{axis} ({size} iterations) steps by {} and comes back to the bank",
                bytes(stride)
            )
        }
        Err(_) => format!("the loop{axis} ({size} iterations) comes back to the bank"),
    };
    let finding = Finding::new(
        "bank_starvation",
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
    finding.help(match (run.stride_bits, better) {
        (0, _) => {
            "make the packet larger than one access, or iterate over another axis inside this loop"
                .to_owned()
        }
        (_, Some(better)) => format!(
            "pad the rows so that the loop steps by {}, or iterate over another axis inside it",
            bytes(better)
        ),
        (_, None) => "iterate over another axis inside this loop".to_owned(),
    })
}

//! Rules of the schedule: transfers that wait without need, and operations that hold others back.
//!
//! What could run beside what, and what it would save, is in the simulation; here it gets its words.

use crate::hardware::BANK_RUN_LIMIT;
use crate::items::Span;
use crate::kernel::{Operation, OperationId, OperationKind};
use crate::simulation::overlap::{
    CombinedRun, HeldBack, MissedOverlap, Overlap, Remedy, SerialLoop, SharedTensor, may_combine,
};

use super::wording::thousands;
use super::{Alternative, Checked, Finding, Replacement, Rule, Saving, rule};

pub(crate) static BANK_STARVATION_COMBINED: Rule = rule!(
    "bank_starvation_combined",
    Suspicious,
    Schedule,
    "Cumulative Bank Access Constraint",
    "passes of both contexts may reach 64 accesses to one bank together",
    "The limit of 64 consecutive accesses to one bank counts all engines that go before the DMA engine. These are \
     fetch and commit of the main context and of the sub context, and the request itself. The compiler looks at one \
     command at a time. Where the schedule runs a pass of each context at the same time, and their runs on one bank \
     add up to 64, no other engine notices. Any transfer that asks for the bank meanwhile may wait too long. Pad the \
     rows of one of the two so that neighbours start in different banks, or let the passes follow each other.",
);

/// The rules about contexts that meet.
pub(super) const COMBINED: &[&Rule] = &[&BANK_STARVATION_COMBINED];

pub(crate) static SERIALIZED_BY_BANK: Rule = rule!(
    "serialized_by_bank",
    Performance,
    Schedule,
    "Compiler scheduling behavior",
    "a pass keeps the DMA engine waiting because of its bank pattern",
    "A pass with 64 or more consecutive accesses to one bank is scheduled as if it occupied the DMA engine too. So no \
     transfer can starve during it. What could have been loaded meanwhile is loaded afterwards. Reported where the \
     whole kernel would be shorter without the pattern; another row padding or another order of the loops removes it.",
);

/// An operation that waits for another one that it does not depend on.
pub static MISSED_OVERLAP: Rule = rule!(
    "missed_overlap",
    Performance,
    Schedule,
    "Scheduling",
    "an operation waits for another one that it does not depend on",
    "The three contexts run at the same time, and each keeps the program's order. A load waits without need if it \
     writes bytes that an earlier pass still reads, or if it comes after a store that waits for a pass. Another free \
     address (in a loop: a second buffer, used in turns) or an earlier place in the program lets it run meanwhile. In \
     the compiler's schedule a read of a tile waits for all earlier writes of its tensor, also of other tiles. Tiles \
     that are separate tensors do not wait. Nothing overlaps across the turns of a loop either: statements that are \
     written out, by hand or by a macro, do. Reported where the wait and the saving are at least 5 % of the kernel's \
     predicted cycles, of a loop 10 %.",
);

/// The rules about time that is lost.
pub(super) const RULES: &[&Rule] = &[&SERIALIZED_BY_BANK, &MISSED_OVERLAP];

/// Words for contexts that may starve the DMA engine together. The kernel is simulated only where two of its passes could.
pub(super) fn check_combined(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    if !may_combine(checked.body, checked.derivation()) {
        return;
    }
    let words = Words { checked };
    for combined in overlap_of_body(checked).combined_runs() {
        findings.extend(words.word_combined_run(&combined));
    }
}

fn overlap_of_body<'a>(checked: &Checked<'a>) -> Overlap<'a> {
    Overlap {
        body: checked.body,
        derivation: checked.derivation(),
        simulation: checked.simulation(),
    }
}

/// Words for time that is lost.
pub(super) fn check_schedule(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let overlap = overlap_of_body(checked);
    let words = Words { checked };
    for held in overlap.held_back() {
        findings.extend(words.held_back(&held));
    }
    for missed in overlap.missed() {
        findings.extend(words.missed(&missed));
    }
    for shared in overlap.shared_tensors() {
        findings.extend(words.word_shared_tensor(&shared));
    }
    findings.extend(
        overlap
            .serial_loops()
            .iter()
            .map(|serial| words.serial(serial)),
    );
}

struct Words<'a> {
    checked: &'a Checked<'a>,
}

impl Words<'_> {
    fn operation(&self, id: OperationId) -> Option<&Operation> {
        self.checked.body.operation(id)
    }

    fn saving(&self, id: OperationId, total: (u64, u64)) -> Saving {
        let costs = &self.checked.simulation().operations;
        let cycles = costs.get(id.0 as usize).and_then(|cost| cost.cycles);
        let cycles = cycles.unwrap_or_default();
        Saving {
            operation_before: cycles,
            operation_after: cycles,
            kernel: Some(total),
            simulated: true,
        }
    }

    fn missed(&self, missed: &MissedOverlap) -> Option<Finding> {
        let operation = self.operation(missed.operation)?;
        let blocker = self.operation(missed.blocker)?;
        let (before, after) = missed.total;
        let (why, help) = match missed.remedy {
            Remedy::Address(_) => (
                "whose bytes it writes over",
                "write it to an address that nothing uses".to_owned(),
            ),
            Remedy::SecondBuffer(_) => (
                "of the run before, which uses the buffer that it writes",
                "write every other run to a second buffer".to_owned(),
            ),
            Remedy::Before(_) => (
                "that a transfer before it needs",
                format!(
                    "move it before {}: nothing between the two touches what it touches",
                    match missed.remedy {
                        Remedy::Before(other) => self.place_words(other),
                        Remedy::Address(_) | Remedy::SecondBuffer(_) => String::new(),
                    }
                ),
            ),
        };
        let mut finding = Finding::new(
            &MISSED_OVERLAP,
            method_place(operation),
            format!(
                "this waits {} cycles for {} {why}, and does not depend on it: if both ran at once, the kernel would take {} instead of \
                 {} cycles",
                thousands(missed.waits),
                self.operation_phrase(blocker),
                thousands(after),
                thousands(before),
            ),
        )
        .help(help)
        .related(method_place(blocker), "it waits for this")
        .saves(self.saving(missed.operation, missed.total));
        if let Remedy::SecondBuffer(address) = missed.remedy {
            finding = finding.note(format!("the bytes from {address:#x} on are free for it"));
        }
        if let Remedy::Address(address) = missed.remedy
            && let Some(span) = self.target_address(operation)
        {
            let stated = Alternative::text(span, Replacement::address(address));
            finding = finding.alternatives("write it to an address that nothing uses: ", [stated]);
        }
        if let Remedy::Before(other) = missed.remedy
            && let Some(other) = self.operation(other)
        {
            finding = finding.related(method_place(other), "it could be before this");
        }
        Some(finding)
    }

    fn word_shared_tensor(&self, shared: &SharedTensor) -> Option<Finding> {
        let (reader, writer) = (
            self.operation(shared.reader)?,
            self.operation(shared.writer)?,
        );
        let lifetime = self
            .checked
            .derivation()
            .memory
            .lifetimes
            .get(shared.allocation)?;
        let tensor = self.checked.body.tensor(lifetime.tensor)?;
        let name = tensor.name.as_ref();
        let name = name.map_or_else(|| "its tensor".to_owned(), |name| format!("`{name}`"));
        let (before, after) = shared.total;
        let finding = Finding::new(
            &MISSED_OVERLAP,
            method_place(reader),
            format!(
                "this reads a tile of {name} and waits for {} that writes another tile: a read of a tile waits for all earlier writes \
                 of its tensor. With a tensor a tile the kernel would take {} instead of {} cycles",
                self.operation_phrase(writer),
                thousands(after),
                thousands(before),
            ),
        )
        .help("give each tile a tensor of its own")
        .related(method_place(writer), "it waits for this")
        .saves(self.saving(shared.reader, shared.total));
        Some(finding)
    }

    fn serial(&self, serial: &SerialLoop) -> Finding {
        let (before, after) = serial.total;
        Finding::new(
            &MISSED_OVERLAP,
            serial.span,
            format!(
                "no operation overlaps with one of another turn of a loop: with its {} turns written out, the kernel would take {} instead of \
                 {} cycles",
                thousands(serial.turns),
                thousands(after),
                thousands(before),
            ),
        )
        .help("write the turns out, for example with a macro")
        .saves(self.saving(serial.first, serial.total))
    }

    /// Where the address is written that a transfer writes to.
    fn target_address(&self, operation: &Operation) -> Option<Span> {
        let OperationKind::Copy(copy) = &operation.kind else {
            return None;
        };
        let target = self.checked.body.tensor(copy.target)?;
        Some(target.address.span)
    }

    fn held_back(&self, held: &HeldBack) -> Option<Finding> {
        let operation = self.operation(held.operation)?;
        let (before, _) = held.total;
        let finding = Finding::new(
            &SERIALIZED_BY_BANK,
            method_place(operation),
            format!(
                "no transfer runs during this pass, because it accesses one bank of DM {BANK_RUN_LIMIT} times or more in a row; \
                 the kernel takes {} cycles",
                thousands(before),
            ),
        )
        .help("pad the rows of the tensor, or change the order of the loops, so that neighbouring accesses start in different banks")
        .saves(self.saving(held.operation, held.total).as_estimate());
        let waiting = held.held.and_then(|id| self.operation(id));
        Some(match waiting {
            Some(waiting) => finding.related(method_place(waiting), "this transfer waits for it"),
            None => finding,
        })
    }

    fn word_combined_run(&self, combined: &CombinedRun) -> Option<Finding> {
        let (main, sub) = (
            self.operation(combined.main.0)?,
            self.operation(combined.sub.0)?,
        );
        let (one, two, total) = (combined.main.1, combined.sub.1, combined.accesses());
        let transfer = combined.transfer.and_then(|id| self.operation(id));
        let sum = match transfer {
            Some(_) => format!(
                "with the request of the transfer that runs meanwhile these are {total}, and the transfer may starve at {BANK_RUN_LIMIT}"
            ),
            None => format!(
                "together {total}, and a transfer that runs meanwhile may starve at {BANK_RUN_LIMIT}"
            ),
        };
        let finding = Finding::new(
            &BANK_STARVATION_COMBINED,
            method_place(main),
            format!(
                "this pass accesses one bank of DM {one} times in a row, and the simultaneous pass of the sub context {two} \
                 times: {sum}"
            ),
        )
        .help("pad the rows of one of the two tensors so that neighbouring accesses start in different banks, or let one pass wait for the other")
        .related(method_place(sub), "the pass of the sub context");
        Some(match transfer {
            Some(transfer) => finding.related(
                method_place(transfer),
                "the transfer that runs at the same time",
            ),
            None => finding,
        })
    }

    /// An operation in a few words.
    fn operation_phrase(&self, operation: &Operation) -> &'static str {
        match &operation.kind {
            OperationKind::Copy(_) => "a transfer",
            OperationKind::Collective(_) => "a collective",
            OperationKind::Pass(pass) => match pass.context {
                Some(crate::kernel::Context::Sub) => "a pass of the sub context",
                _ => "a pass of the main context",
            },
        }
    }

    fn place_words(&self, id: OperationId) -> String {
        let method = self.operation(id).map(|operation| match &operation.kind {
            OperationKind::Copy(copy) => copy.method,
            OperationKind::Collective(collective) => collective.method,
            OperationKind::Pass(_) => "begin",
        });
        format!("the earlier `{}`", method.unwrap_or("operation"))
    }
}

/// Where an operation is written: its method.
fn method_place(operation: &Operation) -> Span {
    match &operation.kind {
        OperationKind::Copy(copy) => copy.span,
        OperationKind::Collective(collective) => collective.span,
        OperationKind::Pass(_) => operation.span,
    }
}

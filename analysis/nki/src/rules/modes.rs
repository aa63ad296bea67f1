//! Modes of descriptor generation with the engines, targets and addresses that they can have.

use super::edits::{fix_of_edits, removing_edit, with_mode};
use super::transpose::hardware_refusal;
use super::{Context, Found};
use crate::names::Mode;
use crate::transfers::{Kind, Transfer};
use crate::types::{Generation, Generations};
use visa_findings::{Alternative, Applicability, Finding, Rule, TextSpan, rule};

/// See the declaration.
pub static HWDGE_ENGINE: Rule = rule!(
    Nki: "nki_hwdge_engine", Hardware, "hwdge — hardware DGE",
    "hardware descriptors are triggered by an engine other than Scalar and Sync",
    "The hardware block is triggered by the sequencer of the Scalar Engine or of the Sync Engine. No other engine has a way to it. \
     Name Scalar or Sync, or leave the engine out, so that the compiler chooses.",
    alt
);

/// See the declaration.
pub static ENGINE_IGNORED: Rule = rule!(
    Nki: "nki_engine_ignored", Hardware, "hwdge — hardware DGE",
    "an engine given with a mode whose descriptors no engine triggers",
    "`engine=` chooses the sequencer that triggers the hardware block. With `none` the host has made the descriptors, with `swdge` the \
     GpSimd Engine makes them: there is nothing to trigger.",
    fix, alt
);

/// See the declaration.
pub static ENGINE_WITHOUT_MODE: Rule = rule!(
    Nki: "nki_engine_without_mode", Suspicious, "derived",
    "an engine given while the mode is left to the compiler",
    "Only hardware descriptors have an engine that triggers them. The compiler may choose a mode that has none, and \
     `engine` then has no effect. Use `hwdge` with the engine, or leave both out.",
    fix
);

/// See the declaration.
pub static HWDGE_TARGET: Rule = rule!(
    Nki: "nki_hwdge_target", Hardware, "Mode Selection Summary",
    "hardware descriptors on a core without the hardware block that makes them",
    "The block that makes descriptors came with the third generation of the core, trn2. On inf2 and trn1 descriptors are made by the \
     host or by the GpSimd Engine.",
    alt
);

/// See the declaration.
pub static DYNAMIC_DESCRIPTOR: Rule = rule!(
    Nki: "nki_dynamic_descriptor", Suspicious, "none — pre-computed descriptors in HBM",
    "descriptors made before the run, for an address that is computed during it",
    "With `none` the host writes all addresses before the kernel runs. One that comes from a register is not known \
     then. Use `hwdge`, which makes descriptors while the kernel runs, or `swdge`; `unknown` leaves the choice to \
     the compiler.",
    alt
);

/// See the declaration.
pub static PRIORITY: Rule = rule!(
    Nki: "nki_priority", Hardware, "derived",
    "a priority that is not in 0 to 3, or on a core without priorities",
    "Queues have four priorities, 0 to 3, from the fourth generation of the core (trn3) on. Earlier cores refuse \
     the argument: leave it out in kernels that also run on them."
);

/// Looks at a transfer.
pub fn check_modes(transfer: &Transfer, context: &Context<'_>, found: &mut Vec<Found>) {
    check_engines(transfer, context, found);
    if let Some((Mode::Hardware, written)) = transfer.mode.known_value() {
        hardware_target(transfer, context, written.value.into(), found);
    }
    if let Some((Mode::Static, written)) = transfer.mode.known_value()
        && transfer.is_dynamic()
        && !transfer.may_be_indirect()
    {
        let alternatives = [Mode::Hardware, Mode::Software]
            .into_iter()
            .filter_map(|mode| mode_instead(transfer, context, mode));
        found.push(
            Finding::new(
                &DYNAMIC_DESCRIPTOR,
                written.value.into(),
                "descriptors are made before the run, and an address of this transfer is computed during it",
            )
            .alternatives("write ", alternatives),
        );
    }
    check_priority(transfer, found);
}

fn check_engines(transfer: &Transfer, context: &Context<'_>, found: &mut Vec<Found>) {
    let Some((engine, at)) = transfer.engine.known_value() else {
        return;
    };
    let name = engine.0;
    if name == "unknown" {
        return;
    }
    let mode = match &transfer.mode {
        crate::transfers::Stated::LeftOut if !transfer.has_unseen => Mode::Unknown,
        stated => match stated.known_value() {
            Some((mode, _)) => mode,
            None => return,
        },
    };
    let is_trigger = matches!(name, "scalar" | "sync");
    match mode {
        Mode::Hardware if !is_trigger => {
            let prefix = at
                .value
                .text_in(context.text)
                .rsplit_once('.')
                .map(|(prefix, _)| prefix);
            let prefix = prefix.filter(|prefix| prefix.ends_with("engine"));
            let alternatives = ["scalar", "sync"].into_iter().filter_map(|engine| {
                Some(Alternative::text(
                    at.value.into(),
                    format!("{}.{engine}", prefix?),
                ))
            });
            found.push(
                Finding::new(
                    &HWDGE_ENGINE,
                    at.value.into(),
                    format!("the `{name}` engine cannot trigger hardware descriptors: only `scalar` and `sync` can"),
                )
                .help("trigger them with `scalar` or `sync`")
                .alternatives("write ", alternatives),
            );
        }
        Mode::Static | Mode::Software => {
            let mut finding = Finding::new(
                &ENGINE_IGNORED,
                at.value.into(),
                format!(
                    "`{name}` triggers nothing: with `{}` {}",
                    mode.name(),
                    mode.maker()
                ),
            )
            .help("leave out `engine`, or use hardware descriptors");
            finding.fixes.push(fix_of_edits(
                Applicability::Machine,
                "Leave out `engine`",
                vec![removing_edit(at, context.text)],
            ));
            if is_trigger && require_legal_mode(transfer, Mode::Hardware).is_ok() {
                finding = finding.alternatives(
                    "leave out `engine`, or write ",
                    mode_instead(transfer, context, Mode::Hardware),
                );
            }
            found.push(finding);
        }
        Mode::Unknown => {
            let mut finding = Finding::new(
                &ENGINE_WITHOUT_MODE,
                at.value.into(),
                format!(
                    "`{name}` triggers hardware descriptors only, and the compiler may choose another mode"
                ),
            );
            if is_trigger && require_legal_mode(transfer, Mode::Hardware).is_ok() {
                let applicability = if transfer.unresolved().is_none()
                    && transfer.generations != Generations::ANY
                {
                    Applicability::Machine
                } else {
                    Applicability::Maybe
                };
                let edit = with_mode(transfer, context.text, Mode::Hardware);
                finding.fixes.extend(edit.map(|edit| {
                    fix_of_edits(applicability, "Use hardware descriptors", vec![edit])
                }));
            }
            found.push(finding);
        }
        Mode::Hardware => {}
    }
}

fn mode_instead(
    transfer: &Transfer,
    context: &Context<'_>,
    mode: Mode,
) -> Option<Alternative<TextSpan>> {
    require_legal_mode(transfer, mode).ok()?;
    let edit = with_mode(transfer, context.text, mode)?;
    let mut alternative = Alternative {
        text: format!("`{}`", edit.text.trim_start_matches(", ")),
        edits: vec![edit],
    };
    if mode != Mode::Hardware
        && let Some(engine) = transfer.engine.written_place()
    {
        alternative.edits.push(removing_edit(engine, context.text));
    }
    Some(alternative)
}

fn hardware_target(
    transfer: &Transfer,
    context: &Context<'_>,
    span: TextSpan,
    found: &mut Vec<Found>,
) {
    let second = Generations::one(Generation::Trn1);
    if !transfer.generations.are_among(second) {
        return;
    }
    let modes: &[Mode] = if transfer.kind == Kind::Transpose {
        &[Mode::Unknown]
    } else {
        &[Mode::Software, Mode::Static]
    };
    let alternatives = modes
        .iter()
        .filter_map(|mode| mode_instead(transfer, context, *mode));
    found.push(
        Finding::new(
            &HWDGE_TARGET,
            span,
            "hardware descriptors need generation 3 (trn2) or later; this code is for generation 2 (inf2, trn1)",
        )
        .help("let the GpSimd Engine or the host make the descriptors")
        .alternatives("write ", alternatives),
    );
}

fn check_priority(transfer: &Transfer, found: &mut Vec<Found>) {
    let Some((priority, at)) = transfer.priority.known_value() else {
        return;
    };
    let earlier = Generations::one(Generation::Trn3).not();
    let message = if !(0..=3).contains(&priority) {
        format!("priority {priority} is not in 0 to 3")
    } else if transfer.generations.are_among(earlier) {
        format!(
            "{} has no queue priorities: generation 4 (trn3) introduced them",
            transfer.generations.target_names()
        )
    } else {
        return;
    };
    found.push(Finding::new(&PRIORITY, at.value.into(), message));
}

/// Whether a transfer may have a mode, as far as is known.
///
/// # Errors
///
/// Why it may not, in a clause.
pub fn require_legal_mode(transfer: &Transfer, mode: Mode) -> Result<(), String> {
    let is_transpose = transfer.kind == Kind::Transpose;
    let second = Generations::one(Generation::Trn1);
    match mode {
        Mode::Unknown => Ok(()),
        Mode::Static | Mode::Hardware if transfer.is_indirect() => {
            Err("rows are chosen at run time, by the GpSimd Engine alone".to_owned())
        }
        Mode::Static if transfer.is_dynamic() => {
            Err("an address is computed at run time".to_owned())
        }
        Mode::Static if is_transpose => Err("a transpose takes `unknown` and `hwdge`".to_owned()),
        Mode::Software if is_transpose && transfer.is_direct() => {
            Err("the GpSimd Engine transposes only what it gathers".to_owned())
        }
        Mode::Software
            if is_transpose && transfer.is_indirect() && transfer.generations.are_among(second) =>
        {
            Err("an indirect transpose needs generation 3".to_owned())
        }
        Mode::Hardware if transfer.generations.are_among(second) => {
            Err("generation 2 has no hardware block".to_owned())
        }
        Mode::Hardware if is_transpose => match hardware_refusal(transfer) {
            Some(reason) => Err(reason),
            None => Ok(()),
        },
        Mode::Hardware => match transfer.engine.known_value() {
            Some((engine, _)) if !matches!(engine.0, "scalar" | "sync" | "unknown") => {
                Err(format!("the `{}` engine cannot trigger it", engine.0))
            }
            _ => Ok(()),
        },
        Mode::Static | Mode::Software => Ok(()),
    }
}

/// Each mode with why it cannot be had here, if so.
pub fn legal_modes(transfer: &Transfer) -> Vec<(Mode, Option<String>)> {
    Mode::ALL
        .into_iter()
        .map(|mode| (mode, require_legal_mode(transfer, mode).err()))
        .collect()
}

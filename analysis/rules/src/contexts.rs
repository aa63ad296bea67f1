//! Rules about the two contexts of the Tensor Unit: which of them runs a stage, and who may store to a register file.

use crate::db::Db;
use crate::derivation::pipeline::{self, PipelineViolation, Place};
use crate::items::Span;
use crate::kernel::dialect::Dialect;
use crate::kernel::{Body, CanonicalStage, Context, Engine, Pass, PassEnd};

use super::chains::{first_field, passes_of};
use super::fetch::FETCH_SUB_CONTEXT_ADAPTER;
use super::{Applicability, Checked, Edit, Finding, Fix, Level, Rule, rule, wording};

pub(crate) static CONTEXT_RESTRICTION: Rule = rule!(
    "context_restriction",
    Hardware,
    Language,
    "library",
    "a stage that the context of its pass does not have",
    "The main context runs contractions, table lookups and the conversions of a commit; the sub context packs valid elements and \
     loads the register files. The library gives each context the methods that it has: in the other one the method does \
     not exist, and the kernel does not compile.";
    holds: Holds::SUCCESSOR.since(5),
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static REGISTER_STORE_FROM_MAIN: Rule = Rule {
    level: Some(Level::Warn),
    ..rule!(
        "register_store_from_main",
        Silent,
        Language,
        "library",
        "a pass of the main context that stores to a register file without the sub context",
        "The register files are loaded by the sub context. Up to release 0.6 the vector register file, and up to 0.9 the \
         tensor register file, can be loaded by a pass of the main context as well, as far as types go. Kernels that did \
         so were seen to hang, or to compute with the weights that were there before. Later releases ask for the sub \
         context as an argument.",
        fix;
        holds: Holds::SUCCESSOR.until(9),
    )
};

pub(crate) static STAGE_UNIMPLEMENTED: Rule = Rule {
    level: Some(Level::Deny),
    ..rule!(
        "stage_unimplemented",
        Toolchain,
        Language,
        "library",
        "a stage that the library names and has no body for",
        "Some stages of the machine have a method without a body in the library. The kernel compiles, but a run panics at \
         the call. What they do has to be done by other means until a release brings them.";
        holds: Holds::SUCCESSOR,
        refused: Refusal::BY_LIBRARIES,
    )
};

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[
    &CONTEXT_RESTRICTION,
    &REGISTER_STORE_FROM_MAIN,
    &STAGE_UNIMPLEMENTED,
];

/// Turns what a context does not run into findings.
pub(super) fn check_contexts(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for (pass, derived) in wording::judged_passes(checked) {
        for violation in &derived.pipeline.violations {
            findings.extend(match violation {
                PipelineViolation::Context { place, wanted } => {
                    Some(restricted(pass, *place, *wanted))
                }
                PipelineViolation::Unimplemented { place } => Some(unimplemented(pass, *place)),
                _ => None,
            });
        }
        if derived.pipeline.stores_from_main {
            findings.extend(register_store_finding(pass));
        }
    }
}

fn method_at_place(pass: &Pass, place: Place) -> (String, Span) {
    let library: Dialect = pass.library();
    match place {
        Place::Stage(index) => pass
            .stages
            .get(index)
            .map(|stage| (stage.method.clone(), stage.span)),
        Place::End => {
            let stage = pass.end.canonical();
            let name = stage.map(|stage| library.name_of(stage).to_owned());
            name.zip(pass.end.written_target().map(|(_, span)| span))
        }
    }
    .unwrap_or_else(|| (String::new(), pass.begin.packet.span))
}

const fn context_name(context: Context) -> &'static str {
    match context {
        Context::Main => "main context",
        Context::Sub => "sub context",
        Context::TensorDma | Context::PcieDma => "DMA",
    }
}

fn restricted(pass: &Pass, place: Place, wanted: Context) -> Finding {
    let (method, span) = method_at_place(pass, place);
    let release = pass.dialect.release;
    let runs_on = pass.context.map_or_else(
        || "another context".to_owned(),
        |it| format!("the {}", context_name(it)),
    );
    let message = format!(
        "`{method}` exists only on the {}, and this pass runs on {runs_on} (release {release})",
        context_name(wanted)
    );
    Finding::new(&CONTEXT_RESTRICTION, span, message)
        .help(format!("begin this pass on the {}", context_name(wanted)))
}

fn unimplemented(pass: &Pass, place: Place) -> Finding {
    let (method, span) = method_at_place(pass, place);
    let edition = pass.library().edition();
    Finding::new(
        &STAGE_UNIMPLEMENTED,
        span,
        format!("{edition} has no body for `{method}`, and a run stops there"),
    )
}

/// The fix that begins a pass on the context that has its stages. `None` where that one has not all of them either, or where the
/// context is not written at the beginning of the chain.
pub(super) fn other_context(db: &dyn Db, body: &Body, finding: &Finding) -> Option<Fix> {
    let is_store = finding.rule.name == REGISTER_STORE_FROM_MAIN.name;
    let others = [&CONTEXT_RESTRICTION, &FETCH_SUB_CONTEXT_ADAPTER];
    if !is_store && !others.iter().any(|rule| rule.name == finding.rule.name) {
        return None;
    }
    let holds = |pass: &&Pass| {
        let end = pass.end.written_target().map(|(_, span)| span);
        let mut places = pass.stages.iter().map(|stage| stage.span).chain(end);
        places.any(|place| place == finding.span)
    };
    let pass = passes_of(body).find(holds)?;
    let wanted = match pass.context? {
        Context::Main => Context::Sub,
        Context::Sub => Context::Main,
        Context::TensorDma | Context::PcieDma => return None,
    };
    let moved = Pass {
        context: Some(wanted),
        ..pass.clone()
    };
    if !pipeline::derive_pipeline(&moved).violations.is_empty() {
        return None;
    }
    let computes = pass
        .stages
        .iter()
        .any(|stage| stage.kind.canonical().row().engine == Engine::Vector);
    // What a pass of the sub context computes and stores was seen to be wrong in a release.
    if is_store && computes {
        return None;
    }
    let library = pass.library();
    let (field, place) = first_field(db, finding.span)?;
    if library.context_field(&field) != pass.context {
        return None;
    }
    let mut fields = library.context_fields.iter();
    let (other, _) = fields.find(|(_, context)| *context == wanted)?;
    Some(Fix {
        title: format!("Begin this pass on `{other}`"),
        applicability: if is_store {
            Applicability::Machine
        } else {
            Applicability::Maybe
        },
        edits: vec![Edit::new(place, *other)],
        cost: None,
    })
}

fn register_store_finding(pass: &Pass) -> Option<Finding> {
    let (stage, span) = match &pass.end {
        PassEnd::ToTrf { span, .. } => (CanonicalStage::ToTrf, *span),
        PassEnd::ToVrf { span, .. } => (CanonicalStage::ToVrf, *span),
        _ => return None,
    };
    let method = pass.library().name_of(stage);
    Some(
        Finding::new(
            &REGISTER_STORE_FROM_MAIN,
            span,
            format!(
                "`{method}` in a pass of the main context: the sub context loads the register files"
            ),
        )
        .help("begin this pass on the sub context"),
    )
}

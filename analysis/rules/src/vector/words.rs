//! Words for what the Vector Engine cannot do.

use crate::alternatives::SuggestMappings as _;
use crate::derivation::vector::{StashFault, TwoGroupFault, VectorFault, VectorViolation, stages};
use crate::hardware::{Alu, ElementType, Target, VectorOperation, fetch_cast_targets};
use crate::items::Span;
use crate::kernel::catalogue::{CanonicalStage, Generic};
use crate::kernel::dialect::Dialect;
use crate::kernel::{Level, OperandSource, Pass, Stage, StageKind, TensorId, VectorStage, Way};
use crate::mapping::Mapping;
use crate::vector::declarations::{
    ALU_REUSE, NARROW_DROPS_DATA, OPERAND_MAPPING, OPERAND_TYPE, STASH_STAGE,
    TWO_GROUP_UNAVAILABLE, UNZIP_GROUP, VECTOR_OP_TYPE, VECTOR_PACKET, VECTOR_STAGE_ORDER,
    VECTOR_TYPE, VECTOR_WAY, WAY_SHAPE,
};

use super::super::wording::mapping_macro_text;
use super::super::{Alternative, Applicability, Checked, Edit, Finding, Fix, levels};
use super::reductions::{inter_mapping, inter_stage, intra_mapping, intra_slots};
use super::shape_words::{widen_before, word_shape};
use super::{operands, repairs};

/// The finding of a violation.
pub(super) fn to_finding(
    checked: &Checked<'_>,
    pass: &Pass,
    violation: &VectorViolation,
) -> Option<Finding> {
    let stage = pass.stages.get(violation.stage)?;
    let span = violation.span;
    Some(match &violation.fault {
        VectorFault::Type { found, written } => stream_type(span, *found, *written),
        VectorFault::Packet {
            elements,
            expected,
            time,
        } => word_packet(span, stage, (*elements, expected.as_ref(), *time)),
        VectorFault::StageOrder {
            entered,
            from,
            earlier,
            allowed,
        } => word_order(pass, (span, stage), (*entered, *from), *earlier, allowed),
        VectorFault::Way { entered, needs } => {
            let finding = word_way(pass.library(), (span, stage), *entered, *needs);
            finding.stating(repairs::change_lanes(pass, violation.stage, *needs))
        }
        VectorFault::OperationType {
            entered,
            operation,
            stream,
            alternatives,
        } => operation_type(
            pass.library(),
            (span, *entered),
            operation,
            *stream,
            alternatives,
        ),
        VectorFault::AluReuse {
            alu,
            earlier,
            alternatives,
            free,
            pair,
        } => word_reuse(
            pass.library(),
            span,
            *alu,
            *earlier,
            (alternatives, free),
            *pair,
        ),
        VectorFault::NarrowDropsData { upper, split } => {
            let whole = repairs::split_instead(checked, pass, violation.stage);
            word_drops(
                pass.library(),
                (span, stage),
                (upper, split.as_ref()),
                whole,
            )
        }
        VectorFault::WaySize { elements, needs } => Finding::new(
            &WAY_SHAPE,
            span,
            format!(
                "`{}` takes a packet of {needs} elements; this one has {elements}",
                stage.method
            ),
        ),
        VectorFault::OddTime { steps } => Finding::new(
            &WAY_SHAPE,
            span,
            format!(
                "`{}` joins two steps of time at a time, and there {} {steps}",
                stage.method,
                if *steps == 1 { "is" } else { "are" }
            ),
        )
        .help("pad the lanes instead, or let an even number of steps arrive"),
        VectorFault::WayShape(mismatches) => word_shape(&WAY_SHAPE, span, stage, mismatches),
        VectorFault::Stash(fault) => word_stash(pass.library(), span, fault),
        VectorFault::TwoGroup(fault) => word_groups(pass, span, stage, fault),
        VectorFault::OperandMapping { tensor, missing } => {
            operand_mapping(checked, span, *tensor, missing)
        }
        VectorFault::OperandPlacement {
            tensor,
            level,
            stream,
            held,
        } => operands::word_placement(checked, span, *tensor, (*level, stream, held)),
        VectorFault::OperandHole { tensor } => operands::word_hole(checked, span, *tensor),
        VectorFault::OperandAccess { tensor, packet } => {
            operands::word_access(checked, span, *tensor, packet)
        }
        VectorFault::UnzipVolume { axis, elements } => operands::volume(span, axis, *elements),
        VectorFault::ReducePadding { axis, part } => {
            super::reductions::word_padded(span, stage, axis, part)
        }
        VectorFault::OperandType {
            operand,
            stream,
            constant,
        } => {
            let finding = operand_type(span, *operand, *stream, *constant);
            let tensor = tensor_at(stage, span).filter(|_| !constant);
            let again =
                tensor.and_then(|tensor| repairs::retype(checked, tensor, *operand, *stream));
            finding.stating(again)
        }
        VectorFault::IntraMapping {
            axis,
            mismatches,
            mixed,
        } => intra_mapping(span, stage, axis, (mismatches, mixed)),
        VectorFault::IntraSlots {
            axis,
            slots,
            inner,
            reordered,
        } => intra_slots(span, stage, axis, (*slots, inner, reordered.as_ref())),
        VectorFault::InterStage { from, earlier } => {
            inter_stage(pass.library(), span, *from, *earlier)
        }
        VectorFault::InterMapping { fault, expected } => {
            inter_mapping(pass.library(), (span, stage), fault, expected.as_ref())
        }
    })
}

/// The VRF tensor that is an operand at a place.
fn tensor_at(stage: &Stage, span: Span) -> Option<TensorId> {
    let StageKind::VectorAlu(operation) = &stage.kind else {
        return None;
    };
    let mut operands = operation.operands.iter().flatten();
    operands.find_map(|operand| match operand.source {
        OperandSource::Vrf(tensor) if operand.span == span => Some(tensor),
        _ => None,
    })
}

fn stream_type(span: Span, found: ElementType, place: Span) -> Finding {
    let finding = Finding::new(
        &VECTOR_TYPE,
        span,
        format!(
            "the stream holds `{found}`; the lanes of the Vector Engine compute on `i32` or `f32`"
        ),
    )
    .related(place, format!("the stream gets its type `{found}` here"));
    let target = fetch_cast_targets(Target::Rngd, found)
        .find(|target| matches!(target, ElementType::I32 | ElementType::F32));
    match target {
        Some(target) => finding.help(format!(
            "convert to `{target}` while fetching, and collect flits with one element per lane"
        )),
        None => finding.help(format!(
            "no fetch converts `{found}` to `i32` or `f32`: store the tensor in another type"
        )),
    }
}

fn word_packet(
    span: Span,
    stage: &Stage,
    (elements, expected, time): (u64, Option<&(Mapping, Mapping)>, Span),
) -> Finding {
    let finding = Finding::new(
        &VECTOR_PACKET,
        span,
        format!("the packet has {elements} elements; the Vector Engine takes flits of 8 lanes"),
    )
    .related(stage.span, "the stream enters the Vector Engine here");
    let Some((new_time, new_packet)) = expected else {
        return finding;
    };
    let (template, edits): (&str, &[(Span, &Mapping)]) = if elements < 8 {
        ("Packet {}", &[(span, new_packet)])
    } else {
        (
            "Time {}, Packet {}",
            &[(time, new_time), (span, new_packet)],
        )
    };
    finding.suggest(
        ("write ", template),
        Applicability::Maybe,
        stage.span,
        edits,
    )
}

fn word_order(
    pass: &Pass,
    (span, stage): (Span, &Stage),
    (entered, from): (VectorStage, VectorStage),
    earlier: Option<Span>,
    allowed: &[VectorStage],
) -> Finding {
    let mut finding = Finding::new(
        &VECTOR_STAGE_ORDER,
        span,
        format!(
            "`{}` enters {} after {}; data passes the stages once, in their order",
            stage.method,
            entered.name(),
            from.name()
        ),
    );
    if let Some(earlier) = earlier {
        finding = finding.related(earlier, format!("{} is reached here", from.name()));
    }
    let allowed: Vec<&str> = allowed.iter().map(|stage| stage.name()).collect();
    if allowed.is_empty() {
        finding.help(format!(
            "end this pass with `{}` and run the rest in a second one",
            pass.library().name_of(CanonicalStage::VectorFinal)
        ))
    } else {
        finding.help(format!(
            "after {} come {}; move the call up, or run it in a second pass",
            from.name(),
            allowed.join(", ")
        ))
    }
}

fn word_way(
    library: Dialect,
    (span, stage): (Span, &Stage),
    entered: Option<VectorStage>,
    needs: Way,
) -> Finding {
    let place = entered.map_or("the engine's exit", VectorStage::name);
    let has = if needs == Way::Way8 { 4 } else { 8 };
    let finding = Finding::new(
        &VECTOR_WAY,
        span,
        format!(
            "`{}` needs {} lanes ({place}); the stream has {has}",
            stage.method,
            needs.lanes()
        ),
    );
    match needs {
        Way::Way4 => finding.help(format!(
            "narrow before it: `{}` where all eight lanes hold data, `{}` where the upper four are padding",
            library.name_of(CanonicalStage::VectorSplit),
            library.name_of(CanonicalStage::VectorTrim)
        )),
        Way::Way8 => finding.help(widen_before(library)),
    }
}

fn operation_type(
    library: Dialect,
    (span, entered): (Span, VectorStage),
    operation: &str,
    stream: ElementType,
    alternatives: &[String],
) -> Finding {
    let stage = entered.name();
    let finding = Finding::new(
        &VECTOR_OP_TYPE,
        span,
        format!("the stream is `{stream}`; {stage} has no `{operation}` for it"),
    );
    let convert = match stream {
        ElementType::I32 => (CanonicalStage::VectorFxpToFp, ElementType::F32),
        _ => (CanonicalStage::VectorFpToFxp, ElementType::I32),
    };
    let convert = format!("`{}` makes it `{}`", library.name_of(convert.0), convert.1);
    if alternatives.is_empty() {
        finding.help(format!(
            "{stage} has no operations on `{stream}`; {convert}"
        ))
    } else {
        finding.help(format!(
            "{stage} has for `{stream}`: {}",
            alternatives.join(", ")
        ))
    }
}

fn word_reuse(
    library: Dialect,
    span: Span,
    alu: Alu,
    earlier: Span,
    (alternatives, free): (&[&'static VectorOperation], &[Alu]),
    pair: bool,
) -> Finding {
    let names = library.operations();
    let shared = if pair {
        ", which both groups share"
    } else {
        ""
    };
    let mut finding = Finding::new(
        &ALU_REUSE,
        span,
        format!(
            "{} is already in use{shared}; each ALU runs one operation in a pass",
            alu.name()
        ),
    )
    .related(earlier, format!("{} is used here", alu.name()));
    let others: Vec<String> = alternatives
        .iter()
        .map(|other| {
            format!(
                "`{}` on {}",
                names.write(other),
                other.alu.map_or("", Alu::name)
            )
        })
        .collect();
    if !others.is_empty() {
        finding = finding.help(format!(
            "free for the same function: {}; or run it in a second pass",
            others.join(", ")
        ));
    } else if free.is_empty() {
        finding = finding.help("no ALU of the stage is free: run it in a second pass, with the result in between in data memory");
    } else {
        let free: Vec<&str> = free.iter().map(|alu| alu.name()).collect();
        finding = finding.help(format!(
            "no other ALU computes it (free in the stage: {}): run it in a second pass, with the result in between in data memory",
            free.join(", ")
        ));
    }
    // Another multiplier of the same stage: only the argument changes.
    let multiplier = alternatives
        .iter()
        .find(|other| matches!(other.alu, Some(Alu::FpMul0 | Alu::FpMul1)));
    match multiplier {
        Some(other) => {
            let name = other.alu.map_or("the other multiplier", Alu::name);
            let stated = Alternative {
                text: format!("`{}` on {name}", names.write(other)),
                edits: vec![Edit::new(span, names.write(other))],
            };
            finding
                .alternatives("free for the same function: ", [stated])
                .fix(
                    Applicability::Maybe,
                    format!("Use {name}"),
                    span,
                    names.write(other),
                )
        }
        None => finding,
    }
}

fn word_drops(
    library: Dialect,
    (span, stage): (Span, &Stage),
    (upper, split): (&Mapping, Option<&(Mapping, Mapping)>),
    whole: Option<Fix>,
) -> Finding {
    let finding = Finding::new(
        &NARROW_DROPS_DATA,
        span,
        format!(
            "lanes 4 to 7 of the packet can hold data (`{}` over the halves); the trim keeps lanes 0 to 3",
            mapping_macro_text(upper)
        ),
    );
    let Some((time, packet)) = split else {
        return finding;
    };
    let finding = finding.help("split instead, and concatenate afterwards");
    if whole.is_some() {
        return finding.stating(whole);
    }
    // The method's turbofish directly before the packet: the turbofish can be rewritten.
    if span.item == stage.span.item && span.start == stage.span.end.saturating_add(3) {
        let generics = [
            (Generic::Level(Level::Time), mapping_macro_text(time)),
            (Generic::Level(Level::Packet), mapping_macro_text(packet)),
        ];
        return finding.stating(Some(Fix {
            title: format!(
                "Split instead of trimming, `{}`, and concatenate afterwards",
                library.write(CanonicalStage::VectorSplit, &generics, &[])
            ),
            applicability: Applicability::Maybe,
            edits: vec![
                Edit::new(
                    stage.span,
                    library.name_of(CanonicalStage::VectorSplit).to_owned(),
                ),
                Edit::new(
                    span,
                    format!(
                        "{}, {}",
                        mapping_macro_text(time),
                        mapping_macro_text(packet)
                    ),
                ),
            ],
            cost: None,
        }));
    }
    finding
}

fn word_stash(library: Dialect, span: Span, fault: &StashFault) -> Finding {
    let finding = |message: String| Finding::new(&STASH_STAGE, span, message);
    match fault {
        StashFault::NotStashable { stage } => {
            let stages: Vec<&str> = stages::stashable_stages().iter().map(|stage| stage.name()).collect();
            finding(format!("{} hands nothing to the stash", stage.name()))
                .help(format!("a stash can be taken after {}", stages.join(", ")))
        }
        StashFault::Live { earlier } => {
            finding("the stash holds one value, and the one from before was not read yet".to_owned())
                .related(*earlier, "the first value is stashed here")
        }
        StashFault::Again { earlier } => {
            finding("a pass writes the stash once, also where the value was read".to_owned())
                .related(*earlier, "it was written here")
                .help("end the pass, and stash in the next one")
        }
        StashFault::Empty => finding("nothing was stashed in this pass: the operand has no value".to_owned())
            .help(format!(
                "call `{}` where the value passes",
                library.name_of(CanonicalStage::VectorStash)
            )),
        StashFault::Consumed { earlier } => {
            finding("the stashed value is gone: it can be read once".to_owned()).related(*earlier, "it is read here")
        }
        StashFault::Type { stashed, stream, taken } => {
            finding(format!("the stash holds `{stashed}`; the stream is `{stream}` here, and nothing converts an operand"))
                .related(*taken, format!("`{stashed}` is stashed here"))
                .help(format!("stash after the conversion to `{stream}`"))
        }
        StashFault::Way { stashed, read, taken } => {
            let lanes = |way: Way| way.lanes();
            finding(format!(
                "the value was stashed in {} lanes and is read in {}: the stash hands each lane what was stored in that lane",
                lanes(*stashed),
                lanes(*read)
            ))
            .related(*taken, format!("stashed in {} lanes here", lanes(*stashed)))
            .help("move the stash to the side of the split or join that its reader is on")
        }
        StashFault::TwoGroups => finding("two groups have no stash to read, nor has the stream they are zipped to".to_owned()),
    }
}

fn word_groups(pass: &Pass, span: Span, stage: &Stage, fault: &TwoGroupFault) -> Finding {
    let of_axis = !matches!(fault, TwoGroupFault::Method { .. });
    let rule = if of_axis && UNZIP_GROUP.holds_in(pass.dialect) {
        &UNZIP_GROUP
    } else {
        &TWO_GROUP_UNAVAILABLE
    };
    let finding = |message: String| Finding::new(rule, span, message);
    match fault {
        TwoGroupFault::Method { zipped, unzip } => {
            let state = if *zipped {
                "a stream that was zipped from two groups"
            } else {
                "two groups"
            };
            let finding = finding(format!("`{}` does not exist on {state}", stage.method));
            match unzip {
                Some(unzip) => finding.related(*unzip, "the groups begin here"),
                None => finding,
            }
        }
        TwoGroupFault::AxisSize { axis, size } => finding(format!(
            "`{axis}` has size {size}; two groups are the two values of an axis of size 2"
        ))
        // The library looks for the axis and counts what is inside it; it does not ask for its size.
        .found_by_nobody(),
        TwoGroupFault::AxisMissing { axis } => finding(format!(
            "the stream's time has no axis `{axis}` to part into two groups"
        )),
    }
}

fn operand_mapping(
    checked: &Checked<'_>,
    span: Span,
    tensor: Option<TensorId>,
    missing: &[String],
) -> Finding {
    let what = if tensor.is_some() {
        "the VRF tensor"
    } else {
        "the stashed value"
    };
    let operand = tensor.and_then(|id| checked.body.tensor(id));
    let element = operand.and_then(|tensor| tensor.levels.element.get());
    let message = if missing.is_empty() {
        format!("{what} holds elements that the stream does not visit")
    } else {
        format!(
            "{what} runs over {}, which the stream does not hold; an operand is read in the stream's order",
            levels::sized(missing, element)
        )
    };
    let finding = Finding::new(&OPERAND_MAPPING, span, message);
    match operand {
        Some(tensor) => finding.related(tensor.levels.element.span, "the operand's mapping"),
        None => finding,
    }
}

fn operand_type(span: Span, operand: ElementType, stream: ElementType, constant: bool) -> Finding {
    let what = if constant {
        "the constant"
    } else {
        "the VRF tensor"
    };
    let finding = Finding::new(
        &OPERAND_TYPE,
        span,
        format!("{what} is `{operand}`; the stream is `{stream}`, and nothing converts an operand"),
    );
    match (constant, stream) {
        (true, ElementType::F32) => {
            let end = Span {
                start: span.end,
                ..span
            };
            let stated = Alternative {
                text: "`f32`".to_owned(),
                edits: vec![Edit::new(end, " as f32".to_owned())],
            };
            finding
                .alternatives("write the constant as ", [stated])
                .fix(
                    Applicability::Machine,
                    "Write the constant as `f32`",
                    end,
                    " as f32",
                )
        }
        (true, _) => {
            let end = Span {
                start: span.end,
                ..span
            };
            let stated = Alternative {
                text: format!("`{stream}`"),
                edits: vec![Edit::new(end, format!(" as {stream}"))],
            };
            finding
                .alternatives("write the constant as ", [stated])
                .fix(
                    Applicability::Maybe,
                    format!("Write the constant as `{stream}`"),
                    end,
                    format!(" as {stream}"),
                )
        }
        (false, _) => finding.help(format!(
            "load the operand into the VRF as `{stream}`: convert it while fetching"
        )),
    }
}

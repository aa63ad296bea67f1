//! The order of engines in a pass (book: Pipeline Position).
//!
//! Asks the catalogue whether each stage may be entered from the position that the stream has, and notes where not. The
//! stages inside the Vector Engine have an order of their own, which is not known here.

use crate::hardware::FLIT_BYTES;
use crate::kernel::catalogue::{CanonicalStage, Engine, Refusal};
use crate::kernel::{Context, Pass, PassEnd, Position, StreamShape};
use crate::mapping::{Form, Mapping, PaddingKind};

use super::conventions::Conventions;

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PipelineDerivation {
    /// What the pipeline does not allow.
    pub violations: Vec<PipelineViolation>,
    /// A pass of the main context stores to a register file without being handed the sub context.
    pub stores_from_main: bool,
}

/// Where in a pass an engine is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// By the stage of that index.
    Stage(usize),
    /// By the end of the pass.
    End,
}

/// What the pipeline does not allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PipelineViolation {
    /// An engine that takes flits is entered before the Collect Engine made them.
    NotCollected {
        /// Where.
        place: Place,
        /// The engine.
        engine: Engine,
        /// The position of the stream before it.
        position: Position,
        /// Time and packet that `collect` would make of the stream, if known.
        collected: Option<(Mapping, Mapping)>,
    },
    /// An engine is entered from a position that does not lead to it.
    Order {
        /// Where.
        place: Place,
        /// The engine.
        engine: Engine,
        /// The position of the stream before it.
        position: Position,
    },
    /// A position at which the library does not have the method.
    NotOffered {
        /// Where.
        place: Place,
        /// The position of the stream before it.
        position: Position,
    },
    /// A stage that only the other context has.
    Context {
        /// Where.
        place: Place,
        /// The context that has it.
        wanted: Context,
    },
    /// A stage that the library has no body for.
    Unimplemented {
        /// Where.
        place: Place,
    },
    /// A commit of the sub context that follows another engine than Fetch.
    SubContextCommit {
        /// The position of the stream before it.
        position: Position,
    },
}

/// Derives which engines of a pass are entered from where the pipeline does not allow it.
pub fn derive_pipeline(pass: &Pass) -> PipelineDerivation {
    let stages = pass.stages.iter().enumerate().map(|(index, stage)| {
        let place = Place::Stage(index);
        (stage.kind.canonical(), pass.input_of(index), place)
    });
    let end = pass.end.canonical();
    let end = end.map(|stage| (stage, pass.output(), Place::End));
    let violations = stages
        .chain(end)
        .filter_map(|(stage, input, place)| {
            entry_violation(pass, stage, input, place)
                .or_else(|| library_violation(pass, stage, input, place))
        })
        .collect();
    let conventions = Conventions::of(pass.dialect);
    let from_main = match &pass.end {
        PassEnd::ToTrf { .. } => conventions.loads_trf_from_any_context(),
        PassEnd::ToVrf { .. } => conventions.loads_vrf_from_any_context(),
        _ => false,
    };
    PipelineDerivation {
        violations,
        stores_from_main: from_main && pass.context == Some(Context::Main),
    }
}

/// What the library says of a method in a place that the machine allows: where positions and contexts are types.
fn library_violation(
    pass: &Pass,
    stage: CanonicalStage,
    input: &StreamShape,
    place: Place,
) -> Option<PipelineViolation> {
    if !Conventions::of(pass.dialect).types_positions() {
        return None;
    }
    let method = pass.library().method_of(stage)?;
    let position = input.position;
    if !method.is_offered_at(position) {
        return Some(PipelineViolation::NotOffered { place, position });
    }
    if let Some(wanted) = method.context_in(pass.dialect.release)
        && let Some(context) = pass.context
        && context != wanted
    {
        return Some(PipelineViolation::Context { place, wanted });
    }
    method
        .without_body
        .then_some(PipelineViolation::Unimplemented { place })
}

fn entry_violation(
    pass: &Pass,
    stage: CanonicalStage,
    input: &StreamShape,
    place: Place,
) -> Option<PipelineViolation> {
    let position = input.position;
    let engine = stage.row().engine;
    Some(match stage.refusal(position, pass.context)? {
        Refusal::NotCollected => PipelineViolation::NotCollected {
            place,
            engine,
            position,
            collected: stream_in_flits(input),
        },
        Refusal::Order => PipelineViolation::Order {
            place,
            engine,
            position,
        },
        Refusal::SubContextCommit => PipelineViolation::SubContextCommit { position },
    })
}

/// Time and packet of the stream in flits (book: Packet Normalization): the packet padded to whole flits, the outer
/// flits moved to the time.
fn stream_in_flits(input: &StreamShape) -> Option<(Mapping, Mapping)> {
    let element_type = input.element_type.value?;
    let time = input.time.value.as_ref()?.form();
    let packet = input.packet.value.as_ref()?.form();
    let flit = FLIT_BYTES.checked_mul(8)? / element_type.bits();
    let padded = packet.size().checked_next_multiple_of(flit)?;
    let whole = if padded == packet.size() {
        packet.clone()
    } else {
        packet.pad_as(padded, PaddingKind::Top)?
    };
    let (outer, inner) = whole.split_at(flit)?;
    Some((
        Form::multiply(time, &outer)?.to_mapping(),
        inner.to_mapping(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::ElementType;
    use crate::kernel::{PassSource, Stage, StageKind, TensorId};
    use crate::testing::{mapping, span, stream};

    const AXES: &[(&str, u64)] = &[("S", 256), ("A", 8), ("B", 24)];

    fn pass(context: Context, stages: &[(StageKind, Position)], end: PassEnd) -> Pass {
        let shape = |position| stream(position, ElementType::Bf16, "S", "A", "B", AXES);
        Pass {
            dialect: crate::items::Dialect::default(),
            machine: crate::hardware::Machine::RNGD,
            context: Some(context),
            source: PassSource::Tensor(TensorId(0)),
            begin: shape(Position::Begin),
            stages: stages
                .iter()
                .map(|(kind, position)| Stage {
                    kind: kind.clone(),
                    output: shape(*position),
                    method: String::new(),
                    span: span(0),
                })
                .collect(),
            end,
        }
    }

    fn fetch() -> (StageKind, Position) {
        (
            StageKind::Fetch {
                table: false,
                zero_points: Vec::new(),
            },
            Position::Fetch,
        )
    }

    fn commit() -> PassEnd {
        PassEnd::Commit {
            target: TensorId(1),
            span: span(9),
        }
    }

    #[test]
    fn the_vector_engine_needs_flits() {
        let vector = (StageKind::VectorInit, Position::VectorInit);
        let collect = (StageKind::Collect, Position::Collect);
        let direct = derive_pipeline(&pass(
            Context::Main,
            &[fetch(), vector.clone()],
            PassEnd::Open,
        ));
        let [
            PipelineViolation::NotCollected {
                place,
                engine,
                collected: Some((time, packet)),
                ..
            },
        ] = direct.violations.as_slice()
        else {
            panic!("{direct:?}")
        };
        assert_eq!((*place, *engine), (Place::Stage(1), Engine::Vector));
        // 24 elements of 2 bytes are two flits of 16 elements, the second half full.
        assert_eq!(*time.form(), *mapping("A, B # 32 / 16", AXES).form());
        assert_eq!(*packet.form(), *mapping("B # 32 % 16", AXES).form());
        assert_eq!(
            derive_pipeline(&pass(
                Context::Main,
                &[fetch(), collect, vector],
                PassEnd::Open
            ))
            .violations,
            []
        );
    }

    #[test]
    fn the_sub_context_commits_only_what_it_fetched() {
        let collect = (StageKind::Collect, Position::Collect);
        assert_eq!(
            derive_pipeline(&pass(Context::Sub, &[fetch()], commit())).violations,
            []
        );
        assert_eq!(
            derive_pipeline(&pass(Context::Main, &[fetch(), collect.clone()], commit())).violations,
            []
        );
        assert_eq!(
            derive_pipeline(&pass(Context::Sub, &[fetch(), collect], commit())).violations,
            [PipelineViolation::SubContextCommit {
                position: Position::Collect
            }]
        );
    }

    #[test]
    fn register_files_take_flits() {
        let end = PassEnd::ToTrf {
            target: TensorId(1),
            span: span(9),
        };
        let violations = derive_pipeline(&pass(Context::Sub, &[fetch()], end)).violations;
        assert!(matches!(
            violations.as_slice(),
            [PipelineViolation::NotCollected {
                engine: Engine::TrfLoad,
                ..
            }]
        ));
    }

    #[test]
    fn transposing_follows_casting_and_never_the_reverse() {
        let collect = (StageKind::Collect, Position::Collect);
        let cast = (StageKind::Cast, Position::Cast);
        let transpose = (StageKind::Transpose, Position::Transpose);
        let stages = [fetch(), collect.clone(), cast.clone(), transpose.clone()];
        assert_eq!(
            derive_pipeline(&pass(Context::Main, &stages, commit())).violations,
            []
        );
        let stages = [fetch(), collect, transpose, cast];
        assert_eq!(
            derive_pipeline(&pass(Context::Main, &stages, commit())).violations,
            [PipelineViolation::Order {
                place: Place::Stage(3),
                engine: Engine::Cast,
                position: Position::Transpose
            }]
        );
    }

    /// What completion proposes at a position, the checker takes.
    #[test]
    fn whatever_a_library_offers_is_taken() {
        use crate::kernel::dialect::VISA_STD;
        let positions = [
            Position::Begin,
            Position::Fetch,
            Position::Switch,
            Position::Collect,
            Position::Align,
            Position::Contract,
            Position::Accumulate,
            Position::VectorFinal,
            Position::Cast,
            Position::Transpose,
        ];
        let mut offered = 0;
        for (context, position) in [Context::Main, Context::Sub]
            .into_iter()
            .flat_map(|context| positions.map(|position| (context, position)))
        {
            let methods = VISA_STD
                .in_newest_release()
                .every_method()
                .filter(|method| method.follows(position, Some(context)));
            for method in methods {
                let stage = method.stage().expect("a method of one stage");
                if stage.is_inside_vector() {
                    continue;
                }
                offered += 1;
                let given = pass(context, &[(StageKind::Collect, position)], PassEnd::Open);
                let input = given.output();
                assert_eq!(
                    entry_violation(&given, stage, input, Place::End),
                    None,
                    "{}",
                    method.name
                );
            }
        }
        assert!(offered > 40);
    }
}

//! The order of engines in a pass (book: Pipeline Position).
//!
//! Knows from which positions each engine can be entered: Fetch, Switch, Collect, Contraction, Vector, Cast,
//! Transpose, Commit, in this order, each optional but Fetch and Collect. The stages inside the Vector Engine have an
//! order of their own, which is not known here.

use std::fmt;

use crate::hardware::FLIT_BYTES;
use crate::kernel::{Context, Pass, PassEnd, Position, StageKind, StreamShape};
use crate::mapping::{Form, Mapping};

/// An engine, or a step of one, that a stream enters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Fetch Engine.
    Fetch,
    /// Switch Engine.
    Switch,
    /// Collect Engine.
    Collect,
    /// Contraction Engine: alignment with the TRF.
    Align,
    /// Contraction Engine: spatial reduction.
    Contract,
    /// Contraction Engine: temporal reduction.
    Accumulate,
    /// Vector Engine.
    Vector,
    /// Cast Engine.
    Cast,
    /// Transpose Engine.
    Transpose,
    /// A load of the tensor register file.
    Trf,
    /// A load of the vector register file.
    Vrf,
    /// Commit Engine.
    Commit,
}

impl fmt::Display for Engine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Fetch => "the Fetch Engine",
            Self::Switch => "the Switch Engine",
            Self::Collect => "the Collect Engine",
            Self::Align => "the Contraction Engine",
            Self::Contract => "the Contraction Engine's reduction tree",
            Self::Accumulate => "the Contraction Engine's accumulator",
            Self::Vector => "the Vector Engine",
            Self::Cast => "the Cast Engine",
            Self::Transpose => "the Transpose Engine",
            Self::Trf => "a load of the tensor register file",
            Self::Vrf => "a load of the vector register file",
            Self::Commit => "the Commit Engine",
        })
    }
}

impl Engine {
    /// The engine that a stage enters; `None` for stages inside the Vector Engine.
    const fn of(stage: &StageKind) -> Option<Self> {
        Some(match stage {
            StageKind::Fetch { .. } => Self::Fetch,
            StageKind::Switch(_) => Self::Switch,
            StageKind::Collect => Self::Collect,
            StageKind::Align { .. } => Self::Align,
            StageKind::Contract | StageKind::ContractMax => Self::Contract,
            StageKind::Accumulate(_) => Self::Accumulate,
            StageKind::VectorInit => Self::Vector,
            StageKind::Cast => Self::Cast,
            StageKind::Transpose => Self::Transpose,
            StageKind::VectorBranch(_)
            | StageKind::VectorUnzip { .. }
            | StageKind::VectorAlu(_)
            | StageKind::VectorConvert { .. }
            | StageKind::VectorStash
            | StageKind::VectorFilter
            | StageKind::VectorSplit
            | StageKind::VectorTrim
            | StageKind::VectorConcat
            | StageKind::VectorPad
            | StageKind::VectorIntraReduce { .. }
            | StageKind::VectorInterReduce { .. }
            | StageKind::VectorFinal => return None,
        })
    }

    /// Whether the engine takes flits, which only the Collect Engine makes.
    const fn takes_flits(self) -> bool {
        !matches!(
            self,
            Self::Fetch | Self::Switch | Self::Collect | Self::Commit
        )
    }

    /// Whether the pipeline lets a stream at this position enter. Inside the Vector Engine the position is that
    /// engine's business, so that only entering it again is denied there.
    const fn enters_from(self, position: Position) -> bool {
        use Position::{
            Accumulate, Align, Begin, Cast, Collect, Contract, Fetch, Switch, Transpose, Vector,
            VectorFinal, VectorInit, VectorPair,
        };
        match (self, position) {
            (Self::Vector, VectorInit | Vector(_) | VectorPair(_)) => false,
            (_, VectorInit | Vector(_) | VectorPair(_)) => true,
            (Self::Fetch, _) => matches!(position, Begin),
            (Self::Switch, _) => matches!(position, Fetch),
            (Self::Collect, _) => matches!(position, Fetch | Switch),
            (Self::Align, _) => matches!(position, Collect),
            (Self::Contract, _) => matches!(position, Align),
            (Self::Accumulate, _) => matches!(position, Contract),
            (Self::Vector, _) => matches!(position, Collect | Accumulate),
            (Self::Cast, _) => matches!(position, Collect | Accumulate | VectorFinal),
            (Self::Transpose, _) => matches!(position, Collect | Accumulate | VectorFinal | Cast),
            (Self::Trf | Self::Vrf, _) => !matches!(
                position,
                Begin | Fetch | Switch | Align | Contract | Transpose
            ),
            (Self::Commit, _) => !matches!(position, Begin | Align | Contract),
        }
    }
}

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PipelineDerivation {
    /// What the pipeline does not allow.
    pub violations: Vec<PipelineViolation>,
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
    /// A commit of the sub context that follows another engine than Fetch.
    SubContextCommit {
        /// The position of the stream before it.
        position: Position,
    },
}

/// Derives which engines of a pass are entered from where the pipeline does not allow it.
#[must_use]
pub fn derive(pass: &Pass) -> PipelineDerivation {
    let mut violations: Vec<PipelineViolation> = pass
        .stages
        .iter()
        .enumerate()
        .filter_map(|(index, stage)| {
            enter(
                Engine::of(&stage.kind)?,
                pass.input_of(index),
                Place::Stage(index),
            )
        })
        .collect();
    let output = pass.output();
    let end = match pass.end {
        PassEnd::Commit { .. } | PassEnd::CommitView { .. } => {
            if pass.context == Some(Context::Sub) && output.position != Position::Fetch {
                Some(PipelineViolation::SubContextCommit {
                    position: output.position,
                })
            } else {
                enter(Engine::Commit, output, Place::End)
            }
        }
        PassEnd::ToTrf { .. } => enter(Engine::Trf, output, Place::End),
        PassEnd::ToVrf { .. } => enter(Engine::Vrf, output, Place::End),
        PassEnd::Open => None,
    };
    violations.extend(end);
    PipelineDerivation { violations }
}

fn enter(engine: Engine, input: &StreamShape, place: Place) -> Option<PipelineViolation> {
    let position = input.position;
    if engine.enters_from(position) {
        return None;
    }
    Some(if engine.takes_flits() && position < Position::Collect {
        PipelineViolation::NotCollected {
            place,
            engine,
            position,
            collected: collected(input),
        }
    } else {
        PipelineViolation::Order {
            place,
            engine,
            position,
        }
    })
}

/// Time and packet of the stream in flits (book: Packet Normalization): the packet padded to whole flits, the outer
/// flits moved to the time.
fn collected(input: &StreamShape) -> Option<(Mapping, Mapping)> {
    let element_type = input.element_type.value?;
    let time = input.time.value.as_ref()?.form();
    let packet = input.packet.value.as_ref()?.form();
    let flit = FLIT_BYTES.checked_mul(8)? / element_type.bits();
    let padded = packet.size().checked_next_multiple_of(flit)?;
    let whole = if padded == packet.size() {
        packet.clone()
    } else {
        packet.pad(padded)?
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
    use crate::kernel::testing::{mapping, span, stream};
    use crate::kernel::{PassSource, Stage, TensorId};

    const AXES: &[(&str, u64)] = &[("S", 256), ("A", 8), ("B", 24)];

    fn pass(context: Context, stages: &[(StageKind, Position)], end: PassEnd) -> Pass {
        let shape = |position| stream(position, ElementType::Bf16, "S", "A", "B", AXES);
        Pass {
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
        let direct = derive(&pass(
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
            derive(&pass(
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
            derive(&pass(Context::Sub, &[fetch()], commit())).violations,
            []
        );
        assert_eq!(
            derive(&pass(Context::Main, &[fetch(), collect.clone()], commit())).violations,
            []
        );
        assert_eq!(
            derive(&pass(Context::Sub, &[fetch(), collect], commit())).violations,
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
        let violations = derive(&pass(Context::Sub, &[fetch()], end)).violations;
        assert!(matches!(
            violations.as_slice(),
            [PipelineViolation::NotCollected {
                engine: Engine::Trf,
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
            derive(&pass(Context::Main, &stages, commit())).violations,
            []
        );
        let stages = [fetch(), collect, transpose, cast];
        assert_eq!(
            derive(&pass(Context::Main, &stages, commit())).violations,
            [PipelineViolation::Order {
                place: Place::Stage(3),
                engine: Engine::Cast,
                position: Position::Transpose
            }]
        );
    }
}

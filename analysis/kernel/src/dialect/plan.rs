//! Plans of transfers: the steps that a library's methods add to one, and which may follow which.

use crate::Level;

/// What a plan will do once it is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlanKind {
    /// Moves a tensor of the DM between chips and clusters.
    Redistribution,
    /// Reads the rows that indices name.
    Gather,
    /// Writes the rows that indices name.
    Scatter,
}

/// What a method adds to a plan, or that it carries it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlanStep {
    /// The parts of a level change places.
    Shuffle(Level),
    /// Each part of a level takes a part of its elements.
    Slice(Level),
    /// A gather of an axis.
    Gather,
    /// A scatter of an axis.
    Scatter,
    /// The indices are byte offsets.
    Offsets,
    /// The indices are positions.
    Positions,
    /// Only the first indices count.
    Prefix,
    /// Carries the plan out: it makes a tensor.
    Make,
    /// Carries the plan out: it writes a tensor or view.
    Write,
}

impl PlanStep {
    /// Whether the step exists on a plan whose last step is another. A redistribution goes from chips to clusters and shuffles before
    /// it slices; a gather or scatter is given its indices once, and a gather of byte offsets may be cut to the first of them.
    pub fn may_follow(self, last: Self) -> bool {
        const ORDER: [PlanStep; 4] = [
            PlanStep::Shuffle(Level::Chip),
            PlanStep::Shuffle(Level::Cluster),
            PlanStep::Slice(Level::Chip),
            PlanStep::Slice(Level::Cluster),
        ];
        let place = |step| ORDER.iter().position(|other| *other == step);
        match (place(last), self) {
            (Some(before), step) => match place(step) {
                Some(after) => {
                    before < after || (before == after && matches!(step, Self::Slice(_)))
                }
                None => matches!(step, Self::Make | Self::Write),
            },
            (None, Self::Offsets | Self::Positions) => {
                matches!(last, Self::Gather | Self::Scatter)
            }
            (None, Self::Prefix) => last == Self::Offsets,
            (None, Self::Make | Self::Write) => {
                matches!(last, Self::Offsets | Self::Positions | Self::Prefix)
            }
            (None, _) => false,
        }
    }
}

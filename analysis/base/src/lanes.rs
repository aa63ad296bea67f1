//! The rows of a schedule as data: what of a machine runs beside what, with a name, an order and a colour.
//!
//! One table a machine. Schedules, waits, timelines, traces and memory maps of every language read it, so that a row is called and
//! coloured alike in each of them. Knows no kernel, no cycle and no language.

use serde::{Serialize, Serializer};

/// How a row is named and drawn.
#[derive(Debug, PartialEq, Eq)]
pub struct LaneRow {
    /// The name of its kind in tables and documents. Rows that serve one kind of work share it.
    pub name: &'static str,
    /// The name where rows of one kind are told apart, in a sentence.
    pub own_name: &'static str,
    /// The name of its track in pictures and traces.
    pub track: &'static str,
    /// The name beside its row where letters are few.
    pub short: &'static str,
    /// Its colour as `#rrggbb`, readable under white letters.
    pub colour: &'static str,
}

/// A machine whose schedules are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Machine {
    /// A chip of the Virtual ISA.
    VirtualIsa,
    /// The vector core of PTO.
    Pto,
    /// The NeuronCore of NKI.
    Nki,
}

const VIRTUAL_ISA: [LaneRow; 4] = [
    LaneRow {
        name: "main",
        own_name: "main",
        track: "main context",
        short: "main",
        colour: "#3b7dd8",
    },
    LaneRow {
        name: "sub",
        own_name: "sub",
        track: "sub context",
        short: "sub",
        colour: "#2e9e6b",
    },
    LaneRow {
        name: "dma",
        own_name: "dma",
        track: "tensor DMA",
        short: "DMA",
        colour: "#d98324",
    },
    LaneRow {
        name: "dma",
        own_name: "pcie dma",
        track: "PCIe DMA",
        short: "DMA",
        colour: "#d98324",
    },
];

const PTO: [LaneRow; 3] = [
    LaneRow {
        name: "MTE2",
        own_name: "MTE2",
        track: "MTE2: GM to UB",
        short: "MTE2",
        colour: "#d98324",
    },
    LaneRow {
        name: "V",
        own_name: "V",
        track: "V: vector core",
        short: "V",
        colour: "#3b7dd8",
    },
    LaneRow {
        name: "MTE3",
        own_name: "MTE3",
        track: "MTE3: UB to GM",
        short: "MTE3",
        colour: "#2e9e6b",
    },
];

const NKI: [LaneRow; 4] = [
    LaneRow {
        name: "scalar",
        own_name: "scalar queue",
        track: "queue of the Scalar Engine",
        short: "scalar",
        colour: "#3b7dd8",
    },
    LaneRow {
        name: "sync",
        own_name: "sync queue",
        track: "queue of the Sync Engine",
        short: "sync",
        colour: "#2e9e6b",
    },
    LaneRow {
        name: "gpsimd",
        own_name: "GpSimd queue",
        track: "queue of the GpSimd Engine",
        short: "GpSimd",
        colour: "#d98324",
    },
    LaneRow {
        name: "static",
        own_name: "static queue",
        track: "queue of descriptors from HBM",
        short: "static",
        colour: "#8a63d2",
    },
];

impl Machine {
    /// Its rows, in the order in which they are shown.
    pub const fn rows(self) -> &'static [LaneRow] {
        match self {
            Self::VirtualIsa => &VIRTUAL_ISA,
            Self::Pto => &PTO,
            Self::Nki => &NKI,
        }
    }

    /// Its lanes, in the order in which they are shown.
    pub fn lanes(self) -> impl Iterator<Item = Lane> {
        (0..self.rows().len()).filter_map(move |number| {
            let number = u8::try_from(number).ok()?;
            Some(Lane {
                machine: self,
                number,
            })
        })
    }

    /// The first lane of a name.
    pub fn lane(self, name: &str) -> Option<Lane> {
        self.lanes().find(|lane| lane.name() == name)
    }
}

/// A row that no table has.
const NO_ROW: LaneRow = LaneRow {
    name: "",
    own_name: "",
    track: "",
    short: "",
    colour: "#808080",
};

/// One row of a machine. Lanes of one machine are ordered as they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane {
    machine: Machine,
    number: u8,
}

impl Lane {
    /// The main context of the tensor unit.
    pub const MAIN: Self = Self::of_visa(0);
    /// The sub context.
    pub const SUB: Self = Self::of_visa(1);
    /// The Tensor DMA.
    pub const TENSOR_DMA: Self = Self::of_visa(2);
    /// The PCIe DMA.
    pub const PCIE_DMA: Self = Self::of_visa(3);
    /// Those of the Virtual ISA, in the order in which they are shown.
    pub const VIRTUAL_ISA: [Self; VIRTUAL_ISA.len()] =
        [Self::MAIN, Self::SUB, Self::TENSOR_DMA, Self::PCIE_DMA];

    const fn of_visa(number: u8) -> Self {
        Self {
            machine: Machine::VirtualIsa,
            number,
        }
    }

    /// Its place among the lanes of its machine, from 0.
    pub const fn number(self) -> usize {
        self.number as usize
    }

    fn row(self) -> &'static LaneRow {
        self.machine.rows().get(self.number()).unwrap_or(&NO_ROW)
    }

    /// The name of its kind in tables and documents: `main`, `MTE2`, `sync`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Its name where lanes of one kind are told apart: `pcie dma`.
    pub fn own_name(self) -> &'static str {
        self.row().own_name
    }

    /// The name of its track: `tensor DMA`.
    pub fn track(self) -> &'static str {
        self.row().track
    }

    /// Its name where letters are few.
    pub fn short(self) -> &'static str {
        self.row().short
    }

    /// Its colour as `#rrggbb`.
    pub fn colour(self) -> &'static str {
        self.row().colour
    }
}

/// A lane in a document is its name.
impl Serialize for Lane {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_one_name_are_drawn_alike_and_tracks_are_their_own() {
        for machine in [Machine::VirtualIsa, Machine::Pto, Machine::Nki] {
            let lanes: Vec<Lane> = machine.lanes().collect();
            assert_eq!(lanes.len(), machine.rows().len());
            for (number, one) in lanes.iter().enumerate() {
                assert_eq!(one.number(), number);
                assert!(one.colour().len() == 7 && one.colour().starts_with('#'));
                for other in &lanes[number + 1..] {
                    assert!(one < other && one.track() != other.track());
                    let (is_one_kind, is_one_colour) =
                        (one.name() == other.name(), one.colour() == other.colour());
                    assert_eq!(is_one_kind, is_one_colour, "{one:?} and {other:?}");
                }
            }
        }
        assert!(Machine::VirtualIsa.lanes().eq(Lane::VIRTUAL_ISA));
        assert_eq!(Machine::Pto.lane("MTE3").map(Lane::number), Some(2));
        assert_eq!(Machine::Nki.lane("MTE3"), None);
    }
}

//! Where libraries and their releases judge one and the same fact differently: the conventions that a body is derived by.
//!
//! One place for all of them. A limit of the machine is `hardware`'s; what a method means is its dialect's.

use crate::items::Dialect;
use crate::libraries::{Library, Release};

const fn release(minor: u16) -> Release {
    Release::new(0, minor)
}

/// How a dialect judges what the machine leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conventions {
    current: bool,
    release: Release,
}

impl Conventions {
    /// The conventions of a dialect.
    #[must_use]
    pub const fn of(dialect: Dialect) -> Self {
        Self {
            current: matches!(dialect.library, Library::OptStd),
            release: dialect.release,
        }
    }

    fn since(self, minor: u16) -> bool {
        self.current && self.release >= release(minor)
    }

    /// Whether a fetched packet may have any length, and only what enters the Switch Engine, after all adapters, has to be a
    /// multiple of 8 bytes.
    #[must_use]
    pub fn aligns_before_switch(self) -> bool {
        self.since(4)
    }

    /// Whether a packet of the Contraction Engine may be one flit as well as two.
    #[must_use]
    pub const fn takes_single_flits(self) -> bool {
        self.current
    }

    /// Whether iterations that neither operand of a contraction has are copies, and legal.
    #[must_use]
    pub const fn takes_free_replicas(self) -> bool {
        self.current
    }

    /// Whether the accumulator's output is spelled out exactly, padding included.
    #[must_use]
    pub const fn accumulates_exactly(self) -> bool {
        self.current
    }

    /// Whether sequential rows share the accumulator's slots whatever the packet; else each 8 elements of it take their own.
    #[must_use]
    pub fn counts_rows_alone(self) -> bool {
        self.since(5)
    }

    /// Whether masks of the fetch adapter and valid counts of reductions are in use.
    #[must_use]
    pub const fn counts_valid_elements(self) -> bool {
        !self.current
    }

    /// Whether a reduction across slices leaves out the slices that the padding outside of all data stands for. The compiler
    /// builds the ring over them and takes no value from them.
    #[must_use]
    pub const fn leaves_idle_slices_out(self) -> bool {
        self.current
    }

    /// Whether checks of the library that are narrower than the machine are judged as a limit of that release.
    #[must_use]
    pub const fn has_library_limits(self) -> bool {
        !self.current
    }

    /// Whether the position of a stream is a type of its own, so that a method which the library does not offer there does
    /// not compile.
    #[must_use]
    pub const fn types_positions(self) -> bool {
        self.current
    }

    /// Whether an element in the VRF spells time and packet of what is stored, padding included.
    #[must_use]
    pub fn stores_registers_exactly(self) -> bool {
        self.since(7)
    }

    /// Whether the innermost part of a fetched packet has to be contiguous in DM.
    #[must_use]
    pub fn fetches_contiguously(self) -> bool {
        self.since(7)
    }

    /// Whether the level of a tile alone is looked at, and the hole that it leaves is spelled: with a kind of its own on
    /// exclusive views.
    #[must_use]
    pub fn tiles_one_level(self) -> bool {
        self.since(6)
    }

    /// Whether a pass of either context may store to the TRF, as far as types go.
    #[must_use]
    pub fn loads_trf_from_any_context(self) -> bool {
        self.current && !self.since(10)
    }

    /// Whether a pass of either context may store to the VRF, as far as types go.
    #[must_use]
    pub fn loads_vrf_from_any_context(self) -> bool {
        self.current && !self.since(7)
    }

    /// Whether tensors have addresses that authors choose, all of them.
    #[must_use]
    pub fn is_addressed(self) -> bool {
        !self.since(4)
    }
}

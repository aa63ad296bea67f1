//! Where libraries and their releases judge one and the same fact differently: the conventions that a body is derived by.
//!
//! One place for all of them. A limit of the machine is `hardware`'s; what a method means is its dialect's.

use crate::hardware::CalibrationId;
use crate::items::Dialect;
use crate::libraries::{Library, Release};

const fn minor_release(minor: u16) -> Release {
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
    pub const fn of(dialect: Dialect) -> Self {
        Self {
            current: matches!(dialect.library, Library::OptStd),
            release: dialect.release,
        }
    }

    fn is_from_release(self, minor: u16) -> bool {
        self.current && self.release >= minor_release(minor)
    }

    /// The published schedules whose constants are nearest. Of the book's dialect none is public: the oldest is taken.
    pub fn calibration(self) -> CalibrationId {
        if self.is_from_release(7) {
            CalibrationId::Release0_8_1
        } else if self.is_from_release(6) {
            CalibrationId::Release0_6_0
        } else {
            CalibrationId::Release0_5_1
        }
    }

    /// Whether the compiler keeps transfers and passes in the order of the source, and has turns of a loop overlap, as the book says; from
    /// 0.5 on those go first that most waits for, and nothing overlaps across a turn.
    pub fn keeps_order_of_transfers(self) -> bool {
        !self.is_from_release(5)
    }

    /// Whether a fetched packet may have any length, and only what enters the Switch Engine, after all adapters, has to be a
    /// multiple of 8 bytes.
    pub fn aligns_before_switch(self) -> bool {
        self.is_from_release(4)
    }

    /// Whether a packet of the Contraction Engine may be one flit as well as two.
    pub const fn takes_single_flits(self) -> bool {
        self.current
    }

    /// Whether iterations that neither operand of a contraction has are copies, and legal.
    pub const fn takes_free_replicas(self) -> bool {
        self.current
    }

    /// Whether padding that a valid count excludes, or that only an alignment adds, takes no part in a reduction.
    pub const fn leaves_padding_out(self) -> bool {
        !self.current
    }

    /// Whether the accumulator's output is spelled out exactly, padding included.
    pub const fn accumulates_exactly(self) -> bool {
        self.current
    }

    /// Whether sequential rows share the accumulator's slots whatever the packet; else each 8 elements of it take their own.
    pub fn counts_rows_alone(self) -> bool {
        self.is_from_release(5)
    }

    /// Whether a transfer or a fetch may leave out what a resize of its target leaves out. From 0.4 on the library wants all
    /// live data of the source in the target; a part of a tensor is a tile.
    pub fn drops_by_resize(self) -> bool {
        !self.is_from_release(4)
    }

    /// Whether parts of an axis that the source of a move lacks are read again and again, as an axis is that it lacks altogether.
    /// The library takes both for copies; the book takes the first for data that is not there.
    pub const fn copies_missing_parts(self) -> bool {
        self.current
    }

    /// Whether the library looks at what a transfer to the HBM, or a trim or a transpose of a stream, leaves out.
    pub const fn checks_what_is_left_out(self) -> bool {
        !self.current
    }

    /// Whether masks of the fetch adapter and valid counts of reductions are in use.
    pub const fn counts_valid_elements(self) -> bool {
        !self.current
    }

    /// Whether a reduction across slices leaves out the slices that the padding outside of all data stands for. The compiler
    /// builds the ring over them and takes no value from them.
    pub const fn leaves_idle_slices_out(self) -> bool {
        self.current
    }

    /// Whether checks of the library that are narrower than the machine are judged as a limit of that release.
    pub const fn has_library_limits(self) -> bool {
        !self.current
    }

    /// Whether the position of a stream is a type of its own, so that a method which the library does not offer there does
    /// not compile.
    pub const fn types_positions(self) -> bool {
        self.current
    }

    /// Whether an element in the VRF spells time and packet of what is stored, padding included.
    pub fn stores_registers_exactly(self) -> bool {
        self.is_from_release(7)
    }

    /// Whether the innermost part of a fetched packet has to be contiguous in DM.
    pub fn fetches_contiguously(self) -> bool {
        self.is_from_release(7)
    }

    /// Whether the level of a tile alone is looked at, and the hole that it leaves is spelled: with a kind of its own on
    /// exclusive views.
    pub fn tiles_one_level(self) -> bool {
        self.is_from_release(6)
    }

    /// Whether what the index of a tile spans has to divide its level.
    pub fn cuts_tiles_out_of_whole_spans(self) -> bool {
        self.is_from_release(7)
    }

    /// Whether a tile has to begin at a value of its index and not on padding.
    pub fn starts_tiles_on_values(self) -> bool {
        self.current && self.is_from_release(6)
    }

    /// Whether a pass of either context may store to the TRF, as far as types go.
    pub fn loads_trf_from_any_context(self) -> bool {
        self.current && !self.is_from_release(10)
    }

    /// Whether a pass of either context may store to the VRF, as far as types go.
    pub fn loads_vrf_from_any_context(self) -> bool {
        self.current && !self.is_from_release(7)
    }

    /// Whether a pass of the main context may end in the VRF. Runs of 0.6.0 did not come back from one; 0.8.1 was seen to run them,
    /// and the book's own kernels have one.
    pub fn feeds_vrf_from_main(self) -> bool {
        !self.current || self.is_from_release(7)
    }

    /// Whether tensors have addresses that authors choose, all of them.
    pub fn is_addressed(self) -> bool {
        !self.is_from_release(4)
    }

    /// Whether a transfer into the data memory is refused for the steps at which it reads the HBM; else for those at which it
    /// writes alone.
    pub const fn refuses_ragged_reads(self) -> bool {
        !self.current
    }

    /// Whether a transfer may write the padding behind a row of the target that the source does not have.
    pub const fn writes_padding_of_the_target(self) -> bool {
        self.current
    }

    /// Whether a cast to the type that the stream has is a method of it.
    pub fn casts_to_the_same_type(self) -> bool {
        !self.is_from_release(6)
    }

    /// Whether this is the successor of the book's library.
    pub const fn is_successor(self) -> bool {
        self.current
    }

    /// Whether passes were seen to go wrong in clusters that hold copies of another one's data.
    pub fn garbles_dummy_clusters(self) -> bool {
        self.current && !self.is_from_release(7)
    }

    /// Whether loads into a part of a tensor were seen to spoil what passes wrote beside it.
    pub fn garbles_partial_loads(self) -> bool {
        self.is_from_release(4) && !self.is_from_release(7)
    }

    /// Whether the sub context was seen to store wrong values after a vector stage.
    pub fn garbles_vector_stores(self) -> bool {
        self.current && !self.is_from_release(7)
    }

    /// Whether the compiler refuses contractions of the sub context that the library takes.
    pub fn contracts_on_main_alone(self) -> bool {
        self.is_from_release(5) && !self.is_from_release(10)
    }

    /// Whether transfers inside of the data memory stay in their cluster.
    pub fn keeps_clusters_apart(self) -> bool {
        self.is_from_release(4) && !self.is_from_release(7)
    }

    /// Whether a transfer inside of the data memory names the clusters of what it makes; before, they stay.
    pub fn moves_between_clusters(self) -> bool {
        self.is_from_release(7)
    }

    /// Whether the compiler refuses to give a tile another type.
    pub fn reshapes_no_tiles(self) -> bool {
        self.is_from_release(8) && !self.is_from_release(9)
    }

    /// Whether the compiler refuses a load of a part of each row where the part does not divide the row. Seen of one release.
    pub fn loads_divisors_of_rows(self) -> bool {
        self.is_from_release(8) && !self.is_from_release(9)
    }

    /// Whether a switch is judged by whole frames: every part of slices and time that it makes is compared, a
    /// custom ring is as large as the exchange and no larger, and no data may be dropped.
    pub fn compares_switch_frames(self) -> bool {
        self.is_from_release(5)
    }

    /// Whether a custom switch may leave out parts of the slices in whose place it puts copies.
    pub fn replaces_by_copies(self) -> bool {
        self.current && !self.compares_switch_frames()
    }

    /// Whether copies that a switch makes may be named by another digit of an axis that the input has; else the axis itself
    /// has to be new.
    pub fn names_copies_by_digit(self) -> bool {
        self.is_from_release(6)
    }

    /// Whether the copies of a switch may be padded, with padding that may be read and written.
    pub fn pads_copies(self, custom: bool) -> bool {
        !self.compares_switch_frames() || self.is_from_release(if custom { 8 } else { 6 })
    }

    /// Whether the rows of a transpose are looked for at every place of the iterations, with padding as it is written.
    pub fn places_transposed_rows(self) -> bool {
        self.is_from_release(4)
    }

    /// Whether a packet that enters a transpose may bring 16 elements of 8 or 16 bits.
    pub fn turns_sixteen_elements(self) -> bool {
        self.is_from_release(7)
    }

    /// Whether an operand in the VRF is looked at as the indexer reads it: one address or a run a packet, all of it in a pass,
    /// on the stream's own chips, clusters and slices.
    pub fn indexes_registers(self) -> bool {
        self.is_from_release(7)
    }

    /// Whether what is inside the axis of two groups has to fit the cache that the first group waits in.
    pub fn caches_groups(self) -> bool {
        self.is_from_release(7)
    }

    /// Whether padding of a reduced axis is refused, since no mask leaves it out.
    pub const fn reduces_without_padding(self) -> bool {
        self.current
    }

    /// Whether what is reduced across slices has to be the innermost part of the slice, without padding inside of it.
    pub const fn reduces_innermost_slices(self) -> bool {
        self.current
    }

    /// Whether an aligned packet of two flits is the two innermost iterations, padding included, and nothing else.
    pub fn packs_flits_exactly(self) -> bool {
        self.is_from_release(4)
    }

    /// Whether a reduction over time compares only what begins where a whole part of the time does.
    pub fn reduces_at_boundaries(self) -> bool {
        self.is_from_release(6)
    }

    /// Whether a fetch that converts has to deliver whole words of 8 bytes, also where it reads less.
    pub fn delivers_whole_words(self) -> bool {
        self.is_from_release(8)
    }

    /// Whether the trimmed packet is the innermost run of the element that it is committed to, and padding may be written over
    /// padding.
    pub fn commits_packets_innermost(self) -> bool {
        self.is_from_release(7)
    }

    /// Whether padding of a commit's stream may be written over padding of the element, as often as the stream has it.
    pub fn writes_padding_over_padding(self) -> bool {
        self.is_from_release(4)
    }

    /// Whether a pass stashes once, also where the value was read.
    pub fn stashes_once(self) -> bool {
        self.is_from_release(4)
    }

    /// Whether what is stashed is read in as many lanes as it was stashed in.
    pub fn stashes_ways(self) -> bool {
        self.is_from_release(6)
    }

    /// Whether the compiler cannot lay out a register that a reduction inside of a slice is stored to.
    pub fn stores_no_reductions(self) -> bool {
        self.current && !self.is_from_release(7)
    }

    /// Whether a widening of an odd number of steps is a fault of its own.
    pub const fn joins_pairs_of_steps(self) -> bool {
        self.current
    }
}

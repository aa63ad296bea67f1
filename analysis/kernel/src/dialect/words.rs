//! A library's names of what is no method and no type: variants of its enums, markers, constructors of operands.
//!
//! Lowering asks here what a name means, and a writer of kernels asks what a thing is called.

use crate::catalogue::vector_stages;
use crate::hardware::ElementType;
use crate::{
    AccumulationKind, BranchMode, Context, Position, SwitchParameter, SwitchTopology, TrfAddress,
    VectorStage, Way,
};

/// What a constructor of operands makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperandWord {
    /// The stash.
    Stash,
    /// The stash, for all branches.
    StashAlways,
    /// What its first argument is.
    First,
    /// What its first argument is, for all branches.
    FirstAlways,
    /// What its first argument is, and for all branches what that says.
    Wraps,
    /// What its second argument is, for the elements that its first one names.
    Slot,
    /// No operand.
    None,
}

/// What a name says of the branches that an operand is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConditionWord {
    /// All of them.
    Always,
}

/// What a constructor of guards makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GuardWord {
    /// Each element.
    All,
    /// The elements of a group.
    Group,
    /// The elements whose bits are as required.
    Matches,
    /// All others.
    NotMatches,
}

/// How a topology of the Switch Engine is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchWord {
    /// The variant.
    pub name: &'static str,
    /// The topology.
    pub topology: SwitchTopology,
    /// Its fields in order.
    pub fields: &'static [(&'static str, SwitchParameter)],
}

/// The names of a library.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// The enum of regions of the TRF.
    pub trf_type: &'static str,
    /// Regions of the TRF.
    pub trf_regions: &'static [(&'static str, TrfAddress)],
    /// Layouts of the accumulator's output.
    pub accumulations: &'static [(&'static str, AccumulationKind)],
    /// The enum of topologies of the Switch Engine.
    pub switch_type: &'static str,
    /// Topologies of the Switch Engine.
    pub switches: &'static [SwitchWord],
    /// The enum of branch modes.
    pub branch_type: &'static str,
    /// Branch modes but that by comparisons.
    pub branch_modes: &'static [(&'static str, BranchMode)],
    /// The branch mode by comparisons.
    pub comparison: &'static str,
    /// The enum of comparisons.
    pub comparison_type: &'static str,
    /// Comparisons by the type that they are for: the variant that holds one, and the enum that it is of.
    pub comparisons: &'static [(&'static str, &'static str, ElementType)],
    /// Constructors of operands.
    pub operands: &'static [(&'static str, OperandWord)],
    /// Names that say which branches an operand is for.
    pub conditions: &'static [(&'static str, ConditionWord)],
    /// Constructors of guards.
    pub guards: &'static [(&'static str, GuardWord)],
    /// Groups by their markers.
    pub groups: &'static [(&'static str, u8)],
    /// What a marker asks of a bit of the execution id; none where the bit does not matter.
    pub bits: &'static [(&'static str, Option<bool>)],
    /// The type whose functions and methods line up guarded operands.
    pub slots_type: &'static str,
    /// The type of an empty list of operands, and the methods that add one to it with its group.
    pub lists: (&'static str, &'static [&'static str]),
    /// The type whose constructors make one operand, where a pair may be an operand with its branches.
    pub operand_type: &'static str,
    /// Types whose associated functions make operands, conditions and argument modes.
    pub operand_owners: &'static [&'static str],
    /// Containers that are what they are made of, with the functions that make them.
    pub containers: &'static [(&'static str, &'static [&'static str])],
    /// Markers of contexts: the type and the variant.
    pub contexts: &'static [(&'static str, &'static str, Context)],
    /// Markers of positions that are not called as the type of a stream there.
    pub positions: &'static [(&'static str, Position)],
    /// What markers of positions may begin with.
    pub position_prefix: &'static str,
    /// What the name of a stream's type has behind the marker of its position.
    pub stream_suffix: &'static str,
    /// Markers of the Vector Engine's stages that are not called as the book calls the stage.
    pub vector_stages: &'static [(&'static str, VectorStage)],
    /// Markers of the lanes of a stream.
    pub ways: &'static [(&'static str, Way)],
    /// What the parameter of a type that is a context means.
    pub context_words: &'static str,
    /// What it calls a row of the MAC array, as a generic of a type.
    pub row_name: &'static str,
    /// What the parameter of a type that says the lanes means.
    pub way_words: &'static str,
    /// The type of addresses.
    pub address_type: &'static str,
    /// Branch modes that are named and have no body.
    pub modes_without_body: &'static [BranchMode],
    /// Methods whose names ordinary Rust has too: they are only meant where the receiver is known.
    pub ordinary: &'static [&'static str],
    /// The function that launches a kernel.
    pub launch: &'static str,
    /// Functions that only the host calls: who calls one is no kernel.
    pub host_functions: &'static [&'static str],
}

fn find<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, value)| *value)
}

impl Words {
    /// No names at all.
    pub const NONE: Self = Self {
        trf_type: "",
        trf_regions: &[],
        accumulations: &[],
        switch_type: "",
        switches: &[],
        branch_type: "",
        branch_modes: &[],
        comparison: "",
        comparison_type: "",
        comparisons: &[],
        operands: &[],
        conditions: &[],
        guards: &[],
        groups: &[],
        bits: &[],
        slots_type: "",
        lists: ("", &[]),
        operand_type: "",
        operand_owners: &[],
        containers: &[],
        contexts: &[],
        positions: &[],
        position_prefix: "",
        stream_suffix: "",
        vector_stages: &[],
        ways: &[],
        context_words: "",
        row_name: "",
        way_words: "",
        address_type: "",
        modes_without_body: &[],
        ordinary: &[],
        launch: "",
        host_functions: &[],
    };

    /// The region of the TRF of a name.
    pub fn trf_region(&self, name: &str) -> Option<TrfAddress> {
        find(self.trf_regions, name)
    }

    /// The name of a region of the TRF.
    pub fn trf_region_name(&self, region: TrfAddress) -> &'static str {
        let mut regions = self.trf_regions.iter();
        let found = regions.find(|(_, known)| *known == region);
        found.map_or("", |(name, _)| name)
    }

    /// The accumulator's layout of a name.
    pub fn accumulation(&self, name: &str) -> Option<AccumulationKind> {
        find(self.accumulations, name)
    }

    /// How a topology of that name is written.
    pub fn switch(&self, name: &str) -> Option<&'static SwitchWord> {
        self.switches.iter().find(|word| word.name == name)
    }

    /// How a topology is written.
    pub fn switch_of(&self, topology: SwitchTopology) -> Option<&'static SwitchWord> {
        self.switches.iter().find(|word| word.topology == topology)
    }

    /// The name of a parameter of a topology.
    pub fn switch_field(&self, wanted: SwitchParameter) -> &'static str {
        let mut fields = self.switches.iter().flat_map(|word| word.fields);
        fields
            .find(|(_, parameter)| *parameter == wanted)
            .map_or("", |(name, _)| name)
    }

    /// The branch mode of a name, but that by comparisons.
    pub fn branch_mode(&self, name: &str) -> Option<BranchMode> {
        let mut modes = self.branch_modes.iter();
        let found = modes.find(|(known, _)| *known == name);
        found.map(|(_, mode)| mode.clone())
    }

    /// The name of a branch mode, but that by comparisons.
    pub fn branch_mode_name(&self, mode: &BranchMode) -> &'static str {
        let mut modes = self.branch_modes.iter();
        let kind = std::mem::discriminant(mode);
        let found = modes.find(|(_, known)| std::mem::discriminant(known) == kind);
        found.map_or("", |(name, _)| name)
    }

    /// The branch modes that have a body.
    pub fn modes_with_body(&self) -> Vec<&'static str> {
        let modes = self.branch_modes.iter();
        let bodies = modes.filter(|(_, mode)| !self.modes_without_body.contains(mode));
        let names = bodies.map(|(name, _)| *name);
        names.chain([self.comparison]).collect()
    }

    /// A comparison of values of a type: `InputCmp::I32`.
    pub fn comparison_of(&self, element_type: ElementType) -> String {
        let mut comparisons = self.comparisons.iter();
        let found = comparisons.find(|(.., compared)| *compared == element_type);
        let variant = found.map_or_else(|| element_type.name(), |(variant, ..)| *variant);
        format!("{}::{variant}", self.comparison_type)
    }

    /// What a constructor of operands makes.
    pub fn operand(&self, name: &str) -> Option<OperandWord> {
        find(self.operands, name)
    }

    /// What a constructor of guards makes.
    pub fn guard(&self, name: &str) -> Option<GuardWord> {
        find(self.guards, name)
    }

    /// The group of a marker.
    pub fn group(&self, name: &str) -> Option<u8> {
        find(self.groups, name)
    }

    /// What a marker asks of a bit.
    pub fn bit(&self, name: &str) -> Option<Option<bool>> {
        find(self.bits, name)
    }

    /// What a name says of the branches that an operand is for.
    pub fn condition(&self, name: &str) -> Option<ConditionWord> {
        find(self.conditions, name)
    }

    /// The context of a marker.
    pub fn context(&self, owner: &str, name: &str) -> Option<Context> {
        let mut contexts = self.contexts.iter();
        let found = contexts.find(|(known, variant, _)| *known == owner && *variant == name);
        found.map(|(.., context)| *context)
    }

    /// The stage of the Vector Engine of a marker.
    pub fn vector_stage(&self, marker: &str) -> Option<VectorStage> {
        let mut stages = vector_stages().iter().copied();
        find(self.vector_stages, marker).or_else(|| stages.find(|stage| stage.name() == marker))
    }

    /// The lanes of a marker.
    pub fn way(&self, marker: &str) -> Option<Way> {
        find(self.ways, marker)
    }

    /// Whether a function of a type makes a container that is what it is made of.
    pub fn is_container(&self, owner: &str, function: &str) -> bool {
        self.containers
            .iter()
            .any(|(name, functions)| *name == owner && functions.contains(&function))
    }
}

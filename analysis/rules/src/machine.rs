//! The machine as the rules see it: of each engine the stages that the catalogue has of it, and the numbers of the hardware that its
//! rules guard, as plain data to be drawn.
//!
//! Knows which rule guards which number; computes nothing about a kernel, and draws nothing.

use crate::findings::{Engine, Rule};
use crate::hardware::{
    ACCUMULATOR_BUS_ELEMENTS, BANK_RUN_LIMIT, COMMIT_PACKET_BYTES, COMMIT_UNIT_BYTES, DM_BANK_BITS,
    DM_BANKS, DMA_ALIGNMENT_BYTES, DMA_PACKET_BYTES, DMA_REQUEST_BYTES, ElementType,
    FETCH_ALIGNMENT_BYTES, FETCH_OUTPUT_BYTES, FLIT_BYTES, GROUP_CACHE_ELEMENTS, HBM_BYTES_A_CYCLE,
    HBM_CHANNELS, Machine, SEQUENCER_ACCESS_BYTES, SEQUENCER_ENTRIES, SEQUENCER_ITERATIONS,
    TRF_COLUMNS, Target, VECTOR_OPERATIONS, cast_outputs, contraction_type,
    sub_context_fetch_bytes,
};
use crate::kernel::Way;
use crate::kernel::catalogue::CATALOGUE;
use crate::numbers::thousands;

use super::guarded_limits::{GuardedLimit, equal_cells, guarded_limit, numbered_cells, size_cells};

/// What a picture of an engine shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnginePicture {
    /// The engine, or the part of the machine.
    pub engine: Engine,
    /// Its stages by their names in no library's words, in the order of the pipeline; a memory has none.
    pub stages: Vec<&'static str>,
    /// What its rules guard.
    pub limits: Vec<GuardedLimit>,
}

/// Bytes in the largest unit that divides them: `512 KiB`.
fn bytes_text(count: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = units
        .into_iter()
        .find(|(size, _)| count.is_multiple_of(*size));
    match unit {
        Some((size, name)) => format!("{} {name}", count / size),
        None => format!("{count} bytes"),
    }
}

/// The pictures, in the order of the index. Parts that are no hardware have none.
pub fn machine_pictures() -> Vec<EnginePicture> {
    let pictures = Engine::ALL.into_iter().map(|engine| EnginePicture {
        engine,
        stages: engine_stages(engine),
        limits: engine_limits(engine),
    });
    pictures
        .filter(|picture| !picture.limits.is_empty())
        .collect()
}

/// Whether an engine has a picture.
pub fn has_picture(engine: Engine) -> bool {
    !engine_limits(engine).is_empty()
}

/// The stages of an engine; the catalogue says `Fetch` of the Fetch Engine.
fn engine_stages(engine: Engine) -> Vec<&'static str> {
    let rows = CATALOGUE.iter().filter(|row| {
        let whole = row.engine.whole_engine_name();
        !whole.is_empty() && engine.name() == format!("{whole} Engine")
    });
    let mut names: Vec<&'static str> = Vec::new();
    for row in rows {
        if !names.contains(&row.name) {
            names.push(row.name);
        }
    }
    names
}

fn engine_limits(engine: Engine) -> Vec<GuardedLimit> {
    match engine {
        Engine::Memory => memory_limits(),
        Engine::Sequencers => sequencer_limits(),
        Engine::Fetch => fetch_limits(),
        Engine::Switch => switch_limits(),
        Engine::Collect => vec![guarded_limit(
            format!("Every packet after the Collect Engine is one flit of {FLIT_BYTES} bytes"),
            equal_cells(FLIT_BYTES, "B"),
            &["collect_packet_size", "collect_packet_mismatch"],
        )],
        Engine::Contraction => contraction_limits(),
        Engine::Vector => vector_limits(),
        Engine::Cast => cast_limits(),
        Engine::Commit => commit_limits(),
        Engine::Dma => dma_limits(),
        Engine::Schedule => schedule_limits(),
        // A part that is no hardware has none anywhere.
        other => beside_rules(other),
    }
}

/// The rules of an engine, and what says its limits.
type Beside = (&'static [&'static Rule], fn() -> Vec<GuardedLimit>);

/// Engines whose limits are declared beside their rules.
const BESIDE_RULES: &[Beside] = &[(
    super::transpose::RULES,
    super::transpose::transpose_guarded_limits,
)];

fn beside_rules(engine: Engine) -> Vec<GuardedLimit> {
    let mut engines = BESIDE_RULES.iter();
    let of_engine = engines.find(|(rules, _)| rules.iter().any(|rule| rule.engine == engine));
    of_engine.map_or_else(Vec::new, |(_, limits)| limits())
}

fn memory_limits() -> Vec<GuardedLimit> {
    let machine = Machine::RNGD;
    let (slices, clusters) = (machine.slices, machine.clusters);
    let dm = bytes_text(machine.dm_bytes);
    let trf = bytes_text(machine.trf_bytes);
    let vrf = bytes_text(machine.vrf_bytes);
    let spm = bytes_text(machine.spm_bytes);
    let hbm = bytes_text(machine.hbm_bytes);
    let row = bytes_text(machine.trf_bytes / machine.rows);
    vec![
        guarded_limit(
            format!("A chip has {clusters} clusters of {slices} slices"),
            equal_cells(clusters, &format!("{slices} slices")),
            &["cluster_size", "slice_size", "device_grid"],
        ),
        guarded_limit(
            format!("A slice has {dm} of data memory (DM)"),
            vec![format!("DM {dm}")],
            &["dm_capacity", "dm_overlap"],
        ),
        guarded_limit(
            format!("A slice has {trf} of tensor register file (TRF), {row} a row"),
            equal_cells(machine.rows, &row),
            &["trf_capacity", "trf_overlap"],
        ),
        guarded_limit(
            format!("A slice has {vrf} of vector register file (VRF)"),
            vec![format!("VRF {vrf}")],
            &["vrf_capacity", "vrf_overlap"],
        ),
        guarded_limit(
            format!("A processing element has {spm} of scratchpad (SPM)"),
            vec![format!("SPM {spm}")],
            &["spm_capacity"],
        ),
        guarded_limit(
            format!("A chip has {hbm} of HBM"),
            vec![format!("HBM {hbm}")],
            &["hbm_capacity", "hbm_overlap"],
        ),
    ]
}

fn sequencer_limits() -> Vec<GuardedLimit> {
    let iterations = thousands(SEQUENCER_ITERATIONS);
    vec![
        guarded_limit(
            format!(
                "A sequencer has {SEQUENCER_ENTRIES} entries, each a loop with a size and a stride"
            ),
            equal_cells(SEQUENCER_ENTRIES as u64, "size:stride"),
            &["sequencer_entries"],
        ),
        guarded_limit(
            format!("An entry runs at most {iterations} times"),
            vec![format!("size ≤ {iterations}")],
            &["sequencer_iterations"],
        ),
        guarded_limit(
            "One access moves one of these sizes".to_owned(),
            size_cells(SEQUENCER_ACCESS_BYTES, " B"),
            &["sequencer_packet"],
        ),
        guarded_limit(
            format!("A write's stride is a multiple of {COMMIT_UNIT_BYTES} bytes, and not 0"),
            equal_cells(
                FLIT_BYTES / COMMIT_UNIT_BYTES,
                &format!("{COMMIT_UNIT_BYTES} B"),
            ),
            &["sequencer_write_stride", "sequencer_write_broadcast"],
        ),
    ]
}

fn fetch_limits() -> Vec<GuardedLimit> {
    let units = |bytes: u64, unit: u64| equal_cells(bytes / unit, &format!("{unit} B"));
    let sub = sub_context_fetch_bytes(ElementType::I8, ElementType::I8);
    vec![
        guarded_limit(
            format!("A packet is a multiple of {FETCH_ALIGNMENT_BYTES} bytes"),
            units(FLIT_BYTES, FETCH_ALIGNMENT_BYTES),
            &["fetch_packet_alignment"],
        ),
        guarded_limit(
            format!("One fetch gives at most {FETCH_OUTPUT_BYTES} bytes after its conversion"),
            equal_cells(FETCH_OUTPUT_BYTES, "B"),
            &["fetch_cast_overflow", "fetch_narrow_packet"],
        ),
        GuardedLimit {
            words: format!(
                "The sub context fetches {sub} bytes at a time, where it does not widen `i4`"
            ),
            cells: units(FETCH_OUTPUT_BYTES, sub),
            used: 1,
            rules: &["fetch_sub_context_size"],
        },
    ]
}

fn switch_limits() -> Vec<GuardedLimit> {
    let machine = Machine::RNGD;
    vec![
        guarded_limit(
            "A ring connects one of these numbers of slices".to_owned(),
            size_cells(machine.rings(), ""),
            &[
                "switch_parameters",
                "switch_ring_too_small",
                "switch_ring_too_large",
            ],
        ),
        guarded_limit(
            format!(
                "As many slices leave the engine as enter it: {} on a whole chip",
                machine.slices
            ),
            vec![
                format!("{} before", machine.slices),
                format!("{} behind", machine.slices),
            ],
            &["switch_slice_size", "switch_topology_mismatch"],
        ),
    ]
}

fn contraction_limits() -> Vec<GuardedLimit> {
    let machine = Machine::RNGD;
    let aligned = TRF_COLUMNS * FLIT_BYTES;
    let types = [
        ElementType::I4,
        ElementType::I8,
        ElementType::F8E4M3,
        ElementType::F8E5M2,
        ElementType::Bf16,
    ];
    let depths = types.into_iter().filter_map(|element| {
        let depth = contraction_type(element)?.tree_depth;
        Some(format!("{element}: {depth}"))
    });
    vec![
        guarded_limit(
            format!(
                "{} rows multiply; a kernel uses 1, 2, 4 or all",
                machine.rows
            ),
            numbered_cells(machine.rows, "row "),
            &[
                "trf_row_count",
                "trf_row_mismatch",
                "idle_rows",
                "reduce_max_rows",
            ],
        ),
        guarded_limit(
            format!("An aligned packet is {aligned} bytes: one or two flits of the stream"),
            equal_cells(TRF_COLUMNS, &format!("flit of {FLIT_BYTES} B")),
            &[
                "align_packet_size",
                "align_packet_mismatch",
                "half_mac_packet",
            ],
        ),
        guarded_limit(
            format!("The tree halves {aligned} bytes of a type this often"),
            depths.collect(),
            &["contraction_type", "contract_packet_mismatch"],
        ),
        guarded_limit(
            format!("The TRF has {TRF_COLUMNS} bank columns, and gives a flit a cycle of each"),
            numbered_cells(TRF_COLUMNS, "column "),
            &["trf_load_stall", "trf_sequencer"],
        ),
    ]
}

fn vector_limits() -> Vec<GuardedLimit> {
    let (wide, narrow) = (Way::Way8.lanes(), Way::Way4.lanes());
    let mut alus: Vec<String> = Vec::new();
    for alu in VECTOR_OPERATIONS.iter().filter_map(|row| row.alu) {
        let name = alu.name().to_owned();
        if !alus.contains(&name) {
            alus.push(name);
        }
    }
    vec![
        guarded_limit(
            format!("A packet enters with {ACCUMULATOR_BUS_ELEMENTS} elements of 32 bits"),
            numbered_cells(ACCUMULATOR_BUS_ELEMENTS, "lane "),
            &["vector_packet", "vector_type"],
        ),
        GuardedLimit {
            words: format!("Float stages work on {narrow} of the {wide} lanes"),
            cells: numbered_cells(wide, "lane "),
            used: usize::try_from(narrow).unwrap_or(usize::MAX),
            rules: &["vector_way", "narrow_drops_data", "way_shape"],
        },
        guarded_limit(
            "An ALU runs one operation a pass".to_owned(),
            alus,
            &["alu_reuse"],
        ),
        guarded_limit(
            format!(
                "One of two groups waits in a cache of {} elements",
                thousands(GROUP_CACHE_ELEMENTS)
            ),
            vec![format!("{GROUP_CACHE_ELEMENTS} elements")],
            &["unzip_group", "two_group_unavailable"],
        ),
    ]
}

fn cast_limits() -> Vec<GuardedLimit> {
    let outputs = |input: ElementType| {
        let outputs = cast_outputs(input, Target::Rngd).iter();
        guarded_limit(
            format!("The engine makes these types of `{input}`"),
            outputs.map(ToString::to_string).collect(),
            &["cast_unsupported"],
        )
    };
    let flit = guarded_limit(
        format!("What leaves it is padded to a flit of {FLIT_BYTES} bytes"),
        equal_cells(FLIT_BYTES, "B"),
        &["cast_packet"],
    );
    vec![outputs(ElementType::I32), outputs(ElementType::F32), flit]
}

fn commit_limits() -> Vec<GuardedLimit> {
    vec![
        guarded_limit(
            "What is written of a packet has one of these sizes".to_owned(),
            size_cells(COMMIT_PACKET_BYTES, " B"),
            &["commit_packet_size", "commit_split_writes"],
        ),
        guarded_limit(
            format!("Addresses and writes are multiples of {COMMIT_UNIT_BYTES} bytes"),
            equal_cells(
                FLIT_BYTES / COMMIT_UNIT_BYTES,
                &format!("{COMMIT_UNIT_BYTES} B"),
            ),
            &["commit_alignment", "commit_size"],
        ),
    ]
}

fn dma_limits() -> Vec<GuardedLimit> {
    let requests = DMA_PACKET_BYTES / DMA_REQUEST_BYTES;
    let packet = thousands(DMA_PACKET_BYTES);
    vec![
        guarded_limit(
            format!("Addresses and packets in DM are multiples of {DMA_ALIGNMENT_BYTES} bytes"),
            equal_cells(4, &format!("{DMA_ALIGNMENT_BYTES} B")),
            &["dma_alignment"],
        ),
        guarded_limit(
            format!("A packet is at most {packet} bytes, in requests of {DMA_REQUEST_BYTES} bytes"),
            equal_cells(requests, &format!("{DMA_REQUEST_BYTES} B")),
            &["dma_packet_limit", "dma_small_packet", "dma_prime_packet"],
        ),
        guarded_limit(
            format!("HBM moves units of {DMA_REQUEST_BYTES} bytes"),
            vec![format!("{DMA_REQUEST_BYTES} B")],
            &["hbm_misaligned_read", "hbm_partial_write"],
        ),
        guarded_limit(
            format!(
                "HBM has {HBM_CHANNELS} channels in two stacks, which move {} bytes a cycle together",
                thousands(HBM_BYTES_A_CYCLE)
            ),
            (0..HBM_CHANNELS)
                .map(|channel| channel.to_string())
                .collect(),
            &["hbm_stack_idle", "hbm_bank_conflict", "slow_transfer"],
        ),
    ]
}

fn schedule_limits() -> Vec<GuardedLimit> {
    let machine = Machine::RNGD;
    let width = DM_BANK_BITS / 8;
    vec![
        guarded_limit(
            format!("The DM of a slice has {DM_BANKS} banks, each {width} bytes wide"),
            (0..DM_BANKS).map(|bank| bank.to_string()).collect(),
            &["serialized_by_bank"],
        ),
        guarded_limit(
            format!(
                "{BANK_RUN_LIMIT} accesses to one bank in a row starve all others that wait for it"
            ),
            vec![format!("{BANK_RUN_LIMIT} accesses")],
            &["bank_starvation", "bank_starvation_combined"],
        ),
        GuardedLimit {
            words: format!(
                "A pass that uses one of {} clusters leaves the other idle",
                machine.clusters
            ),
            cells: numbered_cells(machine.clusters, "cluster "),
            used: 1,
            rules: &["idle_cluster"],
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_of_the_catalogue_has_its_stages_in_its_picture() {
        let pictures = machine_pictures();
        let shown: usize = pictures.iter().map(|picture| picture.stages.len()).sum();
        let mut names: Vec<&str> = CATALOGUE
            .iter()
            .filter(|row| !row.engine.whole_engine_name().is_empty())
            .map(|row| row.name)
            .collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(shown, names.len());
    }

    #[test]
    fn the_rules_of_a_limit_are_rules() {
        for picture in machine_pictures() {
            for limit in &picture.limits {
                assert!(!limit.cells.is_empty() && limit.used <= limit.cells.len());
                for name in limit.rules {
                    assert!(super::super::find(name).is_some(), "{name}");
                }
            }
        }
    }

    #[test]
    fn numbers_are_the_books() {
        let pictures = machine_pictures();
        let words = |engine: Engine| -> Vec<&str> {
            let picture = pictures.iter().find(|picture| picture.engine == engine);
            let limits = picture.map(|picture| picture.limits.iter());
            let limits = limits.into_iter().flatten();
            limits.map(|limit| limit.words.as_str()).collect()
        };
        assert!(words(Engine::Memory).contains(&"A slice has 512 KiB of data memory (DM)"));
        assert!(words(Engine::Memory).contains(&"A chip has 48 GiB of HBM"));
        assert!(words(Engine::Schedule)[1].starts_with("64 accesses to one bank"));
        assert!(words(Engine::Dma)[3].contains("1,536 bytes a cycle"));
    }
}

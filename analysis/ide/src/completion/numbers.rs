//! Right operands: divisors, paddings and sizes that fit the place of a mapping.
//!
//! What fits is found by putting the number in and looking at the whole expression: a packet of whole flits, 256 slices,
//! two clusters. The time it takes does not grow with sizes.

use std::collections::BTreeMap;

use crate::derivation::conventions::Conventions;
use crate::hardware::{COMMIT_UNIT_BYTES, ElementType, FETCH_ALIGNMENT_BYTES, FLIT_BYTES};
use crate::kernel::{CanonicalStage, Engine, Level, Way};
use crate::mapping::gcd;
use crate::numbers::thousands;
use crate::{Completion, CompletionKind};

use super::context::Around;
use super::expression::Expression;
use super::place::MappingPlace;
use super::word_proposal;

/// Numbers that are proposed at most.
const NUMBER_LIMIT: usize = 16;
/// Numbers that are put in for a try, at most.
const TRIAL_LIMIT: usize = 48;
/// Divisors up to this one, and their counterparts, are looked for.
const DIVISOR_LIMIT: u64 = 2_048;

/// A number with what it makes.
struct Candidate {
    rank: u32,
    words: String,
}

/// Proposals for the right operand of an operator.
pub(super) fn propose_numbers(
    around: &Around,
    expression: &Expression<'_>,
    operator: char,
    operand: &str,
) -> Vec<Completion> {
    let Some(size) = expression.evaluate(operand).map(|mapping| mapping.size()) else {
        return Vec::new();
    };
    let mut found: BTreeMap<u64, Candidate> = BTreeMap::new();
    let numbers = match operator {
        '/' | '%' | '=' => counterparts(expression, operator, operand)
            .into_iter()
            .filter(|number| size.is_multiple_of(*number) && *number < size)
            .chain(proper_divisors(size))
            // A single position is left, or all.
            .chain((operator != '=' && size > 1).then_some(size))
            .collect(),
        _ => likely_paddings(expression, size),
    };
    let partners = counterparts(expression, operator, operand);
    for number in numbers.into_iter().take(TRIAL_LIMIT) {
        if found.contains_key(&number) {
            continue;
        }
        let result = match operator {
            '/' => size.checked_div(number).unwrap_or(size),
            _ => number,
        };
        let Some(whole) = expression.with_word(&number.to_string()) else {
            // The rest of the expression is unfinished or does not allow it.
            let rank = 300 + u32::from(!number.is_power_of_two());
            let words = format!("= {}", thousands(result));
            found.insert(number, Candidate { rank, words });
            continue;
        };
        let fitting = fit_in_place(&expression.place, whole.size())
            .or_else(|| leaves_flits(&expression.place, operator, number));
        let partner = partners.contains(&number).then_some(());
        let rank = match (partner, &fitting) {
            (Some(()), _) => 0,
            (None, Some((rank, _))) => 10 + rank,
            (None, None) if number == size => 250,
            (None, None) if number.is_power_of_two() => 100,
            (None, None) => 200,
        };
        let mut words = if operator == '#' {
            format!("+{}", thousands(number.saturating_sub(size)))
        } else {
            format!("= {}", thousands(result))
        };
        if let Some((_, fitting)) = fitting {
            words = format!("{words}: {fitting}");
        }
        found.insert(number, Candidate { rank, words });
    }
    let mut found: Vec<(u64, Candidate)> = found.into_iter().collect();
    found.sort_by_key(|(number, candidate)| (candidate.rank, *number));
    found
        .into_iter()
        .take(NUMBER_LIMIT)
        .zip(0_u32..)
        .map(|((number, candidate), rank)| {
            let mut proposed =
                word_proposal(around, number.to_string(), CompletionKind::Value, rank);
            proposed.detail = Some(candidate.words);
            proposed
        })
        .collect()
}

/// Numbers of the complementary operator behind the same operand, in the mapping or in the arguments before it: `K / 16`
/// where `K %` is typed.
fn counterparts(expression: &Expression<'_>, operator: char, operand: &str) -> Vec<u64> {
    let other = match operator {
        '/' => '%',
        '%' => '/',
        _ => return Vec::new(),
    };
    let compact = |text: &str| -> String {
        text.chars()
            .filter(|character| !character.is_whitespace())
            .collect()
    };
    let sought = format!("{}{other}", compact(operand));
    let mut numbers = Vec::new();
    let texts = expression
        .place
        .arguments
        .iter()
        .chain([&expression.left, &expression.right]);
    for text in texts {
        let text = compact(text);
        for (at, _) in text.match_indices(&sought) {
            let starts_word = text
                .get(..at)
                .and_then(|before| before.chars().next_back())
                .is_none_or(|before| !before.is_alphanumeric() && before != '_');
            let digits: String = text
                .get(at + sought.len()..)
                .unwrap_or("")
                .chars()
                .take_while(char::is_ascii_digit)
                .collect();
            if starts_word && let Ok(number) = digits.parse::<u64>() {
                numbers.extend((number > 0).then_some(number));
            }
        }
    }
    numbers
}

/// Divisors of a size other than 1 and itself: powers of two first, then the others, each from small to large.
pub(super) fn proper_divisors(size: u64) -> Vec<u64> {
    let powers = (1..64)
        .map(|bits| 1_u64 << bits)
        .filter(|power| *power < size && size.is_multiple_of(*power));
    let small = (3..DIVISOR_LIMIT)
        .take_while(|divisor| divisor.saturating_mul(*divisor) <= size)
        .filter(|divisor| size.is_multiple_of(*divisor));
    let mut others: Vec<u64> = small
        .flat_map(|divisor| [divisor, size / divisor])
        .chain((size > 4 && size.is_multiple_of(2)).then_some(size / 2))
        .filter(|divisor| !divisor.is_power_of_two() && *divisor < size)
        .collect();
    others.sort_unstable();
    others.dedup();
    powers.chain(others).collect()
}

/// Paddings of a part that may make the whole right, and the usual multiples.
fn likely_paddings(expression: &Expression<'_>, size: u64) -> Vec<u64> {
    let mut found = Vec::new();
    let whole = expression
        .with_word(&size.to_string())
        .map(|whole| whole.size());
    // How many positions of the whole one of the part makes.
    let factor = whole
        .filter(|whole| size > 0 && whole.is_multiple_of(size))
        .map_or(1, |whole| whole / size);
    for wanted in wanted_sizes(&expression.place) {
        match wanted {
            Wanted::Exactly(total) => {
                found.extend(
                    total
                        .is_multiple_of(factor.max(1))
                        .then(|| total / factor.max(1)),
                );
            }
            Wanted::MultipleOf(unit) => {
                let step = unit / gcd(unit, factor).max(1);
                found.extend(size.checked_next_multiple_of(step.max(1)));
            }
        }
    }
    found.extend(size.checked_next_power_of_two());
    for unit in [4, 8, 16, 32, 64] {
        found.extend(size.checked_next_multiple_of(unit));
    }
    found.extend(size.checked_mul(2));
    found.retain(|padded| *padded > size);
    found
}

/// What the whole mapping of a level has to be.
enum Wanted {
    Exactly(u64),
    MultipleOf(u64),
}

fn wanted_sizes(place: &MappingPlace) -> Vec<Wanted> {
    let elements = |bytes: u64| {
        place
            .element_type
            .and_then(|scalar| elements_of(scalar, bytes))
    };
    let exactly = |sizes: &[u64]| sizes.iter().copied().map(Wanted::Exactly).collect();
    match place.level {
        Some(Level::Cluster) => exactly(place.machine.cluster_counts),
        Some(Level::Slice) => exactly(place.machine.slice_counts),
        Some(Level::Chip) => place.chips.map(Wanted::Exactly).into_iter().collect(),
        Some(Level::Pe) => exactly(place.machine.pe_counts),
        Some(Level::Row) => place.machine.row_counts().map(Wanted::Exactly).collect(),
        Some(Level::Packet) if is_reduced(place) => Vec::new(),
        Some(Level::Packet) => match packet_lanes(place) {
            Some(lanes) => vec![Wanted::Exactly(lanes)],
            None => [FLIT_BYTES, FLIT_BYTES / 2, FETCH_ALIGNMENT_BYTES]
                .into_iter()
                .filter_map(elements)
                .map(Wanted::MultipleOf)
                .collect(),
        },
        Some(Level::Element) => [FETCH_ALIGNMENT_BYTES, FLIT_BYTES]
            .into_iter()
            .filter_map(elements)
            .map(Wanted::MultipleOf)
            .collect(),
        Some(Level::Time) | None => Vec::new(),
    }
}

/// Lanes of the packet that a stage of the Vector Engine makes.
fn packet_lanes(place: &MappingPlace) -> Option<u64> {
    place.stage()?.lanes_made().map(Way::lanes)
}

/// Whether the packet is what a contraction leaves, which is of any size.
fn is_reduced(place: &MappingPlace) -> bool {
    let engine = place.stage().map(|stage| stage.row().engine);
    engine == Some(Engine::Contract)
}

/// Whether a mapping of a size is right in its place: how well, and in words.
fn fit_in_place(place: &MappingPlace, size: u64) -> Option<(u32, String)> {
    let bytes = || place.element_type?.bytes(size);
    let machine = place.machine;
    match place.level? {
        Level::Cluster => machine
            .takes_clusters(size)
            .then(|| (0, format!("{size} clusters"))),
        Level::Slice => machine
            .takes_slices(size)
            .then(|| (0, format!("{size} slices"))),
        Level::Chip => (Some(size) == place.chips).then(|| (0, format!("{size} chips"))),
        Level::Pe => machine
            .takes_pes(size)
            .then(|| (0, format!("{size} processing elements"))),
        Level::Row => machine
            .takes_rows(size)
            .then(|| (0, format!("{size} rows"))),
        Level::Packet if is_reduced(place) => None,
        Level::Packet => match packet_lanes(place) {
            Some(lanes) => (size == lanes).then(|| (0, format!("{lanes} lanes"))),
            None => packet_fits(place, bytes()?),
        },
        Level::Element => {
            let bytes = bytes()?;
            let aligned = bytes.is_multiple_of(FETCH_ALIGNMENT_BYTES);
            aligned.then(|| (1, format!("{} bytes", thousands(bytes))))
        }
        Level::Time => None,
    }
}

/// Whether a time leaves packets of one flit: `K / 16` of `bf16`.
fn leaves_flits(place: &MappingPlace, operator: char, number: u64) -> Option<(u32, String)> {
    let is_time = place.level == Some(Level::Time) && operator == '/';
    let flit = elements_of(place.element_type?, FLIT_BYTES)?;
    (is_time && number == flit).then(|| (0, "packets of one flit".to_owned()))
}

fn packet_fits(place: &MappingPlace, bytes: u64) -> Option<(u32, String)> {
    let receiver = place.receiver.as_ref();
    let is_current =
        receiver.is_some_and(|receiver| Conventions::of(receiver.body().dialect).is_successor());
    let is_trim = place.stage() == Some(CanonicalStage::CommitTrim);
    if is_trim && bytes <= FLIT_BYTES && bytes.is_multiple_of(COMMIT_UNIT_BYTES) {
        return Some((0, format!("{bytes} bytes are written")));
    }
    if bytes == FLIT_BYTES {
        return Some((0, "one flit".to_owned()));
    }
    let is_pair = bytes == 2 * FLIT_BYTES && place.stage() == Some(CanonicalStage::Align);
    if is_current && is_pair {
        return Some((0, "two flits".to_owned()));
    }
    let is_free = place.stage() == Some(CanonicalStage::Fetch);
    if !is_free || !bytes.is_multiple_of(FETCH_ALIGNMENT_BYTES) {
        return None;
    }
    Some(if bytes.is_multiple_of(FLIT_BYTES) {
        (1, format!("{} flits", thousands(bytes / FLIT_BYTES)))
    } else {
        (2, format!("{} bytes", thousands(bytes)))
    })
}

fn elements_of(scalar: ElementType, bytes: u64) -> Option<u64> {
    Some(bytes.checked_mul(8)? / scalar.bits())
}

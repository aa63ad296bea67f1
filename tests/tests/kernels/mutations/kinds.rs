//! The ways in which a kernel is broken, or rewritten to mean the same: each takes a file and gives texts with one place
//! changed.

mod same_meaning;

use std::ops::Range;

use same_meaning::{aliases, comments, free_addresses, renamed_axes, rewritten, split_axes};

use crate::mutations::mapping::Expr;
use crate::mutations::source::{Source, matching, number, split};

/// A changed text.
pub(crate) struct Mutant {
    /// The whole text.
    pub(crate) text: String,
    /// Where it was changed, in the text before.
    pub(crate) at: usize,
}

/// A kind of change.
pub(crate) struct Kind {
    /// Its name in the table.
    pub(crate) name: &'static str,
    /// Whether the text means the same afterwards, so that nothing may be found.
    pub(crate) keeps_meaning: bool,
    /// All such changes of a file.
    pub(crate) make: fn(&Source) -> Vec<Mutant>,
}

const fn breaks(name: &'static str, make: fn(&Source) -> Vec<Mutant>) -> Kind {
    Kind {
        name,
        keeps_meaning: false,
        make,
    }
}

const fn keeps(name: &'static str, make: fn(&Source) -> Vec<Mutant>) -> Kind {
    Kind {
        name,
        keeps_meaning: true,
        make,
    }
}

/// All kinds.
pub(crate) const KINDS: &[Kind] = &[
    breaks("axis size", axis_sizes),
    breaks("factor order", factor_orders),
    breaks("padding removed", |source| operators(source, '#', |_| None)),
    breaks("padding grown", |source| {
        operators(source, '#', |n| n.checked_mul(2))
    }),
    breaks("padding shrunk", |source| {
        operators(source, '#', |n| n.checked_sub(1))
    }),
    breaks("resize shrunk", |source| {
        operators(source, '=', |n| n.checked_sub(1))
    }),
    breaks("stride doubled", |source| {
        operators(source, '/', |n| n.checked_mul(2))
    }),
    breaks("stride off by one", |source| {
        operators(source, '/', |n| n.checked_add(1))
    }),
    breaks("modulo doubled", |source| {
        operators(source, '%', |n| n.checked_mul(2))
    }),
    breaks("modulo halved", |source| {
        operators(source, '%', |n| Some(n / 2))
    }),
    breaks("parts of a cut group swapped", |source| {
        cut_groups(source, |inner, n| {
            format!("[{inner}] % {n}, [{inner}] / {n}")
        })
    }),
    breaks("part of a cut group lost", |source| {
        cut_groups(source, |inner, n| format!("[{inner}] / {n}, 1 # {n}"))
    }),
    breaks("axis unknown", unknown_axes),
    breaks("packet halved", |source| last_mappings(source, "/ 2")),
    breaks("packet cut", |source| last_mappings(source, "% 2")),
    breaks("chip count", chip_counts),
    breaks("cluster size", cluster_sizes),
    breaks("slices halved", |source| slices(source, "/ 2")),
    breaks("slices padded", |source| slices(source, "# 512")),
    breaks("address off by one", |source| {
        addresses(source, |address| address + 1)
    }),
    breaks("address off by four", |source| {
        addresses(source, |address| address + 4)
    }),
    breaks("address beyond memory", |source| {
        addresses(source, |_| 512 << 10)
    }),
    breaks("address of another tensor", colliding_addresses),
    breaks("register file region", |source| {
        words(source, &[("TrfAddress::Full", "TrfAddress::FirstHalf")])
    }),
    breaks("fetched type", |source| first_types(source, "fetch")),
    breaks("cast type", |source| first_types(source, "cast")),
    breaks("rows", rows),
    breaks("call dropped", dropped_calls),
    breaks("calls swapped", swapped_calls),
    breaks("call repeated", repeated_calls),
    breaks("operation's type", |source| {
        words(source, &[("OpI32::", "OpF32::"), ("OpF32::", "OpI32::")])
    }),
    breaks("constant's type", constants),
    breaks("switch parameter doubled", |source| {
        parameters(source, |value| value * 2)
    }),
    breaks("switch parameter grown", |source| {
        parameters(source, |value| value + 1)
    }),
    breaks("switch parameter zero", |source| parameters(source, |_| 0)),
    breaks("accumulation kind", |source| {
        words(
            source,
            &[
                (
                    "AccumulationKind::Interleaved",
                    "AccumulationKind::Sequential",
                ),
                (
                    "AccumulationKind::Sequential",
                    "AccumulationKind::Interleaved",
                ),
            ],
        )
    }),
    breaks("context", contexts),
    breaks("half dropped", |source| {
        renamed_calls(source, "vector_split", "vector_trim_way4")
    }),
    breaks("half padded", |source| {
        renamed_calls(source, "vector_concat", "vector_pad_way8")
    }),
    breaks("tile beyond its end", tile_starts),
    keeps("axis in two parts", split_axes),
    keeps("mapping in brackets", |source| {
        rewritten(source, |inner, _| format!("[{inner}]"))
    }),
    keeps("padded to its size", |source| {
        rewritten(source, |inner, size| format!("[{inner}] # {size}"))
    }),
    keeps("divided by one", |source| {
        rewritten(source, |inner, _| format!("[{inner}] / 1"))
    }),
    keeps("group cut across its axes", |source| {
        cut_groups(source, |inner, n| {
            format!("[{inner}] / {n}, [{inner}] % {n}")
        })
    }),
    keeps("axis renamed", renamed_axes),
    keeps("address in free memory", free_addresses),
    keeps("comment between calls", comments),
    keeps("mapping by an alias", aliases),
];

fn mutant(source: &Source, range: &Range<usize>, text: &str) -> Mutant {
    let mut whole = source.file.clone();
    whole.replace_range(range.clone(), text);
    Mutant {
        text: whole,
        at: range.start,
    }
}

/// All places of a text within functions.
fn found(source: &Source, pattern: &str) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    for function in &source.functions {
        let text = &source.text[function.range.clone()];
        places.extend(text.match_indices(pattern).map(|(at, _)| {
            let start = function.range.start + at;
            start..start + pattern.len()
        }));
    }
    places
}

/// What is inside each `m![..]` of the functions.
fn mappings(source: &Source) -> Vec<Range<usize>> {
    found(source, "m![")
        .into_iter()
        .filter_map(|range| Some(range.end..matching(&source.text, range.end - 1)?))
        .collect()
}

/// What is inside each `m![..]` of the file.
fn all_mappings(source: &Source) -> Vec<Range<usize>> {
    let starts = source.text.match_indices("m![");
    starts
        .filter_map(|(at, _)| Some(at + 3..matching(&source.text, at + 2)?))
        .collect()
}

fn words(source: &Source, pairs: &[(&str, &str)]) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for (from, to) in pairs {
        mutants.extend(
            found(source, from)
                .iter()
                .map(|range| mutant(source, range, to)),
        );
    }
    mutants
}

/// Mappings of several parts, cut at divisors of their size that are between no two of the parts.
fn cut_groups(source: &Source, write: fn(&str, u64) -> String) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for range in mappings(source) {
        let inner = &source.text[range.clone()];
        let Some(Expr::Pair(parts)) = source.mapping(&format!("m![{inner}]")) else {
            continue;
        };
        let sizes: Option<Vec<u64>> = parts.iter().rev().map(Expr::size).collect();
        let Some(size) = sizes.as_ref().map(|sizes| sizes.iter().product::<u64>()) else {
            continue;
        };
        let between: Vec<u64> = sizes
            .iter()
            .flatten()
            .scan(1, |inside, part| {
                *inside *= part;
                Some(*inside)
            })
            .collect();
        let across = (2..size.min(64)).filter(|n| size.is_multiple_of(*n) && !between.contains(n));
        mutants.extend(across.map(|n| mutant(source, &range, &write(inner, n))));
    }
    mutants
}

fn axis_sizes(source: &Source) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for (name, size) in &source.axes {
        let written = format!("{name} = ");
        let places = source.text.match_indices(&written);
        let declared = places.map(|(at, _)| at).find(|at| {
            let before = source.text[..*at].trim_end();
            before.ends_with('[') || before.ends_with(',')
        });
        let Some(start) = declared.map(|at| at + written.len()) else {
            continue;
        };
        let digits = source.text[start..]
            .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .unwrap_or(0);
        for other in [size + 1, size * 2, size / 2] {
            mutants.push(mutant(source, &(start..start + digits), &other.to_string()));
        }
    }
    mutants
}

fn factor_orders(source: &Source) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for range in mappings(source) {
        let parts: Vec<&str> = split(&source.text, range.clone(), b',')
            .into_iter()
            .map(|part| source.text[part].trim())
            .collect();
        for at in 1..parts.len() {
            let mut swapped = parts.clone();
            swapped.swap(at - 1, at);
            mutants.push(mutant(source, &range, &swapped.join(", ")));
        }
    }
    mutants
}

/// Changes the number behind an operator; removes both where there is no other.
fn operators(source: &Source, operator: char, other: fn(u64) -> Option<u64>) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for range in all_mappings(source) {
        for (at, _) in source.text[range.clone()].match_indices(operator) {
            let start = range.start + at + 1;
            let rest = &source.text[start..range.end];
            let blank = rest.len() - rest.trim_start().len();
            let digits = rest
                .trim_start()
                .find(|letter: char| !letter.is_ascii_digit());
            let end = start + blank + digits.unwrap_or(rest.len() - blank);
            let Some(value) = number(&source.text[start..end]) else {
                continue;
            };
            mutants.push(match other(value) {
                Some(value) => mutant(source, &(start..end), &format!(" {value}")),
                None => mutant(source, &(start - 1..end), ""),
            });
        }
    }
    mutants
}

fn unknown_axes(source: &Source) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for range in mappings(source) {
        let text = &source.text[range.clone()];
        if let Some(at) = text.find(|letter: char| letter.is_ascii_uppercase()) {
            let place = range.start + at..range.start + at;
            mutants.push(mutant(source, &place, "Zz"));
        }
    }
    mutants
}

/// Puts an operator behind the last mapping of each call that declares a packet.
fn last_mappings(source: &Source, operator: &str) -> Vec<Mutant> {
    const CALLS: [&str; 8] = [
        "fetch",
        "collect",
        "align",
        "contract",
        "accumulate",
        "cast",
        "transpose",
        "vector_split",
    ];
    let mut mutants = Vec::new();
    for call in calls(source).filter(|call| CALLS.contains(&call.name.as_str())) {
        let is_mapping = |range: &&Range<usize>| source.at(range).starts_with("m![");
        if let Some(range) = call.generics.iter().rfind(is_mapping) {
            let text = source.at(range);
            let inner = &text[3..text.len() - 1];
            mutants.push(mutant(source, range, &format!("m![[{inner}] {operator}]")));
        }
    }
    mutants
}

fn calls(source: &Source) -> impl Iterator<Item = &crate::mutations::source::Call> {
    let chains = source
        .functions
        .iter()
        .flat_map(|function| &function.chains);
    chains.flat_map(|chain| &chain.calls)
}

fn chip_counts(source: &Source) -> Vec<Mutant> {
    let places = source.text.match_indices("(chip = 1)");
    places
        .map(|(at, text)| Mutant {
            at: at + text.len() + 12,
            ..mutant(source, &(at..at + text.len()), "(chip = 2)")
        })
        .collect()
}

fn cluster_sizes(source: &Source) -> Vec<Mutant> {
    let places = source.text.match_indices("type Cluster = m![1 # 2]");
    places
        .flat_map(|(at, text)| {
            let place = at..at + text.len();
            ["m![1 # 4]", "m![1]"]
                .map(|other| mutant(source, &place, &format!("type Cluster = {other}")))
        })
        .collect()
}

/// Puts an operator behind each mapping that is where a tensor's slices do.
fn slices(source: &Source, operator: &str) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for place in found(source, "Cluster, m![") {
        let inner = place.end..matching(&source.text, place.end - 1).unwrap_or(place.end);
        let text = &source.text[inner.clone()];
        mutants.push(mutant(source, &inner, &format!("[{text}] {operator}")));
    }
    mutants
}

fn addresses(source: &Source, other: fn(u64) -> u64) -> Vec<Mutant> {
    let tensors = source
        .functions
        .iter()
        .flat_map(|function| &function.tensors);
    tensors
        .filter(|tensor| ["DmTensor", "VrfTensor"].contains(&tensor.head.as_str()))
        .filter_map(|tensor| {
            let (address, place) = tensor.address.as_ref()?;
            Some(mutant(source, place, &other(*address).to_string()))
        })
        .collect()
}

fn colliding_addresses(source: &Source) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for function in &source.functions {
        let placed: Vec<_> = function
            .tensors
            .iter()
            .filter(|tensor| tensor.head == "DmTensor")
            .filter_map(|tensor| tensor.address.as_ref())
            .collect();
        for (_, place) in &placed {
            for (address, other) in &placed {
                if place != other {
                    mutants.push(mutant(source, place, &address.to_string()));
                }
            }
        }
    }
    mutants
}

/// Changes the element type that each call of a method names.
fn first_types(source: &Source, method: &str) -> Vec<Mutant> {
    const TYPES: [&str; 6] = ["i8", "bf16", "i32", "f32", "i16", "f8e4m3"];
    let mut mutants = Vec::new();
    for call in calls(source).filter(|call| call.name == method) {
        let Some(range) = call.generics.first() else {
            continue;
        };
        let others = TYPES.iter().filter(|other| **other != source.at(range));
        mutants.extend(others.map(|other| mutant(source, range, other)));
    }
    mutants
}

/// Other rows of each register file tensor.
fn rows(source: &Source) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for place in found(source, "TrfTensor<") {
        let Some(close) = matching(&source.text, place.end - 1) else {
            continue;
        };
        let arguments = split(&source.text, place.end..close, b',');
        let Some(rows) = arguments.get(4) else {
            continue;
        };
        let text = source.at(rows);
        if let Some(inner) = text
            .strip_prefix("m![")
            .and_then(|text| text.strip_suffix(']'))
        {
            for operator in ["# 16", "# 3", "/ 2"] {
                mutants.push(mutant(source, rows, &format!(" m![[{inner}] {operator}]")));
            }
        }
    }
    mutants
}

fn dropped_calls(source: &Source) -> Vec<Mutant> {
    const KEPT: [&str; 9] = [
        "begin",
        "begin_interleaved",
        "commit",
        "commit_view",
        "to_trf",
        "to_vrf",
        "vector_stash",
        "vector_logic",
        "vector_fxp",
    ];
    calls(source)
        .filter(|call| !KEPT.contains(&call.name.as_str()))
        .map(|call| mutant(source, &call.range, ""))
        .collect()
}

fn swapped_calls(source: &Source) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    let chains = source
        .functions
        .iter()
        .flat_map(|function| &function.chains);
    for chain in chains {
        for pair in chain.calls[1..].windows(2) {
            let (first, second) = (&pair[0], &pair[1]);
            let text = &source.text;
            let swapped = format!(
                "{}{}{}",
                &text[second.range.clone()],
                &text[first.range.end..second.range.start],
                &text[first.range.clone()]
            );
            mutants.push(mutant(
                source,
                &(first.range.start..second.range.end),
                &swapped,
            ));
        }
    }
    mutants
}

fn repeated_calls(source: &Source) -> Vec<Mutant> {
    calls(source)
        .filter(|call| {
            call.name.starts_with("vector_") && call.name != "vector_stash"
                || ["fetch", "collect", "contract", "cast"].contains(&call.name.as_str())
        })
        .map(|call| {
            let end = call.range.end..call.range.end;
            mutant(source, &end, &source.text[call.range.clone()])
        })
        .collect()
}

/// Changes the numbers in the arguments of each switch.
fn parameters(source: &Source, other: fn(u64) -> u64) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for call in calls(source).filter(|call| call.name == "switch") {
        let Some(range) = call.arguments.first() else {
            continue;
        };
        for (at, _) in source.text[range.clone()].match_indices(": ") {
            let start = range.start + at + 2;
            let digits = source.text[start..]
                .find(|letter: char| !letter.is_ascii_digit())
                .unwrap_or(0);
            let place = start..start + digits;
            if let Some(value) = number(&source.text[place.clone()]) {
                mutants.push(mutant(source, &place, &other(value).to_string()));
            }
        }
    }
    mutants
}

/// Writes the last operand of each operation in the other type, if it is a number.
fn constants(source: &Source) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for call in calls(source).filter(|call| call.name.starts_with("vector_")) {
        let Some(operand) = call.arguments.last() else {
            continue;
        };
        let text = source.at(operand);
        if text.ends_with("f32") {
            mutants.push(mutant(source, operand, " 3i32"));
        } else if call.arguments.len() > 1 && number(text).is_some() {
            mutants.push(mutant(source, operand, " 3.0f32"));
        }
    }
    mutants
}

fn contexts(source: &Source) -> Vec<Mutant> {
    let chains = source
        .functions
        .iter()
        .flat_map(|function| &function.chains);
    chains
        .filter(|chain| source.at(&chain.context) == "main")
        .map(|chain| mutant(source, &chain.context, "sub"))
        .collect()
}

/// The same call by another method that takes the last mapping only.
fn renamed_calls(source: &Source, from: &str, to: &str) -> Vec<Mutant> {
    calls(source)
        .filter(|call| call.name == from)
        .filter_map(|call| {
            let packet = source.at(call.generics.last()?);
            let text = format!(".{to}::<{packet}>()");
            Some(mutant(source, &call.range, &text))
        })
        .collect()
}

fn tile_starts(source: &Source) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for place in found(source, "tile::<") {
        let Some(close) = matching(&source.text, place.end - 1) else {
            continue;
        };
        let end = source.text[close..]
            .find(')')
            .map_or(close, |at| close + at);
        let start = close + 2..end;
        if number(&source.text[start.clone()]).is_some() {
            mutants.push(mutant(source, &start, "1000000"));
        }
    }
    mutants
}

// ---- Changes that keep the meaning. ----

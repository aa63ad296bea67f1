//! Whether some setting of the generator yields the counts that a placement of the reduced axis needs.
//!
//! The flit of slice `s` at time step `t` holds, in lane `p`, the element `slice(s) + time(t) + lane(p)` of the axis,
//! and has to count the lanes whose element is below the axis's size. The axis has one original dimension for its
//! counters, as the book's table of resources has it: either one gate goes by its time steps while every open flit
//! counts alike, or the packet count goes by them and a gate at most closes whole slices. Time is treated by its
//! digits, so that nothing depends on how many steps there are; slices are at most 256 and are looked at one by one.

use super::answer::{
    Assigned, AxisAnswer, AxisSetting, CountConflict, Question, Refusal, SliceSteps,
};
use super::digits::{AxisDigit, Digits, is_mixed_radix};
use super::fewest::{self, Fewest, Wanted};
use super::gate::{Class, GateRefusal, decide_gate};
use super::outer_part;
use super::setting::{COUNTERS, GATES, LANES, PacketCount};

/// Slices of a cluster: more are no placement.
pub(super) const MOST_SLICES: u64 = 256;

/// Decides one axis. `None`: the placement is none that this knows how to decide.
pub(super) fn decide(question: &Question) -> Option<AxisAnswer> {
    Decision::new(question)?.decide_axis()
}

/// A range of residual elements that gives one count: `after < residual <= up_to`.
#[derive(Debug, Clone, Copy)]
struct CountRange {
    after: u64,
    /// `None`: without end.
    up_to: Option<u64>,
    count: u64,
}

struct Decision<'a> {
    question: &'a Question,
    /// Digits in time as the hardware steps through them: padding of the outermost counts as steps.
    stepped: Digits,
    /// The value from which on the outermost digit in time is padding of its own.
    limit: u64,
    /// First element of each slice; `None` where the slice is on padding of its own.
    firsts: Vec<Option<u64>>,
    /// Counts by the elements that are left from the flit's first element on.
    ranges: Vec<CountRange>,
}

impl<'a> Decision<'a> {
    fn new(question: &'a Question) -> Option<Self> {
        let (slice, time, packet) = (
            question.slice.as_slice(),
            question.time.as_slice(),
            question.packet.as_slice(),
        );
        if question.slices > MOST_SLICES || !is_mixed_radix(slice.iter().chain(time).chain(packet))
        {
            return None;
        }
        // Padding inside another digit of time leaves holes that are no question of the axis's size.
        if time.iter().skip(1).any(AxisDigit::is_padded) {
            return None;
        }
        let limit = match time.first() {
            Some(outermost) => outermost.count.checked_mul(outermost.stride)?,
            None => 1,
        };
        let stepped = Digits::new(
            time.iter()
                .map(|digit| AxisDigit {
                    count: digit.extent,
                    ..*digit
                })
                .collect(),
        );
        stepped.largest_sum()?;
        let firsts = (0..question.slices)
            .map(|slice| question.slice.value_at(slice))
            .collect();
        Some(Self {
            question,
            stepped,
            limit,
            firsts,
            ranges: count_ranges(question),
        })
    }

    fn decide_axis(&self) -> Option<AxisAnswer> {
        if self.is_full()? {
            return Some(AxisAnswer::Unneeded);
        }
        if let Some(refusal) = self.front_of_packet() {
            return Some(AxisAnswer::Refused(refusal));
        }
        let Some(count) = self.one_count() else {
            return self.packet_count();
        };
        let alone = self.gate_alone(count)?;
        if matches!(alone, AxisAnswer::Refused(_))
            && let Some(supported @ AxisAnswer::Supported(_)) = self.packet_count()
        {
            return Some(supported);
        }
        Some(alone)
    }

    /// The distinct first elements of slices, with a slice each, ascending.
    fn distinct_firsts(&self) -> Vec<(u64, u64)> {
        let mut firsts: Vec<(u64, u64)> = (0_u64..)
            .zip(&self.firsts)
            .filter_map(|(slice, first)| first.map(|first| (first, slice)))
            .collect();
        firsts.sort_unstable();
        firsts.dedup_by_key(|(first, _)| *first);
        firsts
    }

    /// Whether the outermost digit in time has padding of its own.
    fn is_time_padded(&self) -> bool {
        self.question
            .time
            .as_slice()
            .first()
            .is_some_and(AxisDigit::is_padded)
    }

    fn is_full(&self) -> Option<bool> {
        let in_packet = !self.question.packet.is_empty();
        let lanes_full = !in_packet || self.question.lanes.iter().all(Option::is_some);
        let padded = self.firsts.iter().any(Option::is_none) || self.is_time_padded();
        let last = self
            .question
            .slice
            .largest_sum()?
            .checked_add(self.question.time.largest_sum()?)?
            .checked_add(self.question.packet.largest_sum()?)?;
        Some(lanes_full && !padded && last < self.question.size)
    }

    /// The count of a flit with that many elements left from its first one on.
    fn count(&self, left: u64) -> u64 {
        self.ranges
            .iter()
            .find(|range| range.after < left && range.up_to.is_none_or(|up_to| left <= up_to))
            .map_or(0, |range| range.count)
    }

    /// A time value at which a slice that starts at `first` has a count in `range`, if there is one.
    fn time_with(&self, first: u64, range: &CountRange) -> Option<u64> {
        let left = self.question.size.checked_sub(first)?;
        let high = left.saturating_sub(range.after);
        let low = range.up_to.map_or(0, |up_to| left.saturating_sub(up_to));
        self.question.time.next(low).filter(|&value| value < high)
    }

    /// Where data is in lanes that are not the front of the packet.
    fn front_of_packet(&self) -> Option<Refusal> {
        if self.question.packet.is_empty() {
            return None;
        }
        let firsts = self.distinct_firsts();
        for range in &self.ranges {
            let is_front = (0_u64..).zip(&self.question.lanes).all(|(lane, value)| {
                let valid = value.is_some_and(|value| value <= range.after);
                valid == (lane < range.count)
            });
            if !is_front
                && firsts
                    .iter()
                    .any(|&(first, _)| self.time_with(first, range).is_some())
            {
                return Some(self.packet_refusal());
            }
        }
        None
    }

    fn packet_refusal(&self) -> Refusal {
        if self.question.others.is_empty() {
            Refusal::PacketNotInnermost {
                lane_stride: self
                    .question
                    .packet
                    .as_slice()
                    .last()
                    .map_or(1, |digit| digit.stride),
                lanes: self.question.lanes.iter().flatten().count() as u64,
            }
        } else {
            Refusal::PacketShared {
                others: self.question.others.clone(),
            }
        }
    }

    /// The one count that every flit with data has, if it is one.
    fn one_count(&self) -> Option<u64> {
        let full = self.count(self.question.size);
        let firsts = self.distinct_firsts();
        let other = self
            .ranges
            .iter()
            .filter(|range| range.count != full)
            .any(|range| {
                firsts
                    .iter()
                    .any(|&(first, _)| self.time_with(first, range).is_some())
            });
        (!other).then_some(full)
    }

    /// What a slice needs of a gate, as steps of time.
    fn class(&self, first: Option<u64>) -> Option<Class> {
        let Some(left) = first
            .and_then(|first| self.question.size.checked_sub(first))
            .filter(|&left| left > 0)
        else {
            return Some(Class::Closed);
        };
        let bound = if self.is_time_padded() {
            left.min(self.limit)
        } else {
            left
        };
        Some(match self.stepped.next(bound) {
            Some(first_closed) => Class::Below(first_closed),
            None => Class::Open,
        })
    }

    /// A gate goes by the time steps; open flits count alike.
    fn gate_alone(&self, count: u64) -> Option<AxisAnswer> {
        let classes = self
            .firsts
            .iter()
            .map(|&first| self.class(first))
            .collect::<Option<Vec<_>>>()?;
        let gate = match decide_gate(&classes) {
            Ok(gate) => gate,
            Err(GateRefusal::NoThreshold) => {
                let beyond = |first| self.class(Some(first));
                return Some(AxisAnswer::Refused(self.gate_refusal(&classes, beyond)?));
            }
        };
        let packet = (!self.question.packet.is_empty()).then_some(PacketCount {
            valid: count,
            cap: count,
        });
        let boundary = gate.as_ref().map_or(0, |gate| gate.valid);
        let lowest = self.stepped.lowest_stride_in(boundary);
        let counters = self
            .stepped
            .as_slice()
            .iter()
            .filter(|digit| lowest.is_some_and(|lowest| digit.stride >= lowest))
            .map(|digit| Assigned {
                position_stride: digit.position_stride,
                limit: digit.extent,
                stride: digit.stride,
            })
            .collect();
        Some(AxisAnswer::Supported(AxisSetting {
            packet,
            gate,
            counters,
            wanted: Wanted {
                digits: self.stepped.clone(),
                thresholds: vec![boundary],
                packets: false,
            },
        }))
    }

    fn steps_of(&self) -> Option<(Vec<SliceSteps>, u64)> {
        const SHOWN: usize = 8;
        let total = self.stepped.steps()?;
        let mut steps = Vec::new();
        // Slices that differ in the axis's digits alone, in the order of the slices.
        let mut seen = Vec::new();
        for (slice, &first) in (0_u64..).zip(&self.firsts) {
            if seen.contains(&first) {
                continue;
            }
            seen.push(first);
            let valid = match self.class(first)? {
                Class::Open => total,
                Class::Closed => 0,
                Class::Below(value) => self.stepped.rank(value)?,
            };
            steps.push(SliceSteps { slice, valid });
            if steps.len() == SHOWN {
                break;
            }
        }
        Some((steps, total))
    }

    /// Why no gate does. `None` where gates of their own could close the slices that are on padding of their own digits, and
    /// one more does the rest, `beyond` said of the elements that these slices would hold: whether anybody sets several gates
    /// for one axis is not known.
    fn gate_refusal(
        &self,
        classes: &[Class],
        beyond: impl Fn(u64) -> Option<Class>,
    ) -> Option<Refusal> {
        let padded = self.question.slice.as_slice().iter();
        let padded = padded.filter(|digit| digit.is_padded()).count();
        if (1..GATES).contains(&padded) {
            let all = (0..self.question.slices)
                .map(|slice| beyond(self.question.slice.stepped_value(slice)?))
                .collect::<Option<Vec<_>>>()?;
            if decide_gate(&all).is_ok() {
                return None;
            }
        }
        let (steps, time_steps) = self.steps_of()?;
        let slice = self.question.slice.as_slice();
        // The same digits in ascending order: if that works, the order is what is wrong.
        if decide_gate(&self.ascending(classes)?).is_ok() {
            let mut by_position = slice.to_vec();
            by_position.sort_by_key(|digit| std::cmp::Reverse(digit.position_stride));
            let strides = by_position.iter().map(|digit| digit.stride).collect();
            return Some(Refusal::SliceOrder {
                strides,
                steps,
                time_steps,
            });
        }
        let (lowest, highest) = (slice.last()?.stride, slice.first()?.stride);
        let time = self.stepped.as_slice();
        let inner_slice = time.iter().all(|digit| digit.stride > highest);
        let inner_time = time.iter().all(|digit| digit.stride < lowest);
        let needed = self.stepped.rank(self.question.size)?;
        Some(match time.last() {
            Some(innermost) if inner_slice && time_steps > needed => Refusal::TransposedTime {
                time_steps,
                needed,
                slice_size: innermost.stride,
                padded: innermost.stride.checked_mul(needed)?,
            },
            Some(_) if !inner_slice && !inner_time => Refusal::Interleaved { steps, time_steps },
            _ => Refusal::Dimensions {
                gates: 2,
                packets: 0,
                counters: 0,
            },
        })
    }

    /// The classes of slices numbered by the axis's digits in ascending order, other axes left out.
    fn ascending(&self, classes: &[Class]) -> Option<Vec<Class>> {
        let slice = self.question.slice.as_slice();
        let combinations = self.question.slice.steps()?;
        (0..combinations.min(MOST_SLICES))
            .map(|number| {
                let mut rest = number;
                let mut position = 0_u64;
                for digit in slice.iter().rev() {
                    position = position
                        .checked_add((rest % digit.extent).checked_mul(digit.position_stride)?)?;
                    rest /= digit.extent;
                }
                classes.get(usize::try_from(position).ok()?).copied()
            })
            .collect()
    }

    /// The packet count goes by the time steps; a gate at most closes slices.
    fn packet_count(&self) -> Option<AxisAnswer> {
        let in_packet = !self.question.packet.is_empty();
        if in_packet && !self.question.others.is_empty() {
            return Some(AxisAnswer::Refused(self.packet_refusal()));
        }
        let lanes = match self.question.packet.as_slice() {
            [] => AxisDigit {
                stride: 1,
                count: LANES,
                extent: LANES,
                position_stride: 1,
            },
            [lanes] => *lanes,
            _ => return None,
        };
        let conflict = self.count_conflict();
        if lanes.stride > 1 && self.has_digits_below(lanes.stride) && conflict.is_some() {
            return Some(AxisAnswer::Refused(self.packet_refusal()));
        }
        if let Some(conflict) = conflict {
            return Some(AxisAnswer::Refused(Refusal::SlicePacket(conflict)));
        }
        let size = self.question.size;
        let classes: Vec<Class> = self
            .firsts
            .iter()
            .map(|first| {
                if first.is_some_and(|first| first < size) {
                    Class::Open
                } else {
                    Class::Closed
                }
            })
            .collect();
        let Ok(gate) = decide_gate(&classes) else {
            let beyond = |first| {
                Some(if first < size {
                    Class::Open
                } else {
                    Class::Closed
                })
            };
            return Some(AxisAnswer::Refused(self.gate_refusal(&classes, beyond)?));
        };
        let bound = if self.is_time_padded() {
            size.min(self.limit)
        } else {
            size
        };
        let wanted = Wanted {
            digits: self.stepped.clone(),
            thresholds: self.thresholds(bound),
            packets: true,
        };
        let (packet, counters) = if in_packet {
            match outer_part::packet_count(bound, &lanes, &self.question.time)? {
                Some(found) => found,
                None => match self.other_counters(&wanted)? {
                    Some(found) => found,
                    None => return Some(AxisAnswer::Refused(self.packet_refusal())),
                },
            }
        } else {
            self.packets_as_gate(bound)?
        };
        Some(AxisAnswer::Supported(AxisSetting {
            packet: Some(packet),
            gate,
            counters,
            wanted,
        }))
    }

    /// For each number of lanes from one on the value of time from which on fewer count.
    fn thresholds(&self, bound: u64) -> Vec<u64> {
        if self.question.packet.is_empty() {
            return vec![bound; usize::try_from(LANES).unwrap_or(0)];
        }
        let mut lanes: Vec<u64> = self.question.lanes.iter().flatten().copied().collect();
        lanes.sort_unstable();
        lanes
            .iter()
            .map(|lane| self.question.size.saturating_sub(*lane).min(bound))
            .filter(|&threshold| threshold > 0)
            .collect()
    }

    /// Counters that cut across digits, where none that follow them do: `Some(None)` if there are none either.
    fn other_counters(&self, wanted: &Wanted) -> Option<Option<(PacketCount, Vec<Assigned>)>> {
        match fewest::counters(wanted, self.question.steps, COUNTERS) {
            Fewest::Counters { counters, valid } => {
                let cap = u64::try_from(wanted.thresholds.len()).ok()?;
                Some(Some((PacketCount { valid, cap }, counters)))
            }
            Fewest::TooMany(_) => Some(None),
            // Counters can cut across digits that touch alone.
            Fewest::Unknown if self.question.time.any_touch() => None,
            Fewest::Unknown => Some(None),
        }
    }

    /// Without a part of the axis in the packet its count is all lanes or none: a gate that no slice can change.
    fn packets_as_gate(&self, bound: u64) -> Option<(PacketCount, Vec<Assigned>)> {
        let packet = PacketCount {
            valid: bound.checked_mul(LANES)?,
            cap: LANES,
        };
        let counter = |digit: &AxisDigit| {
            let stride = digit.stride.checked_mul(LANES)?;
            Some(Assigned {
                position_stride: digit.position_stride,
                limit: digit.extent,
                stride,
            })
        };
        Some((
            packet,
            self.stepped
                .as_slice()
                .iter()
                .map(counter)
                .collect::<Option<_>>()?,
        ))
    }

    fn has_digits_below(&self, stride: u64) -> bool {
        let places = [
            self.question.slice.as_slice(),
            self.question.time.as_slice(),
        ];
        places
            .iter()
            .any(|digits| digits.iter().any(|digit| digit.stride < stride))
    }

    /// A slice that needs another count than the slice of the first elements where that one has data: the packet count
    /// is the same in all slices, and the gate has no counter left to go by.
    fn count_conflict(&self) -> Option<CountConflict> {
        let firsts = self.distinct_firsts();
        let &(_, first_slice) = firsts.first()?;
        let size = self.question.size;
        let none = CountRange {
            after: 0,
            up_to: Some(0),
            count: 0,
        };
        for range in self.ranges.iter().chain([&none]) {
            // Only where the first slice's count is another one: the last range has none above it.
            let Some(up_to) = range.up_to else { continue };
            for &(first, slice) in firsts.iter().skip(1) {
                let Some(left) = size.checked_sub(first).filter(|&left| left > 0) else {
                    continue;
                };
                let high = if range.count == 0 {
                    size
                } else {
                    left.saturating_sub(range.after)
                };
                let high = high.min(size.saturating_sub(up_to));
                let Some(value) = self.question.time.next(left.saturating_sub(up_to)) else {
                    continue;
                };
                if value < high {
                    return Some(CountConflict {
                        first_slice,
                        first_count: self.count(size - value),
                        second_slice: slice,
                        second_count: range.count,
                        time: self.question.time.position_of(value)?,
                    });
                }
            }
        }
        None
    }
}

fn count_ranges(question: &Question) -> Vec<CountRange> {
    if question.packet.is_empty() {
        return vec![CountRange {
            after: 0,
            up_to: None,
            count: LANES,
        }];
    }
    let mut values: Vec<u64> = question.lanes.iter().flatten().copied().collect();
    values.sort_unstable();
    let mut steps = values.clone();
    steps.dedup();
    steps
        .iter()
        .enumerate()
        .map(|(index, &after)| CountRange {
            after,
            up_to: steps.get(index + 1).copied(),
            count: values.iter().filter(|&&value| value <= after).count() as u64,
        })
        .collect()
}

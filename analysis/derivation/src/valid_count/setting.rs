//! A setting of the Valid Count Generator, as the book's implementation chapter models it.
//!
//! Knows the generator's own arithmetic: counters, one packet count, gates. It does not know mappings: what a setting
//! has to achieve, and whether there is one, is [`super::decide`]'s business.

/// Counters of the generator's sequencer (book: Sequencer, Counter Structure).
pub const COUNTERS: usize = 8;
/// Binary gates beside the packet count (book: Original Dimensions).
pub const GATES: usize = 3;
/// Lanes of the flit that the generator tags (book: Data Model).
pub const LANES: u64 = 8;

/// What a counter's value contributes to (book: Original Dimensions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// The packet count.
    Packet,
    /// The gate of that number.
    Gate(usize),
    /// Nothing: the counter only passes time.
    Unassigned,
}

/// One counter of the sequencer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Counter {
    /// Steps before it starts again.
    pub limit: u64,
    /// What one step adds to the dimension's index.
    pub stride: u64,
    /// The dimension it belongs to.
    pub dimension: Dimension,
}

/// The packet count (book: Packet Dim).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PacketCount {
    /// `V_p`: elements of the axis that hold data.
    pub valid: u64,
    /// `stride_p`: the most lanes a flit can count.
    pub cap: u64,
}

/// A gate (book: Gate Dims).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Gate {
    /// Bits of the slice number that the gate looks at.
    pub mask: u64,
    /// Slices whose masked number is below are open at every time step.
    pub threshold: u64,
    /// `V`: the boundary's slices are open while the index is below.
    pub valid: u64,
    /// Whether slices above the boundary go by the index too instead of being closed.
    pub transposed: bool,
}

impl Gate {
    /// Whether the gate is open for a slice at an index of its dimension.
    #[cfg(test)]
    pub const fn is_open(&self, slice: u64, index: u64) -> bool {
        let masked = slice & self.mask;
        if masked < self.threshold {
            true
        } else if masked == self.threshold || self.transposed {
            index < self.valid
        } else {
            false
        }
    }
}

/// A complete setting.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Setting {
    /// Counters, innermost first.
    pub counters: Vec<Counter>,
    /// The packet count; without one every open flit counts all lanes.
    pub packet: Option<PacketCount>,
    /// The gates in use.
    pub gates: Vec<Gate>,
}

impl Setting {
    /// The count that the generator gives a flit (book: Valid Count Formula).
    #[cfg(test)]
    pub fn count(&self, slice: u64, time: u64) -> u64 {
        let mut rest = time;
        let mut packet = 0_u64;
        let mut indices = [0_u64; GATES];
        for counter in &self.counters {
            let limit = counter.limit.max(1);
            let step = (rest % limit).saturating_mul(counter.stride);
            rest /= limit;
            match counter.dimension {
                Dimension::Packet => packet = packet.saturating_add(step),
                Dimension::Gate(number) => {
                    if let Some(index) = indices.get_mut(number) {
                        *index = index.saturating_add(step);
                    }
                }
                Dimension::Unassigned => {}
            }
        }
        let open = self
            .gates
            .iter()
            .zip(indices)
            .all(|(gate, index)| gate.is_open(slice, index));
        match self.packet {
            _ if !open => 0,
            Some(count) => count.valid.saturating_sub(packet).min(count.cap),
            None => LANES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figure V16 (book: Packet + Time): 50 elements, counters of stride 8 and 24.
    #[test]
    fn two_counters_on_the_packet_count() {
        let setting = Setting {
            counters: vec![
                Counter {
                    limit: 3,
                    stride: 8,
                    dimension: Dimension::Packet,
                },
                Counter {
                    limit: 3,
                    stride: 24,
                    dimension: Dimension::Packet,
                },
            ],
            packet: Some(PacketCount { valid: 50, cap: 8 }),
            gates: vec![],
        };
        let counts: Vec<u64> = (0..9).map(|time| setting.count(0, time)).collect();
        assert_eq!(counts, [8, 8, 8, 8, 8, 8, 2, 0, 0]);
    }

    /// The book's example of a cap below eight lanes (Packet Dim, Example 2).
    #[test]
    fn the_cap_keeps_other_lanes_out() {
        let setting = Setting {
            counters: vec![Counter {
                limit: 3,
                stride: 4,
                dimension: Dimension::Packet,
            }],
            packet: Some(PacketCount { valid: 11, cap: 4 }),
            gates: vec![],
        };
        let counts: Vec<u64> = (0..3).map(|time| setting.count(7, time)).collect();
        assert_eq!(counts, [4, 4, 3]);
    }

    /// Standard and transposed gates differ above the boundary alone (book: Gate Dims).
    #[test]
    fn gates_differ_above_the_boundary() {
        let standard = Gate {
            mask: 0b1100,
            threshold: 8,
            valid: 1,
            transposed: false,
        };
        assert!(standard.is_open(0b0111, 9));
        assert!(standard.is_open(0b1001, 0));
        assert!(!standard.is_open(0b1001, 1));
        assert!(!standard.is_open(0b1100, 0));
        let transposed = Gate {
            transposed: true,
            ..standard
        };
        assert!(transposed.is_open(0b1100, 0));
        assert!(!transposed.is_open(0b1100, 1));
    }
}

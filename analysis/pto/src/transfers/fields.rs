//! The fields of copies and registers: what they are called, and how many bits hold them.

use super::{CopyKind, Direction};
use visa_transfer::Side;

/// One field of a copy or of a register of its loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// Where bytes come from.
    Source,
    /// Where bytes go.
    Target,
    /// The stream.
    Stream,
    /// The number of rows.
    Rows,
    /// Bytes of a row; blocks of 32 in a copy within UB.
    Length,
    /// Bytes filled in before a row.
    LeftPadding,
    /// Bytes filled in behind a row.
    RightPadding,
    /// Whether rows are filled up.
    Select,
    /// How the L2 cache is used.
    CacheControl,
    /// 0.
    Reserved,
    /// From the start of a row to that of the next, or in a copy within UB from the end.
    Stride(Side),
    /// Iterations of a loop, 1 the inner one.
    LoopCount(u8),
    /// The step of a loop.
    LoopStride(u8, Side),
}

/// How many bits a field has, by the sources that say something of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Width {
    /// The most that any source gives: what is beyond fits nowhere.
    pub bits: u32,
    /// The least that any source gives.
    pub narrow_bits: u32,
}

impl Width {
    const fn of(bits: u32) -> Self {
        Self {
            bits,
            narrow_bits: bits,
        }
    }

    /// The largest value of the field.
    pub const fn largest_value(self) -> i64 {
        (1 << self.bits) - 1
    }

    /// The largest value that every source allows.
    pub const fn narrow_largest(self) -> i64 {
        (1 << self.narrow_bits) - 1
    }
}

impl Field {
    /// Its name, as the manual calls it.
    pub fn name(self, kind: CopyKind) -> String {
        let gap = kind == CopyKind::UbToUb;
        let text = match self {
            Self::Source => "source",
            Self::Target => "destination",
            Self::Stream => "sid",
            Self::Rows => "n_burst",
            Self::Length => "len_burst",
            Self::LeftPadding => "left_padding",
            Self::RightPadding => "right_padding",
            Self::Select => "data_select_bit",
            Self::CacheControl => "l2_cache_ctl",
            Self::Reserved => "reserved",
            Self::Stride(Side::Source) if gap => "src_gap",
            Self::Stride(Side::Target) if gap => "dst_gap",
            Self::Stride(Side::Source) => "src_stride",
            Self::Stride(Side::Target) => "dst_stride",
            Self::LoopCount(level) => return format!("loop{level}_count"),
            Self::LoopStride(level, Side::Source) => return format!("loop{level}_src_stride"),
            Self::LoopStride(level, Side::Target) => return format!("loop{level}_dst_stride"),
        };
        text.to_owned()
    }

    /// What a value of it counts.
    pub const fn unit(self, kind: CopyKind) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::LoopCount(_) => "iterations",
            Self::Length | Self::Stride(_) if matches!(kind, CopyKind::UbToUb) => {
                "blocks of 32 bytes"
            }
            Self::Length
            | Self::LeftPadding
            | Self::RightPadding
            | Self::Stride(_)
            | Self::LoopStride(..) => "bytes",
            _ => "",
        }
    }

    /// How wide it is; `None` for addresses and what is no number.
    pub const fn width(self, kind: CopyKind) -> Option<Width> {
        if matches!(kind, CopyKind::UbToUb) {
            return match self {
                Self::Stream => Some(Width::of(4)),
                Self::Rows | Self::Length | Self::Stride(_) => Some(Width::of(16)),
                _ => None,
            };
        }
        // The manual gives the fields of copies to L1 no widths.
        if matches!(kind, CopyKind::GmToL1) {
            return None;
        }
        match self {
            Self::Stream | Self::CacheControl | Self::Reserved => Some(Width::of(4)),
            Self::Rows | Self::Length => Some(Width {
                bits: 21,
                narrow_bits: 16,
            }),
            Self::LeftPadding | Self::RightPadding => Some(Width {
                bits: 8,
                narrow_bits: 6,
            }),
            Self::LoopCount(_) => Some(Width::of(21)),
            Self::Stride(side) | Self::LoopStride(_, side) => Some(stride_width(kind, side)),
            Self::Source | Self::Target | Self::Select => None,
        }
    }
}

/// A stride has 40 bits on the side of GM and 21 on that of UB.
const fn stride_width(kind: CopyKind, side: Side) -> Width {
    let gm = match kind {
        CopyKind::GmToUb | CopyKind::GmToL1 => Side::Source,
        _ => Side::Target,
    };
    if matches!(
        (gm, side),
        (Side::Source, Side::Source) | (Side::Target, Side::Target)
    ) {
        Width::of(40)
    } else {
        Width::of(21)
    }
}

impl Direction {
    /// The copy that reads registers of this direction.
    pub const fn kind(self) -> CopyKind {
        match self {
            Self::ToUb => CopyKind::GmToUb,
            Self::ToGm => CopyKind::UbToGm,
        }
    }
}

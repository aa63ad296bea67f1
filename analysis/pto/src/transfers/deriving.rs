//! What a copy does: its nest of rows, from its operands and the registers that are in force there.

use super::super::registers::{InForce, Presence};
use super::super::syntax::{OperationId, Place};
use super::{Copy, CopyKind, Field, Given, UB_ALIGNMENT};
use visa_transfer::{Loop, Side, Transfer};

/// Where the loops around the rows come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LoopOrigin {
    /// The rows themselves.
    Rows,
    /// Registers that were set before.
    Registers,
    /// A group of the operation.
    Group,
}

/// One loop of a copy with what is known of it. The rows are loop 0, the loops around them 1 and up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideStep {
    /// 0 for the rows, then from the inner loop to the outer.
    pub level: u8,
    /// Where it comes from.
    pub origin: LoopOrigin,
    /// Iterations.
    pub count: Option<i64>,
    /// Where they are written.
    pub count_place: Option<Place>,
    /// The step of source and target in bytes.
    pub steps: [Option<i64>; 2],
    /// Where they are written.
    pub places: [Option<Place>; 2],
}

impl SideStep {
    /// The step of a side in bytes.
    pub const fn step_of_side(&self, side: Side) -> Option<i64> {
        match side {
            Side::Source => self.steps[0],
            Side::Target => self.steps[1],
        }
    }

    /// Where the step of a side is written.
    pub const fn place(&self, side: Side) -> Option<Place> {
        match side {
            Side::Source => self.places[0],
            Side::Target => self.places[1],
        }
    }

    /// Whether it is known to take a step.
    pub fn is_taken(&self) -> bool {
        self.count.is_some_and(|count| count > 1)
    }
}

/// What was derived of a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derived {
    /// The copy.
    pub copy: Copy,
    /// Its loops, the rows first.
    pub loops: Vec<SideStep>,
    /// What it does, if all of it is known.
    pub transfer: Option<Transfer>,
    /// The first thing that is not known, where nothing was derived.
    pub unknown: Option<String>,
    /// The registers that it reads.
    pub registers: InForce,
}

impl Derived {
    /// Its operation.
    pub const fn operation(&self) -> OperationId {
        self.copy.operation
    }

    /// The address of a side, if it is a number.
    pub fn address(&self, side: Side) -> Option<i64> {
        self.copy.base_address(side)?.number()
    }
}

fn row_step(copy: &Copy, side: Side) -> Option<i64> {
    let stride = copy.number(Field::Stride(side))?;
    if copy.kind == CopyKind::UbToUb {
        // A gap of blocks behind each burst.
        let length = copy.number(Field::Length)?;
        return length.checked_add(stride)?.checked_mul(UB_ALIGNMENT);
    }
    Some(stride)
}

/// What a copy does with the registers in force.
pub fn derive_copy(copy: &Copy, registers: InForce) -> Derived {
    let place = |field: Field| copy.given_field(field).map(Given::place);
    let sides = [Side::Source, Side::Target];
    let mut loops = vec![SideStep {
        level: 0,
        origin: LoopOrigin::Rows,
        count: copy.number(Field::Rows),
        count_place: place(Field::Rows),
        steps: sides.map(|side| row_step(copy, side)),
        places: sides.map(|side| place(Field::Stride(side))),
    }];
    if copy.grouped {
        loops.extend(
            copy.loops
                .iter()
                .enumerate()
                .map(|(index, given)| SideStep {
                    level: u8::try_from(index + 1).unwrap_or(u8::MAX),
                    origin: LoopOrigin::Group,
                    count: given.count.number(),
                    count_place: Some(given.count.place()),
                    steps: [given.source.number(), given.target.number()],
                    places: [Some(given.source.place()), Some(given.target.place())],
                }),
        );
    } else if copy.kind.direction().is_some() {
        loops.extend([1, 2].map(|level| of_registers(&registers, level)));
    }
    let (transfer, unknown) = match derive_transfer(copy, &loops) {
        Ok(transfer) => (Some(transfer), None),
        Err(unknown) => (None, Some(unknown)),
    };
    Derived {
        copy: copy.clone(),
        loops,
        transfer,
        unknown,
        registers,
    }
}

/// Loop 1 or 2 as the registers give it. Where no size was set nothing says that there is a loop: the
/// registers are 1, 1 where nothing needs them.
fn of_registers(registers: &InForce, level: u8) -> SideStep {
    let index = usize::from(level) - 1;
    let stride = registers.strides.get(index);
    let count = match registers.size.presence {
        Presence::Never => Some(1),
        Presence::Always => registers.size.value(index),
        Presence::Sometimes | Presence::Unknown => None,
    };
    let step = |side: usize| {
        let always = stride.is_some_and(|stride| stride.presence == Presence::Always);
        always.then(|| stride?.value(side)).flatten()
    };
    let place = |side: usize| stride?.place(side);
    SideStep {
        level,
        origin: LoopOrigin::Registers,
        count,
        count_place: registers.size.place(index),
        steps: [step(0), step(1)],
        places: [place(0), place(1)],
    }
}

fn derive_transfer(copy: &Copy, loops: &[SideStep]) -> Result<Transfer, String> {
    let unknown = |what: String| format!("{what} is not known");
    let length = copy
        .number(Field::Length)
        .ok_or_else(|| unknown(Field::Length.name(copy.kind)))?;
    let length = u64::try_from(length).map_err(|_| format!("a row has {length} bytes"))?;
    let unit = if copy.kind == CopyKind::UbToUb { 32 } else { 1 };
    let run = length.checked_mul(unit).ok_or("a row is too long")?;
    let mut nest = Vec::new();
    for one in loops.iter().rev() {
        let name = if one.level == 0 {
            Field::Rows.name(copy.kind)
        } else {
            Field::LoopCount(one.level).name(copy.kind)
        };
        let count = one.count.ok_or_else(|| unknown(name))?;
        let count = u64::try_from(count).map_err(|_| format!("a loop runs {count} times"))?;
        let step = |side: Side| match one.step_of_side(side) {
            _ if count <= 1 => Ok(0),
            Some(step) => Ok(step),
            None if one.level == 0 => Err(unknown(Field::Stride(side).name(copy.kind))),
            None => Err(unknown(Field::LoopStride(one.level, side).name(copy.kind))),
        };
        nest.push(Loop {
            count,
            source: step(Side::Source)?,
            target: step(Side::Target)?,
        });
    }
    let transfer = Transfer::new(run, nest);
    if copy.kind != CopyKind::GmToUb {
        return Ok(transfer);
    }
    let fills = copy
        .fills()
        .ok_or_else(|| unknown(Field::Select.name(copy.kind)))?;
    // A row written to UB ends at a multiple of 32 bytes; one that is filled up where the next one begins.
    let rounded = run.div_ceil(UB_ALIGNMENT.unsigned_abs()) * UB_ALIGNMENT.unsigned_abs();
    let stride = copy.number(Field::Stride(Side::Target));
    let filled = stride
        .filter(|_| fills)
        .and_then(|stride| u64::try_from(stride).ok());
    Ok(transfer.with_width(filled.unwrap_or(0).max(rounded)))
}

//! Operations of the Vector Engine on whole streams: values, tags, guards, and what is defined of the result.

use visa_arrays::{
    Arithmetic, Array, BinaryMode, Bits, Effects, Fault, FloatOperation, Guard, IntegerOperation,
    Operand, TernaryMode, UnaryOperation, effects_of_operation, fused_multiply_add, joined,
    map_elements, map_pairs,
};

use crate::hardware::{ElementType, Function, OperationGroup, VectorOperation};

use super::cells::{Cells, OriginId};

/// A number of one of the types that the Vector Engine computes with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    /// Of an integer stream.
    Integer(i32),
    /// Of a float stream.
    Float(f32),
}

/// What a slot reads.
#[derive(Debug, Clone)]
pub(super) enum Read {
    /// One number for all elements.
    Same(Number),
    /// One element each.
    Each(Cells),
}

/// An operand for the elements that a guard lets through.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    /// Which elements take it.
    pub(super) guard: Guard,
    /// What it reads.
    pub(super) read: Read,
    /// The constant beside it, of an operation with three operands.
    pub(super) second: Option<f32>,
}

/// What an operation computes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Computed {
    /// Of two integers.
    Integer(IntegerOperation, BinaryMode),
    /// Of two floats.
    Float(FloatOperation, BinaryMode),
    /// Of one float.
    Unary(UnaryOperation),
    /// A product plus a number.
    Fused(TernaryMode),
}

/// Tags of the elements of a stream.
#[derive(Debug, Clone)]
pub(super) struct Tags {
    /// Four bits an element.
    pub(super) values: Vec<u8>,
    /// Which tags are defined; none where all are.
    pub(super) defined: Option<Bits>,
    /// Where undefined ones come from, in a run that keeps it.
    pub(super) origins: Option<Vec<OriginId>>,
}

/// The reason that an operation stops a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stop {
    /// The element.
    pub(super) place: usize,
    /// The reason.
    pub(super) fault: Fault,
}

/// The function of two integers that the machine's function is.
pub(super) fn integer_operation(operation: &VectorOperation) -> Option<IntegerOperation> {
    if operation.element_type != ElementType::I32 {
        return None;
    }
    Some(match operation.function {
        Function::And => IntegerOperation::And,
        Function::Or => IntegerOperation::Or,
        Function::Xor => IntegerOperation::Xor,
        Function::ShiftLeft => IntegerOperation::ShiftLeft,
        Function::ShiftLeftSaturated => IntegerOperation::ShiftLeftSaturating,
        Function::ShiftRight => IntegerOperation::ShiftRightLogical,
        Function::ShiftRightSigned => IntegerOperation::ShiftRightArithmetic,
        Function::ShiftRightRounded => IntegerOperation::ShiftRightRounding,
        Function::Add => IntegerOperation::Add,
        Function::AddSaturated => IntegerOperation::AddSaturating,
        Function::Subtract => IntegerOperation::Subtract,
        Function::SubtractSaturated => IntegerOperation::SubtractSaturating,
        Function::Multiply => IntegerOperation::MultiplyFixed,
        Function::MultiplyIntegers => IntegerOperation::Multiply,
        Function::Minimum => IntegerOperation::Min,
        Function::Maximum => IntegerOperation::Max,
        Function::MinimumMagnitude => IntegerOperation::AbsMin,
        Function::MaximumMagnitude => IntegerOperation::AbsMax,
        _ => return None,
    })
}

/// The function of two floats that the machine's function is.
pub(super) fn float_operation(operation: &VectorOperation) -> Option<FloatOperation> {
    if operation.element_type != ElementType::F32 {
        return None;
    }
    Some(match operation.function {
        Function::And => FloatOperation::And,
        Function::Or => FloatOperation::Or,
        Function::Xor => FloatOperation::Xor,
        Function::Add => FloatOperation::Add,
        Function::Subtract => FloatOperation::Subtract,
        Function::Multiply => FloatOperation::Multiply,
        Function::Divide => FloatOperation::Divide,
        Function::Minimum => FloatOperation::Min,
        Function::Maximum => FloatOperation::Max,
        Function::MinimumMagnitude => FloatOperation::AbsMin,
        Function::MaximumMagnitude => FloatOperation::AbsMax,
        _ => return None,
    })
}

/// The function of one float that the machine's function is.
pub(super) const fn unary_operation(operation: &VectorOperation) -> Option<UnaryOperation> {
    Some(match operation.function {
        Function::Exp => UnaryOperation::Exp,
        Function::ExpOfNegative => UnaryOperation::NegExp,
        Function::SquareRoot => UnaryOperation::Sqrt,
        Function::Tanh => UnaryOperation::Tanh,
        Function::Sigmoid => UnaryOperation::Sigmoid,
        Function::Erf => UnaryOperation::Erf,
        Function::Log => UnaryOperation::Log,
        Function::Sin => UnaryOperation::Sin,
        Function::Cos => UnaryOperation::Cos,
        _ => return None,
    })
}

/// What an operation computes by its modes as written (`Mode01`); `None` for what has no meaning on the CPU.
pub(super) fn computed(operation: &VectorOperation, mode: Option<&str>) -> Option<Computed> {
    let digits = mode.map(|mode| mode.trim_start_matches(|letter: char| !letter.is_ascii_digit()));
    if operation.group == OperationGroup::FloatUnary {
        return Some(Computed::Unary(unary_operation(operation)?));
    }
    if operation.group == OperationGroup::FloatTernary {
        let mode = match digits {
            None => TernaryMode::default(),
            Some(digits) => TernaryMode::from_digits(digits)?,
        };
        return (operation.function == Function::MultiplyAdd).then_some(Computed::Fused(mode));
    }
    let mode = match digits {
        None => BinaryMode::default(),
        Some(digits) => BinaryMode::from_digits(digits)?,
    };
    match integer_operation(operation) {
        Some(function) => Some(Computed::Integer(function, mode)),
        None => Some(Computed::Float(float_operation(operation)?, mode)),
    }
}

impl Computed {
    fn reads_stream(self) -> bool {
        match self {
            Self::Integer(_, mode) | Self::Float(_, mode) => mode.reads_stream(),
            Self::Unary(_) => true,
            Self::Fused(mode) => mode.reads(0),
        }
    }

    fn reads_operand(self) -> bool {
        match self {
            Self::Integer(_, mode) | Self::Float(_, mode) => mode.reads_operand(),
            Self::Unary(_) => false,
            Self::Fused(mode) => mode.reads(1),
        }
    }

    /// Whether machines may differ in its last places.
    fn is_approximate(self) -> bool {
        matches!(self, Self::Unary(function) if function.is_approximate())
    }
}

/// What a run knows of its arithmetic.
pub(super) struct Rules<'a> {
    /// The release's arithmetic.
    pub(super) arithmetic: Arithmetic,
    /// What arithmetic did to elements that are defined.
    pub(super) effects: &'a mut Effects,
}

/// Computes an operation on each element of a stream.
///
/// # Errors
/// A defined element has no result.
pub(super) fn compute(
    stream: &Cells,
    tags: Option<&Tags>,
    slots: &[Slot],
    computed: Computed,
    rules: &mut Rules<'_>,
) -> Result<Cells, Stop> {
    let mut result = match slots {
        [slot] if !slot.guard.reads_tags() && slot.guard.accepts(0) => {
            whole(stream, slot, computed, rules)?
        }
        slots => guarded(stream, tags, slots, computed, rules)?,
    };
    result.approximate |= computed.is_approximate();
    result.settle();
    Ok(result)
}

/// An operation on every element.
fn whole(
    stream: &Cells,
    slot: &Slot,
    computed: Computed,
    rules: &mut Rules<'_>,
) -> Result<Cells, Stop> {
    let arithmetic = rules.arithmetic;
    let array = match (computed, &stream.array, &slot.read) {
        (Computed::Integer(function, mode), Array::I32(elements), read) => {
            let operand = match read {
                Read::Same(Number::Integer(number)) => Operand::Same(*number),
                Read::Each(Cells {
                    array: Array::I32(operand),
                    ..
                }) => Operand::Each(operand.as_slice()),
                _ => Operand::Same(0),
            };
            Some(Array::I32(joined(elements, operand, mode, |a, b| {
                function.result(a, b)
            })))
        }
        (Computed::Float(function, mode), Array::F32(elements), read) => {
            let operand = float_operand(read);
            let result = float_results(elements, operand, (function, mode));
            Some(Array::F32(result))
        }
        (Computed::Unary(function), Array::F32(elements), _) => {
            let result = |value| function.result(value, arithmetic);
            Some(Array::F32(map_elements(elements, result)))
        }
        (Computed::Fused(mode), Array::F32(elements), read) => {
            let second = slot.second.unwrap_or(0.0);
            Some(Array::F32(fused(
                elements,
                float_operand(read),
                (second, mode),
            )))
        }
        _ => None,
    };
    let operand = match &slot.read {
        Read::Each(cells) => Some(cells),
        Read::Same(_) => None,
    };
    let mut result = Cells {
        array: array.unwrap_or_else(|| stream.array.clone()),
        defined: None,
        origins: None,
        approximate: stream.approximate,
    };
    if computed.reads_stream() {
        result.defined.clone_from(&stream.defined);
        result.origins.clone_from(&stream.origins);
    }
    if let (Some(operand), true) = (operand, computed.reads_operand()) {
        result.approximate |= operand.approximate;
        take_in(&mut result, operand);
    }
    if let Computed::Integer(function, mode) = computed {
        find_fault(stream, slot, (function, mode), result.defined.as_ref())?;
    }
    count_effects(&result, stream, operand, rules);
    Ok(result)
}

fn float_operand(read: &Read) -> Operand<'_, f32> {
    match read {
        Read::Same(Number::Float(number)) => Operand::Same(*number),
        Read::Each(Cells {
            array: Array::F32(operand),
            ..
        }) => Operand::Each(operand.as_slice()),
        _ => Operand::Same(0.0),
    }
}

/// The common operations each in a loop of its own, so that the compiler makes vectors of it.
fn float_results(
    elements: &[f32],
    operand: Operand<'_, f32>,
    (function, mode): (FloatOperation, BinaryMode),
) -> Vec<f32> {
    match function {
        FloatOperation::Add => joined(elements, operand, mode, |a, b| a + b),
        FloatOperation::Subtract => joined(elements, operand, mode, |a, b| a - b),
        FloatOperation::Multiply => joined(elements, operand, mode, |a, b| a * b),
        FloatOperation::Divide => joined(elements, operand, mode, |a, b| a / b),
        FloatOperation::Min => joined(elements, operand, mode, f32::min),
        FloatOperation::Max => joined(elements, operand, mode, f32::max),
        _ => joined(elements, operand, mode, |a, b| function.result(a, b)),
    }
}

fn fused(
    elements: &[f32],
    operand: Operand<'_, f32>,
    (second, mode): (f32, TernaryMode),
) -> Vec<f32> {
    let one = |stream: f32, first: f32| {
        let [a, b, c] = mode.ordered(stream, first, second);
        fused_multiply_add(a, b, c)
    };
    match operand {
        Operand::Same(first) => map_elements(elements, |stream| one(stream, first)),
        Operand::Each(operand) => map_pairs(elements, operand, one),
    }
}

/// Elements that are undefined in another stream are so in the result, and come from there.
pub(super) fn take_in(result: &mut Cells, other: &Cells) {
    let Some(bits) = &other.defined else {
        return;
    };
    if other.origins.is_some() || result.origins.is_some() {
        for place in bits.clear_places() {
            if result.is_defined(place) {
                result.put_origin(place, other.origin(place));
            }
        }
    }
    match &mut result.defined {
        Some(own) => own.keep_set_in(bits),
        None => result.defined = Some(bits.clone()),
    }
}

fn find_fault(
    stream: &Cells,
    slot: &Slot,
    (function, mode): (IntegerOperation, BinaryMode),
    defined: Option<&Bits>,
) -> Result<(), Stop> {
    let Array::I32(elements) = &stream.array else {
        return Ok(());
    };
    if !function.may_fail() {
        return Ok(());
    }
    for (place, element) in elements.iter().enumerate() {
        if defined.is_none_or(|bits| bits.is_set(place)) {
            let operand = integer_at(&slot.read, place);
            let (first, second) = mode.ordered(*element, operand);
            if let Some(fault) = function.fault(first, second) {
                return Err(Stop { place, fault });
            }
        }
    }
    Ok(())
}

fn integer_at(read: &Read, place: usize) -> i32 {
    match read {
        Read::Same(Number::Integer(number)) => *number,
        Read::Each(Cells {
            array: Array::I32(elements),
            ..
        }) => elements.get(place).copied().unwrap_or(0),
        _ => 0,
    }
}

fn float_at(read: &Read, place: usize) -> f32 {
    match read {
        Read::Same(Number::Float(number)) => *number,
        Read::Each(Cells {
            array: Array::F32(elements),
            ..
        }) => elements.get(place).copied().unwrap_or(0.0),
        _ => 0.0,
    }
}

fn count_effects(result: &Cells, stream: &Cells, operand: Option<&Cells>, rules: &mut Rules<'_>) {
    if let (Array::F32(results), Array::F32(elements)) = (&result.array, &stream.array) {
        let mut operands: Vec<&[f32]> = vec![elements];
        if let Some(Array::F32(operand)) = operand.map(|operand| &operand.array) {
            operands.push(operand);
        }
        *rules.effects += effects_of_operation(results, &operands, result.defined.as_ref());
    }
}

/// The result of an operation for one element.
fn one(
    computed: Computed,
    (integer, float): (i32, f32),
    slot: Option<&Slot>,
    place: usize,
    arithmetic: Arithmetic,
) -> Result<(i32, f32), Fault> {
    let read = slot.map(|slot| &slot.read);
    Ok(match computed {
        Computed::Integer(function, mode) => {
            let operand = read.map_or(0, |read| integer_at(read, place));
            let (first, second) = mode.ordered(integer, operand);
            match function.fault(first, second) {
                Some(fault) => return Err(fault),
                None => (function.result(first, second), float),
            }
        }
        Computed::Float(function, mode) => {
            let operand = read.map_or(0.0, |read| float_at(read, place));
            let (first, second) = mode.ordered(float, operand);
            (integer, function.result(first, second))
        }
        Computed::Unary(function) => (integer, function.result(float, arithmetic)),
        Computed::Fused(mode) => {
            let first = read.map_or(0.0, |read| float_at(read, place));
            let second = slot.and_then(|slot| slot.second).unwrap_or(0.0);
            let [a, b, c] = mode.ordered(float, first, second);
            (integer, fused_multiply_add(a, b, c))
        }
    })
}

/// An operation whose operand depends on the tag of the element. An element that no guard lets through stays as it is.
fn guarded(
    stream: &Cells,
    tags: Option<&Tags>,
    slots: &[Slot],
    computed: Computed,
    rules: &mut Rules<'_>,
) -> Result<Cells, Stop> {
    let mut result = stream.clone();
    let reads_tags = slots.iter().any(|slot| slot.guard.reads_tags());
    for place in 0..stream.len() {
        let tag = tags
            .and_then(|tags| tags.values.get(place))
            .copied()
            .unwrap_or(0);
        let tag_is_defined = tags
            .and_then(|tags| tags.defined.as_ref())
            .is_none_or(|bits| bits.is_set(place));
        let mut is_defined = stream.is_defined(place);
        let mut origin = stream.origin(place);
        let mut value = match &stream.array {
            Array::I32(elements) => (elements[place], 0.0),
            Array::F32(elements) => (0, elements[place]),
            _ => (0, 0.0),
        };
        for slot in slots.iter().filter(|slot| slot.guard.accepts(tag)) {
            let operand_is_defined = match &slot.read {
                Read::Each(cells) => cells.is_defined(place),
                Read::Same(_) => true,
            };
            if !computed.reads_stream() {
                (is_defined, origin) = (true, 0);
            }
            if computed.reads_operand() && !operand_is_defined {
                if let (Read::Each(cells), true) = (&slot.read, is_defined) {
                    origin = cells.origin(place);
                }
                is_defined = false;
            }
            value = match one(computed, value, Some(slot), place, rules.arithmetic) {
                Ok(value) => value,
                Err(fault) if is_defined && tag_is_defined => return Err(Stop { place, fault }),
                Err(_) => value,
            };
            if rules.arithmetic.first_slot_wins {
                break;
            }
        }
        if reads_tags && !tag_is_defined {
            if is_defined {
                let origins = tags.and_then(|tags| tags.origins.as_ref());
                origin = origins
                    .and_then(|origins| origins.get(place))
                    .copied()
                    .unwrap_or(0);
            }
            is_defined = false;
        }
        match &mut result.array {
            Array::I32(elements) => elements[place] = value.0,
            Array::F32(elements) => elements[place] = value.1,
            _ => {}
        }
        if is_defined {
            if result.defined.is_some() {
                result.bits_mut().put(place, true);
            }
        } else {
            result.undefine(place, origin);
        }
    }
    result.approximate |= slots
        .iter()
        .any(|slot| matches!(&slot.read, Read::Each(cells) if cells.approximate));
    count_effects(&result, stream, None, rules);
    Ok(result)
}

#[cfg(test)]
mod tests {
    use visa_arrays::ElementKind;

    use super::*;

    fn rules(effects: &mut Effects) -> Rules<'_> {
        Rules {
            arithmetic: Arithmetic::NEWEST,
            effects,
        }
    }

    fn floats(values: &[f32], undefined: &[usize]) -> Cells {
        let mut cells = Cells::defined(Array::F32(values.to_vec()));
        for place in undefined {
            cells.undefine(*place, 0);
        }
        cells
    }

    fn slot(guard: Guard, read: Read) -> Slot {
        Slot {
            guard,
            read,
            second: None,
        }
    }

    #[test]
    fn an_operand_that_the_mode_ignores_does_not_undefine() {
        let mut effects = Effects::default();
        let stream = floats(&[1.0, 2.0, 3.0], &[0]);
        let operand = slot(Guard::All, Read::Each(floats(&[10.0, 20.0, 30.0], &[1])));
        let run = |mode, effects: &mut Effects| {
            let computed = Computed::Float(FloatOperation::Add, mode);
            let slots = std::slice::from_ref(&operand);
            compute(&stream, None, slots, computed, &mut rules(effects))
        };
        let defined = |cells: &Cells| {
            (0..3)
                .map(|place| cells.is_defined(place))
                .collect::<Vec<_>>()
        };
        let first = run(BinaryMode::StreamFirst, &mut effects).unwrap();
        assert_eq!(first.array, Array::F32(vec![11.0, 22.0, 33.0]));
        assert_eq!(defined(&first), [false, false, true]);
        let twice = run(BinaryMode::StreamTwice, &mut effects).unwrap();
        assert_eq!(twice.array, Array::F32(vec![2.0, 4.0, 6.0]));
        assert_eq!(defined(&twice), [false, true, true]);
        let operand_twice = run(BinaryMode::OperandTwice, &mut effects).unwrap();
        assert_eq!(defined(&operand_twice), [true, false, true]);
    }

    #[test]
    fn the_first_guard_that_fits_decides_and_others_do_not_undefine() {
        let mut effects = Effects::default();
        let tags = Tags {
            values: vec![1, 0, 1, 8],
            defined: Some(Bits::from_places(4, |place| place != 2)),
            origins: None,
        };
        let bit = |wanted| Guard::Matches([Some(wanted), None, None, None]);
        let slots = [
            slot(bit(true), Read::Same(Number::Float(100.0))),
            slot(bit(false), Read::Each(floats(&[1.0; 4], &[0, 1]))),
        ];
        let computed = Computed::Float(FloatOperation::Add, BinaryMode::StreamFirst);
        let stream = floats(&[1.0, 2.0, 3.0, 4.0], &[]);
        let made = compute(
            &stream,
            Some(&tags),
            &slots,
            computed,
            &mut rules(&mut effects),
        );
        let made = made.unwrap();
        assert_eq!(made.array, Array::F32(vec![101.0, 3.0, 103.0, 5.0]));
        let defined: Vec<bool> = (0..4).map(|place| made.is_defined(place)).collect();
        // Place 1 reads an undefined operand, place 2 has an undefined tag.
        assert_eq!(defined, [true, false, false, true]);
    }

    #[test]
    fn a_shift_beyond_the_width_stops_the_run_only_where_it_is_defined() {
        let mut effects = Effects::default();
        let computed = Computed::Integer(IntegerOperation::ShiftLeft, BinaryMode::StreamFirst);
        let slots = [slot(Guard::All, Read::Same(Number::Integer(32)))];
        let stream = Cells::defined(Array::I32(vec![1]));
        let stopped = compute(&stream, None, &slots, computed, &mut rules(&mut effects));
        assert!(stopped.is_err_and(|stop| stop.place == 0));
        let stream = Cells::undefined(ElementKind::I32, 1, None);
        let made = compute(&stream, None, &slots, computed, &mut rules(&mut effects));
        assert!(made.is_ok_and(|made| !made.is_defined(0)));
    }
}

//! Numbers: constants, what arithmetic makes of them, and unknown values with an offset.
//!
//! Every value has two: what it is always, and what it is the first time that all loops around it run. The second one is
//! enough to prove that something happens once.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::super::syntax::{Cursor, File, Kind, Operand, OperationId};
use super::names::{Names, ValueId};
use super::types::{Pointer, pointer_type};

/// A number: an unknown base, if there is one, and an offset to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Expression {
    /// What is not known, by its identity.
    pub base: Option<u32>,
    /// What is added to it.
    pub offset: i64,
}

impl Expression {
    /// A constant.
    pub const fn constant(offset: i64) -> Self {
        Self { base: None, offset }
    }

    /// The number, if it is one.
    pub const fn number(self) -> Option<i64> {
        match self.base {
            None => Some(self.offset),
            Some(_) => None,
        }
    }

    /// This minus another, where both have the same base.
    pub fn minus(self, other: Self) -> Option<i64> {
        let same = self.base == other.base;
        same.then(|| self.offset.checked_sub(other.offset))
            .flatten()
    }
}

/// What is known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Known {
    /// What it is, always.
    pub always: Expression,
    /// What it is the first time that all loops around it run.
    pub first: Expression,
    /// Its type, if it is a pointer.
    pub pointer: Option<Pointer>,
}

impl Known {
    /// The number that it always is.
    pub const fn number(&self) -> Option<i64> {
        self.always.number()
    }
}

/// What is known of all values of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    known: Vec<Known>,
    /// Operations with their types by number.
    operations: FxHashMap<String, u32>,
    /// Identities of what operations make of unknown values: the same operation of the same values is the same value.
    made: FxHashMap<(u32, Operands), u32>,
    next: u32,
    /// Memory for texts that are looked up.
    scratch: String,
}

/// The most operands of an operation on numbers: a choice has three.
const MOST_OPERANDS: usize = 3;

/// What an operation on numbers is given; `None` behind the last.
type Operands = [Option<Expression>; MOST_OPERANDS];

impl Values {
    /// Nothing is known but identities and the types of arguments.
    pub fn new(file: &File, names: &Names) -> Self {
        let unknown = |id: u32| {
            let written = names
                .definition(ValueId(id))
                .and_then(|(_, definition)| definition.written_type);
            Known {
                always: Expression {
                    base: Some(id),
                    offset: 0,
                },
                first: Expression {
                    base: Some(id),
                    offset: 0,
                },
                pointer: written.and_then(|place| pointer_type(file, file.text_at(place))),
            }
        };
        Self {
            known: (0..names.values).map(unknown).collect(),
            operations: FxHashMap::default(),
            made: FxHashMap::default(),
            next: names.values,
            scratch: String::new(),
        }
    }

    /// What is known of a value.
    pub fn get(&self, value: ValueId) -> Option<&Known> {
        self.known.get(value.0 as usize)
    }

    /// What is known of an operand.
    pub fn operand(&self, names: &Names, operand: Operand) -> Option<Known> {
        self.get(names.value(operand.token)?).copied()
    }

    /// Notes what a value is.
    pub fn set(&mut self, value: ValueId, always: Expression, first: Expression) {
        if let Some(known) = self.known.get_mut(value.0 as usize) {
            known.always = always;
            known.first = first;
        }
    }

    fn set_pointer(&mut self, value: ValueId, pointer: Option<Pointer>) {
        if let Some(known) = self.known.get_mut(value.0 as usize) {
            known.pointer = pointer.or(known.pointer);
        }
    }

    /// Works out the result of an operation on numbers or pointers; others keep their identity.
    pub fn evaluate(&mut self, file: &File, names: &Names, id: OperationId) {
        let Some(result) = names.results(file, id).next() else {
            return;
        };
        let name = file.name(id);
        match name {
            "arith.constant" => {
                if let Some(number) = constant_value(file, id) {
                    let number = Expression::constant(number);
                    self.set(result, number, number);
                }
            }
            "pto.castptr" => self.cast(file, names, id, result),
            "pto.addptr" => self.add(file, names, id, result),
            _ if name.starts_with("arith.") => {
                let mut cursor = Cursor::new(file, id);
                cursor.eat(b'(');
                let mut given: [Operands; 2] = [[None; MOST_OPERANDS]; 2];
                let mut count = 0;
                let mut is_known = true;
                cursor.each_operand(|operand| {
                    let known = self.operand(names, operand);
                    for (way, given) in given.iter_mut().enumerate() {
                        match (given.get_mut(count), known) {
                            (Some(place), Some(known)) => {
                                *place = Some(if way == 0 { known.always } else { known.first });
                            }
                            _ => is_known = false,
                        }
                    }
                    count += 1;
                });
                if !is_known || count == 0 {
                    return;
                }
                let [always, first] = given;
                let made = self.arithmetic(file, id, &always);
                let first = if first == always {
                    made
                } else {
                    self.arithmetic(file, id, &first)
                };
                if let (Some(always), Some(first)) = (made, first) {
                    self.set(result, always, first);
                }
            }
            _ => {}
        }
    }

    /// `castptr` keeps the address; of a number it makes one.
    fn cast(&mut self, file: &File, names: &Names, id: OperationId, result: ValueId) {
        let mut cursor = Cursor::new(file, id);
        cursor.eat(b'(');
        let Some(known) = cursor.operand().and_then(|one| self.operand(names, one)) else {
            return;
        };
        self.set(result, known.always, known.first);
        let written = result_type(file, id);
        self.set_pointer(result, written.or(known.pointer));
    }

    /// `addptr` adds elements.
    fn add(&mut self, file: &File, names: &Names, id: OperationId, result: ValueId) {
        let mut cursor = Cursor::new(file, id);
        cursor.eat(b'(');
        let [pointer, count] = cursor.operands().operands[..] else {
            return;
        };
        let (Some(pointer), Some(count)) =
            (self.operand(names, pointer), self.operand(names, count))
        else {
            return;
        };
        let written = result_type(file, id);
        let type_of = written.or(pointer.pointer);
        self.set_pointer(result, type_of);
        let bytes = type_of
            .and_then(|pointer| pointer.element)
            .and_then(super::types::Element::bytes);
        let Some(bytes) = bytes else {
            return;
        };
        let moved = |pointer: Expression, count: Expression| {
            let way = count.number()?.checked_mul(i64::from(bytes))?;
            let offset = pointer.offset.checked_add(way)?;
            Some(Expression { offset, ..pointer })
        };
        let kind = |text: &mut String| {
            let _ = write!(text, "pto.addptr {bytes}");
        };
        let given = |pointer: Expression, count: Expression| [Some(pointer), Some(count), None];
        let always = moved(pointer.always, count.always)
            .or_else(|| self.identity(kind, given(pointer.always, count.always)));
        let first = moved(pointer.first, count.first)
            .or_else(|| self.identity(kind, given(pointer.first, count.first)));
        if let (Some(always), Some(first)) = (always, first) {
            self.set(result, always, first);
        }
    }

    /// The identity of what an operation makes of values; the operation is what is written about it.
    fn identity(&mut self, write: impl FnOnce(&mut String), of: Operands) -> Option<Expression> {
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        write(&mut text);
        let operation = match self.operations.get(&text) {
            Some(&known) => known,
            None => {
                let new = u32::try_from(self.operations.len()).ok()?;
                self.operations.insert(text.clone(), new);
                new
            }
        };
        self.scratch = text;
        let next = self.next;
        let base = *self.made.entry((operation, of)).or_insert(next);
        if base == next {
            self.next = next.checked_add(1)?;
        }
        Some(Expression {
            base: Some(base),
            offset: 0,
        })
    }

    fn arithmetic(&mut self, file: &File, id: OperationId, given: &Operands) -> Option<Expression> {
        let name = file.name(id);
        let operation = name.strip_prefix("arith.")?;
        let mut all = [Expression::constant(0); MOST_OPERANDS];
        let mut count = 0;
        for (place, one) in all.iter_mut().zip(given.iter().flatten()) {
            *place = *one;
            count += 1;
        }
        let of = all.get(..count)?;
        if let ("addi" | "subi", &[one, other]) = (operation, of) {
            let sum = match (one.number(), other.number(), operation) {
                (_, Some(number), "addi") => Some((one, number)),
                (Some(number), _, "addi") => Some((other, number)),
                (_, Some(number), _) => number.checked_neg().map(|number| (one, number)),
                _ => None,
            };
            let sum = sum.and_then(|(base, number)| {
                let offset = base.offset.checked_add(number)?;
                Some(Expression { offset, ..base })
            });
            if let Some(sum) = sum.or_else(|| {
                let difference = (operation == "subi").then(|| one.minus(other)).flatten()?;
                Some(Expression::constant(difference))
            }) {
                return Some(sum);
            }
        }
        if let ("index_cast" | "extsi", &[one]) = (operation, of) {
            return Some(one);
        }
        if let ("select", &[condition, one, other]) = (operation, of) {
            match condition.number() {
                _ if one == other => return Some(one),
                Some(0) => return Some(other),
                Some(_) => return Some(one),
                None => {}
            }
        }
        let mut numbers = [0; MOST_OPERANDS];
        let are_known = numbers.iter_mut().zip(of).all(|(place, one)| {
            one.number().is_some_and(|number| {
                *place = number;
                true
            })
        });
        let numbers = numbers.get(..count).filter(|_| are_known);
        let bits = || bits_of_result(file, id);
        match numbers.and_then(|numbers| of_numbers(operation, bits, numbers)) {
            Some(number) => Some(Expression::constant(number)),
            None => self.identity(|text| push_name_and_types(file, id, text), *given),
        }
    }
}

/// What an operation makes of constants; `None` where that is not known, or depends on a width that is not.
fn of_numbers(operation: &str, bits: impl FnOnce() -> Option<u32>, numbers: &[i64]) -> Option<i64> {
    match (operation, numbers) {
        ("muli", &[one, other]) => one.checked_mul(other),
        ("divui", &[one, other]) if one >= 0 && other > 0 => Some(one / other),
        ("remui", &[one, other]) if one >= 0 && other > 0 => Some(one % other),
        ("divsi", &[one, other]) => one.checked_div(other),
        ("remsi", &[one, other]) => one.checked_rem(other),
        ("ceildivsi" | "ceildivui", &[one, other]) if one >= 0 && other > 0 => {
            Some(one.div_euclid(other) + i64::from(one.rem_euclid(other) > 0))
        }
        ("minsi", &[one, other]) => Some(one.min(other)),
        ("maxsi", &[one, other]) => Some(one.max(other)),
        ("minui", &[one, other]) if one >= 0 && other >= 0 => Some(one.min(other)),
        ("maxui", &[one, other]) if one >= 0 && other >= 0 => Some(one.max(other)),
        ("index_castui" | "extui", &[one]) if one >= 0 => Some(one),
        ("trunci", &[one]) => {
            let bits = bits()?;
            let fits = bits >= 64 || (one >= 0 && one < 1_i64.checked_shl(bits.checked_sub(1)?)?);
            fits.then_some(one)
        }
        _ => None,
    }
}

/// The name of an operation and its types, which its identity depends on.
fn push_name_and_types(file: &File, id: OperationId, text: &mut String) {
    text.push_str(file.name(id));
    let mut cursor = Cursor::new(file, id);
    if cursor.pass_colon() {
        while cursor.peek().kind != Kind::End {
            text.push(' ');
            text.push_str(cursor.text());
            cursor.next();
        }
    }
}

/// The width of the integer that an operation ends with.
fn bits_of_result(file: &File, id: OperationId) -> Option<u32> {
    let mut cursor = Cursor::new(file, id);
    let mut last = "";
    if cursor.pass_colon() {
        while cursor.peek().kind != Kind::End {
            last = cursor.text();
            cursor.next();
        }
    }
    last.strip_prefix('i')?.parse().ok()
}

/// The pointer type behind the arrow, or the last one that is written.
fn result_type(file: &File, id: OperationId) -> Option<Pointer> {
    let mut cursor = Cursor::new(file, id);
    if !cursor.pass_colon() {
        return None;
    }
    let mut types = cursor.types();
    if cursor.peek().kind == Kind::Arrow {
        cursor.next();
        types = cursor.types();
    }
    pointer_type(file, file.text_at(*types.last()?))
}

/// The integer of an `arith.constant`; `true` is 1.
fn constant_value(file: &File, id: OperationId) -> Option<i64> {
    let mut cursor = Cursor::new(file, id);
    if file.is_generic(id) {
        // "arith.constant"() {value = 4 : i64}
        while cursor.peek().kind != Kind::End && cursor.text() != "value" {
            cursor.next();
        }
        cursor.next();
        cursor.eat(b'=');
    } else {
        // A dictionary may come before the value.
        cursor.skip_brackets();
    }
    match cursor.text() {
        "true" => return Some(1),
        "false" => return Some(0),
        _ => {}
    }
    if cursor.peek().kind != Kind::Number {
        return None;
    }
    let text = cursor.text();
    // `dense<…>` and floats are no integers.
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

//! Regions to steps.
//!
//! A program is steps and not a graph, because registers and flags hold what the last step before set. A loop is walked twice,
//! so that the second walk sees what the first one left. Loops in loops therefore cost a power of two, and are not followed
//! below a fixed depth. Of an `scf.if` with a constant condition only the taken branch is lowered, since generators write both.

use super::super::syntax::{Cursor, File, Kind, OperationId, Place, RegionId};
use super::super::tiles::{TileFacts, is_tile_operation, read_tile_operation, unfollowed_transfer};
use super::super::transfers::{Direction, Given, OperandFault, is_copy, read};
use super::super::values::{Element, Known, Memory, Names, Values};
use super::events::{first_name, flag};
use super::{Access, Action, Function, Step, What};

/// Regions in regions beyond which a function is not followed.
const MOST_DEPTH: u32 = 48;
/// Loops in loops beyond which registers and order are not followed: each is walked twice.
const MOST_LOOPS: u32 = 8;

/// A file's functions with what is known of its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its functions, in the order of the text.
    pub functions: Vec<Function>,
    /// What is known of its values.
    pub values: Values,
    /// Operands that are not as the operation wants them.
    pub faults: Vec<OperandFault>,
}

struct Lowering<'a> {
    file: &'a File,
    names: &'a Names,
    /// Whether an operation of the file changes the valid sizes of tiles.
    resizes: bool,
    program: Program,
}

/// Where a walk is.
#[derive(Clone, Copy)]
struct At {
    certain: bool,
    loops: u32,
}

/// The functions of a file. `is_before` is whether the module around it is for the generation before.
pub fn lower_file(file: &File, names: &Names, is_before: bool) -> Program {
    let mut lowering = Lowering {
        file,
        names,
        resizes: file.ids().any(|id| file.name(id) == "pto.set_validshape"),
        program: Program {
            functions: Vec::new(),
            values: Values::new(file, names),
            faults: Vec::new(),
        },
    };
    for &part in &file.parts {
        lowering.module(part, is_before);
    }
    let mut program = lowering.program;
    program.functions.sort_by_key(|function| function.region);
    program
}

impl Lowering<'_> {
    /// The functions of a module; what is in none is a function of its own. Modules in modules are few: deeper ones than
    /// other regions may be are left out.
    fn module(&mut self, region: RegionId, is_before: bool) {
        let mut loose = self.function(None, region, is_before);
        let mut context = At {
            certain: true,
            loops: 0,
        };
        for &id in &self.file.region(region).operations {
            let name = self.file.name(id);
            let operation = self.file.operation(id);
            let inner = operation.regions.first().copied();
            if self.file.region(region).depth > MOST_DEPTH {
                return;
            }
            match inner {
                Some(inner) if name == "module" || name == "builtin.module" => {
                    let before = self.architecture(id).unwrap_or(is_before);
                    self.module(inner, before);
                }
                Some(inner) if name.ends_with(".func") => {
                    let mut function = self.function(Some(id), inner, is_before);
                    let mut steps = Vec::new();
                    self.region(&mut function, inner, context, &mut steps);
                    function.steps = steps;
                    self.program.functions.push(function);
                }
                _ => {
                    let mut steps = std::mem::take(&mut loose.steps);
                    self.operation(&mut loose, id, &mut context, &mut steps);
                    loose.steps = steps;
                }
            }
        }
        if !loose.steps.is_empty() {
            self.program.functions.push(loose);
        }
    }

    fn function(
        &self,
        operation: Option<OperationId>,
        region: RegionId,
        is_before: bool,
    ) -> Function {
        let name = operation.and_then(|id| {
            let mut cursor = Cursor::new(self.file, id);
            loop {
                let token = cursor.next();
                match token.kind {
                    Kind::Symbol => return Some(token.place),
                    Kind::End | Kind::Mark(b'(') => return None,
                    _ => {}
                }
            }
        });
        Function {
            operation,
            name,
            region,
            steps: Vec::new(),
            copies: Vec::new(),
            tiles: Vec::new(),
            unfollowed: Vec::new(),
            is_before,
            not_followed: None,
        }
    }

    /// Whether a module says that it is for the generation before.
    fn architecture(&self, id: OperationId) -> Option<bool> {
        let mut cursor = Cursor::new(self.file, id);
        loop {
            let token = cursor.next();
            match token.kind {
                Kind::End => return None,
                Kind::Text | Kind::Word
                    if self.file.text_at(token.place).trim_matches('"') == "pto.target_arch" =>
                {
                    cursor.eat(b'=');
                    let arch = cursor.text().trim_matches('"');
                    return Some(matches!(arch, "a2" | "a3" | "a2a3"));
                }
                _ => {}
            }
        }
    }

    fn region(&mut self, function: &mut Function, region: RegionId, at: At, into: &mut Vec<Step>) {
        let found = self.file.region(region);
        if found.depth > MOST_DEPTH {
            function.not_followed = Some("the function nests regions more than 48 deep");
            return;
        }
        let first = found
            .operations
            .first()
            .map(|&id| self.file.operation(id).place);
        let mut labels = found.labels.iter().map(|label| label.place).peekable();
        // A label at the begin of a region that nothing jumps to only names the arguments.
        if found.labels.len() == 1
            && labels
                .peek()
                .is_some_and(|&label| first.is_some_and(|first| label < first))
        {
            labels.next();
        }
        let mut at = at;
        for &id in &found.operations {
            let place = self.file.operation(id).place;
            if labels.peek().is_some_and(|&label| label < place) {
                while labels.next_if(|&label| label < place).is_some() {}
                function.not_followed = Some("the function branches between blocks");
                at.certain = false;
                self.push(id, What::Forget, at, into);
            }
            self.operation(function, id, &mut at, into);
        }
    }

    fn push(&self, operation: OperationId, what: What, at: At, into: &mut Vec<Step>) {
        into.push(Step::Do(Action {
            operation,
            what,
            certain: at.certain,
        }));
    }

    fn operation(
        &mut self,
        function: &mut Function,
        id: OperationId,
        at: &mut At,
        into: &mut Vec<Step>,
    ) {
        let name = self.file.name(id);
        match name {
            "scf.if" => return self.lower_if(function, id, *at, into),
            "scf.for" => return self.lower_for(function, id, *at, into),
            "scf.while" => return self.lower_while(function, id, *at, into),
            _ => {}
        }
        self.program.values.evaluate(self.file, self.names, id);
        if is_copy(name) {
            match read(self.file, self.names, &self.program.values, id) {
                Ok(copy) => {
                    let index = function.copies.len();
                    function.copies.push(copy);
                    self.push(id, What::Copy(index), *at, into);
                }
                Err(fault) => self.program.faults.push(fault),
            }
        } else if is_tile_operation(name) {
            let facts = TileFacts {
                file: self.file,
                names: self.names,
                values: &self.program.values,
                resizes: self.resizes,
            };
            function.tiles.extend(read_tile_operation(facts, id));
        } else {
            let unfollowed = unfollowed_transfer(name).map(|reason| (id, reason));
            function.unfollowed.extend(unfollowed);
            if let Some(what) = self.what_operation_does(id) {
                self.push(id, what, *at, into);
            }
        }
        self.regions_of(function, id, *at, into);
    }

    /// The regions of an operation that is no control flow that we know.
    fn regions_of(
        &mut self,
        function: &mut Function,
        id: OperationId,
        at: At,
        into: &mut Vec<Step>,
    ) {
        let name = self.file.name(id);
        let runs_once = name.starts_with("pto.") || name == "scf.execute_region";
        for &region in &self.file.operation(id).regions {
            if runs_once {
                self.region(function, region, at, into);
                continue;
            }
            let mut body = Vec::new();
            let at = At {
                certain: false,
                loops: at.loops + 1,
            };
            self.region(function, region, at, &mut body);
            let perhaps = Step::Choice {
                operation: id,
                one: body,
                other: Vec::new(),
                is_followed: false,
            };
            self.lower_repeat(function, id, vec![perhaps], (None, false), at, into);
        }
    }

    fn lower_repeat(
        &self,
        function: &mut Function,
        id: OperationId,
        body: Vec<Step>,
        (trips, may_skip): (Option<u64>, bool),
        at: At,
        into: &mut Vec<Step>,
    ) {
        if at.loops > MOST_LOOPS {
            function.not_followed = Some("the function nests loops more than 8 deep");
            self.push(id, What::Forget, at, into);
            into.extend(body);
            self.push(id, What::Forget, at, into);
        } else {
            into.push(Step::Repeat {
                operation: id,
                body,
                trips,
                may_skip,
            });
        }
    }

    /// `scf.if`: of a constant one branch is taken, and the other is not looked at.
    fn lower_if(&mut self, function: &mut Function, id: OperationId, at: At, into: &mut Vec<Step>) {
        let regions = self.file.operation(id).regions.clone();
        let mut cursor = Cursor::new(self.file, id);
        cursor.eat(b'(');
        let condition = cursor.operand().map(|operand| self.given_operand(operand));
        match condition.and_then(|given| given.number()) {
            Some(number) => {
                let taken = regions.get(usize::from(number == 0)).copied();
                if let Some(taken) = taken {
                    self.region(function, taken, at, into);
                    let yielded = self.yielded(taken);
                    self.set_results(id, &yielded);
                }
            }
            None => {
                let at = At {
                    certain: false,
                    ..at
                };
                let mut branches = [Vec::new(), Vec::new()];
                let mut yielded = Vec::new();
                for (&region, branch) in regions.iter().zip(&mut branches) {
                    self.region(function, region, at, branch);
                    yielded.push(self.yielded(region));
                }
                if let [one, other] = &yielded[..]
                    && one == other
                {
                    self.set_results(id, one);
                }
                let [one, other] = branches;
                into.push(Step::Choice {
                    operation: id,
                    one,
                    other,
                    is_followed: true,
                });
            }
        }
    }

    /// What the last operation of a region yields.
    fn yielded(&self, region: RegionId) -> Vec<Option<Known>> {
        let last = self.file.region(region).operations.last().copied();
        let Some(last) = last.filter(|&last| self.file.name(last) == "scf.yield") else {
            return Vec::new();
        };
        let mut cursor = Cursor::new(self.file, last);
        let operands = cursor.operands().operands;
        operands
            .into_iter()
            .map(|operand| self.given_operand(operand).known)
            .collect()
    }

    fn set_results(&mut self, id: OperationId, yielded: &[Option<Known>]) {
        let results: Vec<_> = self.names.results(self.file, id).collect();
        for (result, known) in results.into_iter().zip(yielded) {
            if let Some(known) = known {
                self.program.values.set(result, known.always, known.first);
            }
        }
    }

    /// `scf.for`: its variable is the lower bound the first time; its other arguments are what they begin with.
    fn lower_for(
        &mut self,
        function: &mut Function,
        id: OperationId,
        at: At,
        into: &mut Vec<Step>,
    ) {
        let mut cursor = Cursor::new(self.file, id);
        // %i = %low to %high step %step iter_args(%a = %b, …)
        let mut given = Vec::new();
        let mut starts = Vec::new();
        let mut depth = 0_u32;
        loop {
            let token = cursor.peek();
            match token.kind {
                Kind::End | Kind::Mark(b':') | Kind::Arrow => break,
                Kind::Mark(b'(') => depth += 1,
                Kind::Mark(b'=') => {
                    cursor.next();
                    if let Some(operand) = cursor.operand() {
                        let value = self.given_operand(operand);
                        if depth == 0 {
                            given.push(value);
                        } else {
                            starts.push(value);
                        }
                    }
                    continue;
                }
                Kind::Value if !given.is_empty() && depth == 0 => {
                    if let Some(operand) = cursor.operand() {
                        given.push(self.given_operand(operand));
                        continue;
                    }
                }
                _ => {}
            }
            cursor.next();
        }
        let low = given.first().and_then(|low| low.known);
        let arguments: Vec<_> = self.names.arguments(id).collect();
        let firsts = std::iter::once(low).chain(starts.iter().map(|start| start.known));
        for (argument, first) in arguments.into_iter().zip(firsts) {
            let always = self.program.values.get(argument).map(|known| known.always);
            if let (Some(always), Some(first)) = (always, first) {
                self.program.values.set(argument, always, first.first);
            }
        }
        let trips = trips(&given);
        let Some(&region) = self.file.operation(id).regions.first() else {
            return;
        };
        if trips == Some(0) {
            return;
        }
        let mut body = Vec::new();
        let at = At {
            loops: at.loops + 1,
            ..at
        };
        self.region(function, region, at, &mut body);
        // Bounds that could not be read say nothing.
        let may_skip = trips.is_none() && given.len() == 3;
        self.lower_repeat(function, id, body, (trips, may_skip), at, into);
    }

    /// `scf.while`: its first region runs at least once, its second one after it or not.
    fn lower_while(
        &mut self,
        function: &mut Function,
        id: OperationId,
        at: At,
        into: &mut Vec<Step>,
    ) {
        let at = At {
            certain: false,
            loops: at.loops + 1,
        };
        let mut body = Vec::new();
        for (index, &region) in self.file.operation(id).regions.iter().enumerate() {
            let mut part = Vec::new();
            self.region(function, region, at, &mut part);
            if index == 0 {
                body.extend(part);
            } else {
                body.push(Step::Choice {
                    operation: id,
                    one: part,
                    other: Vec::new(),
                    is_followed: false,
                });
            }
        }
        self.lower_repeat(function, id, body, (None, false), at, into);
    }

    fn given_operand(&self, operand: super::super::syntax::Operand) -> Given {
        Given {
            operand,
            known: self.program.values.operand(self.names, operand),
        }
    }

    fn given_operands(&self, id: OperationId) -> Vec<Given> {
        let mut cursor = Cursor::new(self.file, id);
        cursor.eat(b'(');
        let operands = cursor.operands().operands;
        operands
            .into_iter()
            .map(|operand| self.given_operand(operand))
            .collect()
    }

    fn what_operation_does(&mut self, id: OperationId) -> Option<What> {
        let name = self.file.name(id);
        let Some(short) = name.strip_prefix("pto.") else {
            let calls = matches!(name, "func.call" | "call" | "func.call_indirect");
            return calls.then_some(What::Call);
        };
        if let Some(register) = self.register(id, short) {
            return register;
        }
        match short {
            "set_flag" => Some(flag(self.file, id).map_or(What::Orders, What::Set)),
            "wait_flag" => Some(flag(self.file, id).map_or(What::Orders, What::Wait)),
            "barrier" | "pipe_barrier" => {
                let pipe = first_name(self.file, id);
                Some(pipe.map_or(What::Orders, What::Barrier))
            }
            "call" => Some(What::Call),
            _ => match self.access(id, short) {
                Some(access) => Some(What::Access(access)),
                None => may_order_pipes(short).then_some(What::Orders),
            },
        }
    }

    /// An operation that sets a register: what it sets, or nothing where its operands are not two.
    fn register(&mut self, id: OperationId, short: &str) -> Option<Option<What>> {
        let direction = Direction::ALL
            .into_iter()
            .find(|direction| short.ends_with(direction.ending()));
        let head = direction.map_or(short, |direction| {
            short
                .trim_end_matches(direction.ending())
                .trim_end_matches('_')
        });
        let given = match (head, direction) {
            ("set_loop_size" | "set_loop1_stride" | "set_loop2_stride", Some(_))
            | ("set_mov_pad_val", None) => self.given_operands(id),
            _ => return None,
        };
        let wanted = if direction.is_some() { 2 } else { 1 };
        if given.len() != wanted && !self.file.operation(id).broken {
            let operation = self.file.operation(id);
            let place = match (given.first(), given.last()) {
                (Some(first), Some(last)) => first.place().span_to(last.place()),
                _ => operation.name,
            };
            let (operands, found) = (
                if wanted == 1 { "operand" } else { "operands" },
                given.len(),
            );
            self.program.faults.push(OperandFault {
                place,
                message: format!("`pto.{short}` has {wanted} {operands}, and {found} are given"),
            });
        }
        Some(match (head, direction, &given[..]) {
            ("set_loop_size", Some(direction), &[one, two]) => {
                Some(What::Size(direction, [one, two]))
            }
            ("set_loop1_stride", Some(direction), &[one, two]) => {
                Some(What::Stride(direction, 0, [one, two]))
            }
            ("set_loop2_stride", Some(direction), &[one, two]) => {
                Some(What::Stride(direction, 1, [one, two]))
            }
            ("set_mov_pad_val", None, &[value]) => Some(What::PadValue(value)),
            // What it sets is not known, but that it sets something.
            _ => Some(What::Forget),
        })
    }

    /// An access of the vector core in the form `%pointer[%offset]`.
    fn access(&self, id: OperationId, short: &str) -> Option<Access> {
        let writes = match short {
            "vlds" | "vldsx2" | "vsldb" | "plds" | "pldi" | "vldus" => false,
            "vsts" | "vstsx2" | "vsstb" | "psts" | "psti" => true,
            _ => return None,
        };
        let mut cursor = Cursor::new(self.file, id);
        loop {
            let token = cursor.peek();
            if token.kind == Kind::End || token.is_mark(b':') {
                return None;
            }
            let Some(operand) = cursor.operand() else {
                cursor.next();
                continue;
            };
            if !cursor.eat(b'[') {
                continue;
            }
            let pointer = self.given_operand(operand);
            let offset = cursor.operand().map(|offset| self.given_operand(offset));
            let of = pointer.known?.pointer?;
            // Which memory it is must be known; a bracket without an operand is no offset that we know.
            if of.memory != Some(Memory::Ub) {
                return None;
            }
            return Some(Access {
                writes,
                pointer,
                offset: Some(offset?),
                element: of.element.and_then(Element::bytes),
            });
        }
    }
}

/// Whether an operation of PTO may order pipes in a way that is not followed: buffers, dynamic flags, flags of other cores,
/// and what looks like one of them.
fn may_order_pipes(short: &str) -> bool {
    [
        "flag", "sync", "wait", "barrier", "_buf", "event", "fence", "mem_bar",
    ]
    .iter()
    .any(|word| short.contains(word))
        && !short.starts_with("copy_")
}

/// How often a loop runs, if its bounds are known.
fn trips(given: &[Given]) -> Option<u64> {
    let number = |index: usize| given.get(index)?.number();
    let (low, high, step) = (number(0)?, number(1)?, number(2)?);
    if step <= 0 {
        return None;
    }
    let distance = high.checked_sub(low)?;
    if distance <= 0 {
        return Some(0);
    }
    u64::try_from(distance)
        .ok()
        .map(|distance| distance.div_ceil(step.unsigned_abs()))
}

/// Where a function is named, for messages.
impl Function {
    /// From its operation's first token to its last.
    pub fn place(&self, file: &File) -> Place {
        match self.operation {
            Some(operation) => file.operation(operation).place,
            None => {
                let operations = &file.region(self.region).operations;
                let place = |id: Option<&OperationId>| id.map(|&id| file.operation(id).place);
                match (place(operations.first()), place(operations.last())) {
                    (Some(first), Some(last)) => first.span_to(last),
                    _ => Place::default(),
                }
            }
        }
    }
}

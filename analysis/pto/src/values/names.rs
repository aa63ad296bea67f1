//! Which definition each `%x` of a file means.
//!
//! A name is seen in its region behind its definition, and in the regions in that one. Where the order of the text is not that
//! of the run (blocks with labels, modules, operations of other dialects), a later definition of the region counts too.

use rustc_hash::FxHashMap;

use super::super::syntax::{Cursor, File, Kind, OperationId, Place, RegionId};

/// One value: an argument, or a result of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

/// A name's definition, by its number in the order of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefinitionId(pub u32);

/// Where a name is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The name with its `%`.
    pub place: Place,
    /// The region in which it is seen.
    pub region: RegionId,
    /// The first of its values.
    pub value: ValueId,
    /// How many values the name stands for.
    pub count: u32,
    /// The operation whose result or argument it is; none for arguments of labels.
    pub operation: Option<OperationId>,
    /// The type behind an argument's colon.
    pub written_type: Option<Place>,
}

/// A name that nothing defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// The number of its token.
    pub token: u32,
    /// The operation that uses it.
    pub operation: OperationId,
}

/// The definitions and uses of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// All definitions.
    pub definitions: Vec<Definition>,
    /// How many values there are.
    pub values: u32,
    /// The names that nothing defines, where the operation is one that defines none in a way that we do not know.
    pub unknown: Vec<Unknown>,
    /// The arguments that operations define for their regions, in the order of the operations.
    arguments: Vec<(OperationId, ValueId)>,
    /// The first value of each operation's results; `u32::MAX` where it has none.
    first_result: Vec<u32>,
    /// The definition of each value.
    definition_of: Vec<DefinitionId>,
    /// The value of each token that is a name, with the part behind it; `u32::MAX` where there is none.
    value_of: Vec<u32>,
}

const NONE: u32 = u32::MAX;
/// A name that stands for more values is taken as one.
const MOST_PARTS: u32 = 64;

impl Names {
    /// The names of a file.
    pub fn of(file: &File) -> Self {
        let mut reader = Reader {
            file,
            names: Self {
                value_of: vec![NONE; file.tokens.len()],
                first_result: vec![NONE; file.operations.len()],
                ..Self::default()
            },
            seen: FxHashMap::default(),
            shadowed: Vec::new(),
            scopes: scopes(file),
            anywhere: FxHashMap::default(),
            later: Vec::new(),
        };
        for operation in file.ids() {
            reader.operation(operation);
        }
        reader.resolve_later();
        reader.names
    }

    /// The value that a token means.
    pub fn value(&self, token: u32) -> Option<ValueId> {
        let value = self.value_of.get(token as usize).copied()?;
        (value != NONE).then_some(ValueId(value))
    }

    /// A definition.
    pub fn definition(&self, value: ValueId) -> Option<(DefinitionId, &Definition)> {
        let id = *self.definition_of.get(value.0 as usize)?;
        Some((id, self.definitions.get(id.0 as usize)?))
    }

    /// The values that an operation defines for its first region: arguments of a function, variables of a loop.
    pub fn arguments(&self, operation: OperationId) -> impl Iterator<Item = ValueId> {
        let first = self.arguments.partition_point(|(of, _)| *of < operation);
        let rest = self.arguments.get(first..).unwrap_or_default().iter();
        rest.take_while(move |(of, _)| *of == operation)
            .map(|&(_, value)| value)
    }

    /// The values that an operation's results are.
    pub fn results(&self, file: &File, operation: OperationId) -> impl Iterator<Item = ValueId> {
        let results = &file.operation(operation).results;
        let first = self.first_result.get(operation.0 as usize).copied();
        let first = first.filter(|&first| first != NONE);
        let count: u32 = results
            .iter()
            .map(|result| result.count.clamp(1, MOST_PARTS))
            .sum();
        first
            .into_iter()
            .flat_map(move |first| (first..first + count).map(ValueId))
    }
}

/// In which order the names of a region are defined.
#[derive(Debug, Clone, Copy)]
struct Scope {
    /// The innermost region around it, or itself, in which a definition may come after its uses: a module, blocks with
    /// labels, and what belongs to an operation of another dialect.
    unordered: RegionId,
    /// The region around that one.
    around: Option<RegionId>,
    /// Whether it belongs to an operation of another dialect, or is in such a region: it may define names in a way of its own.
    is_foreign: bool,
}

/// Regions around a use that are looked through for a definition behind it.
const MOST_SCOPES: u32 = 64;

/// The scopes of all regions; a region comes behind those that it is in.
fn scopes(file: &File) -> Vec<Scope> {
    let mut scopes: Vec<Scope> = Vec::with_capacity(file.regions.len());
    for (number, region) in (0..).zip(&file.regions) {
        let id = RegionId(number);
        let owner = region.owner;
        let around = owner.map(|owner| file.operation(owner).region);
        let above = around.and_then(|around| scopes.get(around.0 as usize).copied());
        let is_module = owner.is_none_or(|owner| file.is_module(owner));
        let is_other = !is_module && owner.is_some_and(|owner| !file.is_of_read_dialect(owner));
        scopes.push(match above {
            Some(above) if !is_module && !is_other && region.labels.is_empty() => above,
            above => Scope {
                unordered: id,
                around,
                is_foreign: is_other || above.is_some_and(|above| above.is_foreign),
            },
        });
    }
    scopes
}

struct Reader<'a> {
    file: &'a File,
    names: Names,
    /// The last definition of each name, those of regions that have ended removed when they are met.
    seen: FxHashMap<&'a str, DefinitionId>,
    /// For each definition the one of the same name before it.
    shadowed: Vec<Option<DefinitionId>>,
    /// Which order holds in each region.
    scopes: Vec<Scope>,
    /// Definitions in regions in which they may come after their uses.
    anywhere: FxHashMap<(&'a str, RegionId), DefinitionId>,
    /// Uses that nothing before them defines.
    later: Vec<(u32, OperationId)>,
}

impl<'a> Reader<'a> {
    fn operation(&mut self, id: OperationId) {
        let operation = self.file.operation(id);
        let region = operation.region;
        if self.file.region(region).operations.first() == Some(&id) {
            self.labels(region);
        }
        let inner = operation.regions.first().copied();
        let arguments = self.header(id, inner);
        let first = self.names.values;
        if let Some(place) = self.names.first_result.get_mut(id.0 as usize)
            && !operation.results.is_empty()
        {
            *place = first;
        }
        for result in &operation.results {
            self.push_definition(result.place, region, result.count, Some(id), None);
        }
        if let Some(inner) = inner {
            for (place, written_type) in arguments {
                let value = ValueId(self.names.values);
                self.names.arguments.push((id, value));
                self.push_definition(place, inner, 1, Some(id), written_type);
            }
        }
    }

    /// The arguments of a region's labels.
    fn labels(&mut self, region: RegionId) {
        for label in &self.file.region(region).labels {
            for token in label.arguments.clone() {
                let found = self.file.token(token);
                if found.kind == Kind::Value && self.file.token(token + 1).is_mark(b':') {
                    let written_type = self.type_behind(token + 1);
                    self.push_definition(found.place, region, 1, None, written_type);
                }
            }
        }
    }

    /// The type behind a colon, up to the comma or parenthesis that ends it.
    fn type_behind(&self, colon: u32) -> Option<Place> {
        let first = self.file.token(colon + 1);
        let mut last = None;
        let mut depth = 0_i32;
        for index in colon + 1.. {
            let token = self.file.token(index);
            match token.kind {
                Kind::Mark(b'<' | b'(' | b'[') => depth += 1,
                Kind::Mark(b'>' | b')' | b']') if depth > 0 => depth -= 1,
                Kind::Mark(b',' | b')' | b'{' | b'=') if depth == 0 => break,
                Kind::End | Kind::Split => break,
                _ => {}
            }
            last = Some(token.place);
        }
        Some(first.place.span_to(last?))
    }

    /// Reads the uses of an operation; the arguments that it defines for its first region.
    fn header(&mut self, id: OperationId, inner: Option<RegionId>) -> Vec<(Place, Option<Place>)> {
        let mut arguments = Vec::new();
        let is_function = self.file.name(id).ends_with(".func");
        let known =
            self.file.is_of_read_dialect(id) || matches!(self.file.dialect(id), "return" | "call");
        let mut cursor = Cursor::new(self.file, id);
        loop {
            let index = cursor.index();
            let token = cursor.next();
            if token.kind == Kind::End {
                return arguments;
            }
            if token.kind != Kind::Value {
                continue;
            }
            let behind = cursor.peek();
            let defines = inner.is_some() && (behind.is_mark(b'=') || self.is_in_variables(index));
            let is_argument = is_function && behind.is_mark(b':');
            if defines || is_argument {
                let written_type = is_argument.then(|| self.type_behind(index + 1)).flatten();
                arguments.push((token.place, written_type));
                continue;
            }
            if self
                .resolve_token(index, self.file.operation(id).region)
                .is_some()
            {
                continue;
            }
            if inner.is_some() && !known {
                arguments.push((token.place, None));
            } else if known {
                self.later.push((index, id));
            }
        }
    }

    /// Whether a token is in the variables of a loop: `(%i, %j) = …` or `(%i) in …`.
    fn is_in_variables(&self, index: u32) -> bool {
        let mut end = index + 1;
        while self.file.token(end).is_mark(b',') && self.file.token(end + 1).kind == Kind::Value {
            end += 2;
        }
        if !self.file.token(end).is_mark(b')') {
            return false;
        }
        let behind = self.file.token(end + 1);
        behind.is_mark(b'=')
            || (behind.kind == Kind::Word && self.file.text_at(behind.place) == "in")
    }

    fn push_definition(
        &mut self,
        place: Place,
        region: RegionId,
        count: u32,
        operation: Option<OperationId>,
        written_type: Option<Place>,
    ) {
        let count = count.clamp(1, MOST_PARTS);
        let id = DefinitionId(u32::try_from(self.names.definitions.len()).unwrap_or(NONE));
        self.names.definitions.push(Definition {
            place,
            region,
            value: ValueId(self.names.values),
            count,
            operation,
            written_type,
        });
        self.names.values += count;
        for _ in 0..count {
            self.names.definition_of.push(id);
        }
        let name = self.file.text_at(place);
        self.shadowed.push(self.seen.insert(name, id));
        let scope = self.scopes.get(region.0 as usize);
        if scope.is_some_and(|scope| scope.unordered == region) {
            self.anywhere.entry((name, region)).or_insert(id);
        }
    }

    fn resolve_token(&mut self, token: u32, region: RegionId) -> Option<ValueId> {
        let name = self.file.text_at(self.file.token(token).place);
        let last = self.seen.get_mut(name)?;
        loop {
            let definition = self.names.definitions.get(last.0 as usize)?;
            if self.file.is_within(region, definition.region) {
                let found = *last;
                return self.note_use(token, found);
            }
            // Names are met in the order of the text: a region that does not hold this one has ended.
            match self.shadowed.get(last.0 as usize).copied().flatten() {
                Some(before) => *last = before,
                None => {
                    self.seen.remove(name);
                    return None;
                }
            }
        }
    }

    fn note_use(&mut self, token: u32, definition: DefinitionId) -> Option<ValueId> {
        let found = self.names.definitions.get(definition.0 as usize)?;
        let part = self.file.token(token + 1);
        let part = if part.kind == Kind::Part {
            let digits = self.file.text_at(part.place).trim_start_matches('#');
            digits
                .parse()
                .ok()
                .filter(|&part: &u32| part < found.count)?
        } else {
            0
        };
        let value = found.value.0 + part;
        *self.names.value_of.get_mut(token as usize)? = value;
        Some(ValueId(value))
    }

    fn resolve_later(&mut self) {
        for (token, operation) in std::mem::take(&mut self.later) {
            let name = self.file.text_at(self.file.token(token).place);
            match self.defined_behind(name, self.file.operation(operation).region) {
                Behind::Here(found) => {
                    let _ = self.note_use(token, found);
                }
                Behind::Nowhere => self.names.unknown.push(Unknown { token, operation }),
                Behind::Perhaps => {}
            }
        }
        self.names.unknown.sort_by_key(|unknown| unknown.token);
    }

    /// Where a name that nothing before its use defines is defined.
    fn defined_behind(&self, name: &'a str, region: RegionId) -> Behind {
        let mut region = Some(region);
        let mut is_foreign = false;
        for _ in 0..MOST_SCOPES {
            let Some(scope) = region.and_then(|id| self.scopes.get(id.0 as usize)) else {
                return if is_foreign {
                    Behind::Perhaps
                } else {
                    Behind::Nowhere
                };
            };
            is_foreign |= scope.is_foreign;
            if let Some(&found) = self.anywhere.get(&(name, scope.unordered)) {
                return Behind::Here(found);
            }
            region = scope.around;
        }
        Behind::Perhaps
    }
}

/// Where a name that nothing before its use defines is defined.
enum Behind {
    Here(DefinitionId),
    Nowhere,
    /// In a way that is not read here.
    Perhaps,
}

//! The names of a function with their values, and what they were before a way that is taken back.
//!
//! A branch or a loop writes into the one table and takes back what it wrote, so that it costs what it writes and not what there is.
//! Names whose value is a list, fields, and names by the symbols in their value are found without looking at all names. Knows nothing
//! of statements.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Elements, Value};
use crate::symbols::{Atom, Size};
use crate::types::Reason;

/// Names with what they are; `None` for one that is not bound.
pub type Changes = FxHashMap<Arc<str>, Option<Value>>;

/// So few names are looked at one by one.
const FEW: usize = 32;

/// Names with their values.
#[derive(Debug, Default)]
pub struct Bindings {
    values: FxHashMap<Arc<str>, Value>,
    /// Names that were given a list; some may be something else by now.
    lists: FxHashSet<Arc<str>>,
    /// Names that were given a list of tensors; some may be something else by now.
    tensors: FxHashSet<Arc<str>>,
    /// Paths of fields that were assigned to, by the name before their first dot; some may be gone by now.
    fields: FxHashMap<Arc<str>, Vec<Arc<str>>>,
    /// Names by the numbers of the symbols that their values had; those of `unsorted` are missing.
    by_symbol: FxHashMap<u32, Vec<Arc<str>>>,
    /// Names that were given a value with symbols since symbols were asked for.
    unsorted: Vec<Arc<str>>,
    /// What names were before they were written, since the outermost way began.
    written: Vec<(Arc<str>, Option<Value>)>,
    /// How much was written when each open way began.
    ways: Vec<usize>,
}

/// A copy has no open way: those are taken back where they began.
impl Clone for Bindings {
    fn clone(&self) -> Self {
        Self {
            values: self.values.clone(),
            lists: self.lists.clone(),
            tensors: self.tensors.clone(),
            fields: self.fields.clone(),
            by_symbol: self.by_symbol.clone(),
            unsorted: self.unsorted.clone(),
            written: Vec::new(),
            ways: Vec::new(),
        }
    }
}

/// The same names with the same values, however they came to be.
impl PartialEq for Bindings {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl Bindings {
    /// The value of a name or a dotted path.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// All names with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &Value)> {
        self.values.iter()
    }

    /// Whether a field may have been assigned to.
    pub fn has_fields(&self) -> bool {
        !self.fields.is_empty()
    }

    /// Binds a name. Fields that were assigned to what it was are forgotten.
    pub fn set(&mut self, name: &str, value: Value) {
        if !self.fields.is_empty()
            && let Some(paths) = self.fields.remove(name)
        {
            for path in paths {
                self.remove(&path);
            }
        }
        let name = match self.values.get_key_value(name) {
            Some((known, _)) => Arc::clone(known),
            None => Arc::from(name),
        };
        self.put_name(name, Some(value));
    }

    /// Unbinds a name.
    pub fn remove(&mut self, name: &str) {
        if let Some((name, _)) = self.values.get_key_value(name) {
            let name = Arc::clone(name);
            self.put_name(name, None);
        }
    }

    /// Gives a name a value, or none, and leaves all other names as they are.
    pub fn put_name(&mut self, name: Arc<str>, value: Option<Value>) {
        let before = self.replace_value(&name, value);
        if !self.ways.is_empty() {
            self.written.push((name, before));
        }
    }

    fn replace_value(&mut self, name: &Arc<str>, value: Option<Value>) -> Option<Value> {
        let Some(value) = value else {
            return self.values.remove(name);
        };
        match &value {
            Value::List(_) => {
                self.lists.insert(Arc::clone(name));
            }
            Value::Tensors(_) => {
                self.tensors.insert(Arc::clone(name));
            }
            Value::Int(_)
            | Value::Partition(_)
            | Value::Argument(_)
            | Value::Tuple(_)
            | Value::Tensor(_) => self.unsorted.push(Arc::clone(name)),
            _ => {}
        }
        match self.values.get_mut(name) {
            Some(known) => Some(std::mem::replace(known, value)),
            None => {
                if let Some((root, _)) = name.split_once('.') {
                    let paths = self.fields.entry(Arc::from(root)).or_default();
                    paths.push(Arc::clone(name));
                }
                self.values.insert(Arc::clone(name), value);
                None
            }
        }
    }

    /// Begins a way that is taken back.
    pub fn begin_way(&mut self) {
        self.ways.push(self.written.len());
    }

    /// Ends the innermost way: all names are again what they were when it began. What the names that it wrote were at its end.
    pub fn take_back(&mut self) -> Changes {
        let mut changes = Changes::default();
        let begin = self.ways.pop().unwrap_or_default();
        while self.written.len() > begin
            && let Some((name, before)) = self.written.pop()
        {
            let now = self.replace_value(&name, before);
            // The last writing comes first.
            changes.entry(name).or_insert(now);
        }
        changes
    }

    /// Takes names out for good, and gives them to another.
    pub fn take_out(
        &mut self,
        is_taken: impl Fn(&str, &Value) -> bool,
        mut take: impl FnMut(Arc<str>, Value),
    ) {
        for (name, value) in std::mem::take(&mut self.values) {
            if is_taken(&name, &value) {
                take(name, value);
            } else {
                self.values.insert(name, value);
            }
        }
    }

    /// Changes values where a function gives another one.
    pub fn change_values(&mut self, changed: impl Fn(&Value) -> Option<Value>) {
        let all: Vec<(Arc<str>, Value)> = self
            .values
            .iter()
            .filter_map(|(name, value)| Some((Arc::clone(name), changed(value)?)))
            .collect();
        for (name, value) in all {
            self.put_name(name, Some(value));
        }
    }

    /// Whether some name may be a list.
    pub fn may_have_lists(&self) -> bool {
        !self.lists.is_empty() || !self.tensors.is_empty()
    }

    /// Forgets all lists but those of tensors.
    pub fn forget_lists(&mut self) {
        for name in std::mem::take(&mut self.lists) {
            if matches!(self.get(&name), Some(Value::List(_))) {
                self.put_name(name, Some(Value::Unknown(Reason::Expression)));
            }
        }
    }

    /// Forgets all lists of tensors.
    pub fn forget_tensors(&mut self) {
        for name in std::mem::take(&mut self.tensors) {
            if matches!(self.get(&name), Some(Value::Tensors(_))) {
                self.put_name(name, Some(Value::Unknown(Reason::Expression)));
            }
        }
    }

    /// Forgets what a loop appends to a list of tensors. One without elements that it does nothing with but append, at one place,
    /// holds what is appended there.
    pub fn appended(&mut self, name: &str, times: u32) {
        let Some((known, value)) = self.values.get_key_value(name) else {
            return;
        };
        let value = match value {
            Value::Tensors(Elements::None | Elements::Appended) if times == 1 => {
                Value::Tensors(Elements::Appended)
            }
            Value::Tensors(_) if times > 0 => Value::Unknown(Reason::Expression),
            _ => return,
        };
        self.put_name(Arc::clone(known), Some(value));
    }

    /// A symbol turned out to be something else: `changed` gives what a value with it is then.
    pub fn replace_symbol(&mut self, atom: &Atom, changed: impl Fn(&Value) -> Option<Value>) {
        if self.values.len() <= FEW {
            self.change_values(changed);
            return;
        }
        for name in std::mem::take(&mut self.unsorted) {
            let Some(value) = self.values.get(&name) else {
                continue;
            };
            let by_symbol = &mut self.by_symbol;
            visit_symbols(value, &mut |number| {
                let names = by_symbol.entry(number).or_default();
                if names.last() != Some(&name) {
                    names.push(Arc::clone(&name));
                }
            });
        }
        let mut first = None;
        atom.numbers(&mut |number| {
            first.get_or_insert(number);
        });
        // All that has the atom has its symbols.
        let Some(names) = first.and_then(|number| self.by_symbol.remove(&number)) else {
            return;
        };
        for name in names {
            match self.values.get(&name).map(&changed) {
                Some(Some(value)) => self.put_name(name, Some(value)),
                Some(None) => self.unsorted.push(name),
                None => {}
            }
        }
    }
}

/// The numbers of the symbols in a value, as far as they are replaced.
fn visit_symbols(value: &Value, found: &mut dyn FnMut(u32)) {
    let all = |sizes: &[Size], found: &mut dyn FnMut(u32)| {
        for size in sizes {
            size.numbers(found);
        }
    };
    match value {
        Value::Int(size) | Value::Partition(size) => size.numbers(found),
        Value::Argument(argument) => found(argument.number),
        Value::Tuple(elements) => {
            for element in elements.iter() {
                visit_symbols(element, found);
            }
        }
        Value::Tensor(tensor) => {
            all(tensor.shape.known_extents().unwrap_or_default(), found);
            all(tensor.steps.as_deref().unwrap_or_default(), found);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::symbols::Kind;

    fn number(value: i64) -> Value {
        Value::Int(Size::number(value))
    }

    fn symbol(number: u32) -> Value {
        Value::Int(Size::named("i", number, Kind::Loop))
    }

    fn all(bindings: &Bindings) -> Vec<(String, Value)> {
        let mut all: Vec<(String, Value)> = bindings
            .iter()
            .map(|(name, value)| (name.to_string(), value.clone()))
            .collect();
        all.sort_by(|one, other| one.0.cmp(&other.0));
        all
    }

    #[test]
    fn a_way_gives_what_it_wrote_and_leaves_nothing() {
        let mut bindings = Bindings::default();
        for (name, value) in [("a", 1), ("b", 2), ("c.x", 3), ("d", 4)] {
            bindings.set(name, number(value));
        }
        let before = all(&bindings);
        bindings.begin_way();
        bindings.set("a", number(5));
        bindings.set("a", number(6));
        bindings.begin_way();
        bindings.set("a", number(7));
        bindings.set("e", number(8));
        // A name that is bound again has no fields.
        bindings.set("c", number(9));
        assert_eq!(bindings.get("c.x"), None);
        let inner = bindings.take_back();
        assert_eq!(bindings.get("a"), Some(&number(6)));
        assert_eq!(bindings.get("c.x"), Some(&number(3)));
        assert_eq!(inner.len(), 4);
        assert_eq!(inner.get("c.x"), Some(&None));
        assert_eq!(inner.get("a"), Some(&Some(number(7))));
        bindings.remove("b");
        let outer = bindings.take_back();
        assert_eq!(outer.len(), 2);
        assert_eq!(outer.get("a"), Some(&Some(number(6))));
        assert_eq!(outer.get("b"), Some(&None));
        assert_eq!(all(&bindings), before);
        // Fields that came back are forgotten with their name.
        bindings.set("c", number(1));
        assert_eq!(bindings.get("c.x"), None);
    }

    #[test]
    fn lists_that_came_back_are_forgotten_again() {
        let list = || Value::List(Arc::new([]));
        let mut bindings = Bindings::default();
        bindings.set("l", list());
        bindings.set("t", Value::Tensors(Elements::None));
        for _ in 0..2 {
            bindings.begin_way();
            bindings.forget_lists();
            assert_eq!(bindings.get("l"), Some(&Value::Unknown(Reason::Expression)));
            assert_eq!(bindings.get("t"), Some(&Value::Tensors(Elements::None)));
            bindings.forget_tensors();
            assert_eq!(bindings.get("t"), Some(&Value::Unknown(Reason::Expression)));
            assert_eq!(bindings.take_back().len(), 2);
            assert_eq!(bindings.get("l"), Some(&list()));
        }
    }

    #[test]
    fn a_symbol_is_looked_for_in_names_that_had_it() {
        let mut bindings = Bindings::default();
        for name in 0..2 * FEW as u32 {
            bindings.set(&format!("other{name}"), symbol(1_000 + name));
        }
        bindings.set("a", symbol(7));
        bindings.begin_way();
        bindings.set("a", number(3));
        let asked = Cell::new(0);
        let to_five = |value: &Value| {
            asked.set(asked.get() + 1);
            (*value == symbol(7)).then(|| number(5))
        };
        let atom = |number: u32| Atom::Name {
            text: Arc::from("i"),
            number,
            kind: Kind::Loop,
        };
        bindings.replace_symbol(&atom(7), to_five);
        assert_eq!(bindings.get("a"), Some(&number(3)));
        bindings.take_back();
        bindings.replace_symbol(&atom(7), to_five);
        assert_eq!(bindings.get("a"), Some(&number(5)));
        assert_eq!(asked.get(), 1);
        // One that is asked for and stays is found the next time.
        bindings.replace_symbol(&atom(1_000), |_| None);
        bindings.replace_symbol(&atom(1_000), |_| Some(number(1)));
        assert_eq!(bindings.get("other0"), Some(&number(1)));
    }
}

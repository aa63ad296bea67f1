//! The variables in scope, found by name however many there are.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::values::Value;

/// Variables in scope, innermost last.
#[derive(Debug, Clone, Default)]
pub(super) struct Variables {
    values: Vec<(Rc<str>, Value)>,
    /// Where the variables of a name stand, innermost last.
    places: FxHashMap<Rc<str>, Vec<usize>>,
}

impl Variables {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Ends the scope of all but the first ones.
    pub(super) fn truncate(&mut self, length: usize) {
        while self.values.len() > length {
            if let Some((name, _)) = self.values.pop()
                && let Some(places) = self.places.get_mut(&name)
            {
                places.pop();
            }
        }
    }

    /// Binds a name; an older variable of the name is hidden until the new one's scope ends.
    pub(super) fn push(&mut self, name: &str, value: Value) {
        let name: Rc<str> = Rc::from(name);
        let place = self.values.len();
        let places = self.places.entry(Rc::clone(&name)).or_default();
        places.push(place);
        self.values.push((name, value));
    }

    /// The value of a name.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        let place = *self.places.get(name)?.last()?;
        self.values.get(place).map(|(_, value)| value)
    }

    /// The value of a name, to change it.
    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        let place = *self.places.get(name)?.last()?;
        self.values.get_mut(place).map(|(_, value)| value)
    }

    /// The same variables with each value merged with that of the other ones.
    pub(super) fn merged(
        mut self,
        other: Self,
        mut merge: impl FnMut(Value, Value) -> Value,
    ) -> Self {
        self.truncate(other.len());
        for ((_, first), (_, second)) in self.values.iter_mut().zip(other.values) {
            let value = std::mem::replace(first, Value::Unknown);
            *first = merge(value, second);
        }
        self
    }
}

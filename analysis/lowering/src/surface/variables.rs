//! The variables in scope, found by name however many there are.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{Elaborate, Value};

/// Variables in scope, innermost last.
#[derive(Debug, Clone)]
pub(crate) struct Variables<L: Elaborate> {
    values: Vec<(Rc<str>, Value<L>)>,
    /// Where the variables of a name are, innermost last.
    places: FxHashMap<Rc<str>, Vec<usize>>,
}

impl<L: Elaborate> Default for Variables<L> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            places: FxHashMap::default(),
        }
    }
}

impl<L: Elaborate> Variables<L> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Ends the scope of all but the first ones.
    pub(crate) fn truncate(&mut self, length: usize) {
        while self.values.len() > length {
            if let Some((name, _)) = self.values.pop()
                && let Some(places) = self.places.get_mut(&name)
            {
                places.pop();
            }
        }
    }

    /// Binds a name; an older variable of the name is hidden until the new one's scope ends.
    pub(crate) fn push(&mut self, name: &str, value: Value<L>) {
        let name: Rc<str> = Rc::from(name);
        let place = self.values.len();
        let places = self.places.entry(Rc::clone(&name)).or_default();
        places.push(place);
        self.values.push((name, value));
    }

    /// The value of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&Value<L>> {
        let place = *self.places.get(name)?.last()?;
        self.values.get(place).map(|(_, value)| value)
    }

    /// The value of a name, to change it.
    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Value<L>> {
        let place = *self.places.get(name)?.last()?;
        self.values.get_mut(place).map(|(_, value)| value)
    }

    /// The same variables with each value merged with that of the other ones.
    pub(crate) fn merged_with(
        mut self,
        other: Self,
        mut merge: impl FnMut(Value<L>, Value<L>) -> Value<L>,
    ) -> Self {
        self.truncate(other.len());
        for ((_, first), (_, second)) in self.values.iter_mut().zip(other.values) {
            let value = std::mem::replace(first, Value::Unknown);
            *first = merge(value, second);
        }
        self
    }
}

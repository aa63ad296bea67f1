//! The order in which functions are followed: first those that no function behind them calls by name.
//!
//! Knows the names that a function mentions, and nothing of what it passes. Takes time by the names that are mentioned, not by the
//! pairs of functions.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, Stmt, StmtFunctionDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// Functions by their number, in the order in which they are written, and which of them wait to be followed.
#[derive(Default)]
pub struct Waiting<'a> {
    functions: Vec<Function<'a>>,
    /// The functions of a name.
    named: FxHashMap<&'a str, Vec<usize>>,
    /// How many waiting functions mention a name.
    callers: FxHashMap<&'a str, usize>,
    /// The waiting functions.
    waiting: BTreeSet<usize>,
    /// Those of them that no other waiting function mentions.
    uncalled: BTreeSet<usize>,
}

struct Function<'a> {
    name: &'a str,
    mentioned: FxHashSet<&'a str>,
}

impl<'a> Waiting<'a> {
    /// How many functions were added.
    pub const fn len(&self) -> usize {
        self.functions.len()
    }

    /// Adds the function of the next number.
    pub fn add(&mut self, definition: &'a StmtFunctionDef) {
        self.add_named(definition.name.as_str(), mentioned_names(&definition.body));
    }

    /// Adds the function of the next number by its name and the names that it reads.
    pub fn add_named(&mut self, name: &'a str, mentioned: FxHashSet<&'a str>) {
        let place = self.functions.len();
        self.named.entry(name).or_default().push(place);
        self.waiting.insert(place);
        for mentioned in &mentioned {
            let callers = self.callers.entry(mentioned).or_insert(0);
            *callers += 1;
            // From the third mention on, the functions of that name are called already.
            if *callers <= 2 {
                for other in self.named.get(mentioned).into_iter().flatten() {
                    // One mention may be its own; of two, one is another function's.
                    if *callers == 2 || *other != place {
                        self.uncalled.remove(other);
                    }
                }
            }
        }
        self.functions.push(Function { name, mentioned });
        if !self.is_called(place) {
            self.uncalled.insert(place);
        }
    }

    /// Takes the first function that no other waiting one mentions, or the first one if each is mentioned; whether it is.
    pub fn next(&mut self) -> Option<(usize, bool)> {
        let uncalled = self.uncalled.first().copied();
        let place = uncalled.or_else(|| self.waiting.first().copied())?;
        self.waiting.remove(&place);
        self.uncalled.remove(&place);
        let mentioned = std::mem::take(&mut self.functions.get_mut(place)?.mentioned);
        for name in mentioned {
            let Some(callers) = self.callers.get_mut(name) else {
                continue;
            };
            *callers -= 1;
            if *callers > 1 {
                continue;
            }
            for other in self.named.get(name).into_iter().flatten() {
                if self.waiting.contains(other) && !self.is_called(*other) {
                    self.uncalled.insert(*other);
                }
            }
        }
        Some((place, uncalled.is_none()))
    }

    /// Whether a waiting function other than itself mentions a waiting function.
    fn is_called(&self, place: usize) -> bool {
        let Some(function) = self.functions.get(place) else {
            return false;
        };
        let callers = self.callers.get(function.name).copied().unwrap_or(0);
        callers > usize::from(function.mentioned.contains(function.name))
    }
}

/// The names that statements read.
pub fn mentioned_names(body: &[Stmt]) -> FxHashSet<&str> {
    let mut mentioned = Mentioned::default();
    for statement in body {
        mentioned.visit_stmt(statement);
    }
    mentioned.names
}

/// Names that a function reads.
#[derive(Default)]
struct Mentioned<'a> {
    names: FxHashSet<&'a str>,
}

impl<'a> Visitor<'a> for Mentioned<'a> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Name(name) = expression {
            self.names.insert(name.id.as_str());
        }
        walk_expr(self, expression);
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use rand::{Rng as _, SeedableRng as _};
    use ruff_python_parser::parse_module;

    use super::*;

    /// The order by asking each waiting function about every other one.
    fn by_pairs(names: &[usize], mentions: &[Vec<usize>]) -> Vec<(usize, bool)> {
        let mut waiting: Vec<usize> = (0..names.len()).collect();
        let mut order = Vec::new();
        while let Some(first) = waiting.first().copied() {
            let is_called = |place: usize| {
                waiting
                    .iter()
                    .any(|other| *other != place && mentions[*other].contains(&names[place]))
            };
            let free = waiting.iter().copied().find(|place| !is_called(*place));
            let next = free.unwrap_or(first);
            order.push((next, free.is_none()));
            waiting.retain(|place| *place != next);
        }
        order
    }

    #[test]
    fn the_order_is_that_of_asking_every_pair() {
        let mut random = rand::rngs::StdRng::seed_from_u64(17);
        for _ in 0..2_000 {
            let count = random.random_range(1..8);
            // Some functions share a name.
            let names: Vec<usize> = (0..count).map(|_| random.random_range(0..6)).collect();
            let mentions: Vec<Vec<usize>> = (0..count)
                .map(|_| {
                    (0..random.random_range(0..3))
                        .map(|_| random.random_range(0..6))
                        .collect()
                })
                .collect();
            let mut text = String::new();
            for (name, mentions) in names.iter().zip(&mentions) {
                writeln!(text, "def f{name}():\n    pass").unwrap();
                for mention in mentions {
                    writeln!(text, "    f{mention}()").unwrap();
                }
            }
            let parsed = parse_module(&text).unwrap();
            let mut waiting = Waiting::default();
            for statement in &parsed.syntax().body {
                if let Stmt::FunctionDef(definition) = statement {
                    waiting.add(definition);
                }
            }
            let order: Vec<_> = std::iter::from_fn(|| waiting.next()).collect();
            assert_eq!(order, by_pairs(&names, &mentions), "{text}");
        }
    }
}

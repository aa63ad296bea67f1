//! The page of a tensor where the compiler chooses addresses: how long it is needed, and what is in its memory meanwhile.

use crate::check::{body, function_derivation, function_simulation};
use crate::cost::rows::Names;
use crate::db::Db;
use crate::derivation::BodyDerivation;
use crate::derivation::conventions::Conventions;
use crate::derivation::memory::Lifetime;
use crate::items::ItemId;
use crate::kernel::{Body, TensorId};
use crate::numbers::thousands;
use crate::simulation::BodySimulation;

use super::super::operations::bodies_with;
use super::address::{
    KERNELS, MemoryPages, allocation_of, is_together, lives_from, moments, place_of,
};
use super::page::{Page, code, counted, line_of, markdown_table};
use super::uses::memory_name;

/// Tensors of the same time that are shown.
const NEIGHBOURS: usize = 8;

/// The page of a tensor by the name that a `let` or a parameter gives it, at the name's place; `None` where addresses are written,
/// and for names of anything else.
pub(super) fn lifetime_page(db: &dyn Db, item: ItemId, offset: u32, name: &str) -> Option<String> {
    let mut pages: Vec<String> = Vec::new();
    for function in bodies_with(db, item, offset).into_iter().take(KERNELS) {
        let body = body(db, function);
        if Conventions::of(body.dialect).is_addressed() {
            continue;
        }
        // What is made behind the name is what it is bound to; a parameter is in front of all.
        let named = body
            .tensors
            .iter()
            .filter(|tensor| tensor.name.as_deref() == Some(name) && tensor.span.item == item);
        let at_name = named
            .clone()
            .find(|tensor| tensor.span.start <= offset && offset < tensor.span.end);
        let behind = named
            .filter(|tensor| tensor.span.start >= offset)
            .min_by_key(|tensor| tensor.span.start);
        let Some(tensor) = at_name.or(behind) else {
            continue;
        };
        let derivation = function_derivation(db, function);
        let simulation = function_simulation(db, function);
        let lives = MemoryPages {
            db,
            body: &body,
            names: Names::of(&body, &derivation),
            derivation: &derivation,
            simulation: &simulation,
            reader: item,
        };
        pages.extend(lives.life_page(body.root(tensor.id)));
    }
    (!pages.is_empty()).then(|| pages.join("\n\n---\n\n"))
}

/// When a tensor is needed, in words; `None` where addresses are written, and for what has no life of its own.
pub(super) fn life_of(
    body: &Body,
    derivation: &BodyDerivation,
    simulation: &BodySimulation,
    tensor: TensorId,
) -> Option<String> {
    if Conventions::of(body.dialect).is_addressed() {
        return None;
    }
    let number = allocation_of(body, derivation, tensor)?;
    let lifetime = derivation.memory.lifetimes.get(number)?;
    Some(lives_from(simulation, number, lifetime))
}

impl MemoryPages<'_> {
    fn life_page(&self, root: TensorId) -> Option<String> {
        let number = allocation_of(self.body, self.derivation, root)?;
        let lifetime = self.derivation.memory.lifetimes.get(number)?;
        let mut headline = format!(
            "**{}** in {}",
            code(&self.names.tensor(root)),
            memory_name(lifetime.tier)
        );
        if let Some(size) = place_of(self.body, self.derivation, root) {
            headline.push_str(&format!(": {size}"));
        }
        let mut page = Page::headed(headline);
        page.add(format!(
            "In {}, {}.",
            code(&self.body.name),
            lives_from(self.simulation, number, lifetime)
        ));
        let together: Vec<(usize, &Lifetime)> =
            self.concurrent_lifetimes(number, lifetime).collect();
        if together.len() > 1 {
            page.add(self.lifetime_table(number, &together));
        }
        page.add(self.fullest(number, lifetime, &together));
        Some(page.into_markdown())
    }

    /// The tensors of the same memory that are needed at some moment of a life, that life among them.
    fn concurrent_lifetimes<'a>(
        &'a self,
        own: usize,
        lifetime: &'a Lifetime,
    ) -> impl Iterator<Item = (usize, &'a Lifetime)> + 'a {
        let lifetimes = self.derivation.memory.lifetimes.iter().enumerate();
        lifetimes.filter(move |(number, other)| {
            let meets = || is_together(self.derivation, self.simulation, own, *number);
            other.tier == lifetime.tier && (*number == own || meets())
        })
    }

    fn lifetime_table(&self, own: usize, together: &[(usize, &Lifetime)]) -> String {
        let file = self.reader.file(self.db);
        let mut rows: Vec<Vec<String>> = together
            .iter()
            .take(NEIGHBOURS)
            .map(|(number, lifetime)| {
                let name = code(&self.names.tensor(lifetime.tensor));
                let tensor = self.body.tensor(lifetime.tensor);
                vec![
                    if *number == own {
                        format!("**{name}**")
                    } else {
                        name
                    },
                    tensor.map_or_else(String::new, |tensor| line_of(self.db, tensor.span, file)),
                    lives_from(self.simulation, *number, lifetime),
                    lifetime.bytes.map_or_else(|| "?".to_owned(), thousands),
                ]
            })
            .collect();
        let more = together.len().saturating_sub(NEIGHBOURS);
        if more > 0 {
            rows.push(vec![
                format!("and {more} more"),
                String::new(),
                String::new(),
                String::new(),
            ]);
        }
        markdown_table(&["tensor", "made", "life", "bytes"], 3, &rows)
    }

    /// The most that is needed at one moment of a life, against what the memory has.
    fn fullest(
        &self,
        own: usize,
        lifetime: &Lifetime,
        together: &[(usize, &Lifetime)],
    ) -> Option<String> {
        let capacity = self.simulation.memory.capacity(lifetime.tier)?;
        let moments_of = |number| moments(self.derivation, self.simulation, number);
        let (from, to) = moments_of(own)?;
        let spans: Vec<(u64, u64, u64)> = together
            .iter()
            .map(|(number, other)| {
                let (start, end) = moments_of(*number)?;
                Some((start, end, other.bytes?))
            })
            .collect::<Option<_>>()?;
        // The sum only grows where a life begins.
        let moments = spans.iter().map(|(start, ..)| (*start).max(from));
        let moments = moments.filter(|moment| *moment < to);
        let sums = moments.map(|moment| {
            let alive = spans
                .iter()
                .filter(|(start, end, _)| *start <= moment && moment < *end);
            alive.fold(0_u64, |sum, (.., bytes)| sum.saturating_add(*bytes))
        });
        let most = sums.max()?;
        Some(format!(
            "At the fullest moment of its life {} of {} are needed.",
            counted(most, "byte"),
            thousands(capacity)
        ))
    }
}

//! What became of a method over the releases of its library: since when it is there, how it was called before, and where its
//! generics or arguments are others.
//!
//! Read from the table of methods alone: two rows are of one thing where they do the same to the same kind of receiver.

use crate::Tier;
use crate::libraries::Library;

use super::{Action, Dialect, Method, PlanStep, Receiver, Releases, library_table};

/// A method over the releases of its library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// The releases that have a method of the name on the receiver.
    pub releases: Releases,
    /// What did the same before under other names, the oldest first.
    pub before: Vec<(&'static str, Releases)>,
    /// What does the same after it is gone, under other names, the oldest first.
    pub after: Vec<(&'static str, Releases)>,
    /// The same name with other generics or arguments, the oldest first.
    pub variants: Vec<Variant>,
    /// What the other library calls it, where that is another name.
    pub elsewhere: Option<(Library, &'static str)>,
}

/// A method under its name with other generics or arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// The releases that write it so.
    pub releases: Releases,
    /// Its row.
    pub method: &'static Method,
}

/// What a method does, as far as it tells what replaces what.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    Does(Receiver, Action),
    /// Between chips or clusters, by whichever receiver.
    Collective(Action),
}

fn method_work(method: &Method) -> Work {
    let plain = match method.action {
        Action::Plan(PlanStep::Shuffle(level)) => Action::Shuffle(level),
        Action::Plan(PlanStep::Gather) => Action::Gather,
        Action::Plan(PlanStep::Scatter) => Action::Scatter,
        action => action,
    };
    match plain {
        Action::Shuffle(_) if of_hbm(method) => Work::Does(method.receiver, plain),
        Action::Shuffle(_) | Action::Gather | Action::Scatter | Action::ParallelCopy(_) => {
            Work::Collective(plain)
        }
        // A method of a tensor and of its views is one.
        _ => match method.receiver {
            Receiver::Tensor(tier, _) => Work::Does(Receiver::Tensor(tier, &[]), plain),
            receiver => Work::Does(receiver, plain),
        },
    }
}

fn of_hbm(method: &Method) -> bool {
    matches!(method.receiver, Receiver::Tensor(Tier::Hbm, _))
}

/// Releases from the first of two to the last; the rows of one method follow one another.
fn joined_releases(one: Releases, other: Releases) -> Releases {
    Releases {
        since: one.since.min(other.since),
        until: match (one.until, other.until) {
            (Some(one), Some(other)) => Some(one.max(other)),
            _ => None,
        },
    }
}

impl Dialect {
    /// The history of a method; `None` for what no release has, and for a library of which one release is known.
    pub fn history(&self, method: &Method) -> Option<History> {
        method.releases?;
        if self.editions.len() < 2 {
            return None;
        }
        let own = method_work(method);
        let rows = self.methods.iter().copied().flatten();
        let alike: Vec<(&'static Method, Releases)> = rows
            .filter(|row| method_work(row) == own)
            .filter_map(|row| Some((row, row.releases?)))
            .collect();
        let named = alike.iter().filter(|(row, _)| row.name == method.name);
        let releases = named
            .clone()
            .map(|(_, releases)| *releases)
            .reduce(joined_releases)?;
        let mut others: Vec<(&'static str, Releases)> = Vec::new();
        for (row, releases) in alike.iter().filter(|(row, _)| row.name != method.name) {
            match others.iter_mut().find(|(name, _)| *name == row.name) {
                Some((_, known)) => *known = joined_releases(*known, *releases),
                None => others.push((row.name, *releases)),
            }
        }
        others.sort_by_key(|(name, releases)| (releases.since, *name));
        let is_before = |found: &Releases| found.until.is_some_and(|until| until < releases.since);
        let is_after = |found: &Releases| releases.until.is_some_and(|until| until < found.since);
        let mut variants: Vec<Variant> = named
            .filter(|(row, found)| {
                !found.contain(self.release)
                    && (row.generics != method.generics || row.arguments != method.arguments)
            })
            .map(|(row, releases)| Variant {
                releases: *releases,
                method: row,
            })
            .collect();
        variants.sort_by_key(|variant| variant.releases.since);
        variants.dedup_by_key(|variant| variant.releases.since);
        Some(History {
            releases,
            before: others
                .iter()
                .filter(|(_, found)| is_before(found))
                .copied()
                .collect(),
            after: others
                .into_iter()
                .filter(|(_, found)| is_after(found))
                .collect(),
            variants,
            elsewhere: self.name_elsewhere(method),
        })
    }

    /// What another library calls the stage that a method asks for, where that is another name.
    fn name_elsewhere(&self, method: &Method) -> Option<(Library, &'static str)> {
        let stage = method.stage()?;
        let others = Library::ALL.into_iter();
        let mut others = others.filter(|library| *library != self.library);
        others.find_map(|library| {
            let other = library_table(library)
                .in_newest_release()
                .method_of(stage)?;
            let differs = other.name != method.name && other.is_published() && !method.merges();
            differs.then_some((library, other.name))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::libraries::Release;

    use super::super::OPT_STD;
    use super::*;

    fn history(minor: u16, name: &str) -> History {
        let dialect = OPT_STD.in_release(Release::new(0, minor));
        let method = dialect.methods(name).next().expect("a method");
        dialect.history(method).expect("a history")
    }

    fn names(found: &[(&'static str, Releases)]) -> Vec<String> {
        let words = found
            .iter()
            .map(|(name, releases)| format!("{name} {releases}"));
        words.collect()
    }

    #[test]
    fn a_method_has_a_first_and_a_last_release() {
        assert_eq!(
            history(7, "fetch_chip_lift").releases.to_string(),
            "0.7 and later"
        );
        assert_eq!(history(6, "to_dm_pcopy").releases.to_string(), "up to 0.6");
        assert_eq!(history(8, "contract_outer").releases, Releases::ALL);
        assert_eq!(history(3, "dma_gather").releases.to_string(), "up to 0.3");
    }

    #[test]
    fn names_before_and_after_are_found_over_renamed_and_remade_methods() {
        assert_eq!(
            names(&history(8, "vector_narrow_trim").before),
            ["vector_narrow_clip up to 0.2"]
        );
        assert_eq!(
            names(&history(8, "cluster_swap").before),
            ["dm_cluster_shuffle up to 0.6", "dm_cluster_swap 0.7"]
        );
        assert_eq!(
            names(&history(7, "parallel_copy_chip_slice").after),
            ["asymmetric_chip_slice 0.8 and later"]
        );
        assert_eq!(
            names(&history(9, "gather").before),
            [
                "dma_gather up to 0.3",
                "dma_gather_scaled 0.4 to 0.8",
                "dma_gather_scaled_at 0.4 to 0.5",
                "dma_gather_unscaled 0.4 to 0.8"
            ]
        );
        assert_eq!(names(&history(8, "fetch").before), Vec::<String>::new());
    }

    #[test]
    fn other_arguments_of_a_name_are_variants() {
        let found = history(8, "contract_outer");
        let variants: Vec<(String, usize)> = found
            .variants
            .iter()
            .map(|variant| (variant.releases.to_string(), variant.method.generics.len()))
            .collect();
        assert_eq!(variants, [("up to 0.3".to_owned(), 4)]);
        assert_eq!(found.elsewhere, Some((Library::VisaStd, "align")));
        // An address until 0.3, nothing until 0.6.
        assert_eq!(history(8, "to_vrf").variants.len(), 2);
        assert_eq!(history(8, "vector_fxp").variants, []);
    }
}

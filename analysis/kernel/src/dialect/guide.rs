//! The library's methods in words: what their generics and arguments are called and mean.
//!
//! For editors: nothing is judged by it. What a stage does is worded by the catalogue, what a method of a tensor or a context
//! does by the library's own rows.

use super::{Argument, Dialect, Method, Receiver};
use crate::Tier;
use crate::catalogue::{CanonicalStage, Generic, Role};

/// Where the order of stages begins, behind that of views.
const FIRST_STAGE: u32 = 10;

/// A generic parameter or an argument in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Part {
    /// Its name in a signature.
    pub name: &'static str,
    /// Its type, for an argument; empty for a generic parameter.
    pub ty: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What usually is there; empty where there is nothing usual.
    pub usual: &'static str,
}

/// A method of a tensor or a context in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuideRow {
    /// The method's name.
    pub name: &'static str,
    /// The memory of its receiver, where methods of the name differ by it.
    pub tier: Option<Tier>,
    /// What it does.
    pub summary: &'static str,
    /// Its generics, in order.
    pub generics: &'static [Part],
    /// Whether authors write the generics out; else an annotation says them.
    pub turbofish: bool,
}

/// A method in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guide {
    /// What it does.
    pub summary: String,
    /// Its generics, in order.
    pub generics: Vec<Part>,
    /// Its arguments, in order.
    pub arguments: Vec<Part>,
    /// Whether authors write the generics out; else an annotation says them.
    pub turbofish: bool,
    /// Orders methods of one receiver: the lower the more often it is written.
    pub order: u32,
}

impl Dialect {
    /// A method in words; none for a method that the release does not have.
    pub fn guide(&self, method: &Method) -> Option<Guide> {
        if !method.is_published() || !method.is_in(self.id().release) {
            return None;
        }
        match method.stages().last() {
            Some(last) => Some(self.of_stage(method, last.stage)),
            None => self.of_row(method),
        }
    }

    fn of_row(&self, method: &Method) -> Option<Guide> {
        let tier = match method.receiver {
            Receiver::Tensor(tier, _) => Some(tier),
            _ => None,
        };
        let (order, row) = (0_u32..).zip(self.guide).find(|(_, row)| {
            row.name == method.name
                && row.generics.len() == method.generics.len()
                && (row.tier.is_none() || row.tier == tier)
        })?;
        let arguments = method.arguments.iter();
        Some(Guide {
            summary: row.summary.to_owned(),
            generics: row.generics.to_vec(),
            arguments: arguments
                .map(|argument| argument.as_part(argument.meaning))
                .collect(),
            turbofish: row.turbofish,
            order,
        })
    }

    /// The words of a method of a stream: those of its stages, the last one's summary.
    fn of_stage(&self, method: &Method, last: CanonicalStage) -> Guide {
        let stages = || method.stages().iter().map(|used| used.stage);
        let summary = match (method.merges(), method.has_role(Role::Mode)) {
            (false, false) => last.row().summary.to_owned(),
            (merges, _) => {
                let what = last.row().summary.trim_end_matches('.');
                let rest = if merges {
                    " that makes one stream of the two groups."
                } else {
                    ", with the order of its operands."
                };
                format!("{what}{rest}")
            }
        };
        let mut names = self.generic_names.iter();
        let names = names
            .find(|(own, names)| *own == method.name && names.len() == method.generics.len())
            .map(|(_, names)| *names);
        let generic = |(index, generic): (usize, &Generic)| {
            let (name, meaning) = stages()
                .find_map(|stage| stage.generic(*generic))
                .unwrap_or(("_", ""));
            let own_name = names.and_then(|names| names.get(index));
            let name = own_name.copied().unwrap_or(name);
            // Of several that follow from an argument the catalogue words the first.
            let is_repeated = || {
                let mut before = method.generics.iter().take(index);
                *generic == Generic::Inferred && before.any(|other| other == generic)
            };
            let meaning = if is_repeated() {
                "Follows from the argument."
            } else {
                meaning
            };
            let own = match generic {
                // The rows of a computation are those of its weights.
                Generic::Level(level) if last != CanonicalStage::Align => {
                    let mut words = self.level_words.iter();
                    words.find(|(known, _)| known == level)
                }
                _ => None,
            };
            let meaning = own.map_or(meaning, |(_, words)| *words);
            Part {
                name,
                ty: "",
                meaning,
                usual: "",
            }
        };
        let argument = |argument: &Argument| {
            let meaning = stages().find_map(|stage| stage.argument(argument.role));
            argument.as_part(meaning.unwrap_or(argument.meaning))
        };
        Guide {
            summary,
            generics: method.generics.iter().enumerate().map(generic).collect(),
            arguments: method.arguments.iter().map(argument).collect(),
            // What ends a stream makes a tensor, whose type is written at its name.
            turbofish: !last.ends_stream(),
            order: FIRST_STAGE.saturating_add(last as u32),
        }
    }
}

impl Argument {
    const fn as_part(&self, meaning: &'static str) -> Part {
        Part {
            name: self.name,
            ty: self.ty,
            meaning,
            usual: self.usual,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{OPT_STD, VISA_STD};

    #[test]
    fn every_method_of_a_release_has_words_for_each_of_its_parts() {
        let editions = [&VISA_STD, &OPT_STD].into_iter().flat_map(|library| {
            let editions = library.editions.iter();
            editions.map(move |(release, _)| library.in_release(*release))
        });
        let methods = editions.flat_map(|library| {
            let methods = library.every_method();
            methods.map(move |method| (library, method))
        });
        for (library, method) in methods.filter(|(_, method)| method.is_published()) {
            let guide = library.guide(method).unwrap_or_else(|| {
                unreachable!("`{}` has no words", method.name);
            });
            assert_eq!(guide.generics.len(), method.generics.len());
            let named = guide.generics.iter().chain(&guide.arguments);
            for part in named {
                assert!(!part.name.is_empty(), "{}", method.name);
                assert!(!part.meaning.is_empty(), "{}: {part:?}", method.name);
            }
            assert!(!guide.summary.is_empty(), "{}", method.name);
        }
    }

    #[test]
    fn no_row_is_without_a_method() {
        for library in [&VISA_STD, &OPT_STD] {
            for row in library.guide {
                let fits = library
                    .in_newest_release()
                    .methods_of_any_release(row.name)
                    .any(|method| method.generics.len() == row.generics.len());
                assert!(fits, "{}", row.name);
            }
        }
    }

    #[test]
    fn what_only_the_book_has_is_no_method_of_a_release() {
        for name in ["fetch_with_table", "fetch_with_zero_points", "contract_max"] {
            assert!(
                VISA_STD
                    .in_newest_release()
                    .methods(name)
                    .all(|method| VISA_STD.in_newest_release().guide(method).is_none()),
                "{name}"
            );
        }
    }
}

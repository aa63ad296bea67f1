//! Judgement: turns the violations that `derivation` met into findings with words, and declares every rule.
//!
//! A rule is one static declaration beside the function that words it. Rules compute nothing about the hardware
//! themselves: the numbers they print stand in the derivation, so a hover and a finding cannot disagree.

mod alternatives;
mod banks;
mod broadcast;
mod budgets;
mod cast;
mod causes;
pub(crate) mod changed;
mod closed;
mod collect;
mod collectives;
mod commit;
mod contraction;
mod coverage;
mod dma;
mod dma_performance;
mod enabled;
mod engines;
mod fetch;
mod holding;
mod indivisible;
mod lanes;
mod levels;
mod library;
mod mapping_expressions;
mod memory;
mod numerals;
mod padded_tensors;
mod performance;
mod pipeline;
mod provenance;
mod reach;
mod replacement;
mod resplit;
mod rows;
mod schedule;
mod scoped;
mod sequencer;
mod style;
pub(crate) mod suppressions;
mod switch;
mod tensors;
mod transpose;
mod trying;
mod valid_count;
mod vector;
mod wording;
mod words;

pub use alternatives::{Alternative, Alternatives};
pub use causes::Cause;
pub(crate) use causes::{CauseKey, groups as groups_of_causes, unite_fixes};
pub use enabled::EnabledRules;
pub(crate) use enabled::Families;
pub use engines::engines;
pub use replacement::{Edit, Replacement, Value};

use std::cell::Cell;
use std::rc::Rc;
use std::sync::LazyLock;

use crate::budget::Budget;
use crate::db::Db;
use crate::derivation::BodyDerivation;
use crate::derivation::tensors::RepeatedAxis;
use crate::hardware::Target;
use crate::items::{ItemId, MappingSite, Span, item_text, mapping_sites, resolve_edited};
use crate::kernel::Body;
use crate::names::nearest_names;
use crate::simulation::BodySimulation;

/// The groups of the catalogue, which decide a rule's default level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// The mapping expression itself is ill-formed or has no meaning.
    Mapping,
    /// The hardware or its compiler refuses the kernel, hangs, or resets.
    Hardware,
    /// The kernel compiles and runs, and computes or stores something else than it says.
    Silent,
    /// Most likely a mistake, but there are kernels that mean it.
    Suspicious,
    /// The hardware takes the kernel; the named release of the library does not.
    Toolchain,
    /// Correct, and slower or larger than a small change would make it.
    Performance,
    /// Correct, and says more than it needs to.
    Style,
}

impl Group {
    /// All groups, in the catalogue's order.
    pub const ALL: [Self; 7] = [
        Self::Mapping,
        Self::Hardware,
        Self::Silent,
        Self::Suspicious,
        Self::Toolchain,
        Self::Performance,
        Self::Style,
    ];

    /// The group's name, as configuration and options write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mapping => "mapping",
            Self::Hardware => "hardware",
            Self::Silent => "silent",
            Self::Suspicious => "suspicious",
            Self::Toolchain => "toolchain",
            Self::Performance => "performance",
            Self::Style => "style",
        }
    }

    /// The level of the group's rules where nobody says otherwise.
    #[must_use]
    pub const fn default_level(self) -> Level {
        match self {
            Self::Mapping | Self::Hardware | Self::Silent => Level::Deny,
            Self::Suspicious | Self::Toolchain | Self::Performance => Level::Warn,
            Self::Style => Level::Allow,
        }
    }
}

/// How severely a finding is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Not reported.
    Allow,
    /// Reported; the run succeeds.
    Warn,
    /// Reported; the run fails.
    Deny,
}

impl Level {
    /// The level's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Deny => "deny",
        }
    }
}

/// What every finding of a rule brings along, as far as the repair is determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offers {
    /// A code action that mends it.
    pub fix: bool,
    /// The legal alternatives that can be computed: paddings, sizes, free addresses. They stand in the help.
    pub alternatives: bool,
}

/// A rule of the catalogue, declared once beside its check.
///
/// The wrong and the right kernel of its documentation are its fixtures `fixtures/violations/<name>/wrong.rs` and
/// `right.rs`, compiled in by [`rule!`].
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its identity everywhere: diagnostics, configuration, suppression, documentation.
    pub name: &'static str,
    /// Its group.
    pub group: Group,
    /// One line: what it reports.
    pub summary: &'static str,
    /// A paragraph: the mechanism in the machine, what goes wrong, what to do.
    pub why: &'static str,
    /// The book's heading that states it; `library` or `derived` as in the catalogue.
    pub heading: &'static str,
    /// Its level where nobody says otherwise, if it is not its group's.
    pub level: Option<Level>,
    /// Another group that it reports as where the same fact weighs less, as in fragments that no kernel reaches.
    pub lesser: Option<Group>,
    /// The rules that say nothing new where this one says the same of a place: an address that is no multiple of its element is
    /// none of 8 bytes either.
    pub implies: &'static [&'static Self],
    /// What its findings bring along.
    pub offers: Offers,
    /// A kernel that breaks it.
    pub wrong: &'static str,
    /// The nearest kernel that does not.
    pub right: &'static str,
}

/// A rule is what its name says: there is one declaration a name.
impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Rule {}

impl std::hash::Hash for Rule {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl PartialOrd for Rule {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rule {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.name.cmp(other.name)
    }
}

impl Rule {
    /// The level where nobody says otherwise.
    #[must_use]
    pub fn default_level(&self) -> Level {
        self.level.unwrap_or_else(|| self.group.default_level())
    }

    /// The groups that its findings are reported as.
    pub fn groups(&self) -> impl Iterator<Item = Group> + use<> {
        std::iter::once(self.group).chain(self.lesser)
    }

    /// Whether a name means the rule: its own, or that of a group that it reports as.
    #[must_use]
    pub fn is_meant_by(&self, name: &str) -> bool {
        self.name == name || self.groups().any(|group| group.name() == name)
    }
}

/// Declares a [`Rule`], with its two kernels from the fixtures of its name. `fix` and `alt` behind the paragraph say what
/// its findings offer.
macro_rules! rule {
    (@offers) => { $crate::rules::Offers { fix: false, alternatives: false } };
    (@offers fix) => { $crate::rules::Offers { fix: true, alternatives: false } };
    (@offers alt) => { $crate::rules::Offers { fix: false, alternatives: true } };
    (@offers fix alt) => { $crate::rules::Offers { fix: true, alternatives: true } };
    (
        $name:literal, $group:ident, $heading:literal, $summary:literal, $why:literal
        $(, $offer:ident)* $(,)?
    ) => {
        $crate::rules::Rule {
            name: $name,
            group: $crate::rules::Group::$group,
            summary: $summary,
            why: $why,
            heading: $heading,
            level: None,
            lesser: None,
            implies: &[],
            offers: $crate::rules::rule!(@offers $($offer)*),
            wrong: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../fixtures/violations/",
                $name,
                "/wrong.rs"
            )),
            right: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../fixtures/violations/",
                $name,
                "/right.rs"
            )),
        }
    };
}
use rule;

/// Whether a fix may be applied without looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Applicability {
    /// Keeps the meaning or is the only reading; `--fix` may apply it.
    Machine,
    /// A proposal that a person should look at.
    Maybe,
}

/// A code action that mends a finding.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fix {
    /// What it does, as a menu entry.
    pub title: String,
    /// Whether it may be applied without looking.
    pub applicability: Applicability,
    /// Its replacements.
    pub edits: Vec<Edit>,
}

/// The other end of a finding: a declaration, the first tensor of an overlap, the earlier use of an ALU.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Related {
    /// What stands there.
    pub message: String,
    /// Where.
    pub span: Span,
}

/// A finding in an item, before levels and suppression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The numbers compared and the mechanism in one clause.
    pub message: String,
    /// The smallest span that carries the fault.
    pub span: Span,
    /// Further facts: the derived configuration, the chain of uses.
    pub notes: Vec<String>,
    /// What to do, where no alternative says it.
    pub help: Option<String>,
    /// The legal alternatives.
    pub alternatives: Option<Alternatives>,
    /// The other ends.
    pub related: Vec<Related>,
    /// Code actions.
    pub fixes: Vec<Fix>,
    /// Another group than the rule's own, where the same fact weighs less (fragments that no kernel reaches).
    pub group: Option<Group>,
    /// What the change that the finding proposes would save.
    pub saving: Option<Saving>,
    /// What it comes from, where other findings may come from the same.
    pub cause: Option<Cause>,
}

/// Cycles as predicted before and after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Saving {
    /// Cycles of the operation as it is.
    pub operation_before: u64,
    /// Cycles of the operation after the change.
    pub operation_after: u64,
    /// Cycles of the whole kernel as it is and after the change; `None` where the kernel has no total.
    pub kernel: Option<(u64, u64)>,
    /// Whether the change itself was simulated. Else nobody tried what a proposal in words would lead to: the cycles order
    /// proposals, and are promised to no one.
    pub simulated: bool,
}

impl Saving {
    /// The same for a change that is told in words, and that no text was tried for.
    #[must_use]
    pub const fn as_estimate(self) -> Self {
        Self {
            simulated: false,
            ..self
        }
    }

    /// Cycles that the kernel saves, if its total is known.
    #[must_use]
    pub fn of_kernel(&self) -> Option<u64> {
        let (before, after) = self.kernel?;
        Some(before.saturating_sub(after))
    }

    /// Cycles that the kernel saves; without a total, the operation.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        let (before, after) = self
            .kernel
            .unwrap_or((self.operation_before, self.operation_after));
        before.saturating_sub(after)
    }
}

impl Finding {
    /// A finding with its message and place; the rest is added by the methods below.
    #[must_use]
    pub fn new(rule: &'static Rule, span: Span, message: impl Into<String>) -> Self {
        Self {
            rule,
            message: message.into(),
            span,
            notes: Vec::new(),
            help: None,
            alternatives: None,
            related: Vec::new(),
            fixes: Vec::new(),
            group: None,
            saving: None,
            cause: None,
        }
    }

    /// The level at which it is taken where nobody says otherwise.
    pub(crate) fn level(&self) -> Level {
        match self.group {
            Some(group) => group.default_level(),
            None => self.rule.default_level(),
        }
    }

    /// Sets what it comes from: of the findings of one cause a report shows the first.
    #[must_use]
    pub fn caused_by(mut self, cause: Cause) -> Self {
        self.cause = Some(cause);
        self
    }

    /// Sets what the proposed change would save.
    #[must_use]
    pub fn saves(mut self, saving: Saving) -> Self {
        self.saving = Some(saving);
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Sets what is said where no alternative is: words without a text to write.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a related place.
    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push(Related {
            message: message.into(),
            span,
        });
        self
    }

    /// Adds a fix that replaces one span.
    #[must_use]
    pub fn fix(
        mut self,
        applicability: Applicability,
        title: impl Into<String>,
        span: Span,
        with: impl Into<Replacement>,
    ) -> Self {
        self.fixes.push(Fix {
            title: title.into(),
            applicability,
            edits: vec![Edit::new(span, with)],
        });
        self
    }
}

/// What is derived of a body, each part when it is first asked for.
pub(crate) trait Derived {
    /// What the engines make of it.
    fn derivation(&self) -> &BodyDerivation;
    /// What it costs.
    fn simulation(&self) -> &BodySimulation;
    /// The digits that its tensors and streams select twice, which is known without the engines.
    fn repeated_axes(&self) -> Vec<RepeatedAxis>;
}

/// What a family's check looks at: one lowered body and what is derived of it.
pub(crate) struct Checked<'a> {
    /// The body.
    pub(crate) body: &'a Body,
    /// What is derived of it.
    pub(crate) derived: &'a dyn Derived,
    /// The chip.
    pub(crate) target: Target,
    /// What the kernel may cost at most, if the settings say so.
    pub(crate) budget: Option<&'a Budget>,
    /// The rules that are on. What another rule implies is left out only where that one is on.
    pub(crate) enabled: EnabledRules,
    /// How often the body was derived again with something changed in it.
    pub(crate) tried: &'a Cell<u64>,
}

impl<'a> Checked<'a> {
    /// What the engines make of the body.
    fn derivation(&self) -> &'a BodyDerivation {
        self.derived.derivation()
    }

    /// What the body costs.
    fn simulation(&self) -> &'a BodySimulation {
        self.derived.simulation()
    }

    /// The digits that the body's tensors and streams select twice.
    fn repeated_axes(&self) -> Vec<RepeatedAxis> {
        self.derived.repeated_axes()
    }

    /// The body with all that is known of it, as the simulation is asked about changes of it.
    fn known(&self) -> crate::simulation::Known<'a> {
        crate::simulation::Known {
            body: self.body,
            derivation: self.derivation(),
            simulation: self.simulation(),
            target: self.target,
        }
    }

    /// How safely a mapping may be replaced at a place: an alias may stand for other things too.
    fn replacing(&self, place: Span) -> Applicability {
        if place.item == self.body.span.item {
            Applicability::Machine
        } else {
            Applicability::Maybe
        }
    }
}

/// What a family's check asks for beside the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// Nothing.
    Body,
    /// What the engines make of it.
    Derivation,
    /// What it costs as well.
    Simulation,
}

/// A family of rules.
struct Family {
    rules: &'static [&'static Rule],
    /// Rules of other families that this one finds breaches of as well.
    also: &'static [&'static Rule],
    needs: Needs,
    check: fn(&Checked<'_>, &mut Vec<Finding>),
}

/// The families, in the catalogue's order.
const FAMILIES: &[Family] = &[
    Family {
        rules: mapping_expressions::RULES,
        also: &[],
        needs: Needs::Body,
        check: mapping_expressions::check,
    },
    Family {
        rules: tensors::RULES,
        also: &[&contraction::TRF_ROW_COUNT],
        needs: Needs::Derivation,
        check: tensors::check,
    },
    Family {
        rules: memory::RULES,
        also: &[&tensors::VRF_CAPACITY],
        needs: Needs::Derivation,
        check: memory::check,
    },
    Family {
        rules: provenance::RULES,
        also: &[],
        needs: Needs::Derivation,
        check: provenance::check,
    },
    Family {
        rules: sequencer::RULES,
        also: sequencer::ALSO,
        needs: Needs::Derivation,
        check: sequencer::check,
    },
    Family {
        rules: fetch::RULES,
        also: &[],
        needs: Needs::Derivation,
        check: fetch::check,
    },
    Family {
        rules: switch::RULES,
        also: &[],
        needs: Needs::Derivation,
        check: switch::check,
    },
    Family {
        rules: collect::RULES,
        also: &[&memory::TENSOR_LOST],
        needs: Needs::Derivation,
        check: collect::check,
    },
    Family {
        rules: pipeline::RULES,
        also: &[],
        needs: Needs::Derivation,
        check: pipeline::check,
    },
    Family {
        rules: contraction::RULES,
        also: &[],
        needs: Needs::Derivation,
        check: contraction::check,
    },
    Family {
        rules: vector::RULES,
        also: &[],
        needs: Needs::Derivation,
        check: vector::check,
    },
    Family {
        rules: valid_count::RULES,
        also: &[],
        needs: Needs::Derivation,
        check: valid_count::check,
    },
    Family {
        rules: cast::RULES,
        also: &[],
        needs: Needs::Derivation,
        check: cast::check,
    },
    Family {
        rules: transpose::RULES,
        also: &[],
        needs: Needs::Derivation,
        check: transpose::check,
    },
    Family {
        rules: commit::RULES,
        also: &[],
        needs: Needs::Derivation,
        check: commit::check,
    },
    Family {
        rules: dma::RULES,
        also: &[],
        needs: Needs::Derivation,
        check: dma::check,
    },
    Family {
        rules: dma_performance::RULES,
        also: &[],
        needs: Needs::Simulation,
        check: dma_performance::check,
    },
    Family {
        rules: banks::RULES,
        also: &[],
        needs: Needs::Derivation,
        check: banks::check,
    },
    Family {
        rules: library::RULES,
        also: &[],
        needs: Needs::Derivation,
        check: library::check,
    },
    Family {
        rules: style::RULES,
        also: &[],
        needs: Needs::Body,
        check: style::check,
    },
    Family {
        rules: schedule::COMBINED,
        also: &[],
        needs: Needs::Simulation,
        check: schedule::check_combined,
    },
    Family {
        rules: schedule::RULES,
        also: &[],
        needs: Needs::Simulation,
        check: schedule::check,
    },
    Family {
        rules: performance::fetch::RULES,
        also: &[],
        needs: Needs::Simulation,
        check: performance::fetch::check,
    },
    Family {
        rules: performance::switch::RULES,
        also: &[],
        needs: Needs::Simulation,
        check: performance::switch::check,
    },
    Family {
        rules: performance::contraction::RULES,
        also: &[],
        needs: Needs::Simulation,
        check: performance::contraction::check,
    },
    Family {
        rules: performance::vector::RULES,
        also: &[],
        needs: Needs::Simulation,
        check: performance::vector::check,
    },
    Family {
        rules: performance::transpose::RULES,
        also: &[],
        needs: Needs::Simulation,
        check: performance::transpose::check,
    },
    Family {
        rules: performance::commit::RULES,
        also: &[],
        needs: Needs::Simulation,
        check: performance::commit::check,
    },
    Family {
        rules: performance::machine::RULES,
        also: &[],
        needs: Needs::Simulation,
        check: performance::machine::check,
    },
    Family {
        rules: budgets::RULES,
        also: &[],
        needs: Needs::Simulation,
        check: budgets::check,
    },
    Family {
        rules: coverage::RULES,
        also: &[],
        needs: Needs::Body,
        check: coverage::check,
    },
    Family {
        rules: suppressions::RULES,
        also: &[],
        needs: Needs::Body,
        check: suppressions::check,
    },
];

/// Every rule of the catalogue that is implemented, in the catalogue's order.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES
        .iter()
        .flat_map(|family| family.rules.iter().copied())
}

/// The rule of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.name == name)
}

/// Whether it names a rule or a group.
#[must_use]
pub fn is_rule_or_group(name: &str) -> bool {
    find(name).is_some() || Group::ALL.iter().any(|group| group.name() == name)
}

/// The rules and groups whose names are nearest to one that is none, the nearest first.
#[must_use]
pub fn nearest(name: &str) -> Vec<String> {
    let names = all()
        .map(|rule| rule.name)
        .chain(Group::ALL.into_iter().map(Group::name));
    nearest_names(name, names)
}

/// The page of a rule.
#[must_use]
pub fn url(name: &str) -> String {
    format!(
        "{}/blob/main/docs/rules/{name}.md",
        env!("CARGO_PKG_REPOSITORY")
    )
}

/// The findings of some families about one body, each place and rule once, in the order of the families. What follows from
/// another finding at the same place is left out. Fixes mend all places of their fault; what they need behind them is not
/// worked out here, see [`crate::fixing`].
#[must_use]
pub(crate) fn check(checked: &Checked<'_>, families: Families) -> Vec<Finding> {
    let mut findings = as_proposed(checked, families);
    closed::judge_helps(checked, &mut findings);
    findings
}

/// As [`check`] by all families, with all that helps may state, whether it needs something behind it or not.
pub(crate) fn check_as_proposed(checked: &Checked<'_>) -> Vec<Finding> {
    as_proposed(checked, Families::ALL)
}

fn as_proposed(checked: &Checked<'_>, families: Families) -> Vec<Finding> {
    let mut findings = found_by(checked, families);
    unite_fixes(&mut findings);
    levels::label_fixes(checked.body, &mut findings);
    reach::mark(checked.body, &mut findings);
    closed::judge(checked, &mut findings);
    findings
}

pub(crate) use closed::{ALTERNATIVE_LIMIT, FOLLOWING};
pub(crate) use coverage::{
    asks_for_undecided, hidden, names_what_is_not_looked_at, not_looked_at, unread_library, what,
};
pub(crate) use fetch::unaligned_packet;
pub(crate) use reach::Reach;
pub(crate) use scoped::{name_fixes_in_scope, name_in_scope, with_paths};
pub(crate) use trying::{is_tried, keep_what_holds, state_fixes};
pub(crate) use words::names;

/// The findings of all families with their fixes as these propose them, each for its own place.
pub(crate) fn found_by_families(checked: &Checked<'_>) -> Vec<Finding> {
    found_by(checked, Families::ALL)
}

fn found_by(checked: &Checked<'_>, families: Families) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, family) in FAMILIES.iter().enumerate() {
        if families.has(number) {
            (family.check)(checked, &mut findings);
        }
    }
    let mut seen = rustc_hash::FxHashSet::default();
    findings.retain(|finding| seen.insert((finding.rule, finding.span)));
    drop_implied(&checked.enabled, &mut findings, |rule, place| {
        seen.contains(&(rule, place))
    });
    findings
}

/// The rules that imply others.
static IMPLYING: LazyLock<Vec<&'static Rule>> =
    LazyLock::new(|| all().filter(|rule| !rule.implies.is_empty()).collect());

/// Leaves out what a finding of a rule that is on says at the same place as well.
pub(crate) fn drop_implied(
    enabled: &EnabledRules,
    findings: &mut Vec<Finding>,
    is_found: impl Fn(&'static Rule, Span) -> bool,
) {
    findings.retain(|finding| {
        let implied = |rule: &'static Rule| {
            rule.implies.contains(&finding.rule)
                && is_found(rule, finding.span)
                && enabled.has(rule.name)
        };
        !IMPLYING.iter().copied().any(implied)
    });
}

/// The findings of some families about the mappings written in one item, whether a kernel reaches it or not.
#[must_use]
pub(crate) fn check_item(db: &dyn Db, item: ItemId, families: Families) -> Vec<Finding> {
    let mut findings = Vec::new();
    let sites = mapping_sites(db, item);
    if families.have_one_of(mapping_expressions::RULES) {
        findings.extend(check_expressions(db, item, &sites));
    }
    if families.have_one_of(library::RULES) {
        findings.extend(library::check_sites(&sites));
    }
    if families.have_one_of(style::RULES) {
        findings.extend(style::check_sites(&sites));
    }
    findings
}

/// What is wrong in the mappings of an item themselves.
fn check_expressions(db: &dyn Db, item: ItemId, sites: &[MappingSite]) -> Vec<Finding> {
    let source = |span: Span| {
        let text = item_text(db, span.item);
        let place = text.text.get(span.start as usize..span.end as usize);
        place.unwrap_or_default().to_owned()
    };
    let remaining = |site: &MappingSite, span: Span, text: &str| {
        let before = source(Span {
            end: span.start,
            ..site.body
        });
        let after = source(Span {
            start: span.end,
            ..site.body
        });
        resolve_edited(db, site, &format!("{before}{text}{after}"))
            .problems
            .len()
    };
    let module = item.module_path(db).join("::");
    let divided = std::cell::OnceCell::new();
    let divisions = || {
        let divided = divided.get_or_init(|| Rc::new(indivisible::divisions(db, sites)));
        Rc::clone(divided)
    };
    let operands = |site: &MappingSite| indivisible::operands_at_fault(db, site, divisions);
    mapping_expressions::check_sites(sites, &module, source, remaining, operands, divisions)
}

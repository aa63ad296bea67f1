//! Candidates that gather a result into fewer slices before it is stored, so that a store writes whole units of HBM.
//!
//! One transfer inside of DM brings the shares of several slices together; where a slice holds less than the eight bytes that
//! such a transfer moves at least, a pass packs what it brought. Both are statements before the one that stores, of the same name, so
//! that the store itself stays as it is. Knows the tree of the statement and the library's words for what it writes.

use crate::db::Db;
use crate::derivation::BodyDerivation;
use crate::derivation::memory::free::free_stretches;
use crate::hardware::{DMA_ALIGNMENT_BYTES, ElementType, FLIT_BYTES};
use crate::kernel::catalogue::{CanonicalStage, Generic, Role};
use crate::kernel::{Body, Level, Operation, OperationKind, Origin, Tensor, Tier};
use crate::mapping::{Form, Mapping, PaddingKind, Term};

use super::split::{Taken, form_without_part, inner_parts, live_part};
use super::statement::Statement;
use super::writing::written_mapping;
use super::{Candidate, Kind};

/// Addresses that are proposed are multiples of so many bytes.
const ALIGNMENT: u64 = 256;

/// The gathers before the store of an operation, those into the fewest slices last.
pub(super) fn gather_candidates(
    db: &dyn Db,
    body: &Body,
    derivation: &BodyDerivation,
    operation: &Operation,
) -> Vec<Candidate> {
    let OperationKind::Copy(copy) = &operation.kind else {
        return Vec::new();
    };
    let stored = body.tensor(copy.source).zip(body.tensor(copy.target));
    let Some((source, target)) = stored else {
        return Vec::new();
    };
    if source.tier != Tier::Dm || target.tier != Tier::Hbm {
        return Vec::new();
    }
    let Some(statement) = Statement::of(db, body, operation) else {
        return Vec::new();
    };
    let gather = Gather {
        body,
        derivation,
        source,
        target,
        statement,
    };
    gather.candidates(operation).unwrap_or_default()
}

struct Gather<'a> {
    body: &'a Body,
    derivation: &'a BodyDerivation,
    source: &'a Tensor,
    target: &'a Tensor,
    statement: Statement,
}

/// What the stored tensor is held as before it is stored.
struct Held {
    slice: Form,
    element: Form,
}

impl Gather<'_> {
    fn candidates(&self, operation: &Operation) -> Option<Vec<Candidate>> {
        let levels = &self.source.levels;
        let whole = matches!(
            self.source.origin,
            Origin::Operation(_) | Origin::View { tile: None, .. }
        );
        let declared = levels.slice.as_ref()?.get()?.form();
        let slices = live_part(declared)?;
        let kind = self.source.element_type.get().copied()?;
        let mut fewer: Vec<Form> = vec![slices.clone()];
        for digits in (1..=slices.digits().len()).rev() {
            let digit = slices.digits().get(digits - 1)?;
            for part in inner_parts(digit) {
                fewer.extend(self.slices_without(&slices, digits, &part));
            }
        }
        fewer.dedup();
        let mut found = Vec::new();
        for slice in &fewer {
            let Some(element) = self.share(slice) else {
                continue;
            };
            let gathers = *slice != slices;
            let held = Held {
                slice: slice.pad(declared.size())?,
                element,
            };
            if whole && gathers {
                found.extend(self.plain_candidate(&held, operation));
            }
            if whole {
                found.extend(self.packed(&held, kind, gathers, operation));
            }
        }
        Some(found)
    }

    /// The slices without all digits inside of one, and without a part of that.
    fn slices_without(&self, slices: &Form, digits: usize, part: &Term) -> Option<Form> {
        let kept = slices.digits().get(digits - 1..)?;
        let outer = Form::from_digits(kept.iter().cloned())?;
        match form_without_part(&outer, part)? {
            Taken::Left(left) => Some(left),
            Taken::Absent => None,
        }
    }

    /// What each of the slices holds of what is stored, in the order of the target.
    fn share(&self, slices: &Form) -> Option<Form> {
        let mut share = self.target.levels.element.get()?.form().clone();
        let cluster = live_part(self.source.levels.cluster.as_ref()?.get()?.form())?;
        let chip = live_part(self.source.levels.chip.as_ref()?.get()?.form())?;
        let of_chips = self.target.levels.chip.as_ref()?.get()?.form();
        if chip.has_terms() && live_part(of_chips)? != chip {
            return None;
        }
        for digit in slices.digits().iter().chain(cluster.digits()) {
            match form_without_part(&share, digit.term.as_ref()?)? {
                Taken::Left(left) => share = left,
                Taken::Absent => return None,
            }
        }
        Some(share)
    }

    /// One transfer inside of DM.
    fn plain_candidate(&self, held: &Held, operation: &Operation) -> Option<Candidate> {
        let address = self.address(&held.element, &[])?;
        let text = self.transfer(held, address)?;
        Some(self.gather_candidate(&[text], held, operation, Kind::Gather))
    }

    /// The same where a slice holds single elements: the transfer brings them padded, and a pass packs them.
    fn packed(
        &self,
        held: &Held,
        kind: ElementType,
        gathers: bool,
        operation: &Operation,
    ) -> Option<Candidate> {
        let padded = self.source.levels.element.get()?.form();
        let inner = padded.digits().first()?;
        let bytes = kind.bits().checked_div(8).filter(|bytes| *bytes > 0)?;
        if inner.term.is_some()
            || !held
                .element
                .digits()
                .iter()
                .all(|digit| digit.paddings().is_empty())
        {
            return None;
        }
        let rows = DMA_ALIGNMENT_BYTES
            .checked_div(bytes)
            .filter(|rows| *rows > 1)?;
        let (time, turned) = held.element.split_at(rows)?;
        let pad = |size: u64| {
            let padding = Mapping::identity().pad_to(size, PaddingKind::Top).ok()?;
            Some(padding.form().clone())
        };
        let width = if gathers { rows } else { inner.extent };
        let spread = Form::multiply(&held.element, &pad(width)?)?;
        let mut statements = Vec::new();
        let mut taken = Vec::new();
        let fetched = &held.element;
        if gathers {
            let address = self.address(&spread, &taken)?;
            if let Some(start) = address {
                taken.push((start, start.checked_add(self.bytes(&spread)?)?));
            }
            let brought = Held {
                slice: held.slice.clone(),
                element: spread,
            };
            statements.push(self.transfer(&brought, address)?);
        }
        let address = self.address(&held.element, &taken)?;
        let flit = FLIT_BYTES.checked_div(bytes)?;
        let library = self.body.library();
        let shape = |time: &Form, packet: &Form| {
            vec![
                (Generic::Scalar, kind.name().to_owned()),
                (Generic::Level(Level::Time), written_mapping(time)),
                (Generic::Level(Level::Packet), written_mapping(packet)),
            ]
        };
        let narrow = pad(width)?;
        let collected = pad(flit)?;
        let rows_of_flit = turned.pad(flit)?;
        let mut stages = vec![
            library.write(CanonicalStage::Fetch, &shape(fetched, &narrow), &[]),
            library.write(CanonicalStage::Collect, &shape(fetched, &collected), &[]),
            library.write(CanonicalStage::Transpose, &shape(&time, &rows_of_flit), &[]),
        ];
        if library.method_of(CanonicalStage::CommitTrim).is_some() {
            stages.push(library.write(CanonicalStage::CommitTrim, &shape(&time, &turned), &[]));
        }
        let element = vec![(
            Generic::Level(Level::Element),
            written_mapping(&held.element),
        )];
        stages.push(library.write(CanonicalStage::Commit, &element, &address_argument(address)));
        let name = &self.statement.name;
        statements.push(format!(
            "let {name} = {}.{}({name}.{}()).{};",
            self.statement.unit.as_ref()?,
            library.begin_method_name(false),
            library.view()?,
            stages.join(".")
        ));
        let kind = if gathers { Kind::Gather } else { Kind::Pack };
        Some(self.gather_candidate(&statements, held, operation, kind))
    }

    fn gather_candidate(
        &self,
        statements: &[String],
        held: &Held,
        operation: &Operation,
        kind: Kind,
    ) -> Candidate {
        let name = self.statement.stored_in_words();
        let slices = live_part(&held.slice).map_or(0, |slices| slices.size());
        let title = match kind {
            Kind::Pack => format!(
                "Pack {name} in each slice before it is stored, so that its rows are runs of bytes"
            ),
            _ => format!(
                "Gather {name} in {slices} {} before it is stored, `{}` in each",
                if slices == 1 { "slice" } else { "slices" },
                written_mapping(&held.element)
            ),
        };
        let edits = self.statement.with_before(statements);
        Candidate {
            kind,
            title,
            span: operation.span,
            rule: None,
            edits,
        }
    }

    /// The statement of the transfer.
    fn transfer(&self, held: &Held, address: Option<u64>) -> Option<String> {
        let levels = &self.source.levels;
        let generics = [
            (
                Level::Chip,
                written_mapping(levels.chip.as_ref()?.get()?.form()),
            ),
            (
                Level::Cluster,
                written_mapping(levels.cluster.as_ref()?.get()?.form()),
            ),
            (Level::Slice, written_mapping(&held.slice)),
            (Level::Element, written_mapping(&held.element)),
        ];
        let generics: Vec<(Generic, String)> = generics
            .into_iter()
            .map(|(level, text)| (Generic::Level(level), text))
            .collect();
        let mut arguments = address_argument(address);
        arguments.push((Role::Context, self.statement.context.clone()));
        let call = self
            .body
            .library()
            .write_transfer(Tier::Dm, Tier::Dm, &generics, &arguments)?;
        let name = &self.statement.name;
        Some(format!("let {name} = {name}.{call};"))
    }

    fn bytes(&self, element: &Form) -> Option<u64> {
        let bits = self.source.element_type.get()?.bits();
        Some(element.size().checked_mul(bits)?.div_ceil(8))
    }

    #[expect(
        clippy::option_option,
        reason = "no address is needed, or none is known"
    )]
    fn address(&self, element: &Form, taken: &[(u64, u64)]) -> Option<Option<u64>> {
        free_address(self.body, self.derivation, self.bytes(element)?, taken)
    }
}

/// The first bytes that nothing in the kernel ever takes; none where the library chooses addresses. `None` where it is not
/// known what is free.
#[expect(
    clippy::option_option,
    reason = "no address is needed, or none is known"
)]
pub(super) fn free_address(
    body: &Body,
    derivation: &BodyDerivation,
    bytes: u64,
    taken: &[(u64, u64)],
) -> Option<Option<u64>> {
    if !body.library().is_addressed() {
        return Some(None);
    }
    let mut all = taken.to_vec();
    for lifetime in &derivation.memory.lifetimes {
        if lifetime.tier == Tier::Dm {
            let (start, bytes) = lifetime.address.zip(lifetime.bytes)?;
            all.push((start, start.checked_add(bytes)?));
        }
    }
    let free = free_stretches(all, body.machine.dm_bytes);
    let mut places = free.into_iter().filter_map(|(start, end)| {
        let start = start.checked_next_multiple_of(ALIGNMENT)?;
        (start.checked_add(bytes)? <= end).then_some(start)
    });
    places.next().map(Some)
}

fn address_argument(address: Option<u64>) -> Vec<(Role, String)> {
    let address = address.map(|address| (Role::Address, format!("{address:#x}")));
    address.into_iter().collect()
}

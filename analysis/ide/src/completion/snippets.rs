//! Whole declarations and statements: a kernel, its axes, a chain through the Tensor Unit.
//!
//! They are written by the tables of the library, as the release of the file's crate has them, and are right as they are inserted:
//! what is filled in afterwards changes names and numbers. Only in crates that name a library, and where a word is being typed
//! that they begin with.

use std::sync::Arc;

use crate::check::function_derivation;
use crate::db::Db;
use crate::derivation::BodyDerivation;
use crate::hardware::{ElementType, FLIT_BYTES};
use crate::items::{ItemId, Span, item_text, names_a_library};
use crate::kernel::catalogue::{Generic, Role};
use crate::kernel::dialect::{Access, Dialect, TypeParameter, TypeShape};
use crate::kernel::{Body, CanonicalStage, Level, Origin, Tensor, Tier};
use crate::lowering::body;
use crate::mapping::Mapping;
use crate::{Completion, CompletionKind};

use super::addresses;
use super::around::functions_around;
use super::context::Around;
use super::made::Names;
use super::methods::declared_context;
use super::word_proposal;

/// Tensors through which a chain is proposed, at most: the last ones.
const CHAIN_LIMIT: usize = 3;

/// What a kernel's snippet is of: a tensor of so many slices and so many elements in each.
const SNIPPET_SLICES: u64 = 256;
const SNIPPET_ELEMENTS: u64 = 256;
const SNIPPET_TYPE: ElementType = ElementType::F32;
/// Where the kernel's snippet puts its second tensor in DM, and its result in HBM, where the library does not choose.
const SECOND_ADDRESS: &str = "0x1000";
const RESULT_ADDRESS: &str = "1 << 28";

/// Proposals for a word at the begin of an item or of a statement.
pub(super) fn propose_snippets(db: &dyn Db, around: &Around) -> Option<Vec<Completion>> {
    let begins = |label: &str| around.has_word && label.starts_with(&*around.word);
    let is_begin = around.before.is_empty() || matches!(around.text(0), ";" | "}" | "{");
    let is_wanted = ["axes", "kernel", "chain"].into_iter().any(begins);
    if !is_wanted || !is_begin || !names_a_library(db, around.file()) {
        return None;
    }
    let dialect = around.dialect(db);
    let here = around.item_here(db);
    let inside =
        here.filter(|(item, end)| (*end as usize) < item_text(db, *item).text.trim_end().len());
    if let Some((item, end)) = inside {
        let function = functions_around(db, item, end).next();
        return function
            .filter(|_| begins("chain"))
            .and_then(|function| chains(db, around, (dialect, function)));
    }
    if !around.openers.is_empty() {
        return None;
    }
    let rows = [
        ("axes", "the sizes of dimensions", axes_snippet()),
        (
            "kernel",
            "a load, a pass and a store",
            kernel_snippet(dialect)?,
        ),
    ];
    let rows = rows.into_iter().filter(|(label, ..)| begins(label));
    Some(rows.map(|row| snippet_completion(around, row)).collect())
}

fn snippet_completion(
    around: &Around,
    (label, detail, insert): (&str, &str, String),
) -> Completion {
    let mut found = word_proposal(around, label, CompletionKind::Snippet, 400);
    found.detail = Some(detail.to_owned());
    found.insert = insert;
    found.snippet = true;
    found
}

fn axes_snippet() -> String {
    "axes![${1:A} = ${2:2048}];$0".to_owned()
}

/// The name of a type of tensors of a memory, and its generics in the library's order.
fn tensor_type(
    dialect: Dialect,
    tier: Tier,
    scalar: ElementType,
    level: impl Fn(Level) -> Option<String>,
) -> Option<String> {
    let mut entries = dialect.types.iter().copied().flatten();
    let entry = entries.find(|entry| entry.shape == TypeShape::Tensor(tier, Access::Owned))?;
    let generics: Option<Vec<String>> = entry
        .parameters
        .iter()
        .map(|parameter| match parameter {
            TypeParameter::Scalar => Some(scalar.name().to_owned()),
            TypeParameter::Level(of) => Some(format!("m![{}]", level(*of)?)),
            _ => None,
        })
        .collect();
    Some(format!("{}<{}>", entry.name, generics?.join(", ")))
}

/// A pass that reads a tensor in packets of one flit and writes it back as it is.
struct Chain<'a> {
    dialect: Dialect,
    /// The whole context's name.
    context: &'a str,
    /// The tensor.
    tensor: &'a str,
    scalar: ElementType,
    time: &'a str,
    packet: &'a str,
    /// Where the result is put, where the call says that.
    address: &'a str,
}

impl Chain<'_> {
    fn write(&self, indent: &str) -> String {
        let Self {
            dialect, context, ..
        } = self;
        let generics = [
            (Generic::Scalar, self.scalar.name().to_owned()),
            (Generic::Level(Level::Time), format!("m![{}]", self.time)),
            (
                Generic::Level(Level::Packet),
                format!("m![{}]", self.packet),
            ),
        ];
        let mut calls = vec![
            "main".to_owned(),
            format!(
                "{}({}.{}())",
                dialect.begin_method_name(false),
                self.tensor,
                dialect.view().unwrap_or("view")
            ),
            dialect.write(CanonicalStage::Fetch, &generics, &[]),
            dialect.write(CanonicalStage::Collect, &generics, &[]),
        ];
        if dialect.method_of(CanonicalStage::CommitTrim).is_some() {
            calls.push(dialect.write(CanonicalStage::CommitTrim, &generics, &[]));
        }
        let address = [(Role::Address, self.address.to_owned())];
        calls.push(dialect.write(CanonicalStage::Commit, &[], &address));
        let calls: Vec<String> = calls
            .into_iter()
            .map(|call| format!("\n{indent}    .{call}"))
            .collect();
        format!("{context}{}", calls.concat())
    }
}

/// A kernel that loads a tensor, reads it once and stores it.
fn kernel_snippet(dialect: Dialect) -> Option<String> {
    let packet = FLIT_BYTES
        .checked_mul(8)?
        .checked_div(SNIPPET_TYPE.bits())?;
    let context = dialect.context_name();
    let types = dialect.types.iter().copied().flatten();
    let devices: Vec<&str> = types
        .filter(|entry| entry.shape == TypeShape::Device)
        .map(|entry| entry.name)
        .collect();
    // A release may know the name of another one, too; authors call the context as they call its type.
    let named = devices
        .iter()
        .find(|name| name.eq_ignore_ascii_case(context));
    let device = named.or_else(|| devices.first())?;
    let (rows, row) = ("${1:Rows}", "${2:Row}");
    let of_level = |level| {
        Some(match level {
            Level::Chip => "1".to_owned(),
            Level::Cluster => format!("1 # {}", dialect.machine().clusters),
            Level::Slice => "$1".to_owned(),
            Level::Element => "$2".to_owned(),
            _ => return None,
        })
    };
    let in_hbm = |level| match level {
        Level::Element => Some("$1, $2".to_owned()),
        other => of_level(other),
    };
    let hbm = tensor_type(dialect, Tier::Hbm, SNIPPET_TYPE, in_hbm)?;
    let dm = tensor_type(dialect, Tier::Dm, SNIPPET_TYPE, of_level)?;
    let transfer = |from, to, address: &str| {
        let arguments = [
            (Role::Context, format!("&mut {context}.tdma")),
            (Role::Address, address.to_owned()),
        ];
        dialect.write_transfer(from, to, &[], &arguments)
    };
    let load = transfer(Tier::Hbm, Tier::Dm, "0")?;
    let store = transfer(Tier::Dm, Tier::Hbm, RESULT_ADDRESS)?;
    let chain = Chain {
        dialect,
        context,
        tensor: "x",
        scalar: SNIPPET_TYPE,
        time: &format!("$2 / {packet}"),
        packet: &format!("$2 % {packet}"),
        address: SECOND_ADDRESS,
    };
    let chain = chain.write("    ");
    Some(format!(
        "axes![{rows} = {SNIPPET_SLICES}, {row} = {SNIPPET_ELEMENTS}];

#[device(chip = 1)]
fn ${{3:kernel}}({context}: &mut {device}, x: &{hbm}) -> {hbm} {{
    let x: {dm} = x.{load};
    let y: {dm} = {chain};
    $0y.{store}
}}"
    ))
}

/// A chain through the Tensor Unit for each of the last tensors in the slices.
fn chains(
    db: &dyn Db,
    around: &Around,
    (dialect, function): (Dialect, ItemId),
) -> Option<Vec<Completion>> {
    let context = declared_context(db, around)?;
    let (item, end) = around.item_here(db)?;
    let place = Place {
        dialect,
        context,
        function,
        body: body(db, function),
        derivation: function_derivation(db, function),
        here: Span {
            item,
            start: end,
            end,
        },
    };
    let is_above = |tensor: &&Tensor| tensor.span.item == item && tensor.span.start < end;
    let above = place.body.tensors.iter().rev().filter(is_above);
    let written =
        above.filter_map(|tensor| Some((tensor.name.as_deref()?, place.chain(db, tensor)?)));
    let mut found: Vec<Completion> = Vec::new();
    for (name, insert) in written {
        let label = format!("chain {name}");
        // A name that is bound again hides the one before.
        if found.iter().all(|known| known.label != label) {
            let detail = format!("`{name}` through the Tensor Unit");
            found.push(snippet_completion(around, (&label, &detail, insert)));
        }
        if found.len() >= CHAIN_LIMIT {
            break;
        }
    }
    Some(found)
}

/// Where a chain is to be written.
struct Place {
    dialect: Dialect,
    /// The whole context's name.
    context: String,
    function: ItemId,
    body: Arc<Body>,
    derivation: Arc<BodyDerivation>,
    here: Span,
}

impl Place {
    /// A chain that reads a tensor; none where its packets are no whole flits, where something of it is not known, or where there is no
    /// room for another one.
    fn chain(&self, db: &dyn Db, tensor: &Tensor) -> Option<String> {
        let is_owned = matches!(tensor.origin, Origin::Parameter | Origin::Operation(_));
        if tensor.tier != Tier::Dm || !is_owned || tensor.exclusive {
            return None;
        }
        let names = Names::at(db, self.here.item, self.here.start, self.here.end);
        let text = |mapping: &Mapping| names.text(mapping);
        let scalar = *tensor.element_type.get()?;
        let element = tensor.levels.element.get()?;
        let flit = FLIT_BYTES.checked_mul(8)?.checked_div(scalar.bits())?;
        let (time, packet) = element.form().split_at(flit)?;
        let written = tensor_type(self.dialect, Tier::Dm, scalar, |level| {
            let mut levels = tensor.levels.iter();
            let (_, mapping) = levels.find(|(known, _)| *known == level)?;
            text(mapping.get()?)
        });
        let chain = Chain {
            dialect: self.dialect,
            context: &self.context,
            tensor: tensor.name.as_deref()?,
            scalar,
            time: &text(&time.to_mapping())?,
            packet: &text(&packet.to_mapping())?,
            address: &self.address(db, tensor)?,
        };
        Some(format!(
            "let ${{1:y}}: {} = {};$0",
            written?,
            chain.write("")
        ))
    }

    /// The lowest free place for a tensor as large as another one; empty where the library chooses.
    fn address(&self, db: &dyn Db, like: &Tensor) -> Option<String> {
        if !self.dialect.is_addressed() {
            return Some(String::new());
        }
        let root = self.body.root(like.id);
        let mut lifetimes = self.derivation.memory.lifetimes.iter();
        let bytes = lifetimes.find(|lifetime| lifetime.tensor == root)?.bytes?;
        let free = addresses::free_places(db, self.function, (Tier::Dm, self.here), bytes)?;
        free.first().map(|(address, _)| format!("{address:#x}"))
    }
}

//! Mappings whose types are written out: `Pair<Stride<Symbol<A>, 8>, Broadcast<2>>` instead of `m![A / 8, 2]`.
//!
//! Knows what each type builds, as the macro's operator would; what the types are called is the library's to say.

use ra_ap_syntax::ast::{self, AstNode, HasGenericArgs};

use super::Resolver;
use crate::ids::Span;
use crate::libraries::MappingType;
use crate::mapping::{Mapping, MappingError, PaddingKind};

impl Resolver<'_> {
    /// The mapping of a type that the macro builds. The outer option says whether its arguments are those of a mapping.
    pub(super) fn built_type(
        &mut self,
        ty: MappingType,
        path: &ast::Path,
        start: Span,
    ) -> Option<Option<Mapping>> {
        let list = path.segment()?.generic_arg_list();
        let arguments: Vec<ast::GenericArg> = list
            .into_iter()
            .flat_map(|list| list.generic_args())
            .collect();
        let span = start.span_inside(&path.syntax().text_range().into());
        let built = match (ty, arguments.as_slice()) {
            (MappingType::Identity, []) => return Some(Some(Mapping::identity())),
            (MappingType::Axis, [axis]) => return self.operand(axis, start),
            (MappingType::Broadcast, [count]) => Mapping::broadcast(self.number(count, start)?),
            (MappingType::Pair, [left, right]) => {
                let (left, right) = (self.operand(left, start)?, self.operand(right, start)?);
                let Some((left, right)) = left.zip(right) else {
                    return Some(None);
                };
                left.pair(&right)
            }
            (_, [inner, factor, kind @ ..]) => {
                let Some(inner) = self.operand(inner, start)? else {
                    return Some(None);
                };
                let factor = self.number(factor, start)?;
                apply_operator(ty, &inner, factor, kind)?
            }
            _ => return None,
        };
        Some(self.checked_mapping(built, span))
    }

    /// An argument that is a mapping.
    fn operand(&mut self, argument: &ast::GenericArg, start: Span) -> Option<Option<Mapping>> {
        let ast::GenericArg::TypeArg(argument) = argument else {
            return None;
        };
        self.written_type(&argument.ty()?, start)
    }

    /// An argument that is a number, or a type that has the number as its size.
    fn number(&mut self, argument: &ast::GenericArg, start: Span) -> Option<u64> {
        if let ast::GenericArg::TypeArg(argument) = argument {
            let before = self.problems.len();
            let mapping = self.written_type(&argument.ty()?, start);
            self.problems.truncate(before);
            if let Some(mapping) = mapping {
                return Some(mapping?.size());
            }
        }
        // A path may name a constant as well as a type.
        let text = argument.syntax().text().to_string();
        self.constant_text(&text)?.as_u64()
    }
}

/// What an operator makes of a mapping; none for arguments that it does not take.
fn apply_operator(
    ty: MappingType,
    inner: &Mapping,
    factor: u64,
    kind: &[ast::GenericArg],
) -> Option<Result<Mapping, MappingError>> {
    Some(match (ty, kind) {
        (MappingType::Stride, []) => inner.stride(factor),
        (MappingType::Modulo, []) => inner.modulo(factor),
        (MappingType::Resize, []) => inner.resize(factor),
        (MappingType::Padding, []) => inner.pad_to(factor, PaddingKind::Top),
        (MappingType::Padding, [kind]) => inner.pad_to(factor, padding_kind(kind)?),
        _ => return None,
    })
}

/// The kind that a constant argument names, `{ PaddingKind::Zero }`.
fn padding_kind(argument: &ast::GenericArg) -> Option<PaddingKind> {
    let text = argument.syntax().text().to_string();
    let name = text.trim_end_matches([' ', '}']).rsplit("::").next()?;
    [PaddingKind::Top, PaddingKind::Zero, PaddingKind::Bottom]
        .into_iter()
        .find(|kind| format!("{kind:?}") == name.trim())
}

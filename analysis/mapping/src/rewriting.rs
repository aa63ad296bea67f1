//! An expression with parts of it replaced.

use super::{Mapping, MappingError, MappingKind};

/// What a part of an expression becomes: another one, or nothing where it is looked into.
type Change = Result<Option<Mapping>, MappingError>;

impl Mapping {
    /// The expression with parts replaced, from the outside in: where `change` gives a mapping, that is put in, and what it
    /// replaces is not looked into; all else is built again.
    ///
    /// # Errors
    ///
    /// What is wrong with a replacement, or with what is built around it.
    pub fn rewritten(&self, change: &impl Fn(&Self) -> Change) -> Result<Self, MappingError> {
        if let Some(changed) = change(self)? {
            return Ok(changed);
        }
        let inside = |inner: &Self| inner.rewritten(change);
        match self.kind() {
            MappingKind::Identity | MappingKind::Axis(_) | MappingKind::Broadcast(_) => {
                Ok(self.clone())
            }
            MappingKind::Stride(inner, n) => inside(inner)?.stride(n),
            MappingKind::Modulo(inner, n) => inside(inner)?.modulo(n),
            MappingKind::Resize(inner, n) => inside(inner)?.resize(n),
            MappingKind::Pad(inner, n, kind) => inside(inner)?.pad_to(n, kind),
            MappingKind::Product(parts) => {
                let parts: Result<Vec<Self>, MappingError> = parts.iter().map(inside).collect();
                Self::product(&parts?)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, PaddingKind};
    use super::*;

    /// `[A / 2 # 8, B]`.
    fn mapping(a: u64) -> Mapping {
        let axis = |name: &str, size| Mapping::axis(Axis::new(name, size));
        let part = axis("A", a)
            .stride(2)
            .and_then(|half| half.pad_to(8, PaddingKind::Top));
        Mapping::product(&[part.expect("sizes that fit"), axis("B", 4)]).expect("a small size")
    }

    #[test]
    fn replaced_parts_are_put_into_what_is_around_them() {
        let larger = |part: &Mapping| {
            let is_a = matches!(part.kind(), MappingKind::Axis(axis) if axis.name() == "A");
            Ok(is_a.then(|| Mapping::axis(Axis::new("A", 16))))
        };
        assert_eq!(mapping(12).rewritten(&larger), Ok(mapping(16)));
        assert_eq!(mapping(12).rewritten(&|_| Ok(None)), Ok(mapping(12)));
        // What is replaced as a whole is not looked into.
        let whole = |part: &Mapping| {
            let is_padded = matches!(part.kind(), MappingKind::Pad(..));
            if is_padded {
                Ok(Some(part.clone()))
            } else {
                larger(part)
            }
        };
        assert_eq!(mapping(12).rewritten(&whole), Ok(mapping(12)));
        // 18 / 2 is more than the padding of 8 holds.
        let too_large = |part: &Mapping| {
            let is_a = matches!(part.kind(), MappingKind::Axis(axis) if axis.name() == "A");
            Ok(is_a.then(|| Mapping::axis(Axis::new("A", 18))))
        };
        assert!(mapping(12).rewritten(&too_large).is_err());
    }
}

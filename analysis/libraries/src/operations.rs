//! What a library calls the operations of the Vector Engine: enums by group and type, variants by function.
//!
//! Which ALU runs an operation is the hardware's.

use visa_hardware::{Alu, ElementType, Function, OperationGroup, VECTOR_OPERATIONS};
use visa_hardware::{VectorOperation, same_function};

/// An enum of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationEnum {
    /// Its name.
    pub name: &'static str,
    /// Which operations its variants are.
    pub group: OperationGroup,
    /// The type of the stream that they take.
    pub element_type: ElementType,
    /// Its variants.
    pub variants: &'static [(&'static str, Function)],
}

/// What a library calls operations.
#[derive(Debug, Clone, Copy)]
pub struct OperationNames {
    /// Its enums of operations.
    pub enums: &'static [OperationEnum],
    /// The enum that chooses among several ALUs of one operation.
    pub choice: &'static str,
    /// The variants of that enum.
    pub choices: &'static [(&'static str, Alu)],
    /// Operations that are named and have no body.
    pub without_body: &'static [(OperationGroup, Function)],
}

/// An operation with what a library calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedOperation {
    /// The enum.
    pub enumeration: &'static str,
    /// The variant.
    pub variant: &'static str,
    /// The argument of the variant, where several ALUs run it.
    pub argument: Option<&'static str>,
    /// The operation.
    pub operation: &'static VectorOperation,
}

impl OperationEnum {
    fn has(&self, operation: &VectorOperation) -> bool {
        self.group == operation.group && self.element_type == operation.element_type
    }

    fn variant_of(&self, function: Function) -> Option<&'static str> {
        let mut variants = self.variants.iter();
        let found = variants.find(|(_, known)| *known == function);
        found.map(|(name, _)| *name)
    }
}

impl OperationNames {
    /// No names at all.
    pub const NONE: Self = Self {
        enums: &[],
        choice: "",
        choices: &[],
        without_body: &[],
    };

    /// The enum of that name; `None` if it holds no operations.
    pub fn enumeration(&self, name: &str) -> Option<&'static OperationEnum> {
        self.enums.iter().find(|known| known.name == name)
    }

    /// Whether an enum of operations has a variant of that name.
    pub fn has_variant(&self, enumeration: &str, variant: &str) -> bool {
        let known = self.enumeration(enumeration);
        known.is_some_and(|known| known.variants.iter().any(|(name, _)| *name == variant))
    }

    /// The operations of an enum, in the hardware's order; none if it is no enum of operations.
    pub fn operations_of(&self, enumeration: &str) -> impl Iterator<Item = NamedOperation> {
        let known = self.enumeration(enumeration).into_iter();
        known.flat_map(|known| {
            let operations = VECTOR_OPERATIONS.iter();
            operations.filter_map(|operation| self.named(known, operation))
        })
    }

    /// The operations of a group and type, in the hardware's order.
    pub fn of_group(
        &self,
        group: OperationGroup,
        element_type: ElementType,
    ) -> impl Iterator<Item = NamedOperation> {
        let mut enums = self.enums.iter();
        let known = enums.find(|known| known.group == group && known.element_type == element_type);
        let operations = VECTOR_OPERATIONS.iter();
        operations.filter_map(move |operation| self.named(known?, operation))
    }

    /// The operation of that name; the argument decides only where several ALUs run it.
    pub fn find(
        &self,
        enumeration: &str,
        variant: &str,
        argument: Option<&str>,
    ) -> Option<NamedOperation> {
        let known = self.enumeration(enumeration)?;
        let function = known.variants.iter().find(|(name, _)| *name == variant)?.1;
        let of_function = VECTOR_OPERATIONS
            .iter()
            .filter(|operation| operation.function == function);
        of_function
            .filter_map(|operation| self.named(known, operation))
            .find(|found| found.argument.is_none() || found.argument == argument)
    }

    /// What an operation is called; `None` if the library does not have it.
    pub fn name_of(&self, operation: &'static VectorOperation) -> Option<NamedOperation> {
        let mut enums = self.enums.iter();
        enums.find_map(|known| self.named(known, operation))
    }

    /// An operation as an author writes it; empty if the library does not have it.
    pub fn write(&self, operation: &'static VectorOperation) -> String {
        let Some(named) = self.name_of(operation) else {
            return String::new();
        };
        let path = format!("{}::{}", named.enumeration, named.variant);
        match named.argument {
            Some(argument) => format!("{path}({}::{argument})", self.choice),
            None => path,
        }
    }

    /// A function of a group and type as an author writes it, without the choice among ALUs; empty if there is none.
    pub fn variant(&self, group: OperationGroup, function: Function) -> &'static str {
        let mut enums = self.enums.iter().filter(|known| known.group == group);
        let found = enums.find_map(|known| known.variant_of(function));
        found.unwrap_or_default()
    }

    /// Whether the library names an operation and has no body for it.
    pub fn is_without_body(&self, operation: &VectorOperation) -> bool {
        self.without_body
            .contains(&(operation.group, operation.function))
    }

    fn named(
        &self,
        known: &OperationEnum,
        operation: &'static VectorOperation,
    ) -> Option<NamedOperation> {
        if !known.has(operation) {
            return None;
        }
        let chosen = same_function(operation).any(|other| other.group == operation.group);
        let mut choices = self.choices.iter();
        let argument = choices.find(|(_, alu)| chosen && operation.alu == Some(*alu));
        Some(NamedOperation {
            enumeration: known.name,
            variant: known.variant_of(operation.function)?,
            argument: argument.map(|(name, _)| *name),
            operation,
        })
    }
}

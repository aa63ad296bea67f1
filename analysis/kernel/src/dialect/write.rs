//! What a fix writes, in a library's words: calls of methods, topologies, regions.
//!
//! A fix of a kernel says which stage it wants and what each part of the call is; how that is called and in which order
//! it is written is the library's.

use crate::catalogue::{CanonicalStage, Generic, Role};
use crate::{SwitchConfig, Tier, TrfAddress};

use super::method::Argument;
use super::{Access, Action, Dialect, Method, Receiver};

impl Dialect {
    /// The name of the method for a stage; the catalogue's where the library has none.
    pub fn name_of(&self, stage: CanonicalStage) -> &'static str {
        self.method_of(stage)
            .map_or(stage.row().name, |method| method.name)
    }

    /// The name of the method that begins a stream, of one tensor or of several in turn.
    pub fn begin_method_name(&self, interleaved: bool) -> &'static str {
        let wanted = if interleaved {
            Action::BeginInterleaved
        } else {
            Action::Begin
        };
        self.every_method()
            .find(|method| method.action == wanted)
            .map_or("", |method| method.name)
    }

    /// A method with its generics, without its arguments: `collect::<m![A], m![B]>`. What is not given is left to inference.
    pub fn write_method(&self, stage: CanonicalStage, generics: &[(Generic, String)]) -> String {
        let mut text = self.name_of(stage).to_owned();
        let parameters = self
            .method_of(stage)
            .map_or(&[][..], |method| method.generics);
        text.push_str(&turbofish(parameters, generics));
        text
    }

    /// The name of the method that gives a view of a whole tensor in DM.
    pub fn view(&self) -> Option<&'static str> {
        let mut methods = self.every_method();
        let view = methods
            .find(|method| method.action == Action::View(Access::Shared) && method.is_of(Tier::Dm));
        view.map(|method| method.name)
    }

    /// The call of a transfer that makes a tensor of a tier: `to_dm::<m![A], m![B]>(&mut ctx.tdma, 0)`. `None` where the
    /// release has no such transfer between the tiers.
    pub fn write_transfer(
        &self,
        from: Tier,
        to: Tier,
        generics: &[(Generic, String)],
        arguments: &[(Role, String)],
    ) -> Option<String> {
        let mut methods = self.every_method();
        let method = methods.find(|method| {
            method.action == Action::Transfer(to)
                && method.is_of(from)
                && method.is_published()
                && method.has_role(Role::Address) == self.is_addressed()
        })?;
        Some(format!(
            "{}{}({})",
            method.name,
            turbofish(method.generics, generics),
            arguments_text(method.arguments, arguments)
        ))
    }

    /// A call: `collect::<m![A], m![B]>()`. An argument that is not given is what authors usually write.
    pub fn write(
        &self,
        stage: CanonicalStage,
        generics: &[(Generic, String)],
        arguments: &[(Role, String)],
    ) -> String {
        let parameters = self
            .method_of(stage)
            .map_or(&[][..], |method| method.arguments);
        format!(
            "{}({})",
            self.write_method(stage, generics),
            arguments_text(parameters, arguments)
        )
    }

    /// A topology of the Switch Engine without its enum: `Broadcast1 { slice1: 4, slice0: 2 }`; `None` where the library does
    /// not have it or a size is unknown.
    pub fn write_switch(&self, config: &SwitchConfig) -> Option<String> {
        let word = self.words.switch_of(config.topology())?;
        let fields: Option<Vec<String>> = word
            .fields
            .iter()
            .map(|(name, parameter)| {
                Some(format!("{name}: {}", config.parameter(*parameter)?.get()?))
            })
            .collect();
        Some(format!("{} {{ {} }}", word.name, fields?.join(", ")))
    }

    /// The same with its enum, as an argument: the enum, then `Broadcast1 { slice1: 4, slice0: 2 }`.
    pub fn write_configured_switch(&self, config: &SwitchConfig) -> Option<String> {
        let topology = self.write_switch(config)?;
        Some(format!("{}::{topology}", self.words.switch_type))
    }

    /// A region of the TRF.
    pub fn write_region(&self, region: TrfAddress) -> String {
        format!(
            "{}::{}",
            self.words.trf_type,
            self.words.trf_region_name(region)
        )
    }
}

/// The generics of a method in its order; what is not given is left to inference. Empty where nothing is given.
fn turbofish(parameters: &[Generic], generics: &[(Generic, String)]) -> String {
    if parameters.is_empty() || generics.is_empty() {
        return String::new();
    }
    let mut given: Vec<&(Generic, String)> = generics.iter().collect();
    let written: Vec<&str> = parameters
        .iter()
        .map(|parameter| {
            let at = given.iter().position(|(known, _)| known == parameter);
            at.map_or("_", |at| given.remove(at).1.as_str())
        })
        .collect();
    format!("::<{}>", written.join(", "))
}

/// The arguments of a method in its order; what is not given is what authors usually write.
fn arguments_text(parameters: &[Argument], arguments: &[(Role, String)]) -> String {
    let written: Vec<&str> = parameters
        .iter()
        .map(|parameter| {
            let given = arguments.iter().find(|(role, _)| *role == parameter.role);
            match given {
                Some((_, text)) => text.as_str(),
                None if parameter.usual.is_empty() => parameter.name,
                None => parameter.usual,
            }
        })
        .collect();
    written.join(", ")
}

impl Method {
    /// Whether it is one of tensors of a tier.
    fn is_of(&self, tier: Tier) -> bool {
        matches!(self.receiver, Receiver::Tensor(own, _) if own == tier)
    }

    /// Its name with what tells it from another of that name: `fetch::<_, _, _>`, `commit(address)`.
    pub fn told_apart(&self, other: &Self) -> String {
        let mut text = self.name.to_owned();
        if self.generics.len() != other.generics.len() {
            let places = vec!["_"; self.generics.len()];
            text.push_str(&format!("::<{}>", places.join(", ")));
        }
        let roles = |method: &Self| {
            let arguments = method.arguments.iter();
            let parts = arguments.map(|argument| (argument.role, argument.optional));
            parts.collect::<Vec<_>>()
        };
        if roles(self) != roles(other) {
            let arguments = self.arguments.iter();
            let names: Vec<&str> = arguments.map(|argument| argument.name).collect();
            text.push_str(&format!("({})", names.join(", ")));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::{OPT_STD, VISA_STD};
    use super::*;
    use crate::Level;

    #[test]
    fn calls_have_the_librarys_order_of_generics() {
        let time = (Generic::Level(Level::Time), "m![A]".to_owned());
        let packet = (Generic::Level(Level::Packet), "m![B]".to_owned());
        assert_eq!(
            VISA_STD.in_newest_release().write(
                CanonicalStage::Collect,
                &[packet.clone(), time.clone()],
                &[]
            ),
            "collect::<m![A], m![B]>()"
        );
        assert_eq!(
            VISA_STD.in_newest_release().write(
                CanonicalStage::Align,
                &[time, packet],
                &[(Role::Weights, "&w".to_owned())]
            ),
            "align::<m![A], m![B], _, _>(&w)"
        );
        assert_eq!(
            VISA_STD
                .in_newest_release()
                .write(CanonicalStage::VectorBranch, &[], &[]),
            "vector_intra_slice_branch(BranchMode::Unconditional)"
        );
        assert_eq!(
            VISA_STD
                .in_newest_release()
                .write_region(TrfAddress::SecondHalf),
            "TrfAddress::SecondHalf"
        );
    }

    #[test]
    fn every_stage_of_a_pass_has_a_name() {
        for row in crate::catalogue::CATALOGUE {
            let mut libraries =
                [VISA_STD.in_newest_release(), OPT_STD.in_newest_release()].into_iter();
            let named = libraries.any(|library| library.method_of(row.stage).is_some());
            assert!(named, "{}", row.name);
        }
    }
}

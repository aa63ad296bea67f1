//! Texts that leave a library's names open: `` "`{split}` keeps both halves" `` says what the library calls a split.
//!
//! Knows which names a text may leave open; what the text says is decided elsewhere.

use std::borrow::Cow;

use crate::catalogue::CATALOGUE;
use crate::libraries::Library;
use crate::{SwitchParameter, SwitchTopology};

use super::{Constructor, Dialect};

impl Dialect {
    /// The text with a library's names in place of what is in braces. A name that is none stays as it is written.
    pub fn fill_names(&self, text: &'static str) -> Cow<'static, str> {
        if !text.contains('{') {
            return Cow::Borrowed(text);
        }
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('{') {
            filled.push_str(before);
            let Some((term, after)) = behind.split_once('}') else {
                filled.push('{');
                rest = behind;
                break;
            };
            match self.term(term) {
                Some(name) => filled.push_str(name),
                None => filled.push_str(&format!("{{{term}}}")),
            }
            rest = after;
        }
        filled.push_str(rest);
        Cow::Owned(filled)
    }

    /// What the library calls something: a stage by its name in the catalogue, or one of the few things that are no stage.
    fn term(&self, term: &str) -> Option<&'static str> {
        let topology = |topology| Some(self.words.switch_of(topology)?.name);
        match term {
            "crate of the book" => Some(Library::VisaStd.crate_name()),
            "crate of the successor" => Some(Library::OptStd.crate_name()),
            "tensor at an address" => {
                let mut functions = self.associated.iter();
                let at_address = functions.find(|own| own.constructor == Constructor::FromAddress);
                at_address.map(|own| own.name)
            }
            "broadcast of both parts" => topology(SwitchTopology::Broadcast01),
            "transpose into time" => topology(SwitchTopology::InterTranspose),
            "ring size" => Some(self.words.switch_field(SwitchParameter::RingSize)),
            _ => {
                let row = CATALOGUE.iter().find(|row| row.name == term)?;
                Some(self.name_of(row.stage))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::VISA_STD;

    #[test]
    fn names_are_the_librarys() {
        let library = VISA_STD.in_newest_release();
        assert_eq!(library.fill_names("no names"), "no names");
        assert_eq!(
            library.fill_names("`{split}` and `{trim}`, or {nothing} and {"),
            "`vector_split` and `vector_trim_way4`, or {nothing} and {"
        );
        assert_eq!(
            library.fill_names("{ring size}, {tensor at an address}, {transpose into time}"),
            "ring_size, from_addr, InterTranspose"
        );
    }
}

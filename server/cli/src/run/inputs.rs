//! Inputs as the command line gives them: numpy files and numbers.

use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use visa_analysis::arrays::{FileArray, read_npy};
use visa_analysis::{InputPlace, InputValue, RunInput};

use crate::project::Failure;
use crate::project::regular::open_regular;

/// Inputs that are not read yet.
#[derive(Debug)]
pub(crate) struct InputFiles(Vec<(InputPlace, Arc<str>)>);

/// A name before `=` and the rest; a path may have a `=`, too, but no parameter has a name like a path.
pub(super) fn parted(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((name, rest)) if is_parameter(name) => (Some(name), rest),
        _ => (None, text),
    }
}

/// Whether it may be a parameter's name: `x`, `params.q`, `layers[0].w`, `result.0`.
fn is_parameter(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '[' | ']'))
}

impl InputFiles {
    /// The inputs of `--input`, in its order: those without a name are for the next parameters.
    pub(crate) fn named(given: &[String]) -> Result<Self, Failure> {
        let mut inputs: Vec<(InputPlace, Arc<str>)> = Vec::new();
        let mut position = 0;
        for text in given {
            let (name, rest) = parted(text);
            let place = match name {
                Some(name) => InputPlace::Name(name.into()),
                None => {
                    position += 1;
                    InputPlace::Position(position - 1)
                }
            };
            if inputs.iter().any(|(other, _)| *other == place) {
                return Err(Failure::new(format!("--input: `{text}` is given twice")));
            }
            inputs.push((place, rest.into()));
        }
        Ok(Self(inputs))
    }

    /// Reads them. `most_bytes` limits each.
    pub(crate) fn read(&self, most_bytes: u64) -> Result<Vec<RunInput>, Failure> {
        let read = self.0.iter().map(|(place, text)| {
            Ok(RunInput {
                place: place.clone(),
                value: value_of(text, most_bytes)?,
                source: Arc::clone(text),
            })
        });
        read.collect()
    }
}

/// A number, `true` or `false` is a scalar of run time; all else a file.
fn value_of(text: &str, most_bytes: u64) -> Result<InputValue, Failure> {
    match text {
        "true" => return Ok(InputValue::Scalar(1)),
        "false" => return Ok(InputValue::Scalar(0)),
        _ => {}
    }
    if let Ok(number) = text.parse() {
        return Ok(InputValue::Scalar(number));
    }
    Ok(InputValue::Array(read_file(text, most_bytes)?))
}

/// Reads a numpy file.
pub(super) fn read_file(path: &str, most_bytes: u64) -> Result<FileArray, Failure> {
    let failed = |why: String| Failure::new(format!("`{path}` is no input: {why}"));
    // The header says how many bytes follow, so that the reader has the limit.
    let file = open_regular(Path::new(path), u64::MAX).map_err(failed)?;
    read_npy(BufReader::new(file), most_bytes).map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_before_an_equals_sign_and_positions_count_the_others() {
        let given = ["a.npy", "n=3", "b=x/y.npy", "./odd=name.npy"].map(str::to_owned);
        let InputFiles(inputs) = InputFiles::named(&given).unwrap();
        let expected = [
            (InputPlace::Position(0), "a.npy"),
            (InputPlace::Name("n".into()), "3"),
            (InputPlace::Name("b".into()), "x/y.npy"),
            (InputPlace::Position(1), "./odd=name.npy"),
        ];
        for ((place, text), (expected_place, expected_text)) in inputs.iter().zip(expected) {
            assert_eq!((place, &**text), (&expected_place, expected_text));
        }
        let twice = ["n=3".to_owned(), "n=4".to_owned()];
        assert!(InputFiles::named(&twice).is_err());
    }

    #[test]
    fn numbers_and_truth_are_scalars() {
        assert_eq!(value_of("-3", 10).unwrap(), InputValue::Scalar(-3));
        assert_eq!(value_of("true", 10).unwrap(), InputValue::Scalar(1));
        assert!(value_of("no/such/file.npy", 10).is_err());
    }
}

//! The vectors and kernels of `fixtures/run` executed: values, verdicts and masks as the library and its patched build have them.

#![allow(clippy::expect_used, reason = "a test whose data is missing must fail")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use visa_arrays::{Array, Bits, ElementKind, FileArray, read_npy};

use visa_analysis::{
    InputPlace, InputValue, Layout, Options, RunInput, RunOutput, RunRefusal, RunReport,
    RunRequest, Workspace,
};

fn fixtures(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/run")
        .join(kind)
}

fn index(kind: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(fixtures(kind).join("index.json")).expect("an index");
    let index: Value = serde_json::from_str(&text).expect("JSON");
    index["kernels"].as_array().expect("kernels").clone()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or("")
}

fn file(kind: &str, value: &Value, key: &str) -> Option<FileArray> {
    let path = fixtures(kind).join(value[key].as_str()?);
    let reader = std::fs::File::open(&path).expect("a file");
    Some(read_npy(std::io::BufReader::new(reader), u64::MAX).expect("a numpy file"))
}

/// The elements of a numpy file of booleans of a given length: its last bytes.
fn booleans(kind: &str, value: &Value, key: &str, count: usize) -> Option<Vec<bool>> {
    let bytes = std::fs::read(fixtures(kind).join(value[key].as_str()?)).expect("a file");
    let start = bytes.len() - count;
    Some(bytes[start..].iter().map(|byte| *byte != 0).collect())
}

fn kind_named(name: &str) -> ElementKind {
    ElementKind::ALL
        .into_iter()
        .find(|kind| kind.name() == name)
        .expect("a kind")
}

/// A workspace with a kernel, the kernel's path, and the request of its inputs.
fn prepared(kind: &str, kernel: &Value) -> (Workspace, String, RunRequest) {
    let path = text(kernel, "kernel").to_owned();
    let source = std::fs::read_to_string(fixtures(kind).join(&path)).expect("a kernel");
    let mut workspace = Workspace::new();
    workspace.set_options(Options::default());
    workspace.set_file(&path, &source);
    let inputs = kernel["inputs"].as_array().expect("inputs");
    let inputs = inputs.iter().enumerate().map(|(number, input)| RunInput {
        place: InputPlace::Position(number),
        value: match file(kind, input, "file") {
            Some(array) => InputValue::Array(array),
            None => InputValue::Scalar(input["value"].as_i64().expect("a number")),
        },
        source: Arc::from(format!("input {number}")),
    });
    let request = RunRequest {
        function: Some(Arc::from(text(kernel, "function"))),
        inputs: inputs.collect(),
        layout: Layout::Physical,
        ..RunRequest::default()
    };
    (workspace, path, request)
}

fn run(kind: &str, kernel: &Value) -> Result<RunReport, RunRefusal> {
    let (workspace, path, request) = prepared(kind, kernel);
    workspace.analysis().run(&path, &request)
}

/// The distance of two floats in steps of their type.
fn steps(found: f32, expected: f32, kind: ElementKind) -> u64 {
    if found.is_nan() && expected.is_nan() {
        return 0;
    }
    let number = |value: f32| {
        let bits = i64::from(value.to_bits().cast_signed());
        if bits < 0 {
            i64::from(i32::MIN) - bits
        } else {
            bits
        }
    };
    let distance = number(found).abs_diff(number(expected));
    if kind == ElementKind::Bf16 {
        distance >> 16
    } else {
        distance
    }
}

fn number_at(array: &Array, at: usize) -> f64 {
    array.number_at(at).expect("an element")
}

/// The first place where an output differs from what is expected, of those that are compared.
fn first_difference(
    found: &Array,
    expected: &Array,
    compared: &[bool],
    tolerance: &Value,
) -> Option<String> {
    assert_eq!(
        (found.kind(), found.len()),
        (expected.kind(), expected.len())
    );
    let allowed = tolerance["ulp"].as_u64().unwrap_or(0);
    let relative = tolerance["relative"].as_f64();
    (0..found.len()).filter(|at| compared[*at]).find_map(|at| {
        let (own, wanted) = (number_at(found, at), number_at(expected, at));
        let is_equal = match relative {
            Some(relative) => (own - wanted).abs() <= relative * wanted.abs() || own == wanted,
            None if found.kind().is_float() => {
                let near = steps(own as f32, wanted as f32, found.kind()) <= allowed;
                near || own == wanted
            }
            None => own == wanted,
        };
        (!is_equal).then(|| format!("element {at} is {own} and not {wanted}"))
    })
}

fn expected_array(kind: &str, output: &Value) -> Array {
    let array = file(kind, output, "file").expect("a file");
    let shape = array.shape.clone();
    let element = kind_named(text(output, "dtype"));
    array
        .fitted(element, &[shape], visa_arrays::Arithmetic::NEWEST)
        .expect("an array")
        .array
}

/// Positions of an output that are compared.
fn compared(kind: &str, output: &Value, count: usize) -> Vec<bool> {
    booleans(kind, output, "compare", count).unwrap_or_else(|| vec![true; count])
}

fn check_shape(own: &RunOutput, output: &Value) -> Result<(), String> {
    let shape: Vec<usize> = output["shape"]
        .as_array()
        .expect("a shape")
        .iter()
        .map(|size| usize::try_from(size.as_u64().expect("a size")).expect("a size"))
        .collect();
    if own.shape != shape {
        return Err(format!("the shape is {:?} and not {shape:?}", own.shape));
    }
    Ok(())
}

fn vector(kernel: &Value) -> Result<(), String> {
    let kind = "vectors";
    let report = run(kind, kernel)
        .map_err(|refusal| format!("refused: {} {:?}", refusal.reason, refusal.place))?;
    let outputs = kernel["outputs"].as_array().expect("outputs");
    if report.outputs.len() != outputs.len() {
        let found: Vec<_> = report
            .findings
            .iter()
            .map(|finding| &finding.message)
            .collect();
        return Err(format!("{} outputs: {found:?}", report.outputs.len()));
    }
    for (own, output) in report.outputs.iter().zip(outputs) {
        check_shape(own, output)?;
        let expected = expected_array(kind, output);
        let compared = compared(kind, output, expected.len());
        if let Some(difference) =
            first_difference(&own.values, &expected, &compared, &kernel["tolerance"])
        {
            return Err(format!("`{}`: {difference}", own.name));
        }
        let live =
            (0..expected.len()).filter(|at| own.live.as_ref().is_none_or(|live| live.is_set(*at)));
        let undefined = live.filter(|at| !own.defined.is_set(*at)).count();
        let wants_defined = text(kernel, "poison") == "all defined";
        if wants_defined != (undefined == 0) {
            let found: Vec<_> = report
                .findings
                .iter()
                .map(|finding| &finding.message)
                .collect();
            return Err(format!("{undefined} elements are undefined: {found:?}"));
        }
    }
    Ok(())
}

#[test]
fn every_vector_has_the_numbers_of_the_library() {
    let kernels = index("vectors");
    assert_eq!(kernels.len(), 45);
    let wrong: Vec<String> = kernels
        .iter()
        .filter_map(|kernel| {
            Some(format!(
                "{}: {}",
                text(kernel, "name"),
                vector(kernel).err()?
            ))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn poison(kernel: &Value) -> Result<(), String> {
    let kind = "poison";
    let report = run(kind, kernel)
        .map_err(|refusal| format!("refused: {} {:?}", refusal.reason, refusal.place))?;
    let rules: Vec<&str> = report.findings.iter().map(|finding| finding.rule).collect();
    let verdict = text(kernel, "verdict");
    if verdict == "error" {
        return if rules == ["run_error"] {
            Ok(())
        } else {
            Err(format!("an error, and not {rules:?}"))
        };
    }
    let output = &kernel["outputs"][0];
    let own = report
        .outputs
        .first()
        .ok_or_else(|| format!("no output: {:?}", report.findings))?;
    check_shape(own, output)?;
    let count = own.values.len();
    let live = compared(kind, output, count);
    let mask =
        booleans(kind, output, "undefined_mask", count).unwrap_or_else(|| vec![false; count]);
    let is_live = |at: &usize| own.live.as_ref().is_none_or(|bits: &Bits| bits.is_set(*at));
    let wrong = (0..count)
        .filter(is_live)
        .find(|at| own.defined.is_set(*at) == mask[*at]);
    if let Some(at) = wrong {
        let messages: Vec<&String> = report
            .findings
            .iter()
            .map(|finding| &finding.message)
            .collect();
        return Err(format!(
            "element {at}: defined is {}, {messages:?}",
            own.defined.is_set(at)
        ));
    }
    let undefined = output["undefined"].as_u64().expect("a count");
    if own.undefined + own.stale != undefined {
        return Err(format!(
            "{} undefined and not {undefined}",
            own.undefined + own.stale
        ));
    }
    let expected_rules: &[&str] = match verdict {
        "defined" => &[],
        "stale" => &["run_stale"],
        _ => &["run_undefined"],
    };
    let mut known = rules.clone();
    known.dedup();
    if known != expected_rules {
        return Err(format!("the findings are {rules:?}"));
    }
    if report
        .findings
        .iter()
        .any(|finding| finding.origin.is_none() || finding.help.is_none())
    {
        return Err(format!(
            "a finding without its origin: {:?}",
            report.findings
        ));
    }
    let expected = expected_array(kind, output);
    let compared: Vec<bool> = (0..count)
        .map(|at| live[at] && !mask[at] && is_live(&at))
        .collect();
    match first_difference(&own.values, &expected, &compared, &Value::Null) {
        Some(difference) => Err(difference),
        None => Ok(()),
    }
}

#[test]
fn every_kernel_has_the_verdict_and_the_mask_of_the_patched_library() {
    let kernels = index("poison");
    assert_eq!(kernels.len(), 38);
    let wrong: Vec<String> = kernels
        .iter()
        .filter_map(|kernel| {
            Some(format!(
                "{}: {}",
                text(kernel, "name"),
                poison(kernel).err()?
            ))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The first defined element of an output that junk in undefined ones changes.
fn changed_by_junk(plain: &RunOutput, junk: &RunOutput) -> Option<usize> {
    assert_eq!(plain.defined, junk.defined);
    (0..plain.values.len())
        .filter(|at| plain.defined.is_set(*at))
        .find(|at| {
            let (one, other) = (number_at(&plain.values, *at), number_at(&junk.values, *at));
            one.to_bits() != other.to_bits() && !(one.is_nan() && other.is_nan())
        })
}

#[test]
fn no_defined_element_depends_on_an_undefined_one() {
    let mut wrong = Vec::new();
    for kind in ["vectors", "poison"] {
        for kernel in index(kind) {
            let name = text(&kernel, "name").to_owned();
            let (workspace, path, request) = prepared(kind, &kernel);
            let analysis = workspace.analysis();
            let Ok(report) = analysis.run(&path, &request) else {
                wrong.push(format!("{name} does not run"));
                continue;
            };
            if report.outputs.is_empty() {
                continue;
            }
            for seed in [None, Some(1)] {
                let junk = analysis
                    .run_with_junk(&path, &request, seed)
                    .expect("a run");
                for (plain, junk) in report.outputs.iter().zip(&junk) {
                    if let Some(at) = changed_by_junk(plain, junk) {
                        wrong.push(format!(
                            "{name}: element {at} of `{}`, {seed:?}",
                            plain.name
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

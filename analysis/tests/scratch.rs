#![allow(clippy::all, missing_docs)]
use std::sync::Arc;
use visa_arrays::read_npy;
use visa_analysis::{IndexRange, InputPlace, InputValue, Options, RunInput, RunRequest, Workspace, dialect_line, Layout};
#[test]
fn scratch() {
    let list = std::fs::read_to_string(std::env::var("SCRATCH_LIST").unwrap()).unwrap();
    let out = std::env::var("SCRATCH_OUT").unwrap();
    let mut text = String::new();
    for line in list.lines() {
        let mut words = line.split_whitespace();
        let path = words.next().unwrap();
        let wanted = words.next();
        let inputs: Vec<&str> = words.collect();
        let source = std::fs::read_to_string(path).unwrap();
        let mut workspace = Workspace::new();
        workspace.set_options(Options::default());
        if let Some(d) = dialect_line(&source) { workspace.set_dialect(d.clone()); }
        workspace.set_file(path, &source);
        let analysis = workspace.analysis();
        for function in analysis.device_functions(path) {
            if wanted.is_some_and(|wanted| *wanted != *function) { continue; }
            let mut request = RunRequest { function: Some(Arc::clone(&function)), index_range: Some(IndexRange { first: 0, last: 0 }), layout: Layout::Physical, ..RunRequest::default() };
            for input in &inputs {
                let (name, value) = input.split_once('=').unwrap();
                let value = match value.parse::<i64>() {
                    Ok(n) => InputValue::Scalar(n),
                    Err(_) => InputValue::Array(read_npy(std::io::BufReader::new(std::fs::File::open(value).unwrap()), u64::MAX).unwrap()),
                };
                request.inputs.push(RunInput { place: InputPlace::Name(Arc::from(name)), value, source: Arc::from(*input) });
            }
            let start = std::time::Instant::now();
            let mut result = analysis.run(path, &request);
            for _ in 0..9 {
                let Err(refusal) = &result else { break };
                let Some(rest) = refusal.reason.strip_prefix("the number `") else { break };
                let Some((name, _)) = rest.split_once('`') else { break };
                request.inputs.push(RunInput { place: InputPlace::Name(Arc::from(name)), value: InputValue::Scalar(1), source: Arc::from("1") });
                result = analysis.run(path, &request);
            }
            let ms = start.elapsed().as_millis();
            match result {
                Ok(report) => {
                    if report.findings.is_empty() { text.push_str(&format!("OK\t{ms}\t{path}\t{function}\n")); }
                    for f in &report.findings { text.push_str(&format!("FOUND\t{ms}\t{path}\t{function}\t{}\t{:?}\n", f.message, f.origin.as_ref().map(|o| o.range.start.line))); }
                    if !inputs.is_empty() { for o in &report.outputs { text.push_str(&format!("OUT {} {:?} undefined {} : ", o.name, o.shape, o.undefined)); for i in 0..o.values.len() { text.push_str(&format!("{} ", o.values.number_at(i).unwrap_or(f64::NAN))); } text.push('\n'); } }
                }
                Err(r) => text.push_str(&format!("REFUSED\t{ms}\t{path}\t{function}\t{}\t{:?}\n", r.reason, r.place.as_ref().map(|(f, o)| (f.clone(), o.start.line)))),
            }
        }
        std::fs::write(&out, &text).unwrap();
    }
}

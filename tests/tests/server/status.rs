//! A workspace without kernels: the server says so to a client that shows it.

use serde_json::json;

use super::diagnostics::pull_workspace;
use super::support::{Setup, uri_of};

/// Ordinary Rust, with what could be taken for a kernel: a method `view`, a type `Tensor`, loops, numbers.
const ORDINARY: &str = "//! A renderer.
pub struct Tensor {
    pub values: Vec<f32>,
}

impl Tensor {
    pub fn view(&self) -> &[f32] {
        &self.values
    }

    pub fn commit(&mut self, at: usize) {
        for index in 0..self.values.len() {
            self.values[index] *= at as f32;
        }
    }
}

pub fn main(tensor: &mut Tensor) -> f32 {
    tensor.commit(0x1000);
    tensor.view().iter().sum()
}
";

const KERNEL: &str = "use furiosa_visa_std::prelude::*;\naxes![A = 8];\n#[device(chip = 1)]\nfn kernel(ctx: &mut Context) {}\n";

fn told(setup: Setup) -> Setup {
    setup.with("/capabilities/experimental/visaStatus", json!(true))
}

#[test]
fn a_workspace_without_kernels_is_said_to_be_one() {
    for pushed in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plain.rs");
        std::fs::write(&path, ORDINARY).unwrap();
        let setup = told(Setup::utf16().folder(folder.path()));
        let setup = if pushed { setup.pushed() } else { setup };
        let mut client = setup.in_process();
        assert_eq!(
            client.next_of("visa/status")["params"],
            json!({ "kernels": 0 })
        );
        let uri = uri_of(&path);
        client.open(&uri, ORDINARY);
        client.replace(&uri, 2, KERNEL);
        if !pushed {
            // As an editor does that pulls: it asks for all again and again.
            assert!(pull_workspace(&mut client, &[]).is_empty());
        }
        assert_eq!(
            client.next_of("visa/status")["params"],
            json!({ "kernels": 1 })
        );
        client.ignore("textDocument/publishDiagnostics");
        client.finish();
    }
}

#[test]
fn nothing_is_known_of_a_workspace_of_which_only_open_files_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("plain.rs"), KERNEL).unwrap();
    let scope = json!({ "diagnostics": { "scope": "openFiles" }, "effort": 0 });
    let setup = told(Setup::utf16().folder(folder.path()));
    let mut client = setup.with("/initializationOptions", scope).in_process();
    let said = client.next_of("visa/status");
    assert_eq!(said["params"], json!({ "kernels": null }));
    client.finish();
}

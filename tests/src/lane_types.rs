//! `vscode-extension/src/lanes.ts`: what views call the contexts of the Virtual ISA, and in which order they are shown.

use visa_analysis::Machine;

/// The file.
pub fn lanes() -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut shown: Vec<String> = Vec::new();
    let mut colours: Vec<String> = Vec::new();
    for lane in Machine::VirtualIsa.lanes() {
        if !names.contains(&lane.name()) {
            names.push(lane.name());
            shown.push(format!("{}: '{}'", lane.name(), lane.short()));
            colours.push(format!("  {}: '{}',\n", lane.name(), lane.colour()));
        }
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    format!(
        "// Printed by `cargo test -p visa-tests --test repository` from `analysis/base/src/lanes.rs`: the contexts of the Virtual ISA as views show them.\n\n\
         /** The contexts, in the order in which they are shown. */\n\
         export const CONTEXTS = [{}] as const;\n\n\
         export type Context = (typeof CONTEXTS)[number];\n\n\
         /** What the row of a context is called. */\n\
         export const CONTEXT_NAMES: Readonly<Record<Context, string>> = {{ {} }};\n\n\
         /** Their colours in documents; an editor has colours of its own. */\n\
         export const CONTEXT_COLOURS: Readonly<Record<Context, string>> = {{\n{}}};\n",
        quoted.join(", "),
        shown.join(", "),
        colours.concat(),
    )
}

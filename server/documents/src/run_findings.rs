//! What a run finds, as a finding in a file.

use visa_analysis::{Diagnostic, Group, Level, RelatedPlace, RunFinding, RunReport};

/// A finding at the line that it comes from, with the stations behind it.
pub fn diagnostic_of(finding: &RunFinding, report: &RunReport) -> Diagnostic {
    let (file, range) = match &finding.origin {
        Some(origin) => (origin.span.file.clone(), origin.span.range),
        None => (report.file.clone(), report.range),
    };
    // Where the message says it already, the place says the rest.
    let origin = (finding.origin.iter()).filter(|origin| !finding.message.contains(&origin.what));
    let mut notes: Vec<String> = origin
        .map(|origin| format!("it comes from here: {}", origin.what))
        .collect();
    notes.extend(way(finding));
    let stations = finding.through.iter();
    let related = stations.map(|station| RelatedPlace {
        message: station.what.clone(),
        file: station.span.file.clone(),
        range: station.span.range,
        fault: None,
    });
    Diagnostic {
        rule: finding.rule,
        group: Group::Silent,
        default_level: Level::Deny,
        message: finding.message.clone(),
        notes,
        help: finding.help.clone(),
        alternatives: Vec::new(),
        url: visa_analysis::documentation_url("run.html"),
        file,
        range,
        related: related.collect(),
        more_places: 0,
        called_at: None,
        fixes: Vec::new(),
        saves: None,
        suppressed: false,
        confirmed_by: None,
        home: None,
    }
}

/// How an element went from its origin to the output, in a line.
fn way(finding: &RunFinding) -> Option<String> {
    if finding.through.is_empty() {
        return None;
    }
    let stations = finding.through.iter();
    let stations: Vec<String> = stations
        .map(|station| format!("line {}: {}", station.span.range.start.line, station.what))
        .collect();
    Some(format!("it went through {}", stations.join("; ")))
}

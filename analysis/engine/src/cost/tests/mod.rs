//! The rows of published schedules against the model, class by class.
//!
//! `fixtures/schedules` has the tables, the kernels of 0.5.1, one kernel for each judged operation of 0.6.0 and 0.8.1, and whole kernels
//! with their totals. Rows whose kernel is not public are loads and stores written from the shape that their table gives.

mod indexed;
mod left_out;
mod pairs;
mod properties;
mod shapes;
mod whole;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::hardware::Class;
use crate::{KernelCost, Library, Options, Release, Workspace};

/// The kernels of 0.5.1.
const KERNELS: [&str; 6] = ["add", "dot", "gemv", "gemm", "reduce_sum", "rmsnorm"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/schedules")
}

/// The lines of a table as fields by the names of its columns.
fn table(name: &str) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(folder().join(name)).expect("the table");
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    lines
        .map(|line| {
            let fields = line.split('\t').map(str::to_owned);
            let names = head.iter().map(|name| (*name).to_owned());
            names.zip(fields).collect()
        })
        .collect()
}

/// The cost of the only kernel of a text.
fn cost(text: &str, options: Options) -> KernelCost {
    let mut workspace = Workspace::default();
    workspace.set_options(options);
    workspace.set_file("kernel.rs", text);
    let costs = workspace.analysis().costs("kernel.rs").expect("costs");
    costs.into_iter().next().expect("a kernel")
}

fn current() -> Options {
    of_release(8)
}

fn of_release(minor: u16) -> Options {
    Options {
        library: Some(Library::OptStd),
        release: Some(Release::new(0, minor)),
        ..Options::default()
    }
}

/// A kernel of a later release as an earlier one spells it.
fn spelled(text: &str, minor: u16) -> String {
    if minor < 7 {
        text.replace("device: &mut Device", "device: &mut Context")
    } else {
        text.to_owned()
    }
}

/// A row of a schedule and our figure of it.
#[derive(Debug)]
struct Compared {
    class: &'static str,
    place: String,
    vendor: u64,
    ours: u64,
    low: u64,
    high: u64,
}

impl Compared {
    /// The figure of an operation of a kernel, of which a line `// judged` is in front.
    fn judged(text: &str, place: &str, vendor: u64) -> Self {
        Self::judged_in(8, text, place, vendor)
    }

    /// The same of a release.
    fn judged_in(minor: u16, text: &str, place: &str, vendor: u64) -> Self {
        let line = text.lines().position(|line| line.trim() == "// judged");
        let line = u32::try_from(line.expect("a judged statement")).expect("a line") + 2;
        let cost = cost(text, of_release(minor));
        let mut rows = cost.operations.iter();
        let row = rows.find(|row| row.statement.start.line >= line);
        let found = row.and_then(|row| row.calibrated.as_ref());
        let found = found.unwrap_or_else(|| panic!("{place}: {:?}\n{text}", cost.unresolved));
        Self::of(found, place, vendor)
    }

    fn of(found: &crate::CalibratedRow, place: &str, vendor: u64) -> Self {
        Self {
            class: found.class,
            place: place.to_owned(),
            vendor,
            ours: found.cycles,
            low: found.low.unwrap_or(0),
            high: found.high.unwrap_or(0),
        }
    }

    /// How far we are from the compiler, in tenths of a percent.
    fn error(&self) -> u64 {
        (self.ours.abs_diff(self.vendor) * 1_000 + self.vendor / 2) / self.vendor
    }

    /// The bounds are ours; where the compiler rounds, a cycle is no fault.
    fn is_within(&self) -> bool {
        (self.low.saturating_sub(1)..=self.high + 1).contains(&self.vendor)
    }
}

/// The releases of the current dialect that have kernels with one judged operation each, with the number that they are set by.
const JUDGED: [(&str, u16); 2] = [("0.6.0", 6), ("0.8.1", 8)];

/// The kernels of a release of the current dialect: one judged operation each.
fn kernels_of((release, minor): (&str, u16)) -> Vec<Compared> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder().join(release))
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let rows = files.iter().map(|file| {
        let text = std::fs::read_to_string(file).expect("a kernel");
        let name = file.file_stem().expect("a name").to_string_lossy();
        let head = text.lines().next().unwrap_or_default();
        let cycles = head.split("vendor cycles: ").nth(1);
        let cycles = cycles.and_then(|rest| rest.split(';').next());
        let vendor = cycles.and_then(|cycles| cycles.parse().ok());
        let place = format!("{release}: {name}");
        Compared::judged_in(minor, &text, &place, vendor.expect("cycles"))
    });
    rows.collect()
}

/// A kernel of 0.5.1 with the rows of its operations, and the compiler's total.
struct Ladder {
    name: &'static str,
    rows: Vec<Compared>,
    total: u64,
    cost: KernelCost,
}

fn kernels_of_0_5_1() -> Vec<Ladder> {
    let rows = table("schedules-0.5.1.tsv");
    KERNELS
        .into_iter()
        .map(|name| {
            let file = folder().join("0.5.1").join(format!("{name}.rs"));
            let text = std::fs::read_to_string(file).expect("a kernel");
            let cost = cost(&text, Options::default());
            let own = rows.iter().filter(|row| row["kernel"] == name);
            let cycles = |row: &BTreeMap<String, String>| row["cycles"].parse().expect("cycles");
            let total = own.clone().find(|row| row["vendor_op"] == "total");
            let total = cycles(total.expect("a total"));
            let rows = own
                .filter_map(|row| {
                    let number: usize = row["our_op"].parse().ok()?;
                    let found = cost.operations[number].calibrated.as_ref()?;
                    let place = format!("0.5.1: {name} {number}");
                    Some(Compared::of(found, &place, cycles(row)))
                })
                .collect();
            Ladder {
                name,
                rows,
                total,
                cost,
            }
        })
        .collect()
}

/// All rows that are compared.
fn all_rows() -> Vec<Compared> {
    let mut rows: Vec<Compared> = JUDGED.into_iter().flat_map(kernels_of).collect();
    rows.extend(
        kernels_of_0_5_1()
            .into_iter()
            .flat_map(|kernel| kernel.rows),
    );
    rows.extend(shapes::rows());
    rows
}

/// The median of some errors, what nine of ten are below, and the worst.
fn median_and_worst(errors: impl Iterator<Item = u64>) -> (u64, u64, u64) {
    let mut errors: Vec<u64> = errors.collect();
    errors.sort_unstable();
    let worst = errors.last().copied().unwrap_or(0);
    let at = |index: usize| errors.get(index).copied().unwrap_or(0);
    (at(errors.len() / 2), at(errors.len() * 9 / 10), worst)
}

#[test]
fn every_row_is_within_the_bounds_of_its_class() {
    let mut rows = all_rows();
    rows.sort_by_key(|row| std::cmp::Reverse(row.error()));
    println!("  error  class                 vendor    ours  row");
    for row in &rows {
        println!(
            "{:6.1} %  {:20} {:7} {:7}  {}",
            row.error() as f64 / 10.0,
            row.class,
            row.vendor,
            row.ours,
            row.place
        );
    }
    let mut otherwise = Vec::new();
    println!("\nclass                 rows  median  9 of 10   worst");
    for class in Class::ALL {
        let own = rows.iter().filter(|row| row.class == class.name());
        let (median, most, worst) = median_and_worst(own.clone().map(Compared::error));
        let count = own.count() as u64;
        println!(
            "{:20} {count:5} {:5.1} %  {:5.1} % {:5.1} %",
            class.name(),
            median as f64 / 10.0,
            most as f64 / 10.0,
            worst as f64 / 10.0
        );
        let said = (class.samples(), class.median_error());
        if said != (count, median) {
            otherwise.push((class.name(), said, (count, median)));
        }
    }
    assert!(otherwise.is_empty(), "what classes say: {otherwise:?}");
    let outside: Vec<_> = rows.iter().filter(|row| !row.is_within()).collect();
    assert!(outside.is_empty(), "{outside:#?}");
    let (median, ..) = median_and_worst(rows.iter().map(Compared::error));
    assert!(
        median <= 5,
        "the median error is {median} tenths of a percent"
    );
}

#[test]
fn the_constants_that_are_rows_are_those_of_the_tables() {
    use crate::hardware::CalibrationId;
    let newer = CalibrationId::Release0_8_1.table();
    let rows = table("schedules-0.8.1.tsv");
    let cycles = |op: &str| {
        let row = rows.iter().find(|row| row["op"] == op).expect("a row");
        row["vendor_cycles"].parse::<u64>().expect("cycles")
    };
    assert_eq!(rows.len() as u64, newer.operations);
    assert_eq!(newer.pass.lookup_transfer, cycles("66"));
    assert_eq!(newer.pass.lookup_pass, cycles("94"));
    assert_eq!(newer.kernel.sync, cycles("ExplicitSync(29)"));
    let of_users = shapes::kernels();
    let of_users = of_users
        .iter()
        .filter(|(place, ..)| shapes::release_of(place) == 6);
    let own = kernels_of(JUDGED[0]).len() + of_users.count();
    assert_eq!(own as u64, CalibrationId::Release0_6_0.table().operations);
    let older = CalibrationId::Release0_5_1.table();
    let rows = table("schedules-0.5.1.tsv");
    let operations = rows.iter().filter(|row| !row["our_op"].is_empty());
    assert_eq!(operations.count() as u64, older.operations);
    for row in rows.iter().filter(|row| row["kind"] == "sync") {
        assert_eq!(row["cycles"], older.kernel.end.to_string());
    }
    for kernel in KERNELS {
        let mut begins = rows
            .iter()
            .filter(|row| row["kernel"] == kernel && row["kind"] == "dma_load")
            .map(|row| row["begin"].parse::<u64>().expect("a cycle"));
        assert_eq!(begins.next(), Some(older.kernel.start), "{kernel}");
    }
}

#[test]
fn totals_are_near_those_of_the_compiler() {
    for kernel in kernels_of_0_5_1() {
        let calibrated = &kernel.cost.calibrated;
        let ours = calibrated.total.expect("a total");
        let share = ours as f64 / kernel.total as f64;
        println!("{:12} {:7} {ours:7} {share:.3}", kernel.name, kernel.total);
        assert!((0.9..=1.15).contains(&share), "{}: {share}", kernel.name);
        let bounds = calibrated.low.zip(calibrated.high).expect("bounds");
        assert!(bounds.0 <= ours && ours <= bounds.1, "{bounds:?}");
    }
}

//! Each kernel of the tables predicted by the others: the constants that a class of its rows depends on are fitted again to
//! the rows of all other kernels, and the kernel has to be within the bounds of the class around what they then say.
//!
//! The fit knows no constant of ours: it begins with each a quarter too small, and goes where the sum of the relative errors
//! is least. A row that depends on a constant which no other kernel's row settles, or settles so loosely that errors of rows come out
//! several times as large, cannot be predicted, and is printed as such.

#![allow(
    clippy::needless_range_loop,
    reason = "matrices are written by their rows and columns"
)]

use crate::Options;
use crate::check::{body, function_derivation, function_simulation_by};
use crate::cost::kernel_cost_of;
use crate::db::AnalysisDatabase;
use crate::derivation::OperationDerivation;
use crate::hardware::calibration::{Calibration, Rate};
use crate::hardware::{CalibrationId, Class, Model};
use crate::items::functions_of_file;
use crate::kernel::{OperationKind, Pass};
use crate::simulation::calibrated::{scheduled_stages, transfer_cycles};
use crate::simulation::dma::{DmaCost, Transfer};
use crate::simulation::{Figure, StageCost};

use super::{JUDGED, KERNELS, folder, of_release, shapes, spelled, table};

/// What an operation's cycles are worked out from, whatever the constants.
enum Work {
    Pass(std::sync::Arc<Pass>, Vec<StageCost>),
    Transfer(Box<(Transfer, DmaCost)>),
}

/// A row of a schedule.
struct Row {
    kernel: String,
    place: String,
    vendor: u64,
    class: Class,
    release: CalibrationId,
    work: Work,
}

impl Row {
    fn cycles(&self, tables: &Tables) -> f64 {
        let table = tables.table_of(self.release);
        let cycles = match &self.work {
            Work::Pass(of, stages) => {
                let found = scheduled_stages(of, stages, &table.pass);
                found.and_then(|found| found.iter().map(|stage| stage.cycles).max())
            }
            Work::Transfer(of) => {
                transfer_cycles(&of.0, &of.1, &table.transfer).map(|(_, cycles)| cycles)
            }
        };
        cycles.expect("cycles") as f64
    }

    /// How far the cycles are from the compiler's, as a share of these.
    fn error(&self, tables: &Tables) -> f64 {
        self.cycles(tables) / self.vendor as f64 - 1.0
    }

    /// How the error changes with each of its constants, by shares of the constant.
    fn slopes(&self, tables: &Tables) -> Vec<(usize, f64)> {
        let here = self.cycles(tables);
        let slope = |number: usize| {
            let constant = &CONSTANTS[number];
            let value = constant.get(tables);
            // A cycle more of a constant is a cycle or more of the row; of a rate it takes some parts in a hundred.
            let step = if value < RATES {
                1.0
            } else {
                (value * 0.04).round()
            };
            let mut moved = tables.clone();
            constant.set(&mut moved, value + step);
            (
                number,
                (self.cycles(&moved) - here) / self.vendor as f64 * value / step,
            )
        };
        let room = match self.work {
            Work::Pass(..) => "pass.",
            Work::Transfer(_) => "transfer.",
        };
        let numbers = 0..CONSTANTS.len();
        let own = numbers.filter(|number| CONSTANTS[*number].name.starts_with(room));
        own.map(slope).collect()
    }
}

/// The constants of the releases.
#[derive(Clone)]
struct Tables([Calibration; 3]);

impl Tables {
    fn ours() -> Self {
        Self(RELEASES.map(|id| id.table().clone()))
    }

    fn table_of(&self, release: CalibrationId) -> &Calibration {
        let number = RELEASES.iter().position(|id| *id == release);
        &self.0[number.expect("a release")]
    }
}

/// Constants from here on are rates in parts of a cycle.
const RATES: f64 = 2_500.0;

const RELEASES: [CalibrationId; 3] = [
    CalibrationId::Release0_5_1,
    CalibrationId::Release0_6_0,
    CalibrationId::Release0_8_1,
];

/// A constant that rows were fitted to: of all releases, or of those that agree.
struct Constant {
    name: &'static str,
    releases: &'static [usize],
    field: fn(&mut Calibration) -> Field<'_>,
}

enum Field<'a> {
    Number(&'a mut u64),
    /// An entry of a table of rates.
    Entry(&'a mut &'static [(u64, Rate)], usize),
    /// The cycles of so many flits.
    Share(&'a mut (u64, u64)),
}

/// Flits behind a table that a fit counts in, for fractions of a cycle.
const LOOKED_UP: u64 = 20_000;

impl Constant {
    fn get(&self, tables: &Tables) -> f64 {
        let mut table = tables.0[self.releases[0]].clone();
        match (self.field)(&mut table) {
            Field::Number(number) => *number as f64,
            Field::Entry(entries, at) => entries[at].1 as f64,
            Field::Share(share) => (share.1 * LOOKED_UP / share.0) as f64,
        }
    }

    fn set(&self, tables: &mut Tables, value: f64) {
        let value = value.round().max(1.0) as u64;
        for release in self.releases {
            match (self.field)(&mut tables.0[*release]) {
                Field::Number(number) => *number = value,
                Field::Entry(entries, at) => {
                    let mut changed = entries.to_vec();
                    changed[at].1 = value;
                    // A few entries of a few bytes for the time of a test.
                    *entries = changed.leak();
                }
                Field::Share(share) => *share = (LOOKED_UP, value),
            }
        }
    }
}

const ALL: &[usize] = &[0, 1, 2];

macro_rules! number {
    ($releases:expr, $($path:ident).+) => {
        Constant {
            name: stringify!($($path).+),
            releases: $releases,
            field: |table| Field::Number(&mut table.$($path).+),
        }
    };
}

macro_rules! entry {
    ($name:literal, $at:literal, $($path:ident).+) => {
        Constant {
            name: $name,
            releases: ALL,
            field: |table| Field::Entry(&mut table.$($path).+, $at),
        }
    };
}

/// Every constant of a pass and of a transfer that is a number of cycles or a rate. The others are units of the hardware, and
/// limits between classes.
const CONSTANTS: &[Constant] = &[
    number!(ALL, pass.fetch),
    number!(ALL, pass.switch),
    number!(ALL, pass.whole_ring),
    number!(ALL, pass.commit),
    number!(ALL, pass.contract),
    number!(ALL, pass.vector),
    number!(&[0], pass.vector_to_vrf),
    number!(&[1, 2], pass.vector_to_vrf),
    number!(ALL, pass.sub_vector),
    number!(ALL, pass.sub_vector_commit),
    number!(ALL, pass.ring_slice),
    number!(ALL, pass.ring_once),
    number!(&[0], pass.ring_whole),
    number!(&[1, 2], pass.ring_whole),
    entry!(
        "pass.ring_behind_contraction of 8",
        0,
        pass.ring_behind_contraction
    ),
    entry!(
        "pass.ring_behind_contraction of 16",
        1,
        pass.ring_behind_contraction
    ),
    number!(ALL, pass.ring_few_outputs),
    Constant {
        name: "pass.lookup",
        releases: ALL,
        field: |table| Field::Share(&mut table.pass.lookup),
    },
    number!(ALL, transfer.load_start),
    number!(ALL, transfer.load_start_one_engine),
    number!(ALL, transfer.load_request_one_engine),
    entry!("transfer.load_request of 1", 0, transfer.load_request),
    entry!("transfer.load_request of 2", 1, transfer.load_request),
    entry!("transfer.load_request of 4", 2, transfer.load_request),
    entry!("transfer.load_request of 8", 3, transfer.load_request),
    entry!("transfer.load_request of 15", 4, transfer.load_request),
    entry!("transfer.load_request of 16", 5, transfer.load_request),
    number!(ALL, transfer.crossing_request),
    entry!("transfer.copied_request of 1", 0, transfer.copied_request),
    entry!("transfer.copied_request of 2", 1, transfer.copied_request),
    entry!("transfer.copied_request of 8", 2, transfer.copied_request),
    number!(ALL, transfer.hot_unit_read),
    number!(ALL, transfer.store_start),
    number!(&[0, 2], transfer.store_start_one_engine),
    number!(&[1], transfer.store_start_one_engine),
    number!(ALL, transfer.store_request),
    number!(&[0, 2], transfer.store_request_one_engine),
    number!(&[1], transfer.store_request_one_engine),
    number!(ALL, transfer.scattered_start),
    number!(ALL, transfer.scattered_piece),
    number!(ALL, transfer.tiny_piece),
    number!(ALL, transfer.single_piece),
    number!(ALL, transfer.strided_start),
    number!(ALL, transfer.strided_piece),
    number!(ALL, transfer.move_start),
    number!(ALL, transfer.move_request),
    number!(ALL, transfer.move_run),
    number!(ALL, transfer.move_copy),
];

/// The operations of the only kernel of a text, by the line of their statement and by their number.
struct Operations {
    rows: Vec<(u32, Option<(Class, Work)>)>,
}

fn operations(text: &str, options: Options) -> Operations {
    let mut db = AnalysisDatabase::default();
    db.set_project([("kernel.rs", text)], Vec::new(), options);
    let file = db.file("kernel.rs").expect("the file");
    let function = functions_of_file(&db, file)
        .into_iter()
        .find(|function| body(&db, *function).device.is_some())
        .expect("a kernel");
    let cost = kernel_cost_of(&db, function).expect("a cost");
    let simulation = function_simulation_by(&db, function, Model::Schedule);
    let (body, derivation) = (body(&db, function), function_derivation(&db, function));
    let work = |number: usize| {
        let class = simulation.operations[number].figure?.class?;
        let work = match (
            &body.operations[number].kind,
            &derivation.operations[number],
        ) {
            (OperationKind::Pass(pass), _) => {
                Work::Pass(pass.clone(), simulation.operations[number].stages.clone())
            }
            (OperationKind::Copy(copy), OperationDerivation::Copy(derived)) => {
                let transfer = Transfer::of(&body, copy, derived, Model::Schedule)?;
                let cost = transfer.cost()?;
                Work::Transfer(Box::new((transfer, cost)))
            }
            _ => return None,
        };
        Some((class, work))
    };
    let rows = cost.operations.iter().enumerate();
    Operations {
        rows: rows
            .map(|(number, row)| (row.statement.start.line, work(number)))
            .collect(),
    }
}

/// All rows, each with the kernel that it is of.
fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut take =
        |kernel: String, place: String, vendor: u64, release, found: Option<(Class, Work)>| {
            let (class, work) = found.unwrap_or_else(|| panic!("{place}: no work"));
            let row = Row {
                kernel,
                place,
                vendor,
                class,
                release,
                work,
            };
            rows.push(row);
        };
    let [older, middle, newer] = RELEASES;
    let older_rows = table("schedules-0.5.1.tsv");
    for name in KERNELS {
        let file = folder().join("0.5.1").join(format!("{name}.rs"));
        let text = std::fs::read_to_string(file).expect("a kernel");
        let mut found: Vec<_> = operations(&text, Options::default()).rows;
        for row in older_rows.iter().filter(|row| row["kernel"] == name) {
            let Ok(number) = row["our_op"].parse::<usize>() else {
                continue;
            };
            let vendor = row["cycles"].parse().expect("cycles");
            take(
                name.to_owned(),
                format!("0.5.1: {name} {number}"),
                vendor,
                older,
                found[number].1.take(),
            );
        }
    }
    let mut judged = |(minor, kernel): (u16, String), place: String, vendor: u64, text: &str| {
        let line = text.lines().position(|line| line.trim() == "// judged");
        let line = u32::try_from(line.expect("a judged statement")).expect("a line") + 2;
        let mut found = operations(text, of_release(minor)).rows.into_iter();
        let found = found.find(|(statement, _)| *statement >= line);
        take(
            kernel,
            place,
            vendor,
            if minor < 7 { middle } else { newer },
            found.and_then(|(_, work)| work),
        );
    };
    for (release, minor) in JUDGED {
        let mut files: Vec<_> = std::fs::read_dir(folder().join(release))
            .expect("the folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a kernel");
            let name = file
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            let field = |name: &str| {
                let rest = text.split(name).nth(1).expect("a head");
                rest.split([';', '\n']).next().unwrap_or_default().trim()
            };
            // `k2.C13/88` and `score-k2/60` are versions of one kernel.
            let operation = field("op: ");
            let kernel = ["k1", "k2", "k3"]
                .into_iter()
                .find(|kernel| operation.contains(kernel));
            // What goes by indices has no loops to work out again.
            if field("class: ") == "gather" {
                continue;
            }
            let vendor = field("vendor cycles: ").parse().expect("cycles");
            let place = format!("{release}: {name}");
            let kernel = kernel.map_or_else(|| place.clone(), str::to_owned);
            judged((minor, kernel), place, vendor, &text);
        }
    }
    for (place, vendor, text) in shapes::kernels() {
        let kernel = ["k1", "k2", "k3"]
            .into_iter()
            .find(|kernel| place.contains(&format!(": {kernel} ")));
        let minor = shapes::release_of(place);
        judged(
            (minor, kernel.unwrap_or(place).to_owned()),
            place.to_owned(),
            vendor,
            &spelled(&text, minor),
        );
    }
    rows
}

/// Where each fit begins: every constant a quarter too small.
fn start() -> Tables {
    let mut tables = Tables::ours();
    for constant in CONSTANTS {
        let value = constant.get(&tables);
        constant.set(&mut tables, value * 0.75);
    }
    tables
}

/// The solution of a square system by elimination; what has no pivot is 0.
fn solved(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|one, other| {
                matrix[*one][column]
                    .abs()
                    .total_cmp(&matrix[*other][column].abs())
            })
            .expect("a row");
        if matrix[pivot][column].abs() < 1e-300 {
            continue;
        }
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        for row in 0..size {
            if row != column {
                let factor = matrix[row][column] / matrix[column][column];
                for at in column..size {
                    matrix[row][at] -= factor * matrix[column][at];
                }
                right[row] -= factor * right[column];
            }
        }
    }
    (0..size)
        .map(|at| {
            if matrix[at][at].abs() < 1e-300 {
                0.0
            } else {
                right[at] / matrix[at][at]
            }
        })
        .collect()
}

/// Fits constants to rows: the least sum of relative errors, by squares that are weighed again in each round.
fn fitted(rows: &[&Row]) -> Tables {
    let mut tables = start();
    for _ in 0..12 {
        let size = CONSTANTS.len();
        let (mut matrix, mut right) = (vec![vec![0.0; size]; size], vec![0.0; size]);
        for row in rows {
            let error = row.error(&tables);
            let weight = 1.0 / error.abs().max(0.002);
            let mut slopes = vec![0.0; size];
            for (number, slope) in row.slopes(&tables) {
                slopes[number] = slope;
            }
            for one in 0..size {
                right[one] -= weight * slopes[one] * error;
                for other in 0..size {
                    matrix[one][other] += weight * slopes[one] * slopes[other];
                }
            }
        }
        // What no row settles stays where it is.
        let most = (0..size).map(|at| matrix[at][at]).fold(0.0, f64::max);
        for at in 0..size {
            matrix[at][at] += most * 1e-9;
        }
        for (constant, change) in CONSTANTS.iter().zip(solved(matrix, right)) {
            let value = constant.get(&tables) * (1.0 + change.clamp(-0.5, 0.5));
            constant.set(&mut tables, value);
        }
    }
    tables
}

/// Why others do not settle a row: the constants of which none of them depends, or how many times their errors come out in it.
fn unsettled(row: &Row, others: &[&Row], tables: &Tables) -> Option<String> {
    let own = row.slopes(tables);
    let mut slopes = vec![vec![0.0; others.len()]; CONSTANTS.len()];
    for (at, other) in others.iter().enumerate() {
        for (number, slope) in other.slopes(tables) {
            slopes[number][at] = slope;
        }
    }
    let alone = own.iter().filter(|(number, slope)| {
        slope.abs() > 0.01 && slopes[*number].iter().all(|slope| slope.abs() < 1e-6)
    });
    let alone: Vec<&str> = alone.map(|(number, _)| CONSTANTS[*number].name).collect();
    if !alone.is_empty() {
        let names = alone.join(", ");
        return Some(format!("no other row of the class depends on {names}"));
    }
    // The row as a sum of others, with the least squares of their shares.
    let size = others.len();
    let (mut matrix, mut right) = (vec![vec![0.0; size]; size], vec![0.0; size]);
    for (number, mine) in &own {
        for one in 0..size {
            right[one] += slopes[*number][one] * mine;
        }
    }
    for of in &slopes {
        for one in 0..size {
            for other in 0..size {
                matrix[one][other] += of[one] * of[other];
            }
        }
    }
    for (at, line) in matrix.iter_mut().enumerate() {
        line[at] += 1e-9;
    }
    let shares = solved(matrix, right);
    let rest: f64 = own
        .iter()
        .map(|(number, mine)| {
            let parts = slopes[*number].iter().zip(&shares);
            let sum: f64 = parts.map(|(slope, share)| slope * share).sum();
            (mine - sum).abs()
        })
        .sum();
    if rest > 0.01 {
        return Some("the other rows of the class do not tell its constants apart".to_owned());
    }
    let times: f64 = shares.iter().map(|share| share.abs()).sum();
    (times > LOOSE).then(|| {
        format!("errors of the other rows of the class come out {times:.1} times as large in it")
    })
}

/// Errors of rows that come out so many times as large in another say nothing about it.
const LOOSE: f64 = 4.0;

#[test]
fn a_kernel_is_predicted_by_the_others() {
    let rows = rows();
    let mut kernels: Vec<&str> = rows.iter().map(|row| row.kernel.as_str()).collect();
    kernels.sort_unstable();
    kernels.dedup();
    let (mut predicted, mut lacking, mut outside) = (0, 0, Vec::new());
    println!("  error  class                 vendor  predicted  row, without its kernel");
    for kernel in kernels {
        for class in Class::ALL {
            let of = |row: &&Row| row.class == class;
            let left_out: Vec<&Row> = rows
                .iter()
                .filter(of)
                .filter(|row| row.kernel == kernel)
                .collect();
            let others: Vec<&Row> = rows
                .iter()
                .filter(of)
                .filter(|row| row.kernel != kernel)
                .collect();
            if left_out.is_empty() {
                continue;
            }
            let tables = fitted(&others);
            for row in left_out {
                if let Some(why) = unsettled(row, &others, &tables) {
                    lacking += 1;
                    println!(
                        "         {:20} {:7}             {}: not fitted, {why}",
                        class.name(),
                        row.vendor,
                        row.place
                    );
                    continue;
                }
                predicted += 1;
                let cycles = row.cycles(&tables).round() as u64;
                println!(
                    "{:+6.1} %  {:20} {:7}    {cycles:7}  {}",
                    row.error(&tables) * 100.0,
                    class.name(),
                    row.vendor,
                    row.place
                );
                let bounds = Figure::of(row.release, class, cycles);
                if !(bounds.low.saturating_sub(1)..=bounds.high + 1).contains(&row.vendor) {
                    outside.push(format!("{}: {cycles} of {}", row.place, row.vendor));
                }
            }
        }
    }
    println!(
        "\n{predicted} rows predicted, {lacking} not fitted for lack of rows, of {}",
        rows.len()
    );
    assert!(outside.is_empty(), "{outside:#?}");
    assert!(predicted > 2 * lacking, "{predicted} and {lacking}");
}

/// A fit to all rows of a class finds the constants that were read off them, from wherever it begins.
#[test]
fn a_fit_to_all_rows_finds_the_constants() {
    let rows = rows();
    let settled = [
        (Class::SubTrf, "pass.fetch", 263.0, 2.0),
        (Class::Vector, "pass.vector", 281.0, 2.0),
        (Class::Switch, "pass.switch", 263.0, 2.0),
        (Class::Switch, "pass.whole_ring", 512.0, 5.0),
        (Class::Contract, "pass.contract", 265.0, 2.0),
        (
            Class::StoreStrided,
            "transfer.strided_start",
            1_550.0,
            250.0,
        ),
    ];
    for (class, name, value, tolerance) in settled {
        let own: Vec<&Row> = rows.iter().filter(|row| row.class == class).collect();
        let tables = fitted(&own);
        let constant = CONSTANTS
            .iter()
            .find(|constant| constant.name == name)
            .expect("a constant");
        let found = constant.get(&tables);
        println!("{:20} {name:24} {found}", class.name());
        assert!((found - value).abs() <= tolerance, "{name}: {found}");
    }
}

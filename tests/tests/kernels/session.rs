//! What a session leaves behind in the engine: names that were typed letter by letter, files that came and went. After any number of
//! edits as much is kept as after a few, and what is found is what a fresh start finds.
//!
//! `VISA_TIMES` multiplies how many edits of each kind there are.

use std::fmt::Write;

use visa_analysis::Workspace;
use visa_tests::cases;

const PATH: &str = "kernels.rs";

/// Edits of a kind that takes what is known of a kernel out of use, and of one that takes a name.
const HEAVY: usize = 90;
const LIGHT: usize = 2_600;
/// Every how many edits of a long session it is looked at what is kept.
const LOOKED: usize = 20;

/// A kernel that is called `kernel`.
fn kernel(operations: usize) -> String {
    let mut text = "#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &DmTensor<i8, m![1], m![1 # 2], m![1 # 256], m![X]>) {
"
    .to_owned();
    for number in 0..operations {
        let address = number * 1024;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "    let y{number} = ctx.main.begin(x.view()).fetch::<i8, m![X / 32], m![X % 32]>()\
             .collect::<m![X / 32], m![X % 32]>().commit::<m![X]>({address});"
        );
    }
    text + "}\n"
}

const HEAD: &str = "use furiosa_visa_std::prelude::*;\naxes![X = 1024];\n";

/// Makes edits, asks after each, and asserts that the second half of them keeps about as much as the first. In the end the findings
/// are those of a fresh start.
fn session(edits: usize, mut edit: impl FnMut(usize, &mut Workspace)) {
    let mut workspace = Workspace::new();
    let mut most = [0, 0];
    for number in 0..edits {
        edit(number, &mut workspace);
        let _ = workspace.analysis().check_all();
        if edits < LIGHT || number % LOOKED == 0 {
            let half = &mut most[2 * number / edits];
            *half = workspace.kept().max(*half);
        }
    }
    let [first, second] = most;
    println!("{edits} edits: at most {first} values in the first half, {second} in the second");
    assert!(second * 5 <= first * 6, "{first} values grow to {second}");
    let mut fresh = Workspace::new();
    let files: Vec<_> = workspace.files().collect();
    fresh.set_files(files.iter().map(|(path, text)| (&***path, &***text)));
    assert_eq!(
        format!("{:?}", workspace.analysis().check_all()),
        format!("{:?}", fresh.analysis().check_all())
    );
}

/// A session in one file that is typed into.
fn typed(edits: usize, text: impl Fn(usize) -> String) {
    session(edits, |number, workspace| {
        workspace.set_file(PATH, &text(number));
        if number == 0 {
            workspace.open_file(PATH);
        }
    });
}

#[test]
fn names_of_kernels_go_with_all_that_was_known_of_them() {
    let kernel = kernel(60);
    typed(cases(HEAVY), |number| {
        format!(
            "{HEAD}{}",
            kernel.replace("fn kernel", &format!("fn kernel_{number}"))
        )
    });
}

#[test]
fn names_of_modules_go_with_all_that_was_in_them() {
    let kernel = kernel(60);
    typed(cases(HEAVY), |number| {
        format!("mod part_{number} {{\n{HEAD}{kernel}}}\n")
    });
}

#[test]
fn names_of_items_in_blocks_go_with_all_that_was_known_of_them() {
    // A text that nobody calls: nothing of it counts but its items.
    let inner = "axes![I = 8];\n".repeat(400);
    typed(cases(HEAVY), |number| {
        format!("fn outer() {{ fn inner_{number}() {{ {inner} }} }}\n")
    });
}

#[test]
fn files_that_came_and_went_are_gone() {
    let text = format!("{HEAD}{}", kernel(60));
    session(cases(HEAVY), |number, workspace| {
        workspace.set_file(PATH, HEAD);
        workspace.set_file(&format!("loose_{number}.rs"), &text);
        workspace.open_file(&format!("loose_{number}.rs"));
        let _ = workspace.analysis().check_all();
        workspace.remove_file(&format!("loose_{number}.rs"));
    });
}

#[test]
fn files_that_change_on_disk_leave_no_more_behind() {
    let kernel = kernel(60);
    session(cases(HEAVY), |number, workspace| {
        let text = kernel.replace("fn kernel", &format!("fn kernel_{number}"));
        let text = format!("{HEAD}{text}");
        workspace.set_files([(PATH, text.as_str()), ("other.rs", HEAD)]);
    });
}

#[test]
fn names_of_aliases_axes_and_constants_go() {
    typed(cases(LIGHT), |number| {
        let [alias, axis, constant] = [0, 1, 2].map(|kind| number.saturating_sub(kind) / 3);
        format!(
            "{HEAD}axes![A{axis} = 64];\ntype T{alias} = m![A{axis} / 2];\nconst C{constant}: usize = 8;\n\
             type U = m![T{alias}, X / C{constant}];\n"
        )
    });
}

#[test]
fn numbers_and_remarks_leave_nothing_behind() {
    typed(cases(LIGHT), |number| {
        let [count, remark] = [number / 2, number.div_ceil(2)];
        format!(
            "{HEAD}// {remark}\naxes![A = {count}];\ntype T = m![A / {}];\n",
            1 + count
        )
    });
}

/// Edits of remarks have nothing worked out again, however many there are.
#[test]
fn remarks_never_begin_anew() {
    let kernel = kernel(8);
    let mut workspace = Workspace::with_event_log();
    // Twenty letters each: were they counted, they were too many.
    for number in 0..cases(LIGHT * 2) {
        workspace.set_file(PATH, &format!("{HEAD}// {number}\n{kernel}"));
        if number % 500 == 0 {
            let _ = workspace.analysis().check_all();
        }
    }
    let lowered = workspace.take_events();
    let lowered = lowered.iter().filter(|event| event.starts_with("body("));
    assert_eq!(lowered.count(), 1);
}

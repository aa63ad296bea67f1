//! Where following begins: with the rest of a file, or with a function that is a part of its own.
//!
//! Plain data on both sides; what a part passes to others is left for those.

use std::collections::BTreeMap;
use std::sync::Arc;

use ruff_python_ast::{Stmt, StmtFunctionDef};
use rustc_hash::{FxHashMap, FxHashSet};

use super::assigned::assigned;
use super::environment::Environment;
use super::functions::{Declared, FindPart, Interpreter, NUMBERS, Source, settled};
use super::{Followed, Value};
use crate::types::Generations;

/// What is in no function that is a part of its own, when it was followed.
#[derive(Debug, Default, PartialEq)]
pub struct FollowedRest {
    /// What was met in it.
    pub followed: Arc<Followed>,
    /// The same without what comments and docstrings say, where they say something.
    pub proven: Option<Arc<Followed>>,
    /// What all functions see.
    pub globals: Environment,
    /// What it says of the parts.
    pub declared: Arc<[Option<Declared>]>,
    /// What it passes to them.
    pub passes: Passes,
}

/// What calls pass to functions that are parts of the file, by their number; `None` for what calls do not agree about.
pub type Passes = BTreeMap<usize, Vec<Option<Value>>>;

/// The rest of a file, before it is followed.
#[derive(Clone)]
pub struct Rest<'a> {
    /// Its text.
    pub source: Source<'a>,
    /// Its statements.
    pub body: &'a [Stmt],
    /// How many functions are parts of their own.
    pub count: usize,
    /// Where their heads are in the text.
    pub heads: FxHashMap<u32, usize>,
    /// Names of functions of the rest that parts mention: what those pass is not waited for.
    pub mentioned: Arc<FxHashSet<String>>,
}

/// Follows the rest of a file. `generations` is what the settings say of the target.
pub fn follow_rest<'a>(
    rest: &Rest<'a>,
    parts: &dyn Fn() -> FindPart<'a>,
    generations: Generations,
) -> FollowedRest {
    let mut all = rest_once(rest.clone(), parts(), generations, true);
    if all.followed.has_descriptions {
        let proven = rest_once(rest.clone(), parts(), generations, false);
        let described = std::mem::replace(&mut all, proven).followed;
        all.proven = Some(std::mem::replace(&mut all.followed, described));
    }
    all
}

fn rest_once<'a>(
    rest: Rest<'a>,
    parts: FindPart<'a>,
    generations: Generations,
    reads_descriptions: bool,
) -> FollowedRest {
    let mut interpreter = Interpreter::new(rest.source, parts, vec![None; rest.count].into(), 0);
    interpreter.heads = rest.heads;
    interpreter.reads_descriptions = reads_descriptions;
    let mut environment = Environment::new(generations);
    interpreter.block(rest.body, &mut environment);
    let globals = settled(environment, &assigned(rest.body).names).with_shared_names();
    interpreter.globals = Some(globals.clone());
    interpreter.all_functions(&|name| rest.mentioned.contains(name));
    FollowedRest {
        passes: interpreter.passes_to_others(None),
        followed: Arc::new(interpreter.out),
        proven: None,
        globals: globals
            .without_functions_from(rest.count)
            .with_shared_names(),
        declared: interpreter.declared,
    }
}

/// A function that is a part of its own, before it is followed.
pub struct Part<'a> {
    /// Its text.
    pub source: Source<'a>,
    /// The function.
    pub definition: &'a StmtFunctionDef,
    /// Its number.
    pub place: usize,
    /// What its callers pass.
    pub passed: Option<Vec<Option<Value>>>,
    /// Whether what names mean is kept.
    pub keeps_names: bool,
    /// Whether comments and docstrings say something of arguments.
    pub reads_descriptions: bool,
}

/// Follows a function; what it passes to others comes second.
pub fn follow_part<'a>(
    part: Part<'a>,
    parts: FindPart<'a>,
    rest: &FollowedRest,
) -> (Followed, Passes) {
    let Part {
        source,
        definition,
        place,
        passed,
        keeps_names,
        reads_descriptions,
    } = part;
    let first = u32::try_from(place % (u32::MAX / NUMBERS - 1) as usize).unwrap_or(0) + 1;
    let mut interpreter =
        Interpreter::new(source, parts, Arc::clone(&rest.declared), first * NUMBERS);
    interpreter.globals = Some(rest.globals.clone());
    interpreter.keeps_names = keeps_names;
    interpreter.reads_descriptions = reads_descriptions;
    interpreter.out.takes_part = rest.followed.takes_part;
    let declared = rest.declared.get(place).copied().flatten();
    let declared = declared.unwrap_or(Declared {
        is_kernel: false,
        generations: Generations::ANY,
    });
    interpreter.write(place, definition, declared);
    if let Some(function) = interpreter.functions.get_mut(&place) {
        function.passed = passed;
    }
    interpreter.all_functions(&|_| false);
    let passes = interpreter.passes_to_others(Some(place));
    (interpreter.out, passes)
}

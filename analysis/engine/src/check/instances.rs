//! Faults that only some instances of a generic function have: those in code that a condition on its parameters chooses.
//!
//! A function by itself says nothing of the instances that there are. What all of them run is judged as ever; what a condition on a
//! parameter leads to may be the code of an instance that does not exist, and is no proven fault there: where a kernel runs it, the kernel
//! has the finding. Knows the function's text alone.

use ra_ap_syntax::ast::{self, AstNode, HasGenericParams, HasName};
use ra_ap_syntax::{NodeOrToken, SyntaxNode, TextRange};
use rustc_hash::FxHashSet;

use crate::db::Db;
use crate::items::{ItemId, Span, parse_item};
use crate::rules::{Finding, Group, Level};

/// What is said of a fault that weighs less.
const NOTE: &str =
    "a generic parameter decides whether this runs, and no kernel here is seen to run it";

/// Takes back what a function by itself says of code that only some of its instances have.
pub(super) fn lessen(db: &dyn Db, function: ItemId, findings: &mut [Finding]) {
    let denied = |finding: &Finding| {
        finding.group.is_none() && finding.rule.group.default_level() == Level::Deny
    };
    if !findings.iter().any(denied) {
        return;
    }
    let chosen = chosen_code(db, function);
    for finding in findings.iter_mut().filter(|finding| denied(finding)) {
        let place = finding.span;
        let holds = |code: &Span| {
            code.item == place.item && code.start <= place.start && place.end <= code.end
        };
        if chosen.iter().any(holds) {
            finding.group = Some(Group::Suspicious);
            finding.notes.push(NOTE.to_owned());
        }
    }
}

/// The code of a function that conditions on its generic parameters choose.
fn chosen_code(db: &dyn Db, function: ItemId) -> Vec<Span> {
    let parsed = parse_item(db, function);
    let Some(node) = parsed.cast::<ast::Fn>() else {
        return Vec::new();
    };
    let mut names = FxHashSet::default();
    add_parameters(&mut names, node.generic_param_list());
    if function.owner(db) != function {
        let around = parse_item(db, function.owner(db)).cast::<ast::Impl>();
        add_parameters(
            &mut names,
            around.and_then(|block| block.generic_param_list()),
        );
    }
    let Some(code) = node.body().filter(|_| !names.is_empty()) else {
        return Vec::new();
    };
    let end = code.syntax().text_range().end();
    let mut chosen = Vec::new();
    for part in code.syntax().descendants() {
        if let Some(bound) = ast::LetStmt::cast(part.clone()) {
            // What is computed of a parameter decides as the parameter does.
            let depends = bound.initializer();
            let depends = depends.is_some_and(|value| mentions_names(value.syntax(), &names));
            if let Some(ast::Pat::IdentPat(name)) = bound.pat().filter(|_| depends) {
                names.extend(name.name().map(|name| name.text().to_string()));
            }
        } else if let Some(condition) = condition_of(&part)
            && mentions_names(&condition, &names)
        {
            let whole = part.text_range();
            let to = if may_leave(&part) { end } else { whole.end() };
            let range = TextRange::new(condition.text_range().end(), to);
            chosen.push(parsed.text.span_of(range));
        }
    }
    chosen
}

fn add_parameters(names: &mut FxHashSet<String>, list: Option<ast::GenericParamList>) {
    let parameters = list
        .into_iter()
        .flat_map(|list| list.type_or_const_params());
    names.extend(parameters.filter_map(|parameter| {
        let name = match parameter {
            ast::TypeOrConstParam::Type(parameter) => parameter.name(),
            ast::TypeOrConstParam::Const(parameter) => parameter.name(),
        };
        Some(name?.text().to_string())
    }));
}

/// What decides which part of an expression runs, or how often.
fn condition_of(part: &SyntaxNode) -> Option<SyntaxNode> {
    let decides = match ast::Expr::cast(part.clone())? {
        ast::Expr::IfExpr(branch) => branch.condition(),
        ast::Expr::MatchExpr(branch) => branch.expr(),
        ast::Expr::WhileExpr(run) => run.condition(),
        ast::Expr::ForExpr(run) => run.iterable(),
        _ => None,
    };
    decides.map(|decides| decides.syntax().clone())
}

/// Whether an expression says one of some names.
fn mentions_names(expression: &SyntaxNode, names: &FxHashSet<String>) -> bool {
    let tokens = expression.descendants_with_tokens();
    let mut tokens = tokens.filter_map(NodeOrToken::into_token);
    tokens.any(|token| names.contains(token.text()))
}

/// Whether an expression may leave what is around it, so that it decides about what follows, too.
fn may_leave(part: &SyntaxNode) -> bool {
    part.descendants().filter_map(ast::Expr::cast).any(|inner| {
        matches!(
            inner,
            ast::Expr::ReturnExpr(_)
                | ast::Expr::BreakExpr(_)
                | ast::Expr::ContinueExpr(_)
                | ast::Expr::TryExpr(_)
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::{Level, Workspace};

    /// Lines with a denied and with a lesser finding.
    fn lines(function: &str, kernel: &str) -> (Vec<u32>, Vec<u32>) {
        const HEAD: &str = "use furiosa_opt_std::prelude::*;
axes![R = 256, K = 32];
type Dm = DmTensor<i32, m![1], m![1 # 2], m![R], m![K]>;
fn right(device: &mut Device, x: &Dm) -> Dm {
    device.main.begin(x.view()).fetch::<m![K / 8], m![K % 8]>().collect::<m![K / 8], m![K % 8]>().commit_trim::<m![K % 8]>().commit()
}
";
        let text = format!("{HEAD}{function}\n{kernel}");
        // A flit holds eight values of `i32`, and no four.
        let wrong = "device.main.begin(x.view()).fetch::<m![K / 8], m![K % 8]>().collect::<m![K / 4], m![K % 4 # 8]>().commit_trim::<m![K % 4 # 8]>().commit()";
        let text = text.replace("WRONG", wrong);
        let mut workspace = Workspace::new();
        workspace.set_file("k.rs", &text);
        let report = workspace.analysis().check_file("k.rs");
        let of = |level: Level| {
            let found = report.diagnostics.iter();
            let found = found.filter(|found| {
                found.rule == "collect_packet_mismatch" && found.default_level == level
            });
            found.map(|found| found.range.start.line).collect()
        };
        (of(Level::Deny), of(Level::Warn))
    }

    #[test]
    fn what_a_parameter_chooses_is_denied_where_a_kernel_runs_it() {
        let chosen = "fn chosen<const BIG: bool>(device: &mut Device, x: &Dm) -> Dm {
    if BIG {
        WRONG
    } else {
        right(device, x)
    }
}";
        let call = |big: bool| {
            format!(
                "#[device(chip = 1)]\nfn k(device: &mut Device, x: &HbmTensor<i32, m![1], m![R, K]>) {{\n    let x: Dm = x.to_dm(&mut device.tdma);\n    let _y = chosen::<{big}>(device, &x);\n}}\n"
            )
        };
        assert_eq!(lines(chosen, ""), (vec![], vec![9]));
        assert_eq!(lines(chosen, &call(true)), (vec![9], vec![]));
        // The other instance alone.
        assert_eq!(lines(chosen, &call(false)), (vec![], vec![9]));
    }

    #[test]
    fn what_all_instances_run_is_denied() {
        let all = "fn all<T: M>(device: &mut Device, x: &Dm, by: i32) -> Dm {
    if by > 3 {
        return WRONG;
    }
    WRONG
}";
        assert_eq!(lines(all, ""), (vec![9, 11], vec![]));
        // What is left early runs on in some instances alone.
        let left = "fn left<T: M>(device: &mut Device, x: &Dm) -> Dm {
    let small = T::SIZE < 4;
    if small {
        return right(device, x);
    }
    WRONG
}";
        assert_eq!(lines(left, ""), (vec![], vec![12]));
    }
}

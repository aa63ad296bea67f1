//! Axes, aliases, functions, rules.

use crate::EditorQuestions as _;
use expect_test::expect;

use super::{check_hover, kernel_at};

#[test]
fn an_axis_has_a_size_and_uses() {
    check_hover(
        "axes![A = 4096, B = 2];\ntype X = m![$0A # 8192];\ntype Y = m![A, B, A];\nfn f(_: D<m![B], m![A]>) {}",
        &expect![[r#"
            axis **`A`**: 4,096 values

            Declared at line 1.

            Used 4 times in this file:

            - `X`: line 2
            - `Y`: 2 times, line 3
            - `f`: line 4
        "#]],
    );
}

#[test]
fn a_declaration_has_the_same_page() {
    check_hover(
        "axes![A = 8, $0B = 1 << 4];",
        &expect![[r#"
        axis **`B`**: 16 values

        Declared at line 1.
    "#]],
    );
    check_hover(
        "axes$0![A = 8, B = 1 << 4];",
        &expect![[r#"
            **`axes!`**: 2 axes

            | axis   |   size |
            | :-- | --: |
            | `A` | 8 |
            | `B` | 16 |
        "#]],
    );
}

#[test]
fn the_other_name_of_an_axis_is_that_axis() {
    check_hover(
        "mod shape { axes![Rows = 8]; }\nuse shape::Rows as R;\ntype X = m![$0R, 1];",
        &expect![[r#"
            axis **`Rows`**: 8 values, called `R` here

            Declared at line 1.

            Used once in this file:

            - `X`: line 3
        "#]],
    );
}

#[test]
fn an_alias_of_a_mapping_shows_what_it_stands_for() {
    check_hover(
        "axes![A = 8];\ntype Inner = m![A % 2];\ntype Outer = m![{ Inner } # 4, A / 2];\ntype X = Out$0er;",
        &expect![[r#"
            **`Outer`**: 16 positions

            ```rust
            type Outer = m![{ Inner } # 4, A / 2];
            ```

            Stands for `m![A % 2 # 4, A / 2]`

            ```text
            ┌───────────┬────────┐
            │ A % 2 # 4 │ A / 2  │
            │ 2 of 4    │ 4      │
            │ step 4    │ step 1 │
            └───────────┴────────┘
            ```

            Normal form `m![A % 2 # 4, A / 2]`  
            Padding 50%: 8 of 16 positions

            Used once in this file:

            - `X`: line 4
        "#]],
    );
}

#[test]
fn an_alias_of_a_tensor_has_bytes() {
    check_hover(
        &kernel_at("let block: $0Block"),
        &expect![[r#"
            **`Block`**: a tensor of i32 in DM, 256 bytes a slice

            ```rust
            type Block = DmTensor<i32, Chip, Half, m![S], m![T, P]>;
            ```

            | level   | mapping   |   size |
            | :-- | :-- | --: |
            | Chip | `m![1]` | 1 |
            | Cluster | `m![1 # 2]` | 2 |
            | Slice | `m![S]` | 256 |
            | Element | `m![T, P]` | 64 |

            Used 2 times in this file:

            - `raise`: 2 times, lines 11, 18
        "#]],
    );
}

#[test]
fn an_alias_of_a_stream_has_its_shape() {
    check_hover(
        "use furiosa_visa_std::prelude::*;
axes![S = 256, F = 64];
type Flo$0ats<'l, const C: Tu> = CollectTensor<'l, C, f32, m![1], m![1 # 2], m![S], m![F / 8], m![F % 8]>;
",
        &expect![[r#"
            **`Floats`**: a stream of f32, 8 x 32 bytes

            ```rust
            type Floats<'l, const C: Tu> = CollectTensor<'l, C, f32, m![1], m![1 # 2], m![S], m![F / 8], m![F % 8]>;
            ```

            | level   | mapping   |   size |
            | :-- | :-- | --: |
            | Chip | `m![1]` | 1 |
            | Cluster | `m![1 # 2]` | 2 |
            | Slice | `m![S]` | 256 |
            | Time | `m![F / 8]` | 8 |
            | Packet | `m![F % 8]` | 8 |
        "#]],
    );
}

#[test]
fn a_kernel_has_its_costs() {
    check_hover(
        &kernel_at("fn ra$0ise"),
        &expect![[r#"
            kernel **`raise`**: 1,171 cycles predicted

            Most of it: `to_dm x`, 565 cycles (48%)

            | context   |   busy cycles |   share |
            | :-- | --: | --: |
            | main | 9 | 0.8% |
            | sub | 32 | 2.7% |
            | dma | 1,130 | 97% |

            Overlap: 0 cycles with two contexts or more at work  
            Lower bound with perfect overlap: 1,130 cycles (-41)

            Critical path:

            - `to_dm x`, 565 cycles (48%)
            - `to_vrf operand`, 32 cycles (2.7%)
            - `commit sum`, 9 cycles (0.8%)
            - `to_hbm sum`, 565 cycles (48%)

            | peak a slice   |   bytes |   of |   share |
            | :-- | --: | --: | --: |
            | DM | 512 | 524,288 | 0.1% |
            | TRF | 0 | 65,536 | 0% |
            | VRF | 256 | 8,192 | 3.1% |

            Assumes

            - `x` is aligned and alone in HBM
        "#]],
    );
}

#[test]
fn a_kernel_without_a_total_says_why() {
    check_hover(
        "use furiosa_visa_std::prelude::*;
axes![S = 256, A = 32];
#[device(chip = 1)]
fn lo$0ad(ctx: &mut Context, x: &HbmTensor<i8, m![1], m![S, A]>, at: u64) {
    let x: DmTensor<i8, m![1], m![1 # 2], m![S], m![A]> = x.to_dm(&mut ctx.tdma, at);
}
",
        &expect![[r#"
            kernel **`load`**: cycles unknown

            No total, because

            - not resolved: unsupported expression: an address that is not a constant (line 5)
            - the address of `x` is not known (line 5)

            Assumes

            - `x` is aligned and alone in HBM
        "#]],
    );
}

#[test]
fn rules_have_their_words() {
    check_hover(
        "#[allow(tcp::$0unknown_axis)]\nfn f() {}",
        &expect![[r#"
            **unknown_axis**: a name in a mapping that is not an axis in scope, or an axis instead of a mapping

            The symbols of a mapping are axes, declared by `axes!` and found by Rust's rules for types: in the block, in the module, or imported. An axis declared in another module has to be imported like any other name. An import may rename it, and it stays the same axis. From release 0.8 of the current library on a bare name after an operator is an axis too: a constant there is written in braces. An alias of a mapping is not an axis. The macro takes it in braces, `m![{ Rows }, K]`, and a tensor takes `m![K]`, not the axis `K` itself. Names that look like the unknown one are proposed, and never written without review: another axis is another kernel.

            Level `deny` by default, group `mapping`, Mapping expressions. `visa-lint explain unknown_axis` shows the rule's page.
        "#]],
    );
    check_hover(
        "// visa-lint: allow(unknown_axis$0): because\nfn f() {}",
        &expect![[r#"
            **unknown_axis**: a name in a mapping that is not an axis in scope, or an axis instead of a mapping

            The symbols of a mapping are axes, declared by `axes!` and found by Rust's rules for types: in the block, in the module, or imported. An axis declared in another module has to be imported like any other name. An import may rename it, and it stays the same axis. From release 0.8 of the current library on a bare name after an operator is an axis too: a constant there is written in braces. An alias of a mapping is not an axis. The macro takes it in braces, `m![{ Rows }, K]`, and a tensor takes `m![K]`, not the axis `K` itself. Names that look like the unknown one are proposed, and never written without review: another axis is another kernel.

            Level `deny` by default, group `mapping`, Mapping expressions. `visa-lint explain unknown_axis` shows the rule's page.
        "#]],
    );
    check_hover(
        "// visa-lint: allow(no_$0rule)\nfn f() {}",
        &expect![[r#"
        nothing
    "#]],
    );
}

#[test]
fn a_helper_is_told_by_its_share_of_each_kernel() {
    // 32 bytes in accesses of 8 are 4 cycles, for the fetch as for the commit.
    check_hover(
        "use furiosa_visa_std::prelude::*;
axes![S = 256, A = 32];
type Row = DmTensor<i8, m![1], m![1 # 2], m![S], m![A]>;
#[device(chip = 1)]
fn twice(ctx: &mut Context, x: &Row) {
    fn keep(ctx: &mut Context, x: &Row, at: u64) -> Row {
        ctx.sub.begin(x.view()).fetch::<i8, m![1], m![A]>().commit(at)
    }
    both(ctx, x);
    let z = kee$0p(ctx, x, 0x3000);
}
fn both(ctx: &mut Context, x: &Row) {}
",
        &expect![[r#"
            function **`keep`**

            In the kernels that reach it:

            - `twice` (line 5): 1 operation, 4 cycles
        "#]],
    );
    check_hover(
        "use furiosa_visa_std::prelude::*;
axes![S = 256, A = 32];
type Row = DmTensor<i8, m![1], m![1 # 2], m![S], m![A]>;
fn keep(ctx: &mut Context, x: &Row, at: u64) -> Row {
    ctx.sub.begin(x.view()).fetch::<i8, m![1], m![A]>().commit(at)
}
fn bo$0th(ctx: &mut Context, x: &Row) { let y = keep(ctx, x, 0x1000); let z = keep(ctx, x, 0x2000); }
#[device(chip = 1)]
fn first(ctx: &mut Context, x: &Row) { both(ctx, x); }
#[device(chip = 1)]
fn second(ctx: &mut Context, x: &Row) { let w = keep(ctx, x, 0x3000); both(ctx, x); }
",
        &expect![[r#"
            function **`both`**

            In the kernels that reach it:

            - `first` (line 9): 2 operations, 8 cycles
            - `second` (line 11): 2 operations, 8 cycles
        "#]],
    );
}

#[test]
fn groups_list_their_rules() {
    let (_, analysis, at) = crate::testing::at_caret("#[allow(tcp::st$0yle)]\nfn f() {}");
    let page = analysis.hover("kernel.rs", at).expect("an answer");
    let page = page.expect("a page").markdown;
    assert!(page.starts_with("**style**: a group of "), "{page}");
    for rule in crate::rules::family_rules().filter(|rule| rule.group == crate::rules::Group::Style)
    {
        assert!(page.contains(&format!("`{}`", rule.name)), "{page}");
    }
}

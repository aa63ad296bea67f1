//! Mappings, whole and in parts.

use expect_test::expect;

use super::{check_hover, kernel_at};

#[test]
fn the_whole_mapping_has_bytes_where_it_is_a_packet() {
    check_hover(
        &kernel_at("fetch::<i32, m![T], m!$0[P]>"),
        &expect![[r#"
        **`m![P]`**: 16 elements, 64 bytes of i32

        The packet behind `fetch`.

        ```text
        ┌────────┐
        │ P      │
        │ 16     │
        │ step 1 │
        └────────┘
        ```

        Normal form `m![P]`
    "#]],
    );
}

#[test]
fn on_a_bracket_the_whole_is_meant() {
    check_hover(
        &kernel_at("collect::<m![T, P / 8$0]"),
        &expect![[r#"
        **`m![T, P / 8]`**: 8 iterations

        The time behind `collect`.

        ```text
        ┌────────┬────────┐
        │ T      │ P / 8  │
        │ 4      │ 2      │
        │ step 2 │ step 1 │
        └────────┴────────┘
        ```

        Normal form `m![T, P / 8]`
    "#]],
    );
}

#[test]
fn on_an_operator_its_part_is_meant() {
    check_hover(
        &kernel_at("m![T, P / 8], m![P $0% 8]"),
        &expect![[r#"
        **`m![P % 8]`**: 8 positions, 32 bytes of i32

        Part of the packet behind `collect`.

        ```text
        ┌────────┐
        │ P % 8  │
        │ 8      │
        │ step 1 │
        └────────┘
        ```

        Normal form `m![P % 8]`
    "#]],
    );
}

#[test]
fn a_comma_belongs_to_the_factors_beside_it() {
    check_hover(
        "axes![A = 8, B = 24];\ntype X = m![[A / 2, B # 32]$0, A % 2];",
        &expect![[r#"
            **`m![[A / 2, B # 32], A % 2]`**: 256 positions

            ```text
            ┌─────────┬──────────┬────────┐
            │ A / 2   │ B # 32   │ A % 2  │
            │ 4       │ 24 of 32 │ 2      │
            │ step 64 │ step 2   │ step 1 │
            └─────────┴──────────┴────────┘
            ```

            Normal form `m![A / 2, B # 32, A % 2]`  
            Padding 25%: 64 of 256 positions
        "#]],
    );
}

#[test]
fn what_stands_for_the_same_has_one_normal_form() {
    check_hover(
        "axes![A = 8];\ntype X = $0m![A / 4, A / 2 % 2, A % 2];",
        &expect![[r#"
            **`m![A / 4, A / 2 % 2, A % 2]`**: 8 positions

            ```text
            ┌────────┐
            │ A      │
            │ 8      │
            │ step 1 │
            └────────┘
            ```

            Normal form `m![A]`
        "#]],
    );
}

#[test]
fn what_is_wrong_has_reasons() {
    check_hover(
        "axes![A = 8];\ntype X = m![A $0/ 3];",
        &expect![[r#"
        **`m![A / 3]`**

        No size, because

        - the stride 3 does not divide the size 8
    "#]],
    );
    check_hover(
        "axes![A = 8];\ntype X = m!$0[A, Q];",
        &expect![[r#"
        **`m![A, Q]`**

        No size, because

        - `Q` names no axis in scope
    "#]],
    );
    check_hover(
        "axes![A = 8];\ntype X = m!$0[A, ];",
        &expect![[r#"
        **`m![A,]`**

        No size, because

        - a mapping has no trailing comma
    "#]],
    );
}

#[test]
fn generic_mappings_are_told_by_kernel() {
    check_hover(
        "use furiosa_visa_std::prelude::*;
axes![S = 256, A = 32, B = 64];
fn halve<D: Scalar, N: M>(ctx: &mut Context, x: &HbmTensor<D, m![1], m![S, { N }]>) -> DmTensor<D, m![1], m![1 # 2], m![S], m!$0[{ N } # 128]> {
    x.to_dm(&mut ctx.tdma, 0)
}
#[device(chip = 1)]
fn small(ctx: &mut Context, x: &HbmTensor<i8, m![1], m![S, A]>) { halve::<i8, m![A]>(ctx, x); }
#[device(chip = 1)]
fn large(ctx: &mut Context, x: &HbmTensor<bf16, m![1], m![S, B]>) { halve::<bf16, m![B]>(ctx, x); }
",
        &expect![[r#"
            **`m![{ N } # 128]`**

            No size, because

            - it depends on a generic parameter or a constant that is not known here

            As kernels call it

            - in `small`: `m![A # 128]`, 128 positions, 128 bytes of i8
            - in `large`: `m![B # 128]`, 128 positions, 256 bytes of bf16
        "#]],
    );
}

/// `T` means the one that is imported; the other one is called by its path wherever it is shown in code.
#[test]
fn axes_of_one_name_are_told_apart() {
    let text = "mod a { furiosa_visa_std::prelude::axes![T = 64]; }
mod b { furiosa_visa_std::prelude::axes![T = 32]; }
use furiosa_visa_std::prelude::*;
use a::T;
type Both = m!$0[T, { b::T }];
type Low = m![{ b::T } / 8];
";
    check_hover(
        text,
        &expect![[r#"
            **`m![T, { b::T }]`**: 2,048 positions

            ```text
            ┌─────────┬────────┐
            │ a::T    │ b::T   │
            │ 64      │ 32     │
            │ step 32 │ step 1 │
            └─────────┴────────┘
            ```

            Normal form `m![T, { b::T }]`
        "#]],
    );
    let other = text
        .replace("m!$0", "m!")
        .replace("m![{ b::T } /", "m!$0[{ b::T } /");
    check_hover(
        &other,
        &expect![[r#"
            **`m![{ b::T } / 8]`**: 4 positions

            ```text
            ┌──────────┐
            │ b::T / 8 │
            │ 4        │
            │ step 1   │
            └──────────┘
            ```

            Normal form `m![{ b::T } / 8]`
        "#]],
    );
}

//! Addresses and the map of their memory.

use expect_test::expect;

use super::{check_hover, kernel_at};

#[test]
fn an_address_has_neighbours_and_free_places() {
    check_hover(
        &kernel_at(".commit(0x1$0000)"),
        &expect![[r#"
            **`0x1000`** `sum` in DM: `0x1000..0x1100`, 256 bytes a slice

            In `raise`, needed from cycle 597 to 1,171.

            | address   | tensor   | made   | needed   |   bytes |
            | :-- | :-- | :-- | :-- | --: |
            | `0x0..0x100` | `block` | line 11 | cycles 0 to 606 | 256 |
            | `0x1000..0x1100` | **`sum`** | line 18 | cycles 597 to 1,171 | 256 |

            Free meanwhile: `0x100..0x1000` (3,840 bytes), `0x1100..0x80000` (519,936 bytes).
        "#]],
    );
}

#[test]
fn a_register_file_has_its_own_map() {
    check_hover(
        &kernel_at(".to_vrf($00)"),
        &expect![[r#"
            **`0x0`** `operand` in the VRF: `0x0..0x100`, 256 bytes a slice

            In `raise`, needed from cycle 565 to 606.

            | address   | tensor   | made   | needed   |   bytes |
            | :-- | :-- | :-- | :-- | --: |
            | `0x0..0x100` | **`operand`** | line 12 | cycles 565 to 606 | 256 |

            Free meanwhile: `0x100..0x2000` (7,936 bytes).
        "#]],
    );
}

#[test]
fn overlaps_are_named() {
    check_hover(
        "use furiosa_visa_std::prelude::*;
axes![S = 256, A = 32];
type Row = DmTensor<i8, m![1], m![1 # 2], m![S], m![A]>;
const BASE: u64 = 0x40;
#[device(chip = 1)]
fn both(ctx: &mut Context, x: &Row) {
    let one: Row = ctx.sub.begin(x.view()).fetch::<i8, m![1], m![A]>().commit(BASE);
    let two: Row = ctx.sub.begin(x.view()).fetch::<i8, m![1], m![A]>().commit(BA$0SE + 0x10);
    let three: Row = ctx.sub.begin(one.view()).fetch::<i8, m![1], m![A]>().commit(0x200);
    let four: Row = ctx.sub.begin(two.view()).fetch::<i8, m![1], m![A]>().commit(0x300);
}
",
        &expect![[r#"
            **`0x50`** `two` in DM: `0x50..0x70`, 32 bytes a slice

            In `both`, needed from cycle 4 to 16.

            | address   | tensor   | made   | needed   |   bytes |
            | :-- | :-- | :-- | :-- | --: |
            | `0x40..0x60` | `one` | line 7 | cycles 0 to 12 | 32 |
            | `0x50..0x70` | **`two`** | line 8 | cycles 4 to 16 | 32 |
            | `0x200..0x220` | `three` | line 9 | cycles 8 to 12 | 32 |
            | `0x300..0x320` | `four` | line 10 | cycles 12 to 16 | 32 |

            Shares bytes with

            - `one`: `0x50..0x60`

            Free places are not shown: it is unknown where `x` is.
        "#]],
    );
}

#[test]
fn an_unknown_address_is_said_to_be_unknown() {
    check_hover(
        "use furiosa_visa_std::prelude::*;
axes![S = 256, A = 64];
type Row = DmTensor<i8, m![1], m![1 # 2], m![S], m![A]>;
#[device(chip = 1)]
fn load(ctx: &mut Context, x: &HbmTensor<i8, m![1], m![S, A]>, at: u64) {
    let one: Row = x.to_dm(&mut ctx.tdma, 0x100);
    let two: Row = x.to_dm(&mut ctx.tdma, at$0);
    let three: Row = ctx.sub.begin(one.view()).fetch::<i8, m![1], m![A]>().commit(0x200);
    let four: Row = ctx.sub.begin(two.view()).fetch::<i8, m![1], m![A]>().commit(0x300);
}
",
        &expect![[r#"
            **an unknown address** `two` in DM: 64 bytes a slice

            In `load`, needed by operations 1 to 3.

            Its neighbours are not shown: the address is not a constant, or the size is not known.
        "#]],
    );
}

#[test]
fn halves_of_the_trf_have_names() {
    check_hover(
        "use furiosa_visa_std::prelude::*;
axes![S = 256, N = 8, R = 64];
#[device(chip = 1)]
fn load(ctx: &mut Context, w: &DmTensor<bf16, m![1], m![1 # 2], m![S], m![N, R]>) {
    let first: TrfTensor<bf16, m![1], m![1 # 2], m![S], m![N], m![R]> = ctx
        .sub
        .begin(w.view())
        .fetch::<bf16, m![N], m![R]>()
        .collect::<m![N, R / 16], m![R % 16]>()
        .to_trf(TrfAddress::$0SecondHalf);
}
",
        &expect![[r#"
            **second half** `first` in the TRF: `0x8000..0x10000`, 32,768 bytes a slice

            In `load`, needed from cycle 0 to 128.

            | address   | tensor   | made   | needed   |   bytes |
            | :-- | :-- | :-- | :-- | --: |
            | `0x8000..0x10000` | **`first`** | line 5 | cycles 0 to 128 | 32,768 |

            Free meanwhile: `0x0..0x8000` (32,768 bytes).
        "#]],
    );
}

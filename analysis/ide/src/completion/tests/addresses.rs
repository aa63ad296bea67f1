//! Free places where an address is given: checked against a list of taken bytes made by hand.

use super::{kernel, proposals};

/// Labels with what is said of each.
fn said(rest: &str) -> Vec<(String, String)> {
    let found = proposals(&kernel(rest)).into_iter();
    found
        .map(|found| (found.label, found.detail.unwrap_or_default()))
        .collect()
}

/// A pass over a part of `x` that ends with a text. `x` is 2,048 x 64 values of 2 bytes at 0: 262,144 of the 524,288 bytes of a
/// slice.
fn pass(end: &str) -> String {
    format!(
        "let y: DmTensor<bf16, m![1], m![1 # 2], m![W], m![N, K]> = ctx.main.begin(x.view())\
         .fetch::<bf16, m![N, K / 16], m![K % 16]>().collect::<m![N, K / 16], m![K % 16]>(){end}"
    )
}

#[test]
fn what_is_behind_the_taken_bytes_is_free() {
    let free = [("0x40000".to_owned(), "262,144 bytes free".to_owned())];
    for end in [".commit($0);", ".commit($0", ".commit(0x$0);"] {
        assert_eq!(said(&pass(end)), free, "{end}");
    }
    // Given already, it is not in its own way.
    assert_eq!(said(&pass(".commit($00x40000);")), free);
}

#[test]
fn a_transfer_has_its_address_behind_the_engine() {
    let load =
        "let z: DmTensor<bf16, m![1], m![1 # 2], m![W], m![K]> = h.to_dm(&mut ctx.tdma, $0);";
    let text = kernel(load).replace(
        "ctx: &mut Context,",
        "ctx: &mut Context, h: &HbmTensor<bf16, m![1], m![W, K]>,",
    );
    let found = proposals(&text);
    assert_eq!(
        found.first().map(|found| found.label.as_str()),
        Some("0x40000")
    );
    let text = text.replace("&mut ctx.tdma, $0", "$0");
    assert!(
        proposals(&text)
            .iter()
            .all(|found| !found.label.starts_with("0x"))
    );
}

#[test]
fn a_hole_is_offered_where_the_tensor_fits() {
    // 0x40000 to 0x48000 and from 0x50000 on are taken by two of 32,768 bytes each: one of 65,536 does not fit between.
    let others = "let a: DmTensor<i8, m![1], m![1 # 2], m![W], m![N, K / 4]> = p.to_dm(&mut ctx.tdma, 0x40000);
    let b: DmTensor<i8, m![1], m![1 # 2], m![W], m![N, K / 4]> = p.to_dm(&mut ctx.tdma, 0x50000);
    let c: DmTensor<i8, m![1], m![1 # 2], m![W], m![N, SIZE]> = q.to_dm(&mut ctx.tdma, $0);";
    let text = kernel(others).replace(
        "ctx: &mut Context,",
        "ctx: &mut Context, p: &HbmTensor<i8, m![1], m![W, N, K / 4]>, q: &HbmTensor<i8, m![1], m![W, N, SIZE]>,",
    );
    let found = |size: &str| -> Vec<(String, String)> {
        let found = proposals(&text.replace("SIZE", size)).into_iter();
        found
            .map(|found| (found.label, found.detail.unwrap_or_default()))
            .collect()
    };
    let behind = ("0x58000".to_owned(), "163,840 bytes free".to_owned());
    let between = ("0x48000".to_owned(), "32,768 bytes free".to_owned());
    assert_eq!(found("K / 2"), std::slice::from_ref(&behind));
    assert_eq!(found("K / 4"), [between, behind]);
}

#[test]
fn nothing_is_said_where_something_is_at_an_unknown_place() {
    let rest = format!(
        "let a: DmTensor<i8, m![1], m![1 # 2], m![W], m![K]> = p.to_dm(&mut ctx.tdma, somewhere());
    {}",
        pass(".commit($0);")
    );
    let text = kernel(&rest).replace(
        "ctx: &mut Context,",
        "ctx: &mut Context, p: &HbmTensor<i8, m![1], m![W, K]>,",
    );
    let found = proposals(&text);
    assert!(
        found.iter().all(|found| !found.label.starts_with("0x")),
        "{found:?}"
    );
}

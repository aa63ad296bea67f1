use super::{ItemKind, TABLE, shapes_of};
use crate::libraries::Release;

/// The words of the shapes of a text, in the order of the text.
fn words(text: &str) -> Vec<&'static str> {
    let shapes = shapes_of(text, ItemKind::Function);
    let found = shapes.found.iter();
    found.map(|found| TABLE[found.row].words).collect()
}

/// The releases of the successor that have all shapes of a text, by their second numbers.
fn releases(text: &str) -> Vec<u16> {
    let shapes = shapes_of(text, ItemKind::Function);
    let has = |minor: &u16| {
        let release = Release::new(0, *minor);
        let mut found = shapes.found.iter();
        found.all(|found| TABLE[found.row].is_in(release))
    };
    (2..=10).filter(has).collect()
}

/// The table of the reference's section on releases, row by row: the shape, its first and its last release.
#[test]
fn the_references_table() {
    let rows: &[(&str, u16, u16)] = &[
        ("x.fetch::<D, m![T], m![P]>()", 2, 2),
        ("x.vector_narrow_clip::<m![1]>()", 2, 2),
        ("x.commit(4096)", 2, 3),
        ("x.to_vrf(0)", 2, 3),
        ("x.to_vrf::<E>(BASE)", 2, 3),
        ("x.to_trf(TrfAddress::Full)", 2, 3),
        ("x.to_dm(&mut ctx.tdma, 1 << 12)", 2, 3),
        ("x.dma_gather::<A, B, C, D>(i, 0, true)", 2, 3),
        ("x.commit_at(4096)", 4, 5),
        ("x.to_dm_at(&mut ctx.tdma, 4096)", 4, 5),
        ("DmTensor::from_addr(0)", 2, 4),
        ("DmTensor::<f32, A, B, C, D>::from_addr(0)", 2, 4),
        ("HbmTensor::from_addr(0)", 2, 5),
        ("TrfTensor::from_addr(0)", 2, 5),
        ("x.dma_gather_scaled::<A, B, C, D>(i)", 4, 8),
        ("x.dma_gather_unscaled::<A>(i)", 4, 8),
        ("x.dma_scatter::<A>(i, h)", 2, 8),
        ("x.dma_scatter_unscaled::<A>(i, h)", 4, 8),
        ("x.commit_cast::<bf16>(Activation::Relu)", 3, 5),
        ("TagFilter::All", 2, 5),
        ("VeRhs::constant(1)", 2, 5),
        ("InputCmp::I32(x)", 2, 5),
        ("TagMode::ValidCount", 2, 5),
        ("Branched::new()", 6, 10),
        ("TagGuard::all()", 6, 10),
        ("Cmp::Less(1)", 6, 10),
        ("x.pad::<m![A # 8]>()", 6, 10),
        ("x.unpad()", 6, 10),
        ("x.vector_reinterpret::<i32>()", 6, 10),
        ("x.commit_cast_relu::<bf16>()", 6, 10),
        ("HbmTensor::new()", 6, 10),
        ("DmTensor::<f32, A>::new()", 5, 10),
        ("x.memset(0, &mut ctx.sub)", 5, 10),
        ("x.fetch_chip_lift::<A, B>()", 7, 10),
        ("x.fetch_cluster_lift::<A, B>()", 7, 10),
        ("x.fetch_slice_lift::<A, B>()", 7, 10),
        ("x.to_vrf(&mut ctx.sub)", 7, 10),
        ("x.dm_cluster_shuffle::<2>(v, &[1, 0])", 2, 6),
        ("x.dm_cluster_swap()", 7, 7),
        ("fn f(c: &mut Context, x: X)", 2, 7),
        ("fn f(c: &'c mut furiosa_opt_std::prelude::Context)", 2, 7),
        ("x.parallel_copy_chip_slice::<2>(v, &[0])", 2, 7),
        ("x.parallel_copy_cluster_slice::<2>(v, &[0])", 2, 7),
        ("x.dm_chip_shuffle::<4>(v, &[0])", 2, 7),
        ("fn f(device: &mut Device, x: X)", 8, 10),
        ("#[unroll] for i in 0..4 {}", 8, 10),
        ("m![A / B]", 8, 10),
        ("m![A # (B, C)]", 8, 10),
        ("m![A #{0} B]", 8, 10),
        ("x.chip_shuffle([1, 0])", 8, 10),
        ("x.cluster_swap()", 8, 10),
        ("x.chip_slice::<A, B>([0])", 8, 10),
        ("x.cluster_slice::<A, B>([0])", 8, 10),
        ("x.asymmetric_chip_slice::<A, B>(s, &[0])", 8, 10),
        ("x.asymmetric_cluster_slice::<A, B>(s, &[0])", 8, 10),
        ("x.to_host(&mut device.pdma).await?", 8, 10),
        ("x.to_host::<m![A]>(&mut device.pdma).await.unwrap()", 8, 10),
        ("Device::new(topology)", 8, 10),
        ("x.vector_intra_slice_unzip::<A, m![1], m![2]>()", 2, 7),
        ("x.vector_intra_slice_unzip::<A, m![1]>()", 8, 10),
        ("h.gather::<A, m![B]>()", 9, 10),
        ("h.scatter::<A, m![B]>()", 9, 10),
        ("SpmTensor::<i32, A>", 9, 10),
        ("x.to_spm(&mut device.tdma)", 9, 10),
        ("x: &HbmScalar<bool>", 9, 10),
        ("axes![a = 8, B = 4]", 9, 10),
        ("x.to_trf(&mut device.sub)", 10, 10),
        ("x.to_trf::<A, B>(&mut device.sub)", 10, 10),
        ("HbmBuffer", 10, 10),
    ];
    for (text, first, last) in rows {
        let expected: Vec<u16> = (*first..=*last).collect();
        assert_eq!(releases(text), expected, "{text}: {:?}", words(text));
    }
}

#[test]
fn what_looks_alike_is_no_shape() {
    for text in [
        "x.fetch::<m![T, P]>()",
        "x.commit()",
        "x.commit::<m![A]>()",
        "x.to_vrf::<E>()",
        "x.to_vrf(sub)",
        "x.to_trf(address)",
        "x.to_dm::<m![1], m![A], m![B]>(&mut device.tdma,)",
        "commit(4096)",
        "x.pad(4)",
        "x.Cmp",
        "c: &mut Context<'_>",
        "c: &Context",
        "c: Context",
        "#[unroll_loop]",
        "m![A / 4 # { N } #{*} 8 #{!} 4 % 2 = 1]",
        "m![{ A / B }, C]",
        "a / B",
        "i![A: i / B]",
        "x.to_host(&mut ctx.pdma).await",
        "x.gather(1)",
        "axes![A = 8]",
        "\"x.to_spm()\"",
        "x.memset(&value)",
    ] {
        assert_eq!(words(text), [""; 0], "{text}");
    }
}

#[test]
fn names_of_the_crates_own_are_declared() {
    let declared = |text: &str, kind| {
        let shapes = shapes_of(text, kind);
        let rows = shapes.declared.rows().map(|shape| shape.words);
        rows.collect::<Vec<_>>()
    };
    let of = |text: &str| declared(text, ItemKind::Implementation);
    assert_eq!(of("impl Own { fn pad(&self) {} }"), ["`pad`"]);
    assert_eq!(declared("pub struct Cmp;", ItemKind::Type), ["`Cmp`"]);
    let import = |text: &str| declared(text, ItemKind::Use);
    assert_eq!(import("use std::task::Context;"), ["`&mut Context`"]);
    assert_eq!(import("use furiosa_opt_std::prelude::Context;"), [""; 0]);
}

/// Bounded, whatever the text is.
#[test]
fn brackets_that_nothing_closes_are_passed_over() {
    for part in ["x.to_dm::<", "m![", "x.memset(", "axes![", "#[", "to_host("] {
        let text = part.repeat(20_000);
        assert_eq!(words(&text), [""; 0], "{part}");
    }
}

//! A library that is none of the two: the same operations under other names, several stages in one call, arguments and
//! generics in another order, no addresses.

use crate::kernel::catalogue::{CanonicalStage, Generic, Role};
use crate::kernel::dialect::{
    Access, Action, Argument, Dialect, Method, OPT_STD, Receiver, Release, Releases, StageUse,
    Table, VISA_STD,
};
use crate::kernel::{AddressValue, Context, Level, PassEnd, Tier, Unresolved};

use super::*;

const fn argument(role: Role) -> Argument {
    Argument {
        role,
        name: "value",
        ty: "Value",
        meaning: "",
        usual: "",
        suffix: "",
        optional: false,
    }
}

const fn once(stage: CanonicalStage) -> StageUse {
    StageUse {
        stage,
        merges: false,
    }
}

const fn method(
    receiver: Receiver,
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
    action: Action,
) -> Method {
    Method {
        name,
        receiver,
        generics,
        arguments,
        action,
        offered_at: None,
        only_in: None,
        releases: None,
        without_body: false,
    }
    .since(Release::new(0, 2))
    .until(Release::new(0, 3))
}

const TIME: Generic = Generic::Level(Level::Time);
const PACKET: Generic = Generic::Level(Level::Packet);

const OWNED_HBM: Receiver = Receiver::Tensor(Tier::Hbm, &[Access::Owned]);

static OTHER: &[Method] = &[
    // One name with two orders of generics, before and since 0.4.
    method(
        OWNED_HBM,
        "carry",
        &[
            Generic::Level(Level::Element),
            Generic::Level(Level::Slice),
            Generic::Level(Level::Cluster),
        ],
        &[argument(Role::Context)],
        Action::Transfer(Tier::Dm),
    ),
    method(
        OWNED_HBM,
        "carry",
        &[
            Generic::Level(Level::Cluster),
            Generic::Level(Level::Slice),
            Generic::Level(Level::Element),
        ],
        &[argument(Role::Context)],
        Action::Transfer(Tier::Dm),
    )
    .since(Release::new(0, 4)),
    method(
        Receiver::Tensor(Tier::Hbm, &[Access::Owned]),
        "bring",
        &[
            Generic::Level(Level::Element),
            Generic::Level(Level::Slice),
            Generic::Level(Level::Cluster),
        ],
        &[argument(Role::Address), argument(Role::Context)],
        Action::Transfer(Tier::Dm),
    ),
    method(
        Receiver::Stream,
        "flits",
        &[TIME, PACKET, Generic::Scalar, TIME, PACKET],
        &[],
        Action::Stages(&[once(CanonicalStage::Fetch), once(CanonicalStage::Collect)]),
    ),
    method(
        Receiver::Stream,
        "keep",
        &[],
        &[],
        Action::Stages(&[once(CanonicalStage::Commit)]),
    ),
];

/// The book's library with the other names beside its own, in a release that has them.
fn other() -> Dialect {
    other_at(Release::new(0, 2))
}

fn other_at(release: Release) -> Dialect {
    let lists = std::iter::once(OTHER).chain(VISA_STD.methods.iter().copied());
    let methods: Vec<&'static [Method]> = lists.collect();
    let table: &'static Table = Box::leak(Box::new(Table {
        methods: Box::leak(methods.into_boxed_slice()),
        index: Box::leak(Box::default()),
        ..VISA_STD
    }));
    table.in_release(release)
}

/// The body of the kernel of a text, by the table of a library.
fn lower_for(library: Dialect, text: &str) -> Body {
    let (db, _) = lower_in(text, "kernel");
    let file = db.file("kernel.rs").expect("the file");
    let function = file_items(&db, file)
        .items
        .iter()
        .copied()
        .find(|item| item.kind(&db) == ItemKind::Function)
        .expect("the function");
    super::super::functions::lower_for(&db, library, function, None).0
}

#[test]
fn one_call_may_be_several_stages_and_arguments_stand_where_the_table_says() {
    let text = "axes![S = 256, A = 8, B = 64];
        fn kernel(ctx: &mut Context, x: HbmTensor<i8, m![1], m![S, A, B]>) {
            let d = x.bring::<m![A, B], m![S], m![1 # 2]>(0x40, &mut ctx.tdma);
            let y: DmTensor<i8, m![1], m![1 # 2], m![S], m![A, B]> = ctx
                .main
                .begin(d.view())
                .flits::<m![A], m![B], i8, m![A, B / 32], m![B % 32]>()
                .keep();
        }";
    let body = lower_for(other(), text);
    assert_eq!(reasons(&body), []);
    let OperationKind::Copy(copy) = &body.operations[0].kind else {
        panic!("a transfer")
    };
    assert_eq!(body.operations[0].context, Context::TensorDma);
    let made = body.tensor(copy.target).expect("a tensor");
    assert_eq!(made.address.value, AddressValue::Bytes(0x40));
    assert_eq!(shown(&made.levels.element), "A, B");
    assert_eq!(
        made.levels.cluster.as_ref().map(shown).as_deref(),
        Some("1 # 2")
    );
    let pass = passes(&body)[0];
    let stages: Vec<_> = pass
        .stages
        .iter()
        .map(|stage| {
            let (time, packet) = (shown(&stage.output.time), shown(&stage.output.packet));
            (stage.kind.canonical(), time, packet)
        })
        .collect();
    let expected = [
        (CanonicalStage::Fetch, "A".to_owned(), "B".to_owned()),
        (
            CanonicalStage::Collect,
            "A, B / 32".to_owned(),
            "B % 32".to_owned(),
        ),
    ];
    assert_eq!(stages, expected);
    let PassEnd::Commit { target, .. } = pass.end else {
        panic!("a commit")
    };
    // The library chooses the address, which leaves nothing unresolved.
    let made = body.tensor(target).expect("a tensor");
    assert_eq!(made.address.value, AddressValue::Unknown);
}

#[test]
fn generics_stand_in_the_order_of_the_release() {
    let text = |generics: &str| {
        format!(
            "axes![S = 256, A = 8];
            fn kernel(ctx: &mut Context, x: HbmTensor<i8, m![1], m![S, A]>) {{
                let d = x.carry::<{generics}>(&mut ctx.tdma);
            }}"
        )
    };
    let element = |minor: u16, generics: &str| {
        let body = lower_for(other_at(Release::new(0, minor)), &text(generics));
        assert_eq!(reasons(&body), [], "0.{minor}");
        let OperationKind::Copy(copy) = &body.operations[0].kind else {
            panic!("a transfer")
        };
        shown(&body.tensor(copy.target).expect("a tensor").levels.element)
    };
    assert_eq!(element(3, "m![A], m![S], m![1 # 2]"), "A");
    assert_eq!(element(4, "m![1 # 2], m![S], m![A]"), "A");
}

#[test]
fn releases_are_kept_apart() {
    let [first, ..] = OTHER else {
        panic!("methods")
    };
    let releases = first.releases.expect("releases");
    assert!(releases.contain(Release::new(0, 2)) && releases.contain(Release::new(0, 3)));
    assert!(!releases.contain(Release::new(0, 10)) && !releases.contain(Release::new(0, 1)));
    assert!(Releases::since(Release::new(0, 7)).contain(Release::new(0, 10)));
}

#[test]
fn a_method_of_another_release_is_unresolved_and_says_so() {
    let text = "axes![S = 256, A = 8];
        fn kernel(ctx: &mut Context, x: HbmTensor<i8, m![1], m![S, A]>) {
            let d = x.bring::<m![A], m![S], m![1 # 2]>(0x40, &mut ctx.tdma);
        }";
    let reasons_at = |release: Release| {
        let body = lower_for(other_at(release), text);
        let mut unresolved = body.unresolved.iter();
        unresolved.next().map(|place| place.reason.reason_text())
    };
    assert_eq!(reasons_at(Release::new(0, 3)), None);
    let expected =
        "`bring` is a method of `furiosa_visa_std` 0.2 to 0.3, and this is written for 0.4";
    assert_eq!(reasons_at(Release::new(0, 4)).as_deref(), Some(expected));

    let names_at = |release: Release| {
        let library = other_at(release);
        let guided = library
            .every_method()
            .filter(|method| library.guide(method).is_some());
        guided.map(|method| method.name).collect::<Vec<_>>()
    };
    // What completion proposes is what the release has.
    assert!(names_at(Release::new(0, 3)).contains(&"flits"));
    assert!(!names_at(Release::new(0, 4)).contains(&"flits"));
}

/// A pass as each release writes it, with what converts, contracts and commits.
fn contraction(minor: u16) -> String {
    let (context, tdma, sub) = if minor < 8 {
        ("ctx: &mut Context", "&mut ctx.tdma", "ctx")
    } else {
        ("device: &mut Device", "&mut device.tdma", "device")
    };
    format!(
        "axes![R = 256, N = 8, K = 32];
fn kernel({context}, x: &HbmTensor<bf16, m![1], m![R, N, K]>, w: &HbmTensor<bf16, m![1], m![R, K]>) -> HbmTensor<f32, m![1], m![R, N]> {{
    let w: DmTensor<bf16, m![1], m![1], m![R], m![K]> = w.to_dm({tdma});
    let held: TrfTensor<bf16, m![1], m![1], m![R], m![1], m![K]> = {sub}.sub
        .begin(w.view()).fetch::<m![K / 16], m![K % 16]>().collect::<m![K / 16], m![K % 16]>().to_trf();
    let x: DmTensor<bf16, m![1], m![1], m![R], m![N, K]> = x.to_dm({tdma});
    let y: DmTensor<f32, m![1], m![1], m![R], m![N]> = {sub}.main
        .begin(x.view()).fetch::<m![N, K / 16], m![K % 16]>().collect::<m![N, K / 16], m![K % 16]>()
        .contract_outer::<m![N], m![K], _, _, _>(&held).contract_packet::<m![1]>().contract_time::<m![N]>()
        .contract_lane::<m![N], m![1 # 8]>(LaneMode::Interleaved)
        .transpose::<m![N / 2], m![N % 2 # 8]>().commit_trim::<m![N % 2]>().commit();
    y.to_hbm({tdma})
}}"
    )
}

/// The stages that a contraction is lowered to do not depend on the release; only what is written does.
#[test]
fn releases_lower_to_the_same_stages() {
    use CanonicalStage as S;
    for minor in [6, 7, 8, 9, 10] {
        let table = OPT_STD.in_release(Release::new(0, minor));
        let body = lower_for(table, &contraction(minor));
        assert_eq!(reasons(&body), [], "0.{minor}");
        let stages = |pass: &&Pass| -> Vec<CanonicalStage> {
            let stages = pass.stages.iter();
            stages.map(|stage| stage.kind.canonical()).collect()
        };
        let passes: Vec<Vec<CanonicalStage>> = passes(&body).iter().map(stages).collect();
        assert_eq!(
            passes,
            [
                vec![S::Fetch, S::Collect],
                vec![
                    S::Fetch,
                    S::Collect,
                    S::Align,
                    S::Contract,
                    S::ContractTime,
                    S::Accumulate,
                    S::Transpose,
                    S::CommitTrim,
                ],
            ],
            "0.{minor}"
        );
        // Tensors are where the library puts them.
        assert!(
            body.tensors
                .iter()
                .all(|tensor| tensor.address.bytes().is_none())
        );
    }
}

/// What a project's own struct or a value that could not be followed is asked for is no method of a library, whatever its name
/// is elsewhere.
#[test]
fn only_what_is_known_to_be_the_librarys_has_methods_of_other_releases() {
    let text = |call: &str| {
        format!(
            "axes![S = 256, A = 8];
            struct Layer {{ width: usize }}
            fn kernel(device: &mut Device, layer: Layer, x: &HbmTensor<i8, m![1], m![S, A]>) {{
                let d: DmTensor<i8, m![1], m![1], m![S], m![A]> = x.to_dm(&mut device.tdma);
                {call};
            }}"
        )
    };
    let table = OPT_STD.in_release(Release::new(0, 8));
    for call in [
        "layer.align(&mut device.main)",
        "layer.dma_gather_scaled(device)",
        "layer.accumulate(device.main.begin(d.view()))",
        "Layer { width: 3 }.contract(device)",
        "unknown(3).dm_cluster_shuffle(&mut device.tdma, &[1, 0])",
    ] {
        let body = lower_for(table, &text(call));
        assert_eq!(body.foreign, [], "{call}");
        for place in &body.unresolved {
            let other = matches!(
                place.reason,
                UnresolvedReason::OtherRelease { .. } | UnresolvedReason::OtherLibrary { .. }
            );
            assert!(!other, "{call}: {:?}", place.reason);
        }
        // It is said anyway that something was not followed.
        let silent = call.starts_with("layer.accumulate");
        assert!(silent || !body.unresolved.is_empty(), "{call}");
    }
    let body = lower_for(
        table,
        &text("d.dm_cluster_shuffle::<2>(&mut device.tdma, &[1, 0])"),
    );
    assert!(
        matches!(
            body.unresolved.as_slice(),
            [Unresolved {
                reason: UnresolvedReason::OtherRelease { .. },
                ..
            }]
        ),
        "{:?}",
        body.unresolved
    );
    assert_eq!(body.foreign.len(), 1);
}

/// A name that both releases have, with what one of them takes: `to_dm` took two generics, `fetch` three, `commit` an address.
#[test]
fn arguments_of_another_release_are_told_apart() {
    let words = |minor: u16, call: &str| {
        let text = format!(
            "axes![S = 256, A = 32];
            fn kernel(device: &mut Device, x: &HbmTensor<i8, m![1], m![S, A]>) {{
                let d: DmTensor<i8, m![1], m![1], m![S], m![A]> = x.to_dm(&mut device.tdma);
                let y: DmTensor<i8, m![1], m![1], m![S], m![A]> = {call};
            }}"
        );
        let body = lower_for(OPT_STD.in_release(Release::new(0, minor)), &text);
        let words = body
            .unresolved
            .iter()
            .map(|place| place.reason.reason_text());
        words.collect::<Vec<_>>()
    };
    let two = "d.to_dm::<m![S], m![A]>(&mut device.tdma)";
    assert_eq!(words(7, two), [""; 0]);
    let said =
        "`to_dm::<_, _>` is a method of `furiosa_opt_std` 0.4 to 0.7, and this is written for 0.8";
    assert_eq!(words(8, two), [said]);
    let addressed = "d.to_dm::<m![S], m![A]>(&mut device.tdma, 0)";
    let said = "`to_dm(dma, address)` is a method of `furiosa_opt_std` up to 0.3, and this is written for 0.6";
    assert_eq!(words(6, addressed), [said]);
    let three = "device.main.begin(d.view()).fetch::<i8, m![1], m![A]>().collect::<m![1], m![A]>().commit_trim::<m![A]>().commit()";
    let said = "`fetch::<_, _, _>` is a method of `furiosa_opt_std` up to 0.2, and this is written for 0.8";
    assert_eq!(words(8, three), [said]);
}

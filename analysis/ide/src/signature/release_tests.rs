//! Signatures of the current library, release by release: generics and arguments are those of the table of methods that the
//! library's documentation has.

use crate::EditorQuestions as _;
use crate::SignatureHelp;
use crate::items::Dialect;
use crate::libraries::{Library, Release};
use crate::workspace::Workspace;

fn signature(minor: u16, rest: &str) -> Option<SignatureHelp> {
    let first = if minor < 8 {
        "ctx: &mut Context"
    } else {
        "device: &mut Device"
    };
    let text = format!(
        "use furiosa_opt_std::prelude::*;
axes![N = 2048, K = 64, W = 256];
fn run({first}, h: &HbmTensor<bf16, m![1], m![W, N, K]>, b: &DmTensor<bf16, m![1], m![1 # 2], m![W], m![N, K]>,
    spm: &SpmTensor<bf16, m![1], m![1 # 2], m![1 # 4], m![K]>,
    main: CollectTensor<'_, {{ Tu::Main }}, f32, m![1], m![1 # 2], m![W], m![N, K / 8], m![K % 8]>,
    sub: CollectTensor<'_, {{ Tu::Sub }}, f32, m![1], m![1 # 2], m![W], m![N, K / 8], m![K % 8]>,
    begun: BeginTensor<'_, {{ Tu::Main }}, bf16, m![1], m![1 # 2], m![W], m![1], m![N, K]>) {{
    {rest}
}}
"
    );
    let offset = text.find("$0").expect("a cursor");
    let text = text.replacen("$0", "", 1);
    let mut workspace = Workspace::new();
    workspace.set_dialect(Dialect {
        library: Library::OptStd,
        release: Release::new(0, minor),
    });
    workspace.set_file("kernel.rs", &text);
    workspace
        .analysis()
        .signature_help("kernel.rs", u32::try_from(offset).expect("a short text"))
        .expect("an answer")
}

#[test]
fn signatures_are_those_of_the_release() {
    let table: &[(u16, &str, &str)] = &[
        // The fetch lost its type in 0.3.
        (2, "begun.fetch::<$0", "fetch::<D2, Time2, Packet2>()"),
        (3, "begun.fetch::<$0", "fetch::<OutTime, OutPacket>()"),
        (10, "begun.fetch::<$0", "fetch::<OutTime, OutPacket>()"),
        (
            7,
            "begun.fetch::<m![N], m![K]>().fetch_slice_lift::<$0",
            "fetch_slice_lift::<OutSlice, OutTime>()",
        ),
        (
            8,
            "begun.fetch::<m![N], m![K]>().fetch_zero_point_sub::<$0",
            "fetch_zero_point_sub::<OutD>(zero_point: i32)",
        ),
        // Four generics until 0.3, five since.
        (
            3,
            "main.contract_outer::<$0",
            "contract_outer::<OutTime, OutPacket, Lane, TrfElement>(weights: &TrfTensor)",
        ),
        (
            4,
            "main.contract_outer::<$0",
            "contract_outer::<OutTime, OutPacket, Lane, TrfElement, TrfD>(weights: &TrfTensor)",
        ),
        // Register files: an address, nothing, the sub context.
        (
            3,
            "main.to_trf::<$0",
            "to_trf::<Lane, Element>(region: TrfAddress)",
        ),
        (9, "main.to_trf::<$0", "to_trf::<Lane, Element>()"),
        (
            10,
            "main.to_trf::<$0",
            "to_trf::<Lane, Element>(sub: &mut TuContext)",
        ),
        (10, "sub.to_trf::<$0", "to_trf::<Lane, Element>()"),
        (3, "main.to_vrf::<$0", "to_vrf::<Element>(address: Address)"),
        (6, "main.to_vrf::<$0", "to_vrf::<Element>()"),
        (
            7,
            "main.to_vrf::<$0",
            "to_vrf::<Element>(sub: &mut TuContext)",
        ),
        (7, "sub.to_vrf::<$0", "to_vrf::<Element>()"),
        // Commits.
        (4, "main.commit_trim::<$0", "commit_trim::<OutPacket>()"),
        (
            5,
            "main.commit_trim::<m![K % 8]>().commit_cast::<$0",
            "commit_cast::<OutD>(activation: Activation)",
        ),
        (
            6,
            "main.commit_trim::<m![K % 8]>().commit_cast::<$0",
            "commit_cast::<OutD>()",
        ),
        (
            3,
            "main.commit_trim::<m![K % 8]>().commit::<$0",
            "commit::<Element>(address: Address)",
        ),
        (
            4,
            "main.commit_trim::<m![K % 8]>().commit::<$0",
            "commit::<Element>()",
        ),
        (
            7,
            "main.commit_trim::<m![K % 8]>().commit_view::<$0",
            "commit_view::<Element>(target: DmTensorViewMut)",
        ),
        (
            8,
            "main.commit_trim::<m![K % 8]>().commit_view::<$0",
            "commit_view::<DstSlice, Element>(target: DmTensorViewMut)",
        ),
        // The Vector Engine.
        (
            7,
            "main.vector_init().vector_intra_slice_unzip::<$0",
            "vector_intra_slice_unzip::<I, TileTime, SplitTime>()",
        ),
        (
            8,
            "main.vector_init().vector_intra_slice_unzip::<$0",
            "vector_intra_slice_unzip::<I, SplitTime>()",
        ),
        // Transfers.
        (
            3,
            "h.to_dm::<$0",
            "to_dm::<Cluster, Slice, Element2>(dma: &mut DmaContext, address: Address)",
        ),
        (
            4,
            "h.to_dm::<$0",
            "to_dm::<Cluster, Slice, Element2>(dma: &mut DmaContext)",
        ),
        (
            7,
            "b.to_dm::<$0",
            "to_dm::<Slice2, Element2>(dma: &mut DmaContext)",
        ),
        (
            8,
            "b.to_dm::<$0",
            "to_dm::<Chip2, Cluster2, Slice2, Element2>(dma: &mut DmaContext)",
        ),
        (
            6,
            "b.to_dm_pcopy::<$0",
            "to_dm_pcopy::<Slice2, Element2>(sub: &mut TuContext)",
        ),
        (
            9,
            "spm.to_dm::<$0",
            "to_dm::<Slice2, Element2>(dma: &mut DmaContext)",
        ),
        (
            8,
            "b.chip_slice::<$0",
            "chip_slice::<AxisToSlice, Element2>(indices: &[usize])",
        ),
        (
            8,
            "b.cluster_swap().to_dm::<$0",
            "to_dm::<Element2>(dma: &mut DmaContext)",
        ),
        (9, "h.gather::<$0", "gather::<IndexedAxis, Payload>()"),
        (
            9,
            "h.gather::<m![N], m![K]>().by_byte_offsets::<m![K]>(&rows).to_dm::<$0",
            "to_dm::<Cluster, Slice, Element2>(dma: &mut DmaContext)",
        ),
        // Functions that make tensors.
        (
            4,
            "let y = unsafe { DmTensor::from_addr($0) };",
            "DmTensor::from_addr(address: Address)",
        ),
        (
            5,
            "let y = unsafe { TrfTensor::from_addr($0) };",
            "TrfTensor::from_addr(address: TrfAddress)",
        ),
        (8, "let y = DmTensor::new($0);", "DmTensor::new()"),
        (
            9,
            "let y = HbmTensor::alloc($0);",
            "HbmTensor::alloc(device: &Device)",
        ),
        // Types.
        (
            8,
            "let y: TrfTensor<bf16, $0",
            "TrfTensor<D, Chip, Cluster, Slice, Lane, Element>",
        ),
    ];
    let mut problems = Vec::new();
    for (minor, text, wanted) in table {
        let found = signature(*minor, text).map(|found| found.label);
        if found.as_deref() != Some(*wanted) {
            problems.push(format!("0.{minor}: {text}\n  {found:?}\n  {wanted}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn what_a_release_lacks_has_no_signature() {
    for (minor, text) in [
        (6, "begun.fetch::<m![N], m![K]>().fetch_slice_lift::<$0"),
        (2, "main.commit_trim::<$0"),
        (7, "b.to_dm_pcopy::<$0"),
        (7, "b.chip_slice::<$0"),
        (8, "h.gather::<$0"),
        (4, "let y = DmTensor::new($0);"),
        (6, "let y = unsafe { HbmTensor::from_addr($0) };"),
    ] {
        assert_eq!(signature(minor, text), None, "0.{minor}: {text}");
    }
}

/// What is said of the parameter that the cursor is in.
fn active_words(minor: u16, rest: &str) -> String {
    let help = signature(minor, rest).expect("a signature");
    let active = help.active.expect("a parameter") as usize;
    let words = help.parameters.into_iter().nth(active);
    words
        .and_then(|parameter| parameter.documentation)
        .unwrap_or_default()
}

#[test]
fn the_mapping_that_a_stage_expects_is_said() {
    // A flit is 32 bytes: 16 values of `bf16`, so `K` of 64 is 4 flits.
    let fetched = "device.main.begin(b.view()).fetch::<m![N], m![K]>()";
    let time = active_words(10, &format!("{fetched}.collect::<m![$0"));
    assert!(
        time.ends_with("Expected here: `m![N, K / 16]`: the input's time, then its flits."),
        "{time}"
    );
    let packet = active_words(10, &format!("{fetched}.collect::<m![N, K / 16], $0>()"));
    assert!(
        packet.ends_with("Expected here: `m![K % 16]`: one flit."),
        "{packet}"
    );
    // In the arguments nothing is expected that could be derived.
    let address = active_words(3, "main.commit($0)");
    assert!(!address.contains("Expected"), "{address}");
}

//! What a proposal of the current library inserts and says: arguments by context, mappings that follow, packets that are legal,
//! types that a conversion makes, functions that make tensors.

use crate::Completion;

use super::releases::{function, proposals, tagged};

/// The proposal of a label.
fn proposal(minor: u16, rest: &str, label: &str) -> Completion {
    let found = proposals(minor, &function(minor, rest));
    let mut named = found.iter().filter(|found| found.label == label);
    let one = named.next().cloned();
    one.unwrap_or_else(|| panic!("{label} is missing in {found:?}\n{rest}"))
}

/// Labels with what is said of each, the best first.
fn said(minor: u16, rest: &str) -> Vec<(String, String)> {
    let found = proposals(minor, &function(minor, rest)).into_iter();
    found
        .map(|found| (found.label, found.detail.unwrap_or_default()))
        .collect()
}

fn starts_with(found: &[(String, String)], wanted: &[(&str, &str)]) {
    let found: Vec<(&str, &str)> = found
        .iter()
        .take(wanted.len())
        .map(|(label, detail)| (label.as_str(), detail.as_str()))
        .collect();
    assert_eq!(found, wanted);
}

const MAIN: &str = "device.main.begin(b.view()).fetch::<m![N], m![K]>()";
const COLLECTED: &str =
    "device.main.begin(b.view()).fetch::<m![N], m![K]>().collect::<m![N, K / 16], m![K % 16]>()";

#[test]
fn the_sub_context_is_an_argument_in_the_main_context_alone() {
    let of_f = |context: &str| {
        format!(
            "device.{context}.begin(f.view()).fetch::<m![N], m![K]>().collect::<m![N, K / 8], m![K % 8]>().$0"
        )
    };
    let main = proposal(10, &of_f("main"), "to_vrf");
    assert_eq!(main.detail.as_deref(), Some("::<Element>(sub)"));
    assert_eq!(main.insert, "to_vrf(${1:&mut device.sub})$0");
    let sub = proposal(10, &of_f("sub"), "to_vrf");
    assert_eq!(sub.detail.as_deref(), Some("::<Element>()"));
    assert_eq!(sub.insert, "to_vrf()$0");
    // Up to 0.9 the TRF takes no argument in either.
    let earlier = proposal(9, &of_f("main"), "to_trf");
    assert_eq!(earlier.insert, "to_trf()$0");
}

#[test]
fn arguments_name_the_kernels_own_context() {
    assert_eq!(
        proposal(8, "h.$0", "to_dm").insert,
        "to_dm(${1:&mut device.tdma})$0"
    );
    assert_eq!(
        proposal(6, "h.$0", "to_dm").insert,
        "to_dm(${1:&mut ctx.tdma})$0"
    );
    let renamed = function(8, "h.$0").replace("device: &mut Device", "npu: &'a mut rt::Device");
    let found = proposals(8, &renamed);
    let found = found.iter().find(|found| found.label == "to_dm");
    assert_eq!(
        found.map(|found| found.insert.as_str()),
        Some("to_dm(${1:&mut npu.tdma})$0")
    );
}

#[test]
fn methods_that_go_wrong_come_last_and_say_so() {
    let found = proposals(8, &function(8, &format!("{MAIN}.$0")));
    let last = found.last().expect("a proposal");
    assert_eq!(last.label, "fetch_mask");
    let words = last.documentation.as_deref().unwrap_or_default();
    assert!(words.contains("no body"), "{words}");
    // The library of 0.8 has the contraction in both contexts, its compiler in one.
    let sub = COLLECTED.replace("main", "sub");
    let outer = proposal(8, &format!("{sub}.$0"), "contract_outer");
    let words = outer.documentation.unwrap_or_default();
    assert!(words.contains("main context only"), "{words}");
    assert_eq!(
        outer.detail.as_deref(),
        Some("::<OutTime, OutPacket, Lane, TrfElement, TrfD>(weights)")
    );
}

#[test]
fn an_aligned_packet_says_what_it_is() {
    // 64 elements of 2 bytes a step, in flits of 16.
    let packets = format!("{COLLECTED}.contract_outer::<_, m![$0");
    let at = |minor: u16| {
        let rest = if minor < 8 {
            packets.replace("device", "ctx")
        } else {
            packets.clone()
        };
        said(minor, &rest)
    };
    starts_with(&at(8), &[("K % 32", "two flits"), ("K % 16", "one flit")]);
    // Up to 0.3 a packet is always 64 bytes.
    starts_with(
        &at(3),
        &[
            ("K % 32", "two flits"),
            ("K % 16 # 32", "one flit, and zeros"),
        ],
    );
    let times = said(8, &format!("{COLLECTED}.contract_outer::<m![$0"));
    starts_with(
        &times,
        &[
            ("N, K / 32", "for packets of two flits"),
            ("N, K / 16", "for packets of one flit"),
        ],
    );
}

#[test]
fn a_fetch_proposes_times_of_legal_packets() {
    let found = said(8, "device.main.begin(b.view()).fetch::<m![$0");
    // 2,048 * 64 elements of 2 bytes: 16 to a flit, 32 to 64 bytes, 64 to 128.
    starts_with(
        &found,
        &[
            ("N, K / 16", "the elements in their order, a flit at a time"),
            ("N, K / 32", "packets of 64 bytes: 2 flits"),
            ("N", "packets of 128 bytes: 4 flits"),
            ("N / 2", "packets of 256 bytes: 8 flits"),
            ("N, K / 8", "packets of 16 bytes"),
            ("N, K / 4", "packets of 8 bytes"),
        ],
    );
    let left = said(8, "device.main.begin(b.view()).fetch::<m![N], m![$0");
    starts_with(&left, &[("K", "what the time leaves")]);
    // 2 elements of 2 bytes are half a word.
    let short = said(8, "device.main.begin(b.view()).fetch::<m![N, K / 2], m![$0");
    starts_with(
        &short,
        &[
            ("K % 2", "what the time leaves"),
            (
                "K % 2 # 4",
                "the same in whole words of 8 bytes, as a switch takes it",
            ),
        ],
    );
}

#[test]
fn what_a_contraction_leaves_is_proposed() {
    let outer = format!("{COLLECTED}.contract_outer::<m![N, K / 32], m![K % 32], m![1], _, _>(&w)");
    let packets = said(8, &format!("{outer}.contract_packet::<m![$0"));
    // A tree over 32 elements of bf16: each depth halves what is left.
    starts_with(
        &packets,
        &[
            ("1", "1 of 32 elements left"),
            ("K / 16 % 2", "2 of 32 elements left"),
        ],
    );
    let packet = format!("{outer}.contract_packet::<m![1]>()");
    let times = said(8, &format!("{packet}.contract_time::<m![$0"));
    let over_k = times.iter().find(|(label, _)| label == "N");
    assert_eq!(
        over_k.map(|(_, detail)| detail.as_str()),
        Some("adds over `K`"),
        "{times:?}"
    );
    let time = format!("{packet}.contract_time::<m![N]>()");
    let lanes = said(8, &format!("{time}.contract_lane::<m![N], m![$0"));
    let interleaved = lanes
        .iter()
        .find(|(_, detail)| detail == "lanes side by side");
    assert_eq!(
        interleaved.map(|(label, _)| label.as_str()),
        Some("1 # 8"),
        "{lanes:?}"
    );
}

#[test]
fn a_trim_proposes_the_sizes_that_are_written() {
    let found = said(8, &format!("{COLLECTED}.commit_trim::<m![$0"));
    // A flit of 16 elements of 2 bytes: all of it first, then the fronts of 8, 16 and 24 bytes, which lose data.
    starts_with(
        &found,
        &[
            ("K % 16", "the first 32 bytes"),
            ("K % 4", "the first 8 bytes: data is cut off"),
        ],
    );
    let of_cast = "device.main.begin(f.view()).fetch::<m![N], m![K]>().collect::<m![N, K / 8], m![K % 8]>().cast::<bf16, m![K % 8 # 16]>().commit_trim::<m![$0";
    // 8 elements of 2 bytes are the data; the padding behind them need not be written.
    starts_with(&said(8, of_cast), &[("K % 8", "the first 16 bytes")]);
}

#[test]
fn a_conversion_proposes_the_types_that_it_makes() {
    let types = |minor: u16, rest: &str| -> Vec<String> {
        said(minor, rest)
            .into_iter()
            .map(|(label, _)| label)
            .collect()
    };
    let of = |tensor: &str, rest: &str| {
        format!("device.main.begin({tensor}.view()).fetch::<m![N], m![K]>().{rest}")
    };
    assert_eq!(types(8, &of("b", "fetch_cast::<$0")), ["bf16", "f32"]);
    assert_eq!(types(8, &of("q", "fetch_zero_point_sub::<$0")), ["i9"]);
    assert_eq!(types(8, &of("e", "fetch_table_lookup::<$0")), ["bf16"]);
    let of_f = of("f", "collect::<m![N, K / 8], m![K % 8]>()");
    assert_eq!(
        types(8, &format!("{of_f}.cast::<$0")),
        ["f8e5m2", "f8e4m3", "bf16"]
    );
    // `f8e5m2` came with 0.4.
    let early = format!("{of_f}.cast::<$0").replace("device", "ctx");
    assert_eq!(types(3, &early), ["f8e4m3", "bf16"]);
    assert_eq!(
        types(
            8,
            &format!("{of_f}.commit_trim::<m![K % 8]>().commit_cast::<$0")
        ),
        ["bf16"]
    );
    assert_eq!(
        types(8, &format!("{}.vector_reinterpret::<$0", tagged(8))),
        ["i32"]
    );
}

#[test]
fn functions_that_make_tensors_are_those_of_the_release() {
    let labels = |minor: u16, owner: &str| -> Vec<String> {
        let rest = format!("let y = {owner}::$0");
        said(minor, &rest)
            .into_iter()
            .map(|(label, _)| label)
            .collect()
    };
    assert_eq!(labels(4, "DmTensor"), ["from_addr"]);
    assert_eq!(labels(6, "DmTensor"), ["new"]);
    assert_eq!(labels(9, "DmTensor"), ["new", "alloc"]);
    assert_eq!(labels(5, "HbmTensor"), ["from_addr"]);
    assert_eq!(labels(6, "HbmTensor"), ["new"]);
    assert_eq!(labels(6, "VrfTensor"), ["new"]);
    assert_eq!(labels(8, "VrfTensor"), ["zero"]);
    assert_eq!(
        labels(8, "VrfTensor::<f32, m![1], m![1 # 2], m![W], m![K]>"),
        ["zero"]
    );
    assert_eq!(labels(8, "DmTensorView"), Vec::<String>::new());
    let alias = "type Block = DmTensor<bf16, m![1], m![1 # 2], m![W], m![K]>; let y = Block::$0";
    assert_eq!(
        said(8, alias).first().map(|(label, _)| label.as_str()),
        Some("new")
    );
    assert_eq!(
        proposal(4, "let y = TrfTensor::$0", "from_addr").insert,
        "from_addr(${1:address})$0"
    );
}

#[test]
fn no_text_is_too_strange() {
    let texts = [
        "device.main.begin(ä.view()).fetch::<_, _>().$0",
        "device.main.begin(b.view()).fetch().collect::<_>().$0",
        "device.main.begin(b.view()).fetch::<m![N, K / {",
        "device.main.begin(b.view()).fetch::<m![Ä # {0} $0",
        "h.gather::<m![N]>().by_positions(.$0",
        "b.chip_shuffle([0, 1, 2, ]).$0",
        "DmTensor::<m![, ]>::$0",
        "b.view().tile::<m![N], 1, m![$0",
        "device.main.begin(b.view()).fetch::<_, m![$0",
        "device.main.begin(b.view()).fetch::<m![N], m![K]>().commit_trim::<$0",
        "let x = <DmTensor>::$0",
    ];
    for minor in 2..=10 {
        for text in texts {
            let text = function(minor, text);
            let text = if text.contains("$0") {
                text
            } else {
                format!("{text}$0")
            };
            for end in (0..text.len()).step_by(97) {
                if let Some(start) = text.get(..end).filter(|start| !start.contains("$0")) {
                    proposals(minor, &format!("{start}$0"));
                }
            }
            proposals(minor, &text);
        }
    }
}

//! Files as numpy and `ml_dtypes` write them, and files that are none.

use crate::*;

/// A file of numpy: the header that it writes, then the elements.
fn file(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let mut text =
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    while (10 + text.len() + 1) % 64 != 0 {
        text.push(' ');
    }
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

fn array(bytes: &[u8]) -> FileArray {
    read_npy(bytes, 1 << 20).unwrap()
}

fn fitted(bytes: &[u8], kind: ElementKind, shape: &[usize]) -> Result<Fitted, Misfit> {
    array(bytes).fitted(kind, &[shape.to_vec()], Arithmetic::NEWEST)
}

#[test]
fn numbers_of_both_byte_orders_are_read() {
    let found = array(&file("<i2", false, "(2, 1)", &[1, 0, 0xff, 0xff]));
    assert_eq!(
        (found.shape, found.values),
        (vec![2, 1], FileValues::I16(vec![1, -1]))
    );
    let found = array(&file(">f4", false, "(1,)", &[0x3f, 0x80, 0, 0]));
    assert_eq!(found.values, FileValues::F32(vec![1.0]));
    let found = array(&file("<i4", false, "()", &[5, 0, 0, 0]));
    assert_eq!(
        (found.shape, found.values),
        (vec![], FileValues::I32(vec![5]))
    );
}

#[test]
fn fortran_order_becomes_c_order() {
    // Rows (1, 2, 3) and (4, 5, 6), column by column.
    let found = array(&file("|i1", true, "(2, 3)", &[1, 4, 2, 5, 3, 6]));
    assert_eq!(found.values, FileValues::I8(vec![1, 2, 3, 4, 5, 6]));
    let found = array(&file("|i1", true, "(2, 0)", &[]));
    assert_eq!(found.values, FileValues::I8(vec![]));
}

#[test]
fn types_of_ml_dtypes_are_taken_by_the_parameter() {
    let raw = file("<V2", false, "(2,)", &[0x80, 0x3f, 0, 0x40]);
    let found = fitted(&raw, ElementKind::Bf16, &[2]).unwrap();
    assert_eq!(found.array, Array::Bf16(vec![0x3f80, 0x4000]));
    let raw = file("<V1", false, "(2,)", &[0x38, 0xff]);
    let found = fitted(&raw, ElementKind::F8E4M3, &[2]).unwrap();
    assert_eq!(found.array, Array::F8E4M3(vec![0x38, 0xff]));
    let found = fitted(&raw, ElementKind::I4, &[2]);
    assert_eq!(
        found,
        Err(Misfit::Range {
            found: 0x38,
            kind: ElementKind::I4
        })
    );
    let raw = file("<f1", false, "(1,)", &[0x3c]);
    let found = fitted(&raw, ElementKind::F8E5M2, &[1]).unwrap();
    assert_eq!(found.array, Array::F8E5M2(vec![0x3c]));
    assert!(matches!(
        fitted(&raw, ElementKind::F8E4M3, &[1]),
        Err(Misfit::Type { .. })
    ));
}

#[test]
fn four_bits_have_a_byte_each_or_half_a_byte() {
    let each = file("|i1", false, "(2, 2)", &[1, 0xff, 7, 0xf8]);
    let expected = Array::I4(vec![1, -1, 7, -8]);
    assert_eq!(
        fitted(&each, ElementKind::I4, &[2, 2]).unwrap().array,
        expected
    );
    // The low nibble first.
    let packed = file("|u1", false, "(2, 1)", &[0xf1, 0x87]);
    assert_eq!(
        fitted(&packed, ElementKind::I4, &[2, 2]).unwrap().array,
        expected
    );
    let floats = fitted(&packed, ElementKind::F4E2M1, &[2, 2]).unwrap();
    assert_eq!(floats.array, Array::F4E2M1(vec![1, 15, 7, 8]));
    let beyond = file("|i1", false, "(1,)", &[8]);
    assert!(matches!(
        fitted(&beyond, ElementKind::I4, &[1]),
        Err(Misfit::Range { .. })
    ));
}

#[test]
fn floats_for_bf16_are_rounded_and_it_is_said() {
    let values: Vec<u8> = [1.0f32, 1.0 + 2f32.powi(-8)]
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let found = fitted(
        &file("<f4", false, "(2,)", &values),
        ElementKind::Bf16,
        &[2],
    )
    .unwrap();
    assert!(found.was_rounded);
    assert_eq!(found.array, Array::Bf16(vec![0x3f80, 0x3f80]));
}

#[test]
fn a_shape_is_one_of_two_and_dimensions_of_size_one_do_not_count() {
    let bytes = file("|i1", false, "(2, 2)", &[1, 2, 3, 4]);
    let fit =
        |shapes: &[Vec<usize>]| array(&bytes).fitted(ElementKind::I8, shapes, Arithmetic::NEWEST);
    assert_eq!(fit(&[vec![3, 2], vec![1, 2, 2]]).unwrap().shape, 1);
    assert_eq!(fit(&[vec![4]]), Err(Misfit::Shape { found: vec![2, 2] }));
}

#[test]
fn wrong_types_are_named() {
    let bytes = file("<f8", false, "(1,)", &[0; 8]);
    let Err(misfit) = fitted(&bytes, ElementKind::F32, &[1]) else {
        panic!("float64 is not float32");
    };
    assert_eq!(
        misfit.to_string(),
        "its elements are float64, and float32 is taken"
    );
}

#[test]
fn broken_files_are_refused() {
    let refused = |bytes: &[u8]| read_npy(bytes, 1 << 20).unwrap_err();
    assert!(matches!(refused(b""), NpyError::NoNumpyFile));
    assert!(matches!(
        refused(b"PK\x03\x04 no numpy file"),
        NpyError::NoNumpyFile
    ));
    assert!(matches!(
        refused(b"\x93NUMPY\x02\x00\xff\xff\xff\x7f"),
        NpyError::HugeHeader
    ));
    assert!(matches!(
        refused(b"\x93NUMPY\x01\x00\x10\x00{"),
        NpyError::BrokenHeader(_)
    ));
    assert!(matches!(
        refused(&file("<f4", false, "(2,", &[])),
        NpyError::BrokenHeader(_)
    ));
    assert!(matches!(
        refused(&file("|O", false, "(2,)", &[])),
        NpyError::Pickled
    ));
    let vast = "(4294967296, 4294967296, 4294967296)";
    assert!(matches!(
        refused(&file("<f4", false, vast, &[])),
        NpyError::TooLarge
    ));
    assert!(matches!(
        refused(&file("<f4", false, "(4294967296,)", &[])),
        NpyError::TooLarge
    ));
    let nested = format!("{}{}", "(".repeat(2000), ")".repeat(2000));
    assert!(matches!(
        refused(&file("<f4", false, &nested, &[])),
        NpyError::HugeHeader
    ));
    let short = refused(&file("<f4", false, "(2,)", &[0; 7]));
    assert!(matches!(
        short,
        NpyError::Short {
            expected: 8,
            found: 7
        }
    ));
}

#[test]
fn what_is_written_is_read_again() {
    let arrays = [
        Array::F32(vec![1.0, f32::NEG_INFINITY, -0.0]),
        Array::Bf16(vec![1, 2, 0x7fc0]),
        Array::I32(vec![i32::MIN, 0, 5]),
        Array::I8(vec![-1, 0, 1]),
        Array::I4(vec![-8, 0, 7]),
        Array::F8E5M2(vec![0, 0x7c, 0xff]),
        Array::I16(vec![-300, 0, 300]),
    ];
    for array in arrays {
        let mut bytes = Vec::new();
        written_npy(&mut bytes, &[3, 1], &array).unwrap();
        let found = fitted(&bytes, array.kind(), &[3, 1]).unwrap();
        assert_eq!(found.array, array);
    }
    let mut bytes = Vec::new();
    written_bits(&mut bytes, &[3], &Bits::from_places(3, |at| at == 1)).unwrap();
    assert!(bytes.ends_with(&[0, 1, 0]) && bytes.windows(5).any(|part| part == b"'|b1'"));
}

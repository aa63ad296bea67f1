//! Interim reading of `axes!` until the mapping room's parser is there.

pub(super) struct AxisDeclaration {
    pub(super) name: String,
    pub(super) name_span: std::ops::Range<usize>,
    pub(super) size: Option<u64>,
}

pub(super) fn parse_axes(text: &str) -> (Vec<AxisDeclaration>, ()) {
    let mut axes = Vec::new();
    let mut start = 0;
    for part in text.split(',') {
        let (name, size) = part.split_once('=').unwrap_or((part, ""));
        let lead = name.len() - name.trim_start().len();
        let name = name.trim();
        if !name.is_empty() {
            axes.push(AxisDeclaration {
                name: name.to_owned(),
                name_span: start + lead..start + lead + name.len(),
                size: {
                    let size = size.trim().replace('_', "");
                    size.strip_prefix("0x").map_or_else(
                        || size.parse().ok(),
                        |hex| u64::from_str_radix(hex, 16).ok(),
                    )
                },
            });
        }
        start += part.len() + 1;
    }
    (axes, ())
}

//! A body with other values where they are written: what the derivation and the rules are asked about when a fix is tried.
//!
//! Knows where a body holds mappings, numbers and addresses, and the texts that write them. Derives nothing.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Edit;
use crate::items::Span;
use crate::kernel::{
    Address, AddressValue, Body, Levels, Operation, OperationKind, Origin, Pass, StageKind,
    StreamShape, SwitchConfig, Tensor, TrfAddress, Written,
};
use crate::mapping::{
    Axis, FactorKind, Mapping, MappingKind, Operator, SyntaxKind, SyntaxNode, parse_mapping,
};

/// The deepest expression that is read back from an edit.
const DEPTH_LIMIT: usize = 64;

/// Sizes of axes by their names; none for a name that is that of several.
pub(crate) type Axes = FxHashMap<String, Option<u64>>;

/// Values by the places where they are written.
pub(crate) type Values = FxHashMap<Span, Value>;

/// What edits write; `None` if one of them writes no value.
pub(super) fn values(edits: &[Edit], axes: &Axes) -> Option<Values> {
    let values = edits.iter();
    values
        .map(|edit| Some((edit.span, read(&edit.text, axes)?)))
        .collect()
}

/// The body with the edits made; `None` if one of them edits no value that the body holds.
pub(crate) fn with_edits(body: &Body, edits: &[Edit], axes: &Axes) -> Option<Body> {
    let values = values(edits, axes)?;
    let (changed, replaced) = Replacing::in_copy(body, &values);
    (replaced == values.len()).then_some(changed)
}

/// The body with mappings in the place of others; `None` if it holds none of them.
pub(crate) fn with_mappings(body: &Body, mappings: &[(Span, Mapping)]) -> Option<Body> {
    let values = mappings.iter();
    let values: Values = values
        .map(|(place, mapping)| (*place, Value::Mapping(mapping.clone())))
        .collect();
    let (changed, replaced) = Replacing::in_copy(body, &values);
    (replaced > 0).then_some(changed)
}

fn read(text: &str, axes: &Axes) -> Option<Value> {
    if let Some(inner) = text
        .strip_prefix("m![")
        .and_then(|text| text.strip_suffix(']'))
    {
        let (node, errors) = parse_mapping(inner);
        let mapping = build(&node.filter(|_| errors.is_empty())?, axes, 0)?;
        return Some(Value::Mapping(mapping));
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return Some(Value::Number(u64::from_str_radix(digits, 16).ok()?));
    }
    match text {
        "TrfAddress::FirstHalf" => Some(Value::Trf(TrfAddress::FirstHalf)),
        "TrfAddress::SecondHalf" => Some(Value::Trf(TrfAddress::SecondHalf)),
        "TrfAddress::Full" => Some(Value::Trf(TrfAddress::Full)),
        _ => Some(Value::Number(text.parse().ok()?)),
    }
}

fn build(node: &SyntaxNode, axes: &Axes, depth: usize) -> Option<Mapping> {
    if depth > DEPTH_LIMIT {
        return None;
    }
    match &node.kind {
        SyntaxKind::One => Some(Mapping::identity()),
        SyntaxKind::Number(count) => Mapping::broadcast(*count).ok(),
        SyntaxKind::Name(name) => {
            let size = axes.get(name.as_str()).copied().flatten()?;
            Some(Mapping::axis(Axis::new(name, size)))
        }
        SyntaxKind::Binary {
            operator,
            left,
            factor,
            ..
        } => {
            let left = build(left, axes, depth + 1)?;
            let FactorKind::Literal(by) = factor.kind else {
                return None;
            };
            match operator {
                Operator::Stride => left.stride(by),
                Operator::Modulo => left.modulo(by),
                Operator::Resize => left.resize(by),
                Operator::Pad(kind) => left.pad_to(by, *kind),
            }
            .ok()
        }
        SyntaxKind::Pair(parts) => {
            let parts: Option<Vec<_>> = parts
                .iter()
                .map(|part| build(part, axes, depth + 1))
                .collect();
            Mapping::product(&parts?).ok()
        }
        SyntaxKind::Group(inner) => build(inner, axes, depth + 1),
        SyntaxKind::Escape { .. } | SyntaxKind::Missing => None,
    }
}

/// What an edit writes.
pub(crate) enum Value {
    /// A mapping.
    Mapping(Mapping),
    /// A number, or an address in bytes.
    Number(u64),
    /// A region of the TRF.
    Trf(TrfAddress),
}

/// What writes values into parts of a body.
pub(super) fn write(values: &Values) -> Replacing<'_> {
    Replacing {
        values,
        replaced: FxHashSet::default(),
    }
}

/// The places where a tensor's values are written.
pub(super) fn places_of_tensor(tensor: &Tensor, mut note: impl FnMut(Span)) {
    for (_, level) in tensor.levels.iter() {
        note_written(level, &mut note);
    }
    note(tensor.address.span);
    if let Origin::View {
        tile: Some(tile), ..
    } = &tensor.origin
    {
        note_written(&tile.index, &mut note);
        note_written(&tile.output, &mut note);
        note_written(&tile.length, &mut note);
        note_written(&tile.start, &mut note);
    }
}

/// The places where an operation's values are written.
pub(super) fn places_of_operation(operation: &Operation, mut note: impl FnMut(Span)) {
    let OperationKind::Pass(pass) = &operation.kind else {
        return;
    };
    let shapes = pass.stages.iter().map(|stage| &stage.output);
    for shape in shapes.chain([&pass.begin]) {
        let levels = [
            &shape.chip,
            &shape.cluster,
            &shape.slice,
            &shape.time,
            &shape.packet,
        ];
        for level in levels.into_iter().chain(&shape.row) {
            note_written(level, &mut note);
        }
    }
    for stage in &pass.stages {
        match &stage.kind {
            StageKind::Switch(config) => {
                let numbers = config.value.iter().flat_map(numbers_of);
                numbers.for_each(|number| note_written(number, &mut note));
            }
            StageKind::VectorUnzip { tile_time, .. } => note_written(tile_time, &mut note),
            _ => {}
        }
    }
}

fn note_written<T>(written: &Written<T>, note: &mut impl FnMut(Span)) {
    note(written.span);
    written.used_at.into_iter().for_each(note);
}

fn numbers_of(config: &SwitchConfig) -> Vec<&Written<u64>> {
    match config {
        SwitchConfig::Broadcast01 {
            slice1,
            slice0,
            time0,
        }
        | SwitchConfig::InterTranspose {
            slice1,
            slice0,
            time0,
        } => vec![slice1, slice0, time0],
        SwitchConfig::Broadcast1 { slice1, slice0 }
        | SwitchConfig::Transpose { slice1, slice0 }
        | SwitchConfig::TransposedBroadcast1 { slice1, slice0 } => vec![slice1, slice0],
        SwitchConfig::CustomBroadcast { ring_size } => vec![ring_size],
    }
}

/// Values put into a body wherever they are written.
pub(super) struct Replacing<'a> {
    values: &'a Values,
    replaced: FxHashSet<Span>,
}

impl<'a> Replacing<'a> {
    /// A copy of the body with the values, and how many of them it holds.
    fn in_copy(body: &Body, values: &'a Values) -> (Body, usize) {
        let mut changed = body.clone();
        let mut replacing = write(values);
        replacing.body(&mut changed);
        (changed, replacing.replaced.len())
    }

    fn body(&mut self, body: &mut Body) {
        for tensor in &mut body.tensors {
            self.tensor(tensor);
        }
        for operation in &mut body.operations {
            self.operation(operation);
        }
    }

    /// Writes the values that a tensor holds.
    pub(super) fn tensor(&mut self, tensor: &mut Tensor) {
        self.levels(&mut tensor.levels);
        self.address(&mut tensor.address);
        if let Origin::View {
            tile: Some(tile), ..
        } = &mut tensor.origin
        {
            self.mapping(&mut tile.index);
            self.mapping(&mut tile.output);
            self.number(&mut tile.length);
            self.number(&mut tile.start);
        }
    }

    /// Writes the values that an operation holds.
    pub(super) fn operation(&mut self, operation: &mut Operation) {
        if let OperationKind::Pass(pass) = &mut operation.kind {
            self.pass(pass);
        }
    }

    fn levels(&mut self, levels: &mut Levels) {
        let levels = [
            &mut levels.chip,
            &mut levels.cluster,
            &mut levels.slice,
            &mut levels.row,
        ]
        .into_iter()
        .flatten()
        .chain([&mut levels.element]);
        for level in levels {
            self.mapping(level);
        }
    }

    fn pass(&mut self, pass: &mut Pass) {
        self.shape(&mut pass.begin);
        for stage in &mut pass.stages {
            self.shape(&mut stage.output);
            match &mut stage.kind {
                StageKind::Switch(config) => {
                    if let Some(config) = &mut config.value {
                        self.switch(config);
                    }
                }
                StageKind::VectorUnzip { tile_time, .. } => self.mapping(tile_time),
                _ => {}
            }
        }
    }

    fn shape(&mut self, shape: &mut StreamShape) {
        let levels = [
            &mut shape.chip,
            &mut shape.cluster,
            &mut shape.slice,
            &mut shape.time,
            &mut shape.packet,
        ];
        for level in levels.into_iter().chain(&mut shape.row) {
            self.mapping(level);
        }
    }

    fn switch(&mut self, config: &mut SwitchConfig) {
        let numbers: Vec<&mut Written<u64>> = match config {
            SwitchConfig::Broadcast01 {
                slice1,
                slice0,
                time0,
            }
            | SwitchConfig::InterTranspose {
                slice1,
                slice0,
                time0,
            } => vec![slice1, slice0, time0],
            SwitchConfig::Broadcast1 { slice1, slice0 }
            | SwitchConfig::Transpose { slice1, slice0 }
            | SwitchConfig::TransposedBroadcast1 { slice1, slice0 } => vec![slice1, slice0],
            SwitchConfig::CustomBroadcast { ring_size } => vec![ring_size],
        };
        for number in numbers {
            self.number(number);
        }
    }

    /// Writes a value for the place, which may come by an alias that is used there and then no longer is.
    fn write<T>(&mut self, written: &mut Written<T>, read: impl Fn(&Value) -> Option<T>) {
        let place = [written.used_at, Some(written.span)];
        let mut places = place.into_iter().flatten();
        let found = places.find_map(|place| Some((place, read(self.values.get(&place)?)?)));
        if let Some((place, value)) = found {
            if written.used_at == Some(place) {
                written.used_at = None;
            }
            written.span = place;
            written.value = Some(value);
            self.replaced.insert(place);
        }
    }

    fn mapping(&mut self, written: &mut Written<Mapping>) {
        self.write(written, |value| match value {
            Value::Mapping(mapping) => Some(mapping.clone()),
            _ => None,
        });
    }

    fn number(&mut self, written: &mut Written<u64>) {
        self.write(written, |value| match value {
            Value::Number(number) => Some(*number),
            _ => None,
        });
    }

    fn address(&mut self, address: &mut Address) {
        address.value = match self.values.get(&address.span) {
            Some(Value::Number(number)) => AddressValue::Bytes(*number),
            Some(Value::Trf(region)) => AddressValue::Trf(*region),
            Some(Value::Mapping(_)) | None => return,
        };
        self.replaced.insert(address.span);
    }
}

/// The sizes of all axes that a body's tensors and streams name.
pub(crate) fn axes(body: &Body) -> Axes {
    let mut axes = Axes::default();
    let mut take = |mapping: &Mapping| {
        let mut pending = vec![mapping];
        while let Some(mapping) = pending.pop() {
            match mapping.kind() {
                MappingKind::Axis(axis) => {
                    let size = axes
                        .entry(axis.name().to_owned())
                        .or_insert(Some(axis.size()));
                    if *size != Some(axis.size()) {
                        *size = None;
                    }
                }
                MappingKind::Identity | MappingKind::Broadcast(_) => {}
                MappingKind::Stride(inner, _)
                | MappingKind::Modulo(inner, _)
                | MappingKind::Resize(inner, _)
                | MappingKind::Pad(inner, ..) => pending.push(inner),
                MappingKind::Product(parts) => pending.extend(parts),
            }
        }
    };
    for tensor in &body.tensors {
        let levels = tensor.levels.iter().map(|(_, level)| level);
        levels.filter_map(Written::get).for_each(&mut take);
    }
    for operation in &body.operations {
        if let OperationKind::Pass(pass) = &operation.kind {
            for stage in &pass.stages {
                let output = &stage.output;
                [&output.slice, &output.time, &output.packet]
                    .into_iter()
                    .filter_map(|level| level.get())
                    .for_each(&mut take);
            }
        }
    }
    axes
}

//! A body with other values where they are written: what the derivation and the rules are asked about when a fix is tried.
//!
//! Knows where a body holds mappings, numbers and addresses. Derives nothing and reads no text.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::items::Span;
use crate::kernel::{
    Address, AddressValue, Body, Levels, Operation, OperationKind, Origin, Pass, StageKind,
    StreamShape, SwitchConfig, Tensor, Written,
};
use crate::mapping::Mapping;
use crate::rules::{Edit, Value};

/// Values by the places where they are written.
pub(crate) type Values = FxHashMap<Span, Value>;

/// What edits write; `None` if one of them writes no value.
pub(crate) fn values(edits: &[Edit]) -> Option<Values> {
    let values = edits.iter();
    values
        .map(|edit| Some((edit.span, edit.value.clone()?)))
        .collect()
}

/// The body with the edits made; `None` if one of them edits no value that the body holds.
pub(crate) fn with_edits(body: &Body, edits: &[Edit]) -> Option<Body> {
    let values = values(edits)?;
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

/// The places where a body's values are written.
pub(crate) fn places(body: &Body) -> FxHashSet<Span> {
    let mut places = FxHashSet::default();
    for tensor in &body.tensors {
        places_of_tensor(tensor, |place| {
            places.insert(place);
        });
    }
    for operation in &body.operations {
        places_of_operation(operation, |place| {
            places.insert(place);
        });
    }
    places
}

/// What writes values into parts of a body.
pub(super) fn write(values: &Values) -> Replacing<'_> {
    Replacing {
        values,
        replaced: FxHashSet::default(),
    }
}

/// The places where a tensor's values are written.
pub(crate) fn places_of_tensor(tensor: &Tensor, mut note: impl FnMut(Span)) {
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
pub(crate) fn places_of_operation(operation: &Operation, mut note: impl FnMut(Span)) {
    let OperationKind::Pass(pass) = &operation.kind else {
        return;
    };
    let shapes = pass.stages.iter().map(|stage| &stage.output);
    for shape in shapes.chain([&pass.begin]) {
        shape
            .mappings()
            .for_each(|level| note_written(level, &mut note));
    }
    for stage in &pass.stages {
        match &stage.kind {
            StageKind::Switch(config) => {
                let numbers = config.value.iter().flat_map(SwitchConfig::numbers);
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

    /// How many of the values were written so far.
    pub(super) fn written(&self) -> usize {
        self.replaced.len()
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
        let mut is_edited = false;
        places_of_operation(operation, |place| {
            is_edited |= self.values.contains_key(&place);
        });
        if is_edited && let OperationKind::Pass(pass) = &mut operation.kind {
            self.pass(Arc::make_mut(pass));
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
                        config.numbers_mut().for_each(|number| self.number(number));
                    }
                }
                StageKind::VectorUnzip { tile_time, .. } => self.mapping(tile_time),
                _ => {}
            }
        }
    }

    fn shape(&mut self, shape: &mut StreamShape) {
        shape.mappings_mut().for_each(|level| self.mapping(level));
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
            Some(Value::Region(region)) => AddressValue::Trf(*region),
            Some(Value::Mapping(_)) | None => return,
        };
        self.replaced.insert(address.span);
    }
}

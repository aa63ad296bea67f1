//! A pass, stage by stage: what each engine makes of the stream, written out and compared with what is declared.

use crate::mutations::mapping::Expr;
use crate::mutations::oracle::{bits, declared, packet_bytes, set};
use crate::mutations::source::{Call, Chain, Function, Source};
use crate::mutations::table::{Axes, Cell, live};
use crate::mutations::vector::Lanes;

/// The stream between two stages.
pub(crate) struct Stream {
    /// Element type.
    pub(crate) element: String,
    /// Slices, if they are known.
    pub(crate) slice: Option<Expr>,
    /// Iterations.
    pub(crate) time: Expr,
    /// Elements of an iteration.
    pub(crate) packet: Expr,
    /// Rows of the TRF operand, between align and accumulate.
    pub(crate) row: Option<Expr>,
}

/// A pass that is followed.
pub(crate) struct Walk<'a> {
    pub(crate) source: &'a Source,
    function: &'a Function,
    chain: &'a Chain,
    pub(crate) axes: Axes,
    pub(crate) stream: Stream,
    /// The last engine left.
    engine: &'static str,
    /// The stream is interleaved of two tensors.
    interleaved: bool,
    pub(crate) lanes: Lanes,
    pub(crate) faults: Vec<String>,
}

/// The engines in their order; a pass goes through them forwards.
const ORDER: &[(&str, usize)] = &[
    ("begin", 0),
    ("fetch", 1),
    ("switch", 2),
    ("collect", 3),
    ("align", 4),
    ("contract", 5),
    ("accumulate", 6),
    ("vector", 7),
    ("cast", 8),
    ("transpose", 9),
];

fn rank(engine: &str) -> usize {
    ORDER
        .iter()
        .find(|(name, _)| *name == engine)
        .map_or(usize::MAX, |(_, rank)| *rank)
}

impl<'a> Walk<'a> {
    /// Begins a pass at the tensor that it reads, if that is declared.
    pub(crate) fn new(
        source: &'a Source,
        function: &'a Function,
        chain: &'a Chain,
    ) -> Option<Self> {
        let begin = chain.calls.first()?;
        let argument = source.at(begin.arguments.first()?);
        let name = argument.split('.').next()?;
        let tensor = declared(function, name, begin.range.start);
        let tiled = argument.contains(".tile");
        let mapping = |at: usize| source.mapping(tensor?.arguments.get(at)?);
        let element = mapping(4).filter(|_| !tiled);
        Some(Self {
            source,
            function,
            chain,
            axes: Axes::default(),
            stream: Stream {
                element: tensor
                    .map_or("_", |tensor| tensor.arguments[0].as_str())
                    .to_owned(),
                slice: mapping(3),
                time: Expr::Copies(1),
                // Where the tensor is not known, nothing is compared with it.
                packet: element.unwrap_or(Expr::Copies(0)),
                row: None,
            },
            engine: "begin",
            interleaved: begin.name == "begin_interleaved",
            lanes: Lanes::default(),
            faults: Vec::new(),
        })
    }

    /// Goes through the pass.
    pub(crate) fn faults(mut self) -> Vec<String> {
        for call in &self.chain.calls[1..] {
            if self.enters(call).is_none() {
                break;
            }
        }
        self.faults
    }

    pub(crate) fn fault(&mut self, fault: String) {
        self.faults.push(fault);
    }

    fn mapping(&self, call: &Call, at: usize) -> Option<Expr> {
        self.source.mapping(self.source.at(call.generics.get(at)?))
    }

    fn text(&self, call: &Call, at: usize) -> Option<String> {
        Some(self.source.at(call.generics.get(at)?).to_owned())
    }

    fn sub(&self) -> bool {
        self.source.at(&self.chain.context) == "sub"
    }

    /// One call; `None` where the walk ends.
    fn enters(&mut self, call: &Call) -> Option<()> {
        let engine = match call.name.as_str() {
            "commit" | "commit_view" | "to_trf" | "to_vrf" => {
                self.ends(call);
                return None;
            }
            name if name.starts_with("vector_") => "vector",
            name if rank(name) != usize::MAX => ORDER[rank(name)].0,
            _ => return None,
        };
        if call.name == "vector_init" || engine != "vector" {
            let skips_collect = rank(engine) > 3 && rank(self.engine) < 3;
            if rank(engine) <= rank(self.engine) || skips_collect {
                self.fault(format!("`{}` after `{}`", call.name, self.engine));
                return None;
            }
        }
        let missing = match engine {
            "switch" => self.engine != "fetch",
            "contract" => self.engine != "align",
            "accumulate" => self.engine != "contract",
            "fetch" => self.engine != "begin",
            _ => matches!(self.engine, "align" | "contract"),
        };
        if missing {
            self.fault(format!("`{}` after `{}`", call.name, self.engine));
            return None;
        }
        self.engine = engine;
        match engine {
            "fetch" => self.fetch(call),
            "switch" => self.switch(call),
            "collect" => self.collect(call),
            "align" => self.align(call),
            "contract" => self.contract(call),
            "accumulate" => self.accumulate(call),
            "vector" => self.vector(call),
            "cast" => self.cast(call),
            _ => self.transpose(call),
        }
    }

    fn fetch(&mut self, call: &Call) -> Option<()> {
        let element = self.text(call, 0)?;
        let (time, packet) = (self.mapping(call, 1)?, self.mapping(call, 2)?);
        let from = self.stream.element.clone();
        if from != "_" && from != element && !FETCHES.contains(&(&from, &element)) {
            self.fault(format!("no fetch makes `{element}` of `{from}`"));
        }
        match packet_bytes(&packet, &element) {
            Some(bytes) if bytes % 8 == 0 => {}
            _ => self.fault(format!("a fetched packet of {packet:?}")),
        }
        if !self.interleaved {
            self.reads(&time, &packet);
        }
        self.stream = Stream {
            element,
            time,
            packet,
            row: None,
            slice: self.stream.slice.take(),
        };
        Some(())
    }

    /// A fetch reads what the buffer holds, and all of it.
    fn reads(&mut self, time: &Expr, packet: &Expr) {
        let buffer = self.stream.packet.clone();
        let both = Expr::pair(time, packet);
        let Some([held, read]) = self.axes.tables([&buffer, &both], &[0..1, 1..2]) else {
            return;
        };
        let [held, read] = [held, read].map(|cells| {
            let apart = cells.into_iter().map(|cell| self.axes.apart(cell));
            apart.collect::<Vec<_>>()
        });
        if held.is_empty() {
            return;
        }
        let mask = self.axes.mask(&buffer);
        let held = set(held.into_iter());
        let read = set(read.into_iter().map(|cell| cell.map(|cell| cell & mask)));
        if !read.is_subset(&held) {
            self.fault("the fetch reads what the tensor does not hold".to_owned());
        }
        // What a slice number tells already need not be read again.
        let spread = self.stream.slice.as_ref().map_or_else(Vec::new, Expr::axes);
        let alone = !buffer.axes().iter().any(|axis| spread.contains(axis));
        if alone && !held.is_subset(&read) {
            self.fault("the fetch leaves out what the tensor holds".to_owned());
        }
    }

    fn collect(&mut self, call: &Call) -> Option<()> {
        let (time, packet) = (self.mapping(call, 0)?, self.mapping(call, 1)?);
        let flit = 256 / bits(&self.stream.element)?;
        if packet.size()? != flit {
            self.fault(format!("{} elements are collected", packet.size()?));
            return None;
        }
        let padded = self.stream.packet.size()?.checked_next_multiple_of(flit)?;
        let given = Expr::Pad(Box::new(self.stream.packet.clone()), padded);
        let all = [&self.stream.time, &given, &time, &packet];
        if let Some([a, b, c, d]) = self.axes.tables(all, &[0..2, 2..4])
            && self.axes.differ((&a, &b), (&c, &d))
        {
            self.fault("the collected stream is not the flits of what enters".to_owned());
            return None;
        }
        self.stream.time = time;
        self.stream.packet = packet;
        Some(())
    }

    fn switch(&mut self, call: &Call) -> Option<()> {
        let (slice, time) = (self.mapping(call, 0)?, self.mapping(call, 1)?);
        let config = self.source.at(call.arguments.first()?).to_owned();
        let from = (self.stream.slice.clone()?, self.stream.time.clone());
        if slice.size()? != 256 || from.0.size()? != 256 {
            self.fault("not 256 slices".to_owned());
        } else if let Some(fault) =
            crate::mutations::switches::fault(&mut self.axes, &config, &from, (&slice, &time))
        {
            self.fault(fault);
        }
        self.stream.slice = Some(slice);
        self.stream.time = time;
        Some(())
    }

    fn align(&mut self, call: &Call) -> Option<()> {
        let (time, packet) = (self.mapping(call, 0)?, self.mapping(call, 1)?);
        let element = self.stream.element.clone();
        if !["i4", "i8", "f8e4m3", "f8e5m2", "bf16"].contains(&element.as_str()) {
            self.fault(format!("`{element}` is not multiplied"));
        }
        let operand = self
            .source
            .at(call.arguments.first()?)
            .trim_start_matches('&')
            .to_owned();
        let trf = declared(self.function, &operand, call.range.start)?;
        if trf.arguments[0] != element {
            self.fault(format!("`{element}` times `{}`", trf.arguments[0]));
        }
        self.stream.row = self.source.mapping(trf.arguments.get(4)?);
        if packet_bytes(&packet, &element) != Some(64) {
            self.fault("the aligned packet is not 64 bytes".to_owned());
            return None;
        }
        self.aligned(&time, &packet);
        self.stream.time = time;
        self.stream.packet = packet;
        Some(())
    }

    /// One flit and zeros, or two flits; time in order, repetitions innermost.
    fn aligned(&mut self, time: &Expr, packet: &Expr) -> Option<()> {
        let stream = self.axes.table(&self.stream.time)?;
        let flit = self.axes.table(&self.stream.packet)?;
        let (out_time, out) = (self.axes.table(time)?, self.axes.table(packet)?);
        let mask = self
            .axes
            .mask(&Expr::pair(&self.stream.time, &self.stream.packet));
        let (low, high) = out.split_at(out.len() / 2);
        let flits = if high.iter().all(Option::is_none) && low == flit {
            1
        } else {
            2
        };
        // Repeated steps hold axes of the other operand only; each step of the stream gives one run of them.
        let steps = stream.len() / flits;
        let runs = (stream.len() % flits == 0 && out_time.len() % steps.max(1) == 0)
            .then(|| out_time.len() / steps.max(1));
        let fits = runs.is_some_and(|run| {
            (0..out_time.len()).all(|at| {
                let first = (at / run) * flits;
                let own = out_time[at].map(|cell| cell & mask);
                own.is_none()
                    || (0..out.len()).all(|lane| {
                        let which = first + if flits == 2 { lane / flit.len() } else { 0 };
                        let given = if lane < flits * flit.len() {
                            self.axes.join(stream[which], flit[lane % flit.len()])
                        } else {
                            None
                        };
                        let declared = self.axes.join(out_time[at], out[lane]);
                        declared.map(|cell| cell & mask) == given
                    })
            })
        });
        // Whether steps of padding may be left out is not said anywhere.
        let data = |steps: &[Cell]| steps.iter().filter(|step| step.is_some()).count();
        let padded = data(&stream) < stream.len() || data(&out_time) < out_time.len();
        if !(fits || padded && out_time.len() < steps) {
            self.fault("the aligned stream is not the flits as they arrive".to_owned());
        }
        Some(())
    }

    fn contract(&mut self, call: &Call) -> Option<()> {
        let packet = self.mapping(call, 0)?;
        let size = packet.size()?;
        let levels = match self.stream.element.as_str() {
            "i4" => 7,
            "bf16" => 5,
            _ => 6,
        };
        let (given, out) = (
            self.axes.table(&self.stream.packet)?,
            self.axes.table(&packet)?,
        );
        let found = (0..=levels).any(|level: u32| {
            let kept: Vec<Cell> = given.iter().copied().step_by(1 << level).collect();
            live(&kept) == live(&out) && kept.iter().any(Option::is_some)
                || kept.len() == 1 && live(&out) == [Some(0)]
        });
        if !found {
            self.fault("no level of the tree leaves this packet".to_owned());
        }
        if size > 32 {
            self.fault(format!("{size} elements leave the tree"));
        }
        self.stream.element = match self.stream.element.as_str() {
            "i4" | "i8" => "i32",
            _ => "f32",
        }
        .to_owned();
        self.stream.packet = packet;
        Some(())
    }

    fn accumulate(&mut self, call: &Call) -> Option<()> {
        let (time, packet) = (self.mapping(call, 0)?, self.mapping(call, 1)?);
        let kind = self.source.at(call.arguments.first()?).to_owned();
        if packet.size()? != 8 {
            self.fault(format!("{} elements are accumulated", packet.size()?));
            return None;
        }
        let (given, out) = (
            self.axes.table(&self.stream.packet)?,
            self.axes.table(&packet)?,
        );
        let row = self.axes.table(self.stream.row.as_ref()?)?;
        let out_time = self.axes.table(&time)?;
        let data = live(&given);
        let mut wanted = if kind.ends_with("Interleaved") {
            row
        } else {
            data[..data.len().min(8)].to_vec()
        };
        wanted.resize(8, None);
        if wanted != out {
            self.fault("the accumulated packet is not the layout's".to_owned());
        }
        let columns = data.len();
        if kind.ends_with("Interleaved")
            && out_time.len() % columns == 0
            && out_time[..columns] != *data
            && out_time.len() < columns.saturating_mul(2)
        {
            self.fault("the packet does not go through the accumulated time".to_owned());
        }
        // What is accumulated comes from the computed time, the packet or the rows.
        let all = [
            &self.stream.time,
            &self.stream.packet,
            self.stream.row.as_ref()?,
        ];
        let known: Vec<String> = all.into_iter().flat_map(Expr::axes).collect();
        if time.axes().iter().any(|axis| !known.contains(axis)) {
            self.fault("an accumulated axis comes from nowhere".to_owned());
        }
        let before = set(self.axes.table(&self.stream.time)?.into_iter());
        let mask = self.axes.mask(&self.stream.time);
        let after = set(out_time
            .into_iter()
            .map(|cell| cell.map(|cell| cell & mask)));
        let inside = after
            .iter()
            .all(|cell| before.iter().any(|other| other & axes_of(*cell) == *cell));
        if kind.ends_with("Interleaved") && columns == 1 && !inside {
            self.fault("an accumulated step is none of the computed ones".to_owned());
        }
        self.stream.time = time;
        self.stream.packet = packet;
        Some(())
    }

    fn cast(&mut self, call: &Call) -> Option<()> {
        let (element, packet) = (self.text(call, 0)?, self.mapping(call, 1)?);
        let from = self.stream.element.clone();
        if from != element && !CASTS.contains(&(&from, &element)) {
            self.fault(format!("no cast makes `{element}` of `{from}`"));
        }
        if packet_bytes(&packet, &element) != Some(32) {
            self.fault("the cast packet is no flit".to_owned());
            return None;
        }
        let (given, out) = (
            self.axes.table(&self.stream.packet)?,
            self.axes.table(&packet)?,
        );
        if live(&given) != live(&out) {
            self.fault("the cast packet is another one".to_owned());
        }
        self.stream.element = element;
        self.stream.packet = packet;
        Some(())
    }

    fn transpose(&mut self, call: &Call) -> Option<()> {
        let (time, packet) = (self.mapping(call, 0)?, self.mapping(call, 1)?);
        let width = bits(&self.stream.element)?;
        if packet.size()?.checked_mul(width)? != 256 {
            self.fault("the transposed packet is no flit".to_owned());
            return None;
        }
        let (from, given) = (
            self.axes.table(&self.stream.time)?,
            self.axes.table(&self.stream.packet)?,
        );
        let (to, out) = (self.axes.table(&time)?, self.axes.table(&packet)?);
        if live(&out).len() as u64 > 64 / width {
            self.fault(format!("{} rows are transposed", live(&out).len()));
        }
        let join = |axes: &Axes, outer: &[Cell], inner: &[Cell]| {
            let both = outer
                .iter()
                .flat_map(|a| inner.iter().map(move |b| (*a, *b)));
            set(both.map(|(a, b)| axes.join(a, b)))
        };
        if join(&self.axes, &from, &given) != join(&self.axes, &to, &out) {
            self.fault("the transpose holds something else than its input".to_owned());
        }
        // Neighbours of the output packet come from one place of different input packets.
        if live(&given).len() > 1 && live(&out).len() > 1 && live(&given)[..2] == live(&out)[..2] {
            self.fault("the packet that leaves is the one that enters".to_owned());
        }
        self.stream.time = time;
        self.stream.packet = packet;
        Some(())
    }

    fn ends(&mut self, call: &Call) -> Option<()> {
        match call.name.as_str() {
            "to_trf" | "to_vrf" if rank(self.engine) < 3 || self.engine == "align" => {
                self.fault(format!("`{}` after `{}`", call.name, self.engine));
                return None;
            }
            "commit" | "commit_view" => {
                let early = matches!(self.engine, "begin" | "align" | "contract");
                if early || (self.sub() && self.engine != "fetch") {
                    self.fault(format!("`{}` after `{}`", call.name, self.engine));
                    return None;
                }
            }
            _ => {}
        }
        if !self.lanes.may_leave() && self.engine == "vector" {
            return None;
        }
        match call.name.as_str() {
            "commit" => self.commits(call),
            "to_trf" | "to_vrf" => self.loads(call),
            _ => None,
        }
    }

    /// The element and the type of what the pass makes.
    fn target(&self, call: &Call) -> Option<(Option<String>, Expr, Vec<String>)> {
        if let Some(element) = self.mapping(call, 0) {
            return Some((None, element, Vec::new()));
        }
        let (_, arguments) = self.chain.result.as_ref()?;
        let element = self.source.mapping(arguments.last()?)?;
        Some((arguments.first().cloned(), element, arguments.clone()))
    }

    fn loads(&mut self, call: &Call) -> Option<()> {
        let (element_type, element, arguments) = self.target(call)?;
        if element_type.is_some_and(|found| found != self.stream.element && found != "_") {
            return None;
        }
        let rows = match call.name.as_str() {
            "to_trf" => self.source.mapping(arguments.get(4)?)?,
            _ => Expr::Copies(1),
        };
        if call.name == "to_trf" {
            let half = !self.source.at(call.arguments.first()?).ends_with("Full");
            let width = bits(&self.stream.element)?;
            let bytes = rows
                .size()?
                .checked_mul(element.size()?)?
                .checked_mul(width)?
                / 8;
            let room = if half { 32 << 10 } else { 64 << 10 };
            if bytes > room {
                self.fault(format!("{bytes} bytes in a register file of {room}"));
            }
        }
        let all = [&self.stream.time, &self.stream.packet, &rows, &element];
        let [time, packet, rows, element] = self.axes.tables(all, &[0..2, 2..4])?;
        if call.name == "to_trf" && self.axes.differ((&time, &packet), (&rows, &element)) {
            self.fault("the register file holds another order than the stream".to_owned());
        }
        Some(())
    }

    fn commits(&mut self, call: &Call) -> Option<()> {
        let (_, element, _) = self.target(call)?;
        let steps = self.stream.time.size()?;
        let kept = element.size()?.checked_div(steps)?;
        if kept.checked_mul(steps)? != element.size()? {
            self.fault("the time does not divide the element".to_owned());
            return None;
        }
        let bytes = kept.checked_mul(bits(&self.stream.element)?)? / 8;
        if ![8, 16, 24, 32].contains(&bytes) {
            // Padding inside the element can make another split; only a packet that is too small for any is judged.
            if element.size()?.checked_mul(bits(&self.stream.element)?)? < 64 {
                self.fault(format!("{bytes} bytes of a packet are committed"));
            }
            return None;
        }
        let kept = usize::try_from(kept).ok()?;
        let all = [&self.stream.time, &self.stream.packet, &element];
        let [time, packet, written] = self.axes.tables(all, &[0..2, 2..3])?;
        let written: Vec<Cell> = written
            .into_iter()
            .map(|cell| self.axes.apart(cell))
            .collect();
        let all = |axes: &Axes| {
            let both = time
                .iter()
                .flat_map(|a| packet.iter().map(move |b| (*a, *b)));
            set(both.map(|(a, b)| axes.apart(axes.join(a, b))))
        };
        if all(&self.axes) != set(written.iter().copied()) {
            self.fault("the element does not hold what the stream holds".to_owned());
            return None;
        }
        let packets: Vec<Vec<Cell>> = time
            .iter()
            .map(|step| {
                packet
                    .iter()
                    .take(kept)
                    .map(|cell| self.axes.apart(self.axes.join(*step, *cell)))
                    .collect()
            })
            .collect();
        if packet.len() >= kept && time.len() * kept <= 1 << 13 {
            let blank = vec![None; kept];
            let known: std::collections::BTreeSet<_> = packets.iter().chain([&blank]).collect();
            let torn = written
                .chunks(kept)
                .any(|block| !known.contains(&block.to_vec()));
            if torn {
                self.fault("a packet is torn apart in the element".to_owned());
            }
        }
        Some(())
    }
}

/// The axes that a cell is not at 0 of.
fn axes_of(cell: u128) -> u128 {
    (0..8)
        .map(|at| 0xffff_u128 << (16 * at))
        .filter(|mask| cell & mask != 0)
        .sum()
}

/// What the Fetch Engine converts on RNGD.
const FETCHES: &[(&str, &str)] = &[
    ("i4", "i5"),
    ("i4", "i32"),
    ("i8", "i9"),
    ("i8", "i32"),
    ("i16", "i32"),
    ("f8e4m3", "f32"),
    ("f8e5m2", "f32"),
    ("bf16", "f32"),
    ("f16", "f32"),
    ("f32", "bf16"),
];

/// What the Cast Engine converts.
const CASTS: &[(&str, &str)] = &[
    ("i32", "i4"),
    ("i32", "i8"),
    ("i32", "i16"),
    ("f32", "f8e4m3"),
    ("f32", "f8e5m2"),
    ("f32", "f16"),
    ("f32", "bf16"),
];

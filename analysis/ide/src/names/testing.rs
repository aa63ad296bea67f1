//! Texts with marks for tests: `$0` is the caret, `«…»` what an answer should name.

use crate::inputs::Package;
use crate::workspace::{Analysis, Workspace};
use crate::{ByteRange, Place};

/// Files without their marks, and what the marks say.
pub(crate) struct Marked {
    /// The files.
    pub(crate) workspace: Workspace,
    /// Paths and texts.
    pub(crate) files: Vec<(String, String)>,
    /// The caret's file and byte.
    pub(crate) caret: (String, u32),
    /// The marked places, in the order of files and of the text.
    pub(crate) marks: Vec<Place>,
}

impl Marked {
    /// Files by path; a first component `name/` of a path with `src` behind it is a package of that name.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let mut marked = Self {
            workspace: Workspace::new(),
            files: Vec::new(),
            caret: (String::new(), 0),
            marks: Vec::new(),
        };
        let mut packages: Vec<Package> = Vec::new();
        for (path, text) in files {
            let text = marked.read(path, text);
            marked.files.push(((*path).to_owned(), text));
            if let Some((package, _)) = path.split_once("/src/")
                && packages.iter().all(|known| &*known.name != package)
            {
                packages.push(Package {
                    name: package.into(),
                    root: package.into(),
                });
            }
        }
        marked.marks.sort();
        let texts = &marked.files;
        let texts = texts.iter().map(|(path, text)| (&**path, &**text));
        marked.workspace.set_files(texts);
        marked.workspace.set_packages(packages);
        marked
    }

    /// One file, `kernel.rs`.
    pub(crate) fn one(text: &str) -> Self {
        Self::new(&[("kernel.rs", text)])
    }

    fn read(&mut self, path: &str, text: &str) -> String {
        let mut plain = String::new();
        let mut open = Vec::new();
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            let place = u32::try_from(plain.len()).unwrap();
            if let Some(behind) = rest.strip_prefix("$0") {
                self.caret = (path.to_owned(), place);
                rest = behind;
            } else if let Some(behind) = rest.strip_prefix('«') {
                open.push(place);
                rest = behind;
            } else if let Some(behind) = rest.strip_prefix('»') {
                let start = open.pop().expect("a mark that opens");
                let file = path.into();
                let range = ByteRange { start, end: place };
                self.marks.push(Place { file, range });
                rest = behind;
            } else {
                plain.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
        plain
    }

    /// A snapshot.
    pub(crate) fn analysis(&self) -> Analysis {
        self.workspace.analysis()
    }

    /// The text of a place, with its file and byte, for messages.
    pub(crate) fn show(&self, place: &Place) -> String {
        let text = self.files.iter().find(|(path, _)| **path == *place.file);
        let text = text.map_or("", |(_, text)| text);
        let (start, end) = (place.range.start as usize, place.range.end as usize);
        format!(
            "{}@{start} `{}`",
            place.file,
            text.get(start..end).unwrap_or("?")
        )
    }

    /// The places as lines.
    pub(crate) fn lines<'p>(&self, places: impl IntoIterator<Item = &'p Place>) -> String {
        let lines: Vec<String> = places.into_iter().map(|place| self.show(place)).collect();
        lines.join("\n")
    }
}

/// Texts that are awkward to be in: half-typed macros, a byte-order mark, `\r\n`, letters of several bytes, nesting.
pub(crate) const AWKWARD: &[&str] = &[
    "",
    "\u{feff}",
    "axes![",
    "m![A",
    "axes![A = 8, B = ]; type T = m![A, ]; fn f() { x.fetch::<bf16, m![A, , m![B / ]>(",
    "\u{feff}axes![A = 8];\r\ntype Größe = m![A / 2, { m![A] }];\r\n/* é */ fn ö<B>(x: m![B # {0} 4, A # {!} 16]) { i![A: 3, B: «]; }",
    "use a::{b::{self as c, A as B}, *}; use ::{x}; use self::A as r#type; type r#A = m![r#A]; macro_rules! k { ($a:ident) => { m![$a, A] } }",
    "axes![A = 8, A = 9]; mod m { use super::A as B; axes!(C = 2); fn f() { axes! { D = 4 } type X = m![D]; axes_![E = 1]; foo!(a.A, A: 3, B::A::C, A!(), ..A); } }",
    "}}}]] m![)(] type = ; fn (",
];

/// Runs a question at every byte of the awkward texts, and of a text and its beginnings.
pub(crate) fn everywhere(text: &str, mut ask: impl FnMut(&Analysis, u32)) {
    let ends = (0..text.len())
        .step_by(97)
        .filter_map(|end| text.get(..end));
    let texts = AWKWARD.iter().copied().chain(ends).chain([text]);
    for text in texts {
        let mut workspace = Workspace::new();
        workspace.set_files([("kernel.rs", text)]);
        let analysis = workspace.analysis();
        let step = (text.len() / 400).max(1);
        for offset in (0..text.len() + 2).step_by(step) {
            ask(&analysis, u32::try_from(offset).unwrap());
        }
    }
}

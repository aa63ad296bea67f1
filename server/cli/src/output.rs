//! Where answers go: standard output, and standard error for what went wrong. Files are written by `project::writing`.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use super::arguments::Color;
use super::format::github;
use super::wrap::WIDTH;
use crate::project::Failure;
use crate::project::paths::system_reason;

/// Columns below which lines are not broken any further: terminals of scripts claim to have one or none.
const NARROWEST: usize = 40;

/// Whether standard output was found closed.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Standard output and whether it takes colours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Console {
    color: Color,
    /// Whether answers go to standard error, because standard output carries something else.
    aside: bool,
}

impl Console {
    pub(crate) const fn new(color: Color) -> Self {
        Self {
            color,
            aside: false,
        }
    }

    /// The same for answers that leave standard output alone.
    pub(crate) const fn aside(self) -> Self {
        Self {
            aside: true,
            ..self
        }
    }

    /// Whether an answer carries colours. What the command line says counts first, then `NO_COLOR`, then
    /// `CLICOLOR_FORCE`, then whether a terminal reads it that knows colours.
    pub(crate) fn colored(self) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto if anstyle_query::no_color() => false,
            Color::Auto if forced() => true,
            Color::Auto => {
                let wanted = anstyle_query::clicolor().unwrap_or(true);
                let terminal = if self.aside {
                    std::io::stderr().is_terminal()
                } else {
                    std::io::stdout().is_terminal()
                };
                wanted && terminal && anstyle_query::term_supports_color()
            }
        }
    }

    /// Columns that an answer may take: a terminal's own, else the same on every machine.
    pub(crate) fn width(self) -> usize {
        let terminal = if self.aside {
            terminal_size::terminal_size_of(std::io::stderr())
        } else {
            terminal_size::terminal_size_of(std::io::stdout())
        };
        terminal.map_or(WIDTH, |(width, _)| usize::from(width.0).max(NARROWEST))
    }

    /// Whether an answer to a file carries colours: only where the user insists.
    pub(crate) fn colored_file(self) -> bool {
        self.color == Color::Always
    }

    /// Makes room for the next answer where the last one would only be in the way: on a terminal.
    pub(crate) fn clear(self) {
        if !self.aside && std::io::stdout().is_terminal() {
            let mut output = std::io::stdout().lock();
            let _ = output.write_all(b"\x1b[2J\x1b[3J\x1b[H");
            let _ = output.flush();
        }
    }

    /// Whether a reader of standard output has gone away.
    pub(crate) fn is_closed(self) -> bool {
        CLOSED.load(Ordering::Relaxed)
    }

    /// Whether a terminal, or the log of a job, reads what is written. These obey what a program only takes for text.
    pub(crate) fn is_obeyed(self) -> bool {
        std::io::stdout().is_terminal() || (github::is_running() && !is_regular_file())
    }

    /// Writes an answer. A reader that has gone away is no failure.
    pub(crate) fn print(self, answer: &str) -> Result<(), Failure> {
        if self.aside {
            let _ = std::io::stderr().lock().write_all(answer.as_bytes());
            return Ok(());
        }
        let mut output = std::io::stdout().lock();
        match output
            .write_all(answer.as_bytes())
            .and_then(|()| output.flush())
        {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::new(
                format!("cannot write to standard output: {}", system_reason(&error)),
            )),
            Err(_) => {
                CLOSED.store(true, Ordering::Relaxed);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }
}

/// Whether standard output was led to a file, as by `> fix.patch`.
fn is_regular_file() -> bool {
    let output = same_file::Handle::stdout();
    output.is_ok_and(|output| output.as_file().metadata().is_ok_and(|data| data.is_file()))
}

/// Whether `CLICOLOR_FORCE` asks for colours; a `0` does not.
fn forced() -> bool {
    let zero = std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value == "0");
    anstyle_query::clicolor_force() && !zero
}

//! `visa-lint view`: a page beside any editor, served on the loopback address and brought up to date whenever a file is saved.
//!
//! [`guard`] says who is answered, [`site`] speaks HTTP, [`live`] follows the files and fills the [`feed`] that pages listen to;
//! [`scratch`] joins a page with a text editor to a language server of its own. Nothing that a page sends is written anywhere.

mod feed;
mod guard;
mod live;
mod scratch;
mod site;

use super::arguments::ViewArguments;
use super::outcome::Outcome;
use super::output::Console;
use super::pool::in_pool;
use crate::project::Failure;
use crate::project::notes::write_note;

use self::feed::Feed;
use self::site::{Content, Site};

/// Runs the command: until the program is interrupted.
pub(crate) fn run(options: &ViewArguments, console: Console) -> Result<Outcome, Failure> {
    end_on_interrupt();
    if options.scratch {
        let site = Site::bind_port(options.port)?;
        say_address(&site, options, console)?;
        site.serve(Content::Scratch)?;
        return Ok(Outcome::Fine);
    }
    in_pool(options.jobs, || {
        let mut session = live::open_session(options)?;
        let site = Site::bind_port(options.port)?;
        let (feed, states) = Feed::new();
        say_address(&site, options, console)?;
        std::thread::Builder::new()
            .name("visa-view".to_owned())
            .spawn(move || {
                if let Err(failure) = site.serve(Content::Live(states)) {
                    failure.say();
                }
            })
            .map_err(|error| Failure::new(format!("cannot start a thread: {error}")))?;
        live::follow_changes(options, &mut session, feed)?;
        Ok(Outcome::Fine)
    })
}

/// The address is the answer; how to end the program goes beside it.
fn say_address(site: &Site, options: &ViewArguments, console: Console) -> Result<(), Failure> {
    console.print(&format!("{}\n", site.address()))?;
    if !options.quiet {
        write_note("open the address in a browser on this machine; Ctrl-C ends the view");
    }
    Ok(())
}

/// Makes Ctrl-C the way to end the view, with exit code 0: nothing is left undone. Elsewhere the system ends it.
fn end_on_interrupt() {
    #[cfg(unix)]
    {
        use std::sync::Arc;
        use std::sync::atomic::AtomicBool;

        let always = Arc::new(AtomicBool::new(true));
        let interrupt = signal_hook::consts::SIGINT;
        // Where this is refused, the signal ends the program by default.
        let _ = signal_hook::flag::register_conditional_shutdown(interrupt, 0, always);
    }
}

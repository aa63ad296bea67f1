//! The requests of one engine over the channels of an HBM, one after the other (book: High-Bandwidth Memory, Bank Conflict).
//!
//! Knows when each channel has served what it was given, which rows its banks hold open, and when a full queue holds the
//! engine back. Other engines on the same channels are not known here; their shares are added up by `hbm`.

use super::REQUEST_BYTES;
use crate::hardware::{
    HBM_CHANNEL_BANKS as BANKS, HBM_CHANNEL_QUEUE as QUEUE,
    HBM_PARTIAL_WRITE_FACTOR as PARTIAL_WRITE_FACTOR, HBM_ROW_SWITCH_THIRDS as ROW_SWITCH_THIRDS,
    HBM_UNIT_THIRDS as TRANSFER_THIRDS, hbm_bank as bank, hbm_channel as channel, hbm_row as row,
};

/// Channels of a chip, both stacks.
pub const CHANNELS: usize = crate::hardware::HBM_CHANNELS as usize;

/// Whether a transfer reads or writes here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// It reads.
    Read,
    /// It writes.
    Write,
}

/// Thirds of a cycle.
const CYCLE: u64 = 3;

/// State of one bank.
#[derive(Debug, Clone, Copy, Default)]
struct Bank {
    /// The open row plus one; 0 before the first.
    open: u64,
    /// When its last transfer ended.
    end: u64,
}

/// State of one channel. Times are in thirds of a cycle.
#[derive(Debug, Clone)]
struct Channel {
    banks: [Bank; BANKS],
    /// When each of the last commands ends, by its number modulo the queue's length.
    queue: [u64; QUEUE],
    accepted: usize,
    end: u64,
    busy: u64,
}

impl Channel {
    const fn new() -> Self {
        Self {
            banks: [Bank { open: 0, end: 0 }; BANKS],
            queue: [0; QUEUE],
            accepted: 0,
            end: 0,
            busy: 0,
        }
    }

    /// When the queue has room for a command that comes now.
    fn queue_room_at(&self, now: u64) -> u64 {
        let oldest = self.queue.get(self.accepted % QUEUE).copied().unwrap_or(0);
        now.max(oldest)
    }

    /// Serves a command. A bank opens another row while the channel serves others, from the end of its own last transfer
    /// on; the first row that a bank opens hides behind the start of the transfer. Whether the channel waited for a row.
    fn serve(&mut self, arrival: u64, unit: u64, service: u64) -> bool {
        let row = row(unit) + 1;
        let Some(bank) = self.banks.get_mut(bank(unit)) else {
            return false;
        };
        let start = self.end.max(arrival);
        let served = start + service;
        let opened = if bank.open == 0 || bank.open == row {
            0
        } else {
            bank.end + ROW_SWITCH_THIRDS
        };
        self.end = served.max(opened);
        self.busy += self.end - start;
        *bank = Bank {
            open: row,
            end: self.end,
        };
        if let Some(slot) = self.queue.get_mut(self.accepted % QUEUE) {
            *slot = self.end;
        }
        self.accepted += 1;
        opened > served
    }
}

/// The counts of a walk so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally<N> {
    /// Thirds of a cycle that each channel was busy.
    pub(super) busy: [N; CHANNELS],
    /// Requests.
    pub(super) requests: N,
    /// Cycles to issue them if nothing held the engine back.
    pub(super) issue: N,
    /// Thirds of a cycle until all is issued and served, but for the last transfer.
    pub(super) elapsed: N,
    /// Requests that waited for a row.
    pub(super) row_switches: N,
    /// Reads across a boundary of 256 bytes.
    pub(super) misaligned: N,
    /// Writes of a part of a unit.
    pub(super) partial: N,
}

impl Tally<u64> {
    /// What was counted since an earlier tally of the same walk.
    pub(super) fn since_tally(mut self, earlier: &Self) -> Self {
        for (busy, before) in self.busy.iter_mut().zip(&earlier.busy) {
            *busy -= before;
        }
        self.requests -= earlier.requests;
        self.issue -= earlier.issue;
        self.elapsed -= earlier.elapsed;
        self.row_switches -= earlier.row_switches;
        self.misaligned -= earlier.misaligned;
        self.partial -= earlier.partial;
        self
    }
}

/// The walk of one engine.
pub(super) struct Walk {
    direction: Direction,
    /// A write that no other follows is posted: nothing waits for the rest of its unit.
    posted: bool,
    /// Those that were given something: most transfers reach few.
    channels: Vec<Option<Box<Channel>>>,
    clock: u64,
    tally: Tally<u64>,
}

impl Walk {
    pub(super) fn new(direction: Direction, posted: bool) -> Self {
        Self {
            direction,
            posted,
            channels: vec![None; CHANNELS],
            clock: 0,
            tally: Tally::default(),
        }
    }

    /// What was counted so far.
    pub(super) fn tally(&self) -> Tally<u64> {
        let mut tally = self.tally.clone();
        let mut end = 0;
        for (busy, channel) in tally.busy.iter_mut().zip(&self.channels) {
            if let Some(channel) = channel {
                *busy = channel.busy;
                end = end.max(channel.end);
            }
        }
        tally.elapsed = self.clock.max(end.saturating_sub(TRANSFER_THIRDS));
        tally
    }

    /// One packet, in requests of 256 bytes from its first byte on.
    pub(super) fn packet(&mut self, address: u64, bytes: u64) {
        let mut done = 0;
        while done < bytes {
            let length = REQUEST_BYTES.min(bytes - done);
            self.request(address.wrapping_add(done), length);
            done += length;
        }
    }

    /// One request of at most 256 bytes: it touches one unit of 256 bytes, or two.
    fn request(&mut self, address: u64, bytes: u64) {
        self.tally.requests += 1;
        let first = address / REQUEST_BYTES;
        let last = address.wrapping_add(bytes - 1) / REQUEST_BYTES;
        let crosses = first != last;
        let whole = bytes == REQUEST_BYTES && !crosses;
        let (issue, service) = match self.direction {
            Direction::Read => {
                self.tally.misaligned += u64::from(crosses);
                (1 + u64::from(crosses), TRANSFER_THIRDS)
            }
            Direction::Write if whole => (1, TRANSFER_THIRDS),
            Direction::Write if self.posted => {
                self.tally.partial += 1;
                (1 + u64::from(crosses), TRANSFER_THIRDS)
            }
            Direction::Write => {
                self.tally.partial += 1;
                let parts = 1 + u64::from(crosses);
                (
                    PARTIAL_WRITE_FACTOR,
                    TRANSFER_THIRDS * PARTIAL_WRITE_FACTOR / parts,
                )
            }
        };
        let mut waited = self.transfer(first.wrapping_mul(REQUEST_BYTES), service);
        if crosses {
            waited |= self.transfer(last.wrapping_mul(REQUEST_BYTES), service);
        }
        self.tally.row_switches += u64::from(waited);
        self.tally.issue += issue;
        self.clock += issue * CYCLE;
    }

    fn transfer(&mut self, unit: u64, service: u64) -> bool {
        let Some(channel) = self.channels.get_mut(channel(unit)) else {
            return false;
        };
        let channel = channel.get_or_insert_with(|| Box::new(Channel::new()));
        self.clock = channel.queue_room_at(self.clock);
        channel.serve(self.clock, unit, service)
    }
}

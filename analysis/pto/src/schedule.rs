//! When the transfers of a function run on their pipes, by cycles that the settings give.
//!
//! A pipe runs its operations in order; a flag is set when its pipe gets there, and who waits for it goes on then. Loops run as often
//! as they say. Knows cycles only as it is given them: the vector core's own are not known and count as none. A function of which not
//! every step is known has no schedule.

use std::collections::{BTreeMap, VecDeque};

use super::program::{Flag, Step, What};
use visa_base::lanes::{Lane, Machine};
use visa_findings::front_end::{LaneWait, TransferSchedule, TransferSlot};

/// Runs of transfers that a schedule holds at most.
const MOST_SLOTS: usize = 4_096;
/// Steps that are run for one schedule at most.
const MOST_STEPS: u32 = 100_000;
/// The pipe that stands for all of them in a barrier.
const ALL_PIPES: &str = "PIPE_ALL";

/// A transfer: the pipe that runs it, and its cycles.
pub(super) type Timed = (&'static str, u64);

/// The lane of a pipe.
pub(super) fn lane_of(pipe: &str) -> Option<Lane> {
    Machine::Pto.lane(pipe.trim_start_matches("PIPE_"))
}

#[derive(Default)]
struct Run<'a> {
    /// When each pipe is free, by its name.
    free: BTreeMap<&'a str, u64>,
    /// What a pipe last waited for beyond its own end, until its next transfer.
    held: BTreeMap<&'a str, Vec<LaneWait>>,
    /// When flags were set that have not been awaited yet.
    set: BTreeMap<[&'a str; 3], VecDeque<u64>>,
    /// All pipes are free then at the earliest.
    barrier: u64,
    slots: Vec<TransferSlot>,
    steps: u32,
}

/// The schedule of a function's steps; `timed` gives pipe and cycles of each copy by its number.
pub(super) fn schedule_steps(steps: &[Step], timed: &[Option<Timed>]) -> Option<TransferSchedule> {
    let mut run = Run::default();
    run.steps(steps, timed)?;
    let total = run.slots.iter().map(|slot| slot.end).max()?;
    Some(TransferSchedule {
        slots: run.slots,
        total,
    })
}

impl<'a> Run<'a> {
    fn steps(&mut self, steps: &'a [Step], timed: &[Option<Timed>]) -> Option<()> {
        for step in steps {
            self.count()?;
            match step {
                Step::Do(action) => self.run_action(&action.what, timed)?,
                // Which branch is taken is decided at run time.
                Step::Choice { one, other, .. } => {
                    if self.decides(one)? || self.decides(other)? {
                        return None;
                    }
                }
                Step::Repeat { body, trips, .. } => {
                    if !self.decides(body)? {
                        continue;
                    }
                    for _ in 0..(*trips)? {
                        self.steps(body, timed)?;
                    }
                }
            }
        }
        Some(())
    }

    /// Counts a step that is looked at; nothing behind the last that may be.
    fn count(&mut self) -> Option<()> {
        self.steps += 1;
        (self.steps <= MOST_STEPS).then_some(())
    }

    /// Whether one of some steps decides when transfers run.
    fn decides(&mut self, steps: &[Step]) -> Option<bool> {
        for step in steps {
            self.count()?;
            let decides = match step {
                Step::Do(action) => !matches!(
                    action.what,
                    What::Access(_) | What::Size(..) | What::Stride(..) | What::PadValue(_)
                ),
                Step::Choice { one, other, .. } => self.decides(one)? || self.decides(other)?,
                Step::Repeat { body, .. } => self.decides(body)?,
            };
            if decides {
                return Some(true);
            }
        }
        Some(false)
    }

    fn pipe_free_at(&self, pipe: &str) -> u64 {
        self.free.get(pipe).copied().unwrap_or(0).max(self.barrier)
    }

    fn run_action(&mut self, what: &'a What, timed: &[Option<Timed>]) -> Option<()> {
        match what {
            What::Copy(index) => self.copy(*index, timed),
            What::Set(flag) => {
                let at = self.pipe_free_at(&flag.from.name);
                self.set.entry(flag_key(flag)).or_default().push_back(at);
                Some(())
            }
            What::Wait(flag) => self.run_wait(flag),
            What::Barrier(named) if named.name == ALL_PIPES => {
                self.barrier = self.free.values().copied().fold(self.barrier, u64::max);
                self.held.clear();
                Some(())
            }
            // A pipe waits for itself: its operations run one after another here in any case.
            What::Barrier(_) => Some(()),
            What::Orders | What::Call | What::Forget => None,
            What::Size(..) | What::Stride(..) | What::PadValue(_) | What::Access(_) => Some(()),
        }
    }

    fn copy(&mut self, index: usize, timed: &[Option<Timed>]) -> Option<()> {
        let (pipe, cycles) = (*timed.get(index)?)?;
        let start = self.pipe_free_at(pipe);
        let end = start.checked_add(cycles)?;
        let mut waits = self.held.remove(pipe).unwrap_or_default();
        if self.barrier > self.free.get(pipe).copied().unwrap_or(0) {
            waits.push(LaneWait {
                cause: ALL_PIPES.to_owned(),
                lane: None,
                until: self.barrier,
            });
        }
        self.slots.push(TransferSlot {
            row: index,
            lane: lane_of(pipe)?,
            start,
            end,
            waits,
        });
        self.free.insert(pipe, end);
        (self.slots.len() <= MOST_SLOTS).then_some(())
    }

    fn run_wait(&mut self, flag: &'a Flag) -> Option<()> {
        // A flag that nothing set before is set by another function, or never.
        let at = self.set.get_mut(&flag_key(flag))?.pop_front()?;
        let pipe = &*flag.to.name;
        let free = self.pipe_free_at(pipe);
        if at > free {
            self.free.insert(pipe, at);
            let lane = lane_of(&flag.from.name);
            self.held.entry(pipe).or_default().push(LaneWait {
                cause: flag.flag_text(),
                lane,
                until: at,
            });
        }
        Some(())
    }
}

fn flag_key(flag: &Flag) -> [&str; 3] {
    [&flag.from.name, &flag.to.name, &flag.event.name]
}

#[cfg(test)]
mod tests {
    use super::super::analysis::Analysis;
    use super::super::cost::transfer_costs;
    use visa_inputs::PtoOptions;

    /// Two loads of 4,096 bytes and a store, 64 bytes a cycle and 10 cycles of setup: 74 cycles each.
    fn kernel(body: &str) -> String {
        format!(
            "func.func @k(%gm: !pto.ptr<f32, gm>, %out: !pto.ptr<f32, gm>, %b: i1) {{
  %c0 = arith.constant 0 : i64
  %n = arith.constant 32 : i64
  %len = arith.constant 128 : i64
  %at = arith.constant 4096 : i64
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i3 = arith.constant 3 : index
  %a = pto.castptr %c0 : i64 -> !pto.ptr<f32, ub>
  %d = pto.castptr %at : i64 -> !pto.ptr<f32, ub>
{body}  return
}}
"
        )
    }

    const LOAD: &str = "  pto.mte_gm_ub %gm, %a, %c0, %len nburst(%n, %len, %len) : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64\n";
    const STORE: &str = "  pto.mte_ub_gm %a, %out, %len nburst(%n, %len, %len) : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64\n";
    const SET: &str = "  pto.set_flag[\"PIPE_MTE2\", \"PIPE_MTE3\", \"EVENT_ID0\"]\n";
    const WAIT: &str = "  pto.wait_flag[\"PIPE_MTE2\", \"PIPE_MTE3\", \"EVENT_ID0\"]\n";

    /// Lane, start, end and what is waited for of each run; nothing without a schedule.
    fn slots(body: &str) -> Option<Vec<(&'static str, u64, u64, String)>> {
        let options = PtoOptions {
            gm_bytes_per_cycle: Some(64),
            setup_cycles: Some(10),
        };
        let found = transfer_costs(&Analysis::of(&kernel(body)), options);
        let [cost] = &found[..] else {
            panic!("one function moves something: {found:?}");
        };
        let schedule = cost.schedule.as_ref()?;
        let last = schedule.slots.iter().map(|slot| slot.end).max();
        assert_eq!(last, Some(schedule.total));
        let slots = schedule.slots.iter().map(|slot| {
            let waits: Vec<&str> = slot.waits.iter().map(|wait| wait.cause.as_str()).collect();
            (slot.lane.name(), slot.start, slot.end, waits.join("; "))
        });
        assert!(
            cost.lanes()
                .iter()
                .map(|lane| lane.name())
                .eq(["MTE2", "MTE3"])
        );
        Some(slots.collect())
    }

    #[test]
    fn pipes_run_beside_each_other_until_a_flag_is_awaited() {
        let store_after = |start: u64, cause: &str| {
            vec![
                ("MTE2", 0, 74, String::new()),
                ("MTE2", 74, 148, String::new()),
                ("MTE3", start, start + 74, cause.to_owned()),
            ]
        };
        let flag = "PIPE_MTE2, PIPE_MTE3, EVENT_ID0";
        // The flag comes after both loads, after the first, or a barrier comes before the store.
        let both = slots(&format!("{LOAD}{LOAD}{SET}{WAIT}{STORE}"));
        assert_eq!(both, Some(store_after(148, flag)));
        let first = slots(&format!("{LOAD}{SET}{LOAD}{WAIT}{STORE}"));
        assert_eq!(first, Some(store_after(74, flag)));
        let barrier = "  pto.barrier #pto.pipe<PIPE_ALL>\n";
        let all = slots(&format!("{LOAD}{LOAD}{barrier}{STORE}"));
        assert_eq!(all, Some(store_after(148, "PIPE_ALL")));
    }

    #[test]
    fn loops_run_as_often_as_they_say() {
        let body = format!("  scf.for %i = %i0 to %i3 step %i1 {{\n{LOAD}{SET}{WAIT}{STORE}  }}\n");
        let found = slots(&body).unwrap();
        let starts: Vec<(&str, u64)> = found.iter().map(|slot| (slot.0, slot.1)).collect();
        // The next load waits for nothing: only the stores follow the loads.
        assert_eq!(
            starts,
            [
                ("MTE2", 0),
                ("MTE3", 74),
                ("MTE2", 74),
                ("MTE3", 148),
                ("MTE2", 148),
                ("MTE3", 222)
            ]
        );
    }

    #[test]
    fn what_is_not_known_has_no_schedule() {
        // No order of its own; a flag that is never set; a branch that decides; a flag set once and awaited twice.
        let branch = format!("  scf.if %b {{\n{LOAD}  }}\n");
        for body in [
            format!("{LOAD}{STORE}"),
            format!("{LOAD}{WAIT}{STORE}"),
            format!("{LOAD}{SET}{WAIT}{branch}{STORE}"),
            format!("{LOAD}{SET}{WAIT}{STORE}{WAIT}{STORE}"),
        ] {
            assert_eq!(slots(&body), None, "{body}");
        }
    }
}

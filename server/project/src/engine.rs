//! The engine behind a queue: writes and questions take effect in the order in which they were queued.
//!
//! One thread owns the workspace. It applies a write itself, and hands a question, with a snapshot, to a pool of threads. So
//! who queues never waits: not for a write, which waits until the running questions have noticed that they are overtaken,
//! and not for a question. A question sees exactly the writes that were queued before it.
//!
//! Two pools: what an editor waits for is not behind what runs in the background. There one question runs at a time, on all
//! threads: two that check the same files would meet at each of them and wait for each other, and the second one has its
//! answer at hand when the first has run.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::task::{Context, Poll};

use tokio::sync::oneshot;
use visa_analysis::{Analysis, Canceller, Problem, Workspace, panic_words};

/// The stack of a thread that parses and lowers.
pub const STACK_BYTES: usize = 16 << 20;

/// What the work for one file may take.
pub(crate) const TIME_OF_A_FILE: std::time::Duration = std::time::Duration::from_secs(10);

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// A newer edit overtook it.
    Overtaken,
    /// It is about another text than that of its place in the order.
    Outdated,
    /// The client took it back.
    Withdrawn,
    /// It is about a document that the engine does not know.
    NoSuchFile,
    /// It cannot be answered; the words are for the one who asked.
    Refused(String),
    /// A defect of this program.
    Defect(String),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::NoSuchFile => Self::NoSuchFile,
            Problem::Cancelled => Self::Overtaken,
            Problem::NotAnalysed(why) => Self::Refused(why),
            Problem::Internal(what) => Self::Defect(what),
        }
    }
}

/// The answer to a question.
pub type Answer<T> = Result<T, Failure>;

/// How soon a question is to be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// A request is waiting.
    Waiting,
    /// When there is time.
    Background,
}

enum Job {
    Write(Box<dyn FnOnce(&mut Workspace) + Send>),
    Read(Urgency, Box<dyn FnOnce(Analysis, u64) + Send>),
}

/// The engine.
pub struct Engine {
    jobs: mpsc::Sender<Job>,
    writes: Arc<AtomicU64>,
}

impl Engine {
    /// Starts an engine without files. `defect` is given, on any thread, what a write panicked with.
    ///
    /// # Errors
    ///
    /// No threads can be started.
    pub fn start(defect: impl Fn(String) + Send + 'static) -> std::io::Result<Self> {
        let (jobs, queue) = mpsc::channel();
        let pools = Pools::start()?;
        let writes = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&writes);
        std::thread::Builder::new()
            .name("visa-engine".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || serve_jobs(&queue, &pools, &counted, &defect))?;
        Ok(Self { jobs, writes })
    }

    /// Queues a change of the workspace.
    pub fn write(&self, change: impl FnOnce(&mut Workspace) + Send + 'static) {
        // The thread ends only when this sender is gone.
        let _ = self.jobs.send(Job::Write(Box::new(change)));
    }

    /// How many writes took effect or are about to. What was worked out from a snapshot holds as long as the number is the one
    /// that came with the snapshot.
    pub fn write_count(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.writes)
    }

    /// Queues a question, which is given how many writes it sees. Dropping what it returns cancels it.
    pub fn read<T: Send + 'static>(
        &self,
        urgency: Urgency,
        question: impl FnOnce(Analysis, u64) -> Answer<T> + Send + 'static,
    ) -> Reading<T> {
        let (sender, receiver) = oneshot::channel();
        let ticket = Arc::new(Ticket::default());
        let mine = Arc::clone(&ticket);
        let run = move |analysis: Analysis, writes: u64| {
            let answer = guarded(|| {
                if mine.withdrawn(&analysis) {
                    return Err(Failure::Withdrawn);
                }
                question(analysis, writes)
            });
            // A question that was dropped has no receiver.
            let _ = sender.send(answer.unwrap_or_else(|words| Err(Failure::Defect(words))));
        };
        let _ = self.jobs.send(Job::Read(urgency, Box::new(run)));
        Reading { receiver, ticket }
    }
}

/// The result of a question or a write, or the words of its panic: the one net around everything that the engine's threads run. A defect
/// costs its own question an answer; the threads go on.
fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| panic_words(&*payload))
}

/// A pool of a thread for each core, and of `fewest` at least.
fn pool(name: &'static str, fewest: usize) -> std::io::Result<rayon::ThreadPool> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    rayon::ThreadPoolBuilder::new()
        .num_threads(cores.max(fewest))
        .stack_size(STACK_BYTES)
        .thread_name(move |index| format!("{name}-{index}"))
        .build()
        .map_err(std::io::Error::other)
}

/// Threads of the questions that a request is waiting for, at least: on a machine with one core, too, the early answer about
/// a file has to run beside the whole one that it comes before.
const FEWEST_ANSWERING: usize = 2;

/// Where questions run.
struct Pools {
    /// Those that a request is waiting for, all at once.
    waiting: rayon::ThreadPool,
    /// Those of the background, one after the other.
    background: mpsc::Sender<Box<dyn FnOnce() + Send>>,
}

impl Pools {
    fn start() -> std::io::Result<Self> {
        let (background, questions) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
        let pool = pool("visa-background", 1)?;
        std::thread::Builder::new()
            .name("visa-background".to_owned())
            .spawn(move || {
                while let Ok(question) = questions.recv() {
                    pool.install(question);
                }
            })?;
        Ok(Self {
            waiting: self::pool("visa-answer", FEWEST_ANSWERING)?,
            background,
        })
    }

    fn run(&self, urgency: Urgency, question: impl FnOnce() + Send + 'static) {
        match urgency {
            Urgency::Waiting => self.waiting.spawn_fifo(question),
            Urgency::Background => {
                // The thread ends only when this sender is gone.
                let _ = self.background.send(Box::new(question));
            }
        }
    }
}

fn serve_jobs(
    queue: &mpsc::Receiver<Job>,
    pools: &Pools,
    writes: &AtomicU64,
    defect: &dyn Fn(String),
) {
    let mut workspace = Workspace::new();
    workspace.set_time_limit(TIME_OF_A_FILE);
    while let Ok(job) = queue.recv() {
        match job {
            Job::Write(change) => {
                writes.fetch_add(1, Ordering::SeqCst);
                if let Err(words) = guarded(|| change(&mut workspace)) {
                    defect(words);
                }
            }
            Job::Read(urgency, run) => {
                let analysis = workspace.analysis();
                let seen = writes.load(Ordering::SeqCst);
                pools.run(urgency, move || run(analysis, seen));
            }
        }
    }
}

/// What a question and who waits for it share.
#[derive(Default)]
struct Ticket {
    withdrawn: AtomicBool,
    running: OnceLock<Canceller>,
}

impl Ticket {
    /// Whether the question was taken back before it began; else it can be cancelled from now on.
    fn withdrawn(&self, analysis: &Analysis) -> bool {
        let _ = self.running.set(analysis.canceller());
        self.withdrawn.load(Ordering::SeqCst)
    }

    fn withdraw(&self) {
        self.withdrawn.store(true, Ordering::SeqCst);
        if let Some(canceller) = self.running.get() {
            canceller.cancel();
        }
    }
}

/// A question that waits for its answer.
#[must_use = "a dropped question is cancelled"]
pub struct Reading<T> {
    receiver: oneshot::Receiver<Answer<T>>,
    ticket: Arc<Ticket>,
}

impl<T> Future for Reading<T> {
    type Output = Answer<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.receiver)
            .poll(context)
            .map(|answer| answer.unwrap_or(Err(Failure::Withdrawn)))
    }
}

impl<T> Drop for Reading<T> {
    fn drop(&mut self) {
        self.ticket.withdraw();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};
    use visa_analysis::EditorQuestions as _;

    use super::{Answer, Engine, Failure, Urgency};

    const PATIENCE: Duration = Duration::from_secs(20);

    fn engine() -> Engine {
        Engine::start(|_| {}).unwrap_or_else(|error| unreachable!("{error}"))
    }

    fn wait<T>(reading: super::Reading<T>) -> Answer<T> {
        futures::executor::block_on(reading)
    }

    fn text(engine: &Engine) -> super::Reading<String> {
        engine.read(Urgency::Waiting, |analysis, _| {
            Ok(analysis.text("a.rs")?.to_string())
        })
    }

    /// Asks again and again until a newer write or the one who waits stops it.
    fn endless(engine: &Engine, begun: std::sync::mpsc::Sender<()>) -> super::Reading<()> {
        engine.read(Urgency::Waiting, move |analysis, _| {
            let _ = begun.send(());
            let since = Instant::now();
            while since.elapsed() < PATIENCE {
                analysis.hover("a.rs", 0)?;
            }
            Ok(())
        })
    }

    #[test]
    fn a_question_sees_the_writes_before_it() {
        let engine = engine();
        for number in 0..200 {
            let words = format!("// {number}");
            let file = words.clone();
            engine.write(move |workspace| workspace.set_file("a.rs", &file));
            assert_eq!(wait(text(&engine)), Ok(words));
        }
    }

    #[test]
    fn two_questions_run_beside_each_other_on_any_machine() {
        let engine = engine();
        let (reach, reached) = channel();
        let (release, held) = channel::<()>();
        let first = engine.read(Urgency::Waiting, move |_, _| {
            let _ = reach.send(());
            Ok(held.recv_timeout(PATIENCE).is_ok())
        });
        assert!(reached.recv_timeout(PATIENCE).is_ok());
        // The second one is answered while the first one runs, and only then lets it go.
        let second = engine.read(Urgency::Waiting, move |_, _| {
            let _ = release.send(());
            Ok(())
        });
        assert_eq!(wait(second), Ok(()));
        assert_eq!(wait(first), Ok(true));
    }

    #[test]
    fn who_queues_a_write_does_not_wait_for_it() {
        let engine = engine();
        let (begun, begins) = channel();
        let (release, held) = channel::<()>();
        // Holds the workspace until it is released, and notices nothing.
        let held = engine.read(Urgency::Waiting, move |_, _| {
            let _ = begun.send(());
            let _ = held.recv();
            Ok(())
        });
        assert!(begins.recv_timeout(PATIENCE).is_ok());
        let (made, is_made) = channel();
        engine.write(move |workspace| {
            workspace.set_file("a.rs", "fn g() {}");
            let _ = made.send(());
        });
        // The write waits, and we are here nevertheless.
        assert!(is_made.try_recv().is_err());
        drop(release);
        assert!(is_made.recv_timeout(PATIENCE).is_ok());
        assert_eq!(wait(held), Ok(()));
    }

    #[test]
    fn a_write_overtakes_questions() {
        let engine = engine();
        engine.write(|workspace| workspace.set_file("a.rs", "fn f() {}"));
        let (begun, begins) = channel();
        let running: Vec<_> = (0..8).map(|_| endless(&engine, begun.clone())).collect();
        assert!(begins.recv_timeout(PATIENCE).is_ok());
        engine.write(|workspace| workspace.set_file("a.rs", "fn g() {}"));
        assert_eq!(wait(text(&engine)), Ok("fn g() {}".to_owned()));
        for reading in running {
            assert_eq!(wait(reading), Err(Failure::Overtaken));
        }
    }

    #[test]
    fn a_dropped_question_stops() {
        let engine = engine();
        engine.write(|workspace| workspace.set_file("a.rs", "fn f() {}"));
        let (begun, begins) = channel();
        let (told, ended) = channel();
        let reading = engine.read(Urgency::Waiting, move |analysis, _| {
            let _ = begun.send(());
            let since = Instant::now();
            let mut failure = None;
            while failure.is_none() && since.elapsed() < PATIENCE {
                failure = analysis.hover("a.rs", 0).err();
            }
            let _ = told.send(failure);
            Ok(())
        });
        assert!(begins.recv_timeout(PATIENCE).is_ok());
        drop(reading);
        let failure = ended.recv_timeout(PATIENCE);
        assert_eq!(failure, Ok(Some(visa_analysis::Problem::Cancelled)));
    }

    #[test]
    fn a_dropped_question_stops_on_all_threads() {
        let engine = engine();
        let paths: Vec<String> = (0..50).map(|number| format!("{number}.rs")).collect();
        let files = paths.clone();
        engine.write(move |workspace| {
            workspace.set_files(files.iter().map(|path| (path.as_str(), "fn f() {}")));
        });
        let (begun, begins) = channel();
        let (told, ended) = channel();
        let reading = engine.read(Urgency::Waiting, move |analysis, _| {
            let since = Instant::now();
            let mut cancelled = false;
            while !cancelled && since.elapsed() < PATIENCE {
                let reports = analysis.file_reports(&paths);
                let _ = begun.send(());
                let problem = visa_analysis::Problem::Cancelled;
                // On clones of the snapshot: each has to notice.
                cancelled = reports
                    .iter()
                    .all(|report| report.problems == [problem.clone()]);
            }
            let _ = told.send(cancelled);
            Ok(())
        });
        assert!(begins.recv_timeout(PATIENCE).is_ok());
        drop(reading);
        assert_eq!(ended.recv_timeout(PATIENCE), Ok(true));
    }

    #[test]
    fn a_defect_costs_its_own_question() {
        let engine = engine();
        let reading = engine.read::<()>(Urgency::Waiting, |_, _| std::panic::panic_any("broken"));
        assert_eq!(wait(reading), Err(Failure::Defect("broken".to_owned())));
        let (told, tells) = channel();
        let other = Engine::start(move |what| {
            let _ = told.send(what);
        });
        let other = other.unwrap_or_else(|error| unreachable!("{error}"));
        other.write(|_| std::panic::panic_any("broken too"));
        other.write(|workspace| workspace.set_file("a.rs", "x"));
        assert_eq!(wait(text(&other)), Ok("x".to_owned()));
        assert_eq!(tells.recv_timeout(PATIENCE), Ok("broken too".to_owned()));
    }

    #[test]
    fn the_background_does_not_keep_an_editor_waiting() {
        let engine = engine();
        let (release, held) = channel::<()>();
        let held = std::sync::Arc::new(std::sync::Mutex::new(held));
        let busy: Vec<_> = (0..64)
            .map(|_| {
                let held = std::sync::Arc::clone(&held);
                engine.read(Urgency::Background, move |_, _| {
                    // Until the sender is dropped.
                    let _ = held.lock().map(|held| held.recv());
                    Ok(())
                })
            })
            .collect();
        assert_eq!(wait(text(&engine)), Err(Failure::NoSuchFile));
        drop(release);
        for reading in busy {
            assert_eq!(wait(reading), Ok(()));
        }
    }

    #[test]
    fn questions_of_the_background_run_one_after_the_other() {
        let engine = engine();
        let running = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let readings: Vec<_> = (0..8)
            .map(|_| {
                let running = std::sync::Arc::clone(&running);
                engine.read(Urgency::Background, move |_, _| {
                    let others = running.fetch_add(1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(5));
                    running.fetch_sub(1, Ordering::SeqCst);
                    Ok(others)
                })
            })
            .collect();
        for reading in readings {
            assert_eq!(wait(reading), Ok(0));
        }
    }
}

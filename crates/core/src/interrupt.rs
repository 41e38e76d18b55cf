//! Launches that somebody may want to end: a program that is asked to stop, Ctrl-C in Python.
//!
//! A launch that runs while its caller waits asks now and then, between groups, whether to go on. Work that is queued is not
//! touched: whoever waits for that waits for a limited time ([`Stream::finish_within`](crate::Stream::finish_within)).

use crate::{Error, ErrorKind};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// Whom to ask, and when that was last done.
type Ask = (fn() -> bool, Instant);

thread_local! {
    static ASK: Cell<Option<Ask>> = const { Cell::new(None) };
}

/// How often somebody is asked.
const OFTEN: Duration = Duration::from_millis(50);

/// Runs `work`, whose launches `ask` may end: it is called on this thread, every 50 ms or so, and answers whether to. Such a
/// launch is an [`ErrorKind::Interrupted`]; some of its groups have run and others have not. A group that has begun runs to
/// its end, and what a device has queued does.
pub fn interruptible<R>(ask: fn() -> bool, work: impl FnOnce() -> R) -> R {
    struct Restore(Option<Ask>);
    impl Drop for Restore {
        fn drop(&mut self) {
            ASK.set(self.0);
        }
    }
    let _restore = Restore(ASK.replace(Some((ask, Instant::now()))));
    work()
}

/// For backends whose launches run while the caller waits: asks whether one is to go on.
#[derive(Debug)]
pub struct Interrupt {
    ask: fn() -> bool,
    caller: ThreadId,
    begin: Instant,
    /// Milliseconds from the beginning to the last question.
    asked: AtomicU64,
    is_over: AtomicBool,
}

impl Interrupt {
    /// `None` where nobody wants to end the launches of this thread.
    #[inline]
    pub fn of_this_thread() -> Option<Self> {
        // In the destructor of another thread-local it may have gone.
        ASK.try_with(Cell::get).ok().flatten().map(Self::new)
    }

    #[cold]
    fn new((ask, begin): Ask) -> Self {
        let caller = std::thread::current().id();
        Self { ask, caller, begin, asked: AtomicU64::new(0), is_over: AtomicBool::new(false) }
    }

    /// To be called between groups, on any thread that runs some.
    /// # Errors
    /// [`ErrorKind::Interrupted`] once somebody wants the launch to end. Only the caller's thread asks.
    pub fn check(&self) -> Result<(), Error> {
        let now = self.begin.elapsed().as_millis() as u64;
        let is_time = now >= self.asked.load(Ordering::Relaxed) + OFTEN.as_millis() as u64;
        if is_time && std::thread::current().id() == self.caller {
            self.asked.store(now, Ordering::Relaxed);
            ASK.set(Some((self.ask, Instant::now())));
            if (self.ask)() {
                self.is_over.store(true, Ordering::Relaxed);
            }
        }
        if self.is_over.load(Ordering::Relaxed) { Err(Error::new(ErrorKind::Interrupted)) } else { Ok(()) }
    }
}

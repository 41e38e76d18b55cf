//! A team of threads that run one range of groups together: fork and join in well under a microsecond while hot.
//!
//! The caller is a member; the others are workers, which look out for jobs for a while, and then go: Rayon's threads,
//! which only visit ([`visitors`]), or threads of the team's own, which park ([`own`]). Each member begins with the same
//! share of the range at every launch (so that it finds the pages that it touched first), and whoever is done takes over
//! what others have not begun.
//!
//! Why not a `par_iter`: from a thread outside of Rayon's pool, `install` and `join` cost 10 µs (a sleeping worker is
//! woken twice) against 0.4 µs here, the queue allocates on the heap, and work goes to any worker.
//!
//! Rules, for which README.md beside this file gives the reasons:
//! 1. One job at a time; [`Team::run`] holds the turn from the first to the last instruction of a job.
//! 2. A job on the caller's stack outlives its readers: the caller closes the gate and waits for whoever is inside.
//! 3. The caller never waits for a worker that has not come in: one that sleeps, is busy with other work, or does not
//!    exist any more (in a process that was forked), costs speed, not progress.
//! 4. A launch runs no other work on the calling thread, so that it may be made under a lock of the application.

mod gate;
mod own;
mod shares;
mod visitors;

#[cfg(test)]
mod tests;

use ferrocca_core::backend::Process;
use gate::{Gate, MAX_SEATS, Sight};
use own::OwnThreads;
pub(crate) use shares::MAX_PARTS;
use shares::{Cut, Shares};
use std::any::Any;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::Thread;
use std::time::{Duration, Instant};
use visitors::Visitors;

pub(crate) use visitors::Pool;

/// What the protocol is made of; its model puts loom's in place of these.
mod sync {
    pub(super) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

    /// With the interface that loom can watch.
    pub(super) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(super) fn new(value: T) -> Self {
            Self(std::cell::UnsafeCell::new(value))
        }

        pub(super) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
            read(self.0.get())
        }

        pub(super) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
            write(self.0.get())
        }
    }

    /// One round of waiting, which now and then lets another thread have the core.
    pub(super) fn pause(give_way: bool) {
        if give_way { std::thread::yield_now() } else { std::hint::spin_loop() }
    }
}

/// How long a worker looks out for the next job before it goes: longer than a host's pause between two launches of a
/// time step, shorter than anything that a user would see as a busy machine.
const LOOK_OUT: Duration = Duration::from_micros(50);

/// Brief jobs further apart than this are the caller's alone: by the time a worker that was called has come, the job is
/// over, and when the next one begins the worker has gone again.
const PAUSE: Duration = Duration::from_micros(500);

/// Rounds of looking out between two looks at the clock, and at what else there is to do.
const ROUNDS: u32 = 64;

/// Stack of a worker that is ours. Kernels keep shared arrays there, as they do on the main thread's stack of the same size.
const STACK_BYTES: usize = 8 << 20;

/// Most threads of a team.
pub(crate) const MAX_THREADS: usize = MAX_SEATS;

/// What the members run; the range is never empty.
type Body<'a> = dyn Fn(Range<u64>) + Sync + 'a;

/// One job, valid while it is open or somebody is inside.
#[derive(Clone, Copy)]
struct Job {
    body: *const Body<'static>,
    cut: Cut,
}

// SAFETY: the pointer is to a `Sync` body, which any thread may call.
unsafe impl Send for Job {}

struct Shared {
    gate: Gate<Job>,
    shares: Shares,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// A body has panicked; spares the look into `panic`.
    panicked: AtomicBool,
    /// The team's own threads by their seats, 0 for none of them; empty where Rayon's visit.
    own: Box<[std::sync::OnceLock<Thread>]>,
}

/// What the caller of a job knows, which the next one inherits.
struct Turn {
    /// Number of the last job.
    number: u64,
    /// The workers that a job of so many members and this caller wants have been here, and nobody has left since.
    complete: Option<(usize, usize)>,
    /// When the last brief job began that called nobody, though somebody was absent.
    alone: Option<Instant>,
}

enum Crew {
    Own(OwnThreads),
    Visitors(Visitors),
}

/// The threads of a device.
pub(crate) struct Team {
    /// Not dropped in a child of the process.
    crew: ManuallyDrop<Crew>,
    turn: Mutex<Turn>,
    shared: Arc<Shared>,
    /// Where the threads are.
    process: Process,
}

impl Team {
    /// A team of 2 to [`MAX_THREADS`] members, of which the caller of [`run`](Self::run) is one and the others are threads
    /// of the team's own.
    pub(crate) fn own(threads: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::new(threads, threads));
        let crew = OwnThreads::start(&shared, threads)?;
        Ok(Self::of(Crew::Own(crew), shared))
    }

    /// A team whose members are the caller and threads of a pool of Rayon's, as many as [`Pool::members`] says.
    pub(crate) fn in_pool(pool: Pool) -> Self {
        let shared = Arc::new(Shared::new(pool.members(), 0));
        Self::of(Crew::Visitors(Visitors::of(pool, &shared)), shared)
    }

    fn of(crew: Crew, shared: Arc<Shared>) -> Self {
        Self {
            crew: ManuallyDrop::new(crew),
            turn: Mutex::new(Turn { number: 0, complete: None, alone: None }),
            shared,
            process: Process::current(),
        }
    }

    /// Members, the caller included.
    pub(crate) fn threads(&self) -> usize {
        self.shared.shares.members()
    }

    /// Runs `body` over a partition of `0..total`, on at most `members` threads, and returns when all of it is done.
    /// Member `i` begins with the `i`-th of `members` equal shares, which is cut into `parts`, at most [`MAX_PARTS`].
    ///
    /// # Panics
    /// With the panic of a body, after every member has left.
    pub(crate) fn run(&self, total: u64, members: usize, parts: u64, body: &Body<'_>) {
        self.share(total, members, parts, false, body);
    }

    /// As [`run`](Self::run), for a job that the caller has done before a worker could come that is not here: after a
    /// pause nobody is called for the first one.
    pub(crate) fn run_brief(&self, total: u64, members: usize, parts: u64, body: &Body<'_>) {
        self.share(total, members, parts, true, body);
    }

    fn share(&self, total: u64, members: usize, parts: u64, is_brief: bool, body: &Body<'_>) {
        let members = (members.min(self.threads()) as u64).min(total);
        if members <= 1 {
            if total > 0 {
                body(0..total);
            }
            return;
        }
        let shared = &*self.shared;
        let worker = match &*self.crew {
            Crew::Own(_) => None,
            Crew::Visitors(visitors) => visitors.seat_of_this_thread(shared),
        };
        let mut turn = self.take_turn(worker);
        // A worker keeps its share where the job is large enough to have one for it.
        let seat = worker.filter(|&seat| (seat as u64) < members).unwrap_or(0);
        turn.number += 1;
        let parts = parts.clamp(1, MAX_PARTS.min(total / members));
        let cut = Cut { number: turn.number, total, members, parts };
        // SAFETY: only the lifetime is erased, and this frame stays until `close` has seen everybody leave (rule 2).
        let body: *const Body<'static> = unsafe { std::mem::transmute(std::ptr::from_ref(body)) };
        let job = Job { body, cut };
        // SAFETY: this thread has the turn until the end of this function, which closes the gate whatever happens.
        let somebody_left = unsafe { shared.gate.open(job, members as usize, seat) };
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let known = turn.complete.is_some_and(|(most, caller)| caller == seat && members as usize <= most);
            if somebody_left || !known {
                self.call_absent(&mut turn, members as usize, seat, is_brief);
            }
            shared.take_part(seat, &job);
        }));
        shared.gate.close();
        let panic = outcome.err().or_else(|| shared.take_panic());
        drop(turn);
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    /// Calls the workers that a job wants and that are not here.
    #[cold]
    fn call_absent(&self, turn: &mut Turn, members: usize, caller: usize, is_brief: bool) {
        let reached = match &*self.crew {
            Crew::Own(_) => members,
            Crew::Visitors(visitors) => members.min(visitors.reach()),
        };
        let absent = self.shared.gate.absent(reached, caller);
        turn.complete = (absent.seats == 0).then_some((members, caller));
        if absent.seats == 0 {
            return;
        }
        // Asking would take locks that threads of the parent may have held.
        if self.process.is_forked() {
            return;
        }
        if is_brief && turn.alone.replace(Instant::now()).is_none_or(|last| last.elapsed() >= PAUSE) {
            return;
        }
        match &*self.crew {
            Crew::Own(_) => self.shared.wake_below(0, members),
            Crew::Visitors(visitors) => visitors.summon(&self.shared, &absent),
        }
    }

    /// Waits until no other job is open. A worker of the pool takes part in that one instead, for a while.
    fn take_turn(&self, worker: Option<usize>) -> MutexGuard<'_, Turn> {
        let Some(seat) = worker else {
            return self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        };
        let (mut seen, mut rounds, mut begin) = (None, 0_u32, None);
        loop {
            match self.turn.try_lock() {
                Ok(turn) => return turn,
                Err(TryLockError::Poisoned(turn)) => return turn.into_inner(),
                Err(TryLockError::WouldBlock) => rounds += 1,
            }
            let epoch = self.shared.gate.epoch();
            if seen != Some(epoch) {
                seen = Some(epoch);
                if self.shared.attend(seat, epoch) {
                    begin = None;
                }
            }
            if rounds.is_multiple_of(ROUNDS) && begin.get_or_insert_with(Instant::now).elapsed() >= LOOK_OUT {
                return self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            }
            std::hint::spin_loop();
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        // In a child that was forked the threads do not exist, and a pool's locks may be held by them for ever.
        if self.process.is_forked() {
            return;
        }
        self.shared.gate.stop();
        // Visitors leave when they see that. Nobody waits for them, because this may be one of the pool's threads; what
        // they still look at is theirs too.
        if let Crew::Own(threads) = &mut *self.crew {
            threads.join();
        }
        // SAFETY: it is dropped here only, and not used afterwards.
        unsafe { ManuallyDrop::drop(&mut self.crew) };
    }
}

impl Shared {
    fn new(members: usize, own: usize) -> Self {
        assert!((2..=MAX_THREADS).contains(&members), "the device has checked the number of threads");
        let job = Job { body: &|_| (), cut: Cut { number: 0, total: 0, members: 0, parts: 0 } };
        Self {
            gate: Gate::new(members, job),
            shares: Shares::new(members),
            panic: Mutex::new(None),
            panicked: AtomicBool::new(false),
            own: (0..own).map(|_| std::sync::OnceLock::new()).collect(),
        }
    }

    /// A worker's time at the gate, from when it has sat down until it has left its seat: because nothing came for as long
    /// as it looks out, because its time is up, because another plays its part, or because the team ended. True when it
    /// went while a job came, which may want somebody in its place.
    fn stay(&self, seat: usize, manners: &mut impl Manners) -> bool {
        let (mut epoch, mut begin) = (self.gate.epoch(), Instant::now());
        loop {
            self.attend(seat, epoch);
            let now = Instant::now();
            // Jobs that are too small for this worker keep it from its own affairs no longer than none would.
            if self.gate.is_wanted(seat) {
                begin = now;
            }
            if manners.must_go(now) {
                return self.gate.go(seat, epoch);
            }
            match self.next_epoch(seat, epoch, begin, manners) {
                Some(next) => epoch = next,
                None => return false,
            }
        }
    }

    /// Waits for an epoch after `seen`; `None` when the worker has left.
    fn next_epoch(&self, seat: usize, seen: u32, mut begin: Instant, manners: &mut impl Manners) -> Option<u32> {
        let mut rounds = 0_u32;
        loop {
            match self.gate.look(seen) {
                Sight::Epoch(epoch) => return Some(epoch),
                Sight::Stopped => {
                    self.gate.stand(seat);
                    return None;
                }
                Sight::Nothing => rounds += 1,
            }
            if rounds < ROUNDS {
                std::hint::spin_loop();
                continue;
            }
            let now = Instant::now();
            if now - begin >= manners.patience(begin) || manners.is_over(now) || self.gate.is_callers(seat) {
                if self.gate.leave(seat, seen) {
                    return None;
                }
            } else if manners.give_way(now - begin) {
                // It had no time to look out.
                begin = Instant::now();
            } else {
                rounds = 0;
            }
        }
    }

    /// Takes part in the job of `epoch`, if it is still open and wants this seat.
    fn attend(&self, seat: usize, epoch: u32) -> bool {
        let Some(job) = self.gate.come_in(seat, epoch) else { return false };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| {
            if !self.own.is_empty() {
                self.wake_below(seat, job.cut.members as usize);
            }
            self.take_part(seat, &job);
        })) {
            *self.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic);
            self.panicked.store(true, Ordering::Release);
        }
        self.gate.go_out();
        true
    }

    fn take_part(&self, seat: usize, job: &Job) {
        // SAFETY: the body outlives the job, and this member is inside of it (rule 2).
        let body = unsafe { &*job.body };
        self.shares.take(seat, &job.cut, body);
    }

    /// Wakes the two of the team's own threads below `seat` in a binary tree, so that a large team is awake after a few
    /// steps.
    fn wake_below(&self, seat: usize, members: usize) {
        for child in [2 * seat + 1, 2 * seat + 2] {
            if child < members
                && !self.gate.is_here(child)
                && let Some(thread) = self.own[child].get()
            {
                thread.unpark();
            }
        }
    }

    /// The panic of a worker's body in the job that was just closed.
    fn take_panic(&self) -> Option<Box<dyn Any + Send>> {
        if !self.panicked.load(Ordering::Acquire) {
            return None;
        }
        self.panicked.store(false, Ordering::Relaxed);
        self.panic.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// How a worker behaves that looks out.
trait Manners {
    /// How long it does when nothing has come since `begin`.
    fn patience(&self, begin: Instant) -> Duration;

    /// What it does for others now and then, `waiting` for so long. True when there was something, and there may be more.
    fn give_way(&mut self, waiting: Duration) -> bool;

    /// Whether its time is up.
    fn is_over(&self, now: Instant) -> bool;

    /// Between two jobs: what it does for others, however busy the team is, and whether its time is up.
    fn must_go(&mut self, now: Instant) -> bool;
}

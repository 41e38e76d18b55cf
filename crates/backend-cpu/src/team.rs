//! A team of threads that run one range of groups together: fork and join in well under a microsecond while hot.
//!
//! Why not Rayon's pool: from a thread outside of it, `install` and `join` cost 10 µs (a sleeping worker is woken twice)
//! against 0.4 µs here, its queue allocates on the heap, and work goes to any worker. Here the caller is member 0, each
//! member begins with the same share of the range at every launch (so that it finds the pages that it touched first),
//! and whoever is done takes over what others have not begun.
//!
//! Rules:
//! 1. One job at a time; [`Team::run`] holds the lock from the first to the last instruction of a job.
//! 2. [`Shared::state`] is (epoch, open bit, number of workers inside). A job is written before its epoch is published
//!    as open; a worker reads it only after it has counted itself in under that epoch; the caller closes the job and
//!    waits until nobody is inside before it returns. So a job on the caller's stack outlives its readers.
//! 3. The caller never waits for a worker that has not come in: a worker that sleeps, or does not exist any more (in a
//!    process that was forked), costs speed, not progress.

use std::any::Any;
use std::cell::UnsafeCell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{JoinHandle, Thread};
use std::time::{Duration, Instant};

/// How long a worker looks out for the next job before it sleeps: longer than a host's pause between two launches of a
/// time step, shorter than anything that a user would see as a busy machine.
const LOOK_OUT: Duration = Duration::from_micros(50);

/// Parts of a member's share: what one member has not begun, another can take.
const PARTS: u64 = 8;

/// Stack of a worker. Kernels keep shared arrays there, as they do on the main thread's stack of the same size.
const STACK_BYTES: usize = 8 << 20;

const OPEN: u64 = 1 << 31;
const INSIDE: u64 = OPEN - 1;

/// What the members run; the range is never empty.
type Body<'a> = dyn Fn(Range<u64>) + Sync + 'a;

/// One job, valid while it is open or somebody is inside.
#[derive(Clone, Copy)]
struct Job {
    body: *const Body<'static>,
    total: u64,
    /// Members that take part, the caller included.
    members: u64,
    /// Parts of each member's share.
    parts: u64,
}

/// Kept on a cache line of its own, because each is written by a different thread.
#[repr(align(128))]
struct Line<T>(T);

struct Member {
    /// Next part of this member's share that nobody has begun.
    next: AtomicU64,
    asleep: AtomicBool,
    thread: OnceLock<Thread>,
}

struct Shared {
    state: Line<AtomicU64>,
    job: UnsafeCell<Job>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    members: Box<[Line<Member>]>,
    stop: AtomicBool,
    look_out: Duration,
}

// SAFETY: `job` is written by the one holder of `Team::lock` while the state is closed and nobody is inside, and read
// by workers that counted themselves in while it was open (rule 2).
unsafe impl Sync for Shared {}
// SAFETY: the pointer in `job` is to a `Sync` body, which any thread may call.
unsafe impl Send for Shared {}

/// The threads of a device.
pub(crate) struct Team {
    shared: Arc<Shared>,
    lock: Mutex<()>,
    workers: Vec<JoinHandle<()>>,
}

impl Team {
    /// A team of `threads` ≥ 1 members, of which the caller of [`run`](Self::run) is one.
    pub(crate) fn new(threads: usize) -> std::io::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // With more threads than cores, one that looks out would keep another from working.
        let look_out = if threads <= cores { LOOK_OUT } else { Duration::ZERO };
        let member =
            || Line(Member { next: AtomicU64::new(0), asleep: AtomicBool::new(false), thread: OnceLock::new() });
        let shared = Arc::new(Shared {
            state: Line(AtomicU64::new(0)),
            job: UnsafeCell::new(Job { body: &|_| (), total: 0, members: 0, parts: 0 }),
            panic: Mutex::new(None),
            members: (0..threads).map(|_| member()).collect(),
            stop: AtomicBool::new(false),
            look_out,
        });
        let mut team = Self { shared, lock: Mutex::new(()), workers: Vec::with_capacity(threads - 1) };
        for index in 1..threads {
            let shared = Arc::clone(&team.shared);
            let builder = std::thread::Builder::new().name(format!("ferrocca-{index}")).stack_size(STACK_BYTES);
            team.workers.push(builder.spawn(move || shared.work(index))?);
        }
        Ok(team)
    }

    /// Members, the caller included.
    pub(crate) fn threads(&self) -> usize {
        self.shared.members.len()
    }

    /// Runs `body` over a partition of `0..total`, on at most `members` threads, and returns when all of it is done.
    /// Member `i` begins with the `i`-th of `members` equal shares.
    ///
    /// # Panics
    /// With the panic of a body, after every member has left.
    pub(crate) fn run(&self, total: u64, members: usize, body: &Body<'_>) {
        let members = (members.min(self.threads()) as u64).min(total);
        if members <= 1 {
            if total > 0 {
                body(0..total);
            }
            return;
        }
        let _one_job = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = &*self.shared;
        // SAFETY: only the lifetime is erased, and this frame stays until `close` has seen everybody leave (rule 2).
        let body: *const Body<'static> = unsafe { std::mem::transmute(std::ptr::from_ref(body)) };
        let job = Job { body, total, members, parts: PARTS.min(total / members) };
        for member in &shared.members[..members as usize] {
            member.0.next.store(0, Ordering::Relaxed);
        }
        // SAFETY: the state is closed, nobody is inside, and the lock is held.
        unsafe { *shared.job.get() = job };
        let epoch = (shared.state.0.load(Ordering::Relaxed) >> 32) + 1;
        // SeqCst here and in `sleep`: either the waker sees `asleep`, or the sleeper sees the epoch.
        shared.state.0.store((epoch << 32) | OPEN, Ordering::SeqCst);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            shared.wake(0, members);
            shared.take_part(0, &job);
        }));
        shared.close();
        let panicked = shared.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(panic) = outcome.err().or(panicked) {
            resume_unwind(panic);
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        for worker in &self.workers {
            worker.thread().unpark();
        }
        for worker in self.workers.drain(..) {
            // A worker catches every panic of a body, so that there is nothing to report.
            let _ = worker.join();
        }
    }
}

impl Shared {
    /// Closes the open job and waits until no worker is inside.
    fn close(&self) {
        self.state.0.fetch_and(!OPEN, Ordering::AcqRel);
        let mut rounds = 0_u32;
        while self.state.0.load(Ordering::Acquire) & INSIDE != 0 {
            rounds += 1;
            // A worker that lost its core in the middle of its part gets this one.
            if rounds.is_multiple_of(1024) { std::thread::yield_now() } else { std::hint::spin_loop() }
        }
    }

    /// A worker's life.
    fn work(&self, index: usize) {
        let _ = self.members[index].0.thread.set(std::thread::current());
        let mut seen = 0;
        while let Some(epoch) = self.next_epoch(index, seen) {
            seen = epoch;
            let Some(job) = self.come_in(index, epoch) else {
                continue;
            };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| {
                self.wake(index as u64, job.members);
                self.take_part(index as u64, &job);
            })) {
                *self.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic);
            }
            self.state.0.fetch_sub(1, Ordering::Release);
        }
    }

    /// Waits for an epoch after `seen`; `None` when the team ends.
    fn next_epoch(&self, index: usize, seen: u64) -> Option<u64> {
        let begin = Instant::now();
        let mut rounds = 0_u32;
        loop {
            let epoch = self.state.0.load(Ordering::Acquire) >> 32;
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            if epoch != seen {
                return Some(epoch);
            }
            rounds += 1;
            if rounds.is_multiple_of(64) && begin.elapsed() >= self.look_out {
                self.sleep(index, seen);
            } else {
                std::hint::spin_loop();
            }
        }
    }

    fn sleep(&self, index: usize, seen: u64) {
        let asleep = &self.members[index].0.asleep;
        asleep.store(true, Ordering::SeqCst);
        if self.state.0.load(Ordering::SeqCst) >> 32 == seen && !self.stop.load(Ordering::SeqCst) {
            std::thread::park();
        }
        asleep.store(false, Ordering::SeqCst);
    }

    /// Wakes the two members below `index` in a binary tree, so that a large team is awake after a few steps.
    fn wake(&self, index: u64, members: u64) {
        for child in [2 * index + 1, 2 * index + 2] {
            if child >= members {
                return;
            }
            let member = &self.members[child as usize].0;
            if member.asleep.load(Ordering::SeqCst)
                && member.asleep.swap(false, Ordering::SeqCst)
                && let Some(thread) = member.thread.get()
            {
                thread.unpark();
            }
        }
    }

    /// Counts the worker in, if the job of `epoch` is still open and wants it.
    fn come_in(&self, index: usize, epoch: u64) -> Option<Job> {
        let mut state = self.state.0.load(Ordering::Acquire);
        loop {
            if state >> 32 != epoch || state & OPEN == 0 {
                return None;
            }
            match self.state.0.compare_exchange_weak(state, state + 1, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => break,
                Err(now) => state = now,
            }
        }
        // SAFETY: this worker is counted in, so that the job is not written until it has left (rule 2).
        let job = unsafe { *self.job.get() };
        if index as u64 >= job.members {
            self.state.0.fetch_sub(1, Ordering::Release);
            return None;
        }
        Some(job)
    }

    /// Runs the member's own share, then what is left of the others'.
    fn take_part(&self, member: u64, job: &Job) {
        // SAFETY: the body outlives the job, and this member is inside of it (rule 2).
        let body = unsafe { &*job.body };
        let parts = job.members * job.parts;
        for step in 0..job.members {
            let owner = (member + step) % job.members;
            let next = &self.members[owner as usize].0.next;
            // The load keeps a line that is exhausted from being written once more.
            while next.load(Ordering::Relaxed) < job.parts {
                let part = next.fetch_add(1, Ordering::Relaxed);
                if part >= job.parts {
                    break;
                }
                let index = owner * job.parts + part;
                body(boundary(job.total, index, parts)..boundary(job.total, index + 1, parts));
            }
        }
    }
}

/// Where part `index` of `parts` begins in `0..total`.
fn boundary(total: u64, index: u64, parts: u64) -> u64 {
    (u128::from(total) * u128::from(index) / u128::from(parts)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(team: &Team, total: u64, members: usize) -> Vec<u64> {
        let hits: Vec<AtomicU64> = (0..total).map(|_| AtomicU64::new(0)).collect();
        team.run(total, members, &|range| {
            assert!(!range.is_empty());
            for index in range {
                hits[index as usize].fetch_add(1, Ordering::Relaxed);
            }
        });
        hits.into_iter().map(AtomicU64::into_inner).collect()
    }

    #[test]
    fn every_index_is_run_once() {
        for threads in [1, 2, 3, 7] {
            let team = Team::new(threads).expect("threads start");
            for total in [0, 1, 2, 3, 15, 16, 17, 1000] {
                for members in [1, 2, threads, threads + 5] {
                    assert_eq!(count(&team, total, members), vec![1; total as usize], "{threads} {total} {members}");
                }
            }
        }
    }

    #[test]
    fn sleeping_members_are_woken_and_many_callers_take_turns() {
        let team = Team::new(3).expect("threads start");
        std::thread::scope(|scope| {
            for caller in 0..4 {
                let team = &team;
                scope.spawn(move || {
                    for round in 0..200 {
                        if (round + caller) % 50 == 0 {
                            std::thread::sleep(LOOK_OUT * 4);
                        }
                        assert_eq!(count(team, 97, 3), vec![1; 97]);
                    }
                });
            }
        });
    }

    #[test]
    fn two_members_are_inside_at_the_same_time() {
        let team = Team::new(2).expect("threads start");
        let inside = AtomicU64::new(0);
        let met = AtomicBool::new(false);
        team.run(2, 2, &|_| {
            inside.fetch_add(1, Ordering::SeqCst);
            let begin = Instant::now();
            while begin.elapsed() < Duration::from_secs(10) && !met.load(Ordering::SeqCst) {
                if inside.load(Ordering::SeqCst) == 2 {
                    met.store(true, Ordering::SeqCst);
                }
                std::thread::yield_now();
            }
        });
        assert!(met.into_inner());
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_team_lives_on() {
        let team = Team::new(2).expect("threads start");
        for bad in [0, 15] {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                team.run(16, 2, &|range| assert!(!range.contains(&bad), "part {bad}"));
            }));
            assert!(outcome.is_err());
            assert_eq!(count(&team, 100, 2), vec![1; 100]);
        }
    }

    #[test]
    fn boundaries_do_not_overflow() {
        assert_eq!(boundary(u64::MAX, 16, 16), u64::MAX);
        assert_eq!(boundary(10, 1, 4), 2);
    }
}

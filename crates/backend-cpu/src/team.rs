//! A team of threads that run one range of groups together: fork and join in well under a microsecond while hot.
//!
//! Why not Rayon's pool: from a thread outside of it, `install` and `join` cost 10 µs (a sleeping worker is woken twice)
//! against 0.4 µs here, its queue allocates on the heap, and work goes to any worker. Here the caller is member 0, each
//! member begins with the same share of the range at every launch (so that it finds the pages that it touched first),
//! and whoever is done takes over what others have not begun.
//!
//! Rules:
//! 1. One job at a time; [`Team::run`] holds the lock from the first to the last instruction of a job.
//! 2. [`Front::state`] is (epoch, open bit, members of the job, number of workers inside). A job is written before its epoch is published
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

/// Most parts of a member's share: what one member has not begun, another can take.
pub(crate) const MAX_PARTS: u64 = 8;

/// Stack of a worker. Kernels keep shared arrays there, as they do on the main thread's stack of the same size.
const STACK_BYTES: usize = 8 << 20;

/// The parts of [`Front::state`], from the low end: workers inside, members of the job, open, epoch.
const INSIDE: u64 = (1 << 16) - 1;
const MEMBERS_AT: u32 = 16;
const MEMBERS: u64 = (1 << 15) - 1;
const OPEN: u64 = 1 << 31;
const EPOCH_AT: u32 = 32;

/// Most threads of a team; both counts above hold it.
pub(crate) const MAX_THREADS: usize = 4096;

/// What the members run; the range is never empty.
type Body<'a> = dyn Fn(Range<u64>) + Sync + 'a;

/// One job, valid while it is open or somebody is inside.
#[derive(Clone, Copy)]
struct Job {
    body: *const Body<'static>,
    /// Counts the jobs of the team.
    number: u64,
    total: u64,
    /// Members that take part, the caller included.
    members: u32,
    /// Parts of each member's share.
    parts: u32,
}

/// Kept on cache lines of its own. What a job costs is the number of lines that travel from core to core.
#[repr(align(128))]
struct Line<T>(T);

/// What a worker looks out for and what it then needs, on one line.
struct Front {
    state: AtomicU64,
    job: UnsafeCell<Job>,
}

struct Member {
    /// `job number · 256 + next part of this member's share that nobody has begun`; with an older job's number it means
    /// part 0, so that the caller need not touch every member's line.
    next: Line<AtomicU64>,
    /// Seldom written, so that everybody has a copy.
    asleep: Line<AtomicBool>,
    thread: OnceLock<Thread>,
}

struct Shared {
    front: Line<Front>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// A body has panicked; spares the look into `panic`.
    panicked: AtomicBool,
    members: Box<[Member]>,
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
    /// A team of 1 to [`MAX_THREADS`] members, of which the caller of [`run`](Self::run) is one.
    pub(crate) fn new(threads: usize) -> std::io::Result<Self> {
        assert!((1..=MAX_THREADS).contains(&threads), "the device has checked the number of threads");
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // With more threads than cores, one that looks out would keep another from working.
        let look_out = if threads <= cores { LOOK_OUT } else { Duration::ZERO };
        let member =
            || Member { next: Line(AtomicU64::new(0)), asleep: Line(AtomicBool::new(false)), thread: OnceLock::new() };
        let job = Job { body: &|_| (), number: 0, total: 0, members: 0, parts: 0 };
        let shared = Arc::new(Shared {
            front: Line(Front { state: AtomicU64::new(0), job: UnsafeCell::new(job) }),
            panic: Mutex::new(None),
            panicked: AtomicBool::new(false),
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
    /// Member `i` begins with the `i`-th of `members` equal shares, which is cut into `parts`, at most [`MAX_PARTS`].
    ///
    /// # Panics
    /// With the panic of a body, after every member has left.
    pub(crate) fn run(&self, total: u64, members: usize, parts: u64, body: &Body<'_>) {
        let members = (members.min(self.threads()) as u64).min(total);
        if members <= 1 {
            if total > 0 {
                body(0..total);
            }
            return;
        }
        let _one_job = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = &*self.shared;
        let Front { state, job: place } = &shared.front.0;
        // SAFETY: only the lifetime is erased, and this frame stays until `close` has seen everybody leave (rule 2).
        let body: *const Body<'static> = unsafe { std::mem::transmute(std::ptr::from_ref(body)) };
        // SAFETY: the state is closed, nobody is inside, and the lock is held.
        let place = unsafe { &mut *place.get() };
        *place = Job {
            body,
            number: place.number + 1,
            total,
            members: members as u32,
            parts: parts.clamp(1, MAX_PARTS.min(total / members)) as u32,
        };
        let job = *place;
        let epoch = (state.load(Ordering::Relaxed) >> EPOCH_AT) + 1;
        // SeqCst here and in `sleep`: either the waker sees `asleep`, or the sleeper sees the epoch.
        state.store((epoch << EPOCH_AT) | OPEN | (members << MEMBERS_AT), Ordering::SeqCst);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            shared.wake(0, &job);
            shared.take_part(0, &job);
        }));
        shared.close();
        let panic = outcome.err().or_else(|| shared.take_panic());
        if let Some(panic) = panic {
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
        self.front.0.state.fetch_and(!OPEN, Ordering::AcqRel);
        let mut rounds = 0_u32;
        while self.front.0.state.load(Ordering::Acquire) & INSIDE != 0 {
            rounds += 1;
            // A worker that lost its core in the middle of its part gets this one.
            if rounds.is_multiple_of(1024) { std::thread::yield_now() } else { std::hint::spin_loop() }
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

    /// A worker's life.
    fn work(&self, index: usize) {
        let _ = self.members[index].thread.set(std::thread::current());
        let mut seen = 0;
        while let Some(epoch) = self.next_epoch(index, seen) {
            seen = epoch;
            let Some(job) = self.come_in(index, epoch) else {
                continue;
            };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| {
                self.wake(index as u64, &job);
                self.take_part(index as u64, &job);
            })) {
                *self.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic);
                self.panicked.store(true, Ordering::Release);
            }
            self.front.0.state.fetch_sub(1, Ordering::Release);
        }
    }

    /// Waits for an epoch after `seen`; `None` when the team ends.
    fn next_epoch(&self, index: usize, seen: u64) -> Option<u64> {
        let begin = Instant::now();
        let mut rounds = 0_u32;
        loop {
            let epoch = self.front.0.state.load(Ordering::Acquire) >> EPOCH_AT;
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
        let asleep = &self.members[index].asleep.0;
        asleep.store(true, Ordering::SeqCst);
        if self.front.0.state.load(Ordering::SeqCst) >> EPOCH_AT == seen && !self.stop.load(Ordering::SeqCst) {
            std::thread::park();
        }
        asleep.store(false, Ordering::SeqCst);
    }

    /// Wakes the two members below `index` in a binary tree, so that a large team is awake after a few steps.
    fn wake(&self, index: u64, job: &Job) {
        for child in [2 * index + 1, 2 * index + 2] {
            if child >= u64::from(job.members) {
                return;
            }
            let Member { asleep, thread, .. } = &self.members[child as usize];
            if asleep.0.load(Ordering::SeqCst)
                && asleep.0.swap(false, Ordering::SeqCst)
                && let Some(thread) = thread.get()
            {
                thread.unpark();
            }
        }
    }

    /// Counts the worker in, if the job of `epoch` is still open and wants it.
    fn come_in(&self, index: usize, epoch: u64) -> Option<Job> {
        let mut state = self.front.0.state.load(Ordering::Acquire);
        loop {
            let wanted = (index as u64) < (state >> MEMBERS_AT) & MEMBERS;
            if state >> EPOCH_AT != epoch || state & OPEN == 0 || !wanted {
                return None;
            }
            match self.front.0.state.compare_exchange_weak(state, state + 1, Ordering::AcqRel, Ordering::Acquire) {
                // SAFETY: this worker is counted in, so that the job is not written until it has left (rule 2).
                Ok(_) => return Some(unsafe { *self.front.0.job.get() }),
                Err(now) => state = now,
            }
        }
    }

    /// Runs the member's own share, then what is left of the others'.
    fn take_part(&self, member: u64, job: &Job) {
        // SAFETY: the body outlives the job, and this member is inside of it (rule 2).
        let body = unsafe { &*job.body };
        let (members, parts) = (u64::from(job.members), u64::from(job.parts));
        for step in 0..members {
            let owner = (member + step) % members;
            while let Some(part) = self.next_part(owner, job) {
                let (index, all) = (owner * parts + part, members * parts);
                body(boundary(job.total, index, all)..boundary(job.total, index + 1, all));
            }
        }
    }

    /// Takes the next part of a member's share, if there is one left.
    fn next_part(&self, owner: u64, job: &Job) -> Option<u64> {
        let next = &self.members[owner as usize].next.0;
        let mut seen = next.load(Ordering::Relaxed);
        loop {
            let part = if seen >> 8 == job.number { seen & 0xff } else { 0 };
            if part >= u64::from(job.parts) {
                return None;
            }
            let taken = (job.number << 8) | (part + 1);
            // What a part works on is ordered by the state: at the job's publication and when its members leave.
            match next.compare_exchange_weak(seen, taken, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(part),
                Err(now) => seen = now,
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

    fn count(team: &Team, total: u64, members: usize, parts: u64) -> Vec<u64> {
        let hits: Vec<AtomicU64> = (0..total).map(|_| AtomicU64::new(0)).collect();
        team.run(total, members, parts, &|range| {
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
                for (members, parts) in [(1, 1), (2, 3), (threads, 1), (threads + 5, 1000)] {
                    assert_eq!(
                        count(&team, total, members, parts),
                        vec![1; total as usize],
                        "{threads} {total} {members}"
                    );
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
                        assert_eq!(count(team, 97, 3, 4), vec![1; 97]);
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
        team.run(2, 2, 1, &|_| {
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
                team.run(16, 2, 8, &|range| assert!(!range.contains(&bad), "part {bad}"));
            }));
            assert!(outcome.is_err());
            assert_eq!(count(&team, 100, 2, 2), vec![1; 100]);
        }
    }

    #[test]
    fn a_member_that_was_left_out_for_long_has_its_whole_share() {
        let team = Team::new(3).expect("threads start");
        for round in 0..3000 {
            let members = if round % 257 == 0 { 3 } else { 2 };
            assert_eq!(count(&team, 24, members, 1 + round % 8), vec![1; 24], "{round}");
        }
    }

    #[test]
    fn boundaries_do_not_overflow() {
        assert_eq!(boundary(u64::MAX, 16, 16), u64::MAX);
        assert_eq!(boundary(10, 1, 4), 2);
    }
}

//! Rayon's threads as workers: each visits when it is summoned, and goes back to Rayon where it would park.
//!
//! Politeness: who looks out runs what Rayon has to do; who sits on top of frames of the application's (a visit begins
//! wherever Rayon looks for work, also while a `join` waits) stays for a short while only; and nobody stays for ever.

use super::gate::Absent;
use super::{LOOK_OUT, Manners, STACK_BYTES, Shared};
use rayon::{BroadcastContext, ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder, Yield};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long a visit lasts that has nothing of the application's beneath it, however busy the team is. A bound, because that
/// there is nothing is only very likely; so long that a loop of launches does not notice the summons between two visits.
const LONG_STAY: Duration = Duration::from_secs(1);

/// How long any other visit lasts: what lies beneath it may be waited for.
const SHORT_STAY: Duration = Duration::from_millis(1);

/// When another may take the seat of a thread that has not answered: it is busy, not on its way.
const LATE: Duration = Duration::from_millis(1);

/// How long a busy visitor leaves what Rayon has to do to others.
const BUSY: Duration = Duration::from_micros(100);

/// A pool of Rayon's that has workers for a team.
pub(crate) enum Pool {
    /// The one that the calling thread belongs to, else the global one, as for any call of Rayon's.
    Current,
    /// The application's.
    Shared(Arc<ThreadPool>),
    /// The team's, with a thread for each member but the caller.
    Private(ThreadPool),
}

impl Pool {
    /// A pool for a team of `members`, at least 2.
    pub(crate) fn private(members: usize) -> Result<Self, ThreadPoolBuildError> {
        let builder = ThreadPoolBuilder::new().num_threads(members - 1).stack_size(STACK_BYTES);
        Ok(Self::Private(builder.thread_name(|index| format!("ferrocca-{}", index + 1)).build()?))
    }

    /// Members of a team in this pool: its threads, one of whose parts the caller plays where it is none of them.
    pub(crate) fn members(&self) -> usize {
        self.threads() + self.first_seat()
    }

    fn threads(&self) -> usize {
        match self {
            Self::Current => rayon::current_num_threads(),
            Self::Shared(pool) => pool.current_num_threads(),
            Self::Private(pool) => pool.current_num_threads(),
        }
    }

    /// The seat of the pool's first thread.
    fn first_seat(&self) -> usize {
        usize::from(matches!(self, Self::Private(_)))
    }

    /// The index of the calling thread, where it is one of the pool's.
    fn index(&self) -> Option<usize> {
        match self {
            Self::Current => rayon::current_thread_index(),
            Self::Shared(pool) => pool.current_thread_index(),
            // It runs nothing but visits, which make no launches.
            Self::Private(_) => None,
        }
    }

    fn spawn_broadcast(&self, job: impl Fn(usize) + Send + Sync + 'static) {
        let job = move |context: BroadcastContext<'_>| job(context.index());
        match self {
            Self::Current => rayon::spawn_broadcast(job),
            Self::Shared(pool) => pool.spawn_broadcast(job),
            Self::Private(pool) => pool.spawn_broadcast(job),
        }
    }

    fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        match self {
            Self::Current => rayon::spawn(job),
            Self::Shared(pool) => pool.spawn(job),
            Self::Private(pool) => pool.spawn(job),
        }
    }
}

/// The workers of a team in a pool.
pub(super) struct Visitors {
    pool: Pool,
    host: Arc<Host>,
}

/// What visits have in common.
struct Host {
    first_seat: usize,
    /// More threads than cores: then who looks out lets others have the core.
    is_crowded: bool,
    /// Turns of looking out ([`super::ROUNDS`]) for each look for work of Rayon's: with many threads that one takes longer,
    /// because it looks into each one's queue.
    turns: usize,
    /// Visits that were spawned for whoever comes first, and have not begun.
    strays: AtomicUsize,
}

impl Visitors {
    /// The workers of `pool`, which are asked in once, so that Rayon has started its threads when the first job comes.
    pub(super) fn of(pool: Pool, shared: &Arc<Shared>) -> Self {
        let threads = pool.threads();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let host = Host {
            first_seat: pool.first_seat(),
            is_crowded: threads > cores,
            turns: (threads / 8).max(1),
            strays: AtomicUsize::new(0),
        };
        let visitors = Self { pool, host: Arc::new(host) };
        visitors.summon(shared, &Absent { seats: threads, uncalled: threads }, &mut Instant::now());
        visitors
    }

    /// The seat of the calling thread, where it is one of the pool's.
    pub(super) fn seat_of_this_thread(&self) -> Option<usize> {
        self.pool.index()
    }

    /// Seats below this one can be summoned from here.
    pub(super) fn reach(&self) -> usize {
        self.pool.members()
    }

    /// Asks the pool's threads in, of which some are absent; `called` is when that was done last.
    pub(super) fn summon(&self, shared: &Arc<Shared>, absent: &Absent, called: &mut Instant) {
        let (shared, host) = (Arc::clone(shared), Arc::clone(&self.host));
        if shared.gate.call(self.pool.first_seat()..self.pool.members().min(shared.shares.members())) {
            *called = Instant::now();
            self.pool.spawn_broadcast(move |index| host.receive(&shared, index));
            return;
        }
        // Not every thread has answered. Another broadcast would only lie in the queues of the busy ones too, so that those
        // who have time are asked, whoever they are.
        let wanted = if called.elapsed() >= LATE { absent.seats } else { absent.uncalled };
        for _ in self.host.strays.load(Ordering::Relaxed)..wanted {
            self.host.strays.fetch_add(1, Ordering::Relaxed);
            let (shared, host) = (Arc::clone(&shared), Arc::clone(&host));
            self.pool.spawn(move || host.receive_stray(&shared));
        }
    }
}

thread_local! {
    /// The teams that this thread is visiting, the one within the other: who looks out may run a visit to another team.
    static VISITING: RefCell<Vec<*const Shared>> = const { RefCell::new(Vec::new()) };

    /// The highest address of a frame at which a visit to which every thread was asked began on this thread's stack (which
    /// grows downwards). A visit that begins there has nothing but Rayon's own loop beneath it.
    static OUTERMOST: Cell<usize> = const { Cell::new(0) };
}

impl Host {
    /// A visit to which every thread of the pool was asked.
    #[inline(never)]
    fn receive(&self, shared: &Shared, index: usize) {
        let here = 0_u8;
        let address = std::ptr::from_ref(std::hint::black_box(&here)).addr();
        let outermost = OUTERMOST.get().max(address);
        OUTERMOST.set(outermost);
        let stay = if address == outermost { LONG_STAY } else { SHORT_STAY };

        let seat = index + self.first_seat;
        if seat >= shared.shares.members() {
            return;
        }
        // The newest job may be too small for this thread, or its caller plays this thread's part.
        let has_come = shared.gate.is_wanted(seat) && shared.gate.sit(seat);
        shared.gate.answer(seat);
        if has_come {
            self.visit(shared, seat, stay);
        }
    }

    /// A visit to which anybody was asked: in the thread's own seat if it is wanted and empty, else in one that is.
    fn receive_stray(&self, shared: &Shared) {
        self.strays.fetch_sub(1, Ordering::Relaxed);
        let is_visiting = VISITING.with_borrow(|teams| teams.contains(&std::ptr::from_ref(shared)));
        if is_visiting {
            return;
        }
        let own = rayon::current_thread_index().map(|index| index + self.first_seat);
        let own = own.filter(|&seat| shared.gate.is_wanted(seat) && !shared.gate.is_here(seat));
        if let Some(seat) = own.or_else(|| shared.gate.empty_seat())
            && shared.gate.sit(seat)
        {
            self.visit(shared, seat, SHORT_STAY);
        }
    }

    fn visit(&self, shared: &Shared, seat: usize, stay: Duration) {
        VISITING.with_borrow_mut(|teams| teams.push(std::ptr::from_ref(shared)));
        let now = Instant::now();
        shared.stay(seat, &mut Visitor { host: self, until: now + stay, turns: 0, yielded: now });
        VISITING.with_borrow_mut(Vec::pop);
    }
}

struct Visitor<'a> {
    host: &'a Host,
    until: Instant,
    turns: usize,
    /// When Rayon's work was looked for last.
    yielded: Instant,
}

impl Manners for Visitor<'_> {
    fn patience(&self) -> Duration {
        LOOK_OUT
    }

    fn give_way(&mut self) -> bool {
        if self.host.is_crowded {
            std::thread::yield_now();
        }
        self.turns += 1;
        // What was spawned for somebody who is not here yet is not for this thread to find.
        if self.turns < self.host.turns || self.host.strays.load(Ordering::Relaxed) > 0 {
            return false;
        }
        self.turns = 0;
        // Not only what is in this thread's own queue (`yield_local`): a `par_iter` of the application's begins in the
        // pool's queue, and is spread by those who steal.
        rayon::yield_now() == Some(Yield::Executed)
    }

    fn must_go(&mut self, now: Instant) -> bool {
        if now - self.yielded >= BUSY {
            self.yielded = now;
            let _ = rayon::yield_now();
        }
        now >= self.until
    }
}

//! Rayon's threads as workers: each visits when it is summoned, and goes back to Rayon where it would park.
//!
//! Politeness: who looks out runs what Rayon has to do; who sits on top of frames of the application's (a visit begins
//! wherever Rayon looks for work, also while a `join` waits) stays for a short while only; and nobody stays for ever.

use super::gate::{Absent, Gate};
use super::{Job, LOOK_OUT, Manners, STACK_BYTES, Shared};
use rayon::{BroadcastContext, ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder, Yield};
use std::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::LocalKey;
use std::time::{Duration, Instant};

/// How long a visit lasts that has nothing of the application's beneath it, however busy the team is. A bound, because that
/// there is nothing is only very likely; so long that a loop of launches does not notice the summons between two visits.
const LONG_STAY: Duration = Duration::from_secs(1);

/// How long any other visit lasts: what lies beneath it may be waited for.
const SHORT_STAY: Duration = Duration::from_millis(1);

/// When another may take the seat of a thread that has not answered: it is busy, not on its way.
const LATE: Duration = Duration::from_millis(1);

/// How long a busy visitor leaves what Rayon has to do to others. Each look costs the job that is next a third of a
/// microsecond, and there are many visitors.
const BUSY: Duration = Duration::from_millis(1);

/// A visitor that was busy for long looks out for longer: a sixteenth of that time, and no more than this. So a loop of
/// launches goes on without a summons when its caller loses the core for a moment.
const LONG_LOOK_OUT: Duration = Duration::from_millis(1);

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
    /// When all threads were asked in last.
    called: Mutex<Instant>,
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
            called: Mutex::new(Instant::now()),
        };
        let visitors = Self { pool, host: Arc::new(host) };
        if visitors.host.call_all(shared) {
            let (shared, host) = (Arc::clone(shared), Arc::clone(&visitors.host));
            visitors.pool.spawn_broadcast(move |index| host.receive(&shared, index));
        }
        visitors
    }

    /// The seat of the calling thread, where it is one of the pool's. One that runs a task of the application's while it
    /// visits has the seat in which it sits: else it would wait for itself there, and nobody would be asked to come.
    pub(super) fn seat_of_this_thread(&self, shared: &Shared) -> Option<usize> {
        let index = self.pool.index()?;
        Some(seat_taken_in(shared).unwrap_or(index))
    }

    /// Seats below this one can be summoned from here.
    pub(super) fn reach(&self) -> usize {
        self.pool.members()
    }

    /// Asks for workers, of whom some are absent: one, who asks for the others, so that the caller goes on.
    pub(super) fn summon(&self, shared: &Arc<Shared>, absent: &Absent) {
        let most = self.host.wanted(absent);
        if most > 0 && shared.gate.request(1) {
            let (shared, host, sender) = (Arc::clone(shared), Arc::clone(&self.host), self.pool.index());
            self.pool.spawn(move || host.receive_request(&shared, sender, most));
        }
    }
}

thread_local! {
    /// The teams that this thread is visiting, and in which seats, the one within the other: who looks out may run a visit
    /// to another team.
    static VISITING: RefCell<Vec<(*const Shared, usize)>> = const { RefCell::new(Vec::new()) };

    /// The highest address of a frame at which a visit to which every thread was asked began on this thread's stack (which
    /// grows downwards). A visit that begins there has nothing but Rayon's own loop beneath it.
    static OUTERMOST: Cell<usize> = const { Cell::new(0) };

    /// The same of visits that began with a request.
    static OUTERMOST_REQUEST: Cell<usize> = const { Cell::new(0) };
}

/// The seat in which this thread visits a team, if it does.
fn seat_taken_in(team: &Shared) -> Option<usize> {
    let seat = |teams: &Vec<(*const Shared, usize)>| {
        teams.iter().find(|(visited, _)| std::ptr::eq(*visited, team)).map(|&(_, seat)| seat)
    };
    // A thread that is ending visits nobody.
    VISITING.try_with(|teams| seat(&teams.borrow())).ok().flatten()
}

/// How long a visit may last that begins in a frame at this address.
fn stay_at(address: usize, outermost: &'static LocalKey<Cell<usize>>) -> Duration {
    outermost.set(outermost.get().max(address));
    if address == outermost.get() { LONG_STAY } else { SHORT_STAY }
}

impl Host {
    /// Notes that all threads of the pool are called, if every earlier call is answered.
    fn call_all(&self, shared: &Shared) -> bool {
        let is_called = shared.gate.call(self.first_seat..shared.shares.members());
        if is_called {
            *self.called.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        }
        is_called
    }

    /// How many workers to ask for. Who was called may be on the way; after a while that is busy, and another may come.
    fn wanted(&self, absent: &Absent) -> usize {
        let is_late = || self.called.lock().unwrap_or_else(PoisonError::into_inner).elapsed() >= LATE;
        if absent.seats > absent.uncalled && is_late() { absent.seats } else { absent.uncalled }
    }

    /// A visit to which every thread of the pool was asked.
    #[inline(never)]
    fn receive(self: &Arc<Self>, shared: &Arc<Shared>, index: usize) {
        let here = 0_u8;
        let stay = stay_at(std::ptr::from_ref(std::hint::black_box(&here)).addr(), &OUTERMOST);
        let seat = index + self.first_seat;
        if seat >= shared.shares.members() {
            return;
        }
        // The newest job may be too small for this thread, or its caller plays this thread's part.
        let come = || shared.gate.is_wanted(seat) && shared.gate.sit(seat);
        let has_come = come();
        shared.gate.answer(seat);
        // Another may have begun before the answer, whose caller saw that this thread was called already.
        if has_come || come() {
            self.visit(shared, seat, stay);
        }
    }

    /// A visit to which anybody was asked, for `most` workers in all: who comes takes the seat of its own if it is wanted
    /// and empty, and sends two others for half of the rest each, so that requests end though somebody never comes. Who
    /// has no such seat asks every thread to take its own. Where some have not answered the last such call, and where
    /// there is one seat only, it takes another's.
    #[inline(never)]
    fn receive_request(self: &Arc<Self>, shared: &Arc<Shared>, sender: Option<usize>, most: usize) {
        let here = 0_u8;
        let stay = stay_at(std::ptr::from_ref(std::hint::black_box(&here)).addr(), &OUTERMOST_REQUEST);
        let gate = &shared.gate;
        let is_asked_again = gate.accept();
        let most = if is_asked_again { usize::MAX } else { most };
        let thread = rayon::current_thread_index();
        let reach = rayon::current_num_threads() + self.first_seat;
        let wanted = || self.wanted(&gate.missing(reach));
        if gate.is_stopped() || wanted() == 0 {
            return;
        }
        if seat_taken_in(shared).is_some() {
            // It was for somebody else.
            return self.send_for(shared, wanted().min(most));
        }
        let own = thread.map(|index| index + self.first_seat);
        let own = own.filter(|&seat| gate.is_wanted(seat) && !gate.is_here(seat));
        // A caller that finds its own request has ended its launch; but the request may stand for another's by now.
        if own.is_none() && !is_asked_again && sender.is_some() && thread == sender {
            return;
        }
        let is_a_pair = shared.shares.members() == 2;
        if own.is_none() && !is_a_pair && self.call_all(shared) {
            let (shared, host) = (Arc::clone(shared), Arc::clone(self));
            rayon::spawn_broadcast(move |context| host.receive(&shared, context.index()));
            return;
        }
        if let Some(seat) = own.or_else(|| gate.empty_seat())
            && gate.sit(seat)
        {
            let rest = wanted().min(most - 1);
            self.send_for(shared, rest.div_ceil(2));
            self.send_for(shared, rest / 2);
            self.visit(shared, seat, stay);
        }
    }

    /// Asks for `most` more workers, from a thread of the pool. It may accept the request itself when its visit is over.
    fn send_for(self: &Arc<Self>, shared: &Arc<Shared>, most: usize) {
        if most > 0 && shared.gate.request(usize::MAX) {
            let (shared, host) = (Arc::clone(shared), Arc::clone(self));
            rayon::spawn(move || host.receive_request(&shared, None, most));
        }
    }

    fn visit(self: &Arc<Self>, shared: &Arc<Shared>, seat: usize, stay: Duration) {
        VISITING.with_borrow_mut(|teams| teams.push((Arc::as_ptr(shared), seat)));
        let now = Instant::now();
        let visitor = &mut Visitor { host: self, gate: &shared.gate, begin: now, stay, turns: 0, yielded: now };
        let is_missed = shared.stay(seat, visitor);
        VISITING.with_borrow_mut(Vec::pop);
        if is_missed {
            // Whoever accepts it, and be it this thread, begins a new visit.
            self.send_for(shared, self.wanted(&shared.gate.missing(shared.shares.members())));
        }
    }
}

struct Visitor<'a> {
    host: &'a Host,
    gate: &'a Gate<Job>,
    begin: Instant,
    stay: Duration,
    turns: usize,
    /// When Rayon's work was looked for last.
    yielded: Instant,
}

impl Manners for Visitor<'_> {
    fn patience(&self, begin: Instant) -> Duration {
        let was_busy = begin.saturating_duration_since(self.begin);
        if self.stay == LONG_STAY { (was_busy / 16).clamp(LOOK_OUT, LONG_LOOK_OUT) } else { LOOK_OUT }
    }

    fn give_way(&mut self, waiting: Duration) -> bool {
        if self.host.is_crowded || waiting >= LOOK_OUT {
            std::thread::yield_now();
        }
        self.turns += 1;
        // A request is for somebody who is not here yet.
        if self.turns < self.host.turns || self.gate.has_requests() {
            return false;
        }
        self.turns = 0;
        // Not only what is in this thread's own queue (`yield_local`): a `par_iter` of the application's begins in the
        // pool's queue, and is spread by those who steal.
        rayon::yield_now() == Some(Yield::Executed)
    }

    fn is_over(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.begin) >= self.stay
    }

    fn must_go(&mut self, now: Instant) -> bool {
        if now - self.yielded >= BUSY {
            self.yielded = now;
            let _ = rayon::yield_now();
        }
        self.is_over(now)
    }
}

//! The protocol between the caller of a job and the workers that may take part in it. README.md beside this file says
//! why it holds; `tests/protocol.rs` has loom try every order of its steps.
//!
//! Not here: what a job is, how a worker is called, how long it stays.

use super::sync::{AtomicU32, AtomicU64, Ordering, UnsafeCell, pause};
use std::ops::Range;

/// The parts of [`Gate::state`], from the low end: workers inside, seats that the job wants, whether somebody has left
/// since the last job was opened, whether the team has ended, whether the job is open, the job's epoch.
const INSIDE: u64 = (1 << 16) - 1;
const MEMBERS_AT: u32 = 16;
const MEMBERS: u64 = (1 << 13) - 1;
const LEFT: u64 = 1 << 29;
const STOPPED: u64 = 1 << 30;
const OPEN: u64 = 1 << 31;
const EPOCH_AT: u32 = 32;

/// In [`Gate::requests`]: a caller would have made one, and found one.
const ASKED_AGAIN: u32 = 1 << 31;

/// Most seats; [`MEMBERS`] holds it.
pub(crate) const MAX_SEATS: usize = 4096;

/// Kept on cache lines of its own. What a job costs is the number of lines that travel from core to core.
#[repr(align(128))]
pub(crate) struct Line<T>(pub(crate) T);

/// One place where jobs of type `J` are offered, one at a time, to workers that each have a seat.
pub(crate) struct Gate<J> {
    front: Line<Front<J>>,
    /// A bit for each seat whose worker looks out for jobs.
    here: Box<[Line<AtomicU64>]>,
    /// A bit for each seat whose worker was called and has not answered yet.
    called: Box<[AtomicU64]>,
    /// Requests to whoever has time, which nobody has accepted yet, and [`ASKED_AGAIN`].
    requests: AtomicU32,
}

/// What a worker looks out for and what it then needs, on one line.
struct Front<J> {
    state: AtomicU64,
    /// The seat of the job's caller, which no worker takes meanwhile.
    caller: AtomicU32,
    job: UnsafeCell<J>,
}

// SAFETY: `job` is written by the one caller of `open` while the job is closed and nobody is inside, and read by workers
// that counted themselves in while it was open.
unsafe impl<J: Send> Sync for Gate<J> {}

/// What a worker sees that looks out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// The epoch that it knows.
    Nothing,
    /// Another one.
    Epoch(u32),
    /// The end of the team.
    Stopped,
}

/// Which of the seats that a job wants have no worker.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Absent {
    /// Seats without one.
    pub(crate) seats: usize,
    /// Those of them whose worker was not even called.
    pub(crate) uncalled: usize,
}

impl<J: Copy> Gate<J> {
    /// A closed gate with `seats` empty seats, at most [`MAX_SEATS`]. `job` is never run.
    pub(crate) fn new(seats: usize, job: J) -> Self {
        let words = seats.div_ceil(64);
        Self {
            front: Line(Front { state: AtomicU64::new(0), caller: AtomicU32::new(0), job: UnsafeCell::new(job) }),
            here: (0..words).map(|_| Line(AtomicU64::new(0))).collect(),
            called: (0..words).map(|_| AtomicU64::new(0)).collect(),
            requests: AtomicU32::new(0),
        }
    }

    // The caller's side.

    /// Opens a job for the seats below `members`, of which `caller` is the calling thread's. True when a worker has left
    /// since the last job was opened: then who is here must be looked at anew.
    ///
    /// # Safety
    /// One thread at a time is between `open` and the end of the next [`close`](Self::close), and what `job` refers to
    /// lives until then.
    pub(crate) unsafe fn open(&self, job: J, members: usize, caller: usize) -> bool {
        let Front { state, caller: seat, job: place } = &self.front.0;
        // SAFETY: the gate is closed, nobody is inside, and nobody else opens it.
        place.with_mut(|place| unsafe { *place = job });
        seat.store(caller as u32, Ordering::Relaxed);
        let epoch = (state.load(Ordering::Relaxed) >> EPOCH_AT) + 1;
        // One exchange that both publishes the job and learns who has left: no fence is needed between the two.
        let before = state.swap((epoch << EPOCH_AT) | OPEN | ((members as u64) << MEMBERS_AT), Ordering::AcqRel);
        before & LEFT != 0
    }

    /// Closes the open job and waits until no worker is inside.
    pub(crate) fn close(&self) {
        let state = &self.front.0.state;
        let mut inside = state.fetch_and(!OPEN, Ordering::AcqRel) & INSIDE;
        let mut rounds = 0_u32;
        while inside != 0 {
            rounds += 1;
            // A worker that lost its core in the middle of its part gets this one.
            pause(rounds.is_multiple_of(1024));
            inside = state.load(Ordering::Acquire) & INSIDE;
        }
    }

    /// Whom a job of `members` and this `caller` misses.
    pub(crate) fn absent(&self, members: usize, caller: usize) -> Absent {
        let mut absent = Absent::default();
        for (word, (here, called)) in self.here.iter().zip(&self.called).enumerate() {
            let wanted = bits_below(members, word) & !bit_in(caller, word);
            // In this order: who answers sits down first, so that it is never seen as neither. A change, though it changes
            // nothing, because an answer is one too: whoever answers after this sees the job.
            let called = called.fetch_or(0, Ordering::AcqRel);
            let missing = wanted & !here.0.load(Ordering::Acquire);
            absent.seats += missing.count_ones() as usize;
            absent.uncalled += (missing & !called).count_ones() as usize;
        }
        absent
    }

    /// The same of the newest job, if it could reach the seats below `reach` only.
    pub(crate) fn missing(&self, reach: usize) -> Absent {
        let members = (self.front.0.state.load(Ordering::Acquire) >> MEMBERS_AT & MEMBERS) as usize;
        self.absent(members.min(reach), self.front.0.caller.load(Ordering::Relaxed) as usize)
    }

    /// Notes a request to whoever has time, unless there are `most` already that nobody has accepted: then whoever accepts
    /// the next of them learns that there was another job, and sees it.
    pub(crate) fn request(&self, most: usize) -> bool {
        let has_room = |requests: u32| ((requests & !ASKED_AGAIN) as usize) < most;
        let step = |requests| Some(if has_room(requests) { requests + 1 } else { requests | ASKED_AGAIN });
        self.requests.fetch_update(Ordering::AcqRel, Ordering::Acquire, step).is_ok_and(has_room)
    }

    /// A request was accepted, whose job is looked at afterwards. True when a caller would have made another meanwhile.
    pub(crate) fn accept(&self) -> bool {
        let step = |requests| Some((requests & !ASKED_AGAIN) - 1);
        let before = self.requests.fetch_update(Ordering::AcqRel, Ordering::Acquire, step);
        before.is_ok_and(|before| before & ASKED_AGAIN != 0)
    }

    /// Whether there are requests that nobody has accepted.
    pub(crate) fn has_requests(&self) -> bool {
        self.requests.load(Ordering::Relaxed) > 0
    }

    /// Notes that the workers of `seats` are called, if every earlier call is answered.
    pub(crate) fn call(&self, seats: Range<usize>) -> bool {
        if self.called.iter().any(|called| called.load(Ordering::Acquire) != 0) {
            return false;
        }
        for (word, called) in self.called.iter().enumerate() {
            let bits = bits_below(seats.end, word) & !bits_below(seats.start, word);
            called.fetch_or(bits, Ordering::AcqRel);
        }
        true
    }

    /// Tells every worker to leave for good.
    pub(crate) fn stop(&self) {
        self.front.0.state.fetch_or(STOPPED, Ordering::AcqRel);
    }

    /// Whether it has.
    pub(crate) fn is_stopped(&self) -> bool {
        self.front.0.state.load(Ordering::Acquire) & STOPPED != 0
    }

    // A worker's side.

    /// Takes a seat, unless somebody has it.
    pub(crate) fn sit(&self, seat: usize) -> bool {
        let bit = bit_in(seat, seat / 64);
        self.here[seat / 64].0.fetch_or(bit, Ordering::AcqRel) & bit == 0
    }

    /// Gives a seat back without a word, as at the end of a team.
    pub(crate) fn stand(&self, seat: usize) {
        self.here[seat / 64].0.fetch_and(!bit_in(seat, seat / 64), Ordering::AcqRel);
    }

    /// The call to this seat was answered, whether the worker sits down (before it says so) or not. Who does not must look
    /// at the newest job again: until now its caller counted on this worker.
    pub(crate) fn answer(&self, seat: usize) {
        self.called[seat / 64].fetch_and(!bit_in(seat, seat / 64), Ordering::AcqRel);
    }

    /// The first empty seat that the newest job wants.
    pub(crate) fn empty_seat(&self) -> Option<usize> {
        let members = (0..).take_while(|&seat| self.is_a_members(seat));
        members.filter(|&seat| !self.is_callers(seat)).find(|&seat| !self.is_here(seat))
    }

    /// Whether the newest job wants a worker of this seat.
    pub(crate) fn is_wanted(&self, seat: usize) -> bool {
        self.is_a_members(seat) && !self.is_callers(seat)
    }

    fn is_a_members(&self, seat: usize) -> bool {
        (seat as u64) < self.front.0.state.load(Ordering::Acquire) >> MEMBERS_AT & MEMBERS
    }

    /// Whether somebody sits there.
    pub(crate) fn is_here(&self, seat: usize) -> bool {
        self.here[seat / 64].0.load(Ordering::Acquire) & bit_in(seat, seat / 64) != 0
    }

    /// Whether the newest job's caller has this seat.
    pub(crate) fn is_callers(&self, seat: usize) -> bool {
        self.front.0.caller.load(Ordering::Relaxed) as usize == seat
    }

    /// The newest job's epoch.
    pub(crate) fn epoch(&self) -> u32 {
        (self.front.0.state.load(Ordering::Acquire) >> EPOCH_AT) as u32
    }

    /// Looks for an epoch other than `seen`.
    pub(crate) fn look(&self, seen: u32) -> Sight {
        let state = self.front.0.state.load(Ordering::Acquire);
        match (state >> EPOCH_AT) as u32 {
            _ if state & STOPPED != 0 => Sight::Stopped,
            epoch if epoch == seen => Sight::Nothing,
            epoch => Sight::Epoch(epoch),
        }
    }

    /// Counts a worker in, if the job of `epoch` is still open and wants its seat; it must go out again.
    pub(crate) fn come_in(&self, seat: usize, epoch: u32) -> Option<J> {
        let Front { state: place, job, .. } = &self.front.0;
        let mut state = place.load(Ordering::Acquire);
        loop {
            let wanted = (seat as u64) < (state >> MEMBERS_AT & MEMBERS) && !self.is_callers(seat);
            let has_room = state & INSIDE < INSIDE;
            if (state >> EPOCH_AT) as u32 != epoch || state & OPEN == 0 || !wanted || !has_room {
                return None;
            }
            match place.compare_exchange_weak(state, state + 1, Ordering::AcqRel, Ordering::Acquire) {
                // SAFETY: this worker is counted in, so that the job is not written until it has gone out.
                Ok(_) => return Some(job.with(|job| unsafe { *job })),
                Err(now) => state = now,
            }
        }
    }

    /// Counts a worker out: it no longer touches the job.
    pub(crate) fn go_out(&self) {
        self.front.0.state.fetch_sub(1, Ordering::Release);
    }

    /// Gives a seat back to go away, whether a job came or not; the next job's caller learns of it. True when one came
    /// that the worker has not seen: its caller may have counted on this seat.
    pub(crate) fn go(&self, seat: usize, seen: u32) -> bool {
        self.stand(seat);
        (self.front.0.state.fetch_or(LEFT, Ordering::AcqRel) >> EPOCH_AT) as u32 != seen
    }

    /// Gives a seat back to go away. False when a job came that the worker has not seen: then it sits again, and stays.
    pub(crate) fn leave(&self, seat: usize, seen: u32) -> bool {
        self.stand(seat);
        let place = &self.front.0.state;
        let mut state = place.load(Ordering::Acquire);
        while (state >> EPOCH_AT) as u32 == seen {
            // After the seat is seen empty by whoever learns of it.
            match place.compare_exchange_weak(state, state | LEFT, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return true,
                Err(now) => state = now,
            }
        }
        // Whoever has taken the seat meanwhile keeps it.
        !self.sit(seat)
    }
}

/// The bits of `word` for the seats below `seats`.
fn bits_below(seats: usize, word: usize) -> u64 {
    match seats.saturating_sub(word * 64) {
        0 => 0,
        count @ 1..64 => (1 << count) - 1,
        _ => u64::MAX,
    }
}

/// The bit of a seat, if it is in `word`.
fn bit_in(seat: usize, word: usize) -> u64 {
    if seat / 64 == word { 1 << (seat % 64) } else { 0 }
}

//! Threads of the team's own, which park where a visitor would go back to Rayon: for those who pin threads.

use super::{LOOK_OUT, Manners, STACK_BYTES, Shared};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The threads of seats 1 and up; seat 0 is the caller's.
pub(super) struct OwnThreads(Vec<JoinHandle<()>>);

impl OwnThreads {
    /// Starts a thread for each seat but the first. A failure ends those that were started.
    pub(super) fn start(shared: &Arc<Shared>, seats: usize) -> std::io::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // With more threads than cores, one that looks out would keep another from working.
        let patience = if seats <= cores { LOOK_OUT } else { Duration::ZERO };
        let mut threads = Self(Vec::with_capacity(seats - 1));
        for seat in 1..seats {
            let work = {
                let shared = Arc::clone(shared);
                move || work(&shared, seat, patience)
            };
            let builder = std::thread::Builder::new().name(format!("ferrocca-{seat}")).stack_size(STACK_BYTES);
            match builder.spawn(work) {
                Ok(thread) => threads.0.push(thread),
                Err(error) => {
                    shared.gate.stop();
                    threads.join();
                    return Err(error);
                }
            }
        }
        Ok(threads)
    }

    /// Waits until the threads have ended, which the gate has told them to.
    pub(super) fn join(&mut self) {
        for thread in &self.0 {
            thread.thread().unpark();
        }
        for thread in self.0.drain(..) {
            // A worker catches every panic of a body, so that there is nothing to report.
            let _ = thread.join();
        }
    }
}

/// A thread's life. Who unparks it has seen its seat empty, and the token of an `unpark` is kept for the next `park`.
fn work(shared: &Shared, seat: usize, patience: Duration) {
    let _ = shared.own[seat].set(std::thread::current());
    while !shared.gate.is_stopped() {
        shared.gate.sit(seat);
        shared.stay(seat, &mut Own(patience));
        std::thread::park();
    }
}

struct Own(Duration);

impl Manners for Own {
    fn patience(&self, _begin: Instant) -> Duration {
        self.0
    }

    fn give_way(&mut self, _waiting: Duration) -> bool {
        false
    }

    fn is_over(&self, _now: Instant) -> bool {
        false
    }

    fn must_go(&mut self, _now: Instant) -> bool {
        false
    }
}

//! The team's protocol in every order of its steps, by loom: the very files of `src/team`, made of loom's atomics. What
//! each model proves, and why that is enough, says `src/team/README.md`.
//!
//! Bounded: loom tries all orders with at most so many moments at which a thread is interrupted (`LOOM_MAX_PREEMPTIONS`
//! sets another bound), and with that every value that a relaxed load may see.

#[allow(dead_code)]
#[path = "../src/team/gate.rs"]
mod gate;
#[allow(dead_code)]
#[path = "../src/team/shares.rs"]
mod shares;

mod sync {
    pub(crate) use loom::cell::UnsafeCell;
    pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};

    pub(crate) fn pause(_give_way: bool) {
        loom::thread::yield_now();
    }
}

use gate::{Absent, Gate, Sight};
use loom::sync::{Arc, Mutex};
use loom::thread;
use shares::{Cut, Shares};
use sync::UnsafeCell;

fn check(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(preemptions));
    builder.check(model);
}

/// A team whose jobs count how often each of their parts is run.
struct Team {
    gate: Gate<Cut>,
    shares: Shares,
    /// Stands for the caller's frame: written before a job is opened and after it was closed, read by its members.
    frame: UnsafeCell<u64>,
    hits: Vec<UnsafeCell<u32>>,
}

// SAFETY: that nobody reads the frame while it is written is what the models show, and loom watches it.
unsafe impl Send for Team {}
// SAFETY: as above.
unsafe impl Sync for Team {}

impl Team {
    fn new(members: usize, total: u64) -> Arc<Self> {
        Arc::new(Self {
            gate: Gate::new(members, Cut { number: 0, total: 0, members: 0, parts: 0 }),
            shares: Shares::new(members),
            frame: UnsafeCell::new(0),
            hits: (0..total).map(|_| UnsafeCell::new(0)).collect(),
        })
    }

    /// As the team's `run` does; the caller has the turn. `call` gets what `open` said.
    fn run(&self, number: u64, members: usize, caller: usize, call: impl FnOnce(bool)) {
        let cut = Cut { number, total: self.hits.len() as u64, members: members as u64, parts: 1 };
        // SAFETY: the models have one caller at a time, and nobody else opens the gate.
        self.frame.with_mut(|frame| unsafe { *frame = number });
        // SAFETY: as above.
        self.hits.iter().for_each(|hit| hit.with_mut(|hit| unsafe { *hit = 0 }));
        // SAFETY: one caller at a time; the frame lives as long as the team.
        let somebody_left = unsafe { self.gate.open(cut, members, caller) };
        call(somebody_left);
        self.take_part(caller, &cut);
        self.gate.close();
        // SAFETY: as above.
        self.frame.with_mut(|frame| unsafe { *frame = 0 });
        // SAFETY: as above.
        let hits: Vec<u32> = self.hits.iter().map(|hit| hit.with(|hit| unsafe { *hit })).collect();
        assert_eq!(hits, vec![1; self.hits.len()], "every part is run once, and the caller sees what was done");
    }

    fn take_part(&self, seat: usize, cut: &Cut) {
        self.shares.take(seat, cut, |range| {
            // SAFETY: nobody writes the frame while a member is inside.
            self.frame.with(|frame| assert_eq!(unsafe { *frame }, cut.number, "the job is the one that was opened"));
            for part in range {
                // SAFETY: a part has one member.
                self.hits[part as usize].with_mut(|hit| unsafe { *hit += 1 });
            }
        });
    }

    fn attend(&self, seat: usize, epoch: u32) {
        if let Some(cut) = self.gate.come_in(seat, epoch) {
            self.take_part(seat, &cut);
            self.gate.go_out();
        }
    }

    /// A visit as the team's `stay`, which looks out once between two jobs.
    fn visit(&self, seat: usize) {
        let mut epoch = self.gate.epoch();
        loop {
            self.attend(seat, epoch);
            match self.gate.look(epoch) {
                Sight::Epoch(next) => epoch = next,
                Sight::Stopped => return self.gate.stand(seat),
                Sight::Nothing if self.gate.leave(seat, epoch) => return,
                Sight::Nothing => epoch = self.gate.epoch(),
            }
        }
    }
}

/// Rules 1 and 2, and that every part is run exactly once: two workers that come in or do not.
#[test]
fn parts_are_run_once_and_a_job_outlives_its_readers() {
    check(2, || {
        let team = Team::new(3, 3);
        let workers = [1, 2].map(|seat| {
            let team = Arc::clone(&team);
            thread::spawn(move || team.attend(seat, 1))
        });
        team.run(1, 3, 0, |_| ());
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    });
}

/// The same with two jobs, of which a worker takes part in either, both or none; it may think of the first when the
/// second is open.
#[test]
fn a_worker_takes_part_in_the_job_that_is_open() {
    check(3, || {
        let team = Team::new(2, 2);
        let worker = {
            let team = Arc::clone(&team);
            thread::spawn(move || {
                team.attend(1, 1);
                team.attend(1, 2);
            })
        };
        team.run(1, 2, 0, |_| ());
        team.run(2, 2, 0, |_| ());
        worker.join().unwrap();
    });
}

/// Rule 3: nobody but the caller runs, and it comes to its end.
#[test]
fn a_caller_waits_for_nobody_who_has_not_come_in() {
    check(3, || {
        let team = Team::new(3, 3);
        assert!(team.gate.sit(1) && team.gate.call(1..3));
        team.run(1, 3, 0, |_| ());
        team.run(2, 3, 0, |_| ());
    });
}

/// No lost wakeup: a worker that leaves has seen no job, and the next caller knows; one that stays takes the job.
#[test]
fn whoever_leaves_is_missed() {
    check(4, || {
        let team = Team::new(2, 2);
        assert!(team.gate.sit(1));
        let seen = team.gate.epoch();
        let worker = {
            let team = Arc::clone(&team);
            thread::spawn(move || team.gate.leave(1, seen))
        };
        let missed = {
            let mut missed = None;
            team.run(1, 2, 0, |somebody_left| {
                missed = Some(somebody_left);
                if somebody_left {
                    assert_eq!(team.gate.absent(2, 0), Absent { seats: 1, uncalled: 1 });
                }
            });
            missed.unwrap()
        };
        let has_left = worker.join().unwrap();
        assert_eq!(has_left, missed);
        assert_eq!(team.gate.is_here(1), !has_left);
    });
}

/// The same of one that goes whatever comes: it knows that a job came that does not miss it, and the next one does.
#[test]
fn whoever_goes_is_missed_or_knows_that_it_should_be() {
    check(4, || {
        let team = Team::new(2, 2);
        assert!(team.gate.sit(1));
        let seen = team.gate.epoch();
        let worker = {
            let team = Arc::clone(&team);
            thread::spawn(move || team.gate.go(1, seen))
        };
        let (mut missed, mut missed_later) = (false, false);
        team.run(1, 2, 0, |somebody_left| missed = somebody_left);
        let knows = worker.join().unwrap();
        team.run(2, 2, 0, |somebody_left| missed_later = somebody_left);
        assert_eq!((missed, missed_later), (!knows, knows));
        assert_eq!(team.gate.absent(2, 0), Absent { seats: 1, uncalled: 1 });
    });
}

/// A worker that was called is at every moment called or here, so that nobody calls it twice.
#[test]
fn whoever_answers_is_not_called_again() {
    check(2, || {
        let team = Team::new(2, 2);
        assert!(team.gate.call(1..2));
        let worker = {
            let team = Arc::clone(&team);
            thread::spawn(move || {
                assert!(team.gate.sit(1));
                team.gate.answer(1);
                let epoch = team.gate.epoch();
                team.attend(1, epoch);
            })
        };
        for number in 1..3 {
            team.run(number, 2, 0, |_| assert_eq!(team.gate.absent(2, 0).uncalled, 0));
        }
        worker.join().unwrap();
        assert_eq!(team.gate.absent(2, 0), Absent::default());
    });
}

/// A worker that was called, and finds that it is not wanted, is counted on until it answers: a job that begins before
/// that is seen by the worker, and one that begins later does not count on it.
#[test]
fn whoever_answers_without_coming_sees_the_job_that_counted_on_it() {
    check(4, || {
        let team = Team::new(2, 2);
        assert!(team.gate.call(1..2));
        let worker = {
            let team = Arc::clone(&team);
            thread::spawn(move || {
                if !team.gate.is_wanted(1) {
                    team.gate.answer(1);
                }
                team.gate.is_wanted(1)
            })
        };
        let mut counted_on = false;
        team.run(1, 2, 0, |_| counted_on = team.gate.absent(2, 0).uncalled == 0);
        let is_wanted = worker.join().unwrap();
        assert!(is_wanted || !counted_on);
    });
}

/// A request that nobody has accepted stands for every job since: whoever accepts it sees the newest, so that no job is
/// left with nobody asked.
#[test]
fn whoever_accepts_a_request_sees_the_newest_job() {
    check(4, || {
        let team = Team::new(2, 2);
        let mut asked = Vec::new();
        let mut was_there = false;
        for number in 1..3 {
            team.run(number, 2, 0, |_| {
                if team.gate.request(1) {
                    let team = Arc::clone(&team);
                    asked.push(thread::spawn(move || {
                        let is_for_others_too = team.gate.accept();
                        (team.gate.epoch(), is_for_others_too)
                    }));
                } else {
                    was_there = true;
                }
            });
        }
        let seen: Vec<(u32, bool)> = asked.into_iter().map(|asked| asked.join().unwrap()).collect();
        // The last one sees the second job, and knows whether it was asked for that one, or for the first as well.
        assert_eq!(seen.iter().max(), Some(&(2, was_there)), "{seen:?}");
        assert!(!team.gate.has_requests());
    });
}

/// The whole of it: visitors that come when they are called, look out, leave and are called again, and a team that ends.
#[test]
fn visitors_come_and_go() {
    check(2, || {
        let team = Team::new(2, 2);
        let mut visitors = Vec::new();
        let mut complete = false;
        for number in 1..3 {
            team.run(number, 2, 0, |somebody_left| {
                if somebody_left || !complete {
                    let absent = team.gate.absent(2, 0);
                    complete = absent.seats == 0;
                    if absent.uncalled > 0 && team.gate.call(1..2) {
                        let team = Arc::clone(&team);
                        visitors.push(thread::spawn(move || {
                            let has_come = team.gate.sit(1);
                            team.gate.answer(1);
                            if has_come {
                                team.visit(1);
                            }
                        }));
                    }
                }
            });
        }
        team.gate.stop();
        visitors.into_iter().for_each(|visitor| visitor.join().unwrap());
        assert!(!team.gate.is_here(1));
    });
}

/// Two of the pool's threads launch at once: who has to wait takes part in the other's job, and both come to their ends.
#[test]
fn who_waits_for_its_turn_helps() {
    check(3, || {
        let team = Team::new(2, 2);
        let turn = Arc::new(Mutex::new(0));
        let launch = |seat: usize| {
            let (team, turn) = (Arc::clone(&team), Arc::clone(&turn));
            move || {
                let mut number = loop {
                    match turn.try_lock() {
                        Ok(turn) => break turn,
                        Err(_) => {
                            let epoch = team.gate.epoch();
                            team.attend(seat, epoch);
                            thread::yield_now();
                        }
                    }
                };
                *number += 1;
                team.run(*number, 2, seat, |_| ());
            }
        };
        let other = thread::spawn(launch(1));
        launch(0)();
        other.join().unwrap();
        assert_eq!(*turn.lock().unwrap(), 2);
    });
}

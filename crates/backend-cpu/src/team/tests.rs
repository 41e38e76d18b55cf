//! The team with its own threads and with Rayon's. The protocol alone is in `tests/protocol.rs`, under loom.

use super::gate::{Absent, Gate};
use super::*;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashSet;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc;

fn pool(threads: usize) -> Arc<ThreadPool> {
    Arc::new(ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start"))
}

/// A team of each kind with so many members.
fn teams(members: usize) -> [Team; 3] {
    let private = Pool::private(members).expect("threads start");
    [Team::own(members).expect("threads start"), Team::in_pool(private), Team::in_pool(Pool::Shared(pool(members)))]
}

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

/// Until it is so, or the test fails.
fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::yield_now();
    }
}

/// Nor on the way.
fn wait_until_nobody_is_here(team: &Team) {
    let seats = team.threads();
    wait_until("somebody stays", || team.shared.gate.absent(seats + 1, seats) == Absent { seats, uncalled: seats });
}

/// Runs a job in which `members` threads must meet, and returns their ids.
fn who_meets(team: &Team, members: usize) -> Vec<std::thread::ThreadId> {
    let inside = Mutex::new(Vec::new());
    team.run(members as u64, members, 1, &|_| {
        inside.lock().unwrap().push(std::thread::current().id());
        wait_until("they do not meet", || inside.lock().unwrap().len() == members);
    });
    inside.into_inner().unwrap()
}

#[test]
fn every_index_is_run_once() {
    for threads in [2, 3, 7] {
        for team in teams(threads) {
            for total in [0, 1, 2, 3, 15, 16, 17, 1000] {
                for (members, parts) in [(1, 1), (2, 3), (threads, 1), (threads + 5, 1000)] {
                    let expected = vec![1; total as usize];
                    assert_eq!(count(&team, total, members, parts), expected, "{threads} {total} {members}");
                }
            }
        }
    }
}

#[test]
fn absent_members_are_called_and_many_callers_take_turns() {
    for team in teams(3) {
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
}

#[test]
fn all_members_take_part_at_the_same_time_and_again_after_a_pause() {
    for team in teams(3) {
        for pause in [Duration::ZERO, LOOK_OUT * 40, Duration::ZERO] {
            std::thread::sleep(pause);
            let mut who = who_meets(&team, 3);
            who.dedup();
            assert_eq!(who.len(), 3);
            assert!(who.contains(&std::thread::current().id()));
        }
    }
}

#[test]
fn a_panic_reaches_the_caller_and_the_team_lives_on() {
    for team in teams(2) {
        for bad in [0, 15] {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                team.run(16, 2, 8, &|range| assert!(!range.contains(&bad), "part {bad}"));
            }));
            assert!(outcome.is_err());
            assert_eq!(count(&team, 100, 2, 2), vec![1; 100]);
        }
    }
}

#[test]
fn a_member_that_was_left_out_for_long_has_its_whole_share() {
    for team in teams(3) {
        for round in 0..3000 {
            let members = if round % 257 == 0 { 3 } else { 2 };
            assert_eq!(count(&team, 24, members, 1 + round % 8), vec![1; 24], "{round}");
        }
    }
}

/// A launch from each of a pool's tasks, and tasks from within tasks that launch, at once.
fn launch_from_tasks(pool: &ThreadPool, team: &Team, rounds: usize) {
    for round in 0..rounds {
        pool.install(|| {
            (0..8).into_par_iter().for_each(|_| {
                assert_eq!(count(team, 50, 8, 4), vec![1; 50], "{round}");
                rayon::join(
                    || (0..4).into_par_iter().for_each(|_| assert_eq!(count(team, 9, 8, 1), vec![1; 9])),
                    || assert_eq!(count(team, 33, 8, 2), vec![1; 33]),
                );
            });
        });
    }
}

#[test]
fn launches_from_within_tasks_end() {
    for threads in [2, 3, 8] {
        let pool = pool(threads);
        launch_from_tasks(&pool, &Team::in_pool(Pool::Shared(Arc::clone(&pool))), 100);
        // The team has a pool of its own, or another one than the tasks, or whichever the caller is in.
        for team in teams(threads) {
            launch_from_tasks(&pool, &team, 20);
        }
        pool.install(|| launch_from_tasks(&pool, &Team::in_pool(Pool::Current), 50));
    }
    // One thread: it is the caller, and there is nobody else. The team's threads are another pool's.
    for team in teams(2) {
        launch_from_tasks(&pool(1), &team, 50);
    }
}

#[test]
fn every_thread_of_a_pool_launches_at_once() {
    for threads in [2, 4] {
        let pool = pool(threads);
        let team = Team::in_pool(Pool::Shared(Arc::clone(&pool)));
        for round in 0..200 {
            let ready = AtomicU64::new(0);
            pool.broadcast(|_| {
                ready.fetch_add(1, Ordering::SeqCst);
                wait_until("not all are there", || ready.load(Ordering::SeqCst) == threads as u64);
                assert_eq!(count(&team, 100, threads, 8), vec![1; 100], "{round}");
            });
        }
    }
}

#[test]
fn who_waits_for_its_turn_takes_part() {
    let pool = pool(2);
    let team = Team::in_pool(Pool::Shared(Arc::clone(&pool)));
    // Both threads launch. Each job needs two members, and there is nobody but the other one, who waits for its turn.
    pool.broadcast(|_| assert_eq!(who_meets(&team, 2).len(), 2));
}

#[test]
fn a_launch_does_not_wait_for_a_pool_that_is_busy() {
    let pool = pool(2);
    let team = Team::in_pool(Pool::Shared(Arc::clone(&pool)));
    let (release, blocked) = mpsc::channel::<()>();
    let blocked = Mutex::new(blocked);
    let busy = AtomicU64::new(0);
    pool.in_place_scope(|scope| {
        scope.spawn_broadcast(|_, _| {
            busy.fetch_add(1, Ordering::SeqCst);
            let _ = blocked.lock().unwrap().recv();
        });
        wait_until("the pool is not busy", || busy.load(Ordering::SeqCst) == 2);
        for _ in 0..1000 {
            assert_eq!(count(&team, 64, 2, 8), vec![1; 64]);
        }
        drop(release);
    });
    // Those who were busy come, late.
    assert_eq!(who_meets(&team, 2).len(), 2);
}

#[test]
fn one_thread_that_is_blocked_keeps_no_other_from_coming() {
    let pool = pool(4);
    let team = Team::in_pool(Pool::Shared(Arc::clone(&pool)));
    let (release, blocked) = mpsc::channel::<()>();
    let (report, is_blocked) = mpsc::channel();
    // A visitor that ran the task would keep its seat meanwhile.
    wait_until_nobody_is_here(&team);
    pool.spawn(move || {
        report.send(rayon::current_thread_index()).unwrap();
        let _ = blocked.recv();
    });
    is_blocked.recv().unwrap();
    for _ in 0..5 {
        // The visitors go meanwhile, and the broadcast is never answered by all.
        std::thread::sleep(LOOK_OUT * 20);
        // Three threads and the caller: whoever's seat is empty, the others fill it. That may take more than one launch.
        wait_until("somebody is missing", || {
            let who = Mutex::new(HashSet::new());
            team.run(4, 4, 1, &|_| {
                who.lock().unwrap().insert(std::thread::current().id());
                std::thread::sleep(Duration::from_micros(200));
            });
            who.into_inner().unwrap().len() == 4
        });
    }
    drop(release);
}

#[test]
fn visitors_run_the_tasks_of_the_application() {
    let pool = pool(3);
    let team = Team::in_pool(Pool::Shared(Arc::clone(&pool)));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // A loop of launches that ends when the tasks are done: whoever visits must not be kept from them.
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                assert_eq!(count(&team, 12, 3, 2), vec![1; 12]);
            }
        });
        for _ in 0..200 {
            let sum: u64 = pool.install(|| (0..1000_u64).into_par_iter().map(|x| x * x).sum());
            assert_eq!(sum, 332_833_500);
        }
        done.store(true, Ordering::Relaxed);
    });
}

/// A worker that finds so many tasks of the application's, each longer than it looks out, and whose time is over after so
/// many.
struct Busy {
    tasks: u32,
    most: u32,
    looks: u32,
}

impl Manners for Busy {
    fn patience(&self, _begin: Instant) -> Duration {
        LOOK_OUT
    }

    fn give_way(&mut self, _waiting: Duration) -> bool {
        self.looks += 1;
        assert!(self.looks < 1_000_000, "it stays for ever");
        if self.looks <= self.tasks {
            std::thread::sleep(LOOK_OUT * 2);
        }
        self.looks <= self.tasks
    }

    fn is_over(&self, _now: Instant) -> bool {
        self.looks >= self.most
    }

    fn must_go(&mut self, _now: Instant) -> bool {
        false
    }
}

#[test]
fn a_visitor_that_ran_a_task_looks_out_again() {
    let shared = Shared::new(2, 0);
    let looks = |tasks, most| {
        assert!(shared.gate.sit(1));
        let mut manners = Busy { tasks, most, looks: 0 };
        shared.stay(1, &mut manners);
        assert!(!shared.gate.is_here(1));
        manners.looks
    };
    // A thread can lose its core for as long as it looks out, but not always.
    assert!((0..1000).any(|_| looks(1, u32::MAX) > 1), "it left after the task");
    assert!((0..1000).any(|_| looks(3, u32::MAX) > 3), "it left after a task");
    // However much there is to do, it goes when its time is over: somebody may wait for what lies beneath.
    assert!((0..1000).any(|_| looks(u32::MAX, 3) == 3), "it left after a task");
}

#[test]
fn a_visitor_in_another_s_seat_launches_with_the_others() {
    let pool = pool(2);
    let team = Team::in_pool(Pool::Shared(Arc::clone(&pool)));
    // Whoever comes to a caller from outside sits in seat 1. What it runs there launches, and needs the other thread.
    for _ in 0..50 {
        let visitor = who_meets(&team, 2).into_iter().find(|&id| id != std::thread::current().id());
        let (caller, who) = pool.install(|| (std::thread::current().id(), who_meets(&team, 2)));
        assert!(who.contains(&caller) && who.len() == 2 && who[0] != who[1], "{visitor:?} {caller:?} {who:?}");
    }
}

#[test]
fn a_brief_job_after_a_pause_calls_nobody() {
    for team in teams(3) {
        wait_until_nobody_is_here(&team);
        for _ in 0..3 {
            std::thread::sleep(PAUSE);
            let caller = std::thread::current().id();
            team.run_brief(30, 3, 2, &|_| assert_eq!(std::thread::current().id(), caller));
            assert_eq!(team.shared.gate.absent(4, 3), Absent { seats: 3, uncalled: 3 });
            assert!(!team.shared.gate.has_requests());
        }
        // A loop of them does, and so does a job that is not brief.
        let begin = Instant::now();
        while team.shared.gate.absent(3, 0).seats == 2 {
            assert!(begin.elapsed() < Duration::from_secs(60), "nobody comes");
            team.run_brief(30, 3, 2, &|_| ());
        }
        wait_until_nobody_is_here(&team);
        assert_eq!(who_meets(&team, 3).len(), 3);
    }
}

#[test]
fn a_panic_in_a_task_does_no_harm() {
    let pool = pool(3);
    let team = Team::in_pool(Pool::Shared(Arc::clone(&pool)));
    for round in 0..100 {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            pool.install(|| {
                (0..16).into_par_iter().for_each(|task| {
                    assert_eq!(count(&team, 40, 3, 2), vec![1; 40]);
                    assert!(task != round % 16, "task {task}");
                });
            });
        }));
        assert!(outcome.is_err());
        assert_eq!(count(&team, 100, 3, 2), vec![1; 100]);
    }
}

#[test]
fn teams_end_while_visitors_are_about() {
    let pool = pool(3);
    for round in 0..300 {
        let team = Team::in_pool(Pool::Shared(Arc::clone(&pool)));
        if round % 2 == 0 {
            assert_eq!(count(&team, 30, 3, 1), vec![1; 30]);
        }
        if round % 3 == 0 {
            // By one of the threads that may visit it.
            pool.install(|| drop(team));
        }
    }
    for _ in 0..50 {
        let team = Team::in_pool(Pool::private(3).expect("threads start"));
        assert_eq!(count(&team, 30, 3, 1), vec![1; 30]);
    }
    // Nobody stays.
    let shared = {
        let team = Team::in_pool(Pool::Shared(Arc::clone(&pool)));
        assert_eq!(count(&team, 30, 3, 1), vec![1; 30]);
        Arc::clone(&team.shared)
    };
    wait_until("somebody stays", || Arc::strong_count(&shared) == 1);
}

#[test]
fn each_thread_of_a_pool_has_its_share() {
    let pool = pool(3);
    let team = Team::in_pool(Pool::Shared(Arc::clone(&pool)));
    let first_of = |caller: Option<usize>| {
        // Nobody is here, and nobody is on the way: then each comes to its own seat.
        wait_until_nobody_is_here(&team);
        let (first, begun) = (Mutex::new(vec![None; 3]), AtomicU64::new(0));
        let job = || {
            team.run(3, 3, 1, &|range| {
                first.lock().unwrap()[range.start as usize] = pool.current_thread_index();
                begun.fetch_add(1, Ordering::SeqCst);
                wait_until("they do not meet", || begun.load(Ordering::SeqCst) == 3);
            });
        };
        match caller {
            None => job(),
            Some(caller) => drop(pool.broadcast(|context| (context.index() == caller).then(job))),
        }
        first.into_inner().unwrap()
    };
    for _ in 0..20 {
        assert_eq!(first_of(None), [None, Some(1), Some(2)]);
        for caller in 0..3 {
            assert_eq!(first_of(Some(caller)), [Some(0), Some(1), Some(2)]);
        }
    }
}

#[test]
fn boundaries_do_not_overflow() {
    assert_eq!(shares::boundary(u64::MAX, 16, 16), u64::MAX);
    assert_eq!(shares::boundary(10, 1, 4), 2);
}

#[test]
fn who_is_absent_is_counted_over_all_words() {
    let gate = Gate::new(130, ());
    assert_eq!(gate.absent(130, 0), Absent { seats: 129, uncalled: 129 });
    assert!(gate.call(0..130) && !gate.call(0..130));
    assert_eq!(gate.absent(130, 70), Absent { seats: 129, uncalled: 0 });
    for seat in 0..130 {
        assert!(gate.sit(seat) && !gate.sit(seat));
        gate.answer(seat);
    }
    assert_eq!(gate.absent(130, 0), Absent::default());
    assert!(gate.leave(128, 0) && gate.leave(3, 0));
    assert_eq!(gate.absent(130, 3), Absent { seats: 1, uncalled: 1 });
    assert_eq!(gate.absent(128, 3), Absent::default());
    // SAFETY: nobody else opens it.
    assert!(unsafe { gate.open((), 130, 0) });
    assert_eq!(gate.empty_seat(), Some(3));
    assert!(!gate.leave(5, 0), "it has not seen the job");
    gate.close();
    // SAFETY: as above.
    assert!(!unsafe { gate.open((), 130, 0) }, "nobody has left since");
    gate.close();
}

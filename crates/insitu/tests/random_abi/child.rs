//! Cases run in a process of their own, which a fault may end or hang: the parent knows the case, and makes it small.

use std::fmt::Debug;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Set for the child: the first case and the one after the last.
const CASES: &str = "FERROCCA_FUZZ_CHILD";
/// Actions of the case that the child leaves out.
const WITHOUT: &str = "FERROCCA_FUZZ_WITHOUT";

/// The child says something for each action, and none takes this long.
const HANGS: Duration = Duration::from_secs(30);

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// Marsaglia's xorshift.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        // Neighbouring seeds begin alike.
        (0..8).for_each(|_| _ = random.next());
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 11) as usize % limit.max(1)
    }

    /// True once in so many times.
    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// What is tried.
pub(crate) trait Trial {
    type Action: Debug;

    /// What a case does.
    fn actions(&self, case: u64, random: &mut Random) -> Vec<Self::Action>;

    /// Does it; says how much of it went well. `begin` is called before each action.
    fn run(&mut self, actions: &[Self::Action], begin: &dyn Fn(&Self::Action)) -> Result<usize, String>;
}

/// Tries random cases in a child process, whose trial `make` prepares.
pub(crate) fn check<T: Trial>(test: &str, cases: u64, make: impl FnOnce() -> T) {
    let seed = number("FERROCCA_FUZZ_SEED", 1);
    if let Ok(range) = std::env::var(CASES) {
        let (first, end) = range.split_once("..").expect("a range of cases");
        let (first, end): (u64, u64) = (first.parse().expect("a case"), end.parse().expect("a case"));
        return play(make(), seed, first..end);
    }
    let cases = number("FERROCCA_FUZZ_CASES", cases);
    let begin = Instant::now();
    match Child::of(test).run(0..cases, &[]) {
        Ok(said) => println!("{test}: {said}, {:?}", begin.elapsed()),
        Err(failure) => {
            let small = shrink(test, failure);
            panic!("case {} of seed {seed}: {}\n-----\n{}", small.case, small.why, small.log.join("\n"));
        }
    }
}

/// The child: runs cases, and says so.
fn play<T: Trial>(mut trial: T, seed: u64, cases: Range<u64>) {
    let without: Vec<usize> =
        std::env::var(WITHOUT).iter().flat_map(|list| list.split(',')).filter_map(|n| n.parse().ok()).collect();
    let (mut went_well, mut done) = (0, 0);
    let count = cases.end - cases.start;
    for case in cases {
        eprintln!("case {case}");
        let mut random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(case));
        let all = trial.actions(case, &mut random).into_iter().enumerate();
        let actions: Vec<T::Action> =
            all.filter(|(index, _)| !without.contains(index)).map(|(_, action)| action).collect();
        let ran = trial.run(&actions, &|action| eprintln!("action {action:?}"));
        went_well += ran.unwrap_or_else(|why| panic!("{why}"));
        done += actions.len();
    }
    assert!(
        count < 50 || went_well * 10 > done,
        "of {done} actions only {went_well} went well: the cases are too wild"
    );
    eprintln!("{count} cases, {done} actions, {went_well} of them went well");
}

/// A case that failed.
struct Failure {
    case: u64,
    why: String,
    /// What the child said from the beginning of the case on.
    log: Vec<String>,
}

struct Child<'a> {
    test: &'a str,
}

impl<'a> Child<'a> {
    fn of(test: &'a str) -> Self {
        Self { test }
    }

    /// Runs cases; the last line that the child says.
    fn run(&self, cases: Range<u64>, without: &[usize]) -> Result<String, Failure> {
        let without: Vec<String> = without.iter().map(usize::to_string).collect();
        let mut command = Command::new(std::env::current_exe().expect("this test has a path"));
        command.args([self.test, "--exact", "--nocapture", "--test-threads=1"]);
        command.env(CASES, format!("{}..{}", cases.start, cases.end)).env(WITHOUT, without.join(","));
        // A fault of memory then says where it was.
        command.env("PYTHONFAULTHANDLER", "1").env("RUST_BACKTRACE", "0");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("this test runs again");
        let lines = BufReader::new(child.stderr.take().expect("it is piped")).split(b'\n');
        let (send, receive) = channel();
        let reader = std::thread::spawn(move || {
            lines.map_while(Result::ok).try_for_each(|line| send.send(line)).unwrap_or_default();
        });
        let (mut case, mut log, mut why) = (cases.start, Vec::<String>::new(), None);
        loop {
            match receive.recv_timeout(HANGS) {
                Ok(line) => {
                    let line: String = String::from_utf8_lossy(&line).chars().take(3000).collect();
                    if let Some(next) = line.strip_prefix("case ").and_then(|number| number.parse().ok()) {
                        if log.iter().any(|line| line.contains("panicked at")) {
                            why = Some("something panicked".to_owned());
                            break;
                        }
                        (case, log) = (next, Vec::new());
                    }
                    // Frames of Rust's backtraces are too many.
                    if !line.starts_with("  ") || line.starts_with("  File") {
                        log.push(line);
                    }
                }
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                    why = Some(format!("hangs for {HANGS:?}"));
                    break;
                }
            }
        }
        if why.is_some() {
            child.kill().expect("the child is ours");
        }
        let status = child.wait().expect("the child ends");
        drop(receive);
        reader.join().expect("the reader ends");
        match why {
            None if status.success() => Ok(log.pop().unwrap_or_default()),
            why => Err(Failure { case, why: why.unwrap_or_else(|| status.to_string()), log }),
        }
    }
}

/// Leaves out actions as long as the case still fails.
fn shrink(test: &str, found: Failure) -> Failure {
    let case = found.case;
    let again = |without: &[usize]| Child::of(test).run(case..case + 1, without).err();
    // One that needs those before it stays as it is.
    let Some(mut small) = again(&[]) else {
        return Failure { why: format!("{} (not when it runs alone)", found.why), ..found };
    };
    let mut without = Vec::new();
    let actions = |failure: &Failure| failure.log.iter().filter(|line| line.starts_with("action ")).count();
    // What comes after the fault was not reached, and is left out first.
    let reached = actions(&small);
    without.extend(reached..1000);
    for index in (0..reached).rev() {
        without.push(index);
        match again(&without) {
            Some(failure) => small = failure,
            None => _ = without.pop(),
        }
    }
    small
}

//! The cache directory under what only whole processes can do to it: many at once, one that dies, a directory that
//! cannot be written, a disk that is full, no home.

use ferrocca_conformance::null::{Call, NullBackend};
use ferrocca_core::Device;
use ferrocca_core::cache::{CACHE_DIR_VARIABLE, Cache};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const SOURCE: &str = "@kernel void k(double *x) { for (int i = 0; i < 8; ++i; @outer) for (int j = 0; j < 8; ++j; @inner) x[8 * i + j] = 0 K; }";

/// Not a test of its own: what the others start as another process. It builds one kernel and says from where.
#[test]
#[ignore = "started by the other tests"]
fn child() {
    let Ok(compile_ms) = std::env::var("CHILD_COMPILE_MS") else {
        return;
    };
    let backend = NullBackend::new();
    backend.set_compile_time(Duration::from_millis(compile_ms.parse().unwrap()));
    if let Ok(limit_ms) = std::env::var("CHILD_LIMIT_MS") {
        backend.set_compile_limit(Duration::from_millis(limit_ms.parse().unwrap()));
    }
    let device = Device::open_with(&backend, "verbose=true").unwrap();
    let number = std::env::var("CHILD_KERNEL").unwrap_or_default();
    let kernel = device.build_kernel_from_string(SOURCE, "k", format!("defines={{K: '{number}'}}").as_str()).unwrap();
    println!("\nresult: {} {:?}", backend.count(Call::Compile), kernel.origin());
}

fn command(cache: Option<&Path>, compile_ms: u64) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    arguments(&mut command, cache, compile_ms);
    command
}

fn arguments(command: &mut Command, cache: Option<&Path>, compile_ms: u64) {
    command.args(["--exact", "child", "--ignored", "--nocapture"]);
    command.env_remove(CACHE_DIR_VARIABLE).env("CHILD_COMPILE_MS", compile_ms.to_string());
    if let Some(cache) = cache {
        command.env(CACHE_DIR_VARIABLE, cache);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
}

/// What a child said after `result: `.
fn result(output: Output) -> String {
    let out = String::from_utf8_lossy(&output.stdout);
    let line = out.lines().find_map(|line| line.strip_prefix("result: "));
    line.unwrap_or_else(|| panic!("a child failed:\n{out}\n{}", String::from_utf8_lossy(&output.stderr))).to_string()
}

fn run(mut command: Command) -> String {
    result(command.output().unwrap())
}

const COMPILED: &str = "1 Compiled { not_cached: None }";
const FOUND: &str = "0 Disk";

#[test]
fn many_processes_compile_a_key_once_and_none_fails() {
    let directory = tempfile::tempdir().unwrap();
    let children: Vec<Child> = (0..8).map(|_| command(Some(directory.path()), 100).spawn().unwrap()).collect();
    let mut results: Vec<String> =
        children.into_iter().map(|child| result(child.wait_with_output().unwrap())).collect();
    results.sort();
    assert_eq!(results[..7], [FOUND; 7]);
    assert_eq!(results[7], COMPILED);
}

#[test]
fn a_process_that_dies_while_compiling_holds_nobody_up() {
    let directory = tempfile::tempdir().unwrap();
    let mut dying = command(Some(directory.path()), 600_000).spawn().unwrap();
    // It holds the inner lock while it compiles.
    eventually("it compiles", || lock_files(directory.path()).iter().any(|name| name.starts_with("inner-")));
    let waiting = command(Some(directory.path()), 1).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(100));
    dying.kill().unwrap();
    dying.wait().unwrap();
    assert_eq!(result(waiting.wait_with_output().unwrap()), COMPILED);
    assert_eq!(run(command(Some(directory.path()), 1)), FOUND);
}

#[test]
#[cfg(unix)]
fn a_directory_that_cannot_be_written_is_read() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    let directory = tempfile::tempdir().unwrap();
    let (filled, empty) = (directory.path().join("filled"), directory.path().join("empty"));
    assert_eq!(run(command(Some(&filled), 0)), COMPILED);
    std::fs::create_dir(&empty).unwrap();
    let close = |closed: bool| {
        for path in [directory.path(), &filled, &empty].into_iter().chain(tree(&filled).iter().map(|path| &**path)) {
            let mode = if path.is_dir() && !closed { 0o755 } else { 0o555 };
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    close(true);
    // The superuser writes everywhere: the child becomes somebody else.
    let is_superuser = std::fs::write(directory.path().join("probe"), b"").is_ok();
    let child = |cache: &Path| {
        let mut command = command(Some(cache), 0);
        if is_superuser {
            command.uid(65534).gid(65534);
        }
        command.output()
    };
    let results = (child(&filled), child(&empty));
    close(false);
    let (Ok(filled), Ok(empty_output)) = results else {
        eprintln!("skipped: another user cannot run this test's program");
        return;
    };
    assert_eq!(result(filled), FOUND);
    let compiled = result(empty_output);
    assert!(
        compiled.starts_with("1 Compiled { not_cached: Some(") && compiled.contains("Permission denied"),
        "{compiled}"
    );
    assert_eq!(std::fs::read_dir(&empty).unwrap().count(), 0);
}

/// A cache that somebody else owns, or can write, is neither read nor written, and `verbose` says why.
#[test]
#[cfg(unix)]
fn what_others_can_write_is_not_used() {
    use std::os::unix::fs::{PermissionsExt as _, chown};
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("cache");
    assert_eq!(run(command(Some(&root), 0)), COMPILED);
    let is_superuser = std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let own_mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o755;
    let mut paths = tree(&root);
    paths.push(root.clone());
    assert!(paths.len() >= 12, "{paths:?}");
    for path in &paths {
        let refused = |words: &str| {
            let output = command(Some(&root), 0).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let reason = format!("{} is not used: {words}", path.display());
            let place = path.display();
            assert!(said.contains("compiled, not cached (") && said.contains(&reason), "{place}: {said}");
            assert!(result(output).starts_with("1 Compiled { not_cached: Some("), "{place}");
        };
        let mode = own_mode(path);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode | 0o020)).unwrap();
        refused("its mode is ");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        if is_superuser {
            chown(path, Some(65534), None).unwrap();
            refused("it belongs to user 65534");
            chown(path, Some(0), None).unwrap();
        }
        assert_eq!(run(command(Some(&root), 0)), FOUND);
    }
}

/// Whatever the process's mask is: a cache that group members can write would not be read again.
#[test]
#[cfg(unix)]
fn a_permissive_mask_makes_no_cache_that_others_can_write() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("cache");
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask 0; exec \"$0\" \"$@\""]).arg(std::env::current_exe().unwrap());
    arguments(&mut shell, Some(&root), 0);
    assert_eq!(run(shell), COMPILED);
    for path in tree(&root) {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
        let expected = if path.is_dir() { 0o700 } else { 0o644 };
        assert_eq!(mode, expected, "{}: {mode:o}", path.display());
    }
    assert_eq!(run(command(Some(&root), 0)), FOUND);
}

/// The process that compiles is stopped, as by Ctrl-Z, and holds its locks.
#[test]
#[cfg(unix)]
fn a_process_that_is_stopped_delays_others_by_the_limit_of_the_compiler() {
    let directory = tempfile::tempdir().unwrap();
    let stopped = KilledWhenDropped(command(Some(directory.path()), 600_000).spawn().unwrap());
    let is_compiling = || lock_files(directory.path()).iter().any(|name| name.starts_with("inner-"));
    eventually("it compiles", is_compiling);
    let signal = |name: &str| Command::new("kill").args([name, &stopped.0.id().to_string()]).status().unwrap();
    assert!(signal("-STOP").success());
    let begin = Instant::now();
    let mut waiting = command(Some(directory.path()), 0);
    let waiting = waiting.env("CHILD_LIMIT_MS", "3000").output().unwrap();
    let (waited, said) = (begin.elapsed(), String::from_utf8_lossy(&waiting.stderr).into_owned());
    assert_eq!(result(waiting), COMPILED);
    assert!(waited >= Duration::from_secs(3) && waited < Duration::from_secs(20), "{waited:?}");
    assert!(said.contains("waiting for another process") && said.contains("longer than 3 s"), "{said}");
    // It has left its own in the cache, and other kernels wait for nobody.
    assert_eq!(run(command(Some(directory.path()), 0)), FOUND);
    let children: Vec<Child> = (1..25)
        .map(|number| command(Some(directory.path()), 0).env("CHILD_KERNEL", format!("+ {number}")).spawn().unwrap())
        .collect();
    children.into_iter().for_each(|child| assert_eq!(result(child.wait_with_output().unwrap()), COMPILED));
}

struct KilledWhenDropped(Child);

impl Drop for KilledWhenDropped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Many processes build few kernels while some of them are killed at random. `PROCESSES` sets how many.
#[test]
fn processes_that_are_killed_at_random_leave_a_good_cache_and_nobody_waiting() {
    let count: usize = std::env::var("PROCESSES").map_or(60, |text| text.parse().unwrap());
    let kernels = count.div_ceil(15);
    let directory = tempfile::tempdir().unwrap();
    let mut random = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
    println!("seed {random}");
    let mut random = move |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let child = |kernel: usize| {
        let mut command = command(Some(directory.path()), 30);
        command.env("CHILD_KERNEL", format!("+ {kernel}"));
        command
    };
    let mut running: Vec<(Child, usize, Instant, Option<Duration>)> = Vec::new();
    let (mut started, mut killed, mut compiled) = (0, 0, vec![0; kernels]);
    while started < count || !running.is_empty() {
        if started < count && running.len() < 64 {
            let lifetime = (random(2) == 0).then(|| Duration::from_millis(random(60)));
            running.push((child(started % kernels).spawn().unwrap(), started % kernels, Instant::now(), lifetime));
            started += 1;
        }
        for (mut child, kernel, begin, lifetime) in std::mem::take(&mut running) {
            let has_ended = child.try_wait().unwrap().is_some();
            if !has_ended && lifetime.is_some_and(|lifetime| begin.elapsed() >= lifetime) {
                child.kill().unwrap();
                child.wait().unwrap();
                killed += 1;
            } else if !has_ended {
                assert!(begin.elapsed() < Duration::from_secs(60), "a process waits for ever");
                running.push((child, kernel, begin, lifetime));
            } else if result(child.wait_with_output().unwrap()) != FOUND {
                compiled[kernel] += 1;
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    println!("{started} processes, {killed} killed, compiled by those that lived: {compiled:?}");
    assert!(killed > 0 && compiled.iter().all(|&count| count <= 1), "{killed} {compiled:?}");
    for kernel in 0..kernels {
        assert!([FOUND, COMPILED].contains(&&*run(child(kernel))), "kernel {kernel}");
        assert_eq!(run(child(kernel)), FOUND, "kernel {kernel}");
    }
    let entries = Cache::new(directory.path()).entries().unwrap();
    assert_eq!(entries.len(), kernels);
    assert!(entries.iter().all(|entry| entry.kernels == ["k"]), "{entries:?}");
}

fn lock_files(cache: &Path) -> Vec<String> {
    let files = std::fs::read_dir(cache.join("v1/locks")).into_iter().flatten().flatten();
    files.map(|file| file.file_name().to_string_lossy().into_owned()).collect()
}

fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < deadline, "not within 30 s: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Everything below a directory.
fn tree(root: &Path) -> Vec<std::path::PathBuf> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(root).unwrap().flatten() {
        if entry.path().is_dir() {
            paths.extend(tree(&entry.path()));
        }
        paths.push(entry.path());
    }
    paths
}

/// A limit on the size of files makes each write fail as a full disk does, after the file was created.
#[test]
#[cfg(unix)]
fn a_full_disk_fails_no_build_and_leaves_nothing_half_written() {
    let directory = tempfile::tempdir().unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""]).arg(std::env::current_exe().unwrap());
    arguments(&mut shell, Some(directory.path()), 0);
    let got = run(shell);
    assert!(got.starts_with("1 Compiled { not_cached: Some(") && got.contains("File too large"), "{got}");
    let cache = Cache::new(directory.path());
    assert!(cache.entries().unwrap().is_empty());
    assert_eq!(std::fs::read_dir(directory.path().join("v1/staging")).unwrap().count(), 0);
    assert_eq!(run(command(Some(directory.path()), 0)), COMPILED);
    assert_eq!(run(command(Some(directory.path()), 0)), FOUND);
}

#[test]
fn a_path_that_cannot_be_a_directory_fails_no_build() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, b"").unwrap();
    let got = run(command(Some(&file.join("cache")), 0));
    assert!(got.starts_with("1 Compiled { not_cached: Some("), "{got}");
}

#[test]
#[cfg(all(unix, not(target_os = "macos")))]
fn without_a_home_the_temporary_directory_stands_in() {
    let directory = tempfile::tempdir().unwrap();
    let without_home = || {
        let mut command = command(None, 0);
        command.env_remove("HOME").env_remove("XDG_CACHE_HOME").env("TMPDIR", directory.path());
        command
    };
    assert_eq!(run(without_home()), COMPILED);
    assert_eq!(run(without_home()), FOUND);
    let home = || {
        let mut command = command(None, 0);
        command.env("HOME", directory.path().join("home")).env_remove("XDG_CACHE_HOME");
        command
    };
    assert_eq!(run(home()), COMPILED);
    assert!(directory.path().join("home/.cache/ferrocca/v1").is_dir());
}

#[test]
fn clearing_while_others_build_fails_nobody() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path());
    let children: Vec<Child> = (0..6).map(|_| command(Some(directory.path()), 20).spawn().unwrap()).collect();
    let deadline = Instant::now() + Duration::from_millis(400);
    while Instant::now() < deadline {
        // A directory that fills while it is removed may refuse; the builds must not notice either way.
        let _ = cache.clear();
    }
    for child in children {
        let got = result(child.wait_with_output().unwrap());
        assert!(got == FOUND || got.starts_with("1 Compiled"), "{got}");
    }
    let after = run(command(Some(directory.path()), 0));
    assert!(after == FOUND || after == COMPILED, "{after}");
    assert_eq!(run(command(Some(directory.path()), 0)), FOUND);
}

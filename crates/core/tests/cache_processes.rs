//! The cache directory under what only whole processes can do to it: many at once, one that dies, a directory that
//! cannot be written, a disk that is full, no home.

use ferrocca_conformance::null::{Call, NullBackend};
use ferrocca_core::Device;
use ferrocca_core::cache::{CACHE_DIR_VARIABLE, Cache};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const SOURCE: &str = "@kernel void k(double *x) { for (int i = 0; i < 8; ++i; @outer) for (int j = 0; j < 8; ++j; @inner) x[8 * i + j] = 0; }";

/// Not a test of its own: what the others start as another process. It builds one kernel and says from where.
#[test]
#[ignore = "started by the other tests"]
fn child() {
    let Ok(compile_ms) = std::env::var("CHILD_COMPILE_MS") else {
        return;
    };
    let backend = NullBackend::new();
    backend.set_compile_time(Duration::from_millis(compile_ms.parse().unwrap()));
    let device = Device::open_with(&backend, ()).unwrap();
    let kernel = device.build_kernel_from_string(SOURCE, "k", ()).unwrap();
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
    let locks = directory.path().join("v1/locks");
    let deadline = Instant::now() + Duration::from_secs(30);
    // It holds the inner lock while it compiles.
    let is_compiling = || {
        std::fs::read_dir(&locks)
            .is_ok_and(|files| files.flatten().any(|f| f.file_name().to_string_lossy().starts_with("inner-")))
    };
    while !is_compiling() {
        assert!(Instant::now() < deadline, "the child never began to compile");
        std::thread::sleep(Duration::from_millis(5));
    }
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

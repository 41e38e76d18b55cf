//! Compilers that behave badly, seen from a build; and builds that are killed while their compiler runs.
#![cfg(unix)]

use ferrocca_backend_cpu as _;
use ferrocca_core::{Device, ErrorKind, args};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SOURCE: &str = "@kernel void k(double *x) { for (int i = 0; i < 8; ++i; @outer) for (int j = 0; j < 8; ++j; @inner) x[8 * i + j] = 0; }";

/// A compiler that is a shell script; `"$@"` are the arguments of a C compiler.
fn compiler(directory: &Path, script: &str) -> PathBuf {
    let path = directory.join("compiler.sh");
    std::fs::write(&path, script).unwrap();
    path
}

fn build(directory: &Path, script: &str, timeout: f64) -> (ferrocca_core::Result<()>, Duration) {
    let (compiler, cache) = (compiler(directory, script), directory.join("cache"));
    let (compiler, cache) = (compiler.display(), cache.display());
    let props = format!("mode=Serial, cache_dir='{cache}', compiler=\"sh '{compiler}'\", compiler_timeout={timeout:?}");
    let device = Device::open(props.as_str()).unwrap();
    let begin = Instant::now();
    (device.build_kernel_from_string(SOURCE, "k", ()).map(|_| ()), begin.elapsed())
}

fn no_compiler() -> bool {
    let is_missing = Command::new("cc").arg("--version").stdout(Stdio::null()).status().is_err();
    if is_missing {
        println!("skipped: no C compiler");
    }
    is_missing
}

#[test]
fn a_compiler_that_closes_its_outputs_and_hangs_is_stopped_at_the_limit() {
    let directory = tempfile::tempdir().unwrap();
    let (result, elapsed) = build(directory.path(), "exec >/dev/null 2>&1; sleep 30", 0.5);
    let error = result.expect_err("it never ends");
    assert!(matches!(error.kind(), ErrorKind::Compiler { message } if message.contains("was stopped")), "{error}");
    assert!(elapsed < Duration::from_secs(10), "{elapsed:?}");
}

#[test]
fn a_compiler_that_leaves_a_server_behind_has_finished() {
    if no_compiler() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let (result, elapsed) = build(directory.path(), "cc \"$@\"; status=$?; sleep 30 & exit $status", 20.0);
    result.expect("it is built");
    assert!(elapsed < Duration::from_secs(15), "{elapsed:?}");
}

#[test]
fn a_compiler_that_says_much_does_not_fill_the_memory() {
    let directory = tempfile::tempdir().unwrap();
    let script = "echo first; head -c 300000000 /dev/zero; exit 1";
    let before = most_memory();
    let (result, _) = build(directory.path(), script, 60.0);
    assert!(most_memory() - before < 100 << 10, "{} kB more than {before} kB", most_memory() - before);
    let message = result.expect_err("it fails").to_string();
    assert!(message.contains("first\n") && message.contains("more bytes"));
    assert!(message.contains("(from the property `compiler`) ended with exit status 1; its flags were `"));
    assert!(message.len() < 70_000, "{} bytes", message.len());
}

/// Most memory that this process has had, in kB; 0 where the system does not tell.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or(0, |line| line.trim().trim_end_matches(" kB").parse().unwrap())
}

/// What runs is what was checked, in memory: were the file mapped, this would end the process.
#[test]
fn a_loaded_kernel_does_not_change_with_the_file_in_the_cache() {
    if no_compiler() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let props = format!("mode=Serial, cache_dir='{}'", directory.path().display());
    for origin in ["Compiled { not_cached: None }", "Disk"] {
        let device = Device::open(props.as_str()).unwrap();
        let kernel = device.build_kernel_from_string(SOURCE, "k", ()).unwrap();
        assert_eq!(format!("{:?}", kernel.origin()), origin);
        let entries = ferrocca_core::cache::Cache::new(directory.path()).entries().unwrap();
        let artifact = entries[0].path.join("artifact.bin");
        let bytes = std::fs::read(&artifact).unwrap();
        std::fs::write(&artifact, vec![0; bytes.len()]).unwrap();
        let mut memory = device.malloc_from(&[1.0_f64; 64]).unwrap();
        kernel.launch(args![&mut memory]).unwrap();
        assert_eq!(memory.to_vec().unwrap(), [0.0; 64]);
        std::fs::write(&artifact, bytes).unwrap();
    }
}

/// Not a test of its own: what the others start as another process, and kill.
#[test]
#[ignore = "started by the other tests"]
fn child() {
    let Some(directory) = std::env::var_os("CHILD_DIRECTORY") else {
        return;
    };
    let directory = Path::new(&directory);
    // The pass is a process of its own, as `cc1` is; it does not heed a polite request.
    let script = format!(
        "echo $$ >> '{0}/running'; sh -c \"trap '' TERM; echo \\$\\$ >> '{0}/running'; sleep 120\"; exit 1",
        directory.display()
    );
    let _ = build(directory, &script, 120.0);
}

#[test]
fn a_build_that_is_killed_leaves_no_compiler_and_no_directory_behind() {
    for signal in ["KILL", "INT", "TERM"] {
        let directory = tempfile::tempdir().unwrap();
        let temporary = directory.path().join("temporary");
        // What a power cut has left goes, too.
        let owner = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(directory.path()).unwrap());
        let old = temporary.join(format!("ferrocca-{owner}/working/ferrocca-old"));
        std::os::unix::fs::DirBuilderExt::mode(&mut std::fs::DirBuilder::new(), 0o700)
            .recursive(true)
            .create(&old)
            .unwrap();
        let two_days = Duration::from_secs(48 * 3600);
        std::fs::File::open(&old).unwrap().set_modified(std::time::SystemTime::now() - two_days).unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "child", "--ignored"]).env("CHILD_DIRECTORY", directory.path());
        child.env("TMPDIR", &temporary).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = child.spawn().unwrap();
        let running = || -> Vec<String> {
            let text = std::fs::read_to_string(directory.path().join("running")).unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        };
        eventually("the compiler starts its pass", || running().len() == 2);
        assert_eq!(sources(&temporary), 1, "the compiler works in the temporary directory");
        assert!(!old.exists());
        let status = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        assert!(status.success());
        child.wait().unwrap();
        let is_alive = |number: &String| {
            // Nobody may have waited for a process that has ended.
            let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
            !stat.contains(") Z ")
                && Command::new("kill").args(["-0", number]).stderr(Stdio::null()).status().unwrap().success()
        };
        eventually("the compiler and its pass end", || !running().iter().any(is_alive));
        eventually("its directory is removed", || sources(&temporary) == 0);
    }
}

fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < deadline, "not within 20 s: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Compilers' directories below a directory.
fn sources(root: &Path) -> usize {
    let entries = std::fs::read_dir(root).map(|entries| entries.flatten().collect::<Vec<_>>()).unwrap_or_default();
    let count = |entry: &std::fs::DirEntry| {
        let is_one =
            entry.file_name().to_string_lossy().starts_with("ferrocca-") && entry.path().join("kernel.c").exists();
        usize::from(is_one) + if entry.path().is_dir() { sources(&entry.path()) } else { 0 }
    };
    entries.iter().map(count).sum()
}

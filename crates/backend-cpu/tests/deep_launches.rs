//! Kernels whose launches compute deep expressions, built and launched on threads with little stack.

use ferrocca_core::{BuildOrigin, Device, ErrorKind, Result, args};
use std::path::Path;

// Links the backend, which then registers itself.
use ferrocca_backend_cpu as _;

/// Runs `work` on a thread in which a walk of some hundred levels overflows the stack.
fn on_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(64 * 1024).spawn(work).expect("there is a thread");
    thread.join().expect("it ends")
}

/// `((n % 1000 + 1) % 999 + 1) …`, two operators a level.
fn remainders(levels: usize) -> (String, i64) {
    let (mut text, mut value) = ("n".to_owned(), 20_000);
    for level in 0..levels {
        let by = 1000 - level as i64 % 900;
        text = format!("({text} % {by} + 1)");
        value = value % by + 1;
    }
    (text, value)
}

/// A kernel that counts its groups in `to`.
fn counting(host: &str, bound: &str) -> String {
    format!(
        "@kernel void count(const int n, int *to) {{
            {host}
            for (int o = 0; o < {bound}; ++o; @outer) {{
                for (int i = 0; i < 1; ++i; @inner) {{ if (o < 100000) {{ @atomic to[0] += 1; }} }}
            }}
        }}"
    )
}

fn open(mode: &str, directory: &Path) -> Result<Device> {
    Device::open(format!("{mode}, cache_dir='{}'", directory.display()).as_str())
}

/// Builds and launches on a device that has built nothing yet; answers how many groups there were, and whether the
/// directory had the kernel.
fn count(mode: &str, directory: &Path, source: &str) -> Result<(i64, BuildOrigin)> {
    let device = open(mode, directory)?;
    let kernel = device.build_kernel_from_string(source, "count", "")?;
    let mut to = device.malloc_filled(1, 0i32)?;
    kernel.launch(args![20_000, &mut to])?;
    let mut graph = device.record(|recorder| recorder.launch(&kernel, args![20_000, &mut to]).map(drop))?;
    graph.replay(2)?;
    let groups = i64::from(to.to_vec()?[0]);
    // What a caller may do with what a launch is made of.
    let signature = kernel.signature().clone();
    assert!(&signature == kernel.signature() && format!("{signature:?}").contains("nests"));
    assert!(!signature.bounds_text().is_empty());
    Ok((groups / 3, kernel.origin().clone()))
}

/// That a source is built once in all, whatever the stack, and counts what it should.
fn check(mode: &'static str, what: &str, source: String, expected: i64) {
    let directory = tempfile::tempdir().expect("there is a directory");
    for attempt in 0..2 {
        let (source, path) = (source.clone(), directory.path().to_path_buf());
        let (groups, origin) = on_small_stack(move || count(mode, &path, &source))
            .unwrap_or_else(|error| panic!("{mode}, {what}: {error}"));
        assert_eq!(groups, expected, "{mode}, {what}");
        let is_found = origin == BuildOrigin::Disk;
        assert_eq!(is_found, attempt == 1, "{mode}, {what}: {origin:?}");
    }
}

/// That a source is refused for a limit of the language, whatever the stack.
fn check_refused(what: &str, source: String, limit: &str) {
    let directory = tempfile::tempdir().expect("there is a directory");
    let path = directory.path().to_path_buf();
    let error = on_small_stack(move || count("mode=Serial", &path, &source)).expect_err(what);
    assert!(matches!(error.kind(), ErrorKind::Kernel { .. }), "{what}: {error}");
    assert!(error.to_string().contains("K008") && error.to_string().contains(limit), "{what}: {error}");
}

#[test]
fn bounds_may_be_as_deep_as_the_parser_takes_them() {
    for mode in ["mode=Serial", "mode=CPU, threads=2", "mode=Serial, checked=true"] {
        for levels in [20, 125] {
            let (bound, expected) = remainders(levels);
            check(mode, &format!("{levels} levels"), counting("", &bound), expected);
        }
    }
    for levels in [200, 2000] {
        check_refused(&format!("{levels} levels"), counting("", &remainders(levels).0), "levels");
    }
}

#[test]
fn statements_of_the_host_part_may_nest_as_deep_as_the_parser_takes_them() {
    let nested = |levels: usize| {
        let conditions: String = (0..levels).map(|level| format!("if (n > {level}) {{\n")).collect();
        counting(&format!("int m = 0; {conditions} m = n % 1000 + 7; {}", "}".repeat(levels)), "m")
    };
    // An `if` and its block are two levels.
    for levels in [20, 95] {
        check("mode=Serial", &format!("{levels} conditions"), nested(levels), 7);
    }
    check_refused("2000 conditions", nested(2000), "levels deep");
}

/// Constants made of each other, which stand for their values in what a launch computes.
fn constants(count: usize, of: impl Fn(String) -> String) -> String {
    let links = (1..count).map(|link| format!("const int c{link} = {};\n", of(format!("c{}", link - 1))));
    format!("const int c0 = n;\n{}", links.collect::<String>())
}

#[test]
fn sizes_made_of_constants_are_limited() {
    let source = |count: usize, sum: &str| {
        format!(
            "@kernel void count(const int n, int *to) {{
                {}
                for (int o = 0; o < 5; ++o; @outer) {{
                    @shared int s[c{}];
                    for (int i = 0; i < 1; ++i; @inner) {{ s[0] = 1; @atomic to[0] += s[0]; }}
                }}
            }}",
            constants(count, |last| format!("{last} % 900{sum}")),
            count - 1
        )
    };
    check("mode=Serial", "200 constants", source(200, " + 1"), 5);
    check_refused("300 constants", source(300, " + 1"), "256 constants");
    // Each as deep as the parser takes it.
    check_refused("250 long constants", source(250, &" + 1".repeat(250)), "1000 levels");
}

#[test]
fn counts_may_be_made_of_any_number_of_constants() {
    let source = |count: usize, first: &str, second: &str| {
        let constants = constants(count, |last| format!("{last} - 1"));
        format!(
            "@kernel void count(const int n, int *to) {{
                for (int o = 0; o < 5; ++o; @outer{first}) {{
                    {constants}
                    for (int i = 0; i < c{}; ++i; {second}) {{ @atomic to[0] += 1; }}
                }}
            }}",
            count - 1
        )
    };
    // Where a launch would compute too much of it, loops in the kernel count.
    for count in [200, 2000] {
        let expected = 5 * (20_000 - count as i64 + 1);
        check("mode=Serial", &format!("{count} constants of items"), source(count, "", "@inner"), expected);
        let groups = "@outer(0)) for (int j = 0; j < 1; ++j; @inner";
        check("mode=Serial", &format!("{count} constants of groups"), source(count, "(1)", groups), expected);
    }
}

#[test]
fn loops_on_one_axis_are_limited() {
    let source = |count: usize| {
        let loops: String = (0..count)
            .map(|number| {
                format!(
                    "for (int i = 0; i < n % {} + 1; ++i; @outer(0)) {{
                        for (int j = 0; j < 1; ++j; @inner) {{ if (i == 0) {{ @atomic to[0] += 1; }} }}
                    }}\n",
                    100 + number
                )
            })
            .collect();
        format!("@kernel void count(const int n, int *to) {{ for (int o = 0; o < 1; ++o; @outer(1)) {{ {loops} }} }}")
    };
    for count in [4, 60] {
        check("mode=Serial", &format!("{count} loops"), source(count), count as i64);
    }
    check_refused("1200 loops", source(1200), "1000 are possible");
}

#[test]
fn what_the_compiler_answers_is_cloned_and_dropped_on_any_stack() {
    on_small_stack(|| {
        let directory = tempfile::tempdir().expect("there is a directory");
        let file = directory.path().join("deep.okl");
        std::fs::write(&file, counting("", &remainders(125).0)).expect("it is written");
        let compiled = open("mode=Serial", directory.path()).and_then(|device| device.translate(&file, ""));
        let compiled = compiled.expect("it is in the language");
        let copy = compiled.clone();
        assert!(copy.module == compiled.module && copy.signatures == compiled.signatures);
        assert!(format!("{copy:?}").len() > compiled.ir(None).expect("it has IR").len());
    });
}

#[test]
fn proofs_of_long_chains_of_loops_take_no_stack_of_the_threads() {
    let loops: String = (1..45).map(|k| format!("for (int k{k} = 0; k{k} <= k{}; ++k{k}) {{\n", k - 1)).collect();
    let source = format!(
        "@kernel void count(const int n, int *to) {{
            for (int o = 0; o < n - 19997; ++o; @outer) {{
                for (int i = 0; i < 1; ++i; @inner) {{
                    for (int k0 = 0; k0 < n - 19999; ++k0) {{ {loops} @atomic to[k44] += 1; {} }}
                }}
            }}
        }}",
        "}".repeat(44)
    );
    check("mode=Serial", "44 loops", source, 3);
}

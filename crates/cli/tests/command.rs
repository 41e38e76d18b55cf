//! The command `ferrocca` as its user sees it: output, exit codes, failures.

use std::path::Path;
use std::process::{Command, Output, Stdio};

const KERNELS: &str = "
#ifndef FACTOR
#define FACTOR 2
#endif
#include \"shape.h\"

@kernel void scale(const int n, double *x) {
  for (int i = 0; i < n; ++i; @tile(WIDTH, @outer, @inner)) {
    x[i] *= FACTOR;
  }
}

@kernel void clear(const int n, double *x) {
  for (int i = 0; i < n; ++i; @tile(WIDTH, @outer, @inner)) {
    x[i] = 0;
  }
}
";

/// A directory with a file of kernels, the header that it includes, and a cache.
struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("kernels.okl"), KERNELS).unwrap();
        std::fs::create_dir(directory.path().join("include")).unwrap();
        std::fs::write(directory.path().join("include/shape.h"), "#define WIDTH 64\n").unwrap();
        Self { directory }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        // Named by cargo to a running test too: the program may be elsewhere than where it was built.
        let program = std::env::var_os("CARGO_BIN_EXE_ferrocca");
        let mut command = Command::new(program.unwrap_or_else(|| env!("CARGO_BIN_EXE_ferrocca").into()));
        command.args(arguments).current_dir(self.path()).env("FERROCCA_CACHE_DIR", self.path().join("cache"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).stdin(Stdio::null()).output().expect("ferrocca starts")
    }

    fn succeed(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {text}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn fail(&self, arguments: &[&str], code: i32) -> String {
        let text = self.refuse(arguments, code);
        assert!(text.starts_with("error: "), "{arguments:?}: {text}");
        text
    }

    /// What it says where it fails, `error: …` or a place and then that.
    fn refuse(&self, arguments: &[&str], code: i32) -> String {
        let output = self.run(arguments);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
        text
    }

    /// Files of the cache, without the locks, which stay.
    fn cached_files(&self) -> usize {
        fn count(path: &Path) -> usize {
            let Ok(entries) = std::fs::read_dir(path) else {
                return 0;
            };
            let paths = entries.map(|entry| entry.unwrap().path());
            paths
                .filter(|path| path.file_name().is_some_and(|name| name != "locks"))
                .map(|path| if path.is_dir() { count(&path) } else { 1 })
                .sum()
        }
        count(&self.path().join("cache"))
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn has_c_compiler() -> bool {
    let found = ["cc", "gcc", "clang"].iter().any(|compiler| {
        let version = Command::new(compiler).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    });
    let required = std::env::var_os("FERROCCA_REQUIRE_CC").is_some();
    assert!(found || !required, "FERROCCA_REQUIRE_CC is set, and there is no C compiler");
    if !found {
        eprintln!("skipped: there is no C compiler");
    }
    found
}

#[test]
fn info_lists_devices_and_why_others_are_missing() {
    let text = Place::new().succeed(&["info"]);
    let rows: Vec<&str> = text.lines().collect();
    assert!(rows[0].starts_with("device ") && rows[0].contains("double  64-bit atomics  name"), "{text}");
    assert!(rows.iter().all(|row| row.chars().count() <= 100), "{text}");
    // The row of a mode's first device, and what stands below it.
    let entry = |mode: &str| {
        let at = rows.iter().position(|row| row.starts_with(mode)).expect("a row per mode");
        let below = rows[at + 1..].iter().take_while(|row| row.starts_with("    "));
        (rows[at], below.map(|row| row.trim()).collect::<Vec<_>>().join(" "))
    };
    for mode in ["Serial", "CPU"] {
        let (row, below) = entry(mode);
        assert!(row.contains(" GiB ") && row.contains("  yes "), "{row}");
        assert!(below.contains("compiler: "), "{below}");
    }
    // A device, or what the machine lacks.
    for (mode, lacks) in [("CUDA", "NVIDIA driver"), ("OpenCL", "OpenCL library"), ("WebGPU", "driver")] {
        let (row, below) = entry(mode);
        assert!(row.contains(" GiB ") || row.contains("not available") && below.contains(lacks), "{row}\n{below}");
    }
    let json: serde_json::Value = serde_json::from_str(&Place::new().succeed(&["info", "--json"])).unwrap();
    let serial = json.as_array().unwrap().iter().find(|mode| mode["mode"] == "Serial").unwrap();
    assert_eq!((&serial["devices"][0]["open"], &serial["devices"][0]["double"]), (&"Serial".into(), &true.into()));
}

/// Mesa's layer that sorts Vulkan's devices prints an error where it is made to look for a desktop that is not there.
#[test]
fn info_looks_for_no_desktop() {
    let place = Place::new();
    let output = place
        .command(&["info"])
        .env_remove("XDG_RUNTIME_DIR")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !errors.contains("XDG_RUNTIME_DIR"), "{errors}");
}

#[test]
fn modes_lists_names_aliases_and_properties() {
    let text = Place::new().succeed(&["modes"]);
    for part in
        ["Serial: ", "CPU (also OpenMP): ", "threads", "compiler", "defines", "include_dirs", "cache_dir", "order"]
    {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    assert_eq!(text.matches("  the properties of ").count(), 3, "the modes of wgpu take the same: {text}");
    let json: serde_json::Value = serde_json::from_str(&Place::new().succeed(&["modes", "--json"])).unwrap();
    assert!(json["kernel_properties"]["defines"].is_string() && json["modes"][0]["device_properties"].is_object());
}

#[test]
fn text_comes_and_goes_as_asked() {
    let place = Place::new();
    let source = "@kernel void one(int *x) { for (int i = 0; i < 4; ++i; @tile(4, @outer, @inner)) x[i] = 1; }";
    let pipe = |arguments: &[&str], source: &str| {
        use std::io::Write;
        let mut command = place.command(arguments);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, text, _) = pipe(&["translate", "-m", "CUDA", "-"], source);
    assert!(code == Some(0) && text.contains("one"), "{text}");
    let (code, nothing, _) = pipe(&["translate", "-m", "CUDA", "-", "-o", "one.cu"], source);
    assert_eq!((code, nothing.as_str()), (Some(0), ""));
    assert_eq!(std::fs::read_to_string(place.path().join("one.cu")).unwrap(), text);
    let (code, _, wrong) = pipe(&["run", "-m", "Reference", "-", "x=4"], "@kernel void f(");
    assert!(code == Some(1) && wrong.starts_with("<stdin>:1:16: error: "), "{wrong}");
    let (_, ran, wrong) = pipe(&["run", "-m", "Reference", "-", "x=4"], source);
    assert!(ran.contains("1 1 1 1"), "{ran}{wrong}");
    // No terminal, no colours.
    assert!(!wrong.contains('\x1b'), "{wrong}");
    let text = place.fail(&["translate", "kernels.okl", "-I", "include", "-o", "none/one.cu"], 1);
    assert!(text.contains("none/one.cu"), "{text}");
}

#[test]
fn shells_complete_subcommands() {
    for shell in ["bash", "zsh", "fish"] {
        let text = Place::new().succeed(&["completions", shell]);
        assert!(text.contains("translate") && text.contains("ferrocca"), "{text}");
    }
}

#[test]
fn the_environment_asks_for_words_about_builds() {
    let place = Place::new();
    let run = |log: &str| {
        let arguments = ["compile", "-m", "Reference", "kernels.okl", "-I", "include", "-k", "scale"];
        let output = place.command(&arguments).env("FERROCCA_LOG", log).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    let text = run("info");
    assert!(text.starts_with("ferrocca: kernel `scale` of kernels.okl for `Reference`: compiled in "), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    let text = run("debug");
    assert!(text.contains("found in the cache") && text.contains("ferrocca:   cache entry: "), "{text}");
    let entry = text.lines().find_map(|line| line.split_once("cache entry: ")).unwrap().1;
    assert!(Path::new(entry).is_dir(), "{entry}");
    assert_eq!(run("loud"), "ferrocca: FERROCCA_LOG=loud: expected `off`, `info` or `debug`\n");
    assert_eq!(run("off"), "");
}

#[test]
fn env_and_version_say_what_they_are_asked() {
    let place = Place::new();
    let text = place.succeed(&["env"]);
    let row = text.lines().find(|line| line.starts_with("FERROCCA_CACHE_DIR")).unwrap();
    assert!(row.contains(place.path().join("cache").to_str().unwrap()), "{row}");
    let output = place.command(&["env"]).env_remove("CC").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let row = text.lines().find(|line| line.starts_with("CC ")).unwrap();
    assert!(row.contains("(not set)"), "{row}");
    let path = text.lines().find(|line| line.starts_with("PATH ")).unwrap();
    assert!(path.contains(" directories)"), "{path}");
    assert!(text.contains("FERROCCA_DEVICE "), "{text}");
    let narrow = |arguments: &[&str]| {
        let output = place.command(arguments).env("COLUMNS", "80").output().unwrap();
        String::from_utf8(output.stdout).unwrap().lines().map(|line| line.chars().count()).max().unwrap()
    };
    assert!(narrow(&["explain"]) <= 80 && narrow(&["modes"]) <= 80, "{} {}", narrow(&["explain"]), narrow(&["modes"]));
    let version = place.succeed(&["version"]);
    assert_eq!(version, format!("ferrocca {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn translate_prints_the_same_text_each_time() {
    let place = Place::new();
    let arguments = ["translate", "-m", "cpu", "kernels.okl", "-I", "include"];
    let text = place.succeed(&arguments);
    assert!(text.contains("scale") && text.contains("clear"), "{text}");
    assert!(!text.contains("#line"), "{text}");
    assert_eq!(text, place.succeed(&arguments));
    assert_eq!(place.cached_files(), 0, "translating writes nothing");

    let other = place.succeed(&[&arguments[..], &["-D", "FACTOR=77"]].concat());
    assert!(other.contains("77") && !text.contains("77"), "{other}");
}

#[test]
fn translate_prints_the_ir_once_checked_or_after_a_pass() {
    let place = Place::new();
    let ir = |option: &str| place.succeed(&["translate", "-m", "cpu", option, "kernels.okl", "-I", "include"]);
    let checked = ir("--ir");
    assert!(checked.contains("kernel scale(") && checked.contains("launch 0"), "{checked}");
    ferrocca::okl::ir::parse(&checked).unwrap();
    assert!(ir("--ir=privatize").contains("kernel scale("));
    assert!(ir("--ir=loops").contains("nest 0 looped"));
    for (mode, pass) in [("cuda", "coarsen"), ("webgpu", "specialise_pointers")] {
        let option = format!("--ir={pass}");
        let threads = place.succeed(&["translate", "-m", mode, &option, "kernels.okl", "-I", "include"]);
        assert!(threads.contains("nest 0 simt"), "{threads}");
        assert_eq!(threads.contains("root "), mode == "webgpu", "{threads}");
    }
    let unknown = place.fail(&["translate", "--ir=lunch", "kernels.okl", "-I", "include"], 1);
    assert!(unknown.contains("`lunch`") && unknown.contains("structure_exits, privatize"), "{unknown}");
}

#[test]
fn translate_needs_no_device() {
    let place = Place::new();
    let arguments = ["translate", "-m", "CPU", "kernels.okl", "-I", "include"];
    let with_device = place.succeed(&arguments);
    let file = place.path().join("kernels.okl");
    let include = format!("include_dirs: ['{}']", place.path().join("include").display());
    let compiled = ferrocca::translate("cpu", &file, include.as_str()).unwrap();
    assert_eq!(compiled.text, with_device);
    let error = ferrocca::translate("Abacus", &file, include.as_str()).unwrap_err();
    assert!(error.to_string().contains("Abacus"), "{error}");
    let error = ferrocca::translate("CPU", &file, "").unwrap_err();
    assert!(error.to_string().contains("shape.h"), "{error}");
}

#[test]
fn compile_fills_the_cache_and_clear_empties_it() {
    if !has_c_compiler() {
        return;
    }
    let place = Place::new();
    let arguments = ["compile", "-m", "Serial", "kernels.okl", "-I", "include"];
    let text = place.succeed(&arguments);
    assert!(text.contains("scale") && text.contains("clear") && text.contains("compiled"), "{text}");
    let files = place.cached_files();
    assert!(files > 0, "the cache holds what was built");
    let again = place.succeed(&arguments);
    assert!(again.contains("in the cache") && !again.contains("compiled"), "{again}");
    assert_eq!(place.cached_files(), files);

    // Nobody answers: nothing is removed.
    let text = place.fail(&["clear"], 1);
    assert!(text.contains("--yes"), "{text}");
    assert_eq!(place.cached_files(), files);
    place.succeed(&["clear", "--yes"]);
    assert_eq!(place.cached_files(), 0);
    place.succeed(&["clear", "--yes"]);
}

#[test]
fn compile_writes_bundles() {
    let place = Place::new();
    let arguments =
        ["compile", "-I", "include", "kernels.okl", "--bundle", "k.bundle", "--for", "Reference", "--for", "CUDA"];
    let text = place.succeed(&arguments);
    assert!(text.starts_with("k.bundle: Reference, CUDA"), "{text}");
    assert!(place.path().join("k.bundle").exists());
    let device = ferrocca::Device::open("mode=Reference").unwrap();
    device.build_kernel_from_bundle(place.path().join("k.bundle"), "scale").unwrap();
    place.fail(&["compile", "kernels.okl", "--for", "Serial"], 2);
}

#[test]
fn wrong_usage_ends_with_2() {
    let place = Place::new();
    for arguments in [&["frobnicate"][..], &["translate"], &["translate", "x.okl", "-D", "=1"], &["info", "more"]] {
        place.fail(arguments, 2);
    }
}

#[test]
fn failures_end_with_1_and_say_what_is_wrong() {
    let place = Place::new();
    std::fs::write(place.path().join("wrong.okl"), "@kernel void f(int n) { n = ; }\n").unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&["translate", "no-such-file.okl"], "no-such-file.okl"),
        (&["compile", "no-such-file.okl"], "no-such-file.okl"),
        (&["translate", "-I", "include", "-m", "Abacus", "kernels.okl"], "Abacus"),
        (&["translate", "-I", "include", "-m", "CPU, treads=2", "kernels.okl"], "threads"),
        (&["compile", "-I", "include", "-k", "scael", "kernels.okl"], "scale"),
    ];
    for (arguments, expected) in cases {
        let text = place.fail(arguments, 1);
        assert!(text.contains(expected), "{arguments:?}: {text}");
    }
}

/// As compilers say it, so that editors find the place: at the beginning of a line, and no path twice.
#[test]
fn what_is_wrong_with_a_kernel_begins_with_its_place() {
    let place = Place::new();
    std::fs::write(place.path().join("wrong.okl"), "@kernel void f(int n) { n = ; }\n").unwrap();
    for command in ["translate", "compile", "run"] {
        let text = place.refuse(&[command, "wrong.okl"], 1);
        assert!(text.starts_with("wrong.okl:1:29: error: expected an expression, found `;`"), "{text}");
        assert_eq!(text.matches("wrong.okl").count(), 1, "{text}");
        let text = place.refuse(&[command, "kernels.okl"], 1);
        assert!(text.starts_with("kernels.okl:5:10: error: ") && text.contains("shape.h"), "{text}");
    }
}

#[test]
fn warnings_have_levels_and_rules_are_explained() {
    let place = Place::new();
    let source = "@kernel void f(float *x, ) { for (int i = 0; i < 8; ++i; @tile(4, @outer, @inner)) x[i] = 1; }\n";
    std::fs::write(place.path().join("comma.okl"), source).unwrap();
    let says = |more: &[&str], code: i32, expected: &str| {
        let text = place.refuse(&[&["translate", "comma.okl", "-m", "Serial"], more].concat(), code);
        let is_it = if expected.is_empty() { text.is_empty() } else { text.starts_with(expected) };
        assert!(is_it, "{more:?}: {text}");
    };
    says(&[], 0, "comma.okl:1:24: warning: no parameter follows this `,` [K025]\n");
    says(&["-W", "no-trailing-comma"], 0, "");
    says(&["-W", "error=trailing-comma"], 1, "comma.okl:1:24: error: no parameter follows this `,` [K025]\n");
    says(&["--props", "warnings: [error, no-K025]"], 0, "");
    says(&["--props", "warnings: 'no-K025'", "-W", "error=K025"], 1, "comma.okl:1:24: error: ");
    says(&["-W", "no-comma"], 1, "error: ");
    let page = place.succeed(&["explain", "k025"]);
    assert_eq!(page, place.succeed(&["explain", "trailing-comma"]));
    assert!(page.starts_with("## K025 trailing-comma\n") && page.contains("Wrong (warning):"), "{page}");
    let list = place.succeed(&["explain"]);
    assert_eq!(list.lines().filter(|line| line.starts_with('K')).count(), ferrocca::okl::rules::all().count());
    assert!(list.lines().all(|line| line.chars().count() <= 100), "{list}");
    assert!(place.fail(&["explain", "K999"], 1).contains("there is no rule `K999`"));
}

#[test]
fn what_is_doubtful_is_said_each_time_a_kernel_is_built() {
    if !has_c_compiler() {
        return;
    }
    let place = Place::new();
    let source = "@kernel void count(const int n, int *a) {
  for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) a[0] += i ^ 2;
}
";
    std::fs::write(place.path().join("count.okl"), source).unwrap();
    // The second time the kernel comes from the cache.
    for _ in 0..2 {
        let output = place.run(&["compile", "count.okl"]);
        let text = stderr(&output);
        assert!(output.status.success(), "{text}");
        let said = [
            "count.okl:2:58: warning: several items update `a[0]` at the same time: updates get lost [K086]",
            "write `@atomic a[0] += …`, or let one of them do it: `if (i == 0)`",
            "count.okl:2:66: warning: `^` is the exclusive or, not a power: `3 ^ 2` is 1 [K089]",
            "for the power write `i * i` or `pow(i, 2)`; if bits are meant, write the number in hexadecimal: `0x2`",
        ];
        assert!(said.iter().all(|part| text.contains(part)), "{text}");
        assert_eq!(text.matches("warning: ").count(), 2, "{text}");
    }
    let output = place.run(&["compile", "count.okl", "-W", "no-lost-update", "-W", "no-xor-as-power"]);
    assert_eq!(stderr(&output), "");
}

#[test]
fn what_is_missing_is_named_with_the_option_that_gives_it() {
    let place = Place::new();
    let text = place.refuse(&["translate", "kernels.okl"], 1);
    let here = place.path().canonicalize().unwrap();
    assert!(text.contains(&format!("`shape.h` is not in {}", here.display())), "{text}");
    assert!(text.contains("by `-I DIR`") && text.contains("`include_dirs`"), "{text}");
    let source = "@kernel void k(const int n, int *a) {\n  for (int i = 0; i < n; ++i; @tile(TILE, @outer, @inner)) a[i] = 1;\n}\n";
    std::fs::write(place.path().join("tile.okl"), source).unwrap();
    let text = place.refuse(&["translate", "tile.okl"], 1);
    assert!(text.contains("define it: `-D TILE=16` on the command line, `defines: {TILE: 16}`"), "{text}");
    let text = stderr(&place.run(&["translate", "-I", "include", "-I", "nodir", "kernels.okl"]));
    assert!(text.starts_with("warning: there is no directory nodir (`-I`, property `include_dirs`)\n"), "{text}");
    assert!(!text.contains("include ("), "{text}");
    let text = place.fail(&["translate", "-I", "include", "kernels.okl", "-m", "Serial", "-o", "nodir/x.c"], 1);
    assert_eq!(text, "error: nodir/x.c: there is no directory nodir\n");
    let text = place.fail(&["translate", "no.okl"], 1);
    assert!(text.contains("no.okl: No such file or directory") && !text.contains("os error"), "{text}");
    assert_eq!(text.matches("no.okl").count(), 1, "{text}");
}

#[test]
fn memory_that_nothing_was_written_to_gets_a_hint() {
    if !has_c_compiler() {
        return;
    }
    let place = Place::new();
    let source = "@kernel void add(const int n, int *a) {
  for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) a[i] += 1;
}
";
    std::fs::write(place.path().join("add.okl"), source).unwrap();
    let text = place.refuse(&["run", "--checked", "add.okl", "n=10", "a=10"], 1);
    assert!(text.contains("`a` is read before it was written"), "{text}");
    assert!(text.trim_end().ends_with("  = hint: to begin with zeros, give it as `a=10:0`"), "{text}");
    assert!(place.succeed(&["run", "--checked", "add.okl", "n=10", "a=10:0"]).contains("1 1 1 1"));
}

#[test]
fn findings_are_printed_as_json_for_editors() {
    let place = Place::new();
    let source = "@kernel void f(float *x, ) {\n  for (int i = 0; i < 8; ++i; @tile(4, @outer, @inner)) x[i] = y;\n}\n";
    std::fs::write(place.path().join("wrong.okl"), source).unwrap();
    for command in ["translate", "compile", "run"] {
        let text = place.refuse(&[command, "wrong.okl", "--message-format", "json", "-m", "Serial"], 1);
        let found: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let [comma, name] = &found[..] else { panic!("{text}") };
        assert_eq!((&comma["severity"], &comma["code"]), (&"warning".into(), &"K025".into()), "{text}");
        let place = ["file", "line", "column", "end_line", "end_column"].map(|field| name[field].to_string());
        assert_eq!(place, ["\"wrong.okl\"", "2", "64", "2", "65"], "{text}");
        assert_eq!((&name["name"], &name["message"]), (&"undeclared".into(), &"name `y` is not declared".into()));
        let rendered = name["rendered"].as_str().unwrap();
        assert!(rendered.starts_with("wrong.okl:2:64: error: name `y` is not declared [K030]\n"), "{text}");
    }
    let text = place.refuse(&["compile", "none.okl", "--message-format=json", "-m", "Serial"], 1);
    let error: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(error["severity"] == "error" && error["message"].as_str().unwrap().contains("none.okl"), "{text}");
}

#[test]
fn translate_says_for_which_device() {
    let place = Place::new();
    let translate = |mode: &str, more: &[&str]| {
        let arguments = [&["translate", "-I", "include", "kernels.okl", "-m", mode], more].concat();
        let output = place.run(&arguments);
        assert!(output.status.success(), "{}", stderr(&output));
        (String::from_utf8_lossy(&output.stdout).into_owned(), stderr(&output))
    };
    for mode in ["OpenCL", "mode=OpenCL", "WebGPU"] {
        let (_, note) = translate(mode, &[]);
        assert!(note.starts_with("note: this is the text for "), "{note}");
        let says_which = note.contains("--any-device prints that for any device");
        assert!(says_which || note.contains("any device of the mode; mode `"), "{note}");
        let (any, note) = translate(mode, &["--any-device"]);
        assert_eq!(note, "");
        let bare = mode.trim_start_matches("mode=");
        let include = format!("include_dirs: ['{}']", place.path().join("include").display());
        let file = place.path().join("kernels.okl");
        assert_eq!(any, ferrocca::translate(bare, file, include.as_str()).unwrap().text);
    }
    // All devices of these get the same text: none is opened, and there is nothing to say.
    for mode in ["CUDA", "CPU", "Serial"] {
        assert_eq!(translate(mode, &[]).1, "");
    }
}

#[test]
fn run_launches_a_kernel_and_shows_its_memory() {
    let place = Place::new();
    let scale = ["run", "kernels.okl", "-I", "include", "-m", "Serial", "--kernel", "scale"];
    let with = |more: &[&'static str]| [&scale[..], more].concat();
    let text = place.succeed(&with(&["n=4", "x=4:index"]));
    assert!(text.contains("x (f64)  4         0      6         3     0.0 2.0 4.0 6.0"), "{text}");
    let text = place.succeed(&with(&["n=4", "x=2*2:1.5", "-D", "FACTOR=3", "--repeat", "3"]));
    assert!(text.contains("3 launches, best") && text.contains("40.5 40.5 40.5 40.5"), "{text}");
    let text = place.fail(&with(&["n=4"]), 1);
    assert!(text.contains("`scale` takes more arguments; missing: x=ELEMENTS[:FILL]"), "{text}");
    let text = place.fail(&with(&["n=4", "x=4", "y=1"]), 1);
    assert!(text.contains("`scale` has no argument `y`; it takes: n=<int> x=ELEMENTS[:FILL]"), "{text}");
    let text = place.fail(&with(&["n=4.5", "x=4"]), 1);
    assert!(text.contains("`n=4.5`: it is not a number of type `int`"), "{text}");
    let text = place.fail(&with(&["n=4", "x=4:ones"]), 1);
    assert!(text.contains("`x=4:ones`: memory is filled with `random`"), "{text}");
    let text = place.fail(&with(&["n=5", "x=4:random"]), 1);
    assert!(text.contains("it would access element 4 of `x`"), "{text}");
    let text = place.fail(&["run", "kernels.okl", "-I", "include", "n=4", "x=4"], 1);
    assert!(text.contains("name one kernel of kernels.okl with --kernel: scale, clear"), "{text}");
}

#[test]
fn run_checked_says_where_and_who() {
    let place = Place::new();
    let scale = ["run", "--checked", "kernels.okl", "-I", "include", "-m", "Serial", "--kernel", "scale", "n=4", "x=4"];
    let text = place.refuse(&scale, 1);
    assert!(
        text.starts_with("kernels.okl:9:5: error: launching `scale`: `x` is read before it was written (group [0, 0, 0], item [0, 0, 0])"),
        "{text}"
    );
    let threads =
        ["run", "--checked", "kernels.okl", "-I", "include", "-m", "CPU, threads=2", "-k", "clear", "n=4", "x=4"];
    let text = place.fail(&threads, 1);
    assert!(text.contains("`checked` runs kernels on one thread: leave `threads` out"), "{text}");
    let other = ["run", "--checked", "kernels.okl", "-I", "include", "-m", "OpenCL", "-k", "clear", "n=4", "x=4"];
    let text = place.fail(&other, 1);
    assert!(text.contains("`--checked` is for the modes `Serial` and `CPU`; write `-m Serial`"), "{text}");
}

//! Building kernels on the null device: what is found where, what is compiled again, what is refused.

use ferrocca_conformance::null::{Call, NullBackend};
use ferrocca_core::{BuildOrigin, Device, ErrorKind, Kernel, Props, Result, args};
use std::fs;
use std::path::Path;

const SCALE: &str = "
@kernel void scale(const int n, const double a, double *x) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
    x[i] = a * x[i] + OFFSET;
  }
}
@kernel void clear(const int n, double *x) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
    x[i] = 0;
  }
}
";

struct Place {
    directory: tempfile::TempDir,
    backend: NullBackend,
}

impl Place {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), backend: NullBackend::new() }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    /// A device of its own, as a new process would have it, on the same cache directory.
    fn device(&self) -> Device {
        let props = Props::new().with("cache_dir", self.path().join("cache").to_str().unwrap());
        Device::open_with(&self.backend, props).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn build(&self, device: &Device, file: &str, name: &str, props: &Props) -> Result<Kernel> {
        device.build_kernel(self.path().join(file), name, props)
    }

    fn compiled(&self) -> u64 {
        self.backend.count(Call::Compile)
    }
}

fn props() -> Props {
    Props::new().define("OFFSET", 1)
}

const COMPILED: BuildOrigin = BuildOrigin::Compiled { not_cached: None };

#[test]
fn a_source_is_compiled_once() {
    let place = Place::new();
    place.write("scale.okl", SCALE);
    let device = place.device();
    let first = place.build(&device, "scale.okl", "scale", &props()).unwrap();
    assert_eq!((first.name(), first.origin(), place.compiled()), ("scale", &COMPILED, 1));
    assert!(first.source().contains("scale"));
    let again = place.build(&device, "scale.okl", "scale", &props()).unwrap();
    assert_eq!((again.origin(), place.compiled()), (&BuildOrigin::Memory, 1));
    let other = place.build(&device, "scale.okl", "clear", &props()).unwrap();
    assert_eq!((other.name(), other.origin(), place.compiled()), ("clear", &BuildOrigin::Memory, 1));
    let warm = place.build(&place.device(), "scale.okl", "clear", &props()).unwrap();
    assert_eq!((warm.origin(), place.compiled()), (&BuildOrigin::Disk, 1));
    assert_eq!((warm.source(), warm.signature()), (other.source(), other.signature()));
    let mut x = warm.device().malloc::<f64>(40).unwrap();
    place.backend.record_launches();
    warm.launch(args![40, &mut x]).unwrap();
    assert_eq!(place.backend.launches().len(), 1);
}

#[test]
fn what_matters_is_compiled_anew_and_what_does_not_is_shared() {
    let place = Place::new();
    place.write("scale.okl", SCALE);
    let origin =
        |file: &str, props: &Props| place.build(&place.device(), file, "scale", props).unwrap().origin().clone();
    assert_eq!(origin("scale.okl", &props()), COMPILED);
    assert_eq!(origin("scale.okl", &props()), BuildOrigin::Disk);
    assert_eq!(origin("scale.okl", &props().define("OFFSET", 2)), COMPILED);
    assert_eq!(origin("scale.okl", &props().with("compiler_flags", "-O1")), COMPILED);
    assert_eq!(origin("scale.okl", &props().with("fp_contract", "fast")), COMPILED);
    assert_eq!(place.compiled(), 4);
    // Another file and other macros, yet the same text after preprocessing: one artifact serves both.
    place.write("copy/commented.okl", &format!("// A comment.\n{}", SCALE.replace("OFFSET", "SHIFT")));
    assert_eq!(origin("copy/commented.okl", &Props::new().define("SHIFT", 1)), BuildOrigin::Disk);
    assert_eq!(origin("copy/commented.okl", &Props::new().define("SHIFT", 3)), COMPILED);
    assert_eq!(place.compiled(), 5);
    // Another compiler, driver or processor.
    place.backend.set_identity("compiler 2");
    assert_eq!(origin("scale.okl", &props()), COMPILED);
    place.backend.set_identity("");
    assert_eq!(origin("scale.okl", &props()), BuildOrigin::Disk);
}

#[test]
fn a_changed_source_is_built_again() {
    let place = Place::new();
    let device = place.device();
    place.write("scale.okl", SCALE);
    let old = place.build(&device, "scale.okl", "scale", &props()).unwrap();
    place.write("scale.okl", &SCALE.replace("a * x", "a + x"));
    let new = place.build(&device, "scale.okl", "scale", &props()).unwrap();
    assert_ne!(old.source(), new.source());
    assert_eq!(place.compiled(), 2);
}

#[test]
fn includes_are_found_noticed_and_followed() {
    let place = Place::new();
    place.write("main.okl", &format!("#include \"sub/offset.h\"\n{SCALE}"));
    place.write("sub/offset.h", "#include \"value.h\"\n#define OFFSET VALUE\n");
    place.write("sub/value.h", "#define VALUE 11\n");
    let kept = place.device();
    let build = |device: &Device| place.build(device, "main.okl", "scale", &Props::new()).unwrap();
    assert!(build(&kept).source().contains("11"));
    assert_eq!((build(&kept).origin(), build(&place.device()).origin()), (&BuildOrigin::Memory, &BuildOrigin::Disk));
    // An include of an include changes, with the same size and within the same tick of the clock.
    place.write("sub/value.h", "#define VALUE 22\n");
    assert!(build(&kept).source().contains("22"));
    assert!(build(&place.device()).source().contains("22"));
    assert_eq!(place.compiled(), 2);
    // And back: the artifact of the old text is still there.
    place.write("sub/value.h", "#define VALUE 11\n");
    assert!(build(&kept).source().contains("11"));
    assert_eq!(place.compiled(), 2);
}

#[test]
fn an_include_that_appears_earlier_in_the_search_path_wins() {
    let place = Place::new();
    place.write("main.okl", &format!("#include <offset.h>\n{SCALE}"));
    place.write("second/offset.h", "#define OFFSET 33\n");
    let directories = ["first", "second"].map(|name| place.path().join(name).to_str().unwrap().to_string());
    let props = Props::new().with("include_dirs", directories);
    let kept = place.device();
    let text = |device: &Device| place.build(device, "main.okl", "scale", &props).unwrap().source().to_string();
    assert!(text(&kept).contains("33"));
    place.write("first/offset.h", "#define OFFSET 44\n");
    assert!(text(&kept).contains("44"));
    assert!(text(&place.device()).contains("44"));
}

#[test]
fn a_missing_include_is_named_with_the_places() {
    let place = Place::new();
    place.write("main.okl", "\n#include \"nowhere.h\"\n@kernel void k() {}\n");
    let error = place.build(&place.device(), "main.okl", "k", &Props::new().with("include_dirs", "/inc")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Kernel { .. }));
    let text = error.to_string();
    assert!(text.contains("main.okl:2:"), "{text}");
    let current = std::env::current_dir().unwrap();
    let (beside, current) = (place.path().display(), current.display());
    let expected = format!("`nowhere.h` is neither in {beside} nor in /inc nor in {current}: name the directory");
    assert!(text.contains(&expected), "{text}");
    let source = "#include \"nowhere.h\"\n@kernel void k() {}\n";
    let text = place.device().build_kernel_from_string(source, "k", "").unwrap_err().to_string();
    let expected =
        format!("`nowhere.h` is not in {current}: name the directory that it is in by the property `include_dirs`");
    assert!(text.contains(&expected) && text.contains("by `-I DIR`"), "{text}");
}

#[test]
fn headers_and_includes_stand_before_the_source_and_move_no_line() {
    let place = Place::new();
    place.write("offset.h", "#define OFFSET (FIRST + 1)\n");
    place.write("main.okl", SCALE);
    let props = Props::new().with("headers", ["#define FIRST 55"]).with("includes", ["offset.h"]);
    let kernel = place.build(&place.device(), "main.okl", "scale", &props).unwrap();
    assert!(kernel.source().contains("56.0"), "{}", kernel.source());
    place.write("main.okl", &SCALE.replace("OFFSET", "UNKNOWN"));
    let error = place.build(&place.device(), "main.okl", "scale", &props).unwrap_err().to_string();
    assert!(error.contains("main.okl:4:"), "{error}");
    let error =
        place.device().build_kernel_from_string(SCALE, "scale", Props::new().with("headers", ["@@@"])).unwrap_err();
    assert!(error.to_string().contains("<property headers>:1:"), "{error}");
    let missing = Props::new().with("includes", ["gone.h"]);
    let error = place.device().build_kernel_from_string(SCALE, "scale", missing).unwrap_err();
    assert!(error.to_string().contains("<property includes>:1:10: error: cannot include `gone.h`"), "{error}");
}

#[test]
fn defines_become_macros() {
    let place = Place::new();
    let text = |props: &str| {
        let kernel = place.device().build_kernel_from_string(SCALE, "scale", props);
        kernel.map_or_else(|error| error.to_string(), |kernel| kernel.source().to_string())
    };
    assert!(text("defines/OFFSET=77").contains("77"));
    assert!(text("{defines: {OFFSET: 'F(66)', 'F(x)': '(x + 1)'}}").contains("67.0"));
    assert!(text("defines/OFFSET=0.125").contains("0.125"));
    assert_eq!(
        text("{defines: {OFFSET: [1]}}"),
        "define `OFFSET` takes a number, text or true/false, got [1] (a list)"
    );
    assert_eq!(text("defines=5"), "property `defines` takes a map, got 5 (an integer)");
    assert_eq!(
        text("define=5"),
        "unknown kernel property `define` (did you mean `defines`?); known: `defines`, `includes`, `include_dirs`, \
         `headers`, `fp_contract`, `checks`, `warnings`, `sizes`, `okl`, `tune`, \
         `verbose`, `compiler_flags`"
    );
    assert_eq!(text("fp_contract=on"), "property `fp_contract` takes 'off' or 'fast', got 'on'");
    let device = Device::open_with(&place.backend, "kernel/defines/OFFSET=88, kernel/fp_contract=fast").unwrap();
    let build = |props: &str| device.build_kernel_from_string(SCALE, "scale", props).unwrap().source().to_string();
    assert!(build("").contains("88"), "the device's own properties are the default");
    assert!(build("defines/OFFSET=99").contains("99"), "the kernel's count more");
}

#[test]
fn what_cannot_be_built_says_so() {
    let place = Place::new();
    place.write("scale.okl", SCALE);
    fs::write(place.path().join("binary.okl"), b"abc\xff").unwrap();
    let device = place.device();
    let error = |file: &str, name: &str| place.build(&device, file, name, &props()).unwrap_err();
    for (sizes, expected) in [
        (
            "sizes: {scael: [1]}",
            "`sizes`: there is no kernel `scael` in <string> (did you mean `scale`?); its kernels: `scale`",
        ),
        ("sizes: {scale: [1]}", "`sizes`: `scale` has no `@shared` array whose size a launch decides: leave it out"),
    ] {
        let props = Props::parse(sizes).unwrap().define("OFFSET", 1);
        let error = device.build_kernel_from_string(SCALE, "scale", props).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Props { message } if message.contains(expected)), "{error}");
    }
    let missing = error("scale.okl", "scael");
    assert!(matches!(missing.kind(), ErrorKind::Invalid { .. }));
    assert!(
        missing.to_string().ends_with("scale.okl (did you mean `scale`?); its kernels: `scale`, `clear`"),
        "{missing}"
    );
    let absent = error("absent.okl", "scale");
    assert!(matches!(absent.kind(), ErrorKind::Io { .. }));
    assert!(
        absent.to_string().contains("building kernel `scale`: ") && absent.to_string().contains("absent.okl: "),
        "{absent}"
    );
    assert!(error("binary.okl", "k").to_string().ends_with("binary.okl is not a text file: byte 3 is not UTF-8"));
    let swapped = |error: ferrocca_core::Error| error.to_string();
    let error = device.build_kernel("@kernel void k() {}", "k", ()).map(drop).map_err(swapped);
    let told =
        "building kernel `k`: this is a source, not the path of a file: `build_kernel_from_string` takes sources";
    assert_eq!(error, Err(told.to_owned()));
    let error = device.build_kernel_from_string("kernels/k.okl", "k", ()).map(drop).map_err(swapped);
    let told = "building kernel `k`: `kernels/k.okl` is a file's name, not a source: `build_kernel` reads files";
    assert_eq!(error, Err(told.to_owned()));
    assert!(device.build_kernel(place.path(), "k", ()).is_err(), "a directory is no file");
    let refused = device.build_kernel_from_string("@kernel void k( {", "k", ()).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Kernel { .. }));
    assert!(refused.to_string().contains("<string>:1:"), "{refused}");
    let shares = "@kernel void shares(float *x) { for (int o = 0; o < 2; ++o; @outer) { @shared float all[20000];
        for (int i = 0; i < 4; ++i; @inner) { all[i] = x[i]; } for (int i = 0; i < 4; ++i; @inner) { x[i] = all[3 - i]; } } }";
    let refused = device.build_kernel_from_string(shares, "shares", ()).unwrap_err();
    assert!(
        refused.to_string().contains("needs 80000 bytes of shared memory per group, the device has 49152"),
        "{refused}"
    );
    assert_eq!(place.compiled(), 1, "what the front end refuses, or the device cannot hold, reaches no compiler");
    // What a device gives to all its kernels may be for those of other files.
    let props = Props::parse("kernel: {sizes: {other: [1]}}").unwrap();
    let lenient = Device::open_with(&place.backend, props).unwrap();
    lenient.build_kernel_from_string(SCALE, "scale", Props::new().define("OFFSET", 1)).unwrap();
}

#[test]
fn failures_of_the_backend_leave_nothing_behind() {
    let place = Place::new();
    place.write("scale.okl", SCALE);
    let device = place.device();
    for call in [Call::Identity, Call::Compile, Call::Load] {
        place.backend.fail(call, 1);
        let error = place.build(&device, "scale.okl", "scale", &props()).unwrap_err();
        assert!(error.to_string().contains("injected failure"), "{error}");
    }
    let kernel = place.build(&device, "scale.okl", "scale", &props()).unwrap();
    assert_eq!(kernel.origin(), &BuildOrigin::Memory, "what was compiled before loading failed is there");
}

#[test]
fn an_artifact_that_does_not_load_is_built_anew_once() {
    let place = Place::new();
    place.write("scale.okl", SCALE);
    place.build(&place.device(), "scale.okl", "scale", &props()).unwrap();
    place.backend.fail(Call::Load, 1);
    let kernel = place.build(&place.device(), "scale.okl", "scale", &props()).unwrap();
    assert_eq!((kernel.origin(), place.compiled()), (&COMPILED, 2));
    assert_eq!(place.build(&place.device(), "scale.okl", "scale", &props()).unwrap().origin(), &BuildOrigin::Disk);
}

#[test]
fn a_damaged_entry_is_built_anew() {
    let place = Place::new();
    place.write("scale.okl", SCALE);
    let mut compiled = 0;
    for file in ["artifact.bin", "source.txt", "kernel.json", "outer"] {
        place.build(&place.device(), "scale.okl", "scale", &props()).unwrap();
        compiled = place.compiled();
        let damaged = find_files(&place.path().join("cache/v1"), file);
        assert!(!damaged.is_empty(), "{file}");
        for path in damaged {
            let mut bytes = fs::read(&path).unwrap();
            bytes.truncate(bytes.len() / 2);
            fs::write(path, bytes).unwrap();
        }
        let kernel = place.build(&place.device(), "scale.okl", "scale", &props()).unwrap();
        // A damaged outer record costs the front end alone: the artifact is found by its inner key.
        let expected = if file == "outer" { (BuildOrigin::Disk, compiled) } else { (COMPILED, compiled + 1) };
        assert_eq!((kernel.origin().clone(), place.compiled()), expected, "{file}");
        compiled = place.compiled();
        assert_eq!(place.build(&place.device(), "scale.okl", "scale", &props()).unwrap().origin(), &BuildOrigin::Disk);
    }
    assert_eq!(compiled, 4);
}

/// `FERROCCA_FUZZ_CASES=10000` tries more.
#[test]
fn an_entry_that_is_damaged_anywhere_gives_the_same_kernel() {
    let cases = std::env::var("FERROCCA_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(60);
    let place = Place::new();
    place.write("scale.okl", SCALE);
    let build = || place.build(&place.device(), "scale.okl", "scale", &props()).unwrap();
    let source = build().source().to_owned();
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % limit.max(1)
    };
    for case in 0..cases {
        let files = ["artifact.bin", "source.txt", "kernel.json", "outer"];
        let found = find_files(&place.path().join("cache/v1"), files[case % files.len()]);
        let path = &found[random(found.len())];
        let mut bytes = fs::read(path).unwrap();
        let at = random(bytes.len());
        match random(5) {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1 << random(8),
            2 => bytes.insert(at, random(256) as u8),
            3 => drop(bytes.drain(at..(at + 1 + random(16)).min(bytes.len()))),
            _ => bytes.iter_mut().skip(at).take(16).for_each(|byte| *byte = 0),
        }
        fs::write(path, bytes).unwrap();
        let kernel = build();
        assert_eq!(kernel.source(), source, "case {case}: {}", path.display());
        assert_eq!(kernel.signature().params.len(), 3, "case {case}");
        assert_eq!(build().origin(), &BuildOrigin::Disk, "case {case}: it was stored again");
    }
}

/// Files below `root` of that name, or in a directory of that name.
fn find_files(root: &Path, name: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(find_files(&path, name));
        } else if path.components().any(|part| part.as_os_str() == name) {
            found.push(path);
        }
    }
    found
}

#[test]
fn many_threads_compile_a_source_once() {
    let place = Place::new();
    place.write("scale.okl", SCALE);
    place.backend.set_compile_time(std::time::Duration::from_millis(30));
    let one = place.device();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (place, one) = (&place, &one);
            scope.spawn(move || {
                // Half of them on one device, half on devices of their own.
                let device = if number % 2 == 0 { one.clone() } else { place.device() };
                place.build(&device, "scale.okl", "scale", &props()).unwrap();
            });
        }
    });
    assert_eq!(place.compiled(), 1);
}

#[test]
fn same_process_rebuilds_cost_a_hash_and_a_look_up() {
    let place = Place::new();
    let device = place.device();
    device.build_kernel_from_string(SCALE, "scale", props()).unwrap();
    let (identities, loads) = (place.backend.count(Call::Identity), place.backend.count(Call::Load));
    for _ in 0..100 {
        let kernel = device.build_kernel_from_string(SCALE, "scale", props()).unwrap();
        assert_eq!(kernel.origin(), &BuildOrigin::Memory);
    }
    assert_eq!((place.backend.count(Call::Identity), place.backend.count(Call::Load)), (identities, loads));
}

//! The backend against its contract, with text written by hand after the entry ABI of `okl::back::cpu`.

use ferrocca_backend_cpu::CPU;
use ferrocca_core::backend::{
    Artifact, Backend, BackendDevice, BackendKernel, BackendMemory, LaunchDims, PackedArgument, Placement,
};
use ferrocca_core::props::{Props, Value};
use ferrocca_core::{Error, ErrorKind};
use okl::Compiled;
use okl::back::cpu::LaunchHints;
use okl::signature::{HostOp, NestArgument, NestSignature, Signature};
use okl::target::Hints;
use std::sync::Arc;

/// `u[i] += a` over tiles of the inner size, and the group that ran each element into `who`.
const ADD: &str = r"
#include <stdint.h>
void add_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
  const int64_t n = *(const int64_t *)arguments[0];
  const double a = *(const double *)arguments[1];
  double *u = arguments[2];
  int64_t *who = arguments[3];
  (void)scratch;
  for (int64_t group = begin; group < end; ++group) {
    for (int64_t item = 0; item < dims[3]; ++item) {
      const int64_t i = group * dims[3] + item;
      if (i < n) {
        u[i] += a;
        if (who) who[i] += group + 1;
      }
    }
  }
}
";

/// Writes items back in reverse through scratch memory: 8 bytes an item.
const REVERSE: &str = r"
#include <stdint.h>
void reverse_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
  double *u = arguments[0], *keep = scratch;
  if ((uintptr_t)scratch % 64) return;
  const int64_t items = dims[3] * dims[4] * dims[5];
  for (int64_t group = begin; group < end; ++group) {
    double *mine = u + group * items;
    for (int64_t item = 0; item < items; ++item) keep[item] = mine[item];
    for (int64_t item = 0; item < items; ++item) mine[items - 1 - item] = keep[item];
  }
}
";

fn text(text: &str, lines: Vec<Option<(u32, u32)>>) -> Compiled {
    Compiled {
        extra_texts: Default::default(),
        module: Default::default(),
        with_checks: Default::default(),
        passes: Vec::new(),
        text: text.to_owned(),
        lines,
        files: vec!["kernels/mine.okl".to_owned()],
        signatures: Vec::new(),
        includes: Vec::new(),
        warnings: okl::Diagnostics::default(),
    }
}

fn signature(kernel: &str, exclusive_bytes: u64, cost: u32) -> Signature {
    let mut nest = NestSignature::new(format!("{kernel}_0"));
    nest.arguments = (0..4).map(NestArgument::Param).collect();
    nest.cost = cost;
    nest.hints = Hints::of(&LaunchHints { exclusive_bytes, stack_bytes: 0, updates: None });
    Signature {
        kernel: kernel.to_owned(),
        params: Vec::new(),
        slots: Vec::new(),
        host: vec![HostOp::Launch(0)],
        nests: vec![nest],
        sizes: Vec::new(),
        faults: false,
        lines: Vec::new(),
        prints: false,
        checked: Vec::new(),
        places: okl::signature::HostPlaces::default(),
    }
}

fn props(list: &[(&str, &str)]) -> Props {
    let mut props = Props::new();
    list.iter().for_each(|(key, value)| props.set(*key, Value::String((*value).to_owned())));
    props
}

fn open(mode: &str, threads: i64) -> Arc<dyn BackendDevice> {
    let mut props = Props::new();
    if mode != "Serial" {
        props.set("threads", Value::Int(threads));
    }
    CPU.open(mode, &props).expect("a host is always there")
}

fn devices() -> [Arc<dyn BackendDevice>; 4] {
    [open("Serial", 1), open("CPU", 1), open("CPU", 2), open("OpenMP", 5)]
}

/// Builds, or says why the test does nothing on this machine.
fn build(device: &dyn BackendDevice, source: &str, signature: &Signature) -> Option<(Vec<u8>, Arc<dyn BackendKernel>)> {
    match device.compile(&text(source, Vec::new()), &Props::new()) {
        Ok(bytes) => {
            let mut kernels = device.load(&Artifact { bytes: &bytes }, signature).expect("it loads");
            assert_eq!(kernels.len(), 1);
            kernels.pop().map(|kernel| (bytes, kernel))
        }
        Err(error) => {
            assert!(matches!(error.kind(), ErrorKind::Compiler { .. }), "{error}");
            println!("skipped: {error}");
            None
        }
    }
}

fn memory_of<T: Copy>(device: &dyn BackendDevice, data: &[T]) -> Arc<dyn BackendMemory> {
    let bytes = std::mem::size_of_val(data);
    let memory = device.allocate(bytes, Placement::Device).expect("there is memory");
    // SAFETY: numbers without padding are bytes.
    let bytes = unsafe { std::slice::from_raw_parts(data.as_ptr().cast(), bytes) };
    device.default_stream().copy_in(&*memory, 0, bytes).expect("it copies");
    memory
}

fn read<T: Copy + Default>(device: &dyn BackendDevice, memory: &dyn BackendMemory) -> Vec<T> {
    let mut data = vec![T::default(); memory.bytes() / size_of::<T>()];
    // SAFETY: every bit pattern is a number.
    let bytes = unsafe { std::slice::from_raw_parts_mut(data.as_mut_ptr().cast(), memory.bytes()) };
    device.default_stream().copy_out(memory, 0, bytes).expect("it copies");
    data
}

fn whole(memory: &Arc<dyn BackendMemory>, offset: usize) -> PackedArgument<'_> {
    PackedArgument::Memory {
        memory: Some(&**memory),
        offset_bytes: offset as u64,
        bytes: (memory.bytes() - offset) as u64,
        element_bytes: 8,
        mutable: true,
    }
}

const NULL: PackedArgument<'static> =
    PackedArgument::Memory { memory: None, offset_bytes: 0, bytes: 0, element_bytes: 8, mutable: true };

#[test]
fn every_group_runs_once_on_any_number_of_threads() {
    for device in devices() {
        for cost in [1, 1000] {
            let signature = signature("add", 0, cost);
            let Some((_, kernel)) = build(&*device, ADD, &signature) else {
                return;
            };
            for (n, tile) in [(1_i64, 1_u64), (258, 256), (100_000, 7), (700_001, 1)] {
                let u = memory_of(&*device, &vec![1.0_f64; n as usize]);
                let who = memory_of(&*device, &vec![0_i64; n as usize]);
                let (count, a) = (n.to_ne_bytes(), 2.5_f64.to_ne_bytes());
                let arguments =
                    [PackedArgument::Value(&count), PackedArgument::Value(&a), whole(&u, 0), whole(&who, 0)];
                let groups = (n as u64).div_ceil(tile);
                let dims = LaunchDims { outer: [groups, 1, 1], inner: [tile, 1, 1] };
                let stream = device.default_stream();
                // SAFETY: the arguments are those of `add_0`, and the memory has `n` elements.
                unsafe { kernel.launch(&signature.nests[0], &dims, &arguments, &*stream) }.expect("it runs");
                assert!(read::<f64>(&*device, &*u).iter().all(|&x| x == 3.5));
                let expected = (0..n).map(|i| i / tile as i64 + 1);
                assert!(read::<i64>(&*device, &*who).into_iter().eq(expected), "n {n}, tile {tile}, cost {cost}");
            }
        }
    }
}

#[test]
fn slices_null_pointers_and_values_at_odd_addresses_arrive() {
    let device = open("Serial", 1);
    let signature = signature("add", 0, 1);
    let Some((_, kernel)) = build(&*device, ADD, &signature) else {
        return;
    };
    let u = memory_of(&*device, &[0.0_f64; 8]);
    let mut odd = [0_u8; 17];
    odd[1..9].copy_from_slice(&3_i64.to_ne_bytes());
    odd[9..].copy_from_slice(&1.5_f64.to_ne_bytes());
    let arguments = [PackedArgument::Value(&odd[1..9]), PackedArgument::Value(&odd[9..]), whole(&u, 16), NULL];
    let dims = LaunchDims { outer: [1, 1, 1], inner: [8, 1, 1] };
    // SAFETY: three elements from element 2 on lie inside of the eight.
    unsafe { kernel.launch(&signature.nests[0], &dims, &arguments, &*device.default_stream()) }.expect("it runs");
    assert_eq!(read::<f64>(&*device, &*u), [0.0, 0.0, 1.5, 1.5, 1.5, 0.0, 0.0, 0.0]);
}

#[test]
fn each_thread_has_scratch_of_its_own_that_grows() {
    for device in devices() {
        let signature = signature("reverse", 8, 1000);
        let Some((_, kernel)) = build(&*device, REVERSE, &signature) else {
            return;
        };
        for inner in [[1, 1, 1], [4, 3, 2], [700, 1, 1], [16, 1, 1]] {
            let (groups, items) = (500, inner.iter().product::<u64>());
            let data: Vec<f64> = (0..groups * items).map(|i| i as f64).collect();
            let u = memory_of(&*device, &data);
            let dims = LaunchDims { outer: [groups, 1, 1], inner };
            // SAFETY: the memory has `groups * items` elements.
            unsafe { kernel.launch(&signature.nests[0], &dims, &[whole(&u, 0)], &*device.default_stream()) }
                .expect("it runs");
            let expected: Vec<f64> =
                data.chunks(items as usize).flat_map(|group| group.iter().rev().copied()).collect();
            assert_eq!(read::<f64>(&*device, &*u), expected);
        }
    }
}

#[test]
fn scratch_beyond_all_memory_is_an_error() {
    for device in devices() {
        let signature = signature("reverse", 1 << 40, 1000);
        let Some((_, kernel)) = build(&*device, REVERSE, &signature) else {
            return;
        };
        let u = memory_of(&*device, &[0.0_f64; 8]);
        for inner in [[1 << 20, 1, 1], [1 << 24, 1, 1]] {
            let dims = LaunchDims { outer: [8, 1, 1], inner };
            // SAFETY: it fails before the entry is called.
            let result =
                unsafe { kernel.launch(&signature.nests[0], &dims, &[whole(&u, 0)], &*device.default_stream()) };
            let error = result.expect_err("no machine has it");
            assert!(matches!(error.kind(), ErrorKind::OutOfMemory { .. }), "{error}");
        }
    }
}

#[test]
fn more_groups_than_a_count_holds_is_an_error() {
    let device = open("CPU", 2);
    let signature = signature("add", 0, 1);
    let Some((_, kernel)) = build(&*device, ADD, &signature) else {
        return;
    };
    for outer in [[1 << 32, 1 << 32, 1], [1 << 62, 2, 1]] {
        let dims = LaunchDims { outer, inner: [1, 1, 1] };
        // SAFETY: it fails before the entry is called.
        let result = unsafe { kernel.launch(&signature.nests[0], &dims, &[], &*device.default_stream()) };
        assert!(matches!(result.expect_err("too many").kind(), ErrorKind::OutOfBounds { .. }));
    }
}

#[test]
fn two_threads_launch_one_kernel() {
    for device in devices() {
        let signature = signature("add", 0, 100);
        let Some((_, kernel)) = build(&*device, ADD, &signature) else {
            return;
        };
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let u = memory_of(&*device, &vec![0.0_f64; 10_000]);
                    let (n, a) = (10_000_i64.to_ne_bytes(), 1.0_f64.to_ne_bytes());
                    let arguments = [PackedArgument::Value(&n), PackedArgument::Value(&a), whole(&u, 0), NULL];
                    let dims = LaunchDims { outer: [100, 1, 1], inner: [100, 1, 1] };
                    for _ in 0..300 {
                        let stream = device.default_stream();
                        // SAFETY: the arguments are those of `add_0`, and the memory has `n` elements.
                        unsafe { kernel.launch(&signature.nests[0], &dims, &arguments, &*stream) }.expect("it runs");
                    }
                    assert!(read::<f64>(&*device, &*u).iter().all(|&x| x == 300.0));
                });
            }
        });
    }
}

#[test]
fn a_broken_artifact_is_refused() {
    let device = open("Serial", 1);
    let signature = signature("add", 0, 1);
    let Some((bytes, _)) = build(&*device, ADD, &signature) else {
        return;
    };
    let load = |bytes: &[u8]| device.load(&Artifact { bytes }, &signature).map(|kernels| kernels.len());
    assert_eq!(load(&bytes).expect("it loads"), 1);
    for broken in
        [&[][..], b"\x7fELF", b"no library at all", &bytes[..40], &bytes[..bytes.len() / 2], &bytes[..bytes.len() - 1]]
    {
        assert!(load(broken).is_err(), "{} bytes", broken.len());
    }
    let mut wrong = signature.clone();
    wrong.nests[0].entry = "missing_0".to_owned();
    let error = device.load(&Artifact { bytes: &bytes }, &wrong).map(|_| ()).expect_err("no such entry");
    assert!(error.to_string().contains("missing_0"), "{error}");
}

/// The loader knows a library by its name, and numbers of files are used again.
#[test]
fn artifacts_are_not_taken_for_each_other_and_keep_no_file_open() {
    let device = open("Serial", 1);
    let value = |value: i32| {
        format!(
            "#include <stdint.h>\nvoid add_0(void *const *a, const int64_t *d, int64_t b, int64_t e, void *s) {{ *(int64_t *)a[0] = {value}; }}\n"
        )
    };
    let signature = signature("add", 0, 1);
    let mut kept = Vec::new();
    for round in 0..6 {
        let Some((bytes, kernel)) = build(&*device, &value(round), &signature) else {
            return;
        };
        kept.push((round, kernel));
        for _ in 0..200 {
            let kernel = device.load(&Artifact { bytes: &bytes }, &signature).expect("it loads").remove(0);
            if kept.len() % 2 == 0 {
                kept.push((round, kernel));
            }
        }
    }
    for (round, kernel) in &kept {
        let u = memory_of(&*device, &[-1_i64]);
        let dims = LaunchDims { outer: [1, 1, 1], inner: [1, 1, 1] };
        // SAFETY: the one argument is one element.
        unsafe { kernel.launch(&signature.nests[0], &dims, &[whole(&u, 0)], &*device.default_stream()) }
            .expect("it runs");
        assert_eq!(read::<i64>(&*device, &*u), [i64::from(*round)]);
    }
    if cfg!(target_os = "linux") {
        let links = std::fs::read_dir("/proc/self/fd").expect("the directory of open files").flatten();
        let is_kernel = |link: &std::fs::DirEntry| {
            std::fs::read_link(link.path()).is_ok_and(|target| target.to_string_lossy().contains("ferrocca-kernel"))
        };
        // Other tests may be loading theirs.
        assert!(links.filter(is_kernel).count() < 16);
    }
}

fn compile_error(source: &str, lines: Vec<Option<(u32, u32)>>, kernel: &[(&str, &str)]) -> Error {
    open("Serial", 1).compile(&text(source, lines), &props(kernel)).expect_err("it cannot be compiled")
}

#[test]
fn what_the_compiler_refuses_is_shown_at_the_line_of_the_source() {
    if open("Serial", 1).identity(&Props::new()).is_err() {
        println!("skipped: no C compiler");
        return;
    }
    let error = compile_error("void f(void) {\n  undeclared = 1;\n}\n", vec![Some((0, 10)), Some((0, 42)), None], &[]);
    let ErrorKind::Kernel { diagnostics } = error.kind() else { panic!("{error:?}") };
    assert!(
        diagnostics.contains("kernels/mine.okl:42:3: error") && diagnostics.contains("undeclared"),
        "{diagnostics}"
    );
    // Lines that come from no source line are called by what they are, not by a temporary path.
    let error = compile_error("void f(void) {\n  undeclared = 1;\n}\n", Vec::new(), &[]);
    let ErrorKind::Kernel { diagnostics } = error.kind() else { panic!("{error:?}") };
    assert!(diagnostics.contains("<emitted text>:2:3: error"), "{diagnostics}");
}

#[test]
fn what_is_not_the_texts_fault_is_the_compilers() {
    if open("Serial", 1).identity(&Props::new()).is_err() {
        println!("skipped: no C compiler");
        return;
    }
    let message = |kernel: &[(&str, &str)]| {
        let error = compile_error("void f(void) {}\n", Vec::new(), kernel);
        let ErrorKind::Compiler { message } = error.kind() else { panic!("{error:?}") };
        message.clone()
    };
    assert!(message(&[("compiler_flags", "-O2 --no-such-flag")]).contains("--no-such-flag"));
    assert!(message(&[("compiler", "no-such-compiler")]).contains("no-such-compiler"));
    if cfg!(unix) {
        assert!(message(&[("compiler", "sh -c 'kill -SEGV $$'")]).contains("signal"));
        assert!(message(&[("compiler", "true")]).contains("wrote no library"));
        let mut hangs = props(&[("compiler", "sh -c 'sleep 60'")]);
        hangs.set("compiler_timeout", Value::Float(0.2));
        let result = open("Serial", 1).compile(&text("", Vec::new()), &hangs);
        let error = result.expect_err("it never ends");
        assert!(matches!(error.kind(), ErrorKind::Compiler { message } if message.contains("was stopped")), "{error}");
    }
}

#[test]
fn identity_names_all_that_changes_an_artifact() {
    let device = open("CPU", 2);
    let identity = |kernel: &[(&str, &str)]| device.identity(&props(kernel));
    let Ok(plain) = identity(&[]) else {
        println!("skipped: no C compiler");
        return;
    };
    assert_eq!(plain, identity(&[]).expect("it is there still"));
    assert_ne!(plain, identity(&[("fp_contract", "fast")]).expect("a known value"));
    assert_ne!(plain, identity(&[("compiler_flags", "-O1")]).expect("any flag"));
    if cfg!(unix) {
        assert_ne!(plain, identity(&[("compiler", "sh")]).expect("it is a program"));
    }
    assert!(identity(&[("compiler", "no-such-compiler")]).is_err());
    // The number of threads changes no text: Serial and CPU share their artifacts.
    assert_eq!(plain, open("Serial", 1).identity(&Props::new()).expect("it is there still"));
}

#[test]
fn the_host_is_probed_and_bad_props_are_refused() {
    for mode in CPU.modes() {
        let devices = CPU.probe(mode.name).expect("a host is always there");
        assert_eq!(devices.len(), 1);
        assert!(devices[0].cores >= 1 && devices[0].memory_bytes > 0 && !devices[0].name.is_empty());
        assert!(!devices[0].compiler.is_empty());
    }
    for threads in
        [Value::Int(0), Value::Int(-1), Value::Int(1 << 40), Value::String("many".to_owned()), Value::Float(1.5)]
    {
        let mut props = Props::new();
        props.set("threads", threads);
        let error = CPU.open("CPU", &props).map(|_| ()).expect_err("the value is bad");
        assert!(matches!(error.kind(), ErrorKind::Props { message } if message.contains("threads")), "{error}");
    }
    assert_eq!(open("CPU", 3).info().cores, 3);
}

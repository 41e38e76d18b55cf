//! Constant memory on null devices: what is known of it, who is refused, and which build of a kernel a launch takes.

use ferrocca_conformance::null::{Call, NullBackend};
use ferrocca_core::{Device, Element, Error, Memory, Result, Staging, args};

fn open() -> (NullBackend, Device) {
    let backend = NullBackend::new();
    let device = Device::open_with(&backend, ()).unwrap();
    (backend, device)
}

#[track_caller]
fn refused<T>(result: Result<T>) {
    let error = result.err().expect("it is refused").to_string();
    assert!(error.contains("Memory<i32>(3 elements on ") && error.contains("is constant"), "{error}");
}

#[test]
fn the_least_and_the_greatest_are_known_of_integers() {
    fn ends<T: Element>(device: &Device, values: &[T]) -> Option<[i64; 2]> {
        let memory = device.malloc_constant_from(values).unwrap();
        assert!(memory.is_constant());
        memory.untyped().contents().map(|contents| [*contents.start(), *contents.end()])
    }
    let (_, device) = open();
    assert_eq!(ends(&device, &[3i32, -7, 5]), Some([-7, 5]));
    assert_eq!(ends(&device, &[i8::MIN, i8::MAX]), Some([-128, 127]));
    assert_eq!(ends(&device, &[200u8]), Some([200, 200]));
    assert_eq!(ends(&device, &[-3i16, 9]), Some([-3, 9]));
    assert_eq!(ends(&device, &[7u16, 9]), Some([7, 9]));
    assert_eq!(ends(&device, &[u32::MAX, 9]), Some([9, 0xffff_ffff]));
    assert_eq!(ends(&device, &[i64::MIN, i64::MAX]), Some([i64::MIN, i64::MAX]));
    assert_eq!(ends(&device, &[i64::MAX.cast_unsigned()]), Some([i64::MAX; 2]));
    assert_eq!(ends(&device, &[u64::MAX, 9]), None, "that is the number of no element");
    assert_eq!(ends(&device, &[1.0, 2.0]), None);
    assert_eq!(ends::<i32>(&device, &[]), None);
}

#[test]
fn handles_share_what_is_known() {
    let (_, device) = open();
    let memory = device.malloc_constant_from(&[3, -7, 5, 8]).unwrap();
    let contents = |memory: &Memory<i32>| memory.untyped().contents();
    assert_eq!(contents(&memory.share()), Some(-7..=8));
    assert_eq!(contents(&memory.slice(2..3).unwrap()), Some(-7..=8));
    assert_eq!(contents(&memory.untyped().lent(Box::new(())).typed().unwrap()), Some(-7..=8));
    let words = memory.cast::<u32>().unwrap();
    assert_eq!((words.is_constant(), words.untyped().contents()), (true, None));
    let bytes = memory.untyped().cast(u8::DTYPE).unwrap();
    assert_eq!((bytes.is_constant(), bytes.contents()), (true, None));
    assert_eq!(contents(&words.cast().unwrap()), Some(-7..=8));
    let copy = memory.duplicate().unwrap();
    assert_eq!((copy.is_constant(), contents(&copy)), (false, None));
    assert!(!device.malloc_from(&[3]).unwrap().is_constant());
}

#[test]
fn it_is_there_for_every_stream() {
    let (backend, device) = open();
    let finished = backend.count(Call::StreamFinish);
    device.malloc_constant_from(&[3]).unwrap();
    assert_eq!(backend.count(Call::StreamFinish), finished + 1);
    for call in [Call::Allocate, Call::CopyIn, Call::StreamFinish] {
        backend.fail(call, 1);
        assert!(device.malloc_constant_from(&[3]).is_err(), "{call:?}");
    }
}

#[test]
fn no_copy_reaches_it() {
    let (backend, device) = open();
    let mut constant = device.malloc_constant_from(&[3, 1, 2]).unwrap();
    let source = device.malloc_from(&[7, 8, 9]).unwrap();
    let (copies, fills) = (backend.count(Call::Copy), backend.count(Call::Fill));
    refused(constant.copy_from(&[1, 2, 3]));
    refused(constant.copy_from_at(0, &[]));
    refused(constant.copy_from_memory(&source));
    refused(constant.copy_from_memory_at(0, &source, 0, 1));
    refused(constant.copy_from_memory_via_host(&source));
    refused(constant.fill(0));
    let mut any = constant.untyped().clone();
    refused(any.copy_from_memory(source.untyped()));
    refused(any.copy_from_bytes(&[0; 12]));
    let mut staging = Staging::new(&device, 3).unwrap();
    refused(staging.upload(&device.stream(), 0..3, &mut constant));
    staging.download(&device.stream(), &constant, 0..3).unwrap();
    assert_eq!(staging.host().unwrap(), [3, 1, 2]);
    assert_eq!((backend.count(Call::Copy), backend.count(Call::Fill)), (copies, fills));
    assert_eq!(constant.to_vec().unwrap(), [3, 1, 2]);
}

#[test]
fn no_other_device_writes_it() {
    let backend = NullBackend::new();
    backend.set_reaches_peers(true);
    let (here, there) = (Device::open_with(&backend, ()).unwrap(), Device::open_with(&backend, ()).unwrap());
    let mut constant = here.malloc_constant_from(&[3, 1, 2]).unwrap();
    let mut source = there.malloc_from(&[7, 8, 9]).unwrap();
    refused(constant.copy_from_memory(&source));
    refused(constant.copy_from_memory_via_host(&source));
    source.copy_from_memory(&constant).unwrap();
    assert_eq!(source.to_vec().unwrap(), [3, 1, 2]);
}

#[test]
fn no_graph_writes_it() {
    let (_, device) = open();
    let mut constant = device.malloc_constant_from(&[3, 1, 2]).unwrap();
    let source = device.malloc_filled(3, 9).unwrap();
    refused(device.record(|r| r.copy(&mut constant, &source)));
    refused(device.record(|r| r.fill(&mut constant, 9)));
    refused(device.record(|r| r.snapshot(&source, &mut constant)));
    refused(device.record(|r| r.rotate([&constant, &source])));
    refused(device.record(|r| r.native(&[], &[constant.untyped()], |_, _, _| Ok(()))));
    refused(device.record(|r| r.host_within(&[], vec![], vec![constant.untyped().clone()], |_| Ok(()))));
    let written = constant.share();
    let mut graph =
        device.record(|r| r.host(&[written.untyped()], |memory| memory[0].typed::<i32>()?.fill(9))).unwrap();
    refused(graph.replay(1));
}

const GATHER: &str = "@kernel void gather(const int n, const int *idx, const int *from, int *to) {
    for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { to[i] = from[idx[i]]; }
}";

#[test]
fn a_kernel_does_not_write_it() {
    let (backend, device) = open();
    let kernel = device.build_kernel_from_string(GATHER, "gather", ()).unwrap();
    let mut constant = device.malloc_constant_from(&[2, 1, 0]).unwrap();
    let from = device.malloc_filled(3, 1).unwrap();
    let error = kernel.launch(args![3, &from, &from, &mut constant]).unwrap_err().to_string();
    let parts = ["argument 4 `to`", "Memory<i32>(3 elements on ", "is constant", "declare the pointer `const`"];
    assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    assert_eq!(backend.count(Call::Launch), 0);
}

#[test]
fn launches_take_the_build_that_they_can_prove() {
    let (backend, device) = open();
    let kernel = device.build_kernel_from_string(GATHER, "gather", ()).unwrap();
    let mut to = device.malloc_filled(3, 0).unwrap();
    let (constant, variable) =
        (device.malloc_constant_from(&[2, 9, 0]).unwrap(), device.malloc_from(&[2, 9, 0]).unwrap());
    let (long, short) = (device.malloc_filled(10, 1).unwrap(), device.malloc_filled(9, 1).unwrap());
    let loads = || backend.count(Call::Load);
    let before = loads();
    kernel.launch(args![3, &variable, &long, &mut to]).unwrap();
    assert_eq!((kernel.is_checked(args![3, &variable, &long, &mut to]).unwrap(), loads() - before), (true, 0));
    // Another build, once; memory that is too short for the greatest index takes the one with checks.
    for (idx, from, is_checked) in [(&constant, &long, false), (&constant, &short, true), (&constant, &long, false)] {
        kernel.launch(args![3, idx, from, &mut to]).unwrap();
        assert_eq!(kernel.is_checked(args![3, idx, from, &mut to]).unwrap(), is_checked);
        assert_eq!(loads() - before, 1);
    }
    // The proof is remembered with the contents: other memory of the same length has others.
    let worse = device.malloc_constant_from(&[2, 10, 0]).unwrap();
    assert!(kernel.is_checked(args![3, &worse, &long, &mut to]).unwrap());
    assert!(!kernel.is_checked(args![3, &constant, &long, &mut to]).unwrap());
    let negative = device.malloc_constant_from(&[2, -1, 0]).unwrap();
    assert!(kernel.is_checked(args![3, &negative, &long, &mut to]).unwrap());
    // Null is no memory of which anything is known.
    assert!(kernel.launch(args![0, None::<&Memory<i32>>, &long, &mut to]).is_ok());
}

#[test]
fn a_number_of_a_recorded_launch_is_proven_anew() {
    let (_, device) = open();
    let source = "@kernel void k(const int n, const int by, const int *idx, const int *from, int *to) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { to[i] = from[idx[i] + by]; }
    }";
    let kernel = device.build_kernel_from_string(source, "k", ()).unwrap();
    let mut to = device.malloc_filled(3, 0).unwrap();
    let (idx, from) = (device.malloc_constant_from(&[2, 9, 0]).unwrap(), device.malloc_filled(20, 1).unwrap());
    let mut graph = device.record(|r| r.launch(&kernel, args![3, 0, &idx, &from, &mut to]).map(drop)).unwrap();
    graph.set_argument(0, "by", 10).unwrap();
    let error: Error = graph.set_argument(0, "by", 11).unwrap_err();
    assert!(error.to_string().contains("cannot be proven with this value"), "{error}");
}

#[test]
fn a_bundle_has_the_build_for_it() {
    let (_, device) = open();
    let directory = tempfile::tempdir().unwrap();
    let (source, file) = (directory.path().join("gather.okl"), directory.path().join("gather.bundle"));
    std::fs::write(&source, GATHER).unwrap();
    let mut bundle = ferrocca_core::Bundle::new();
    bundle.add(&device, &source, ()).unwrap();
    bundle.write(&file).unwrap();
    let kernel = device.build_kernel_from_bundle(&file, "gather").unwrap();
    let (mut to, from) = (device.malloc_filled(3, 0).unwrap(), device.malloc_filled(10, 1).unwrap());
    let constant = device.malloc_constant_from(&[2, 9, 0]).unwrap();
    assert!(!kernel.is_checked(args![3, &constant, &from, &mut to]).unwrap());
    assert!(kernel.is_checked(args![3, &constant.duplicate().unwrap(), &from, &mut to]).unwrap());
}

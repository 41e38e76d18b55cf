//! Memory on the null device: what handles share, what copies move, what is refused.

use ferrocca_conformance::null::{Call, NullBackend};
use ferrocca_core::{Api, DType, Device, ErrorKind, Memory, NativeHandle, args, kernel_struct};
use proptest::prelude::*;

fn open() -> (NullBackend, Device) {
    let backend = NullBackend::new();
    let device = Device::open_with(&backend, ()).unwrap();
    (backend, device)
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: ferrocca_core::Result<T>, expected: &str) {
    assert_eq!(result.unwrap_err().to_string(), expected);
}

#[test]
fn copies_move_what_they_say() {
    let (_, device) = open();
    let mut a = device.malloc_from(&[1.0, 2.0, 3.0, 4.0]).unwrap();
    a.copy_from_at(2, &[30.0, 40.0]).unwrap();
    let mut host = [0.0; 2];
    a.copy_to_at(1, &mut host).unwrap();
    assert_eq!(host, [2.0, 30.0]);
    let mut b = device.malloc_filled(4, 7.0).unwrap();
    b.copy_from_memory_at(0, &a, 3, 1).unwrap();
    assert_eq!(b.to_vec().unwrap(), [40.0, 7.0, 7.0, 7.0]);
    b.copy_from_memory(&a).unwrap();
    let mut all = [0.0; 4];
    b.copy_to(&mut all).unwrap();
    assert_eq!(all, [1.0, 2.0, 30.0, 40.0]);
    b.fill(0.5).unwrap();
    assert_eq!(b.to_vec().unwrap(), [0.5; 4]);
}

#[test]
fn handles_share_and_duplicates_do_not() {
    let (_, device) = open();
    let mut a = device.malloc_from(&[1, 2, 3, 4]).unwrap();
    let (share, copy, mut slice) = (a.share(), a.duplicate().unwrap(), a.slice(1..=2).unwrap());
    slice.copy_from(&[20, 30]).unwrap();
    assert_eq!((share.to_vec().unwrap(), copy.to_vec().unwrap()), (vec![1, 20, 30, 4], vec![1, 2, 3, 4]));
    let mut b = device.malloc_from(&[9]).unwrap();
    a.swap(&mut b);
    assert_eq!((a.len(), b.len()), (1, 4));
    let inner = slice.slice(1..).unwrap();
    drop((b, share, slice));
    assert_eq!(inner.to_vec().unwrap(), [30], "a slice of a slice keeps the memory alive");
}

#[test]
fn accounts_follow_allocations() {
    let (backend, device) = open();
    let a = device.malloc::<f64>(100).unwrap();
    let b = device.malloc::<u8>(50).unwrap();
    assert_eq!((device.memory_allocated(), device.max_memory_allocated()), (850, 850));
    let part = a.slice(..1).unwrap();
    drop(a);
    assert_eq!(device.memory_allocated(), 850, "a slice holds the whole");
    drop(part);
    assert_eq!((device.memory_allocated(), device.max_memory_allocated()), (50, 850));
    // SAFETY: the null device takes handles of its own memory.
    let wrapped = unsafe { device.wrap_memory::<u8>(b.handle().unwrap(), 50) }.unwrap();
    assert_eq!(device.memory_allocated(), 50, "wrapped memory is somebody else's");
    drop(b);
    drop(wrapped);
    assert_eq!(device.memory_allocated(), 0);
    backend.fail(Call::Allocate, 1);
    let error = device.malloc::<f64>(3).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::OutOfMemory { .. }));
    assert!(error.to_string().starts_with("allocating 3 f64: "), "{error}");
    assert_eq!(device.memory_allocated(), 0);
}

#[test]
fn memory_of_no_elements_asks_the_backend_nothing() {
    let (backend, device) = open();
    let mut a = device.malloc::<f64>(0).unwrap();
    a.copy_from(&[]).unwrap();
    a.copy_to(&mut []).unwrap();
    a.fill(1.0).unwrap();
    let mut b = a.duplicate().unwrap();
    b.copy_from_memory(&a).unwrap();
    assert!(a.slice(..).unwrap().to_vec().unwrap().is_empty());
    assert_eq!(a.cast::<u8>().unwrap().len(), 0);
    assert!(a.ptr().is_null() && a.handle().is_none() && a.is_empty());
    let full = device.malloc::<f64>(4).unwrap();
    assert!(full.slice(4..).unwrap().to_vec().unwrap().is_empty());
    for call in [Call::CopyIn, Call::CopyOut, Call::Copy, Call::Fill] {
        assert_eq!(backend.count(call), 0, "{call:?}");
    }
    assert_eq!(backend.count(Call::Allocate), 1);
}

#[test]
fn ranges_outside_are_refused_with_their_numbers() {
    let (backend, device) = open();
    let (_, other) = open();
    let mut a = device.malloc::<f64>(4).unwrap();
    refused(a.slice(2..5), "slice 2..5 of memory of 4 elements");
    #[expect(clippy::reversed_empty_ranges)]
    refused(a.slice(3..2), "slice 3..2 of memory of 4 elements");
    refused(a.slice(..=usize::MAX), &format!("a slice bound of {} overflows", usize::MAX));
    refused(a.copy_from(&[1.0]), "copy_from: the memory has 4 elements, the other side 1");
    refused(a.copy_to(&mut [0.0; 5]), "copy_to: the memory has 4 elements, the other side 5");
    refused(a.copy_from_at(3, &[1.0; 2]), "copy_from_at: 2 elements from 3 on do not fit memory of 4 elements");
    refused(
        a.copy_to_at(usize::MAX, &mut [0.0]),
        &format!("copy_to_at: 1 elements from {} on do not fit memory of 4 elements", usize::MAX),
    );
    let b = device.malloc::<f64>(2).unwrap();
    refused(a.copy_from_memory(&b), "copy_from_memory: the memory has 4 elements, the other side 2");
    refused(
        a.copy_from_memory_at(0, &b, 1, 2),
        "copy_from_memory_at, source: 2 elements from 1 on do not fit memory of 2 elements",
    );
    refused(
        a.copy_from_memory_at(3, &b, 0, 2),
        "copy_from_memory_at, destination: 2 elements from 3 on do not fit memory of 4 elements",
    );
    let foreign = other.malloc::<f64>(4).unwrap();
    assert!(matches!(a.copy_from_memory(&foreign).unwrap_err().kind(), ErrorKind::WrongDevice { .. }));
    refused(
        device.malloc::<f64>(usize::MAX / 4),
        &format!("{} elements of f64 (8 bytes each) are too many to address", usize::MAX / 4),
    );
    assert!(device.malloc::<u8>(isize::MAX as usize + 1).is_err());
    for call in [Call::CopyIn, Call::CopyOut, Call::Copy] {
        assert_eq!(backend.count(call), 0, "{call:?}");
    }
}

kernel_struct! {
    /// Three numbers, 24 bytes.
    struct Point { x: f64, y: f64, z: f64 }
}

#[test]
fn casts_check_size_and_start() {
    let (_, device) = open();
    let a = device.malloc_from(&[1.0f64, 2.0, 3.0]).unwrap();
    assert_eq!(a.cast::<u64>().unwrap().to_vec().unwrap()[1], 2.0f64.to_bits());
    let bytes = a.cast::<u8>().unwrap();
    assert_eq!(bytes.slice(8..16).unwrap().cast::<f64>().unwrap().to_vec().unwrap(), [2.0]);
    refused(
        bytes.slice(..7).unwrap().cast::<f64>(),
        "7 elements of u8 (7 bytes) do not make a whole number of f64 (8 bytes each)",
    );
    refused(
        bytes.slice(4..12).unwrap().cast::<f64>(),
        "memory that starts at byte 4 of its allocation is not aligned for f64 (8 bytes each)",
    );
    let points = a.cast::<Point>().unwrap();
    assert_eq!((points.len(), points.to_vec().unwrap()[0].y), (1, 2.0));
    assert_eq!(points.dtype().name(), "Point");
}

#[test]
fn the_type_can_be_left_and_taken_up_again() {
    let (_, device) = open();
    let typed = device.malloc_from(&[1.5f32, 2.5]).unwrap();
    let mut any = typed.untyped().clone();
    assert_eq!((any.len(), any.bytes(), any.dtype()), (2, 8, DType::F32));
    drop(typed);
    any.copy_from_bytes(bytemuck::cast_slice(&[3.5f32, 4.5])).unwrap();
    let mut bytes = [0u8; 8];
    any.copy_to_bytes(&mut bytes).unwrap();
    assert_eq!(bytemuck::pod_read_unaligned::<f32>(&bytes[4..]), 4.5);
    refused(any.typed::<f64>(), "this is memory of f32, not of f64");
    refused(any.copy_to_bytes(&mut []), "8 bytes cannot be copied to 0 bytes");
    assert_eq!(any.typed::<f32>().unwrap().to_vec().unwrap(), [3.5, 4.5]);
    assert_eq!(any.device(), device);
}

#[test]
fn wrapped_handles_are_checked_and_their_owner_is_dropped_last() {
    let (_, device) = open();
    let memory = device.malloc_from(&[1u8, 2, 3]).unwrap();
    let handle = memory.handle().unwrap();
    let owner = std::sync::Arc::new(());
    // SAFETY: the null device takes handles of its own memory; the others are refused.
    unsafe {
        let wrapped = device.wrap_memory_with_owner::<u8>(handle, 3, Some(Box::new(owner.clone()))).unwrap();
        let slice = wrapped.slice(1..).unwrap();
        assert!(slice.untyped().owner().is_some_and(|owner| owner.is::<std::sync::Arc<()>>()));
        assert!(memory.untyped().owner().is_none());
        drop(wrapped);
        assert_eq!((slice.to_vec().unwrap(), std::sync::Arc::strong_count(&owner)), (vec![2, 3], 2));
        drop(slice);
        assert_eq!(std::sync::Arc::strong_count(&owner), 1);
        assert_eq!(device.wrap_memory::<u8>(NativeHandle::opencl(0), 0).unwrap().len(), 0);
        refused(device.wrap_memory::<u8>(NativeHandle::opencl(0), 1), "a null handle cannot be memory of 1 u8");
        refused(
            device.wrap_memory::<f64>(NativeHandle::host(4), 1),
            "address 0x4 of the host is not aligned for f64 (8 bytes)",
        );
        assert!(matches!(
            device.wrap_memory::<f64>(NativeHandle::cuda(8), 1).unwrap_err().kind(),
            ErrorKind::Unsupported { .. }
        ));
    }
}

#[test]
fn addresses_of_an_api_that_core_does_not_know() {
    let (backend, device) = open();
    backend.set_addresses_of(Api::new("HIP", 10));
    let memory = device.malloc_from(&[1.0f64, 2.0, 3.0, 4.0]).unwrap();
    let address = memory.handle().unwrap().address().unwrap();
    assert_eq!((memory.ptr() as u64, memory.slice(2..).unwrap().ptr() as u64), (address, address + 16));
    let hip = |address| NativeHandle::Address { api: Api::new("HIP", 10), address };
    // SAFETY: the null device looks up what lies behind an address.
    let wrap = |address, len| unsafe { device.wrap_memory::<f64>(hip(address), len) };
    refused(wrap(address + 4, 1), &format!("address {:#x} of HIP is not aligned for f64 (8 bytes)", address + 4));
    let (mut low, mut high) = (wrap(address, 3).unwrap(), wrap(address + 16, 2).unwrap());
    assert_eq!(high.to_vec().unwrap(), [3.0, 4.0]);
    let kernel = "@kernel void k(@restrict const double *a, @restrict double *b) {
        for (int i = 0; i < 2; ++i; @tile(2, @outer, @inner)) b[i] = a[i];
    }";
    let kernel = device.build_kernel_from_string(kernel, "k", ()).unwrap();
    let overlap = "kernel `k`: argument 2 `b`: it overlaps argument 1 `a`";
    assert!(kernel.launch(args![&low, &mut high]).unwrap_err().to_string().starts_with(overlap));
    assert!(kernel.launch(args![&high, &mut low]).unwrap_err().to_string().starts_with(overlap));
    kernel.launch(args![&wrap(address, 2).unwrap(), &mut high]).unwrap();
}

#[test]
fn every_failure_of_the_backend_comes_through() {
    let (backend, device) = open();
    let mut a = device.malloc::<f64>(4).unwrap();
    let b = device.malloc::<f64>(4).unwrap();
    type Work<'a> = &'a mut dyn FnMut() -> bool;
    let calls: [(Call, Work<'_>); 4] = [
        (Call::CopyIn, &mut || device.malloc_from(&[1.0]).is_err()),
        (Call::CopyOut, &mut || b.to_vec().is_err()),
        (Call::Copy, &mut || a.copy_from_memory(&b).is_err()),
        (Call::Fill, &mut || device.malloc_filled(2, 1.0).is_err()),
    ];
    let before = device.memory_allocated();
    for (call, work) in calls {
        backend.fail(call, 1);
        assert!(work(), "{call:?}");
        assert!(!work(), "{call:?} fails once");
    }
    assert_eq!(device.memory_allocated(), before);
}

/// A step of the comparison with vectors.
#[derive(Clone, Debug)]
enum Step {
    Slice(usize, usize),
    CopyFrom(usize, Vec<i32>),
    CopyWithin(usize, usize, usize),
    Fill(i32),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0usize..40, 0usize..40).prop_map(|(a, b)| Step::Slice(a, b)),
        (0usize..40, prop::collection::vec(any::<i32>(), 0..10)).prop_map(|(at, values)| Step::CopyFrom(at, values)),
        (0usize..40, 0usize..40, 0usize..20).prop_map(|(to, from, len)| Step::CopyWithin(to, from, len)),
        any::<i32>().prop_map(Step::Fill),
    ]
}

proptest! {
    /// Slices of slices, copies with offsets and overlapping copies do what they do to a `Vec`, and refuse what it refuses.
    #[test]
    fn slices_behave_like_slices_of_a_vec(len in 0usize..40, steps in prop::collection::vec(step(), 1..20)) {
        let (_, device) = open();
        let mut oracle: Vec<i32> = (0..len as i32).collect();
        let whole = device.malloc_from(&oracle).unwrap();
        let (mut view, mut range): (Memory<i32>, _) = (whole.share(), 0..len);
        for step in steps {
            let part = &mut oracle[range.clone()];
            match step {
                Step::Slice(a, b) => {
                    let sliced = view.slice(a..b);
                    prop_assert_eq!(sliced.is_ok(), part.get(a..b).is_some());
                    if let Ok(sliced) = sliced {
                        view = sliced;
                        range = range.start + a..range.start + b;
                    }
                }
                Step::CopyFrom(at, values) => {
                    let target = part.get_mut(at..at + values.len());
                    prop_assert_eq!(view.copy_from_at(at, &values).is_ok(), target.is_some());
                    target.into_iter().for_each(|target| target.copy_from_slice(&values));
                }
                Step::CopyWithin(to, from, len) => {
                    let fits = to + len <= part.len() && from + len <= part.len();
                    let source = view.share();
                    prop_assert_eq!(view.copy_from_memory_at(to, &source, from, len).is_ok(), fits);
                    if fits {
                        part.copy_within(from..from + len, to);
                    }
                }
                Step::Fill(value) => {
                    view.fill(value).unwrap();
                    part.fill(value);
                }
            }
            prop_assert_eq!(view.to_vec().unwrap(), &oracle[range.clone()]);
            prop_assert_eq!(&whole.to_vec().unwrap(), &oracle);
        }
    }

    /// A cast keeps every byte and fails exactly where Rust's own checked cast of the same bytes would.
    #[test]
    fn casts_keep_bytes(bytes in prop::collection::vec(any::<u8>(), 0..64), start in 0usize..16) {
        let (_, device) = open();
        let memory = device.malloc_from(&bytes).unwrap();
        let start = start.min(bytes.len());
        let part = memory.slice(start..).unwrap();
        let fits = start % 4 == 0 && (bytes.len() - start) % 4 == 0;
        let cast = part.cast::<u32>();
        prop_assert_eq!(cast.is_ok(), fits);
        if let Ok(cast) = cast {
            let words: Vec<u32> = bytes[start..].chunks_exact(4).map(bytemuck::pod_read_unaligned).collect();
            prop_assert_eq!(cast.to_vec().unwrap(), words);
        }
    }
}

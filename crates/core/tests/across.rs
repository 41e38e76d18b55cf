//! Copies between two devices, on null devices: who may, in which order, and what is refused.

use ferrocca_conformance::null::{Call, NullBackend};
use ferrocca_core::{Device, ErrorKind};

fn two() -> (NullBackend, Device, Device) {
    let backend = NullBackend::new();
    let open = || Device::open_with(&backend, ()).unwrap();
    (backend.clone(), open(), open())
}

#[test]
fn out_of_reach_is_refused_and_the_way_out_is_named() {
    let (backend, here, there) = two();
    let source = there.malloc_from(&[1, 2, 3]).unwrap();
    let mut target = here.malloc_filled(3, 7).unwrap();
    let error = target.copy_from_memory(&source).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WrongDevice { .. }), "{error}");
    assert!(error.to_string().contains("`copy_from_memory_via_host`"), "{error}");
    assert!(target.copy_from_memory_at(0, &source, 1, 1).is_err());
    assert_eq!((target.to_vec().unwrap(), backend.count(Call::Copy)), (vec![7; 3], 0));
    target.copy_from_memory_via_host(&source).unwrap();
    assert_eq!(target.to_vec().unwrap(), [1, 2, 3]);
    assert!(target.copy_from_memory_via_host(&source.slice(1..).unwrap()).is_err(), "other lengths");
    for call in [Call::CopyOut, Call::CopyIn] {
        backend.fail(call, 1);
        assert!(target.copy_from_memory_via_host(&source).is_err(), "{call:?}");
    }
}

#[test]
fn by_way_of_the_host_in_pieces() {
    let (backend, here, there) = two();
    let values: Vec<u64> = (0..5 << 20).collect();
    let source = there.malloc_from(&values).unwrap();
    let target = here.malloc::<u64>(values.len() + 1).unwrap();
    let (reads, writes) = (backend.count(Call::CopyOut), backend.count(Call::CopyIn));
    target.slice(1..).unwrap().copy_from_memory_via_host(&source).unwrap();
    assert_eq!((backend.count(Call::CopyOut) - reads, backend.count(Call::CopyIn) - writes), (3, 3));
    assert!(target.slice(1..).unwrap().to_vec().unwrap() == values);
    target.slice(..2).unwrap().copy_from_memory_via_host(&target.slice(2..4).unwrap()).unwrap();
    assert_eq!(backend.count(Call::Copy), 1, "one device needs no host");
}

#[test]
fn peers_copy_in_the_order_of_both_streams() {
    let (backend, here, there) = two();
    backend.set_reaches_peers(true);
    let source = there.malloc_from(&[1, 2, 3, 4]).unwrap();
    let mut target = here.malloc_filled(4, 0).unwrap();
    let finished = backend.count(Call::StreamFinish);
    target.copy_from_memory_at(1, &source, 2, 2).unwrap();
    assert_eq!(target.to_vec().unwrap(), [0, 3, 4, 0]);
    // The null device makes no timeline here, so the host waits for each of the two before the other goes on.
    assert_eq!((backend.count(Call::Copy), backend.count(Call::StreamFinish) - finished), (1, 2));
    backend.set_exports(true);
    let (here, there) = (Device::open_with(&backend, ()).unwrap(), Device::open_with(&backend, ()).unwrap());
    let (source, mut target) = (there.malloc_filled(1, 5).unwrap(), here.malloc::<i32>(1).unwrap());
    backend.fail(Call::Copy, 1);
    assert!(target.copy_from_memory(&source).is_err());
    target.copy_from_memory(&source).unwrap();
    assert_eq!(target.to_vec().unwrap(), [5]);
}

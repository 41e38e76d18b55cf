//! Memory pools on the null device.

use ferrocca_conformance::null::{Call, NullBackend};
use ferrocca_core::{Device, Memory, PoolStats, kernel_struct};
use proptest::prelude::*;

fn open() -> (NullBackend, Device) {
    let backend = NullBackend::new();
    let device = Device::open_with(&backend, ()).unwrap();
    (backend, device)
}

#[test]
fn reservations_come_out_of_one_chunk_and_return() {
    let (backend, device) = open();
    let pool = device.create_memory_pool().unwrap();
    assert_eq!((pool.stats(), backend.count(Call::Allocate)), (PoolStats::default(), 0));
    let mut a = pool.reserve::<f64>(10).unwrap();
    let mut b = pool.reserve::<u8>(1000).unwrap();
    a.fill(1.5).unwrap();
    b.fill(9).unwrap();
    assert_eq!((a.to_vec().unwrap(), b.to_vec().unwrap()), (vec![1.5; 10], vec![9; 1000]));
    assert_eq!(a.handle(), b.handle());
    assert_eq!(b.offset_bytes() % 256, 0);
    let stats = pool.stats();
    assert_eq!((stats.chunks, stats.reservations, stats.reserved_bytes), (1, 2, 256 + 1024));
    assert_eq!(device.memory_allocated(), stats.bytes as u64);
    let slice = a.slice(2..4).unwrap();
    drop(a);
    assert_eq!(pool.stats().reservations, 2, "a slice holds the reservation");
    drop((slice, b));
    let stats = pool.stats();
    assert_eq!((stats.reservations, stats.reserved_bytes, stats.largest_free_bytes), (0, 0, stats.bytes));
    assert_eq!(backend.count(Call::Allocate), 1);
}

#[test]
fn it_grows_by_chunks_and_shrinks_by_unused_ones() {
    let (backend, device) = open();
    let pool = device.create_memory_pool().unwrap();
    pool.set_chunk_bytes(4096);
    let first = pool.reserve::<u8>(4096).unwrap();
    let handle = first.handle();
    let large = pool.reserve::<u8>(10_000).unwrap();
    assert_eq!((pool.stats().chunks, first.handle()), (2, handle), "what is reserved stays where it is");
    drop(large);
    pool.shrink();
    assert_eq!((pool.stats().chunks, device.memory_allocated()), (1, 4096));
    pool.grow_to(8000).unwrap();
    assert_eq!((pool.stats().chunks, pool.stats().bytes), (2, 8192));
    pool.grow_to(8000).unwrap();
    assert_eq!(pool.stats().chunks, 2);
    backend.fail(Call::Allocate, 1);
    let error = pool.reserve::<u8>(100_000).unwrap_err().to_string();
    assert!(error.starts_with("growing a memory pool by 100096 bytes: "), "{error}");
    assert!(pool.reserve::<u8>(usize::MAX).is_err());
    assert_eq!(pool.reserve::<u8>(0).unwrap().len(), 0);
}

#[test]
fn reservations_outlive_the_pools_handle() {
    let (_, device) = open();
    let pool = device.create_memory_pool().unwrap();
    let mut a = pool.reserve::<i32>(3).unwrap();
    drop(pool);
    a.copy_from(&[1, 2, 3]).unwrap();
    assert_eq!(a.to_vec().unwrap(), [1, 2, 3]);
    drop(a);
    assert_eq!(device.memory_allocated(), 0);
}

kernel_struct! {
    /// 24 bytes, no power of two.
    struct Point { x: f64, y: f64, z: f64 }
}

proptest! {
    /// Whatever is reserved and dropped in whatever order: no two live reservations share a byte, each starts at a
    /// multiple of its element's size and of the alignment, and in the end everything is one free range again.
    #[test]
    fn no_two_reservations_overlap(steps in prop::collection::vec((0usize..200, any::<bool>(), any::<prop::sample::Index>()), 1..60)) {
        let (_, device) = open();
        let pool = device.create_memory_pool().unwrap();
        pool.set_chunk_bytes(16 << 10);
        let mut points: Vec<(Memory<Point>, f64)> = Vec::new();
        for (number, (len, is_drop, which)) in steps.into_iter().enumerate() {
            if is_drop && !points.is_empty() {
                points.swap_remove(which.index(points.len()));
            } else {
                let mark = number as f64;
                let mut memory = pool.reserve::<Point>(len).unwrap();
                memory.fill(Point { x: mark, y: mark, z: mark }).unwrap();
                prop_assert!(memory.offset_bytes() % 24 == 0 && memory.offset_bytes() % 256 == 0);
                points.push((memory, mark));
            }
            for (memory, mark) in &points {
                prop_assert!(memory.to_vec().unwrap().iter().all(|p| p.x == *mark && p.z == *mark));
            }
        }
        points.clear();
        let stats = pool.stats();
        prop_assert_eq!((stats.reservations, stats.reserved_bytes), (0, 0));
        pool.shrink();
        prop_assert_eq!((pool.stats().chunks, device.memory_allocated()), (0, 0));
    }
}

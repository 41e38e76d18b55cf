//! Memory pools.

use crate::check::{self, Outcome};
use crate::harness::{alone, cases};
use ferrocca_core::{Device, args};

cases!["pool"; reservations_are_disjoint, reservation_never_moves, space_is_used_again, reservation_outlives_the_pool, kernels_take_reservations, zero_length];

fn reservations_are_disjoint(device: &Device) -> Outcome {
    let pool = device.create_memory_pool()?;
    let mut all = Vec::new();
    for (k, n) in [1, 3, 64, 1000, 7].into_iter().enumerate() {
        let mut memory = pool.reserve::<i32>(n)?;
        memory.fill(k as i32)?;
        all.push(memory);
    }
    for (k, memory) in all.iter().enumerate() {
        check::same("reservation", &memory.to_vec()?, &vec![k as i32; memory.len()])?;
    }
    Ok(())
}

fn reservation_never_moves(device: &Device) -> Outcome {
    let pool = device.create_memory_pool()?;
    let mut first = pool.reserve::<f32>(10)?;
    first.fill(1.0)?;
    let address = first.ptr();
    let _others: Vec<_> = (0..20).map(|_| pool.reserve::<f32>(100_000)).collect::<Result<_, _>>()?;
    check::equal("address", first.ptr(), address)?;
    check::same("contents", &first.to_vec()?, &[1.0; 10])
}

fn space_is_used_again(device: &Device) -> Outcome {
    let device = &alone(device)?;
    let pool = device.create_memory_pool()?;
    drop(pool.reserve::<u8>(1000)?);
    let allocated = device.memory_allocated();
    for _ in 0..100 {
        drop(pool.reserve::<u8>(1000)?);
    }
    check::equal("allocated", device.memory_allocated(), allocated)
}

fn reservation_outlives_the_pool(device: &Device) -> Outcome {
    let pool = device.create_memory_pool()?;
    let mut memory = pool.reserve::<i32>(5)?;
    memory.fill(3)?;
    drop(pool);
    check::same("contents", &memory.to_vec()?, &[3; 5])
}

fn kernels_take_reservations(device: &Device) -> Outcome {
    let source = "@kernel void twice(const int n, const int *a, int *b) {
        for (int i = 0; i < n; ++i; @tile(8, @outer, @inner)) { b[i] = 2 * a[i]; }
    }";
    let kernel = device.build_kernel_from_string(source, "twice", "")?;
    let pool = device.create_memory_pool()?;
    let mut a = pool.reserve::<i32>(33)?;
    let mut b = pool.reserve::<i32>(33)?;
    a.fill(21)?;
    kernel.launch(args![33, &a, &mut b])?;
    check::same("b", &b.to_vec()?, &[42; 33])
}

fn zero_length(device: &Device) -> Outcome {
    check::equal("len", device.create_memory_pool()?.reserve::<f32>(0)?.len(), 0)
}

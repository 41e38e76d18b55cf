//! Allocation, slices, handles and accounting.

use crate::check::{self, Outcome};
use crate::harness::{alone, cases};
use ferrocca_core::backend::NativeHandle;
use ferrocca_core::{Device, Memory};

cases!["memory";
    from_slice_reads_back, from_value_reads_back, zero_length_works, slices_share, slice_keeps_parent_alive,
    slice_of_slice, slice_out_of_range, duplicate_is_deep, share_is_shallow, cast_reinterprets, cast_refuses_a_remainder,
    swap_exchanges, accounting, sizes_that_overflow, wrap_host_memory: HostAddress, every_dtype, odd_sizes,
];

fn ramp(n: usize) -> Vec<f32> {
    (0..n).map(|i| i as f32 * 0.5).collect()
}

fn from_slice_reads_back(device: &Device) -> Outcome {
    for n in [1, 2, 63, 64, 65, 10_007] {
        let host = ramp(n);
        check::same("contents", &device.malloc_from(&host)?.to_vec()?, &host)?;
    }
    Ok(())
}

fn from_value_reads_back(device: &Device) -> Outcome {
    check::same("contents", &device.malloc_filled(1000, -7i32)?.to_vec()?, &[-7; 1000])
}

fn zero_length_works(device: &Device) -> Outcome {
    let mut empty = device.malloc::<f32>(0)?;
    check::equal("len", empty.len(), 0)?;
    empty.fill(1.0)?;
    empty.copy_from(&[])?;
    empty.copy_to(&mut [])?;
    check::equal("to_vec", empty.to_vec()?.len(), 0)?;
    check::equal("duplicate", empty.duplicate()?.len(), 0)?;
    let memory = device.malloc_from(&ramp(4))?;
    check::equal("empty slice", memory.slice(4..4)?.len(), 0)
}

fn slices_share(device: &Device) -> Outcome {
    let memory = device.malloc_filled(10, 0i32)?;
    let mut part = memory.slice(3..7)?;
    check::equal("len", part.len(), 4)?;
    part.fill(9)?;
    check::same("parent", &memory.to_vec()?, &[0, 0, 0, 9, 9, 9, 9, 0, 0, 0])
}

fn slice_keeps_parent_alive(device: &Device) -> Outcome {
    let device = &alone(device)?;
    let before = device.memory_allocated();
    let parent = device.malloc_from(&ramp(1000))?;
    let part = parent.slice(500..600)?;
    drop(parent);
    check::same("contents", &part.to_vec()?, &ramp(1000)[500..600])?;
    check::equal("still allocated", device.memory_allocated(), before + 4000)?;
    drop(part);
    check::equal("released", device.memory_allocated(), before)
}

fn slice_of_slice(device: &Device) -> Outcome {
    let parent = device.malloc_from(&ramp(100))?;
    let part = parent.slice(10..90)?.slice(5..15)?;
    check::same("contents", &part.to_vec()?, &ramp(100)[15..25])
}

fn slice_out_of_range(device: &Device) -> Outcome {
    let memory = device.malloc::<f32>(10)?;
    check::refused("end beyond", memory.slice(5..11), &["11", "10"])?;
    let (start, end) = (7, 6);
    check::refused("reversed", memory.slice(start..end), &["7", "6"])?;
    check::refused("far beyond", memory.slice(usize::MAX - 1..usize::MAX), &["10"])
}

fn duplicate_is_deep(device: &Device) -> Outcome {
    let original = device.malloc_from(&ramp(100))?;
    let mut copy = original.duplicate()?;
    copy.fill(-1.0)?;
    check::same("original", &original.to_vec()?, &ramp(100))
}

fn share_is_shallow(device: &Device) -> Outcome {
    let original = device.malloc_from(&ramp(100))?;
    original.share().fill(-1.0)?;
    check::same("original", &original.to_vec()?, &[-1.0; 100])
}

fn cast_reinterprets(device: &Device) -> Outcome {
    let memory = device.malloc_from(&[1.0f32, -2.0])?;
    let words = memory.cast::<u32>()?;
    check::same("bits", &words.to_vec()?, &[1.0f32.to_bits(), (-2.0f32).to_bits()])?;
    check::equal("bytes", memory.cast::<u8>()?.len(), 8)
}

fn cast_refuses_a_remainder(device: &Device) -> Outcome {
    check::refused("6 bytes as u32", device.malloc::<u8>(6)?.cast::<u32>(), &["6"])
}

fn swap_exchanges(device: &Device) -> Outcome {
    let mut a = device.malloc_from(&[1i32, 2])?;
    let mut b = device.malloc_from(&[3i32, 4, 5])?;
    a.swap(&mut b);
    check::same("a", &a.to_vec()?, &[3, 4, 5])?;
    check::same("b", &b.to_vec()?, &[1, 2])
}

fn accounting(device: &Device) -> Outcome {
    let device = &alone(device)?;
    let before = device.memory_allocated();
    let a = device.malloc::<f32>(1000)?;
    let b = device.malloc::<u8>(24)?;
    check::equal("two allocations", device.memory_allocated(), before + 4024)?;
    check::that(device.max_memory_allocated() >= before + 4024, "the peak is below what was allocated")?;
    drop(a);
    check::equal("one released", device.memory_allocated(), before + 24)?;
    drop(b);
    check::equal("both released", device.memory_allocated(), before)
}

fn sizes_that_overflow(device: &Device) -> Outcome {
    check::refused("bytes beyond the address space", device.malloc::<f32>(usize::MAX / 2), &[])?;
    check::refused("more than any machine has", device.malloc::<u8>(1 << 60), &[])?;
    check::same("the device still works", &device.malloc_from(&[1i32])?.to_vec()?, &[1])
}

fn wrap_host_memory(device: &Device) -> Outcome {
    let mut host = vec![1i32, 2, 3, 4];
    let handle = NativeHandle::host(host.as_mut_ptr() as u64);
    // SAFETY: `host` outlives the wrapped memory, which is dropped at the end of this block, and nobody else uses it.
    let mut wrapped = unsafe { device.wrap_memory::<i32>(handle, 4)? };
    check::same("contents", &wrapped.to_vec()?, &[1, 2, 3, 4])?;
    check::equal("address", wrapped.ptr().cast_const(), host.as_ptr())?;
    wrapped.fill(8)?;
    drop(wrapped);
    check::same("the host's own array", &host, &[8; 4])
}

fn every_dtype(device: &Device) -> Outcome {
    fn round_trip<T: ferrocca_core::Element + PartialEq + std::fmt::Debug>(device: &Device, values: &[T]) -> Outcome {
        let memory: Memory<T> = device.malloc_from(values)?;
        check::same(std::any::type_name::<T>(), &memory.to_vec()?, values)
    }
    round_trip(device, &[i8::MIN, -1, 0, i8::MAX])?;
    round_trip(device, &[0, u8::MAX, 17])?;
    round_trip(device, &[i16::MIN, -1, i16::MAX])?;
    round_trip(device, &[u16::MAX, 5])?;
    round_trip(device, &[i32::MIN, i32::MAX])?;
    round_trip(device, &[u32::MAX])?;
    round_trip(device, &[i64::MIN, i64::MAX])?;
    round_trip(device, &[u64::MAX, 1])?;
    round_trip(device, &[f32::MIN_POSITIVE, -0.0, f32::INFINITY])?;
    round_trip(device, &[f64::MIN_POSITIVE, 1.0 / 3.0])
}

fn odd_sizes(device: &Device) -> Outcome {
    for n in [1, 3, 5, 7, 13] {
        let host: Vec<u8> = (0..n).map(|i| i as u8).collect();
        let mut memory = device.malloc_from(&host)?;
        check::same("bytes", &memory.to_vec()?, &host)?;
        memory.fill(7)?;
        check::same("filled", &memory.to_vec()?, &vec![7; n])?;
    }
    Ok(())
}

//! Copies between host and device and within the device, and fills.

use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::Device;

cases!["copies";
    host_to_device_at_offset, device_to_host_at_offset, device_to_device, device_to_device_at_offsets,
    overlapping_ranges, out_of_range_is_refused, length_mismatch_is_refused, fill_of_a_slice, large,
];

fn host_to_device_at_offset(device: &Device) -> Outcome {
    let mut memory = device.malloc_filled(6, 0i32)?;
    memory.copy_from_at(2, &[7, 8, 9])?;
    check::same("contents", &memory.to_vec()?, &[0, 0, 7, 8, 9, 0])
}

fn device_to_host_at_offset(device: &Device) -> Outcome {
    let memory = device.malloc_from(&[1i32, 2, 3, 4, 5])?;
    let mut host = [0; 2];
    memory.copy_to_at(3, &mut host)?;
    check::same("contents", &host, &[4, 5])
}

fn device_to_device(device: &Device) -> Outcome {
    let source = device.malloc_from(&[1.5f32, 2.5, 3.5])?;
    let mut target = device.malloc::<f32>(3)?;
    target.copy_from_memory(&source)?;
    check::same("contents", &target.to_vec()?, &[1.5, 2.5, 3.5])
}

fn device_to_device_at_offsets(device: &Device) -> Outcome {
    let source = device.malloc_from(&[1i32, 2, 3, 4, 5])?;
    let mut target = device.malloc_filled(5, 0i32)?;
    target.copy_from_memory_at(1, &source, 3, 2)?;
    check::same("contents", &target.to_vec()?, &[0, 4, 5, 0, 0])
}

fn overlapping_ranges(device: &Device) -> Outcome {
    let host: Vec<i32> = (0..1000).collect();
    for (to, from) in [(100, 0), (0, 100)] {
        let mut memory = device.malloc_from(&host)?;
        let source = memory.share();
        memory.copy_from_memory_at(to, &source, from, 900)?;
        let mut expected = host.clone();
        expected.copy_within(from..from + 900, to);
        check::same("moved", &memory.to_vec()?, &expected)?;
    }
    Ok(())
}

fn out_of_range_is_refused(device: &Device) -> Outcome {
    let mut memory = device.malloc_filled(4, 1i32)?;
    check::refused("write beyond the end", memory.copy_from_at(3, &[1, 2]), &["4"])?;
    check::refused("read beyond the end", memory.copy_to_at(5, &mut [0; 1]), &["4"])?;
    check::refused("offset that overflows", memory.copy_from_at(usize::MAX, &[1, 2]), &["4"])?;
    let other = device.malloc_filled(2, 0i32)?;
    check::refused("device copy beyond the source", memory.copy_from_memory_at(0, &other, 1, 2), &["2"])?;
    check::same("nothing was touched", &memory.to_vec()?, &[1; 4])
}

fn length_mismatch_is_refused(device: &Device) -> Outcome {
    let mut memory = device.malloc_filled(4, 1i32)?;
    check::refused("longer source", memory.copy_from(&[0; 5]), &["5", "4"])?;
    check::refused("longer target", memory.copy_to(&mut [0; 5]), &["5", "4"])
}

fn fill_of_a_slice(device: &Device) -> Outcome {
    let memory = device.malloc_filled(9, 1u8)?;
    memory.slice(3..6)?.fill(200)?;
    check::same("contents", &memory.to_vec()?, &[1, 1, 1, 200, 200, 200, 1, 1, 1])
}

fn large(device: &Device) -> Outcome {
    let n = 3_000_001;
    let host: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let memory = device.malloc_from(&host)?;
    let copy = memory.duplicate()?;
    check::that(copy.to_vec()? == host, "a large copy differs")?;
    check::that(device.malloc_filled(n, 2.5f32)?.to_vec()? == vec![2.5; n], "a large fill differs")
}

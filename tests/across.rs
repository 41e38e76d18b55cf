//! Copies between devices of every two modes that this machine has.

use ferrocca::{Device, ErrorKind, NativeHandle};

/// How each device is opened, and whether the host addresses its memory.
const DEVICES: &[(&str, bool)] = &[
    ("mode=Serial", true),
    ("mode=CPU, threads=2", true),
    ("mode=OpenCL, type=cpu", true),
    ("mode=OpenCL, memory=separate", false),
    ("mode=WebGPU, memory=separate", false),
    ("mode=CUDA", false),
    ("mode=CUDA, device_id=1", false),
];

#[test]
fn every_pair_copies_where_the_host_addresses_one_side_and_else_by_name() {
    let open = |&(props, addressed): &(&str, bool)| match Device::open(props) {
        Ok(device) => Some((device, addressed)),
        Err(error) => {
            println!("{props}: skipped, {error}");
            None
        }
    };
    let devices: Vec<(Device, bool)> = DEVICES.iter().filter_map(open).collect();
    assert!(devices.len() >= 2, "Serial and CPU are everywhere");
    let values: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    for (from, from_host) in &devices {
        for (to, to_host) in devices.iter().filter(|(to, _)| to != from) {
            let pair = format!("from {from:?} to {to:?}");
            let source = from.malloc_from(&values).unwrap();
            let mut target = to.malloc_filled(1000, -1.0f32).unwrap();
            let outcome = target.copy_from_memory_at(10, &source, 500, 400);
            let mut expected = vec![-1.0; 1000];
            // One GPU copies from another, whether or not they are linked.
            let are_peers = from.mode() == "CUDA" && to.mode() == "CUDA";
            if *from_host || *to_host || are_peers {
                outcome.unwrap_or_else(|error| panic!("{pair}: {error}"));
                expected[10..410].copy_from_slice(&values[500..900]);
            } else {
                let error = outcome.expect_err(&pair);
                assert!(matches!(error.kind(), ErrorKind::WrongDevice { .. }), "{pair}: {error}");
            }
            assert!(target.to_vec().unwrap() == expected, "{pair}");
            target.copy_from_memory_via_host(&source).unwrap();
            assert!(target.to_vec().unwrap() == values, "{pair}, by way of the host");
        }
    }
}

#[test]
fn a_copy_comes_after_what_both_devices_were_given() {
    let source = "@kernel void fill(const int n, const float value, float *x) {
        for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) { x[i] = value; }
    }";
    let serial = Device::open("mode=Serial").unwrap();
    for (props, _) in DEVICES {
        let Ok(device) = Device::open(*props) else { continue };
        let fill = device.build_kernel_from_string(source, "fill", ()).unwrap();
        let (n, mut here) = (1 << 20, serial.malloc_filled(1 << 20, 0.0f32).unwrap());
        let mut there = device.malloc::<f32>(n).unwrap();
        for round in 0..4 {
            fill.launch(ferrocca::args![n, round as f32, &mut there]).unwrap();
            here.copy_from_memory(&there).unwrap();
            // The launch may still be queued where the next copy writes.
            fill.launch(ferrocca::args![n, -1.0, &mut there]).unwrap();
            there.copy_from_memory(&here).unwrap();
            assert!(there.to_vec().unwrap().iter().all(|&x| x == round as f32), "{props}, round {round}");
        }
    }
}

#[test]
fn a_copy_between_two_gpus_comes_after_what_both_were_given() {
    let [Ok(one), Ok(other)] = ["mode=CUDA", "mode=CUDA, device_id=1"].map(Device::open) else {
        println!("skipped: there are no two GPUs for CUDA");
        return;
    };
    let source = "@kernel void fill(const int n, const float value, float *x) {
        for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) { x[i] = value; }
    }";
    let fills = [&one, &other].map(|device| device.build_kernel_from_string(source, "fill", ()).unwrap());
    let n = 1 << 24;
    let (mut here, mut there) = (one.malloc::<f32>(n).unwrap(), other.malloc::<f32>(n).unwrap());
    for round in 0..8 {
        fills[0].launch(ferrocca::args![n, round as f32, &mut here]).unwrap();
        // The launch on the first GPU is still queued, and so may be what was queued on the second one.
        there.copy_from_memory(&here).unwrap();
        fills[0].launch(ferrocca::args![n, -1.0, &mut here]).unwrap();
        assert!(there.to_vec().unwrap().iter().all(|&x| x == round as f32), "to the second GPU, round {round}");
        fills[1].launch(ferrocca::args![n, 100.0 + round as f32, &mut there]).unwrap();
        here.copy_from_memory(&there).unwrap();
        fills[1].launch(ferrocca::args![n, -2.0, &mut there]).unwrap();
        assert!(here.to_vec().unwrap().iter().all(|&x| x == 100.0 + round as f32), "to the first GPU, round {round}");
    }
}

#[test]
fn two_devices_that_know_the_same_memory_may_copy_within_it() {
    let (serial, cpu) = (Device::open("mode=Serial").unwrap(), Device::open("mode=CPU, threads=2").unwrap());
    let mut memory: Vec<i32> = (0..100).collect();
    let address = memory.as_mut_ptr() as u64;
    // SAFETY: the vector outlives both, and is used through them alone until they are gone.
    let (mut low, high) = unsafe {
        let low = serial.wrap_memory::<i32>(NativeHandle::host(address), 90).unwrap();
        (low, cpu.wrap_memory::<i32>(NativeHandle::host(address + 40), 90).unwrap())
    };
    low.copy_from_memory(&high).unwrap();
    drop((low, high));
    assert!(memory.iter().take(90).copied().eq(10..100));
}

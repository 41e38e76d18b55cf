//! The backend through the front that users have.

use ferrocca_backend_cpu as _;
use ferrocca_core::{Device, ErrorKind, NativeHandle};

const DEVICES: [&str; 4] = ["mode=Serial", "mode=CPU", "{mode: 'OpenMP', threads: 3}", "mode=cpu, threads=1"];

#[test]
fn devices_open_by_every_name() {
    for props in DEVICES {
        let device = Device::open(props).expect(props);
        let expected = if props.contains("Serial") { "Serial" } else { "CPU" };
        assert_eq!(device.mode(), expected);
        assert!(!device.has_separate_memory_space());
        assert!(device.memory_size().expect("it is known") > 0);
    }
}

#[test]
fn a_prop_of_another_mode_is_unknown() {
    for props in ["mode=Serial, threads=2", "mode=CPU, thread=2", "mode=CPU, threads=0", "mode=CPU, threads=two"] {
        let error = Device::open(props).expect_err(props);
        let ErrorKind::Props { message } = error.kind() else { panic!("{props}: {error:?}") };
        assert!(message.contains("thread"), "{message}");
    }
}

#[test]
fn memory_lies_where_the_host_reads_it() {
    for props in DEVICES {
        let device = Device::open(props).expect(props);
        for len in [0_usize, 1, 1000, 700_001] {
            let data: Vec<f64> = (0..len).map(|i| i as f64).collect();
            let memory = device.malloc_from(&data).expect("there is memory");
            assert_eq!(memory.to_vec().expect("it copies"), data);
            let mut filled = device.malloc_filled(len, -1.5_f64).expect("there is memory");
            assert!(filled.to_vec().expect("it copies").iter().all(|&x| x == -1.5));
            filled.copy_from_memory(&memory).expect("both are as long");
            assert_eq!(filled.to_vec().expect("it copies"), data);
        }
        let mut mine = [1.0_f64, 2.0, 3.0];
        let handle = NativeHandle::host(mine.as_mut_ptr().expose_provenance() as u64);
        // SAFETY: `mine` outlives the wrapped memory and is not touched while that lives.
        let mut wrapped = unsafe { device.wrap_memory::<f64>(handle, 3) }.expect("a host pointer");
        wrapped.fill(4.0).expect("it fills");
        drop(wrapped);
        assert_eq!(mine, [4.0; 3]);
        // SAFETY: it is refused before anything is done with it.
        let error = unsafe { device.wrap_memory::<f64>(NativeHandle::cuda(64), 3) }.map(|_| ());
        assert!(matches!(error.expect_err("no host pointer").kind(), ErrorKind::Unsupported { .. }));
    }
}

#[test]
fn memory_that_nobody_has_is_an_error() {
    let device = Device::open("mode=CPU").expect("a host is always there");
    let error = device.malloc::<f64>(1 << 50).map(|_| ()).expect_err("no machine has it");
    assert!(matches!(error.kind(), ErrorKind::OutOfMemory { free: Some(_), .. }), "{error}");
    assert_eq!(device.memory_allocated(), 0);
}

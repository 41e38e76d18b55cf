//! Host threads: `Device` and `Kernel` are shared freely.

use crate::check::{self, Failure, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, Kernel, Memory, args};

cases!["threads"; two_threads_launch_one_kernel, two_threads_build_one_kernel];

const COUNT: &str = "@kernel void count(const int n, int *a) {
    for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { a[i] += 1; }
}";

fn hammer(kernel: &Kernel, device: &Device) -> Outcome {
    let mut a: Memory<i32> = device.malloc_filled(257, 0)?;
    for _ in 0..500 {
        kernel.launch(args![257, &mut a])?;
    }
    check::same("a", &a.to_vec()?, &[500; 257])
}

fn in_threads(work: impl Fn() -> Outcome + Sync) -> Outcome {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(&work)).collect();
        threads.into_iter().try_for_each(|t| t.join().unwrap_or_else(|_| Err(Failure("a thread panicked".into()))))
    })
}

fn two_threads_launch_one_kernel(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(COUNT, "count", "")?;
    in_threads(|| hammer(&kernel, device))
}

fn two_threads_build_one_kernel(device: &Device) -> Outcome {
    // A name of its own, so that no earlier case has built this source.
    let source = COUNT.replace("count", "count_from_many_threads");
    in_threads(|| hammer(&device.build_kernel_from_string(&source, "count_from_many_threads", "")?, device))
}

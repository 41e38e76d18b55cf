//! Kernels with large arrays, launched on threads with small stacks.

use ferrocca_core::{Device, Error, args};

// Links the backend, which then registers itself.
use ferrocca_backend_cpu as _;

const SOURCE: &str = "@kernel void turn(const int n, const double *from, double *to) {
    for (int o = 0; o < n; o += 100000; @outer) {
        @shared double s[100000];
        for (int i = 0; i < 100; ++i; @inner) { for (int k = i; k < 100000; k += 100) s[k] = from[o + k]; }
        for (int i = 0; i < 100; ++i; @inner) {
            double t[1000];
            for (int k = 0; k < 1000; ++k) t[k] = s[99999 - i - 100 * k];
            for (int k = 0; k < 1000; ++k) to[o + i + 100 * k] = t[k];
        }
    }
}";

fn turned(mode: &str) -> Result<Vec<f64>, Error> {
    let device = Device::open(mode)?;
    let from: Vec<f64> = (0..400_000).map(f64::from).collect();
    let (from, mut to) = (device.malloc_from(&from)?, device.malloc_filled(400_000, 0.0)?);
    device.build_kernel_from_string(SOURCE, "turn", "")?.launch(args![400_000, &from, &mut to])?;
    to.to_vec()
}

#[test]
fn a_thread_of_64_kib_gets_a_stack_for_the_call() {
    for mode in ["mode=Serial", "mode=CPU, threads=3", "mode=CPU, pool=own, threads=3"] {
        // The thread reads the signature from the cache, which nests, too.
        turned(mode).unwrap_or_else(|error| panic!("{mode}: {error}"));
        std::thread::scope(|scope| {
            let small = std::thread::Builder::new().stack_size(64 * 1024);
            let thread = small.spawn_scoped(scope, || turned(mode)).expect("there is a thread");
            let turned = thread.join().expect("it ends").unwrap_or_else(|error| panic!("{mode}: {error}"));
            let expected: Vec<f64> =
                (0..4).flat_map(|o| (0..100_000).rev().map(move |k| f64::from(o * 100_000 + k))).collect();
            assert!(turned == expected, "{mode}: another result");
        });
    }
}

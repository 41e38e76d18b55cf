//! What a build costs: cold in a new process, warm from the disk in a new process, again in the same one.

use crate::compare::median;
use crate::table::{Bar, Row};
use crate::{Bench, Measured, peer};
use ferrocca::Device;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Set in a process that this one starts to measure one build.
const CHILD: &str = "FERROCCA_BENCH_CUDA_BUILD";

const CACHE: &str = "FERROCCA_CACHE_DIR";

const COLD_ROUNDS: usize = 7;
const WARM_ROUNDS: usize = 15;

/// Whether this process is one that measures one build.
pub(crate) fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Opens the device, builds the kernel and prints the seconds that the build took.
pub(crate) fn be_child() -> ExitCode {
    match Device::open("mode=CUDA").map_err(Into::into).and_then(|device| time_of_build(&device)) {
        Ok(seconds) => {
            println!("{seconds}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn time_of_build(device: &Device) -> Measured<f64> {
    let begin = Instant::now();
    let kernel = device.build_kernel(peer::kernel(), "burgers_step", ())?;
    let seconds = begin.elapsed().as_secs_f64();
    drop(kernel);
    Ok(seconds)
}

/// Seconds of a build in a new process with this cache.
fn in_a_child(cache: &Path) -> Measured<f64> {
    let output = Command::new(std::env::current_exe()?).env(CHILD, "1").env(CACHE, cache).output()?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().parse()?),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}

/// The three builds; the cold one beside nvcc, which is what others compile with at run time.
pub(crate) fn measure(bench: &Bench, print: &mut dyn FnMut(Row)) -> Measured {
    let mut cold = Vec::new();
    for _ in 0..COLD_ROUNDS {
        let cache = tempfile::tempdir()?;
        cold.push(in_a_child(cache.path())?);
    }
    let nvcc = bench.plain.compile_seconds(3)?;
    let what = "cold build".to_owned();
    let peer = Some(("nvcc", nvcc * 1e3));
    print(Row { what, unit: "ms", own: median(cold) * 1e3, peer, bar: Bar::AtMost(100.0) });

    let cache = tempfile::tempdir()?;
    in_a_child(cache.path())?;
    let warm = (0..WARM_ROUNDS).map(|_| in_a_child(cache.path())).collect::<Measured<Vec<f64>>>()?;
    let what = "warm build, from the disk".to_owned();
    print(Row { what, unit: "ms", own: median(warm) * 1e3, peer: None, bar: Bar::AtMost(1.0) });

    let kept = bench.device.build_kernel(peer::kernel(), "burgers_step", ())?;
    let again = (0..1001).map(|_| time_of_build(&bench.device)).collect::<Measured<Vec<f64>>>()?;
    drop(kept);
    let what = "build again, in the same process".to_owned();
    print(Row { what, unit: "µs", own: median(again) * 1e6, peer: None, bar: Bar::AtMost(20.0) });
    Ok(())
}

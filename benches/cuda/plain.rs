//! The plain CUDA C++ peer: compiled by nvcc, loaded into this process, used on Ferrocca's own memory.
//!
//! Both use the device's primary context, so that a pointer of the one is a pointer of the other. Whoever changes from
//! one to the other finishes first: their streams do not wait for each other.

use crate::peer::{C1, C2, file};
use crate::{Measured, compare};
use libloading::Library;
use std::ffi::{c_int, c_long, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// How the peer is compiled. Without contraction, as Ferrocca's kernels are unless one asks for it.
const FLAGS: [&str; 6] = ["-O3", "-arch=native", "-fmad=false", "-shared", "-Xcompiler", "-fPIC"];

type Open = unsafe extern "C" fn(c_int) -> *mut c_void;
type OnPeer = unsafe extern "C" fn(*mut c_void);
type Steps = unsafe extern "C" fn(*mut c_void, c_int, f64, f64, *mut f64, *mut f64, c_long);
type Replay = unsafe extern "C" fn(*mut c_void, c_long);
type Persist = unsafe extern "C" fn(*mut c_void, c_int, f64, f64, *mut f64, c_long, *mut f64);
type Copies = unsafe extern "C" fn(*mut c_void, *mut f64, *const f64, c_long, c_long);

/// The loaded peer, with a stream of its own.
pub(crate) struct Plain {
    peer: *mut c_void,
    close: OnPeer,
    finish: OnPeer,
    steps: Steps,
    record: Steps,
    replay: Replay,
    persist: Persist,
    copies: Copies,
    version: String,
    nvcc: PathBuf,
    /// Unloaded last.
    _library: Library,
    directory: tempfile::TempDir,
}

/// Two arrays of `n + 2` numbers on the device.
#[derive(Clone, Copy)]
pub(crate) struct Arrays {
    pub(crate) n: usize,
    pub(crate) u_prev: *mut f64,
    pub(crate) u: *mut f64,
}

impl Plain {
    /// Compiles and loads it.
    /// # Errors
    /// Without nvcc, and with what nvcc says.
    pub(crate) fn build() -> Measured<Self> {
        let (nvcc, version) = find_nvcc()?;
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("peer.so");
        let output =
            Command::new(&nvcc).args(FLAGS).arg(file("benches/peer/burgers.cu")).arg("-o").arg(&path).output()?;
        if !output.status.success() {
            return Err(format!("{}: {}", nvcc.display(), String::from_utf8_lossy(&output.stderr)).into());
        }
        // SAFETY: its only initialisers are those of the CUDA runtime, which registers kernels.
        let library = unsafe { Library::new(&path)? };
        // SAFETY: the functions of burgers.cu have these types; the library outlives the pointers, which are dropped
        // with it. `peer_open` takes the device that `mode=CUDA` opens, the first one.
        unsafe {
            Ok(Self {
                peer: library.get::<Open>(b"peer_open")?(0),
                close: *library.get(b"peer_close")?,
                finish: *library.get(b"peer_finish")?,
                steps: *library.get(b"peer_steps")?,
                record: *library.get(b"peer_record")?,
                replay: *library.get(b"peer_replay")?,
                persist: *library.get(b"peer_persist")?,
                copies: *library.get(b"peer_copies")?,
                version,
                nvcc,
                _library: library,
                directory,
            })
        }
    }

    /// The compiler and its flags.
    pub(crate) fn describe(&self) -> String {
        format!("peer by nvcc {} {}", self.version, FLAGS[..3].join(" "))
    }

    /// Queues steps. After an odd number the newest field is in `u`, after an even one in `u_prev`.
    pub(crate) fn steps(&self, arrays: Arrays, steps: u64) {
        let Arrays { n, u_prev, u } = arrays;
        // SAFETY: both arrays have n + 2 numbers, do not overlap, and nobody else uses them before `finish`.
        unsafe { (self.steps)(self.peer, n as c_int, C1, C2, u_prev, u, steps as c_long) }
    }

    /// Makes a graph of an even number of steps.
    pub(crate) fn record(&self, arrays: Arrays, steps: u64) {
        assert!(steps.is_multiple_of(2), "the graph ends with the newest field where it began");
        let Arrays { n, u_prev, u } = arrays;
        // SAFETY: as above, and until the last replay has finished.
        unsafe { (self.record)(self.peer, n as c_int, C1, C2, u_prev, u, steps as c_long) }
    }

    /// Queues the recorded graph.
    pub(crate) fn replay(&self, times: u64) {
        // SAFETY: a graph was recorded, and its arrays live.
        unsafe { (self.replay)(self.peer, times as c_long) }
    }

    /// Queues one kernel that steps `arrays.u_prev` in place, each step's field in a row of `ring`.
    pub(crate) fn persist(&self, arrays: Arrays, steps: u64, ring: *mut f64) {
        assert!(arrays.n <= 1024, "one thread a point");
        // SAFETY: as above; the ring has `steps` rows of n + 2 numbers.
        unsafe { (self.persist)(self.peer, arrays.n as c_int, C1, C2, arrays.u_prev, steps as c_long, ring) }
    }

    /// Queues copies of `arrays.u_prev` to `arrays.u`.
    pub(crate) fn copies(&self, arrays: Arrays, times: u64) {
        let Arrays { n, u_prev, u } = arrays;
        // SAFETY: both arrays have n + 2 numbers.
        unsafe { (self.copies)(self.peer, u, u_prev, n as c_long + 2, times as c_long) }
    }

    /// Waits for everything that was queued.
    pub(crate) fn finish(&self) {
        // SAFETY: the peer is open.
        unsafe { (self.finish)(self.peer) }
    }

    /// Median seconds that nvcc needs to make machine code of the peer's kernels.
    pub(crate) fn compile_seconds(&self, rounds: usize) -> Measured<f64> {
        let target = self.directory.path().join("peer.cubin");
        let mut seconds = Vec::new();
        for _ in 0..rounds {
            let mut command = Command::new(&self.nvcc);
            command.args(&FLAGS[..3]).arg("-cubin").arg(file("benches/peer/burgers.cu")).arg("-o").arg(&target);
            let begin = Instant::now();
            let output = command.output()?;
            seconds.push(begin.elapsed().as_secs_f64());
            if !output.status.success() {
                return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
            }
        }
        Ok(compare::median(seconds))
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        // SAFETY: opened once, closed once.
        unsafe { (self.close)(self.peer) }
    }
}

/// nvcc and its version: that of `NVCC`, of the toolkit that `CUDA_HOME` or `CUDA_PATH` names, of `PATH`, of the usual
/// place.
fn find_nvcc() -> Measured<(PathBuf, String)> {
    let toolkits = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(std::env::var_os);
    let candidates = std::env::var_os("NVCC")
        .map(PathBuf::from)
        .into_iter()
        .chain(toolkits.map(|toolkit| Path::new(&toolkit).join("bin/nvcc")))
        .chain(["nvcc", "/usr/local/cuda/bin/nvcc"].map(PathBuf::from));
    for nvcc in candidates {
        let Ok(output) = Command::new(&nvcc).arg("--version").output() else { continue };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = text.split("release ").nth(1).and_then(|rest| rest.split(',').next());
        if let (true, Some(version)) = (output.status.success(), version) {
            return Ok((nvcc, version.to_owned()));
        }
    }
    Err("the peers are compiled by nvcc, which is neither NVCC, below CUDA_HOME, on PATH nor in /usr/local/cuda".into())
}

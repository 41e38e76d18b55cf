//! Times of launches, per kernel: gathered when a device profiles, read as a table.
//!
//! Two tags frame each launch; their times are asked for later, so that profiling does not wait for the device.

use crate::Result;
use crate::backend::BackendTag;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Launches whose times were not asked for yet are at most this many per kernel, so that their tags do not pile up.
const MAX_PENDING: usize = 1024;

/// What was measured on a device, the kernel that took most time first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// One per kernel name.
    pub kernels: Vec<KernelProfile>,
}

/// What was measured of one kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelProfile {
    /// Name of the kernel.
    pub name: String,
    /// Number of launches.
    pub count: u64,
    /// Time of all launches together.
    pub total_seconds: f64,
    /// Time of the fastest one.
    pub min_seconds: f64,
    /// Time of the slowest one.
    pub max_seconds: f64,
    /// Bytes of the memory arguments of all launches together: what moves when each is touched once.
    pub bytes: u64,
}

impl KernelProfile {
    /// Mean time of a launch.
    pub fn mean_seconds(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.total_seconds / self.count as f64 }
    }

    /// Gigabytes (10⁹ bytes) per second.
    pub fn gigabytes_per_second(&self) -> f64 {
        if self.total_seconds > 0.0 { self.bytes as f64 * 1e-9 / self.total_seconds } else { 0.0 }
    }

    fn add(&mut self, seconds: f64) {
        self.min_seconds = if self.count == 0 { seconds } else { self.min_seconds.min(seconds) };
        self.max_seconds = self.max_seconds.max(seconds);
        self.total_seconds += seconds;
        self.count += 1;
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kernels.is_empty() {
            return writeln!(f, "(no launch was timed: open the device with `profile=true`)");
        }
        let width = self.kernels.iter().map(|kernel| kernel.name.len()).max().unwrap_or(0).max("kernel".len());
        writeln!(
            f,
            "{:width$}  {:>10}  {:>12}  {:>12}  {:>12}  {:>12}  {:>10}  {:>9}",
            "kernel", "count", "total ms", "mean µs", "min µs", "max µs", "GB", "GB/s"
        )?;
        for kernel in &self.kernels {
            writeln!(
                f,
                "{:width$}  {:>10}  {:>12.3}  {:>12.3}  {:>12.3}  {:>12.3}  {:>10.3}  {:>9.2}",
                kernel.name,
                kernel.count,
                kernel.total_seconds * 1e3,
                kernel.mean_seconds() * 1e6,
                kernel.min_seconds * 1e6,
                kernel.max_seconds * 1e6,
                kernel.bytes as f64 * 1e-9,
                kernel.gigabytes_per_second()
            )?;
        }
        Ok(())
    }
}

/// Gathers the times of a device's launches.
#[derive(Default)]
pub(crate) struct Profiler {
    kernels: Mutex<BTreeMap<String, Entry>>,
}

#[derive(Default)]
struct Entry {
    measured: KernelProfile,
    pending: Vec<(Arc<dyn BackendTag>, Arc<dyn BackendTag>)>,
}

impl Entry {
    fn settle(&mut self) -> Result<()> {
        for (start, end) in self.pending.drain(..) {
            self.measured.add(end.elapsed_ms(&*start)? * 1e-3);
        }
        Ok(())
    }
}

impl Profiler {
    /// Notes a launch between two tags of one stream.
    pub(crate) fn record(
        &self,
        kernel: &str,
        start: Arc<dyn BackendTag>,
        end: Arc<dyn BackendTag>,
        bytes: u64,
    ) -> Result<()> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if !kernels.contains_key(kernel) {
            let measured = KernelProfile { name: kernel.to_string(), ..KernelProfile::default() };
            kernels.insert(kernel.to_string(), Entry { measured, pending: Vec::new() });
        }
        let Some(entry) = kernels.get_mut(kernel) else {
            return Ok(());
        };
        entry.measured.bytes += bytes;
        entry.pending.push((start, end));
        if entry.pending.len() >= MAX_PENDING { entry.settle() } else { Ok(()) }
    }

    pub(crate) fn read(&self) -> Result<Profile> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = Profile::default();
        for entry in kernels.values_mut() {
            entry.settle()?;
            out.kernels.push(entry.measured.clone());
        }
        out.kernels.sort_by(|a, b| b.total_seconds.total_cmp(&a.total_seconds));
        Ok(out)
    }

    pub(crate) fn reset(&self) {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

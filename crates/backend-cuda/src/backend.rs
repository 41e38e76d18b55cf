//! The backend: whether there is a driver, which devices it shows, opening one.

use crate::compile::Compiler;
use crate::device::{self, CudaDevice};
use crate::driver::{Code, Driver};
use crate::error;
use ferrocca_core::Result;
use ferrocca_core::backend::{Backend, BackendDevice, DeviceInfo, Mode, Process, TilingSetting};
use ferrocca_core::props::Props;
use okl::Compiled;
use okl::back::cuda::CudaTarget;
use okl::target::Target;
use std::sync::{Arc, OnceLock};

const MODES: &[Mode] = &[Mode::new("CUDA", "NVIDIA GPUs, through the CUDA driver and NVRTC")
    .with_device_props(&[
        ("device_id", "index of the GPU among those that the driver shows (default: 0)"),
        (
            "persistent",
            "run small recorded loops as one block: 'auto' (default: where that is not slower), 'on' or 'off'",
        ),
        TilingSetting::PROPERTY,
        (
            "architecture",
            "what `compile` builds for where there is no GPU: 'sm_90' (default: 'sm_80'); elsewhere the GPU must be of it",
        ),
        ("nvrtc", "path of the NVRTC library (default: the toolkit's, the loader's or the active Python's)"),
    ])
    .with_kernel_props(&[
        ("compiler_flags", "further options for NVRTC, separated by spaces"),
        ("lineinfo", "true: keep the lines of the source for profilers and debuggers"),
    ])
    .with_stream_props(&[("non_blocking", "true: it does not wait for the legacy default stream of CUDA")])];

/// The backend of the mode `CUDA`.
pub static CUDA: CudaBackend = CudaBackend { driver: installed_driver };

/// The backend of the mode `CUDA`; [`CUDA`] is the one instance.
#[derive(Debug)]
pub struct CudaBackend {
    /// The driver, loaded and initialised, or why it is not available.
    driver: fn() -> Result<&'static Driver, String>,
}

ferrocca_core::inventory::submit! {
    ferrocca_core::BackendEntry(&CUDA)
}

fn installed_driver() -> Result<&'static Driver, String> {
    static LOADED_IN: OnceLock<Process> = OnceLock::new();
    static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();
    if LOADED_IN.get_or_init(Process::current).is_forked() && DRIVER.get().is_some_and(Result::is_ok) {
        return Err(error::FORKED.to_owned());
    }
    let driver = DRIVER.get_or_init(|| Driver::load().and_then(initialised));
    driver.as_ref().map_err(Clone::clone)
}

fn initialised(driver: Driver) -> Result<Driver, String> {
    // SAFETY: the flags must be 0; the call has no other requirement.
    match unsafe { (driver.init)(0) } {
        Code::SUCCESS => Ok(driver),
        Code::NO_DEVICE => Err("the NVIDIA driver finds no GPU".into()),
        code => Err(format!("the NVIDIA driver does not start: cuInit: {}", driver.describe(code))),
    }
}

/// A driver that works, its version as toolkits are numbered, and how many devices it shows (at least one).
struct Installation {
    driver: &'static Driver,
    version: (u32, u32),
    devices: u32,
}

impl CudaBackend {
    /// A backend on another driver.
    #[cfg(test)]
    pub(crate) const fn on(driver: fn() -> Result<&'static Driver, String>) -> Self {
        Self { driver }
    }

    fn installation(&self) -> Result<Installation> {
        let driver = (self.driver)().map_err(error::unavailable)?;
        let (mut version, mut devices) = (0, 0);
        // SAFETY: each call writes one number.
        let (version_code, count_code) =
            unsafe { ((driver.driver_get_version)(&mut version), (driver.device_get_count)(&mut devices)) };
        for (code, call) in [(version_code, "cuDriverGetVersion"), (count_code, "cuDeviceGetCount")] {
            if code != Code::SUCCESS {
                return Err(error::unavailable(format!("{call}: {}", driver.describe(code))));
            }
        }
        if devices <= 0 {
            return Err(error::unavailable("the NVIDIA driver shows no GPU (is `CUDA_VISIBLE_DEVICES` empty?)"));
        }
        let version = version.unsigned_abs();
        let version = (version / 1000, version % 1000 / 10);
        Ok(Installation { driver, version, devices: devices.unsigned_abs() })
    }
}

impl Backend for CudaBackend {
    fn modes(&self) -> &'static [Mode] {
        MODES
    }

    fn target(&self, _mode: &str) -> Option<Arc<dyn Target>> {
        Some(Arc::new(CudaTarget))
    }

    fn text_depends_on_device(&self, _mode: &str) -> bool {
        false
    }

    fn probe(&self, _mode: &str) -> Result<Vec<DeviceInfo>> {
        let Installation { driver, version, devices } = self.installation()?;
        let describe = |id| {
            let (_, mut info) = device::describe(driver, id, version)?;
            let architecture = info.architecture.clone();
            let compiler = Compiler { named: None, driver: version, architecture, max_shared_bytes: 0 };
            info.compiler = device::describe_compiler(&compiler);
            Ok(info)
        };
        (0..devices).map(describe).collect()
    }

    fn props_of(&self, info: &DeviceInfo) -> Props {
        Props::new().with("device_id", i64::from(info.device_id))
    }

    fn open(&self, _mode: &str, props: &Props) -> Result<Arc<dyn BackendDevice>> {
        let Installation { driver, version, devices } = self.installation()?;
        let id = props.get_int_in("device_id", 0..=i64::from(u32::MAX))?.unwrap_or(0) as u32;
        if id >= devices {
            let (verb, noun) = if devices == 1 { ("is", "GPU") } else { ("are", "GPUs") };
            return Err(error::unavailable(format!(
                "there is no device_id {id}: there {verb} {devices} {noun}, counted from 0"
            )));
        }
        let device = CudaDevice::open(driver, id, version, props)?;
        match props.get_str("architecture")? {
            Some(asked) if asked != device.info().architecture => Err(error::props(format!(
                "property `architecture`: the GPU with device_id {id} is `{}`, not `{asked}`",
                device.info().architecture
            ))),
            _ => Ok(device),
        }
    }

    fn compile_without_device(&self, text: &Compiled, device: &Props, kernel: &Props) -> Result<Option<String>> {
        let architecture = device.get_str("architecture")?.unwrap_or("sm_80").to_owned();
        // Whatever a driver could load: none is here.
        let driver = (u32::MAX, 0);
        let named = device.get_str("nvrtc")?.map(str::to_owned);
        let compiler = Compiler { named, driver, architecture, max_shared_bytes: 0 };
        compiler.compile(text, kernel)?;
        let (major, minor) = compiler.found()?.version;
        Ok(Some(format!("NVRTC {major}.{minor} for {}", compiler.architecture)))
    }
}

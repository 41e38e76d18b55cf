//! Which backends this program has, and which mode belongs to which.
//!
//! Backends that are linked in submit themselves (`inventory::submit! { BackendEntry(&MY_BACKEND) }`); others are
//! added at run time by [`register_backend`]. A mode name belongs to one backend; names are compared without case.

use crate::backend::{Backend, DeviceInfo, Mode};
use crate::props::{Props, Value};
use crate::{Error, ErrorKind, Result, suggest};
use std::sync::{OnceLock, RwLock};

/// What a backend crate submits to be found: `inventory::submit! { BackendEntry(&MY_BACKEND) }`.
pub struct BackendEntry(pub &'static dyn Backend);

inventory::collect!(BackendEntry);

fn table() -> &'static RwLock<Vec<&'static dyn Backend>> {
    static TABLE: OnceLock<RwLock<Vec<&'static dyn Backend>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut backends: Vec<&'static dyn Backend> =
            inventory::iter::<BackendEntry>.into_iter().map(|entry| entry.0).collect();
        // Link order is no order: by name, so that lists read the same everywhere.
        backends.sort_by_key(|backend| backend.modes().first().map_or("", |mode| mode.name));
        RwLock::new(backends)
    })
}

/// Adds a backend to those that [`crate::Device::open`] knows.
/// # Errors
/// [`ErrorKind::Invalid`] when it has no mode, or a mode name or alias that another backend has.
pub fn register_backend(backend: &'static dyn Backend) -> Result<()> {
    let mut backends = table().write().unwrap_or_else(std::sync::PoisonError::into_inner);
    if backend.modes().is_empty() {
        return Err(Error::invalid("a backend without any mode cannot be registered"));
    }
    for mode in backend.modes() {
        for name in names(mode) {
            if let Some((_, taken)) = find_in(&backends, name) {
                return Err(Error::invalid(format!(
                    "mode name `{name}` belongs to a registered backend already (mode `{}`)",
                    taken.name
                )));
            }
        }
    }
    backends.push(backend);
    Ok(())
}

/// Every registered backend.
pub fn backends() -> Vec<&'static dyn Backend> {
    table().read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
}

/// Every mode of every registered backend.
pub fn modes() -> Vec<&'static Mode> {
    backends().into_iter().flat_map(|backend| backend.modes()).collect()
}

/// Every mode with its devices, or why it has none.
pub fn probe() -> Vec<(&'static Mode, Result<Vec<DeviceInfo>>)> {
    backends()
        .into_iter()
        .flat_map(|backend| backend.modes().iter().map(move |mode| (mode, backend.probe(mode.name).map(mark_default))))
        .collect()
}

/// Marks the first device where the backend has marked none.
fn mark_default(mut devices: Vec<DeviceInfo>) -> Vec<DeviceInfo> {
    if !devices.iter().any(|device| device.is_default) {
        devices.iter_mut().take(1).for_each(|first| first.is_default = true);
    }
    devices
}

/// The backend and mode of a name or alias.
pub(crate) fn find(name: &str) -> Result<(&'static dyn Backend, &'static Mode)> {
    find_in(&backends(), name).ok_or_else(|| {
        if let Some((mode, feature)) = left_out(name) {
            let reason = format!(
                "this program was built without it: add the feature `{feature}` of the crate `ferrocca`\n{}",
                what_can_be_had(None)
            );
            return Error::new(ErrorKind::Unavailable { mode: mode.to_string(), reason });
        }
        let known = modes();
        let hint = suggest::hint(name, known.iter().flat_map(|mode| names(mode)));
        let elsewhere = ELSEWHERE.iter().find(|(names, _)| names.iter().any(|other| other.eq_ignore_ascii_case(name)));
        let hint = elsewhere.map_or(hint, |(_, instead)| format!("; {instead}"));
        let hint = match suggest::pair_in(name) {
            Some(pair) => {
                let mode = name[..name.len() - pair.len()].trim_end();
                format!("{}: write `{mode}, {pair}`", suggest::missing_comma(name))
            }
            None => hint,
        };
        Error::new(ErrorKind::Unavailable {
            mode: name.to_string(),
            reason: format!("there is no such mode{hint}\n{}", what_can_be_had(None)),
        })
    })
}

/// The modes of this workspace's backends, with the feature of the crate `ferrocca` that each needs.
const FEATURES: [(&str, &str); 10] = [
    ("Serial", "cpu"),
    ("CPU", "cpu"),
    ("OpenMP", "cpu"),
    ("CUDA", "cuda"),
    ("OpenCL", "opencl"),
    ("WebGPU", "wgpu"),
    ("Vulkan", "wgpu"),
    ("Metal", "wgpu"),
    ("DX12", "wgpu"),
    ("Reference", "reference"),
];

/// The mode of a name that no backend of this program has, and the feature that brings it.
fn left_out(name: &str) -> Option<(&'static str, &'static str)> {
    FEATURES.into_iter().find(|(mode, _)| mode.eq_ignore_ascii_case(name))
}

impl Props {
    /// The mode that they name.
    /// # Errors
    /// [`ErrorKind::Props`]: none is named, or it is no text.
    pub fn mode(&self) -> Result<&str> {
        self.get_str("mode")?.ok_or_else(|| {
            let message = mode_as_property(self)
                .unwrap_or_else(|| format!("no mode is named, as in `CPU` or `mode=CPU`\n{}", what_can_be_had(None)));
            Error::new(ErrorKind::Props { message })
        })
    }
}

/// Where a mode stands as the name of a property, `OpenCL:1` or `CPU:threads=2`: how it is written.
fn mode_as_property(props: &Props) -> Option<String> {
    let backends = backends();
    let (mode, value) =
        props.iter().find_map(|(name, value)| find_in(&backends, name).map(|(_, mode)| (mode, value)))?;
    let written = match value {
        Value::Int(device) if mode.device_props.iter().any(|(name, _)| *name == "device_id") => {
            format!("`{}, device_id={device}`", mode.name)
        }
        Value::String(text) if text.contains(['=', ':']) => format!("`{}, {text}`", mode.name),
        _ => format!("`{}`", mode.name),
    };
    Some(format!("`{}` is a mode, not a property: write {written}", mode.name))
}

/// Names of other systems, and what to ask for here.
const ELSEWHERE: [(&[&str], &str); 4] = [
    (&["HIP", "ROCm", "AMD"], "AMD GPUs are used through `OpenCL` or `WebGPU`"),
    (&["dpcpp", "SYCL", "oneAPI", "Level Zero", "Intel"], "Intel GPUs are used through `OpenCL` or `WebGPU`"),
    (&["NVIDIA", "cuda-gpu"], "NVIDIA GPUs are used through `CUDA`"),
    (&["GPU"], "name an interface: `CUDA`, `OpenCL` or `WebGPU`"),
];

/// The mode of `backend` with that name or alias.
pub(crate) fn mode_of(backend: &dyn Backend, name: &str) -> Option<&'static Mode> {
    backend.modes().iter().find(|mode| names(mode).any(|n| n.eq_ignore_ascii_case(name)))
}

/// A line that lists the modes with devices and those without, except for `told`, of which the caller says why.
pub(crate) fn what_can_be_had(told: Option<&str>) -> String {
    let (available, missing): (Vec<_>, Vec<_>) =
        probe().into_iter().partition(|(_, devices)| devices.as_ref().is_ok_and(|devices| !devices.is_empty()));
    let available = suggest::list(available.iter().map(|(mode, _)| mode.name));
    let mut missing = missing.iter().map(|(mode, _)| mode.name).filter(|mode| told != Some(mode)).peekable();
    match missing.peek() {
        None => format!("modes available here: {available}"),
        Some(_) => {
            let missing = suggest::list(missing);
            format!("modes available here: {available}; without a device here: {missing} (`ferrocca info` says why)")
        }
    }
}

fn names(mode: &'static Mode) -> impl Iterator<Item = &'static str> {
    std::iter::once(mode.name).chain(mode.aliases.iter().copied())
}

fn find_in(backends: &[&'static dyn Backend], name: &str) -> Option<(&'static dyn Backend, &'static Mode)> {
    backends.iter().find_map(|backend| mode_of(*backend, name).map(|mode| (*backend, mode)))
}

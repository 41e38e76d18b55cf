//! Which backends this program has, and which mode belongs to which.
//!
//! Backends that are linked in submit themselves (`inventory::submit! { BackendEntry(&MY_BACKEND) }`); others are
//! added at run time by [`register_backend`]. A mode name belongs to one backend; names are compared without case.

use crate::backend::{Backend, DeviceInfo, Mode};
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
        let known = modes();
        let hint = suggest::hint(name, known.iter().flat_map(|mode| names(mode)));
        Error::new(ErrorKind::Unavailable {
            mode: name.to_string(),
            reason: format!("there is no such mode{hint}; {}", what_can_be_had(None)),
        })
    })
}

/// The mode of `backend` with that name or alias.
pub(crate) fn mode_of(backend: &dyn Backend, name: &str) -> Option<&'static Mode> {
    backend.modes().iter().find(|mode| names(mode).any(|n| n.eq_ignore_ascii_case(name)))
}

/// A sentence that lists the modes with devices, and for the others why not, except for `told`, of which the caller says so.
pub(crate) fn what_can_be_had(told: Option<&str>) -> String {
    let mut available = Vec::new();
    let mut missing = String::new();
    for (mode, devices) in probe() {
        match devices {
            Ok(devices) if !devices.is_empty() => available.push(mode.name),
            Err(_) if told == Some(mode.name) => {}
            Ok(_) => missing.push_str(&format!("; `{}` has no device", mode.name)),
            Err(error) => missing.push_str(&format!("; `{}` is not available: {}", mode.name, reason_of(&error))),
        }
    }
    format!("modes available here: {}{missing}", suggest::list(available))
}

/// Why something is unavailable, without naming the mode again.
fn reason_of(error: &Error) -> String {
    match error.kind() {
        ErrorKind::Unavailable { reason, .. } => reason.clone(),
        _ => error.to_string(),
    }
}

fn names(mode: &'static Mode) -> impl Iterator<Item = &'static str> {
    std::iter::once(mode.name).chain(mode.aliases.iter().copied())
}

fn find_in(backends: &[&'static dyn Backend], name: &str) -> Option<(&'static dyn Backend, &'static Mode)> {
    backends.iter().find_map(|backend| mode_of(*backend, name).map(|mode| (*backend, mode)))
}

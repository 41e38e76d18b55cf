//! Instances of wgpu, and every adapter that they see.
//!
//! Nothing is ever shown in a window here. wgpu asks Vulkan for the extensions of windows all the same, and then Mesa's
//! layer that sorts devices connects to the desktop for its opinion: on a machine without one it prints an error, on one
//! behind a network it waits. So instances of Vulkan are made without those extensions.
//!
//! Not here: which adapter is fit, and which one is chosen ([`crate::adapter`]).

/// An instance of wgpu and its adapters.
pub(crate) type Found = (wgpu::Instance, Vec<wgpu::Adapter>);

/// The adapters of these backends, in the order of the drivers.
/// # Errors
/// Why the drivers cannot be asked at all.
pub(crate) fn adapters(backends: wgpu::Backends) -> Result<Found, String> {
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    if backends.contains(wgpu::Backends::VULKAN) {
        return vulkan::adapters();
    }
    let instance = instance(backends);
    let found = pollster::block_on(instance.enumerate_adapters(backends));
    Ok((instance, found))
}

/// Whether this process is a child of one that has used the driver before it forked: some drivers fail in such a child.
pub(crate) fn is_in_child() -> bool {
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    return vulkan::is_in_child();
    #[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
    false
}

/// Without validation: what reaches wgpu here is checked before.
fn instance(backends: wgpu::Backends) -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = backends;
    descriptor.flags = wgpu::InstanceFlags::empty();
    wgpu::Instance::new(descriptor)
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
mod vulkan {
    use super::Found;
    use crate::error;
    use ash::khr;
    use ferrocca_core::backend::Process;
    use std::ffi::CStr;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Mutex, PoisonError};
    use wgpu::hal::vulkan::{Api, Instance};
    use wgpu::hal::{Instance as _, InstanceDescriptor};

    /// What connects an instance to a desktop. `VK_KHR_surface` alone does not, and devices that can show images need it.
    const DESKTOPS: [&CStr; 3] = [khr::wayland_surface::NAME, khr::xcb_surface::NAME, khr::xlib_surface::NAME];

    /// The instance of Vulkan, made once and never given back: with its last instance the loader unloads the drivers, and
    /// NVIDIA's leaves behind what a thread that used it calls when it ends. A child of the process makes its own: the
    /// parent's may have threads.
    fn kept() -> Result<&'static Instance, String> {
        static KEPT: Mutex<Option<(Process, &'static Instance)>> = Mutex::new(None);
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((process, instance)) = *kept
            && !process.is_forked()
        {
            return Ok(instance);
        }
        let made: &'static Instance = Box::leak(Box::new(make()?));
        IS_IN_CHILD.store(kept.is_some(), Ordering::Relaxed);
        *kept = Some((Process::current(), made));
        Ok(made)
    }

    /// The instance is one that a child of a process with another one has made.
    static IS_IN_CHILD: AtomicBool = AtomicBool::new(false);

    pub(super) fn is_in_child() -> bool {
        IS_IN_CHILD.load(Ordering::Relaxed)
    }

    fn make() -> Result<Instance, String> {
        let descriptor = InstanceDescriptor {
            name: "ferrocca",
            flags: wgpu::InstanceFlags::empty(),
            memory_budget_thresholds: wgpu::MemoryBudgetThresholds::default(),
            backend_options: wgpu::BackendOptions::default(),
            telemetry: None,
            display: None,
        };
        let without_desktops: Box<wgpu::hal::vulkan::CreateInstanceCallback<'_>> = Box::new(|arguments| {
            arguments.extensions.retain(|extension| !DESKTOPS.contains(extension));
        });
        // SAFETY: wgpu asks to remove nothing from the list because it uses what is in it. Of these three extensions it
        // looks for each before it makes a surface of that kind, and no surface is made here.
        let hal = unsafe { Instance::init_with_callback(&descriptor, Some(without_desktops)) };
        hal.map_err(|error| {
            format!(
                "Vulkan cannot be used ({}); its loader and the driver of a GPU are needed (Debian, Ubuntu: `apt install \
                 libvulkan1 mesa-vulkan-drivers`)",
                error::describe(&error)
            )
        })
    }

    /// The adapters of Vulkan, the only backend on these systems.
    pub(super) fn adapters() -> Result<Found, String> {
        let hal = kept()?;
        // An instance that finds nothing by itself, because all that it is to know comes next.
        let instance = super::instance(wgpu::Backends::empty());
        // SAFETY: the instance lives, and each adapter holds what it needs of it.
        let exposed = unsafe { hal.enumerate_adapters(None) };
        // SAFETY: the adapters were just made, and nobody else has them.
        let adapters = exposed.into_iter().map(|one| unsafe { instance.create_adapter_from_hal::<Api>(one) }).collect();
        Ok((instance, adapters))
    }
}

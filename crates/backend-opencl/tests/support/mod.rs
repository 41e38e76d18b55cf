//! What the tests of this folder share.

use ferrocca_core::Device;

/// A device, or `None` after saying why there is none; where `FERROCCA_REQUIRE_DEVICES` names the mode, there must be one.
pub(crate) fn device() -> Option<Device> {
    match Device::open_with(&ferrocca_backend_opencl::OPENCL, "mode=OpenCL") {
        Ok(device) => Some(device),
        Err(error) => {
            let required = std::env::var("FERROCCA_REQUIRE_DEVICES").unwrap_or_default();
            assert!(!required.split(',').any(|name| name.trim().eq_ignore_ascii_case("opencl")), "{error}");
            eprintln!("skipped: {error}");
            None
        }
    }
}

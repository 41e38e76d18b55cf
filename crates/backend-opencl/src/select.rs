//! Which devices there are, what they can do, and which one a set of props names.

use crate::driver::{DeviceId, PlatformId, ask, ask_bytes, ask_text, library};
use crate::error::{self, MODE};
use crate::graph;
use cl3::device as cl;
use cl3::platform::{CL_PLATFORM_NAME, CL_PLATFORM_VENDOR, CL_PLATFORM_VERSION};
use ferrocca_core::Result;
use ferrocca_core::backend::{Capabilities, DeviceInfo};
use ferrocca_core::props::Props;
use okl::target::opencl::{Features, Form};
use std::sync::{Mutex, PoisonError};

/// What the loader answers when no driver is registered (`cl_khr_icd`).
const NO_PLATFORM: i32 = -1001;

/// The oldest version with fills, markers and `clEnqueueBarrierWithWaitList`.
const OLDEST: (u32, u32) = (1, 2);

/// Most groups of one launch along each axis on devices that are no processors: what the narrowest known driver takes.
/// Larger grids are launched in parts.
const NARROW_GRID: [u64; 3] = [i32::MAX as u64, 65_535, 65_535];

/// A usable device and what is known about it.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) id: DeviceId,
    platform: usize,
    platform_id: PlatformIdOf,
    platform_names: [String; 2],
    vendor: String,
    pub(crate) kind: Kind,
    pub(crate) info: DeviceInfo,
    pub(crate) capabilities: Capabilities,
    pub(crate) features: Features,
    pub(crate) limits: Limits,
    /// Fields of the cache key.
    pub(crate) identity: Vec<(&'static str, String)>,
}

/// The platform of a candidate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlatformIdOf(pub(crate) cl3::types::cl_platform_id);

// SAFETY: it names an object of the driver that is never freed, and is only passed to its functions.
unsafe impl Send for PlatformIdOf {}
// SAFETY: as above.
unsafe impl Sync for PlatformIdOf {}

/// What kind of processor it is, the most able kind first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Gpu,
    Other,
    Cpu,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
            Self::Other => "accelerator",
        }
    }
}

/// Numbers that only this backend needs.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// Largest single allocation in bytes.
    pub(crate) allocation: u64,
    /// All memory in bytes.
    pub(crate) memory: u64,
    /// Groups of one launch along each axis.
    pub(crate) grid: [u64; 3],
    /// Cores, or multiprocessors.
    pub(crate) units: u32,
    /// Fine-grained shared buffers: host and device see each other's writes without mapping.
    pub(crate) fine_grain: bool,
    /// Queues may run commands out of order.
    pub(crate) out_of_order: bool,
    /// Queues may take times.
    pub(crate) profiling: bool,
    /// `-cl-fp32-correctly-rounded-divide-sqrt` is understood.
    pub(crate) exact_f32_division: bool,
    /// OpenCL C version that programs are built as.
    pub(crate) language: (u32, u32),
    /// Extension by which the driver says how much memory is free.
    pub(crate) says_free: bool,
    /// `cl_khr_command_buffer` is there, and a buffer may be queued again before it has run.
    pub(crate) command_buffers: bool,
}

impl Candidate {
    pub(crate) fn platform_id(&self) -> cl3::types::cl_platform_id {
        self.platform_id.0
    }

    /// How a list of devices names it.
    fn label(&self) -> String {
        let Self { platform, platform_names, kind, info, .. } = self;
        format!("{}: {} ({} of platform {platform} `{}`)", info.device_id, info.name, kind.name(), platform_names[0])
    }

    fn matches(&self, wish: &Wish) -> bool {
        let names = || self.platform_names.iter().chain([&self.vendor, &self.info.name]);
        let vendor = |name: &str| names().any(|own| own.to_lowercase().contains(&name.to_lowercase()));
        wish.platform.is_none_or(|platform| platform == self.platform)
            && wish.kind.is_none_or(|kind| kind == self.kind)
            && wish.vendor.as_deref().is_none_or(vendor)
    }
}

/// Held while devices are looked for: PoCL makes its devices at the first question, and a second thread that asks
/// meanwhile is told that there are none, or crashes.
static LOOKING: Mutex<()> = Mutex::new(());

/// Every usable device of every platform.
/// # Errors
/// Unavailable: no library, no platform, no device, or none that is usable, with the reasons.
pub(crate) fn candidates() -> Result<Vec<Candidate>> {
    let _looking = LOOKING.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut usable, mut refused) = (Vec::new(), Vec::new());
    let platforms = platforms()?;
    for (position, &platform) in platforms.iter().enumerate() {
        for device in devices(platform)? {
            match describe(platform, position, device) {
                Ok(Ok(candidate)) => usable.push(candidate),
                Ok(Err(reason)) => refused.push(reason),
                Err(error) => refused.push(error.to_string()),
            }
        }
    }
    number(&mut usable);
    if usable.is_empty() {
        return Err(error::unavailable(if refused.is_empty() {
            let names: Vec<String> =
                platforms.iter().map(|&p| ask_text(p, CL_PLATFORM_NAME).unwrap_or_default()).collect();
            format!("no OpenCL platform here has a device (platforms: {})", names.join(", "))
        } else {
            format!("no OpenCL device here can be used: {}", refused.join("; "))
        }));
    }
    Ok(usable)
}

/// Gives each device its position, and marks the one that is opened where props name none.
fn number(all: &mut [Candidate]) {
    let default = most_able(all.iter());
    for (device_id, candidate) in all.iter_mut().enumerate() {
        candidate.info.device_id = device_id as u32;
        candidate.info.is_default = default == Some(device_id);
    }
}

/// The position of the most able one: a GPU before an accelerator before a processor, and the first among equals.
fn most_able<'a>(candidates: impl Iterator<Item = &'a Candidate>) -> Option<usize> {
    candidates.enumerate().min_by_key(|(_, candidate)| candidate.kind).map(|(position, _)| position)
}

fn platforms() -> Result<Vec<PlatformId>> {
    let library = library()?;
    let none = || {
        error::unavailable(
            "the OpenCL library is there, but no driver is registered with it; install the one of your device (Debian, \
             Ubuntu: `apt install pocl-opencl-icd` for CPUs)",
        )
    };
    let mut count = 0;
    match library.clGetPlatformIDs(0, std::ptr::null_mut(), &raw mut count) {
        Some(cl3::error_codes::CL_SUCCESS) if count > 0 => {}
        Some(cl3::error_codes::CL_SUCCESS | NO_PLATFORM) => return Err(none()),
        Some(status) => return Err(error::unavailable(error::driver("clGetPlatformIDs", status).to_string())),
        None => return Err(error::unavailable("what was loaded as the OpenCL library has no `clGetPlatformIDs`")),
    }
    let mut ids = vec![std::ptr::null_mut(); count as usize];
    match library.clGetPlatformIDs(count, ids.as_mut_ptr(), std::ptr::null_mut()) {
        Some(cl3::error_codes::CL_SUCCESS) => Ok(ids.into_iter().map(PlatformId).collect()),
        status => Err(error::driver("clGetPlatformIDs", status.unwrap_or(NO_PLATFORM))),
    }
}

/// All devices of a platform, none where it says so.
fn devices(platform: PlatformId) -> Result<Vec<DeviceId>> {
    let mut count = 0;
    let status = library()?.clGetDeviceIDs(platform.0, cl::CL_DEVICE_TYPE_ALL, 0, std::ptr::null_mut(), &raw mut count);
    match status {
        Some(cl3::error_codes::CL_SUCCESS) => {}
        Some(_) => return Ok(Vec::new()),
        None => return Err(error::no_such_call("clGetDeviceIDs")),
    }
    let mut ids = vec![std::ptr::null_mut(); count as usize];
    crate::driver::call!(clGetDeviceIDs(
        platform.0,
        cl::CL_DEVICE_TYPE_ALL,
        count,
        ids.as_mut_ptr(),
        std::ptr::null_mut()
    ))?;
    Ok(ids.into_iter().map(DeviceId).collect())
}

/// What is known about a device that the caller has: of a context of another library.
pub(crate) fn of_device(device: DeviceId) -> Result<Candidate> {
    let _looking = LOOKING.lock().unwrap_or_else(PoisonError::into_inner);
    for (position, &platform) in platforms()?.iter().enumerate() {
        if devices(platform)?.contains(&device) {
            return describe(platform, position, device)?.map_err(error::unavailable);
        }
    }
    Err(error::unavailable("the device of this context belongs to no platform of this process"))
}

/// A candidate, or why the device cannot be used.
fn describe(platform: PlatformId, position: usize, id: DeviceId) -> Result<Result<Candidate, String>> {
    let name = ask_text(id, cl::CL_DEVICE_NAME)?;
    let version_text = ask_text(id, cl::CL_DEVICE_VERSION)?;
    let version = parse_version(&version_text, "OpenCL ").unwrap_or_default();
    if version < OLDEST {
        return Ok(Err(format!("{name}: it has {version_text}, and OpenCL {}.{} is needed", OLDEST.0, OLDEST.1)));
    }
    for (question, what) in
        [(cl::CL_DEVICE_AVAILABLE, "it is not available"), (cl::CL_DEVICE_COMPILER_AVAILABLE, "it has no compiler")]
    {
        if ask::<u32>(id, question)? == 0 {
            return Ok(Err(format!("{name}: {what}")));
        }
    }
    if ask::<u32>(id, cl::CL_DEVICE_ENDIAN_LITTLE)? == 0 {
        return Ok(Err(format!("{name}: it is big-endian, unlike the host")));
    }
    let kind = match ask::<u64>(id, cl::CL_DEVICE_TYPE)? {
        kind if kind & cl::CL_DEVICE_TYPE_CPU != 0 => Kind::Cpu,
        kind if kind & cl::CL_DEVICE_TYPE_GPU != 0 => Kind::Gpu,
        _ => Kind::Other,
    };
    let extensions = ask_text(id, cl::CL_DEVICE_EXTENSIONS)?;
    let limits = limits(id, kind, version, &extensions)?;
    let language = ask_text(id, cl::CL_DEVICE_OPENCL_C_VERSION)?;
    let platform_names = [ask_text(platform, CL_PLATFORM_NAME)?, ask_text(platform, CL_PLATFORM_VENDOR)?];
    let driver = ask_text(id, cl::CL_DRIVER_VERSION)?;
    let vendor = ask_text(id, cl::CL_DEVICE_VENDOR)?;
    let features = features(id, kind, &extensions)?;
    let identity = vec![
        ("platform", ask_text(platform, CL_PLATFORM_NAME)?),
        ("platform version", ask_text(platform, CL_PLATFORM_VERSION)?),
        ("device", name.clone()),
        ("vendor", vendor.clone()),
        ("device version", version_text),
        ("driver", driver.clone()),
        ("host", std::env::consts::ARCH.to_owned()),
    ];
    let capabilities = capabilities(id, kind, &limits, &features)?;
    let mut info = DeviceInfo::new(MODE, name);
    info.memory_bytes = limits.memory;
    info.cores = ask(id, cl::CL_DEVICE_MAX_COMPUTE_UNITS)?;
    info.architecture = format!("OpenCL {}.{}", version.0, version.1);
    info.compiler = format!("{language} (platform {position})");
    info.driver = format!("{} {driver}", platform_names[0]);
    (info.has_f64, info.has_64_bit_atomics) = (Some(features.f64), Some(features.int64_atomics));
    Ok(Ok(Candidate {
        id,
        platform: position,
        platform_id: PlatformIdOf(platform.0),
        platform_names,
        vendor,
        kind,
        info,
        capabilities,
        features,
        limits,
        identity,
    }))
}

fn features(id: DeviceId, kind: Kind, extensions: &str) -> Result<Features> {
    let has = |name: &str| extensions.split_whitespace().any(|extension| extension == name);
    // Drivers before OpenCL C 3.0 list the extension; later ones may only answer the question.
    let f64 = has("cl_khr_fp64") || ask::<u64>(id, cl::CL_DEVICE_DOUBLE_FP_CONFIG).is_ok_and(|config| config != 0);
    Ok(Features {
        f64,
        int64_atomics: has("cl_khr_int64_base_atomics"),
        int64_extended_atomics: has("cl_khr_int64_extended_atomics"),
        max_group: ask::<usize>(id, cl::CL_DEVICE_MAX_WORK_GROUP_SIZE)? as u64,
        form: if kind == Kind::Cpu { Form::Loops } else { Form::WorkItems },
    })
}

fn limits(id: DeviceId, kind: Kind, version: (u32, u32), extensions: &str) -> Result<Limits> {
    let has = |name: &str| extensions.split_whitespace().any(|extension| extension == name);
    let queue: u64 = ask(id, cl::CL_DEVICE_QUEUE_ON_HOST_PROPERTIES)?;
    let svm: u64 = if version >= (2, 0) { ask(id, cl::CL_DEVICE_SVM_CAPABILITIES).unwrap_or(0) } else { 0 };
    let f32_config: u64 = ask(id, cl::CL_DEVICE_SINGLE_FP_CONFIG)?;
    let language = parse_version(&ask_text(id, cl::CL_DEVICE_OPENCL_C_VERSION)?, "OpenCL C ").unwrap_or(OLDEST);
    Ok(Limits {
        allocation: ask(id, cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE)?,
        memory: ask(id, cl::CL_DEVICE_GLOBAL_MEM_SIZE)?,
        units: ask(id, cl::CL_DEVICE_MAX_COMPUTE_UNITS)?,
        grid: if kind == Kind::Cpu { [i64::MAX as u64; 3] } else { NARROW_GRID },
        fine_grain: svm & cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER != 0,
        out_of_order: queue & cl3::command_queue::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0,
        profiling: queue & cl3::command_queue::CL_QUEUE_PROFILING_ENABLE != 0,
        exact_f32_division: f32_config & cl::CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT != 0,
        language,
        says_free: has("cl_amd_device_attribute_query"),
        command_buffers: has("cl_khr_command_buffer") && graph::can_record(id),
    })
}

fn capabilities(id: DeviceId, kind: Kind, limits: &Limits, features: &Features) -> Result<Capabilities> {
    let sizes: Vec<u64> = ask_bytes(id, cl::CL_DEVICE_MAX_WORK_ITEM_SIZES)?
        .chunks_exact(size_of::<usize>())
        .map(|chunk| chunk.iter().rev().fold(0, |size, &byte| size << 8 | u64::from(byte)))
        .collect();
    let group = ask::<usize>(id, cl::CL_DEVICE_MAX_WORK_GROUP_SIZE)? as u64;
    let axis = |axis: usize| sizes.get(axis).copied().unwrap_or(1).min(group);
    let inner = [axis(0), axis(1), axis(2)];
    // A launch counts items: groups times the items of each must be a number of the device's address width.
    let items = if ask::<u32>(id, cl::CL_DEVICE_ADDRESS_BITS)? >= 64 { i64::MAX as u64 } else { u64::from(u32::MAX) };
    let outer = inner.map(|inner| items / inner.max(1));
    Ok(Capabilities::new((group, inner), outer)
        // The handle of memory is a `cl_mem`, not an address; where host and device share memory, `mapped` is one.
        .with_separate_memory(true)
        .with_f64(features.f64)
        .with_i64(true)
        .with_max_shared_bytes(ask(id, cl::CL_DEVICE_LOCAL_MEM_SIZE)?)
        .with_runs_on_processor(kind == Kind::Cpu)
        .with_concurrent_streams(limits.out_of_order || limits.grid == NARROW_GRID)
        .with_may_flush_subnormals(ask::<u64>(id, cl::CL_DEVICE_SINGLE_FP_CONFIG)? & cl::CL_FP_DENORM == 0))
}

/// `(1, 2)` of `OpenCL C 1.2 of somebody`.
fn parse_version(text: &str, prefix: &str) -> Option<(u32, u32)> {
    let number = text.strip_prefix(prefix)?.split(' ').next()?;
    let (major, minor) = number.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// What the props ask for.
struct Wish {
    platform: Option<usize>,
    device: Option<usize>,
    vendor: Option<String>,
    kind: Option<Kind>,
}

impl Wish {
    fn of(props: &Props) -> Result<Self> {
        let position = |name: &str| -> Result<Option<usize>> {
            match props.get_int(name)? {
                None => Ok(None),
                Some(value) => usize::try_from(value).map(Some).map_err(|_| {
                    error::props(format!("property `{name}`: expected a position from 0 on, got {value}"))
                }),
            }
        };
        let kind = match props.get_str("type")? {
            None => None,
            Some(name) if name.eq_ignore_ascii_case("cpu") => Some(Kind::Cpu),
            Some(name) if name.eq_ignore_ascii_case("gpu") => Some(Kind::Gpu),
            Some(name) if name.eq_ignore_ascii_case("accelerator") => Some(Kind::Other),
            Some(other) => {
                return Err(error::props(format!(
                    "property `type`: expected 'cpu', 'gpu' or 'accelerator', got '{other}'"
                )));
            }
        };
        Ok(Self {
            platform: position("platform_id")?,
            device: position("device_id")?,
            vendor: props.get_str("vendor")?.map(str::to_owned),
            kind,
        })
    }

    /// The props that exclude devices, as they were given.
    fn filters(&self) -> String {
        let Self { platform, device: _, vendor, kind } = self;
        let given = [
            platform.map(|platform| format!("`platform_id` {platform}")),
            vendor.as_ref().map(|vendor| format!("`{vendor}` in the name of its platform, its vendor or its own")),
            kind.map(|kind| format!("the type `{}`", kind.name())),
        ];
        given.into_iter().flatten().collect::<Vec<_>>().join(" and ")
    }
}

/// The device that the props name.
/// # Errors
/// Props for bad values, and where no device fits, with what there is; unavailable where there is none at all.
pub(crate) fn select(props: &Props) -> Result<Candidate> {
    let wish = Wish::of(props)?;
    choose(&candidates()?, &wish).cloned()
}

/// `device_id` counts those that `platform_id`, `vendor` and `type` leave; without it the most able of them is taken.
fn choose<'a>(all: &'a [Candidate], wish: &Wish) -> Result<&'a Candidate> {
    let left: Vec<&Candidate> = all.iter().filter(|candidate| candidate.matches(wish)).collect();
    let position = wish.device.or_else(|| most_able(left.iter().copied())).unwrap_or(0);
    left.get(position).copied().ok_or_else(|| {
        let what = match (&*left, wish.device) {
            ([], _) => format!("no OpenCL device here has {}", wish.filters()),
            ([_], Some(device)) => format!("`device_id` is {device}, but only one OpenCL device matches: 0"),
            (several, device) => format!(
                "`device_id` is {}, but {} OpenCL devices match: 0 to {}",
                device.unwrap_or(0),
                several.len(),
                several.len() - 1
            ),
        };
        let list: Vec<String> = all.iter().map(Candidate::label).collect();
        error::props(format!("{what}; available: {}", list.join("; ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_drivers_write_them() {
        assert_eq!(parse_version("OpenCL 3.0 PoCL HSTR: pthread", "OpenCL "), Some((3, 0)));
        assert_eq!(parse_version("OpenCL 1.2", "OpenCL "), Some((1, 2)));
        assert_eq!(parse_version("OpenCL C 1.2 PoCL", "OpenCL C "), Some((1, 2)));
        assert_eq!(parse_version("OpenCL 3.0 CUDA", "OpenCL C "), None);
        assert_eq!(parse_version("nonsense", "OpenCL "), None);
    }

    /// A device that is only a name: nothing of it is asked.
    fn candidate(platform: usize, names: [&str; 3], kind: Kind) -> Candidate {
        let [platform_name, vendor, name] = names.map(str::to_owned);
        Candidate {
            id: DeviceId(std::ptr::null_mut()),
            platform,
            platform_id: PlatformIdOf(std::ptr::null_mut()),
            platform_names: [platform_name, vendor.clone()],
            vendor,
            kind,
            info: DeviceInfo::new(MODE, name),
            capabilities: Capabilities::new((1, [1; 3]), [1; 3]),
            features: Features::ALL,
            limits: Limits {
                allocation: 0,
                memory: 0,
                grid: NARROW_GRID,
                units: 1,
                fine_grain: false,
                out_of_order: false,
                profiling: false,
                exact_f32_division: false,
                language: OLDEST,
                says_free: false,
                command_buffers: false,
            },
            identity: Vec::new(),
        }
    }

    /// A server whose loader lists the processor first, as Debian's does.
    fn server() -> Vec<Candidate> {
        let mut all = vec![
            candidate(0, ["Portable Computing Language", "The pocl project", "cpu-AMD EPYC"], Kind::Cpu),
            candidate(1, ["Intel(R) FPGA SDK", "Intel(R) Corporation", "a10gx"], Kind::Other),
            candidate(2, ["NVIDIA CUDA", "NVIDIA Corporation", "NVIDIA H200"], Kind::Gpu),
            candidate(2, ["NVIDIA CUDA", "NVIDIA Corporation", "NVIDIA L4"], Kind::Gpu),
            candidate(3, ["Intel(R) OpenCL", "Intel(R) Corporation", "AMD EPYC"], Kind::Cpu),
        ];
        number(&mut all);
        all
    }

    fn chosen(props: &str) -> Result<String> {
        let wish = Wish::of(&props.parse()?)?;
        choose(&server(), &wish).map(|candidate| candidate.info.name.clone())
    }

    #[test]
    fn the_most_able_device_is_the_default() {
        for (props, expected) in [
            ("", "NVIDIA H200"),
            ("vendor=intel", "a10gx"),
            ("type=cpu", "cpu-AMD EPYC"),
            ("type=accelerator", "a10gx"),
            ("platform_id=0", "cpu-AMD EPYC"),
            ("platform_id=3", "AMD EPYC"),
            ("vendor=l4", "NVIDIA L4"),
        ] {
            assert_eq!(chosen(props).expect(props), expected, "`{props}`");
        }
        let marked: Vec<bool> = server().iter().map(|candidate| candidate.info.is_default).collect();
        assert_eq!(marked, [false, false, true, false, false]);
    }

    #[test]
    fn device_id_counts_what_the_other_props_leave_in_the_loaders_order() {
        for (props, expected) in [
            ("device_id=0", "cpu-AMD EPYC"),
            ("device_id=3", "NVIDIA L4"),
            ("type=gpu, device_id=1", "NVIDIA L4"),
            ("vendor=INTEL, device_id=1", "AMD EPYC"),
            ("platform_id=2, device_id=0", "NVIDIA H200"),
        ] {
            assert_eq!(chosen(props).expect(props), expected, "`{props}`");
        }
    }

    #[test]
    fn a_wish_that_nothing_fits_is_named_with_what_there_is() {
        for (props, expected) in [
            ("vendor=nosuch", "no OpenCL device here has `nosuch` in the name of its platform"),
            ("platform_id=7", "no OpenCL device here has `platform_id` 7"),
            (
                "vendor=nvidia, type=cpu",
                "`nvidia` in the name of its platform, its vendor or its own and the type `cpu`",
            ),
            ("device_id=99", "`device_id` is 99, but 5 OpenCL devices match: 0 to 4"),
            ("platform_id=0, device_id=1", "`device_id` is 1, but only one OpenCL device matches: 0"),
        ] {
            let error = chosen(props).expect_err(props);
            assert!(matches!(error.kind(), ferrocca_core::ErrorKind::Props { .. }), "{error}");
            let text = error.to_string();
            assert!(
                text.contains(expected) && text.contains("2: NVIDIA H200 (gpu of platform 2 `NVIDIA CUDA`)"),
                "{text}"
            );
        }
    }

    #[test]
    fn props_with_bad_values_are_refused() {
        for (props, word) in [("type=tpu", "type"), ("platform_id=-1", "platform_id"), ("device_id=x", "device_id")] {
            let props: Props = props.parse().expect("props parse");
            let error = select(&props).expect_err("a bad value").to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}

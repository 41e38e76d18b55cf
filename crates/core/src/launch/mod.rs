//! From checked arguments to launches: what a kernel's signature asks for is prepared once, when the kernel is
//! loaded, so that a launch compares, evaluates bounds and packs on the stack, and takes no lock.

mod bounds;
mod check;
mod faults;
mod numbers;
mod record;
mod shared;
mod sizes;

use crate::arguments::{Arg, ArgKind};
use crate::backend::{BackendDevice, BackendKernel, BackendStream, Capabilities, LaunchDims, PackedArgument};
use crate::device::DeviceInner;
use crate::number::Number;
use crate::{Error, ErrorKind, Result};
use bounds::NestBounds;
use check::Expected;
pub(crate) use faults::{FaultRecord, QueuedFaults};
use numbers::Numbers;
use okl::Signature;
use okl::signature::bounds::{Bounds, Finding};
use okl::signature::{HostError, HostOp, HostParams, HostPart, NestArgument, NestLaunch, NestSignature};
use okl::value::{ScalarValue, Trap};
pub(crate) use record::{RecordedLaunch, Replaced};
use sizes::NestSizes;
use smallvec::SmallVec;
use std::io::Write as _;
use std::sync::Arc;

/// Arguments up to this number need no heap.
const INLINE: usize = 32;

/// What came of a launch that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Launched {
    /// It is queued.
    Done,
    /// Nothing was queued: it cannot be proven with these arguments, so that every access has to be checked.
    NeedsChecks,
    /// Nothing was queued: it is one of the same kernel with these sizes of `@shared` arrays.
    NeedsSizes(Sizes),
}

/// Sizes of a kernel's `@shared` arrays, in the order of its signature.
pub(crate) type Sizes = SmallVec<[u32; 8]>;

/// A loaded kernel with its signature prepared for launching.
pub(crate) struct LaunchPlan {
    signature: Signature,
    expected: Box<[Expected]>,
    /// Pairs of pointer parameters of which one is `@restrict` and one may be written.
    restricted: Box<[(u16, u16)]>,
    nests: Box<[LoadedNest]>,
    /// Where it has checks.
    faults: Option<Arc<FaultRecord>>,
    launches_wait: bool,
    stops_at_faults: bool,
    reads_footprints: bool,
    /// Parameters whose contents would prove what is checked here.
    constants: Box<[u32]>,
    /// The host part is one launch: no host variables, no conditions.
    is_single: bool,
}

struct LoadedNest {
    kernel: Arc<dyn BackendKernel>,
    limits: Limits,
    sizes: NestSizes,
    bounds: NestBounds,
}

/// What a nest's sizes must not exceed on its device.
struct Limits {
    outer: [u64; 3],
    inner: [u64; 3],
    /// Items of a group in all.
    items: u64,
    /// Items that `@max_inner_dims` or the compiled kernel allow, for the error.
    kernel_items: u64,
}

impl LaunchPlan {
    /// Prepares a signature and its loaded nests.
    /// # Errors
    /// [`ErrorKind::Unsupported`] when a nest needs more shared memory than the device has, [`ErrorKind::Internal`]
    /// when the parts do not fit each other.
    pub(crate) fn new(
        signature: Signature,
        kernels: Vec<Arc<dyn BackendKernel>>,
        device: &dyn BackendDevice,
    ) -> Result<Self> {
        if kernels.len() != signature.nests.len() {
            return Err(Error::new(ErrorKind::Internal {
                message: format!(
                    "kernel `{}` has {} nests, {} were loaded",
                    signature.kernel,
                    signature.nests.len(),
                    kernels.len()
                ),
            }));
        }
        check_references(&signature)?;
        let capabilities = device.capabilities();
        capabilities.check_shared(&signature)?;
        let faults = FaultRecord::new(&signature, device)?;
        let constants = signature.nests.iter().filter_map(|nest| nest.bounds.with_constants.as_ref());
        // What stops at a fault checks every access by itself.
        let constants = constants.filter(|_| !capabilities.stops_at_faults).flat_map(|constants| &constants.params);
        let constants = bounds::sorted(constants.copied().collect());
        let nests = kernels
            .into_iter()
            .zip(&signature.nests)
            .map(|(kernel, nest)| LoadedNest::new(kernel, &signature, nest, capabilities))
            .collect();
        Ok(Self {
            expected: signature.params.iter().map(|parameter| Expected::new(&parameter.kind)).collect(),
            restricted: check::restricted_pairs(&signature.params),
            nests,
            faults,
            constants,
            launches_wait: capabilities.launches_wait,
            stops_at_faults: capabilities.stops_at_faults,
            reads_footprints: device.reads_footprints(),
            is_single: matches!(signature.host[..], [HostOp::Launch(0)]) && signature.slots.is_empty(),
            signature,
        })
    }

    pub(crate) fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Bytes of the memory arguments together.
    pub(crate) fn bytes_touched(arguments: &[Arg<'_>]) -> u64 {
        arguments.iter().map(bytes_of).sum()
    }

    /// Whether these arguments are constant memory wherever the contents would prove what is checked here.
    #[inline]
    pub(crate) fn knows_contents(&self, arguments: &[Arg<'_>]) -> bool {
        let is_known = |&param: &u32| arguments.get(param as usize).is_some_and(|given| contents_of(given).is_some());
        !self.constants.is_empty() && self.constants.iter().all(is_known)
    }

    /// Checks the arguments, evaluates the host part and queues every launch of it.
    #[inline]
    pub(crate) fn launch(
        &self,
        device: &Arc<DeviceInner>,
        arguments: &[Arg<'_>],
        stream: &dyn BackendStream,
    ) -> Result<Launched> {
        if self.signature.prints {
            flush_stdout();
        }
        let launched = self.queue(device, arguments, stream);
        if self.faults.is_some() {
            // What was queued before an error may have left a record.
            self.queued(device, stream)?;
        }
        launched
    }

    /// Queues the first nest of a kernel that core has made; `params` has its parameters in order.
    /// # Safety
    /// They fit the nest; the memory that they name lives for the call.
    pub(crate) unsafe fn launch_made(
        &self,
        device: &DeviceInner,
        dims: &LaunchDims,
        params: &[PackedArgument<'_>],
        stream: &dyn BackendStream,
    ) -> Result<()> {
        let nest = &self.signature.nests[0];
        let param = |argument: &NestArgument| match (argument, &self.faults) {
            (NestArgument::Param(position), record) => {
                params.get(*position as usize).copied().or_else(|| record.as_ref().map(|record| record.argument()))
            }
            (NestArgument::Slot(_), _) => None,
        };
        let arguments = nest.arguments.iter().map(param).collect::<Option<SmallVec<[PackedArgument<'_>; INLINE]>>>();
        let arguments = arguments.ok_or_else(|| {
            Error::new(ErrorKind::Internal { message: format!("`{}` has more parameters than were given", nest.entry) })
        })?;
        // SAFETY: by the caller.
        unsafe { self.nests[0].kernel.launch(nest, dims, &arguments, stream) }?;
        self.queued(device, stream)
    }

    /// Most items of a group of the first nest.
    pub(crate) fn max_inner(&self) -> u64 {
        self.nests.first().map_or(0, |nest| nest.kernel.max_inner())
    }

    /// To be called when work with this kernel has been queued: reads the record of faults now, or sees to it that it is.
    pub(crate) fn queued(&self, device: &DeviceInner, stream: &dyn BackendStream) -> Result<()> {
        match &self.faults {
            Some(record) if self.launches_wait => record.read(stream),
            Some(record) => {
                device.faults.add(record, stream);
                Ok(())
            }
            None => Ok(()),
        }
    }

    #[inline]
    fn queue(&self, device: &Arc<DeviceInner>, arguments: &[Arg<'_>], stream: &dyn BackendStream) -> Result<Launched> {
        let mut numbers = Numbers::new(arguments);
        self.check(device, &mut numbers)?;
        if let Some(sizes) = self.other_sizes(&numbers)? {
            return Ok(Launched::NeedsSizes(sizes));
        }
        if self.is_single {
            let nest = &self.nests[0];
            return match nest.sizes.evaluate(0, &self.signature.nests[0], &numbers) {
                Ok(Some(dims)) => {
                    if !self.proves(0, &dims, &numbers, &[])? {
                        return Ok(Launched::NeedsChecks);
                    }
                    self.launch_nest(0, &dims, &numbers, &[], stream).map(|()| Launched::Done)
                }
                Ok(None) => Ok(Launched::Done),
                Err(error) => Err(self.host_error(error, &numbers)),
            };
        }
        let mut slots: SmallVec<[ScalarValue; INLINE]> =
            SmallVec::from_elem(ScalarValue::Bool(false), self.signature.slots.len());
        // Nothing runs before all nests are known to be in order.
        let mut is_proven = true;
        self.run_host(&numbers, &mut slots, &mut |launch| {
            is_proven &= self.proves(launch.nest, &dims_of(launch), &numbers, launch.slots)?;
            Ok(())
        })?;
        if !is_proven {
            return Ok(Launched::NeedsChecks);
        }
        self.run_host(&numbers, &mut slots, &mut |launch| {
            self.launch_nest(launch.nest, &dims_of(launch), &numbers, launch.slots, stream)
        })?;
        Ok(Launched::Done)
    }

    /// Runs the host part and calls a function for each nest that it launches.
    fn run_host(
        &self,
        numbers: &Numbers<'_>,
        slots: &mut [ScalarValue],
        on_launch: &mut dyn FnMut(&NestLaunch<'_>) -> Result<()>,
    ) -> Result<()> {
        self.signature.run_host(numbers, slots, on_launch).map_err(|error| self.host_error(error, numbers))
    }

    /// Whether a nest's accesses are known to lie within their memory.
    /// # Errors
    /// Sizes beyond the device's, an access that lies outside for certain.
    #[inline]
    fn proves(&self, index: usize, dims: &LaunchDims, numbers: &Numbers<'_>, slots: &[ScalarValue]) -> Result<bool> {
        let place = |part| self.signature.places.of(part);
        let loops = |axis, is_outer| {
            let (nest, axis) = (index as u32, axis as u8);
            place(if is_outer { HostPart::Outer { nest, axis } } else { HostPart::Inner { nest, axis } })
        };
        self.nests[index].limits.check(dims, &self.signature.kernel, &loops)?;
        let is_proven = self.check_bounds(index, numbers, slots, |param| bytes_of(&numbers.given[param as usize]))?;
        Ok(is_proven || self.stops_at_faults)
    }

    fn launch_nest(
        &self,
        index: usize,
        dims: &LaunchDims,
        numbers: &Numbers<'_>,
        slots: &[ScalarValue],
        stream: &dyn BackendStream,
    ) -> Result<()> {
        let (nest, loaded) = (&self.signature.nests[index], &self.nests[index]);
        let mut hosts: SmallVec<[Number; INLINE]> = SmallVec::new();
        if !slots.is_empty() {
            for argument in &nest.arguments {
                if let NestArgument::Slot(slot) = *argument {
                    hosts.push(Number::new(slots[slot as usize]));
                }
            }
        }
        let mut hosts = hosts.iter();
        let mut packed: SmallVec<[PackedArgument<'_>; INLINE]> = SmallVec::new();
        for argument in &nest.arguments {
            packed.push(match *argument {
                NestArgument::Slot(_) => PackedArgument::Value(hosts.next().map_or(&[], Number::bytes)),
                NestArgument::Param(position) => self.pack(position, numbers),
            });
        }
        // SAFETY: `check` compared the arguments with the signature that the nest was emitted with, and the memory
        // that they name is borrowed for this call.
        unsafe { loaded.kernel.launch(nest, dims, &packed, stream) }.map_err(|error| self.launching(error))
    }

    /// Argument `position` as a device kernel takes it.
    #[inline]
    fn pack<'a>(&'a self, position: u32, numbers: &'a Numbers<'a>) -> PackedArgument<'a> {
        match (self.expected.get(position as usize), &self.faults) {
            (Some(expected), None) => expected.pack(position, numbers),
            (Some(expected), Some(record)) => record.or_zeros(expected.pack(position, numbers)),
            (None, Some(record)) => record.argument(),
            (None, None) => unreachable!("`check_references` has seen that every parameter exists"),
        }
    }

    /// What stood in the way of the first launch that was not proven.
    pub(crate) fn obstacle(&self) -> &str {
        self.nests.iter().find_map(|nest| nest.bounds.obstacle()).unwrap_or("that its accesses are in range")
    }

    /// Refuses a launch that would access memory out of range, or divide by zero; answers whether no item can.
    #[inline]
    fn check_bounds(
        &self,
        index: usize,
        params: &(impl HostParams + ?Sized),
        slots: &[ScalarValue],
        bytes: impl Fn(u32) -> u64,
    ) -> Result<bool> {
        let bounds = &self.signature.nests[index].bounds;
        let proven = self.nests[index].bounds.are_proven(bounds, params, slots, bytes);
        proven.or_else(|finding| self.violated(bounds, &finding))
    }

    #[cold]
    fn violated(&self, bounds: &Bounds, finding: &Finding) -> Result<bool> {
        let what = format!("kernel `{}`: {}", self.signature.kernel, bounds::describe(bounds, finding));
        match bounds::is_division(bounds, finding) {
            // The device says more of it: the numbers, and which item.
            true if self.stops_at_faults => Ok(false),
            true => Err(Error::division(what)),
            false => Err(Error::out_of_bounds(what)),
        }
    }

    #[cold]
    fn launching(&self, error: Error) -> Error {
        error.while_doing(format!("launching `{}`", self.signature.kernel))
    }

    #[cold]
    fn host_error(&self, error: HostError<Error>, numbers: &Numbers<'_>) -> Error {
        let kernel = self.signature.kernel.clone();
        let message = error.at(&self.signature.places);
        match error {
            HostError::Launch(error) => error,
            HostError::Signature(what) => {
                Error::new(ErrorKind::Internal { message: format!("kernel `{kernel}`: {what}") })
            }
            HostError::Arithmetic(part, Trap::DivisionByZero) => {
                let zeros = self.signature.zero_divisors(part, numbers);
                let named = zeros.iter().filter_map(|&position| {
                    let value = numbers.scalar(position)?;
                    Some(format!("`{}` is {value}", self.signature.params[position as usize].name))
                });
                let named = named.collect::<Vec<_>>().join(" and ");
                let reason = if named.is_empty() { named } else { format!(" because {named}") };
                Error::division(format!("kernel `{kernel}`: {message}{reason}"))
            }
            _ => Error::new(ErrorKind::Argument { kernel, message }),
        }
    }
}

fn dims_of(launch: &NestLaunch<'_>) -> LaunchDims {
    LaunchDims { outer: launch.outer, inner: launch.inner }
}

/// Bytes of a memory argument; zero for any other, null among them.
fn bytes_of(argument: &Arg<'_>) -> u64 {
    match argument.0 {
        ArgKind::Memory { memory, .. } => memory.bytes as u64,
        _ => 0,
    }
}

/// The least and the greatest element of a memory argument, where launches know them.
fn contents_of(argument: &Arg<'_>) -> Option<[i64; 2]> {
    match argument.0 {
        ArgKind::Memory { memory, .. } => memory.content_ends(),
        _ => None,
    }
}

impl LoadedNest {
    fn new(
        kernel: Arc<dyn BackendKernel>,
        signature: &Signature,
        nest: &NestSignature,
        capabilities: &Capabilities,
    ) -> Self {
        let (items, axes) = capabilities.max_inner;
        let mut inner = axes;
        if let Some(declared) = nest.max_inner {
            for (limit, declared) in inner.iter_mut().zip(declared) {
                *limit = (*limit).min(u64::from(declared));
            }
        }
        let kernel_items = kernel.max_inner();
        let limits = Limits { outer: capabilities.max_outer, inner, items: items.min(kernel_items), kernel_items };
        Self { kernel, limits, sizes: NestSizes::new(nest), bounds: NestBounds::new(signature, nest) }
    }
}

/// Whether a device takes a launch of these sizes.
/// # Errors
/// [`ErrorKind::Unsupported`].
pub(crate) fn check_dims(
    dims: &LaunchDims,
    kernel: &dyn BackendKernel,
    capabilities: &Capabilities,
    name: &str,
) -> Result<()> {
    let (items, inner) = capabilities.max_inner;
    let kernel_items = kernel.max_inner();
    Limits { outer: capabilities.max_outer, inner, items: items.min(kernel_items), kernel_items }.check(
        dims,
        name,
        &|_, _| None,
    )
}

impl Limits {
    #[inline]
    fn check<'a>(&self, dims: &LaunchDims, kernel: &str, place: &dyn Fn(usize, bool) -> Option<&'a str>) -> Result<()> {
        let items = dims.inner[0] * dims.inner[1] * dims.inner[2];
        let fits = |sizes: &[u64; 3], limits: &[u64; 3]| {
            sizes[0] <= limits[0] && sizes[1] <= limits[1] && sizes[2] <= limits[2]
        };
        if fits(&dims.outer, &self.outer) && fits(&dims.inner, &self.inner) && items <= self.items {
            return Ok(());
        }
        Err(self.refuse(dims, items, kernel, place))
    }

    #[cold]
    fn refuse<'a>(
        &self,
        dims: &LaunchDims,
        items: u64,
        kernel: &str,
        place: &dyn Fn(usize, bool) -> Option<&'a str>,
    ) -> Error {
        let at = |axis, is_outer| place(axis, is_outer).map_or(String::new(), |place| format!("{place}: "));
        let over = |sizes: &[u64; 3], limits: &[u64; 3], is_outer, what: &str| {
            (0..3).find(|&axis| sizes[axis] > limits[axis]).map(|axis| {
                let (at, size, limit) = (at(axis, is_outer), sizes[axis], limits[axis]);
                format!("{at}{size} {what} along axis {axis} were requested; at most {limit} are possible")
            })
        };
        let too_many_items = || {
            let whose = if self.items == self.kernel_items { "this kernel" } else { "the device" };
            format!("{}a group has {items} items; {whose} allows {}", at(0, false), self.items)
        };
        let reason = over(&dims.outer, &self.outer, true, "groups").unwrap_or_else(|| {
            let items = over(&dims.inner, &self.inner, false, "items of a group").unwrap_or_else(too_many_items);
            format!("{items}: make the tile or the `@inner` loops smaller")
        });
        Error::unsupported(format!("this launch of kernel `{kernel}`"), reason)
    }
}

/// A signature that names a parameter, host variable or nest that it does not have would make a launch panic.
fn check_references(signature: &Signature) -> Result<()> {
    let exists = |argument: &NestArgument| match *argument {
        NestArgument::Param(position) => (position as usize) < signature.device_params(),
        NestArgument::Slot(slot) => (slot as usize) < signature.slots.len(),
    };
    if signature.params.len() <= usize::from(u16::MAX)
        && signature.nests.iter().all(|nest| nest.arguments.iter().all(exists))
    {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Internal {
        message: format!("the signature of kernel `{}` does not fit itself", signature.kernel),
    }))
}

/// Writes out what the program has printed, before a kernel prints.
pub(crate) fn flush_stdout() {
    // Where nobody reads the output, a kernel's lines are lost as the program's are.
    let _ = std::io::stdout().flush();
}

#[cfg(test)]
mod tests {
    use super::*;
    use okl::back::cpu::CpuTarget;
    use okl::{NoIncludes, Request};

    #[test]
    fn a_signature_that_does_not_fit_itself_is_refused() {
        let source = "@kernel void k(double *u) {
            for (int b = 0; b < 1; ++b; @outer) for (int i = 0; i < 1; ++i; @inner) u[i] = 1;
        }";
        let request = Request { name: "k.okl", source, mode: "Null", defines: &[], includes: &NoIncludes };
        let mut signature = okl::compile(&request, &CpuTarget).expect("it compiles").signatures.remove(0);
        check_references(&signature).expect("it fits");
        signature.nests[0].arguments.push(NestArgument::Slot(0));
        let error = check_references(&signature).expect_err("it has no host variable");
        assert!(matches!(error.kind(), ErrorKind::Internal { .. }), "{error}");
    }
}

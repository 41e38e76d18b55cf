//! Built sources of a device, and the way to one more.

use super::bundle::Bundle;
use super::include::Reader;
use super::on_build_stack;
use super::request::BuildRequest;
use crate::backend::Artifact;
use crate::cache::{Built, Cache, Distrust, Front, IncludeUse, Key, Patience};
use crate::device::Device;
use crate::kernel::Kernel;
use crate::launch::LaunchPlan;
use crate::log::{self, Level};
use crate::props::Props;
use crate::{Error, Result, suggest};
use okl::target::Target;
use okl::{Checks, Compiled};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A device remembers at most this many built sources; the one that was asked for longest ago goes first.
const MAX_PROGRAMS: usize = 256;

/// Where a build came from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildOrigin {
    /// Built by this device before.
    Memory,
    /// Found in the cache directory.
    Disk,
    /// Compiled now. `not_cached` says why the cache directory did not take it, where it did not.
    Compiled {
        /// Why it is not in the cache directory.
        not_cached: Option<String>,
    },
    /// From a bundle: its binary, or its text compiled now.
    Bundle,
}

/// A built source: its artifact, and the kernels of it that were loaded.
pub(crate) struct Program {
    /// What it was built for.
    request: Option<Arc<BuildRequest>>,
    built: Built,
    front: Front,
    origin: BuildOrigin,
    /// Its entry in the cache directory, where it has one.
    entry: Option<PathBuf>,
    /// What it comes from, where that is no source.
    bundle: Option<Arc<Bundle>>,
    plans: Mutex<HashMap<String, Arc<LaunchPlan>>>,
}

/// The built sources of a device.
pub(crate) struct Programs {
    defaults: Props,
    cache_dir: Option<PathBuf>,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    slots: HashMap<Key, Slot>,
    clock: u64,
}

struct Slot {
    /// Locked while somebody builds, so that two threads build one source once.
    program: Arc<Mutex<Option<Arc<Program>>>>,
    last_used: u64,
}

impl Programs {
    pub(crate) fn new(defaults: Props, cache_dir: Option<PathBuf>) -> Self {
        Self { defaults, cache_dir, table: Mutex::default() }
    }

    /// Properties that every kernel is built with.
    pub(super) fn defaults(&self) -> &Props {
        &self.defaults
    }

    fn slot(&self, key: Key) -> Arc<Mutex<Option<Arc<Program>>>> {
        let mut table = lock(&self.table);
        table.clock += 1;
        let now = table.clock;
        if !table.slots.contains_key(&key) && table.slots.len() >= MAX_PROGRAMS {
            let oldest = table.slots.iter().min_by_key(|(_, slot)| slot.last_used).map(|(key, _)| *key);
            oldest.and_then(|key| table.slots.remove(&key));
        }
        let slot = table.slots.entry(key).or_insert_with(|| Slot { program: Arc::default(), last_used: now });
        slot.last_used = now;
        slot.program.clone()
    }
}

impl Program {
    fn new(request: Option<Arc<BuildRequest>>, built: Built, front: Front, origin: BuildOrigin) -> Self {
        Self { request, built, front, origin, entry: None, bundle: None, plans: Mutex::default() }
    }

    pub(super) fn of_bundle(bundle: Arc<Bundle>, built: Built, front: Front) -> Arc<Self> {
        Arc::new(Self { bundle: Some(bundle), ..Self::new(None, built, front, BuildOrigin::Bundle) })
    }

    /// What it was built for; `None` for what comes from a bundle.
    pub(super) fn request(&self) -> Option<&Arc<BuildRequest>> {
        self.request.as_ref()
    }

    /// A hash of source and defines; `None` for what comes from a bundle.
    pub(crate) fn source_key(&self) -> Option<Key> {
        self.request.as_ref().map(|request| request.source_key())
    }

    /// A kernel of the same source with other checks.
    pub(crate) fn variant(&self, device: &Device, name: &str, checks: Checks) -> Result<Kernel> {
        if let Some(bundle) = &self.bundle {
            return bundle.variant(device, name, checks);
        }
        let request = self.request.as_ref().ok_or_else(|| Error::invalid("this kernel has no source"))?;
        build(device, &Arc::new(request.with_checks(checks)), name)
    }

    /// The same kernel for other sizes of its `@shared` arrays.
    pub(crate) fn sized(&self, device: &Device, name: &str, sizes: &[u32]) -> Result<Kernel> {
        match &self.request {
            Some(request) => build(device, &Arc::new(request.with_sizes(name, sizes)), name),
            None => Err(Error::unsupported(
                format!("kernel `{name}` with sizes {sizes:?} of its `@shared` arrays"),
                "it comes from a bundle, which has no source: bundle it with the property `sizes`",
            )),
        }
    }

    /// Stands in where a test loads a signature of its own.
    #[cfg(test)]
    pub(crate) fn without_source() -> Arc<Self> {
        let built = Built { artifact: Vec::new(), text: String::new(), kernels: Vec::new() };
        Arc::new(Self::new(None, built, Front::default(), BuildOrigin::Memory))
    }

    /// The text that the target's compiler was given.
    pub(crate) fn text(&self) -> &str {
        &self.built.text
    }

    /// The front end's warnings.
    pub(crate) fn warnings(&self) -> &str {
        &self.front.warnings
    }

    /// Loads a kernel, once.
    pub(super) fn plan(&self, device: &Device, source: &str, name: &str) -> Result<Arc<LaunchPlan>> {
        let mut plans = lock(&self.plans);
        if let Some(plan) = plans.get(name) {
            return Ok(plan.clone());
        }
        let signature =
            self.front.signatures.iter().find(|s| s.kernel == name).ok_or_else(|| self.no_such_kernel(source, name))?;
        let artifact = Artifact { bytes: &self.built.artifact };
        let kernels = device.inner.backend.load(&artifact, signature)?;
        let plan = Arc::new(LaunchPlan::new(signature.clone(), kernels, &*device.inner.backend)?);
        plans.insert(name.to_string(), plan.clone());
        Ok(plan)
    }

    fn has(&self, name: &str) -> bool {
        self.front.signatures.iter().any(|signature| signature.kernel == name)
    }

    fn no_such_kernel(&self, source: &str, name: &str) -> Error {
        let names = || self.front.signatures.iter().map(|signature| signature.kernel.as_str());
        Error::invalid(format!(
            "there is no kernel `{name}` in {source}{}; its kernels: {}",
            suggest::hint(name, names()),
            suggest::list(names())
        ))
    }
}

/// Builds a kernel, or finds it built.
pub(super) fn build(device: &Device, request: &Arc<BuildRequest>, name: &str) -> Result<Kernel> {
    on_build_stack(|| build_here(device, request, name))
}

fn build_here(device: &Device, request: &Arc<BuildRequest>, name: &str) -> Result<Kernel> {
    let start = Instant::now();
    let slot = device.inner.programs.slot(request.memory_key());
    let mut slot = lock(&slot);
    let known = slot.clone().filter(|program| request.search.finds_the_same(&program.front.includes));
    let (mut program, mut origin) = match known {
        Some(program) => (program, BuildOrigin::Memory),
        None => {
            let program = obtain(device, request, false)?;
            let origin = program.origin.clone();
            (program, origin)
        }
    };
    let mut plan = program.plan(device, &request.name, name);
    if plan.is_err() && program.has(name) && program.origin == BuildOrigin::Disk {
        // What the cache holds is whole and ours, and yet does not load here: it is built anew, once.
        program = obtain(device, request, true)?;
        origin = program.origin.clone();
        plan = program.plan(device, &request.name, name);
    }
    *slot = Some(program.clone());
    drop(slot);
    let plan = plan?;
    report(device, request, &program, name, &origin, start);
    Ok(Kernel::new(device.inner.clone(), plan, program, origin))
}

/// The cache directory of a device, where it is to be trusted.
pub(super) fn cache_of(device: &Device) -> Option<Cache> {
    let cache =
        device.inner.programs.cache_dir.as_ref().map_or_else(|| Cache::open_default().ok(), |at| Some(Cache::new(at)));
    cache.filter(|cache| cache.check().is_ok())
}

/// From the cache directory, or compiled now; `anew`: whatever the directory holds.
fn obtain(device: &Device, request: &Arc<BuildRequest>, anew: bool) -> Result<Arc<Program>> {
    let identity = device.inner.backend.identity(&request.props)?;
    let outer = request.outer_key(device, &identity);
    let cache = match &device.inner.programs.cache_dir {
        Some(directory) => Ok(Cache::new(directory)),
        None => Cache::open_default().map_err(|error| error.to_string()),
    };
    let cache = cache.and_then(|cache| cache.check().map(|()| cache).map_err(|reason| reason.to_string()));
    let uncached = |reason: String| {
        compile(device, request, &identity, None, anew).map(|build| build.into_program(request, Some(reason)))
    };
    let cache = match cache {
        Ok(cache) => cache,
        Err(reason) => return uncached(reason),
    };
    let look = || if anew { Ok(None) } else { find(&cache, &outer, request) };
    match look() {
        Ok(None) => {}
        Ok(Some(program)) => return Ok(program),
        Err(reason) => return uncached(reason.to_string()),
    }
    let mut patience = Patience::new(device.inner.backend.compile_limit(&request.props)?);
    let _lock = cache.lock_outer(&outer, &mut patience);
    // Somebody else may have built it while this process waited for the lock.
    if let Ok(Some(program)) = look() {
        return Ok(program);
    }
    let build = compile(device, request, &identity, Some((&cache, &mut patience)), anew)?;
    let stored = match &build.not_cached {
        Some(reason) => Err(reason.clone()),
        None => cache.store_outer(&outer, &build.inner, &build.front).map_err(|error| cannot_store(&cache, &error)),
    };
    Ok(build.into_program(request, stored.err()))
}

/// What the cache directory has under an outer key, if its includes are still the same.
fn find(cache: &Cache, outer: &Key, request: &Arc<BuildRequest>) -> Result<Option<Arc<Program>>, Distrust> {
    let Some(record) = cache.outer(outer)?.filter(|record| request.search.finds_the_same(&record.front.includes))
    else {
        return Ok(None);
    };
    let Some(inner) = Key::from_hex(&record.inner) else { return Ok(None) };
    Ok(cache.kernel(&inner)?.map(|built| {
        let program = Program::new(Some(request.clone()), built, record.front, BuildOrigin::Disk);
        Arc::new(Program { entry: Some(cache.entry_path(&inner)), ..program })
    }))
}

/// The outcome of the front end and, where no artifact was there, of the target's compiler.
struct Build {
    built: Built,
    inner: Key,
    front: Front,
    from_disk: bool,
    not_cached: Option<String>,
    entry: Option<PathBuf>,
}

impl Build {
    fn into_program(self, request: &Arc<BuildRequest>, not_cached: Option<String>) -> Arc<Program> {
        let origin = if self.from_disk { BuildOrigin::Disk } else { BuildOrigin::Compiled { not_cached } };
        Arc::new(Program { entry: self.entry, ..Program::new(Some(request.clone()), self.built, self.front, origin) })
    }
}

fn compile(
    device: &Device,
    request: &BuildRequest,
    identity: &[(&'static str, String)],
    cache: Option<(&Cache, &mut Patience)>,
    anew: bool,
) -> Result<Build> {
    let (compiled, includes) = front_end(device.mode(), &*device.inner.backend.target_for(&request.props)?, request)?;
    let warnings = compiled.warnings.to_string();
    let front = Front { signatures: compiled.signatures.clone(), warnings, includes };
    back_end(device, request, identity, compiled, cache, anew).map(|build| Build { front, ..build })
}

/// The artifact of a text, from the cache directory or made by the target's compiler; the front is empty.
fn back_end(
    device: &Device,
    request: &BuildRequest,
    identity: &[(&'static str, String)],
    compiled: Compiled,
    cache: Option<(&Cache, &mut Patience)>,
    anew: bool,
) -> Result<Build> {
    let inner = request.inner_key(device, identity, &compiled)?;
    let (cache, _lock) = cache.map(|(cache, patience)| (cache, cache.lock_inner(&inner, patience))).unzip();
    let front = Front::default();
    let found = cache.filter(|_| !anew).map_or(Ok(None), |cache| cache.kernel(&inner));
    if let Ok(Some(built)) = found {
        // Another source came to the same text: its artifact serves.
        let entry = cache.map(|cache| cache.entry_path(&inner));
        return Ok(Build { built, inner, front, from_disk: true, not_cached: None, entry });
    }
    let capabilities = device.inner.backend.capabilities();
    compiled.signatures.iter().try_for_each(|signature| capabilities.check_shared(signature))?;
    let artifact = device.inner.backend.compile(&compiled, &request.props)?;
    let kernels = compiled.signatures.iter().map(|signature| signature.kernel.clone()).collect();
    let built = Built { artifact, text: compiled.text, kernels };
    let not_cached = match (cache, found) {
        (_, Err(distrust)) => Some(distrust.to_string()),
        (None, _) => None,
        (Some(cache), _) => cache.store_kernel(&inner, &built).err().map(|error| cannot_store(cache, &error)),
    };
    let entry = cache.filter(|_| not_cached.is_none()).map(|cache| cache.entry_path(&inner));
    Ok(Build { built, inner, front, from_disk: false, not_cached, entry })
}

/// The artifact of a text that no source was, built as a request says.
pub(super) fn artifact(device: &Device, request: &BuildRequest, compiled: Compiled) -> Result<Vec<u8>> {
    let identity = device.inner.backend.identity(&request.props)?;
    let mut patience = Patience::new(device.inner.backend.compile_limit(&request.props)?);
    let cache = cache_of(device);
    let cache = cache.as_ref().map(|cache| (cache, &mut patience));
    back_end(device, request, &identity, compiled, cache, false).map(|build| build.built.artifact)
}

/// Source to text for a target.
pub(super) fn front_end(
    mode: &str,
    target: &dyn Target,
    request: &BuildRequest,
) -> Result<(Compiled, Vec<IncludeUse>)> {
    let reader = Reader::new(&request.search, request.virtual_files());
    let (name, source) = request.root();
    let source = okl::Request { name, source, mode, defines: &request.defines, includes: &reader };
    let compiled = okl::compile_with(&source, target, request.options());
    let mut compiled = compiled.map_err(|mut found| {
        request.levels.apply(&mut found);
        Error::refused(found)
    })?;
    request.check_sizes(&compiled.signatures)?;
    request.levels.apply(&mut compiled.warnings);
    if compiled.warnings.has_errors() {
        return Err(Error::refused(compiled.warnings));
    }
    Ok((compiled, reader.into_uses()))
}

fn cannot_store(cache: &Cache, error: &std::io::Error) -> String {
    Error::io(cache.directory(), error).to_string()
}

/// Says what was built, and at level `debug` with what, and where the cache keeps it.
fn report(
    device: &Device,
    request: &BuildRequest,
    program: &Program,
    name: &str,
    origin: &BuildOrigin,
    start: Instant,
) {
    if !log::is_wanted(Level::Info, request.verbose) {
        return;
    }
    let from = match origin {
        BuildOrigin::Memory => "built before".to_string(),
        BuildOrigin::Disk => "found in the cache".to_string(),
        BuildOrigin::Bundle => "taken from a bundle".to_string(),
        BuildOrigin::Compiled { not_cached: None } => "compiled".to_string(),
        BuildOrigin::Compiled { not_cached: Some(reason) } => format!("compiled, not cached ({reason})"),
    };
    let (elapsed_ms, mode) = (start.elapsed().as_secs_f64() * 1e3, device.mode());
    let source = &request.name;
    log::say(
        Level::Info,
        request.verbose,
        format_args!("kernel `{name}` of {source} for `{mode}`: {from} in {elapsed_ms:.3} ms"),
    );
    if !log::is_wanted(Level::Debug, request.verbose) || *origin == BuildOrigin::Memory {
        return;
    }
    // What the backend tells apart builds by: compiler, flags, processor.
    for (what, value) in device.inner.backend.identity(&request.props).into_iter().flatten() {
        if let Some(value) = log::for_people(what, &value) {
            log::say(Level::Debug, request.verbose, format_args!("  {what}: {value}"));
        }
    }
    if let Some(entry) = &program.entry {
        log::say(Level::Debug, request.verbose, format_args!("  cache entry: {}", entry.display()));
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_that_was_asked_for_longest_ago_is_forgotten_first() {
        let programs = Programs::new(Props::new(), None);
        let key = |number: usize| Key::of(&number.to_le_bytes());
        let fill = |number: usize| *lock(&programs.slot(key(number))) = Some(Program::without_source());
        (0..MAX_PROGRAMS).for_each(fill);
        // The oldest is asked for again; one more then pushes out the second.
        assert!(lock(&programs.slot(key(0))).is_some());
        fill(MAX_PROGRAMS);
        assert_eq!(lock(&programs.table).slots.len(), MAX_PROGRAMS);
        assert!(lock(&programs.slot(key(0))).is_some());
        assert!(lock(&programs.slot(key(1))).is_none());
    }
}

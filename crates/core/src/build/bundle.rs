//! Bundles: kernels that were built ahead, in one file that programs load where there may be no compiler.
//!
//! ```text
//! okl-bundle 1\n   hash of the rest, in hex   \n   length of the index (u64, little-endian)   index (JSON)   binaries
//! ```
//!
//! For each device that it was made for, a bundle has the text, the IR, the signatures and, where such a device was there,
//! the binary. A device takes the binary if it was made for the like of it, and else compiles the text. There are two
//! versions of each: launches that cannot be proven take the one with all checks.
//! Not here: sources, which a bundle does not need.

use super::program::{self, Program};
use super::request::{BuildRequest, Setting};
use super::{BuildOrigin, on_build_stack, request_of_file};
use crate::cache::{Built, Front, Key};
use crate::device::Device;
use crate::json;
use crate::kernel::Kernel;
use crate::props::{IntoProps, Props};
use crate::{Error, ErrorKind, Result, registry, suggest};
use okl::target::Target;
use okl::{Checks, Compiled, Signature, ir};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const MAGIC: &[u8] = b"okl-bundle 1\n";
/// Digits of the hash, and the end of its line.
const HASH: usize = 65;

/// Kernels that were built ahead, for any number of devices.
#[derive(Debug, Default)]
pub struct Bundle {
    parts: Vec<Part>,
}

#[derive(Serialize, Deserialize)]
struct Index {
    emitter: String,
    parts: Vec<Part>,
}

/// The part of an index that every Ferrocca can read.
#[derive(Deserialize)]
struct Head {
    emitter: String,
}

/// A file of kernels for one kind of device, with certain checks.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Part {
    mode: String,
    /// What the text was made for.
    target: String,
    checks: Checks,
    /// Of the build, without what the front end has used up.
    props: String,
    text: String,
    extra_texts: BTreeMap<String, String>,
    lines: Vec<Option<(u32, u32)>>,
    files: Vec<String>,
    ir: String,
    ir_with_checks: String,
    signatures: Vec<Signature>,
    warnings: String,
    /// What the binary was made by and for.
    identity: Vec<(String, String)>,
    /// Length of the binary in the file; `None` where there is the text alone.
    binary_bytes: Option<usize>,
    #[serde(skip)]
    binary: Vec<u8>,
}

impl Bundle {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the kernels of the file at `path` for the like of a device, text and binary.
    /// # Errors
    /// As [`Device::build_kernel`].
    pub fn add(&mut self, device: &Device, path: impl AsRef<Path>, props: impl IntoProps) -> Result<()> {
        let request = request_of_file(&Setting::of(device), path.as_ref(), props)?;
        self.add_versions(&request, &|request| on_build_stack(|| Part::built(device, request)))
    }

    /// Adds the kernels of the file at `path` for any device of a mode, of which none needs to be here: the text alone, which
    /// the device compiles.
    /// # Errors
    /// As [`translate`](super::translate()).
    pub fn add_text(&mut self, mode: &str, path: impl AsRef<Path>, props: impl IntoProps) -> Result<()> {
        let (backend, mode) = registry::find(mode)?;
        let setting = Setting { mode, defaults: &Props::new(), verbose: false };
        let request = request_of_file(&setting, path.as_ref(), props)?;
        self.add_versions(&request, &|request| {
            let target = backend.target_for(mode.name, &request.props)?.ok_or_else(|| {
                let reason = "what its kernels become depends on the device".to_owned();
                Error::new(ErrorKind::Unavailable { mode: mode.name.to_owned(), reason })
            })?;
            let (compiled, _) = program::front_end(mode.name, &*target, request)?;
            Ok(Part::new(mode.name, &*target, request, &compiled))
        })
    }

    /// Adds what launches may need: as the properties ask for it, with all checks, and for constant memory where that matters.
    fn add_versions(&mut self, request: &BuildRequest, make: &dyn Fn(&BuildRequest) -> Result<Part>) -> Result<()> {
        let asked = make(request)?;
        let mut nests = asked.signatures.iter().flat_map(|signature| &signature.nests);
        let uses_constants = nests.any(|nest| nest.bounds.with_constants.is_some());
        let others = [Some(Checks::All), uses_constants.then_some(Checks::UnprovenOfConstants)];
        self.put(asked);
        others.into_iter().flatten().try_for_each(|checks| {
            self.put(make(&request.with_checks(checks))?);
            Ok(())
        })
    }

    /// In place of what there was for the same device.
    fn put(&mut self, part: Part) {
        let is_same = |old: &Part| {
            (&old.mode, &old.target, old.checks) == (&part.mode, &part.target, part.checks)
                && old.identity == part.identity
        };
        self.parts.retain(|old| !is_same(old));
        self.parts.push(part);
    }

    /// Writes the file.
    /// # Errors
    /// [`ErrorKind::Io`].
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let index = Index { emitter: okl::EMITTER.to_owned(), parts: self.parts.clone() };
        let index = json::write(&index)
            .map_err(|error| Error::new(ErrorKind::Internal { message: format!("a bundle's index: {error}") }))?;
        let mut rest = (index.len() as u64).to_le_bytes().to_vec();
        rest.extend(index);
        self.parts.iter().for_each(|part| rest.extend(&part.binary));
        let head = [MAGIC, Key::of(&rest).to_string().as_bytes(), b"\n"].concat();
        std::fs::write(&path, [head, rest].concat()).map_err(|error| Error::writing(&path, &error))
    }

    /// Reads a file.
    /// # Errors
    /// [`ErrorKind::Io`]; [`ErrorKind::Invalid`] for a file that is no bundle, is damaged, or was made by another Ferrocca.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let bytes = std::fs::read(&path).map_err(|error| Error::io(&path, &error))?;
        let shown = path.as_ref().display();
        Self::parse(&bytes).map_err(|why| Error::invalid(format!("{shown}: {why}")))
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| match bytes.starts_with(b"okl-bundle ") {
            true => "it is a bundle of another version of Ferrocca: build it anew".to_owned(),
            false => "it is not a bundle, as `ferrocca compile --bundle` makes them".to_owned(),
        })?;
        let damaged =
            || "it is damaged: its contents do not have the hash that it names; copy or build it anew".to_owned();
        let (hash, rest) = rest.split_at_checked(HASH).ok_or_else(damaged)?;
        if hash != format!("{}\n", Key::of(rest)).as_bytes() {
            return Err(damaged());
        }
        let (len, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
        let len = usize::try_from(u64::from_le_bytes(*len)).map_err(|_| damaged())?;
        let (index, mut binaries) = rest.split_at_checked(len).ok_or_else(damaged)?;
        let Head { emitter } = json::read(index).map_err(|error| format!("its index: {error}"))?;
        if emitter != okl::EMITTER {
            return Err(format!(
                "it was made by Ferrocca {emitter:?}, and this is \"{}\": build it anew",
                okl::EMITTER
            ));
        }
        let mut index: Index = json::read(index).map_err(|error| format!("its index: {error}"))?;
        for part in &mut index.parts {
            let (binary, after) = binaries.split_at_checked(part.binary_bytes.unwrap_or(0)).ok_or_else(damaged)?;
            (part.binary, binaries) = (binary.to_vec(), after);
        }
        Ok(Self { parts: index.parts })
    }

    /// For which modes, and whether with a binary: `Serial`, `CUDA (text)`.
    pub fn modes(&self) -> Vec<String> {
        let mut modes: Vec<String> = Vec::new();
        for part in self.parts.iter().filter(|part| part.serves(Checks::Unproven)) {
            let text = if part.binary_bytes.is_some() { "" } else { " (text)" };
            modes.push(format!("{}{text}", part.mode));
        }
        modes.dedup();
        modes
    }

    /// Builds a kernel for a device.
    fn build(self: &Arc<Self>, device: &Device, name: &str, checks: Checks) -> Result<Kernel> {
        let mut of_mode = self.parts.iter().filter(|part| part.mode == device.mode()).peekable();
        if of_mode.peek().is_none() {
            let has = suggest::list(self.modes().iter().map(String::as_str));
            return Err(Error::invalid(format!(
                "the bundle has no kernels for mode `{}`; it has: {has}",
                device.mode()
            )));
        }
        let mut candidates = Vec::new();
        for part in of_mode.filter(|part| part.serves(checks)) {
            let props = part.props.as_str().into_props()?;
            let target = device.inner.backend.target_for(&props)?;
            if target.identity() == part.target {
                let fits = part.binary_bytes.is_some() && device.inner.backend.takes(&part.identity, &props);
                candidates.push((fits, part, props, target));
            }
        }
        // Binaries that fit first.
        candidates.sort_by_key(|(fits, ..)| !fits);
        let Some((fits, part, props, target)) = candidates.into_iter().next() else {
            return Err(Error::invalid(format!(
                "the bundle has kernels for mode `{}`, but for a device that can do other things than {}: build it for this one",
                device.mode(),
                device.info().name
            )));
        };
        let loaded = fits.then(|| self.load(device, part, part.binary.clone(), name));
        if let Some(Ok(kernel)) = loaded {
            return Ok(kernel);
        }
        let compiled = part.compiled(&*target)?;
        let binary = device.inner.backend.compile(&compiled, &props).map_err(|error| {
            error.while_doing(format!("the bundle has no binary for {}, and its text is compiled", device.info().name))
        })?;
        self.load(device, part, binary, name)
    }

    fn load(self: &Arc<Self>, device: &Device, part: &Part, artifact: Vec<u8>, name: &str) -> Result<Kernel> {
        let kernels = part.signatures.iter().map(|signature| signature.kernel.clone()).collect();
        let built = Built { artifact, text: part.text.clone(), kernels };
        let front = Front { signatures: part.signatures.clone(), warnings: part.warnings.clone(), ..Front::default() };
        let program = Program::of_bundle(self.clone(), built, front);
        let plan = program.plan(device, "the bundle", name)?;
        Ok(Kernel::new(device.inner.clone(), plan, program, BuildOrigin::Bundle))
    }

    /// The kernel with other checks.
    pub(super) fn variant(self: &Arc<Self>, device: &Device, name: &str, checks: Checks) -> Result<Kernel> {
        match checks {
            Checks::None => {
                Err(Error::unsupported("a kernel without checks", "it comes from a bundle, which has no source"))
            }
            _ => on_build_stack(|| self.build(device, name, checks)),
        }
    }
}

impl Part {
    /// Whether it is for launches that need these checks; those that the properties ask for serve most.
    fn serves(&self, needed: Checks) -> bool {
        let is_for_some = |checks: Checks| matches!(checks, Checks::All | Checks::UnprovenOfConstants);
        if is_for_some(needed) { self.checks == needed } else { !is_for_some(self.checks) }
    }

    /// Text and binary for the like of a device.
    fn built(device: &Device, request: &BuildRequest) -> Result<Self> {
        let backend = &device.inner.backend;
        let target = backend.target_for(&request.props)?;
        let (compiled, _) = program::front_end(device.mode(), &*target, request)?;
        let identity = backend.identity(&request.props)?;
        let mut part = Self::new(device.mode(), &*target, request, &compiled);
        part.binary = backend.compile(&compiled, &request.props)?;
        part.binary_bytes = Some(part.binary.len());
        part.identity = identity.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Ok(part)
    }

    fn new(mode: &str, target: &dyn Target, request: &BuildRequest, compiled: &Compiled) -> Self {
        Self {
            mode: mode.to_owned(),
            target: target.identity(),
            checks: request.checks,
            props: request.compiler_props().to_string(),
            text: compiled.text.clone(),
            extra_texts: compiled.extra_texts.clone(),
            lines: compiled.lines.clone(),
            files: compiled.files.clone(),
            ir: ir::dump(&compiled.module),
            ir_with_checks: ir::dump(&compiled.with_checks),
            signatures: compiled.signatures.clone(),
            warnings: compiled.warnings.to_string(),
            identity: Vec::new(),
            binary_bytes: None,
            binary: Vec::new(),
        }
    }

    /// What the front end had made.
    fn compiled(&self, target: &dyn Target) -> Result<Compiled> {
        let module = |text: &str| ir::parse(text).map_err(|error| Error::invalid(format!("the bundle's IR: {error}")));
        Ok(Compiled {
            text: self.text.clone(),
            extra_texts: self.extra_texts.clone(),
            lines: self.lines.clone(),
            files: self.files.clone(),
            signatures: self.signatures.clone(),
            module: module(&self.ir)?,
            with_checks: module(&self.ir_with_checks)?,
            passes: target.passes(),
            includes: Vec::new(),
            warnings: okl::Diagnostics::default(),
        })
    }
}

impl Device {
    /// Builds kernel `name` of a bundle, as `ferrocca compile --bundle` or [`Bundle`] makes it: from the binary that was made
    /// for the like of this device, or from the text. The binary runs as it is: load bundles that you trust alone.
    /// # Errors
    /// As [`Bundle::read`]; [`ErrorKind::Invalid`] where it has nothing for this device, or no such kernel.
    pub fn build_kernel_from_bundle(&self, path: impl AsRef<Path>, name: &str) -> Result<Kernel> {
        let shown = path.as_ref().display().to_string();
        let bundle = Arc::new(Bundle::read(path)?);
        on_build_stack(|| bundle.build(self, name, Checks::Unproven))
            .map_err(|error| error.while_doing(format!("kernel `{name}` of {shown}")))
    }
}

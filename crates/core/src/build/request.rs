//! What is to be built: a source, its properties checked and sorted, and the keys over them.

use super::KERNEL_PROPS;
use super::include::{SearchPath, VirtualFile};
use super::okl_settings::OklSettings;
use crate::backend::Mode;
use crate::cache::{Key, KeyBuilder};
use crate::device::{DEVICE_PROPS, Device};
use crate::json;
use crate::props::{Props, Value};
use crate::{Error, ErrorKind, Result, suggest};
use okl::rules::Levels;
use okl::{Checks, Compiled, Signature, Sizes};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What the lines of the `headers` property are called in diagnostics.
const HEADERS_NAME: &str = "<property headers>";
/// What the prelude calls the kernel's own source.
const SOURCE_NAME: &str = "<source>";
/// What diagnostics call the source that pulls in headers, includes and the kernel's own source.
const PRELUDE_NAME: &str = "<property includes>";
/// Properties that the front end uses up: they do not matter to the target's compiler.
const FRONT_END_PROPS: &[&str] =
    &["defines", "includes", "include_dirs", "headers", "checks", "warnings", "okl", "sizes", "verbose"];

/// One source with its properties.
#[derive(Clone)]
pub(super) struct BuildRequest {
    pub(super) name: String,
    pub(super) source: String,
    /// With the device's defaults merged in.
    pub(super) props: Props,
    pub(super) defines: Vec<(String, String)>,
    pub(super) search: SearchPath,
    /// What stands before the source, where something does.
    prelude: Option<Prelude>,
    /// Included files that are part of the program.
    embedded: Vec<VirtualFile>,
    pub(super) checks: Checks,
    /// `@restrict` promises nothing.
    ignores_restrict: bool,
    /// What `@shared` arrays are built for whose sizes a launch decides.
    pub(super) sizes: Sizes,
    /// The kernels that the build itself gives sizes for; a device's defaults may name kernels of other files.
    own_sizes: Vec<String>,
    /// What becomes of warnings.
    pub(super) levels: Levels,
    pub(super) verbose: bool,
}

#[derive(Clone)]
struct Prelude {
    /// A source that includes everything in order.
    root: String,
    /// The files in it that are no files.
    files: Vec<VirtualFile>,
}

/// What a request takes from the device, or from the mode alone.
pub(super) struct Setting<'a> {
    pub(super) mode: &'static Mode,
    /// Properties that every kernel is built with.
    pub(super) defaults: &'a Props,
    pub(super) verbose: bool,
}

impl<'a> Setting<'a> {
    pub(super) fn of(device: &'a Device) -> Self {
        let inner = &device.inner;
        Self { mode: inner.mode(), defaults: inner.programs.defaults(), verbose: inner.verbose }
    }
}

impl BuildRequest {
    pub(super) fn new(
        setting: &Setting<'_>,
        name: &str,
        directory: &Path,
        source: String,
        props: Props,
    ) -> Result<Self> {
        if props.get("tune").or(setting.defaults.get("tune")).is_some() {
            return Err(
                bad("property `tune` is for the build of one kernel: give its macros in `defines` here".into()),
            );
        }
        let own_sizes = sizes(&props)?.into_keys().collect();
        let props = props.over(setting.defaults);
        let known = KERNEL_PROPS.iter().chain(setting.mode.kernel_props).map(|(name, _)| *name);
        props.check_place(known.clone(), &[DEVICE_PROPS, setting.mode.device_props], |name| {
            format!("`{name}` is a property of devices, not of kernels: give it where the device is opened")
        })?;
        props.check_mode("kernel", setting.mode, known, |mode| mode.kernel_props)?;
        if let Some(value) = props.get_str("fp_contract")?.filter(|value| !["off", "fast"].contains(value)) {
            return Err(bad(format!("property `fp_contract` takes 'off' or 'fast', got '{value}'")));
        }
        let checks = match props.get_str("checks")? {
            None | Some("unproven") => Checks::Unproven,
            Some("all") => Checks::All,
            Some("none") => Checks::None,
            Some(value) => {
                return Err(bad(format!("property `checks` takes 'unproven', 'all' or 'none', got '{value}'")));
            }
        };
        let mut levels = Levels::default();
        for wishes in props.get_strings("warnings")? {
            wishes.split(',').try_for_each(|wish| levels.add(wish)).map_err(|why| bad(format!("`warnings`: {why}")))?;
        }
        let verbose = props.get_bool("verbose")?.unwrap_or(setting.verbose);
        let OklSettings { include_paths, ignores_restrict } = OklSettings::of(&props)?;
        let listed = props.get_strings("include_dirs")?.into_iter().map(PathBuf::from);
        let directories = listed.chain(include_paths).collect();
        let search =
            SearchPath { source_directory: directory.to_path_buf(), source_name: name.to_string(), directories };
        let defines = defines(&props)?;
        let prelude = Prelude::new(&props, name, &source)?;
        Ok(Self {
            name: name.to_string(),
            source,
            defines,
            search,
            prelude,
            embedded: Vec::new(),
            checks,
            ignores_restrict,
            sizes: sizes(&props)?,
            own_sizes,
            levels,
            verbose,
            props,
        })
    }

    /// The same source, whose includes lead to these files: the name as written, what diagnostics call it, its text.
    pub(super) fn with_files(mut self, files: &[(&'static str, &str, &str)]) -> Self {
        let file = |&(include_name, name, text): &(&'static str, &str, &str)| VirtualFile {
            include_name,
            name: name.to_owned(),
            text: text.to_owned(),
        };
        self.embedded = files.iter().map(file).collect();
        self
    }

    /// The same source with other checks.
    pub(super) fn with_checks(&self, checks: Checks) -> Self {
        let name = match checks {
            Checks::None => "none",
            Checks::Unproven => "unproven",
            Checks::UnprovenOfConstants => "unproven of constants",
            Checks::All => "all",
        };
        let mut request = Self { checks, ..self.clone() };
        request.props.set("checks", name);
        request
    }

    /// The same source for other sizes of a kernel's `@shared` arrays.
    pub(super) fn with_sizes(&self, kernel: &str, sizes: &[u32]) -> Self {
        let mut request = self.clone();
        request.sizes.insert(kernel.to_owned(), sizes.to_vec());
        let list = |sizes: &Vec<u32>| Value::List(sizes.iter().map(|&size| Value::Int(size.into())).collect());
        let lists = request.sizes.iter().map(|(kernel, sizes)| (kernel.clone(), list(sizes)));
        request.props.set("sizes", Value::Map(lists.collect()));
        request
    }

    /// Refuses sizes for kernels that the source does not have, or that have none to choose.
    pub(super) fn check_sizes(&self, signatures: &[Signature]) -> Result<()> {
        for kernel in &self.own_sizes {
            match signatures.iter().find(|signature| signature.kernel == *kernel) {
                None => {
                    let names = || signatures.iter().map(|signature| signature.kernel.as_str());
                    let (hint, all) = (suggest::hint(kernel, names()), suggest::list(names()));
                    let file = &self.name;
                    return Err(bad(format!(
                        "property `sizes`: there is no kernel `{kernel}` in {file}{hint}; its kernels: {all}"
                    )));
                }
                Some(signature) if signature.sizes.is_empty() => {
                    return Err(bad(format!(
                        "property `sizes`: `{kernel}` has no `@shared` array whose size a launch decides: leave it out"
                    )));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    pub(super) fn options(&self) -> okl::Options {
        let Self { checks, ignores_restrict, ref sizes, .. } = *self;
        okl::Options { checks, ignores_restrict, sizes: sizes.clone() }
    }

    /// Name and text of what the front end starts with.
    pub(super) fn root(&self) -> (&str, &str) {
        self.prelude.as_ref().map_or((&self.name, &self.source), |prelude| (PRELUDE_NAME, &prelude.root))
    }

    /// Sources that lie in no file.
    pub(super) fn virtual_files(&self) -> impl Iterator<Item = &VirtualFile> {
        self.prelude.iter().flat_map(|prelude| &prelude.files).chain(&self.embedded)
    }

    /// The key under which the device remembers it.
    pub(super) fn memory_key(&self) -> Key {
        self.common(KeyBuilder::new("memory")).finish()
    }

    /// What the kernel language sees of it: source, defines and embedded files. The same for every device and any checks.
    pub(super) fn source_key(&self) -> Key {
        let builder = KeyBuilder::new("source").field("source", self.source.as_bytes());
        let builder = builder.field("defines", format!("{:?}", self.defines).as_bytes());
        let file = |builder: KeyBuilder, file: &VirtualFile| {
            builder.field("include", file.include_name.as_bytes()).field("text", file.text.as_bytes())
        };
        self.virtual_files().fold(builder, file).finish()
    }

    /// The outer key: everything that is known without preprocessing.
    pub(super) fn outer_key(&self, device: &Device, identity: &[(&'static str, String)]) -> Key {
        with_identity(self.common(KeyBuilder::new("outer")), device, identity).finish()
    }

    /// The inner key: everything that the target's compiler sees.
    pub(super) fn inner_key(
        &self,
        device: &Device,
        identity: &[(&'static str, String)],
        compiled: &Compiled,
    ) -> Result<Key> {
        let signatures: Vec<Signature> = compiled.signatures.iter().map(Signature::without_places).collect();
        let signatures = json::write(&signatures).map_err(|error| {
            Error::new(ErrorKind::Internal { message: format!("a signature cannot be written: {error}") })
        })?;
        let rest = self.compiler_props();
        let builder = KeyBuilder::new("inner").field("text", compiled.text.as_bytes());
        let builder = compiled.extra_texts.iter().fold(builder, |builder, (name, text)| {
            builder.field("extra text", name.as_bytes()).field("text", text.as_bytes())
        });
        let builder = builder.field("signatures", &signatures).field("properties", rest.to_string().as_bytes());
        Ok(with_identity(builder, device, identity).finish())
    }

    /// The properties that matter to the target's compiler.
    pub(super) fn compiler_props(&self) -> Props {
        let mut rest = self.props.clone();
        for name in FRONT_END_PROPS {
            rest.remove(name);
        }
        rest
    }

    fn common(&self, builder: KeyBuilder) -> KeyBuilder {
        let embedded = self.embedded.iter();
        let builder = embedded.fold(builder, |builder, file| {
            builder.field("include", file.include_name.as_bytes()).field("text", file.text.as_bytes())
        });
        builder
            .field("name", self.name.as_bytes())
            .field("source", self.source.as_bytes())
            .field("properties", self.props.to_string().as_bytes())
    }
}

impl Prelude {
    fn new(props: &Props, name: &str, source: &str) -> Result<Option<Self>> {
        let (headers, includes) = (props.get_strings("headers")?, props.get_strings("includes")?);
        if headers.is_empty() && includes.is_empty() {
            return Ok(None);
        }
        let mut root = String::new();
        let virtual_file = |include_name, name: &str, text| VirtualFile { include_name, name: name.to_string(), text };
        let mut files = vec![virtual_file(SOURCE_NAME, name, source.to_string())];
        if !headers.is_empty() {
            let lines = headers.join("\n") + "\n";
            files.push(virtual_file(HEADERS_NAME, HEADERS_NAME, lines));
            let _ = writeln!(root, "#include \"{HEADERS_NAME}\"");
        }
        for include in includes {
            if include.contains(['"', '\n']) {
                return Err(bad(format!("property `includes`: {include:?} is not a file name that can be included")));
            }
            let _ = writeln!(root, "#include \"{include}\"");
        }
        let _ = writeln!(root, "#include \"{SOURCE_NAME}\"");
        Ok(Some(Self { root, files }))
    }
}

fn with_identity(builder: KeyBuilder, device: &Device, identity: &[(&'static str, String)]) -> KeyBuilder {
    let target = device.inner.backend.target().identity();
    let builder = builder
        .field("mode", device.mode().as_bytes())
        .field("target", target.as_bytes())
        .field("emitter", okl::EMITTER.as_bytes())
        .field("core", env!("CARGO_PKG_VERSION").as_bytes());
    identity.iter().fold(builder, |builder, (name, value)| builder.field(name, value.as_bytes()))
}

/// The `sizes` property.
fn sizes(props: &Props) -> Result<Sizes> {
    let mut sizes = Sizes::new();
    for (kernel, list) in props.get_map("sizes")?.into_iter().flatten() {
        let numbers = match list {
            Value::List(list) => list.as_slice(),
            one => std::slice::from_ref(one),
        };
        let number = |value: &Value| match value {
            Value::Int(size) => u32::try_from(*size).ok().filter(|&size| size > 0),
            _ => None,
        };
        let list = numbers.iter().map(number).collect::<Option<Vec<u32>>>();
        let list = list.ok_or_else(|| bad(format!("property `sizes`: `{kernel}` takes a list of positive numbers")))?;
        sizes.insert(kernel.clone(), list);
    }
    Ok(sizes)
}

/// The `defines` property as macros.
pub(super) fn defines(props: &Props) -> Result<Vec<(String, String)>> {
    let Some(map) = props.get_map("defines")? else {
        return Ok(Vec::new());
    };
    map.iter()
        .map(|(name, value)| {
            let replacement = match value {
                Value::Null => String::new(),
                Value::Bool(value) => u8::from(*value).to_string(),
                Value::Int(value) => value.to_string(),
                Value::Float(value) if value.is_finite() => format!("{value:?}"),
                Value::String(text) => text.clone(),
                other => {
                    return Err(bad(format!(
                        "define `{name}` takes a number, text or true/false, got {other} ({})",
                        other.kind()
                    )));
                }
            };
            Ok((name.clone(), replacement))
        })
        .collect()
}

pub(super) fn bad(message: String) -> Error {
    Error::new(ErrorKind::Props { message })
}

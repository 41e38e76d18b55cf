//! `translate` and `compile`: what kernels become, and building them ahead of their use.

use crate::options::Source;
use ferrocca::okl::{Compiled, Signature};
use ferrocca::{
    BuildOrigin, Bundle, Device, EmbeddedSource, Error, ErrorKind, IntoProps, Kernel, Props, Result, Value,
};
use std::path::Path;
use std::sync::OnceLock;

/// What `translate` prints, besides the text.
pub(crate) struct View<'a> {
    /// The IR: after a pass, or where none is named once it is checked.
    pub(crate) ir: Option<&'a str>,
    /// What a launch must prove.
    pub(crate) bounds: bool,
    /// What its items read and write.
    pub(crate) footprint: bool,
    /// The text for any device of the mode.
    pub(crate) any_device: bool,
}

/// The text that the target's compiler would get, or another view of it. Warnings go to the standard error, and so does
/// which device the text is for, in a mode where that matters.
pub(crate) fn translate(source: &Source, view: &View<'_>) -> Result<String> {
    let compiled = translated(source, view.any_device)?;
    source.message_format.findings(&compiled.warnings);
    match view.ir {
        None if view.footprint => Ok(compiled.signatures.iter().map(Signature::footprint_text).collect()),
        None if view.bounds => Ok(compiled.signatures.iter().map(Signature::bounds_text).collect()),
        None => Ok(compiled.text),
        Some(pass) => compiled.ir((!pass.is_empty()).then_some(pass)).map_err(Error::invalid),
    }
}

/// Opens a device only where the text depends on it, and where `any_device` does not say that it is not to matter.
fn translated(source: &Source, any_device: bool) -> Result<Compiled> {
    let props = kernel_props(source)?;
    let device_props = device_props(&source.mode)?;
    let mode = device_props.mode()?;
    let is_bare = device_props.iter().count() == 1;
    if any_device || is_bare && !ferrocca::text_depends_on_device(mode)? {
        return translate_for_any(mode, source, props);
    }
    match Device::open_or_why_not(device_props.clone()) {
        Ok(device) => {
            let compiled = translate_on(&device, source, props)?;
            if ferrocca::text_depends_on_device(mode)? {
                let device = device.info();
                source.message_format.note(&format!(
                    "this is the text for {} (mode {}, device {}); --any-device prints that for any device of the mode",
                    device.name, device.mode, device.device_id
                ));
            }
            Ok(compiled)
        }
        Err(error) => translate_without_device(source, mode, props, error),
    }
}

/// Reading what a kernel becomes needs no device; `unavailable` says why there is none.
fn translate_without_device(source: &Source, mode: &str, props: Props, unavailable: Error) -> Result<Compiled> {
    if !matches!(unavailable.kind(), ErrorKind::Unavailable { .. }) {
        return Err(unavailable);
    }
    let compiled = match translate_for_any(mode, source, props) {
        Err(error) if matches!(error.kind(), ErrorKind::Unavailable { .. }) => return Err(unavailable),
        other => other?,
    };
    source.message_format.note(&format!("this is the text for any device of the mode; {unavailable}"));
    Ok(compiled)
}

/// Builds kernels, all of the file unless some are named, and says where each came from.
pub(crate) fn compile(source: &Source, kernels: &[String]) -> Result<String> {
    let props = kernel_props(source)?;
    let device_props = device_props(&source.mode)?;
    let device = match Device::open_or_why_not(device_props.clone()) {
        Ok(device) => device,
        Err(unavailable) => return compile_without_device(source, kernels, &device_props, props, unavailable),
    };
    let kernels = match kernels {
        [] => names(&device, source, &props)?,
        named => {
            names(&device, source, &props)?;
            named.to_vec()
        }
    };
    let mut text = String::new();
    // All kernels of a file are compiled at once: the first one says where the file's artifact is from.
    let mut origin = None;
    for name in &kernels {
        let kernel = build_on(&device, source, name, props.clone())?;
        let origin = origin.get_or_insert_with(|| describe(kernel.origin()));
        text.push_str(&format!("{name}: {origin}\n"));
    }
    match kernels.is_empty() {
        true => Err(Error::invalid(format!("there is no kernel in {}", source.file.display()))),
        false => Ok(text),
    }
}

/// As [`compile`], with the vendor's compiler alone; `unavailable` says why there is no device.
fn compile_without_device(
    source: &Source,
    kernels: &[String],
    device: &Props,
    props: Props,
    unavailable: Error,
) -> Result<String> {
    let mode = device.mode()?;
    let is_unavailable = |error: &Error| matches!(error.kind(), ErrorKind::Unavailable { .. });
    // Says which modes there are, too.
    let no_device = || Device::open(device.clone()).err().unwrap_or_else(|| unavailable.clone());
    if !is_unavailable(&unavailable) {
        return Err(unavailable);
    }
    let compiled = match translate_for_any(mode, source, props.clone()) {
        Err(error) if is_unavailable(&error) => return Err(no_device()),
        other => other?,
    };
    source.message_format.findings(&compiled.warnings);
    let known: Vec<&str> = compiled.signatures.iter().map(|signature| signature.kernel.as_str()).collect();
    if let Some(unknown) = kernels.iter().find(|name| !known.contains(&name.as_str())) {
        let file = source.file.display();
        return Err(Error::invalid(format!(
            "there is no kernel `{unknown}` in {file}; there are: {}",
            known.join(", ")
        )));
    }
    if known.is_empty() {
        return Err(Error::invalid(format!("there is no kernel in {}", source.file.display())));
    }
    let Some(compiler) = ferrocca::compile_without_device(device, &compiled, &props)? else { return Err(no_device()) };
    source.message_format.note(&format!("nothing is kept for later runs; {unavailable}"));
    let named = known.into_iter().filter(|name| kernels.is_empty() || kernels.iter().any(|kernel| kernel == name));
    Ok(named.map(|name| format!("{name}: compiled by {compiler}\n")).collect())
}

/// Writes the kernels of a file to a bundle: text and binary for devices that are here, the text for others.
pub(crate) fn bundle(source: &Source, file: &Path, modes: &[String]) -> Result<String> {
    if standard_input(source)?.is_some() {
        return Err(Error::invalid("a bundle is made of a file, not of the standard input"));
    }
    let props = kernel_props(source)?;
    let mut bundle = Bundle::new();
    let modes = if modes.is_empty() { std::slice::from_ref(&source.mode) } else { modes };
    for mode in modes {
        let device = device_props(mode)?;
        match Device::open_or_why_not(device.clone()) {
            Ok(device) => {
                names(&device, source, &props)?;
                bundle.add(&device, &source.file, props.clone())?;
            }
            Err(error) if matches!(error.kind(), ErrorKind::Unavailable { .. }) => {
                let mode = device.mode()?;
                bundle.add_text(mode, &source.file, props.clone())?;
                source.message_format.note(&format!("the bundle has the text alone for `{mode}`: {error}"));
            }
            Err(error) => return Err(error),
        }
    }
    bundle.write(file)?;
    Ok(format!("{}: {}\n", file.display(), bundle.modes().join(", ")))
}

/// Builds one kernel of a file: the one that is named, or the only one.
pub(crate) fn build_one(device: &Device, source: &Source, name: Option<&str>) -> Result<Kernel> {
    let props = kernel_props(source)?;
    let names = names(device, source, &props)?;
    let name = match name {
        Some(name) => name.to_owned(),
        None => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            match names[..] {
                [name] => name.to_owned(),
                [] => return Err(Error::invalid(format!("there is no kernel in {}", source.file.display()))),
                _ => {
                    let file = source.file.display();
                    return Err(Error::invalid(format!(
                        "name one kernel of {file} with --kernel: {}",
                        names.join(", ")
                    )));
                }
            }
        }
    };
    build_on(device, source, &name, props)
}

/// The standard input, where it is the source. It is read once and kept for as long as the command runs.
fn standard_input(source: &Source) -> Result<Option<&'static EmbeddedSource>> {
    static READ: OnceLock<EmbeddedSource> = OnceLock::new();
    if source.file != Path::new("-") {
        return Ok(None);
    }
    if READ.get().is_none() {
        let text = std::io::read_to_string(std::io::stdin()).map_err(|error| Error::io("standard input", &error))?;
        let read = EmbeddedSource { name: "<stdin>", text: Box::leak(text.into_boxed_str()), includes: &[] };
        READ.get_or_init(|| read);
    }
    Ok(READ.get())
}

fn translate_on(device: &Device, source: &Source, props: Props) -> Result<Compiled> {
    match standard_input(source)? {
        Some(text) => device.translate_embedded(text, props),
        None => device.translate(&source.file, props),
    }
}

fn translate_for_any(mode: &str, source: &Source, props: Props) -> Result<Compiled> {
    match standard_input(source)? {
        Some(text) => ferrocca::translate_embedded(mode, text, props),
        None => ferrocca::translate(mode, &source.file, props),
    }
}

fn build_on(device: &Device, source: &Source, name: &str, props: Props) -> Result<Kernel> {
    match standard_input(source)? {
        Some(text) => device.build_kernel_from_embedded(text, name, props),
        None => device.build_kernel(&source.file, name, props),
    }
}

/// The kernels of a file; what the compiler has found is printed.
fn names(device: &Device, source: &Source, props: &Props) -> Result<Vec<String>> {
    let compiled = translate_on(device, source, props.clone())?;
    source.message_format.findings(&compiled.warnings);
    Ok(compiled.signatures.into_iter().map(|signature| signature.kernel).collect())
}

fn device_props(mode: &str) -> Result<Props> {
    Props::parse_device(mode)
}

fn kernel_props(source: &Source) -> Result<Props> {
    let mut props = source.props.as_str().into_props()?;
    for (name, value) in &source.defines {
        props = props.define(name, value.as_str());
    }
    let mut directories = props.get_strings("include_dirs")?.into_iter().map(Value::from).collect::<Vec<_>>();
    directories.extend(source.include_dirs.iter().map(|path| Value::from(path.to_string_lossy().into_owned())));
    for directory in &directories {
        let Value::String(directory) = directory else { continue };
        if Path::new(directory).is_dir() {
            continue;
        }
        source.message_format.warning(&format!("there is no directory {directory} (`-I`, property `include_dirs`)"));
    }
    props.set("include_dirs", Value::List(directories));
    if !source.warnings.is_empty() {
        let mut wishes: Vec<_> = props.get_strings("warnings")?.into_iter().map(Value::from).collect();
        wishes.extend(source.warnings.iter().map(|wish| Value::from(wish.as_str())));
        props.set("warnings", Value::List(wishes));
    }
    Ok(props)
}

fn describe(origin: &BuildOrigin) -> String {
    match origin {
        BuildOrigin::Memory | BuildOrigin::Disk => "in the cache".to_owned(),
        BuildOrigin::Compiled { not_cached: None } => "compiled".to_owned(),
        BuildOrigin::Compiled { not_cached: Some(reason) } => format!("compiled, but not cached: {reason}"),
        _ => "built".to_owned(),
    }
}

//! `translate` and `compile`: what kernels become, and building them ahead of their use.

use crate::options::Source;
use ferrocca::okl::{Compiled, Signature};
use ferrocca::{BuildOrigin, Bundle, Device, Error, ErrorKind, IntoProps, Kernel, Props, Result, Value};
use std::path::Path;

/// What `translate` prints, besides the text.
pub(crate) struct View<'a> {
    /// The IR: after a pass, or where none is named once it is checked.
    pub(crate) ir: Option<&'a str>,
    /// What a launch must prove.
    pub(crate) bounds: bool,
    /// The text for any device of the mode.
    pub(crate) any_device: bool,
}

/// The text that the target's compiler would get, or another view of it. Warnings go to the standard error, and so does
/// which device the text is for, in a mode where that matters.
pub(crate) fn translate(source: &Source, view: &View<'_>) -> Result<String> {
    let compiled = translated(source, view.any_device)?;
    source.message_format.findings(&compiled.warnings);
    match view.ir {
        None if view.bounds => Ok(compiled.signatures.iter().map(Signature::bounds_text).collect()),
        None => Ok(compiled.text),
        Some(pass) => compiled.ir((!pass.is_empty()).then_some(pass)).map_err(Error::invalid),
    }
}

/// Opens a device only where the text depends on it, and where `any_device` does not say that it is not to matter.
fn translated(source: &Source, any_device: bool) -> Result<Compiled> {
    let props = kernel_props(source)?;
    let device_props = device_props(&source.mode)?;
    let mode = device_props.get_str("mode")?.unwrap_or_default();
    let is_bare = !source.mode.contains(['=', ':']);
    if any_device || is_bare && !ferrocca::text_depends_on_device(mode)? {
        return ferrocca::translate(mode, &source.file, props);
    }
    match Device::open_or_why_not(device_props.clone()) {
        Ok(device) => {
            let compiled = device.translate(&source.file, props)?;
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
    let compiled = match ferrocca::translate(mode, &source.file, props) {
        Err(error) if matches!(error.kind(), ErrorKind::Unavailable { .. }) => return Err(unavailable),
        other => other?,
    };
    source.message_format.note(&format!("this is the text for any device of the mode; {unavailable}"));
    Ok(compiled)
}

/// Builds kernels, all of the file unless some are named, and says where each came from.
pub(crate) fn compile(source: &Source, kernels: &[String]) -> Result<String> {
    let device = open(&source.mode)?;
    let props = kernel_props(source)?;
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
        let kernel = device.build_kernel(&source.file, name, props.clone())?;
        let origin = origin.get_or_insert_with(|| describe(kernel.origin()));
        text.push_str(&format!("{name}: {origin}\n"));
    }
    match kernels.is_empty() {
        true => Err(Error::invalid(format!("there is no kernel in {}", source.file.display()))),
        false => Ok(text),
    }
}

/// Writes the kernels of a file to a bundle: text and binary for devices that are here, the text for others.
pub(crate) fn bundle(source: &Source, file: &Path, modes: &[String]) -> Result<String> {
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
                let mode = device.get_str("mode")?.unwrap_or_default();
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
    device.build_kernel(&source.file, &name, props)
}

/// The kernels of a file; what the compiler has found is printed.
fn names(device: &Device, source: &Source, props: &Props) -> Result<Vec<String>> {
    let compiled = device.translate(&source.file, props.clone())?;
    source.message_format.findings(&compiled.warnings);
    Ok(compiled.signatures.into_iter().map(|signature| signature.kernel).collect())
}

/// `CPU` is short for `mode=CPU`.
pub(crate) fn open(mode: &str) -> Result<Device> {
    Device::open(device_props(mode)?)
}

fn device_props(mode: &str) -> Result<Props> {
    match mode.contains(['=', ':']) {
        true => mode.into_props(),
        false => Ok(Props::new().with("mode", mode)),
    }
}

fn kernel_props(source: &Source) -> Result<Props> {
    let mut props = source.props.as_str().into_props()?;
    for (name, value) in &source.defines {
        props = props.define(name, value.as_str());
    }
    let mut directories = props.get_strings("include_dirs")?.into_iter().map(Value::from).collect::<Vec<_>>();
    directories.extend(source.include_dirs.iter().map(|path| Value::from(path.to_string_lossy().into_owned())));
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

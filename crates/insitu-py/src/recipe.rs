//! What a kernel was built from, so that a launch can ask for it with other defines; and arguments by name.

use crate::error::{OrRaise, WrongTypeError, warn};
use ferrocca::okl::signature::Signature;
use ferrocca::{Device, Kernel, Props, Result};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A kernel's source.
pub(crate) enum Source {
    File(PathBuf),
    Text(String),
}

/// A kernel, and the names and texts of the defines that it was built with.
type Variant = (Vec<(String, String)>, Kernel);

/// Source, name and properties of a kernel, and what was built of them with more defines.
pub(crate) struct Recipe {
    source: Source,
    name: String,
    props: Props,
    variants: Mutex<Vec<Variant>>,
}

impl Recipe {
    pub(crate) fn new(source: Source, name: &str, props: Props) -> Self {
        Self { source, name: name.to_owned(), props, variants: Mutex::default() }
    }

    pub(crate) fn build(&self, device: &Device) -> Result<Kernel> {
        self.build_with(device, self.props.clone())
    }

    fn build_with(&self, device: &Device, props: Props) -> Result<Kernel> {
        match &self.source {
            Source::File(path) => device.build_kernel(path, &self.name, props),
            Source::Text(text) => device.build_kernel_from_string(text, &self.name, props),
        }
    }

    /// The kernel with more defines, built when they are first asked for.
    /// # Errors
    /// As `Device.build_kernel`; `TypeError` for a value that no define has.
    pub(crate) fn variant(
        &self,
        py: Python<'_>,
        kernel: &Kernel,
        defines: &[(String, Bound<'_, PyAny>)],
    ) -> PyResult<Kernel> {
        let define = py.import("ferrocca._array.launching")?.getattr("define")?;
        let mut texts = Vec::with_capacity(defines.len());
        for (name, value) in defines {
            texts.push((name.clone(), define.call1((value,))?.extract::<String>()?));
        }
        texts.sort();
        let mut variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = variants.iter().find(|(known, _)| *known == texts) {
            return Ok(known.clone());
        }
        drop(variants);
        let mut props = self.props.clone();
        for (name, text) in &texts {
            props.set(format!("defines/{name}"), text.as_str());
        }
        let device = kernel.device();
        let built = py.detach(|| self.build_with(&device, props)).or_raise()?;
        warn(py, built.warnings())?;
        variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        variants.push((texts, built.clone()));
        Ok(built)
    }
}

/// The arguments of a launch by position, and what names no parameter.
type Ordered<'py> = (Vec<Bound<'py, PyAny>>, Vec<(String, Bound<'py, PyAny>)>);

/// Puts keywords that name parameters in their places.
/// # Errors
/// `TypeError` for a parameter that is given twice, or not at all.
pub(crate) fn in_order_of<'py>(
    signature: &Signature,
    arguments: &Bound<'py, PyTuple>,
    keywords: &Bound<'py, PyDict>,
) -> PyResult<Ordered<'py>> {
    let kernel = &signature.kernel;
    let count = signature.params.len();
    let mut ordered: Vec<Option<Bound<'py, PyAny>>> = arguments.iter().map(Some).collect();
    ordered.resize(count.max(ordered.len()), None);
    let mut defines = Vec::new();
    for (name, value) in keywords {
        let name: String = name.extract()?;
        let Some(position) = signature.params.iter().position(|parameter| *parameter.name == *name) else {
            defines.push((name, value));
            continue;
        };
        if ordered[position].replace(value).is_some() {
            return Err(WrongTypeError::new_err(format!("kernel `{kernel}`: `{name}` is given twice")));
        }
    }
    let missing = ordered.iter().position(Option::is_none);
    if let Some(position) = missing {
        let others = match defines.first() {
            Some((name, _)) => format!("; it has no parameter `{name}`"),
            None => String::new(),
        };
        let name = &signature.params[position].name;
        return Err(WrongTypeError::new_err(format!(
            "kernel `{kernel}`: argument {} `{name}` is missing{others}",
            position + 1
        )));
    }
    Ok((ordered.into_iter().flatten().collect(), defines))
}

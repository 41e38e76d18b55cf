//! Kernels by what they were specialised for, and memory that grows.

use ferrocca_core::{Device, Element, Kernel, Memory, Props, Result};
use std::collections::HashMap;

pub(crate) const SPOTS: Source = Source { text: include_str!("../kernels/spots.okl"), kernel: "spots" };
const GATHERED: &str = include_str!("../kernels/gather.okl");
pub(crate) const GATHER: Source = Source { text: GATHERED, kernel: "gather" };
pub(crate) const DAMP: Source = Source { text: GATHERED, kernel: "damp" };
pub(crate) const FINISH: Source = Source { text: include_str!("../kernels/finish.okl"), kernel: "finish" };
const MODELLED: &str = include_str!("../kernels/model.okl");
pub(crate) const MEAN: Source = Source { text: MODELLED, kernel: "mean" };
pub(crate) const CHI: Source = Source { text: MODELLED, kernel: "chi" };
pub(crate) const MODEL: Source = Source { text: MODELLED, kernel: "model" };

/// A shipped source and one of its kernels.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    text: &'static str,
    pub(crate) kernel: &'static str,
}

/// Numbers that a kernel is specialised for.
pub(crate) type Sizes<'a> = &'a [(&'static str, usize)];

/// The kernels that were asked for.
#[derive(Default)]
pub(crate) struct Kernels(HashMap<(&'static str, Vec<usize>), Kernel>);

impl Kernels {
    pub(crate) fn get(&mut self, device: &Device, source: Source, real: &str, sizes: Sizes<'_>) -> Result<Kernel> {
        let key = (source.kernel, sizes.iter().map(|(_, size)| *size).collect());
        if let Some(kernel) = self.0.get(&key) {
            return Ok(kernel.clone());
        }
        let mut props = Props::new().with("fp_contract", "off");
        props.set("defines/REAL", real);
        for name in ["GATHER", "MEAN", "CHI"] {
            props.set(format!("defines/{name}"), u8::from(source.kernel == name.to_lowercase()).to_string());
        }
        for (name, size) in sizes {
            props.set(format!("defines/{name}"), size.to_string());
        }
        if ["gather", "mean", "chi", "model"].contains(&source.kernel) && !crate::engine::is_watched(device) {
            // Spots are found by tables, which no launch can prove; `plan` makes them so that all lie inside, and modes that watch
            // each access show it in the tests.
            props.set("checks", "none");
        }
        let kernel = device.build_kernel_from_string(source.text, source.kernel, props)?;
        self.0.insert(key, kernel.clone());
        Ok(kernel)
    }
}

/// Memory that grows to what was needed most.
pub(crate) struct Store<T: Element>(Option<Memory<T>>);

impl<T: Element> Default for Store<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Element> Store<T> {
    /// `len` elements, whose contents are what the last taker left.
    pub(crate) fn take(&mut self, device: &Device, len: usize) -> Result<Memory<T>> {
        let memory = match self.0.take() {
            Some(memory) if memory.len() >= len => memory,
            _ => device.malloc(len.max(1))?,
        };
        self.0.insert(memory).slice(..len)
    }
}

//! What the kernels of a loop were built from.

use super::Launched;
use super::item::Source;
use crate::Device;
use crate::backend::rows::{Launch, NoPlan, Result, refuse};
use crate::build::Source as Origin;
use crate::kernel::Kernel;
use std::sync::Arc;

/// The sources of all launches, those of one program once.
pub(super) fn of(device: &Device, launched: &[Launched]) -> Result<Vec<Option<Arc<Origin>>>> {
    let mut known: Vec<Arc<Origin>> = Vec::new();
    let mut origins = Vec::new();
    for launched in launched {
        let Some((kernel, _)) = launched else {
            origins.push(None);
            continue;
        };
        let found = known.iter().find(|origin| origin.is_of(kernel.program())).cloned();
        let origin = match found {
            Some(origin) => origin,
            None => match Origin::of(device, kernel.program()) {
                Ok(origin) => Arc::new(origin),
                Err(reason) => return refuse(format!("`{}` {reason}", kernel.name())),
            },
        };
        if known.first().is_some_and(|first| !first.has_options_of(&origin)) {
            return refuse(format!("`{}` is compiled with other properties than the kernels before it", kernel.name()));
        }
        if !origin.is_exact(device) {
            return refuse(format!(
                "`{}` is compiled with `fp_contract: fast` or `compiler_flags`, with which the bits may depend on the text around it",
                kernel.name()
            ));
        }
        if !known.iter().any(|of| Arc::ptr_eq(of, &origin)) {
            known.push(origin.clone());
        }
        origins.push(Some(origin));
    }
    Ok(origins)
}

/// The items of a launch of a kernel's nest.
pub(super) fn items<'a>(
    origin: &'a Origin,
    (kernel, nest): &(Kernel, usize),
    launch: &Launch<'_>,
) -> Result<Source<'a>> {
    let of = origin.module.kernels.iter().find(|of| of.name == kernel.name());
    let Some((kernel, nest)) = of.and_then(|of| Some((of, of.nests.get(*nest)?))) else {
        return refuse(format!("the source of `{}` is another one now", launch.nest.entry));
    };
    Source::of(&origin.module, kernel, nest, launch.dims).map_err(NoPlan::Refused)
}

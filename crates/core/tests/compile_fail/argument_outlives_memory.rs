use ferrocca_core::{Arg, Device, IntoArg, Result};

fn dangling(device: &Device) -> Result<Arg<'static>> {
    let memory = device.malloc::<f64>(1)?;
    Ok((&memory).into_arg())
}

fn main() {}

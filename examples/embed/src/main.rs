//! Heats a plate: `cargo run -- mode=CPU`.

use embed::Plate;
use ferrocca::Device;

fn main() -> ferrocca::Result<()> {
    let props = std::env::args().nth(1).unwrap_or_else(|| "mode=CPU".to_owned());
    let device = Device::open(props)?;
    let mut plate = Plate::new(&device, 63)?;
    let sweeps = plate.relax(1e-7)?;
    println!("{}: {sweeps} sweeps, {:.6} in the middle", device.info().name, plate.centre()?);
    Ok(())
}

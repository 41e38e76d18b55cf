//! `info` and `modes`: what can be opened here, and why the rest cannot.

use crate::table::Table;
use ferrocca::{ErrorKind, probe};

/// Modes of the design for which this version has no backend.
const NOT_YET: [(&str, &str); 1] = [("WebGPU", "GPUs through Vulkan, Metal and DX12")];

/// Longest text in the column of compilers.
const WIDEST_COMPILER: usize = 60;

/// One row per device, one per mode that has none.
pub(crate) fn info() -> String {
    let mut table = Table::new(["mode", "device", "name", "memory", "cores", "architecture", "compiler", "driver"]);
    let probed = probe();
    let mut notes = Vec::new();
    for (mode, devices) in &probed {
        match devices {
            Ok(devices) if devices.is_empty() => missing(&mut table, mode.name, "no device found"),
            Ok(devices) => {
                for device in devices {
                    table.row(vec![
                        mode.name.to_owned(),
                        device.device_id.to_string(),
                        device.name.clone(),
                        memory(device.memory_bytes),
                        device.cores.to_string(),
                        device.architecture.clone(),
                        compiler(&device.compiler, &mut notes),
                        if device.driver.is_empty() { "–".to_owned() } else { device.driver.clone() },
                    ]);
                }
            }
            Err(error) => missing(&mut table, mode.name, &reason(error)),
        }
    }
    for (name, what) in NOT_YET {
        if !probed.iter().any(|(mode, _)| mode.name == name) {
            let version = env!("CARGO_PKG_VERSION");
            missing(&mut table, name, &format!("not part of this build: version {version} has no backend for {what}"));
        }
    }
    let notes = notes.iter().map(|note| format!("{note}\n"));
    table.render() + &notes.collect::<String>()
}

/// The compiler's cell: why there is none is a sentence, which goes below the table, once.
fn compiler(text: &str, notes: &mut Vec<String>) -> String {
    if text.chars().count() <= WIDEST_COMPILER {
        return text.to_owned();
    }
    if !notes.iter().any(|note| note == text) {
        notes.push(text.to_owned());
    }
    "(see below)".to_owned()
}

/// Modes with their other names, what they are, and the properties that they take.
pub(crate) fn modes() -> String {
    let mut text = String::new();
    for mode in ferrocca::modes() {
        let aliases = match mode.aliases {
            [] => String::new(),
            aliases => format!(" (also {})", aliases.join(", ")),
        };
        text.push_str(&format!("{}{aliases}: {}\n", mode.name, mode.description));
        for (what, props) in [("device", mode.device_props), ("kernel", mode.kernel_props)] {
            let mut table = Table::default();
            for (name, explanation) in props {
                table.row(vec![format!("  {what} property"), (*name).to_owned(), (*explanation).to_owned()]);
            }
            text.push_str(&table.render());
        }
    }
    text
}

fn missing(table: &mut Table, mode: &str, why: &str) {
    table.row(vec![mode.to_owned(), "–".to_owned(), why.to_owned()]);
}

/// Why, without naming the mode again.
fn reason(error: &ferrocca::Error) -> String {
    match error.kind() {
        ErrorKind::Unavailable { reason, .. } => reason.clone(),
        _ => error.to_string(),
    }
}

fn memory(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64)
}

//! `info` and `modes`: what can be opened here, and why the rest cannot.

use crate::table::Table;
use ferrocca::{DeviceInfo, ErrorKind, probe};

/// Longest text in the column of compilers.
const WIDEST_COMPILER: usize = 60;

/// What a cell says where nothing is known, or nothing is there.
const UNKNOWN: &str = "–";

/// One row per device, one per mode that has none.
pub(crate) fn info() -> String {
    let mut table = Table::new(["mode", "device", "name", "memory", "cores", "architecture", "compiler", "driver"]);
    let mut notes = Vec::new();
    for (mode, devices) in &probe() {
        match devices {
            Ok(devices) if devices.is_empty() => missing(&mut table, mode.name, "no device found"),
            Ok(devices) => {
                for device in devices {
                    table.row(vec![
                        mode.name.to_owned(),
                        position(device, devices.len()),
                        device.name.clone(),
                        memory(device.memory_bytes),
                        if device.cores == 0 { UNKNOWN.to_owned() } else { device.cores.to_string() },
                        device.architecture.clone(),
                        compiler(&device.compiler, &mut notes),
                        if device.driver.is_empty() { UNKNOWN.to_owned() } else { device.driver.clone() },
                    ]);
                    if !device.note.is_empty() {
                        notes.push(device.note.clone());
                    }
                }
            }
            Err(error) => missing(&mut table, mode.name, &reason(error)),
        }
    }
    let notes = notes.iter().map(|note| format!("{note}\n"));
    table.render() + &notes.collect::<String>()
}

/// Its number, and whether it is the one that is opened where no property names one.
fn position(device: &DeviceInfo, count: usize) -> String {
    match device.is_default && count > 1 {
        true => format!("{} (default)", device.device_id),
        false => device.device_id.to_string(),
    }
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
    table.row(vec![mode.to_owned(), UNKNOWN.to_owned(), why.to_owned()]);
}

/// Why, without naming the mode again.
fn reason(error: &ferrocca::Error) -> String {
    match error.kind() {
        ErrorKind::Unavailable { reason, .. } => reason.clone(),
        _ => error.to_string(),
    }
}

fn memory(bytes: u64) -> String {
    match bytes {
        0 => UNKNOWN.to_owned(),
        _ => format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64),
    }
}

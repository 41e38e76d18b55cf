//! `info` and `modes`: what can be opened here, and why the rest cannot.

use crate::table::{Table, paragraph};
use ferrocca::{DEVICE_PROPS, DeviceInfo, ErrorKind, KERNEL_PROPS, Mode, Result, probe};
use serde_json::{Value, json};

/// What a cell says where nothing is known.
const UNKNOWN: &str = "–";

/// Every mode with its devices, or why it has none.
type Found = Vec<(&'static Mode, Result<Vec<DeviceInfo>>)>;

/// A row per device, which begins with what opens it, and below that what it is; a sentence per mode that has none.
pub(crate) fn info() -> String {
    describe(&probe(), crate::table::terminal_width())
}

fn describe(found: &Found, width: usize) -> String {
    let mut table = Table::new(["device", "memory", "double", "64-bit atomics", "name"]);
    let mut details = vec![String::new()];
    for (mode, devices) in found {
        match devices {
            Ok(devices) if devices.is_empty() => missing(&mut table, &mut details, mode.name, "no device found"),
            Ok(devices) => {
                for device in devices {
                    table.row(vec![
                        opened_by(mode.name, device, devices.len()),
                        memory(device.memory_bytes),
                        yes_or_no(device.has_f64),
                        yes_or_no(device.has_64_bit_atomics),
                        name(device, devices.len()),
                    ]);
                    details.push(detail(device));
                }
            }
            Err(error) => missing(&mut table, &mut details, mode.name, &reason(error)),
        }
    }
    let mut text = String::new();
    for (row, detail) in table.rendered_rows(width).into_iter().zip(details) {
        text.push_str(&row);
        if !detail.is_empty() {
            text.push_str(&paragraph(&detail, "    ", width));
        }
    }
    let mut notes = same_hardware(found);
    let devices = found.iter().filter_map(|(_, devices)| devices.as_ref().ok()).flatten();
    notes.extend(devices.map(|device| device.note.clone()).filter(|note| !note.is_empty()));
    if !notes.is_empty() {
        text.push('\n');
    }
    notes.iter().for_each(|note| text.push_str(&paragraph(note, "", width)));
    text
}

/// What `Device::open` and `--mode` take for it.
fn opened_by(mode: &str, device: &DeviceInfo, count: usize) -> String {
    match count {
        1 => mode.to_owned(),
        _ => format!("{mode}, device_id={}", device.device_id),
    }
}

fn name(device: &DeviceInfo, count: usize) -> String {
    match device.is_default && count > 1 {
        true => format!("{} (default)", device.name),
        false => device.name.clone(),
    }
}

fn detail(device: &DeviceInfo) -> String {
    let mut parts = Vec::new();
    match device.cores {
        0 => {}
        1 => parts.push("1 core".to_owned()),
        cores => parts.push(format!("{cores} cores")),
    }
    for (what, text) in [("", &device.architecture), ("compiler: ", &device.compiler), ("driver: ", &device.driver)] {
        if !text.is_empty() {
            parts.push(format!("{what}{text}"));
        }
    }
    parts.join("; ")
}

/// Devices of several modes that are one, by what the hardware calls itself.
fn same_hardware(found: &Found) -> Vec<String> {
    let mut groups: Vec<([u8; 16], Vec<String>)> = Vec::new();
    for (mode, devices) in found {
        let Ok(devices) = devices else { continue };
        for device in devices {
            let Some(uuid) = device.uuid else { continue };
            let opened = format!("`{}`", opened_by(mode.name, device, devices.len()));
            match groups.iter_mut().find(|(known, _)| *known == uuid) {
                Some((_, names)) => names.push(opened),
                None => groups.push((uuid, vec![opened])),
            }
        }
    }
    let several = groups.into_iter().filter(|(_, names)| names.len() > 1);
    several.map(|(_, names)| format!("{} are the same hardware", names.join(" and "))).collect()
}

/// As [`info`], for programs.
pub(crate) fn info_json() -> Value {
    let modes = probe().into_iter().map(|(mode, devices)| {
        let (devices, reason) = match devices {
            Ok(devices) => (devices, None),
            Err(error) => (Vec::new(), Some(reason(&error))),
        };
        let count = devices.len();
        let devices = devices.iter().map(|device| {
            json!({
                "open": opened_by(mode.name, device, count),
                "device_id": device.device_id,
                "name": device.name,
                "default": device.is_default,
                "memory_bytes": (device.memory_bytes > 0).then_some(device.memory_bytes),
                "cores": (device.cores > 0).then_some(device.cores),
                "architecture": device.architecture,
                "compiler": device.compiler,
                "driver": device.driver,
                "double": device.has_f64,
                "atomics_64_bit": device.has_64_bit_atomics,
                "uuid": device.uuid.map(|uuid| uuid.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
                "note": device.note,
            })
        });
        json!({ "mode": mode.name, "devices": devices.collect::<Vec<_>>(), "missing": reason })
    });
    modes.collect()
}

/// The common properties; then the modes with their other names, what they are, and the properties that they add.
pub(crate) fn modes() -> String {
    let mut text = "Every mode takes these properties:\n".to_owned();
    let mut common = Table::default();
    rows(&mut common, "device", DEVICE_PROPS);
    rows(&mut common, "kernel", KERNEL_PROPS);
    text.push_str(&common.render_wrapped(crate::table::terminal_width()));
    let modes = ferrocca::modes();
    for (index, mode) in modes.iter().enumerate() {
        let aliases = match mode.aliases {
            [] => String::new(),
            aliases => format!(" (also {})", aliases.join(", ")),
        };
        let (name, width) = (mode.name, crate::table::terminal_width());
        text.push_str(&format!("\n{}", paragraph(&format!("{name}{aliases}: {}", mode.description), "", width)));
        let same = modes[..index].iter().find(|other| takes_the_same(other, mode));
        if let Some(other) = same {
            text.push_str(&format!("  the properties of {}\n", other.name));
            continue;
        }
        let mut table = Table::default();
        rows(&mut table, "device", mode.device_props);
        rows(&mut table, "kernel", mode.kernel_props);
        rows(&mut table, "stream", mode.stream_props);
        text.push_str(&table.render_wrapped(crate::table::terminal_width()));
    }
    text
}

fn takes_the_same(a: &Mode, b: &Mode) -> bool {
    !a.device_props.is_empty()
        && (a.device_props, a.kernel_props, a.stream_props) == (b.device_props, b.kernel_props, b.stream_props)
}

fn rows(table: &mut Table, what: &str, props: &[(&str, &str)]) {
    for (name, explanation) in props {
        table.row(vec![format!("  {what}"), (*name).to_owned(), (*explanation).to_owned()]);
    }
}

/// As [`modes`], for programs.
pub(crate) fn modes_json() -> Value {
    let list = |props: &[(&str, &str)]| -> Value {
        props.iter().map(|(name, explanation)| ((*name).to_owned(), json!(explanation))).collect()
    };
    let modes = ferrocca::modes().into_iter().map(|mode| {
        json!({
            "mode": mode.name,
            "aliases": mode.aliases,
            "description": mode.description,
            "device_properties": list(mode.device_props),
            "kernel_properties": list(mode.kernel_props),
            "stream_properties": list(mode.stream_props),
        })
    });
    json!({
        "device_properties": list(DEVICE_PROPS),
        "kernel_properties": list(KERNEL_PROPS),
        "modes": modes.collect::<Vec<_>>(),
    })
}

fn missing(table: &mut Table, details: &mut Vec<String>, mode: &str, why: &str) {
    table.row(vec![mode.to_owned(), "not available".to_owned()]);
    details.push(why.to_owned());
}

/// Why, without naming the mode again.
fn reason(error: &ferrocca::Error) -> String {
    match error.kind() {
        ErrorKind::Unavailable { reason, .. } => reason.clone(),
        _ => error.to_string(),
    }
}

fn yes_or_no(known: Option<bool>) -> String {
    known.map_or(UNKNOWN, |known| if known { "yes" } else { "no" }).to_owned()
}

fn memory(bytes: u64) -> String {
    match bytes {
        0 => UNKNOWN.to_owned(),
        _ => format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrocca::Error;

    #[test]
    fn devices_are_rows_that_fit_and_two_modes_of_one_device_are_told() {
        let modes: Vec<&'static Mode> = ferrocca::modes();
        let device = |mode: &'static str, id: u32| {
            let mut info = DeviceInfo::new(mode, format!("card {id} of a series whose name is longer"));
            (info.device_id, info.memory_bytes, info.cores) = (id, 3 << 30, 8);
            info.driver = "a driver whose name is long enough to be wrapped at the width of the terminal".to_owned();
            (info.uuid, info.has_f64) = (Some([id as u8; 16]), Some(id == 0));
            info
        };
        let found = vec![
            (modes[0], Ok(vec![device("A", 0), device("A", 1)])),
            (modes[1], Ok(vec![device("B", 1)])),
            (modes[2], Err(Error::invalid("there is no driver"))),
        ];
        let text = describe(&found, 74);
        let (first, second) = (modes[0].name, modes[1].name);
        assert!(text.contains(&format!("{first}, device_id=0  3.0 GiB")), "{text}");
        assert!(text.contains(&format!("`{first}, device_id=1` and `{second}` are the same hardware\n")), "{text}");
        assert!(text.contains("card 0 of a series\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 74), "{text}");
        assert!(text.contains("not available\n    there is no driver\n"), "{text}");
        assert!(
            text.contains("    8 cores; driver: a driver whose name is long enough to be wrapped at\n    the"),
            "{text}"
        );
    }
}

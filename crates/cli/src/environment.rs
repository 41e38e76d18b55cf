//! `env`: the variables that change what Ferrocca does.

use crate::table::Table;
use serde_json::{Value, json};

/// In the order in which one looks for them: Ferrocca's own, then those of compilers, CUDA, Python and the system.
const VARIABLES: [(&str, &str); 13] = [
    ("FERROCCA_CACHE_DIR", "directory of the kernel cache"),
    ("FERROCCA_CFLAGS", "flags of the C compiler, instead of the default ones"),
    ("FERROCCA_DEVICE", "the device that `ferrocca.Device()` opens in Python, instead of `CPU`"),
    (
        "FERROCCA_LOG",
        "`info`: say on standard error what is built; `debug`: also with which compiler and flags, and where it is kept",
    ),
    ("FERROCCA_PYTHON", "the Python that in-situ scripts run in, instead of the active python3"),
    ("CC", "C compiler of the modes Serial and CPU"),
    ("RAYON_NUM_THREADS", "threads of mode CPU"),
    ("CUDA_HOME", "the CUDA toolkit: NVRTC is looked for there first"),
    ("CUDA_PATH", "the same, if CUDA_HOME is not set"),
    ("CUDA_VISIBLE_DEVICES", "GPUs that are visible to mode CUDA"),
    ("VIRTUAL_ENV", "the active virtual environment: its Python runs in-situ scripts"),
    ("XDG_CACHE_HOME", "where the cache directory is created by default"),
    ("PATH", "where clang, gcc, cc and python3 are looked for by default"),
];

/// The value as it is shown: a long list of directories by its number.
fn shown(name: &str) -> String {
    match std::env::var_os(name) {
        None => "(not set)".to_owned(),
        Some(value) if name == "PATH" => format!("({} directories)", std::env::split_paths(&value).count()),
        Some(value) => value.to_string_lossy().into_owned(),
    }
}

/// Name, value and meaning of each.
pub(crate) fn table() -> String {
    let mut table = Table::new(["variable", "value", "meaning"]);
    for (name, meaning) in VARIABLES {
        table.row(vec![name.to_owned(), shown(name), meaning.to_owned()]);
    }
    table.render_wrapped(crate::table::terminal_width())
}

/// As [`table`], for programs, with values as they are.
pub(crate) fn json() -> Value {
    let variables = VARIABLES.iter().map(|(name, meaning)| {
        let value = std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        json!({ "variable": name, "value": value, "meaning": meaning })
    });
    variables.collect()
}

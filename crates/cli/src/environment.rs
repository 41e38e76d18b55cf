//! `env`: the variables that change what Ferrocca does.

use crate::table::Table;

const VARIABLES: [(&str, &str); 10] = [
    ("FERROCCA_CACHE_DIR", "directory of the kernel cache"),
    ("FERROCCA_PYTHON", "the Python that in-situ scripts run in, instead of the active python3"),
    ("VIRTUAL_ENV", "the active virtual environment: its Python runs in-situ scripts"),
    ("CC", "C compiler of the modes Serial and CPU"),
    ("PATH", "where clang, gcc, cc and python3 are looked for by default"),
    ("CUDA_HOME", "the CUDA toolkit: NVRTC is looked for there first"),
    ("CUDA_PATH", "the same, if CUDA_HOME is not set"),
    ("CUDA_VISIBLE_DEVICES", "GPUs that are visible to mode CUDA"),
    ("FERROCCA_CFLAGS", "flags of the C compiler, instead of the default ones"),
    ("XDG_CACHE_HOME", "where the cache directory is created by default"),
];

/// Name, meaning and value of each.
pub(crate) fn table() -> String {
    let mut table = Table::new(["variable", "meaning", "value"]);
    for (name, meaning) in VARIABLES {
        let value = std::env::var_os(name).map_or("(not set)".to_owned(), |value| value.to_string_lossy().into_owned());
        table.row(vec![name.to_owned(), meaning.to_owned(), value]);
    }
    table.render()
}

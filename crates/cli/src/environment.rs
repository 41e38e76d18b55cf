//! `env`: the variables that change what Ferrocca does.

use crate::table::Table;

const VARIABLES: [(&str, &str); 10] = [
    ("FERROCCA_CACHE_DIR", "directory of the kernel cache"),
    ("FERROCCA_PYTHON", "the Python that in-situ scripts run in, instead of the active python3"),
    ("VIRTUAL_ENV", "the active virtual environment: its Python runs in-situ scripts"),
    ("CC", "C compiler of the modes Serial and CPU"),
    ("PATH", "where clang, gcc, cc and python3 are looked for when nothing names them"),
    ("CUDA_HOME", "the CUDA toolkit, where NVRTC is looked for first"),
    ("CUDA_PATH", "the same, where CUDA_HOME is not set"),
    ("CUDA_VISIBLE_DEVICES", "GPUs that the driver shows to mode CUDA"),
    ("FERROCCA_CFLAGS", "its flags, instead of the usual ones"),
    ("XDG_CACHE_HOME", "where the cache directory is made when nothing names it"),
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

//! Tells the linker where it has to know that Python's symbols come from the program that loads the extension: on macOS.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}

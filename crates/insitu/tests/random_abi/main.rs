//! Both sides of the ABI against a stranger: a host whose numbers are odd, and an extension that answers
//! what it likes. Whatever comes, the real side says so by an error: it neither crashes nor hangs.
//!
//! `FERROCCA_FUZZ_CASES=10000` tries more, `FERROCCA_FUZZ_SEED=7` others. A case that fails is made small and printed.

#![cfg(unix)]

mod case;
mod child;
mod foreign_host;
mod foreign_plugin;
mod host;
mod interpreter;
mod plugin;
#[path = "../support/mod.rs"]
mod support;

use ferrocca_insitu::PythonHook;
use ferrocca_insitu::abi::{PLUGIN_SYMBOL, PluginFn};
use foreign_host::ForeignHost;
use foreign_plugin::ForeignPlugin;
use interpreter::Interpreter;
use libloading::Library;

#[test]
fn the_extension_bears_a_foreign_host() {
    let Some(python) = support::python() else { return };
    child::check("the_extension_bears_a_foreign_host", 80, || {
        let directory = tempfile::tempdir().expect("a directory");
        support::script(&directory, "odd.py", include_str!("../scripts/odd.py"));
        let first = support::script(&directory, "first.py", "import odd\ndef step(frame): pass\n");
        // It starts Python.
        drop(PythonHook::load_with(&python, first).expect("it loads"));
        // SAFETY: the extension is loaded already, and stays so; its symbol has that type.
        let table = unsafe {
            let library = Box::leak(Box::new(Library::new(&python.extension).expect("the extension loads")));
            (*library.get::<PluginFn>(PLUGIN_SYMBOL).expect("it has a table"))().as_ref().expect("it is not null")
        };
        ForeignHost { table, interpreter: Interpreter::of(&python), directory }
    });
}

#[test]
fn the_host_bears_a_foreign_extension() {
    let Some(python) = support::python() else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let Some(trial) = ForeignPlugin::new(&python, directory) else { return };
    child::check("the_host_bears_a_foreign_extension", 400, || trial);
}

//! The order of tests on several devices.
#![allow(dead_code)] // each test takes what it needs

use libtest_mimic::{Arguments, Trial};
use std::process::{Child, Command, Stdio};

/// The first test of each device, then the second ones. Tests on one device wait for each other: an OpenCL driver compiles one
/// program at a time. Those on the others use the processors meanwhile.
pub(crate) fn in_turn(devices: Vec<Vec<Trial>>) -> Vec<Trial> {
    let mut devices: Vec<_> = devices.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(devices.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            return all;
        }
    }
}

/// This program once more, for the tests whose name contains `part`; `None` where not all tests are asked for.
pub(crate) fn in_another_process(arguments: &Arguments, part: &str) -> Option<Child> {
    let Arguments { include_ignored, ignored, list, exact, skip, filter, .. } = arguments;
    if *include_ignored || *ignored || *list || *exact || !skip.is_empty() || filter.is_some() {
        return None;
    }
    let program = std::env::current_exe().expect("a test has a path");
    let mut other = Command::new(program);
    Some(other.args(["--quiet", part]).stdout(Stdio::piped()).spawn().expect("this program starts once more"))
}

/// Prints what another process printed; answers whether its tests passed.
pub(crate) fn passed(other: Child) -> bool {
    let output = other.wait_with_output().expect("the other process ends");
    print!("{}", String::from_utf8_lossy(&output.stdout));
    output.status.success()
}

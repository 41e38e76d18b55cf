//! The order of tests on several devices.

use libtest_mimic::Trial;

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

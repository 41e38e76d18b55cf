//! A machine without OpenCL starts, and says what is missing: the library, a driver, a device. Each case runs in a process
//! of its own, because a process loads the library once.
#![cfg(target_os = "linux")]

use ferrocca_backend_opencl::OPENCL;
use ferrocca_core::backend::Backend;
use std::path::Path;
use std::process::Command;

/// What a process that finds OpenCL as these variables say answers when it is asked for devices.
fn answer(variables: &[(&str, &Path)]) -> String {
    let program = std::env::current_exe().expect("this test has a path");
    let mut command = Command::new(program);
    command.args(["--exact", "says_why", "--nocapture", "--include-ignored"]).env("FERROCCA_TEST_SAYS_WHY", "1");
    // It names drivers beside those that the variables below register.
    command.env_remove("OCL_ICD_FILENAMES");
    command.envs(variables.iter().copied());
    let output = command.output().expect("this test starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
#[ignore = "the other tests run it in processes of their own"]
fn says_why() {
    match OPENCL.probe("OpenCL") {
        Ok(devices) => println!("devices: {}", devices.len()),
        Err(error) => println!("{error}"),
    }
}

#[test]
fn no_library() {
    // A file of that name that is no library stands in front of the real one.
    let directory = tempfile::tempdir().expect("a directory");
    let library = directory.path().join("libOpenCL.so.1");
    std::fs::write(&library, "no library").expect("it is written");
    let text = answer(&[("LD_LIBRARY_PATH", directory.path())]);
    assert!(text.contains("mode `OpenCL` is not available"), "{text}");
    assert!(text.contains("cannot be loaded") && text.contains("apt install"), "{text}");
}

#[test]
fn no_driver() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = answer(&[("OCL_ICD_VENDORS", directory.path()), ("OPENCL_VENDOR_PATH", directory.path())]);
    let is_without_library = text.contains("cannot be loaded");
    assert!(is_without_library || text.contains("no driver is registered"), "{text}");
}

#[test]
fn a_driver_that_does_not_load() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("gone.icd"), "/nowhere/libgone.so\n").expect("it is written");
    let text = answer(&[("OCL_ICD_VENDORS", directory.path()), ("OPENCL_VENDOR_PATH", directory.path())]);
    let is_without_library = text.contains("cannot be loaded");
    assert!(is_without_library || text.contains("no driver is registered"), "{text}");
}

/// Nothing is linked: a program that has this backend starts where there is no OpenCL.
#[test]
#[cfg(not(feature = "ocl"))]
fn the_library_is_not_linked() {
    let program = std::fs::read(std::env::current_exe().expect("this test has a path")).expect("it can be read");
    let needed = dynamic_section(&program).expect("an ELF program with a dynamic section");
    assert!(needed.iter().any(|name| name.starts_with("libc.")), "the reading of {needed:?} is broken");
    assert!(needed.iter().all(|name| !name.contains("OpenCL")), "{needed:?}");
}

/// Names of the libraries that an ELF program is linked against.
#[cfg(not(feature = "ocl"))]
fn dynamic_section(program: &[u8]) -> Option<Vec<String>> {
    const DYNAMIC: u64 = 6;
    const NEEDED: u64 = 1;
    let number = |at: usize, width: usize| -> Option<u64> {
        Some(program.get(at..at + width)?.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte)))
    };
    let (table, width, count) = (number(0x28, 8)?, number(0x3a, 2)?, number(0x3c, 2)?);
    let section = |index: u64| (table + index * width) as usize;
    let dynamic = (0..count).find(|&index| number(section(index) + 4, 4) == Some(DYNAMIC))?;
    let of =
        |index: u64| Some((number(section(index) + 0x18, 8)? as usize, number(section(index) + 0x20, 8)? as usize));
    let (start, bytes) = of(dynamic)?;
    let (names, _) = of(number(section(dynamic) + 0x28, 4)?)?;
    let entries = (start..start + bytes).step_by(16);
    let needed = entries.filter(|&at| number(at, 8) == Some(NEEDED)).filter_map(|at| {
        let name = program.get(names + number(at + 8, 8)? as usize..)?;
        Some(String::from_utf8_lossy(name.split(|&byte| byte == 0).next()?).into_owned())
    });
    Some(needed.collect())
}

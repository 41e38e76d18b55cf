//! Compiles emitted C with the host's compiler and runs it through the entry ABI of `okl::back::cpu`.

use crate::setup::{Argument, Given, Setup};
use libloading::Library;
use okl::back::cpu::LaunchHints;
use okl::signature::{NestArgument, NestLaunch, Signature};
use okl::value::ScalarValue;
use std::ffi::c_void;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Flags under which the CPU backend builds, with every warning an error except for what generated text may well do.
const FLAGS: &[&str] = &[
    "-std=gnu11",
    "-O3",
    "-march=native",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fPIC",
    "-shared",
    "-Wall",
    "-Werror",
    "-Wno-unused-variable",
    "-Wno-unused-but-set-variable",
    "-Wno-unused-function",
    "-Wno-div-by-zero",
    // gcc 12 does not see that an item which reads an element has written it.
    "-Wno-maybe-uninitialized",
    "-Wno-unknown-pragmas",
    "-Wno-pass-failed",
    "-Wno-unknown-warning-option",
];

/// Compilers to use: `CC` alone where it is set, else the first of clang, gcc and cc, or all of them on demand.
pub(crate) fn compilers() -> Result<Vec<PathBuf>, String> {
    if let Some(cc) = std::env::var_os("CC") {
        return if works(Path::new(&cc)) {
            Ok(vec![cc.into()])
        } else {
            Err(format!("CC={} does not run", cc.display()))
        };
    }
    let mut found: Vec<_> = ["gcc", "clang", "cc"].into_iter().map(PathBuf::from).filter(|c| works(c)).collect();
    if found.is_empty() {
        return Err("there is no C compiler: neither gcc, clang nor cc runs, and CC is not set".into());
    }
    if std::env::var_os("FERROCCA_ALL_COMPILERS").is_none() {
        found.truncate(1);
    }
    Ok(found)
}

/// Fails where a compiler was promised but there is none.
pub(crate) fn refuse_missing(compilers: &Result<Vec<PathBuf>, String>) -> Result<(), String> {
    match compilers {
        Err(why) if std::env::var_os("FERROCCA_REQUIRE_CC").is_some() => Err(why.clone()),
        _ => Ok(()),
    }
}

fn works(compiler: &Path) -> bool {
    Command::new(compiler).arg("--version").output().is_ok_and(|out| out.status.success())
}

/// Compiled text, loaded.
pub(crate) struct Loaded {
    library: Library,
    _directory: tempfile::TempDir,
}

/// Stands for `<stdio.h>`: what is printed is kept, and formats are compared with arguments.
const PRINTS: &str = r#"#include <stdio.h>
#include <stdarg.h>
#include <string.h>
static char printed_text[1 << 16];
static size_t printed_bytes;
static int __attribute__((format(printf, 1, 2))) keep_printed(const char *format, ...) {
  va_list values;
  va_start(values, format);
  const int count = vsnprintf(printed_text + printed_bytes, sizeof printed_text - printed_bytes, format, values);
  va_end(values);
  printed_bytes += (size_t)count;
  return count;
}
size_t __attribute__((weak)) take_printed(char *text) {
  const size_t bytes = printed_bytes;
  if (text) {
    memcpy(text, printed_text, bytes);
    printed_bytes = 0;
  }
  return bytes;
}
#define printf keep_printed
"#;

/// Compiles `texts`, each on its own, into one library and loads it. `flags` follow the usual ones.
pub(crate) fn load_all(compiler: &Path, texts: &[&str], flags: &[&str]) -> Result<Loaded, String> {
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    let object = directory.path().join("kernel.so");
    let mut command = Command::new(compiler);
    command.args(FLAGS).args(flags);
    for (number, text) in texts.iter().enumerate() {
        let source = directory.path().join(format!("kernel_{number}.c"));
        let text = &if text.contains("printf(") {
            text.replacen("#include <stdio.h>\n", PRINTS, 1)
        } else {
            (*text).to_owned()
        };
        std::fs::write(&source, text).map_err(|e| e.to_string())?;
        command.arg(&source);
    }
    command.arg("-o").arg(&object).arg("-lm");
    let output = command.output().map_err(|e| format!("{}: {e}", compiler.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let texts: String = texts.iter().map(|text| numbered(text)).collect();
        return Err(format!("{} refuses the emitted text:\n{said}\n{texts}", compiler.display()));
    }
    // SAFETY: the library was compiled from our own text just now; it has no initialisers.
    let library = unsafe { Library::new(&object) }.map_err(|e| e.to_string())?;
    Ok(Loaded { library, _directory: directory })
}

fn numbered(text: &str) -> String {
    text.lines().enumerate().map(|(n, line)| format!("{:4} {line}\n", n + 1)).collect()
}

/// How the groups of a launch are divided into calls of the entry.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Split {
    /// One call.
    Whole,
    /// One call for each group, the last group first.
    Backwards,
    /// Three uneven ranges, the middle one first.
    Uneven,
}

impl Split {
    /// Every way.
    pub(crate) const ALL: [Self; 3] = [Self::Whole, Self::Backwards, Self::Uneven];

    fn ranges(self, groups: i64) -> Vec<Range<i64>> {
        match self {
            Self::Whole => std::iter::once(0..groups).collect(),
            Self::Backwards => (0..groups).rev().map(|g| g..g + 1).collect(),
            Self::Uneven => {
                let (a, b) = (groups / 4, groups - groups / 3);
                vec![a..b, 0..a, b..groups].into_iter().filter(|r| !r.is_empty()).collect()
            }
        }
    }
}

type Entry = unsafe extern "C" fn(*const *const c_void, *const i64, i64, i64, *mut c_void);

impl Loaded {
    /// Runs a kernel on the setup's buffers.
    pub(crate) fn run(&self, signature: &Signature, setup: &mut Setup, split: Split) -> Result<(), String> {
        let mut guarded: Vec<_> = setup.buffers.iter().map(|b| Guarded::new(b)).collect();
        // Values of parameters, each where C may read it with the alignment of any type.
        let mut values: Vec<Guarded> = Vec::new();
        let mut addresses = Vec::new();
        for argument in &setup.arguments {
            addresses.push(match argument {
                Argument::Memory { buffer, offset, .. } => guarded[*buffer].address().wrapping_add(*offset),
                Argument::Null => std::ptr::null_mut(),
                Argument::Scalar(value) => {
                    values.push(Guarded::new(&value.to_bytes()));
                    values.last_mut().map_or(std::ptr::null_mut(), Guarded::address)
                }
                Argument::Struct(bytes) => {
                    values.push(Guarded::new(bytes));
                    values.last_mut().map_or(std::ptr::null_mut(), Guarded::address)
                }
            });
        }
        let mut record = Guarded::new(&[0; 4 * Signature::FAULT_WORDS]);
        addresses.push(record.address());
        let mut slots = vec![ScalarValue::Bool(false); signature.slots.len()];
        let mut launch = |launch: &NestLaunch<'_>| self.launch(signature, launch, &addresses, split);
        let given = Given(signature, setup);
        signature.run_host(&given, &mut slots, &mut launch).map_err(|e| e.to_string())?;
        // SAFETY: `PRINTS` defines it with this type.
        if let Ok(take) = unsafe { self.library.get::<unsafe extern "C" fn(*mut u8) -> usize>(b"take_printed") } {
            // SAFETY: where it is given no memory it answers how many bytes it has.
            setup.printed = vec![0; unsafe { take(std::ptr::null_mut()) }];
            // SAFETY: it writes as many bytes as it has answered.
            unsafe { take(setup.printed.as_mut_ptr()) };
        }
        if record.checked()?.iter().any(|byte| *byte != 0) {
            return Err(format!("a check found an access out of range: {:?}", record.checked()?));
        }
        for (buffer, guarded) in setup.buffers.iter_mut().zip(&guarded) {
            buffer.copy_from_slice(guarded.checked()?);
        }
        Ok(())
    }

    fn launch(
        &self,
        signature: &Signature,
        launch: &NestLaunch<'_>,
        addresses: &[*mut u8],
        split: Split,
    ) -> Result<(), String> {
        let nest = &signature.nests[launch.nest];
        let mut slots: Vec<_> = launch.slots.iter().map(|slot| Guarded::new(&slot.to_bytes())).collect();
        let arguments: Vec<*const c_void> = nest
            .arguments
            .iter()
            .map(|argument| match *argument {
                NestArgument::Param(position) => addresses[position as usize].cast_const().cast(),
                NestArgument::Slot(slot) => slots[slot as usize].address().cast_const().cast(),
            })
            .collect();
        let dims: Vec<i64> = launch.outer.iter().chain(&launch.inner).map(|&n| n.cast_signed()).collect();
        let groups: i64 = dims[..3].iter().product();
        let items: u64 = launch.inner.iter().product();
        // What scratch holds at the start must not matter.
        let LaunchHints { exclusive_bytes, .. } = nest.hints.read()?;
        let mut scratch = Guarded::new(&vec![0xa5; (exclusive_bytes * items) as usize]);
        // SAFETY: the text defines every entry of its signature with this type.
        let entry = unsafe { self.library.get::<Entry>(nest.entry.as_bytes()) }.map_err(|e| e.to_string())?;
        for range in split.ranges(groups) {
            let scratch = if exclusive_bytes == 0 { std::ptr::null_mut() } else { scratch.address() };
            // SAFETY: the arguments are those of the signature and outlive the call, the range lies within the
            // groups, and the interpreter has run the same call without leaving its buffers.
            unsafe { entry(arguments.as_ptr(), dims.as_ptr(), range.start, range.end, scratch.cast()) };
        }
        scratch.checked()?;
        Ok(())
    }
}

const GUARD: usize = 64;
const GUARD_BYTE: u8 = 0xc5;

/// A copy of some bytes, aligned to 64, between bytes that show when something wrote beside it.
struct Guarded {
    storage: Vec<u8>,
    start: usize,
    len: usize,
}

impl Guarded {
    fn new(bytes: &[u8]) -> Self {
        let mut storage = vec![GUARD_BYTE; bytes.len() + 3 * GUARD];
        let start = GUARD + storage[GUARD..].as_ptr().align_offset(GUARD);
        storage[start..start + bytes.len()].copy_from_slice(bytes);
        Self { storage, start, len: bytes.len() }
    }

    fn address(&mut self) -> *mut u8 {
        self.storage[self.start..].as_mut_ptr()
    }

    fn checked(&self) -> Result<&[u8], String> {
        let end = self.start + self.len;
        if self.storage[..self.start].iter().chain(&self.storage[end..]).any(|&b| b != GUARD_BYTE) {
            return Err("the compiled kernel wrote beside its memory".into());
        }
        Ok(&self.storage[self.start..end])
    }
}

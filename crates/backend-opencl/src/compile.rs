//! Text to binary by the driver's compiler, and binary to program.

use crate::device::Shared;
use crate::driver::{DeviceId, Program, ask_bytes, ask_text, call, create};
use crate::error;
use crate::select::Candidate;
use cl3::error_codes::CL_BUILD_PROGRAM_FAILURE;
use cl3::program::{CL_PROGRAM_BINARIES, CL_PROGRAM_BINARY_SIZES, CL_PROGRAM_BUILD_LOG, CL_PROGRAM_DEVICES};
use ferrocca_core::Result;
use ferrocca_core::props::Props;
use okl::Compiled;
use std::ffi::CString;

/// A compiler may say a lot about one mistake; more than this helps nobody.
const MOST_OUTPUT: usize = 16 << 10;

/// Options of the driver's compiler, for a kernel of a device with these props.
/// # Errors
/// Props with a bad value.
pub(crate) fn options(candidate: &Candidate, device: &Props, kernel: &Props) -> Result<String> {
    let limits = &candidate.limits;
    let (major, minor) = limits.language;
    let mut options = vec![format!("-cl-std=CL{major}.{minor}")];
    if limits.exact_f32_division {
        options.push("-cl-fp32-correctly-rounded-divide-sqrt".into());
    }
    if kernel.get_str("fp_contract")? == Some("fast") {
        options.push("-DOKL_FP_CONTRACT_FAST".into());
    }
    let flags = match kernel.get_str("compiler_flags")? {
        Some(flags) => Some(flags),
        None => device.get_str("compiler_flags")?,
    };
    options.extend(flags.map(str::to_owned));
    Ok(options.join(" "))
}

/// Builds a program from text and answers its binary for this device.
/// # Errors
/// Kernel, with what the driver's compiler said, at the lines of the source; compiler for other failures.
pub(crate) fn compile(shared: &Shared, text: &Compiled, options: &str) -> Result<Vec<u8>> {
    let source = text.with_line_directives();
    let (start, length) = (source.as_ptr().cast(), source.len());
    let program = create!(clCreateProgramWithSource(shared.context.raw(), 1, &raw const start, &raw const length))?;
    // SAFETY: the program was just made, and its one reference is ours.
    let program = unsafe { Program::own(program) };
    build(shared, &program, options, &source)?;
    binary(&program, shared.candidate.id)
}

/// A program of a binary, ready for its kernels to be taken.
/// # Errors
/// When the driver does not take the binary.
pub(crate) fn load(shared: &Shared, binary: &[u8]) -> Result<Program> {
    let (device, length, start) = (shared.candidate.id.0, binary.len(), binary.as_ptr());
    let mut status = 0;
    let program = create!(clCreateProgramWithBinary(
        shared.context.raw(),
        1,
        &raw const device,
        &raw const length,
        &raw const start,
        &raw mut status,
    ))?;
    // SAFETY: the program was just made, and its one reference is ours.
    let program = unsafe { Program::own(program) };
    build(shared, &program, "", "")?;
    Ok(program)
}

/// Builds a program; `text` is what its compiler sees.
fn build(shared: &Shared, program: &Program, options: &str, text: &str) -> Result<()> {
    let device = shared.candidate.id;
    let options = CString::new(options)
        .map_err(|_| error::props("property `compiler_flags`: a zero byte cannot be an option"))?;
    let built =
        call!(clBuildProgram(program.raw(), 1, &raw const device.0, options.as_ptr(), None, std::ptr::null_mut()));
    let Err(failure) = built else { return Ok(()) };
    let log = ask_text((program, device), CL_PROGRAM_BUILD_LOG).unwrap_or_default();
    let log = at_lines_of_the_source(&log, text);
    let name = &shared.candidate.info.compiler;
    if error::is_status(&failure, CL_BUILD_PROGRAM_FAILURE) {
        let words = "refused the text that was emitted for this kernel";
        return Err(error::refused(format!("the OpenCL compiler ({name}) {words}:\n{}", shorten(&log))));
    }
    let log = if log.is_empty() { String::new() } else { format!(":\n{}", shorten(&log)) };
    Err(error::compiler(format!("the OpenCL compiler ({name}) failed: {failure}{log}")))
}

/// What a compiler said, with the lines that `#line` gives in the place of those of the text, which NVIDIA's counts.
fn at_lines_of_the_source(log: &str, text: &str) -> String {
    const PLACE: &str = "<kernel>:";
    let places = places(text);
    let mut parts = log.split(PLACE);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let place = part[..digits].parse::<usize>().ok().and_then(|line| places.get(line.checked_sub(1)?)?.as_ref());
        match place {
            Some((file, line)) => out += &format!("{file}:{line}{}", &part[digits..]),
            None => out += &format!("{PLACE}{part}"),
        }
    }
    out
}

/// File and line of each line of a text with `#line` in it, where one stands before.
fn places(text: &str) -> Vec<Option<(&str, usize)>> {
    let mut at: Option<(&str, usize)> = None;
    let place = |line| {
        let given = str::strip_prefix(line, "#line ").and_then(|rest| rest.split_once(' '));
        if let Some((number, file)) = given {
            at = number.parse().ok().map(|number| (file.trim_matches('"'), number));
            return None;
        }
        let here = at;
        at = at.map(|(file, number)| (file, number + 1));
        here
    };
    text.lines().map(place).collect()
}

/// The binary of a built program for one of its devices: a context of somebody else may have several.
fn binary(program: &Program, device: DeviceId) -> Result<Vec<u8>> {
    let words = |what| -> Result<Vec<usize>> {
        let bytes = ask_bytes(program, what)?;
        let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, &byte| word << 8 | usize::from(byte));
        Ok(bytes.chunks_exact(size_of::<usize>()).map(word).collect())
    };
    let (devices, sizes) = (words(CL_PROGRAM_DEVICES)?, words(CL_PROGRAM_BINARY_SIZES)?);
    let position = devices.iter().position(|&id| id == device.0 as usize);
    let position = position.ok_or_else(|| error::internal("a program that was not built for its device"))?;
    let mut binary = vec![0_u8; sizes.get(position).copied().unwrap_or(0)];
    if binary.is_empty() {
        return Err(error::compiler("the OpenCL compiler succeeded but left no binary"));
    }
    // Where a pointer is null, no binary is written.
    let mut places = vec![std::ptr::null_mut::<u8>(); devices.len()];
    places[position] = binary.as_mut_ptr();
    let bytes = size_of_val(&places[..]);
    call!(clGetProgramInfo(
        program.raw(),
        CL_PROGRAM_BINARIES,
        bytes,
        places.as_mut_ptr().cast(),
        std::ptr::null_mut()
    ))?;
    Ok(binary)
}

fn shorten(output: &str) -> String {
    let output = output.trim_end();
    if output.len() <= MOST_OUTPUT {
        return output.to_owned();
    }
    let end = (0..=MOST_OUTPUT).rfind(|&at| output.is_char_boundary(at)).unwrap_or(0);
    format!("{}\n… ({} more bytes)", &output[..end], output.len() - end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_text_become_those_of_the_source() {
        let text = "// OpenCL C\n#line 3 \"a.okl\"\nint x;\nint y;\n#line 9 \"b.okl\"\nint z;\n";
        let log = "<kernel>:1:2: note\n<kernel>:4:5: error: y\n  from <kernel>:6, <kernel>:77 and <kernel>: no line";
        let expected = "<kernel>:1:2: note\na.okl:4:5: error: y\n  from b.okl:9, <kernel>:77 and <kernel>: no line";
        assert_eq!(at_lines_of_the_source(log, text), expected);
        assert_eq!(at_lines_of_the_source("a.okl:4: as it is", text), "a.okl:4: as it is");
    }
}

//! The CPU generator from OKL to bits: `back/*.okl` are translated, the text is compared with `back/*.c`, compiled by
//! every C compiler that is there with warnings as errors, run, and compared with the interpreter.
//!
//! A case says what to run in its head: `// run: kernel argument…`, a number for a scalar, `[100]` for an array.
//! `FERROCCA_BLESS=1` rewrites the texts; a case that says `// not blessed` has none. Without a C compiler the test
//! says so; `FERROCCA_REQUIRE_CC=1` makes that a failure.

mod support;

use okl::back::cpu::{CpuTarget, LaunchHints};
use okl::interp::{Arg, Interpreter, Options};
use okl::ir::Scalar;
use okl::signature::{Element, NestArgument, ParameterKind, Signature};
use okl::value::ScalarValue;
use okl::{Compiled, NoIncludes, Request};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a CPU backend compiles with, and the warnings that say something about the text.
const FLAGS: &str = "-std=gnu11 -O3 -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math -fPIC -Wall -Wextra -Werror \
                     -Wno-unused-parameter -Wno-unused-variable -Wno-unused-but-set-variable -Wno-unused-function \
                     -Wno-unknown-warning-option -Wno-maybe-uninitialized -Wno-uninitialized \
                     -Wno-array-bounds -Wno-tautological-overlap-compare -Wno-tautological-compare";

struct Case {
    name: String,
    source: String,
    compiled: Compiled,
}

impl Case {
    fn request<'a>(name: &'a str, source: &'a str) -> Request<'a> {
        Request { name, source, mode: "CPU", defines: &[], includes: &NoIncludes }
    }

    fn load(path: &Path) -> Self {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let source = std::fs::read_to_string(path).unwrap();
        let compiled =
            okl::compile(&Self::request(&name, &source), &CpuTarget).unwrap_or_else(|e| panic!("{name}:\n{e}"));
        Self { name, source, compiled }
    }

    /// The kernel and arguments of every `// run:` line.
    fn runs(&self) -> Vec<Vec<&str>> {
        let lines = self.source.lines().filter_map(|line| line.strip_prefix("// run:"));
        lines.map(|line| line.split_whitespace().collect()).collect()
    }
}

fn cases() -> Vec<Case> {
    let folder = support::package_directory().join("tests/back");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "okl"));
    paths.sort();
    assert!(!paths.is_empty(), "there are no cases");
    paths.iter().map(|path| Case::load(path)).collect()
}

#[test]
fn texts_are_as_blessed() {
    let bless = std::env::var_os("FERROCCA_BLESS").is_some();
    let mut wrong = Vec::new();
    let is_blessed = |case: &Case| !case.source.starts_with("// not blessed");
    for case in cases().into_iter().filter(is_blessed) {
        let path = support::package_directory().join(format!("tests/back/{}.c", case.name));
        if bless {
            std::fs::write(&path, &case.compiled.text).unwrap();
        } else if std::fs::read_to_string(&path).ok().as_deref() != Some(case.compiled.text.as_str()) {
            println!("--- {}\n{}", case.name, case.compiled.text);
            wrong.push(case.name);
        }
    }
    assert!(wrong.is_empty(), "the text of {wrong:?} is not the blessed one; look at it, then set FERROCCA_BLESS=1");
}

#[test]
fn the_same_source_gives_the_same_text_and_one_place_per_line() {
    for case in cases() {
        let again = okl::compile(&Case::request(&case.name, &case.source), &CpuTarget).unwrap();
        assert_eq!(case.compiled.text, again.text);
        assert_eq!(case.compiled.lines.len(), case.compiled.text.lines().count(), "{}", case.name);
        let last = case.source.lines().count() as u32;
        assert!(case.compiled.lines.iter().flatten().all(|&(file, line)| file == 0 && line >= 1 && line <= last));
        assert!(case.compiled.lines.iter().any(Option::is_some));
    }
}

#[test]
fn compiled_text_computes_what_the_interpreter_does() {
    let compilers: Vec<&str> = ["gcc", "clang"].into_iter().filter(|cc| has(cc)).collect();
    if compilers.is_empty() {
        println!("skipped: there is neither gcc nor clang");
        assert!(
            std::env::var_os("FERROCCA_REQUIRE_CC").is_none(),
            "FERROCCA_REQUIRE_CC is set and there is no C compiler"
        );
        return;
    }
    let folder = std::env::temp_dir().join(format!("ferrocca-okl-back-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for case in cases() {
        for compiler in &compilers {
            check(&case, compiler, &folder);
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

fn has(compiler: &str) -> bool {
    Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn check(case: &Case, compiler: &str, folder: &Path) {
    let runs: Vec<Run> = case.runs().iter().map(|words| Run::new(&case.compiled.signatures, words)).collect();
    let mut program = format!("#line 1 \"{}.c\"\n{}", case.name, case.compiled.text);
    program.push_str(&driver(&runs));
    let (source, binary) = (folder.join("case.c"), folder.join("case"));
    std::fs::write(&source, program).unwrap();
    let flags = FLAGS.split_whitespace();
    let output = Command::new(compiler).args(flags).arg(&source).arg("-o").arg(&binary).arg("-lm").output().unwrap();
    assert!(output.status.success(), "{compiler}, {}:\n{}", case.name, String::from_utf8_lossy(&output.stderr));
    let (module, ..) = okl::to_ir(&Case::request(&case.name, &case.source)).unwrap();
    for (index, run) in runs.iter().enumerate() {
        let expected = run.interpret(&Interpreter::new(&module, Options::default()));
        // Any cut of the groups into ranges, in any order, must give the same.
        for chunk in [u64::MAX, 1, 3] {
            let file = folder.join("buffers");
            std::fs::write(&file, run.buffers.concat()).unwrap();
            let arguments = [index.to_string(), chunk.min(i64::MAX as u64).to_string()];
            let status = Command::new(&binary).args(arguments).arg(&file).status().unwrap();
            assert!(status.success(), "{compiler}, {}, `{}`: {status}", case.name, run.signature.kernel);
            let got = std::fs::read(&file).unwrap();
            if let Some(at) = got.iter().zip(&expected).position(|(a, b)| a != b) {
                let name = &run.signature.kernel;
                panic!("{compiler}, {}, `{name}`, chunks of {chunk}: first difference at byte {at}", case.name);
            }
        }
    }
}

/// One `// run:` line, with the data that it starts from.
struct Run<'a> {
    signature: &'a Signature,
    scalars: Vec<Option<ScalarValue>>,
    /// One per parameter, empty for scalars.
    buffers: Vec<Vec<u8>>,
}

impl<'a> Run<'a> {
    fn new(signatures: &'a [Signature], words: &[&str]) -> Self {
        let (kernel, arguments) = words.split_first().expect("a kernel to run");
        let signature =
            signatures.iter().find(|s| s.kernel == *kernel).unwrap_or_else(|| panic!("there is no `{kernel}`"));
        assert_eq!(signature.params.len(), arguments.len(), "`{kernel}` takes other arguments");
        let (mut scalars, mut buffers) = (Vec::new(), Vec::new());
        for (parameter, word) in signature.params.iter().zip(arguments) {
            let mut scalar = None;
            let mut buffer = Vec::new();
            match &parameter.kind {
                ParameterKind::Scalar(ty) => scalar = Some(parse(word, *ty)),
                ParameterKind::Pointer { element, .. } => {
                    let len: usize = word.trim_matches(['[', ']']).parse().expect("a length in brackets");
                    buffer = pattern(element, len, buffers.len());
                }
                ParameterKind::Struct(_) => panic!("struct arguments are tested elsewhere"),
            }
            scalars.push(scalar);
            buffers.push(buffer);
        }
        Self { signature, scalars, buffers }
    }

    fn interpret(&self, interpreter: &Interpreter<'_>) -> Vec<u8> {
        let mut buffers = self.buffers.clone();
        let mut slices: Vec<&mut [u8]> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
        let arguments: Vec<Arg<'_>> = (self.scalars.iter().zip(&self.buffers).enumerate())
            .map(|(buffer, (scalar, bytes))| match scalar {
                Some(value) => Arg::Scalar(*value),
                None => Arg::Memory { buffer, offset: 0, bytes: bytes.len() },
            })
            .collect();
        let kernel = &self.signature.kernel;
        let report =
            interpreter.run(kernel, &mut slices, &arguments).unwrap_or_else(|fault| panic!("`{kernel}`: {fault:?}"));
        assert_eq!(report.tolerance_ulp, 0, "`{kernel}` is compared bit by bit");
        buffers.concat()
    }
}

fn parse(word: &str, ty: Scalar) -> ScalarValue {
    let value = if ty.is_float() {
        ScalarValue::F64(word.parse().expect("a number"))
    } else {
        ScalarValue::I64(word.parse().expect("an integer"))
    };
    value.cast(ty).expect("a number that fits")
}

/// Small numbers whose sums are exact in any order, different for every array.
fn pattern(element: &Element, len: usize, seed: usize) -> Vec<u8> {
    let fields = match element {
        Element::Scalar(ty) => vec![(*ty, 0)],
        Element::Struct(layout) => layout.fields.iter().map(|(_, ty, offset)| (*ty, *offset)).collect(),
    };
    let mut bytes = vec![0; len * element.bytes()];
    for (index, value) in bytes.chunks_exact_mut(element.bytes()).enumerate() {
        for (field, (ty, offset)) in fields.iter().enumerate() {
            let number = ((index * 7 + seed * 3 + field) % 16) as f64;
            let number = if ty.is_float() { number * 0.125 - 0.5 } else { number };
            let number = ScalarValue::F64(number).cast(*ty).unwrap();
            value[*offset..offset + ty.bytes()].copy_from_slice(&number.to_bytes()[..ty.bytes()]);
        }
    }
    bytes
}

/// `main`: reads all arrays from a file, launches in chunks, the last chunk first, and writes them back.
fn driver(runs: &[Run<'_>]) -> String {
    let mut text = String::from(
        "\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         typedef void entry(void *const *, const int64_t *, int64_t, int64_t, void *);\n\
         static void launch(entry *run, void *const *arguments, const int64_t *dims, int64_t chunk, size_t exclusive) {\n    \
         size_t bytes = (exclusive * dims[3] * dims[4] * dims[5] + 63) / 64 * 64;\n    \
         void *scratch = bytes ? aligned_alloc(64, bytes) : 0;\n    int64_t groups = dims[0] * dims[1] * dims[2];\n    \
         for (int64_t end = groups; end > 0; end -= chunk) {\n        if (bytes) memset(scratch, 0x5a, bytes);\n        \
         run(arguments, dims, end > chunk ? end - chunk : 0, end, scratch);\n    }\n    free(scratch);\n}\n",
    );
    for (index, run) in runs.iter().enumerate() {
        let _ = writeln!(text, "static void run_{index}(char **memory, int64_t chunk) {{");
        let mut slots = vec![ScalarValue::Bool(false); run.signature.slots.len()];
        let launched =
            run.signature.run_host::<std::convert::Infallible>(run.scalars.as_slice(), &mut slots, &mut |launch| {
                let nest = &run.signature.nests[launch.nest];
                let _ = writeln!(text, "    {{");
                let mut arguments = Vec::new();
                for (k, argument) in nest.arguments.iter().enumerate() {
                    let value = match *argument {
                        NestArgument::Param(position) => run.scalars[position as usize],
                        NestArgument::Slot(slot) => Some(launch.slots[slot as usize]),
                    };
                    match (value, argument) {
                        (Some(value), _) => {
                            let bytes: Vec<String> = value.to_bytes().iter().map(u8::to_string).collect();
                            let _ = writeln!(
                                text,
                                "        static _Alignas(8) unsigned char a{k}[8] = {{{}}};",
                                bytes.join(", ")
                            );
                            arguments.push(format!("a{k}"));
                        }
                        (None, NestArgument::Param(position)) => arguments.push(format!("memory[{position}]")),
                        (None, NestArgument::Slot(_)) => unreachable!("a slot has a value"),
                    }
                }
                arguments.push("0".into());
                let dims: Vec<String> = launch.outer.iter().chain(&launch.inner).map(u64::to_string).collect();
                let _ = writeln!(text, "        void *arguments[] = {{{}}};", arguments.join(", "));
                let _ = writeln!(text, "        const int64_t dims[6] = {{{}}};", dims.join(", "));
                let _ = writeln!(
                    text,
                    "        launch({}, arguments, dims, chunk, {});\n    }}",
                    nest.entry,
                    nest.hints.read::<LaunchHints>().unwrap().exclusive_bytes
                );
                Ok(())
            });
        launched.unwrap();
        text.push_str("}\n");
    }
    let _ = writeln!(text, "int main(int count, char **words) {{\n    (void)count;\n    char *memory[64] = {{0}};");
    text.push_str("    FILE *file = fopen(words[3], \"rb\");\n    int which = atoi(words[1]);\n    int64_t chunk = atoll(words[2]);\n");
    for (index, run) in runs.iter().enumerate() {
        let _ = writeln!(text, "    if (which == {index}) {{");
        for (position, buffer) in run.buffers.iter().enumerate() {
            let (len, room) = (buffer.len(), buffer.len().next_multiple_of(64).max(64));
            let _ = writeln!(text, "        memory[{position}] = aligned_alloc(64, {room});");
            let _ = writeln!(text, "        if (fread(memory[{position}], 1, {len}, file) != {len}) return 2;");
        }
        let _ = writeln!(text, "        run_{index}(memory, chunk);\n        file = fopen(words[3], \"wb\");");
        for (position, buffer) in run.buffers.iter().enumerate() {
            let _ = writeln!(text, "        fwrite(memory[{position}], 1, {}, file);", buffer.len());
        }
        text.push_str("    }\n");
    }
    text.push_str("    return fclose(file);\n}\n");
    text
}

//! Which C compiler, with which flags: resolved from props and environment, and named for the cache key.
//!
//! Invariant: nothing is spawned here except by [`Compiler::version`], because a kernel that is in the cache must not
//! pay for a compiler that it does not run. A compiler is identified by its path and its file's size, time and inode.

use crate::process::{Outcome, run};
use crate::{error, processor, ziglang};
use ferrocca_core::Result;
use ferrocca_core::props::{Props, Value};
use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Looked for where neither a prop nor the environment names one, best code first.
const CANDIDATES: [&str; 3] = ["clang", "gcc", "cc"];

/// How long a compiler may take where the property `compiler_timeout` says nothing.
const TIMEOUT: Duration = Duration::from_secs(600);

/// What every library is built with. An array that is larger than the stack's guard page must not reach beyond it unseen.
#[cfg(target_os = "linux")]
const BASE_FLAGS: &[&str] = &["-std=c11", "-fPIC", "-shared", "-fstack-clash-protection"];
#[cfg(not(target_os = "linux"))]
const BASE_FLAGS: &[&str] = &["-std=c11", "-fPIC", "-shared"];

/// Flags that a user's own replace. `errno` and traps are given up, because no kernel can see them and they keep loops
/// with `sqrt` or a condition from being vectorised; no flag here changes a result.
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
const DEFAULT_FLAGS: &[&str] = &["-march=native", "-fno-math-errno", "-fno-trapping-math"];
/// As on x86; `-march=native` is not understood by every compiler for these processors, `-mcpu=native` is.
#[cfg(any(target_arch = "aarch64", target_arch = "powerpc64"))]
const DEFAULT_FLAGS: &[&str] = &["-mcpu=native", "-fno-math-errno", "-fno-trapping-math"];
/// As on x86, for the baseline of the architecture.
#[cfg(not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64", target_arch = "powerpc64")))]
const DEFAULT_FLAGS: &[&str] = &["-fno-math-errno", "-fno-trapping-math"];

/// Vectors as wide as the processor has them. Compilers halve them, because a core may slow down for wide ones, which loses where it
/// waits for memory, and wins where it computes elementary functions: a cosine takes 0.75 of the time on a Xeon.
const WIDE_VECTORS: &str = "-mprefer-vector-width=512";

/// What messages call the places that name a compiler and its flags.
const COMPILER_PROPERTY: &str = "the property `compiler`";
const COMPILER_VARIABLE: &str = "the environment variable `CC`";
const FLAGS_VARIABLE: &str = "the environment variable `FERROCCA_CFLAGS`";

/// What a build uses.
#[derive(Clone, Debug)]
pub(crate) struct Toolchain {
    pub(crate) compiler: Compiler,
    /// Who named the compiler, where it is not the first one that was found.
    compiler_from: Option<&'static str>,
    /// All flags but input, output and libraries.
    pub(crate) flags: Vec<String>,
    /// How many of the last flags somebody gave, and who.
    given_flags: Option<(usize, &'static str)>,
    has_default_flags: bool,
    pub(crate) timeout: Duration,
}

impl Toolchain {
    /// From the kernel's props, the device's, the environment, the defaults, in this order.
    pub(crate) fn resolve(finder: &Finder, device: &Props, kernel: &Props) -> Result<Self> {
        Self::resolve_at("-O3", finder, device, kernel)
    }

    /// The same; `level` is the optimisation where nobody gives flags.
    pub(crate) fn resolve_at(level: &str, finder: &Finder, device: &Props, kernel: &Props) -> Result<Self> {
        let (own, flags_from) = match flags(kernel)?.map_or_else(|| flags(device), |flags| Ok(Some(flags)))? {
            Some(flags) => (flags, Some("the property `compiler_flags`")),
            None => match environment("FERROCCA_CFLAGS") {
                Some(text) => (split(&text, FLAGS_VARIABLE)?, Some(FLAGS_VARIABLE)),
                None => (std::iter::once(&level).chain(DEFAULT_FLAGS).map(ToString::to_string).collect(), None),
            },
        };
        let given_flags = flags_from.map(|from| (own.len(), from)).filter(|(count, _)| *count > 0);
        let contract = fp_contract(kernel)?;
        let mut flags: Vec<String> = BASE_FLAGS.iter().copied().chain([contract]).map(String::from).collect();
        // Last, so that a user has the last word.
        flags.extend(own);
        let timeout = timeout(kernel)?.map_or_else(|| timeout(device), |t| Ok(Some(t)))?.unwrap_or(TIMEOUT);
        let wanted = string(kernel, "compiler")?.map_or_else(|| string(device, "compiler"), |c| Ok(Some(c)))?;
        let (compiler, compiler_from) = match (wanted, environment("CC")) {
            (Some(text), _) => (finder.named(text, COMPILER_PROPERTY)?, Some(COMPILER_PROPERTY)),
            (None, Some(text)) => (finder.named(&text, COMPILER_VARIABLE)?, Some(COMPILER_VARIABLE)),
            (None, None) => (finder.any()?, None),
        };
        Ok(Self { compiler, compiler_from, flags, given_flags, has_default_flags: flags_from.is_none(), timeout })
    }

    /// A flag for a kernel that computes elementary functions, or does not, where nobody gives flags.
    pub(crate) fn vector_flag(&self, has_functions: bool) -> Option<&'static str> {
        (has_functions && self.has_default_flags && processor::has_wide_vectors()).then_some(WIDE_VECTORS)
    }

    /// The compiler, as messages name it: ``the C compiler `/usr/bin/gcc -m32` (from the environment variable `CC`)``.
    pub(crate) fn named(&self) -> String {
        let from = self.compiler_from.map(|from| format!(" (from {from})")).unwrap_or_default();
        format!("the C compiler `{}`{from}", self.compiler.command())
    }

    /// The flags, and which of them somebody gave.
    pub(crate) fn named_flags(&self) -> String {
        let given = self.given_flags.map(|(count, from)| {
            let given = &self.flags[self.flags.len() - count..];
            format!(" (`{}` from {from})", given.join(" "))
        });
        format!("`{}`{}", self.flags.join(" "), given.unwrap_or_default())
    }

    /// What decides the library that it makes of a text.
    pub(crate) fn identity(&self, finder: &Finder) -> Result<Vec<(&'static str, String)>> {
        Ok(vec![
            ("compiler", self.compiler.stamp(finder)?),
            ("flags", self.flags.join("\n")),
            ("vectors", self.vector_flag(true).unwrap_or_default().to_owned()),
            ("processor", processor::features().to_owned()),
        ])
    }
}

/// A C compiler that exists.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Compiler {
    pub(crate) path: PathBuf,
    /// Words that follow it always: `gcc -m64`, `ccache gcc`.
    pub(crate) arguments: Vec<String>,
}

impl Compiler {
    /// Path, and what changes with the file: size, time, inode; the same for every word that is a program itself.
    pub(crate) fn stamp(&self, finder: &Finder) -> Result<String> {
        let gone = |e: std::io::Error| error::compiler(format!("the C compiler `{}`: {e}", self.path.display()));
        let mut out = file_stamp(&self.path, &std::fs::metadata(&self.path).map_err(gone)?);
        for argument in &self.arguments {
            out.push(' ');
            match finder.program(argument).and_then(|path| Some((std::fs::metadata(&path).ok()?, path))) {
                Some((metadata, path)) => out.push_str(&file_stamp(&path, &metadata)),
                None => out.push_str(argument),
            }
        }
        Ok(out)
    }

    /// Its path and the words that follow it.
    fn command(&self) -> String {
        let words = std::iter::once(self.path.display().to_string()).chain(self.arguments.iter().cloned());
        words.collect::<Vec<_>>().join(" ")
    }

    /// First line of `--version`; runs the compiler.
    pub(crate) fn version(&self) -> Result<String> {
        let mut command = Command::new(&self.path);
        command.args(&self.arguments).arg("--version");
        match run(command, None, Duration::from_secs(10))? {
            Outcome::Done { success: true, output, .. } => Ok(output.lines().next().unwrap_or("").trim().to_owned()),
            outcome => Err(error::compiler(format!("`{} --version` {outcome}", self.command()))),
        }
    }
}

/// Finds compilers, and remembers where they were.
pub(crate) struct Finder {
    /// The directories of `PATH`.
    directories: Vec<PathBuf>,
    /// Where Pythons are.
    prefixes: Vec<PathBuf>,
    found: Mutex<HashMap<String, Compiler>>,
}

impl Finder {
    /// Searches the directories that `PATH` has now.
    pub(crate) fn new() -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
        Self { prefixes: ziglang::prefixes(&directories), directories, found: Mutex::default() }
    }

    /// The compiler that a user named: a path, a program of `PATH`, or a command with arguments.
    fn named(&self, text: &str, origin: &str) -> Result<Compiler> {
        self.remember(text, || {
            if let Some(path) = self.program(text.trim()) {
                return Ok(Compiler { path, arguments: Vec::new() });
            }
            let mut words = split(text, origin)?.into_iter();
            let program = words.next().ok_or_else(|| error::no_compiler(&format!("{origin} is empty")))?;
            match self.program(&program) {
                Some(path) => Ok(Compiler { path, arguments: words.collect() }),
                None => Err(error::no_compiler(&format!(
                    "{origin} names `{program}`, which is not a program on this machine"
                ))),
            }
        })
    }

    /// The first of the candidates that is there, else the one of a Python.
    fn any(&self) -> Result<Compiler> {
        self.remember("", || {
            let path = CANDIDATES.iter().find_map(|name| self.program(name));
            let found = path.map(|path| Compiler { path, arguments: Vec::new() }).or_else(|| {
                let path = ziglang::find(&self.prefixes, is_program)?;
                Some(Compiler { path, arguments: vec![ziglang::C_COMPILER.to_owned()] })
            });
            found.ok_or_else(|| {
                let tried = CANDIDATES.map(|c| format!("`{c}`")).join(", ");
                error::no_compiler(&format!("none of {tried} is in `PATH`, and no Python has `ziglang`"))
            })
        })
    }

    /// The file that a command name stands for: as a path if it has a separator, else in the directories of `PATH`.
    fn program(&self, name: &str) -> Option<PathBuf> {
        if name.is_empty() || name.starts_with('-') {
            return None;
        }
        if name.contains(std::path::is_separator) {
            return std::path::absolute(name).ok().filter(|path| is_program(path));
        }
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        self.directories.iter().map(|directory| directory.join(&file)).find(|path| is_program(path))
    }

    fn remember(&self, wanted: &str, find: impl FnOnce() -> Result<Compiler>) -> Result<Compiler> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(compiler) = found.get(wanted).filter(|compiler| compiler.path.is_file()) {
            return Ok(compiler.clone());
        }
        let compiler = find()?;
        found.insert(wanted.to_owned(), compiler.clone());
        Ok(compiler)
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

fn file_stamp(path: &Path, metadata: &Metadata) -> String {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let nanoseconds = modified.map_or(0, |time| time.as_nanos());
    format!("{} {} {nanoseconds} {}", path.display(), metadata.len(), inode(metadata))
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_metadata: &Metadata) -> u64 {
    0
}

/// An environment variable that is set and not empty.
fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

fn string<'a>(props: &'a Props, key: &str) -> Result<Option<&'a str>> {
    match props.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(error::props(format!("property `{key}`: expected a string, got {other}"))),
    }
}

/// `compiler_flags`: one string of words, quoted as in a shell, or a list of strings that are taken as they are.
fn flags(props: &Props) -> Result<Option<Vec<String>>> {
    let Some(Value::List(list)) = props.get("compiler_flags") else {
        let text = string(props, "compiler_flags")?;
        return text.map(|text| split(text, "property `compiler_flags`")).transpose();
    };
    let one = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        other => Err(error::props(format!("property `compiler_flags`: expected a list of strings, got {other} in it"))),
    };
    list.iter().map(one).collect::<Result<_>>().map(Some)
}

fn split(text: &str, origin: &str) -> Result<Vec<String>> {
    shlex::split(text).ok_or_else(|| error::props(format!("{origin}: a quote is not closed in `{text}`")))
}

fn fp_contract(props: &Props) -> Result<&'static str> {
    match string(props, "fp_contract")? {
        None | Some("off") => Ok("-ffp-contract=off"),
        Some("fast") => Ok("-ffp-contract=fast"),
        Some(other) => Err(error::props(format!("property `fp_contract`: expected `off` or `fast`, got `{other}`"))),
    }
}

fn timeout(props: &Props) -> Result<Option<Duration>> {
    let seconds = match props.get("compiler_timeout") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Int(seconds)) => *seconds as f64,
        Some(Value::Float(seconds)) => *seconds,
        Some(_) => f64::NAN,
    };
    match Duration::try_from_secs_f64(seconds) {
        Ok(timeout) if !timeout.is_zero() => Ok(Some(timeout)),
        _ => {
            let got = props.get("compiler_timeout").map(Value::to_string).unwrap_or_default();
            Err(error::props(format!("property `compiler_timeout`: expected seconds > 0, got {got}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrocca_core::ErrorKind;

    fn props(list: &[(&str, &str)]) -> Props {
        let mut props = Props::new();
        list.iter().for_each(|(key, value)| props.set(*key, Value::String((*value).to_owned())));
        props
    }

    fn own_program() -> String {
        std::env::current_exe().expect("this program has a path").display().to_string()
    }

    #[test]
    fn a_kernels_props_come_before_the_devices() {
        let me = own_program();
        let device = props(&[("compiler", &me), ("compiler_flags", "-O1 -DNAME='a b'")]);
        let finder = Finder::new();
        let tools = Toolchain::resolve(&finder, &device, &Props::new()).expect("it resolves");
        assert_eq!(tools.compiler.path, Path::new(&me));
        assert_eq!(tools.flags, [BASE_FLAGS, &["-ffp-contract=off", "-O1", "-DNAME=a b"]].concat());
        let kernel = props(&[("compiler_flags", "-O0"), ("fp_contract", "fast")]);
        let tools = Toolchain::resolve(&finder, &device, &kernel).expect("it resolves");
        assert_eq!(tools.flags, [BASE_FLAGS, &["-ffp-contract=fast", "-O0"]].concat());
    }

    #[test]
    fn vectors_are_wide_for_elementary_functions_alone_and_where_nobody_gives_flags() {
        let me = own_program();
        let tools = |given: &[(&str, &str)]| {
            let device = props(&[&[("compiler", me.as_str())], given].concat());
            Toolchain::resolve(&Finder::new(), &device, &Props::new()).expect("it resolves")
        };
        let has_flags = std::env::var_os("FERROCCA_CFLAGS").is_some();
        let wide = (processor::has_wide_vectors() && !has_flags).then_some(WIDE_VECTORS);
        assert_eq!([true, false].map(|has_functions| tools(&[]).vector_flag(has_functions)), [wide, None]);
        for given in ["-O2", ""] {
            assert_eq!(tools(&[("compiler_flags", given)]).vector_flag(true), None);
        }
    }

    #[test]
    fn a_command_with_arguments_is_split_and_its_programs_are_stamped() {
        let me = own_program();
        let tools =
            Toolchain::resolve(&Finder::new(), &props(&[("compiler", &format!("'{me}' -m64 '{me}'"))]), &Props::new());
        let compiler = tools.expect("it resolves").compiler;
        assert_eq!(compiler.arguments, ["-m64", me.as_str()]);
        let stamp = compiler.stamp(&Finder::new()).expect("the file is there");
        let size = std::fs::metadata(&me).expect("the file is there").len();
        assert_eq!(stamp.matches(&format!("{me} {size} ")).count(), 2, "{stamp}");
        assert!(stamp.contains(" -m64 "), "{stamp}");
    }

    #[test]
    fn messages_name_the_whole_command_and_who_gave_it() {
        let me = own_program();
        let device = props(&[("compiler", &format!("'{me}' -m32")), ("compiler_flags", "-O1 -foo")]);
        let tools = Toolchain::resolve(&Finder::new(), &device, &Props::new()).expect("it resolves");
        assert_eq!(tools.named(), format!("the C compiler `{me} -m32` (from the property `compiler`)"));
        let flags = format!("{} -ffp-contract=off -O1 -foo", BASE_FLAGS.join(" "));
        assert_eq!(tools.named_flags(), format!("`{flags}` (`-O1 -foo` from the property `compiler_flags`)"));
    }

    #[test]
    fn a_compiler_that_does_not_exist_is_named_and_nothing_else_is_taken() {
        for name in ["no-such-compiler", "/no/such/compiler", "no-such-compiler -O2"] {
            let error = Toolchain::resolve(&Finder::new(), &props(&[("compiler", name)]), &Props::new());
            let error = error.expect_err("there is none");
            let ErrorKind::Compiler { message } = error.kind() else { panic!("{error:?}") };
            assert!(
                message.contains(name.split(' ').next().unwrap_or(name)) && message.contains("install"),
                "{message}"
            );
        }
    }

    #[test]
    fn a_machine_without_a_compiler_says_what_was_tried_and_what_to_do() {
        let empty = tempfile::tempdir().expect("a temporary directory");
        let finder =
            Finder { directories: vec![empty.path().to_owned()], prefixes: Vec::new(), found: Mutex::default() };
        let error = finder.any().expect_err("there is none");
        let ErrorKind::Compiler { message } = error.kind() else { panic!("{error:?}") };
        for part in [
            "`clang`, `gcc`, `cc`",
            "no Python has `ziglang`",
            "`pip install ziglang`",
            "install",
            "`compiler`",
            "`CC`",
        ] {
            assert!(message.contains(part), "{message}");
        }
        // What was not found is looked for again: it may have been installed.
        let compiler = empty.path().join("cc");
        std::fs::copy(own_program(), &compiler).expect("it copies");
        assert_eq!(finder.any().expect("now there is one").path, compiler);
        std::fs::remove_file(&compiler).expect("it is there");
        assert!(finder.any().is_err());
    }

    #[test]
    fn bad_values_are_refused() {
        let me = own_program();
        for (key, value) in [("fp_contract", "on"), ("compiler_flags", "-DA='b"), ("compiler_timeout", "soon")] {
            let error = Toolchain::resolve(&Finder::new(), &props(&[("compiler", &me)]), &props(&[(key, value)]));
            let error = error.expect_err("the value is bad");
            let ErrorKind::Props { message } = error.kind() else { panic!("{error:?}") };
            assert!(message.contains(key), "{message}");
        }
        for value in [Value::Int(0), Value::Float(-1.0), Value::Float(f64::NAN), Value::Bool(true)] {
            let mut kernel = Props::new();
            kernel.set("compiler_timeout", value);
            assert!(Toolchain::resolve(&Finder::new(), &props(&[("compiler", &me)]), &kernel).is_err());
        }
    }
}

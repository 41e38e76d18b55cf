//! Sources and textual IR that are damaged: whatever they hold, every stage ends soon and without a panic, and what is
//! accepted keeps the rules of the IR and compiles for every target.
//!
//! `FERROCCA_FUZZ_CASES=100000` tries more (300 by default), `FERROCCA_FUZZ_SEED=7` others. What fails is made small and
//! printed.

use okl::back::cpu::CpuTarget;
use okl::back::cuda::CudaTarget;
use okl::back::opencl::OpenClTarget;
use okl::back::wgsl::WgslTarget;
use okl::target::{Target, opencl, wgsl};
use okl::{NoIncludes, Request, ir};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Pieces that a source rarely has, and that have once been trouble somewhere.
const PIECES: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "#",
    "##",
    "\\\n",
    "/*",
    "*/",
    "//",
    "\"",
    "'",
    "'\\x41'",
    "\0",
    "\u{feff}",
    "é",
    "\r",
    "@",
    "@outer",
    "@inner",
    "@tile(16, @outer, @inner)",
    "@shared",
    "@exclusive",
    "@atomic",
    "@barrier;",
    "@dim(4, 4)",
    "@restrict",
    "@kernel",
    "#define X(a, b...) a##b\n",
    "#define f f(f)\n",
    "#if 1\n",
    "#else\n",
    "#endif\n",
    "#include <x>\n",
    "#error x\n",
    "#line 7\n",
    "defined(",
    "__LINE__",
    "2147483648",
    "9223372036854775808",
    "0x",
    "1e999",
    "-0.0",
    "0.0f",
    "1e-400",
    "08",
    "0b12",
    "4294967295u",
    "-1",
    "<<",
    ">>",
    "%",
    "/ 0",
    "? :",
    "&&",
    "++",
    "--",
    "+=",
    "->",
    "...",
    "sizeof(",
    "(int)",
    "(double*)",
    "struct S { S s; };",
    "typedef int int;",
    "goto x;",
    "case 1:",
    "default:",
    "break;",
    "continue;",
    "return;",
    "while (1)",
    "do {",
    "for (;;)",
    "const",
    "volatile",
    "unsigned",
    "long long",
    "half",
    "float4",
    "size_t",
    "void",
    "NULL",
    "true",
    "static",
    "inline",
    "template <",
    "auto",
];

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }
}

/// Every file of a folder, and of those below it, whose name ends so.
fn files(folder: &Path, ending: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == ending) {
                texts.push(std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())));
            }
        }
    }
    texts
}

fn root() -> PathBuf {
    // Elsewhere than where it was built, it is where it runs.
    let manifest =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    manifest.join("../..")
}

/// Words, numbers, blanks and single signs.
fn tokens(text: &str) -> Vec<&str> {
    let mut list = Vec::new();
    let mut start = 0;
    let kind = |c: char| if c.is_alphanumeric() || c == '_' { 0 } else { 1 + u32::from(c) };
    let mut last = None;
    for (at, c) in text.char_indices() {
        if last.is_some_and(|last| last != kind(c)) {
            list.push(&text[start..at]);
            start = at;
        }
        last = Some(kind(c));
    }
    list.push(&text[start..]);
    list
}

/// A text with a few changes; `others` gives pieces.
fn mutate(text: &str, others: &[String], random: &mut Random) -> String {
    let mut list: Vec<String> = tokens(text).into_iter().map(str::to_owned).collect();
    for _ in 0..=random.below(6) {
        if list.is_empty() {
            break;
        }
        let (at, other) = (random.below(list.len()), random.below(list.len()));
        match random.below(10) {
            0 => drop(list.remove(at)),
            1 => list.insert(at, list[at].clone()),
            2 => list.swap(at, other),
            3 => list[at] = list[other].clone(),
            4 => list.insert(at, PIECES[random.below(PIECES.len())].to_owned()),
            5 => list[at] = PIECES[random.below(PIECES.len())].to_owned(),
            6 => list.truncate(at),
            7 => {
                // A stretch, many times.
                let end = (at + 1 + random.below(12)).min(list.len());
                let stretch = list[at..end].to_vec();
                let times = 1 << random.below(9);
                list.splice(at..at, (0..times).flat_map(|_| stretch.iter().cloned()));
            }
            8 => {
                // A stretch of another text.
                let from = tokens(&others[random.below(others.len())]);
                let begin = random.below(from.len());
                let end = (begin + 1 + random.below(40)).min(from.len());
                list.splice(at..at, from[begin..end].iter().map(|&token| token.to_owned()));
            }
            _ => {
                let end = (at + random.below(30)).min(list.len());
                list.drain(at..end);
            }
        }
    }
    let mut text = list.concat();
    if random.below(8) == 0 && !text.is_empty() {
        // A byte, where it leaves text.
        let mut bytes = text.clone().into_bytes();
        let at = random.below(bytes.len());
        bytes[at] = random.below(256) as u8;
        text = String::from_utf8(bytes).unwrap_or(text);
    }
    text
}

fn targets() -> [Box<dyn Target>; 6] {
    let in_loops = opencl::Features { form: opencl::Form::Loops, ..opencl::Features::ALL };
    let software = wgsl::Features { coarsen: false, masks: true, ends_loops: true, ..wgsl::Features::ALL };
    [
        Box::new(CpuTarget),
        Box::new(CudaTarget),
        Box::new(OpenClTarget(opencl::Features::ALL)),
        Box::new(OpenClTarget(in_loops)),
        Box::new(WgslTarget(wgsl::Features::ALL)),
        Box::new(WgslTarget(software)),
    ]
}

/// Compiles a source for one of the targets; whether it is accepted.
fn compile(source: &str, target: &dyn Target) -> bool {
    let defines = [("N".to_owned(), "4".to_owned())];
    let request = Request { name: "t.okl", source, mode: "Serial", defines: &defines, includes: &NoIncludes };
    match okl::compile(&request, target) {
        Ok(compiled) => {
            assert_eq!(ir::verify(&compiled.module), Ok(()));
            assert_eq!(compiled.text.lines().count(), compiled.lines.len(), "every line says where it comes from");
            true
        }
        Err(found) => {
            assert!(found.has_errors() && !found.to_string().is_empty());
            false
        }
    }
}

/// Reads textual IR; what is IR is written as it is read.
fn read_ir(text: &str) -> bool {
    let Ok(module) = ir::parse(text) else { return false };
    if ir::verify(&module).is_err() {
        return false;
    }
    let dumped = ir::dump(&module);
    let again = ir::parse(&dumped).unwrap_or_else(|error| panic!("{error}\n{dumped}"));
    assert_eq!(ir::dump(&again), dumped);
    true
}

/// Why it fails, if it does: a panic, or a time that nothing explains.
fn failure(text: &str, run: &dyn Fn(&str) -> bool, limit: Duration) -> Result<bool, String> {
    let begin = Instant::now();
    let ran = catch_unwind(AssertUnwindSafe(|| run(text)));
    let took = begin.elapsed();
    match ran {
        Err(panic) => {
            let said = panic.downcast_ref::<String>().cloned();
            Err(said.or_else(|| panic.downcast_ref::<&str>().map(|&s| s.to_owned())).unwrap_or_default())
        }
        Ok(_) if took > limit => Err(format!("took {took:?}")),
        Ok(accepted) => Ok(accepted),
    }
}

/// Leaves out lines, then tokens, as long as it still fails.
fn shrink(text: &str, fails: &dyn Fn(&str) -> bool) -> String {
    let mut small = text.to_owned();
    for by_line in [true, false] {
        let mut size = small.len();
        while size > 0 {
            let list: Vec<String> = match by_line {
                true => small.split_inclusive('\n').map(str::to_owned).collect(),
                false => tokens(&small).into_iter().map(str::to_owned).collect(),
            };
            size = size.min(list.len());
            let without = |at: usize| [&list[..at], &list[(at + size).min(list.len())..]].concat().concat();
            match (0..list.len()).step_by(size.max(1)).map(without).find(|text| fails(text)) {
                Some(smaller) => small = smaller,
                None => size /= 2,
            }
        }
    }
    small
}

/// Damages texts of a corpus and runs each.
fn check(corpus: &[String], salt: u64, run: impl Fn(&str, usize) -> bool) {
    let (cases, seed) = (number("FERROCCA_FUZZ_CASES", 300), number("FERROCCA_FUZZ_SEED", 1));
    let mut random = Random::new(seed.wrapping_add(salt << 32));
    let (mut accepted, mut slowest) = (0_u64, Duration::ZERO);
    for case in 0..cases {
        let text = mutate(&corpus[random.below(corpus.len())], corpus, &mut random);
        let which = case as usize;
        // A source of this size takes milliseconds; builds for debugging on busy machines are slow.
        let limit = Duration::from_secs(10) + Duration::from_micros(200 * text.len() as u64);
        let begin = Instant::now();
        match failure(&text, &|text| run(text, which), limit) {
            Ok(is_accepted) => accepted += u64::from(is_accepted),
            Err(why) => {
                let small = shrink(&text, &|text| failure(text, &|text| run(text, which), limit).is_err());
                panic!("case {case} of seed {seed}: {why}\n-----\n{small}\n-----\n{small:?}");
            }
        }
        slowest = slowest.max(begin.elapsed());
    }
    println!("{cases} cases, {accepted} accepted, slowest {slowest:?}");
    assert!(cases < 100 || accepted * 50 > cases, "hardly any case is accepted: the corpus is no longer what it was");
}

#[test]
fn damaged_sources_are_refused_or_compiled() {
    let mut corpus = files(&root().join("crates/okl/filetests"), "okl");
    corpus.extend(files(&root().join("kernels"), "okl"));
    let targets = targets();
    check(&corpus, 1, |text, case| compile(text, &*targets[case % targets.len()]));
}

#[test]
fn damaged_ir_is_refused_or_read() {
    let mut corpus = files(&root().join("crates/okl/filetests/passes"), "ir");
    for source in files(&root().join("kernels"), "okl") {
        let request = Request { name: "t.okl", source: &source, mode: "Serial", defines: &[], includes: &NoIncludes };
        corpus.extend(okl::to_ir(&request).ok().map(|(module, ..)| ir::dump(&module)));
    }
    // The heads of tests are comments, and `// becomes` ends a module.
    corpus = corpus.iter().flat_map(|text| text.split("// becomes")).map(str::to_owned).collect();
    check(&corpus, 2, |text, _| read_ir(text));
}

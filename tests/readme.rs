//! What the README says works: its commands run, its files are there. Its Rust example is a documentation test of the
//! facade.

mod support;

#[allow(dead_code)]
#[path = "pages/fragments.rs"]
mod fragments;

use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of the README's code blocks in a language.
fn blocks(language: &str) -> Vec<String> {
    blocks_of("README.md", language)
}

/// The text of a page's code blocks in a language, without the indentation that a list gives them.
fn blocks_of(page: &str, language: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let fence = format!("```{language}\n");
    let starts = text.split(&fence).skip(1);
    let blocks = starts.filter_map(|rest| rest.split("```").next());
    blocks
        .map(|block| {
            let indent = block.len() - block.trim_start_matches(' ').len();
            block.lines().map(|line| line.get(indent..).unwrap_or("").to_owned() + "\n").collect()
        })
        .collect()
}

/// The README's commands, without their comments.
fn commands() -> Vec<String> {
    let text = blocks("sh").concat();
    let without_comment = |line: &str| line.split('#').next().unwrap_or(line).trim().to_owned();
    text.lines().map(without_comment).collect()
}

#[test]
fn every_command_is_one_that_is_tested() {
    // The first two are what CI and a newcomer run; the third is a part of the first.
    let elsewhere = [
        "cargo xtask run",
        "cargo xtask test",
        "cargo run --release --example burgers -- --device mode=CPU --insitu examples/insitu/svd.py --output out",
    ];
    let commands = commands();
    assert!(elsewhere.iter().all(|known| commands.iter().any(|command| command == known)), "{commands:?}");
    for command in &commands {
        let tested = command.starts_with("ferrocca ");
        assert!(tested || elsewhere.contains(&command.as_str()), "`{command}` is tested nowhere");
    }
}

#[test]
fn the_commands_of_ferrocca_run() {
    let cache = tempfile::tempdir().unwrap();
    let program = &support::programs::ferrocca();
    for command in commands().iter().filter(|command| command.starts_with("ferrocca ")) {
        let compiles = command.contains(" compile ") || command.contains(" run ");
        if compiles && !support::has_c_compiler() {
            continue;
        }
        let output = Command::new(program)
            .args(command.split_whitespace().skip(1))
            .current_dir(root())
            .env("FERROCCA_CACHE_DIR", cache.path())
            .output()
            .expect("cargo starts");
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!output.stdout.is_empty(), "{command} prints something");
    }
}

#[test]
fn the_files_that_documents_link_to_are_there() {
    let pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "crates/insitu-py/README.md"];
    let pages = pages.iter().map(|page| root().join(page)).chain(site());
    for path in pages {
        let document = path.display();
        let text = std::fs::read_to_string(&path).unwrap();
        // Every second part of what backticks divide is code.
        let text: String = text.split('`').step_by(2).collect();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            // A lambda in code looks like a link with a space in it.
            let is_file = !link.starts_with("http") && !link.starts_with('#') && !link.contains(' ');
            let target = path.parent().unwrap().join(link.split('#').next().unwrap_or(link));
            assert!(!is_file || target.exists(), "{document} links to {link}, which is not there");
        }
    }
}

#[test]
fn every_published_crate_carries_the_licences() {
    for directory in std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(manifest) = std::fs::read_to_string(directory.join("Cargo.toml")) else { continue };
        if directory.ends_with("xtask") {
            continue;
        }
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let read = |path: std::path::PathBuf| std::fs::read_to_string(path).unwrap_or_default();
            assert_eq!(read(directory.join(licence)), read(root().join(licence)), "{}", directory.display());
        }
        let is_published = !manifest.contains("publish = false");
        assert!(!is_published || manifest.contains("documentation = \"https://docs.rs/"), "{}", directory.display());
    }
}

/// The pages of the site.
fn site() -> Vec<std::path::PathBuf> {
    let files = std::fs::read_dir(root().join("docs")).unwrap().map(|file| file.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

#[test]
fn the_site_s_contents_list_every_page() {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let listed: Vec<&str> = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    for page in site() {
        let name = page.file_name().unwrap().to_str().unwrap();
        assert!(name == "SUMMARY.md" || listed.contains(&name), "docs/SUMMARY.md does not list {name}");
    }
    let headings = |page: &str| -> Vec<String> {
        let text = std::fs::read_to_string(root().join("docs").join(page)).unwrap();
        let heading = |line: &str| line.strip_prefix("## ").or_else(|| line.strip_prefix("### ")).map(anchor);
        text.lines().filter_map(heading).collect()
    };
    for page in site() {
        let text = std::fs::read_to_string(&page).unwrap();
        let own = page.file_name().unwrap().to_str().unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            // Links are broken between words where a line is full.
            let link = link.replace('\n', "");
            let Some((file, place)) = link.split_once('#').filter(|_| !link.starts_with("http")) else { continue };
            let file = if file.is_empty() { own } else { file };
            if file.contains('/') {
                continue;
            }
            assert!(headings(file).iter().any(|heading| heading == place), "{own}: {file} has no heading #{place}");
        }
    }
}

/// What a heading is called in links, as GitHub and mdBook make it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// The steps of `docs/tasks.md` that are commands, with the files that the page shows.
#[test]
fn the_tasks_can_be_done_as_they_are_told() {
    if !support::has_c_compiler() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("kernels")).unwrap();
    std::fs::write(directory.path().join("kernels/axpy.okl"), &blocks_of("docs/tasks.md", "c")[0]).unwrap();
    let text = std::fs::read_to_string(root().join("docs/tasks.md")).unwrap();
    let told = |start: &str| {
        let command = text.split('`').find(|code| code.starts_with(start)).unwrap_or_else(|| panic!("no `{start}`"));
        command.replace("FILE.okl", "kernels/axpy.okl").replace('\n', " ")
    };
    let program = &support::programs::ferrocca();
    for (start, expected) in [
        ("ferrocca run --checked", "y (f64)  1000"),
        ("ferrocca translate -m Serial", "axpy"),
        ("ferrocca translate --bounds", "axpy"),
        ("ferrocca translate --ir=", "kernel axpy"),
        ("ferrocca explain", "## K030"),
        ("ferrocca info", "Serial"),
    ] {
        let mut command = Command::new(program);
        command.args(told(start).split_whitespace().skip(1).filter(|word| !word.starts_with("FILE")));
        if start.ends_with("--ir=") {
            command.arg("kernels/axpy.okl");
        }
        let cache = directory.path().join("cache");
        let output = command.current_dir(directory.path()).env("FERROCCA_CACHE_DIR", cache).output().unwrap();
        let (shown, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && shown.contains(expected), "{command:?}: {shown}{wrong}");
    }
}

/// Blocks of Rust that are parts of programs stand, line by line, in sources that are compiled; whole programs are
/// documentation tests of the facade.
#[test]
fn parts_of_programs_are_compiled() {
    let sources = [
        ("docs/tasks.md", "tests/pages/fragments.rs"),
        ("docs/many-machines.md", "tests/pages/fragments.rs"),
        ("docs/performance.md", "tests/pages/fragments.rs"),
        ("docs/webgpu.md", "tests/pages/fragments.rs"),
        ("docs/opencl.md", "tests/pages/fragments.rs"),
        ("docs/opencl.md", "crates/backend-opencl/examples/ocl_buffers.rs"),
        ("docs/guide.md", "crates/ndarray/src/lib.rs"),
        ("docs/interop.md", "crates/insitu-catalyst/src/lib.rs"),
    ];
    // Comments, the facade's names, and what makes a module or a function of it differ.
    let code = |text: &str| -> Vec<String> {
        let lines = text.lines().map(|line| line.trim().trim_start_matches("//!").trim());
        let lines = lines.map(|line| line.split("//").next().unwrap_or_default().trim_end());
        let lines =
            lines.map(|line| line.replace("kernels/axpy.okl", "axpy.okl").replace("tests/axpy.okl", "axpy.okl"));
        lines.filter(|line| !["", "}", "})", "};"].contains(&line.as_str())).collect()
    };
    let mut found = 0;
    for path in site() {
        let page = format!("docs/{}", path.file_name().unwrap().to_str().unwrap());
        for block in blocks_of(&page, "rust,ignore") {
            let is_head = |line: &String| line.starts_with("use ") || line.starts_with("fn main()");
            let wanted: Vec<String> = code(&block).into_iter().filter(|line| !is_head(line)).collect();
            let is_there = |source: &str| {
                let text = code(&std::fs::read_to_string(root().join(source)).unwrap());
                let mut rest = text.iter();
                wanted.iter().all(|line| rest.any(|there| there == line))
            };
            let mut of_page = sources.iter().filter(|(of, _)| *of == page).map(|(_, source)| *source);
            assert!(of_page.any(is_there), "{page}: this stands in no source that is compiled:\n{block}");
            found += 1;
        }
    }
    assert!(found >= sources.len(), "{found}");
}

/// Kernels that stand alone in a block of C are taken by the compiler.
#[test]
fn kernels_on_the_pages_are_taken() {
    let directory = tempfile::tempdir().unwrap();
    for page in ["README.md", "docs/guide.md", "docs/tasks.md"] {
        for block in blocks_of(page, "c") {
            let file = directory.path().join("kernel.okl");
            std::fs::write(&file, &block).unwrap();
            let mut command = Command::new(support::programs::ferrocca());
            let output = command.args(["translate", "--ir", "-W", "error"]).arg(&file).output().unwrap();
            assert!(output.status.success(), "{page}: {block}{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn the_script_runs() {
    if !support::has_c_compiler() || !support::has_python() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("script.py");
    std::fs::write(&script, blocks("python").concat()).unwrap();
    let mut burgers = Command::new(support::programs::burgers());
    let output = burgers.arg("--insitu").arg(&script).current_dir(root()).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("burgers 256\n") && text.contains("results belong in"), "{text}");
}

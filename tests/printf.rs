//! What kernels print, read by a process that runs a program with them: each line is whole and there once, and stands where
//! the program's own lines let it.

use ferrocca::{Device, Result, args};
use std::process::Command;

/// Names the device, in the process that prints.
const DEVICE: &str = "FERROCCA_PRINTING_DEVICE";

const SOURCE: &str = r#"
@kernel void rows(const int n, const int *a) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
    for (int k = 0; k < 2; ++k) {
      if (a[i] % 3 == 0) printf("row %d.%d of %s: %ld %g %.3e|\n", i, k, "a", 5000000000 + a[i], 0.5f * i, 1.0 / 3);
    }
  }
}
"#;

/// The program.
fn print(device: &str) -> Result<()> {
    let device = Device::open(device)?;
    let kernel = device.build_kernel_from_string(SOURCE, "rows", "")?;
    let a = device.malloc_from(&(0..100).collect::<Vec<i32>>())?;
    print!("first ");
    println!("line");
    kernel.launch(args![100, &a])?;
    device.finish()?;
    println!("between");
    let mut graph = device.record(|r| r.launch(&kernel, args![10, &a]).map(drop))?;
    graph.replay(3)?;
    device.finish()?;
    println!("last line");
    Ok(())
}

fn expected(rows: i32) -> Vec<String> {
    let row = |i: i32| {
        (0..2).map(move |k| {
            let (long, half) = (5_000_000_000 + i64::from(i), 0.5 * f64::from(i));
            format!("row {i}.{k} of a: {long} {half} 3.333e-01|")
        })
    };
    (0..rows).filter(|i| i % 3 == 0).flat_map(row).collect()
}

fn sorted<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Whether each item's own lines stand in their order.
fn are_in_order(lines: &[&str]) -> bool {
    let place = |line: &str| lines.iter().position(|other| *other == line);
    lines.iter().filter(|line| line.contains(".1 of")).all(|line| place(&line.replace(".1 of", ".0 of")) < place(line))
}

fn check(device: &str) {
    if let Err(error) = Device::open(device) {
        println!("skipped: {error}");
        return;
    }
    let run = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_program", "--nocapture", "--test-threads=1"])
        .env(DEVICE, device)
        .output()
        .unwrap();
    let printed = String::from_utf8(run.stdout).unwrap();
    assert!(run.status.success(), "{device}: {printed}{}", String::from_utf8_lossy(&run.stderr));
    let between = |before: &str, behind: &str| -> Vec<String> {
        let rest = printed.split_once(before).unwrap_or_else(|| panic!("{device}: no `{before}` in:\n{printed}")).1;
        let lines =
            rest.split_once(behind).unwrap_or_else(|| panic!("{device}: no `{behind}` behind it:\n{printed}")).0;
        lines.lines().map(str::to_owned).collect()
    };
    let launched = between("first line\n", "between\n");
    let lines: Vec<&str> = launched.iter().map(String::as_str).collect();
    assert_eq!(sorted(lines.iter().copied()), sorted(expected(100).iter().map(String::as_str)), "{device}");
    assert!(are_in_order(&lines), "{device}: {launched:#?}");
    let thrice = [expected(10), expected(10), expected(10)].concat();
    let replayed = between("between\n", "last line\n");
    assert_eq!(sorted(replayed.iter().map(String::as_str)), sorted(thrice.iter().map(String::as_str)), "{device}");
}

#[test]
fn the_program() -> Result<()> {
    std::env::var(DEVICE).map_or(Ok(()), |device| print(&device))
}

#[test]
fn processors_print_whole_lines() {
    ["mode=Serial", "mode=CPU, threads=2", "mode=Serial, checked=true", "mode=Reference"]
        .iter()
        .for_each(|of| check(of));
}

#[test]
fn opencl_prints_whole_lines() {
    check("mode=OpenCL");
}

#[test]
fn cuda_prints_whole_lines() {
    check("mode=CUDA");
}

/// Its kernels leave lines in memory, which are printed at the next wait.
#[test]
fn webgpu_prints_whole_lines() {
    check("mode=WebGPU");
}

/// What there is no room for is counted.
#[test]
fn lines_without_room_are_told() -> Result<()> {
    const LINES: i32 = 100_000;
    let device = match Device::open("mode=WebGPU") {
        Ok(device) => device,
        Err(error) => {
            println!("skipped: {error}");
            return Ok(());
        }
    };
    if std::env::var_os(DEVICE).is_some() {
        let source = "@kernel void many(const int n) {\n  for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) printf(\"%d %d %d\\n\", i, i, i);\n}\n";
        let kernel = device.build_kernel_from_string(source, "many", "")?;
        kernel.launch(args![LINES])?;
        device.finish()?;
        // The room is there again.
        kernel.launch(args![1])?;
        return device.finish();
    }
    let run = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "lines_without_room_are_told", "--nocapture"])
        .env(DEVICE, "mode=WebGPU")
        .output()
        .unwrap();
    let printed = String::from_utf8(run.stdout).unwrap();
    let numbers: Vec<&str> =
        printed.lines().filter(|line| line.split(' ').count() == 3 && line.as_bytes()[0].is_ascii_digit()).collect();
    let is_whole = |line: &&str| line.split(' ').all(|number| number == line.split(' ').next().unwrap_or(""));
    assert!(numbers.iter().all(is_whole), "{printed}");
    // A MiB holds 65,536 lines of four words.
    assert_eq!(numbers.len(), 65_536 + 1, "{printed}");
    assert!(printed.contains(&format!("… {} more lines: ", LINES - 65_536)), "{printed}");
    assert_eq!(numbers.last(), Some(&"0 0 0"));
    Ok(())
}

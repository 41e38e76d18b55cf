//! States on disk: read by other numbers of ranks, whatever happens to who writes them.

use ferrocca_backend_reference as _;
use ferrocca_comm::{Comm, Grid, group, read_manifest};
use ferrocca_core::{Device, Result};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const SHAPE: [usize; 2] = [9, 14];

/// A field of this rank's points, which `of` makes of their numbers; ghosts are -1.
fn values(grid: &Grid, of: impl Fn(usize) -> f64) -> Vec<f64> {
    let layout = grid.centred();
    let mut values = vec![-1.0; layout.len()];
    for i in 0..SHAPE[0] {
        for j in 0..SHAPE[1] {
            if let Some(at) = grid.owns(&[i, j]) {
                values[at] = of(i * SHAPE[1] + j);
            }
        }
    }
    values
}

fn save(comm: &Comm, directory: &Path, step: u64) -> Result<()> {
    let device = Device::open("mode=Reference")?;
    let grid = Grid::new(comm, &SHAPE, 1)?;
    let u = device.malloc_from(&values(&grid, |i| i as f64 + step as f64))?.into_untyped();
    let v: Vec<f32> = values(&grid, |i| 3.0 * i as f64 - step as f64).iter().map(|value| *value as f32).collect();
    grid.save(directory, step, "of a test", &[&u, &device.malloc_from(&v)?.into_untyped()])
}

/// Reads the state and checks that all of it is of one step, which is returned.
fn load(comm: &Comm, directory: &Path, cut: &[usize]) -> Result<u64> {
    let device = Device::open("mode=Reference")?;
    let grid = Grid::new(comm, &SHAPE, 1)?.parts(cut)?;
    let mut u = device.malloc_filled(grid.centred().len(), -1.0)?.into_untyped();
    let mut v = device.malloc_filled(grid.centred().len(), -1_f32)?.into_untyped();
    let manifest = grid.load(directory, &mut [&mut u, &mut v])?;
    assert_eq!(manifest.note, "of a test");
    let step = manifest.step;
    assert_eq!(u.typed::<f64>()?.to_vec()?, values(&grid, |i| i as f64 + step as f64));
    let expected: Vec<f32> = values(&grid, |i| 3.0 * i as f64 - step as f64).iter().map(|v| *v as f32).collect();
    assert_eq!(v.typed::<f32>()?.to_vec()?, expected);
    Ok(step)
}

#[test]
fn any_number_of_ranks_reads_what_any_has_written() {
    let directory = tempfile::tempdir().unwrap();
    for (step, writers) in [(3, 3), (7, 1), (7, 4)] {
        group(writers, |comm| save(comm, directory.path(), step)).unwrap();
        for cut in [[1, 1], [2, 1], [2, 3], [1, 5]] {
            let steps = group(cut.iter().product(), |comm| load(comm, directory.path(), &cut)).unwrap();
            assert!(steps.iter().all(|read| *read == step));
        }
        let files = std::fs::read_dir(directory.path()).unwrap().count();
        assert_eq!(files, writers + 1, "the files of the state before are gone");
    }
}

#[test]
fn a_state_that_is_damaged_or_of_another_grid_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let error = |shape: &[usize]| {
        let work = |comm: &Comm| {
            let device = Device::open("mode=Reference")?;
            let grid = Grid::new(comm, shape, 1)?;
            let mut u = device.malloc_filled(grid.centred().len(), 0.0)?.into_untyped();
            let mut v = device.malloc_filled(grid.centred().len(), 0_f32)?.into_untyped();
            grid.load(path, &mut [&mut u, &mut v])
        };
        group(2, work).unwrap_err().to_string()
    };
    assert!(error(&SHAPE).contains("manifest: No such file"), "{}", error(&SHAPE));
    group(2, |comm| save(comm, path, 1)).unwrap();
    assert!(error(&[9, 15]).contains("of a grid of [9, 14] points"), "{}", error(&[9, 15]));
    let part = path.join("0-1");
    let bytes = std::fs::read(&part).unwrap();
    let damaged: Vec<u8> = bytes.iter().enumerate().map(|(i, byte)| byte ^ u8::from(i == 40)).collect();
    std::fs::write(&part, damaged).unwrap();
    assert!(error(&SHAPE).contains("0-1 is damaged: its hash does not match"), "{}", error(&SHAPE));
    std::fs::remove_file(&part).unwrap();
    assert!(error(&SHAPE).contains("0-1: No such file"), "{}", error(&SHAPE));
    std::fs::write(&part, bytes).unwrap();
    let manifest = path.join("manifest");
    let text = std::fs::read_to_string(&manifest).unwrap();
    for (from, to) in [("step 1", "step 2"), ("checkpoint 1", "checkpoint 2"), ("0-1", "../0-1")] {
        std::fs::write(&manifest, text.replace(from, to)).unwrap();
        assert!(error(&SHAPE).contains("is damaged, or of another version"), "{}", error(&SHAPE));
    }
    for len in 0..text.len() {
        std::fs::write(&manifest, &text[..len]).unwrap();
        assert!(read_manifest(path).is_err() || len + 1 == text.len(), "cut after {len} bytes");
    }
    let several = group(1, |comm| {
        let device = Device::open("mode=Reference")?;
        Grid::new(comm, &[4], 1)?.save(path, 1, "a\nb", &[&device.malloc_filled(6, 0.0)?])
    });
    assert!(several.unwrap_err().to_string().contains("the note of a checkpoint is one line"));
}

/// Writes states until it is killed; a test for `a_writer_that_is_killed_leaves_a_complete_state` alone.
#[test]
fn writer() {
    let Some(directory) = std::env::var_os("FERROCCA_TEST_CHECKPOINTS") else { return };
    let directory = Path::new(&directory);
    let first = read_manifest(directory).map_or(1, |manifest| manifest.step + 1);
    group(3, |comm| (first..).try_for_each(|step| save(comm, directory, step))).unwrap();
}

#[test]
fn a_writer_that_is_killed_leaves_a_complete_state() {
    let directory = tempfile::tempdir().unwrap();
    let mut last = 0;
    for kill in 0..12_u64 {
        let own = std::env::current_exe().unwrap();
        let mut child = Command::new(own)
            .args(["--exact", "writer"])
            .env("FERROCCA_TEST_CHECKPOINTS", directory.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let start = Instant::now();
        let goes_on = || read_manifest(directory.path()).is_ok_and(|manifest| manifest.step > last + 1);
        while !goes_on() && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        // At another point of what it does each time.
        std::thread::sleep(Duration::from_micros(3_137 * kill));
        child.kill().unwrap();
        child.wait().unwrap();
        let steps = group(2, |comm| load(comm, directory.path(), &[2, 1])).unwrap();
        assert!(steps[0] > last, "after {kill} kills the state is that of step {}, before it was {last}", steps[0]);
        last = steps[0];
    }
}

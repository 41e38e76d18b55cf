//! What the run leaves behind: lines on the standard output, and the final field as a table.

use burgers::{Config, Summary};
use ferrocca::{Error, Result};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// Prints a line. A reader that has gone away (`| head`) is no reason to fail.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// What happens once, before the run.
pub(crate) struct SetUp {
    mark: Instant,
    /// The device is opened and the kernels are built.
    pub(crate) device: Duration,
    /// Python is started and the script's module level runs.
    pub(crate) script: Duration,
}

impl SetUp {
    pub(crate) fn start() -> Self {
        Self { mark: Instant::now(), device: Duration::ZERO, script: Duration::ZERO }
    }

    /// Time since the last lap.
    pub(crate) fn lap(&mut self) -> Duration {
        let now = Instant::now();
        let lap = now - self.mark;
        self.mark = now;
        lap
    }

    /// Says where the time went: what was done once, then what a step takes, and who took it.
    pub(crate) fn tell(&self, has_script: bool, summary: &Summary) {
        let seconds = |time: Duration| format!("{} s", six_digits((time.as_secs_f64() * 1e4).round() / 1e4));
        let timing = &summary.timing;
        let all = self.device + self.script + timing.set_up;
        let (script, first_call) = match has_script {
            true => (format!("script {}, ", seconds(self.script)), ", `start` and first call of the script"),
            false => (String::new(), ""),
        };
        say(&format!(
            "set-up: {}, not in the times below (device and kernels {}, {script}first launches{first_call} {})",
            seconds(all),
            seconds(self.device),
            seconds(timing.set_up)
        ));
        let milliseconds = |time: Duration| format!("{} ms", four_digits(time.as_secs_f64() * 1e3));
        let mean = format!("{} ms", four_digits(summary.mean_step_ms()));
        let share = 100.0 * timing.hook_share();
        let shares =
            if has_script { format!("; solver {:.0} %, script {share:.0} %", 100.0 - share) } else { String::new() };
        say(&format!("time of a step: median {}, mean {mean}{shares}", milliseconds(timing.median_step)));
    }
}

/// Four significant digits: no clock here is better.
fn four_digits(value: f64) -> String {
    six_digits(format!("{value:.3e}").parse().unwrap_or(value))
}

/// Writes `u.csv`: x and u of every point, without the ghosts, with as many digits as the values have.
pub(crate) fn write_field(directory: &Path, config: &Config, u: &[f64]) -> Result<()> {
    let path = directory.join("u.csv");
    let failed = |error: std::io::Error| Error::io(&path, &error);
    let staged = path.with_extension("csv.part");
    let written = write_rows(&staged, config, u).and_then(|()| std::fs::rename(&staged, &path));
    if written.is_err() {
        // What is left of it is of no use; that it cannot be removed either changes nothing.
        let _ = std::fs::remove_file(&staged);
    }
    written.map_err(failed)
}

fn write_rows(path: &Path, config: &Config, u: &[f64]) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    writeln!(file, "x,u")?;
    for (i, value) in u[1..u.len() - 1].iter().enumerate() {
        writeln!(file, "{},{value}", i as f64 * config.spacing())?;
    }
    file.flush()
}

/// Six significant digits, as C's `%g` and C++ streams print them.
pub(crate) fn six_digits(value: f64) -> String {
    let scientific = format!("{value:.5e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |digits: &str| match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => digits.to_owned(),
    };
    match exponent {
        -4..=5 => trim(&format!("{value:.*}", (5 - exponent) as usize)),
        _ => format!("{}e{}{:02}", trim(digits), if exponent < 0 { '-' } else { '+' }, exponent.abs()),
    }
}

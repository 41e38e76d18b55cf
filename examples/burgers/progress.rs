//! Progress: a bar on a terminal, a plain line a second elsewhere.

use crate::output::{say, six_digits};
use burgers::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Time between two plain lines.
const LINE_INTERVAL: Duration = Duration::from_secs(1);

/// Where progress is shown. Dropping it leaves the terminal as it was.
pub(crate) enum Display {
    /// Nowhere.
    Quiet,
    /// A bar on the standard error.
    Bar(ProgressBar),
    /// Lines on the standard output; the last one's time.
    Lines(Option<Instant>),
}

impl Display {
    pub(crate) fn new(quiet: bool) -> Self {
        match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Self::Quiet,
            (false, true) => Self::Bar(bar()),
            (false, false) => Self::Lines(None),
        }
    }

    pub(crate) fn show(&mut self, progress: &Progress) {
        match self {
            Self::Quiet => {}
            // What the hook's `finish` prints must not stand in the middle of a bar.
            Self::Bar(bar) if progress.is_last => bar.finish_and_clear(),
            Self::Bar(bar) => {
                bar.set_length(progress.step + progress.steps_left);
                bar.set_position(progress.step);
                bar.set_message(describe(progress));
            }
            Self::Lines(last) => {
                if progress.is_last || last.is_none_or(|time| time.elapsed() >= LINE_INTERVAL) {
                    *last = Some(Instant::now());
                    let total = progress.step + progress.steps_left;
                    say(&format!("step {}/{total}, {}", progress.step, describe(progress)));
                }
            }
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let template = "{wide_bar} {pos}/{len}  {msg}";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(0).with_style(style)
}

/// Time, speed and time left.
fn describe(progress: &Progress) -> String {
    let seconds = progress.wall.as_secs_f64();
    let time = six_digits(progress.time);
    if seconds == 0.0 || progress.steps_of_run == 0 {
        return format!("t = {time}");
    }
    let speed = progress.steps_of_run as f64 / seconds;
    let left = remaining(progress.steps_left as f64 / speed);
    format!("t = {time}, {speed:.0} steps/s, {left} left")
}

/// Seconds as one reads them on a clock.
fn remaining(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    format!("{hours}:{minutes:02}:{seconds:02}")
}

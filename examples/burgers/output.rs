//! What the run leaves behind: lines on the standard output, and the final field as a table.

use burgers::Config;
use ferrocca::{Error, Result};
use std::io::Write;
use std::path::Path;

/// Prints a line. A reader that has gone away (`| head`) is no reason to fail.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
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

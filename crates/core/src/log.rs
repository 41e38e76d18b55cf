//! What Ferrocca says of its own work: to the logger of the program (crate `log`, target `ferrocca`), and to the standard
//! error where `FERROCCA_LOG` or the property `verbose` asks for it.
//!
//! Levels: `info`, a line for each kernel that is built; `debug`, also with what it was built and its place in the cache.
//! Not here: errors, which are values.

use std::fmt;
use std::sync::OnceLock;

pub(crate) use log::Level;

/// What the environment variable is called.
const VARIABLE: &str = "FERROCCA_LOG";

/// What loggers know these lines by.
const TARGET: &str = "ferrocca";

/// Whether anybody wants lines of a level.
pub(crate) fn is_wanted(level: Level, verbose: bool) -> bool {
    is_printed(level, verbose) || log::log_enabled!(target: TARGET, level)
}

/// Tells a line to the logger, and on the standard error where that is asked for.
pub(crate) fn say(level: Level, verbose: bool, line: fmt::Arguments<'_>) {
    if is_printed(level, verbose) {
        eprintln!("ferrocca: {line}");
    }
    log::log!(target: TARGET, level, "{line}");
}

fn is_printed(level: Level, verbose: bool) -> bool {
    level <= asked() || verbose && level <= Level::Info
}

/// The level of the environment variable, which is read once.
fn asked() -> log::LevelFilter {
    static ASKED: OnceLock<log::LevelFilter> = OnceLock::new();
    *ASKED.get_or_init(|| match std::env::var(VARIABLE) {
        Ok(text) => parse(&text).unwrap_or_else(|message| {
            eprintln!("ferrocca: {message}");
            log::LevelFilter::Off
        }),
        Err(_) => log::LevelFilter::Off,
    })
}

fn parse(text: &str) -> Result<log::LevelFilter, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "" | "0" | "off" => Ok(log::LevelFilter::Off),
        "1" | "info" => Ok(log::LevelFilter::Info),
        "2" | "debug" => Ok(log::LevelFilter::Debug),
        _ => Err(format!("{VARIABLE}={text}: expected `off`, `info` or `debug`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_names() {
        assert_eq!(parse(" Debug "), Ok(log::LevelFilter::Debug));
        assert_eq!(parse("1"), Ok(log::LevelFilter::Info));
        assert_eq!(parse(""), Ok(log::LevelFilter::Off));
        assert_eq!(parse("loud"), Err("FERROCCA_LOG=loud: expected `off`, `info` or `debug`".into()));
    }
}

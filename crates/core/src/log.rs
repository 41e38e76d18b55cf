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

/// What a backend tells builds apart by, without what means nothing to people: stamps of files, numbers of formats.
pub(crate) fn for_people(what: &str, value: &str) -> Option<String> {
    let words = |keep: fn(&&str) -> bool| value.split_whitespace().filter(keep).collect::<Vec<_>>().join(" ");
    match what {
        "entry" | "artifact" => None,
        // Behind a path stand size, time and inode of the file.
        "compiler" | "nvrtc" => Some(words(|word| !word.bytes().all(|byte| byte.is_ascii_digit()))),
        // The architecture; behind it stand the bits of its features.
        "processor" => value.split_whitespace().next().map(str::to_owned),
        // What `Debug` makes of a struct: what is true by its name, numbers with theirs.
        "features" if value.ends_with('}') => {
            let fields = value.split_once('{').map_or("", |(_, fields)| fields).trim_end_matches('}');
            let shown = fields.split(", ").map(str::trim).filter(|field| !field.ends_with(": false"));
            Some(shown.map(|field| field.trim_end_matches(": true").replace("_", " ")).collect::<Vec<_>>().join(", "))
        }
        _ => Some(words(|_| true)),
    }
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
    fn people_read_no_stamps_and_no_formats() {
        let cases = [
            ("compiler", "/usr/bin/gcc 141216 1676635049000000000 2744321 -m64", Some("/usr/bin/gcc -m64")),
            ("processor", "x86_64 756e6547 6c65746e", Some("x86_64")),
            ("features", "Features { f64: true, i64: false, immediate_bytes: 128 }", Some("f64, immediate bytes: 128")),
            ("flags", "-O3\n-march=native", Some("-O3 -march=native")),
            ("entry", "1", None),
            ("artifact", "2", None),
        ];
        for (what, value, expected) in cases {
            assert_eq!(for_people(what, value).as_deref(), expected, "{what}");
        }
    }

    #[test]
    fn levels_have_names() {
        assert_eq!(parse(" Debug "), Ok(log::LevelFilter::Debug));
        assert_eq!(parse("1"), Ok(log::LevelFilter::Info));
        assert_eq!(parse(""), Ok(log::LevelFilter::Off));
        assert_eq!(parse("loud"), Err("FERROCCA_LOG=loud: expected `off`, `info` or `debug`".into()));
    }
}
